// SPDX-License-Identifier: Apache-2.0
// clclab run: arguments that are structures, come from .npy files, or from a
// JSON file.
#include "tests/unit/run_room.h"

TEST(structures_are_laid_out_as_in_c) {
    static const struct {
        const char *spec;
        uint64_t size;
        const char *bytes; // in hexadecimal
    } right[] = {
        {"struct:{i8:1,i32:2}", 8, "0100000002000000"},
        {"struct:{i32:2,i8:1}", 8, "0200000001000000"},
        {"struct:{u8:1,struct:{u16:2,u8:3},u8:4}", 8, "0100020003000400"},
        {"[u16:1,2,3]", 6, "010002000300"},
        {"[f16:1,-2]", 4, "003c00c0"},
        {"[bf16:1,0.1]", 4, "803fcd3d"},
        {"struct:{i8:-1,i64:1}", 16, "ff000000000000000100000000000000"},
        {"struct:{bytes:abcd,[i32:7]}", 8, "abcd000007000000"},
        {"struct:{ i8:1 , f32:1 }", 8, "010000000000803f"},
    };
    Room room;
    room_open(&room);
    for (size_t i = 0; i < COUNT_OF(right); i++) {
        Arena arena = {0};
        RunArguments all = {0};
        CHECK(!run_parse_spec(&arena, right[i].spec, NULL, &all));
        const LaunchArgument *launch = &all.items[0].launch;
        char hex[64] = "";
        for (size_t k = 0; k < launch->size && k < 31; k++)
            snprintf(hex + 2 * k, 3, "%02x", launch->bytes[k]);
        CHECK_INT(launch->size, right[i].size);
        if (!CHECK(strcmp(hex, right[i].bytes) == 0))
            printf("# of: %s: %s\n", right[i].spec, hex);
        arena_free(&arena);
    }
    room_close(&room);
}

TEST(pointers_in_structures_are_buffers_of_their_own) {
    Arena arena = {0};
    RunArguments all = {0};
    CHECK(!run_parse_spec(&arena, "i32:1", NULL, &all));
    CHECK(!run_parse_spec(&arena,
                          "struct:{i8:1,buf:[buf:8:same,buf:4:poison],fn:f}",
                          NULL, &all));
    run_join_arguments(&arena, &all);
    CHECK_INT(all.given, 2);
    CHECK_INT(all.count, 5);
    const LaunchArgument *outer = &all.items[1].launch;
    CHECK_INT(outer->size, 24);
    CHECK_INT(outer->part_count, 2);
    CHECK_INT(outer->parts[0].at, 8);
    CHECK_INT(outer->parts[1].at, 16);
    CHECK(str_equal(outer->parts[1].function, STR("f")));
    const LaunchArgument *list = &all.items[outer->parts[0].argument].launch;
    CHECK(list->is_buffer && list->size == 16 && list->part_count == 2);
    CHECK(str_equal(list->name, STR("1.1")));
    const LaunchArgument *last = &all.items[list->parts[1].argument].launch;
    CHECK_INT(last->fill, FILL_POISON);
    CHECK(str_equal(last->name, STR("1.1.1")));
    arena_free(&arena);
}

// ---- .npy ----------------------------------------------------------------

#define HEADER(type, order, shape) \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }"

