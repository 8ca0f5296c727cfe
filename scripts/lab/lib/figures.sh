# SPDX-License-Identifier: MIT
# figures.sh - figures out of results, a line of tabs each; sourced by bash.
# shellcheck shell=bash
# FIGURES: variant, point, class, unit, repeat, then numbers, "-" where there are none:
#   operations, MB/s, ns per operation (instructions, where time is counted in them), and per
#   operation what the plugin counted: kernel instructions, user instructions, kernel atomics,
#   interrupt flag changes.

# figures_of RESULT CLASS: of every repeat that counts, of a class of the first stream; where points have
# different ones, "CLASS CLASS".
figures_of() {
	jq -r --arg class "$2" '
		def per(n; ops): if n == null or ops == 0 then "-" else n / ops end;
		.variants[] | .label as $variant | .points[] | .label as $point | .status as $status | .repeats[]
		| select(.status == "ok" and (.sampled != true)) | . as $repeat
		| .streams[0].classes[] | select((.name | IN($class | splits(" "))) and .ops > 0) | .ops as $ops
		| [($variant // "" | if . == "" then "-" else . end), $point, .name, .unit, $repeat.index, $ops, (.mbps // "-"),
		   (if .timed_in_batches or .unit != "I/O" then .mean_ns else $repeat.duration_s * 1e9 / $ops end),
		   per($repeat.counters["lab.kernel_instructions"]; $ops),
		   per($repeat.counters["lab.user_instructions"]; $ops),
		   per($repeat.counters["lab.kernel_atomics"]; $ops),
		   per($repeat.counters["lab.kernel_irq_flag_changes"]; $ops)] | @tsv' "$1"
}

# figures_missing RESULT: points without figures, and why.
figures_missing() {
	jq -r '.variants[] | .points[] | select(.status != "ok") | "\(.label): \(.status), because \(.reason)"' "$1"
}

# figures_median: of lines with the same first four fields, in order of appearance, the median of each
# number; the fifth becomes how many there were, and a last one is added: the spread of ns,
# (most - least) / median in percent.
figures_median() {
	awk -F '\t' -v OFS='\t' '
		function median(key, f,   i, j, n, t, v) {
			n = 0
			for (i = 1; i <= rows[key]; i++) if (cell[key, i, f] != "-") v[++n] = cell[key, i, f] + 0
			if (n == 0) return "-"
			for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
			least = v[1]; most = v[n]
			return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
		}
		{
			key = $1 OFS $2 OFS $3 OFS $4
			if (!(key in rows)) keys[++n_keys] = key
			rows[key]++
			for (f = 6; f <= 12; f++) cell[key, rows[key], f] = $f
		}
		END {
			for (k = 1; k <= n_keys; k++) {
				line = keys[k] OFS rows[keys[k]]
				for (f = 6; f <= 12; f++) {
					m = median(keys[k], f)
					line = line OFS m
					if (f == 8) spread = m > 0 ? 100 * (most - least) / m : 0
				}
				print line, spread
			}
		}'
}

# figures_agree FIRST SECOND PERCENT: whether all numbers of two lists of lines are that close; prints
# the first that is not.
figures_agree() {
	paste "$1" "$2" | awk -F '\t' -v limit="$3" '
		NF % 2 || $2 != $(NF / 2 + 2) { print "they measured different points"; exit 1 }
		{
			for (f = 6; f <= NF / 2; f++) {
				a = $f; b = $(f + NF / 2)
				if (a == b) continue
				if (a == "-" || b == "-" || 200 * (a - b > 0 ? a - b : b - a) / (a + b) > limit) {
					printf "%s: %s and %s\n", $2, a, b
					exit 1
				}
			}
		}'
}
