// SPDX-License-Identifier: Apache-2.0
// compile/unit.c: which sources, flags and defines are accepted, which headers
// are found where, and when results may be cached and headers precompiled.
// Needs no toolkit.
#include "compile/compile.h"
#include "compile/internal.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

// A request, what became of it, and the folder that its headers are in.
typedef struct Build {
    Arena arena;
    Folder folder;
    CompileRequest request;
    Toolkit toolkit;
    Str dirs[2];
    Unit unit;
    Diags diags;
} Build;

static void build_close(Build *b) {
    folder_remove(&b->folder);
    arena_free(&b->arena);
}

// The request has two folders for headers, "a" and "b", and stand-ins in "s".
static Build build_open(void) {
    Build b = {.folder = folder_make()};
    b.dirs[0] = in_folder(&b.arena, &b.folder, "a");
    b.dirs[1] = in_folder(&b.arena, &b.folder, "b");
    b.request = (CompileRequest){
        .path = STR("k.cu"),
        .source = STR("int x;\n"),
        .include_count = 2,
        .stand_in_dir = in_folder(&b.arena, &b.folder, "s"),
    };
    files_make_folder(&b.arena, b.request.stand_in_dir);
    return b;
}

#define SCOPED_BUILD(name) \
    __attribute__((cleanup(build_close))) Build name = build_open()

static bool build(Build *b) {
    b->request.include_dirs = b->dirs;
    b->diags = diags_new(&b->arena);
    bool built =
        unit_build(&b->arena, &b->request, &b->toolkit, &b->unit, &b->diags);
    CHECK_INT(b->diags.count, built ? 0 : 1);
    return built;
}

static bool build_source(Build *b, const char *source) {
    b->request.source = str_from(source);
    return build(b);
}

static void put_header(Build *b, const char *name, const char *text) {
    write_file(&b->arena, in_folder(&b->arena, &b->folder, name),
               str_from(text));
}

static void check_refused(Build *b, const char *what, const char *file,
                          uint32_t line) {
    if (!CHECK(!build(b)))
        return;
    CHECK_HOLDS(b->diags.items[0].what, what);
    CHECK_STR(b->diags.items[0].at.file, file);
    CHECK_INT(b->diags.items[0].at.line, line);
    CHECK(b->diags.items[0].help.len > 0);
}

// "name=path;" of each header, without the folder that they are all in.
static Str list_headers(Build *b, const Header *items, size_t count) {
    Str list = {0};
    for (size_t i = 0; i < count; i++) {
        Str path = str_slice(items[i].shown, b->folder.path.len + 1,
                             items[i].shown.len);
        list = str_format(&b->arena, "%.*s%.*s=%.*s;", STR_ARG(list),
                          STR_ARG(items[i].name), STR_ARG(path));
    }
    return list;
}

static void check_headers(Build *b, const char *source, const char *expected) {
    if (CHECK(build_source(b, source)))
        CHECK_STR(list_headers(b, b->unit.headers, b->unit.header_count),
                  expected);
}

// ---- the source ----------------------------------------------------------

TEST(sources_are_texts_of_at_most_a_megabyte) {
    SCOPED_BUILD(b);
    char *bytes = arena_new(&b.arena, char, (1 << 20) + 1);
    memset(bytes, ' ', (1 << 20) + 1);
    bytes[7] = 'x';
    b.request.source = (Str){bytes, 1 << 20};
    CHECK(build(&b));
    b.request.source.len++;
    check_refused(&b, "larger than 1 MiB", "k.cu", 0);
    b.request.source = STR(" \t\r\n");
    check_refused(&b, "is empty", "k.cu", 1);
    b.request.source = STR("");
    check_refused(&b, "is empty", "k.cu", 1);
    b.request.source = STR("\0a\n");
    check_refused(&b, "NUL byte", "k.cu", 1);
    b.request.source = STR("a\n\n\0\n");
    check_refused(&b, "NUL byte", "k.cu", 3);
    CHECK(!b.unit.bad_flag);
}

