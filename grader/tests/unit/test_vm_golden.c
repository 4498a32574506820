// SPDX-License-Identifier: Apache-2.0
// The virtual machine against a real GPU: golden kernels, bit for bit.
// grader/tests/golden/README.md says how the data was made; make makes the
// kernels of lists of forms, in build/golden/.
#include "tests/golden/golden.h"
#include "tests/unit/sample.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

#include <math.h>

// Line `number` of forms.txt that is a form, for messages.
static Str form_name(Str forms, size_t number) {
    while (forms.len) {
        Str line = str_cut(&forms, '\n');
        if (line.len && line.ptr[0] != '#' && number-- == 0)
            return line;
    }
    return STR("?");
}

// Every level of the instruction set that this CPU and this build have gives
// the same bits, and so does a run in which nothing is checked.
static void check_levels(Arena *arena, Device *vm, DeviceLaunch launch,
                         uint32_t buffer, const uint64_t *out, size_t words) {
    static const char *const levels[] = {"v2", "v3", "v4", "base"};
    uint64_t *other = arena_new(arena, uint64_t, words);
    uint32_t seen = 0;
    launch.unchecked = UINT64_MAX;
    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        DeviceRun run;
        if (!vm_use_isa(vm, str_from(levels[i])))
            continue;
        seen++;
        CHECK(vm->ops->launch(vm, arena, &launch, &run));
        CHECK(vm->ops->read(vm, buffer, 0, other, words * 8));
        if (memcmp(other, out, words * 8) != 0)
            printf("# level %s gives other words\n", levels[i]);
        CHECK(memcmp(other, out, words * 8) == 0);
    }
    CHECK(seen > 0);
}

