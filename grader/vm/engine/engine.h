// SPDX-License-Identifier: Apache-2.0
// The engine: turns of warps, the clusters on the SMs, and how a run ends.
#ifndef CLCLAB_VM_ENGINE_ENGINE_H
#define CLCLAB_VM_ENGINE_ENGINE_H

#include "result/facts.h"
#include "vm/machine/machine.h"

enum { VM_LONG_QUANTUM = 4096 }; // instructions in a slice

// ---- tuning.c ------------------------------------------------------------

void vm_tuning_choose(Vm *vm, const DeviceSchedule *schedule);
// The schedule has used up its context switches: from here on, turns are as in
// the plain schedule.
void vm_tuning_plain(Vm *vm);

// ---- steps.c -------------------------------------------------------------

// What the step limit counts.
uint64_t vm_steps(const Vm *vm);
// What has been done since it was `from` does not count for the limit.
void vm_steps_excuse(Vm *vm, uint64_t from);
// Ends the run if that has passed the limit.
void vm_steps_limit(Vm *vm);

// ---- sched.c -------------------------------------------------------------

void vm_schedule(Vm *vm); // runs the launch to its end

// ---- turn.c --------------------------------------------------------------

VmWarp *vm_next_warp(Vm *vm); // the warp whose turn it is; there must be one
void vm_turn_ends(Vm *vm, VmWarp *w);

// ---- run.c ---------------------------------------------------------------

// Runs fragments of `w` for about `quantum` warp-instructions.
void vm_warp_run(VmWarp *w, uint32_t quantum);
// Called behind each instruction of a round; false ends the round.
typedef struct VmVisit {
    bool (*executed)(void *context, const VmInstr *in);
    void *context;
    bool in_calls; // also in functions that are called; else a call ends it
} VmVisit;

// Runs fragment `f` of `w`, which can run, until it is back at the instruction
// where it is now, and adds what that took to *ran instead of to the tick:
// clocks stand still. False: it did not come back before *ran was `most`, the
// fragments of the warp changed, or it changed what others can see. With
// `visit` (else NULL) also as that says.
bool vm_warp_round(VmWarp *w, VmFragment *f, uint64_t most, uint64_t *ran,
                   const VmVisit *visit);

// The fragment that is to run before the others; NULL: none can, or all that
// can rest (spin.c).
VmFragment *vm_warp_lowest(VmWarp *w);
bool vm_warp_has_resting(const VmWarp *w); // or one that can run
// Executes one instruction of fragment `f`. False: the run is over.
bool vm_warp_step(VmWarp *w, VmFragment *f);
// The lanes of `f` that are to execute `in`, its next instruction.
uint32_t vm_warp_enabled(VmWarp *w, VmFragment *f, const VmInstr *in);

// ---- loop.c --------------------------------------------------------------

typedef enum VmLoop {
    LOOP_GOES_ON,  // it computes, or is no loop
    LOOP_COUNTS,   // it repeats itself but for counters: vm->engine.counted
    LOOP_BY_CLOCK, // it depends on a clock, and on what others do
    LOOP_REPEATS,  // it depends on what others do
} VmLoop;

// Runs about `most` instructions of the fragment at most, and tells what loop
// it is in.
VmLoop vm_loop_look(VmWarp *w, VmFragment *f, uint64_t most);

// ---- count.c -------------------------------------------------------------

// Looks at a loop that changes nothing but registers. True: it counts, and
// vm->engine.counted is about it. What it runs counts as time. `apart`: a loop
// that looks at clocks, too; so many ticks are from each round to the next. 0:
// clocks are of no account to it.
bool vm_count_look(VmWarp *w, VmFragment *f, uint64_t most, uint64_t apart);
// Right after such a look: adds to the counters what so many rounds add, at
// most counted->rounds.
void vm_count_leap(VmWarp *w, const VmFragment *f, uint64_t rounds);

// ---- word.c --------------------------------------------------------------

// Whether it is known what to watch, and that has the value that it had.
bool vm_watch_holds(const VmWatch *watch);

// ---- spin.c --------------------------------------------------------------

// A fragment that polls what nobody has changed since rests: its turns are
// skipped.
static inline bool vm_is_undisturbed(const Vm *vm, const VmFragment *f) {
    return f->rest == REST_UNTIL_PROGRESS &&
           (f->progress == vm->turns.progress || vm_watch_holds(&f->watch));
}
static inline bool vm_rests(const Vm *vm, const VmFragment *f) {
    return f->rest && vm->turns.tick < f->wake_at &&
           (vm->turns.tick < f->rest_until || vm_is_undisturbed(vm, f));
}
enum { VM_LOOK_LEAST = 64 }; // ticks without progress
bool vm_spin_look(VmWarp *w, uint32_t *quantum);
// The turn of `w` begins. True: all of its fragments that can run rest. Else it
// is to run; *quantum has become less by what this look took.
static inline bool vm_spin_rests(VmWarp *w, uint32_t *quantum) {
    return (w->turns.quiet >= VM_LOOK_LEAST || w->turns.slept) &&
           vm_spin_look(w, quantum);
}
// A turn of `w` is over that began at this tick and progress.
static inline void vm_spin_ran(VmWarp *w, uint64_t tick, uint64_t progress) {
    const VmTurns *turns = &w->vm->turns;
    if (turns->progress == progress)
        w->turns.quiet += turns->tick - tick;
    else
        w->turns.quiet = w->turns.look_after = 0;
}
// Every warp that can run rests. True: some of them need not, because others
// have changed something since they looked.
bool vm_spin_wake(Vm *vm);
bool vm_spin_all_rest(const Vm *vm);
// In each cluster that comes no further, or in any, one that is stalled goes
// on. False: none is.
bool vm_spin_end_stalls(Vm *vm, bool any);
// Ends the rest of one that is about to arrive (turns/hold.h). False: none is.
bool vm_spin_let_arrive(Vm *vm, VmDeferral which);
// The waits for an mbarrier that may end by themselves do. False: nobody waits
// so.
bool vm_spin_time_out(Vm *vm);
// The first tick at which a resting fragment looks at a clock again;
// UINT64_MAX: none does.
uint64_t vm_spin_next(const Vm *vm);

