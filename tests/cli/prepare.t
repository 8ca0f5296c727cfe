# prepare: a file of its own, once; nothing of anybody else, ever.
# skip unless: case $(stat -f -c %T .) in tmpfs | ramfs | overlayfs) false ;; esac

$ orion-sim prepare f --size 8m --reserve 0
f: 8M, ready on [a-z0-9]+; 8M written in [0-9.]+ s, [0-9]+ MB/s (re)
$ stat -c '%a %s %h' f; head -n 4 f
600 8388608 1
orion-sim prepared file 1
state complete
size 8388608
seed 1
$ orion-sim prepare f --size 8m
f: 8M, ready since it was prepared before; nothing was written
$ orion-sim prepare f --size=4M
f: 4M, ready; it was larger and was cut
$ orion-sim prepare f --size 12m --reserve 0
f: 12M, ready on *; 8M written in * (glob)
$ orion-sim prepare f --size 12m --reserve 0 --seed 7
f: 12M, ready on *; 12M written in * (glob)

# Input that is off.
$ orion-sim prepare
orion-sim: prepare: FILE is missing; usage: orion-sim prepare FILE
[exit 2]
$ orion-sim prepare g
orion-sim: prepare: no size is given; say how large: orion-sim prepare g --size 4g
[exit 2]
$ orion-sim prepare g --size 4q
...
*'4q' is not a size* (glob)
...
[exit 2]
$ orion-sim prepare g --size 1000000
orion-sim: g: size 1000000 is not a multiple of 4096 and at least 1M
[exit 2]
$ orion-sim prepare g --size 1m --reserve most
orion-sim: --reserve: 'most' is not a size (such as 4096, 8k, 64K, 1M, 4g)
[exit 2]
$ orion-sim prepare g --size 1m --reserve 1000000t
orion-sim: g: needs 1M and 1000000T are to stay free, but the file system has only * free; * (glob)
[exit 3]
$ ls g
ls: cannot access 'g': No such file or directory
[exit 2]

# What is somebody else's stays as it is.
$ echo mine >mine; mkdir d; ln -s f link; ln -s nowhere dangling; : >empty
$ orion-sim prepare mine --size 1m
orion-sim: mine: exists and was not written by orion-sim prepare; nothing was changed, choose a name that is not in use
[exit 2]
$ orion-sim prepare empty --size 1m
orion-sim: empty: exists and was not written by orion-sim prepare; nothing was changed, choose a name that is not in use
[exit 2]
$ orion-sim prepare link --size 1m
orion-sim: link: is a symlink, and none is followed; nothing was changed, choose a name that is not in use
[exit 2]
$ orion-sim prepare dangling --size 1m
orion-sim: dangling: is a symlink, and none is followed; nothing was changed, choose a name that is not in use
[exit 2]
$ orion-sim prepare d --size 1m
orion-sim: d: is a directory; nothing was changed, choose a name that is not in use
[exit 2]
$ ln f second; orion-sim prepare f --size 1m
orion-sim: f: has more than one name (hard links); nothing was changed, choose a name that is not in use
[exit 2]
$ orion-sim prepare /dev/nvme0n9q --size 1m
orion-sim: /dev/nvme0n9q: no such device (there are: *; lsblk shows them) (glob)
[exit 2]
$ orion-sim prepare /dev/null --size 1m
orion-sim: /dev/null: is no regular file; nothing was changed, choose a name that is not in use
[exit 2]
$ cat mine; stat -c '%n %s' mine empty f; ls nowhere
mine
mine 5
empty 0
f 12582912
ls: cannot access 'nowhere': No such file or directory
[exit 2]

# A signal ends it and leaves nothing behind.
$ timeout --preserve-status -s INT 0.1 orion-sim prepare big --size 1g --reserve 0 >/dev/null 2>&1
[exit 130]
$ timeout --preserve-status -s TERM 0.1 orion-sim prepare big --size 1g --reserve 0 >/dev/null 2>&1
[exit 143]
$ ls big
ls: cannot access 'big': No such file or directory
[exit 2]
