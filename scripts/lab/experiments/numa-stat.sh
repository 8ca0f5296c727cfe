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

Published in 2017 (2 sockets, 88 CPUs, pages not cleared, cycles per page): threshold 32 (before) 799, 125 537, not counted 342. The
kernels of today count per CPU without a threshold that matters; what is left are a dozen instructions.'