TEST(a_source_has_a_name) {
    SCOPED_BUILD(b);
    CHECK(build(&b));
    CHECK_STR(b.unit.name, "k.cu");
    b.request.path = (Str){0};
    CHECK(build(&b));
    CHECK_STR(b.unit.name, "source.cu");
}

// ---- flags and defines ---------------------------------------------------

static bool takes_flags(Build *b, Str *flags, size_t count) {
    b->request.flags = flags;
    b->request.flag_count = count;
    bool built = build(b);
    CHECK_INT(b->unit.bad_flag, !built);
    return built;
}

static bool takes_flag(Build *b, const char *flag) {
    Str flags[] = {STR("--fine"), str_from(flag)};
    bool first = takes_flags(b, flags + 1, 1);
    CHECK_INT(takes_flags(b, flags, 2), first); // in whichever place
    return first;
}

TEST(options_of_the_output_cannot_be_changed) {
    SCOPED_BUILD(b);
    static const char *const fixed[] = {"-arch=sm_90",
                                        "--gpu-architecture=compute_90",
                                        "-code=sm_90",
                                        "--gpu-code=sm_90",
                                        "-gencode=x",
                                        "--generate-code=x",
                                        "-o=x",
                                        "--output-file=x",
                                        "-ptx",
                                        "--ptx",
                                        "-cubin",
                                        "--cubin",
                                        "-fatbin",
                                        "--fatbin",
                                        "-dlto",
                                        "--dlink-time-opt",
                                        "-dc",
                                        "--device-c",
                                        "-dw",
                                        "--device-w",
                                        "-E",
                                        "--preprocess",
                                        "-M",
                                        "--generate-dependencies",
                                        "-pch",
                                        "--pch",
                                        "--create-pch=",
                                        "-create-pch=",
                                        "--use-pch=",
                                        "-use-pch=",
                                        "--run",
                                        "-run",
                                        "-keep",
                                        "--keep",
                                        "--dryrun",
                                        "-dryrun",
                                        "-optix-ir",
                                        "--optix-ir",
                                        "-optf=x",
                                        "--options-file=x"};
    for (size_t i = 0; i < COUNT_OF(fixed); i++) {
        CHECK(!takes_flag(&b, fixed[i]));
        CHECK_HOLDS(b.diags.items[0].what, "cannot be changed");
        CHECK_HOLDS(b.diags.items[0].what, fixed[i]);
    }
    CHECK(takes_flag(&b, "--maxrregcount=32"));
    CHECK(takes_flag(&b, "-G"));
}

TEST(an_option_is_one_word_behind_a_dash) {
    SCOPED_BUILD(b);
    static const char *const none[] = {"",   "-",  "k.cu", "x-G",
                                       "-D", "-U", "-I",   "-G\n-G"};
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        CHECK(!takes_flag(&b, none[i]));
        CHECK_HOLDS(b.diags.items[0].what, "is not a compiler option");
    }
    CHECK(takes_flag(&b, "-U=A"));
    CHECK(takes_flag(&b, "-x "));
}

TEST(folders_and_macros_among_the_flags_join_the_others) {
    SCOPED_BUILD(b);
    Str flags[] = {STR("-Ione"),
                   STR("--fmad=false"),
                   STR("-DA=1"),
                   STR("--include-path=two"),
                   STR("--define-macro=B"),
                   STR("-G"),
                   STR("--include-path=")};
    Str define = STR("FIRST");
    b.request.defines = &define;
    b.request.define_count = 1;
    CHECK(takes_flags(&b, flags, COUNT_OF(flags)));
    if (!CHECK_INT(b.unit.include_count, 4) ||
        !CHECK_INT(b.unit.define_count, 3) || !CHECK_INT(b.unit.flag_count, 3))
        return;
    CHECK_STR(b.unit.include_dirs[0], b.dirs[0].ptr);
    CHECK_STR(b.unit.include_dirs[1], b.dirs[1].ptr);
    CHECK_STR(b.unit.include_dirs[2], "one");
    CHECK_STR(b.unit.include_dirs[3], "two");
    CHECK_STR(b.unit.defines[0], "FIRST");
    CHECK_STR(b.unit.defines[1], "A=1");
    CHECK_STR(b.unit.defines[2], "B");
    CHECK_STR(b.unit.flags[0], "--fmad=false");
    CHECK_STR(b.unit.flags[1], "-G");
    CHECK_STR(b.unit.flags[2], "--include-path=");
    CHECK(!b.unit.cacheable); // "include": which file is unknown
    CHECK(takes_flags(&b, flags + 1, 5));
    CHECK(b.unit.cacheable);
    Str other[] = {STR("-G"), STR("-include=x.h")};
    CHECK(takes_flags(&b, other, 2));
    CHECK(!b.unit.cacheable);
}

