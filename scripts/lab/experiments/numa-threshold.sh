# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # read by lib/experiment.sh
summary='a page allocated and freed, its NUMA events folded into shared counters above a threshold'
profile=numa-threshold
class=alloc
# What the kernel does once a second falls into a phase of one boot, and beside that of another.
settings="$settings /proc/sys/vm/stat_interval=1000"
contention=yes
base='6.1 125
6.12 125'
# As published: threshold, cycles; 1 is our own.
numa_published='1|-
32|799
64|640
125|537
256|468
512|428
4096|399
20000|394
30000|395
32765|394
not counted|342'

# numa_columns LINUX
numa_columns() {
	local threshold way setting

	printf '%s | %s | %s | | |\n' "$1 pristine" "$1" none "$1 benchmark alone" "$1" numa-threshold/pagebench \
		"$1 all off" "$1" numa-threshold
	while IFS='|' read -r threshold _; do
		way=orion_lab.numa_threshold=$threshold setting=''
		[ "$threshold" != 'not counted' ] || way='' setting=/proc/sys/vm/numa_stat=0
		echo "$1 $threshold | $1 | numa-threshold | $way | $setting |"
	done <<<"$numa_published"
}
columns=$(numa_columns 6.1 && numa_columns 6.12)
about='
In 2017 each CPU counted the NUMA events of allocations up to a threshold of at most 125, and then added them to two counters that 88 CPUs
of two sockets wrote to; larger thresholds all but ended that. Kernels of today have none: all off is theirs. Here one CPU has the
shared counters for itself, and an addition is as long as its instructions, so that the order of the table is shown, and not its size.

By the kernel, a page is a pair of an allocation and a release, timed by a benchmark of the patched kernels with interrupts off; benchmark
alone has that and the page allocator of the pristine kernel. By a program, a page is populated, cleared, and given back. Kernel
instructions, atomics and flag changes are those of the whole phase. What each way is, and is not: kernel-patches/numa-threshold/README.md.'
model='a threshold brought back to new kernels; additions that nobody else makes'

# numa_holds LINUX: down to 512 every step is less, from there on nothing is; off is least.
numa_holds() {
	local smaller=1 threshold

	echo "by the kernel  | cost    | $1 all off | = 0.5 | $1 benchmark alone"
	echo "by the kernel  | atomics | $1 all off | = 0.5 | $1 benchmark alone"
	echo "by a program   | kernel  | $1 all off | = 0.5 | $1 pristine"
	for threshold in 32 64 125 256 512; do
		echo "by the kernel | cost | $1 $threshold | < | $1 $smaller"
		smaller=$threshold
	done
	for threshold in 4096 20000 30000 32765; do
		echo "by the kernel | cost | $1 $threshold | = 1 | $1 512"
	done
	for threshold in 1 512 32765 'all off'; do
		echo "by the kernel | cost | $1 not counted | < | $1 $threshold"
	done
}
holds=$(numa_holds 6.1 && numa_holds 6.12)

# numa_pair LINUX THRESHOLD
numa_pair() {
	awk -v linux="$1" -v own="$(claims_figure "$1 $2" 'by the kernel' cost)" -v base="$(claims_figure "$1 125" 'by the kernel' cost)" '
		BEGIN {
			if (own == "" || base == "") print linux ": not measured"
			else printf "%s: %.2f, %.2f instructions (%+.2f %%)\n", linux, own, base, 100 * (own / base - 1)
		}'
}

experiment_published() {
	local threshold cycles text

	while IFS='|' read -r threshold cycles; do
		[ "$threshold" != 125 ] || continue
		text=-
		[ "$cycles" = - ] || text="$cycles, 537 cycles ($(claims_change 537 "$cycles"))"
		[ "$threshold" = 'not counted' ] || threshold="threshold $threshold"
		echo "| a page allocated and freed, $threshold, to 125 | $text |" \
			"$(numa_pair 6.1 "${threshold#threshold }"); $(numa_pair 6.12 "${threshold#threshold }") | $(claims_truth) |"
	done <<<"$numa_published"
}

# The atomic operations beyond those of the kernel's own way, against the patch's rule: two events, two additions
# each, every time that one and a half thresholds are counted.
experiment_more() {
	local linux threshold point='by the kernel'

	printf '\n### Atomics per page beyond those of all off\n\n| threshold | by design | 6.1 | 6.12 |\n|---|---|---|---|\n'
	while IFS='|' read -r threshold _; do
		printf '| %s | %s' "$threshold" "$(awk -v t="$threshold" 'BEGIN { printf "%.4f", t ~ /^[0-9]/ ? 4 / (t + 1 + int(t / 2)) : 0 }')"
		for linux in 6.1 6.12; do
			awk -v a="$(claims_figure "$linux $threshold" "$point" atomics)" -v b="$(claims_figure "$linux all off" "$point" atomics)" '
				BEGIN { if (a == "" || b == "") printf " | -"; else printf " | %.4f", a - b }'
		done
		echo ' |'
	done <<<"$numa_published"
}
