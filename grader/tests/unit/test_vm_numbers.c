// SPDX-License-Identifier: Apache-2.0
// Number formats (vm/values/numbers.h) and the arithmetic of halves
// (vm/values/half.h). The oracle knows nothing of how a format is rounded to:
// neighbours of a format, found by unpacking every pattern, say what a value
// between them must become. Sums of products are compared with exact ones in
// 128 bits.
#include "tests/unit/test.h"
#include "vm/values/half.h"
#include "vm/values/numbers.h"

#include <fenv.h>

typedef struct Narrow {
    VmFormat format;
    uint32_t patterns; // without a sign
    double largest, least;
    bool has_infinity, has_nan;
} Narrow;

static const Narrow narrows[] = {
    {VM_F16, 0x8000, 65504, 0x1p-24, true, true},
    {VM_BF16, 0x8000, 0x1.FEp127, 0x1p-133, true, true},
    {VM_E5M2, 0x80, 57344, 0x1p-16, true, true},
    {VM_E4M3, 0x80, 448, 0x1p-9, false, true},
    {VM_E3M2, 0x20, 28, 0x1p-4, false, false},
    {VM_E2M3, 0x20, 7.5, 0.125, false, false},
    {VM_E2M1, 0x8, 6, 0.5, false, false},
};

static const uint32_t roundings[] = {0, VM_RZ, VM_RM, VM_RP, VM_RNA};

static uint64_t sign_of(const Narrow *n, bool negative) {
    return negative ? n->patterns : 0;
}

TEST(every_pattern_comes_back) {
    for (size_t k = 0; k < COUNT_OF(narrows); k++) {
        const Narrow *n = &narrows[k];
        uint32_t wrong = 0;
        for (uint32_t bits = 0; bits < 2 * n->patterns; bits++) {
            double x = vm_unpack_number(n->format, bits);
            double y = vm_unpack_number(n->format, bits + 2 * n->patterns);
            wrong += vm_f64_bits(x) != vm_f64_bits(y); // low bits count
            for (size_t r = 0; r < COUNT_OF(roundings) && !isnan(x); r++)
                wrong += vm_pack_number(n->format, x, roundings[r]) != bits;
        }
        CHECK_INT(wrong, 0);
        CHECK(vm_unpack_number(n->format, 1) == n->least);
        uint64_t nan = vm_pack_number(n->format, (double)NAN, 0);
        CHECK_U64(nan, n->patterns - 1);
        CHECK_INT(isnan(vm_unpack_number(n->format, nan)), n->has_nan);
    }
}

// What `x`, of the magnitude of pattern `low` or between it and the next one,
// becomes; where: -1 below the middle, 0 on it, 1 above it, -2 on `low`.
static uint32_t expected(uint32_t low, int where, bool negative,
                         uint32_t rounding) {
    bool up = where > 0;
    if (where == -2 || rounding == VM_RZ)
        up = false;
    else if (rounding == VM_RM || rounding == VM_RP)
        up = negative == (rounding == VM_RM);
    else if (where == 0)
        up = rounding == VM_RNA || (low & 1);
    return low + up;
}

static uint32_t wrong_between(const Narrow *n, uint32_t low) {
    double a = vm_unpack_number(n->format, low);
    double b = vm_unpack_number(n->format, low + 1), middle = (a + b) / 2;
    const struct {
        double x;
        int where;
    } points[] = {
        {a, -2},
        {nextafter(a, INFINITY), -1},
        {nextafter(middle, 0), -1},
        {middle, 0},
        {nextafter(middle, INFINITY), 1},
        {nextafter(b, 0), 1},
    };
    uint32_t wrong = 0;
    for (size_t i = 0; i < COUNT_OF(points); i++) {
        for (size_t r = 0; r < 2 * COUNT_OF(roundings); r++) {
            bool negative = r & 1;
            uint32_t rounding = roundings[r / 2];
            uint64_t want = expected(low, points[i].where, negative, rounding) |
                            sign_of(n, negative);
            double x = negative ? -points[i].x : points[i].x;
            wrong += vm_pack_number(n->format, x, rounding) != want;
        }
    }
    return wrong;
}

TEST(what_lies_between_two_values_goes_to_the_right_one) {
    for (size_t k = 0; k < COUNT_OF(narrows); k++) {
        uint32_t wrong = 0, low = 0;
        while (vm_unpack_number(narrows[k].format, low) < narrows[k].largest)
            wrong += wrong_between(&narrows[k], low++);
        CHECK_INT(wrong, 0);
        CHECK(low > narrows[k].patterns / 2);
    }
}

