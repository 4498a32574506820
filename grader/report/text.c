// SPDX-License-Identifier: Apache-2.0
// Result -> what a person reads: a head, a line per check, then each cause with
// its source line, what was expected and seen, what to try; at the end what
// became of the blocks, and the score. Meant to fit on one screen: a cause is
// shown whole, but few of them, and what else there is is counted.
#include "report/internal.h"

#include <string.h>

enum {
    LEAST_WIDTH = 40,
    LABEL_INDENT = 12, // of the texts behind "  expected  "
    STATUS_COLUMNS = 7,
    TITLE_INDENT = 31, // of a check's sentence
    MOST_CAUSES = 5,   // of one check
    MOST_WARNINGS = 3,
    MOST_OUTPUT = 8, // lines that the kernel printed
    MOST_CHAINS = 2,
};

typedef struct Page {
    const Result *result;
    Str source;
    ReportStyle style;
    Buf *out;
    Str replay; // not yet printed: see flush_replay
} Page;

// ---- words and lines -----------------------------------------------------

static size_t count_columns(Str text) {
    size_t columns = 0;
    for (size_t i = 0; i < text.len; i++)
        columns += ((uint8_t)text.ptr[i] & 0xc0) != 0x80;
    return columns;
}

// Writes text from column `column` on, wrapped between words, with `indent`
// blanks before each further line, and a newline at the end.
static void write_wrapped(Page *page, Str text, size_t column, size_t indent) {
    Buf escaped = {0};
    report_escape(text, &escaped);
    Str rest = buf_view(&escaped);
    size_t width = page->style.width;
    for (bool first = true; rest.len > 0; first = false) {
        Str word = str_cut(&rest, ' ');
        size_t columns = count_columns(word);
        if (!first && column + 1 + columns > width) {
            buf_printf(page->out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            buf_byte(page->out, ' ');
            column++;
        }
        buf_str(page->out, word);
        column += columns;
    }
    buf_byte(page->out, '\n');
    buf_free(&escaped);
}

static void write_tone(Page *page, Tone tone, const char *text) {
    tone_text(page->style, tone, str_from(text), page->out);
}

static void write_labeled(Page *page, const char *label, Str text) {
    if (text.len == 0)
        return;
    char padded[LABEL_INDENT + 1];
    memset(padded, ' ', LABEL_INDENT);
    padded[LABEL_INDENT] = '\0';
    memcpy(padded + 2, label, strlen(label));
    write_tone(page, TONE_LABEL, padded);
    write_wrapped(page, text, LABEL_INDENT, LABEL_INDENT);
}

// "file:line:col: ", as far as it is known; the columns written.
static size_t write_place(Page *page, SrcLoc at) {
    if (at.file.len == 0)
        return 0;
    Buf place = {0};
    buf_str(&place, at.file);
    if (at.line)
        buf_printf(&place, ":%u", at.line);
    if (at.line && at.col)
        buf_printf(&place, ":%u", at.col);
    buf_str(&place, STR(": "));
    size_t columns = count_columns(buf_view(&place));
    tone_text(page->style, TONE_BOLD, buf_view(&place), page->out);
    buf_free(&place);
    return columns;
}

// ---- head and table ------------------------------------------------------

static void write_head(Page *page) {
    const Result *result = page->result;
    Buf line = {0};
    buf_printf(&line, "Lab %u: %.*s", result->lab, STR_ARG(result->title));
    tone_text(page->style, TONE_BOLD, buf_view(&line), page->out);
    buf_byte(page->out, '\n');
    line.len = 0;
    buf_printf(&line, "%.*s on %.*s%s%.*s, seed %llu, %llu schedule%s",
               STR_ARG(result->file), STR_ARG(result->device),
               result->gpu_model.len ? ":" : "", STR_ARG(result->gpu_model),
               (unsigned long long)result->seed,
               (unsigned long long)result->schedules,
               result->schedules == 1 ? "" : "s");
    write_wrapped(page, buf_view(&line), 0, 0);
    buf_byte(page->out, '\n');
    buf_free(&line);
}

static void write_status(Page *page, CheckStatus status) {
    switch (status) {
    case CHECK_PASS:
        write_tone(page, TONE_GOOD, "PASS ");
        return;
    case CHECK_FAIL:
        write_tone(page, TONE_BAD, "FAIL ");
        return;
    case CHECK_SKIP:
        write_tone(page, TONE_FAINT, "SKIP ");
        return;
    case CHECK_ERROR:
        write_tone(page, TONE_ODD, "ERROR");
        return;
    }
}

static void write_number(Buf *out, double value, int width) {
    bool whole = value == (double)(long long)value;
    buf_printf(out, "%*.*f", width, whole ? 0 : 2, value);
}

static void write_check(Page *page, const CheckResult *check) {
    Buf most = {0}, id = {0}, lead = {0};
    buf_str(page->out, STR("  "));
    write_status(page, check->status);
    write_number(&most, check->max_points, 1);
    report_escape(check->id, &id);
    write_number(&lead, check->points, 5);
    buf_printf(&lead, "/%-3.*s %-13.*s ", STR_ARG(buf_view(&most)),
               STR_ARG(buf_view(&id)));
    buf_str(page->out, buf_view(&lead));
    size_t column = STATUS_COLUMNS + count_columns(buf_view(&lead));
    write_wrapped(page, check->title, column, TITLE_INDENT);
    buf_free(&most);
    buf_free(&id);
    buf_free(&lead);
}

// ---- causes --------------------------------------------------------------

static void write_related(Page *page, const Cause *cause) {
    for (uint32_t i = 0; i < cause->related_count; i++) {
        const RelatedSite *site = &cause->related[i];
        Buf text = {0};
        if (site->at.line && site->at.file.len)
            buf_printf(&text, "%.*s:%u: ", STR_ARG(site->at.file),
                       site->at.line);
        buf_str(&text, site->what);
        write_labeled(page, "see", buf_view(&text));
        buf_free(&text);
    }
}

// A header of the toolkit, as one includes it; other files as they are.
static Str header_name(Str path) {
    static const Str roots[] = {{"/include/cccl/", 14}, {"/include/", 9}};
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        for (size_t at = path.len; at-- > 0 && path.ptr[0] == '/';)
            if (str_starts(str_slice(path, at, path.len), roots[i]))
                return str_slice(path, at + roots[i].len, path.len);
    return path;
}

static void write_via(Page *page, SrcLoc via) {
    if (via.line == 0)
        return;
    Buf text = {0};
    Str name = header_name(via.file);
    bool header = name.len != via.file.len;
    buf_printf(&text, "%s%.*s%s:%u", header ? "<" : "", STR_ARG(name),
               header ? ">" : "", via.line);
    write_labeled(page, "through", buf_view(&text));
    buf_free(&text);
}

// Causes of one run have one replay: it is printed behind the last of them.
static void flush_replay(Page *page, Str next) {
    if (page->replay.len && !str_equal(page->replay, next)) {
        write_labeled(page, "replay", page->replay);
    }
    page->replay = next;
}

static void write_cause(Page *page, const char *kind, Tone tone,
                        const Cause *cause, Str code) {
    Page *p = page;
    buf_byte(p->out, '\n');
    size_t column = write_place(p, cause->at);
    write_tone(p, tone, kind);
    buf_str(p->out, STR(": "));
    Buf text = {0};
    buf_str(&text, cause->what);
    if (code.len)
        buf_printf(&text, " [%.*s]", STR_ARG(code));
    write_wrapped(p, buf_view(&text), column + strlen(kind) + 2, 4);
    buf_free(&text);
    if (str_equal(cause->at.file, p->result->file))
        excerpt_write(p->style, p->source, cause->at, p->out);
    write_via(p, cause->via);
    write_labeled(p, "expected", cause->expected);
    write_labeled(p, "actual", cause->actual);
    write_related(p, cause);
    write_labeled(p, "help", cause->help);
    write_labeled(p, "run", cause->context);
}

static void write_check_causes(Page *page, const CheckResult *check) {
    bool ours = check->status == CHECK_ERROR;
    size_t shown =
        check->cause_count < MOST_CAUSES ? check->cause_count : MOST_CAUSES;
    for (size_t i = 0; i < shown; i++) {
        const Cause *cause = &check->causes[i];
        flush_replay(page, cause->replay);
        write_cause(page, ours ? "grader error" : "error",
                    ours ? TONE_ODD : TONE_BAD, cause,
                    cause->code.len ? cause->code : check->id);
    }
    if (check->cause_count > shown)
        buf_printf(page->out, "\nand %zu more of %.*s\n",
                   check->cause_count - shown, STR_ARG(check->id));
}

static void write_causes(Page *page) {
    const Result *result = page->result;
    for (size_t i = 0; i < result->check_count; i++) {
        CheckStatus status = result->checks[i].status;
        if (status == CHECK_FAIL || status == CHECK_ERROR)
            write_check_causes(page, &result->checks[i]);
    }
    flush_replay(page, (Str){0});
    for (size_t i = 0; i < result->advisory_count; i++)
        write_cause(page, "advisory", TONE_LABEL, &result->advisories[i],
                    result->advisories[i].code);
}

static void write_warnings(Page *page) {
    const Result *result = page->result;
    size_t count = 0;
    for (size_t i = 0; i < result->message_count; i++) {
        const Diag *message = &result->messages[i];
        if (message->level != DIAG_WARNING || count++ >= MOST_WARNINGS)
            continue;
        Cause cause = {
            .at = message->at, .what = message->what, .help = message->help};
        write_cause(page, "warning", TONE_LABEL, &cause, message->code);
    }
    if (count > MOST_WARNINGS)
        buf_printf(page->out, "\nand %zu more warnings\n",
                   count - MOST_WARNINGS);
}

// ---- the foot ------------------------------------------------------------

static void write_output(Page *page) {
    Str text = page->result->output;
    if (text.len == 0)
        return;
    buf_str(page->out, STR("\nThe kernel printed:\n"));
    for (int i = 0; i < MOST_OUTPUT && text.len > 0; i++) {
        buf_str(page->out, STR("  | "));
        report_escape(str_cut(&text, '\n'), page->out);
        buf_byte(page->out, '\n');
    }
    size_t more = 0;
    for (; text.len > 0; more++)
        str_cut(&text, '\n');
    if (more > 0)
        buf_printf(page->out, "  | ... %zu more line%s\n", more,
                   more == 1 ? "" : "s");
}

static void write_chain(Page *page, Str chain) {
    Str line = str_slice(chain, 0, page->style.width - 6);
    buf_str(page->out, STR("  "));
    report_escape(line, page->out);
    buf_str(page->out, line.len < chain.len ? STR("...\n") : STR("\n"));
}

static void write_ledger(Page *page) {
    const LedgerSummary *ledger = &page->result->ledger;
    if (!page->result->has_ledger)
        return;
    Buf text = {0};
    buf_printf(&text, "n = %d, %.*s: %llu block%s, %llu started, %llu stolen",
               (int)ledger->n, STR_ARG(ledger->schedule),
               (unsigned long long)ledger->grid, ledger->grid == 1 ? "" : "s",
               (unsigned long long)ledger->started,
               (unsigned long long)ledger->canceled);
    if (ledger->canceled + ledger->refused > 0)
        buf_printf(&text, "; %llu request%s refused, %llu lost",
                   (unsigned long long)ledger->refused,
                   ledger->refused == 1 ? "" : "s",
                   (unsigned long long)ledger->lost);
    buf_byte(page->out, '\n');
    write_wrapped(page, buf_view(&text), 0, 2);
    buf_free(&text);
    size_t shown = 0;
    for (size_t i = 0; i < ledger->chain_count && shown < MOST_CHAINS; i++)
        if (str_find(ledger->chains[i], '>') < ledger->chains[i].len) {
            write_chain(page, ledger->chains[i]);
            shown++;
        }
}

static void write_score(Page *page) {
    const Result *result = page->result;
    Buf text = {0};
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

// ---- the whole -----------------------------------------------------------

static ReportStyle checked_style(ReportStyle style) {
    if (style.width == 0)
        style.width = 80;
    if (style.width < LEAST_WIDTH)
        style.width = LEAST_WIDTH;
    return style;
}

void report_text(const Result *result, Str source, ReportStyle style,
                 Buf *out) {
    Page page = {
        .result = result,
        .source = source,
        .style = checked_style(style),
        .out = out,
    };
    write_head(&page);
    for (size_t i = 0; i < result->check_count; i++)
        write_check(&page, &result->checks[i]);
    write_causes(&page);
    write_warnings(&page);
    write_output(&page);
    write_ledger(&page);
    write_score(&page);
}

void report_diag(const Diag *diag, Str source, ReportStyle style, Buf *out) {
    static const char *const levels[] = {"error", "warning", "note"};
    Page page = {
        .source = source,
        .style = checked_style(style),
        .out = out,
    };
    const char *level = levels[diag->level];
    size_t column = write_place(&page, diag->at);
    write_tone(&page, diag->level == DIAG_ERROR ? TONE_BAD : TONE_LABEL, level);
    buf_str(out, STR(": "));
    Buf text = {0};
    buf_str(&text, diag->what);
    if (diag->code.len)
        buf_printf(&text, " [%.*s]", STR_ARG(diag->code));
    write_wrapped(&page, buf_view(&text), column + strlen(level) + 2, 4);
    buf_free(&text);
    excerpt_write(page.style, source, diag->at, out);
    write_labeled(&page, "help", diag->help);
}
