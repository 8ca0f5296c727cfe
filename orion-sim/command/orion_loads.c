/* SPDX-License-Identifier: MIT */
/* orion_loads.c - which loads Orion tests: lists by rule, and the points they make. */
#include "command/orion_loads.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "command/orion_options.h"

#define LOADS_MAX    65536
#define LADDER_STEPS 32 /* more single steps than that become larger ones */
#define SMALL_A_DISK 5
#define LARGE_A_DISK 2
#define OLTP_A_DISK  20

unsigned loads_most(const struct loads *loads)
{
	return loads->n ? loads->values[loads->n - 1] : 0;
}

/* Only what is more than the last one. -ENOMEM. */
static int loads_add(struct loads *loads, unsigned value)
{
	unsigned *grown;

	if (value <= loads_most(loads))
		return 0;
	grown = reallocarray(loads->values, loads->n + 1u, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	loads->values = grown;
	grown[loads->n++] = value;
	return 0;
}

/* first, then the multiples of step up to top, and top. */
static int loads_ladder(struct loads *loads, unsigned first, unsigned step, unsigned top)
{
	int status = 0;

	for (unsigned i = 1; status == 0 && i <= first && i <= top; i++)
		status = loads_add(loads, i);
	for (unsigned i = step; status == 0 && i <= top; i += step)
		status = loads_add(loads, i);
	return status ? status : loads_add(loads, top);
}

/* 1, 2, 3 … top; of many 1 and the multiples of a step. */
static int loads_steps(struct loads *loads, unsigned top)
{
	return loads_ladder(loads, 1, (top + LADDER_STEPS - 1) / LADDER_STEPS, top);
}

static int loads_all(struct loads *loads, uint64_t top)
{
	return top ? loads_ladder(loads, 1, 1, (unsigned)top) : 0;
}

static int loads_one(struct loads *loads, uint64_t value)
{
	return value ? loads_add(loads, (unsigned)value) : 0;
}

static int list_fail(const char *text, struct error *error)
{
	return error_set(
		error, ERROR_INPUT,
		"--loads '%s' has no list of loads there; write whole numbers from 1 to %d, "
		"rising, small/large, as 1,2,4,8/1-3",
		text, LOADS_MAX);
}

/* "8" or "4-8", and what is behind it. */
static bool range_read(const char **at, unsigned long *ret_first, unsigned long *ret_last)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*ret_first = *ret_last = strtoul(*at, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return false;
		*ret_last = strtoul(end + 1, &end, 10);
	}
	*at = end;
	return *ret_first > 0 && *ret_first <= *ret_last && *ret_last <= LOADS_MAX;
}

/* "1,2,4-8", up to end. */
static int loads_read(const char *text, const char *at, const char *end, struct loads *loads,
		      struct error *error)
{
	while (at < end) {
		unsigned long first, last;

		if (!range_read(&at, &first, &last) || first <= loads_most(loads) ||
		    (at < end && *at != ',') || (*at == ',' && at + 1 == end))
			return list_fail(text, error);
		for (unsigned long i = first; i <= last; i++)
			if (loads_add(loads, (unsigned)i) < 0)
				return error_set(error, -ENOMEM, "no memory for the loads");
		at += *at == ',';
	}
	return 0;
}

