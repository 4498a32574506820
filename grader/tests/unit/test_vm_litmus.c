// SPDX-License-Identifier: Apache-2.0
// Scopes and orders of ordinary memory, one side varied at a time (litmus.h):
// pairs of accesses that nothing orders; messages behind a flag; and release
// sequences through a third thread. Each test states the rule of the PTX ISA's
// memory consistency model that it takes what is right from.
#include "result/finding.h"
#include "tests/unit/litmus.h"

enum { FIRST = 20, SECOND = 30, FLAG = 40, LAST = 50 }; // lines

// ---- pairs ---------------------------------------------------------------

// One access to [%l0].
typedef struct Access {
    const char *op; // "%s" is the scope, if it has one
    bool reads, writes, strong;
} Access;

static const Access ACCESSES[] = {
    {"ld.global.u32 %r2, [%l0];", true, false, false},
    {"st.global.u32 [%l0], %r3;", false, true, false},
    {"ld.relaxed.SCOPE.global.u32 %r2, [%l0];", true, false, true},
    {"ld.acquire.SCOPE.global.u32 %r2, [%l0];", true, false, true},
    {"st.relaxed.SCOPE.global.u32 [%l0], %r3;", false, true, true},
    {"st.release.SCOPE.global.u32 [%l0], %r3;", false, true, true},
    {"red.relaxed.SCOPE.global.add.u32 [%l0], %r3;", false, true, true},
    {"atom.acq_rel.SCOPE.global.add.u32 %r2, [%l0], %r3;", true, true, true},
    {"ld.volatile.global.u32 %r2, [%l0];", true, false, true},
    {"st.volatile.global.u32 [%l0], %r3;", false, true, true},
};

static Str with_scope(Arena *arena, const char *op, LitmusScope scope) {
    const char *at = strstr(op, "SCOPE");
    if (!at)
        return str_from(op);
    return str_format(arena, "%.*s%s%s", (int)(at - op), op,
                      LITMUS_SCOPE[scope], at + 5);
}

static bool has_scope(const Access *a) {
    return strstr(a->op, "SCOPE") != NULL;
}

// Volatile accesses are relaxed ones of the system.
static LitmusScope scope_of(const Access *a, LitmusScope scope) {
    return has_scope(a) ? scope : LITMUS_SYS;
}

// The flag is relaxed: it makes the second access come later, and orders
// nothing.
static Str pair(Arena *arena, const Access *a, LitmusScope sa, const Access *b,
                LitmusScope sb) {
    return str_format(
        arena,
        "T0: mov.u32 %%r3, 5;\n.loc 1 %d 1\n%.*s\n.loc 1 2 1\n"
        "st.relaxed.sys.global.u32 [%%l0+64], 1;\n"
        "st.global.u32 [%%l0+128], %%r2; ret;\n"
        "T1: mov.u32 %%r3, 7;\n.loc 1 3 1\n"
        "W: ld.relaxed.sys.global.u32 %%r4, [%%l0+64];\n"
        "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra W;\n.loc 1 %d 1\n%.*s\n"
        ".loc 1 4 1\nst.global.u32 [%%l0+132], %%r2; ret;\nT2: ret;",
        FIRST, STR_ARG(with_scope(arena, a->op, sa)), SECOND,
        STR_ARG(with_scope(arena, b->op, sb)));
}

// PTX ISA, "Conflict and data races": overlapping, one writes, not ordered, and
// not morally strong: both strong, each one's scope has the other's thread.
static bool is_race(const LitmusPlace *place, const Access *a, LitmusScope sa,
                    const Access *b, LitmusScope sb) {
    bool conflict = a->writes || b->writes;
    bool morally_strong = a->strong && b->strong &&
                          scope_of(a, sa) >= place->least &&
                          scope_of(b, sb) >= place->least;
    return conflict && !morally_strong;
}

static void try_pair(const LitmusPlace *place, const Access *a, LitmusScope sa,
                     const Access *b, LitmusScope sb) {
    Arena arena = {0};
    LitmusRun run = litmus_run(&arena, place, pair(&arena, a, sa, b, sb));
    bool expected = is_race(place, a, sa, b, sb);
    if (!CHECK(run.is_done && litmus_errors(&run) == expected &&
               litmus_has(&run, RULE_RACE001, SECOND) == expected))
        litmus_show(place, &run);
    arena_free(&arena);
}

