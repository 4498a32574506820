// SPDX-License-Identifier: Apache-2.0
// The virtual machine's memory has bounds that no module and no launch passes:
// sizes in PTX are anybody's.
#include "tests/unit/sample.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

typedef struct Outcome {
    bool loaded;
    RunStatus status;
    Str error;         // of the load or the launch; or the first finding
    uint64_t resident; // blocks together, at most
} Outcome;

// Loads `body` and launches its kernel k.
static Outcome run_text(Arena *arena, const char *body, DeviceLaunch launch) {
    Str text = str_format(arena,
                          ".version 9.0\n.target sm_100a\n.address_size 64\n"
                          ".file 1 \"k.cu\"\n%s",
                          body);
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, STR("k.ptx"), text, &diags);
    Outcome out = {0};
    if (!CHECK(module != NULL))
        return out;
    Device *vm = vm_open(vm_model_find(STR("mini")));
    out.loaded = vm->ops->load(vm, module, &diags);
    if (!out.loaded) {
        out.error = diags.items[0].what;
    } else {
        DeviceRun run;
        launch.kernel = STR("k");
        if (launch.grid[0] == 0)
            launch.grid[0] = 1;
        launch.grid[1] = launch.grid[2] = 1;
        launch.block[0] = launch.block[1] = launch.block[2] = 1;
        vm->ops->launch(vm, arena, &launch, &run);
        out.status = run.status;
        out.resident = run.resident;
        out.error = run.finding_count
                        ? sample_text(arena, &run.findings[0], WORDS_WHAT)
                        : run.error.what;
    }
    vm->ops->close(vm);
    return out;
}

static void check_refused(const char *body, DeviceLaunch launch,
                          const char *part) {
    Arena arena = {0};
    Outcome out = run_text(&arena, body, launch);
    CHECK(out.loaded);
    CHECK_INT(out.status, RUN_REFUSED);
    CHECK_HOLDS(out.error, part);
    arena_free(&arena);
}

TEST(variables_of_a_module_fit_together) {
    Arena arena = {0};
    Outcome out = run_text(&arena,
                           ".global .b8 a[3000000000];\n"
                           ".const .b8 b[3000000000];\n"
                           ".visible .entry k() { ret; }\n",
                           (DeviceLaunch){0});
    CHECK(!out.loaded);
    CHECK_HOLDS(out.error, "variable b is too large");
    arena_free(&arena);
}

TEST(local_arrays_have_the_size_that_a_thread_can_have) {
    check_refused(".visible .entry k() { .local .b8 a[524304]; ret; }\n",
                  (DeviceLaunch){0}, "the local arrays of k are too large");
    check_refused(".func f() { .local .b8 a[1099511627776]; ret; }\n"
                  ".visible .entry k() { call f, (); ret; }\n",
                  (DeviceLaunch){0}, "the local arrays of f are too large");
}

TEST(parameters_of_calls_have_bounds) {
    check_refused(".visible .entry k() { .param .b8 a[1099511627776]; ret; }\n",
                  (DeviceLaunch){0},
                  "the registers and parameters of k are too large");
}

TEST(shared_memory_that_overflows_is_more_than_there_is) {
    check_refused(".visible .entry k() { .shared .b8 a[4096]; ret; }\n",
                  (DeviceLaunch){.dynamic_smem = UINT32_MAX},
                  "no SM of model mini holds a block");
}

TEST(a_launch_says_how_much_memory_it_needs) {
    static const char body[] =
        ".visible .entry k() { .local .b8 a[65536]; ret; }\n";
    check_refused(body, (DeviceLaunch){.memory_limit = 1 << 20}, "KiB");
    Arena arena = {0};
    Outcome out =
        run_text(&arena, body, (DeviceLaunch){.memory_limit = 8 << 20});
    CHECK_INT(out.status, RUN_DONE);
    arena_free(&arena);
}

