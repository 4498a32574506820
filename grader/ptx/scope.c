// SPDX-License-Identifier: Apache-2.0
// Names: what a word means in the current block (PTX ISA, section 4.4).
//
// All declarations of the module are in `names`; name_map finds the innermost
// one, which links to the one that it hides. Leaving a block restores the
// hidden ones. A range "%r<38>" is one Name under its prefix. Each of its
// registers is created when it is first used, so that memory stays linear in
// the text. As in ptxas, all digits at the end of a name are its number:
// "%r04" is "%r4", and no name finds a register of a range whose prefix ends in
// a digit. Labels are looked up at the end of the function, from the block of
// their use outwards.
#include "ptx/numbered.h"
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

// Salts of name_map; the registers of range `n` (its index in names) have
// SALT_RANGES + n.
enum { SALT_NAMES, SALT_PREFIXES, SALT_RANGES };

// ---- lookup --------------------------------------------------------------

static uint32_t kind_salt(NameKind kind) {
    return kind == NAME_RANGE ? SALT_PREFIXES : SALT_NAMES;
}

// The innermost range that has the register "prefix123"; 0: none.
static uint32_t find_range(const Parser *parser, const NumberedName *name) {
    uint32_t at = map_get(&parser->name_map, SALT_PREFIXES, name->prefix);
    while (at && parser->names[at].range.range <= name->number)
        at = parser->names[at].shadowed;
    return at;
}

// ---- registers -----------------------------------------------------------

static uint32_t add_reg(Parser *parser, PtxReg reg, RegOrder order) {
    PtxFunc *func = parser->func;
    arena_grow(parser->arena, func->regs, func->reg_count, func->reg_capacity);
    order.reg = (uint32_t)func->reg_count;
    func->regs[func->reg_count++] = reg;
    arena_grow(&parser->scratch, parser->reg_orders, parser->order_count,
               parser->order_capacity);
    parser->reg_orders[parser->order_count++] = order;
    return order.reg;
}

static uint32_t range_reg(Parser *parser, uint32_t range, Str text,
                          const NumberedName *name) {
    uint32_t *place =
        map_at(&parser->name_map, SALT_RANGES + range, name->digits);
    if (*place == 0) {
        PtxReg reg = parser->names[range].range;
        reg.prefix = (uint32_t)name->prefix.len;
        reg.name = text.len == reg.prefix + name->digits.len
                       ? text
                       : str_format(parser->arena, "%.*s%u",
                                    STR_ARG(name->prefix), name->number);
        RegOrder order = {.decl = parser->names[range].decl,
                          .number = name->number};
        *place = add_reg(parser, reg, order) + 1;
    }
    return *place - 1;
}

const Name *scope_find(Parser *parser, Str text, uint32_t *reg) {
    NumberedName name = numbered_name(text);
    uint32_t exact = map_get(&parser->name_map, SALT_NAMES, text);
    uint32_t range = find_range(parser, &name);
    const Name *names = parser->names;
    if (range && (!exact || names[range].depth > names[exact].depth)) {
        *reg = range_reg(parser, range, text, &name);
        return &parser->names[range];
    }
    if (exact == 0)
        return NULL;
    *reg = names[exact].reg;
    return &names[exact];
}

// ---- declarations --------------------------------------------------------

static bool is_taken(const Parser *parser, const Name *name) {
    NumberedName numbered = numbered_name(name->text);
    uint64_t salt = kind_salt(name->kind);
    uint32_t same = map_get(&parser->name_map, salt, name->text);
    if (same && parser->names[same].depth == parser->depth)
        return true;
    uint32_t range =
        name->kind == NAME_RANGE ? 0 : find_range(parser, &numbered);
    return range && parser->names[range].depth == parser->depth;
}

static bool add_name(Parser *parser, Token at, Name name) {
    if (is_taken(parser, &name))
        return parse_fail(parser, at, "Give one of them another name.",
                          "'%.*s' is declared twice in this block.",
                          STR_ARG(name.text));
    uint32_t *place =
        map_at(&parser->name_map, kind_salt(name.kind), name.text);
    name.shadowed = *place;
    name.depth = parser->depth;
    *place = (uint32_t)parser->name_count;
    arena_grow(&parser->scratch, parser->open_names, parser->open_count,
               parser->open_capacity);
    parser->open_names[parser->open_count++] = *place;
    arena_grow(&parser->scratch, parser->names, parser->name_count,
               parser->name_capacity);
    parser->names[parser->name_count++] = name;
    return true;
}

bool scope_add_var(Parser *parser, Token at, PtxVar *var) {
    Name name = {.kind = NAME_VAR, .text = var->name, .var = var};
    return add_name(parser, at, name);
}

bool scope_add_func(Parser *parser, Token at, PtxFunc *func) {
    Name name = {.kind = NAME_FUNC, .text = func->name, .func = func};
    return add_name(parser, at, name);
}

bool scope_add_reg(Parser *parser, Token at, PtxReg reg, uint32_t *index) {
    Name name = {.kind = NAME_REG, .text = reg.name};
    name.reg = (uint32_t)parser->func->reg_count;
    if (!add_name(parser, at, name))
        return false;
    *index = add_reg(parser, reg, (RegOrder){.decl = parser->decl_count++});
    return true;
}

bool scope_add_range(Parser *parser, Token at, PtxReg range) {
    Name name = {.kind = NAME_RANGE, .text = range.name, .range = range};
    name.decl = parser->decl_count++;
    return add_name(parser, at, name);
}

// ---- labels --------------------------------------------------------------

