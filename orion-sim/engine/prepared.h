/* SPDX-License-Identifier: MIT */
/* prepared.h - files that we wrote ourselves, know again, and therefore may write again. */
#ifndef ORION_ENGINE_PREPARED_H
#define ORION_ENGINE_PREPARED_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct fill_observer;
struct target;

#define PREPARED_HEADER_BYTES	4096u
#define PREPARED_LEAST_BYTES	(1u << 20)
#define PREPARED_RESERVE_PRESET UINT64_MAX

/* What the first block of such a file says, under a checksum. */
struct prepared_header {
	uint64_t size_bytes, seed;
	bool complete; /* false from the first write on until all is on the disk */
};

/* block holds PREPARED_HEADER_BYTES. */
void prepared_write_header(const struct prepared_header *header, char *block);

/* 0, or -ENOENT where the block is none of ours or damaged. */
int prepared_read_header(const char *block, struct prepared_header *ret);

/* Does the target carry such a header? Reads one block. */
bool prepared_is_ours(const struct target *target);

struct prepared_request {
	const char *path;
	uint64_t size_bytes;	/* multiple of FILL_ALIGN_BYTES, at least PREPARED_LEAST_BYTES */
	uint64_t seed;		/* 0: what an existing file has, else 1 */
	uint64_t reserve_bytes; /* to stay free; PREPARED_RESERVE_PRESET: see below */
};

struct prepared_outcome {
	bool created;		/* the file was not there before */
	bool was_ready;		/* nothing was changed */
	uint64_t written_bytes; /* 0 also where it was only cut to size */
	uint64_t duration_ns;	/* of writing, flush included */
	char file_system[32];
};

/* Free space that is kept by preset: a twentieth of the file system, at least 1G, at most 16G. */
uint64_t prepared_reserve_preset(uint64_t file_system_bytes);

/*
 * Makes path a file of that size, filled with incompressible data that is on the disk. A new file
 * is created with O_EXCL and mode 0600, no symlink followed. An existing one is written only if it
 * is a regular file with one name and carries its own verified header; if it has the size and is
 * complete, nothing is written. Anything else, and a path where O_DIRECT does not reach a disk, is
 * ERROR_INPUT with nothing changed; too little space is ERROR_CANNOT, likewise. On any later
 * failure (fill_file's codes) a file that was created here is removed; an existing one is left
 * marked incomplete, to be finished by the next call.
 */
int prepared_make(const struct prepared_request *request, const struct fill_observer *observer,
		  struct prepared_outcome *ret, struct error *error);

#endif
