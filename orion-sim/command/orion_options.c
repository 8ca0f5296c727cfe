/* SPDX-License-Identifier: MIT */
/* orion_options.c - the command line of Orion as data: its options, and a few of our own. */
#include "command/orion_options.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/field.h"
#include "base/units.h"

#define KB_MAX	 (1u << 20) /* 1 GiB, the largest I/O */
#define LOAD_MAX 65536
#define OPTION(kind, key, c_type, member, preset, min, max, choices, help)                         \
	FIELD_ROW(key, kind, c_type, struct orion_options, member, preset, min, max, choices, help)
#define OPTION_COUNT(key, member, preset, min, max, help)                                          \
	OPTION(FIELD_TYPE_COUNT, key, uint64_t, member, preset, min, max, NULL, help)
#define OPTION_CHOICE(key, member, preset, choices, help)                                          \
	OPTION(FIELD_TYPE_CHOICE, key, int, member, preset, 0, 0, choices, help)
#define OPTION_FLAG(key, member, help)                                                             \
	OPTION(FIELD_TYPE_BOOL, key, bool, member, "false", 0, 0, NULL, help)
#define OPTION_TEXT(key, member, preset, help)                                                     \
	FIELD_TEXT(key, struct orion_options, member, preset, help)

static const char *const runs[] = {"simple", "normal", "oltp", "dss", "advanced", NULL};
static const char *const types[] = {"rand", "seq", NULL};
static const char *const arrays[] = {"concat", "raid0", NULL};
static const char *const matrices[] = {"basic", "detailed", "point", "col", "row", "max", NULL};
static const char *const storages[] = {"skgfr", "oss", "asmlib", "odmlib", NULL};

static const struct field options[] = {
	OPTION_CHOICE(
		"run", run, "simple", runs,
		"which test; must be given: simple (small, then large random I/O), normal (and "
		"all combinations), oltp (8K random), dss (1M random), advanced (as told)"),
	OPTION_TEXT("testname", testname, "orion",
		    "TESTNAME.lun names the LUNs, and all output begins with it (orion)"),
	OPTION_COUNT("num_disks", num_disks, "0", 0, 4096,
		     "disks behind the LUNs: loads are scaled by it (as many as LUNs)"),
	OPTION_COUNT("size_small", size_small_kb, "8", 1, KB_MAX, "KB of a small I/O (8)"),
	OPTION_COUNT("size_large", size_large_kb, "1024", 1, KB_MAX, "KB of a large I/O (1024)"),
	OPTION_CHOICE("type", type, "rand", types, "order of large I/O (rand)"),
	OPTION_COUNT("num_streamIO", num_stream_io, "4", 1, LOAD_MAX,
		     "I/Os in flight of each sequential stream (4)"),
	OPTION_CHOICE("simulate", simulate, "concat", arrays, "how LUNs form one volume (concat)"),
	OPTION_COUNT("stripe", stripe_kb, "1024", 1, UINT64_C(1) << 30,
		     "KB of a stripe of raid0 (1024)"),
	OPTION_COUNT("write", write_percent, "0", 0, 100,
		     "percent of I/Os that write (0; there are no others yet)"),
	OPTION_TEXT("cache_size", cache_mb, "",
		    "MB read at random before each load of sequential streams, to fill the array's "
		    "cache; 0 does without (2 minutes of it)"),
	OPTION_COUNT("duration", duration_s, "60", 1, 2592000, "seconds of each data point (60)"),
	OPTION_CHOICE("matrix", matrix, "basic", matrices,
		      "of -run advanced: which loads (basic: small alone, large alone)"),
	OPTION_COUNT("num_small", num_small, "0", 0, LOAD_MAX,
		     "small I/Os in flight, with matrix point, col and max"),
	OPTION_COUNT("num_large", num_large, "0", 0, LOAD_MAX,
		     "large I/Os in flight, or streams, with matrix point, row and max"),
	OPTION_CHOICE("storax", storax, "skgfr", storages,
		      "taken and not used: I/O goes by libaio whichever it is"),
	OPTION_FLAG("hugenotneeded", hugenotneeded, "memory of base pages does"),
	OPTION_FLAG("verbose", verbose, "a line for each data point"),
	OPTION_FLAG("help", help, "this"),
	FIELD_END};

