# Variants: the order of their blocks, what a result says of them, the baseline against itself.
$ cat >v.json <<'END'
> {"seed": 2, "phases": {"warmup": 0, "measure": "20ms"}, "baseline": "plain",
>  "variants": [{"label": "deep", "set": {"depth": 64}}, {"label": "plain"},
>    {"label": "small", "set": {"streams[0].workload.block": "4k"}}],
>  "points": [{"regions": {"sga": {"memory": "base", "size": "4m"}},
>    "streams": [{"label": "reads", "workload": "io", "engine": "null"}]}]}
> END
$ orion-sim plan ./v.json
v
blocks 10, warm-up 0s, measure 20ms, seed 2
variants in each block: 1 3 2, 1 3 2, 3 1 2, 1 3 2, 1 2 3, 1 3 2, 1 2 3, 3 2 1, 3 1 2, 3 1 2

variant 1 deep
   #  point    engine  memory  block  depth  workers  targets
   1  point 1  null    base    8K     64     1        0

variant 2 plain (baseline)
   #  point    engine  memory  block  depth  workers  targets
   1  point 1  null    base    8K     32     1        0

variant 3 small
   #  point    engine  memory  block  depth  workers  targets
   1  point 1  null    base    4K     32     1        0

30 runs, about 10 s

# The order is the seed's, and what --json says is what is run.
$ orion-sim plan ./v.json --json >one.json; orion-sim plan ./v.json --json >two.json; cmp one.json two.json
$ orion-sim plan ./v.json --set seed=3 --json >other.json; cmp -s one.json other.json
[exit 1]
$ orion-sim run ./v.json --set repeats=7 --format none --progress none --output out.json
orion-sim: result in out.json
$ cat >look.py <<'END'
> import json
> result, plan = json.load(open("out.json")), json.load(open("one.json"))
> places = [[r.get("place", 0) for r in v["points"][0]["repeats"]] for v in result["variants"]]
> assert [[r["index"] for r in v["points"][0]["repeats"]] for v in result["variants"]] == [list(range(7))] * 3
> orders = [sorted(range(3), key=lambda v: places[v][block]) for block in range(7)]
> print(result["baseline"], plan["baseline"], orders == plan["blocks"][:7], "against_itself" in result)
> END
$ python3 look.py
plain plain True False

# Few blocks are said.
$ orion-sim run ./v.json --set repeats=2 --progress none --output few.json | grep -A 1 'Note: 2 blocks'
orion-sim: result in few.json
Note: 2 blocks of variants: with fewer than 6 no difference can be told from chance, since p is at least 0.5; more by
      --set repeats=10

# The baseline against itself; a profile without variants, too.
$ orion-sim plan ./v.json --aa --set repeats=6
v
blocks 6, warm-up 0s, measure 20ms, seed 2
variants in each block: (1 2, 2 1, 1 2, 2 1, 1 2, 2 1|2 1, 1 2, 2 1, 1 2, 2 1, 1 2) (re)

variant 1 plain (baseline)
   #  point    engine  memory  block  depth  workers  targets
   1  point 1  null    base    8K     32     1        0

variant 2 plain again
   #  point    engine  memory  block  depth  workers  targets
   1  point 1  null    base    8K     32     1        0

12 runs, about 4 s
$ orion-sim run null --aa --set phases.warmup=0 --set phases.measure=20ms --set repeats=6 --progress none --output aa.json | grep -E '^(Run|Repeat)'
orion-sim: result in aa.json
Run: .*, 6 blocks, .* (re)
Repeat: orion-sim run null --aa --set .* (re)
$ python3 -c 'import json; r = json.load(open("aa.json")); print(r["baseline"], r["against_itself"], [v["label"] for v in r["variants"]])'
base True ['base', 'base again']

# What is wrong with them.
$ orion-sim plan ./v.json --set baseline=plai
orion-sim: --set baseline: no variant is called 'plai' (there are: deep, plain, small; did you mean 'plain'?)
[exit 2]
$ orion-sim run ./v.json --aa --set variants=[]
orion-sim: --set variants: must be a list of 1 to 64 variants; leave it out for none
[exit 2]
$ orion-sim plan null --set 'settings=[{"kind": "shmem_enabled", "value": "never"}]'
orion-sim: --set settings[0]: never is for one size, since no plan needs it: say which by folio, as 64k
[exit 2]
