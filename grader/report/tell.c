// SPDX-License-Identifier: Apache-2.0
// Fills in the texts of a result's causes that come from findings, and says
// what every report shows of a cause: what heals, what was found, which call
// led to a place.
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
    Words words = {&words_english, result->dialect};
    if (result->obeyed.number)
        result->obeyed_what = words_edit(&words, arena, &result->obeyed);
}

// A sentence about what was tried begins with the word that is its label here.
ReportHelp report_help(const Cause *cause) {
    static const Str tried = {"Tried: ", 7};
    ReportHelp help = {"help", cause->help, "region", cause->region};
    if (cause->advice.what.len) {
        help.label = "tried";
        if (str_starts(help.text, tried))
            help.text = str_slice(help.text, tried.len, help.text.len);
    }
    if (cause->mend.len) {
        help.where = "mend in";
        help.region = cause->mend;
    }
    return help;
}

Str report_found(const Cause *cause) {
    bool is_said = str_ends(cause->what, cause_headline(cause));
    return is_said ? (Str){0} : cause->what;
}

uint32_t report_called_line(const CausePlace *place) {
    SrcLoc at = place->at, caller = place->caller;
    return str_equal(at.file, caller.file) && at.line != caller.line
               ? caller.line
               : 0;
}
