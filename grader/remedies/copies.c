// SPDX-License-Identifier: Apache-2.0
// The copies of a statement: see rows.h.
#include "remedies/rows.h"

static bool is_copy(const RemedySite *site, uint32_t at, uint32_t other) {
    const PtxInstr *instrs = site->entry->instrs;
    const PtxLoc *a = place_loc(site, at), *b = place_loc(site, other);
    return instrs[at].op == instrs[other].op && a->line == b->line &&
           a->col == b->col;
}

bool place_is_first(const RemedySite *site, uint32_t at) {
    for (uint32_t i = 0; i < at; i++)
        if (is_copy(site, at, i))
            return false;
    return true;
}

bool mend_copies(Mending *mending, uint32_t at, uint32_t variant,
                 MendOne *mend) {
    const RemedySite *site = mending->site;
    for (uint32_t i = (uint32_t)site->entry->instr_count; i-- > 0;)
        if (is_copy(site, at, i) && !mend(mending, i, variant))
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

bool mend_lines(Mending *mending, uint32_t at, uint32_t variant,
                MendOne *mend) {
    const RemedySite *site = mending->site;
    for (uint32_t i = (uint32_t)site->entry->instr_count; i-- > 0;)
        if ((i == at || is_other_begin(site, at, i)) &&
            !mend(mending, i, variant))
            return false;
    return true;
}
