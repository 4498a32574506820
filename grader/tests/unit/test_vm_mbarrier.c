// SPDX-License-Identifier: Apache-2.0
// mbarriers against a model of a few lines (PTX ISA 9.7.13.15): operations are
// drawn at random, one thread makes them, and each wait, token and pending
// count must be the model's. All operations are ones that the manual defines;
// what is undefined or out of range is for grader/tests/vm/bar001-*.ptx.
#include "result/run.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { STEPS = 100, RUNS = 60, COUNT_MOST = 5, BARS = 3 };

// A phase is over when pending and tx are 0.
typedef struct Model {
    bool live;
    int expected, pending, tx;
    uint32_t phase;
    bool has_token; // of an arrival in phase `token`, with so many pending
    uint32_t token;
    int token_pending;
} Model;

typedef struct Script {
    Buf text;
    uint32_t results[STEPS];
    uint32_t count;
    Rng rng;
    Model bars[BARS];
} Script;

static uint32_t draw(Script *s, uint32_t below) {
    return (uint32_t)rng_below(&s->rng, below);
}

static void try_complete(Model *m) {
    if (m->pending != 0 || m->tx != 0)
        return;
    m->phase++;
    m->pending = m->expected;
}

// The instruction gives %r1.
static void gives(Script *s, uint32_t result) {
    buf_printf(&s->text, "st.global.u32 [%%l0+%u], %%r1;\n", 4 * s->count);
    s->results[s->count++] = result;
}

static void gives_predicate(Script *s, bool result) {
    buf_str(&s->text, STR("selp.u32 %r1, 1, 0, %p1;\n"));
    gives(s, result);
}

static void do_init(Script *s, uint32_t b) {
    Model *m = &s->bars[b];
    int count = 1 + (int)draw(s, COUNT_MOST);
    *m = (Model){.live = true, .expected = count, .pending = count};
    buf_printf(&s->text, "mbarrier.init.shared::cta.b64 [bar+%u], %d;\n", 8 * b,
               count);
}

static void do_inval(Script *s, uint32_t b) {
    s->bars[b] = (Model){0};
    buf_printf(&s->text, "mbarrier.inval.shared::cta.b64 [bar+%u];\n", 8 * b);
}

// Takes the token, whose pending count is the one before the arrival.
static void note_token(Script *s, uint32_t b) {
    Model *m = &s->bars[b];
    m->has_token = true;
    m->token = m->phase;
    m->token_pending = m->pending;
    buf_printf(&s->text, "mbarrier.pending_count.b64 %%r1, %%l%u;\n", 1 + b);
    gives(s, (uint32_t)m->pending);
}

static void do_arrive(Script *s, uint32_t b) {
    Model *m = &s->bars[b];
    if (m->pending == 0)
        return;
    int count = 1 + (int)draw(s, (uint32_t)m->pending);
    bool drops = draw(s, 4) == 0 && m->expected > count;
    bool completes = count == m->pending && m->tx == 0;
    bool none = !completes && draw(s, 3) == 0;
    buf_printf(
        &s->text, "mbarrier.arrive%s%s.shared::cta.b64 %%l%u, [bar+%u], %d;\n",
        drops ? "_drop" : "", none ? ".noComplete" : "", 1 + b, 8 * b, count);
    note_token(s, b);
    m->expected -= drops ? count : 0;
    m->pending -= count;
    try_complete(m);
}

static void do_arrive_expect(Script *s, uint32_t b) {
    Model *m = &s->bars[b];
    int bytes = (int)draw(s, 3) * 16;
    if (m->pending == 0)
        return;
    bool drops = draw(s, 4) == 0 && m->expected > 1;
    buf_printf(&s->text,
               "mbarrier.arrive%s.expect_tx.shared::cta.b64 %%l%u, [bar+%u], "
               "%d;\n",
               drops ? "_drop" : "", 1 + b, 8 * b, bytes);
    note_token(s, b);
    m->expected -= drops;
    m->tx += bytes;
    m->pending--;
    try_complete(m);
}

