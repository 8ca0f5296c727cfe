/* SPDX-License-Identifier: MIT */
/* fault_loop.c - first touches of 1 GiB with nothing of orion-sim: what it must agree with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define REGION (1ul << 30)
#define FOLIO  (64ul << 10)

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* fault_loop never|64k SECONDS: pages per second of CPU time, and of time. */
int main(int argc, char **argv)
{
	double end = now(CLOCK_MONOTONIC) + (argc == 3 ? strtod(argv[2], NULL) : 1);
	double cpu = 0, wall = 0, pages = 0;

	for (unsigned round = 0; round < 4 || now(CLOCK_MONOTONIC) < end; round++) {
		char *room = mmap(NULL, REGION + 4 * FOLIO, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
		/* An odd multiple of 64K: folios of that size fit, and no larger ones. */
		char *region = (char *)(((size_t)room / FOLIO / 2 * 2 + 3) * FOLIO);

		mmap(region, REGION, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
		madvise(region, REGION, strcmp(argv[1], "never") ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
		double cpu0 = now(CLOCK_THREAD_CPUTIME_ID), wall0 = now(CLOCK_MONOTONIC);
		for (size_t at = 0; at < REGION; at += 4096)
			*(volatile char *)(region + at) = 1;
		if (round >= 2) { /* the first two are warm-up */
			wall += now(CLOCK_MONOTONIC) - wall0;
			cpu += now(CLOCK_THREAD_CPUTIME_ID) - cpu0;
			pages += REGION / 4096;
		}
		munmap(room, REGION + 4 * FOLIO);
	}
	printf("%.0f %.0f\n", pages / cpu, pages / wall);
}
