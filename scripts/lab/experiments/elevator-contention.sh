# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # read by lib/experiment.sh
summary='how often two CPUs meet at the lock of mq-deadline, by count: one lock, turns, requests in lists of their CPU'
mode=tcg
profile=elevator-contention
settings=/sys/block/nullb0/queue/scheduler=mq-deadline
contention=yes
base='6.1 one
6.12 one'
columns='
6.1 one     | 6.1  | elevator-lock | orion_lab.elevator_count=on | |
6.1 turns   | 6.1  | elevator-lock | orion_lab.elevator_count=on orion_lab.elevator_lock=turns | |
6.1 staged  | 6.1  | elevator-lock | orion_lab.elevator_count=on orion_lab.elevator_lock=staged | |
6.12 one    | 6.12 | elevator-lock | orion_lab.elevator_count=on | |
6.12 turns  | 6.12 | elevator-lock | orion_lab.elevator_count=on orion_lab.elevator_lock=turns | |
6.12 staged | 6.12 | elevator-lock | orion_lab.elevator_count=on orion_lab.elevator_lock=staged | |
'
about='
Two emulated CPUs read through one mq-deadline, whose lock is counted: how often it is taken, how often the other CPU holds it
then, how often a CPU goes away because the other dispatches. The counts say whether the ways of kernel-patches/elevator-lock do what they
are for. Throughput is that of two emulated CPUs, and noisy; an emulated CPU may be stopped by the host while it holds the lock.'
model='two emulated CPUs, where 32 real ones were measured'

# elevator_counts COLUMN: per I/O, over all its boots: lock taken, found held, turns left.
elevator_counts() {
	jq -rs '
		[.[].variants[].points[].repeats[] | select(.status == "ok")] as $runs
		| ([$runs[].streams[0].classes[] | select(.name == "read") | .ops] | add) as $ops
		| ["elevator_lock_taken", "elevator_lock_waited", "elevator_turn_left"]
		| map(. as $name | ([$runs[].counters[$name] // 0] | add) / $ops | . * 10000 | round / 10000 | tostring) | join(" | ")' \
		"$CACHE/boot/$experiment/$1"-*/result.json
}

experiment_more() {
	local column

	printf '\n### Counts per I/O\n\n| | lock taken | found held | turns left to the other CPU |\n|---|---|---|---|\n'
	for column in "${!column_labels[@]}"; do
		echo "| ${column_labels[column]} | $(elevator_counts "$column") |"
	done
}
