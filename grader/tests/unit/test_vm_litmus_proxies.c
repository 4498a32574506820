// SPDX-License-Identifier: Apache-2.0
// The generic and the async proxy, one side varied at a time (litmus.h): which
// access comes first, in which memory, which proxy fence there is and in which
// thread, and who waits for what. docs/semantics.md says what is right: a full
// fence of the right space anywhere between the two, or both halves, release
// first; a wait for what has been issued.
#include "tests/unit/litmus.h"

enum { FIRST = 20, SECOND = 30 }; // lines

#define FENCE_ALL "fence.proxy.async;"
#define FENCE_CTA "fence.proxy.async.shared::cta;"
#define FENCE_CLUSTER "fence.proxy.async.shared::cluster;"
#define FENCE_GLOBAL "fence.proxy.async.global;"
#define RELEASE \
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"
#define ACQUIRE                                                          \
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster." \
    "cluster;"

#define LOAD                                                              \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [x], " \
    "[%l0+256], 16, [bar];"
#define STORE                                                          \
    "cp.async.bulk.global.shared::cta.bulk_group [%l0+256], [x], 16; " \
    "cp.async.bulk.commit_group;"
#define SEEN(name)                                                          \
    name ": mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 " \
         "bra " name ";"
#define STORED "cp.async.bulk.wait_group 0;"
#define STORE_READ "cp.async.bulk.wait_group.read 0;"

// x is there, and an mbarrier that expects 16 bytes.
#define BEGIN                                                        \
    "mov.u32 %r9, %tid.x; setp.eq.u32 %p2, %r9, 0;\n"                \
    "@%p2 mbarrier.init.shared::cta.b64 [bar], 1;\n"                 \
    "@%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n" \
    "barrier.sync 0;\n"

// Threads of three warps; and one alone, which does what thread 0 and then
// thread 1 would do.
static LitmusRun run_parts(Arena *arena, bool alone, const char *parts[3]) {
    LitmusPlace place = LITMUS_PLACES[1];
    place.number = str_format(arena, "%s\n%s%c", place.number, BEGIN, '\0').ptr;
    Str text =
        alone ? str_format(arena, "T0: %s\n%s\nret;\nT1: T2: ret;", parts[0],
                           parts[1])
              : str_format(arena,
                           "T0: %s\nbarrier.sync 1; barrier.sync 2; ret;\n"
                           "T1: barrier.sync 1; barrier.sync 2;\n%s\nret;\n"
                           "T2: barrier.sync 1; %s barrier.sync 2; ret;",
                           parts[0], parts[1], parts[2]);
    return litmus_run(arena, &place, text);
}

static bool has_advisory(const LitmusRun *run) {
    for (size_t i = 0; i < run->run.finding_count; i++)
        if (run->run.findings[i].level == FINDING_ADVISORY &&
            run->run.findings[i].rule == RULE_RACE002)
            return true;
    return false;
}

// ---- from the generic proxy to the async one ------------------------------

// The fences in thread 0 behind its access, in thread 1 before the copy, and in
// thread 2 between two barriers that lie between the two.
typedef struct Fences {
    const char *first, *second, *between;
    bool shared, global; // what they carry over
} Fences;

static const Fences FENCES[] = {
    {"", "", "", false, false},
    {FENCE_ALL, "", "", true, true},
    {"", FENCE_ALL, "", true, true},
    {"", "", FENCE_ALL, true, true},
    {FENCE_CTA, "", "", true, false},
    {"", FENCE_CTA, "", true, false},
    {"", "", FENCE_CTA, true, false},
    {FENCE_CLUSTER, "", "", true, false},
    {"", FENCE_CLUSTER, "", true, false},
    {FENCE_GLOBAL, "", "", false, true},
    {"", FENCE_GLOBAL, "", false, true},
    {"", "", FENCE_GLOBAL, false, true},
    {RELEASE, "", "", false, false},
    {"", ACQUIRE, "", false, false},
    {RELEASE, ACQUIRE, "", true, false},
    {ACQUIRE, RELEASE, "", false, false},
    {RELEASE, "", ACQUIRE, true, false},
    {"", ACQUIRE, RELEASE, true, false},
    {"fence.acq_rel.sys;", "fence.sc.sys;", "", false, false},
    {FENCE_CTA, FENCE_GLOBAL, "", true, true},
};

