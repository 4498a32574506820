// SPDX-License-Identifier: Apache-2.0
// A quiz as JSON, schema "clclab/quiz/v1": the questions and, if there are
// answers, their grades. An absent value is null. Read report_quiz_json, at the
// end.
#include "report/internal.h"

static Str mark_name(QuizMark mark) {
    switch (mark) {
    case QUIZ_RIGHT:
        return STR("right");
    case QUIZ_WRONG:
        return STR("wrong");
    case QUIZ_OPEN:
        return STR("open");
    case QUIZ_UNREADABLE:
        return STR("unreadable");
    case QUIZ_UNGRADED:
        break;
    }
    return STR("ungraded");
}

// The key's remarks on the options that a mistake is about.
static void write_remarks(Json *json, Arena *arena, const QuizResult *result,
                          size_t index) {
    const QuizItem *item = &result->items[index];
    json_open_member(json, STR("remarks"), '[');
    for (size_t i = 0; i < item->option_count; i++) {
        QuizKind kind = result->quiz->questions[index].kind;
        uint8_t option = item->options[i];
        json_item(json);
        json_open(json, '{');
        json_text(json, STR("option"), quiz_option_name(arena, kind, option));
        json_text_or_null(json, STR("what"),
                          result->key->entries[index].remarks[option - 1]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_question(Json *json, Arena *arena, const QuizResult *result,
                           size_t index) {
    const QuizQuestion *question = &result->quiz->questions[index];
    const QuizAnswer *answer = &result->answers.items[index];
    const QuizItem *item = &result->items[index];
    bool wrong = item->mark == QUIZ_WRONG;
    const QuizEntry *entry = wrong ? &result->key->entries[index] : NULL;
    json_open(json, '{');
    json_number(json, STR("number"), index + 1);
    json_text(json, STR("title"), question->title);
    json_text(json, STR("kind"), quiz_kind_name(question->kind));
    json_text(json, STR("markdown"), question->body);
    json_texts(json, STR("options"), question->options, question->option_count);
    json_text(json, STR("mark"), mark_name(item->mark));
    json_text_or_null(json, STR("answer"),
                      quiz_picks_name(arena, question->kind, &answer->picks));
    json_number_or_null(json, STR("line"), answer->at.line);
    json_text_or_null(json, STR("what"), item->what);
    write_remarks(json, arena, result, index);
    json_text_or_null(json, STR("why"), entry ? entry->why : (Str){0});
    json_texts(json, STR("see"), entry ? entry->sees : NULL,
               entry ? entry->see_count : 0);
    json_close(json, '}');
}

static void write_points(Json *json, const QuizResult *result) {
    if (result->key)
        json_number(json, STR("points"), result->points);
    else
        json_null(json, STR("points"));
    json_number(json, STR("max_points"), result->quiz->count);
}

void report_quiz_json(const QuizResult *result, Buf *out) {
    Arena arena = {0};
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/quiz/v1"));
    json_number(json, STR("quiz"), result->quiz->number);
    json_text(json, STR("title"), result->quiz->title);
    json_text_or_null(json, STR("file"), result->file);
    write_points(json, result);
    json_open_member(json, STR("questions"), '[');
    for (size_t i = 0; i < result->quiz->count; i++) {
        json_item(json);
        write_question(json, &arena, result, i);
    }
    json_close(json, ']');
    json_messages(json, result->messages, result->message_count);
    json_close(json, '}');
    buf_byte(out, '\n');
    arena_free(&arena);
}
