// SPDX-License-Identifier: Apache-2.0
// Fragments: where the elements of a matrix are, in the registers of a warp.
// Private to exec/.
//
// A register holds `packed` elements. For mma the PTX ISA gives the places
// ("Matrix Fragments for mma"); for wmma it leaves them open, and here each
// lane has elements that follow each other in memory.
//
//   mma, A:  lane = 4 g + t; register r, element j of it:
//            row g + 8 (r % 2), column (t + 4 (r / 2)) packed + j
//        B:  row (t + 4 r) packed + j, column g
//     C, D:  element i: row g + 8 (i / 2), column 2 t + i % 2
#ifndef CLCLAB_VM_EXEC_MATRIX_H
#define CLCLAB_VM_EXEC_MATRIX_H

#include "vm/machine/lanes.h"
#include "vm/values/half.h"

enum { MATRIX_MOST = 512, MATRIX_MOST_REGS = 8 };

typedef enum MatrixType {
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_TF32,
    MATRIX_F32,
    MATRIX_F64,
    MATRIX_S8,
    MATRIX_U8,
    MATRIX_S32,
    MATRIX_E4M3,
    MATRIX_E5M2,
    MATRIX_NONE,
} MatrixType;

typedef enum MatrixRole { MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_D } MatrixRole;

typedef struct Fragment {
    MatrixType type;
    MatrixRole role;
    uint8_t rows, columns;
    uint8_t regs, packed;     // registers of a lane; elements of a register
    bool is_wmma, by_columns; // wmma: the order of A or B in memory
} Fragment;

static const uint8_t matrix_bytes[MATRIX_NONE] = {
    [MATRIX_F16] = 2,  [MATRIX_BF16] = 2, [MATRIX_TF32] = 4, [MATRIX_F32] = 4,
    [MATRIX_F64] = 8,  [MATRIX_S8] = 1,   [MATRIX_U8] = 1,   [MATRIX_S32] = 4,
    [MATRIX_E4M3] = 1, [MATRIX_E5M2] = 1};

static inline bool matrix_is_accumulator(const Fragment *f) {
    return f->role == MATRIX_C || f->role == MATRIX_D;
}

// The row and column of an element: that of a lane's number `i`.
static inline void matrix_place(const Fragment *f, uint32_t lane, uint32_t i,
                                uint32_t *row, uint32_t *column) {
    uint32_t g = lane / 4, t = lane % 4, r = i / f->packed, j = i % f->packed;
    if (f->is_wmma) {
        uint32_t count = (uint32_t)f->regs * f->packed;
        uint32_t at = (lane * count + i) % ((uint32_t)f->rows * f->columns);
        *row = f->by_columns ? at % f->rows : at / f->columns;
        *column = f->by_columns ? at / f->rows : at % f->columns;
    } else if (f->role == MATRIX_A) {
        uint32_t halves = f->rows / 8u;
        *row = g + 8 * (r % halves);
        *column = (t + 4 * (r / halves)) * f->packed + j;
    } else if (f->role == MATRIX_B) {
        *row = (t + 4 * r) * f->packed + j;
        *column = g;
    } else {
        *row = g + 8 * (i / 2);
        *column = 2 * t + i % 2;
    }
}

static inline uint64_t matrix_bits(const VmWarp *w, const Fragment *f,
                                   const VmRef *refs, uint32_t lane,
                                   uint32_t i) {
    uint32_t bits = 8u * matrix_bytes[f->type];
    uint64_t reg = vm_lane_u64(w, refs[i / f->packed], lane);
    reg >>= bits * (i % f->packed);
    return bits < 64 ? reg & ((UINT64_C(1) << bits) - 1) : reg;
}

