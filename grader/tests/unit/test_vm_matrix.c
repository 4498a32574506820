// SPDX-License-Identifier: Apache-2.0
// mma, ldmatrix, stmatrix and movmatrix in the virtual machine. The places of
// elements are written here as the PTX ISA has them ("Matrix Fragments for
// mma"), for each shape; the products are computed from whole matrices.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

#include <math.h>

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"

enum { LANES = 32, WORDS = 32, IN = 8, OUT = 9 };

typedef struct Bench {
    Arena arena;
    Device *device;
    uint32_t in[LANES + 1][WORDS], out[LANES + 1][WORDS]; // one to spare
    uint32_t threads;
    DeviceRun run;
} Bench;

static void bench_run(Bench *b, Str body) {
    Diags diags = diags_new(&b->arena);
    Str text = str_format(
        &b->arena,
        HEAD ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
             ".reg .b64 %%l<9>; .reg .b32 %%r<40>; .reg .f64 %%d<20>;\n"
             ".reg .pred %%p<4>; .shared .align 16 .b8 s[512];\n"
             "ld.param.u64 %%l0, [in]; ld.param.u64 %%l1, [out];\n"
             "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%l3, %%r0, 128;\n"
             "add.u64 %%l0, %%l0, %%l3; add.u64 %%l1, %%l1, %%l3;\n"
             "%.*s\nret;\n}\n",
        STR_ARG(body));
    PtxModule *module = ptx_parse(&b->arena, STR("text"), text, &diags);
    const uint64_t args[] = {IN * VM_STRIDE, OUT * VM_STRIDE};
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {b->threads ? b->threads : LANES, 1, 1},
                           .args = args,
                           .arg_bytes = sizeof args};
    if (!CHECK(module != NULL))
        return;
    b->device = vm_open(vm_model_find(STR("mini")));
    CHECK(b->device->ops->load(b->device, module, &diags));
    vm_map(b->device, IN, b->in, sizeof b->in - VM_SPARE, NULL);
    vm_map(b->device, OUT, b->out, sizeof b->out - VM_SPARE, NULL);
    b->device->ops->launch(b->device, &b->arena, &launch, &b->run);
}

static void bench_close(Bench *b) {
    b->device->ops->close(b->device);
    arena_free(&b->arena);
}

// ---- mma -----------------------------------------------------------------

typedef enum Kind { F16, BF16, TF32, F64, S8, U8, F32, S32 } Kind;

static const struct {
    uint32_t bytes;
} kinds[] = {[F16] = {2}, [BF16] = {2}, [TF32] = {4}, [F64] = {8},
             [S8] = {1},  [U8] = {1},   [F32] = {4},  [S32] = {4}};

typedef struct Form {
    const char *suffixes;
    uint32_t m, n, k;
    Kind ab, c, d;
} Form;

