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

#include "vm/machine/internal.h"

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
void vm_emit_dst(VmInstr *in, VmRef ref);
void vm_emit_results(VmInstr *in, const VmRef *refs, uint32_t count);
void vm_emit_src(VmInstr *in, VmRef ref);

// Folding: before the first instruction; at a label; after each instruction,
// whose code is from `start` on.
void vm_fold_start(VmDecoder *d);
void vm_fold_label(VmDecoder *d);
void vm_fold(VmDecoder *d, uint32_t start);

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

// ---- families ------------------------------------------------------------
//
// exec_*.c are compiled once for each level of the CPU's instruction set, with
// VM_ISA defined as its name; what they export is named after it (below).
// isa.h says how one is chosen.

#ifdef VM_ISA
#define VM_ISA_PASTE(name, isa) name##_##isa
#define VM_ISA_NAME(name, isa) VM_ISA_PASTE(name, isa)
#define vm_decode_int VM_ISA_NAME(vm_decode_int, VM_ISA)
#define vm_decode_float VM_ISA_NAME(vm_decode_float, VM_ISA)
#define vm_decode_approx VM_ISA_NAME(vm_decode_approx, VM_ISA)
#define vm_decode_bits VM_ISA_NAME(vm_decode_bits, VM_ISA)
#define vm_decode_carry VM_ISA_NAME(vm_decode_carry, VM_ISA)
#define vm_decode_half VM_ISA_NAME(vm_decode_half, VM_ISA)
#define vm_decode_half_compare VM_ISA_NAME(vm_decode_half_compare, VM_ISA)
#define vm_decode_cvt_packed VM_ISA_NAME(vm_decode_cvt_packed, VM_ISA)
#define vm_decode_cvt_pack VM_ISA_NAME(vm_decode_cvt_pack, VM_ISA)
#define vm_decode_video VM_ISA_NAME(vm_decode_video, VM_ISA)
#define vm_decode_compare VM_ISA_NAME(vm_decode_compare, VM_ISA)
#define vm_decode_move VM_ISA_NAME(vm_decode_move, VM_ISA)
#define vm_decode_cvt VM_ISA_NAME(vm_decode_cvt, VM_ISA)
#define vm_decode_memory VM_ISA_NAME(vm_decode_memory, VM_ISA)
#define vm_decode_atomic VM_ISA_NAME(vm_decode_atomic, VM_ISA)
#define vm_decode_control VM_ISA_NAME(vm_decode_control, VM_ISA)
#define vm_decode_warp VM_ISA_NAME(vm_decode_warp, VM_ISA)
#define vm_decode_nothing VM_ISA_NAME(vm_decode_nothing, VM_ISA)
#define vm_decode_sreg VM_ISA_NAME(vm_decode_sreg, VM_ISA)
#define vm_op_unsupported VM_ISA_NAME(vm_op_unsupported, VM_ISA)
#define vm_op_local_address VM_ISA_NAME(vm_op_local_address, VM_ISA)
#endif

void vm_decode_int(VmDecoder *d);
void vm_decode_carry(VmDecoder *d);
void vm_decode_bits(VmDecoder *d);
void vm_decode_video(VmDecoder *d);
void vm_decode_float(VmDecoder *d);
void vm_decode_approx(VmDecoder *d);
void vm_decode_compare(VmDecoder *d);
void vm_decode_half(VmDecoder *d);
void vm_decode_half_compare(VmDecoder *d);
void vm_decode_move(VmDecoder *d);
void vm_decode_cvt(VmDecoder *d);
void vm_decode_cvt_pack(VmDecoder *d);
void vm_decode_cvt_packed(VmDecoder *d);
void vm_decode_memory(VmDecoder *d);
void vm_decode_atomic(VmDecoder *d);
void vm_decode_control(VmDecoder *d);
void vm_decode_warp(VmDecoder *d);
void vm_decode_nothing(VmDecoder *d); // honoured, and does nothing here

// Reads a special register into a temporary.
VmRef vm_decode_sreg(VmDecoder *d, PtxSreg sreg, uint32_t size);
VmNext vm_op_unsupported(VmWarp *w, const VmInstr *in, uint32_t mask);
VmNext vm_op_local_address(VmWarp *w, const VmInstr *in, uint32_t mask);

void vm_decode_barrier(VmDecoder *d);
void vm_decode_mbarrier(VmDecoder *d);
void vm_decode_clc(VmDecoder *d);
void vm_decode_copy(VmDecoder *d);
void vm_decode_hint(VmDecoder *d);
void vm_decode_fence(VmDecoder *d);
#define vm_decode_none NULL // nobody decodes it: UNSUPPORTED

#endif
