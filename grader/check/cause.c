// SPDX-License-Identifier: Apache-2.0
// Making Causes: from a place, a finding, a message; in which run, how to
// replay.
#include "check/internal.h"

Cause cause_at(SrcLoc at, Str what, Str help) {
    return (Cause){.at = at, .what = what, .help = help};
}

void cause_add_related(Cause *cause, SrcLoc at, Str what) {
    if (cause->related_count < COUNT_OF(cause->related))
        cause->related[cause->related_count++] =
            (RelatedPlace){.at = at, .what = what};
}

void cause_keep(Arena *arena, Cause *cause) {
    Str *const texts[] = {&cause->what,    &cause->expected, &cause->actual,
                          &cause->missing, &cause->help,     &cause->who,
                          &cause->region,  &cause->mend,     &cause->explain,
                          &cause->at.file, &cause->via.file, &cause->context,
                          &cause->replay};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = str_copy(arena, *texts[i]);
    for (uint32_t i = 0; i < cause->related_count; i++) {
        cause->related[i].what = str_copy(arena, cause->related[i].what);
        cause->related[i].at.file = str_copy(arena, cause->related[i].at.file);
    }
    for (uint32_t i = 0; i < cause->caller_count; i++)
        cause->callers[i].file = str_copy(arena, cause->callers[i].file);
}

// ---- findings and messages -----------------------------------------------

static Str rule_code(DeviceRule rule) {
    static const char *const codes[DEVICE_RULE_COUNT] = {
#define RULE_CODE(id, code, asks) [RULE_##id] = code,
        DEVICE_RULES(RULE_CODE)
#undef RULE_CODE
    };
    return str_from(codes[rule]);
}

static Str rule_help(Arena *arena, DeviceRule rule) {
    static const char *const asks[DEVICE_RULE_COUNT] = {
#define RULE_ASKS(id, code, rule_asks) [RULE_##id] = rule_asks,
        DEVICE_RULES(RULE_ASKS)
#undef RULE_ASKS
    };
    return str_format(arena, "The rule asks: %s.",
                      asks[rule] ? asks[rule] : "a clean run");
}

static Str explain_command(Arena *arena, Str code) {
    return str_format(arena, "clclab explain %.*s", STR_ARG(code));
}

// The order that is missing where a rule of order is broken, unless the device
// knows it better; empty: the rule is not one of order.
static Str rule_missing(DeviceRule rule) {
    switch ((int)rule) {
    case RULE_CLC003:
        return STR("a cluster barrier between this request's answer and that "
                   "block's exit");
    case RULE_CLC004:
        return STR("a wait for the answer before the exit");
    case RULE_CLC006:
        return STR("a proxy fence that carries the read's order on to the "
                   "async proxy, which writes the slot");
    case RULE_CLC007:
        return STR("a completed wait for the answer's phase before this read, "
                   "in this thread or in one that a barrier joins to it");
    case RULE_CLC011:
        return STR("a cluster barrier between that block's mbarrier.init and "
                   "this request");
    case RULE_BAR004:
        return STR("a fence (fence.mbarrier_init.release.cluster), or a "
                   "releasing cluster barrier, between the init and this use");
    case RULE_MEM004:
        return STR("a cluster barrier between that block's start and this "
                   "access, and another between this access and its exit");
    case RULE_RACE001:
        return STR("a barrier, or a release and an acquire, between the two");
    case RULE_RACE002:
        return STR("a proxy fence, or a completed wait, between the two");
    default:
        return (Str){0};
    }
}

// Whether the places related to a finding come before it; else they only
// belong to it, such as where other threads wait.
static bool is_in_order(DeviceRule rule) {
    return rule != RULE_CLC009 && rule != RULE_DEADLOCK &&
           rule != RULE_SYNC001 && rule != RULE_SYNC002 &&
           rule != RULE_SYNC004 && rule != RULE_LIMIT &&
           rule != RULE_UNSUPPORTED;
}

static Str ordinal(Arena *arena, uint32_t n) {
    uint32_t tens = n / 10 % 10;
    const char *end = n % 10 == 1   ? "st"
                      : n % 10 == 2 ? "nd"
                      : n % 10 == 3 ? "rd"
                                    : "th";
    return str_format(arena, "%u%s", n, tens == 1 ? "th" : end);
}

static Str block_name(Arena *arena, const FindingWho *who, uint32_t block) {
    const uint32_t *g = who->grid;
    if (g[1] < 2 && g[2] < 2)
        return str_format(arena, "%u", block);
    return str_format(arena, "(%u, %u, %u)", block % g[0], block / g[0] % g[1],
                      block / g[0] / g[1]);
}

// What the sentence leaves out of "thread 37 of block 3": the place in its
// cluster, its warp and lane, and which block index it was at. Empty where a
// block is one warp and has stolen nothing.
static Str who_text(Arena *arena, const FindingWho *who) {
    if (!who->known || (who->ctas < 2 && who->warps < 2 && who->owned < 2))
        return (Str){0};
    Str text = str_format(arena, "block %.*s",
                          STR_ARG(block_name(arena, who, who->cta)));
    if (who->ctas > 1)
        text = str_format(arena, "%.*s, rank %u of its cluster of %u",
                          STR_ARG(text), who->rank, who->ctas);
    if (who->warps > 1)
        text = str_format(arena, "%.*s, warp %u", STR_ARG(text), who->warp);
    if (who->warps > 1 && who->lane != WHO_ANY_LANE)
        text = str_format(arena, "%.*s, lane %u", STR_ARG(text), who->lane);
    if (who->owned > 1)
        text = str_format(arena, "%.*s; at block index %.*s, its %.*s",
                          STR_ARG(text),
                          STR_ARG(block_name(arena, who, who->block)),
                          STR_ARG(ordinal(arena, who->owned)));
    return text;
}

