// SPDX-License-Identifier: Apache-2.0
// Follows registers backwards through the code of one function, breadth first,
// from an access to what sets them. It stops at loads, calls and decoded
// answers, whose own operands say nothing about the value.
#include "vm/decode/origin.h"

#include "vm/machine/findings.h"

// An instruction that sets a register. Those of one register are a list, the
// last in the code first.
typedef struct Definition {
    const PtxInstr *in;
    uint32_t next; // number of the next one, plus 1; 0: none
} Definition;

typedef struct Search {
    const Vm *vm;
    const VmFunc *func;
    const PtxInstr *access;
    SrcLoc own; // the learner's line of the access
    Definition *definitions;
    size_t definition_count, definition_capacity;
    uint32_t *last;  // by register: number of its last definition, plus 1
    bool *seen;      // by register
    uint32_t *queue; // registers to follow
    uint32_t first, end;
    SrcLoc lines[16];
    uint32_t line_count;
    SrcLoc decoded; // line 0: no answer's index goes into it
    const PtxVar *var;
} Search;

static void follow(Search *s, const PtxOperand *operand) {
    bool is_reg =
        operand->kind == PTX_OPND_REG ||
        (operand->kind == PTX_OPND_ADDRESS && operand->base == PTX_BASE_REG);
    if (is_reg && !s->seen[operand->reg]) {
        s->seen[operand->reg] = true;
        s->queue[s->end++] = operand->reg;
    }
    if (!is_reg && operand->symbol.var && !s->var)
        s->var = operand->symbol.var;
    for (uint32_t i = 0; i < operand->elem_count; i++)
        follow(s, &operand->elems[i]);
}

static void add_definition(Search *s, Arena *arena, const PtxInstr *in,
                           const PtxOperand *result) {
    for (uint32_t i = 0; i < result->elem_count; i++)
        add_definition(s, arena, in, &result->elems[i]);
    if (result->kind != PTX_OPND_REG)
        return;
    arena_grow(arena, s->definitions, s->definition_count,
               s->definition_capacity);
    s->definitions[s->definition_count++] =
        (Definition){in, s->last[result->reg]};
    s->last[result->reg] = (uint32_t)s->definition_count;
}

// In one pass, so that a search takes time in proportion to the code.
static void list_definitions(Search *s, Arena *arena) {
    const PtxFunc *func = s->func->ptx;
    for (size_t i = 0; i < func->instr_count; i++) {
        const PtxInstr *in = &func->instrs[i];
        for (uint32_t k = 0;
             k < ptx_op_results(in->op) && k < in->operand_count; k++)
            add_definition(s, arena, in, &in->operands[k]);
    }
}

static bool is_parameter(const PtxInstr *in) {
    return ptx_is_load(in->op) && ptx_space(in) == PTX_SPACE_PARAM &&
           in->operands[1].symbol.var && in->operands[1].symbol.var->is_formal;
}

// Whether it only converts or copies a parameter: the address of a buffer from
// generic to global, say. The compiler places that where it likes, and no line
// of the learner's decides anything there.
static bool is_converted_parameter(const Search *s, const PtxInstr *in) {
    uint32_t results = ptx_op_results(in->op);
    if (in->operand_count != results + 1 ||
        in->operands[results].kind != PTX_OPND_REG)
        return false;
    uint32_t first = s->last[in->operands[results].reg];
    bool is_given = first > 0;
    for (uint32_t d = first; d && is_given; d = s->definitions[d - 1].next)
        is_given = is_parameter(s->definitions[d - 1].in);
    return is_given;
}

static SrcLoc line_of(const Search *s, const PtxInstr *in) {
    uint32_t loc = vm_learner_loc(s->vm, NULL, in->loc);
    bool is_own =
        loc && s->vm->module->locs[loc].file == s->vm->program->kernel_file;
    return is_own ? vm_src_of(s->vm, loc) : (SrcLoc){0};
}

