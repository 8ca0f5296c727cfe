#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# spawn.sh - processes that fail, are killed or cannot be started: a sentence and a row, the rest goes on; and
# nothing is left, neither of a run that was stopped nor of one that was killed.
. "$(dirname "$0")/common.sh"

groups=()
remove_groups() {
	for group in "${groups[@]}"; do
		rmdir "$group" 2>/dev/null
	done
}
trap remove_groups EXIT

mkdir folder bin
cat >profile.json <<END
{"name": "spawn", "settings": ["hugepages"], "repeats": 1, "phases": {"warmup": 0, "measure": "300ms"},
 "points": [{"regions": {"sga": {"memory": "hugetlb", "size": "16m"}},
             "streams": [{"label": "reads", "workload": {"kind": "io", "depth": 8}, "engine": "null", "region": "sga"},
                         {"label": "jobs", "workload": {"kind": "spawn", "folder": "$PWD/folder"},
                          "as": "processes", "pin": false}]}]}
END
job='points[0].streams[1].workload'

# measure NAME ARGUMENT…: NAME.json, .err
measure() {
	local name=$1

	shift
	"$orion" run ./profile.json --format none --progress none --output "$name.json" "$@" 2>"$name.err"
}

# Processes and files of ours.
left_over() {
	ls -A folder
	pgrep -f "$PWD/"
}
all_gone() {
	[ -z "$(left_over)" ]
}
nothing_left() {
	wait_until 10 all_gone || {
		left_over | sed 's/^/    /'
		return 1
	}
}

before=$(machine_state)

# Side by side, whatever the jobs are.
measure beside --set phases.measure=1s --set "points[0].axes={\"streams[1].workload.op\":[\"fork\",\"vfork\",\"posix_spawn\",\"exec\",\"shell\"]}"
check "reads beside every kind of job" is $? 0
check "all were measured" is "$(grep -o '"class":"[a-z]*","iops":[1-9]' beside.json | cut -d'"' -f4 | sort -u | tr '\n' ' ')" \
	"exec read shell spawn "
check "nothing is left of them" nothing_left

# A compiler and a calculator that are not there: skipped with the package, the rest is measured.
measure missing --set "$job.path=/nowhere" --set "points[0].axes={\"streams[1].workload.op\":[\"compile\",\"dc\",\"fork\"]}"
check "missing programs: the rest is measured" is $? 0
check "no cc" has missing.json "there is no program cc in /nowhere: as root, apt-get install gcc libc6-dev"
check "no dc" has missing.json "there is no program dc in /nowhere: as root, apt-get install dc"
check "both rows stay" is "$("$orion" report missing.json | grep -c ' skipped, because ')" 2
measure only --set "$job.path=/nowhere" --set "$job.op=dc"
check "nothing else was asked for: exit 3" is $? 3

# Programs that fail, now and then or always.
stand_in() {
	printf '#!/bin/sh\n%s\n' "$1" >bin/dc
	chmod 0755 bin/dc
}
own=(--set "$job.op=dc" --set "$job.path=$PWD/bin:/usr/bin:/bin")
stand_in "echo x >>'$PWD/count'; [ \$(wc -l <'$PWD/count') -ne 2 ] || { echo 'no more roots' >&2; exit 7; }"
measure sometimes "${own[@]}" --set phases.measure=2s --set "$job.errors_max=3"
check "one failure of many, as allowed" is $? 0
check "it is counted" json_has sometimes.json errors 1
check "its sentence stays" has sometimes.json "dc ended with status 7: no more roots"
"$orion" report sometimes.json >report.out
check "the report tells how many" has report.out "operations failed for good: 1 at"
check "the report tells why" has report.out "dc ended with status 7"
stand_in "echo 'no more roots' >&2; exit 7"
measure never "${own[@]}"
check "a failure that is not allowed" is $? 1
check "it is the reason" has never.json "stream jobs, worker 0: dc ended with status 7: no more roots"
check "settings after it" is "$(machine_state)" "$before"
# shellcheck disable=SC2016 # for the script
stand_in 'kill -KILL $$'
measure killed "${own[@]}"
check "children that are killed" is $? 1
check "by which signal" has killed.json "dc was killed (SIGKILL)"
stand_in "sleep 1000 & sleep 1000"
measure slow "${own[@]}" --set "$job.limit=100ms"
check "children that do not end" is $? 1
check "after how long" has slow.json "dc did not end within 100ms and was killed"
check "nothing is left of them" nothing_left

