/* SPDX-License-Identifier: MIT */
/* comparison_sources.h - where in a result the factors of a comparison stand; private to
 * comparison.
 */
#ifndef ORION_STATS_COMPARISON_SOURCES_H
#define ORION_STATS_COMPARISON_SOURCES_H

/* Places in comparison_factors. */
enum factor_place {
	FACTOR_KERNEL,
	FACTOR_CMDLINE,
	FACTOR_MITIGATIONS,
	FACTOR_CPU,
	FACTOR_GOVERNOR,
	FACTOR_CLOCK,
	FACTOR_RAM,
	FACTOR_THP,
	FACTOR_NUMA,
	FACTOR_SCHEDULER,
	FACTOR_DEVICE,
	FACTOR_MEMORY,
	FACTOR_BUILD,
	FACTOR_LIMITS,
};

enum form {
	FORM_PLAIN,
	FORM_CHOSEN,
	FORM_COMMAND_LINE,
	FORM_BYTES,
	FORM_MITIGATIONS,
	FORM_MAP_CHOSEN
};

/* A key of the fingerprint, or of a device in it; what a setting writes to path stands over it. */
struct source {
	const char *key;
	int factor;
	const char *what;
	enum form form;
	const char *path; /* of a map: before and behind the key, divided by "*" */
};

#define COMPARISON_THP "/sys/kernel/mm/transparent_hugepage/"

/* key null ends them */
extern const struct source machine_sources[]; /* of the fingerprint */
extern const struct source device_sources[];  /* of each of its devices */

#endif
