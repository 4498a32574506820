// SPDX-License-Identifier: Apache-2.0
// The source in a page of HTML: a numbered line each, marked where a finding or
// a place that belongs to one is, with the finding's sentence under it. A file
// may have a megabyte: of a long one the lines around the first finding are
// shown.
#include "report/internal.h"

enum { MOST_LINES = 3000, MOST_BYTES = 200 * 1024, MOST_LINE = 2000 };

// ---- which lines ---------------------------------------------------------

// A ProblemTake: notes the problem's places.
static void note(void *context, const Problem *problem) {
    Listing *listing = context;
    const Cause *cause = problem->cause;
    if (listing->count == COUNT_OF(listing->marks))
        return;
    if (str_equal(cause->at.file, listing->file) && cause->at.line) {
        if (listing->first == 0 && problem->level <= PROBLEM_ERROR)
            listing->first = cause->at.line;
        listing->marks[listing->count++] = (ListingMark){
            cause->at.line, true, problem->rule, cause_headline(cause)};
    }
    for (uint32_t i = 0; i < cause->related_count; i++) {
        const CausePlace *place = &cause->related[i];
        if (listing->count < COUNT_OF(listing->marks) && place->at.line &&
            str_equal(place->at.file, listing->file))
            listing->marks[listing->count++] = (ListingMark){
                place->at.line, false, problem->rule, place->what};
    }
}

static uint32_t count_lines(Str text) {
    uint32_t lines = 0;
    while (text.len) {
        str_cut(&text, '\n');
        lines++;
    }
    return lines;
}

// As many lines as may be shown, with some before the first finding.
static void choose_lines(Listing *listing) {
    uint32_t lines = count_lines(listing->text);
    listing->lines = lines;
    listing->from = 1;
    if (lines > MOST_LINES && listing->first > MOST_LINES / 2)
        listing->from = listing->first - MOST_LINES / 2;
    listing->to = listing->from + MOST_LINES - 1;
    if (listing->to > lines)
        listing->to = lines;
}

Listing html_list(const Report *report) {
    bool is_grade = report->kind == REPORT_GRADE;
    Listing listing = {.file =
                           is_grade ? report->grade->file : report->run->file,
                       .text = report->source};
    problems_each(report, note, &listing);
    choose_lines(&listing);
    return listing;
}

bool html_shows_line(const Listing *listing, uint32_t line) {
    return line >= listing->from && line <= listing->to;
}

// ---- a line --------------------------------------------------------------

static const char *class_of(const Listing *listing, uint32_t number) {
    bool is_marked = false;
    for (size_t i = 0; i < listing->count; i++) {
        const ListingMark *mark = &listing->marks[i];
        if (mark->line == number && mark->is_finding)
            return " class=\"wrong\"";
        is_marked |= mark->line == number;
    }
    return is_marked ? " class=\"near\"" : "";
}

static void write_marks(const Listing *listing, uint32_t number, Buf *out) {
    for (size_t i = 0; i < listing->count; i++) {
        const ListingMark *mark = &listing->marks[i];
        if (mark->line != number)
            continue;
        buf_printf(out, "<span class=\"%s\">",
                   mark->is_finding ? "mark wrong" : "mark near");
        encode_html(mark->rule, out);
        buf_str(out, STR(": "));
        encode_html(mark->what, out);
        buf_str(out, STR("</span>"));
    }
}

// Tabs are blanks, as in the text report; a line of a program is cut.
static void write_code(Str line, Buf *out) {
    Buf wide = {0};
    bool is_cut = line.len > MOST_LINE;
    if (str_ends(line, STR("\r")))
        line.len--;
    line = str_slice(line, 0, MOST_LINE);
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] == '\t')
            do
                buf_byte(&wide, ' ');
            while (wide.len % 4);
        else
            buf_byte(&wide, line.ptr[i]);
    encode_html(buf_view(&wide), out);
    if (is_cut)
        buf_str(out, STR(" ..."));
    buf_free(&wide);
}

void html_line(const Listing *listing, SrcLoc at, Buf *out) {
    if (!str_equal(at.file, listing->file) || at.line == 0 ||
        at.line > listing->lines)
        return;
    buf_str(out, STR("<pre class=\"line\"><code>"));
    write_code(str_trim(str_line(listing->text, at.line)), out);
    buf_str(out, STR("</code></pre>\n"));
}

// ---- the whole -----------------------------------------------------------

static void write_bounds(const Listing *listing, uint32_t last, Buf *out) {
    if (listing->from > 1 || last < listing->lines)
        buf_printf(out, "<p>Lines %u to %u of %u.</p>\n", listing->from, last,
                   listing->lines);
}

void html_source(const Listing *listing, Buf *out) {
    Str rest = listing->text;
    size_t start = out->len;
    uint32_t last = 0;
    if (rest.len == 0)
        return;
    buf_str(out, STR("<section aria-labelledby=\"source\">\n"
                     "<h2 id=\"source\">"));
    encode_html(listing->file, out);
    buf_str(out, STR("</h2>\n<ol class=\"source\">\n"));
    for (uint32_t n = 1; n <= listing->to && out->len - start < MOST_BYTES * 3;
         n++) {
        Str line = str_cut(&rest, '\n');
        if (n < listing->from)
            continue;
        buf_printf(out, "<li id=\"L%u\" value=\"%u\"%s><code>", n, n,
                   class_of(listing, n));
        write_code(line, out);
        buf_str(out, STR("</code>"));
        write_marks(listing, n, out);
        buf_str(out, STR("</li>\n"));
        last = n;
    }
    buf_str(out, STR("</ol>\n"));
    write_bounds(listing, last, out);
    buf_str(out, STR("</section>\n"));
}
