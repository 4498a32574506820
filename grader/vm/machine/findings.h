// SPDX-License-Identifier: Apache-2.0
// Findings: what happened, who did it, at which of the learner's lines.
#ifndef CLCLAB_VM_MACHINE_FINDINGS_H
#define CLCLAB_VM_MACHINE_FINDINGS_H

#include "vm/machine/machine.h"

// A finding at code location `loc`. The same rule at the same line is reported
// once a run: then it is counted, and NULL comes back. What adds to a finding
// takes NULL as well, and does nothing.
Finding *vm_found(Vm *vm, const VmWarp *w, uint32_t loc, FindingCase which,
                  FindingLevel level, Facts facts);
// True if this was found before at this place, or nothing more is kept: it is
// counted. Spares what may happen a million times its facts.
Finding *vm_found_again(Vm *vm, const VmWarp *w, uint32_t loc, DeviceRule rule,
                        FindingLevel level);
// The same for the instruction that runs. Ends the run.
VmNext vm_faulted(VmWarp *w, const VmInstr *in, FindingCase which, Facts facts);
// A place that belongs to the finding, or to the fault that has just ended the
// run; loc 0: there is none.
void vm_relate(Vm *vm, Finding *finding, FindingPlace place, uint32_t loc,
               Facts facts);
void vm_fault_at(Vm *vm, FindingPlace place, uint32_t loc);
void vm_fault_reason(const Vm *vm, FindingReason reason);
// Of FACT(THREAD, ...): a lane of a warp.
uint64_t vm_thread(const VmWarp *w, uint32_t lane);
#define FACT_LANE(w, lane) FACT(THREAD, vm_thread(w, lane))

// Where it is mended (Finding.cure); loc 0: no place is known.
void vm_cure(const Vm *vm, Finding *finding, DevicePart part, uint32_t loc);
void vm_fault_cure(const Vm *vm, DevicePart part, uint32_t loc);
void vm_stop(Vm *vm, RunStatus status);
// The last name of a mangled variable: "_ZZ9block_clcPfiE3bar" -> "bar".
Str vm_plain_name(Str mangled);
// The shared variable that *offset is in, which becomes one from its start.
// Empty where none is known, as in dynamic shared memory.
Str vm_shared_name(const Vm *vm, uint32_t *offset);
typedef struct VmMbarrierName { // "bar", "bar[1]", "ring (offset 72)"
    FactWord word;              // of MBARRIER
    Str name;                   // of the variable
    uint32_t offset;            // in it; in shared memory, if there is none
    uint32_t element;
} VmMbarrierName;
VmMbarrierName vm_mbarrier_name(const Vm *vm, uint32_t offset);
// The learner's line for code location `loc` in a warp (NULL: of no warp).
uint32_t vm_learner_loc(const Vm *vm, const VmWarp *w, uint32_t loc);
SrcLoc vm_src_of(const Vm *vm, uint32_t loc);
void vm_print(Vm *vm, Str text);

#endif
