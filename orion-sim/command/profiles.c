/* SPDX-License-Identifier: MIT */
/* profiles.c - where profiles are found by their name, and how one becomes a plan. */
#include "command/profiles.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "base/sysfile.h"
#include "base/words.h"
#include "command/command.h"
#include "plan/fit.h"
#include "run/settings.h"
#include "stats/summary.h"
#include "workload/workload.h"

#define SUFFIX	    ".json"
#define PLACES_STEP 32
#define METRICS_MAX 127

struct dirs {
	char (*paths)[PROFILE_PATH_BYTES];
	unsigned n;
};

struct places {
	struct profile_place *list;
	unsigned n, room;
};

static void dirs_add(struct dirs *dirs, const char *path)
{
	CLEANUP(cleanup_free) char *real = realpath(path, NULL);
	struct stat status;

	if (!real || stat(real, &status) < 0 || !S_ISDIR(status.st_mode) ||
	    strlen(real) >= PROFILE_PATH_BYTES - 80)
		return;
	for (unsigned i = 0; i < dirs->n; i++) {
		CLEANUP(cleanup_free) char *other = realpath(dirs->paths[i], NULL);

		if (other && !strcmp(other, real))
			return;
	}
	/* "./profiles" is shown as the user knows it. */
	snprintf(dirs->paths[dirs->n++], PROFILE_PATH_BYTES, "%s", *path == '/' ? real : path);
}

static void dirs_add_below(struct dirs *dirs, const char *base, const char *path)
{
	char whole[2 * PROFILE_PATH_BYTES];

	snprintf(whole, sizeof(whole), "%s/%s", base, path);
	dirs_add(dirs, whole);
}

/* A build directory lies in its tree, at most two levels deep. */
static void dirs_add_tree(struct dirs *dirs, const char *program_dir)
{
	char marker[PROFILE_PATH_BYTES + 32];

	snprintf(marker, sizeof(marker), "%s/CMakeCache.txt", program_dir);
	if (access(marker, R_OK) < 0)
		return;
	dirs_add_below(dirs, program_dir, "../profiles");
	dirs_add_below(dirs, program_dir, "../../profiles");
}

unsigned command_profile_dirs(char paths[PROFILE_DIRS_MAX][PROFILE_PATH_BYTES])
{
	struct dirs dirs = {.paths = paths};
	char program[PROFILE_PATH_BYTES];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	dirs_add(&dirs, "profiles");
	if (length > 0) {
		program[length] = '\0';
		*strrchr(program, '/') = '\0';
		dirs_add_tree(&dirs, program);
		dirs_add_below(&dirs, program, "../share/orion-sim/profiles");
	}
	dirs_add(&dirs, ORION_PROFILES_DIR);
	return dirs.n;
}

static bool places_have(const struct places *places, const char *name)
{
	for (unsigned i = 0; i < places->n; i++)
		if (!strcmp(places->list[i].name, name))
			return true;
	return false;
}

/* Earlier directories win. */
static int places_add(struct places *places, const char *dir, const char *file)
{
	size_t length = strlen(file), stem = length - strlen(SUFFIX);
	struct profile_place *place;

	if (length <= strlen(SUFFIX) || *file == '.' || strcmp(file + stem, SUFFIX) != 0 ||
	    stem >= sizeof(place->name))
		return 0;
	if (places->n == places->room) {
		struct profile_place *more =
			realloc(places->list, (places->room + PLACES_STEP) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		places->list = more;
		places->room += PLACES_STEP;
	}
	place = &places->list[places->n];
	snprintf(place->name, sizeof(place->name), "%.*s", (int)stem, file);
	if (places_have(places, place->name))
		return 0;
	places->n += snprintf(place->path, sizeof(place->path), "%s/%s", dir, file) <
		     (int)sizeof(place->path);
	return 0;
}

static int places_read(struct places *places, const char *dir)
{
	DIR *stream = opendir(dir);
	const struct dirent *file;
	int status = 0;

	while (stream && !status && (file = readdir(stream)))
		status = places_add(places, dir, file->d_name);
	if (stream)
		closedir(stream);
	return status;
}

static int place_compare(const void *a, const void *b)
{
	return strcmp(((const struct profile_place *)a)->name,
		      ((const struct profile_place *)b)->name);
}

int command_profile_places(struct profile_place **ret, unsigned *ret_n, struct error *error)
{
	char dirs[PROFILE_DIRS_MAX][PROFILE_PATH_BYTES];
	unsigned n = command_profile_dirs(dirs);
	struct places places = {0};

	for (unsigned i = 0; i < n; i++)
		if (places_read(&places, dirs[i]) < 0) {
			free(places.list);
			return error_set(error, -ENOMEM, "no memory for a list of profiles");
		}
	if (places.n)
		qsort(places.list, places.n, sizeof(*places.list), place_compare);
	*ret = places.list;
	*ret_n = places.n;
	return 0;
}

static int profile_unknown(const char *word, const struct profile_place *places, unsigned n,
			   struct error *error)
{
	CLEANUP(cleanup_free) const char **names = calloc(n + 1u, sizeof(*names));
	char sentence[700];

	for (unsigned i = 0; names && i < n; i++)
		names[i] = places[i].name;
	if (!names)
		return error_set(error, -ENOMEM, "no memory for a list of profiles");
	words_unknown("profile", word, names, sentence, sizeof(sentence));
	return error_set(error, ERROR_INPUT,
			 "%s; a file is named by a path with a slash, or ends in " SUFFIX,
			 sentence);
}

int command_find_profile(const char *word, char path[512], struct error *error)
{
	CLEANUP(cleanup_free) struct profile_place *places = NULL;
	size_t length = strlen(word), suffix = strlen(SUFFIX);
	unsigned n;
	int status;

	if (strchr(word, '/') || (length >= suffix && !strcmp(word + length - suffix, SUFFIX))) {
		if (length >= PROFILE_PATH_BYTES)
			return error_set(error, ERROR_INPUT,
					 "the path of the profile is %zu bytes long, at most %d "
					 "are possible; name it by a shorter one",
					 length, PROFILE_PATH_BYTES - 1);
		memcpy(path, word, length + 1);
		return 0;
	}
	status = command_profile_places(&places, &n, error);
	if (status < 0)
		return status;
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(places[i].name, word)) {
			memcpy(path, places[i].path, sizeof(places[i].path));
			return 0;
		}
	return profile_unknown(word, places, n, error);
}

