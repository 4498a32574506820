// SPDX-License-Identifier: Apache-2.0
// What fuzzing requires of gpu_rewrite, for any module that parses and each
// kind of text that a GPU gets: it gives errors with a text, or a PTX text that
// parses, has the right target, table and kernels, and has no request if CLC is
// emulated. Rewriting again gives the same text.
#ifndef CLCLAB_TESTS_FUZZ_TARGET_REWRITE_H
#define CLCLAB_TESTS_FUZZ_TARGET_REWRITE_H

#include "gpu/rewrite.h"
#include "gpu/table.h"
#include "tests/fuzz/target_ptx.h"

static inline const PtxFunc *fuzz_first(const PtxModule *module,
                                        bool is_entry) {
    for (size_t i = 0; i < module->func_count; i++)
        if (module->funcs[i]->is_entry == is_entry)
            return module->funcs[i];
    return NULL;
}

static inline size_t fuzz_entries(const PtxModule *module) {
    size_t count = 0;
    for (size_t i = 0; i < module->func_count; i++)
        count += module->funcs[i]->is_entry;
    return count;
}

static inline void fuzz_check_rewritten(Arena *arena, const PtxModule *module,
                                        const GpuRewrite *how, Str text) {
    Diags diags = diags_new(arena);
    const PtxModule *second =
        ptx_parse(arena, STR("rewritten.ptx"), text, &diags);
    if (!second)
        FUZZ_REQUIRE(diags.count == 0, "for %.*s%s it parses: line %u: %.*s",
                     STR_ARG(how->target), how->emulate ? ", emulated" : "",
                     diags.items[0].at.line, STR_ARG(diags.items[0].what));
    bool has_table = how->emulate || how->ledger || how->calls_of.len;
    FUZZ_REQUIRE(str_starts(second->target, how->target), "it has the target");
    FUZZ_REQUIRE(fuzz_entries(second) == fuzz_entries(module),
                 "it has the same kernels");
    FUZZ_REQUIRE(!how->emulate || !gpu_makes_requests(second),
                 "no request is left");
    FUZZ_REQUIRE(!has_table || ptx_find_var(second, STR(GPU_TABLE_NAME)),
                 "it has the table");
}

static inline void fuzz_rewrite_once(Arena *arena, const PtxModule *module,
                                     const GpuRewrite *how) {
    Diags diags = diags_new(arena);
    Str text = {0}, again = {0};
    if (!gpu_rewrite(arena, module, how, &text, &diags)) {
        FUZZ_REQUIRE(diags.errors > 0, "no text has an error");
        for (size_t i = 0; i < diags.count; i++)
            FUZZ_REQUIRE(diags.items[i].what.len > 0, "an error says what");
        return;
    }
    fuzz_check_rewritten(arena, module, how, text);
    FUZZ_REQUIRE(gpu_rewrite(arena, module, how, &again, &diags) &&
                     str_equal(text, again),
                 "rewritten twice, it is the same text");
}

static inline void fuzz_rewrite(const uint8_t *data, size_t size) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    Str text = {(const char *)data, size};
    const PtxModule *module = ptx_parse(&arena, STR("fuzz.ptx"), text, &diags);
    const PtxFunc *kernel = module ? fuzz_first(module, true) : NULL;
    const PtxFunc *called = module ? fuzz_first(module, false) : NULL;
    Str name = kernel ? kernel->name : (Str){0};
    Str prologue = called ? called->name : (Str){0};
    const GpuRewrite kinds[] = {
        {.target = STR("sm_120f")},
        {.target = STR("sm_100a"),
         .kernel = name,
         .ledger = true,
         .calls_of = prologue},
        {.target = STR("sm_90a"), .emulate = true},
        {.target = STR("sm_90a"),
         .kernel = name,
         .emulate = true,
         .ledger = true,
         .calls_of = prologue},
        {.target = STR("sm_90"),
         .kernel = name,
         .emulate = true,
         .ledger = true,
         .keeps_index = true},
    };
    for (size_t i = 0; module && i < sizeof kinds / sizeof kinds[0]; i++)
        fuzz_rewrite_once(&arena, module, &kinds[i]);
    arena_free(&arena);
}

#endif
