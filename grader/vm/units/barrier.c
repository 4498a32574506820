// SPDX-License-Identifier: Apache-2.0
// Barriers of a CTA (bar, barrier) and of a cluster (barrier.cluster). PTX ISA,
// 9.7.13.1 to 9.7.13.4. Both count threads that have not exited. A thread that
// has arrived waits at the instruction, and passes it when it is woken.
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/order/heard.h"
#include "vm/order/order.h"
#include "vm/trace/trace.h"
#include "vm/turns/turns.h"
#include "vm/units/families.h"
#include "vm/units/units.h"

typedef enum BarrierKind {
    BARRIER_SYNC,
    BARRIER_ARRIVE,
    BARRIER_RED_POPC,
    BARRIER_RED_AND,
    BARRIER_RED_OR,
} BarrierKind;

// ---- of a CTA ------------------------------------------------------------

// Lets a waiting fragment continue. An instruction that only synchronises is
// complete; a reduction is executed again, for its result.
static void barrier_release(VmFragment *f, uint64_t outcome) {
    bool passes = f->phase == BARRIER_SYNC;
    f->phase = outcome;
    f->wait = WAIT_NONE;
    if (passes) {
        f->pc++;
        f->arrived = false;
    }
}

static void note_sync(const VmWarp *w, DeviceEventKind kind) {
    vm_trace_note(w, (DeviceEvent){.kind = kind, .at = DEVICE_EVENT_NONE});
}

static bool is_complete(const VmCta *cta, const VmBarrier *b) {
    return b->arrived &&
           b->arrived >= (b->expected ? b->expected : cta->live_threads);
}

// `loc`: of the last arrival; 0: a thread has exited.
static void barrier_complete(VmCta *cta, uint32_t id, uint32_t loc) {
    VmBarrier *b = &cta->barriers[id];
    Vm *vm = cta->cluster->vm;
    uint64_t outcome = b->pop | (uint64_t)b->arrived << 32, time = b->time;
    if (b->expected == 0)
        vm_time_raise(&time, cta->time.exit);
    VmLesson lesson = {0};
    if (vm->order)
        lesson = vm_order_barrier_done(cta, b);
    *b = (VmBarrier){.before = {b->warps, b->arrived, loc}};
    vm->turns.progress++;
    vm->run->counters.cta_barriers++;
    for (VmWarp *w = cta->warps; w < cta->warps + cta->warp_count; w++) {
        uint32_t lanes = 0;
        for (uint32_t k = 0; k < w->fragment_count; k++) {
            VmFragment *f = &w->fragments[k];
            if (f->wait != WAIT_BARRIER || f->key != id)
                continue;
            barrier_release(f, outcome);
            lanes |= f->mask;
            vm_time_resume(w, time, TIMING_BARRIER);
            note_sync(w, DEVICE_EVENT_SYNC);
            vm_warp_ready(w);
        }
        // All fragments at once, so that their lanes know the same again.
        if (vm->order && lanes)
            vm_order_barrier_learn(w, lanes, &lesson);
    }
    if (vm->order)
        vm_order_barrier_over(vm, &lesson);
}

void vm_barrier_recheck(VmCta *cta) {
    for (uint32_t id = 0; id < VM_NAMED_BARRIERS; id++)
        if (is_complete(cta, &cta->barriers[id]))
            barrier_complete(cta, id, 0);
}

static __attribute__((noinline)) VmNext
barrier_pass(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmFragment *f = w->frag;
    uint32_t pop = (uint32_t)f->phase, arrived = (uint32_t)(f->phase >> 32);
    f->arrived = false;
    switch ((BarrierKind)in->barrier.kind) {
    case BARRIER_SYNC:
    case BARRIER_ARRIVE:
        break;
    case BARRIER_RED_POPC:
        EACH_LANE(l, mask) {
            vm_set_lane_u64(w, in->dst[0], l, pop);
        }
        break;
    case BARRIER_RED_AND:
        vm_set_pred(w, in->dst[0], mask, pop == arrived ? VM_FULL : 0);
        break;
    case BARRIER_RED_OR:
        vm_set_pred(w, in->dst[0], mask, pop ? VM_FULL : 0);
        break;
    }
    return VM_GO;
}

static __attribute__((noinline)) VmNext no_barrier(VmWarp *w, const VmInstr *in,
                                                   uint32_t lane, uint64_t id,
                                                   uint64_t count) {
    return vm_faulted(
        w, in, CASE_SYNC001_NO_BARRIER,
        FACTS(FACT_LANE(w, lane), FACT(NUMBER, id), FACT(COUNT, count)));
}

