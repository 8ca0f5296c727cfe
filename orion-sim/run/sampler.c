/* SPDX-License-Identifier: MIT */
/* sampler.c - hot kernel functions: where all CPUs are found at, many times a second. */
#include "run/sampler.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/sysfile.h"
#include "run/kallsyms.h"

/* 8192 samples of 16 bytes: what 10 kHz yield in 0.8 s. Without privilege, the kernel locks that
 * much for each CPU (kernel.perf_event_mlock_kb). */
#define RING_BYTES ((size_t)128 << 10)

#define PARANOID_PATH "/proc/sys/kernel/perf_event_paranoid"

struct ring {
	int fd;
	struct perf_event_mmap_page *page; /* followed by RING_BYTES of records */
};

struct sampler {
	struct sampler_setup setup;
	const char *event;
	struct kallsyms kallsyms;
	bool *idle;	  /* owned: of each symbol */
	uint64_t *counts; /* owned: samples of each symbol */
	uint64_t unresolved, user, lost;
	unsigned n_rings;
	struct ring *rings; /* owned */
};

/* What can be sampled, the best first. */
struct sampler_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct sampler_event events[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
};

#define EVENTS (sizeof(events) / sizeof(*events))

static int kernel_open_event(struct perf_event_attr *attributes, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

const struct sampler_source sampler_kernel = {.open_event = kernel_open_event, .root = ""};

static int event_open(const struct sampler_setup *setup, const struct sampler_event *event, int cpu)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes),
					     .type = event->type,
					     .config = event->config,
					     .disabled = 1,
					     .freq = 1,
					     .sample_freq = setup->frequency_hz,
					     .sample_type = PERF_SAMPLE_IP,
					     /* Nobody waits for the ring: it is looked at. */
					     .watermark = 1,
					     .wakeup_watermark = RING_BYTES};

	return setup->source->open_event(&attributes, cpu);
}

static int sampler_refusal(int code, struct error *error)
{
	char paranoid[32] = "not there";

	sysfile_read(PARANOID_PATH, paranoid, sizeof(paranoid), NULL);
	switch (-code) {
	case EACCES:
		return error_set(error, ERROR_CANNOT,
				 "sampling what the CPUs do is not allowed to this user "
				 "(perf_event_open: %s; kernel.perf_event_paranoid is %s): run as "
				 "root, or as root: sysctl kernel.perf_event_paranoid=0",
				 strerror(-code), paranoid);
	case EPERM:
	case ENOSYS:
		return error_set(error, ERROR_CANNOT,
				 "sampling what the CPUs do is not allowed (perf_event_open: %s), "
				 "most likely by a container's seccomp profile: let it have "
				 "perf_event_open and CAP_PERFMON",
				 strerror(-code));
	case EINVAL:
		return error_set(error, ERROR_CANNOT,
				 "the kernel does not sample as often as that (perf_event_open: "
				 "%s): see kernel.perf_event_max_sample_rate",
				 strerror(-code));
	default:
		return error_set(error, ERROR_CANNOT,
				 "what the CPUs do cannot be sampled (perf_event_open: %s)",
				 strerror(-code));
	}
}

/* No such event here, rather than not permitted or not possible at all. */
static bool is_absent(int code)
{
	return code == -ENOENT || code == -ENODEV || code == -EOPNOTSUPP;
}

/* The first event that a CPU has. */
static int event_choose(const struct sampler_setup *setup, int cpu,
			const struct sampler_event **ret, struct error *error)
{
	int fd = -ENOENT;

	for (size_t i = 0; i < EVENTS; i++) {
		fd = event_open(setup, &events[i], cpu);
		*ret = &events[i];
		if (fd >= 0 || !is_absent(fd))
			break;
	}
	if (fd < 0)
		return sampler_refusal(fd, error);
	close(fd);
	return 0;
}

