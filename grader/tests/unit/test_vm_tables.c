// SPDX-License-Identifier: Apache-2.0
// Tables that forget (docs/semantics.md): each kernel is right, and fills one
// of the tables that its accesses are judged by. What has been forgotten is not
// known, and is no error. Beside most of them stands the same kernel with a
// mistake, to show that the table is looked at.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/machine/machine.h"
#include "vm/order/order.h"
#include "vm/vm.h"

typedef struct Machine {
    Arena arena;
    Device *device;
    uint64_t address; // of a buffer of 64 KiB, the kernel's argument
} Machine;

static bool machine_open(Machine *m, Str body) {
    *m = (Machine){.device = vm_open(vm_model_find(STR("mini")))};
    Diags diags = diags_new(&m->arena);
    Str text = str_format(&m->arena,
                          ".version 9.0\n.target sm_100a\n.address_size 64\n"
                          ".file 1 \"k.cu\"\n"
                          ".global .align 4 .b8 word[8];\n"
                          ".visible .entry k(.param .u64 p) {\n"
                          ".reg .b32 %%r<20>; .reg .b64 %%l<9>;\n"
                          ".reg .pred %%p<9>;\n"
                          ".shared .align 16 .b8 x[40960];\n"
                          ".shared .align 8 .b8 bar[16];\n"
                          "ld.param.u64 %%l1, [p]; mov.u32 %%r1, %%tid.x;\n"
                          "cvta.to.global.u64 %%l1, %%l1; mov.u32 %%r2, x;\n"
                          "mov.u32 %%r3, bar;\n%.*s\nret; }\n",
                          STR_ARG(body));
    PtxModule *module = ptx_parse(&m->arena, STR("k.ptx"), text, &diags);
    uint32_t buffer;
    if (!CHECK(module != NULL))
        printf("# %.*s\n", STR_ARG(diags.items[0].what));
    return module && CHECK(m->device->ops->load(m->device, module, &diags)) &&
           CHECK(m->device->ops->alloc(m->device, 1 << 16, &buffer, &m->address,
                                       &diags));
}

static void machine_close(Machine *m) {
    m->device->ops->close(m->device);
    arena_free(&m->arena);
}

