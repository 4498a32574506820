// SPDX-License-Identifier: Apache-2.0
// A kernel with everything that it can reach: its functions, the places of
// their registers, parameters, local and shared variables, and their decoded
// code.
#include "vm/program/program.h"

#include "vm/code/registers.h"
#include "vm/decode/address.h"

// ---- reachability --------------------------------------------------------

// The traversal of what a kernel can reach. It uses a worklist instead of
// recursion, because call graphs are untrusted and may be deep.
typedef struct Reach {
    Vm *vm;
    VmProgram *program;
    const PtxFunc **work;
    size_t count;
    bool calls_pointers; // a call through a register was found
    bool only_addresses; // follows function addresses, not calls
} Reach;

static void reach_func(Reach *r, const PtxFunc *ptx) {
    ptx = vm_callee(ptx);
    if (r->program->funcs[ptx->id] || !ptx->has_body)
        return;
    VmFunc *func = arena_new(&r->vm->run_arena, VmFunc, 1);
    func->ptx = ptx;
    r->program->funcs[ptx->id] = func;
    r->work[r->count++] = ptx;
}

static void reach_symbol(Reach *r, const PtxSymbol *symbol) {
    if (symbol->kind == PTX_SYM_FUNC && r->only_addresses)
        reach_func(r, symbol->func);
    else if (symbol->kind == PTX_SYM_VAR && !symbol->var->func &&
             !r->only_addresses)
        r->program->used_vars[symbol->var->id] = true;
}

static void reach_operand(Reach *r, const PtxOperand *op) {
    if (op->kind == PTX_OPND_SYMBOL ||
        (op->kind == PTX_OPND_ADDRESS && op->base == PTX_BASE_SYMBOL))
        reach_symbol(r, &op->symbol);
    if (op->kind == PTX_OPND_SREG &&
        op->sreg >= PTX_SREG_RESERVED_SMEM_OFFSET_BEGIN &&
        op->sreg <= PTX_SREG_RESERVED_SMEM_OFFSET_1 && !r->only_addresses)
        r->program->reserved_smem = VM_RESERVED_SMEM;
    for (uint32_t i = 0; i < op->elem_count; i++)
        reach_operand(r, &op->elems[i]);
}

// The callee of `call`, in operand 1, is not an address that is taken.
static void reach_instr(Reach *r, const PtxInstr *in) {
    bool is_call = PTX_TRAITS[in->op].next == PTX_NEXT_CALL;
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (!is_call || i != 1)
            reach_operand(r, &in->operands[i]);
    if (!is_call || r->only_addresses)
        return;
    const PtxOperand *callee = &in->operands[1];
    if (callee->kind == PTX_OPND_SYMBOL)
        reach_func(r, callee->symbol.func);
    else
        r->calls_pointers = true;
}

static void reach_body(Reach *r, const PtxFunc *func) {
    for (size_t i = 0; i < func->instr_count; i++)
        reach_instr(r, &func->instrs[i]);
}

// Every function whose address is taken anywhere can be called through a
// pointer, which may come from memory that another kernel wrote.
static void reach_addresses(Reach *r) {
    const PtxModule *module = r->vm->module;
    r->only_addresses = true;
    for (size_t i = 0; i < module->func_count; i++)
        reach_body(r, module->funcs[i]);
    for (size_t i = 0; i < module->var_count; i++)
        for (size_t k = 0; k < module->vars[i]->reloc_count; k++)
            reach_symbol(r, &module->vars[i]->relocs[k].symbol);
    r->only_addresses = false;
}

static void reach(Vm *vm, const PtxFunc *kernel, VmProgram *program) {
    const PtxModule *module = vm->module;
    Reach r = {.vm = vm, .program = program};
    r.work = arena_new(&vm->run_arena, const PtxFunc *, module->func_count + 1);
    program->funcs =
        arena_new(&vm->run_arena, VmFunc *, module->func_count + 1);
    program->used_vars = arena_new(&vm->run_arena, bool, module->var_count + 1);
    reach_func(&r, kernel);
    program->entry = program->funcs[kernel->id];
    for (bool took_addresses = false; r.count;) {
        reach_body(&r, r.work[--r.count]);
        if (r.count == 0 && r.calls_pointers && !took_addresses) {
            took_addresses = true;
            reach_addresses(&r);
        }
    }
}

