// SPDX-License-Identifier: Apache-2.0
// What a row is given to make an edit: facts for its phrase, and the copies of
// a statement. See rows.h.
#include "remedies/rows.h"
#include "remedies/what.h"

#include <string.h>

void mending_add_fact(Mending *mending, Fact fact) {
    if (mending->fact_count < REMEDY_MOST_FACTS)
        mending->facts[mending->fact_count++] = fact;
}

enum { MOST_COPIES = 256 };

// The suffixes tell the sum of an address from the sum in a statement.
bool place_is_copy(const RemedySite *site, uint32_t at, uint32_t other) {
    const PtxInstr *one = &site->entry->instrs[at];
    const PtxInstr *two = &site->entry->instrs[other];
    if (one->op != two->op || one->mod_count != two->mod_count ||
        memcmp(one->mods, two->mods, one->mod_count * sizeof *one->mods) != 0)
        return false;
    const PtxLoc *a = place_loc(site, at), *b = place_loc(site, other);
    return a->line == b->line && a->col == b->col;
}

bool place_is_first(const RemedySite *site, uint32_t at) {
    return site->index->is_first[at];
}

bool mend_copies(Mending *mending, uint32_t at, uint32_t variant,
                 MendOne *mend) {
    const RemedySite *site = mending->site;
    uint32_t copies = 0;
    for (uint32_t i = (uint32_t)site->entry->instr_count; i-- > 0;)
        if (place_is_copy(site, at, i) &&
            (copies++ == MOST_COPIES || !mend(mending, i, variant)))
            return false;
    return true;
}

// Whether the line begins here for an inlined call for which it has not begun
// before. The instructions of one line may lie apart.
static bool is_other_begin(const RemedySite *site, uint32_t at,
                           uint32_t other) {
    const PtxLoc *line = place_loc(site, at), *loc = place_loc(site, other);
    if (!place_begins_line(site, other) || loc->line != line->line ||
        loc->inlined_at == line->inlined_at)
        return false;
    for (uint32_t i = 0; i < other; i++)
        if (place_loc(site, i)->line == loc->line &&
            place_loc(site, i)->inlined_at == loc->inlined_at)
            return false;
    return true;
}

// The branch that repeats a wait whose loop begins here; `at`: none does.
static uint32_t repeat_at(const PtxFunc *entry, uint32_t at) {
    enum { NEAR = 8 };
    for (uint32_t i = at; i < entry->instr_count && i < at + NEAR; i++) {
        uint32_t end = end_of_wait(entry, i);
        if (is_wait(&entry->instrs[i]) && end != i)
            return entry->labels[entry->instrs[end].operands[0].target]
                               .target == at
                       ? end
                       : at;
    }
    return at;
}

void mend_loop_head(Mending *mending, uint32_t at, size_t before) {
    const PtxFunc *entry = mending->site->entry;
    Edit *edit = &mending->edit;
    uint32_t added = (uint32_t)(edit->func.instr_count - before);
    uint32_t branch = repeat_at(entry, at);
    if (branch != at)
        edit->func.instrs[branch + added].operands[0].target =
            edit_new_label(edit, at + added);
}

static bool mend_line(Mending *mending, uint32_t at, uint32_t variant,
                      MendOne *mend) {
    size_t before = mending->edit.func.instr_count;
    if (!mend(mending, at, variant))
        return false;
    mend_loop_head(mending, at, before);
    return true;
}

bool mend_lines(Mending *mending, uint32_t at, uint32_t variant,
                MendOne *mend) {
    const RemedySite *site = mending->site;
    uint32_t copies = 0;
    for (uint32_t i = (uint32_t)site->entry->instr_count; i-- > 0;)
        if ((i == at || is_other_begin(site, at, i)) &&
            (copies++ == MOST_COPIES || !mend_line(mending, i, variant, mend)))
            return false;
    return true;
}
