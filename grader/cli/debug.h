// SPDX-License-Identifier: Apache-2.0
// clclab debug: what its files share.
//
//   debug.c       a session: reads commands and shows what they show
//   debug_book.c  reads the pages of report/book.c
//   debug_walk.c  what each command does: it turns pages, and calls nothing
#ifndef CLCLAB_CLI_DEBUG_H
#define CLCLAB_CLI_DEBUG_H

#include "cli/internal.h"

// ---- debug_book.c --------------------------------------------------------

typedef enum BookWord { BOOK_BAR, BOOK_SLOT, BOOK_WORDS } BookWord;

typedef struct BookNote { // about the step that it stands behind
    BookWord word;
    Str text;
} BookNote;

typedef struct BookStep {
    uint32_t cta, warp; // DEVICE_EVENT_NONE: the async proxy
    uint32_t line;      // 0: not known
    Str text;
    size_t from, to; // its notes
} BookStep;

#define BOOK_NO_STEP SIZE_MAX

typedef struct Book {
    Str run, code, missing; // missing: may be empty
    uint64_t before;        // earlier steps that are left out
    size_t found, origin;   // steps; BOOK_NO_STEP: origin is not known
    BookStep *steps;
    size_t step_count, step_capacity;
    BookNote *notes;
    size_t note_count, note_capacity;
    Str *source; // its lines
    size_t source_count, source_capacity;
} Book;

// False: it is no book. The texts are parts of `text`.
bool book_read(Arena *arena, Str text, Book *book);

// ---- debug.c -------------------------------------------------------------

// Goes through the book; `code` is the exit code if the text is no book but a
// report, or empty.
int debug_session(Cli *cli, Str text, int code);
int debug_check(Cli *cli); // the options that do not go with it

// ---- debug_walk.c --------------------------------------------------------

typedef struct Walk { // zeroed, but for the first four: at the first step
    const Book *book;
    uint32_t width;
    bool color;
    size_t now;  // the step
    bool is_one; // s and b go from step to step of one warp:
    uint32_t cta, warp;
    int again; // what an empty line does: 1 goes forward, -1 back, 0 nothing
} Walk;

// The head of the session, and the finding's step.
void walk_begin(Walk *walk, Buf *out);
// Does what the line says, and appends what there is to see. False: the end.
bool walk_do(Walk *walk, Str line, Buf *out);

#endif
