// SPDX-License-Identifier: Apache-2.0
// What a fragment polls, for the report that nobody changes it: one whose loop
// repeats itself, or one that was still running at the step limit. It is found
// by going round the loop, which is executed for good.
#include "vm/decode/address.h"
#include "vm/decode/condition.h"
#include "vm/decode/origin.h"
#include "vm/engine/engine.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/shadow.h"

typedef struct Polled {
    const VmInstr *in; // the last access of the loop; NULL: it has none
    bool came_back;    // the loop was left behind or ended otherwise: false
    VmCta *owner;      // whose shared memory it reads; NULL: global memory
    uint32_t buffer;
    uint64_t offset;
} Polled;

static bool is_shared(const VmInstr *in, uint64_t address) {
    return vm_space_at((PtxSpace)in->space, address) == PTX_SPACE_SHARED;
}

static bool is_global(const Vm *vm, const VmInstr *in, uint64_t address) {
    return (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_GENERIC) &&
           address >> VM_BUFFER_SHIFT < vm->memory.buffer_count;
}

// Called when the instruction has been executed, so that its address is good.
static void note(const VmWarp *w, const VmInstr *in, uint64_t address,
                 Polled *polled) {
    uint32_t offset;
    if (is_shared(in, address)) {
        VmCta *owner = vm_shared_owner(w, (uint32_t)address, &offset);
        if (owner)
            *polled = (Polled){.in = in,
                               .owner = owner,
                               .offset = offset - (uint64_t)VM_SHARED_BASE};
    } else if (is_global(w->vm, in, address)) {
        *polled = (Polled){.in = in,
                           .buffer = (uint32_t)(address >> VM_BUFFER_SHIFT),
                           .offset = address & VM_OFFSET_MASK};
    }
}

// What has no result, as red, is no poll.
static bool may_poll(const VmInstr *in, bool strong) {
    return (ptx_is_load(in->op) || ptx_is_atomic(in->op)) && !in->is_frame &&
           in->dst_count && (!strong || in->sem != SEM_WEAK);
}

// `strong`: what is neither volatile nor atomic is no poll.
static Polled find_polled(VmWarp *w, VmFragment *f, bool strong) {
    enum { MOST = 1024 }; // instructions
    const VmFrame *frame = f->frame;
    uint32_t pc = f->pc, count = w->fragment_count, steps = 0;
    Polled polled = {0};
    do {
        const VmInstr *in = &f->frame->func->code[f->pc];
        uint32_t mask = may_poll(in, strong) ? vm_warp_enabled(w, f, in) : 0;
        uint64_t address = mask ? vm_lane_address(w, in, vm_first(mask)) : 0;
        if (!vm_warp_step(w, f) || w->fragment_count != count)
            return polled;
        if (mask)
            note(w, in, address, &polled);
    } while (++steps < MOST && (f->pc != pc || f->frame != frame));
    polled.came_back = f->pc == pc && f->frame == frame;
    return polled;
}

static VmMemoryName name_of(const VmWarp *w, const Polled *polled) {
    return vm_memory_called(w, polled->owner, polled->buffer, polled->offset);
}

// A poll that is an atomic counts as a write itself.
static VmWriter writer_of(Vm *vm, const Polled *polled) {
    VmRegion region = {polled->owner, polled->buffer};
    VmWriter writer = vm_shadow_writer(vm, region, polled->offset);
    if (writer.loc == polled->in->loc)
        writer = (VmWriter){0};
    return writer;
}

static void relate_writer(Vm *vm, VmWriter writer, Finding *finding) {
    if (writer.is_known && !writer.is_none)
        vm_relate(vm, finding, PLACE_LAST_WRITTEN,
                  vm_learner_loc(vm, NULL, writer.loc),
                  FACTS(FACT(OTHER, writer.thread)));
}

