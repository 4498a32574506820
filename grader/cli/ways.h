// SPDX-License-Identifier: Apache-2.0
// Three ways to do the same work, for a page of a grade.
#ifndef CLCLAB_CLI_WAYS_H
#define CLCLAB_CLI_WAYS_H

#include "cli/internal.h"

typedef struct Ways {
    Device *device; // NULL: there are none
    Build build;
} Ways;

// Compiles the kernels, if the report is a page and they are there.
void ways_open(Cli *cli, const Course *course, Ways *ways);
void ways_run(Cli *cli, const Ways *ways, Result *result);
void ways_close(Ways *ways);

#endif
