// SPDX-License-Identifier: Apache-2.0
// The lifetime of the state of order.c: launches, clusters, CTAs. Memory for
// the order of accesses is kept from launch to launch and reused by a thousand
// schedules. Logical times only grow, so what an earlier launch left behind is
// recognised by its time.
#include "vm/decode/fate.h"
#include "vm/machine/findings.h"
#include "vm/order/flag.h"
#include "vm/order/old.h"

#include <string.h>

enum {
    CTAS_MAX = 1 << 21, // in a launch: a thread's number has 31 bits
    AGENTS_BEFORE = 1 << 25,
};

// ---- what orders the threads of this program -----------------------------

// True if a suffix makes the access order threads. Also true for every strong
// load, even if it orders nothing: it must be recorded separately from weak
// ones.
static bool is_strong(const PtxInstr *in) {
    if (ptx_is_load(in->op))
        return ptx_has(in, PTX_MOD_ACQUIRE) || ptx_has(in, PTX_MOD_RELAXED) ||
               ptx_has(in, PTX_MOD_VOLATILE) || ptx_has(in, PTX_MOD_MMIO);
    return ptx_has(in, PTX_MOD_ACQUIRE) || ptx_has(in, PTX_MOD_RELEASE) ||
           ptx_has(in, PTX_MOD_ACQ_REL);
}

// True if it orders threads in any way other than a barrier of the whole CTA.
static bool is_other_order(const PtxInstr *in) {
    switch ((PtxOrder)PTX_TRAITS[in->op].order) {
    case PTX_ORDER_NONE:
        return false;
    case PTX_ORDER_BARRIER: // an additional operand gives a thread count
        return in->operand_count > ptx_op_least(in->op);
    case PTX_ORDER_SUFFIX:
        return is_strong(in);
    case PTX_ORDER_PART:
    case PTX_ORDER_FENCE:
    case PTX_ORDER_MBARRIER:
    case PTX_ORDER_ASYNC:
        break;
    }
    return true;
}

// What a loop may look at until it changes.
static bool is_look(const PtxInstr *in) {
    return ptx_is_load(in->op)
               ? is_strong(in)
               : ptx_is_atomic(in->op) && ptx_written_operands(in) > 0;
}

static void find_order(VmOrder *o, const PtxInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    o->waits |= is_look(in);
    o->looks_strongly |= ptx_is_load(in->op) && is_strong(in);
    bool asks = traits->object == PTX_OBJECT_REQUEST;
    o->only_barriers &= !is_other_order(in);
    o->copies |= traits->order == PTX_ORDER_ASYNC && !asks;
}

static void find_orders(Vm *vm) {
    VmOrder *o = vm->order;
    o->only_barriers = vm->program->fate_count == 0;
    o->asks = vm->program->asks;
    o->copies = o->waits = o->looks_strongly = false;
    memset(o->looks, 0, sizeof o->looks);
    memset(o->idle, 0, sizeof o->idle);
    o->guess = (VmGuess){0};
    for (size_t i = 0; i < vm->module->func_count; i++) {
        const PtxFunc *func = vm->module->funcs[i];
        size_t count = vm->program->funcs[func->id] ? func->instr_count : 0;
        for (size_t k = 0; k < count; k++)
            find_order(o, &func->instrs[k]);
    }
}

// ---- the start of a launch -----------------------------------------------

static bool is_wanted(const DeviceLaunch *launch) {
    static const DeviceRule rules[] = {
        RULE_RACE001, RULE_RACE002, RULE_CLC005, RULE_CLC006, RULE_CLC007,
        RULE_CLC011,  RULE_BAR002,  RULE_BAR004, RULE_MEM003, RULE_MEM004};
    uint64_t all = 0;
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        all |= UINT64_C(1) << rules[i];
    return (launch->unchecked & all) != all;
}

// Numbers that go on from launch to launch begin anew while this launch has
// enough of them.
static bool is_far_on(const VmOrder *o) {
    return o->time > VM_AGENT / 2 || o->agents > AGENTS_BEFORE;
}

void vm_order_begin(Vm *vm) {
    vm->order = NULL;
    vm->now = NULL;
    if (!is_wanted(vm->launch))
        return;
    if (vm->persistent.order && is_far_on(vm->persistent.order))
        vm_order_free(vm);
    if (!vm->persistent.order)
        vm->persistent.order = heap_alloc(sizeof *vm->persistent.order, 1);
    VmOrder *o = vm->order = vm->persistent.order;
    uint32_t warps = vm_warps_of_cta(vm);
    o->clocks.warps_per_cta = warps;
    o->clocks.ctas_per_cluster = vm->shape.cluster_size;
    o->is_incomplete = o->is_lost = false;
    o->start = ++o->time;
    o->first_agent = o->agents;
    o->cta_count = 0;
    o->slot_count = 0;
    o->lanes_together = o->release_due = false;
    vm_shadow_begin(vm);
    find_orders(vm);
    vm->now = &o->time;
    o->keeps_old = o->looks_strongly && vm->tuning.old_values;
    o->served = NULL;
}

