# SPDX-License-Identifier: MIT
# boot.sh - a kernel with orion-sim in an initramfs, booted by QEMU, its result back; sourced by bash.
# shellcheck shell=bash disable=SC2153
# The console is the first serial port, the result comes through the second, as it is.

GUEST_MEGABYTES=2048
# What a boot may leave in its folder.
BOOT_MEGABYTES=50
# Kernels are told the same everywhere, so that nothing but the experiment differs.
BOOT_ARGUMENTS='console=ttyS0 panic=-1 rdinit=/init norandmaps nokaslr'
BOOT_DISK='null_blk.nr_devices=1 null_blk.gb=4 null_blk.queue_mode=2 null_blk.irqmode=0 null_blk.max_sectors=2560'

# boot_mode_qemu MODE: QEMU's arguments for it, one a line.
boot_mode_qemu() {
	case $1 in
	icount)
		# Time is the number of instructions; string operations count once a word, not once a byte.
		printf '%s\n' -accel tcg,thread=single -smp 1 -icount shift=0,sleep=off \
			-rtc base=2024-01-01T00:00:00,clock=vm -seed 1 -cpu max,-erms,-fsrm
		;;
	tcg) printf '%s\n' -accel tcg,thread=multi -smp 2 -cpu max,-erms,-fsrm,-cx16 ;;
	kvm) printf '%s\n' -accel kvm -smp "$JOBS" -cpu host ;;
	esac
}

boot_mode_arguments() {
	case $1 in
	icount) echo 'tsc=reliable noreplace-smp' ;;
	# On a busy host a timer of emulated CPUs is late, and the kernel would panic of it.
	tcg) echo no_timer_check ;;
	esac
}

# What can be said of figures of a mode.
boot_mode_truth() {
	case $1 in
	icount) echo 'path length (deterministic)' ;;
	*) echo "throughput (noisy, $2 boots)" ;;
	esac
}

# boot_program FILE LOG: sets $ORION, the program that guests run; built where no FILE is given.
boot_program() {
	local folder=$CACHE/program

	ORION=$1
	[ -z "$ORION" ] || return 0
	# What a build left that was interrupted may look finished; and neither it nor the tree may have been moved.
	if [ -e "$folder/unfinished" ] || ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$ROOT" "$folder/CMakeCache.txt" ||
		! grep -qsxF "CMAKE_CACHEFILE_DIR:INTERNAL=$folder" "$folder/CMakeCache.txt"; then
		rm -rf "$folder"
	fi
	{
		mkdir -p "$folder" && touch "$folder/unfinished" &&
			setpriv --pdeathsig TERM cmake -S "$ROOT" -B "$folder" -DCMAKE_BUILD_TYPE=Release &&
			setpriv --pdeathsig TERM cmake --build "$folder" -j "$JOBS" --target orion-sim
	} >"$2" 2>&1 || cache_failed "$2" "cannot build orion-sim for the guest"
	rm "$folder/unfinished"
	ORION=$folder/orion-sim
}

# boot_root ROOT: the program into it, and what it runs, and all packed.
boot_root() {
	guest_copy "$1" "$ORION" || return
	# What workload spawn runs.
	[ ! -e "${ORION%/*}/libexec" ] || cp -r "${ORION%/*}/libexec" "$1/libexec" || return
	install -m 755 "$LAB/lib/lab-warned" "$1/bin/lab-warned" || return
	mkdir -p "$1/etc/lab" && guest_pack "$1" "$CACHE/boot/root.cpio.gz"
}

# boot_prepare PROGRAM: that, the plugin and the initramfs that all boots share.
boot_prepare() {
	local root=$CACHE/boot/root log=$CACHE/log/program.log

	boot_program "$1" "$log"
	{
		gcc -O2 -shared -fPIC -fvisibility=hidden -I"$ROOT/orion-sim" -I"$LAB/plugin" \
			"$LAB/plugin/counts.c" -o "$CACHE/boot/counts.so"
	} >>"$log" 2>&1 || cache_failed "$log" "cannot build the plugin of QEMU"
	guest_unpack "$CACHE" stable busybox-static "$CACHE/busybox"
	guest_root "$root" "$CACHE" "$LAB/lib/lab-init" 2>>"$log" || cache_failed "$log" "cannot make the guest's root"
	boot_root "$root" 2>>"$log" || cache_failed "$log" "cannot make the guest's initramfs"
}

