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

What was seen on other builds, per fault: 4426 and 3784 instructions (6.1), 4736 and 4199 (6.12). The claim of 2008 was of the footprint
of struct page and of its lookup under load, which counts of instructions do not show.'