bool scope_add_label(Parser *parser, Token at, LabelKind kind, size_t index) {
    uint32_t *place = map_at(&parser->label_map, parser->scope, at.text);
    if (*place != 0)
        return parse_fail(
            parser, at, "In inline asm, write {...} round the label, or %=.",
            "The label '%.*s' stands twice in this block.", STR_ARG(at.text));
    arena_grow(&parser->scratch, parser->labels, parser->label_count,
               parser->label_capacity);
    parser->labels[parser->label_count] = (LabelName){kind, (uint32_t)index};
    *place = (uint32_t)parser->label_count++;
    return true;
}

void scope_use_label(Parser *parser, LabelUse use) {
    use.scope = parser->scope;
    use.loc = parser->loc;
    arena_grow(&parser->scratch, parser->uses, parser->use_count,
               parser->use_capacity);
    parser->uses[parser->use_count++] = use;
}

static uint32_t find_label(const Parser *parser, const LabelUse *use) {
    for (uint32_t scope = use->scope; scope; scope = parser->scopes[scope]) {
        uint32_t found = map_get(&parser->label_map, scope, use->at.text);
        if (found)
            return found;
    }
    return 0;
}

static bool resolve_label(Parser *parser, const LabelUse *use) {
    uint32_t found = find_label(parser, use);
    LabelName label = parser->labels[found];
    bool fits =
        found && (label.kind == use->kind ||
                  (use->kind == LABEL_CALL_FORM && label.kind != LABEL_CODE));
    if (!fits) {
        parser->loc = use->loc;
        const char *what = use->kind == LABEL_CODE    ? "label"
                           : use->kind == LABEL_TABLE ? ".branchtargets list"
                                                      : ".callprototype";
        return parse_fail(parser, use->at, "", "No %s '%.*s' is declared here.",
                          what, STR_ARG(use->at.text));
    }
    if (use->kind == LABEL_CODE)
        *use->place = label.index;
    else if (use->instr >= parser->func->instr_count)
        return true; // the instruction had an error and was dropped
    else if (label.kind == LABEL_PROTO)
        parser->func->instrs[use->instr].call_proto = label.index + 1;
    else
        parser->func->instrs[use->instr].branch_targets = label.index + 1;
    return true;
}

static bool resolve_labels(Parser *parser) {
    bool ok = true;
    for (size_t i = 0; i < parser->use_count && !parse_gave_up(parser); i++)
        ok &= resolve_label(parser, &parser->uses[i]);
    return ok;
}

// ---- numbering -----------------------------------------------------------

static int compare_orders(const void *left, const void *right) {
    const RegOrder *a = left, *b = right;
    if (a->decl != b->decl)
        return a->decl < b->decl ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void renumber_operands(const uint32_t *numbers, PtxOperand *operands,
                              size_t count) {
    for (size_t i = 0; i < count; i++) {
        PtxOperand *operand = &operands[i];
        if (operand->kind == PTX_OPND_REG || operand->base == PTX_BASE_REG)
            operand->reg = numbers[operand->reg];
        renumber_operands(numbers, operand->elems, operand->elem_count);
    }
}

static void renumber_formals(const uint32_t *numbers, PtxVar **formals,
                             size_t count) {
    for (size_t i = 0; i < count; i++)
        if (formals[i]->space == PTX_SPACE_REG)
            formals[i]->reg = numbers[formals[i]->reg];
}

// Registers were numbered in the order of their use: renumbers them in the
// order of declaration.
static void renumber_regs(Parser *parser) {
    PtxFunc *func = parser->func;
    if (func->reg_count == 0)
        return;
    uint32_t *numbers = arena_new(&parser->scratch, uint32_t, func->reg_count);
    PtxReg *regs = arena_new(parser->arena, PtxReg, func->reg_count);
    qsort(parser->reg_orders, parser->order_count, sizeof(RegOrder),
          compare_orders);
    for (uint32_t i = 0; i < func->reg_count; i++) {
        uint32_t old = parser->reg_orders[i].reg;
        regs[i] = func->regs[old];
        numbers[old] = i;
    }
    func->regs = regs;
    func->reg_capacity = func->reg_count;
    for (size_t i = 0; i < func->instr_count; i++) {
        PtxInstr *instr = &func->instrs[i];
        renumber_operands(numbers, instr->operands, instr->operand_count);
        if (instr->guard)
            instr->guard = numbers[instr->guard - 1] + 1;
    }
    renumber_formals(numbers, func->params, func->param_count);
    renumber_formals(numbers, func->results, func->result_count);
}

// ---- blocks and functions ------------------------------------------------

void scope_enter(Parser *parser) {
    parser->depth++;
    arena_grow(&parser->scratch, parser->scopes, parser->scope_count,
               parser->scope_capacity);
    parser->scopes[parser->scope_count] = parser->scope;
    parser->scope = (uint32_t)parser->scope_count++;
}

void scope_leave(Parser *parser) {
    while (parser->open_count) {
        const Name *name =
            &parser->names[parser->open_names[parser->open_count - 1]];
        if (name->depth < parser->depth)
            break;
        *map_at(&parser->name_map, kind_salt(name->kind), name->text) =
            name->shadowed;
        parser->open_count--;
    }
    parser->depth--;
    parser->scope = parser->scopes[parser->scope];
}

void scope_begin_func(Parser *parser, PtxFunc *func) {
    parser->func = func;
    parser->order_count = parser->use_count = 0;
    parser->decl_count = 0;
    locs_begin_func(parser);
    scope_enter(parser);
}

bool scope_end_func(Parser *parser) {
    while (parser->depth > 0)
        scope_leave(parser);
    bool ok = resolve_labels(parser);
    renumber_regs(parser);
    parser->func = NULL;
    parser->loc = 0;
    return ok;
}
