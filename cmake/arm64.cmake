# SPDX-License-Identifier: MIT
# arm64.cmake - cross-compiles with Debian's gcc-aarch64-linux-gnu against a tree of arm64 packages,
# and runs what it made by QEMU. -DORION_SYSROOT=… is that tree; scripts/lab/cross-arm64 makes it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ORION_SYSROOT)

set(CMAKE_SYSROOT ${ORION_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${ORION_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ORION_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${ORION_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${ORION_SYSROOT}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${ORION_SYSROOT})
