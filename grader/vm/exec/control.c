// SPDX-License-Identifier: Apache-2.0
// Control flow (PTX ISA, 9.7.12): bra, brx.idx, call, ret, exit, trap; the
// stack (9.7.17); and the instructions that are accepted but have no effect.
//
// A call copies its arguments from places in the caller's frame to places in
// the callee's, and ret copies the results back. In a call through a pointer,
// the lanes that hold the same address call together; the others become
// separate fragments.
#include "vm/decode/address.h"
#include "vm/exec/families.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/time/time.h"
#include "vm/turns/hold.h"
#include "vm/turns/turns.h"
#include "vm/units/clc.h"
#include "vm/units/units.h"

VmNext vm_op_unsupported(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)mask;
    Vm *vm = w->vm;
    Buf text = {0};
    const VmFunc *func = w->frag->frame->func;
    ptx_print_instr(vm->module, func->ptx, in->ptx, &text);
    Str shown = str_copy(vm->out, str_trim(buf_view(&text)));
    buf_free(&text);
    Str why = in->unsupported.reason ? *in->unsupported.reason
                                     : STR("this special register");
    vm_faulted(w, in, CASE_UNSUPPORTED_INSTRUCTION,
               FACTS(FACT_STR(NAME, why), FACT_STR(TEXT, shown),
                     FACT(LINE, in->ptx->line)));
    vm_stop(vm, RUN_UNSUPPORTED);
    return VM_STOP;
}

// ---- branches ------------------------------------------------------------

// At the end of a run: the lanes `rest` were counted with the run, but continue
// after the branch.
static VmNext branch_some(VmWarp *w, const VmInstr *in, uint32_t taken,
                          uint32_t rest) {
    VmFragment *f = w->frag;
    f->frame->func->counts[f->pc - 1].threads -= vm_count(rest);
    w->vm->turns.thread_instructions -= vm_count(rest);
    if (!taken)
        return VM_GO;
    vm_fragment_split(w, rest);
    f->pc = in->branch.target;
    return VM_SWITCH;
}

static VmNext op_bra(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t taken = vm_guarded(w, in, mask);
    w->frag->branch_loc = in->loc;
    w->frag->branch_to = in->branch.target;
    if (taken != mask)
        return branch_some(w, in, taken, mask & ~taken);
    w->frag->pc = in->branch.target;
    return w->fragment_count == 1 ? VM_GO : VM_SWITCH;
}

static VmNext op_brx(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmFunc *func = w->frag->frame->func;
    const PtxTable *table = &func->ptx->tables[in->branch.table];
    uint32_t left = mask;
    while (left) {
        uint64_t index = vm_lane_u64(w, in->src[0], vm_first(left));
        uint32_t same = 0;
        EACH_LANE(l, left) {
            same |= (uint32_t)(vm_lane_u64(w, in->src[0], l) == index) << l;
        }
        if (index >= table->count)
            return vm_faulted(w, in, CASE_MEM001_JUMP_TABLE,
                              FACTS(FACT_LANE(w, vm_first(left)),
                                    FACT(NUMBER, index),
                                    FACT(COUNT, table->count)));
        left &= ~same;
        VmFragment *f = left ? vm_fragment_split(w, same) : w->frag;
        f->pc = func->pc_of[func->ptx->labels[table->labels[index]].target];
    }
    return w->fragment_count == 1 ? VM_GO : VM_SWITCH;
}

// ---- calls ---------------------------------------------------------------

static void count_prologue(VmWarp *w, const VmInstr *in, uint32_t mask) {
    vm_ledger_call(w, in, mask);
    if (w->cta->clc.chain == VM_NONE)
        return;
    LedgerChain *chain = &w->vm->run->ledger.chains[w->cta->clc.chain];
    uint32_t most = chain->prologues;
    EACH_LANE(l, mask) {
        if (w->prologues[l] < UINT8_MAX)
            w->prologues[l]++;
        if (w->prologues[l] > chain->prologues)
            chain->prologues = w->prologues[l];
    }
    if (chain->prologues > most)
        chain->prologue_at =
            vm_src_of(w->vm, vm_learner_loc(w->vm, w, in->loc));
}

