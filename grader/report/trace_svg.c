// SPDX-License-Identifier: Apache-2.0
// A trace as a picture for slides: a row for each place of an SM, a box for
// each block that was there, and a line where the mistake was found. Colours
// are those of the page (page.css), in light; a stolen block has round corners
// as well, so that the picture does not depend on colour.
//
// Coordinates are whole, in a drawing that is WIDTH wide. Read
// report_trace_svg, at the end.
#include "report/internal.h"

enum {
    WIDTH = 960,
    LEFT = 76, // names of the places
    TOP = 64,
    ROW = 28,
    BOX = 22,
    FOOT = 34,
    DIGIT = 9, // width of one
    TICKS = 4,
    MOST_ROWS = 64,
};

typedef unsigned long long Whole; // for printf

static uint32_t x_of(const RunTrace *trace, uint64_t at) {
    double end = trace->end ? (double)trace->end : 1;
    double part = (double)at / end;
    return LEFT + (uint32_t)((part < 1 ? part : 1) * (WIDTH - LEFT - 8));
}

static uint32_t rows_of(const RunTrace *trace) {
    uint64_t rows = (uint64_t)trace->sm_count * trace->place_count;
    return rows < MOST_ROWS ? (uint32_t)rows : MOST_ROWS;
}

static void put_text(uint32_t x, uint32_t y, const char *more, Str text,
                     Buf *out) {
    buf_printf(out, "<text x=\"%u\" y=\"%u\"%s>", x, y, more);
    encode_xml(text, out);
    buf_str(out, STR("</text>\n"));
}

static void put_box(uint32_t x, uint32_t y, uint32_t width, bool is_stolen,
                    Buf *out) {
    buf_printf(
        out,
        "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" rx=\"%d\" "
        "fill=\"%.*s\" stroke=\"%.*s\"/>\n",
        x, y, width, BOX, is_stolen ? 7 : 0,
        STR_ARG(report_colour(is_stolen ? "stolen-fill" : "started-fill")),
        STR_ARG(report_colour(is_stolen ? "stolen" : "started")));
}

static void put_stay(const RunTrace *trace, const TraceStay *stay, Buf *out) {
    uint32_t row = stay->sm * trace->place_count + stay->place;
    if (row >= rows_of(trace))
        return;
    uint32_t x = x_of(trace, stay->from), y = TOP + row * ROW;
    uint32_t width = x_of(trace, stay->to) - x;
    Buf name = {0};
    put_box(x, y, width ? width : 1, stay->is_stolen, out);
    buf_printf(&name, "%u", stay->block);
    if (name.len * DIGIT + 6 <= width)
        put_text(x + 4, y + 16, "", buf_view(&name), out);
    buf_free(&name);
}

static void put_places(const RunTrace *trace, Buf *out) {
    for (uint32_t row = 0; row < rows_of(trace); row++) {
        Buf name = {0};
        buf_printf(&name, "SM %u.%u", row / trace->place_count,
                   row % trace->place_count);
        put_text(4, TOP + row * ROW + 16, "", buf_view(&name), out);
        buf_free(&name);
    }
}

static void put_scale(const RunTrace *trace, Buf *out) {
    for (uint32_t i = 0; i <= TICKS; i++) {
        uint64_t at = trace->end * i / TICKS;
        Buf text = {0};
        buf_printf(&text, "%llu", (Whole)at);
        if (i == TICKS)
            buf_str(&text, trace->is_timed ? STR(" cycles") : STR(" steps"));
        put_text(x_of(trace, at), TOP - 8,
                 i == 0       ? ""
                 : i == TICKS ? " text-anchor=\"end\""
                              : " text-anchor=\"middle\"",
                 buf_view(&text), out);
        buf_free(&text);
    }
}

// In modelled time the moment of a finding is not known.
static void put_finding(const RunTrace *trace, Buf *out) {
    const TraceMoment *moment = &trace->moment;
    if (!moment->is_there || trace->is_timed)
        return;
    uint32_t x = x_of(trace, moment->steps[moment->found].at);
    uint32_t foot = TOP + rows_of(trace) * ROW;
    Str wrong = report_colour("wrong");
    Buf style = {0};
    buf_printf(out,
               "<line x1=\"%u\" x2=\"%u\" y1=\"%d\" y2=\"%u\" "
               "stroke=\"%.*s\" stroke-width=\"2\" "
               "stroke-dasharray=\"6 4\"/>\n",
               x, x, TOP - 4, foot, STR_ARG(wrong));
    buf_printf(&style, " fill=\"%.*s\"%s", STR_ARG(wrong),
               x > WIDTH / 2 ? " text-anchor=\"end\"" : "");
    buf_byte(&style, 0);
    put_text(x, foot + 16, style.ptr, moment->code, out);
    buf_free(&style);
}

static void put_legend(const RunTrace *trace, Buf *out) {
    Buf text = {0};
    put_text(4, 18, " font-weight=\"bold\"", trace->run, out);
    put_box(WIDTH - 340, 4, 26, false, out);
    put_text(WIDTH - 308, 20, "", STR("a block that was started"), out);
    put_box(WIDTH - 124, 4, 26, true, out);
    put_text(WIDTH - 92, 20, "", STR("stolen"), out);
    if (trace->every > 1)
        buf_printf(&text, "One of %llu blocks is drawn. ", (Whole)trace->every);
    if (rows_of(trace) < (uint64_t)trace->sm_count * trace->place_count)
        buf_printf(&text, "%u places more are not drawn.",
                   trace->sm_count * trace->place_count - rows_of(trace));
    if (text.len)
        put_text(4, TOP + rows_of(trace) * ROW + 16, "", buf_view(&text), out);
    buf_free(&text);
}

static void put_head(uint32_t height, Str title, Buf *out) {
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
               "%u\" width=\"%d\" height=\"%u\" font-family=\"sans-serif\" "
               "font-size=\"14\" fill=\"#1a1a1a\" role=\"img\">\n<title>",
               WIDTH, height, WIDTH, height);
    encode_xml(title, out);
    buf_printf(out,
               "</title>\n<rect width=\"%d\" height=\"%u\" "
               "fill=\"#ffffff\"/>\n",
               WIDTH, height);
}

void report_trace_svg(const Report *report, Buf *out) {
    const RunTrace *trace = report->kind == REPORT_GRADE ? report->grade->trace
                                                         : report->run->trace;
    if (!trace) {
        put_head(TOP, STR("There is no trace"), out);
        put_text(4, 18, "",
                 STR("There is no trace: the kernel did not run here."), out);
        buf_str(out, STR("</svg>\n"));
        return;
    }
    put_head(TOP + rows_of(trace) * ROW + FOOT, trace->run, out);
    put_legend(trace, out);
    put_places(trace, out);
    put_scale(trace, out);
    for (size_t i = 0; i < trace->stay_count; i++)
        put_stay(trace, &trace->stays[i], out);
    put_finding(trace, out);
    buf_str(out, STR("</svg>\n"));
}
