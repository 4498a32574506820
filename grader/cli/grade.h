// SPDX-License-Identifier: Apache-2.0
// The options of clclab grade.
#ifndef CLCLAB_CLI_GRADE_H
#define CLCLAB_CLI_GRADE_H

#include "cli/internal.h"

typedef struct GradeSize {
    bool given;
    LabSize size; // as in lab.conf
} GradeSize;

typedef struct GradeArgs {
    ScheduleArgs schedule;
    GradeSize size; // --only-schedule: this size alone
    bool solutions; // grade the file of solutions/
} GradeArgs;

#endif
