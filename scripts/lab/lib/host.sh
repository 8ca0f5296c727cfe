# SPDX-License-Identifier: MIT
# host.sh - reads a plan of kernels, profiles and boots for this very machine, and begins it; sourced by bash.
# shellcheck shell=bash disable=SC2154 # the lab's modules share what its options set
# A plan is a text file, a line for each thing, words separated by blanks; # begins a comment:
#   kernel LABEL RELEASE [WORD…]   as `uname -r` says; WORDs must be on its command line; the first kernel is the
#                                  one that the others are held against
#   entry LABEL ENTRY              the menu entry of that kernel, as grub-reboot takes it; preset: that of RELEASE
#   profile NAME|FILE [OPTION…]    a profile of orion-sim, with options of `orion-sim run`; in this order
#   boots N                        of each kernel (preset: 4); in ABBA order
#   settle SECONDS                 after a boot, before it is measured (preset: 60)
#   limit SECONDS                  a profile that is not done by then has failed on that boot (preset: 3600)
#   results FOLDER                 preset: the plan's file name, and .results
#   program FILE                   orion-sim; preset: --program, else the one of build/release

HOST_BOOT=$ROOT/scripts/lab/lib/host-boot
HOST_WORDS='kernel entry profile boots settle limit results program'

# host_bad WORDS: of the line that is read.
host_bad() {
	die "$host_plan, line $host_line: $*"
}

# host_number TEXT LEAST
host_number() {
	case $1 in
	'' | *[!0-9]* | ?????????*) host_bad "a number from $2 on is needed, not '$1'" ;;
	esac
	[ "$1" -ge "$2" ] || host_bad "a number from $2 on is needed, not '$1'"
}

# host_known LABEL: its index in host_labels.
host_known() {
	local i

	for i in "${!host_labels[@]}"; do
		if [ "${host_labels[i]}" = "$1" ]; then
			echo "$i"
			return
		fi
	done
	return 1
}

host_kernel() {
	[ $# -ge 2 ] || host_bad "kernel needs a label and a release: kernel new 6.1.192-lab-none"
	case $1 in
	*[!a-zA-Z0-9._-]* | .* | -*) host_bad "the label '$1' may have letters, digits, '.', '_' and '-', and begins with one of the first two" ;;
	esac
	! host_known "$1" >/dev/null || host_bad "there is a kernel '$1' already"
	host_labels+=("$1")
	host_releases+=("$2")
	host_cmdlines+=("${*:3}")
	host_entries+=('')
}

