// SPDX-License-Identifier: Apache-2.0
// Rewritten PTX does what it should: the emulation and the ledger run in the
// virtual machine, which knows all that they are made of, in every grid,
// cluster and schedule. (That a GPU does the same is seen on a GPU.)
#include "gpu/rewrite.h"
#include "gpu/table.h"
#include "tests/unit/sample.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { THREADS = 33, SM_NUMBERS = 160 }; // %nsmid of the small model

typedef struct Shape {
    uint32_t grid[3], cluster[3];
} Shape;

static uint32_t volume(const uint32_t size[3]) {
    return size[0] * size[1] * size[2];
}

typedef struct Trial {
    Arena *arena;
    Shape shape;
    GpuRewrite how;
    const char *kernel; // NULL: steal
    DeviceStrategy strategy;
    uint32_t refuse_first, refuse_every;
    bool is_native; // retargeted or with a ledger, CLC as it is
    // What came out.
    DeviceRun run;
    uint32_t blocks, clusters;
    uint32_t *out, *claims, *orders, *taken, *calls;
    GpuStart *starts;
    GpuControl control;
} Trial;

// ---- running -------------------------------------------------------------

static PtxModule *rewritten(Trial *trial) {
    Diags diags = diags_new(trial->arena);
    Str text = test_file(trial->arena, "grader/tests/gpu/steal.ptx"), ptx = {0};
    PtxModule *module = ptx_parse(trial->arena, STR("steal.ptx"), text, &diags);
    if (!CHECK(module) ||
        !CHECK(gpu_rewrite(trial->arena, module, &trial->how, &ptx, &diags)))
        return NULL;
    module = ptx_parse(trial->arena, STR("rewritten"), ptx, &diags);
    CHECK(module);
    for (size_t i = 0; i < diags.count; i++)
        printf("# line %u: %.*s\n", diags.items[i].at.line,
               STR_ARG(diags.items[i].what));
    return module;
}

typedef struct Buffers {
    uint32_t ends, out, claims, orders, taken, starts, calls, control, unused;
} Buffers;

static void *fetch(Trial *trial, Device *vm, uint32_t buffer, size_t bytes) {
    void *copy = arena_alloc(trial->arena, bytes, 8, 1);
    CHECK(vm->ops->read(vm, buffer, 0, copy, bytes));
    return copy;
}

static void fetch_all(Trial *trial, Device *vm, const Buffers *from) {
    size_t words = trial->clusters * sizeof(uint32_t);
    trial->out = fetch(trial, vm, from->out, trial->blocks * sizeof(uint32_t));
    trial->claims = fetch(trial, vm, from->claims, words);
    trial->orders = fetch(trial, vm, from->orders, words);
    trial->taken = fetch(trial, vm, from->taken, words);
    trial->starts =
        fetch(trial, vm, from->starts, trial->blocks * sizeof(GpuStart));
    trial->calls = fetch(trial, vm, from->calls,
                         trial->blocks * THREADS * sizeof(uint32_t));
    trial->control =
        *(GpuControl *)fetch(trial, vm, from->control, sizeof(GpuControl));
}

static void launch(Trial *trial, Device *vm, uint64_t out) {
    const Shape *shape = &trial->shape;
    DeviceLaunch what = {
        .kernel = trial->kernel ? str_from(trial->kernel) : STR("steal"),
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {11, 3, 1},
        .cluster = {shape->cluster[0], shape->cluster[1], shape->cluster[2]},
        .args = &out,
        .arg_bytes = sizeof out,
        .schedule = {.seed = 5, .strategy = trial->strategy}};
    if (!CHECK(vm->ops->launch(vm, trial->arena, &what, &trial->run)))
        printf("# %.*s\n", STR_ARG(trial->run.error.what));
    CHECK_INT(trial->run.status, RUN_DONE);
    CHECK_INT(trial->run.finding_count, 0);
    for (size_t i = 0; i < trial->run.finding_count; i++)
        printf("# line %u: %.*s\n", trial->run.findings[i].at.line,
               STR_ARG(sample_text(trial->arena, &trial->run.findings[i],
                                   WORDS_WHAT)));
}

