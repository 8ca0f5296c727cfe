/* SPDX-License-Identifier: MIT */
/* test_search_simulation.c - searches of a device in virtual time, whose true knee is known. */
#include "stats/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "stats/histogram.h"

#define SEEDS	    100u
#define LOADS_MAX   512
#define SERVERS_MAX 32
#define RUN_OPS	    10000
#define WARMUP_OPS  2000

/*
 * Servers with exponential service, one queue, and a fixed number of requests in flight: as one
 * completes, the next arrives (M/M/c, closed, without think time).
 */
struct device {
	unsigned servers;
	double service_us;
	double run_deviation; /* of the logarithm of all service times, from run to run */
	double limit_us;      /* of the 99th percentile */
};

static double uniform(struct random *random)
{
	return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

static double exponential(struct random *random, double mean)
{
	return -mean * log(uniform(random));
}

static double normal(struct random *random)
{
	return sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));
}

struct station {
	double done_us[SERVERS_MAX], came_us[SERVERS_MAX]; /* in service */
	double waiting_us[LOADS_MAX];			   /* a ring of those that came */
	unsigned n, head, n_waiting;
};

static void station_start(struct station *station, unsigned server, double came_us, double done_us)
{
	station->came_us[server] = came_us;
	station->done_us[server] = done_us;
}

static unsigned station_next(const struct station *station)
{
	unsigned next = 0;

	for (unsigned i = 1; i < station->n; i++)
		if (station->done_us[i] < station->done_us[next])
			next = i;
	return next;
}

/* One completion, and the arrival that it causes. Latency of what completed; *now moves on. */
static double station_step(struct station *station, double mean_us, struct random *random,
			   double *now_us)
{
	unsigned server = station_next(station);
	double latency_us = station->done_us[server] - station->came_us[server], came_us;

	*now_us = station->done_us[server];
	station->waiting_us[(station->head + station->n_waiting++) % LOADS_MAX] = *now_us;
	came_us = station->waiting_us[station->head];
	station->head = (station->head + 1) % LOADS_MAX;
	station->n_waiting--;
	station_start(station, server, came_us, *now_us + exponential(random, mean_us));
	return latency_us;
}

/* One run at a load: 99th percentile in us and rate a second. */
static void device_run(const struct device *device, unsigned load, struct random *random,
		       struct histogram *histogram, double *ret_us, double *ret_rate)
{
	double mean_us = device->service_us * exp(device->run_deviation * normal(random));
	struct station station = {.n = load < device->servers ? load : device->servers};
	double now_us = 0, begin_us = 0;

	for (unsigned i = 0; i < station.n; i++)
		station_start(&station, i, 0, exponential(random, mean_us));
	station.n_waiting = load - station.n;
	histogram_reset(histogram);
	for (unsigned i = 0; i < WARMUP_OPS; i++)
		station_step(&station, mean_us, random, &now_us);
	begin_us = now_us;
	for (unsigned i = 0; i < RUN_OPS; i++)
		histogram_add(histogram,
			      (uint64_t)(1e3 * station_step(&station, mean_us, random, &now_us)));
	*ret_us = (double)histogram_percentile_ns(histogram, 99) / 1e3;
	*ret_rate = RUN_OPS / (now_us - begin_us) * 1e6;
}

/* P(Erlang(k, rate) <= t): what a Poisson process of that rate has k or more of until then. */
static double erlang(unsigned k, double rate, double t)
{
	double term = exp(-rate * t), sum = 0;

	for (unsigned i = 0; i < k; i++) {
		sum += term;
		term *= rate * t / (i + 1);
	}
	return k ? 1 - sum : 1;
}

/*
 * Share of requests that are done within t: one that comes to n - 1 others waits for n - c
 * departures, each after an exponential time of rate c mu, and is then served. The sum of both is
 * F(t; k, a) - exp(-mu t) (a / (a - mu))^k F(t; k, a - mu) with a = c mu.
 */
static double done_within(const struct device *device, unsigned load, double t_us)
{
	double mu = 1 / device->service_us, a = device->servers * mu;
	unsigned k = load > device->servers ? load - device->servers : 0;

	if (k == 0)
		return 1 - exp(-mu * t_us);
	return erlang(k, a, t_us) -
	       exp(-mu * t_us + k * log(a / (a - mu))) * erlang(k, a - mu, t_us);
}

/* The highest load of which 99 % are done within the limit. */
static unsigned true_knee(const struct device *device)
{
	unsigned load = 1;

	while (done_within(device, load + 1, device->limit_us) >= 0.99)
		load++;
	return load;
}