static void copy_lanes(uint8_t *to, const uint8_t *from, size_t bytes,
                       uint32_t mask) {
    if (mask == VM_FULL) {
        memcpy(to, from, bytes * VM_LANES);
        return;
    }
    EACH_LANE(l, mask) {
        memcpy(to + l * bytes, from + l * bytes, bytes);
    }
}

static bool same_places(const VmPlace *a, const VmPlace *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (a[i].bytes && a[i].bytes != b[i].bytes)
            return false;
    return true;
}

// Checks the sizes of arguments and results, which determine where bytes are
// copied. A result that the caller ignores has 0 bytes.
static bool call_fits(const VmCall *call, const VmFunc *callee) {
    return !callee->ptx->is_entry &&
           call->arg_count == callee->ptx->param_count &&
           call->result_count <= callee->ptx->result_count &&
           same_places(call->args, callee->params, call->arg_count) &&
           same_places(call->results, callee->results, call->result_count);
}

// The lanes of `f`, which are in the caller's frame, enter the callee.
static VmNext enter(VmWarp *w, VmFragment *f, const VmInstr *in,
                    const VmFunc *callee) {
    const VmCall *call = in->call;
    uint8_t *const from[2] = {w->base[0], w->base[1]};
    if (callee->is_prologue)
        count_prologue(w, in, f->mask);
    if (!vm_frame_push(w, f, callee, in))
        return vm_faulted(w, in, CASE_LIMIT_CALLS,
                          FACTS(FACT(BLOCK, w->cta->linear),
                                FACT(COUNT, w->frag->frame->depth + 1)));
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const VmPlace *arg = &call->args[i];
        copy_lanes(f->frame->regs + callee->params[i].off,
                   from[arg->sel] + arg->off, arg->bytes, f->mask);
    }
    return VM_SWITCH;
}

static VmNext op_call(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmCall *call = in->call;
    return call->callee ? enter(w, w->frag, in, call->callee)
                        : vm_builtin(w, in, call->target, mask);
}

static VmNext no_function(VmWarp *w, const VmInstr *in, uint32_t lane,
                          uint64_t address) {
    VmNext next = vm_faulted(w, in, CASE_MEM001_NO_FUNCTION,
                             FACTS(FACT_LANE(w, lane), FACT(ADDRESS, address)));
    vm_fault_reason(w->vm, address ? REASON_NONE : REASON_NULL_FUNCTION);
    return next;
}

static VmNext misfit(VmWarp *w, const VmInstr *in, uint32_t lane,
                     const PtxFunc *func) {
    return vm_faulted(w, in, CASE_MEM001_OTHER_FUNCTION,
                      FACTS(FACT_LANE(w, lane), FACT_STR(NAME, func->name)));
}

// A 32-bit pointer has lost the window of the address.
static uint64_t callee_address(const VmWarp *w, const VmInstr *in,
                               uint32_t lane) {
    uint64_t address = vm_lane_u64(w, in->src[0], lane);
    return in->src[0].size == 4 && address ? address | VM_WINDOW_CODE : address;
}

// The lanes `same` call the function at `address`. `left`: other lanes follow.
static VmNext call_one(VmWarp *w, const VmInstr *in, uint32_t same,
                       uint64_t address, bool left) {
    uint32_t lane = vm_first(same);
    const PtxFunc *func = vm_func_at(w->vm, address);
    if (!func)
        return no_function(w, in, lane, address);
    const VmFunc *callee = w->vm->program->funcs[func->id];
    if (!callee)
        return vm_builtin(w, in, func, same);
    if (!call_fits(in->call, callee))
        return misfit(w, in, lane, func);
    return enter(w, left ? vm_fragment_split(w, same) : w->frag, in, callee);
}

static VmNext op_call_pointer(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint8_t *const base[2] = {w->base[0], w->base[1]};
    VmNext next = VM_GO;
    while (mask && next != VM_STOP) {
        w->base[0] = base[0];
        w->base[1] = base[1];
        uint64_t address = callee_address(w, in, vm_first(mask));
        uint32_t same = 0;
        EACH_LANE(l, mask) {
            same |= (uint32_t)(callee_address(w, in, l) == address) << l;
        }
        mask &= ~same;
        next = call_one(w, in, same, address, mask != 0);
    }
    return next;
}

