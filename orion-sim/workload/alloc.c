/* SPDX-License-Identifier: MIT */
/* alloc.c - pages taken from the kernel and given back, by user space and by the kernel. */
#include "workload/alloc.h"

#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "memory/memory.h"
#include "memory/thp.h"
#include "stats/result.h"
#include "workload/pagebench.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define CYCLES_MAX 64 /* of a step */
/* Whoever waits for the phase to end looks up this often, though it is woken. */
#define LOOK_UP_NS 100000000

static const char *const mode_names[] = {"user", "kernel", NULL};
static const char *const page_names[] = {"base", "huge", NULL};

static const struct field alloc_fields[] = {
	FIELD_CHOICE(
		"mode", struct alloc_params, mode, "user", mode_names,
		"user: populate and MADV_DONTNEED; kernel: threads of the kernel, one on each CPU, "
		"allocate a base page and free it (orion_pagebench)"),
	FIELD_CHOICE("page", struct alloc_params, page, "base", page_names,
		     "base pages (order 0), or huge pages of the size of a PMD (2M)"),
	FIELD_COUNT("pages", struct alloc_params, pages, "64", 1, 1 << 20,
		    "pages taken at once and given back at once; timed together (mode user)"),
	FIELD_COUNT("cpus", struct alloc_params, cpus, "0", 0, 4096,
		    "mode kernel: on the first so many CPUs that are online; 0: on all"),
	FIELD_TEXT("debugfs", struct alloc_params, debugfs, "/sys/kernel/debug/orion_pagebench",
		   "mode kernel: the folder of orion_pagebench"),
	FIELD_END};

static const struct op_class alloc_classes[] = {
	[ALLOC_CLASS_ALLOC] = {.name = "alloc", .unit = "page", .timed_in_batches = true},
	[ALLOC_CLASS_RELEASE] = {.name = "release", .unit = "page", .timed_in_batches = true},
	{.name = NULL}};

/* One worker's state. */
struct alloc {
	const struct alloc_params *params;
	struct mapping mapping;
	uint64_t page_bytes;
	bool by_stores;		     /* this kernel has no MADV_POPULATE_WRITE */
	struct pagebench *pagebench; /* mode kernel only, and owned; then the rest is unused */
};

static uint64_t alloc_page_bytes(const struct alloc_params *params)
{
	uint64_t pmd_bytes = params->page == ALLOC_HUGE ? thp_pmd_bytes("") : 0;

	return pmd_bytes ? pmd_bytes : (uint64_t)sysconf(_SC_PAGESIZE);
}

static int alloc_probe_kernel(const struct workload_setup *setup, struct error *error)
{
	const struct alloc_params *params = setup->params;

	if (setup->workers != 1)
		return error_set(error, ERROR_INPUT,
				 "mode kernel is driven by one worker, not %u: how many CPUs work "
				 "is told by 'cpus'",
				 setup->workers);
	if (params->page != ALLOC_BASE)
		return error_set(error, ERROR_INPUT,
				 "mode kernel allocates base pages, not page '%s'",
				 page_names[params->page]);
	return pagebench_probe(params->debugfs, error);
}

static int alloc_probe(const struct workload_setup *setup, struct error *error)
{
	const struct alloc_params *params = setup->params;

	if (params->mode == ALLOC_KERNEL)
		return alloc_probe_kernel(setup, error);
	if (params->page == ALLOC_HUGE && thp_anon_pmd_state("", error) != THP_ON)
		return ERROR_CANNOT;
	return 0;
}

static void alloc_store(const struct alloc *alloc)
{
	char *page = alloc->mapping.address;

	for (uint64_t i = 0; i < alloc->params->pages; i++, page += alloc->page_bytes)
		__atomic_store_n(page, 1, __ATOMIC_RELAXED);
}

