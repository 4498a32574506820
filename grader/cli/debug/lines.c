// SPDX-License-Identifier: Apache-2.0
// The lines that clclab debug shows: each fits the terminal, cut or wrapped.
#include "cli/debug/debug.h"

#include "cli/screen/screen.h"

void walk_cut(const Walk *walk, Ink ink, size_t column, Str text, Buf *out) {
    static const char *const codes[] = {[INK_PLAIN] = "",
                                        [INK_BOLD] = "1",
                                        [INK_BAD] = "1;31",
                                        [INK_FAINT] = "2"};
    uint32_t room =
        walk->width > column + 4 ? walk->width - (uint32_t)column : 4;
    Str fits = screen_pick(&text, 1, room);
    bool is_cut = fits.len < text.len;
    bool is_inked = walk->color && ink != INK_PLAIN;
    if (is_inked)
        buf_printf(out, "\x1b[%sm", codes[ink]);
    buf_str(out, is_cut ? screen_pick(&text, 1, room - 3) : fits);
    buf_str(out, is_cut ? STR("...") : STR(""));
    buf_str(out, is_inked ? STR("\x1b[0m\n") : STR("\n"));
}

void walk_wrapped(const Walk *walk, const char *head, Str text, Buf *out) {
    enum { INDENT = 4 };
    Arena arena = {0};
    Str whole = str_format(&arena, "%s%.*s", head, STR_ARG(text));
    ScreenLines lines = screen_fit(&arena, whole, walk->width - INDENT);
    for (size_t i = 0; i < lines.count; i++)
        buf_printf(out, "%*s%.*s\n", i ? INDENT : 0, "",
                   STR_ARG(lines.items[i]));
    arena_free(&arena);
}

void walk_source(const Walk *walk, uint32_t line, bool is_now, Buf *out) {
    enum { GUTTER = 10 };
    if (line == 0 || line > walk->book->source_count)
        return;
    buf_printf(out, "%s%5u | ", is_now ? "> " : "  ", line);
    walk_cut(walk, is_now ? INK_BOLD : INK_PLAIN, GUTTER,
             walk->book->source[line - 1], out);
}

void walk_who(const BookStep *step, Buf *out) {
    if (step->warp == DEVICE_EVENT_NONE)
        buf_printf(out, "block %u, async proxy", step->cta);
    else
        buf_printf(out, "block %u, warp %u", step->cta, step->warp);
}
