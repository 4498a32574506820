// SPDX-License-Identifier: Apache-2.0
// What fuzzing requires of vm/, for any module that parses: every kernel can be
// launched, ends within its step limit, leaks nothing, stays in its memory, and
// gives the same run again. The launch (grid, block, schedule, checks,
// arguments) is derived from the hash of the text's first line, which mutations
// mostly leave alone, so that a smaller input is still launched in the same
// way.
#ifndef CLCLAB_TESTS_FUZZ_TARGET_VM_H
#define CLCLAB_TESTS_FUZZ_TARGET_VM_H

#include "tests/fuzz/target_ptx.h"
#include "vm/vm.h"
#include "words/words.h"

#include <string.h>

enum {
    FUZZ_KERNELS = 3,             // of a module, at most
    FUZZ_STEPS = 20000,           // thread-instructions
    FUZZ_BUFFERS = 2,             // of FUZZ_BYTES each
    FUZZ_BYTES = 8192,            //
    FUZZ_VARIABLES = 1 << 20,     // bytes: modules with more are left out
    FUZZ_LAUNCH_MEMORY = 8 << 20, // bytes
    FUZZ_PARAMETERS = 4096,       // bytes
};

typedef struct FuzzMachine {
    Arena arena;
    const PtxModule *module;
    Device *device;
    uint32_t buffers[FUZZ_BUFFERS];
    uint64_t addresses[FUZZ_BUFFERS];
    _Alignas(8) uint8_t args[FUZZ_PARAMETERS];
    size_t arg_bytes;
} FuzzMachine;

// A fixture of grader/tests/vm has no module header: it gets the usual one.
static inline Str fuzz_whole_text(Arena *arena, Str text) {
    static const char heading[] = ".version";
    if (memmem(text.ptr, text.len, heading, sizeof heading - 1))
        return text;
    return str_format(arena,
                      ".version 9.0\n.target sm_100a\n.address_size 64\n"
                      ".file 1 \"k.cu\"\n%.*s",
                      STR_ARG(text));
}

static inline bool fuzz_is_small(const PtxModule *module) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < module->var_count; i++) {
        const PtxVar *var = module->vars[i];
        if (var->space == PTX_SPACE_GLOBAL || var->space == PTX_SPACE_CONST)
            bytes += var->size;
        if (bytes > FUZZ_VARIABLES)
            return false;
    }
    return true;
}

// Parameters of 8 bytes are pointers to a buffer, the others small numbers.
static inline bool fuzz_arguments(FuzzMachine *m, const PtxFunc *kernel) {
    uint64_t end = 0;
    memset(m->args, 0, sizeof m->args);
    for (size_t i = 0; i < kernel->param_count; i++) {
        const PtxVar *param = kernel->params[i];
        uint64_t at = ptx_place(&end, param);
        if (at > FUZZ_PARAMETERS || param->size > FUZZ_PARAMETERS - at)
            return false;
        uint64_t value =
            param->size == 8 ? m->addresses[i % FUZZ_BUFFERS] : 3 + i;
        memcpy(m->args + at, &value, param->size < 8 ? param->size : 8);
    }
    m->arg_bytes = end;
    return true;
}

static inline DeviceLaunch fuzz_launch_of(const FuzzMachine *m,
                                          const PtxFunc *kernel, Rng *rng) {
    static const uint32_t blocks[] = {1, 2, 8, 31, 32, 32, 33, 64};
    static const uint32_t smem[] = {0, 0, 16, 1000};
    const PtxDim3 *own = &kernel->req_cluster, *threads = &kernel->req_threads;
    uint32_t cluster = own->x ? 1 : 1 + (uint32_t)rng_below(rng, 4) / 3;
    DeviceLaunch launch = {
        .kernel = kernel->name,
        .grid = {(own->x % 16 ? own->x % 16 : cluster) *
                     (1 + (uint32_t)rng_below(rng, 4)),
                 own->y % 16 ? own->y % 16 : 1, own->z % 16 ? own->z % 16 : 1},
        .block = {threads->x % 128 ? threads->x % 128
                                   : blocks[rng_next(rng) % 8],
                  threads->y % 8 ? threads->y % 8 : 1,
                  threads->z % 8 ? threads->z % 8 : 1},
        .cluster = {cluster, 1, 1},
        .dynamic_smem = smem[rng_below(rng, 4)],
        .args = m->args,
        .arg_bytes = m->arg_bytes,
        .step_limit = FUZZ_STEPS,
        .memory_limit = FUZZ_LAUNCH_MEMORY,
        .unchecked = rng_below(rng, 3) ? 0 : UINT64_MAX};
    launch.schedule.seed = rng_below(rng, 1000);
    launch.schedule.strategy = (DeviceStrategy)rng_below(rng, STRATEGY_COUNT);
    return launch;
}

static inline uint64_t fuzz_facts(uint64_t h, Facts facts) {
    for (size_t i = 0; i < facts.count; i++) {
        const Fact *fact = &facts.items[i];
        h = hash_bytes(h, fact->text.ptr, fact->text.len) + fact->number;
    }
    return h;
}