static LitmusScope last_scope(const Access *a) {
    return has_scope(a) ? LITMUS_SYS : LITMUS_CTA;
}

TEST(two_accesses_race_unless_both_scopes_have_both_threads) {
    for (size_t p = 0; p < COUNT_OF(LITMUS_PLACES); p++)
        for (const Access *a = ACCESSES; a < ACCESSES + COUNT_OF(ACCESSES); a++)
            for (const Access *b = ACCESSES; b < ACCESSES + COUNT_OF(ACCESSES);
                 b++)
                for (int sa = 0; sa <= (int)last_scope(a); sa++)
                    for (int sb = 0; sb <= (int)last_scope(b); sb++)
                        try_pair(&LITMUS_PLACES[p], a, (LitmusScope)sa, b,
                                 (LitmusScope)sb);
}

// ---- the same in shared memory -------------------------------------------

// An access of x in block 0. The cluster's barriers see to it that the block is
// there.
static const char *in_shared(Arena *arena, Str op) {
    Str text = litmus_replaced(arena, op, ".global.", ".shared::cluster.");
    text = litmus_replaced(arena, text, "[%l0]", "[%r9]");
    return str_format(arena, "%.*s%c", STR_ARG(text), '\0').ptr;
}

static void try_shared(const LitmusPlace *place, const Access *a,
                       LitmusScope sa, const Access *b, LitmusScope sb) {
    static const char begin[] =
        "mov.u32 %r9, %tid.x; setp.eq.u32 %p2, %r9, 0;\n"
        "@%p2 st.shared.u32 [x], 1;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n"
        "mov.u32 %r9, x; mapa.shared::cluster.u32 %r9, %r9, 0;";
    Arena arena = {0};
    Access first = *a, second = *b;
    LitmusPlace met = *place;
    met.number = str_format(&arena, "%s\n%s%c", place->number, begin, '\0').ptr;
    first.op = in_shared(&arena, with_scope(&arena, a->op, sa));
    second.op = in_shared(&arena, with_scope(&arena, b->op, sb));
    Str text =
        litmus_replaced(&arena, pair(&arena, &first, sa, &second, sb), "ret;",
                        "barrier.cluster.arrive; barrier.cluster.wait; ret;");
    LitmusRun run = litmus_run(&arena, &met, text);
    bool expected = is_race(place, a, sa, b, sb);
    if (!CHECK(run.is_done && litmus_errors(&run) == expected &&
               litmus_has(&run, RULE_RACE001, SECOND) == expected))
        litmus_show(place, &run);
    arena_free(&arena);
}

TEST(two_accesses_of_shared_memory_race_likewise) {
    for (const LitmusPlace *p = LITMUS_PLACES; p->least < LITMUS_GPU; p++)
        for (const Access *a = ACCESSES; a < ACCESSES + COUNT_OF(ACCESSES); a++)
            for (const Access *b = ACCESSES; b < ACCESSES + COUNT_OF(ACCESSES);
                 b++) {
                LitmusScope wide = LITMUS_SYS, narrow = LITMUS_CTA;
                try_shared(p, a, wide, b, wide);
                if (has_scope(a))
                    try_shared(p, a, narrow, b, wide);
                if (has_scope(b))
                    try_shared(p, a, wide, b, narrow);
            }
}

// ---- sizes ---------------------------------------------------------------

