#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# keeper.sh - killed at random moments, whoever it is: everything borrowed is given back, and no process is left.
# ORION_LONG=1: 20 moments each instead of 5. ORION_SEED: of the moments.
. "$(dirname "$0")/common.sh"

folio=$thp/hugepages-64kB/shmem_enabled
pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
if [ ! -e "$folio" ] || [ ! -e "$pool" ]; then
	skip "this kernel has no 2M huge pages, or no multi-size THP for shared memory (Linux 6.11)"
fi
moments=5
[ -z "${ORION_LONG-}" ] || moments=20
seed=${ORION_SEED-1}
limit_s=10
longest_ms=0

# A copy: its processes are told by it.
tool=$scratch/orion-kt
cp "$orion" "$tool"

cat >profile.json <<'END'
{"name": "keeper", "repeats": 1, "settings": ["hugepages", "shmem_enabled"],
 "phases": {"warmup": 0, "measure": "60s"},
 "points": [{"regions": {"sga": {"memory": "hugetlb", "size": "64m"},
                         "pga": {"memory": {"kind": "mthp", "folio": "64k"}, "size": "64m"}},
             "streams": [{"label": "one", "workload": "io", "engine": "null", "region": "sga"},
                         {"label": "two", "workload": "io", "engine": "null", "region": "pga"}]}]}
END
sed 's/"hugepages", "shmem_enabled"//; s/"hugetlb"/"base"/; s/{"kind": "mthp", "folio": "64k"}/"base"/' \
	profile.json >base.json

# Processes of the tool, zombies not counted.
ours() {
	find /proc/[0-9]*/exe -maxdepth 0 -lname "$tool*" 2>/dev/null | cut -d/ -f3
}

# children PID runner|keeper: those of a program.
children() {
	local child

	# shellcheck disable=SC2013 # words are meant
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" != "orion-$2" ] || echo "$child"
	done
}

borrowed() {
	[ "$(cat $pool)" -gt "$pages_before" ] && grep -qF '[advise]' "$folio"
}

has_runner() {
	[ -n "$(children "$pid" runner)" ]
}

has_keeper() {
	[ -n "$(children "$pid" keeper)" ]
}

as_before() {
	[ "$(machine_state)" = "$before" ] && [ -z "$(ours)" ] && [ ! -e /run/orion-sim ]
}