// An ordinary access of what the copy reads or writes, before it.
static const struct {
    const char *access, *copy;
    bool is_shared;  // the bytes that both access
    bool is_advised; // a read that is overwritten: an advisory, no error
} PAIRS[] = {
    {"st.shared.u32 [x], 5;", STORE STORED, true, false},
    {"st.shared.u32 [x], 5;", LOAD SEEN("V"), true, false},
    {"ld.shared.u32 %r2, [x]; st.global.u32 [%l0], %r2;", LOAD SEEN("V"), true,
     true},
    {"st.global.u32 [%l0+256], 5;", LOAD SEEN("V"), false, false},
    {"st.global.u32 [%l0+256], 5;", STORE STORED, false, false},
    {"ld.global.u32 %r2, [%l0+256]; st.global.u32 [%l0], %r2;", STORE STORED,
     false, true},
};

static const char *before_copy(Arena *arena, size_t pair, const char *fence) {
    return str_format(arena, "%s\n.loc 1 30 1\n%s\n.loc 1 3 1%c", fence,
                      PAIRS[pair].copy, '\0')
        .ptr;
}

static void try_fences(size_t pair, const Fences *f, bool alone) {
    if (alone && f->between[0])
        return;
    Arena arena = {0};
    const char *init = "st.shared.u32 [x], 1; fence.proxy.async;";
    const char *parts[3] = {str_format(&arena,
                                       "%s\n.loc 1 20 1\n%s\n.loc 1 2 1\n%s%c",
                                       init, PAIRS[pair].access, f->first, '\0')
                                .ptr,
                            before_copy(&arena, pair, f->second), f->between};
    LitmusRun run = run_parts(&arena, alone, parts);
    bool fenced = PAIRS[pair].is_shared ? f->shared : f->global;
    bool race = !fenced && !PAIRS[pair].is_advised;
    bool advised = !fenced && PAIRS[pair].is_advised;
    if (!CHECK(run.is_done && litmus_has(&run, RULE_RACE002, SECOND) == race &&
               litmus_errors(&run) == race && has_advisory(&run) == advised)) {
        printf("# pair %zu, alone %d, expected %d\n", pair, alone, race);
        litmus_show(&LITMUS_PLACES[1], &run);
    }
    arena_free(&arena);
}

TEST(a_fence_carries_what_its_space_has_to_the_async_proxy) {
    for (size_t pair = 0; pair < COUNT_OF(PAIRS); pair++)
        for (size_t i = 0; i < COUNT_OF(FENCES); i++) {
            try_fences(pair, &FENCES[i], false);
            try_fences(pair, &FENCES[i], true);
        }
}

// ---- from the async proxy to the generic one ------------------------------

// Thread 0 issues a copy and waits, or not; thread 1 accesses the bytes, after
// a wait of its own, or not.
static const struct {
    const char *copy, *first, *second, *access;
    bool orders;
} WAITS[] = {
    {LOAD, "", "", "ld.shared.u32 %r2, [x]; st.global.u32 [%l0], %r2;", false},
    {LOAD, SEEN("V"), "", "ld.shared.u32 %r2, [x]; st.global.u32 [%l0], %r2;",
     true},
    {LOAD, "", SEEN("U"), "ld.shared.u32 %r2, [x]; st.global.u32 [%l0], %r2;",
     true},
    {LOAD, "", "", "st.shared.u32 [x], 3;", false},
    {LOAD, SEEN("V"), "", "st.shared.u32 [x], 3;", true},
    {LOAD, "", SEEN("U"), "st.shared.u32 [x], 3;", true},
    {LOAD, "", "", "st.global.u32 [%l0+256], 3;", false},
    {LOAD, SEEN("V"), "", "st.global.u32 [%l0+256], 3;", true},
    {LOAD, FENCE_ALL, FENCE_ALL, "st.shared.u32 [x], 3;", false},
    {STORE, "", "", "st.shared.u32 [x], 3;", false},
    {STORE, STORE_READ, "", "st.shared.u32 [x], 3;", true},
    {STORE, STORED, "", "st.shared.u32 [x], 3;", true},
    {STORE, "", "", "ld.global.u32 %r2, [%l0+256]; st.global.u32 [%l0], %r2;",
     false},
    {STORE, STORE_READ, "",
     "ld.global.u32 %r2, [%l0+256]; st.global.u32 [%l0], %r2;", false},
    {STORE, STORED, "",
     "ld.global.u32 %r2, [%l0+256]; st.global.u32 [%l0], %r2;", true},
    {STORE, FENCE_ALL, FENCE_ALL, "st.global.u32 [%l0+256], 3;", false},
    {STORE, STORED, "", "st.global.u32 [%l0+256], 3;", true},
    // The group is the issuing thread's own: another's wait is for nothing.
    {STORE, "", STORED, "st.shared.u32 [x], 3;", false},
};

