// SPDX-License-Identifier: Apache-2.0
// Random programs (tests/random/generate.h) in the virtual machine against what
// a real GPU gave: one hash a program, in tests/random/SET.expected. A program
// without a record must run to its end and give the same under two schedules.
//
//   RANDOM_PROGRAMS=N      programs of each set (default: 1000)
//   RANDOM_SEED=S          the program of test one_program
//   RANDOM_TRACE=FILE      with RANDOM_SEED: the first difference to what
//                          `run-on-gpu trace` wrote of it
//   RANDOM_SET=all         with RANDOM_SEED: of that set
#include "result/finding.h"
#include "tests/random/generate.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

typedef struct Outcome {
    DeviceRun run;
    uint64_t hash;
    uint8_t *out; // with a trace: all of it
} Outcome;

static const char *const set_names[] = {"core", "all"};

static uint32_t setting(const char *name, uint32_t otherwise) {
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

// ---- running -------------------------------------------------------------

static void explain(uint32_t seed, const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++)
        printf("# seed %u: line %u: %s\n", seed, run->findings[i].at.line,
               finding_case_name(run->findings[i].which));
}

static Outcome launch(Arena *arena, Device *vm, uint32_t seed, bool trace,
                      DeviceStrategy strategy, const PtxModule *module) {
    uint64_t in[RANDOM_INPUTS], args[3];
    uint64_t words[RANDOM_THREADS + RANDOM_SCRATCH_WORDS];
    uint64_t *scratch = words + RANDOM_THREADS;
    uint32_t index[3];
    size_t bytes = RANDOM_THREADS * 8;
    if (trace)
        bytes += (size_t)RANDOM_THREADS * RANDOM_TRACE_BYTES;
    Diags diags = diags_new(arena);
    Outcome outcome = {.out = trace ? arena_new(arena, uint8_t, bytes) : NULL};
    for (uint32_t i = 0; i < RANDOM_INPUTS; i++)
        in[i] = random_input(i);
    for (uint32_t i = 0; i < RANDOM_SCRATCH_WORDS; i++)
        scratch[i] = random_scratch(i);
    vm->ops->load(vm, module, &diags);
    vm->ops->alloc(vm, sizeof in, &index[0], &args[0], &diags);
    vm->ops->alloc(vm, bytes, &index[1], &args[1], &diags);
    vm->ops->alloc(vm, RANDOM_SCRATCH_WORDS * 8, &index[2], &args[2], &diags);
    vm->ops->write(vm, index[0], 0, in, sizeof in);
    vm->ops->write(vm, index[2], 0, scratch, RANDOM_SCRATCH_WORDS * 8);
    DeviceLaunch request = {.kernel = str_format(arena, "r%u", seed),
                            .grid = {RANDOM_GRID, 1, 1},
                            .block = {RANDOM_BLOCK, 1, 1},
                            .cluster = {1, 1, 1},
                            .args = args,
                            .arg_bytes = sizeof args,
                            .schedule = {.seed = seed, .strategy = strategy}};
    vm->ops->launch(vm, arena, &request, &outcome.run);
    vm->ops->read(vm, index[1], 0, words, RANDOM_THREADS * 8);
    vm->ops->read(vm, index[2], 0, scratch, RANDOM_SCRATCH_WORDS * 8);
    if (trace)
        vm->ops->read(vm, index[1], 0, outcome.out, bytes);
    outcome.hash = random_hash(words, COUNT_OF(words));
    return outcome;
}

static Outcome run(Arena *arena, RandomSet set, uint32_t seed, bool trace,
                   DeviceStrategy strategy) {
    Buf text = {0};
    Outcome outcome = {.run = {.status = RUN_REFUSED}};
    random_module(&text, set, trace, seed, 1);
    Diags diags = diags_new(arena);
    PtxModule *module =
        ptx_parse(arena, STR("random"), buf_view(&text), &diags);
    Device *vm = vm_open(vm_model_find(STR("mini")));
    if (module)
        outcome = launch(arena, vm, seed, trace, strategy, module);
    else
        printf("# seed %u: line %u: %.*s\n", seed, diags.items[0].at.line,
               STR_ARG(diags.items[0].what));
    vm->ops->close(vm);
    buf_free(&text);
    return outcome;
}

// ---- many ----------------------------------------------------------------

static uint64_t recorded(Str expected, uint32_t seed) {
    uint64_t hash = 0;
    if (expected.len >= (size_t)seed * 8)
        memcpy(&hash, expected.ptr + (size_t)(seed - 1) * 8, 8);
    return hash;
}

// A program without a record may need what the machine lacks: then false.
static bool check_program(RandomSet set, uint32_t seed, uint64_t want) {
    Arena arena = {0};
    Outcome plain = run(&arena, set, seed, false, STRATEGY_ROUND_ROBIN);
    RunStatus status = plain.run.status;
    bool ran = want || status != RUN_UNSUPPORTED;
    if (ran && !CHECK_INT(status, RUN_DONE)) {
        explain(seed, &plain.run);
    } else if (ran) {
        bool same = true;
        if (want)
            same = CHECK_U64(plain.hash, want);
        if (!want || seed % 8 == 0) {
            Outcome mixed = run(&arena, set, seed, false, STRATEGY_RANDOM);
            same &= CHECK_U64(mixed.hash, plain.hash);
        }
        if (!same)
            printf("# set %s, seed %u\n", set_names[set], seed);
    }
    arena_free(&arena);
    return ran;
}

