// SPDX-License-Identifier: Apache-2.0
// How vector clocks pass from thread to thread: read order.h and clock.h first.
//
// A release increments the logical time, and publishes the clocks of its lanes
// with an entry for the lanes themselves. Relaxed operations publish what an
// earlier fence has released; what they receive takes effect at a later fence
// (VmFences), as in the release and acquire patterns of the PTX memory model.
// What proxy fences carry over to the async proxy (all views but the generic
// one) is also published by relaxed operations.
#include "vm/order/order.h"

#include "vm/machine/lanes.h"

enum {
    MESSAGES_MAX = 1 << 20,
    AGENTS_MAX = 1 << 26, // VM_AGENT, the number, and a lane share 32 bits
};
#define TIME_MAX (VM_AGENT - 2)

// What fences have done for each lane separately. A lane's own past cannot be
// put in its clock, because the lanes of a warp may share that clock until they
// synchronise.
struct VmFences {
    VmClock *released[SCOPE_COUNT][VM_LANES];
    uint32_t released_at[SCOPE_COUNT][VM_LANES]; // logical time; 0: never
    VmClock *pending[SCOPE_COUNT][VM_LANES];
    uint32_t carried[VIEW_COUNT][VM_LANES]; // a lane's own past before this
                                            // time is carried
};

static VmClocks *clocks_of(const VmWarp *w) {
    return &w->vm->order->clocks;
}

static void set(VmClocks *clocks, VmClock **at, VmClock *clock) {
    vm_clock_drop(clocks, *at);
    *at = clock;
}

static void join_into(VmClocks *clocks, VmClock **at, VmClock *more) {
    set(clocks, at, vm_clock_join(clocks, *at, more));
}

// ---- what a thread knows -------------------------------------------------

static void set_apart(VmWarp *w) {
    if (w->order.known_apart)
        return;
    for (uint32_t l = 1; l < VM_LANES; l++)
        w->known[l] = vm_clock_keep(w->known[0]);
    w->order.known_apart = true;
}

// All live lanes know the same: goes back to one shared clock.
static void set_together(VmWarp *w) {
    uint32_t first = vm_first(w->live);
    EACH_LANE(l, w->live) {
        if (w->known[l] != w->known[first])
            return;
    }
    VmClock *clock = vm_clock_keep(w->known[first]);
    for (uint32_t l = 0; l < VM_LANES; l++)
        set(clocks_of(w), &w->known[l], NULL);
    w->known[0] = clock;
    w->order.known_apart = false;
}

static void see_cta(VmWarp *w) {
    if (!w->order.known_apart)
        w->order.cta_before =
            vm_clock_cta(clocks_of(w), w->known[0], w->cta->order.serial);
}

void vm_order_learn(VmWarp *w, uint32_t lanes, VmClock *clock) {
    VmClocks *clocks = clocks_of(w);
    lanes &= w->live;
    if (!clock || !lanes)
        return;
    if (!w->order.known_apart && lanes == w->live) {
        join_into(clocks, &w->known[0], clock);
        see_cta(w);
        return;
    }
    set_apart(w);
    VmClock *last = NULL, *joined = NULL; // lanes often know the same
    EACH_LANE(l, lanes) {
        if (!joined || w->known[l] != last) {
            set(clocks, &last, vm_clock_keep(w->known[l]));
            set(clocks, &joined, vm_clock_join(clocks, last, clock));
        }
        set(clocks, &w->known[l], vm_clock_keep(joined));
    }
    set(clocks, &last, NULL);
    set(clocks, &joined, NULL);
    if (lanes == w->live)
        set_together(w);
    see_cta(w);
}

uint32_t vm_order_step(Vm *vm) {
    VmOrder *o = vm->order;
    if (o->time < TIME_MAX)
        return ++o->time;
    vm_order_lost(vm, WORD_RECORDS_SYNCHRONISATIONS);
    return o->time;
}

uint32_t vm_order_agents(Vm *vm, uint32_t count) {
    VmOrder *o = vm->order;
    if (o->agents > AGENTS_MAX - count) {
        vm_order_lost(vm, WORD_RECORDS_SYNCHRONISATIONS);
        o->agents = o->first_agent;
    }
    o->agents += count;
    return o->agents - count;
}

