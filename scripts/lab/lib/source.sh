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

# source_download FOLDER VERSION: the .deb into it.
source_download() {
	local log=$CACHE/log/fetch-$2.log

	(cd "$1" && apt-get -qq -o APT::Sandbox::User=root download "linux-source-$2") >"$log" 2>&1 && return
	# Lists that are older than the mirror name a file that is gone.
	say "Refreshing the package lists."
	[ "$(id -u)" -ne 0 ] || apt-get -qq update >>"$log" 2>&1 || true
	(cd "$1" && apt-get -qq -o APT::Sandbox::User=root download "linux-source-$2") >>"$log" 2>&1 ||
		cache_failed "$log" "cannot download linux-source-$2 (where apt-get update helps, it takes root)"
}

# source_unpack FOLDER VERSION: the .deb in it becomes FOLDER/new/{linux,release}.
source_unpack() {
	local folder=$1 log=$CACHE/log/fetch-$2.log deb

	deb=$(echo "$folder"/*.deb)
	mkdir "$folder/new"
	{
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder" &&
			rm -f "$folder"/*.deb.tmp &&
			tar -x --xz -C "$folder/new" -f "$folder/usr/src/linux-source-$2.tar.xz" &&
			mv "$folder/new/linux-source-$2" "$folder/new/linux"
	} >>"$log" 2>&1 || cache_failed "$log" "cannot unpack linux-source-$2"
	dpkg-deb --field "$deb" Version >"$folder/new/release"
}

# source_fetch VERSION: the newest that apt knows, unless it is in the cache.
source_fetch() {
	local version=$1 folder candidate

	candidate=$(source_candidate "$version")
	if [ -z "$candidate" ]; then
		[ -n "$(source_release "$version")" ] || die "apt knows no linux-source-$version: apt-get update," \
			"with the suites bookworm, -updates and -security of Debian 12 in its sources"
	elif [ "$candidate" != "$(source_release "$version")" ]; then
		cache_room "$SOURCE_MEGABYTES" "the source of Linux $version"
		say "Fetching linux-source-$version $candidate"
		folder=$(mktemp -d "$CACHE/tmp/source.XXXXXX") || die "cannot write to $CACHE"
		source_download "$folder" "$version"
		source_unpack "$folder" "$version"
		cache_put "$folder/new" "$CACHE/source/$version"
		rm -rf "$folder"
	fi
	say "Source of Linux $version: $(source_release "$version") in $CACHE/source/$version"
}