static const Form forms[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, F16, F32, F32},
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, F16, F32, F32},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, F16, F16, F16},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, BF16, F32, F32},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, BF16, F32, F32},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, TF32, F32, F32},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, TF32, F32, F32},
    {"m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, S8, S32, S32},
    {"m16n8k16.row.col.s32.s8.s8.s32", 16, 8, 16, S8, S32, S32},
    {"m16n8k32.row.col.s32.u8.u8.s32", 16, 8, 32, U8, S32, S32},
    {"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, F64, F64, F64},
    {"m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, F64, F64, F64},
    {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, F64, F64, F64},
    {"m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, F64, F64, F64},
};

// The bits of a small integer.
static uint64_t bits_of(Kind kind, int x) {
    float f = (float)x;
    double d = x;
    uint64_t wide;
    uint32_t bits, sign = x < 0 ? 0x8000 : 0;
    int e = 0;
    memcpy(&bits, &f, sizeof bits);
    memcpy(&wide, &d, sizeof wide);
    switch (kind) {
    case F16:
        if (x == 0)
            return 0;
        frexp(fabs(d), &e);
        return sign | (uint32_t)(e + 14) << 10 | (bits >> 13 & 0x3ff);
    case BF16:
        return bits >> 16;
    case TF32:
        return bits | 0x1fff; // which does not count
    case F32:
        return bits;
    case F64:
        return wide;
    case S8:
    case U8:
        return (uint8_t)x;
    case S32:
        return (uint32_t)x;
    }
    return 0;
}

static void put(Bench *b, uint32_t lane, uint32_t word, uint32_t element,
                Kind kind, int value) {
    uint8_t *at =
        (uint8_t *)&b->in[lane][word] + (size_t)element * kinds[kind].bytes;
    uint64_t bits = bits_of(kind, value);
    memcpy(at, &bits, kinds[kind].bytes);
}

static int a_of(const Form *f, uint32_t row, uint32_t k) {
    return (int)((row * 3 + k * 5) % 7) - (f->ab == U8 ? 0 : 3);
}

static int b_of(const Form *f, uint32_t k, uint32_t column) {
    return (int)((k + column * 2) % 5) - (f->ab == U8 ? 0 : 2);
}

static int c_of(uint32_t row, uint32_t column) {
    return (int)(row * 8 + column) % 11 - 5;
}

// PTX ISA: element i of A in the fragment of a lane.
static void a_place(const Form *f, uint32_t lane, uint32_t i, uint32_t *row,
                    uint32_t *k) {
    uint32_t group = lane >> 2, t = lane % 4;
    bool small = f->m == 8;
    switch (kinds[f->ab].bytes) {
    case 1: // m16n8k32: a0..a3 and a8..a11 in the upper half
        *row = small || (i / 4) % 2 == 0 ? group : group + 8;
        *k = t * 4 + (i & 3) + (i >= 8 ? 16 : 0);
        return;
    case 2: // m16n8k16: a0, a1, a4, a5 in the upper half
        *row = (i / 2) % 2 == 0 ? group : group + 8;
        *k = t * 2 + (i & 1) + (i >= 4 ? 8 : 0);
        return;
    default: // even elements in the upper half
        *row = small || i % 2 == 0 ? group : group + 8;
        *k = t + 4 * (small ? i : i / 2);
    }
}

static void b_place(const Form *f, uint32_t lane, uint32_t i, uint32_t *k,
                    uint32_t *column) {
    uint32_t t = lane % 4;
    *column = lane >> 2;
    switch (kinds[f->ab].bytes) {
    case 1:
        *k = t * 4 + (i & 3) + (i >= 4 ? 16 : 0);
        return;
    case 2:
        *k = t * 2 + (i & 1) + (i >= 2 ? 8 : 0);
        return;
    default:
        *k = t + 4 * i;
    }
}

static void c_place(uint32_t lane, uint32_t i, uint32_t *row,
                    uint32_t *column) {
    *row = (lane >> 2) + (i >= 2 ? 8 : 0);
    *column = lane % 4 * 2 + (i & 1);
}

static uint32_t words_of(uint32_t elements, Kind kind) {
    return elements * kinds[kind].bytes / LANES / 4;
}

static void fill(Bench *b, const Form *f, uint32_t b_at, uint32_t c_at) {
    uint32_t row, column;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t i = 0; i < f->m * f->k / LANES; i++) {
            a_place(f, lane, i, &row, &column);
            put(b, lane, 0, i, f->ab, a_of(f, row, column));
        }
        for (uint32_t i = 0; i < f->k * f->n / LANES; i++) {
            b_place(f, lane, i, &row, &column);
            put(b, lane, b_at, i, f->ab, b_of(f, row, column));
        }
        for (uint32_t i = 0; i < f->m * f->n / LANES; i++) {
            c_place(lane, i, &row, &column);
            put(b, lane, c_at, i, f->c, c_of(row, column));
        }
    }
}

// "{%r4, %r5}": `count` registers of a fragment from number `from` on.
static Str registers(Arena *arena, bool is_wide, uint32_t from,
                     uint32_t count) {
    Buf out = {0};
    for (uint32_t i = 0; i < count; i++)
        buf_str(&out, str_format(arena, "%s%%%c%u", i ? ", " : "{",
                                 is_wide ? 'd' : 'r', from + i));
    buf_str(&out, STR("}"));
    Str copy = str_format(arena, "%.*s", STR_ARG(buf_view(&out)));
    buf_free(&out);
    return copy;
}

static Str body_of(Bench *b, const Form *f, uint32_t words[4]) {
    bool is_wide = f->ab == F64;
    uint32_t size = is_wide ? 2 : 1, first = 1;
    Str parts[4] = {0};
    Buf out = {0};
    for (uint32_t i = 0; i < 3; i++) { // A, B, C
        uint32_t count = words[i] / size;
        parts[i] = registers(&b->arena, is_wide, first, count);
        for (uint32_t k = 0; k < count; k++)
            buf_str(&out,
                    str_format(&b->arena, "ld.global.%s %%%c%u, [%%l0+%u];\n",
                               is_wide ? "f64" : "b32", is_wide ? 'd' : 'r',
                               first + k, 4 * size * (first - 1 + k)));
        first += count;
    }
    uint32_t results = words[3] / size, at = first - words[2] / size;
    parts[3] = registers(&b->arena, is_wide, at, results);
    buf_str(&out, str_format(&b->arena,
                             "mma.sync.aligned.%s %.*s, %.*s, %.*s, %.*s;\n",
                             f->suffixes, STR_ARG(parts[3]), STR_ARG(parts[0]),
                             STR_ARG(parts[1]), STR_ARG(parts[2])));
    for (uint32_t k = 0; k < results; k++)
        buf_str(&out, str_format(&b->arena, "st.global.%s [%%l1+%u], %%%c%u;\n",
                                 is_wide ? "f64" : "b32", 4 * size * k,
                                 is_wide ? 'd' : 'r', at + k));
    Str text = str_format(&b->arena, "%.*s", STR_ARG(buf_view(&out)));
    buf_free(&out);
    return text;
}

static void check_results(const Bench *b, const Form *f) {
    uint32_t wrong = 0, row, column;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < f->m * f->n / LANES; i++) {
            c_place(lane, i, &row, &column);
            int sum = c_of(row, column);
            for (uint32_t k = 0; k < f->k; k++)
                sum += a_of(f, row, k) * b_of(f, k, column);
            uint64_t wanted = bits_of(f->d, sum), found = 0;
            memcpy(&found,
                   (const uint8_t *)b->out[lane] + i * kinds[f->d].bytes,
                   kinds[f->d].bytes);
            wrong += wanted != found;
        }
    if (!CHECK_INT(wrong, 0))
        printf("# %s\n", f->suffixes);
}

