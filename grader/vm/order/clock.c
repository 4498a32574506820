// SPDX-License-Identifier: Apache-2.0
// Vector clocks with entries for groups of threads: read clock.h first.
//
// A join merges two sorted lists of entries into a scratch buffer, drops
// entries that an entry for the CTA or the cluster covers, and makes a new
// clock only if the result differs from both operands.
#include "vm/order/clock.h"

#include <string.h>

enum { LANES_MAX = 32, SMALLEST_ROOM = 2 };
#define ANSWER_IS_CUT (UINT64_C(1) << 63) // VmClockAnswer.copy: of some views

// ---- memory --------------------------------------------------------------

static size_t bytes_of(uint32_t room) {
    return sizeof(VmClock) + (sizeof(VmKnown) << room);
}

static VmClock *clock_new(VmClocks *clocks, const VmKnown *known,
                          size_t count) {
    uint32_t room = SMALLEST_ROOM;
    while (count > (size_t)1 << room)
        room++;
    VmClock *clock = room < VM_CLOCK_ROOMS ? clocks->free[room] : NULL;
    if (clock) {
        clocks->free[room] = clock->next_free;
    } else {
        clock = heap_alloc(bytes_of(room), 1);
        clocks->bytes += bytes_of(room);
    }
    clock->refs = 1;
    clock->count = (uint32_t)count;
    clock->room = room;
    clock->serial = ++clocks->made;
    clock->next_free = NULL;
    memcpy(clock->known, known, count * sizeof *known);
    return clock;
}

VmClock *vm_clock_keep(VmClock *clock) {
    if (clock)
        clock->refs++;
    return clock;
}

void vm_clock_drop(VmClocks *clocks, VmClock *clock) {
    if (!clock || --clock->refs)
        return;
    if (clock->room >= VM_CLOCK_ROOMS) {
        clocks->bytes -= bytes_of(clock->room);
        heap_free(clock);
        return;
    }
    clock->next_free = clocks->free[clock->room];
    clocks->free[clock->room] = clock;
}

static void answer_forget(VmClocks *clocks, VmClockAnswer *at) {
    vm_clock_drop(clocks, at->a);
    vm_clock_drop(clocks, at->b);
    vm_clock_drop(clocks, at->answer);
    *at = (VmClockAnswer){0};
}

static void forget_answers(VmClocks *clocks) {
    for (size_t i = 0; i < COUNT_OF(clocks->answers); i++)
        answer_forget(clocks, &clocks->answers[i]);
}

void vm_clocks_end(VmClocks *clocks) {
    forget_answers(clocks);
    clocks->made = 0;
    clocks->merged = 0;
}

void vm_clocks_free(VmClocks *clocks) {
    forget_answers(clocks);
    for (size_t i = 0; i < COUNT_OF(clocks->free); i++)
        while (clocks->free[i]) {
            VmClock *next = clocks->free[i]->next_free;
            heap_free(clocks->free[i]);
            clocks->free[i] = next;
        }
    heap_free(clocks->scratch);
    clocks->scratch = NULL;
    clocks->scratch_room = 0;
    clocks->bytes = 0;
}

// ---- what was asked before -----------------------------------------------

