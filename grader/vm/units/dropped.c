// SPDX-License-Identifier: Apache-2.0
// Indices that the source decodes and nobody uses. Compilers leave such a query
// out: they move it to behind the branch at which its result begins to matter,
// or, in a copy of a loop's body that never matters, remove it. The lines of
// what is left still tell: a query that only the answer itself decides upon, or
// that stands in front of the branch which decides upon it, is executed
// whenever the grant is seen.
#include "vm/decode/condition.h"
#include "vm/machine/findings.h"
#include "vm/units/clc.h"

enum {
    MOST_STEPS = 8
}; // from a branch back to is_canceled; what is further
   // back is not known, and may be it

static bool decodes(const PtxInstr *in) {
    return in->op == PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL &&
           !ptx_has(in, PTX_MOD_IS_CANCELED);
}

static bool is_of_answer(const PtxFunc *ptx, uint32_t reg, uint32_t steps);

// Whether the instruction computes its result from is_canceled and numbers
// alone.
static bool comes_of_answer(const PtxFunc *ptx, const PtxInstr *in,
                            uint32_t steps) {
    bool found = false;
    if (in->op == PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL)
        return ptx_has(in, PTX_MOD_IS_CANCELED);
    if (in->guard || PTX_TRAITS[in->op].access != PTX_ACCESS_NONE)
        return false;
    for (uint32_t i = ptx_written_operands(in); i < in->operand_count; i++) {
        const PtxOperand *operand = &in->operands[i];
        if (operand->kind == PTX_OPND_INT)
            continue;
        if (operand->kind != PTX_OPND_REG ||
            !is_of_answer(ptx, operand->reg, steps))
            return false;
        found = true;
    }
    return found;
}

static bool is_of_answer(const PtxFunc *ptx, uint32_t reg, uint32_t steps) {
    bool found = false;
    if (steps == 0)
        return true;
    for (size_t i = 0; i < ptx->instr_count; i++) {
        const PtxInstr *in = &ptx->instrs[i];
        bool sets = ptx_written_operands(in) == 1 && in->operand_count &&
                    in->operands[0].kind == PTX_OPND_REG &&
                    in->operands[0].reg == reg;
        if (sets && !comes_of_answer(ptx, in, steps - 1))
            return false;
        found |= sets;
    }
    return found;
}

static SrcLoc line_of(const Vm *vm, uint32_t loc) {
    return vm_src_of(vm, vm_learner_loc(vm, NULL, loc));
}

// Whether the source executes the query whenever it sees the grant.
static bool follows_look(const Vm *vm, const VmRequest *request,
                         const PtxInstr *query) {
    const PtxFunc *ptx = request->seen_func->ptx;
    const PtxInstr *branch = vm_condition_of(request->seen_func, query);
    if (!branch || !branch->guard)
        return false;
    SrcLoc seen = vm_src_of(vm, request->seen_loc),
           own = line_of(vm, query->loc), decided = line_of(vm, branch->loc);
    bool is_near = str_equal(seen.file, own.file) &&
                   str_equal(own.file, decided.file) && seen.line <= own.line;
    return is_near && (own.line < decided.line ||
                       (decided.line == seen.line &&
                        is_of_answer(ptx, branch->guard - 1, MOST_STEPS)));
}

uint32_t vm_dropped_decode(const Vm *vm, const VmRequest *request,
                           VmDropped *known) {
    const VmFunc *func = request->seen_func;
    if (known->func == func && known->seen_loc == request->seen_loc)
        return known->decoded_loc;
    *known = (VmDropped){.func = func, .seen_loc = request->seen_loc};
    for (size_t i = 0; func && i < func->ptx->instr_count; i++) {
        const PtxInstr *in = &func->ptx->instrs[i];
        if (!known->decoded_loc && decodes(in) && follows_look(vm, request, in))
            known->decoded_loc = vm_learner_loc(vm, NULL, in->loc);
    }
    return known->decoded_loc;
}