// The union of what the lanes know.
static VmClock *learnt_by(VmWarp *w, uint32_t lanes) {
    if (!w->order.known_apart)
        return vm_clock_keep(w->known[0]);
    VmClocks *clocks = clocks_of(w);
    VmClock *all = NULL;
    const VmClock *last = NULL; // lanes often know the same
    EACH_LANE(l, lanes) {
        if (w->known[l] != last)
            join_into(clocks, &all, w->known[l]);
        last = w->known[l];
    }
    return all;
}

static VmKnown entry_of(const VmWarp *w, VmView view, uint32_t lanes,
                        uint32_t time) {
    return (VmKnown){vm_known_key(view, KNOWN_WARP, w->serial), lanes, time};
}

// Adds entries "before times[l]" in a view for the lanes, latest first.
static size_t add_entries(const VmWarp *w, VmView view, uint32_t lanes,
                          const uint32_t *times, VmKnown *out) {
    size_t count = 0;
    for (uint32_t rest = lanes; rest;) {
        uint32_t latest = 0, group = 0;
        EACH_LANE(l, rest) {
            if (times[l] > latest)
                group = 0, latest = times[l];
            group |= (uint32_t)(times[l] == latest) << l;
        }
        if (latest)
            out[count++] = entry_of(w, view, group, latest);
        rest = latest ? rest & ~group : 0;
    }
    return count;
}

static VmClock *and_entries(VmClocks *clocks, VmClock *clock,
                            const VmKnown *known, size_t count) {
    if (!count)
        return clock;
    VmClock *more = vm_clock_with(clocks, clock, known, count);
    vm_clock_drop(clocks, clock);
    return more;
}

static VmClock *and_entry(VmClocks *clocks, VmClock *clock, VmKnown known) {
    return and_entries(clocks, clock, &known, 1);
}

// What a release publishes: a clock, and entries for the lanes themselves,
// sorted by key. They are apart, so that a release that repeats itself (of a
// thread that polls by atomics) finds its clock in the cache of joins.
typedef struct Release {
    VmClock *clock;
    size_t count;
    VmKnown own[(VIEW_COUNT + 1) * VM_LANES];
} Release;

// Adds what proxy fences have carried over of the lanes' own past.
static void add_carried(const VmWarp *w, uint32_t lanes, Release *r) {
    for (int v = VIEW_HALF; w->order.fences && v < VIEW_COUNT; v++)
        r->count += add_entries(w, (VmView)v, lanes,
                                w->order.fences->carried[v], r->own + r->count);
}

static VmClock *known_to(VmWarp *w, uint32_t lanes) {
    Release r = {.clock = learnt_by(w, lanes)};
    add_carried(w, lanes, &r);
    return and_entries(clocks_of(w), r.clock, r.own, r.count);
}

static void release_all(VmWarp *w, uint32_t lanes, uint32_t time, Release *r) {
    r->clock = learnt_by(w, lanes);
    r->own[0] = entry_of(w, VIEW_GENERIC, lanes, time);
    r->count = 1;
    add_carried(w, lanes, r);
}

static VmClock *release(VmWarp *w, uint32_t lanes, uint32_t time) {
    Release r;
    release_all(w, lanes, time, &r);
    return and_entries(clocks_of(w), r.clock, r.own, r.count);
}

uint32_t vm_order_carried(const VmWarp *w, VmView view, uint32_t lane) {
    return w->order.fences ? w->order.fences->carried[view][lane] : 0;
}

// ---- fences --------------------------------------------------------------

static struct VmFences *fences_of(VmWarp *w) {
    if (!w->order.fences)
        w->order.fences = heap_alloc(sizeof *w->order.fences, 1);
    return w->order.fences;
}

void vm_order_fences_end(VmWarp *w) {
    if (!w->order.fences)
        return;
    for (int s = 0; s < SCOPE_COUNT; s++)
        for (uint32_t l = 0; l < VM_LANES; l++) {
            set(clocks_of(w), &w->order.fences->released[s][l], NULL);
            set(clocks_of(w), &w->order.fences->pending[s][l], NULL);
        }
    heap_free(w->order.fences);
    w->order.fences = NULL;
}

static uint32_t with_same(VmClock *const *of_lanes, uint32_t lanes,
                          const VmClock *clock) {
    uint32_t same = 0;
    EACH_LANE(l, lanes) {
        same |= (uint32_t)(of_lanes[l] == clock) << l;
    }
    return same;
}

