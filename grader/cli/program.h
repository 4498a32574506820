// SPDX-License-Identifier: Apache-2.0
// Running another program in the foreground: it has this one's terminal and
// standard streams, and gets the signals that this one gets.
#ifndef CLCLAB_CLI_PROGRAM_H
#define CLCLAB_CLI_PROGRAM_H

#include "cli/internal.h"

typedef struct ProgramEnd {
    int exit_code;   // as a shell has it: 128 + the signal
    uint32_t signal; // that ended it; 0: none
} ProgramEnd;

// argv[0] is looked for on PATH, unless it has a slash.
int program_run(Cli *cli, char **argv, ProgramEnd *end);
// The path of the program that would be run; empty: there is none.
Str program_find(Arena *arena, const char *name);

// What a program is, as far as its file says.
typedef enum ProgramKind {
    PROGRAM_OTHER,  // no CUDA in it: it may start one, or load a library
    PROGRAM_SHARED, // it uses the shared library of CUDA's runtime
    PROGRAM_STATIC, // it has kernels, and the runtime within it
} ProgramKind;
typedef struct ProgramAbout {
    ProgramKind kind;
    bool is_cuda12;  // shared: the library of CUDA 12
    bool uses_nvrtc; // it compiles kernels while it runs
    bool has_rpath;  // folders in it (DT_RPATH) come before LD_LIBRARY_PATH
} ProgramAbout;
ProgramAbout program_about(Arena *arena, Str path);

#endif