// A kernel always ends at its last line: the branch that led there is more
// informative, or else what was executed last. If either is in a function that
// was inlined, the call is what counts.
static void note_exit(VmWarp *w, const VmInstr *in) {
    enum { CLOSE = 4 }; // instructions
    const VmFragment *f = w->frag;
    uint32_t at = f->pc - 1, loc = in->loc;
    if (f->branch_loc && f->branch_to <= at && at - f->branch_to < CLOSE)
        loc = f->branch_loc;
    else if (f->branch_loc && f->frame->func->code[at - 1].loc)
        loc = f->frame->func->code[at - 1].loc;
    w->cta->exit_loc = vm_outer_loc(w->vm, w, loc);
}

static VmNext op_ret(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmFrame *frame = w->frag->frame;
    if (!frame->caller) {
        note_exit(w, in);
        w->vm->upward->lanes_exit(w, mask);
        return VM_SWITCH;
    }
    const VmCall *call = frame->site->call;
    for (uint32_t i = 0; i < call->result_count; i++) {
        const VmPlace *to = &call->results[i];
        copy_lanes(frame->caller->regs + to->off,
                   frame->regs + frame->func->results[i].off, to->bytes, mask);
    }
    vm_frame_pop(w, w->frag);
    return VM_SWITCH;
}

static VmNext op_exit(VmWarp *w, const VmInstr *in, uint32_t mask) {
    note_exit(w, in);
    w->vm->upward->lanes_exit(w, mask);
    return VM_SWITCH;
}

// The header's grid_group has a trap where there is no workspace. (Without
// optimisation it is in a function of its own, which has no lines.)
static bool is_of_grid_group(const VmWarp *w, const VmInstr *in) {
    const VmFrame *frame = w->frag->frame;
    uint32_t loc = in->loc || !frame->site ? in->loc : frame->site->loc;
    return w->vm->launch->grid_workspace == 0 &&
           str_ends(vm_src_of(w->vm, loc).file, STR("cooperative_groups.h"));
}

static VmNext op_trap(VmWarp *w, const VmInstr *in, uint32_t mask) {
    vm_faulted(w, in, CASE_TRAP_TRAP, FACTS(FACT_LANE(w, vm_first(mask))));
    if (is_of_grid_group(w, in))
        vm_fault_reason(w->vm, REASON_NOT_COOPERATIVE);
    return VM_STOP;
}

// Suspends execution (PTX ISA, "brkpt") until a debugger resumes it, which
// never happens here.
static VmNext op_brkpt(VmWarp *w, const VmInstr *in, uint32_t mask) {
    return vm_faulted(w, in, CASE_TRAP_BREAKPOINT,
                      FACTS(FACT_LANE(w, vm_first(mask))));
}

// ---- the stack -----------------------------------------------------------

static VmNext op_alloca(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t size = vm_lane_u64(w, in->src[0], l);
        uint32_t at;
        if (!vm_stack_alloc(w, l, size, in->stack.align, &at))
            return vm_faulted(w, in, CASE_LIMIT_STACK,
                              FACTS(FACT_LANE(w, l), FACT(SIZE, size)));
        vm_set_lane_u64(w, in->dst[0], l, at);
    }
    VM_NEXT;
}

static VmNext op_stacksave(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        vm_set_lane_u64(w, in->dst[0], l, vm_stack_top(w->frag->frame, l));
    }
    VM_NEXT;
}

static VmNext op_stackrestore(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        if (!vm_stack_restore(w->frag->frame, l, vm_lane_u64(w, in->src[0], l)))
            return vm_faulted(w, in, CASE_MEM001_STACK_POINTER,
                              FACTS(FACT_LANE(w, l)));
    }
    VM_NEXT;
}

// For instructions without an effect in this machine.
static VmNext op_nothing(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)w;
    (void)in;
    (void)mask;
    return VM_GO;
}

// PTX ISA, nanosleep: up to a millisecond.
enum { MOST_SLEEP = 1000 * 1000 };

