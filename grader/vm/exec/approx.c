// SPDX-License-Identifier: Apache-2.0
// Approximations (PTX ISA, 9.7.3): ex2, lg2, sin, cos, tanh, rsqrt, and the
// .approx and .full forms of rcp, sqrt and div. Where the ISA only states an
// error bound, the result is correctly rounded, or nearly so. values/approx.h
// has the functions; this file has .ftz, special values and the table.
#include "vm/values/approx.h"
#include "vm/decode/rows.h"
#include "vm/exec/families.h"

static inline float canonical(float x) {
    const union {
        uint32_t bits;
        float value;
    } nan = {0x7FFFFFFFu};
    return x == x ? x : nan.value;
}

// ---- f32 -----------------------------------------------------------------

static inline float sine(float x) {
    return approx_sin(x, 0);
}

static inline float cosine(float x) {
    return approx_sin(x, 1);
}

static inline float reciprocal(float x) {
    return 1.0f / x;
}

static inline float reciprocal_root(float x) {
    return (float)(1.0 / sqrt((double)x));
}

// PTX ISA, "div": for 2^126 < |b| < 2^128 the quotient is 0, and NaN for an
// infinite a: the reciprocal of b would be subnormal.
static inline float divide(float a, float b) {
    return fabsf(b) > 0x1p126f ? a * copysignf(0.0f, b) : a / b;
}

static inline float divide_full(float a, float b) {
    return a / b;
}

#define APPROX1(name, of)                                   \
    VM_UNARY(name##_f32, float, float, canonical(of(a[l]))) \
    VM_UNARY(name##_ftz_f32, float, float,                  \
             canonical(vm_flush(of(vm_flush(a[l])))))
APPROX1(ex2, approx_ex2)
APPROX1(lg2, approx_lg2)
APPROX1(sin, sine)
APPROX1(cos, cosine)
APPROX1(rcp, reciprocal)
APPROX1(sqrt, sqrtf)
APPROX1(rsqrt, reciprocal_root)
VM_UNARY(tanh_f32, float, float, canonical(approx_tanh(a[l])))

#define APPROX2(name, of)                                                 \
    VM_BINARY(name##_f32, float, float, float, canonical(of(a[l], b[l]))) \
    VM_BINARY(name##_ftz_f32, float, float, float,                        \
              canonical(vm_flush(of(vm_flush(a[l]), vm_flush(b[l])))))
APPROX2(div, divide)
APPROX2(div_full, divide_full)

// ---- f64 -----------------------------------------------------------------

// PTX ISA, "rcp.approx.ftz.f64": operand and result are the upper 32 bits of an
// f64, whose lower bits are 0; subnormals are flushed, NaN is canonical.
static inline double gross(double x, bool of_root) {
    const uint64_t upper = UINT64_C(0xFFFFFFFF00000000);
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t in = approx_bits(x) & upper;
    if (fabs(x) < 0x1p-1022)
        in &= sign;
    double a = approx_from_bits(in);
    double r = 1.0 / (of_root ? sqrt(a) : a);
    if (r != r)
        return approx_from_bits(UINT64_C(0x7FFFFFFF00000000));
    uint64_t out = (approx_bits(r) + (UINT64_C(1) << 31)) & upper;
    return approx_from_bits(fabs(r) < 0x1p-1022 ? out & sign : out);
}
VM_UNARY(rcp_gross_f64, double, double, gross(a[l], false))
VM_UNARY(rsqrt_gross_f64, double, double, gross(a[l], true))
VM_UNARY(rsqrt_f64, double, double, 1.0 / sqrt(a[l]))

// ---- the table -----------------------------------------------------------

#define WITH_FTZ(op, how, shape, name)                     \
    VM_ROW_MODS(op, how, FTZ, F32, shape, name##_ftz_f32), \
        VM_ROW_MOD(op, how, F32, shape, name##_f32)

// The first matching row is used, so rows with more suffixes come first.
static const VmRow rows[] = {
    WITH_FTZ(EX2, APPROX, "44", ex2),
    WITH_FTZ(LG2, APPROX, "44", lg2),
    WITH_FTZ(SIN, APPROX, "44", sin),
    WITH_FTZ(COS, APPROX, "44", cos),
    WITH_FTZ(RCP, APPROX, "44", rcp),
    WITH_FTZ(SQRT, APPROX, "44", sqrt),
    WITH_FTZ(RSQRT, APPROX, "44", rsqrt),
    WITH_FTZ(DIV, APPROX, "444", div),
    WITH_FTZ(DIV, FULL, "444", div_full),
    VM_ROW_MOD(TANH, APPROX, F32, "44", tanh_f32),
    VM_ROW_MODS(RCP, APPROX, FTZ, F64, "88", rcp_gross_f64),
    VM_ROW_MODS(RSQRT, APPROX, FTZ, F64, "88", rsqrt_gross_f64),
    VM_ROW_MOD(RSQRT, APPROX, F64, "88", rsqrt_f64),
};

void vm_decode_approx(VmDecoder *d) {
    vm_decode_rows(d, rows, COUNT_OF(rows));
}
