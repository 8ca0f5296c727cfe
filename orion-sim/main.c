/* SPDX-License-Identifier: MIT */
/* main.c - front door: argv to exit code. */
#include "command/command.h"

int main(int argc, char **argv)
{
	return command_main(argc, argv);
}
