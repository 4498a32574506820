// SPDX-License-Identifier: Apache-2.0
// Compiles with `nvcc -ptx`, where there is no NVRTC or where nvcc is asked
// for. The source and its headers are written to a private folder. nvcc runs
// there with relative names, so its output does not depend on the folder.
#include "compile/internal.h"

#include <string.h>

#define OUTPUT "output.ptx"
#define FOLDER "include"
#define INCLUDE "-I" FOLDER

static const char no_space[] = "No space left on device";

// The source's own folder comes first for "..." and last for <...>: a string.h
// there is not the machine's. nvcc takes that as options of gcc, which must not
// hold a comma.
static void add_folders(Arena *arena, const Unit *unit, Str *list, size_t *n) {
    Unit others = *unit;
    Str own = unit->include_count ? files_absolute(arena, unit->include_dirs[0])
                                  : (Str){0};
    if (own.len && str_find(own, ',') == own.len) {
        others.include_dirs++;
        others.include_count--;
        list[(*n)++] =
            str_format(arena, "-Xcompiler=-iquote%.*s", STR_ARG(own));
        list[(*n)++] =
            str_format(arena, "-Xcompiler=-idirafter%.*s", STR_ARG(own));
    }
    options_add_folders(arena, &others, "-I", "-isystem=", list, n);
}

size_t nvcc_options(Arena *arena, const Unit *unit, Str **options) {
    static const char *const fixed[] = {
        "-ptx", "--gpu-architecture=compute_100a", "-lineinfo", "-o", OUTPUT,
    };
    size_t n = 0;
    Str *list = arena_new(arena, Str,
                          COUNT_OF(fixed) + unit->flag_count + 5 +
                              unit->include_count + unit->system_count);
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        list[n++] = str_from(fixed[i]);
    list[n++] = unit->standard;
    if (unit->from_disk)
        add_folders(arena, unit, list, &n);
    else
        list[n++] = STR(INCLUDE);
    for (size_t i = 0; i < unit->flag_count; i++)
        list[n++] = unit->flags[i];
    list[n++] = STR(COMPILE_SOURCE_NAME);
    *options = list;
    return n;
}

// ---- its folder ----------------------------------------------------------

static bool write_header(Arena *arena, Str folder, const Header *header) {
    Str path = str_format(arena, "%.*s/" FOLDER "/%.*s", STR_ARG(folder),
                          STR_ARG(header->name));
    Str parent = path;
    while (parent.len && parent.ptr[parent.len - 1] != '/')
        parent.len--;
    return files_make_folder(arena, str_slice(parent, 0, parent.len - 1)) &&
           files_write_atomic(arena, path, header->text);
}

static bool write_files(Arena *arena, const Unit *unit, Str folder) {
    Str source = unit_source(arena, unit, (Str){0});
    Str path = str_format(arena, "%.*s/" COMPILE_SOURCE_NAME, STR_ARG(folder));
    bool ok = files_write_atomic(arena, path, source);
    Str headers = str_format(arena, "%.*s/" FOLDER, STR_ARG(folder));
    ok = ok && files_make_folder(arena, headers);
    for (size_t i = 0; ok && !unit->from_disk && i < unit->header_count; i++)
        ok = write_header(arena, folder, &unit->headers[i]);
    return ok;
}

static void map_names(Arena *arena, const Unit *unit, Str folder,
                      NameMap *map) {
    Str source = unit->request->source;
    names_add_in(arena, map, folder, unit->name, unit->name, source);
    names_add_in(arena, map, folder, STR(COMPILE_SOURCE_NAME), unit->name,
                 source);
    for (size_t i = 0; i < unit->header_count; i++) {
        const Header *h = &unit->headers[i];
        if (unit->from_disk) {
            names_add_path(arena, map, h->shown, h->text);
            continue;
        }
        Str given = str_format(arena, FOLDER "/%.*s", STR_ARG(h->name));
        names_add_in(arena, map, folder, given, h->shown, h->text);
    }
}

// ---- where it is ---------------------------------------------------------

static bool is_script(Arena *arena, Str path) {
    enum { MOST = 1 << 16 }; // bytes: a program is larger
    Str text;
    return files_read(arena, path, MOST, &text) && str_starts(text, STR("#!"));
}

