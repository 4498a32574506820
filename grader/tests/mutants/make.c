// SPDX-License-Identifier: Apache-2.0
// A kernel's mutants: each operator, at each instruction, in each variant.
// Mutants equal to the kernel or to an earlier mutant are left out.
#include "tests/mutants/mutants.h"

#include <string.h>

size_t safe_operators(void) {
    return SYNC_OPERATOR_COUNT + PLAIN_OPERATOR_COUNT + WORK_OPERATOR_COUNT;
}

size_t operator_count(void) {
    return safe_operators() + SAFE_OPERATOR_COUNT;
}

const Operator *operator_number(size_t number) {
    const struct {
        const Operator *operators;
        size_t count;
    } tables[] = {{SYNC_OPERATORS, SYNC_OPERATOR_COUNT},
                  {PLAIN_OPERATORS, PLAIN_OPERATOR_COUNT},
                  {WORK_OPERATORS, WORK_OPERATOR_COUNT},
                  {SAFE_OPERATORS, SAFE_OPERATOR_COUNT}};
    size_t table = 0;
    for (; number >= tables[table].count; table++)
        number -= tables[table].count;
    return &tables[table].operators[number];
}

static uint32_t variant_count(const Operator *change) {
    uint32_t count = 0;
    while (count < MAX_VARIANTS && change->variants[count])
        count++;
    return count ? count : 1;
}

// ---- names ---------------------------------------------------------------

// The line of the learner's file that a .loc stands for; 0: none.
static uint32_t line_of_loc(const Kernel *kernel, uint32_t loc) {
    const PtxModule *module = kernel->build.submission.module;
    uint32_t line = 0;
    for (; loc; loc = module->locs[loc].inlined_at) {
        const PtxLoc *at = &module->locs[loc];
        if (at->line && str_ends(module->files[at->file], kernel->lab.file))
            line = at->line;
    }
    return line;
}

// Code without a line belongs to the code before it.
static uint32_t line_of(const Kernel *kernel, const PtxFunc *func,
                        uint32_t at) {
    for (uint32_t i = at + 1; i-- > 0;) {
        uint32_t line = line_of_loc(kernel, func->instrs[i].loc);
        if (line)
            return line;
    }
    return line_of_loc(kernel, func->loc);
}

static Str name_mutant(Arena *arena, const Mutants *mutants,
                       const Mutant *mutant) {
    const char *variant = mutant->change->variants[mutant->variant];
    Str name =
        str_format(arena, "%.*s/%s%s%s/%u", STR_ARG(mutant->kernel->name),
                   mutant->change->name, variant ? "-" : "",
                   variant ? variant : "", mutant->line);
    uint32_t number = 1;
    for (size_t i = 0; i < mutants->count; i++) {
        const Mutant *other = &mutants->items[i];
        number += other->kernel == mutant->kernel &&
                  other->change == mutant->change &&
                  other->variant == mutant->variant &&
                  other->line == mutant->line;
    }
    return number == 1 ? name
                       : str_format(arena, "%.*s.%u", STR_ARG(name), number);
}

static Str instruction_text(Arena *arena, const Mutant *mutant) {
    Buf out = {0};
    ptx_print_instr(mutant->kernel->build.submission.module, mutant->func,
                    &mutant->func->instrs[mutant->at], &out);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// ---- making --------------------------------------------------------------

static bool is_new(const Mutants *mutants, const Mutant *mutant) {
    if (mutant->hash == edit_hash(mutant->func))
        return false;
    for (size_t i = 0; i < mutants->count; i++)
        if (mutants->items[i].func == mutant->func &&
            mutants->items[i].hash == mutant->hash)
            return false;
    return true;
}

static void try_one(Arena *arena, Mutant mutant, Mutants *mutants) {
    Arena scratch = {0};
    Edit edit = edit_open(&scratch, mutant.func);
    bool made = mutant.change->apply(&edit, mutant.at, mutant.variant);
    mutant.hash = made ? edit_hash(&edit.func) : 0;
    arena_free(&scratch);
    if (!made || !is_new(mutants, &mutant))
        return;
    mutant.line = line_of(mutant.kernel, mutant.func, mutant.at);
    mutant.id = name_mutant(arena, mutants, &mutant);
    mutant.was = instruction_text(arena, &mutant);
    arena_grow(arena, mutants->items, mutants->count, mutants->capacity);
    mutants->items[mutants->count++] = mutant;
}

// The grader's own code around the learner's plan is not mutated, as a mistake
// in it would not be the learner's.
static bool is_learners(const Kernel *kernel, const PtxFunc *func,
                        uint32_t at) {
    return func == kernel->funcs[0] ||
           line_of_loc(kernel, func->instrs[at].loc) > 0;
}

void make_mutants(Arena *arena, const Kernel *kernel, Mutants *mutants) {
    for (size_t f = 0; f < kernel->func_count; f++)
        for (size_t number = 0; number < operator_count(); number++) {
            const Operator *change = operator_number(number);
            PtxFunc *func = kernel->funcs[f];
            Mutant mutant = {.kernel = kernel,
                             .func = func,
                             .change = change,
                             .safe = number >= safe_operators()};
            for (mutant.at = 0; mutant.at < func->instr_count; mutant.at++)
                for (mutant.variant = 0; is_learners(kernel, func, mutant.at) &&
                                         mutant.variant < variant_count(change);
                     mutant.variant++)
                    try_one(arena, mutant, mutants);
        }
}
