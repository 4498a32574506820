// SPDX-License-Identifier: Apache-2.0
// What barriers and mbarriers order, one side varied at a time (litmus.h): the
// form of the arrival and of the wait, scopes and fences, the side of the
// barrier that an access is on, the phase, and how far apart the threads are.
// Data is in global memory and in the shared memory of block 0.
#include "result/finding.h"
#include "tests/unit/litmus.h"

enum { FIRST = 20, SECOND = 30 }; // lines

// x, and an mbarrier of one arrival, are there before the threads begin. %r9
// is x of block 0; %r10 the mbarrier of the block that has thread 1, which
// waits at it.
#define BEGIN                                                 \
    "mov.u32 %r9, %tid.x; setp.eq.u32 %p2, %r9, 0;\n"         \
    "@%p2 st.shared.u32 [x], 1;\n"                            \
    "@%p2 mbarrier.init.shared::cta.b64 [bar], COUNT;\n"      \
    "barrier.cluster.arrive; barrier.cluster.wait;\n"         \
    "mov.u32 %r9, x; mapa.shared::cluster.u32 %r9, %r9, 0;\n" \
    "mov.u32 %r10, bar; mapa.shared::cluster.u32 %r10, %r10, OWNER;\n"
#define END "barrier.cluster.arrive; barrier.cluster.wait; ret;\n"

// Each store and load of DATA is by one thread, in each of the two memories.
static const char *const DATA[] = {"global.u32 [%l0]",
                                   "shared::cluster.u32 [%r9]"};

#define STORE ".loc 1 20 1\nst.DATA, 9;\n.loc 1 2 1\n"
#define LOAD                                                              \
    ".loc 1 30 1\nld.DATA_TO %r2;\n.loc 1 3 1\nst.global.u32 [%l0+128], " \
    "%r2;\n"

static Str in_memory(Arena *arena, Str text, int memory) {
    static const char *const loads[] = {"ld.global.u32 %r2, [%l0]",
                                        "ld.shared::cluster.u32 %r2, [%r9]"};
    text = litmus_replaced(arena, text, "ld.DATA_TO %r2", loads[memory]);
    return litmus_replaced(arena, text, "DATA", DATA[memory]);
}

static bool is_near(const LitmusPlace *place) {
    return place->least == LITMUS_CTA;
}

// Runs it in both memories, and says whether each gave what was expected.
static void try_both(const LitmusPlace *place, const char *count, Str text,
                     bool ordered) {
    for (int memory = 0; memory < 2; memory++) {
        Arena arena = {0};
        LitmusPlace met = *place;
        Str begin = litmus_replaced(&arena, STR(BEGIN), "COUNT", count);
        begin =
            litmus_replaced(&arena, begin, "OWNER", is_near(place) ? "0" : "1");
        met.number = str_format(&arena, "%s\n%.*s%c", place->number,
                                STR_ARG(begin), '\0')
                         .ptr;
        LitmusRun run =
            litmus_run(&arena, &met, in_memory(&arena, text, memory));
        bool found = litmus_has(&run, RULE_RACE001, FIRST) ||
                     litmus_has(&run, RULE_RACE001, SECOND);
        if (!CHECK(run.is_done && found != ordered &&
                   litmus_errors(&run) == (size_t)found))
            litmus_show(place, &run);
        arena_free(&arena);
    }
}

// ---- barriers ------------------------------------------------------------

// Thread 0 stores and thread 1 loads, on each side of what they do at the
// barrier. A barrier that is not split has no wait.
typedef struct Barrier {
    const char *arrives, *waits; // of thread 0
    const char *arrive, *wait;   // of threads 1 and 2
    bool orders;                 // thread 0's past before thread 1's future,
    bool orders_back;            // and the reverse
    bool of_cluster, is_split;
    bool orders_within; // a block, where the fence is wide enough
} Barrier;

