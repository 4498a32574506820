// SPDX-License-Identifier: Apache-2.0
// JSON as it is written, values that are looked up, and bytes made harmless.
#include "base/base.h"
#include "tests/unit/test.h"

TEST(a_document_is_indented_by_its_depth) {
    Buf out = {0};
    Json json = {.out = &out};
    Str texts[] = {STR("a"), STR("b\n\"\\")};
    json_open(&json, '{');
    json_text(&json, STR("text"), STR("x"));
    json_text_or_null(&json, STR("none"), (Str){0});
    json_truth(&json, STR("right"), true);
    json_number(&json, STR("most"), UINT64_MAX);
    json_number_or_null(&json, STR("zero"), 0);
    json_decimal(&json, STR("points"), 2.5);
    json_texts(&json, STR("texts"), texts, 2);
    json_open_member(&json, STR("empty"), '[');
    json_close(&json, ']');
    json_open_member(&json, STR("list"), '[');
    json_item(&json);
    json_open(&json, '{');
    json_null(&json, STR("v"));
    json_close(&json, '}');
    json_close(&json, ']');
    json_close(&json, '}');
    CHECK_STR(buf_view(&out), "{\n"
                              "  \"text\": \"x\",\n"
                              "  \"none\": null,\n"
                              "  \"right\": true,\n"
                              "  \"most\": 18446744073709551615,\n"
                              "  \"zero\": null,\n"
                              "  \"points\": 2.500,\n"
                              "  \"texts\": [\n"
                              "    \"a\",\n"
                              "    \"b\\n\\\"\\\\\"\n"
                              "  ],\n"
                              "  \"empty\": [],\n"
                              "  \"list\": [\n"
                              "    {\n"
                              "      \"v\": null\n"
                              "    }\n"
                              "  ]\n"
                              "}");
    buf_free(&out);
}

TEST(a_text_of_json_is_harmless_and_valid) {
    Buf out = {0};
    Json json = {.out = &out};
    json_string(&json, STR("\t\x1b\xe2\x80\xae\x80\xc3\xa9"));
    CHECK_STR(buf_view(&out), "\"\\t\\u001b\\u202e\xef\xbf\xbd\xc3\xa9\"");
    buf_free(&out);
}

TEST(what_is_found_is_a_text_or_a_number_or_nothing) {
    Arena arena = {0};
    Str json = STR("{\"a\": {\"t\": \"x\\u00e9\", \"n\": 7}, \"m\": -1}");
    uint64_t number = 3;
    CHECK_STR(json_find_text(&arena, json, "a.t"), "x\xc3\xa9");
    CHECK_STR(json_find_text(&arena, json, "a.n"), "");
    CHECK_STR(json_find_text(&arena, json, "b"), "");
    CHECK(json_find_number(&arena, json, "a.n", &number) && number == 7);
    CHECK(!json_find_number(&arena, json, "m", &number));
    CHECK(!json_find_number(&arena, json, "a.t", &number));
    CHECK(!json_find_number(&arena, json, "b", &number));
    arena_free(&arena);
}

TEST(a_clock_goes_forward) {
    double before = clock_ms();
    CHECK(before > 0 && clock_ms() >= before);
}

TEST(points_are_whole_or_have_three_decimals) {
    char text[DECIMAL_TEXT];
    CHECK_STR(decimal_text(text, 0), "0");
    CHECK_STR(decimal_text(text, -3), "0");
    CHECK_STR(decimal_text(text, 100), "100");
    CHECK_STR(decimal_text(text, 2.5), "2.500");
    CHECK_STR(decimal_text(text, 0.0006), "0.001");
}

TEST(escape_keeps_text_and_shows_bytes) {
    Buf out = {0};
    utf8_escape(STR("plain \xc3\xa9 \t \x80 \xe2\x80\xae"), &out);
    CHECK_STR(buf_view(&out), "plain \xc3\xa9 \\t \\x80 \\u{202e}");
    buf_free(&out);
}

TEST_MAIN(TESTCASE(a_document_is_indented_by_its_depth),
          TESTCASE(a_text_of_json_is_harmless_and_valid),
          TESTCASE(what_is_found_is_a_text_or_a_number_or_nothing),
          TESTCASE(a_clock_goes_forward),
          TESTCASE(points_are_whole_or_have_three_decimals),
          TESTCASE(escape_keeps_text_and_shows_bytes))
