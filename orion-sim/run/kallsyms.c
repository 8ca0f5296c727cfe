/* SPDX-License-Identifier: MIT */
/* kallsyms.c - the kernel's functions by their addresses, as /proc/kallsyms tells them. */
#include "run/kallsyms.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/sysfile.h"

#define NAME_BYTES 512 /* the kernel's own bound on a name, KSYM_NAME_LEN */

/* Grows while the file is read. */
struct reading {
	struct kallsyms all;
	unsigned room;
	size_t used, size; /* of names */
};

/* "ffffffff81000000 T name\t[module]" */
struct line {
	uint64_t address;
	char type;
	char name[NAME_BYTES];
	char module[64];
};

static bool line_parse(const char *text, struct line *ret)
{
	int n;

	ret->module[0] = '\0';
	n = sscanf(text, "%" SCNx64 " %c %511s %63s", &ret->address, &ret->type, ret->name,
		   ret->module);
	return n >= 3;
}

static int reading_grow(struct reading *reading)
{
	unsigned room = reading->room ? 2 * reading->room : 1 << 16;
	void *symbols = reallocarray(reading->all.symbols, room, sizeof(*reading->all.symbols));

	if (!symbols)
		return -ENOMEM;
	reading->all.symbols = symbols;
	reading->room = room;
	return 0;
}

static int reading_grow_names(struct reading *reading)
{
	size_t size = reading->size ? 2 * reading->size : 1 << 21;
	char *names = realloc(reading->all.names, size);

	if (!names)
		return -ENOMEM;
	reading->all.names = names;
	reading->size = size;
	return 0;
}

static int reading_add(struct reading *reading, const struct line *line)
{
	struct kallsyms *all = &reading->all;
	size_t most = sizeof(line->name) + sizeof(line->module) + 2;

	if (all->n == reading->room && reading_grow(reading) < 0)
		return -ENOMEM;
	if (reading->size - reading->used < most && reading_grow_names(reading) < 0)
		return -ENOMEM;
	all->symbols[all->n++] =
		(struct kernel_symbol){.address = line->address,
				       .name = (uint32_t)reading->used,
				       .function = strchr("tTwW", line->type) != NULL};
	reading->used += (size_t)snprintf(all->names + reading->used, most, "%s%s%s", line->name,
					  line->module[0] ? " " : "", line->module) +
			 1;
	return 0;
}

/* Of several names for one place a function's comes first, then the file's order decides: names
 * lie in it as they were read. */
static int symbol_compare(const void *a, const void *b)
{
	const struct kernel_symbol *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	if (left->function != right->function)
		return left->function ? -1 : 1;
	return (left->name > right->name) - (left->name < right->name);
}

static void kallsyms_sort(struct kallsyms *all)
{
	unsigned n = 0;

	qsort(all->symbols, all->n, sizeof(*all->symbols), symbol_compare);
	for (unsigned i = 0; i < all->n; i++)
		if (n == 0 || all->symbols[i].address != all->symbols[n - 1].address)
			all->symbols[n++] = all->symbols[i];
	all->n = n;
}

static int kallsyms_hidden(const char *root, struct error *error)
{
	char path[512], restrict_value[32] = "not there";

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/kptr_restrict", root);
	sysfile_read(path, restrict_value, sizeof(restrict_value), NULL);
	return error_set(error, ERROR_CANNOT,
			 "the addresses of kernel functions are hidden from this user "
			 "(kernel.kptr_restrict is %s): run as root with: sysctl "
			 "kernel.kptr_restrict=1",
			 restrict_value);
}

static int reading_lines(struct reading *reading, FILE *file, bool *ret_shown)
{
	char text[NAME_BYTES + 128];
	struct line line;

	while (fgets(text, sizeof(text), file)) {
		if (!line_parse(text, &line))
			continue;
		if (line.address == 0)
			continue;
		*ret_shown = true;
		if (reading_add(reading, &line) < 0)
			return -ENOMEM;
	}
	return 0;
}

int kallsyms_read(const char *root, struct kallsyms *ret, struct error *error)
{
	CLEANUP(cleanup_fclose) FILE *file = NULL;
	struct reading reading = {.room = 0};
	char path[512];
	bool shown = false;
	int status;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	file = fopen(path, "re");
	if (!file)
		return error_set(error, ERROR_CANNOT,
				 "kernel functions have no names here: %s cannot be read: %s", path,
				 strerror(errno));
	status = reading_lines(&reading, file, &shown);
	if (status < 0)
		error_set(error, status, "no memory for the names of kernel functions");
	else if (!shown)
		status = kallsyms_hidden(root, error);
	if (status < 0) {
		kallsyms_free(&reading.all);
		return status;
	}
	kallsyms_sort(&reading.all);
	*ret = reading.all;
	return 0;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	free(kallsyms->symbols);
	free(kallsyms->names);
	*kallsyms = (struct kallsyms){.n = 0};
}

int kallsyms_find(const struct kallsyms *kallsyms, uint64_t address)
{
	unsigned low = 0, high = kallsyms->n;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (kallsyms->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && kallsyms->symbols[low - 1].function ? (int)low - 1 : -1;
}

const char *kallsyms_name(const struct kallsyms *kallsyms, int index)
{
	return kallsyms->names + kallsyms->symbols[index].name;
}

bool kallsyms_is_idle(const char *name)
{
	/* Beginnings of names: compilers add ".constprop.0", architectures "_ibrs" or "_s2idle". */
	static const char *const begins[] = {"pv_native_safe_halt",
					     "native_safe_halt",
					     "default_idle",
					     "arch_cpu_idle",
					     "mwait_idle",
					     "intel_idle",
					     "acpi_safe_halt",
					     "acpi_idle_",
					     "cpuidle_enter",
					     "poll_idle",
					     "default_enter_idle",
					     "haltpoll_",
					     "xen_safe_halt",
					     "tdx_halt",
					     "tdx_safe_halt",
					     "cpu_do_idle",
					     "do_idle",
					     "psci_enter_idle",
					     "psci_cpu_suspend",
					     "cpu_idle_poll",
					     NULL};

	for (unsigned i = 0; begins[i]; i++)
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}
