// SPDX-License-Identifier: Apache-2.0
// The approximate instructions against long double functions, over sweeps: the
// error stays within the bound that the PTX ISA 9.0 states for each (section
// 9.7.3, in the text of the instruction). Special values are in the fixtures
// right-float.ptx and right-float-64.ptx.
#include "tests/unit/test.h"
#include "vm/vm.h"

#include <math.h>

enum { POINTS = 1 << 13, BLOCK = 256 };

typedef long double (*Function)(long double);

// One sweep: from the bits of `from` to those of `to`, in equal steps of the
// bits (so that every exponent has its share). The error may be `relative` of
// the exact value plus `absolute`.
typedef struct Sweep {
    const char *op; // with its suffixes but the type
    Function exact;
    double from, to;
    double relative, absolute;
} Sweep;

static uint64_t to_bits(double x, bool is_f64) {
    float narrow = (float)x;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &narrow, sizeof low);
    memcpy(&bits, &x, sizeof bits);
    return is_f64 ? bits : low;
}

static double from_bits(uint64_t bits, bool is_f64) {
    uint32_t low = (uint32_t)bits;
    float narrow;
    double x;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&x, &bits, sizeof x);
    return is_f64 ? x : (double)narrow;
}

// A kernel k(in, out): out[i] = op(in[i]), or op(in[i], in[i ^ 1]).
static Str kernel_text(Arena *arena, const char *op, bool is_f64, bool two) {
    return str_format(
        arena,
        ".version 9.0\n.target sm_100a\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b32 %%r<9>; .reg .b64 %%l<9>; .reg .b%s %%x<9>;\n"
        "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x;\n"
        "mad.lo.u32 %%r1, %%r2, %d, %%r1; xor.b32 %%r2, %%r1, 1;\n"
        "ld.param.u64 %%l1, [in]; ld.param.u64 %%l2, [out];\n"
        "mad.wide.u32 %%l3, %%r1, 8, %%l1; mad.wide.u32 %%l4, %%r2, 8, %%l1;\n"
        "mad.wide.u32 %%l5, %%r1, 8, %%l2;\n"
        "ld.global.b%s %%x1, [%%l3]; ld.global.b%s %%x2, [%%l4];\n"
        "%s.%s %%x3, %%x1%s;\nst.global.b%s [%%l5], %%x3;\nret;\n}\n",
        is_f64 ? "64" : "32", BLOCK, is_f64 ? "64" : "32", is_f64 ? "64" : "32",
        op, is_f64 ? "f64" : "f32", two ? ", %x2" : "", is_f64 ? "64" : "32");
}

static void run_kernel(Arena *arena, Str text, uint64_t *values) {
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, STR("approx.ptx"), text, &diags);
    if (!CHECK(module != NULL))
        return;
    Device *vm = vm_open(vm_model_find(STR("mini")));
    uint32_t in, out;
    uint64_t args[2], bytes = POINTS * sizeof *values;
    vm->ops->load(vm, module, &diags);
    vm->ops->alloc(vm, bytes, &in, &args[0], &diags);
    vm->ops->alloc(vm, bytes, &out, &args[1], &diags);
    vm->ops->write(vm, in, 0, values, bytes);
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {POINTS / BLOCK, 1, 1},
                           .block = {BLOCK, 1, 1},
                           .args = args,
                           .arg_bytes = sizeof args};
    DeviceRun run;
    vm->ops->launch(vm, arena, &launch, &run);
    CHECK_INT(run.status, RUN_DONE);
    memset(values, 0, bytes);
    CHECK(vm->ops->read(vm, out, 0, values, bytes));
    vm->ops->close(vm);
}

static bool is_near(const Sweep *s, long double exact, double got) {
    if (isnan(exact) || isinf(exact))
        return isnan(exact) ? isnan(got) : (long double)got == exact;
    return fabsl((long double)got - exact) <=
           fabsl(exact) * (long double)s->relative + (long double)s->absolute;
}

static void check_point(const Sweep *s, bool is_f64, double x,
                        long double exact, uint64_t bits, size_t *wrong) {
    double got = from_bits(bits, is_f64);
    if (is_near(s, exact, got) || (*wrong)++ > 3)
        return;
    printf("# %s(%a): is %a, exactly %La, %.3Lg times the bound\n", s->op, x,
           got, exact,
           fabsl((long double)got - exact) /
               (fabsl(exact) * (long double)s->relative +
                (long double)s->absolute));
}

static void sweep(const Sweep *s, bool is_f64) {
    Arena arena = {0};
    uint64_t *in = arena_new(&arena, uint64_t, POINTS);
    uint64_t *out = arena_new(&arena, uint64_t, POINTS);
    uint64_t from = to_bits(s->from, is_f64), to = to_bits(s->to, is_f64);
    uint64_t step = (to - from) / (POINTS - 1);
    CHECK(step > 0);
    for (uint32_t i = 0; i < POINTS; i++)
        out[i] = in[i] = from + i * step;
    bool two = !s->exact;
    run_kernel(&arena, kernel_text(&arena, s->op, is_f64, two), out);
    size_t wrong = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        double x = from_bits(in[i], is_f64);
        long double exact =
            two ? (long double)x / (long double)from_bits(in[i ^ 1], is_f64)
                : s->exact((long double)x);
        check_point(s, is_f64, x, exact, out[i], &wrong);
    }
    CHECK_INT(wrong, 0);
    arena_free(&arena);
}

static long double reciprocal(long double x) {
    return 1.0L / x;
}

