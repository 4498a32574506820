// SPDX-License-Identifier: Apache-2.0
// The bug clinic: a case as it came in and a learner's mended copy of it become
// a ClinicResult. labs/clinic/README.md is the learner's side of it.
//
//   a case's text --clinic_parse--> ClinicCase
//   the case's and the copy's LaunchResults --clinic_judge--> ClinicResult
//
// No key is needed: what is wrong with a case is what the checker finds in it.
// report/ shows a ClinicResult, so this header needs no other of check/.
#ifndef CLCLAB_CLINIC_H
#define CLCLAB_CLINIC_H

#include "base/base.h"
#include "result/result.h"

typedef struct ClinicCase {
    uint32_t number;
    Str title;
    Str story;         // the patient's words, a line each, without "// "
    Str launch;        // options of clclab run
    uint64_t checksum; // of the buffers after a right run: clinic_checksum
    Str diagnosis;     // a code, as written; empty: "?"
    SrcLoc diagnosis_at;
} ClinicCase;

typedef enum ClinicMark {
    CLINIC_OPEN, // not said, or cannot be said yet
    CLINIC_ILL,
    CLINIC_WELL,
} ClinicMark;

// A launch of the case, or of the copy, under all schedules.
typedef struct ClinicRun {
    const LaunchResult *launch;
    const Str *outputs; // [output_count]: each buffer's bytes after the first
                        // schedule; NULL: it was not launched
    size_t output_count;
    Str ptx; // its text; empty: it did not build
} ClinicRun;

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

// Parses the comments at the head of a case; `path` is for messages. False
// where there is an error; each has its line and column, and code "CASE".
bool clinic_parse(Arena *arena, Str path, Str text, ClinicCase *out,
                  Diags *diags);
// The word behind "// DIAGNOSIS:", in capitals, and its place; empty: "?", or
// no such line (then at->line is 0).
Str clinic_diagnosis(Arena *arena, Str path, Str text, SrcLoc *at);
// What a rule asks; empty: there is no such code.
Str clinic_asks(Str code);
uint64_t clinic_checksum(const Str *outputs, size_t count);

// Fills in what the caller has not: number, title, story, file, given and at
// are there. False: the case itself is healthy.
bool clinic_judge(const ClinicCase *about, const ClinicRun *original,
                  const ClinicRun *mine, ClinicResult *result);

#endif
