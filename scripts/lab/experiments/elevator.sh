# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # read by lib/experiment.sh
summary='direct reads of 8K by io_uring through mq-deadline and through no scheduler'
profile=elevator
contention=yes
base='6.1 none
6.12 none'
columns='
6.1 none         | 6.1  | none | | |
6.1 mq-deadline  | 6.1  | none | | /sys/block/nullb0/queue/scheduler=mq-deadline |
6.12 none        | 6.12 | none | | |
6.12 mq-deadline | 6.12 | none | | /sys/block/nullb0/queue/scheduler=mq-deadline |
'
about='
What was published in 2024 is the split of the lock that all CPUs dispatch under; it is in neither of these kernels, and one CPU has
nobody to share the lock with. What is shown is what the scheduler itself takes of a read.'
published='
mq-deadline before and after its lock was split | 879, 2867 thousand I/Os a second (3.26 times more; null_blk, 32 threads) | cost | 8K, depth 32 | 6.1 none > 6.1 mq-deadline; 6.12 none > 6.12 mq-deadline
'
model='the scheduler on and off, not the patch that was published'
holds='
8K, depth 32 | cost    | 6.1 none  | < | 6.1 mq-deadline
8K, depth 32 | atomics | 6.1 none  | < | 6.1 mq-deadline
8K, depth 32 | cost    | 6.12 none | < | 6.12 mq-deadline
8K, depth 32 | atomics | 6.12 none | < | 6.12 mq-deadline
'
