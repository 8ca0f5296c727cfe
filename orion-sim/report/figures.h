/* SPDX-License-Identifier: MIT */
/* figures.h - figures of a whole repeat that more than one report shows. NAN where they do not
 * apply. */
#ifndef ORION_REPORT_FIGURES_H
#define ORION_REPORT_FIGURES_H

#include <stdint.h>

struct result_repeat;

/* Percent of the time of all CPUs together. */
double figure_busy_percent(const struct result_repeat *repeat);
double figure_irq_percent(const struct result_repeat *repeat);
double figure_softirq_percent(const struct result_repeat *repeat);
double figure_steal_percent(const struct result_repeat *repeat);

/* CPU us per operation of all streams: the whole process, and what is not its workers'. */
double figure_process_cpu_us(const struct result_repeat *repeat);
double figure_other_cpu_us(const struct result_repeat *repeat);

/* Over all regions, in percent: got of asked after touching, and at the end. */
double figure_got_percent(const struct result_repeat *repeat);
double figure_got_end_percent(const struct result_repeat *repeat);

/* Bytes per request over all devices, and their bytes over ours. */
double figure_request_bytes(const struct result_repeat *repeat);
double figure_device_share(const struct result_repeat *repeat);

/* What ended the warm-up, where it may end before its time; reached is 1 or 0. */
double figure_warmup_s(const struct result_repeat *repeat);
double figure_warmup_rounds(const struct result_repeat *repeat);
double figure_warmup_reached(const struct result_repeat *repeat);
double figure_warmup_range_percent(const struct result_repeat *repeat);
double figure_warmup_slope_percent(const struct result_repeat *repeat);

/* Page size that all regions of the repeat asked for; 0 if they differ or there is none. */
uint64_t repeat_page_bytes(const struct result_repeat *repeat);

#endif