static void run_kernel(Arena *arena, const char *ptx_path, const char *kernel,
                       uint64_t *out, size_t words) {
    uint64_t inputs[GOLDEN_INPUTS];
    for (uint32_t i = 0; i < GOLDEN_INPUTS; i++)
        inputs[i] = golden_input(i);
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, str_from(ptx_path),
                                  test_file(arena, ptx_path), &diags);
    if (!CHECK(module != NULL))
        return;
    Device *vm = vm_open(vm_model_find(STR("mini")));
    uint32_t in_buffer, out_buffer;
    uint64_t args[2];
    vm->ops->load(vm, module, &diags);
    vm->ops->alloc(vm, sizeof inputs, &in_buffer, &args[0], &diags);
    vm->ops->alloc(vm, words * 8, &out_buffer, &args[1], &diags);
    vm->ops->write(vm, in_buffer, 0, inputs, sizeof inputs);
    DeviceLaunch launch = {.kernel = str_from(kernel),
                           .grid = {1, 1, 1},
                           .block = {GOLDEN_THREADS, 1, 1},
                           .args = args,
                           .arg_bytes = sizeof args};
    DeviceRun run;
    CHECK(vm->ops->launch(vm, arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    for (size_t i = 0; i < run.finding_count; i++)
        printf("# %.*s\n",
               STR_ARG(sample_text(arena, &run.findings[i], WORDS_WHAT)));
    CHECK(vm->ops->read(vm, out_buffer, 0, out, words * 8));
    check_levels(arena, vm, launch, out_buffer, out, words);
    vm->ops->close(vm);
}

static size_t count_forms(Str forms) {
    size_t count = 0;
    while (forms.len) {
        Str line = str_cut(&forms, '\n');
        count += line.len && line.ptr[0] != '#';
    }
    return count;
}

// May the VM and the GPU differ so at this word? NULL: never.
typedef bool (*Tolerance)(Str form, size_t thread, uint64_t is, uint64_t gpu);

static void compare(const char *ptx, const char *kernel, const char *golden,
                    const char *forms, Tolerance tolerates) {
    Arena arena = {0};
    Str expected = test_file(&arena, golden);
    Str names = forms ? test_file(&arena, forms) : (Str){0};
    size_t words = expected.len / 8, wrong = 0;
    if (!CHECK(words > 0))
        return;
    uint64_t *out = arena_new(&arena, uint64_t, words);
    run_kernel(&arena, ptx, kernel, out, words);
    for (size_t i = 0; i < words; i++) {
        uint64_t want;
        size_t thread = i % GOLDEN_THREADS;
        memcpy(&want, expected.ptr + i * 8, 8);
        if (out[i] == want)
            continue;
        Str name = form_name(names, i / GOLDEN_THREADS);
        if ((tolerates && tolerates(name, thread, out[i], want)) ||
            wrong++ > 20)
            continue;
        printf("# word %zu, thread %zu (%.*s): is %016llx, the GPU gave "
               "%016llx\n",
               i / GOLDEN_THREADS, thread, STR_ARG(name),
               (unsigned long long)out[i], (unsigned long long)want);
    }
    CHECK_INT(wrong, 0);
    arena_free(&arena);
}

TEST(instruction_forms_match_the_gpu) {
    compare("build/golden/ops.ptx", "ops", "grader/tests/golden/ops.out",
            "grader/tests/golden/forms.txt", NULL);
}

static bool is_recorded(const char *path) {
    return access(path, R_OK) == 0;
}

// Of several f64 operands that are NaN, which one the result is depends on how
// the compiler orders them: the same fma gave another one when its operands
// were loaded in another order.
static bool is_some_nan(Str form, size_t thread, uint64_t is, uint64_t gpu) {
    const uint64_t sign = UINT64_C(1) << 63, quiet = UINT64_C(0x7FF8) << 48;
    (void)thread;
    return memmem(form.ptr, form.len, ".f64", 4) && (is & ~sign) >= quiet &&
           (gpu & ~sign) >= quiet;
}

TEST(more_forms_match_the_gpu) {
    if (!is_recorded("grader/tests/golden/ops2.out"))
        SKIP("ops2.out was not recorded (grader/tests/golden/README.md)");
    compare("build/golden/ops2.ptx", "ops", "grader/tests/golden/ops2.out",
            "grader/tests/golden/forms2.txt", is_some_nan);
}

// Instruction forms of f16, bf16, fp8, fp6, fp4 and conversions.
TEST(forms_of_halves_match_the_gpu) {
    compare("build/golden/ops-half.ptx", "ops",
            "grader/tests/golden/ops-half.out",
            "grader/tests/golden/forms-half.txt", NULL);
}

TEST(video_forms_match_the_gpu) {
    if (!is_recorded("grader/tests/golden/ops-video.out"))
        SKIP("ops-video.out was not recorded (grader/tests/golden/README.md)");
    compare("build/golden/ops-video.ptx", "ops",
            "grader/tests/golden/ops-video.out",
            "grader/tests/golden/forms-video.txt", NULL);
}

TEST(fma_oob_matches_the_gpu) {
    if (!is_recorded("grader/tests/golden/ops-oob.out"))
        SKIP("ops-oob.out was not recorded (grader/tests/golden/README.md)");
    compare("build/golden/ops-oob.ptx", "ops",
            "grader/tests/golden/ops-oob.out",
            "grader/tests/golden/forms-oob.txt", NULL);
}

// The NaN that is out of bounds, found among all patterns.
TEST(fma_oob_finds_the_same_nan) {
    compare("grader/tests/golden/half.ptx", "oob",
            "grader/tests/golden/half-oob.out", NULL, NULL);
}

// NaN, subnormal numbers and zeros in atomics; which space an address is in.
// They run to their end, recorded or not.
TEST(atomics_match_the_gpu) {
    static const char *const kernels[][2] = {
        {"atoms", "grader/tests/golden/atoms.out"},
        {"spaces", "grader/tests/golden/atoms-spaces.out"},
    };
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        static uint64_t out[64 * GOLDEN_THREADS];
        Arena arena = {0};
        run_kernel(&arena, "grader/tests/golden/atoms.ptx", kernels[i][0], out,
                   COUNT_OF(out));
        arena_free(&arena);
        if (!is_recorded(kernels[i][1]))
            SKIP("not recorded (grader/tests/golden/README.md)");
        compare("grader/tests/golden/atoms.ptx", kernels[i][0], kernels[i][1],
                NULL, NULL);
    }
}

// Every pattern of 16 bits, through the CUDA API.
TEST(halves_match_the_gpu) {
    compare("grader/tests/golden/half.ptx", "halves",
            "grader/tests/golden/half-halves.out", NULL, NULL);
}

// tanh.approx of f16 may be off by 2^-10.987, of bf16 by 2^-8 of the result
// (PTX ISA, 9.7.4, "tanh"): more than the last place, by which ours, rounded
// correctly, may differ here. All other functions of halves are made of
// instructions whose results are rounded to halves: equal.
static bool is_last_place(Str form, size_t thread, uint64_t is, uint64_t gpu) {
    (void)thread;
    return str_starts(form, STR("htanh_approx ")) &&
           (is + 1 == gpu || gpu + 1 == is);
}

TEST(functions_of_halves_match_the_gpu) {
    compare("grader/tests/golden/half.ptx", "approx",
            "grader/tests/golden/half-approx.out",
            "grader/tests/golden/half-approx.txt", is_last_place);
}

// Every listed form runs here, recorded or not.
TEST(listed_forms_run) {
    static const char *const lists[][2] = {
        {"grader/tests/golden/forms2.txt", "build/golden/ops2.ptx"},
        {"grader/tests/golden/approx.txt", "build/golden/approx.ptx"},
        {"grader/tests/golden/forms-oob.txt", "build/golden/ops-oob.ptx"},
        {"grader/tests/golden/forms-video.txt", "build/golden/ops-video.ptx"},
    };
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        Arena arena = {0};
        size_t forms = count_forms(test_file(&arena, lists[i][0]));
        CHECK(forms >= 40);
        size_t words = forms * GOLDEN_THREADS;
        uint64_t *out = arena_new(&arena, uint64_t, words);
        run_kernel(&arena, lists[i][1], "ops", out, words);
        arena_free(&arena);
    }
}

