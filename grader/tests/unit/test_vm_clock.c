// SPDX-License-Identifier: Apache-2.0
// Clocks against the plain thing that they stand for: a table with a time for
// each thread in each view. Random operations are done on both.
#include "tests/unit/test.h"
#include "vm/order/clock.h"

enum {
    CLUSTERS = 3,
    CTAS_PER_CLUSTER = 2,
    WARPS_PER_CTA = 2,
    CTAS = CLUSTERS * CTAS_PER_CLUSTER,
    WARPS = CTAS * WARPS_PER_CTA,
    AGENTS = 2,
    LANES = 32,
    TIMES = 40,
    CLOCKS = 6,
};

typedef struct Table {
    uint32_t warp[VIEW_COUNT][WARPS][LANES]; // known before; 0: nothing is
    uint32_t agent[VIEW_COUNT][AGENTS][LANES];
    uint32_t cta[VIEW_COUNT][CTAS]; // known of all threads of it at once
} Table;

typedef struct Pair {
    VmClock *clock;
    Table table;
} Pair;

static void raise_to(uint32_t *at, uint32_t time) {
    if (*at < time)
        *at = time;
}

static void raise_lanes(uint32_t *times, uint32_t lanes, uint32_t time) {
    for (uint32_t l = 0; l < LANES; l++)
        if (lanes >> l & 1)
            raise_to(&times[l], time);
}

static void raise_cta(Table *t, VmView view, uint32_t cta, uint32_t time) {
    raise_to(&t->cta[view][cta], time);
    for (uint32_t w = 0; w < WARPS_PER_CTA; w++)
        raise_lanes(t->warp[view][cta * WARPS_PER_CTA + w], UINT32_MAX, time);
}

static void raise_all(Table *to, VmView to_view, const Table *from,
                      VmView from_view) {
    for (uint32_t w = 0; w < WARPS; w++)
        for (uint32_t l = 0; l < LANES; l++)
            raise_to(&to->warp[to_view][w][l], from->warp[from_view][w][l]);
    for (uint32_t c = 0; c < CTAS; c++)
        raise_to(&to->cta[to_view][c], from->cta[from_view][c]);
    for (uint32_t a = 0; a < AGENTS; a++)
        for (uint32_t l = 0; l < LANES; l++)
            raise_to(&to->agent[to_view][a][l], from->agent[from_view][a][l]);
}

// ---- the operations, on both ---------------------------------------------

static void set(VmClocks *clocks, Pair *pair, VmClock *clock) {
    vm_clock_drop(clocks, pair->clock);
    pair->clock = clock;
}

static VmView any_view(Rng *rng) {
    return (VmView)rng_below(rng, VIEW_COUNT);
}

static void add_entry(VmClocks *clocks, Rng *rng, Pair *pair) {
    VmView view = any_view(rng);
    VmKnownKind kind = (VmKnownKind)rng_below(rng, KNOWN_AGENT + 1);
    static const uint32_t counts[] = {CLUSTERS, CTAS, WARPS, AGENTS};
    uint32_t id = (uint32_t)rng_below(rng, counts[kind]);
    uint32_t time = 1 + (uint32_t)rng_below(rng, TIMES), lanes = UINT32_MAX;
    Table *t = &pair->table;
    if (kind >= KNOWN_WARP)
        lanes >>= rng_below(rng, LANES);
    if (kind == KNOWN_WARP)
        raise_lanes(t->warp[view][id], lanes, time);
    else if (kind == KNOWN_AGENT)
        raise_lanes(t->agent[view][id], lanes, time);
    else if (kind == KNOWN_CTA)
        raise_cta(t, view, id, time);
    for (uint32_t c = 0; kind == KNOWN_CLUSTER && c < CTAS_PER_CLUSTER; c++)
        raise_cta(t, view, id * CTAS_PER_CLUSTER + c, time);
    VmKnown entry = {vm_known_key(view, kind, id), lanes, time};
    set(clocks, pair, vm_clock_with(clocks, pair->clock, &entry, 1));
}

static void join_both(VmClocks *clocks, Pair *into, const Pair *more) {
    VmClock *joined = vm_clock_join(clocks, into->clock, more->clock);
    VmClock *again = vm_clock_join(clocks, joined, more->clock);
    CHECK(again == joined); // nothing new: the same clock
    vm_clock_drop(clocks, again);
    set(clocks, into, joined);
    for (int v = 0; v < VIEW_COUNT; v++)
        raise_all(&into->table, (VmView)v, &more->table, (VmView)v);
}

