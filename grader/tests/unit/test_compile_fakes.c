// SPDX-License-Identifier: Apache-2.0
// compile/ with compilers that are fake (tests/fakenvrtc, and a shell script
// for nvcc): what a compiler is given for a request, in which surroundings it
// runs, and what becomes of every way in which it can end. Needs no toolkit.
//
// Works from the root of the repository: labs/common and grader/compile/include
// are looked for there.
#include "compile/compile.h"
#include "compile/internal.h"
#include "tests/unit/compile_fakes.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

// The only error, which has to hold these words. One of our own has help.
static void check_error(const Compiled *c, CompileStatus status,
                        const char *what, uint32_t line) {
    CHECK_INT(c->result.status, status);
    if (!CHECK_INT(c->diags.errors, 1))
        return;
    CHECK_HOLDS(c->diags.items[0].what, what);
    CHECK_INT(c->diags.items[0].at.line, line);
    if (line != 3 && line != 4) // which the compiler itself names
        CHECK(c->diags.items[0].help.len > 0);
    CHECK_INT(c->result.ptx.len, 0);
}

// ---- what NVRTC is given -------------------------------------------------

TEST(nvrtc_is_given_target_folders_and_flags) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    write_file(&arena, in_folder(&arena, &folder, "t/include/cccl/cuda/ptx"),
               STR("\n"));
    Str flags[] = {STR("--maxrregcount=32"), STR("-lineinfo2")};
    CompileRequest r = {
        .source = STR("int x;\n"), .flags = flags, .flag_count = 2};
    Compiled c = compile(&arena, &folder, r);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_STR(c.result.compiler, "NVRTC 13.1"); // what the library says
    static const char *const expected[] = {
        "--gpu-architecture=compute_100a",
        "--std=c++17",
        "-lineinfo",
        "--device-int128",
        "--maxrregcount=32",
        "-lineinfo2",
    };
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        CHECK_HOLDS(c.result.ptx,
                    str_format(&arena, "\n// option %s\n", expected[i]).ptr);
    Str stand_ins = files_absolute(&arena, STAND_INS);
    Str folders = str_format(&arena,
                             "// option -I%.*s\n// option -I%.*s/t/include\n"
                             "// option -I%.*s/t/include/cccl\n",
                             STR_ARG(stand_ins), STR_ARG(folder.path),
                             STR_ARG(folder.path));
    CHECK_HOLDS(c.result.ptx, folders.ptr);
    CHECK_LACKS(c.result.ptx, "pch");
    CHECK_LACKS(c.result.ptx, "--pre-include");
    CHECK(c.result.pch == COMPILE_PCH_NONE);
    CHECK_INT(c.result.note.len, 0);
}

TEST(nvrtc_is_given_source_headers_and_names) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Str headers[] = {in_folder(&arena, &folder, "a"),
                     in_folder(&arena, &folder, "b")};
    write_file(&arena, in_folder(&arena, &folder, "b/one.h"),
               STR("// the first\n#include \"in/two.h\"\n"));
    write_file(&arena, in_folder(&arena, &folder, "b/in/two.h"),
               STR("// the second\n"));
    Str defines[] = {STR("A=1 + 2"), STR("B")};
    CompileRequest r = {.source = STR("#include \"one.h\"\nint x;\n"),
                        .include_dirs = headers,
                        .include_count = 2,
                        .defines = defines,
                        .define_count = 2};
    Compiled c = compile(&arena, &folder, r);
    Str ptx = c.result.ptx;
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_HOLDS(ptx, ".file 1 \"some/k.cu\"\n// name source.cu\n");
    CHECK_HOLDS(ptx, "// header one.h = // the first\n");
    CHECK_HOLDS(ptx, "// header in/two.h = // the second\n");
    CHECK_HOLDS(
        ptx, str_format(&arena, "\"%.*s/one.h\"\n", STR_ARG(headers[1])).ptr);
    CHECK_HOLDS(
        ptx,
        str_format(&arena, "\"%.*s/in/two.h\"\n", STR_ARG(headers[1])).ptr);
    CHECK_HOLDS(ptx,
                "// source\n#define A 1 + 2\n#define B 1\n"
                "#line 1 \"some/k.cu\"\n#include \"one.h\"\nint x;\n// end\n");
    CHECK(str_ends(ptx, STR("// end\n")));
}

