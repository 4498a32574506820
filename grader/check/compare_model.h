// SPDX-License-Identifier: Apache-2.0
// A CompareSource (check/compare.h) that runs its cases on a Device that models
// time.
#ifndef CLCLAB_COMPARE_MODEL_H
#define CLCLAB_COMPARE_MODEL_H

#include "check/compare.h"
#include "device/device.h"

typedef struct CompareModel {
    Device *device;          // models time, always or when a launch asks for it
    const PtxModule *module; // of grader/compare/compare.cu
    const TraceWish *wish;   // launches are recorded; NULL: they are not
} CompareModel;

// The last SM's end over the mean end; unknown if nothing ended.
CompareFigure compare_imbalance(const DeviceTimeline *line);

// *model must outlive the source.
CompareSource compare_model_source(CompareModel *model);

// Records the cases of compare_small. Returns how many: all, or 0 if one of
// them could not be run.
size_t compare_model_ways(CompareModel *model, Arena *arena,
                          TraceWay ways[TRACE_WAYS]);

#endif