// The parts of a run that must be the same when it is repeated.
static inline uint64_t fuzz_fingerprint(FuzzMachine *m, const DeviceRun *run) {
    uint8_t bytes[FUZZ_BYTES];
    uint64_t h = hash_u64((uint64_t)run->status * 1000 + run->finding_count);
    h = hash_bytes(h, &run->counters, sizeof run->counters);
    h = hash_bytes(h, run->output.ptr, run->output.len);
    for (size_t i = 0; i < run->finding_count; i++) {
        const Finding *f = &run->findings[i];
        h = fuzz_facts(h, f->facts) + f->which + f->occurrences;
    }
    for (size_t i = 0; i < FUZZ_BUFFERS; i++) {
        m->device->ops->read(m->device, m->buffers[i], 0, bytes, sizeof bytes);
        h = hash_bytes(h, bytes, sizeof bytes);
    }
    return h;
}

static inline bool fuzz_is_told(const Finding *finding) {
    Words words = {&words_english, DIALECT_PTX};
    return words_are_whole(&words, finding);
}

static inline void fuzz_check_run(const DeviceRun *run) {
    FUZZ_REQUIRE(run->status != RUN_REFUSED || run->error.what.len > 0,
                 "a launch that is refused has a reason");
    for (size_t i = 0; i < run->finding_count; i++)
        FUZZ_REQUIRE(fuzz_is_told(&run->findings[i]),
                     "finding %zu carries what its texts name", i);
    if (run->status == RUN_FAULT || run->status == RUN_UNSUPPORTED)
        FUZZ_REQUIRE(run->finding_count > 0, "a fault has a finding");
    if (run->status == RUN_DONE)
        FUZZ_REQUIRE(run->ledger.totals.started + run->ledger.totals.granted ==
                         run->ledger.totals.grid,
                     "each block is started or given away");
}

static inline uint64_t fuzz_launch(FuzzMachine *m, const DeviceLaunch *launch) {
    static const uint8_t zeros[FUZZ_BYTES];
    Arena arena = {0};
    DeviceRun run;
    for (size_t i = 0; i < FUZZ_BUFFERS; i++)
        m->device->ops->write(m->device, m->buffers[i], 0, zeros, sizeof zeros);
    m->device->ops->launch(m->device, &arena, launch, &run);
    fuzz_check_run(&run);
    uint64_t fingerprint = fuzz_fingerprint(m, &run);
    arena_free(&arena);
    return fingerprint;
}

static inline void fuzz_kernel(FuzzMachine *m, const PtxFunc *kernel,
                               Rng *rng) {
    if (!fuzz_arguments(m, kernel))
        return;
    DeviceLaunch launch = fuzz_launch_of(m, kernel, rng);
    uint32_t piece_of[FUZZ_BYTES / 4];
    for (uint32_t i = 0; i < COUNT_OF(piece_of); i++)
        piece_of[i] = i / 4;
    Watch watch = {.buffer = m->buffers[0],
                   .piece_of = piece_of,
                   .count = FUZZ_BYTES / 16};
    if (rng_below(rng, 4) == 0) {
        launch.watches = &watch;
        launch.watch_count = 1;
    }
    for (size_t i = 0; i < m->module->func_count; i++)
        if (!m->module->funcs[i]->is_entry)
            launch.prologue = m->module->funcs[i]->name;
    uint64_t first = fuzz_launch(m, &launch);
    if (rng_below(rng, 4) == 0)
        FUZZ_REQUIRE(fuzz_launch(m, &launch) == first,
                     "the same launch is the same run");
}

static inline void fuzz_kernels(FuzzMachine *m, Rng *rng) {
    Diags diags = diags_new(&m->arena);
    m->device = vm_open(vm_model_find(STR("mini")));
    if (m->device->ops->load(m->device, m->module, &diags)) {
        for (size_t i = 0; i < FUZZ_BUFFERS; i++)
            m->device->ops->alloc(m->device, FUZZ_BYTES, &m->buffers[i],
                                  &m->addresses[i], &diags);
        uint32_t left = FUZZ_KERNELS;
        for (size_t i = 0; i < m->module->func_count && left; i++) {
            const PtxFunc *func = m->module->funcs[i];
            if (!func->is_entry || !func->has_body)
                continue;
            fuzz_kernel(m, func, rng);
            left--;
        }
    }
    m->device->ops->close(m->device);
}

static inline void fuzz_vm(const uint8_t *data, size_t size) {
    FuzzMachine m = {0};
    Str text = {(const char *)data, size}, line = str_line(text, 1);
    Rng rng = {hash_bytes(1, line.ptr, line.len)};
    Diags diags = diags_new(&m.arena);
    m.module = ptx_parse(&m.arena, STR("fuzz.ptx"),
                         fuzz_whole_text(&m.arena, text), &diags);
    if (m.module && fuzz_is_small(m.module))
        fuzz_kernels(&m, &rng);
    arena_free(&m.arena);
}

#endif