host_entry() {
	local i

	[ $# -ge 2 ] || host_bad "entry needs a label and a menu entry"
	i=$(host_known "$1") || host_bad "there is no kernel '$1' above (there are: ${host_labels[*]-})"
	host_entries[i]=${*:2}
}

host_profile() {
	local file=${1-} name

	[ -n "$file" ] || host_bad "profile needs a name or a file"
	name=$(basename "$file" .json)
	case $file in
	*/* | *.json) file=$(host_path "$file") ;;
	*) file=$ROOT/profiles/$name.json ;;
	esac
	[ -r "$file" ] || host_bad "there is no profile $file"
	case " ${host_profiles[*]-} " in *" $name "*) host_bad "there is a profile '$name' already" ;; esac
	host_profiles+=("$name")
	host_files+=("$file")
	host_options+=("${*:2}")
}

# host_path FILE: from the plan's folder on.
host_path() {
	case $1 in
	/*) echo "$1" ;;
	*) echo "$(dirname "$host_plan")/$1" ;;
	esac
}

# host_setting WORD [VALUE…]
host_setting() {
	[ $# -eq 2 ] || host_bad "$1 needs one value"
	case $1 in
	boots) host_number "$2" 1 && host_boots=$2 ;;
	settle) host_number "$2" 0 && host_settle=$2 ;;
	limit) host_number "$2" 1 && host_limit=$2 ;;
	results) host_results=$(host_path "$2") ;;
	program) host_program=$(host_path "$2") ;;
	esac
}

# host_read PLAN
host_read() {
	local words

	[ -r "$1" ] || die "there is no plan $1 that can be read"
	host_plan=$(realpath "$1") host_line=0
	host_labels=() host_releases=() host_cmdlines=() host_entries=() host_profiles=() host_files=() host_options=()
	host_boots=4 host_settle=60 host_limit=3600 host_results=$host_plan.results host_program=${program:-$ROOT/build/release/orion-sim}
	while read -r -a words || [ ${#words[@]} -gt 0 ]; do
		host_line=$((host_line + 1))
		case ${words[0]-} in
		'' | '#'*) ;;
		kernel | entry | profile) "host_${words[0]}" "${words[@]:1}" ;;
		boots | settle | limit | results | program) host_setting "${words[@]}" ;;
		*) host_bad "there is no '${words[0]}' (there are: $HOST_WORDS)" ;;
		esac
	done <"$1"
	[ ${#host_labels[@]} -ge 2 ] || die "$host_plan: a plan needs two kernels at least, and has ${#host_labels[@]}"
	[ ${#host_profiles[@]} -ge 1 ] || die "$host_plan: a plan needs a profile"
}

# host_steps: labels in the order in which they are booted.
host_steps() {
	local round i n=${#host_labels[@]}

	for ((round = 0; round < host_boots; round++)); do
		for ((i = 0; i < n; i++)); do
			echo "${host_labels[round % 2 ? n - 1 - i : i]}"
		done
	done
}

# host_find_entry RELEASE: of Debian's menu, with that of the submenu in front; recovery modes are others.
host_find_entry() {
	awk -v id="gnulinux-$1-advanced-" '
		/^submenu / { match($0, /menuentry_id_option .[^ ]*/); sub_id = substr($0, RSTART + 21, RLENGTH - 22) ">" }
		/^}/ { sub_id = "" }
		/^[ \t]*menuentry / && match($0, /menuentry_id_option .[^ ]*/) {
			own = substr($0, RSTART + 21, RLENGTH - 22)
			if (index(own, id) == 1) { print sub_id own; exit }
		}' "$host_root/boot/grub/grub.cfg"
}

# host_entries_find: of every kernel that has none yet.
host_entries_find() {
	local i

	for i in "${!host_labels[@]}"; do
		[ -z "${host_entries[i]}" ] || continue
		host_entries[i]=$(host_find_entry "${host_releases[i]}")
		[ -n "${host_entries[i]}" ] || die "GRUB's menu has no entry for Linux ${host_releases[i]} (kernel" \
			"${host_labels[i]}): install it (scripts/lab/lab deb makes packages), update-grub, or say 'entry ${host_labels[i]} …'"
	done
}

# host_machine: what must be there before anything is changed.
host_machine() {
	local command abstraction

	[ -n "$host_root" ] || [ "$(id -u)" -eq 0 ] || die "lab host changes the next boot entry and reboots: it must be root"
	for command in grub-reboot grub-editenv grub-probe systemctl; do
		command -v "$command" >/dev/null || cannot "there is no $command here: lab host needs GRUB 2 and systemd"
	done
	[ -d "$host_root/run/systemd/system" ] || cannot "systemd does not run here, and resuming after a boot is its task"
	grep -q next_entry "$host_root/boot/grub/grub.cfg" 2>/dev/null ||
		cannot "there is no $host_root/boot/grub/grub.cfg that knows a next entry: update-grub"
	abstraction=$(grub-probe --target=abstraction "$host_root/boot/grub")
	[ -z "$abstraction" ] || cannot "/boot/grub is on $abstraction, where GRUB cannot take back the choice of a next entry"
}

# host_plans: orion-sim must take each profile with its options, before anything is booted.
host_plans() {
	local i options said

	[ -x "$host_program" ] || die "there is no program $host_program: scripts/quickstart builds it, or say 'program FILE'"
	for i in "${!host_profiles[@]}"; do
		read -r -a options <<<"${host_options[i]}"
		said=$("$host_program" plan "${host_files[i]}" "${options[@]}" 2>&1) ||
			die "orion-sim refuses profile ${host_profiles[i]}: $(tail -n 1 <<<"$said")"
	done
	[ ! -e "$host_results" ] || [ -z "$(ls -A "$host_results")" ] ||
		die "$host_results is not empty: move it away, or say 'results FOLDER'"
}

