// SPDX-License-Identifier: Apache-2.0
// Instructions and the learner's lines.
#include "remedies/rows.h"

static bool is_own(const RemedySite *site, const PtxLoc *loc) {
    return loc->line && loc->file < site->module->file_count &&
           str_equal(str_base_name(site->module->files[loc->file]), site->file);
}

// Index of the innermost place in the learner's file. 0: none.
static uint32_t own_loc(const RemedySite *site, uint32_t at) {
    if (at >= site->entry->instr_count)
        return 0;
    const PtxLoc *locs = site->module->locs;
    uint32_t loc = site->entry->instrs[at].loc;
    while (loc && !is_own(site, &locs[loc]))
        loc = locs[loc].inlined_at;
    return loc;
}

const PtxLoc *place_loc(const RemedySite *site, uint32_t at) {
    return &site->module->locs[own_loc(site, at)];
}

uint32_t place_line(const RemedySite *site, uint32_t at) {
    return site->module->locs[own_loc(site, at)].line;
}

SrcLoc place_src(const RemedySite *site, uint32_t at) {
    return ptx_src(site->module, own_loc(site, at));
}

bool place_begins_line(const RemedySite *site, uint32_t at) {
    uint32_t line = place_line(site, at);
    return line && (at == 0 || place_line(site, at - 1) != line);
}

static uint32_t apart(uint32_t a, uint32_t b) {
    return a < b ? b - a : a - b;
}

uint32_t place_distance(const RemedySite *site, uint32_t line) {
    const Finding *finding = site->finding;
    uint32_t own = finding->at.line, least = apart(own, line);
    for (uint32_t i = 0; i < finding->related_count; i++) {
        uint32_t other = finding->related[i].at.line;
        if (!other)
            continue;
        uint32_t from = own < other ? own : other;
        uint32_t to = own < other ? other : own;
        uint32_t away = apart(other, line);
        if (from < line && line < to && away > 1)
            away = 1;
        least = away < least ? away : least;
    }
    return least;
}
