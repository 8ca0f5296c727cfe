# SPDX-License-Identifier: MIT
# deb.sh - kernels as Debian packages, from the trees of the lab and a configuration of the user's; sourced by bash.
# shellcheck shell=bash
# Made by dpkg-deb alone: kernel, System.map, configuration, modules, and the hooks of /etc/kernel, which make an
# initramfs and GRUB's menu where they are installed. The release is VERSION-lab-PATCHES-KEY: kernels of other
# configurations or patches have other names, and are installed beside each other.

DEB_RECIPE=1

# deb_configs CONFIG…: `lab` is the lab's own small one.
deb_configs() {
	local file

	for file; do
		[ "$file" = lab ] || [ -r "$file" ] || die "there is no configuration $file (there is: lab, or a file)"
	done
}

# deb_fragment VERSION NAME CONFIG…: what is added to tinyconfig, or to the first file; of each symbol the last word.
deb_fragment() {
	local version=$1 name=$2 base=$3

	shift 3
	{
		if [ "$base" = lab ]; then
			kernel_fragment "$version" "$name"
		else
			patches_config "$name"
		fi
		[ $# -eq 0 ] || cat "$@"
	} | awk 'match($0, /CONFIG_[A-Z0-9_]+/) { key = substr($0, RSTART, RLENGTH); if (!(key in line)) order[++n] = key; line[key] = $0 }
		END { for (i = 1; i <= n; i++) print line[order[i]] }'
}

# deb_record VERSION NAME CONFIG…: all that makes the package what it is.
deb_record() {
	local version=$1 name=$2

	kernel_record "$version" "$name"
	echo "package $DEB_RECIPE"
	[ "$3" = lab ] || echo "base $(sha256sum <"$3" | cut -c 1-16)"
	echo "fragment $(deb_fragment "$@" | sha256sum | cut -c 1-16)"
}

# deb_word NAME: its patches, as a package may be called.
deb_word() {
	kernel_word "$1" | tr 'A-Z_' 'a-z-' | tr -cd 'a-z0-9.+\n-'
}

# deb_configure TREE SUFFIX VERSION NAME CONFIG…
deb_configure() {
	local tree=$1 suffix=$2 out=$1/out

	shift 2
	if [ "$3" = lab ]; then
		kernel_make "$tree" tinyconfig || return
	else
		cp "$3" "$out/.config" || return
		# Debian's names certificates that only its own tree has.
		sed -i 's|^\(CONFIG_SYSTEM_[A-Z]*_KEYS\)="debian/.*|\1=""|' "$out/.config"
	fi
	{ deb_fragment "$@" | grep -v '^CONFIG_LOCALVERSION=' && echo "CONFIG_LOCALVERSION=\"$suffix\""; } >"$out/fragment" || return
	cat "$out/fragment" >>"$out/.config"
	kernel_make "$tree" olddefconfig
}

# deb_hook FOLDER SCRIPT DIRECTORY RELEASE: a script of the package that runs those of /etc/kernel/DIRECTORY.
deb_hook() {
	cat >"$1/DEBIAN/$2" <<-END
		#!/bin/sh
		set -e
		[ ! -d /etc/kernel/$3 ] || DEB_MAINT_PARAMS="\$*" run-parts --report --exit-on-error --arg=$4 \\
			--arg=/boot/vmlinuz-$4 /etc/kernel/$3
	END
	chmod 755 "$1/DEBIAN/$2"
}

# deb_stage FOLDER TREE RELEASE: the files of the package.
deb_stage() {
	local folder=$1 tree=$2 release=$3

	mkdir -p "$folder/boot" "$folder/DEBIAN" || return
	cp "$tree/out/arch/x86/boot/bzImage" "$folder/boot/vmlinuz-$release" || return
	cp "$tree/out/System.map" "$folder/boot/System.map-$release" || return
	cp "$tree/out/.config" "$folder/boot/config-$release" || return
	if grep -q '^CONFIG_MODULES=y' "$tree/out/.config"; then
		kernel_make "$tree" INSTALL_MOD_PATH="$folder" INSTALL_MOD_STRIP=1 modules_install || return
		rm -f "$folder/lib/modules/$release"/{build,source}
	else
		# Its tools expect the folder.
		mkdir -p "$folder/lib/modules/$release"
	fi
	deb_hook "$folder" postinst postinst.d "$release"
	deb_hook "$folder" prerm prerm.d "$release"
	deb_hook "$folder" postrm postrm.d "$release"
}

# deb_control VERSION NAME RELEASE
deb_control() {
	cat <<-END
		Package: linux-image-$3
		Version: $(source_release "$1")+orion$DEB_RECIPE
		Architecture: amd64
		Section: kernel
		Priority: optional
		Maintainer: nobody <root@localhost>
		Description: Linux $1 of Debian's source, patches of orion-sim: $2
		 Built by scripts/lab/lab deb on this user's own machine.
	END
}

# deb_compile FOLDER SUFFIX LOG VERSION NAME CONFIG…: FOLDER/linux becomes FOLDER/new, with the package.
deb_compile() {
	local folder=$1 suffix=$2 log=$3 tree=$1/linux dropped release targets=(bzImage)

	shift 3
	cp -a --link "$CACHE/source/$1/linux" "$tree" >>"$log" 2>&1 || cache_failed "$log" "cannot copy the tree of Linux $1"
	mkdir "$tree/out"
	patches_apply "$tree" "$1" "$2" "$log" ||
		die "a patch does not apply to Linux $1 ($(source_release "$1")): $(patches_failure "$log"). Log: $log"
	deb_configure "$tree" "$suffix" "$@" >>"$log" 2>&1 || cache_failed "$log" "cannot configure Linux $1"
	dropped=$(kernel_dropped "$tree" | tr '\n' ' ')
	[ -z "$dropped" ] || die "the configuration of Linux $1 lost ${dropped% }. Log: $log"
	! grep -q '^CONFIG_MODULES=y' "$tree/out/.config" || targets+=(modules)
	kernel_make "$tree" "${targets[@]}" >>"$log" 2>&1 || cache_failed "$log" "cannot compile Linux $1 with $2"
	release=$(cat "$tree/out/include/config/kernel.release")
	mkdir "$folder/new"
	{ deb_stage "$folder/stage" "$tree" "$release" && deb_control "$1" "$2" "$release" >"$folder/stage/DEBIAN/control" &&
		SOURCE_DATE_EPOCH=1704067200 dpkg-deb --root-owner-group --build "$folder/stage" "$folder/new"; } >>"$log" 2>&1 ||
		cache_failed "$log" "cannot make the package"
	cp "$log" "$folder/new/log"
}

# deb_build VERSION NAME CONFIG…: prints the package's file, built if it is not there.
deb_build() {
	local version=$1 name=$2 key final folder log start=$SECONDS

	shift 2
	deb_configs "$@"
	patches_of "$version" "$name" >/dev/null
	[ -n "$(source_release "$version")" ] || source_fetch "$version"
	key=$(deb_record "$version" "$name" "$@" | sha256sum | cut -c 1-6)
	final=$CACHE/deb/$version-$(kernel_word "$name")-$key
	if [ ! -e "$final" ]; then
		cache_room "$TREE_MEGABYTES" "a build of Linux $version"
		log=$CACHE/log/deb-$version-$(kernel_word "$name").log
		folder=$CACHE/tmp/build
		rm -rf "$folder"
		mkdir "$folder" || die "cannot write to $CACHE"
		say "Building a package of Linux $version ($(source_release "$version")), patches: $name; log: $log"
		: >"$log"
		deb_compile "$folder" "-lab-$(deb_word "$name")-$key" "$log" "$version" "$name" "$@"
		deb_record "$version" "$name" "$@" >"$folder/new/record"
		cache_put "$folder/new" "$final"
		rm -rf "$folder"
		say "Built in $((SECONDS - start)) s."
	fi
	printf '%s\n' "$final"/*.deb
}