static int loads_copy(const struct loads *from, struct loads *into)
{
	for (unsigned i = 0; i < from->n; i++)
		if (loads_add(into, from->values[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* The loads of both kinds that the test walks through, whatever its matrix makes of them. */
struct walk {
	struct loads small, large;
};

static int walk_small(const struct orion_options *options, unsigned num_disks, struct loads *ret,
		      struct error *error)
{
	size_t length = strcspn(options->loads, "/");

	if (length)
		return loads_read(options->loads, options->loads, options->loads + length, ret,
				  error);
	if (options->run == ORION_OLTP)
		return loads_ladder(ret, 2, num_disks, OLTP_A_DISK * num_disks);
	if (options->run == ORION_ADVANCED && options->matrix == ORION_MAX)
		return loads_all(ret, options->num_small);
	return loads_steps(ret, SMALL_A_DISK * num_disks);
}

static int walk_large(const struct orion_options *options, unsigned num_disks, struct loads *ret,
		      struct error *error)
{
	const char *list = strchr(options->loads, '/');

	if (list && list[1])
		return loads_read(options->loads, list + 1, list + strlen(list), ret, error);
	if (options->run == ORION_DSS)
		return loads_ladder(ret, 2, num_disks, OLTP_A_DISK * num_disks);
	if (options->run == ORION_ADVANCED && options->matrix == ORION_MAX)
		return loads_all(ret, options->num_large);
	return loads_steps(ret, LARGE_A_DISK * num_disks);
}

/* Which of the lists a test has, as the cells of a matrix with the row and the column of 0. */
struct shape {
	bool walks_small, walks_large; /* else it is fixed … */
	uint64_t small, large;	       /* … at these */
	bool alone;		       /* nothing but the first row and the first column */
};

static struct shape shape_of(const struct orion_options *options)
{
	const struct shape basic = {.walks_small = true, .walks_large = true, .alone = true};
	const struct shape detailed = {.walks_small = true, .walks_large = true};
	const struct shape row = {.walks_small = true, .large = options->num_large};
	const struct shape column = {.walks_large = true, .small = options->num_small};
	const struct shape point = {.small = options->num_small, .large = options->num_large};

	switch (options->run) {
	case ORION_SIMPLE:
		return basic;
	case ORION_NORMAL:
		return detailed;
	case ORION_OLTP:
		return (struct shape){.walks_small = true};
	case ORION_DSS:
		return (struct shape){.walks_large = true};
	default:
		break;
	}
	switch (options->matrix) {
	case ORION_ROW:
		return row;
	case ORION_COL:
		return column;
	case ORION_POINT:
		return point;
	case ORION_BASIC:
		return basic;
	default:
		return detailed;
	}
}

static int unused_check(const struct orion_options *options, const struct shape *shape,
			struct error *error)
{
	const char *slash = strchr(options->loads, '/');
	bool small = strcspn(options->loads, "/") > 0, large = slash && slash[1];

	if ((small && !shape->walks_small) || (large && !shape->walks_large))
		return error_set(
			error, ERROR_INPUT,
			"--loads '%s': this test has one %s load only; leave that list out",
			options->loads, small && !shape->walks_small ? "small" : "large");
	return 0;
}

static int matrix_fill(const struct shape *shape, const struct walk *walk,
		       struct orion_matrix *matrix)
{
	bool row_0 = shape->walks_large || shape->large == 0;
	bool column_0 = shape->walks_small || shape->small == 0;
	int status = 0;

	if (row_0)
		status |= shape->walks_small ? loads_copy(&walk->small, &matrix->small)
					     : loads_one(&matrix->small, shape->small);
	if (column_0)
		status |= shape->walks_large ? loads_copy(&walk->large, &matrix->large)
					     : loads_one(&matrix->large, shape->large);
	matrix->corner = row_0 && column_0;
	if (shape->alone || (!shape->walks_small && !shape->small) ||
	    (!shape->walks_large && !shape->large))
		return status;
	status |= shape->walks_small ? loads_copy(&walk->small, &matrix->mixed_small)
				     : loads_one(&matrix->mixed_small, shape->small);
	status |= shape->walks_large ? loads_copy(&walk->large, &matrix->mixed_large)
				     : loads_one(&matrix->mixed_large, shape->large);
	return status;
}

int orion_matrix_make(const struct orion_options *options, unsigned num_disks,
		      struct orion_matrix *ret, struct error *error)
{
	struct shape shape = shape_of(options);
	struct orion_matrix matrix = {.corner = false};
	struct walk walk = {.small = {.n = 0}};
	int status = unused_check(options, &shape, error);

	if (status == 0 && shape.walks_small)
		status = walk_small(options, num_disks, &walk.small, error);
	if (status == 0 && shape.walks_large)
		status = walk_large(options, num_disks, &walk.large, error);
	if (status == 0)
		status = matrix_fill(&shape, &walk, &matrix);
	free(walk.small.values);
	free(walk.large.values);
	if (status < 0) {
		orion_matrix_free(&matrix);
		return error && error->code ? error_negative(error->code)
					    : error_set(error, -ENOMEM, "no memory for the loads");
	}
	*ret = matrix;
	return 0;
}

void orion_matrix_free(struct orion_matrix *matrix)
{
	free(matrix->small.values);
	free(matrix->large.values);
	free(matrix->mixed_small.values);
	free(matrix->mixed_large.values);
	*matrix = (struct orion_matrix){.corner = false};
}

uint64_t orion_matrix_points(const struct orion_matrix *matrix)
{
	return matrix->small.n + matrix->large.n +
	       (uint64_t)matrix->mixed_small.n * matrix->mixed_large.n + matrix->corner;
}

uint64_t orion_matrix_minutes(const struct orion_matrix *matrix, uint64_t duration_s)
{
	return (orion_matrix_points(matrix) * duration_s + 59) / 60 + 1;
}
