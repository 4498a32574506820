// SPDX-License-Identifier: Apache-2.0
// Quizzes: the parsers of the three files, with the place of each message; the
// marks; what the reports show; and that no bytes make the parsers do harm.
#include "check/quiz.h"
#include "report/report.h"
#include "tests/unit/json_scan.h"
#include "tests/unit/test.h"

static const char QUIZ_TEXT[] = "# Quiz 4: A `title`\n"
                                "\n"
                                "An intro.\n"
                                "\n"
                                "## 1. One (choice)\n"
                                "\n"
                                "Which?\n"
                                "\n"
                                "- a) first\n"
                                "  and more\n"
                                "- b) **second**\n"
                                "- c) third\n"
                                "\n"
                                "## 2. Some (multiple choice)\n"
                                "\n"
                                "```cuda\n"
                                "# no heading\n"
                                "```\n"
                                "\n"
                                "- a) x\n"
                                "- b) y\n"
                                "- c) z\n"
                                "- d) w\n"
                                "\n"
                                "## 3. Order (order the lines)\n"
                                "\n"
                                "```cuda\n"
                                "1  one;\n"
                                "2\n"
                                "3  three;\n"
                                "```\n"
                                "\n"
                                "## 4. Find (it) (find the line)\n"
                                "\n"
                                "```cuda\n"
                                " 1  one;\n"
                                " 2      two;\n"
                                " 3  three;\n"
                                "```\n"
                                "\n"
                                "## 5. Five (choice)\n"
                                "\n"
                                "- a) x\n"
                                "- b) y\n"
                                "\n"
                                "## 6. Six (choice)\n"
                                "\n"
                                "- a) x\n"
                                "- b) y\n";

static const char KEY_TEXT[] = "# a key\n"
                               "1: b\n"
                               "  a) because a\n"
                               "    goes on\n"
                               "  c) because c\n"
                               "  why: so it is\n"
                               "  see: README.md#background\n"
                               "\n"
                               "2: c a\n"
                               "  a) A\n"
                               "  b) B\n"
                               "  c) C\n"
                               "  d) D\n"
                               "  why: w2\n"
                               "  see: s2\n"
                               "  see: s3\n"
                               "3: 3 1 2 | 1 3 2\n"
                               "  why: w3\n"
                               "  see: s\n"
                               "4: 2\n"
                               "  3) not three\n"
                               "  why: w4\n"
                               "  see: s\n"
                               "5: a\n"
                               "  b) B5\n"
                               "  why: w5\n"
                               "  see: s\n"
                               "6: b\n"
                               "  a) A6\n"
                               "  why: w6\n"
                               "  see: s\n";

// A parse of one of the three files; those before it are the right ones.
typedef struct Parsed {
    Arena arena;
    Quiz quiz;
    QuizKey key;
    QuizAnswers answers;
    Diags diags;
    bool ok;
} Parsed;

static Parsed *parse_quiz(Str text) {
    Parsed *p = heap_alloc(sizeof *p, 1);
    p->diags = diags_new(&p->arena);
    p->ok = quiz_parse(&p->arena, STR("quiz.md"), text, &p->quiz, &p->diags);
    return p;
}

static void end(Parsed *p) {
    arena_free(&p->arena);
    heap_free(p);
}

static Parsed *parse_key(Str text) {
    Parsed *p = parse_quiz(str_from(QUIZ_TEXT));
    CHECK(p->ok);
    p->ok = quiz_parse_key(&p->arena, STR("quiz.txt"), text, &p->quiz, &p->key,
                           &p->diags);
    return p;
}

static Parsed *parse_answers(Str text) {
    Parsed *p = parse_key(str_from(KEY_TEXT));
    CHECK(p->ok);
    p->ok = quiz_parse_answers(&p->arena, STR("mine.txt"), text, &p->quiz,
                               &p->answers, &p->diags);
    return p;
}

// `text` with the first `from` replaced by `to`.
static Str edited(Arena *arena, const char *text, const char *from,
                  const char *to) {
    const char *hit = strstr(text, from);
    if (!CHECK(hit != NULL))
        return str_from(text);
    return str_format(arena, "%.*s%s%s", (int)(hit - text), text, to,
                      hit + strlen(from));
}

