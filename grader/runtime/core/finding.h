// SPDX-License-Identifier: Apache-2.0
// What a launch's findings become in the journal.
#ifndef CLCLAB_RUNTIME_FINDING_H
#define CLCLAB_RUNTIME_FINDING_H

#include "device/device.h"
#include "result/finding.h"
#include "runtime/core/launch.h"
#include "runtime/core/modules.h"

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
