// SPDX-License-Identifier: Apache-2.0
// Finds a CUDA toolkit: a folder with headers of 12.8 or newer and a compiler
// (NVRTC or nvcc), or one with an assembler. It runs no program for this: the
// version is in cuda.h. It knows the layouts of NVIDIA's installers, of
// distributions (under /usr) and of Conda.
#include "sandbox/toolkit.h"
#include "sandbox/files.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OLDEST = 12080,       // the first with compute_100a and precompiled headers
    MAX_CANDIDATES = 64,  // toolkits that are examined
    MAX_HEADER = 4 << 20, // bytes of cuda.h
};

typedef struct Finder {
    Arena *arena;
    bool assembler;             // it looks for an assembler, not a compiler
    Str looked[MAX_CANDIDATES]; // folders already examined
    size_t looked_count;
    Buf report; // one clause per folder: what was wrong with it
} Finder;

ToolkitSearch toolkit_search_environment(void) {
    return (ToolkitSearch){.only = str_from(getenv("CLCLAB_TOOLKIT")),
                           .cuda_home = str_from(getenv("CUDA_HOME")),
                           .cuda_path = str_from(getenv("CUDA_PATH")),
                           .path = str_from(getenv("PATH")),
                           .standard = STR("/usr/local")};
}

Str toolkit_version_name(Arena *arena, uint32_t version) {
    return str_format(arena, "%u.%u", version / 1000, version % 1000 / 10);
}

static Str join(Arena *arena, Str folder, const char *name) {
    return str_format(arena, "%.*s/%s", STR_ARG(folder), name);
}

// ---- one candidate -------------------------------------------------------

// The first of `names` below `root` that exists; empty: none.
static Str first_of(Arena *arena, Str root, const char *const *names,
                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        Str path = join(arena, root, names[i]);
        if (files_exist(arena, path))
            return path;
    }
    return (Str){0};
}

static Str find_header_folder(Arena *arena, Str root) {
    static const char *const places[] = {"include/cuda.h",
                                         "targets/x86_64-linux/include/cuda.h",
                                         "targets/sbsa-linux/include/cuda.h"};
    Str path = first_of(arena, root, places, COUNT_OF(places));
    return str_slice(path, 0, path.len - (path.len ? strlen("/cuda.h") : 0));
}

static Str find_library(Arena *arena, Str root, const char *const *names,
                        size_t count) {
    static const char *const folders[] = {"lib64",
                                          "lib",
                                          "targets/x86_64-linux/lib",
                                          "targets/sbsa-linux/lib",
                                          "lib/x86_64-linux-gnu",
                                          "lib/aarch64-linux-gnu"};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        Str found =
            first_of(arena, join(arena, root, folders[i]), names, count);
        if (found.len)
            return found;
    }
    return (Str){0};
}

// CUDA_VERSION as cuda.h defines it; 0 if it does not.
static uint32_t read_version(Arena *arena, Str folder) {
    static const char define[] = "#define CUDA_VERSION ";
    Str text;
    if (!files_read(arena, join(arena, folder, "cuda.h"), MAX_HEADER, &text))
        return 0;
    const char *hit = memmem(text.ptr, text.len, define, sizeof define - 1);
    if (!hit)
        return 0;
    size_t at = (size_t)(hit - text.ptr) + sizeof define - 1;
    uint64_t version = 0;
    size_t end = at;
    while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9')
        end++;
    bool ok = str_to_u64(str_slice(text, at, end), &version);
    return ok && version < 1000000 ? (uint32_t)version : 0;
}

static bool reject(Finder *finder, Str root, const char *why) {
    buf_printf(&finder->report, "%s%.*s (%s)", finder->report.len ? ", " : "",
               STR_ARG(root), why);
    return false;
}

static void fill_includes(Arena *arena, Str folder, Toolkit *toolkit) {
    Str cccl = join(arena, folder, "cccl");
    toolkit->include[toolkit->include_count++] = folder;
    if (files_exist(arena, join(arena, cccl, "cuda/ptx")))
        toolkit->include[toolkit->include_count++] = cccl;
}

