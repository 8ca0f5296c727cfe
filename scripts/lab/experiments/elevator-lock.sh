# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # read by lib/experiment.sh
summary='direct reads of 8K through mq-deadline, by whose one lock all wait, take turns, or leave requests in lists of their CPU'
profile=elevator
settings=/sys/block/nullb0/queue/scheduler=mq-deadline
contention=yes
base='6.1 pristine
6.12 pristine'
columns='
6.1 pristine      | 6.1  | none          | | |
6.1 all off       | 6.1  | elevator-lock | | |
6.1 turns         | 6.1  | elevator-lock | orion_lab.elevator_lock=turns | |
6.1 staged        | 6.1  | elevator-lock | orion_lab.elevator_lock=staged | |
6.1 no scheduler  | 6.1  | none          | | /sys/block/nullb0/queue/scheduler=none |
6.12 pristine     | 6.12 | none          | | |
6.12 all off      | 6.12 | elevator-lock | | |
6.12 turns        | 6.12 | elevator-lock | orion_lab.elevator_lock=turns | |
6.12 staged       | 6.12 | elevator-lock | orion_lab.elevator_lock=staged | |
6.12 no scheduler | 6.12 | none          | | /sys/block/nullb0/queue/scheduler=none |
'
about='
In 2024 32 CPUs were found waiting for the one lock of mq-deadline, and a patch that none of these kernels has let one dispatch at a time
while the others go away (turns), and put requests aside where the lock is held (with turns: staged). Here one CPU has the lock for
itself: what is shown is not the gain, but its price where nobody waits, in instructions and atomics. The ways are our own code:
kernel-patches/elevator-lock/README.md.'
published='
mq-deadline before and after, null_blk | 879, 2867 thousand I/Os a second (3.26 times more; 32 threads) | cost | 8K, depth 32 | 6.1 all off > 6.1 staged; 6.12 all off > 6.12 staged
the same on an NVMe drive, for which null_blk stands here | 901, 3162 thousand I/Os a second (3.51 times more; 32 threads) | cost | 8K, depth 32 | 6.1 all off > 6.1 staged; 6.12 all off > 6.12 staged
atomic operations before and after | - | atomics | 8K, depth 32 | 6.1 all off > 6.1 staged; 6.12 all off > 6.12 staged
'
model='the price of the cure where nobody waits, not its gain'
# A turn is taken and given back by an atomic operation each.
holds=$(for linux in 6.1 6.12; do
	echo "8K, depth 32 | cost    | $linux all off      | = 0.5 | $linux pristine"
	echo "8K, depth 32 | atomics | $linux all off      | = 0.5 | $linux pristine"
	echo "8K, depth 32 | atomics | $linux pristine     | <     | $linux turns"
	echo "8K, depth 32 | cost    | $linux no scheduler | <     | $linux pristine"
done)