// The least magnitude that is rounded to the place after the largest value.
static double limit(const Narrow *n) {
    uint32_t last = 0;
    while (vm_unpack_number(n->format, last) < n->largest)
        last++;
    return n->largest +
           (n->largest - vm_unpack_number(n->format, last - 1)) / 2;
}

TEST(overflow_saturates_or_is_infinite) {
    for (size_t k = 0; k < COUNT_OF(narrows); k++) {
        const Narrow *n = &narrows[k];
        uint64_t most = vm_pack_number(n->format, n->largest, 0);
        double over = limit(n), under = nextafter(over, 0);
        CHECK_U64(vm_pack_number(n->format, under, 0), most);
        CHECK_U64(vm_pack_number(n->format, over, VM_SATFINITE), most);
        CHECK_U64(vm_pack_number(n->format, INFINITY, VM_SATFINITE), most);
        CHECK_U64(vm_pack_number(n->format, -1e300, VM_SATFINITE),
                  most | sign_of(n, true));
        CHECK_U64(vm_pack_number(n->format, 1e300, VM_RZ), most);
        CHECK_U64(vm_pack_number(n->format, 1e300, VM_RM), most);
        CHECK_U64(vm_pack_number(n->format, -1e300, VM_RP),
                  most | sign_of(n, true));
        if (!n->has_infinity)
            continue;
        CHECK_U64(vm_pack_number(n->format, over, 0), most + 1);
        CHECK_U64(vm_pack_number(n->format, 1e300, VM_RP), most + 1);
        CHECK_U64(vm_pack_number(n->format, -INFINITY, VM_RZ),
                  (most + 1) | sign_of(n, true));
    }
}

TEST(relu_and_sat_clamp) {
    for (size_t k = 0; k < COUNT_OF(narrows); k++) {
        const Narrow *n = &narrows[k];
        uint64_t one = vm_pack_number(n->format, 1.0, 0);
        CHECK_U64(vm_pack_number(n->format, -1.0, VM_RELU), 0);
        CHECK_U64(vm_pack_number(n->format, -0.0, VM_RELU), 0);
        CHECK_U64(vm_pack_number(n->format, 1.0, VM_RELU), one);
        CHECK_U64(vm_pack_number(n->format, (double)NAN, VM_RELU),
                  n->patterns - 1);
        CHECK_U64(vm_pack_number(n->format, 5.0, VM_SAT), one);
        CHECK_U64(vm_pack_number(n->format, -5.0, VM_SAT), 0);
        CHECK_U64(vm_pack_number(n->format, (double)NAN, VM_SAT), 0);
    }
}

// ---- f32, tf32, f64, powers of 2 -----------------------------------------

static uint64_t mix(uint64_t *state) { // splitmix64
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// A double whose exponent is near those of f32, and some of whose low bits may
// be zero, so that ties occur.
static double any_double(uint64_t *state) {
    uint64_t h = mix(state), pick = mix(state);
    uint64_t exponent = 1023 - 152 + pick % 284;
    uint64_t keep = ~UINT64_C(0) << ((pick >> 32) % 40);
    return vm_bits_f64((h & UINT64_C(0x800FFFFFFFFFFFFF) & keep) | exponent
                                                                       << 52);
}

static const int c_roundings[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                  FE_UPWARD};

TEST(f32_is_what_the_processor_gives) {
    uint64_t state = 1;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 400000; i++) {
        volatile double x = any_double(&state);
        fesetround(c_roundings[i % 4]);
        volatile float y = (float)x;
        fesetround(FE_TONEAREST);
        wrong += vm_pack_number(VM_F32, x, roundings[i % 4]) != vm_f32_bits(y);
    }
    CHECK_INT(wrong, 0);
}

