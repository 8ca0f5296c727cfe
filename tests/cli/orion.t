# orion: what its command line refuses, each with a sentence and nothing written; the profile it stands for.
# skip unless: case $(stat -f -c %T .) in tmpfs | ramfs | overlayfs) false ;; esac

$ head -c 16M /dev/urandom >a; head -c 8M /dev/urandom >b; sync a b; printf 'a\n\nb\n' >mytest.lun; ls >before

# Options.
$ orion-sim orion
orion-sim: Error in input parameters: -run is missing; say which test: -run simple, normal, oltp, dss or advanced. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run
orion-sim: Error in input parameters: -run needs a value. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run fast
orion-sim: Error in input parameters: -run: no run is called 'fast' (there are: simple, normal, oltp, dss, advanced). For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -frob 1
orion-sim: Error in input parameters: no option is called '-frob' (there are: -run, -testname, *, -help). For help, run: orion -help. (glob)
[exit 2]
$ orion-sim orion -run simple --frob
orion-sim: Error in input parameters: no option is called '--frob'; Orion's own begin with one '-'. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -num 4
orion-sim: Error in input parameters: '-num' may be each of -num_disks, -num_streamIO, -num_small, -num_large; write more of it. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -duration -verbose
orion-sim: Error in input parameters: -duration needs a value. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -duration x
orion-sim: Error in input parameters: -duration: 'x' is not a whole number. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -duration 0
orion-sim: Error in input parameters: -duration: 0 is out of bounds (1 … 2592000). For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -size_small 0
orion-sim: Error in input parameters: -size_small: 0 is out of bounds (1 … 1048576). For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -num_disks 0
orion-sim: Error in input parameters: -num_disks 0 leaves no load; say 1 or more, or leave it out for as many as there are LUNs. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -run oltp
orion-sim: Error in input parameters: -run is given twice; leave one out. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple word
orion-sim: Error in input parameters: unexpected word 'word'; options begin with '-'. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -cache_size x
orion-sim: Error in input parameters: -cache_size 'x' is not a number of MB from 0 to 1073741824. For help, run: orion -help.
[exit 2]

# Options that mean nothing in the test.
$ orion-sim orion -run simple -num_small 3
orion-sim: Error in input parameters: -num_small needs -run advanced with -matrix point, col or max. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run advanced -matrix row -num_small 3 -num_large 1
orion-sim: Error in input parameters: -num_small needs -run advanced with -matrix point, col or max. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run advanced -matrix col -num_large 3
orion-sim: Error in input parameters: -num_large needs -run advanced with -matrix point, row or max. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run advanced -matrix col
orion-sim: Error in input parameters: -matrix col needs -num_small. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run advanced -matrix row
orion-sim: Error in input parameters: -matrix row needs -num_large. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run advanced -matrix point -num_small 0 -num_large 0
orion-sim: Error in input parameters: -num_small and -num_large are both 0, so that there is nothing to run; raise one of them. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -matrix basic
orion-sim: Error in input parameters: -matrix needs -run advanced; -run simple has a matrix of its own. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run oltp -testname mytest --loads 1/2
orion-sim: --loads '1/2': this test has one large load only; leave that list out
[exit 2]
$ orion-sim orion -run simple -testname mytest --loads 4,2
orion-sim: --loads '4,2' has no list of loads there; write whole numbers from 1 to 65536, rising, small/large, as 1,2,4,8/1-3
[exit 2]

# Nothing is written to a LUN.
$ orion-sim orion -run simple -testname mytest -write 50
orion-sim: Error in input parameters: -write 50 would write to the LUNs and destroy what is on them; orion-sim only reads: leave -write out, or say -write 0. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -testname mytest -write 101
orion-sim: Error in input parameters: -write: 101 is out of bounds (0 … 100). For help, run: orion -help.
[exit 2]

