// SPDX-License-Identifier: Apache-2.0
// The parsers of a learner's answers and of the key (docs/quizzes.md):
//
//   answers = { [ number ":" [ picks ] ] [ "#" anything ] newline }
//   key     = { entry | "#" anything newline | blank line }
//   entry   = number ":" picks { "|" picks }, then indented lines:
//             "  why: " text, "  a) " text, "  see: " reference;
//             a line indented by four blanks or more continues that text
#include "check/quiz_text.h"

// ---- the learner's answers -----------------------------------------------

static Str strip_comment(Str line) {
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] == '#' && (i == 0 || quiz_is_blank(line.ptr[i - 1])))
            return str_slice(line, 0, i);
    return line;
}

// Takes "3:" off *rest and returns the question's number. Returns 0, with a
// message, if *rest does not begin with the number of a question.
static uint32_t take_question(QuizText *text, const Quiz *quiz, Str *rest) {
    const char *where = rest->ptr;
    uint32_t number = quiz_take_number(rest, ':');
    if (number > 0 && number <= quiz->count)
        return number;
    Str help = str_format(text->arena,
                          "A line is a question's number, 1 to %zu, a colon "
                          "and the answer.",
                          quiz->count);
    quiz_text_error(text, where, help.ptr,
                    "This is no answer to a question of the quiz.");
    return 0;
}

static bool is_twice(QuizText *text, uint32_t number, SrcLoc before,
                     const char *where) {
    if (before.line == 0)
        return false;
    quiz_text_error(text, where, "Remove one.",
                    "Question %u is answered in line %u already.", number,
                    before.line);
    return true;
}

static void read_answer(QuizText *text, const Quiz *quiz,
                        QuizAnswers *answers) {
    Str rest = str_trim(strip_comment(text->line));
    const char *start = rest.ptr;
    if (rest.len == 0)
        return;
    uint32_t number = take_question(text, quiz, &rest);
    if (number == 0)
        return;
    QuizAnswer *answer = &answers->items[number - 1];
    if (is_twice(text, number, answer->at, start))
        return;
    rest = str_trim(rest);
    answer->at = quiz_text_at(text, rest.len ? rest.ptr : start);
    bool read = quiz_read_picks(text, number, &quiz->questions[number - 1],
                                rest, &answer->picks);
    answer->unreadable = !read && rest.len > 0;
}

bool quiz_parse_answers(Arena *arena, Str path, Str text, const Quiz *quiz,
                        QuizAnswers *answers, Diags *diags) {
    size_t errors = diags->errors;
    *answers = (QuizAnswers){0};
    QuizText lines = {
        .arena = arena, .path = path, .diags = diags, .rest = text};
    while (quiz_text_next(&lines))
        read_answer(&lines, quiz, answers);
    return diags->errors == errors;
}

// ---- the key -------------------------------------------------------------

typedef struct KeyParse {
    QuizText text;
    const Quiz *quiz;
    QuizKey *key;
    uint32_t number; // of the current entry; 0: there is none
    Str *item;       // the text that a line can continue; NULL: none
} KeyParse;

static void begin_entry(KeyParse *parse) {
    QuizText *text = &parse->text;
    Str rest = text->line;
    parse->item = NULL;
    parse->number = take_question(text, parse->quiz, &rest);
    if (parse->number == 0)
        return;
    QuizEntry *entry = &parse->key->entries[parse->number - 1];
    if (is_twice(text, parse->number, entry->at, text->line.ptr))
        return;
    entry->at = quiz_text_at(text, text->line.ptr);
    do {
        Str way = str_cut(&rest, '|');
        size_t errors = text->diags->errors;
        if (entry->way_count == QUIZ_MOST_WAYS)
            quiz_text_error(text, way.ptr, "Four are the most.",
                            "This way to answer is one too many.");
        else if (quiz_read_picks(text, parse->number,
                                 &parse->quiz->questions[parse->number - 1],
                                 way, &entry->ways[entry->way_count]))
            entry->way_count++;
        else if (text->diags->errors == errors)
            quiz_text_error(text, text->line.ptr, "Write the right answer.",
                            "There is no answer behind the colon.");
    } while (rest.len > 0);
}

// Takes "b)" or "12)" off *rest and returns the number of the option; 0: *rest
// begins with neither.
static uint32_t take_option(const QuizQuestion *question, Str *rest) {
    if (!quiz_has_letters(question->kind))
        return quiz_take_number(rest, ')');
    if (rest->len < 2 || rest->ptr[1] != ')' || rest->ptr[0] < 'a' ||
        rest->ptr[0] > 'z')
        return 0;
    uint32_t option = (uint32_t)(rest->ptr[0] - 'a') + 1;
    *rest = str_slice(*rest, 2, rest->len);
    return option;
}

