// SPDX-License-Identifier: Apache-2.0
// Jobs in bubblewrap (bwrap), which gives them namespaces of their own: they
// see the folders of SandboxPaths and nothing else of the machine, no other
// process and no network.
//
//   bwrap --unshare-all ... -- SELF --sandbox-enter GUARD... -- PROGRAM ...
//
// bwrap mounts, which neither Landlock nor the filter of system calls allows.
// So those are raised behind it, by this program, which bwrap starts first; it
// tells the caller which it got, and becomes the job's program. It is not heard
// of where bwrap fails.
//
// Nothing here makes a session or a group: those of the job are its own, and
// the supervisor kills by them. When bwrap dies, the kernel kills its
// namespace.
#include "sandbox/files.h"
#include "sandbox/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SELF "/clclab" // where this program is, inside

// ---- the command line ----------------------------------------------------

typedef struct Words {
    Arena *arena;
    const char **items;
    size_t count, capacity;
} Words;

static void add(Words *words, const char *word) {
    arena_grow(words->arena, words->items, words->count, words->capacity);
    words->items[words->count++] = word;
}

static void add_bind(Words *words, const char *option, Str path) {
    const char *name = str_cstring(words->arena, path);
    add(words, option);
    add(words, name);
    add(words, name);
}

// Whether the path is in another one's folder, with which it comes.
static bool comes_with(Str path, Str folder) {
    return path.len > folder.len && str_starts(path, folder) &&
           path.ptr[folder.len] == '/';
}

static bool is_bound(const SandboxPaths *paths, size_t which) {
    Str path = paths->read[which];
    for (size_t i = 0; i < paths->read_count; i++)
        if (paths->read[i].len && comes_with(path, paths->read[i]))
            return true;
    for (size_t i = 0; i < which; i++)
        if (str_equal(path, paths->read[i]))
            return true;
    return false;
}

// What may be written to comes last, as it may be in a folder that may be read.
// The root itself is memory that nobody counts.
static void add_paths(Words *words, const SandboxPaths *paths) {
    for (size_t i = 0; i < paths->read_count; i++) {
        Str path = paths->read[i];
        if (path.len == 0 || str_starts(path, STR("/proc/")) ||
            is_bound(paths, i))
            continue;
        bool device = str_starts(path, STR("/dev/"));
        add_bind(words, device ? "--dev-bind-try" : "--ro-bind-try", path);
    }
    for (size_t i = 0; i < paths->write_count; i++)
        add_bind(words, "--bind", paths->write[i]);
    add(words, "--remount-ro");
    add(words, "/");
}

static void add_self(Words *words) {
    char *path = arena_new(words->arena, char, PATH_MAX);
    if (readlink("/proc/self/exe", path, PATH_MAX - 1) < 0)
        path[0] = '\0'; // bwrap says that it is not there
    add(words, "--ro-bind");
    add(words, path);
    add(words, SELF);
}

// For sandbox_enter_main, which reads them again.
static void add_guards(Words *words, const SandboxJob *job) {
    const SandboxPaths *paths = &job->paths;
    Arena *arena = words->arena;
    for (size_t i = 0; i < paths->read_count; i++)
        add(words, str_format(arena, "r%.*s", STR_ARG(paths->read[i])).ptr);
    for (size_t i = 0; i < paths->write_count; i++)
        add(words, str_format(arena, "w%.*s", STR_ARG(paths->write[i])).ptr);
    if (paths->read_only_these)
        add(words, "only");
    if (job->fixed_addresses)
        add(words, "fixed");
    if (job->sockets)
        add(words, "sockets");
}

// The program, then its arguments from the 0th on. No arguments: nothing is
// run.
static void add_program(Words *words, const SandboxJob *job) {
    const char *program = job->program ? job->program : job->argv[0];
    add(words, "--");
    if (program)
        add(words, strcmp(program, "/proc/self/exe") == 0 ? SELF : program);
    for (size_t i = 0; job->argv[i]; i++)
        add(words, job->argv[i]);
}

static SandboxJob wrap(Arena *arena, const SandboxJob *job) {
    static const char *const fixed[] = {
        "bwrap",      "--unshare-all", "--die-with-parent",
        "--cap-drop", "ALL",           "--proc",
        "/proc",      "--dev-bind",    "/dev/null",
        "/dev/null"};
    Words words = {.arena = arena};
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        add(&words, fixed[i]);
    add_self(&words);
    add_paths(&words, &job->paths);
    if (job->folder) {
        add(&words, "--chdir");
        add(&words, job->folder);
    }
    add(&words, "--");
    add(&words, SELF);
    add(&words, SANDBOX_ENTER_ARGUMENT);
    add_guards(&words, job);
    add_program(&words, job);
    add(&words, NULL);
    SandboxJob wrapped = *job;
    wrapped.argv = words.items;
    wrapped.program = str_cstring(arena, job->bubblewrap->program);
    return wrapped;
}

