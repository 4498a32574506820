// SPDX-License-Identifier: Apache-2.0
// Litmus tests: programs of two or three threads, each of which makes a few
// accesses, put together from parts so that a table can vary one side at a
// time. What must be found follows from the PTX memory model, which the table's
// test states again in a few lines; nothing of grader/vm is asked for it.
//
//   LitmusRun run = litmus_run(&arena, &LITMUS_PLACES[i], text);
//   litmus_has(&run, RULE_RACE001, 20)   an error of this rule at .loc line 20
//
// `text` is the code behind the labels T0, T1 and T2, where the threads of
// these numbers begin; each ends with "ret;". %l0 is the address of a buffer of
// 1024 bytes, %r0 the thread's number; %r1 ..., %l1 ... and %p1 ... are free. x
// is shared memory.
#ifndef CLCLAB_LITMUS_H
#define CLCLAB_LITMUS_H

#include "result/finding.h"
#include "result/run.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

// How far apart the threads are, and the narrowest scope that has them all.
typedef enum LitmusScope {
    LITMUS_CTA,
    LITMUS_CLUSTER,
    LITMUS_GPU,
    LITMUS_SYS,
    LITMUS_SCOPES
} LitmusScope;

static const char *const LITMUS_SCOPE[] = {"cta", "cluster", "gpu", "sys"};

typedef struct LitmusPlace {
    const char *name;
    uint32_t grid, cluster, block;
    const char *number; // sets %r0; others than the three threads leave
    LitmusScope least;
} LitmusPlace;

#define EACH_FIRST(of)                              \
    "mov.u32 %r0, %" of "; and.b32 %r1, %r0, 31;\n" \
    "setp.ne.u32 %p1, %r1, 0; @%p1 ret; shr.u32 %r0, %r0, 5;"
#define EACH_CLUSTER                                \
    "mov.u32 %r0, %ctaid.x; and.b32 %r1, %r0, 1;\n" \
    "setp.ne.u32 %p1, %r1, 0; @%p1 ret; shr.u32 %r0, %r0, 1;"

static const LitmusPlace LITMUS_PLACES[] = {
    {"lanes of a warp", 1, 1, 3, "mov.u32 %r0, %tid.x;", LITMUS_CTA},
    {"warps of a block", 1, 1, 96, EACH_FIRST("tid.x"), LITMUS_CTA},
    {"blocks of a cluster", 4, 4, 1, "mov.u32 %r0, %ctaid.x;", LITMUS_CLUSTER},
    {"blocks apart", 3, 1, 1, "mov.u32 %r0, %ctaid.x;", LITMUS_GPU},
    {"clusters", 6, 2, 1, EACH_CLUSTER, LITMUS_GPU},
};

typedef struct LitmusRun {
    DeviceRun run;
    bool is_done;
    Str text;
    uint32_t words[256]; // the buffer's
} LitmusRun;

static inline Str litmus_program(Arena *arena, const LitmusPlace *place,
                                 Str text) {
    return str_format(
        arena,
        ".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"k.cu\"\n"
        ".visible .entry k(.param .u64 out) {\n"
        ".reg .pred %%p<9>; .reg .b32 %%r<20>; .reg .b64 %%l<9>;\n"
        ".shared .align 128 .b8 x[512]; .shared .align 8 .b64 bar[4];\n"
        ".loc 1 1 1\nld.param.u64 %%l0, [out];\n%s\n"
        "setp.eq.u32 %%p1, %%r0, 0; @%%p1 bra T0;\n"
        "setp.eq.u32 %%p1, %%r0, 1; @%%p1 bra T1;\n"
        "setp.eq.u32 %%p1, %%r0, 2; @%%p1 bra T2;\nret;\n%.*s\n}\n",
        place->number, STR_ARG(text));
}

// The text with each `what` replaced.
static inline Str litmus_replaced(Arena *arena, Str text, const char *what,
                                  const char *with) {
    Buf out = {0};
    Str part = str_from(what);
    while (text.len) {
        bool is_here = str_starts(text, part);
        if (is_here)
            buf_str(&out, str_from(with));
        else
            buf_byte(&out, text.ptr[0]);
        text = str_slice(text, is_here ? part.len : 1, text.len);
    }
    Str whole = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return whole;
}

static inline DeviceLaunch litmus_launch(const LitmusPlace *place,
                                         const uint64_t *address) {
    return (DeviceLaunch){.kernel = STR("k"),
                          .grid = {place->grid, 1, 1},
                          .block = {place->block, 1, 1},
                          .cluster = {place->cluster, 1, 1},
                          .args = address,
                          .arg_bytes = sizeof *address,
                          .step_limit = 1000 * 1000};
}

static inline LitmusRun litmus_run(Arena *arena, const LitmusPlace *place,
                                   Str text) {
    LitmusRun out = {.text = litmus_program(arena, place, text)};
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, STR("k.ptx"), out.text, &diags);
    uint32_t buffer = 0;
    uint64_t address = 0;
    Device *device = vm_open(vm_model_find(STR("mini")));
    if (!CHECK(module != NULL) ||
        !CHECK(device->ops->load(device, module, &diags)) ||
        !CHECK(device->ops->alloc(device, sizeof out.words, &buffer, &address,
                                  &diags))) {
        printf("# %.*s\n", STR_ARG(out.text));
        device->ops->close(device);
        return out;
    }
    DeviceLaunch launch = litmus_launch(place, &address);
    device->ops->launch(device, arena, &launch, &out.run);
    device->ops->read(device, buffer, 0, out.words, sizeof out.words);
    device->ops->close(device);
    out.is_done = out.run.status == RUN_DONE;
    return out;
}

static inline bool litmus_has(const LitmusRun *run, DeviceRule rule,
                              uint32_t line) {
    for (size_t i = 0; i < run->run.finding_count; i++) {
        const Finding *f = &run->run.findings[i];
        if (f->level == FINDING_ERROR && f->rule == rule && f->at.line == line)
            return true;
    }
    return false;
}

static inline size_t litmus_errors(const LitmusRun *run) {
    size_t count = 0;
    for (size_t i = 0; i < run->run.finding_count; i++)
        count += run->run.findings[i].level == FINDING_ERROR;
    return count;
}

// For a check that has failed.
static inline void litmus_show(const LitmusPlace *place, const LitmusRun *run) {
    printf("# %s: status %d\n", place->name, (int)run->run.status);
    for (size_t i = 0; i < run->run.finding_count; i++)
        printf("# line %u: rule %d, level %d\n", run->run.findings[i].at.line,
               (int)run->run.findings[i].rule, (int)run->run.findings[i].level);
    printf("# %.*s\n", STR_ARG(run->text));
}

#endif
