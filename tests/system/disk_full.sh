#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# disk_full.sh - the disk of the result is full, at every moment it can be: a sentence, exit code 1, no half
# of a document, whole lines in the journal, settings given back.
[ -n "${ORION_PRIVATE-}" ] || ORION_PRIVATE=yes exec unshare --mount --propagation private "$BASH" "$0" "$@"
. "$(dirname "$0")/common.sh"

mkdir full || exit 1
mount -t tmpfs -o size=512k tmpfs full 2>/dev/null || skip "nothing can be mounted here"
leave() {
	cd /
	umount "$scratch/full"
}
trap leave EXIT

cat >profile.json <<'END'
{"name": "full", "repeats": 3, "settings": ["hugepages"], "phases": {"warmup": 0, "measure": "10ms"},
 "points": [{"regions": {"sga": {"memory": "hugetlb", "size": "16m"}},
             "streams": [{"workload": {"kind": "io", "depth": 8}, "engine": "null", "region": "sga"}]}]}
END
before=$(machine_state)
reached='' # which of the ways to fail were met

# leave_pages N: as many pages of 4K are free.
leave_pages() {
	rm -f full/*
	head -c $((512 * 1024 - $1 * 4096)) /dev/zero >full/filler
}

# run_full NAME: then checks all that must hold however much there was room for.
run_full() {
	local what="$1 free" code

	"$orion" run ./profile.json --format none --progress none --output full/result.json >full.out 2>full.err
	code=$?
	check "settings, $what" is "$(machine_state)" "$before"
	check "no temporary file, $what" sh -c '! ls full/*.tmp 2>/dev/null'
	if [ $code -eq 0 ]; then
		reached+=" done"
		check "a result, $what" "$orion" report full/result.json >report.out
		check "no journal, $what" test ! -e full/result.json.journal
		return 0
	fi
	check "exit code, $what" is $code 1
	check "the sentence, $what" has full.err "No space left on device; free some space"
	check "no half of a result, $what" sh -c '! ls full/result.json full/result.histograms.json 2>/dev/null'
	if grep -q "the journal of the result" full.err; then
		reached+=" journal"
	fi
	if grep -q "cannot write full/" full.err; then
		reached+=" document"
		check "whole lines, $what" is "$(tail -c 1 full/result.json.journal | od -An -c | tr -d ' ')" '\n'
		check "what is kept is named, $what" has full.err "is in full/result.json.journal"
	else
		reached+=" start"
		check "nothing was begun and nothing is left, $what" test ! -e full/result.json.journal
	fi
	return 1
}

for pages in 0 1 2 3 4 5 6 8 10 12 16 24 32 48; do
	leave_pages $pages
	run_full "$pages pages" && break
done
for way in start journal document "done"; do
	check "it was met: $way" test -z "${reached##* "$way"*}"
done

# Blocks that a file system gives only when it writes back: ENOSPC may come with fsync.
if mkfs.ext4 -q -O ^has_journal -N 16 image 1024k >/dev/null 2>&1 && umount full && mount -o loop image full; then
	head -c 4m /dev/zero >full/filler 2>/dev/null
	run_full "nothing on ext4"
	rm full/filler
	check "and with room again" run_full "all of ext4"
else
	echo "left out: no loop device for ext4"
fi

# Standard output on a full disk: the result is kept.
"$orion" run ./profile.json --output kept.json >/dev/full 2>kept.err
check "exit code where standard output is full" is $? 1
check "it says so" has kept.err "cannot write the report: No space left on device"
check "the result is kept" json_has kept.json complete true
umount full
trap - EXIT
finish
