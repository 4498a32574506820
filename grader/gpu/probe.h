// SPDX-License-Identifier: Apache-2.0
// Which GPU the machine has. A child process finds out, because the parent
// never calls CUDA and a driver that hangs or crashes is just another answer.
#ifndef CLCLAB_GPU_PROBE_H
#define CLCLAB_GPU_PROBE_H

#include "base/base.h"

typedef enum GpuState {
    GPU_READY,      // there is a GPU, and all fields are filled in
    GPU_NO_DRIVER,  // libcuda is missing, or is the toolkit's stub
    GPU_OLD_DRIVER, // the driver lacks functions that are needed
    GPU_NO_DEVICE,  // a driver, but no GPU that this process may use
    GPU_FAILED,     // the driver reports an error, crashes or hangs
} GpuState;

typedef struct GpuProbe {
    GpuState state;
    Str reason;    // a sentence; empty if the GPU is ready
    Str help;      // what to try; may be empty
    Str driver;    // of the kernel: "570.86.15"; empty: not known
    uint32_t cuda; // the newest CUDA that the driver knows: 12080; 0: unknown
    uint32_t devices;      // visible GPUs; the other fields describe the first
    Str name;              // "NVIDIA H200"
    Str uuid;              // "GPU-4e5f..."
    uint32_t major, minor; // compute capability
    uint32_t sms;
    uint64_t memory; // bytes
    bool clusters;   // launches of clusters are possible
    bool mig;        // it is a slice of a GPU
    bool watchdog;   // it drives a display: long kernels are stopped
    bool exclusive;  // one process at a time
    bool prohibited; // no process at all: an administrator's setting
    bool mps;        // the Multi-Process Service's daemon runs: set in any
                     // state
    Str mps_folder;  // the folder of its pipes
} GpuProbe;

typedef enum GpuKind {
    GPU_NATIVE,   // Cluster Launch Control is in hardware
    GPU_EMULATED, // it is rewritten: compute capability 9.x
    GPU_WITHOUT,  // the card has neither it nor clusters
} GpuKind;

// Takes up to 20 s if the driver does not answer.
GpuProbe gpu_probe(Arena *arena);

// The compute capability of a GPU_READY probe as it is usually written: "9.0".
Str gpu_probe_capability(Arena *arena, const GpuProbe *probe);

// The kind of a probe that is GPU_READY.
GpuKind gpu_kind(const GpuProbe *probe);
// The target to assemble for: "sm_90a".
Str gpu_target(Arena *arena, const GpuProbe *probe);

#endif
