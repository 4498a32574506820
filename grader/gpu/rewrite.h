// SPDX-License-Identifier: Apache-2.0
// PtxModule -> PTX text for one target: retargeted and, if asked for, with
// Cluster Launch Control emulated and with a ledger. Private to gpu/.
// docs/hopper-emulation.md explains it; table.h is what the text shares with
// the host.
#ifndef CLCLAB_GPU_REWRITE_H
#define CLCLAB_GPU_REWRITE_H

#include "base/base.h"
#include "ptx/ptx.h"

typedef struct GpuRewrite {
    Str target;   // "sm_100a"
    Str kernel;   // the entry that will be launched; empty: any of them
    bool emulate; // replace CLC (sm_90, sm_90a)
    bool ledger;  // record starts and grants
    Str calls_of; // count each thread's calls of this function; empty: none
    // When CLC is emulated, a block keeps the index that it was launched with.
    // False: it draws the next one that is left, as requests do.
    bool keeps_index;
} GpuRewrite;

// Bytes of shared memory, with alignment, that a block needs for a drawn index.
enum { GPU_DRAWN_BYTES = 64 };

// Whether the module has an instruction that requests a cluster.
bool gpu_makes_requests(const PtxModule *module);

// False, with Diags, if the target does not exist or lacks an instruction, or
// if the module already uses the table's name. A module that is only retargeted
// gets no table. *ptx is allocated from `arena`.
bool gpu_rewrite(Arena *arena, const PtxModule *module, const GpuRewrite *how,
                 Str *ptx, Diags *diags);

#endif
