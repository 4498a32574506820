// SPDX-License-Identifier: Apache-2.0
// The modelled time of a launch, for a person: cycles, what the issue slots and
// the places for blocks were used for, and a picture with a row for each place
// and a letter for each column. Read time_write, at the end. Percentages and
// microseconds are made from whole numbers, so that they do not depend on the
// locale.
#include "report/internal.h"

#include <string.h>

enum {
    MOST_ROWS = 16,
    MOST_COLUMNS = 200,
    LABEL_COLUMNS = 11, // "    0    0 "
    TICKS = 4,
    NOTHING = DEVICE_SPAN_COUNT, // the kind of the time between spans
    KINDS,
};

typedef unsigned long long Whole; // for printf

static const char LETTERS[KINDS] = {
    [DEVICE_SPAN_LAUNCH] = 'l',
    [DEVICE_SPAN_PROLOGUE] = 'P',
    [DEVICE_SPAN_WORK] = 'w',
    [DEVICE_SPAN_WAIT] = '.',
    [NOTHING] = ' ',
};

static const char *const NAMES[KINDS] = {
#define SPAN_NAME(id, name) [DEVICE_SPAN_##id] = name,
    DEVICE_SPANS(SPAN_NAME)
#undef SPAN_NAME
        [NOTHING] = "nothing",
};

const char *time_span_name(DeviceSpanKind kind) {
    return NAMES[kind];
}

// ---- figures -------------------------------------------------------------

typedef struct Shares {
    uint64_t cycles[KINDS]; // of all places together
    uint64_t places;        // places that had a block
} Shares;

static bool same_place(const DeviceSpan *a, const DeviceSpan *b) {
    return a->sm == b->sm && a->slot == b->slot;
}

static Shares add_up(const DeviceTimeline *time) {
    Shares shares = {0};
    uint64_t busy = 0;
    for (size_t i = 0; i < time->span_count; i++) {
        const DeviceSpan *span = &time->spans[i];
        shares.cycles[span->kind] += span->to - span->from;
        busy += span->to - span->from;
        shares.places += i == 0 || !same_place(span, span - 1);
    }
    shares.cycles[NOTHING] = shares.places * time->cycles - busy;
    return shares;
}

static void add_percent(Buf *out, uint64_t part, uint64_t whole) {
    double tenths = whole ? (double)part / (double)whole * 1000 : 0;
    uint64_t rounded = (uint64_t)(tenths + 0.5);
    buf_printf(out, "%llu.%llu%%", (Whole)(rounded / 10),
               (Whole)(rounded % 10));
}

// How evenly the places ended, and what this meant for another kernel.
static void write_ends(Page *page, const DeviceTimeline *time, Buf *text) {
    text->len = 0;
    buf_str(text, STR("the last place ends at "));
    add_percent(text, time->cycles * time->places, time->ends);
    buf_str(text, STR(" of the places' mean"));
    page_labeled(page, "balance", buf_view(text));
    if (time->arrival == 0)
        return;
    text->len = 0;
    buf_printf(text,
               "of another kernel at cycle %llu: it waited %llu cycles for a "
               "place, and %llu for all %u",
               (Whole)time->arrival, (Whole)time->first_free,
               (Whole)time->all_free, time->places);
    page_labeled(page, "arrival", buf_view(text));
}

static void write_figures(Page *page, const DeviceTimeline *time,
                          const Shares *shares) {
    Buf text = {0};
    uint64_t issued = 0,
             hundredths = (time->cycles * 200 / time->clock_mhz + 1) / 2;
    buf_printf(&text, "%llu, or %llu.%02llu us at %u MHz", (Whole)time->cycles,
               (Whole)(hundredths / 100), (Whole)(hundredths % 100),
               time->clock_mhz);
    page_labeled(page, "cycles", buf_view(&text));
    for (uint32_t i = 0; i < time->sm_count; i++)
        issued += time->sms[i].issued;
    text.len = 0;
    add_percent(&text, issued,
                time->cycles * time->schedulers * time->sm_count);
    buf_printf(&text, " of the issue slots of %u SM%s of %u scheduler%s",
               time->sm_count, time->sm_count == 1 ? "" : "s", time->schedulers,
               time->schedulers == 1 ? "" : "s");
    page_labeled(page, "issued", buf_view(&text));
    text.len = 0;
    for (size_t i = 0; i < KINDS; i++) {
        if (shares->cycles[i] == 0)
            continue;
        buf_printf(&text, "%s%s ", text.len ? ", " : "", NAMES[i]);
        add_percent(&text, shares->cycles[i], shares->places * time->cycles);
    }
    page_labeled(page, "places", buf_view(&text));
    write_ends(page, time, &text);
    buf_free(&text);
}

// ---- the picture ---------------------------------------------------------

// The cycle at which a column begins. 64 bits are enough, as cycles are far
// below 2^56.
static uint64_t begin_of(const DeviceTimeline *time, uint32_t columns,
                         uint64_t column) {
    return column * time->cycles / columns;
}

