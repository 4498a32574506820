// SPDX-License-Identifier: Apache-2.0
// compile: a .cu file's text -> PTX for compute_100a, with line information.
//
// The compiler is NVRTC, loaded by a child process of this very program (so
// that main() must hand "--compile-child" to compile_child_main), or nvcc.
// Neither is needed to build. What a source does to its compiler - endless
// templates, floods of messages - ends at a limit and is the source's fault;
// what the machine lacks is told apart from it by CompileStatus.
//
// With a cache folder, the headers that every lab includes are kept
// precompiled, and whole results are kept by content. Any process may use the
// folder at any time; anything in it may be removed at any time.
#ifndef CLCLAB_COMPILE_H
#define CLCLAB_COMPILE_H

#include "base/base.h"
#include "sandbox/toolkit.h"

// The first argument of the program when it is to be a compiling child.
#define COMPILE_CHILD_ARGUMENT "--compile-child"

typedef enum CompilerChoice {
    COMPILE_WITH_ANY, // NVRTC if it can be loaded, else nvcc
    COMPILE_WITH_NVRTC,
    COMPILE_WITH_NVCC,
} CompilerChoice;

typedef enum CompileStatus {
    COMPILE_OK,          // there may be warnings
    COMPILE_REJECTED,    // the source's fault: the Diags say why
    COMPILE_BAD_FLAG,    // one of the flags or defines cannot be (2)
    COMPILE_UNAVAILABLE, // no toolkit or compiler (exit code 69)
    COMPILE_TRY_AGAIN,   // disk full, killed from outside, ... (75)
    COMPILE_BROKEN,      // the grader's or the toolkit's own fault (70)
} CompileStatus;

// ---- compiling -----------------------------------------------------------

typedef struct CompileRequest {
    Str path;   // as the user gave it: for messages and .file; not read
    Str source; // at most 1 MiB
    // Folders of the headers that the source may include, besides the
    // toolkit's. The source's own folder is not one of them by itself.
    const Str *include_dirs;
    size_t include_count;
    const Str *defines; // "NAME" or "NAME=value"
    size_t define_count;
    const Str *flags; // more options of the compiler: "--maxrregcount=32"
    size_t flag_count;
    CompilerChoice compiler;
    Str cache_dir;         // made if it is not there; empty: no cache
    Str stand_in_dir;      // compile/include: host headers for device code
    double time_limit_s;   // of processor time; 0: 30
    uint64_t memory_limit; // bytes; 0: 2 GiB
    const ToolkitSearch *search; // NULL: toolkit_search_environment()
} CompileRequest;

typedef enum CompilePch {
    COMPILE_PCH_NONE,    // not wanted, or not possible here: see note
    COMPILE_PCH_CREATED, // the next compile will be fast
    COMPILE_PCH_USED,
} CompilePch;

typedef struct CompileResult {
    CompileStatus status;
    Str ptx;         // where status is COMPILE_OK
    Str compiler;    // "NVRTC 13.0", "nvcc 13.0"
    bool from_cache; // nothing was compiled
    CompilePch pch;
    Str note; // what kept the caches from working; empty: nothing
} CompileResult;

// Fills in *result and gives its status. The compiler's warnings are appended
// to the Diags with its errors; every status but COMPILE_OK comes with at
// least one error.
CompileStatus compile_to_ptx(Arena *arena, const CompileRequest *request,
                             CompileResult *result, Diags *diags);

// The compiling child: reads a request from descriptor 0, answers on 1. Does
// not return when the request could be read; else gives an exit code.
int compile_child_main(int argc, char **argv);

#endif
