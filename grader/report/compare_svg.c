// SPDX-License-Identifier: Apache-2.0
// The comparison of techniques as a chart. Each work and prologue has a band
// with a row for each technique, and three columns of bars: the time with its
// quartiles, how evenly the SMs end, and how long another kernel waits. A
// column has the same scale everywhere, and each bar has its figure, so that
// the chart does not depend on colour. The colours are the course's: blue for
// blocks that do what they were started for, green for those that steal.
//
// Coordinates are in units of a drawing that is WIDTH wide, with at most one
// decimal.
#include "report/internal.h"

enum {
    WIDTH = 1200,
    TEXT_SIZE = 18,
    TOP = 144,
    BAND = 176, // height of a group
    HEADING = 34,
    ROW = 32,
    BAR = 22,
    NAMES = 150, // width of the names; the bars follow
    BARS = 220,  // length of the longest bar
    COLUMN = 350,
    FOOT = 72,
    LEGEND = 440, // width of an entry
};

// ---- SVG -----------------------------------------------------------------

static void add_tenths(Buf *out, double value) {
    compare_number(out, (CompareFigure){true, value}, 1, "0");
}

static void add_attribute(Buf *out, const char *name, double value) {
    buf_printf(out, " %s=\"", name);
    add_tenths(out, value);
    buf_byte(out, '"');
}

// Text of an element, without the characters that XML 1.0 does not allow.
static void add_escaped(Buf *out, Str text) {
    while (text.len > 0) {
        uint32_t code;
        size_t len = utf8_decode(text, &code);
        Str bytes = str_slice(text, 0, len ? len : 1);
        if (len > 0 && utf8_is_printable(code)) {
            if (code == '&')
                buf_str(out, STR("&amp;"));
            else if (code == '<')
                buf_str(out, STR("&lt;"));
            else if (code == '>')
                buf_str(out, STR("&gt;"));
            else
                buf_str(out, bytes);
        }
        text = str_slice(text, bytes.len, text.len);
    }
}

// `style`: more attributes, or "".
static void add_text(Buf *out, double x, double y, const char *style,
                     Str text) {
    buf_str(out, STR("<text"));
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    buf_printf(out, "%s>", style);
    add_escaped(out, text);
    buf_str(out, STR("</text>\n"));
}

static void add_rect(Buf *out, double x, double y, double width, double height,
                     Str fill) {
    buf_str(out, STR("<rect"));
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    add_attribute(out, "width", width);
    add_attribute(out, "height", height);
    buf_printf(out, " fill=\"%.*s\" stroke=\"#1a1a1a\"/>\n", STR_ARG(fill));
}

static void add_line(Buf *out, double x1, double y1, double x2, double y2) {
    buf_str(out, STR("<line"));
    add_attribute(out, "x1", x1);
    add_attribute(out, "y1", y1);
    add_attribute(out, "x2", x2);
    add_attribute(out, "y2", y2);
    buf_str(out, STR(" stroke=\"#1a1a1a\" stroke-width=\"2\"/>\n"));
}

static Str fill_of(bool steals) {
    return report_colour(steals ? "stolen-fill" : "started-fill");
}

// ---- a column of bars ----------------------------------------------------

typedef enum Measure { MEASURE_TIME, MEASURE_BALANCE, MEASURE_WAIT } Measure;
enum { MEASURES = MEASURE_WAIT + 1 };

static CompareFigure figure_of(const CompareSample *sample, Measure measure) {
    switch (measure) {
    case MEASURE_TIME:
        return sample->time;
    case MEASURE_BALANCE:
        return sample->imbalance;
    case MEASURE_WAIT:
        break;
    }
    return sample->all_free;
}

static double largest(const Comparison *c, Measure measure) {
    double most = 0;
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++) {
            const CompareSample *sample = &c->groups[i].samples[t];
            CompareFigure all[] = {
                figure_of(sample, measure),
                measure == MEASURE_TIME ? sample->q3 : sample->first_free};
            size_t count = measure == MEASURE_BALANCE ? 1 : COUNT_OF(all);
            for (size_t k = 0; k < count; k++)
                if (all[k].known && all[k].value > most)
                    most = all[k].value;
        }
    return most > 0 ? most : 1;
}

static double length_of(CompareFigure figure, double most) {
    return figure.known ? figure.value / most * BARS : 0;
}

// A line with ends, from q1 to q3.
static void draw_spread(Buf *out, const CompareSample *sample, double x,
                        double y, double most) {
    if (!sample->q1.known || !sample->q3.known)
        return;
    double from = x + length_of(sample->q1, most);
    double to = x + length_of(sample->q3, most), middle = y + BAR / 2.0;
    add_line(out, from, middle, to, middle);
    add_line(out, from, middle - 5, from, middle + 5);
    add_line(out, to, middle - 5, to, middle + 5);
}

