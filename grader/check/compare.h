// SPDX-License-Identifier: Apache-2.0
// The comparison: four techniques do the same work, and their costs are shown
// side by side (docs/compare.md).
//
//   CompareSource  runs one CompareCase -> CompareSample
//   compare_run    all cases of a source -> Comparison (result/compare.h)
//
// Only a source knows the device: a Device that models time
// (check/compare_model.h), or a real card. It leaves unknown the figures that
// it cannot measure; an unknown figure is never shown as a 0.
#ifndef CLCLAB_CHECK_COMPARE_H
#define CLCLAB_CHECK_COMPARE_H

#include "base/base.h"
#include "result/compare.h"
#include "result/trace.h"

// The constants of lab.h's prologue (labs/common/lab.h: LabSecret).
typedef struct CompareSecret {
    float seed;
    int32_t rounds;
} CompareSecret;

// The kernels' second parameter (compare.cu: CompareWork).
typedef struct CompareWork {
    int32_t n, rounds, uneven;
} CompareWork;

// All parameters of the kernels.
typedef struct CompareParams {
    uint64_t data;
    CompareWork work;
} CompareParams;

typedef struct CompareCase {
    CompareTechnique technique;
    Str kernel;
    uint32_t grid;    // blocks, whole clusters; x alone
    uint32_t threads; // in a block
    uint32_t cluster; // blocks per cluster; the kernel declares it as well
    CompareSecret secret;
    CompareWork work;
} CompareCase;

typedef struct CompareSource CompareSource;
struct CompareSource {
    CompareInfo info;
    void *context; // the source's own
    // Blocks of this kernel that fit on one SM at once; 0: none does.
    uint32_t (*blocks_per_sm)(CompareSource *source, Str kernel,
                              uint32_t threads);
    // data: [work.n]; in: the values before the launch; out: those after
    // exactly one launch of the case, either a timed one or an extra one.
    // Returns false, with a Diag, if the case could not be run.
    bool (*run)(CompareSource *source, const CompareCase *what, float *data,
                CompareSample *sample, Diags *diags);
    void (*tell)(void *context, uint64_t done, uint64_t of); // of groups, or
    void *tell_context;                                      // NULL
};

// Fixed work, a grid stride and CLC at the same uneven work with a heavy
// prologue, of so few blocks that each can be drawn. False, with a Diag: no
// block fits.
bool compare_small(CompareSource *source, CompareCase cases[TRACE_WAYS],
                   Diags *diags);
// A technique's name: "grid stride".
Str compare_name(CompareTechnique technique);

// ---- all cases -----------------------------------------------------------

// The sizes for a source: on a model, enough elements to keep every place for a
// block busy for a while; on a card, 2^27. n: the elements asked for, or 0.
CompareSizes compare_sizes(CompareSource *source, int32_t n);

// Runs every case and judges what it computed. Returns false, with a Diag, if
// a case could not be run or left data that the work does not give.
bool compare_run(CompareSource *source, const CompareSizes *sizes,
                 Comparison *result, Diags *diags);

#endif
