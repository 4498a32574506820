// SPDX-License-Identifier: Apache-2.0
// check: a lab and a submission, run on a Device, become a Result.
//
//   lab.conf's text --check_parse_lab--> Lab
//   Lab + Submission + Device --check_grade--> Result (check/verdict.h)
//
// Opens no files, prints nothing and knows no kind of Device. The checks and
// what each needs are listed in check/internal.h; the order in which they are
// judged is check_grade's.
#ifndef CLCLAB_CHECK_H
#define CLCLAB_CHECK_H

#include "base/base.h"
#include "check/verdict.h"
#include "device/device.h"

// ---- a lab ---------------------------------------------------------------

// The same struct as the one that labs/common/reference.h shows to students.
typedef struct LabProblem {
    int n;             // elements
    const float *data; // [n], before the kernel ran
    double scalar;     // the prologue's value
} LabProblem;

// Fills expected[n]: what data[] must hold after the kernel.
typedef void (*LabReference)(const LabProblem *problem, double *expected);

typedef enum LabTechnique {
    TECHNIQUE_FIXED,      // one block a block index, no loop over them
    TECHNIQUE_PERSISTENT, // as many blocks as fit, in a grid-stride loop
    TECHNIQUE_CLC,        // block indices stolen by Cluster Launch Control
} LabTechnique;

typedef struct LabCheck {
    Str id;
    Str title; // a sentence
    double points;
} LabCheck;

typedef struct Lab {
    uint32_t number; // 4; not in lab.conf: the caller's
    Str folder;      // "04-cluster-clc"; the caller's as well
    Str title;
    Str kernel;       // name of the entry
    Str file;         // its file's name, without a folder
    uint32_t threads; // a block
    uint32_t cluster; // CTAs a cluster
    LabTechnique technique;
    bool plan;      // the learner writes launch_plan
    int32_t *sizes; // values of n, ascending
    size_t size_count;
    LabCheck *checks; // in the order of the design; points sum to 100
    size_t check_count;
    LabReference reference; // the caller's
} Lab;

enum {
    LAB_MAX_SIZE = 1 << 27, // most elements
    LAB_MAX_SIZES = 32,
    LAB_MAX_THREADS = 1024, // a block
    LAB_MAX_CLUSTER = 8,    // the portable limit (CUDA guide, clusters)
};

// Parses the text of a lab.conf; `path` is for messages. False where there is
// an error; each error has its line and column, and code "CONF". Slices of
// *lab point into `text`.
bool check_parse_lab(Arena *arena, Str path, Str text, Lab *lab, Diags *diags);

// ---- grading -------------------------------------------------------------

typedef struct Submission {
    Str file;       // as the user gave it: what every message shows
    Str source;     // its text
    Diag *messages; // of the compiler
    size_t message_count;
    Str compiler;            // "NVRTC 13.0"; may be empty
    const PtxModule *module; // NULL: it did not build; messages say why
    Diag reject;             // `what` not empty: refused before it was compiled
} Submission;

typedef struct GradeOptions {
    uint64_t seed;
    uint64_t schedules;  // how many; 0: the check is skipped
    Str replay;          // "clclab grade 4 cluster_clc.cu"; seed is appended
    uint64_t step_limit; // thread-instructions a run; 0: by its size
    int32_t max_size;    // sizes of the lab beyond it are left out; 0: none
} GradeOptions;

// Runs all checks of the lab. Everything in *result is allocated from `arena`
// or is part of the arguments. The Device is left with a module loaded.
// A function of its arguments: the same seed gives the same result.
void check_grade(Arena *arena, const Lab *lab, const Submission *submission,
                 Device *device, const GradeOptions *options, Result *result);

#endif
