# SPDX-License-Identifier: MIT
# guest.sh - a Debian kernel with our program in an initramfs, booted by QEMU; sourced by bash.
# shellcheck shell=bash
# Nothing is installed but QEMU and cpio: packages are downloaded and unpacked in the work directory.

# guest_apt WORK RELEASE COMMAND…: apt with lists and sources of its own for backports.
guest_apt() {
	local work=$1 release=$2 mirror

	shift 2
	if [ "$release" = stable ]; then
		"$@"
		return
	fi
	# shellcheck disable=SC2016 # fields of apt-get
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 2>/dev/null |
		awk '$2 == "bookworm" { print $1; exit }')
	mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s bookworm-backports main\n' \
		"${mirror:-http://deb.debian.org/debian}" >"$work/apt/sources.list"
	"$@" -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache"
}

# guest_unpack WORK RELEASE PACKAGE FOLDER: downloads a package, once, and unpacks it there.
guest_unpack() {
	local work=$1 release=$2 package=$3 folder=$4

	[ ! -e "$folder/.unpacked" ] || return 0
	rm -rf "$folder"
	mkdir -p "$folder/deb"
	(cd "$folder/deb" && guest_apt "$work" "$release" apt-get -qq -o APT::Sandbox::User=root download "$package") >&2 ||
		cannot "cannot download $package: apt-get update, with Debian 12's suites in its sources"
	dpkg-deb -x "$folder"/deb/*.deb "$folder" || die "cannot unpack $package in $folder: is its disk full?"
	rm -rf "$folder/deb"
	touch "$folder/.unpacked"
}

# guest_kernel WORK RELEASE: Debian's cloud kernel (stable: 6.1, backports: newer); prints its folder.
guest_kernel() {
	local work=$1 release=$2 folder=$1/kernel-$2 package

	if [ ! -e "$folder/.unpacked" ]; then
		[ "$release" = stable ] || guest_apt "$work" "$release" apt-get -qq update >&2
		package=$(guest_apt "$work" "$release" apt-cache show linux-image-cloud-amd64 |
			sed -n 's/^Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
		[ -n "$package" ] || die "apt knows no linux-image-cloud-amd64 in $release: apt-get update"
		guest_unpack "$work" "$release" "$package" "$folder"
	fi
	printf '%s\n' "$folder"
}

# guest_copy ROOT FILE [NAME]: a program with the libraries that it is linked to.
guest_copy() {
	local root=$1 file=$2 name=${3:-bin/${2##*/}} library

	install -D -m 755 "$file" "$root/$name" || return
	for library in $(ldd "$file" | grep -o '/[^ ]*'); do
		[ -e "$root$library" ] || install -D -m 755 "$library" "$root$library" || return
	done
}

# guest_modules ROOT KERNEL MODULE…: with those that they depend on.
guest_modules() {
	local root=$1 kernel=$2 release module file

	shift 2
	release=$(basename "$kernel"/lib/modules/*)
	mkdir -p "$root/lib/modules/$release"
	cp "$kernel/lib/modules/$release"/modules.* "$root/lib/modules/$release/"
	depmod -b "$kernel" "$release"
	for module; do
		modprobe -d "$kernel" -S "$release" --show-depends "$module" 2>/dev/null |
			sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | sort -u | while read -r file; do
		install -D -m 644 "$file" "$root/lib/modules/${file#*/lib/modules/}"
	done
	depmod -b "$root" "$release"
}

# guest_root ROOT WORK INIT: busybox and the script that the guest runs as its init.
guest_root() {
	local root=$1 work=$2 init=$3

	rm -rf "$root"
	mkdir -p "$root"/{bin,dev,proc,sys,run,tmp,mnt,etc}
	guest_unpack "$work" stable busybox-static "$work/busybox"
	install -m 755 "$work/busybox/bin/busybox" "$root/bin/busybox"
	ln -s busybox "$root/bin/sh"
	install -m 755 "$init" "$root/init"
}

# guest_pack ROOT IMAGE
guest_pack() {
	(set -o pipefail && cd "$1" && find . -print0 | cpio --null --create --format=newc --quiet | gzip -1) >"$2"
}

# guest_run LOG SECONDS QEMU-ARGUMENT…: boots, its console into LOG; ended by its own pid when late.
guest_run() {
	local log=$1 limit=$2 pid waited=0

	shift 2
	qemu-system-x86_64 -nodefaults -no-reboot -display none -machine q35 -serial "file:$log" "$@" </dev/null &
	pid=$!
	# shellcheck disable=SC2064 # this very process
	trap "kill $pid 2>/dev/null || true" EXIT
	while kill -0 "$pid" 2>/dev/null; do
		if [ $waited -ge "$limit" ]; then
			kill "$pid"
			say "The guest was not done after $limit s and was ended."
			break
		fi
		sleep 1
		waited=$((waited + 1))
	done
	wait "$pid" || true
	trap - EXIT
	say "The guest ran for $waited s."
}