// PTX ISA, "Overlap", "Morally strong operations": that two strong accesses
// overlap in part is a race like any other; side by side they do not conflict.
TEST(strong_accesses_of_other_sizes_race) {
    static const struct {
        const char *first, *second;
        bool races;
    } cases[] = {
        {"st.relaxed.gpu.global.u32 [%l0], %r3;",
         "ld.relaxed.gpu.global.u32 %r2, [%l0];", false},
        {"st.relaxed.gpu.global.u32 [%l0], %r3;",
         "ld.relaxed.gpu.global.u16 %r2, [%l0];", true},
        {"st.relaxed.gpu.global.u32 [%l0], %r3;",
         "ld.relaxed.gpu.global.u16 %r2, [%l0+2];", true},
        {"st.relaxed.gpu.global.u16 [%l0+2], %r3;",
         "ld.relaxed.gpu.global.u16 %r2, [%l0+2];", false},
        {"st.relaxed.gpu.global.u16 [%l0], %r3;",
         "ld.relaxed.gpu.global.u16 %r2, [%l0+2];", false},
        {"st.relaxed.gpu.global.u32 [%l0+4], %r3;",
         "ld.relaxed.gpu.global.u64 %l2, [%l0];", true},
        {"st.relaxed.gpu.global.u64 [%l0], %l3;",
         "st.relaxed.gpu.global.u32 [%l0+4], %r3;", true},
        {"st.relaxed.gpu.global.u64 [%l0], %l3;",
         "st.relaxed.gpu.global.u64 [%l0], %l4;", false},
        {"ld.relaxed.gpu.global.u64 %l2, [%l0];",
         "st.relaxed.gpu.global.u32 [%l0], %r3;", true},
        {"ld.relaxed.gpu.global.u64 %l2, [%l0];",
         "st.relaxed.gpu.global.u32 [%l0+8], %r3;", false},
        {"red.relaxed.gpu.global.add.u32 [%l0], %r3;",
         "red.relaxed.gpu.global.add.u64 [%l0], %l3;", true},
        {"st.global.u8 [%l0+1], %r3;", "ld.global.u8 %r2, [%l0+1];", true},
        {"st.global.u8 [%l0+1], %r3;", "ld.global.u8 %r2, [%l0+2];", false},
        {"st.global.u32 [%l0], %r3;", "ld.global.u8 %r2, [%l0+3];", true},
        {"st.global.u8 [%l0+3], %r3;", "ld.global.u64 %l2, [%l0];", true},
    };
    for (size_t p = 0; p < COUNT_OF(LITMUS_PLACES); p++)
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            Access a = {.op = cases[i].first}, b = {.op = cases[i].second};
            Arena arena = {0};
            // All that was read counts.
            Str text = litmus_replaced(
                &arena, pair(&arena, &a, 0, &b, 0), "+132], %r2;",
                "+132], %r2; st.global.u64 [%l0+144], %l2;");
            text = litmus_replaced(
                &arena, text, "mov.u32 %r3,",
                "mov.u64 %l2, 5; mov.u64 %l3, 6; mov.u64 %l4, 7; "
                "mov.u32 %r3,");
            LitmusRun run = litmus_run(&arena, &LITMUS_PLACES[p], text);
            if (!CHECK(run.is_done && litmus_errors(&run) == cases[i].races &&
                       litmus_has(&run, RULE_RACE001, SECOND) ==
                           cases[i].races))
                litmus_show(&LITMUS_PLACES[p], &run);
            arena_free(&arena);
        }
}

// ---- three accesses ------------------------------------------------------

// Threads 0, 1 and 2 access [%l0] in this order, each a reader or a writer.
// Each pair has a flag of its own, which orders the two (bits of `links`) or
// only makes the later one come later.
enum { LINK_01 = 1, LINK_02 = 2, LINK_12 = 4, LINKS = 8 };

static const char *link_up(uint32_t links, uint32_t link) {
    return links & link ? "st.release.gpu" : "st.relaxed.gpu";
}

static const char *link_wait(uint32_t links, uint32_t link) {
    return links & link ? "ld.acquire.gpu" : "ld.relaxed.gpu";
}

static const char *access_of(uint32_t writers, uint32_t thread) {
    return writers >> thread & 1 ? "st.global.u32 [%l0], %r0;"
                                 : "ld.global.u32 %r2, [%l0];";
}

