#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sampler.sh - hot functions: named where they may be seen, told with the remedy where not, and nothing
# left of them whoever is killed.
. "$(dirname "$0")/common.sh"

"$orion" list --here | grep -qE '^sampler +[a-z-]+ +yes' || skip "$("$orion" list --here | grep '^sampler')"

cat >profile.json <<'END'
{"name": "sampler", "repeats": 1, "phases": {"warmup": 0, "measure": "300ms"}, "counters": ["pgfault"],
 "points": [{"regions": {"sga": {"memory": "base", "size": "16m"}},
             "streams": [{"workload": "fault", "pin": false}]}]}
END

# run NAME ARGUMENTS…: its outputs are NAME.*; the exit code is that of the run.
run() {
	local name=$1

	shift
	"$orion" run ./profile.json --output "$name.json" --progress none "$@" >"$name.out" 2>"$name.err"
}

# --- Where it is permitted.
run root --sample
check "a sampled run is a good one" is $? 0
check "the repeat is marked" json_has root.json sampled true
check "functions are named" has root.json '"percent"'
check "the report says so" has root.out "Hottest kernel functions of"
check "the command that repeats it samples, too" has root.out " --sample "
check "timed repeats have no mark" is "$("$orion" report root.json --format csv | grep -c fault,fault)" 1

# --- Names that are hidden from root, too.
with_setting /proc/sys/kernel/kptr_restrict 2 run hidden --sample
check "hidden names do not end the run" is $? 0
check "the remedy is told" has hidden.out "sysctl kernel.kptr_restrict=1"
check "what was timed is there" has hidden.json '"iops"'
check "nothing was sampled" sh -c "! grep -q '\"sampled\"' hidden.json"

# --- Another user.
mkdir public
chmod 0777 public
chmod 0711 "$scratch"
cp "$orion" profile.json public/
user() {
	cd public && nobody ./orion-sim run ./profile.json --output "$1.json" --progress none --sample \
		>"$1.out" 2>"$1.err"
}
if (cd public && nobody ./orion-sim --version >/dev/null 2>&1); then
	(with_setting /proc/sys/kernel/perf_event_paranoid 2 user refused)
	check "a user who may not sample has a run" is $? 0
	check "the user is told how" has public/refused.out "sysctl"
	check "it names the setting" has public/refused.out "perf_event_paranoid is 2"
	check "the user's figures are there" has public/refused.json '"iops"'
	check "counters need no rights" json_has public/refused.json pgfault '[0-9]+'
	nobody ./public/orion-sim list --here >here.out
	check "list --here says no" sh -c "grep -q '^sampler .*no .*sysctl' here.out"
else
	echo "left out: another user cannot reach $scratch"
fi

# --- The end of whoever is at work while it is sampled.
sampling_has_begun() {
	[ -e "$1.json.journal" ] && [ "$(wc -l <"$1.json.journal")" -ge 2 ] && pgrep -P "$2" >/dev/null
}

# begin NAME: a run that will sample for long, and is at it when this returns; its id in $program.
begin() {
	# A shell without job control starts what runs behind with SIGINT ignored.
	env --default-signal=INT "$orion" run ./profile.json --output "$1.json" --progress none \
		--set sample.frequency=99 --set phases.measure=2 >"$1.out" 2>"$1.err" &
	program=$!
	wait_until 20 sampling_has_begun "$1" "$program"
	sleep 0.3
}

begin runner
kill -KILL "$(pgrep -P "$program" | tail -n 1)"
wait "$program"
check "a killed runner is a failed repeat" is $? 1
check "the report says what became of it" has runner.out "not sampled, the runner was killed"
check "the timed repeat counts" has runner.out "faults"
check "the point is good" is "$("$orion" report runner.json --format csv | grep -c ',ok,,fault,fault,')" 1

begin stopped
kill -INT "$program"
wait "$program"
check "an interrupted sampling ends as asked" is $? 130
check "what was timed is kept" is "$("$orion" report stopped.json --format csv | grep -c ',ok,,fault,fault,')" 1

begin killed
runner=$(pgrep -P "$program" | tail -n 1)
kill -KILL "$program"
wait "$program" 2>/dev/null
gone() {
	[ ! -e "/proc/$runner" ]
}
check "the runner of a killed program is gone" wait_until 5 gone
check "its journal has the timed repeat" is "$(wc -l <killed.json.journal)" 2

# --- What huge pages save, by name. From memory, so that it is no matter how fast a disk is.
cat >pinning.json <<'END'
{"name": "pinning", "repeats": 1, "phases": {"warmup": "100ms", "measure": "1500ms"}, "settings": ["hugepages"],
 "sample": {"frequency": 1999, "top": 300},
 "points": [{"axes": {"memory": ["base", "hugetlb"]}, "regions": {"sga": {"memory": "base", "size": "32m"}},
             "streams": [{"workload": {"kind": "io", "block": "1m", "depth": 8, "batch": 2}, "engine": "libaio",
                          "region": "sga"}]}]}
END
# share POINT: percent of the busy samples in the functions that take pages for a device and mark them dirty.
share() {
	"$orion" report pinning-out.json | tr '\n' ' ' | grep -o "Hottest kernel functions of $1 [^;]*" |
		grep -oE '[0-9.]+ % (gup_|bio_set_pages_dirty|bio_check_pages|pin_user|get_user_pages|internal_get_user)' |
		awk '{ sum += $1 } END { print sum + 0 }'
}
before=$(machine_state)
loop=''
leave() {
	[ -z "$loop" ] || losetup -d "$loop"
	umount "$scratch/memory" 2>/dev/null
	loop=''
}
trap leave EXIT
memory_device() {
	mkdir memory && mount -t tmpfs -o size=80m tmpfs memory && truncate -s 64m memory/target.dat &&
		shred -n 1 memory/target.dat && loop=$(losetup --find --show --read-only memory/target.dat)
}
if memory_device >device.out 2>&1 &&
	"$orion" run ./pinning.json --target "$loop" --output pinning-out.json --progress none \
		>pinning.out 2>pinning.err && ! grep -q skipped pinning-out.json; then
	check "pinning is among the hottest functions on base pages" \
		sh -c "tr '\\n' ' ' <pinning.out | grep -qE 'functions of base [^;]*(gup_|pin_user|get_user_pages)'"
	check "and its share is less on huge pages ($(share base) % against $(share hugetlb) %)" \
		awk -v base="$(share base)" -v huge="$(share hugetlb)" 'BEGIN { exit !(base > 3 * huge) }'
	check "settings are given back" is "$(machine_state)" "$before"
else
	echo "left out: direct reads into huge pages are not to be had here"
	tail -n 3 device.out pinning.err
fi

leave
finish
