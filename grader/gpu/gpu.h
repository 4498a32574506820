// SPDX-License-Identifier: Apache-2.0
// gpu: a Device on a real NVIDIA GPU, through the driver's libcuda, which is
// loaded where it is there and needed neither to build nor to run the rest.
//
//   PtxModule --rewrite.h--> PTX for the card --assemble.h--> cubin
//   cubin + buffers --case.h, in a child process--> outcome --> DeviceRun
//
// The parent never calls CUDA. Each launch is a case: a fresh process owns the
// context, with a deadline, and dies with it. On a GPU of compute capability
// 10.0 or more the PTX runs natively, retargeted to the card's architecture;
// on 9.x Cluster Launch Control is emulated; older ones run what uses neither.
#ifndef CLCLAB_GPU_H
#define CLCLAB_GPU_H

#include "base/base.h"
#include "device/device.h"
#include "gpu/assemble.h"
#include "gpu/probe.h"
#include "gpu/rewrite.h"
#include "gpu/target.h"

typedef struct GpuSettings {
    double deadline_s; // of a kernel; 0: GPU_DEADLINE_S
    Str prologue;      // of launches to come: the function that they watch
    bool keeps_index;  // GpuRewrite.keeps_index, where CLC is emulated
    // The kernels run as they are: no ledger, and nothing counts calls.
    bool is_plain;
    // How long to wait for others on the same GPU, and, besides that and the
    // deadline, for the driver; 0: GPU_LOCK_S, GPU_DRIVER_S.
    double lock_s, driver_s;
} GpuSettings;

#define GPU_DEADLINE_S 10.0
#define GPU_LOCK_S 120.0
#define GPU_DRIVER_S 60.0

// A Device on the first GPU. Modules that it loads live as long as it does: it
// remembers what it made of them. NULL, with a Diag that says what is missing,
// where there is none that can be used: no driver, no GPU, MPS, a prohibited
// one.
Device *gpu_open(const GpuSettings *settings, Diags *diags);

// ---- times ---------------------------------------------------------------

// How long a launch takes on the card, besides what a DeviceRun says of it: the
// kernel as it is, without a ledger, again and again. Microseconds, as the GPU
// stamped them, in ascending order.
enum { GPU_MOST_REPEATS = 101, GPU_MOST_VISITS = 21 };
typedef struct GpuTimes {
    double alone[GPU_MOST_REPEATS]; // [repeats]
    // A kernel of higher priority comes when half of the time is over: how long
    // until a block of it is there, and until as many as fit are. What that
    // takes on an idle GPU is subtracted.
    double first[GPU_MOST_VISITS], all[GPU_MOST_VISITS]; // [visits]
    double copies[GPU_MOST_REPEATS]; // [repeats]: of copy_bytes on the card
    const Finding *fault; // why there are no times; NULL: the Diag says it
} GpuTimes;

typedef struct GpuMeasure {
    uint32_t repeats, visits; // at most GPU_MOST_*; repeats is not 0
    uint32_t copy_bytes;      // 0: none is timed
} GpuMeasure;

// Buffers hold what exactly one launch leaves. `device` was opened with
// is_plain. False: it could not be measured; with a Diag, or times->fault.
bool gpu_measure(Device *device, Arena *arena, const DeviceLaunch *launch,
                 const GpuMeasure *wanted, GpuTimes *times, Diags *diags);

#endif
