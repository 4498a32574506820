// SPDX-License-Identifier: Apache-2.0
// See values.h. A register with several definitions is not looked through.
#include "remedies/values.h"

#include "remedies/rows.h"
#include "remedies/what.h"

enum { DEEPEST = 8 }; // definitions, one of another

const PtxInstr *setter_of(const RemedySite *site, uint32_t reg) {
    uint32_t at = reg < site->entry->reg_count ? site->index->setters[reg] : 0;
    return at ? &site->entry->instrs[at - 1] : NULL;
}

static bool find_value(const RemedySite *site, const PtxOperand *operand,
                       uint64_t *value, int depth) {
    if (operand->kind == PTX_OPND_INT) {
        *value = operand->imm;
        return true;
    }
    if (operand->kind != PTX_OPND_REG || depth == DEEPEST)
        return false;
    const PtxInstr *setter = setter_of(site, operand->reg);
    return setter && setter->op == PTX_OP_MOV &&
           find_value(site, &setter->operands[1], value, depth + 1);
}

bool value_of(const RemedySite *site, const PtxOperand *operand,
              uint64_t *value) {
    return find_value(site, operand, value, 0);
}

static bool find_place(const RemedySite *site, const PtxOperand *operand,
                       Place *place, int depth);

// Of a sum: one term is an address.
static bool find_sum(const RemedySite *site, const PtxOperand *a,
                     const PtxOperand *b, Place *place, int depth) {
    uint64_t addend;
    if (!find_place(site, a, place, depth)) {
        const PtxOperand *other = a;
        if (!find_place(site, b, place, depth))
            return false;
        b = other;
    }
    if (find_value(site, b, &addend, depth))
        place->offset += addend;
    else
        place->varies = true;
    return true;
}

static bool find_place(const RemedySite *site, const PtxOperand *operand,
                       Place *place, int depth) {
    bool is_address = operand->kind == PTX_OPND_ADDRESS;
    bool is_symbol = operand->kind == PTX_OPND_SYMBOL ||
                     (is_address && operand->base == PTX_BASE_SYMBOL);
    if (is_symbol && operand->symbol.kind == PTX_SYM_VAR) {
        *place = (Place){operand->symbol.var, operand->imm, false};
        return place->var && place->var->space == PTX_SPACE_SHARED;
    }
    bool has_reg = operand->kind == PTX_OPND_REG ||
                   (is_address && operand->base == PTX_BASE_REG);
    const PtxInstr *setter =
        has_reg && depth < DEEPEST ? setter_of(site, operand->reg) : NULL;
    bool found = false;
    if (setter && (setter->op == PTX_OP_MOV || setter->op == PTX_OP_CVT ||
                   setter->op == PTX_OP_CVTA))
        found = find_place(site, &setter->operands[1], place, depth + 1);
    else if (setter && setter->op == PTX_OP_ADD)
        found = find_sum(site, &setter->operands[1], &setter->operands[2],
                         place, depth + 1);
    else if (setter && setter->op == PTX_OP_MAD) {
        found = find_place(site, &setter->operands[3], place, depth + 1);
        place->varies = true;
    }
    if (found && is_address)
        place->offset += operand->imm;
    return found;
}

bool place_of(const RemedySite *site, const PtxOperand *operand, Place *place) {
    return find_place(site, operand, place, 0);
}

PtxOperand *mbarrier_operand(const PtxInstr *instr) {
    if (is_arrive(instr) || is_wait(instr) || is_request(instr))
        return &instr->operands[1];
    if (instr->op == PTX_OP_MBARRIER_EXPECT_TX ||
        instr->op == PTX_OP_MBARRIER_INIT)
        return &instr->operands[0];
    return NULL;
}
