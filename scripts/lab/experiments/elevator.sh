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

Published in 2024 (32 threads on null_blk, before and after the lock of mq-deadline was split; that is not in 6.12): 879 and 2867
thousand I/Os a second. Here one CPU dispatches: what the scheduler itself takes of it.'
