/* SPDX-License-Identifier: MIT */
/* rig.c - an open queue over a file whose every byte is known. */
#include "rig.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"

uint64_t rig_word(uint64_t index)
{
	return (index + 1) * 0x9e3779b97f4a7c15u;
}

void rig_choose(struct choice *choice, const char *text)
{
	struct json_document *document = NULL;
	struct error error = {0};

	if (json_parse("test", text, &document, &error) < 0 ||
	    catalog_read(&engine_catalog, document, json_root(document), choice, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	json_free(document);
}

static bool write_pattern(int fd, uint64_t size_bytes)
{
	uint64_t words[512];

	for (uint64_t at = 0; at < size_bytes; at += sizeof(words)) {
		size_t bytes = size_bytes - at < sizeof(words) ? size_bytes - at : sizeof(words);

		for (size_t i = 0; i < 512; i++)
			words[i] = rig_word(at / sizeof(*words) + i);
		if (write(fd, words, bytes) != (ssize_t)bytes)
			return false;
	}
	return fsync(fd) == 0;
}

void rig_file_open(struct rig_file *file, uint64_t size_bytes)
{
	char name[] = "rig-XXXXXX";
	int fd = mkstemp(name);

	file->size_bytes = size_bytes;
	file->fd = -1;
	if (fd < 0)
		return;
	if (write_pattern(fd, size_bytes))
		file->fd = open(name, O_RDWR | O_DIRECT | O_CLOEXEC);
	unlink(name);
	close(fd);
}

void rig_file_close(struct rig_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
}

int rig_open(struct rig *rig, const struct choice *engine, const struct rig_file *file,
	     unsigned depth, unsigned batch, unsigned n, int bad_fd, struct error *error)
{
	struct engine_setup setup = {.n_targets = 2, .queues = 1};
	int rc;

	memset(rig, 0, sizeof(*rig));
	rig->n = n;
	rig->region_bytes = (size_t)n * RIG_BLOCK;
	rig->region = mmap(NULL, rig->region_bytes, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	rig->requests = calloc(n, sizeof(*rig->requests));
	if (rig->region == MAP_FAILED || !rig->requests)
		abort();
	rig->targets[0] = (struct target){.fd = file->fd, .size_bytes = file->size_bytes};
	rig->targets[1] = (struct target){.fd = bad_fd, .size_bytes = file->size_bytes};
	setup.targets = rig->targets;
	setup.depth = depth;
	setup.batch = batch;
	setup.region = rig->region;
	setup.region_bytes = rig->region_bytes;
	rc = queue_open(&rig->queue, engine, &setup, error);
	if (rc < 0)
		rig_close(rig);
	return rc;
}

void rig_close(struct rig *rig)
{
	if (rig->queue.ops)
		rig->queue.ops->close(&rig->queue);
	munmap(rig->region, rig->region_bytes);
	free(rig->requests);
}

struct request *rig_read(struct rig *rig, unsigned i, uint64_t offset_bytes)
{
	rig->requests[i] = (struct request){
		.buffer = rig->region + (size_t)i * RIG_BLOCK,
		.offset_bytes = offset_bytes,
		.length_bytes = RIG_BLOCK,
		.op = REQUEST_READ,
		.result = INT32_MIN,
	};
	memset(rig->requests[i].buffer, 0xee, RIG_BLOCK);
	return &rig->requests[i];
}

void rig_reads(struct rig *rig, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		rig_read(rig, i, (uint64_t)i * RIG_BLOCK);
}

bool rig_verify(const struct request *request, uint32_t bytes)
{
	const char *data = request->buffer;

	for (uint32_t at = 0; at < bytes; at += sizeof(uint64_t)) {
		uint64_t word = rig_word((request->offset_bytes + at) / sizeof(uint64_t));
		size_t size = bytes - at < sizeof(word) ? bytes - at : sizeof(word);

		if (memcmp(data + at, &word, size) != 0)
			return false;
	}
	return true;
}

bool rig_all_read(const struct rig *rig, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (rig->requests[i].result != (int32_t)RIG_BLOCK ||
		    !rig_verify(&rig->requests[i], RIG_BLOCK))
			return false;
	return true;
}

int rig_turn(struct rig *rig, unsigned n)
{
	const struct engine_ops *ops = rig->queue.ops;
	struct request *pointers[1024], *done[1024];
	unsigned next = 0, inflight = 0;

	for (unsigned i = 0; i < n; i++)
		pointers[i] = &rig->requests[i];
	while (next < n || inflight) {
		unsigned left = n - next, batch = rig->queue.setup.batch;
		int rc = ops->submit(&rig->queue, pointers + next, left < batch ? left : batch);

		if (rc < 0)
			return rc;
		next += (unsigned)rc;
		inflight += (unsigned)rc;
		rc = ops->reap(&rig->queue, done, inflight ? 1 : 0, batch);
		if (rc < 0)
			return rc;
		inflight -= (unsigned)rc;
	}
	return 0;
}

unsigned rig_count_fds(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n;
}
