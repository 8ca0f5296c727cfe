/* SPDX-License-Identifier: MIT */
/* document.c - JSON as text: small, yet with lines that a diff can tell apart. */
#include "stats/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/words.h"

#define LINE_LENGTH 120

/* File names and cut-off sentences may hold anything, and JSON must be UTF-8. */
static void mend_utf8(char *text)
{
	while (*text) {
		size_t length = words_utf8(text);

		if (length == 0) {
			*text = '?';
			length = 1;
		}
		text += length;
	}
}

/* Takes text over. */
static char *finish(char *text)
{
	if (text)
		mend_utf8(text);
	return text;
}

static bool is_list_of_numbers(const cJSON *node)
{
	const cJSON *item;

	if (!cJSON_IsArray(node))
		return false;
	cJSON_ArrayForEach (item, node)
		if (!cJSON_IsNumber(item) && !cJSON_IsRaw(item))
			return false;
	return true;
}

/* Where the next item goes. */
struct layout {
	FILE *stream;
	int depth;  /* of the container that is broken up */
	int column; /* characters on the current line, 0 if the next item must begin a new one */
};

static void begin_line(struct layout *layout)
{
	fputc('\n', layout->stream);
	for (int i = 0; i < layout->depth; i++)
		fputc(' ', layout->stream);
	layout->column = layout->depth;
}

/* "key": with the key escaped as every string is; empty for what has no key. */
static char *print_key(const cJSON *node)
{
	cJSON *string = cJSON_CreateString(node->string ? node->string : "");
	char *key = string ? cJSON_PrintUnformatted(string) : NULL, *text = NULL;

	if (key && asprintf(&text, "%s:", key) < 0)
		text = NULL;
	cJSON_free(key);
	cJSON_Delete(string);
	return text;
}

static void print_broken_up(const cJSON *node, int depth, FILE *stream);

/* What is short joins the line, what is long begins a new one, what is too long is broken up. */
static void print_item(const cJSON *node, bool has_key, struct layout *layout)
{
	CLEANUP(cleanup_free) char *key = has_key ? print_key(node) : strdup("");
	CLEANUP(cleanup_free) char *value = cJSON_PrintUnformatted(node);
	int length = key && value ? (int)(strlen(key) + strlen(value)) : 0;
	bool whole =
		layout->depth + length < LINE_LENGTH || !node->child || is_list_of_numbers(node);

	if (!key || !value)
		return;
	if (layout->column == 0 || !whole || layout->column + length >= LINE_LENGTH)
		begin_line(layout);
	fprintf(layout->stream, "%s%s", key, whole ? value : "");
	layout->column = whole ? layout->column + length + 1 : 0;
	if (!whole)
		print_broken_up(node, layout->depth, layout->stream);
	if (node->next)
		fputc(',', layout->stream);
}

static void print_items(const cJSON *node, int depth, FILE *stream)
{
	struct layout layout = {.stream = stream, .depth = depth + 1};
	const cJSON *item;

	cJSON_ArrayForEach (item, node)
		print_item(item, cJSON_IsObject(node), &layout);
	layout.depth = depth;
	begin_line(&layout);
}

/* [{ … },{ … }]: lists of objects that are long anyway cost no lines and no depth of their own. */
static bool is_list_of_long_objects(const cJSON *node)
{
	const cJSON *item;

	if (!cJSON_IsArray(node))
		return false;
	cJSON_ArrayForEach (item, node) {
		CLEANUP(cleanup_free) char *text = cJSON_PrintUnformatted(item);

		if (!cJSON_IsObject(item) || !text || strlen(text) < LINE_LENGTH)
			return false;
	}
	return true;
}

static void print_broken_up(const cJSON *node, int depth, FILE *stream)
{
	bool hug = is_list_of_long_objects(node);
	const cJSON *item;

	fputc(cJSON_IsObject(node) ? '{' : '[', stream);
	if (!hug)
		print_items(node, depth, stream);
	for (item = hug ? node->child : NULL; item; item = item->next) {
		print_broken_up(item, depth, stream);
		if (item->next)
			fputc(',', stream);
	}
	fputc(cJSON_IsObject(node) ? '}' : ']', stream);
}

static void print_root(const cJSON *root, FILE *stream)
{
	CLEANUP(cleanup_free) char *line = cJSON_PrintUnformatted(root);

	if (line && (strlen(line) < LINE_LENGTH || !root->child || is_list_of_numbers(root)))
		fputs(line, stream);
	else
		print_broken_up(root, 0, stream);
	fputc('\n', stream);
}

char *document_print(const cJSON *root)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	print_root(root, stream);
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	return finish(text);
}

char *document_print_line(const cJSON *root)
{
	return finish(cJSON_PrintUnformatted(root));
}
