#!/bin/sh
# SPDX-License-Identifier: MIT
# script.sh - a day's orders sorted, looked at byte by byte, filtered, counted, and cleaned up after.
# usage: script.sh ROWS, in a folder of its own; exit code 0 only if all came out as it must
sort -t, -k3,3n -k1,1 "$1" >sorted || exit 10
od -An -v -tx1 sorted | sort >bytes || exit 11
grep -v ,open, sorted | tee closed | wc -l >count || exit 12
read -r count <count
rm sorted bytes closed count || exit 13
[ "$count" -eq 80 ] || exit 14