// Launches it, and counts the errors that it finds.
static size_t launch(Machine *m, DeviceLaunch launch, bool *is_told) {
    DeviceRun run = {0};
    size_t errors = 0;
    launch.kernel = STR("k");
    launch.args = &m->address;
    launch.arg_bytes = sizeof m->address;
    launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
    CHECK(m->device->ops->launch(m->device, &m->arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    *is_told = false;
    for (size_t i = 0; i < run.finding_count; i++) {
        errors += run.findings[i].level == FINDING_ERROR;
        *is_told |= run.findings[i].which == CASE_LIMIT_ORDER;
    }
    return errors;
}

// How many errors a kernel makes, and whether it says that a table was full.
typedef struct Outcome {
    size_t errors;
    bool is_told;
} Outcome;

static Outcome run(const char *body, DeviceLaunch wish) {
    Machine m;
    Outcome out = {99, false};
    if (machine_open(&m, str_from(body)))
        out.errors = launch(&m, wish, &out.is_told);
    machine_close(&m);
    return out;
}

// Each thread issues all copies: 2,560 destinations of 16 bytes.
#define COPY_ALL(more)                                                     \
    "mov.u32 %r4, 0;\n" more "L: cp.async.ca.shared.global [%r2], [%l1], " \
    "16;\n"                                                                \
    "add.u32 %r2, %r2, 16; add.u64 %l1, %l1, 16; add.u32 %r4, %r4, 1;\n"   \
    "setp.lt.u32 %p1, %r4, 2560; @%p1 bra L;\n"                            \
    "cp.async.wait_all; bar.sync 0;"

TEST(copies_that_are_repeated_are_all_known) {
    DeviceLaunch wish = {.grid = {2}, .block = {64}};
    CHECK_INT(run(COPY_ALL(""), wish).errors, 0);
    CHECK(run(COPY_ALL("cvt.u64.u32 %l2, %r1; shl.b64 %l2, %l2, 4;\n"
                       "add.u64 %l1, %l1, %l2;"),
              wish)
              .errors > 0);
}

TEST(copies_that_have_been_forgotten_repeat_others) {
    DeviceLaunch wish = {.grid = {2}, .block = {64}, .records_most = 64 << 10};
    CHECK_INT(run(COPY_ALL(""), wish).errors, 0);
}

// So many blocks one after the other need no table for all of them.
TEST(copies_of_blocks_that_have_ended_make_room) {
    DeviceLaunch wish = {.grid = {200}, .block = {32}};
    CHECK_INT(run(COPY_ALL(""), wish).errors, 0);
}

// Twelve groups with a copy and an arrival each; the first two are waited for,
// and the thread reads what the `read`th brought.
static size_t errors_of_groups(const char *read) {
    Buf body = {0};
    buf_str(&body, STR("mbarrier.init.shared::cta.b64 [%r3], 12;\n"));
    for (int i = 0; i < 12; i++)
        buf_printf(&body,
                   "cp.async.ca.shared.global [%%r2+%d], [%%l1+%d], 16;\n"
                   "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%%r3];\n"
                   "cp.async.commit_group;\n",
                   16 * i, 16 * i);
    buf_printf(&body,
               "cp.async.wait_group 10;\nld.shared.u32 %%r5, [%%r2+%s];\n"
               "st.global.u32 [%%l1+1024], %%r5;\ncp.async.wait_all;",
               read);
    buf_byte(&body, '\0');
    DeviceLaunch wish = {.grid = {1}, .block = {1}};
    size_t errors = run(body.ptr, wish).errors;
    buf_free(&body);
    return errors;
}

TEST(groups_of_long_ago_are_complete_with_their_marks) {
    CHECK_INT(errors_of_groups("0"), 0);
    CHECK_INT(errors_of_groups("16"), 0);
    CHECK(errors_of_groups("176") > 0);
}

// Warp 1 stores a word and then a flag for each lane of warp 0, which waits.
#define MESSAGES(sem)                                                       \
    "and.b32 %r4, %r1, 31; shl.b32 %r4, %r4, 2; add.u32 %r2, %r2, %r4;\n"   \
    "setp.lt.u32 %p1, %r1, 32; st.shared.u32 [%r2+1024], 0;\n"              \
    "bar.sync 0; @%p1 bra R;\n"                                             \
    "st.shared.u32 [%r2], 7; st." sem ".cta.shared.u32 [%r2+1024], 1; ret;" \
    "\nR: ld.acquire.cta.shared.u32 %r5, [%r2+1024];\n"                     \
    "setp.eq.u32 %p2, %r5, 0; @%p2 bra R;\n"                                \
    "ld.shared.u32 %r6, [%r2]; mul.wide.u32 %l2, %r1, 4;\n"                 \
    "add.u64 %l1, %l1, %l2; st.global.u32 [%l1], %r6;"

TEST(releases_that_have_no_room_accuse_nobody) {
    DeviceLaunch wish = {.grid = {1}, .block = {64}};
    CHECK_INT(run(MESSAGES("release"), wish).errors, 0);
    CHECK(run(MESSAGES("relaxed"), wish).errors > 0);
    wish.records_most = 400;
    Outcome full = run(MESSAGES("release"), wish);
    CHECK_INT(full.errors, 0);
    CHECK(full.is_told);
}

// All read a word; the last to have done so overwrites it.
TEST(more_readers_than_are_listed_accuse_nobody) {
    static const char body[] =
        "mov.u64 %l2, word; ld.global.u32 %r4, [%l2];\n"
        "membar.gl; mov.u32 %r6, %nctaid.x; setp.gt.u32 %p2, %r4, 5;\n"
        "@%p2 st.global.u32 [%l1], %r6;\n"
        "atom.global.add.u32 %r5, [%l2+4], 1; membar.gl;\n"
        "sub.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r5, %r6; @%p1 ret;\n"
        "st.global.u32 [%l2], 1;";
    DeviceLaunch wish = {.grid = {1500}, .block = {1}};
    Outcome out = run(body, wish);
    CHECK_INT(out.errors, 0);
    CHECK(out.is_told);
}

// Each block hands a word from one warp to the other by an mbarrier.
#define HAND_OVER                                                          \
    "setp.ne.u32 %p1, %r1, 0;\n"                                           \
    "@!%p1 mbarrier.init.shared::cta.b64 [%r3], 32; bar.sync 0;\n"         \
    "and.b32 %r4, %r1, 31; shl.b32 %r4, %r4, 2; add.u32 %r2, %r2, %r4;\n"  \
    "setp.lt.u32 %p1, %r1, 32; @%p1 bra R; st.shared.u32 [%r2], %r1;\n"    \
    "mbarrier.arrive.shared::cta.b64 %l3, [%r3]; ret;\n"                   \
    "R: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n"         \
    "@!%p2 bra R; ld.shared.u32 %r5, [%r2];\n"                             \
    "cp.async.ca.shared.global [%r2+1024], [%l1], 4; cp.async.wait_all;\n" \
    "st.shared.u32 [%r2+2048], %r5;"

TEST(agents_without_numbers_accuse_nobody) {
    Machine m;
    bool is_told;
    DeviceLaunch wish = {.grid = {40}, .block = {64}};
    if (!machine_open(&m, STR(HAND_OVER)))
        return;
    CHECK_INT(launch(&m, wish, &is_told), 0);
    Vm *vm = (Vm *)m.device;
    if (!CHECK(vm->persistent.order != NULL))
        return;
    vm->persistent.order->agents = (1u << 26) - 20;
    CHECK_INT(launch(&m, wish, &is_told), 0);
    CHECK(!is_told); // they begin anew
    CHECK(vm->persistent.order->agents < 1u << 20);
    machine_close(&m);
}

TEST(blocks_without_numbers_accuse_nobody) {
    DeviceLaunch wish = {.grid = {40}, .block = {64}, .records_most = 64};
    Outcome out = run(HAND_OVER, wish);
    CHECK_INT(out.errors, 0);
    CHECK(out.is_told);
}

TEST_MAIN(TESTCASE(copies_that_are_repeated_are_all_known),
          TESTCASE(copies_that_have_been_forgotten_repeat_others),
          TESTCASE(copies_of_blocks_that_have_ended_make_room),
          TESTCASE(groups_of_long_ago_are_complete_with_their_marks),
          TESTCASE(releases_that_have_no_room_accuse_nobody),
          TESTCASE(more_readers_than_are_listed_accuse_nobody),
          TESTCASE(agents_without_numbers_accuse_nobody),
          TESTCASE(blocks_without_numbers_accuse_nobody))
