// SPDX-License-Identifier: Apache-2.0
// compile: a .cu file's text -> PTX for compute_100a, with line information.
//
// The compiler is NVRTC, loaded by a child process that runs this same program
// (so main() must pass "--compile-child" on to compile_child_main), or nvcc.
// Neither is needed to build the grader. Limits stop a source that overloads
// its compiler, with endless templates or floods of messages; that is the
// source's fault. CompileStatus tells it apart from what the machine lacks.
// (Likewise main() passes SANDBOX_ENTER_ARGUMENT on, for bubblewrap.)
//
// The cache folder, if there is one, keeps the headers that every lab includes
// precompiled, and whole results by content. Any number of processes may use
// the folder at once, and anything in it may be removed at any time.
#ifndef CLCLAB_COMPILE_H
#define CLCLAB_COMPILE_H

#include "base/base.h"
#include "sandbox/sandbox.h"
#include "sandbox/toolkit.h"

// The first argument of a program that is started as a compiling child.
#define COMPILE_CHILD_ARGUMENT "--compile-child"

typedef enum CompilerChoice {
    // NVRTC if it can be loaded, else nvcc. Of a request that reads folders it
    // is also nvcc if NVRTC rejects a header, host code or a flag.
    COMPILE_WITH_ANY,
    COMPILE_WITH_NVRTC,
    COMPILE_WITH_NVCC,
} CompilerChoice;

typedef enum CompileStatus {
    COMPILE_OK,          // there may be warnings
    COMPILE_REJECTED,    // the source's fault: the Diags say why
    COMPILE_BAD_FLAG,    // a flag or a define is not allowed (exit code 2)
    COMPILE_UNAVAILABLE, // no toolkit or compiler (exit code 69)
    COMPILE_TRY_AGAIN,   // disk full, killed from outside, ... (75)
    COMPILE_BROKEN,      // the grader's or the toolkit's own fault (70)
} CompileStatus;

// ---- compiling -----------------------------------------------------------

typedef struct CompileRequest {
    Str path;   // as the user gave it, for messages and .file; it is not read
    Str source; // at most 1 MiB
    // The source's author is not the user: it may name the files that it
    // includes only plainly, and reach none outside the include folders.
    bool untrusted;
    // The headers are the user's own: the compiler reads their folders itself,
    // where that makes a difference. There may be any number of them, and they
    // may be named in any way. The first of include_dirs is the source's own,
    // in which a header of the machine's is not replaced by one of that name.
    bool reads_folders;
    // The compiler runs in bubblewrap where that is there, not only where there
    // is no Landlock; and a sandbox that is not whole is not enough, now or
    // when a kept result was made: COMPILE_UNAVAILABLE.
    bool whole_sandbox;
    // Folders of the headers that the source may include, besides the
    // toolkit's. The source's own folder is searched only if it is listed.
    const Str *include_dirs;
    size_t include_count;
    // A header of these folders that is included before the source's first
    // line, so that nothing in the source affects what it means. Empty: none.
    Str first_header;
    const Str *defines; // "NAME" or "NAME=value"; in force from the start
    size_t define_count;
    const Str *flags; // more options of the compiler: "--maxrregcount=32"
    size_t flag_count;
    // Names a kernel, as an expression of C++ behind the source: gemm<128, 64>.
    // That instance of a template is compiled. Empty: none.
    Str kernel;
    CompilerChoice compiler;
    // Where another process is precompiling the full headers, which takes
    // seconds, the source is compiled without them at once. That is quicker
    // where there are processors to spare.
    bool never_waits;
    Str cache_dir;         // created if it does not exist; empty: no cache
    Str stand_in_dir;      // compile/include: host headers for device code
    double time_limit_s;   // of processor time; 0: 25
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
    Str ptx; // where status is COMPILE_OK
    // Inline asm in it that the toolkit's ptxas does not take, at lines of the
    // PTX: nvcc would reject the source. To be told if the PTX can be parsed.
    Diags asm_errors;
    Str compiler; // "NVRTC 13.0", "nvcc 13.0"
    Str kernel;   // the name in the PTX of the request's kernel
    // Why it was nvcc though any compiler might be used and there is NVRTC:
    // what NVRTC said first. Empty: it was not.
    Str refusal;
    bool from_cache;      // nothing was compiled now
    bool has_run;         // a compiler has worked on the source, now or then,
    SandboxGuards guards; // under these guards
    CompilePch pch;
    Str note; // why a cache could not be used; empty: there was no problem
} CompileResult;

// Fills in *result and returns its status. The compiler's errors and warnings
// are appended to the Diags; every status but COMPILE_OK comes with at least
// one error.
CompileStatus compile_to_ptx(Arena *arena, const CompileRequest *request,
                             CompileResult *result, Diags *diags);

// The compiling child: reads a request from descriptor 0 and answers on 1.
// Returns, with an exit code, only if the request could not be read.
int compile_child_main(int argc, char **argv);

#endif
