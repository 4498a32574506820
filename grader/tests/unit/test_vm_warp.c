// SPDX-License-Identifier: Apache-2.0
// Values of the instructions of a whole warp (PTX ISA 9.7.9 and 9.7.13: vote,
// match, redux, shfl, activemask, elect), and of barriers that reduce, for
// predicates that hold in all lanes, in none, in one and in some, among all
// lanes and among parts of the warp. What they give is stated again here, lane
// by lane.
#include "result/run.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { LANES = 32, OPS = 48 };

static const uint32_t PATTERNS[] = {0,          UINT32_MAX, 1,
                                    0x80000000, 0x00000100, 0x55555555,
                                    0x0000FFFF, 0xFFFFFFFE, 0x12345678};
static const uint32_t MASKS[] = {UINT32_MAX, 0x0000FFFF, 0xFFFF0000,
                                 0x55555555, 1,          0x80000000,
                                 0x80000001, 0x7FFFFFFF};

// What an instruction gives in a lane, by the predicate's and the value's bits
// of all lanes, among the members.
typedef struct Warp {
    uint32_t members, predicate, value[LANES];
} Warp;
typedef uint32_t Gives(const Warp *w, uint32_t lane);

static bool is_member(const Warp *w, uint32_t lane) {
    return w->members >> lane & 1;
}

// The lanes among the members in which the predicate holds, and the others.
static uint32_t yes(const Warp *w) {
    return w->predicate & w->members;
}
static uint32_t no(const Warp *w) {
    return ~w->predicate & w->members;
}

static uint32_t all(const Warp *w, uint32_t lane) {
    return (void)lane, no(w) == 0;
}
static uint32_t any(const Warp *w, uint32_t lane) {
    return (void)lane, yes(w) != 0;
}
static uint32_t uni(const Warp *w, uint32_t lane) {
    return (void)lane, yes(w) == 0 || no(w) == 0;
}
static uint32_t ballot(const Warp *w, uint32_t lane) {
    return (void)lane, yes(w);
}
static uint32_t none(const Warp *w, uint32_t lane) {
    return (void)lane, yes(w) == 0;
}
static uint32_t some_not(const Warp *w, uint32_t lane) {
    return (void)lane, no(w) != 0;
}
static uint32_t ballot_not(const Warp *w, uint32_t lane) {
    return (void)lane, no(w);
}

static uint32_t alike(const Warp *w, uint32_t lane) {
    uint32_t same = 0;
    for (uint32_t k = 0; k < LANES; k++)
        same |= (uint32_t)(is_member(w, k) && w->value[k] == w->value[lane])
                << k;
    return same;
}
static uint32_t all_alike(const Warp *w, uint32_t lane) {
    return alike(w, lane) == w->members ? w->members : 0;
}
static uint32_t are_alike(const Warp *w, uint32_t lane) {
    return alike(w, lane) == w->members;
}

#define FOLD(name, start, expression)                    \
    static uint32_t name(const Warp *w, uint32_t lane) { \
        uint32_t a = start;                              \
        (void)lane;                                      \
        for (uint32_t k = 0; k < LANES; k++) {           \
            uint32_t b = w->value[k];                    \
            if (is_member(w, k))                         \
                a = expression;                          \
        }                                                \
        return a;                                        \
    }
FOLD(sum, 0, a + b)
FOLD(least, UINT32_MAX, a < b ? a : b)
FOLD(most, 0, a > b ? a : b)
FOLD(least_signed, INT32_MAX, (int32_t)a < (int32_t)b ? a : b)
FOLD(most_signed, 0x80000000, (int32_t)a > (int32_t)b ? a : b)
FOLD(conjunction, UINT32_MAX, a &b)
FOLD(disjunction, 0, a | b)
FOLD(difference, 0, a ^ b)

static uint32_t members(const Warp *w, uint32_t lane) {
    return (void)lane, w->members;
}

static uint32_t first_value(const Warp *w, uint32_t lane) {
    uint32_t first = 0;
    while (!is_member(w, first))
        first++;
    return (void)lane, w->value[first];
}

