# SPDX-License-Identifier: MIT
# smoke.sh - the gate: what patches cost in a kernel, against what they did; sourced by bash.
# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2317 # the lab's modules share what an experiment sets
# Ratios of a patched kernel to a pristine one, of kernel instructions and atomics per operation: neither
# the simulator's own code nor another point release of Debian moves them much.

SMOKE_STORED=$LAB/smoke.tsv
SMOKE_PERCENT=1

# smoke_ratios: column, point, ratio of kernel instructions, ratio of atomics; against the first column.
smoke_ratios() {
	awk -F '\t' -v OFS='\t' -v base="${column_labels[0]}" '
		$1 == base { instructions[$3] = $10; atomics[$3] = $12; next }
		{ printf "%s\t%s\t%.4f\t%.4f\n", $1, $3, $10 / instructions[$3], $12 / atomics[$3] }' "$FIGURES"
}

# smoke_compare STORED RATIOS: lines of what is off; nothing if all is well.
smoke_compare() {
	awk -F '\t' -v limit="$SMOKE_PERCENT" '
		function check(what, was, is) {
			if (is > was * (1 + limit / 100) || is < was * (1 - limit / 100))
				printf "%s, %s: %s %.4f times those of the pristine kernel, stored %.4f\n", $1, $2, what, is, was
		}
		/^#/ { next }
		NR == FNR { instructions[$1, $2] = $3; atomics[$1, $2] = $4; n++; next }
		!(($1, $2) in instructions) { print $1 ", " $2 ": not among the stored values"; next }
		{ check("kernel instructions", instructions[$1, $2], $3); check("atomics", atomics[$1, $2], $4); seen++ }
		END { if (seen < n) print n - seen " stored values were not measured" }' "$1" "$2"
}

# smoke_tools: what moves the ratios besides the patches.
smoke_tools() {
	echo "gcc $(gcc -dumpversion), ld $(ld -v | awk '{ print $NF }')," \
		"QEMU $(qemu-system-x86_64 --version | grep -o -m 1 '[0-9]*\.[0-9]*' | head -n 1)," \
		"Linux $(source_release "${column_kernels[0]}")"
}

# smoke_ended CODE: what went wrong with other tools than those of the stored values is nobody's mistake.
smoke_ended() {
	local stored tools

	[ "$1" -eq 1 ] || return 0
	stored=$(sed -n 's/^# with //p' "$SMOKE_STORED" 2>/dev/null)
	tools=$(smoke_tools)
	[ -z "$stored" ] || [ "$stored" = "$tools" ] ||
		cannot "this cannot be judged: the values were stored with $stored, and here is $tools"
}

# smoke_agree FOLDER: how well two boots of each column agree, in what the kernel did.
smoke_agree() {
	local column

	for column in "${!column_labels[@]}"; do
		paste "$1/$column-0/figures" "$1/$column-1/figures"
	done | awk -F '\t' '
		{
			for (f = 9; f <= 12; f++) {
				off = f == 10 || $f == 0 ? 0 : 100 * ($(f + NF / 2) / $f - 1)
				if (off < 0) off = -off
				if (off > most) most = off
			}
		}
		END { print most == 0 ? "did exactly the same in the kernel" : sprintf("differ by at most %.5f %% in what the kernel did", most) }'
}

smoke_store() {
	{
		echo "# kernel instructions and atomics per I/O, patched to pristine; scripts/lab/lab smoke --store"
		echo "# with $(smoke_tools)"
		cat "$1"
	} >"$SMOKE_STORED" || die "cannot write $SMOKE_STORED"
	say "Stored in $SMOKE_STORED"
}

# smoke_sources: where there are none yet, those that the patches were made for, as long as apt has them.
smoke_sources() {
	local column version

	for column in "${!column_labels[@]}"; do
		version=${column_kernels[column]}
		[ -n "$(source_release "$version")" ] ||
			source_fetch "$version" "$(patches_made_for "$version" "${column_patches[${#column_patches[@]} - 1]}")"
	done
}

# smoke_run STORE
smoke_run() {
	local start=$SECONDS off folder=$CACHE/boot/smoke

	experiment_load smoke
	[ -n "$1" ] || trap 'smoke_ended $?' EXIT
	# A slow machine is not to blame for anything: a boot takes seconds where it is not.
	[ "$SECONDS_MAX" -ne 300 ] || SECONDS_MAX=900
	smoke_sources
	experiment_run smoke icount 2
	smoke_ratios >"$folder/ratios"
	if [ -n "$1" ]; then
		smoke_store "$folder/ratios"
		return
	fi
	[ -e "$SMOKE_STORED" ] || die "no values are stored yet: scripts/lab/lab smoke --store"
	cat "$folder/ratios"
	off=$(smoke_compare "$SMOKE_STORED" "$folder/ratios")
	[ -z "$off" ] || die "$(echo "$off" | paste -sd ';' | sed 's/;/; /g'). If that is meant, store it:" \
		"scripts/lab/lab smoke --store. Results: $folder"
	say "Smoke passed in $((SECONDS - start)) s on $(nproc) CPUs (load $(cut -d ' ' -f 1-3 /proc/loadavg)):" \
		"two boots of each kernel $(smoke_agree "$folder"), ratios are those stored within $SMOKE_PERCENT %."
}
