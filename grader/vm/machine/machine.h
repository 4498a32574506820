// SPDX-License-Identifier: Apache-2.0
// What the files of this room call of each other, by file.
#ifndef CLCLAB_VM_MACHINE_MACHINE_H
#define CLCLAB_VM_MACHINE_MACHINE_H

#include "vm/machine/internal.h"

// ---- memory.c ------------------------------------------------------------

typedef enum VmAccess { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } VmAccess;

// The `bytes` at `address` in space in->space, for one lane; checks bounds,
// alignment and whether it may be accessed so. NULL: a fault was reported and
// the run is over.
uint8_t *vm_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                   uint64_t address, uint32_t bytes, VmAccess access);
// The same for weak loads by other lanes from an address that one lane of the
// warp has just loaded from; vm_memory_loaded for all of them comes after it.
uint8_t *vm_memory_again(VmWarp *w, const VmInstr *in, uint32_t lane,
                         uint64_t address, uint32_t bytes);
void vm_memory_loaded(VmWarp *w, const VmInstr *in, uint32_t lanes,
                      uint64_t address, uint32_t bytes);
// Counts the bytes of an access through a generic address.
void vm_count_generic(Vm *vm, uint64_t address, uint32_t bytes,
                      VmAccess access);
// Bytes of memory, wherever they are: for accesses that happen later.
typedef struct VmWhere {
    VmCta *cta;      // in its shared memory; NULL: in global memory
    uint64_t offset; // in that shared memory; or the global address
} VmWhere;
typedef struct VmExtent {
    uint32_t bytes; // 0: nothing is accessed
    uint32_t align; // a power of 2
} VmExtent;
// The place that an access of a lane to `address` of `space` will have, with
// all the checks of vm_memory. False: a fault was reported.
bool vm_memory_place(VmWarp *w, const VmInstr *in, uint32_t lane,
                     PtxSpace space, uint64_t address, VmExtent extent,
                     VmAccess access, VmWhere *out);
// A shared address -> the CTA that it is in and the offset there; NULL: none.
VmCta *vm_shared_owner(const VmWarp *w, uint32_t address, uint32_t *offset);
// Where an operand of a synchronisation instruction is in shared memory: a
// shared address, or a generic one. False (no report) where it is not shared.
bool vm_shared_operand(const VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint32_t src, uint64_t imm, VmCta **owner,
                       uint32_t *offset);

// ---- run.c: fragments and frames -----------------------------------------

// Runs fragments of `w` for about `quantum` warp-instructions.
void vm_warp_run(VmWarp *w, uint32_t quantum);
// Makes the fragments that wait for (kind, key) in `w` ready again.
void vm_warp_wake(VmWarp *w, VmWaitKind kind, uint32_t key);
// Lanes `mask` of the running fragment exit.
void vm_lanes_exit(VmWarp *w, uint32_t mask);
// A call by the lanes of `f`; false: the stack is full.
bool vm_frame_push(VmWarp *w, VmFragment *f, const VmFunc *func,
                   const VmInstr *site);
// The return of the lanes of `f`.
void vm_frame_pop(VmWarp *w, VmFragment *f);
// Makes a fragment of its own of some lanes of the running one.
VmFragment *vm_fragment_split(VmWarp *w, uint32_t lanes);
// The running fragment waits at the instruction that it is executing.
VmNext vm_wait(VmWarp *w, VmWaitKind kind, uint32_t key, uint64_t phase);
// `bytes` more for calls; false: the launch's memory is used up. What the first
// frame of each warp needs was reserved when the launch began.
bool vm_take_memory(Vm *vm, uint64_t bytes, bool reserved);
void vm_warp_start(VmWarp *w, const VmFunc *entry);
void vm_warp_free(VmWarp *w);
// What stands behind the last instruction of a run.
VmNext vm_op_run_ends(VmWarp *w, const VmInstr *in, uint32_t mask);

// ---- rendezvous.c --------------------------------------------------------

// The running fragment lacks lanes of `members`, the value of src[index] of the
// instruction. If they all wait at it in other calls of the function, it is
// executed for all of them, and *next is what to return. Else false.
bool vm_rendezvous(VmWarp *w, const VmInstr *in, uint32_t index,
                   uint32_t members, VmNext *next);

// ---- aligned.c -----------------------------------------------------------

