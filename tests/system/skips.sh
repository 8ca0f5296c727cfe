#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# skips.sh - what the machine or the user's rights do not give is skipped with the command that mends it.
. "$(dirname "$0")/common.sh"

folio=$thp/hugepages-64kB/shmem_enabled
[ -e "$folio" ] || skip "this kernel has no multi-size THP for shared memory (Linux 6.11)"

cat >profile.json <<'END'
{"name": "skips", "settings": ["hugepages", "shmem_enabled"],
 "phases": {"warmup": 0, "measure": "100ms"},
 "points": [{"axes": {"memory": ["base", {"kind": "mthp", "folio": "64k"}, "hugetlb"]},
             "regions": {"sga": {"memory": "base", "size": "32m"}},
             "streams": [{"workload": "io", "engine": "null", "region": "sga"}]}]}
END

# nobody CHOWNED-COMMAND…: as a user without rights, in a directory that it may write.
nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"
}

before=$(machine_state)
saved=$(sed 's/.*\[\(.*\)\].*/\1/' "$folio")
restore() {
	echo "$saved" >"$folio"
}
trap restore EXIT

"$orion" run ./profile.json --output root.json >root.out 2>root.err
check "with rights nothing is skipped" is $? 0
check "nothing is skipped" sh -c "! grep -q skipped root.json"
check "settings are given back" is "$(machine_state)" "$before"

echo never >"$folio"
mkdir out
chmod 0777 out
chmod 0711 "$scratch"
cp "$orion" out/orion-sim
cp profile.json out/
cd out || exit 1
if nobody ./orion-sim list engines >/dev/null 2>&1; then
	nobody ./orion-sim run ./profile.json --output user.json >user.out 2>user.err
	check "without rights the rest is measured" is $? 0
	check "mthp is skipped with the command" has user.json "echo advise > $folio"
	check "hugetlb is skipped with the command" has user.json "nr_hugepages"
	check "the report says skipped" sh -c "nobody() { :; }; '$orion' report user.json | grep -q skipped"

	nobody ./orion-sim run ./profile.json --output all.json --set 'points[0].axes.memory=["hugetlb"]' \
		>all.out 2>all.err
	check "everything skipped is exit 3" is $? 3
else
	echo "left out: another user cannot reach $scratch"
fi
cd ..

# An undeclared setting is not borrowed, not even by root.
"$orion" run ./profile.json --output undeclared.json --set settings='[]' >undeclared.out 2>undeclared.err
check "undeclared settings skip the points" has undeclared.json "echo advise > $folio"
check "nothing was borrowed" is "$(cat "$folio")" "$(sed 's/\[//; s/\]//; s/never/[never]/' "$folio")"

# A larger size that would win.
larger=$thp/hugepages-128kB/shmem_enabled
saved_larger=$(sed 's/.*\[\(.*\)\].*/\1/' "$larger")
echo advise >"$larger"
"$orion" run ./profile.json --output larger.json >larger.out 2>larger.err
check "a larger size that would win is the reason" has larger.json "hugepages-128kB"
echo "$saved_larger" >"$larger"

# io_uring off.
disabled=/proc/sys/kernel/io_uring_disabled
if [ -e $disabled ]; then
	old=$(cat $disabled)
	echo 2 >$disabled
	"$orion" run ./profile.json --output ring.json --set 'points[0].streams[0].engine=io_uring' \
		--set allow_unwritten=true --target profile.json >ring.out 2>ring.err
	code=$?
	echo "$old" >$disabled
	check "io_uring off or its target refused" test $code -ge 2
fi
finish
