// SPDX-License-Identifier: Apache-2.0
// What can be told of the first failure without a run: the compiler's own
// warning about a line or a variable that the failure touches, a variable of
// the file that never gets its value, that lacks __shared__, or that hides the
// one that was meant; an index that nothing uses. Such a cause is
// put before what the run showed, which follows as its evidence. Read
// said_first, at the end, first.
//
// A warning that has nothing to do with the failure stays where it is. So a
// variable counts only if the statement at one of the failure's places names
// it, and the text is read in favour of the learner: a variable that anything
// may have set is set.
#include "check/judge.h"
#include "result/finding.h"

#include <string.h>

enum {
    MOST_LINES = 6, // of a statement that is looked at
    MOST_NAMES = 32 // whose declarations are looked for
};

typedef struct Saying {
    Grade *grade;
    Str check; // that failed
    const Cause *symptom;
    uint32_t lines[8]; // of the symptom's places, in the learner's file
    size_t line_count;
} Saying;

// ---- the places of a failure ---------------------------------------------

static void add_line(Saying *saying, SrcLoc at) {
    bool is_own = str_equal(at.file, saying->grade->submission->file);
    if (is_own && at.line && saying->line_count < COUNT_OF(saying->lines))
        saying->lines[saying->line_count++] = at.line;
}

static void add_places(Saying *saying) {
    const Cause *symptom = saying->symptom;
    add_line(saying, symptom->at);
    for (uint32_t i = 0; i < symptom->caller_count; i++)
        add_line(saying, symptom->callers[i]);
    for (uint32_t i = 0; i < symptom->related_count; i++) {
        add_line(saying, symptom->related[i].at);
        add_line(saying, symptom->related[i].caller);
    }
}

// Whether the statement that begins at one of the places names it.
static bool is_named(const Saying *saying, Str name) {
    for (size_t i = 0; i < saying->line_count; i++) {
        Str text = saying->grade->submission->source, token;
        SrcLoc next = {.line = 1, .col = 1}, at;
        uint32_t from = saying->lines[i];
        while ((token = place_token(&text, &next, &at)).len > 0 &&
               at.line < from + MOST_LINES) {
            if (at.line < from)
                continue;
            if (str_equal(token, name))
                return true;
            if (str_equal(token, STR(";")) || str_equal(token, STR("{")))
                break;
        }
    }
    return false;
}

static bool is_line(const Saying *saying, uint32_t line) {
    for (size_t i = 0; i < saying->line_count; i++)
        if (saying->lines[i] == line)
            return true;
    return false;
}

static bool is_case_of(const Saying *saying, const FindingCase *cases,
                       size_t count) {
    for (size_t i = 0; i < count; i++)
        if (saying->symptom->finding->which == cases[i])
            return true;
    return false;
}

// ---- the compiler's warnings ---------------------------------------------

static const FindingCase of_no_value[] = {
    CASE_MEM003_REGISTER, CASE_MEM003_LOCAL, CASE_CLC007_NO_ANSWER,
    CASE_CLC007_NO_ANSWER_YET};

static bool is_about_value(const Diag *warning) {
    return str_equal(warning->code, STR("#549-D")); // used before it is set
}

// That a thing is declared and not used changes nothing; that it is set and not
// used breaks no rule.
static bool is_idle(const Saying *saying, const Diag *warning) {
    return str_equal(warning->code, STR("#177-D")) ||
           (str_equal(warning->code, STR("#550-D")) &&
            saying->symptom->finding->rule != DEVICE_RULE_NONE);
}

static Str quoted_name(Str what) {
    str_cut(&what, '"');
    return str_cut(&what, '"');
}

static bool is_without_effect(const Diag *warning) {
    return str_equal(warning->code, STR("#174-D"));
}

// Whether the failure's statements name a variable of the statement at `from`.
static bool shares_name(const Saying *saying, SrcLoc from) {
    Str text = saying->grade->submission->source, token;
    SrcLoc next = {.line = 1, .col = 1}, at;
    size_t names = 0;
    while ((token = place_token(&text, &next, &at)).len > 0) {
        if (at.line < from.line || (at.line == from.line && at.col < from.col))
            continue;
        if (place_is_mark(token, ';') || at.line > from.line)
            return false;
        if (place_is_name(token) && names++ < MOST_NAMES &&
            is_named(saying, token))
            return true;
    }
    return false;
}