static const Barrier BARRIERS[] = {
    {"barrier.sync 0;", "", "barrier.sync 0;", "", true, true, false, false,
     false},
    {"barrier.red.popc.u32 %r5, 1, %p1;", "",
     "barrier.red.popc.u32 %r5, 1, %p1;", "", true, true, false, false, false},
    {"barrier.cluster.arrive.release;", "barrier.cluster.wait.acquire;",
     "barrier.cluster.arrive.release;", "barrier.cluster.wait.acquire;", true,
     true, true, true, false},
    {"barrier.cluster.arrive;", "barrier.cluster.wait;",
     "barrier.cluster.arrive.relaxed;", "barrier.cluster.wait;", true, false,
     true, true, false},
    {"barrier.cluster.arrive.relaxed;", "barrier.cluster.wait;",
     "barrier.cluster.arrive.release;", "barrier.cluster.wait.acquire;", false,
     true, true, true, false},
    {"fence.acq_rel.cta; barrier.cluster.arrive.relaxed;",
     "barrier.cluster.wait;", "barrier.cluster.arrive.release;",
     "barrier.cluster.wait;", false, true, true, true, true},
    {"fence.release.cluster; barrier.cluster.arrive.relaxed;",
     "barrier.cluster.wait;", "barrier.cluster.arrive.release;",
     "barrier.cluster.wait;", true, true, true, true, false},
    {"fence.acq_rel.gpu; barrier.cluster.arrive.relaxed;",
     "barrier.cluster.wait;", "barrier.cluster.arrive.release;",
     "barrier.cluster.wait;", true, true, true, true, false},
    {"fence.acquire.cluster; barrier.cluster.arrive.relaxed;",
     "barrier.cluster.wait;", "barrier.cluster.arrive.release;",
     "barrier.cluster.wait;", false, true, true, true, false},
};

typedef enum Side { BEFORE, BETWEEN, BEHIND, SIDES } Side;

static Str at_barrier(Arena *arena, const Barrier *b, Side store, Side load) {
    return str_format(
        arena,
        "T0: %s\n.loc 1 2 1\n%s\n%s\n%s\n%s\n" END "T1: %s\n.loc 1 3 1\n"
        "%s\n%s\n%s\n%s\n" END "T2: .loc 1 4 1\n%s\n%s\n" END,
        store == BEFORE ? STORE : "", b->arrives, store == BETWEEN ? STORE : "",
        b->waits, store == BEHIND ? STORE : "", load == BEFORE ? LOAD : "",
        b->arrive, load == BETWEEN ? LOAD : "", b->wait,
        load == BEHIND ? LOAD : "", b->arrive, b->wait);
}

// Arrivals happen before waits, and nothing else: a store before, a load
// behind; or a load before and a store behind.
static void try_sides(const LitmusPlace *place, const Barrier *b) {
    for (int store = 0; store < SIDES; store++)
        for (int load = 0; load < SIDES; load++) {
            if (!b->is_split && (store == BETWEEN || load == BETWEEN))
                continue;
            Arena arena = {0};
            bool ordered =
                (store == BEFORE && load == BEHIND &&
                 (b->orders || (b->orders_within && is_near(place)))) ||
                (store == BEHIND && load == BEFORE && b->orders_back);
            try_both(place, "1", at_barrier(&arena, b, (Side)store, (Side)load),
                     ordered);
            arena_free(&arena);
        }
}

// Thread 0, which stores, is in the last warp, and the others' wait at once.
static const LitmusPlace LAST_WARP = {
    "warps of a block, from the last",           1,         1, 96,
    EACH_FIRST("tid.x") " sub.u32 %r0, 2, %r0;", LITMUS_CTA};

TEST(a_barrier_orders_what_is_before_its_arrivals_and_behind_its_waits) {
    for (const LitmusPlace *p = LITMUS_PLACES; p->least < LITMUS_GPU; p++)
        for (size_t i = 0; i < COUNT_OF(BARRIERS); i++)
            if (is_near(p) || BARRIERS[i].of_cluster)
                try_sides(p, &BARRIERS[i]);
    for (size_t i = 0; i < COUNT_OF(BARRIERS); i++)
        try_sides(&LAST_WARP, &BARRIERS[i]);
}