bool vm_relate_polled(Vm *vm, VmWarp *w, VmFragment *f, Finding *finding) {
    uint64_t progress = vm->turns.progress;
    Polled polled = find_polled(w, f, true), again = {0};
    if (polled.in && polled.came_back)
        again = find_polled(w, f, true);
    if (!again.came_back || again.in != polled.in ||
        again.owner != polled.owner || again.buffer != polled.buffer ||
        again.offset != polled.offset || vm->turns.progress != progress)
        return false;
    VmWriter writer = writer_of(vm, &polled);
    VmMemoryName name = name_of(w, &polled);
    w->frag = f;
    vm_relate(vm, finding,
              writer.is_none ? PLACE_POLLED_UNWRITTEN : PLACE_POLLED,
              vm_learner_loc(vm, w, polled.in->loc), FACTS(MEMORY_FACTS(name)));
    relate_writer(vm, writer, finding);
    return true;
}

// What the branches of a loop look at.
typedef struct Looks {
    bool at_memory;   // or it is not known
    VmOrigin at_wait; // of one that looks at an mbarrier; `waited` is set
    VmOrigin leaving; // of the one that leaves the loop
} Looks;

static Looks looks_of(const Vm *vm, const VmFunc *func, const PtxInstr *in,
                      SrcLoc own) {
    enum { MOST_BRANCHES = 32 };
    const PtxFunc *ptx = func->ptx;
    const PtxInstr *leaves = vm_condition_again(func, in);
    Looks looks = {.at_memory = !leaves};
    uint32_t seen = 0;
    for (size_t i = 0; i < ptx->instr_count && !looks.at_memory; i++) {
        const PtxInstr *branch = &ptx->instrs[i];
        if (!branch->guard || !ptx_leaves(branch->op) ||
            (branch != leaves && !vm_condition_share_loop(func, branch, in)))
            continue;
        VmOrigin origin = vm_origin_of_guard(vm, func, branch, own);
        looks.at_memory = origin.loads || ++seen > MOST_BRANCHES;
        if (origin.waited.line)
            looks.at_wait = origin;
        if (branch == leaves)
            looks.leaving = origin;
    }
    return looks;
}

// Nothing that its branches look at is in memory: so it is no poll, and no
// other thread can end it.
static void explain_loop(Vm *vm, const VmFragment *f, Finding *finding) {
    const VmFunc *func = f->frame->func;
    if (!finding)
        return;
    Looks looks = looks_of(vm, func, func->code[f->pc].ptx, finding->at);
    if (looks.at_memory)
        return;
    bool is_wait = looks.at_wait.waited.line > 0;
    finding->reason = is_wait ? REASON_WAITS_WHILE_OVER : REASON_LOOP_KEEPS;
    if (is_wait)
        vm_relate_line(vm, finding, PLACE_WAIT_OVER, looks.at_wait.waited,
                       NO_FACTS);
    for (uint32_t i = 0; i < VM_ORIGINS && !is_wait; i++)
        vm_relate_line(vm, finding, PLACE_LOOP_DECIDED, looks.leaving.at[i],
                       NO_FACTS);
}

Finding *vm_report_spin(Vm *vm, VmWarp *w, VmFragment *f, bool changes) {
    uint32_t lane = vm_first(f->mask);
    uint32_t loc = f->frame->func->code[f->pc].loc;
    uint32_t pending = vm->clc.pending_count * vm->shape.cluster_size;
    Polled polled = find_polled(w, f, false);
    w->frag = f;
    if (!polled.in) {
        Finding *endless = vm_found(vm, w, loc, CASE_LIMIT_ENDLESS,
                                    FINDING_ERROR, FACTS(FACT_LANE(w, lane)));
        explain_loop(vm, f, endless);
        return endless;
    }
    VmMemoryName name = name_of(w, &polled);
    Finding *finding = vm_found(
        vm, w, polled.in->loc,
        changes ? CASE_DEADLOCK_LIVELOCK : CASE_DEADLOCK_SPIN, FINDING_ERROR,
        FACTS(FACT_LANE(w, lane), FACT(BLOCKS, pending), MEMORY_FACTS(name)));
    explain_loop(vm, f, finding);
    if (finding && pending && !finding->reason)
        finding->reason = REASON_BLOCKS_PENDING;
    relate_writer(vm, writer_of(vm, &polled), finding);
    return finding;
}
