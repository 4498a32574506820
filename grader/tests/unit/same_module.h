// SPDX-License-Identifier: Apache-2.0
// Compares two PtxModules, for tests that print a module and parse it again:
// see module_difference, at the end.
#ifndef CLCLAB_TESTS_SAME_MODULE_H
#define CLCLAB_TESTS_SAME_MODULE_H

#include "ptx/ptx.h"

#include <string.h>

// Names are not compared: what was shadowed is printed under another name.
static inline bool same_symbol(PtxSymbol a, PtxSymbol b) {
    if (a.kind != b.kind)
        return false;
    return a.kind == PTX_SYM_FUNC
               ? str_equal(a.func->name, b.func->name)
               : a.var->id == b.var->id && !a.var->func == !b.var->func;
}

static inline bool same_operands(const PtxOperand *a, const PtxOperand *b,
                                 uint32_t count) {
    for (uint32_t i = 0; i < count; i++, a++, b++) {
        bool is_symbol =
            a->kind == PTX_OPND_SYMBOL || a->base == PTX_BASE_SYMBOL;
        if (a->kind != b->kind || a->negated != b->negated ||
            a->base != b->base || a->reg != b->reg || a->sreg != b->sreg ||
            a->select != b->select || a->parts != b->parts ||
            a->target != b->target || a->imm != b->imm ||
            a->elem_count != b->elem_count ||
            (is_symbol && !same_symbol(a->symbol, b->symbol)) ||
            !same_operands(a->elems, b->elems, a->elem_count))
            return false;
    }
    return true;
}

static inline bool same_instr(const PtxInstr *a, const PtxInstr *b) {
    return a->op == b->op && a->mod_count == b->mod_count &&
           a->type_count == b->type_count &&
           a->operand_count == b->operand_count && a->guard == b->guard &&
           a->guard_negated == b->guard_negated && a->loc == b->loc &&
           a->branch_targets == b->branch_targets &&
           a->call_proto == b->call_proto &&
           memcmp(a->mods, b->mods, sizeof a->mods) == 0 &&
           memcmp(a->types, b->types, sizeof a->types) == 0 &&
           same_operands(a->operands, b->operands, a->operand_count);
}

static inline bool same_bytes(const PtxVar *a, const PtxVar *b) {
    if (!a->init || !b->init)
        return !a->init && !b->init;
    return memcmp(a->init, b->init, (size_t)a->size) == 0;
}

static inline bool same_var(const PtxVar *a, const PtxVar *b) {
    bool same = a->space == b->space && a->type == b->type &&
                a->vector == b->vector && a->align == b->align &&
                a->size == b->size && a->is_array == b->is_array &&
                a->is_extern == b->is_extern &&
                a->is_visible == b->is_visible && a->is_weak == b->is_weak &&
                a->is_common == b->is_common && a->is_ptr == b->is_ptr &&
                a->ptr_space == b->ptr_space && a->ptr_align == b->ptr_align &&
                a->is_managed == b->is_managed && a->reg == b->reg &&
                a->reloc_count == b->reloc_count && same_bytes(a, b);
    for (size_t i = 0; same && i < a->reloc_count; i++) {
        const PtxReloc *x = &a->relocs[i], *y = &b->relocs[i];
        same = x->offset == y->offset && x->size == y->size &&
               x->generic == y->generic && x->addend == y->addend &&
               x->shift == y->shift && same_symbol(x->symbol, y->symbol);
    }
    return same;
}

static inline bool same_vars(PtxVar **a, size_t a_count, PtxVar **b,
                             size_t b_count) {
    bool same = a_count == b_count;
    for (size_t i = 0; same && i < a_count; i++)
        same = same_var(a[i], b[i]);
    return same;
}

