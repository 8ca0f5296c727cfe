# SPDX-License-Identifier: MIT
# cache.sh - the one folder of the lab: one lab in it at a time, room on its disk; sourced by bash.
# shellcheck shell=bash

COMMANDS=(gcc make cmake ccache flex bison bc xz patch cpio jq qemu-system-x86_64)

# cache_open FOLDER WAIT: sets $CACHE, which is ours until this process ends.
cache_open() {
	mkdir -p "$1" 2>/dev/null || die "cannot make the folder $1: name another with --cache"
	CACHE=$(cd "$1" && pwd)
	exec {CACHE_LOCK}>>"$CACHE/lock"
	if ! flock --nonblock "$CACHE_LOCK"; then
		[ -n "$2" ] || die "another lab (process $(cat "$CACHE/lock")) works in $CACHE: wait for its end," \
			"let this one wait (--wait), or name another folder (--cache)"
		flock "$CACHE_LOCK"
	fi
	echo $$ >"$CACHE/lock"
	mkdir -p "$CACHE"/{source,kernel,tree,boot,log,tmp} || die "cannot write to $CACHE"
	# Nobody else is here: what is in tmp/ was left half-done.
	rm -rf "$CACHE"/tmp/*
}

# cache_commands INSTALL: all programs that the lab calls, installed if they are missing.
cache_commands() {
	local command missing=()

	for command in "${COMMANDS[@]}"; do
		command -v "$command" >/dev/null || missing+=("$command")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ -n "$1" ] || die "missing here: ${missing[*]}; install them: scripts/install-deps build lab"
	"$ROOT/scripts/install-deps" build lab
	for command in "${missing[@]}"; do
		command -v "$command" >/dev/null || die "$command is missing, also after scripts/install-deps build lab"
	done
}

# cache_room MEGABYTES WHAT: dies where they are not to be had.
cache_room() {
	local free

	free=$(df --output=avail --block-size=1M "$CACHE" | tail -n 1)
	[ "$free" -ge "$1" ] || die "$2 needs $1 MB in $CACHE, which has $((free)): make room" \
		"(scripts/lab/lab clean), or name another folder (--cache)"
}

# cache_put FOLDER NAME: gives a complete folder its name, in place of one that is there.
cache_put() {
	local old

	mkdir -p "$(dirname "$2")"
	if [ -e "$2" ]; then
		old=$(mktemp -d "$CACHE/tmp/old.XXXXXX") && mv "$2" "$old/"
	fi
	mv "$1" "$2" || die "cannot write $2"
}

# cache_failed LOG WHAT: dies with what went wrong, as the log tells.
cache_failed() {
	if grep -q 'No space left on device' "$1"; then
		die "$2: no space left in $CACHE; make room (scripts/lab/lab clean), or name another folder" \
			"(--cache). Log: $1"
	fi
	die "$2: $(grep -m 1 -iE 'error|failed|fatal|cannot|\*\*\*' "$1" || tail -n 1 "$1"). Log: $1"
}

# cache_clean ALL: what can be made again from what stays; or everything.
cache_clean() {
	local before

	before=$(du -sm "$CACHE" | cut -f 1)
	rm -rf "${CACHE:?}"/{tmp,tree,boot,log}
	[ -z "$1" ] || rm -rf "${CACHE:?}"/{source,kernel,ccache,busybox,program}
	say "$CACHE: $before MB before, $(du -sm "$CACHE" | cut -f 1) MB now."
}
