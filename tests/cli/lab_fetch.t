# Sources for the kernel lab: the newest that apt knows, each once; what goes wrong is one sentence.
# skip unless: command -v dpkg-deb && command -v xz

$ lab-fixture .; rm -rf cache/source/6.12; PATH=$PWD/bin:$PATH
> printf '#!/bin/sh\n[ "$1" != policy ] || sed "s/^/  Candidate: /" candidate 2>/dev/null\n' >bin/apt-cache
> printf '#!/bin/sh\necho "$@" >>%s/apt.log\n[ -e %s/deb ] && cp %s/deb ./linux-source.deb || { echo "E: Failed to fetch it"; exit 1; }\n' "$PWD" "$PWD" "$PWD" >bin/apt-get
> chmod +x bin/apt-*; lab() { "$TREE/scripts/lab/lab" --no-install "$@" 2>&1; }
> { declare -f lab; echo "PATH=$PATH ORION_LAB_CACHE=$PWD/cache; export PATH ORION_LAB_CACHE"; } >lab.sh

$ . ./lab.sh; lab fetch --kernel 6.12
Refreshing the package lists.
lab: apt knows no linux-source-6.12: apt-get update, with the suites bookworm, -updates and -security of Debian 12 in its sources
[exit 3]
$ . ./lab.sh; lab build --kernel 6.12
lab: no source of Linux 6.12 in HERE/cache: scripts/lab/lab fetch --kernel 6.12
[exit 1]
$ . ./lab.sh; lab fetch --kernel 6.1
Source of Linux 6.1: 6.1.1-1 in HERE/cache/source/6.1

# It cannot be had, nor unpacked.

$ . ./lab.sh; echo 6.12.2-1 >candidate; lab fetch --kernel 6.12
Fetching linux-source-6.12 6.12.2-1
Refreshing the package lists.
lab: cannot download linux-source-6.12 (where apt-get update helps, it takes root): E: Failed to fetch it. Log: HERE/cache/log/fetch-6.12.log
[exit 3]
$ . ./lab.sh; echo no package >deb; lab fetch --kernel 6.12 | tail -n 1
lab: cannot unpack linux-source-6.12: * Log: HERE/cache/log/fetch-6.12.log (glob)
$ ls cache/source
6.1

# All is well, once.

$ mkdir -p p/DEBIAN p/usr/src linux-source-6.12/mm; echo one >linux-source-6.12/mm/gup.c; tar -cJf p/usr/src/linux-source-6.12.tar.xz linux-source-6.12
> printf 'Package: linux-source-6.12\nVersion: 6.12.2-1\nArchitecture: all\nMaintainer: Nobody <nobody@localhost>\nDescription: for a test\n' >p/DEBIAN/control
> dpkg-deb --build p deb >/dev/null
$ . ./lab.sh; lab fetch --kernel 6.12
Fetching linux-source-6.12 6.12.2-1
Source of Linux 6.12: 6.12.2-1 in HERE/cache/source/6.12
$ cat cache/source/6.12/linux/mm/gup.c cache/source/6.12/release; ls cache/tmp
one
6.12.2-1
$ . ./lab.sh; rm deb; lab fetch --kernel 6.12
Source of Linux 6.12: 6.12.2-1 in HERE/cache/source/6.12

# The gate asks for the release that patches were made for, as long as apt has it.

$ printf '#!/bin/sh\ncase $1 in policy) echo "  Candidate: 6.12.3-1" ;; madison) printf " linux-source-6.12 | 6.12.%%s-1 | http://mirror bookworm/main\\n" 3 2 ;; esac\n' >bin/apt-cache
> asks() { bash -c 'set -eu; . "$TREE/scripts/lib/common.sh"; CACHE=$ORION_LAB_CACHE; . "$TREE/scripts/lab/lib/cache.sh"; . "$TREE/scripts/lab/lib/source.sh"; source_fetch 6.12 '"$1" 2>&1; }
> declare -f asks >>lab.sh
$ . ./lab.sh; asks 6.12.2-1
Source of Linux 6.12: 6.12.2-1 in HERE/cache/source/6.12
$ . ./lab.sh; : >apt.log; asks 6.12.1-1 | head -n 1; cut -d ' ' -f 8- apt.log | head -n 1
Fetching linux-source-6.12 6.12.3-1
download linux-source-6.12=6.12.3-1

# No room for a newer one: the old one stays.

$ . ./lab.sh; echo 6.12.3-1 >candidate; printf '#!/bin/sh\necho Avail; echo 10\n' >bin/df; chmod +x bin/df; lab fetch --kernel 6.12
lab: the source of Linux 6.12 needs 2500 MB in HERE/cache, which has 10: make room (scripts/lab/lab clean), or name another folder (--cache)
[exit 3]
$ . ./lab.sh; lab build --kernel 6.12 | tail -n 1
lab: a build of Linux 6.12 needs 1500 MB in HERE/cache, which has 10: make room (scripts/lab/lab clean), or name another folder (--cache)
$ cat cache/source/6.12/release
6.12.2-1