// A lane that has read a refusal, and whose cluster waits for no answer, has
// nothing to sleep for.
static void note_sleep(const VmWarp *w, const VmInstr *in, uint32_t mask) {
    DeviceRun *run = w->vm->run;
    if ((w->clc.saw_refusal & mask) && w->cta->cluster->in_flight == 0 &&
        !run->slept.line)
        run->slept = vm_src_of(w->vm, in->loc);
}

static VmNext op_nanosleep(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint64_t time = vm_lane_u64(w, in->src[0], vm_first(mask));
    note_sleep(w, in, mask);
    vm_time_sleep(w, time);
    vm_hold_leap(w->vm, time < MOST_SLEEP ? time : MOST_SLEEP);
    w->yields = true;
    return VM_SWITCH;
}

// ---- decoding ------------------------------------------------------------

// The place of a .param variable that the function declared for its calls.
static bool param_place(VmDecoder *d, const PtxOperand *op, VmPlace *out) {
    if (op->kind != PTX_OPND_SYMBOL || op->symbol.kind != PTX_SYM_VAR ||
        op->imm)
        return false;
    const PtxVar *var = op->symbol.var;
    if (var->space != PTX_SPACE_PARAM || var->func != d->ptx ||
        var->id >= d->ptx->var_count || d->ptx->vars[var->id] != var)
        return false;
    *out = (VmPlace){.off = d->func->var_offsets[var->id],
                     .bytes = vm_formal_bytes(var),
                     .reg = VM_NO_REG};
    return true;
}

static VmPlace place_of(VmRef ref) {
    return (VmPlace){
        .off = ref.off, .bytes = ref.size, .reg = ref.reg, .sel = ref.sel};
}