static void learn_pending(VmWarp *w, uint32_t lanes, VmScope scope) {
    if (!w->order.fences)
        return;
    VmClock **pending = w->order.fences->pending[scope];
    while (lanes) {
        VmClock *clock = pending[vm_first(lanes)];
        uint32_t same = with_same(pending, lanes, clock);
        lanes &= ~same;
        vm_order_learn(w, same, clock);
        if (clock)
            EACH_LANE(l, same) {
                set(clocks_of(w), &pending[l], NULL);
            }
    }
}

void vm_order_fence(VmWarp *w, const VmInstr *in, uint32_t lanes) {
    VmClocks *clocks = clocks_of(w);
    VmScope scope = (VmScope)in->scope;
    struct VmFences *fences = fences_of(w);
    if (in->sem != SEM_RELEASE)
        learn_pending(w, lanes, scope);
    if (in->sem == SEM_ACQUIRE)
        return;
    uint32_t time = vm_order_step(w->vm);
    EACH_LANE(l, lanes) {
        for (int s = 0; s <= (int)scope; s++) {
            set(clocks, &fences->released[s][l], vm_clock_keep(vm_known(w, l)));
            fences->released_at[s][l] = time;
        }
    }
}

// What a relaxed operation at `scope` publishes.
static void release_fenced(VmWarp *w, uint32_t lanes, VmScope scope,
                           Release *r) {
    VmClocks *clocks = clocks_of(w);
    const VmClock *last = NULL; // lanes often know the same
    r->clock = NULL;
    r->count = 0;
    EACH_LANE(l, lanes) {
        if (w->order.fences)
            join_into(clocks, &r->clock, w->order.fences->released[scope][l]);
        if (vm_known(w, l) == last)
            continue;
        last = vm_known(w, l);
        VmClock *views =
            vm_clock_views(clocks, vm_known(w, l), VIEW_HALF, VIEW_INIT);
        join_into(clocks, &r->clock, views);
        vm_clock_drop(clocks, views);
    }
    if (!w->order.fences)
        return;
    r->count = add_entries(w, VIEW_GENERIC, lanes,
                           w->order.fences->released_at[scope], r->own);
    add_carried(w, lanes, r);
}

static VmClock *release_relaxed(VmWarp *w, uint32_t lanes, VmScope scope) {
    Release r;
    release_fenced(w, lanes, scope, &r);
    return and_entries(clocks_of(w), r.clock, r.own, r.count);
}

static bool releases(VmSem sem) {
    return sem == SEM_RELEASE || sem == SEM_ACQ_REL;
}

static bool acquires(VmSem sem) {
    return sem == SEM_ACQUIRE || sem == SEM_ACQ_REL;
}

// A lane receives what was released: now, or at its next fence whose scope is
// at least `scope`.
static void receive(VmWarp *w, uint32_t lanes, VmClock *clock, bool now,
                    VmScope scope) {
    if (now) {
        vm_order_learn(w, lanes, clock);
        return;
    }
    if (!clock)
        return;
    struct VmFences *fences = fences_of(w);
    for (int s = (int)scope; s < SCOPE_COUNT; s++) {
        VmClock **pending = fences->pending[s];
        EACH_LANE(l, lanes & ~with_same(pending, lanes, clock)) {
            join_into(clocks_of(w), &pending[l], clock);
        }
    }
}

// ---- fences between proxies ----------------------------------------------

// Adds to view `to` of a lane what it knows in view `from` (about its own CTA
// only, or about all), and its own past.
static void carry(VmWarp *w, uint32_t lanes, uint32_t time, VmView from,
                  VmView to, uint32_t cta) {
    VmClocks *clocks = clocks_of(w);
    uint32_t(*carried)[VM_LANES] = fences_of(w)->carried;
    VmClock *known = learnt_by(w, lanes);
    VmClock *more = vm_clock_copy_view(clocks, known, from, to, cta);
    vm_clock_drop(clocks, known);
    vm_order_learn(w, lanes, more);
    vm_clock_drop(clocks, more);
    EACH_LANE(l, lanes) {
        uint32_t until = from == VIEW_GENERIC ? time : carried[from][l];
        if (carried[to][l] < until)
            carried[to][l] = until;
    }
}

