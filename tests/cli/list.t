# orion-sim list: names from the tables, parameters from the fields.

$ orion-sim list | grep -v '^ '
engines

memory

workloads

settings

axes

metrics

profiles

formats

commands

$ orion-sim list engine sync
sync: preadv2 and pwritev2, one request at a time
    no parameters

$ orion-sim list engines
io_uring: submission and completion rings shared with the kernel
    parameter           preset  allowed       meaning
    registered_buffers  false   true | false  *hides what its page size costs (glob)
...
libaio: * (glob)
...
null: * (glob)
...

$ orion-sim list workloads io
...
    block        8K * 512 … 1G * bytes of one I/O (glob)
...

$ orion-sim list profiles
  in TREE/profiles:
...
  demo                 direct random reads of * (glob)
...

$ orion-sim list command plan | head -n 1
usage: orion-sim plan [OPTIONS] PROFILE

$ orion-sim list engine libaoi
orion-sim: no engine is called 'libaoi' (there are: *; did you mean 'libaio'?) (glob)
[exit 2]
$ orion-sim list nothing
orion-sim: no list is called 'nothing' (there are: engines, memory, workloads, settings, axes, metrics, profiles, formats, commands)
[exit 2]