static void run(Trial *trial) {
    PtxModule *module = rewritten(trial);
    if (!module)
        return;
    Diags diags = diags_new(trial->arena);
    Device *vm = vm_open(vm_model_find(STR("mini")));
    Buffers buffers;
    GpuTable table = {0};
    uint64_t out;
    trial->blocks = volume(trial->shape.grid);
    trial->clusters = trial->blocks / volume(trial->shape.cluster);
    size_t words = trial->clusters * sizeof(uint32_t);
    const GpuControl control = {.refuse_first = trial->refuse_first,
                                .refuse_every = trial->refuse_every};
    CHECK(vm->ops->load(vm, module, &diags));
    vm->ops->alloc(vm, trial->blocks * 4, &buffers.out, &out, &diags);
    vm->ops->alloc(vm, words, &buffers.claims, &table.claims, &diags);
    vm->ops->alloc(vm, words, &buffers.orders, &table.orders, &diags);
    vm->ops->alloc(vm, words, &buffers.taken, &table.taken, &diags);
    vm->ops->alloc(vm, trial->blocks * sizeof(GpuStart), &buffers.starts,
                   &table.starts, &diags);
    vm->ops->alloc(vm, trial->blocks * THREADS * 4, &buffers.calls,
                   &table.calls, &diags);
    vm->ops->alloc(vm, (1 + GPU_TABLE_SMS) * 8, &buffers.ends, &table.ends,
                   &diags);
    vm->ops->alloc(vm, sizeof control, &buffers.control, &table.control,
                   &diags);
    vm->ops->write(vm, buffers.control, 0, &control, sizeof control);
    CHECK(vm->ops->write_symbol(vm, STR(GPU_TABLE_NAME), &table, sizeof table));
    launch(trial, vm, out);
    fetch_all(trial, vm, &buffers);
    vm->ops->close(vm);
}

// ---- checking ------------------------------------------------------------

static void check_once(const Trial *trial) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < trial->blocks; i++)
        wrong += trial->out[i] != 1;
    CHECK_INT(wrong, 0);
}

// Each cluster is launched or granted, each grant has a number of its own, and
// was taken.
static void check_claims(const Trial *trial) {
    uint32_t launched = 0, granted = 0, wrong = 0;
    uint8_t *seen = arena_new(trial->arena, uint8_t, trial->clusters + 2);
    for (uint32_t i = 0; i < trial->clusters; i++) {
        uint32_t claim = trial->claims[i], order = trial->orders[i];
        launched += claim == GPU_CLAIM_LAUNCHED;
        if (claim == GPU_CLAIM_LAUNCHED) {
            wrong += order != 0 || trial->taken[i] != 0;
            continue;
        }
        granted++;
        if (claim == 0 || claim > trial->clusters || order == 0 ||
            order > trial->clusters) {
            wrong++;
            continue;
        }
        wrong += trial->claims[claim - 1] != GPU_CLAIM_LAUNCHED;
        wrong += trial->taken[i] != 1 || seen[order]++;
    }
    uint32_t size = volume(trial->shape.cluster);
    CHECK_INT(wrong, 0);
    CHECK_INT(trial->control.granted, granted);
    CHECK_INT(trial->control.started, launched * size);
    CHECK_INT(trial->control.conflicts, 0);
    CHECK_INT(seen[granted + 1], 0);
}

static uint32_t count_starts(const Trial *trial) {
    uint32_t count = 0, wrong = 0;
    uint8_t *seen = arena_new(trial->arena, uint8_t, trial->blocks + 2);
    for (uint32_t i = 0; i < trial->blocks; i++) {
        uint32_t order = trial->starts[i].order, calls = 0;
        for (uint32_t k = 0; k < THREADS; k++) {
            calls += trial->calls[i * THREADS + k];
            wrong += trial->calls[i * THREADS + k] > 1;
        }
        count += order != 0;
        wrong += order > trial->blocks ||
                 (order && order <= trial->blocks && seen[order]++);
        wrong += calls != (order ? THREADS : 0);
        wrong += trial->starts[i].sm >= SM_NUMBERS;
    }
    CHECK_INT(wrong, 0);
    return count;
}

static void check_ledger(const Trial *trial) {
    check_claims(trial);
    CHECK_INT(count_starts(trial), trial->control.started);
    CHECK(trial->control.requests >= trial->control.granted);
    if (!trial->is_native)
        CHECK_INT(trial->control.refused,
                  trial->control.requests - trial->control.granted);
}

// ---- tests ---------------------------------------------------------------

static const Shape SHAPES[] = {
    {{40, 1, 1}, {1, 1, 1}}, {{1, 1, 1}, {1, 1, 1}}, {{5, 4, 3}, {1, 1, 1}},
    {{24, 1, 1}, {2, 1, 1}}, {{6, 4, 4}, {2, 2, 1}}, {{4, 6, 4}, {1, 2, 4}},
};

static const DeviceStrategy STRATEGIES[] = {
    STRATEGY_ROUND_ROBIN, STRATEGY_RANDOM, STRATEGY_ONE_SM,
    STRATEGY_LATE_CTA,    STRATEGY_PCT,
};

