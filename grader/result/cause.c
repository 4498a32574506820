// SPDX-License-Identifier: Apache-2.0
// Makes a cause of a finding, and keeps one beyond the run that it is of.
#include "result/cause.h"

#include "result/finding.h"

void cause_set_code(Arena *arena, Cause *cause, Str code) {
    cause->code = code;
    cause->explain = str_format(arena, "clclab explain %.*s", STR_ARG(code));
}

Str cause_headline(const Cause *cause) {
    return cause->headline.len ? cause->headline : cause->what;
}

bool cause_is_retried(const Cause *cause) {
    return rule_is_retried(rule_find(cause->code));
}

// The variable in shared or global memory that the finding is about.
static Str variable_of(const Cause *cause) {
    const Finding *finding = cause->finding;
    const Fact *memory =
        finding ? fact_find(finding->facts, FACT_MEMORY) : NULL;
    const Fact *name = memory ? fact_find(finding->facts, FACT_NAME) : NULL;
    return name ? name->text : (Str){0};
}

bool cause_repeats(const Cause *advisory, const Cause *error) {
    Str variable = variable_of(advisory);
    bool same_line = advisory->at.line == error->at.line &&
                     str_equal(advisory->at.file, error->at.file);
    return advisory->code.len && str_equal(advisory->code, error->code) &&
           (same_line ||
            (variable.len && str_equal(variable, variable_of(error))));
}

void cause_add_related(Cause *cause, SrcLoc at, Str what) {
    if (cause->related_count < COUNT_OF(cause->related))
        cause->related[cause->related_count++] =
            (CausePlace){.at = at, .what = what};
}

Cause cause_of_finding(Arena *arena, const Finding *finding) {
    Cause cause = {.finding = finding_copy(arena, finding),
                   .at = finding->at,
                   .via = finding->via,
                   .caller_count = finding->caller_count};
    for (uint32_t i = 0; i < finding->caller_count; i++)
        cause.callers[i] = finding->callers[i];
    for (uint32_t i = 0; i < finding->related_count; i++) {
        cause_add_related(&cause, finding->related[i].at, (Str){0});
        cause.related[i].caller = finding->related[i].caller;
    }
    if (finding->rule) {
        cause_set_code(arena, &cause, rule_code(finding->rule));
        cause.in_order = rule_tells_order(finding->rule);
    }
    return cause;
}

Str remedy_name(RemedyKind kind) {
    static const Str names[REMEDY_COUNT] = {
#define NAME(id, name) [REMEDY_##id] = {name, sizeof name - 1},
        REMEDIES(NAME)
#undef NAME
    };
    return names[kind];
}

static void keep_advice(Arena *arena, CauseAdvice *advice) {
    advice->follows = str_copy(arena, advice->follows);
    advice->what = str_copy(arena, advice->what);
    for (uint32_t i = 0; i < advice->edit_count; i++) {
        AdviceEdit *edit = &advice->edits[i];
        edit->at.file = str_copy(arena, edit->at.file);
        edit->facts = facts_copy(arena, edit->facts);
    }
}

void cause_keep(Arena *arena, Cause *cause) {
    keep_advice(arena, &cause->advice);
    Str *const texts[] = {
        &cause->headline, &cause->what,    &cause->expected, &cause->actual,
        &cause->missing,  &cause->help,    &cause->who,      &cause->region,
        &cause->mend,     &cause->explain, &cause->at.file,  &cause->via.file,
        &cause->schedule, &cause->on_card, &cause->context,  &cause->replay};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = str_copy(arena, *texts[i]);
    for (uint32_t i = 0; i < cause->related_count; i++) {
        cause->related[i].what = str_copy(arena, cause->related[i].what);
        cause->related[i].at.file = str_copy(arena, cause->related[i].at.file);
        cause->related[i].caller.file =
            str_copy(arena, cause->related[i].caller.file);
    }
    for (uint32_t i = 0; i < cause->caller_count; i++)
        cause->callers[i].file = str_copy(arena, cause->callers[i].file);
}
