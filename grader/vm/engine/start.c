// SPDX-License-Identifier: Apache-2.0
// How clusters start on the SMs: which cluster is next, its CTAs and their
// warps; what a CTA or a warp is initialised with, and what it reuses from its
// predecessor.
#include "vm/engine/engine.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/order/order.h"
#include "vm/time/time.h"
#include "vm/trace/trace.h"
#include "vm/turns/pct.h"
#include "vm/turns/turns.h"
#include "vm/units/clc.h"

uint32_t vm_most_resident(const Vm *vm) {
    return vm_sm_fit(vm) * vm->tuning.sm_count / vm->shape.cluster_size;
}

// Of several, the first from `from` on.
static uint32_t emptiest_sm(const Vm *vm, uint32_t from) {
    uint32_t count = vm->tuning.sm_count, best = from % count;
    for (uint32_t i = 1; i < count && vm->engine.sms[best].ctas; i++) {
        uint32_t at = (from + i) % count;
        if (vm->engine.sms[at].ctas < vm->engine.sms[best].ctas)
            best = at;
    }
    return best;
}

static bool is_late(const Vm *vm, const VmCluster *cluster, uint32_t rank) {
    if (vm->tuning.late_ticks == 0)
        return false;
    uint64_t h = hash_u64(vm->turns.elect_seed ^ cluster->index);
    return cluster->cta_count > 1 ? h % cluster->cta_count == rank : h % 4 == 0;
}

// A CTA is zeroed, except for what it reuses.
static VmCta *cta_new(Vm *vm) {
    VmCta *cta = vm->engine.free_ctas;
    uint32_t warps = vm_warps_of_cta(vm);
    const VmProgram *program = vm->program;
    uint32_t gaps = program->placed_smem - program->static_smem;
    uint32_t bytes = vm->shape.smem_bytes + gaps;
    if (cta) {
        vm->engine.free_ctas = cta->next_free;
        memset(cta->smem, 0, bytes);
        memset(cta, 0, offsetof(VmCta, warps));
    } else {
        cta = heap_alloc(sizeof *cta, 1);
        cta->smem = heap_alloc_lines(bytes + 16u);
        cta->warps = heap_alloc(sizeof *cta->warps, warps);
    }
    vm_work_bytes(vm, WORK_CLEAR, bytes);
    cta->smem_bytes = bytes;
    cta->warp_count = warps;
    cta->threads = cta->live_threads = vm->shape.threads;
    return cta;
}

static void warp_reset(VmWarp *w, VmCta *cta, uint32_t index) {
    Vm *vm = cta->cluster->vm;
    uint32_t first = index * VM_LANES, count = vm->shape.threads - first;
    memset(w, 0, offsetof(VmWarp, memory));
    if (w->copies.used)
        w->copies = (VmWarpCopies){0};
    w->vm = vm;
    w->cta = cta;
    w->index = index;
    w->serial = vm->order ? cta->order.serial * cta->warp_count + index
                          : (uint32_t)vm->run->warps;
    w->live = w->all = count >= VM_LANES ? VM_FULL : (1u << count) - 1;
    w->join_pc = w->turns.ready_at = VM_NONE;
    vm->run->warps++;
    if (vm->tuning.priorities)
        vm_pct_warp(w);
    vm_stack_begin(w);
}

static void cta_start(Vm *vm, VmCluster *cluster, uint32_t rank) {
    VmCta *cta = cta_new(vm);
    uint32_t corner[3], inner[3];
    vm_unlinear(cluster->index, vm->shape.cluster_grid, corner);
    vm_unlinear(rank, vm->shape.cluster_dim, inner);
    for (int axis = 0; axis < 3; axis++)
        cta->id[axis] =
            corner[axis] * vm->shape.cluster_dim[axis] + inner[axis];
    cta->linear = vm_linear(cta->id, vm->shape.grid);
    cta->rank = rank;
    cta->cluster = cluster;
    if (vm->order)
        vm_order_cta_start(cta);
    cta->sm = emptiest_sm(vm, vm->engine.is_one_by_one ? cluster->index : 0);
    vm->engine.sms[cta->sm].ctas++;
    if (is_late(vm, cluster, rank))
        cta->late_until = vm->turns.tick + vm->tuning.late_ticks;
    cluster->ctas[rank] = cta;
    vm_clc_cta_started(cta);
}

