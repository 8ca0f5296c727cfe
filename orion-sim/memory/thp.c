/* SPDX-License-Identifier: MIT */
/* thp.c - what the kernel's settings say about large folios in shared anonymous memory. */
#include "memory/thp.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "base/units.h"

#define THP_FOLDER "/sys/kernel/mm/transparent_hugepage"

const char *thp_path(const char *root, uint64_t folio_bytes, const char *file, char *text,
		     size_t size)
{
	if (folio_bytes)
		snprintf(text, size, "%s" THP_FOLDER "/hugepages-%llukB/%s", root,
			 (unsigned long long)(folio_bytes >> 10), file);
	else
		snprintf(text, size, "%s" THP_FOLDER "/%s", root, file);
	return text;
}

int thp_counters_read(const char *root, uint64_t folio_bytes, struct thp_counters *ret)
{
	struct thp_counters counters;
	char path[512];

	if (sysfile_read_u64(thp_path(root, folio_bytes, "stats/shmem_alloc", path, sizeof(path)),
			     &counters.allocated, NULL) ||
	    sysfile_read_u64(
		    thp_path(root, folio_bytes, "stats/shmem_fallback", path, sizeof(path)),
		    &counters.fallbacks, NULL))
		return -ENOENT;
	*ret = counters;
	return 0;
}

/* The word in brackets of a setting's file. */
static int thp_word(const char *path, char *word, size_t size)
{
	char text[256];
	int ret = sysfile_read(path, text, sizeof(text), NULL);

	if (!ret)
		sysfile_bracketed(text, word, size);
	return ret;
}

static enum thp_state thp_explain_absent(const char *root, uint64_t folio_bytes, struct error *why)
{
	char path[512], other[512], folio[32];
	struct utsname system;

	units_format_size(folio_bytes, folio);
	thp_path(root, 0, "shmem_enabled", path, sizeof(path));
	if (access(path, F_OK)) {
		error_set(why, ERROR_CANNOT,
			  "this kernel has no transparent huge pages for shared memory (there is "
			  "no %s): boot one built with CONFIG_TRANSPARENT_HUGEPAGE",
			  path);
		return THP_ABSENT;
	}
	thp_path(root, 2 << 20, "shmem_enabled", other, sizeof(other));
	thp_path(root, folio_bytes, "shmem_enabled", path, sizeof(path));
	if (!access(other, F_OK)) {
		error_set(why, ERROR_CANNOT, "this machine has no %s folios (there is no %s)",
			  folio, path);
		return THP_ABSENT;
	}
	uname(&system);
	error_set(why, ERROR_CANNOT,
		  "no %s folios here, since shmem mTHP came with Linux 6.11 and this is %s (there "
		  "is no %s): boot a newer kernel",
		  folio, system.release, path);
	return THP_ABSENT;
}

/* deny gives nobody any, force gives what inherits and nothing else. */
static enum thp_state thp_explain_blocked(const char *top_path, const char *top, const char *folio,
					  struct error *why)
{
	error_set(why, ERROR_CANNOT, "no %s folios, since %s is '%s', which %s: echo never > %s",
		  folio, top_path, top,
		  strcmp(top, "deny") ? "overrides the setting of each size"
				      : "takes large folios from all shared memory",
		  top_path);
	return THP_BLOCKED;
}

static bool thp_is_on(const char *word)
{
	return !strcmp(word, "advise") || !strcmp(word, "within_size") || !strcmp(word, "always");
}

enum thp_state thp_shmem_state(const char *root, uint64_t folio_bytes, struct error *why)
{
	char path[512], top_path[512], word[32], top[32], folio[32];
	bool inherits;

	thp_path(root, folio_bytes, "shmem_enabled", path, sizeof(path));
	thp_path(root, 0, "shmem_enabled", top_path, sizeof(top_path));
	if (thp_word(path, word, sizeof(word)) || thp_word(top_path, top, sizeof(top)))
		return thp_explain_absent(root, folio_bytes, why);
	units_format_size(folio_bytes, folio);
	if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) > 0) {
		error_set(why, ERROR_CANNOT,
			  "no %s folios, since large folios are switched off for this process "
			  "(PR_SET_THP_DISABLE): start it from a shell that has not inherited that",
			  folio);
		return THP_BLOCKED;
	}
	inherits = !strcmp(word, "inherit");
	if (!strcmp(top, "deny") || (!strcmp(top, "force") && !inherits))
		return thp_explain_blocked(top_path, top, folio, why);
	if (thp_is_on(word) || (inherits && (thp_is_on(top) || !strcmp(top, "force"))))
		return THP_ON;
	error_set(why, ERROR_CANNOT, "no %s folios, since %s is '%s'%s%s: echo advise > %s", folio,
		  path, word, inherits ? " and the setting above it is " : "", inherits ? top : "",
		  path);
	return THP_OFF;
}
