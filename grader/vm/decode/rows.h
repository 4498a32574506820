// SPDX-License-Identifier: Apache-2.0
// Instruction families as tables: a row names an opcode, its types and
// suffixes, the shape of its operands and the handler. vm_decode_rows() finds
// the first row that matches and emits one plain instruction. Below are the
// handlers that most rows need: an expression over the lanes of one, two or
// three operands.
#ifndef CLCLAB_VM_DECODE_ROWS_H
#define CLCLAB_VM_DECODE_ROWS_H

#include "vm/decode/decode.h"
#include "vm/machine/lanes.h"

enum { VM_ROW_SOURCES = 4 };

typedef struct VmRow {
    uint16_t op;         // PtxOp
    uint8_t type, type2; // PtxType; type2 PTX_NONE: any second type
    uint16_t mods[2];    // required suffixes, or PTX_MOD_NONE
    const char *shape;   // bytes of the result, then of each source: "8448"; p:
                         // a predicate
    VmHandler handler;
} VmRow;

#define VM_ROW(op, type, shape, handler) \
    { PTX_OP_##op, PTX_##type, PTX_NONE, {0, 0}, shape, handler }
#define VM_ROW_MOD(op, mod, type, shape, handler) \
    { PTX_OP_##op, PTX_##type, PTX_NONE, {PTX_MOD_##mod, 0}, shape, handler }
#define VM_ROW_MODS(op, mod, mod2, type, shape, handler)                    \
    {                                                                       \
        PTX_OP_##op, PTX_##type, PTX_NONE, {PTX_MOD_##mod, PTX_MOD_##mod2}, \
            shape, handler                                                  \
    }

static inline bool vm_row_fits(const VmDecoder *d, const VmRow *row) {
    const PtxInstr *in = d->in;
    return row->op == in->op && row->type == (uint8_t)in->types[0] &&
           (!row->type2 || row->type2 == (uint8_t)in->types[1]) &&
           (!row->mods[0] || ptx_has(in, (PtxMod)row->mods[0])) &&
           (!row->mods[1] || ptx_has(in, (PtxMod)row->mods[1]));
}

static inline uint32_t vm_shape_size(char c) {
    return c == 'p' ? 0 : (uint32_t)(c - '0');
}

// Returns the instruction of the matching row, for the caller to complete.
// NULL, and unsupported, if no row matches.
static inline VmInstr *vm_decode_rows(VmDecoder *d, const VmRow *rows,
                                      size_t count) {
    const VmRow *row = NULL;
    for (size_t i = 0; i < count && !row; i++)
        if (vm_row_fits(d, &rows[i]))
            row = &rows[i];
    vm_take_types(d);
    if (!row) {
        vm_unsupported(d, "this instruction for this type");
        return NULL;
    }
    vm_take(d, (PtxMod)row->mods[0]);
    vm_take(d, (PtxMod)row->mods[1]);
    VmRef refs[VM_ROW_SOURCES];
    uint32_t sources = 0;
    for (const char *c = row->shape + 1; *c; c++) {
        refs[sources] = vm_src(d, sources + 1, vm_shape_size(*c));
        sources++;
    }
    if (d->in->operand_count != sources + 1)
        vm_unsupported(d, "this number of operands");
    VmRef dst = vm_dst(d, 0, vm_shape_size(row->shape[0]));
    VmInstr *in = vm_emit_plain(d, row->handler);
    vm_emit_dst(d, in, dst);
    for (uint32_t i = 0; i < sources; i++)
        vm_emit_src(d, in, refs[i]);
    return in;
}

// ---- handlers ------------------------------------------------------------

// `expr` is over a[l], b[l], c[l]. Wraparound of integers is spelled out:
// everything is computed in a large enough unsigned type and truncated to the
// type of the result.
#define VM_UNARY(name, TD, T, expr)                                   \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        TD *d = DST(TD, 0);                                           \
        const T *a = SRC(T, 0);                                       \
        LANES(d[l] = (TD)(expr));                                     \
        VM_NEXT;                                                      \
    }
#define VM_BINARY(name, TD, T, TB, expr)                              \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        TD *d = DST(TD, 0);                                           \
        const T *a = SRC(T, 0);                                       \
        const TB *b = SRC(TB, 1);                                     \
        LANES(d[l] = (TD)(expr));                                     \
        VM_NEXT;                                                      \
    }
#define VM_TERNARY(name, TD, T, TB, TC, expr)                         \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        TD *d = DST(TD, 0);                                           \
        const T *a = SRC(T, 0);                                       \
        const TB *b = SRC(TB, 1);                                     \
        const TC *c = SRC(TC, 2);                                     \
        LANES(d[l] = (TD)(expr));                                     \
        VM_NEXT;                                                      \
    }

#endif
