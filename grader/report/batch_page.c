// SPDX-License-Identifier: Apache-2.0
// What a class came to, for a person: how the points are spread, the most
// frequent causes with a sample of each, who has other points than before, the
// slowest, and who could not be graded, with the reason. Once as text and once
// as a page of HTML that needs nothing else and links to the reports beside it.
#include "report/internal.h"

#include <math.h>

enum { MOST_LISTED = 20, BAR_COLUMNS = 40 };

typedef unsigned long long Whole; // for printf

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

static size_t largest_bin(const BatchTally *tally) {
    size_t largest = 1;
    for (size_t i = 0; i < BATCH_BINS; i++)
        if (tally->bins[i] > largest)
            largest = tally->bins[i];
    return largest;
}

// The whole points from `first` to before `end` that bin i stands for: a quiz
// has fewer than ten, so that some bins have none.
static uint32_t range_of(const BatchTally *tally, size_t i, uint32_t *end) {
    uint32_t most = (uint32_t)tally->most, bin = (uint32_t)i;
    bool is_last = i == BATCH_BINS - 1;
    *end = is_last ? most + 1 : ((bin + 1) * most + 9) / 10;
    return is_last ? most : (bin * most + 9) / 10;
}

// A bin of nobody that nobody can be in is not shown. (Means of seeds can be in
// any.)
static bool is_shown(const BatchTally *tally, size_t i) {
    uint32_t end, first = range_of(tally, i, &end);
    return first < end || tally->bins[i];
}

// "90-99", "9", or for a mean between two whole points "below 4".
static void add_range(const BatchTally *tally, size_t i, Buf *out) {
    uint32_t end, first = range_of(tally, i, &end);
    if (first >= end)
        buf_printf(out, "below %u", first);
    else if (end - first == 1)
        buf_printf(out, "%u", first);
    else
        buf_printf(out, "%u-%u", first, end - 1);
}

// Whole, or with a decimal, in any locale.
static void add_points(double points, Buf *out) {
    uint64_t tenths = (uint64_t)(points * 10 + 0.5);
    buf_printf(out, "%llu", (Whole)(tenths / 10));
    if (tenths % 10)
        buf_printf(out, ".%llu", (Whole)(tenths % 10));
}

static void add_cause_name(const BatchCause *cause, Buf *out) {
    buf_str(out, cause->check);
    if (cause->code.len && !str_equal(cause->code, cause->check)) {
        buf_str(out, STR(", "));
        buf_str(out, cause->code);
    }
}

static void add_tenths(double seconds, Buf *out) {
    uint64_t tenths = (uint64_t)(seconds * 10 + 0.5);
    buf_printf(out, "%llu.%llu", (Whole)(tenths / 10), (Whole)(tenths % 10));
}

// "120 submissions: 116 graded, 3 not gradable, 1 failed."
static void add_counts(const BatchTally *tally, Buf *out) {
    buf_printf(out, "%zu submission%s: %zu graded", tally->count,
               plural(tally->count), tally->graded);
    if (tally->ungradable)
        buf_printf(out, ", %zu not gradable", tally->ungradable);
    if (tally->failed)
        buf_printf(out, ", %zu failed", tally->failed);
    buf_byte(out, '.');
}

static void add_figures(const BatchTally *tally, Buf *out) {
    if (tally->graded == 0)
        return;
    buf_printf(out, "%zu with full marks; mean ", tally->full);
    add_points(tally->mean, out);
    buf_str(out, STR(", median "));
    add_points(tally->median, out);
    buf_str(out, STR(", least "));
    add_points(tally->least, out);
    buf_str(out, STR(", most "));
    add_points(tally->greatest, out);
    buf_byte(out, '.');
}

// ---- text ----------------------------------------------------------------

static void text_bins(const BatchTally *tally, Buf *out) {
    size_t largest = largest_bin(tally);
    buf_str(out, STR("\nPoints\n"));
    for (size_t i = BATCH_BINS; i-- > 0;) {
        Buf range = {0};
        if (!is_shown(tally, i))
            continue;
        add_range(tally, i, &range);
        buf_printf(out, "%9.*s ", STR_ARG(buf_view(&range)));
        buf_free(&range);
        size_t columns = (tally->bins[i] * BAR_COLUMNS + largest - 1) / largest;
        for (size_t k = 0; k < columns; k++)
            buf_byte(out, '#');
        buf_printf(out, "%s%zu\n", columns ? " " : "", tally->bins[i]);
    }
}

static void text_causes(const BatchTally *tally, Buf *out) {
    if (tally->cause_count)
        buf_str(out, STR("\nFirst failures, the most frequent first\n"));
    for (size_t i = 0; i < tally->cause_count && i < MOST_LISTED; i++) {
        const BatchCause *cause = &tally->causes[i];
        buf_printf(out, "%6zu  ", cause->count);
        add_cause_name(cause, out);
        buf_str(out, STR(":"));
        for (size_t k = 0; k < cause->sample_count; k++)
            buf_printf(out, "%s %.*s", k ? "," : "",
                       STR_ARG(cause->samples[k]->id));
        buf_str(out, cause->count > cause->sample_count ? STR(", ...\n")
                                                        : STR("\n"));
    }
}

