#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# orion.sh - the sample commands that people published of Oracle's Orion, on files: data points, files, layouts; the
# memory they run in, what they print, and that nothing is left behind.
. "$(dirname "$0")/common.sh"

case $(stat -f -c %T .) in
tmpfs | ramfs | overlayfs) skip "this folder takes no direct I/O" ;;
esac

# As people make them, of unequal size.
dd if=/dev/zero of=lun1 bs=1M count=96 conv=fsync status=none
dd if=/dev/zero of=lun2 bs=1M count=40 conv=fsync status=none
echo "$PWD/lun1" >mytest.lun
echo "$PWD/lun1" >orion.lun
printf '%s\n' "$PWD/lun1" "$PWD/lun2" >two.lun
ln -s "$orion" orion
quick=(--set phases.warmup=50ms --set phases.measure=300ms)

# run NAME WORD…: as a link that is called orion, as Oracle's is; prefix is what all its files begin with.
run() {
	local name=$1

	shift
	./orion "$@" >"$name.out" 2>"$name.err"
	code=$?
	prefix=$(grep -oE '^[a-z0-9]+_[0-9]{8}_[0-9]{4}$' "$name.out")
}

# The files that Orion leaves, and our document.
files_are_there() {
	local file

	for file in summary.txt iops.csv lat.csv mbps.csv hist.txt trace.txt result.json; do
		[ -s "${prefix}_$file" ] || {
			echo "    no ${prefix}_$file"
			return 1
		}
	done
}

# all_match FILE REGEX: every line.
all_match() {
	! grep -vnE "$2" "$1" | sed 's/^/    /' | grep .
}

# Cells of a matrix: row label in 11 columns, figures in 6 behind ", "; blank where a stalled disk completed nothing.
layout_is_published() {
	all_match "${prefix}_iops.csv" '^(Large/Small|[ 0-9]{11})(, [ 0-9]{6})*$' &&
		all_match "${prefix}_lat.csv" '^(Large/Small(, [ 0-9]{6})*|[ 0-9]{11}(, ( {6}| {0,3}[0-9]+\.[0-9]{2}))*)$' &&
		all_match "${prefix}_mbps.csv" '^(Large/Small(, [ 0-9]{6})*|[ 0-9]{11}(, ( {6}| {0,2}[0-9]+\.[0-9]{2}))*)$'
}

# points FILE: "small,large" of every load in the order they were run.
points() {
	sed -nE 's/^Small=([0-9]+) Large=([0-9]+): ok$/\1,\2/p' "${prefix}_trace.txt" | tr '\n' ' '
}

# figures FILE: how many cells have one, as a parser counts them that knows the header and the first column.
figures() {
	awk -F, 'NR == 1 { n = NF; if ($1 != "Large/Small") exit 1; next }
		{ for (i = 2; i <= n; i++) if ($i + 0 > 0) found++ } END { print found + 0 }' "$1"
}

before=$(machine_state)

# -run simple, exactly as published but for the time, which is told beforehand.
began=$SECONDS
run simple -run simple -testname mytest -num_disks 1 -duration 1
check "simple" is $code 0
check "in about 12 s: $((SECONDS - began))" [ $((SECONDS - began)) -le 25 ]
check "its files" files_are_there
check "its layout" layout_is_published
check "its points" is "$(points)" "1,0 2,0 3,0 4,0 5,0 0,1 0,2 "
check "iops.csv has the published size" is "$(stat -c %s "${prefix}_iops.csv")" 128
check "lat.csv has the published size" is "$(stat -c %s "${prefix}_lat.csv")" 128
check "iops" is "$(figures "${prefix}_iops.csv")" 5
check "mbps" is "$(figures "${prefix}_mbps.csv")" 2
check "8 points" has simple.out "Total Data Points: 8"
check "and in the summary" has "${prefix}_summary.txt" "Total Data Points: 8"
check "its command line" has "${prefix}_summary.txt" "-run simple -testname mytest -num_disks 1 -duration 1"
check "its target" has "${prefix}_summary.txt" "Name: $PWD/lun1	Size: 100663296"
check "the best" grep -qE '^Maximum Small IOPS=[1-9][0-9]* @ Small=[1-5] and Large=0$' simple.out
check "the best MB/s" grep -qE '^Maximum Large MBPS=[0-9.]+ @ Small=0 and Large=[12]$' simple.out
check "latencies" grep -qE '^Small Read Latency: avg=[0-9.]+ us, min=[0-9.]+ us, max=[0-9.]+ us, std dev=[0-9.]+ us @ ' simple.out
check "huge pages" json_has "${prefix}_result.json" method '"smaps"'
check "the report of the document is the file" cmp -s <("$orion" report "${prefix}_result.json" --format orion-iops) "${prefix}_iops.csv"
check "the histograms too" cmp -s <("$orion" report "${prefix}_result.json" --format orion-hist) "${prefix}_hist.txt"