# host_under_way STATE: one plan at a time.
host_under_way() {
	[ ! -e "$1/state" ] || grep -q '^ended=yes' "$1/state" ||
		die "a plan is under way: scripts/lab/lab host status, or abort"
}

# host_write FOLDER: all that the boots need.
host_write() {
	local folder=$1 i libexec

	mkdir -p "$folder"/{profiles,bin} "$host_results"
	for i in "${!host_labels[@]}"; do
		printf '%s\t%s\t%s\t%s\n' "${host_labels[i]}" "${host_releases[i]}" "${host_entries[i]}" "${host_cmdlines[i]}"
	done >"$folder/kernels"
	for i in "${!host_profiles[@]}"; do
		cp "${host_files[i]}" "$folder/profiles/${host_profiles[i]}.json"
		printf '%s\t%s\n' "${host_profiles[i]}" "${host_options[i]}"
	done >"$folder/order"
	host_steps >"$folder/steps"
	printf '%s\n' "plan=$host_plan" "results=$host_results" "settle=$host_settle" "limit=$host_limit" >"$folder/settings"
	{
		echo "release=$(cat "$host_root/proc/sys/kernel/osrelease")"
		grub-editenv "$host_root/boot/grub/grubenv" list 2>/dev/null | grep -E '^(saved|next)_entry=' || true
	} >"$folder/before"
	printf '%s\n' step=0 tries=0 "boot=$(cat "$host_root/proc/sys/kernel/random/boot_id")" ending= ended= >"$folder/state"
	cp "$host_plan" "$folder/plan"
	cp "$HOST_BOOT" "$folder/host-boot"
	cp "$host_program" "$folder/bin/orion-sim"
	libexec=$(dirname "$host_program")/libexec
	[ ! -d "$libexec" ] || cp -r "$libexec" "$folder/libexec"
	sync -f "$folder"
}

# host_unit STATE: resumes after each boot.
host_unit() {
	local systemd=$host_root/etc/systemd/system unit=orion-sim-lab.service

	mkdir -p "$systemd/multi-user.target.wants"
	cat >"$systemd/$unit.new" <<-END
		[Unit]
		Description=a plan of kernels of orion-sim (scripts/lab/lab host)
		After=multi-user.target

		[Service]
		Type=oneshot
		ExecStart=$1/host-boot resume
		TimeoutStartSec=infinity

		[Install]
		WantedBy=multi-user.target
	END
	sync "$systemd/$unit.new"
	mv "$systemd/$unit.new" "$systemd/$unit"
	ln -sf "$systemd/$unit" "$systemd/multi-user.target.wants/$unit"
	sync "$systemd" "$systemd/multi-user.target.wants"
	systemctl daemon-reload
}

# host_start PLAN
host_start() {
	local state=$host_root/var/lib/orion-sim-lab

	host_read "$1"
	host_under_way "$state"
	host_machine
	host_entries_find
	host_plans
	rm -rf "$state.new"
	host_write "$state.new"
	rm -rf "$state"
	mv "$state.new" "$state"
	sync "$(dirname "$state")"
	host_unit "$state"
	say "$(wc -l <"$state/steps") boots: $(paste -sd ' ' "$state/steps"). Results: $host_results"
	host_boot resume
}

# host_boot COMMAND
host_boot() {
	"$HOST_BOOT" ${host_root:+--root "$host_root"} "$1"
}

# host_command ROOT WORD: a plan, or what is to be done with the one that is under way.
host_command() {
	host_root=${1%/}
	case $2 in
	'') die "which plan? scripts/lab/lab host PLAN|status|resume|abort (a plan's form: scripts/lab/lib/host.sh)" ;;
	status) host_boot status ;;
	resume) host_boot resume ;;
	abort)
		# Its children get time to give borrowed settings back.
		systemctl stop orion-sim-lab.service 2>/dev/null || true
		host_boot abort
		;;
	*) host_start "$2" ;;
	esac
}
