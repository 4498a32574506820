// SPDX-License-Identifier: Apache-2.0
// The child that assembles with nvJitLink, a linker library that is used here
// for a single PTX text. Its functions are exported under names with a version;
// newer libraries of the same major version keep the older names.
#include "gpu/assemble_parts.h"
#include "sandbox/sandbox.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_PTX = 2 }; // an nvJitLinkInputType
#define MAGIC UINT64_C(0x636c634a49544c31)

typedef struct JitLink {
    int (*create)(void **handle, uint32_t count, const char **options);
    int (*add)(void *handle, int kind, const void *data, size_t bytes,
               const char *name);
    int (*complete)(void *handle);
    int (*cubin_size)(void *handle, size_t *bytes);
    int (*cubin)(void *handle, void *cubin);
    int (*log_size)(void *handle, size_t *bytes);
    int (*log)(void *handle, char *log);
} JitLink;

static void *find_function(Arena *arena, void *library, const char *name) {
    static const char *const versions[] = {"13_0", "12_8", "12_0"};
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        Str symbol = str_format(arena, "__%s_%s", name, versions[i]);
        void *found = dlsym(library, symbol.ptr);
        if (found)
            return found;
    }
    return dlsym(library, name);
}

static bool load(Arena *arena, const char *path, JitLink *link) {
    const struct {
        const char *name;
        void *to;
    } wanted[] = {
        {"nvJitLinkCreate", &link->create},
        {"nvJitLinkAddData", &link->add},
        {"nvJitLinkComplete", &link->complete},
        {"nvJitLinkGetLinkedCubinSize", &link->cubin_size},
        {"nvJitLinkGetLinkedCubin", &link->cubin},
        {"nvJitLinkGetErrorLogSize", &link->log_size},
        {"nvJitLinkGetErrorLog", &link->log},
    };
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && i < COUNT_OF(wanted); i++) {
        void *found = find_function(arena, library, wanted[i].name);
        if (!found)
            return false;
        memcpy(wanted[i].to, &found, sizeof found);
    }
    return library != NULL;
}

static Str get_log(Arena *arena, const JitLink *link, void *handle) {
    size_t bytes = 0;
    if (link->log_size(handle, &bytes) || bytes <= 1)
        return (Str){0};
    char *text = arena_new(arena, char, bytes + 1);
    return link->log(handle, text) ? (Str){0} : str_from(text);
}

static void assemble(Arena *arena, const JitLink *link, const JitRequest *r,
                     JitAnswer *answer) {
    Str arch = str_format(arena, "-arch=%s", r->target);
    const char *options[] = {arch.ptr};
    void *handle = NULL;
    size_t bytes = 0;
    bool done =
        link->create(&handle, COUNT_OF(options), options) == 0 &&
        link->add(handle, INPUT_PTX, r->ptx, r->ptx_len + 1, "kernel") == 0 &&
        link->complete(handle) == 0 && link->cubin_size(handle, &bytes) == 0;
    if (done && bytes) {
        char *cubin = arena_new(arena, char, bytes);
        if (link->cubin(handle, cubin) == 0)
            answer->cubin = (Str){cubin, bytes};
    }
    answer->log = get_log(arena, link, handle);
}

static bool write_all(int out, Str text) {
    while (text.len) {
        ssize_t n = write(out, text.ptr, text.len);
        if (n <= 0)
            return false;
        text = str_slice(text, (size_t)n, text.len);
    }
    return true;
}

int assemble_jit_child(void *context, int out) {
    const JitRequest *request = context;
    Arena arena = {0};
    JitLink link = {0};
    JitAnswer answer = {.head = {.magic = MAGIC}};
    answer.head.loaded = load(&arena, request->library, &link);
    if (answer.head.loaded) {
        sandbox_confine(&(SandboxPaths){.read_only_these = true});
        assemble(&arena, &link, request, &answer);
    }
    answer.head.log = answer.log.len;
    answer.head.cubin = answer.cubin.len;
    Str head = {(const char *)&answer.head, sizeof answer.head};
    return !(write_all(out, head) && write_all(out, answer.log) &&
             write_all(out, answer.cubin));
}

bool assemble_jit_answer(Str written, JitAnswer *answer) {
    JitHead *head = &answer->head;
    if (written.len < sizeof *head)
        return false;
    memcpy(head, written.ptr, sizeof *head);
    size_t rest = written.len - sizeof *head;
    if (head->magic != MAGIC || head->log > rest ||
        head->cubin != rest - head->log)
        return false;
    size_t at = sizeof *head;
    answer->log = str_slice(written, at, at + head->log);
    answer->cubin = str_slice(written, at + head->log, written.len);
    return true;
}
