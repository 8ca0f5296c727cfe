/* SPDX-License-Identifier: MIT */
/* settings.h - settings of the machine are borrowed: journalled, set, given back. */
#ifndef ORION_RUN_SETTINGS_H
#define ORION_RUN_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <cjson/cJSON.h>

#include "base/catalog.h"
#include "memory/memory.h"

struct error;
struct json_document;
struct settings; /* what was borrowed; owned by the program's main process */

/*
 * hugepages {page: 0, bytes: 0}: adds what the plan needs (bytes 0; of every size that it needs, or
 * of page), or bytes (of 2M where page is 0), to whatever the pool holds, since pages that are free
 * may be meant for a database about to start; never more than MemAvailable allows with a reserve of
 * 5 % of MemTotal and at least 256 MiB kept. Where that cannot be, a free pool still serves.
 * shmem_enabled {folio: 0, value: advise, lower: false}: sets hugepages-SIZE/shmem_enabled to value
 * for the sizes the plan needs (folio 0); left alone where it, or what it inherits, already gives
 * as much: never < advise < within_size < always. lower: also where it gives more. never only
 * lowers, and takes the folio's size.
 * thp_enabled {value: madvise}, use_zero_page {value: 1}, numa_stat {value: 0}: sets the file of
 * that name to value, whatever it is.
 */
extern const struct catalog settings_catalog;

/* Checks a profile's "settings" list (names or objects) without touching anything. ERROR_INPUT. */
int settings_check(const struct json_document *document, const cJSON *list, struct error *error);

/*
 * Applies the list for what the plan needs: needs (n of them, all regions of all points) are summed
 * as the largest single point demands, so the caller passes the maximum per page size already. Each
 * change: journal (root's own directory under /run, boot id, fsync) before, set, read back. A
 * keeper is on watch before the first one, so that all is given back however this process ends. A
 * setting that cannot be borrowed is no error: its sentence is added to notes (a JSON array), and
 * the points that need it will be skipped by their probe. But ERROR_CANNOT while another run lives
 * that has borrowed settings: they would go with that run. ret is always to be released by
 * settings_restore.
 */
int settings_apply(const struct json_document *document, const cJSON *list,
		   const struct memory_need *needs, unsigned n_needs, cJSON *notes,
		   struct settings **ret, struct error *error);

/*
 * For a run that will borrow more later and is not to meet another one then: takes the lock and
 * sets a keeper on watch though nothing is borrowed yet. Where that cannot be, the first change
 * says so. ERROR_CANNOT while another run lives that has borrowed settings.
 */
int settings_hold(struct settings *settings, struct error *error);

/*
 * Borrows more, on top of what is borrowed and does not change, until settings_shrink; list, needs,
 * notes and errors as for settings_apply. One at a time: not again before settings_shrink.
 */
int settings_extend(struct settings *settings, const struct json_document *document,
		    const cJSON *list, const struct memory_need *needs, unsigned n_needs,
		    cJSON *notes, struct error *error);

/*
 * Gives back what settings_extend borrowed, and no more. What cannot be given back now is a note,
 * and is tried again by settings_restore. Fine if nothing was.
 */
void settings_shrink(struct settings *settings, cJSON *notes);

/*
 * Gives everything back: of huge pages the difference we took, per node, never below what is used
 * or reserved by others; other settings only while they still hold our value. Removes the journal.
 * Errors are sentences added to notes; what could not be given back stays in the journal for
 * settings_recover. Frees settings, which may be null.
 */
void settings_restore(struct settings *settings, cJSON *notes);

/* What was changed, for the result: [{"path":…, "from":…, "to":…}]. Owned by the caller. */
cJSON *settings_describe(const struct settings *settings);

/*
 * A journal that a killed run of this boot left is played back; one of an earlier boot is removed.
 * Sentences about what was done are added to notes; none where there was nothing to do. Done by
 * settings_apply first. -EBUSY while another run lives that has borrowed settings, ERROR_CANNOT
 * where some could not be given back and are kept in the journal.
 */
int settings_recover(cJSON *notes, struct error *error);

/*
 * Could a setting be borrowed here and now, by this user; ERROR_CANNOT with the sentence why not.
 * Changes nothing.
 */
int settings_probe(const struct entry *setting, struct error *error);

/*
 * What a setting may change here, as it is now: [{"path":…, "value":…, "why_not":…}], why_not where
 * it cannot be written. Changes nothing. Owned by the caller.
 */
cJSON *settings_values(const struct entry *setting);

/*
 * What the journal says is borrowed now, in the form of settings_describe and owned by the caller,
 * and the run that did it; ret_pid 0: one that was killed. Locks and changes nothing.
 */
int settings_borrowed(cJSON **ret, pid_t *ret_pid, struct error *error);

#endif
