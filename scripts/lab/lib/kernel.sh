# SPDX-License-Identifier: MIT
# kernel.sh - builds kernels from one configuration, each once; sourced by bash.
# shellcheck shell=bash disable=SC2034 # the lab's modules share what is set here

TREE_MEGABYTES=1500
# Part of the key: kernels of another recipe are built anew.
RECIPE=1
# A file of further configuration, for kernels that are not measured.
KERNEL_CONFIG=''

# kernel_fragment VERSION NAME: what is asked for beyond tinyconfig.
kernel_fragment() {
	cat "$LAB/config/lab.config"
	cat "$LAB/config/lab-$1.config" 2>/dev/null || true
	[ -z "$KERNEL_CONFIG" ] || cat "$KERNEL_CONFIG"
	patches_config "$2"
}

# kernel_record VERSION NAME: all that makes the kernel what it is.
kernel_record() {
	local version=$1 name=$2 patch

	echo "recipe $RECIPE"
	echo "source linux-source-$version $(source_release "$version")"
	echo "compiler $(gcc -dumpfullversion), $(ld -v)"
	echo "configuration $(kernel_fragment "$version" "$name" | sha256sum | cut -c 1-16)"
	for patch in $(patches_of "$version" "$name"); do
		echo "patch ${patch#"$ROOT"/} $(sha256sum <"$patch" | cut -c 1-16)"
	done
}

# kernel_word NAME: its patches in a file's name.
kernel_word() {
	basename "${1/:/-}"
}

# kernel_folder VERSION NAME: where it is, or will be.
kernel_folder() {
	local key

	[ -n "$(source_release "$1")" ] || die "no source of Linux $1 in $CACHE: scripts/lab/lab fetch --kernel $1"
	key=$(kernel_record "$1" "$2" | sha256sum | cut -c 1-12)
	printf '%s/kernel/%s-%s-%s\n' "$CACHE" "$1" "$(kernel_word "$2")" "$key"
}

# kernel_make TREE TARGET…: objects are in out/ of the tree, so that every path is relative to it. Ends with the
# shell that calls it, however that ends; so nothing that takes long should be called in $(…).
kernel_make() {
	local tree=$1

	shift
	CCACHE_BASEDIR=$tree CCACHE_DIR=$CACHE/ccache CCACHE_MAXSIZE=2G CCACHE_NOHASHDIR=yes CCACHE_COMPILERCHECK=content \
		KBUILD_BUILD_TIMESTAMP='2024-01-01' KBUILD_BUILD_USER=orion KBUILD_BUILD_HOST=lab KBUILD_BUILD_VERSION=1 \
		LC_ALL=C nice -n 19 setpriv --pdeathsig TERM make -C "$tree" O="$tree/out" CC='ccache gcc' HOSTCC='ccache gcc' LOCALVERSION= \
		-j "$JOBS" "$@"
}

# kernel_tree FOLDER VERSION: a tree in it that shares unchanged files with the one of the cache; with
# the objects of a pristine kernel of the same configuration, where one was built.
kernel_tree() {
	local folder=$1 version=$2 pristine

	pristine=$CACHE/tree/$(basename "$(kernel_folder "$version" none)")
	if [ -e "$pristine/linux" ]; then
		cp -a --link "$pristine/linux" "$folder/linux"
		# Objects are written in place.
		rm -rf "$folder/linux/out"
		cp -a "$pristine/linux/out" "$folder/linux/out"
	else
		cp -a --link "$CACHE/source/$version/linux" "$folder/linux"
		mkdir "$folder/linux/out"
	fi
}

# kernel_configure TREE VERSION NAME
kernel_configure() {
	local tree=$1 out=$1/out

	kernel_make "$tree" tinyconfig || return
	kernel_fragment "$2" "$3" >"$out/fragment" || return
	cat "$out/fragment" >>"$out/.config"
	kernel_make "$tree" olddefconfig
}

# kernel_dropped TREE: symbols that were asked for and are not in the configuration.
kernel_dropped() {
	grep -hE '^CONFIG_[A-Za-z0-9_]+=' "$1/out/fragment" | grep -vxFf "$1/out/.config" || true
}

# kernel_compile FOLDER VERSION NAME LOG: FOLDER/linux becomes FOLDER/new, with what is kept of it.
kernel_compile() {
	local folder=$1 version=$2 name=$3 log=$4 tree=$1/linux dropped

	kernel_tree "$folder" "$version" >>"$log" 2>&1 || cache_failed "$log" "cannot copy the tree of Linux $version"
	patches_apply "$tree" "$version" "$name" "$log" ||
		die "a patch does not apply to Linux $version ($(source_release "$version")): $(patches_failure "$log"). Log: $log"
	kernel_configure "$tree" "$version" "$name" >>"$log" 2>&1 || cache_failed "$log" "cannot configure Linux $version"
	dropped=$(kernel_dropped "$tree" | tr '\n' ' ')
	[ -z "$dropped" ] || die "the configuration of Linux $version lost ${dropped% }. Log: $log"
	kernel_make "$tree" bzImage >>"$log" 2>&1 || cache_failed "$log" "cannot compile Linux $version with $name"
	mkdir "$folder/new"
	{
		cp "$tree"/out/{vmlinux,System.map} "$folder/new/" && cp "$tree/out/arch/x86/boot/bzImage" "$folder/new/" &&
			cp "$tree/out/.config" "$folder/new/config"
	} 2>>"$log" || cache_failed "$log" "cannot keep the kernel"
	cp "$log" "$folder/new/log"
}

# kernel_cpu FOLDER: prints how many seconds of CPU this shell and those that it waited for have had, whatever else was going on.
# `times` must not be called in $(…): that shell has waited for nobody.
kernel_cpu() {
	times >"$1/times"
	tr ms ' \n' <"$1/times" | awk '{ s += $1 * 60 + $2 } END { printf "%d\n", s }'
}

# kernel_build VERSION NAME: sets $KERNEL_BUILT to its folder, and prints it.
kernel_build() {
	local version=$1 name=$2 final folder log start=$SECONDS cpu

	patches_of "$version" "$name" >/dev/null
	final=$(kernel_folder "$version" "$name") || exit 1
	if [ ! -e "$final" ]; then
		cache_room "$TREE_MEGABYTES" "a build of Linux $version"
		log=$CACHE/log/build-$version-$(kernel_word "$name").log
		# One place for all, or objects that were taken over would be made anew: objtool knows where it was built.
		folder=$CACHE/tmp/build
		rm -rf "$folder"
		mkdir "$folder" || die "cannot write to $CACHE"
		say "Building Linux $version ($(source_release "$version")), patches: $name; log: $log"
		: >"$log"
		{ kernel_cpu "$folder" >"$folder/cpu"; } 2>>"$log" || true
		kernel_compile "$folder" "$version" "$name" "$log"
		{ kernel_cpu "$folder" >>"$folder/cpu"; } 2>>"$log" || true
		cpu=$(awk '{ s = $1 - s } END { print s + 0 }' "$folder/cpu")
		{ kernel_record "$version" "$name" && echo "built in $((SECONDS - start)) s, $cpu s of CPU"; } >"$folder/new/record"
		mv "$folder/new" "$final" || die "cannot keep the kernel in $final"
		if [ "$name" = none ]; then
			cache_put "$folder" "$CACHE/tree/$(basename "$final")"
		else
			rm -rf "$folder"
		fi
		say "Built in $((SECONDS - start)) s, $cpu s of CPU: $final"
	fi
	KERNEL_BUILT=$final
	printf '%s\n' "$final"
}
