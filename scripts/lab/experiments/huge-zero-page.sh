# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # read by lib/experiment.sh
summary='reads of the huge zero page: counted once a process, and each mapping in one counter of all'
profile=huge-zero-page
class=fault
contention=yes
own=/sys/kernel/mm/transparent_hugepage/use_zero_page=0
base='6.1 pristine
6.12 pristine'
columns="
6.1 pristine          | 6.1  | none           | | |
6.1 all off           | 6.1  | huge-zero-page | | |
6.1 global            | 6.1  | huge-zero-page | orion_lab.hzp=global | |
6.1 own pages         | 6.1  | none           | | $own |
6.1 own pages global  | 6.1  | huge-zero-page | orion_lab.hzp=global | $own |
6.12 pristine         | 6.12 | none           | | |
6.12 all off          | 6.12 | huge-zero-page | | |
6.12 global           | 6.12 | huge-zero-page | orion_lab.hzp=global | |
6.12 own pages        | 6.12 | none           | | $own |
6.12 own pages global | 6.12 | huge-zero-page | orion_lab.hzp=global | $own |
"
about='
Until 2016 every fault that mapped the huge zero page raised one counter that all processes share, and every unmapping lowered it. Since
then a process does so once, and remembers it by a flag. Global has that counter back beside the flag; pristine and all off are the
kernels of today. Own pages are kernels that are told to have no huge zero page (use_zero_page=0): each read takes 2M of memory and
clears it, and no counter is touched, whatever the switch says.

"Instructions per touch" are those of the fault alone; counts of kernel and user instructions, atomics and flag changes are of the
whole phase, unmapping with it. So global costs one atomic operation more where the fault is timed, and two where all is counted. What
they cost when 72 CPUs want the same line is what was published, and nothing that one CPU can show.'
model='the old count on new kernels'
published='
reads of 100G by 72 processes, counted once a process and globally | 4726928591, 1784430792 KB/s (2.65 times more; runtime -57 %; Haswell EP, 72 CPUs) | cost | 2M each | 6.1 global > 6.1 pristine; 6.12 global > 6.12 pristine
share of CPU time in taking the reference | 54.03 %, 0.11 % | atomics | 2M each | 6.1 global > 6.1 pristine; 6.12 global > 6.12 pristine
'
holds=$(for linux in 6.1 6.12; do
	for point in '2M each' '4K each'; do
		echo "$point | cost    | $linux all off          | = 0.5 | $linux pristine"
		echo "$point | kernel  | $linux all off          | = 0.5 | $linux pristine"
		echo "$point | atomics | $linux all off          | = 0.5 | $linux pristine"
	done
	echo "2M each | cost    | $linux pristine         | <     | $linux global"
	echo "2M each | atomics | $linux global           | + 2   | $linux all off"
	echo "4K each | cost    | $linux global           | = 0.5 | $linux pristine"
	echo "4K each | atomics | $linux global           | = 0.5 | $linux pristine"
	echo "2M each | cost    | $linux own pages global | = 0.5 | $linux own pages"
	echo "2M each | atomics | $linux own pages global | = 0.5 | $linux own pages"
done)

# The patch is designed to add one when the page is mapped and one when it is unmapped.
experiment_more() {
	local linux

	printf '\n### Atomic operations that the counter adds to a touch\n\n| | designed | measured |\n|---|---|---|\n'
	for linux in 6.1 6.12; do
		echo "| $linux | 2 | $(awk -v off="$(claims_figure "$linux all off" '2M each' atomics)" \
			-v global="$(claims_figure "$linux global" '2M each' atomics)" 'BEGIN { printf "%.3f", global - off }') |"
	done
	printf '\nRepeats of one column differ by 0.01, since they end at another touch.\n'
}