static inline void matrix_set_bits(VmWarp *w, const Fragment *f,
                                   const VmRef *refs, uint32_t lane, uint32_t i,
                                   uint64_t value) {
    uint32_t bits = 8u * matrix_bytes[f->type], shift = bits * (i % f->packed);
    VmRef ref = refs[i / f->packed];
    uint64_t keep = bits < 64 ? ~(((UINT64_C(1) << bits) - 1) << shift) : 0;
    vm_set_lane_u64(w, ref, lane,
                    (vm_lane_u64(w, ref, lane) & keep) | value << shift);
}

// Every value of every type is a double.
static inline double matrix_value(MatrixType type, uint64_t bits) {
    switch (type) {
    case MATRIX_F16:
        return (double)vm_widen_f16((uint16_t)bits);
    case MATRIX_BF16:
        return (double)vm_widen_bf16((uint16_t)bits);
    case MATRIX_TF32: // the lower 13 bits do not count
        return (double)vm_bits_f32((uint32_t)bits & 0xFFFFE000u);
    case MATRIX_F32:
        return (double)vm_bits_f32((uint32_t)bits);
    case MATRIX_F64:
        return vm_bits_f64(bits);
    case MATRIX_S8:
        return (int8_t)bits;
    case MATRIX_U8:
        return (uint8_t)bits;
    case MATRIX_S32:
        return (int32_t)bits;
    case MATRIX_E4M3:
        return (double)vm_widen_e4m3((uint32_t)bits);
    case MATRIX_E5M2:
        return (double)vm_widen_e5m2((uint32_t)bits);
    case MATRIX_NONE:
        break;
    }
    return 0;
}

// The type of a suffix. MATRIX_NONE: none that is supported.
static inline MatrixType matrix_type(PtxMod mod) {
    static const struct {
        PtxMod mod;
        MatrixType type;
    } types[] = {{PTX_MOD_F16, MATRIX_F16},   {PTX_MOD_BF16, MATRIX_BF16},
                 {PTX_MOD_TF32, MATRIX_TF32}, {PTX_MOD_F32, MATRIX_F32},
                 {PTX_MOD_F64, MATRIX_F64},   {PTX_MOD_S8, MATRIX_S8},
                 {PTX_MOD_U8, MATRIX_U8},     {PTX_MOD_S32, MATRIX_S32},
                 {PTX_MOD_E4M3, MATRIX_E4M3}, {PTX_MOD_E5M2, MATRIX_E5M2}};
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (types[i].mod == mod)
            return types[i].type;
    return MATRIX_NONE;
}

// m, n, k.
typedef struct MatrixShape {
    PtxMod mod;
    uint8_t m, n, k;
} MatrixShape;

static inline const MatrixShape *matrix_shape(const PtxInstr *in) {
    static const MatrixShape shapes[] = {
        {PTX_MOD_M8N8K4, 8, 8, 4},     {PTX_MOD_M8N8K16, 8, 8, 16},
        {PTX_MOD_M16N8K4, 16, 8, 4},   {PTX_MOD_M16N8K8, 16, 8, 8},
        {PTX_MOD_M16N8K16, 16, 8, 16}, {PTX_MOD_M16N8K32, 16, 8, 32},
        {PTX_MOD_M16N16K8, 16, 16, 8}, {PTX_MOD_M16N16K16, 16, 16, 16},
        {PTX_MOD_M32N8K16, 32, 8, 16}, {PTX_MOD_M8N32K16, 8, 32, 16}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        if (ptx_has(in, shapes[i].mod))
            return &shapes[i];
    return NULL;
}

// A fragment of this shape, as an instruction with so many registers has it.
static inline Fragment matrix_fragment(const MatrixShape *s, MatrixType type,
                                       MatrixRole role, uint32_t regs) {
    Fragment f = {.type = type, .role = role, .regs = (uint8_t)regs};
    f.rows = role == MATRIX_B ? s->k : s->m;
    f.columns = role == MATRIX_A ? s->k : s->n;
    uint32_t bytes = matrix_bytes[type];
    f.packed = (uint8_t)(bytes < 4 ? 4 / bytes : 1);
    return f;
}

#endif