// Views that relaxed operations have received take effect at a proxy fence.
static void learn_pending_views(VmWarp *w, uint32_t lane) {
    for (int s = 0; w->order.fences && s < SCOPE_COUNT; s++) {
        VmClock *pending = w->order.fences->pending[s][lane];
        if (!pending)
            continue;
        VmClock *views =
            vm_clock_views(clocks_of(w), pending, VIEW_HALF, VIEW_INIT);
        vm_order_learn(w, 1u << lane, views);
        vm_clock_drop(clocks_of(w), views);
    }
}

VmView vm_order_reach_view(VmFenceReach reach) {
    if (reach.space == PTX_SPACE_GENERIC)
        return VIEW_FENCE_ALL;
    return reach.is_cluster ? VIEW_FENCE_CLUSTER : VIEW_FENCE_CTA;
}

static void fence_proxies(VmWarp *w, uint32_t lanes, uint32_t time,
                          VmProxyFence kind, VmFenceReach reach) {
    uint32_t own = w->cta->order.serial;
    switch (kind) {
    case FENCE_FULL:
        if (reach.space != PTX_SPACE_GLOBAL) {
            carry(w, lanes, time, VIEW_HALF, VIEW_SHARED, VM_CLOCK_ALL);
            carry(w, lanes, time, VIEW_GENERIC, VIEW_SHARED, own);
            carry(w, lanes, time, VIEW_GENERIC, vm_order_reach_view(reach),
                  VM_CLOCK_ALL);
        }
        if (reach.space != PTX_SPACE_SHARED)
            carry(w, lanes, time, VIEW_GENERIC, VIEW_GLOBAL, VM_CLOCK_ALL);
        break;
    case FENCE_RELEASE:
        carry(w, lanes, time, VIEW_GENERIC, VIEW_HALF, own);
        break;
    case FENCE_ACQUIRE:
        carry(w, lanes, time, VIEW_HALF, VIEW_SHARED, VM_CLOCK_ALL);
        break;
    case FENCE_INIT:
        carry(w, lanes, time, VIEW_GENERIC, VIEW_INIT, own);
        break;
    }
}

void vm_order_proxy_fence(VmWarp *w, uint32_t lanes, VmProxyFence kind,
                          VmFenceReach reach) {
    uint32_t time = vm_order_step(w->vm); // shared by all lanes, so that their
                                          // entries join
    EACH_LANE(l, lanes) {
        learn_pending_views(w, l);
    }
    if (!w->order.known_apart) {
        fence_proxies(w, lanes, time, kind, reach);
        return;
    }
    EACH_LANE(l, lanes) {
        fence_proxies(w, 1u << l, time, kind, reach);
    }
}

void vm_order_half(VmWarp *w, uint32_t lanes, VmProxyFence kind, uint32_t loc) {
    VmHalf *released = &w->order.released, *acquired = &w->order.acquired;
    released->lanes &= ~lanes;
    acquired->lanes &= ~lanes;
    VmHalf *half = kind == FENCE_RELEASE ? released : acquired;
    half->lanes |= lanes;
    half->loc = loc;
}

void vm_order_full(VmWarp *w, uint32_t lanes, VmFenceReach reach,
                   uint32_t loc) {
    if (reach.space == PTX_SPACE_GLOBAL)
        return;
    w->order.full = (VmHalf){lanes, loc};
    w->order.full_view = (uint8_t)vm_order_reach_view(reach);
}

// The narrowest scope that contains both CTAs.
static VmScope scope_of(const VmWarp *w, uint32_t cta) {
    uint32_t size = clocks_of(w)->ctas_per_cluster;
    if (cta == w->cta->order.serial)
        return SCOPE_CTA;
    return cta / size == w->cta->order.serial / size ? SCOPE_CLUSTER
                                                     : SCOPE_GPU;
}

bool vm_order_is_pending(const VmWarp *w, uint32_t lane, uint32_t who,
                         uint32_t time) {
    return w->order.fences &&
           vm_clock_knows(clocks_of(w),
                          w->order.fences->pending[SCOPE_COUNT - 1][lane],
                          VIEW_GENERIC, who, time);
}