# A second one in the same minute would write over the first.
if [ "$(date +%Y%m%d_%H%M)" = "${prefix#mytest_}" ]; then
	run again -run simple -testname mytest -duration 1
	check "in the same minute: refused or in the next" [ $code -eq 2 -o "$prefix" ]
fi

# minutes NAME WORD…: what is announced for a test of a minute a point, which is then ended.
minutes() {
	local name=$1 pid

	shift
	./orion "$@" -testname "$name" >"$name.out" 2>"$name.err" &
	pid=$!
	wait_until 20 grep -qs 'Total Data Points' "$name.out"
	kill -TERM $pid
	wait $pid
	sed -nE 's/^Calibration will take approximately ([0-9]+) minutes\.$/\1/p' "$name.out"
}
for i in 1 2 3 4 5 6; do
	dd if=lun2 of="six$i" bs=1M count=4 conv=fsync status=none
	echo "six$i" >>six.lun
done
cp mytest.lun eight.lun
cp mytest.lun eighteen.lun
check "8 points: 9 minutes" is "$(minutes eight -run simple -num_disks 1)" 9
check "18 points: 19 minutes" is "$(minutes eighteen -run normal)" 19
check "six files: 44 minutes" is "$(minutes six -run simple)" 44

# The other published commands.
run oltp -run oltp -testname orion "${quick[@]}"
check "oltp" is $code 0
check "its points" is "$(points)" "$(seq -f '%g,0' 20 | tr '\n' ' ')"
check "21 points" has "${prefix}_summary.txt" "Total Data Points: 21"
check "its small columns" grep -qE '^Small Columns:,      1,      2,.*,     20$' "${prefix}_summary.txt"
check "its large columns" grep -qE '^Large Columns:,      0$' "${prefix}_summary.txt"
check "its layout" layout_is_published

cp orion.lun dss.lun
run dss -run dss -testname dss "${quick[@]}"
check "dss" is $code 0
check "its points" is "$(points)" "$(seq -f '0,%g' 20 | tr '\n' ' ')"
check "its layout" layout_is_published
check "mbps" [ "$(figures "${prefix}_mbps.csv")" -ge 15 ]

cp orion.lun normal.lun
run normal -run normal -testname normal --percentiles "${quick[@]}"
check "normal" is $code 0
check "19 minutes of a minute a point" is "$(./orion -run normal -testname normal --print-profile | grep -c mixed)" 1
check "its points" is "$(points)" "1,0 2,0 3,0 4,0 5,0 0,1 0,2 1,1 2,1 3,1 4,1 5,1 1,2 2,2 3,2 4,2 5,2 "
check "18 points" has "${prefix}_summary.txt" "Total Data Points: 18"
check "its layout" layout_is_published
check "cells of iops" [ "$(figures "${prefix}_iops.csv")" -ge 10 ]
check "cells of mbps" [ "$(figures "${prefix}_mbps.csv")" -ge 8 ]
for p in p50 p90 p99 p99.9 p99.99; do
	check "$p has the same first column" cmp -s <(cut -c-11 "${prefix}_lat_$p.csv") <(cut -c-11 "${prefix}_lat.csv")
	check "$p has the same cells" is "$(figures "${prefix}_lat_$p.csv")" "$(figures "${prefix}_lat.csv")"
done

run detailed -run advanced -testname two -size_small 8 -size_large 1024 -type rand -simulate RAID0 -stripe 1024 \
	-write 0 -matrix detailed -num_disks 2 "${quick[@]}"