static long double reciprocal_root(long double x) {
    return 1.0L / sqrtl(x);
}

// Half the least subnormal f32: what rounding a tiny result costs at most.
#define TINY 0x1p-150
#define PI 3.14159265358979323846

// The bounds: rcp 1 ulp; sqrt 2^-23 and rsqrt 2^-22.9 of the value; div 2 ulp,
// .approx for |b| in [2^-126, 2^126]. (1 ulp is at least 2^-24 of a value.)
TEST(roots_and_quotients) {
    static const Sweep sweeps[] = {
        {"rcp.approx", reciprocal, 0x1p-126, 0x1.fffffep127, 0x1p-24, TINY},
        {"rcp.approx", reciprocal, -0x1p-126, -0x1.fffffep127, 0x1p-24, TINY},
        {"rcp.approx", reciprocal, 0x1p-127, 0x1p-126, 0x1p-24, TINY},
        {"rcp.approx.ftz", reciprocal, 0x1p-126, 0x1p126, 0x1p-24, 0},
        {"sqrt.approx", sqrtl, 0, 0x1.fffffep127, 0x1p-23, TINY},
        {"sqrt.approx.ftz", sqrtl, 0x1p-126, 0x1.fffffep127, 0x1p-23, 0},
        {"rsqrt.approx", reciprocal_root, 0x1p-149, 0x1.fffffep127, 0x1p-23, 0},
        {"rsqrt.approx.ftz", reciprocal_root, 0x1p-126, 0x1.fffffep127, 0x1p-23,
         0},
        {"div.approx", NULL, 0x1p-126, 0x1p126, 0x1p-23, TINY},
        {"div.full", NULL, 0x1p-149, 0x1.fffffep127, 0x1p-23, TINY},
        {"div.full.ftz", NULL, -0x1p-126, -0x1.fffffep127, 0x1p-23, 0x1p-126},
    };
    for (size_t i = 0; i < COUNT_OF(sweeps); i++)
        sweep(&sweeps[i], false);
}

// ex2: 2 ulp. lg2: an absolute 2^-22 in (0.5, 2), elsewhere 2^-22 of the value.
// tanh: 2^-11 of the value.
TEST(exponentials_and_logarithms) {
    static const Sweep sweeps[] = {
        {"ex2.approx", exp2l, 0x1p-149, 0x1.fffffep6, 0x1p-23, TINY},
        {"ex2.approx", exp2l, -0x1p-149, -0x1.4p7, 0x1p-23, TINY},
        {"ex2.approx.ftz", exp2l, -0x1p-126, -0x1.4p7, 0x1p-23, 0x1p-126},
        {"lg2.approx", log2l, 0x1p-149, 0.5, 0x1p-22, 0},
        {"lg2.approx", log2l, 0.5, 2.0, 0, 0x1p-22},
        {"lg2.approx", log2l, 2.0, 0x1.fffffep127, 0x1p-22, 0},
        {"lg2.approx.ftz", log2l, 0x1p-126, 0.5, 0x1p-22, 0},
        {"tanh.approx", tanhl, 0x1p-149, 0x1.fffffep127, 0x1p-11, TINY},
        {"tanh.approx", tanhl, -0x1p-20, -0x1p5, 0x1p-11, TINY},
    };
    for (size_t i = 0; i < COUNT_OF(sweeps); i++)
        sweep(&sweeps[i], false);
}

// sin, cos: an absolute 2^-20.5 in [-2 pi, 2 pi], 2^-14.7 in [-100 pi, 100 pi].
TEST(angles) {
    const double near = exp2(-20.5), far = exp2(-14.7);
    const Sweep sweeps[] = {
        {"sin.approx", sinl, 0, 2 * PI, 0, near},
        {"sin.approx", sinl, 1, 2 * PI, 0, near},
        {"sin.approx.ftz", sinl, -1, -2 * PI, 0, near},
        {"sin.approx", sinl, 2 * PI, 100 * PI, 0, far},
        {"sin.approx", sinl, -2 * PI, -100 * PI, 0, far},
        {"cos.approx", cosl, 0, 2 * PI, 0, near},
        {"cos.approx", cosl, 1, 2 * PI, 0, near},
        {"cos.approx.ftz", cosl, -1, -2 * PI, 0, near},
        {"cos.approx", cosl, 2 * PI, 100 * PI, 0, far},
        {"cos.approx", cosl, -2 * PI, -100 * PI, 0, far},
    };
    for (size_t i = 0; i < COUNT_OF(sweeps); i++)
        sweep(&sweeps[i], false);
}

// The gross forms keep 20 bits of the significand of operand and result, so
// 2^-20 and 2^-21 of the value; for rsqrt.approx.f64, 2^-51.
TEST(doubles) {
    static const Sweep sweeps[] = {
        {"rcp.approx.ftz", reciprocal, 0x1p-1021, 0x1p1021, 0x1.8p-20, 0},
        {"rcp.approx.ftz", reciprocal, -0x1p-1021, -0x1p1021, 0x1.8p-20, 0},
        {"rsqrt.approx.ftz", reciprocal_root, 0x1p-1022, 0x1p1023, 0x1p-20, 0},
        {"rsqrt.approx", reciprocal_root, 0x1p-1074, 0x1p1023, 0x1p-51, 0},
    };
    for (size_t i = 0; i < COUNT_OF(sweeps); i++)
        sweep(&sweeps[i], true);
}

TEST_MAIN(TESTCASE(roots_and_quotients), TESTCASE(exponentials_and_logarithms),
          TESTCASE(angles), TESTCASE(doubles))
