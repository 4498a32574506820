// SPDX-License-Identifier: Apache-2.0
// Cluster Launch Control: the life of a request (PTX ISA,
// clusterlaunchcontrol.try_cancel and .query_cancel).
//
//   try_cancel --delay--> decide: grant or refuse --delay--> answer: 16 bytes
//   to each receiver's slot, complete-tx of 16 on its mbarrier
// The arbiter is in arbiter.c, decoding (query_cancel) in clc_query.c.
#include "vm/units/clc.h"

#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/race.h"
#include "vm/time/time.h"

// ---- requests ------------------------------------------------------------

typedef struct Target { // operands of a request, checked
    uint32_t slot, mbarrier;
} Target;

static VmNext bad_address(VmWarp *w, const VmInstr *in, uint32_t lane,
                          DevicePart cure, const char *what, const char *help) {
    VmNext next =
        vm_fault(w, in, RULE_CLC005, help, "%.*s requests a cancellation %s",
                 STR_ARG(vm_who_lane(w, lane)), what);
    vm_fault_cure(w->vm, cure, 0);
    return next;
}

// A request that names no space takes generic addresses (PTX ISA, try_cancel):
// in hand-written PTX that, and not the slot, may be what is wrong.
static const char *slot_help(const VmInstr *in) {
    if (in->space == PTX_SPACE_GENERIC)
        return "name the space in the request (try_cancel.async.shared::cta): "
               "without it both operands are generic addresses; and declare "
               "the slot __shared__ in the block that asks";
    return "declare the slot __shared__, 16 bytes, in the block that asks (a "
           "neighbour gets its copy by multicast)";
}

// Where the slot is declared, or, if that is a neighbour's or the wrong space
// is named, where it is asked.
static DevicePart slot_cure(const VmWarp *w, const VmInstr *in,
                            const VmCta *owner) {
    bool is_neighbour = owner && owner != w->cta;
    return is_neighbour || in->space == PTX_SPACE_GENERIC ? PART_HERE
                                                          : PART_DECLARE;
}

// The mbarrier stands for the slot, and no mbarrier in its own place. (A slot
// that reaches into the mbarrier behind it is another mistake.)
static bool are_swapped(VmWarp *w, const VmInstr *in, uint32_t lane,
                        uint32_t slot) {
    VmCta *owner;
    uint32_t mbarrier;
    return vm_mbarrier_find(w->cta, slot) &&
           !(vm_shared_operand(w, in, lane, 1, in->imm2, &owner, &mbarrier) &&
             owner == w->cta && vm_mbarrier_find(owner, mbarrier));
}

static VmNext find_target(VmWarp *w, const VmInstr *in, uint32_t lane,
                          Target *out) {
    VmCta *slot_owner = NULL, *bar_owner;
    if (!vm_shared_operand(w, in, lane, 0, in->imm, &slot_owner, &out->slot) ||
        slot_owner != w->cta || out->slot + 16 > w->cta->smem_bytes)
        return bad_address(w, in, lane, slot_cure(w, in, slot_owner),
                           "with an answer slot outside the block's own shared "
                           "memory",
                           slot_help(in));
    if (are_swapped(w, in, lane, out->slot))
        return bad_address(w, in, lane, PART_HERE,
                           "with an mbarrier in place of the answer's slot",
                           "the address of the slot comes first, and that of "
                           "the mbarrier behind it");
    if (out->slot % 16)
        return bad_address(w, in, lane, PART_DECLARE,
                           "with an answer slot that is not aligned to 16 "
                           "bytes",
                           "declare the slot as uint4, or with alignas(16)");
    if (!vm_shared_operand(w, in, lane, 1, in->imm2, &bar_owner,
                           &out->mbarrier) ||
        bar_owner != w->cta)
        return bad_address(w, in, lane, PART_DECLARE,
                           "with an mbarrier outside the block's own shared "
                           "memory",
                           "declare the mbarrier __shared__ in the block that "
                           "asks");
    if (out->mbarrier % 8)
        return bad_address(w, in, lane, PART_DECLARE,
                           "with an mbarrier that is not aligned to 8 bytes",
                           "declare the mbarrier as uint64_t");
    const VmMbarrier *bar = vm_mbarrier_find(w->cta, out->mbarrier);
    if (bar && w->vm->order && !vm_order_initialised(w, lane, bar))
        return bad_address(
            w, in, lane, PART_INIT,
            "with an mbarrier whose init nothing orders before it",
            "put a barrier of the block (__syncthreads()) between "
            "mbarrier.init and the first request of another thread");
    if (!bar)
        return bad_address(
            w, in, lane, PART_INIT,
            "with an mbarrier that nobody has initialised",
            "run mbarrier.init in one thread, and a barrier of the block "
            "(__syncthreads()) before the first request");
    return VM_GO;
}

