// SPDX-License-Identifier: Apache-2.0
// The parts of compile/ that need no compiler: what processes send each other,
// how caches keep and lose their entries, and what is known of a source before
// it is compiled. The other test_compile*.c have the rest.
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

TEST(wire_brings_every_field_of_an_answer_across) {
    ChildAnswer answer = {1, 6,          13000,     CHILD_PCH_USED,
                          7, STR("log"), STR("ptx")};
    ChildAnswer got = {0};
    Buf buf = {0};
    wire_put_answer(&buf, &answer);
    CHECK(wire_get_answer(buf_view(&buf), &got));
    CHECK_INT(got.loaded, 1);
    CHECK_INT(got.result, 6);
    CHECK_INT(got.version, 13000);
    CHECK_INT(got.pch, CHILD_PCH_USED);
    CHECK_INT(got.landlock, 7);
    CHECK_STR(got.log, "log");
    CHECK_STR(got.ptx, "ptx");
    for (size_t len = 0; len < buf.len; len++)
        CHECK(!wire_get_answer((Str){buf.ptr, len}, &got));
    buf_free(&buf);
}

TEST(wire_refuses_lists_that_cannot_be) {
    SCOPED_ARENA(arena);
    ChildRequest got;
    // library, name, source, and then a list of options that is too long
    CHECK(!wire_get_request(&arena, STR("1:l1:n1:s4:4097"), &got));
    // one header's name, but no text
    CHECK(!wire_get_request(&arena, STR("1:l1:n1:s1:01:11:h1:01:01:01:01:p"),
                            &got));
    CHECK(wire_get_request(&arena, STR("1:l1:n1:s1:01:11:h1:11:t1:01:01:01:p"),
                           &got));
    CHECK_STR(got.nvrtc_path, "l");
    CHECK_STR(got.name, "n");
    CHECK_STR(got.source, "s");
    CHECK_STR(got.header_names[0], "h");
    CHECK_STR(got.header_texts[0], "t");
    CHECK_STR(got.pch_path, "p");
}

TEST(wire_refuses_nonsense_for_an_answer) {
    ChildAnswer answer = {1, 6,          13000,     CHILD_PCH_USED,
                          7, STR("log"), STR("ptx")};
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

TEST(a_compiler_has_25_seconds_and_2_gigabytes) {
    SandboxLimits l = compile_limits(&(CompileRequest){0});
    CHECK_INT(l.cpu_s + COMPILE_EMPTY_S, 30);
    CHECK_DOUBLE(l.wall_s, 280);
    CHECK_U64(l.memory, (uint64_t)2 << 30);
    CHECK_U64(l.output, (64 << 20) + (512 << 10));
    CHECK_U64(l.file_size, 512 << 20);
    l = compile_limits(
        &(CompileRequest){.time_limit_s = 0.4, .memory_limit = 5});
    CHECK_INT(l.cpu_s, 1); // at least
    CHECK_DOUBLE(l.wall_s, 34);
    CHECK_U64(l.memory, 5);
    l = compile_limits(&(CompileRequest){.time_limit_s = 2});
    CHECK_INT(l.cpu_s, 2);
}

TEST(all_programs_of_a_compilation_have_its_time_together) {
    static const char *const spins[] = {"/bin/sh", "-c", "while :; do :; done",
                                        NULL};
    static const char *const ends[] = {"/bin/sh", "-c", "exit 3", NULL};
    SCOPED_ARENA(arena);
    double spent = 1.7;
    CompileRequest request = {.time_limit_s = 3};
    Unit unit = {.request = &request, .cpu_s = &spent};
    SandboxJob job = {.argv = ends};
    SandboxResult result;
    Diags diags = diags_new(&arena);
    CHECK(compile_run(&arena, &unit, &job, &result, &diags));
    CHECK_INT(result.status, SANDBOX_EXITED);
    CHECK(spent > 1.7 && spent < 2);
    job.argv = spins;
    CHECK(compile_run(&arena, &unit, &job, &result, &diags));
    CHECK(result.cpu_spent);
    CHECK(spent > 2 && spent < 3.3); // it had 1 s
    CHECK_INT(job.limits.cpu_s, 3);
    job.argv = ends;
    CHECK(!compile_run(&arena, &unit, &job, &result, &diags));
    CHECK_INT(result.status, SANDBOX_TIMED_OUT);
    CHECK(result.cpu_spent);
    CHECK_INT(diags.count, 0);
}

// ---- cache.c -------------------------------------------------------------

static const CacheEntry SAMPLE = {.compiler = {"NVRTC 13.0", 10},
                                  .log = {"log\n", 4},
                                  .ptx = {".version 9.0\n", 13},
                                  .refusal = {"k.cu:1: no", 10},
                                  .guards = {.no_new_privileges = true,
                                             .seccomp = true,
                                             .landlock = 5,
                                             .bubblewrap = "0.8.0"}};

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
    CHECK_STR(got.refusal, "k.cu:1: no");
    CHECK(got.guards.no_new_privileges && got.guards.seccomp);
    CHECK_INT(got.guards.landlock, 5);
    CHECK_STR(str_from(got.guards.bubblewrap), "0.8.0");
    CHECK(!cache_find(&arena, folder.path, STR("kez"), &got));
    CHECK_INT(count_files(&arena, folder.path, ".tmp"), 0);
}

