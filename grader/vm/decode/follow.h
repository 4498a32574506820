// SPDX-License-Identifier: Apache-2.0
// Follows block indices through the registers of a warp, shuffles and shared
// memory, to know who uses them (used.h): the first one, from the special
// registers, and granted ones, from query_cancel. Only in a launch with
// requests, in two of its schedules, and only for its first instructions: it
// takes time. It changes nothing of what a kernel does, nor of the schedule.
#ifndef CLCLAB_VM_DECODE_FOLLOW_H
#define CLCLAB_VM_DECODE_FOLLOW_H

#include "vm/decode/used.h"

typedef struct VmMarks VmMarks; // of a frame

void vm_follow_begin(Vm *vm); // sets vm->follow, or leaves it NULL
// Whether the frame's values are followed.
static inline bool vm_follows(const VmFrame *frame) {
    return frame->marks != NULL;
}
void vm_follow_frame(const VmWarp *w, VmFrame *frame); // a new one
// Executes a run of instructions, one by one.
VmNext vm_follow_run(VmWarp *w, const VmInstr *in, uint32_t mask);
// An instruction is executed; as vm_doubt_step.
void vm_follow_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                    uint32_t active);
// A shuffle took lane l's value from lane sources[l].
void vm_follow_shuffled(const VmWarp *w, const VmInstr *in,
                        const uint8_t *sources, uint32_t mask);
// The lane has decoded the index of a granted request: all axes from `first`
// on.
void vm_follow_granted(VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint32_t request, uint32_t first);
// Something else than a thread has written there.
void vm_follow_written(VmCta *cta, uint64_t offset, uint32_t bytes);
void vm_follow_cta_exited(VmCta *cta);

#endif
