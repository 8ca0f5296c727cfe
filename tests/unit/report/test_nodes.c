/* SPDX-License-Identifier: MIT */
/* test_nodes.c - where memory lay, in few words. */
#include "report/nodes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sample.h"
#include "written.h"

struct made {
	struct result_repeat repeat;
	struct result_audit audits[2];
	struct result_node nodes[2][8];
};

static void make(struct made *made)
{
	memset(made, 0, sizeof(*made));
	made->repeat.audits = made->audits;
	made->repeat.n_audits = 1;
	for (unsigned i = 0; i < 2; i++) {
		made->audits[i].placement.known = true;
		made->audits[i].placement.nodes = made->nodes[i];
		snprintf(made->audits[i].placement.numa, 64, "default");
	}
}

static void add(struct made *made, unsigned audit, int node, uint64_t bytes)
{
	struct result_placement *placement = &made->audits[audit].placement;

	placement->nodes[placement->n_nodes++] = (struct result_node){node, bytes};
	placement->got_percent = placement->got_end_percent = 100;
}

static void expect(const struct made *made, bool matter, const char *sentence)
{
	char text[NODES_TEXT_BYTES];

	assert_int_equal(nodes_matter(&made->repeat), matter);
	assert_string_equal(nodes_text(&made->repeat, text), sentence);
}

static void test_one_node_is_no_news_unless_asked_for(void **state)
{
	struct made made;

	make(&made);
	add(&made, 0, 0, 100);
	expect(&made, false, "0");
	snprintf(made.audits[0].placement.numa, 64, "bind 0");
	expect(&made, true, "0");
	make(&made);
	add(&made, 0, 1, 100);
	expect(&made, true, "1");
}

static void test_several_nodes_have_their_shares(void **state)
{
	struct made made;

	make(&made);
	add(&made, 0, 4, 667);
	add(&made, 0, 1, 333);
	expect(&made, true, "1 33.3%, 4 66.7%");
	/* All regions together. */
	made.repeat.n_audits = 2;
	add(&made, 1, 1, 333);
	add(&made, 1, 7, 667);
	expect(&made, true, "1 33.3%, 4 33.4%, 7 33.4%");
	/* All is said of all only. */
	make(&made);
	add(&made, 0, 0, 99999);
	add(&made, 0, 1, 1);
	expect(&made, true, "0 99.9%, 1 0%");
}

static void test_less_than_asked_is_said(void **state)
{
	struct made made;

	make(&made);
	snprintf(made.audits[0].placement.numa, 64, "preferred 1");
	add(&made, 0, 0, 300);
	add(&made, 0, 1, 100);
	made.audits[0].placement.got_percent = 25;
	made.audits[0].placement.got_end_percent = 50;
	expect(&made, true, "0 75%, 1 25% (25% as asked)");
	assert_true(figure_placed_percent(&made.repeat) == 25);
	assert_true(figure_placed_end_percent(&made.repeat) == 50);
}

static void test_many_nodes_are_cut(void **state)
{
	struct made made;

	make(&made);
	for (int node = 0; node < 8; node++)
		add(&made, 0, node, 100);
	expect(&made, true, "0 12.5%, 1 12.5%, 2 12.5%, 3 12.5% …");
}

static void test_what_is_not_known_is_not_said(void **state)
{
	struct made made;

	make(&made);
	made.audits[0].placement.known = false;
	expect(&made, false, "");
	assert_true(isnan(figure_placed_percent(&made.repeat)));
	made.repeat.n_audits = 0;
	expect(&made, false, "");
}

/* The column is there where it says something. */
static void test_the_table_has_them(void **state)
{
	struct result result;
	struct result_placement *placement;
	char *text;

	sample_demo(&result);
	text = written("text", &result);
	assert_does_not_say(text, "on node is where");
	free(text);
	placement = &result.variants[0].points[0].repeats[0].audits[0].placement;
	snprintf(placement->numa, sizeof(placement->numa), "bind 1");
	placement->nodes[0].node = 1;
	text = written("text", &result);
	assert_says(text, "on node is where the buffers' memory lay, by move_pages.");
	free(text);
	for (unsigned r = 0; r < result.variants[0].points[0].n_repeats; r++)
		result.variants[0].points[0].repeats[r].audits[0].placement.got_end_percent = 50;
	text = written("text", &result);
	assert_says(unwrapped(text), "not all of the memory lay on the nodes asked for: 50.0 %");
	free(text);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_node_is_no_news_unless_asked_for),
		cmocka_unit_test(test_several_nodes_have_their_shares),
		cmocka_unit_test(test_less_than_asked_is_said),
		cmocka_unit_test(test_many_nodes_are_cut),
		cmocka_unit_test(test_what_is_not_known_is_not_said),
		cmocka_unit_test(test_the_table_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