# Names, and the file of LUNs.
$ orion-sim orion -run simple -testname some/where
orion-sim: Error in input parameters: -testname 'some/where' has a slash; change to the folder first, and give the name alone. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -testname mytest.lun
orion-sim: Error in input parameters: -testname 'mytest.lun' ends in .lun, and mytest.lun.lun would be looked for; leave .lun out. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -testname $(printf 'x%.0s' {1..201})
orion-sim: Error in input parameters: -testname has 201 characters, but must have 1 to 200. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -testname ''
orion-sim: Error in input parameters: -testname has 0 characters, but must have 1 to 200. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -testname nothere
orion-sim: Failure in opening .lun file nothere.lun (rwbase_read_luncfg): No such file or directory; write the path of a file or block device a line into it, in the folder that you are in
[exit 2]
$ : >t.lun; orion-sim orion -run simple -testname t
orion-sim: t.lun names no LUN (rwbase_read_luncfg failed); write the path of a file or block device a line into it
[exit 2]
$ printf '# our LUNs\na\n' >t.lun; orion-sim orion -run simple -testname t
orion-sim: t.lun:1: a .lun file has no comments; take the line out, or begin the path of a LUN with ./
[exit 2]
$ printf 'a\r\nb\r\n' >t.lun; orion-sim orion -run simple -testname t
orion-sim: t.lun:1: has a carriage return, as files of Windows do; take them out: sed -i 's/\r//' and the file's name
[exit 2]
$ printf 'a\0b\n' >t.lun; orion-sim orion -run simple -testname t
orion-sim: t.lun:1: is no text; write a path a line
[exit 2]
$ printf 'a\nb\na\n' >t.lun; orion-sim orion -run simple -testname t
orion-sim: t.lun:3: the LUN is named a second time; take one of the lines out
[exit 2]
$ seq -f x%g 4096 >t.lun; orion-sim orion -run simple -testname t
orion-sim: t.lun names more than 1024 LUNs, which is the most that a test can have; take some out
[exit 2]
$ printf 'x%.0s' {1..600} >t.lun; orion-sim orion -run simple -testname t
orion-sim: t.lun:1: the path is too long; name the LUN by a shorter one
[exit 2]
$ rm t.lun; mkdir t.lun; orion-sim orion -run simple -testname t; rmdir t.lun
orion-sim: t.lun cannot be read (rwbase_read_luncfg): Is a directory
$ printf 'a\nnowhere\n' >t.lun; orion-sim orion -run simple -testname t -hugenotneeded
orion-sim: nowhere: no such file; write one with: orion-sim prepare nowhere --size 4g
[exit 2]
$ truncate -s 1m holes; echo holes >t.lun; orion-sim orion -run simple -testname t -hugenotneeded
orion-sim: small 1: small: holes: * (glob)
[exit 2]

# Blocks that would lie on two LUNs.
$ orion-sim orion -run advanced -testname mytest -simulate raid0 -stripe 512 -hugenotneeded
orion-sim: large 1: large: stripe 512K is not a multiple of block 1M, so that an I/O would lie on two targets; change one of them
[exit 2]
$ orion-sim orion -run advanced -testname mytest -simulate raid0 -size_small 3 -hugenotneeded
orion-sim: small 1: small: stripe 1M is not a multiple of block 3K, so that an I/O would lie on two targets; change one of them
[exit 2]

# None of all that has left a file.
$ rm -f t.lun holes; ls | diff - before && echo none
none

