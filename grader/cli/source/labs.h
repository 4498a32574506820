// SPDX-License-Identifier: Apache-2.0
// What is generated when the grader is built: the labs that are compiled in,
// from labs/*/lab.conf (grader/tools/gen-labs), so that a new lab changes no
// file here; and the hash of the grader's own sources (Makefile).
#ifndef CLCLAB_CLI_SOURCE_LABS_H
#define CLCLAB_CLI_SOURCE_LABS_H

#include "check/check.h"

typedef struct LabEntry {
    const char *folder; // "04-cluster-clc"
    LabReference reference;
    const char *reference_sha256; // of reference.c, in hexadecimal digits
} LabEntry;

extern const LabEntry lab_entries[];
extern const size_t lab_entry_count;

// SHA-256 of all sources and headers of the grader, one after another in the
// order of their names.
extern const char grader_sha256[];

#endif