bool vm_order_has_acquired(const VmWarp *w, uint32_t lane, uint32_t who,
                           const VmInstr *look, uint32_t since) {
    VmScope least = scope_of(w, (who >> 5) / clocks_of(w)->warps_per_cta);
    bool by_look = acquires((VmSem)look->sem) && (VmScope)look->scope >= least;
    return by_look || (w->order.fences &&
                       w->order.fences->released_at[least][lane] > since);
}

// ---- barriers ------------------------------------------------------------

void vm_order_warp_sync(VmWarp *w, uint32_t lanes) {
    VmClock *clock = release(w, lanes, vm_order_step(w->vm));
    vm_order_learn(w, lanes, clock);
    vm_clock_drop(clocks_of(w), clock);
}

void vm_order_barrier_arrive(VmWarp *w, VmBarrier *b, uint32_t lanes,
                             bool in_parts) {
    VmClocks *clocks = clocks_of(w);
    if (!in_parts && !w->order.fences && !w->order.known_apart && b->clock &&
        w->known[0] == b->clock)
        return; // threads that arrived earlier knew the same
    learn_pending(w, lanes, SCOPE_CTA);
    VmClock *clock =
        in_parts ? release(w, lanes, vm_order_step(w->vm)) : known_to(w, lanes);
    b->in_parts |= in_parts;
    join_into(clocks, &b->clock, clock);
    vm_clock_drop(clocks, clock);
}

VmLesson vm_order_barrier_done(VmCta *cta, const VmBarrier *b) {
    Vm *vm = cta->cluster->vm;
    VmLesson lesson = {.arrived = b->clock};
    if (b->in_parts) {
        lesson.clock = vm_clock_keep(b->clock);
        return lesson;
    }
    lesson.before = vm_order_step(vm);
    VmKnown all = {vm_known_key(VIEW_GENERIC, KNOWN_CTA, cta->order.serial),
                   VM_FULL, lesson.before};
    lesson.clock = vm_clock_with(&vm->order->clocks, b->clock, &all, 1);
    return lesson;
}

void vm_order_barrier_learn(VmWarp *w, uint32_t lanes, const VmLesson *lesson) {
    bool knew_no_more = !w->order.known_apart && lanes == w->live &&
                        w->known[0] == lesson->arrived && lesson->before;
    if (!knew_no_more) {
        vm_order_learn(w, lanes, lesson->clock);
        return;
    }
    set(clocks_of(w), &w->known[0], vm_clock_keep(lesson->clock));
    w->order.cta_before = lesson->before;
}

void vm_order_barrier_over(Vm *vm, VmLesson *lesson) {
    vm_clock_drop(&vm->order->clocks, lesson->arrived);
    vm_clock_drop(&vm->order->clocks, lesson->clock);
}

// What relaxed arrivals pass on: what fences have released to the cluster, and
// that the threads have met (VIEW_MET).
static VmClock *meet(VmWarp *w, uint32_t lanes, uint32_t time) {
    VmClocks *clocks = clocks_of(w);
    VmClock *clock = release_relaxed(w, lanes, SCOPE_CLUSTER);
    VmClock *known = learnt_by(w, lanes);
    VmClock *met = vm_clock_views(clocks, known, VIEW_MET, VIEW_MET);
    join_into(clocks, &clock, met);
    set(clocks, &met,
        vm_clock_copy_view(clocks, known, VIEW_GENERIC, VIEW_MET,
                           VM_CLOCK_ALL));
    join_into(clocks, &clock, met);
    vm_clock_drop(clocks, met);
    vm_clock_drop(clocks, known);
    return and_entry(clocks, clock, entry_of(w, VIEW_MET, lanes, time));
}

void vm_order_cluster_arrive(VmWarp *w, const VmInstr *in, uint32_t lanes) {
    VmClocks *clocks = clocks_of(w);
    VmCluster *cluster = w->cta->cluster;
    bool relaxed = in->sem == SEM_RELAXED;
    learn_pending(w, lanes, SCOPE_CLUSTER);
    uint32_t time = vm_order_step(w->vm);
    VmClock *clock = relaxed ? meet(w, lanes, time) : known_to(w, lanes);
    if (relaxed && w->order.fences) {
        VmClock *here = release_relaxed(w, lanes, SCOPE_CTA);
        join_into(clocks, &w->cta->order.arrived, here);
        vm_clock_drop(clocks, here);
    }
    EACH_LANE(l, lanes) {
        w->cluster_at[l] = relaxed ? 0 : time;
    }
    cluster->barrier.is_relaxed |= relaxed;
    join_into(clocks, &cluster->barrier.clock, clock);
    vm_clock_drop(clocks, clock);
}

