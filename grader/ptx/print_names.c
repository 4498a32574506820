// SPDX-License-Identifier: Apache-2.0
// Gives everything in a function a unique name: the first thing with a name
// keeps it, the next ones become name$1, name$2, ... Parsing the printed text
// and printing it again gives the same names.
//
// A register range "%r<38>" takes all its names at once, so ranges are named
// first. Of two ranges with the same prefix, the second is printed as a list of
// registers.
#include "ptx/numbered.h"
#include "ptx/print.h"

// Salts of `taken`. A function's have printer->names_used in the upper half,
// which changes each time a header is printed.
enum {
    SALT_TAKEN,    // name -> the next number to try after '$'
    SALT_RANGE,    // prefix -> N
    SALT_PREFIXES, // a name without the digits at its end
};

static uint64_t func_salt(const Printer *printer, uint32_t kind) {
    return (uint64_t)printer->names_used << 32 | kind;
}

static bool in_a_range(const Printer *printer, Str name) {
    NumberedName numbered = numbered_name(name);
    uint64_t salt = func_salt(printer, SALT_RANGE);
    return map_get(&printer->taken, salt, numbered.prefix) > numbered.number;
}

static void add_prefix(Printer *printer, uint64_t salt, Str name) {
    *map_at(&printer->taken, salt, numbered_name(name).prefix) = 1;
}

// ---- taking names --------------------------------------------------------

static bool is_taken(const Printer *printer, Str name) {
    return map_get(&printer->taken, SALT_TAKEN, name) ||
           map_get(&printer->taken, func_salt(printer, SALT_TAKEN), name) ||
           in_a_range(printer, name);
}

static Str take(Printer *printer, Str name) {
    uint64_t salt = func_salt(printer, SALT_TAKEN);
    if (!is_taken(printer, name)) {
        *map_at(&printer->taken, salt, name) = 1;
        return name;
    }
    for (;;) {
        uint32_t *next = map_at(&printer->taken, salt, name);
        *next += *next == 0;
        Str other =
            str_format(&printer->scratch, "%.*s$%u", STR_ARG(name), (*next)++);
        if (!is_taken(printer, other)) {
            *map_at(&printer->taken, salt, other) = 1;
            return other;
        }
    }
}

void print_name_module(Printer *printer) {
    const PtxModule *module = printer->module;
    for (size_t i = 0; i < module->var_count; i++) {
        *map_at(&printer->taken, SALT_TAKEN, module->vars[i]->name) = 1;
        add_prefix(printer, SALT_PREFIXES, module->vars[i]->name);
    }
    for (size_t i = 0; i < module->func_count; i++) {
        *map_at(&printer->taken, SALT_TAKEN, module->funcs[i]->name) = 1;
        add_prefix(printer, SALT_PREFIXES, module->funcs[i]->name);
    }
}

// ---- ranges --------------------------------------------------------------

// Registers of one range are consecutive, with ascending numbers.
static bool continues(const PtxReg *a, const PtxReg *b) {
    if (b->range == 0 || a->range != b->range || a->type != b->type ||
        a->vector != b->vector)
        return false;
    NumberedName left = numbered_name(a->name), right = numbered_name(b->name);
    return str_equal(left.prefix, right.prefix) && left.number < right.number;
}

static bool claim_range(Printer *printer, const PtxReg *reg) {
    Str prefix = str_slice(reg->name, 0, reg->prefix);
    uint32_t *place =
        map_at(&printer->taken, func_salt(printer, SALT_RANGE), prefix);
    if (*place != 0 || map_get(&printer->taken, SALT_PREFIXES, prefix) ||
        map_get(&printer->taken, func_salt(printer, SALT_PREFIXES), prefix))
        return false;
    *place = reg->range;
    return true;
}

static void claim_ranges(Printer *printer) {
    const PtxFunc *func = printer->func;
    uint8_t *kinds = printer->names.ranges;
    for (size_t i = 0; i < func->reg_count; i++) {
        const PtxReg *reg = &func->regs[i];
        bool follows = i > 0 && continues(reg - 1, reg);
        if (kinds[i] == REG_FORMAL || reg->range == 0)
            continue;
        if (follows)
            kinds[i] = kinds[i - 1] == REG_LISTED ? REG_LISTED : REG_RANGE_REST;
        else if (claim_range(printer, reg))
            kinds[i] = REG_RANGE_FIRST;
    }
}

// ---- functions -----------------------------------------------------------

static void name_formals(Printer *printer, PtxVar **formals, size_t count,
                         Str *out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = take(printer, formals[i]->name);
        add_prefix(printer, func_salt(printer, SALT_PREFIXES), out[i]);
        if (formals[i]->space == PTX_SPACE_REG && printer->func->has_body) {
            printer->names.regs[formals[i]->reg] = out[i];
            printer->names.ranges[formals[i]->reg] = REG_FORMAL;
        }
    }
}

static void name_regs(Printer *printer) {
    const FuncNames *names = &printer->names;
    for (size_t i = 0; i < printer->func->reg_count; i++) {
        Str name = printer->func->regs[i].name;
        if (names->ranges[i] == REG_LISTED)
            names->regs[i] = take(printer, name);
        else if (names->ranges[i] != REG_FORMAL)
            names->regs[i] = name;
    }
}

static FuncNames names_new(Printer *printer) {
    const PtxFunc *func = printer->func;
    Arena *arena = &printer->scratch;
    return (FuncNames){
        .params = arena_new(arena, Str, func->param_count),
        .results = arena_new(arena, Str, func->result_count),
        .regs = arena_new(arena, Str, func->reg_count),
        .vars = arena_new(arena, Str, func->var_count),
        .labels = arena_new(arena, Str, func->label_count),
        .tables = arena_new(arena, Str, func->table_count),
        .protos = arena_new(arena, Str, func->proto_count),
        .ranges = arena_new(arena, uint8_t, func->reg_count),
    };
}

void print_name_func(Printer *printer) {
    const PtxFunc *func = printer->func;
    FuncNames *names = &printer->names;
    printer->names_used++;
    *names = names_new(printer);
    name_formals(printer, func->results, func->result_count, names->results);
    name_formals(printer, func->params, func->param_count, names->params);
    claim_ranges(printer);
    name_regs(printer);
    for (size_t i = 0; i < func->var_count; i++)
        names->vars[i] = take(printer, func->vars[i]->name);
    for (size_t i = 0; i < func->label_count; i++)
        names->labels[i] = take(printer, func->labels[i].name);
    for (size_t i = 0; i < func->table_count; i++)
        names->tables[i] = take(printer, func->tables[i].name);
    for (size_t i = 0; i < func->proto_count; i++)
        names->protos[i] = take(printer, func->protos[i].name);
}

Str print_name_of_reg(const Printer *printer, uint32_t reg) {
    return printer->names.regs ? printer->names.regs[reg]
                               : printer->func->regs[reg].name;
}

Str print_name_of_var(const Printer *printer, const PtxVar *var) {
    const FuncNames *names = &printer->names;
    if (var->func != printer->func || !names->vars)
        return var->name;
    if (!var->is_formal)
        return names->vars[var->id];
    bool is_param =
        var->id < var->func->param_count && var->func->params[var->id] == var;
    return is_param ? names->params[var->id] : names->results[var->id];
}

Str ptx_printed_reg(const PtxPrinter *printer, uint32_t reg) {
    return print_name_of_reg(printer, reg);
}