// The first message stands at line:col and says `what`.
static void gives(Parsed *p, uint32_t line, uint32_t col, const char *what) {
    CHECK(!p->ok);
    if (CHECK(p->diags.count > 0)) {
        const Diag *diag = &p->diags.items[0];
        CHECK_HOLDS(diag->what, what);
        CHECK(diag->help.len > 0);
        CHECK_STR(diag->code, "QUIZ");
        CHECK_INT(diag->at.line, line);
        CHECK_INT(diag->at.col, col);
    }
    end(p);
}

static void quiz_gives(const char *from, const char *to, uint32_t line,
                       uint32_t col, const char *what) {
    Arena arena = {0};
    gives(parse_quiz(edited(&arena, QUIZ_TEXT, from, to)), line, col, what);
    arena_free(&arena);
}

static void key_gives(const char *from, const char *to, uint32_t line,
                      uint32_t col, const char *what) {
    Arena arena = {0};
    gives(parse_key(edited(&arena, KEY_TEXT, from, to)), line, col, what);
    arena_free(&arena);
}

// ---- quiz.md -------------------------------------------------------------

TEST(reads_questions) {
    Parsed *p = parse_quiz(str_from(QUIZ_TEXT));
    const Quiz *quiz = &p->quiz;
    CHECK(p->ok);
    CHECK_INT(quiz->number, 4);
    CHECK_STR(quiz->title, "A `title`");
    CHECK_STR(quiz->intro, "An intro.");
    CHECK_INT(quiz->count, 6);
    CHECK_STR(quiz->questions[0].title, "One");
    CHECK_INT(quiz->questions[0].kind, QUIZ_CHOICE);
    CHECK_INT(quiz->questions[0].option_count, 3);
    CHECK_STR(quiz->questions[0].options[0], "first and more");
    CHECK_HOLDS(quiz->questions[0].body, "Which?");
    CHECK_INT(quiz->questions[1].kind, QUIZ_MULTIPLE);
    CHECK_INT(quiz->questions[1].option_count, 4);
    CHECK_INT(quiz->questions[2].kind, QUIZ_ORDER);
    CHECK_STR(quiz->questions[2].options[1], "");
    CHECK_STR(quiz->questions[3].title, "Find (it)");
    CHECK_STR(quiz->questions[3].options[1], "    two;");
    end(p);
}

TEST(quiz_has_a_title_with_a_number) {
    quiz_gives("# Quiz 4: A `title`", "Quiz 4", 1, 1, "no title");
    quiz_gives("# Quiz 4:", "# Quiz four:", 1, 1, "no number");
    quiz_gives("An intro.", "# Quiz 5: again", 3, 1, "no place");
    quiz_gives("An intro.", "### deeper", 3, 1, "no place");
}

TEST(questions_are_numbered_and_of_a_kind) {
    quiz_gives("## 2. Some", "## 3. Some", 14, 1, "question 2");
    quiz_gives("## 2. Some", "## Some", 14, 1, "question 2");
    quiz_gives("(choice)", "(guess)", 5, 12, "no kind \"guess\"");
    quiz_gives("One (choice)", "One", 5, 1, "no kind \"\"");
    quiz_gives("One (choice)", "(choice)", 5, 1, "no title");
}

TEST(options_have_their_letters) {
    quiz_gives("- b) y\n- c) z", "- c) z\n- c) z", 21, 3, "option b)");
    quiz_gives("- a) x", "- a)", 20, 3, "option a)");
    quiz_gives("1  one;", "- a) one;", 28, 1, "line 1");
    quiz_gives("## 3. Order (order the lines)\n",
               "## 3. Order (order the lines)\n- a) x\n", 26, 1,
               "no question of choice");
    quiz_gives("- a) x\n- b) y\n\n## 6.", "- a) x\n\n## 6.", 41, 1,
               "has 1 options");
    quiz_gives("- c) third", "- c) third\nmore", 13, 1, "Nothing may follow");
    quiz_gives("- d) w", "- d) w\n- e) v\n- f) u\n- g) t\n- h) s\n- i) r", 28,
               1, "takes 8 at most");
}

