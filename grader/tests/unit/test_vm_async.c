// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, barriers and atomics: kernels that nvcc compiled, under
// many schedules, and every form of the instructions. The data and how it was
// made: grader/tests/async/README.md.
#include "tests/unit/sample.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

#define FOLDER "grader/tests/async/"
enum { BLOCKS = 4, THREADS = 128, WORDS = BLOCKS * THREADS, INPUTS = 4096 };
enum { SCHEDULES = 3 * STRATEGY_COUNT };

// ---- kernels -------------------------------------------------------------

typedef struct Setup {
    Device *vm;
    uint32_t out;
    uint64_t args[2]; // out, in
} Setup;

static void set_up(Setup *s, const PtxModule *module, Diags *diags) {
    uint32_t in;
    static uint32_t inputs[INPUTS];
    for (uint32_t i = 0; i < INPUTS; i++)
        inputs[i] = i * 2654435761u;
    s->vm = vm_open(vm_model_find(STR("mini")));
    s->vm->ops->load(s->vm, module, diags);
    s->vm->ops->alloc(s->vm, WORDS * 4, &s->out, &s->args[0], diags);
    s->vm->ops->alloc(s->vm, sizeof inputs, &in, &s->args[1], diags);
    s->vm->ops->write(s->vm, in, 0, inputs, sizeof inputs);
}

// A bulk copy over what was read, behind a barrier, is an advisory: the
// library's users do not write the proxy fence.
static bool counts(const Finding *finding) {
    return finding->which != CASE_RACE002_READ_NO_FENCE;
}

// Words that are not 1, and one more for each finding.
static uint32_t count_wrong(Setup *s, Str kernel, uint32_t schedule,
                            bool print) {
    Arena arena = {0};
    uint32_t words[WORDS] = {0}, wrong = 0;
    bool clusters = str_ends(kernel, STR("_cluster"));
    DeviceLaunch launch = {
        .kernel = kernel,
        .grid = {BLOCKS, 1, 1},
        .block = {THREADS, 1, 1},
        .cluster = {clusters ? 2 : 1, 1, 1},
        .args = s->args,
        .arg_bytes = sizeof s->args,
        .schedule = {.seed = schedule,
                     .strategy = (DeviceStrategy)(schedule % STRATEGY_COUNT)}};
    DeviceRun run;
    s->vm->ops->write(s->vm, s->out, 0, words, sizeof words);
    s->vm->ops->launch(s->vm, &arena, &launch, &run);
    for (size_t i = 0; i < run.finding_count; i++) {
        wrong += counts(&run.findings[i]);
        if (print && counts(&run.findings[i]))
            printf("# %.*s: %.*s\n", STR_ARG(kernel),
                   STR_ARG(sample_text(&arena, &run.findings[i], WORDS_WHAT)));
    }
    s->vm->ops->read(s->vm, s->out, 0, words, sizeof words);
    for (uint32_t i = 0; i < WORDS; i++)
        wrong += words[i] != 1;
    if (print && run.status == RUN_REFUSED)
        printf("# %.*s\n", STR_ARG(run.error.what));
    arena_free(&arena);
    return wrong;
}

// Runs each kernel of a file under all schedules: all of them, or some, must
// go wrong.
static void run_file(const char *name, bool right) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    Str text = test_file(&arena, name);
    PtxModule *module = ptx_parse(&arena, str_from(name), text, &diags);
    if (!CHECK(text.len > 0) || !CHECK(module != NULL))
        return;
    Setup s;
    set_up(&s, module, &diags);
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (!func->is_entry)
            continue;
        uint32_t bad = 0;
        for (uint32_t k = 0; k < SCHEDULES; k++)
            bad += count_wrong(&s, func->name, k, right) != 0;
        if (!CHECK(right ? bad == 0 : bad > 0))
            printf("# %s: %.*s goes wrong in %u of %d schedules\n", name,
                   STR_ARG(func->name), bad, SCHEDULES);
    }
    s.vm->ops->close(s.vm);
    arena_free(&arena);
}

TEST(library_copies_arrive) {
    run_file(FOLDER "memcpy-sm_90.ptx", true);
    run_file(FOLDER "memcpy-sm_100a.ptx", true);
}