static void run_shapes(GpuRewrite how, bool is_native) {
    for (size_t i = 0; i < COUNT_OF(SHAPES); i++)
        for (size_t k = 0; k < COUNT_OF(STRATEGIES); k++) {
            Arena arena = {0};
            Trial trial = {.arena = &arena,
                           .shape = SHAPES[i],
                           .how = how,
                           .is_native = is_native,
                           .strategy = STRATEGIES[k]};
            run(&trial);
            check_once(&trial);
            if (how.ledger)
                check_ledger(&trial);
            if (test_state->failures) {
                printf("# shape %zu, strategy %zu\n", i, k);
                return;
            }
            arena_free(&arena);
        }
}

#define STEAL .kernel = STR("steal")
#define COUNTED .ledger = true, .calls_of = STR("prologue")

TEST(drawn) {
    run_shapes((GpuRewrite){STR("sm_90a"), STEAL, .emulate = true}, false);
}

TEST(drawn_with_a_ledger) {
    run_shapes((GpuRewrite){STR("sm_90a"), STEAL, .emulate = true, COUNTED},
               false);
}

TEST(claimed) {
    run_shapes(
        (GpuRewrite){STR("sm_90"), STEAL, .emulate = true, .keeps_index = true},
        false);
}

TEST(claimed_with_a_ledger) {
    run_shapes((GpuRewrite){STR("sm_90"), STEAL, .emulate = true, COUNTED,
                            .keeps_index = true},
               false);
}

TEST(native_with_a_ledger) {
    run_shapes((GpuRewrite){STR("sm_100a"), STEAL, COUNTED}, true);
}

static void run_refusals(GpuRewrite how, uint32_t first, uint32_t every) {
    for (size_t i = 0; i < COUNT_OF(SHAPES); i++) {
        Arena arena = {0};
        Trial trial = {.arena = &arena,
                       .shape = SHAPES[i],
                       .how = how,
                       .strategy = STRATEGY_RANDOM,
                       .refuse_first = first,
                       .refuse_every = every};
        run(&trial);
        check_once(&trial);
        check_ledger(&trial);
        const GpuControl *control = &trial.control;
        CHECK_INT(control->tickets > 0, true);
        if (every == 1)
            CHECK_INT(control->granted, 0);
        else if (trial.clusters > 20)
            CHECK(control->granted > 0);
        if (trial.clusters > 20)
            CHECK(control->refused_pending >= (every ? 5 : first));
        arena_free(&arena);
    }
}

TEST(refused_on_request) {
    GpuRewrite how = {STR("sm_90a"), STEAL, .emulate = true, COUNTED};
    for (int keeps = 0; keeps < 2; keeps++) {
        how.keeps_index = keeps;
        run_refusals(how, 3, 0);
        run_refusals(how, 0, 1);
        run_refusals(how, 0, 3);
        run_refusals(how, 2, 2);
    }
}

// Its functions read the index of the block from where the kernel that steals
// has it.
TEST(a_kernel_that_is_not_emulated) {
    Arena arena = {0};
    Trial trial = {.arena = &arena,
                   .shape = {{9, 1, 1}, {1, 1, 1}},
                   .how = {STR("sm_90a"), STEAL, .emulate = true, COUNTED},
                   .kernel = "plain"};
    run(&trial);
    check_once(&trial);
    CHECK_INT(trial.control.started, 0);
    CHECK_INT(trial.control.next, 0);
    arena_free(&arena);
}

// It asks for nothing, but in a module where others do it might.
TEST(a_kernel_that_asks_for_nothing) {
    for (int keeps = 0; keeps < 2; keeps++) {
        Arena arena = {0};
        Trial trial = {.arena = &arena,
                       .shape = {{90, 1, 1}, {1, 1, 1}},
                       .how = {STR("sm_90a"), STR("plain"), .emulate = true,
                               .ledger = true, .keeps_index = keeps},
                       .kernel = "plain"};
        run(&trial);
        check_once(&trial);
        check_claims(&trial);
        CHECK_INT(trial.control.started, 90);
        arena_free(&arena);
    }
}

TEST_MAIN(TESTCASE(drawn), TESTCASE(drawn_with_a_ledger), TESTCASE(claimed),
          TESTCASE(claimed_with_a_ledger), TESTCASE(native_with_a_ledger),
          TESTCASE(refused_on_request), TESTCASE(a_kernel_that_is_not_emulated),
          TESTCASE(a_kernel_that_asks_for_nothing))