TEST(code_has_its_numbers) {
    quiz_gives("2\n", "2 x\n", 29, 1, "line 2");
    quiz_gives(" 3  three;", " 4  three;", 38, 1, "line 3");
    quiz_gives("3  three;\n```", "```", 25, 1, "has 2 numbered lines");
    quiz_gives("3  three;\n```", "3  three;\n```\n```\n1  x", 32, 1,
               "second block");
}

TEST(quiz_has_six_to_ten_questions) {
    quiz_gives("## 6. Six (choice)", "and six", 46, 1, "Nothing may follow");
    Arena arena = {0};
    Buf text = {0};
    buf_str(&text, str_from(QUIZ_TEXT));
    for (int i = 7; i <= 10; i++)
        buf_printf(&text, "## %d. T (choice)\n- a) x\n- b) y\n", i);
    Parsed *p = parse_quiz(buf_view(&text));
    CHECK(p->ok);
    CHECK_INT(p->quiz.count, 10);
    end(p);
    buf_str(&text, STR("## 11. T (choice)\n- a) x\n- b) y\n"));
    gives(parse_quiz(buf_view(&text)), 62, 1, "one too many");
    Str head = str_from(QUIZ_TEXT);
    const char *six = strstr(QUIZ_TEXT, "## 6");
    gives(parse_quiz(str_slice(head, 0, (size_t)(six - QUIZ_TEXT))), 45, 1,
          "There are 5 questions");
    buf_free(&text);
    arena_free(&arena);
}

TEST(code_is_closed) {
    Str text = str_from(QUIZ_TEXT);
    const char *end = strstr(QUIZ_TEXT, "3  three;");
    gives(parse_quiz(str_slice(text, 0, (size_t)(end - QUIZ_TEXT))), 25, 1,
          "numbered lines");
}

// ---- the key -------------------------------------------------------------

TEST(reads_the_key) {
    Parsed *p = parse_key(str_from(KEY_TEXT));
    CHECK(p->ok);
    const QuizEntry *entry = &p->key.entries[0];
    CHECK_INT(entry->way_count, 1);
    CHECK_INT(entry->ways[0].items[0], 2);
    CHECK_STR(entry->remarks[0], "because a goes on");
    CHECK_STR(entry->remarks[1], "");
    CHECK_STR(entry->why, "so it is");
    CHECK_STR(entry->sees[0], "README.md#background");
    entry = &p->key.entries[1];
    CHECK_INT(entry->ways[0].count, 2);
    CHECK_INT(entry->ways[0].items[0], 1); // ascending
    CHECK_INT(entry->see_count, 2);
    CHECK_INT(p->key.entries[2].way_count, 2);
    CHECK_STR(p->key.entries[3].remarks[2], "not three");
    end(p);
}

TEST(each_question_has_one_whole_entry) {
    key_gives("6: b\n  a) A6\n  why: w6\n  see: s\n", "", 27, 1,
              "Question 6 has no entry");
    key_gives("  why: w5\n", "", 24, 1, "Question 5 has no why:");
    key_gives("w5\n  see: s\n", "w5\n", 24, 1, "Question 5 has no see:");
    key_gives("  c) because c\n", "", 2, 1, "no explanation of option c");
    key_gives("  a) A\n", "", 9, 1, "no explanation of option a");
    key_gives("5: a", "4: 2", 24, 1, "answered in line 20 already");
    key_gives("5: a", "7: a", 24, 1, "no answer to a question");
}

TEST(key_has_its_form) {
    key_gives("1: b", "1: d", 2, 4, "no option \"d\"");
    key_gives("1: b", "1:", 2, 1, "no answer behind the colon");
    key_gives("3: 3 1 2", "3: 3 1", 17, 4, "takes 3, not 2");
    key_gives("  why: w4", "  why:", 22, 3, "no text");
    key_gives("  why: w4", "  why: w4\n  why: again", 23, 3, "twice");
    key_gives("  why: w4", "  wy: w4", 22, 3, "no option of question 4");
    key_gives("  3) not", "  4) not", 21, 3, "no option of question 4");
    key_gives("4: 2\n", "4: 2\n     hanging\n", 21, 6, "continues");
    key_gives("4: 2", "4: 2 | 1 | 3 | 2 | 1", 20, 19, "one too many");
}