static void text_changed(const BatchTally *tally, Buf *out) {
    if (tally->changed_count)
        buf_str(out, STR("\nOther points than before\n"));
    for (size_t i = 0; i < tally->changed_count; i++) {
        const BatchRow *row = tally->changed[i];
        buf_printf(out, "  %.*s: ", STR_ARG(row->id));
        add_points(row->before, out);
        buf_str(out, STR(" -> "));
        add_points(row->score, out);
        buf_printf(out, " (%.*s)\n", STR_ARG(row->changed));
    }
}

static void text_slowest(const BatchTally *tally, Buf *out) {
    if (tally->slowest_count)
        buf_str(out, STR("\nThe slowest\n"));
    for (size_t i = 0; i < tally->slowest_count; i++) {
        const BatchRow *row = tally->slowest[i];
        buf_printf(out, "  %.*s: ", STR_ARG(row->id));
        add_tenths(row->seconds, out);
        buf_str(out, STR(" s\n"));
    }
}

static void text_without(const BatchTally *tally, BatchStatus status,
                         const char *title, Buf *out) {
    size_t count = 0;
    for (size_t i = 0; i < tally->count; i++) {
        const BatchRow *row = &tally->rows[i];
        if (row->status != status)
            continue;
        if (count++ == 0)
            buf_printf(out, "\n%s\n", title);
        buf_printf(out, "  %.*s: ", STR_ARG(row->id));
        utf8_escape(row->why, out);
        buf_byte(out, '\n');
    }
}

static void text_strangers(const BatchTally *tally, Buf *out) {
    const BatchStrangers *strangers = &tally->strangers;
    if (strangers->count)
        buf_str(out, STR("\nPoints of the table, but no submission\n"));
    for (size_t i = 0; i < strangers->count; i++) {
        buf_str(out, STR("  "));
        utf8_escape(strangers->items[i], out);
        buf_byte(out, '\n');
    }
}

void report_batch_text(const BatchTally *tally, Str title, ReportStyle style,
                       Buf *out) {
    tone_text(style, TONE_BOLD, title, out);
    buf_byte(out, '\n');
    add_counts(tally, out);
    buf_byte(out, '\n');
    add_figures(tally, out);
    if (tally->graded) {
        buf_byte(out, '\n');
        text_bins(tally, out);
    }
    text_causes(tally, out);
    text_changed(tally, out);
    text_slowest(tally, out);
    text_without(tally, BATCH_UNGRADABLE,
                 "Not gradable (no points, which is no zero)", out);
    text_without(tally, BATCH_FAILED,
                 "Failed, and not by the student; the same command tries again",
                 out);
    text_strangers(tally, out);
    batch_alike_text(tally, out);
}

// ---- HTML ----------------------------------------------------------------

static void link_to(const BatchRow *row, Buf *out) {
    buf_printf(out, "<a href=\"reports/%.*s.txt\">%.*s</a>", STR_ARG(row->id),
               STR_ARG(row->id));
}

static void open_section(const char *id, const char *title, Buf *out) {
    buf_printf(out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n",
               id, id, title);
}

static void html_bins(const BatchTally *tally, Buf *out) {
    size_t largest = largest_bin(tally);
    open_section("points", "Points", out);
    buf_str(out, STR("<table>\n<thead><tr><th>Points</th><th>Submissions</th>"
                     "<th></th></tr></thead>\n<tbody>\n"));
    for (size_t i = BATCH_BINS; i-- > 0;) {
        if (!is_shown(tally, i))
            continue;
        buf_str(out, STR("<tr><th scope=\"row\">"));
        add_range(tally, i, out);
        buf_printf(out,
                   "</th><td>%zu</td><td><meter min=\"0\" max=\"%zu\" "
                   "value=\"%zu\">%zu</meter></td></tr>\n",
                   tally->bins[i], largest, tally->bins[i], tally->bins[i]);
    }
    buf_str(out, STR("</tbody>\n</table>\n</section>\n"));
}

static void html_causes(const BatchTally *tally, Buf *out) {
    if (tally->cause_count == 0)
        return;
    open_section("causes", "First failures, the most frequent first", out);
    buf_str(out, STR("<table>\n<thead><tr><th>Submissions</th><th>Check</th>"
                     "<th>For example</th></tr></thead>\n<tbody>\n"));
    for (size_t i = 0; i < tally->cause_count && i < MOST_LISTED; i++) {
        const BatchCause *cause = &tally->causes[i];
        Buf name = {0};
        add_cause_name(cause, &name);
        buf_printf(out, "<tr><td>%zu</td><th scope=\"row\">", cause->count);
        encode_html(buf_view(&name), out);
        buf_free(&name);
        buf_str(out, STR("</th><td>"));
        for (size_t k = 0; k < cause->sample_count; k++) {
            buf_str(out, k ? STR(", ") : STR(""));
            link_to(cause->samples[k], out);
        }
        buf_str(out, STR("</td></tr>\n"));
    }
    buf_str(out, STR("</tbody>\n</table>\n</section>\n"));
}