// Plans launch events for as many pending clusters as may be live.
void vm_plan_launches(Vm *vm) {
    uint32_t together = vm->engine.together, live = vm->engine.live_clusters;
    uint32_t room = together > live ? together - live : 0;
    vm->engine.alone_since = vm->turns.tick;
    if (vm_time_withholds(vm))
        return;
    while (vm->engine.launches_due < room &&
           vm->engine.launches_due < vm->clc.pending_count) {
        uint64_t delay = rng_below(&vm->turns.rng, vm->tuning.launch_spread);
        vm->engine.launches_due++;
        vm_event_add(vm, vm->turns.tick + delay, EVENT_LAUNCH, 0, 0);
    }
}

// Blocks of a cooperative grid wait for each other at once.
static bool is_one_by_one(const Vm *vm) {
    const DeviceSchedule *schedule = &vm->launch->schedule;
    return schedule->one_by_one && schedule->strategy == STRATEGY_ROUND_ROBIN &&
           !vm->program->asks && !vm->time && !vm->trace &&
           !vm->engine.explorer && !vm->launch->grid_workspace;
}

void vm_first_launches(Vm *vm) {
    vm->engine.is_one_by_one = is_one_by_one(vm);
    vm->engine.together = vm->engine.is_one_by_one ? 1 : vm_most_resident(vm);
    vm_plan_launches(vm);
}

bool vm_may_launch_more(const Vm *vm) {
    return vm->clc.pending_count &&
           (vm->engine.together < vm_most_resident(vm) ||
            vm_time_withholds(vm));
}

bool vm_launch_more(Vm *vm) {
    if (!vm_may_launch_more(vm))
        return false;
    uint32_t most = vm_most_resident(vm), twice = 2 * vm->engine.together;
    vm->engine.together = twice < most ? twice : most;
    if (vm_time_withholds(vm))
        timing_let_go(vm_timing(vm));
    vm_plan_launches(vm);
    return true;
}

void vm_warp_start(VmWarp *w, const VmFunc *entry) {
    w->fragment_count = 1;
    w->fragments[0] = (VmFragment){.mask = w->live};
    vm_frame_push(w, &w->fragments[0], entry, NULL);
    vm_warp_ready(w);
}

void vm_cluster_start(Vm *vm) {
    VmCluster *cluster = vm->engine.free_clusters;
    if (cluster)
        vm->engine.free_clusters = cluster->next_free;
    else
        cluster = heap_alloc(sizeof *cluster, 1);
    uint32_t index =
        vm_clc_take_pending(vm, vm->tuning.launches, &vm->clc.launches);
    vm->clc.cluster_states[index] = LEDGER_LAUNCHED;
    *cluster = (VmCluster){.vm = vm,
                           .index = index,
                           .cta_count = vm->shape.cluster_size,
                           .live_ctas = vm->shape.cluster_size};
    arena_grow(&vm->run_arena, vm->engine.residents, vm->engine.resident_count,
               vm->engine.resident_capacity);
    cluster->resident_at = (uint32_t)vm->engine.resident_count;
    vm->engine.residents[vm->engine.resident_count++] = cluster;
    vm->engine.live_clusters++;
    for (uint32_t rank = 0; rank < cluster->cta_count; rank++)
        cta_start(vm, cluster, rank);
    vm_time_cluster_start(cluster);
    vm_trace_cluster_start(cluster);
    for (uint32_t rank = 0; rank < cluster->cta_count; rank++) {
        VmCta *cta = cluster->ctas[rank];
        for (uint32_t i = 0; i < cta->warp_count; i++) {
            warp_reset(&cta->warps[i], cta, i);
            vm_warp_start(&cta->warps[i], vm->program->entry);
        }
    }
    vm->turns.progress++;
}
