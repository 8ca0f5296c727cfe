/* SPDX-License-Identifier: MIT */
/* zeropage.c - reads of private memory that nobody has written: the zero page, huge or not. */
#include "workload/zeropage.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "base/sysfile.h"
#include "base/units.h"
#include "memory/thp.h"
#include "stats/result.h"
#include "workload/span.h"

#define ALIGN_BYTES (UINT64_C(2) << 20) /* without THP, and at least */

static const char *const source_names[] = {"anonymous", "dev_zero", NULL};
static const char *const thp_names[] = {"advise", "never", NULL};

static const struct field zeropage_fields[] = {
	FIELD_SIZE("size", struct zeropage_params, size_bytes, "1G", 4096, UINT64_C(1) << 46,
		   "address space that a worker reads through; it takes no memory"),
	FIELD_SIZE("step", struct zeropage_params, step_bytes, "2M", 8, UINT64_C(1) << 40,
		   "bytes from one touch to the next"),
	FIELD_CHOICE("source", struct zeropage_params, source, "anonymous", source_names,
		     "an anonymous mapping, or a private one of /dev/zero; aligned to huge pages"),
	FIELD_CHOICE("thp", struct zeropage_params, thp, "advise", thp_names,
		     "whether the huge zero page is asked for (MADV_HUGEPAGE), or the small one"),
	FIELD_COUNT("batch", struct zeropage_params, batch, "16", 1, 1 << 20,
		    "touches a step, timed together"),
	FIELD_END};

static const struct op_class zeropage_classes[] = {
	[ZEROPAGE_CLASS_FAULT] = {.name = "fault", .unit = "touch", .timed_in_batches = true},
	[ZEROPAGE_CLASS_MAP] = {.name = "map", .unit = "region"},
	[ZEROPAGE_CLASS_FREE] = {.name = "free", .unit = "region"},
	{.name = NULL}};

/* One worker's state. */
struct zeropage {
	const struct zeropage_params *params;
	uint64_t align_bytes, n_touches;
	int fd;		/* of /dev/zero, or -1 */
	void *reserved; /* null while nothing is mapped */
	char *next;
	uint64_t left; /* touches of this pass */
	struct span span;
	uint64_t sum; /* of what was read, so that it is read */
};

static uint64_t zeropage_touches(const struct zeropage_params *params)
{
	return (params->size_bytes + params->step_bytes - 1) / params->step_bytes;
}

static uint64_t zeropage_align_bytes(void)
{
	uint64_t pmd_bytes = thp_pmd_bytes("");

	return pmd_bytes > ALIGN_BYTES ? pmd_bytes : ALIGN_BYTES;
}

/* Without a huge zero page every touch takes a huge page of memory. */
static int zeropage_check_memory(const struct workload_setup *setup, struct error *error)
{
	const struct zeropage_params *params = setup->params;
	uint64_t used = 1, available_bytes, need_bytes = setup->workers * params->size_bytes;
	char path[512], text[8192], need[32], have[32];

	thp_path("", 0, "use_zero_page", path, sizeof(path));
	if (sysfile_read_u64(path, &used, NULL) || used ||
	    sysfile_read("/proc/meminfo", text, sizeof(text), NULL) ||
	    sysfile_field_kb(text, "MemAvailable", &available_bytes) ||
	    need_bytes <= available_bytes)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "%s is 0, so that each touch takes a huge page: %u workers need %s and "
			 "MemAvailable is %s: echo 1 > %s, or ask for a smaller size",
			 path, setup->workers, units_format_size(need_bytes, need),
			 units_format_amount(available_bytes, have), path);
}

static int zeropage_probe(const struct workload_setup *setup, struct error *error)
{
	const struct zeropage_params *params = setup->params;
	char size[32], step[32];

	if (params->step_bytes > params->size_bytes)
		return error_set(error, ERROR_INPUT, "step %s is more than size %s",
				 units_format_size(params->step_bytes, step),
				 units_format_size(params->size_bytes, size));
	if (params->step_bytes % 8)
		return error_set(error, ERROR_INPUT, "step %s is not a multiple of 8 bytes",
				 units_format_size(params->step_bytes, step));
	if (params->thp == ZEROPAGE_NEVER)
		return 0;
	if (thp_anon_pmd_state("", error) != THP_ON)
		return ERROR_CANNOT;
	return zeropage_check_memory(setup, error);
}