TEST(source_without_a_name_gets_one) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Compiled c =
        compile(&arena, &folder,
                (CompileRequest){.source = STR("int x;\n"), .path = STR("")});
    CHECK_HOLDS(c.result.ptx, "// name source.cu\n");
}

// More than a pipe holds, in both directions.
TEST(sources_of_a_megabyte_get_through) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Buf text = {0};
    for (int i = 0; text.len < (1 << 20) - 64; i++)
        buf_printf(&text, "int x%d;\n", i);
    Compiled c =
        compile(&arena, &folder, (CompileRequest){.source = buf_view(&text)});
    CHECK_INT(c.result.status, COMPILE_OK);
    Str expected = str_format(&arena, "#line 1 \"some/k.cu\"\n%.*s// end\n",
                              STR_ARG(buf_view(&text)));
    CHECK(str_ends(c.result.ptx, expected));
    buf_free(&text);
}

// ---- the child's surroundings --------------------------------------------

TEST(child_reads_and_writes_only_what_it_needs) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    SandboxResult probe = {0};
    SandboxJob job = {.argv = (const char *const[]){"/bin/true", NULL}};
    Diags diags = diags_new(&arena);
    sandbox_run(&arena, &job, &probe, &diags);
    if (probe.guards.landlock == 0)
        SKIP("this kernel has no Landlock");
    write_file(&arena, in_folder(&arena, &folder, "secret"), STR("x"));
    write_file(&arena, in_folder(&arena, &folder, "t/include/cuda.hpp"),
               STR("x"));
    Str text = str_format(
        &arena,
        "//fake open %.*s/secret\n//fake open %.*s/t/include/cuda.hpp\n"
        "//fake open %.*s/stdio.h\n//fake make %.*s/new\n"
        "//fake make %.*s/t/include/new\n",
        STR_ARG(folder.path), STR_ARG(folder.path),
        STR_ARG(files_absolute(&arena, STAND_INS)), STR_ARG(folder.path),
        STR_ARG(folder.path));
    Str ptx =
        compile(&arena, &folder, (CompileRequest){.source = text}).result.ptx;
    CHECK_HOLDS(ptx, "/secret: no\n");
    CHECK_HOLDS(ptx, "/t/include/cuda.hpp: yes\n");
    CHECK_HOLDS(ptx, "/stdio.h: yes\n");
    CHECK_HOLDS(ptx, "/new: no\n");
    CHECK_LACKS(ptx, "/new: yes\n");
    CHECK(!files_exist(&arena, in_folder(&arena, &folder, "new")));
}

TEST(child_has_a_scratch_folder_that_goes) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Str cache = in_folder(&arena, &folder, "cache");
    Compiled c =
        compile(&arena, &folder,
                (CompileRequest){.source = STR("//fake getenv TMPDIR\n"
                                               "//fake getenv LD_LIBRARY_PATH\n"
                                               "//fake getenv HOME\n"),
                                 .cache_dir = cache});
    Str where = str_format(&arena, "// TMPDIR=%.*s/clclab-", STR_ARG(cache));
    CHECK_HOLDS(c.result.ptx, where.ptr);
    Str libraries = str_format(&arena, "// LD_LIBRARY_PATH=%.*s/t/lib64\n",
                               STR_ARG(folder.path));
    CHECK_HOLDS(c.result.ptx, libraries.ptr);
    CHECK_LACKS(c.result.ptx, "HOME=/root");
    CHECK_INT(count_files(&arena, cache, ""), 1); // the result
}

// ---- how it ends ---------------------------------------------------------

TEST(what_nvrtc_returns_decides_the_status) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Compiled c = compile_text(&arena, &folder,
                              "//fake log some/k.cu(3): error: no such thing\n"
                              "//fake result 6\n");
    check_error(&c, COMPILE_REJECTED, "no such thing", 3);
    CHECK_STR(c.result.compiler, "NVRTC 13.1");
    c = compile_text(&arena, &folder, "//fake log odd words\n//fake result 6");
    check_error(&c, COMPILE_REJECTED, "rejected the file: odd words", 1);
    CHECK_STR(c.diags.items[0].at.file, "some/k.cu");
    c = compile_text(&arena, &folder, "//fake result 6\n");
    check_error(&c, COMPILE_REJECTED, "rejected the file.", 1);
    c = compile_text(&arena, &folder, "//fake result 1\n");
    check_error(&c, COMPILE_REJECTED, "limit of 2048 MiB of memory", 1);
    c = compile_text(&arena, &folder, "//fake create 1\n");
    check_error(&c, COMPILE_REJECTED, "limit of 2048 MiB of memory", 1);
    c = compile_text(&arena, &folder, "//fake result 11\n//fake say why\n");
    check_error(&c, COMPILE_BROKEN,
                "failed (exit code 0, NVRTC result 11): why", 0);
    c = compile_text(&arena, &folder, "//fake result 7\n");
    check_error(&c, COMPILE_UNAVAILABLE, "libnvrtc-builtins", 0);
    c = compile_text(&arena, &folder, "//fake exit 9\n");
    check_error(&c, COMPILE_BROKEN, "failed (exit code 9, NVRTC result 0).", 0);
}

