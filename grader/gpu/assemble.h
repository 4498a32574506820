// SPDX-License-Identifier: Apache-2.0
// PTX -> the machine code of one target, made by what the toolkit has:
// nvJitLink or else ptxas. Either runs in a child process with limits: the PTX
// comes from a submission, and an assembler may crash or loop like any program.
#ifndef CLCLAB_GPU_ASSEMBLE_H
#define CLCLAB_GPU_ASSEMBLE_H

#include "base/base.h"

typedef enum GpuAssembly {
    ASSEMBLY_DONE,
    ASSEMBLY_REJECTED,    // the PTX's fault: the Diags say why
    ASSEMBLY_UNAVAILABLE, // no assembler, or none that knows the target (69)
    ASSEMBLY_TRY_AGAIN,   // killed from outside, disk full (75)
    ASSEMBLY_BROKEN,      // it failed and did not say why (70)
} GpuAssembly;

typedef struct GpuAssembler {
    GpuAssembly status;
    Str name; // "nvJitLink 13.0", "ptxas 13.0"; empty: there is none
    Str path;
} GpuAssembler;

// `target`: "sm_90a". Fills in *used, and *cubin if it returns true. Otherwise
// it adds at least one error to the Diags: at the learner's line if a .loc
// gives it, or at the line of the file "PTX".
bool gpu_assemble(Arena *arena, Str ptx, Str target, GpuAssembler *used,
                  Str *cubin, Diags *diags);

#endif
