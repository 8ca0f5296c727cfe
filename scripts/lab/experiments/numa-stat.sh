# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # read by lib/experiment.sh
summary='pages taken and given back with the NUMA counters of the kernel on and off (vm.numa_stat)'
profile=numa-stat
class=alloc
contention=yes
base='6.1 counted
6.12 counted'
columns='
6.1 counted      | 6.1  | none | | |
6.1 not counted  | 6.1  | none | | /proc/sys/vm/numa_stat=0 |
6.12 counted     | 6.12 | none | | |
6.12 not counted | 6.12 | none | | /proc/sys/vm/numa_stat=0 |
'
about='
In 2017 each page taken cost a counter that was folded into a shared one now and then, which 88 CPUs fought for. Kernels of today count
per CPU without a threshold that matters: what is left are a dozen instructions. Here a page is mapped, touched, which clears it, and
unmapped; the published benchmark did none of that, so that its counters weighed more.'
published='
a page with counters and without | 537, 342 cycles (-36.3 %; threshold 32: 799; 2 sockets, 88 CPUs) | cost | base pages | 6.1 counted > 6.1 not counted; 6.12 counted > 6.12 not counted
'
holds='
base pages | cost | 6.1 not counted  | < | 6.1 counted
base pages | cost | 6.12 not counted | < | 6.12 counted
'
