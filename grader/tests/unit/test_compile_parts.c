// SPDX-License-Identifier: Apache-2.0
// The parts of compile/ that need no compiler: what is read of a source, of a
// compiler's log and of a folder, and how caches keep and lose their entries.
// test_compile.c has the rest.
//
// Works from the root of the repository: labs/common and grader/compile/include
// are looked for there.
#include "compile/compile.h"
#include "compile/internal.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

// ---- scan.c --------------------------------------------------------------

static void check_includes(const char *text, const char *expected) {
    SCOPED_ARENA(arena);
    Scanner scanner = scan_start(&arena, str_from(text));
    Directive d;
    Buf found = {0};
    while (scan_directive(&scanner, &d))
        buf_printf(&found, "%u:%.*s %c%.*s;", d.line, STR_ARG(d.name),
                   d.mark ? d.mark : '-', STR_ARG(d.argument));
    CHECK_STR(buf_view(&found), expected);
    buf_free(&found);
}

TEST(scanner_finds_directives_of_every_spelling) {
    check_includes("#include \"a.h\"\n  # \tinclude <b/c>\n%:include <d>\n",
                   "1:include \"a.h;2:include <b/c;3:include <d;");
    check_includes("/* x */ #include /* y */ <a>\n#inc\\\nlude <b>",
                   "1:include <a;2:include <b;");
    check_includes("#define N 3\n#include NAME\n#if defined(X)\n#endif",
                   "1:define -N 3;2:include -NAME;3:if -defined(X);4:endif -;");
}

TEST(scanner_is_not_fooled_by_comments_and_strings) {
    check_includes("/*\n#include <a>\n*/\n// \\\n#include <b>\n", "");
    check_includes("x = \"\\\n#include <a>\\\n\"; y = '#';\n#include <b>\n",
                   "4:include <b;");
    check_includes("x = R\"q(\n#include <a>\n\" )\" )q\";\n#include <b>\n",
                   "4:include <b;");
    check_includes("int n = 1'000; char q = '\\'';\n#include <b>",
                   "2:include <b;");
    check_includes("a # include <x>\n#include <unclosed\n#",
                   "2:include -<unclosed;3: -;");
}

TEST(scan_word_takes_letters_digits_and_underscores) {
    CHECK_STR(scan_word(STR("  ab_9(x)")), "ab_9");
    CHECK_STR(scan_word(STR("+x")), "");
}

// ---- wire.c --------------------------------------------------------------

TEST(wire_brings_requests_across) {
    SCOPED_ARENA(arena);
    Str options[] = {STR("-a"), STR("")};
    Str names[] = {STR("lab.h")}, texts[] = {STR("1:2\n")}, read[] = {STR("/")};
    ChildRequest r = {STR("lib"), STR("n"), STR("s\0s"), options,  names,
                      texts,      read,     NULL,        2,        1,
                      1,          0,        PCH_USE,     STR("/p")};
    Buf buf = {0};
    wire_put_request(&buf, &r);
    ChildRequest got = {0};
    CHECK(wire_get_request(&arena, buf_view(&buf), &got));
    CHECK_INT(got.source.len, 3);
    CHECK_INT(got.option_count, 2);
    CHECK_STR(got.options[0], "-a");
    CHECK_STR(got.header_texts[0], "1:2\n");
    CHECK_INT(got.write_count, 0);
    CHECK_INT(got.pch_mode, PCH_USE);
    for (size_t len = 0; len < buf.len; len++)
        CHECK(!wire_get_request(&arena, (Str){buf.ptr, len}, &got));
    buf_free(&buf);
}

