/* SPDX-License-Identifier: MIT */
/* fingerprint.c - the machine and its settings that figures depend on, as JSON. */
#include "run/fingerprint.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sysfile.h"
#include "base/topology.h"
#include "run/pmu.h"

#define FOLIO_KB_MAX (512 << 10) /* the largest that any architecture has */

struct named_file {
	const char *key, *path;
};

/* Read as they are; one that is absent is left out. */
static const struct named_file machine_files[] = {
	{"command_line", "/proc/cmdline"},
	{"boot_id", "/proc/sys/kernel/random/boot_id"},
	{"tainted", "/proc/sys/kernel/tainted"},
	{"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
	{"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
	{"scaling_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"},
	{"boost", "/sys/devices/system/cpu/cpufreq/boost"},
	{"no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
	{"idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver"},
	{"idle_governor", "/sys/devices/system/cpu/cpuidle/current_governor"},
	{"smt_active", "/sys/devices/system/cpu/smt/active"},
	{"thp_enabled", "/sys/kernel/mm/transparent_hugepage/enabled"},
	{"thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag"},
	{"thp_shmem_enabled", "/sys/kernel/mm/transparent_hugepage/shmem_enabled"},
	{"numa_balancing", "/proc/sys/kernel/numa_balancing"},
	{"aio_max_nr", "/proc/sys/fs/aio-max-nr"},
	{"io_uring_disabled", "/proc/sys/kernel/io_uring_disabled"},
	{"shmmax", "/proc/sys/kernel/shmmax"},
	{"shmall", "/proc/sys/kernel/shmall"},
	{"loadavg", "/proc/loadavg"},
	{NULL, NULL}};

static const struct named_file device_files[] = {
	{"model", "device/model"},
	{"scheduler", "queue/scheduler"},
	{"nr_requests", "queue/nr_requests"},
	{"max_sectors_kb", "queue/max_sectors_kb"},
	{"max_hw_sectors_kb", "queue/max_hw_sectors_kb"},
	{"max_segments", "queue/max_segments"},
	{"max_segment_size", "queue/max_segment_size"},
	{"logical_block_size", "queue/logical_block_size"},
	{"physical_block_size", "queue/physical_block_size"},
	{"rotational", "queue/rotational"},
	{"write_cache", "queue/write_cache"},
	{"io_poll", "queue/io_poll"},
	{"iostats", "queue/iostats"},
	{"nomerges", "queue/nomerges"},
	{"rq_affinity", "queue/rq_affinity"},
	{"wbt_lat_usec", "queue/wbt_lat_usec"},
	{NULL, NULL}};

static void add_files(cJSON *object, const char *folder, const struct named_file *files)
{
	for (; files->key; files++) {
		char path[512], text[512];

		snprintf(path, sizeof(path), "%s%s", folder, files->path);
		if (sysfile_read(path, text, sizeof(text), NULL) == 0)
			cJSON_AddStringToObject(object, files->key, text);
	}
}

static void add_cpu(cJSON *object)
{
	char text[8192], *model, *end;
	struct topology topology;

	if (sysfile_read("/proc/cpuinfo", text, sizeof(text), NULL) == 0 &&
	    (model = strstr(text, "model name")) && (model = strchr(model, ':')) &&
	    (end = strchr(model, '\n'))) {
		*end = '\0';
		cJSON_AddStringToObject(object, "cpu_model", model + 2);
	}
	json_add_count(object, "cpus_online", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (topology_read(&topology, NULL) < 0)
		return;
	json_add_count(object, "cpus_allowed", (uint64_t)topology.n_cpus);
	json_add_count(object, "nodes", (uint64_t)topology.n_nodes);
	json_add_count(object, "page_bytes", topology.page_bytes);
	json_add_count(object, "pmd_bytes", topology.pmd_bytes);
}

static void add_memory(cJSON *object)
{
	static const struct named_file fields[] = {{"memory_total_bytes", "MemTotal"},
						   {"memory_available_bytes", "MemAvailable"},
						   {"swap_total_bytes", "SwapTotal"},
						   {NULL, NULL}};
	char text[4096];

	if (sysfile_read("/proc/meminfo", text, sizeof(text), NULL) < 0)
		return;
	for (const struct named_file *field = fields; field->key; field++) {
		uint64_t bytes;

		if (sysfile_field_kb(text, field->path, &bytes) == 0)
			json_add_count(object, field->key, bytes);
	}
}

/* Huge page pools and per-size THP settings: one key a size. */
static void add_folder(cJSON *object, const char *key, const char *folder, const char *prefix,
		       const char *file)
{
	cJSON *sizes = cJSON_AddObjectToObject(object, key);
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[512], text[128];

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", folder, entry->d_name, file);
		if (sysfile_read(path, text, sizeof(text), NULL) == 0)
			cJSON_AddStringToObject(sizes, entry->d_name, text);
	}
	if (dir)
		closedir(dir);
}

/* Folios of private memory that are not plainly off: "64kB madvise, 2048kB inherit". */
static void add_thp_sizes(cJSON *object)
{
	char text[512] = "";
	size_t used = 0;

	for (unsigned kb = 4; kb <= FOLIO_KB_MAX && used < sizeof(text); kb *= 2) {
		char path[128], words[128], word[64];

		snprintf(path, sizeof(path),
			 "/sys/kernel/mm/transparent_hugepage/hugepages-%ukB/enabled", kb);
		if (sysfile_read(path, words, sizeof(words), NULL) < 0)
			continue;
		sysfile_bracketed(words, word, sizeof(word));
		if (strcmp(word, "never") != 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%ukB %s",
						 used ? ", " : "", kb, word);
	}
	cJSON_AddStringToObject(object, "thp_sizes", text);
}

/*
 * What the CPU may sleep in, how long it takes to wake up from it, and what is forbidden: "POLL 0
 * us, C1 2 us, C6 133 us disabled". A file that is absent leaves out its part.
 */
static void add_idle_states(cJSON *object, const char *root)
{
	char text[512] = "";
	size_t used = 0;

	for (unsigned i = 0; used < sizeof(text); i++) {
		char path[512], name[32], latency_us[32] = "", disabled[8] = "0";
		int end;

		end = snprintf(path, sizeof(path),
			       "%s/sys/devices/system/cpu/cpu0/cpuidle/state%u/", root, i);
		snprintf(path + end, sizeof(path) - (size_t)end, "name");
		if (sysfile_read(path, name, sizeof(name), NULL) < 0)
			break;
		snprintf(path + end, sizeof(path) - (size_t)end, "latency");
		sysfile_read(path, latency_us, sizeof(latency_us), NULL);
		snprintf(path + end, sizeof(path) - (size_t)end, "disable");
		sysfile_read(path, disabled, sizeof(disabled), NULL);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s%s%s%s",
					 used ? ", " : "", name, latency_us[0] ? " " : "",
					 latency_us, latency_us[0] ? " us" : "",
					 strcmp(disabled, "0") != 0 ? " disabled" : "");
	}
	if (used)
		cJSON_AddStringToObject(object, "idle_states", text);
}

static void add_pmu(cJSON *object)
{
	struct error error = {0};

	cJSON_AddStringToObject(object, "pmu", pmu_probe(&error) == 0 ? "counts" : error.text);
}

cJSON *fingerprint_machine(const char *root)
{
	cJSON *machine = cJSON_CreateObject();
	struct utsname name;
	char build[160];

	if (uname(&name) == 0) {
		cJSON_AddStringToObject(machine, "kernel", name.release);
		cJSON_AddStringToObject(machine, "kernel_version", name.version);
		cJSON_AddStringToObject(machine, "architecture", name.machine);
	}
	add_cpu(machine);
	add_memory(machine);
	add_pmu(machine);
	cJSON_AddStringToObject(machine, "build", fingerprint_build(build, sizeof(build)));
	cJSON_AddItemToObject(machine, "mitigations", fingerprint_mitigations(root));
	add_files(machine, root, machine_files);
	add_idle_states(machine, root);
	add_folder(machine, "hugepages_nr", "/sys/kernel/mm/hugepages", "hugepages-",
		   "nr_hugepages");
	add_thp_sizes(machine);
	add_folder(machine, "shmem_enabled", "/sys/kernel/mm/transparent_hugepage", "hugepages-",
		   "shmem_enabled");
	return machine;
}

cJSON *fingerprint_device(const char *name)
{
	cJSON *device = cJSON_CreateObject();
	char folder[64];

	cJSON_AddStringToObject(device, "name", name);
	snprintf(folder, sizeof(folder), "/sys/block/%s/", name);
	add_files(device, folder, device_files);
	return device;
}
