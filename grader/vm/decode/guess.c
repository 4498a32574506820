// SPDX-License-Identifier: Apache-2.0
// Follows what compare-and-swaps expect backwards, through moves, to a load:
// see guess.h. The order of the instructions is not looked at.
#include "vm/decode/guess.h"

typedef struct Wanted {
    uint32_t regs[16], count;
} Wanted;

static bool is_wanted(const Wanted *w, const PtxOperand *operand) {
    for (uint32_t i = 0; i < w->count; i++)
        if (operand->kind == PTX_OPND_REG && operand->reg == w->regs[i])
            return true;
    return false;
}

static void want(Wanted *w, const PtxOperand *operand) {
    uint32_t most = sizeof w->regs / sizeof w->regs[0];
    if (operand->kind == PTX_OPND_REG && w->count < most &&
        !is_wanted(w, operand))
        w->regs[w->count++] = operand->reg;
}

static bool is_swap(const PtxInstr *in) {
    return in->op == PTX_OP_ATOM && ptx_has(in, PTX_MOD_CAS);
}

// One step back: the sources of the moves that set what is wanted. True: one of
// the loads does.
static bool step_back(Wanted *w, const PtxFunc *ptx, uint32_t load) {
    for (size_t i = 0; i < ptx->instr_count; i++) {
        const PtxInstr *in = &ptx->instrs[i];
        if ((in->op != PTX_OP_LD && in->op != PTX_OP_MOV) ||
            !is_wanted(w, &in->operands[0]))
            continue;
        if (in->op == PTX_OP_LD && in->loc == load)
            return true;
        if (in->op == PTX_OP_MOV)
            want(w, &in->operands[1]);
    }
    return false;
}

bool vm_guess_is_checked(const VmFunc *func, uint32_t load, uint32_t swap) {
    const PtxFunc *ptx = func->ptx;
    Wanted w = {.count = 0};
    for (size_t i = 0; i < ptx->instr_count; i++)
        if (is_swap(&ptx->instrs[i]) && ptx->instrs[i].loc == swap)
            want(&w, &ptx->instrs[i].operands[2]);
    uint32_t before = 0;
    while (w.count > before) {
        before = w.count;
        if (step_back(&w, ptx, load))
            return true;
    }
    return false;
}
