// SPDX-License-Identifier: Apache-2.0
// See edit.h. Arrays have room for more entries than they hold. One that is
// full is replaced by a longer copy; the old one stays in the arena, so that a
// pointer into it may still be read.
#include "remedies/edit.h"

#include <string.h>

enum { ROOM = 16, OPERAND_ROOM = 2 };

// ---- copies --------------------------------------------------------------

static void *copy_array(Arena *arena, const void *items, size_t count,
                        size_t room, size_t size) {
    void *copy = arena_alloc(arena, size, _Alignof(max_align_t), count + room);
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

static PtxOperand *copy_operands(Arena *arena, const PtxOperand *operands,
                                 uint32_t count) {
    PtxOperand *copy =
        copy_array(arena, operands, count, OPERAND_ROOM, sizeof *operands);
    for (uint32_t i = 0; i < count; i++)
        if (copy[i].elem_count)
            copy[i].elems =
                copy_operands(arena, copy[i].elems, copy[i].elem_count);
    return copy;
}

PtxInstr edit_copy(Edit *edit, const PtxInstr *instr) {
    PtxInstr copy = *instr;
    copy.operands =
        copy_operands(edit->arena, instr->operands, instr->operand_count);
    return copy;
}

#define COPY(field, number)                                               \
    (edit.func.field = copy_array(arena, from->field, from->number, ROOM, \
                                  sizeof *from->field))

Edit edit_open(Arena *arena, const PtxFunc *from) {
    Edit edit = {.arena = arena, .func = *from};
    COPY(instrs, instr_count);
    COPY(labels, label_count);
    COPY(pragmas, pragma_count);
    COPY(regs, reg_count);
    edit.func.instr_capacity = from->instr_count + ROOM;
    edit.func.label_capacity = from->label_count + ROOM;
    edit.func.reg_capacity = from->reg_count + ROOM;
    for (size_t i = 0; i < from->instr_count; i++)
        edit.func.instrs[i] = edit_copy(&edit, &from->instrs[i]);
    return edit;
}

// Room for one more entry behind `count`.
#define RESERVE(field, number, capacity)                              \
    do {                                                              \
        if (func->number == func->capacity) {                         \
            func->field =                                             \
                copy_array(edit->arena, func->field, func->number,    \
                           func->number + ROOM, sizeof *func->field); \
            func->capacity = 2 * func->number + ROOM;                 \
        }                                                             \
    } while (0)

// ---- labels in order -----------------------------------------------------

static void rename_labels(PtxOperand *operands, uint32_t count,
                          const uint32_t *names) {
    for (uint32_t i = 0; i < count; i++)
        if (operands[i].kind == PTX_OPND_LABEL)
            operands[i].target = names[operands[i].target];
}

// Labels stand in the order of their instructions: the printer goes through
// them as through these. New ones are made at the end.
static void sort_labels(Arena *arena, PtxFunc *func) {
    uint32_t count = (uint32_t)func->label_count;
    uint32_t *order = arena_new(arena, uint32_t, count + 1);
    uint32_t *names = arena_new(arena, uint32_t, count + 1);
    PtxLabel *sorted = arena_new(arena, PtxLabel, func->label_capacity + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = i;
        for (; k > 0 &&
               func->labels[order[k - 1]].target > func->labels[i].target;
             k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = func->labels[order[i]];
        names[order[i]] = i;
    }
    func->labels = sorted;
    for (uint32_t i = 0; i < func->instr_count; i++)
        rename_labels(func->instrs[i].operands, func->instrs[i].operand_count,
                      names);
    PtxTable *tables = copy_array(arena, func->tables, func->table_count, 0,
                                  sizeof *func->tables);
    for (size_t i = 0; i < func->table_count; i++) {
        if (tables[i].funcs)
            continue;
        tables[i].labels = copy_array(arena, tables[i].labels, tables[i].count,
                                      0, sizeof *tables[i].labels);
        for (size_t k = 0; k < tables[i].count; k++)
            tables[i].labels[k] = names[tables[i].labels[k]];
    }
    func->tables = tables;
}

void edit_install(const Edit *edit, PtxFunc *into) {
    *into = edit->func;
    sort_labels(edit->arena, into);
}

// ---- another function ----------------------------------------------------

static PtxVar **copy_vars(Arena *arena, PtxVar **vars, size_t count,
                          PtxFunc *into) {
    PtxVar **copies = arena_new(arena, PtxVar *, count + 1);
    for (size_t i = 0; i < count; i++) {
        copies[i] = arena_new(arena, PtxVar, 1);
        *copies[i] = *vars[i];
        copies[i]->func = into;
    }
    return copies;
}

static PtxVar *own_var(PtxVar *const *vars, size_t count, PtxVar *const *own,
                       PtxVar *var) {
    for (size_t i = 0; i < count; i++)
        if (vars[i] == var)
            return own[i];
    return var;
}

static void name_own(const PtxFunc *from, const PtxFunc *into,
                     PtxOperand *operands, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        PtxVar *var = operands[i].symbol.var;
        var = own_var(from->params, from->param_count, into->params, var);
        var = own_var(from->results, from->result_count, into->results, var);
        operands[i].symbol.var =
            own_var(from->vars, from->var_count, into->vars, var);
        name_own(from, into, operands[i].elems, operands[i].elem_count);
    }
}

void edit_install_apart(const Edit *edit, PtxFunc *into) {
    const PtxFunc *from = &edit->func;
    Arena *arena = edit->arena;
    *into = *from;
    sort_labels(arena, into);
    into->params = copy_vars(arena, from->params, from->param_count, into);
    into->results = copy_vars(arena, from->results, from->result_count, into);
    into->vars = copy_vars(arena, from->vars, from->var_count, into);
    for (size_t i = 0; i < into->instr_count; i++)
        name_own(from, into, into->instrs[i].operands,
                 into->instrs[i].operand_count);
}

PtxModule edit_module(const Edit *edit, const PtxModule *module) {
    PtxModule copy = *module;
    if (!edit->var)
        return copy;
    copy.vars = copy_array(edit->arena, module->vars, module->var_count, ROOM,
                           sizeof *module->vars);
    copy.vars[copy.var_count++] = edit->var;
    return copy;
}

// ---- equality ------------------------------------------------------------

static uint64_t mix(uint64_t hash, uint64_t value) {
    return hash_u64(hash ^ hash_u64(value + 1));
}

static uint64_t hash_operand(uint64_t hash, const PtxOperand *operand) {
    const uint64_t fields[] = {
        operand->kind,       operand->negated,
        operand->base,       operand->reg,
        operand->sreg,       operand->select,
        operand->parts,      operand->target,
        operand->imm,        (uintptr_t)operand->symbol.var,
        operand->elem_count, (uintptr_t)operand->symbol.func,
    };
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        hash = mix(hash, fields[i]);
    for (uint32_t i = 0; i < operand->elem_count; i++)
        hash = hash_operand(hash, &operand->elems[i]);
    return hash;
}

static uint64_t hash_instr(uint64_t hash, const PtxInstr *instr) {
    hash = mix(hash, instr->op);
    hash = mix(hash, instr->guard * 2 + instr->guard_negated);
    for (uint32_t i = 0; i < instr->mod_count; i++)
        hash = mix(hash, instr->mods[i]);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        hash = hash_operand(hash, &instr->operands[i]);
    return mix(hash, instr->branch_targets);
}

uint64_t edit_hash(const PtxFunc *func) {
    uint64_t hash = func->instr_count;
    for (size_t i = 0; i < func->instr_count; i++)
        hash = hash_instr(hash, &func->instrs[i]);
    for (size_t i = 0; i < func->label_count; i++)
        hash = mix(hash, func->labels[i].target);
    return hash;
}

// ---- instructions --------------------------------------------------------

static void shift_labels(Edit *edit, uint32_t from, int by) {
    PtxFunc *func = &edit->func;
    for (size_t i = 0; i < func->label_count; i++)
        if (func->labels[i].target >= from)
            func->labels[i].target += (uint32_t)by;
    for (size_t i = 0; i < func->pragma_count; i++)
        if (func->pragmas[i].target >= from)
            func->pragmas[i].target += (uint32_t)by;
}

void edit_remove(Edit *edit, uint32_t at) {
    PtxFunc *func = &edit->func;
    func->instr_count--;
    memmove(&func->instrs[at], &func->instrs[at + 1],
            (func->instr_count - at) * sizeof *func->instrs);
    shift_labels(edit, at + 1, -1);
}

static void open_gap(Edit *edit, uint32_t at, PtxInstr instr) {
    PtxFunc *func = &edit->func;
    RESERVE(instrs, instr_count, instr_capacity);
    memmove(&func->instrs[at + 1], &func->instrs[at],
            (func->instr_count - at) * sizeof *func->instrs);
    func->instrs[at] = instr;
    func->instr_count++;
}

void edit_insert(Edit *edit, uint32_t at, PtxInstr instr) {
    open_gap(edit, at, instr);
    shift_labels(edit, at + 1, 1);
}

void edit_insert_behind(Edit *edit, uint32_t at, PtxInstr instr) {
    open_gap(edit, at + 1, instr);
    shift_labels(edit, at + 1, 1);
}

void edit_move_before(Edit *edit, uint32_t at, uint32_t to) {
    PtxInstr instr = edit->func.instrs[at];
    edit_remove(edit, at);
    edit_insert(edit, to > at ? to - 1 : to, instr);
}

void edit_move_behind(Edit *edit, uint32_t at, uint32_t to) {
    PtxInstr instr = edit->func.instrs[at];
    edit_remove(edit, at);
    edit_insert_behind(edit, to > at ? to - 1 : to, instr);
}

// Where an instruction comes to stand. What is moved comes behind the labels of
// `to`, so a label there leads to it.
static uint32_t moved_to(uint32_t at, uint32_t from, uint32_t end,
                         uint32_t to) {
    uint32_t count = end - from;
    if (at >= from && at < end)
        return to > from ? at + (to - end) : at - (from - to);
    if (to > from)
        return at >= end && at < to ? at - count : at;
    return at >= to && at < from ? at + count : at;
}

void edit_move_block(Edit *edit, uint32_t from, uint32_t end, uint32_t to) {
    PtxFunc *func = &edit->func;
    uint32_t out = edit_new_label(edit, end); // of what is moved
    for (uint32_t i = from; i < end; i++) {
        PtxInstr *instr = &func->instrs[i];
        if (instr->op == PTX_OP_BRA &&
            func->labels[instr->operands[0].target].target == end)
            instr->operands[0].target = out;
    }
    PtxInstr *moved =
        copy_array(edit->arena, func->instrs, func->instr_count,
                   func->instr_capacity - func->instr_count, sizeof *moved);
    for (uint32_t i = 0; i < func->instr_count; i++)
        moved[moved_to(i, from, end, to)] = func->instrs[i];
    func->instrs = moved;
    for (uint32_t i = 0; i < func->label_count; i++) {
        uint32_t *target = &func->labels[i].target;
        if (i == out)
            *target = moved_to(end - 1, from, end, to) + 1;
        else if (*target == from)
            *target = moved_to(end, from, end, to);
        else if (*target == to)
            *target = moved_to(from, from, end, to);
        else
            *target = moved_to(*target, from, end, to);
    }
}

// The type that a suffix names; types come first in PtxMod.
static bool is_type(PtxMod mod) {
    return mod > PTX_MOD_NONE && (int)mod < (int)PTX_TYPE_COUNT;
}

static void set_types(PtxInstr *instr) {
    instr->type_count = 0;
    for (uint32_t i = 0; i < instr->mod_count; i++)
        if (is_type(instr->mods[i]) &&
            instr->type_count < COUNT_OF(instr->types))
            instr->types[instr->type_count++] = (PtxType)instr->mods[i];
}

PtxInstr edit_make(Edit *edit, const PtxInstr *like, PtxOp op,
                   const PtxMod *mods, const PtxOperand *operands,
                   uint32_t count) {
    PtxInstr instr = {.op = op, .loc = like->loc, .line = like->line};
    while (mods[instr.mod_count] != PTX_MOD_NONE) {
        instr.mods[instr.mod_count] = mods[instr.mod_count];
        instr.mod_count++;
    }
    set_types(&instr);
    instr.operands = copy_operands(edit->arena, operands, count);
    instr.operand_count = (uint8_t)count;
    return instr;
}

void edit_put(Edit *edit, uint32_t *at, PtxOp op, const PtxMod *mods,
              const PtxOperand *operands, uint32_t count) {
    PtxInstr like = edit->func.instrs[*at];
    edit_insert(edit, *at, edit_make(edit, &like, op, mods, operands, count));
    ++*at;
}

uint32_t edit_new_label(Edit *edit, uint32_t target) {
    PtxFunc *func = &edit->func;
    Str name = str_format(edit->arena, "edited_label%zu", func->label_count);
    RESERVE(labels, label_count, label_capacity);
    func->labels[func->label_count] = (PtxLabel){name, target};
    return (uint32_t)func->label_count++;
}

uint32_t edit_new_reg(Edit *edit, PtxType type) {
    PtxFunc *func = &edit->func;
    Str name = str_format(edit->arena, "edited%zu", func->reg_count);
    RESERVE(regs, reg_count, reg_capacity);
    func->regs[func->reg_count] =
        (PtxReg){.name = name, .type = type, .vector = 1};
    return (uint32_t)func->reg_count++;
}

PtxOperand edit_put_special(Edit *edit, uint32_t *at, PtxSreg sreg) {
    static const PtxMod mods[] = {PTX_MOD_U32, PTX_MOD_NONE};
    PtxOperand value = edit_reg(edit_new_reg(edit, PTX_U32));
    const PtxOperand operands[] = {value,
                                   {.kind = PTX_OPND_SREG, .sreg = sreg}};
    edit_put(edit, at, PTX_OP_MOV, mods, operands, 2);
    return value;
}

PtxVar *edit_new_var(Edit *edit) {
    edit->var = arena_new(edit->arena, PtxVar, 1);
    *edit->var = (PtxVar){.name = STR("edited_variable"),
                          .space = PTX_SPACE_GLOBAL,
                          .type = PTX_U32,
                          .vector = 1,
                          .align = 4,
                          .size = 4};
    return edit->var;
}

PtxOperand edit_reg(uint32_t reg) {
    return (PtxOperand){.kind = PTX_OPND_REG, .reg = reg};
}

PtxOperand edit_int(uint64_t value) {
    return (PtxOperand){.kind = PTX_OPND_INT, .imm = value};
}

// ---- suffixes ------------------------------------------------------------

static uint32_t find_mod(const PtxInstr *instr, PtxMod mod) {
    uint32_t i = 0;
    while (i < instr->mod_count && instr->mods[i] != mod)
        i++;
    return i;
}

bool edit_drop_mod(PtxInstr *instr, PtxMod mod) {
    uint32_t at = find_mod(instr, mod);
    if (at == instr->mod_count)
        return false;
    instr->mod_count--;
    memmove(&instr->mods[at], &instr->mods[at + 1],
            (instr->mod_count - at) * sizeof *instr->mods);
    set_types(instr);
    return true;
}

bool edit_swap_mod(PtxInstr *instr, PtxMod from, PtxMod to) {
    uint32_t at = find_mod(instr, from);
    if (at == instr->mod_count)
        return false;
    instr->mods[at] = to;
    set_types(instr);
    return true;
}

void edit_add_mod(PtxInstr *instr, PtxMod before, PtxMod mod) {
    uint32_t at = find_mod(instr, before);
    if (instr->mod_count == PTX_MAX_MODS)
        return;
    memmove(&instr->mods[at + 1], &instr->mods[at],
            (instr->mod_count - at) * sizeof *instr->mods);
    instr->mods[at] = mod;
    instr->mod_count++;
    set_types(instr);
}
