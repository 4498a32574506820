// SPDX-License-Identifier: Apache-2.0
// Many readers of a word, and then a writer (litmus.h): readers of one
// instruction of which some are ordered before it; readers whose accesses
// differ; in programs whose threads barriers alone order, where one reader
// stands for all, and in others, where each is kept.
#include "tests/unit/litmus.h"

enum { SECOND = 30 }; // line of the write

// ---- lanes that read together --------------------------------------------

// Threads 0 and 1 are lanes of a warp, and read by one instruction; thread 2 is
// of another warp, and writes behind a message of thread 0.
static const LitmusPlace TWO_LANES = {
    "two lanes, and another warp",
    1,
    1,
    64,
    "mov.u32 %r1, %tid.x; and.b32 %r0, %r1, 31; shr.u32 %r2, %r1, 5;\n"
    "add.u32 %r3, %r2, %r0; setp.gt.u32 %p1, %r3, 1; @%p1 ret;\n"
    "mad.lo.u32 %r0, %r2, 2, %r0;",
    LITMUS_CTA};

TEST(a_lane_that_read_along_is_not_ordered_by_the_other_ones_message) {
    static const struct {
        const char *between; // the read and the message
        bool races;
    } cases[] = {{"", true},
                 {"bar.warp.sync 3;", false},
                 {"fence.sc.sys;", true},
                 {"shfl.sync.idx.b32 %r5, %r0, 0, 31, 3;", true}};
    static const char *const loads[] = {"ld.global.u32 %r4, [%l0];",
                                        "ld.shared.u32 %r4, [x];"};
    static const char *const stores[] = {"st.global.u32 [%l0], 5;",
                                         "st.shared.u32 [x], 5;"};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int memory = 0; memory < 2; memory++) {
            Arena arena = {0};
            Str text = str_format(
                &arena,
                "T0: T1: .loc 1 20 1\n%s\n.loc 1 2 1\n"
                "mul.wide.u32 %%l1, %%r0, 4; add.u64 %%l1, %%l1, %%l0;\n"
                "st.global.u32 [%%l1+128], %%r4;\n%s\n"
                "setp.ne.u32 %%p2, %%r0, 0; @%%p2 ret;\n"
                "st.release.cta.global.u32 [%%l0+64], 1; ret;\n"
                "T2: .loc 1 3 1\nld.acquire.cta.global.u32 %%r4, [%%l0+64];\n"
                "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra T2;\n.loc 1 %d 1\n%s\n"
                "ret;",
                loads[memory], cases[i].between, SECOND, stores[memory]);
            LitmusPlace place = TWO_LANES;
            place.number = str_format(&arena,
                                      "mov.u32 %%r1, %%tid.x;\n"
                                      "setp.eq.u32 %%p1, %%r1, 0;\n"
                                      "@%%p1 st.shared.u32 [x], 1;\n"
                                      "bar.sync 0;\n%s%c",
                                      place.number, '\0')
                               .ptr;
            LitmusRun run = litmus_run(&arena, &place, text);
            if (!CHECK(run.is_done && litmus_has(&run, RULE_RACE001, SECOND) ==
                                          cases[i].races))
                litmus_show(&place, &run);
            arena_free(&arena);
        }
}

// Thread 2 has read the word, too, so that it has a list of readers. Thread 1
// reads it at the line at which thread 0 has read it: before the two meet, or
// behind the message, of which thread 2 knows nothing then. The other flags are
// relaxed: they order nothing.
TEST(a_read_behind_the_message_is_not_taken_for_one_before_it) {
    static const char load[] = ".loc 1 20 1\nld.global.u32 %r4, [%l0];\n"
                               ".loc 1 2 1\n";
    for (int late = 0; late < 2; late++) {
        Arena arena = {0};
        Str text = str_format(
            &arena,
            "T0: T1: .loc 1 2 1\nmov.u32 %%r4, 0;\n"
            "mul.wide.u32 %%l1, %%r0, 4; add.u64 %%l1, %%l1, %%l0;\n"
            "setp.eq.u32 %%p2, %%r0, 0;\n"
            "K: ld.relaxed.sys.global.u32 %%r6, [%%l0+64];\n"
            "setp.eq.u32 %%p3, %%r6, 0; @%%p3 bra K;\n@!%%p2 bra A;\n%s"
            "bra J;\nA: %s\nJ: bar.warp.sync 3;\n@!%%p2 bra L;\n"
            "st.release.cta.global.u32 [%%l0+68], 1;\n"
            "st.relaxed.sys.global.u32 [%%l0+72], 1;\n"
            "st.global.u32 [%%l1+128], %%r4; ret;\n"
            "L: ld.relaxed.sys.global.u32 %%r6, [%%l0+72];\n"
            "setp.eq.u32 %%p3, %%r6, 0; @%%p3 bra L;\n%s"
            "st.relaxed.sys.global.u32 [%%l0+76], 1;\n"
            "st.global.u32 [%%l1+128], %%r4; ret;\n"
            "T2: .loc 1 22 1\nld.global.u32 %%r5, [%%l0];\n.loc 1 3 1\n"
            "st.global.u32 [%%l0+160], %%r5;\n"
            "st.relaxed.sys.global.u32 [%%l0+64], 1;\n"
            "F: ld.acquire.cta.global.u32 %%r6, [%%l0+68];\n"
            "setp.eq.u32 %%p3, %%r6, 0; @%%p3 bra F;\n"
            "H: ld.relaxed.sys.global.u32 %%r6, [%%l0+76];\n"
            "setp.eq.u32 %%p3, %%r6, 0; @%%p3 bra H;\n"
            ".loc 1 %d 1\nst.global.u32 [%%l0], 5;\nret;",
            load, late ? "" : load, late ? load : "", SECOND);
        LitmusRun run = litmus_run(&arena, &TWO_LANES, text);
        if (!CHECK(run.is_done &&
                   litmus_has(&run, RULE_RACE001, SECOND) == late))
            litmus_show(&TWO_LANES, &run);
        arena_free(&arena);
    }
}

