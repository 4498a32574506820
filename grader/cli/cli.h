// SPDX-License-Identifier: Apache-2.0
// cli: arguments, files, wiring, exit codes. It is the only room that prints
// and the only one that knows all others.
//
// There are no mutable globals, so a test can call cli_main.
#ifndef CLCLAB_CLI_H
#define CLCLAB_CLI_H

// Runs the command, writing to the file descriptors 1 and 2. Returns the exit
// code, a CliExit. Ignores SIGPIPE in the whole process. `program`: where the
// program is, absolute; its course is above it. Empty: unknown.
int cli_main(const char *program, int argc, char **argv);

#endif
