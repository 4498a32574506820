// SPDX-License-Identifier: Apache-2.0
// clclab explain: the pages that are compiled in, codes that do not exist, and
// how the small Markdown of docs/rules/ looks on a terminal.
// (grader/tools/check-rules runs the pages' kernels.)
#include "cli/rules.h"
#include "result/rule.h"
#include "tests/unit/cli_room.h"
#include "tests/unit/json_scan.h"

static const char *const CODES[] = {
#define CODE(id, related, retried, asks) #id,
    DEVICE_RULES(CODE)
#undef CODE
        "OUTPUT",
};

static Str shown(Room *room, const char *markdown, uint32_t width) {
    Buf out = {0};
    report_explain(str_from(markdown), (ReportStyle){.width = width}, &out);
    Str text = str_copy(&room->arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// ---- Markdown ------------------------------------------------------------

TEST(marks_disappear_and_words_stay) {
    Room room = {0};
    CHECK_STR(
        shown(&room, "# T: a `b` c\n\n**Source.** see [x](X.md), `y`.\n", 80),
        "T: a b c\n\nSource. see x, y.\n");
    CHECK_STR(shown(&room, "a `**b** [c](d)` [e] (f) [g]h [\n", 80),
              "a **b** [c](d) [e] (f) [g]h [\n");
    arena_free(&room.arena);
}

TEST(paragraphs_are_joined_and_wrapped) {
    Room room = {0};
    CHECK_STR(shown(&room,
                    "one two\nthree four five six seven eight nine\n\n"
                    "next\n",
                    40),
              "one two three four five six seven eight\nnine\n\nnext\n");
    arena_free(&room.arena);
}

TEST(items_hang) {
    Room room = {0};
    CHECK_STR(shown(&room,
                    "- one two three four five six seven eight nine\n"
                    "  and ten\n- eleven\n\n1. twelve\n2. thirteen\n",
                    40),
              "- one two three four five six seven\n"
              "  eight nine and ten\n- eleven\n\n1. twelve\n2. thirteen\n");
    arena_free(&room.arena);
}

TEST(code_is_left_as_it_is) {
    Room room = {0};
    CHECK_STR(
        shown(&room, "text\n\n```cuda\n# `a` **b**\n\n  - c\n```\nend", 80),
        "text\n\n    # `a` **b**\n\n      - c\nend\n");
    CHECK_STR(shown(&room, "```\nnot closed", 80), "    not closed\n");
    arena_free(&room.arena);
}

TEST(control_bytes_are_escaped) {
    Room room = {0};
    CHECK_STR(shown(&room, "# \x1b[2J\n\n\x1b]\n```\n\x1b\n```\n", 80),
              "\\x1b[2J\n\n\\x1b]\n    \\x1b\n");
    arena_free(&room.arena);
}

// ---- the command ---------------------------------------------------------

TEST(every_rule_has_its_page) {
    Room room;
    room_open(&room);
    CHECK_INT(rule_page_count, COUNT_OF(CODES));
    for (size_t i = 0; i < COUNT_OF(CODES); i++) {
        Str line = str_format(&room.arena, "explain %s", CODES[i]);
        call(&room, line.ptr);
        CHECK_INT(room.code, 0);
        Str title = str_format(&room.arena, "%s: ", CODES[i]);
        CHECK(str_starts(room.out, title));
        CHECK_HOLDS(room.out, "\nRight\n");
        while (room.out.len > 0)
            CHECK(str_cut(&room.out, '\n').len <= 80);
    }
    room_close(&room);
}

TEST(without_a_code_all_are_listed) {
    Room room;
    room_open(&room);
    call(&room, "explain");
    CHECK_INT(room.code, 0);
    for (size_t i = 0; i < COUNT_OF(CODES); i++)
        CHECK_HOLDS(room.out, CODES[i]);
    CHECK_HOLDS(room.out, "slot reuse is ordered by a proxy fence\n");
    room_close(&room);
}

TEST(small_letters_are_as_good) {
    Room room;
    room_open(&room);
    call(&room, "explain clc006");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "CLC006: ");
    room_close(&room);
}

TEST(unknown_codes_name_near_ones) {
    Room room;
    room_open(&room);
    call_fails(&room, "explain CLC12", CLI_USAGE,
               "there is no code \"CLC12\"; there are CLC001, CLC002");
    call_fails(&room, "explain sync", CLI_USAGE,
               "there are SYNC001, SYNC002, SYNC003, SYNC004");
    call_fails(&room, "explain deadlok", CLI_USAGE, "did you mean DEADLOCK?");
    call_fails(&room, "explain nothing-of-the-kind", CLI_USAGE,
               "clclab explain lists them");
    call_fails(&room, "explain 7", CLI_USAGE, "lists them\n");
    call_fails(&room, "explain exactly_once", CLI_USAGE,
               "a report names a check: the table in the lab's README");
    call_fails(&room, "explain CLC001 CLC002", CLI_USAGE, "unexpected");
    room_close(&room);
}

TEST(json_has_the_page) {
    Room room;
    room_open(&room);
    call(&room, "explain CLC006 --format json");
    CHECK_INT(room.code, 0);
    CHECK(is_json(room.out));
    CHECK_HOLDS(room.out, "\"schema\": \"clclab/rule/v1\"");
    CHECK_HOLDS(room.out,
                "\"asks\": \"slot reuse is ordered by a proxy fence\"");
    call(&room, "explain --format json");
    CHECK(is_json(room.out));
    CHECK_HOLDS(room.out, "\"code\": \"UNSUPPORTED\"");
    room_close(&room);
}

TEST_MAIN(TESTCASE(marks_disappear_and_words_stay),
          TESTCASE(paragraphs_are_joined_and_wrapped), TESTCASE(items_hang),
          TESTCASE(code_is_left_as_it_is), TESTCASE(control_bytes_are_escaped),
          TESTCASE(every_rule_has_its_page),
          TESTCASE(without_a_code_all_are_listed),
          TESTCASE(small_letters_are_as_good),
          TESTCASE(unknown_codes_name_near_ones), TESTCASE(json_has_the_page))