# boot_job FOLDER PROFILE PAGES SETTINGS ARGUMENT…: what this boot is to do, as a second initramfs.
boot_job() {
	local folder=$1 profile=$2 pages=$3 settings=$4 root=$1/root

	shift 4
	cache_room "$BOOT_MEGABYTES" "a boot"
	mkdir -p "$root/etc/lab"
	cp "$profile" "$root/etc/lab/profile.json"
	{
		echo "pages=$pages"
		echo "settings='$settings'"
		echo "group=${group-}"
		printf 'set --'
		[ $# -eq 0 ] || printf ' %q' "$@"
		echo
	} >"$root/etc/lab/job"
	if ! { guest_pack "$root" "$folder/job.cpio.gz" &&
		cat "$CACHE/boot/root.cpio.gz" "$folder/job.cpio.gz" >"$folder/initrd"; }; then
		die "cannot write $folder/initrd"
	fi
	rm -rf "$root" "$folder/job.cpio.gz"
}

# boot_qemu FOLDER MODE KERNEL ARGUMENTS SECONDS: QEMU's exit code; 124 if it was ended.
boot_qemu() {
	local folder=$1 mode=$2 kernel=$3 arguments=$4 seconds=$5 machine=()

	mapfile -t machine < <(boot_mode_qemu "$mode")
	: >"$folder/console"
	[ "$mode" != icount ] || machine+=(-plugin "$CACHE/boot/counts.so,out=$folder/counts.json")
	setpriv --pdeathsig TERM timeout --foreground --kill-after=5 "$seconds" qemu-system-x86_64 -nodefaults -no-reboot -display none -machine q35 \
		-m "$GUEST_MEGABYTES" "${machine[@]}" -serial "file:$folder/console" -serial "file:$folder/result.gz" \
		-kernel "$kernel/bzImage" -initrd "$folder/initrd" -append "$arguments" \
		</dev/null >"$folder/qemu.log" 2>&1 {CACHE_LOCK}>&-
}

# boot_said FOLDER WORD: what the guest said with it, as the last one.
boot_said() {
	sed -n "s/^LAB $2 //p" "$1/console" | tail -n 1
}

# boot_complaint FOLDER: of orion-sim: why a point failed or was skipped, else its last sentence.
boot_complaint() {
	local why=''

	[ ! -s "$1/result.gz" ] || why=$(gzip -dc "$1/result.gz" 2>/dev/null |
		jq -r '[.variants[].points[] | select(.status != "ok")] | sort_by(.status != "failed") | .[0] |
			"\(.label): \(.status), because \(.reason)"' 2>/dev/null) || true
	[ -n "$why" ] || why=$(sed -n '/^orion-sim: result in /d; s/^orion-sim: //p' "$1/console" | tail -n 1)
	printf '%s\n' "$why"
}

# boot_last_line CONSOLE
boot_last_line() {
	local line

	line=$(grep . "$1" 2>/dev/null | tail -n 1)
	if [ -n "$line" ]; then
		echo "its last line: $line"
	else
		echo 'it had not said a word'
	fi
}

# boot_failure FOLDER CODE SECONDS: the sentence why there is no result; nothing if there is one.
boot_failure() {
	local folder=$1 code=$2 seconds=$3 console=$1/console what=''

	sed -i 's/\r$//' "$console" 2>/dev/null || true
	if [ ! -s "$console" ] && [ -s "$folder/qemu.log" ] && [ "$code" -ne 124 ] && [ "$code" -ne 137 ]; then
		echo "QEMU did not start it: $(head -n 1 "$folder/qemu.log"). Log: $folder/qemu.log"
		return
	fi
	if grep -q 'Kernel panic' "$console"; then
		what="the kernel panicked: $(grep -m 1 -o 'Kernel panic.*' "$console")"
	elif [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
		what="it was not done after $seconds s and was ended (--seconds); $(boot_last_line "$console")"
	elif [ ! -s "$console" ]; then
		what='the kernel did not say a word'
	elif [ -n "$(boot_said "$folder" short)" ]; then
		what="the guest is short of huge pages: $(boot_said "$folder" short)"
	elif [ "$(boot_said "$folder" code)" != 0 ]; then
		what="orion-sim in the guest: $(boot_complaint "$folder")"
		[ -n "$(boot_said "$folder" code)" ] || what="the guest ended early; $(boot_last_line "$console")"
	elif [ -n "$(boot_said "$folder" warned)" ]; then
		what="the kernel complained: $(boot_said "$folder" warned)"
	elif ! gzip -dc "$folder/result.gz" >"$folder/plain.json" 2>/dev/null; then
		what='its result did not come through whole'
	fi
	[ -z "$what" ] || echo "$what. Console: $console"
}

# boot_lab_state FOLDER ARGUMENTS: dies where the kernel does not say that our switches stand as asked.
boot_lab_state() {
	local folder=$1 word state

	state=$(boot_said "$folder" orion_lab)
	for word in $2; do
		[ "${word#orion_lab.}" != "$word" ] || continue
		case " $state " in
		*" ${word#orion_lab.} "*) ;;
		*) die "the kernel was told $word and says '${state:-nothing of orion_lab}'. Console: $folder/console" ;;
		esac
	done
}

# boot_run FOLDER MODE KERNEL ARGUMENTS SECONDS LABEL: boots what boot_job put there; result.json, or dies.
boot_run() {
	local folder=$1 mode=$2 kernel=$3 seconds=$5 arguments code=0 failure start=$EPOCHREALTIME begin=$SECONDS

	arguments="$BOOT_ARGUMENTS $(boot_mode_arguments "$mode") $BOOT_DISK $4"
	arguments=$(echo "$arguments" | tr -s ' ' | sed 's/ $//')
	echo "$arguments" >"$folder/arguments"
	boot_qemu "$folder" "$mode" "$kernel" "$arguments" "$seconds" || code=$?
	rm -f "$folder/initrd"
	[ "$code" -ne 137 ] || [ $((SECONDS - begin)) -ge "$seconds" ] ||
		cannot "$6: QEMU was killed, as where memory runs out (it takes up to $GUEST_MEGABYTES MB). Console: $folder/console"
	failure=$(boot_failure "$folder" $code "$seconds")
	[ -z "$failure" ] || die "$6: $failure"
	boot_lab_state "$folder" "$4"
	mv "$folder/plain.json" "$folder/result.json"
	if [ -s "$folder/counts.json" ]; then
		"$ORION" report "$folder/result.json" --merge-counters "$folder/counts.json" --format json \
			>"$folder/merged.json" 2>"$folder/merge.log" ||
			die "cannot merge the counts: $(cat "$folder/merge.log"). Counts: $folder/counts.json"
		mv "$folder/merged.json" "$folder/result.json"
	fi
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f\n", b - a }' >"$folder/seconds"
}

# boot_probe_kvm KERNEL: why a guest does not come up with KVM, nothing if it does. /dev/kvm may open and
# a guest never say a word, so it is tried.
boot_probe_kvm() {
	local folder=$CACHE/boot/kvm code=0

	if [ ! -w /dev/kvm ]; then
		echo 'no /dev/kvm that can be written to'
		return
	fi
	rm -rf "$folder"
	mkdir -p "$folder"
	boot_job "$folder" "$ROOT/profiles/null.json" 0 '' --set phases.warmup=0 --set phases.measure=10ms --set repeats=1
	boot_qemu "$folder" kvm "$1" "$BOOT_ARGUMENTS $BOOT_DISK" 30 || code=$?
	boot_failure "$folder" $code 30
}