static void html_changed(const BatchTally *tally, Buf *out) {
    if (tally->changed_count == 0)
        return;
    open_section("changed", "Other points than before", out);
    buf_str(out, STR("<ul>\n"));
    for (size_t i = 0; i < tally->changed_count; i++) {
        const BatchRow *row = tally->changed[i];
        buf_str(out, STR("<li>"));
        link_to(row, out);
        buf_str(out, STR(": "));
        add_points(row->before, out);
        buf_str(out, STR(" &rarr; "));
        add_points(row->score, out);
        buf_str(out, STR(" ("));
        encode_html(row->changed, out);
        buf_str(out, STR(")</li>\n"));
    }
    buf_str(out, STR("</ul>\n</section>\n"));
}

static void html_slowest(const BatchTally *tally, Buf *out) {
    if (tally->slowest_count == 0)
        return;
    open_section("slowest", "The slowest", out);
    buf_str(out, STR("<ul>\n"));
    for (size_t i = 0; i < tally->slowest_count; i++) {
        buf_str(out, STR("<li>"));
        link_to(tally->slowest[i], out);
        buf_str(out, STR(": "));
        add_tenths(tally->slowest[i]->seconds, out);
        buf_str(out, STR(" s</li>\n"));
    }
    buf_str(out, STR("</ul>\n</section>\n"));
}

static void html_strangers(const BatchTally *tally, Buf *out) {
    if (tally->strangers.count == 0)
        return;
    open_section("strangers", "Points of the table, but no submission", out);
    buf_str(out, STR("<ul>\n"));
    for (size_t i = 0; i < tally->strangers.count; i++) {
        buf_str(out, STR("<li>"));
        encode_html(tally->strangers.items[i], out);
        buf_str(out, STR("</li>\n"));
    }
    buf_str(out, STR("</ul>\n</section>\n"));
}

static void html_row(const BatchRow *row, const BatchExtra *extra, Buf *out) {
    bool graded = row->status == BATCH_GRADED;
    buf_str(out, graded && row->score >= row->most ? STR("<tr class=\"pass\">")
                                                   : STR("<tr>"));
    buf_str(out, STR("<th scope=\"row\">"));
    if (graded)
        link_to(row, out);
    else
        buf_str(out, row->id);
    buf_str(out, STR("</th><td>"));
    encode_html(row->student, out);
    buf_str(out, row->is_late ? STR(" (late)") : STR(""));
    buf_str(out, STR("</td><td class=\"status\">"));
    if (graded)
        add_points(row->score, out);
    if (extra->is_there) {
        buf_str(out, extra->points < 0 ? STR(" &minus; ") : STR(" + "));
        add_points(fabs(extra->points), out);
    }
    buf_str(out, STR("</td><td>"));
    encode_html(graded ? row->check : row->why, out);
    if (graded && row->code.len && !str_equal(row->code, row->check)) {
        buf_str(out, STR(", "));
        encode_html(row->code, out);
    }
    buf_str(out, STR("</td></tr>\n"));
}

static void html_rows(const BatchTally *tally, Buf *out) {
    open_section("all", "All submissions", out);
    buf_str(out, STR("<table class=\"checks\">\n<thead><tr><th>Submission</th>"
                     "<th>Student</th><th>Points</th><th>First failure, or why "
                     "there are no points</th></tr></thead>\n<tbody>\n"));
    static const BatchExtra none = {0};
    for (size_t i = 0; i < tally->count; i++)
        html_row(&tally->rows[i], tally->extras ? &tally->extras[i] : &none,
                 out);
    buf_str(out, STR("</tbody>\n</table>\n</section>\n"));
}

void report_batch_html(const BatchTally *tally, Str title, Buf *out) {
    html_head(title, out);
    buf_str(out, STR("<main>\n<h1>"));
    encode_html(title, out);
    buf_str(out, STR("</h1>\n<p>"));
    add_counts(tally, out);
    buf_byte(out, ' ');
    add_figures(tally, out);
    buf_str(out, STR("</p>\n"));
    if (tally->graded)
        html_bins(tally, out);
    html_causes(tally, out);
    html_changed(tally, out);
    html_slowest(tally, out);
    html_strangers(tally, out);
    batch_alike_html(tally, out);
    html_rows(tally, out);
    buf_str(out, STR("</main>\n</body>\n</html>\n"));
}