// What lanes of a warp do together, as one instruction: %p5, %p6 and %p7 are of
// threads 0, 1 and 2.
static const struct {
    const char *together;
    bool orders; // thread 0's past before thread 1's future
} IN_WARP[] = {
    {"bar.warp.sync 7;", true},
    {"@!%p7 bar.warp.sync 3;", true},
    {"@!%p5 bar.warp.sync 6;", false},
    {"@!%p6 bar.warp.sync 5;", false},
    {"@!%p6 bar.warp.sync 5; @!%p5 bar.warp.sync 6;", true}, // by thread 2
    {"@!%p5 bar.warp.sync 6; @!%p6 bar.warp.sync 5;", false},
    {"@%p5 bar.warp.sync 1; @!%p5 bar.warp.sync 6;", false},
    {"shfl.sync.idx.b32 %r5, %r0, 0, 31, 7;", false},
    {"vote.sync.ballot.b32 %r5, %p5, 7;", false},
    {"match.any.sync.b32 %r5, %r0, 7;", false},
    {"redux.sync.add.u32 %r5, %r0, 7;", false},
    {"fence.sc.sys;", false},
    {"barrier.sync 0;", true},
    {"barrier.cluster.arrive; barrier.cluster.wait;", true},
};

TEST(lanes_that_meet_are_ordered_and_no_others) {
    for (size_t i = 0; i < COUNT_OF(IN_WARP); i++) {
        Arena arena = {0};
        Str text = str_format(
            &arena,
            "T0: T1: T2: setp.eq.u32 %%p5, %%r0, 0; setp.eq.u32 %%p6, %%r0, "
            "1;\n"
            "setp.eq.u32 %%p7, %%r0, 2;\n.loc 1 20 1\n@%%p5 st.DATA, 9;\n"
            ".loc 1 2 1\n%s\n.loc 1 30 1\n@%%p6 ld.DATA_TO %%r2;\n.loc 1 3 1\n"
            "@%%p6 st.global.u32 [%%l0+128], %%r2;\n%s",
            IN_WARP[i].together, END);
        try_both(&LITMUS_PLACES[0], "1", text, IN_WARP[i].orders);
        arena_free(&arena);
    }
}

// What a thread of each of three warps does between the store and the load.
static const struct {
    const char *threads[3];
    bool orders;
} IN_BLOCK[] = {
    {{"barrier.sync 3;", "barrier.sync 3;", "barrier.sync 3;"}, true},
    {{"barrier.sync 1, 64;", "barrier.sync 1, 64;", ""}, true},
    {{"", "barrier.sync 1, 64;", "barrier.sync 1, 64;"}, false},
    {{"barrier.arrive 1, 96;", "barrier.sync 1, 96;", "barrier.arrive 1, 96;"},
     true},
    {{"barrier.sync 1, 96;", "barrier.arrive 1, 96;", "barrier.arrive 1, 96;"},
     false},
    {{"barrier.sync 1, 64;", "barrier.sync 2, 64;",
      "barrier.sync 1, 64; barrier.sync 2, 64;"},
     true},
    {{"barrier.sync 2, 64;", "barrier.sync 1, 64;",
      "barrier.sync 1, 64; barrier.sync 2, 64;"},
     false},
    {{"barrier.arrive 1, 64;", "barrier.sync 2, 64;",
      "barrier.sync 1, 64; barrier.arrive 2, 64;"},
     true},
    {{"barrier.sync 1, 64;", "barrier.sync 2, 64;",
      "barrier.arrive 1, 64; barrier.sync 2, 64;"},
     false}, // thread 2 does not wait for thread 0
    {{"fence.sc.gpu;", "fence.sc.gpu;", ""}, false},
    {{"bar.warp.sync 1;", "bar.warp.sync 1;", "bar.warp.sync 1;"}, false},
};

