# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # read by lib/experiment.sh
summary='first touches of private memory with memory control groups, and without (cgroup_disable=memory)'
profile=private-fault
class=fault
contention=yes
base='6.1 memcg
6.12 memcg'
columns='
6.1 memcg     | 6.1  | none | | |
6.1 no memcg  | 6.1  | none | cgroup_disable=memory | |
6.12 memcg    | 6.12 | none | | |
6.12 no memcg | 6.12 | none | cgroup_disable=memory | |
'
about='
In 2008 the pointer from a page to its control group was moved out of struct page, and the claim was of the footprint of struct page
and of the lookup under load, which counts of instructions do not show. What is shown is what control groups of memory cost a fault
at all: a charge per page, counted in batches. No lookup other than that of today is re-created.'
published='
moved out of struct page, Execl of UnixBench | 2475, 2442 lps (-1.3 %; vmalloc and hash, 8 CPUs) | cost | 32M | 6.1 memcg > 6.1 no memcg; 6.12 memcg > 6.12 no memcg
'
model='control groups on and off, not the lookup that was published'
holds='
32M | cost | 6.1 no memcg  | < | 6.1 memcg
32M | cost | 6.12 no memcg | < | 6.12 memcg
'
