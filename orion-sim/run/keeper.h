/* SPDX-License-Identifier: MIT */
/* keeper.h - a process that puts things right once the program is gone, however it went. */
#ifndef ORION_RUN_KEEPER_H
#define ORION_RUN_KEEPER_H

#include <sys/types.h>

struct error;

struct keeper {
	pid_t pid; /* 0: there is none */
	int fd;	   /* our end of a socket: runners have it open too, and so tell that they live */
};

struct keeper_work {
	void (*restore)(void *context); /* in the keeper, once program and runners are gone */
	void *context;
	const int *fds; /* that restore needs; all others are closed in the keeper */
	unsigned n_fds; /* at most KEEPER_FDS_MAX */
};

#define KEEPER_FDS_MAX 4

/*
 * Forks the keeper: a session of its own, deaf to the terminal's signals, no descriptor or
 * directory of the program held but those of the work. When this returns 0 it is on watch. The
 * calling process must have one thread. -errno where there can be none, with nothing left behind.
 */
int keeper_start(const struct keeper_work *work, struct keeper *ret, struct error *error);

/* The program has put things right itself: ends the keeper and reaps it. Fine if there is none. */
void keeper_end(struct keeper *keeper);

#endif
