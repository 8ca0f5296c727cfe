# Kernels as Debian packages: what is in them, what they are called, and which word on a symbol counts.
# skip unless: command -v dpkg-deb

$ lab-fixture . && PATH=$PWD/bin:$PATH; export ORION_LAB_CACHE=$PWD/cache; lab() { "$TREE/scripts/lab/lab" --no-install "$@"; }
> declare -f lab >lab.sh; echo "PATH=$PATH ORION_LAB_CACHE=$PWD/cache; export PATH ORION_LAB_CACHE" >>lab.sh
$ . ./lab.sh; lab deb --kernel 6.1
Building a package of Linux 6.1 (6.1.1-1), patches: none; log: HERE/cache/log/deb-6.1-none.log
Built in * s. (glob)
HERE/cache/deb/6.1-none-*/linux-image-6.1.1-lab-none-*_6.1.1-1+orion1_amd64.deb (glob)
$ . ./lab.sh; dpkg-deb -c "$(lab deb --kernel 6.1)" | sed 's/.* //; s/none-[0-9a-f]*/none-KEY/' | grep -v '/$'
./boot/System.map-6.1.1-lab-none-KEY
./boot/config-6.1.1-lab-none-KEY
./boot/vmlinuz-6.1.1-lab-none-KEY
$ . ./lab.sh; deb=$(lab deb --kernel 6.1); dpkg-deb -e "$deb" control; ls control; dpkg-deb -f "$deb" Package Architecture | sed 's/none-[0-9a-f]*/none-KEY/'
control
postinst
postrm
prerm
Package: linux-image-6.1.1-lab-none-KEY
Architecture: amd64
$ sh -n control/postinst && grep -c /etc/kernel/postinst.d control/postinst
2

# Another configuration is another package; the last word on a symbol counts; a whole configuration comes before all.

$ . ./lab.sh; printf 'CONFIG_INOTIFY_USER=y\n# CONFIG_AIO is not set\n' >more; lab deb --kernel 6.1 --config lab --config more 2>/dev/null | wc -l; ls cache/deb | wc -l
1
2
$ . ./lab.sh; dpkg-deb --fsys-tarfile "$(lab deb --kernel 6.1 --config lab --config more)" | tar -xO --wildcards './boot/config-*' | grep -E 'CONFIG_(AIO|INOTIFY_USER|EPOLL)[ =]' | sed 's/^# //'
CONFIG_EPOLL=y
CONFIG_AIO is not set
CONFIG_INOTIFY_USER=y
$ . ./lab.sh; printf 'CONFIG_OWN=y\nCONFIG_SYSTEM_TRUSTED_KEYS="debian/certs/debian-uefi-certs.pem"\nCONFIG_LOCALVERSION="-x"\n' >whole
> dpkg-deb --fsys-tarfile "$(lab deb --kernel 6.1 --config whole --config more 2>/dev/null)" | tar -xO --wildcards './boot/config-*' | sed 's/none-[0-9a-f]*/none-KEY/; s/^# //'
CONFIG_OWN=y
CONFIG_SYSTEM_TRUSTED_KEYS=""
CONFIG_LOCALVERSION="-x"
CONFIG_INOTIFY_USER=y
CONFIG_AIO is not set
CONFIG_LOCALVERSION="-lab-none-KEY"

# A whole configuration may come alone; what it sets and this kernel has not is told. A comment is no word on a symbol, n is
# one, and small letters tell symbols apart.

$ . ./lab.sh; lab deb --kernel 6.1 --config whole 2>&1 | tail -n 1 | sed 's/none-[0-9a-f]*/none-KEY/g'
HERE/cache/deb/6.1-none-KEY/linux-image-6.1.1-lab-none-KEY_6.1.1-1+orion1_amd64.deb
$ . ./lab.sh; printf 'CONFIG_%s\n' AIO=y OWN=m >whole2; echo CONFIG_OWN=y >more2; FAKE_MAKE=drop lab deb --kernel 6.1 --config whole2 --config more2 2>&1 | sed -n 2p; grep -o 'whole2: .*' cache/log/deb-6.1-none.log
Of whole2, 1 symbols are not taken over, since this kernel has them not or what they depend on is not set: CONFIG_AIO=y; the log has all of them.
whole2: CONFIG_AIO=y
$ . ./lab.sh; printf '%s\n' 'CONFIG_MT76_USB=y' '# CONFIG_OWN does it' 'CONFIG_MT76x02_USB=y' 'CONFIG_MT76x2U=n' >more3
> dpkg-deb --fsys-tarfile "$(lab deb --kernel 6.1 --config whole --config more3 2>/dev/null)" | tar -xO --wildcards './boot/config-*' | grep -E 'MT76|does' | sed 's/^# //'
CONFIG_MT76_USB=y
CONFIG_MT76x02_USB=y
CONFIG_MT76x2U is not set

# What it needs of the machine: programs and headers, also where the kernel takes the symbol back for want of them; keys.

$ mkdir -p t/out; printf 'CONFIG_%s=y\n' KERNEL_LZO MODULE_SIG DEBUG_INFO >t/out/.config; printf 'CONFIG_%s=y\n' DEBUG_INFO DEBUG_INFO_BTF >t/out/asked
> cat >missing <<'END'
> . "$TREE/scripts/lib/common.sh"; . "$TREE/scripts/lab/lib/deb.sh"
> deb_there() { [ "$1" = openssl ]; }; install=''
> deb_tools log t -x 6.1 none lab
> END
$ bash missing
missing: the configuration needs packages that are missing here: dwarves (CONFIG_DEBUG_INFO_BTF), lzop (CONFIG_KERNEL_LZO); install them (scripts/install-deps deb), or take these symbols out in a further --config
[exit 3]
$ echo '# CONFIG_DEBUG_INFO_BTF is not set' >>t/out/asked; sed -i /LZO/d t/out/.config; bash missing
$ . ./lab.sh; printf 'CONFIG_MODULE_SIG_KEY="mine.pem"\nCONFIG_SYSTEM_TRUSTED_KEYS="%s"\n' "$PWD/whole" >keys; lab deb --kernel 6.1 --config keys 2>&1 | tail -n 1
lab: the configuration names files of keys that are not there: CONFIG_MODULE_SIG_KEY: mine.pem; put them there, or name none (CONFIG_…="") in a further --config

# What goes wrong.

$ . ./lab.sh; lab deb --kernel 6.1 --config nope
lab: there is no configuration nope (there is: lab, or a file)
[exit 1]
$ . ./lab.sh; FAKE_MAKE=drop lab deb --kernel 6.12 2>&1 | tail -n 1
lab: the configuration of Linux 6.12 lost CONFIG_AIO=y: what it depends on is not set, or another of the same choice is (then also say '# CONFIG_… is not set' of this one). Log: HERE/cache/log/deb-6.12-none.log
$ . ./lab.sh; FAKE_MAKE=error lab deb --kernel 6.12 2>&1 | tail -n 1; ls cache/deb | grep -c 6.12
lab: cannot compile Linux 6.12 with none: mm/gup.c:7:3: error: 'lock' undeclared. Log: HERE/cache/log/deb-6.12-none.log
0
[exit 1]
