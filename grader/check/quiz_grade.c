// SPDX-License-Identifier: Apache-2.0
// Grades answers by the key. A question gives its point in full or not at all,
// and a wrong answer gets a sentence that says which part of it is wrong; the
// key explains why.
#include "check/quiz.h"

static bool same(const QuizPicks *a, const QuizPicks *b) {
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (a->items[i] != b->items[i])
            return false;
    return a->count == b->count;
}

static bool is_right(const QuizEntry *entry, const QuizPicks *picks) {
    for (size_t i = 0; i < entry->way_count; i++)
        if (same(&entry->ways[i], picks))
            return true;
    return false;
}

static bool has(const QuizPicks *picks, size_t option) {
    for (size_t i = 0; i < picks->count; i++)
        if (picks->items[i] == option)
            return true;
    return false;
}

// How many lines, counted from the first, are in their places. Of several right
// orders the one counts that agrees longest.
static size_t ordered(const QuizEntry *entry, const QuizPicks *picks) {
    size_t best = 0;
    for (size_t way = 0; way < entry->way_count; way++) {
        size_t len = 0;
        while (len < picks->count &&
               picks->items[len] == entry->ways[way].items[len])
            len++;
        best = len > best ? len : best;
    }
    return best;
}

// The options of *item as words: "b and d".
static Str name_options(Arena *arena, const QuizItem *item, size_t from) {
    Str names = STR("");
    for (size_t i = from; i < item->option_count; i++)
        names = str_format(arena, "%.*s%s%c", STR_ARG(names),
                           i == from                    ? ""
                           : i + 1 < item->option_count ? ", "
                                                        : " and ",
                           (char)('a' + item->options[i] - 1));
    return names;
}

// Adds the wrong options to *item: if `picked`, those that were picked but are
// not right, otherwise those that are right but were not picked.
static void add_options(const QuizPicks *picks, const QuizPicks *right,
                        size_t count, bool picked, QuizItem *item) {
    for (size_t option = 1; option <= count; option++)
        if (has(picks, option) == picked && has(right, option) != picked)
            item->options[item->option_count++] = (uint8_t)option;
}

static void judge_multiple(Arena *arena, const QuizQuestion *question,
                           const QuizEntry *entry, const QuizPicks *picks,
                           QuizItem *item) {
    const QuizPicks *right = &entry->ways[0];
    size_t count = question->option_count;
    add_options(picks, right, count, true, item);
    size_t wrong = item->option_count;
    Str what = name_options(arena, item, 0);
    if (wrong > 0)
        what = str_format(arena, "%.*s %s not right", STR_ARG(what),
                          wrong == 1 ? "is" : "are");
    add_options(picks, right, count, false, item);
    size_t missing = item->option_count - wrong;
    if (missing > 0)
        what = str_format(arena, "%.*s%s%.*s %s missing", STR_ARG(what),
                          wrong > 0 ? ", and " : "",
                          STR_ARG(name_options(arena, item, wrong)),
                          missing == 1 ? "is" : "are");
    item->what = str_format(arena, "%.*s.", STR_ARG(what));
}

static void judge_wrong(Arena *arena, const QuizQuestion *question,
                        const QuizEntry *entry, const QuizPicks *picks,
                        QuizItem *item) {
    size_t good;
    switch (question->kind) {
    case QUIZ_MULTIPLE:
        judge_multiple(arena, question, entry, picks, item);
        return;
    case QUIZ_CHOICE:
        item->what = str_format(arena, "%c is not right.",
                                (char)('a' + picks->items[0] - 1));
        break;
    case QUIZ_FIND:
        item->what =
            str_format(arena, "line %u is not the one.", picks->items[0]);
        break;
    case QUIZ_ORDER:
        good = ordered(entry, picks);
        item->what =
            good ? str_format(arena, "line %u does not come next after %u.",
                              picks->items[good], picks->items[good - 1])
                 : str_format(arena, "line %u does not come first.",
                              picks->items[0]);
        return;
    }
    item->options[item->option_count++] = picks->items[0];
}

void quiz_grade(Arena *arena, const Quiz *quiz, const QuizKey *key,
                const QuizAnswers *answers, QuizResult *result) {
    *result = (QuizResult){.quiz = quiz, .key = key, .answers = *answers};
    for (size_t i = 0; i < quiz->count; i++) {
        const QuizAnswer *answer = &answers->items[i];
        QuizItem *item = &result->items[i];
        if (answer->unreadable) {
            item->mark = QUIZ_UNREADABLE;
        } else if (answer->picks.count == 0) {
            item->mark = QUIZ_OPEN;
        } else if (!key) {
            item->mark = QUIZ_UNGRADED;
        } else if (is_right(&key->entries[i], &answer->picks)) {
            item->mark = QUIZ_RIGHT;
            result->points++;
        } else {
            item->mark = QUIZ_WRONG;
            judge_wrong(arena, &quiz->questions[i], &key->entries[i],
                        &answer->picks, item);
        }
    }
}
