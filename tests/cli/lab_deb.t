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

# What goes wrong.

$ . ./lab.sh; lab deb --kernel 6.1 --config nope
lab: there is no configuration nope (there is: lab, or a file)
[exit 1]
$ . ./lab.sh; FAKE_MAKE=drop lab deb --kernel 6.12 2>&1 | tail -n 1
lab: the configuration of Linux 6.12 lost CONFIG_AIO=y. Log: HERE/cache/log/deb-6.12-none.log
$ . ./lab.sh; FAKE_MAKE=error lab deb --kernel 6.12 2>&1 | tail -n 1; ls cache/deb | grep -c 6.12
lab: cannot compile Linux 6.12 with none: mm/gup.c:7:3: error: 'lock' undeclared. Log: HERE/cache/log/deb-6.12-none.log
0
[exit 1]
