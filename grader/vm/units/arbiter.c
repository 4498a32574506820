// SPDX-License-Identifier: Apache-2.0
// The arbiter of pending clusters decides which cluster a request gets, if any,
// and makes the answer.
//
// The 16 bytes of an answer are opaque to kernels. Their layout here:
//   word 0: ctaid.x of the first CTA   word 1: ctaid.y | ctaid.z << 16
//   word 2: number of the request      word 3: magic, check bits, granted
// The number identifies the request that an answer belongs to, so that it is
// known who observed a refusal and which grants were used.
#include "vm/decode/follow.h"
#include "vm/machine/shared.h"
#include "vm/order/shadow.h"
#include "vm/trace/trace.h"
#include "vm/turns/turns.h"
#include "vm/units/clc.h"
#include "vm/units/units.h"

#include <string.h>

static uint32_t check_bits(const uint32_t words[4]) {
    uint64_t block = words[0] | (uint64_t)words[1] << 32;
    return (uint32_t)(hash_u64(hash_u64(block) ^ words[2]) & 0x7FFE);
}

static void encode_answer(const Vm *vm, uint32_t number, uint32_t words[4]) {
    const VmRequest *request = &vm->clc.requests[number];
    bool granted = request->granted != VM_NONE;
    uint32_t id[3] = {0};
    if (granted) {
        vm_unlinear(request->granted, vm->shape.cluster_grid, id);
        for (int axis = 0; axis < 3; axis++)
            id[axis] *= vm->shape.cluster_dim[axis];
    }
    words[0] = id[0];
    words[1] = id[1] | id[2] << 16;
    words[2] = number;
    words[3] = 0xC1C00000u | check_bits(words) | granted;
}

VmRequest *vm_clc_decode(const Vm *vm, const uint32_t words[4]) {
    if ((words[3] & ~1u) != (0xC1C00000u | check_bits(words)) ||
        words[2] >= vm->clc.request_count)
        return NULL;
    return &vm->clc.requests[words[2]];
}

static void come_later(Vm *vm, VmEventKind kind, uint32_t request,
                       uint32_t rank) {
    const VmTuning *t = &vm->tuning;
    uint64_t delay = t->answer_min + rng_below(&vm->clc.rng, t->answer_spread);
    vm_event_add(vm, vm->turns.tick + delay, kind, request, rank);
}

void vm_clc_decide_later(Vm *vm, uint32_t request) {
    come_later(vm, EVENT_DECIDE, request, 0);
}

// Each CTA that receives the answer gets it at a time of its own.
static void answer_later(Vm *vm, uint32_t number) {
    VmRequest *request = &vm->clc.requests[number];
    for (uint32_t i = 0; i < request->cluster->cta_count; i++)
        if (vm_clc_receives(request, i)) {
            request->due++;
            come_later(vm, EVENT_ANSWER, number, i);
        }
}

static bool refuses(Vm *vm, const VmRequest *request) {
    Ledger *ledger = &vm->run->ledger;
    if (request->forced_refusal || vm->clc.pending_count == 0)
        return true;
    if (vm->turns.search)
        return vm->tuning.refuse_next;
    if (ledger->totals.requests < vm->tuning.refuse_first)
        return true;
    return rng_below(&vm->clc.rng, 256) < vm->tuning.refuse_per_256;
}

static uint32_t draw_pending(const VmClc *clc, Rng *rng) {
    enum { TRIES = 8 }; // few clusters may be left of a large grid
    uint32_t count = clc->pending_end - clc->first_pending;
    for (int i = 0; i < TRIES; i++) {
        uint32_t index = clc->first_pending + (uint32_t)rng_below(rng, count);
        if (clc->cluster_states[index] == LEDGER_PENDING)
            return index;
    }
    return clc->first_pending;
}

uint32_t vm_clc_take_pending(Vm *vm, VmQueueOrder order, Rng *rng) {
    VmClc *clc = &vm->clc;
    if (vm->launch->only) {
        clc->pending_count--;
        return vm->launch->only[clc->first_pending++];
    }
    while (clc->cluster_states[clc->first_pending] != LEDGER_PENDING)
        clc->first_pending++;
    while (clc->cluster_states[clc->pending_end - 1] != LEDGER_PENDING)
        clc->pending_end--;
    uint32_t index = order == QUEUE_REVERSED   ? clc->pending_end - 1
                     : order == QUEUE_SHUFFLED ? draw_pending(clc, rng)
                                               : clc->first_pending;
    vm->run->out_of_order |= index != clc->first_pending;
    clc->pending_count--;
    return index;
}

void vm_clc_decide(Vm *vm, uint32_t number) {
    VmRequest *request = &vm->clc.requests[number];
    Ledger *ledger = &vm->run->ledger;
    if (refuses(vm, request)) {
        ledger->totals.refused++;
        ledger->totals.refused_pending += vm->clc.pending_count > 0;
    } else {
        uint32_t index =
            vm_clc_take_pending(vm, vm->tuning.grants, &vm->clc.rng);
        vm->clc.cluster_states[index] = LEDGER_GRANTED;
        vm->clc.cluster_requests[index] = number;
        request->granted = index;
        ledger->totals.granted += vm->shape.cluster_size;
    }
    ledger->totals.requests++;
    vm->turns.progress++;
    answer_later(vm, number);
}

static void deliver(Vm *vm, VmCta *cta, const VmRequest *request,
                    const uint32_t words[4]) {
    VmMbarrier *bar = vm_mbarrier_find(cta, request->mbarrier);
    VmSlot *slot = vm_clc_slot_at(cta, request->slot);
    memcpy(cta->smem + request->slot, words, 16);
    slot->answer = UINT16_MAX;
    if (vm->follow)
        vm_follow_written(cta, request->slot, 16);
    cta->clc.answers++;
    if (!bar) {
        slot->state = SLOT_ANSWERED;
        slot->phase = UINT64_MAX;
        return;
    }
    slot->state = SLOT_ANSWERED;
    slot->phase = bar->state.phase;
    if (bar->async.unseen == 0)
        bar->async.unseen = bar->state.phase + 1;
    bar->async.requests--;
    bar->async.has_come = true;
    if (vm->order)
        vm_shadow_complete(vm, &(VmWhere){cta, request->slot}, 16, true,
                           bar->clocks.agent, (uint32_t)bar->state.phase);
    vm_time_mbarrier_raise(bar, request->time);
    vm_trace_note_answer(cta, slot->request);
    vm_mbarrier_complete_tx(vm, cta, bar, 16);
}

VmCluster *vm_clc_answer(Vm *vm, uint32_t number, uint32_t rank) {
    VmRequest *request = &vm->clc.requests[number];
    VmCluster *cluster = request->cluster;
    uint32_t words[4];
    encode_answer(vm, number, words);
    if (!cluster->ctas[rank]->exited)
        deliver(vm, cluster->ctas[rank], request, words);
    if (--request->due)
        return NULL;
    request->cluster = NULL;
    cluster->in_flight--;
    return cluster;
}
