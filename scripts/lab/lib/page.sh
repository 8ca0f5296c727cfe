# SPDX-License-Identifier: MIT
# page.sh - the page of an experiment: what was run on what, every run, and what kind of truth it is.
# Sourced by bash. A line of $FIGURES: column, then as figures.sh has it.
# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2317 # the lab's modules share what an experiment sets

# Less than so many percent of instructions says little: other command lines alone move them so far. What runs
# of one column differ by is nothing: base pages lie in another order each time.
PAGE_NOTHING=1

# page_table POINT: columns of one point; the change against a column's base is that of ns.
page_table() {
	local label

	echo "| | MB/s | $(page_cost) per $page_unit | change | kernel instructions | user instructions | atomics | irq flag changes | runs | spread |"
	echo '|---|---|---|---|---|---|---|---|---|---|'
	for label in "${column_labels[@]}"; do
		awk -F '\t' -v label="$label" -v base="$(experiment_base "$label")" -v point="$1" -v variant="$2" '
			$3 == point && $2 == variant && $1 == base { reference = $9 }
			$3 == point && $2 == variant && $1 == label { split($0, own, "\t") }
			function show(v, digits) { return v == "-" || v == "" ? "-" : sprintf("%.*f", digits, v) }
			END {
				if (own[1] == "") { printf "| %s | not measured, see below | | | | | | | | |\n", label; exit }
				difference = own[9] - reference
				change = label == base || reference == 0 ? "" : sprintf("%+.1f %% (%+.*f)", 100 * difference / reference,
					(difference < 100 && difference > -100 ? 1 : 0), difference)
				printf "| %s | %s | %s | %s | %s | %s | %s | %s | %d | %.2f %% |\n", label,
					(own[8] > 0 ? show(own[8], 0) : "-"), show(own[9], (own[9] < 100 ? 2 : 0)), change, show(own[10], 0), show(own[11], 0),
					show(own[12], 1), show(own[13], 1), own[6], own[14]
			}' "$FIGURES"
	done
}

page_cost() {
	if [ "$mode" = icount ]; then
		echo instructions
	else
		echo ns
	fi
}

# page_points: variants and points of all columns, once each, in the order of the column that has most.
page_points() {
	awk -F '\t' '
		{ point[NR] = $2 "\t" $3; column[NR] = $1; n[$1]++ }
		END {
			for (i = 1; i <= NR; i++) if (n[column[i]] > n[most]) most = column[i]
			for (pass = 0; pass < 2; pass++)
				for (i = 1; i <= NR; i++)
					if ((pass || column[i] == most) && !seen[point[i]]++) print point[i]
		}' "$FIGURES"
}

# page_verdicts: every column against its base, in words.
page_verdicts() {
	local label truth

	truth=$(boot_mode_truth "$mode" "$boots")
	for label in "${column_labels[@]}"; do
		[ "$label" != "$(experiment_base "$label")" ] || continue
		awk -F '\t' -v label="$label" -v base="$(experiment_base "$label")" -v truth="$truth" -v nothing="$PAGE_NOTHING" -v cost="$(page_cost)" \
			-v deterministic="$([ "$mode" = icount ] && echo 1)" '
			$1 == base { ns[$2, $3] = $9; spread[$2, $3] = $14 }
			$1 == label { order[++n] = $2 SUBSEP $3; name[n] = ($2 == "-" ? "" : $2 ", ") $3; own[n] = $9; own_spread[n] = $14 }
			END {
				for (i = 1; i <= n; i++) {
					if (!(order[i] in ns)) continue
					change = 100 * (own[i] / ns[order[i]] - 1)
					size = change < 0 ? -change : change
					difference = own[i] - ns[order[i]]
					limit = spread[order[i]] > own_spread[i] ? spread[order[i]] : own_spread[i]
					if (size < limit || difference == 0)
						what = sprintf("no difference that counts (%+.2f %%, of less than %.1f %% nothing is said)", change, limit)
					else if (deterministic && size < nothing)
						what = sprintf("%+.1f %s (%+.2f %%): exact, yet less than the %d %% that another layout of code may make", difference,
							cost, change, nothing)
					else
						what = sprintf("%.1f %% %s", size, change > 0 ? "dearer" : "cheaper")
					printf "- **%s** against %s, %s: %s; %s.\n", label, base, name[i], what, truth
				}
			}' "$FIGURES"
	done
	[ -z "$contention" ] ||
		echo "- What CPUs lose by waiting for each other's lines and locks: contention: not measurable on this host."
}

# page_versions: kernels, switches and tools.
page_versions() {
	local column folder said

	echo "| column | kernel | boot arguments | orion_lab says | settings | options of orion-sim |"
	echo '|---|---|---|---|---|---|'
	for column in "${!column_labels[@]}"; do
		folder=$CACHE/boot/$1/$column-0
		said=$(boot_said "$folder" orion_lab)
		printf '| %s | %s, %s, patches: %s | `%s` | `%s` | `%s` | `%s` |\n' "${column_labels[column]}" "$(boot_said "$folder" kernel)" \
			"$(sed -n 's/^source //p' "${built[column]}/record")" "${column_patches[column]}" \
			"${column_arguments[column]:--}" "${said:--}" "${column_settings[column]:--}" "${column_options[column]:--}"
	done
	folder=$CACHE/boot/$1/0-0
	printf '\nBoot arguments of all: `%s`\n\nDisk of the guest: %s.\n\nCompiler, linker: %s. %s: `%s`. %s; configuration: scripts/lab/config.\n' \
		"$(cat "$folder/arguments")" "$(sed -n 's/^LAB disk //p' "$folder/console" | sed 's/ *$//' | paste -sd ',' | sed 's/,/, /g')" \
		"$(sed -n 's/^compiler //p' "${built[0]}/record")" "$(qemu-system-x86_64 --version | head -n 1)" \
		"$(boot_mode_qemu "$mode" | paste -sd ' ')" "$("$ORION" --version 2>/dev/null | head -n 1)"
}

