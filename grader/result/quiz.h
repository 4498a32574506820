// SPDX-License-Identifier: Apache-2.0
// A quiz, the answers to it, and their grades. Options and lines of code are
// numbered from 1.
#ifndef CLCLAB_RESULT_QUIZ_H
#define CLCLAB_RESULT_QUIZ_H

#include "base/base.h"

typedef enum QuizKind {
    QUIZ_CHOICE,   // one option is right
    QUIZ_MULTIPLE, // one or more options are right
    QUIZ_ORDER,    // lines of code are to be put in order
    QUIZ_FIND,     // one line of code is to be found
} QuizKind;

enum {
    QUIZ_LEAST_QUESTIONS = 6,
    QUIZ_MOST_QUESTIONS = 10,
    QUIZ_MOST_OPTIONS = 8, // a to h
    QUIZ_MOST_ORDERED = 12,
    QUIZ_MOST_LINES = 60,
    QUIZ_MOST_PICKS = 12,
    QUIZ_MOST_WAYS = 4, // correct answers to one question
    QUIZ_MOST_SEES = 4,
};

typedef struct QuizQuestion {
    Str title;
    QuizKind kind;
    Str body;     // Markdown: everything between its heading and the next one
    Str *options; // [option_count]: Markdown, or a line of code
    size_t option_count;
    SrcLoc at;
} QuizQuestion;

typedef struct Quiz {
    uint32_t number; // the lab's number, from the title
    Str title;
    Str intro; // Markdown: between the title and the first question
    QuizQuestion questions[QUIZ_MOST_QUESTIONS];
    size_t count;
} Quiz;

// The options or lines that were picked, in ascending order for a
// QUIZ_MULTIPLE. count 0: none.
typedef struct QuizPicks {
    uint8_t items[QUIZ_MOST_PICKS];
    size_t count;
} QuizPicks;

typedef struct QuizAnswer {
    QuizPicks picks;
    bool unreadable; // there is text, but it is not an answer
    SrcLoc at;       // the text after the colon; line 0: there is no such line
} QuizAnswer;

typedef struct QuizAnswers {
    QuizAnswer items[QUIZ_MOST_QUESTIONS]; // [Quiz.count]
} QuizAnswers;

typedef struct QuizEntry {
    QuizPicks ways[QUIZ_MOST_WAYS]; // the correct answers: any one will do
    size_t way_count;
    Str why;
    Str remarks[QUIZ_MOST_LINES]; // by option - 1: why it is right or wrong;
                                  // may be empty
    Str sees[QUIZ_MOST_SEES];     // where to read on
    size_t see_count;
    SrcLoc at;
} QuizEntry;

typedef struct QuizKey {
    QuizEntry entries[QUIZ_MOST_QUESTIONS]; // [Quiz.count]
} QuizKey;

typedef enum QuizMark {
    QUIZ_RIGHT,
    QUIZ_WRONG,
    QUIZ_OPEN,       // not answered
    QUIZ_UNREADABLE, // a message says why
    QUIZ_UNGRADED,   // answered, but there is no answer key
} QuizMark;

typedef struct QuizItem {
    QuizMark mark;
    Str what;                           // QUIZ_WRONG: "b is not right."
    uint8_t options[QUIZ_MOST_OPTIONS]; // those that the mistake is about
    size_t option_count;
} QuizItem;

typedef struct QuizResult {
    const Quiz *quiz;
    const QuizKey *key; // NULL: there is none
    Str file;           // the answers' file, as given; empty: there is none
    QuizAnswers answers;
    QuizItem items[QUIZ_MOST_QUESTIONS]; // [quiz->count]
    uint32_t points;                     // at most quiz->count
    const Diag *messages;                // about the answers' file
    size_t message_count;
} QuizResult;

Str quiz_kind_name(QuizKind kind);    // "multiple choice"
bool quiz_has_letters(QuizKind kind); // its options are named a, b, c
// "b", or "3" where options are lines of code.
Str quiz_option_name(Arena *arena, QuizKind kind, uint32_t option);
Str quiz_picks_name(Arena *arena, QuizKind kind, const QuizPicks *picks);

#endif