// `nvcc --dryrun` says TOP=/usr/local/cuda/bin/.. and compiles nothing.
static Str find_root(Arena *arena, const Unit *unit, const Scratch *scratch) {
    const char *argv[] = {str_cstring(arena, unit->toolkit.nvcc), "--dryrun",
                          "-ptx", COMPILE_SOURCE_NAME, NULL};
    Str temporary = str_format(arena, "TMPDIR=%.*s", STR_ARG(scratch->path));
    const char *env[] = {temporary.ptr};
    SandboxJob job = {.argv = argv,
                      .folder = str_cstring(arena, scratch->path),
                      .env = env,
                      .env_count = 1,
                      .paths = {.write = &scratch->path, .write_count = 1},
                      .scratch = scratch,
                      .scratch_count = 1};
    SandboxResult result;
    Diags unheard = diags_new(arena);
    if (!is_script(arena, unit->toolkit.nvcc) ||
        !compile_run(arena, unit, &job, &result, &unheard))
        return (Str){0};
    for (Str rest = result.err; rest.len;) {
        Str line = str_cut(&rest, '\n'), mark = STR("#$ TOP=");
        if (str_starts(line, mark))
            return files_absolute(arena, str_slice(line, mark.len, line.len));
    }
    return (Str){0};
}

// ---- running it ----------------------------------------------------------

static CompileStatus fail_files(Diags *diags) {
    diag_add(diags, DIAG_ERROR, (SrcLoc){0},
             "Cannot write nvcc's temporary files.")
        ->help = STR("Is the disk full? TMPDIR names another folder.");
    return COMPILE_TRY_AGAIN;
}

// nvcc runs the host's C++ compiler even for device code alone. Without it the
// log says "gcc: fatal error: cannot execute 'cc1plus'" and then this.
static bool lacks_host_compiler(Str log) {
    static const char words[] = "Failed to preprocess host compiler properties";
    return log.len && memmem(log.ptr, log.len, words, sizeof words - 1);
}

static CompileStatus lack_host_compiler(Outcome *outcome, Diags *diags) {
    outcome->log = (Str){0};
    diag_add(diags, DIAG_ERROR, (SrcLoc){0},
             "nvcc cannot run a C++ compiler of this machine.")
        ->help = STR("Install g++ (apt-get install g++), or use --compiler "
                     "nvrtc, which needs none.");
    return COMPILE_UNAVAILABLE;
}

static CompileStatus judge_exit(Arena *arena, Str folder,
                                const SandboxResult *result, Outcome *outcome,
                                Diags *diags) {
    Str path = str_format(arena, "%.*s/" OUTPUT, STR_ARG(folder));
    if (result->code == 0)
        return files_read(arena, path, COMPILE_MAX_OUTPUT, &outcome->ptx)
                   ? COMPILE_OK
                   : fail_files(diags);
    if (memmem(outcome->log.ptr, outcome->log.len, no_space,
               sizeof no_space - 1))
        return fail_files(diags);
    if (lacks_host_compiler(outcome->log))
        return lack_host_compiler(outcome, diags);
    return COMPILE_REJECTED;
}

static void run_nvcc(Arena *arena, const Unit *unit, const Scratch *scratch,
                     Outcome *outcome, Diags *diags) {
    Str folder = scratch->path;
    Str *options = NULL;
    size_t count = nvcc_options(arena, unit, &options);
    const char **argv = arena_new(arena, const char *, count + 2);
    argv[0] = str_cstring(arena, unit->toolkit.nvcc);
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = str_cstring(arena, options[i]);
    SandboxJob job;
    SandboxResult result;
    outcome->has_run = compile_run_tool(arena, unit, argv, true, scratch, &job,
                                        &result, diags);
    outcome->log = compile_both_outputs(arena, &result);
    outcome->tight = result.tight;
    outcome->guards = result.guards;
    outcome->status =
        result.status == SANDBOX_EXITED
            ? judge_exit(arena, folder, &result, outcome, diags)
            : compile_judge_end(arena, unit->request, &job, &result, diags);
}

void nvcc_compile(Arena *arena, Unit *unit, Outcome *outcome, Diags *diags) {
    Str version = toolkit_version_name(arena, unit->toolkit.version);
    outcome->compiler = str_format(arena, "nvcc %.*s", STR_ARG(version));
    outcome->status = COMPILE_TRY_AGAIN;
    Scratch scratch;
    if (!files_make_scratch(arena, unit->request->cache_dir, &scratch, diags))
        return;
    unit->nvcc_root = find_root(arena, unit, &scratch);
    map_names(arena, unit, scratch.path, &outcome->names);
    if (write_files(arena, unit, scratch.path))
        run_nvcc(arena, unit, &scratch, outcome, diags);
    else
        outcome->status = fail_files(diags);
    sandbox_remove_scratch(&scratch);
}
