// SPDX-License-Identifier: Apache-2.0
// The comparison: four techniques do the same work, and their costs are shown
// side by side (docs/compare.md). An unknown figure is never shown as 0.
#ifndef CLCLAB_RESULT_COMPARE_H
#define CLCLAB_RESULT_COMPARE_H

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
    COMPARE_MODELLED, // computed by the time model, not measured on any card
    COMPARE_MEASURED, // on a card
} CompareKind;

typedef struct CompareFigure {
    bool known;
    double value; // if known; not negative
} CompareFigure;

// The size of the work, the same for all techniques.
typedef struct CompareSizes {
    int32_t n;            // elements: floats that are read and written once
    uint32_t threads;     // per block; also the elements per block index
    int32_t work;         // rounds of a unit of work
    int32_t light, heavy; // rounds of a light and of a heavy prologue
} CompareSizes;

// The costs of one case. Times are in microseconds.
typedef struct CompareSample {
    CompareFigure started;   // blocks launched
    CompareFigure prologues; // executed: all threads of a block count once
    CompareFigure time;      // from the start to the last block's end: median
    CompareFigure q1, q3;    // quartiles of the time
    CompareFigure imbalance; // the last SM's end divided by the mean end of all
                             // SMs; an SM without a block ends at 0
    // A kernel of higher priority arrives when half of `time` has passed: how
    // long it waits for room for one block, and for all the room.
    CompareFigure first_free, all_free;
    CompareFigure of_copy; // set by compare_run: bytes read and written in
                           // `time`, divided by those a copy moves in that time
} CompareSample;

typedef struct CompareInfo {
    CompareKind kind;
    Str device;         // "vm:mini", "NVIDIA ..."
    Str how;            // one line: how the figures were obtained
    uint32_t sms;       // SMs of the device
    CompareFigure copy; // GB/s read and written by a copy on the device
} CompareInfo;

// ---- all cases -----------------------------------------------------------

enum { COMPARE_GROUPS = 4 };

typedef struct CompareGroup { // one work, one prologue, all techniques
    bool uneven, heavy;
    CompareSample samples[COMPARE_TECHNIQUE_COUNT];
} CompareGroup;

// The guide's table of what each technique offers. Each row is one figure of
// one group, and the highest value that counts as a yes.
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

#endif