static bool is_lane_size(uint32_t bytes) {
    return bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

// Arguments: variables in space .param, registers, constants. `bytes` is the
// size of the formal parameter, 0 if it is not known.
static VmPlace argument_place(VmDecoder *d, const PtxOperand *op,
                              uint32_t bytes) {
    VmPlace place = {0};
    if (param_place(d, op, &place))
        return place;
    if (!is_lane_size(bytes))
        vm_unsupported(d, "an argument of this form");
    else
        place = place_of(vm_operand_src(d, op, bytes, false));
    return place;
}

static VmPlace result_place(VmDecoder *d, const PtxOperand *op,
                            uint32_t bytes) {
    VmPlace place = {.reg = VM_NO_REG};
    if (op->kind == PTX_OPND_SINK || param_place(d, op, &place))
        return place;
    if (!is_lane_size(bytes))
        vm_unsupported(d, "a result of this form");
    else
        place = place_of(vm_operand_dst(d, op, bytes, false));
    return place;
}

// What a call must match: a function's own formal parameters and results, or a
// prototype's.
typedef struct Signature {
    PtxVar **params, **results;
    size_t param_count, result_count;
} Signature;

static Signature signature_of(const PtxFunc *func) {
    return (Signature){func->params, func->results, func->param_count,
                       func->result_count};
}

static bool pointer_signature(VmDecoder *d, Signature *out) {
    const PtxInstr *in = d->in;
    if (in->call_proto) {
        const PtxProto *proto = &d->ptx->protos[in->call_proto - 1];
        *out = (Signature){proto->params, proto->results, proto->param_count,
                           proto->result_count};
        return true;
    }
    const PtxTable *table =
        in->branch_targets ? &d->ptx->tables[in->branch_targets - 1] : NULL;
    if (!table || !table->funcs || table->count == 0) {
        vm_unsupported(d, "a call through a pointer without a prototype");
        return false;
    }
    *out = signature_of(table->funcs[0]);
    return true;
}

static void decode_places(VmDecoder *d, VmCall *call, const Signature *sign) {
    const PtxOperand *results = &d->in->operands[0];
    const PtxOperand *args = &d->in->operands[2];
    Arena *arena = &d->vm->run_arena;
    call->arg_count = args->elem_count;
    call->result_count = results->elem_count;
    if (call->arg_count != sign->param_count ||
        call->result_count > sign->result_count) {
        vm_unsupported(d,
                       "a call with %u arguments and %u results, where the "
                       "function has %zu and %zu",
                       call->arg_count, call->result_count, sign->param_count,
                       sign->result_count);
        return;
    }
    call->args = arena_new(arena, VmPlace, call->arg_count + 1);
    call->results = arena_new(arena, VmPlace, call->result_count + 1);
    for (uint32_t i = 0; i < call->arg_count; i++)
        call->args[i] = argument_place(d, &args->elems[i],
                                       vm_formal_bytes(sign->params[i]));
    for (uint32_t i = 0; i < call->result_count; i++)
        call->results[i] = result_place(d, &results->elems[i],
                                        vm_formal_bytes(sign->results[i]));
}

static void decode_call(VmDecoder *d) {
    VmCall *call = arena_new(&d->vm->run_arena, VmCall, 1);
    const PtxOperand *target = &d->in->operands[1];
    Signature sign;
    VmRef pointer = {0};
    bool direct = target->kind == PTX_OPND_SYMBOL;
    if (direct) {
        call->target = vm_callee(target->symbol.func);
        call->callee = d->program->funcs[call->target->id];
        sign = signature_of(call->target);
    } else {
        if (!pointer_signature(d, &sign))
            return;
        bool is_word = ptx_type_size(d->ptx->regs[target->reg].type) == 4;
        pointer = vm_operand_src(d, target, is_word ? 4 : 8, false);
    }
    if (direct && call->target->is_entry)
        vm_unsupported(d, "a call of a kernel");
    decode_places(d, call, &sign);
    if (direct && call->callee && !d->problem.len &&
        !call_fits(call, call->callee))
        vm_unsupported(d, "a call whose arguments do not fit %.*s",
                       STR_ARG(call->target->name));
    VmInstr *in = vm_emit(d, direct ? op_call : op_call_pointer);
    in->call = call;
    in->has_call = true;
    if (!direct)
        vm_emit_src(d, in, pointer);
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
    in->is_branch = in->closes = !table;
    in->has_table = table;
    if (table) {
        in->branch.table = d->in->branch_targets - 1;
        vm_emit_src(d, in, index);
    } else {
        in->branch.target = d->in->operands[0].target;
    }
}

static void decode_stack(VmDecoder *d) {
    uint32_t size = ptx_type_size(d->in->types[0]);
    vm_take_types(d);
    if (d->in->op == PTX_OP_STACKRESTORE) {
        VmRef src = vm_src(d, 0, size);
        vm_emit_src(d, vm_emit_plain(d, op_stackrestore), src);
        return;
    }
    bool is_alloca = d->in->op == PTX_OP_ALLOCA;
    VmRef bytes = {0}, dst = vm_dst(d, 0, size);
    uint64_t align = 8;
    if (is_alloca)
        bytes = vm_src(d, 1, size);
    if (d->in->operand_count > 2)
        align = d->in->operands[2].imm;
    if (align == 0 || (align & (align - 1)) || align > 1u << 23)
        vm_unsupported(d, "this alignment");
    VmInstr *in = vm_emit_plain(d, is_alloca ? op_alloca : op_stacksave);
    in->stack.align = (uint32_t)align;
    vm_emit_dst(d, in, dst);
    if (is_alloca)
        vm_emit_src(d, in, bytes);
}

void vm_decode_control(VmDecoder *d) {
    vm_take(d, PTX_MOD_UNI);
    VmHandler handler = op_ret;
    switch ((int)d->in->op) {
    case PTX_OP_BRA:
    case PTX_OP_BRX_IDX:
        decode_branch(d);
        return;
    case PTX_OP_CALL:
        decode_call(d);
        return;
    case PTX_OP_ALLOCA:
    case PTX_OP_STACKSAVE:
    case PTX_OP_STACKRESTORE:
        decode_stack(d);
        return;
    case PTX_OP_TRAP:
        handler = op_trap;
        break;
    case PTX_OP_BRKPT:
        handler = op_brkpt;
        break;
    case PTX_OP_EXIT:
        handler = op_exit;
        break;
    default:
        break;
    }
    vm_emit(d, handler);
}

void vm_decode_nothing(VmDecoder *d) {
    d->taken = UINT32_MAX; // accepts all suffixes
    if (d->in->op != PTX_OP_NANOSLEEP) {
        vm_emit(d, op_nothing);
        return;
    }
    VmRef time = vm_src(d, 0, 4);
    vm_emit_src(d, vm_emit(d, op_nanosleep), time);
}