static Str three(Arena *arena, uint32_t links, uint32_t writers) {
    static const char use[] = "mad.lo.u32 %r6, %r0, 4, 128; cvt.u64.u32 %l1, "
                              "%r6; add.u64 %l1, %l1, %l0;\n"
                              "st.global.u32 [%l1], %r2;";
    return str_format(
        arena,
        "T0: mov.u32 %%r2, 0;\n.loc 1 %d 1\n%s\n.loc 1 2 1\n"
        "%s.global.u32 [%%l0+64], 1; %s.global.u32 [%%l0+72], 1;\n%s ret;\n"
        "T1: mov.u32 %%r2, 0;\n.loc 1 3 1\nU: %s.global.u32 %%r4, [%%l0+64];\n"
        "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra U;\n.loc 1 %d 1\n%s\n"
        ".loc 1 3 1\n%s.global.u32 [%%l0+80], 1;\n%s ret;\n"
        "T2: mov.u32 %%r2, 0;\n.loc 1 4 1\nV: %s.global.u32 %%r4, [%%l0+72];\n"
        "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra V;\n"
        "W: %s.global.u32 %%r4, [%%l0+80];\n"
        "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra W;\n.loc 1 %d 1\n%s\n"
        ".loc 1 4 1\n%s ret;",
        FIRST, access_of(writers, 0), link_up(links, LINK_01),
        link_up(links, LINK_02), use, link_wait(links, LINK_01), SECOND,
        access_of(writers, 1), link_up(links, LINK_12), use,
        link_wait(links, LINK_02), link_wait(links, LINK_12), LAST,
        access_of(writers, 2), use);
}

// Where the second access races, the first is forgotten: then nothing is said
// of the third.
static void try_three(const LitmusPlace *place, uint32_t links,
                      uint32_t writers) {
    bool is_01 = links & LINK_01, is_12 = links & LINK_12,
         is_02 = (links & LINK_02) || (is_01 && is_12);
    bool second = (writers & 3) && !is_01;
    bool third = ((writers & 5) && !is_02) || ((writers & 6) && !is_12);
    Arena arena = {0};
    LitmusRun run = litmus_run(&arena, place, three(&arena, links, writers));
    bool ok = run.is_done && litmus_has(&run, RULE_RACE001, SECOND) == second;
    if (!second)
        ok = ok && litmus_has(&run, RULE_RACE001, LAST) == third;
    if (!CHECK(ok))
        litmus_show(place, &run);
    arena_free(&arena);
}

TEST(each_of_two_earlier_accesses_is_looked_at) {
    for (size_t p = 0; p < COUNT_OF(LITMUS_PLACES); p++)
        for (uint32_t links = 0; links < LINKS; links++)
            for (uint32_t writers = 0; writers < 8; writers++)
                try_three(&LITMUS_PLACES[p], links, writers);
}

// ---- messages ------------------------------------------------------------

// How the flag is set, or waited for: "FENCE" is the fence's scope.
typedef struct Side {
    const char *before, *flag, *after;
    bool orders;    // releases, or acquires, if its scopes do
    bool has_fence; // the fence does, otherwise the access itself
} Side;

static const Side SETS[] = {
    {"", "st.release.SCOPE.global.u32 [%l0+64], 1;", "", true, false},
    {"", "red.release.SCOPE.global.add.u32 [%l0+64], 1;", "", true, false},
    {"", "atom.acq_rel.SCOPE.global.exch.b32 %r5, [%l0+64], 1;", "", true,
     false},
    {"", "st.relaxed.SCOPE.global.u32 [%l0+64], 1;", "", false, false},
    {"", "red.relaxed.SCOPE.global.add.u32 [%l0+64], 1;", "", false, false},
    {"", "atom.acquire.SCOPE.global.exch.b32 %r5, [%l0+64], 1;", "", false,
     false},
    {"fence.acq_rel.FENCE;", "st.relaxed.SCOPE.global.u32 [%l0+64], 1;", "",
     true, true},
    {"fence.sc.FENCE;", "red.relaxed.SCOPE.global.add.u32 [%l0+64], 1;", "",
     true, true},
    {"fence.release.FENCE;", "st.relaxed.SCOPE.global.u32 [%l0+64], 1;", "",
     true, true},
    {"fence.acquire.FENCE;", "st.relaxed.SCOPE.global.u32 [%l0+64], 1;", "",
     false, true},
    {"", "st.relaxed.SCOPE.global.u32 [%l0+64], 1;", "fence.acq_rel.FENCE;",
     false, true},
};

