// SPDX-License-Identifier: Apache-2.0
// Time and turns: which clusters are on which SMs, which warp runs next, and
// what happens at which tick. Every choice is made from the schedule's seed.
//
// A tick is a warp-instruction executed anywhere. Launches, decisions about
// requests and answers are events at a tick; when no warp can run, time jumps
// to the next event. No event and no warp: waits that may time out do so a few
// times, and if that changes nothing, it is a deadlock.
#include "vm/engine/explore.h"
#include "vm/machine/lanes.h"
#include "vm/order/order.h"
#include "vm/time/time.h"
#include "vm/turns/heap.h"
#include "vm/turns/pct.h"

#include <stddef.h>

enum {
    IDLE_ROUNDS = 4,
    FAIR_TURN = 32,      // newest first: each 32nd turn goes round
    LONG_QUANTUM = 4096, // where nothing is checked
    PLAIN_QUANTUM = 64,
    TIMED_QUANTUM = 16, // where modelled time says who is next
};

// ---- strategies ----------------------------------------------------------

static void tune_random(VmTuning *t, Rng *rng) {
    t->random_order = t->random_elect = true;
    t->quantum_min = 1;
    t->quantum_spread = 1u << (1 + rng_below(rng, 8));
    t->answer_min = (uint32_t)rng_below(rng, 64);
    t->answer_spread = 1u << (4 + rng_below(rng, 9));
    t->launch_spread = 1u << rng_below(rng, 11);
    t->spurious_per_256 = (uint32_t)rng_below(rng, 32);
    t->permute_grants = rng_below(rng, 2) == 0;
    t->late_ticks = rng_below(rng, 4) == 0 ? 4000 : 0;
}

void vm_tuning_choose(Vm *vm, const DeviceSchedule *schedule) {
    VmTuning *t = &vm->tuning;
    Rng rng = rng_stream(schedule->seed, 1);
    *t = (VmTuning){.sm_count = vm->model->sm_count,
                    .quantum_min = PLAIN_QUANTUM,
                    .quantum_spread = 1,
                    .answer_min = 100,
                    .answer_spread = 1,
                    .launch_spread = 1};
    if (schedule->strategy != STRATEGY_ROUND_ROBIN)
        tune_random(t, &rng);
    switch (schedule->strategy) {
    case STRATEGY_ROUND_ROBIN:
    case STRATEGY_ALL_STEAL:
    case STRATEGY_COUNT:
        break;
    case STRATEGY_RANDOM:
        t->refuse_per_256 = (uint32_t)rng_below(&rng, 3) * 24;
        break;
    case STRATEGY_NO_STEAL:
        t->refuse_per_256 = 256;
        break;
    case STRATEGY_REFUSE_EARLY:
        t->refuse_first = 1 + (uint32_t)rng_below(&rng, 8);
        break;
    case STRATEGY_ONE_SM:
        t->sm_count = 1;
        break;
    case STRATEGY_LATE_CTA:
        t->late_ticks = 20000;
        break;
    case STRATEGY_SLOW_ANSWER:
        t->answer_min = 20000;
        break;
    case STRATEGY_PCT:
        t->refuse_per_256 = (uint32_t)rng_below(&rng, 3) * 24;
        t->late_ticks = 0;
        t->priorities = true;
        vm_pct_begin(vm, schedule);
        break;
    }
    if (vm->launch->exploration)
        t->sm_count = 1;
    t->newest_first = !t->random_order && !vm->launch->exploration &&
                      vm->launch->unchecked == UINT64_MAX;
    if (t->newest_first)
        t->quantum_min = LONG_QUANTUM;
    t->by_time = vm->time && !t->random_order && !vm->launch->exploration;
    if (t->by_time) {
        t->quantum_min = TIMED_QUANTUM;
        t->answer_min = 0; // in the order of the requests
        t->newest_first = false;
    }
    t->may_refuse = t->refuse_per_256 || t->refuse_first || vm_time_arrival(vm);
    vm->order_rng = rng_stream(schedule->seed, 2);
    vm->clc_rng = rng_stream(schedule->seed, 3);
    vm->elect_seed = hash_u64(schedule->seed ^ 0xE1EC7);
}

