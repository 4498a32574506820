// SPDX-License-Identifier: Apache-2.0
// What became of one submission of many, and what many came to.
#ifndef CLCLAB_RESULT_BATCH_H
#define CLCLAB_RESULT_BATCH_H

#include "base/base.h"

typedef enum BatchStatus {
    BATCH_GRADED,     // it has points
    BATCH_UNGRADABLE, // what was handed in is nothing that can be graded
    BATCH_FAILED,     // our fault or the machine's: the next batch tries again
} BatchStatus;

Str batch_status_name(BatchStatus status); // "not gradable"

// What the points depend on. If one of them changes, they are found anew.
#define BATCH_PARTS(PART)                          \
    PART(SUBMISSION, submission, "the submission") \
    PART(LAB, lab, "lab.conf")                     \
    PART(HEADER, header, "lab.h")                  \
    PART(REFERENCE, reference, "reference.c")      \
    PART(GRADER, grader, "the grader")             \
    PART(TOOLKIT, toolkit, "the CUDA toolkit")     \
    PART(OPTIONS, options, "the options, or the seed")

typedef enum BatchPart {
#define BATCH_PART_ID(id, member, words) BATCH_PART_##id,
    BATCH_PARTS(BATCH_PART_ID)
#undef BATCH_PART_ID
        BATCH_PART_COUNT
} BatchPart;

enum { BATCH_MOST_SEEDS = 16 };

typedef struct BatchRow {
    Str id;       // letters, digits, '.', '_', '-': its files have this name
    Str student;  // as the folder or the platform names her
    Str account;  // her number on the platform; empty: not known
    bool is_late; // so says the platform
    Str file;     // its own name
    BatchStatus status;
    Str why;            // it has no points
    double score, most; // if BATCH_GRADED
    Str check, code;    // of the first failure; empty: full marks
    double seconds;     // on the clock, for all its seeds
    bool is_heavy;      // to be graded among the first, as it may take long
    uint64_t seeds[BATCH_MOST_SEEDS];
    size_t seed_count;
    Str parts[BATCH_PART_COUNT]; // hashes and versions
    // SHA-256 of what was written for it: a result for each seed, the report.
    Str results[BATCH_MOST_SEEDS], report;
    uint64_t batch;  // how many batches had ended when it was graded
    bool has_before; // other points were found earlier, from other parts:
    double before;
    Str changed; // "lab.conf, the grader"
} BatchRow;

// Points that a person gave beside those of the grader.
typedef struct BatchExtra {
    bool is_there;
    double points;
    Str note;
} BatchExtra;

// Who has points from a person, but no submission: as the table names them.
typedef struct BatchStrangers {
    Str *items;
    size_t count, capacity;
} BatchStrangers;

// ---- a class -------------------------------------------------------------

// Two submissions that have much in common that is their own: lines of code
// that are neither in the starter nor in the solution.
typedef struct BatchAlike {
    size_t rows[2];
    Str texts[2];
    uint32_t own[2], shared[2]; // lines
    uint32_t percent;   // shared, of the one that shares more of its own
    uint16_t *marks[2]; // of each line, from 0: the number of the segment that
                        // it shares; 0: none
} BatchAlike;

typedef struct BatchAlikes {
    bool is_asked;
    Str why;           // they could not be looked for; a sentence
    BatchAlike *items; // the most alike first
    size_t count;
} BatchAlikes;

enum { BATCH_BINS = 11, BATCH_SAMPLES = 3 };

typedef struct BatchCause {
    Str check, code;
    size_t count;
    const BatchRow *samples[BATCH_SAMPLES];
    size_t sample_count;
} BatchCause;

typedef struct BatchTally {
    const BatchRow *rows; // by id
    size_t count, graded, ungradable, failed, full;
    double mean, median, least, greatest; // of the points of those graded
    double most;                          // points of the lab
    size_t bins[BATCH_BINS];              // tenths of `most`; the last: all
    const BatchCause *causes;             // the most frequent first
    size_t cause_count;
    const BatchRow **slowest; // at most five
    size_t slowest_count;
    const BatchRow **changed; // have other points than before
    size_t changed_count;
    // Set by the caller:
    const BatchExtra *extras; // of the rows; NULL: nobody gave points
    BatchStrangers strangers;
    BatchAlikes alike;
} BatchTally;

#endif
