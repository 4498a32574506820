// SPDX-License-Identifier: Apache-2.0
// Decoding: PtxInstr -> VmInstr, once per launch, for all code that a kernel
// can reach.
//
// Each family of instructions has a decoder, vm_decode_<family>(), in the file
// of its handlers. It fetches operands (vm_src, vm_dst, ...), names the
// suffixes that it honours (vm_take), and emits one VmInstr. A suffix that no
// call took, or an operand of an unexpected form, makes the instruction
// UNSUPPORTED: this is reported when it is reached, and nothing is guessed.
#ifndef CLCLAB_VM_DECODE_DECODE_H
#define CLCLAB_VM_DECODE_DECODE_H

#include "vm/machine/machine.h"

typedef struct VmConst {
    uint64_t low, high;
    uint32_t size, off;
} VmConst;

// Constant folding: registers whose values are fixed for the launch (fold.c).
typedef struct VmFold {
    uint8_t *states;      // by register
    uint8_t *reads;       // by register: how often the text reads it, up to 2
    VmRef *known;         // by register; size 0: unknown
    uint32_t pending;     // instructions folded since the last one that was
                          // emitted
    uint32_t steps;       // steps that these would have taken
    uint32_t skipped;     // steps that the present instruction saves
    const PtxInstr *last; // the last folded instruction
    uint32_t loc;         // its location
} VmFold;

typedef struct VmDecoder {
    Vm *vm;
    VmProgram *program;
    VmFunc *func;
    const PtxFunc *ptx;
    const PtxInstr *in;      // the instruction being decoded
    const uint8_t *labelled; // [ptx->instr_count + 1]: a label is before it
    uint32_t loc;            // its location, as it is reported
    uint32_t taken;          // bits of in->mods that were honoured
    VmSem sem;               // set by vm_take_order
    VmScope scope;
    Str problem; // why it is unsupported; empty: it is supported
    VmConst *consts;
    size_t const_count, const_capacity;
    uint32_t *const_table; // hash table: const_table_size (0 or a power of 2)
                           // entries
    uint32_t const_table_size;
    uint32_t sink;  // offset of the register that stands for "_"
    bool has_carry; // `carry` is valid: the function's CC.CF, a predicate
    VmRef carry;
    VmFold fold;
} VmDecoder;

// True if the instruction has the suffix, which then counts as honoured.
bool vm_take(VmDecoder *d, PtxMod mod);
// Honours the type suffixes (types are in d->in->types).
void vm_take_types(VmDecoder *d);
// Honours the suffixes that change nothing in a machine without caches and with
// a single memory: cache operators, eviction priorities, prefetch sizes, .weak.
void vm_take_cache_hints(VmDecoder *d);
// Honours the suffix that names a state space, and returns the space.
PtxSpace vm_take_space(VmDecoder *d);
// Honours memory orders and scopes, which are set in the emitted instruction.
// Without one, it is `sem` at `scope`; an order without a scope is at GPU scope
// (PTX ISA).
void vm_take_order(VmDecoder *d, VmSem sem, VmScope scope);

// Marks the instruction as unsupported. If called again, the first reason is
// kept.
void vm_unsupported(VmDecoder *d, const char *why, ...)
    __attribute__((format(printf, 2, 3)));

// Operands, by index. `size` is in bytes per lane, 0 for a predicate. A
// register of another size is a problem unless `any_size` (loads, stores, cvt).
VmRef vm_src(VmDecoder *d, uint32_t index, uint32_t size);
VmRef vm_src_any(VmDecoder *d, uint32_t index, uint32_t size);
VmRef vm_operand_src(VmDecoder *d, const PtxOperand *op, uint32_t size,
                     bool any_size);
VmRef vm_dst(VmDecoder *d, uint32_t index, uint32_t size);
VmRef vm_operand_dst(VmDecoder *d, const PtxOperand *op, uint32_t size,
                     bool any_size);
// Operand 0: a register, or a register and a predicate (d|p). Returns how many.
uint32_t vm_results(VmDecoder *d, uint32_t size, VmRef refs[2]);
VmRef vm_const(VmDecoder *d, uint32_t size, uint64_t low, uint64_t high);
// The same, in a row of its own.
VmRef vm_const_row(VmDecoder *d, uint32_t size, uint64_t low, uint64_t high);
VmRef vm_temp(VmDecoder *d, uint32_t size);
// An address operand: *base becomes the register, *imm the rest. *base has size
// 0 if there is no register.
void vm_address(VmDecoder *d, uint32_t index, VmRef *base, uint64_t *imm);

// Appends an instruction with the guard of d->in. The pointer is valid until
// the next call.
VmInstr *vm_emit(VmDecoder *d, VmHandler handler);
// The same for handlers that end with VM_NEXT, and only for these.
VmInstr *vm_emit_plain(VmDecoder *d, VmHandler handler);
void vm_emit_dst(VmDecoder *d, VmInstr *in, VmRef ref);
void vm_emit_results(VmDecoder *d, VmInstr *in, const VmRef *refs,
                     uint32_t count);
void vm_emit_src(VmDecoder *d, VmInstr *in, VmRef ref);

// The handler called after the last instruction of a run.
VmNext vm_op_run_ends(VmWarp *w, const VmInstr *in, uint32_t mask);

// True if an operand or the result is an f16 or bf16 or a pair of them:
// vm_decode_half then decodes the instruction.
static inline bool vm_is_half(const VmDecoder *d) {
    for (uint32_t i = 0; i < d->in->type_count; i++) {
        PtxType type = d->in->types[i];
        if (type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 ||
            type == PTX_BF16X2)
            return true;
    }
    return false;
}

// ---- loose.c: constants that each launch has with its own values ---------

// Now `value`; `loose` says what it is.
VmRef vm_loose_value(VmDecoder *d, uint32_t size, const uint64_t value[2],
                     VmLoose loose);
bool vm_is_loose(const VmDecoder *d, VmRef ref);
// The results of an instruction that is folded, now `values`. False: all of its
// sources are the same for each launch.
bool vm_loose_result(VmDecoder *d, const VmInstr *in,
                     const uint64_t values[][2], VmRef rows[]);
// %nctaid or %nclusterid.
uint64_t vm_grid_sreg(const Vm *vm, PtxSreg sreg);
// Gives them the values of the launch.
void vm_loose_bind(Vm *vm, VmFunc *func);

#endif
