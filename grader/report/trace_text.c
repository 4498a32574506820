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

void trace_object_name(const TraceEvent *step, Buf *out) {
    report_escape(step->name, out);
    if (step->name.len && step->inside)
        buf_printf(out, "+%u", step->inside);
    else if (step->name.len == 0)
        buf_printf(out, "%u", step->shared);
}

static void write_object(Buf *out, const TraceEvent *step) {
    if (step->shared != DEVICE_EVENT_NONE) {
        buf_str(out, STR(" at "));
        trace_object_name(step, out);
    }
    switch (step->kind) {
    case DEVICE_EVENT_INIT:
    case DEVICE_EVENT_EXPECT:
    case DEVICE_EVENT_ARRIVE:
    case DEVICE_EVENT_BYTES:
        buf_printf(out, ": %d arrivals and %d bytes left", step->pending,
                   step->tx);
        break;
    case DEVICE_EVENT_PHASE:
    case DEVICE_EVENT_WAIT:
        buf_printf(out, ": phase of parity %u is over", step->value);
        break;
    case DEVICE_EVENT_ANSWER:
        if (step->block == DEVICE_EVENT_NONE)
            buf_str(out, STR(": refused"));
        else
            buf_printf(out, ": block %u", step->block);
        break;
    }
}

void trace_step_text(const TraceEvent *step, Buf *out) {
    if (step->kind == TRACE_STEP && step->op.len)
        buf_str(out, step->op);
    else
        buf_str(out, str_from(trace_kind_name(step->kind)));
    write_object(out, step);
    if (step->times > 1)
        buf_printf(out, ", %u times", step->times);
}

typedef struct Missing {
    const TraceMoment *moment;
    Str what;
} Missing;

// A ProblemTake.
static void take_missing(void *context, const Problem *problem) {
    Missing *missing = context;
    const Cause *cause = problem->cause;
    if (missing->what.len == 0 &&
        str_equal(cause->code, missing->moment->code) &&
        cause->at.line == missing->moment->at.line)
        missing->what = cause->missing;
}

Str trace_missing(const Report *report, const TraceMoment *moment) {
    Missing missing = {.moment = moment};
    problems_each(report, take_missing, &missing);
    return missing.what;
}

static bool is_other(const TraceMoment *moment, const TraceEvent *step) {
    return moment->knows_other && step->cta == moment->other_cta &&
           step->warp == moment->other_warp;
}

// The last one before the finding at one of its other places. `of_other`: of
// the thread that the finding names. `is_event`: not just an instruction.
static bool last_there(const TraceMoment *moment, bool of_other, bool is_event,
                       size_t *at) {
    for (uint32_t r = 0; r < moment->related_count; r++)
        for (size_t i = moment->found; i-- > 0;) {
            const TraceEvent *step = &moment->steps[i];
            *at = i;
            if (step->line && step->line == moment->related[r].line &&
                (step->kind != TRACE_STEP || !is_event) &&
                (is_other(moment, step) || !of_other))
                return true;
        }
    return false;
}

bool trace_origin(const TraceMoment *moment, size_t *at) {
    return last_there(moment, true, true, at) ||
           last_there(moment, true, false, at) ||
           last_there(moment, false, true, at) ||
           last_there(moment, false, false, at);
}

static void write_step(Page *page, const TraceEvent *step) {
    Buf text = {0};
    buf_printf(page->out, "  %5u ", step->cta);
    if (step->warp == DEVICE_EVENT_NONE)
        buf_str(page->out, STR("async "));
    else
        buf_printf(page->out, "%5u ", step->warp);
    if (step->line)
        buf_printf(page->out, "%5u  ", step->line);
    else
        buf_str(page->out, STR("    -  "));
    trace_step_text(step, &text);
    tone_text(page->style, step->kind == TRACE_FOUND ? TONE_BAD : TONE_PLAIN,
              buf_view(&text), page->out);
    buf_byte(page->out, '\n');
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
        write_step(page, &moment->steps[i]);
}

// ---- the whole -----------------------------------------------------------

static void trace_text(const RunTrace *trace, ReportStyle style, Buf *out) {
    Page page = page_open((Str){0}, (Str){0}, style, out);
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
               report->style, out);
}