static int alloc_populate(const struct alloc *alloc)
{
	if (alloc->by_stores) {
		alloc_store(alloc);
		return 0;
	}
	return madvise(alloc->mapping.address, alloc->mapping.bytes, MADV_POPULATE_WRITE) ? -errno
											  : 0;
}

static int alloc_release(const struct alloc *alloc)
{
	return madvise(alloc->mapping.address, alloc->mapping.bytes, MADV_DONTNEED) ? -errno : 0;
}

/* A first cycle of its own: page tables are there afterwards, and stay. */
static int alloc_open(struct alloc *alloc, struct error *error)
{
	int status = memory_map_aligned(-1, MAP_PRIVATE | MAP_ANONYMOUS,
					alloc->params->pages * alloc->page_bytes, alloc->page_bytes,
					0, &alloc->mapping, error);

	if (status == 0)
		status = memory_advise(&alloc->mapping, alloc->params->page == ALLOC_HUGE, error);
	if (status < 0)
		return status;
	status = alloc_populate(alloc);
	if (status == -EINVAL) {
		alloc->by_stores = true;
		status = alloc_populate(alloc);
	}
	if (status == 0)
		status = alloc_release(alloc);
	return status < 0 ? error_set(error, status, "pages cannot be populated: %s",
				      strerror(-status))
			  : 0;
}

static int alloc_open_kernel(struct alloc *alloc, struct error *error)
{
	struct pagebench *pagebench = calloc(1, sizeof(*pagebench));
	int status;

	if (!pagebench)
		return error_set(error, -ENOMEM, "no memory for a worker");
	status = pagebench_open(pagebench, alloc->params->debugfs, error);
	if (status < 0)
		free(pagebench);
	else
		alloc->pagebench = pagebench;
	return status;
}

static int alloc_setup(struct worker *worker, struct error *error)
{
	struct alloc *alloc = calloc(1, sizeof(*alloc));
	int status;

	if (!alloc)
		return error_set(error, -ENOMEM, "no memory for a worker");
	alloc->params = worker->setup->params;
	alloc->page_bytes = alloc_page_bytes(alloc->params);
	worker->private_data = alloc;
	if (alloc->params->mode == ALLOC_KERNEL)
		status = alloc_open_kernel(alloc, error);
	else
		status = alloc_open(alloc, error);
	if (status < 0) {
		worker->ops->teardown(worker);
		return status;
	}
	if (alloc->pagebench) {
		snprintf(worker->recorder->traits, sizeof(worker->recorder->traits),
			 "orion_pagebench");
		return 0;
	}
	snprintf(worker->recorder->traits, sizeof(worker->recorder->traits), "%s%s",
		 alloc->by_stores ? "populated by stores" : "MADV_POPULATE_WRITE",
		 clock_has_tsc() ? "" : "; this CPU has no time stamp counter: no cycles");
	return 0;
}

/* One call on all pages, by the clock and by the time stamp counter. */
static int alloc_timed(struct worker *worker, const struct alloc *alloc, enum alloc_class op_class,
		       int (*call)(const struct alloc *))
{
	struct recorder *recorder = worker->recorder;
	struct tally *tally = &recorder->classes[op_class].tally[worker->phase];
	uint64_t n = alloc->params->pages, begin_ns, spent_ns, begin_tsc, spent_tsc;
	uint32_t active = recorder_enter(recorder);
	int status;

	begin_ns = clock_now_ns();
	begin_tsc = clock_tsc();
	status = call(alloc);
	spent_tsc = clock_tsc() - begin_tsc;
	spent_ns = clock_now_ns() - begin_ns;
	if (__builtin_expect(status < 0, 0)) {
		worker_fail(worker, status, "%llu pages cannot be %s: %s", (unsigned long long)n,
			    op_class == ALLOC_CLASS_ALLOC ? "populated" : "given back",
			    strerror(-status));
		return status;
	}
	recorder_add_n(recorder, worker->phase, active, op_class, (spent_ns + n / 2) / n, n);
	tally->busy_ns += spent_ns;
	tally->tsc_cycles += spent_tsc;
	tally_count(tally, n, 0);
	tally->batches++;
	return 0;
}

