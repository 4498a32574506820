// SPDX-License-Identifier: Apache-2.0
// A terminal, for what is more than lines one after another.
//
//   page.c      lines that fit, a screen full of them, keys; it calls nothing
//   terminal.c  the mode and the size of the terminal
//   meter.c     how far long work is (meter.h)
#ifndef CLCLAB_CLI_SCREEN_H
#define CLCLAB_CLI_SCREEN_H

#include "base/base.h"

#include <termios.h>

// ---- page.c --------------------------------------------------------------

typedef struct ScreenLines {
    Str *items;
    size_t count;
} ScreenLines;

// The text in lines of at most so many columns, broken at blanks where there
// are any. Escape sequences take no columns.
ScreenLines screen_fit(Arena *arena, Str text, uint32_t columns);
// The first of the texts that fits; the last one, cut, if none does.
Str screen_pick(const Str *texts, size_t count, uint32_t columns);

typedef struct ScreenPage {
    Str head, foot; // a line each
    ScreenLines note, body;
    size_t top; // its first line on the screen
    uint32_t rows, columns;
} ScreenPage;

size_t screen_room(const ScreenPage *page); // lines of the body that it shows
void screen_draw(const ScreenPage *page, Buf *out);

typedef enum ScreenKey {
    KEY_NONE,
    KEY_UP,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_BACK, // to the verdict
    KEY_FIRST_LETTER = 0x20,
} ScreenKey;
// Takes the next key out of what was read.
ScreenKey screen_key(Str *typed);

// ---- terminal.c ----------------------------------------------------------

typedef struct Terminal {
    bool has_keys;  // standard input is a terminal
    bool is_screen; // standard output can place its cursor, too
    struct termios before;
    uint32_t rows, columns;
} Terminal;

void terminal_open(Terminal *terminal);
// Keys without Enter, and a screen of its own; and back.
void terminal_enter(Terminal *terminal);
void terminal_leave(const Terminal *terminal);
void terminal_measure(Terminal *terminal);

#endif
