// SPDX-License-Identifier: Apache-2.0
// Constant folding: what is the same for every thread of a launch is computed
// once, while a function is decoded. That is parameters, sizes of the launch,
// and what is computed only from these and immediates.
//
//   ld.param.u64 %rd1, [p];        %rd1 and %rd2 are constants:
//   cvta.to.global.u64 %rd2, %rd1; no code is left of both
//   add.s64 %rd3, %rd2, %rd4;      folded = 2, src[0] a constant
//
// A register may be folded if its only definition comes before every
// instruction that reads it. The instruction's own handler computes the value,
// so that every bit is the same; where it is made of parameters, it is made
// again for each launch that has others (decode/loose.c). The next instruction
// has the count of those that were removed (VmInstr.folded): they count as
// executed whenever it is, and take the same steps, so that a schedule does not
// change.
#include "vm/code/kind.h"
#include "vm/machine/lanes.h"
#include "vm/program/program.h"

enum { UNSEEN, DEFINED, OTHERWISE }; // states of a register

// ---- which registers -----------------------------------------------------

static void note_read(VmFold *fold, const PtxOperand *op) {
    bool is_reg = op->kind == PTX_OPND_REG ||
                  (op->kind == PTX_OPND_ADDRESS && op->base == PTX_BASE_REG);
    if (is_reg && fold->reads[op->reg] < 2)
        fold->reads[op->reg]++;
    if (is_reg && fold->states[op->reg] == UNSEEN)
        fold->states[op->reg] = OTHERWISE;
    for (uint32_t i = 0; i < op->elem_count; i++)
        note_read(fold, &op->elems[i]);
}

static void note_result(VmFold *fold, const PtxOperand *op) {
    if (op->kind == PTX_OPND_REG)
        fold->states[op->reg] =
            fold->states[op->reg] == UNSEEN ? DEFINED : OTHERWISE;
    for (uint32_t i = 0; i < op->elem_count; i++)
        note_result(fold, &op->elems[i]);
}

static void note_formals(VmFold *fold, PtxVar **formals, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (formals[i]->space == PTX_SPACE_REG)
            fold->states[formals[i]->reg] = OTHERWISE;
}

void vm_fold_start(VmDecoder *d) {
    VmFold *fold = &d->fold;
    const PtxFunc *ptx = d->ptx;
    Arena *arena = &d->vm->run_arena;
    fold->states = arena_new(arena, uint8_t, ptx->reg_count + 1);
    fold->reads = arena_new(arena, uint8_t, ptx->reg_count + 1);
    fold->known = arena_new(arena, VmRef, ptx->reg_count + 1);
    note_formals(fold, ptx->params, ptx->param_count);
    note_formals(fold, ptx->results, ptx->result_count);
    for (size_t i = 0; i < ptx->instr_count; i++) {
        const PtxInstr *in = &ptx->instrs[i];
        uint32_t results = ptx_written_operands(in);
        for (uint32_t k = results; k < in->operand_count; k++)
            note_read(fold, &in->operands[k]);
        for (uint32_t k = 0; k < results && k < in->operand_count; k++)
            note_result(fold, &in->operands[k]);
    }
}

// ---- values --------------------------------------------------------------

// True if its results depend only on its sources.
static bool is_pure(const VmInstr *in) {
    return in->is_constant || PTX_TRAITS[in->op].result == PTX_RESULT_PURE;
}

// Predicates are not folded: a guard is read from the frame.
static bool is_foldable(const VmDecoder *d, const VmInstr *in) {
    if (!in->plain || in->guard != VM_NONE || !in->src_count ||
        !in->dst_count || !is_pure(in))
        return false;
    for (uint32_t i = 0; i < in->src_count; i++)
        if (!vm_srcs(in)[i].sel)
            return false;
    for (uint32_t i = 0; i < in->dst_count; i++) {
        VmRef dst = vm_dsts(in)[i];
        uint32_t reg = dst.reg;
        if (!dst.size || reg == VM_NO_REG || reg >= d->ptx->reg_count ||
            d->ptx->regs[reg].vector > 1 || d->fold.states[reg] != DEFINED)
            return false;
    }
    return true;
}