// ---- events --------------------------------------------------------------

static bool event_before(const VmEvent *a, const VmEvent *b) {
    return a->at != b->at ? a->at < b->at : a->serial < b->serial;
}

static void event_swap(VmEvent *a, VmEvent *b) {
    VmEvent t = *a;
    *a = *b;
    *b = t;
}

void vm_event_add(Vm *vm, uint64_t at, VmEventKind kind, uint32_t request) {
    arena_grow(&vm->run_arena, vm->events, vm->event_count, vm->event_capacity);
    VmEvent *heap = vm->events;
    size_t i = vm->event_count++;
    heap[i] = (VmEvent){.at = at,
                        .serial = vm->event_serial++,
                        .kind = kind,
                        .request = request};
    if (vm->explorer) { // a list: each of them may be next
        heap[i].enabled_by = vm->explorer->depth;
        return;
    }
    while (i && event_before(&heap[i], &heap[(i - 1) / 2])) {
        event_swap(&heap[i], &heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    if (vm->tuning.priorities)
        vm->slice_end = 0; // it may be due before the slice would end
}

static VmEvent event_pop(Vm *vm) {
    VmEvent *heap = vm->events, first = heap[0];
    heap[0] = heap[--vm->event_count];
    for (size_t i = 0;;) {
        size_t least = i, child = 2 * i + 1;
        for (size_t k = child; k < child + 2 && k < vm->event_count; k++)
            if (event_before(&heap[k], &heap[least]))
                least = k;
        if (least == i)
            return first;
        event_swap(&heap[i], &heap[least]);
        i = least;
    }
}

// ---- ready warps ---------------------------------------------------------

void vm_warp_ready(VmWarp *w) {
    Vm *vm = w->vm;
    if (w->ready_at != VM_NONE)
        return;
    arena_grow(&vm->run_arena, vm->ready, vm->ready_count, vm->ready_capacity);
    w->ready_at = (uint32_t)vm->ready_count;
    vm->ready[vm->ready_count++] = w;
    if (vm->tuning.priorities)
        vm_pct_added(vm, w);
    if (vm->tuning.by_time) {
        w->priority = ~vm_time_now(w);
        vm_heap_place(vm, w->ready_at);
    }
    if (vm->explorer)
        w->enabled_by = vm->explorer->depth;
}

void vm_warp_unready(VmWarp *w) {
    Vm *vm = w->vm;
    if (w->ready_at == VM_NONE)
        return;
    VmWarp *last = vm->ready[--vm->ready_count];
    size_t at = w->ready_at;
    vm->ready[at] = last;
    last->ready_at = w->ready_at;
    w->ready_at = VM_NONE;
    if ((vm->tuning.priorities || vm->tuning.by_time) && at < vm->ready_count)
        vm_heap_place(vm, at);
}

// The next place in vm->ready by the order of the schedule.
static size_t pick_place(Vm *vm) {
    if (vm->tuning.random_order)
        return rng_below(&vm->order_rng, vm->ready_count);
    if (++vm->cursor >= vm->ready_count)
        vm->cursor = 0;
    return vm->cursor;
}

// The first that could go on in modelled time. Clocks only go forward, so the
// cycle that the heap knows is at most the warp's own.
static VmWarp *pick_earliest(Vm *vm) {
    for (;;) {
        VmWarp *w = vm->ready[0];
        uint64_t priority = ~vm_time_now(w);
        if (priority == w->priority)
            return w;
        w->priority = priority;
        vm_heap_lower(vm, 0);
    }
}

static __attribute__((noinline)) VmWarp *pick_any(Vm *vm) {
    VmWarp *w = NULL;
    for (int tries = 0; tries < 8; tries++) {
        w = vm->ready[pick_place(vm)];
        if (w->cta->late_until <= vm->tick)
            break;
    }
    return w;
}

static VmWarp *pick(Vm *vm) {
    if (vm->tuning.by_time)
        return pick_earliest(vm);
    if (vm->tuning.priorities)
        return vm->ready[0];
    if (vm->tuning.newest_first && ++vm->turns % FAIR_TURN) // none is late
        return vm->ready[vm->ready_count - 1];
    return pick_any(vm);
}

// The schedule has used up its context switches: turns are the plain ones.
static void go_plain(Vm *vm) {
    VmTuning *t = &vm->tuning;
    t->random_order = t->priorities = false;
    t->quantum_min = PLAIN_QUANTUM;
    t->quantum_spread = 1;
    t->spurious_per_256 = 0;
    vm->slice_end = UINT64_MAX;
}

// Whose turn it is.
static VmWarp *next_warp(Vm *vm) {
    const DeviceSchedule *schedule = &vm->launch->schedule;
    VmWarp *w = pick(vm);
    if (w == vm->running)
        return w;
    if (schedule->is_limited && vm->switches == schedule->switches) {
        go_plain(vm);
        w = pick(vm);
    }
    vm->switches += w != vm->running;
    vm->running = w;
    return w;
}

// Newest first: a warp whose turn is over changes places with another one.
static void end_turn(Vm *vm, VmWarp *w) {
    if (!vm->tuning.newest_first || w->ready_at == VM_NONE)
        return;
    if (++vm->cursor >= vm->ready_count)
        vm->cursor = 0;
    VmWarp *other = vm->ready[vm->cursor];
    vm->ready[w->ready_at] = other;
    other->ready_at = w->ready_at;
    vm->ready[vm->cursor] = w;
    w->ready_at = (uint32_t)vm->cursor;
}

// ---- SMs -----------------------------------------------------------------

uint32_t vm_sm_fit(const Vm *vm) {
    const VmModel *m = vm->model;
    uint32_t threads = (vm->threads + VM_LANES - 1) / VM_LANES * VM_LANES;
    uint32_t smem = vm->smem_bytes + m->smem_reserved;
    if (vm->smem_bytes > m->smem_per_cta || threads > m->threads_per_sm)
        return 0;
    uint32_t fit = m->ctas_per_sm;
    if (fit > m->threads_per_sm / threads)
        fit = m->threads_per_sm / threads;
    return smem && fit > m->smem_per_sm / smem ? m->smem_per_sm / smem : fit;
}

static uint32_t most_resident(const Vm *vm) {
    return vm_sm_fit(vm) * vm->tuning.sm_count / vm->cluster_size;
}

static uint32_t emptiest_sm(const Vm *vm) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < vm->tuning.sm_count; i++)
        if (vm->sms[i].ctas < vm->sms[best].ctas)
            best = i;
    return best;
}

