# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # read by lib/experiment.sh
summary='first touches with the control group of a page in struct page, in a hash and in a tree beside it, charged 64 to 1 at a time'
profile=memcg-lookup
class=fault
group=lab
contention=yes
base='6.1 pristine'
columns='
6.1 pristine  | 6.1 | none         | | |
6.1 ptr 64    | 6.1 | memcg-lookup | | |
6.1 hash 64   | 6.1 | memcg-lookup | orion_lab.memcg_lookup=hash | |
6.1 xarray 64 | 6.1 | memcg-lookup | orion_lab.memcg_lookup=xarray | |
6.1 ptr 32    | 6.1 | memcg-lookup | orion_lab.memcg_batch=32 | |
6.1 ptr 16    | 6.1 | memcg-lookup | orion_lab.memcg_batch=16 | |
6.1 ptr 8     | 6.1 | memcg-lookup | orion_lab.memcg_batch=8 | |
6.1 ptr 4     | 6.1 | memcg-lookup | orion_lab.memcg_batch=4 | |
6.1 ptr 2     | 6.1 | memcg-lookup | orion_lab.memcg_batch=2 | |
6.1 ptr 1     | 6.1 | memcg-lookup | orion_lab.memcg_batch=1 | |
6.1 hash 1    | 6.1 | memcg-lookup | orion_lab.memcg_lookup=hash orion_lab.memcg_batch=1 | |
6.1 xarray 1  | 6.1 | memcg-lookup | orion_lab.memcg_lookup=xarray orion_lab.memcg_batch=1 | |
6.1 no memcg  | 6.1 | none         | cgroup_disable=memory | |
'
about='
In 2008 a page found its memory control group by a pointer in struct page, and was charged by itself. It was tried to have the
pointer elsewhere: in a radix tree of what was allocated when a page was charged, in tables found by a hash, and in those with charges
taken in batches. Ptr, xarray and hash stand for the three; the number is that of pages a charge takes at once, 1 then and 64 today.
Ptr 64 is the patched kernel with everything off.

The switches are where pages are charged, counted and queued, a no-op each, and make functions that called nobody save registers: off
they cost 10 instructions of the touch of a page (0.4 %), and as many again where it is unmapped.

All run in a control group of their own (where there are such): the root group is charged nothing. "Instructions per page" are those of the
touch of a 4K page alone; the counts are of the whole phase, mapping and unmapping with it, divided by the pages touched. What is
looked up beside struct page is compared with the pointer in it, which is still there, so that a page costs the load of both; the
footprint that it was about is not made smaller. The published table, of processes, is that of memcg-spawn.'
model='lookups of then on a new kernel, which keeps its own'
published='
pointer to radix tree, pointer to hash, charged one by one | Execl +3.9 %, -1.3 %; Shell 8 -4.9 %, -1.9 % (8 CPUs) | kernel | 512K | 6.1 ptr 1 > 6.1 xarray 1; 6.1 ptr 1 > 6.1 hash 1
hash, charged one by one to in batches           | Execl -4.1 %; Shell 8 +1.0 % (with lazy LRU)    | kernel | 512K | 6.1 hash 1 > 6.1 hash 64
atomic operations, charged one by one to in batches | - | atomics | 512K | 6.1 ptr 1 > 6.1 ptr 64
'
holds='
512K | cost    | 6.1 ptr 64    | = 0.5 | 6.1 pristine
512K | kernel  | 6.1 ptr 64    | = 0.5 | 6.1 pristine
512K | atomics | 6.1 ptr 64    | = 0.5 | 6.1 pristine
512K | kernel  | 6.1 ptr 64    | <     | 6.1 hash 64
512K | kernel  | 6.1 hash 64   | <     | 6.1 xarray 64
512K | kernel  | 6.1 ptr 1     | <     | 6.1 hash 1
512K | kernel  | 6.1 hash 1    | <     | 6.1 xarray 1
512K | kernel  | 6.1 ptr 64    | <     | 6.1 ptr 1
512K | atomics | 6.1 ptr 64    | <     | 6.1 ptr 1
512K | kernel  | 6.1 hash 64   | <     | 6.1 hash 1
512K | kernel  | 6.1 xarray 64 | <     | 6.1 xarray 1
512K | kernel  | 6.1 no memcg  | <     | 6.1 ptr 64
'

# That the lookups find what they look for.
experiment_more() {
	local column

	printf '\n### Lookups that did not find what struct page says\n\nIn the whole boot, with pages that were charged before the switch stood.\n\n'
	printf '| column | missed |\n|---|---|\n'
	for column in "${!column_labels[@]}"; do
		case ${column_arguments[column]} in
		*memcg_lookup=*) echo "| ${column_labels[column]} | $(boot_said "$CACHE/boot/$experiment/$column-0" missed) |" ;;
		esac
	done
}
