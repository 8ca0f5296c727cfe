#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cpuset.sh - fewer CPUs than workers, and fewer than the machine has: only those allowed are used.
. "$(dirname "$0")/common.sh"

[ "$(nproc)" -ge 2 ] || skip "this machine has one CPU"
last=$(taskset -pc $$ | sed 's/.*[-,: ]//')
group=/sys/fs/cgroup/cpuset/orion-test-$$
trap 'rmdir "$group" 2>/dev/null' EXIT

cat >profile.json <<'END'
{"name": "cpus", "repeats": 1, "phases": {"warmup": 0, "measure": "2s"},
 "points": [{"regions": {"sga": {"memory": "base", "size": "16m"}},
             "streams": [{"workload": {"kind": "io", "depth": 8}, "engine": "null", "region": "sga", "workers": 5}]}]}
END

# The CPUs that every thread of a running orion-sim and of what it started may use, a line each.
threads() {
	local pid=$1 process

	for process in "$pid" $(pgrep -P "$pid"); do
		grep -h Cpus_allowed_list "/proc/$process/task/"*/status 2>/dev/null | cut -f 2
	done
}

enough_threads() {
	threads "$1" >seen && [ "$(grep -c . seen)" -ge 7 ]
}

# watch_run NAME COMMAND…: runs it and looks at its threads meanwhile.
watch_run() {
	local name=$1 pid

	shift
	"$@" run ./profile.json --format none --progress none --output "$name.json" 2>"$name.err" &
	pid=$!
	check "its threads were seen: $name" wait_until 2 enough_threads $pid
	check "none of them may use another CPU: $name" is "$(sort -u seen)" "$last"
	wait $pid
}

watch_run taskset taskset -c "$last" "$orion"
check "five workers on one CPU of an affinity" is $? 0
check "the result says how many are allowed" json_has taskset.json cpus_allowed 1

first=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
taskset -c "$last" "$orion" run ./profile.json --format none --output named.json \
	--set "points[0].streams[0].cpus=\"$first\"" 2>named.err
check "a CPU that is not allowed is no crash" test $? -ge 1 -a $? -le 3
cat named.json named.err >named.txt 2>/dev/null
check "it is named, and those that are" has named.txt "CPU $first is none of those this process may use ($last)"

if mkdir "$group" 2>/dev/null && cat /sys/fs/cgroup/cpuset/cpuset.mems >"$group/cpuset.mems" &&
	echo "$last" >"$group/cpuset.cpus"; then
	# shellcheck disable=SC2016 # for the inner shell
	watch_run cpuset bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' inside "$group" "$orion"
	check "five workers in a cpuset of one CPU" is $? 0
			check "the result says so" json_has cpuset.json cpus_allowed 1
else
	echo "left out: there is no cpuset controller of version 1 here"
fi
finish