// One block has room in that memory and not as many as all SMs hold: fewer run
// together, and more of them with more memory.
TEST(blocks_without_room_for_all_wait_for_their_turn) {
    static const char body[] =
        ".visible .entry k() { .local .b8 a[65536]; ret; }\n";
    Arena arena = {0};
    DeviceLaunch launch = {.grid = {1000}, .memory_limit = 16 << 20};
    Outcome few = run_text(&arena, body, launch);
    launch.memory_limit *= 3;
    Outcome more = run_text(&arena, body, launch);
    CHECK_INT(few.status, RUN_DONE);
    CHECK_INT(more.status, RUN_DONE);
    CHECK_INT(few.resident, 2);
    CHECK_INT(more.resident, 8);
    arena_free(&arena);
}

// Each call takes 128 KiB of parameters a warp, and a KiB of local memory a
// lane: the memory of the launch is used up long before 256 calls.
TEST(calls_end_where_the_memory_of_the_launch_does) {
    Arena arena = {0};
    Outcome out = run_text(&arena,
                           ".func f() { .param .b8 p[4096]; .local .b8 "
                           "a[1024]; call f, (); ret; }\n"
                           ".visible .entry k() { call f, (); ret; }\n",
                           (DeviceLaunch){.memory_limit = 2 << 20});
    CHECK_INT(out.status, RUN_FAULT);
    CHECK_HOLDS(out.error, "the call stack of block 0 is full");
    arena_free(&arena);
}

// ---- findings ------------------------------------------------------------

// 70 lines that decode the index of a refused answer, for nothing: an advisory
// each. Then an access that is out of bounds.
static Str many_advisories(Arena *arena) {
    Buf text = {0};
    buf_str(&text,
            STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                ".file 1 \"k.cu\"\n.visible .entry k() {\n"
                ".reg .pred %p; .reg .b32 %r; .reg .b64 %l; .reg .b128 %q;\n"
                ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"
                "mbarrier.init.shared::cta.b64 [bar], 1;\n"
                "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
                "complete_tx::bytes.b128 [slot], [bar];\n"
                "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, "
                "[bar], 16;\n"
                "wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 "
                "%p, [bar], 0;\n@!%p bra wait;\n"
                "ld.shared.b128 %q, [slot]; mov.u64 %l, 8;\n"));
    for (int i = 1; i <= 70; i++)
        buf_printf(&text,
                   ".loc 1 %d 1\nclusterlaunchcontrol.query_cancel."
                   "get_first_ctaid::x.b32.b128 %%r, %%q;\n",
                   i);
    buf_str(&text, STR(".loc 1 99 1\nld.global.u32 %r, [%l]; ret; }\n"));
    Str copy = str_copy(arena, buf_view(&text));
    buf_free(&text);
    return copy;
}

TEST(no_error_is_lost_behind_many_advisories) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    Device *vm = vm_open(vm_model_find(STR("mini")));
    PtxModule *module =
        ptx_parse(&arena, STR("k.ptx"), many_advisories(&arena), &diags);
    DeviceRun run = {0};
    CHECK(module && vm->ops->load(vm, module, &diags));
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .cluster = {1, 1, 1}};
    CHECK(vm->ops->launch(vm, &arena, &launch, &run));
    CHECK_INT(run.status, RUN_FAULT);
    if (CHECK_INT(run.finding_count, 64)) {
        CHECK_INT(run.findings[62].level, FINDING_ADVISORY);
        CHECK_INT(run.findings[63].level, FINDING_ERROR);
        CHECK_INT(run.findings[63].at.line, 99);
    }
    vm->ops->close(vm);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(no_error_is_lost_behind_many_advisories),
          TESTCASE(variables_of_a_module_fit_together),
          TESTCASE(local_arrays_have_the_size_that_a_thread_can_have),
          TESTCASE(parameters_of_calls_have_bounds),
          TESTCASE(shared_memory_that_overflows_is_more_than_there_is),
          TESTCASE(a_launch_says_how_much_memory_it_needs),
          TESTCASE(blocks_without_room_for_all_wait_for_their_turn),
          TESTCASE(calls_end_where_the_memory_of_the_launch_does))