static const struct field ours[] = {
	OPTION_TEXT("loads", loads, "",
		    "these loads in place of the rule's: SMALL/LARGE as 1,2,4,8/1-3, either may be "
		    "left out"),
	OPTION_FLAG("print-profile", print_profile,
		    "prints the profile that is to be run, and runs nothing"),
	OPTION_FLAG("percentiles", percentiles,
		    "p50 to p99.99 of small I/O in matrices of their own, in us"),
	FIELD_END};

/* The one that may be given many times. */
static const char set_option[] = "--set";
static const char set_help[] =
	"changes the profile, as PATH=VALUE like phases.warmup=2s (can be repeated)";

/* What a user of Orion looks for in a script's log, and what to do. */
static int input_fail(struct error *error)
{
	error_prefix(error, "Error in input parameters: ");
	return error_append(error, ". For help, run: orion -help.");
}

static bool name_begins(const struct field *field, const char *word, size_t length)
{
	return strncasecmp(field->name, word, length) == 0;
}

static void names_list(const struct field *fields, const char *word, char *text, size_t size)
{
	size_t length = strlen(word), used = 0;

	text[0] = '\0';
	for (; fields->name && used < size; fields++)
		if (name_begins(fields, word, length))
			used += (size_t)snprintf(text + used, size - used, "%s-%s",
						 used ? ", " : "", fields->name);
}

static int option_find(const char *word, const struct field **ret, struct error *error)
{
	size_t length = strlen(word);
	const struct field *found = NULL;
	unsigned n = 0;
	char names[400];

	for (const struct field *field = options; length && field->name; field++) {
		if (!name_begins(field, word, length))
			continue;
		found = field;
		if (strlen(field->name) == length) {
			n = 1;
			break;
		}
		n++;
	}
	if (n == 1) {
		*ret = found;
		return 0;
	}
	names_list(options, n ? word : "", names, sizeof(names));
	if (n == 0)
		return error_set(error, ERROR_INPUT, "no option is called '-%s' (there are: %s)",
				 word, names);
	return error_set(error, ERROR_INPUT, "'-%s' may be each of %s; write more of it", word,
			 names);
}

static int our_option_find(const char *word, size_t length, const struct field **ret,
			   struct error *error)
{
	for (const struct field *field = ours; field->name; field++)
		if (strlen(field->name) == length && strncmp(field->name, word, length) == 0) {
			*ret = field;
			return 0;
		}
	return error_set(error, ERROR_INPUT,
			 "no option is called '--%s'; Orion's own begin with one '-'", word);
}

/* RAID0 is as good as raid0. */
static int value_read(const struct field *field, const char *value, struct orion_options *into,
		      struct error *error)
{
	char lower[32];
	size_t i = 0;

	if (field->type == FIELD_TYPE_CHOICE && strlen(value) < sizeof(lower)) {
		for (; value[i]; i++)
			lower[i] = (char)tolower((unsigned char)value[i]);
		lower[i] = '\0';
		value = lower;
	}
	return field_parse(field, value, into, error);
}

static int set_add(const char *value, struct orion_options *into, struct error *error)
{
	if (into->n_sets == ORION_SETS_MAX)
		return error_set(error, ERROR_INPUT, "%s is given more than %d times", set_option,
				 ORION_SETS_MAX);
	into->sets[into->n_sets++] = value;
	return 0;
}

struct reading {
	const char *const *words;
	struct orion_options options;
	bool seen[64]; /* by place in the tables, ours behind Orion's */
};

