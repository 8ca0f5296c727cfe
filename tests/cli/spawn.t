# Workload spawn: processes started and waited for.

$ orion-sim list workload spawn
spawn: processes started and waited for: * (glob)
    parameter * (glob)
    op * fork | vfork | posix_spawn | exec | shell | compile | dc * (glob)
    at_once      1 * (glob)
...
    counts spawn (process), exec (exec), shell (loop), program (loop)
    lps * (glob)
    lpm * (glob)
$ orion-sim plan exec-loops | grep -c spawn
6

# Reads, first touches and processes in one point, from a profile alone.
$ cat >mixed.json <<'END'
> {"name": "mixed", "seed": "1", "repeats": 1, "phases": {"warmup": "50ms", "measure": "300ms"},
>  "primary": ["spawn.lps", "read.iops"],
>  "points": [{"label": "storm",
>    "regions": {"sga": {"memory": "base", "size": "16m"}, "fresh": {"memory": "base", "size": "4m"}},
>    "streams": [{"label": "reads", "workload": "io", "engine": "null", "region": "sga"},
>      {"label": "faults", "workload": "fault", "region": "fresh"},
>      {"label": "sessions", "workload": {"kind": "spawn", "ballast": "4m", "dirty": "64k"}, "as": "processes"}]}]}
> END
$ orion-sim run ./mixed.json --output out.json >text 2>/dev/null
$ grep -o '^storm [a-z]* *[a-z]* ' text | tr -s ' '
storm reads read 
storm faults fault 
...
storm sessions spawn 
$ grep -c 'loops completed per second' text
1
$ orion-sim report out.json --format csv | grep -o 'sessions,spawn,process' | uniq
sessions,spawn,process

# What does not go together.
$ orion-sim run ./mixed.json --output not.json --set 'points[0].streams[2].as=threads'
orion-sim: *sessions: workload spawn starts processes and waits for them, * write "as": "processes" for its stream (glob)
[exit 2]
$ orion-sim run ./mixed.json --output not.json --set 'points[0].streams[2].workload={"kind": "spawn", "at_once": 8}'
orion-sim: *sessions: op fork starts one process a loop, at_once is 8; write 1, or more workers (glob)
[exit 2]
$ orion-sim run ./mixed.json --output not.json --set 'points[0].streams[2].workload={"kind": "spawn", "dirty": "8k"}'
orion-sim: *sessions: dirty 8K is more than ballast 0; lower it (glob)
[exit 2]
$ orion-sim run ./mixed.json --output not.json --set 'points[0].streams[2].workload={"kind": "spawn", "op": "dc", "path": "/nowhere"}' 2>&1 | grep -o 'there is no program dc in /nowhere: as root, apt-get install dc' | sed -n 1p
there is no program dc in /nowhere: as root, apt-get install dc

# A failure that is gone on after is counted and told.
$ mkdir bin; printf '#!/bin/sh\necho sorry >&2; exit 3\n' >bin/dc; chmod 0755 bin/dc
$ cat >fails.json <<'END'
> {"seed": "1", "repeats": 1, "phases": {"warmup": 0, "measure": "200ms"},
>  "points": [{"streams": [{"workload": {"kind": "spawn", "op": "dc", "errors_max": 1000000}, "as": "processes"}]}]}
> END
$ orion-sim run ./fails.json --output fails.out.json --set "points[0].streams[0].workload.path=$PWD/bin:/usr/bin:/bin" >text 2>/dev/null
$ grep -o 'operations failed for good: [1-9]' text
operations failed for good: * (glob)
$ grep -o 'First failure at .*dc ended with status 3: sorry' text
First failure at * (glob)
