/* SPDX-License-Identifier: MIT */
/* figures.c - figures of a whole repeat that more than one report shows. */
#include "report/figures.h"

#include <math.h>
#include <stddef.h>

#include "stats/result.h"
#include "stats/summary.h"

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : NAN;
}

double figure_busy_percent(const struct result_repeat *repeat)
{
	return percent(repeat->cpu.busy_s, repeat->cpu.total_s);
}

double figure_irq_percent(const struct result_repeat *repeat)
{
	return percent(repeat->cpu.irq_s, repeat->cpu.total_s);
}

double figure_softirq_percent(const struct result_repeat *repeat)
{
	return percent(repeat->cpu.softirq_s, repeat->cpu.total_s);
}

double figure_steal_percent(const struct result_repeat *repeat)
{
	return percent(repeat->cpu.steal_s, repeat->cpu.total_s);
}

static double cpu_us(const struct usage *usage)
{
	return (double)(usage->user_ns + usage->system_ns) / 1e3;
}

static double repeat_ops(const struct result_repeat *repeat)
{
	double ops = 0;

	for (unsigned s = 0; s < repeat->n_streams; s++)
		for (unsigned c = 0; c < repeat->streams[s].n_classes; c++)
			ops += (double)repeat->streams[s].classes[c].tally.ops;
	return ops;
}

double figure_process_cpu_us(const struct result_repeat *repeat)
{
	double ops = repeat_ops(repeat);

	return ops > 0 ? cpu_us(&repeat->runner) / ops : NAN;
}

double figure_other_cpu_us(const struct result_repeat *repeat)
{
	double ops = repeat_ops(repeat), us = cpu_us(&repeat->runner);

	for (unsigned s = 0; s < repeat->n_streams; s++)
		us -= cpu_us(&repeat->streams[s].usage);
	return ops > 0 ? fmax(us, 0) / ops : NAN;
}

double figure_got_percent(const struct result_repeat *repeat)
{
	double asked = 0, got = 0;

	for (unsigned i = 0; i < repeat->n_audits; i++) {
		asked += (double)repeat->audits[i].asked_bytes;
		got += (double)repeat->audits[i].got_bytes;
	}
	return percent(got, asked);
}

double figure_got_end_percent(const struct result_repeat *repeat)
{
	double asked = 0, got = 0;

	for (unsigned i = 0; i < repeat->n_audits; i++) {
		asked += (double)repeat->audits[i].asked_bytes;
		got += (double)repeat->audits[i].got_end_bytes;
	}
	return percent(got, asked);
}

/* Neither metric looks at the stream or the class. */
double figure_request_bytes(const struct result_repeat *repeat)
{
	return summary_metric("request_bytes")->value(repeat, NULL, NULL);
}

double figure_device_share(const struct result_repeat *repeat)
{
	return summary_metric("device_share")->value(repeat, NULL, NULL);
}

double figure_warmup_s(const struct result_repeat *repeat)
{
	return repeat->warmup.known ? repeat->warmup.warmup_s : NAN;
}

double figure_warmup_rounds(const struct result_repeat *repeat)
{
	return repeat->warmup.known ? repeat->warmup.rounds : NAN;
}

double figure_warmup_reached(const struct result_repeat *repeat)
{
	return repeat->warmup.known ? repeat->warmup.reached : NAN;
}

double figure_warmup_range_percent(const struct result_repeat *repeat)
{
	return repeat->warmup.known ? repeat->warmup.range_percent : NAN;
}

double figure_warmup_slope_percent(const struct result_repeat *repeat)
{
	return repeat->warmup.known ? repeat->warmup.slope_percent : NAN;
}

uint64_t repeat_page_bytes(const struct result_repeat *repeat)
{
	for (unsigned i = 1; i < repeat->n_audits; i++)
		if (repeat->audits[i].page_bytes != repeat->audits[0].page_bytes)
			return 0;
	return repeat->n_audits > 0 ? repeat->audits[0].page_bytes : 0;
}
