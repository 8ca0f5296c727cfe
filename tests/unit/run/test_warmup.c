/* SPDX-License-Identifier: MIT */
/* test_warmup.c - rules that end a warm-up, on a script of rates and on workers. */
#include "run/warmup.h"

#include <math.h>

#include "crew_rig.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "plan/warmup.h"
#include "run/run.h"

/*
 * The linker sends the wait and the clock here (--wrap, see CMakeLists.txt). While a script is set,
 * a wait lasts as long as it is asked to, and the workers complete what the script says meanwhile.
 */
#define SCRIPT_BYTES 4096

struct script {
	unsigned n, n_waits;
	const double *rates; /* operations a second, by round */
	uint64_t now_ns, late_ns;
	unsigned early_at; /* wait that is to end early; 0: none */
};

static struct script *script;

bool __real_channel_wait(struct channel *channel, uint64_t deadline_ns);
bool __wrap_channel_wait(struct channel *channel, uint64_t deadline_ns);
int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (!script)
		return __real_clock_gettime(clock, ret);
	*ret = (struct timespec){.tv_sec = (time_t)(script->now_ns / 1000000000u),
				 .tv_nsec = (long)(script->now_ns % 1000000000u)};
	return 0;
}

/* Every other one to the second worker. */
bool __wrap_channel_wait(struct channel *channel, uint64_t deadline_ns)
{
	uint64_t end_ns, ops;

	if (!script)
		return __real_channel_wait(channel, deadline_ns);
	assert_true(script->n_waits < script->n);
	end_ns = deadline_ns + script->late_ns;
	ops = (uint64_t)(script->rates[script->n_waits++] * (double)(end_ns - script->now_ns) /
			 1e9);
	channel->recorders[0].classes[0].tally[PHASE_WARMUP].ops += ops / 2;
	channel->recorders[0].classes[0].tally[PHASE_WARMUP].bytes += ops * SCRIPT_BYTES;
	channel->recorders[1].classes[0].tally[PHASE_WARMUP].ops += ops - ops / 2;
	script->now_ns = end_ns;
	return script->n_waits == script->early_at;
}

static unsigned n_calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

void *__wrap_malloc(size_t size)
{
	n_calls += script != NULL;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	n_calls += script != NULL;
	return __real_calloc(n, size);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	n_calls += script != NULL;
	return __real_pthread_mutex_lock(mutex);
}

/* Plays the rates; nothing is allocated or locked meanwhile. The channel is the caller's to close.
 */
static bool play(struct script *with, const struct warmup_rule *rule, struct channel **ret)
{
	struct crew_seat seats[2] = {{.ops = &workload_io}, {.ops = &workload_io}};
	struct error error = {0};
	bool early;

	assert_int_equal(channel_open(2, ret, &error), 0);
	with->now_ns = UINT64_C(5000000000);
	with->n_waits = 0;
	n_calls = 0;
	script = with;
	early = warmup_wait(*ret, rule, seats);
	script = NULL;
	assert_int_equal(n_calls, 0);
	return early;
}

static const struct warmup_rule snia = {.round_ns = 1000000000,
					.rounds_max = 10,
					.window = 5,
					.range_percent = 20,
					.slope_percent = 10};
static const struct warmup_rule agree = {.round_ns = 500000000,
					 .rounds_max = 6,
					 .window = 2,
					 .range_percent = 5,
					 .slope_percent = INFINITY};

static void check_found(const struct channel *channel, unsigned rounds, bool reached,
			double range_percent, double slope_percent)
{
	const struct warmup_found *found = &channel->warmup;

	assert_int_equal(found->rounds, rounds);
	assert_int_equal(found->reached, reached);
	assert_true(fabs(found->range_percent - range_percent) < 0.001);
	if (isnan(slope_percent))
		assert_true(isnan(found->slope_percent));
	else
		assert_true(fabs(found->slope_percent - slope_percent) < 0.001);
}

/* Steps down from a fresh device's rate to what it can keep up. */
static void test_steady_once_the_drift_is_over(void **state)
{
	static const double rates[] = {20000, 15000, 10000, 10000, 10000, 10000, 10000, 10000};
	struct script with = {.n = 8, .rates = rates};
	struct channel *channel;

	assert_false(play(&with, &snia, &channel));
	check_found(channel, 7, true, 0, 0);
	assert_int_equal(with.now_ns, UINT64_C(12000000000));
	channel_close(channel);
}

/* By 500 a round without an end: after 10 rounds 12500 … 14500, mean 13500. */
static void test_a_drift_runs_into_the_cap(void **state)
{
	static const double rates[] = {10000, 10500, 11000, 11500, 12000,
				       12500, 13000, 13500, 14000, 14500};
	struct script with = {.n = 10, .rates = rates};
	struct channel *channel;

	assert_false(play(&with, &snia, &channel));
	check_found(channel, 10, false, 100 * 2000 / 13500.0, 100 * 2000 / 13500.0);
	channel_close(channel);
}

