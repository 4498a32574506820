// SPDX-License-Identifier: Apache-2.0
// Fills in the texts of a result's causes that come from findings, and says
// which call led to a place.
#include "report/internal.h"
#include "words/words.h"

static void tell_all(Arena *arena, Dialect dialect, Cause *causes,
                     size_t count) {
    Words words = {&words_english, dialect};
    for (size_t i = 0; i < count; i++)
        words_tell(&words, arena, &causes[i]);
}

void report_tell(Arena *arena, Result *result) {
    Dialect dialect = result->dialect;
    for (size_t i = 0; i < result->check_count; i++)
        tell_all(arena, dialect, result->checks[i].causes,
                 result->checks[i].cause_count);
    tell_all(arena, dialect, result->advisories, result->advisory_count);
    Words words = {&words_english, dialect};
    if (result->obeyed.number)
        result->obeyed_what = words_edit(&words, arena, &result->obeyed);
}

void report_tell_launch(Arena *arena, LaunchResult *result) {
    for (size_t i = 0; i < result->finding_count; i++)
        tell_all(arena, result->dialect, &result->findings[i].cause, 1);
}

uint32_t report_called_line(const CausePlace *place) {
    SrcLoc at = place->at, caller = place->caller;
    return str_equal(at.file, caller.file) && at.line != caller.line
               ? caller.line
               : 0;
}
