# Profiles: those of the tree, several streams and variants, the effective profile.

# Every profile of the tree plans, whatever its targets.
$ for file in "$TREE"/profiles/*.json; do orion-sim plan "$file" --target /x >out 2>&1 || { echo "$file"; cat out; }; done

# Two streams in one row, variants under headings of their own.
$ cat >two.json <<'END'
> {"seed": 1, "repeats": 1, "phases": {"warmup": 0, "measure": "2h"}, "targets": ["/x", "/y"],
>  "variants": [{"label": "shallow"}, {"label": "deep", "settings": ["hugepages"],
>    "set": {"streams[0].workload.depth": 128}}],
>  "points": [{"label": "mixed", "regions": {"sga": {"memory": "mthp", "size": "1g"}},
>    "streams": [{"label": "small", "workload": "io", "engine": "libaio", "workers": 2},
>      {"label": "large", "workload": {"kind": "io", "block": "1m", "depth": 4},
>       "engine": "libaio", "targets": ["/z"]}]}]}
> END
$ orion-sim plan ./two.json
two
blocks 1, warm-up 0s, measure 2h, seed 1
variants in each block: 1 2
note: 1 block of variants: with fewer than 6 no difference can be told from chance, since p is at least 1; more by --set repeats=10
settings borrowed for deep: hugepages
memory needs: shared folios of 64K

variant 1 shallow (baseline)
   #  point  engine  memory    block  depth  workers  targets
   1  mixed  libaio  mthp 64K  8K+1M  32+4   2+1      2+1

variant 2 deep
   #  point  engine  memory    block  depth  workers  targets
   1  mixed  libaio  mthp 64K  8K+1M  128+4  2+1      2+1

2 runs, about 4 h 0 min

# What --json prints as effective is a profile that plans to the same.
$ orion-sim plan ./two.json --json >first.json
$ python3 -c 'import json; json.dump(json.load(open("first.json"))["effective"], open("again.json", "w"))'
$ orion-sim plan ./again.json --json >second.json; cmp first.json second.json

$ orion-sim plan ./two.json --set points[0].streams[0].workload.depth=no
orion-sim: --set points[0].streams[0].workload.depth: 'no' is not a whole number
[exit 2]

# What only the command knows, and that run says the same.
$ cat >b.json <<'END'
> {"points": [{"regions": {"sga": {"memory": "base"}},
>   "streams": [{"workload": "io", "engine": "null"}]}],
>  "primary": ["read.mpbs"],
>  "variants": [{"label": "a", "settings": ["hugepage"]}]}
> END
$ orion-sim plan b.json
orion-sim: b.json:3: primary\[0\]: no metric is called 'mpbs' (there are: *; did you mean 'mbps'\?) (glob)
[exit 2]
$ orion-sim plan b.json --set primary=[]
orion-sim: b.json:4: variants[0].settings[0]: no setting is called 'hugepage' (there are: hugepages, shmem_enabled, thp_enabled, use_zero_page, numa_stat; did you mean 'hugepages'?)
[exit 2]
$ orion-sim run b.json --set primary=[] --set repeats=0
orion-sim: --set repeats: 0 is out of bounds (1 … 10000)
[exit 2]

# By name: the nearest directory wins, what is near is proposed.
$ orion-sim plan demmo
orion-sim: no profile is called 'demmo' (there are: *; did you mean 'demo'\?); a file is named by a path with a slash, or ends in .json (glob)
[exit 2]
$ orion-sim plan ./none.json
orion-sim: cannot open ./none.json: No such file or directory
[exit 2]
$ mkdir profiles; printf '{"summary": "mine", "points": [1]}' >profiles/demo.json
$ printf '{"summary": "ours", "points": [{}]}' >profiles/own.json
$ orion-sim list profiles | head -n 3
  in profiles:
  demo                 profiles/demo.json:1: points[0]: must be an object like {"regions": {…}, "streams": […]}
  own                  ours
$ orion-sim list profile own
  own                  ours
  file profiles/own.json; its points: orion-sim plan own
