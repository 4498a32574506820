// SPDX-License-Identifier: Apache-2.0
// Result -> text for a person: a head, a line per check, then each cause with
// its source line, what was expected and seen, and what to try; at the end what
// happened to the blocks, and the score. It is meant to fit on one screen: a
// few causes are shown whole, and the others are only counted.
#include "report/internal.h"

enum {
    STATUS_COLUMNS = 7,
    TITLE_INDENT = 31, // of a check's sentence, beside its points
    BELOW_INDENT = 10, // of one that is below them, as in a narrow page
    NARROW = 60,       // columns
    MOST_CAUSES = 5,   // of one check
    MOST_OUTPUT = 8,   // lines of the kernel's output
};

// ---- head and table ------------------------------------------------------

static void write_head(Page *page, const Result *result) {
    Buf line = {0};
    buf_printf(&line, "Lab %u: %.*s", result->lab, STR_ARG(result->title));
    tone_text(page->style, TONE_BOLD, buf_view(&line), page->out);
    buf_byte(page->out, '\n');
    line.len = 0;
    buf_printf(&line, "%.*s on %.*s%s%.*s, ", STR_ARG(result->file),
               STR_ARG(result->device), result->gpu_model.len ? ":" : "",
               STR_ARG(result->gpu_model));
    if (!result->is_seed_hidden)
        buf_printf(&line, "seed %llu, ", (unsigned long long)result->seed);
    buf_printf(&line, "%llu schedule%s", (unsigned long long)result->schedules,
               result->schedules == 1 ? "" : "s");
    page_wrapped(page, buf_view(&line), 0, 0);
    if (result->obey)
        page_obeyed(page, result->obey, result->obeyed_what);
    buf_byte(page->out, '\n');
    buf_free(&line);
}

static void write_status(Page *page, CheckStatus status) {
    switch (status) {
    case CHECK_PASS:
        page_tone(page, TONE_GOOD, "PASS ");
        return;
    case CHECK_FAIL:
        page_tone(page, TONE_BAD, "FAIL ");
        return;
    case CHECK_SKIP:
        page_tone(page, TONE_FAINT, "SKIP ");
        return;
    case CHECK_ERROR:
        page_tone(page, TONE_ODD, "ERROR");
        return;
    }
}

static void write_number(Buf *out, double value, int width) {
    bool whole = value == (double)(long long)value;
    buf_printf(out, "%*.*f", width, whole ? 0 : 2, value);
}

// Where the sentence about a check begins: beside its points and its name,
// which end in `column`, or below them.
static size_t begin_sentence(Page *page, size_t column) {
    bool is_narrow = page->style.width < NARROW;
    size_t indent = is_narrow ? BELOW_INDENT : TITLE_INDENT;
    if (is_narrow)
        buf_byte(page->out, '\n');
    else if (column >= TITLE_INDENT)
        indent = column + 1;
    buf_printf(page->out, "%*s", (int)(indent - (is_narrow ? 0 : column)), "");
    return indent;
}

static void write_check(Page *page, const CheckResult *check) {
    Buf most = {0}, id = {0}, lead = {0};
    buf_str(page->out, STR("  "));
    write_status(page, check->status);
    write_number(&most, check->max_points, 1);
    utf8_escape(check->id, &id);
    write_number(&lead, check->points, 5);
    buf_printf(&lead, "/%-3.*s %.*s", STR_ARG(buf_view(&most)),
               STR_ARG(buf_view(&id)));
    buf_str(page->out, buf_view(&lead));
    size_t column =
        begin_sentence(page, STATUS_COLUMNS + page_columns(buf_view(&lead)));
    size_t indent = page->style.width < NARROW ? BELOW_INDENT : TITLE_INDENT;
    page_wrapped(page, check->title, column, indent);
    if (check->figure.len && check->status == CHECK_PASS) {
        buf_printf(page->out, "%*s", (int)indent, "");
        page_wrapped(page, check->figure, indent, indent);
    }
    buf_free(&most);
    buf_free(&id);
    buf_free(&lead);
}

// ---- the table, folded ---------------------------------------------------

// Why a check was not judged; empty: it was, or nothing says why.
static Str skip_reason(const CheckResult *check) {
    bool has = check->status == CHECK_SKIP && check->cause_count > 0;
    Str why = has ? check->causes[0].what : (Str){0};
    return str_ends(why, STR(".")) ? str_slice(why, 0, why.len - 1) : why;
}

