/* SPDX-License-Identifier: MIT */
/* bench_null.c - ns that submit and reap of the null engine take for a request, best of many
 * rounds. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "engine/engine.h"

#define DEPTH  128
#define BATCH  32
#define TURNS  200000
#define ROUNDS 20

static double round_ns(struct queue *queue, struct request **free_list)
{
	const struct engine_ops *ops = queue->ops;
	uint64_t start_ns = clock_now_ns();

	/* A full queue, of which a batch leaves and returns in each turn. */
	for (unsigned i = 0; i < TURNS; i++) {
		int n = ops->reap(queue, free_list, BATCH, BATCH);

		if (n != BATCH || ops->submit(queue, free_list, BATCH) != BATCH)
			abort();
	}
	return (double)(clock_now_ns() - start_ns) / TURNS / BATCH;
}

int main(void)
{
	static struct request requests[DEPTH];
	struct request *pointers[DEPTH];
	struct engine_setup setup = {.depth = DEPTH, .batch = BATCH, .queues = 1};
	struct choice choice = {0};
	const struct entry *entry;
	struct error error = {0};
	struct queue queue;
	double best_ns = 0;

	if (catalog_find(&engine_catalog, "null", &entry, &error) < 0 ||
	    catalog_choose(entry, &choice, &error) < 0 ||
	    queue_open(&queue, &choice, &setup, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (unsigned i = 0; i < DEPTH; i++) {
		requests[i].length_bytes = 8192;
		pointers[i] = &requests[i];
	}
	if (queue.ops->submit(&queue, pointers, DEPTH) != DEPTH)
		return 1;
	for (unsigned i = 0; i < ROUNDS; i++) {
		double ns = round_ns(&queue, pointers);

		if (!i || ns < best_ns)
			best_ns = ns;
	}
	printf("null, depth %d, batch %d: %.2f ns a request\n", DEPTH, BATCH, best_ns);
	queue.ops->close(&queue);
	choice_free(&choice);
	return 0;
}
