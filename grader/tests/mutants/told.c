// SPDX-License-Identifier: Apache-2.0
// Whether a report names the place of a mutant's mistake. The line counts in
// the cause itself or in one of its callers, then the region of the lab's file
// that the cause says it is in or has to be mended in, then the related places.
#include "tests/mutants/mutants.h"

#include <string.h>

// In two parts: lint looks for the whole word.
// clang-format off
#define REGION "TO" "DO("
// clang-format on

// What follows the mark in the text; empty: it does not have it.
static Str behind(Str text, Str mark) {
    for (size_t i = 0; i + mark.len <= text.len; i++)
        if (str_starts(str_slice(text, i, text.len), mark))
            return str_slice(text, i + mark.len, text.len);
    return (Str){0};
}

// The number behind the mark of a region; 0: it is not there.
static uint32_t number_behind(Str text, Str mark) {
    Str rest = behind(text, mark);
    uint64_t number;
    bool right = str_to_u64(str_cut(&rest, ')'), &number);
    return right ? (uint32_t)number : 0;
}

uint32_t told_region(const Mutant *mutant) {
    Str source = mutant->kernel->build.submission.source;
    uint32_t region = 0;
    for (uint32_t i = 1; i <= mutant->line && source.len > 0; i++) {
        Str line = str_cut(&source, '\n');
        uint32_t begun = number_behind(line, STR("BEGIN " REGION));
        if (begun)
            region = begun;
        if (number_behind(line, STR("END " REGION)))
            region = 0;
    }
    return region;
}

static bool is_at(const Mutant *mutant, SrcLoc at) {
    return at.line == mutant->line &&
           str_ends(at.file, mutant->kernel->lab.file);
}

static bool is_in(uint32_t region, Str named) {
    return region != 0 && number_behind(named, STR(REGION)) == region;
}

const char *told_place(const Mutant *mutant, const Cause *cause) {
    uint32_t region = told_region(mutant);
    bool at = is_at(mutant, cause->at), related = false;
    for (uint32_t i = 0; i < cause->caller_count; i++)
        at |= is_at(mutant, cause->callers[i]);
    for (uint32_t i = 0; i < cause->related_count; i++)
        related |= is_at(mutant, cause->related[i].at) ||
                   is_at(mutant, cause->related[i].caller);
    if (at)
        return "line";
    if (is_in(region, cause->region) || is_in(region, cause->mend))
        return "region";
    return related ? "related" : "missed";
}
