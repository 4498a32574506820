// SPDX-License-Identifier: Apache-2.0
// The parser of quiz.md, which is Markdown that reads well on its own but has a
// strict form (docs/quizzes.md):
//
//   quiz     = "# Quiz " number ": " title, text, question...
//   question = "## " number ". " title " (" kind ")", text, options | lines
//   options  = "- a) " text, "- b) " text, ...  further lines are indented
//   lines    = a block of code in which each line begins with its number
//
// The kind of a question decides whether it has options or lines. Nothing may
// follow them.
#include "check/quiz_text.h"

typedef struct QuizParse {
    QuizText text;
    Quiz *quiz;
    QuizQuestion *question; // NULL: before the first
    const char *body;       // where the text since the last heading begins
    bool in_code;           // in a block of code, between ``` and ```
    bool in_lines;          // in one that has the question's numbered lines
    bool in_option;         // an indented line continues the last option
    size_t capacity;        // of question->options
} QuizParse;

// ---- headings ------------------------------------------------------------

// Takes the parentheses at the end off *line and returns what is inside them;
// empty: there are none.
static Str take_parentheses(Str *line) {
    size_t open = line->len;
    while (open > 0 && line->ptr[open - 1] != '(')
        open--;
    if (open == 0 || !str_ends(*line, STR(")")))
        return (Str){0};
    Str inside = str_slice(*line, open, line->len - 1);
    *line = str_trim(str_slice(*line, 0, open - 1));
    return inside;
}

static bool find_kind(Str name, QuizKind *kind) {
    for (int i = QUIZ_CHOICE; i <= QUIZ_FIND; i++)
        if (str_equal(name, quiz_kind_name((QuizKind)i))) {
            *kind = (QuizKind)i;
            return true;
        }
    return false;
}

static void read_title(QuizParse *parse) {
    Str rest = str_slice(parse->text.line, 7, parse->text.line.len);
    parse->quiz->number = quiz_take_number(&rest, ':');
    parse->quiz->title = str_trim(rest);
    if (parse->quiz->number == 0 || parse->quiz->title.len == 0)
        quiz_text_error(&parse->text, parse->text.line.ptr,
                        "Write \"# Quiz 4: Stealing clusters\".",
                        "This title has no number or no text.");
}

static void begin_question(QuizParse *parse) {
    static const char *const help =
        "Write \"## 3. The offset (choice)\"; the kinds are choice, multiple "
        "choice, order the lines and find the line.";
    QuizText *text = &parse->text;
    Quiz *quiz = parse->quiz;
    Str rest = str_slice(text->line, 3, text->line.len);
    uint32_t number = quiz_take_number(&rest, '.');
    rest = str_trim(rest);
    QuizQuestion question = {.at = quiz_text_at(text, text->line.ptr)};
    Str kind = take_parentheses(&rest);
    question.title = rest;
    if (quiz->count == QUIZ_MOST_QUESTIONS) {
        quiz_text_error(text, text->line.ptr, "A quiz has 6 to 10 questions.",
                        "This question is one too many.");
        return;
    }
    if (number != quiz->count + 1)
        quiz_text_error(text, text->line.ptr, help,
                        "This should be question %zu.", quiz->count + 1);
    else if (rest.len == 0)
        quiz_text_error(text, text->line.ptr, help,
                        "This question has no title.");
    else if (!find_kind(kind, &question.kind))
        quiz_text_error(text, kind.len ? kind.ptr : text->line.ptr, help,
                        "There is no kind \"%.*s\".", STR_ARG(kind));
    quiz->questions[quiz->count] = question;
    parse->question = &quiz->questions[quiz->count++];
    parse->capacity = 0;
}

// ---- options and lines of code -------------------------------------------

static void add_option(QuizParse *parse, Str option) {
    QuizQuestion *question = parse->question;
    arena_grow(parse->text.arena, question->options, question->option_count,
               parse->capacity);
    question->options[question->option_count++] = option;
}

static size_t most_options(const QuizQuestion *question) {
    switch (question->kind) {
    case QUIZ_CHOICE:
    case QUIZ_MULTIPLE:
        return QUIZ_MOST_OPTIONS;
    case QUIZ_ORDER:
        return QUIZ_MOST_ORDERED;
    case QUIZ_FIND:
        break;
    }
    return QUIZ_MOST_LINES;
}

static bool has_room(QuizParse *parse) {
    if (parse->question->option_count < most_options(parse->question))
        return true;
    quiz_text_error(&parse->text, parse->text.line.ptr, "Ask for less.",
                    "The question takes %zu at most.",
                    most_options(parse->question));
    return false;
}

// "- b) text"
static void read_option(QuizParse *parse) {
    QuizText *text = &parse->text;
    Str line = text->line;
    if (!parse->question || !quiz_has_letters(parse->question->kind)) {
        quiz_text_error(text, line.ptr,
                        "Only questions of choice have options.",
                        "This option belongs to no question of choice.");
        return;
    }
    char wanted = (char)('a' + parse->question->option_count);
    Str option = str_trim(str_slice(line, 5, line.len));
    if (!has_room(parse))
        return;
    if (line.ptr[2] != wanted || option.len == 0)
        quiz_text_error(text, line.ptr + 2, "The options are a), b), c), ...",
                        "This should be option %c), and a text.", wanted);
    add_option(parse, option);
    parse->in_option = true;
}

static bool opens_option(Str line) {
    return line.len >= 4 && str_starts(line, STR("- ")) && line.ptr[2] >= 'a' &&
           line.ptr[2] <= 'z' && line.ptr[3] == ')';
}

