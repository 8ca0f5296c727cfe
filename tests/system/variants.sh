#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# variants.sh - what variants share is borrowed once, what differs is switched; kill -9 amid blocks gives all back.
# ORION_LONG=1: 20 moments each instead of 5. ORION_SEED: of the moments.
profiles=$(realpath "$(dirname "$0")/../../profiles")
. "$(dirname "$0")/common.sh"

folio=$thp/hugepages-64kB/shmem_enabled
pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
if [ ! -e "$folio" ] || [ ! -e "$pool" ]; then
	skip "this kernel has no 2M huge pages, or no multi-size THP for shared memory (Linux 6.11)"
fi
[ ! -e /run/orion-sim ] || skip "another orion-sim has borrowed settings"
moments=5
[ -z "${ORION_LONG-}" ] || moments=20
seed=${ORION_SEED-1}

# Something to lower as well as to raise.
word_found=$(sed 's/.*\[\(.*\)\].*/\1/' "$folio")
restore_word() {
	echo "$word_found" >"$folio"
}
trap restore_word EXIT
echo within_size >"$folio"
pages_before=$(cat $pool)
before=$(machine_state)

cat >profile.json <<'END'
{"name": "variants", "repeats": 8, "settings": ["hugepages"],
 "phases": {"warmup": 0, "measure": "60ms"}, "baseline": "never",
 "variants": [
   {"label": "never", "settings": [{"kind": "shmem_enabled", "folio": "64k", "value": "never"}]},
   {"label": "64K", "settings": [{"kind": "shmem_enabled", "folio": "64k", "lower": true}],
    "set": {"memory": {"kind": "mthp", "folio": "64k"}}},
   {"label": "huge", "set": {"memory": "hugetlb"}}],
 "points": [{"regions": {"sga": {"memory": "base", "size": "32m"}},
             "streams": [{"label": "reads", "workload": "io", "engine": "null"}]}]}
END

as_before() {
	[ "$(machine_state)" = "$before" ] && [ ! -e /run/orion-sim ]
}

start() {
	rm -f out.json out.json.journal out.histograms.json
	"$orion" run ./profile.json --output out.json >run.out 2>run.err &
	pid=$!
}

# The pool's sizes and the words of 64K folios that are seen while it runs, each once.
watch_machine() {
	while [ -e "/proc/$pid/exe" ]; do
		cat $pool >>pool.seen
		sed 's/.*\[\(.*\)\].*/\1/' "$folio" >>word.seen
	done
}

start
watch_machine
wait "$pid"
check "exit code" is $? 0
check "all is as before" as_before
check "the pool grows once and shrinks once" is "$(uniq pool.seen | grep -vx "$pages_before")" $((pages_before + 16))
for word in never advise within_size; do
	check "64K folios are $word in between" grep -qx $word word.seen
done
check "the baseline is recorded" json_has out.json baseline '"never"'
check "nothing failed or was skipped" sh -c "! grep -qE '\"(skipped|failed)\"' out.json"
check "what was set for never is recorded" sh -c "grep -q '\"to\": *\"never\"' out.json"
check "what was set for 64K is recorded" sh -c "grep -q '\"to\": *\"advise\"' out.json"

keeper_of() {
	local child

	# shellcheck disable=SC2013 # words are meant
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" != orion-keeper ] || echo "$child"
	done
}

RANDOM=$seed
echo "seed $seed"
for ((i = 0; i < moments; i++)); do
	start
	sleep "$(printf '%d.%03d' $((RANDOM % 3)) $((RANDOM % 1000)))"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	check "kill -9 amid blocks: all is as before" wait_until 10 as_before

	start
	sleep "$(printf '%d.%03d' $((RANDOM % 3)) $((RANDOM % 1000)))"
	# shellcheck disable=SC2046 # none, or one
	kill -KILL $(keeper_of "$pid") "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	"$orion" restore >restore.out 2>&1
	check "restore when the keeper was killed, too" is $? 0
	check "restored: all is as before" as_before
done

# The shipped ones, as short as can be.
"$orion" prepare target.data --size 64M >prepare.out 2>&1
check "prepare" is $? 0
for profile in aio-hugetlb engines; do
	"$orion" run "$profiles/$profile.json" --target target.data --set repeats=2 --set phases.warmup=10ms \
		--set phases.measure=100ms --output $profile.json >$profile.out 2>$profile.err
	check "$profile: exit code" is $? 0
	check "$profile: nothing is skipped" sh -c "! grep -qE '\"(skipped|failed)\"' $profile.json"
	check "$profile: all is as before" as_before
done
check "its variants are in the report" grep -qE '^hugetlb +1M ' aio-hugetlb.out
"$orion" run "$profiles/aio-hugetlb.json" --aa --target target.data --set repeats=2 --set phases.warmup=10ms \
	--set phases.measure=100ms --output aa.json >aa.out 2>aa.err
check "--aa: exit code" is $? 0
check "--aa: both sides" has aa.out "base again"
finish
