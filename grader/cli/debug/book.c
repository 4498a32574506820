// SPDX-License-Identifier: Apache-2.0
// Reads the book that clclab debug shows: report/book.c says how it is written.
// It comes from the process that ran a submission, so nothing in it is taken
// on trust: what is not understood makes it no book.
#include "cli/debug/debug.h"

static bool read_number(Str *rest, uint32_t *out) {
    uint64_t number;
    if (!str_to_u64(str_cut(rest, ' '), &number) || number >= UINT32_MAX)
        return false;
    *out = (uint32_t)number;
    return true;
}

static bool read_step(Arena *arena, Str rest, Book *book) {
    BookStep step = {.from = book->note_count, .to = book->note_count};
    if (!read_number(&rest, &step.cta))
        return false;
    if (str_starts(rest, STR("- "))) {
        step.warp = DEVICE_EVENT_NONE;
        str_cut(&rest, ' ');
    } else if (!read_number(&rest, &step.warp)) {
        return false;
    }
    if (!read_number(&rest, &step.line))
        return false;
    step.text = rest;
    arena_grow(arena, book->steps, book->step_count, book->step_capacity);
    book->steps[book->step_count++] = step;
    return true;
}

static bool add_note(Arena *arena, BookWord word, Str text, Book *book) {
    if (book->step_count == 0)
        return false;
    arena_grow(arena, book->notes, book->note_count, book->note_capacity);
    book->notes[book->note_count++] = (BookNote){word, text};
    book->steps[book->step_count - 1].to = book->note_count;
    return true;
}

static bool read_size(Str text, size_t *out) {
    uint64_t number;
    if (!str_to_u64(text, &number))
        return false;
    *out = (size_t)number;
    return true;
}

static bool read_listed(Arena *arena, Str word, Str rest, Book *book) {
    if (str_equal(word, STR("source"))) {
        arena_grow(arena, book->source, book->source_count,
                   book->source_capacity);
        book->source[book->source_count++] = rest;
    } else if (str_equal(word, STR("param"))) {
        arena_grow(arena, book->params, book->param_count,
                   book->param_capacity);
        book->params[book->param_count++] = rest;
    } else {
        return false;
    }
    return true;
}

static bool read_line(Arena *arena, Str word, Str rest, Book *book) {
    if (str_equal(word, STR("step")))
        return read_step(arena, rest, book);
    if (str_equal(word, STR("bar")))
        return add_note(arena, BOOK_BAR, rest, book);
    if (str_equal(word, STR("slot")))
        return add_note(arena, BOOK_SLOT, rest, book);
    if (str_equal(word, STR("reg"))) {
        BookReg unused;
        return values_read(rest, &unused) &&
               add_note(arena, BOOK_REG, rest, book);
    }
    if (str_equal(word, STR("before")))
        return str_to_u64(rest, &book->before);
    if (str_equal(word, STR("found")))
        return read_size(rest, &book->found);
    if (str_equal(word, STR("origin")))
        return read_size(rest, &book->origin);
    Str *text = str_equal(word, STR("book"))      ? &book->run
                : str_equal(word, STR("code"))    ? &book->code
                : str_equal(word, STR("missing")) ? &book->missing
                                                  : NULL;
    if (text)
        *text = rest;
    return text || read_listed(arena, word, rest, book);
}

bool book_read(Arena *arena, Str text, Book *book) {
    *book = (Book){.found = BOOK_NO_STEP, .origin = BOOK_NO_STEP};
    if (!str_starts(text, STR("book ")))
        return false;
    while (text.len) {
        Str rest = str_cut(&text, '\n');
        Str word = str_cut(&rest, ' ');
        if (!read_line(arena, word, rest, book))
            return false;
    }
    return book->found < book->step_count &&
           (book->origin == BOOK_NO_STEP || book->origin < book->step_count);
}
