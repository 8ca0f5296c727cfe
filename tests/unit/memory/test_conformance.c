/* SPDX-License-Identifier: MIT */
/* test_conformance.c - what every memory kind keeps to, with every way it can be asked for. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lend.h"
#include "memory/kinds.h"

#define SIZE_BYTES (16ull << 20)

static const char *const kinds[] = {
	"\"base\"",
	"{\"kind\": \"mthp\", \"folio\": \"16k\"}",
	"{\"kind\": \"mthp\"}",
	"{\"kind\": \"mthp\", \"folio\": \"2m\"}",
	"{\"kind\": \"hugetlb\"}",
	"{\"kind\": \"hugetlb\", \"api\": \"mmap\"}",
	"{\"kind\": \"hugetlb\", \"api\": \"memfd\"}",
	"{\"kind\": \"hugetlb\", \"page\": \"1g\"}",
	"{\"kind\": \"thp\"}",
	"{\"kind\": \"thp\", \"via\": \"file\"}",
	"{\"kind\": \"private\"}",
	"{\"kind\": \"private\", \"thp\": \"advise\"}",
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct kind {
	struct choice choice;
	struct region region; /* open */
	uint64_t page_bytes;
	struct pool pool; /* before */
	int segments;
};

static int count_segments(void)
{
	struct shm_info info;

	return shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info) < 0 ? -1 : info.used_ids;
}

/* Null, the reason printed, where the machine cannot. */
static struct kind *kind_open(const char *json, uint64_t size_bytes)
{
	struct kind *kind = calloc(1, sizeof(*kind));
	struct error error = {0};
	int ret;

	assert_non_null(kind);
	kind->choice = lend_choice(json);
	kind->region = lend_region(&kind->choice, size_bytes);
	kind->page_bytes = kind->region.ops->page_bytes(kind->choice.params);
	kind->segments = count_segments();
	pool_read("", POOL_ALL_NODES, LEND_PAGE_BYTES, &kind->pool, NULL);
	ret = region_open(&kind->region, &error);
	if (!ret)
		return kind;
	assert_int_equal(ret, ERROR_CANNOT);
	print_message("skipped, because %s\n", error.text);
	choice_free(&kind->choice);
	free(kind);
	return NULL;
}

static void kind_close(struct kind *kind)
{
	region_close(&kind->region);
	choice_free(&kind->choice);
	free(kind);
}

#define OPEN_OR_SKIP(kind, json, size)                                                             \
	struct kind *kind = kind_open(json, size);                                                 \
	if (!kind)                                                                                 \
	skip()

static void test_address_is_aligned_and_size_whole(void **state)
{
	OPEN_OR_SKIP(kind, *state, SIZE_BYTES - 12345);
	const struct mapping *mapping = &kind->region.mapping;

	assert_int_equal((uintptr_t)mapping->address % kind->page_bytes, 0);
	assert_int_equal(mapping->bytes, memory_round_up(SIZE_BYTES - 12345, kind->page_bytes));
	kind_close(kind);
}

static void test_memory_is_zero_and_keeps_what_is_written(void **state)
{
	OPEN_OR_SKIP(kind, *state, SIZE_BYTES);
	uint64_t *words = kind->region.mapping.address;
	size_t n = kind->region.mapping.bytes / sizeof(*words);

	for (size_t i = 0; i < n; i += 512)
		assert_int_equal(words[i], 0);
	for (size_t i = 0; i < n; i += 512)
		words[i] = i + 1;
	for (size_t i = 0; i < n; i += 512)
		assert_int_equal(words[i], i + 1);
	kind_close(kind);
}