static const Side WAITS[] = {
    {"", "ld.acquire.SCOPE.global.u32 %r4, [%l0+64];", "", true, false},
    {"", "atom.acquire.SCOPE.global.or.b32 %r4, [%l0+64], 0;", "", true, false},
    {"", "atom.acq_rel.SCOPE.global.or.b32 %r4, [%l0+64], 0;", "", true, false},
    {"", "ld.relaxed.SCOPE.global.u32 %r4, [%l0+64];", "", false, false},
    {"", "atom.relaxed.SCOPE.global.or.b32 %r4, [%l0+64], 0;", "", false,
     false},
    {"", "atom.release.SCOPE.global.or.b32 %r4, [%l0+64], 0;", "", false,
     false},
    {"", "ld.relaxed.SCOPE.global.u32 %r4, [%l0+64];", "fence.acq_rel.FENCE;",
     true, true},
    {"", "atom.relaxed.SCOPE.global.or.b32 %r4, [%l0+64], 0;",
     "fence.sc.FENCE;", true, true},
    {"", "ld.relaxed.SCOPE.global.u32 %r4, [%l0+64];", "fence.acquire.FENCE;",
     true, true},
    {"", "ld.relaxed.SCOPE.global.u32 %r4, [%l0+64];", "fence.release.FENCE;",
     false, true},
    {"fence.acq_rel.FENCE;", "ld.relaxed.SCOPE.global.u32 %r4, [%l0+64];", "",
     false, true},
};

typedef struct Half { // a side with its scopes
    const Side *side;
    LitmusScope fence, flag;
} Half;

static Str with_scopes(Arena *arena, const char *op, const Half *half) {
    return litmus_replaced(
        arena,
        litmus_replaced(arena, str_from(op), "SCOPE", LITMUS_SCOPE[half->flag]),
        "FENCE", LITMUS_SCOPE[half->fence]);
}

static bool half_orders(const LitmusPlace *place, const Half *half) {
    return half->side->orders && half->flag >= place->least &&
           (!half->side->has_fence || half->fence >= place->least);
}

static Str message(Arena *arena, const Half *set, const Half *wait,
                   bool writes_first) {
    const char *store = "st.global.u32 [%l0], 9;",
               *load =
                   "ld.global.u32 %r2, [%l0]; st.global.u32 [%l0+128], %r2;";
    return str_format(
        arena,
        "T0: .loc 1 %d 1\n%s\n.loc 1 2 1\n%.*s\n.loc 1 %d 1\n%.*s\n"
        ".loc 1 2 1\n%.*s\nret;\n"
        "T1: .loc 1 3 1\n%.*s\nW: .loc 1 %d 1\n%.*s\n.loc 1 3 1\n"
        "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra W;\n%.*s\n.loc 1 %d 1\n%s\n"
        "ret;\nT2: ret;",
        FIRST, writes_first ? store : load,
        STR_ARG(with_scopes(arena, set->side->before, set)), FLAG,
        STR_ARG(with_scopes(arena, set->side->flag, set)),
        STR_ARG(with_scopes(arena, set->side->after, set)),
        STR_ARG(with_scopes(arena, wait->side->before, wait)), FLAG,
        STR_ARG(with_scopes(arena, wait->side->flag, wait)),
        STR_ARG(with_scopes(arena, wait->side->after, wait)), SECOND,
        writes_first ? load : store);
}

// PTX ISA, "Release and acquire patterns", "Synchronizes", "Morally strong
// operations": the flag's two accesses, and the first and the last operation of
// the patterns, have scopes that include the other thread.
static void try_message(const LitmusPlace *place, const Half *set,
                        const Half *wait) {
    bool flag_races = set->flag < place->least || wait->flag < place->least;
    bool races = !half_orders(place, set) || !half_orders(place, wait);
    for (int writes_first = 0; writes_first < 2; writes_first++) {
        Arena arena = {0};
        LitmusRun run =
            litmus_run(&arena, place, message(&arena, set, wait, writes_first));
        if (!CHECK(run.is_done &&
                   litmus_has(&run, RULE_RACE001, FLAG) == flag_races &&
                   litmus_has(&run, RULE_RACE001, SECOND) == races &&
                   litmus_errors(&run) == (size_t)flag_races + races))
            litmus_show(place, &run);
        arena_free(&arena);
    }
}

