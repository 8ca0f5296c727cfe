/* SPDX-License-Identifier: MIT */
/* text_legend.c - what the columns of the table mean. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/numbers.h"
#include "report/rows.h"
#include "report/text_columns.h"
#include "report/text_parts.h"

double row_fewest_ops(const struct row *row)
{
	double fewest = INFINITY;

	for (unsigned i = 0; i < row->point->n_repeats; i++) {
		const struct result_repeat *repeat = &row->point->repeats[i];

		if (result_repeat_counts(repeat) && row->stream < repeat->n_streams &&
		    row->op_class < repeat->streams[row->stream].n_classes)
			fewest = fmin(fewest, (double)repeat->streams[row->stream]
						      .classes[row->op_class]
						      .tally.ops);
	}
	return fewest;
}

static void print_sentence(const char *text, FILE *stream)
{
	print_paragraph("", text, TEXT_WIDTH, stream);
}

static bool any_percentile_hidden(const struct rows *rows)
{
	for (unsigned i = 0; i < rows->n; i++)
		if (rows->rows[i].shape && row_fewest_ops(&rows->rows[i]) < P999_OPS_MIN)
			return true;
	return false;
}

/* The names of the classes that are timed in batches, each once: "fault and exec". */
static void collect_batched(const struct rows *rows, char *text, size_t size)
{
	text[0] = '\0';
	for (unsigned i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];
		size_t length = strlen(text);

		if (!row->shape || !row_class(row)->timed_in_batches ||
		    strstr(text, row_class(row)->name))
			continue;
		snprintf(text + length, size - length, "%s%s", length ? " and " : "",
			 row_class(row)->name);
	}
}

/* Every method once: "by smaps or pagemap+kpageflags". */
static void collect_methods(const struct rows *rows, char *text, size_t size)
{
	text[0] = '\0';
	for (unsigned i = 0; i < rows->n; i++) {
		const struct result_repeat *shape = rows->rows[i].shape;

		for (unsigned a = 0; shape && a < shape->n_audits; a++) {
			size_t length = strlen(text);

			if (!strstr(text, shape->audits[a].method))
				snprintf(text + length, size - length, "%s%s", length ? " or " : "",
					 shape->audits[a].method);
		}
	}
}

static void print_memory_legend(const struct rows *rows, FILE *stream)
{
	char methods[160], text[320];

	collect_methods(rows, methods, sizeof(methods));
	snprintf(text, sizeof(text),
		 "memory got is the share of the buffers' memory found in pages of the size asked "
		 "for, by %s.",
		 methods);
	print_sentence(text, stream);
}

static void print_batched_legend(const struct rows *rows, FILE *stream)
{
	char classes[160], text[320];

	collect_batched(rows, classes, sizeof(classes));
	if (!classes[0])
		return;
	snprintf(text, sizeof(text),
		 "Operations of class %s are timed in batches: their latencies are means of a "
		 "batch.",
		 classes);
	print_sentence(text, stream);
}

void text_columns_legend(const struct rows *rows, const struct text_columns *at, FILE *stream)
{
	fputc('\n', stream);
	if (at->spread != COLUMN_ABSENT)
		print_sentence("Each figure is the median of its repeats, max their highest; ±% "
			       "is half the way from the slowest repeat to the fastest.",
			       stream);
	print_sentence("CPU us is user and system time of the workers' own threads "
		       "(RUSAGE_THREAD), and of processes that they started and waited for; busy, "
		       "irq and soft(irq) are of the whole machine "
		       "(/proc/stat), shown beside it and not part of it.",
		       stream);
	print_batched_legend(rows, stream);
	if (at->process != COLUMN_ABSENT)
		print_sentence("process is the whole measuring process (RUSAGE_SELF), rest what "
			       "is not its workers': kernel threads that work for it (io-wq, "
			       "SQPOLL).",
			       stream);
	if (at->request != COLUMN_ABSENT)
		print_sentence("KiB a req. is the mean size of the requests that reached the "
			       "devices.",
			       stream);
	if (at->memory != COLUMN_ABSENT)
		print_memory_legend(rows, stream);
	if (at->nodes != COLUMN_ABSENT)
		print_sentence("on node is where the buffers' memory lay, by move_pages.", stream);
	text_costs_legend(&at->costs, stream);
	if (any_percentile_hidden(rows))
		print_sentence("A percentile is shown where ten operations a repeat lie beyond it: "
			       "p99 from 1,000 on, p99.9 from 10,000.",
			       stream);
}