TEST(wire_refuses_nonsense_for_an_answer) {
    ChildAnswer answer = {1, 6, 13000, CHILD_PCH_USED, STR("log"), STR("ptx")};
    ChildAnswer got = {0};
    Buf buf = {0};
    wire_put_answer(&buf, &answer);
    CHECK(wire_get_answer(buf_view(&buf), &got));
    CHECK_INT(got.version, 13000);
    CHECK_STR(got.ptx, "ptx");
    buf_byte(&buf, 'x');
    CHECK(!wire_get_answer(buf_view(&buf), &got));
    CHECK(!wire_get_answer(STR("99999999999999999999:x"), &got));
    CHECK(!wire_get_answer(STR("-1:x"), &got));
    CHECK(!wire_get_answer((Str){0}, &got));
    uint64_t number = 0;
    Str rest = STR("2:12x");
    CHECK(wire_get_number(&rest, &number) && number == 12);
    Str field;
    CHECK(!wire_get(&rest, &field));
    buf_free(&buf);
}

// ---- names.c and messages.c ----------------------------------------------

static NameMap test_names(Arena *arena) {
    NameMap map = {0};
    static const Str roots[] = {{"/cuda", 5}};
    names_add(arena, &map, STR("my lab(2).cu"), STR("my lab(2).cu"),
              STR("one\n\tx = nope;\nthree\n"));
    names_add(arena, &map, STR("/tmp/q\"x/lab.h"), STR("labs/lab.h"), (Str){0});
    map.roots = roots;
    map.root_count = 1;
    return map;
}

TEST(ptx_gets_the_users_file_names) {
    SCOPED_ARENA(arena);
    NameMap map = test_names(&arena);
    Str ptx = STR(".file 1 \"/tmp/q\\\"x/lab.h\"\n\t.file\t2 \"/cuda/y.h\", 1, "
                  "2\nret; // .file\n\t.file 3");
    CHECK_STR(names_rewrite_ptx(&arena, &map, ptx),
              ".file 1 \"labs/lab.h\"\n\t.file\t2 \"/cuda/y.h\", 1, 2\nret; // "
              ".file\n\t.file 3");
    CHECK(names_find(&map, STR("other")) == NULL);
    CHECK(names_in_roots(&map, STR("/cuda/a")));
    CHECK(!names_in_roots(&map, STR("/cudax/a")));
}

static Diags parse_log(Arena *arena, const char *log, size_t errors) {
    NameMap map = test_names(arena);
    Diags diags = diags_new(arena);
    CHECK_INT(messages_parse(arena, &map, str_from(log), &diags), errors);
    return diags;
}

TEST(messages_have_place_column_code_and_help) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(
        &arena,
        "my lab(2).cu(2): error: identifier \"nope\" is undefined\n"
        "    x = nope;\n"
        "        ^\n\n"
        "my lab(2).cu(3): warning #177-D: variable \"u\" is unused\n"
        "  not the line in the file\n"
        "      ^\n\n"
        "Remark: The warnings can be suppressed with \"-diag-suppress\"\n\n"
        "1 error detected in the compilation of \"my lab(2).cu\".\n",
        1);
    if (!CHECK_INT(d.count, 2))
        return;
    CHECK_STR(d.items[0].at.file, "my lab(2).cu");
    CHECK_INT(d.items[0].at.line, 2);
    CHECK_INT(d.items[0].at.col, 0); // the quotation is another text
    CHECK_STR(d.items[0].what, "identifier \"nope\" is undefined");
    CHECK_INT(d.items[1].level, DIAG_WARNING);
    CHECK_STR(d.items[1].code, "#177-D");
    CHECK_INT(d.items[1].at.col, 0);
    d = parse_log(&arena,
                  "my lab(2).cu(2): error: identifier \"compute_scalar\" is "
                  "undefined\n   x = nope;\n       ^\n",
                  1);
    CHECK_INT(d.items[0].at.col, 6);
    CHECK_HOLDS(d.items[0].help, "#include \"lab.h\"");
}

// The text of a library is not known, so that nothing tells whether the
// compiler quoted the line as it stands in the file.
TEST(a_quoted_line_of_a_library_gives_no_column) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(&arena,
                        "/cuda/y.h(9): error: no such member\n"
                        "    a.b = 1;\n"
                        "      ^\n",
                        1);
    if (!CHECK_INT(d.count, 1))
        return;
    CHECK_STR(d.items[0].at.file, "/cuda/y.h");
    CHECK_INT(d.items[0].at.line, 9);
    CHECK_INT(d.items[0].at.col, 0);
}

