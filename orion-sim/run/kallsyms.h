/* SPDX-License-Identifier: MIT */
/* kallsyms.h - the kernel's functions by their addresses, as /proc/kallsyms tells them. */
#ifndef ORION_RUN_KALLSYMS_H
#define ORION_RUN_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

struct error;

struct kernel_symbol {
	uint64_t address;
	uint32_t name; /* offset in names */
	bool function;
};

/* Sorted by address, one symbol each. */
struct kallsyms {
	unsigned n;
	struct kernel_symbol *symbols; /* owned */
	char *names;		       /* owned: "name" or "name [module]", NUL-terminated */
};

/*
 * Reads root/proc/kallsyms (root "" but in tests). ERROR_CANNOT with the remedy where addresses are
 * hidden from this user, or there is no such file. -ENOMEM.
 */
int kallsyms_read(const char *root, struct kallsyms *ret, struct error *error);
void kallsyms_free(struct kallsyms *kallsyms);

/* Index of the function that an address lies in; -1 if it lies in none. */
int kallsyms_find(const struct kallsyms *kallsyms, uint64_t address);

const char *kallsyms_name(const struct kallsyms *kallsyms, int index);

/* Is this where a CPU waits for work? */
bool kallsyms_is_idle(const char *name);

#endif
