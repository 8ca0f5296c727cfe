#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# io_errors.sh - a loop device whose backing file shrinks under it: EIO is a failed repeat with its place.
. "$(dirname "$0")/common.sh"

"$orion" prepare backing --size 64m >prepare.out 2>&1 || skip "no file can be prepared here"
loop=$(losetup --find --show --direct-io=on backing 2>/dev/null) || skip "there is no loop device here"

detach() {
	[ -z "$loop" ] || losetup -d "$loop"
	loop=''
}
trap detach EXIT

cat >profile.json <<'END'
{"name": "errors", "repeats": 2, "phases": {"warmup": 0, "measure": "500ms"},
 "points": [{"axes": {"engine": ["io_uring", "libaio", "sync"]},
             "regions": {"sga": {"memory": "base", "size": "16m"}},
             "streams": [{"workload": {"kind": "io", "depth": 8}, "engine": "sync", "region": "sga"}]}]}
END

"$orion" run ./profile.json --target "$loop" --output good.json >good.out 2>good.err
check "a sound device" is $? 0

truncate -s 32m backing
"$orion" run ./profile.json --target "$loop" --output bad.json >bad.out 2>bad.err
check "exit code where all failures are I/O errors" is $? 4
check "the result is whole" json_has bad.json complete true
check "the place is named" has bad.json "read of 8192 bytes at offset"
check "the device is named" has bad.json "$loop"
check "the cause is named" has bad.json "Input/output error"
check "no journal is left" test ! -e bad.json.journal

# Errors that are allowed are counted and do not fail the point.
"$orion" run ./profile.json --target "$loop" --output allowed.json \
	--set 'points[0].streams[0].workload.errors_max=1000000000' >allowed.out 2>allowed.err
check "errors that are allowed" is $? 0
check "they are counted" json_has allowed.json errors '[1-9]'

# One bad target among good ones: it is named, and no other.
"$orion" prepare sound --size 64m >prepare.out 2>&1
"$orion" run ./profile.json --target sound --target "$loop" --output mixed.json >mixed.out 2>mixed.err
check "exit code of one bad target among good ones" is $? 4
check "the bad one is named" has mixed.json "of $loop: Input/output error"
check "the good one is not blamed" sh -c '! grep -q "of sound:" mixed.json'
"$orion" run ./profile.json --target sound --target "$loop" --output mixed_allowed.json \
	--set 'points[0].streams[0].workload.errors_max=1000000000' >mixed.out 2>mixed.err
check "the good ones are read on where errors are allowed" is $? 0
check "and both are counted" sh -c \
	'grep -q "\"errors\": *[1-9]" mixed_allowed.json && grep -q "\"ops\": *[1-9]" mixed_allowed.json'

# Points that do not touch the bad target are measured; the exit code is that of what failed.
"$orion" run ./profile.json --output apart.json --set "points[0].axes={\"streams[0].targets\": [[\"sound\"], [\"$loop\"]]}" \
	>apart.out 2>apart.err
check "exit code of points apart" is $? 4
check "one point is measured" json_has apart.json status '"ok"'
check "one is not" json_has apart.json status '"failed"'

# A file that shrinks after it was checked: the range is still asked for.
"$orion" prepare shrinks --size 64m >prepare.out 2>&1
"$orion" run ./profile.json --target shrinks --set phases.measure=3s --set repeats=1 \
	--set 'points[0].axes.engine=["libaio"]' --output shrunk.json >shrunk.out 2>shrunk.err &
pid=$!
sleep 1
truncate -s 1m shrinks
wait "$pid"
check "exit code of a target that shrinks" is $? 4
check "it says so" has shrunk.json "has shrunk"
detach
finish
