# Kernels that watch themselves: what of their log is a complaint, and what becomes of it.
# skip unless: command -v jq && command -v cpio && ldd "$(command -v orion-sim)"

# Lines that are, each alone; the first of several; and none in the log of a boot.

$ cat >bad <<'END'
> [    3.141592] WARNING: possible circular locking dependency detected
> WARNING: possible recursive locking detected
> [    3.141592][  T120] WARNING: suspicious RCU usage
> WARNING: inconsistent lock state
> WARNING: CPU: 1 PID: 120 at mm/gup.c:7 try_get_folio+0x1/0x2
> BUG: sleeping function called from invalid context at mm/shmem.c:2030
> [    3.141592] BUG: sleeping function called from invalid context at mm/shmem.c:2030
> BUG: scheduling while atomic: orion-sim/120/0x00000002
> BUG: KASAN: slab-use-after-free in own_read+0x1/0x2
> BUG: Bad page state in process orion-sim  pfn:12345
> BUG: Bad rss-counter state mm:00000000a5a5a5a5 type:MM_SHMEMPAGES val:16
> BUG: Bad page map in process orion-sim  pte:8000000012345067 pmd:0abcd067
> BUG: unable to handle page fault for address: ffff888012345000
> BUG: kernel NULL pointer dereference, address: 0000000000000008
> BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 30s!
> kernel BUG at mm/filemap.c:1613!
> UBSAN: array-index-out-of-bounds in block/mq-deadline.c:100:5
> INFO: trying to register non-static key.
> INFO: task orion-sim:120 blocked for more than 120 seconds.
> rcu: INFO: rcu_sched detected stalls on CPUs/tasks:
> list_add corruption. prev->next should be next (ffff888012345678), but was ffff888087654321. (prev=ffff888012345600).
> list_del corruption, ffff888012345678->next is LIST_POISON1 (dead000000000100)
> refcount_t: underflow; use-after-free.
> pagealloc: memory corruption
> page dumped because: VM_BUG_ON_FOLIO(folio_ref_count(folio) <= 0)
> Oops: 0000 [#1] SMP KASAN
> general protection fault, probably for non-canonical address 0xdead000000000108: 0000 [#1] SMP
> DEBUG_LOCKS_WARN_ON(1)
> Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b
> Call Trace:
> END
> while IFS= read -r line; do [ "$(echo "$line" | "$TREE/scripts/lab/lib/lab-warned")" = "$line" ] || echo "not found: $line"; done <bad
> { echo 'Freeing unused kernel image'; cat bad; } | "$TREE/scripts/lab/lib/lab-warned"
[    3.141592] WARNING: possible circular locking dependency detected
$ cat >good <<'END'
> [    0.000000] Linux version 6.12.117 (orion@lab) (gcc (Debian 12.2.0-14+deb12u1) 12.2.0) #1 SMP PREEMPT_DYNAMIC
> [    0.000000] DEBUG: here we are
> [    0.000000] kasan: KernelAddressSanitizer initialized (generic)
> [    0.000000] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
> [    0.000000] ... MAX_LOCKDEP_SUBCLASSES:  8
> [    0.000000] mem auto-init: stack:off, heap alloc:off, heap free:off
> [    0.000000] pcpu-alloc: [0] 0 1
> [    0.500000] SMP alternatives: Using kCFI
> [    1.000000] clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew is too large:
> [    1.000000] workqueue: blk_mq_run_work_fn hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND
> [    1.000000] orion_lab: tailref=stock
> [    2.000000] rcu: 	RCU debug callbacks enabled.
> END
> "$TREE/scripts/lab/lib/lab-warned" <good
[exit 1]

# What it says of boots.

$ lab-fixture .; PATH=$PWD/bin:$PATH; seq 9 >cache/source/6.1/linux/mm/Makefile
> lab() { "$TREE/scripts/lab/lab" --no-install --at-once 1 --program "$(command -v orion-sim)" "$@" 2>&1; }
> { declare -f lab; echo "PATH=$PATH ORION_LAB_CACHE=$PWD/cache FAKE_RESULT=$PWD/r.json"; echo "export PATH ORION_LAB_CACHE FAKE_RESULT"; } >lab.sh
> orion-sim run null --set phases.warmup=0 --set phases.measure=300ms --output r.json --progress none >/dev/null 2>&1
> . ./lab.sh; lab debug
lab: which experiment, or all? (there are: aio-tailref, elevator*, kernels, *) (glob)
[exit 1]
$ . ./lab.sh; FAKE_QEMU=clean lab debug kernels
lab: nothing to boot: no column of kernels has patches for these kernels (--patches none boots the others)
[exit 1]
$ . ./lab.sh; FAKE_QEMU=clean lab debug kernels --patches none
Building Linux 6.1 (6.1.1-1), patches: none; log: HERE/cache/log/build-6.1-none.log
Built in * s, * s of CPU: HERE/cache/kernel/6.1-none-* (glob)
Building Linux 6.12 (6.12.1-1), patches: none; log: HERE/cache/log/build-6.12-none.log
Built in * s, * s of CPU: HERE/cache/kernel/6.12-none-* (glob)
  kernels, 6.1: clean (* s) (glob)
  kernels, 6.12: clean (* s) (glob)
All 2 boots were clean.
$ grep -c '^CONFIG_PROVE_LOCKING=y$\|^CONFIG_KASAN=y$\|^CONFIG_DEBUG_VM=y$' cache/kernel/6.12-none-*/config
3
$ . ./lab.sh; FAKE_QEMU=warns lab debug kernels --patches none --kernel 6.12
  kernels, 6.12: WARNING: possible recursive locking detected (* s) (glob)
lab: 1 of 1 boots were not clean, first: kernels, 6.12: WARNING: possible recursive locking detected. Consoles: HERE/cache/boot/debug
[exit 1]
$ . ./lab.sh; FAKE_QEMU=splat lab debug kernels --patches none --kernel 6.1 | tail -n 1
lab: 1 of 1 boots were not clean, first: kernels, 6.1: BUG: KASAN: slab-use-after-free in own_read+0x1/0x2. Consoles: HERE/cache/boot/debug
$ . ./lab.sh; FAKE_QEMU=ok lab debug kernels --patches none --kernel 6.1 | tail -n 1
lab: 1 of 1 boots were not clean, first: kernels, 6.1: kasan did not watch to the end of it, lockdep did not watch to the end of it, page_poison did not watch to the end of it. Consoles: HERE/cache/boot/debug
$ . ./lab.sh; FAKE_QEMU=hang lab debug kernels --patches none --kernel 6.1 --seconds 1 | tail -n 1
lab: 1 of 1 boots were not clean, first: kernels, 6.1: it was not done after 3 s and was ended (--seconds); its last line: LAB kernel 6.1.1. Console: HERE/cache/boot/debug/kernels/0/console. Consoles: HERE/cache/boot/debug

# The page has what went wrong, and no place on this machine.

$ . ./lab.sh; FAKE_QEMU=fails lab debug kernels --patches none --output page.md >/dev/null; echo $?; grep '^| kernels' page.md; grep -c "$PWD" page.md
1
| kernels | 6.1 | 6.1 | - | **orion-sim in the guest: /dev/nullb0 is not there** | * | (glob)
| kernels | 6.12 | 6.12 | - | **orion-sim in the guest: /dev/nullb0 is not there** | * | (glob)
0
[exit 1]

# All patches in one tree: those that change the same line of a Makefile are not in each other's way, and a source that
# shares its files stays as it was.

$ . ./lab.sh; cp -r "$TREE/scripts" scripts; cp -r "$TREE/profiles" "$TREE/orion-sim" .; mkdir -p kernel-patches/{core,one,two}/6.1
> part() { printf -- '--- a/mm/Makefile\n+++ b/mm/Makefile\n@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+obj-y += %s.o\n 6\n 7\n 8\n--- /dev/null\n+++ b/mm/%s.c\n@@ -0,0 +1 @@\n+int %s;\n' "$1" "$1" "$1"; }
> for name in core one two; do part $name >kernel-patches/$name/6.1/$name.patch; done
> printf "summary=s profile=aio base=a columns='a | 6.1 | one | | | '\n" >scripts/lab/experiments/own.sh
> FAKE_QEMU=clean scripts/lab/lab --no-install --program "$(command -v orion-sim)" debug own 2>&1 | tail -n 2
  own, a: clean (* s) (glob)
All 1 boots were clean.
$ grep -c 'patching file mm/.*\.c' cache/kernel/6.1-all-*/log; cat cache/source/6.1/linux/mm/Makefile | wc -l
3
9
