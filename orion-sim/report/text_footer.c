/* SPDX-License-Identifier: MIT */
/* text_footer.c - the machine, the run and the command that repeats it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/text_parts.h"
#include "report/text_warmup.h"
#include "stats/calibration.h"

#define LINE_BYTES 1024

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to a line; what finds no room is dropped. */
static void append(char *text, const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, LINE_BYTES - length, format, arguments);
	va_end(arguments);
}

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static double number_of(const cJSON *object, const char *key)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(node) && node->valuedouble < 1e18 ? node->valuedouble : 0;
}

/* "[none] mq-deadline" -> "none" */
static void append_chosen(char *text, const char *setting)
{
	const char *open = strchr(setting, '['), *close = open ? strchr(open, ']') : NULL;

	if (close)
		append(text, "%.*s", (int)(close - open - 1), open + 1);
	else
		append(text, "%s", setting);
}

static void append_device(char *text, const cJSON *device)
{
	const char *name = text_of(device, "name"), *model = text_of(device, "model");
	const char *scheduler = text_of(device, "scheduler");
	const char *segments = text_of(device, "max_segments");

	append(text, "; %s", name ? name : "?");
	if (model)
		append(text, " %s", model);
	if (!scheduler && !segments)
		return;
	append(text, " (");
	if (scheduler) {
		append(text, "scheduler ");
		append_chosen(text, scheduler);
	}
	if (segments)
		append(text, "%smax_segments %s", scheduler ? ", " : "", segments);
	append(text, ")");
}

static void print_machine(const struct result *result, FILE *stream)
{
	const cJSON *machine = result->fingerprint, *device;
	const char *kernel = text_of(machine, "kernel"), *cpu = text_of(machine, "cpu_model");
	double cpus = number_of(machine, "cpus_online"),
	       allowed = number_of(machine, "cpus_allowed");
	uint64_t memory_bytes = (uint64_t)number_of(machine, "memory_total_bytes");
	char text[LINE_BYTES] = "", size[32];

	append(text, "Linux %s", kernel ? kernel : "of an unknown version");
	if (cpu)
		append(text, ", %s", cpu);
	if (cpus > 0)
		append(text, ", %.0f CPUs", cpus);
	if (allowed > 0 && allowed < cpus)
		append(text, " (%.0f allowed)", allowed);
	if (memory_bytes > 0)
		append(text, ", %s of memory", units_format_amount(memory_bytes, size));
	cJSON_ArrayForEach (device, cJSON_GetObjectItemCaseSensitive(machine, "devices"))
		append_device(text, device);
	print_paragraph("Machine: ", text, TEXT_WIDTH, stream);
}

/* Why there are no columns of hardware events; nothing to say where nobody asked for them. */
static void print_pmu(const struct result *result, FILE *stream)
{
	const char *pmu = text_of(result->fingerprint, "pmu");
	const char *asked = text_of(result->effective, "pmu");
	char text[LINE_BYTES] = "";

	if (!pmu || strcmp(pmu, "counts") == 0 || !asked || strcmp(asked, "off") == 0)
		return;
	append(text, "not on this machine: %s", pmu);
	print_paragraph("PMU: ", text, TEXT_WIDTH, stream);
}

static void print_run(const struct result *result, FILE *stream)
{
	char text[LINE_BYTES] = "", number[NUMBER_BYTES];

	append(text, "%s to %s, ", result->started_utc, result->ended_utc);
	/* A search runs each load as often as it takes. */
	if (!result->calibration)
		append(text, "%u %s, ", result->repeats,
		       result->n_variants > 1 ? "blocks" : "repeats");
	append(text, "seed %" PRIu64 ", orion-sim %s; reading the clock costs %s ns", result->seed,
	       result->version, number_short(result->clock_cost_ns, number));
	print_paragraph("Run: ", text, TEXT_WIDTH, stream);
}

/* In single quotes where a shell would not leave it alone. */
static void append_word(char *text, const char *word)
{
	if (word[0] && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./=:,+@%") == strlen(word)) {
		append(text, " %s", word);
		return;
	}
	append(text, " '");
	for (; *word; word++)
		append(text, *word == '\'' ? "'\\''" : "%c", *word);
	append(text, "'");
}

/* A demo made its own file, which is gone: it makes another. */
static bool made_its_own_target(const cJSON *targets)
{
	const char *first = cJSON_GetStringValue(cJSON_GetArrayItem(targets, 0));

	return first && strncmp(first, "/proc/self/fd/", 14) == 0;
}

static bool was_sampled(const struct result *result)
{
	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points; p++)
			for (unsigned r = 0; r < result->variants[v].points[p].n_repeats; r++)
				if (result->variants[v].points[p].repeats[r].sampled)
					return true;
	return false;
}

static void print_command(const struct result *result, FILE *stream)
{
	const cJSON *targets = cJSON_GetObjectItemCaseSensitive(result->effective, "targets");
	const cJSON *target;
	char text[LINE_BYTES] = "orion-sim", seed[48];

	if (result->calibration) {
		print_paragraph("Repeat: ", result->calibration->command, TEXT_WIDTH, stream);
		return;
	}
	if (made_its_own_target(targets)) {
		append(text, " demo");
	} else {
		append(text, " run");
		append_word(text, result->name);
		append(text, result->against_itself ? " --aa" : "");
		cJSON_ArrayForEach (target, targets) {
			append(text, " --target");
			append_word(text, cJSON_IsString(target) ? target->valuestring : "");
		}
	}
	append(text, was_sampled(result) ? " --sample" : "");
	snprintf(seed, sizeof(seed), "seed=\"%" PRIu64 "\"", result->seed);
	append(text, " --set");
	append_word(text, seed);
	print_paragraph("Repeat: ", text, TEXT_WIDTH, stream);
}

void text_footer(const struct rows *rows, FILE *stream)
{
	fputc('\n', stream);
	print_machine(rows->result, stream);
	print_pmu(rows->result, stream);
	text_warmup(rows, stream);
	print_run(rows->result, stream);
	print_command(rows->result, stream);
}
