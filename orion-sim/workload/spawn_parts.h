/* SPDX-License-Identifier: MIT */
/* spawn_parts.h - what the files of workload spawn share: programs, children, their folder. */
#ifndef ORION_WORKLOAD_SPAWN_PARTS_H
#define ORION_WORKLOAD_SPAWN_PARTS_H

#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/catalog.h"
#include "base/installed.h"
#include "memory/memory.h"
#include "workload/spawn.h"

#define SPAWN_PATH_BYTES 640
#define SPAWN_WORDS_MAX	 6

/* A program to be run, as data. A word that begins with '@' is a file of ours. */
struct spawn_program {
	const char *words[SPAWN_WORDS_MAX]; /* "#": how many execs are to follow the first */
	const char *input;		    /* file of ours at its standard input, or null */
	const char *const *needs;	    /* looked for in the path; null: only ours */
	const char *packages;		    /* that hold them */
	bool has_folder;		    /* each child works in a folder of its own */
};

extern const struct spawn_program spawn_program_again, spawn_program_chain, spawn_program_shell,
	spawn_program_compile, spawn_program_dc;

/* The same made ready: where its files are, what it is told. */
struct spawn_command {
	char texts[SPAWN_WORDS_MAX][SPAWN_PATH_BYTES];
	char *words[SPAWN_WORDS_MAX + 1];
	char input[SPAWN_PATH_BYTES];
	char variables[4][SPAWN_PATH_BYTES];
	char *environment[5];
	char file[SPAWN_PATH_BYTES]; /* that is run */
};

/* What a worker and its sweeper share. */
struct spawn_sweep {
	_Atomic pid_t group; /* children to kill, 0 for none */
	struct error error;  /* why there is no folder */
	char path[SPAWN_PATH_BYTES];
};

/*
 * A private folder for what children write. Whatever becomes of the worker, a process of its own
 * session sweeps up: it kills the children's group and removes the folder, which it made itself.
 */
struct spawn_folder {
	char path[SPAWN_PATH_BYTES]; /* "" while it is not open */
	pid_t sweeper;
	int hold_fd; /* the sweeper waits until nobody has it any more */
	struct spawn_sweep *sweep;
};

/* One worker's state. */
struct spawn {
	const struct spawn_params *params;
	const struct spawn_work *work;
	const struct worker *worker;
	struct choice ballast_memory;
	struct region ballast;
	struct spawn_folder folder;
	struct spawn_command command;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	bool has_actions;
	int null_fd,
		complaint_fds[2]; /* what children say on standard error is read if they fail */
	pid_t own, group;	  /* group of the children in flight, 0 without one */
	unsigned n_children;
	pid_t children[SPAWN_AT_ONCE_MAX]; /* 0: waited for */
	bool ticks;
	struct sigaction old_tick;
};

/* What one op does in a loop. */
struct spawn_work {
	enum spawn_class op_class;
	bool at_once;			     /* as many children make one loop */
	const struct spawn_program *program; /* null: the child is a copy of its parent */
	const char *what;		     /* the child, in sentences */
	int (*start)(struct spawn *spawn, unsigned slot); /* its pid, or negative errno */
};

extern const struct spawn_work spawn_works[]; /* by enum spawn_op */

/* Is there all that the program needs? ERROR_CANNOT with the package to install. */
int spawn_program_probe(const struct spawn_program *program, const struct spawn_params *params,
			struct error *error);

/* Fills command; folder is "" where there is none. */
int spawn_command_make(const struct spawn_program *program, const struct spawn_params *params,
		       const char *folder, struct spawn_command *ret, struct error *error);

/* Makes a private folder in parent, with one for each of n children ("0", "1", …). */
int spawn_folder_open(const char *parent, unsigned n, struct spawn_folder *ret,
		      struct error *error);
void spawn_folder_close(struct spawn_folder *folder);

/* Opens what children need: descriptors, the tick that ends a wait. Closing undoes it. */
int spawn_children_open(struct spawn *spawn, struct error *error);
void spawn_children_close(struct spawn *spawn);

/*
 * One loop: starts the children and waits until all have ended. -ECANCELED: the phase ended
 * meanwhile, and they were killed; else the failure's sentence. None is left either way.
 */
int spawn_children_loop(struct spawn *spawn, struct error *error);

#endif