TEST(warps_that_meet_are_ordered_and_no_others) {
    for (size_t i = 0; i < COUNT_OF(IN_BLOCK); i++) {
        const char *const *threads = IN_BLOCK[i].threads;
        Arena arena = {0};
        Str text =
            str_format(&arena,
                       "T0: " STORE "%s\n" END "T1: .loc 1 3 1\n%s\n%s" END
                       "T2: .loc 1 4 1\n%s\n" END,
                       threads[0], threads[1], LOAD, threads[2]);
        try_both(&LITMUS_PLACES[1], "1", text, IN_BLOCK[i].orders);
        arena_free(&arena);
    }
}

// ---- mbarriers -----------------------------------------------------------

typedef struct Form {
    const char *text;
    bool near, far; // whether it orders, within the mbarrier's block and with a
                    // neighbour
} Form;

#define ARRIVE(how) "mbarrier.arrive" how ".shared::cluster.b64 _, [%r10]"

// What is released for an mbarrier of the own block reaches all that may wait
// there. A neighbour is reached by cluster scope alone.
static const Form ARRIVALS[] = {
    {ARRIVE("") ";", true, false},
    {ARRIVE(".release.cta") ";", true, false},
    {ARRIVE(".release.cluster") ";", true, true},
    {ARRIVE(".relaxed.cluster") ";", false, false},
    {ARRIVE(".release.cluster") ", 1;", true, true},
    {ARRIVE(".expect_tx.release.cta") ", 0;", true, false},
    {ARRIVE(".expect_tx.release.cluster") ", 0;", true, true},
    {ARRIVE(".expect_tx.relaxed.cluster") ", 0;", false, false},
    {"fence.acq_rel.cta; " ARRIVE(".relaxed.cluster") ";", true, false},
    {"fence.acq_rel.cluster; " ARRIVE(".relaxed.cluster") ";", true, true},
    {"fence.release.gpu; " ARRIVE(".relaxed.cluster") ";", true, true},
    {"fence.acquire.gpu; " ARRIVE(".relaxed.cluster") ";", false, false},
    {"mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r10];",
     true, true},
    {"mbarrier.arrive_drop.relaxed.cluster.shared::cluster.b64 _, [%r10];",
     false, false},
};

// In a loop with a label of its own; PARITY is put in later.
#define WAIT_IN(how, name)                                          \
    name ": mbarrier." how ".shared::cta.b64 %p2, [bar], PARITY;\n" \
         "@!%p2 bra " name ";\n"

static const Form WAITS[] = {
    {WAIT_IN("try_wait.parity", "V"), true, true},
    {WAIT_IN("test_wait.parity", "V"), true, true},
    {WAIT_IN("try_wait.parity.acquire.cta", "V"), true, true},
    {WAIT_IN("try_wait.parity.acquire.cluster", "V"), true, true},
    {WAIT_IN("test_wait.parity.acquire.cluster", "V"), true, true},
    {WAIT_IN("try_wait.parity.relaxed.cluster", "V"), false, false},
    {WAIT_IN("test_wait.parity.relaxed.cluster", "V"), false, false},
    {WAIT_IN("try_wait.parity.relaxed.cluster", "V") "fence.acq_rel.cluster;",
     true, true},
    {WAIT_IN("test_wait.parity.relaxed.cluster", "V") "fence.acquire.cluster;",
     true, true},
    {WAIT_IN("test_wait.parity.relaxed.cluster", "V") "fence.release.cluster;",
     false, false},
};

static bool orders(const LitmusPlace *place, const Form *form) {
    return is_near(place) ? form->near : form->far;
}