// ---- layout --------------------------------------------------------------

// The most bytes that an access of the instruction has to be aligned to; 1: any
// that says nothing about alignment.
static uint32_t asked_alignment(const PtxInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    if (traits->access == PTX_ACCESS_NONE)
        return 1;
    if (traits->object == PTX_OBJECT_MBARRIER)
        return 8;
    if (traits->object != PTX_OBJECT_MEMORY)
        return 16; // an answer's slot, a row of a matrix, a bulk copy
    PtxSpace space = ptx_space(in);
    if (space != PTX_SPACE_SHARED && space != PTX_SPACE_LOCAL &&
        space != PTX_SPACE_GENERIC)
        return 1;
    return in->type_count ? ptx_type_size(in->types[0]) * ptx_vector(in) : 1;
}

static uint32_t most_asked(const Vm *vm, const VmProgram *program) {
    uint32_t most = 1;
    for (size_t f = 0; f < vm->module->func_count; f++) {
        const PtxFunc *ptx = vm->module->funcs[f];
        for (size_t i = 0; program->funcs[f] && i < ptx->instr_count; i++) {
            uint32_t asked = asked_alignment(&ptx->instrs[i]);
            most = asked > most ? asked : most;
        }
    }
    return most;
}

// Where the program has accesses that ask for more than a variable declares,
// the variable's address is a multiple of what it declares and of no more: what
// is aligned by luck on one card, and not on another, is not here (MEM002). A
// variable for which an alignment of more would have no use is left where it
// is.
static uint64_t exact_place(const VmProgram *program, uint64_t end,
                            const PtxVar *var) {
    uint64_t twice = 2 * (uint64_t)var->align;
    uint64_t at = round_up(end, var->align);
    if (var->align < program->most_asked && var->size >= twice &&
        at % twice == 0)
        at += var->align;
    return at;
}

static uint32_t at_most(uint64_t bytes) {
    return bytes > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)bytes;
}

static void note_gap(Vm *vm, VmGaps *gaps, uint64_t from, uint64_t to) {
    if (at_most(from) >= at_most(to))
        return;
    arena_grow(&vm->run_arena, gaps->items, gaps->count, gaps->capacity);
    gaps->items[gaps->count++] = (VmGap){at_most(from), at_most(to)};
}

static uint32_t place_exactly(Vm *vm, const VmProgram *program, uint32_t *end,
                              const PtxVar *var, VmGaps *gaps) {
    uint64_t at = exact_place(program, *end, var);
    note_gap(vm, gaps, *end, at);
    *end = at_most(at + var->size);
    return (uint32_t)at;
}

// How much a block needs is what it needs on a card, where variables lie close
// together.
static void place_shared(Vm *vm, VmProgram *program, const PtxVar *var,
                         uint32_t *slot) {
    if (var->is_extern || var->size == 0) {
        if (var->align > program->dynamic_align)
            program->dynamic_align = var->align;
        *slot = VM_NONE; // after all others: vm_shared_address
        return;
    }
    uint64_t end = program->static_smem;
    ptx_place(&end, var);
    program->static_smem = at_most(end);
    *slot = place_exactly(vm, program, &program->placed_smem, var,
                          &program->shared_gaps);
}

static void fill_up(Vm *vm, uint32_t *end, uint32_t unit, VmGaps *gaps) {
    uint64_t full = round_up(*end, unit);
    note_gap(vm, gaps, *end, full);
    *end = at_most(full);
}

static uint32_t frame_place(VmFunc *func, uint64_t bytes) {
    func->frame_bytes = (uint32_t)round_up(func->frame_bytes, 64);
    uint32_t at = func->frame_bytes;
    uint64_t end = at + bytes * VM_LANES;
    func->frame_bytes = end > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)end;
    return at;
}

