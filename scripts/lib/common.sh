# SPDX-License-Identifier: MIT
# common.sh - what the scripts share; sourced by bash.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
JOBS=$(nproc)

say() {
	printf '%s\n' "$*" >&2
}

die() {
	say "${0##*/}: $*"
	exit 1
}

# cannot WORDS: as die, where it is this machine that cannot, and nothing is wrong with us.
cannot() {
	say "${0##*/}: $*"
	exit 3
}

# build_preset PRESET TARGET [CMAKE-OPTION…]
build_preset() {
	cd "$ROOT" && cmake --preset "$1" "${@:3}" && cmake --build --preset "$1" -j "$JOBS" --target "$2"
}
