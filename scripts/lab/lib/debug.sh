# SPDX-License-Identifier: MIT
# debug.sh - every experiment once on kernels that watch themselves (config/debug.config), all patches in one tree;
# sourced by bash.
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # the lab's modules share what an experiment sets
# Nothing is measured. A boot is clean where orion-sim ended well and the kernel did not complain (lab-warned).
# A line of a boot's verdict: experiment, column, kernel, arguments of the kernel, verdict, seconds.

DEBUG_MEGABYTES=3072
DEBUG_ARGUMENTS='page_poison=1'
# From notices on, the console says nothing: what the kernel complains of is there, too, where the guest does not come to its end.
DEBUG_SETTINGS='/proc/sys/kernel/printk=5'
DEBUG_OPTIONS='--set phases.warmup=20ms --set phases.measure=200ms --set repeats=1'

# debug_wanted COLUMN PATCHES: whether the column is to be booted. Where all patches are in one tree, those without are not.
debug_wanted() {
	local version wanted=''

	for version in "${kernels[@]}"; do
		[ "$version" != "${column_kernels[$1]}" ] || wanted=yes
	done
	[ -n "$wanted" ] && { [ "$2" != all ] || [ "${column_patches[$1]}" != none ]; }
}

# debug_versions PATCHES NAME…: of those that were asked for, the ones that columns are to be booted on.
debug_versions() {
	local patches=$1 name column

	shift
	for name; do
		experiment_load "$name"
		for column in "${!column_labels[@]}"; do
			! debug_wanted "$column" "$patches" || echo "${column_kernels[column]}"
		done
	done | sort -uV
}

# debug_kernels PATCHES: builds them, into built_of[VERSION].
debug_kernels() {
	local version

	declare -gA built_of
	KERNEL_CONFIG=$LAB/config/debug.config
	for version in "${kernels[@]}"; do
		[ -n "$(source_release "$version")" ] || source_fetch "$version"
		kernel_build "$version" "$1" >/dev/null
		built_of[$version]=$KERNEL_BUILT
	done
}

# debug_said FOLDER: the line in which the kernel complained: what the guest found in its log, else what the console has.
debug_said() {
	local said

	said=$(boot_said "$1" warned)
	[ -n "$said" ] || said=$(grep -v '^LAB ' "$1/console" | "$LAB/lib/lab-warned") || true
	printf '%s\n' "$said" | sed 's/^\[ *[0-9.]*\]\(\[[^]]*\]\)\? *//'
}

# debug_unwatched FOLDER: what did not watch to the end. Lockdep gives up after its first complaint.
debug_unwatched() {
	local word state

	state=" $(boot_said "$1" watched) "
	for word in kasan lockdep page_poison; do
		case $state in
		*" $word=on "*) ;;
		*) echo "$word did not watch to the end of it" ;;
		esac
	done
}

# debug_verdict FOLDER CODE SECONDS ARGUMENTS: clean, or a sentence.
debug_verdict() {
	local why

	sed -i 's/\r$//' "$1/console"
	why=$(debug_said "$1")
	[ -n "$why" ] || why=$(boot_failure "$1" "$2" "$3")
	[ -n "$why" ] || why=$( (boot_lab_state "$1" "$4") 2>&1 | sed 's/^[a-z]*: //')
	[ -n "$why" ] || why=$(debug_unwatched "$1" | paste -sd ',' | sed 's/,/, /g')
	printf '%s\n' "${why:-clean}"
}

# debug_boot NAME FOLDER COLUMN PATCHES: one boot, FOLDER/COLUMN/verdict.
debug_boot() {
	local name=$1 folder=$2/$3 column=$3 options=() arguments code=0 limit=$((SECONDS_MAX * 3)) start=$SECONDS switches

	mkdir -p "$folder"
	read -r -a options <<<"$DEBUG_OPTIONS ${column_options[column]}"
	boot_job "$folder" "$profile_file" "$pages" "$DEBUG_SETTINGS $settings ${column_settings[column]}" "${options[@]}"
	arguments=$(echo "$BOOT_ARGUMENTS $(boot_mode_arguments tcg) $DEBUG_ARGUMENTS $BOOT_DISK ${column_arguments[column]}" |
		tr -s ' ' | sed 's/ $//')
	echo "$arguments" >"$folder/arguments"
	boot_qemu "$folder" tcg "${built_of[${column_kernels[column]}]}" "$arguments" "$limit" || code=$?
	rm -f "$folder/initrd"
	switches=${column_arguments[column]}
	# Kernels without our switches are told of them in vain.
	[ "$4" = all ] || switches=''
	printf '%s\t%s\t%s\t%s\t%s\t%d\n' "$name" "${column_labels[column]}" "${column_kernels[column]}" \
		"${column_arguments[column]:--}" "$(debug_verdict "$folder" $code "$limit" "$switches")" $((SECONDS - start)) >"$folder/verdict"
	say "  $name, ${column_labels[column]}: $(cut -f 5 "$folder/verdict") ($((SECONDS - start)) s)"
}