static bool is_alike(const CheckResult *a, const CheckResult *b) {
    return a->status == b->status && str_equal(skip_reason(a), skip_reason(b));
}

// One line for all checks like the first, which share what is to be said.
static void write_alike(Page *page, const Result *result, size_t first) {
    const CheckResult *like = &result->checks[first];
    Buf names = {0}, most = {0}, lead = {0};
    double points = 0, max_points = 0;
    Str why = skip_reason(like);
    if (why.len)
        buf_printf(&names, "%.*s: ", STR_ARG(why));
    for (size_t i = first; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        if (!is_alike(check, like))
            continue;
        buf_printf(&names, "%s%.*s", i == first ? "" : ", ",
                   STR_ARG(check->id));
        points += check->points;
        max_points += check->max_points;
    }
    buf_str(page->out, STR("  "));
    write_status(page, like->status);
    write_number(&most, max_points, 1);
    write_number(&lead, points, 5);
    buf_printf(&lead, "/%-3.*s ", STR_ARG(buf_view(&most)));
    buf_str(page->out, buf_view(&lead));
    size_t column = STATUS_COLUMNS + page_columns(buf_view(&lead));
    page_wrapped(page, buf_view(&names), column, column);
    buf_free(&names);
    buf_free(&most);
    buf_free(&lead);
}

static bool is_failure(const CheckResult *check) {
    return check->status == CHECK_FAIL || check->status == CHECK_ERROR;
}

static bool is_first_alike(const Result *result, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (is_alike(&result->checks[i], &result->checks[index]))
            return false;
    return true;
}

// The checks that failed, and a line for the others of each kind.
static void write_folded(Page *page, const Result *result) {
    for (size_t i = 0; i < result->check_count; i++)
        if (is_failure(&result->checks[i]))
            write_check(page, &result->checks[i]);
    static const CheckStatus others[] = {CHECK_PASS, CHECK_SKIP};
    for (size_t k = 0; k < COUNT_OF(others); k++)
        for (size_t i = 0; i < result->check_count; i++)
            if (result->checks[i].status == others[k] &&
                is_first_alike(result, i))
                write_alike(page, result, i);
}

// Where a check failed, the reader looks for its cause.
static void write_checks(Page *page, const Result *result) {
    for (size_t i = 0; i < result->check_count; i++)
        if (is_failure(&result->checks[i])) {
            write_folded(page, result);
            return;
        }
    for (size_t i = 0; i < result->check_count; i++)
        write_check(page, &result->checks[i]);
}

// ---- causes --------------------------------------------------------------

static void write_check_causes(Page *page, const CheckResult *check,
                               const char *ours_is) {
    bool ours = check->status == CHECK_ERROR;
    size_t shown =
        check->cause_count < MOST_CAUSES ? check->cause_count : MOST_CAUSES;
    for (size_t i = 0; i < shown; i++) {
        const Cause *cause = &check->causes[i];
        page_flush_replay(page, cause->replay);
        page_cause(page, ours ? ours_is : "error", ours ? TONE_ODD : TONE_BAD,
                   cause, cause->code.len ? cause->code : check->id);
    }
    if (check->cause_count > shown)
        buf_printf(page->out, "\nand %zu more of %.*s\n",
                   check->cause_count - shown, STR_ARG(check->id));
}

// Whether a check was skipped although nothing failed, because what it needs is
// missing.
static bool lacks_something(const Result *result, const CheckResult *check) {
    return check->status == CHECK_SKIP && result->verdict == VERDICT_PASS &&
           check->cause_count > 0;
}

static void write_check_failures(Page *page, const Result *result) {
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        if (check->status == CHECK_FAIL || check->status == CHECK_ERROR)
            write_check_causes(page, check,
                               report_is_unjudged(result) ? "not judged"
                                                          : "grader error");
        else if (lacks_something(result, check))
            page_cause(page, "skipped", TONE_LABEL, &check->causes[0],
                       check->id);
    }
    page_flush_replay(page, (Str){0});
}

// ---- the foot ------------------------------------------------------------

static void write_advisories(Page *page, const Result *result) {
    for (size_t i = 0; i < result->advisory_count; i++)
        page_cause(page, "advisory", TONE_LABEL, &result->advisories[i],
                   result->advisories[i].code);
}