static Str by_mbarrier(Arena *arena, const Form *arrival, const Form *wait) {
    Str text = str_format(
        arena, "T0: " STORE "%s\n" END "T1: .loc 1 3 1\n%s\n%s" END "T2: " END,
        arrival->text, wait->text, LOAD);
    return litmus_replaced(arena, text, "PARITY", "0");
}

static void try_mbarrier(const LitmusPlace *place, const Form *arrival,
                         const Form *wait) {
    Arena arena = {0};
    try_both(place, "1", by_mbarrier(&arena, arrival, wait),
             orders(place, arrival) && orders(place, wait));
    arena_free(&arena);
}

TEST(an_arrival_that_releases_and_a_wait_that_acquires_order) {
    for (const LitmusPlace *p = LITMUS_PLACES; p->least < LITMUS_GPU; p++) {
        for (size_t i = 0; i < COUNT_OF(ARRIVALS); i++) {
            try_mbarrier(p, &ARRIVALS[i], &WAITS[0]);
            try_mbarrier(p, &ARRIVALS[i], &WAITS[7]);
        }
        for (size_t i = 0; i < COUNT_OF(WAITS); i++) {
            try_mbarrier(p, &ARRIVALS[2], &WAITS[i]);
            try_mbarrier(p, &ARRIVALS[9], &WAITS[i]);
        }
    }
}

// Two arrive, and the phase is over. What each has done is ordered if its own
// arrival releases, whichever of the two comes last.
TEST(each_arrival_releases_what_its_own_thread_has_done) {
    static const char *const arrivals[] = {ARRIVE(".release.cluster") ";",
                                           ARRIVE(".relaxed.cluster") ";"};
    for (const LitmusPlace *p = LITMUS_PLACES; p->least < LITMUS_GPU; p++)
        for (int first = 0; first < 2; first++)
            for (int second = 0; second < 2; second++) {
                Arena arena = {0};
                Str text = str_format(
                    &arena,
                    "T0: " STORE "%s\n" END "T1: .loc 1 3 1\n%s\n%s" END
                    "T2: .loc 1 4 1\n%s\n" END,
                    arrivals[first], WAITS[0].text, LOAD, arrivals[second]);
                text = litmus_replaced(&arena, text, "PARITY", "0");
                try_both(p, "2", text, first == 0);
                arena_free(&arena);
            }
}

// Thread 0 arrives, and when thread 1 has seen that, again; it stores before
// the first arrival, or between the two. Thread 1 loads behind its first wait
// or behind its second.
TEST(a_wait_orders_what_was_before_the_arrivals_of_its_phase) {
    static const char first_wait[] =
        "V: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n"
        "@!%p2 bra V;\n";
    for (const LitmusPlace *p = LITMUS_PLACES; p->least < LITMUS_GPU; p++)
        for (int stored = 0; stored < 2; stored++)
            for (int loaded = 0; loaded < 2; loaded++) {
                Arena arena = {0};
                Str text = str_format(
                    &arena,
                    "T0: %s%s\nW: ld.relaxed.sys.global.u32 %%r4, [%%l0+64];\n"
                    "setp.eq.u32 %%p3, %%r4, 0; @%%p3 bra W;\n%s%s\n" END
                    "T1: .loc 1 3 1\n%s"
                    "st.relaxed.sys.global.u32 [%%l0+64], 1;\n%s%s%s" END
                    "T2: " END,
                    stored == 0 ? STORE : "", ARRIVALS[2].text,
                    stored == 1 ? STORE : "", ARRIVALS[2].text, first_wait,
                    loaded == 0 ? LOAD : "", WAIT_IN("try_wait.parity", "U"),
                    loaded == 1 ? LOAD : "");
                text = litmus_replaced(&arena, text, "PARITY", "1");
                try_both(p, "1", text, stored <= loaded);
                arena_free(&arena);
            }
}

