// SPDX-License-Identifier: Apache-2.0
// A compiler's limits, what it may read, and whose fault it is when it does not
// end by itself: the source's, if it reached a limit; otherwise the machine's.
#include "compile/internal.h"

#include <signal.h>
#include <stdlib.h>

enum { DEFAULT_CPU_S = 25 }; // with COMPILE_EMPTY_S it makes 30

// A student must not lose points to a busy machine, so the limit is on
// processor time. The wall-clock limit is for a compiler that sleeps.
SandboxLimits compile_limits(const CompileRequest *request) {
    double cpu =
        request->time_limit_s > 0 ? request->time_limit_s : DEFAULT_CPU_S;
    return (SandboxLimits){
        .cpu_s = cpu < 1 ? 1 : (uint64_t)cpu,
        .wall_s = 10 * cpu + 30,
        .memory =
            request->memory_limit ? request->memory_limit : (uint64_t)2 << 30,
        .output = COMPILE_MAX_OUTPUT + 2 * COMPILE_MAX_LOG,
        .file_size = (uint64_t)512 << 20,
    };
}

bool compile_run(Arena *arena, const Unit *unit, SandboxJob *job,
                 SandboxResult *result, Diags *diags) {
    SandboxLimits whole = compile_limits(unit->request);
    double left = (double)whole.cpu_s - *unit->cpu_s;
    job->limits = whole;
    *result = (SandboxResult){.status = SANDBOX_TIMED_OUT, .cpu_spent = true};
    if (left < 1)
        return false;
    job->limits.cpu_s = (uint64_t)left;
    bool started = sandbox_run(arena, job, result, diags);
    *unit->cpu_s += result->cpu_s;
    job->limits = whole; // which is what messages are about
    return started;
}

bool compile_run_tool(Arena *arena, const Unit *unit, const char **argv,
                      bool host, const Scratch *scratch, SandboxJob *job,
                      SandboxResult *result, Diags *diags) {
    const char **env = arena_new(arena, const char *, 1);
    env[0] = str_format(arena, "TMPDIR=%.*s", STR_ARG(scratch->path)).ptr;
    SandboxPaths paths = {
        .write = &scratch->path, .write_count = 1, .read_only_these = true};
    Str *readable;
    paths.read_count = compile_readable(arena, unit, host, &readable);
    paths.read = readable;
    *job = (SandboxJob){.argv = argv,
                        .folder = str_cstring(arena, scratch->path),
                        .env = env,
                        .env_count = 1,
                        .paths = paths,
                        .scratch = scratch,
                        .scratch_count = 1,
                        .bubblewrap = unit->bubblewrap};
    return compile_run(arena, unit, job, result, diags);
}

Str compile_both_outputs(Arena *arena, const SandboxResult *result) {
    return str_format(arena, "%.*s\n%.*s", STR_ARG(result->err),
                      STR_ARG(result->out));
}

// ---- what it may read ----------------------------------------------------

static const char *const system_paths[] = {
    "/lib",       "/lib64",           "/usr/lib",   "/usr/lib64",
    "/usr/lib32", "/etc/ld.so.cache", "/proc/self", "/dev/urandom",
};
static const char *const host_paths[] = {
    "/bin", "/usr/bin", "/usr/libexec", "/usr/include", "/usr/local/include",
};
// Parts of a toolkit or of a host's compiler. Its whole folder may be /usr.
static const char *const toolkit_paths[] = {
    "bin", "include", "lib", "lib64", "libexec", "nvvm", "targets",
};

static void add_parts(Arena *arena, Str root, Str *list, size_t *count) {
    for (size_t i = 0; root.len && i < COUNT_OF(toolkit_paths); i++)
        list[(*count)++] =
            str_format(arena, "%.*s/%s", STR_ARG(root), toolkit_paths[i]);
}

