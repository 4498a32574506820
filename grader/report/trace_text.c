// SPDX-License-Identifier: Apache-2.0
// A trace for a terminal: a row for each place of an SM, with the blocks that
// were there, and the steps around the finding. Read trace_text at the end.
#include "report/internal.h"

#include <string.h>

enum {
    MOST_ROWS = 32,
    LABEL = 10, // "   0     1"
    MOST_COLUMNS = 200,
    STEPS_BEFORE = 14,
    STEPS_AFTER = 3,
    WHO = 21, // "  block  warp  line  "
};

typedef unsigned long long Whole; // for printf

// ---- what it is ----------------------------------------------------------

static void write_head(Page *page, const RunTrace *trace) {
    const LedgerTotals *totals = &trace->totals;
    Buf text = {0};
    buf_printf(&text,
               "Trace of %.*s: %llu started, %llu stolen, %llu lost; %llu %s",
               STR_ARG(trace->run), (Whole)totals->started,
               (Whole)totals->granted, (Whole)totals->lost, (Whole)trace->end,
               trace->is_timed ? "modelled cycles" : "steps of the machine");
    if (trace->is_cut)
        buf_str(&text, STR(", where it was cut"));
    page_wrapped(page, buf_view(&text), 0, 2);
    buf_free(&text);
}

// ---- rows ----------------------------------------------------------------

// Where the time is in a row.
static size_t column_of(const RunTrace *trace, size_t columns, uint64_t at) {
    if (trace->end == 0)
        return 0;
    size_t column = (size_t)((double)at / (double)trace->end * (double)columns);
    return column < columns ? column : columns - 1;
}

// "[12-----" for a block that was started, ">12-----" for a stolen one. A
// column shows the stay that is there last.
static void draw_stay(const RunTrace *trace, const TraceStay *stay,
                      size_t columns, char *row) {
    char name[16];
    size_t from = column_of(trace, columns, stay->from);
    size_t to = column_of(trace, columns, stay->to);
    Buf number = {0};
    buf_printf(&number, "%u", stay->block);
    str_fill(name, sizeof name, buf_view(&number));
    buf_free(&number);
    row[from] = stay->is_stolen ? '>' : '[';
    for (size_t c = from + 1; c <= to; c++)
        row[c] = '-';
    for (size_t i = 0; name[i] && strlen(name) <= to - from; i++)
        row[from + 1 + i] = name[i];
}

// Started and stolen stays in different tones.
static void write_row(Page *page, const char *row, size_t columns) {
    size_t from = 0;
    for (size_t c = 1; c <= columns; c++) {
        bool ends = c == columns || row[c] == '[' || row[c] == '>' ||
                    (row[c] == ' ') != (row[c - 1] == ' ');
        if (!ends)
            continue;
        Tone tone = row[from] == '>' ? TONE_GOOD : TONE_PLAIN;
        tone_text(page->style, tone, (Str){row + from, c - from}, page->out);
        from = c;
    }
    buf_byte(page->out, '\n');
}

static void write_place(Page *page, const RunTrace *trace, uint32_t sm,
                        uint32_t place, size_t columns) {
    char row[MOST_COLUMNS];
    memset(row, ' ', sizeof row);
    for (size_t i = 0; i < trace->stay_count; i++)
        if (trace->stays[i].sm == sm && trace->stays[i].place == place)
            draw_stay(trace, &trace->stays[i], columns, row);
    while (columns > 1 && row[columns - 1] == ' ')
        columns--;
    buf_printf(page->out, "%4u%6u  ", sm, place);
    write_row(page, row, columns);
}

static void write_rows(Page *page, const RunTrace *trace) {
    size_t columns = page->style.width - LABEL - 2;
    uint32_t rows = 0;
    if (columns > MOST_COLUMNS)
        columns = MOST_COLUMNS;
    buf_str(page->out, STR("\n  SM place\n"));
    for (uint32_t sm = 0; sm < trace->sm_count; sm++)
        for (uint32_t p = 0; p < trace->place_count; p++)
            if (rows++ < MOST_ROWS)
                write_place(page, trace, sm, p, columns);
    if (rows > MOST_ROWS)
        buf_printf(page->out, "  and %u places more\n", rows - MOST_ROWS);
    buf_str(page->out,
            STR("  [12--- block 12 was started here   >12--- it was stolen\n"));
    if (trace->every > 1)
        buf_printf(page->out, "  one of %llu stays is shown, of %llu\n",
                   (Whole)trace->every, (Whole)trace->stay_total);
}

// ---- the moment ----------------------------------------------------------

static bool is_same_place(const TraceEvent *a, const TraceEvent *b) {
    return a->cta == b->cta && a->warp == b->warp && a->line == b->line;
}

// "      1     0    24  "
static void write_who(Page *page, const TraceEvent *step) {
    buf_printf(page->out, "  %5u ", step->cta);
    if (step->warp == DEVICE_EVENT_NONE)
        buf_str(page->out, STR("async "));
    else
        buf_printf(page->out, "%5u ", step->warp);
    if (step->line)
        buf_printf(page->out, "%5u  ", step->line);
    else
        buf_str(page->out, STR("    -  "));
}

