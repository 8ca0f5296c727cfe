/* SPDX-License-Identifier: MIT */
/* list_here.h - the parts of the command list that ask the machine. */
#ifndef ORION_COMMAND_LIST_HERE_H
#define ORION_COMMAND_LIST_HERE_H

struct entry;

/* One table of what works here, for this user, as it is: yes, or no and why. */
void list_here(void);

/* Values of today of a setting, or of all for null, and what is borrowed. */
void list_settings_here(const struct entry *setting);

#endif
