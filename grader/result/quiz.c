// SPDX-License-Identifier: Apache-2.0
// The names of a question's kind, of its options and of what was picked.
#include "result/quiz.h"

Str quiz_kind_name(QuizKind kind) {
    switch (kind) {
    case QUIZ_CHOICE:
        return STR("choice");
    case QUIZ_MULTIPLE:
        return STR("multiple choice");
    case QUIZ_ORDER:
        return STR("order the lines");
    case QUIZ_FIND:
        break;
    }
    return STR("find the line");
}

bool quiz_has_letters(QuizKind kind) {
    return kind == QUIZ_CHOICE || kind == QUIZ_MULTIPLE;
}

Str quiz_option_name(Arena *arena, QuizKind kind, uint32_t option) {
    if (quiz_has_letters(kind))
        return str_format(arena, "%c", (char)('a' + option - 1));
    return str_format(arena, "%u", option);
}

Str quiz_picks_name(Arena *arena, QuizKind kind, const QuizPicks *picks) {
    Str name = STR("");
    for (size_t i = 0; i < picks->count; i++) {
        Str one = quiz_option_name(arena, kind, picks->items[i]);
        name = str_format(arena, "%.*s%s%.*s", STR_ARG(name), i ? " " : "",
                          STR_ARG(one));
    }
    return name;
}
