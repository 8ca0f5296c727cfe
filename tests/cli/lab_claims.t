# Pages of the lab: published figures beside measured ones, what must hold, and the page over all of them.

$ cat >sh.sh <<'END'
> sh() {
> 	bash -c 'set -eu; ROOT=$TREE LAB=$TREE/scripts/lab FIGURES=$PWD/figures mode=icount boots=2 page_unit=I/O contention=""
> 		for module in boot experiment claims page report; do . "$LAB/lib/$module.sh"; done; die() { echo "$*" >&2; exit 1; }
> 		experiment=e published="" holds="" model="" base=old column_labels=(old new); experiment_published() { :; }; '"$1"
> }
> END
> echo "row() { printf '%s\t-\t%s\tread\tI/O\t4\t100\t%s\t%s\t%s\t10\t%s\t%s\t%s\n' \"\$@\"; }" >>sh.sh; . ./sh.sh
> { row old 64K 1000 1000 900 10 1 0.1; row new 64K 500 2500 2400 10.04 5 0.2; row new 1M 10 10 10 10 10 0; } >figures
$ . ./sh.sh; sh 'claims_pair cost 64K "old > new"; claims_pair mbps 64K "old > new"; claims_pair atomics 64K "old>new"; claims_pair mbps 1M "old > new"'
old 1000, new 2500 instructions per I/O (2.50 times more)
old 1000, new 500 MB/s (-50.0 %)
old 10.0, new 10.0 atomics per I/O (+0.4 %)
old, new: not measured
$ . ./sh.sh; sh 'model="a model" contention=yes; published="
> drop | 8, 4 MB/s | mbps | 64K | old > new
> lock | - | flags | 64K | old > new; new > old"; page_published' | grep '^|'
| what | published | here | kind of truth |
|---|---|---|---|
| drop | 8, 4 MB/s | old 1000, new 500 MB/s (-50.0 %) | path length (deterministic); a model; contention: not measurable on this host |
| lock | - | old 1.00, new 5.00 interrupt flag changes per I/O (5.00 times more); new 5.00, old 1.00 interrupt flag changes per I/O (5.00 times less) | path length (deterministic); a model; contention: not measurable on this host |
$ . ./sh.sh; sh page_published

# What must hold: what does, what does not, and what could not be told.

$ . ./sh.sh; sh 'holds="
> 64K | cost    | old | <     | new
> 64K | cost    | new | <     | old
> 64K | atomics | new | = 0.5 | old
> 64K | atomics | new | = 0.3 | old
> 64K | flags   | old | 5 *   | new
> 64K | flags   | old | 6 *   | new
> 64K | flags   | new | + 4   | old
> 64K | flags   | new | + 3   | old
> 1M  | cost    | old | <     | new"; checked=$(claims_checked); page_holds "$checked"; claims_failed "$checked"' | grep -v '^#\|^$'
| what | figures | holds |
|---|---|---|
| 64K: instructions per I/O, old less than new | 1000, 2500 | yes |
| 64K: instructions per I/O, new less than old | 2500, 1000 | **no** |
| 64K: atomics per I/O, new within 0.5 % of old | 10.0, 10.0 | yes |
| 64K: atomics per I/O, new within 0.3 % of old | 10.0, 10.0 | **no** |
| 64K: interrupt flag changes per I/O, old at most 1/5 of new | 1.00, 5.00 | yes |
| 64K: interrupt flag changes per I/O, old at most 1/6 of new | 1.00, 5.00 | **no** |
| 64K: interrupt flag changes per I/O, new 4 more than old | 5.00, 1.00 | yes |
| 64K: interrupt flag changes per I/O, new 3 more than old | 5.00, 1.00 | **no** |
| 1M: instructions per I/O, old less than new | -, 10.0 | **not measured** |
5 of 9 things do not hold that must, first: 64K: instructions per I/O, new less than old (2500, 1000)
$ . ./sh.sh; sh 'holds="64K | cost | old | < | new"; claims_failed "$(claims_checked)"; holds="64K | time | old | < | new"; claims_checked'
e: there is no field 'time' (there are: mbps, cost, kernel, atomics, flags)
[exit 1]

# Verdicts: within what runs of one column differ by; exact but small; and large.

$ . ./sh.sh; { row old a 1 1000 1 1 1 0.1; row new a 1 1005 1 1 1 0.2; row old b 1 1000 1 1 1 3; row new b 1 1020 1 1 1 0; row old c 1 1000 1 1 1 0; row new c 1 980 1 1 1 0; } >figures; sh page_verdicts
- **new** against old, a: +5.0 instructions (+0.50 %): exact, yet less than the 1 % that another layout of code may make; path length (deterministic).
- **new** against old, b: no difference that counts (+2.00 %, of less than 3.0 % nothing is said); path length (deterministic).
- **new** against old, c: 2.0 % cheaper; path length (deterministic).

# The page over all pages says what they say.

$ . ./sh.sh; mkdir r; cat >r/kernels.md <<'END'
> # kernels: two
> 
> Written by `lab run kernels` on a host of 2 CPUs.
> Mode icount, 2 boots.
> Took 5 s, of them 4 s booting and 1 s building; its kernels took 9 s to build, once.
> 
> ## Published and measured
> 
> | what | published | here | kind of truth |
> |---|---|---|---|
> | slope | 1, 2 | 3, 4 | path |
> 
> ## What must hold
> 
> | what | figures | holds |
> |---|---|---|
> | a | 1, 2 | yes |
> | b | 1, 2 | **no** |
> END
> printf '# something else\n' >r/other.md; sh 'report_write r' | sed -n '/^## /,$p' | sed '/^$/d; s/^## //'
Published and measured
| experiment | what | published | here | kind of truth |
|---|---|---|---|---|
| [kernels](kernels.md) | slope | 1, 2 | 3, 4 | path |
Whose figures
| experiment | command | host | took | what must hold, holds |
|---|---|---|---|---|
| [kernels](kernels.md) | `lab run kernels` | 2 CPUs | 5 s, of them 4 s booting and 1 s building; its kernels took 9 s to build, once | 1 of 2 |
Together: 5 s, of them 4 s booting and 1 s building; what else was running on the host is in that.
Not run yet
- `scripts/lab/lab run aio-tailref`
...
Other results
- [other](other.md): something else