/* One option; *word moves on where the value is the next one. */
static int option_read(struct reading *reading, const char *const **word, struct error *error)
{
	const char *name = **word, *equals = NULL, *value = NULL;
	bool own = name[1] == '-' && name[2];
	const struct field *field = NULL;
	size_t place;
	int status;

	if (own && strcmp(name, set_option) == 0 && (*word)[1])
		return set_add(*++*word, &reading->options, error);
	if (own) {
		name += 2;
		equals = strchr(name, '=');
		status = our_option_find(name, equals ? (size_t)(equals - name) : strlen(name),
					 &field, error);
	} else {
		status = option_find(name + 1, &field, error);
	}
	if (status < 0)
		return status;
	place = own ? sizeof(options) / sizeof(options[0]) + (size_t)(field - ours)
		    : (size_t)(field - options);
	if (reading->seen[place])
		return error_set(error, ERROR_INPUT, "%s%s is given twice; leave one out",
				 own ? "--" : "-", field->name);
	reading->seen[place] = true;
	if (equals)
		value = equals + 1;
	else if (field->type == FIELD_TYPE_BOOL)
		value = "true";
	else if ((*word)[1] && (*word)[1][0] != '-')
		value = *++*word;
	if (!value)
		return error_set(error, ERROR_INPUT, "%s%s needs a value", own ? "--" : "-",
				 field->name);
	status = value_read(field, value, &reading->options, error);
	return status < 0 ? error_prefix(error, "%s%s: ", own ? "--" : "-", field->name) : 0;
}

static bool is_seen(const struct reading *reading, const char *name)
{
	for (size_t i = 0; options[i].name; i++)
		if (strcmp(options[i].name, name) == 0)
			return reading->seen[i];
	return false;
}

static int testname_check(const char *name, struct error *error)
{
	size_t length = strlen(name);

	if (length == 0 || length > ORION_TESTNAME_MAX)
		return error_set(error, ERROR_INPUT,
				 "-testname has %zu characters, but must have 1 to %d", length,
				 ORION_TESTNAME_MAX);
	if (strchr(name, '/'))
		return error_set(error, ERROR_INPUT,
				 "-testname '%s' has a slash; change to the folder first, and give "
				 "the name alone",
				 name);
	if (length > 4 && strcmp(name + length - 4, ".lun") == 0)
		return error_set(error, ERROR_INPUT,
				 "-testname '%s' ends in .lun, and %s.lun would be looked for; "
				 "leave .lun out",
				 name, name);
	for (size_t i = 0; i < length; i++)
		if (iscntrl((unsigned char)name[i]))
			return error_set(error, ERROR_INPUT,
					 "-testname '%s' has a control character; leave it out",
					 name);
	return 0;
}

/* Options that mean nothing in the test that is run would be overlooked for good. */
static int matrix_check(const struct reading *reading, struct error *error)
{
	const struct orion_options *o = &reading->options;
	bool takes_small =
		o->matrix == ORION_POINT || o->matrix == ORION_COL || o->matrix == ORION_MAX;
	bool takes_large =
		o->matrix == ORION_POINT || o->matrix == ORION_ROW || o->matrix == ORION_MAX;

	if (o->run != ORION_ADVANCED && is_seen(reading, "matrix"))
		return error_set(error, ERROR_INPUT,
				 "-matrix needs -run advanced; -run %s has a matrix of its own",
				 runs[o->run]);
	if (is_seen(reading, "num_small") && (o->run != ORION_ADVANCED || !takes_small))
		return error_set(error, ERROR_INPUT,
				 "-num_small needs -run advanced with -matrix point, col or max");
	if (is_seen(reading, "num_large") && (o->run != ORION_ADVANCED || !takes_large))
		return error_set(error, ERROR_INPUT,
				 "-num_large needs -run advanced with -matrix point, row or max");
	if (o->run == ORION_ADVANCED && takes_small && !is_seen(reading, "num_small"))
		return error_set(error, ERROR_INPUT, "-matrix %s needs -num_small",
				 matrices[o->matrix]);
	if (o->run == ORION_ADVANCED && takes_large && !is_seen(reading, "num_large"))
		return error_set(error, ERROR_INPUT, "-matrix %s needs -num_large",
				 matrices[o->matrix]);
	if (o->run == ORION_ADVANCED && takes_small && takes_large && !o->num_small &&
	    !o->num_large)
		return error_set(
			error, ERROR_INPUT,
			"-num_small and -num_large are both 0, so that there is nothing to "
			"run; raise one of them");
	return 0;
}

