# Counters of the kernel by name, and hot functions in a repeat of their own.

$ orion-sim list counters
  vmstat               pgfault, pgmajfault, thp_*, numa_*, * (glob)
  folios               hugepages-64kB.shmem_alloc, * (glob)
  nodes                node0.numa_hit, * (glob)
  psi                  psi.memory.some_us, * (glob)
  lab                  elevator_lock_waited * (glob)
$ orion-sim list counter vmstat | tr ' ' '\n' | grep -cx pgfault
1
$ orion-sim list counter vmstats
orion-sim: no source of counters is called 'vmstats' (there are: vmstat, folios, nodes, psi, lab; did you mean 'vmstat'?)
[exit 2]
$ orion-sim list --here | grep -c '^counters  vmstat  *yes$'
1
$ orion-sim list --here | grep '^sampler'
sampler   * (glob)

$ cat >faults.json <<'END'
> {"name": "faults", "seed": "1", "repeats": 2, "phases": {"warmup": "20ms", "measure": "150ms"},
>  "counters": ["pgfault", "no_such_*"],
>  "points": [{"regions": {"sga": {"memory": "base", "size": "16m"}},
>    "streams": [{"label": "sessions", "workload": "touch", "pin": false}]}]}
> END
$ orion-sim run ./faults.json --output out.json --progress none >text
orion-sim: counters: this machine has none called 'no_such_*' * (glob)
orion-sim: result in out.json
$ grep '^pgfault ' text
pgfault * (glob)
$ grep -c '^Counters are what the kernel counted on the whole machine' text
1
$ grep '^Note: counters' text
Note: counters: this machine has none called 'no_such_*' (orion-sim list counters shows those there are)
$ orion-sim report out.json --format csv | sed -n 1p | grep -o ',counter_pgfault'
,counter_pgfault
$ grep -c '"sampled"' out.json
0
[exit 1]

# One more run of each point, whose figures are in no median; or the reason why there is none.
$ orion-sim plan ./faults.json --set sample=true | tail -n 1
3 runs, about * (glob)
$ orion-sim run ./faults.json --sample --output sampled.json --progress none --set counters='[]' >text
...
orion-sim: result in sampled.json
$ grep -ho '^Hottest kernel functions of point.*idle left out)\|^Note: hot functions were not sampled' text | sed 's/ (.*//'
(Hottest kernel functions of point.*|Note: hot functions were not sampled) (re)
$ orion-sim report sampled.json --format csv | grep -c sessions
2
$ orion-sim run ./faults.json --set sample.frequency=0
orion-sim: --set sample.frequency: * (glob)
[exit 2]
$ orion-sim run ./faults.json --set 'counters=[1]'
orion-sim: --set counters[0]: must be the name of a counter of at most 63 bytes, in quotes, like "pgfault" or "thp_*"
[exit 2]