TEST(options_that_nvrtc_refuses_are_the_users_or_ours) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    CompileRequest r = {.source =
                            STR("//fake log  bad option \n//fake result 5\n")};
    Compiled c = compile(&arena, &folder, r);
    check_error(&c, COMPILE_BROKEN, "the grader's options: bad option.", 0);
    Str flag = STR("--odd");
    r.flags = &flag;
    r.flag_count = 1;
    c = compile(&arena, &folder, r);
    check_error(&c, COMPILE_BAD_FLAG, "a compile flag: bad option.", 0);
}

TEST(a_compiler_that_dies_is_the_sources_or_the_machines_fault) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Compiled c = compile_text(&arena, &folder, "//fake signal 11\n");
    check_error(&c, COMPILE_REJECTED, "was ended by signal 11", 1);
    c = compile_text(&arena, &folder, "//fake signal 9\n");
    check_error(&c, COMPILE_TRY_AGAIN, "was ended by signal 9", 0);
    c = compile(
        &arena, &folder,
        (CompileRequest){.source = STR("//fake spin\n"), .time_limit_s = 1});
    check_error(&c, COMPILE_REJECTED, "stopped after 1 s of processor time", 1);
}

TEST(a_full_disk_is_not_the_sources_fault) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Compiled c = compile_text(
        &arena, &folder,
        "//fake log Catastrophic error: cannot open temporary file \"/t/x\"\n"
        "//fake result 6\n");
    check_error(&c, COMPILE_TRY_AGAIN, "cannot write its temporary file", 0);
    CHECK_HOLDS(c.diags.items[0].help, "TMPDIR");
    // The same words in a message about the source.
    c = compile_text(
        &arena, &folder,
        "//fake log some/k.cu(1): error: cannot open temporary file \"/t/x\"\n"
        "//fake result 6\n");
    CHECK_INT(c.result.status, COMPILE_REJECTED);
}

TEST(a_library_that_is_none_is_unavailable) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    write_file(&arena, in_folder(&arena, &folder, LIBRARY),
               read_library(&arena, "libfakecuda.so"));
    Compiled c = compile_text(&arena, &folder, "int x;\n");
    check_error(&c, COMPILE_UNAVAILABLE, "Cannot load NVRTC", 0);
    CHECK_HOLDS(c.diags.items[0].what, "nvrtc");
    CHECK_HOLDS(c.diags.items[0].help, "--compiler nvcc");
    c = compile(&arena, &folder,
                (CompileRequest){.source = STR("int x;\n"),
                                 .compiler = COMPILE_WITH_NVCC});
    check_error(&c, COMPILE_UNAVAILABLE, "has no nvcc", 0);
}

// ---- the cache of results ------------------------------------------------

static bool is_cached(Arena *arena, const Folder *folder, CompileRequest r) {
    return compile(arena, folder, r).result.from_cache;
}

