# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # read by lib/experiment.sh
summary='page references of direct I/O: per folio, per 4K page, per page under a lock, and with the bypass for hugetlb'
profile=aio
settings="$settings /sys/kernel/mm/transparent_hugepage/shmem_enabled=advise"
contention=yes
base='6.1 pristine
6.12 pristine'
columns='
6.1 pristine       | 6.1  | none        | | |
6.1 all off        | 6.1  | aio-tailref | | |
6.1 per page       | 6.1  | aio-tailref | orion_lab.tailref=pertail | |
6.1 locked         | 6.1  | aio-tailref | orion_lab.tailref=locked | |
6.1 locked+bypass  | 6.1  | aio-tailref | orion_lab.tailref=locked-bypass | |
6.12 pristine      | 6.12 | none        | | |
6.12 all off       | 6.12 | aio-tailref | | |
6.12 per page      | 6.12 | aio-tailref | orion_lab.tailref=pertail | |
6.12 locked        | 6.12 | aio-tailref | orion_lab.tailref=locked | |
6.12 locked+bypass | 6.12 | aio-tailref | orion_lab.tailref=locked-bypass | |
'
about='
In 2013 asynchronous direct reads into a SHM_HUGETLB segment were found a fifth to almost a half slower than before transparent
huge pages, and a patch took pages of hugetlb past the lock of their tail pages. Per page stands for the kernel before, locked for
3.11-rc5, locked+bypass for that with the patch; pristine and all off, for which a reference is taken once a folio, are the kernels of
today. How often references and locks are taken is re-created, not the old code: kernel-patches/aio-tailref/README.md.

hugetlb 2M are huge pages of 2M, thp folios of 2M in shared memory, mthp 64K folios of 64K in it, which 6.1 does not have, base its 4K pages.
A folio of 64K is mapped page by page, so that references were always taken page by page; only dropping them is batched.
Base pages have no tails, and are there to see that they lose nothing; what a read of 1M into them costs on 6.12 depends on
which pages they happen to be, so that repeats of one boot differ by several percent.

An instruction costs one nanosecond here, a locked one as well, and one CPU has nobody to wait for. The lock is therefore to be
seen in the atomics and interrupt flag changes, and only in part in MB/s; the wait for it, most of what was measured in 2013, not at all.'
model='a cost model of old kernels on new ones'
published='
1M reads into hugetlb, before THP and 3.11-rc5  | 8384, 6501 MB/s (-22.5 %; 2.6.39: 5629) | mbps | hugetlb 2M 1M  | 6.1 per page > 6.1 locked; 6.12 per page > 6.12 locked
1M, before THP and 3.11-rc5 with the patch      | 8384, 8371 MB/s (-0.2 %)  | mbps | hugetlb 2M 1M  | 6.1 per page > 6.1 locked+bypass; 6.12 per page > 6.12 locked+bypass
64K reads into hugetlb, before THP and 3.11-rc5 | 7867, 4251 MB/s (-46.0 %; 2.6.39: 4576) | mbps | hugetlb 2M 64K | 6.1 per page > 6.1 locked; 6.12 per page > 6.12 locked
64K, before THP and 3.11-rc5 with the patch     | 7867, 6510 MB/s (-17.2 %) | mbps | hugetlb 2M 64K | 6.1 per page > 6.1 locked+bypass; 6.12 per page > 6.12 locked+bypass
atomics that the lock adds to a 1M read         | -                         | atomics | hugetlb 2M 1M  | 6.1 per page > 6.1 locked; 6.12 per page > 6.12 locked
atomics that the bypass takes away again        | -                         | atomics | hugetlb 2M 1M  | 6.1 locked > 6.1 locked+bypass; 6.12 locked > 6.12 locked+bypass
'
# ways POINT LINUX: what every large folio shows.
ways() {
	echo "$1 | cost    | $2 all off       | = 0.5 | $2 pristine"
	echo "$1 | atomics | $2 all off       | = 0.5 | $2 pristine"
	echo "$1 | cost    | $2 pristine      | <     | $2 per page"
	echo "$1 | cost    | $2 per page      | <     | $2 locked"
	echo "$1 | atomics | $2 pristine      | <     | $2 per page"
	echo "$1 | atomics | $2 per page      | 1.5 * | $2 locked"
	echo "$1 | flags   | $2 per page      | 5 *   | $2 locked"
}
# bypass POINT COLUMN COLUMN: which way the column with the bypass is like.
bypass() {
	echo "$1 | atomics | $2 | = 0.5 | $3"
	echo "$1 | flags   | $2 | = 0.5 | $3"
}
holds=$(for size in 64K 1M; do
	for linux in 6.1 6.12; do
		for memory in 'hugetlb 2M' thp; do
			ways "$memory $size" $linux
		done
		bypass "hugetlb 2M $size" "$linux locked+bypass" "$linux per page"
		bypass "thp $size" "$linux locked+bypass" "$linux locked"
	done
	echo "base $size | atomics | 6.1 all off | = 0.5 | 6.1 pristine"
	echo "base $size | cost | 6.1 all off | = 0.5 | 6.1 pristine"
	ways "mthp 64K $size" 6.12
	bypass "mthp 64K $size" '6.12 locked+bypass' '6.12 locked'
done
echo "base 64K | cost | 6.12 all off | = 0.5 | 6.12 pristine")

# What weights would make of it: none of them was measured.
experiment_more() {
	printf '\n### A cost model\n\n%s\n%s\n\n%s\n%s\n' \
		'Cycles of a read into hugetlb against those per page, if every atomic operation cost so many instructions more and every change of' \
		'the interrupt flag so many. The weights are assumed; waiting for the lock is in none of them.' \
		'| size | an atomic, a flag change | 6.1 locked | 6.1 locked+bypass | 6.12 locked | 6.12 locked+bypass |' '|---|---|---|---|---|---|'
	awk -F '\t' '
		$3 ~ /^hugetlb / { cost[$1, $3] = $9; atomics[$1, $3] = $12; flags[$1, $3] = $13; if (!seen[$3]++) point[++n] = $3 }
		function cycles(label, p) { return cost[label, p] + a * atomics[label, p] + f * flags[label, p] }
		function change(linux, way, p) { return sprintf("%+.0f %%", 100 * (cycles(linux " " way, p) / cycles(linux " per page", p) - 1)) }
		END {
			for (i = 1; i <= n; i++)
				for (a = 0; a <= 40; a = a ? 2 * a : 10) {
					f = a / 2
					size = point[i]
					sub(/.* /, "", size)
					printf "| %s | %d, %d | %s | %s | %s | %s |\n", size, a, f, change("6.1", "locked", point[i]),
						change("6.1", "locked+bypass", point[i]), change("6.12", "locked", point[i]), change("6.12", "locked+bypass", point[i])
				}
		}' "$FIGURES"
}
