// SPDX-License-Identifier: Apache-2.0
// clclab grade: its options, and the grading without its report, which verify
// and watch use.
#ifndef CLCLAB_CLI_GRADE_H
#define CLCLAB_CLI_GRADE_H

#include "cli/internal.h"

typedef struct GradeSize {
    bool given;
    LabSize size; // as in lab.conf
} GradeSize;

typedef struct GradeArgs {
    ScheduleArgs schedule;
    GradeSize size;                  // --only-schedule: this size alone
    const char *seed_from, *student; // NULL, or batch_seed_of these
    uint64_t jobs;     // runs at a time; 0: one for each processor
    bool solutions;    // grade the file of solutions/
    uint32_t feedback; // ReportFeedback
    bool no_advice;
    uint64_t obey;   // 0: the file is graded as it is
    bool makes_book; // the report is a book, if there is one: report_book
    // Says on standard output, before the report and with GRADE_EARLY_END
    // behind it, that all but the schedules has passed, as soon as that is
    // known.
    bool tells_early;
    // Likewise the report of a failure, before edits are tried for it.
    bool tells_failure;
    bool tells_student;        // a second report, as text, with:
    uint32_t student_feedback; // ReportFeedback
} GradeArgs;

enum { GRADE_EARLY_END = '\f' };

typedef struct GradeEnd {
    ResultSummary summary;
    bool is_exceeded; // a limit ended it: what was not judged has failed
    Str text;         // where tells_student: the second report
} GradeEnd;

// Grades the file that cli->args names, whose own options are a GradeArgs, and
// appends the report in the format that they ask for. Returns the exit code;
// the report is empty if there is none, and an error has then been printed.
int grade_report(Cli *cli, GradeEnd *end, Buf *out);

// provenance.c
Provenance provenance_of(Cli *cli, const Course *course, const Lab *lab,
                         const Build *build);

#endif