TEST(warps_and_memory_match_the_gpu) {
    compare("grader/tests/golden/warp.ptx", "warp",
            "grader/tests/golden/warp.out", NULL, NULL);
}

// ---- approximations ------------------------------------------------------

// How far two results within the ISA's bound of the exact one may be apart
// (PTX ISA, 9.7.3; test_vm_approx.c has the bounds): relative, absolute.
static const struct {
    const char *op;
    double relative, absolute;
} apart[] = {
    {"rcp.approx.ftz.f64", 0x1p-18, 0x1p-1022},
    {"rsqrt.approx.ftz.f64", 0x1p-18, 0x1p-1022},
    {"rsqrt.approx.f64", 0x1p-50, 0x1p-1022},
    {"rcp.", 0x1p-22, 0x1p-126},
    {"sqrt.", 0x1p-22, 0x1p-126},
    {"rsqrt.", 0x1p-21, 0x1p-126},
    {"div.", 0x1p-21, 0x1p-126},
    {"ex2.", 0x1p-21, 0x1p-126},
    {"lg2.", 0x1p-21, 0x1p-21},
    {"sin.", 0, 0x1p-14},
    {"cos.", 0, 0x1p-14},
    {"tanh.", 0x1p-10, 0x1p-126},
};

static double as_number(uint64_t bits, bool is_f64) {
    float narrow;
    double wide;
    uint32_t low = (uint32_t)bits;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return is_f64 ? wide : (double)narrow;
}

// The angle beyond which the ISA promises nothing.
static bool is_far_angle(Str form, size_t thread) {
    bool special = form.ptr[form.len - 1] == 'F';
    uint64_t bits = special ? golden_special32((uint32_t)thread)
                            : golden_input((uint32_t)thread);
    return fabs(as_number(bits, false)) > 314.1;
}

static bool within_bounds(Str form, size_t thread, uint64_t is, uint64_t gpu) {
    Str classes = form, op = str_cut(&classes, ' ');
    bool is_f64 = str_ends(op, STR("f64"));
    double a = as_number(is, is_f64), b = as_number(gpu, is_f64);
    for (size_t i = 0; i < COUNT_OF(apart); i++) {
        if (!str_starts(form, str_from(apart[i].op)))
            continue;
        if (apart[i].relative == 0 && is_far_angle(form, thread))
            return true;
        return fabs(a - b) <=
               fmax(apart[i].absolute, fabs(b) * apart[i].relative);
    }
    return false;
}

TEST(approximations_are_near_the_gpu) {
    if (!is_recorded("grader/tests/golden/approx.out"))
        SKIP("approx.out was not recorded (grader/tests/golden/README.md)");
    compare("build/golden/approx.ptx", "ops", "grader/tests/golden/approx.out",
            "grader/tests/golden/approx.txt", within_bounds);
}

// Virtual functions, function pointers, recursion, structs by value, malloc.
TEST(calls_match_the_gpu) {
    compare("grader/tests/golden/calls.ptx", "calls",
            "grader/tests/golden/calls.out", NULL, NULL);
}

// The least level, v2, or base, is in a build of all levels, and otherwise only
// where the CPU has no better one: then the tests above compared one level.
TEST(all_levels_are_compared) {
    Device *vm = vm_open(vm_model_find(STR("mini")));
    CHECK(!vm_use_isa(vm, STR("v9")) && !vm_use_isa(vm, STR("")));
    bool has_least = vm_use_isa(vm, STR("v2")) || vm_use_isa(vm, STR("base"));
    vm->ops->close(vm);
    if (!has_least)
        SKIP("this build has one level of the CPU: make ISAS=all has all");
}

TEST_MAIN(TESTCASE(calls_match_the_gpu),
          TESTCASE(instruction_forms_match_the_gpu),
          TESTCASE(more_forms_match_the_gpu), TESTCASE(listed_forms_run),
          TESTCASE(forms_of_halves_match_the_gpu),
          TESTCASE(video_forms_match_the_gpu), TESTCASE(atomics_match_the_gpu),
          TESTCASE(fma_oob_matches_the_gpu),
          TESTCASE(fma_oob_finds_the_same_nan), TESTCASE(halves_match_the_gpu),
          TESTCASE(functions_of_halves_match_the_gpu),
          TESTCASE(approximations_are_near_the_gpu),
          TESTCASE(warps_and_memory_match_the_gpu),
          TESTCASE(all_levels_are_compared))
