// SPDX-License-Identifier: Apache-2.0
// Findings: what happened, who did it, at which of the learner's lines.
#ifndef CLCLAB_VM_MACHINE_FINDINGS_H
#define CLCLAB_VM_MACHINE_FINDINGS_H

#include "vm/machine/machine.h"

// A finding at code location `loc`, in the words of the format. The same rule
// at the same line is reported once a run: then the first one comes back, with
// its count raised, and *fresh is false.
Finding *vm_finding(Vm *vm, const VmWarp *w, uint32_t loc, DeviceRule rule,
                    FindingLevel level, bool *fresh, const char *format, ...)
    __attribute__((format(printf, 7, 8)));
// True if this was found before at this place, or nothing more is kept: it is
// counted. Spares what may happen a million times the words.
Finding *vm_found_again(Vm *vm, const VmWarp *w, uint32_t loc, DeviceRule rule,
                        FindingLevel level);
// Like vm_finding, for the instruction that runs; `help` is what to try. Ends
// the run.
VmNext vm_fault(VmWarp *w, const VmInstr *in, DeviceRule rule, const char *help,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
// A place that explains the fault that has just ended the run; nothing where
// the fault repeats a finding that was reported before.
void vm_fault_related(Vm *vm, uint32_t loc, const char *what);
void vm_related(Vm *vm, Finding *finding, uint32_t loc, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
// Where it is mended (Finding.cure); loc 0: no place is known.
void vm_cure(const Vm *vm, Finding *finding, DevicePart part, uint32_t loc);
void vm_fault_cure(const Vm *vm, DevicePart part, uint32_t loc);
void vm_stop(Vm *vm, RunStatus status);
// "thread 5 of block 3", "thread (1,2,0) of block 7".
Str vm_who_lane(const VmWarp *w, uint32_t lane);
// "7", or "(1, 2, 0)" in a grid of several rows; for "%.*s".
Str vm_block_name(const Vm *vm, uint32_t linear);
#define VM_BLOCK(vm, linear) STR_ARG(vm_block_name(vm, linear))
// The last name of a mangled variable: "_ZZ9block_clcPfiE3bar" -> "bar".
Str vm_plain_name(Str mangled);
// The shared variable that *offset is in, which becomes one from its start.
// Empty where none is known, as in dynamic shared memory.
Str vm_shared_name(const Vm *vm, uint32_t *offset);
// "bar", "bar[1]", "ring (offset 72)": the mbarrier at an offset.
Str vm_mbarrier_name(const Vm *vm, uint32_t offset);
// The learner's line for code location `loc` in a warp (NULL: of no warp).
uint32_t vm_learner_loc(const Vm *vm, const VmWarp *w, uint32_t loc);
SrcLoc vm_src_of(const Vm *vm, uint32_t loc);
void vm_print(Vm *vm, Str text);

#endif
