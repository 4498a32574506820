// SPDX-License-Identifier: Apache-2.0
// The texts that compile/ reads: the directives of a source (scan.c), the names
// of files in PTX (names.c), and a compiler's log (messages.c).
#include "compile/internal.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

// ---- scan.c --------------------------------------------------------------

static void check_reading(ScanReading reading, const char *text,
                          const char *expected) {
    SCOPED_ARENA(arena);
    Scanner scanner = scan_start(&arena, str_from(text), reading);
    Buf found = {0};
    for (ScanPiece piece; (piece = scan_next(&scanner)) != SCAN_END;) {
        const Directive *d = &scanner.directive;
        if (piece == SCAN_DIRECTIVE)
            buf_printf(&found, "%u:%.*s %c%.*s;", d->line, STR_ARG(d->name),
                       d->mark ? d->mark : '-', STR_ARG(d->argument));
    }
    CHECK_STR(buf_view(&found), expected);
    buf_free(&found);
}

static void check_includes(const char *text, const char *expected) {
    check_reading(SCAN_EDG, text, expected);
    check_reading(SCAN_GCC, text, expected);
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

TEST(scanner_takes_file_names_of_file_directives_only) {
    check_includes("#include_next <a>\n#import \"b\"\n#embed <c> limit(1)\n",
                   "1:include_next <a;2:import \"b;3:embed <c;");
    check_includes("#error \"a\"\n#pragma <b>\n#line 4 \"c\"\n",
                   "1:error -\"a\";2:pragma -<b>;3:line -4 \"c\";");
    check_includes("#include \"a>b\"\n#include <c\"d>\n#include \"e>\n",
                   "1:include \"a>b;2:include <c\"d;3:include -\"e>;");
    check_includes("#include\"a\"\n#include<b>// <c>\n#include \n#include",
                   "1:include \"a;2:include <b;3:include -;4:include -;");
}

TEST(scanner_sees_directives_behind_blanks_and_comments_alone) {
    check_reading(SCAN_EDG, "\r#a\n", "1:a -;");
    check_includes("\t \v\f#a\n/* x\n */ #b\n/**/ /***/%: c\n; #d\n",
                   "1:a -;3:b -;4:c -;");
    check_includes("/**/#a\n/ #b\n/*/ #c\n*/#d\n// #e\n% #f\n%:#g\n",
                   "1:a -;4:d -;7: -#g;");
    check_includes("x /* #a\n#b */ #c\n#d /* x\n y */ e\n#f",
                   "2:c -;3:d -e;5:f -;");
    check_includes("/* open\n#a\n", "");
    check_includes("// open", "");
    check_includes("", "");
}

TEST(scanner_ends_strings_and_characters_where_they_end) {
    check_includes("\"\\\\\"\n#a\n\"\\\"\n#b\n\"open\n#c\n",
                   "2:a -;4:b -;6:c -;");
    check_includes("'\"'\n#a\n'\\''\n#b\nx'\"'\n#c\n", "2:a -;4:b -;6:c -;");
    check_includes("L'\"' \"\"\n#a\n9'9 \"'\"\n#b\n", "2:a -;4:b -;");
}

TEST(scanner_knows_raw_strings_by_their_prefix) {
    static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R"};
    static const char *const not_raw[] = {"", "xR", "r", "R ", "RL", "u8"};
    SCOPED_ARENA(arena);
    for (size_t i = 0; i < COUNT_OF(raw); i++)
        check_includes(
            str_format(&arena, "%s\"x(\n#a\n)y\"\n#b\n)x\"\n#c\n", raw[i]).ptr,
            "6:c -;");
    for (size_t i = 0; i < COUNT_OF(not_raw); i++)
        check_includes(str_format(&arena, "%s\"x(\n#a\n", not_raw[i]).ptr,
                       "2:a -;");
    check_includes("R\"1234567890123456(\n#a\n)1234567890123456\"\n#b\n",
                   "4:b -;");
    check_includes("R\"12345678901234567(\n#a\n", "2:a -;");
    check_includes("R\"(\n#a\n)\"\n#b\nR\"(\n#c\n", "4:b -;");
}

TEST(scanner_joins_continued_lines) {
    check_includes("#a \\\n b\\\r\n c\n#d\n", "1:a -b c;4:d -;");
    check_includes("#a \\\n\\\n b\n#d \\x\n#e \\", "1:a -b;4:d -\\x;5:e -\\;");
    check_includes("// x \\\n#a\n#b\n", "3:b -;");
    check_reading(SCAN_EDG, "\\\r#c\n", "");
}

TEST(scan_word_takes_letters_digits_and_underscores) {
    CHECK_STR(scan_word(STR("  ab_9(x)")), "ab_9");
    CHECK_STR(scan_word(STR("azAZ09_")), "azAZ09_");
    CHECK_STR(scan_word(STR("a`")), "a");
    CHECK_STR(scan_word(STR("a{")), "a");
    CHECK_STR(scan_word(STR("A@")), "A");
    CHECK_STR(scan_word(STR("A[")), "A");
    CHECK_STR(scan_word(STR("9/")), "9");
    CHECK_STR(scan_word(STR("9:")), "9");
    CHECK_STR(scan_word((Str){0}), "");
    CHECK_STR(scan_word(STR("+x")), "");
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
    CHECK(!names_in_roots(&map, STR("/cuda")));
    CHECK(names_in_roots(&map, STR("/cuda/bin/..//./include/a")));
    CHECK(names_in_roots(&map, STR("/../x/../cuda/a")));
    CHECK(!names_in_roots(&map, STR("/cuda/lib/../../a")));
    CHECK(!names_in_roots(&map, STR("/cuda/..")));
    CHECK(!names_in_roots(&map, STR("cuda/a")));
    CHECK_STR(names_rewrite_ptx(&arena, &map, STR("\n\n.file 1 \"\"\n")),
              "\n\n.file 1 \"\"\n");
    CHECK_STR(names_rewrite_ptx(&arena, &map, STR(".file 1 \"\n.file 2\n")),
              ".file 1 \"\n.file 2\n");
    CHECK_STR(names_rewrite_ptx(&arena, &map, (Str){0}), "");
}

TEST(names_in_ptx_are_escaped) {
    SCOPED_ARENA(arena);
    NameMap map = {0};
    names_add(&arena, &map, STR("a\\b"), STR("q\"u\\o"), (Str){0});
    names_add(&arena, &map, STR("last\\"), STR("z"), (Str){0});
    CHECK_STR(names_rewrite_ptx(&arena, &map,
                                STR(".file 1 \"a\\\\b\", 5, 6\n"
                                    ".file 2 \"a\\b\"\n"
                                    ".file 3 \"last\\\\\"")),
              ".file 1 \"q\\\"u\\\\o\", 5, 6\n.file 2 \"a\\b\"\n"
              ".file 3 \"z\"");
    names_add(&arena, &map, STR("c"), STR("one\nline\x1b"), (Str){0});
    CHECK_STR(names_rewrite_ptx(&arena, &map, STR(".file 1 \"c\"\n")),
              ".file 1 \"one?line?\"\n");
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

// A message of NVRTC about line 2 of the source, with this quotation of it.
static uint32_t column_of(Arena *arena, const char *quotation,
                          const char *caret) {
    Str log = str_format(arena, "my lab(2).cu(2): error: x\n%s\n%s\n",
                         quotation, caret);
    return parse_log(arena, str_cstring(arena, log), 1).items[0].at.col;
}

TEST(the_caret_below_a_quoted_line_gives_the_column) {
    SCOPED_ARENA(arena);
    CHECK_INT(column_of(&arena, "   x = nope;", "   ^"), 2);
    CHECK_INT(column_of(&arena, "   x = nope;", "  ^"), 1);
    CHECK_INT(column_of(&arena, "   x = nope;", " ^"), 0);
    CHECK_INT(column_of(&arena, "   x = nope; more", "       ^"), 6);
    CHECK_INT(column_of(&arena, "   y = nope;", "       ^"), 0);
    CHECK_INT(column_of(&arena, "   x = nope", "       ^"), 0);
    CHECK_INT(column_of(&arena, "   x = nope;", "       ^^"), 0);
    // Of gcc, the place itself has one.
    Diags d = parse_log(&arena,
                        "my lab(2).cu:2:9: error: x\n   x = nope;\n   ^\n", 1);
    CHECK_INT(d.items[0].at.col, 9);
    // Without a message above it a caret means nothing.
    parse_log(&arena, "   ^\n", 0);
}

TEST(the_first_line_of_a_message_is_taken_apart) {
    SCOPED_ARENA(arena);
    static const struct {
        const char *line;
        DiagLevel level;
        const char *file;
        uint32_t at, col;
        const char *code, *what;
    } lines[] = {
        {"a.cu(7): error #20-D: x", DIAG_ERROR, "a.cu", 7, 0, "#20-D", "x"},
        {"a.cu(7): catastrophic error: x", DIAG_ERROR, "a.cu", 7, 0, "", "x"},
        {"a.cu(7): internal error: x", DIAG_ERROR, "a.cu", 7, 0, "", "x"},
        {"a.cu(7): warning: x: y", DIAG_WARNING, "a.cu", 7, 0, "", "x: y"},
        {"a.cu(7): note #1-D: x", DIAG_NOTE, "a.cu", 7, 0, "#1-D", "x"},
        {"a.cu(7): remark: x", DIAG_NOTE, "a.cu", 7, 0, "", "x"},
        {"a(1)(7): error: x", DIAG_ERROR, "a(1)", 7, 0, "", "x"},
        {"a12:3: error: x", DIAG_ERROR, "a12", 3, 0, "", "x"},
        {"a:b:3:4: fatal error: x", DIAG_ERROR, "a:b", 3, 4, "", "x"},
        {"a.cu:3:4: warning: x", DIAG_WARNING, "a.cu", 3, 4, "", "x"},
        {"Catastrophic error: x", DIAG_ERROR, "", 0, 0, "", "x"},
        {"Error: x", DIAG_ERROR, "", 0, 0, "", "x"},
        {"Warning #9-D: x", DIAG_WARNING, "", 0, 0, "#9-D", "x"},
        {"nvcc error   : x", DIAG_ERROR, "", 0, 0, "", "x"},
        {"nvcc warning : x", DIAG_WARNING, "", 0, 0, "", "x"},
        {"nvrtc: error: x", DIAG_ERROR, "", 0, 0, "", "x"},
        {"a.cu(4294967295): error: x", DIAG_ERROR, "a.cu", UINT32_MAX, 0, "",
         "x"},
        {"a.cu(4294967296): error: x", DIAG_ERROR, "a.cu", 0, 0, "", "x"},
        {"a.cu:1:4294967296: error: x", DIAG_ERROR, "a.cu", 1, 0, "", "x"},
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        Diags d = parse_log(&arena, lines[i].line,
                            lines[i].level == DIAG_ERROR ? 1 : 0);
        if (!CHECK_INT(d.count, 1))
            continue;
        CHECK_INT(d.items[0].level, lines[i].level);
        CHECK_STR(d.items[0].at.file, lines[i].file);
        CHECK_INT(d.items[0].at.line, lines[i].at);
        CHECK_INT(d.items[0].at.col, lines[i].col);
        CHECK_STR(d.items[0].code, lines[i].code);
        CHECK_STR(d.items[0].what, lines[i].what);
    }
}

TEST(a_file_that_ends_too_early_is_told_at_its_last_line) {
    SCOPED_ARENA(arena);
    static const char log[] =
        "\"source.cu\": using precompiled header file \"/cache/1.pch\"\n"
        "At end of source: error: expected a \"}\"\n\n"
        "k.cu(1): note #3196-D: to match this \"{\"\n"
        "  void k() {\n"
        "           ^\n\n"
        "1 error detected in the compilation of \"source.cu\".\n";
    NameMap map = {0};
    Diags d = diags_new(&arena);
    names_add(&arena, &map, STR("k.cu"), STR("mine/k.cu"),
              STR("void k() {\n  x();\n\n \n"));
    CHECK_INT(messages_parse(&arena, &map, str_from(log), &d), 1);
    if (!CHECK_INT(d.count, 2))
        return;
    CHECK_STR(d.items[0].at.file, "mine/k.cu");
    CHECK_INT(d.items[0].at.line, 2);
    CHECK_INT(d.items[0].at.col, 7);
    CHECK_STR(d.items[0].what, "The file ends too early: expected a \"}\"");
    CHECK_HOLDS(d.items[0].help, "half written");
    CHECK_STR(d.items[1].at.file, "mine/k.cu");
    CHECK_INT(d.items[1].at.line, 1);
    // Of an empty file the first line is the last one.
    map.items[0].text = (Str){0};
    CHECK_INT(messages_parse(&arena, &map, str_from(log), &d), 1);
    CHECK_INT(d.items[2].at.line, 1);
}

TEST(other_lines_are_no_message) {
    SCOPED_ARENA(arena);
    static const char *const lines[] = {
        "a.cu(x): error: y",
        "a.cu(7) error: y",
        "a.cu(7): errors: y",
        "a.cu(7): error #9-D",
        "(7): error: y",
        ":7: error: y",
        "a.cu(7): y",
        "a.cu:x: error: y",
        "error",
        "error y",
        "a.cu(7)",
        "a.cu(7):",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        CHECK_INT(parse_log(&arena, lines[i], 0).count, 0);
}

TEST(names_of_files_in_messages_are_the_users) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(&arena,
                        "my lab(2).cu(1): error: \"/tmp/q\"x/lab.h\" and "
                        "\"my lab(2).cu\" differ\n"
                        "/tmp/q\"x/lab.h(4): error: here\n",
                        2);
    CHECK_STR(d.items[0].what, "\"labs/lab.h\" and \"my lab(2).cu\" differ");
    CHECK_STR(d.items[1].at.file, "labs/lab.h");
}

TEST(frequent_errors_have_help) {
    SCOPED_ARENA(arena);
    static const char *const helps[][2] = {
        {"cannot open source file \"vector\"", "no other host header"},
        {"a function \"f\" is considered a host function",
         "before the function"},
        {"variable \"v\" is considered a host variable", "before the variable"},
        {"static assertion failed with \"x\"", "notes"},
        {"expected a \";\"", ""},
        {"no instance of function template "
         "\"cuda::ptx::__4::clusterlaunchcontrol_query_cancel_get_first_ctaid_x"
         "\" matches the argument list",
         "cuda::ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>"
         "("},
        {"an enclosing-function local variable cannot be referenced in a "
         "lambda body unless it is in the capture list",
         "Write [&]"},
        {"a variable with static storage duration cannot be captured in a "
         "lambda",
         "__shared__ variable needs no capture"},
        {"namespace \"cuda::ptx\" has no member \"scope_custer\"",
         "Did you mean cuda::ptx::scope_cluster?"},
        {"namespace \"cuda::ptx\" has no member \"frobnicate\"", ""},
        {"namespace \"cuda::ptx\" has no member \"space_cta\"",
         "ptx::space_shared"},
        {"namespace \"cuda::ptx\" has no member \"invoke_one\"",
         "Write cooperative_groups::invoke_one"},
        {"namespace \"cooperative_groups\" has no member \"this_clustr\"",
         "Did you mean cooperative_groups::this_cluster?"},
        {"namespace \"cooperative_groups\" has no member \"sem_relaxed\"",
         "Write cuda::ptx::sem_relaxed"},
        {"identifier \"scope_cta\" is undefined", "Write cuda::ptx::scope_cta"},
        {"identifier \"coalesced_threads\" is undefined",
         "Write cooperative_groups::coalesced_threads"},
        {"identifier \"__syncthread\" is undefined",
         "Did you mean __syncthreads?"},
        {"identifier \"one\" is undefined", ""},
        {"identifier \"threadIdx\" is undefined", ""},
    };
    for (size_t i = 0; i < COUNT_OF(helps); i++) {
        Str log = str_format(&arena, "a.cu(1): error: %s\n", helps[i][0]);
        Diags d = parse_log(&arena, str_cstring(&arena, log), 1);
        CHECK_HOLDS(d.items[0].help, helps[i][1]);
        CHECK_INT(d.items[0].help.len > 0, helps[i][1][0] != '\0');
    }
}

// The map's source has the error in line 2, where the caret says; the log
// quotes it as the compilers do.
static Str help_at(Arena *arena, const char *source, const char *what,
                   uint32_t line, uint32_t col) {
    NameMap map = {0};
    Diag error = {.level = DIAG_ERROR,
                  .at = {STR("a.cu"), line, col},
                  .what = str_from(what)};
    names_add(arena, &map, STR("a.cu"), STR("a.cu"), str_from(source));
    return helps_find(arena, &map, &error);
}

TEST(a_help_names_what_stands_at_the_place) {
    SCOPED_ARENA(arena);
    static const char local[] =
        "an enclosing-function local variable cannot be referenced in a "
        "lambda body unless it is in the capture list";
    static const char no_space[] =
        "name followed by \"::\" must be a class or namespace name";
    static const char untyped[] = "no instance of function template "
                                  "\"query_cancel_get_first_ctaid_x\" matches "
                                  "the argument list";
    CHECK_HOLDS(help_at(&arena, "f([a] {\n  use(a, bars[k]);\n", local, 2, 15),
                "does not capture k:");
    CHECK_HOLDS(help_at(&arena, "ptx::f();\n", no_space, 1, 1),
                "Put #include <cuda/ptx>");
    CHECK_HOLDS(
        help_at(&arena, "#include <cuda/ptx>\nptx::f();\n", no_space, 2, 1),
        "Put namespace ptx = cuda::ptx;");
    CHECK_HOLDS(
        help_at(&arena, "#include \"lab.h\"\ncg::f();\n", no_space, 2, 1),
        "Put namespace cg = cooperative_groups;");
    CHECK_INT(help_at(&arena, "mine::f();\n", no_space, 1, 1).len, 0);
    CHECK_HOLDS(help_at(&arena, "namespace cg = cooperative_groups;\n",
                        "name must be a namespace name", 1, 16),
                "Put #include <cooperative_groups.h>");
    CHECK_HOLDS(help_at(&arena,
                        "namespace ptx = cuda::ptx;\n"
                        "ptx::query_cancel_get_first_ctaid_x(r);\n",
                        untyped, 2, 1),
                ": ptx::query_cancel_get_first_ctaid_x<int>(");
    CHECK_INT(help_at(&arena, "ptx::query_cancel_get_first_ctaid_x<int>(&r);\n",
                      untyped, 1, 1)
                  .len,
              0); // it has its type: the arguments are wrong
}

// In a header's comment, as the toolkit's are.
TEST(a_call_that_fits_no_function_is_told_what_the_nearest_take) {
    SCOPED_ARENA(arena);
    static const char header[] =
        "/*\n__device__ static inline void mbarrier_init(\n  uint64_t* addr,\n"
        "  const uint32_t& count);\n*/\n"
        "__device__ static inline bool wait(\n  cuda::ptx::sem_t<S> sem);\n"
        "__device__ static inline bool wait(\n  uint64_t* addr,\n  int p);\n"
        "__device__ static inline bool wait(int p, int q);\n";
    char folder[] = "/tmp/clclab-test-XXXXXX";
    if (!CHECK(mkdtemp(folder) != NULL))
        return;
    Str below =
        str_format(&arena, "%s/cuda/__ptx/instructions/generated", folder);
    CHECK(files_make_folder(&arena, below));
    CHECK(files_write_atomic(&arena,
                             str_format(&arena, "%.*s/a.h", STR_ARG(below)),
                             str_from(header)));
    NameMap map = {.libcu = str_from(folder)};
    static const char *const helps[][2] = {
        {"no instance of overloaded function \"cuda::ptx::wait\" matches the "
         "argument list; argument types are: (int, uint64_t (*)[2])",
         "It takes (uint64_t* addr, int p) or (int p, int q)."},
        {"no instance of overloaded function \"cuda::ptx::wait\" matches the "
         "argument list; argument types are: ()",
         "It takes (sem_t<S> sem)."},
        {"no instance of function template \"mine\" matches the argument list",
         ""},
        {"namespace \"cuda::ptx\" has no member \"mbarrier_inti\"",
         "Did you mean cuda::ptx::mbarrier_init?"},
        {"identifier \"mbarrier_init\" is undefined",
         "Write cuda::ptx::mbarrier_init"},
        {"identifier \"mbarrier_initt\" is undefined",
         "Did you mean cuda::ptx::mbarrier_init?"},
    };
    for (size_t i = 0; i < COUNT_OF(helps); i++) {
        Diag error = {.level = DIAG_ERROR, .what = str_from(helps[i][0])};
        Str help = helps_find(&arena, &map, &error);
        CHECK_HOLDS(help, helps[i][1]);
        CHECK_INT(help.len > 0, helps[i][1][0] != '\0');
    }
    files_prune(&arena, below, (Str){0}, (Str){0}, 0, 0);
    for (size_t i = 0; i < 5; i++) { // and the folders, from below
        CHECK_INT(rmdir(str_cstring(&arena, below)), 0);
        while (below.ptr[--below.len] != '/')
            continue;
    }
}

TEST(four_notes_are_kept_of_each_message) {
    SCOPED_ARENA(arena);
    Buf log = {0};
    for (int message = 0; message < 2; message++) {
        buf_printf(&log, "a.cu(1): warning: w\n");
        for (int i = 0; i < 3; i++)
            buf_printf(&log, "a.cu(2): note: n%d\n", i);
        for (int i = 0; i < 3; i++)
            buf_printf(&log, "  detected during i%d at line %d\n", i, i + 5);
    }
    buf_byte(&log, '\0');
    Diags d = parse_log(&arena, log.ptr, 0);
    if (CHECK_INT(d.count, 10)) {
        CHECK_STR(d.items[4].what, "detected during i0 at line 5");
        CHECK_INT(d.items[4].at.line, 5);
        CHECK_STR(d.items[4].at.file, "a.cu");
        CHECK_STR(d.items[5].what, "w");
        CHECK_STR(d.items[9].what, "detected during i0 at line 5");
    }
    buf_free(&log);
}

TEST(a_note_without_a_line_is_where_its_message_is) {
    SCOPED_ARENA(arena);
    Diags d = parse_log(&arena,
                        "a.cu(3): error: x\n"
                        "  object type is: const int\n"
                        "  detected during a b\n"
                        "  detected during at line 7 of one at line 9\n"
                        "  detected during c at line y\n",
                        1);
    if (!CHECK_INT(d.count, 4))
        return;
    CHECK_STR(d.items[0].what, "x; object type is: const int");
    CHECK_INT(d.items[1].at.line, 3);
    CHECK_INT(d.items[2].at.line, 9); // the last one that is named
    CHECK_STR(d.items[2].at.file, "a.cu");
    CHECK_INT(d.items[3].at.line, 3);
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
    d = parse_log(&arena,
                  "/etc/shadow(1): error: more secret\n"
                  "  argument types are: (secret)\n"
                  "  detected during secret at line 1\n",
                  1);
    CHECK_INT(d.count, 1);
    CHECK_LACKS(d.items[0].what, "secret");
    CHECK_INT(d.items[0].help.len, 0);
}

TEST(warnings_about_stand_ins_are_not_shown) {
    SCOPED_ARENA(arena);
    NameMap map = test_names(&arena);
    map.stand_ins = STR("/stand/ins");
    Diags d = diags_new(&arena);
    Str log = STR("a.cu(1): warning: in \"/stand/ins/stdio.h\"\n"
                  "a.cu(1): warning: nv_hdrstop is odd\n"
                  "a.cu(1): warning #20282-D: x\n"
                  "a.cu(1): error: precompiled header\n"
                  "a.cu(1): error: in \"/stand/ins/stdio.h\"\n");
    CHECK_INT(messages_parse(&arena, &map, log, &d), 2);
    CHECK_INT(d.count, 2);
}

TEST(the_begin_of_a_long_log_is_parsed) {
    SCOPED_ARENA(arena);
    static const char line[] = "a.cu(1): error: x\n";
    Buf log = {0};
    while (log.len < 262144)
        buf_str(&log, str_from(line));
    Diags d = diags_new(&arena);
    NameMap map = {0};
    CHECK_INT(messages_parse(&arena, &map, buf_view(&log), &d),
              262144 / (sizeof line - 1));
    buf_free(&log);
}

TEST(only_lambdas_are_blamed) {
#define HOST "k.cu(4): error: f is considered a host function, and more\n"
    static const struct {
        const char *log;
        bool blamed;
    } logs[] = {
        {HOST "  auto f = [&](auto x) {};\n              ^\n", true},
        {HOST "  \tauto f = [] (auto x) {};\n  \t            ^\n\n"
              "1 error detected in the compilation of \"k.cu\".\n",
         true},
        {HOST "  f([=](auto x) {});\n       ^\n\n"
              "k.cu(5): warning #177-D: x\n  int x;\n      ^\n" HOST
              "  f([=](auto x) {});\n       ^\n",
         true},
        {"", false},
        {"k.cu(5): warning #177-D: x\n  int x;\n      ^\n", false},
        {HOST, false},
        {HOST "  int helper(int x);\n            ^\n", false},
        {HOST "  auto f = [&](auto x) {};\n             ^\n", false},
        {HOST "  auto f = [&]\n                ^\n", false},
        {HOST "  auto f = [&](auto x) {};\n              ^\n" HOST
              "  int helper(int x);\n            ^\n",
         false},
        {HOST HOST "  auto f = [&](auto x) {};\n              ^\n", false},
        {HOST "  auto f = [&](auto x) {};\n              ^\n"
              "k.cu(9): error: expected a \";\"\n",
         false},
    };
#undef HOST
    for (size_t i = 0; i < COUNT_OF(logs); i++)
        if (!CHECK(messages_blame_lambdas(str_from(logs[i].log)) ==
                   logs[i].blamed))
            printf("# log %zu\n", i);
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

TEST_MAIN(TESTCASE(scanner_finds_directives_of_every_spelling),
          TESTCASE(scanner_is_not_fooled_by_comments_and_strings),
          TESTCASE(scanner_takes_file_names_of_file_directives_only),
          TESTCASE(scanner_sees_directives_behind_blanks_and_comments_alone),
          TESTCASE(scanner_ends_strings_and_characters_where_they_end),
          TESTCASE(scanner_knows_raw_strings_by_their_prefix),
          TESTCASE(scanner_joins_continued_lines),
          TESTCASE(scan_word_takes_letters_digits_and_underscores),
          TESTCASE(ptx_gets_the_users_file_names),
          TESTCASE(names_in_ptx_are_escaped),
          TESTCASE(messages_have_place_column_code_and_help),
          TESTCASE(a_quoted_line_of_a_library_gives_no_column),
          TESTCASE(messages_follow_instantiations),
          TESTCASE(messages_of_gcc_and_without_place),
          TESTCASE(the_caret_below_a_quoted_line_gives_the_column),
          TESTCASE(the_first_line_of_a_message_is_taken_apart),
          TESTCASE(a_file_that_ends_too_early_is_told_at_its_last_line),
          TESTCASE(other_lines_are_no_message),
          TESTCASE(names_of_files_in_messages_are_the_users),
          TESTCASE(frequent_errors_have_help),
          TESTCASE(a_help_names_what_stands_at_the_place),
          TESTCASE(a_call_that_fits_no_function_is_told_what_the_nearest_take),
          TESTCASE(four_notes_are_kept_of_each_message),
          TESTCASE(a_note_without_a_line_is_where_its_message_is),
          TESTCASE(messages_about_other_files_are_not_shown),
          TESTCASE(warnings_about_stand_ins_are_not_shown),
          TESTCASE(the_begin_of_a_long_log_is_parsed),
          TESTCASE(only_lambdas_are_blamed),
          TESTCASE(messages_leave_out_our_own_affairs),
          TESTCASE(a_message_begins_in_the_first_column))