// A device says who did what in a clause; reports are made of sentences.
static Str sentence(const Grade *grade, Str clause) {
    clause = calls_name(grade, clause);
    if (clause.len == 0)
        return clause;
    char first = clause.ptr[0], last = clause.ptr[clause.len - 1];
    if (first >= 'a' && first <= 'z')
        first = (char)(first - 'a' + 'A');
    return str_format(grade->arena, "%c%.*s%s", first,
                      STR_ARG(str_slice(clause, 1, clause.len)),
                      last == '.' ? "" : ".");
}

Cause cause_from_finding(const Grade *grade, const Finding *finding) {
    const Submission *submission = grade->submission;
    Cause cause = {
        .code = rule_code(finding->rule),
        .what = finding->what,
        .expected = calls_name(grade, finding->expected),
        .actual = calls_name(grade, finding->actual),
        .missing = finding->missing.len ? finding->missing
                                        : rule_missing(finding->rule),
        .who = who_text(grade->arena, &finding->who),
        .in_order = is_in_order(finding->rule),
        .help = sentence(grade, finding->help),
        .at = place_as_given(submission, finding->at),
        .via = finding->via,
    };
    cause.missing = sentence(grade, cause.missing);
    cause.explain = explain_command(grade->arena, cause.code);
    region_name(grade, finding, &cause);
    if (cause.at.line == 0)
        cause.at = grade->kernel_at;
    if (cause.help.len == 0)
        cause.help = rule_help(grade->arena, finding->rule);
    if (finding->occurrences > 1)
        cause.what = str_format(grade->arena, "%.*s (%u times in this run)",
                                STR_ARG(cause.what), finding->occurrences);
    cause.what = sentence(grade, cause.what);
    cause.caller_count = finding->caller_count;
    for (uint32_t i = 0; i < finding->caller_count; i++)
        cause.callers[i] = place_as_given(submission, finding->callers[i]);
    for (uint32_t i = 0; i < finding->related_count; i++)
        cause_add_related(&cause,
                          place_as_given(submission, finding->related[i].at),
                          sentence(grade, finding->related[i].what));
    return cause;
}

bool cause_of_stop(const Grade *grade, RunStatus status, Cause *cause) {
    switch (status) {
    case RUN_DONE:
    case RUN_UNSUPPORTED:
    case RUN_REFUSED:
        return false;
    case RUN_FAULT:
        *cause = cause_at(grade->kernel_at, STR("The kernel was stopped."),
                          STR("Look for an invalid access or a trap."));
        return true;
    case RUN_DEADLOCK:
        *cause = cause_at(grade->kernel_at, STR("The kernel waits for ever."),
                          STR("Look for a barrier that not all reach."));
        cause->code = STR("DEADLOCK");
        cause->explain = explain_command(grade->arena, cause->code);
        return true;
    case RUN_LIMIT:
        *cause = cause_at(grade->kernel_at,
                          STR("The kernel reached the step limit."),
                          STR("Look for a loop that never ends."));
        cause->code = STR("LIMIT");
        cause->explain = explain_command(grade->arena, cause->code);
        return true;
    }
    return false;
}

Cause cause_from_diag(const Grade *grade, const Diag *diag) {
    Cause cause = {
        .code = diag->code,
        .what = diag->what,
        .help = diag->help,
        .at = place_as_given(grade->submission, diag->at),
    };
    if (cause.help.len == 0)
        cause.help = STR("Correct this line first: later messages often "
                         "follow from it.");
    region_here(grade, &cause);
    return cause;
}

// ---- runs ----------------------------------------------------------------

Str cause_run_name(Arena *arena, const Run *run) {
    if (run->plain)
        return STR("plain schedule");
    const DeviceSchedule *schedule = &run->schedule;
    if (run->explored)
        return str_format(arena, "schedule %llu of the search",
                          (unsigned long long)run->number);
    Str name = schedule_name(arena, schedule);
    if (schedule->is_limited)
        name = str_format(arena, "%.*s, %llu switch%s", STR_ARG(name),
                          (unsigned long long)schedule->switches,
                          schedule->switches == 1 ? "" : "es");
    return str_format(arena, "schedule %llu (%.*s)",
                      (unsigned long long)run->number, STR_ARG(name));
}

Str cause_replay(const Grade *grade) {
    return str_format(grade->arena, "%.*s --seed %llu --schedules %llu",
                      STR_ARG(grade->options->replay),
                      (unsigned long long)grade->options->seed,
                      (unsigned long long)grade->options->schedules);
}

// The command that runs it alone, where it is not a plain run.
static Str replay_of(const Grade *grade, const Run *run) {
    Arena *arena = grade->arena;
    const DeviceSchedule *schedule = &run->schedule;
    if (run->plain)
        return cause_replay(grade);
    Str command =
        str_format(arena, "%.*s --seed %llu --only-schedule %llu --size %.*s",
                   STR_ARG(grade->options->replay),
                   (unsigned long long)grade->options->seed,
                   (unsigned long long)run->number,
                   STR_ARG(shape_size_digits(arena, grade->lab, run->size)));
    if (!schedule->is_limited)
        return command;
    return str_format(arena, "%.*s --switches %llu", STR_ARG(command),
                      (unsigned long long)schedule->switches);
}

void cause_in_run(const Grade *grade, const Run *run, Cause *cause) {
    Str name = cause_run_name(grade->arena, run);
    cause->context = str_format(
        grade->arena, "%.*s, %u block%s of %u threads, %.*s",
        STR_ARG(shape_size_text(grade->arena, grade->lab, run->size)),
        run->grid, run->grid == 1 ? "" : "s", grade->lab->threads,
        STR_ARG(name));
    cause->replay = replay_of(grade, run);
}
