// SPDX-License-Identifier: Apache-2.0
// See what.h. Source of the forms: PTX ISA 9.0, section 9.7.13.
#include "remedies/what.h"

bool is_fence(const PtxInstr *instr) {
    return instr->op == PTX_OP_FENCE || instr->op == PTX_OP_FENCE_PROXY ||
           instr->op == PTX_OP_FENCE_MBARRIER_INIT ||
           instr->op == PTX_OP_MEMBAR || instr->op == PTX_OP_MEMBAR_PROXY;
}

bool is_cta_barrier(const PtxInstr *instr) {
    return instr->op == PTX_OP_BAR_SYNC || instr->op == PTX_OP_BARRIER_SYNC ||
           instr->op == PTX_OP_BAR_CTA_SYNC ||
           instr->op == PTX_OP_BARRIER_CTA_SYNC;
}

bool is_half_barrier(const PtxInstr *instr) {
    return instr->op == PTX_OP_BARRIER_CLUSTER_ARRIVE ||
           instr->op == PTX_OP_BARRIER_CLUSTER_WAIT ||
           instr->op == PTX_OP_BAR_ARRIVE || instr->op == PTX_OP_BARRIER_ARRIVE;
}

bool is_barrier(const PtxInstr *instr) {
    return is_cta_barrier(instr) || is_half_barrier(instr) ||
           instr->op == PTX_OP_BAR_WARP_SYNC || instr->op == PTX_OP_BAR_RED ||
           instr->op == PTX_OP_BARRIER_RED;
}

bool is_wait(const PtxInstr *instr) {
    return instr->op == PTX_OP_MBARRIER_TRY_WAIT ||
           instr->op == PTX_OP_MBARRIER_TEST_WAIT;
}

bool is_arrive(const PtxInstr *instr) {
    return instr->op == PTX_OP_MBARRIER_ARRIVE ||
           instr->op == PTX_OP_MBARRIER_ARRIVE_DROP;
}

bool is_request(const PtxInstr *instr) {
    return instr->op == PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL;
}

bool is_query(const PtxInstr *instr) {
    return instr->op == PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL;
}

bool is_access(const PtxInstr *instr) {
    if (instr->op == PTX_OP_LD || instr->op == PTX_OP_ST)
        return ptx_space(instr) != PTX_SPACE_PARAM &&
               ptx_space(instr) != PTX_SPACE_CONST;
    return instr->op == PTX_OP_ATOM || instr->op == PTX_OP_RED ||
           instr->op == PTX_OP_MBARRIER_INIT ||
           instr->op == PTX_OP_MBARRIER_EXPECT_TX || is_arrive(instr) ||
           is_wait(instr) || is_request(instr);
}

static bool operand_names(const PtxOperand *operand, uint32_t reg) {
    if ((operand->kind == PTX_OPND_REG || (operand->kind == PTX_OPND_ADDRESS &&
                                           operand->base == PTX_BASE_REG)) &&
        operand->reg == reg)
        return true;
    for (uint32_t i = 0; i < operand->elem_count; i++)
        if (operand_names(&operand->elems[i], reg))
            return true;
    return false;
}

bool names_reg(const PtxInstr *instr, uint32_t reg) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (operand_names(&instr->operands[i], reg))
            return true;
    return instr->guard == reg + 1;
}

// ---- neighbours ----------------------------------------------------------

uint32_t next_of(const PtxFunc *func, uint32_t at, Is *is) {
    for (at++; at < func->instr_count; at++)
        if (is(&func->instrs[at]))
            return at;
    return at;
}

uint32_t end_of_wait(const PtxFunc *func, uint32_t at) {
    enum { NEAR = 8 };
    for (uint32_t i = at + 1; i < func->instr_count && i <= at + NEAR; i++) {
        const PtxInstr *instr = &func->instrs[i];
        if (instr->op == PTX_OP_BRA &&
            func->labels[instr->operands[0].target].target <= at)
            return i;
    }
    return at;
}

bool is_target(const PtxFunc *func, uint32_t at) {
    for (uint32_t i = 0; i < func->instr_count; i++)
        if (func->instrs[i].op == PTX_OP_BRA &&
            func->labels[func->instrs[i].operands[0].target].target == at)
            return true;
    return false;
}

// Whether one of the registers that the operand has is named by `other`.
static bool is_named(const PtxOperand *operand, const PtxInstr *other) {
    bool has_reg =
        operand->kind == PTX_OPND_REG ||
        (operand->kind == PTX_OPND_ADDRESS && operand->base == PTX_BASE_REG);
    if (has_reg && names_reg(other, operand->reg))
        return true;
    for (uint32_t i = 0; i < operand->elem_count; i++)
        if (is_named(&operand->elems[i], other))
            return true;
    return false;
}

bool sets_for(const PtxInstr *instr, const PtxInstr *other) {
    return instr->op != PTX_OP_ST && instr->op != PTX_OP_RED &&
           instr->op != PTX_OP_BRA && instr->operand_count > 0 &&
           is_named(&instr->operands[0], other);
}

uint32_t jump_over(const PtxFunc *func, uint32_t at, uint32_t level) {
    for (uint32_t i = at; i-- > 0;) {
        const PtxInstr *instr = &func->instrs[i];
        if (instr->op != PTX_OP_BRA || instr->guard == 0 ||
            func->labels[instr->operands[0].target].target <= at)
            continue;
        if (level-- == 0)
            return i;
    }
    return (uint32_t)func->instr_count;
}

bool loop_round(const PtxFunc *func, uint32_t at, uint32_t level,
                uint32_t *head, uint32_t *end) {
    enum { MOST_LOOPS = 16 };
    uint32_t below = at + 1; // heads that were found stand from here on
    for (uint32_t i = 0; i <= level && i < MOST_LOOPS; i++) {
        uint32_t next = UINT32_MAX, last = 0;
        for (uint32_t k = at; k < func->instr_count; k++) {
            const PtxInstr *instr = &func->instrs[k];
            if (instr->op != PTX_OP_BRA)
                continue;
            uint32_t to = func->labels[instr->operands[0].target].target;
            if (to < below && (next == UINT32_MAX || to >= next)) {
                next = to;
                last = k;
            }
        }
        if (next == UINT32_MAX)
            return false;
        below = next;
        if (i == level) {
            *head = next;
            *end = last;
            return true;
        }
    }
    return false;
}

uint32_t outermost_loop(const PtxFunc *func, uint32_t at) {
    uint32_t head = 0, end;
    for (uint32_t level = 0; loop_round(func, at, level, &head, &end);)
        level++;
    return head;
}