TEST(a_define_begins_with_a_name) {
    SCOPED_BUILD(b);
    static const char *const good[] = {"A", "_a9=1 + 2", "z0=", "A(x)=x"};
    static const char *const bad[] = {
        "", "9A", "0", " A", "-A", "=1", "A\n#include <x>"};
    Str defines[2] = {STR("FINE")};
    b.request.defines = defines;
    b.request.define_count = 2;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        defines[1] = str_from(good[i]);
        CHECK(build(&b));
        CHECK(!b.unit.bad_flag);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        defines[0] = STR("FINE");
        defines[1] = str_from(bad[i]);
        check_refused(&b, "defines no macro", "", 0);
        CHECK(b.unit.bad_flag);
        defines[0] = str_from(bad[i]);
        defines[1] = STR("FINE");
        CHECK(!build(&b));
    }
    b.request.define_count = 0;
    CHECK(!takes_flag(&b, "-D9A"));
}

// ---- headers -------------------------------------------------------------

TEST(headers_are_looked_for_in_the_folders_in_turn) {
    SCOPED_BUILD(b);
    put_header(&b, "a/both.h", "");
    put_header(&b, "b/both.h", "");
    put_header(&b, "b/late.h", "");
    put_header(&b, "b/sub/deep.h", "#include \"next.h\"\n#include <deep.h>\n");
    put_header(&b, "b/sub/next.h", "#include <both.h>\n");
    check_headers(&b, "#include \"both.h\"\n#include <late.h>\n",
                  "both.h=a/both.h;late.h=b/late.h;");
    check_headers(&b, "#include \"nowhere.h\"\n", "");
    // Beside a header that includes, but not with <>; once, though asked twice.
    check_headers(&b, "#include <sub/deep.h>\n#include <sub/deep.h>\n",
                  "sub/deep.h=b/sub/deep.h;next.h=b/sub/next.h;"
                  "both.h=a/both.h;");
    CHECK_STR(b.unit.headers[2].text, "");
    CHECK_STR(b.unit.headers[1].text, "#include <both.h>\n");
    b.request.include_count = 1;
    check_headers(&b, "#include \"late.h\"\n", "");
}

TEST(every_directive_that_reads_a_file_is_followed) {
    SCOPED_BUILD(b);
    put_header(&b, "a/one.h", "");
    static const char *const sources[] = {
        "#include \"one.h\"\n",
        "#include_next <one.h>\n",
        "#import \"one.h\"\n",
        "#embed \"one.h\"\n",
        "#if __has_include(\"one.h\")\n#endif\n",
        "#if 0\n#elif __has_include( <one.h> )\n#endif\n",
        "#if __has_include(<none.h>) || __has_include(<one.h>)\n#endif\n",
        "#if __has_include(NAME) || __has_include (\"one.h\")\n#endif\n",
    };
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        check_headers(&b, sources[i], "one.h=a/one.h;");
        CHECK(b.unit.cacheable);
    }
    check_headers(&b, "#ifdef __has_include(\"one.h\")\n#endif\n", "");
    check_headers(&b, "#pragma \"one.h\"\n#error \"one.h\"\n", "");
    CHECK(build_source(&b, "#define H \"one.h\"\n#import H\n"));
    CHECK(!b.unit.cacheable);
}