/* Private memory is the child's own from its first write on. */
static void test_child_and_parent_share_it(void **state)
{
	OPEN_OR_SKIP(kind, *state, SIZE_BYTES);
	volatile char *first = kind->region.mapping.address;
	volatile char *last = first + kind->region.mapping.bytes - 1;
	int status;
	pid_t child = fork();

	if (!child) {
		*first = 'a';
		*last = 'z';
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(*first, kind->region.ops->is_private ? 0 : 'a');
	assert_int_equal(*last, kind->region.ops->is_private ? 0 : 'z');
	kind_close(kind);
}

static void test_no_fault_is_left_to_take(void **state)
{
	OPEN_OR_SKIP(kind, *state, SIZE_BYTES);
	volatile char *bytes = kind->region.mapping.address;
	struct rusage before, after;

#ifdef __SANITIZE_THREAD__
	kind_close(kind);
	print_message("skipped: the thread sanitizer takes faults of its own for every store\n");
	skip();
#endif
	getrusage(RUSAGE_THREAD, &before);
	for (uint64_t i = 0; i < kind->region.mapping.bytes; i += 4096)
		bytes[i] = 1;
	getrusage(RUSAGE_THREAD, &after);
	assert_in_range(after.ru_minflt - before.ru_minflt, 0, 4);
	kind_close(kind);
}

static void test_audit_proves_what_was_asked(void **state)
{
	OPEN_OR_SKIP(kind, *state, SIZE_BYTES);
	struct memory_audit audit;
	struct error error = {0};
	char detail[160];

	if (region_audit(&kind->region, &audit, &error) ||
	    region_check(&kind->region, &audit, 99, &error))
		fail_msg("%s", error.text);
	assert_int_equal(audit.page_bytes, kind->page_bytes);
	assert_int_equal(audit.asked_bytes, kind->region.mapping.bytes);
	assert_true(audit.got_bytes <= audit.asked_bytes);
	assert_int_equal(audit.absent_bytes, 0);
	assert_true(strlen(memory_audit_detail(&audit, detail, sizeof(detail))) > 0);
	kind_close(kind);
}

/* One store a base page; how many faults that took. */
static long faults_of_touching(const struct region *region)
{
	volatile char *bytes = region->mapping.address;
	struct rusage before, after;

	getrusage(RUSAGE_THREAD, &before);
	for (uint64_t i = 0; i < region->mapping.bytes; i += memory_base_page_bytes())
		bytes[i] = 1;
	getrusage(RUSAGE_THREAD, &after);
	return after.ru_minflt - before.ru_minflt;
}

static void check_renewal(struct kind *kind, enum region_renewal how)
{
	const struct mapping before = kind->region.mapping;
	long pages = (long)(before.bytes / kind->page_bytes), faults;
	struct memory_audit audit;
	struct error error = {0};

	memset(before.address, 'x', before.bytes);
	if (region_renew(&kind->region, how, &error))
		fail_msg("%s", error.text);
	assert_int_equal(kind->region.mapping.bytes, before.bytes);
	if (how == RENEWAL_DROP)
		assert_ptr_equal(kind->region.mapping.address, before.address);
	faults = faults_of_touching(&kind->region);
	assert_true(faults >= pages);
#ifndef __SANITIZE_THREAD__ /* its shadow memory has faults of its own */
	assert_true(faults <= pages + 4);
#endif
	assert_int_equal(((char *)kind->region.mapping.address)[64], 0);
	/* As a worker that was stopped half way leaves it. */
	if (region_renew(&kind->region, how, &error) || region_refill(&kind->region, &error) ||
	    region_audit(&kind->region, &audit, &error) ||
	    region_check(&kind->region, &audit, 99, &error))
		fail_msg("%s", error.text);
	assert_int_equal(audit.absent_bytes, 0);
}

static void test_mapped_anew_it_has_fresh_pages(void **state)
{
	OPEN_OR_SKIP(kind, *state, SIZE_BYTES);

	check_renewal(kind, RENEWAL_MAP);
	kind_close(kind);
}

static void test_dropped_pages_are_fresh_for_all(void **state)
{
	OPEN_OR_SKIP(kind, *state, SIZE_BYTES);
	volatile char *first = kind->region.mapping.address;
	struct error error = {0};
	int status;
	pid_t child;

	check_renewal(kind, RENEWAL_DROP);
	*first = 'a';
	child = fork();
	if (!child)
		_exit(region_renew(&kind->region, RENEWAL_DROP, &error) ? 1 : 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(*first, kind->region.ops->is_private ? 'a' : 0);
	kind_close(kind);
}

/* The kernel gives pages back a little later than munmap returns. */
static bool pool_is_back(const struct pool *before)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	struct pool pool;

	for (int i = 0; i < 100; i++) {
		if (pool_read("", POOL_ALL_NODES, LEND_PAGE_BYTES, &pool, NULL) ||
		    (pool.free == before->free && pool.reserved == before->reserved))
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

static void test_close_leaves_nothing(void **state)
{
	OPEN_OR_SKIP(kind, *state, SIZE_BYTES);
	struct mapping mapping = kind->region.mapping;
	struct pool pool = kind->pool;
	int segments = kind->segments;

	assert_true(lend_is_mapped(mapping.address, mapping.bytes));
	region_close(&kind->region);
	assert_false(lend_is_mapped(mapping.reserved ? mapping.reserved : mapping.address,
				    mapping.reserved ? mapping.reserved_bytes : mapping.bytes));
	assert_int_equal(count_segments(), segments);
	assert_true(pool_is_back(&pool));
	region_close(&kind->region);
	kind_close(kind);
}

static void test_need_is_what_was_asked_in_whole_pages(void **state)
{
	struct choice choice = lend_choice(*state);
	const struct memory_ops *ops = memory_ops_of(&choice);
	uint64_t page_bytes = ops->page_bytes(choice.params);
	struct memory_need need;

	ops->need(choice.params, SIZE_BYTES + 1, &need);
	if (need.kind != MEMORY_NEED_NOTHING) {
		assert_int_equal(need.page_bytes, page_bytes);
		assert_int_equal(need.bytes, memory_round_up(SIZE_BYTES + 1, page_bytes));
	}
	choice_free(&choice);
}

/* Nothing is started for a size that no machine has; nothing is mapped, and the reason is told. */
static void test_impossible_size_is_refused_before_it_is_mapped(void **state)
{
	struct choice choice = lend_choice(*state);
	struct region region = lend_region(&choice, 1ull << 46);
	struct error error = {0};

	assert_int_equal(region_open(&region, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "region 'sga': "));
	assert_null(region.mapping.address);
	region_close(&region);
	choice_free(&choice);
}

static void test_every_kind_is_in_this_suite(void **state)
{
	for (size_t i = 0; memory_catalog.entries[i]; i++) {
		bool found = false;

		for (size_t k = 0; k < N_KINDS; k++)
			found |= strstr(kinds[k], memory_catalog.entries[i]->name) != NULL;
		assert_true(found);
	}
}

/* Not the group's state, which would take the place of every test's own. */
static struct lend lend;

static int lend_for_all(void **state)
{
	lend_huge_pages(&lend, SIZE_BYTES / LEND_PAGE_BYTES + 2);
	lend_folio(&lend, 16 << 10, "advise");
	lend_folio(&lend, 64 << 10, "advise");
	lend_folio(&lend, 2 << 20, "advise");
	lend_mount("/dev/shm", "huge=advise");
	return 0;
}

static int lend_back(void **state)
{
	lend_end(&lend);
	return 0;
}

static const struct {
	const char *name;
	CMUnitTestFunction function;
} checks[] = {
	{"address is aligned and size whole", test_address_is_aligned_and_size_whole},
	{"memory is zero and keeps what is written", test_memory_is_zero_and_keeps_what_is_written},
	{"child and parent share it", test_child_and_parent_share_it},
	{"no fault is left to take", test_no_fault_is_left_to_take},
	{"audit proves what was asked", test_audit_proves_what_was_asked},
	{"mapped anew it has fresh pages", test_mapped_anew_it_has_fresh_pages},
	{"dropped pages are fresh for all", test_dropped_pages_are_fresh_for_all},
	{"close leaves nothing", test_close_leaves_nothing},
	{"need is what was asked in whole pages", test_need_is_what_was_asked_in_whole_pages},
	{"impossible size is refused", test_impossible_size_is_refused_before_it_is_mapped},
};
#define N_CHECKS (sizeof(checks) / sizeof(checks[0]))

int main(void)
{
	static char names[N_KINDS * N_CHECKS][128];
	struct CMUnitTest tests[N_KINDS * N_CHECKS + 1];

	for (size_t i = 0; i < N_KINDS * N_CHECKS; i++) {
		const char *kind = kinds[i / N_CHECKS];

		snprintf(names[i], sizeof(names[i]), "%s: %s", kind, checks[i % N_CHECKS].name);
		tests[i] = (struct CMUnitTest){.name = names[i],
					       .test_func = checks[i % N_CHECKS].function,
					       .initial_state = (void *)(uintptr_t)kind};
	}
	tests[N_KINDS * N_CHECKS] =
		(struct CMUnitTest)cmocka_unit_test(test_every_kind_is_in_this_suite);
	return cmocka_run_group_tests(tests, lend_for_all, lend_back);
}
