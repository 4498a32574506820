// SPDX-License-Identifier: Apache-2.0
// The properties of a modelled GPU.
#ifndef CLCLAB_VM_STATE_MODEL_H
#define CLCLAB_VM_STATE_MODEL_H

#include <stdint.h>

// The properties of a GPU that the scheduling of blocks depends on. Figures of
// real GPUs: CUDA C++ Programming Guide, "Compute Capabilities".
typedef struct VmModel {
    const char *name;
    const char *device_name; // reported as DeviceInfo.name
    uint32_t sm_count;
    uint32_t ctas_per_sm;    // maximum resident CTAs on an SM
    uint32_t threads_per_sm; // maximum resident threads on an SM
    uint32_t smem_per_sm;    // bytes of shared memory on an SM
    uint32_t smem_per_cta;   // maximum bytes of shared memory for one CTA
    uint32_t smem_reserved; // bytes of each CTA's shared memory that the system
                            // takes
} VmModel;

#endif