static bool is_of(const Saying *saying, const Diag *warning) {
    SrcLoc at = place_as_given(saying->grade->submission, warning->at);
    Str name = quoted_name(warning->what);
    if (warning->level != DIAG_WARNING || is_idle(saying, warning) ||
        !str_equal(at.file, saying->grade->submission->file))
        return false;
    return is_line(saying, at.line) || (name.len && is_named(saying, name)) ||
           (is_without_effect(warning) && shares_name(saying, at)) ||
           (is_about_value(warning) &&
            is_case_of(saying, of_no_value, COUNT_OF(of_no_value)));
}

// It is not said once more among the messages.
static void drop_message(Result *result, Arena *arena, size_t index) {
    Diag *rest = arena_new(arena, Diag, result->message_count);
    memcpy(rest, result->messages, result->message_count * sizeof *rest);
    result->message_count--;
    memmove(rest + index, rest + index + 1,
            (result->message_count - index) * sizeof *rest);
    result->messages = rest;
}

static bool say_warning(const Saying *saying, Cause *cause) {
    Grade *grade = saying->grade;
    for (size_t i = 0; i < grade->submission->message_count; i++) {
        const Diag *warning = &grade->submission->messages[i];
        if (!is_of(saying, warning))
            continue;
        *cause = cause_of_case(
            grade, NULL, place_as_given(grade->submission, warning->at),
            CASE_ANY_CHECK_WARNED, FACTS(FACT_STR(TEXT, warning->what)));
        drop_message(grade->result, grade->arena, i);
        return true;
    }
    return false;
}

// ---- declarations --------------------------------------------------------

typedef struct Declared {
    SrcLoc at;
    bool is_shared, is_pointer, is_array;
    bool has_value; // where it is declared, or in anything up to `before`
    bool is_place;  // it is named for where it lies: &bar, bar[1], bar.full
} Declared;

