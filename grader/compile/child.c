// SPDX-License-Identifier: Apache-2.0
// The compiling child: this same program, which nvrtc.c starts inside a sandbox
// with --compile-child. It reads one ChildRequest, loads NVRTC, gives up the
// right to read any file that the request does not name, compiles, and writes
// one ChildAnswer. It does not judge the result.
//
// NVRTC's functions are declared here because the grader is built without a
// toolkit.
#include "compile/internal.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

enum { EXIT_BAD_REQUEST = 70 };

typedef struct Nvrtc {
    int (*version)(int *major, int *minor);
    int (*create)(void **program, const char *source, const char *name,
                  int header_count, const char *const *headers,
                  const char *const *include_names);
    int (*compile)(void *program, int count, const char *const *options);
    int (*log_size)(void *program, size_t *size);
    int (*log)(void *program, char *text);
    int (*ptx_size)(void *program, size_t *size);
    int (*ptx)(void *program, char *text);
    int (*pch_status)(void *program); // NULL: this version has none
} Nvrtc;

// POSIX lets a data pointer hold a function's address; C11 does not guarantee
// it.
static bool find_function(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load_nvrtc(const char *path, Nvrtc *nvrtc) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    find_function(library, "nvrtcGetPCHCreateStatus", &nvrtc->pch_status);
    return find_function(library, "nvrtcVersion", &nvrtc->version) &&
           find_function(library, "nvrtcCreateProgram", &nvrtc->create) &&
           find_function(library, "nvrtcCompileProgram", &nvrtc->compile) &&
           find_function(library, "nvrtcGetProgramLogSize", &nvrtc->log_size) &&
           find_function(library, "nvrtcGetProgramLog", &nvrtc->log) &&
           find_function(library, "nvrtcGetPTXSize", &nvrtc->ptx_size) &&
           find_function(library, "nvrtcGetPTX", &nvrtc->ptx);
}

// ---- one compilation -----------------------------------------------------

static const char **cstrings(Arena *arena, const Str *items, size_t count,
                             size_t spare) {
    const char **out = arena_new(arena, const char *, count + spare + 1);
    for (size_t i = 0; i < count; i++)
        out[i] = str_cstring(arena, items[i]);
    return out;
}

// NVRTC's sizes include the terminating NUL.
static Str get_text(Arena *arena, void *program,
                    int (*get_size)(void *, size_t *),
                    int (*get)(void *, char *)) {
    size_t size = 0;
    if (get_size(program, &size) != NVRTC_FINE || size <= 1)
        return (Str){0};
    char *text = arena_new(arena, char, size);
    if (get(program, text) != NVRTC_FINE)
        return (Str){0};
    return (Str){text, size - 1};
}

static bool addresses_are_fixed(void) {
    int now = personality(0xffffffff);
    return now != -1 && (now & ADDR_NO_RANDOMIZE);
}

// Which use of a precompiled header, if any, is possible here.
static PchMode choose_mode(const Nvrtc *nvrtc, const ChildRequest *r) {
    if (!nvrtc->pch_status || !addresses_are_fixed())
        return PCH_NONE;
    return (PchMode)r->pch_mode;
}

static ChildPch pch_outcome(const Nvrtc *nvrtc, void *program,
                            const ChildRequest *r, PchMode mode, Str log) {
    static const char used[] = "using precompiled header file";
    switch (mode) {
    case PCH_NONE:
        return r->pch_mode == PCH_NONE ? CHILD_PCH_NONE : CHILD_PCH_MOVING;
    case PCH_CREATE:
        return nvrtc->pch_status(program) == NVRTC_FINE ? CHILD_PCH_CREATED
                                                        : CHILD_PCH_FAILED;
    case PCH_USE:
        return log.len && memmem(log.ptr, log.len, used, sizeof used - 1)
                   ? CHILD_PCH_USED
                   : CHILD_PCH_REFUSED;
    }
    return CHILD_PCH_NONE;
}

static void *create_program(Arena *arena, const Nvrtc *nvrtc,
                            const ChildRequest *r, ChildAnswer *answer) {
    void *program = NULL;
    const char **texts = cstrings(arena, r->header_texts, r->header_count, 0);
    const char **names = cstrings(arena, r->header_names, r->header_count, 0);
    answer->result = (uint64_t)nvrtc->create(
        &program, str_cstring(arena, r->source), str_cstring(arena, r->name),
        (int)r->header_count, texts, names);
    return answer->result == NVRTC_FINE ? program : NULL;
}

static void compile(Arena *arena, const Nvrtc *nvrtc, const ChildRequest *r,
                    ChildAnswer *answer) {
    void *program = create_program(arena, nvrtc, r, answer);
    if (!program)
        return;
    PchMode mode = choose_mode(nvrtc, r);
    size_t count = r->option_count;
    const char **options = cstrings(arena, r->options, count, 1);
    if (mode != PCH_NONE) {
        const char *name = mode == PCH_CREATE ? "--create-pch" : "--use-pch";
        Str option = str_format(arena, "%s=%.*s", name, STR_ARG(r->pch_path));
        options[count++] = option.ptr;
    }
    answer->result = (uint64_t)nvrtc->compile(program, (int)count, options);
    answer->log = get_text(arena, program, nvrtc->log_size, nvrtc->log);
    answer->pch = (uint64_t)pch_outcome(nvrtc, program, r, mode, answer->log);
    answer->log = messages_bound(arena, answer->log);
    if (answer->result == NVRTC_FINE)
        answer->ptx = get_text(arena, program, nvrtc->ptx_size, nvrtc->ptx);
}

// ---- the child -----------------------------------------------------------

static Str read_input(Arena *arena) {
    Buf buf = {0};
    char block[65536];
    ssize_t n = 0;
    while ((n = read(STDIN_FILENO, block, sizeof block)) > 0)
        buf_bytes(&buf, block, (size_t)n);
    Str text = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return text;
}

static void write_answer(const ChildAnswer *answer) {
    Buf buf = {0};
    wire_put_answer(&buf, answer);
    size_t done = 0;
    while (done < buf.len) {
        ssize_t n = write(STDOUT_FILENO, buf.ptr + done, buf.len - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    buf_free(&buf);
}

static int confine(const ChildRequest *r) {
    return sandbox_confine(&(SandboxPaths){.write = r->write,
                                           .write_count = r->write_count,
                                           .read = r->read,
                                           .read_count = r->read_count,
                                           .read_only_these = true});
}

int compile_child_main(int argc, char **argv) {
    (void)argc, (void)argv;
    Arena arena = {0};
    ChildRequest request = {0};
    if (!wire_get_request(&arena, read_input(&arena), &request)) {
        arena_free(&arena);
        return EXIT_BAD_REQUEST;
    }
    Nvrtc nvrtc = {0};
    ChildAnswer answer = {0};
    if (load_nvrtc(str_cstring(&arena, request.nvrtc_path), &nvrtc)) {
        int major = 0, minor = 0;
        nvrtc.version(&major, &minor);
        answer.loaded = 1;
        answer.version = (uint64_t)(major * 1000 + minor * 10);
        answer.landlock = (uint64_t)confine(&request);
        compile(&arena, &nvrtc, &request, &answer);
    } else {
        const char *why = dlerror();
        answer.log = str_from(why ? why : "it lacks functions");
    }
    write_answer(&answer);
    _exit(0); // skips NVRTC's destructors
}