// ---- answers -------------------------------------------------------------

TEST(reads_answers) {
    Parsed *p = parse_answers(STR("# mine\r\n 1 : b\n"));
    CHECK(!p->ok); // "1 :"
    end(p);
    p = parse_answers(STR("1: B # yes\r\n2:c, a\n\n3:\n4: 02"));
    CHECK(p->ok);
    CHECK_INT(p->answers.items[0].picks.items[0], 2);
    CHECK_INT(p->answers.items[0].at.line, 1);
    CHECK_INT(p->answers.items[0].at.col, 4);
    CHECK_INT(p->answers.items[1].picks.count, 2);
    CHECK_INT(p->answers.items[1].picks.items[0], 1);
    CHECK_INT(p->answers.items[2].picks.count, 0);
    CHECK(!p->answers.items[2].unreadable);
    CHECK_INT(p->answers.items[3].picks.items[0], 2);
    CHECK_INT(p->answers.items[4].at.line, 0);
    end(p);
}

TEST(letters_may_stand_side_by_side) {
    Parsed *p = parse_answers(STR("2: dAc # all but one\n"));
    CHECK(p->ok);
    CHECK_INT(p->answers.items[1].at.col, 4);
    CHECK_INT(p->answers.items[1].picks.count, 3);
    for (size_t i = 0; i < 3; i++)
        CHECK_INT(p->answers.items[1].picks.items[i], i == 0 ? 1 : i + 2);
    end(p);
    p = parse_answers(STR("2: ca,b d\n"));
    CHECK(p->ok);
    CHECK_INT(p->answers.items[1].picks.count, 4);
    end(p);
}

static void answers_give(const char *text, uint32_t line, uint32_t col,
                         const char *what) {
    gives(parse_answers(str_from(text)), line, col, what);
}

TEST(wrong_answers_have_a_place) {
    answers_give("x", 1, 1, "no answer to a question");
    answers_give("1: a\n  7: a", 2, 3, "no answer to a question");
    answers_give("0: a", 1, 1, "no answer to a question");
    answers_give("1: ab", 1, 4, "takes 1, not 2");
    answers_give("1: abx", 1, 4, "no option \"abx\"");
    answers_give("2: a dbe", 1, 6, "no option \"dbe\"");
    answers_give("2: adda", 1, 6, "\"d\" is there twice");
    answers_give("3: 132", 1, 4, "no line \"132\"");
    answers_give("1: d", 1, 4, "no option \"d\"");
    answers_give("1: a b", 1, 4, "takes 1, not 2");
    answers_give("2: a a", 1, 6, "twice");
    answers_give("2: a\n2: b", 2, 1, "answered in line 1");
    answers_give("3: 1 2", 1, 4, "takes 3, not 2");
    answers_give("3: 1 2 4", 1, 8, "no line \"4\"");
    answers_give("4: 99999999999999999999", 1, 4, "no line");
    answers_give("4: 0", 1, 4, "no line \"0\"");
    answers_give("4: -1", 1, 4, "no line");
}

TEST(a_question_takes_no_more_picks_than_there_is_room_for) {
    Arena arena = {0};
    Parsed *p = parse_quiz(
        edited(&arena, QUIZ_TEXT, " 3  three;\n```",
               " 3  3\n 4  4\n 5  5\n 6  6\n 7  7\n 8  8\n 9  9\n10  10\n"
               "11  11\n12  12\n13  13\n```"));
    CHECK(p->ok);
    p->ok = quiz_parse_answers(&p->arena, STR("mine.txt"),
                               STR("4: 1 2 3 4 5 6 7 8 9 10 11 12 13\n"),
                               &p->quiz, &p->answers, &p->diags);
    CHECK_INT(p->answers.items[3].picks.count, 0);
    gives(p, 1, 31, "\"13\" is one too many");
    arena_free(&arena);
}