static void each_half(const LitmusPlace *place, const Side *side,
                      const Half *other, bool is_set) {
    int fences = side->has_fence ? LITMUS_SYS : LITMUS_CTA;
    for (int fence = 0; fence <= fences; fence++)
        for (int flag = 0; flag <= LITMUS_SYS; flag++) {
            Half half = {side, (LitmusScope)fence, (LitmusScope)flag};
            if (is_set)
                try_message(place, &half, other);
            else
                try_message(place, other, &half);
        }
}

TEST(a_message_needs_a_release_that_reaches_its_reader) {
    static const Half waits[] = {{&WAITS[0], LITMUS_SYS, LITMUS_SYS},
                                 {&WAITS[6], LITMUS_SYS, LITMUS_SYS}};
    for (size_t p = 0; p < COUNT_OF(LITMUS_PLACES); p++)
        for (size_t i = 0; i < COUNT_OF(SETS); i++)
            each_half(&LITMUS_PLACES[p], &SETS[i], &waits[i % 2], true);
}

TEST(a_message_needs_an_acquire_that_reaches_its_writer) {
    static const Half sets[] = {{&SETS[0], LITMUS_SYS, LITMUS_SYS},
                                {&SETS[6], LITMUS_SYS, LITMUS_SYS}};
    for (size_t p = 0; p < COUNT_OF(LITMUS_PLACES); p++)
        for (size_t i = 0; i < COUNT_OF(WAITS); i++)
            each_half(&LITMUS_PLACES[p], &WAITS[i], &sets[i % 2], false);
}

// ---- release sequences ---------------------------------------------------

// Thread 0 writes [%l0] and releases the flag, 1. Thread 1 sees that, relaxed,
// writes [%l0+4], and makes the flag 2. Thread 2 acquires that and reads both.
// That it does not come before, and see a 1, is the other flag's doing, which
// orders nothing.
typedef struct Middle {
    const char *before, *op;
    bool adds;     // it is a read-modify-write, and goes on with the sequence
    bool releases; // what thread 1 has done
    bool acquires; // what thread 0 has released
} Middle;

static const Middle MIDDLES[] = {
    {"", "red.relaxed.SCOPE.global.add.u32 [%l0+64], 1;", true, false, false},
    {"", "red.release.SCOPE.global.add.u32 [%l0+64], 1;", true, true, false},
    {"", "atom.relaxed.SCOPE.global.add.u32 %r5, [%l0+64], 1;", true, false,
     false},
    {"", "atom.release.SCOPE.global.exch.b32 %r5, [%l0+64], 2;", true, true,
     false},
    {"", "atom.acquire.SCOPE.global.inc.u32 %r5, [%l0+64], 9;", true, false,
     true},
    {"", "atom.acq_rel.SCOPE.global.cas.b32 %r5, [%l0+64], 1, 2;", true, true,
     true},
    {"fence.release.SCOPE;", "red.relaxed.SCOPE.global.add.u32 [%l0+64], 1;",
     true, true, false},
    {"fence.acq_rel.SCOPE;",
     "atom.relaxed.SCOPE.global.cas.b32 %r5, [%l0+64], 1, 2;", true, true,
     true},
    {"", "st.relaxed.SCOPE.global.u32 [%l0+64], 2;", false, false, false},
    {"", "st.release.SCOPE.global.u32 [%l0+64], 2;", false, true, false},
    {"fence.release.SCOPE;", "st.relaxed.SCOPE.global.u32 [%l0+64], 2;", false,
     true, false},
    {"fence.acq_rel.SCOPE;", "st.relaxed.SCOPE.global.u32 [%l0+64], 2;", false,
     true, true},
};

static const char *const FIRST_RELEASES[] = {
    "st.release.SCOPE.global.u32 [%l0+64], 1;",
    "red.release.SCOPE.global.add.u32 [%l0+64], 1;",
    "fence.acq_rel.FENCE; st.relaxed.SCOPE.global.u32 [%l0+64], 1;",
};

