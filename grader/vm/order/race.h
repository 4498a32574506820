// SPDX-License-Identifier: Apache-2.0
// Reports of accesses that nothing orders: which rule, who, where, and what to
// try. Called by shadow.c alone.
#ifndef CLCLAB_VM_ORDER_RACE_H
#define CLCLAB_VM_ORDER_RACE_H

#include "vm/order/shadow.h"

typedef struct VmRace {
    VmWarp *w; // the later access: by this lane, or issued by it
    const VmInstr *in;
    uint32_t lane;
    VmCta *cta; // in its shared memory; NULL: in global memory
    uint32_t buffer;
    uint64_t offset; // in either
    uint32_t bytes;
    bool write;
    const VmAsync *async;     // of the later access; NULL: the lane's own
    uint32_t who, time, site; // of the earlier one
    bool wrote;
} VmRace;

void vm_race_report(const VmRace *race);
// The lane reads shared memory that nobody has written; `part`: only these
// elements of a vector have such bytes (0: nothing was written).
void vm_race_uninitialised(VmWarp *w, const VmInstr *in, uint32_t lane,
                           const VmCta *owner, uint32_t offset, uint32_t bytes,
                           uint32_t part);

// A request has its answer sent to this offset in shared memory: reads of it
// before any answer was there are reads of an answer (CLC007).
void vm_race_slot(Vm *vm, uint32_t offset);
// At the end of a run: what is said twice is said once.
void vm_race_finish(Vm *vm);

#endif
