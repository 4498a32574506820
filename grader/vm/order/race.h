// SPDX-License-Identifier: Apache-2.0
// Reports of data races: which rule is broken, who accessed what and where, and
// where to fix it. Called by shadow.c alone.
#ifndef CLCLAB_VM_ORDER_RACE_H
#define CLCLAB_VM_ORDER_RACE_H

#include "vm/order/shadow.h"

typedef struct VmRace {
    VmWarp *w; // of the later access, made or issued by this lane
    const VmInstr *in;
    uint32_t lane;
    VmCta *cta; // whose shared memory it is; NULL: global memory
    uint32_t buffer;
    uint64_t offset; // in that shared memory or buffer
    uint32_t bytes;
    bool write;
    const VmAsync *async;     // of the later access; NULL: an access by the
                              // lane
    uint32_t who, time, site; // of the earlier one
    bool wrote;
    bool by_others; // it was not `who`, who made one like it, but other threads
                    // of that CTA, or of any (SITE_FAR)
    bool is_ordered; // only a proxy fence is missing
    bool is_judged;  // the earlier access is a load whose value was used, or is
                     // still held (decode/fate.h)
    bool is_stale;   // with `flag`: the read finds what was there before
    const struct VmSeenFlag *flag; // it is no race, but a read that counts on
                                   // the order of this flag and the earlier
                                   // write; or NULL
    uint32_t elements; // of the later access, if it is a load: those that it
                       // concerns, as bits
} VmRace;

// Thread `who` (clock.h), as a fact.
uint64_t vm_race_thread(const Vm *vm, uint32_t who);
void vm_race_report(const VmRace *race);
// The same as a finding that is kept back (decode/fate.h). NULL: it was found
// before, or is not asked for.
VmKept *vm_race_keep(const VmRace *race);
// Reports that the lane reads uninitialised shared memory. `part`: the elements
// of a vector that have such bytes, as bits (0: nothing was written).
void vm_race_uninitialised(VmWarp *w, const VmInstr *in, uint32_t lane,
                           const VmCta *owner, uint32_t offset, uint32_t bytes,
                           uint32_t part);

// Notes that a request's answer will be written to this offset in shared
// memory: a read of it before the first answer arrives is reported as a read of
// an answer (CLC007).
void vm_race_slot(Vm *vm, uint32_t offset);
// At the end of a run: removes findings that repeat another one.
void vm_race_finish(Vm *vm);

#endif