// ---- starting a cluster --------------------------------------------------

static VmCta *cta_new(Vm *vm) {
    VmCta *cta = vm->free_ctas;
    uint32_t warps = (vm->threads + VM_LANES - 1) / VM_LANES;
    if (cta) {
        vm->free_ctas = cta->next_free;
        memset(cta->smem, 0, vm->smem_bytes);
        VmCta kept = *cta;
        *cta = (VmCta){.warps = kept.warps,
                       .smem = kept.smem,
                       .mbarriers = kept.mbarriers,
                       .mbarrier_capacity = kept.mbarrier_capacity,
                       .slots = kept.slots,
                       .slot_capacity = kept.slot_capacity,
                       .cells = kept.cells,
                       .cell_count = kept.cell_count,
                       .reads = kept.reads,
                       .mbarrier_at = kept.mbarrier_at,
                       .slot_at = kept.slot_at};
    } else {
        cta = heap_alloc(sizeof *cta, 1);
        cta->smem = heap_alloc_lines(vm->smem_bytes + 16u);
        cta->warps = heap_alloc(sizeof *cta->warps, warps);
    }
    cta->smem_bytes = vm->smem_bytes;
    cta->warp_count = warps;
    cta->threads = cta->live_threads = vm->threads;
    return cta;
}

