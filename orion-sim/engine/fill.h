/* SPDX-License-Identifier: MIT */
/* fill.h - writes incompressible data into a file, really onto the disk. */
#ifndef ORION_ENGINE_FILL_H
#define ORION_ENGINE_FILL_H

#include <stdint.h>

struct error;

#define FILL_ALIGN_BYTES 4096u

/* Lent for the time of the call; a null observer is not asked. */
struct fill_observer {
	/* Now and then, up to some hundred times a second; anything but 0 ends the work. */
	int (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes);
	void *context;
};

/*
 * Reserves size_bytes and writes them from offset 0 on: random bytes made from seed, no two
 * blocks alike; then fdatasync. fd is open for writing, best with O_DIRECT; size_bytes
 * is a multiple of FILL_ALIGN_BYTES. Once it has returned nothing is in flight. -EINTR if the
 * observer ended it, -ENOSPC, -EDQUOT or -EFBIG if it does not fit, ERROR_IO for a failing disk.
 * The sentence does not name the file: prefix it.
 */
int fill_file(int fd, uint64_t size_bytes, uint64_t seed, const struct fill_observer *observer,
	      struct error *error);

/* The same for the bytes from begin_bytes to end_bytes, both multiples of FILL_ALIGN_BYTES. */
int fill_range(int fd, uint64_t begin_bytes, uint64_t end_bytes, uint64_t seed,
	       const struct fill_observer *observer, struct error *error);

#endif
