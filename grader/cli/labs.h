// SPDX-License-Identifier: Apache-2.0
// The labs that are compiled in. The table itself is generated from
// labs/*/lab.conf (grader/tools/gen-labs): a new lab changes no file here.
#ifndef CLCLAB_CLI_LABS_H
#define CLCLAB_CLI_LABS_H

#include "check/check.h"

typedef struct LabEntry {
    const char *folder; // "04-cluster-clc"
    LabReference reference;
} LabEntry;

extern const LabEntry lab_entries[];
extern const size_t lab_entry_count;

#endif