// Every SHARES-th seed, from `share`: no test runs long.
enum { SHARES = 10, USUAL = 1000 };
static void check_share(RandomSet set, uint32_t share) {
    Arena arena = {0};
    char path[64];
    snprintf(path, sizeof path, "grader/tests/random/%s.expected",
             set_names[set]);
    Str expected = test_file(&arena, path);
    uint32_t compared = 0, others = 0, lacking = 0;
    uint32_t last = setting("RANDOM_PROGRAMS", USUAL);
    for (uint32_t seed = share + 1; seed <= last; seed += SHARES) {
        uint64_t want = recorded(expected, seed);
        if (!check_program(set, seed, want))
            lacking++;
        else
            *(want ? &compared : &others) += 1;
    }
    CHECK(compared + others + lacking > 0);
    printf("# set %s: %u programs like the GPU's, %u without its record, %u "
           "lack an instruction\n",
           set_names[set], compared, others, lacking);
    arena_free(&arena);
}

#define SHARE(number)                       \
    TEST(core_programs_##number) {          \
        check_share(RANDOM_CORE, number);   \
    }                                       \
    TEST(programs_of_everything_##number) { \
        check_share(RANDOM_ALL, number);    \
    }
SHARE(0)
SHARE(1)
SHARE(2)
SHARE(3)
SHARE(4)
SHARE(5)
SHARE(6)
SHARE(7)
SHARE(8)
SHARE(9)

// ---- one -----------------------------------------------------------------

typedef struct TraceEntry {
    uint64_t statement, value;
} TraceEntry;

// Each thread's first difference; the statement stands in the text as
// `// #number`.
static uint32_t compare_traces(const uint8_t *is, const uint8_t *want) {
    uint32_t differing = 0;
    for (uint32_t thread = 0; thread < RANDOM_THREADS; thread++) {
        size_t at = RANDOM_THREADS * 8 + (size_t)thread * RANDOM_TRACE_BYTES;
        for (size_t end = at + RANDOM_TRACE_BYTES; at < end; at += 16) {
            TraceEntry a, b;
            memcpy(&a, is + at, sizeof a);
            memcpy(&b, want + at, sizeof b);
            if (a.statement == b.statement && a.value == b.value)
                continue;
            printf("# thread %u: statement %" PRIu64 " gives %" PRIx64
                   "; the GPU: statement %" PRIu64 ", %" PRIx64 "\n",
                   thread, a.statement, a.value, b.statement, b.value);
            differing++;
            break;
        }
    }
    return differing;
}

TEST(one_program) {
    const char *path = getenv("RANDOM_TRACE"), *name = getenv("RANDOM_SET");
    uint32_t seed = setting("RANDOM_SEED", 1);
    RandomSet set = name && !strcmp(name, "all") ? RANDOM_ALL : RANDOM_CORE;
    Arena arena = {0};
    Outcome plain = run(&arena, set, seed, false, STRATEGY_ROUND_ROBIN);
    Outcome traced = run(&arena, set, seed, true, STRATEGY_ROUND_ROBIN);
    CHECK_INT(plain.run.status, RUN_DONE);
    explain(seed, &plain.run);
    CHECK_U64(traced.hash, plain.hash);
    printf("# seed %u: %016" PRIx64 "\n", seed, plain.hash);
    if (path) {
        Str want = test_file(&arena, path);
        if (CHECK_INT(want.len, RANDOM_THREADS * (8 + RANDOM_TRACE_BYTES)))
            CHECK_INT(compare_traces(traced.out, (const uint8_t *)want.ptr), 0);
    }
    arena_free(&arena);
}

// The text of a seed is the same for ever: records are of texts.
TEST(a_seed_names_one_text) {
    Buf a = {0}, b = {0}, other = {0};
    random_module(&a, RANDOM_CORE, false, 5, 2);
    random_module(&b, RANDOM_CORE, false, 5, 2);
    random_module(&other, RANDOM_CORE, false, 6, 2);
    CHECK(str_equal(buf_view(&a), buf_view(&b)));
    CHECK(!str_equal(buf_view(&a), buf_view(&other)));
    buf_free(&a);
    buf_free(&b);
    buf_free(&other);
}

#define TESTCASES(number) \
    TESTCASE(core_programs_##number), TESTCASE(programs_of_everything_##number)
TEST_MAIN(TESTCASE(a_seed_names_one_text), TESTCASES(0), TESTCASES(1),
          TESTCASES(2), TESTCASES(3), TESTCASES(4), TESTCASES(5), TESTCASES(6),
          TESTCASES(7), TESTCASES(8), TESTCASES(9), TESTCASE(one_program))
