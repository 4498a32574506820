// SPDX-License-Identifier: Apache-2.0
// Decoding: PtxInstr -> VmInstr, once a launch for what a kernel can reach.
//
// Each family of instructions has a decoder, vm_decode_<family>(), in the file
// of its handlers. It fetches operands (vm_src, vm_dst, ...), names the
// suffixes that it honours (vm_take), and emits one VmInstr. A suffix that
// nobody took, or an operand of an unexpected form, makes the instruction
// UNSUPPORTED: it is reported when it is reached, never guessed at.
#ifndef CLCLAB_VM_DECODE_DECODE_H
#define CLCLAB_VM_DECODE_DECODE_H

#include "vm/machine/machine.h"

typedef struct VmConst {
    uint64_t low, high;
    uint32_t size, off;
} VmConst;

// Registers whose values the launch fixes (fold.c).
typedef struct VmFold {
    uint8_t *states;      // by register
    VmRef *known;         // by register; of size 0: not known
    uint32_t pending;     // folded since the last instruction that was emitted
    uint32_t steps;       // that these would have taken
    uint32_t skipped;     // steps that the present one does without
    const PtxInstr *last; // of these
    uint32_t loc;         // of it
} VmFold;

typedef struct VmDecoder {
    Vm *vm;
    VmProgram *program;
    VmFunc *func;
    const PtxFunc *ptx;
    const PtxInstr *in; // the one being decoded
    uint32_t loc;       // of it, as it is reported
    uint32_t taken;     // bits of in->mods that were honoured
    VmSem sem;          // as vm_take_order found them
    VmScope scope;
    Str problem; // why it is unsupported; empty: it is not
    VmConst *consts;
    size_t const_count, const_capacity;
    uint32_t *const_table; // const_table_size (0 or a power of 2) of them
    uint32_t const_table_size;
    uint32_t sink;  // offset of the register that "_" writes
    bool has_carry; // `carry` is there: the function's CC.CF, a predicate
    VmRef carry;
    VmFold fold;
} VmDecoder;

// True if the instruction has the suffix; it counts as honoured.
bool vm_take(VmDecoder *d, PtxMod mod);
// Honours the type suffixes (types are in d->in->types).
void vm_take_types(VmDecoder *d);
// Honours suffixes that change nothing in a machine without caches or with one
// memory: cache operators, eviction priorities, prefetch sizes, .weak.
void vm_take_cache_hints(VmDecoder *d);
// Honours the suffix that names a state space, and gives the space.
PtxSpace vm_take_space(VmDecoder *d);
// Honours memory orders and scopes: what is emitted has them. Without one it is
// `sem` at `scope`; an order without a scope is at the GPU's (PTX ISA).
void vm_take_order(VmDecoder *d, VmSem sem, VmScope scope);

// Marks the instruction as unsupported; the first reason stays.
void vm_unsupported(VmDecoder *d, const char *why, ...)
    __attribute__((format(printf, 2, 3)));

// Operands, by index. `size` is bytes a lane, 0 for a predicate; a register
// of another size is a problem, unless `any_size` (loads, stores, cvt).
VmRef vm_src(VmDecoder *d, uint32_t index, uint32_t size);
VmRef vm_src_any(VmDecoder *d, uint32_t index, uint32_t size);
VmRef vm_operand_src(VmDecoder *d, const PtxOperand *op, uint32_t size,
                     bool any_size);
VmRef vm_dst(VmDecoder *d, uint32_t index, uint32_t size);
VmRef vm_operand_dst(VmDecoder *d, const PtxOperand *op, uint32_t size,
                     bool any_size);
// Operand 0: a register, or one and a predicate (d|p). Gives their number.
uint32_t vm_results(VmDecoder *d, uint32_t size, VmRef refs[2]);
VmRef vm_const(VmDecoder *d, uint32_t size, uint64_t low, uint64_t high);
VmRef vm_temp(VmDecoder *d, uint32_t size);
// An address operand: register (or none) into *base, the rest into *imm.
// *base is VM_NONE-sized (size 0) where there is no register.
void vm_address(VmDecoder *d, uint32_t index, VmRef *base, uint64_t *imm);

// Appends an instruction with the guard of d->in. Valid until the next one.
VmInstr *vm_emit(VmDecoder *d, VmHandler handler);
// The same for a handler that ends with VM_NEXT, and for no other.
VmInstr *vm_emit_plain(VmDecoder *d, VmHandler handler);
void vm_emit_dst(VmDecoder *d, VmInstr *in, VmRef ref);
void vm_emit_results(VmDecoder *d, VmInstr *in, const VmRef *refs,
                     uint32_t count);
void vm_emit_src(VmDecoder *d, VmInstr *in, VmRef ref);

// What stands behind the last instruction of a run.
VmNext vm_op_run_ends(VmWarp *w, const VmInstr *in, uint32_t mask);

// True if an operand or the result is an f16 or bf16, or a pair of them: then
// vm_decode_half decodes it.
static inline bool vm_is_half(const VmDecoder *d) {
    for (uint32_t i = 0; i < d->in->type_count; i++) {
        PtxType type = d->in->types[i];
        if (type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 ||
            type == PTX_BF16X2)
            return true;
    }
    return false;
}

#endif