TEST(cache_does_not_make_guards_up) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    CacheEntry entry = SAMPLE, got = SAMPLE;
    entry.guards = (SandboxGuards){0};
    CHECK(cache_store(&arena, folder.path, STR("key"), &entry));
    CHECK(cache_find(&arena, folder.path, STR("key"), &got));
    CHECK(!got.guards.no_new_privileges && !got.guards.seccomp);
    CHECK_INT(got.guards.landlock, 0);
    CHECK_STR(str_from(got.guards.bubblewrap), "");
}

// A version that is too long for its place is no version.
TEST(guards_of_a_damaged_text_are_none) {
    Buf buf = {0};
    SandboxGuards got;
    for (size_t version = 14; version < 18; version++) {
        buf.len = 0;
        for (int i = 0; i < 3; i++)
            wire_put_number(&buf, 1);
        wire_put(&buf, str_slice(STR("0.8.0.0.0.0.0.0.0"), 0, version));
        Str rest = buf_view(&buf);
        CHECK_INT(wire_get_guards(&rest, &got), version < 16);
    }
    for (size_t len = 0; len + 1 < buf.len; len++) {
        Str rest = {buf.ptr, len};
        CHECK(!wire_get_guards(&rest, &got));
    }
    buf_free(&buf);
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

// Changes what a field of the entry says, and the check to match.
static void forge_entry(Arena *arena, Str path, const char *magic,
                        const char *more) {
    Buf buf = {0};
    wire_put(&buf, str_from(magic));
    wire_put(&buf, STR("key"));
    wire_put_guards(&buf, &SAMPLE.guards);
    wire_put(&buf, SAMPLE.compiler);
    wire_put(&buf, SAMPLE.log);
    wire_put(&buf, SAMPLE.ptx);
    wire_put(&buf, SAMPLE.refusal);
    wire_put_number(&buf, hash_bytes(1, buf.ptr, buf.len));
    buf_str(&buf, str_from(more));
    write_file(arena, path, buf_view(&buf));
    buf_free(&buf);
}

TEST(cache_knows_its_own_form) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    CacheEntry got = {0};
    CHECK(cache_store(&arena, folder.path, STR("key"), &SAMPLE));
    Str path = find_file(&arena, folder.path, ".result");
    forge_entry(&arena, path, "clclab result 5", "");
    CHECK(cache_find(&arena, folder.path, STR("key"), &got));
    forge_entry(&arena, path, "clclab result 3", "");
    CHECK(!cache_find(&arena, folder.path, STR("key"), &got));
    forge_entry(&arena, path, "clclab result 5", "x");
    CHECK(!cache_find(&arena, folder.path, STR("key"), &got));
    CHECK(!cache_store(&arena, STR("/nonexistent"), STR("key"), &SAMPLE));
}

TEST(cache_keeps_a_thousand_entries_and_the_last_used) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    CacheEntry got = {0};
    struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    CHECK(cache_store(&arena, folder.path, STR("key"), &SAMPLE));
    Str path = find_file(&arena, folder.path, ".result");
    utimensat(AT_FDCWD, str_cstring(&arena, path), then, 0);
    for (int i = 0; i < 999; i++) {
        Str name =
            str_format(&arena, "%.*s/%d.result", STR_ARG(folder.path), i);
        int fd = open(name.ptr, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        CHECK(fd >= 0);
        then[0].tv_sec = then[1].tv_sec = 2000;
        futimens(fd, then);
        close(fd);
    }
    CHECK(cache_find(&arena, folder.path, STR("key"), &got)); // is now new
    CHECK(cache_store(&arena, folder.path, STR("other"), &SAMPLE));
    CHECK_INT(count_files(&arena, folder.path, ".result"), 1000);
    CHECK(cache_find(&arena, folder.path, STR("key"), &got));
}

// ---- pch.c ---------------------------------------------------------------

