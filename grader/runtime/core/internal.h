// SPDX-License-Identifier: Apache-2.0
// What a launch does besides running: it is repeated under other schedules, and
// its findings are told. Read the headers of core/ in this order:
//
//   cuda.h       the API's types; error.h: its errors
//   runtime.h    the one Runtime of the process; entering and leaving it
//                (state.c)
//   modules.h    what the program registers; a Device for each module
//   memory.h     addresses of device and host
//   copy.h       copies between them (copy.c), and between arrays and memory
//                (copy_3d.c)
//   launch.h     a launch, its findings, what it printed
//   internal.h   the same under other schedules (schedules.c), as a client of
//                trials/
//   stream.h     what a stream is given; events
//   journal.h    what clclab exec is told
#ifndef CLCLAB_RUNTIME_INTERNAL_H
#define CLCLAB_RUNTIME_INTERNAL_H

#include "device/device.h"
#include "runtime/core/journal.h"
#include "runtime/core/launch.h"
#include "runtime/core/memory.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"
#include "vm/vm.h"

// schedules.c
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

// finding.c
bool finding_is_error(const Finding *finding);
// By which a finding is known again, if it is told once more.
uint64_t finding_key(const CudaKernel *kernel, const Finding *finding);
// Whether the like was found at the same place of the kernel before.
bool finding_is_told(const Runtime *r, const CudaKernel *kernel,
                     const Finding *finding);
// Puts a finding of the launch that has just run into the journal. `schedule`
// showed it; 0: the plain one.
void finding_tell_one(Runtime *r, const CudaKernel *kernel,
                      const LaunchShape *shape, const Finding *finding,
                      uint64_t schedule);
// The same for all that the plain schedule showed.
void finding_tell(Runtime *r, const CudaKernel *kernel,
                  const LaunchShape *shape, const DeviceRun *run);

#endif