TEST(bulk_copies_arrive) {
    run_file(FOLDER "bulk-sm_90.ptx", true);
    run_file(FOLDER "bulk-sm_100a.ptx", true);
}

TEST(barriers_and_atomics_agree) {
    run_file(FOLDER "sync-sm_90.ptx", true);
    run_file(FOLDER "sync-sm_100a.ptx", true);
}

TEST(a_missing_wait_shows) {
    run_file(FOLDER "missing-sm_90.ptx", false);
    run_file(FOLDER "missing-sm_100a.ptx", false);
}

// ---- forms ---------------------------------------------------------------

static const char HEAD[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".const .align 16 .b32 cst[8]; .global .align 128 .b8 gv[1024];\n"
    ".visible .entry k(.param .align 64 .b8 map[128]) {\n"
    ".reg .pred %p<9>; .reg .b16 %h<20>; .reg .b32 %r<20>;\n"
    ".reg .f32 %f<20>; .reg .b64 %l<20>; .reg .f64 %d<20>;\n"
    ".reg .b128 %q<9>; .shared .align 128 .b8 sh[1024];\n"
    ".shared .align 8 .b64 bar; .local .align 16 .b8 loc[64];\n"
    "setp.ne.u32 %p8, 0, 0;\n";

// How a kernel ends that has the form, and does not execute it.
static RunStatus try_form(Str form) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    Str text =
        str_format(&arena, "%s@%%p8 %.*s;\nret;\n}\n", HEAD, STR_ARG(form));
    PtxModule *module = ptx_parse(&arena, STR("form"), text, &diags);
    DeviceRun run = {.status = RUN_REFUSED};
    if (module) {
        Device *vm = vm_open(vm_model_find(STR("mini")));
        uint8_t args[128] = {0};
        DeviceLaunch launch = {.kernel = STR("k"),
                               .grid = {1, 1, 1},
                               .block = {1, 1, 1},
                               .args = args,
                               .arg_bytes = sizeof args};
        vm->ops->load(vm, module, &diags);
        vm->ops->launch(vm, &arena, &launch, &run);
        vm->ops->close(vm);
    }
    arena_free(&arena);
    return run.status;
}

// Tries each way to take the alternatives <a|b|c> of a pattern, leftmost
// first. Returns how many there are.
static uint32_t try_pattern(Str pattern, RunStatus expected) {
    size_t open = 0;
    while (open < pattern.len && pattern.ptr[open] != '<')
        open++;
    if (open == pattern.len) {
        RunStatus is = try_form(pattern);
        if (!CHECK(is == expected))
            printf("# ends with %d: %.*s\n", is, STR_ARG(pattern));
        return 1;
    }
    Str rest = str_slice(pattern, open + 1, pattern.len);
    Str choices = str_cut(&rest, '>');
    uint32_t count = 0;
    for (bool more = true; more;) {
        more = memchr(choices.ptr, '|', choices.len) != NULL;
        Arena arena = {0};
        Str choice = str_cut(&choices, '|');
        Str one = str_format(&arena, "%.*s%.*s%.*s", (int)open, pattern.ptr,
                             STR_ARG(choice), STR_ARG(rest));
        count += try_pattern(one, expected);
        arena_free(&arena);
    }
    return count;
}

TEST(every_form_is_decoded) {
    Arena arena = {0};
    Str text = test_file(&arena, FOLDER "forms.txt");
    uint32_t count = 0;
    while (text.len) {
        Str line = str_cut(&text, '\n');
        bool left_out = str_starts(line, STR("! "));
        if (line.len == 0 || line.ptr[0] == '#')
            continue;
        count += try_pattern(left_out ? str_slice(line, 2, line.len) : line,
                             left_out ? RUN_UNSUPPORTED : RUN_DONE);
    }
    CHECK(count > 1000);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(library_copies_arrive), TESTCASE(bulk_copies_arrive),
          TESTCASE(barriers_and_atomics_agree), TESTCASE(a_missing_wait_shows),
          TESTCASE(every_form_is_decoded))