// The lock of another process that is making the headers, which come.
TEST(headers_of_another_process_are_waited_for) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Str key = STR("key");
    if (!can_fix_addresses())
        SKIP("this machine refuses fixed addresses");
    Pch mine = pch_open(&arena, folder.path, key, true);
    CHECK_INT(mine.mode, PCH_CREATE);
    CHECK(mine.lock >= 0);
    CHECK(str_ends(mine.made, STR("/made.pch")));
    Pch hasty = pch_open(&arena, folder.path, key, false);
    CHECK_INT(hasty.mode, PCH_NONE);
    CHECK_HOLDS(hasty.note, "another process");
    pch_close(&hasty);
    pid_t other = fork();
    if (other == 0) {
        Pch theirs = pch_open(&arena, folder.path, key, true);
        _exit(theirs.mode == PCH_USE ? 0 : 1);
    }
    write_file(&arena, mine.made, STR("x"));
    pch_publish(&arena, &mine, folder.path);
    CHECK_INT(mine.note.len, 0);
    pch_close(&mine);
    CHECK_INT(mine.lock, -1);
    int status = -1;
    CHECK_INT(waitpid(other, &status, 0), other);
    CHECK_INT(status, 0);
    CHECK_INT(count_files(&arena, folder.path, ".pch"), 1);
    CHECK_INT(count_files(&arena, folder.path, ""), 2); // it, and the lock
    Pch again = pch_open(&arena, folder.path, key, true);
    CHECK_INT(again.mode, PCH_USE);
    CHECK_INT(again.lock, -1);
    Pch another = pch_open(&arena, folder.path, STR("kez"), true);
    CHECK_INT(another.mode, PCH_CREATE);
    CHECK(!str_equal(another.path, again.path));
    pch_discard(&arena, &another); // there is none to remove yet
    CHECK(files_exist(&arena, another.scratch.path));
    pch_discard(&arena, &again);
    CHECK_INT(count_files(&arena, folder.path, ".pch"), 0);
    pch_publish(&arena, &another, folder.path); // nothing was made
    CHECK_HOLDS(another.note, "could not be put in place");
    pch_close(&another);
}

TEST(two_sets_of_precompiled_headers_are_kept_lean_and_full) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    static const char *const keys[] = {"a", "b", "c", "d", "e"};
    if (!can_fix_addresses())
        SKIP("this machine refuses fixed addresses");
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        Pch pch = pch_open(&arena, folder.path, str_from(keys[i]), true);
        write_file(&arena, pch.made, STR("x"));
        struct timespec then = {.tv_sec = 1000 + (long)i};
        utimensat(AT_FDCWD, str_cstring(&arena, pch.made),
                  (struct timespec[]){then, then}, 0);
        pch_publish(&arena, &pch, folder.path);
        pch_close(&pch);
        // Whoever uses the first makes it the newest.
        pch_open(&arena, folder.path, STR("a"), true);
    }
    CHECK_INT(count_files(&arena, folder.path, ".pch"), 4);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        Pch pch = pch_open(&arena, folder.path, str_from(keys[i]), true);
        CHECK_INT(pch.mode, i == 1 ? PCH_CREATE : PCH_USE); // the oldest
        pch_close(&pch);
    }
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
    CHECK_INT(unit.prefix, UNIT_LEAN);
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
    unit.name = STR("n.cu");
    CHECK_STR(unit_source(&arena, &unit, STR("//\n")),
              "//\n#define A 1\n#define B 1 + 2\n#line 1 \"n.cu\"\nint x;");
    static const char *const odd[] = {"a\"b.cu", "b\\c.cu", "a\nb.cu",
                                      "\xff.cu", "\x7f.cu"};
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        unit.name = str_from(odd[i]);
        CHECK_HOLDS(unit_source(&arena, &unit, (Str){0}),
                    "#line 1 \"source.cu\"\nint");
    }
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
    CHECK_STR(unit_source(&arena, &unit, STR("//\n")),
              "//\n#define A 1\n#include <lab.h>\n#line 1 \"some/lab.cu\"\n"
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
        CHECK_INT(unit.prefix, i == 1 ? UNIT_LEAN : UNIT_BARE);
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

TEST_MAIN(TESTCASE(wire_brings_requests_across),
          TESTCASE(wire_brings_every_field_of_an_answer_across),
          TESTCASE(wire_refuses_lists_that_cannot_be),
          TESTCASE(wire_refuses_nonsense_for_an_answer),
          TESTCASE(who_is_to_blame_follows_from_how_the_compiler_ended),
          TESTCASE(a_compiler_has_25_seconds_and_2_gigabytes),
          TESTCASE(all_programs_of_a_compilation_have_its_time_together),
          TESTCASE(cache_gives_back_what_was_stored),
          TESTCASE(cache_does_not_make_guards_up),
          TESTCASE(guards_of_a_damaged_text_are_none),
          TESTCASE(cache_ignores_every_damaged_entry),
          TESTCASE(cache_compares_the_whole_key),
          TESTCASE(cache_knows_its_own_form),
          TESTCASE(cache_keeps_a_thousand_entries_and_the_last_used),
          TESTCASE(headers_of_another_process_are_waited_for),
          TESTCASE(two_sets_of_precompiled_headers_are_kept_lean_and_full),
          TESTCASE(unit_knows_headers_and_what_may_be_precompiled),
          TESTCASE(unit_source_begins_with_its_defines),
          TESTCASE(the_first_header_precedes_whatever_the_source_says),
          TESTCASE(what_is_included_behind_a_condition_may_be_precompiled),
          TESTCASE(a_define_that_headers_look_at_forbids_precompiled_ones),
          TESTCASE(two_headers_of_one_name_are_refused))
