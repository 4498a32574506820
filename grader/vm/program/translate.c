// SPDX-License-Identifier: Apache-2.0
// Decodes a function: each instruction by its family, then branches, then runs
// of plain instructions.
#include "vm/code/kind.h"
#include "vm/code/registers.h"
#include "vm/decode/fate.h"
#include "vm/decode/isa.h"
#include "vm/machine/findings.h"
#include "vm/program/program.h"

// In instructions. Bounds the stack depth of a build without tail calls.
enum { RUN_MOST = 64 };

// ---- the walk ------------------------------------------------------------

static void name_untaken_suffix(VmDecoder *d) {
    for (uint32_t i = 0; i < d->in->mod_count; i++)
        if (!(d->taken & (1u << i)))
            vm_unsupported(d, "the suffix .%.*s here",
                           STR_ARG(ptx_mod_name(d->in->mods[i])));
}

static void decode_one(VmDecoder *d, VmDecodeFamily family) {
    uint32_t start = d->func->code_count;
    d->taken = 0;
    d->sem = SEM_WEAK;
    d->problem = (Str){0};
    if (family)
        family(d);
    else
        vm_unsupported(d, "this instruction");
    name_untaken_suffix(d);
    if (d->problem.len == 0)
        return;
    d->func->code_count = start;
    VmInstr *in = vm_emit(d, d->vm->isa->unsupported);
    in->guard = VM_NONE;
    Str *note = arena_new(&d->vm->run_arena, Str, 1);
    *note = d->problem;
    in->unsupported.reason = note;
}

static bool has_line(const VmDecoder *d, const PtxInstr *in) {
    return d->vm->module->locs[in->loc].line != 0;
}

// The compiler gives line 0 to code that it moved or merged. Such an
// instruction is shown at the line of the next one, which usually uses its
// result; failing that at `before`, the location of the latest instruction that
// has a line.
static uint32_t reported_loc(const VmDecoder *d, size_t i, uint32_t before) {
    const PtxFunc *ptx = d->ptx;
    for (size_t k = i; k < ptx->instr_count && k < i + 8; k++) {
        if (has_line(d, &ptx->instrs[k]))
            return ptx->instrs[k].loc;
        if (PTX_TRAITS[ptx->instrs[k].op].next == PTX_NEXT_JUMP)
            break;
    }
    return before;
}

static void patch_targets(VmFunc *func) {
    for (uint32_t i = 0; i < func->code_count; i++) {
        VmInstr *in = &func->code[i];
        if (in->is_branch)
            in->branch.target =
                func->pc_of[func->ptx->labels[in->branch.target].target];
    }
}

// ---- runs ----------------------------------------------------------------

// True if others may see the access. Where warps are to interleave finely, a
// turn can end here.
static bool is_visible(const VmInstr *in) {
    return in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_SHARED ||
           in->space == PTX_SPACE_GENERIC;
}

// Whether another warp can observe that it was executed.
static bool is_step(const VmInstr *in) {
    DeviceKind kind = vm_kind(in->ptx);
    if (kind == DEVICE_KIND_LOAD || kind == DEVICE_KIND_STORE)
        return is_visible(in);
    return kind == DEVICE_KIND_ATOMIC || kind == DEVICE_KIND_ASYNC ||
           kind == DEVICE_KIND_BARRIER;
}

// Whether threads that see it may count on what was done before it. Of relaxed
// accesses, a fence before them may say so.
static bool releases(const VmInstr *in) {
    switch ((int)in->op) {
    case PTX_OP_MBARRIER_ARRIVE:
    case PTX_OP_MBARRIER_ARRIVE_DROP:
    case PTX_OP_BAR_ARRIVE:
    case PTX_OP_BAR_RED:
    case PTX_OP_BAR_SYNC:
    case PTX_OP_BAR_CTA_ARRIVE:
    case PTX_OP_BAR_CTA_RED:
    case PTX_OP_BAR_CTA_SYNC:
    case PTX_OP_BARRIER_ARRIVE:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_SYNC:
    case PTX_OP_BARRIER_CTA_ARRIVE:
    case PTX_OP_BARRIER_CTA_RED:
    case PTX_OP_BARRIER_CTA_SYNC:
    case PTX_OP_BARRIER_CLUSTER_ARRIVE:
        return true;
    case PTX_OP_ATOM:
    case PTX_OP_RED:
    case PTX_OP_ST:
        return in->sem != SEM_WEAK && is_visible(in);
    default:
        return false;
    }
}

