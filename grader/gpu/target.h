// SPDX-License-Identifier: Apache-2.0
// The targets that PTX is assembled for: their names, and what each of them
// lacks. Private to gpu/. Source: PTX ISA 9.0, the target notes of each
// instruction, checked against ptxas of CUDA 13.0.
#ifndef CLCLAB_GPU_TARGET_H
#define CLCLAB_GPU_TARGET_H

#include "base/base.h"
#include "ptx/ptx.h"

typedef struct GpuTarget {
    const char *name; // "sm_100a"
    uint32_t arch;    // 100: compute capability 10.0
    char suffix;      // 'a': for this architecture only; 'f': for its family; 0
    uint32_t version; // the oldest PTX version that has it: 86 is 8.6
} GpuTarget;

// NULL if there is no such target.
const GpuTarget *gpu_target_find(Str name);
// The target with most features for a card of this compute capability; NULL if
// that is unknown or older than sm_75.
const GpuTarget *gpu_target_of_device(uint32_t major, uint32_t minor);
// The name of the target with this index; NULL after the last.
const char *gpu_target_name(size_t index);

bool gpu_target_has_clusters(const GpuTarget *target);
bool gpu_target_has_clc(const GpuTarget *target);
// Whether CLC can be emulated there: sm_90 and sm_90a have the clusters and the
// st.async that this needs, and newer targets have CLC itself.
bool gpu_target_emulates(const GpuTarget *target);

// Refuses the instructions that the target lacks, each with its line of the
// source. `emulate`: those of CLC do not count, as they are replaced. What the
// table does not have is left to the assembler.
bool gpu_target_check(const GpuTarget *target, const PtxModule *module,
                      bool emulate, Diags *diags);

#endif
