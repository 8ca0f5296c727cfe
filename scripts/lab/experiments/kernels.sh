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
about='
The two pristine kernels that the other experiments start from. What an extra 4K page of a read costs tells most: 6.12 goes by folio
where 6.1 went by page, and pins pages (two atomic operations and a statistic) where 6.1 took a reference. Nothing was published of it; what
stands in that place was seen, by the same counting of instructions, on the two kernels as Debian builds them, each with a configuration
of its own. What a read of 1M into base pages costs on 6.12 depends on which pages they happen to be: repeats of one boot differ by percents.'
holds='
hugetlb 2M 1M | cost | 6.12 | 1.5 * | 6.1
base 1M       | cost | 6.1  | 1.2 * | 6.12
'

# slope COLUMN MEMORY: instructions per extra 4K page of a read, between 64K and 1M.
slope() {
	local small large

	small=$(claims_figure "$1" "$2 64K" cost)
	large=$(claims_figure "$1" "$2 1M" cost)
	if [ -n "$small" ] && [ -n "$large" ]; then
		awk -v a="$small" -v b="$large" 'BEGIN { printf "%.1f\n", (b - a) / 240 }'
	else
		echo -
	fi
}

experiment_published() {
	local memory seen

	for memory in 'hugetlb 2M' base; do
		seen='111, 37'
		[ "$memory" != base ] || seen='370, 585'
		echo "| $memory, $(page_cost) per extra 4K page of a read, 6.1 and 6.12 | not published; Debian's builds: $seen |" \
			"6.1 $(slope 6.1 "$memory"), 6.12 $(slope 6.12 "$memory") | $(claims_truth) |"
	done
}

experiment_more() {
	local memory

	printf '\n### %s per extra 4K page of a read, from 64K to 1M\n\n| | 6.1 | 6.12 |\n|---|---|---|\n' "$(page_cost)"
	for memory in 'hugetlb 2M' thp 'mthp 64K' base; do
		echo "| $memory | $(slope 6.1 "$memory") | $(slope 6.12 "$memory") |"
	done
}
