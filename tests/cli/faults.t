# Workloads of the kernel experiments: first touches, the zero page, pages taken and given back.

$ cat >fault.json <<'END'
> {"name": "fault", "seed": "1", "repeats": 1, "phases": {"warmup": "50ms", "measure": "300ms"},
>  "reference": {"title": "elsewhere", "year": 2024, "hardware": "32 cores",
>                "rows": [{"label": "64K", "values": {"sys_s": 0.31}}]},
>  "points": [{"axes": {"as": ["threads", "processes"], "streams[0].workload.op": ["write", "read"]},
>    "regions": {"shm": {"memory": "base", "size": "8m"}},
>    "streams": [{"workload": {"kind": "fault"}, "workers": 2, "pin": false}]}]}
> END
$ orion-sim run ./fault.json --output fault.out.json >fault.txt 2>/dev/null
$ grep -c 'faults_per_sec_per_cpu  faults_per_sec  taken_per_page' fault.txt
1
$ grep '^threads write fault' fault.txt
threads write fault *  1.00  * (glob)
$ grep '^published' fault.txt
published: 64K *0.310 (glob)
$ grep '^Published' fault.txt
Published: elsewhere (2024), on 32 cores. That is another machine: compare the ratios, not the figures.
$ orion-sim report fault.out.json --format csv | sed -n 1p | grep -o 'user_s,sys_s,faults_per_sec_per_cpu,faults_per_sec'
user_s,sys_s,faults_per_sec_per_cpu,faults_per_sec

# Pages that every process shares can be dropped, not mapped anew.
$ orion-sim run ./fault.json --set 'points[0].streams[0].workload.renew=map' --output no.json
orion-sim: * processes cannot map their region anew for each other: say "renew": "drop", or "as": "threads" (glob)
[exit 2]
$ orion-sim plan ./fault.json --set 'reference.rows=3'
orion-sim: --set reference.rows: needs "rows", a list like [{"label": "64K", "values": {…}}]
[exit 2]
$ orion-sim plan ./fault.json --set 'reference.rows[0].values.sys_s=quick'
orion-sim: --set reference.rows[0].values.sys_s: must be a number
[exit 2]

$ cat >pages.json <<'END'
> {"name": "pages", "seed": "1", "repeats": 1, "phases": {"warmup": "0s", "measure": "100ms"},
>  "points": [
>    {"label": "zero", "streams": [{"workload": {"kind": "zeropage", "thp": "never"},
>                                   "workers": 2, "as": "processes", "pin": false}]},
>    {"label": "pages", "streams": [{"workload": "alloc", "pin": false}]}]}
> END
$ orion-sim run ./pages.json --output pages.out.json >pages.txt 2>/dev/null
# In the table of rates and in that of their own figures.
$ grep -E '^(zero|pages) +(fault|alloc) +[1-9]' pages.txt | wc -l
4
$ grep -c 'usemem_kbps: ' pages.txt
1
$ grep -c 'cycles_per_page: ' pages.txt
1
$ orion-sim run ./pages.json --set 'points[0].streams[0].workload.step=2g' --output no.json
orion-sim: * step 2G is more than size 1G (glob)
[exit 2]

$ orion-sim list workload alloc | tail -n 6
    counts alloc (page), release (page)
    cycles_per_page      time stamp counter's cycles * (glob)
...
    tsc_mhz              rate of the time stamp counter while pages were taken (MHz)
$ orion-sim list metric pages_per_sec
  pages_per_sec        pages taken and given back per second * of workload alloc (glob)
$ orion-sim list setting use_zero_page | head -n 3
use_zero_page: the huge zero page on or off, while we run
    parameter * (glob)
    value * (glob)

# The kernel's own benchmark: where there is none, and one that is a folder.
$ cat >kernel.json <<'END'
> {"name": "kernel", "seed": "1", "repeats": 1, "phases": {"warmup": "0s", "measure": "50ms"},
>  "points": [{"label": "pairs", "streams": [{"pin": false, "workload": {"kind": "alloc",
>    "mode": "kernel", "debugfs": "./fake"}}]}]}
> END
$ orion-sim run ./kernel.json --output skipped.json 2>&1 | tr -s ' \n' ' ' | grep -o 'there is no ./fake/run: mode kernel takes a kernel with orion_pagebench (.*/sys/kernel/debug)'
there is no ./fake/run: mode kernel takes a kernel with orion_pagebench (scripts/lab/lab build --patches numa-threshold; modprobe orion_pagebench where it is a module) and debugfs (mount -t debugfs none /sys/kernel/debug)
$ mkdir fake && : >fake/run
$ echo '{"tsc_khz": 2000000, "cpus": [{"pairs": 3000, "cycles": 1201500, "failures": 0}]}' >fake/result
$ orion-sim run ./kernel.json --output kernel.out.json 2>/dev/null | grep -c 'cycles_per_page.*pages_per_sec'
1
$ grep -o '"mean_ns": *200.25' kernel.out.json | tr -d ' '
"mean_ns":200.25
$ cat fake/run
start 0
stop
$ orion-sim run ./kernel.json --set 'points[0].streams[0].workers=2' --output no.json
orion-sim: * mode kernel is driven by one worker, not 2: how many CPUs work is told by 'cpus' (glob)
[exit 2]
