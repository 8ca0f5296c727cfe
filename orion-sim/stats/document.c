/* SPDX-License-Identifier: MIT */
/* document.c - JSON as text: small, yet with lines that a diff can tell apart. */
#include "stats/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LENGTH 100

/* Bytes of the well-formed UTF-8 sequence at text, 0 if it is none. */
static int utf8_length(const unsigned char *text)
{
	int length = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;

	if (length == 1)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	for (int i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0; /* overlong, a surrogate, or beyond U+10FFFF */
	return length;
}

/* File names and cut-off sentences may hold anything, and JSON must be UTF-8. */
static void mend_utf8(char *text)
{
	while (*text) {
		int length = utf8_length((const unsigned char *)text);

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

static void print_indent(int depth, FILE *stream)
{
	fputc('\n', stream);
	for (int i = 0; i < depth; i++)
		fputc(' ', stream);
}

/* A key, escaped as every string is. */
static void print_key(const char *key, FILE *stream)
{
	cJSON *string = cJSON_CreateString(key);
	char *text = string ? cJSON_PrintUnformatted(string) : NULL;

	fprintf(stream, "%s: ", text ? text : "\"\"");
	cJSON_free(text);
	cJSON_Delete(string);
}

static void print_node(const cJSON *node, int depth, FILE *stream)
{
	char *line = cJSON_PrintUnformatted(node);
	bool fits = line && strlen(line) + (size_t)depth <= LINE_LENGTH;
	const cJSON *item;

	if (line && (fits || !node->child || is_list_of_numbers(node))) {
		fputs(line, stream);
		cJSON_free(line);
		return;
	}
	cJSON_free(line);
	fputc(cJSON_IsArray(node) ? '[' : '{', stream);
	cJSON_ArrayForEach (item, node) {
		print_indent(depth + 1, stream);
		if (cJSON_IsObject(node))
			print_key(item->string, stream);
		print_node(item, depth + 1, stream);
		if (item->next)
			fputc(',', stream);
	}
	print_indent(depth, stream);
	fputc(cJSON_IsArray(node) ? ']' : '}', stream);
}

char *document_print(const cJSON *root)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	print_node(root, 0, stream);
	fputc('\n', stream);
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
