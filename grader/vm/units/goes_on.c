// SPDX-License-Identifier: Apache-2.0
// Why a block asks again though it has seen a refusal: the branch that lets it,
// and what that branch goes by, if it is one of these:
//
//   a register that the refusal has left as it was (decode/origin.c);
//   0, where less than 0 would have led out of the loop;
//   another answer, which came to the block beside the refusal;
//   or there is none: nothing leads out of the loop.
#include "vm/decode/condition.h"
#include "vm/decode/origin.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/units/clc.h"

// The comparison closest above the branch that it goes by; NULL: there is none.
static const PtxInstr *compare_of(const PtxFunc *ptx, const PtxInstr *branch) {
    if (!branch->guard || branch < ptx->instrs ||
        branch >= ptx->instrs + ptx->instr_count)
        return NULL;
    for (const PtxInstr *in = branch; in-- > ptx->instrs;)
        if (in->operand_count && in->operands[0].kind == PTX_OPND_REG &&
            in->operands[0].reg == branch->guard - 1)
            return in->op == PTX_OP_SETP && in->operand_count == 3 ? in : NULL;
    return NULL;
}

// Whether it tells numbers from 0 on from those below, or from -1.
static bool is_of_index(const PtxInstr *compare) {
    const PtxOperand *with = &compare->operands[2];
    bool is_sign = ptx_has(compare, PTX_MOD_GE) || ptx_has(compare, PTX_MOD_LT);
    bool is_none = ptx_has(compare, PTX_MOD_GT) ||
                   ptx_has(compare, PTX_MOD_LE) ||
                   ptx_has(compare, PTX_MOD_EQ) || ptx_has(compare, PTX_MOD_NE);
    return with->kind == PTX_OPND_INT &&
           ((is_sign && with->imm == 0) || (is_none && with->imm + 1 == 0));
}

static bool is_zero_there(const VmWarp *w, uint32_t lane,
                          const PtxInstr *compare) {
    const VmFunc *func = w->frag->frame->func;
    for (uint32_t i = 0; i < func->code_count; i++)
        if (func->code[i].ptx == compare) {
            VmRef index = vm_srcs(&func->code[i])[0];
            return index.size == 4 && vm_lane_u64(w, index, lane) == 0;
        }
    return false;
}

static bool goes_on_by_zero(const VmWarp *w, uint32_t lane,
                            const PtxInstr *branch) {
    const PtxInstr *compare = compare_of(w->frag->frame->func->ptx, branch);
    return compare && compare->operands[1].kind == PTX_OPND_REG &&
           is_of_index(compare) && is_zero_there(w, lane, compare);
}

// Whether requests were under way together, and of the last answers that came
// to the block's slots one is a grant and another a refusal.
static bool is_mixed(const Vm *vm, const VmCta *cta) {
    bool granted = false, refused = false;
    if (cta->clc.chain == VM_NONE ||
        vm->run->ledger.chains[cta->clc.chain].most_in_flight < 2)
        return false;
    for (uint32_t i = 0; i < cta->typed.slot_count; i++) {
        const VmSlot *slot = &cta->objects.slots[i];
        const VmRequest *request = &vm->clc.requests[slot->request];
        granted |= slot->state == SLOT_OBSERVED && request->asked &&
                   request->granted != VM_NONE;
        refused |= slot->state == SLOT_OBSERVED && request->asked &&
                   request->granted == VM_NONE;
    }
    return granted && refused;
}

void vm_goes_on_explain(const VmWarp *w, const VmInstr *in, uint32_t lane,
                        Finding *finding) {
    Vm *vm = w->vm;
    const VmFunc *func = w->frag->frame->func;
    const PtxInstr *branch = finding ? vm_condition_again(func, in->ptx) : NULL;
    if (finding && is_mixed(vm, w->cta))
        finding->reason = REASON_ONE_OF_SEVERAL;
    if (finding && !branch && vm_condition_share_loop(func, in->ptx, in->ptx))
        finding->reason = REASON_NO_WAY_OUT;
    if (!branch)
        return;
    vm_relate(vm, finding, PLACE_ASKS_AGAIN,
              vm_learner_loc(vm, NULL, branch->loc), NO_FACTS);
    const PtxInstr *unset = vm_origin_unset(vm, func, branch);
    if (unset) {
        finding->reason = REASON_LEFT_UNSET;
        vm_relate(vm, finding, PLACE_LEFT_UNSET,
                  vm_learner_loc(vm, NULL, unset->loc), NO_FACTS);
    } else if (!finding->reason && goes_on_by_zero(w, lane, branch)) {
        finding->reason = REASON_ZERO_GOES_ON;
    }
}
