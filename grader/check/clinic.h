// SPDX-License-Identifier: Apache-2.0
// The bug clinic: judges a learner's fixed copy of a case against the original,
// which gives a ClinicResult. labs/clinic/README.md tells learners how it
// works.
//
//   a case's text --clinic_parse--> ClinicCase
//   the case's and the copy's LaunchResults --clinic_judge--> ClinicResult
//
// There is no answer key: what is wrong with a case is what the checker finds
// in it. The result is declared in result/clinic.h, and report/ shows it.
#ifndef CLCLAB_CHECK_CLINIC_H
#define CLCLAB_CHECK_CLINIC_H

#include "base/base.h"
#include "result/clinic.h"

typedef struct ClinicCase {
    uint32_t number;
    Str title;
    Str story;         // the patient's words, line by line, without "// "
    Str launch;        // options of clclab run
    uint64_t checksum; // of the buffers after a correct run: clinic_checksum
    Str diagnosis;     // a code, as written; empty: "?"
    SrcLoc diagnosis_at;
} ClinicCase;

// A launch of the case, or of the copy, under all schedules.
typedef struct ClinicRun {
    const LaunchResult *launch;
    const Str *outputs; // [output_count]: each buffer's bytes after the first
                        // schedule; NULL: it was not launched
    size_t output_count;
    Str ptx; // its text; empty: it did not build
} ClinicRun;

// Parses the comments at the head of a case; `path` is for messages. Returns
// false if there is an error; each has its line and column, and code "CASE".
bool clinic_parse(Arena *arena, Str path, Str text, ClinicCase *out,
                  Diags *diags);
// The word after "// DIAGNOSIS:", in capitals, and its place. Empty if the word
// is "?" or there is no such line (then at->line is 0).
Str clinic_diagnosis(Arena *arena, Str path, Str text, SrcLoc *at);
uint64_t clinic_checksum(const Str *outputs, size_t count);

// Fills in the rest of *result: the caller has set number, title, story, file,
// given and at. Returns false if the case itself has no fault.
bool clinic_judge(const ClinicCase *about, const ClinicRun *original,
                  const ClinicRun *mine, ClinicResult *result);

#endif
