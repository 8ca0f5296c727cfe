# SPDX-License-Identifier: MIT
# common.sh - for the system tests: a scratch directory, checks, and the proof that nothing is left behind.
# shellcheck shell=bash
set -u

# The binary under test; used by the scripts that read this file.
# shellcheck disable=SC2034
orion=$(realpath "$1")
scratch=$(mktemp -d "$PWD/system.XXXXXX") || exit 1
cd "$scratch" || exit 1
thp=/sys/kernel/mm/transparent_hugepage
checks=0
failures=0

skip() {
	echo "skipped, because $*"
	rm -rf "$scratch"
	exit 77
}

# check WHAT COMMAND…: counts, and says what failed.
check() {
	local what=$1

	shift
	checks=$((checks + 1))
	if "$@"; then
		return 0
	fi
	failures=$((failures + 1))
	echo "FAILED: $what: $*"
}

is() {
	[ "$1" = "$2" ]
}

# has FILE WORDS
has() {
	grep -qF -- "$2" "$1" || {
		sed 's/^/    /' "$1"
		return 1
	}
}

# json_has FILE KEY VALUE: somewhere in the document, however it is laid out.
json_has() {
	grep -qE "\"$2\": ?$3" "$1" || {
		sed 's/^/    /' "$1"
		return 1
	}
}

# Everything of the machine that a run may borrow or leave.
machine_state() {
	cat /sys/kernel/mm/hugepages/hugepages-*kB/nr_hugepages
	cat $thp/shmem_enabled $thp/hugepages-*kB/shmem_enabled 2>/dev/null
	cat $thp/enabled $thp/use_zero_page /proc/sys/vm/numa_stat 2>/dev/null
	# Huge page segments only: the size is a multiple of 2M. Others may have their own.
	ipcs -m | awk '$5 ~ /^[0-9]+$/ && $5 % 2097152 == 0'
	find /run/orion-sim -name '*.json' 2>/dev/null
}

# A binary with a sanitizer, which takes memory and address space of its own.
sanitized() {
	ldd "$orion" | grep -q 'lib[atl]san'
}

# nobody COMMAND…: as a user without rights.
nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"
}

# Where another user can run ./orion-sim and write; 1 where the way there is closed to others.
enter_public_folder() {
	mkdir public && chmod 0777 public && chmod 0711 "$scratch" && cp "$orion" public/orion-sim &&
		cd public && nobody ./orion-sim --version >/dev/null 2>&1
}

# with_setting FILE VALUE COMMAND…: another value of a file of /proc or /sys, only as long.
with_setting() {
	local file=$1 value=$2 old code

	shift 2
	old=$(cat "$file")
	trap 'echo "$old" >"$file"; exit 1' INT TERM
	echo "$value" >"$file"
	"$@"
	code=$?
	echo "$old" >"$file"
	trap - INT TERM
	return $code
}

# wait_until SECONDS COMMAND…
wait_until() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

finish() {
	echo "$((checks - failures)) passed, $failures failed"
	cd / || exit 1
	rm -rf "$scratch"
	[ $failures -eq 0 ] && [ $checks -gt 0 ]
}

[ "$(id -u)" -eq 0 ] || skip "it needs root"
