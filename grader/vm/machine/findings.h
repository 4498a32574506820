// SPDX-License-Identifier: Apache-2.0
// Findings: what happened, who did it, at which of the learner's lines.
#ifndef CLCLAB_VM_MACHINE_FINDINGS_H
#define CLCLAB_VM_MACHINE_FINDINGS_H

#include "result/finding.h"
#include "vm/machine/machine.h"

// A finding that is kept back: it is made later, or never (decode/doubt.h).
struct VmKept {
    Finding finding;
    Fact facts[16]; // of the finding
    bool ends_run;  // it is a fault
    bool is_mild;   // an error only if the value decides something
    VmKept *next;   // for whoever keeps several
};

// Whether findings of the rule are asked for.
static inline bool vm_wants(const Vm *vm, DeviceRule rule) {
    return !(vm->launch->unchecked >> rule & 1);
}

// Records a finding at code location `loc`. The same rule at the same line is
// reported once in a run; later occurrences are only counted, and the function
// returns NULL. The functions that add to a finding accept NULL and then do
// nothing.
Finding *vm_found(Vm *vm, const VmWarp *w, uint32_t loc, FindingCase which,
                  FindingLevel level, Facts facts);
// Returns the finding if this was found at this place before or the list is
// full, and counts it. A caller for which this may happen a million times can
// then skip collecting the facts.
Finding *vm_found_again(Vm *vm, const VmWarp *w, uint32_t loc, DeviceRule rule,
                        FindingLevel level);
// Records a finding for the instruction being executed, and ends the run.
VmNext vm_faulted(VmWarp *w, const VmInstr *in, FindingCase which, Facts facts);
// Makes a finding that was kept back (VmFindings.kept), with what was found
// then.
void vm_found_kept(Vm *vm, const VmKept *kept);
// A race that was first found between two lanes of one warp now concerns other
// threads too.
void vm_found_wider(Finding *known, FindingCase which);
// Adds a place to the finding, or to the fault that has just ended the run. loc
// 0: there is none.
void vm_relate(Vm *vm, Finding *finding, FindingPlace place, uint32_t loc,
               Facts facts);
// The same, as the first place of the finding.
void vm_relate_first(Vm *vm, Finding *finding, FindingPlace place, uint32_t loc,
                     Facts facts);
// The same for a place that is known by its line alone.
void vm_relate_line(Vm *vm, Finding *finding, FindingPlace place, SrcLoc at,
                    Facts facts);
void vm_fault_at(Vm *vm, FindingPlace place, uint32_t loc);
void vm_fault_reason(const Vm *vm, FindingReason reason);
// The value of FACT(THREAD, ...) for a lane of a warp.
uint64_t vm_thread(const VmWarp *w, uint32_t lane);
#define FACT_LANE(w, lane) FACT(THREAD, vm_thread(w, lane))

// Adds the line that called the function which the finding is in, where the run
// no longer knows it; nothing if that is the finding's own line.
void vm_note_call(const Vm *vm, Finding *finding, uint32_t loc);

// Sets where the mistake should be fixed (Finding.cure). loc 0: no place is
// known.
void vm_cure(const Vm *vm, Finding *finding, DevicePart part, uint32_t loc);
void vm_fault_cure(const Vm *vm, DevicePart part, uint32_t loc);
void vm_stop(Vm *vm, RunStatus status);
// The shared variable that contains *offset, which becomes an offset from the
// start of that variable. Empty if no variable is known, as in dynamic shared
// memory.
Str vm_shared_name(const Vm *vm, uint32_t *offset);
typedef struct VmMbarrierName { // "bar", "bar[1]", "ring (offset 72)"
    FactWord word;              // for MBARRIER
    Str name;                   // the variable's
    uint32_t offset; // in the variable, or in shared memory if there is none
    uint32_t element;
} VmMbarrierName;
VmMbarrierName vm_mbarrier_name(const Vm *vm, uint32_t offset);
typedef struct VmMemoryName { // as for races: "flag (shared, offset 4)"
    FactWord word;            // for MEMORY
    Str name;
    uint64_t offset;
    uint32_t owner, number;
} VmMemoryName;
#define MEMORY_FACTS(m)                                   \
    FACT(MEMORY, (m).word), FACT_STR(NAME, (m).name),     \
        FACT(OFFSET, (m).offset), FACT(OWNER, (m).owner), \
        FACT(NUMBER, (m).number)
// What warp `w` accesses at `offset` of the shared memory of `owner` (NULL: of
// the buffer of this number).
VmMemoryName vm_memory_name(const VmWarp *w, const VmCta *owner,
                            uint32_t buffer, uint64_t offset);
// The learner's line for code location `loc` in a warp (NULL: outside any
// warp).
uint32_t vm_learner_loc(const Vm *vm, const VmWarp *w, uint32_t loc);
SrcLoc vm_src_of(const Vm *vm, uint32_t loc);
// Whether it is not in the kernel's own file.
bool vm_is_of_header(const Vm *vm, uint32_t loc);
// The line of the kernel itself that `loc` belongs to: that of the outermost
// call which led there. Without a warp, calls that are not inlined are not
// known.
uint32_t vm_outer_loc(const Vm *vm, const VmWarp *w, uint32_t loc);
// At the end of a run: what explains others stands in front of them (lead.c).
void vm_lead_roots(DeviceRun *run);
void vm_print(Vm *vm, Str text);

#endif