// The line of the source, as far as it fits; false: there is none.
static bool write_source(Page *page, uint32_t number) {
    Buf text = {0};
    excerpt_line(str_trim(str_line(page->source, number)), &text);
    bool has_line = text.len > 0;
    Str fits = page_fitting(buf_view(&text), page->style.width - WHO);
    tone_text(page->style, TONE_FAINT, fits, page->out);
    buf_free(&text);
    return has_line;
}

// Who and where, unless it is said above, then what: on a line of its own
// behind a line of the source.
static void write_step(Page *page, const TraceEvent *step,
                       const TraceEvent *last) {
    Buf text = {0};
    bool is_new = !last || !is_same_place(step, last);
    size_t column = WHO;
    if (is_new)
        write_who(page, step);
    if (!is_new || write_source(page, step->line)) {
        column = WHO + 2;
        buf_printf(page->out, "%s%*s", is_new ? "\n" : "", (int)column, "");
    }
    trace_step_text(step, &text);
    trace_state_text(step, &text);
    if (step->kind == TRACE_FOUND) {
        tone_text(page->style, TONE_BAD, buf_view(&text), page->out);
        buf_byte(page->out, '\n');
    } else {
        page_wrapped(page, buf_view(&text), column, WHO + 4);
    }
    buf_free(&text);
}

static void write_moment(Page *page, const TraceMoment *moment) {
    if (!moment->is_there)
        return;
    size_t from =
        moment->found > STEPS_BEFORE ? moment->found - STEPS_BEFORE : 0;
    size_t to = moment->found + 1 + STEPS_AFTER;
    Buf text = {0};
    buf_printf(&text,
               "Before %.*s was found at line %u:", STR_ARG(moment->code),
               moment->at.line);
    buf_byte(page->out, '\n');
    page_wrapped(page, buf_view(&text), 0, 2);
    buf_free(&text);
    buf_str(page->out, STR("  block  warp  line\n"));
    for (size_t i = from; i < to && i < moment->step_count; i++)
        write_step(page, &moment->steps[i],
                   i > from ? &moment->steps[i - 1] : NULL);
}

// ---- the moment in brief -------------------------------------------------

// What is told of it: where it began, what happened last to mbarriers and
// slots, the last instruction of the warp at which it was found, and the
// finding.
static void choose_steps(const TraceMoment *moment, bool chosen[]) {
    const TraceEvent *found = &moment->steps[moment->found];
    uint32_t events = 4, own = 1;
    size_t origin;
    for (size_t i = moment->found; i-- > 0;) {
        const TraceEvent *step = &moment->steps[i];
        bool is_own = step->kind == TRACE_STEP && step->op.len &&
                      step->cta == found->cta && step->warp == found->warp;
        bool is_event = step->shared != DEVICE_EVENT_NONE;
        chosen[i] = (is_event && events) || (is_own && own);
        events -= is_event && events;
        own -= is_own && own;
    }
    chosen[moment->found] = true;
    if (trace_origin(moment, &origin))
        chosen[origin] = true;
}

static void write_brief_step(Page *page, const TraceMoment *moment,
                             const TraceEvent *step) {
    Buf text = {0};
    buf_printf(&text, "  block %u, ", step->cta);
    if (step->warp == DEVICE_EVENT_NONE)
        buf_str(&text, STR("async proxy"));
    else
        buf_printf(&text, "warp %u", step->warp);
    if (step->line)
        buf_printf(&text, ", line %u", step->line);
    buf_str(&text, STR(": "));
    if (step->kind == TRACE_FOUND)
        buf_printf(&text, "%.*s is found", STR_ARG(moment->code));
    else
        trace_step_text(step, &text);
    tone_text(page->style, step->kind == TRACE_FOUND ? TONE_BAD : TONE_PLAIN,
              page_fitting(buf_view(&text), page->style.width), page->out);
    buf_byte(page->out, '\n');
    buf_free(&text);
}

void trace_write_moment(Page *page, const TraceMoment *moment) {
    bool chosen[TRACE_BEFORE + TRACE_AFTER + 1] = {0};
    if (!moment->is_there || !moment->is_of_time)
        return;
    choose_steps(moment, chosen);
    buf_str(page->out, STR("\nIn time (clclab debug goes through it):\n"));
    for (size_t i = 0; i <= moment->found; i++)
        if (chosen[i])
            write_brief_step(page, moment, &moment->steps[i]);
}

// ---- the whole -----------------------------------------------------------

static void trace_text(const RunTrace *trace, Str source, ReportStyle style,
                       Buf *out) {
    Page page = page_open((Str){0}, source, style, out);
    if (!trace) {
        page_wrapped(&page,
                     STR("There is no trace: the kernel did not run here. The "
                         "report says why (clclab grade, clclab run)."),
                     0, 0);
        return;
    }
    write_head(&page, trace);
    write_rows(&page, trace);
    write_moment(&page, &trace->moment);
}

void report_trace(const Report *report, Buf *out) {
    bool is_grade = report->kind == REPORT_GRADE;
    trace_text(is_grade ? report->grade->trace : report->run->trace,
               report->source, report->style, out);
}