// (Signed ones: of unsigned ones a compiler makes several operations, which
// are right to nearest only.)
TEST(integers_are_what_the_processor_gives) {
    uint64_t state = 2;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t pick = mix(&state), n = mix(&state) >> (1 + pick % 63);
        n &= ~UINT64_C(0) << (pick >> 8) % 64;
        volatile int64_t above = (int64_t)n, below = -above;
        fesetround(c_roundings[i % 4]);
        volatile float f = (float)above, g = (float)below;
        volatile double d = (double)above;
        fesetround(FE_TONEAREST);
        uint32_t flags = roundings[i % 4];
        wrong += vm_pack_int(VM_F32, false, n, flags) != vm_f32_bits(f);
        wrong += vm_pack_int(VM_F64, false, n, flags) != vm_f64_bits(d);
        wrong += vm_pack_int(VM_F32, n != 0, n, flags) != vm_f32_bits(g);
    }
    CHECK_INT(wrong, 0);
    CHECK_U64(vm_pack_int(VM_F32, false, UINT64_MAX, VM_RZ), 0x5F7FFFFF);
    CHECK_U64(vm_pack_int(VM_F32, false, UINT64_MAX, 0), 0x5F800000);
    CHECK_U64(vm_pack_int(VM_F16, false, 65519, 0), 0x7BFF);
    CHECK_U64(vm_pack_int(VM_F16, false, 65520, 0), 0x7C00);
    CHECK_U64(vm_pack_int(VM_F16, true, UINT64_MAX, VM_RP), 0xFBFF);
    CHECK_U64(vm_pack_int(VM_BF16, false, UINT64_MAX, 0), 0x5F80);
    CHECK_U64(vm_pack_int(VM_F16, false, 7, VM_SAT), 0x3C00);
    CHECK_U64(vm_pack_int(VM_F16, true, 7, VM_SAT), 0);
}

TEST(tf32_has_ten_bits_of_fraction) {
    const float tie = 1.0f + 0x1p-11f; // between two values, the lower even
    CHECK_U64(vm_pack_number(VM_TF32, tie, 0), 0x3F800000);
    CHECK_U64(vm_pack_number(VM_TF32, tie, VM_RNA), 0x3F802000);
    CHECK_U64(vm_pack_number(VM_TF32, -tie, VM_RNA), 0xBF802000);
    CHECK_U64(vm_pack_number(VM_TF32, tie, VM_RZ), 0x3F800000);
    CHECK_U64(vm_pack_number(VM_TF32, 0x1.FFFFFEp127, 0), 0x7F800000);
    CHECK_U64(vm_pack_number(VM_TF32, 0x1.FFFFFEp127, VM_SATFINITE),
              0x7F7FE000);
    CHECK_U64(vm_pack_number(VM_TF32, -1.0, VM_RELU), 0);
}

TEST(powers_of_two_go_up_or_down) {
    for (uint32_t bits = 0; bits < 255; bits++) {
        double x = vm_unpack_number(VM_UE8M0, bits);
        CHECK_U64(vm_pack_number(VM_UE8M0, x, VM_RZ), bits);
        CHECK_U64(vm_pack_number(VM_UE8M0, -x, VM_RP), bits);
        CHECK_U64(vm_pack_number(VM_UE8M0, x * 1.25, VM_RZ), bits);
        CHECK_U64(vm_pack_number(VM_UE8M0, x * 1.25, VM_RP), bits + 1);
    }
    CHECK_U64(vm_pack_number(VM_UE8M0, 0.0, VM_RP), 0);
    CHECK_U64(vm_pack_number(VM_UE8M0, 0x1p-149, VM_RP), 0);
    CHECK_U64(vm_pack_number(VM_UE8M0, INFINITY, VM_RP), 0xFF);
    CHECK_U64(vm_pack_number(VM_UE8M0, INFINITY, VM_RP | VM_SATFINITE), 0xFE);
    CHECK_U64(vm_pack_number(VM_UE8M0, 0x1.8p127, VM_RP | VM_SATFINITE), 0xFE);
    CHECK_U64(vm_pack_number(VM_UE8M0, (double)NAN, VM_RP | VM_SATFINITE),
              0xFF);
    CHECK(isnan(vm_unpack_number(VM_UE8M0, 0xFF)));
    CHECK(vm_unpack_number(VM_UE8M0, 0x7F00) == 0x1p-127);
}

// Over all random bits, a value that is k / 2^n of the way to the next goes up
// k times of 2^n.
TEST(stochastic_rounding_goes_up_as_often_as_it_should) {
    for (uint32_t k = 0; k < 8192; k += 13) {
        uint32_t ups = 0;
        double x = -(1.0 + k * 0x1p-23);
        for (uint32_t random = 0; random < 8192; random++)
            ups += vm_pack_random(VM_F16, x, 0, random, 13) == 0xBC01;
        CHECK_INT(ups, k);
    }
    uint32_t subnormal = 0;
    for (uint32_t random = 0; random < 8192; random++)
        subnormal += vm_pack_random(VM_F16, 0x1.8p-25, 0, random, 13) == 1;
    CHECK_INT(subnormal, 6144);
    CHECK_U64(vm_pack_random(VM_E4M3, 500.0, VM_SATFINITE, 0xFFFF, 16), 0x7E);
    CHECK_U64(vm_pack_random(VM_F16, 65505.0, 0, 8191, 13), 0x7C00);
    CHECK_U64(vm_pack_random(VM_F16, 65505.0, 0, 0, 13), 0x7BFF);
    CHECK_U64(vm_pack_random(VM_F16, -1.5, VM_RELU, 0, 13), 0);
}

