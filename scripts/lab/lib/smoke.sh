# SPDX-License-Identifier: MIT
# smoke.sh - the gate: what patches cost in a kernel, against what they did; sourced by bash.
# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2317 # the lab's modules share what an experiment sets
# Ratios of a patched kernel to a pristine one, of kernel instructions and atomics per operation: neither
# the simulator's own code nor another point release of Debian moves them much.

SMOKE_STORED=$LAB/smoke.tsv
SMOKE_PERCENT=1

# smoke_ratios: column, point, ratio of kernel instructions, ratio of atomics; against the first column.
smoke_ratios() {
	awk -F '\t' -v OFS='\t' -v base="${column_labels[0]}" '
		$1 == base { instructions[$3] = $10; atomics[$3] = $12; next }
		{ printf "%s\t%s\t%.4f\t%.4f\n", $1, $3, $10 / instructions[$3], $12 / atomics[$3] }' "$FIGURES"
}

# smoke_compare STORED RATIOS: lines of what is off; nothing if all is well.
smoke_compare() {
	awk -F '\t' -v limit="$SMOKE_PERCENT" '
		function check(what, was, is) {
			if (is > was * (1 + limit / 100) || is < was * (1 - limit / 100))
				printf "%s, %s: %s %.4f times those of the pristine kernel, stored %.4f\n", $1, $2, what, is, was
		}
		/^#/ { next }
		NR == FNR { instructions[$1, $2] = $3; atomics[$1, $2] = $4; n++; next }
		!(($1, $2) in instructions) { print $1 ", " $2 ": not among the stored values"; next }
		{ check("kernel instructions", instructions[$1, $2], $3); check("atomics", atomics[$1, $2], $4); seen++ }
		END { if (seen < n) print n - seen " stored values were not measured" }' "$1" "$2"
}

# smoke_run STORE
smoke_run() {
	local start=$SECONDS off ratios

	experiment_run smoke icount 2
	ratios=$CACHE/boot/smoke/ratios
	smoke_ratios >"$ratios"
	if [ -n "$1" ]; then
		{
			echo "# kernel instructions and atomics per I/O, patched to pristine; scripts/lab/lab smoke --store"
			cat "$ratios"
		} >"$SMOKE_STORED"
		say "Stored in $SMOKE_STORED"
		return
	fi
	[ -e "$SMOKE_STORED" ] || die "no values are stored yet: scripts/lab/lab smoke --store"
	cat "$ratios"
	off=$(smoke_compare "$SMOKE_STORED" "$ratios")
	[ -z "$off" ] || die "$(echo "$off" | paste -sd ';' | sed 's/;/; /g'). If that is meant, store it:" \
		"scripts/lab/lab smoke --store. Results: $CACHE/boot/smoke"
	say "Smoke passed in $((SECONDS - start)) s: two boots agree, ratios are those stored within $SMOKE_PERCENT %."
}