static bool is_group_of_another(size_t i, bool alone) {
    return alone && strcmp(WAITS[i].second, STORED) == 0;
}

TEST(what_was_issued_is_waited_for) {
    for (size_t i = 0; i < COUNT_OF(WAITS); i++)
        for (int alone = 0; alone < 2; alone++) {
            if (is_group_of_another(i, alone))
                continue;
            Arena arena = {0};
            const char *parts[3] = {
                str_format(&arena,
                           "st.shared.u32 [x], 1; fence.proxy.async;\n"
                           ".loc 1 20 1\n%s\n.loc 1 2 1\n%s%c",
                           WAITS[i].copy, WAITS[i].first, '\0')
                    .ptr,
                str_format(&arena, "%s\n.loc 1 30 1\n%s\n.loc 1 3 1%c",
                           WAITS[i].second, WAITS[i].access, '\0')
                    .ptr,
                ""};
            LitmusRun run = run_parts(&arena, alone, parts);
            bool race = !WAITS[i].orders;
            bool found = litmus_has(&run, RULE_RACE002, SECOND);
            if (!CHECK(found == race)) {
                printf("# wait %zu, alone %d\n", i, alone);
                litmus_show(&LITMUS_PLACES[1], &run);
            }
            arena_free(&arena);
        }
}

// ---- groups --------------------------------------------------------------

#define COPY(to, from) "cp.async.cg.shared.global [" to "], [" from "], 16; "
#define COMMIT "cp.async.commit_group; "
#define BULK(to, from) \
    "cp.async.bulk.global.shared::cta.bulk_group [" to "], [" from "], 16; "
#define BULK_COMMIT "cp.async.bulk.commit_group; "

// Two copies of a thread, in groups; what it waits for; whether the first and
// the second are complete then: for reads of what they write, and for writes of
// what they read (of cp.async, the same).
static const struct {
    const char *copies, *waits;
    bool written[2], read[2];
} GROUPS[] = {
#define TWO COPY("x", "%l0+256") COMMIT COPY("x+64", "%l0+320") COMMIT
    {TWO, "", {false, false}, {false, false}},
    {TWO, "cp.async.wait_group 0;", {true, true}, {true, true}},
    {TWO, "cp.async.wait_group 1;", {true, false}, {true, false}},
    {TWO, "cp.async.wait_group 2;", {false, false}, {false, false}},
    {TWO, "cp.async.wait_all;", {true, true}, {true, true}},
    {TWO COMMIT, "cp.async.wait_group 1;", {true, true}, {true, true}},
    {TWO COMMIT, "cp.async.wait_group 2;", {true, false}, {true, false}},
#undef TWO
#define ONE COPY("x", "%l0+256") COPY("x+64", "%l0+320") COMMIT
    {ONE, "cp.async.wait_group 0;", {true, true}, {true, true}},
    {ONE, "cp.async.wait_group 1;", {false, false}, {false, false}},
#undef ONE
#define OPEN COPY("x", "%l0+256") COMMIT COPY("x+64", "%l0+320")
    {OPEN, "cp.async.wait_group 0;", {true, false}, {true, false}},
    {OPEN, "cp.async.wait_group 1;", {false, false}, {false, false}},
    {OPEN, "cp.async.wait_all;", {true, true}, {true, true}},
#undef OPEN
};

