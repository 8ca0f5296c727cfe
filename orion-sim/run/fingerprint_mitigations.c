/* SPDX-License-Identifier: MIT */
/* fingerprint_mitigations.c - what the kernel does about the vulnerabilities of the CPU. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfile.h"
#include "run/fingerprint.h"

#define FOLDER	     "/sys/devices/system/cpu/vulnerabilities"
#define NOT_AFFECTED "Not affected"
#define MITIGATED    "Mitigation: "

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* "Mitigation: Retpolines; STIBP: disabled; BHI: Not affected" -> "Retpolines; STIBP: disabled" */
static void shorten(const char *state, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	if (strncmp(state, MITIGATED, strlen(MITIGATED)) == 0)
		state += strlen(MITIGATED);
	while (*state && used < size) {
		size_t length = strcspn(state, ";"), tail = strlen(NOT_AFFECTED);

		if (length < tail || strncmp(state + length - tail, NOT_AFFECTED, tail) != 0)
			used += (size_t)snprintf(text + used, size - used, "%s%.*s",
						 used ? "; " : "", (int)length, state);
		state += length;
		state += strspn(state, "; ");
	}
}

cJSON *fingerprint_mitigations(const char *root)
{
	cJSON *states = cJSON_CreateObject();
	struct dirent **entries;
	char folder[256];
	int n;

	snprintf(folder, sizeof(folder), "%s" FOLDER, root);
	n = scandir(folder, &entries, is_visible, alphasort);
	for (int i = 0; i < n; i++) {
		char path[640], state[512], text[512];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (sysfile_read(path, state, sizeof(state), NULL) == 0) {
			shorten(state, text, sizeof(text));
			if (text[0])
				cJSON_AddStringToObject(states, entries[i]->d_name, text);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return states;
}