// ---- halves in loops -----------------------------------------------------

TEST(halves_widen_exactly) {
    uint32_t wrong = 0;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint16_t h = (uint16_t)bits;
        double f16 = vm_unpack_number(VM_F16, h);
        double bf16 = vm_unpack_number(VM_BF16, h);
        float a = vm_widen_f16(h), b = vm_widen_bf16(h);
        wrong += !isnan(f16) && vm_f64_bits(a) != vm_f64_bits(f16);
        wrong += isnan(f16) && !isnan(a);
        wrong += !isnan(bf16) && vm_f64_bits(b) != vm_f64_bits(bf16);
        wrong += isnan(bf16) && !isnan(b);
    }
    CHECK_INT(wrong, 0);
}

static uint32_t wrong_narrowing(float x) {
    uint32_t wrong = vm_narrow_f16(x) != vm_pack_number(VM_F16, x, 0);
    wrong += vm_narrow_bf16(x) != vm_pack_number(VM_BF16, x, 0);
    wrong += vm_narrow_e4m3(x) != vm_pack_number(VM_E4M3, x, VM_SATFINITE);
    wrong += vm_narrow_e5m2(x) != vm_pack_number(VM_E5M2, x, VM_SATFINITE);
    return wrong;
}

TEST(eight_bits_widen_exactly) {
    uint32_t wrong = 0;
    for (uint32_t bits = 0; bits < 0x100; bits++) {
        double e4m3 = vm_unpack_number(VM_E4M3, bits);
        double e5m2 = vm_unpack_number(VM_E5M2, bits);
        float a = vm_widen_e4m3(bits), b = vm_widen_e5m2(bits | 0xAB00);
        wrong += !isnan(e4m3) && vm_f64_bits(a) != vm_f64_bits(e4m3);
        wrong += isnan(e4m3) && !isnan(a);
        wrong += !isnan(e5m2) && vm_f64_bits(b) != vm_f64_bits(e5m2);
        wrong += isnan(e5m2) && !isnan(b);
    }
    CHECK_INT(wrong, 0);
}

TEST(floats_narrow_to_the_nearest_value) {
    uint32_t wrong = 0;
    uint64_t state = 3;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        // All upper halves, with lower halves at which rounding turns.
        static const uint32_t low[] = {0,      1,      0xFFF,  0x1000, 0x1001,
                                       0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF};
        for (size_t i = 0; i < COUNT_OF(low); i++)
            wrong += wrong_narrowing(vm_bits_f32(bits << 16 | low[i]));
    }
    for (uint32_t i = 0; i < 1000000; i++)
        wrong += wrong_narrowing(vm_bits_f32((uint32_t)mix(&state)));
    CHECK_INT(wrong, 0);
}

// sign * m * 2^e, m an integer; m is 0 for zeros.
typedef struct Exact {
    int sign, e;
    uint64_t m;
} Exact;

static Exact exact_of(double x) {
    int e;
    double part = frexp(fabs(x), &e);
    Exact out = {signbit(x) ? -1 : 1, e - 53, (uint64_t)(part * 0x1p53)};
    while (out.m && !(out.m & 1)) {
        out.m >>= 1;
        out.e++;
    }
    return out;
}

// a * b + c in `format`, from the exact sum in 128 bits. Where one summand is
// far below the other, it only says in which direction the sum is off.
static uint64_t exact_fma(VmFormat format, double a, double b, double c,
                          uint32_t flags) {
    Exact x = exact_of(a), y = exact_of(b), z = exact_of(c);
    Exact p = {x.sign * y.sign, x.e + y.e, x.m * y.m};
    if (p.m == 0 || z.m == 0)
        return vm_pack_number(
            format, p.m ? ldexp(p.sign * (double)p.m, p.e) : a * b + c, flags);
    Exact *high = p.e > z.e ? &p : &z, *low = p.e > z.e ? &z : &p;
    int apart = high->e - low->e;
    __int128 sum;
    int e = low->e;
    if (apart <= 90) {
        sum = (__int128)high->m << apart;
        sum = high->sign * sum + (__int128)low->sign * (__int128)low->m;
    } else {
        e = high->e - 60;
        sum = high->sign * ((__int128)high->m << 60) + low->sign;
    }
    bool negative = sum < 0;
    unsigned __int128 m = (unsigned __int128)(negative ? -sum : sum);
    if (m == 0)
        return 0;
    while (m >> 63) {
        m = m >> 1 | (m & 1); // the last bit: whether there is more
        e++;
    }
    uint64_t top = (uint64_t)m;
    while (top >> 50) {
        top = top >> 1 | (top & 1);
        e++;
    }
    return vm_pack_number(
        format, ldexp(negative ? -(double)top : (double)top, e), flags);
}

