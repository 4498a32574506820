// SPDX-License-Identifier: Apache-2.0
// A kernel with all that it can reach: which functions, where their registers,
// parameters, local and shared variables are, and their decoded code.
#include "vm/program.h"

static uint64_t align_up(uint64_t value, uint64_t align) {
    if (align == 0)
        align = 1;
    return (value + align - 1) / align * align;
}

// ---- reachability --------------------------------------------------------

static VmFunc *func_new(Vm *vm, const PtxFunc *ptx) {
    VmFunc *func = arena_new(&vm->run_arena, VmFunc, 1);
    func->ptx = ptx;
    func->result_offset = VM_NONE;
    return func;
}

// Adds `ptx` and, through calls, what it reaches. Depth is bounded by a list
// of work, not by recursion: call graphs are untrusted.
static void reach(Vm *vm, const PtxFunc *kernel, VmProgram *program) {
    size_t count = vm->module->func_count;
    const PtxFunc **work =
        arena_new(&vm->run_arena, const PtxFunc *, count + 1);
    size_t top = 0;
    program->funcs = arena_new(&vm->run_arena, VmFunc *, count + 1);
    program->funcs[kernel->id] = program->entry = func_new(vm, kernel);
    work[top++] = kernel;
    while (top) {
        const PtxFunc *func = work[--top];
        for (size_t i = 0; i < func->instr_count; i++) {
            const PtxInstr *in = &func->instrs[i];
            for (uint32_t k = 0; k < in->operand_count; k++) {
                const PtxOperand *op = &in->operands[k];
                if (op->kind != PTX_OPND_SYMBOL ||
                    op->symbol.kind != PTX_SYM_FUNC)
                    continue;
                const PtxFunc *callee = vm_callee(op->symbol.func);
                if (program->funcs[callee->id] || !callee->has_body)
                    continue;
                program->funcs[callee->id] = func_new(vm, callee);
                work[top++] = callee;
            }
        }
    }
}

// ---- layout --------------------------------------------------------------

uint64_t vm_param_offset(const PtxFunc *kernel, size_t index) {
    uint64_t at = 0;
    for (size_t i = 0; i < kernel->param_count && i <= index; i++) {
        at = align_up(at, kernel->params[i]->align);
        if (i < index)
            at += kernel->params[i]->size;
    }
    return at;
}

static void place_shared(VmProgram *program, const PtxVar *var,
                         uint32_t *slot) {
    if (var->is_extern || var->size == 0) {
        if (var->align > program->dynamic_align)
            program->dynamic_align = var->align;
        *slot = VM_NONE; // behind all others: vm_shared_address
        return;
    }
    uint64_t at = align_up(program->static_smem, var->align);
    *slot = (uint32_t)at;
    uint64_t end = at + var->size;
    program->static_smem =
        end > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)end;
}

static uint32_t frame_place(VmFunc *func, uint64_t bytes) {
    func->frame_bytes = (uint32_t)align_up(func->frame_bytes, 64);
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
            place_shared(program, var, slot);
            break;
        case PTX_SPACE_LOCAL: {
            uint64_t at = align_up(func->local_bytes, var->align);
            *slot = (uint32_t)at;
            uint64_t end = align_up(at + var->size, 16);
            func->local_bytes =
                end > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)end;
            break;
        }
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

static void layout_params(Vm *vm, VmFunc *func) {
    const PtxFunc *ptx = func->ptx;
    if (ptx->is_entry)
        return;
    func->param_offsets =
        arena_new(&vm->run_arena, uint32_t, ptx->param_count + 1);
    for (size_t i = 0; i < ptx->param_count; i++)
        func->param_offsets[i] = frame_place(func, ptx->params[i]->size);
    if (ptx->result_count == 1) {
        func->result_size = (uint32_t)ptx->results[0]->size;
        func->result_offset = frame_place(func, func->result_size);
    }
}

void vm_program_layout(Vm *vm, const PtxFunc *kernel, VmProgram *out) {
    *out = (VmProgram){.kernel = kernel, .dynamic_align = 16};
    reach(vm, kernel, out);
    const PtxModule *module = vm->module;
    out->kernel_file = module->locs[kernel->loc].file;
    out->shared_offsets =
        arena_new(&vm->run_arena, uint32_t, module->var_count + 1);
    for (size_t i = 0; i < module->var_count; i++)
        if (module->vars[i]->space == PTX_SPACE_SHARED)
            place_shared(out, module->vars[i], &out->shared_offsets[i]);
    for (size_t i = 0; i < module->func_count; i++) {
        VmFunc *func = out->funcs[i];
        if (!func)
            continue;
        vm_registers_place(&vm->run_arena, func);
        layout_vars(vm, out, func);
        layout_params(vm, func);
    }
    out->static_smem = (uint32_t)align_up(out->static_smem, out->dynamic_align);
}

static bool fits_machine(Vm *vm, const VmFunc *func, Diag *error) {
    bool large_frame = func->frame_bytes > VM_MAX_FRAME;
    if (!large_frame && func->local_bytes <= VM_MAX_LOCAL)
        return true;
    error->what =
        str_format(vm->out, "the %s of %.*s are too large",
                   large_frame ? "registers and parameters" : "local arrays",
                   STR_ARG(func->ptx->name));
    error->help = STR("make its local arrays and arguments smaller (512 KiB a "
                      "thread at most)");
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
        if (func && !fits_machine(vm, func, error))
            return false;
        if (func)
            vm_decode_func(vm, out, func);
    }
    return true;
}

// ---- addresses -----------------------------------------------------------

bool vm_module_address(Vm *vm, const PtxVar *var, uint64_t *out) {
    uint64_t buffer = vm->module_buffers[var->id];
    *out = buffer << VM_BUFFER_SHIFT;
    return buffer != 0;
}

uint64_t vm_shared_address(const VmProgram *program, const VmFunc *func,
                           const PtxVar *var) {
    uint32_t slot = var->func ? func->var_offsets[var->id]
                              : program->shared_offsets[var->id];
    return VM_SHARED_BASE + (slot == VM_NONE ? program->static_smem : slot);
}

bool vm_entry_param(Vm *vm, const PtxFunc *kernel, const PtxVar *var,
                    uint64_t *out) {
    for (size_t i = 0; i < kernel->param_count; i++) {
        if (kernel->params[i] != var)
            continue;
        *out = ((uint64_t)vm->param_buffer << VM_BUFFER_SHIFT) +
               vm_param_offset(kernel, i);
        return true;
    }
    return false;
}
