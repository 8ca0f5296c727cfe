# prepare writes files of its own and nothing else.
# skip unless: orion-sim prepare probe --size 1m && rm probe

$ orion-sim prepare data --size 1m && stat -c '%s %A' data
data: 1M, ready on *; 1020K written in * (glob)
1048576 -rw-------
$ head -c 1000000 data | gzip | wc -c | sed 's/^\(99\|100\).*/incompressible/; s/.*[0-9].*/&/'
incompressible
# Again is no work, larger goes on, smaller is refused or cut.
$ orion-sim prepare data --size 1m
data: 1M, ready since it was prepared before; nothing was written
$ orion-sim prepare data --size 2m
data: 2M, ready on *; 1M written in * (glob)
$ orion-sim prepare data --size 1m
data: 1M, ready; it was larger and was cut

$ orion-sim prepare data
orion-sim: prepare: no size is given; say how large: orion-sim prepare data --size 4g
[exit 2]
$ orion-sim prepare data --size 1000
orion-sim: data: size 1000 is not a multiple of 4096 and at least 1M
[exit 2]
$ orion-sim prepare data --size 4q
orion-sim: prepare: --size: '4q' is not a size (such as 4096, 8k, 64K, 1M, 4g)
[exit 2]
$ orion-sim prepare data --size 1000000g
orion-sim: data: needs 977T and * are to stay free, but the file system has only * free; free some, ask for a smaller size, or keep less free with --reserve (glob)
[exit 3]
$ echo mine >other; orion-sim prepare other --size 1m; cat other
orion-sim: other: exists and was not written by orion-sim prepare; nothing was changed, choose a name that is not in use
mine
$ ln -s data link; orion-sim prepare link --size 1m
orion-sim: link: is a symlink, and none is followed; nothing was changed, choose a name that is not in use
[exit 2]
$ ln -s nowhere dangling; orion-sim prepare dangling --size 1m
orion-sim: dangling: is a symlink, and none is followed; nothing was changed, choose a name that is not in use
[exit 2]
$ orion-sim prepare . --size 1m
orion-sim: .: is a directory; nothing was changed, choose a name that is not in use
[exit 2]
$ orion-sim prepare no/such/dir --size 1m
orion-sim: no/such/dir: its folder cannot be opened: No such file or directory
[exit 2]
$ mkfifo fifo; orion-sim prepare fifo --size 1m
orion-sim: fifo: is no regular file; nothing was changed, choose a name that is not in use
[exit 2]
$ ls
dangling
data
fifo
link
other
