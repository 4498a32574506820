// SPDX-License-Identifier: Apache-2.0
// Links modules that were compiled apart (nvcc -rdc=true) into one: read
// ptx_link, at the end. A function that one module only declares becomes an
// alias of another's definition; a variable is replaced wherever it is named.
#include "ptx/ptx.h"

#include <string.h>

typedef struct Link {
    Arena *arena;
    PtxModule *out;
    PtxVar **replaced; // by PtxVar.id: what stands for the variable, or NULL
} Link;

// ---- places --------------------------------------------------------------

// Appends the module's files and locations. Number 0 is "none" in each.
static uint32_t add_places(Link *link, const PtxModule *from) {
    PtxModule *out = link->out;
    uint32_t locs = (uint32_t)out->loc_count - 1,
             files = (uint32_t)out->file_count - 1;
    for (size_t i = 1; i < from->file_count; i++) {
        arena_grow(link->arena, out->files, out->file_count,
                   out->file_capacity);
        out->files[out->file_count++] = from->files[i];
    }
    for (size_t i = 1; i < from->loc_count; i++) {
        PtxLoc loc = from->locs[i];
        loc.file += loc.file ? files : 0;
        loc.inlined_at += loc.inlined_at ? locs : 0;
        arena_grow(link->arena, out->locs, out->loc_count, out->loc_capacity);
        out->locs[out->loc_count++] = loc;
    }
    return locs;
}

static void move_places(PtxFunc *func, uint32_t by) {
    func->loc += func->loc ? by : 0;
    for (size_t i = 0; i < func->instr_count; i++)
        func->instrs[i].loc += func->instrs[i].loc ? by : 0;
}

// ---- what has the same name ----------------------------------------------

static bool is_shared_by_name(const PtxVar *var) {
    bool memory =
        var->space == PTX_SPACE_GLOBAL || var->space == PTX_SPACE_CONST;
    return memory && (var->is_extern || var->is_visible || var->is_weak ||
                      var->is_common);
}

// How good a definition is: a weak one gives way, a declaration is none.
static int rank_of_var(const PtxVar *var) {
    return var->is_extern ? 0 : var->is_weak || var->is_common ? 1 : 2;
}

static int rank_of_func(const PtxFunc *func) {
    bool defines = func->has_body || func->alias_of;
    return !defines ? 0 : func->is_weak ? 1 : 2;
}

static PtxVar *best_var(const PtxModule *out, const PtxVar *var) {
    PtxVar *best = NULL;
    for (size_t i = 0; i < out->var_count; i++) {
        PtxVar *other = out->vars[i];
        if (is_shared_by_name(other) && str_equal(other->name, var->name) &&
            (!best || rank_of_var(other) > rank_of_var(best)))
            best = other;
    }
    return best;
}

static bool is_function_shared(const PtxFunc *func) {
    return func->is_extern || func->is_visible || func->is_weak;
}

static PtxFunc *best_func(const PtxModule *out, const PtxFunc *func) {
    PtxFunc *best = NULL;
    for (size_t i = 0; i < out->func_count; i++) {
        PtxFunc *other = out->funcs[i];
        if (is_function_shared(other) && str_equal(other->name, func->name) &&
            (!best || rank_of_func(other) > rank_of_func(best)))
            best = other;
    }
    return best;
}

static void resolve_vars(Link *link) {
    PtxModule *out = link->out;
    link->replaced = arena_new(link->arena, PtxVar *, out->var_count + 1);
    for (size_t i = 0; i < out->var_count; i++) {
        PtxVar *var = out->vars[i];
        PtxVar *best = is_shared_by_name(var) ? best_var(out, var) : var;
        link->replaced[i] = best == var ? NULL : best;
    }
}

// All are found before any becomes an alias, which would change its rank.
static void resolve_funcs(Link *link) {
    PtxModule *out = link->out;
    PtxFunc **found = arena_new(link->arena, PtxFunc *, out->func_count + 1);
    for (size_t i = 0; i < out->func_count; i++)
        if (is_function_shared(out->funcs[i]))
            found[i] = best_func(out, out->funcs[i]);
    for (size_t i = 0; i < out->func_count; i++) {
        PtxFunc *func = out->funcs[i], *best = found[i];
        if (!best || best == func || rank_of_func(best) == 0)
            continue;
        func->alias_of = best->alias_of ? best->alias_of : best;
        func->has_body = false;
    }
}