/* Names of all figures, those that workloads declare behind the common ones. */
static void metric_names(const char *names[METRICS_MAX + 1])
{
	unsigned n = 0;

	for (unsigned i = 0; n < METRICS_MAX && summary_metrics[i].name; i++)
		names[n++] = summary_metrics[i].name;
	for (const struct entry *const *entry = workload_catalog.entries; *entry; entry++) {
		const struct derived *derived = ((const struct workload_ops *)*entry)->derived;

		for (; n < METRICS_MAX && derived && derived->name; derived++)
			names[n++] = derived->name;
	}
	names[n] = NULL;
}

static int metric_unknown(const struct profile *profile, const cJSON *node, const char *name,
			  struct error *error)
{
	const char *names[METRICS_MAX + 1];
	char sentence[800];

	metric_names(names);
	words_unknown("metric", name, names, sentence, sizeof(sentence));
	return json_fail(profile->document, node, error, ERROR_INPUT, "%s", sentence);
}

static bool metric_is_known(const char *name)
{
	const char *names[METRICS_MAX + 1];

	metric_names(names);
	for (const char *const *known = names; *known; known++)
		if (!strcmp(*known, name))
			return true;
	return false;
}

static int metrics_check(const struct profile *profile, struct error *error)
{
	const cJSON *node;

	cJSON_ArrayForEach (node, profile->primary) {
		const char *name = strchr(node->valuestring, '.') + 1;

		if (!metric_is_known(name))
			return metric_unknown(profile, node, name, error);
	}
	return 0;
}

static int all_settings_check(const struct profile *profile, struct error *error)
{
	const cJSON *variant;
	int status = 0;

	if (profile->settings)
		status = settings_check(profile->document, profile->settings, error);
	cJSON_ArrayForEach (variant, profile->variants) {
		const cJSON *list = cJSON_GetObjectItemCaseSensitive(variant, "settings");

		if (!status && list)
			status = settings_check(profile->document, list, error);
	}
	return status;
}

int command_check_profile(const struct profile *profile, struct error *error)
{
	int status = metrics_check(profile, error);

	return status < 0 ? status : all_settings_check(profile, error);
}

int command_make_plan(struct profile *profile, struct plan *ret, struct error *error)
{
	uint64_t available_bytes = 0;
	char text[8192];
	int status = plan_make(profile, ret, error);

	if (status < 0)
		return status;
	if (sysfile_read("/proc/meminfo", text, sizeof(text), NULL) == 0)
		sysfile_field_kb(text, "MemAvailable", &available_bytes);
	status = plan_fit(ret, available_bytes, error);
	if (status < 0)
		plan_free(ret);
	return status;
}

int command_load_plan(const char *word, const struct profile_overrides *overrides,
		      struct profile *ret_profile, struct plan *ret_plan, struct error *error)
{
	char path[PROFILE_PATH_BYTES];
	int status = command_find_profile(word, path, error);

	if (!status)
		status = profile_load(path, overrides, ret_profile, error);
	if (status < 0)
		return status;
	status = command_check_profile(ret_profile, error);
	if (!status)
		status = command_make_plan(ret_profile, ret_plan, error);
	if (status < 0)
		profile_free(ret_profile);
	return status;
}
