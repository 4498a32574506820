// SPDX-License-Identifier: Apache-2.0
// What the interpreter reports to the time model (timing.h) as it happens. No
// call has an effect when launches are not timed.
#ifndef CLCLAB_VM_TIME_TIME_H
#define CLCLAB_VM_TIME_TIME_H

#include "vm/machine/machine.h"
#include "vm/time/timing.h"

struct VmTime {
    TimingModel model;
    bool always;      // every launch is timed; else only those that ask for it
    Timing *timing;   // for the launch; NULL: between launches
    TimingRun **runs; // by PtxFunc.id and pc: what a dispatch there executes
    DeviceEvent last; // the last event of a warp
};

// From now on, launches are timed with these settings: see vm_time.
bool vm_time_set(Vm *vm, const Str *settings, size_t count, Diags *diags);
// Decides whether this launch is timed and sets vm->time, before vm_time_begin.
void vm_time_choose(Vm *vm);
void vm_time_begin(Vm *vm);
void vm_time_end(Vm *vm); // fills in vm->run->timeline
void vm_time_cluster_start(VmCluster *cluster);
void vm_time_cta_exit(const VmCta *cta);
// A dispatch at f->pc has executed a whole run, or a single instruction of it.
void vm_time_ran(const VmWarp *w, const VmFragment *f, bool whole);
// An arrival at an mbarrier of `cta`. Another CTA of the cluster sees it
// TIMING_CLUSTER later.
void vm_time_mbarrier_arrive(const VmWarp *w, const VmCta *cta,
                             VmMbarrier *bar);
uint64_t vm_time_done_at(const VmWarp *w, TimingValue what);
void vm_time_sleep(const VmWarp *w, uint64_t nanoseconds);
// Asynchronous copies of `lane`: one was issued whose data arrives at cycle
// `done`; a group was committed; the wait for all groups except the latest
// `but` (UINT64_MAX: for all copies, committed or not) is over.
void vm_time_copy(VmWarp *w, bool bulk, uint32_t group, uint64_t done);
void vm_time_commit(VmWarp *w, bool bulk, uint32_t lane);
void vm_time_copied(const VmWarp *w, bool bulk, uint32_t lane, uint64_t but);
void vm_time_exit(const VmWarp *w);
void vm_time_block(const VmWarp *w, uint32_t block);
// Records an event of the warp at its present cycle. If another lane has
// recorded the same event at this cycle, it is not repeated. `event` has the
// kind and its details.
void vm_time_note(const VmWarp *w, DeviceEvent event);
// An event at the mbarrier `bar` of `cta`, recorded after it. w NULL: it was
// caused by an asynchronous arrival, at cycle bar->time.last.
void vm_time_note_bar(const VmWarp *w, const VmCta *cta, const VmMbarrier *bar,
                      DeviceEventKind kind, uint32_t value);
// The answer to the request was written to a slot of `cta`. Returns the first
// block granted, or DEVICE_EVENT_NONE.
uint32_t vm_time_note_answer(const VmCta *cta, uint32_t number);

static inline Timing *vm_timing(const Vm *vm) {
    return vm->time ? vm->time->timing : NULL;
}

// When a kernel of higher priority arrives; 0: never.
static inline uint64_t vm_time_arrival(const Vm *vm) {
    if (!vm->time)
        return 0;
    return vm->launch->arrival ? vm->launch->arrival
                               : vm->time->model.values[TIMING_ARRIVE];
}

static inline uint64_t vm_time_now(const VmWarp *w) {
    return timing_now(w->vm->time->timing, w->cta->time.place, w->index);
}

// What a clock shows that the warp reads; `polls`: as timing_clock says.
static inline uint64_t vm_time_clock(const VmWarp *w, bool polls) {
    return timing_clock(w->vm->time->timing, w->cta->time.place, w->index,
                        polls);
}

// A kernel of higher priority wants the SM that the warp is on.
static inline bool vm_time_is_wanted(const VmWarp *w) {
    const Timing *timing = vm_timing(w->vm);
    return timing && timing_is_wanted(timing, w->cta->time.place, w->index);
}

// See timing_withholds.
static inline bool vm_time_withholds(const Vm *vm) {
    const Timing *timing = vm_timing(vm);
    return timing && timing_withholds(timing);
}

// An event is a cycle number: arrivals raise it, and waits wait for it.
static inline void vm_time_arrive(const VmWarp *w, uint64_t *event) {
    const Timing *timing = vm_timing(w->vm);
    if (timing)
        timing_arrive(timing, w->cta->time.place, w->index, event);
}

static inline void vm_time_resume(const VmWarp *w, uint64_t event,
                                  TimingValue after) {
    Timing *timing = vm_timing(w->vm);
    if (timing)
        timing_resume(timing, w->cta->time.place, w->index, event, after);
}

static inline void vm_time_raise(uint64_t *event, uint64_t cycle) {
    if (cycle > *event)
        *event = cycle;
}

// An asynchronous operation completes on an mbarrier at `cycle`.
static inline void vm_time_mbarrier_raise(VmMbarrier *bar, uint64_t cycle) {
    vm_time_raise(&bar->time.last, cycle);
}

// Its phase, which is still the current one, completes.
static inline void vm_time_mbarrier_phase(VmMbarrier *bar) {
    bar->time.done[bar->state.phase & 1] = bar->time.last;
    bar->time.last = 0;
}

// The phase before the current one is over for a wait.
static inline void vm_time_mbarrier_wait(const VmWarp *w,
                                         const VmMbarrier *bar) {
    vm_time_resume(w, bar->time.done[(bar->state.phase & 1) ^ 1],
                   TIMING_BARRIER);
}

#endif
