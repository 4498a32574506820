// SPDX-License-Identifier: Apache-2.0
// compile/scan.c and compile/distrust.c: what a source asks for, in the reading
// of either compiler, and what a source may not say that a stranger wrote.
//
// Works from the root of the repository: labs/common and grader/compile/include
// are looked for there.
#include "compile/compile.h"
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

TEST(scanner_knows_the_prefixes_of_literals) {
    check_includes("q = L'\"';\n#include <a>\n// '\"", "2:include <a;");
    check_includes("q = u8'\"' + 0xa'b'1 + .5'0;\n#include <a>\n// \"",
                   "2:include <a;");
    // $R is a name, and what follows it a plain string.
    check_includes("$R\"x(\n#include <a>\n)x\"", "2:include <a;");
    check_includes("1e+5'0'0 \"/*\"\n#include <a>\n", "2:include <a;");
}

TEST(scanner_does_not_join_the_lines_of_a_raw_string) {
    check_includes("R\"x( )\\\nx\" /* )x\"\n#include <a>\n// */",
                   "3:include <a;");
    check_includes("LR\"(\\\n#include <a>\n)\"\n#include <b>", "4:include <b;");
    check_includes("R\"no delimiter has more than 16 (\n#include <a>\n)\"",
                   "2:include <a;");
}

TEST(scanner_sees_a_directive_after_a_comment_of_several_lines) {
    check_includes("int x; /*\n*/ #include <a>\n", "2:include <a;");
    check_includes("#\finclude\v<a>\n", "1:include <a;");
    check_includes("#include /*\n*/ <a>\n", "1:include <a;");
}

TEST(scanner_reads_as_either_compiler_does) {
    const char *alone = "// \r#include <a>\n";
    check_reading(SCAN_EDG, alone, "");
    check_reading(SCAN_GCC, alone, "2:include <a;");
    const char *blank = "// \\ \t\n/*\n#include <a>\n// */";
    check_reading(SCAN_EDG, blank, "");
    check_reading(SCAN_GCC, blank, "3:include <a;");
    const char *raw = "#define X R\"(\n#include <a>\n)\"\n#include <b>\n";
    check_reading(SCAN_EDG, raw, "1:define -X R\"(;4:include <b;");
    check_reading(SCAN_GCC, raw, "1:define -X R\"(;2:include <a;4:include <b;");
}

static void check_words(const char *text, const char *expected) {
    SCOPED_ARENA(arena);
    Scanner scanner = scan_start(&arena, str_from(text), SCAN_EDG);
    Buf found = {0};
    for (ScanPiece piece; (piece = scan_next(&scanner)) != SCAN_END;)
        if (piece != SCAN_DIRECTIVE)
            buf_printf(&found, "%c%.*s%s;", piece == SCAN_WORD ? 'w' : 's',
                       STR_ARG(scanner.word), scanner.in_directive ? "#" : "");
    CHECK_STR(buf_view(&found), expected);
    buf_free(&found);
}

TEST(scanner_gives_words_and_strings) {
    check_words("int _x = 12ul; // no\n#define A(b) b /* no */ c\nL\"d\"",
                "wint;w_x;wA#;wb#;wb#;wc#;wL;sd;");
    check_words("a\\\nb = R\"-(x)\" )-\";", "wab;sx)\" )-\";");
}

// ---- distrust.c ----------------------------------------------------------

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

static bool is_trusted_with(const char *text) {
    SCOPED_ARENA(arena);
    Unit unit;
    CompileRequest r = {.source = str_from(text), .untrusted = true};
    bool built = build_request(&arena, r, &unit);
    r.untrusted = false;
    CHECK(build_request(&arena, r, &unit));
    return built;
}

TEST(a_file_of_a_stranger_names_what_it_includes) {
    CHECK(!is_trusted_with("#define F <lab.h>\n#include F\n"));
    CHECK(!is_trusted_with("#if 0\n#include F(x)\n#endif\n"));
    CHECK(!is_trusted_with("#include_next F\n"));
    CHECK(!is_trusted_with("#include \"lab.h\n"));
    CHECK(!is_trusted_with("// \\ \n/*\n#include F\n// */\n"));
    CHECK(!is_trusted_with("// \r#include F\n"));
    CHECK(is_trusted_with("#include \"lab.h\"\n#include <cuda/ptx>\n"));
    CHECK(is_trusted_with("/*\n#include F\n*/\nasm(R\"(\n.reg x;\n)\");\n"));
}

TEST(a_stranger_may_ask_only_for_headers_that_are_named) {
    static const char *const refused[] = {
        "#define F \"x\"\n#if __has_include(F)\n#endif\n",
        "#if 1 || __has_include F\n#endif\n",
        "#if defined(x) && __has_include(F)\n#endif\n",
        "#define Q __has_include\n",
        "#define Q(x) __has_include_next(x)\n",
        "#elif __has_embed(F)\n",
        "#if _CCCL_HAS_INCLUDE(F)\n#endif\n",
        "int __has_include;\n",
        "#if CAT(__has_, include)(F)\n#endif\n",
        "#define A(x) _##x##ude\n#if A(_has_ ## incl)(F)\n#endif\n",
        "#if CAT(_CCCL_HAS, _INCLUDE)(F)\n#endif\n",
        "#if /*\n*/ __has_include(F)\n#endif\n",
    };
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        if (!CHECK(!is_trusted_with(refused[i])))
            printf("# %s\n", refused[i]);
    CHECK(is_trusted_with("#if !__has_include(<cuda/ptx>)\n#endif\n"));
    CHECK(is_trusted_with("#ifdef __has_include\n#if defined(X) && "
                          "defined(__has_include) && __has_include(\"lab.h\")"
                          "\n#endif\n#endif\n"));
    CHECK(is_trusted_with("#define NAME(a, b) a##_##b // __has_include(F)\n"
                          "int i, n, a, s, include;\n"
                          "const char *s = \"__has_include(F)\";\n"));
}

TEST(a_stranger_may_not_use_pragmas_that_open_files) {
    CHECK(!is_trusted_with("#pragma GCC dependency \"x\"\n"));
    CHECK(!is_trusted_with("_Pragma(\"GCC dependency \\\"x\\\"\")\n"));
    CHECK(!is_trusted_with("#pragma GCC pch_preprocess \"x\"\n"));
    CHECK(!is_trusted_with("_Pragma(\"GCC pch_preprocess \\\"x\\\"\")\n"));
    CHECK(!is_trusted_with("P(GCC depend##ency \"x\") D(depend, ency)\n"));
    CHECK(is_trusted_with("#pragma GCC unroll 4\n#pragma unroll\n"));
    CHECK(is_trusted_with("int dependency = 1; // GCC dependency\n"));
}

TEST_MAIN(TESTCASE(scanner_knows_the_prefixes_of_literals),
          TESTCASE(scanner_does_not_join_the_lines_of_a_raw_string),
          TESTCASE(scanner_sees_a_directive_after_a_comment_of_several_lines),
          TESTCASE(scanner_reads_as_either_compiler_does),
          TESTCASE(scanner_gives_words_and_strings),
          TESTCASE(a_file_of_a_stranger_names_what_it_includes),
          TESTCASE(a_stranger_may_ask_only_for_headers_that_are_named),
          TESTCASE(a_stranger_may_not_use_pragmas_that_open_files))