# Stopped or killed in the middle of scripts.
has_begun() {
	[ -d "$(echo folder/orion-spawn-*/0)" ]
}
stop() {
	local name=$1 signal=$2 whom=$3 pid runner

	# A shell without job control starts what runs behind with SIGINT ignored.
	env --default-signal=INT "$orion" run ./profile.json --format none --progress none --output "$name.json" \
		--set phases.measure=60s --set "$job.op=shell" --set "$job.at_once=8" 2>"$name.err" &
	pid=$!
	wait_until 10 has_begun
	sleep 0.5
	runner=$(pgrep -P "$pid" -x orion-runner)
	case $whom in
	program) kill -s "$signal" "$pid" ;;
	runner) kill -s "$signal" "$runner" ;;
	worker) kill -s "$signal" "$(pgrep -P "$runner" -x orion-worker)" ;;
	esac
	# The shell would tell of the signal.
	{ wait "$pid"; } 2>/dev/null
}
stop interrupted INT program
check "exit code of SIGINT" is $? 130
check "nothing is left of SIGINT" nothing_left
check "settings after SIGINT" is "$(machine_state)" "$before"
stop terminated TERM program
check "exit code of SIGTERM" is $? 143
check "nothing is left of SIGTERM" nothing_left
stop lost KILL runner
check "exit code where the runner was killed" is $? 1
check "nothing is left of a killed runner" nothing_left
check "settings after a killed runner" is "$(machine_state)" "$before"
stop orphaned KILL worker
check "exit code where a worker was killed" is $? 1
check "whose end is the reason" has orphaned.json "stream jobs, worker 0: the worker process was killed (SIGKILL)"
check "nothing is left of a killed worker" nothing_left
stop dead KILL program
check "exit code of SIGKILL" is $? 137
check "nothing is left of SIGKILL" nothing_left
given_back() {
	[ "$(machine_state)" = "$before" ]
}
check "settings after SIGKILL" wait_until 10 given_back

# Limits that root is exempt from.
if enter_public_folder; then
	# As if installed, since the folders above this one may be closed to others.
	theirs=$(mktemp -d)
	mkdir -p "$theirs/bin" "$theirs/libexec/orion-sim" "$theirs/work"
	cp "$orion" "$theirs/bin/orion-sim"
	cp -R "$(dirname "$0")/../../orion-sim/workload/spawn" "$theirs/libexec/orion-sim/spawn"
	chmod -R a+rX "$theirs" && chmod 0777 "$theirs/work"
	sed "s/\"settings\": \[[^]]*\], //; s/\"hugetlb\"/\"base\"/; s|$scratch/folder|$theirs/work|" ../profile.json >profile.json
	chmod 0644 profile.json
	nobody prlimit --nproc=3 ./orion-sim run ./profile.json --format none --progress none --output fork.json \
		--set "$job.op=fork" 2>fork.err
	check "no process can be started" is $? 1
	check "which limit, and the command" has fork.json \
		"cannot be started: Resource temporarily unavailable; RLIMIT_NPROC is 3 for all that this user runs: ulimit -u unlimited"
	nobody "$theirs/bin/orion-sim" run ./profile.json --format none --progress none --output user.json \
		--set "$job.op=shell" --set "$job.at_once=2" 2>user.err
	code=$?
	check "another user measures scripts" is $code 0
	[ $code -eq 0 ] || grep -ho '"reason":.*' user.err user.json
	check "nothing is left in the folder" rmdir "$theirs/work"
	rm -rf "$theirs"
	cd ..
else
	echo "left out: another user cannot reach $scratch"
fi

# make_group CONTROLLER V1-FILE V2-FILE VALUE: sets group and file; 1 where the machine has no such controller.
make_group() {
	local controller=$1

	group=/sys/fs/cgroup/$controller/orion-spawn-$$ file=$2
	if ! mkdir "$group" 2>/dev/null; then
		group=/sys/fs/cgroup/orion-spawn-$$ file=$3
		grep -qw "$controller" /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || return 1
		mkdir "$group" || return 1
	fi
	groups+=("$group")
	file=$group/$file
	echo "$4" >"$file"
}
# shellcheck disable=SC2016 # for the inner shell
run_inside() {
	local name=$1

	shift
	bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' inside "$group" "$orion" run ./profile.json \
		--format none --progress none --output "$name.json" "$@" 2>"$name.err"
}

# A control group with too little memory.
limit=128
sanitized && limit=512
if make_group memory memory.limit_in_bytes memory.max ${limit}m; then
	[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
	run_inside ballast --set "points[0].axes={\"streams[1].workload.ballast\":[\"1g\",\"1m\"]}"
	check "ballast beyond the group: the rest is measured" is $? 0
	check "need, limit, command" has ballast.json \
		"ballast of 1 workers: it needs 1G of memory and the control group may have ${limit}M: echo"
	# A child needs a page of its own for each that it writes to.
	run_inside children --set phases.measure=20s --set "$job.ballast=$((limit * 3 / 5))m" --set "$job.dirty=$((limit * 3 / 5))m"
	check "children that the group has no memory for" is $? 1
	check "they were killed" has children.json "killed (SIGKILL)"
	check "and the result is whole" json_has children.json complete true
	check "settings after it" is "$(machine_state)" "$before"
	check "nothing is left of it" nothing_left
else
	echo "left out: there is no memory controller here"
fi

# A control group with too few processes.
if make_group pids pids.max pids.max 8; then
	run_inside pids --set "$job.op=shell" --set "$job.at_once=8"
	check "too many children for the group" is $? 1
	check "which limit" has pids.json "the control group may have 8 processes and threads: echo max > $file"
	check "nothing is left of them" nothing_left
else
	echo "left out: there is no controller for processes here"
fi
finish
