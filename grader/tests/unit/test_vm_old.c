// SPDX-License-Identifier: Apache-2.0
// Older values (vm/order/old.c): what a read behind a flag may find where
// nothing orders it behind the write, and what it must not. Warp 1 writes data,
// where 5 was, and sets a flag; the lanes of warp 0 wait for it.
//
// %r0 is the lane, %l2 its word of a buffer, %r20 the lane's own place in
// shared memory; 7 is the new value.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { SEEDS = 24, LANES = 32 };

typedef struct Case {
    const char *set;  // by thread 32, behind the data
    const char *data; // how it writes that; NULL: volatile
    const char *wait; // by the others, behind the flag; ends with %r5
    bool is_error;    // DeviceLaunch.stale_is_error
} Case;

typedef struct Outcome {
    uint32_t old, new, other; // values that lanes have found, in all schedules
    uint32_t errors, advisories;
} Outcome;

static Str program(Arena *arena, const Case *c) {
    return str_format(
        arena,
        ".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"k.cu\"\n"
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %%r<40>; .reg .b64 %%l<9>; .reg .pred %%p<9>;\n"
        ".shared .align 8 .b8 x[16]; .shared .align 8 .b8 y[1024];\n"
        ".shared .align 8 .b8 flag[8];\n"
        ".loc 1 1 1\nld.param.u64 %%l1, [p]; mov.u32 %%r9, %%tid.x;\n"
        "and.b32 %%r0, %%r9, 31; mul.wide.u32 %%l2, %%r0, 4;\n"
        "add.s64 %%l2, %%l1, %%l2; mov.u32 %%r20, y; shl.b32 %%r7, %%r9, 2;\n"
        "add.u32 %%r20, %%r20, %%r7; st.shared.u32 [%%r20], %%r9;\n"
        "setp.eq.u32 %%p1, %%r9, 32; setp.gt.u32 %%p2, %%r9, 31;\n"
        "@%%p1 st.volatile.shared.u32 [x], 5;\n"
        "@%%p1 st.volatile.shared.u32 [x+4], 0;\n"
        "@%%p1 st.volatile.shared.u32 [flag], 0;\nbar.sync 0;\n"
        "@!%%p2 bra WAIT; @!%%p1 bra LEAVE;\n%s\n%s\n"
        "st.volatile.shared.u32 [flag], 1;\nLEAVE: bar.sync 0; ret;\n"
        "WAIT: ld.volatile.shared.u32 %%r4, [flag];\n"
        "setp.eq.u32 %%p3, %%r4, 0; @%%p3 bra WAIT;\n"
        ".loc 1 30 1\n%s\n.loc 1 2 1\nst.global.u32 [%%l2], %%r5;\n"
        "bar.sync 0; ret;\n}\n",
        c->data ? c->data : "st.volatile.shared.u32 [x], 7;", c->set, c->wait);
}

static void add(Outcome *out, const DeviceRun *run, const uint32_t *words) {
    for (int i = 0; i < LANES; i++) {
        out->old += words[i] == 5;
        out->new += words[i] == 7;
        out->other += words[i] != 5 && words[i] != 7;
    }
    for (size_t i = 0; i < run->finding_count; i++) {
        CHECK(run->findings[i].rule == RULE_RACE001 &&
              run->findings[i].at.line == 30);
        out->errors += run->findings[i].level == FINDING_ERROR;
        out->advisories += run->findings[i].level != FINDING_ERROR;
    }
}

static Outcome run(const Case *c, DeviceStrategy strategy, int seeds) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    PtxModule *module =
        ptx_parse(&arena, STR("k.ptx"), program(&arena, c), &diags);
    Device *device = vm_open(vm_model_find(STR("mini")));
    uint32_t buffer, words[LANES];
    uint64_t address;
    Outcome out = {0};
    if (!CHECK(module != NULL))
        printf("# %.*s\n# %s\n", STR_ARG(diags.items[0].what), c->wait);
    bool is_ready =
        module && CHECK(device->ops->load(device, module, &diags)) &&
        CHECK(device->ops->alloc(device, 1024, &buffer, &address, &diags));
    for (int seed = 1; is_ready && seed <= seeds; seed++) {
        DeviceRun run = {0};
        DeviceLaunch launch = {
            .kernel = STR("k"),
            .grid = {1, 1, 1},
            .block = {64, 1, 1},
            .schedule = {.seed = (uint64_t)seed, .strategy = strategy},
            .stale_is_error = c->is_error,
            .args = &address,
            .arg_bytes = sizeof address};
        CHECK(device->ops->launch(device, &arena, &launch, &run));
        CHECK_INT(run.status, RUN_DONE);
        CHECK(device->ops->read(device, buffer, 0, words, sizeof words));
        add(&out, &run, words);
    }
    device->ops->close(device);
    arena_free(&arena);
    return out;
}