# page_runs: every run of every boot.
page_runs() {
	local column boot

	echo '| column | boot | point | repeat | operations | MB/s | '"$(page_cost)"' | kernel instructions | user instructions | atomics | irq flag changes |'
	echo '|---|---|---|---|---|---|---|---|---|---|---|'
	for column in "${!column_labels[@]}"; do
		for ((boot = 0; boot < boots; boot++)); do
			awk -F '\t' -v label="${column_labels[column]}" -v boot=$((boot + 1)) '
				function show(v, digits) { return v == "-" ? v : sprintf("%.*f", digits, v) }
				{ printf "| %s | %d | %s%s | %d | %d | %s | %.2f | %s | %s | %s | %s |\n", label, boot, $1 == "-" ? "" : $1 ", ", $2, $5 + 1, $6,
					($7 > 0 ? show($7, 2) : "-"), $8, show($9, 2), show($10, 2), show($11, 3), show($12, 3) }' "$CACHE/boot/$1/$column-$boot/figures"
		done
	done
}

# page_absent: points that were not measured and why, settings that a kernel does not have; columns with the
# same reason share a line.
page_absent() {
	local column folder

	for column in "${!column_labels[@]}"; do
		folder=$CACHE/boot/$1/$column-0
		figures_missing "$folder/result.json" | sed "s|^|${column_labels[column]}\t|"
		sed -n "s|^LAB absent |${column_labels[column]}\tthis kernel has no |p" "$folder/console"
	done | awk -F '\t' '
		!($2 in columns) { order[++n] = $2 }
		{ columns[$2] = columns[$2] (columns[$2] == "" ? "" : ", ") $1 }
		END { for (i = 1; i <= n; i++) printf "- %s: %s\n", columns[order[i]], order[i] }'
}

# page_took: how long, and what of it; kernels are built once for all experiments.
page_took() {
	local folder

	echo "Took $experiment_seconds s, of them $experiment_boot_seconds s booting ($((boots * ${#column_labels[@]})) boots," \
		"$experiment_at_once at a time) and" \
		"$experiment_build_seconds s building; its kernels took $(printf '%s\n' "${built[@]}" | sort -u | while read -r folder; do
			sed -n 's/^built in \([0-9]*\) s, \([0-9]*\) s of CPU$/\1 \2/p' "$folder/record"
		done | awk '{ s += $1; cpu += $2 } END { printf "%d s to build (%d s of CPU)", s, cpu }'), once"
}

# page_host: whose figures these are.
page_host() {
	echo "$(nproc) CPUs ($(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)), Linux $(uname -r), $(qemu-system-x86_64 --version | head -n 1)"
}

# page_published: what was published beside what was measured.
page_published() {
	local rows

	rows=$(claims_published)
	[ -n "$rows" ] || return 0
	printf '\n## Published and measured\n\n| what | published | here | kind of truth |\n|---|---|---|---|\n%s\n' "$rows"
}

# page_holds CHECKED
page_holds() {
	[ -n "$1" ] || return 0
	printf '\n## What must hold\n\n| what | figures | holds |\n|---|---|---|\n'
	awk -F '\t' '{ printf "| %s | %s | %s |\n", $2, $3, ($1 == "no" ? "**no**" : $1 == "-" ? "**not measured**" : $1) }' <<<"$1"
}

# page_write NAME COMMAND CHECKED
page_write() {
	local name=$1 variant point

	cat <<-END
		# $name: $summary

		Written by \`$2\` on a host of $(page_host).
		Mode $mode, $boots boots of each column$([ "$mode" != icount ] || echo ', which agreed within '"$agree"' % in every figure').
		$(page_took).

		$(trim "$about")
	END
	page_published
	printf '\n## Figures\n\nMedians over all repeats of all boots; "change" is that of %s per %s, against %s; "spread" that of\nall runs of the column.\n' \
		"$(page_cost)" "$page_unit" "$(trim "$base" | paste -sd ',' | sed 's/,/ or /g')"
	while IFS=$'\t' read -r variant point; do
		printf '\n### %s%s\n\n' "$([ "$variant" = - ] || echo "$variant, ")" "$point"
		page_table "$point" "$variant"
	done < <(page_points)
	experiment_more
	printf '\n## Verdicts\n\n'
	page_verdicts
	page_holds "$3"
	printf '\n## On what\n\n'
	page_versions "$name"
	if [ -n "$(page_absent "$name")" ]; then
		printf '\n## Not measured\n\n'
		page_absent "$name"
	fi
	printf '\n## Every run\n\n'
	page_runs "$name"
}

# page_run NAME COMMAND FILE: writes it there; dies if that cannot be, or if something does not hold that must.
page_run() {
	local name=$1 command=$2 page=$3 checked='' failed

	page_unit=$(cut -f 5 "$FIGURES" | sort -u | awk '{ unit = NR == 1 ? $0 : "operation" } END { print unit }')
	# Only exact figures can be held to anything.
	[ "$mode" != icount ] || checked=$(claims_checked)
	if ! page_write "$name" "$command" "$checked" >"$page.$$" || ! mv "$page.$$" "$page"; then
		die "cannot write $page"
	fi
	page_verdicts
	say "Written: $page"
	failed=$(claims_failed "$checked")
	[ -z "$failed" ] || die "$name: $failed. Page: $page"
}