// src[0]: the barrier; src[1]: the number of threads, if it is given; src[2]:
// the predicate of a reduction.
static VmNext op_barrier(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmFragment *f = w->frag;
    VmNext next;
    if (f->arrived)
        return barrier_pass(w, in, mask);
    if (!vm_warp_is_whole(w, in, mask, &next))
        return next;
    if (in->aligned && (w->all & ~w->live & ~w->left))
        vm_advise_left(w, in, mask);
    VmCta *cta = w->cta;
    uint32_t lane = vm_first(mask);
    uint64_t id = vm_lane_u64(w, in->src[0], lane);
    uint64_t count =
        in->barrier.has_count ? vm_lane_u64(w, in->src[1], lane) : 0;
    if (id >= VM_NAMED_BARRIERS || count % VM_LANES || count > VM_MAX_THREADS ||
        (in->barrier.has_count && count == 0))
        return no_barrier(w, in, lane, id, count);
    VmBarrier *b = &cta->barriers[id];
    b->expected = (uint32_t)count;
    vm_time_arrive(w, &b->time);
    // If the barrier has a thread count, threads are counted by whole warps:
    // lanes that are not live count as arrived, once, with the first lane that
    // is.
    uint32_t gone = count && vm_first(w->live) == lane ? ~w->live : 0;
    b->arrived += vm_count(mask | gone);
    b->warps |= 1u << w->index;
    if (in->barrier.kind >= BARRIER_RED_POPC)
        b->pop += vm_count(mask & vm_pred(w, in->src[2]));
    if (w->vm->order)
        vm_order_barrier_arrive(w, b, mask,
                                in->barrier.kind == BARRIER_ARRIVE ||
                                    (count && count < w->vm->shape.threads));
    w->vm->turns.progress++;
    bool arrives = in->barrier.kind == BARRIER_ARRIVE;
    f->arrived = !arrives;
    if (!arrives)
        vm_wait(w, WAIT_BARRIER, (uint32_t)id, in->barrier.kind);
    bool through = is_complete(cta, b);
    if (through)
        barrier_complete(cta, (uint32_t)id, in->loc);
    return arrives || (through && w->fragment_count == 1 &&
                       !w->vm->tuning.random_order)
               ? VM_GO
               : VM_SWITCH;
}

// ---- of a cluster --------------------------------------------------------

static uint32_t cluster_live(const VmCluster *cluster) {
    uint32_t live = 0;
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        live += cluster->ctas[i]->live_threads;
    return live;
}

// `w` executes the last arrival. NULL: a thread exited.
static void cluster_try(VmCluster *cluster, const VmWarp *w) {
    if (cluster->barrier.arrived == 0 ||
        cluster->barrier.arrived < cluster_live(cluster))
        return;
    if (cluster->vm->order)
        vm_order_cluster_done(cluster, w);
    vm_heard_cluster_done(cluster);
    cluster->barrier.phase++;
    cluster->barrier.arrived = 0;
    cluster->barrier.done = cluster->barrier.time;
    vm_time_raise(&cluster->barrier.done, cluster->exit_time);
    cluster->barrier.time = 0;
    cluster->vm->turns.progress++;
    cluster->vm->run->counters.cluster_barriers++;
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        VmCta *cta = cluster->ctas[i];
        for (uint32_t k = 0; k < cta->warp_count; k++)
            vm_warp_wake(&cta->warps[k], WAIT_CLUSTER, 0);
    }
}

void vm_cluster_recheck(VmCluster *cluster) {
    cluster_try(cluster, NULL);
}

static VmNext op_cluster_arrive(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmCluster *cluster = w->cta->cluster;
    VmNext next;
    if (!vm_warp_is_whole(w, in, mask, &next))
        return next;
    uint32_t twice = mask & w->cluster_arrived;
    if (twice)
        return vm_faulted(w, in, CASE_SYNC003_ARRIVES_TWICE,
                          FACTS(FACT_LANE(w, vm_first(twice))));
    w->cluster_arrived |= mask;
    EACH_LANE(l, mask) {
        w->cluster_phase[l] = cluster->barrier.phase;
    }
    cluster->barrier.arrived += vm_count(mask);
    vm_time_arrive(w, &cluster->barrier.time);
    w->vm->turns.progress++;
    if (w->vm->order)
        vm_order_cluster_arrive(w, in, mask);
    vm_heard_cluster_arrive(w);
    cluster_try(cluster, w);
    return VM_GO;
}

