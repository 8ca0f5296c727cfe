#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cgroup.sh - a control group with too little memory or too few processes: refused where it can be known,
# a failed repeat with its reason where not; the rest goes on and the result is whole.
. "$(dirname "$0")/common.sh"

groups=()
remove_groups() {
	for group in "${groups[@]}"; do
		rmdir "$group" 2>/dev/null
	done
}
trap remove_groups EXIT

# make_group CONTROLLER V1-FILE V2-FILE VALUE: sets group and file; 1 where the machine has no such controller.
make_group() {
	local controller=$1

	group=/sys/fs/cgroup/$controller/orion-test-$$ file=$2
	if ! mkdir "$group" 2>/dev/null; then
		group=/sys/fs/cgroup/orion-test-$$ file=$3
		grep -qw "$controller" /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || return 1
		mkdir "$group" || return 1
	fi
	groups+=("$group")
	file=$group/$file
	echo "$4" >"$file"
}

# run_inside NAME ARGUMENT…: NAME.json, .err
# shellcheck disable=SC2016 # for the inner shell
run_inside() {
	local name=$1

	shift
	bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' inside "$group" "$orion" run ./profile.json \
		--format none --progress none --output "$name.json" "$@" 2>"$name.err"
}

cat >profile.json <<'END'
{"name": "group", "repeats": 2, "phases": {"warmup": 0, "measure": "50ms"},
 "points": [{"regions": {"sga": {"memory": "base", "size": "16m"}},
             "streams": [{"workload": {"kind": "io", "depth": 8}, "engine": "null", "region": "sga"}]}]}
END

# A sanitizer's own memory must fit beside the regions.
limit=128
sanitized && limit=512
killed=$((limit * 1048576))
if make_group memory memory.limit_in_bytes memory.max ${limit}m; then
	[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
	run_inside memory --set "points[0].axes={\"size\":[\"16m\",$killed,\"1g\",\"17m\"]}"
	check "exit code where the kernel killed a runner" is $? 1
	check "the result is whole" json_has memory.json complete true
	check "what is known beforehand is refused with limit, need and command" has memory.json \
		"it needs 1G of memory and the control group may have ${limit}M: echo 1140850688 > $file"
	check "what is not is a failed repeat with limit and need" has memory.json \
		"the kernel killed the runner for want of memory: its regions have ${limit}M and the control group may have ${limit}M; raise $file"
	check "both repeats were tried" is "$(grep -o '"the kernel killed' memory.json | wc -l)" 3
	check "the points before and behind it are measured" is "$(grep -o '"index":[01],"status":"ok"' memory.json | wc -l)" 4
	check "no journal is left" test ! -e memory.json.journal
	check "the result can be read" "$orion" report memory.json >report.out
else
	echo "left out: there is no memory controller here"
fi

if make_group pids pids.max pids.max 20; then
	run_inside pids --set 'points[0].axes={"workers":[2,40]}'
	check "exit code where workers cannot be started" is $? 1
	check "which limit, and the command" has pids.json \
		"of 40 cannot be started: Resource temporarily unavailable; the control group may have 20 processes and threads: echo max > $file"
	check "fewer workers are measured" json_has pids.json status '"ok"'
	echo 1 >"$file"
	run_inside alone
	check "exit code where no runner can be started" is $? 1
	check "the runner's limit" has alone.json "the runner process cannot be started: Resource temporarily unavailable; the control group may have 1"
else
	echo "left out: there is no controller for processes here"
fi

# Killed by somebody else: not for want of memory.
"$orion" run ./profile.json --format none --output kill.json --set phases.measure=20s --set repeats=1 2>kill.err &
pid=$!
wait_until 10 pgrep -P $pid >/dev/null
sleep 0.3
pkill -KILL -P $pid
wait $pid
check "exit code where somebody killed the runner" is $? 1
check "memory is not blamed" has kill.json "the runner was killed by somebody (SIGKILL)"
finish