TEST(every_part_of_a_request_is_in_its_key) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Str dirs[] = {in_folder(&arena, &folder, "h")};
    Str header = in_folder(&arena, &folder, "h/mine.h");
    Str define = STR("N=1"), other = STR("N=2"), flag = STR("--fmad=false");
    write_file(&arena, header, STR("// 1\n"));
    CompileRequest r = {.source =
                            STR("#include \"mine.h\"\n#include <stdio.h>\n"),
                        .include_dirs = dirs,
                        .include_count = 1,
                        .defines = &define,
                        .define_count = 1,
                        .cache_dir = in_folder(&arena, &folder, "c")};
    Compiled first = compile(&arena, &folder, r);
    CHECK(!first.result.from_cache);
    Compiled again = compile(&arena, &folder, r);
    CHECK(again.result.from_cache);
    CHECK_STR(again.result.ptx, str_cstring(&arena, first.result.ptx));
    CHECK_STR(again.result.compiler, "NVRTC 13.1");
    CompileRequest changed = r;
    changed.source = STR("#include \"mine.h\"\n#include <stdio.h>\n\n");
    CHECK(!is_cached(&arena, &folder, changed));
    changed = r;
    changed.path = STR("some/other.cu");
    CHECK(!is_cached(&arena, &folder, changed));
    changed = r;
    changed.defines = &other;
    CHECK(!is_cached(&arena, &folder, changed));
    changed = r;
    changed.define_count = 0;
    CHECK(!is_cached(&arena, &folder, changed));
    changed = r;
    changed.flags = &flag;
    changed.flag_count = 1;
    CHECK(!is_cached(&arena, &folder, changed));
    write_file(&arena, header, STR("// 2\n"));
    CHECK(!is_cached(&arena, &folder, r));
    write_file(&arena, header, STR("// 1\n"));
    CHECK(is_cached(&arena, &folder, r));
    fake_toolkit(&arena, &folder, "t", 13010, "README");
    CHECK(!is_cached(&arena, &folder, r));
}

TEST(stand_ins_are_in_the_key) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Str used = in_folder(&arena, &folder, "s/used.h");
    Str unused = in_folder(&arena, &folder, "s/unused.h");
    write_file(&arena, used, STR("\n"));
    CompileRequest r = {.source = STR("#include <used.h>\n"),
                        .stand_in_dir = in_folder(&arena, &folder, "s"),
                        .cache_dir = in_folder(&arena, &folder, "c")};
    CHECK(!is_cached(&arena, &folder, r));
    write_file(&arena, unused, STR("\n"));
    CHECK(is_cached(&arena, &folder, r));
    write_file(&arena, used, STR("\n\n"));
    CHECK(!is_cached(&arena, &folder, r));
}

TEST(what_is_not_known_to_be_the_same_is_compiled) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Str flag = STR("--pre-include=x.h");
    CompileRequest r = {.source = STR("#define H <stdio.h>\n#include H\n"),
                        .cache_dir = in_folder(&arena, &folder, "c")};
    for (int i = 0; i < 2; i++)
        CHECK(!is_cached(&arena, &folder, r));
    r.source = STR("int x;\n");
    r.flags = &flag;
    r.flag_count = 1;
    for (int i = 0; i < 2; i++)
        CHECK(!is_cached(&arena, &folder, r));
    CHECK_INT(count_files(&arena, r.cache_dir, ".result"), 0);
    r.source = STR("//fake result 6\n");
    r.flag_count = 0;
    for (int i = 0; i < 2; i++)
        CHECK(!is_cached(&arena, &folder, r)); // a failure is not kept
}

TEST(a_cached_result_repeats_its_warnings) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Str dirs[] = {in_folder(&arena, &folder, "h")};
    write_file(&arena, in_folder(&arena, &folder, "h/w.h"), STR("one\ntwo\n"));
    CompileRequest r = {
        .source = STR("#include \"w.h\"\n"
                      "//fake log /w.h(2): warning #177-D: unused\n"
                      "//fake log   two\n//fake log   ^\n"
                      "//fake log /usr/include/a.h(1): warning: theirs\n"
                      "//fake log /etc/passwd(1): warning: root\n"),
        .include_dirs = dirs,
        .include_count = 1,
        .cache_dir = in_folder(&arena, &folder, "c")};
    for (int i = 0; i < 2; i++) {
        Compiled c = compile(&arena, &folder, r);
        CHECK_INT(c.result.from_cache, i);
        if (!CHECK_INT(c.diags.count, 3))
            return;
        CHECK_INT(c.diags.items[0].level, DIAG_WARNING);
        CHECK_INT(c.diags.items[0].at.line, 2);
        CHECK_STR(c.diags.items[1].what, "theirs");
        CHECK_HOLDS(c.diags.items[2].what, "outside the include folders");
    }
}

