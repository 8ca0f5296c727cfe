# Power that goes after any command of a plan of kernels: of starting it, of a boot, of ending. Then every boot is measured once,
# on its kernel and a boot of its own, and the machine is as it was; or, where it went before the unit was there, nothing
# goes on by itself, and the plan can be aborted.

$ lab-host-fixture m; printf '{}\n' >p.json
> printf '%s\n' 'kernel old 6.1.1-old' 'kernel new 6.1.1-new' 'profile p.json' 'boots 1' 'settle 0' 'program m/bin/orion-sim' >plan
> cat >lab.sh <<'END'
> PATH=$PWD/m/bin:$PATH
> lab() { "$TREE/scripts/lab/lab" --root "$PWD/m/root" host "$@"; }
> powered() { { lab-host-fixture run m "$TREE/scripts/lab/lab" --root "$PWD/m/root" host "$@"; } 2>&1; }
> off() { /bin/rm -rf m plan.results; cp -a "$1" m; [ ! -d "$1.results" ] || cp -a "$1.results" plan.results; echo 0 >m/count; echo "$2" >m/power; }
> as_it_was() {
>     [ -z "$(find m/root/etc -type f ! -name '*.new' -o -type l)" ] || echo "$1: a unit is left"
>     grep -qx saved_entry=mine m/root/boot/grub/grubenv || echo "$1: another default"
>     ! grep -q '^next_entry=gnu' m/root/boot/grub/grubenv || echo "$1: another next entry"
> }
> END
> mv m fresh; . ./lab.sh; off fresh 0; lab plan >/dev/null 2>&1; cat m/count; /bin/mv m begun; /bin/mv plan.results begun.results
[0-9]* (re)

# While it is started.

$ . ./lab.sh; n=0
> while n=$((n + 1)); do
>     off fresh $n; powered plan >/dev/null; code=$?
>     [ $code -eq 137 ] || break
>     [ -e m/root/var/lib/orion-sim-lab/state ] || { as_it_was $n; continue; }
>     lab status | tail -n 1 | sed 's/tried .*/tried/' >>said; echo 0 >m/power; lab abort >/dev/null; as_it_was $n
> done; echo "exit code $code"; [ $n -gt 15 ] && sort -u said
exit code 0
Next: old (6.1.1-old), tried
Nothing goes on at the next boot, its unit is not there: lab host resume, or lab host abort.

# In a boot: of measuring, of ending.

$ . ./lab.sh; n=0
> while n=$((n + 1)); do
>     off begun $n; lab-host-fixture boots m
>     [ "$(cat m/count)" -ge $n ] || break
>     [ "$(cat plan.results/p/old/001.json plan.results/p/new/002.json | cut -d ' ' -f 1 | paste -sd ' ')" = '6.1.1-old 6.1.1-new' ] || echo "$n: other results"
>     [ "$(cat plan.results/p/*/*.json | sort -u | wc -l)" = 2 ] || echo "$n: other boots"
>     grep -q 'every boot was measured' plan.results/summary || echo "$n: other end"
>     [ "$(tail -n 1 m/boots | cut -d ' ' -f 1)" = 6.1.0-9 ] || echo "$n: it is not where it began"
>     grep -qx ended=yes m/root/var/lib/orion-sim-lab/state || echo "$n: not ended"
>     as_it_was $n
> done; [ $n -gt 40 ] && echo enough
enough
