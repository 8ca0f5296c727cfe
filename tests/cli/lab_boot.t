# The kernel lab where booting goes wrong: one sentence and the console's place; and a run with a stand-in for QEMU.
# skip unless: command -v jq && command -v cpio && ldd "$(command -v orion-sim)"

$ lab-fixture .; PATH=$PWD/bin:$PATH
> lab() { "$TREE/scripts/lab/lab" --no-install --at-once 1 --program "$(command -v orion-sim)" "$@" 2>&1; }
> { declare -f lab; echo "PATH=$PATH ORION_LAB_CACHE=$PWD/cache FAKE_RESULT=$PWD/r.json"; echo "export PATH ORION_LAB_CACHE FAKE_RESULT"; } >lab.sh
> orion-sim run null --set phases.warmup=0 --set phases.measure=300ms --set repeats=2 --output r.json --progress none >/dev/null 2>&1
> . ./lab.sh; lab build | grep -c '^/'
2

$ . ./lab.sh; FAKE_QEMU=refuses lab run kernels | tail -n 1
lab: kernels, 6.1: QEMU did not start it: qemu-system-x86_64: could not load kernel. Log: HERE/cache/boot/kernels/0-0/qemu.log
$ . ./lab.sh; FAKE_QEMU=silent lab run kernels | tail -n 1
lab: kernels, 6.1: the kernel did not say a word. Console: HERE/cache/boot/kernels/0-0/console
$ . ./lab.sh; FAKE_QEMU=panic lab run kernels | tail -n 1
lab: kernels, 6.1: the kernel panicked: Kernel panic - not syncing: VFS: no root. Console: HERE/cache/boot/kernels/0-0/console
$ . ./lab.sh; FAKE_QEMU=hang lab run kernels --seconds 1 | tail -n 1
lab: kernels, 6.1: it was not done after 1 s and was ended (--seconds); its last line: LAB kernel 6.1.1. Console: HERE/cache/boot/kernels/0-0/console
$ . ./lab.sh; FAKE_QEMU=mute lab run kernels --seconds 1 | tail -n 1
lab: kernels, 6.1: it was not done after 1 s and was ended (--seconds); it had not said a word. Console: HERE/cache/boot/kernels/0-0/console
$ . ./lab.sh; FAKE_QEMU=short lab run kernels | tail -n 1
lab: kernels, 6.1: the guest is short of huge pages: 3 of 64. Console: HERE/cache/boot/kernels/0-0/console
$ . ./lab.sh; FAKE_QEMU=fails lab run kernels | tail -n 1
lab: kernels, 6.1: orion-sim in the guest: /dev/nullb0 is not there. Console: HERE/cache/boot/kernels/0-0/console
$ . ./lab.sh; FAKE_QEMU=broken lab run kernels | tail -n 1
lab: kernels, 6.1: its result did not come through whole. Console: HERE/cache/boot/kernels/0-0/console
$ . ./lab.sh; FAKE_QEMU=panic lab run kernels --mode kvm | tail -n 1
lab: a guest does not come up with KVM here: * (glob)

# A kernel that does not say that its switches stand as asked.

$ . ./lab.sh; cp -r "$TREE/scripts" scripts; cp -r "$TREE/profiles" "$TREE/orion-sim" .; mkdir doc; printf "summary=s profile=aio base=a columns='a | 6.1 | none | orion_lab.x=on | | '\n" >scripts/lab/experiments/own.sh
> FAKE_QEMU=ok scripts/lab/lab --no-install --at-once 1 --program "$(command -v orion-sim)" run own 2>&1 | tail -n 1
lab: the kernel was told orion_lab.x=on and says 'nothing of orion_lab'. Console: HERE/cache/boot/own/0-0/console

# All experiments: one that fails does not keep the others from being tried, and the page over all pages is written.

