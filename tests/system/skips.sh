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

# A larger size that is enabled does not win: the asked size is what the region is made of.
larger=$thp/hugepages-128kB/shmem_enabled
saved_larger=$(sed 's/.*\[\(.*\)\].*/\1/' "$larger")
echo always >"$larger"
"$orion" run ./profile.json --output larger.json --set 'points[0].axes.memory=[{"kind":"mthp","folio":"64k"}]' \
	>larger.out 2>larger.err
code=$?
echo "$saved_larger" >"$larger"
check "a larger size that is on changes nothing" is $code 0
check "all of it is in 64K folios" json_has larger.json page_bytes 65536
check "at least 99 %" json_has larger.json got_percent '(99|100)'

# Top-level force would give 2M whatever was asked.
saved_top=$(sed 's/.*\[\(.*\)\].*/\1/' $thp/shmem_enabled)
echo force >$thp/shmem_enabled
"$orion" run ./profile.json --output force.json --set 'points[0].axes.memory=[{"kind":"mthp","folio":"64k"}]' \
	>force.out 2>force.err
code=$?
echo "$saved_top" >$thp/shmem_enabled
check "force skips the point" is $code 3
check "with that reason" grep -q '"reason":.*force' force.json

# A ring that is forbidden: the reason names the setting, and nothing is switched silently.
disabled=/proc/sys/kernel/io_uring_disabled
if [ -e $disabled ]; then
	"$orion" prepare data --size 64m >prepare.out 2>&1
	old=$(cat $disabled)
	echo 2 >$disabled
	"$orion" run ./profile.json --target data --output ring.json --set 'points[0].streams[0].engine=io_uring' \
		>ring.out 2>ring.err
	code=$?
	echo "$old" >$disabled
	check "io_uring off skips everything" is $code 3
	check "the setting is named" has ring.json "kernel.io_uring_disabled=2"
fi
finish
