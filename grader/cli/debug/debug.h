// SPDX-License-Identifier: Apache-2.0
// clclab debug: what its files share.
//
//   session.c  reads commands and shows what they show
//   book.c     reads the pages of report/book.c
//   lines.c    lines that fit the terminal
//   values.c   the command p: registers and parameters
//   walk.c     what each command does: it turns pages, and calls nothing
#ifndef CLCLAB_CLI_DEBUG_H
#define CLCLAB_CLI_DEBUG_H

#include "cli/core/core.h"

// ---- book.c --------------------------------------------------------------

typedef enum BookWord { BOOK_BAR, BOOK_SLOT, BOOK_REG } BookWord;

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
    Str *params; // of the kernel: "columns 100"
    size_t param_count, param_capacity;
    Str *source; // its lines
    size_t source_count, source_capacity;
} Book;

// False: it is no book. The texts are parts of `text`.
bool book_read(Arena *arena, Str text, Book *book);

// ---- session.c -----------------------------------------------------------

// Goes through the book; `code` is the exit code if the text is no book but a
// report, or empty.
int debug_session(Cli *cli, Str text, int code);
int debug_check(Cli *cli); // the options that do not go with it

typedef struct Walk { // zeroed, but for the first four: at the first step
    const Book *book;
    uint32_t width;
    bool color;
    size_t now;  // the step
    bool is_one; // s and b go from step to step of one warp:
    uint32_t cta, warp;
    int again; // what an empty line does: 1 goes forward, -1 back, 0 nothing
} Walk;

// ---- lines.c -------------------------------------------------------------

typedef enum Ink { INK_PLAIN, INK_BOLD, INK_BAD, INK_FAINT } Ink;

// What is longer than the rest of the line, from `column` on, is cut.
void walk_cut(const Walk *walk, Ink ink, size_t column, Str text, Buf *out);
// Behind `head`; further lines are indented.
void walk_wrapped(const Walk *walk, const char *head, Str text, Buf *out);
void walk_source(const Walk *walk, uint32_t line, bool is_now, Buf *out);
void walk_who(const BookStep *step, Buf *out); // "block 1, warp 0"

// ---- walk.c --------------------------------------------------------------

// The head of the session, and the finding's step.
void walk_begin(Walk *walk, Buf *out);
// Does what the line says, and appends what there is to see. False: the end.
bool walk_do(Walk *walk, Str line, Buf *out);

// ---- values.c ------------------------------------------------------------

typedef struct BookReg { // a BOOK_REG
    uint32_t line;       // that wrote it last; 0: not known
    Str name;
    Str lanes[TRACE_LANES]; // "-": has not written it
} BookReg;

// False: the text of the note is not one of a register.
bool values_read(Str text, BookReg *reg);
// `word`: empty, the number of a lane, or a name.
void values_show(const Walk *walk, Str word, Buf *out);

#endif