// Modelled time advances by whole runs, so where runs end must not depend on
// which rules are checked.
static bool ends_run(const VmDecoder *d, const VmInstr *in) {
    bool memory = PTX_TRAITS[in->op].object == PTX_OBJECT_MEMORY;
    bool watched = d->vm->time || d->vm->launch->unchecked != UINT64_MAX;
    return memory && is_visible(in) && watched;
}

static bool in_run(const VmInstr *in) {
    return in->plain && in->guard == VM_NONE;
}

// Branch targets, by index of a PtxInstr and by pc.
static uint8_t *label_places(VmDecoder *d) {
    const PtxFunc *ptx = d->ptx;
    uint8_t *at = arena_new(&d->vm->run_arena, uint8_t, ptx->instr_count + 1);
    for (size_t i = 0; i < ptx->label_count; i++)
        at[ptx->labels[i].target] = 1;
    return at;
}

static uint8_t *entries(VmDecoder *d) {
    VmFunc *func = d->func;
    uint8_t *entry = arena_new(&d->vm->run_arena, uint8_t, func->code_count);
    for (size_t i = 0; i <= d->ptx->instr_count; i++)
        if (d->labelled[i])
            entry[func->pc_of[i]] = 1;
    return entry;
}

// True if the launch counts neither steps nor modelled time.
static bool is_unwatched(const Vm *vm) {
    const DeviceLaunch *launch = vm->launch;
    return launch->unchecked == UINT64_MAX && !launch->exploration && !vm->time;
}

static void make_runs(VmDecoder *d) {
    VmFunc *func = d->func;
    const uint8_t *entry = entries(d);
    bool alone = d->vm->launch->exploration != NULL; // ends a run before each
                                                     // step
    bool closed = is_unwatched(d->vm);
    for (uint32_t pc = func->code_count; pc-- > 0;) {
        VmInstr *in = &func->code[pc];
        in->next = vm_op_run_ends;
        in->steps = 1 + in->folded_steps;
        in->is_visible = is_step(in);
        in->releases = releases(in) & 1;
        in->unset = func->reached && vm_registers_reached(func, in->ptx);
        if (!in_run(in) && !(closed && in->closes))
            continue;
        in->run = 1;
        if (in->closes)
            continue;
        bool last = pc + 1 == func->code_count || entry[pc + 1] ||
                    in[1].run == 0 || in[1].run == RUN_MOST ||
                    ends_run(d, in) || (alone && is_step(&in[1]));
        if (last)
            continue;
        in->run += in[1].run;
        in->steps += in[1].steps;
        in->is_visible |= in[1].is_visible;
        in->unset |= in[1].unset;
        in->next = in[1].handler;
    }
    func->counts = arena_new(&d->vm->run_arena, VmCount, func->code_count);
}

// ---- a function ----------------------------------------------------------

void vm_decode_func(Vm *vm, VmProgram *program, VmFunc *func) {
    const PtxFunc *ptx = func->ptx;
    static const PtxInstr end = {.op = PTX_OP_RET};
    VmDecoder d = {.vm = vm, .program = program, .func = func, .ptx = ptx};
    VmRef sink = vm_temp(&d, 16);
    d.sink = sink.off;
    uint32_t *pc_of = func->pc_of =
        arena_new(&vm->run_arena, uint32_t, ptx->instr_count + 1);
    d.labelled = label_places(&d);
    vm_fold_start(&d);
    uint32_t lined = ptx->instr_count ? ptx->instrs[0].loc : 0;
    for (size_t i = 0; i < ptx->instr_count; i++) {
        d.in = &ptx->instrs[i];
        if (has_line(&d, d.in))
            lined = d.in->loc;
        d.loc = reported_loc(&d, i, lined);
        if (d.labelled[i])
            vm_fold_label(&d);
        pc_of[i] = func->code_count;
        decode_one(&d, vm->isa->families[d.in->op]);
        vm_fold(&d, pc_of[i]);
    }
    vm_fold_label(&d);
    pc_of[ptx->instr_count] = func->code_count;
    d.in = &end;
    decode_one(&d, vm->isa->families[PTX_OP_RET]);
    if (vm_wants(vm, RULE_CLC008))
        func->traced = arena_new(&vm->run_arena, VmHandler, func->code_count);
    patch_targets(func);
    vm_fates_find(vm, program, func);
    make_runs(&d);
    func->decoded = true;
}