/* -ENODEV, of a CPU that is not online, and -ENOENT come without a sentence. */
static int ring_open(const struct sampler_setup *setup, const struct sampler_event *event, int cpu,
		     struct ring *ret, struct error *error)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES;
	int fd = event_open(setup, event, cpu);
	void *page;

	if (fd == -ENODEV)
		return fd;
	if (fd < 0)
		return is_absent(fd) ? -ENOENT : sampler_refusal(fd, error);
	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		int code = errno;

		close(fd);
		return error_set(error, ERROR_CANNOT,
				 "the kernel gives no ring for the samples of CPU %d (mmap: %s): "
				 "as root: sysctl kernel.perf_event_mlock_kb=1024",
				 cpu, strerror(code));
	}
	*ret = (struct ring){.fd = fd, .page = page};
	return 0;
}

static void sampler_close_rings(struct sampler *sampler)
{
	while (sampler->n_rings > 0) {
		const struct ring *ring = &sampler->rings[--sampler->n_rings];

		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES);
		close(ring->fd);
	}
}

/* -ENOENT where some CPU that is online has no such event: one kind of core has, another has not.
 */
static int sampler_open_event(struct sampler *sampler, const struct sampler_event *event,
			      int n_cpus, struct error *error)
{
	for (int cpu = 0; cpu < n_cpus; cpu++) {
		int status = ring_open(&sampler->setup, event, cpu,
				       &sampler->rings[sampler->n_rings], error);

		if (status == -ENODEV)
			continue;
		if (status < 0) {
			sampler_close_rings(sampler);
			return status;
		}
		sampler->n_rings++;
	}
	sampler->event = event->name;
	return sampler->n_rings ? 0 : -ENOENT;
}

static int sampler_open_rings(struct sampler *sampler, struct error *error)
{
	long conf = sysconf(_SC_NPROCESSORS_CONF);
	int n_cpus = conf > 0 ? (int)conf : 1;
	int status = limits_raise_files((uint64_t)n_cpus + 64, "sampling each CPU", error);

	if (status < 0)
		return status;
	sampler->rings = calloc((size_t)n_cpus, sizeof(*sampler->rings));
	if (!sampler->rings)
		return error_set(error, -ENOMEM, "no memory for the rings of %d CPUs", n_cpus);
	status = -ENOENT;
	for (size_t i = 0; i < EVENTS && status == -ENOENT; i++)
		status = sampler_open_event(sampler, &events[i], n_cpus, error);
	return status == -ENOENT ? sampler_refusal(status, error) : status;
}

static int sampler_open_names(struct sampler *sampler, struct error *error)
{
	int status = kallsyms_read(sampler->setup.source->root, &sampler->kallsyms, error);
	unsigned n = sampler->kallsyms.n;

	if (status < 0)
		return status;
	sampler->counts = calloc(n, sizeof(*sampler->counts));
	sampler->idle = calloc(n, sizeof(*sampler->idle));
	if (!sampler->counts || !sampler->idle)
		return error_set(error, -ENOMEM, "no memory for %u kernel functions", n);
	for (unsigned i = 0; i < n; i++)
		sampler->idle[i] = kallsyms_is_idle(kallsyms_name(&sampler->kallsyms, (int)i));
	return 0;
}

int sampler_open(const struct sampler_setup *setup, struct sampler **ret, struct error *error)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	int status;

	if (!sampler)
		return error_set(error, -ENOMEM, "no memory for samples");
	sampler->setup = *setup;
	status = sampler_open_rings(sampler, error);
	if (status == 0)
		status = sampler_open_names(sampler, error);
	if (status < 0) {
		sampler_close(sampler);
		return status;
	}
	*ret = sampler;
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	sampler_close_rings(sampler);
	kallsyms_free(&sampler->kallsyms);
	free(sampler->rings);
	free(sampler->counts);
	free(sampler->idle);
	free(sampler);
}