/* So that the mean is exact, what is left of the division falls to as many pages, one ns each. */
static void alloc_record_cpu(struct worker *worker, const struct pagebench *pagebench,
			     const struct pagebench_cpu *cpu, uint32_t active)
{
	struct recorder *recorder = worker->recorder;
	struct tally *tally = &recorder->classes[ALLOC_CLASS_ALLOC].tally[worker->phase];
	uint64_t spent_ns =
		(uint64_t)((double)cpu->cycles * 1e6 / (double)pagebench->tsc_khz + 0.5);
	uint64_t each_ns, more;

	tally->errors += cpu->failures;
	if (cpu->pairs == 0)
		return;
	each_ns = spent_ns / cpu->pairs;
	more = spent_ns % cpu->pairs;
	if (more)
		recorder_add_n(recorder, worker->phase, active, ALLOC_CLASS_ALLOC, each_ns + 1,
			       more);
	recorder_add_n(recorder, worker->phase, active, ALLOC_CLASS_ALLOC, each_ns,
		       cpu->pairs - more);
	tally->busy_ns += spent_ns;
	tally->tsc_cycles += cpu->cycles;
	tally_count(tally, cpu->pairs, 0);
	tally->batches++;
}

/* Asleep: the CPU is the kernel's meanwhile. */
static void alloc_await_phase(const struct worker *worker)
{
	const struct timespec patience = {.tv_nsec = LOOK_UP_NS};

	while (worker_goes_on(worker))
		syscall(SYS_futex, worker->crew_phase, FUTEX_WAIT, (uint32_t)worker->phase,
			&patience, NULL, 0);
}

/* The rest of the phase: the kernel's threads work, and this one sleeps. */
static int alloc_step_kernel(struct worker *worker, struct pagebench *pagebench)
{
	const struct alloc_params *params = worker->setup->params;
	struct error error = {0};
	uint32_t active;
	int status = pagebench_start(pagebench, params->cpus, &error);

	if (status == 0) {
		alloc_await_phase(worker);
		status = pagebench_stop(pagebench, &error);
	}
	if (status < 0) {
		worker_fail(worker, status, "%s", error.text);
		return status;
	}
	active = recorder_enter(worker->recorder);
	for (unsigned i = 0; i < pagebench->n_cpus; i++)
		alloc_record_cpu(worker, pagebench, &pagebench->cpus[i], active);
	return 0;
}

static int alloc_step(struct worker *worker)
{
	const struct alloc *alloc = worker->private_data;
	unsigned cycles = CYCLES_MAX;
	int status;

	if (alloc->pagebench)
		return alloc_step_kernel(worker, alloc->pagebench);
	do {
		status = alloc_timed(worker, alloc, ALLOC_CLASS_ALLOC, alloc_populate);
		if (status == 0)
			status = alloc_timed(worker, alloc, ALLOC_CLASS_RELEASE, alloc_release);
	} while (status == 0 && --cycles > 0 && worker_goes_on(worker));
	return status;
}

static void alloc_teardown(struct worker *worker)
{
	struct alloc *alloc = worker->private_data;

	if (alloc->pagebench)
		pagebench_close(alloc->pagebench);
	free(alloc->pagebench);
	if (alloc->mapping.reserved)
		munmap(alloc->mapping.reserved, alloc->mapping.reserved_bytes);
	free(alloc);
	worker->private_data = NULL;
}

static bool is_kernel(const struct workload_setup *setup)
{
	return ((const struct alloc_params *)setup->params)->mode == ALLOC_KERNEL;
}

/* NAN without a time stamp counter. */
static double cycles_per_page(const struct workload_setup *setup, const struct recorder *workers,
			      enum alloc_class op_class)
{
	struct tally sum = recorders_sum(workers, setup->workers, op_class);

