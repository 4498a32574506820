// SPDX-License-Identifier: Apache-2.0
// The virtual machine against a real GPU: golden kernels, bit for bit.
// grader/tests/golden/README.md says how the data was made.
#include "tests/golden/golden.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

static Str read_file(Arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return (Str){0};
    enum { MOST = 4 << 20 };
    char *text = arena_new(arena, char, MOST);
    size_t count = fread(text, 1, MOST, file);
    fclose(file);
    return (Str){text, count};
}

// Line `number` of forms.txt that is a form, for messages.
static Str form_name(Str forms, size_t number) {
    while (forms.len) {
        Str line = str_cut(&forms, '\n');
        if (line.len && line.ptr[0] != '#' && number-- == 0)
            return line;
    }
    return STR("?");
}

static void run_kernel(Arena *arena, const char *ptx_path, const char *kernel,
                       uint64_t *out, size_t words) {
    uint64_t inputs[GOLDEN_INPUTS];
    for (uint32_t i = 0; i < GOLDEN_INPUTS; i++)
        inputs[i] = golden_input(i);
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, str_from(ptx_path),
                                  read_file(arena, ptx_path), &diags);
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
        printf("# %.*s\n", STR_ARG(run.findings[i].what));
    CHECK(vm->ops->read(vm, out_buffer, 0, out, words * 8));
    vm->ops->close(vm);
}

static void compare(const char *ptx, const char *kernel, const char *golden,
                    const char *forms) {
    Arena arena = {0};
    Str expected = read_file(&arena, golden);
    Str names = forms ? read_file(&arena, forms) : (Str){0};
    size_t words = expected.len / 8, wrong = 0;
    if (!CHECK(words > 0))
        return;
    uint64_t *out = arena_new(&arena, uint64_t, words);
    run_kernel(&arena, ptx, kernel, out, words);
    for (size_t i = 0; i < words; i++) {
        uint64_t want;
        memcpy(&want, expected.ptr + i * 8, 8);
        if (out[i] == want || wrong++ > 20)
            continue;
        Str name = form_name(names, i / GOLDEN_THREADS);
        printf("# word %zu, thread %zu (%.*s): is %016llx, the GPU gave "
               "%016llx\n",
               i / GOLDEN_THREADS, i % GOLDEN_THREADS, STR_ARG(name),
               (unsigned long long)out[i], (unsigned long long)want);
    }
    CHECK_INT(wrong, 0);
    arena_free(&arena);
}

TEST(instruction_forms_match_the_gpu) {
    compare("grader/tests/golden/ops.ptx", "ops", "grader/tests/golden/ops.out",
            "grader/tests/golden/forms.txt");
}

TEST(warps_and_memory_match_the_gpu) {
    compare("grader/tests/golden/warp.ptx", "warp",
            "grader/tests/golden/warp.out", NULL);
}

// Virtual functions, function pointers, recursion, structs by value, malloc.
TEST(calls_match_the_host_compiler) {
    compare("grader/tests/golden/calls.ptx", "calls",
            "grader/tests/golden/calls.out", NULL);
}

TEST_MAIN(TESTCASE(calls_match_the_host_compiler),
          TESTCASE(instruction_forms_match_the_gpu),
          TESTCASE(warps_and_memory_match_the_gpu))