// ---- marks ---------------------------------------------------------------

static QuizResult *graded(Parsed *p, bool with_key) {
    QuizResult *result = arena_new(&p->arena, QuizResult, 1);
    quiz_grade(&p->arena, &p->quiz, with_key ? &p->key : NULL, &p->answers,
               result);
    result->file = STR("mine.txt");
    result->messages = p->diags.items;
    result->message_count = p->diags.count;
    return result;
}

TEST(right_answers_get_points) {
    Parsed *p =
        parse_answers(STR("1: b\n2: a c\n3: 1 3 2\n4: 2\n5: a\n6: b\n"));
    QuizResult *result = graded(p, true);
    CHECK_INT(result->points, 6);
    for (size_t i = 0; i < 6; i++)
        CHECK_INT(result->items[i].mark, QUIZ_RIGHT);
    end(p);
}

TEST(wrong_answers_say_what_is_wrong) {
    Parsed *p = parse_answers(STR("1: c\n2: a b d\n3: 3 2 1\n4: 3\n5: z\n"));
    QuizResult *result = graded(p, true);
    CHECK_INT(result->points, 0);
    CHECK_STR(result->items[0].what, "c is not right.");
    CHECK_STR(result->items[1].what, "b and d are not right, and c is "
                                     "missing.");
    CHECK_INT(result->items[1].option_count, 3);
    CHECK_STR(result->items[2].what, "line 2 does not come next after 3.");
    CHECK_STR(result->items[3].what, "line 3 is not the one.");
    CHECK_INT(result->items[4].mark, QUIZ_UNREADABLE);
    CHECK_INT(result->items[5].mark, QUIZ_OPEN);
    end(p);
}

// What is said of these picks where a and c are right.
static void check_multiple(const char *picks, const char *what,
                           size_t options) {
    Arena arena = {0};
    Parsed *p = parse_answers(str_format(&arena, "2: %s\n", picks));
    QuizResult *result = graded(p, true);
    CHECK_STR(result->items[1].what, what);
    CHECK_INT(result->items[1].option_count, options);
    end(p);
    arena_free(&arena);
}

TEST(options_that_are_wrong_or_missing_are_counted_in_words) {
    check_multiple("a c d", "d is not right.", 1);
    check_multiple("a b c d", "b and d are not right.", 2);
    check_multiple("a", "c is missing.", 1);
    check_multiple("b", "b is not right, and a and c are missing.", 3);
    check_multiple("b a", "b is not right, and c is missing.", 2);
}

TEST(an_order_that_begins_wrong_is_told_from_one_that_goes_on_wrong) {
    static const char *const orders[][2] = {
        {"3: 2 1 3", "line 2 does not come first."},
        {"3: 1 2 3", "line 2 does not come next after 1."}};
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        Parsed *p = parse_answers(str_from(orders[i][0]));
        QuizResult *result = graded(p, true);
        CHECK_STR(result->items[2].what, orders[i][1]);
        end(p);
    }
}

TEST(without_a_key_nothing_is_graded) {
    Parsed *p = parse_answers(STR("1: c\n"));
    QuizResult *result = graded(p, false);
    CHECK_INT(result->points, 0);
    CHECK_INT(result->items[0].mark, QUIZ_UNGRADED);
    CHECK_INT(result->items[1].mark, QUIZ_OPEN);
    end(p);
}

// ---- reports -------------------------------------------------------------

static Str text_of(Parsed *p, const QuizResult *result, Str source) {
    Buf out = {0};
    report_quiz_text(result, source, (ReportStyle){.width = 80}, &out);
    Str text = str_copy(&p->arena, buf_view(&out));
    buf_free(&out);
    return text;
}

