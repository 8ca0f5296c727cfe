# Nodes and CPUs: named ones are checked before anything starts; near and far are about the targets' device.

$ cat >p.json <<'END'
> {"phases": {"warmup": 0, "measure": "50ms"}, "points": [{
>  "regions": {"sga": {"memory": "base", "size": "4m"}},
>  "streams": [{"label": "reads", "workload": "io", "engine": "null"}]}]}
> END
> cat >run <<'END'
> #!/bin/sh
> rm -f r.json r.histograms.json
> exec orion-sim run ./p.json --output r.json --progress none "$@" 2>&1 >out
> END
> chmod +x run

# A node that is not there is refused, and never another one taken.
$ ./run --set 'points[0].regions.sga.numa={"kind":"preferred","nodes":"99"}'
orion-sim: numa of region 'sga': node 99 is none of those with memory that this process may use (*) (glob)
[exit 2]
$ ./run --set 'points[0].regions.sga.numa={"kind":"prefer","nodes":"0"}'
orion-sim: --set points[0].regions.sga.numa.kind: no NUMA policy is called 'prefer' (there are: default, local, near, far, bind, interleave, weighted, preferred)
[exit 2]
$ ./run --set 'points[0].regions.sga.numa=bind'
orion-sim: --set points[0].regions.sga.numa: bind needs nodes; write {"kind": "bind", "nodes": "0"}
[exit 2]
$ ./run --set 'points[0].streams[0].cpus=node:99'
orion-sim: cpus of reads: node 99 of '99' has no CPU that this process may use (there are such on node *) (glob)
[exit 2]
$ ./run --set 'points[0].streams[0].cpus=nearby'
orion-sim: --set points[0].streams[0].cpus: 'nearby' is not a list of CPUs (such as 0-3,8)
[exit 2]

# Without a device there is no near and far: skipped, with the reason.
$ ./run --set 'points[0].regions.sga.numa=far'
orion-sim: result in r.json
[exit 3]
$ grep -o 'near and far are about [^"]*' r.json | head -n 1
near and far are about the block devices below the targets, and none is known here: name nodes instead

# On the first node that may be used, whichever it is: a policy that every machine can follow.
# Where the kernel has no policies, the reason says so.
$ ./run --set 'points[0].regions.sga.numa=interleave' --set 'points[0].streams[0].cpus="'"$(cut -d, -f1 /proc/self/status | sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p')"'"'; code=$?; [ $code = 0 ] || grep -q -e CONFIG_NUMA -e container r.json
orion-sim: result in r.json
$ grep -q -e '"numa":"interleave"' -e CONFIG_NUMA -e container r.json
