# Warm-ups that end by rule: reached, not reached, and what the plan says of both.
$ cat >p.json <<'END'
> {"name": "warm", "seed": "1", "repeats": 2, "phases": {"warmup": "steady", "measure": "100ms"},
>  "points": [{"regions": {"sga": {"memory": "base", "size": "4m"}},
>              "streams": [{"workload": "io", "engine": "null"}]}]}
> END
> orion-sim plan p.json
warm
repeats 2, warm-up steady (at most 25s), measure 100ms, seed 1

...
2 runs, at most about 51 s
$ orion-sim plan p.json --set phases.warmup=1s | grep -e warm-up -e runs
repeats 2, warm-up 1s, measure 100ms, seed 1
2 runs, about 3 s
$ orion-sim plan p.json --set phases.warmup.slope=2.5 --json | tr -d ' \t\n' | grep -o '"warmup":{[^}]*}' | sort -u
"warmup":{"kind":"steady","round":"1s","window":5,"range":20,"slope":2.5,"rounds_max":25}

# Any two rates are within this.
$ orion-sim run p.json --progress plain --output reached.json --set 'phases.warmup={"kind": "agree", "window": "100ms", "within": 1000, "max": "3s"}'
orion-sim: 2 runs, at most about 0:07 min
...
Warm-up: agree 100ms 1000 3s: * rounds, * s a repeat, which are in no figure (glob)
...
$ orion-sim report reached.json | grep -c 'not reached'
0
[exit 1]

# No two are within this.
$ orion-sim run p.json --output capped.json --set 'phases.warmup={"kind": "steady", "round": "50ms", "range": 1e-9, "slope": 1e-9, "rounds_max": 7}' 2>/dev/null
...
 \[1\] steady state not reached in 2 of 2 repeats, at worst after 7 rounds: range * % of the mean, slope * % (glob)
...
Warm-up: steady 50ms 1e-09 1e-09 7: 7 rounds, * s a repeat, which are in no figure (glob)
...
$ orion-sim report capped.json --format csv | sed -n 1p | tr ',' '\n' | grep warmup
warmup_s
warmup_rounds
warmup_reached
warmup_range_percent
warmup_slope_percent
$ grep -o '"reached": *false' capped.json | wc -l
2