static void continue_option(QuizParse *parse) {
    QuizQuestion *question = parse->question;
    Str *option = &question->options[question->option_count - 1];
    *option = str_format(parse->text.arena, "%.*s %.*s", STR_ARG(*option),
                         STR_ARG(str_trim(parse->text.line)));
}

// " 7  code"
static void read_code_line(QuizParse *parse) {
    QuizText *text = &parse->text;
    Str rest = text->line;
    size_t blanks = 0;
    while (blanks < rest.len && rest.ptr[blanks] == ' ')
        blanks++;
    rest = str_slice(rest, blanks, rest.len);
    Str alone =
        str_format(text->arena, "%zu", parse->question->option_count + 1);
    if (!has_room(parse))
        return;
    bool right = str_starts(rest, alone);
    rest = str_slice(rest, right ? alone.len : 0, rest.len);
    if (!right || (rest.len > 0 && !str_starts(rest, STR("  "))))
        quiz_text_error(text, text->line.ptr,
                        "Each line of this code begins with its number and "
                        "two blanks.",
                        "This should be line %.*s.", STR_ARG(alone));
    add_option(parse, str_slice(rest, 2, rest.len));
}

// ---- the end of a question -----------------------------------------------

// An error at another place than the current line.
static void whole_error(QuizText *text, SrcLoc at, const char *help,
                        const char *what) {
    Diag *diag = diag_add(text->diags, DIAG_ERROR, at, "%s", what);
    diag->code = STR("QUIZ");
    diag->help = str_from(help);
}

static void end_question(QuizParse *parse, const char *end) {
    QuizText *text = &parse->text;
    QuizQuestion *question = parse->question;
    Str body = {parse->body, (size_t)(end - parse->body)};
    if (!question) {
        parse->quiz->intro = str_trim(body);
        return;
    }
    question->body = str_trim(body);
    bool letters = quiz_has_letters(question->kind);
    size_t least = letters ? 2 : 3;
    if (question->option_count >= least)
        return;
    Str what = str_format(text->arena,
                          "This question has %zu %s; the least "
                          "is %zu.",
                          question->option_count,
                          letters ? "options" : "numbered lines", least);
    whole_error(text, question->at,
                letters ? "Write \"- a) text\" for each option."
                        : "Number each line of one block of code.",
                what.ptr);
}

// ---- lines ---------------------------------------------------------------

static void open_code(QuizParse *parse) {
    QuizQuestion *question = parse->question;
    parse->in_code = true;
    parse->in_lines = question && !quiz_has_letters(question->kind);
    parse->in_option = false;
    if (parse->in_lines && question->option_count > 0)
        quiz_text_error(&parse->text, parse->text.line.ptr,
                        "A question on lines has one block of code.",
                        "This is a second block of code.");
}

static void read_heading(QuizParse *parse) {
    QuizText *text = &parse->text;
    Str line = text->line;
    if (text->number == 1 && str_starts(line, STR("# Quiz "))) {
        read_title(parse);
    } else if (str_starts(line, STR("## "))) {
        end_question(parse, line.ptr);
        begin_question(parse);
    } else {
        quiz_text_error(text, line.ptr,
                        "There is a title in line 1, and \"## 1. ...\" for "
                        "each question.",
                        "This heading has no place here.");
    }
    parse->body = text->rest.ptr;
    parse->in_option = false;
}

static void read_text(QuizParse *parse) {
    QuizText *text = &parse->text;
    bool blank = str_trim(text->line).len == 0;
    if (parse->in_option && !blank && str_starts(text->line, STR("  "))) {
        continue_option(parse);
        return;
    }
    parse->in_option = false;
    if (!blank && parse->question && parse->question->option_count > 0)
        quiz_text_error(text, text->line.ptr,
                        "Put it before the options or the code.",
                        "Nothing may follow the options or the lines.");
}

static void read_line(QuizParse *parse) {
    Str line = parse->text.line;
    bool fence = str_starts(line, STR("```"));
    if (parse->in_code && fence)
        parse->in_code = parse->in_lines = false;
    else if (parse->in_lines)
        read_code_line(parse);
    else if (parse->in_code)
        return;
    else if (fence)
        open_code(parse);
    else if (str_starts(line, STR("#")))
        read_heading(parse);
    else if (opens_option(line))
        read_option(parse);
    else
        read_text(parse);
}

// ---- the whole -----------------------------------------------------------

static void demand_whole(QuizParse *parse) {
    QuizText *text = &parse->text;
    if (text->number == 0)
        text->number = 1;
    if (parse->in_code)
        quiz_text_error(text, text->line.ptr, "Close it with ```.",
                        "A block of code is not closed.");
    if (parse->quiz->number == 0 && text->diags->errors == 0)
        whole_error(text, (SrcLoc){text->path, 1, 1},
                    "Begin with \"# Quiz 4: Stealing clusters\".",
                    "There is no title in line 1.");
    if (parse->quiz->count < QUIZ_LEAST_QUESTIONS)
        quiz_text_error(text, text->line.ptr, "A quiz has 6 to 10 questions.",
                        "There are %zu questions.", parse->quiz->count);
}

bool quiz_parse(Arena *arena, Str path, Str text, Quiz *quiz, Diags *diags) {
    size_t errors = diags->errors;
    *quiz = (Quiz){0};
    QuizParse parse = {
        .text = {.arena = arena, .path = path, .diags = diags, .rest = text},
        .quiz = quiz,
        .body = text.ptr,
    };
    while (quiz_text_next(&parse.text))
        read_line(&parse);
    end_question(&parse, parse.text.rest.ptr);
    demand_whole(&parse);
    return diags->errors == errors;
}