// `seen`: where thread 1 sees it: at the flag, 64; or at a word that thread 0
// sets behind it, 100, so that it has read nothing of the flag.
static Str sequence(Arena *arena, const char *release, Half a,
                    const Middle *middle, LitmusScope second, int seen) {
    Half b = {.flag = second};
    return str_format(
        arena,
        "T0: .loc 1 2 1\nst.global.u32 [%%l0], 9;\n%.*s\n"
        "st.relaxed.sys.global.u32 [%%l0+100], 1; ret;\n"
        "T1: .loc 1 3 1\nst.global.u32 [%%l0+4], 8;\n"
        "V: ld.relaxed.sys.global.u32 %%r4, [%%l0+%d];\n"
        "setp.ne.u32 %%p2, %%r4, 1; @%%p2 bra V;\n%.*s\n.loc 1 %d 1\n%.*s\n"
        ".loc 1 3 1\nst.relaxed.sys.global.u32 [%%l0+96], 1; ret;\n"
        "T2: .loc 1 4 1\nW: ld.relaxed.sys.global.u32 %%r4, [%%l0+96];\n"
        "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra W;\n"
        "ld.acquire.sys.global.u32 %%r4, [%%l0+64];\n"
        ".loc 1 %d 1\nld.global.u32 %%r6, [%%l0];\n"
        ".loc 1 %d 1\nld.global.u32 %%r7, [%%l0+4];\n"
        ".loc 1 5 1\nadd.u32 %%r6, %%r6, %%r7;\n"
        "st.global.u32 [%%l0+128], %%r6; ret;",
        STR_ARG(with_scopes(arena, release, &a)), seen,
        STR_ARG(with_scopes(arena, middle->before, &b)), FLAG,
        STR_ARG(with_scopes(arena, middle->op, &b)), LAST, LAST + 1);
}

// PTX ISA, "Observation": through any chain of read-modify-writes that are
// morally strong with what they read. A store begins a sequence of its own.
static void try_sequence(const LitmusPlace *place, const char *release,
                         LitmusScope first, const Middle *middle,
                         LitmusScope second, int seen) {
    Arena arena = {0};
    Half a = {.fence = first, .flag = first};
    LitmusRun run = litmus_run(
        &arena, place, sequence(&arena, release, a, middle, second, seen));
    bool hears_first = middle->adds || (middle->acquires && middle->releases);
    bool ok = run.is_done &&
              litmus_has(&run, RULE_RACE001, LAST) != hears_first &&
              litmus_has(&run, RULE_RACE001, LAST + 1) != middle->releases &&
              litmus_errors(&run) == (size_t)!hears_first + !middle->releases;
    if (!CHECK(ok && run.words[32] == 17))
        litmus_show(place, &run);
    arena_free(&arena);
}

TEST(read_modify_writes_go_on_with_a_release_sequence) {
    for (size_t p = 0; p < COUNT_OF(LITMUS_PLACES); p++)
        for (size_t r = 0; r < COUNT_OF(FIRST_RELEASES); r++)
            for (size_t i = 0; i < COUNT_OF(MIDDLES); i++)
                for (int a = (int)LITMUS_PLACES[p].least; a < LITMUS_SCOPES;
                     a++) {
                    try_sequence(&LITMUS_PLACES[p], FIRST_RELEASES[r],
                                 (LitmusScope)a, &MIDDLES[i], LITMUS_SYS, 64);
                    try_sequence(&LITMUS_PLACES[p], FIRST_RELEASES[r],
                                 LITMUS_SYS, &MIDDLES[i], (LitmusScope)a, 64);
                    if (!MIDDLES[i].acquires)
                        try_sequence(&LITMUS_PLACES[p], FIRST_RELEASES[r],
                                     (LitmusScope)a, &MIDDLES[i], LITMUS_SYS,
                                     100);
                }
}

#define BLOCK_OF_WARPS                                          \
    "mov.u32 %r1, %tid.x; and.b32 %r0, %r1, 31;\n"              \
    "setp.ne.u32 %p1, %r0, 0; @%p1 ret; shr.u32 %r1, %r1, 5;\n" \
    "mov.u32 %r2, %ctaid.x; shl.b32 %r0, %r2, 1; add.u32 %r0, %r0, %r1;\n"

// Of two blocks of two warps, threads 1 to 3: the last two are of one block.
#define THE_LAST_TWO "setp.eq.u32 %p1, %r0, 0; @%p1 ret; sub.u32 %r0, %r0, 1;"

