# SPDX-License-Identifier: MIT
# source.sh - Debian's kernel sources, from the package sources that this machine has; sourced by bash.
# shellcheck shell=bash

KERNELS=(6.1 6.12)
SOURCE_MEGABYTES=2500

# source_known VERSION
source_known() {
	local version

	for version in "${KERNELS[@]}"; do
		[ "$1" != "$version" ] || return 0
	done
	die "the lab has no kernel '$1' (there are: ${KERNELS[*]})"
}

# source_candidate VERSION: what apt would install, or nothing.
source_candidate() {
	apt-cache policy "linux-source-$1" 2>/dev/null | sed -n 's/^  Candidate: //p' | grep -v '(none)' || true
}

# source_release VERSION: of which package version the tree in the cache is.
source_release() {
	cat "$CACHE/source/$1/release" 2>/dev/null || true
}

# source_offered VERSION RELEASE: whether apt has that one.
source_offered() {
	apt-cache madison "linux-source-$1" 2>/dev/null | cut -d '|' -f 2 | grep -qxF " $2 "
}

# source_refresh VERSION: package lists may be missing, or older than the mirror and name files that are gone.
source_refresh() {
	local root=()

	[ "$(id -u)" -eq 0 ] || root=(sudo -n)
	say "Refreshing the package lists."
	"${root[@]}" apt-get -qq update >>"$CACHE/log/fetch-$1.log" 2>&1 </dev/null || true
}

# source_get FOLDER VERSION PACKAGE: its .deb into the folder.
source_get() {
	(cd "$1" && timeout 900 apt-get -qq -o APT::Sandbox::User=root -o Acquire::http::Timeout=60 -o Acquire::Retries=2 \
		download "$3") >>"$CACHE/log/fetch-$2.log" 2>&1 </dev/null
}

# source_download FOLDER VERSION RELEASE: that one, or where it is gone meanwhile, the newest.
source_download() {
	local log=$CACHE/log/fetch-$2.log package=linux-source-$2

	source_get "$1" "$2" "$package=$3" && return
	source_refresh "$2"
	source_get "$1" "$2" "$package=$3" || source_get "$1" "$2" "$package" ||
		cannot "cannot download $package (where apt-get update helps, it takes root): $(cache_why "$log"). Log: $log"
}

# source_unpack FOLDER VERSION: the .deb in it becomes FOLDER/new/{linux,release}.
source_unpack() {
	local folder=$1 log=$CACHE/log/fetch-$2.log deb

	deb=$(echo "$folder"/*.deb)
	mkdir "$folder/new"
	{
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder" &&
			tar -x --xz -C "$folder/new" -f "$folder/usr/src/linux-source-$2.tar.xz" &&
			mv "$folder/new/linux-source-$2" "$folder/new/linux" &&
			dpkg-deb --field "$deb" Version >"$folder/new/release"
	} >>"$log" 2>&1 || cache_failed "$log" "cannot unpack linux-source-$2"
}

# source_fetch VERSION [RELEASE]: RELEASE if apt has it, else the newest that apt knows, unless it is in the cache.
source_fetch() {
	local version=$1 folder candidate

	: >"$CACHE/log/fetch-$version.log"
	candidate=$(source_candidate "$version")
	if [ -z "$candidate" ] && [ -z "$(source_release "$version")" ]; then
		source_refresh "$version"
		candidate=$(source_candidate "$version")
		[ -n "$candidate" ] || cannot "apt knows no linux-source-$version: apt-get update," \
			"with the suites bookworm, -updates and -security of Debian 12 in its sources"
	fi
	[ -z "${2-}" ] || ! source_offered "$version" "$2" || candidate=$2
	if [ -n "$candidate" ] && [ "$candidate" != "$(source_release "$version")" ]; then
		cache_room "$SOURCE_MEGABYTES" "the source of Linux $version"
		say "Fetching linux-source-$version $candidate"
		folder=$(mktemp -d "$CACHE/tmp/source.XXXXXX") || die "cannot write to $CACHE"
		source_download "$folder" "$version" "$candidate"
		source_unpack "$folder" "$version"
		cache_put "$folder/new" "$CACHE/source/$version"
		rm -rf "$folder"
	fi
	say "Source of Linux $version: $(source_release "$version") in $CACHE/source/$version"
}
