// SPDX-License-Identifier: Apache-2.0
// cli: arguments, files, wiring, exit codes. It is the only room that prints
// and the only one that knows all others.
//
// There are no mutable globals, so a test can call cli_main.
#ifndef CLCLAB_CLI_H
#define CLCLAB_CLI_H

// The exit codes, which the man page documents. What the machine lacks, a GPU
// or a compiler, never gives a student zero points.
typedef enum CliExit {
    CLI_FULL_MARKS = 0,
    CLI_BELOW = 1,     // below full marks, or a check that was asked for failed
    CLI_USAGE = 2,     // the command line, or a file that it names
    CLI_MISSING = 69,  // something needed is not there
    CLI_OURS = 70,     // the grader's own fault
    CLI_TRY_LATER = 75 // disk full, output closed, ...
} CliExit;

// Runs the command, writing to the file descriptors 1 and 2. Returns the exit
// code. Ignores SIGPIPE in the whole process. `program`: where the program is,
// absolute; its course is above it. Empty: unknown.
int cli_main(const char *program, int argc, char **argv);

#endif