// The predicate is %p1, the value %r1, the members %r2, the first of them %r3;
// the result %r5, or %p5, which is stored as 1 or 0.
static const struct {
    const char *text;
    Gives *gives;
} CASES[] = {
    {"vote.sync.all.pred %p5, %p1, %r2;", all},
    {"vote.sync.any.pred %p5, %p1, %r2;", any},
    {"vote.sync.uni.pred %p5, %p1, %r2;", uni},
    {"vote.sync.ballot.b32 %r5, %p1, %r2;", ballot},
    {"vote.sync.all.pred %p5, !%p1, %r2;", none},
    {"vote.sync.any.pred %p5, !%p1, %r2;", some_not},
    {"vote.sync.uni.pred %p5, !%p1, %r2;", uni},
    {"vote.sync.ballot.b32 %r5, !%p1, %r2;", ballot_not},
    {"match.any.sync.b32 %r5, %r1, %r2;", alike},
    {"match.all.sync.b32 %r5, %r1, %r2;", all_alike},
    {"match.all.sync.b32 %r5|%p5, %r1, %r2;", are_alike},
    {"cvt.u64.u32 %l1, %r1; shl.b64 %l1, %l1, 32;\n"
     "match.any.sync.b64 %r5, %l1, %r2;",
     alike},
    {"redux.sync.add.u32 %r5, %r1, %r2;", sum},
    {"redux.sync.min.u32 %r5, %r1, %r2;", least},
    {"redux.sync.max.u32 %r5, %r1, %r2;", most},
    {"redux.sync.add.s32 %r5, %r1, %r2;", sum},
    {"redux.sync.min.s32 %r5, %r1, %r2;", least_signed},
    {"redux.sync.max.s32 %r5, %r1, %r2;", most_signed},
    {"redux.sync.and.b32 %r5, %r1, %r2;", conjunction},
    {"redux.sync.or.b32 %r5, %r1, %r2;", disjunction},
    {"redux.sync.xor.b32 %r5, %r1, %r2;", difference},
    {"activemask.b32 %r5;", members},
    {"shfl.sync.idx.b32 %r5, %r1, %r3, 31, %r2;", first_value},
};

static bool gives_predicate(const char *text) {
    return strstr(text, "%p5") != NULL;
}

// ---- running them --------------------------------------------------------

// Each result goes to out[32 * case + lane].
static Str program(Arena *arena, const char *const *texts, size_t count) {
    Buf out = {0};
    buf_str(&out,
            STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                ".visible .entry k(.param .u64 out, .param .u32 members,\n"
                ".param .u32 first) {\n"
                ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %l<9>;\n"
                "ld.param.u64 %l0, [out]; ld.param.u32 %r2, [members];\n"
                "ld.param.u32 %r3, [first]; mov.u32 %r4, %tid.x;\n"
                "shl.b32 %r6, %r4, 2; cvt.u64.u32 %l2, %r6;\n"
                "add.u64 %l0, %l0, %l2;\n" // predicate and value of the lane
                "ld.global.u32 %r7, [%l0]; setp.ne.u32 %p1, %r7, 0;\n"
                "ld.global.u32 %r1, [%l0+128];\n"
                "shr.u32 %r7, %r2, %r4; and.b32 %r7, %r7, 1;\n"
                "setp.eq.u32 %p2, %r7, 0; @%p2 bra E;\n"));
    for (size_t i = 0; i < count; i++) {
        buf_printf(&out, "%s\n", texts[i]);
        if (gives_predicate(texts[i]))
            buf_str(&out, STR("selp.u32 %r5, 1, 0, %p5;\n"));
        buf_printf(&out, "st.global.u32 [%%l0+%zu], %%r5;\n",
                   (i + 2) * LANES * 4);
    }
    buf_str(&out, STR("E: barrier.sync 0; ret;\n}\n")); // others wait there
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

typedef struct Machine {
    Arena arena;
    Device *device;
    uint32_t buffer, words[(2 + OPS) * LANES];
    uint64_t address;
} Machine;

static bool machine_open(Machine *m, const char *const *texts, size_t count) {
    *m = (Machine){.device = vm_open(vm_model_find(STR("mini")))};
    Diags diags = diags_new(&m->arena);
    Str text = program(&m->arena, texts, count);
    PtxModule *module = ptx_parse(&m->arena, STR("k.ptx"), text, &diags);
    const DeviceOps *ops = m->device->ops;
    bool ok = CHECK(module != NULL) &&
              CHECK(ops->load(m->device, module, &diags)) &&
              CHECK(ops->alloc(m->device, sizeof m->words, &m->buffer,
                               &m->address, &diags));
    for (size_t i = 0; i < diags.count; i++)
        printf("# %.*s\n", STR_ARG(diags.items[i].what));
    return ok;
}

static void machine_close(Machine *m) {
    m->device->ops->close(m->device);
    arena_free(&m->arena);
}

static void machine_run(Machine *m, const Warp *w) {
    struct {
        uint64_t out;
        uint32_t members, first;
    } args = {m->address, w->members, 0};
    while (!is_member(w, args.first))
        args.first++;
    memset(m->words, 0, sizeof m->words);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        m->words[lane] = w->predicate >> lane & 1;
        m->words[LANES + lane] = w->value[lane];
    }
    const DeviceOps *ops = m->device->ops;
    ops->write(m->device, m->buffer, 0, m->words, sizeof m->words);
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {LANES, 1, 1},
                           .args = &args,
                           .arg_bytes = sizeof args};
    DeviceRun run;
    CHECK(ops->launch(m->device, &m->arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    CHECK_INT(run.finding_count, 0);
    ops->read(m->device, m->buffer, 0, m->words, sizeof m->words);
}

static Warp warp_of(uint32_t members, uint32_t pattern, uint32_t kind) {
    Warp w = {.members = members, .predicate = pattern};
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t bit = pattern >> lane & 1;
        w.value[lane] = kind == 0   ? 7 + bit
                        : kind == 1 ? 0x7FFFFFFE + 3 * bit
                                    : lane * 2654435761u ^ pattern;
    }
    return w;
}

