# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # read by lib/experiment.sh
summary='the gate of CI: pristine against patched, reads of 64K and 1M into huge pages'
profile=smoke
base=pristine
columns='
pristine | 6.1 | none        | | |
all off  | 6.1 | aio-tailref | | |
locked   | 6.1 | aio-tailref | orion_lab.tailref=locked | |
'
