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
} CompareModel;

// The last SM's end over the mean end; unknown if nothing ended.
CompareFigure compare_imbalance(const DeviceTimeline *line);

// *model must outlive the source.
CompareSource compare_model_source(CompareModel *model);

#endif
