// SPDX-License-Identifier: Apache-2.0
// A launch under other schedules than the plain one, as a client of trials/.
#ifndef CLCLAB_RUNTIME_SCHEDULES_H
#define CLCLAB_RUNTIME_SCHEDULES_H

#include "device/device.h"
#include "runtime/core/launch.h"
#include "runtime/core/modules.h"

// Runs the launch, which starts from the same memory, under other schedules,
// and puts back what the plain one has left. `before` is of before the plain
// one, which has taken so many steps, and so long.
typedef struct Snapshot Snapshot;
typedef struct PlainCost {
    uint64_t steps, nanoseconds;
} PlainCost;
uint64_t schedules_now(void); // nanoseconds
Snapshot *schedules_keep(Runtime *r, Device *device);
void schedules_run(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                   DeviceLaunch *launch, Snapshot *before, PlainCost plain);

#endif