// Operands of which sums cancel, are far apart, subnormal or overflow.
static uint16_t any_half(uint64_t *state, uint32_t exponents) {
    uint64_t h = mix(state);
    uint16_t bits = (uint16_t)h;
    switch (h >> 61) {
    case 0:
    case 1:
        return bits;
    case 2:
        return bits & (uint16_t)~exponents; // subnormal
    case 3:
        return bits & (uint16_t)(exponents | 0x8000u); // power of 2, infinity
    default:
        return (uint16_t)((bits & 0x83FFu) | 0x3C00u | (h >> 32 & 0xC00u));
    }
}

#define SUMS(t, T, exponents, flags, narrow)                             \
    static uint32_t wrong_##t(uint64_t *state) {                         \
        float a = vm_widen_##t(any_half(state, exponents));              \
        float b = vm_widen_##t(any_half(state, exponents));              \
        float c = vm_widen_##t(any_half(state, exponents));              \
        double sum = (double)a * (double)b + (double)c;                  \
        if (isnan(sum) || isinf(sum))                                    \
            return narrow(vm_fma_##t(a, b, c)) !=                        \
                   vm_pack_number(T, sum, flags);                        \
        uint32_t wrong =                                                 \
            narrow(vm_fma_##t(a, b, c)) != exact_fma(T, a, b, c, flags); \
        wrong += narrow(vm_mul_##t(a, b)) !=                             \
                 vm_pack_number(T, (double)a * (double)b, flags);        \
        if (flags == 0)                                                  \
            wrong += narrow(a + c) != exact_fma(T, 1.0, a, c, flags);    \
        return wrong;                                                    \
    }
SUMS(f16, VM_F16, 0x7C00u, 0, vm_narrow_f16)
SUMS(bf16, VM_BF16, 0x7F80u, 0, vm_narrow_bf16)

TEST(sums_of_products_are_rounded_once) {
    uint64_t state = 4;
    uint32_t wrong[2] = {0};
    for (uint32_t i = 0; i < 2000000; i++) {
        wrong[0] += wrong_f16(&state);
        wrong[1] += wrong_bf16(&state);
    }
    CHECK_INT(wrong[0], 0);
    CHECK_INT(wrong[1], 0);
}

// A double between two f32 must not become one on which rounding turns.
TEST(rounding_twice_is_seen) {
    float odd = vm_odd_f32(1.0 + 0x1p-11 + 0x1p-40);
    CHECK_U64(vm_narrow_f16(odd), 0x3C01);
    CHECK_U64(vm_narrow_f16((float)(1.0 + 0x1p-11 + 0x1p-40)), 0x3C00);
    CHECK_U64(vm_f32_bits(vm_odd_f32(0x1p-160)), 1);
    CHECK_U64(vm_f32_bits(vm_odd_f32(1e300)), 0x7F7FFFFF);
    CHECK_U64(vm_f32_bits(vm_odd_f32(-INFINITY)), 0xFF800000);
}

TEST_MAIN(TESTCASE(every_pattern_comes_back),
          TESTCASE(what_lies_between_two_values_goes_to_the_right_one),
          TESTCASE(overflow_saturates_or_is_infinite),
          TESTCASE(relu_and_sat_clamp),
          TESTCASE(f32_is_what_the_processor_gives),
          TESTCASE(integers_are_what_the_processor_gives),
          TESTCASE(tf32_has_ten_bits_of_fraction),
          TESTCASE(powers_of_two_go_up_or_down),
          TESTCASE(stochastic_rounding_goes_up_as_often_as_it_should),
          TESTCASE(halves_widen_exactly), TESTCASE(eight_bits_widen_exactly),
          TESTCASE(floats_narrow_to_the_nearest_value),
          TESTCASE(sums_of_products_are_rounded_once),
          TESTCASE(rounding_twice_is_seen))