static void check_after_refusal(VmWarp *w, const VmInstr *in, uint32_t lane) {
    if (!w->cta->clc.observed_refusal)
        return;
    bool fresh;
    Finding *finding = vm_finding(
        w->vm, w, in->loc, RULE_CLC001, FINDING_ERROR, &fresh,
        "%.*s requests a cancellation after its block has observed a refusal",
        STR_ARG(vm_who_lane(w, lane)));
    if (!fresh)
        return;
    vm_related(w->vm, finding, w->cta->clc.refusal_loc,
               "the refusal was observed here");
    bool has_looked = w->clc.saw_refusal >> lane & 1;
    if (has_looked || !w->vm->order || vm_order_was_refused(w, lane)) {
        finding->help = STR("a refusal is final for the block: leave the loop "
                            "and exit; the blocks still pending are launched");
        vm_cure(w->vm, finding, PART_DECODE,
                has_looked ? w->clc.last_look : w->cta->clc.refusal_loc);
        return;
    }
    finding->actual = STR("nothing orders this request before or behind the "
                          "look at that answer");
    finding->help =
        STR("the thread that asks could not know: another one looked in "
            "between. A phase completes with its last arrival: send every "
            "request of a round before that arrival (or arrivals), or let who "
            "looks tell who asks, by a barrier");
    vm_cure(w->vm, finding, PART_HERE, 0);
}

// Often it is the same line that several threads execute.
static void explain_earlier(const VmWarp *w, uint32_t lane,
                            const VmRequest *earlier) {
    Vm *vm = w->vm;
    if (!vm->findings.fault)
        return;
    vm_related(
        vm, vm->findings.fault, earlier->loc,
        "the earlier request, of thread %u of block %.*s, was issued here",
        earlier->thread, VM_BLOCK(vm, earlier->cta));
    if (earlier->cta != w->cta->linear)
        vm->findings.fault->help =
            STR("let one thread of the whole cluster ask: the answer to a "
                "multicast request comes to every block of it");
    else if (earlier->thread != w->index * VM_LANES + lane)
        vm->findings.fault->help =
            STR("let one thread ask (thread_rank() == 0, invoke_one), or give "
                "each thread that asks a slot of its own");
}

static VmNext check_slot(VmWarp *w, const VmInstr *in, uint32_t lane,
                         const VmCta *cta, const VmSlot *slot) {
    bool own = cta == w->cta;
    if (slot->state == SLOT_OBSERVED || (slot->state == SLOT_ANSWERED && !own))
        return VM_GO;
    VmNext next = vm_fault(
        w, in, RULE_CLC010,
        "give each request that is under way a slot of its own, and wait for "
        "it before the slot is used again",
        "%.*s requests a cancellation into a slot of block %.*s whose earlier "
        "answer %s",
        STR_ARG(vm_who_lane(w, lane)), VM_BLOCK(w->vm, cta->linear),
        slot->state == SLOT_IN_FLIGHT ? "is still on its way"
                                      : "nobody has waited for");
    explain_earlier(w, lane, &w->vm->clc.requests[slot->request]);
    return next;
}

static VmNext after_exit(VmWarp *w, const VmInstr *in, uint32_t lane,
                         const VmCta *cta) {
    VmNext next =
        vm_fault(w, in, RULE_CLC003,
                 "leave the loop in all CTAs of the cluster in the same "
                 "iteration: they all receive the same answer",
                 "%.*s issues a multicast request when block %.*s of its "
                 "cluster has exited",
                 STR_ARG(vm_who_lane(w, lane)), VM_BLOCK(w->vm, cta->linear));
    uint32_t exit = vm_learner_loc(w->vm, NULL, cta->exit_loc);
    vm_fault_related(w->vm, exit, "that block left the kernel from here");
    vm_fault_cure(w->vm, PART_DECODE, exit);
    return next;
}