// ---- replacing -----------------------------------------------------------

static void replace(const Link *link, PtxSymbol *symbol) {
    if (symbol->kind == PTX_SYM_VAR && symbol->var && !symbol->var->func &&
        link->replaced[symbol->var->id])
        symbol->var = link->replaced[symbol->var->id];
}

// Operands lie in others to a depth of a few.
static void replace_in(const Link *link, PtxOperand *operand) {
    if (operand->kind == PTX_OPND_SYMBOL || operand->kind == PTX_OPND_ADDRESS)
        replace(link, &operand->symbol);
    for (uint32_t i = 0; i < operand->elem_count; i++)
        replace_in(link, &operand->elems[i]);
}

static void replace_all(const Link *link) {
    const PtxModule *out = link->out;
    for (size_t i = 0; i < out->func_count; i++)
        for (size_t k = 0; k < out->funcs[i]->instr_count; k++) {
            PtxInstr *instr = &out->funcs[i]->instrs[k];
            for (uint32_t o = 0; o < instr->operand_count; o++)
                replace_in(link, &instr->operands[o]);
        }
    for (size_t i = 0; i < out->var_count; i++)
        for (size_t k = 0; k < out->vars[i]->reloc_count; k++)
            replace(link, &out->vars[i]->relocs[k].symbol);
}

// Definitions come before what only has their name, so that they are found.
static void drop_replaced(Link *link) {
    PtxModule *out = link->out;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < out->var_count; i++)
        if (!link->replaced[i])
            out->vars[count++] = out->vars[i];
    out->var_count = count;
    for (size_t i = 0; i < count; i++)
        out->vars[i]->id = (uint32_t)i;
    PtxFunc **sorted = arena_new(link->arena, PtxFunc *, out->func_count + 1);
    for (size_t i = 0; i < out->func_count; i++)
        if (!out->funcs[i]->alias_of)
            sorted[kept++] = out->funcs[i];
    for (size_t i = 0; i < out->func_count; i++)
        if (out->funcs[i]->alias_of)
            sorted[kept++] = out->funcs[i];
    out->funcs = sorted;
    for (size_t i = 0; i < kept; i++)
        sorted[i]->id = (uint32_t)i;
}

// ---- the whole -----------------------------------------------------------

static void add_module(Link *link, const PtxModule *from) {
    PtxModule *out = link->out;
    uint32_t moved = add_places(link, from);
    for (size_t i = 0; i < from->func_count; i++) {
        move_places(from->funcs[i], moved);
        arena_grow(link->arena, out->funcs, out->func_count,
                   out->func_capacity);
        out->funcs[out->func_count++] = from->funcs[i];
    }
    for (size_t i = 0; i < from->var_count; i++) {
        arena_grow(link->arena, out->vars, out->var_count, out->var_capacity);
        from->vars[i]->id = (uint32_t)out->var_count;
        out->vars[out->var_count++] = from->vars[i];
    }
}

PtxModule *ptx_link(Arena *arena, PtxModule *const *modules, size_t count) {
    PtxModule *out = arena_new(arena, PtxModule, 1);
    Link link = {.arena = arena, .out = out};
    *out = (PtxModule){.version_major = modules[0]->version_major,
                       .version_minor = modules[0]->version_minor,
                       .target = modules[0]->target,
                       .arch = modules[0]->arch,
                       .address_size = modules[0]->address_size};
    out->locs = arena_new(arena, PtxLoc, 1);
    out->files = arena_new(arena, Str, 1);
    out->loc_count = out->loc_capacity = 1;
    out->file_count = out->file_capacity = 1;
    for (size_t i = 0; i < count; i++)
        add_module(&link, modules[i]);
    resolve_vars(&link);
    resolve_funcs(&link);
    replace_all(&link);
    drop_replaced(&link);
    return out;
}