TEST(messages_follow_instantiations) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(
        &arena,
        "/cuda/y.h(9): error: no instance of \"f\" matches\n"
        "            argument types are: (int *)\n"
        "          detected during:\n"
        "            instantiation of \"g\" at line 4\n"
        "            instantiation of \"h\" at line 2 of my lab(2).cu\n"
        "            instantiation of \"i\" at line 6\n"
        "            instantiation of \"j\" at line 7\n"
        "            instantiation of \"k\" at line 8\n",
        1);
    if (!CHECK_INT(d.count, 5))
        return;
    CHECK_STR(d.items[0].what,
              "no instance of \"f\" matches; argument types are: (int *)");
    CHECK_INT(d.items[1].level, DIAG_NOTE);
    CHECK_STR(d.items[1].at.file, "/cuda/y.h");
    CHECK_INT(d.items[1].at.line, 4);
    CHECK_STR(d.items[2].at.file, "my lab(2).cu");
    CHECK_INT(d.items[2].at.line, 2);
}

TEST(messages_of_gcc_and_without_place) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(&arena,
                        "In file included from my lab(2).cu:1:\n"
                        "my lab(2).cu:3:10: fatal error: x.h: No such file\n"
                        "    3 | #include \"x.h\"\n      |          ^~~~\n"
                        "compilation terminated.\n"
                        "nvcc fatal   : Unknown option '-q'\n",
                        2);
    if (!CHECK_INT(d.count, 2))
        return;
    CHECK_INT(d.items[0].at.line, 3);
    CHECK_INT(d.items[0].at.col, 10);
    CHECK_STR(d.items[0].what, "x.h: No such file");
    CHECK_STR(d.items[1].what, "Unknown option '-q'");
    CHECK_INT(d.items[1].at.line, 0);
}

TEST(messages_about_other_files_are_not_shown) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(&arena,
                        "/etc/shadow(1): error: identifier \"secret\" is "
                        "undefined\n  secret:x\n  ^\n"
                        "a/../../etc/shadow(1): error: more secret\n"
                        "made-up.cu(7): error: a #line directive\n",
                        3);
    if (!CHECK_INT(d.count, 3))
        return;
    CHECK_HOLDS(d.items[0].what, "outside the include folders");
    CHECK_HOLDS(d.items[1].what, "outside the include folders");
    CHECK_STR(d.items[2].what, "a #line directive");
}

TEST(messages_leave_out_our_own_affairs) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(
        &arena,
        "\"my lab(2).cu\": using precompiled header file \"/c/1.pch\"\n"
        "Warning #629-D: the command line options do not match\n"
        "my lab(2).cu(2): warning #20283-D: PCH creation disabled\n"
        "Warning #2226-D: precompiled header file \"/c/1.pch\" not used\n",
        0);
    CHECK_INT(d.count, 0);
    d = parse_log(&arena, "", 0);
    CHECK_INT(d.count, 0);
}

// A quotation of the source begins with a blank; a name may have one.
TEST(a_message_begins_in_the_first_column) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(&arena,
                        "my lab(2).cu(3): warning #177-D: unused\n"
                        " my lab(2).cu(2): error: a quotation\n"
                        "\tmy lab(2).cu(2): error: another\n"
                        "a b.cu(7): error: x is undefined\n",
                        1);
    if (!CHECK_INT(d.count, 2))
        return;
    CHECK_INT(d.items[1].level, DIAG_ERROR);
    CHECK_STR(d.items[1].what, "x is undefined");
}

// ---- limits.c ------------------------------------------------------------

