# The exact points of a profile, without touching a target.
$ orion-sim plan demo --target /data/file --set seed=7
demo: direct random reads of 8K, 64K and 1M into base pages, 64K mTHP and hugetlb, by io_uring and libaio
repeats 2, warm-up 300ms, measure 2s, seed 7
settings borrowed: hugepages, shmem_enabled
memory needs: shared folios of 64K, 256M of free 2M huge pages

   #  point                                          engine    memory      block  depth  workers  targets
   1  block 8K, engine io_uring, memory base         io_uring  base        8K     64     1        1
   2  block 8K, engine io_uring, memory mthp 64K     io_uring  mthp 64K    8K     64     1        1
   3  block 8K, engine io_uring, memory hugetlb 2M   io_uring  hugetlb 2M  8K     64     1        1
   4  block 8K, engine libaio, memory base           libaio    base        8K     64     1        1
   5  block 8K, engine libaio, memory mthp 64K       libaio    mthp 64K    8K     64     1        1
   6  block 8K, engine libaio, memory hugetlb 2M     libaio    hugetlb 2M  8K     64     1        1
   7  block 64K, engine io_uring, memory base        io_uring  base        64K    32     1        1
   8  block 64K, engine io_uring, memory mthp 64K    io_uring  mthp 64K    64K    32     1        1
   9  block 64K, engine io_uring, memory hugetlb 2M  io_uring  hugetlb 2M  64K    32     1        1
  10  block 64K, engine libaio, memory base          libaio    base        64K    32     1        1
  11  block 64K, engine libaio, memory mthp 64K      libaio    mthp 64K    64K    32     1        1
  12  block 64K, engine libaio, memory hugetlb 2M    libaio    hugetlb 2M  64K    32     1        1
  13  block 1M, engine io_uring, memory base         io_uring  base        1M     16     1        1
  14  block 1M, engine io_uring, memory mthp 64K     io_uring  mthp 64K    1M     16     1        1
  15  block 1M, engine io_uring, memory hugetlb 2M   io_uring  hugetlb 2M  1M     16     1        1
  16  block 1M, engine libaio, memory base           libaio    base        1M     16     1        1
  17  block 1M, engine libaio, memory mthp 64K       libaio    mthp 64K    1M     16     1        1
  18  block 1M, engine libaio, memory hugetlb 2M     libaio    hugetlb 2M  1M     16     1        1

36 runs, about 1 min 34 s
$ orion-sim plan null --set repeats=3 --set phases.warmup=1s --set phases.measure=9s --set seed=7
null: what the simulator itself costs per I/O: the null engine at depth 128, batch 32, no device, no kernel
repeats 3, warm-up 1s, measure 9s, seed 7

   #  point    engine  memory  block  depth  workers  targets
   1  point 1  null    base    8K     128    1        0

3 runs, about 31 s
$ orion-sim plan quick --target a --target b --set 'points[*].streams[*].workers=2' --set seed=7
quick: a few seconds of 8K reads into hugetlb and base pages, to see that everything works
repeats 1, warm-up 100ms, measure 1s, seed 7
settings borrowed: hugepages
memory needs: 64M of free 2M huge pages

   #  point              engine    memory      block  depth  workers  targets
   1  memory hugetlb 2M  io_uring  hugetlb 2M  8K     64     2        2
   2  memory base        io_uring  base        8K     64     2        2

2 runs, about 3 s
$ orion-sim plan null --json | head -c 1
{
$ orion-sim list axis block
block: bytes of one I/O
    stands for streams[*].workload.block
$ orion-sim list engine null
null: * (glob)
...
 +service_time +0 .* (re)
$ orion-sim list profile quick | sed -n 1p
 +quick .* (re)