static void warp_reset(VmWarp *w, VmCta *cta, uint32_t index) {
    Vm *vm = cta->cluster->vm;
    uint32_t first = index * VM_LANES, count = vm->threads - first;
    uint32_t lanes = count >= VM_LANES ? VM_FULL : (1u << count) - 1;
    VmFrame *free_frames = w->free_frames;
    uint8_t *local = w->local;
    uint32_t local_capacity = w->local_capacity, *written = w->written;
    memset(w, 0, offsetof(VmWarp, passed));
    w->vm = vm;
    w->cta = cta;
    w->index = index;
    w->serial = vm->order ? cta->serial * cta->warp_count + index
                          : (uint32_t)vm->run->warps;
    w->live = w->all = lanes;
    w->join_pc = w->ready_at = VM_NONE;
    vm->run->warps++;
    if (vm->tuning.priorities)
        vm_pct_warp(w);
    w->free_frames = free_frames;
    w->local = local;
    w->local_capacity = local_capacity;
    w->written = written; // each call begins its part anew
    if (w->local)
        memset(w->local, 0, (size_t)w->local_capacity * VM_LANES);
}

static bool is_late(const Vm *vm, const VmCluster *cluster, uint32_t rank) {
    if (vm->tuning.late_ticks == 0)
        return false;
    uint64_t h = hash_u64(vm->elect_seed ^ cluster->index);
    return cluster->cta_count > 1 ? h % cluster->cta_count == rank : h % 4 == 0;
}

static void cta_start(Vm *vm, VmCluster *cluster, uint32_t rank) {
    VmCta *cta = cta_new(vm);
    uint32_t corner[3], inner[3];
    vm_unlinear(cluster->index, vm->cluster_grid, corner);
    vm_unlinear(rank, vm->cluster_dim, inner);
    for (int axis = 0; axis < 3; axis++)
        cta->id[axis] = corner[axis] * vm->cluster_dim[axis] + inner[axis];
    cta->linear = vm_linear(cta->id, vm->grid);
    cta->rank = rank;
    cta->cluster = cluster;
    if (vm->order)
        vm_order_cta_start(cta);
    cta->sm = emptiest_sm(vm);
    vm->sms[cta->sm].ctas++;
    if (is_late(vm, cluster, rank))
        cta->late_until = vm->tick + vm->tuning.late_ticks;
    cluster->ctas[rank] = cta;
    vm_clc_cta_started(cta);
}

static void cluster_start(Vm *vm) {
    VmCluster *cluster = vm->free_clusters;
    if (cluster)
        vm->free_clusters = cluster->next_free;
    else
        cluster = heap_alloc(sizeof *cluster, 1);
    uint32_t index = vm_clc_take_pending(vm, false);
    vm->cluster_states[index] = LEDGER_LAUNCHED;
    *cluster = (VmCluster){.vm = vm,
                           .index = index,
                           .cta_count = vm->cluster_size,
                           .live_ctas = vm->cluster_size};
    arena_grow(&vm->run_arena, vm->residents, vm->resident_count,
               vm->resident_capacity);
    cluster->resident_at = (uint32_t)vm->resident_count;
    vm->residents[vm->resident_count++] = cluster;
    vm->live_clusters++;
    for (uint32_t rank = 0; rank < cluster->cta_count; rank++)
        cta_start(vm, cluster, rank);
    vm_time_cluster_start(cluster);
    for (uint32_t rank = 0; rank < cluster->cta_count; rank++) {
        VmCta *cta = cluster->ctas[rank];
        for (uint32_t i = 0; i < cta->warp_count; i++) {
            warp_reset(&cta->warps[i], cta, i);
            vm_warp_start(&cta->warps[i], vm->program->entry);
        }
    }
    vm->progress++;
}