TEST(who_is_to_blame_follows_from_how_the_compiler_ended) {
    static const struct {
        SandboxResult result;
        CompileStatus status;
        size_t errors;
    } ends[] = {
        {{.status = SANDBOX_NOT_STARTED}, COMPILE_TRY_AGAIN, 0},
        {{.status = SANDBOX_EXITED, .code = 3}, COMPILE_BROKEN, 0},
        {{.status = SANDBOX_SIGNALLED, .code = SIGKILL}, COMPILE_TRY_AGAIN, 1},
        {{.status = SANDBOX_SIGNALLED, .code = SIGTERM}, COMPILE_TRY_AGAIN, 1},
        {{.status = SANDBOX_SIGNALLED, .code = SIGSEGV}, COMPILE_REJECTED, 1},
        {{.status = SANDBOX_TIMED_OUT}, COMPILE_TRY_AGAIN, 1},
        {{.status = SANDBOX_TIMED_OUT, .cpu_spent = true}, COMPILE_REJECTED, 1},
        {{.status = SANDBOX_OUT_OF_MEMORY}, COMPILE_REJECTED, 1},
        {{.status = SANDBOX_OUTPUT_TOO_LARGE}, COMPILE_REJECTED, 1},
    };
    SCOPED_ARENA(arena);
    CompileRequest request = {.path = STR("k.cu")};
    SandboxJob job = {.limits = compile_limits(&request)};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        Diags diags = diags_new(&arena);
        CHECK_INT(
            compile_judge_end(&arena, &request, &job, &ends[i].result, &diags),
            ends[i].status);
        CHECK_INT(diags.errors, ends[i].errors);
        bool blamed = diags.count && diags.items[0].at.line == 1;
        CHECK_INT(blamed, ends[i].status == COMPILE_REJECTED);
    }
}

// ---- cache.c -------------------------------------------------------------

static const CacheEntry SAMPLE = {
    {"NVRTC 13.0", 10}, {"log\n", 4}, {".version 9.0\n", 13}};

TEST(cache_gives_back_what_was_stored) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    CacheEntry got = {0};
    CHECK(!cache_find(&arena, folder.path, STR("key"), &got));
    CHECK(cache_store(&arena, folder.path, STR("key"), &SAMPLE));
    CHECK(cache_find(&arena, folder.path, STR("key"), &got));
    CHECK_STR(got.ptx, ".version 9.0\n");
    CHECK_STR(got.log, "log\n");
    CHECK_STR(got.compiler, "NVRTC 13.0");
    CHECK(!cache_find(&arena, folder.path, STR("kez"), &got));
    CHECK_INT(count_files(&arena, folder.path, ".tmp"), 0);
}

TEST(cache_ignores_every_damaged_entry) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    CHECK(cache_store(&arena, folder.path, STR("key"), &SAMPLE));
    Str path = find_file(&arena, folder.path, ".result"), good = {0};
    CHECK(files_read(&arena, path, 1 << 20, &good));
    CacheEntry got = {0};
    for (size_t i = 0; i < good.len; i++) {
        Str bad = str_copy(&arena, good);
        ((char *)bad.ptr)[i] ^= 4;
        write_file(&arena, path, bad);
        CHECK(!cache_find(&arena, folder.path, STR("key"), &got));
        write_file(&arena, path, str_slice(good, 0, i));
        CHECK(!cache_find(&arena, folder.path, STR("key"), &got));
    }
    CHECK(cache_store(&arena, folder.path, STR("key"), &SAMPLE));
    CHECK(cache_find(&arena, folder.path, STR("key"), &got));
}

TEST(cache_compares_the_whole_key) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    CHECK(cache_store(&arena, folder.path, STR("key a"), &SAMPLE));
    Str a = find_file(&arena, folder.path, ".result");
    Str text = {0};
    CHECK(files_read(&arena, a, 1 << 20, &text));
    unlink(str_cstring(&arena, a));
    CHECK(cache_store(&arena, folder.path, STR("key b"), &SAMPLE));
    // As if both keys had one hash: the entry of a where b's should be.
    write_file(&arena, find_file(&arena, folder.path, ".result"), text);
    CacheEntry got = {0};
    CHECK(!cache_find(&arena, folder.path, STR("key b"), &got));
}

