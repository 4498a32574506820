// SPDX-License-Identifier: Apache-2.0
// A page of text: wrapped words, a cause with its source line and related
// places, the kernel's output, chains of blocks; and a single message
// (report_diag). text.c and run_text.c assemble pages.
#include "report/internal.h"

#include <string.h>

enum {
    LEAST_WIDTH = 40,
    LABEL_INDENT = 12, // of the texts after "  expected  "
    MOST_WARNINGS = 3,
    MOST_CHAINS = 2,
};

// ---- words and lines -----------------------------------------------------

size_t page_columns(Str text) {
    size_t columns = 0;
    for (size_t i = 0; i < text.len; i++)
        columns += ((uint8_t)text.ptr[i] & 0xc0) != 0x80;
    return columns;
}

Str page_fitting(Str text, size_t columns) {
    size_t column = 0;
    for (size_t i = 0; i < text.len; i++) {
        column += ((uint8_t)text.ptr[i] & 0xc0) != 0x80;
        if (column > columns)
            return str_slice(text, 0, i);
    }
    return text;
}

// `joint` is written at the end of each line but the last.
static void wrap(Page *page, Str text, size_t column, size_t indent,
                 Str joint) {
    Buf escaped = {0};
    utf8_escape(text, &escaped);
    Str rest = buf_view(&escaped);
    size_t width = page->style.width - joint.len;
    for (bool first = true; rest.len > 0; first = false) {
        Str word = str_cut(&rest, ' ');
        size_t columns = page_columns(word);
        if (!first && column + 1 + columns > width) {
            buf_printf(page->out, "%.*s\n%*s", STR_ARG(joint), (int)indent, "");
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

void page_wrapped(Page *page, Str text, size_t column, size_t indent) {
    wrap(page, text, column, indent, STR(""));
}

void page_obeyed(Page *page, uint32_t number, Str what) {
    Buf line = {0};
    if (what.len)
        buf_printf(&line, "with an edit that is not in the file: %.*s",
                   STR_ARG(what));
    else
        buf_printf(&line, "as it is: its report tells no edit %u", number);
    page_wrapped(page, buf_view(&line), 0, 0);
    buf_free(&line);
}

void page_tone(Page *page, Tone tone, const char *text) {
    tone_text(page->style, tone, str_from(text), page->out);
}

static void write_label(Page *page, const char *label) {
    char padded[LABEL_INDENT + 1];
    memset(padded, ' ', LABEL_INDENT);
    padded[LABEL_INDENT] = '\0';
    memcpy(padded + 2, label, strlen(label));
    page_tone(page, TONE_LABEL, padded);
}

void page_labeled(Page *page, const char *label, Str text) {
    if (text.len == 0)
        return;
    write_label(page, label);
    page_wrapped(page, text, LABEL_INDENT, LABEL_INDENT);
}

// Writes "file:line:col: ", as far as it is known. Returns the columns written.
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
    size_t columns = page_columns(buf_view(&place));
    tone_text(page->style, TONE_BOLD, buf_view(&place), page->out);
    buf_free(&place);
    return columns;
}

// ---- causes --------------------------------------------------------------

static bool same_line(SrcLoc a, SrcLoc b) {
    return a.line == b.line && str_equal(a.file, b.file);
}

// Whether the report already shows the line of related[index].
static bool is_shown(const Cause *cause, uint32_t index) {
    SrcLoc at = cause->related[index].at;
    bool shown = same_line(at, cause->at);
    for (uint32_t i = 0; i < index; i++)
        shown |= same_line(at, cause->related[i].at);
    return shown;
}

static void write_related(Page *page, const Cause *cause) {
    for (uint32_t i = 0; i < cause->related_count; i++) {
        const CausePlace *site = &cause->related[i];
        Buf text = {0};
        uint32_t called = report_called_line(site);
        if (site->at.line && site->at.file.len)
            buf_printf(&text, "%.*s:%u", STR_ARG(site->at.file), site->at.line);
        if (called)
            buf_printf(&text, " (called at line %u)", called);
        if (text.len)
            buf_str(&text, STR(": "));
        buf_str(&text, site->what);
        page_labeled(page, cause->in_order && site->at.line ? "before" : "see",
                     buf_view(&text));
        buf_free(&text);
        if (str_equal(site->at.file, page->file) && !is_shown(cause, i))
            excerpt_write(page->style, page->source, site->at, page->out);
    }
}

// A toolkit's header, as a source includes it; any other path unchanged.
static Str header_name(Str path) {
    static const Str roots[] = {{"/include/cccl/", 14}, {"/include/", 9}};
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        for (size_t at = path.len; at-- > 0 && path.ptr[0] == '/';)
            if (str_starts(str_slice(path, at, path.len), roots[i]))
                return str_slice(path, at + roots[i].len, path.len);
    return path;
}

static void write_via(Page *page, SrcLoc via) {
    if (via.line == 0 || !page->style.frames)
        return;
    Buf text = {0};
    Str name = header_name(via.file);
    bool header = name.len != via.file.len;
    buf_printf(&text, "%s%.*s%s:%u", header ? "<" : "", STR_ARG(name),
               header ? ">" : "", via.line);
    page_labeled(page, "through", buf_view(&text));
    buf_free(&text);
}

static void write_callers(Page *page, const Cause *cause) {
    for (uint32_t i = 0; i < cause->caller_count; i++) {
        SrcLoc at = cause->callers[i];
        Buf text = {0};
        buf_printf(&text, "%.*s:%u", STR_ARG(at.file), at.line);
        page_labeled(page, i == 0 ? "called" : "and that", buf_view(&text));
        buf_free(&text);
        if (str_equal(at.file, page->file))
            excerpt_write(page->style, page->source, at, page->out);
    }
}

// A command must stay one that can be pasted: its lines end as a shell
// continues them, and a command with quoted words is not wrapped at all.
static void write_replay(Page *page, Str command) {
    write_label(page, "replay");
    if (str_find(command, '\'') == command.len) {
        wrap(page, command, LABEL_INDENT, LABEL_INDENT, STR(" \\"));
        return;
    }
    utf8_escape(command, page->out);
    buf_byte(page->out, '\n');
}

void page_flush_replay(Page *page, Str next) {
    if (page->replay.len && !str_equal(page->replay, next))
        write_replay(page, page->replay);
    page->replay = next;
}

// Causes in a row often have the same help.
static void write_help(Page *p, const Cause *cause) {
    ReportHelp help = report_help(cause);
    if (!str_equal(p->help, cause->help))
        page_labeled(p, help.label, help.text);
    p->help = cause->help;
    page_labeled(p, help.where, help.region);
}

// What shows that it is so.
static void write_evidence(Page *p, const Cause *cause) {
    page_labeled(p, "found", report_found(cause));
    page_labeled(p, "expected", cause->expected);
    page_labeled(p, "actual", cause->actual);
    page_labeled(p, "missing", cause->missing);
    write_related(p, cause);
    write_via(p, cause->via);
    write_callers(p, cause);
    page_labeled(p, "who", cause->who);
}

void page_cause(Page *page, const char *kind, Tone tone, const Cause *cause,
                Str code) {
    Page *p = page;
    buf_byte(p->out, '\n');
    size_t column = write_place(p, cause->at);
    page_tone(p, tone, kind);
    buf_str(p->out, STR(": "));
    Buf text = {0};
    buf_str(&text, cause_headline(cause));
    if (code.len)
        buf_printf(&text, " [%.*s]", STR_ARG(code));
    page_wrapped(p, buf_view(&text), column + strlen(kind) + 2, 4);
    buf_free(&text);
    if (str_equal(cause->at.file, p->file))
        excerpt_write(p->style, p->source, cause->at, p->out);
    write_help(p, cause);
    write_evidence(p, cause);
    page_labeled(p, "run", cause->context);
    if (!str_equal(p->more, cause->explain))
        page_labeled(p, "more", cause->explain);
    p->more = cause->explain;
}

void page_warnings(Page *page, const Diag *messages, size_t total) {
    size_t count = 0;
    for (size_t i = 0; i < total; i++) {
        const Diag *message = &messages[i];
        if (message->level != DIAG_WARNING || count++ >= MOST_WARNINGS)
            continue;
        Cause cause = {
            .at = message->at, .what = message->what, .help = message->help};
        page_cause(page, "warning", TONE_LABEL, &cause, message->code);
    }
    if (count > MOST_WARNINGS)
        buf_printf(page->out, "\nand %zu more warnings\n",
                   count - MOST_WARNINGS);
}

// ---- what the run left ---------------------------------------------------

void page_output(Page *page, Str text, size_t most) {
    if (text.len == 0)
        return;
    buf_str(page->out, STR("\nThe kernel printed:\n"));
    for (size_t i = 0; i < most && text.len > 0; i++) {
        buf_str(page->out, STR("  | "));
        utf8_escape(str_cut(&text, '\n'), page->out);
        buf_byte(page->out, '\n');
    }
    size_t more = 0;
    for (; text.len > 0; more++)
        str_cut(&text, '\n');
    if (more > 0)
        buf_printf(page->out, "  | ... %zu more line%s\n", more,
                   more == 1 ? "" : "s");
}

// A chain that is too long is cut in front of an arrow, because a part of an
// index would look like an index. `links`: how many blocks it has.
static void write_chain(Page *page, Str chain, size_t links) {
    enum { INDENT = 2, MORE = sizeof " and 1000000 more" };
    Str line = chain;
    if (chain.len > page->style.width - INDENT) {
        line = str_slice(chain, 0, page->style.width - INDENT - MORE);
        while (line.len > 0 && !str_ends(line, STR(" ->")))
            line.len--;
        line = str_slice(line, 0, line.len < 3 ? 0 : line.len - 3);
    }
    size_t shown = 1;
    for (size_t i = 0; i < line.len; i++)
        shown += line.ptr[i] == '>';
    buf_str(page->out, STR("  "));
    utf8_escape(line, page->out);
    if (line.len < chain.len)
        buf_printf(page->out, " and %zu more", links - shown);
    buf_str(page->out, STR("\n"));
}

void page_chains(Page *page, const LedgerSummary *ledger) {
    size_t shown = 0;
    for (size_t i = 0; i < ledger->chain_count && shown < MOST_CHAINS; i++)
        if (str_find(ledger->chains[i], '>') < ledger->chains[i].len) {
            write_chain(page, ledger->chains[i], ledger->links[i]);
            shown++;
        }
}

// ---- a page, a message ---------------------------------------------------

static ReportStyle checked_style(ReportStyle style) {
    if (style.width == 0)
        style.width = 80;
    if (style.width < LEAST_WIDTH)
        style.width = LEAST_WIDTH;
    return style;
}

Page page_open(Str file, Str source, ReportStyle style, Buf *out) {
    return (Page){
        .file = file,
        .source = source,
        .style = checked_style(style),
        .out = out,
    };
}

void report_diag(const Diag *diag, Str source, ReportStyle style, Buf *out) {
    static const char *const levels[] = {"error", "warning", "note"};
    Page page = page_open((Str){0}, source, style, out);
    const char *level = levels[diag->level];
    size_t column = write_place(&page, diag->at);
    page_tone(&page, diag->level == DIAG_ERROR ? TONE_BAD : TONE_LABEL, level);
    buf_str(out, STR(": "));
    Buf text = {0};
    buf_str(&text, diag->what);
    if (diag->code.len)
        buf_printf(&text, " [%.*s]", STR_ARG(diag->code));
    page_wrapped(&page, buf_view(&text), column + strlen(level) + 2, 4);
    buf_free(&text);
    excerpt_write(page.style, source, diag->at, out);
    page_labeled(&page, "help", diag->help);
}