// True if the whole warp waits at the barrier, right behind its arrival, so
// that it has done nothing since.
static bool stands(const VmWarp *w, const VmWarp *arriving) {
    uint32_t lanes = w == arriving ? w->frag->mask : 0;
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        const VmFragment *f = &w->fragments[i];
        const VmInstr *code = f->frame->func->code;
        if (f->wait == WAIT_CLUSTER && f->pc > 0 &&
            code[f->pc - 1].op == PTX_OP_BARRIER_CLUSTER_ARRIVE)
            lanes |= f->mask;
    }
    return (w->live & ~lanes) == 0;
}

// Adds entries for the arrivals of one CTA: a single entry if it is true for
// the whole CTA.
static VmClock *add_arrivals(VmClocks *clocks, VmClock *clock, VmCta *cta,
                             const VmWarp *arriving, uint32_t now) {
    bool all = true, is_relaxed = cta->cluster->barrier.is_relaxed;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        all = all && stands(&cta->warps[i], arriving);
    if (all)
        clock = and_entry(
            clocks, clock,
            (VmKnown){vm_known_key(is_relaxed ? VIEW_MET : VIEW_GENERIC,
                                   KNOWN_CTA, cta->order.serial),
                      VM_FULL, now});
    if (all && !is_relaxed)
        return clock;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        const VmWarp *w = &cta->warps[i];
        EACH_LANE(l, w->cluster_arrived) {
            if (w->cluster_at[l])
                clock = and_entry(
                    clocks, clock,
                    entry_of(w, VIEW_GENERIC, 1u << l, w->cluster_at[l]));
        }
    }
    return clock;
}

void vm_order_cluster_done(VmCluster *cluster, const VmWarp *w) {
    VmClocks *clocks = &cluster->vm->order->clocks;
    uint32_t now = vm_order_step(cluster->vm);
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        VmCta *cta = cluster->ctas[i];
        if (cta->exited)
            continue;
        cluster->barrier.clock =
            add_arrivals(clocks, cluster->barrier.clock, cta, w, now);
        set(clocks, &cta->order.over, cta->order.arrived);
        cta->order.arrived = NULL;
    }
    set(clocks, &cluster->barrier.over, cluster->barrier.clock);
    cluster->barrier.clock = NULL;
    cluster->barrier.was_relaxed = cluster->barrier.is_relaxed;
    cluster->barrier.over_at = now;
    cluster->barrier.is_relaxed = false;
}

void vm_order_cluster_wait(VmWarp *w, uint32_t lanes) {
    vm_order_learn(w, lanes, w->cta->cluster->barrier.over);
    vm_order_learn(w, lanes, w->cta->order.over);
}

// ---- locations -----------------------------------------------------------

static uint64_t location(const VmWhere *where) {
    return where->cta
               ? UINT64_C(1) << 63 |
                     (uint64_t)where->cta->order.serial << VM_RANK_SHIFT |
                     where->offset
               : where->offset;
}

static VmMessage *slot_of(VmMessage *table, size_t room, uint64_t key) {
    size_t i = hash_u64(key) & (room - 1);
    while (table[i].key && table[i].key != key)
        i = (i + 1) & (room - 1);
    return &table[i];
}

static void grow_messages(VmOrder *o) {
    size_t room = o->message_room ? o->message_room * 2 : 64;
    VmMessage *table = heap_alloc(sizeof *table, room);
    for (size_t i = 0; i < o->message_room; i++)
        if (o->messages[i].key)
            *slot_of(table, room, o->messages[i].key) = o->messages[i];
    heap_free(o->messages);
    o->messages = table;
    o->message_room = room;
}

static size_t messages_most(const Vm *vm) {
    uint64_t bytes = vm->launch->records_most;
    return bytes && bytes / sizeof(VmMessage) < MESSAGES_MAX
               ? (size_t)(bytes / sizeof(VmMessage))
               : MESSAGES_MAX;
}

