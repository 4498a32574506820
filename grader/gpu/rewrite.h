// SPDX-License-Identifier: Apache-2.0
// PtxModule -> PTX text for one target: retargeted, with Cluster Launch Control
// emulated, with a ledger. Private to gpu/. docs/hopper-emulation.md says how
// it is done; table.h is what the text shares with the host.
#ifndef CLCLAB_GPU_REWRITE_H
#define CLCLAB_GPU_REWRITE_H

#include "base/base.h"
#include "ptx/ptx.h"

typedef struct GpuRewrite {
    Str target;   // "sm_100a"
    Str kernel;   // the entry that is to be launched; empty: each of them
    bool emulate; // replace CLC (sm_90, sm_90a)
    bool ledger;  // record starts and grants
    Str calls_of; // count each thread's calls of this function; empty: none
    // Emulated, a block that is launched keeps the index that it was launched
    // with. False: it takes the next one that is left, as requests do.
    bool keeps_index;
} GpuRewrite;

// Shared memory, and what its place may cost, of a block that does not keep it.
enum { GPU_DRAWN_BYTES = 64 };

// Whether an instruction of the module asks for a cluster.
bool gpu_makes_requests(const PtxModule *module);

// False, with Diags, for a target that does not exist or lacks an instruction,
// and for a module that has the table's name already. A module that needs no
// table (only retargeted) has none. *ptx is allocated from `arena`.
bool gpu_rewrite(Arena *arena, const PtxModule *module, const GpuRewrite *how,
                 Str *ptx, Diags *diags);

#endif