static void compute(VmDecoder *d, const VmInstr *in) {
    enum { SIZE = 16 * VM_LANES };
    _Alignas(64) uint8_t results[VM_MAX_DST * SIZE] = {0};
    VmWarp warp = {.base = {results, d->func->consts}, .vm = d->vm};
    VmInstr alone = *in;
    VmRef more[VM_MAX_DST + VM_MAX_SRC];
    alone.next = vm_op_run_ends;
    if (in->is_wide) {
        memcpy(more, in->more, sizeof more);
        alone.more = more;
    }
    for (uint32_t i = 0; i < in->dst_count; i++) {
        if (in->is_wide)
            more[i].off = i * SIZE;
        if (i < COUNT_OF(alone.dst))
            alone.dst[i].off = i * SIZE;
    }
    in->handler(&warp, &alone, VM_FULL);
    uint64_t values[VM_MAX_DST][2] = {{0, 0}};
    VmRef rows[VM_MAX_DST];
    for (uint32_t i = 0; i < in->dst_count; i++)
        memcpy(values[i], results + (size_t)i * SIZE, vm_dsts(in)[i].size);
    bool is_loose = vm_loose_result(d, in, values, rows);
    for (uint32_t i = 0; i < in->dst_count; i++) {
        VmRef dst = vm_dsts(in)[i];
        d->fold.known[dst.reg] =
            is_loose ? rows[i]
                     : vm_const(d, dst.size, values[i][0], values[i][1]);
    }
}

// ---- code ----------------------------------------------------------------

static VmNext op_nothing(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VM_NEXT;
}

// Whether `in` executes exactly when the instructions before it did, for all
// lanes.
static bool carries(const VmInstr *in) {
    return in->plain && in->guard == VM_NONE;
}

static void carry(VmFold *fold, VmInstr *in, uint32_t *folded,
                  uint32_t itself) {
    *folded += fold->pending - itself;
    in->folded_steps += fold->steps - itself;
    fold->pending = fold->steps = 0;
}

// If the next instruction cannot count for the folded ones, the last of them
// stays as an instruction that does nothing.
static void keep_last(VmDecoder *d, uint32_t at) {
    VmFunc *func = d->func;
    const PtxInstr *next = d->in;
    uint32_t loc = d->loc;
    d->in = d->fold.last;
    d->loc = d->fold.loc;
    VmInstr nothing = *vm_emit_plain(d, op_nothing);
    uint32_t folded = 0, following = func->code_count - 1 - at;
    carry(&d->fold, &nothing, &folded, 1);
    memmove(&func->code[at + 1], &func->code[at], following * sizeof nothing);
    memmove(&func->folded[at + 1], &func->folded[at],
            following * sizeof folded);
    func->code[at] = nothing;
    func->folded[at] = folded;
    d->in = next;
    d->loc = loc;
}

void vm_fold_label(VmDecoder *d) {
    if (d->fold.pending)
        keep_last(d, d->func->code_count);
}

void vm_fold(VmDecoder *d, uint32_t start) {
    VmFunc *func = d->func;
    VmFold *fold = &d->fold;
    uint32_t count = func->code_count - start, skipped = fold->skipped;
    fold->skipped = 0;
    if (count == 1 && is_foldable(d, &func->code[start])) {
        compute(d, &func->code[start]);
        func->code_count = start;
        fold->pending++;
        fold->steps += 1 + skipped;
        fold->last = d->in;
        fold->loc = d->loc;
        return;
    }
    if (count)
        func->code[func->code_count - 1].folded_steps = skipped;
    if (fold->pending && count && carries(&func->code[start]))
        carry(fold, &func->code[start], &func->folded[start], 0);
    else if (fold->pending)
        keep_last(d, start);
}