static void test_two_windows_agree(void **state)
{
	static const double rates[] = {1000, 3000, 4000, 4100, 4100};
	struct script with = {.n = 5, .rates = rates};
	struct channel *channel;

	assert_false(play(&with, &agree, &channel));
	check_found(channel, 4, true, 100 * 100 / 4050.0, NAN);
	assert_int_equal(with.now_ns, UINT64_C(7000000000));
	channel_close(channel);
}

static void test_two_windows_never_agree(void **state)
{
	static const double rates[] = {1000, 3000, 1000, 3000, 1000, 3000};
	struct script with = {.n = 6, .rates = rates};
	struct channel *channel;

	assert_false(play(&with, &agree, &channel));
	check_found(channel, 6, false, 100, NAN);
	channel_close(channel);
}

/* Whoever is woken late has a longer round, and no wrong rate. */
static void test_a_late_runner_sees_the_same_rates(void **state)
{
	static const double rates[] = {4000, 4000};
	struct script with = {.n = 2, .rates = rates, .late_ns = 300000000};
	struct channel *channel;

	assert_false(play(&with, &agree, &channel));
	check_found(channel, 2, true, 0, NAN);
	assert_int_equal(with.now_ns, UINT64_C(6600000000));
	channel_close(channel);
}

static void test_nothing_completes(void **state)
{
	static const double rates[] = {0, 0, 0, 0, 0, 0};
	struct script with = {.n = 6, .rates = rates};
	struct channel *channel;

	assert_false(play(&with, &agree, &channel));
	assert_int_equal(channel->warmup.rounds, 6);
	assert_false(channel->warmup.reached);
	assert_true(isnan(channel->warmup.range_percent));
	channel_close(channel);
}

static void test_a_fixed_time_looks_at_nothing(void **state)
{
	static const double rates[] = {1000};
	struct warmup_rule rule = {.round_ns = 250000000, .rounds_max = 1};
	struct script with = {.n = 1, .rates = rates};
	struct channel *channel;

	assert_false(play(&with, &rule, &channel));
	assert_int_equal(channel->warmup.rounds, 0);
	assert_int_equal(with.now_ns, UINT64_C(5250000000));
	channel_close(channel);
}

/* 1000 operations of 4K in each 10 ms; a late runner looks at what is due at once. */
static void test_so_many_bytes_are_moved(void **state)
{
	static const double rates[] = {100000, 100000, 100000, 100000, 100000};
	struct warmup_rule rule = {.round_ns = 10000000,
				   .rounds_max = 5,
				   .bytes = 3000 * SCRIPT_BYTES,
				   .at_random = true};
	struct script with = {.n = 5, .rates = rates};
	struct channel *channel;

	assert_false(play(&with, &rule, &channel));
	assert_int_equal(channel->warmup.rounds, 3);
	assert_true(channel->warmup.reached);
	assert_int_equal(with.now_ns, UINT64_C(5030000000));
	channel_close(channel);
	rule.bytes *= 2;
	assert_false(play(&with, &rule, &channel));
	assert_int_equal(channel->warmup.rounds, 5);
	assert_false(channel->warmup.reached);
	assert_true(isnan(channel->warmup.range_percent));
	assert_true(isnan(channel->warmup.slope_percent));
	channel_close(channel);
}

static void test_a_stop_ends_it(void **state)
{
	static const double rates[] = {1000, 3000, 1000, 3000, 1000, 3000};
	struct script with = {.n = 6, .rates = rates, .early_at = 3};
	struct channel *channel;

	assert_true(play(&with, &agree, &channel));
	assert_int_equal(with.n_waits, 3);
	channel_close(channel);
}

/* The counter itself must be able to count, else none of the tests above could fail. */
static void test_the_counter_counts(void **state)
{
	/* Called through pointers: compilers leave out what is allocated for nothing. */
	void *(*volatile get)(size_t) = malloc;
	void *(*volatile get_zeroed)(size_t, size_t) = calloc;
	struct script with = {.n = 0};

	n_calls = 0;
	script = &with;
	free(get(1));
	free(get_zeroed(1, 1));
	script = NULL;
	assert_int_equal(n_calls, 2);
}

#define PROFILE(warmup, more)                                                                      \
	"{\"name\": \"t\", \"repeats\": 1, \"phases\": {\"warmup\": " warmup                       \
	", \"measure\": \"100ms\"},"                                                               \
	" \"points\": [{\"regions\": {\"sga\": {\"memory\": \"base\", \"size\": \"4m\"}},"         \
	" \"streams\": [{\"workload\": {\"kind\": \"io\", \"depth\": 16}, \"engine\": \"null\","   \
	" \"workers\": 2" more "},"                                                                \
	" {\"workload\": \"touch\", \"workers\": 1" more "}]}]}"