TEST(no_cache_folder_is_no_problem) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    CompileRequest r = {.source = STR("int x;\n")};
    for (int i = 0; i < 2; i++) {
        Compiled c = compile(&arena, &folder, r);
        CHECK_INT(c.result.status, COMPILE_OK);
        CHECK(!c.result.from_cache);
        CHECK_INT(c.result.note.len, 0);
    }
    r.cache_dir = STR("/proc/nonexistent");
    Compiled c = compile(&arena, &folder, r);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_HOLDS(c.result.note, "could not be kept");
}

// ---- precompiled headers -------------------------------------------------

// A request that may use precompiled headers; with `more`, which is not kept.
static CompileRequest heavy(Arena *arena, const Folder *folder,
                            const char *more) {
    Str source = str_format(arena, "#include \"lab.h\"\n%s\n", more);
    return (CompileRequest){.source = source,
                            .cache_dir = in_folder(arena, folder, "c")};
}

TEST(headers_are_precompiled_once_and_then_used) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    if (!can_fix_addresses())
        SKIP("this machine refuses fixed addresses");
    CompileRequest r = heavy(&arena, &folder, "");
    Compiled c = compile(&arena, &folder, r);
    CHECK_INT(c.result.pch, COMPILE_PCH_CREATED);
    CHECK_INT(c.result.note.len, 0);
    CHECK_HOLDS(c.result.ptx, "// option --pre-include=clclab_lean.h\n");
    CHECK_HOLDS(c.result.ptx, "// option --create-pch=");
    CHECK_HOLDS(c.result.ptx,
                "// source\n#pragma nv_hdrstop\n#line 1 \"some/k.cu\"\n");
    Str pch = find_file(&arena, r.cache_dir, ".pch");
    c = compile(&arena, &folder, heavy(&arena, &folder, "// else"));
    CHECK_INT(c.result.pch, COMPILE_PCH_USED);
    CHECK_INT(c.result.note.len, 0);
    CHECK_INT(c.diags.count, 0);
    Str option = str_format(&arena, "// option --use-pch=%.*s\n",
                            STR_ARG(files_absolute(&arena, pch)));
    CHECK_HOLDS(c.result.ptx, option.ptr);
    CHECK_LACKS(c.result.ptx, "--create-pch");
    CHECK_INT(count_files(&arena, r.cache_dir, ".pch"), 1);
    c = compile(&arena, &folder, r);
    CHECK(c.result.from_cache);
    CHECK_INT(c.result.pch, COMPILE_PCH_NONE);
    // Another library needs others.
    Buf other = {0};
    buf_str(&other, read_library(&arena, "libfakenvrtc.so"));
    buf_byte(&other, ' ');
    write_file(&arena, in_folder(&arena, &folder, LIBRARY), buf_view(&other));
    buf_free(&other);
    c = compile(&arena, &folder, heavy(&arena, &folder, "// third"));
    CHECK_INT(c.result.pch, COMPILE_PCH_CREATED);
    CHECK_INT(count_files(&arena, r.cache_dir, ".pch"), 2);
}

TEST(headers_that_do_not_fit_are_made_anew) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    if (!can_fix_addresses())
        SKIP("this machine refuses fixed addresses");
    static const struct {
        const char *order;
        const char *note;
    } failures[] = {
        {"//fake refuse", "they will be made anew"},
        {"//fake blame", "failed with precompiled headers"},
        {"//fake crash", "failed with precompiled headers"},
    };
    for (size_t i = 0; i < COUNT_OF(failures); i++) {
        Str cache = in_folder(&arena, &folder, "c");
        compile(&arena, &folder,
                heavy(&arena, &folder, str_format(&arena, "//%zu", i).ptr));
        CHECK_INT(count_files(&arena, cache, ".pch"), 1);
        Compiled c =
            compile(&arena, &folder, heavy(&arena, &folder, failures[i].order));
        CHECK_INT(c.result.status, COMPILE_OK);
        CHECK_INT(c.result.pch, COMPILE_PCH_NONE);
        CHECK_HOLDS(c.result.note, failures[i].note);
        CHECK_INT(c.diags.count, 0);
        CHECK_INT(count_files(&arena, cache, ".pch"), 0);
    }
}

