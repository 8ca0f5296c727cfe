# orion-sim list: names from the tables, parameters from the fields.

$ orion-sim list | grep -v '^ '
engines

memory

numa

workloads

layouts

warmups

settings

axes

metrics

counters

profiles

formats

comparisons

factors

commands

$ orion-sim list engine sync
sync: preadv2 and pwritev2, one request at a time
    parameter * (glob)
    nowait * (glob)

$ orion-sim list engines
io_uring: submission and completion rings shared with the kernel
    parameter * preset * allowed * meaning (glob)
    registered_buffers * false * true | false *hides what its page size costs (glob)
...
libaio: * (glob)
...
null: * (glob)
...

$ orion-sim list workloads io
...
    block        8K * 512 … 1G * bytes of one I/O (glob)
...

$ orion-sim list warmup steady
steady: ends at the steady state of the SNIA SSS-PTS (there in rounds of 1m)
    parameter * preset * allowed * meaning (glob)
    round * 1s * 1ms … 24h * (glob)
    window * 5 * 2 … 64 * (glob)
    range * 20 * (glob)
    slope * 10 * (glob)
    rounds_max * 25 * 2 … 10000 * (glob)

$ orion-sim list profiles
  in TREE/profiles:
...
  demo                 direct random reads of * (glob)
...

$ orion-sim list command plan | sed -n 1p
usage: orion-sim plan [OPTIONS] PROFILE

# What the machine says: a row for each, with yes or the reason.
$ orion-sim list --here
what      name                here  why not
memory    base                yes
...
engine    null                yes
workload  touch               yes
workload  fault               yes
...
workload  alloc kernel        * (glob)
workload  spawn               yes
...
audit     smaps               yes
audit     pagemap+kpageflags  * (glob)
audit     fault counters      yes
...
setting   hugepages           * (glob)
setting   shmem_enabled       * (glob)
setting   thp_enabled         * (glob)
setting   use_zero_page       * (glob)
setting   numa_stat           * (glob)

$ orion-sim list --here engines
orion-sim: list: --here shows one table of all: say orion-sim list --here
[exit 2]

$ orion-sim list setting hugepages
hugepages: huge pages added to what others have, while we run
...

on this machine now:
    *hugepages* (glob)
...
borrowed* (glob)
...

$ orion-sim list engine libaoi
orion-sim: no engine is called 'libaoi' (there are: *; did you mean 'libaio'?) (glob)
[exit 2]
$ orion-sim list nothing
orion-sim: no list is called 'nothing' (there are: engines, memory, numa, workloads, layouts, warmups, settings, axes, metrics, counters, profiles, formats, comparisons, factors, commands)
[exit 2]

# A policy of nodes is an entry like any other.
$ orion-sim list policies interleave
interleave: page by page in turn, as much on each node
    parameter * (glob)
    nodes      -       any text  nodes, like 0-1,4; else all that are allowed