/* What was seen of a warm-up while it went on. */
struct seen {
	unsigned warmup, measure;
};

static void saw_progress(void *context, const struct run_progress *progress)
{
	struct seen *seen = context;

	assert_true(progress->iops > 0);
	if (strcmp(progress->phase, "warm-up") == 0)
		seen->warmup++;
	else
		seen->measure++;
	assert_int_equal(progress->p99_ns > 0, strcmp(progress->phase, "measure") == 0);
}

static void run_text(const char *text, struct result *ret, struct seen *seen)
{
	struct observer observer = {.context = seen, .progress = saw_progress};
	struct run_options options = {
		.signal_fd = -1, .version = "test", .observer = seen ? &observer : NULL};
	struct profile profile;
	struct error error = {0};
	struct plan plan;

	if (profile_parse("test.json", text, NULL, &profile, &error) < 0 ||
	    plan_make(&profile, &plan, &error) < 0 || run_plan(&plan, &options, ret, &error) < 0)
		fail_msg("%s", error.text);
	plan_free(&plan);
	profile_free(&profile);
}

static void check_run(const char *text, const char *rule, unsigned rounds, bool reached,
		      double least_s)
{
	const struct result_repeat *repeat;
	struct result result;

	run_text(text, &result, NULL);
	repeat = &result.variants[0].points[0].repeats[0];
	assert_string_equal(repeat->reason, "");
	assert_int_equal(repeat->status, RESULT_OK);
	assert_true(repeat->warmup.known);
	assert_string_equal(repeat->warmup.rule, rule);
	/* More, where a busy machine let no worker run for a whole window. */
	assert_true(repeat->warmup.rounds >= rounds);
	assert_int_equal(repeat->warmup.reached, reached);
	assert_true(!reached || repeat->warmup.range_percent >= 0);
	assert_true(repeat->warmup.warmup_s >= least_s);
	assert_true(repeat->duration_s >= 0.1);
	result_free(&result);
}

/* Limits that any two rates keep: what is tested is that they are seen and that it ends. */
static void test_workers_that_are_steady(void **state)
{
	static const char text[] =
		PROFILE("{\"kind\": \"steady\", \"round\": \"20ms\", \"window\": 3, \"range\": "
			"1000, \"slope\": 1000}",
			"");

	check_run(text, "steady 20ms 3 1000 1000", 3, true, 0.06);
}

static void test_processes_that_are_steady(void **state)
{
	static const char text[] = PROFILE(
		"{\"kind\": \"agree\", \"window\": \"20ms\", \"within\": 1000, \"max\": \"5s\"}",
		", \"as\": \"processes\"");

	check_run(text, "agree 20ms 1000 5s", 2, true, 0.04);
}

/* Limits that no two rates of a real clock keep. */
static void test_workers_that_are_not(void **state)
{
	static const char text[] = PROFILE("{\"kind\": \"steady\", \"round\": \"10ms\", \"range\": "
					   "1e-12, \"slope\": 1e-12, \"rounds_max\": 8}",
					   "");

	check_run(text, "steady 10ms 1e-12 1e-12 8", 8, false, 0.08);
}

static void test_a_fixed_time_is_not_recorded(void **state)
{
	struct result result;

	run_text(PROFILE("\"30ms\"", ""), &result, NULL);
	assert_int_equal(result.variants[0].points[0].status, RESULT_OK);
	assert_false(result.variants[0].points[0].repeats[0].warmup.known);
	result_free(&result);
}

static void test_a_long_one_can_be_watched(void **state)
{
	struct seen seen = {.warmup = 0};
	struct result result;

	run_text(PROFILE("\"2300ms\"", ""), &result, &seen);
	assert_true(seen.warmup > 0);
	assert_true(seen.measure > 0);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady_once_the_drift_is_over),
		cmocka_unit_test(test_a_drift_runs_into_the_cap),
		cmocka_unit_test(test_two_windows_agree),
		cmocka_unit_test(test_two_windows_never_agree),
		cmocka_unit_test(test_a_late_runner_sees_the_same_rates),
		cmocka_unit_test(test_nothing_completes),
		cmocka_unit_test(test_a_fixed_time_looks_at_nothing),
		cmocka_unit_test(test_so_many_bytes_are_moved),
		cmocka_unit_test(test_a_stop_ends_it),
		cmocka_unit_test(test_the_counter_counts),
		cmocka_unit_test(test_workers_that_are_steady),
		cmocka_unit_test(test_processes_that_are_steady),
		cmocka_unit_test(test_workers_that_are_not),
		cmocka_unit_test(test_a_fixed_time_is_not_recorded),
		cmocka_unit_test(test_a_long_one_can_be_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