TEST(mma_of_every_shape) {
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        const Form *f = &forms[i];
        Bench b = {0};
        uint32_t words[4] = {
            words_of(f->m * f->k, f->ab), words_of(f->k * f->n, f->ab),
            words_of(f->m * f->n, f->c), words_of(f->m * f->n, f->d)};
        fill(&b, f, words[0], words[0] + words[1]);
        bench_run(&b, body_of(&b, f, words));
        CHECK_INT(b.run.status, RUN_DONE);
        check_results(&b, f);
        bench_close(&b);
    }
}

#define INTEGERS                                          \
    "mov.b32 %r1, 0x7f7f7f7f; mov.b32 %r2, 0x7fffff00;\n" \
    "mma.sync.aligned.m8n8k16.row.col"

TEST(integers_saturate_or_wrap) {
    Bench b = {0};
    bench_run(&b, STR(INTEGERS ".satfinite.s32.s8.s8.s32 {%r3, %r4}, {%r1}, "
                               "{%r1}, {%r2, %r2};\n"
                               "st.global.b32 [%l1], %r3;"));
    CHECK_U64(b.out[0][0], INT32_MAX);
    bench_close(&b);
    b = (Bench){0};
    bench_run(&b, STR(INTEGERS ".s32.s8.s8.s32 {%r3, %r4}, {%r1}, {%r1}, "
                               "{%r2, %r2};\nst.global.b32 [%l1], %r3;"));
    CHECK_U64(b.out[0][0], 0x7fffff00u + 16 * 127 * 127);
    bench_close(&b);
}

// ---- moving matrices -----------------------------------------------------