TEST(files_outside_the_folders_are_refused) {
    SCOPED_BUILD(b);
    static const char *const names[] = {"/etc/passwd", "../x", "a/../b", "..",
                                        "a/.."};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Str text = str_format(&b.arena, "\n#include \"%s\"\n", names[i]);
        b.request.source = text;
        check_refused(&b, names[i], "k.cu", 2);
        b.request.source =
            str_format(&b.arena, "#if __has_include(<%s>)\n#endif", names[i]);
        check_refused(&b, i ? "with \"..\"" : "absolute", "k.cu", 1);
    }
    CHECK(build_source(&b, "#include \"..x\"\n#include <a..b/c>\n"));
    put_header(&b, "a/one.h", "\n\n#include \"/etc/shadow\"\n");
    b.request.source = STR("#include \"one.h\"\n");
    Str file = in_folder(&b.arena, &b.folder, "a/one.h");
    check_refused(&b, "#include of \"/etc/shadow\"", file.ptr, 3);
}

TEST(one_name_means_one_header) {
    SCOPED_BUILD(b);
    put_header(&b, "a/x.h", "#include \"sub/y.h\"\n");
    put_header(&b, "a/sub/y.h", "\n#include \"x.h\"\n");
    put_header(&b, "a/sub/x.h", "");
    b.request.source = STR("#include \"x.h\"\n");
    Str file = in_folder(&b.arena, &b.folder, "a/sub/y.h");
    check_refused(&b, "Two different headers", file.ptr, 2);
}

// Makes a/1.h, which includes 2.h, and so on; the last includes nothing.
static void put_chain(Build *b, int length) {
    for (int i = 1; i <= length; i++) {
        Str name = str_format(&b->arena, "a/%d.h", i);
        Str text = str_format(&b->arena, "#include \"%d.h\"\n", i + 1);
        put_header(b, name.ptr, i < length ? text.ptr : "");
    }
}

TEST(headers_include_each_other_32_deep) {
    SCOPED_BUILD(b);
    put_chain(&b, 32);
    CHECK(build_source(&b, "#include \"1.h\"\n"));
    CHECK_INT(b.unit.header_count, 32);
    put_chain(&b, 33);
    Str file = in_folder(&b.arena, &b.folder, "a/33.h");
    check_refused(&b, "more than 32 deep", file.ptr, 1);
}

TEST(a_source_includes_128_headers) {
    SCOPED_BUILD(b);
    Buf text = {0};
    for (int i = 1; i <= 129; i++) {
        put_header(&b, str_format(&b.arena, "a/%d.h", i).ptr, "");
        buf_printf(&text, "#include \"%d.h\"\n", i);
        b.request.source = str_copy(&b.arena, buf_view(&text));
        if (i == 128)
            CHECK(build(&b));
    }
    check_refused(&b, "More than 128 headers", "k.cu", 129);
    buf_free(&text);
}

TEST(a_header_that_is_too_large_is_left_to_the_compiler) {
    SCOPED_BUILD(b);
    char *bytes = arena_new(&b.arena, char, (1 << 20) + 1);
    memset(bytes, ' ', (1 << 20) + 1);
    Str path = in_folder(&b.arena, &b.folder, "a/large.h");
    write_file(&b.arena, path, (Str){bytes, 1 << 20});
    check_headers(&b, "#include \"large.h\"\n", "large.h=a/large.h;");
    write_file(&b.arena, path, (Str){bytes, (1 << 20) + 1});
    check_headers(&b, "#include \"large.h\"\n", "");
}