static bool is_type_part(Str token) {
    static const char *const others[] = {"return", "goto",  "using", "new",
                                         "delete", "throw", "else",  "case"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (str_equal(token, str_from(others[i])))
            return false;
    return place_is_name(token) || str_equal(token, STR("*"));
}

static Str first_token(Str text) {
    SrcLoc next = {0}, at;
    return place_token(&text, &next, &at);
}

// The last declaration of the name, within braces, above line `before`:
// "TYPE name;", and what happens to the name behind it. Line 0: there is none.
static Declared find_declared(const Saying *saying, Str name, uint32_t before) {
    Str text = saying->grade->submission->source, token, last = {0};
    SrcLoc next = {saying->grade->submission->file, 1, 1}, at;
    Declared found = {0}, statement = {0};
    uint32_t depth = 0;
    bool is_type = false;
    while ((token = place_token(&text, &next, &at)).len > 0 &&
           at.line < before) {
        char c = token.ptr[0];
        depth += c == '{';
        depth -= depth && c == '}';
        if (c == ';' || c == '{' || c == '}')
            statement = (Declared){0};
        statement.is_shared |= str_equal(token, STR("__shared__")) ||
                               str_equal(token, STR("extern"));
        statement.is_pointer |= c == '*' || c == '&';
        Str follows = first_token(text);
        if (str_equal(token, name)) {
            bool ends = follows.len && strchr(";[{=", follows.ptr[0]);
            if (depth && is_type && ends) {
                found = statement;
                found.at = at;
                found.is_array = follows.ptr[0] == '[';
                found.has_value = follows.ptr[0] != ';';
            } else if (found.at.line) {
                found.has_value = true; // it is passed on, or set
            }
        }
        is_type = is_type_part(token) && !str_equal(last, STR("."));
        last = token;
    }
    return found;
}

typedef bool IsTold(const Declared *declared);

static bool lacks_value(const Declared *declared) {
    return !declared->has_value && !declared->is_shared;
}

// A number, such as an address in a register or the index of a slot, lies in no
// shared memory, and need not.
static bool lacks_shared(const Declared *declared) {
    return !declared->is_shared && !declared->is_pointer &&
           (declared->is_array || declared->is_place);
}

static bool names_place(Str before, Str behind) {
    return str_equal(before, STR("&")) || str_equal(behind, STR(".")) ||
           str_equal(behind, STR("["));
}

// Of the names in the statements at the failure's places, the first whose
// declaration is_told.
static bool find_told(const Saying *saying, IsTold *is_told, Declared *found,
                      Str *name) {
    size_t names = 0;
    for (size_t i = 0; i < saying->line_count; i++) {
        Str text = saying->grade->submission->source, token, before = {0};
        SrcLoc next = {.line = 1, .col = 1}, at;
        uint32_t from = saying->lines[i];
        for (; (token = place_token(&text, &next, &at)).len > 0 &&
               at.line < from + MOST_LINES;
             before = token) {
            if (at.line < from)
                continue;
            *found = place_is_name(token) && names++ < MOST_NAMES
                         ? find_declared(saying, token, from)
                         : (Declared){0};
            *name = token;
            found->is_place = names_place(before, first_token(text));
            if (found->at.line && is_told(found))
                return true;
            if (str_equal(token, STR(";")) || str_equal(token, STR("{")))
                break;
        }
    }
    return false;
}

static bool say_declared(const Saying *saying, IsTold *is_told,
                         FindingCase which, Cause *cause) {
    Declared declared;
    Str name;
    if (!find_told(saying, is_told, &declared, &name))
        return false;
    *cause = cause_of_case(saying->grade, NULL, declared.at, which,
                           FACTS(FACT_STR(NAME, name)));
    return true;
}

static bool say_no_value(const Saying *saying, Cause *cause) {
    return is_case_of(saying, of_no_value, COUNT_OF(of_no_value)) &&
           say_declared(saying, lacks_value, CASE_ANY_CHECK_NEVER_SET, cause);
}

static bool say_not_shared(const Saying *saying, Cause *cause) {
    static const FindingCase cases[] = {
        CASE_CLC005_SLOT_OUTSIDE, CASE_CLC005_MBARRIER_OUTSIDE,
        CASE_MEM001_MBARRIER, CASE_MEM001_MBARRIER_NUMBER};
    return is_case_of(saying, cases, COUNT_OF(cases)) &&
           say_declared(saying, lacks_shared, CASE_ANY_CHECK_NOT_SHARED, cause);
}

// ---- a variable that hides another one -------------------------------------

// Declarations of a name that hold at the line: the innermost is the last.
typedef struct Scopes {
    struct {
        uint32_t line, depth;
    } held[8];
    size_t count;
} Scopes;

static Scopes find_scopes(const Saying *saying, Str name, uint32_t line) {
    Str text = saying->grade->submission->source, token, last = {0};
    SrcLoc next = {.line = 1, .col = 1}, at;
    Scopes scopes = {0};
    uint32_t depth = 0;
    while ((token = place_token(&text, &next, &at)).len > 0 &&
           at.line <= line) {
        depth += place_is_mark(token, '{');
        depth -= depth && place_is_mark(token, '}');
        while (scopes.count && scopes.held[scopes.count - 1].depth > depth)
            scopes.count--;
        Str rest = text;
        SrcLoc rest_next = next, rest_at;
        Str follows = place_token(&rest, &rest_next, &rest_at);
        if (depth && str_equal(token, name) && last.len && is_type_part(last) &&
            follows.len && strchr(";[{=,", follows.ptr[0]) &&
            scopes.count < COUNT_OF(scopes.held)) {
            scopes.held[scopes.count].line = at.line;
            scopes.held[scopes.count++].depth = depth;
        }
        last = token;
    }
    return scopes;
}

// Whether the variable that is declared there hides one that is still there.
static bool is_hiding(const Saying *saying, Str name, SrcLoc at, Cause *cause) {
    Scopes scopes = find_scopes(saying, name, at.line);
    size_t count = scopes.count;
    if (count < 2 || scopes.held[count - 1].line != at.line ||
        scopes.held[count - 2].depth == scopes.held[count - 1].depth)
        return false;
    *cause = cause_of_case(saying->grade, NULL, at, CASE_ANY_CHECK_HIDDEN,
                           FACTS(FACT_STR(NAME, name), FACT(NUMBER, at.line),
                                 FACT(LINE, scopes.held[count - 2].line)));
    return true;
}

// A variable that is set, or not even that, and never read, while another one
// of its name is meant.
static bool say_hidden(const Saying *saying, Cause *cause) {
    Grade *grade = saying->grade;
    for (size_t i = 0; i < grade->submission->message_count; i++) {
        const Diag *warning = &grade->submission->messages[i];
        SrcLoc at = place_as_given(grade->submission, warning->at);
        Str name = quoted_name(warning->what);
        if (warning->level != DIAG_WARNING || !name.len ||
            !str_equal(at.file, grade->submission->file) ||
            !(str_equal(warning->code, STR("#177-D")) ||
              str_equal(warning->code, STR("#550-D"))))
            continue;
        if (!is_hiding(saying, name, at, cause))
            continue;
        drop_message(grade->result, grade->arena, i);
        return true;
    }
    return false;
}

// ---- the index of an answer ------------------------------------------------

static bool say_not_decoded(const Saying *saying, Cause *cause) {
    static const FindingCase cases[] = {
        CASE_CLC009_NOT_TAKEN, CASE_CLC009_NOT_ASKED, CASE_CLC009_NOT_USED};
    Grade *grade = saying->grade;
    Decoded found;
    if (!is_case_of(saying, cases, COUNT_OF(cases)) ||
        !decoded_without_code(grade->submission, &found))
        return false;
    if (found.name.len && is_hiding(saying, found.name, found.at, cause))
        return true;
    Fact line = FACT(NUMBER, found.at.line);
    if (found.again)
        *cause = cause_of_case(
            grade, NULL, found.at, CASE_ANY_CHECK_INDEX_SET_AGAIN,
            FACTS(FACT_STR(NAME, found.name), line, FACT(LINE, found.again)));
    else if (found.name.len)
        *cause =
            cause_of_case(grade, NULL, found.at, CASE_ANY_CHECK_INDEX_UNUSED,
                          FACTS(FACT_STR(NAME, found.name), line));
    else
        *cause = cause_of_case(grade, NULL, found.at,
                               CASE_ANY_CHECK_INDEX_NOT_KEPT, FACTS(line));
    return true;
}

// Only of what an index that is wrong along one axis leads to.
static bool say_axis_left_out(const Saying *saying, Cause *cause) {
    static const FindingCase cases[] = {
        CASE_MEM001_PAST_END,     CASE_MEM001_PAST_ELEMENT,
        CASE_MEM001_BEFORE_START, CASE_EXACTLY_ONCE_BOTH,
        CASE_EXACTLY_ONCE_NEVER,  CASE_EXACTLY_ONCE_REPEATED};
    Grade *grade = saying->grade;
    if (!is_case_of(saying, cases, COUNT_OF(cases)) || !grade->lab)
        return false;
    const char *axis = decoded_axis_left_out(grade);
    SrcLoc at = decoded_last(grade->submission);
    if (!axis)
        return false;
    *cause = cause_of_case(grade, NULL, at.line ? at : grade->kernel_at,
                           CASE_ANY_CHECK_AXIS_LEFT_OUT,
                           FACTS(FACT_STR(TEXT, str_from(axis))));
    return true;
}

// A kernel that asks for blocks, and cannot end. What CLC001 says of it is as
// much.
static bool say_no_way_out(const Saying *saying, Cause *cause) {
    Grade *grade = saying->grade;
    if (!str_equal(saying->check, STR("rules")) || !grade->lab ||
        grade->lab->technique != TECHNIQUE_CLC ||
        saying->symptom->finding->which == CASE_CLC001_AFTER_REFUSAL ||
        !way_out_is_missing(grade))
        return false;
    SrcLoc at = decoded_asked(grade->submission);
    *cause = cause_of_case(grade, NULL, at.line ? at : grade->kernel_at,
                           CASE_ANY_CHECK_NO_WAY_OUT, NO_FACTS);
    return true;
}

// Blocks that were left out, or done twice: an answer's index is of a block
// already.
static bool say_own_added(const Saying *saying, Cause *cause) {
    static const FindingCase cases[] = {
        CASE_MEM001_PAST_END,    CASE_MEM001_PAST_ELEMENT,
        CASE_EXACTLY_ONCE_BOTH,  CASE_EXACTLY_ONCE_NEVER,
        CASE_CORRECT_LEFT_OUT,   CASE_CORRECT_LAST_LEFT_OUT,
        CASE_CORRECT_REPEATED,   CASE_EXACTLY_ONCE_REPEATED,
        CASE_RACE001_IN_CLUSTER, CASE_RACE001_IN_GRID};
    Grade *grade = saying->grade;
    SrcLoc at = {0};
    if (is_case_of(saying, cases, COUNT_OF(cases)))
        at = decoded_own_added(grade->submission);
    if (!at.line)
        return false;
    *cause = cause_of_case(grade, NULL, at,
                           grade->lab && grade->lab->cluster > 1
                               ? CASE_ANY_CHECK_OWN_ADDED_FOR_RANK
                               : CASE_ANY_CHECK_OWN_ADDED,
                           NO_FACTS);
    return true;
}

// What is missing is not seen where the run went on, but in what it left.
static bool say_no_code(const Saying *saying, Cause *cause) {
    static const char *const checks[] = {"correct", "exactly_once",
                                         "technique"};
    Grade *grade = saying->grade;
    NoCode found;
    bool is_missing = false;
    for (size_t i = 0; i < COUNT_OF(checks); i++)
        is_missing |= str_equal(saying->check, str_from(checks[i]));
    if (!is_missing || !grade->lab ||
        !no_code_find(grade->submission, grade->lab->kernel, &found))
        return false;
    FindingCase which = found.in_loop     ? CASE_ANY_CHECK_NO_CODE_OF_LOOP
                        : found.same_from ? CASE_ANY_CHECK_NO_CODE_OF_SAME
                                          : CASE_ANY_CHECK_NO_CODE;
    if (which == CASE_ANY_CHECK_NO_CODE_OF_SAME)
        *cause = cause_of_case(grade, NULL, found.at, which,
                               FACTS(FACT(NUMBER, found.at.line),
                                     FACT_STR(NAME, found.value),
                                     FACT(LINE, found.same_from)));
    else
        *cause = cause_of_case(
            grade, NULL, found.at, which,
            FACTS(FACT(NUMBER, found.at.line), FACT_STR(NAME, found.name)));
    return true;
}

// ---- the first cause -----------------------------------------------------

typedef bool Sayer(const Saying *saying, Cause *cause);

// What was tried for the symptom is told with the cause, and not twice.
static void put_first(Grade *grade, CheckResult *check, Cause *cause) {
    Cause *causes = arena_new(grade->arena, Cause, check->cause_count + 1);
    Cause *symptom = &check->causes[0];
    region_here(grade, cause);
    cause->code = symptom->code;
    cause->explain = symptom->explain;
    cause->schedule = symptom->schedule;
    cause->context = symptom->context;
    cause->replay = symptom->replay;
    cause->advice = symptom->advice;
    symptom->is_mended_too = symptom->advice.status == ADVICE_HEALS;
    if (symptom->advice.status != ADVICE_NOT_TRIED)
        symptom->advice = (CauseAdvice){.status = ADVICE_NONE};
    if (cause->advice.status == ADVICE_NONE)
        cause->advice.status = ADVICE_NOT_TRIED;
    causes[0] = *cause;
    memcpy(causes + 1, check->causes, check->cause_count * sizeof(Cause));
    check->causes = causes;
    check->cause_count++;
}

void said_first(Grade *grade) {
    static Sayer *const sayers[] = {
        say_hidden,    say_no_code,       say_warning,
        say_no_value,  say_not_shared,    say_not_decoded,
        say_own_added, say_axis_left_out, say_no_way_out};
    CheckResult *check = check_first_failed(grade);
    if (!check || !check->cause_count || !check->causes[0].finding ||
        check->status != CHECK_FAIL || !place_is_short(grade->submission))
        return;
    Saying saying = {
        .grade = grade, .check = check->id, .symptom = &check->causes[0]};
    Cause cause;
    add_places(&saying);
    for (size_t i = 0; i < COUNT_OF(sayers); i++)
        if (sayers[i](&saying, &cause)) {
            put_first(grade, check, &cause);
            return;
        }
}
