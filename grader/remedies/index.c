// SPDX-License-Identifier: Apache-2.0
// What is looked up often of a function: which instruction sets a register, and
// which one is the first of those that stand once in the source. See SiteIndex.
#include "remedies/rows.h"

#include <string.h>

enum { SEVERAL = UINT32_MAX };

static void note(SiteIndex *index, const PtxFunc *entry,
                 const PtxOperand *result, uint32_t at) {
    if (result->kind == PTX_OPND_REG && result->reg < entry->reg_count) {
        uint32_t *setter = &index->setters[result->reg];
        *setter = *setter ? SEVERAL : at + 1;
    }
    for (uint32_t i = 0; i < result->elem_count; i++)
        note(index, entry, &result->elems[i], at);
}

static void find_setters(SiteIndex *index, const PtxFunc *entry) {
    for (uint32_t i = 0; i < entry->instr_count; i++)
        for (uint32_t k = 0; k < ptx_written_operands(&entry->instrs[i]); k++)
            note(index, entry, &entry->instrs[i].operands[k], i);
    for (size_t i = 0; i < entry->reg_count; i++)
        if (index->setters[i] == SEVERAL)
            index->setters[i] = 0;
}

static uint64_t hash_statement(const RemedySite *site, uint32_t at) {
    const PtxLoc *loc = place_loc(site, at);
    return hash_u64(hash_u64((uint64_t)loc->line << 32 | loc->col) ^
                    site->entry->instrs[at].op);
}

// In a table of indices + 1 that has room for twice as many.
static bool is_new(const RemedySite *site, uint32_t *table, size_t size,
                   uint32_t at) {
    size_t slot = hash_statement(site, at) & (size - 1);
    while (table[slot] && !place_is_copy(site, table[slot] - 1, at))
        slot = (slot + 1) & (size - 1);
    bool found = table[slot] != 0;
    if (!found)
        table[slot] = at + 1;
    return !found;
}

const SiteIndex *index_site(Arena *arena, const RemedySite *site) {
    const PtxFunc *entry = site->entry;
    SiteIndex *index = arena_new(arena, SiteIndex, 1);
    index->setters = arena_new(arena, uint32_t, entry->reg_count + 1);
    index->is_first = arena_new(arena, bool, entry->instr_count + 1);
    find_setters(index, entry);
    size_t size = 2;
    while (size < 2 * entry->instr_count)
        size *= 2;
    uint32_t *table = arena_new(arena, uint32_t, size);
    for (uint32_t i = 0; i < entry->instr_count; i++)
        index->is_first[i] = is_new(site, table, size, i);
    return index;
}