_Static_assert(COUNT_OF(CASES) <= OPS, "there is room for all results");

static void check_results(const Machine *m, const Warp *w) {
    for (size_t i = 0; i < COUNT_OF(CASES); i++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t expected =
                is_member(w, lane) ? CASES[i].gives(w, lane) : 0;
            if (!CHECK_U64(m->words[(i + 2) * LANES + lane], expected))
                printf("# %s, lane %u of %#x, predicate %#x\n", CASES[i].text,
                       lane, w->members, w->predicate);
        }
}

TEST(members_see_what_all_of_them_hold) {
    const char *texts[COUNT_OF(CASES)];
    for (size_t i = 0; i < COUNT_OF(CASES); i++)
        texts[i] = CASES[i].text;
    Machine m;
    if (!machine_open(&m, texts, COUNT_OF(CASES)))
        return;
    for (size_t i = 0; i < COUNT_OF(MASKS); i++)
        for (size_t k = 0; k < COUNT_OF(PATTERNS); k++)
            for (uint32_t kind = 0; kind < 3; kind++) {
                Warp w = warp_of(MASKS[i], PATTERNS[k], kind);
                machine_run(&m, &w);
                check_results(&m, &w);
            }
    machine_close(&m);
}

// ---- elect ---------------------------------------------------------------

// One of the members, the same for all, and it alone has the predicate.
TEST(one_member_is_elected) {
    static const char *const texts[] = {
        "elect.sync %r5|%p5, %r2;",
        "elect.sync %r5|%p6, %r2; setp.ne.u32 %p7, %r5, 99;\n"
        "selp.u32 %r5, %r5, 99, %p7;"};
    Machine m;
    if (!machine_open(&m, texts, COUNT_OF(texts)))
        return;
    for (size_t i = 0; i < COUNT_OF(MASKS); i++) {
        Warp w = warp_of(MASKS[i], 0, 0);
        machine_run(&m, &w);
        uint32_t elected = 0, first = 0;
        while (!is_member(&w, first))
            first++;
        uint32_t leader = m.words[3 * LANES + first];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            elected += m.words[2 * LANES + lane];
            if (is_member(&w, lane))
                CHECK_U64(m.words[3 * LANES + lane], leader);
        }
        CHECK_U64(elected, 1);
        CHECK(leader < LANES && is_member(&w, leader));
        CHECK_U64(m.words[2 * LANES + leader], 1);
    }
    machine_close(&m);
}

// ---- shuffles ------------------------------------------------------------

typedef enum Shuffle { UP, DOWN, BFLY, IDX } Shuffle;

// PTX ISA, "shfl": its pseudo-code.
static bool source_of(Shuffle how, uint32_t lane, uint32_t b, uint32_t c,
                      uint32_t *from) {
    int32_t bval = (int32_t)(b & 31), cval = (int32_t)(c & 31),
            mask = (int32_t)(c >> 8 & 31), l = (int32_t)lane;
    int32_t most = (l & mask) | (cval & ~mask), min = l & mask, j = 0;
    bool inside = false;
    switch (how) {
    case UP:
        j = l - bval;
        inside = j >= most;
        break;
    case DOWN:
        j = l + bval;
        inside = j <= most;
        break;
    case BFLY:
        j = l ^ bval;
        inside = j <= most;
        break;
    case IDX:
        j = min | (bval & ~mask);
        inside = j <= most;
        break;
    }
    *from = inside ? (uint32_t)j : lane;
    return inside;
}

