// SPDX-License-Identifier: Apache-2.0
// The bug clinic: the result of working on a case.
#ifndef CLCLAB_RESULT_CLINIC_H
#define CLCLAB_RESULT_CLINIC_H

#include "result/launch.h"

typedef enum ClinicMark {
    CLINIC_OPEN, // not answered, or not known yet
    CLINIC_ILL,
    CLINIC_WELL,
} ClinicMark;

typedef struct ClinicResult {
    uint32_t number;
    Str title;
    Str story;
    Str file;    // the copy, as given; empty: there was none
    bool is_new; // not worked on yet: all marks are CLINIC_OPEN
    Str given;   // the learner's diagnosis; may be empty
    Str asks;    // what the diagnosed rule asks for; empty: no such code
    SrcLoc at;   // the place of the diagnosis in the file
    ClinicMark diagnosis;
    ClinicMark rules;           // no error under any schedule
    ClinicMark output;          // correct output under every schedule
    uint64_t checksum;          // of the output; 0: it did not run
    ClinicMark technique;       // it is still the same kind of kernel
    Str technique_what;         // CLINIC_ILL: what it no longer does
    bool healed;                // all four are well
    const LaunchResult *launch; // of the copy; may be NULL
    Str code; // the case's rule: its findings are hidden until the diagnosis
              // is right
} ClinicResult;

#endif
