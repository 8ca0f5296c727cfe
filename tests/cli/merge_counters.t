# Counts that an emulator took between the markers reach the result.

$ orion-sim run null --set marker=true --set phases.warmup=0 --set phases.measure=20ms --set repeats=1 \
>   --output r.json --progress none >/dev/null 2>&1
$ grep -o '"marker":true' r.json
"marker":true
$ echo '[{"variant":0,"point":0,"repeat":0,"counters":{"lab.kernel_atomics":62}}]' >c.json
$ orion-sim report r.json --merge-counters c.json --format json | grep -o '"counters":{"lab.kernel_atomics":62}'
"counters":{"lab.kernel_atomics":62}
$ sed -i 's/"point":0/"point":99/' c.json
$ orion-sim report r.json --merge-counters c.json
orion-sim: c.json:1: [0].point: "point" must be a place in the result's list of 1, from 0 on
[exit 2]
$ orion-sim report r.json --merge-counters none.json
orion-sim: cannot open none.json: No such file or directory
[exit 2]