static void draw_bar(Buf *out, const CompareSample *sample, Measure measure,
                     CompareTechnique technique, double y, double most) {
    double x = NAMES + (double)COLUMN * (int)measure;
    CompareFigure figure = figure_of(sample, measure);
    Buf label = {0};
    double length = length_of(figure, most);
    if (figure.known)
        add_rect(
            out, x, y, length, BAR,
            fill_of(technique == COMPARE_CLC || technique == COMPARE_CLUSTER));
    if (measure == MEASURE_TIME) {
        draw_spread(out, sample, x, y, most);
        if (sample->q3.known && sample->q3.value > figure.value)
            length = length_of(sample->q3, most);
    }
    if (measure == MEASURE_WAIT && sample->first_free.known) {
        double first = x + length_of(sample->first_free, most);
        add_line(out, first, y - 3, first, y + BAR + 3);
    }
    compare_cell(&label, figure, 0);
    add_text(out, x + length + 10, y + 17, "", buf_view(&label));
    buf_free(&label);
}

// ---- the whole -----------------------------------------------------------

static void draw_group(Buf *out, const Comparison *c, size_t index,
                       const double most[MEASURES]) {
    const CompareGroup *group = &c->groups[index];
    double top = TOP + (double)index * BAND;
    add_text(out, 10, top + 22, " font-weight=\"bold\"",
             compare_group_name(group));
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++) {
        double y = top + HEADING + (double)t * ROW;
        const CompareSample *sample = &group->samples[t];
        add_text(out, NAMES - 12, y + 17, " text-anchor=\"end\"",
                 str_from(compare_technique_name((CompareTechnique)t)));
        for (int m = 0; m < MEASURES; m++)
            draw_bar(out, sample, (Measure)m, (CompareTechnique)t, y, most[m]);
    }
}

static void draw_head(Buf *out, const Comparison *c) {
    static const char *const titles[MEASURES] = {
        [MEASURE_TIME] = "time (us)",
        [MEASURE_BALANCE] = "last SM's end / mean end",
        [MEASURE_WAIT] = "another kernel waits (us)",
    };
    Buf text = {0};
    buf_printf(&text, "The same work by four techniques: %s",
               compare_kind_name(c->info.kind));
    add_text(out, 10, 28, " font-weight=\"bold\" font-size=\"22\"",
             buf_view(&text));
    text.len = 0;
    buf_printf(&text, "On %.*s", STR_ARG(c->info.device));
    add_text(out, 10, 58, "", buf_view(&text));
    add_text(out, 10, 84, "", c->info.how);
    for (int m = 0; m < MEASURES; m++)
        add_text(out, NAMES + (double)COLUMN * m, 124, " font-weight=\"bold\"",
                 str_from(titles[m]));
    buf_free(&text);
}

static void draw_legend(Buf *out, double y) {
    static const char *const words[] = {
        "its blocks do what they were started for",
        "its blocks steal what others have not begun"};
    for (int steals = 0; steals < 2; steals++) {
        double x = 10 + LEGEND * (double)steals;
        add_rect(out, x, y - 15, BAR, BAR - 4, fill_of(steals));
        add_text(out, x + BAR + 8, y, "", str_from(words[steals]));
    }
}

void report_compare_svg(const Comparison *c, Buf *out) {
    double most[MEASURES];
    int height = TOP + COMPARE_GROUPS * BAND + FOOT;
    for (int m = 0; m < MEASURES; m++)
        most[m] = largest(c, (Measure)m);
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
               " width=\"%d\" height=\"%d\" font-family=\"'DejaVu Sans', "
               "Verdana, sans-serif\" font-size=\"%d\" fill=\"#1a1a1a\" "
               "role=\"img\">\n<title>",
               WIDTH, height, WIDTH, height, TEXT_SIZE);
    buf_str(out, STR("Fixed work, grid stride, CLC and cluster CLC, on "));
    add_escaped(out, c->info.device);
    buf_printf(out, ", %s</title>\n", compare_kind_name(c->info.kind));
    add_rect(out, 0, 0, WIDTH, height, STR("#ffffff"));
    draw_head(out, c);
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        draw_group(out, c, i, most);
    draw_legend(out, height - 44);
    add_text(out, 10, height - 16, " font-style=\"italic\"",
             c->info.kind == COMPARE_MEASURED
                 ? STR("Bar: the median; line on it: from the first quartile "
                       "to the third. Waits: bar until it has all places, "
                       "line across until it has the first.")
                 : STR("Waits: bar until the other kernel has all places, line "
                       "across until it has the first."));
    buf_str(out, STR("</svg>\n"));
}