// ---- CTAs and clusters ---------------------------------------------------

static size_t ctas_most(const Vm *vm) {
    uint64_t bytes = vm->launch->records_most;
    return bytes && bytes / sizeof *vm->order->linear < CTAS_MAX
               ? (size_t)(bytes / sizeof *vm->order->linear)
               : CTAS_MAX;
}

void vm_order_cta_start(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    VmOrder *o = vm->order;
    if (o->cta_count >= ctas_most(vm)) {
        vm_order_lost(vm, WORD_RECORDS_BLOCKS);
        o->cta_count = 0;
    }
    arena_grow(&vm->run_arena, o->linear, o->cta_count, o->cta_capacity);
    cta->order.serial = (uint32_t)o->cta_count;
    o->linear[o->cta_count++] = cta->linear;
    cta->order.start = vm_order_step(vm);
    cta->order.first_agent = o->agents;
    vm_shadow_cta_start(cta);
}

static void drop(Vm *vm, VmClock **clock) {
    vm_clock_drop(&vm->order->clocks, *clock);
    *clock = NULL;
}

static void warp_end(Vm *vm, VmWarp *w) {
    uint32_t clocks = w->order.known_apart ? VM_LANES : 1;
    for (uint32_t l = 0; l < clocks; l++)
        drop(vm, &w->known[l]);
    w->order.known_apart = false;
    vm_order_fences_end(w);
    vm_flags_end(w);
    vm_fates_end(w);
}

void vm_order_cta_end(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        warp_end(vm, &cta->warps[i]);
    for (uint32_t i = 0; i < VM_NAMED_BARRIERS; i++)
        drop(vm, &cta->barriers[i].clock);
    drop(vm, &cta->order.arrived);
    drop(vm, &cta->order.over);
    for (uint32_t i = 0; i < cta->typed.mbarrier_count; i++)
        vm_order_mbarrier_end(vm, &cta->objects.mbarriers[i]);
}

void vm_order_cluster_end(VmCluster *cluster) {
    drop(cluster->vm, &cluster->barrier.clock);
    drop(cluster->vm, &cluster->barrier.over);
}

// ---- the end of a launch -------------------------------------------------

static void messages_end(VmOrder *o) {
    for (size_t i = 0; i < o->message_room; i++)
        for (int s = 0; s < SCOPE_COUNT; s++)
            vm_clock_drop(&o->clocks, o->messages[i].clocks[s]);
    heap_free(o->messages);
    o->messages = NULL;
    o->message_count = o->message_room = 0;
}

static void tell_loose(Vm *vm, const VmOrder *o) {
    DeviceRun *run = vm->run;
    for (uint32_t i = 0; i < o->loose_count; i++) {
        uint32_t read = vm_learner_loc(vm, NULL, o->loose[i].read),
                 written = vm_learner_loc(vm, NULL, o->loose[i].written);
        run->loose[run->loose_count++] =
            (LooseRead){vm_src_of(vm, read), vm_src_of(vm, written)};
    }
}

void vm_order_end(Vm *vm) {
    VmOrder *o = vm->order;
    if (!o)
        return;
    for (size_t i = 0; i < vm->engine.resident_count; i++) {
        VmCluster *cluster = vm->engine.residents[i];
        for (uint32_t k = 0; k < cluster->cta_count; k++)
            vm_order_cta_end(cluster->ctas[k]);
        vm_order_cluster_end(cluster);
    }
    vm_fates_forget(vm);
    vm_old_end(o);
    messages_end(o);
    vm_clocks_end(&o->clocks);
    vm_race_finish(vm);
    tell_loose(vm, o);
    vm_shadow_end(vm);
    o->linear = NULL; // it was in the launch's arena
    o->cta_count = o->cta_capacity = 0;
    vm->order = NULL;
    vm->now = NULL;
}

void vm_order_free(Vm *vm) {
    VmOrder *o = vm->persistent.order;
    if (!o)
        return;
    vm_shadow_free(vm);
    vm_clocks_free(&o->clocks);
    heap_free(o);
    vm->order = vm->persistent.order = NULL;
}