// The message at a location. NULL: nothing was released there, and `make` is
// false or there is no room for more.
static VmMessage *message_at(Vm *vm, uint64_t key, bool make) {
    VmOrder *o = vm->order;
    if (make && o->message_count * 2 >= o->message_room)
        grow_messages(o);
    if (!o->message_room)
        return NULL;
    VmMessage *m = slot_of(o->messages, o->message_room, key);
    if (m->key || !make)
        return m->key ? m : NULL;
    if (o->message_count >= messages_most(vm)) {
        vm_order_lost(vm, WORD_RECORDS_RELEASES);
        return NULL;
    }
    o->message_count++;
    m->key = key;
    return m;
}

static void read_message(VmWarp *w, const VmInstr *in, uint32_t lanes,
                         const VmMessage *m) {
    VmScope least = scope_of(w, m->cta);
    if ((VmScope)in->scope >= least)
        receive(w, lanes, m->clocks[least], acquires((VmSem)in->sem), least);
}

// Keeps what was released here before (a read-modify-write continues the
// release sequence of what it read), as far as it is visible from the new
// writer's CTA.
static void keep_message(VmWarp *w, VmMessage *m) {
    VmClocks *clocks = clocks_of(w);
    VmScope least = scope_of(w, m->cta);
    for (int s = 0; s < (int)least; s++)
        set(clocks, &m->clocks[s], vm_clock_keep(m->clocks[least]));
}

// The time of a release by a lane of the running instruction. Its lanes release
// at one time, so that their entries become one; the time begins when all have
// made their accesses.
static uint32_t release_time(Vm *vm) {
    VmOrder *o = vm->order;
    if (!o->lanes_together)
        return vm_order_step(vm);
    o->release_due = true;
    return o->time + 1;
}

void vm_order_lanes_begin(Vm *vm, const VmInstr *in) {
    if (!vm->order)
        return;
    vm_order_store(vm, in);
    vm->order->lanes_together = true;
}

void vm_order_lanes_end(Vm *vm) {
    VmOrder *o = vm->order;
    if (!o)
        return;
    if (o->release_due)
        vm_order_step(vm);
    o->lanes_together = o->release_due = false;
}

// True if a lane publishes the same at this scope as at the next narrower one.
static bool publishes_alike(const VmWarp *w, const VmInstr *in, uint32_t lane,
                            int scope) {
    const struct VmFences *f = w->order.fences;
    if (scope == 0)
        return false;
    if (releases((VmSem)in->sem) && scope - 1 <= (int)in->scope)
        return scope <= (int)in->scope;
    return !f ||
           (f->released[scope][lane] == f->released[scope - 1][lane] &&
            f->released_at[scope][lane] == f->released_at[scope - 1][lane]);
}

static void publish(VmClocks *clocks, VmClock **at, const Release *r,
                    bool adds) {
    if (adds)
        join_into(clocks, at, r->clock);
    else
        set(clocks, at, vm_clock_keep(r->clock));
    *at = and_entries(clocks, *at, r->own, r->count);
}

static void write_message(VmWarp *w, const VmInstr *in, uint32_t lane,
                          VmMessage *m, bool adds) {
    VmClocks *clocks = clocks_of(w);
    uint32_t time = releases((VmSem)in->sem) ? release_time(w->vm) : 0;
    const VmClock *narrower = NULL; // what was there at the scope before
    if (adds)
        keep_message(w, m);
    m->cta = w->cta->order.serial;
    for (int s = 0; s < SCOPE_COUNT; s++) {
        const VmClock *here = m->clocks[s];
        if (s > (int)in->scope) { // nobody so far away may read it
            set(clocks, &m->clocks[s], NULL);
        } else if (publishes_alike(w, in, lane, s) && (!adds || here == narrower)) {
            set(clocks, &m->clocks[s], vm_clock_keep(m->clocks[s - 1]));
        } else {
            Release r;
            if (time && s <= (int)in->scope)
                release_all(w, 1u << lane, time, &r);
            else
                release_fenced(w, 1u << lane, (VmScope)s, &r);
            publish(clocks, &m->clocks[s], &r, adds);
            vm_clock_drop(clocks, r.clock);
        }
        narrower = here;
    }
}

