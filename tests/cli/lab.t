# The kernel lab where building goes wrong: one sentence, the log's place, and nothing half-built is reused.

$ lab-fixture . && PATH=$PWD/bin:$PATH; export ORION_LAB_CACHE=$PWD/cache; lab() { "$TREE/scripts/lab/lab" --no-install "$@"; }
> declare -f lab >lab.sh; echo "PATH=$PATH ORION_LAB_CACHE=$PWD/cache; export PATH ORION_LAB_CACHE" >>lab.sh

# What it is told.

$ . ./lab.sh; lab nope
lab: there is no command 'nope' (there are: fetch build list run report smoke debug deb host clean): scripts/lab/lab --help
[exit 1]
$ . ./lab.sh; lab build --kernel 5.4
lab: the lab has no kernel '5.4' (there are: 6.1 6.12)
[exit 1]
$ . ./lab.sh; lab run nope
lab: there is no experiment 'nope' (there are: aio-tailref, elevator*, kernels, *) (glob)
[exit 1]
$ . ./lab.sh; lab run kernels --boots no
lab: --boots must be a number from 1 on, not 'no'
[exit 1]
$ . ./lab.sh; lab build --patches nope --kernel 6.1
lab: no patch for Linux 6.1 in TREE/kernel-patches/nope/6.1
[exit 1]
$ . ./lab.sh; lab build --patches memcg-lookup:nope --kernel 6.1
lab: no patch for Linux 6.1 in TREE/kernel-patches/memcg-lookup/6.1/nope
[exit 1]
$ . ./lab.sh; lab list | cut -d ' ' -f 1 | head -n 1
aio-tailref

# A build is done once; what it is made of is its name.

$ . ./lab.sh; lab build --kernel 6.1
Building Linux 6.1 (6.1.1-1), patches: none; log: HERE/cache/log/build-6.1-none.log
Built in * s, * s of CPU: HERE/cache/kernel/6.1-none-* (glob)
HERE/cache/kernel/6.1-none-* (glob)
$ . ./lab.sh; lab build --kernel 6.1
HERE/cache/kernel/6.1-none-* (glob)
$ grep -c . cache/kernel/6.1-none-*/record
5
$ ls cache/tmp
$ . ./lab.sh; echo 6.1.2-1 >cache/source/6.1/release; lab build --kernel 6.1 | wc -l; ls cache/kernel | wc -l
Building Linux 6.1 (6.1.2-1), patches: none; log: HERE/cache/log/build-6.1-none.log
Built in * s, * s of CPU: HERE/cache/kernel/6.1-none-* (glob)
1
2

# It fails.

$ . ./lab.sh; FAKE_MAKE=error lab build --kernel 6.12
Building Linux 6.12 (6.12.1-1), patches: none; log: HERE/cache/log/build-6.12-none.log
lab: cannot compile Linux 6.12 with none: mm/gup.c:7:3: error: 'lock' undeclared. Log: HERE/cache/log/build-6.12-none.log
[exit 1]
$ . ./lab.sh; FAKE_MAKE=full lab build --kernel 6.12 2>&1 | tail -n 1
lab: cannot compile Linux 6.12 with none: no space left in HERE/cache; make room (scripts/lab/lab clean), or name another folder (--cache). Log: HERE/cache/log/build-6.12-none.log
$ . ./lab.sh; FAKE_MAKE=drop lab build --kernel 6.12 2>&1 | tail -n 1
lab: the configuration of Linux 6.12 lost CONFIG_AIO=y. Log: HERE/cache/log/build-6.12-none.log
$ ls cache/kernel | grep -c 6.12
0
[exit 1]

# Patches: those that apply, and one that does not.

$ mkdir -p good/6.1 bad/6.1; printf -- '--- a/mm/gup.c\n+++ b/mm/gup.c\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n' >good/6.1/1.patch
> sed 's/two/zwei/' good/6.1/1.patch >bad/6.1/1.patch; echo 6.1.0-9 >bad/6.1/made-for
$ . ./lab.sh; lab build --kernel 6.1 --patches "$PWD/good" 2>&1 | tail -n 1
HERE/cache/kernel/6.1-good-* (glob)
$ cat cache/source/6.1/linux/mm/gup.c cache/tree/*/linux/mm/gup.c | grep -c two
3
$ cat cache/kernel/6.1-good-*/log | grep -c 'patching file mm/gup.c'
1
$ . ./lab.sh; lab build --kernel 6.1 --patches "$PWD/bad" 2>&1 | tail -n 1
lab: a patch does not apply to Linux 6.1 (6.1.2-1): HERE/bad/6.1/1.patch, mm/gup.c: Hunk #1 FAILED at 1. Log: HERE/cache/log/build-6.1-bad.log

# Interrupted: nothing of it stays, nor goes on; a second lab meanwhile is refused.

$ . ./lab.sh; rm -f cache/tmp/slow; FAKE_MAKE=slow setsid "$TREE/scripts/lab/lab" --no-install build --kernel 6.12 >slow.txt 2>&1 &
> echo $! >pid; for i in $(seq 100); do [ -e cache/tmp/slow ] && break; sleep 0.1; done
> lab build --kernel 6.1 2>&1 | sed "s/process $(cat cache/lock)/process N/"; kill -- -"$(cat pid)"; wait
lab: another lab (process N) works in HERE/cache: wait for its end, let this one wait (--wait), or name another folder (--cache)
$ ls cache/kernel | grep -c 6.12
0
[exit 1]
$ . ./lab.sh; rm -f cache/tmp/slow; FAKE_MAKE=slow "$TREE/scripts/lab/lab" --no-install build --kernel 6.12 >slow.txt 2>&1 &
> pid=$!; for i in $(seq 100); do [ -e cache/tmp/slow ] && break; sleep 0.1; done
> { kill -KILL $pid; wait $pid; } 2>/dev/null; lab build --wait --kernel 6.12 2>&1 | tail -n 1; ls cache/tmp
HERE/cache/kernel/6.12-none-* (glob)

# Programs that are missing are named.

$ mkdir few; for f in /usr/bin/* /bin/*; do case ${f##*/} in qemu-system*) ;; *) ln -sf "$f" few/ ;; esac; done; cp -R bin without; rm -f without/qemu-system-x86_64
> . ./lab.sh; PATH=$PWD/without:$PWD/few lab build --kernel 6.1
lab: missing here: qemu-system-x86_64; install them: scripts/install-deps build lab
[exit 3]

# It can be moved, and cleaned.

$ mv cache elsewhere; . ./lab.sh; lab build --cache "$PWD/elsewhere" --kernel 6.12
HERE/elsewhere/kernel/6.12-none-* (glob)
$ . ./lab.sh; "$TREE/scripts/lab/lab" --cache "$PWD/elsewhere" clean; ls elsewhere
HERE/elsewhere: * MB before, * MB now. (glob)
busybox
kernel
lock
source