TEST(the_report_explains_a_wrong_answer) {
    Str source = STR("1: c\n2: a\n4: 2\n");
    Parsed *p = parse_answers(source);
    Str text = text_of(p, graded(p, true), source);
    CHECK_HOLDS(text, "Quiz 4: A title\nmine.txt\n");
    CHECK_HOLDS(text, "  WRONG   1  One\n");
    CHECK_HOLDS(text, "  RIGHT   4  Find (it)\n");
    CHECK_HOLDS(text, "  OPEN    6  Six\n");
    CHECK_HOLDS(text, "mine.txt:1:4: wrong: 1. One: c is not right.\n"
                      "     1 | 1: c\n"
                      "       |    ^\n"
                      "  c)        third\n"
                      "  but       because c\n"
                      "  why       so it is\n"
                      "  see       README.md#background\n");
    CHECK_HOLDS(text, "  c)        z\n  indeed    C\n");
    CHECK_HOLDS(text, "Points: 1/6\n");
    CHECK_LACKS(text, "w4"); // of a right answer nothing is said
    end(p);
}

TEST(bytes_of_a_learner_are_escaped) {
    Str source = STR("1: \x1b[31m\n");
    Parsed *p = parse_answers(source);
    Str text = text_of(p, graded(p, true), source);
    CHECK_LACKS(text, "\x1b");
    CHECK_HOLDS(text, "mine.txt:1:4: error: There is no option");
    end(p);
}

TEST(json_has_every_question) {
    Parsed *p = parse_answers(STR("1: c\n4: 2\n6: q\"\n"));
    Buf out = {0};
    report_quiz_json(graded(p, true), &out);
    Str text = buf_view(&out);
    CHECK(is_json(text));
    CHECK_HOLDS(text, "\"schema\": \"clclab/quiz/v1\"");
    CHECK_HOLDS(text, "\"points\": 1,");
    CHECK_HOLDS(text, "\"mark\": \"wrong\",\n      \"answer\": \"c\"");
    CHECK_HOLDS(text, "\"mark\": \"unreadable\"");
    buf_free(&out);
    report_quiz_json(graded(p, false), &out);
    CHECK(is_json(buf_view(&out)));
    CHECK_HOLDS(buf_view(&out), "\"points\": null,");
    buf_free(&out);
    end(p);
}

TEST(qti_has_the_right_answers) {
    Parsed *p = parse_answers(STR(""));
    Buf out = {0};
    report_quiz_qti(graded(p, true), &out);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, "<item ident=\"clclab04_01\" title=\"One\">");
    CHECK_HOLDS(text, ">multiple_choice_question<");
    CHECK_HOLDS(text, ">multiple_answers_question<");
    CHECK_HOLDS(text, ">numerical_question<");
    CHECK_HOLDS(text, ">short_answer_question<");
    CHECK_HOLDS(text, "&lt;p&gt;first and more&lt;/p&gt;");
    buf_free(&out);
    end(p);
}

TEST(the_template_is_a_file_of_answers) {
    Parsed *p = parse_quiz(str_from(QUIZ_TEXT));
    Buf out = {0};
    report_quiz_template(&p->quiz, STR("a # b/quiz.md"), STR("make quiz LAB=4"),
                         &out);
    CHECK(quiz_parse_answers(&p->arena, STR("t"), buf_view(&out), &p->quiz,
                             &p->answers, &p->diags));
    for (size_t i = 0; i < p->quiz.count; i++) {
        CHECK_INT(p->answers.items[i].picks.count, 0);
        CHECK(p->answers.items[i].at.line > 0);
    }
    CHECK_HOLDS(buf_view(&out), "# Find (it): the number of one line\n4:\n");
    buf_free(&out);
    end(p);
}

TEST(the_questions_are_printed_whole) {
    Parsed *p = parse_quiz(str_from(QUIZ_TEXT));
    Buf out = {0};
    report_quiz_questions(&p->quiz, (ReportStyle){.width = 80}, &out);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, "Quiz 4: A title\n\nAn intro.\n\n1. One (choice)\n");
    CHECK_HOLDS(text, "- a) first and more\n- b) second\n");
    CHECK_HOLDS(text, "     2      two;\n");
    buf_free(&out);
    end(p);
}

// ---- any bytes -----------------------------------------------------------

