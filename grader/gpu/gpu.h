// SPDX-License-Identifier: Apache-2.0
// gpu: a Device on a real NVIDIA GPU, through the driver's libcuda. libcuda is
// loaded if it exists; neither the build nor the rest of the program needs it.
//
//   PtxModule --rewrite.h--> PTX for the card --assemble.h--> cubin
//   cubin + buffers --case.h, in a child process--> outcome --> DeviceRun
//
// The parent never calls CUDA. Each launch is a case: a new process with a
// deadline owns the context and dies with it. On a GPU of compute capability
// 10.0 or more the PTX runs natively, retargeted to the card's architecture. On
// 9.x Cluster Launch Control is emulated. Older GPUs run kernels that use
// neither it nor clusters.
#ifndef CLCLAB_GPU_H
#define CLCLAB_GPU_H

#include "base/base.h"
#include "device/device.h"
#include "gpu/assemble.h"
#include "gpu/probe.h"
#include "gpu/rewrite.h"
#include "gpu/target.h"
#include "result/run.h"

typedef struct GpuSettings {
    double deadline_s; // of a kernel; 0: GPU_DEADLINE_S
    Str prologue;      // the function whose calls later launches count
    bool keeps_index;  // GpuRewrite.keeps_index, where CLC is emulated
    // Run the kernels unchanged: no ledger, and no counting of calls.
    bool is_plain;
    // How long to wait for other processes on the same GPU, and how long, apart
    // from that and the deadline, for the driver; 0: GPU_LOCK_S, GPU_DRIVER_S.
    double lock_s, driver_s;
} GpuSettings;

#define GPU_DEADLINE_S 10.0
#define GPU_LOCK_S 120.0
#define GPU_DRIVER_S 60.0

// A Device on the first GPU. Modules that it loads must live as long as it
// does, because it caches the images made from them. NULL, with a Diag that
// says what is missing, if no GPU can be used: there is no driver, no GPU, MPS
// is running, or the GPU is prohibited.
Device *gpu_open(const GpuSettings *settings, Diags *diags);

// ---- times ---------------------------------------------------------------

// How long a launch takes on the card, in addition to its DeviceRun: times of
// repeated runs of the unchanged kernel without a ledger. Microseconds from the
// GPU's own time stamps, in ascending order.
enum { GPU_MOST_REPEATS = 101, GPU_MOST_VISITS = 21 };
typedef struct GpuTimes {
    double alone[GPU_MOST_REPEATS]; // [repeats]
    // A kernel of higher priority arrives after half of the time: how long
    // until one of its blocks runs, and until as many run as fit. The same
    // times on an idle GPU are subtracted.
    double first[GPU_MOST_VISITS], all[GPU_MOST_VISITS]; // [visits]
    double copies[GPU_MOST_REPEATS]; // [repeats]: of copy_bytes on the card
    const Finding *fault; // why there are no times; NULL: see the Diag
} GpuTimes;

typedef struct GpuMeasure {
    uint32_t repeats, visits; // at most GPU_MOST_*; repeats is not 0
    uint32_t copy_bytes;      // 0: no copy is timed
} GpuMeasure;

// The buffers are left as after exactly one launch. `device` must have been
// opened with is_plain. False if it could not be measured: with a Diag or with
// times->fault.
bool gpu_measure(Device *device, Arena *arena, const DeviceLaunch *launch,
                 const GpuMeasure *wanted, GpuTimes *times, Diags *diags);

#endif
