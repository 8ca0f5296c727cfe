#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# faults.sh - calls that fail or fall short on a schedule, clocks that step: counted, made good, or told.
shim=$(realpath "${2:?}")
. "$(dirname "$0")/common.sh"

"$orion" prepare data --size 64m >prepare.out 2>&1 || skip "no file can be prepared here"

cat >profile.json <<'END'
{"name": "faults", "repeats": 1, "phases": {"warmup": 0, "measure": "300ms"},
 "points": [{"regions": {"sga": {"memory": "base", "size": "16m"}},
             "streams": [{"workload": {"kind": "io", "depth": 8}, "engine": "sync", "region": "sga"}]}]}
END

# run_under FAULTS ENGINE [SETTING…]: leaves out.json, out.txt, the exit code in $code.
run_under() {
	local faults=$1 engine=$2 options=()

	shift 2
	for setting; do
		options+=(--set "$setting")
	done
	rm -f out.json
	ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 LD_PRELOAD=$shim ORION_FAULTS=$faults \
		timeout -k 5 60 "$orion" run ./profile.json --target data --output out.json \
		--set "points[0].streams[0].engine=$engine" "${options[@]}" >out.txt 2>out.err
	code=$?
}

# count KEY: what the tally of the only class says.
count() {
	grep -o "\"$1\": \?[0-9]*" out.json | head -n 1 | grep -o '[0-9]*$'
}

declare -A engines=(
	[ring]='"io_uring"'
	[polled]='{"kind":"io_uring","poll":"sqpoll"}'
	[aio]='{"kind":"libaio","userspace_reap":false}'
	[sync]='"sync"'
)
workload='points[0].streams[0].workload'

# The thread that polls for the workers is told apart from them, not left out.
run_under '' "${engines[polled]}"
check "exit code without faults" is $code 0
check "the report shows what the poller costs" has out.txt "of which rest"
check "the flags in force are told" has out.json "SQPOLL (idle 1000 ms without DEFER_TASKRUN"

# Nothing is seen of a call that is made again, or that took a part.
while read -r faults engine; do
	run_under "$faults" "${engines[$engine]}"
	check "exit code under $faults" is $code 0
	check "no error under $faults" is "$(count errors)" 0
	check "I/Os under $faults" test "$(count ops)" -gt 100
	check "no I/O is issued twice under $faults" is "$(count retries)" 0
done <<'END'
io_submit=EINTR/3 aio
io_submit=EAGAIN/4 aio
io_submit=short/2 aio
io_submit=short/2,io_submit=EAGAIN/5,io_getevents=EINTR/3 aio
io_getevents=EINTR/2 aio
preadv2=EINTR/3 sync
uring=EINTR/3 ring
uring=EAGAIN/4 ring
uring=EBUSY/5 ring
uring=short/2 ring
uring=short/2,uring=EINTR/3,uring=EAGAIN/5 ring
uring=EINTR/3,uring=EAGAIN/4 polled
END

# EAGAIN for one I/O: issued again and counted; a part of it: counted and continued.
while read -r place engine; do
	run_under "$place=EAGAIN/20" "${engines[$engine]}"
	check "exit code under EAGAIN of $place" is $code 0
	check "EAGAIN of $place is counted" test "$(count retries)" -gt 0
	check "EAGAIN of $place is no error" is "$(count errors)" 0
	run_under "$place=short/20" "${engines[$engine]}"
	check "exit code under short $place" is $code 0
	check "short $place is counted" test "$(count shorts)" -gt 0
	check "short $place is no error" is "$(count errors)" 0
	run_under "$place=EIO/50" "${engines[$engine]}"
	check "exit code under EIO of $place" is $code 4
	check "EIO of $place names the place" has out.json "read of 8192 bytes at offset"
	check "EIO of $place names the cause" has out.json "data: Input/output error"
	check "the result under EIO of $place is whole" json_has out.json complete true
	run_under "$place=EIO/50" "${engines[$engine]}" "$workload.errors_max=1000000000"
	check "exit code where EIO of $place is allowed" is $code 0
	check "EIO of $place is counted" test "$(count errors)" -gt 0
	check "the report warns of EIO of $place" has out.txt "operations failed for good"
	run_under "$place=EAGAIN/1" "${engines[$engine]}" "$workload.retries_max=5"
	check "exit code under EAGAIN of $place for ever" is $code 4
	check "EAGAIN of $place for ever is told" has out.json "temporarily unavailable"
done <<'END'
event aio
preadv2 sync
completion ring
completion polled
END

# Refused for ever: no hang, a failed repeat with a sentence, not taken for a bad disk.
while read -r faults engine words; do
	run_under "$faults" "${engines[$engine]}"
	check "exit code under $faults for ever" is $code 1
	check "$faults for ever is told" has out.json "$words"
	check "the result under $faults is whole" json_has out.json complete true
done <<'END'
io_submit=EAGAIN/1 aio submit: Resource temporarily unavailable
uring=EBUSY/1 ring reap: Device or resource busy
uring=ENOMEM/1 ring reap: Cannot allocate memory
END

# A submission that is refused for good is that of one I/O.
run_under io_submit=EIO/50 "${engines[aio]}"
check "exit code under EIO of io_submit" is $code 4

# The clock steps in the middle of the measurement.
while read -r clock engine; do
	run_under "clock=$clock" "${engines[$engine]}" phases.measure=2s
	check "exit code under clock=$clock" is $code 0
	check "I/Os under clock=$clock" test "$(count ops)" -gt 100
	check "a step of clock=$clock is told" has out.txt "the clock stepped"
	check "no latency beyond belief under clock=$clock" is "$(count overflow)" 0
	check "the report of clock=$clock can be read again" "$orion" report out.json >report.txt
done <<'END'
-500/1200 ring
-500/1200 sync
3000/1200 ring
3600000/1200 aio
END
finish