void sampler_start(const struct sampler *sampler)
{
	for (unsigned i = 0; i < sampler->n_rings; i++)
		ioctl(sampler->rings[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void sampler_stop(const struct sampler *sampler)
{
	for (unsigned i = 0; i < sampler->n_rings; i++)
		ioctl(sampler->rings[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void sampler_count(struct sampler *sampler, uint16_t misc, uint64_t address)
{
	int index;

	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		index = kallsyms_find(&sampler->kallsyms, address);
		if (index < 0)
			sampler->unresolved++;
		else
			sampler->counts[index]++;
		break;
	default: /* a guest is user space to this kernel */
		sampler->user++;
	}
}

/* Bytes of a ring may go on at its beginning. */
static void ring_copy(const unsigned char *ring, uint64_t size, uint64_t from, void *into, size_t n)
{
	unsigned char *bytes = into;

	for (size_t i = 0; i < n; i++)
		bytes[i] = ring[(from + i) & (size - 1)];
}

void sampler_take(struct sampler *sampler, const unsigned char *ring, uint64_t size, uint64_t tail,
		  uint64_t head)
{
	while (tail < head) {
		struct perf_event_header header;
		uint64_t words[2] = {0};

		ring_copy(ring, size, tail, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			return; /* no record of ours */
		if (header.size >= sizeof(header) + sizeof(words[0]))
			ring_copy(ring, size, tail + sizeof(header), words,
				  header.size < sizeof(header) + sizeof(words) ? sizeof(words[0])
									       : sizeof(words));
		if (header.type == PERF_RECORD_SAMPLE)
			sampler_count(sampler, header.misc, words[0]);
		else if (header.type == PERF_RECORD_LOST)
			sampler->lost += words[1]; /* behind the event's id */
		tail += header.size;
	}
}

void sampler_drain(struct sampler *sampler)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < sampler->n_rings; i++) {
		struct perf_event_mmap_page *page = sampler->rings[i].page;
		uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

		sampler_take(sampler, (unsigned char *)page + page_bytes, RING_BYTES,
			     page->data_tail, head);
		__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	}
}

/* The function with most samples that is not idle and is not named yet. */
static int hottest_index(const struct sampler *sampler, const bool *named)
{
	int hottest = -1;

	for (unsigned i = 0; i < sampler->kallsyms.n; i++)
		if (sampler->counts[i] && !sampler->idle[i] && !named[i] &&
		    (hottest < 0 || sampler->counts[i] > sampler->counts[hottest]))
			hottest = (int)i;
	return hottest;
}

static int sampler_name_hottest(const struct sampler *sampler, struct result_sampling *ret)
{
	double busy = (double)(ret->kernel + ret->unresolved + ret->user);
	bool *named = calloc(sampler->kallsyms.n, sizeof(*named));
	int index;

	ret->functions = calloc(sampler->setup.top + 1, sizeof(*ret->functions));
	if (!named || !ret->functions) {
		free(named);
		return -ENOMEM;
	}
	while (ret->n_functions < sampler->setup.top &&
	       (index = hottest_index(sampler, named)) >= 0) {
		struct result_function *function = &ret->functions[ret->n_functions++];

		named[index] = true;
		snprintf(function->name, sizeof(function->name), "%s",
			 kallsyms_name(&sampler->kallsyms, index));
		function->percent = round(1e4 * (double)sampler->counts[index] / busy) / 100;
	}
	free(named);
	return 0;
}

int sampler_finish(struct sampler *sampler, struct result_sampling *ret, struct error *error)
{
	struct result_sampling sampling = {.frequency_hz = sampler->setup.frequency_hz};
	int status;

	sampler_stop(sampler); /* where the runner could not */
	sampler_drain(sampler);
	snprintf(sampling.event, sizeof(sampling.event), "%s", sampler->event);
	sampling.unresolved = sampler->unresolved;
	sampling.user = sampler->user;
	sampling.lost = sampler->lost;
	for (unsigned i = 0; i < sampler->kallsyms.n; i++)
		*(sampler->idle[i] ? &sampling.idle : &sampling.kernel) += sampler->counts[i];
	status = sampler_name_hottest(sampler, &sampling);
	memset(sampler->counts, 0, sampler->kallsyms.n * sizeof(*sampler->counts));
	sampler->unresolved = sampler->user = sampler->lost = 0;
	if (status < 0)
		return error_set(error, status, "no memory for hot functions");
	*ret = sampling;
	return 0;
}

int sampler_probe(const char **ret_event, struct error *error)
{
	const struct sampler_setup setup = {.source = &sampler_kernel, .frequency_hz = 99};
	const struct sampler_event *event = NULL;
	struct kallsyms kallsyms;
	int status = event_choose(&setup, 0, &event, error);

	if (status == 0)
		status = kallsyms_read("", &kallsyms, error);
	if (status < 0)
		return status;
	kallsyms_free(&kallsyms);
	*ret_event = event->name;
	return 0;
}
