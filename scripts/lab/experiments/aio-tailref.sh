# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # read by lib/experiment.sh
summary='page references of direct I/O: per folio, per 4K page, per page under a lock, and with the bypass for hugetlb'
profile=aio
settings="$settings /sys/kernel/mm/transparent_hugepage/shmem_enabled=advise"
contention=yes
base='6.1 pristine
6.12 pristine'
columns='
6.1 pristine       | 6.1  | none        | | |
6.1 all off        | 6.1  | aio-tailref | | |
6.1 per page       | 6.1  | aio-tailref | orion_lab.tailref=pertail | |
6.1 locked         | 6.1  | aio-tailref | orion_lab.tailref=locked | |
6.1 locked+bypass  | 6.1  | aio-tailref | orion_lab.tailref=locked-bypass | |
6.12 pristine      | 6.12 | none        | | |
6.12 all off       | 6.12 | aio-tailref | | |
6.12 per page      | 6.12 | aio-tailref | orion_lab.tailref=pertail | |
6.12 locked        | 6.12 | aio-tailref | orion_lab.tailref=locked | |
6.12 locked+bypass | 6.12 | aio-tailref | orion_lab.tailref=locked-bypass | |
'
about='

Published in 2013 (MB/s; pre-THP kernel, 2.6.39, 3.11-rc5, 3.11-rc5 with the patch): 1M reads 8384, 5629, 6501, 8371; 64K reads
7867, 4576, 4251, 6510. "Per page", "locked" and "locked+bypass" are a cost model of those kernels on new ones: they re-create how
often references and locks were taken, not the old code.'