#define READ "ld.volatile.shared.u32 %r5, [x];"
#define FENCE "fence.acq_rel.cta;"

TEST(without_fences_on_both_sides_an_older_value_is_found) {
    static const struct {
        const char *set, *wait;
        bool may_be_old;
    } cases[] = {
        {"", READ, true},
        {FENCE, READ, true},
        {"", FENCE READ, true},
        {FENCE, FENCE READ, false},
        {"", "ld.acquire.cta.shared.u32 %r4, [flag];" READ, true},
        {FENCE, "ld.acquire.cta.shared.u32 %r4, [flag];" READ, false},
        {"", "ld.relaxed.cluster.shared.u32 %r5, [x];", true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Case c = {.set = cases[i].set, .wait = cases[i].wait};
        Outcome plain = run(&c, STRATEGY_ROUND_ROBIN, 1),
                drawn = run(&c, STRATEGY_RANDOM, SEEDS);
        CHECK_INT(plain.new, LANES);
        CHECK_INT(drawn.other, 0);
        CHECK_INT(drawn.errors, 0);
        if (!CHECK((drawn.old > 0) == cases[i].may_be_old &&
                   (drawn.advisories > 0) == cases[i].may_be_old))
            printf("# %s / %s: %u old\n", c.set, c.wait, drawn.old);
    }
}

// What a thread has seen it does not lose again, nor does who is behind it.
TEST(a_value_that_was_seen_stays) {
    static const char *const waits[] = {
        READ READ,
        "ld.volatile.shared.u32 %r5, [x]; bar.warp.sync -1; " READ,
        "setp.eq.u32 %p4, %r0, 3; @%p4 ld.volatile.shared.u32 %r5, [x];\n"
        "@%p4 ld.volatile.shared.u32 %r5, [x]; bar.warp.sync -1; " READ,
        "atom.relaxed.cta.shared.add.u32 %r5, [x], 0;",
        "atom.relaxed.cta.shared.add.u32 %r6, [x], 0; " READ,
    };
    for (size_t i = 0; i < COUNT_OF(waits); i++) {
        Case c = {.set = "", .wait = waits[i]};
        Outcome out = run(&c, STRATEGY_RANDOM, SEEDS);
        if (!CHECK_INT(out.old, 0))
            printf("# %s\n", c.wait);
        CHECK_INT(out.new, SEEDS * LANES);
    }
}

TEST(a_value_that_decides_something_is_an_error_where_that_is_wanted) {
    static const struct {
        const char *wait;
        bool decides;
    } cases[] = {
        {READ, false},
        {READ "add.u32 %r5, %r5, 0;", false},
        {READ "shl.b32 %r6, %r5, 2; mov.u32 %r8, y; add.u32 %r6, %r6, %r8;\n"
              "ld.shared.u32 %r6, [%r6];",
         true},
        {READ "setp.eq.u32 %p4, %r5, 5; @%p4 bra GO; add.u32 %r5, %r5, 0; GO:",
         true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Case c = {.set = "", .wait = cases[i].wait, .is_error = true};
        Outcome wanted = run(&c, STRATEGY_RANDOM, SEEDS),
                plain = run(&c, STRATEGY_ROUND_ROBIN, 1);
        c.is_error = false;
        Outcome advised = run(&c, STRATEGY_RANDOM, SEEDS);
        CHECK(wanted.old > 0 && advised.old > 0);
        CHECK_INT(wanted.errors > 0, cases[i].decides);
        CHECK_INT(plain.errors + advised.errors, 0);
        CHECK(advised.advisories > 0);
    }
}

// The same value again does no harm; an exchange is a store; what atomics count
// may be read at any time.
TEST(an_older_value_is_another_one) {
    static const struct {
        const char *data;
        bool may_be_old, is_told;
    } cases[] = {
        {"st.volatile.shared.u32 [x], 5;", false, true},
        {"atom.relaxed.cta.shared.exch.b32 %r6, [x], 7;", true, true},
        {"atom.relaxed.cta.shared.add.u32 %r6, [x], 2;", false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Case c = {.set = "",
                  .data = cases[i].data,
                  .wait = READ "setp.eq.u32 %p4, %r5, 9; @%p4 bra GO; GO:",
                  .is_error = true};
        Outcome out = run(&c, STRATEGY_RANDOM, SEEDS);
        CHECK_INT(out.errors > 0, cases[i].may_be_old);
        CHECK_INT(out.errors + out.advisories > 0, cases[i].is_told);
    }
}

TEST_MAIN(
    TESTCASE(without_fences_on_both_sides_an_older_value_is_found),
    TESTCASE(a_value_that_was_seen_stays),
    TESTCASE(a_value_that_decides_something_is_an_error_where_that_is_wanted),
    TESTCASE(an_older_value_is_another_one))
