# SPDX-License-Identifier: MIT
# patches.sh - which patches make a kernel, and their application; sourced by bash.
# shellcheck shell=bash
# A kernel is named by its version and by `none`, EXPERIMENT, EXPERIMENT:off, EXPERIMENT:VARIANT, `all` or /FOLDER.

PATCHES=$ROOT/kernel-patches

# patches_folders VERSION: of all experiments that have patches for it.
patches_folders() {
	local folder

	for folder in "$PATCHES"/*/"$1"; do
		[ "$folder" = "$PATCHES/core/$1" ] || printf '%s\n' "$folder"
	done
}

# patches_of VERSION NAME: their files, in the order in which they are applied.
patches_of() {
	local version=$1 name=${2%:off} folder folders

	case $name in
	none) return 0 ;;
	core) folders=("$PATCHES/core/$version") ;;
	all) mapfile -t folders < <(echo "$PATCHES/core/$version" && patches_folders "$version") ;;
	/*) folders=("$name/$version") ;;
	*:*) folders=("$PATCHES/core/$version" "$PATCHES/${name%%:*}/$version" "$PATCHES/${name%%:*}/$version/${name#*:}") ;;
	*) folders=("$PATCHES/core/$version" "$PATCHES/$name/$version") ;;
	esac
	for folder in "${folders[@]}"; do
		compgen -G "$folder/*.patch" >/dev/null || die "no patch for Linux $version in $folder"
		printf '%s\n' "$folder"/*.patch
	done
}

# patches_config NAME: what they add to the configuration.
patches_config() {
	case $1 in
	none | /*) ;;
	*:off) echo '# CONFIG_ORION_LAB is not set' ;;
	*) echo 'CONFIG_ORION_LAB=y' ;;
	esac
}

# patches_made_for VERSION NAME: the package version that they were made for, where they say so.
patches_made_for() {
	cat "$PATCHES/${2%%:*}/$1/made-for" 2>/dev/null || true
}

# patches_parts PATCH MAKEFILES: its parts for Makefiles, or, where MAKEFILES is empty, all others.
patches_parts() {
	awk -v wanted="$2" '
		/^--- (a\/|\/dev\/null)/ { held = $0; next }
		held != "" { makefile = /\/Makefile$/; if (makefile == (wanted != "")) print held; held = "" }
		makefile == (wanted != "")' "$1"
}

# patches_one TREE NAME PATCH: applies it. Where they are all in one tree, they would be in each other's way in Makefiles:
# what they add there goes to the end, and of an object that is named twice the second is ignored.
patches_one() {
	local tree=$1 patch=$3 apply file

	# A tree shares its files with others: patch writes new ones and renames them.
	apply=(patch "--directory=$tree" --strip=1 --forward --no-backup-if-mismatch --reject-file=-)
	if [ "$2" != all ]; then
		"${apply[@]}" <"$patch"
		return
	fi
	patches_parts "$patch" '' | "${apply[@]}" || return
	for file in $(patches_parts "$patch" yes | sed -n 's|^+++ b/||p'); do
		patches_parts "$patch" yes | awk -v file="+++ b/$file" '
			/^\+\+\+ / { inside = $0 == file; next }
			inside && sub(/^\+/, "")' | cat "$tree/$file" - >"$tree/$file.new" && mv "$tree/$file.new" "$tree/$file" || return
	done
}

# patches_apply TREE VERSION NAME LOG
patches_apply() {
	local tree=$1 version=$2 name=$3 log=$4 patch made_for release

	made_for=$(patches_made_for "$version" "$name")
	release=$(source_release "$version")
	[ -z "$made_for" ] || [ "$made_for" = "$release" ] ||
		say "The patches of $name were made for $made_for; trying them on $release."
	for patch in $(patches_of "$version" "$name"); do
		echo "== $patch"
		patches_one "$tree" "$name" "$patch" || return 1
	done >>"$log" 2>&1
}

# patches_failure LOG: the first hunk that failed, with its patch and file.
patches_failure() {
	awk '/^== / { patch = $2 } /^patching file / { file = $3 }
		/FAILED|can.t find file|malformed|Reversed/ { sub(/\.?( -- saving.*)?$/, ""); printf "%s, %s: %s\n", patch, file, $0; exit }' "$1"
}
