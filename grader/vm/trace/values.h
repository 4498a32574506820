// SPDX-License-Identifier: Apache-2.0
// The registers that a warp wrote last: what clclab debug prints. A launch that
// is traced notes, for the warps of a moment, which registers each dispatch
// writes; their values are read from the frame when a step is recorded.
//
// A register that shares its place in the frame with one written later is
// forgotten: its value is gone, and nothing reads it any more. What was folded
// away (vm/program/fold.c) was never written.
#ifndef CLCLAB_VM_TRACE_VALUES_H
#define CLCLAB_VM_TRACE_VALUES_H

#include "result/trace.h"
#include "vm/machine/machine.h"

typedef struct VmWritten VmWritten; // by a warp; of a CTA: by its index

// For the warps of a CTA.
VmWritten *vm_written_new(Arena *arena, uint32_t warps);
// Instructions of the function that `frame` is of, from `first` to `last`, have
// been executed by these lanes. Not `is_whole`: `last` waits, and its results
// come later.
typedef struct VmDone {
    const VmFrame *frame;
    const VmInstr *first, *last;
    uint32_t lanes;
    bool is_whole;
} VmDone;
void vm_written_note(VmWritten *written, const VmWarp *w, const VmDone *done);
// The registers of `frame`, and what they hold now. Returns how many; `loc`
// goes to each value's line, as an index of PtxModule.locs.
size_t vm_written_values(const VmWritten *written, const VmWarp *w,
                         const VmFrame *frame,
                         TraceValue values[TRACE_MOST_VALUES]);
// The kernel's parameters, and its name, for a moment.
void vm_written_params(const Vm *vm, TraceMoment *moment);

#endif
