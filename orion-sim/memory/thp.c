/* SPDX-License-Identifier: MIT */
/* thp.c - what the kernel's settings say about large folios in anonymous and shared memory. */
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

static bool thp_process_refuses(const char *folio, struct error *why)
{
	if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) <= 0)
		return false;
	error_set(why, ERROR_CANNOT,
		  "no %s folios, since large folios are switched off for this process "
		  "(PR_SET_THP_DISABLE): start it from a shell that has not inherited that",
		  folio);
	return true;
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
	if (thp_process_refuses(folio, why))
		return THP_BLOCKED;
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

uint64_t thp_pmd_bytes(const char *root)
{
	uint64_t bytes = 0;
	char path[512];

	sysfile_read_u64(thp_path(root, 0, "hpage_pmd_size", path, sizeof(path)), &bytes, NULL);
	return bytes;
}

/* The setting of the whole machine, where it is the only one. */
static enum thp_state thp_state_of(const char *path, const char *on, const char *folio,
				   struct error *why)
{
	char word[32];

	if (thp_word(path, word, sizeof(word))) {
		error_set(why, ERROR_CANNOT,
			  "this kernel has no transparent huge pages (there is no %s): boot one "
			  "built with CONFIG_TRANSPARENT_HUGEPAGE",
			  path);
		return THP_ABSENT;
	}
	if (thp_process_refuses(folio, why))
		return THP_BLOCKED;
	if (strcmp(word, "never") != 0 && strcmp(word, "deny") != 0)
		return THP_ON;
	error_set(why, ERROR_CANNOT, "no %s folios, since %s is '%s': echo %s > %s", folio, path,
		  word, on, path);
	return strcmp(word, "deny") ? THP_OFF : THP_BLOCKED;
}

enum thp_state thp_shmem_pmd_state(const char *root, struct error *why)
{
	uint64_t pmd_bytes = thp_pmd_bytes(root);
	char path[512], folio[32];

	units_format_size(pmd_bytes, folio);
	if (pmd_bytes &&
	    !access(thp_path(root, pmd_bytes, "shmem_enabled", path, sizeof(path)), F_OK))
		return thp_shmem_state(root, pmd_bytes, why);
	return thp_state_of(thp_path(root, 0, "shmem_enabled", path, sizeof(path)), "advise", folio,
			    why);
}

enum thp_state thp_anon_pmd_state(const char *root, struct error *why)
{
	uint64_t pmd_bytes = thp_pmd_bytes(root);
	char path[512], folio[32], word[32] = "inherit";

	units_format_size(pmd_bytes, folio);
	/* Each size has a setting of its own since Linux 6.8. */
	thp_path(root, pmd_bytes, "enabled", path, sizeof(path));
	if (pmd_bytes)
		thp_word(path, word, sizeof(word));
	if (strcmp(word, "inherit") != 0)
		return thp_state_of(path, "madvise", folio, why);
	return thp_state_of(thp_path(root, 0, "enabled", path, sizeof(path)), "madvise", folio,
			    why);
}

enum thp_state thp_mount_state(const char *root, const char *folder, const char *word,
			       struct error *why)
{
	char path[512], top[32], folio[32];

	units_format_size(thp_pmd_bytes(root), folio);
	thp_path(root, 0, "shmem_enabled", path, sizeof(path));
	/* deny and force are for every mount; its other words are for memory without a mount. */
	if (thp_word(path, top, sizeof(top)) || !strcmp(top, "deny"))
		return thp_state_of(path, "never", folio, why);
	if (thp_process_refuses(folio, why))
		return THP_BLOCKED;
	if (thp_is_on(word) || !strcmp(top, "force"))
		return THP_ON;
	error_set(why, ERROR_CANNOT,
		  "no %s folios, since the tmpfs at %s is mounted %s%s: mount -o "
		  "remount,huge=advise %s",
		  folio, folder, *word ? "with huge=" : "without huge=", word, folder);
	return THP_OFF;
}
