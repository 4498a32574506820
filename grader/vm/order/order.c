// SPDX-License-Identifier: Apache-2.0
// How vector clocks pass from thread to thread: read order.h and clock.h first.
//
// A release increments the logical time, and publishes the clocks of its lanes
// with an entry for the lanes themselves. Relaxed operations publish what an
// earlier fence has released; what they receive takes effect at a later fence
// (VmFences), as in the release and acquire patterns of the PTX memory model.
// What proxy fences carry over to the async proxy (all views but the generic
// one) is also published by relaxed operations.
#include "vm/order/release.h"

#include "vm/machine/lanes.h"

#include <string.h>

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
    // What all that says of several lanes at once, which poll a word together:
    // by scope, of these lanes; 0: not known.
    VmClock *sum[SCOPE_COUNT];
    uint32_t sum_of[SCOPE_COUNT];
};

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
        vm_clock_set(vm_clocks_of(w), &w->known[l], NULL);
    w->known[0] = clock;
    w->order.known_apart = false;
}

static void see_cta(VmWarp *w) {
    if (!w->order.known_apart)
        w->order.cta_before =
            vm_clock_cta(vm_clocks_of(w), w->known[0], w->cta->order.serial);
}

void vm_order_learn(VmWarp *w, uint32_t lanes, VmClock *clock) {
    VmClocks *clocks = vm_clocks_of(w);
    lanes &= w->live;
    if (!clock || !lanes)
        return;
    if (!w->order.known_apart && lanes == w->live) {
        vm_clock_add(clocks, &w->known[0], clock);
        see_cta(w);
        return;
    }
    set_apart(w);
    VmClock *last = NULL, *joined = NULL; // lanes often know the same
    EACH_LANE(l, lanes) {
        if (!joined || w->known[l] != last) {
            vm_clock_set(clocks, &last, vm_clock_keep(w->known[l]));
            vm_clock_set(clocks, &joined, vm_clock_join(clocks, last, clock));
        }
        vm_clock_set(clocks, &w->known[l], vm_clock_keep(joined));
    }
    vm_clock_set(clocks, &last, NULL);
    vm_clock_set(clocks, &joined, NULL);
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
VmClock *vm_release_learnt(VmWarp *w, uint32_t lanes) {
    if (!w->order.known_apart)
        return vm_clock_keep(w->known[0]);
    VmClocks *clocks = vm_clocks_of(w);
    VmClock *all = NULL;
    const VmClock *last = NULL; // lanes often know the same
    EACH_LANE(l, lanes) {
        if (w->known[l] != last)
            vm_clock_add(clocks, &all, w->known[l]);
        last = w->known[l];
    }
    return all;
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
            out[count++] = vm_release_entry(w, view, group, latest);
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

VmClock *vm_clock_and(VmClocks *clocks, VmClock *clock, VmKnown known) {
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

VmClock *vm_release_known(VmWarp *w, uint32_t lanes) {
    Release r = {.clock = vm_release_learnt(w, lanes)};
    add_carried(w, lanes, &r);
    return and_entries(vm_clocks_of(w), r.clock, r.own, r.count);
}

static void release_all(VmWarp *w, uint32_t lanes, uint32_t time, Release *r) {
    r->clock = vm_release_learnt(w, lanes);
    r->own[0] = vm_release_entry(w, VIEW_GENERIC, lanes, time);
    r->count = 1;
    add_carried(w, lanes, r);
}

VmClock *vm_release(VmWarp *w, uint32_t lanes, uint32_t time) {
    Release r;
    release_all(w, lanes, time, &r);
    return and_entries(vm_clocks_of(w), r.clock, r.own, r.count);
}

uint32_t vm_order_carried(const VmWarp *w, VmView view, uint32_t lane) {
    return w->order.fences ? w->order.fences->carried[view][lane] : 0;
}

// ---- fences --------------------------------------------------------------

// Whether proxy fences have carried over something that it knows.
static bool has_views(const VmClock *known) {
    return known->known[known->count - 1].key >> 40;
}

static struct VmFences *fences_of(VmWarp *w) {
    if (!w->order.fences)
        w->order.fences = heap_alloc(sizeof *w->order.fences, 1);
    return w->order.fences;
}

void vm_order_fences_end(VmWarp *w) {
    if (!w->order.fences)
        return;
    for (int s = 0; s < SCOPE_COUNT; s++) {
        vm_clock_set(vm_clocks_of(w), &w->order.fences->sum[s], NULL);
        for (uint32_t l = 0; l < VM_LANES; l++) {
            vm_clock_set(vm_clocks_of(w), &w->order.fences->released[s][l],
                         NULL);
            vm_clock_set(vm_clocks_of(w), &w->order.fences->pending[s][l],
                         NULL);
        }
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

void vm_release_pending(VmWarp *w, uint32_t lanes, VmScope scope) {
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
                vm_clock_set(vm_clocks_of(w), &pending[l], NULL);
            }
    }
}

void vm_order_fence(VmWarp *w, const VmInstr *in, uint32_t lanes) {
    VmClocks *clocks = vm_clocks_of(w);
    VmScope scope = (VmScope)in->scope;
    struct VmFences *fences = fences_of(w);
    if (in->sem != SEM_RELEASE)
        vm_release_pending(w, lanes, scope);
    if (in->sem == SEM_ACQUIRE)
        return;
    uint32_t time = vm_order_step(w->vm);
    memset(fences->sum_of, 0, sizeof fences->sum_of);
    EACH_LANE(l, lanes) {
        for (int s = 0; s <= (int)scope; s++) {
            vm_clock_set(clocks, &fences->released[s][l],
                         vm_clock_keep(vm_known(w, l)));
            fences->released_at[s][l] = time;
        }
    }
}

// What the lanes' fences have released and carried.
static void add_fenced(VmWarp *w, uint32_t lanes, VmScope scope, Release *r) {
    VmClocks *clocks = vm_clocks_of(w);
    struct VmFences *f = w->order.fences;
    bool is_one = (lanes & (lanes - 1)) == 0;
    if (!is_one && f->sum_of[scope] == lanes) {
        vm_clock_add(clocks, &r->clock, f->sum[scope]);
        return;
    }
    VmClock *sum = NULL;
    EACH_LANE(l, lanes) {
        vm_clock_add(clocks, &sum, f->released[scope][l]);
    }
    r->count =
        add_entries(w, VIEW_GENERIC, lanes, f->released_at[scope], r->own);
    add_carried(w, lanes, r);
    if (!is_one) {
        sum = and_entries(clocks, sum, r->own, r->count);
        r->count = 0;
        vm_clock_set(clocks, &f->sum[scope], vm_clock_keep(sum));
        f->sum_of[scope] = lanes;
    }
    vm_clock_add(clocks, &r->clock, sum);
    vm_clock_drop(clocks, sum);
}

// What a relaxed operation at `scope` publishes.
static void release_fenced(VmWarp *w, uint32_t lanes, VmScope scope,
                           Release *r) {
    VmClocks *clocks = vm_clocks_of(w);
    const VmClock *last = NULL; // lanes often know the same
    r->clock = NULL;
    r->count = 0;
    EACH_LANE(l, lanes) {
        VmClock *known = vm_known(w, l);
        if (known == last)
            continue;
        last = known;
        if (!known || !has_views(known))
            continue;
        VmClock *views = vm_clock_views(clocks, known, VIEW_HALF, VIEW_INIT);
        vm_clock_add(clocks, &r->clock, views);
        vm_clock_drop(clocks, views);
    }
    if (w->order.fences)
        add_fenced(w, lanes, scope, r);
}

VmClock *vm_release_relaxed(VmWarp *w, uint32_t lanes, VmScope scope) {
    Release r;
    release_fenced(w, lanes, scope, &r);
    return and_entries(vm_clocks_of(w), r.clock, r.own, r.count);
}

// A lane receives what was released: now, or at its next fence whose scope is
// at least `scope`.
void vm_release_receive(VmWarp *w, uint32_t lanes, VmClock *clock, bool now,
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
            vm_clock_add(vm_clocks_of(w), &pending[l], clock);
        }
    }
}

// ---- fences between proxies ----------------------------------------------

// Adds to view `to` of a lane what it knows in view `from` (about its own CTA
// only, or about all), and its own past.
static void carry(VmWarp *w, uint32_t lanes, uint32_t time, VmView from,
                  VmView to, uint32_t cta) {
    VmClocks *clocks = vm_clocks_of(w);
    struct VmFences *fences = fences_of(w);
    uint32_t(*carried)[VM_LANES] = fences->carried;
    memset(fences->sum_of, 0, sizeof fences->sum_of);
    VmClock *known = vm_release_learnt(w, lanes);
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
            vm_clock_views(vm_clocks_of(w), pending, VIEW_HALF, VIEW_INIT);
        vm_order_learn(w, 1u << lane, views);
        vm_clock_drop(vm_clocks_of(w), views);
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
    uint32_t size = vm_clocks_of(w)->ctas_per_cluster;
    if (cta == w->cta->order.serial)
        return SCOPE_CTA;
    return cta / size == w->cta->order.serial / size ? SCOPE_CLUSTER
                                                     : SCOPE_GPU;
}

bool vm_order_is_pending(const VmWarp *w, uint32_t lane, uint32_t who,
                         uint32_t time) {
    return w->order.fences &&
           vm_clock_knows(vm_clocks_of(w),
                          w->order.fences->pending[SCOPE_COUNT - 1][lane],
                          VIEW_GENERIC, who, time);
}

bool vm_order_has_acquired(const VmWarp *w, uint32_t lane, uint32_t who,
                           const VmInstr *look, uint32_t since) {
    VmScope least = scope_of(w, (who >> 5) / vm_clocks_of(w)->warps_per_cta);
    bool by_look =
        vm_sem_acquires((VmSem)look->sem) && (VmScope)look->scope >= least;
    return by_look || (w->order.fences &&
                       w->order.fences->released_at[least][lane] > since);
}

// ---- locations -----------------------------------------------------------

uint64_t vm_order_place(const VmWhere *where) {
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
        vm_release_receive(w, lanes, m->clocks[least],
                           vm_sem_acquires((VmSem)in->sem), least);
}

// Keeps what was released here before (a read-modify-write continues the
// release sequence of what it read), as far as it is visible from the new
// writer's CTA.
static void keep_message(VmWarp *w, VmMessage *m) {
    VmClocks *clocks = vm_clocks_of(w);
    VmScope least = scope_of(w, m->cta);
    for (int s = 0; s < (int)least; s++)
        vm_clock_set(clocks, &m->clocks[s], vm_clock_keep(m->clocks[least]));
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

// True if the lanes publish the same at this scope as at the next narrower one.
static bool publish_alike(const VmWarp *w, const VmInstr *in, uint32_t lanes,
                          int scope) {
    const struct VmFences *f = w->order.fences;
    if (scope == 0)
        return false;
    if (vm_sem_releases((VmSem)in->sem) && scope - 1 <= (int)in->scope)
        return scope <= (int)in->scope;
    EACH_LANE(l, f ? lanes : 0) {
        if (f->released[scope][l] != f->released[scope - 1][l] ||
            f->released_at[scope][l] != f->released_at[scope - 1][l])
            return false;
    }
    return true;
}

static void publish(VmClocks *clocks, VmClock **at, const Release *r,
                    bool adds) {
    if (adds)
        vm_clock_add(clocks, at, r->clock);
    else
        vm_clock_set(clocks, at, vm_clock_keep(r->clock));
    *at = and_entries(clocks, *at, r->own, r->count);
}

static void write_message(VmWarp *w, const VmInstr *in, uint32_t lanes,
                          VmMessage *m, bool adds) {
    VmClocks *clocks = vm_clocks_of(w);
    uint32_t time = vm_sem_releases((VmSem)in->sem) ? release_time(w->vm) : 0;
    const VmClock *narrower = NULL; // what was there at the scope before
    if (adds)
        keep_message(w, m);
    m->cta = w->cta->order.serial;
    for (int s = 0; s < SCOPE_COUNT; s++) {
        const VmClock *here = m->clocks[s];
        if (s > (int)in->scope) { // nobody so far away may read it
            vm_clock_set(clocks, &m->clocks[s], NULL);
        } else if (publish_alike(w, in, lanes, s) &&
                   (!adds || here == narrower)) {
            vm_clock_set(clocks, &m->clocks[s],
                         vm_clock_keep(m->clocks[s - 1]));
        } else {
            Release r;
            if (time && s <= (int)in->scope)
                release_all(w, lanes, time, &r);
            else
                release_fenced(w, lanes, (VmScope)s, &r);
            publish(clocks, &m->clocks[s], &r, adds);
            vm_clock_drop(clocks, r.clock);
        }
        narrower = here;
    }
}

// Proxy fences have carried over something that one of the lanes knows.
static bool any_has_views(const VmWarp *w, uint32_t lanes) {
    const VmClock *last = NULL; // lanes often know the same
    EACH_LANE(l, lanes) {
        const VmClock *known = vm_known(w, l);
        if (known && known != last && has_views(known))
            return true;
        last = known;
    }
    return false;
}

void vm_order_strong(VmWarp *w, const VmInstr *in, uint32_t lanes,
                     const VmWhere *where, VmAccess access) {
    if (in->sem == SEM_WEAK)
        return;
    uint64_t key = vm_order_place(where);
    VmMessage *m = message_at(w->vm, key, false);
    if (m && access != ACCESS_WRITE)
        read_message(w, in, lanes, m);
    if (access == ACCESS_READ)
        return;
    bool has_released = vm_sem_releases((VmSem)in->sem) || w->order.fences ||
                        (m && access == ACCESS_WRITE);
    if (!has_released && !any_has_views(w, lanes))
        return;
    m = message_at(w->vm, key, true);
    if (m)
        write_message(w, in, lanes, m, access == ACCESS_ATOMIC);
}