// ---- unit.c --------------------------------------------------------------

// What unit_build makes of a request, without any compiler.
static bool build_request(Arena *arena, CompileRequest given, Unit *unit) {
    static const Str common[] = {{"labs/common", 11}};
    CompileRequest *request = arena_new(arena, CompileRequest, 1);
    *request = given;
    request->path = STR("some/lab.cu");
    if (!request->include_dirs) {
        request->include_dirs = common;
        request->include_count = 1;
    }
    request->stand_in_dir = STAND_INS;
    Toolkit none = {0};
    Diags diags = diags_new(arena);
    bool built = unit_build(arena, request, &none, unit, &diags);
    CHECK_INT(diags.errors, built ? 0 : 1);
    return built;
}

static bool build_unit(Arena *arena, const char *text, Unit *unit) {
    return build_request(arena, (CompileRequest){.source = str_from(text)},
                         unit);
}

TEST(unit_knows_headers_and_what_may_be_precompiled) {
    SCOPED_ARENA(arena);
    Unit unit;
    CHECK(build_unit(&arena, "#include \"lab.h\"\n", &unit));
    CHECK(unit.prefix);
    CHECK(unit.cacheable);
    if (!CHECK_INT(unit.header_count, 1))
        return;
    CHECK_STR(unit.headers[0].name, "lab.h");
    CHECK_STR(unit.headers[0].shown, "labs/common/lab.h");
    CHECK(build_unit(&arena,
                     "#include <cooperative_groups.h>\n#include <cuda/ptx>\n",
                     &unit));
    CHECK(unit.prefix);
    CHECK(build_unit(&arena, "#define N 4\n#include \"lab.h\"\n", &unit));
    CHECK(unit.prefix);
    static const char *const without[] = {
        "#include <cuda/ptx>\n", "#if 1\n#include \"lab.h\"\n#endif\n",
        "#define _CG_X 1\n#include \"lab.h\"\n", "int x;\n"};
    for (size_t i = 0; i < COUNT_OF(without); i++) {
        CHECK(build_unit(&arena, without[i], &unit));
        CHECK(!unit.prefix);
        CHECK(unit.cacheable);
    }
    CHECK(build_unit(&arena, "#define H \"lab.h\"\n#include H\n", &unit));
    CHECK(!unit.cacheable);
}

TEST(unit_source_begins_with_its_defines) {
    SCOPED_ARENA(arena);
    Unit unit;
    CHECK(build_unit(&arena, "\xef\xbb\xbfint x;", &unit));
    Str defines[] = {STR("A"), STR("B=1 + 2")};
    unit.defines = defines;
    unit.define_count = 2;
    CHECK_STR(unit_source(&arena, &unit, STR("//\n"), false),
              "//\n#define A 1\n#define B 1 + 2\n#line 1\nint x;");
    unit.name = STR("a\"b\\c.cu");
    CHECK_HOLDS(unit_source(&arena, &unit, (Str){0}, true),
                "#line 1 \"a\\042b\\134c.cu\"\nint");
}

TEST(the_first_header_precedes_whatever_the_source_says) {
    SCOPED_ARENA(arena);
    Unit unit;
    CompileRequest r = {.source = STR("#define _CG_X 1\n#include \"lab.h\"\n"),
                        .first_header = STR("lab.h")};
    CHECK(build_request(&arena, r, &unit));
    CHECK(unit.prefix); // the macro comes behind the headers
    CHECK(unit.cacheable);
    CHECK_INT(unit.header_count, 1);
    Str defines[] = {STR("A")};
    unit.defines = defines;
    unit.define_count = 1;
    CHECK_STR(unit_source(&arena, &unit, STR("//\n"), false),
              "//\n#define A 1\n#include <lab.h>\n#line 1\n"
              "#define _CG_X 1\n#include \"lab.h\"\n");
    r.first_header = STR("../lab.h");
    CHECK(!build_request(&arena, r, &unit));
}

