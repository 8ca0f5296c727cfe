#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# traps.sh - what other tools stumble over and only the whole program on a real kernel can show; the table in
# tests/traps.md says which trap is tested where.
. "$(dirname "$0")/common.sh"

"$orion" prepare target --size 64m >prepare.out 2>&1 || skip "no file can be prepared here"
cat >profile.json <<'END'
{"name": "traps", "repeats": 1, "phases": {"warmup": 0, "measure": "1500ms"},
 "points": [{"regions": {"sga": {"memory": "base", "size": "16m"}},
             "streams": [{"workload": {"kind": "io", "depth": 8}, "engine": "null", "region": "sga"}]}]}
END

# measure NAME ARGUMENT…: NAME.json, .err
measure() {
	local name=$1

	shift
	"$orion" run ./profile.json --format none --progress none --output "$name.json" "$@" 2>"$name.err"
}

# value FILE KEY: the first of that name.
value() {
	grep -o "\"$2\": *[-0-9.e+]*" "$1" | head -n 1 | sed 's/.*: *//'
}

# Every engine is one point.
engines='points[0].axes={"engine":["io_uring","libaio","sync",{"kind":"io_uring","registered_buffers":true}]}'

# A.1 Many workers need one System V segment, not one each.
# shellcheck disable=SC2016 # for the inner shell
segment() {
	unshare --ipc bash -c 'echo 4 >/proc/sys/kernel/shmmni && exec "$@"' segment "$orion" run ./profile.json \
		--format none --progress none --output segment.json --set 'settings=["hugepages"]' \
		--set 'points[0].regions.sga.memory=hugetlb' --set 'points[0].streams[0].workers=8' \
		--set phases.measure=50ms 2>segment.err
}
if unshare --ipc true 2>/dev/null; then
	segment
	check "eight workers where four segments are allowed" is $? 0
	check "they were measured" json_has segment.json status '"ok"'
else
	echo "left out: there are no IPC namespaces here"
fi

# D.2 Calls that are interrupted: stopped and continued, again and again.
measure stopped --target target --set "$engines" &
pid=$!
for _ in $(seq 150); do
	for process in $(pgrep -P $pid); do
		kill -STOP "$process" 2>/dev/null
		kill -CONT "$process" 2>/dev/null
	done
	sleep 0.02
done
wait $pid
check "a runner that is stopped and continued" is $? 0
check "no point failed" is "$(grep -c '"status":"failed"' stopped.json)" 0
check "nothing was lost" sh -c "! grep -q '\"errors\": *[1-9]' stopped.json"

# D.5 More in flight than any default completion queue holds.
measure deep --target target --set "$engines" --set phases.measure=200ms \
	--set 'points[0].streams[0].workload.depth=4096' --set 'points[0].streams[0].workload.block=4k'
check "4096 in flight" is $? 0
check "no point of depth failed" is "$(grep -c '"status":"failed"' deep.json)" 0

# E.6 The clock ends a phase, however slow the I/O: at most one I/O later.
start=$EPOCHREALTIME
measure slow --set phases.measure=300ms --set 'points[0].streams[0].engine={"kind":"null","service_time":"1s"}' \
	--set 'points[0].streams[0].workload.depth=4'
check "I/O that is slower than the phase" is $? 0
check "the phase ends all the same" awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit !(b - a < 5) }'
check "and is as long as asked, or one I/O more" awk -v d="$(value slow.json duration_s)" \
	'BEGIN { exit !(d >= 0.299 && d <= 1.5) }'

# E.11 A kernel thread that submits costs CPU, too.
measure poller --target target --set 'points[0].streams[0].engine={"kind":"io_uring","poll":"sqpoll"}'
if [ "$(value poller.json ops)" ] && json_has poller.json status '"ok"' >/dev/null; then
	check "the poller's CPU is in the runner's" awk -v own="$(value poller.json cpu_us)" \
		-v all="$(value poller.json runner_cpu_us)" 'BEGIN { exit !(all > 1.3 * own) }'
else
	echo "left out: there is no submission by polling here"
fi

# E.14 What was done is counted, not what was asked: a run ended early has fewer bytes and a shorter duration.
env --default-signal=INT "$orion" run ./profile.json --format none --output early.json --set phases.measure=20s 2>early.err &
pid=$!
sleep 1.5
kill -INT $pid
wait $pid
check "exit code of a run ended early" is $? 130
check "its duration is what was measured" awk -v d="$(value early.json duration_s)" 'BEGIN { exit !(d > 0.3 && d < 10) }'
tr -d '\n' <early.json | sed 's/.*"classes"//' >early.class
check "bytes are operations times block" awk -v o="$(value early.class ops)" -v b="$(value early.class bytes)" \
	'BEGIN { exit !(o > 0 && b == o * 8192) }'

# H.4 A thousand files: every one is opened, registered and read.
mkdir many
for i in $(seq 1000); do
	echo "$i" >"many/$i"
done
truncate -s 64k many/*
many=$(seq -f '--target=many/%g' 1000)
# shellcheck disable=SC2086
measure many $many --set allow_unwritten=true --set "$engines" --set phases.measure=200ms
check "a thousand targets" is $? 0
check "no point of targets failed" is "$(grep -c '"status":"failed"' many.json)" 0
check "files are registered" has many.json "registered files"

# H.3 A node that is not there is refused, not ignored.
measure node --set 'points[0].regions.sga.numa={"kind":"preferred","nodes":"99"}' --set phases.measure=50ms
check "a node that is not there" is $? 2
check "it is named" has node.err "99"
check "nothing was begun" test ! -e node.json
finish