// Thread 1 hears of thread 0 by a wait, and passes it on to thread 2, whom
// thread 0 does not meet: it is of another block than the two, or has arrived
// at the cluster's barrier before it stores.
static const LitmusPlace NEIGHBOUR_AND_TWO = {
    "a block, and two warps of its neighbour",
    2,
    2,
    64,
    "mov.u32 %r1, %tid.x; and.b32 %r0, %r1, 31; setp.ne.u32 %p1, %r0, 0;\n"
    "@%p1 ret; mov.u32 %r2, %ctaid.x; shr.u32 %r1, %r1, 5;\n"
    "add.u32 %r0, %r1, %r2; setp.gt.u32 %p1, %r1, %r2; @%p1 ret;",
    LITMUS_CLUSTER};

#define FLAG_UP "st.release.gpu.global.u32 [%l0+96], 1;"
#define FLAG_SEEN                                   \
    "U: ld.acquire.gpu.global.u32 %r4, [%l0+96];\n" \
    "setp.eq.u32 %p3, %r4, 0; @%p3 bra U;"

// docs/semantics.md: a relaxed wait and a barrier behind it are right. The
// release of a word takes along what was acquired, and no more.
static const struct {
    const char *before, *after; // thread 0's store and arrival
    size_t wait;
    const char *passes, *takes;
    bool orders;
} PASSES[] = {
    {"", "", 5, "barrier.sync 0;", "barrier.sync 0;", true},
    {"", "", 7, "barrier.sync 0;", "barrier.sync 0;", true},
    {"", "", 0, "barrier.arrive 1, 64;", "barrier.sync 1, 64;", true},
    {"", "", 5, "barrier.arrive 1, 64;", "barrier.sync 1, 64;", true},
    {"barrier.cluster.arrive;", "barrier.cluster.wait;", 0,
     "barrier.cluster.arrive; barrier.cluster.wait;",
     "barrier.cluster.arrive; barrier.cluster.wait;", true},
    {"barrier.cluster.arrive;", "barrier.cluster.wait;", 5,
     "barrier.cluster.arrive; barrier.cluster.wait;",
     "barrier.cluster.arrive; barrier.cluster.wait;", true},
    {"", "", 5, FLAG_UP, FLAG_SEEN, false},
    {"", "", 6, FLAG_UP, FLAG_SEEN, false},
    {"", "", 9, FLAG_UP, FLAG_SEEN, false},
    {"", "", 0, FLAG_UP, FLAG_SEEN, true},
    {"", "", 7, FLAG_UP, FLAG_SEEN, true},
    {"", "", 8, FLAG_UP, FLAG_SEEN, true},
};

TEST(a_barrier_takes_along_what_a_relaxed_wait_has_seen) {
    for (size_t i = 0; i < COUNT_OF(PASSES); i++) {
        Arena arena = {0};
        Str text = str_format(&arena,
                              "T0: %s\n" STORE "%s\n%s\n" END
                              "T1: .loc 1 3 1\n%s\n%s\n" END
                              "T2: .loc 1 4 1\n%s\n%s" END,
                              PASSES[i].before, ARRIVALS[2].text,
                              PASSES[i].after, WAITS[PASSES[i].wait].text,
                              PASSES[i].passes, PASSES[i].takes, LOAD);
        text = litmus_replaced(&arena, text, "PARITY", "0");
        try_both(&NEIGHBOUR_AND_TWO, "1", text, PASSES[i].orders);
        arena_free(&arena);
    }
}

TEST_MAIN(
    TESTCASE(a_barrier_orders_what_is_before_its_arrivals_and_behind_its_waits),
    TESTCASE(lanes_that_meet_are_ordered_and_no_others),
    TESTCASE(warps_that_meet_are_ordered_and_no_others),
    TESTCASE(an_arrival_that_releases_and_a_wait_that_acquires_order),
    TESTCASE(each_arrival_releases_what_its_own_thread_has_done),
    TESTCASE(a_wait_orders_what_was_before_the_arrivals_of_its_phase),
    TESTCASE(a_barrier_takes_along_what_a_relaxed_wait_has_seen))
