# The gate of the lab: ratios that moved are named, and the ones that did not pass.

$ sh() { bash -c 'set -eu; LAB=$TREE/scripts/lab; . "$LAB/lib/smoke.sh"; '"$1"; }
> declare -f sh >sh.sh
> printf '# a comment\nlocked\tblock 64K\t1.5000\t5.0000\nlocked\tblock 1M\t2.0000\t10.0000\n' >stored
> printf 'locked\tblock 64K\t1.5100\t4.9600\nlocked\tblock 1M\t2.0000\t10.0000\n' >near
> printf 'locked\tblock 64K\t1.5200\t5.0000\nlocked\tblock 1M\t2.0000\t9.8000\n' >far
> printf 'locked\tblock 64K\t1.5000\t5.0000\nlocked\tblock 8K\t1.0000\t1.0000\n' >other
$ . ./sh.sh; sh 'smoke_compare stored stored; smoke_compare stored near'
$ . ./sh.sh; sh 'smoke_compare stored far'
locked, block 64K: kernel instructions 1.5200 times those of the pristine kernel, stored 1.5000
locked, block 1M: atomics 9.8000 times those of the pristine kernel, stored 10.0000
$ . ./sh.sh; sh 'smoke_compare stored other'
locked, block 8K: not among the stored values
1 stored values were not measured
$ . ./sh.sh; sh 'column_labels=(a b); FIGURES=f; printf "a\t-\tp\tread\tI/O\t1\t9\t9\t9\t100\t1\t10\t1\t0\nb\t-\tp\tread\tI/O\t1\t9\t9\t9\t150\t1\t55\t1\t0\n" >f; smoke_ratios'
b	p	1.5000	5.5000

# What goes wrong with other tools than those of the stored values is not judged; with the same ones it is.

$ printf '# a comment\n# with gcc 12\n' >stored.tools
> ended() { bash -c 'set -eu; . "$TREE/scripts/lib/common.sh"; LAB=$TREE/scripts/lab; . "$LAB/lib/smoke.sh"; SMOKE_STORED=stored.tools; smoke_tools() { echo gcc '"$1"'; }; trap '"'smoke_ended \$?'"' EXIT; exit '"$2"; }
> declare -f ended >ended.sh
$ . ./ended.sh; ended 12 1
[exit 1]
$ . ./ended.sh; ended 13 1
bash: this cannot be judged: the values were stored with gcc 12, and here is gcc 13
[exit 3]
$ . ./ended.sh; ended 13 0
$ mkdir -p 0-0 0-1 1-0 1-1; printf 'v\tp\tread\tI/O\t0\t7\t9\t9\t100\t1\t10\t2\n' | tee 0-0/figures 0-1/figures >1-0/figures; sed 's/100/100.001/' 0-0/figures >1-1/figures
$ . ./sh.sh; sh 'column_labels=(a b); smoke_agree .; column_labels=(a); smoke_agree .'
differ by at most 0.00100 % in what the kernel did
did exactly the same in the kernel