static void add_line(Search *s, SrcLoc at) {
    bool is_known = !at.line || at.line == s->own.line ||
                    s->line_count == COUNT_OF(s->lines);
    for (uint32_t i = 0; i < s->line_count; i++)
        is_known |= s->lines[i].line == at.line;
    if (!is_known)
        s->lines[s->line_count++] = at;
}

static void visit(Search *s, const PtxInstr *in) {
    SrcLoc at = line_of(s, in);
    if (is_parameter(in) || is_converted_parameter(s, in))
        return;
    add_line(s, at);
    if (PTX_TRAITS[in->op].object == PTX_OBJECT_ANSWER) {
        if (!s->decoded.line)
            s->decoded = at;
        return;
    }
    if (ptx_is_load(in->op) || PTX_TRAITS[in->op].next == PTX_NEXT_CALL)
        return;
    for (uint32_t i = ptx_op_results(in->op); i < in->operand_count; i++)
        follow(s, &in->operands[i]);
}

// What sets the register, from the access upwards and then from the end, as in
// the round of a loop before.
static void visit_definitions(Search *s, uint32_t reg) {
    for (int above = 1; above >= 0; above--)
        for (uint32_t d = s->last[reg]; d; d = s->definitions[d - 1].next)
            if ((s->definitions[d - 1].in < s->access) == above)
                visit(s, s->definitions[d - 1].in);
}

// Takes the line that is closest above the access, or else the last one in the
// file. Line 0: there is none left.
static SrcLoc take_closest(Search *s) {
    uint32_t best = s->line_count;
    for (uint32_t i = 0; i < s->line_count; i++) {
        bool is_above = s->lines[i].line < s->own.line,
             is_best_above =
                 best < s->line_count && s->lines[best].line < s->own.line;
        if (best == s->line_count || (is_above && !is_best_above) ||
            (is_above == is_best_above &&
             s->lines[i].line > s->lines[best].line))
            best = i;
    }
    if (best == s->line_count)
        return (SrcLoc){0};
    SrcLoc at = s->lines[best];
    s->lines[best] = s->lines[--s->line_count];
    return at;
}

static VmOrigin found(Search *s) {
    VmOrigin origin = {.at = {take_closest(s)}, .var = s->var};
    bool is_decode = s->decoded.line && s->decoded.line != origin.at[0].line;
    origin.at[1] = is_decode ? s->decoded : take_closest(s);
    return origin;
}

static VmOrigin origin_of(const Vm *vm, const VmFunc *func,
                          const PtxInstr *access, SrcLoc own,
                          uint32_t operand) {
    const PtxFunc *ptx = func->ptx;
    if (access < ptx->instrs || access >= ptx->instrs + ptx->instr_count ||
        operand >= access->operand_count)
        return (VmOrigin){0};
    Arena arena = {0};
    Search search = {.vm = vm, .func = func, .access = access, .own = own};
    search.seen = arena_new(&arena, bool, ptx->reg_count + 1);
    search.queue = arena_new(&arena, uint32_t, ptx->reg_count + 1);
    search.last = arena_new(&arena, uint32_t, ptx->reg_count + 1);
    list_definitions(&search, &arena);
    follow(&search, &access->operands[operand]);
    while (search.first < search.end)
        visit_definitions(&search, search.queue[search.first++]);
    VmOrigin origin = found(&search);
    arena_free(&arena);
    return origin;
}

VmOrigin vm_origin_of_address(const Vm *vm, const VmFunc *func,
                              const PtxInstr *access, SrcLoc own) {
    uint32_t operand = 0;
    while (operand < access->operand_count &&
           access->operands[operand].kind != PTX_OPND_ADDRESS)
        operand++;
    return origin_of(vm, func, access, own, operand);
}

VmOrigin vm_origin_of_value(const Vm *vm, const VmFunc *func,
                            const PtxInstr *store, SrcLoc own) {
    return origin_of(vm, func, store, own, 1);
}

VmOrigin vm_origin_of_operand(const Vm *vm, const VmFunc *func,
                              const PtxInstr *in, SrcLoc own,
                              uint32_t operand) {
    return origin_of(vm, func, in, own, operand);
}