// Takes the name of an item off *rest and returns where its text goes; NULL: it
// has no such name, or there is no room for it.
static Str *find_item(KeyParse *parse, Str *rest) {
    const QuizQuestion *question = &parse->quiz->questions[parse->number - 1];
    QuizEntry *entry = &parse->key->entries[parse->number - 1];
    if (str_starts(*rest, STR("why:"))) {
        *rest = str_slice(*rest, 4, rest->len);
        return &entry->why;
    }
    if (str_starts(*rest, STR("see:"))) {
        *rest = str_slice(*rest, 4, rest->len);
        return entry->see_count < QUIZ_MOST_SEES
                   ? &entry->sees[entry->see_count++]
                   : NULL;
    }
    uint32_t option = take_option(question, rest);
    return option > 0 && option <= question->option_count
               ? &entry->remarks[option - 1]
               : NULL;
}

static void read_item(KeyParse *parse, Str rest) {
    QuizText *text = &parse->text;
    const char *where = rest.ptr;
    if (parse->number == 0)
        return; // the line that should begin the entry has a message
    parse->item = find_item(parse, &rest);
    rest = str_trim(rest);
    if (!parse->item) {
        quiz_text_error(text, where,
                        "Write \"why: ...\", \"see: ...\" (four at most), or "
                        "an option of the question: \"b) ...\".",
                        "This belongs to no option of question %u.",
                        parse->number);
    } else if (parse->item->len > 0) {
        quiz_text_error(text, where, "Remove one.", "This is there twice.");
    } else if (rest.len == 0) {
        quiz_text_error(text, where, "Write what it says.",
                        "This has no text.");
    } else {
        *parse->item = rest;
    }
}

static void read_key_line(KeyParse *parse) {
    QuizText *text = &parse->text;
    Str line = text->line;
    Str trimmed = str_trim(line);
    if (trimmed.len == 0 || line.ptr[0] == '#')
        return;
    if (!quiz_is_blank(line.ptr[0]))
        begin_entry(parse);
    else if (!str_starts(line, STR("    ")))
        read_item(parse, trimmed);
    else if (parse->item)
        *parse->item = str_format(text->arena, "%.*s %.*s",
                                  STR_ARG(*parse->item), STR_ARG(trimmed));
    else
        quiz_text_error(text, trimmed.ptr, "Indent an item by two blanks.",
                        "There is nothing that this line continues.");
}

// ---- what an entry needs -------------------------------------------------

static void lacks(KeyParse *parse, const QuizEntry *entry, uint32_t number,
                  const char *what) {
    SrcLoc at = entry->at;
    if (at.line == 0)
        at = (SrcLoc){parse->text.path,
                      parse->text.number ? parse->text.number : 1, 1};
    Diag *diag = diag_add(parse->text.diags, DIAG_ERROR, at,
                          "Question %u has no %s.", number, what);
    diag->code = STR("QUIZ");
    diag->help = STR("Each question has one entry with an answer, why: and "
                     "see:, and says of each wrong option what is wrong.");
}

static bool is_pick(const QuizEntry *entry, size_t option) {
    for (size_t way = 0; way < entry->way_count; way++)
        for (size_t i = 0; i < entry->ways[way].count; i++)
            if (entry->ways[way].items[i] == option)
                return true;
    return false;
}

// Each option that can be got wrong needs an explanation: in a question of
// choice those that are wrong, in one of multiple choice all, because a right
// one can be missed.
static void demand_remarks(KeyParse *parse, const QuizQuestion *question,
                           const QuizEntry *entry, uint32_t number) {
    if (!quiz_has_letters(question->kind))
        return;
    for (size_t i = 0; i < question->option_count; i++) {
        bool wanted = question->kind == QUIZ_MULTIPLE || !is_pick(entry, i + 1);
        if (wanted && entry->remarks[i].len == 0)
            lacks(parse, entry, number,
                  str_format(parse->text.arena, "explanation of option %c",
                             (char)('a' + i))
                      .ptr);
    }
}

static void demand_entry(KeyParse *parse, uint32_t number) {
    const QuizEntry *entry = &parse->key->entries[number - 1];
    if (entry->at.line == 0) {
        lacks(parse, entry, number, "entry");
        return;
    }
    if (entry->why.len == 0)
        lacks(parse, entry, number, "why:");
    if (entry->see_count == 0)
        lacks(parse, entry, number, "see:");
    demand_remarks(parse, &parse->quiz->questions[number - 1], entry, number);
}

bool quiz_parse_key(Arena *arena, Str path, Str text, const Quiz *quiz,
                    QuizKey *key, Diags *diags) {
    size_t errors = diags->errors;
    *key = (QuizKey){0};
    KeyParse parse = {
        .text = {.arena = arena, .path = path, .diags = diags, .rest = text},
        .quiz = quiz,
        .key = key,
    };
    while (quiz_text_next(&parse.text))
        read_key_line(&parse);
    for (uint32_t number = 1; number <= quiz->count; number++)
        demand_entry(&parse, number);
    return diags->errors == errors;
}