static void do_tx(Script *s, uint32_t b) {
    Model *m = &s->bars[b];
    int bytes = m->tx && draw(s, 2) ? m->tx : 16;
    bool completes = m->tx > 0 ? draw(s, 3) > 0 : draw(s, 3) == 0;
    if (bytes < 0) { // there are more than were announced
        bytes = -bytes;
        completes = false;
    }
    buf_printf(&s->text,
               "mbarrier.%s_tx.relaxed.cta.shared::cta.b64 [bar+%u], %d;\n",
               completes ? "complete" : "expect", 8 * b, bytes);
    m->tx += completes ? -bytes : bytes;
    if (completes)
        try_complete(m);
}

static const char *wait_of(Script *s, bool over) {
    static const char *const waits[] = {"test_wait", "try_wait"};
    return waits[over && draw(s, 2)]; // a try_wait that fails takes its time
}

static void do_wait_parity(Script *s, uint32_t b) {
    uint32_t parity = draw(s, 2);
    bool over = (s->bars[b].phase & 1) != parity;
    buf_printf(&s->text,
               "mbarrier.%s.parity.shared::cta.b64 %%p1, [bar+%u], %u;\n",
               wait_of(s, over), 8 * b, parity);
    gives_predicate(s, over);
}

// Of the phase that goes on, or of the one before it.
static void do_wait_token(Script *s, uint32_t b) {
    const Model *m = &s->bars[b];
    if (!m->has_token || m->token + 1 < m->phase)
        return;
    bool over = m->token != m->phase;
    buf_printf(&s->text, "mbarrier.%s.shared::cta.b64 %%p1, [bar+%u], %%l%u;\n",
               wait_of(s, over), 8 * b, 1 + b);
    gives_predicate(s, over);
}

typedef void Step(Script *s, uint32_t bar);

static void draw_step(Script *s) {
    static Step *const steps[] = {
        do_arrive, do_arrive,      do_arrive_expect, do_tx,
        do_tx,     do_wait_parity, do_wait_parity,   do_wait_token};
    uint32_t b = draw(s, BARS);
    if (!s->bars[b].live)
        do_init(s, b);
    else if (draw(s, 40) == 0)
        do_inval(s, b);
    else
        steps[draw(s, COUNT_OF(steps))](s, b);
}

static Str script(Script *s, Arena *arena, uint64_t seed) {
    s->rng = rng_stream(seed, 5);
    buf_str(&s->text,
            STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                ".visible .entry k(.param .u64 out) {\n.reg .pred %p<4>;\n"
                ".reg .b32 %r<4>; .reg .b64 %l<9>;\n"
                ".shared .align 8 .b64 bar[3];\nld.param.u64 %l0, [out];\n"));
    while (s->count + 2 < STEPS)
        draw_step(s);
    buf_str(&s->text, STR("ret;\n}\n"));
    Str text = str_copy(arena, buf_view(&s->text));
    buf_free(&s->text);
    return text;
}

static void try_script(uint64_t seed) {
    Arena arena = {0};
    Script s = {0};
    Str text = script(&s, &arena, seed);
    Device *device = vm_open(vm_model_find(STR("mini")));
    Diags diags = diags_new(&arena);
    PtxModule *module = ptx_parse(&arena, STR("k.ptx"), text, &diags);
    uint32_t buffer, words[STEPS] = {0};
    uint64_t address;
    DeviceRun run;
    if (CHECK(module != NULL) &&
        CHECK(device->ops->load(device, module, &diags)) &&
        CHECK(device->ops->alloc(device, sizeof words, &buffer, &address,
                                 &diags))) {
        DeviceLaunch launch = {.kernel = STR("k"),
                               .grid = {1, 1, 1},
                               .block = {1, 1, 1},
                               .args = &address,
                               .arg_bytes = sizeof address};
        CHECK(device->ops->launch(device, &arena, &launch, &run));
        device->ops->read(device, buffer, 0, words, sizeof words);
        bool same = run.status == RUN_DONE && run.finding_count == 0;
        for (uint32_t i = 0; i < s.count && same; i++)
            same = CHECK_U64(words[i], s.results[i]);
        if (!CHECK(same))
            printf("# seed %u:\n# %.*s\n", (unsigned)seed, STR_ARG(text));
    }
    device->ops->close(device);
    arena_free(&arena);
}

TEST(an_mbarrier_does_what_the_manual_says) {
    for (uint64_t seed = 0; seed < RUNS; seed++)
        try_script(seed);
}

TEST_MAIN(TESTCASE(an_mbarrier_does_what_the_manual_says))
