// SPDX-License-Identifier: Apache-2.0
// Submissions that are alike, for a person who then decides what it means: a
// list as text, and on the page the two files side by side. A number in the
// margin says which lines of both belong together.
#include "report/internal.h"

enum { MOST_PAIRS = 20 };

static const Str hint =
    STR("A hint, no verdict: lines that are neither in the starter nor in the "
        "solution, compared without names, comments and layout.");

static Str id_of(const BatchTally *tally, const BatchAlike *pair, int side) {
    return tally->rows[pair->rows[side]].id;
}

// "ana and ben: 92% (35 of 38 lines, 35 of 51)"
static void add_pair(const BatchTally *tally, const BatchAlike *pair,
                     Buf *out) {
    buf_printf(out, "%.*s and %.*s: %u%% (%u of %u lines, %u of %u)",
               STR_ARG(id_of(tally, pair, 0)), STR_ARG(id_of(tally, pair, 1)),
               pair->percent, pair->shared[0], pair->own[0], pair->shared[1],
               pair->own[1]);
}

void batch_alike_text(const BatchTally *tally, Buf *out) {
    const BatchAlikes *alike = &tally->alike;
    if (!alike->is_asked || (alike->count == 0 && alike->why.len == 0))
        return;
    buf_str(out, STR("\nAlike\n"));
    if (alike->why.len)
        buf_printf(out, "  Not looked for: %.*s\n", STR_ARG(alike->why));
    for (size_t i = 0; i < alike->count && i < MOST_PAIRS; i++) {
        buf_str(out, STR("  "));
        add_pair(tally, &alike->items[i], out);
        buf_byte(out, '\n');
    }
    if (alike->count > MOST_PAIRS)
        buf_printf(out, "  and %zu more\n", alike->count - MOST_PAIRS);
}

// ---- HTML ----------------------------------------------------------------

static void html_file(const BatchAlike *pair, int side, Str id, Buf *out) {
    Str rest = pair->texts[side];
    buf_printf(out, "<div><h3>%.*s</h3>\n<pre>", STR_ARG(id));
    for (size_t i = 0; rest.len > 0; i++) {
        Str line = str_cut(&rest, '\n');
        uint16_t number = pair->marks[side][i];
        if (number)
            buf_printf(out, "<mark>%3u ", number);
        else
            buf_str(out, STR("    "));
        encode_html(line, out);
        buf_str(out, number ? STR("</mark>\n") : STR("\n"));
    }
    buf_str(out, STR("</pre></div>\n"));
}

static void html_pair(const BatchTally *tally, const BatchAlike *pair,
                      Buf *out) {
    buf_str(out, STR("<details>\n<summary>"));
    add_pair(tally, pair, out);
    buf_str(out, STR("</summary>\n<div class=\"pair\">\n"));
    for (int side = 0; side < 2; side++)
        html_file(pair, side, id_of(tally, pair, side), out);
    buf_str(out, STR("</div>\n</details>\n"));
}

void batch_alike_html(const BatchTally *tally, Buf *out) {
    const BatchAlikes *alike = &tally->alike;
    if (!alike->is_asked)
        return;
    buf_str(out, STR("<section aria-labelledby=\"alike\">\n"
                     "<h2 id=\"alike\">Alike</h2>\n<p>"));
    if (alike->why.len) {
        buf_str(out, STR("Not looked for: "));
        encode_html(alike->why, out);
    } else {
        buf_str(out, alike->count ? hint : STR("No two are."));
    }
    buf_str(out, STR("</p>\n"));
    for (size_t i = 0; i < alike->count && i < MOST_PAIRS; i++)
        html_pair(tally, &alike->items[i], out);
    if (alike->count > MOST_PAIRS)
        buf_printf(out, "<p>and %zu more</p>\n", alike->count - MOST_PAIRS);
    buf_str(out, STR("</section>\n"));
}