// The rules of a multicast request for one neighbour.
static VmNext check_neighbour(VmWarp *w, const VmInstr *in, uint32_t lane,
                              VmCta *cta, const Target *target) {
    if (cta->exited)
        return after_exit(w, in, lane, cta);
    const VmMbarrier *bar = vm_mbarrier_find(cta, target->mbarrier);
    if (!bar || (w->vm->order && !vm_order_initialised(w, lane, bar)))
        return vm_fault(
            w, in, RULE_CLC011,
            "put a cluster barrier (cluster_group::sync()) between "
            "mbarrier.init and the first request",
            bar ? "%.*s issues a multicast request that nothing "
                  "orders after the mbarrier.init of block %.*s of "
                  "its cluster"
                : "%.*s issues a multicast request before block %.*s "
                  "of its cluster has initialised its mbarrier",
            STR_ARG(vm_who_lane(w, lane)), VM_BLOCK(w->vm, cta->linear));
    return VM_GO;
}

static VmNext check_receiver(VmWarp *w, const VmInstr *in, uint32_t lane,
                             VmCta *cta, const Target *target) {
    VmNext next =
        cta == w->cta ? VM_GO : check_neighbour(w, in, lane, cta, target);
    if (next != VM_GO)
        return next;
    const VmSlot *slot = vm_clc_slot_at(cta, target->slot);
    return slot ? check_slot(w, in, lane, cta, slot) : VM_GO;
}

// What a kernel could need at most, with eight requests under way in each block
// of the grid, and some more.
static bool too_many(const Vm *vm) {
    return vm->clc.request_count >=
           ((size_t)1 << 20) + 8 * vm->shape.cluster_count;
}

static uint32_t request_new(VmWarp *w, const VmInstr *in, uint32_t lane,
                            const Target *target) {
    Vm *vm = w->vm;
    arena_grow(&vm->run_arena, vm->clc.requests, vm->clc.request_count,
               vm->clc.request_capacity);
    uint32_t number = (uint32_t)vm->clc.request_count++;
    vm->clc.requests[number] = (VmRequest){
        .cluster = w->cta->cluster,
        .cta = w->cta->linear,
        .thread = w->index * VM_LANES + lane,
        .rank = w->cta->rank,
        .slot = target->slot,
        .mbarrier = target->mbarrier,
        .loc = vm_learner_loc(vm, w, in->loc),
        .multicast = in->flags != 0,
        .forced_refusal = w->cta->clc.observed_refusal || vm_time_is_wanted(w),
        .granted = VM_NONE};
    w->cta->cluster->in_flight++;
    return number;
}

// The answer comes after what has been done with the slot so far.
static void order_answer(VmWarp *w, const VmInstr *in, uint32_t lane,
                         VmCta *cta, const Target *target,
                         const VmMbarrier *bar) {
    VmAsync answer = {.agent = bar->agent,
                      .time = VM_AGENT_LATER,
                      .is_proxy = true,
                      .is_answer = true};
    vm_shadow_issue(w, in, lane, &(VmWhere){cta, target->slot}, 16, true,
                    &answer);
    vm_race_slot(w->vm, target->slot);
}

// An answer that nobody in the CTA has decoded is lost with this request.
static void note_overwritten(Vm *vm, const VmCta *cta, const VmSlot *slot,
                             uint32_t number) {
    if (!slot->answer)
        return;
    VmRequest *before = &vm->clc.requests[slot->request];
    if (before->slot == slot->offset && before->granted != VM_NONE &&
        !(before->taken >> cta->rank & 1) && !before->overwritten_loc)
        before->overwritten_loc = vm->clc.requests[number].loc;
}

// Counted until a thread has waited for the answer, and not until it has come:
// so a kernel has the same count however quick the answers are.
static void note_in_flight(Vm *vm, const VmCta *cta) {
    Ledger *ledger = &vm->run->ledger;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cta->typed.slot_count; i++)
        count += cta->objects.slots[i].state != SLOT_OBSERVED;
    if (ledger->totals.most_in_flight < count)
        ledger->totals.most_in_flight = count;
}

