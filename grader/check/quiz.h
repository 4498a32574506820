// SPDX-License-Identifier: Apache-2.0
// Quizzes: judges a learner's answers to a lab's questions by the key, which
// gives a QuizResult. docs/quizzes.md describes the formats of the three files.
//
//   quiz.md's text --quiz_parse--> Quiz
//   a learner's file + Quiz --quiz_parse_answers--> QuizAnswers
//   quiz.txt's text + Quiz --quiz_parse_key--> QuizKey
//   all three --quiz_grade--> QuizResult
//
// These types are declared in result/quiz.h, and report/ shows the result.
#ifndef CLCLAB_CHECK_QUIZ_H
#define CLCLAB_CHECK_QUIZ_H

#include "base/base.h"
#include "result/quiz.h"

// Each parses a whole text; `path` is for messages. Returns false if there is
// an error; each has its line and column, and code "QUIZ". Slices point into
// `text` or the arena.
bool quiz_parse(Arena *arena, Str path, Str text, Quiz *quiz, Diags *diags);
bool quiz_parse_key(Arena *arena, Str path, Str text, const Quiz *quiz,
                    QuizKey *key, Diags *diags);
// Fills in the answers that can be read even if it returns false.
bool quiz_parse_answers(Arena *arena, Str path, Str text, const Quiz *quiz,
                        QuizAnswers *answers, Diags *diags);

// `key` may be NULL. Fills in all of *result except file and messages.
void quiz_grade(Arena *arena, const Quiz *quiz, const QuizKey *key,
                const QuizAnswers *answers, QuizResult *result);

#endif
