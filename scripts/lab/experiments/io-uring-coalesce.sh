# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # read by lib/experiment.sh
summary='direct reads into registered buffers of io_uring: one piece a page, one for a buffer within a folio, one a folio'
profile=io-uring-coalesce
settings="$settings /sys/kernel/mm/transparent_hugepage/shmem_enabled=advise"
base='6.1 pages
6.12 pages'
columns='
6.1 pristine  | 6.1  | none              | | |
6.1 pages     | 6.1  | io-uring-coalesce | | |
6.1 one       | 6.1  | io-uring-coalesce | orion_lab.uring_coalesce=one | |
6.1 folios    | 6.1  | io-uring-coalesce | orion_lab.uring_coalesce=folios | |
6.12 pristine | 6.12 | none              | | |
6.12 folios   | 6.12 | io-uring-coalesce | | |
6.12 one      | 6.12 | io-uring-coalesce | orion_lab.uring_coalesce=one | |
6.12 pages    | 6.12 | io-uring-coalesce | orion_lab.uring_coalesce=pages | |
'
about='
Every read into a registered buffer walks over the pieces that it was registered in: one a page in 6.1 (pages), one where a buffer is
within one folio from 6.3 on (one), one a folio in 6.12 (folios). The patch brings to 6.1 what it has not, and takes from 6.12 what it
has: kernel-patches/io-uring-coalesce/README.md. With everything off, 6.1 has pages and 6.12 folios.

One huge page is a buffer of 2M in one; hugetlb 2M, mthp 64K (which 6.1 does not have) and base are buffers of 64M. A read of 1M in
pieces of a page is too long for the disk (128 segments), and is split; null_blk maps no scatter list, which is what was published of.'
published='
random reads of 8M, __blk_rq_map_sg() before and after | 5.88 % of the cycles, below the list | cost | hugetlb 2M 1M | 6.1 pages > 6.1 folios; 6.12 pages > 6.12 folios
'
model='the walk over the pieces alone, by reads of 1M'
holds=$(for linux in 6.1 6.12; do
	off=pages
	[ $linux = 6.1 ] || off=folios
	for point in 'one huge page 64K' 'hugetlb 2M 8K' 'hugetlb 2M 64K' 'hugetlb 2M 1M' 'base 1M'; do
		echo "$point | cost | $linux $off | = 0.5 | $linux pristine"
	done
	echo "hugetlb 2M 64K    | cost | $linux folios | <     | $linux pages"
	echo "hugetlb 2M 64K    | cost | $linux one    | = 0.5 | $linux pages"
	echo "hugetlb 2M 1M     | cost | $linux folios | 3 *   | $linux pages"
	echo "one huge page 64K | cost | $linux one    | = 0.5 | $linux folios"
	echo "one huge page 64K | cost | $linux one    | <     | $linux pages"
	echo "base 1M           | cost | $linux folios | = 0.5 | $linux pages"
done)
