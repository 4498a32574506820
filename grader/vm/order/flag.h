// SPDX-License-Identifier: Apache-2.0
// Flags that threads wait for, and what they read behind the wait: see flag.c.
#ifndef CLCLAB_VM_ORDER_FLAG_H
#define CLCLAB_VM_ORDER_FLAG_H

#include "vm/order/race.h"

// The last look of a lane at a word that a loop waits for.
typedef struct VmSeenFlag {
    uint64_t place;      // identifies the word
    uint32_t who, time;  // of the write that it saw (clock.h)
    uint32_t site;       // likewise
    uint32_t seen;       // when: logical
    const VmInstr *look; // NULL: an empty entry
} VmSeenFlag;

// The lanes have read what `write` says, by a strong load or atomic, and
// nothing orders the two.
void vm_flag_note(VmWarp *w, const VmInstr *in, uint32_t lanes, uint64_t place,
                  VmSeenFlag write);
// A flag that the lane has waited for, and that the thread `who` set behind
// what it did at `time`; NULL: there is none.
const VmSeenFlag *vm_flag_behind(const VmWarp *w, uint32_t lane, uint32_t who,
                                 uint32_t time);
// Whether the lane, which executes the load, counts on the order of the flag
// and of the earlier write, which was made at `site`.
bool vm_flag_counts(const VmWarp *w, const VmInstr *in, const VmSeenFlag *flag,
                    uint32_t site);
// Adds the flag to a finding about a read behind it, and what is missing.
// `other`: the thread that set the flag, as a fact.
void vm_flag_explain(const VmRace *r, const VmSeenFlag *flag, uint64_t other,
                     Finding *finding);
void vm_flags_end(VmWarp *w); // frees what was noted

#endif
