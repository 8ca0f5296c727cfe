# SPDX-License-Identifier: MIT
# deb.sh - kernels as Debian packages, from the trees of the lab and a configuration of the user's; sourced by bash.
# shellcheck shell=bash
# Made by dpkg-deb alone: kernel, System.map, configuration, modules, and the hooks of /etc/kernel, which make an
# initramfs and GRUB's menu where they are installed. The release is VERSION-lab-PATCHES-KEY: kernels of other
# configurations or patches have other names, and are installed beside each other.

DEB_RECIPE=1
# What a symbol needs of the machine, a program or a header, and its package. Without it the build fails, some at its end.
DEB_NEEDS='DEBUG_INFO_BTF pahole dwarves
MODULE_SIG_FORMAT openssl/opensslv.h libssl-dev
SYSTEM_TRUSTED_KEYRING openssl/opensslv.h libssl-dev
MODULE_SIG openssl openssl
KERNEL_BZIP2 bzip2 bzip2
KERNEL_LZO lzop lzop
KERNEL_LZ4 lz4 lz4
KERNEL_ZSTD zstd zstd
MODULE_COMPRESS_ZSTD zstd zstd'

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
	} | sed 's/^\(CONFIG_[A-Za-z0-9_]*\)=n$/# \1 is not set/' |
		awk '/^(# )?CONFIG_[A-Za-z0-9_]+(=| is not set)/ && match($0, /CONFIG_[A-Za-z0-9_]+/) {
			key = substr($0, RSTART, RLENGTH); if (!(key in line)) order[++n] = key; line[key] = $0 }
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
	{ deb_fragment "$@" | sed '/^CONFIG_LOCALVERSION=/d' && echo "CONFIG_LOCALVERSION=\"$suffix\""; } >"$out/fragment" || return
	cat "$out/fragment" >>"$out/.config"
	cp "$out/.config" "$out/asked" || return
	kernel_make "$tree" olddefconfig
}

# deb_last TREE SYMBOL: the last one that was asked for.
deb_last() {
	grep -E "^(# )?CONFIG_$2[ =]" "$1/out/asked" | tail -n 1
}

# deb_there WORD: a program, or a header.
deb_there() {
	case $1 in
	*.h) echo "#include <$1>" | gcc -E -x c - >/dev/null 2>&1 ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# deb_wants TREE SYMBOL
deb_wants() {
	grep -q "^CONFIG_$2=y" "$1/out/.config" && return
	# From 6.12 on it goes without a word where there is no pahole.
	[ "$2" = DEBUG_INFO_BTF ] && grep -q '^CONFIG_DEBUG_INFO=y' "$1/out/.config" && [ "$(deb_last "$1" "$2")" = "CONFIG_$2=y" ]
}

# deb_missing TREE: packages.
deb_missing() {
	local symbol word package

	while read -r symbol word package; do
		! deb_wants "$1" "$symbol" || deb_there "$word" || echo "$package (CONFIG_$symbol)"
	done <<<"$DEB_NEEDS"
}

# deb_tools LOG TREE SUFFIX VERSION NAME CONFIG…: what the configuration asks for is here, or is installed; then it is
# configured anew, since symbols depend on what there is.
deb_tools() {
	local log=$1 tree=$2 missing

	shift
	missing=$(deb_missing "$tree" | paste -sd , | sed 's/,/, /g')
	if [ -n "$missing" ] && [ -n "$install" ]; then
		"$ROOT/scripts/install-deps" deb || true
		deb_configure "$@" >>"$log" 2>&1 || cache_failed "$log" "cannot configure Linux $3"
		missing=$(deb_missing "$tree" | paste -sd , | sed 's/,/, /g')
	fi
	[ -z "$missing" ] || cannot "the configuration needs packages that are missing here: $missing;" \
		"install them (scripts/install-deps deb), or take these symbols out in a further --config"
}

# deb_keys TREE: files of keys and certificates that the configuration names and that are not there. The kernel's build
# makes the one of its own preset.
deb_keys() {
	local symbol file

	for symbol in MODULE_SIG_KEY SYSTEM_TRUSTED_KEYS SYSTEM_REVOCATION_KEYS; do
		file=$(sed -n "s/^CONFIG_$symbol=\"\(.*\)\"/\1/p" "$1/out/.config")
		case $file in
		'' | certs/signing_key.pem | pkcs11:*) continue ;;
		/*) ;;
		*) file=$1/$file ;;
		esac
		[ -r "$file" ] || echo "CONFIG_$symbol: ${file#"$1"/}"
	done
}

# deb_lost TREE CONFIG LOG: what this configuration sets, nothing further takes back, and the kernel has not; into the log all
# of it, and a line of how many.
deb_lost() {
	local lost

	lost=$(grep -hE '^CONFIG_[A-Za-z0-9_]+=[ym]$' "$2" | grep -vxFf "$1/out/.config" | while IFS='=' read -r symbol value; do
		[ "$(deb_last "$1" "${symbol#CONFIG_}")" != "$symbol=$value" ] || echo "$symbol=$value"
	done)
	[ -n "$lost" ] || return 0
	printf 'Not taken over from %s: %s\n' "$2" "$(paste -sd ' ' <<<"$lost")" >>"$3"
	say "Of $2, $(wc -l <<<"$lost") symbols are not taken over, since this kernel has them not or what they depend on is not set:" \
		"$(head -n 3 <<<"$lost" | paste -sd ' ')$([ "$(wc -l <<<"$lost")" -le 3 ] || echo ' …'); the log has all of them."
}

# deb_megabytes TREE: what its objects and the package take.
deb_megabytes() {
	if ! grep -q '^CONFIG_MODULES=y' "$1/out/.config"; then
		echo "$TREE_MEGABYTES"
	elif grep -q '^CONFIG_DEBUG_INFO=y' "$1/out/.config"; then
		echo 30000
	else
		echo 8000
	fi
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
	local folder=$1 suffix=$2 log=$3 tree=$1/linux dropped keys release targets=(bzImage)

	shift 3
	cp -a --link "$CACHE/source/$1/linux" "$tree" >>"$log" 2>&1 || cache_failed "$log" "cannot copy the tree of Linux $1"
	mkdir "$tree/out"
	patches_apply "$tree" "$1" "$2" "$log" ||
		die "a patch does not apply to Linux $1 ($(source_release "$1")): $(patches_failure "$log"). Log: $log"
	deb_configure "$tree" "$suffix" "$@" >>"$log" 2>&1 || cache_failed "$log" "cannot configure Linux $1"
	deb_tools "$log" "$tree" "$suffix" "$@"
	keys=$(deb_keys "$tree" | paste -sd , | sed 's/,/, /g')
	[ -z "$keys" ] || die "the configuration names files of keys that are not there: $keys; put them there, or name none" \
		"(CONFIG_…=\"\") in a further --config"
	[ "$3" = lab ] || deb_lost "$tree" "$3" "$log"
	cache_room "$(deb_megabytes "$tree")" "a build of this configuration"
	dropped=$(kernel_dropped "$tree" | tr '\n' ' ')
	[ -z "$dropped" ] || die "the configuration of Linux $1 lost ${dropped% }: what it depends on is not set, or another of the same" \
		"choice is (then also say '# CONFIG_… is not set' of this one). Log: $log"
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