// `a` is deeper in calls than `b`, or as deep and further behind.
bool vm_runs_before(const VmFragment *a, const VmFragment *b);
// The running fragment lacks live lanes of its warp at `in`, which is aligned.
// True: they are all there, in other calls; it goes on. Else return *next.
bool vm_gather_warp(VmWarp *w, const VmInstr *in, VmNext *next);
// Nothing can go on: SYNC002 where a warp has parted at an aligned barrier.
bool vm_report_parted_warp(Vm *vm);

static inline bool vm_warp_is_whole(VmWarp *w, const VmInstr *in, uint32_t mask,
                                    VmNext *next) {
    if (!in->aligned)
        return true;
    if (mask != w->live)
        return vm_gather_warp(w, in, next);
    w->frag->together = false;
    return true;
}

// ---- stack.c: local memory -----------------------------------------------

// Where the local memory of `lane` ends, in this frame.
uint32_t vm_stack_top(const VmFrame *frame, uint32_t lane);
// Room for the variables of a call of `func` by `lanes` of `caller` (NULL: of
// nobody), from *base on; false: there is none.
bool vm_stack_push(VmWarp *w, const VmFrame *caller, const VmFunc *func,
                   uint32_t lanes, uint32_t *base);
// alloca: *at is the local address. False: there is no room.
bool vm_stack_alloc(VmWarp *w, uint32_t lane, uint64_t bytes, uint32_t align,
                    uint32_t *at);
// stackrestore; false: `top` is not an end that this call has had.
bool vm_stack_restore(VmFrame *frame, uint32_t lane, uint64_t top);

// ---- sched.c: SMs, time, warps -------------------------------------------

void vm_tuning_choose(Vm *vm, const DeviceSchedule *schedule);
// Runs the launch to its end.
void vm_schedule(Vm *vm);
void vm_warp_ready(VmWarp *w);   // has a fragment that can run
void vm_warp_unready(VmWarp *w); // has none
void vm_cta_exited(VmCta *cta);
// Frees a cluster whose CTAs have exited and which awaits no answer.
void vm_cluster_release(VmCluster *cluster);
void vm_event_add(Vm *vm, uint64_t at, VmEventKind kind, uint32_t request);
uint32_t vm_sm_fit(const Vm *vm); // CTAs of this launch on one SM
void vm_launch_free(Vm *vm);      // everything of the launch

// ---- sync.c: barriers of a CTA and of a cluster --------------------------

void vm_barrier_recheck(VmCta *cta);         // after a thread exited
void vm_cluster_recheck(VmCluster *cluster); // likewise

// ---- mbarrier.c ----------------------------------------------------------

VmMbarrier *vm_mbarrier_find(const VmCta *cta, uint32_t offset); // live or NULL
// The live mbarrier that operand `src` (plus imm) of a lane names, and the CTA
// that it is in; NULL: reported, and the run is over.
VmMbarrier *vm_mbarrier_operand(VmWarp *w, const VmInstr *in, uint32_t lane,
                                uint32_t src, uint64_t imm, VmCta **owner);
// `bytes` of transactions of a request or a copy arrived. False: the tx-count
// has left its range.
bool vm_mbarrier_complete_tx(Vm *vm, VmCta *cta, VmMbarrier *bar,
                             uint32_t bytes);
// One more arrival in this phase; false: the count has left its range.
bool vm_mbarrier_expect_arrival(VmMbarrier *bar);
// An arrival that no thread executes; false: the phase expects none.
bool vm_mbarrier_arrive(Vm *vm, VmCta *cta, VmMbarrier *bar);

// ---- async.c: what happens later than its instruction ----------------------

void vm_copy_event(Vm *vm, uint32_t number); // a copy's time has come

// ---- clc.c: requests, answers, the ledger --------------------------------

void vm_clc_decide(Vm *vm, uint32_t request);
void vm_clc_answer(Vm *vm, uint32_t request);
// The next pending cluster (or any, if permuted); it is no longer pending.
uint32_t vm_clc_take_pending(Vm *vm, bool permute);
// A wait on `bar` succeeded in `cta`: answers that it covers are observed.
void vm_clc_observe(VmCta *cta, VmMbarrier *bar);
// A generic access to the typed part of `cta`'s memory, by lane of `w`.
// False: reported, and the run is over.
VmSlot *vm_clc_slot_at(const VmCta *cta, uint32_t offset); // or NULL
bool vm_clc_touch(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                  uint32_t offset, uint32_t bytes, VmAccess access);
// The slot at `offset` of `cta`, a new one if need be.
VmSlot *vm_clc_slot(VmCta *cta, uint32_t offset);
void vm_clc_cta_started(VmCta *cta);
void vm_ledger_end_chain(
    const VmCta *cta); // when it has exited, or the run has