static void keep_cta(Table *t, uint32_t cta) {
    for (int v = 0; v < VIEW_COUNT; v++)
        for (uint32_t c = 0; c < CTAS; c++) {
            if (c == cta)
                continue;
            t->cta[v][c] = 0;
            memset(t->warp[v][c * WARPS_PER_CTA], 0,
                   sizeof t->warp[v][0] * WARPS_PER_CTA);
        }
}

static void copy_view(VmClocks *clocks, Rng *rng, Pair *pair) {
    VmView from = any_view(rng), to = any_view(rng);
    uint32_t cta = (uint32_t)rng_below(rng, CTAS + 1);
    Table copy = {0};
    raise_all(&copy, to, &pair->table, from);
    if (cta < CTAS)
        keep_cta(&copy, cta);
    pair->table = copy;
    set(clocks, pair,
        vm_clock_copy_view(clocks, pair->clock, from, to,
                           cta < CTAS ? cta : VM_CLOCK_ALL));
}

static void keep_views(VmClocks *clocks, Rng *rng, Pair *pair) {
    VmView last = any_view(rng), first = (VmView)rng_below(rng, last + 1u);
    Table some = {0};
    for (int v = (int)first; v <= (int)last; v++)
        raise_all(&some, (VmView)v, &pair->table, (VmView)v);
    pair->table = some;
    set(clocks, pair, vm_clock_views(clocks, pair->clock, first, last));
}

// ---- what must hold ------------------------------------------------------

static uint32_t known_at(const uint32_t *times, uint32_t time) {
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < LANES; l++)
        lanes |= (uint32_t)(times[l] > time) << l;
    return lanes;
}

static bool knows_the_same(const VmClocks *clocks, const Pair *p, VmView view,
                           uint32_t time) {
    bool same = true;
    for (uint32_t w = 0; w < WARPS; w++)
        same = same && vm_clock_known_lanes(clocks, p->clock, view, w << 5,
                                            UINT32_MAX, time) ==
                           known_at(p->table.warp[view][w], time);
    for (uint32_t a = 0; a < AGENTS; a++)
        same =
            same && vm_clock_known_lanes(clocks, p->clock, view,
                                         VM_AGENT | a << 5, UINT32_MAX, time) ==
                        known_at(p->table.agent[view][a], time);
    return same;
}

static bool has_met(const Table *t, uint32_t cta) {
    uint32_t lanes = 0;
    for (uint32_t w = 0; w < WARPS_PER_CTA; w++)
        lanes |= known_at(t->warp[VIEW_GENERIC][cta * WARPS_PER_CTA + w], 0);
    return lanes != 0;
}

// An entry for a CTA, or for a part of one, says more than those for larger
// groups do; entries are sorted, and the lanes of a key apart.
static bool is_minimal(const VmClock *clock, const Table *t) {
    for (uint32_t i = 0; i < clock->count; i++) {
        const VmKnown *k = &clock->known[i], *before = k - 1;
        VmKnownKind kind = (VmKnownKind)(k->key >> 32 & 0xFF);
        uint32_t id = (uint32_t)k->key;
        bool same = i && before->key == k->key;
        if (i && (before->key > k->key || (same && before->time <= k->time)))
            return false;
        if (k->lanes == 0 || (same && (before->lanes & k->lanes)))
            return false;
        if (kind == KNOWN_WARP &&
            t->cta[k->key >> 40][id / WARPS_PER_CTA] >= k->time)
            return false;
        if (kind == KNOWN_CTA && t->cta[k->key >> 40][id] > k->time)
            return false;
    }
    return true;
}

static void check_pair(const VmClocks *clocks, const Pair *p) {
    for (int v = 0; v < VIEW_COUNT; v++)
        for (uint32_t time = 0; time <= TIMES; time++)
            CHECK(knows_the_same(clocks, p, (VmView)v, time));
    for (uint32_t c = 0; c < CTAS; c++) {
        CHECK_U64(vm_clock_cta(clocks, p->clock, c),
                  p->table.cta[VIEW_GENERIC][c]);
        CHECK_INT(vm_clock_meets(clocks, p->clock, c), has_met(&p->table, c));
    }
    // What knows nothing is NULL: users look at the last entry.
    CHECK(!p->clock || (p->clock->count && is_minimal(p->clock, &p->table)));
}