static void write_ledger(Page *page, const Result *result) {
    const LedgerSummary *ledger = &result->ledger;
    const LedgerTotals *totals = &ledger->totals;
    if (!result->has_ledger)
        return;
    Buf text = {0};
    buf_printf(&text, "%.*s, %.*s: %llu block%s, %llu started, %llu stolen",
               STR_ARG(ledger->size), STR_ARG(ledger->schedule),
               (unsigned long long)totals->grid, totals->grid == 1 ? "" : "s",
               (unsigned long long)totals->started,
               (unsigned long long)totals->granted);
    if (totals->granted + totals->refused > 0)
        buf_printf(&text, "; %llu request%s refused, %llu lost",
                   (unsigned long long)totals->refused,
                   totals->refused == 1 ? "" : "s",
                   (unsigned long long)totals->lost);
    buf_byte(page->out, '\n');
    page_wrapped(page, buf_view(&text), 0, 2);
    buf_free(&text);
    page_chains(page, ledger);
}

// With some parts of a loop there and others not, rules are broken that the
// unfinished file keeps: whoever has less points than before has to know that
// this passes.
static void write_empty_regions(Page *page, const Result *result) {
    Buf text = {0};
    if (result->empty_regions.len == 0)
        return;
    buf_printf(&text,
               "No code yet in %.*s. The regions belong together: as long as "
               "some are filled in and others are not, there may be fewer "
               "points than at the start.",
               STR_ARG(result->empty_regions));
    buf_byte(page->out, '\n');
    page_wrapped(page, buf_view(&text), 0, 0);
    buf_free(&text);
}

// What the machine lacks, for whoever grades a file that is not her own.
static void write_sandbox(Page *page, const Result *result) {
    const SandboxNote *sandbox = &result->provenance.sandbox;
    const GuardsNote *compiler = &sandbox->compiler, *judge = &sandbox->judge;
    bool files = compiler->has_run && !compiler->landlock &&
                 compiler->bubblewrap.len == 0;
    bool calls = (compiler->has_run && !compiler->seccomp) ||
                 (judge->has_run && !judge->seccomp);
    Buf text = {0};
    if (result->is_seed_hidden || (!files && !calls))
        return;
    buf_printf(&text,
               "This was graded without %s%s%s, which this machine lacks: do "
               "so with files of your own, not with those of strangers "
               "(clclab doctor says more).",
               files ? "Landlock" : "", files && calls ? " and " : "",
               calls ? "seccomp" : "");
    buf_byte(page->out, '\n');
    page_wrapped(page, buf_view(&text), 0, 0);
    buf_free(&text);
}

static void write_score(Page *page, const Result *result) {
    Buf text = {0};
    if (report_is_unjudged(result)) {
        buf_str(page->out, STR("\nNo score: nothing was judged.\n"));
        return;
    }
    buf_str(&text, STR("Score: "));
    write_number(&text, result->score, 1);
    buf_byte(&text, '/');
    write_number(&text, result->max_score, 1);
    buf_byte(page->out, '\n');
    Tone tone = result->verdict == VERDICT_PASS ? TONE_GOOD : TONE_BAD;
    tone_text(page->style, tone, buf_view(&text), page->out);
    buf_free(&text);
    if (result->verdict == VERDICT_ERROR)
        buf_str(page->out, STR(" - not final: the grader itself failed, which "
                               "is not your fault."));
    buf_byte(page->out, '\n');
}

static void write_foot(Page *page, const Result *result) {
    write_advisories(page, result);
    page_warnings(page, result->messages, result->message_count);
    page_output(page, result->output, MOST_OUTPUT);
    write_ledger(page, result);
    write_empty_regions(page, result);
    write_sandbox(page, result);
    write_score(page, result);
}

void report_foot(const Result *result, Str source, Buf *out) {
    Page page =
        page_open(result->file, source, (ReportStyle){.width = 80}, out);
    write_foot(&page, result);
}

// ---- the whole -----------------------------------------------------------

void report_text(const Result *result, Str source, ReportStyle style,
                 Buf *out) {
    Page page = page_open(result->file, source, style, out);
    write_head(&page, result);
    write_checks(&page, result);
    write_check_failures(&page, result);
    if (style.pictures && result->trace)
        trace_write_moment(&page, &result->trace->moment);
    write_foot(&page, result);
}
