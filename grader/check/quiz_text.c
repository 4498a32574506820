// SPDX-License-Identifier: Apache-2.0
// Reads lines and answers of the quiz files, and makes messages: see
// quiz_text.h.
//
//   picks = pick { (blank | ",") pick }      pick = letter {letter} | number
#include "check/quiz_text.h"

bool quiz_text_next(QuizText *text) {
    if (text->rest.len == 0)
        return false;
    text->line = str_cut(&text->rest, '\n');
    while (text->line.len && text->line.ptr[text->line.len - 1] == '\r')
        text->line.len--;
    text->number++;
    return true;
}

SrcLoc quiz_text_at(const QuizText *text, const char *where) {
    uint32_t col = (uint32_t)(where - text->line.ptr) + 1;
    return (SrcLoc){text->path, text->number, col};
}

void quiz_text_error(QuizText *text, const char *where, const char *help,
                     const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str what = str_vformat(text->arena, format, args);
    va_end(args);
    Diag *diag = diag_add(text->diags, DIAG_ERROR, quiz_text_at(text, where),
                          "%.*s", STR_ARG(what));
    diag->code = STR("QUIZ");
    diag->help = str_from(help);
}

bool quiz_is_blank(char c) {
    return c == ' ' || c == '\t';
}

uint32_t quiz_take_number(Str *rest, char end) {
    uint32_t number = 0;
    size_t len = 0;
    for (; len < rest->len && len < 4; len++) {
        char c = rest->ptr[len];
        if (c < '0' || c > '9')
            break;
        number = number * 10 + (uint32_t)(c - '0');
    }
    if (len == 0 || len == rest->len || rest->ptr[len] != end)
        return 0;
    *rest = str_slice(*rest, len + 1, rest->len);
    return number;
}

// ---- answers -------------------------------------------------------------

static const char *help_of(QuizKind kind) {
    switch (kind) {
    case QUIZ_CHOICE:
        return "Write one letter, such as: 1: b";
    case QUIZ_MULTIPLE:
        return "Write the letters of all that are right, such as: 1: a c";
    case QUIZ_ORDER:
        return "Write the numbers of all lines in their order, such as: "
               "1: 3 1 2";
    case QUIZ_FIND:
        break;
    }
    return "Write the number of one line, such as: 1: 7";
}

static bool is_between(char c) {
    return quiz_is_blank(c) || c == ',';
}

static Str next_word(Str *rest) {
    size_t from = 0;
    while (from < rest->len && is_between(rest->ptr[from]))
        from++;
    size_t to = from;
    while (to < rest->len && !is_between(rest->ptr[to]))
        to++;
    Str word = str_slice(*rest, from, to);
    *rest = str_slice(*rest, to, rest->len);
    return word;
}

// The option that a word names; 0: this question has no such option.
static uint32_t option_of(const QuizQuestion *question, Str word) {
    uint64_t option = 0;
    if (!quiz_has_letters(question->kind)) {
        if (!str_to_u64(word, &option))
            return 0;
    } else if (word.len == 1) {
        char small = (char)(word.ptr[0] | 0x20);
        option = small >= 'a' && small <= 'z' ? (uint64_t)(small - 'a') + 1 : 0;
    }
    return option <= question->option_count ? (uint32_t)option : 0;
}

static bool is_run_of_letters(const QuizQuestion *question, Str word) {
    for (size_t i = 0; i < word.len; i++)
        if (!option_of(question, str_slice(word, i, i + 1)))
            return false;
    return word.len > 1 && quiz_has_letters(question->kind);
}

// The next word; of "abe", which names three options, the first letter.
static Str next_pick(const QuizQuestion *question, Str *rest) {
    Str word = next_word(rest);
    if (!is_run_of_letters(question, word))
        return word;
    *rest = (Str){word.ptr + 1, rest->len + word.len - 1};
    return str_slice(word, 0, 1);
}

static bool has_pick(const QuizPicks *picks, uint32_t option) {
    for (size_t i = 0; i < picks->count; i++)
        if (picks->items[i] == option)
            return true;
    return false;
}

static void add_pick(QuizPicks *picks, uint32_t option, bool ascending) {
    size_t at = picks->count++;
    for (; ascending && at > 0 && picks->items[at - 1] > option; at--)
        picks->items[at] = picks->items[at - 1];
    picks->items[at] = (uint8_t)option;
}

static bool no_option(QuizText *text, const QuizQuestion *question,
                      uint32_t number, Str word) {
    Arena *arena = text->arena;
    Str last = quiz_option_name(arena, question->kind,
                                (uint32_t)question->option_count);
    Str first = quiz_option_name(arena, question->kind, 1);
    Str help =
        str_format(arena, "Question %u has %.*s to %.*s. %s", number,
                   STR_ARG(first), STR_ARG(last), help_of(question->kind));
    quiz_text_error(text, word.ptr, help.ptr, "There is no %s \"%.*s\".",
                    quiz_has_letters(question->kind) ? "option" : "line",
                    STR_ARG(word));
    return false;
}

static bool read_words(QuizText *text, uint32_t number,
                       const QuizQuestion *question, Str words,
                       QuizPicks *picks) {
    for (Str word; (word = next_pick(question, &words)).len > 0;) {
        uint32_t option = option_of(question, word);
        if (option == 0)
            return no_option(text, question, number, word);
        if (has_pick(picks, option)) {
            quiz_text_error(text, word.ptr, "Remove one.",
                            "\"%.*s\" is there twice.", STR_ARG(word));
            return false;
        }
        if (picks->count == QUIZ_MOST_PICKS) {
            quiz_text_error(text, word.ptr, help_of(question->kind),
                            "\"%.*s\" is one too many.", STR_ARG(word));
            return false;
        }
        add_pick(picks, option, question->kind == QUIZ_MULTIPLE);
    }
    return true;
}

// Whether there are as many picks as the kind of question requires.
static bool right_count(QuizText *text, uint32_t number,
                        const QuizQuestion *question, const char *where,
                        const QuizPicks *picks) {
    size_t wanted = question->kind == QUIZ_MULTIPLE ? picks->count
                    : question->kind == QUIZ_ORDER  ? question->option_count
                                                    : 1;
    if (picks->count == wanted)
        return true;
    quiz_text_error(text, where, help_of(question->kind),
                    "Question %u (%.*s) takes %zu, not %zu.", number,
                    STR_ARG(quiz_kind_name(question->kind)), wanted,
                    picks->count);
    return false;
}

bool quiz_read_picks(QuizText *text, uint32_t number,
                     const QuizQuestion *question, Str words,
                     QuizPicks *picks) {
    *picks = (QuizPicks){0};
    words = str_trim(words);
    if (read_words(text, number, question, words, picks) &&
        (picks->count == 0 ||
         right_count(text, number, question, words.ptr, picks)))
        return picks->count > 0;
    *picks = (QuizPicks){0};
    return false;
}
