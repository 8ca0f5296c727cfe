# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # read by lib/experiment.sh
summary='processes as in UnixBench, with the control group of a page in struct page, in a hash and in a tree beside it'
profile=memcg-spawn
class='exec shell program'
group=lab
# What ends with a process is done some time later, not the same in every boot.
agree=5
contention=yes
base='6.1 ptr 1'
columns='
6.1 ptr 1    | 6.1 | memcg-lookup | orion_lab.memcg_batch=1 | |
6.1 xarray 1 | 6.1 | memcg-lookup | orion_lab.memcg_lookup=xarray orion_lab.memcg_batch=1 | |
6.1 hash 1   | 6.1 | memcg-lookup | orion_lab.memcg_lookup=hash orion_lab.memcg_batch=1 | |
6.1 hash 64  | 6.1 | memcg-lookup | orion_lab.memcg_lookup=hash | |
6.1 ptr 64   | 6.1 | memcg-lookup | | |
6.1 no memcg | 6.1 | none         | cgroup_disable=memory | |
'
about='
The table that was published in 2008 about moving the pointer to the memory control group out of struct page, made of what memcg-lookup
has: ptr, xarray and hash stand for the pointer, the radix tree and the hash, each charged page by page (1), and hash 64 for the hash with charges in
batches. Ptr 64 is the kernel of today. An exec is one of a chain, a loop of Shell one script, dc a square root; programs are
those of busybox, which has no C compiler, so that this line is missing. Shell 8 and Shell 16, so many scripts at a time, are to one CPU what
Shell 1 is, and are left to hosts of several.

"Instructions per operation" are those of an exec or of a whole loop with all its processes, on one CPU, in a control group of their own.
The published figures are loops a second (lps) or a minute (lpm): more is better there, and less is here.'
model='lookups of then on a new kernel, which keeps its own'
# row LINE UNIT FIGURES
row() {
	echo "$1, $2: pointer, radix tree, hash, hash with batches | $3 | cost | $1 | 6.1 ptr 1 > 6.1 xarray 1; 6.1 ptr 1 > 6.1 hash 1; 6.1 ptr 1 > 6.1 hash 64"
}
published=$(
	row Execl lps '2475, 2571, 2442, 2341 (+3.9 %, -1.3 %, -5.4 %)'
	row 'C compiler' lpm '1458, 1334, 1430, 1437 (-8.5 %, -1.9 %, -1.4 %)'
	row 'Shell 1' lpm '9363, 8865, 9234, 9259 (-5.3 %, -1.4 %, -1.1 %)'
	row 'Shell 8' lpm '3869, 3677, 3794 (1 of 3 failed), 3833 (-4.9 %, -1.9 %, -0.9 %)'
	row 'Shell 16' lpm '2204, 2094 (2 of 3 failed), 2166 (1 of 3 failed), 2195 (-5.0 %, -1.7 %, -0.4 %)'
	row Dc lpm '101982, 98431, 102979, 102576 (-3.5 %, +1.0 %, +0.6 %)'
)
holds='
Execl   | cost | 6.1 ptr 1 | < | 6.1 hash 1
Execl   | cost | 6.1 ptr 1 | < | 6.1 xarray 1
Shell 1 | cost | 6.1 ptr 1 | < | 6.1 hash 1
Shell 1 | cost | 6.1 ptr 1 | < | 6.1 xarray 1
'