// Launches are due for as many pending clusters as there is room for.
static void plan_launches(Vm *vm) {
    uint32_t room = most_resident(vm) - vm->live_clusters;
    while (vm->launches_due < room && vm->launches_due < vm->pending_count) {
        uint64_t delay = rng_below(&vm->order_rng, vm->tuning.launch_spread);
        vm->launches_due++;
        vm_event_add(vm, vm->tick + delay, EVENT_LAUNCH, 0);
    }
}

// ---- ending --------------------------------------------------------------

static void cta_free(Vm *vm, VmCta *cta) {
    for (uint32_t i = 0; i < cta->warp_count; i++)
        vm_warp_unready(&cta->warps[i]);
    if (vm->order)
        vm_order_cta_end(cta);
    cta->next_free = vm->free_ctas;
    vm->free_ctas = cta;
}

void vm_cta_exited(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    cta->exited = true;
    vm_clc_cta_exited(cta);
    vm_ledger_end_chain(cta);
    if (vm->tuning.by_time) // the last one's turn may end here, too
        for (uint32_t i = 0; i < cta->warp_count; i++)
            vm_warp_unready(&cta->warps[i]);
    vm_time_cta_exit(cta);
    vm->sms[cta->sm].ctas--;
    if (--cta->cluster->live_ctas == 0) {
        vm->live_clusters--;
        plan_launches(vm);
    }
}

void vm_cluster_release(VmCluster *cluster) {
    Vm *vm = cluster->vm;
    if (cluster->live_ctas || cluster->in_flight)
        return;
    VmCluster *last = vm->residents[--vm->resident_count];
    vm->residents[cluster->resident_at] = last;
    last->resident_at = cluster->resident_at;
    if (vm->order)
        vm_order_cluster_end(cluster);
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        cta_free(vm, cluster->ctas[i]);
    cluster->next_free = vm->free_clusters;
    vm->free_clusters = cluster;
}

static void cta_destroy(VmCta *cta, uint32_t warps) {
    for (uint32_t i = 0; i < warps; i++)
        vm_warp_free(&cta->warps[i]);
    heap_free(cta->warps);
    heap_free(cta->smem);
    heap_free(cta->mbarriers);
    heap_free(cta->slots);
    heap_free(cta->cells);
    heap_free(cta->reads);
    heap_free(cta->mbarrier_at);
    heap_free(cta->slot_at);
    heap_free(cta);
}

void vm_launch_free(Vm *vm) {
    uint32_t warps = (vm->threads + VM_LANES - 1) / VM_LANES;
    for (size_t i = 0; i < vm->resident_count; i++) {
        VmCluster *cluster = vm->residents[i];
        for (uint32_t k = 0; k < cluster->cta_count; k++)
            cta_destroy(cluster->ctas[k], warps);
        heap_free(cluster);
    }
    while (vm->free_ctas) {
        VmCta *next = vm->free_ctas->next_free;
        cta_destroy(vm->free_ctas, warps);
        vm->free_ctas = next;
    }
    while (vm->free_clusters) {
        VmCluster *next = vm->free_clusters->next_free;
        heap_free(vm->free_clusters);
        vm->free_clusters = next;
    }
    vm->resident_count = vm->ready_count = vm->event_count = 0;
}

// ---- the main loop -------------------------------------------------------

static void happen(Vm *vm, const VmEvent *event) {
    switch (event->kind) {
    case EVENT_LAUNCH:
        vm->launches_due--;
        if (vm->pending_count)
            cluster_start(vm);
        break;
    case EVENT_DECIDE:
        vm_clc_decide(vm, event->request);
        break;
    case EVENT_ANSWER:
        vm_clc_answer(vm, event->request);
        break;
    case EVENT_COPY:
        vm_copy_event(vm, event->request);
        break;
    }
}

