// SPDX-License-Identifier: Apache-2.0
// Control flow (PTX ISA, 9.7.12): bra, brx.idx, call, ret, exit, trap; and the
// instructions that are honoured by doing nothing. Left out: calls through
// pointers.
#include "vm/decode.h"
#include "vm/exec.h"
#include "vm/machine.h"
#include "vm/program.h"

VmNext vm_op_unsupported(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)mask;
    Vm *vm = w->vm;
    Buf text = {0};
    const VmFunc *func = w->frag->frame->func;
    ptx_print_instr(vm->module, func->ptx, in->ptx, &text);
    Str shown = str_copy(vm->out, str_trim(buf_view(&text)));
    buf_free(&text);
    Str why = in->note ? *in->note : STR("this special register");
    vm_fault(w, in, RULE_UNSUPPORTED,
             "this is a limit of the virtual machine, not a mistake of yours: "
             "write it another way, or report it with this line",
             "the virtual machine does not have %.*s: %.*s (line %u of the "
             "PTX)",
             STR_ARG(why), STR_ARG(shown), in->ptx->line);
    vm_stop(vm, RUN_UNSUPPORTED);
    return VM_STOP;
}

// ---- branches ------------------------------------------------------------

static VmNext op_bra(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)mask;
    w->frag->pc = in->target;
    return w->fragment_count == 1 ? VM_GO : VM_SWITCH;
}

static VmNext op_brx(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmFunc *func = w->frag->frame->func;
    const PtxTable *table = &func->ptx->tables[in->target];
    uint32_t left = mask;
    while (left) {
        uint64_t index = vm_lane_u64(w, in->src[0], vm_first(left));
        uint32_t same = 0;
        EACH_LANE(l, left) {
            same |= (uint32_t)(vm_lane_u64(w, in->src[0], l) == index) << l;
        }
        if (index >= table->count)
            return vm_fault(w, in, RULE_MEM001,
                            "the index of a jump table is out of its range",
                            "%.*s jumps through entry %llu of a table of %zu",
                            STR_ARG(vm_who_lane(w, vm_first(left))),
                            (unsigned long long)index, table->count);
        left &= ~same;
        VmFragment *f = left ? vm_fragment_split(w, same) : w->frag;
        f->pc = func->pc_of[func->ptx->labels[table->labels[index]].target];
    }
    return w->fragment_count == 1 ? VM_GO : VM_SWITCH;
}

// ---- calls ---------------------------------------------------------------

static void count_prologue(VmWarp *w, uint32_t mask) {
    if (w->cta->chain == VM_NONE)
        return;
    LedgerChain *chain = &w->vm->run->ledger.chains[w->cta->chain];
    EACH_LANE(l, mask) {
        if (w->prologues[l] < UINT8_MAX)
            w->prologues[l]++;
        if (w->prologues[l] > chain->prologues)
            chain->prologues = w->prologues[l];
    }
}

static VmNext op_call(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmCall *call = in->call;
    if (call->is_prologue)
        count_prologue(w, mask);
    if (!call->callee)
        return vm_builtin(w, in, mask);
    const uint8_t *from = w->base[0];
    if (!vm_frame_push(w, w->frag, call->callee, in))
        return vm_fault(w, in, RULE_LIMIT,
                        "the recursion does not end, or its local arrays are "
                        "too large",
                        "the call stack of block %u is full (%u calls deep)",
                        w->cta->linear, w->frag->frame->depth + 1);
    for (uint32_t i = 0; i < call->count; i++) {
        uint8_t *to = w->base[0] + call->callee->param_offsets[i];
        EACH_LANE(l, mask) {
            size_t at = (size_t)l * call->sizes[i];
            memcpy(to + at, from + call->from[i] + at, call->sizes[i]);
        }
    }
    return VM_SWITCH;
}

static VmNext op_ret(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)in;
    VmFrame *frame = w->frag->frame;
    if (!frame->caller) {
        vm_lanes_exit(w, mask);
        return VM_SWITCH;
    }
    const VmCall *call = frame->site->call;
    if (call->result != VM_NONE && frame->func->result_offset != VM_NONE) {
        const uint8_t *from = frame->regs + frame->func->result_offset;
        uint8_t *to = frame->caller->regs + call->result;
        EACH_LANE(l, mask) {
            memcpy(to + (size_t)l * call->result_size,
                   from + (size_t)l * frame->func->result_size,
                   call->result_size);
        }
    }
    vm_frame_pop(w, w->frag);
    return VM_SWITCH;
}

static VmNext op_exit(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)in;
    vm_lanes_exit(w, mask);
    return VM_SWITCH;
}

static VmNext op_trap(VmWarp *w, const VmInstr *in, uint32_t mask) {
    Str who = vm_who_lane(w, vm_first(mask));
    return vm_fault(w, in, RULE_TRAP,
                    "find out which condition leads to the trap",
                    "%.*s executes a trap", STR_ARG(who));
}

// Fences and the like: memory has one order here, so they order nothing more.
static VmNext op_nothing(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)in;
    (void)mask;
    w->yields = w->yields || in->op == PTX_OP_NANOSLEEP;
    return in->op == PTX_OP_NANOSLEEP ? VM_SWITCH : VM_GO;
}

