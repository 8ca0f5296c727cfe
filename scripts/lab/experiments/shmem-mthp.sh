# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # read by lib/experiment.sh
summary='first touches of anonymous shared memory on 6.12: no large folios, 64K, 2M'
profile=shmem-mthp
class=fault
base=never
columns='
never | 6.12 | none | | | --set points[0].regions.shm.memory=base
64K   | 6.12 | none | | | --set points[0].regions.shm.memory={"kind":"mthp","folio":"64k"}
2M    | 6.12 | none | | | --set points[0].regions.shm.memory={"kind":"mthp","folio":"2m"}
'
about='
"Instructions per page" are those of the touch of a 4K page alone; counts of kernel and user instructions, atomics and flag changes are
of the whole phase, mapping and unmapping with it, divided by the pages touched. The published figures are pages touched a second and
CPU; that is the reciprocal of what is shown here.'
published='
never and 64K, pages per second and CPU; here instructions per page | 82936, 678630 (8.18 times more; ARM64, 32 threads, 1G) | cost | 32M | never > 64K
never and 64K, with mapping and unmapping | - | kernel | 32M | never > 64K
'
holds='
32M | cost | 64K | 4 * | never
32M | cost | 2M  | <   | 64K
'