#define BULK_TWO \
    BULK("%l0+256", "x") BULK_COMMIT BULK("%l0+320", "x+64") BULK_COMMIT
static const struct {
    const char *copies, *waits;
    bool written[2], read[2];
} BULK_GROUPS[] = {
    {BULK_TWO, "", {false, false}, {false, false}},
    {BULK_TWO, "cp.async.bulk.wait_group 0;", {true, true}, {true, true}},
    {BULK_TWO, "cp.async.bulk.wait_group 1;", {true, false}, {true, false}},
    {BULK_TWO, "cp.async.bulk.wait_group 2;", {false, false}, {false, false}},
    {BULK_TWO,
     "cp.async.bulk.wait_group.read 0;",
     {false, false},
     {true, true}},
    {BULK_TWO,
     "cp.async.bulk.wait_group.read 1;",
     {false, false},
     {true, false}},
    {BULK_TWO,
     "cp.async.bulk.wait_group 1; cp.async.bulk.wait_group.read 0;",
     {true, false},
     {true, true}},
};

// The thread itself accesses the bytes, or another one behind a barrier.
static void try_group(const char *copies, const char *waits, const char *access,
                      bool complete) {
    for (int alone = 0; alone < 2; alone++) {
        Arena arena = {0};
        const char *parts[3] = {
            str_format(&arena,
                       "st.shared.u32 [x], 1; st.shared.u32 [x+64], 1; "
                       "fence.proxy.async;\n.loc 1 20 1\n%s\n.loc 1 2 1\n%s%c",
                       copies, waits, '\0')
                .ptr,
            str_format(&arena, ".loc 1 30 1\n%s\n.loc 1 3 1%c", access, '\0')
                .ptr,
            ""};
        LitmusRun run = run_parts(&arena, alone, parts);
        if (!CHECK(litmus_has(&run, RULE_RACE002, SECOND) != complete)) {
            printf("# alone %d, %s\n", alone, complete ? "a race" : "no race");
            litmus_show(&LITMUS_PLACES[1], &run);
        }
        arena_free(&arena);
    }
}

TEST(a_wait_for_groups_is_for_the_older_ones) {
    static const char *const reads[] = {
        "ld.shared.u32 %r2, [x]; st.global.u32 [%l0], %r2;",
        "ld.shared.u32 %r2, [x+64]; st.global.u32 [%l0], %r2;"};
    static const char *const writes[] = {"st.global.u32 [%l0+256], 3;",
                                         "st.global.u32 [%l0+320], 3;"};
    for (size_t i = 0; i < COUNT_OF(GROUPS); i++)
        for (int which = 0; which < 2; which++) {
            try_group(GROUPS[i].copies, GROUPS[i].waits, reads[which],
                      GROUPS[i].written[which]);
            try_group(GROUPS[i].copies, GROUPS[i].waits, writes[which],
                      GROUPS[i].read[which]);
        }
}

TEST(a_wait_for_bulk_groups_is_for_the_older_ones) {
    static const char *const reads[] = {
        "ld.global.u32 %r2, [%l0+256]; st.global.u32 [%l0], %r2;",
        "ld.global.u32 %r2, [%l0+320]; st.global.u32 [%l0], %r2;"};
    static const char *const writes[] = {"st.shared.u32 [x], 3;",
                                         "st.shared.u32 [x+64], 3;"};
    for (size_t i = 0; i < COUNT_OF(BULK_GROUPS); i++)
        for (int which = 0; which < 2; which++) {
            try_group(BULK_GROUPS[i].copies, BULK_GROUPS[i].waits, reads[which],
                      BULK_GROUPS[i].written[which]);
            try_group(BULK_GROUPS[i].copies, BULK_GROUPS[i].waits,
                      writes[which], BULK_GROUPS[i].read[which]);
        }
}