TEST(what_is_included_behind_a_condition_may_be_precompiled) {
    SCOPED_ARENA(arena);
    Unit unit;
    CHECK(build_unit(&arena,
                     "#if 1\n#endif\n#endif\n"
                     "#if 1\n#if 1\n#endif\n#endif\n#include \"lab.h\"\n",
                     &unit));
    CHECK(unit.prefix);
    CHECK(build_unit(
        &arena, "#if 1\n#if 1\n#endif\n#include \"lab.h\"\n#endif\n", &unit));
    CHECK(!unit.prefix);
}

TEST(a_define_that_headers_look_at_forbids_precompiled_ones) {
    SCOPED_ARENA(arena);
    Unit unit;
    Str defines[] = {STR("_CG_X=1"), STR("N=2"), STR("_CG_Y")};
    for (size_t i = 0; i < COUNT_OF(defines); i++) {
        CHECK(build_request(
            &arena,
            (CompileRequest){.source = STR("#include \"lab.h\"\n"),
                             .defines = &defines[i],
                             .define_count = 1},
            &unit));
        CHECK_INT(unit.prefix, i == 1);
    }
}

TEST(two_headers_of_one_name_are_refused) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Unit unit;
    static const char *const names[] = {"h.h", "i.h", "sub/h.h", "sub/i.h"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        write_file(&arena, in_folder(&arena, &folder, names[i]), STR("\n"));
    write_file(&arena, in_folder(&arena, &folder, "sub/to_h.h"),
               STR("#include \"h.h\"\n"));
    write_file(&arena, in_folder(&arena, &folder, "sub/to_i.h"),
               STR("#include \"i.h\"\n"));
    CompileRequest r = {.include_dirs = &folder.path, .include_count = 1};
    r.source = STR("#include \"h.h\"\n#include \"i.h\"\n");
    CHECK(build_request(&arena, r, &unit));
    r.source = STR("#include \"h.h\"\n#include \"i.h\"\n"
                   "#include \"sub/to_h.h\"\n");
    CHECK(!build_request(&arena, r, &unit));
    r.source = STR("#include \"h.h\"\n#include \"i.h\"\n"
                   "#include \"sub/to_i.h\"\n");
    CHECK(!build_request(&arena, r, &unit));
}

TEST_MAIN(TESTCASE(scanner_finds_directives_of_every_spelling),
          TESTCASE(scanner_is_not_fooled_by_comments_and_strings),
          TESTCASE(scan_word_takes_letters_digits_and_underscores),
          TESTCASE(wire_brings_requests_across),
          TESTCASE(wire_refuses_nonsense_for_an_answer),
          TESTCASE(ptx_gets_the_users_file_names),
          TESTCASE(messages_have_place_column_code_and_help),
          TESTCASE(a_quoted_line_of_a_library_gives_no_column),
          TESTCASE(messages_follow_instantiations),
          TESTCASE(messages_of_gcc_and_without_place),
          TESTCASE(messages_about_other_files_are_not_shown),
          TESTCASE(messages_leave_out_our_own_affairs),
          TESTCASE(a_message_begins_in_the_first_column),
          TESTCASE(who_is_to_blame_follows_from_how_the_compiler_ended),
          TESTCASE(cache_gives_back_what_was_stored),
          TESTCASE(cache_ignores_every_damaged_entry),
          TESTCASE(cache_compares_the_whole_key),
          TESTCASE(unit_knows_headers_and_what_may_be_precompiled),
          TESTCASE(the_first_header_precedes_whatever_the_source_says),
          TESTCASE(what_is_included_behind_a_condition_may_be_precompiled),
          TESTCASE(a_define_that_headers_look_at_forbids_precompiled_ones),
          TESTCASE(two_headers_of_one_name_are_refused),
          TESTCASE(unit_source_begins_with_its_defines))