// Threads 0 and 1 are closer to each other than to thread 2. What a narrower
// scope than that has released goes no further, though the sequence does.
static const struct {
    LitmusPlace place;
    LitmusScope least, most; // that are too narrow for the one apart
} APART[] = {
    {{"two warps, and a block", 2, 1, 64, BLOCK_OF_WARPS, LITMUS_GPU},
     LITMUS_CTA,
     LITMUS_CLUSTER},
    {{"two warps, and a block of their cluster", 2, 2, 64, BLOCK_OF_WARPS,
      LITMUS_CLUSTER},
     LITMUS_CTA,
     LITMUS_CTA},
    {{"two blocks of a cluster, and one of another", 4, 2, 1,
      "mov.u32 %r0, %ctaid.x;", LITMUS_GPU},
     LITMUS_CLUSTER,
     LITMUS_CLUSTER},
};

// The same with thread 0 apart.
static const struct {
    LitmusPlace place;
    LitmusScope most;
} ONE_FIRST[] = {
    {{"a block, and two warps", 2, 1, 64, BLOCK_OF_WARPS THE_LAST_TWO,
      LITMUS_GPU},
     LITMUS_CLUSTER},
    {{"a block of a cluster, and two warps of another", 2, 2, 64,
      BLOCK_OF_WARPS THE_LAST_TWO, LITMUS_CLUSTER},
     LITMUS_CTA},
    {{"a block, and two of a cluster", 4, 2, 1,
      "mov.u32 %r0, %ctaid.x; setp.eq.u32 %p1, %r0, 0; @%p1 ret;\n"
      "sub.u32 %r0, %r0, 1;",
      LITMUS_GPU},
     LITMUS_CLUSTER},
};

static void try_apart(const LitmusPlace *place, const char *release, Half a,
                      bool reaches) {
    Arena arena = {0};
    LitmusRun run =
        litmus_run(&arena, place,
                   sequence(&arena, release, a, &MIDDLES[1], LITMUS_SYS, 64));
    if (!CHECK(run.is_done && litmus_has(&run, RULE_RACE001, LAST) != reaches &&
               !litmus_has(&run, RULE_RACE001, LAST + 1)))
        litmus_show(place, &run);
    arena_free(&arena);
}

TEST(a_sequence_carries_a_release_as_far_as_its_own_scope) {
    for (size_t c = 0; c < COUNT_OF(APART); c++)
        for (size_t r = 0; r < COUNT_OF(FIRST_RELEASES); r++)
            for (int s = (int)APART[c].least; s < LITMUS_SCOPES; s++)
                try_apart(
                    &APART[c].place, FIRST_RELEASES[r],
                    (Half){.fence = (LitmusScope)s, .flag = (LitmusScope)s},
                    s > (int)APART[c].most);
}

// The flag's scope has all; the fence before it has the thread's own block or
// cluster alone, in which nobody is.
TEST(a_sequence_that_moves_on_takes_no_narrow_release_along) {
    for (size_t c = 0; c < COUNT_OF(ONE_FIRST); c++)
        for (int s = 0; s < LITMUS_SCOPES; s++)
            try_apart(&ONE_FIRST[c].place, FIRST_RELEASES[2],
                      (Half){.fence = (LitmusScope)s, .flag = LITMUS_SYS},
                      s > (int)ONE_FIRST[c].most);
}

TEST_MAIN(TESTCASE(two_accesses_race_unless_both_scopes_have_both_threads),
          TESTCASE(two_accesses_of_shared_memory_race_likewise),
          TESTCASE(strong_accesses_of_other_sizes_race),
          TESTCASE(each_of_two_earlier_accesses_is_looked_at),
          TESTCASE(a_message_needs_a_release_that_reaches_its_reader),
          TESTCASE(a_message_needs_an_acquire_that_reaches_its_writer),
          TESTCASE(read_modify_writes_go_on_with_a_release_sequence),
          TESTCASE(a_sequence_carries_a_release_as_far_as_its_own_scope),
          TESTCASE(a_sequence_that_moves_on_takes_no_narrow_release_along))
