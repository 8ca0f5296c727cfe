# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # read by lib/experiment.sh
summary='Linux 6.1 against 6.12, of one configuration: direct reads by libaio'
profile=aio
settings="$settings /sys/kernel/mm/transparent_hugepage/shmem_enabled=advise"
base=6.1
columns='
6.1  | 6.1  | none | | |
6.12 | 6.12 | none | | |
'
about='What was seen on Debian'\''s own kernels, of other configurations: per extra 4K page of a read 111 instructions (6.1)
and 37 (6.12) into huge pages, 370 and 585 into base pages.'

# Instructions per extra 4K page, between reads of 64K and of 1M.
experiment_more() {
	printf '\n## Instructions per extra 4K page of a read (64K to 1M)\n\n| | %s |\n|---|---|---|\n' \
		"$(printf '%s | ' "${column_labels[@]}" | sed 's/ | $//')"
	awk -F '\t' -v OFS=' | ' -v labels="$(printf '%s\t' "${column_labels[@]}")" '
		{
			memory = $3
			sub(/ [^ ]*$/, "", memory)
			if (!(memory in seen)) { seen[memory] = 1; order[++n] = memory }
			if ($3 ~ / 64K$/) small[$1, memory] = $9
			if ($3 ~ / 1M$/) large[$1, memory] = $9
		}
		END {
			columns = split(labels, label, "\t") - 1
			for (i = 1; i <= n; i++) {
				line = "| " order[i]
				for (c = 1; c <= columns; c++) {
					slope = "-"
					if ((label[c], order[i]) in large)
						slope = sprintf("%.1f", (large[label[c], order[i]] - small[label[c], order[i]]) / 240)
					line = line OFS slope
				}
				print line " |"
			}
		}' "$FIGURES"
}