// One random edit: a byte changed, a piece cut out, doubled or moved.
static void mutate(Rng *rng, char *text, size_t *len, size_t most) {
    static const char bytes[] = "0123456789abc):|-#`\n \t\r\0\x1b\xff";
    size_t at = (size_t)rng_below(rng, *len + 1);
    size_t size = (size_t)rng_below(rng, 24) + 1;
    switch (rng_below(rng, 3)) {
    case 0:
        if (at < *len)
            text[at] = bytes[rng_below(rng, sizeof bytes - 1)];
        return;
    case 1:
        size = size < *len - at ? size : *len - at;
        memmove(text + at, text + at + size, *len - at - size);
        *len -= size;
        return;
    default:
        size = size < *len - at ? size : *len - at;
        if (*len + size > most)
            return;
        memmove(text + at + size, text + at, *len - at);
        *len += size;
    }
}

static Str mutated(Arena *arena, Rng *rng, const char *text) {
    size_t most = 2 * strlen(text) + 64, len = strlen(text);
    char *copy = arena_new(arena, char, most);
    memcpy(copy, text, len);
    for (uint64_t edits = rng_below(rng, 8) + 1; edits > 0; edits--)
        mutate(rng, copy, &len, most);
    return (Str){copy, len};
}

// A false has messages, each with a place in the text; a true has none.
static void is_sound(const Parsed *p, Str text) {
    size_t lines = 1;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    CHECK(p->ok == (p->diags.errors == 0));
    for (size_t i = 0; i < p->diags.count; i++) {
        CHECK(p->diags.items[i].at.line >= 1);
        CHECK(p->diags.items[i].at.line <= lines);
        CHECK(p->diags.items[i].at.col >= 1);
        CHECK(p->diags.items[i].help.len > 0);
    }
}

TEST(mutated_files_are_read_or_refused) {
    static const char answers[] = "1: b\n2: a, c # x\n3: 1 3 2\n4: 2\n5: a\n";
    Arena arena = {0};
    Rng rng = rng_stream(7, 0);
    size_t read = 0;
    for (int round = 0; round < 600; round++) {
        Str text = mutated(&arena, &rng, QUIZ_TEXT);
        Parsed *p = parse_quiz(text);
        is_sound(p, text);
        read += p->ok;
        end(p);
        text = mutated(&arena, &rng, KEY_TEXT);
        p = parse_key(text);
        is_sound(p, text);
        end(p);
        text = mutated(&arena, &rng, answers);
        p = parse_answers(text);
        is_sound(p, text);
        text_of(p, graded(p, true), text);
        end(p);
        arena_free(&arena);
    }
    CHECK(read > 20 && read < 580); // the edits hit, and are not all fatal
}

TEST_MAIN(
    TESTCASE(reads_questions), TESTCASE(quiz_has_a_title_with_a_number),
    TESTCASE(questions_are_numbered_and_of_a_kind),
    TESTCASE(options_have_their_letters), TESTCASE(code_has_its_numbers),
    TESTCASE(quiz_has_six_to_ten_questions), TESTCASE(code_is_closed),
    TESTCASE(reads_the_key), TESTCASE(each_question_has_one_whole_entry),
    TESTCASE(key_has_its_form), TESTCASE(reads_answers),
    TESTCASE(letters_may_stand_side_by_side),
    TESTCASE(wrong_answers_have_a_place),
    TESTCASE(a_question_takes_no_more_picks_than_there_is_room_for),
    TESTCASE(right_answers_get_points),
    TESTCASE(wrong_answers_say_what_is_wrong),
    TESTCASE(options_that_are_wrong_or_missing_are_counted_in_words),
    TESTCASE(an_order_that_begins_wrong_is_told_from_one_that_goes_on_wrong),
    TESTCASE(without_a_key_nothing_is_graded),
    TESTCASE(the_report_explains_a_wrong_answer),
    TESTCASE(bytes_of_a_learner_are_escaped), TESTCASE(json_has_every_question),
    TESTCASE(qti_has_the_right_answers),
    TESTCASE(the_template_is_a_file_of_answers),
    TESTCASE(the_questions_are_printed_whole),
    TESTCASE(mutated_files_are_read_or_refused))
