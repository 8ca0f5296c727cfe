# A plan of kernels on a user's own machine, on a machine that is a folder: what a plan may say, the order of boots, and that
# power that goes at any moment loses nothing and leaves nothing.

$ lab-host-fixture m; printf '{}\n' >p.json; printf 'bad\n' >bad.json
> printf '%s\n' 'kernel old 6.1.1-old' 'kernel new 6.1.1-new' 'profile p.json --set repeats=1' 'boots 2' 'settle 0' 'program m/bin/orion-sim' >good
> { echo "PATH=$PWD/m/bin:\$PATH; lab() { \"\$TREE/scripts/lab/lab\" --root \"$PWD/m/root\" host \"\$@\"; }"
> echo "try() { printf '%s\n' \"\$@\" >plan; lab plan; }"; } >lab.sh

# What a plan may say.

$ . ./lab.sh; lab
lab: which plan? scripts/lab/lab host PLAN|status|resume|abort (a plan's form: scripts/lab/lib/host.sh)
[exit 1]
$ . ./lab.sh; lab nowhere
lab: there is no plan nowhere that can be read
[exit 1]
$ . ./lab.sh; try '# a comment' '' 'kernal a 6.1.1-old'
lab: HERE/plan, line 3: there is no 'kernal' (there are: kernel entry profile boots settle limit results program)
[exit 1]
$ . ./lab.sh; try 'kernel a'
lab: HERE/plan, line 1: kernel needs a label and a release: kernel new 6.1.192-lab-none
[exit 1]
$ . ./lab.sh; try 'kernel a/b 6.1.1-old'
lab: HERE/plan, line 1: the label 'a/b' may have letters, digits, '.', '_' and '-', and begins with one of the first two
[exit 1]
$ . ./lab.sh; try 'kernel a 6.1.1-old' 'kernel a 6.1.1-new'
lab: HERE/plan, line 2: there is a kernel 'a' already
[exit 1]
$ . ./lab.sh; try 'kernel a 6.1.1-old' 'entry b x'
lab: HERE/plan, line 2: there is no kernel 'b' above (there are: a)
[exit 1]
$ . ./lab.sh; try 'profile nope'
lab: HERE/plan, line 1: there is no profile TREE/profiles/nope.json
[exit 1]
$ . ./lab.sh; try 'profile p.json' 'profile p.json'
lab: HERE/plan, line 2: there is a profile 'p' already
[exit 1]
$ . ./lab.sh; for n in 0 -1 x 1234567890 ''; do try "boots $n"; done
lab: HERE/plan, line 1: a number from 1 on is needed, not '0'
lab: HERE/plan, line 1: a number from 1 on is needed, not '-1'
lab: HERE/plan, line 1: a number from 1 on is needed, not 'x'
lab: HERE/plan, line 1: a number from 1 on is needed, not '1234567890'
lab: HERE/plan, line 1: boots needs one value
[exit 1]
$ . ./lab.sh; try 'kernel a 6.1.1-old' 'profile p.json'
lab: HERE/plan: a plan needs two kernels at least, and has 1
[exit 1]
$ . ./lab.sh; try 'kernel a 6.1.1-old' 'kernel b 6.1.1-new'
lab: HERE/plan: a plan needs a profile
[exit 1]

# What it needs of the machine; nothing is changed where something is missing.

$ . ./lab.sh; try 'kernel a 6.1.1-old' 'kernel b 6.9.9' 'profile p.json' 'program m/bin/orion-sim'
lab: GRUB's menu has no entry for Linux 6.9.9 (kernel b): install it (scripts/lab/lab deb makes packages), update-grub, or say 'entry b …'
[exit 1]
$ . ./lab.sh; try 'kernel a 6.1.1-old' 'kernel b 6.1.1-new' 'profile bad.json' 'program m/bin/orion-sim'
lab: orion-sim refuses profile bad: orion-sim: the profile is bad
[exit 1]
$ . ./lab.sh; try 'kernel a 6.1.1-old' 'kernel b 6.1.1-new' 'profile p.json' 'program nope'
lab: there is no program HERE/nope: scripts/quickstart builds it, or say 'program FILE'
[exit 1]
$ . ./lab.sh; FAKE_ABSTRACTION=lvm lab good
lab: /boot/grub is on lvm, where GRUB cannot take back the choice of a next entry
[exit 3]
$ . ./lab.sh; mkdir full; touch full/x; cat good >plan; echo 'results full' >>plan; lab plan
lab: HERE/full is not empty: move it away, or say 'results FOLDER'
[exit 1]
$ . ./lab.sh; lab status
lab host: no plan is under way, and none was: scripts/lab/lab host PLAN
[exit 1]
$ . ./lab.sh; lab abort
lab host: no plan is under way, and none was: scripts/lab/lab host PLAN
[exit 1]
$ find m/root/etc m/root/var -type f; cat m/root/boot/grub/grubenv
saved_entry=mine
next_entry=other

# The order is ABBA, each measured on a boot of its own; then the machine is as it was, on the kernel of its own.

$ . ./lab.sh; lab good
4 boots: old new new old. Results: HERE/good.results
Booting old (6.1.1-old), step 1 of 4, try 1 of 3
$ . ./lab.sh; lab good
lab: a plan is under way: scripts/lab/lab host status, or abort
[exit 1]
$ . ./lab.sh; lab status
Plan HERE/good: 0 of 4 boots measured, results in HERE/good.results
  001 old: to come
  002 new: to come
  003 new: to come
  004 old: to come
Next: old (6.1.1-old), tried 1 times of 3.
$ . ./lab.sh; lab-host-fixture boots m; cat m/boots
6.1.1-old (gnulinux-advanced-uuid>gnulinux-6.1.1-old-advanced-uuid)
6.1.1-new (gnulinux-advanced-uuid>gnulinux-6.1.1-new-advanced-uuid)
6.1.1-new (gnulinux-advanced-uuid>gnulinux-6.1.1-new-advanced-uuid)
6.1.1-old (gnulinux-advanced-uuid>gnulinux-6.1.1-old-advanced-uuid)
6.1.0-9 (other)
$ cat good.results/summary; cat good.results/p/old/*.json good.results/p/new/*.json
Plan HERE/good: 4 of 4 boots measured. Ended: every boot was measured.
  001 old: measured
  002 new: measured
  003 new: measured
  004 old: measured

== p: compare-new
compared old -- new
6.1.1-old boot-1
6.1.1-old boot-4
6.1.1-new boot-2
6.1.1-new boot-3
$ . ./lab.sh; find m/root/etc -type f -o -type l; cat m/root/boot/grub/grubenv; lab status | tail -n 1; lab abort
saved_entry=mine
next_entry=
Ended: every boot was measured. Results: HERE/good.results/summary
It had ended already: every boot was measured. Results: HERE/good.results

# A kernel that does not come up, and a profile that fails on one.

$ . ./lab.sh; /bin/rm -rf good.results m; lab-host-fixture m; echo 6.1.1-new >m/panics; lab good >/dev/null 2>&1; lab-host-fixture boots m; cut -d ' ' -f 1 m/boots | uniq -c; head -n 3 good.results/summary
      1 6.1.1-old
      1 6.1.1-new
      1 6.1.0-9
      1 6.1.1-new
      1 6.1.0-9
      1 6.1.1-new
      1 6.1.0-9
Plan HERE/good: 1 of 4 boots measured. Ended: kernel new (6.1.1-new) was not measured in 3 boots.
  001 old: measured
  002 new: to come
$ find m/root/etc -type f -o -type l; cat m/root/boot/grub/grubenv
saved_entry=mine
next_entry=other
$ . ./lab.sh; /bin/rm -rf good.results m; lab-host-fixture m; echo 6.1.1-new >m/fails; lab good >/dev/null 2>&1; lab-host-fixture boots m; sed -n 2,5p good.results/summary; ls good.results/p/new
  001 old: measured
  002 new: failed: p: exit code 2, no such device
  003 new: failed: p: exit code 2, no such device
  004 old: measured
002.err
002.failed
002.txt
003.err
003.failed
003.txt
$ . ./lab.sh; /bin/rm -rf good.results m; lab-host-fixture m; cat good >plan; echo 'limit 1' >>plan; lab plan >/dev/null 2>&1; FAKE_HANG=yes lab-host-fixture boots m; sed -n 2p plan.results/summary; /bin/rm -r plan.results
  001 old: failed: p: not done after 1 s

# The same release with other words on its command line is another kernel, by an entry of the user's own.

$ . ./lab.sh; /bin/rm -rf m; lab-host-fixture m
> try 'kernel on 6.1.0-9' 'kernel off 6.1.0-9 mitigations=off' 'entry off Own entry' 'profile p.json' 'boots 2' 'settle 0' 'program m/bin/orion-sim'
> lab-host-fixture boots m; cat m/boots; sed -n 2,5p plan.results/summary; cat m/root/boot/grub/grubenv
4 boots: on off off on. Results: HERE/plan.results
Booting on (6.1.0-9), step 1 of 4, try 1 of 3
6.1.0-9 (gnulinux-advanced-uuid>gnulinux-6.1.0-9-advanced-uuid)
6.1.0-9 (Own entry)
6.1.0-9 (Own entry)
6.1.0-9 (gnulinux-advanced-uuid>gnulinux-6.1.0-9-advanced-uuid)
  001 on: measured
  002 off: measured
  003 off: measured
  004 on: measured
saved_entry=mine
next_entry=other

# Aborted in the middle.

$ . ./lab.sh; /bin/rm -rf m good.results; lab-host-fixture m; lab good >/dev/null 2>&1; lab abort
Ended: aborted. Results: HERE/good.results/summary
$ . ./lab.sh; lab-host-fixture boots m; cat m/boots m/root/boot/grub/grubenv; find m/root/etc -type f -o -type l; lab status | tail -n 1
6.1.0-9 (other)
saved_entry=mine
next_entry=
Ended: aborted. Results: HERE/good.results/summary
