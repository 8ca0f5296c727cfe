# SPDX-License-Identifier: MIT
# experiment.sh - reads an experiment, builds and boots its columns, keeps their figures; sourced by bash.
# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2317 # the lab's modules share what an experiment sets
#
# An experiment is experiments/NAME.sh, which sets
#   summary   a sentence
#   mode      icount, tcg or kvm; preset icount
#   profile   a file of scripts/lab/profiles or profiles
#   class     whose figures are shown, of the first stream: read; several, "A B", where points have different ones
#   pages     huge pages that the guest must have before it starts; preset 0
#   settings  FILE=VALUE of the guest, separated by blanks; preset: no I/O scheduler
#   base      label of the column that the others are held against; several, "A B", each for the columns
#             that begin with its first word
#   columns   lines "LABEL | KERNEL | PATCHES | ARGUMENTS OF THE KERNEL | MORE SETTINGS | ARGUMENTS OF orion-sim"
#   group     the control group of memory that orion-sim is put into; preset: the root's, which charges nothing
#   agree     within how many percent two boots must agree where that is deterministic; preset 0.5
#   contention=yes   where what it is about is contention, which one CPU does not show
#   about     text for the page: what this shows and does not
#   published lines of what was published and the columns that stand for it (claims.sh)
#   model     what it is a model of, where it is not the thing itself
#   holds     lines of what must hold, or `run` fails (claims.sh)
# and may define experiment_published, which prints further rows of what was published, and experiment_more,
# which prints further lines for the page, both from $FIGURES (columns' medians).