now_ms() {
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# start [OPTION…]: SIGINT as at a terminal, though this shell starts it in the background.
start() {
	rm -f out.json out.json.journal out.histograms.json
	env --default-signal=INT "$tool" run ./profile.json --output out.json "$@" >run.out 2>run.err &
	pid=$!
}

# A random moment: while it starts, borrows, maps, measures.
pause_randomly() {
	sleep "$(printf '0.%03d' $((RANDOM % 700)))"
}

tell_difference() {
	diff <(echo "$before") <(machine_state)
	ours
	head /run/orion-sim/* run.err
}

# check_restored WHAT FROM-MS
check_restored() {
	local ms

	check "$1: all is as before" wait_until $limit_s as_before
	ms=$(($(now_ms) - $2))
	[ $ms -lt $((limit_s * 1000)) ] || tell_difference
	[ $ms -le $longest_ms ] || longest_ms=$ms
	[ $ms -le "$worst_ms" ] || worst_ms=$ms
}

# Each is a way to go; it leaves the program ended, or sees it end.
kill_program() {
	kill -KILL "$pid"
}

kill_runner() {
	wait_until 10 has_runner
	# The run goes on without it, and ends by itself. By their names alone: what the address sanitizer forks at
	# the very end has to live.
	while [ -e "/proc/$pid/exe" ]; do
		# shellcheck disable=SC2046 # all of them
		kill -KILL $(children "$pid" runner) 2>/dev/null
		sleep 0.02
	done
}

kill_both() {
	# shellcheck disable=SC2046
	kill -KILL $(children "$pid" runner) "$pid" 2>/dev/null
}

kill_keeper_too() {
	# shellcheck disable=SC2046
	kill -KILL $(children "$pid" keeper) "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	"$tool" restore >restore.out 2>&1
	check "restore when all were killed" is $? 0
	check "it says what it did" grep -qE 'nothing to restore|gave back [0-9] of [0-9] settings' restore.out
}

hang_up() {
	kill -HUP "$pid"
}

interrupt_twice() {
	kill -INT "$pid"
	sleep 0.05
	kill -INT "$pid" 2>/dev/null
}

# try WHAT FUNCTION
try() {
	local i from

	worst_ms=0
	for ((i = 0; i < moments; i++)); do
		start
		pause_randomly
		from=$(now_ms)
		"$2"
		wait "$pid" 2>/dev/null
		check_restored "$1" "$from"
	done
	printf '%-28s %d times, as before after %d ms at most\n' "$1" "$moments" "$worst_ms"
}

[ ! -e /run/orion-sim ] || skip "another orion-sim has borrowed settings"
# Off, so that there is something to borrow.
word_found=$(sed 's/.*\[\(.*\)\].*/\1/' "$folio")
restore_word() {
	echo "$word_found" >"$folio"
}
trap restore_word EXIT
echo never >"$folio"
pages_before=$(cat $pool)
before=$(machine_state)
RANDOM=$seed
echo "seed $seed"

try "kill -9 of the program" kill_program
try "kill -9 of the runner" kill_runner
try "kill -9 of both" kill_both
try "kill -9 of keeper and program" kill_keeper_too
try "SIGHUP" hang_up
try "second SIGINT" interrupt_twice

# A reader that goes away: the run goes on to its end, and the result is kept.
worst_ms=0
mkfifo pipe
for ((i = 0; i < moments; i++)); do
	rm -f out.json out.histograms.json
	cat pipe >/dev/null &
	reader=$!
	"$tool" run ./profile.json --set phases.measure=700ms --output out.json >pipe 2>&1 &
	pid=$!
	# Before its first line the program is no other than any that a signal ends.
	wait_until 10 grep -q '^SigIgn:.*1[0-9a-f]\{3\}$' "/proc/$pid/status"
	pause_randomly
	kill "$reader"
	kill -PIPE "$pid"
	wait "$reader" 2>/dev/null
	wait "$pid"
	check "exit code of a closed pipe" is $? 1
	check_restored "SIGPIPE" "$(now_ms)"
	check "the result is complete" json_has out.json complete true
done
printf '%-28s %d times, as before after %d ms at most\n' "SIGPIPE" "$moments" "$worst_ms"

# The program does not end with its keeper.
start --set phases.measure=1s
wait_until 10 has_keeper
kill -KILL "$(children "$pid" keeper)"
wait "$pid"
check "exit code without the keeper" is $? 0
check_restored "without the keeper" "$(now_ms)"

# Two at once: the second is refused before anything is started, one without settings runs on.
start
wait_until 10 has_runner
"$tool" run ./profile.json --output second.json >second.out 2>second.err
check "a second run is refused" is $? 3
check "with a sentence" has second.err "another orion-sim (pid $pid) has borrowed settings"
check "nothing was started" test ! -e second.json
check "the first goes on" borrowed
"$tool" run ./base.json --set phases.measure=100ms --output third.json >third.out 2>third.err
check "a run without settings runs on" is $? 0
"$tool" restore >restore.out 2>restore.err
check "restore is refused while a run lives" is $? 3
check "restore says why" has restore.err "another orion-sim (pid $pid)"
# One setting after the other is borrowed.
listed() {
	"$tool" list settings >list.out && grep -qF "$folio: from" list.out
}
wait_until 5 listed
check "list settings shows who has borrowed" has list.out "by an orion-sim that runs (pid $pid)"
check "list settings shows what" has list.out "$folio: from"
"$tool" list --here >here.out
check "list --here" is $? 0
check "list --here says why not" grep -q "^setting *hugepages *no *another orion-sim (pid $pid)" here.out
# The next one waits for the keeper.
kill -KILL "$pid"
wait "$pid" 2>/dev/null
"$tool" run ./profile.json --set phases.measure=100ms --output next.json >next.out 2>next.err
check "the run after a kill -9" is $? 0
check "nothing of it is skipped" sh -c "! grep -q skipped next.json"
check_restored "the next run" "$(now_ms)"

# What an administrator sets meanwhile stays: a larger word, fewer pages.
start
wait_until 10 has_runner
sleep 0.3
echo within_size >"$folio"
echo $((pages_before + 5)) >$pool
kill -KILL "$pid"
wait "$pid" 2>/dev/null
gone() {
	[ -z "$(ours)" ] && [ ! -e /run/orion-sim ]
}
wait_until $limit_s gone
check "the keeper is gone" gone
check "shmem_enabled stays as set" is "$(sed 's/.*\[\(.*\)\].*/\1/' "$folio")" within_size
check "the pool stays as set" is "$(cat $pool)" $((pages_before + 5))
echo never >"$folio"
echo "$pages_before" >$pool
check_restored "by hand" "$(now_ms)"

"$tool" restore >restore.out 2>&1
check "nothing is left to restore" has restore.out "nothing to restore"
echo "longest time until all was as before: $longest_ms ms"
finish
