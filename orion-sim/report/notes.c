/* SPDX-License-Identifier: MIT */
/* notes.c - footnotes: what found no room in a row, told once below under a number. */
#include "report/notes.h"

#include <stdlib.h>
#include <string.h>

#include "report/numbers.h"

unsigned note_number(struct notes *notes, const char *text)
{
	char **texts;

	for (unsigned i = 0; i < notes->n; i++)
		if (strcmp(notes->texts[i], text) == 0)
			return i + 1;
	texts = reallocarray(notes->texts, notes->n + 1, sizeof(*texts));
	if (!texts)
		return 0;
	notes->texts = texts;
	texts[notes->n] = strdup(text);
	return texts[notes->n] ? ++notes->n : 0;
}

void notes_print(const struct notes *notes, size_t width, FILE *stream)
{
	if (notes->n > 0)
		fputc('\n', stream);
	for (unsigned i = 0; i < notes->n; i++) {
		char lead[16];

		snprintf(lead, sizeof(lead), "%s[%u] ", i < 9 ? " " : "", i + 1);
		print_paragraph(lead, notes->texts[i], width, stream);
	}
}

void notes_free(struct notes *notes)
{
	for (unsigned i = 0; i < notes->n; i++)
		free(notes->texts[i]);
	free(notes->texts);
	*notes = (struct notes){.n = 0};
}
