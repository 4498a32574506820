// SPDX-License-Identifier: Apache-2.0
// What a model of a GPU has.
#ifndef CLCLAB_VM_STATE_MODEL_H
#define CLCLAB_VM_STATE_MODEL_H

#include <stdint.h>

// What a GPU has, as far as the scheduling of blocks depends on it. Figures of
// real parts: CUDA C++ Programming Guide, "Compute Capabilities".
typedef struct VmModel {
    const char *name;
    const char *device_name; // what DeviceInfo.name says
    uint32_t sm_count;
    uint32_t ctas_per_sm;    // most resident CTAs on an SM
    uint32_t threads_per_sm; // most resident threads on an SM
    uint32_t smem_per_sm;    // bytes of shared memory of an SM
    uint32_t smem_per_cta;   // most bytes of shared memory of one CTA
    uint32_t smem_reserved;  // bytes the system takes of each CTA's
} VmModel;

#endif
