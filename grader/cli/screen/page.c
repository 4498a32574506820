// SPDX-License-Identifier: Apache-2.0
// What `clclab watch` has on the screen, as bytes: a head, lines of a text from
// some line on, a foot. And which key some bytes are. It calls nothing.
#include "cli/screen/screen.h"

// ---- lines that fit ------------------------------------------------------

// The bytes of an escape sequence at the beginning of the text; 0: there is
// none.
static size_t escape_length(Str text) {
    if (!str_starts(text, STR("\x1b[")))
        return 0;
    for (size_t i = 2; i < text.len; i++)
        if (text.ptr[i] >= '@' && text.ptr[i] <= '~')
            return i + 1;
    return text.len;
}

static bool is_start(char byte) { // of a character in UTF-8
    return ((uint8_t)byte & 0xc0) != 0x80;
}

// How many bytes of the line are shown in so many columns; a part of a word is
// left to the next line, if the word fits there.
static size_t fitting(Str line, uint32_t columns) {
    size_t blank = 0, column = 0;
    bool has_word = false; // before the blank
    for (size_t i = 0; i < line.len;) {
        size_t escape = escape_length(str_slice(line, i, line.len));
        if (escape > 0) {
            i += escape;
            continue;
        }
        if (is_start(line.ptr[i]) && column++ == columns)
            return line.ptr[i] == ' ' || blank == 0 ? i : blank;
        if (line.ptr[i] == ' ' && has_word)
            blank = i;
        has_word |= line.ptr[i] != ' ';
        i++;
    }
    return line.len;
}

ScreenLines screen_fit(Arena *arena, Str text, uint32_t columns) {
    ScreenLines lines = {0};
    size_t capacity = 0;
    while (text.len > 0) {
        Str line = str_cut(&text, '\n');
        do {
            size_t length = fitting(line, columns ? columns : 1);
            arena_grow(arena, lines.items, lines.count, capacity);
            lines.items[lines.count++] = str_slice(line, 0, length);
            line = str_slice(line, length, line.len);
            if (str_starts(line, STR(" ")))
                line = str_slice(line, 1, line.len);
        } while (line.len > 0);
    }
    return lines;
}

static Str cut(Str text, uint32_t columns) {
    uint32_t column = 0;
    for (size_t i = 0; i < text.len; i++)
        if (is_start(text.ptr[i]) && column++ == columns)
            return str_slice(text, 0, i);
    return text;
}

Str screen_pick(const Str *texts, size_t count, uint32_t columns) {
    for (size_t i = 0; i < count; i++)
        if (cut(texts[i], columns).len == texts[i].len)
            return texts[i];
    return cut(texts[count - 1], columns);
}

// ---- the screen ----------------------------------------------------------

size_t screen_room(const ScreenPage *page) {
    size_t others = 2 + page->note.count;
    return page->rows > others ? page->rows - others : 1;
}

// Erased first: at the end of a full line that would take its last character.
static void draw_line(Str line, const char *end, Buf *out) {
    buf_str(out, STR("\x1b[2K"));
    buf_str(out, line);
    if (str_find(line, '\x1b') < line.len)
        buf_str(out, STR("\x1b[0m"));
    buf_str(out, str_from(end));
}

void screen_draw(const ScreenPage *page, Buf *out) {
    size_t room = screen_room(page);
    buf_str(out, STR("\x1b[H"));
    draw_line(cut(page->head, page->columns), "\r\n", out);
    for (size_t i = page->top; i < page->top + room; i++)
        draw_line(i < page->body.count ? page->body.items[i] : STR(""), "\r\n",
                  out);
    for (size_t i = 0; i < page->note.count; i++)
        draw_line(page->note.items[i], "\r\n", out);
    draw_line(cut(page->foot, page->columns), "", out);
}

// ---- keys ----------------------------------------------------------------

static ScreenKey key_of_escape(Str sequence) {
    static const struct {
        Str bytes;
        ScreenKey key;
    } keys[] = {{STR("\x1b[A"), KEY_UP},       {STR("\x1b[B"), KEY_DOWN},
                {STR("\x1bOA"), KEY_UP},       {STR("\x1bOB"), KEY_DOWN},
                {STR("\x1b[5~"), KEY_PAGE_UP}, {STR("\x1b[6~"), KEY_PAGE_DOWN},
                {STR("\x1b"), KEY_BACK}};
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (str_equal(sequence, keys[i].bytes))
            return keys[i].key;
    return KEY_NONE;
}

ScreenKey screen_key(Str *typed) {
    char byte = typed->ptr[0];
    size_t length = 1;
    if (byte == '\x1b') {
        size_t escape = escape_length(*typed);
        length = escape ? escape : str_starts(*typed, STR("\x1bO")) ? 3 : 1;
    }
    Str taken = str_slice(*typed, 0, length);
    *typed = str_slice(*typed, length, typed->len);
    if (byte == '\x1b')
        return key_of_escape(taken);
    switch (byte) {
    case '\r':
    case '\n':
        return KEY_BACK;
    case ' ':
    case 'j':
        return byte == ' ' ? KEY_PAGE_DOWN : KEY_DOWN;
    case 'b':
    case 'k':
        return byte == 'b' ? KEY_PAGE_UP : KEY_UP;
    default:
        return byte > ' ' && byte < '\x7f' ? (ScreenKey)byte : KEY_NONE;
    }
}
