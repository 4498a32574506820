// SPDX-License-Identifier: Apache-2.0
// Words of memory that a loop reads and writes, for those who want to know
// whether they change: livelock.c and watch.c.
#ifndef CLCLAB_VM_ENGINE_WORD_H
#define CLCLAB_VM_ENGINE_WORD_H

#include "vm/machine/machine.h"

enum { VM_WORD_BYTES = 4 };

typedef struct VmWord {
    uint64_t key; // 0: it cannot be written, or is no memory
    const uint8_t *bytes;
    uint64_t owner; // a block's shared memory, a warp's; 0: global memory
} VmWord;

// The word of an access by a lane.
VmWord vm_word_at(const VmWarp *w, const VmInstr *in, uint32_t lane,
                  uint64_t address);
uint64_t vm_word_block(const VmCta *cta); // an owner
uint64_t vm_word_warp(const VmWarp *w);
uint64_t vm_word_mix(uint64_t key, uint64_t value); // a hash

// ---- watch.c -------------------------------------------------------------

// Runs a round of a loop that repeats itself, and notes in the fragment what it
// reads. False, as of vm_warp_round: it does not repeat itself.
bool vm_watch_round(VmWarp *w, VmFragment *f, uint64_t most, uint64_t *ran);

#endif
