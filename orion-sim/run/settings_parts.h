/* SPDX-License-Identifier: MIT */
/* settings_parts.h - what the files of settings share; for them and their tests only. */
#ifndef ORION_RUN_SETTINGS_PARTS_H
#define ORION_RUN_SETTINGS_PARTS_H

#include "base/error.h"
#include "run/keeper.h"
#include "run/settings.h"

/* Where settings are: the machine, or a tree and a kernel of a test's own. */
struct settings_place {
	const char *root; /* "" for the machine; lent */
	const int *nodes; /* memory nodes that may be used; lent until settings_apply_at returns */
	int n_nodes;
	int (*write)(const char *path, const char *text, struct error *error);
	/* keeper_start; null in tests that kill without one. */
	int (*keep)(const struct keeper_work *work, struct keeper *ret, struct error *error);
	uint64_t patience_ns; /* how long pages that are owed may take to become free */
};

/* The write may or may not have been done yet in the first and the last: what is there decides. */
enum change_state { CHANGE_TAKING, CHANGE_TAKEN, CHANGE_RETURNING };

struct change {
	const struct setting_ops *ops; /* null once given back */
	uint64_t size_bytes;	       /* of the huge pages or folios that it is about */
	int node;		       /* POOL_ALL_NODES, or the one it is about */
	enum change_state state;
	char from[32], to[32];
};

struct setting_ops {
	struct entry entry;
	/* Parameters that can never be, in words; null if they are fine. */
	const char *(*check)(const void *params);
	/* Borrows what the needs ask for; what cannot be had is a note. */
	void (*borrow)(struct settings *settings, const void *params,
		       const struct memory_need *needs, unsigned n_needs, cJSON *notes);
	/* 0 once nothing is owed any more (whatever is left to others is a note), else a sentence.
	 */
	int (*give_back)(struct settings *settings, struct change *change, cJSON *notes,
			 struct error *error);
	const char *(*path)(const struct settings *settings, const struct change *change,
			    char *text, size_t size);
	/* Adds what there is to borrow below a root, by settings_add_value. */
	void (*values)(const char *root, cJSON *list);
};

extern const struct setting_ops setting_hugepages, setting_shmem_enabled, setting_thp_enabled,
	setting_use_zero_page, setting_numa_stat;

/* The folder of the journal and the lock in it; -1 each while it is not open. */
struct settings_journal {
	int folder_fd, lock_fd;
};

struct settings {
	struct settings_place place;
	int *nodes; /* owned */
	struct settings_journal journal;
	struct keeper keeper;
	struct error busy; /* why nothing can be borrowed while another run lives */
	bool barred;	   /* a journal that cannot be read: nothing is borrowed on top of it */
	unsigned n_changes, room;
	unsigned n_lasting;	/* of these changes, those that settings_shrink leaves */
	struct change *changes; /* owned */
};

/* Those of settings.h at a place of one's own. */
int settings_apply_at(const struct settings_place *place, const struct json_document *document,
		      const cJSON *list, const struct memory_need *needs, unsigned n_needs,
		      cJSON *notes, struct settings **ret, struct error *error);
int settings_recover_at(const struct settings_place *place, cJSON *notes, struct error *error);
cJSON *settings_values_at(const char *root, const struct entry *setting);
int settings_borrowed_at(const struct settings_place *place, cJSON **ret, pid_t *ret_pid,
			 struct error *error);

struct settings *settings_new(const struct settings_place *place);
void settings_free(struct settings *settings);

/*
 * For the settings: journals a change before it is made, with the keeper on watch from the first
 * one on. It is the last one of changes then.
 */
int settings_begin(struct settings *settings, const struct change *change, struct error *error);

/* The last change is made: what it came to. Forgotten if that is what was there before. */
int settings_commit(struct settings *settings, const char *to, struct error *error);

/* Gives back the changes from index first on, last one first. Those that cannot be given back stay.
 */
void settings_return(struct settings *settings, unsigned first, cJSON *notes);

/* Adds a sentence. */
void settings_note(cJSON *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Opens the folder and takes the lock. Without create, a folder that is not there is -ENOENT;
 * -EBUSY with the sentence where another run holds the lock. A keeper that is giving back what a
 * killed run had borrowed is waited for, for some seconds.
 */
int settings_journal_open(struct settings *settings, bool create, struct error *error);
int settings_journal_write(const struct settings *settings, struct error *error);

/* Reads the changes that a killed run left. One of an earlier boot is removed, with a note. */
int settings_journal_load(struct settings *settings, cJSON *notes, struct error *error);

/*
 * The same without the lock, to look only. The process that holds it and lives, or 0. -ENOENT where
 * there is none.
 */
int settings_journal_peek(struct settings *settings, pid_t *ret_pid, struct error *error);

/* Removes the journal; the lock is kept. Fine if it is not open. */
void settings_journal_drop(struct settings *settings);

/* Removes the journal, unless keep, and lets the lock go. Fine if it is not open. */
void settings_journal_close(struct settings *settings, bool keep);

/* By name, for the journal; null if there is none. */
const struct setting_ops *settings_find(const char *name);
const struct setting_ops *settings_ops_of(const struct entry *entry);

/*
 * For settings that are one word in one file, whose path ops->path knows. absent is what to do
 * where there is no such file.
 */
void settings_file_borrow(struct settings *settings, const struct setting_ops *ops,
			  const char *value, const char *absent, cJSON *notes);
int settings_file_give_back(struct settings *settings, struct change *change, cJSON *notes,
			    struct error *error);
void settings_file_value(const char *path, cJSON *list);

#define SETTINGS_SIZES_MAX 32

/* Sizes of the folders hugepages-SIZEkB in a folder, ascending; how many. */
unsigned settings_sizes(const char *folder, uint64_t sizes[SETTINGS_SIZES_MAX]);
void settings_add_value(cJSON *list, const char *path, const char *value);

#endif