void vm_order_strong(VmWarp *w, const VmInstr *in, uint32_t lanes,
                     const VmWhere *where, VmAccess access) {
    if (in->sem == SEM_WEAK)
        return;
    uint64_t key = location(where);
    VmMessage *m = message_at(w->vm, key, false);
    if (m && access != ACCESS_WRITE)
        read_message(w, in, lanes, m);
    if (access == ACCESS_READ)
        return;
    uint32_t lane = vm_first(lanes);
    bool has_released = releases((VmSem)in->sem) || w->order.fences ||
                        (m && access == ACCESS_WRITE);
    VmClock *known = vm_known(w, lane);
    bool has_views = known && known->known[known->count - 1].key >> 40;
    if (!has_released && !has_views)
        return;
    m = message_at(w->vm, key, true);
    if (m)
        write_message(w, in, lane, m, access == ACCESS_ATOMIC);
}

// ---- mbarriers -----------------------------------------------------------

void vm_order_mbarrier_init(VmWarp *w, uint32_t lane, VmMbarrier *bar) {
    VmOrder *o = w->vm->order;
    bar->clocks.init_who = vm_who(w, lane);
    bar->clocks.init_time = o->time;
    bar->clocks.agent = vm_order_agents(w->vm, 1);
}

// True if what thread `who` did at `time` is ordered before what this lane does
// now.
static bool is_behind(const VmWarp *w, uint32_t lane, uint32_t who,
                      uint32_t time) {
    VmClocks *clocks = clocks_of(w);
    return who == vm_who(w, lane) ||
           (time < w->order.cta_before &&
            (who >> 5) / clocks->warps_per_cta == w->cta->order.serial) ||
           vm_clock_knows(clocks, vm_known(w, lane), VIEW_GENERIC, who, time);
}

bool vm_order_initialised(const VmWarp *w, uint32_t lane,
                          const VmMbarrier *bar) {
    return w->vm->order->is_lost ||
           is_behind(w, lane, bar->clocks.init_who, bar->clocks.init_time) ||
           vm_clock_knows(clocks_of(w), vm_known(w, lane), VIEW_INIT,
                          bar->clocks.init_who, bar->clocks.init_time);
}

VmMoment vm_order_now(const VmWarp *w, uint32_t lane) {
    return (VmMoment){vm_who(w, lane), w->vm->order->time, true};
}

bool vm_order_follows(const VmWarp *w, uint32_t lane, VmMoment moment) {
    return moment.is_known && !w->vm->order->is_lost &&
           is_behind(w, lane, moment.who, moment.time);
}

void vm_order_mbarrier_arrive(VmWarp *w, const VmInstr *in, uint32_t lanes,
                              const VmCta *owner, VmMbarrier *bar) {
    VmClocks *clocks = clocks_of(w);
    // For an mbarrier of the own CTA, CTA scope reaches every thread that may
    // wait there.
    VmScope scope = owner == w->cta ? SCOPE_CTA : SCOPE_CLUSTER;
    bool full = releases((VmSem)in->sem) && (VmScope)in->scope >= scope;
    uint32_t time = vm_order_step(w->vm);
    VmClock *clock =
        full ? release(w, lanes, time) : release_relaxed(w, lanes, scope);
    join_into(clocks, &bar->clocks.arrived, clock);
    vm_clock_drop(clocks, clock);
}

void vm_order_mbarrier_passes(Vm *vm, VmMbarrier *bar, VmKnown known) {
    bar->clocks.arrived =
        and_entry(&vm->order->clocks, bar->clocks.arrived, known);
}

void vm_order_mbarrier_phase(Vm *vm, VmMbarrier *bar) {
    VmClocks *clocks = &vm->order->clocks;
    if (bar->async.has_come) {
        VmKnown agent = {
            vm_known_key(VIEW_GENERIC, KNOWN_AGENT, bar->clocks.agent), VM_FULL,
            (uint32_t)bar->state.phase + 1};
        vm_order_mbarrier_passes(vm, bar, agent);
    }
    join_into(clocks, &bar->clocks.over, bar->clocks.arrived);
    set(clocks, &bar->clocks.arrived, NULL);
}

void vm_order_mbarrier_wait(VmWarp *w, const VmInstr *in, uint32_t lanes,
                            const VmMbarrier *bar) {
    receive(w, lanes, bar->clocks.over, in->sem != SEM_RELAXED, SCOPE_CTA);
}

void vm_order_mbarrier_end(Vm *vm, VmMbarrier *bar) {
    set(&vm->order->clocks, &bar->clocks.arrived, NULL);
    set(&vm->order->clocks, &bar->clocks.over, NULL);
}
