// SPDX-License-Identifier: Apache-2.0
// The comparison: four techniques do the same work, and what each took stands
// side by side (docs/compare.md).
//
//   CompareSource  runs one CompareCase -> CompareSample
//   compare_run    all cases of a source -> Comparison, which report/ shows
//
// A source is the only one who knows a device: a Device that models time
// (check/compare_model.h), or a real card. What a source cannot know it leaves
// unknown; an unknown figure is never shown as a 0.
#ifndef CLCLAB_COMPARE_H
#define CLCLAB_COMPARE_H

#include "base/base.h"

// X(ID, "name", "kernel", blocks in a cluster); grader/compare/compare.cu.
#define COMPARE_TECHNIQUES(X)                     \
    X(FIXED, "fixed work", "compare_fixed", 1)    \
    X(STRIDE, "grid stride", "compare_stride", 1) \
    X(CLC, "CLC", "compare_clc", 1)               \
    X(CLUSTER, "cluster CLC", "compare_cluster", 2)

typedef enum CompareTechnique {
#define COMPARE_ENUM(id, name, kernel, cluster) COMPARE_##id,
    COMPARE_TECHNIQUES(COMPARE_ENUM)
#undef COMPARE_ENUM
        COMPARE_TECHNIQUE_COUNT
} CompareTechnique;

typedef enum CompareKind {
    COMPARE_MODELLED, // by the time model: no card takes this time
    COMPARE_MEASURED, // on a card
} CompareKind;

typedef struct CompareFigure {
    bool known;
    double value; // if known; not negative
} CompareFigure;

// What is done; the same for all techniques.
typedef struct CompareSizes {
    int32_t n;            // elements: floats that are read and written once
    uint32_t threads;     // in a block; a block index owns as many elements
    int32_t work;         // rounds of a unit of work
    int32_t light, heavy; // rounds of the prologue
} CompareSizes;

// The constants of lab.h's prologue (labs/common/lab.h: LabSecret).
typedef struct CompareSecret {
    float seed;
    int32_t rounds;
} CompareSecret;

// The kernels' second parameter (compare.cu: CompareWork).
typedef struct CompareWork {
    int32_t n, rounds, uneven;
} CompareWork;

// All of them.
typedef struct CompareParams {
    uint64_t data;
    CompareWork work;
} CompareParams;

typedef struct CompareCase {
    CompareTechnique technique;
    Str kernel;
    uint32_t grid;    // blocks, whole clusters; x alone
    uint32_t threads; // in a block
    uint32_t cluster; // blocks; the kernel declares it as well
    CompareSecret secret;
    CompareWork work;
} CompareCase;

// What a case took. Times are microseconds.
typedef struct CompareSample {
    CompareFigure started;   // blocks
    CompareFigure prologues; // executed, once for all threads of a block
    CompareFigure time;      // from the start to the last block's end: median
    CompareFigure q1, q3;    // quartiles of it
    CompareFigure imbalance; // the last SM's end over the mean end of all SMs;
                             // an SM without a block ends at 0
    // A kernel of higher priority arrives when half of `time` is over: how long
    // it waits for a place of a block, and for all places.
    CompareFigure first_free, all_free;
    CompareFigure of_copy; // compare_run's: bytes read and written in `time`,
                           // over those that a copy moves meanwhile
} CompareSample;

typedef struct CompareInfo {
    CompareKind kind;
    Str device;         // "vm:mini", "NVIDIA ..."
    Str how;            // a line: how the figures were made
    uint32_t sms;       // of the device
    CompareFigure copy; // GB/s read and written by a copy on the device
} CompareInfo;

typedef struct CompareSource CompareSource;
struct CompareSource {
    CompareInfo info;
    void *context; // the source's own
    // Blocks of this kernel that fit on one SM at once; 0: none does.
    uint32_t (*blocks_per_sm)(CompareSource *source, Str kernel,
                              uint32_t threads);
    // data: [work.n] in: before; out: after exactly one launch of the case, of
    // those that were timed or one besides. False, with a Diag: it could not be
    // run.
    bool (*run)(CompareSource *source, const CompareCase *what, float *data,
                CompareSample *sample, Diags *diags);
};

// ---- all cases -----------------------------------------------------------

enum { COMPARE_GROUPS = 4 };

typedef struct CompareGroup { // one work, one prologue, all techniques
    bool uneven, heavy;
    CompareSample samples[COMPARE_TECHNIQUE_COUNT];
} CompareGroup;

// The guide's table: what a technique has to offer. Each row is one figure of
// one group and the most that counts as a yes.
typedef enum CompareClaimKind {
    CLAIM_OVERHEADS,  // prologues for each block index; even work, heavy
    CLAIM_PREEMPTION, // the wait for all places over the time; even work, light
    CLAIM_BALANCE,    // the imbalance; uneven work, light
    CLAIM_COUNT
} CompareClaimKind;

typedef struct CompareClaim {
    double most;
    CompareFigure figures[COMPARE_TECHNIQUE_COUNT];
} CompareClaim;

typedef struct Comparison {
    CompareInfo info;
    CompareSizes sizes;
    uint32_t blocks;                          // block indices of the work
    uint32_t places[COMPARE_TECHNIQUE_COUNT]; // for blocks, of all SMs
    CompareGroup groups[COMPARE_GROUPS];
    CompareClaim claims[CLAIM_COUNT];
} Comparison;

const char *compare_technique_name(CompareTechnique technique);

// The sizes for a source: on a model, as many elements as keep every place busy
// for a while; on a card, 2^27. n: 0, or the elements asked for.
CompareSizes compare_sizes(CompareSource *source, int32_t n);

// Runs every case and judges what it computed. False, with a Diag: a case could
// not be run, or its data is not what the work gives.
bool compare_run(CompareSource *source, const CompareSizes *sizes,
                 Comparison *result, Diags *diags);

#endif