static VmNext op_cluster_wait(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!vm_warp_is_whole(w, in, mask, &next))
        return next;
    uint32_t missing = mask & ~w->cluster_arrived;
    if (missing)
        return vm_faulted(w, in, CASE_SYNC003_HAS_NOT_ARRIVED,
                          FACTS(FACT_LANE(w, vm_first(missing))));
    EACH_LANE(l, mask) {
        if (w->cluster_phase[l] != w->cta->cluster->barrier.phase)
            continue;
        w->frag->together = in->aligned; // for when it is executed again
        return vm_wait(w, WAIT_CLUSTER, 0, 0);
    }
    w->cluster_arrived &= ~mask;
    if (w->vm->order)
        vm_order_cluster_wait(w, mask);
    vm_heard_cluster_wait(w);
    vm_time_resume(w, w->cta->cluster->barrier.done, TIMING_CLUSTER);
    note_sync(w, DEVICE_EVENT_CLUSTER_SYNC);
    return VM_GO;
}

// ---- decoding ------------------------------------------------------------

static BarrierKind barrier_kind(VmDecoder *d) {
    switch ((int)d->in->op) {
    case PTX_OP_BAR_ARRIVE:
    case PTX_OP_BAR_CTA_ARRIVE:
    case PTX_OP_BARRIER_ARRIVE:
    case PTX_OP_BARRIER_CTA_ARRIVE:
        return BARRIER_ARRIVE;
    case PTX_OP_BAR_RED:
    case PTX_OP_BAR_CTA_RED:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_CTA_RED:
        if (vm_take(d, PTX_MOD_POPC))
            return BARRIER_RED_POPC;
        return vm_take(d, PTX_MOD_AND) ? BARRIER_RED_AND : BARRIER_RED_OR;
    default:
        return BARRIER_SYNC;
    }
}

// bar means barrier with .aligned (PTX ISA, "barrier").
static bool is_aligned(VmDecoder *d) {
    uint64_t unwanted = d->vm->launch->unchecked;
    bool aligned = vm_take(d, PTX_MOD_ALIGNED);
    switch ((int)d->in->op) {
    case PTX_OP_BAR_ARRIVE:
    case PTX_OP_BAR_CTA_ARRIVE:
    case PTX_OP_BAR_CTA_RED:
    case PTX_OP_BAR_CTA_SYNC:
    case PTX_OP_BAR_RED:
    case PTX_OP_BAR_SYNC:
        aligned = true;
        break;
    default:
        break;
    }
    return aligned && !(unwanted >> RULE_SYNC002 & 1);
}

static void decode_cta_barrier(VmDecoder *d) {
    BarrierKind kind = barrier_kind(d);
    bool red = kind >= BARRIER_RED_POPC;
    vm_take(d, PTX_MOD_OR);
    uint32_t first = red ? 1 : 0, count = d->in->operand_count - first;
    bool has_count = count > (red ? 2u : 1u);
    VmRef id = vm_src(d, first, 4), threads = id, pred = id, dst = {0};
    if (has_count)
        threads = vm_src(d, first + 1, 4);
    if (red) {
        pred = vm_src(d, d->in->operand_count - 1u, 0);
        dst = vm_dst(d, 0, kind == BARRIER_RED_POPC ? 4 : 0);
    }
    VmInstr *in = vm_emit(d, op_barrier);
    in->closes = !d->in->guard;
    in->aligned = is_aligned(d);
    in->barrier.kind = (uint8_t)kind;
    in->barrier.has_count = has_count;
    vm_emit_src(d, in, id);
    vm_emit_src(d, in, threads);
    if (red) {
        vm_emit_src(d, in, pred);
        vm_emit_dst(d, in, dst);
    }
}

void vm_decode_barrier(VmDecoder *d) {
    vm_take_types(d);
    if (d->in->op != PTX_OP_BARRIER_CLUSTER_ARRIVE &&
        d->in->op != PTX_OP_BARRIER_CLUSTER_WAIT) {
        decode_cta_barrier(d);
        return;
    }
    bool arrives = d->in->op == PTX_OP_BARRIER_CLUSTER_ARRIVE;
    vm_take_order(d, arrives ? SEM_RELEASE : SEM_ACQUIRE, SCOPE_CLUSTER);
    VmInstr *in = vm_emit(d, arrives ? op_cluster_arrive : op_cluster_wait);
    in->aligned = is_aligned(d);
}
