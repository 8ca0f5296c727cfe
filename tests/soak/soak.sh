#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# soak.sh - random small profiles for some time, some of them broken, some runs signalled or killed: never a
# crash, always one of the fixed exit codes, a result that can be read, and nothing left of the machine's.
#
# usage: soak.sh ORION-SIM SOAK_GENERATE SECONDS [SEED]
seconds=$3
seed=${4:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
generate=$(realpath "$2")
. "$(dirname "$0")/../system/common.sh"

cp "$orion" soaked && orion=$scratch/soaked
targets=()
for i in 1 2 3; do
	"$orion" prepare "target$i" --size 16m >prepare.out 2>&1 || skip "no file can be prepared here"
	targets+=("$scratch/target$i")
done
codes='' measured=0
before=$(machine_state)
before_segments=$(ipcs -m | wc -l)

# Processes that run our copy of the program.
own_processes() {
	find /proc -maxdepth 2 -name exe -lname "$orion" 2>/dev/null
}

all_gone() {
	[ -z "$(own_processes)" ]
}

given_back() {
	[ "$(machine_state)" = "$before" ]
}

# What is not as it was, and who could still put it back.
not_given_back() {
	diff <(echo "$before") <(machine_state)
	find /run/orion-sim -type f -exec sed 's/^/{}: /' {} + 2>/dev/null
	pgrep -a orion
}

# start: runs profile.json in the background as pid.
start() {
	env --default-signal=INT,HUP "$orion" run ./profile.json --output result.json --progress none >run.out 2>run.err &
	pid=$!
}

# disturb: some signal at some moment.
disturb() {
	local signals=(INT TERM HUP KILL)

	signal=${signals[RANDOM % 4]}
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	kill -s "$signal" "$pid" 2>/dev/null
}

# allowed CODE: is it an exit code that this temper, and this signal, may have? A signal that comes before the program
# waits for any ends it at once: nothing has begun.
allowed() {
	case $temper/$signal in
	broken/*) [ "$1" -eq 2 ] ;;
	tame/) [[ $1 =~ ^[013]$ ]] ;;
	wild/) [[ $1 =~ ^[01234]$ ]] ;;
	*/INT) [[ $1 =~ ^([01234]|130)$ ]] ;;
	*/TERM) [[ $1 =~ ^([01234]|143)$ ]] ;;
	*/HUP) [[ $1 =~ ^([01234]|129)$ ]] ;;
	*/KILL) [[ $1 =~ ^([01234]|137)$ ]] ;;
	esac
}

# A repeat may fail for want of folios; that is a reason, not a crash.
no_crash() {
	! grep -E 'Sanitizer|runtime error|Assertion .* failed|died of|ended early with status|killed by somebody' run.err run.out result.json 2>/dev/null
}

readable() {
	for format in text csv json; do
		"$orion" report result.json --format $format >report.out 2>report.err || return 1
	done
}

# SIGKILL may come while the result is being written under another name; its journal is there then.
whole() {
	[ "$signal" = KILL ] || ! find . \( -name '*.tmp' -o -name result.json.journal \) | grep .
}

one_profile() {
	local code signal='' failed=$failures what="seed $seed index $index"

	"$generate" "$seed" "$index" "${targets[@]}" >generated || exit 1
	read -r temper <generated
	sed 1d generated >profile.json
	RANDOM=$(((seed + index) % 32768))
	start
	[ $((RANDOM % 8)) -ne 0 ] || [ "$temper" = broken ] || disturb
	wait "$pid"
	code=$?
	if grep -q "another orion-sim" run.err; then
		codes+=" busy"
		sleep 0.5
		return
	fi
	codes+=" $temper${signal:+/$signal}:$code"
	[ $code -ne 0 ] || measured=$((measured + 1))
	check "exit code $code, $what" allowed $code
	check "no crash, $what" no_crash
	[ $code -ne 2 ] || check "nothing was begun, $what" test ! -e result.json
	[ $code -ne 0 ] || check "a result, $what" test -e result.json
	[ ! -e result.json ] || check "the result can be read, $what" readable
	check "nothing half, $what" whole
	check "no process is left, $what" wait_until 5 all_gone
	check "settings, $what" wait_until 5 given_back
	if [ $failures -ne $failed ]; then
		echo "profile of $what ($temper${signal:+, SIG$signal}):"
		{ cat generated run.err && not_given_back; } | sed 's/^/    /'
	fi
	rm -f result.* report.* run.*
}

end=$((SECONDS + seconds))
index=0
while [ $SECONDS -lt $end ] && [ $failures -lt 5 ]; do
	one_profile
	index=$((index + 1))
done
check "segments are as many as before" is "$(ipcs -m | wc -l)" "$before_segments"
check "some were measured" test $measured -gt 0
echo "seed $seed, $index profiles in $seconds s"
tr ' ' '\n' <<<"${codes# }" | sort | uniq -c | sort -rn
finish
