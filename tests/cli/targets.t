# Targets that are refused before anything is started, and before any setting is touched.
# skip unless: orion-sim prepare probe --size 1m && rm probe

$ orion-sim run quick
orion-sim: */quick.json:11: points\[0\].streams\[0\]: has no targets, but engine io_uring needs files; give --target FILE or "targets" (orion-sim prepare FILE makes one) (glob)
[exit 2]
$ orion-sim run quick --target nowhere
orion-sim: nowhere: no such file; write one with: orion-sim prepare nowhere --size 4g
[exit 2]
$ orion-sim run quick --target /dev/nosuchdisk
orion-sim: /dev/nosuchdisk: no such device (there are: *; lsblk shows them) (glob)
[exit 2]
$ orion-sim run quick --target /dev/null
orion-sim: /dev/null: is a character device; name a file or a block device
[exit 2]
$ orion-sim run quick --target .
orion-sim: .: is a directory; name a file or a block device
[exit 2]
$ : >empty; orion-sim run quick --target empty
orion-sim: empty: has length 0; remove it and write it with: orion-sim prepare empty --size 4g
[exit 2]
$ truncate -s 64m sparse; orion-sim run quick --target sparse
orion-sim: hugetlb 2M: reads: sparse: 64M of the tested 64M were never written (first at offset 0), reads of them are answered without the disk; test a file that is (orion-sim prepare NEWFILE --size 64M) or say "allow_unwritten": true
[exit 2]
$ orion-sim prepare small --size 1m >/dev/null; orion-sim run quick --target small --set 'points[*].streams[*].workload.block=4m'
orion-sim: hugetlb 2M: reads: depth 64 x block 4M for each of the 1 workers that share the region needs 256M, but the region's size is 64M; enlarge it
[exit 2]
$ orion-sim run quick --target small --set 'points[*].streams[*].workload.block=1000'
orion-sim: hugetlb 2M: reads: small: block 1000 is not a multiple of *, which this file needs (told by *) (glob)
[exit 2]
$ orion-sim run quick --target small --set 'points[*].streams[*].workload.offset=100'
orion-sim: hugetlb 2M: reads: small: offset 100 is not a multiple of *, which this file needs (told by *) (glob)
[exit 2]
$ orion-sim run quick --target small --set 'points[*].streams[*].workload.length=2m'
orion-sim: hugetlb 2M: reads: small: offset 0 and length 2M reach behind the end, the target has 1M; give a length of at most 1048576, or 0 for all
[exit 2]
$ orion-sim run quick --target small --set 'points[*].streams[*].cpus="100000"'
orion-sim: *100000* (glob)
[exit 2]
$ orion-sim run quick --target small --set 'points[*].regions.sga.size=4k'
orion-sim: hugetlb 2M: reads: depth 64 x block 8K for each of the 1 workers that share the region needs 512K, but the region's size is 4K; enlarge it
[exit 2]
$ ls
empty
small
sparse