static uint32_t columns_of(const Page *page, const DeviceTimeline *time) {
    uint32_t columns = page->style.width - LABEL_COLUMNS;
    if (columns > MOST_COLUMNS)
        columns = MOST_COLUMNS;
    return columns < time->cycles ? columns : (uint32_t)time->cycles;
}

// Adds the span's cycles to the columns that it touches.
static void add_span(const DeviceTimeline *time, const DeviceSpan *span,
                     uint32_t columns, uint64_t took[][KINDS]) {
    for (uint32_t c = 0; c < columns; c++) {
        uint64_t from = begin_of(time, columns, c);
        uint64_t to = begin_of(time, columns, c + 1);
        from = from > span->from ? from : span->from;
        to = to < span->to ? to : span->to;
        if (from < to)
            took[c][span->kind] += to - from;
    }
}

// The letter of the kind that takes most of a column of `cycles`.
static char letter_of(const uint64_t took[KINDS], uint64_t cycles) {
    uint64_t left = cycles, most = 0;
    size_t best = NOTHING;
    for (size_t i = 0; i < NOTHING; i++) {
        left -= took[i];
        if (took[i] <= most)
            continue;
        most = took[i];
        best = i;
    }
    return LETTERS[left > most ? NOTHING : best];
}

// The row of the `count` spans of one place.
static void write_row(Page *page, const DeviceTimeline *time,
                      const DeviceSpan *spans, size_t count) {
    uint64_t took[MOST_COLUMNS][KINDS];
    char row[MOST_COLUMNS + 1];
    uint32_t columns = columns_of(page, time), shown = 0;
    memset(took, 0, sizeof took);
    for (size_t i = 0; i < count; i++)
        add_span(time, &spans[i], columns, took);
    for (uint32_t c = 0; c < columns; c++) {
        uint64_t cycles =
            begin_of(time, columns, c + 1) - begin_of(time, columns, c);
        row[c] = letter_of(took[c], cycles);
        if (row[c] != ' ')
            shown = c + 1;
    }
    row[shown] = '\0';
    buf_printf(page->out, "%5u %4u %s\n", spans->sm, spans->slot, row);
}

static void write_rows(Page *page, const DeviceTimeline *time,
                       uint64_t places) {
    size_t rows = 0;
    buf_str(page->out, STR("\n   SM slot\n"));
    for (size_t i = 0, next; i < time->span_count && rows < MOST_ROWS;
         i = next, rows++) {
        const DeviceSpan *first = &time->spans[i];
        for (next = i; next < time->span_count; next++)
            if (!same_place(first, &time->spans[next]))
                break;
        write_row(page, time, first, next - i);
    }
    if (rows < places)
        buf_printf(page->out, "   and %llu more\n", (Whole)(places - rows));
}

// "|0      |250    |500", where a number fits before the next one.
static void write_scale(Page *page, const DeviceTimeline *time) {
    char scale[MOST_COLUMNS + 1];
    uint32_t columns = columns_of(page, time), shown = 0;
    memset(scale, ' ', sizeof scale);
    for (uint32_t i = 0; i < TICKS; i++) {
        uint32_t at = columns * i / TICKS, next = columns * (i + 1) / TICKS;
        Buf tick = {0};
        buf_printf(&tick, "|%llu", (Whole)begin_of(time, columns, at));
        if (at + tick.len < next || i + 1 == TICKS) {
            size_t len = tick.len < columns - at ? tick.len : 0;
            memcpy(scale + at, buf_view(&tick).ptr, len);
            shown = len ? at + (uint32_t)len : shown;
        }
        buf_free(&tick);
    }
    buf_printf(page->out, "%*s%.*s\n", LABEL_COLUMNS, "", (int)shown, scale);
}

static void write_legend(Page *page, const DeviceTimeline *time,
                         const Shares *shares) {
    Buf text = {0};
    buf_str(&text, STR("  "));
    for (size_t i = 0; i < NOTHING; i++)
        if (shares->cycles[i])
            buf_printf(&text, "%c %s, ", LETTERS[i], NAMES[i]);
    uint32_t columns = columns_of(page, time);
    buf_printf(&text,
               "by cycle; a column is %llu cycles and shows what takes most of "
               "them",
               (Whole)((time->cycles + columns / 2) / columns));
    page_wrapped(page, buf_view(&text), 0, 2);
    buf_free(&text);
}

void time_write(Page *page, const LaunchResult *result) {
    const DeviceTimeline *time = &result->time;
    if (!result->is_timed)
        return;
    Shares shares = add_up(time);
    Str schedule = result->ledger.schedule;
    buf_printf(page->out, "\nTime (a model), %.*s:\n", STR_ARG(schedule));
    write_figures(page, time, &shares);
    if (time->cycles > 0) {
        write_rows(page, time, shares.places);
        write_scale(page, time);
        write_legend(page, time, &shares);
    }
    if (time->spans_left_out)
        buf_printf(page->out, "  %llu spans of time were too many to keep\n",
                   (Whole)time->spans_left_out);
    page_wrapped(page,
                 STR("  The figures of the model are assumed: no card takes "
                     "this time (docs/time-model.md)."),
                 0, 2);
}
