/* SPDX-License-Identifier: MIT */
/* test_sampler.c - samples are taken from rings, counted by function, and refused with a remedy. */
#include "run/sampler.h"

#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "../memory/tree.h"
#include "base/clock.h"
#include "base/error.h"

#define HOT  UINT64_C(0xffffffff81000110)
#define WARM UINT64_C(0xffffffff81000210)
#define IDLE UINT64_C(0xffffffff81000310)
#define DATA UINT64_C(0xffffffff82000010)

static const char names[] = "ffffffff81000100 t hot\nffffffff81000200 t warm\n"
			    "ffffffff81000300 t default_idle\nffffffff82000000 D data\n";

/* A file that looks like an event with an empty ring; what was asked for is kept. */
static struct perf_event_attr asked;

static int fake_event(struct perf_event_attr *attributes, int cpu)
{
	int fd = memfd_create("event", MFD_CLOEXEC);

	asked = *attributes;
	if (fd < 0 || ftruncate(fd, 1 << 20) < 0)
		return -errno;
	return fd;
}

static int no_pmu(struct perf_event_attr *attributes, int cpu)
{
	return attributes->type == PERF_TYPE_HARDWARE ? -ENOENT : fake_event(attributes, cpu);
}

/* Two kinds of cores. */
static int pmu_of_the_first(struct perf_event_attr *attributes, int cpu)
{
	return cpu > 0 && attributes->type == PERF_TYPE_HARDWARE ? -EOPNOTSUPP
								 : fake_event(attributes, cpu);
}

static int only_the_first_online(struct perf_event_attr *attributes, int cpu)
{
	return cpu > 0 ? -ENODEV : fake_event(attributes, cpu);
}

static int refuse_access(struct perf_event_attr *attributes, int cpu)
{
	return -EACCES;
}

static int refuse_permission(struct perf_event_attr *attributes, int cpu)
{
	return -EPERM;
}

static int refuse_rate(struct perf_event_attr *attributes, int cpu)
{
	return -EINVAL;
}

static struct sampler *open_events(struct tree *tree, unsigned top,
				   int (*open_event)(struct perf_event_attr *, int))
{
	struct sampler_source source = {.open_event = open_event, .root = tree->root};
	struct sampler_setup setup = {.source = &source, .frequency_hz = 500, .top = top};
	struct sampler *sampler;
	struct error error = {0};

	tree_make(tree);
	tree_put(tree, "/proc/kallsyms", names);
	if (sampler_open(&setup, &sampler, &error) < 0)
		fail_msg("%s", error.text);
	return sampler;
}

static struct sampler *open_fake(struct tree *tree, unsigned top)
{
	return open_events(tree, top, no_pmu);
}

/* A record as the kernel lays it out, at a place in a ring that may go on at its beginning. */
static uint64_t put(unsigned char *ring, uint64_t size, uint64_t head, const void *record, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ring[(head + i) % size] = ((const unsigned char *)record)[i];
	return head + n;
}

static uint64_t put_sample(unsigned char *ring, uint64_t size, uint64_t head, uint16_t mode,
			   uint64_t address)
{
	struct {
		struct perf_event_header header;
		uint64_t address;
	} record = {{PERF_RECORD_SAMPLE, mode, sizeof(record)}, address};

	return put(ring, size, head, &record, sizeof(record));
}

static uint64_t put_lost(unsigned char *ring, uint64_t size, uint64_t head, uint64_t lost)
{
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} record = {{PERF_RECORD_LOST, 0, sizeof(record)}, 7, lost};

	return put(ring, size, head, &record, sizeof(record));
}

static void test_samples_by_function(void **state)
{
	unsigned char ring[128]; /* less than what goes through it */
	struct result_sampling found;
	struct error error = {0};
	struct tree tree;
	struct sampler *sampler = open_fake(&tree, 2);
	uint64_t tail = 8, head = 8; /* so that records are cut by the end */

	for (int i = 0; i < 20; i++) {
		uint64_t address = i < 5 ? WARM : i < 12 ? HOT : i < 18 ? IDLE : DATA;

		head = put_sample(ring, sizeof(ring), head, PERF_RECORD_MISC_KERNEL, address);
		sampler_take(sampler, ring, sizeof(ring), tail, head);
		tail = head;
	}
	head = put_sample(ring, sizeof(ring), head, PERF_RECORD_MISC_USER, HOT);
	head = put_lost(ring, sizeof(ring), head, 3);
	head = put_sample(ring, sizeof(ring), head, PERF_RECORD_MISC_GUEST_KERNEL, HOT);
	sampler_take(sampler, ring, sizeof(ring), tail, head);
	assert_int_equal(sampler_finish(sampler, &found, &error), 0);
	assert_string_equal(found.event, "cpu-clock");
	assert_int_equal(found.frequency_hz, 500);
	assert_int_equal(found.kernel, 12);
	assert_int_equal(found.idle, 6);
	assert_int_equal(found.unresolved, 2);
	assert_int_equal(found.user, 2);
	assert_int_equal(found.lost, 3);
	assert_int_equal(found.n_functions, 2);
	assert_string_equal(found.functions[0].name, "hot");
	assert_true(fabs(found.functions[0].percent - 43.75) < 0.001); /* 7 of 16 */
	assert_string_equal(found.functions[1].name, "warm");
	assert_true(fabs(found.functions[1].percent - 31.25) < 0.001);
	free(found.functions);
	/* The next repeat begins with nothing. */
	assert_int_equal(sampler_finish(sampler, &found, &error), 0);
	assert_int_equal(found.kernel + found.idle + found.user + found.lost + found.unresolved, 0);
	assert_int_equal(found.n_functions, 0);
	free(found.functions);
	sampler_close(sampler);
	tree_remove(&tree);
}