static inline bool same_tables(const PtxFunc *a, const PtxFunc *b) {
    bool same =
        a->table_count == b->table_count && a->proto_count == b->proto_count;
    for (size_t i = 0; same && i < a->table_count; i++) {
        const PtxTable *x = &a->tables[i], *y = &b->tables[i];
        same = x->count == y->count && !x->funcs == !y->funcs;
        for (size_t k = 0; same && k < x->count; k++)
            same = x->funcs ? x->funcs[k]->id == y->funcs[k]->id
                            : x->labels[k] == y->labels[k];
    }
    for (size_t i = 0; same && i < a->proto_count; i++) {
        const PtxProto *x = &a->protos[i], *y = &b->protos[i];
        same =
            x->is_noreturn == y->is_noreturn &&
            same_vars(x->params, x->param_count, y->params, y->param_count) &&
            same_vars(x->results, x->result_count, y->results, y->result_count);
    }
    return same;
}

static inline bool same_body(const PtxFunc *a, const PtxFunc *b) {
    bool same = a->reg_count == b->reg_count &&
                a->instr_count == b->instr_count &&
                a->label_count == b->label_count &&
                a->pragma_count == b->pragma_count &&
                same_vars(a->vars, a->var_count, b->vars, b->var_count) &&
                same_tables(a, b);
    for (size_t i = 0; same && i < a->reg_count; i++)
        same = a->regs[i].type == b->regs[i].type &&
               a->regs[i].vector == b->regs[i].vector;
    for (size_t i = 0; same && i < a->instr_count; i++)
        same = same_instr(&a->instrs[i], &b->instrs[i]);
    for (size_t i = 0; same && i < a->label_count; i++)
        same = a->labels[i].target == b->labels[i].target;
    for (size_t i = 0; same && i < a->pragma_count; i++)
        same = a->pragmas[i].target == b->pragmas[i].target &&
               str_equal(a->pragmas[i].text, b->pragmas[i].text);
    return same;
}

static inline bool same_dim(PtxDim3 a, PtxDim3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline bool same_func(const PtxFunc *a, const PtxFunc *b) {
    return str_equal(a->name, b->name) && a->is_entry == b->is_entry &&
           a->is_extern == b->is_extern && a->is_visible == b->is_visible &&
           a->is_weak == b->is_weak && a->is_noreturn == b->is_noreturn &&
           a->has_body == b->has_body && !a->alias_of == !b->alias_of &&
           a->explicit_cluster == b->explicit_cluster &&
           a->blocks_are_clusters == b->blocks_are_clusters &&
           same_dim(a->max_threads, b->max_threads) &&
           same_dim(a->req_threads, b->req_threads) &&
           same_dim(a->req_cluster, b->req_cluster) &&
           a->max_cluster == b->max_cluster && a->max_regs == b->max_regs &&
           a->min_ctas == b->min_ctas && a->loc == b->loc && a->id == b->id &&
           same_vars(a->params, a->param_count, b->params, b->param_count) &&
           same_vars(a->results, a->result_count, b->results,
                     b->result_count) &&
           same_body(a, b);
}

static inline bool same_locs(const PtxModule *a, const PtxModule *b) {
    bool same = a->loc_count == b->loc_count && a->file_count == b->file_count;
    for (size_t i = 0; same && i < a->loc_count; i++) {
        const PtxLoc *x = &a->locs[i], *y = &b->locs[i];
        same = x->file == y->file && x->line == y->line && x->col == y->col &&
               x->inlined_at == y->inlined_at &&
               str_equal(x->function, y->function);
    }
    for (size_t i = 0; same && i < a->file_count; i++)
        same = str_equal(a->files[i], b->files[i]);
    return same;
}

// NULL if the modules are the same; otherwise what differs.
static inline const char *module_difference(const PtxModule *a,
                                            const PtxModule *b) {
    if (a->version_major != b->version_major ||
        a->version_minor != b->version_minor ||
        a->address_size != b->address_size || !str_equal(a->target, b->target))
        return "version, target or address size";
    if (!same_vars(a->vars, a->var_count, b->vars, b->var_count))
        return "variables";
    if (!same_locs(a, b))
        return "locations";
    if (a->func_count != b->func_count)
        return "number of functions";
    for (size_t i = 0; i < a->func_count; i++)
        if (!same_func(a->funcs[i], b->funcs[i]))
            return "a function";
    return NULL;
}

#endif
