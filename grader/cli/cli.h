// SPDX-License-Identifier: Apache-2.0
// cli: arguments, files, wiring, exit codes. The only room that prints and the
// only one that knows all others.
//
// Without mutable globals: cli_main can be called by a test.
#ifndef CLCLAB_CLI_H
#define CLCLAB_CLI_H

// The exit codes (docs: the man page). Nothing of the machine - no GPU, no
// compiler - is ever the student's zero.
typedef enum CliExit {
    CLI_FULL_MARKS = 0,
    CLI_BELOW = 1,     // graded below full marks; what was asked for fails
    CLI_USAGE = 2,     // the command line, or a file that it names
    CLI_MISSING = 69,  // something needed is not there
    CLI_OURS = 70,     // the grader's own fault
    CLI_TRY_LATER = 75 // disk full, output closed, ...
} CliExit;

// Runs the command; writes to the file descriptors 1 and 2. Gives the exit
// code. Ignores SIGPIPE in the whole process.
int cli_main(int argc, char **argv);

#endif
