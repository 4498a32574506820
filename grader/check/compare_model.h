// SPDX-License-Identifier: Apache-2.0
// A CompareSource (check/compare.h) that is a Device which models time.
#ifndef CLCLAB_COMPARE_MODEL_H
#define CLCLAB_COMPARE_MODEL_H

#include "check/compare.h"
#include "device/device.h"

typedef struct CompareModel {
    Device *device; // told to model time, or able to when a launch asks for it
    const PtxModule *module; // of grader/compare/compare.cu
} CompareModel;

// The last SM's end over the mean end; unknown where nothing ended.
CompareFigure compare_imbalance(const DeviceTimeline *line);

// *model has to outlive the source.
CompareSource compare_model_source(CompareModel *model);

#endif
