// SPDX-License-Identifier: Apache-2.0
// A quiz for a terminal: the questions, a file to write the answers in, and
// their grades. For a wrong answer it shows the line, what was chosen, why it
// is wrong and where to read on, but never the right letter.
#include "report/internal.h"

// ---- the questions -------------------------------------------------------

static void write_bold(ReportStyle style, Str text, Buf *out) {
    Buf plain = {0};
    explain_plain(text, &plain);
    tone_text(style, TONE_BOLD, buf_view(&plain), out);
    buf_byte(out, '\n');
    buf_free(&plain);
}

static void write_title(const Quiz *quiz, ReportStyle style, Buf *out) {
    Buf title = {0};
    buf_printf(&title, "Quiz %u: %.*s", quiz->number, STR_ARG(quiz->title));
    write_bold(style, buf_view(&title), out);
    buf_free(&title);
}

// Markdown, with a newline at its end.
static void write_markdown(ReportStyle style, Str text, Buf *out) {
    if (text.len == 0)
        return;
    buf_byte(out, '\n');
    report_explain(text, style, out);
}

void report_quiz_questions(const Quiz *quiz, ReportStyle style, Buf *out) {
    write_title(quiz, style, out);
    write_markdown(style, quiz->intro, out);
    for (size_t i = 0; i < quiz->count; i++) {
        const QuizQuestion *question = &quiz->questions[i];
        Buf title = {0};
        buf_byte(out, '\n');
        buf_printf(&title, "%zu. %.*s (%.*s)", i + 1, STR_ARG(question->title),
                   STR_ARG(quiz_kind_name(question->kind)));
        write_bold(style, buf_view(&title), out);
        buf_free(&title);
        write_markdown(style, question->body, out);
    }
}

// ---- the file for the answers --------------------------------------------

static const char *how_to_answer(QuizKind kind) {
    switch (kind) {
    case QUIZ_CHOICE:
        return "one letter";
    case QUIZ_MULTIPLE:
        return "the letters of all that are right";
    case QUIZ_ORDER:
        return "the numbers of the lines, in their order";
    case QUIZ_FIND:
        break;
    }
    return "the number of one line";
}

void report_quiz_template(const Quiz *quiz, Str quiz_file, Str grade,
                          Buf *out) {
    buf_printf(out, "# Answers to quiz %u. Write them behind the colons.\n",
               quiz->number);
    buf_str(out, STR("# questions  "));
    utf8_escape(quiz_file, out);
    buf_str(out, STR("\n# to grade   "));
    utf8_escape(grade, out);
    buf_byte(out, '\n');
    for (size_t i = 0; i < quiz->count; i++) {
        const QuizQuestion *question = &quiz->questions[i];
        Buf title = {0};
        explain_plain(question->title, &title);
        buf_str(out, STR("\n# "));
        utf8_escape(buf_view(&title), out);
        buf_printf(out, ": %s\n%zu:\n", how_to_answer(question->kind), i + 1);
        buf_free(&title);
    }
}

// ---- the table -----------------------------------------------------------

static void write_mark(Page *page, QuizMark mark) {
    switch (mark) {
    case QUIZ_RIGHT:
        page_tone(page, TONE_GOOD, "RIGHT");
        return;
    case QUIZ_WRONG:
        page_tone(page, TONE_BAD, "WRONG");
        return;
    case QUIZ_OPEN:
        page_tone(page, TONE_FAINT, "OPEN ");
        return;
    case QUIZ_UNREADABLE:
        page_tone(page, TONE_BAD, "ERROR");
        return;
    case QUIZ_UNGRADED:
        page_tone(page, TONE_FAINT, "-    ");
        return;
    }
}

static void write_row(Page *page, const QuizResult *result, size_t index) {
    enum { INDENT = 13 };
    Buf title = {0};
    explain_plain(result->quiz->questions[index].title, &title);
    buf_str(page->out, STR("  "));
    write_mark(page, result->items[index].mark);
    buf_printf(page->out, "  %2zu  ", index + 1);
    page_wrapped(page, buf_view(&title), INDENT, INDENT);
    buf_free(&title);
}

// ---- a wrong answer ------------------------------------------------------

static void labeled_markdown(Page *page, const char *label, Str markdown) {
    Buf plain = {0};
    explain_plain(markdown, &plain);
    page_labeled(page, label, buf_view(&plain));
    buf_free(&plain);
}

static bool is_picked(const QuizPicks *picks, uint8_t option) {
    for (size_t i = 0; i < picks->count; i++)
        if (picks->items[i] == option)
            return true;
    return false;
}

// Writes "b)        its text" and the key's remark on it. An option that was
// not picked is shown because it is right.
static void write_option(Page *page, const QuizQuestion *question,
                         const QuizEntry *entry, uint8_t option, bool picked) {
    Arena arena = {0};
    bool letters = quiz_has_letters(question->kind);
    Str name = quiz_option_name(&arena, question->kind, option);
    Str label = str_format(&arena, "%s%.*s%s", letters ? "" : "line ",
                           STR_ARG(name), letters ? ")" : "");
    labeled_markdown(page, label.ptr, str_trim(question->options[option - 1]));
    labeled_markdown(page, picked ? "but" : "indeed",
                     entry->remarks[option - 1]);
    arena_free(&arena);
}

static void write_wrong(Page *page, const QuizResult *result, size_t index) {
    const QuizQuestion *question = &result->quiz->questions[index];
    const QuizEntry *entry = &result->key->entries[index];
    const QuizItem *item = &result->items[index];
    Buf what = {0}, title = {0};
    explain_plain(question->title, &title);
    buf_printf(&what, "%zu. %.*s: %.*s", index + 1, STR_ARG(buf_view(&title)),
               STR_ARG(item->what));
    Cause cause = {.at = result->answers.items[index].at,
                   .what = buf_view(&what)};
    page_cause(page, "wrong", TONE_BAD, &cause, (Str){0});
    for (size_t i = 0; i < item->option_count; i++)
        write_option(
            page, question, entry, item->options[i],
            is_picked(&result->answers.items[index].picks, item->options[i]));
    labeled_markdown(page, "why", entry->why);
    for (size_t i = 0; i < entry->see_count; i++)
        page_labeled(page, "see", entry->sees[i]);
    buf_free(&what);
    buf_free(&title);
}

// ---- the whole -----------------------------------------------------------

static void write_points(Page *page, const QuizResult *result) {
    Buf text = {0};
    bool full = result->points == result->quiz->count;
    buf_printf(&text, "Points: %u/%zu", result->points, result->quiz->count);
    buf_byte(page->out, '\n');
    tone_text(page->style, full ? TONE_GOOD : TONE_BAD, buf_view(&text),
              page->out);
    buf_byte(page->out, '\n');
    buf_free(&text);
}

void report_quiz_text(const QuizResult *result, Str source, ReportStyle style,
                      Buf *out) {
    Page page = page_open(result->file, source, style, out);
    write_title(result->quiz, page.style, out);
    page_wrapped(&page, result->file, 0, 0);
    buf_byte(out, '\n');
    for (size_t i = 0; i < result->quiz->count; i++)
        write_row(&page, result, i);
    for (size_t i = 0; i < result->message_count; i++) {
        buf_byte(out, '\n');
        report_diag(&result->messages[i], source, page.style, out);
    }
    for (size_t i = 0; i < result->quiz->count; i++)
        if (result->items[i].mark == QUIZ_WRONG)
            write_wrong(&page, result, i);
    if (result->key)
        write_points(&page, result);
}