check "detailed over two LUNs" is $code 0
check "55 points" has "${prefix}_summary.txt" "Total Data Points: 55"
check "of an array" has "${prefix}_summary.txt" "Simulated Array Type: RAID 0"
check "its layout" layout_is_published
check "both LUNs" has "${prefix}_summary.txt" "2 FILEs found."

cp orion.lun point.lun
run point -run advanced -testname point -matrix point -num_small 4 -num_large 2 "${quick[@]}"
check "point" is $code 0
check "its point" is "$(points)" "4,2 "
check "in one region of huge pages" is "$(grep -c '"region":"sga","memory":"hugetlb' "${prefix}_result.json")" 1

cp two.lun seq.lun
run seq -run advanced -testname seq -type seq -num_streamIO 4 -num_small 0 -matrix col -cache_size 0 "${quick[@]}"
check "seq" is $code 0
check "its points" is "$(points)" "0,1 0,2 0,3 0,4 "
check "streams" has "${prefix}_summary.txt" "Large Sequential Streams"
check "of 4 I/Os each" has "${prefix}_summary.txt" "Number of Concurrent IOs Per Stream: 4"
check "in flight of 4 streams" grep -qE 'workers=4 in_flight=1[0-9.]+' "${prefix}_trace.txt"

# Its cache is filled by reads at random until so much was moved, and none of them is counted.
cp orion.lun cache.lun
run cache -run advanced -testname cache -type seq -num_small 0 -matrix col -cache_size 64 --loads /1 --set phases.measure=150ms
check "cache" is $code 0
check "64 MB" has "${prefix}_summary.txt" "Cache Size: 64 MB"
check "moved" json_has "${prefix}_result.json" rule '"cache 64M"'
check "all of it" json_has "${prefix}_result.json" reached true

# The profile alone: the same points by the common commands.
./orion -run normal -testname normal --print-profile >printed.json
check "plan lists the same points" is "$("$orion" plan ./printed.json |
	sed -nE 's/^ +[0-9]+  (large [0-9]+, small [0-9]+|small [0-9]+|large [0-9]+) .*/\1/p' |
	sed -E 's/large ([0-9]+), small ([0-9]+)/\2,\1/; s/small ([0-9]+)/\1,0/; s/large ([0-9]+)/0,\1/' | tr '\n' ' ')" \
	"1,0 2,0 3,0 4,0 5,0 0,1 0,2 1,1 2,1 3,1 4,1 5,1 1,2 2,2 3,2 4,2 5,2 "
"$orion" run ./printed.json --output printed.out.json --progress none --format none --set phases.warmup=0 \
	--set phases.measure=50ms 2>/dev/null
check "run runs it" is $? 0
check "and its report is Orion's" grep -qE '^Maximum Small IOPS=' <("$orion" report printed.out.json --format orion)

# Without privilege there are no huge pages to be had, and the words are known.
if enter_public_folder; then
	cp ../lun2 lun2 && chmod 0644 lun2 && echo lun2 >nobody.lun
	nobody ./orion-sim orion -run simple -testname nobody "${quick[@]}" >nobody.out 2>nobody.err
	check "no huge pages: exit code" is $? 3
	check "known words" has nobody.err "Failed to allocate shared global region with large pages"
	check "and a remedy" has nobody.err "-hugenotneeded"
	cp nobody.lun base.lun
	nobody ./orion-sim orion -run simple -testname base -hugenotneeded "${quick[@]}" >base.out 2>base.err
	check "without huge pages" is $? 0
	cd .. || exit 1
fi

# Ended early: what was measured is in the files.
cp orion.lun early.lun
./orion -run simple -testname early -duration 2 >early.out 2>early.err &
pid=$!
sleep 4
kill -TERM $pid
wait $pid
check "ended by SIGTERM" is $? 143
prefix=$(grep -oE '^early_[0-9]{8}_[0-9]{4}$' early.out)
check "its files" files_are_there
check "the first load has a figure" [ "$(figures "${prefix}_iops.csv")" -ge 1 ]

check "the machine is as it was" is "$(machine_state)" "$before"
finish
