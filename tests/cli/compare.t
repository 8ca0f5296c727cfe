# orion-sim compare: what it accepts, what it says, and its exit codes.

$ cat >pair.json <<'END'
> {"name": "pair", "summary": "a device that answers in 200 us, and one that takes four times as long",
>  "repeats": 6, "seed": "7", "phases": {"warmup": "5ms", "measure": "60ms"}, "primary": ["read.p50_us"],
>  "baseline": "fast", "variants": [{"label": "fast"},
>   {"label": "slow", "set": {"engine": {"kind": "null", "service_time": "800us"}}}],
>  "points": [{"regions": {"sga": {"memory": "base", "size": "1m"}},
>   "streams": [{"label": "reads", "workload": {"kind": "io", "block": "8k", "depth": 1},
>    "engine": {"kind": "null", "service_time": "200us"}, "region": "sga"}]}]}
> END
> orion-sim run ./pair.json --progress none --output run.json --format none
orion-sim: result in run.json

# A machine that is busy with other tests measures anything: figures as they should be.
$ awk -v RS='"label":"slow"' '
> { gsub(/"p50_ns":[0-9]+/, "\"p50_ns\":" (NR < 3 ? 200000 : 800000)); gsub(/"ops":[0-9]+/, "\"ops\":1000") }
> { printf "%s%s", (NR > 1 ? RS : ""), $0 }' run.json >pair-result.json

$ orion-sim compare pair-result.json
slow is worse than fast on 1 of 1 primary metric, better on none.

fast  6 blocks  * (glob)
slow  6 blocks  * (glob)
design: ABBA, paired, 6 blocks, seed 7, drift over the session * %; alpha 0.05, Holm over 1 primary metric (glob)

...
read *p50_us *lower * 0.031 *regressed (glob)
...
Differs, as declared:
  streams[reads].engine.service_time: 200us -> 800us
...
$ orion-sim compare --json pair-result.json | grep -o '"answer":"[^"]*"'
"answer":"slow is worse than fast on 1 of 1 primary metric, better on none."
$ orion-sim compare --format benchfmt pair-result.json | grep -c '^BenchmarkOrionSim/point=[^ ]* 1 '
12

# The report of a run ends in the same words.
$ orion-sim report pair-result.json | grep -x -A 3 'slow is worse.*'
slow is worse than fast on 1 of 1 primary metric, better on none.

fast  6 blocks  * (glob)
slow  6 blocks  * (glob)

# Exit codes on request: what regressed weighs more.
$ orion-sim compare pair-result.json --fail-on regressed >/dev/null
orion-sim: --fail-on regressed: 1 primary metric regressed
[exit 6]
$ orion-sim compare pair-result.json --fail-on inconclusive >/dev/null
orion-sim: --fail-on inconclusive: 1 primary metric regressed
[exit 6]
$ orion-sim compare pair-result.json --fail-on inconclusive --alpha 0.01 >/dev/null
orion-sim: --fail-on inconclusive: 1 primary metric is inconclusive
[exit 5]
$ orion-sim compare pair-result.json --fail-on inconclusive --metric errors >/dev/null

# Two sides of results.
$ orion-sim compare pair-result.json pair-result.json
orion-sim: * (glob)
[exit 2]
$ mkdir empty; orion-sim compare empty pair-result.json
orion-sim: compare: the folder empty has no results: those are *.json, without their *.histograms.json
[exit 2]
$ orion-sim compare nosuch pair-result.json
orion-sim: compare: cannot open nosuch: No such file or directory
[exit 2]
$ orion-sim compare pair.json
orion-sim: pair.json is not a result of orion-sim: it has no "schema": "orion-sim/1"
[exit 2]

# Words that say no side.
$ orion-sim compare
orion-sim: compare: RESULT | BASE NEW | BASE… -- NEW… is missing; usage: orion-sim compare RESULT | BASE NEW | BASE… -- NEW…
[exit 2]
$ orion-sim compare a b c
orion-sim: compare: 3 words, and which are the base? orion-sim compare BASE… -- NEW…
[exit 2]
$ orion-sim compare -- a
orion-sim: compare: nothing stands in front of --; usage: orion-sim compare BASE… -- NEW…
[exit 2]
$ orion-sim compare a --
orion-sim: compare: nothing stands behind --; usage: orion-sim compare BASE… -- NEW…
[exit 2]
$ orion-sim compare pair-result.json -- pair-result.json --json
orion-sim: compare: --json stands behind --, where there are only names of results; options go in front
[exit 2]

# Options that make no sense.
$ orion-sim compare pair-result.json --threshold iops=
orion-sim: compare: --threshold: 'iops=' is no percentage above 0 and below 100, as 3 or mbps=3
[exit 2]
$ orion-sim compare pair-result.json --threshold =3
orion-sim: compare: --threshold: '=3' names no metric; write mbps=3
[exit 2]
$ orion-sim compare pair-result.json --threshold mbsp=3
orion-sim: pair-result.json: --threshold mbsp: no metric is called 'mbsp' (there are: *; did you mean 'mbps'?) (glob)
[exit 2]
$ orion-sim compare pair-result.json --metric mbsp
orion-sim: * (glob)
[exit 2]
$ orion-sim compare pair-result.json --factor weather
orion-sim: pair-result.json: --factor: no factor is called 'weather' (there are: *) (glob)
[exit 2]
$ orion-sim compare pair-result.json --alpha 2
orion-sim: compare: --alpha: 2 is not between 0.0001 and 0.5
[exit 2]
$ orion-sim compare pair-result.json --fail-on improved
orion-sim: compare: --fail-on: no fail-on is called 'improved' (there are: none, regressed, inconclusive)
[exit 2]

# Results that are none, or not whole.
$ head -c 2000 pair-result.json >short.json; orion-sim compare short.json
orion-sim: short.json* (glob)
[exit 2]
$ sed 's/"schema":"orion-sim.1"/"schema":"orion-sim\/2"/' pair-result.json >new.json; orion-sim compare new.json
orion-sim: new.json* (glob)
[exit 2]