TEST(stand_ins_come_last_and_are_listed_apart) {
    SCOPED_BUILD(b);
    put_header(&b, "s/std.h", "#include <more.h>\n");
    put_header(&b, "s/more.h", "");
    put_header(&b, "a/mine.h", "");
    put_header(&b, "s/mine.h", "");
    check_headers(&b, "#include <std.h>\n#include <mine.h>\n#include <std.h>\n",
                  "mine.h=a/mine.h;");
    Str list = list_headers(&b, b.unit.stand_in_headers, b.unit.stand_in_count);
    CHECK_STR(list, "std.h=s/std.h;more.h=s/more.h;");
    b.request.stand_in_dir = (Str){0};
    check_headers(&b, "#include <std.h>\n", "");
    CHECK_INT(b.unit.stand_in_count, 0);
}

// ---- precompiled headers -------------------------------------------------

#define HEAVY "#include <cooperative_groups.h>\n#include <cuda/ptx>\n"

static bool may_precompile(Build *b, const char *source) {
    CHECK(build_source(b, source));
    return b->unit.prefix;
}

TEST(both_headers_have_to_be_included_for_certain) {
    SCOPED_BUILD(b);
    put_header(&b, "a/guarded.h",
               "#ifndef G\n#define G\n" HEAVY "#endif\n#if 1\n#endif\n");
    put_header(&b, "a/once.h", "#pragma once\n#include \"guarded.h\"\n");
    static const char *const certain[] = {
        HEAVY,
        "#include <cuda/ptx>\n#include <cooperative_groups.h>\n",
        "#include \"guarded.h\"\n",
        "#include \"once.h\"\n",
        "#ifndef A\n#define A\n" HEAVY "#endif\n",
        "#if 1\n#endif\n" HEAVY,
        "#ifdef A\n#if 1\n#endif\n#endif\n" HEAVY,
        "#ifndef A\n#define A\n#endif\n" HEAVY,
    };
    static const char asked[] = "#if __has_include(<cuda/ptx>)\n#endif\n"
                                "#include <cooperative_groups.h>\n";
    static const char *const uncertain[] = {
        "int x;\n",
        "#include <cuda/ptx>\n",
        "#include <cooperative_groups.h>\n",
        "#if 1\n" HEAVY "#endif\n",
        "#if 1\n#include \"guarded.h\"\n#endif\n",
        "#if 1\n#include \"once.h\"\n#endif\n",
        "#ifndef A\n#define B\n" HEAVY "#endif\n",
        "#ifndef A\n#ifndef B\n#define A\n#endif\n" HEAVY "#endif\n",
        "#ifndef A\n#define A\n#if 1\n" HEAVY "#endif\n#endif\n",
        "#ifndef A\n#define A\n#endif\n#if 1\n" HEAVY "#endif\n",
        asked,
    };
    for (size_t i = 0; i < COUNT_OF(certain); i++)
        CHECK(may_precompile(&b, certain[i]));
    for (size_t i = 0; i < COUNT_OF(uncertain); i++)
        CHECK(!may_precompile(&b, uncertain[i]));
}

TEST(macros_that_headers_look_at_come_behind_them) {
    SCOPED_BUILD(b);
    static const char *const theirs[] = {"_CG_X",   "CCCL_X", "LIBCUDACXX_X",
                                         "CUDA_X",  "NV_X",   "CUB_X",
                                         "THRUST_X"};
    for (size_t i = 0; i < COUNT_OF(theirs); i++) {
        Str text = str_format(&b.arena, "#define %s 1\n" HEAVY, theirs[i]);
        CHECK(!may_precompile(&b, text.ptr));
        text = str_format(&b.arena, "#undef %s\n" HEAVY, theirs[i]);
        CHECK(!may_precompile(&b, text.ptr));
        text = str_format(&b.arena,
                          "#include <cooperative_groups.h>\n#define %s 1\n"
                          "#include <cuda/ptx>\n",
                          theirs[i]);
        CHECK(!may_precompile(&b, text.ptr));
        text = str_format(&b.arena, HEAVY "#define %s 1\n", theirs[i]);
        CHECK(may_precompile(&b, text.ptr));
        Str defines[] = {STR("N=1"), str_from(theirs[i])};
        b.request.defines = defines;
        b.request.define_count = 2;
        CHECK(!may_precompile(&b, HEAVY));
        b.request.define_count = 1;
        CHECK(may_precompile(&b, HEAVY));
        b.request.define_count = 0;
    }
    CHECK(may_precompile(&b, "#define cuda 1\n#define X_NV 1\n" HEAVY));
}

