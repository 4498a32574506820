// SPDX-License-Identifier: Apache-2.0
// Number formats in software: every format that cvt supports, with every
// rounding. A value passes between formats as a double, which represents all of
// them exactly. An integer or an intermediate result that does not fit in a
// double is passed as a magnitude, or rounded to odd (half.h). All functions
// are pure and do not depend on the rounding mode.
//
//          sign exponent fraction   largest   other values
//   F64      1     11      52       1.8e308   infinity, NaN
//   F32      1      8      23       3.4e38    infinity, NaN
//   TF32     1      8      10       3.4e38    the same; 13 zeros below it
//   F16      1      5      10       65504     infinity, NaN
//   BF16     1      8       7       3.4e38    infinity, NaN
//   E5M2     1      5       2       57344     infinity, NaN
//   E4M3     1      4       3       448       NaN (all ones)
//   E3M2     1      3       2       28        none
//   E2M3     1      2       3       7.5       none
//   E2M1     1      2       1       6         none
//   UE8M0    0      8       0       2^127     NaN (all ones); no zero
#ifndef CLCLAB_VM_VALUES_NUMBERS_H
#define CLCLAB_VM_VALUES_NUMBERS_H

#include "vm/code/instr.h"

typedef enum VmFormat {
    VM_F64,
    VM_F32,
    VM_TF32,
    VM_F16,
    VM_BF16,
    VM_E5M2,
    VM_E4M3,
    VM_E3M2,
    VM_E2M3,
    VM_E2M1,
    VM_UE8M0,
    VM_FORMAT_COUNT
} VmFormat;

// In addition to the flags of arithmetic (VM_SAT, VM_RZ, VM_RM, VM_RP; none of
// these means to nearest, ties to even):
enum VmNumberFlag {
    VM_RNA = 1 << 16,       // to nearest, ties away from zero
    VM_SATFINITE = 1 << 17, // overflow gives the largest finite value
    VM_RELU = 1 << 18,      // a negative value gives 0
};

// The bits of `x` in the format `to`. The caller handles VM_FTZ. A NaN gives
// the format's one NaN (in F64: itself); in a format without NaN, the largest
// value; with VM_SAT, 0. UE8M0 gives the power of 2 next to |x|, up or down.
uint64_t vm_pack_number(VmFormat to, double x, uint32_t flags);

// The same for an integer, some of whose bits a double could lose.
uint64_t vm_pack_int(VmFormat to, bool negative, uint64_t magnitude,
                     uint32_t flags);

// Stochastic rounding (PTX ISA, "cvt", .rs): rounds away from zero if the bits
// that are cut off, as a fraction, plus random / 2^count, are 1 or more.
uint64_t vm_pack_random(VmFormat to, double x, uint32_t flags, uint32_t random,
                        uint32_t count);

// The value of the low bits of `bits`. NaNs keep their bits where an H200's
// conversions keep them (F64, F32, BF16); other NaNs become the one NaN.
double vm_unpack_number(VmFormat from, uint64_t bits);

#endif