static int options_check(const struct reading *reading, struct error *error)
{
	const struct orion_options *o = &reading->options;
	uint64_t number;
	int status = testname_check(o->testname, error);

	if (status < 0)
		return status;
	if (!is_seen(reading, "run"))
		return error_set(error, ERROR_INPUT,
				 "-run is missing; say which test: -run simple, normal, oltp, dss "
				 "or advanced");
	if (is_seen(reading, "num_disks") && o->num_disks == 0)
		return error_set(error, ERROR_INPUT,
				 "-num_disks 0 leaves no load; say 1 or more, or leave it out for "
				 "as many as there are LUNs");
	if (o->write_percent > 0)
		return error_set(error, ERROR_INPUT,
				 "-write %lu would write to the LUNs and destroy what is on them; "
				 "orion-sim only reads: leave -write out, or say -write 0",
				 o->write_percent);
	if (o->cache_mb[0] &&
	    (units_parse_count(o->cache_mb, &number, NULL) < 0 || number > UINT64_C(1) << 30))
		return error_set(error, ERROR_INPUT,
				 "-cache_size '%s' is not a number of MB from 0 to 1073741824",
				 o->cache_mb);
	return matrix_check(reading, error);
}

static bool wants_help(const char *const *words)
{
	for (; *words; words++)
		if (strcmp(*words, "-help") == 0 || strcmp(*words, "--help") == 0 ||
		    strcmp(*words, "-h") == 0)
			return true;
	return false;
}

int orion_options_read(const char *const *words, struct orion_options *ret, struct error *error)
{
	struct reading reading = {.words = words};
	int status = 0;

	field_presets(options, &reading.options);
	field_presets(ours, &reading.options);
	if (wants_help(words)) {
		reading.options.help = true;
		*ret = reading.options;
		return 0;
	}
	for (const char *const *word = words; status == 0 && *word; word++) {
		if ((*word)[0] != '-' || !(*word)[1])
			status = error_set(error, ERROR_INPUT,
					   "unexpected word '%s'; options begin with '-'", *word);
		else
			status = option_read(&reading, &word, error);
	}
	if (status == 0)
		status = options_check(&reading, error);
	if (status < 0)
		return input_fail(error);
	*ret = reading.options;
	return 0;
}

static void help_print(const struct field *fields, const char *dashes)
{
	char option[48], bounds[160];

	for (; fields->name; fields++) {
		snprintf(option, sizeof(option), "%s%s", dashes, fields->name);
		printf("  %-16s %s", option, fields->help);
		if (fields->type == FIELD_TYPE_CHOICE)
			printf(": %s", field_bounds(fields, bounds, sizeof(bounds)));
		putchar('\n');
	}
}

void orion_options_help(void)
{
	printf("usage: orion-sim orion -run TEST [OPTIONS]\n\n"
	       "Orion's tests with Orion's options and files, by the runs and into the memory of\n"
	       "orion-sim. LUNs are files or block devices, one a line in TESTNAME.lun; they are "
	       "only\n"
	       "read. What is preset is in parentheses; names may be cut where they stay clear.\n\n"
	       "options:\n");
	help_print(options, "-");
	printf("\nmore than Orion had:\n");
	help_print(ours, "--");
	printf("  %-16s %s\n", set_option, set_help);
	printf("\nfiles: TESTNAME_yyyymmdd_hhmm_summary.txt, _iops.csv, _lat.csv (ms), _mbps.csv\n"
	       "(2^20 bytes), _hist.txt, _trace.txt, and _result.json, the document that "
	       "orion-sim\n"
	       "report and compare read.\n");
}

const char *orion_options_line(const char *const *words, char *text, unsigned long size)
{
	unsigned long used = 0;

	text[0] = '\0';
	for (; *words; words++) {
		int n;

		if (strcmp(*words, "--print-profile") == 0)
			continue;
		n = snprintf(text + used, size - used, "%s%s", used ? " " : "", *words);

		if (n < 0 || (unsigned long)n >= size - used) {
			snprintf(text + (size > 5 ? size - 5 : 0), 5, "…");
			return text;
		}
		used += (unsigned long)n;
	}
	return text;
}
