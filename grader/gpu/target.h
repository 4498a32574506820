// SPDX-License-Identifier: Apache-2.0
// What PTX is assembled for: names, and what each target lacks. Private to
// gpu/. Source: PTX ISA 9.0, the target notes of each instruction, checked
// against ptxas of CUDA 13.0.
#ifndef CLCLAB_GPU_TARGET_H
#define CLCLAB_GPU_TARGET_H

#include "base/base.h"
#include "ptx/ptx.h"

typedef struct GpuTarget {
    const char *name; // "sm_100a"
    uint32_t arch;    // 100: compute capability 10.0
    char suffix;      // 'a': of this architecture alone, 'f': of its family; 0
    uint32_t version; // the oldest PTX version that has it: 86 is 8.6
} GpuTarget;

// NULL: no such target.
const GpuTarget *gpu_target_find(Str name);
// The target with most features for a card of this compute capability; NULL:
// it is not known, or older than sm_75.
const GpuTarget *gpu_target_of_device(uint32_t major, uint32_t minor);
// The name of the index-th target; NULL behind the last.
const char *gpu_target_name(size_t index);

bool gpu_target_has_clusters(const GpuTarget *target);
bool gpu_target_has_clc(const GpuTarget *target);
// Can CLC be emulated there? (Clusters and st.async: sm_90 and sm_90a. Newer
// targets have the real thing.)
bool gpu_target_emulates(const GpuTarget *target);

// Refuses, each with its line of the source, the instructions that the target
// lacks; `emulate`: those of CLC are replaced and do not count. What is not in
// the table here is left to the assembler.
bool gpu_target_check(const GpuTarget *target, const PtxModule *module,
                      bool emulate, Diags *diags);

#endif
