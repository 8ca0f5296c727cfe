/* SPDX-License-Identifier: MIT */
/* fingerprint_build.c - which build of the program runs: compiler, options, machine code. */
#include <inttypes.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>

#include "run/fingerprint.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifdef __OPTIMIZE__
#define OPTIMISED " optimised"
#else
#define OPTIMISED ""
#endif

#ifdef NDEBUG
#define ASSERTIONS ""
#else
#define ASSERTIONS " assertions"
#endif

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED " address-sanitizer"
#elif defined(__SANITIZE_THREAD__)
#define SANITIZED " thread-sanitizer"
#else
#define SANITIZED ""
#endif

/* FNV-1a over the executable segments of the first object, which is the program itself. */
static int hash_code(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t *hash = context;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const unsigned char *code =
			(const unsigned char *)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		for (size_t at = 0; at < segment->p_filesz; at++)
			*hash = (*hash ^ code[at]) * 1099511628211u;
	}
	return 1;
}

const char *fingerprint_build(char *text, size_t size)
{
	uint64_t hash = 14695981039346656037u;

	dl_iterate_phdr(hash_code, &hash);
	snprintf(text, size, "%s%s%s%s code %016" PRIx64, COMPILER, OPTIMISED, ASSERTIONS,
		 SANITIZED, hash);
	return text;
}
