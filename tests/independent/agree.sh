#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# agree.sh - does workload fault tell what a loop of forty lines tells, run in turn with it?
#
# usage: tests/independent/agree.sh ORION-SIM [PAIRS]
#
# Not a test: figures of a machine that others use differ. As root: folios of 64K are switched on for
# the time it takes. Prints a line a pair and the ratio of the medians, for base pages and for 64K.
set -eu
export LC_ALL=C

orion=$(realpath "${1:?usage: agree.sh ORION-SIM [PAIRS]}")
pairs=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
setting=/sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled
work=$(mktemp -d)
before=$(sed 's/.*\[\(.*\)\].*/\1/' $setting)
trap 'echo "$before" >$setting; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
echo advise >$setting
cc -O2 -o "$work/loop" "$here/fault_loop.c"

# of_orion MEMORY: its two figures, from the columns of that name.
of_orion() {
	(cd "$work" && "$orion" run "$here/agree.json" --set "points[0].regions.shm.memory=$1" \
		--output "$work/result.json" >/dev/null 2>"$work/errors") || {
		cat "$work/errors" >&2
		exit 1
	}
	"$orion" report "$work/result.json" --format csv | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { printf "%.0f %.0f\n", $at["faults_per_sec_per_cpu"], $at["faults_per_sec"] }'
	rm -f "$work"/result*.json
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

for memory in never 64k; do
	kind=base
	[ $memory = never ] || kind='{"kind": "mthp", "folio": "64k"}'
	for ((i = 1; i <= pairs; i++)); do
		if ((i % 2)); then
			of_orion "$kind" >"$work/o"
			"$work/loop" $memory 4 >"$work/l"
		else
			"$work/loop" $memory 4 >"$work/l"
			of_orion "$kind" >"$work/o"
		fi
		echo "$memory $i: orion-sim $(cat "$work/o"), loop $(cat "$work/l") pages per second of CPU time, and of time"
		cat "$work/o" >>"$work/orion.$memory"
		cat "$work/l" >>"$work/loop.$memory"
	done
	for figure in 1 2; do
		ours=$(cut -d' ' -f$figure "$work/orion.$memory" | median)
		its=$(cut -d' ' -f$figure "$work/loop.$memory" | median)
		awk -v a="$ours" -v b="$its" -v f=$figure -v m=$memory \
			'BEGIN { printf "%s: %.3f of the loop per second%s\n", m, a / b, f == 1 ? " of CPU time" : "" }'
	done
done
