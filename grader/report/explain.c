// SPDX-License-Identifier: Apache-2.0
// A rule's page for a terminal. docs/rules/ uses a small subset of Markdown:
//
//   # title, ## heading     in bold
//   ```cuda ... ```         unchanged, indented by 4 more blanks
//   - item, 1. item         wrapped; its further lines begin with blanks
//   a paragraph             its lines are joined and wrapped
//
// Within text, **x** and `x` become x, and [x](y) becomes x. Nothing else is
// supported: no tables, no nesting, no HTML.
#include "report/internal.h"
#include "result/rule.h"

enum { CODE_INDENT = 4 };

// ---- words ---------------------------------------------------------------

// The length of "[x](y)" at the start of s, with *shown set to x; 0 if there is
// no link.
static size_t link_length(Str s, Str *shown) {
    size_t close = str_find(s, ']');
    if (s.len == 0 || s.ptr[0] != '[' || close + 1 >= s.len ||
        s.ptr[close + 1] != '(')
        return 0;
    size_t end = str_find(str_slice(s, close, s.len), ')');
    if (close + end >= s.len)
        return 0;
    *shown = str_slice(s, 1, close);
    return close + end + 1;
}

void explain_plain(Str text, Buf *out) {
    bool code = false;
    for (size_t i = 0; i < text.len;) {
        Str rest = str_slice(text, i, text.len), shown;
        size_t link = code ? 0 : link_length(rest, &shown);
        if (link > 0) {
            explain_plain(shown, out);
            i += link;
        } else if (text.ptr[i] == '`') {
            code = !code;
            i++;
        } else if (!code && str_starts(rest, STR("**"))) {
            i += 2;
        } else {
            buf_byte(out, text.ptr[i++]);
        }
    }
}

// ---- blocks --------------------------------------------------------------

typedef struct Explain {
    Page page;
    Buf text;      // the paragraph or item so far, its lines joined
    size_t indent; // of its further lines
} Explain;

static void flush(Explain *explain) {
    if (explain->text.len == 0)
        return;
    Buf plain = {0};
    explain_plain(buf_view(&explain->text), &plain);
    page_wrapped(&explain->page, buf_view(&plain), 0, explain->indent);
    buf_free(&plain);
    explain->text.len = 0;
    explain->indent = 0;
}

static void write_heading(Explain *explain, Str line) {
    Buf plain = {0};
    while (str_starts(line, STR("#")))
        line = str_slice(line, 1, line.len);
    explain_plain(str_trim(line), &plain);
    tone_text(explain->page.style, TONE_BOLD, buf_view(&plain),
              explain->page.out);
    buf_byte(explain->page.out, '\n');
    buf_free(&plain);
}

static void write_code(Explain *explain, Str line) {
    if (line.len > 0) {
        for (int i = 0; i < CODE_INDENT; i++)
            buf_byte(explain->page.out, ' ');
        utf8_escape(line, explain->page.out);
    }
    buf_byte(explain->page.out, '\n');
}

// The length of the "- " or "1. " that starts an item; 0 if there is none.
static size_t item_indent(Str line) {
    if (str_starts(line, STR("- ")))
        return 2;
    bool digit = line.len > 2 && line.ptr[0] >= '0' && line.ptr[0] <= '9';
    return digit && line.ptr[1] == '.' && line.ptr[2] == ' ' ? 3 : 0;
}

static void add_line(Explain *explain, Str line) {
    size_t item = item_indent(line);
    if (item > 0)
        flush(explain);
    if (explain->text.len > 0)
        buf_byte(&explain->text, ' ');
    else
        explain->indent = item;
    buf_str(&explain->text, str_trim(line));
}

static void write_line(Explain *explain, Str line) {
    if (str_starts(line, STR("#"))) {
        flush(explain);
        write_heading(explain, line);
    } else if (str_trim(line).len == 0) {
        flush(explain);
        buf_byte(explain->page.out, '\n');
    } else {
        add_line(explain, line);
    }
}

void report_explain(Str markdown, ReportStyle style, Buf *out) {
    Explain explain = {.page = page_open((Str){0}, (Str){0}, style, out)};
    bool code = false;
    while (markdown.len > 0) {
        Str line = str_cut(&markdown, '\n');
        if (str_starts(line, STR("```"))) {
            flush(&explain);
            code = !code;
        } else if (code) {
            write_code(&explain, line);
        } else {
            write_line(&explain, line);
        }
    }
    flush(&explain);
    buf_free(&explain.text);
}

void report_rules_text(const RuleLine *lines, size_t count, Buf *out) {
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%-12.*s %.*s\n", STR_ARG(lines[i].code),
                   STR_ARG(lines[i].asks));
    buf_str(out, STR("\nclclab explain CODE explains one.\n"));
}

// ---- JSON ----------------------------------------------------------------

// For a page that starts with "# CLC006: slot reuse ...": "slot reuse ...".
static Str page_asks(Str markdown) {
    Str title = str_line(markdown, 1);
    size_t colon = str_find(title, ':');
    return str_trim(str_slice(title, colon + 1, title.len));
}

void report_explain_json(Str code, Str markdown, Buf *out) {
    Json json = {.out = out};
    json_open(&json, '{');
    json_text(&json, STR("schema"), STR("clclab/rule/v1"));
    json_text(&json, STR("code"), code);
    json_text(&json, STR("asks"), page_asks(markdown));
    json_text(&json, STR("markdown"), markdown);
    json_close(&json, '}');
    buf_byte(out, '\n');
}

void report_rules_json(const RuleLine *lines, size_t count, Buf *out) {
    Json json = {.out = out};
    json_open(&json, '{');
    json_text(&json, STR("schema"), STR("clclab/rules/v1"));
    json_open_member(&json, STR("rules"), '[');
    for (size_t i = 0; i < count; i++) {
        json_item(&json);
        json_open(&json, '{');
        json_text(&json, STR("code"), lines[i].code);
        json_text(&json, STR("asks"), lines[i].asks);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    buf_byte(out, '\n');
}