static VmNext issue(VmWarp *w, const VmInstr *in, uint32_t lane) {
    Vm *vm = w->vm;
    VmCluster *cluster = w->cta->cluster;
    Target target;
    VmNext next = find_target(w, in, lane, &target);
    if (next != VM_GO)
        return next;
    check_after_refusal(w, in, lane);
    bool multicast = in->flags != 0;
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        if (!multicast && cluster->ctas[i] != w->cta)
            continue;
        next = check_receiver(w, in, lane, cluster->ctas[i], &target);
        if (next != VM_GO)
            return next;
    }
    if (too_many(vm))
        return vm_fault(w, in, RULE_LIMIT,
                        "leave the loop on the first refusal: the block will "
                        "not be granted anything any more",
                        "%.*s requests a cancellation; there were %zu requests "
                        "before, for a grid of %u clusters",
                        STR_ARG(vm_who_lane(w, lane)), vm->clc.request_count,
                        vm->shape.cluster_count);
    uint32_t number = request_new(w, in, lane, &target);
    vm->clc.requests[number].time = vm_time_done_at(w, TIMING_REQUEST);
    vm_time_note(w, (DeviceEvent){.kind = DEVICE_EVENT_REQUEST,
                                  .at = target.slot,
                                  .value = number});
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        VmCta *cta = cluster->ctas[i];
        if (!vm_clc_receives(&vm->clc.requests[number], i))
            continue;
        VmSlot *slot = vm_clc_slot(cta, target.slot);
        note_overwritten(vm, cta, slot, number);
        slot->request = number;
        slot->mbarrier = target.mbarrier;
        slot->state = SLOT_IN_FLIGHT;
        VmMbarrier *bar = vm_mbarrier_find(cta, target.mbarrier);
        bar->in_flight++;
        if (vm->order)
            order_answer(w, in, lane, cta, &target, bar);
    }
    note_in_flight(vm, w->cta);
    vm->turns.progress++;
    vm_clc_come_later(vm, EVENT_DECIDE, number);
    return VM_GO;
}

static VmNext op_try_cancel(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        VmNext next = issue(w, in, l);
        if (next != VM_GO)
            return next;
    }
    return VM_GO;
}

void vm_decode_try_cancel(VmDecoder *d) {
    vm_take(d, PTX_MOD_ASYNC);
    vm_take(d, PTX_MOD_SHARED_CTA);
    vm_take(d, PTX_MOD_MBARRIER_COMPLETE_TX_BYTES);
    bool multicast = vm_take(d, PTX_MOD_MULTICAST_CLUSTER_ALL);
    VmRef slot, bar;
    uint64_t slot_imm, bar_imm;
    vm_address(d, 0, &slot, &slot_imm);
    vm_address(d, 1, &bar, &bar_imm);
    VmInstr *in = vm_emit(d, op_try_cancel);
    in->flags = multicast;
    in->space = (uint8_t)ptx_space(d->in);
    in->imm = slot_imm;
    in->imm2 = bar_imm;
    vm_emit_src(d, in, slot);
    vm_emit_src(d, in, bar);
}

// ---- exits ---------------------------------------------------------------

static void report_unwaited(Vm *vm, const VmCta *cta, const VmSlot *slot) {
    const VmRequest *request = &vm->clc.requests[slot->request];
    bool own = request->cta == cta->linear, fresh;
    Finding *finding = vm_finding(
        vm, NULL, request->loc, RULE_CLC004, FINDING_ERROR, &fresh,
        slot->state == SLOT_IN_FLIGHT
            ? "block %.*s exits while the answer of %s is on its way to its "
              "shared memory"
            : "block %.*s exits, and no thread of it has waited for the answer "
              "of %s: it came in time by luck",
        VM_BLOCK(vm, cta->linear),
        own ? "its own request" : "a multicast request");
    if (!fresh)
        return;
    finding->help = STR("wait for every request, and look at its answer, "
                        "before the block exits: an answer may be a grant, "
                        "and then its work is lost");
    vm_related(vm, finding, vm_learner_loc(vm, NULL, cta->exit_loc),
               "the block left the kernel from here");
}

void vm_clc_cta_exited(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    for (uint32_t i = 0; i < cta->typed.slot_count; i++)
        if (cta->objects.slots[i].state != SLOT_OBSERVED)
            report_unwaited(vm, cta, &cta->objects.slots[i]);
}