// ---- blocks that read, and a block that writes ----------------------------

// Two warps of block 1 read a word, each in a way of its own, and thread 0 of
// block 0 writes it later, as nanosleep has it. `other`: an instruction that is
// not executed, by which barriers are not all that there is.
static Str readers(Arena *arena, const char *reads[2], const char *write,
                   const char *other) {
    return str_format(
        arena,
        ".loc 1 4 1\nmov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x;\n"
        "mul.wide.u32 %%l1, %%r2, 4; add.u64 %%l1, %%l1, %%l0;\n"
        "setp.gt.u32 %%p7, %%r2, 2000;\n%s\n"
        "setp.eq.u32 %%p2, %%r1, 0; @%%p2 bra W;\n"
        "setp.ge.u32 %%p3, %%r2, 32; @%%p3 bra V;\n"
        ".loc 1 20 1\n%s\n.loc 1 2 1\nst.global.u32 [%%l1+512], %%r4; ret;\n"
        "V: .loc 1 21 1\n%s\n.loc 1 2 1\nst.global.u32 [%%l1+512], %%r4; ret;\n"
        "W: .loc 1 3 1\nsetp.ne.u32 %%p4, %%r2, 0; @%%p4 ret;\n"
        "nanosleep.u32 100000;\n.loc 1 %d 1\n%s\nret;\nT0: T1: T2: ret;",
        other, reads[0], reads[1], SECOND, write);
}

typedef struct Access {
    const char *load, *store;
    int scope; // -1: weak
} Access;

static const Access ACCESSES[] = {
    {"ld.global.u32 %r4, [%l0];", "st.global.u32 [%l0], 5;", -1},
    {"ld.relaxed.cta.global.u32 %r4, [%l0];",
     "st.relaxed.cta.global.u32 [%l0], 5;", LITMUS_CTA},
    {"ld.relaxed.cluster.global.u32 %r4, [%l0];",
     "st.relaxed.cluster.global.u32 [%l0], 5;", LITMUS_CLUSTER},
    {"ld.relaxed.gpu.global.u32 %r4, [%l0];",
     "st.relaxed.gpu.global.u32 [%l0], 5;", LITMUS_GPU},
};

TEST(a_write_races_with_the_weakest_of_its_readers) {
    static const char *const others[] = {
        "", "@%p7 ld.acquire.gpu.global.u32 %r9, [%l0+64];"};
    // The text stands where the threads get their numbers: each takes its part
    // from its block.
    static const LitmusPlace places[] = {
        {"two blocks", 2, 1, 64, "", LITMUS_GPU},
        {"two blocks of a cluster", 2, 2, 64, "", LITMUS_CLUSTER}};
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (size_t o = 0; o < COUNT_OF(others); o++)
            for (size_t i = 0; i < 64; i++) {
                const Access *a = &ACCESSES[i % 4], *b = &ACCESSES[i / 4 % 4],
                             *w = &ACCESSES[i / 16];
                int least = (int)places[p].least;
                bool races =
                    a->scope < least || b->scope < least || w->scope < least;
                const char *reads[2] = {a->load, b->load};
                Arena arena = {0};
                LitmusPlace place = places[p];
                Str text = readers(&arena, reads, w->store, others[o]);
                place.number =
                    str_format(&arena, "%.*s%c", STR_ARG(text), '\0').ptr;
                LitmusRun run = litmus_run(&arena, &place, STR(""));
                if (!CHECK(run.is_done &&
                           litmus_has(&run, RULE_RACE001, SECOND) == races))
                    litmus_show(&places[p], &run);
                arena_free(&arena);
            }
}

TEST_MAIN(
    TESTCASE(a_read_behind_the_message_is_not_taken_for_one_before_it),
    TESTCASE(a_lane_that_read_along_is_not_ordered_by_the_other_ones_message),
    TESTCASE(a_write_races_with_the_weakest_of_its_readers))
