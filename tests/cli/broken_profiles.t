# Each kind of broken profile gets one sentence: place, cause, present value, remedy.
$ cat >try <<'END'
> #!/bin/sh
> # try JSON: plans it.
> printf '%s\n' "$1" >p.json
> exec orion-sim plan p.json
> END
> chmod +x try

# Text that is no JSON.
$ ./try '{'
orion-sim: p.json:2:1: expected a key in quotes, found the end of the text
[exit 2]
$ ./try ''
orion-sim: p.json:2:1: expected a value, found the end of the text
[exit 2]
$ ./try '{"points": [}'
orion-sim: p.json:1:13: expected a value, found '}'
[exit 2]
$ ./try '{"repeats": 01}'
orion-sim: p.json:1:13: '01' is not a number (text needs quotes)
[exit 2]
$ ./try '{} {}'
orion-sim: p.json:1:4: expected nothing more behind the document, found '{'
[exit 2]
$ ./try '{"name": "a
> b"}'
orion-sim: p.json:1:10: this string is not closed
[exit 2]
$ ./try '{"seed": "1", "seed": "2"}'
orion-sim: p.json:1: seed: this key is given twice; leave one
[exit 2]
$ head -c 300 /dev/zero >p.json; orion-sim plan p.json
orion-sim: p.json:1:1: a NUL byte, this is no JSON text
[exit 2]
$ ./try "$(printf '[%.0s' $(seq 100))"
orion-sim: p.json:1:65: nested deeper than 64
[exit 2]

# Keys and values of the profile itself.
$ ./try '[]'
orion-sim: p.json:1: a profile must be an object like {"points": […]}
[exit 2]
$ ./try '{}'
orion-sim: p.json:1: the profile has no "points"; add a list with at least one point
[exit 2]
$ ./try '{"points": []}'
orion-sim: p.json:1: points: must be a list with at least one point like {"regions": {…}, "streams": […]}
[exit 2]
$ ./try '{"pionts": []}'
orion-sim: p.json:1: pionts: no key is called 'pionts' (there are: seed, phases, primary, targets, settings, variants, points, counters, sample, reference, name, summary, repeats, baseline, strict, strict_share, allow_unwritten, pmu, marker; did you mean 'points'?)
[exit 2]
$ ./try '{"repeats": 0, "points": [{}]}'
orion-sim: p.json:1: repeats: 0 is out of bounds (1 … 10000)
[exit 2]
$ ./try '{"repeats": "two", "points": [{}]}'
orion-sim: p.json:1: repeats: 'two' is not a whole number
[exit 2]
$ ./try '{"repeats": 1.5, "points": [{}]}'
orion-sim: p.json:1: repeats: 1.5 is not a whole number of 0 or more
[exit 2]
$ ./try '{"phases": {"measure": "2 weeks"}, "points": [{}]}'
orion-sim: p.json:1: phases.measure: '2 weeks' is not a duration (such as 500ms, 1.5s, 10m, 250us; a bare number is seconds)
[exit 2]
$ ./try '{"phases": {"measure": "0s"}, "points": [{}]}'
orion-sim: p.json:1: phases.measure: 0s is out of bounds (1ms … 720h)
[exit 2]
$ ./try '{"phases": {"mesure": "2s"}, "points": [{}]}'
orion-sim: p.json:1: phases.mesure: no key is called 'mesure' (there are: warmup, measure; did you mean 'measure'?)
[exit 2]
$ ./try '{"seed": 18446744073709551615, "points": [{}]}'
orion-sim: p.json:1: seed: must be a whole number of 64 bits in quotes, like "1" (without quotes below 2^53)
[exit 2]
$ ./try '{"seed": "-1", "points": [{}]}'
orion-sim: p.json:1: seed: must be a whole number of 64 bits in quotes, like "1" (without quotes below 2^53)
[exit 2]
$ ./try '{"name": "A b", "points": [{}]}'
orion-sim: p.json:1: name: 'A b' is no name for a profile; use a-z, 0-9 and - only
[exit 2]
$ ./try '{"settings": ["hugepage"], "points": [{}]}'
orion-sim: p.json:1: settings[0]: no setting is called 'hugepage' (there are: hugepages, shmem_enabled, thp_enabled, use_zero_page, numa_stat; did you mean 'hugepages'?)
[exit 2]
$ ./try '{"settings": [{"kind": "hugepages", "page": "3m"}], "points": [{}]}'
orion-sim: p.json:1: settings[0]: page is not a power of two: say 2M or 1G
[exit 2]
$ ./try '{"primary": ["read.mbs"], "points": [{}]}'
orion-sim: p.json:1: primary\[0\]: no metric is called 'mbs' (there are: *did you mean 'mbps'\?) (glob)
[exit 2]
$ ./try '{"strict_share": 120, "points": [{}]}'
orion-sim: p.json:1: strict_share: is 120, but a share is between 0 and 100 percent
[exit 2]
$ ./try '{"strict": "yes", "points": [{}]}'
orion-sim: p.json:1: strict: 'yes' is neither true nor false
[exit 2]
$ ./try '{"targets": "/x", "points": [{}]}'
orion-sim: p.json:1: targets: must be a list of paths like ["/path/to/file"]
[exit 2]
$ ./try '{"variants": [{"label": "a", "sets": {}}], "points": [{}]}'
orion-sim: p.json:1: variants[0].sets: no key is called 'sets' (there are: label, settings, set; did you mean 'set'?)
[exit 2]