# trim WORDS
trim() {
	local text=$1

	text=${text#"${text%%[![:space:]]*}"}
	printf '%s' "${text%"${text##*[![:space:]]}"}"
}

experiment_names() {
	local file

	for file in "$LAB"/experiments/*.sh; do
		basename "$file" .sh
	done
}

# experiment_load NAME
experiment_load() {
	local name=$1

	[ -e "$LAB/experiments/$name.sh" ] ||
		die "there is no experiment '$name' (there are: $(experiment_names | paste -sd ' ' | sed 's/ /, /g'))"
	summary='' mode=icount profile='' class=read pages=0 settings=/sys/block/nullb0/queue/scheduler=none base='' columns='' contention='' group='' agree=0.5 about=''
	experiment=$name published='' model='' holds=''
	experiment_more() { :; }
	experiment_published() { :; }
	# shellcheck source=/dev/null
	. "$LAB/experiments/$name.sh"
	profile_file=$LAB/profiles/$profile.json
	[ -e "$profile_file" ] || profile_file=$ROOT/profiles/$profile.json
	[ -e "$profile_file" ] || die "experiment $name: there is no profile '$profile'"
	column_labels=() column_kernels=() column_patches=() column_arguments=() column_settings=() column_options=()
	while IFS='|' read -r label kernel patch arguments more options; do
		[ -n "$(trim "$label")" ] || continue
		column_labels+=("$(trim "$label")")
		column_kernels+=("$(trim "$kernel")")
		column_patches+=("$(trim "$patch")")
		column_arguments+=("$(trim "$arguments")")
		column_settings+=("$(trim "$more")")
		column_options+=("$(trim "$options")")
	done <<<"$columns"
}

experiment_list() {
	local name

	for name in $(experiment_names); do
		experiment_load "$name"
		printf '%-14s %-7s %2d columns  %s\n' "$name" "$mode" "${#column_labels[@]}" "$summary"
	done
}

# experiment_base LABEL: that of the column which it is held against.
experiment_base() {
	local candidate found=''

	while read -r candidate; do
		[ -n "$candidate" ] || continue
		[ -n "$found" ] || found=$candidate
		[ "${candidate%% *}" != "${1%% *}" ] || found=$candidate
	done <<<"$base"
	printf '%s\n' "$found"
}

# experiment_boot NAME FOLDER COLUMN BOOT: one boot of one column.
experiment_boot() {
	local name=$1 folder=$2/$3-$4 column=$3 options=()

	mkdir -p "$folder"
	read -r -a options <<<"${column_options[column]}"
	boot_job "$folder" "$profile_file" "$pages" "$settings ${column_settings[column]}" "${options[@]}"
	boot_run "$folder" "$mode" "${built[column]}" "${column_arguments[column]}" "$SECONDS_MAX" \
		"$name, ${column_labels[column]}"
	figures_of "$folder/result.json" "$class" >"$folder/figures"
	[ -s "$folder/figures" ] || die "$name, ${column_labels[column]}: nothing was measured," \
		"$(figures_missing "$folder/result.json" | head -n 1). Result: $folder/result.json"
	say "  boot $(($4 + 1)) of ${column_labels[column]}: $(cat "$folder/seconds") s"
}

# experiment_agree FOLDER COLUMN: two boots of a deterministic column must.
experiment_agree() {
	local folder=$1 column=$2 boot why

	for ((boot = 1; boot < boots; boot++)); do
		why=$(figures_agree "$folder/$column-0/figures" "$folder/$column-$boot/figures" "$agree") ||
			die "${column_labels[column]} is not deterministic: boots 1 and $((boot + 1)) differ, $why." \
				"Results: $folder/$column-*/result.json"
	done
}

# experiment_at_once: how many boots go on at a time. Those that are counted in instructions do not feel each other.
experiment_at_once() {
	local memory

	if [ -n "$AT_ONCE" ] || [ "$mode" != icount ]; then
		echo "${AT_ONCE:-1}"
		return
	fi
	memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
	# Half as much again for QEMU itself.
	memory=$((memory / (GUEST_MEGABYTES * 3 / 2)))
	[ "$memory" -ge 1 ] || memory=1
	echo $((memory < JOBS ? memory : JOBS))
}

# experiment_boots NAME FOLDER: all boots of all columns, in turns.
experiment_boots() {
	local boot column n=${#column_labels[@]} running=0 start=$SECONDS

	experiment_at_once=$(experiment_at_once)
	for ((boot = 0; boot < boots; boot++)); do
		for ((column = 0; column < n; column++)); do
			if [ "$running" -eq "$experiment_at_once" ]; then
				jobs_must
				running=$((running - 1))
			fi
			jobs_start experiment_boot "$1" "$2" $((boot % 2 ? n - 1 - column : column)) "$boot"
			running=$((running + 1))
		done
	done
	while [ $((running--)) -gt 0 ]; do
		jobs_must
	done
	experiment_boot_seconds=$((SECONDS - start))
}

# experiment_measure NAME: what is built and booted; FIGURES becomes the file of medians, a column's label in
# front of each line.
experiment_measure() {
	local name=$1 folder=$CACHE/boot/$1 column n=${#column_labels[@]}

	rm -rf "$folder"
	mkdir -p "$folder"
	experiment_build_seconds=$SECONDS
	built=()
	for ((column = 0; column < n; column++)); do
		kernel_build "${column_kernels[column]}" "${column_patches[column]}" >/dev/null
		built+=("$KERNEL_BUILT")
	done
	experiment_build_seconds=$((SECONDS - experiment_build_seconds))
	experiment_boots "$name" "$folder"
	FIGURES=$folder/figures
	for ((column = 0; column < n; column++)); do
		[ "$mode" != icount ] || experiment_agree "$folder" "$column"
		cat "$folder/$column"-*/figures | figures_median | sed "s|^|${column_labels[column]}\t|"
	done >"$FIGURES"
}

# experiment_source: the sources of all columns must be there, fetched where they are not.
experiment_sources() {
	local version

	for version in "${column_kernels[@]}"; do
		[ -n "$(source_release "$version")" ] || source_fetch "$version"
	done
}

# experiment_mode MODE: sets $mode to it, or to what auto comes to.
experiment_mode() {
	local why

	mode=$1
	case $mode in
	auto | kvm) ;;
	*) return 0 ;;
	esac
	kernel_build "${column_kernels[0]}" "${column_patches[0]}" >/dev/null
	why=$(boot_probe_kvm "$KERNEL_BUILT")
	[ -z "$why" ] || [ "$1" = auto ] || cannot "a guest does not come up with KVM here: $why"
	mode=kvm
	if [ -n "$why" ]; then
		say "No KVM here ($why): counting instructions instead."
		mode=icount
	fi
}

# experiment_run NAME MODE BOOTS: empty ones are the experiment's own.
experiment_run() {
	local start=$SECONDS

	experiment_load "$1"
	experiment_sources
	boot_prepare "$program"
	experiment_mode "${2:-$mode}"
	boots=$3
	if [ -z "$boots" ] && [ "$mode" = icount ]; then
		boots=2
	fi
	boots=${boots:-5}
	say "$1: $summary; mode $mode, ${#column_labels[@]} columns, $boots boots each."
	experiment_measure "$1"
	experiment_seconds=$((SECONDS - start))
}
