/* SPDX-License-Identifier: MIT */
/* crew_parts.h - what the files of the crew share: its members, threads and processes alike. */
#ifndef ORION_RUN_CREW_PARTS_H
#define ORION_RUN_CREW_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "run/crew.h"
#include "run/pmu.h"

struct channel;

struct member {
	_Alignas(128) struct crew *crew;
	const struct crew_seat *seat;
	struct worker worker;
	struct pmu pmu;
	_Atomic bool arrived; /* at the gate, or failed before it */
	struct error error;   /* of its set-up */
	bool started;
	pthread_t thread; /* of a thread */
	pid_t pid;	  /* of a process, 0 for a thread */
};

/*
 * In memory shared with the processes, which tell there how their set-up went. There is nothing to
 * lock: a member writes its own part and then counts itself in; who waits for that listens to the
 * channel's bell.
 */
struct crew {
	struct channel *channel;
	_Atomic uint32_t n_arrived, n_failed;
	_Atomic bool abandoned; /* whoever ends now is not to blame */
	bool has_undertaker;
	pthread_t undertaker; /* thread of the runner that waits for processes to end */
	pid_t group;	      /* process group of the processes, 0 without any */
	unsigned n;
	struct member members[];
};

/* What a worker does from set-up to teardown, in its own thread or process. */
void member_run(struct member *member);

/* Counts a member in, with the sentence that its error holds, if any. */
void member_arrive(struct member *member);

/*
 * Forks the processes among the members. They die with the calling thread and ignore the
 * terminal's signals. A sentence with the limits in force where fork fails; those that were started
 * stay.
 */
int crew_fork(struct crew *crew, struct error *error);

/* Starts the thread that waits for the processes; one that ends badly is a failure of its own. */
int crew_watch_processes(struct crew *crew, struct error *error);

/* Waits until no process is left. */
void crew_bury(struct crew *crew);

#endif