static int zeropage_setup(struct worker *worker, struct error *error)
{
	struct zeropage *zeropage = calloc(1, sizeof(*zeropage));

	if (!zeropage)
		return error_set(error, -ENOMEM, "no memory for a worker");
	zeropage->params = worker->setup->params;
	zeropage->align_bytes = zeropage_align_bytes();
	zeropage->n_touches = zeropage_touches(zeropage->params);
	zeropage->fd = -1;
	if (zeropage->params->source == ZEROPAGE_DEV_ZERO) {
		zeropage->fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
		if (zeropage->fd < 0) {
			free(zeropage);
			return error_set(error, -errno, "cannot open /dev/zero: %s",
					 strerror(errno));
		}
	}
	worker->private_data = zeropage;
	return 0;
}

static struct tally *zeropage_tally(const struct worker *worker, enum zeropage_class op_class)
{
	return &worker->recorder->classes[op_class].tally[worker->phase];
}

static void zeropage_record(const struct worker *worker, enum zeropage_class op_class,
			    uint64_t begin_ns)
{
	struct tally *tally = zeropage_tally(worker, op_class);
	uint64_t spent_ns = clock_now_ns() - begin_ns;

	recorder_add(worker->recorder, worker->phase, recorder_enter(worker->recorder), op_class,
		     spent_ns);
	tally->busy_ns += spent_ns;
	tally_count(tally, 1, 0);
}

static uint64_t zeropage_reserved_bytes(const struct zeropage *zeropage)
{
	return zeropage->params->size_bytes + zeropage->align_bytes;
}

/* Readable only, as the original's: no mapping that may be written is so large. */
static int zeropage_map(struct worker *worker, struct zeropage *zeropage)
{
	const struct zeropage_params *params = zeropage->params;
	int flags = MAP_PRIVATE | MAP_NORESERVE | (zeropage->fd < 0 ? MAP_ANONYMOUS : 0);
	uint64_t begin_ns = clock_now_ns(), align = zeropage->align_bytes;
	char *reserved = mmap(NULL, zeropage_reserved_bytes(zeropage), PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *address;
	int advice = params->thp == ZEROPAGE_ADVISE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;

	if (reserved == MAP_FAILED) {
		worker_fail(worker, -errno, "cannot map %llu bytes: %s; ulimit -v unlimited",
			    (unsigned long long)params->size_bytes, strerror(errno));
		return -ENOMEM;
	}
	zeropage->reserved = reserved;
	address = reserved + (align - (uintptr_t)reserved % align) % align;
	if (mmap(address, params->size_bytes, PROT_READ, flags | MAP_FIXED, zeropage->fd, 0) ==
		    MAP_FAILED ||
	    (madvise(address, params->size_bytes, advice) && advice == MADV_HUGEPAGE)) {
		worker_fail(worker, -errno, "cannot map %llu bytes to read: %s",
			    (unsigned long long)params->size_bytes, strerror(errno));
		return -ENOMEM;
	}
	zeropage_record(worker, ZEROPAGE_CLASS_MAP, begin_ns);
	zeropage->next = address;
	zeropage->left = zeropage->n_touches;
	return 0;
}

static void zeropage_unmap(struct zeropage *zeropage)
{
	if (zeropage->reserved)
		munmap(zeropage->reserved, zeropage_reserved_bytes(zeropage));
	zeropage->reserved = NULL;
}

static int zeropage_next_pass(struct worker *worker, struct zeropage *zeropage)
{
	uint64_t begin_ns = clock_now_ns();
	int status;

	if (zeropage->reserved) {
		zeropage_unmap(zeropage);
		zeropage_record(worker, ZEROPAGE_CLASS_FREE, begin_ns);
	}
	status = zeropage_map(worker, zeropage);
	if (status == 0)
		span_begin(&zeropage->span, zeropage_tally(worker, ZEROPAGE_CLASS_FAULT));
	return status;
}

static void zeropage_touch(struct zeropage *zeropage, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++) {
		sum += __atomic_load_n((uint64_t *)(void *)zeropage->next, __ATOMIC_RELAXED);
		zeropage->next += zeropage->params->step_bytes;
	}
	zeropage->sum += sum;
	zeropage->left -= n;
}

