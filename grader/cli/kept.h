// SPDX-License-Identifier: Apache-2.0
// A result of clclab grade --format json that was kept in a file, and what it
// says of how it was made. The file may be damaged, or forged.
#ifndef CLCLAB_CLI_KEPT_H
#define CLCLAB_CLI_KEPT_H

#include "cli/internal.h"

typedef struct Kept {
    Str json; // the whole result
    uint64_t lab, seed, schedules;
    const char *gpu_model;
    bool untrusted;
    CliValues flags; // of the compiler
} Kept;

// Reads a result of which a grade can be made again. The error is empty if it
// is one.
Str kept_read(Arena *arena, Str text, Kept *kept);

#endif
