#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# limits.sh - limits of the process, of the kernel and of an IPC namespace: one sentence that names the
# limit, its value, the need and the command; what is not concerned is measured all the same.
. "$(dirname "$0")/common.sh"

cat >profile.json <<'END'
{"name": "limits", "phases": {"warmup": 0, "measure": "50ms"},
 "points": [{"regions": {"sga": {"memory": "base", "size": "16m"}},
             "streams": [{"workload": {"kind": "io", "depth": 8}, "engine": "null", "region": "sga"}]}]}
END

# measure BINARY NAME ARGUMENT…: NAME.json, .err; nothing on standard output.
measure() {
	local binary=$1 name=$2

	shift 2
	"$binary" run ./profile.json --format none --progress none --output "$name.json" "$@" 2>"$name.err"
}

both='points[0].axes={"engine":["%s","null"]}'

# Kernel-wide limits. A run goes on with the points that can be had.
aio=/proc/sys/fs/aio-max-nr
"$orion" prepare target --size 16m >prepare.out 2>&1 || skip "no file can be prepared here"
with_setting $aio 100 measure "$orion" aio --target target --set "${both/\%s/libaio}" \
	--set 'points[0].streams[0].workers=20'
check "too few asynchronous requests: the rest is measured" is $? 0
check "need, limit and command" has aio.json \
	"needs 160 asynchronous requests, but fs.aio-max-nr allows 100 on this machine"
check "the command" has aio.json "sysctl fs.aio-max-nr="

disabled=/proc/sys/kernel/io_uring_disabled
if [ -e $disabled ]; then
	with_setting $disabled 2 measure "$orion" ring --target target --set "${both/\%s/io_uring}"
	check "io_uring is off: the rest is measured" is $? 0
	check "io_uring is off" has ring.json \
		"kernel.io_uring_disabled=2; as root: sysctl kernel.io_uring_disabled=0, or use the engine libaio"
	with_setting $disabled 2 measure "$orion" ringonly --target target --set 'points[0].streams[0].engine=io_uring'
	check "nothing else was asked for: exit 3" is $? 3
else
	echo "left out: this kernel cannot forbid io_uring (Linux 6.6)"
fi

# Limits of System V segments; in a namespace of its own a run meets them at once.
# shellcheck disable=SC2016 # for the inner shell
segments() {
	unshare --ipc bash -c 'file=/proc/sys/kernel/$1; shift; echo "$1" >"$file" && shift && exec "$@"' \
		segments "$1" "$2" "$orion" run ./profile.json --format none --progress none --output "$1.json" \
		--set 'settings=["hugepages"]' --set 'points[0].axes={"memory":["hugetlb","base"]}' 2>"$1.err"
}
if unshare --ipc true 2>/dev/null; then
	before=$(machine_state)
	segments shmmni 0
	check "no segment is free: the rest is measured" is $? 0
	check "shmmni" has shmmni.json "0 exist and kernel.shmmni is 0: sysctl kernel.shmmni=4096"
	check "huge pages are not to blame" sh -c "! grep -q 'free 2M huge pages' shmmni.json"
	segments shmmax 1000000
	check "a segment is too large: the rest is measured" is $? 0
	check "shmmax" has shmmax.json "(1000000 bytes, needed 16777216): sysctl kernel.shmmax=16777216"
	segments shmall 100
	check "all segments are too large: the rest is measured" is $? 0
	check "shmall" has shmall.json "needs 4096 more and kernel.shmall is 100: sysctl kernel.shmall=4096"
	check "huge pages are given back" is "$(machine_state)" "$before"
else
	echo "left out: there are no IPC namespaces here"
fi

# Open files: the soft limit is raised as far as it may be.
for i in $(seq 40); do
	cp target "t$i"
done
many=$(seq -f '--target=t%g' 40)
# shellcheck disable=SC2086
(ulimit -Sn 32 && measure "$orion" soft $many --set 'points[0].streams[0].engine=sync')
check "a soft limit on open files is raised" is $? 0
# shellcheck disable=SC2086
(ulimit -n 32 && measure "$orion" files $many --set 'points[0].streams[0].engine=sync')
check "too few open files: nothing is started" is $? 3
check "limit, need, command" has files.err "40 targets need 72 open files, and RLIMIT_NOFILE allows 32: as root: ulimit -n 72"
check "no result and no journal" sh -c "! ls files.json* 2>/dev/null"
(ulimit -n 64 && measure "$orion" rings --target target --set 'points[0].streams[0].engine=io_uring' \
	--set 'points[0].streams[0].workers=100')
check "too few files for queues" is $? 1
check "the limit on queues" has rings.json "RLIMIT_NOFILE is 64"
check "the command for queues" has rings.json "ulimit -n"
check "a result all the same" "$orion" report rings.json >report.out

# Address space.
if sanitized; then
	echo "left out: a sanitizer needs more address space than these limits"
else
	(ulimit -v 60000 && measure "$orion" space --set 'points[0].axes={"size":["16m","256m"]}')
	check "no address space for one point" is $? 1
	check "one point failed" has space.json \
		"no address space for 256M: Cannot allocate memory; RLIMIT_AS is 58.6M: ulimit -v unlimited"
	check "the other is measured" json_has space.json status '"ok"'
	(ulimit -v 60000 && measure "$orion" threads --set 'points[0].streams[0].workers=64')
	check "no address space for threads" is $? 1
	check "which limit stood in their way" has threads.json "RLIMIT_AS is 58.6M: ulimit -v unlimited"
fi

# Limits that root is exempt from.
if enter_public_folder; then
	cp ../profile.json ../target .
	chmod 0644 profile.json target
	sized='points[0].streams[0].engine={"kind":"io_uring","registered_buffers":true}'
	run_as_nobody() {
		local name=$1 limit=$2

		shift 2
		nobody prlimit "$limit" ./orion-sim run ./profile.json --format none --progress none \
			--output "$name.json" "$@" 2>"$name.err"
	}
	run_as_nobody lock --memlock=65536 --target target --set "points[0].axes={\"engine\":[\"sync\",${sized#*=}]}"
	check "too little to lock: the rest is measured" is $? 0
	check "limit, value, need, command" has lock.json \
		"registered_buffers needs 16M of locked memory in each queue, and RLIMIT_MEMLOCK is 64K"
	check "the command to lock more" has lock.json "ulimit -l unlimited"

	run_as_nobody sum --memlock=6000000 --target target --set "$sized" --set 'points[0].streams[0].workers=2' \
		--set 'points[0].regions.sga.size=8m'
	check "enough for one queue and not for two" is $? 1
	check "the limit is of all that the user locks" has sum.json "for all that this user locks"

	run_as_nobody fork --nproc=1
	check "no process can be started" is $? 1
	check "the runner's limit" has fork.json \
		"the runner process cannot be started: Resource temporarily unavailable; RLIMIT_NPROC is 1"
	run_as_nobody workers --nproc=20 --set 'points[0].axes={"workers":[64,2]}'
	check "too many workers for the user" is $? 1
	check "which worker and which limit" has workers.json "of 64 cannot be started"
	check "the workers' limit" has workers.json \
		"RLIMIT_NPROC is 20 for all that this user runs: ulimit -u unlimited"
	check "fewer workers are measured" json_has workers.json status '"ok"'
else
	echo "left out: another user cannot reach $scratch"
fi
finish
