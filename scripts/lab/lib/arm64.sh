# SPDX-License-Identifier: MIT
# arm64.sh - a tree of arm64 packages to compile against, and QEMU's user mode; sourced by bash.
# shellcheck shell=bash

ARM64_PACKAGES=(libc6-dev liburing-dev libaio-dev libnuma-dev libcjson-dev libcmocka-dev)

# arm64_apt APT COMMAND…: apt with a state of its own, as on an arm64 machine without any packages.
arm64_apt() {
	local apt=$1

	shift
	"$@" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
		-o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::State::lists="$apt/lists" \
		-o Dir::Cache="$apt/cache" -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=-
}

# arm64_sysroot WORK SYSROOT: the packages that we need and those that they need, unpacked, once.
arm64_sysroot() {
	local apt=$1/arm64-apt sysroot=$2 mirror package

	[ ! -e "$sysroot/.unpacked" ] || return 0
	# shellcheck disable=SC2016 # fields of apt-get
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 2>/dev/null |
		awk '$2 == "bookworm" { print $1; exit }')
	rm -rf "$apt" "$sysroot"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$sysroot"
	: >"$apt/status"
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s bookworm main\n' \
		"${mirror:-http://deb.debian.org/debian}" >"$apt/sources.list"
	arm64_apt "$apt" apt-get -qq update >&2
	arm64_apt "$apt" apt-get -qq -y --no-install-recommends --download-only install \
		"${ARM64_PACKAGES[@]}" >/dev/null || die "cannot download the arm64 packages"
	for package in "$apt"/cache/archives/*.deb; do
		dpkg-deb -x "$package" "$sysroot"
	done
	rm -rf "$apt"
	touch "$sysroot/.unpacked"
}

# arm64_run SYSROOT PAGE PROGRAM…: as a machine with base pages of that size runs it.
arm64_run() {
	local sysroot=$1 page=$2

	shift 2
	timeout 300 qemu-aarch64-static -p "$page" -L "$sysroot" "$@"
}