// What would happen without precompiled headers, too, is not blamed on them.
TEST(precompiled_headers_outlive_a_kill_and_an_error) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    if (!can_fix_addresses())
        SKIP("this machine refuses fixed addresses");
    compile(&arena, &folder, heavy(&arena, &folder, ""));
    Compiled c =
        compile(&arena, &folder, heavy(&arena, &folder, "//fake signal 9"));
    CHECK_INT(c.result.status, COMPILE_TRY_AGAIN);
    c = compile(&arena, &folder, heavy(&arena, &folder, "//fake result 6"));
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    // The lean ones and the full ones.
    CHECK_INT(count_files(&arena, in_folder(&arena, &folder, "c"), ".pch"), 2);
}

// A source that the lean headers do not suffice for.
TEST(what_is_rejected_with_lean_headers_is_compiled_with_full_ones) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    CompileRequest r =
        heavy(&arena, &folder, "//fake needs --pre-include=clclab_prefix.h");
    Compiled c = compile(&arena, &folder, r);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.diags.count, 0);
    CHECK_HOLDS(c.result.ptx, "// option --pre-include=clclab_prefix.h\n");
    CHECK_LACKS(c.result.ptx, "// option --pre-include=clclab_lean.h\n");
    CHECK(compile(&arena, &folder, r).result.from_cache);
    c = compile(&arena, &folder,
                heavy(&arena, &folder, "//fake needs --nothing"));
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    CHECK_INT(c.diags.errors, 1); // of one compilation
}

// NVRTC takes a generic lambda for a host function; nvcc does not.
TEST(generic_lambdas_are_compiled_for_the_device) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Compiled c =
        compile(&arena, &folder, heavy(&arena, &folder, "//fake lambda"));
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.diags.count, 0);
    CHECK_HOLDS(c.result.ptx,
                "// option --device-as-default-execution-space\n");
    CHECK_HOLDS(c.result.ptx, "// option --pre-include=clclab_lean.h\n");
    static const char both[] =
        "//fake needs --pre-include=clclab_prefix.h\n//fake lambda";
    c = compile(&arena, &folder, heavy(&arena, &folder, both));
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_HOLDS(c.result.ptx,
                "// option --device-as-default-execution-space\n");
    CHECK_HOLDS(c.result.ptx, "// option --pre-include=clclab_prefix.h\n");
    c = compile(
        &arena, &folder,
        heavy(&arena, &folder, "//fake lambda\n//fake needs --nothing"));
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    CHECK_INT(c.diags.errors, 2);
}

TEST(headers_that_cannot_be_precompiled_are_compiled) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    if (!can_fix_addresses())
        SKIP("this machine refuses fixed addresses");
    Compiled c =
        compile(&arena, &folder, heavy(&arena, &folder, "//fake pch 6"));
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_INT(c.result.pch, COMPILE_PCH_NONE);
    CHECK_STR(c.result.note, "the headers could not be precompiled");
    CHECK_INT(count_files(&arena, in_folder(&arena, &folder, "c"), ".pch"), 0);
    CompileRequest r = heavy(&arena, &folder, "");
    r.cache_dir = (Str){0};
    c = compile(&arena, &folder, r);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_STR(c.result.note, "there is no cache folder");
    CHECK_LACKS(c.result.ptx, "-pch=");
}

TEST(precompiled_headers_need_room) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    if (!can_fix_addresses())
        SKIP("this machine refuses fixed addresses");
    CompileRequest r = heavy(&arena, &folder, "");
    const char *mounted = str_cstring(&arena, r.cache_dir);
    CHECK_INT(mkdir(mounted, 0700), 0);
    if (mount("none", mounted, "tmpfs", 0, "size=399m,mode=700") != 0)
        SKIP("this user cannot mount a tmpfs");
    Compiled c = compile(&arena, &folder, r);
    umount2(mounted, MNT_DETACH);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_STR(c.result.note, "less than 400 MB are free in the cache folder");
}

// ---- nvcc ----------------------------------------------------------------

// Lists what it is given.
static const char listing[] =
    "{ echo '.file 1 \"source.cu\"'; for word; do echo \"// option $word\"; "
    "done\n"
    "echo \"// TMPDIR=$TMPDIR\"; echo '// source'; cat source.cu\n"
    "cd include; for file in *; do echo \"// header $file\"; "
    "test -d $file || cat $file; done; } >output.ptx 2>&1; exit 0";

