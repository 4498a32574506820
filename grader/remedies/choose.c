// SPDX-License-Identifier: Apache-2.0
// The candidates for a finding: each row that is for its rule, at each
// instruction of the learner's where it fits. Many are made, the likeliest are
// kept; nothing is run here.
#include "remedies/rows.h"

#include <stdlib.h>
#include <string.h>

static const RemedyTable *const TABLES[] = {
    &REMEDIES_OF_ORDER,    &REMEDIES_OF_BARRIERS, &REMEDIES_OF_COUNTS,
    &REMEDIES_OF_TARGETS,  &REMEDIES_OF_WAITS,    &REMEDIES_OF_STRENGTH,
    &REMEDIES_OF_MOVES,    &REMEDIES_OF_GUARDS,   &REMEDIES_OF_WORK,
    &REMEDIES_OF_PROLOGUE, &REMEDIES_OF_ANSWERS,  &REMEDIES_OF_NUMBERS};

enum {
    LINE_COUNTS = 4,  // in the rank, for each line between,
    LEAST_LINES = 2,  // for what is always far
    FAR_LINES = 8,    // but no more than so many: what is far may be anywhere
    MOST_OF_KIND = 8, // else what fits everywhere leaves no room for others
    // A kernel of hostile size costs no more than a large one.
    MOST_INSTRS = 4096, // of the entry; longer ones get no advice
    MOST_CHOICES = 1 << 15,
    MOST_MADE = 1024,      // edits, those that cannot be made as well
    MOST_COPIED = 1 << 20, // instructions of all of these
};

// ---- one edit ------------------------------------------------------------

static bool make(Arena *arena, const RemedySite *site, const Remedy *remedy,
                 Mending *mending) {
    *mending = (Mending){.site = site,
                         .kind = remedy->row->kind,
                         .edit = edit_open(arena, site->entry),
                         .at = remedy->at};
    return remedy->row->make(mending, remedy->at, remedy->variant);
}

const PtxModule *remedy_apply(Arena *arena, const RemedySite *site,
                              const Remedy *remedy) {
    Mending mending;
    RemedySite indexed = *site;
    indexed.index = index_site(arena, site);
    if (!make(arena, &indexed, remedy, &mending))
        return NULL;
    PtxModule *module = arena_new(arena, PtxModule, 1);
    PtxFunc *entry = arena_new(arena, PtxFunc, 1);
    *module = edit_module(&mending.edit, site->module);
    edit_install_apart(&mending.edit, entry);
    module->funcs = arena_new(arena, PtxFunc *, site->module->func_count + 1);
    memcpy(module->funcs, site->module->funcs,
           site->module->func_count * sizeof *module->funcs);
    module->funcs[site->entry->id] = entry;
    return module;
}

// ---- candidates ----------------------------------------------------------

typedef struct Choice {
    Arena *arena; // of the list
    const RemedySite *site;
    Remedy *list;
    size_t count, capacity;
} Choice;

static void consider(Choice *choice, const RemedyRow *row, uint32_t at,
                     uint32_t variant) {
    uint32_t line = place_line(choice->site, at);
    uint32_t away = place_distance(choice->site, line);
    uint32_t most = row->rules & FROM_FAR ? LEAST_LINES : FAR_LINES;
    away = away < most ? away : most;
    if (choice->count == MOST_CHOICES)
        return;
    if (choice->count == choice->capacity) {
        size_t more = choice->capacity ? 2 * choice->capacity : 256;
        Remedy *list = arena_new(choice->arena, Remedy, more);
        if (choice->count)
            memcpy(list, choice->list, choice->count * sizeof *list);
        choice->list = list;
        choice->capacity = more;
    }
    choice->list[choice->count++] =
        (Remedy){.told = {.kind = row->kind},
                 .row = row,
                 .at = at,
                 .variant = variant,
                 .rank = row->cost + variant + LINE_COUNTS * away};
}

static void consider_row(Choice *choice, const RemedyRow *row) {
    const RemedySite *site = choice->site;
    if (!(row->rules >> site->finding->rule & 1))
        return;
    for (uint32_t at = 0; at < site->entry->instr_count; at++)
        if (place_line(site, at) && row->fits(site, at))
            for (uint32_t i = 0; i < row->variants; i++)
                consider(choice, row, at, i);
}

static int by_rank(const void *a, const void *b) {
    const Remedy *left = a, *right = b;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    if (left->row->kind != right->row->kind)
        return left->row->kind < right->row->kind ? -1 : 1;
    if (left->at != right->at)
        return left->at < right->at ? -1 : 1;
    return left->variant < right->variant ? -1 : left->variant > right->variant;
}

static bool is_among(const uint64_t *hashes, size_t count, uint64_t hash) {
    for (size_t i = 0; i < count; i++)
        if (hashes[i] == hash)
            return true;
    return false;
}

static void tell_edit(Arena *arena, const RemedySite *site,
                      const Mending *mending, Remedy *remedy) {
    remedy->told.at = place_src(site, mending->at);
    remedy->told.facts =
        facts_copy(arena, (Facts){mending->facts, mending->fact_count});
}

// The likeliest of them that can be made.
static size_t make_likeliest(Arena *arena, const Choice *choice, Remedy *list,
                             size_t most) {
    const RemedySite *site = choice->site;
    size_t length = site->entry->instr_count + 1, made = MOST_COPIED / length;
    made = made < MOST_MADE ? made : MOST_MADE;
    uint64_t *hashes = arena_new(choice->arena, uint64_t, most + 1);
    size_t count = 0, of_kind[REMEDY_COUNT] = {0};
    hashes[0] = edit_hash(site->entry);
    for (size_t i = 0; i < choice->count && count < most && made > 0; i++) {
        Mending mending;
        Arena of_edit = {0};
        size_t *same = &of_kind[choice->list[i].row->kind];
        if (*same == MOST_OF_KIND)
            continue;
        made--;
        if (make(&of_edit, site, &choice->list[i], &mending)) {
            uint64_t hash = edit_hash(&mending.edit.func);
            if (!is_among(hashes, count + 1, hash)) {
                hashes[count + 1] = hash;
                list[count] = choice->list[i];
                ++*same;
                tell_edit(arena, site, &mending, &list[count++]);
            }
        }
        arena_free(&of_edit);
    }
    return count;
}

size_t remedies_choose(Arena *arena, const RemedySite *site, Remedy *list,
                       size_t most) {
    Arena scratch = {0};
    RemedySite indexed = *site;
    if (site->entry->instr_count == 0 || site->entry->instr_count > MOST_INSTRS)
        return 0;
    indexed.index = index_site(&scratch, site);
    Choice choice = {.arena = &scratch, .site = &indexed};
    for (size_t t = 0; t < COUNT_OF(TABLES); t++)
        for (size_t i = 0; i < TABLES[t]->count; i++)
            consider_row(&choice, &TABLES[t]->rows[i]);
    if (choice.count)
        qsort(choice.list, choice.count, sizeof *choice.list, by_rank);
    size_t count = make_likeliest(arena, &choice, list, most);
    arena_free(&scratch);
    return count;
}
