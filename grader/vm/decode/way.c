// SPDX-License-Identifier: Apache-2.0
// A walk over the code from where a fragment stands. At a branch it goes both
// ways, unless the predicate is fixed for a thread and has been computed: then
// it goes on as the lanes of the fragment do. A predicate is fixed if one
// instruction alone sets it, always, from what is fixed; so it has been
// computed if no way from the function's beginning to the fragment is free of
// that instruction.
#include "vm/decode/way.h"

#include "vm/decode/spin.h"

#include <string.h>

enum {
    MOST_DEPTH = 16, // of the instructions that a predicate comes from
    MOST_CALLS = 4,  // that are followed into each other
};

typedef struct Way {
    const VmFunc *func;
    const VmFragment *f; // NULL: no predicate is known, as in a caller's frame
    VmGoal *is_goal;
    const PtxInstr **setter; // by register: the one instruction that sets it
    uint8_t *set_times;      // by register: 2: more often
    bool *seen;              // by pc
    uint32_t *queue;
    uint32_t end;
    const VmInstr *without; // where this walk does not go on; NULL: none
} Way;

// ---- predicates that are fixed -------------------------------------------

static void note_setter(Way *way, const PtxInstr *in, const PtxOperand *to) {
    for (uint32_t i = 0; i < to->elem_count; i++)
        note_setter(way, in, &to->elems[i]);
    if (to->kind != PTX_OPND_REG)
        return;
    way->setter[to->reg] = in;
    if (way->set_times[to->reg] < 2)
        way->set_times[to->reg]++;
}

static void list_setters(Way *way) {
    const PtxFunc *ptx = way->func->ptx;
    for (size_t i = 0; i < ptx->instr_count; i++) {
        const PtxInstr *in = &ptx->instrs[i];
        for (uint32_t k = 0;
             k < ptx_written_operands(in) && k < in->operand_count; k++)
            note_setter(way, in, &in->operands[k]);
    }
}

// Whether the result is a function of the operands alone. What votes, shuffles
// or tells the time is not.
static bool is_function(const PtxInstr *in) {
    switch ((int)in->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_DIV:
    case PTX_OP_REM:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_NEG:
    case PTX_OP_CVTA:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_SETP:
    case PTX_OP_SELP:
        return true;
    case PTX_OP_LD:
        return ptx_space(in) == PTX_SPACE_PARAM;
    default:
        return false;
    }
}

static bool is_fixed(const Way *way, uint32_t reg, uint32_t depth);

static bool is_fixed_operand(const Way *way, const PtxOperand *from,
                             uint32_t depth) {
    switch (from->kind) {
    case PTX_OPND_REG:
        return is_fixed(way, from->reg, depth + 1);
    case PTX_OPND_SREG: // up to %laneid they say which thread it is, and of how
                        // many
        return from->sreg <= PTX_SREG_LANEID;
    case PTX_OPND_INT:
    case PTX_OPND_F32:
    case PTX_OPND_F64:
    case PTX_OPND_SYMBOL:
        return true;
    case PTX_OPND_ADDRESS: // of a parameter
        return from->base == PTX_BASE_SYMBOL;
    case PTX_OPND_VECTOR:
    case PTX_OPND_PAIR:
    case PTX_OPND_SINK:
    case PTX_OPND_LABEL:
    case PTX_OPND_LIST:
        break;
    }
    return false;
}

static bool is_fixed(const Way *way, uint32_t reg, uint32_t depth) {
    const PtxInstr *in = way->setter[reg];
    if (way->set_times[reg] != 1 || depth > MOST_DEPTH || in->guard ||
        !is_function(in))
        return false;
    bool fixed = true;
    for (uint32_t i = ptx_written_operands(in); i < in->operand_count; i++)
        fixed = fixed && is_fixed_operand(way, &in->operands[i], depth);
    return fixed;
}

// ---- the walk ------------------------------------------------------------

static void reach(void *context, uint32_t pc, uint32_t next) {
    Way *way = context;
    (void)pc;
    if (next >= way->func->code_count || way->seen[next] ||
        &way->func->code[next] == way->without)
        return;
    way->seen[next] = true;
    way->queue[way->end++] = next;
}

static void walk_begin(Way *way, const VmInstr *without) {
    memset(way->seen, 0, way->func->code_count * sizeof *way->seen);
    way->end = 0;
    way->without = without;
}

