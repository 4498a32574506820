// SPDX-License-Identifier: Apache-2.0
// A source line with a caret under one column:
//
//     41 |     if (ok) return;
//        |             ^
//
// The columns of a place count bytes, as compilers do. The line is first
// divided into cells (how one byte or character looks on the screen: a tab is 4
// blanks, a control byte is \x1b). If the line is longer than the screen, a
// window of cells around the caret is shown.
#include "report/internal.h"

enum { TAB_COLUMNS = 4, GUTTER = 9, LEAST_ROOM = 20, MOST_BYTES = 4096 };

typedef struct Cells {
    Buf text;        // the line as shown
    size_t columns;  // of text
    size_t *start;   // [columns + 1]: byte in text of each column
    size_t capacity; // of start
    size_t caret;    // column of the caret
} Cells;

static void add_columns(Arena *arena, Cells *cells, Str shown, size_t columns) {
    size_t each = shown.len / columns;
    for (size_t i = 0; i < columns; i++) {
        arena_grow(arena, cells->start, cells->columns, cells->capacity);
        cells->start[cells->columns++] = cells->text.len + i * each;
    }
    buf_str(&cells->text, shown);
}

// Appends the cell at the start of `line`. Returns how many bytes of the line
// it covers.
static size_t add_cell(Arena *arena, Cells *cells, Str line) {
    uint32_t code;
    size_t len = utf8_decode(line, &code);
    if (len > 0 && utf8_is_printable(code)) {
        add_columns(arena, cells, str_slice(line, 0, len), 1);
        return len;
    }
    if (line.ptr[0] == '\t') {
        size_t columns = TAB_COLUMNS - cells->columns % TAB_COLUMNS;
        add_columns(arena, cells, str_slice(STR("    "), 0, columns), columns);
        return 1;
    }
    Buf escaped = {0};
    utf8_escape(str_slice(line, 0, len ? len : 1), &escaped);
    add_columns(arena, cells, buf_view(&escaped), escaped.len);
    buf_free(&escaped);
    return len ? len : 1;
}

static Cells make_cells(Arena *arena, Str line, uint32_t col) {
    Cells cells = {0};
    for (size_t at = 0; at < line.len;) {
        if (at + 1 <= col)
            cells.caret = cells.columns;
        at += add_cell(arena, &cells, str_slice(line, at, line.len));
    }
    if (col > line.len)
        cells.caret = cells.columns;
    arena_grow(arena, cells.start, cells.columns, cells.capacity);
    cells.start[cells.columns] = cells.text.len;
    return cells;
}

// The first column to show, so that `room` columns include the caret.
static size_t window_start(const Cells *cells, size_t room) {
    if (cells->columns <= room || cells->caret < room * 3 / 4)
        return 0;
    size_t from = cells->caret - room / 2;
    return from + room > cells->columns ? cells->columns - room : from;
}

static void write_caret(ReportStyle style, size_t blanks, Buf *out) {
    tone_text(style, TONE_FAINT, STR("       | "), out);
    for (size_t i = 0; i < blanks; i++)
        buf_byte(out, ' ');
    tone_text(style, TONE_GOOD, STR("^"), out);
    buf_byte(out, '\n');
}

static void write_window(ReportStyle style, const Cells *cells, SrcLoc at,
                         size_t room, Buf *out) {
    size_t from = window_start(cells, room);
    size_t to = from + room < cells->columns ? from + room : cells->columns;
    Str text = buf_view(&cells->text);
    Buf gutter = {0};
    buf_printf(&gutter, "%6u | ", at.line);
    tone_text(style, TONE_FAINT, buf_view(&gutter), out);
    buf_free(&gutter);
    if (from > 0)
        buf_str(out, STR("..."));
    buf_str(out, str_slice(text, cells->start[from], cells->start[to]));
    if (to < cells->columns)
        buf_str(out, STR("..."));
    buf_byte(out, '\n');
    if (at.col > 0)
        write_caret(style, cells->caret - from + (from > 0 ? 3 : 0), out);
}

// No hand-written line is so long.
void excerpt_line(Str line, Buf *out) {
    Arena arena = {0};
    while (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    Cells cells = make_cells(&arena, str_slice(line, 0, MOST_BYTES), 0);
    buf_str(out, buf_view(&cells.text));
    buf_free(&cells.text);
    arena_free(&arena);
}

void excerpt_write(ReportStyle style, Str source, SrcLoc at, Buf *out) {
    if (at.line == 0 || source.len == 0)
        return;
    Str line = str_line(source, at.line);
    while (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    if (str_trim(line).len == 0)
        return;
    uint32_t col = at.col;
    if (line.len > MOST_BYTES) { // no hand-written line is so long
        size_t from = col > MOST_BYTES / 2 ? col - MOST_BYTES / 2 : 0;
        line = str_slice(line, from, from + MOST_BYTES);
        col -= (uint32_t)(from < col ? from : col);
    }
    Arena arena = {0};
    uint32_t width = style.width ? style.width : 80;
    size_t room =
        width > GUTTER + 6 + LEAST_ROOM ? width - GUTTER - 6 : LEAST_ROOM;
    Cells cells = make_cells(&arena, line, col);
    write_window(style, &cells, at, room, out);
    buf_free(&cells.text);
    arena_free(&arena);
}