// Row r of matrix m is at s + 128 m + 16 r, and its element c is 64 m + 8 r +
// c.
#define FILL                                                        \
    "mov.u32 %r1, s; shl.b32 %r2, %r0, 4; add.u32 %r1, %r1, %r2;\n" \
    "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%l0];\n"               \
    "st.shared.v4.b32 [%r1], {%r4, %r5, %r6, %r7};\nbar.sync 0;\n"

static void make_rows(Bench *b) {
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t c = 0; c < 8; c++)
            ((uint16_t *)b->in[lane])[c] = (uint16_t)(lane * 8 + c);
}

static uint32_t pair(uint32_t low, uint32_t high) {
    return low | high << 16;
}

TEST(ldmatrix_and_its_transpose) {
    Bench b = {0};
    make_rows(&b);
    bench_run(&b,
              STR(FILL "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, "
                       "%r10, %r11}, [%r1];\n"
                       "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 "
                       "{%r12}, [%r1];\n"
                       "movmatrix.sync.aligned.m8n8.trans.b16 %r13, %r8;\n"
                       "st.global.v4.b32 [%l1], {%r8, %r9, %r10, %r11};\n"
                       "st.global.v2.b32 [%l1+16], {%r12, %r13};"));
    CHECK_INT(b.run.status, RUN_DONE);
    CHECK_INT(b.run.finding_count, 0);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t row = lane / 4, column = lane % 4 * 2;
        for (uint32_t m = 0; m < 4; m++)
            CHECK_INT(b.out[lane][m], pair(64 * m + 8 * row + column,
                                           64 * m + 8 * row + column + 1));
        uint32_t turned = pair(8 * column + row, 8 * (column + 1) + row);
        CHECK_INT(b.out[lane][4], turned);
        CHECK_INT(b.out[lane][5], turned);
    }
    bench_close(&b);
}

TEST(stmatrix_stores_what_ldmatrix_loads) {
    Bench b = {0};
    make_rows(&b);
    bench_run(&b,
              STR(FILL "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r8, "
                       "%r9}, [%r1];\nbar.sync 0;\n"
                       "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r8, "
                       "%r9};\nbar.sync 0;\n"
                       "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r1];\n"
                       "st.global.v4.b32 [%l1], {%r4, %r5, %r6, %r7};"));
    CHECK_INT(b.run.status, RUN_DONE);
    CHECK_INT(b.run.finding_count, 0);
    for (uint32_t lane = 0; lane < 16; lane++)
        for (uint32_t c = 0; c < 8; c++)
            CHECK_INT(((const uint16_t *)b.out[lane])[c],
                      lane / 8 * 64 + c * 8 + lane % 8);
    bench_close(&b);
}

#define TURN "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;"

TEST(parts_of_a_warp_are_reported) {
    static const char *const bodies[] = {
        TURN,
        "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra L;\nret;\nL:\n" TURN,
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        Bench b = {.threads = i == 0 ? 16 : LANES};
        bench_run(&b, str_from(bodies[i]));
        CHECK_INT(b.run.status, RUN_FAULT);
        CHECK_INT(b.run.findings[0].which, CASE_SYNC004_NEVER_COME);
        bench_close(&b);
    }
}

#define EIGHT "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}"

TEST(forms_that_are_missing) {
    static const char *const bodies[] = {
        ("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 " EIGHT
         ", {%r9, %r10}, {%r9, %r10}, " EIGHT ";"),
        ("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r1, %r2}, {%r3}, "
         "{%r3}, {%r1, %r2};"),
        "wgmma.fence.sync.aligned;",
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        Bench b = {0};
        bench_run(&b, str_from(bodies[i]));
        CHECK_INT(b.run.status, RUN_UNSUPPORTED);
        bench_close(&b);
    }
}

TEST_MAIN(TESTCASE(mma_of_every_shape), TESTCASE(integers_saturate_or_wrap),
          TESTCASE(ldmatrix_and_its_transpose),
          TESTCASE(stmatrix_stores_what_ldmatrix_loads),
          TESTCASE(parts_of_a_warp_are_reported),
          TESTCASE(forms_that_are_missing))