// The folder above the bin/ in which PATH finds gcc.
static Str host_root(Arena *arena) {
    Str path = str_from(getenv("PATH"));
    while (path.len) {
        Str folder = str_cut(&path, ':');
        Str file = str_format(arena, "%.*s/gcc", STR_ARG(folder));
        if (!files_exist(arena, file))
            continue;
        file = files_absolute(arena, file);
        for (int steps = 0; steps < 2; steps++)
            while (file.len && file.ptr[--file.len] != '/')
                continue;
        return file;
    }
    return (Str){0};
}

// The folders of a user's own headers.
static void add_disk(Arena *arena, const Unit *unit, Str *list, size_t *count) {
    options_add_folders(arena, unit, "", "", list, count);
    for (size_t i = 0; i < unit->disk_count; i++)
        list[(*count)++] = unit->disk_dirs[i];
}

size_t compile_readable(Arena *arena, const Unit *unit, bool host, Str **list) {
    const Toolkit *toolkit = &unit->toolkit;
    size_t n = 0;
    Str *out = arena_new(
        arena, Str,
        COUNT_OF(system_paths) + COUNT_OF(host_paths) +
            3 * COUNT_OF(toolkit_paths) + COUNT_OF(toolkit->include) + 1 +
            unit->include_count + unit->system_count + unit->disk_count);
    for (size_t i = 0; i < COUNT_OF(system_paths); i++)
        out[n++] = str_from(system_paths[i]);
    for (size_t i = 0; host && i < COUNT_OF(host_paths); i++)
        out[n++] = str_from(host_paths[i]);
    add_parts(arena, toolkit->root, out, &n);
    add_parts(arena, unit->nvcc_root, out, &n);
    add_parts(arena, host ? host_root(arena) : (Str){0}, out, &n);
    for (size_t i = 0; i < toolkit->include_count; i++)
        out[n++] = toolkit->include[i];
    if (unit->stand_ins.len)
        out[n++] = unit->stand_ins;
    if (unit->from_disk)
        add_disk(arena, unit, out, &n);
    *list = out;
    return n;
}

// ---- whose fault it is ---------------------------------------------------

static CompileStatus blame_source(const CompileRequest *request, Str how,
                                  const char *help, Diags *diags) {
    SrcLoc at = {.file = request->path, .line = 1};
    diag_add(diags, DIAG_ERROR, at, "The compiler %.*s.", STR_ARG(how))->help =
        str_from(help);
    return COMPILE_REJECTED;
}

static CompileStatus blame_machine(Str how, Diags *diags) {
    diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "The compiler %.*s.", STR_ARG(how))
        ->help = STR("This says nothing about the file: try again when the "
                     "machine is less busy.");
    return COMPILE_TRY_AGAIN;
}

CompileStatus compile_judge_end(Arena *arena, const CompileRequest *request,
                                const SandboxJob *job,
                                const SandboxResult *result, Diags *diags) {
    Str how = sandbox_describe(arena, job, result);
    switch (result->status) {
    case SANDBOX_NOT_STARTED: // sandbox_run has added a Diag
        return COMPILE_TRY_AGAIN;
    case SANDBOX_EXITED:
        return COMPILE_BROKEN;
    case SANDBOX_SIGNALLED:
        if (result->code == SIGKILL || result->code == SIGTERM)
            return blame_machine(how, diags);
        return blame_source(request, how,
                            "It crashed on this file: look for very deep "
                            "nesting, and try to compile a part of it.",
                            diags);
    case SANDBOX_TIMED_OUT:
        if (!result->cpu_spent)
            return blame_machine(how, diags);
        return blame_source(request, how,
                            "Something in the file makes it work without end: "
                            "look for templates and constexpr functions that "
                            "recurse, and for loops unrolled too far.",
                            diags);
    case SANDBOX_OUT_OF_MEMORY:
        return blame_source(request, how,
                            "Something in the file makes it grow without end: "
                            "look for templates that recurse and for huge "
                            "constants.",
                            diags);
    case SANDBOX_OUTPUT_TOO_LARGE:
        return blame_source(request, how,
                            "The file makes too much code or too many "
                            "messages.",
                            diags);
    }
    return COMPILE_BROKEN;
}