TEST(a_shuffle_takes_from_the_lane_that_the_manual_says) {
    static const char *const names[] = {"up", "down", "bfly", "idx"};
    static const uint32_t bs[] = {0, 1, 2, 5, 16, 31, 33},
                          widths[] = {0,      31,     0x1000, 0x101F,
                                      0x1800, 0x181F, 0x1C1F, 0x1F1F};
    for (int how = UP; how <= IDX; how++)
        for (size_t b = 0; b < COUNT_OF(bs); b++)
            for (size_t c = 0; c < COUNT_OF(widths); c++) {
                Arena arena = {0};
                const char *texts[2];
                for (int i = 0; i < 2; i++)
                    texts[i] = str_format(&arena,
                                          "shfl.sync.%s.b32 %%r5|%s, %%r1, %u, "
                                          "%u, %%r2;%c",
                                          names[how], i ? "%p5" : "%p6", bs[b],
                                          widths[c], '\0')
                                   .ptr;
                Machine m;
                if (!machine_open(&m, texts, 2))
                    return;
                Warp w = warp_of(UINT32_MAX, 0x12345678, 2);
                machine_run(&m, &w);
                for (uint32_t lane = 0; lane < LANES; lane++) {
                    uint32_t from;
                    bool inside =
                        source_of((Shuffle)how, lane, bs[b], widths[c], &from);
                    if (!CHECK_U64(m.words[2 * LANES + lane], w.value[from]) ||
                        !CHECK_U64(m.words[3 * LANES + lane], inside))
                        printf("# %s lane %u\n", texts[0], lane);
                }
                machine_close(&m);
                arena_free(&arena);
            }
}

// ---- barriers that reduce ------------------------------------------------

enum { THREADS = 64, VOTES = 5 };

// Each thread's predicate is in out[thread]; results from out[64] on.
static const char BLOCK[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %l<9>;\n"
    "ld.param.u64 %l0, [out]; mov.u32 %r4, %tid.x; shr.u32 %r5, %r4, 5;\n"
    "add.u32 %r5, %r5, 1; mul.wide.u32 %l1, %r4, 4; add.u64 %l0, %l0, %l1;\n"
    "ld.global.u32 %r1, [%l0]; setp.ne.u32 %p1, %r1, 0;\n"
    "bar.red.popc.u32 %r1, 0, %p1; st.global.u32 [%l0+256], %r1;\n"
    "bar.red.and.pred %p2, 0, %p1; selp.u32 %r1, 1, 0, %p2;\n"
    "st.global.u32 [%l0+512], %r1;\n"
    "bar.red.or.pred %p2, 0, %p1; selp.u32 %r1, 1, 0, %p2;\n"
    "st.global.u32 [%l0+768], %r1;\n"
    "bar.red.and.pred %p2, 0, !%p1; selp.u32 %r1, 1, 0, %p2;\n"
    "st.global.u32 [%l0+1024], %r1;\n"
    // Each warp by itself, at a barrier of its own.
    "barrier.red.popc.u32 %r1, %r5, 32, %p1; st.global.u32 [%l0+1280], %r1;\n"
    "ret;\n}\n";

static uint32_t count_of(uint64_t bits) {
    return (uint32_t)__builtin_popcountll(bits);
}

static void check_block(const uint32_t *words, uint64_t pattern) {
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t own = count_of(pattern >> (t & 32) & UINT32_MAX);
        const uint32_t expected[VOTES] = {count_of(pattern),
                                          pattern == UINT64_MAX, pattern != 0,
                                          pattern == 0, own};
        for (uint32_t i = 0; i < VOTES; i++)
            if (!CHECK_U64(words[(i + 1) * THREADS + t], expected[i]))
                printf("# result %u of thread %u\n", i, t);
    }
}

TEST(a_barrier_reduces_what_all_of_its_threads_hold) {
    static const uint64_t patterns[] = {0,
                                        UINT64_MAX,
                                        1,
                                        UINT64_C(1) << 63,
                                        UINT64_C(1) << 32,
                                        UINT32_MAX,
                                        ~UINT64_C(1),
                                        0x5555555555555555};
    Machine m = {.device = vm_open(vm_model_find(STR("mini")))};
    Diags diags = diags_new(&m.arena);
    PtxModule *module = ptx_parse(&m.arena, STR("k.ptx"), STR(BLOCK), &diags);
    const DeviceOps *ops = m.device->ops;
    if (!CHECK(module && ops->load(m.device, module, &diags)) ||
        !CHECK(ops->alloc(m.device, sizeof m.words, &m.buffer, &m.address,
                          &diags)))
        return;
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        DeviceLaunch launch = {.kernel = STR("k"),
                               .grid = {1, 1, 1},
                               .block = {THREADS, 1, 1},
                               .args = &m.address,
                               .arg_bytes = sizeof m.address};
        DeviceRun run;
        for (uint32_t t = 0; t < THREADS; t++)
            m.words[t] = patterns[i] >> t & 1;
        ops->write(m.device, m.buffer, 0, m.words, sizeof m.words);
        CHECK(ops->launch(m.device, &m.arena, &launch, &run));
        CHECK_INT(run.status, RUN_DONE);
        ops->read(m.device, m.buffer, 0, m.words, sizeof m.words);
        check_block(m.words, patterns[i]);
    }
    machine_close(&m);
}

TEST_MAIN(TESTCASE(members_see_what_all_of_them_hold),
          TESTCASE(one_member_is_elected),
          TESTCASE(a_shuffle_takes_from_the_lane_that_the_manual_says),
          TESTCASE(a_barrier_reduces_what_all_of_its_threads_hold))
