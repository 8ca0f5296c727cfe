# Workers as processes, streams without an engine, regions as a share of memory.

$ orion-sim list workload touch
touch: one cache line of random pages, as sessions touch buffers of the SGA
    parameter  preset  allowed       meaning
    op         read    read | write  what is done to the line: loaded, or loaded and stored
    batch      64      1 … 65536     pages a step, timed together
    populate   true    true | false  touch every page of the region before, so that no touch is a first one
    counts touch (page)
$ orion-sim list axis as
as: what the workers of every stream are: threads or processes
    stands for streams[*].as
$ orion-sim list metric page_table_bytes
  page_table_bytes     growth of the machine's page tables * (glob)

$ orion-sim plan page-tables --set seed=7 | grep -c ' base  .* 500 '
1

$ cat >touch.json <<'END'
> {"name": "touch", "seed": "1", "repeats": 1, "phases": {"warmup": "50ms", "measure": "200ms"},
>  "points": [{"axes": {"as": ["threads", "processes"]},
>    "regions": {"sga": {"memory": "base", "size": "16m"}},
>    "streams": [{"label": "sessions", "workload": "touch", "workers": 4, "pin": false}]}]}
> END
$ orion-sim run ./touch.json --output out.json >text 2>/dev/null
$ grep -o '^4 sessions on 16M of shared memory: [0-9]' text
4 sessions on 16M of shared memory: * (glob)
$ grep -c '"page_tables"' out.json
1
$ grep -c '"engine": *null' out.json
...
$ orion-sim plan ./touch.json --set 'points[0].axes.as=["fibres"]'
orion-sim: * no as is called 'fibres' (there are: threads, processes) (glob)
[exit 2]
$ orion-sim plan ./touch.json --set pmu=maybe
orion-sim: --set pmu: no pmu is called 'maybe' (there are: auto, off)
[exit 2]
