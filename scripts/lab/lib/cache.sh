# SPDX-License-Identifier: MIT
# cache.sh - the one folder of the lab: one lab in it at a time, room on its disk; sourced by bash.
# shellcheck shell=bash

COMMANDS=(gcc make cmake ccache flex bison bc xz patch cpio jq qemu-system-x86_64)
HEADERS=(gelf.h liburing.h libaio.h numa.h cjson/cJSON.h cmocka.h)

# cache_open FOLDER WAIT: sets $CACHE, which is ours until this process ends.
cache_open() {
	mkdir -p "$1" 2>/dev/null || die "cannot make the folder $1: name another with --cache"
	CACHE=$(cd "$1" && pwd)
	touch "$CACHE/lock" 2>/dev/null || die "cannot write to $CACHE: name another folder with --cache"
	exec {CACHE_LOCK}>>"$CACHE/lock"
	if ! flock --nonblock "$CACHE_LOCK"; then
		[ -n "$2" ] || die "another lab (process $(cat "$CACHE/lock")) works in $CACHE: wait for its end," \
			"let this one wait (--wait), or name another folder (--cache)"
		flock "$CACHE_LOCK"
	fi
	# Nobody else is here: what is in tmp/ was left half-done.
	rm -rf "$CACHE"/tmp/*
	if ! { mkdir -p "$CACHE"/{source,kernel,tree,boot,log,tmp} && echo $$ >"$CACHE/lock"; } 2>/dev/null; then
		cannot "cannot write to $CACHE, which has $(cache_free) MB free: make room, or name another folder (--cache)"
	fi
}

# cache_missing HEADERS: programs that the lab calls, and, where asked for, headers that it compiles with.
cache_missing() {
	local word

	for word in "${COMMANDS[@]}"; do
		command -v "$word" >/dev/null || echo "$word"
	done
	[ -n "$1" ] && command -v gcc >/dev/null || return 0
	for word in "${HEADERS[@]}"; do
		echo "#include <$word>" | gcc -E -x c - >/dev/null 2>&1 || echo "$word"
	done
}

# cache_commands INSTALL: all that the lab needs of the machine, installed if it is missing.
cache_commands() {
	local missing

	[ "$(uname -m)" = x86_64 ] || cannot "the lab's kernels are of x86-64, and this machine is $(uname -m)"
	mapfile -t missing < <(cache_missing "$1")
	[ ${#missing[@]} -gt 0 ] || return 0
	[ -n "$1" ] || cannot "missing here: ${missing[*]}; install them: scripts/install-deps build lab"
	"$ROOT/scripts/install-deps" build lab || cannot "missing here, and not to be installed: ${missing[*]}"
	mapfile -t missing < <(cache_missing "$1")
	[ ${#missing[@]} -eq 0 ] || cannot "missing, also after scripts/install-deps build lab: ${missing[*]}"
}

# cache_free: megabytes.
cache_free() {
	echo $(($(df --output=avail --block-size=1M "$CACHE" | tail -n 1)))
}

# cache_room MEGABYTES WHAT: ends here where they are not to be had.
cache_room() {
	[ "$(cache_free)" -ge "$1" ] || cannot "$2 needs $1 MB in $CACHE, which has $(cache_free): make room" \
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

# cache_why LOG: the line that tells, not one of make's that names a file.
cache_why() {
	grep -vE '^ +[A-Z]+ ' "$1" | grep -m 1 -iE 'error|failed|fatal|cannot|\*\*\*' || tail -n 1 "$1"
}

# cache_failed LOG WHAT: ends with what went wrong, as the log tells.
cache_failed() {
	if grep -q 'No space left on device' "$1" || [ "$(cache_free)" -eq 0 ]; then
		cannot "$2: no space left in $CACHE; make room (scripts/lab/lab clean), or name another folder" \
			"(--cache). Log: $1"
	fi
	if grep -qE 'Killed signal terminated|Cannot allocate memory|virtual memory exhausted' "$1"; then
		cannot "$2: memory ran out (--jobs 1 takes less). Log: $1"
	fi
	die "$2: $(cache_why "$1"). Log: $1"
}

# cache_clean ALL: what can be made again from what stays; or everything.
cache_clean() {
	local before

	before=$(du -sm "$CACHE" | cut -f 1)
	rm -rf "${CACHE:?}"/{tmp,tree,boot,log}
	[ -z "$1" ] || rm -rf "${CACHE:?}"/{source,kernel,deb,ccache,busybox,program}
	say "$CACHE: $before MB before, $(du -sm "$CACHE" | cut -f 1) MB now."
}
