/* SPDX-License-Identifier: MIT */
/* again.c - a tiny program that runs itself as often as it is told: what an exec costs. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* usage: again TIMES; the path that it is called by must be one. */
int main(int argc, char **argv)
{
	long times = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	char left[32];
	char *words[] = {argv[0], left, NULL};

	if (times <= 0)
		return 0;
	snprintf(left, sizeof(left), "%ld", times - 1);
	execv(argv[0], words);
	perror(argv[0]);
	return 1;
}
