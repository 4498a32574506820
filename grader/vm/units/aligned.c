// SPDX-License-Identifier: Apache-2.0
// Instructions with .aligned, which all live lanes of a warp must execute
// together (PTX ISA, "barrier": bar.sync is barrier.sync.aligned). SYNC002.
//
// Diverged lanes reconverge a little later here than on a GPU. So a lane that
// reaches such an instruction first waits there, as for a membermask, until the
// other lanes have arrived or exited. It is a mistake only if that can never
// happen: all lanes wait at aligned instructions, but not at the same one; or
// nothing in the whole grid can run.
#include "vm/decode/condition.h"
#include "vm/decode/flow.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/turns/turns.h"
#include "vm/units/units.h"

static const VmInstr *stands_at(const VmFragment *f) {
    return &f->frame->func->code[f->pc];
}

static FactWord stand_of(const VmFragment *f) {
    switch (f->wait) {
    case WAIT_NONE:
    case WAIT_COPIES:
    case WAIT_REGISTERS: // a whole warp
        break;
    case WAIT_ALIGNED:
        return WORD_STAND_OTHER_BARRIER;
    case WAIT_BARRIER:
    case WAIT_CLUSTER:
        return WORD_STAND_UNALIGNED_BARRIER;
    case WAIT_MBARRIER:
        return WORD_STAND_MBARRIER;
    case WAIT_LANES:
        return WORD_STAND_LANES;
    }
    return WORD_STAND_HERE;
}

// Reports the lanes of `f`, which wait at an aligned barrier, and those that do
// not come there.
static void report(VmWarp *w, VmFragment *f) {
    Vm *vm = w->vm;
    w->frag = f;
    Finding *finding = vm_found(
        vm, w, stands_at(f)->loc, CASE_SYNC002_PART_OF_A_WARP, FINDING_ERROR,
        FACTS(FACT_LANE(w, vm_first(f->mask)),
              FACT(EXPECTED, vm_count(w->live)),
              FACT(THREADS, vm_count(f->mask)), FACT(LANES, f->mask)));
    uint32_t condition = vm_condition_loc(f->frame->func, stands_at(f)->ptx);
    vm_relate(vm, finding, PLACE_DECIDED, vm_learner_loc(vm, w, condition),
              NO_FACTS);
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        VmFragment *other = &w->fragments[i];
        if (other == f)
            continue;
        w->frag = other;
        uint32_t loc = vm_learner_loc(vm, w, stands_at(other)->loc);
        vm_relate(vm, finding, PLACE_LANES, loc,
                  FACTS(FACT(THREADS, vm_count(other->mask)),
                        FACT(LANES, other->mask),
                        FACT(STAND, stand_of(other))));
    }
}

// The fragment with the earliest instruction: it is the one inside the
// condition.
static VmFragment *furthest_behind(VmWarp *w, VmWaitKind kind) {
    VmFragment *first = NULL;
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        VmFragment *f = &w->fragments[i];
        if (f->wait == kind && (!first || vm_runs_before(f, first)))
            first = f;
    }
    return first;
}

bool vm_gather_warp(VmWarp *w, const VmInstr *in, VmNext *next) {
    VmFragment *self = w->frag;
    bool same = true;
    if (self->together) {
        self->together = false;
        return true;
    }
    *next = vm_wait(w, WAIT_ALIGNED, 0, 0);
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        const VmFragment *f = &w->fragments[i];
        if (f->wait != WAIT_ALIGNED)
            return false;
        same &= stands_at(f) == in;
    }
    if (!same) {
        report(w, furthest_behind(w, WAIT_ALIGNED));
        vm_stop(w->vm, RUN_FAULT);
        *next = VM_STOP;
        return false;
    }
    // The same instruction in different calls: each fragment continues in its
    // own.
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        w->fragments[i].wait = WAIT_NONE;
        w->fragments[i].together = &w->fragments[i] != self;
    }
    self->pc++;
    return true;
}

// What threads do that are led round a barrier (VmInstr.barrier.round).
typedef enum Round { ROUND_UNKNOWN, ROUND_IDLE, ROUND_BUSY } Round;

static bool is_busy(VmWarp *w, const VmInstr *in) {
    const VmFunc *func = w->frag->frame->func;
    VmInstr *barrier = vm_instr_itself(func, w->frag, in);
    if (barrier->barrier.round == ROUND_UNKNOWN)
        barrier->barrier.round =
            vm_condition_is_busy(func, barrier->ptx) ? ROUND_BUSY : ROUND_IDLE;
    return barrier->barrier.round == ROUND_BUSY;
}

void vm_advise_left(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmFunc *func = w->frag->frame->func;
    uint32_t gone = w->all & ~w->live & ~w->left;
    w->left |= gone;
    if (!is_busy(w, in))
        return;
    Finding *finding =
        vm_found(w->vm, w, in->loc, CASE_SYNC002_LANES_LEFT, FINDING_ADVISORY,
                 FACTS(FACT_LANE(w, vm_first(mask)),
                       FACT(THREADS, vm_count(gone)), FACT(LANES, gone)));
    uint32_t condition = vm_condition_loc(func, in->ptx);
    vm_relate(w->vm, finding, PLACE_DECIDED,
              vm_learner_loc(w->vm, w, condition), NO_FACTS);
}

// A fragment that diverged by a mistake of this warp itself: its other lanes do
// not wait for an mbarrier, spin, or wait at an earlier warp instruction.
static VmFragment *diverged_fragment(VmWarp *w) {
    VmFragment *f = furthest_behind(w, WAIT_ALIGNED);
    const VmFragment *lanes = furthest_behind(w, WAIT_LANES);
    if (!f || furthest_behind(w, WAIT_MBARRIER) ||
        furthest_behind(w, WAIT_NONE) || (lanes && vm_runs_before(lanes, f)))
        return NULL;
    return f;
}

bool vm_report_diverged_warp(Vm *vm) {
    for (size_t i = 0; i < vm->engine.resident_count; i++) {
        VmCluster *cluster = vm->engine.residents[i];
        for (uint32_t r = 0; r < cluster->cta_count; r++) {
            VmCta *cta = cluster->ctas[r];
            for (uint32_t k = 0; k < cta->warp_count; k++) {
                VmFragment *f = diverged_fragment(&cta->warps[k]);
                if (f) {
                    report(&cta->warps[k], f);
                    return true;
                }
            }
        }
    }
    return false;
}
