// SPDX-License-Identifier: Apache-2.0
// Which loads are followed: see fate.h. A load is if its value may be dropped:
// some way through the function ends without it, or overwrites its register, an
// instruction that may drop it (a select, an `and`, an `or`) or that has a
// guard reads it or what was computed of it, or nobody reads it. What cannot be
// followed to its end (an argument or a result of a call in a register) is not.
#include "vm/decode/decode.h"
#include "vm/decode/fate.h"
#include "vm/decode/flow.h"

// ---- where a value can go ------------------------------------------------

typedef struct Spread {
    const VmFunc *func;
    uint8_t *holds; // by register
    bool grew;
    bool is_read, is_chosen; // chosen: by an instruction that may drop it, or
                             // is not always executed
    bool is_lost;            // it goes where it cannot be followed
} Spread;

static bool holds(const Spread *s, VmRef ref) {
    return ref.reg != VM_NO_REG && ref.sel == 0 && s->holds[ref.reg];
}

static bool is_guarded_by(const Spread *s, const VmInstr *in) {
    return in->guard != VM_NONE && in->guard_reg != VM_NO_REG &&
           s->holds[in->guard_reg];
}

static bool reads(const Spread *s, const VmInstr *in) {
    for (uint32_t i = 0; i < in->src_count; i++)
        if (holds(s, vm_srcs(in)[i]))
            return true;
    return is_guarded_by(s, in);
}

static bool writes(const Spread *s, const VmInstr *in) {
    for (uint32_t i = 0; i < in->dst_count; i++)
        if (holds(s, vm_dsts(in)[i]))
            return true;
    return false;
}

static bool may_drop(const VmInstr *in) {
    PtxData data = (PtxData)PTX_TRAITS[in->op].data;
    return data == PTX_DATA_SELECTED || data == PTX_DATA_ANDED ||
           data == PTX_DATA_ORED;
}

static void hold(Spread *s, VmRef ref) {
    if (ref.reg == VM_NO_REG) {
        s->is_lost |= ref.size != 0;
        return;
    }
    s->grew |= !s->holds[ref.reg];
    s->holds[ref.reg] = 1;
}

static void visit(Spread *s, const VmInstr *in) {
    if (!reads(s, in))
        return;
    s->is_read = true;
    s->is_chosen |= may_drop(in) || in->guard != VM_NONE;
    for (uint32_t i = 0; !vm_fate_uses(in) && i < in->dst_count; i++)
        hold(s, vm_dsts(in)[i]);
}

// Arguments and results that are registers are not among the operands of the
// call and of the return.
static bool is_formal(const Spread *s, const PtxOperand *list) {
    for (uint32_t i = 0; i < list->elem_count; i++)
        if (list->elems[i].kind == PTX_OPND_REG && s->holds[list->elems[i].reg])
            return true;
    return false;
}

static bool is_passed(const Spread *s) {
    const PtxFunc *ptx = s->func->ptx;
    for (size_t i = 0; i < ptx->result_count; i++)
        if (ptx->results[i]->space == PTX_SPACE_REG &&
            s->holds[ptx->results[i]->reg])
            return true;
    for (size_t i = 0; i < ptx->instr_count; i++)
        for (uint32_t k = 0;
             PTX_TRAITS[ptx->instrs[i].op].next == PTX_NEXT_CALL &&
             k < ptx->instrs[i].operand_count;
             k++)
            if (is_formal(s, &ptx->instrs[i].operands[k]))
                return true;
    return false;
}

// False: that takes too long.
static bool spread(Vm *vm, Spread *s, VmRef from) {
    const VmFunc *func = s->func;
    hold(s, from);
    while (s->grew && !s->is_lost && vm->flow_visits <= VM_FLOW_VISITS) {
        s->grew = false;
        vm->flow_visits += func->code_count;
        for (uint32_t pc = 0; pc < func->code_count; pc++)
            visit(s, &func->code[pc]);
    }
    return !s->grew && !s->is_lost && !is_passed(s);
}

// ---- which loads ---------------------------------------------------------

static bool is_fixed(const VmInstr *in) {
    return in->src_count && (in->src[0].sel || in->src[0].size == 0);
}

static bool is_ordinary_load(const VmInstr *in) {
    return ptx_is_load(in->op) && in->sem == SEM_WEAK && in->width &&
           in->guard == VM_NONE && !in->is_constant && !in->is_frame &&
           in->elements && in->dst_count == in->elements &&
           (in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_GLOBAL ||
            in->space == PTX_SPACE_GENERIC);
}