TEST(headers_in_place_of_the_toolkits_forbid_precompiled_ones) {
    SCOPED_BUILD(b);
    b.toolkit.include[0] = in_folder(&b.arena, &b.folder, "t0");
    b.toolkit.include[1] = in_folder(&b.arena, &b.folder, "t1");
    b.toolkit.include_count = 2;
    put_header(&b, "t1/theirs.h", "");
    put_header(&b, "a/theirs.h", "");
    put_header(&b, "a/mine.h", "");
    CHECK(may_precompile(&b, "#include \"mine.h\"\n" HEAVY));
    CHECK(!may_precompile(&b, "#include \"theirs.h\"\n" HEAVY));
    b.toolkit.include_count = 1;
    CHECK(may_precompile(&b, "#include \"theirs.h\"\n" HEAVY));
}

TEST(flags_and_a_lack_of_stand_ins_forbid_precompiled_headers) {
    SCOPED_BUILD(b);
    Str flags[] = {STR("-DN=1"), STR("--fmad=false")};
    b.request.flags = flags;
    b.request.flag_count = 1;
    CHECK(may_precompile(&b, HEAVY)); // it became a define
    b.request.flag_count = 2;
    CHECK(!may_precompile(&b, HEAVY));
    b.request.flag_count = 0;
    b.request.stand_in_dir = (Str){0};
    CHECK(!may_precompile(&b, HEAVY));
}

// ---- what the compiler gets ----------------------------------------------

TEST(the_source_keeps_its_lines) {
    SCOPED_BUILD(b);
    Str defines[] = {STR("A"), STR("B="), STR("C=1=2"), STR("D(x)=x")};
    b.request.defines = defines;
    b.request.define_count = COUNT_OF(defines);
    b.request.path = STR("a\tb\"c\\d.cu");
    CHECK(build_source(&b, "\xef\xbb\xbfint x;\n"));
    CHECK_STR(unit_source(&b.arena, &b.unit, STR("#pragma p\n")),
              "#pragma p\n#define A 1\n#define B \n#define C 1=2\n"
              "#define D(x) x\n#line 1 \"source.cu\"\nint x;\n");
    b.request.path = STR("plain.cu");
    CHECK(build_source(&b, "y\xef\xbb\xbf"));
    CHECK_HOLDS(unit_source(&b.arena, &b.unit, (Str){0}),
                "#line 1 \"plain.cu\"\ny\xef\xbb\xbf");
}

TEST_MAIN(TESTCASE(sources_are_texts_of_at_most_a_megabyte),
          TESTCASE(a_source_has_a_name),
          TESTCASE(options_of_the_output_cannot_be_changed),
          TESTCASE(an_option_is_one_word_behind_a_dash),
          TESTCASE(folders_and_macros_among_the_flags_join_the_others),
          TESTCASE(a_define_begins_with_a_name),
          TESTCASE(headers_are_looked_for_in_the_folders_in_turn),
          TESTCASE(every_directive_that_reads_a_file_is_followed),
          TESTCASE(files_outside_the_folders_are_refused),
          TESTCASE(one_name_means_one_header),
          TESTCASE(headers_include_each_other_32_deep),
          TESTCASE(a_source_includes_128_headers),
          TESTCASE(a_header_that_is_too_large_is_left_to_the_compiler),
          TESTCASE(stand_ins_come_last_and_are_listed_apart),
          TESTCASE(both_headers_have_to_be_included_for_certain),
          TESTCASE(macros_that_headers_look_at_come_behind_them),
          TESTCASE(headers_in_place_of_the_toolkits_forbid_precompiled_ones),
          TESTCASE(flags_and_a_lack_of_stand_ins_forbid_precompiled_headers),
          TESTCASE(the_source_keeps_its_lines))
