/* SPDX-License-Identifier: MIT */
/* pagebench.c - the kernel's own benchmark of page allocation: orion_pagebench of a patched one. */
#include "workload/pagebench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "base/sysfile.h"

#define TEXT_BYTES (256 + TOPOLOGY_CPUS_MAX * 128)

static int path_of(const char *folder, const char *file, char *path, size_t size,
		   struct error *error)
{
	if ((size_t)snprintf(path, size, "%s/%s", folder, file) < size)
		return 0;
	return error_set(error, ERROR_INPUT, "'%s' is too long for a folder of debugfs", folder);
}

/* Why it cannot be opened, and what to do. */
static int explain(const char *path, int code, struct error *error)
{
	if (code == ENOENT)
		return error_set(
			error, ERROR_CANNOT,
			"there is no %s: mode kernel takes a kernel with orion_pagebench "
			"(scripts/lab/lab build --patches numa-threshold; modprobe orion_pagebench "
			"where it is a module) and debugfs (mount -t debugfs none "
			"/sys/kernel/debug)",
			path);
	if (code == EACCES)
		return error_set(error, ERROR_CANNOT,
				 "%s may not be written to, because debugfs is root's: run as root",
				 path);
	if (code == EBUSY)
		return error_set(error, ERROR_CANNOT,
				 "%s is in use by another process: wait for its end", path);
	return error_set(error, -code, "cannot open %s: %s", path, strerror(code));
}

int pagebench_probe(const char *folder, struct error *error)
{
	char path[320];
	int status = path_of(folder, "run", path, sizeof(path), error);

	/* Below a folder that one may not enter, nothing can be said to be absent. */
	if (status == 0 && access(path, W_OK))
		status = explain(path, errno, error);
	return status;
}

int pagebench_open(struct pagebench *pagebench, const char *folder, struct error *error)
{
	char path[320];
	int status = path_of(folder, "run", path, sizeof(path), error);

	if (status == 0)
		status = path_of(folder, "result", pagebench->result_path,
				 sizeof(pagebench->result_path), error);
	if (status < 0)
		return status;
	pagebench->text = malloc(TEXT_BYTES);
	if (!pagebench->text)
		return error_set(error, -ENOMEM, "no memory for a benchmark's result");
	pagebench->run_fd = open(path, O_WRONLY | O_CLOEXEC);
	if (pagebench->run_fd >= 0)
		return 0;
	status = explain(path, errno, error);
	free(pagebench->text);
	return status;
}

void pagebench_close(struct pagebench *pagebench)
{
	close(pagebench->run_fd);
	free(pagebench->text);
}

int pagebench_start(struct pagebench *pagebench, uint64_t n, struct error *error)
{
	char command[32];
	int length = snprintf(command, sizeof(command), "start %llu\n", (unsigned long long)n);

	if (write(pagebench->run_fd, command, (size_t)length) == length)
		return 0;
	if (errno == EINVAL)
		return error_set(error, ERROR_CANNOT,
				 "cpus is %llu and fewer CPUs are online: ask for at most as many, "
				 "or for 0 (all)",
				 (unsigned long long)n);
	return error_set(error, -errno, "orion_pagebench does not start: %s", strerror(errno));
}

static int read_count(const struct json_document *document, const cJSON *object, const char *name,
		      uint64_t *ret, struct error *error)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, name);

	if (!cJSON_IsNumber(node) || node->valuedouble < 0)
		return json_fail(document, object, error, -EBADMSG, "there is no number '%s'",
				 name);
	*ret = (uint64_t)node->valuedouble;
	return 0;
}

static int read_cpu(const struct json_document *document, const cJSON *node,
		    struct pagebench_cpu *ret, struct error *error)
{
	int status = read_count(document, node, "pairs", &ret->pairs, error);

	if (status == 0)
		status = read_count(document, node, "cycles", &ret->cycles, error);
	if (status == 0)
		status = read_count(document, node, "failures", &ret->failures, error);
	return status;
}

static int read_result(struct pagebench *pagebench, const struct json_document *document,
		       struct error *error)
{
	const cJSON *root = json_root(document), *node;
	const cJSON *cpus = cJSON_GetObjectItemCaseSensitive(root, "cpus");
	int status = read_count(document, root, "tsc_khz", &pagebench->tsc_khz, error);

	if (status < 0)
		return status;
	if (pagebench->tsc_khz == 0 || !cJSON_IsArray(cpus) ||
	    cJSON_GetArraySize(cpus) > TOPOLOGY_CPUS_MAX)
		return json_fail(document, root, error, -EBADMSG,
				 "this is no result of orion_pagebench: it has a tsc_khz, and a "
				 "list of at most %d cpus",
				 TOPOLOGY_CPUS_MAX);
	pagebench->n_cpus = 0;
	cJSON_ArrayForEach (node, cpus) {
		status = read_cpu(document, node, &pagebench->cpus[pagebench->n_cpus], error);
		if (status < 0)
			return status;
		pagebench->n_cpus++;
	}
	return 0;
}

int pagebench_stop(struct pagebench *pagebench, struct error *error)
{
	CLEANUP(cleanup_json) struct json_document *document = NULL;
	int status;

	if (write(pagebench->run_fd, "stop\n", 5) != 5)
		return error_set(error, -errno, "orion_pagebench does not stop: %s",
				 strerror(errno));
	status = sysfile_read(pagebench->result_path, pagebench->text, TEXT_BYTES, error);
	if (status == 0)
		status = json_parse(pagebench->result_path, pagebench->text, &document, error);
	return status < 0 ? status : read_result(pagebench, document, error);
}