// An instruction is found by the PTX that it was decoded from (vm_fate_pc).
static bool is_found(const VmFunc *func, uint32_t pc) {
    const VmInstr *in = &func->code[pc];
    const PtxFunc *ptx = func->ptx;
    return in->ptx >= ptx->instrs && in->ptx < ptx->instrs + ptx->instr_count &&
           vm_fate_pc(func, in) == pc;
}

static bool are_found(const Spread *s) {
    for (uint32_t pc = 0; pc < s->func->code_count; pc++) {
        const VmInstr *in = &s->func->code[pc];
        if ((reads(s, in) || writes(s, in)) && !is_found(s->func, pc))
            return false;
    }
    return true;
}

// A register is also given values that are not of this load: on that way the
// value may end.
static bool is_overwritten(const Spread *s, const VmInstr *load) {
    for (uint32_t pc = 0; pc < s->func->code_count; pc++) {
        const VmInstr *in = &s->func->code[pc];
        if (in != load && writes(s, in) && !reads(s, in))
            return true;
    }
    return false;
}

static bool may_be_in_vain(Vm *vm, const Spread *s, const VmInstr *load) {
    if (!s->is_read)
        return load->elements > 1;
    return is_fixed(load) && (s->is_chosen || is_overwritten(s, load) ||
                              vm_flow_may_be_idle(vm, s->func, load));
}

// Puts the value's bit on all that reads or writes such a register.
static void install(VmFates *fates, const Spread *s, uint64_t bit) {
    VmFunc *func = (VmFunc *)(uintptr_t)s->func;
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        VmInstr *in = &func->code[pc];
        if (!reads(s, in) && !writes(s, in))
            continue;
        fates->touched[pc] |= bit;
        if (!fates->handlers[pc]) {
            fates->handlers[pc] = in->handler;
            in->handler = vm_op_fated;
        }
    }
}

static VmFates *fates_of(Vm *vm, VmFunc *func) {
    Arena *arena = &vm->run_arena; // the program's (program/cache.c)
    if (!func->fates) {
        func->fates = arena_new(arena, VmFates, 1);
        func->fates->handlers = arena_new(arena, VmHandler, func->code_count);
        func->fates->touched = arena_new(arena, uint64_t, func->code_count);
    }
    return func->fates;
}

static void follow(Vm *vm, VmProgram *program, VmFunc *func, uint32_t pc,
                   uint32_t element) {
    const VmInstr *load = &func->code[pc];
    VmRef value = vm_dsts(load)[element];
    if (value.reg == VM_NO_REG || vm->flow_visits > VM_FLOW_VISITS ||
        (func->fates && func->fates->count == VM_FATES_MOST))
        return;
    Spread s = {.func = func, .holds = heap_alloc(1, func->reg_count + 1u)};
    if (spread(vm, &s, value) && may_be_in_vain(vm, &s, load) &&
        are_found(&s)) {
        VmFates *fates = fates_of(vm, func);
        install(fates, &s, UINT64_C(1) << fates->count);
        fates->values[fates->count++] =
            (VmFateValue){.pc = pc,
                          .loc = load->loc,
                          .element = element,
                          .width = load->width,
                          .elements = load->elements,
                          .is_global = load->space != PTX_SPACE_SHARED,
                          .is_fixed = is_fixed(load),
                          .number = program->fate_count++};
    }
    heap_free(s.holds);
}

static bool is_followed(const VmFates *fates, uint32_t pc, uint32_t element) {
    for (uint32_t i = 0; i < fates->count; i++)
        if (fates->values[i].pc == pc && fates->values[i].element == element)
            return true;
    return false;
}

// Code may be there several times, with one location.
static bool is_alone(const VmFunc *func, const VmFateValue *value) {
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        const VmInstr *in = &func->code[pc];
        if (in->loc == value->loc && ptx_is_load(in->op) &&
            !is_followed(func->fates, pc, value->element))
            return false;
    }
    return true;
}

void vm_fates_find(Vm *vm, VmProgram *program, VmFunc *func) {
    func->fates = NULL;
    if (vm->launch->unchecked == UINT64_MAX || func->reg_count >= VM_NO_REG)
        return;
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        const VmInstr *in = &func->code[pc];
        bool may_be = is_ordinary_load(in) && is_found(func, pc) &&
                      (is_fixed(in) || in->elements > 1);
        for (uint32_t e = 0; may_be && e < in->elements; e++)
            follow(vm, program, func, pc, e);
    }
    for (uint32_t i = 0; func->fates && i < func->fates->count; i++)
        func->fates->values[i].is_alone =
            is_alone(func, &func->fates->values[i]);
}
