# The highest load with a latency under a limit: every answer, and everything that is refused.

# Refused with a sentence, before anything is started or written.
$ orion-sim calibrate
orion-sim: calibrate: there is nothing to read; name a file or a block device by --target FILE (orion-sim prepare FILE makes a file)
[exit 2]
$ orion-sim calibrate --target nothing
orion-sim: nothing: no such file; write one with: orion-sim prepare nothing --size 4g
[exit 2]
$ orion-sim calibrate --target .
orion-sim: .: is a directory; name a file or a block device
[exit 2]
$ orion-sim calibrate --engine libaoi
orion-sim: --engine: no engine is called 'libaoi' (there are: io_uring, libaio, sync, null; did you mean 'libaio'?)
[exit 2]
$ orion-sim calibrate --engine null --percentile 98
orion-sim: calibrate: --percentile: no percentile is called '98' (there are: 50, 90, 99, 99.9, 99.99, mean; did you mean '90'?)
[exit 2]
$ orion-sim calibrate --engine null --max-latency 5ms --need p99=6ms
orion-sim: --max-latency is 5ms and --need has p99=6ms; one limit is searched for, so leave one of them out
[exit 2]
$ orion-sim calibrate --engine null --need iops=fast
orion-sim: --need: iops is 'fast', which is no number above 0; write it as iops=12000,mbps=400,p99=5ms
[exit 2]
$ orion-sim calibrate --engine null --large 0 --need mbps=400
orion-sim: --need names mbps, which large reads answer, but --large 0 leaves them out; drop one
[exit 2]
$ orion-sim calibrate --engine null --large 0 --beside 4
orion-sim: --beside is 4, but --large 0 leaves large reads out; drop one
[exit 2]
$ orion-sim calibrate --engine null --block 1000
orion-sim: 1000 is no multiple of 512 bytes, which direct reads need
[exit 2]
$ orion-sim calibrate --engine null --repeats 2
orion-sim: calibrate: --repeats: 2 is out of bounds (3 … 15)
[exit 2]
$ orion-sim calibrate quick --set 'points[0].streams[0].engine="null"'
orion-sim: profile quick has 2 points, and a calibration is of one; leave one value in each of its axes, as by --set 'points[0].axes={}' where there is one point with axes
[exit 2]
$ orion-sim calibrate null --stream writes
orion-sim: --stream: the profile's point has no stream 'writes'
[exit 2]
$ truncate -s 1M hole
$ orion-sim calibrate --target hole 2>&1 | grep -o 'hole: 1M of the tested 1M were never written'
hole: 1M of the tested 1M were never written
$ ls
hole

# A device whose reads take 2 ms each: no load meets 1 ms, and every one meets 10 s.
$ cat >fast <<'END'
> --engine {"kind":"null","service_time":"2ms"} --max-depth 4 --workers 1 --time 60ms --warmup 0 --repeats 3 --progress none
> END
$ orion-sim calibrate $(cat fast) --large 0 --max-latency 1ms --output unmet.json
orion-sim: result in unmet.json
calibrate: the highest load of 8K reads with p99 under 1.00 ms

No depth meets 1.00 ms: at depth 1, the smallest, p99 is * ms. (glob)

8K reads, p99 under 1.00 ms: 2 of 4 loads were measured, in 4 runs
...
Repeat: orion-sim calibrate *--max-latency 1ms --large 0 --max-depth 4 --repeats 3 --workers 1 --time 60ms --warmup 0s (glob)
        --engine '{"kind":"null","service_time":"2ms"}'
[exit 6]
$ orion-sim calibrate $(cat fast) --large 0 --max-latency 10s --output unreached.json
orion-sim: result in unreached.json
calibrate: the highest load of 8K reads with p99 under 10 s

This host gives * 8K reads/s with 4 in flight, the largest load that was asked for. p99 is * (glob)
...
max_iops * reads/s * 8K reads, 4 in flight, p99 under 10 s (glob)
...
     4 * 3  <- the answer (glob)
...

# The same again from the document, in other forms, too.
$ orion-sim report unreached.json | grep -c '<- the answer'
1
$ orion-sim report unreached.json --format csv | head -n 1 | tr ',' '\n' | grep -n -e point -e depth
2:point
...
$ orion-sim report unreached.json --format json | tr -d ' \t\n' | grep -o '"calibration":{"percentile":"p99","limit_ns":10000000000' 
"calibration":{"percentile":"p99","limit_ns":10000000000

# What is needed: yes, no, and the latency at the rate that is needed. 4 in flight give about 2000 a second.
$ orion-sim calibrate $(cat fast) --need iops=1,mbps=1,p99=10s --output yes.json | sed -n '3p;/^need/,/^$/p'
orion-sim: result in yes.json
Yes: this host does what is needed.
need .* (re)
iops *1\.00 .* yes     8K reads (re)
mbps .* yes     1M reads (re)
p99 *10 s .* yes     8K reads (re)

$ orion-sim calibrate $(cat fast) --large 0 --need iops=1000k,mean=10s --output no.json >no.txt
orion-sim: result in no.json
[exit 6]
$ sed -n '3,4p' no.txt
No: this host does not do what is needed.
This host gives * 8K reads/s with 4 in flight, the largest load that was asked for; your 1,000,000 are * times as (glob)

# One process, and large reads beside small ones.
$ orion-sim report yes.json | grep -o -e 'one process 1M, sequential: .* of 3 loads' -e '^max_[a-z]*'
max_iops
max_mbps
max_pmbps
one process 1M, sequential: 3 of 3 loads
$ orion-sim calibrate $(cat fast) --beside 2 --max-latency 10s --output beside.json | grep -e '^This host' -e ' all '
orion-sim: result in beside.json
This host gives * 8K reads/s beside 2 x 1M with 4 in flight, the largest load that was asked for. p99 is * (glob)
 * all * (glob)

# A profile's own mix.
$ orion-sim calibrate null --max-latency 10s --max-depth 4 --time 60ms --warmup 0 --repeats 3 --progress none --output mix.json | sed -n '1p;3p'
orion-sim: result in mix.json
null: the highest load of 8K reads of null with p99 under 10 s
This host gives * 8K reads/s of null with 4 in flight, * (glob)

# Ended early: what was found is kept, and says what it is.
$ env --default-signal=INT timeout --preserve-status -s INT 3 orion-sim calibrate --engine null --max-latency 10s --time 200ms --workers 1 --repeats 15 --progress none --output early.json | sed -n '3,5p'
orion-sim: result in early.json
Incomplete: SIGINT ended the search early.
The search ended before it was through. So far * in flight are the most with p99 under 10 s: * (glob)
...
$ orion-sim report early.json | grep -c 'so far: 8K reads'
1
$ ls *.journal 2>/dev/null
[exit 2]
$ orion-sim calibrate $(cat fast) --output yes.json
orion-sim: --output: yes.json exists already, or its journal does; name another
[exit 2]

# Two calibrations are compared by the loads that both have.
$ orion-sim compare unreached.json yes.json --anyway | grep -o '^8K reads 4 (4) *read *mbps'
8K reads 4 (4)  read   mbps
