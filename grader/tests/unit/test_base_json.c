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

// The table of RFC 3629 at the ends of its rows: a length of 0 is none.
TEST(utf8_is_decoded_at_the_ends_of_its_table) {
    static const struct {
        const char *text;
        size_t len;
        uint32_t code;
    } rows[] = {{"\x7f", 1, 0x7f},
                {"\x80", 0, 0},
                {"\xc1\xbf", 0, 0},
                {"\xc2\x80", 2, 0x80},
                {"\xc2", 0, 0},
                {"\xc2\xc0", 0, 0},
                {"\xdf\xbf", 2, 0x7ff},
                {"\xe0\x9f\xbf", 0, 0},
                {"\xe0\xa0\x80", 3, 0x800},
                {"\xe0\xa0", 0, 0},
                {"\xe0\xa0(", 0, 0},
                {"\xed\x9f\xbf", 3, 0xd7ff},
                {"\xed\xa0\x80", 0, 0},
                {"\xed\xbf\xbf", 0, 0},
                {"\xee\x80\x80", 3, 0xe000},
                {"\xef\xbf\xbf", 3, 0xffff},
                {"\xf0\x8f\xbf\xbf", 0, 0},
                {"\xf0\x90\x80\x80", 4, 0x10000},
                {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
                {"\xf4\x90\x80\x80", 0, 0},
                {"\xf5\x80\x80\x80", 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t code = 0;
        size_t len = utf8_decode(str_from(rows[i].text), &code);
        if (!CHECK_U64(len, rows[i].len) ||
            !CHECK_U64(len ? code : 0, rows[i].code))
            printf("# of row %zu\n", i);
    }
}

// What a terminal would act on, and its neighbours, which it does not.
TEST(characters_that_a_terminal_acts_on_are_not_printable) {
    static const struct {
        uint32_t code;
        bool printable;
    } rows[] = {
        {0x1f, false},   {0x20, true},    {0x7e, true},    {0x7f, false},
        {0x9f, false},   {0xa0, true},    {0x61b, true},   {0x61c, false},
        {0x61d, true},   {0x200d, true},  {0x200e, false}, {0x200f, false},
        {0x2010, true},  {0x2027, true},  {0x2028, false}, {0x2029, false},
        {0x202a, false}, {0x202e, false}, {0x202f, true},  {0x2065, true},
        {0x2066, false}, {0x2069, false}, {0x206a, true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!CHECK(utf8_is_printable(rows[i].code) == rows[i].printable))
            printf("# of U+%04x\n", rows[i].code);
}

TEST_MAIN(TESTCASE(utf8_is_decoded_at_the_ends_of_its_table),
          TESTCASE(characters_that_a_terminal_acts_on_are_not_printable),
          TESTCASE(a_document_is_indented_by_its_depth),
          TESTCASE(a_text_of_json_is_harmless_and_valid),
          TESTCASE(what_is_found_is_a_text_or_a_number_or_nothing),
          TESTCASE(a_clock_goes_forward),
          TESTCASE(points_are_whole_or_have_three_decimals),
          TESTCASE(escape_keeps_text_and_shows_bytes))