void vm_clc_cta_exited(VmCta *cta);
void vm_clc_finish(Vm *vm); // the ledger, and lost work
void vm_typed_extend(VmCta *cta, uint32_t offset, uint32_t bytes);
// An instruction has poisoned operands (CLC002): follow or report them. `mask`
// executes it; `active`: with those whose guard says no.
void vm_poison_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                    uint32_t active);
uint32_t vm_linear(const uint32_t id[3], const uint32_t dims[3]);
void vm_unlinear(uint32_t index, const uint32_t dims[3], uint32_t id[3]);

// ---- opaque.c: the bytes of answers ---------------------------------------

// A generic access to the typed part of `cta`'s memory (CLC008). False:
// reported, and the run is over.
bool vm_opaque_touch(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                     uint32_t offset, uint32_t bytes, VmAccess access);
// What was there is no longer of an answer.
void vm_opaque_written(VmCta *cta, uint64_t offset, uint32_t bytes);

// ---- unwritten.c: MEM003 for local memory and for malloc's ----------------

// Local memory [from, from + bytes) of `lanes` begins anew.
void vm_local_begin(VmWarp *w, uint32_t lanes, uint32_t from, uint64_t bytes);
// An access that is in bounds, at offsets[lane]: a store is noted; a load is
// fine (false: it has to be looked at lane by lane). w->written is there.
bool vm_local_known(VmWarp *w, const uint32_t *offsets, uint32_t mask,
                    uint32_t bytes, bool write);
// One lane's access; false: reported, and the run is over.
bool vm_local_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                    uint32_t offset, uint32_t bytes, VmAccess access);
void vm_heap_begin(VmBuffer *buffer);
// For buffers whose `written` is there: bytes were written; one lane's access.
void vm_heap_written(VmBuffer *buffer, uint64_t offset, uint64_t bytes);
bool vm_heap_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                   VmBuffer *buffer, uint64_t offset, uint32_t bytes,
                   VmAccess access);

static inline bool vm_wants(const Vm *vm, DeviceRule rule) {
    return !(vm->launch->unchecked >> rule & 1);
}

// ---- report.c: findings --------------------------------------------------

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
// Lanes have seen that a phase of the mbarrier is over.
void vm_stale_note(VmWarp *w, const VmInstr *in, uint32_t lanes,
                   const VmMbarrier *bar);
// What to do about an answer that was read too early.
#define VM_HELP_WAIT                                                           \
    "wait for the mbarrier's phase (mbarrier.try_wait.parity) before the "     \
    "answer is read, in the thread that reads it or before a barrier that it " \
    "takes part in"
// A finding about an answer that `who` (clock.h) has read: if the last wait of
// that thread at the answer's mbarrier (VM_NONE: at any) was stale, says so.
// False: it was not.
bool vm_stale_explain(Vm *vm, Finding *finding, uint32_t who,
                      uint32_t mbarrier);
void vm_report_deadlock(Vm *vm);
void vm_report_limit(Vm *vm);
void vm_print(Vm *vm, Str text);

// ---- counters.c ----------------------------------------------------------

DeviceKind vm_kind(const PtxInstr *in);
void vm_counters_finish(Vm *vm); // fills in vm->run->counters

// ---- builtins.c: vprintf, __assertfail, and what runtime.c has -----------

// Calls `func`, which has no body; VM_STOP where there is no such builtin.
VmNext vm_builtin(VmWarp *w, const VmInstr *in, const PtxFunc *func,
                  uint32_t mask);
// Argument `index` of a call, its first 8 bytes; 0 where there is none.
uint64_t vm_argument(const VmWarp *w, const VmInstr *in, uint32_t index,
                     uint32_t lane);
// Stores the result of a builtin, if the call wants it.
void vm_give_result(const VmWarp *w, const VmInstr *in, uint32_t lane,
                    uint64_t value);

// ---- runtime.c: malloc, free ---------------------------------------------

VmNext vm_malloc(VmWarp *w, const VmInstr *in, uint32_t mask);
VmNext vm_free(VmWarp *w, const VmInstr *in, uint32_t mask);
// The heap at the end of a launch: all of it goes.
void vm_heap_end(Vm *vm);

#endif