// ---- inside --------------------------------------------------------------

// Returns whether the word is a guard; then it is noted in the job.
static bool take_guard(const char *word, SandboxJob *job, Str *read,
                       Str *write) {
    SandboxPaths *paths = &job->paths;
    if (word[0] == 'r')
        read[paths->read_count++] = str_from(word + 1);
    else if (word[0] == 'w')
        write[paths->write_count++] = str_from(word + 1);
    else if (strcmp(word, "only") == 0)
        paths->read_only_these = true;
    else if (strcmp(word, "fixed") == 0)
        job->fixed_addresses = true;
    else if (strcmp(word, "sockets") == 0)
        job->sockets = true;
    else
        return false;
    return true;
}

int sandbox_enter_main(int argc, char **argv) {
    Arena arena = {0};
    Str *read = arena_new(&arena, Str, (size_t)argc + 1);
    Str *write = arena_new(&arena, Str, (size_t)argc + 1);
    SandboxJob job = {.paths = {.read = read, .write = write}};
    int at = 2;
    while (at < argc && take_guard(argv[at], &job, read, write))
        at++;
    bool is_right = at < argc && strcmp(argv[at], "--") == 0;
    if (is_right)
        sandbox_start_inside(&job, argv + at + 1);
    arena_free(&arena);
    return is_right ? 0 : 70;
}

// ---- the run -------------------------------------------------------------

// bwrap ends as a shell does: 128 and the signal. A program may itself exit
// with 255.
static void translate_end(SandboxResult *result) {
    enum { SIGNALS = 128 };
    if (result->status != SANDBOX_EXITED || result->code <= SIGNALS ||
        result->code - SIGNALS >= NSIG)
        return;
    result->status = SANDBOX_SIGNALLED;
    result->code -= SIGNALS;
    if (result->code == SIGXCPU) {
        result->status = SANDBOX_TIMED_OUT;
        result->cpu_spent = true;
    }
}

void sandbox_note_bubblewrap(SandboxGuards *guards,
                             const SandboxBubblewrap *bubblewrap) {
    snprintf(guards->bubblewrap, sizeof guards->bubblewrap, "%.*s",
             STR_ARG(bubblewrap->version));
}

bool sandbox_run(Arena *arena, const SandboxJob *job, SandboxResult *result,
                 Diags *diags) {
    if (!job->bubblewrap)
        return sandbox_run_plain(arena, job, result, diags);
    SandboxJob wrapped = wrap(arena, job);
    if (!sandbox_run_plain(arena, &wrapped, result, diags))
        return false;
    translate_end(result);
    sandbox_note_bubblewrap(&result->guards, job->bubblewrap);
    return true;
}

// ---- whether it is there -------------------------------------------------

// "bubblewrap 0.8.0"; empty: it is no bubblewrap.
static Str ask_version(Arena *arena, Str program) {
    const char *argv[] = {str_cstring(arena, program), "--version", NULL};
    SandboxJob job = {.argv = argv, .limits = {.wall_s = 10}};
    SandboxResult result;
    Diags unheard = diags_new(arena);
    if (!sandbox_run_plain(arena, &job, &result, &unheard))
        return (Str){0};
    Str line = str_trim(result.out), name = STR("bubblewrap ");
    return str_starts(line, name) ? str_slice(line, name.len, line.len)
                                  : (Str){0};
}

// A container or a distribution can forbid namespaces to ordinary users.
static bool try_it(Arena *arena, const SandboxBubblewrap *bubblewrap) {
    static const char *const nothing[] = {NULL};
    static const Str libraries[] = {{"/lib", 4},
                                    {"/lib64", 6},
                                    {"/usr/lib", 8},
                                    {"/usr/lib64", 10},
                                    {"/etc/ld.so.cache", 16}};
    SandboxJob job = {
        .argv = nothing,
        .bubblewrap = bubblewrap,
        .paths = {.read = libraries, .read_count = COUNT_OF(libraries)},
        .limits = {.wall_s = 10}};
    SandboxResult result;
    Diags unheard = diags_new(arena);
    return sandbox_run(arena, &job, &result, &unheard) &&
           result.status == SANDBOX_EXITED && result.code == 0;
}

bool sandbox_find_bubblewrap(Arena *arena, SandboxBubblewrap *found, Str *why) {
    *found = (SandboxBubblewrap){.program = files_find_program(arena, "bwrap")};
    *why = STR("It is not on PATH.");
    if (found->program.len == 0)
        return false;
    found->version = ask_version(arena, found->program);
    *why = str_format(arena, "%.*s is no bubblewrap.", STR_ARG(found->program));
    if (found->version.len == 0)
        return false;
    *why =
        str_format(arena, "%.*s is there, but cannot make its namespaces here.",
                   STR_ARG(found->program));
    return try_it(arena, found);
}