	return sum.tsc_cycles && sum.ops ? (double)sum.tsc_cycles / (double)sum.ops : NAN;
}

static double derive_cycles(const struct workload_setup *setup, const struct result_stream *stream,
			    const struct recorder *workers)
{
	double cycles = cycles_per_page(setup, workers, ALLOC_CLASS_ALLOC);

	return is_kernel(setup) ? cycles
				: cycles + cycles_per_page(setup, workers, ALLOC_CLASS_RELEASE);
}

static double derive_alloc_cycles(const struct workload_setup *setup,
				  const struct result_stream *stream,
				  const struct recorder *workers)
{
	return is_kernel(setup) ? NAN : cycles_per_page(setup, workers, ALLOC_CLASS_ALLOC);
}

static double derive_release_cycles(const struct workload_setup *setup,
				    const struct result_stream *stream,
				    const struct recorder *workers)
{
	return cycles_per_page(setup, workers, ALLOC_CLASS_RELEASE);
}

/* A batch is one thread's part of a step: so many worked at a time. */
static double kernel_per_sec(const struct recorder *worker)
{
	struct tally sum = recorders_sum(worker, 1, ALLOC_CLASS_ALLOC);

	if (!sum.busy_ns || !worker->step_count)
		return NAN;
	return (double)sum.ops * 1e9 / (double)sum.busy_ns * (double)sum.batches /
	       (double)worker->step_count;
}

static double derive_per_sec(const struct workload_setup *setup, const struct result_stream *stream,
			     const struct recorder *workers)
{
	double per_sec = 0;

	if (is_kernel(setup))
		return kernel_per_sec(workers);
	for (unsigned i = 0; i < setup->workers; i++) {
		struct tally alloc = recorders_sum(&workers[i], 1, ALLOC_CLASS_ALLOC);
		struct tally release = recorders_sum(&workers[i], 1, ALLOC_CLASS_RELEASE);

		if (alloc.busy_ns)
			per_sec +=
				(double)alloc.ops * 1e9 / (double)(alloc.busy_ns + release.busy_ns);
	}
	return per_sec > 0 ? per_sec : NAN;
}

static double derive_tsc(const struct workload_setup *setup, const struct result_stream *stream,
			 const struct recorder *workers)
{
	struct tally sum = recorders_sum(workers, setup->workers, ALLOC_CLASS_ALLOC);

	return sum.tsc_cycles && sum.busy_ns ? (double)sum.tsc_cycles * 1e3 / (double)sum.busy_ns
					     : NAN;
}

static const struct derived alloc_derived[] = {
	{"cycles_per_page", "cycles",
	 "time stamp counter's cycles to take a page and give it back, mean over workers or CPUs",
	 false, derive_cycles},
	{"alloc_cycles", "cycles", "of these, to take and clear it", false, derive_alloc_cycles},
	{"release_cycles", "cycles", "of these, to give it back", false, derive_release_cycles},
	{"pages_per_sec", "pages/s",
	 "pages taken and given back per second of doing so, summed over the workers or the "
	 "kernel's "
	 "threads",
	 true, derive_per_sec},
	{"tsc_mhz", "MHz", "rate of the time stamp counter while pages were taken", true,
	 derive_tsc},
	{.name = NULL}};

static const char *const alloc_counters[] = {"numa_*", "pgalloc_*", "pgfree", "thp_fault_*", NULL};

const struct workload_ops workload_alloc = {
	.entry = {.name = "alloc",
		  .summary = "pages taken from the kernel and given back: populate and "
			     "MADV_DONTNEED, or "
			     "by the kernel itself",
		  .fields = alloc_fields,
		  .params_size = sizeof(struct alloc_params)},
	.classes = alloc_classes,
	.derived = alloc_derived,
	.counters = alloc_counters,
	.probe = alloc_probe,
	.setup = alloc_setup,
	.step = alloc_step,
	.teardown = alloc_teardown};