// Whether the fragment can have come to where it is without the instruction.
static bool may_have_avoided(const Way *way, const VmInstr *in) {
    Way other = *way;
    other.seen = heap_alloc(way->func->code_count, sizeof(bool));
    other.queue = heap_alloc(way->func->code_count, sizeof(uint32_t));
    walk_begin(&other, in);
    reach(&other, 0, 0);
    for (uint32_t i = 0; i < other.end; i++)
        vm_code_next(way->func, other.queue[i], reach, &other);
    bool avoided = other.seen[way->f->pc];
    heap_free(other.seen);
    heap_free(other.queue);
    return avoided;
}

static const VmInstr *instr_of(const VmFunc *func, const PtxInstr *ptx) {
    for (uint32_t pc = 0; pc < func->code_count; pc++)
        if (func->code[pc].ptx == ptx)
            return &func->code[pc];
    return NULL;
}

// The lanes that jump at the branch, each time; false: that is not known.
static bool knows_branch(const Way *way, const VmInstr *branch,
                         uint32_t *jump) {
    uint32_t holds;
    if (!way->f || branch->guard == VM_NONE || !branch->ptx->guard ||
        !is_fixed(way, branch->ptx->guard - 1, 0))
        return false;
    const VmInstr *set =
        instr_of(way->func, way->setter[branch->ptx->guard - 1]);
    if (!set || may_have_avoided(way, set))
        return false;
    memcpy(&holds, way->f->frame->regs + branch->guard, sizeof holds);
    *jump = way->f->mask & (branch->guard_negated ? ~holds : holds);
    return true;
}

static void go_on(Way *way, uint32_t pc) {
    const VmInstr *in = &way->func->code[pc];
    uint32_t jump = 0;
    if (!in->is_branch || !knows_branch(way, in, &jump)) {
        vm_code_next(way->func, pc, reach, way);
        return;
    }
    if (jump)
        reach(way, pc, in->branch.target);
    if (way->f->mask & ~jump)
        reach(way, pc, pc + 1);
}

// Whether the instruction is a goal, or calls a function that has one. A call
// that goes too deep, or to an address, may lead anywhere.
static bool is_one(const PtxInstr *in, VmGoal *is_goal, uint32_t depth) {
    if (PTX_TRAITS[in->op].next != PTX_NEXT_CALL)
        return is_goal(in);
    const PtxFunc *callee = in->operands[1].symbol.func;
    if (in->operands[1].kind != PTX_OPND_SYMBOL || !callee ||
        depth == MOST_CALLS)
        return true;
    for (size_t i = 0; i < callee->instr_count; i++)
        if (is_one(&callee->instrs[i], is_goal, depth + 1))
            return true;
    return false;
}

static bool leads_from(Way *way, uint32_t pc) {
    walk_begin(way, NULL);
    reach(way, pc, pc);
    for (uint32_t i = 0; i < way->end; i++) {
        const PtxInstr *in = way->func->code[way->queue[i]].ptx;
        if (!in || is_one(in, way->is_goal, 0))
            return true;
        go_on(way, way->queue[i]);
    }
    return false;
}

// In one frame; `f` is known only of the innermost.
static bool leads(const VmFunc *func, uint32_t pc, const VmFragment *f,
                  VmGoal *is_goal) {
    if (pc >= func->code_count)
        return false;
    size_t regs = func->ptx->reg_count + 1;
    Way way = {.func = func,
               .f = f,
               .is_goal = is_goal,
               .setter = heap_alloc(regs, sizeof(PtxInstr *)),
               .set_times = heap_alloc(regs, sizeof(uint8_t)),
               .seen = heap_alloc(func->code_count, sizeof(bool)),
               .queue = heap_alloc(func->code_count, sizeof(uint32_t))};
    list_setters(&way);
    bool found = leads_from(&way, pc);
    heap_free(way.setter);
    heap_free(way.set_times);
    heap_free(way.seen);
    heap_free(way.queue);
    return found;
}

bool vm_way_leads(const VmFragment *f, VmGoal *is_goal) {
    const VmFrame *frame = f->frame;
    bool found = leads(frame->func, f->pc, f, is_goal);
    for (; !found && frame->site; frame = frame->caller)
        found = leads(frame->caller->func, frame->return_pc, NULL, is_goal);
    return found;
}

bool vm_way_is_open(const VmCta *cta, VmGoal *is_goal) {
    for (uint32_t i = 0; i < cta->warp_count; i++)
        for (uint32_t k = 0; k < cta->warps[i].fragment_count; k++)
            if (vm_way_leads(&cta->warps[i].fragments[k], is_goal))
                return true;
    return false;
}
