// SPDX-License-Identifier: Apache-2.0
// Jobs in bubblewrap: what they see, which guards they have behind it, how
// their ends are told, and what is not taken for a bubblewrap that works. Each
// test is a process of its own, so that it may hide Landlock or change PATH.
#include "tests/unit/compile_folder.h"
#include "tools/hide.h"

#include <signal.h>
#include <sys/stat.h>

#define HOST_FOLDERS                                                           \
    STR("/bin"), STR("/usr/bin"), STR("/lib"), STR("/lib64"), STR("/usr/lib"), \
        STR("/etc/ld.so.cache"), STR("/dev/null")

typedef struct Bed { // a folder that may be written, one that may be read
    Arena arena;
    Folder folder;
    Str read[9], write;
    SandboxBubblewrap bubblewrap;
    Diags diags;
} Bed;

static void bed_remove(Bed *bed) {
    folder_remove(&bed->folder);
    arena_free(&bed->arena);
}

// Skips, outside of it, where there is no bubblewrap: *why says why.
static bool bed_make(Bed *bed, Str *why) {
    *bed = (Bed){.folder = folder_make()};
    Arena *arena = &bed->arena;
    const Str read[] = {HOST_FOLDERS, in_folder(arena, &bed->folder, "seen"),
                        in_folder(arena, &bed->folder, "seen/below")};
    memcpy(bed->read, read, sizeof read);
    bed->write = in_folder(arena, &bed->folder, "work");
    files_make_folder(arena, bed->write);
    write_file(arena, in_folder(arena, &bed->folder, "seen/file"),
               STR("shown\n"));
    write_file(arena, in_folder(arena, &bed->folder, "seen/below/file"),
               STR("as well\n"));
    write_file(arena, in_folder(arena, &bed->folder, "hidden/file"),
               STR("secret\n"));
    bed->diags = diags_new(arena);
    return sandbox_find_bubblewrap(arena, &bed->bubblewrap, why);
}

#define SCOPED_BED(name)                           \
    __attribute__((cleanup(bed_remove))) Bed name; \
    Str bed_why;                                   \
    if (!bed_make(&name, &bed_why))                \
    SKIP(str_cstring(&name.arena, bed_why))

static SandboxJob bed_job(Bed *bed) {
    return (SandboxJob){.bubblewrap = &bed->bubblewrap,
                        .folder = str_cstring(&bed->arena, bed->write),
                        .paths = {.read = bed->read,
                                  .read_count = COUNT_OF(bed->read),
                                  .write = &bed->write,
                                  .write_count = 1,
                                  .read_only_these = true},
                        .limits = {.wall_s = 20}};
}

static SandboxResult run_shell(Bed *bed, const char *script, SandboxJob job) {
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    SandboxResult result;
    job.argv = argv;
    CHECK(sandbox_run(&bed->arena, &job, &result, &bed->diags));
    CHECK_INT(bed->diags.count, 0);
    return result;
}

// ---- what it sees --------------------------------------------------------

static void check_root(Bed *bed, SandboxJob job) {
    SandboxResult r = run_shell(bed, "echo $(ls /)", job);
    CHECK_HOLDS(r.out, "clclab");
    CHECK_STR(seen_too_much(&bed->arena, &bed->folder, r.out), "");
}

static void check_view(Bed *bed) {
    SandboxResult r = run_shell(
        bed,
        "cat ../seen/file ../seen/below/file; cat ../hidden/file; "
        "echo x >../seen/new; echo x >/new; echo x >/clclab; echo 1 >written; "
        "ls ..; cat /etc/passwd; ls /proc | grep -c '^[0-9]'; "
        "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; exit 3",
        bed_job(bed));
    CHECK_INT(r.status, SANDBOX_EXITED);
    CHECK_INT(r.code, 3);
    CHECK_HOLDS(r.out, "shown\nas well\n");
    CHECK_LACKS(r.out, "secret");
    CHECK_LACKS(r.out, "hidden");
    CHECK_HOLDS(r.err, "/etc/passwd");
    CHECK_LACKS(r.out, "eth");
    CHECK(access(in_folder(&bed->arena, &bed->folder, "work/written").ptr,
                 F_OK) == 0);
    CHECK(access(in_folder(&bed->arena, &bed->folder, "seen/new").ptr, F_OK) !=
          0);
    CHECK(access("/new", F_OK) != 0);
    CHECK_STR(sandbox_is_whole(&r.guards) ? STR("whole") : STR("not"),
              r.guards.seccomp ? "whole" : "not");
    CHECK_STR(str_from(r.guards.bubblewrap),
              str_cstring(&bed->arena, bed->bubblewrap.version));
}

