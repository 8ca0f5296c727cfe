# What the command line refuses, and how.
$ orion-sim
orion-sim: drives a database's I/O into the memory databases really use, and
reports MB/s, latency and CPU cost per I/O.

usage: orion-sim COMMAND [OPTIONS]

...
[exit 2]
$ orion-sim --version
orion-sim [0-9]+\.[0-9]+\.[0-9]+ (re)
$ orion-sim frobnicate
orion-sim: no command is called 'frobnicate' (there are: demo, run, plan, list, prepare, report, compare, restore, calibrate, orion)
[exit 2]
$ orion-sim help frobnicate
orion-sim: no command is called 'frobnicate' (there are: demo, run, plan, list, prepare, report, compare, restore, calibrate, orion)
[exit 2]
$ orion-sim run
orion-sim: run: PROFILE is missing; usage: orion-sim run PROFILE
[exit 2]
$ orion-sim run one two
orion-sim: run: unexpected word 'two'; usage: orion-sim run PROFILE
[exit 2]
$ orion-sim run --bogus one
orion-sim: run: no option is called '--bogus'; orion-sim run --help shows those there are
[exit 2]
$ orion-sim run -x one
orion-sim: run: no option is called '-x'; orion-sim run --help shows those there are
[exit 2]
$ orion-sim run nosuch
orion-sim: no profile is called 'nosuch' (there are: *); a file is named by a path with a slash, or ends in .json (glob)
[exit 2]
$ orion-sim run ./nosuch.json
orion-sim: cannot open ./nosuch.json: No such file or directory
[exit 2]
$ orion-sim run null --format yaml
orion-sim: run: --format: no format is called 'yaml' (there are: text, json, csv, none)
[exit 2]
$ orion-sim run null --progress
orion-sim: run: --progress needs a value
[exit 2]
$ orion-sim prepare
orion-sim: prepare: FILE is missing; usage: orion-sim prepare FILE
[exit 2]
$ orion-sim list nope
orion-sim: no list is called 'nope' (there are: *, commands) (glob)
[exit 2]
$ orion-sim list engine libaoi
orion-sim: no engine is called 'libaoi' (there are: io_uring, libaio, sync, null; did you mean 'libaio'?)
[exit 2]
$ orion-sim report
orion-sim: report: RESULT.json is missing; usage: orion-sim report RESULT.json
[exit 2]

# A full disk is not success.
$ orion-sim list >/dev/full
orion-sim: standard output cannot be written: No space left on device
[exit 1]
