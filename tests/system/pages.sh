#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# pages.sh - first touches, the zero page and pages taken and given back: beside reads, in every kind of memory, with
# settings that are given back, and with workers that are killed while others wait for them.
. "$(dirname "$0")/common.sh"

cat >fault.json <<'END'
{"name": "fault", "settings": ["hugepages", "shmem_enabled"], "repeats": 1,
 "phases": {"warmup": "100ms", "measure": "500ms"},
 "points": [{"axes": {"as": ["threads", "processes"],
                      "streams[1].workload.order": ["sequential", "strided"],
                      "regions.shm.memory": ["base", {"kind": "mthp", "folio": "64k"}, "hugetlb", "thp"]},
             "regions": {"sga": {"memory": "base", "size": "16m"}, "shm": {"memory": "base", "size": "32m"}},
             "streams": [{"label": "reads", "workload": {"kind": "io", "depth": 8}, "engine": "null", "region": "sga"},
                         {"label": "touches", "workload": {"kind": "fault", "stride": "4m"}, "region": "shm",
                          "workers": 3, "pin": false}]}]}
END
cat >pages.json <<'END'
{"name": "pages", "repeats": 6, "phases": {"warmup": 0, "measure": "100ms"}, "counters": ["numa_hit", "thp_*"],
 "variants": [
   {"label": "on", "settings": [{"kind": "use_zero_page", "value": 1}, {"kind": "numa_stat", "value": 1},
                                {"kind": "thp_enabled", "value": "always"}]},
   {"label": "off", "settings": [{"kind": "use_zero_page", "value": 0}, {"kind": "numa_stat", "value": 0},
                                 {"kind": "thp_enabled", "value": "madvise"}]}],
 "points": [{"label": "both",
             "streams": [{"label": "zero", "workload": {"kind": "zeropage", "size": "64m"}, "as": "processes"},
                         {"label": "pages", "workload": "alloc"}]}]}
END

words() {
	cat $thp/enabled $thp/use_zero_page /proc/sys/vm/numa_stat 2>/dev/null
}
before="$(machine_state) $(words)"
as_before() {
	[ "$(machine_state) $(words)" = "$before" ]
}

"$orion" run ./fault.json --format none --progress none --output fault.out.json 2>fault.err
check "first touches beside reads" is $? 0
check "the settings are back" as_before
check "nothing failed" test "$(grep -c '"status":"failed"' fault.out.json)" -eq 0
check "a fault a page, or a folio" test "$(grep -o '"name":"taken_per_page"' fault.out.json | wc -l)" -gt 4

# Workers that wait for one that was killed, and a runner with rounds of a second that is told to stop.
workers_of() {
	local runner

	for runner in $(pgrep -P "$1"); do
		pgrep -P "$runner"
	done
}
have_workers() {
	[ "$(workers_of "$1" | wc -l)" -ge "$2" ]
}

"$orion" run ./fault.json --set 'points[0].axes={"as":["processes"]}' --set phases.measure=60s \
	--format none --progress none --output killed.json 2>killed.err &
pid=$!
check "workers are there" wait_until 20 have_workers $pid 3
sleep 0.3
kill -KILL "$(workers_of $pid | head -n 1)"
begin=$SECONDS
wait $pid
check "exit code of a killed worker" is $? 1
check "nobody waits for it" test $((SECONDS - begin)) -lt 20
check "it is told" has killed.json "the worker process was killed"
check "the settings are back then" as_before

for as in threads processes; do
	env --default-signal=INT "$orion" run ./fault.json --set "points[0].axes={\"as\":[\"$as\"]}" --set phases.measure=60s \
		--set points[0].regions.shm.size=1g --format none --progress none --output "$as.json" 2>"$as.err" &
	pid=$!
	sleep 2
	begin=$SECONDS
	kill -INT $pid
	wait $pid
	check "exit code of stopped $as" is $? 130
	check "stopped $as end soon" test $((SECONDS - begin)) -lt 20
	check "the settings are back after that" as_before
done

"$orion" run ./pages.json --format none --progress none --output pages.out.json 2>pages.err
check "settings of variants" is $? 0
check "they are given back" as_before
if [ -e /proc/sys/vm/numa_stat ]; then
	check "they were set" has pages.out.json '/proc/sys/vm/numa_stat'
fi

# Killed outright in the midst of it: the keeper gives them back.
"$orion" run ./pages.json --set phases.measure=20s --format none --progress none --output gone.json 2>gone.err &
pid=$!
differs() {
	! as_before
}
check "something is borrowed" wait_until 20 differs
kill -KILL $pid
wait $pid 2>/dev/null
check "the keeper gives it back" wait_until 20 as_before

finish