static Str npy_text(Arena *arena, const char *header, Str data) {
    Buf out = {0};
    buf_bytes(&out, "\x93NUMPY\x01\x00", 8);
    size_t length = strlen(header) + 1;
    buf_byte(&out, (char)length);
    buf_byte(&out, (char)(length >> 8));
    buf_str(&out, str_from(header));
    buf_byte(&out, '\n');
    buf_str(&out, data);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

TEST(npy_files_are_read_and_written) {
    Arena arena = {0};
    NpyForm form;
    Str data, why;
    Str text = npy_text(&arena, HEADER("<f8", "False", "(2, 1)"),
                        STR("0123456789abcdef"));
    CHECK(npy_read(&arena, text, &form, &data, &why));
    CHECK_INT(data.len, 16);
    CHECK_INT(form.element, ELEMENT_F64);
    CHECK_INT(form.size, 8);
    Buf out = {0};
    npy_write(&out, &form, data);
    CHECK_INT(out.len, 128 + 16);
    CHECK(npy_read(&arena, buf_view(&out), &form, &data, &why));
    CHECK(str_equal(form.shape, STR("(2, 1)")));
    CHECK(str_equal(data, STR("0123456789abcdef")));
    buf_free(&out);
    CHECK(npy_form(&arena, ELEMENT_F16, 6, &form));
    CHECK(str_equal(form.type, STR("'<f2'")));
    CHECK(str_equal(form.shape, STR("(3,)")));
    CHECK(!npy_form(&arena, ELEMENT_F32, 6, &form));
    CHECK(!npy_form(&arena, ELEMENT_BF16, 6, &form));
    arena_free(&arena);
}

TEST(npy_files_that_cannot_be_read) {
    static const struct {
        const char *header, *why;
    } wrong[] = {
        {HEADER(">f4", "False", "(1,)"), "big-endian"},
        {HEADER("|O", "False", "(1,)"), "Python objects"},
        {HEADER("<f4", "True", "(1, 1)"), "Fortran"},
        {HEADER("<f4", "False", "(2,)"), "as many elements"},
        {HEADER("<f8", "False", "(1,)"), "as many elements"},
        {HEADER("<f4", "False", "(99999999, 99999999999)"), "not NumPy's"},
        {HEADER("<f4", "False", "1"), "not NumPy's"},
        {"{'descr': '<f4'}", "not NumPy's"},
        {"", "not NumPy's"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Arena arena = {0};
        NpyForm form;
        Str data, why = {0};
        Str text = npy_text(&arena, wrong[i].header, STR("0123"));
        CHECK(!npy_read(&arena, text, &form, &data, &why));
        CHECK_HOLDS(why, wrong[i].why);
        for (size_t k = 0; k < text.len; k++)
            npy_read(&arena, str_slice(text, 0, k), &form, &data, &why);
        arena_free(&arena);
    }
    static const char *const others[] = {"", "PK",
                                         "\x93NUMPX\x01\x00\x01\x00 "};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        Arena arena = {0};
        NpyForm form;
        Str data, why = {0};
        CHECK(!npy_read(&arena, str_from(others[i]), &form, &data, &why));
        CHECK_HOLDS(why, "NumPy's magic bytes");
        arena_free(&arena);
    }
}

// A mebibyte for the header, and the buffer's size for what follows.
TEST(npy_files_have_a_largest_size) {
    enum { HEADER_BYTES = 1 << 20 };
    Room room;
    room_open(&room);
    Str text = {arena_new(&room.arena, char, HEADER_BYTES + 9),
                HEADER_BYTES + 9};
    put("x.npy", text);
    run_fails(&room, "k.ptx" SIZE "--arg buf:8:file=x.npy", 2,
              "has more than 8 bytes");
    text.len--;
    put("x.npy", text);
    run_fails(&room, "k.ptx" SIZE "--arg buf:8:file=x.npy", 2, "magic bytes");
    room_close(&room);
}

TEST(buffers_have_the_size_and_the_type_of_their_file) {
    Room room;
    room_open(&room);
    put("x.npy", npy_text(&room.arena, HEADER("<i2", "False", "(2, 2)"),
                          STR("01234567")));
    Cli cli = {0};
    RunArguments all;
    CHECK_INT(read_specs(&room, &cli,
                         "k.cu --arg buf:file=x.npy --arg "
                         "buf:8:same:file=x.npy --dump 0=y.npy",
                         &all),
              0);
    CHECK_INT(all.items[0].launch.size, 8);
    CHECK_INT(all.items[0].launch.element, ELEMENT_I16);
    CHECK(str_equal(all.items[0].dumped.shape, STR("(2, 2)")));
    CHECK_INT(all.items[1].launch.output, OUTPUT_SAME);
    arena_free(&cli.arena);
    run_fails(&room, "k.ptx" SIZE "--arg buf:4:file=x.npy", 2, "has 8 bytes");
    run_fails(&room, "k.ptx" SIZE "--arg buf:close=1:file=x.npy", 2,
              "no floats");
    run_fails(&room, "k.ptx" SIZE "--arg buf:8 --dump 0=o.npy", 2, "o.npy:f32");
    run_fails(&room, "k.ptx" SIZE "--arg buf:9 --dump 0=o.npy:f32", 2,
              "no whole number");
    run_fails(&room, "k.ptx" SIZE "--arg buf:9 --dump 0=o.npy:float", 2,
              "no type \"float\"");
    room_close(&room);
}

// ---- JSON ----------------------------------------------------------------

TEST(arguments_come_from_a_json_file) {
    Room room;
    room_open(&room);
    put("a.json", STR("[\"i32:1\", {\"f32\": [1, \"inf\"]}, {\"buf\": 8, "
                      "\"output\": \"same\", \"fill\": \"iota:f32\"}, "
                      "{\"struct\": [{\"i8\": 1}, {\"buf\": [\"f64:2\"]}]}]"));
    Cli cli = {0};
    RunArguments all;
    CHECK_INT(read_specs(&room, &cli, "k.cu --arg u32:0 --arg @a.json", &all),
              0);
    CHECK_INT(all.given, 5);
    CHECK_INT(all.count, 6);
    CHECK_INT(all.items[1].bits, 1);
    CHECK_INT(all.items[2].launch.size, 8);
    CHECK_INT(all.items[3].launch.output, OUTPUT_SAME);
    CHECK_INT(all.items[3].launch.element, ELEMENT_F32);
    CHECK_INT(all.items[4].launch.size, 16);
    CHECK(str_equal(all.items[5].launch.name, STR("4.1")));
    arena_free(&cli.arena);
    room_close(&room);
}

TEST(json_files_that_are_no_list_of_arguments) {
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"{}", "no JSON list"},
        {"[", "no JSON list"},
        {"[1]", "a string or an object"},
        {"[{}]", "of what kind"},
        {"[{\"f32\": 1, \"i32\": 2}]", "one member"},
        {"[{\"f32\": {}}]", "a number or a string"},
        {"[{\"buf\": 4, \"size\": 4}]", "buf, output, fill and file"},
        {"[{\"buf\": 4, \"fill\": \"zero\", \"file\": \"x\"}]", "one of fill"},
        {"[{\"struct\": []}]", "an item at least"},
        {"[\"f32:x\"]", "argument 0 (f32:x)"},
    };
    Room room;
    room_open(&room);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        put("a.json", str_from(wrong[i].text));
        run_fails(&room, "k.ptx" SIZE "--arg @a.json", 2, wrong[i].why);
    }
    run_fails(&room, "k.ptx" SIZE "--arg @none.json", 2, "none.json");
    room_close(&room);
}

TEST_MAIN(TESTCASE(structures_are_laid_out_as_in_c),
          TESTCASE(pointers_in_structures_are_buffers_of_their_own),
          TESTCASE(npy_files_are_read_and_written),
          TESTCASE(npy_files_that_cannot_be_read),
          TESTCASE(buffers_have_the_size_and_the_type_of_their_file),
          TESTCASE(arguments_come_from_a_json_file),
          TESTCASE(json_files_that_are_no_list_of_arguments),
          TESTCASE(npy_files_have_a_largest_size))
