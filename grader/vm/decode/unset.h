// SPDX-License-Identifier: Apache-2.0
// Registers that nobody has set (MEM003). In C++ these are variables without a
// value, int phase;, of which the compiler has made registers.
#ifndef CLCLAB_VM_DECODE_UNSET_H
#define CLCLAB_VM_DECODE_UNSET_H

#include "vm/machine/machine.h"

// The frame begins, for the lanes in frame->lanes: VmFunc.unset are not set.
void vm_unset_begin(const VmWarp *w, VmFrame *frame);
void vm_unset_free(VmFrame *frame);
// An instruction is executed in such a frame, by the lanes in `mask`; `active`:
// with those whose guard is false. Follows values that nobody has set, or
// reports a use. False: that has ended the run.
bool vm_unset_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                   uint32_t active);
// A shuffle (dst[0] gets src[0]) took lane l's value from lane sources[l].
void vm_unset_shuffled(const VmWarp *w, const VmInstr *in,
                       const uint8_t *sources, uint32_t mask);
// Whether the operand of a request is an address that nobody has set. Compilers
// make that of the address of a variable that is not in shared memory, so it is
// CLC005, which says more.
bool vm_unset_operand(const VmWarp *w, const VmInstr *in, uint32_t lane,
                      uint32_t src);

#endif