static void zeropage_batch(struct worker *worker, struct zeropage *zeropage)
{
	struct tally *tally = zeropage_tally(worker, ZEROPAGE_CLASS_FAULT);
	uint64_t n = zeropage->left, begin_ns, spent_ns;
	uint32_t active = recorder_enter(worker->recorder);

	if (n > zeropage->params->batch)
		n = zeropage->params->batch;
	span_move(&zeropage->span, tally);
	begin_ns = clock_now_ns();
	zeropage_touch(zeropage, n);
	spent_ns = clock_now_ns() - begin_ns;
	recorder_add_n(worker->recorder, worker->phase, active, ZEROPAGE_CLASS_FAULT,
		       (spent_ns + n / 2) / n, n);
	tally->busy_ns += spent_ns;
	tally_count(tally, n, 0);
	tally->batches++;
	if (zeropage->left == 0)
		span_end(&zeropage->span);
}

static int zeropage_step(struct worker *worker)
{
	struct zeropage *zeropage = worker->private_data;

	if (zeropage->left == 0)
		return zeropage_next_pass(worker, zeropage);
	do
		zeropage_batch(worker, zeropage);
	while (zeropage->left > 0 && worker_goes_on(worker));
	return 0;
}

static void zeropage_teardown(struct worker *worker)
{
	struct zeropage *zeropage = worker->private_data;

	span_end(&zeropage->span);
	zeropage_unmap(zeropage);
	if (zeropage->fd >= 0)
		close(zeropage->fd);
	free(zeropage);
	worker->private_data = NULL;
}

/* Seconds that one worker needs to read all of its memory once; NAN where it read none. */
static double pass_s(const struct workload_setup *setup, const struct recorder *worker)
{
	struct tally sum = recorders_sum(worker, 1, ZEROPAGE_CLASS_FAULT);

	if (sum.ops == 0)
		return NAN;
	return (double)sum.busy_ns / 1e9 / (double)sum.ops *
	       (double)zeropage_touches(setup->params);
}

static double derive_per_sec(const struct workload_setup *setup, const struct result_stream *stream,
			     const struct recorder *workers)
{
	double per_sec = 0;

	for (unsigned i = 0; i < setup->workers; i++) {
		struct tally sum = recorders_sum(&workers[i], 1, ZEROPAGE_CLASS_FAULT);

		if (sum.busy_ns)
			per_sec += (double)sum.minor_faults / ((double)sum.busy_ns / 1e9);
	}
	return per_sec > 0 ? per_sec : NAN;
}

static double derive_runtime(const struct workload_setup *setup, const struct result_stream *stream,
			     const struct recorder *workers)
{
	double sum = 0;

	for (unsigned i = 0; i < setup->workers; i++)
		sum += pass_s(setup, &workers[i]);
	return sum / setup->workers;
}

static double derive_spread(const struct workload_setup *setup, const struct result_stream *stream,
			    const struct recorder *workers)
{
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < setup->workers; i++) {
		double one = pass_s(setup, &workers[i]);

		least = fmin(least, one);
		most = fmax(most, one);
	}
	return 100 * (most - least) / derive_runtime(setup, stream, workers);
}

/* usemem's: an eighth of the bytes for allocating and 8 for each touch, per process and summed. */
static double derive_usemem(const struct workload_setup *setup, const struct result_stream *stream,
			    const struct recorder *workers)
{
	const struct zeropage_params *params = setup->params;
	double bytes = (double)params->size_bytes / 8 + 8.0 * (double)zeropage_touches(params);
	double sum = 0;

	for (unsigned i = 0; i < setup->workers; i++)
		sum += bytes / 1024 / pass_s(setup, &workers[i]);
	return sum;
}

static const struct derived zeropage_derived[] = {
	{"faults_per_sec", "faults/s",
	 "minor faults per second of touching, summed over the workers", true, derive_per_sec},
	{"runtime_s", "s", "time that a worker takes to read all of its memory once, mean", false,
	 derive_runtime},
	{"runtime_spread", "%", "slowest less fastest worker, of the mean", false, derive_spread},
	{"usemem_kbps", "KB/s",
	 "vm-scalability's rate: (an eighth of size + 8 bytes a touch) over runtime, summed", true,
	 derive_usemem},
	{.name = NULL}};

static const char *const zeropage_counters[] = {"pgfault", "thp_zero_page_*", "thp_fault_alloc",
						NULL};

const struct workload_ops workload_zeropage = {
	.entry = {.name = "zeropage",
		  .summary = "reads of private memory that was never written: the huge zero page",
		  .fields = zeropage_fields,
		  .params_size = sizeof(struct zeropage_params)},
	.classes = zeropage_classes,
	.derived = zeropage_derived,
	.counters = zeropage_counters,
	.probe = zeropage_probe,
	.setup = zeropage_setup,
	.step = zeropage_step,
	.teardown = zeropage_teardown};
