/* SPDX-License-Identifier: MIT */
/* place_audit.c - on which memory nodes a region was found to lie. */
#include <errno.h>
#include <numaif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"
#include "memory/memory.h"
#include "memory/place_parts.h"

#define SAMPLES_MAX 4096u
#define BATCH	    1024u

struct survey {
	const struct region *region;
	uint64_t page_bytes, pages;
	uint64_t stride;		    /* pages from one that is looked at to the next */
	uint64_t found[TOPOLOGY_NODES_MAX]; /* samples by node */
	uint64_t known, samples;
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A policy that serves nodes in turn would fool a stride that shares a factor with its period. */
static uint64_t survey_stride(uint64_t pages, uint64_t period)
{
	uint64_t stride = (pages + SAMPLES_MAX - 1) / SAMPLES_MAX;

	while (period && stride > 1 && common_divisor(stride, period) > 1)
		stride++;
	return stride ? stride : 1;
}

static int survey_batch(struct survey *survey, uint64_t first, unsigned n)
{
	char *begin = survey->region->mapping.address;
	void *pages[BATCH];
	int nodes[BATCH];

	for (unsigned i = 0; i < n; i++)
		pages[i] = begin + (first + i) * survey->stride * survey->page_bytes;
	/* Without a list of nodes it moves nothing, and answers where each page is. */
	if (move_pages(0, n, pages, NULL, nodes, 0) < 0)
		return -errno;
	for (unsigned i = 0; i < n; i++)
		if (nodes[i] >= 0 && nodes[i] < TOPOLOGY_NODES_MAX) {
			survey->found[nodes[i]]++;
			survey->known++;
		}
	return 0;
}

static int survey_all(struct survey *survey)
{
	survey->samples = (survey->pages + survey->stride - 1) / survey->stride;
	for (uint64_t i = 0; i < survey->samples; i += BATCH) {
		uint64_t n = survey->samples - i < BATCH ? survey->samples - i : BATCH;
		int ret = survey_batch(survey, i, (unsigned)n);

		if (ret)
			return ret;
	}
	return 0;
}

/* Samples that lie as asked: on the nodes asked for, and on none of them beyond its share. */
static uint64_t survey_as_asked(const struct survey *survey, const struct place_weights *weights)
{
	const struct place *place = &survey->region->place;
	uint64_t turns = weights->sum ? (survey->known + weights->sum - 1) / weights->sum : 0;
	uint64_t got = 0;

	if (place->policy == PLACE_DEFAULT)
		return survey->known;
	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++) {
		uint64_t most = place_has_shares(place) ? turns * weights->of[node] : UINT64_MAX;

		if (weights->of[node])
			got += survey->found[node] < most ? survey->found[node] : most;
	}
	return got;
}

static uint64_t survey_bytes(const struct survey *survey, uint64_t samples)
{
	uint64_t bytes = survey->region->mapping.bytes;

	return (uint64_t)((unsigned __int128)bytes * samples / survey->samples);
}

static void survey_sum_up(const struct survey *survey, const struct place_weights *weights,
			  struct place_audit *ret)
{
	ret->pages = survey->pages;
	ret->sampled = survey->samples;
	ret->asked_bytes = survey_bytes(survey, survey->known);
	ret->got_bytes = survey_bytes(survey, survey_as_asked(survey, weights));
	for (int node = 0; node < TOPOLOGY_NODES_MAX && ret->n_nodes < PLACE_NODES_MAX; node++)
		if (survey->found[node])
			ret->nodes[ret->n_nodes++] = (struct place_found){
				.node = node, .bytes = survey_bytes(survey, survey->found[node])};
}

int place_audit(const struct region *region, struct place_audit *ret, struct error *error)
{
	CLEANUP(cleanup_free) struct survey *survey = calloc(1, sizeof(*survey));
	CLEANUP(cleanup_free) struct place_weights *weights = calloc(1, sizeof(*weights));

	if (!survey || !weights)
		return error_set(error, -ENOMEM, "no memory for an audit");
	*ret = (struct place_audit){0};
	survey->region = region;
	survey->page_bytes = region->ops->page_bytes(region->params);
	survey->pages = region->mapping.bytes / survey->page_bytes;
	if (!survey->pages)
		return 0;
	place_weights("", &region->place, weights);
	survey->stride = survey_stride(survey->pages, weights->sum);
	ret->code = survey_all(survey);
	if (!ret->code)
		survey_sum_up(survey, weights, ret);
	return 0;
}

const char *place_audit_detail(const struct place_audit *audit, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < audit->n_nodes && used < size; i++) {
		char amount[32];

		used += (size_t)snprintf(text + used, size - used, "%s%d %s", i ? ", " : "",
					 audit->nodes[i].node,
					 units_format_size(audit->nodes[i].bytes, amount));
	}
	return text;
}

double place_audit_percent(const struct place_audit *audit)
{
	if (!audit->asked_bytes)
		return 100;
	return 100.0 * (double)audit->got_bytes / (double)audit->asked_bytes;
}

static int place_fail_unknown(const struct region *region, int code, struct error *error)
{
	return error_set(error, ERROR_CANNOT,
			 "region '%s': on which nodes it lies cannot be proved: move_pages: %s%s",
			 region->name, strerror(code),
			 code == EPERM
				 ? ", most likely since this is a container: allow it (docker "
				   "run --cap-add SYS_NICE)"
				 : "");
}

/* A preference may be disappointed; everything else was asked for. */
int place_check(const struct region *region, const struct place_audit *audit, double percent,
		struct error *error)
{
	const struct place *place = &region->place;
	char asked[32], got[32], nodes[128], detail[256];
	bool huge = region_is_huge(region);

	if (place->policy == PLACE_DEFAULT || place->policy == PLACE_PREFERRED)
		return 0;
	if (audit->code)
		return place_fail_unknown(region, -audit->code, error);
	if (place_audit_percent(audit) >= percent)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "region '%s': %s asked on node %s%s, %s got (%.1f %%, by move_pages: node "
			 "%s), %g %% needed; the kernel took %s of other nodes where these had too "
			 "few: %s",
			 region->name, units_format_size(audit->asked_bytes, asked),
			 node_set_format(&place->nodes, nodes, sizeof(nodes)),
			 place_has_shares(place) ? " in even turns" : "",
			 units_format_size(audit->got_bytes, got), place_audit_percent(audit),
			 place_audit_detail(audit, detail, sizeof(detail)), percent,
			 huge ? "huge pages" : "pages",
			 huge ? "reserve them on these nodes (settings: hugepages)"
			      : "ask for a smaller region");
}