TEST(it_sees_its_folders_and_nothing_else) {
    SCOPED_BED(bed);
    check_view(&bed);
}

TEST(it_sees_no_more_without_landlock) {
    if (!hide_landlock())
        SKIP("this kernel has no seccomp filters");
    SCOPED_BED(bed);
    check_view(&bed);
    check_root(&bed, bed_job(&bed));
}

// Without read_only_these Landlock lets it read anything: the view is all.
TEST(what_is_not_listed_is_not_there) {
    SCOPED_BED(bed);
    SandboxJob job = bed_job(&bed);
    job.paths.read_only_these = false;
    SandboxResult r = run_shell(&bed, "cat ../hidden/file", job);
    CHECK_HOLDS(r.err, "No such file");
    check_root(&bed, job);
}

// The root is memory that no limit counts.
TEST(its_root_cannot_be_filled) {
    SCOPED_BED(bed);
    hide_landlock();
    SandboxResult r = run_shell(&bed, "echo x >/full", bed_job(&bed));
    CHECK_HOLDS(r.err, "Read-only file system");
}

// ---- its guards ----------------------------------------------------------

TEST(guards_are_raised_behind_it) {
    SCOPED_BED(bed);
    SandboxResult plain, r;
    SandboxJob job = bed_job(&bed);
    job.fixed_addresses = true;
    r = run_shell(&bed, "grep -c . /proc/self/status; unshare -U true", job);
    job.bubblewrap = NULL;
    plain = run_shell(&bed, "true", job);
    CHECK_INT(r.guards.landlock, plain.guards.landlock);
    CHECK_INT(r.guards.seccomp, plain.guards.seccomp);
    CHECK_INT(r.guards.fixed_addresses, plain.guards.fixed_addresses);
    CHECK_INT(r.guards.no_new_privileges, true);
    CHECK_STR(str_from(plain.guards.bubblewrap), "");
    if (r.guards.seccomp)
        CHECK_HOLDS(r.err, "unshare failed");
}

TEST(addresses_are_fixed_only_where_that_is_asked_for) {
    SCOPED_BED(bed);
    SandboxJob job = bed_job(&bed);
    job.paths.read_only_these = false;
    CHECK(!run_shell(&bed, "true", job).guards.fixed_addresses);
    job.fixed_addresses = true;
    Str first = run_shell(&bed, "grep stack /proc/self/maps", job).out;
    Str again = run_shell(&bed, "grep stack /proc/self/maps", job).out;
    if (!run_shell(&bed, "true", job).guards.fixed_addresses)
        SKIP("this machine refuses fixed addresses");
    CHECK(first.len > 0);
    CHECK_STR(first, str_cstring(&bed.arena, again));
}

// ---- what it is given, and its end ---------------------------------------

TEST(input_folder_and_environment_come_through) {
    SCOPED_BED(bed);
    const char *const env[] = {"CLCLAB_TEST_GIVEN=here"};
    setenv("CLCLAB_TEST_SECRET", "leaked", 1);
    SandboxJob job = bed_job(&bed);
    job.env = env;
    job.env_count = 1;
    job.input = STR("given\n");
    SandboxResult r = run_shell(
        &bed, "cat; basename $PWD; echo $CLCLAB_TEST_SECRET:$CLCLAB_TEST_GIVEN",
        job);
    CHECK_STR(r.out, "given\nwork\n:here\n");
}

TEST(signals_and_limits_are_told_apart_from_exits) {
    SCOPED_BED(bed);
    SandboxJob job = bed_job(&bed);
    SandboxResult r = run_shell(&bed, "kill -SEGV $$", job);
    CHECK_INT(r.status, SANDBOX_SIGNALLED);
    CHECK_INT(r.code, SIGSEGV);
    r = run_shell(&bed, "exit 128", job);
    CHECK_INT(r.status, SANDBOX_EXITED);
    CHECK_INT(r.code, 128);
    r = run_shell(&bed, "exit 255", job); // there is no signal 127
    CHECK_INT(r.status, SANDBOX_EXITED);
    CHECK_INT(r.code, 255);
    job.limits.cpu_s = 1;
    r = run_shell(&bed, "while :; do :; done", job);
    CHECK_INT(r.status, SANDBOX_TIMED_OUT);
    CHECK(r.cpu_spent);
}

