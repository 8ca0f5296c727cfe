# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # read by lib/experiment.sh
summary='first touches of anonymous shared memory on 6.12: no large folios, 64K, 2M; 64K not known; 64K mapped page by page'
profile=shmem-mthp
class=fault
contention=yes
base=never
memory='--set points[0].regions.shm.memory='
asked_64k=$memory'{"kind":"mthp","folio":"64k"}'
columns="
never         | 6.12 | none       | | | ${memory}base
64K           | 6.12 | none       | | | $asked_64k
2M            | 6.12 | none       | | | $memory"'{"kind":"mthp","folio":"2m"}'"
all off never | 6.12 | shmem-mthp | | | ${memory}base
all off 64K   | 6.12 | shmem-mthp | | | $asked_64k
ignored       | 6.12 | shmem-mthp | orion_lab.shmem_mthp=ignore | | --set strict_share=0 $asked_64k
64K single    | 6.12 | shmem-mthp | orion_lab.shmem_map=single | | $asked_64k
"
about='
Until 6.11 anonymous shared memory knew folios of 4K and 2M only. Never and 64K are what 6.12 does as it is told; ignored is a patched 6.12
that knows no size between, and is asked for 64K all the same: the kernel before the series that was published. All off is the patched
kernel as it comes. In "64K single" a fault gets a folio of 64K and maps the one page that it was for, so that the other fifteen
fault again: what is left of the gain is that of allocating at once, what is lost that of mapping at once.

"Instructions per page" are those of the touch of a 4K page alone; counts of kernel and user instructions, atomics and flag changes are
of the whole phase, mapping and unmapping with it, divided by the pages touched. The published figures are pages touched a second and
CPU; that is the reciprocal of what is shown here.'
published='
before the series and 64K, pages per second and CPU; here instructions per page | 83516, 678630 (8.13 times more; ARM64, 32 threads, 1G) | cost | 32M | ignored > 64K
the series with large folios off, against before | 83516, 82936 (-0.7 %) | cost | 32M | ignored > never
never and 64K, with mapping and unmapping | - | kernel | 32M | never > 64K
allocated at once, mapped one by one | - | cost | 32M | never > 64K single; 64K single > 64K
'
holds='
32M | cost    | 64K           | 4 *   | never
32M | cost    | 2M            | <     | 64K
32M | cost    | all off never | = 0.5 | never
32M | kernel  | all off never | = 0.5 | never
32M | cost    | all off 64K   | = 0.5 | 64K
32M | kernel  | all off 64K   | = 0.5 | 64K
32M | cost    | ignored       | = 1   | never
32M | cost    | 64K           | <     | 64K single
32M | cost    | 64K single    | <     | never
'

# What 64K gain, in two.
experiment_more() {
	printf '\n### Where the gain of 64K is, instructions per page of the touch\n\n| | instructions | share |\n|---|---|---|\n'
	awk -v never="$(claims_figure never 32M cost)" -v single="$(claims_figure '64K single' 32M cost)" \
		-v large="$(claims_figure 64K 32M cost)" 'BEGIN {
			gain = never - large
			if (gain <= 0) exit
			printf "| allocating, charging, clearing sixteen pages at once (never to 64K single) | %.0f | %.0f %% |\n", never - single, 100 * (never - single) / gain
			printf "| mapping them at once (64K single to 64K) | %.0f | %.0f %% |\n", single - large, 100 * (single - large) / gain
		}'
}