TEST(nvcc_is_given_the_same) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_nvcc(&arena, &folder, listing);
    Str dirs[] = {in_folder(&arena, &folder, "h")};
    write_file(&arena, in_folder(&arena, &folder, "h/one.h"),
               STR("// the first\n#include \"in/two.h\"\n"));
    write_file(&arena, in_folder(&arena, &folder, "h/in/two.h"), STR("\n"));
    Str flag = STR("--fmad=false"), define = STR("N=3");
    CompileRequest r = {.source = STR("#include \"one.h\"\nint x;\n"),
                        .include_dirs = dirs,
                        .include_count = 1,
                        .defines = &define,
                        .define_count = 1,
                        .flags = &flag,
                        .flag_count = 1,
                        .cache_dir = in_folder(&arena, &folder, "c")};
    Compiled c = compile(&arena, &folder, r);
    Str ptx = c.result.ptx;
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_STR(c.result.compiler, "nvcc 13.0");
    CHECK_HOLDS(ptx, ".file 1 \"some/k.cu\"\n");
    CHECK_HOLDS(ptx, "// option -ptx\n");
    CHECK_HOLDS(ptx, "// option --gpu-architecture=compute_100a\n");
    CHECK_HOLDS(ptx, "// option --std=c++17\n");
    CHECK_HOLDS(ptx, "// option -lineinfo\n");
    CHECK_HOLDS(ptx, "// option -Iinclude\n");
    CHECK_HOLDS(ptx, "// option -o\n// option output.ptx\n");
    CHECK_HOLDS(ptx, "// option --fmad=false\n// option source.cu\n");
    CHECK_HOLDS(ptx, "// source\n#define N 3\n#line 1 \"some/k.cu\"\n"
                     "#include \"one.h\"\nint x;\n");
    CHECK_HOLDS(ptx, "// header in\n// header one.h\n// the first\n");
    Str where =
        str_format(&arena, "// TMPDIR=%.*s/clclab-", STR_ARG(r.cache_dir));
    CHECK_HOLDS(ptx, where.ptr);
    CHECK_INT(count_files(&arena, r.cache_dir, ""), 1); // the result
    CHECK(is_cached(&arena, &folder, r));
    r.flag_count = 0;
    CHECK(!is_cached(&arena, &folder, r));
}

TEST(how_nvcc_ends_decides_the_status) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    static const struct {
        const char *script;
        CompileStatus status;
        const char *what;
        uint32_t line;
    } ends[] = {
        {"echo 'some/k.cu(4): error: no such thing' >&2; exit 2",
         COMPILE_REJECTED, "no such thing", 4},
        {"echo 'source.cu(4): error: no such thing'; exit 2", COMPILE_REJECTED,
         "no such thing", 4},
        {"grep -q x source.cu || exec touch output.ptx; echo odd words; exit 1",
         COMPILE_REJECTED, "odd words", 1},
        {"echo odd words; exit 1", COMPILE_UNAVAILABLE,
         "even on a file that holds nothing: odd words", 0},
        {"echo 'x: No space left on device'; exit 1", COMPILE_TRY_AGAIN,
         "Cannot write nvcc's temporary files", 0},
        {"echo 'Failed to preprocess host compiler properties'; exit 1",
         COMPILE_UNAVAILABLE, "cannot run a C++ compiler", 0},
        {"exit 0", COMPILE_TRY_AGAIN, "Cannot write nvcc's temporary files", 0},
        {"grep -q x source.cu || exec touch output.ptx; kill -SEGV $$",
         COMPILE_REJECTED, "ended by signal 11", 1},
        {"kill -SEGV $$", COMPILE_UNAVAILABLE, "ended by signal 11", 0},
        {"kill -KILL $$", COMPILE_TRY_AGAIN, "ended by signal 9", 0},
    };
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        make_nvcc(&arena, &folder, ends[i].script);
        Compiled c = compile_text(&arena, &folder, "int x;\n");
        check_error(&c, ends[i].status, ends[i].what, ends[i].line);
        if (ends[i].line)
            CHECK_STR(c.diags.items[0].at.file, "some/k.cu");
    }
}

// ---- which compiler ------------------------------------------------------