// Its number is that of its own namespace: it is known by its name.
TEST(nothing_of_it_is_left) {
    SCOPED_BED(bed);
    SandboxJob job = bed_job(&bed);
    char mark[32], find[128];
    snprintf(mark, sizeof mark, "77%d", (int)getpid());
    snprintf(find, sizeof find, "(sleep %s & sleep %s)", mark, mark);
    job.limits.wall_s = 0.5;
    CHECK_INT(run_shell(&bed, find, job).status, SANDBOX_TIMED_OUT);
    snprintf(find, sizeof find, "pgrep -fx 'sleep %s'", mark);
    CHECK_INT(system(find), 1 << 8);
}

TEST(a_program_that_is_not_there_is_not_started) {
    SCOPED_BED(bed);
    const char *const argv[] = {"/nonexistent/program", NULL};
    SandboxJob job = bed_job(&bed);
    SandboxResult r;
    job.argv = argv;
    CHECK(!sandbox_run(&bed.arena, &job, &r, &bed.diags));
    CHECK_INT(r.status, SANDBOX_NOT_STARTED);
    if (CHECK_INT(bed.diags.count, 1))
        CHECK_HOLDS(bed.diags.items[0].what,
                    "running the program: No such file");
}

// ---- what is no bubblewrap that works ------------------------------------

// A script that stands for bwrap, alone on PATH.
static void put_bwrap(Arena *arena, const Folder *folder, const char *script) {
    Str file = in_folder(arena, folder, "bin/bwrap");
    write_file(arena, file, str_from(script));
    CHECK_INT(chmod(file.ptr, 0755), 0);
    setenv("PATH", in_folder(arena, folder, "bin").ptr, 1);
}

static void check_none(Arena *arena, const char *part) {
    SandboxBubblewrap found;
    Str why;
    CHECK(!sandbox_find_bubblewrap(arena, &found, &why));
    CHECK_HOLDS(why, part);
}

TEST(a_bubblewrap_that_does_not_work_is_not_used) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    setenv("PATH", folder.path.ptr, 1);
    check_none(&arena, "not on PATH");
    put_bwrap(&arena, &folder, "#!/bin/sh\necho wrap 1\n");
    check_none(&arena, "is no bubblewrap");
    put_bwrap(&arena, &folder, "#!/nonexistent\n");
    check_none(&arena, "is no bubblewrap");
    put_bwrap(&arena, &folder,
              "#!/bin/sh\n[ $1 = --version ] && echo bubblewrap 9.9\n");
    check_none(&arena, "cannot make its namespaces");
}

// It would be the end of a job that has not begun.
TEST(a_bubblewrap_that_fails_has_not_started_the_job) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    const char *const argv[] = {"/bin/true", NULL};
    put_bwrap(&arena, &folder, "#!/bin/sh\nexit 0\n");
    SandboxBubblewrap fake = {in_folder(&arena, &folder, "bin/bwrap"),
                              STR("9.9")};
    SandboxJob job = {.argv = argv, .bubblewrap = &fake};
    SandboxResult r;
    Diags diags = diags_new(&arena);
    CHECK(!sandbox_run(&arena, &job, &r, &diags));
    CHECK_INT(r.status, SANDBOX_NOT_STARTED);
    if (CHECK_INT(diags.count, 1))
        CHECK_HOLDS(diags.items[0].what, "making its namespaces");
}

TEST(words_that_are_no_guards_are_refused) {
    const char *const lines[][4] = {
        {"x", SANDBOX_ENTER_ARGUMENT, "nonsense", NULL},
        {"x", SANDBOX_ENTER_ARGUMENT, "only", NULL},
        {"x", SANDBOX_ENTER_ARGUMENT, NULL, NULL}};
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        int argc = lines[i][2] ? 3 : 2;
        CHECK_INT(sandbox_enter_main(argc, (char **)lines[i]), 70);
    }
}

static const TestCase cases[] = {
    TESTCASE(it_sees_its_folders_and_nothing_else),
    TESTCASE(it_sees_no_more_without_landlock),
    TESTCASE(what_is_not_listed_is_not_there),
    TESTCASE(its_root_cannot_be_filled),
    TESTCASE(guards_are_raised_behind_it),
    TESTCASE(addresses_are_fixed_only_where_that_is_asked_for),
    TESTCASE(input_folder_and_environment_come_through),
    TESTCASE(signals_and_limits_are_told_apart_from_exits),
    TESTCASE(nothing_of_it_is_left),
    TESTCASE(a_program_that_is_not_there_is_not_started),
    TESTCASE(a_bubblewrap_that_does_not_work_is_not_used),
    TESTCASE(a_bubblewrap_that_fails_has_not_started_the_job),
    TESTCASE(words_that_are_no_guards_are_refused),
};

// This program is also what bubblewrap starts.
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], SANDBOX_ENTER_ARGUMENT) == 0)
        return sandbox_enter_main(argc, argv);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