$ . ./lab.sh; mkdir doc/results; FAKE_QEMU=panic scripts/lab/lab --no-install --program "$(command -v orion-sim)" run all >all.txt 2>&1; echo $?; grep -c 'the kernel panicked' all.txt; tail -n 2 all.txt
1
([4-9]|[1-9][0-9]) (re)
All took * s. (glob)
lab: failed: aio-tailref * kernels * own *; why is said above (glob)
$ grep -c '^- `scripts/lab/lab run' doc/results/README.md; grep own doc/results/README.md
([7-9]|[1-9][0-9]) (re)
- `scripts/lab/lab run own`

# The same result from every boot, hence nothing between the columns; a page; and the points of which something must hold
# are not in that result.

$ . ./lab.sh; FAKE_QEMU=ok lab run kernels --output page.md | tail -n 3
- **6.12** against 6.1, point 1: no difference that counts (+0.00 %, of less than * % nothing is said); path length (deterministic). (glob)
Written: page.md
lab: kernels: 2 of 2 things do not hold that must, first: hugetlb 2M 1M: instructions per I/O, 6.12 at most 1/1.5 of 6.1 (-, -). Page: page.md
$ grep -c '^| 6.1' page.md
* (glob)
$ grep '^Written by' page.md
Written by `scripts/lab/lab * run kernels --output page.md` on a host of * (glob)

# Two boots that differ are no measurement where they must not.

$ . ./lab.sh; printf '#!/bin/sh\nn=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; [ $n -lt 2 ] || FAKE_RESULT=$FAKE_RESULT.other; export FAKE_RESULT; exec %s/bin/fake/qemu-system-x86_64 "$@"\n' "$PWD" >q
> mkdir bin/fake; mv bin/qemu-system-x86_64 bin/fake/; mv q bin/qemu-system-x86_64; chmod +x bin/qemu-system-x86_64
> orion-sim run null --set phases.warmup=0 --set phases.measure=450ms --set repeats=2 --output r.json.other --progress none >/dev/null 2>&1
> FAKE_QEMU=ok lab run kernels --output page.md | tail -n 1
lab: 6.1 is not deterministic: boots 1 and 2 differ, point 1: * and *. Results: HERE/cache/boot/kernels/0-*/result.json (glob)

# Boots side by side: the first that fails ends the others; so does the end of the lab, and nothing more is started.

$ . ./lab.sh; mv bin/fake/qemu-system-x86_64 bin/; FAKE_QEMU=hang lab run kernels --seconds 1 --at-once 4 >jobs.txt; echo $?; grep -c 'was not done after 1 s' jobs.txt; ls cache/boot/kernels | grep -c '^[01]-[01]$'
1
[1-4] (re)
4
$ . ./lab.sh; hanging() { [ "$(grep -ls LAB cache/boot/kernels/*/console | wc -l)" -eq 2 ]; }
> FAKE_QEMU=hang "$TREE/scripts/lab/lab" --no-install --at-once 2 --program "$(command -v orion-sim)" run kernels >jobs.txt 2>&1 &
> pid=$!; for i in $(seq 200); do hanging && break; sleep 0.1; done; hanging && kill $pid; wait $pid; echo $?
> flock --timeout 5 cache/lock ls cache/boot/kernels
143
0-0
1-0
$ . ./lab.sh; hanging() { [ "$(grep -ls LAB cache/boot/kernels/*/console | wc -l)" -eq 2 ]; }; rm -rf cache/boot/kernels
> FAKE_QEMU=hang "$TREE/scripts/lab/lab" --no-install --at-once 2 --seconds 3 --program "$(command -v orion-sim)" run kernels >jobs.txt 2>&1 &
> pid=$!; for i in $(seq 200); do hanging && break; sleep 0.1; done; { hanging && kill -KILL $pid; wait $pid; } 2>/dev/null; echo $?
> flock --timeout 20 cache/lock ls cache/boot/kernels
137
0-0
1-0