static void step(VmClocks *clocks, Rng *rng, Pair *pairs) {
    Pair *pair = &pairs[rng_below(rng, CLOCKS)];
    switch (rng_below(rng, 16)) {
    case 0:
        copy_view(clocks, rng, pair);
        break;
    case 1:
        keep_views(clocks, rng, pair);
        break;
    case 2:
    case 3:
    case 4:
        join_both(clocks, pair, &pairs[rng_below(rng, CLOCKS)]);
        break;
    default:
        add_entry(clocks, rng, pair);
        break;
    }
    check_pair(clocks, pair);
}

// All have been dropped: all are free to be used again.
static void check_nothing_held(VmClocks *clocks) {
    uint64_t bytes = 0;
    vm_clocks_end(clocks);
    for (uint32_t room = 0; room < VM_CLOCK_ROOMS; room++)
        for (const VmClock *c = clocks->free[room]; c; c = c->next_free)
            bytes += sizeof(VmClock) + (sizeof(VmKnown) << room);
    CHECK_U64(bytes, clocks->bytes);
    vm_clocks_free(clocks);
}

TEST(a_clock_knows_what_a_table_does) {
    static Pair pairs[CLOCKS];
    Rng rng = rng_stream(7, 1);
    VmClocks clocks = {.warps_per_cta = WARPS_PER_CTA,
                       .ctas_per_cluster = CTAS_PER_CLUSTER};
    for (uint32_t i = 0; i < 2000 && !test_state->failures; i++)
        step(&clocks, &rng, pairs);
    CHECK(clocks.made > 100);
    for (uint32_t i = 0; i < CLOCKS; i++)
        set(&clocks, &pairs[i], NULL);
    check_nothing_held(&clocks);
}

// What nobody holds any more is used again.
TEST(clocks_do_not_pile_up) {
    VmClocks clocks = {.warps_per_cta = 1, .ctas_per_cluster = 1};
    VmClock *clock = NULL;
    uint64_t bytes = 0;
    for (uint32_t time = 1; time <= 1000; time++) {
        VmKnown entry = {vm_known_key(VIEW_GENERIC, KNOWN_WARP, 0), 1, time};
        VmClock *next = vm_clock_with(&clocks, clock, &entry, 1);
        vm_clock_drop(&clocks, clock);
        clock = next;
        if (time == 10)
            bytes = clocks.bytes;
    }
    CHECK_U64(clocks.bytes, bytes);
    CHECK_U64(clock->count, 1);
    vm_clock_drop(&clocks, clock);
    check_nothing_held(&clocks);
}

// A thread that polls by atomics publishes the same again and again: that costs
// no merge, even where an entry for its CTA has taken the place of its own.
TEST(what_a_group_covers_is_not_merged_again) {
    VmClocks clocks = {.warps_per_cta = WARPS_PER_CTA,
                       .ctas_per_cluster = CTAS_PER_CLUSTER};
    const VmKnown cta = {vm_known_key(VIEW_GENERIC, KNOWN_CTA, 1), UINT32_MAX,
                         9};
    const VmKnown lane = {vm_known_key(VIEW_GENERIC, KNOWN_WARP, WARPS_PER_CTA),
                          1u << 3, 5};
    VmClock *a = vm_clock_with(&clocks, NULL, &cta, 1);
    VmClock *b = vm_clock_with(&clocks, NULL, &lane, 1);
    uint64_t merged = clocks.merged;
    VmClock *with = vm_clock_with(&clocks, a, &lane, 1);
    VmClock *joined = vm_clock_join(&clocks, a, b);
    CHECK(with == a && joined == a);
    CHECK_INT(clocks.merged, merged);
    VmClock *const all[] = {a, b, with, joined};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        vm_clock_drop(&clocks, all[i]);
    vm_clocks_free(&clocks);
}

TEST_MAIN(TESTCASE(what_a_group_covers_is_not_merged_again),
          TESTCASE(a_clock_knows_what_a_table_does),
          TESTCASE(clocks_do_not_pile_up))