static void test_a_ring_that_is_out_of_its_mind(void **state)
{
	unsigned char ring[64];
	struct result_sampling found;
	struct error error = {0};
	struct tree tree;
	struct sampler *sampler = open_fake(&tree, 2);

	memset(ring, 0, sizeof(ring));
	sampler_take(sampler, ring, sizeof(ring), 0, sizeof(ring));
	memset(ring, 255, sizeof(ring));
	sampler_take(sampler, ring, sizeof(ring), 0, sizeof(ring));
	assert_int_equal(sampler_finish(sampler, &found, &error), 0);
	assert_int_equal(found.kernel + found.user + found.lost, 0);
	free(found.functions);
	sampler_close(sampler);
	tree_remove(&tree);
}

static void test_what_is_asked_for(void **state)
{
	struct tree tree;
	struct sampler *sampler = open_fake(&tree, 2);

	assert_int_equal(asked.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(asked.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_int_equal(asked.sample_freq, 500);
	assert_true(asked.freq);
	assert_true(asked.disabled);
	assert_int_equal(asked.sample_type, PERF_SAMPLE_IP);
	sampler_start(sampler); /* on a file that is no event: of no effect */
	sampler_drain(sampler);
	sampler_stop(sampler);
	sampler_close(sampler);
	tree_remove(&tree);
}

static void assert_event(int (*open_event)(struct perf_event_attr *, int), const char *name)
{
	struct result_sampling found;
	struct error error = {0};
	struct tree tree;
	struct sampler *sampler = open_events(&tree, 2, open_event);

	assert_int_equal(sampler_finish(sampler, &found, &error), 0);
	assert_string_equal(found.event, name);
	free(found.functions);
	sampler_close(sampler);
	tree_remove(&tree);
}

static void test_one_event_for_all_cpus(void **state)
{
	assert_event(fake_event, "cycles");
	assert_event(no_pmu, "cpu-clock");
	assert_event(only_the_first_online, "cycles");
	assert_event(pmu_of_the_first, sysconf(_SC_NPROCESSORS_CONF) > 1 ? "cpu-clock" : "cycles");
}

static void assert_refused(int (*open_event)(struct perf_event_attr *, int), const char *remedy)
{
	struct sampler_source source = {.open_event = open_event, .root = ""};
	struct sampler_setup setup = {.source = &source, .frequency_hz = 500, .top = 2};
	struct sampler *sampler = NULL;
	struct error error = {0};

	assert_int_equal(sampler_open(&setup, &sampler, &error), ERROR_CANNOT);
	if (!strstr(error.text, remedy))
		fail_msg("%s", error.text);
	assert_null(sampler);
}

static void test_refusals_name_the_remedy(void **state)
{
	assert_refused(refuse_access, "sysctl kernel.perf_event_paranoid=0");
	assert_refused(refuse_permission, "seccomp");
	assert_refused(refuse_rate, "kernel.perf_event_max_sample_rate");
}

static void test_hidden_names_refuse(void **state)
{
	struct tree tree;
	struct sampler_source source = {.open_event = no_pmu, .root = tree.root};
	struct sampler_setup setup = {.source = &source, .frequency_hz = 500, .top = 2};
	struct sampler *sampler = NULL;
	struct error error = {0};

	tree_make(&tree);
	tree_put(&tree, "/proc/kallsyms", "0000000000000000 t hot\n");
	assert_int_equal(sampler_open(&setup, &sampler, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "kernel.kptr_restrict"));
	tree_remove(&tree);
}

/* A tenth of a second in the kernel leaves a trace. */
static void test_this_kernel_at_work(void **state)
{
	struct sampler_setup setup = {.source = &sampler_kernel, .frequency_hz = 999, .top = 5};
	struct result_sampling found;
	struct sampler *sampler;
	struct error error = {0};
	uint64_t until_ns;

	if (sampler_open(&setup, &sampler, &error) < 0) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	sampler_start(sampler);
	until_ns = clock_now_ns() + UINT64_C(300000000);
	while (clock_now_ns() < until_ns)
		syscall(SYS_getppid);
	sampler_stop(sampler);
	assert_int_equal(sampler_finish(sampler, &found, &error), 0);
	assert_true(found.kernel + found.user >= 50);
	assert_true(found.n_functions > 0);
	assert_true(found.functions[0].percent > 0 && found.functions[0].percent <= 100);
	free(found.functions);
	sampler_close(sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_by_function),
		cmocka_unit_test(test_a_ring_that_is_out_of_its_mind),
		cmocka_unit_test(test_what_is_asked_for),
		cmocka_unit_test(test_one_event_for_all_cpus),
		cmocka_unit_test(test_refusals_name_the_remedy),
		cmocka_unit_test(test_hidden_names_refuse),
		cmocka_unit_test(test_this_kernel_at_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