static double true_rate(const struct device *device, unsigned load)
{
	return 1e6 / device->service_us * (load < device->servers ? load : device->servers);
}

struct found {
	unsigned good, covered; /* within 5 %; and true knee in the interval */
	unsigned again;		/* the next search ended within the interval of this one */
	double runs, loads;	/* in the mean */
	unsigned most_loads;
};

static void search_once(const struct device *device, const struct search_rule *rule, uint64_t seed,
			struct search_answer *ret)
{
	struct histogram *histogram = malloc(sizeof(*histogram));
	struct random random;
	struct search search;
	unsigned load;

	assert_non_null(histogram);
	random_seed(&random, seed, 1);
	assert_int_equal(search_open(&search, rule), 0);
	while (search_next(&search, &load)) {
		double us, rate;

		device_run(device, rule->loads[load], &random, histogram, &us, &rate);
		search_add(&search, load, us, rate);
	}
	search_answer(&search, ret);
	search_close(&search);
	free(histogram);
}

static struct found search_often(const struct device *device, const struct search_rule *rule)
{
	double knee = true_knee(device), rate = true_rate(device, (unsigned)knee);
	struct found found = {.good = 0};
	struct search_answer before = {.has_load = false};

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct search_answer answer;
		double load;

		search_once(device, rule, seed, &answer);
		assert_int_equal(answer.outcome, SEARCH_FOUND);
		load = rule->loads[answer.load];
		found.again += seed > 1 && load >= before.loads.low && load <= before.loads.high &&
			       answer.rate >= before.rates.low && answer.rate <= before.rates.high;
		before = answer;
		found.good += fabs(load / knee - 1) <= 0.05 && fabs(answer.rate / rate - 1) <= 0.05;
		/* Somewhere between the knee and the next whole load the limit is met. */
		found.covered += answer.loads.low < knee + 1 && answer.loads.high >= knee;
		found.runs += (double)answer.runs / SEEDS;
		found.loads += (double)answer.n_loads / SEEDS;
		if (answer.n_loads > found.most_loads)
			found.most_loads = answer.n_loads;
	}
	printf("c %u, service %.0f us, noise %.0f %%, limit %.0f us: true knee %.0f of %u loads; "
	       "%u of %u within 5 %%, interval covers %u, and the next answer %u times of 99; %.1f "
	       "loads (most %u), %.1f runs\n",
	       device->servers, device->service_us, 100 * device->run_deviation, device->limit_us,
	       knee, rule->n_loads, found.good, SEEDS, found.covered, found.again, found.loads,
	       found.most_loads, found.runs);
	return found;
}

/*
 * A full sweep measures every load as often as this search measures those that decide. Here each
 * search must do with a third of its loads, and in the mean with a third of the runs of a sweep
 * that measures each load only once.
 */
static void test_finds_the_knee(void **state)
{
	static const struct device devices[] = {
		{.servers = 8, .service_us = 100, .run_deviation = 0.01, .limit_us = 1000},
		{.servers = 16, .service_us = 80, .run_deviation = 0.02, .limit_us = 2000},
		{.servers = 4, .service_us = 90, .run_deviation = 0.02, .limit_us = 900},
		{.servers = 32, .service_us = 200, .run_deviation = 0.01, .limit_us = 1500},
	};
	unsigned loads[LOADS_MAX];
	struct search_rule rule = {.loads = loads, .repeats = 5};

	rule.n_loads = search_grid(1, LOADS_MAX, loads, LOADS_MAX);
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		struct found found;

		rule.limit = devices[i].limit_us;
		found = search_often(&devices[i], &rule);
		assert_true(found.good >= 95);
		assert_true(found.most_loads * 3 <= rule.n_loads);
		assert_true(found.runs * 3 <= rule.n_loads);
		assert_true(found.covered >= 95);
		assert_true(found.again >= 90);
	}
}

/* The model itself: what it does at a load is what the formula says. */
static void test_device_is_as_told(void **state)
{
	static const struct device device = {.servers = 8, .service_us = 100};
	struct histogram *histogram = malloc(sizeof(*histogram));
	struct random random;

	assert_non_null(histogram);
	random_seed(&random, 1, 1);
	for (unsigned load = 1; load <= 128; load *= 2) {
		double us, rate, share = 0;

		for (unsigned i = 0; i < 20; i++) {
			device_run(&device, load, &random, histogram, &us, &rate);
			share += done_within(&device, load, us) / 20;
			assert_true(fabs(rate / true_rate(&device, load) - 1) < 0.06);
		}
		assert_true(fabs(share - 0.99) < 0.001);
	}
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_is_as_told),
		cmocka_unit_test(test_finds_the_knee),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
