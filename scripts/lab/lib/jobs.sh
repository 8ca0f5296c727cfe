# SPDX-License-Identifier: MIT
# jobs.sh - commands side by side, which end with the shell that started them; sourced by bash.
# shellcheck shell=bash

# jobs_start COMMAND…: in a shell of its own, behind. Nothing more is started where the program was killed: its id is
# that of all its shells.
jobs_start() {
	kill -0 $$ 2>/dev/null || exit 143
	(
		set -e
		"$@"
	) &
}

# jobs_end: of all that still run, and of what they run.
jobs_end() {
	local running

	mapfile -t running < <(jobs -pr)
	[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true
	wait
}

# jobs_wait: for one of them; its exit code. A signal ends them all, and this shell: only here, since a shell that
# waits for something else would notice it too late.
jobs_wait() {
	local code=0

	trap 'jobs_end; exit 143' TERM
	trap 'jobs_end; exit 130' INT
	trap 'jobs_end; exit 129' HUP
	wait -n || code=$?
	trap - TERM INT HUP
	return "$code"
}

# jobs_must: that; where it failed, the others end, and this shell with its exit code.
jobs_must() {
	local code=0

	jobs_wait || code=$?
	[ "$code" -ne 0 ] || return 0
	jobs_end
	exit "$code"
}
