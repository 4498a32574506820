// SPDX-License-Identifier: Apache-2.0
// The guards of the sandbox that compilers work under, with compilers that are
// fake: that a result says which they were, also when it was kept, when
// bubblewrap is used, and which results are not enough for a stranger's file.
#include "tests/unit/compile_fakes.h"
#include "tools/hide.h"

// What this kernel can do is asked of a child that does nothing else.
static int do_nothing(void *context, int out) {
    (void)context, (void)out;
    return 0;
}

TEST(a_result_says_under_which_guards_it_was_made) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    SandboxResult plain;
    Diags diags = diags_new(&arena);
    CHECK(
        sandbox_run(&arena, &(SandboxJob){.body = do_nothing}, &plain, &diags));
    CompileRequest r = {.source = STR("int x;\n"),
                        .cache_dir = in_folder(&arena, &folder, "cache")};
    for (int i = 0; i < 2; i++) {
        Compiled c = compile(&arena, &folder, r);
        CHECK_INT(c.result.from_cache, i);
        CHECK(c.result.has_run);
        CHECK_INT(c.result.guards.seccomp, plain.guards.seccomp);
        CHECK_INT(c.result.guards.landlock, plain.guards.landlock);
        CHECK_INT(c.result.guards.no_new_privileges, true);
    }
    r.untrusted = true;
    r.source = STR("#include \"/etc/passwd\"\n");
    CHECK(!compile(&arena, &folder, r).result.has_run);
    make_nvcc(&arena, &folder, "touch output.ptx");
    r.source = STR("int x;\n");
    r.compiler = COMPILE_WITH_NVCC;
    Compiled c = compile(&arena, &folder, r);
    CHECK(c.result.has_run && !c.result.from_cache);
    CHECK_INT(c.result.guards.landlock, plain.guards.landlock);
}

// It is used for strangers' files, and for all where there is no Landlock.
TEST(bubblewrap_is_used_where_it_is_needed) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    SandboxBubblewrap found;
    Str why;
    make_toolkit(&arena, &folder);
    if (!sandbox_find_bubblewrap(&arena, &found, &why))
        SKIP(str_cstring(&arena, why));
    CompileRequest r = {.source = STR("int x;\n"),
                        .cache_dir = in_folder(&arena, &folder, "cache")};
    Compiled c = compile(&arena, &folder, r);
    CHECK_INT(c.result.guards.bubblewrap[0] != '\0',
              c.result.guards.landlock == 0);
    r.source = STR("int y;\n");
    r.whole_sandbox = true;
    for (int i = 0; i < 2; i++) { // compiled, kept
        c = compile(&arena, &folder, r);
        CHECK_INT(c.result.status, COMPILE_OK);
        CHECK_INT(c.result.from_cache, i);
        CHECK_STR(str_from(c.result.guards.bubblewrap),
                  str_cstring(&arena, found.version));
    }
    if (!hide_landlock())
        SKIP("this kernel has no seccomp filters");
    r.source = STR("int z;\n");
    for (int i = 0; i < 2; i++) { // a stranger's, one's own
        r.whole_sandbox = i == 0;
        r.cache_dir = STR("");
        c = compile(&arena, &folder, r);
        CHECK_INT(c.result.status, COMPILE_OK);
        CHECK_INT(c.result.guards.landlock, 0);
        CHECK(c.result.guards.bubblewrap[0] != '\0');
    }
    make_nvcc(&arena, &folder, "echo $(ls /) >output.ptx");
    r.compiler = COMPILE_WITH_NVCC;
    c = compile(&arena, &folder, r);
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK_HOLDS(c.result.ptx, "clclab");
    CHECK(access("output.ptx", F_OK) != 0); // in the folder of the caller
    CHECK_STR(seen_too_much(&arena, &folder, c.result.ptx), "");
}

// The compilation of nothing, with which a failure is compared, is in there,
// too: its words are quoted.
TEST(what_a_failure_is_compared_with_has_the_same_guards) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    SandboxBubblewrap found;
    Str why;
    if (!sandbox_find_bubblewrap(&arena, &found, &why))
        SKIP(str_cstring(&arena, why));
    if (!hide_landlock())
        SKIP("this kernel has no seccomp filters");
    make_nvcc(&arena, &folder, "echo sees $(ls /) >&2; exit 1");
    CompileRequest r = {.source = STR("int x;\n"),
                        .compiler = COMPILE_WITH_NVCC};
    Compiled c = compile(&arena, &folder, r);
    CHECK_INT(c.result.status, COMPILE_UNAVAILABLE);
    if (!CHECK_INT(c.diags.count, 1))
        return;
    const char *what = str_cstring(&arena, c.diags.items[0].what);
    const char *sees = strstr(what, "sees ");
    if (!CHECK(strstr(what, "holds nothing: sees ") && sees))
        return;
    CHECK_HOLDS(str_from(sees), "clclab");
    Str listing = str_from(sees + strlen("sees "));
    CHECK_STR(seen_too_much(&arena, &folder, listing), "");
}

static int compile_without_landlock(Arena *arena, const Folder *folder,
                                    const CompileRequest *request) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(!setenv("PATH", "/usr/nonexistent", 1) && hide_landlock()
                  ? (int)compile(arena, folder, *request).result.status
                  : 99);
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

TEST(a_whole_sandbox_takes_no_result_of_a_weak_one) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    make_toolkit(&arena, &folder);
    CompileRequest r = {.source = STR("int x;\n"),
                        .cache_dir = in_folder(&arena, &folder, "cache")};
    int weak = compile_without_landlock(&arena, &folder, &r);
    if (weak == 99)
        SKIP("this kernel has no seccomp filters");
    CHECK_INT(weak, COMPILE_OK);
    Compiled c = compile(&arena, &folder, r);
    CHECK(c.result.from_cache);
    CHECK_INT(c.result.guards.landlock, 0);
    r.whole_sandbox = true;
    c = compile(&arena, &folder, r);
    CHECK(!c.result.from_cache);
    if (c.result.guards.landlock == 0)
        SKIP("this kernel has no Landlock");
    CHECK_INT(c.result.status, COMPILE_OK);
    CHECK(compile(&arena, &folder, r).result.from_cache);
    // Neither does a weak one that has not been asked about before.
    CHECK_INT(compile_without_landlock(&arena, &folder, &r), COMPILE_OK);
    r.source = STR("int y;\n");
    CHECK_INT(compile_without_landlock(&arena, &folder, &r),
              COMPILE_UNAVAILABLE);
    r.whole_sandbox = false;
    CHECK(!compile(&arena, &folder, r).result.from_cache);
}

static const TestCase cases[] = {
    TESTCASE(a_result_says_under_which_guards_it_was_made),
    TESTCASE(bubblewrap_is_used_where_it_is_needed),
    TESTCASE(what_a_failure_is_compared_with_has_the_same_guards),
    TESTCASE(a_whole_sandbox_takes_no_result_of_a_weak_one),
};

// This program is also its own compiling child, and what bubblewrap starts.
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], COMPILE_CHILD_ARGUMENT) == 0)
        return compile_child_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], SANDBOX_ENTER_ARGUMENT) == 0)
        return sandbox_enter_main(argc, argv);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
