// SPDX-License-Identifier: Apache-2.0
// Doubtful values. A thread may read what it must not read, as long as it does
// not use the value: compilers load first and select afterwards. Four kinds of
// values are doubtful: those of loads that break a rule (uninitialised memory,
// a race, an answer whose phase was not complete), what a shuffle takes from a
// lane that takes no part (SYNC004), the indices of refused answers (CLC002),
// and the indices of grants that perhaps nobody uses (CLC009). The findings
// about a load are kept back until one of its values is used, and dropped with
// the last of its values.
#ifndef CLCLAB_VM_DECODE_DOUBT_H
#define CLCLAB_VM_DECODE_DOUBT_H

#include "vm/machine/machine.h"

// Keeps back the finding that is made next, about this load or shuffle, until
// vm_doubt_end. False: it cannot be kept back, and vm_doubt_end must not be
// called.
bool vm_doubt_begin(VmWarp *w, const VmInstr *in);
// What is kept back, an error, becomes an advisory if the value only takes part
// in computations whose results are stored.
void vm_doubt_is_mild(VmWarp *w);
// The finding concerns these elements of the load, as bits.
void vm_doubt_end(VmWarp *w, const VmInstr *in, uint32_t lane,
                  uint32_t elements);
// It also concerns these elements.
void vm_doubt_also(const VmWarp *w, const VmInstr *in, uint32_t lane,
                   uint32_t elements);

// An instruction is executed in a frame that has doubtful values: follows
// them, or reports a use. `mask`: the lanes that execute it; `active`: with
// those whose guard is false. False: it uses a value whose load ended the run,
// and is not executed.
bool vm_doubt_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                   uint32_t active);
// A shuffle (dst[0] gets src[0]) took lane l's value from lane sources[l].
void vm_doubt_shuffled(const VmWarp *w, const VmInstr *in,
                       const uint8_t *sources, uint32_t mask);
// The results are the indices of a refused answer for the lanes in `refused`.
void vm_doubt_refused(VmWarp *w, const VmInstr *in, uint32_t refused);
// The results are the index of the block that was granted to the request.
// VmRequest.used becomes true when a thread uses it.
void vm_doubt_granted(VmWarp *w, const VmInstr *in, uint32_t granted,
                      uint32_t request);
void vm_doubts_free(VmFrame *frame);
// The handler called after a load in the middle of a run, if its value may be
// doubtful.
VmNext vm_op_doubtful_rest(VmWarp *w, const VmInstr *in, uint32_t mask);

#endif
