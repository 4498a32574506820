// SPDX-License-Identifier: Apache-2.0
// How lanes, CTAs and clusters exit and are freed.
#include "vm/decode/follow.h"
#include "vm/engine/engine.h"
#include "vm/engine/explore.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/order/order.h"
#include "vm/trace/trace.h"
#include "vm/turns/turns.h"
#include "vm/units/clc.h"
#include "vm/units/units.h"

static void cta_exited(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    cta->exited = true;
    vm_clc_cta_exited(cta);
    vm_ledger_end_chain(cta);
    if (vm->follow)
        vm_follow_cta_exited(cta);
    if (vm->tuning.by_time) // the turn of the last one may end here, too
        for (uint32_t i = 0; i < cta->warp_count; i++)
            vm_warp_unready(&cta->warps[i]);
    vm_time_cta_exit(cta);
    vm_trace_cta_exit(cta);
    vm->engine.sms[cta->sm].ctas--;
    if (--cta->cluster->live_ctas == 0) {
        vm->engine.live_clusters--;
        vm_plan_launches(vm);
    }
}

void vm_lanes_exit(VmWarp *w, uint32_t mask) {
    VmFragment *f = w->frag;
    VmCta *cta = w->cta;
    if (w->vm->follow)
        vm_used_left(w, mask);
    while (f->frame) {
        f->frame->lanes &= ~mask;
        VmFrame *caller = f->frame->caller;
        if (f->frame->lanes == 0)
            vm_frame_free(w, f->frame);
        f->frame = caller;
    }
    w->live &= ~mask;
    cta->live_threads -= vm_count(mask);
    if (w->vm->engine.explorer)
        vm_touch_exit(w, cta->live_threads == 0);
    vm_time_exit(w);
    uint32_t late = 0; // lanes that arrived in the cluster barrier's current
                       // phase
    EACH_LANE(l, mask & w->cluster_arrived) {
        late += w->cluster_phase[l] == cta->cluster->barrier.phase;
    }
    cta->cluster->barrier.arrived -= late;
    w->cluster_arrived &= ~mask;
    vm_fragment_exit(w, f);
    w->vm->turns.progress++;
    if (w->live == 0)
        vm_registers_exit(w);
    vm_barrier_recheck(cta);
    if (cta->live_threads == 0)
        cta_exited(cta);
    vm_cluster_recheck(cta->cluster);
}

static void cta_free(Vm *vm, VmCta *cta) {
    for (uint32_t i = 0; i < cta->warp_count; i++)
        vm_warp_unready(&cta->warps[i]);
    if (vm->order)
        vm_order_cta_end(cta);
    cta->next_free = vm->engine.free_ctas;
    vm->engine.free_ctas = cta;
}

void vm_cluster_release(VmCluster *cluster) {
    Vm *vm = cluster->vm;
    if (cluster->live_ctas || cluster->in_flight)
        return;
    VmCluster *last = vm->engine.residents[--vm->engine.resident_count];
    vm->engine.residents[cluster->resident_at] = last;
    last->resident_at = cluster->resident_at;
    if (vm->order)
        vm_order_cluster_end(cluster);
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        cta_free(vm, cluster->ctas[i]);
    cluster->next_free = vm->engine.free_clusters;
    vm->engine.free_clusters = cluster;
}

static void cta_destroy(VmCta *cta, uint32_t warps) {
    for (uint32_t i = 0; i < warps; i++)
        vm_frames_end(&cta->warps[i]);
    heap_free(cta->warps);
    heap_free(cta->smem);
    heap_free(cta->objects.mbarriers);
    heap_free(cta->objects.slots);
    heap_free(cta->shadow.cells);
    heap_free(cta->shadow.reads);
    heap_free(cta->objects.mbarrier_at);
    heap_free(cta->objects.slot_at);
    heap_free(cta);
}

void vm_launch_free(Vm *vm) {
    uint32_t warps = vm_warps_of_cta(vm);
    for (size_t i = 0; i < vm->engine.resident_count; i++) {
        VmCluster *cluster = vm->engine.residents[i];
        for (uint32_t k = 0; k < cluster->cta_count; k++)
            cta_destroy(cluster->ctas[k], warps);
        heap_free(cluster);
    }
    while (vm->engine.free_ctas) {
        VmCta *next = vm->engine.free_ctas->next_free;
        cta_destroy(vm->engine.free_ctas, warps);
        vm->engine.free_ctas = next;
    }
    while (vm->engine.free_clusters) {
        VmCluster *next = vm->engine.free_clusters->next_free;
        heap_free(vm->engine.free_clusters);
        vm->engine.free_clusters = next;
    }
    heap_free(vm->engine.seen.registers);
    heap_free(vm->engine.counted);
    vm->engine.resident_count = vm->turns.ready_count = vm->turns.event_count =
        0;
}
