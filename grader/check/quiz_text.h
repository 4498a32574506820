// SPDX-License-Identifier: Apache-2.0
// What the parsers of quizzes share: reading a text line by line, messages
// with a place in it, and the syntax of an answer.
#ifndef CLCLAB_QUIZ_TEXT_H
#define CLCLAB_QUIZ_TEXT_H

#include "check/quiz.h"

typedef struct QuizText {
    Arena *arena;
    Str path;
    Diags *diags;
    Str rest;        // the lines after the current one
    Str line;        // the current one, without its newline
    uint32_t number; // of the current line, from 1
} QuizText;

// Moves to the next line; false at the end.
bool quiz_text_next(QuizText *text);
// `where` points into the line.
SrcLoc quiz_text_at(const QuizText *text, const char *where);
void quiz_text_error(QuizText *text, const char *where, const char *help,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool quiz_is_blank(char c);
// Takes a number and the `end` byte after it off *rest: "12) ...". Returns 0 if
// there is none.
uint32_t quiz_take_number(Str *rest, char end);
// Reads "b", "a c", "ac" or "3 1 2", as the question's kind requires. Returns
// false, with *picks empty, if a word is wrong, which has a message, or there
// is none.
bool quiz_read_picks(QuizText *text, uint32_t number,
                     const QuizQuestion *question, Str words, QuizPicks *picks);

#endif