// ---- the same proxy on both sides ----------------------------------------

// cp.async belongs to the generic proxy: a barrier is enough, and nothing is
// said of fences.
TEST(a_copy_of_the_generic_proxy_needs_no_fence) {
    static const char *const accesses[] = {
        "st.shared.u32 [x], 5;",
        "ld.shared.u32 %r2, [x]; st.global.u32 [%l0], %r2;",
        "st.global.u32 [%l0+256], 5;",
        "ld.global.u32 %r2, [%l0+256]; st.global.u32 [%l0], %r2;"};
    for (size_t i = 0; i < COUNT_OF(accesses); i++)
        for (int alone = 0; alone < 2; alone++) {
            Arena arena = {0};
            const char *parts[3] = {
                str_format(&arena, "st.shared.u32 [x], 1;\n.loc 1 20 1\n%s%c",
                           accesses[i], '\0')
                    .ptr,
                ".loc 1 30 1\n" COPY("x", "%l0+256") "cp.async.wait_all;", ""};
            LitmusRun run = run_parts(&arena, alone, parts);
            if (!CHECK(run.is_done && run.run.finding_count == 0))
                litmus_show(&LITMUS_PLACES[1], &run);
            arena_free(&arena);
        }
}

#define REDUCE(to, from)                                                    \
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [" to "], " \
    "[" from "], 16; "