static void handle_events(Vm *vm) {
    while (vm->event_count && vm->events[0].at <= vm->tick && !vm->stopped) {
        VmEvent event = event_pop(vm);
        happen(vm, &event);
    }
}

static bool time_out_waits(Vm *vm) {
    bool any = false;
    for (size_t i = 0; i < vm->resident_count; i++) {
        VmCluster *cluster = vm->residents[i];
        for (uint32_t k = 0; k < cluster->cta_count; k++) {
            VmCta *cta = cluster->ctas[k];
            for (uint32_t n = 0; n < cta->warp_count; n++) {
                VmWarp *w = &cta->warps[n];
                for (uint32_t f = 0; f < w->fragment_count; f++) {
                    if (w->fragments[f].wait != WAIT_MBARRIER)
                        continue;
                    w->fragments[f].wait = WAIT_NONE;
                    w->fragments[f].timed_out = any = true;
                    vm_warp_ready(w);
                }
            }
        }
    }
    return any;
}

// No warp can run. False: that is for ever.
static bool idle(Vm *vm) {
    if (vm->event_count) {
        vm->tick = vm->events[0].at;
        return true;
    }
    if (vm->progress != vm->idle_progress) {
        vm->idle_progress = vm->progress;
        vm->idle_rounds = 0;
    }
    return vm->idle_rounds++ < IDLE_ROUNDS && time_out_waits(vm);
}

static uint32_t slice_length(Vm *vm) {
    const VmTuning *t = &vm->tuning;
    if (t->priorities)
        return vm_pct_slice(vm);
    uint32_t quantum = t->quantum_min;
    if (t->quantum_spread > 1)
        quantum += (uint32_t)rng_below(&vm->order_rng, t->quantum_spread);
    return quantum;
}

static void run_warp(Vm *vm, VmWarp *w, uint32_t quantum) {
    VmCluster *cluster = w->cta->cluster;
    vm_warp_run(w, quantum);
    if (cluster->live_ctas == 0)
        vm_cluster_release(cluster);
    uint64_t steps = vm->thread_instructions + vm->async_bytes / 32;
    if (vm->order) // a spinning kernel learns more at each atomic
        steps += vm->order->clocks.merged;
    if (!vm->stopped && steps > vm->step_limit)
        vm_report_limit(vm);
}

static void run_slice(Vm *vm) {
    VmWarp *w = next_warp(vm);
    uint64_t start = vm->steps;
    run_warp(vm, w, slice_length(vm));
    if (vm->tuning.priorities)
        vm_pct_slice_ended(vm, w, start);
    end_turn(vm, w);
}

// Exhaustive search: the next step of a warp, or an event. False: there is
// none.
static bool run_choice(Vm *vm) {
    VmChoice choice;
    if (!vm_explore_choose(vm, &choice))
        return false;
    if (vm->stopped)
        return true;
    if (choice.warp) {
        vm->slice_end = vm->steps + 1;
        run_warp(vm, choice.warp, LONG_QUANTUM);
        return true;
    }
    VmEvent event = vm->events[choice.event];
    vm->event_count--;
    for (size_t i = choice.event; i < vm->event_count; i++)
        vm->events[i] = vm->events[i + 1];
    vm_touch_event(vm, &event);
    happen(vm, &event);
    return true;
}

void vm_schedule(Vm *vm) {
    vm->run->resident = (uint64_t)most_resident(vm) * vm->cluster_size;
    plan_launches(vm);
    while (!vm->stopped) {
        if (vm->explorer) {
            if (run_choice(vm))
                continue;
        } else {
            handle_events(vm);
        }
        if (vm->stopped)
            break;
        if (vm->ready_count) {
            run_slice(vm);
        } else if (vm->live_clusters == 0 && vm->pending_count == 0 &&
                   vm->copies_in_flight == 0) {
            vm_stop(vm, RUN_DONE);
        } else if (!idle(vm)) {
            vm_report_deadlock(vm);
            vm_stop(vm, RUN_DEADLOCK);
        }
    }
}