# What it stands for.
$ orion-sim orion -run advanced -testname mytest -matrix max -num_small 2 -num_large 1 -type seq -cache 100 -sim RAID0 -str 64 -size_l 64 --print-profile >p.json; cat p.json
{
 "name":"orion",
 "summary":"mytest: -run advanced -testname mytest -matrix max -num_small 2 -num_large 1 -type seq -cache 100 -sim RAID0 -str 64 -size_l 64",
...
 "targets":["a","b"],
...
   "label":"large","workload":{"kind":"io","block":"64K","depth":4,"pattern":"sequential"},"engine":"libaio",
   "region":"sga","layout":{"kind":"raid0","stripe":"64K"}
...
$ orion-sim plan ./p.json
...
settings borrowed: hugepages
memory needs: 16M of free 2M huge pages

   #  point             engine  memory      block   depth  workers  targets
   1  small 1           libaio  hugetlb 2M  8K      1      1        2
   2  small 2           libaio  hugetlb 2M  8K      2      1        2
   3  large 1           libaio  hugetlb 2M  64K     4      1        2
   4  large 1, small 1  libaio  hugetlb 2M  8K+64K  1+4    1+1      2+2
   5  large 1, small 2  libaio  hugetlb 2M  8K+64K  2+4    1+1      2+2

5 runs, at most about * (glob)

# A test from end to end, on base pages.
$ orion-sim orion -run advanced -testname mytest -matrix point -num_small 2 -num_large 1 -duration 1 -hugenotneeded -verbose --percentiles 2>err
ORION: ORacle IO Numbers -- by orion-sim * (glob)
mytest_[0-9]{8}_[0-9]{4} (re)
Calibration will take approximately 2 minutes.
Using a large value for -cache_size may take longer.

Together, small: 2
          large: 1
Total Data Points: 1

Small=2 and Large=1: ok, small [0-9]+ I/Os a second, [0-9.]+ MBPS, [0-9.]+ us, large [0-9]+ I/Os a second, [0-9.]+ MBPS, [0-9.]+ us (re)
Maximum Large MBPS=[0-9.]+ @ Small=2 and Large=1 (re)

Maximum Small IOPS=[0-9]+ @ Small=2 and Large=1 (re)
Small Read Latency: avg=[0-9.]+ us, min=[0-9.]+ us, max=[0-9.]+ us, std dev=[0-9.]+ us @ Small=2 and Large=1 (re)

Minimum Small Latency=[0-9.]+ usecs @ Small=2 and Large=1 (re)
...
$ ls mytest_* | sed 's/[0-9]\{8\}_[0-9]\{4\}/STAMP/'
mytest_STAMP_hist.txt
mytest_STAMP_iops.csv
mytest_STAMP_lat.csv
mytest_STAMP_lat_p50.csv
mytest_STAMP_lat_p90.csv
mytest_STAMP_lat_p99.9.csv
mytest_STAMP_lat_p99.99.csv
mytest_STAMP_lat_p99.csv
mytest_STAMP_mbps.csv
mytest_STAMP_result.histograms.json
mytest_STAMP_result.json
mytest_STAMP_summary.txt
mytest_STAMP_trace.txt
$ cat mytest_*_iops.csv mytest_*_mbps.csv
Large/Small,      2
          1, [ 0-9]{6,} (re)
Large/Small,      2
          1, [ 0-9.]{6,} (re)
$ orion-sim report mytest_*_result.json --format orion-summary | diff - mytest_*_summary.txt && echo same
same
$ orion-sim report mytest_*_result.json --format orion-lat | diff - mytest_*_lat.csv && echo same
same

# Results of others have no loads.
$ cat >other.json <<'END'
> {"repeats": 1, "phases": {"warmup": 0, "measure": "20ms"},
>  "points": [{"regions": {"sga": {"memory": "base", "size": "1m"}}, "streams": [{"workload": "io", "engine": "null"}]}]}
> END
$ orion-sim run ./other.json --output q.json --format none --progress none 2>err; orion-sim report q.json --format orion
orion-sim: no point of the result has an axis 'small' or 'large', so that there is nothing to show as Orion does; name another format
[exit 2]

# LUNs of 40 TiB, more than 2^32 blocks, which only the null engine has here.
$ orion-sim orion -run simple -testname mytest -num_disks 1 --loads 2,9/3 --hugenotneeded --print-profile >p.json
orion-sim: Error in input parameters: no option is called '--hugenotneeded'; Orion's own begin with one '-'. For help, run: orion -help.
[exit 2]
$ orion-sim orion -run simple -testname mytest --loads 2,9/3 -hugenotneeded --print-profile >p.json
$ orion-sim run ./p.json --set 'points[*].streams[*].engine={"kind":"null","size":"40t","targets":3,"service_time":"100us"}' --set 'points[*].streams[*].layout={"kind":"raid0","stripe":"64m"}' --set phases.warmup=0 --set phases.measure=100ms --output huge.json --format none --progress none 2>err
$ orion-sim report huge.json --format orion-iops
Large/Small,      2,      9
          0, [ 0-9]{6,}, [ 0-9]{6,} (re)
          3

# By a link of its name.
$ ln -s "$(command -v orion-sim)" orion; ./orion -help | head -3
usage: orion-sim orion -run TEST [OPTIONS]

Orion's tests with Orion's options and files, by the runs and into the memory of
$ orion-sim orion --help | tail -1; orion-sim help orion | head -1
report and compare read.
usage: orion-sim orion -run TEST [OPTIONS]