// Two copies that nothing orders, by one thread or by two: reductions are
// atomic, anything else that writes what the other accesses is a race.
TEST(copies_race_unless_both_are_reductions_or_read) {
    static const struct {
        const char *first, *second;
        bool races;
    } cases[] = {
        {BULK("%l0+256", "x"), BULK("%l0+256", "x+64"), true},
        {BULK("%l0+256", "x"), BULK("%l0+320", "x"), false},
        {BULK("%l0+256", "x"), BULK("%l0+256", "x"), false}, // the same again
        {BULK("%l0+256", "x"), REDUCE("%l0+256", "x+64"), true},
        {REDUCE("%l0+256", "x"), BULK("%l0+256", "x+64"), true},
        {REDUCE("%l0+256", "x"), REDUCE("%l0+256", "x+64"), false},
        {BULK("%l0+256", "x"), LOAD, true},
        {REDUCE("%l0+256", "x"), LOAD, true},
        {REDUCE("%l0+256", "x"), "red.relaxed.gpu.global.add.u32 [%l0+256], 1;",
         false},
        {REDUCE("%l0+256", "x"), "st.global.u32 [%l0+256], 1;", true},
        {BULK("%l0+256", "x"), "red.relaxed.gpu.global.add.u32 [%l0+256], 1;",
         true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int alone = 0; alone < 2; alone++) {
            Arena arena = {0};
            const char *parts[3] = {
                str_format(
                    &arena,
                    "st.shared.v4.u32 [x], {%%r0, %%r0, %%r0, %%r0};\n"
                    "st.shared.v4.u32 [x+64], {%%r0, %%r0, %%r0, %%r0};\n"
                    "fence.proxy.async;\n.loc 1 20 1\n%s" BULK_COMMIT "%c",
                    cases[i].first, '\0')
                    .ptr,
                str_format(&arena,
                           ".loc 1 30 1\n%s\n.loc 1 3 1\n" BULK_COMMIT "%c",
                           cases[i].second, '\0')
                    .ptr,
                ""};
            LitmusRun run = run_parts(&arena, alone, parts);
            if (!CHECK(litmus_has(&run, RULE_RACE002, SECOND) ==
                       cases[i].races)) {
                printf("# case %zu, alone %d\n", i, alone);
                litmus_show(&LITMUS_PLACES[1], &run);
            }
            arena_free(&arena);
        }
}

// ---- answers -------------------------------------------------------------

#define ASK                                                                    \
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx:" \
    ":bytes.b128 [x], [bar]; "

// The slot of an answer was read, or written, before it is asked for: an error
// of CLC006, or of RACE002, without the fence.
TEST(a_slot_is_asked_for_behind_a_fence) {
    static const struct {
        const char *access;
        DeviceRule rule;
    } cases[] = {
        {"ld.shared.u32 %r2, [x]; st.global.u32 [%l0], %r2;", RULE_CLC006},
        {"ld.shared.u32 %r2, [x+12]; st.global.u32 [%l0], %r2;", RULE_CLC006},
        {"st.shared.u32 [x], 5;", RULE_RACE002},
        {"st.shared.u32 [x+12], 5;", RULE_RACE002},
        {"ld.shared.u32 %r2, [x+16]; st.global.u32 [%l0], %r2;",
         DEVICE_RULE_NONE},
        {"st.shared.u32 [x+16], 5;", DEVICE_RULE_NONE},
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++)
        for (size_t i = 0; i < COUNT_OF(FENCES); i++) {
            const Fences *f = &FENCES[i];
            Arena arena = {0};
            const char *parts[3] = {
                str_format(&arena,
                           "st.shared.u32 [x], 1; st.shared.u32 [x+12], 1; "
                           "st.shared.u32 [x+16], 1; fence.proxy.async;\n"
                           ".loc 1 20 1\n%s\n.loc 1 2 1\n%s%c",
                           cases[c].access, f->first, '\0')
                    .ptr,
                str_format(&arena, "%s\n.loc 1 30 1\n" ASK "\n.loc 1 3 1\n%s%c",
                           f->second, SEEN("V"), '\0')
                    .ptr,
                f->between};
            LitmusRun run = run_parts(&arena, false, parts);
            bool wrong = cases[c].rule != DEVICE_RULE_NONE && !f->shared;
            if (!CHECK(run.is_done && litmus_errors(&run) == wrong) ||
                (wrong && !CHECK(litmus_has(&run, cases[c].rule, SECOND))))
                litmus_show(&LITMUS_PLACES[1], &run);
            arena_free(&arena);
        }
}

// Who reads an answer has waited for it, or met somebody who has.
TEST(an_answer_is_read_behind_a_wait) {
    static const struct {
        const char *first, *second;
        bool right;
    } cases[] = {
        {"", "", false},
        {SEEN("V"), "", true},
        {"", SEEN("U"), true},
        {FENCE_ALL, FENCE_ALL, false},
        {"V: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p2, [bar], "
         "0; @!%p2 bra V;",
         "", true}, // and a barrier behind it
        {"", "mbarrier.test_wait.parity.shared::cta.b64 %p2, [bar], 1;", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena arena = {0};
        const char *parts[3] = {
            str_format(&arena, ".loc 1 20 1\n" ASK "\n.loc 1 2 1\n%s%c",
                       cases[i].first, '\0')
                .ptr,
            str_format(
                &arena,
                "%s\n.loc 1 30 1\nld.shared.v2.u64 {%%l2, %%l3}, [x];\n"
                ".reg .b128 %%q; mov.b128 %%q, {%%l2, %%l3};\n"
                "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
                "%%p3, %%q; selp.u32 %%r2, 1, 0, %%p3;\n"
                ".loc 1 3 1\nst.global.u32 [%%l0], %%r2;\n%s%c",
                cases[i].second, SEEN("Z"), '\0')
                .ptr,
            ""};
        LitmusRun run = run_parts(&arena, false, parts);
        if (!CHECK(litmus_has(&run, RULE_CLC007, SECOND) != cases[i].right)) {
            printf("# case %zu\n", i);
            litmus_show(&LITMUS_PLACES[1], &run);
        }
        arena_free(&arena);
    }
}

TEST_MAIN(TESTCASE(a_fence_carries_what_its_space_has_to_the_async_proxy),
          TESTCASE(what_was_issued_is_waited_for),
          TESTCASE(a_wait_for_groups_is_for_the_older_ones),
          TESTCASE(a_wait_for_bulk_groups_is_for_the_older_ones),
          TESTCASE(a_copy_of_the_generic_proxy_needs_no_fence),
          TESTCASE(copies_race_unless_both_are_reductions_or_read),
          TESTCASE(a_slot_is_asked_for_behind_a_fence),
          TESTCASE(an_answer_is_read_behind_a_wait))