// ---- decoding ------------------------------------------------------------

static bool param_var(VmDecoder *d, const PtxOperand *op, uint32_t *at,
                      uint32_t *size) {
    if (op->kind != PTX_OPND_SYMBOL || op->symbol.kind != PTX_SYM_VAR ||
        op->symbol.var->space != PTX_SPACE_PARAM ||
        op->symbol.var->func != d->ptx || op->imm) {
        vm_unsupported(d, "an argument of this form");
        return false;
    }
    const PtxVar *var = op->symbol.var;
    *at = d->func->var_offsets[var->id];
    *size = (uint32_t)var->size;
    return var->id < d->ptx->var_count && d->ptx->vars[var->id] == var;
}

static void decode_arguments(VmDecoder *d, VmCall *call,
                             const PtxOperand *list) {
    call->count = list->elem_count;
    call->from = arena_new(&d->vm->run_arena, uint32_t, call->count + 1);
    call->sizes = arena_new(&d->vm->run_arena, uint32_t, call->count + 1);
    for (uint32_t i = 0; i < call->count; i++)
        if (!param_var(d, &list->elems[i], &call->from[i], &call->sizes[i]))
            vm_unsupported(d, "an argument of this form");
}

// Argument lists must fit the callee's: sizes decide where bytes go.
static void check_signature(VmDecoder *d, const VmCall *call,
                            const PtxFunc *callee) {
    bool fits = call->count == callee->param_count;
    for (uint32_t i = 0; fits && i < call->count; i++)
        fits = call->sizes[i] == callee->params[i]->size &&
               callee->params[i]->space == PTX_SPACE_PARAM;
    if (call->result != VM_NONE)
        fits = fits && callee->result_count == 1 &&
               callee->results[0]->size == call->result_size;
    if (!fits)
        vm_unsupported(d, "a call that does not fit %.*s",
                       STR_ARG(callee->name));
}

static void decode_call(VmDecoder *d) {
    VmCall *call = arena_new(&d->vm->run_arena, VmCall, 1);
    call->result = VM_NONE;
    uint32_t at = 0;
    const PtxInstr *ptx = d->in;
    if (ptx->operand_count && ptx->operands[0].kind == PTX_OPND_LIST) {
        const PtxOperand *list = &ptx->operands[at++];
        if (list->elem_count == 1)
            param_var(d, &list->elems[0], &call->result, &call->result_size);
        else if (list->elem_count > 1)
            vm_unsupported(d, "several results");
    }
    const PtxOperand *target =
        at < ptx->operand_count ? &ptx->operands[at++] : NULL;
    if (!target || target->kind != PTX_OPND_SYMBOL ||
        target->symbol.kind != PTX_SYM_FUNC) {
        vm_unsupported(d, "a call through a pointer");
        return;
    }
    const PtxFunc *callee = vm_callee(target->symbol.func);
    if (at < ptx->operand_count && ptx->operands[at].kind == PTX_OPND_LIST)
        decode_arguments(d, call, &ptx->operands[at]);
    if (callee->has_body) {
        call->callee = d->program->funcs[callee->id];
        check_signature(d, call, callee);
    }
    call->is_prologue = d->vm->launch->prologue.len &&
                        str_equal(callee->name, d->vm->launch->prologue);
    VmInstr *in = vm_emit(d, op_call);
    in->splits = true;
    in->call = call;
}

static void decode_branch(VmDecoder *d) {
    bool table = d->in->op == PTX_OP_BRX_IDX;
    VmRef index = {0};
    if (table)
        index = vm_src(d, 0, 4);
    else if (d->in->operand_count != 1 ||
             d->in->operands[0].kind != PTX_OPND_LABEL)
        vm_unsupported(d, "a branch of this form");
    if (table && d->in->branch_targets == 0)
        vm_unsupported(d, "a jump without a table");
    VmInstr *in = vm_emit(d, table ? op_brx : op_bra);
    in->splits = true;
    in->is_branch = !table;
    if (table) {
        in->target = d->in->branch_targets - 1;
        vm_emit_src(in, index);
    } else {
        in->target = d->in->operands[0].target;
    }
}

void vm_decode_control(VmDecoder *d) {
    vm_take(d, PTX_MOD_UNI);
    switch ((int)d->in->op) {
    case PTX_OP_BRA:
    case PTX_OP_BRX_IDX:
        decode_branch(d);
        return;
    case PTX_OP_CALL:
        decode_call(d);
        return;
    default:
        break;
    }
    VmInstr *in = vm_emit(d, d->in->op == PTX_OP_TRAP   ? op_trap
                             : d->in->op == PTX_OP_EXIT ? op_exit
                                                        : op_ret);
    in->splits = true;
}

void vm_decode_nothing(VmDecoder *d) {
    d->taken = UINT32_MAX; // whatever it asks for, it has it
    if (d->in->op == PTX_OP_BRKPT)
        vm_unsupported(d, "breakpoints");
    vm_emit(d, op_nothing);
}