// Fills in all that the folder has, without judging it.
static void fill_toolkit(Arena *arena, Str root, Toolkit *toolkit) {
    static const char *const nvrtc[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                        "libnvrtc.so"};
    static const char *const nvjitlink[] = {
        "libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
    static const char *const nvcc[] = {"bin/nvcc"};
    static const char *const ptxas[] = {"bin/ptxas"};
    *toolkit = (Toolkit){.root = root};
    Str folder = find_header_folder(arena, root);
    if (folder.len) {
        toolkit->version = read_version(arena, folder);
        fill_includes(arena, folder, toolkit);
    }
    toolkit->nvrtc = find_library(arena, root, nvrtc, COUNT_OF(nvrtc));
    toolkit->nvjitlink =
        find_library(arena, root, nvjitlink, COUNT_OF(nvjitlink));
    toolkit->nvcc = first_of(arena, root, nvcc, 1);
    toolkit->ptxas = first_of(arena, root, ptxas, 1);
}

static bool judge_compiler(Finder *finder, const Toolkit *toolkit) {
    Arena *arena = finder->arena;
    if (toolkit->include_count == 0)
        return reject(finder, toolkit->root, "no cuda.h");
    if (toolkit->version < OLDEST) {
        Str version = toolkit_version_name(arena, toolkit->version);
        Str why = str_format(arena, "version %.*s", STR_ARG(version));
        return reject(finder, toolkit->root, str_cstring(arena, why));
    }
    if (toolkit->nvrtc.len || toolkit->nvcc.len)
        return true;
    return reject(finder, toolkit->root, "neither libnvrtc.so nor bin/nvcc");
}

static bool judge_assembler(Finder *finder, const Toolkit *toolkit) {
    if (toolkit->nvjitlink.len || toolkit->ptxas.len)
        return true;
    return reject(finder, toolkit->root,
                  "neither libnvJitLink.so nor bin/ptxas");
}

static bool try_root(Finder *finder, Str root, Toolkit *toolkit) {
    for (size_t i = 0; i < finder->looked_count; i++)
        if (str_equal(finder->looked[i], root))
            return false;
    if (root.len == 0 || finder->looked_count == MAX_CANDIDATES)
        return false;
    finder->looked[finder->looked_count++] = root;
    fill_toolkit(finder->arena, root, toolkit);
    return finder->assembler ? judge_assembler(finder, toolkit)
                             : judge_compiler(finder, toolkit);
}

// ---- where to look -------------------------------------------------------

static Str without_slash(Str path) {
    while (path.len > 1 && path.ptr[path.len - 1] == '/')
        path.len--;
    return path;
}

// /x/bin/nvcc belongs to the toolkit /x. If it is a link, the toolkit of the
// link's target is tried as well.
static bool try_program(Finder *finder, Str folder, Toolkit *toolkit) {
    Arena *arena = finder->arena;
    Str program = join(arena, folder, finder->assembler ? "ptxas" : "nvcc");
    if (folder.len == 0 || !files_exist(arena, program))
        return false;
    Str names[] = {program, files_absolute(arena, program)};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Str end = finder->assembler ? STR("/bin/ptxas") : STR("/bin/nvcc");
        Str root = str_slice(names[i], 0, names[i].len - end.len);
        if (str_ends(names[i], end) && try_root(finder, root, toolkit))
            return true;
    }
    return false;
}

static bool try_path(Finder *finder, Str path, Toolkit *toolkit) {
    while (path.len)
        if (try_program(finder, without_slash(str_cut(&path, ':')), toolkit))
            return true;
    return false;
}

static int newest_first(const void *a, const void *b) {
    return strverscmp(*(const char *const *)b, *(const char *const *)a);
}

// Tries cuda, then cuda-*, the newest first.
static bool try_standard(Finder *finder, Str folder, Toolkit *toolkit) {
    Arena *arena = finder->arena;
    if (folder.len == 0)
        return false;
    if (try_root(finder, join(arena, folder, "cuda"), toolkit))
        return true;
    DIR *listing = opendir(str_cstring(arena, folder));
    if (!listing)
        return false;
    const char *names[MAX_CANDIDATES];
    size_t count = 0;
    for (struct dirent *e = readdir(listing); e; e = readdir(listing))
        if (strncmp(e->d_name, "cuda-", 5) == 0 && count < MAX_CANDIDATES)
            names[count++] = str_cstring(arena, str_from(e->d_name));
    closedir(listing);
    qsort(names, count, sizeof names[0], newest_first);
    for (size_t i = 0; i < count; i++)
        if (try_root(finder, join(arena, folder, names[i]), toolkit))
            return true;
    return false;
}

static bool find(Finder *finder, const ToolkitSearch *search,
                 Toolkit *toolkit) {
    if (search->only.len)
        return try_root(finder, without_slash(search->only), toolkit);
    return try_root(finder, without_slash(search->cuda_home), toolkit) ||
           try_root(finder, without_slash(search->cuda_path), toolkit) ||
           try_path(finder, search->path, toolkit) ||
           try_standard(finder, without_slash(search->standard), toolkit);
}

static void report_failure(const Finder *finder, const ToolkitSearch *search,
                           Diags *diags) {
    Str seen = buf_view(&finder->report);
    const char *lacks =
        finder->assembler
            ? "No assembler of PTX (nvJitLink or ptxas) was found."
            : "No CUDA toolkit of version 12.8 or newer was found.";
    const char *more = finder->assembler ? "; no other ptxas is on PATH"
                                         : "; no other nvcc is on PATH";
    diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "%s Looked at: %.*s%s.", lacks,
             STR_ARG(seen),
             search->only.len ? ", which CLCLAB_TOOLKIT names" : more)
        ->help =
        finder->assembler
            ? STR("Install the toolkit's libnvjitlink or cuda-nvcc of the "
                  "version that compiles, or set CUDA_HOME to where it is.")
            : STR("Install CUDA 12.8 or newer (no GPU or driver is needed), "
                  "or set CUDA_HOME to the folder where it is.");
}

static bool find_or_report(Arena *arena, const ToolkitSearch *search,
                           bool assembler, Toolkit *toolkit, Diags *diags) {
    Finder finder = {.arena = arena, .assembler = assembler};
    bool found = find(&finder, search, toolkit);
    if (!found) {
        *toolkit = (Toolkit){0};
        report_failure(&finder, search, diags);
    }
    buf_free(&finder.report);
    return found;
}

bool toolkit_find(Arena *arena, const ToolkitSearch *search, Toolkit *toolkit,
                  Diags *diags) {
    return find_or_report(arena, search, false, toolkit, diags);
}

bool toolkit_find_assembler(Arena *arena, const ToolkitSearch *search,
                            Toolkit *toolkit, Diags *diags) {
    Diags unheard = diags_new(arena);
    if (toolkit_find(arena, search, toolkit, &unheard) &&
        (toolkit->nvjitlink.len || toolkit->ptxas.len))
        return true;
    return find_or_report(arena, search, true, toolkit, diags);
}
