/* SPDX-License-Identifier: MIT */
/* rig.h - an open queue over a file whose every byte is known. */
#ifndef ORION_TESTS_ENGINE_RIG_H
#define ORION_TESTS_ENGINE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/target.h"

#define RIG_BLOCK 8192u

/* A file without a name: word w of 8 bytes holds rig_word(w). */
struct rig_file {
	int fd; /* O_DIRECT, -1 if the file system has none */
	uint64_t size_bytes;
};

struct rig {
	struct queue queue;
	struct target targets[2]; /* the file, and a target with a bad descriptor */
	unsigned n;		  /* requests, each with a block of the region */
	struct request *requests;
	char *region;
	size_t region_bytes;
};

uint64_t rig_word(uint64_t index);

/* Reads an engine as a profile would name it; aborts on a mistake. choice_free afterwards. */
void rig_choose(struct choice *choice, const char *text);

/* Makes the file in the current directory, size_bytes long. */
void rig_file_open(struct rig_file *file, uint64_t size_bytes);
void rig_file_close(struct rig_file *file);

/* Opens a queue; bad_fd is the second target's descriptor. 0, or what queue_open said. */
int rig_open(struct rig *rig, const struct choice *engine, const struct rig_file *file,
	     unsigned depth, unsigned batch, unsigned n, int bad_fd, struct error *error);
void rig_close(struct rig *rig);

/* Makes request i a read of the file at offset_bytes, its buffer filled with 0xee. */
struct request *rig_read(struct rig *rig, unsigned i, uint64_t offset_bytes);

/* Requests 0 … n - 1 read one block after the other from the start of the file. */
void rig_reads(struct rig *rig, unsigned n);

/* Have requests 0 … n - 1 brought a whole block of what the file holds? */
bool rig_all_read(const struct rig *rig, unsigned n);

/* Do the first bytes of the request's buffer hold what the file holds there? */
bool rig_verify(const struct request *request, uint32_t bytes);

/* Submits all (reaping where the queue is full) and reaps all. 0, or negative errno. */
int rig_turn(struct rig *rig, unsigned n);

/* Open descriptors of this process. */
unsigned rig_count_fds(void);

#endif