static void layout_vars(Vm *vm, VmProgram *program, VmFunc *func) {
    const PtxFunc *ptx = func->ptx;
    func->var_offsets = arena_new(&vm->run_arena, uint32_t, ptx->var_count + 1);
    for (size_t i = 0; i < ptx->var_count; i++) {
        const PtxVar *var = ptx->vars[i];
        uint32_t *slot = &func->var_offsets[i];
        switch (var->space) {
        case PTX_SPACE_SHARED:
            place_shared(vm, program, var, slot);
            break;
        case PTX_SPACE_LOCAL:
            *slot = place_exactly(vm, program, &func->local_bytes, var,
                                  &func->local_gaps);
            if (var->align > func->local_align)
                func->local_align = var->align;
            fill_up(vm, &func->local_bytes, 16, &func->local_gaps);
            break;
        case PTX_SPACE_PARAM:
            *slot = frame_place(func, var->size);
            break;
        case PTX_SPACE_GENERIC:
        case PTX_SPACE_REG:
        case PTX_SPACE_GLOBAL:
        case PTX_SPACE_CONST:
            break;
        }
    }
}

// Formal parameters: variables, or registers that already have a place.
static VmPlace *layout_formals(Vm *vm, VmFunc *func, PtxVar **formals,
                               size_t count) {
    VmPlace *places = arena_new(&vm->run_arena, VmPlace, count + 1);
    for (size_t i = 0; i < count; i++) {
        const PtxVar *var = formals[i];
        VmRef reg = {.reg = VM_NO_REG};
        if (var->space == PTX_SPACE_REG)
            reg = vm_ref(func->reg_offsets[var->reg], var->reg, 0);
        else
            reg.off = frame_place(func, var->size);
        places[i] = (VmPlace){
            .off = reg.off, .bytes = vm_formal_bytes(var), .reg = reg.reg};
    }
    return places;
}

static void layout_params(Vm *vm, VmFunc *func) {
    const PtxFunc *ptx = func->ptx;
    if (ptx->is_entry)
        return;
    func->params = layout_formals(vm, func, ptx->params, ptx->param_count);
    func->results = layout_formals(vm, func, ptx->results, ptx->result_count);
}

void vm_program_layout(Vm *vm, const PtxFunc *kernel, VmProgram *out) {
    *out = (VmProgram){.kernel = kernel, .dynamic_align = 16};
    reach(vm, kernel, out);
    out->most_asked = most_asked(vm, out);
    out->static_smem = out->placed_smem = out->reserved_smem;
    const PtxModule *module = vm->module;
    out->kernel_file = module->locs[kernel->loc].file;
    out->shared_offsets =
        arena_new(&vm->run_arena, uint32_t, module->var_count + 1);
    for (size_t i = 0; i < module->var_count; i++)
        if (module->vars[i]->space == PTX_SPACE_SHARED && out->used_vars[i])
            place_shared(vm, out, module->vars[i], &out->shared_offsets[i]);
    for (size_t i = 0; i < module->func_count; i++) {
        VmFunc *func = out->funcs[i];
        if (!func)
            continue;
        vm_registers_place(&vm->run_arena, func);
        layout_vars(vm, out, func);
        layout_params(vm, func);
    }
    out->static_smem = (uint32_t)round_up(out->static_smem, out->dynamic_align);
    fill_up(vm, &out->placed_smem, out->dynamic_align, &out->shared_gaps);
}

static bool fits_machine(Vm *vm, const VmFunc *func, Diag *error) {
    bool large_frame = func->frame_bytes > VM_MAX_FRAME;
    if (!large_frame && func->local_bytes <= VM_MAX_LOCAL)
        return true;
    error->what = str_format(
        vm->out, "the %s of %.*s are too large (more than %u KiB)",
        large_frame ? "registers and parameters" : "local arrays",
        STR_ARG(func->ptx->name),
        (uint32_t)(large_frame ? VM_MAX_FRAME / VM_LANES : VM_MAX_LOCAL) /
            1024);
    error->help = STR("put large arrays into global memory");
    return false;
}

bool vm_program_make(Vm *vm, const PtxFunc *kernel, VmProgram *out,
                     Diag *error) {
    vm_program_layout(vm, kernel, out);
    if (out->static_smem >= UINT32_MAX / 2) {
        error->what = STR("the kernel's shared variables are too large");
        error->help = STR("make the __shared__ arrays smaller");
        return false;
    }
    for (size_t i = 0; i < vm->module->func_count; i++) {
        VmFunc *func = out->funcs[i];
        if (!func)
            continue;
        if (!fits_machine(vm, func, error))
            return false;
        Str prologue = vm->launch->prologue;
        func->is_prologue =
            prologue.len && str_equal(func->ptx->name, prologue);
        vm_decode_func(vm, out, func);
    }
    return true;
}