TEST(nvrtc_is_preferred_and_nvcc_steps_in) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    make_nvcc(&arena, &folder, listing);
    CompileRequest r = {.source = STR("int x;\n"),
                        .cache_dir = in_folder(&arena, &folder, "c")};
    CHECK_STR(compile(&arena, &folder, r).result.compiler, "NVRTC 13.1");
    r.compiler = COMPILE_WITH_NVCC;
    CHECK_STR(compile(&arena, &folder, r).result.compiler, "nvcc 13.0");
    r.compiler = COMPILE_WITH_NVRTC;
    CHECK_STR(compile(&arena, &folder, r).result.compiler, "NVRTC 13.1");
    // The library cannot be loaded any more.
    write_file(&arena, in_folder(&arena, &folder, LIBRARY), STR("x"));
    r.source = STR("int y;\n");
    Compiled c = compile(&arena, &folder, r);
    check_error(&c, COMPILE_UNAVAILABLE, "Cannot load NVRTC", 0);
    r.compiler = COMPILE_WITH_ANY;
    c = compile(&arena, &folder, r);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_STR(c.result.compiler, "nvcc 13.0");
    CHECK_INT(c.diags.count, 0);
    remove(in_folder(&arena, &folder, LIBRARY).ptr);
    r.compiler = COMPILE_WITH_NVRTC;
    c = compile(&arena, &folder, r);
    check_error(&c, COMPILE_UNAVAILABLE, "has no NVRTC", 0);
}

TEST(a_first_phase_without_memory_is_at_a_limit) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Compiled c = compile_text(
        &arena, &folder,
        "//fake log some/k.cu(2): catastrophic error: unable to obtain mapped "
        "memory\n//fake result 6\n");
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    CHECK_INT(c.diags.count, 1);
    CHECK_HOLDS(c.diags.items[0].what, "limit of 2048 MiB of memory");
}

TEST(the_end_of_a_long_log_is_read) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    Buf text = {0};
    for (int i = 0; i < 20000; i++)
        buf_printf(&text, "//fake log some/k.cu(%d): warning #1-D: w\n", i + 1);
    buf_printf(&text, "//fake log some/k.cu(7): error: the last word\n"
                      "//fake result 6\n");
    Compiled c =
        compile(&arena, &folder, (CompileRequest){.source = buf_view(&text)});
    buf_free(&text);
    CHECK_INT(c.result.status, COMPILE_REJECTED);
    CHECK_INT(c.diags.errors, 1);
    for (size_t i = 0; i < c.diags.count; i++)
        if (c.diags.items[i].level == DIAG_ERROR)
            CHECK_STR(c.diags.items[i].what, "the last word");
}

static const TestCase cases[] = {
    TESTCASE(nvrtc_is_given_target_folders_and_flags),
    TESTCASE(nvrtc_is_given_source_headers_and_names),
    TESTCASE(source_without_a_name_gets_one),
    TESTCASE(sources_of_a_megabyte_get_through),
    TESTCASE(child_reads_and_writes_only_what_it_needs),
    TESTCASE(child_has_a_scratch_folder_that_goes),
    TESTCASE(what_nvrtc_returns_decides_the_status),
    TESTCASE(options_that_nvrtc_refuses_are_the_users_or_ours),
    TESTCASE(a_compiler_that_dies_is_the_sources_or_the_machines_fault),
    TESTCASE(a_full_disk_is_not_the_sources_fault),
    TESTCASE(a_library_that_is_none_is_unavailable),
    TESTCASE(every_part_of_a_request_is_in_its_key),
    TESTCASE(stand_ins_are_in_the_key),
    TESTCASE(what_is_not_known_to_be_the_same_is_compiled),
    TESTCASE(a_cached_result_repeats_its_warnings),
    TESTCASE(no_cache_folder_is_no_problem),
    TESTCASE(headers_are_precompiled_once_and_then_used),
    TESTCASE(headers_that_do_not_fit_are_made_anew),
    TESTCASE(precompiled_headers_outlive_a_kill_and_an_error),
    TESTCASE(what_is_rejected_with_lean_headers_is_compiled_with_full_ones),
    TESTCASE(generic_lambdas_are_compiled_for_the_device),
    TESTCASE(headers_that_cannot_be_precompiled_are_compiled),
    TESTCASE(precompiled_headers_need_room),
    TESTCASE(nvcc_is_given_the_same),
    TESTCASE(how_nvcc_ends_decides_the_status),
    TESTCASE(nvrtc_is_preferred_and_nvcc_steps_in),
    TESTCASE(a_first_phase_without_memory_is_at_a_limit),
    TESTCASE(the_end_of_a_long_log_is_read),
};

// This program is also its own compiling child.
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], COMPILE_CHILD_ARGUMENT) == 0)
        return compile_child_main(argc, argv);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
