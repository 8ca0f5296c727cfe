#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# signals.sh - every signal that can be caught: settings given back, a valid result, the fixed exit code.
. "$(dirname "$0")/common.sh"

cat >profile.json <<'END'
{"name": "signals", "settings": ["hugepages", "shmem_enabled"],
 "phases": {"warmup": 0, "measure": "60s"},
 "points": [{"axes": {"memory": ["hugetlb", {"kind": "mthp", "folio": "64k"}]},
             "regions": {"sga": {"memory": "base", "size": "64m"}},
             "streams": [{"workload": "io", "engine": "null", "region": "sga"}]}]}
END

borrowed() {
	[ "$(machine_state)" != "$before" ]
}

# run_and_signal NAME SIGNAL…: starts a run, waits until it has borrowed, sends the signals.
run_and_signal() {
	local name=$1 pid

	shift
	# A shell without job control starts what runs behind with SIGINT ignored.
	env --default-signal=INT "$orion" run ./profile.json --output "$name.json" >"$name.out" 2>"$name.err" &
	pid=$!
	if ! wait_until 10 borrowed; then
		kill "$pid"
		wait "$pid"
		return 99
	fi
	sleep 0.5
	for signal; do
		kill -s "$signal" "$pid" 2>/dev/null
		[ $# -eq 1 ] || sleep 0.1
	done
	wait "$pid"
}

before=$(machine_state)
for row in INT:130 TERM:143 HUP:1; do
	run_and_signal "${row%:*}" "${row%:*}"
	check "exit code of SIG${row%:*}" is $? "${row#*:}"
	check "settings after SIG${row%:*}" is "$(machine_state)" "$before"
	check "the result says it is not complete" json_has "${row%:*}.json" complete false
	check "no journal is left" test ! -e "${row%:*}.json.journal"
	check "the result can be read" "$orion" report "${row%:*}.json" >report.out
done

run_and_signal twice INT INT
check "exit code of a second SIGINT" is $? 130
check "settings after a second SIGINT" is "$(machine_state)" "$before"

# A reader that goes away: SIGPIPE.
"$orion" run ./profile.json --set phases.measure=200ms --output pipe.json 2>pipe.err | true
check "exit code of a closed pipe" is "${PIPESTATUS[0]}" 1
check "settings after a closed pipe" is "$(machine_state)" "$before"
check "the result of a closed pipe is kept" json_has pipe.json complete true
check "it says what happened" has pipe.err "Broken pipe"

# A failing run: bad input after settings were declared changes nothing.
"$orion" run ./profile.json --set 'points[0].streams[0].workload.batch=64' >bad.out 2>bad.err
check "exit code of bad input" is $? 2
check "settings after bad input" is "$(machine_state)" "$before"

# Killed outright, its keeper first: the next run plays the journal back.
"$orion" run ./profile.json --output killed.json >killed.out 2>&1 &
pid=$!
wait_until 10 borrowed
while read -r child; do
	[ "$(cat "/proc/$child/comm")" != orion-keeper ] || keeper=$child
done < <(tr ' ' '\n' <"/proc/$pid/task/$pid/children" | grep .)
kill -KILL "$keeper" "$pid"
wait "$pid" 2>/dev/null
"$orion" run ./profile.json --set phases.measure=100ms --output next.json >next.out 2>next.err
check "the run after a kill -9" is $? 0
check "settings after it" is "$(machine_state)" "$before"
check "it says so" has next.err "that a killed run had borrowed"
finish