# Regions.
$ ./try '{"points": [{"regions": {"sga": {"memory": "bse", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].regions.sga.memory: no memory kind is called 'bse' (there are: base, mthp, hugetlb, thp, private; did you mean 'base'?)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1.5m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].regions.sga.size: '1.5m' is not a size (such as 4096, 8k, 64K, 1M, 4g)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": {"kind": "mthp", "folios": "64k"}, "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].regions.sga.memory.folios: no key is called 'folios' (there are: kind, folio; did you mean 'folio'?)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": {"kind": "mthp", "folio": "1g"}, "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].regions.sga.memory.folio: 1G is out of bounds (16K … 512M)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": {"kind": "hugetlb", "api": "hugetlbfs"}, "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].regions.sga.memory.api: no api is called 'hugetlbfs' (there are: shm, mmap, memfd)
[exit 2]

# Streams.
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}}]}'
orion-sim: p.json:1: points[0]: a point needs "streams", a list of 1 to 64 objects like {"workload": "io", "engine": "io_uring"}
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": []}]}'
orion-sim: p.json:1: points[0].streams: a point needs "streams", a list of 1 to 64 objects like {"workload": "io", "engine": "io_uring"}
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null", "region": "pga"}]}]}'
orion-sim: p.json:1: points[0].streams[0].region: the point has no region 'pga' (there is: sga); name one of them or add it to "regions"
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "oi", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].streams[0].workload: no workload is called 'oi' (there are: io, touch, fault, zeropage, alloc, spawn; did you mean 'io'?)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "libaoi"}]}]}'
orion-sim: p.json:1: points[0].streams[0].engine: no engine is called 'libaoi' (there are: io_uring, libaio, sync, null; did you mean 'libaio'?)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": {"size": "1g"}}]}]}'
orion-sim: p.json:1: points[0].streams[0].engine: the key "kind" is missing, it names the engine
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "io_uring"}]}]}'
orion-sim: p.json:1: points[0].streams[0]: has no targets, but engine io_uring needs files; give --target FILE or "targets" (orion-sim prepare FILE makes one)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": {"kind": "io", "block": 100}, "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].streams[0].workload.block: 100 is out of bounds (512 … 1G)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": {"kind": "io", "depth": "deep"}, "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].streams[0].workload.depth: 'deep' is not a whole number
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": {"kind": "io", "depth": 0}, "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].streams[0].workload.depth: 0 is out of bounds (1 … 65536)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": {"kind": "io", "pattern": "zipf"}, "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].streams[0].workload.pattern: no pattern is called 'zipf' (there are: random, sequential)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null", "workers": 0}]}]}'
orion-sim: p.json:1: points[0].streams[0].workers: 0 is out of bounds (1 … 4096)
[exit 2]
$ ./try '{"points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null", "wokers": 1}]}]}'
orion-sim: p.json:1: points[0].streams[0].wokers: no key is called 'wokers' (there are: workload, engine, targets, layout, label, region, workers, as, cpus, pin; did you mean 'workers'?)
[exit 2]

# Axes.
$ ./try '{"points": [{"axes": {"blocks": ["8k"]}, "regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].axes.blocks: no axis is called 'blocks' (there are: block, depth, batch, pattern, engine, memory, numa, size, workers, as; did you mean 'block'?); a path is possible, too, like streams[*].workload.depth
[exit 2]
$ ./try '{"points": [{"axes": {"block": []}, "regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].axes.block: an axis must be a list of 1 to 100000 values, like ["8k", "64k"]
[exit 2]
$ ./try '{"points": [{"axes": {"block": ["8k", "9x"]}, "regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].axes.block[1]: '9x' is not a size (such as 4096, 8k, 64K, 1M, 4g)
[exit 2]
$ ./try '{"points": [{"axes": {"block": ["8k", "8k"]}, "regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].axes.block[1]: '8K' is twice in this axis; remove one, or tell them apart by {"value": …, "label": "…"}
[exit 2]
$ ./try '{"points": [{"axes": {"streams[3].workload.depth": [1]}, "regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}'
orion-sim: p.json:1: points[0].axes["streams[3].workload.depth"]: path 'streams[3].workload.depth' matches nothing: streams has 1 elements, the first is 0; mend the path
[exit 2]

# The line is that of the mistake.
$ cat >lines.json <<'END'
> {
>   "points": [{
>     "streams": [{
>       "workload": "io",
>       "engine": {"kind": "null",
>                  "depth": 3}
>     }]
>   }]
> }
> END
> orion-sim plan lines.json
orion-sim: lines.json:6: points[0].streams[0].engine.depth: no key is called 'depth' (there are: kind, size, targets, service_time)
[exit 2]

# --set.
$ orion-sim plan null --set nonsense
orion-sim: --set nonsense: write it as PATH=VALUE
[exit 2]
$ orion-sim plan null --set nope=1
orion-sim: --set nope: no key is called 'nope' (there are: seed, phases, primary, targets, settings, variants, points, counters, sample, reference, name, summary, repeats, baseline, strict, strict_share, allow_unwritten, pmu, marker)
[exit 2]
$ orion-sim plan null --set 'points[3].repeats=1'
orion-sim: --set points[3].repeats: 'points' has no element 3 (it has 1, the first is 0)
[exit 2]
$ orion-sim plan null --set 'points[0].streams[0].workload.depth=deep'
orion-sim: --set points[0].streams[0].workload.depth: 'deep' is not a whole number
[exit 2]
$ orion-sim plan null --set 'points[0]streams=1'
orion-sim: --set points[0]streams: not a path (such as points[0].streams[*].workload.depth)
[exit 2]