# debug_boots FOLDER PATCHES NAME…: all boots of all columns, so many at a time.
debug_boots() {
	local folder=$1 patches=$2 name column running=0

	shift 2
	for name; do
		experiment_load "$name"
		for column in "${!column_labels[@]}"; do
			debug_wanted "$column" "$patches" || continue
			if [ "$running" -eq "${AT_ONCE:-$JOBS}" ]; then
				jobs_must
				running=$((running - 1))
			fi
			jobs_start debug_boot "$name" "$folder/$name" "$column" "$patches"
			running=$((running + 1))
		done
	done
	while [ $((running--)) -gt 0 ]; do
		jobs_must
	done
}

# debug_rows FOLDER NAME…: verdicts, in the order of experiments and columns.
debug_rows() {
	local folder=$1 name

	shift
	for name; do
		for column in $(find "$folder/$name" -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | sort -n); do
			cat "$folder/$name/$column/verdict"
		done
	done
}

# debug_page COMMAND PATCHES ROWS: a place on this machine is nobody else's.
debug_page() {
	local version seconds

	cat <<-END
		# debug: every experiment once on kernels that watch themselves

		Written by \`$1\` on a host of $(page_host).
		$(grep -c . <<<"$3") boots, of them $(awk -F '\t' '$5 == "clean"' <<<"$3" | grep -c .) clean; ${AT_ONCE:-$JOBS} at a time, $debug_boot_seconds s together.

		One kernel of each version with the patches of all experiments (patches: $2), of the lab's configuration and
		scripts/lab/config/debug.config: PROVE_LOCKING and DEBUG_ATOMIC_SLEEP, KASAN, PAGE_POISONING, UBSAN_BOUNDS, DEBUG_VM, DEBUG_LIST. Each column
		of an experiment that has patches is booted once, with its switches, settings and options, and runs every point for a moment.
		Clean means: orion-sim ended well, the switches stood as they were asked, lockdep, KASAN and page poisoning watched to the end, and
		the kernel's log has no line of those that scripts/lab/lib/lab-warned looks for. Times and instructions of such kernels mean nothing.

		| experiment | column | kernel | boot arguments | verdict | seconds |
		|---|---|---|---|---|---|
	END
	# shellcheck disable=SC2001 # a part of each line
	sed 's/\. \(Console\|Log\|Result\): [^\t]*//' <<<"$3" | awk -F '\t' '{
		gsub(/\|/, "\\|", $5)
		verdict = $5 == "clean" ? $5 : "**" $5 "**"
		printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, ($4 == "-" ? "-" : "`" $4 "`"), verdict, $6 }'
	printf '\n## On what\n\n'
	for version in "${kernels[@]}"; do
		seconds=$(sed -n 's/^built in //p' "${built_of[$version]}/record")
		echo "- Linux $version: $(sed -n 's/^source //p' "${built_of[$version]}/record"); built in $seconds; patches:" \
			"$(sed -n 's/^patch kernel-patches\/\([^ ]*\) \(.*\)/\1 (\2)/p' "${built_of[$version]}/record" | paste -sd ',' | sed 's/,/, /g')."
	done
	printf -- '- Compiler, linker: %s. %s: `%s`, %s MB.\n- Boot arguments of all: `%s`\n- Options of orion-sim: `%s`; settings: `%s`\n' \
		"$(sed -n 's/^compiler //p' "$KERNEL_BUILT/record")" "$(qemu-system-x86_64 --version | head -n 1)" \
		"$(boot_mode_qemu tcg | paste -sd ' ')" "$DEBUG_MEGABYTES" "$BOOT_ARGUMENTS $(boot_mode_arguments tcg) $DEBUG_ARGUMENTS $BOOT_DISK" \
		"$DEBUG_OPTIONS" "$DEBUG_SETTINGS"
}

# debug_run PATCHES COMMAND FILE NAME…: the page goes to FILE, where one is given; 1 unless all are clean.
debug_run() {
	local patches=$1 command=$2 page=$3 folder=$CACHE/boot/debug rows bad

	shift 3
	mapfile -t kernels < <(debug_versions "$patches" "$@")
	[ ${#kernels[@]} -gt 0 ] || die "nothing to boot: no column of $* has patches for these kernels (--patches none boots the others)"
	debug_kernels "$patches"
	boot_prepare "$program"
	GUEST_MEGABYTES=$DEBUG_MEGABYTES
	rm -rf "$folder"
	debug_boot_seconds=$SECONDS
	debug_boots "$folder" "$patches" "$@"
	debug_boot_seconds=$((SECONDS - debug_boot_seconds))
	rows=$(debug_rows "$folder" "$@")
	if [ -n "$page" ]; then
		if ! debug_page "$command" "$patches" "$rows" >"$page.$$" || ! mv "$page.$$" "$page"; then
			die "cannot write $page"
		fi
		say "Written: $page"
	fi
	bad=$(awk -F '\t' '$5 != "clean"' <<<"$rows")
	[ -z "$bad" ] || die "$(grep -c . <<<"$bad") of $(grep -c . <<<"$rows") boots were not clean, first:" \
		"$(head -n 1 <<<"$bad" | awk -F '\t' '{ print $1 ", " $2 ": " $5 }'). Consoles: $folder"
	say "All $(grep -c . <<<"$rows") boots were clean."
}