// ---- livelock.c ----------------------------------------------------------

// So many steps are done that the launch is to be looked at. True: all that can
// run only does again what it has done before.
bool vm_livelock_look(Vm *vm);

// ---- patience.c ----------------------------------------------------------

void vm_hold_run(Vm *vm); // the next slice of the hold; there must be one

// ---- exit.c --------------------------------------------------------------

// Makes lanes `mask` of the running fragment exit.
void vm_lanes_exit(VmWarp *w, uint32_t mask);
// Frees a cluster if all of its CTAs have exited and nothing is in flight for
// it.
void vm_cluster_release(VmCluster *cluster);
void vm_launch_free(Vm *vm); // frees everything of the launch

// ---- start.c -------------------------------------------------------------

uint32_t vm_most_resident(const Vm *vm); // in clusters
// Plans launch events for as many pending clusters as fit on the SMs.
void vm_plan_launches(Vm *vm);
void vm_first_launches(Vm *vm);
// Where clusters are held back, those that are live may be waiting for one that
// is not: lets more be live, with one_by_one, or lets the kernel of higher
// priority go. False: no more are waiting, or there is no room.
bool vm_launch_more(Vm *vm);
bool vm_may_launch_more(const Vm *vm);
void vm_cluster_start(Vm *vm);

// ---- polled.c ------------------------------------------------------------

// Reports that fragment `f` spins for ever; `changes`: it, or another one, also
// changes something meanwhile.
Finding *vm_report_spin(Vm *vm, VmWarp *w, VmFragment *f, bool changes);
// Adds to a finding what the loop that `f` is in polls: a strong access of the
// same place in each round, with nothing changed. False: there is none, and `f`
// may be gone.
bool vm_relate_polled(Vm *vm, VmWarp *w, VmFragment *f, Finding *finding);

// ---- rounds.c ------------------------------------------------------------

// Adds to the report of a wait at barrier `id` of a CTA who completed it
// before, if it is a named one.
void vm_relate_rounds(Vm *vm, const VmBarrier *b, uint32_t id, Finding *f);

// The facts of the name of an mbarrier.
#define NAME_FACTS(n)                                   \
    FACT(MBARRIER, (n).word), FACT_STR(NAME, (n).name), \
        FACT(OFFSET, (n).offset), FACT(NUMBER, (n).element)

// ---- elsewhere.c ---------------------------------------------------------

// A request of the CTA whose answer came to another mbarrier than `bar`, where
// no thread has waited for it; NULL: there is none.
const VmRequest *vm_answered_elsewhere(const Vm *vm, const VmCta *cta,
                                       const VmMbarrier *bar);
// Adds that request to the report of a wait at `bar`; there is one.
void vm_relate_answered(Vm *vm, const VmCta *cta, const VmMbarrier *bar,
                        Finding *f);
// Another mbarrier of the CTA whose phase was complete before an answer came,
// or that has bytes too many; NULL: there is none.
const VmMbarrier *vm_brought_elsewhere(const VmCta *cta, const VmMbarrier *bar);
// Adds the request whose bytes came there, while they are announced at `bar`:
// this is also why that one's phase was complete too early.
void vm_relate_brought(Vm *vm, const VmCta *cta, const VmMbarrier *bar,
                       Finding *f);

// ---- arrivals.c ----------------------------------------------------------

typedef struct VmAbsence {
    uint32_t loc;    // of what leads round the arrival; 0: it is not known
    uint64_t thread; // as of a fact: the first that never arrives
} VmAbsence;

// Who never arrives in the phase, if that is some warps, and all the others of
// their blocks have: by an arrival in this function.
VmAbsence vm_absent_arrival(const VmFunc *func, const VmCluster *cluster,
                            const VmMbarrier *bar);

// ---- stuck.c -------------------------------------------------------------

void vm_report_deadlock(Vm *vm);
void vm_report_livelock(Vm *vm);
// `percent` of its steps went into this work.
void vm_report_limit(Vm *vm, FactWord work, uint64_t percent);

// ---- counters.c ----------------------------------------------------------

void vm_counters_finish(Vm *vm); // fills in vm->run->counters

#endif
