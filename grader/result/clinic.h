// SPDX-License-Identifier: Apache-2.0
// The bug clinic: what became of a case.
#ifndef CLCLAB_RESULT_CLINIC_H
#define CLCLAB_RESULT_CLINIC_H

#include "result/launch.h"

typedef enum ClinicMark {
    CLINIC_OPEN, // not said, or cannot be said yet
    CLINIC_ILL,
    CLINIC_WELL,
} ClinicMark;

typedef struct ClinicResult {
    uint32_t number;
    Str title;
    Str story;
    Str file;    // the copy, as given; empty: there was none
    bool is_new; // nobody has looked at it: the marks are open
    Str given;   // the learner's diagnosis; may be empty
    Str asks;    // what the rule of this code asks; empty: no such code
    SrcLoc at;   // of the diagnosis
    ClinicMark diagnosis;
    ClinicMark rules;           // no error under any schedule
    ClinicMark output;          // the right bytes under each
    uint64_t checksum;          // of the output; 0: it did not run
    ClinicMark technique;       // it is still the same kind of kernel
    Str technique_what;         // CLINIC_ILL: what it does no more
    bool healed;                // all four are well
    const LaunchResult *launch; // of the copy; may be NULL
    Str code; // of the case: findings with it are not shown before the
              // diagnosis is right
} ClinicResult;

#endif