// The index in the cache is computed from serial numbers, not from the
// addresses of the clocks: which merges are repeated, and so the number of
// steps that they count as, must be the same in every process.
static VmClockAnswer *answer_at(VmClocks *clocks, const VmClock *a,
                                const VmClock *b, uint64_t copy) {
    uint64_t bits = a->serial ^ (b ? (uint64_t)b->serial << 32 : 0) ^ copy;
    return &clocks->answers[bits * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

static bool is_answer(const VmClockAnswer *at, const VmClock *a,
                      const VmClock *b, uint64_t copy) {
    return at->a == a && at->b == b && at->copy == copy;
}

// Takes over the caller's reference, and returns one.
static VmClock *answer_keep(VmClocks *clocks, VmClockAnswer *at,
                            VmClockAnswer new) {
    answer_forget(clocks, at);
    *at = new;
    vm_clock_keep(at->a);
    vm_clock_keep(at->b);
    return vm_clock_keep(at->answer);
}

// ---- looking up ----------------------------------------------------------

// The first entry of `known` whose key is at least `key`.
static size_t find(const VmKnown *known, size_t count, uint64_t key) {
    size_t from = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (known[from + half].key < key) {
            from += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return from;
}

// The logical time before which everything done by the CTA or cluster `key` is
// known; 0: nothing is known.
static uint32_t time_of(const VmKnown *known, size_t count, uint64_t key) {
    size_t i = find(known, count, key);
    return i < count && known[i].key == key ? known[i].time : 0;
}

uint32_t vm_clock_cta(const VmClocks *clocks, const VmClock *clock,
                      uint32_t cta) {
    if (!clock)
        return 0;
    uint32_t cluster = cta / clocks->ctas_per_cluster;
    uint32_t a = time_of(clock->known, clock->count,
                         vm_known_key(VIEW_GENERIC, KNOWN_CTA, cta));
    uint32_t b = time_of(clock->known, clock->count,
                         vm_known_key(VIEW_GENERIC, KNOWN_CLUSTER, cluster));
    return a > b ? a : b;
}

bool vm_clock_meets(const VmClocks *clocks, const VmClock *clock,
                    uint32_t cta) {
    if (!clock)
        return false;
    uint32_t warp = cta * clocks->warps_per_cta;
    size_t i = find(clock->known, clock->count,
                    vm_known_key(VIEW_GENERIC, KNOWN_WARP, warp));
    uint64_t next =
        vm_known_key(VIEW_GENERIC, KNOWN_WARP, warp + clocks->warps_per_cta);
    return (i < clock->count && clock->known[i].key < next) ||
           vm_clock_cta(clocks, clock, cta) > 0;
}

// Those of `lanes` of the warp or agent `key` for which `time` is known.
static uint32_t lanes_of(const VmClock *clock, uint64_t key, uint32_t lanes,
                         uint32_t time) {
    uint32_t found = 0;
    size_t i = find(clock->known, clock->count, key);
    for (; i < clock->count && clock->known[i].key == key; i++)
        if (clock->known[i].time > time)
            found |= clock->known[i].lanes;
    return found & lanes;
}

uint32_t vm_clock_known_lanes(const VmClocks *clocks, const VmClock *clock,
                              VmView view, uint32_t who, uint32_t lanes,
                              uint32_t time) {
    if (!clock)
        return 0;
    uint32_t id = (who & ~VM_AGENT) >> 5;
    if (who & VM_AGENT)
        return lanes_of(clock, vm_known_key(view, KNOWN_AGENT, id), lanes,
                        time);
    uint32_t cta = id / clocks->warps_per_cta;
    uint32_t cluster = cta / clocks->ctas_per_cluster;
    if (time_of(clock->known, clock->count,
                vm_known_key(view, KNOWN_CTA, cta)) > time ||
        time_of(clock->known, clock->count,
                vm_known_key(view, KNOWN_CLUSTER, cluster)) > time)
        return lanes;
    return lanes_of(clock, vm_known_key(view, KNOWN_WARP, id), lanes, time);
}

// ---- merging -------------------------------------------------------------

typedef struct Merge {
    VmClocks *clocks;
    VmKnown *out;
    size_t count, view_from; // entries; where the entries of the current view
                             // start
    size_t clusters, groups; // entries of this view for clusters, and for CTAs
    uint64_t cta; // key of the CTA looked up last, or 0; the time before which
                  // it is known
    uint32_t cta_time;
} Merge;

static void scratch_reserve(VmClocks *clocks, size_t count) {
    if (count <= clocks->scratch_room)
        return;
    heap_free(clocks->scratch);
    clocks->scratch_room = count * 2;
    clocks->scratch = heap_alloc(sizeof *clocks->scratch, count * 2);
}

static Merge merge_begin(VmClocks *clocks, size_t count) {
    // One warp can end up with as many as 32 entries, whatever it had before.
    scratch_reserve(clocks, count + LANES_MAX);
    return (Merge){.clocks = clocks, .out = clocks->scratch};
}

static uint32_t cluster_time(const Merge *m, VmView view, uint32_t cta) {
    uint32_t cluster = cta / m->clocks->ctas_per_cluster;
    return m->clusters ? time_of(m->out + m->view_from, m->clusters,
                                 vm_known_key(view, KNOWN_CLUSTER, cluster))
                       : 0;
}

// Entries for warps of one CTA are adjacent, so the last result is kept.
static uint32_t cta_time(Merge *m, VmView view, uint32_t cta) {
    uint64_t key = vm_known_key(view, KNOWN_CTA, cta);
    if (m->cta != key) {
        uint32_t a = time_of(m->out + m->view_from, m->groups, key);
        uint32_t b = cluster_time(m, view, cta);
        m->cta_time = a > b ? a : b;
        m->cta = key;
    }
    return m->cta_time;
}

// True if an entry for the CTA or the cluster of `known` says at least as much.
static bool is_covered(Merge *m, const VmKnown *known) {
    VmView view = (VmView)(known->key >> 40);
    uint32_t id = (uint32_t)known->key;
    switch ((VmKnownKind)(known->key >> 32 & 0xFF)) {
    case KNOWN_CTA:
        return cluster_time(m, view, id) >= known->time;
    case KNOWN_WARP:
        return m->groups &&
               cta_time(m, view, id / m->clocks->warps_per_cta) >= known->time;
    case KNOWN_CLUSTER:
    case KNOWN_AGENT:
        break;
    }
    return false;
}

static void merge_add(Merge *m, const VmKnown *known) {
    if (m->count && (m->out[m->count - 1].key ^ known->key) >> 40) {
        m->view_from = m->count;
        m->clusters = m->groups = 0;
    }
    if (is_covered(m, known))
        return;
    m->out[m->count++] = *known;
    m->clusters += (known->key >> 32 & 0xFF) == KNOWN_CLUSTER;
    m->groups += (known->key >> 32 & 0xFF) <= KNOWN_CTA;
}

// Merges the entries of one key: each lane keeps its latest time.
static void merge_key(Merge *m, const VmKnown *a, size_t a_count,
                      const VmKnown *b, size_t b_count) {
    uint32_t taken = 0;
    while (a_count || b_count) {
        bool from_a = !b_count || (a_count && a->time >= b->time);
        VmKnown known = from_a ? *a : *b;
        a += from_a;
        a_count -= from_a;
        b += !from_a;
        b_count -= !from_a;
        known.lanes &= ~taken;
        if (known.lanes == 0)
            continue;
        taken |= known.lanes;
        VmKnown *last = m->count ? &m->out[m->count - 1] : NULL;
        if (last && last->key == known.key && last->time == known.time)
            last->lanes |= known.lanes;
        else
            merge_add(m, &known);
    }
}

static size_t same_key(const VmKnown *known, size_t count, uint64_t key) {
    size_t n = 0;
    while (n < count && known[n].key == key)
        n++;
    return n;
}

// Merges the entries of the smallest key in either list, lane by lane if both
// have it.
static void merge_next(Merge *m, const VmKnown **a, size_t *a_count,
                       const VmKnown **b, size_t *b_count) {
    bool from_a = *a_count && (!*b_count || (*a)->key <= (*b)->key);
    bool from_b = *b_count && (!*a_count || (*b)->key <= (*a)->key);
    uint64_t key = from_a ? (*a)->key : (*b)->key;
    size_t in_a = from_a, in_b = from_b;
    if ((!from_a || (*a)->lanes == UINT32_MAX) &&
        (!from_b || (*b)->lanes == UINT32_MAX)) {
        merge_add(m, from_a && (!from_b || (*a)->time >= (*b)->time) ? *a : *b);
    } else {
        in_a = from_a ? same_key(*a, *a_count, key) : 0;
        in_b = from_b ? same_key(*b, *b_count, key) : 0;
        merge_key(m, *a, in_a, *b, in_b);
    }
    *a += in_a;
    *a_count -= in_a;
    *b += in_b;
    *b_count -= in_b;
}

static Merge merge(VmClocks *clocks, const VmKnown *a, size_t a_count,
                   const VmKnown *b, size_t b_count) {
    Merge m = merge_begin(clocks, a_count + b_count);
    clocks->merged += a_count + b_count;
    while (a_count || b_count)
        merge_next(&m, &a, &a_count, &b, &b_count);
    return m;
}

static bool is_same(const Merge *m, const VmClock *clock) {
    return clock && clock->count == m->count &&
           memcmp(clock->known, m->out, m->count * sizeof *m->out) == 0;
}

// True if these entries of one key cover everything that `entry` does.
static bool key_knows(const VmKnown *known, size_t count,
                      const VmKnown *entry) {
    uint32_t lanes = entry->lanes;
    for (size_t i = 0; i < count && known[i].key == entry->key && lanes; i++)
        if (known[i].time >= entry->time)
            lanes &= ~known[i].lanes;
    return lanes == 0;
}

// True if an entry for the CTA or the cluster of `entry` says at least as much.
// Merges drop such entries: who only looks for one of the same key would merge
// it again each time, as often as a thread polls that has released before.
static bool group_knows(const VmClocks *clocks, const VmClock *clock,
                        const VmKnown *entry) {
    VmView view = (VmView)(entry->key >> 40);
    VmKnownKind kind = (VmKnownKind)(entry->key >> 32 & 0xFF);
    uint32_t id = (uint32_t)entry->key;
    if (kind != KNOWN_WARP && kind != KNOWN_CTA)
        return false;
    uint32_t cta = kind == KNOWN_WARP ? id / clocks->warps_per_cta : id;
    uint32_t cluster = cta / clocks->ctas_per_cluster;
    return time_of(clock->known, clock->count,
                   vm_known_key(view, KNOWN_CTA, cta)) >= entry->time ||
           time_of(clock->known, clock->count,
                   vm_known_key(view, KNOWN_CLUSTER, cluster)) >= entry->time;
}

// True if `a` covers each entry of `b`: a join changes nothing, which is found
// without a merge. (Of lanes that several entries of `a` cover, it may not be.)
static bool knows_all(const VmClocks *clocks, const VmClock *a,
                      const VmClock *b) {
    size_t at = 0;
    uint64_t key = UINT64_MAX;
    uint32_t seen = 0; // lanes that `a` knows at least as well
    for (const VmKnown *entry = b->known; entry < b->known + b->count;
         entry++) {
        if (entry->key != key) {
            key = entry->key;
            seen = 0;
            while (at < a->count && a->known[at].key < key)
                at++;
        }
        for (; at < a->count && a->known[at].key == key &&
               a->known[at].time >= entry->time;
             at++)
            seen |= a->known[at].lanes;
        if ((entry->lanes & ~seen) && !group_knows(clocks, a, entry))
            return false;
    }
    return true;
}

static VmClock *join(VmClocks *clocks, VmClock *a, VmClock *b) {
    if (knows_all(clocks, b, a))
        return vm_clock_keep(b);
    if (knows_all(clocks, a, b))
        return vm_clock_keep(a);
    Merge m = merge(clocks, a->known, a->count, b->known, b->count);
    if (is_same(&m, a))
        return vm_clock_keep(a);
    if (is_same(&m, b))
        return vm_clock_keep(b);
    return clock_new(clocks, m.out, m.count);
}

VmClock *vm_clock_join(VmClocks *clocks, VmClock *a, VmClock *b) {
    if (!b || a == b)
        return vm_clock_keep(a);
    if (!a)
        return vm_clock_keep(b);
    VmClockAnswer *at = answer_at(clocks, a, b, 0);
    if (is_answer(at, a, b, 0))
        return vm_clock_keep(at->answer);
    return answer_keep(clocks, at,
                       (VmClockAnswer){a, b, 0, join(clocks, a, b)});
}

// True if entries for the same lanes, or for their CTA or cluster, say at least
// as much as each of these.
static bool has_entries(const VmClocks *clocks, const VmClock *clock,
                        const VmKnown *known, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t at = clock ? find(clock->known, clock->count, known[i].key) : 0;
        if (!clock ||
            (!key_knows(clock->known + at, clock->count - at, &known[i]) &&
             !group_knows(clocks, clock, &known[i])))
            return false;
    }
    return true;
}

VmClock *vm_clock_with(VmClocks *clocks, VmClock *clock, const VmKnown *known,
                       size_t count) {
    if (has_entries(clocks, clock, known, count))
        return vm_clock_keep(clock);
    Merge m = merge(clocks, clock ? clock->known : known,
                    clock ? clock->count : 0, known, count);
    return is_same(&m, clock) ? vm_clock_keep(clock)
                              : clock_new(clocks, m.out, m.count);
}

// ---- views ---------------------------------------------------------------

static VmClock *cut_views(VmClocks *clocks, VmClock *clock, VmView first,
                          VmView last) {
    size_t from =
        find(clock->known, clock->count, vm_known_key(first, KNOWN_CLUSTER, 0));
    size_t to = find(clock->known, clock->count, (uint64_t)(last + 1) << 40);
    if (from == 0 && to == clock->count)
        return vm_clock_keep(clock);
    return from < to ? clock_new(clocks, clock->known + from, to - from) : NULL;
}

VmClock *vm_clock_views(VmClocks *clocks, VmClock *clock, VmView first,
                        VmView last) {
    if (!clock)
        return NULL;
    uint64_t copy = ANSWER_IS_CUT | (uint64_t)first << 8 | last;
    VmClockAnswer *at = answer_at(clocks, clock, NULL, copy);
    if (is_answer(at, clock, NULL, copy))
        return vm_clock_keep(at->answer);
    return answer_keep(clocks, at,
                       (VmClockAnswer){clock, NULL, copy,
                                       cut_views(clocks, clock, first, last)});
}

// Restricts an entry to `cta`. False: it says nothing about that CTA.
static bool narrow(const VmClocks *clocks, VmKnown *known, uint32_t cta) {
    uint32_t id = (uint32_t)known->key;
    switch ((VmKnownKind)(known->key >> 32 & 0xFF)) {
    case KNOWN_CLUSTER:
        known->key = vm_known_key((VmView)(known->key >> 40), KNOWN_CTA, cta);
        return id == cta / clocks->ctas_per_cluster;
    case KNOWN_CTA:
        return id == cta;
    case KNOWN_WARP:
        return id / clocks->warps_per_cta == cta;
    case KNOWN_AGENT: // its operations are complete, wherever their memory is
        return true;
    }
    return false;
}

static VmClock *copy_view(VmClocks *clocks, const VmClock *clock, VmView from,
                          VmView to, uint32_t cta) {
    Merge m = merge_begin(clocks, clock->count);
    size_t i =
        find(clock->known, clock->count, vm_known_key(from, KNOWN_CLUSTER, 0));
    for (; i < clock->count && clock->known[i].key >> 40 == from; i++) {
        VmKnown known = clock->known[i];
        known.key = (known.key & ((UINT64_C(1) << 40) - 1)) | (uint64_t)to
                                                                  << 40;
        if (cta != VM_CLOCK_ALL && !narrow(clocks, &known, cta))
            continue;
        VmKnown *last = m.count ? &m.out[m.count - 1] : NULL;
        if (last && last->key == known.key && last->lanes == UINT32_MAX)
            last->time = last->time > known.time ? last->time : known.time;
        else
            merge_add(&m, &known);
    }
    return m.count ? clock_new(clocks, m.out, m.count) : NULL;
}

VmClock *vm_clock_copy_view(VmClocks *clocks, VmClock *clock, VmView from,
                            VmView to, uint32_t cta) {
    if (!clock)
        return NULL;
    uint64_t copy = (uint64_t)(from << 8 | to) << 32 | cta;
    VmClockAnswer *at = answer_at(clocks, clock, NULL, copy);
    if (is_answer(at, clock, NULL, copy))
        return vm_clock_keep(at->answer);
    return answer_keep(
        clocks, at,
        (VmClockAnswer){clock, NULL, copy,
                        copy_view(clocks, clock, from, to, cta)});
}
