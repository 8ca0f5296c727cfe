# SPDX-License-Identifier: MIT
# page.sh - the page of an experiment: what was run on what, every run, and what kind of truth it is.
# Sourced by bash. A line of $FIGURES: column, then as figures.sh has it.
# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2317 # the lab's modules share what an experiment sets

# Less than so many percent of instructions is nothing: other command lines alone move them so far.
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
				change = label == base || reference == 0 ? "" : sprintf("%+.1f %%", 100 * (own[9] / reference - 1))
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

# page_points: variants and points of all columns, once each.
page_points() {
	awk -F '\t' '!(($2, $3) in seen) { seen[$2, $3] = 1; print $2 "\t" $3 }' "$FIGURES"
}

# page_verdicts: every column against its base, in words.
page_verdicts() {
	local label truth

	truth=$(boot_mode_truth "$mode" "$boots")
	for label in "${column_labels[@]}"; do
		[ "$label" != "$(experiment_base "$label")" ] || continue
		awk -F '\t' -v label="$label" -v base="$(experiment_base "$label")" -v truth="$truth" -v nothing="$PAGE_NOTHING" \
			-v deterministic="$([ "$mode" = icount ] && echo 1)" '
			$1 == base { ns[$2, $3] = $9; spread[$2, $3] = $14 }
			$1 == label { order[++n] = $2 SUBSEP $3; name[n] = ($2 == "-" ? "" : $2 ", ") $3; own[n] = $9; own_spread[n] = $14 }
			END {
				for (i = 1; i <= n; i++) {
					if (!(order[i] in ns)) continue
					change = 100 * (own[i] / ns[order[i]] - 1)
					limit = deterministic ? nothing : (spread[order[i]] > own_spread[i] ? spread[order[i]] : own_spread[i])
					size = change < 0 ? -change : change
					if (size < limit)
						what = sprintf("no difference that counts (%+.2f %%, of less than %.1f %% nothing is said)", change, limit)
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
	local column folder

	echo "| column | kernel | boot arguments | orion_lab says | settings | options of orion-sim |"
	echo '|---|---|---|---|---|---|'
	for column in "${!column_labels[@]}"; do
		folder=$CACHE/boot/$1/$column-0
		printf '| %s | %s, %s, patches: %s | `%s` | %s | `%s` | `%s` |\n' "${column_labels[column]}" "$(boot_said "$folder" kernel)" \
			"$(sed -n 's/^source //p' "${built[column]}/record")" "${column_patches[column]}" \
			"${column_arguments[column]:--}" "$(boot_said "$folder" orion_lab)" "${column_settings[column]:--}" "${column_options[column]:--}"
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
				{ printf "| %s | %d | %s%s | %d | %d | %.2f | %.2f | %s | %s | %s | %s |\n", label, boot, $1 == "-" ? "" : $1 ", ", $2, $5 + 1, $6, $7, $8,
					show($9, 2), show($10, 2), show($11, 3), show($12, 3) }' "$CACHE/boot/$1/$column-$boot/figures"
		done
	done
}

# page_absent: points that were not measured and why, settings that a kernel does not have.
page_absent() {
	local column folder

	for column in "${!column_labels[@]}"; do
		folder=$CACHE/boot/$1/$column-0
		figures_missing "$folder/result.json" | sed "s|^|- ${column_labels[column]}: |"
		sed -n "s|^LAB absent |- ${column_labels[column]}: this kernel has no |p" "$folder/console"
	done
}

# page_write NAME COMMAND
page_write() {
	local name=$1 variant point

	page_unit=$(cut -f 5 "$FIGURES" | head -n 1)
	cat <<-END
		# $name: $summary

		Written by \`$2\`; mode $mode, $boots boots of each column$([ "$mode" != icount ] || echo ', which agreed within 0.5 % in every figure').
		Medians over all repeats of all boots; "change" is that of $(page_cost) per $page_unit.

		$(trim "$about")

		## Figures
	END
	while IFS=$'\t' read -r variant point; do
		printf '\n### %s%s\n\n' "$([ "$variant" = - ] || echo "$variant, ")" "$point"
		page_table "$point" "$variant"
	done < <(page_points)
	experiment_more
	printf '\n## Verdicts\n\n'
	page_verdicts
	printf '\n## On what\n\n'
	page_versions "$name"
	if [ -n "$(page_absent "$name")" ]; then
		printf '\n## Not measured\n\n'
		page_absent "$name"
	fi
	printf '\n## Every run\n\n'
	page_runs "$name"
}
