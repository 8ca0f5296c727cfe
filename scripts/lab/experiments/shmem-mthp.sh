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

Published in 2024 (ARM64, 32 cores, 1G by 32 threads; faults per second and CPU): never 82936, 64K 678630. "Instructions per page"
are those of the touch of a 4K page alone; counts of kernel and user instructions, atomics and flag changes are of the whole
phase, mapping and unmapping with it, divided by the pages touched.'
