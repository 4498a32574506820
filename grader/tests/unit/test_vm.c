// SPDX-License-Identifier: Apache-2.0
// The virtual machine as a Device: what each operation promises, launches that
// it refuses, the ledger, watches, and that a run is a function of its seed.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

// Kernels: `add` adds its second parameter to word ctaid of the first's buffer;
// `bump` adds a device global and a constant to word 0; `steal` is the CLC loop
// of one thread, adding 1 to the word of every block index that it owns;
// `careless` asks twice and looks at the second answer only, `stale` looks at
// the first one, asks again, and looks at both; `rounds` has branches that part
// a warp, and barriers, one of which has a result.
static const char TEXT[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".file 1 \"k.cu\"\n"
    ".global .align 4 .u32 g = 3;\n"
    ".const .align 4 .u32 c = 4;\n"
    ".visible .entry add(.param .u64 out, .param .u32 v) {\n"
    ".reg .b32 %r<9>; .reg .b64 %l<9>; .shared .align 4 .b8 s[4096];\n"
    ".loc 1 7 1\n"
    "ld.param.u64 %l1, [out]; ld.param.u32 %r1, [v];\n"
    "mov.u32 %r2, %ctaid.x; mul.wide.u32 %l2, %r2, 4; add.s64 %l1, %l1, %l2;\n"
    "ld.global.u32 %r3, [%l1]; add.s32 %r3, %r3, %r1;\n"
    "st.global.u32 [%l1], %r3; ret; }\n"
    ".visible .entry bump(.param .u64 out) {\n"
    ".reg .b32 %r<9>; .reg .b64 %l<9>;\n"
    "ld.param.u64 %l1, [out]; ld.global.u32 %r1, [g]; ld.const.u32 %r2, [c];\n"
    "add.s32 %r1, %r1, %r2; st.global.u32 [%l1], %r1; st.global.u32 [g], 99;\n"
    "ret; }\n"
    ".visible .entry copies(.param .u64 out) {\n"
    ".reg .b64 %l<9>; .shared .align 16 .b8 from[16];\n"
    ".loc 1 9 1\n"
    "ld.param.u64 %l1, [out]; st.shared.v2.u64 [from], {%l1, %l1};\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%l1], [from], 16;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%l1], [from], 16;\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n"
    ".visible .entry quads(.param .u64 out) {\n"
    ".reg .b32 %r<9>; .reg .b64 %l<9>; ld.param.u64 %l1, [out];\n"
    "mov.u32 %r1, %ctaid.x; shr.u32 %r2, %r1, 1; mul.wide.u32 %l2, %r2, 16;\n"
    "add.s64 %l2, %l1, %l2; st.global.v4.b32 [%l2], {%r1, %r1, %r1, %r1};\n"
    "red.global.add.u32 [%l1+32], 1; st.global.u8 [%l1+39], %r1; ret; }\n"
    ".visible .entry pair(.param .u64 out) .explicitcluster "
    ".reqnctapercluster 2, 1, 1 { ret; }\n"
    ".visible .entry sizes(.param .u64 out) {\n"
    ".reg .b32 %r<9>; .reg .b64 %l<9>; ld.param.u64 %l1, [out];\n"
    "mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %nclusterid.x;"
    "\nmov.u32 %r4, %cluster_nctaid.x;\n"
    "st.global.v4.u32 [%l1], {%r1, %r2, %r3, %r4}; ret; }\n"
    ".visible .entry shaped(.param .u64 out) .reqntid 4, 2, 2 { ret; }\n"
    ".visible .entry counts(.param .u64 out) .explicitcluster "
    ".reqnctapercluster 2, 1, 1 .blocksareclusters { ret; }\n"
    ".visible .entry rounds(.param .u64 out) {\n"
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %l<9>;\n"
    ".shared .align 4 .b8 s[512];\n"
    "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; mov.u32 %r3, 0; mov.u32 %r4, 4;"
    "\nround: mov.u32 %r5, 0;\n"
    "apart: add.s32 %r3, %r3, 1; add.s32 %r5, %r5, 1;\n"
    "setp.le.u32 %p1, %r5, %r2; @%p1 bra apart;\n"
    "mov.u32 %r6, s; mad.lo.u32 %r6, %r1, 4, %r6; st.shared.u32 [%r6], %r3;\n"
    "setp.gt.u32 %p2, %r3, 5; bar.red.popc.u32 %r7, 0, %p2;\n"
    "ld.shared.u32 %r8, [%r6]; add.s32 %r3, %r8, %r7; bar.sync 0;\n"
    "setp.eq.u32 %p3, %r1, 0; @%p3 bra first; add.s32 %r3, %r3, 1;\n"
    "first: sub.s32 %r4, %r4, 1; setp.ne.s32 %p1, %r4, 0; @%p1 bra round;\n"
    "ld.param.u64 %l1, [out]; mul.wide.u32 %l2, %r1, 4; add.s64 %l1, %l1, %l2;"
    "\nst.global.u32 [%l1], %r3; ret; }\n"
    ".func helper() { ret; }\n"
    ".func keep(.reg .b64 to) {\n"
    ".loc 1 60 1\nst.global.u32 [to], 1; ret; }\n"
    ".visible .entry places(.param .u64 out) {\n"
    ".reg .pred %p1; .reg .b32 %r1; .reg .b64 %l<9>;\n"
    "ld.param.u64 %l1, [out]; mov.u32 %r1, 2;\n"
    "add.s64 %l2, %l1, 16; add.s64 %l3, %l1, 24;\n"
    "again: .loc 1 62 1\nst.global.u32 [%l1], 1;\n"
    ".loc 1 63 1\nst.global.u32 [%l1+8], 1;\n"
    "sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra again;\n"
    ".loc 1 64 1\ncall keep, (%l2);\n"
    ".loc 1 65 1\ncall keep, (%l3); ret; }\n"
    ".visible .entry steal(.param .u64 out) {\n"
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %l<20>; .reg .b128 %q;\n"
    ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"
    "mbarrier.init.shared::cta.b64 [bar], 1; mov.u32 %r9, 0;\n"
    "mov.u32 %r1, %ctaid.x; call helper, ();\n"
    "again: .loc 1 30 1\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
    "bytes.b128 [slot], [bar];\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "ld.param.u64 %l0, [out]; mul.wide.u32 %l1, %r1, 4;\n"
    "add.s64 %l1, %l0, %l1; ld.global.u32 %r2, [%l1]; add.s32 %r2, %r2, 1;\n"
    "st.global.u32 [%l1], %r2;\n"
    "wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], "
    "%r9;\n@!%p1 bra wait; xor.b32 %r9, %r9, 1;\n"
    "ld.shared.b128 %q, [slot];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"
    "@!%p2 ret;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;\n"
    "bra again; }\n"
    ".visible .entry careless(.param .u64 out) {\n"
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b128 %q;\n"
    ".shared .align 16 .b8 slot[32]; .shared .align 8 .b64 bar;\n"
    "mbarrier.init.shared::cta.b64 [bar], 1;\n"
    ".loc 1 40 1\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
    "bytes.b128 [slot], [bar];\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "wait1: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], "
    "0;\n@!%p1 bra wait1; fence.proxy.async.shared::cta;\n"
    ".loc 1 41 1\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
    "bytes.b128 [slot], [bar];\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "wait2: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], "
    "1;\n@!%p1 bra wait2; fence.proxy.async.shared::cta;\n"
    ".loc 1 42 1\n"
    "ld.shared.b128 %q, [slot];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"
    "@%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, "
    "%q;\n"
    "ret; }\n"
    ".visible .entry stale(.param .u64 out) {\n"
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b128 %q;\n"
    ".shared .align 16 .b8 slot[32]; .shared .align 8 .b64 bar;\n"
    "mbarrier.init.shared::cta.b64 [bar], 1;\n"
    ".loc 1 50 1\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
    "bytes.b128 [slot], [bar];\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "wait1: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], "
    "0;\n@!%p1 bra wait1; fence.proxy.async.shared::cta;\n"
    ".loc 1 51 1\n"
    "ld.shared.b128 %q, [slot];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"
    "@%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, "
    "%q;\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
    "bytes.b128 [slot+16], [bar];\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "wait2: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], "
    "1;\n@!%p1 bra wait2; fence.proxy.async.shared::cta;\n"
    ".loc 1 52 1\n"
    "ld.shared.b128 %q, [slot];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"
    "@%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, "
    "%q;\n"
    ".loc 1 53 1\n"
    "ld.shared.b128 %q, [slot+16];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"
    "@%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, "
    "%q;\n"
    "ret; }\n";

typedef struct Machine {
    Arena arena;
    Diags diags;
    Device *device;
    uint32_t buffer;
    uint64_t address;
    uint64_t bytes;
} Machine;

static bool machine_open(Machine *m, const char *model, uint64_t bytes) {
    *m = (Machine){.bytes = bytes};
    m->diags = diags_new(&m->arena);
    PtxModule *module =
        ptx_parse(&m->arena, STR("text"), str_from(TEXT), &m->diags);
    m->device = vm_open(vm_model_find(str_from(model)));
    return CHECK(module != NULL) &&
           CHECK(m->device->ops->load(m->device, module, &m->diags)) &&
           CHECK(m->device->ops->alloc(m->device, bytes, &m->buffer,
                                       &m->address, &m->diags));
}

static void machine_close(Machine *m) {
    m->device->ops->close(m->device);
    arena_free(&m->arena);
}

static DeviceLaunch launch_of(const char *kernel, uint32_t grid,
                              const void *args, size_t arg_bytes) {
    return (DeviceLaunch){.kernel = str_from(kernel),
                          .grid = {grid, 1, 1},
                          .block = {1, 1, 1},
                          .args = args,
                          .arg_bytes = arg_bytes};
}

static uint32_t word(Machine *m, uint32_t index) {
    uint32_t value = 0;
    CHECK(m->device->ops->read(m->device, m->buffer, (uint64_t)index * 4,
                               &value, 4));
    return value;
}

static DeviceRun run_steal(Machine *m, uint32_t grid, DeviceSchedule schedule) {
    DeviceLaunch launch = launch_of("steal", grid, &m->address, 8);
    launch.schedule = schedule;
    DeviceRun run;
    CHECK(m->device->ops->launch(m->device, &m->arena, &launch, &run));
    return run;
}

// ---- models and residency ------------------------------------------------

TEST(models_are_found_by_name) {
    CHECK(vm_model_find(STR("mini")) != NULL);
    CHECK(vm_model_find(STR("b200")) != NULL);
    CHECK(vm_model_find(STR("rtx5090")) != NULL);
    CHECK(vm_model_find(STR("b300")) == NULL);
}

TEST(what_fits_depends_on_threads_and_shared_memory) {
    Machine m;
    if (!machine_open(&m, "b200", 64))
        return;
    const DeviceOps *ops = m.device->ops;
    CHECK_INT(ops->blocks_per_sm(m.device, STR("add"), 1024, 0), 2);
    CHECK_INT(ops->blocks_per_sm(m.device, STR("add"), 32, 0), 32);
    CHECK_INT(ops->blocks_per_sm(m.device, STR("add"), 32, 100 * 1024), 2);
    CHECK_INT(ops->blocks_per_sm(m.device, STR("add"), 32, 300 * 1024), 0);
    CHECK_INT(ops->blocks_per_sm(m.device, STR("none"), 32, 0), 0);
    CHECK_INT(ops->blocks_per_sm(m.device, STR("add"), 0, 0), 0);
    CHECK_INT(ops->blocks_per_sm(m.device, STR("add"), 1025, 0), 0);
    DeviceInfo info;
    ops->info(m.device, &info);
    CHECK_STR(info.name, "vm:b200");
    CHECK_INT(info.sm_count, 148);
    machine_close(&m);
}

// ---- buffers and symbols -------------------------------------------------

TEST(buffers_are_zeroed_and_bounded) {
    Machine m;
    if (!machine_open(&m, "mini", 64))
        return;
    const DeviceOps *ops = m.device->ops;
    CHECK_INT(word(&m, 15), 0);
    uint32_t value = 7;
    CHECK(ops->write(m.device, m.buffer, 60, &value, 4));
    CHECK_INT(word(&m, 15), 7);
    CHECK(!ops->write(m.device, m.buffer, 61, &value, 4));
    CHECK(!ops->read(m.device, m.buffer, UINT64_MAX, &value, 4));
    CHECK(!ops->read(m.device, m.buffer + 1, 0, &value, 4));
    uint32_t index;
    uint64_t address;
    CHECK(!ops->alloc(m.device, UINT64_MAX / 2, &index, &address, &m.diags));
    CHECK_INT(m.diags.errors, 1);
    CHECK(ops->alloc(m.device, 0, &index, &address, &m.diags));
    machine_close(&m);
}

TEST(each_launch_starts_from_the_module_as_loaded) {
    Machine m;
    if (!machine_open(&m, "mini", 64))
        return;
    const DeviceOps *ops = m.device->ops;
    DeviceLaunch launch = launch_of("bump", 1, &m.address, 8);
    DeviceRun run;
    for (int i = 0; i < 2; i++) {
        CHECK(ops->launch(m.device, &m.arena, &launch, &run));
        CHECK_INT(word(&m, 0), 7); // 3 + 4, though the kernel sets g to 99
    }
    uint32_t ten = 10, twenty = 20;
    CHECK(ops->write_symbol(m.device, STR("g"), &twenty, 4));
    CHECK(ops->write_symbol(m.device, STR("g"), &ten, 4));
    CHECK(ops->write_symbol(m.device, STR("c"), &twenty, 4));
    CHECK(!ops->write_symbol(m.device, STR("none"), &ten, 4));
    CHECK(!ops->write_symbol(m.device, STR("g"), TEXT, 8));
    CHECK(ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(word(&m, 0), 30);
    machine_close(&m);
}

TEST(a_launch_that_keeps_the_variables_says_which_have_changed) {
    Machine m;
    if (!machine_open(&m, "mini", 64))
        return;
    const DeviceOps *ops = m.device->ops;
    DeviceLaunch launch = launch_of("bump", 1, &m.address, 8);
    DeviceRun run;
    uint32_t thirty = 30;
    CHECK(ops->write_symbol(m.device, STR("c"), &thirty, 4));
    CHECK(ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(run.changed_count, 0);
    CHECK_INT(word(&m, 0), 3 + 30);
    launch.keeps_variables = true;
    CHECK(ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(word(&m, 0), 99 + 30); // what the first launch set g to
    CHECK_INT(run.changed_count, 1);
    CHECK_STR(run.changed[0], "g");
    uint32_t fifty = 50; // is written between two launches
    CHECK(ops->write_symbol(m.device, STR("c"), &fifty, 4));
    CHECK(ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(word(&m, 0), 99 + 50);
    CHECK_INT(run.changed_count, 1);
    CHECK(ops->write_symbol(m.device, STR("g"), &fifty, 4));
    CHECK(ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(word(&m, 0), 50 + 50);
    CHECK_INT(run.changed_count, 0);
    CHECK(ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(word(&m, 0), 99 + 50); // it was written once
    launch.keeps_variables = false;
    CHECK(ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(word(&m, 0), 50 + 50);
    machine_close(&m);
}

// ---- launches ------------------------------------------------------------

static void check_refused(Machine *m, const DeviceLaunch *launch,
                          const char *part) {
    DeviceRun run;
    CHECK(!m->device->ops->launch(m->device, &m->arena, launch, &run));
    CHECK_INT(run.status, RUN_REFUSED);
    CHECK_HOLDS(run.error.what, part);
    CHECK(run.error.help.len > 0);
}

TEST(impossible_launches_are_refused_with_a_reason) {
    Machine m;
    if (!machine_open(&m, "mini", 64))
        return;
    DeviceLaunch launch = launch_of("none", 1, &m.address, 8);
    check_refused(&m, &launch, "no kernel none");
    launch = launch_of("helper", 1, NULL, 0);
    check_refused(&m, &launch, "no kernel helper");
    launch = launch_of("bump", 1, &m.address, 4);
    check_refused(&m, &launch, "takes 8 bytes of parameters");
    launch = launch_of("bump", 0, &m.address, 8);
    check_refused(&m, &launch, "zero or too large");
    launch = launch_of("bump", 1, &m.address, 8);
    launch.block[0] = 1024;
    launch.block[1] = 2;
    check_refused(&m, &launch, "2048 threads");
    launch.block[1] = 1;
    launch.dynamic_smem = 400 * 1024;
    check_refused(&m, &launch, "shared memory");
    launch.dynamic_smem = UINT32_MAX;
    check_refused(&m, &launch, "shared memory");
    launch = launch_of("pair", 3, &m.address, 8);
    check_refused(&m, &launch, "no multiple of the cluster");
    launch.grid[0] = 4;
    launch.cluster[0] = 4;
    check_refused(&m, &launch, "another cluster size");
    launch = launch_of("counts", 2, &m.address, 8);
    check_refused(&m, &launch, ".blocksareclusters");
    launch = launch_of("shaped", 1, &m.address, 8);
    for (uint32_t axis = 0; axis < 3; axis++) {
        launch.block[0] = 4;
        launch.block[1] = launch.block[2] = 2;
        launch.block[axis]--;
        check_refused(&m, &launch, "than the kernel or the card allows");
    }
    launch = launch_of("bump", 2147483647, &m.address, 8);
    check_refused(&m, &launch, "too large for the virtual machine");
    machine_close(&m);
}

// Of a kernel that is launched again with the same parameters.
TEST(a_kernel_is_told_the_sizes_of_its_launch) {
    static const uint32_t sizes[][3] = {
        {4, 1, 1}, {6, 1, 1}, {4, 2, 1}, {4, 1, 2}, {4, 1, 1}};
    Machine m;
    if (!machine_open(&m, "mini", 64))
        return;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        DeviceLaunch launch = launch_of("sizes", sizes[i][0], &m.address, 8);
        launch.block[0] = sizes[i][1];
        launch.cluster[0] = sizes[i][2];
        launch.unchecked = UINT64_MAX;
        DeviceRun run;
        CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
        CHECK_INT(word(&m, 0), sizes[i][0]);
        CHECK_INT(word(&m, 1), sizes[i][1]);
        CHECK_INT(word(&m, 2), sizes[i][0] / sizes[i][2]);
        CHECK_INT(word(&m, 3), sizes[i][2]);
    }
    machine_close(&m);
}

// The others count as done: they are neither launched nor lost.
TEST(some_clusters_of_a_launch_are_run) {
    static const uint32_t only[] = {4, 1, 2};
    Machine m;
    if (!machine_open(&m, "mini", 40))
        return;
    struct {
        uint64_t out;
        uint32_t v;
    } args = {m.address, 5};
    DeviceLaunch launch = launch_of("add", 9, &args, 12);
    launch.only = only;
    launch.only_count = COUNT_OF(only);
    DeviceRun run;
    CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    for (uint32_t i = 0; i < 10; i++)
        CHECK_INT(word(&m, i), i == 1 || i == 2 || i == 4 ? 5 : 0);
    CHECK_INT(run.ledger.totals.grid, 9);
    CHECK_INT(run.ledger.totals.started, 3);
    CHECK_INT(run.ledger.entries[4].state, LEDGER_LAUNCHED);
    machine_close(&m);
}

TEST(watches_say_who_stored_to_a_piece) {
    Machine m;
    if (!machine_open(&m, "mini", 40))
        return;
    struct {
        uint64_t out;
        uint32_t v;
    } args = {m.address, 5};
    uint32_t piece_of[10];
    for (uint32_t i = 0; i < COUNT_OF(piece_of); i++)
        piece_of[i] = i / 2;
    Watch watch = {.buffer = m.buffer, .piece_of = piece_of, .count = 5};
    DeviceLaunch launch = launch_of("add", 9, &args, 12);
    launch.watches = &watch;
    launch.watch_count = 1;
    DeviceRun run;
    CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    CHECK_INT(word(&m, 8), 5);
    CHECK_INT(word(&m, 9), 0);
    CHECK_INT(watch.count, 5);
    CHECK_INT(watch.pieces[1].stores, 2);
    CHECK_INT(watch.pieces[1].writer_count, 2);
    CHECK_INT(watch.pieces[1].writers[0] + watch.pieces[1].writers[1], 5);
    CHECK_INT(watch.pieces[4].writer_count, 1);
    CHECK_INT(watch.pieces[4].writers[0], 8);
    CHECK_INT(watch.pieces[4].at.line, 7);
    machine_close(&m);
}

// The same instruction may store for several calls.
// A copy stores for the block that asked for it. Each is counted once, and no
// more are named than there is room for.
TEST(watches_say_who_copied_to_a_piece) {
    for (uint32_t grid = 1; grid <= WATCH_WRITERS + 4; grid++) {
        Machine m;
        if (!machine_open(&m, "mini", 40))
            return;
        uint32_t piece_of[10] = {0, 0, 1, 1, 2, 2, 2, 2, 2, 2};
        Watch watch = {.buffer = m.buffer, .piece_of = piece_of, .count = 3};
        DeviceLaunch launch = launch_of("copies", grid, &m.address, 8);
        launch.watches = &watch;
        launch.watch_count = 1;
        launch.unchecked = UINT64_MAX;
        DeviceRun run;
        CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
        for (uint32_t i = 0; i < 2; i++) {
            const WatchPiece *piece = &watch.pieces[i];
            CHECK_INT(piece->stores, 4 * grid);
            if (grid <= WATCH_WRITERS)
                CHECK_INT(piece->writer_count, grid);
            else
                CHECK(piece->writer_count > WATCH_WRITERS);
            CHECK_STR(piece->at.file, "k.cu");
            CHECK_STR(piece->first_at.file, "k.cu");
            CHECK_INT(piece->at.line, 9);
            uint32_t seen = 0,
                     named = grid < WATCH_WRITERS ? grid : WATCH_WRITERS;
            for (uint32_t k = 0; k < named; k++)
                seen |= 1u << piece->writers[k];
            CHECK_INT(__builtin_popcount(seen), named);
        }
        CHECK_INT(watch.pieces[2].stores, 0);
        CHECK_INT(watch.pieces[2].writer_count, 0);
        machine_close(&m);
    }
}

// However wide an access is: an element is stored to by one cluster, or
// several.
TEST(watches_say_who_stored_to_an_element) {
    static const uint32_t piece_of[10] = {0, 0, 0, 1, 1, 1, 1, 1, 2, 3};
    for (uint32_t cluster = 1; cluster <= 2; cluster++) {
        Machine m;
        if (!machine_open(&m, "mini", sizeof piece_of))
            return;
        Watch watch = {.buffer = m.buffer, .piece_of = piece_of, .count = 4};
        DeviceLaunch launch = launch_of("quads", 4, &m.address, 8);
        launch.cluster[0] = cluster;
        launch.watches = &watch;
        launch.watch_count = 1;
        launch.unchecked = UINT64_MAX;
        DeviceRun run;
        CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
        for (uint32_t i = 0; i < 10; i++) {
            const WatchElement *element = &watch.elements[i];
            uint32_t by = i < 8 ? i / 4 : 2; // the pair of blocks; 2: both
            CHECK(element->first >= 1 && element->first <= 4);
            CHECK(by == 2 || (element->first - 1) / 2 == by);
            if (cluster == 2 && by < 2) { // a pair is a cluster
                CHECK_INT(element->other, 0);
                continue;
            }
            CHECK(element->other >= 1 && element->other <= 4);
            CHECK((element->other - 1) / cluster !=
                  (element->first - 1) / cluster);
        }
        CHECK_INT(watch.pieces[0].stores, 3 * 2);
        CHECK_INT(watch.pieces[1].stores, 5 * 2);
        CHECK_INT(watch.pieces[1].writer_count, 4);
        CHECK_INT(watch.pieces[2].stores, 4);
        CHECK_INT(watch.pieces[3].stores, 4);
        machine_close(&m);
    }
}

TEST(watches_say_where_a_piece_was_stored) {
    static const uint32_t piece_of[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    static const uint32_t at[] = {62, 63, 60, 60}, called[] = {62, 63, 64, 65};
    Machine m;
    if (!machine_open(&m, "mini", sizeof piece_of))
        return;
    Watch watch = {.buffer = m.buffer, .piece_of = piece_of, .count = 4};
    DeviceLaunch launch = launch_of("places", 1, &m.address, 8);
    launch.watches = &watch;
    launch.watch_count = 1;
    DeviceRun run;
    CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        CHECK_INT(watch.pieces[i].at.line, at[i]);
        CHECK_INT(watch.pieces[i].called.line, called[i]);
        CHECK_INT(watch.pieces[i].first_called.line, called[i]);
    }
    machine_close(&m);
}

// ---- the ledger and schedules --------------------------------------------

// launched + granted == grid, each index in exactly one chain.
static void check_ledger(Machine *m, const DeviceRun *run, uint32_t grid) {
    const Ledger *ledger = &run->ledger;
    uint32_t launched = 0, granted = 0, owned[64] = {0};
    CHECK_INT(run->status, RUN_DONE);
    CHECK_INT(ledger->totals.grid, grid);
    for (size_t i = 0; i < ledger->entry_count; i++) {
        launched += ledger->entries[i].state == LEDGER_LAUNCHED;
        granted += ledger->entries[i].state == LEDGER_GRANTED;
        CHECK(ledger->entries[i].state != LEDGER_GRANTED ||
              ledger->entries[i].at.line == 30);
    }
    CHECK_INT(launched, ledger->totals.started);
    CHECK_INT(granted, ledger->totals.granted);
    CHECK_INT(launched + granted, grid);
    CHECK_INT(ledger->totals.requests,
              ledger->totals.granted + ledger->totals.refused);
    CHECK_INT(ledger->totals.lost, 0);
    for (size_t i = 0; i < ledger->chain_count; i++)
        for (size_t k = 0; k < ledger->chains[i].count; k++)
            owned[ledger->chains[i].blocks[k]]++;
    for (uint32_t i = 0; i < grid; i++) {
        CHECK_INT(owned[i], 1);
        CHECK_INT(word(m, i), 1);
    }
}

TEST(every_block_is_launched_or_granted_once_on_every_strategy) {
    for (int s = 0; s < STRATEGY_COUNT; s++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            Machine m;
            if (!machine_open(&m, "mini", 256))
                return;
            DeviceSchedule schedule = {.seed = seed,
                                       .strategy = (DeviceStrategy)s};
            DeviceRun run = run_steal(&m, 50, schedule);
            check_ledger(&m, &run, 50);
            machine_close(&m);
        }
    }
}

// The first block asked for two: what became of them.
static LedgerEntry first_grant(Machine *m, const char *kernel, size_t nth) {
    DeviceLaunch launch = launch_of(kernel, 12, &m->address, 8);
    DeviceRun run = {0};
    CHECK(m->device->ops->launch(m->device, &m->arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    for (size_t i = 0; i < run.ledger.entry_count; i++)
        if (run.ledger.entries[i].state == LEDGER_GRANTED && nth-- == 0)
            return run.ledger.entries[i];
    CHECK(false);
    return (LedgerEntry){0};
}

TEST(ledger_says_what_became_of_an_answer) {
    Machine m;
    if (!machine_open(&m, "mini", 256))
        return;
    LedgerEntry lost = first_grant(&m, "careless", 0);
    CHECK(!lost.taken && !lost.asked && lost.overwritten && !lost.again);
    CHECK_INT(lost.at.line, 40);
    LedgerEntry twice = first_grant(&m, "stale", 0);
    CHECK(twice.taken && twice.asked && !twice.overwritten && twice.again);
    CHECK_INT(twice.decoded_at.line, 51);
    CHECK_INT(twice.again_at.line, 52);
    LedgerEntry once = first_grant(&m, "steal", 0);
    CHECK(once.taken && once.asked && !once.overwritten && !once.again);
    machine_close(&m);
}

TEST(strategies_do_what_they_are_named_for) {
    Machine m;
    if (!machine_open(&m, "mini", 256))
        return;
    DeviceRun plain =
        run_steal(&m, 50, (DeviceSchedule){.seed = 1, .strategy = 0});
    CHECK_INT(plain.resident, 8);
    CHECK_INT(plain.ledger.totals.started, 8);
    CHECK_INT(plain.ledger.totals.refused_pending, 0);
    CHECK_INT(plain.ledger.chains[0].most_in_flight, 1);
    CHECK(!plain.allow_refusals);
    DeviceRun none = run_steal(
        &m, 50, (DeviceSchedule){.seed = 1, .strategy = STRATEGY_NO_STEAL});
    CHECK_INT(none.ledger.totals.granted, 0);
    CHECK_INT(none.ledger.totals.started, 50);
    CHECK(none.allow_refusals);
    DeviceRun early = run_steal(
        &m, 50, (DeviceSchedule){.seed = 1, .strategy = STRATEGY_REFUSE_EARLY});
    CHECK(early.ledger.totals.refused_pending > 0);
    CHECK(early.ledger.totals.granted > 0);
    DeviceRun one = run_steal(
        &m, 50, (DeviceSchedule){.seed = 1, .strategy = STRATEGY_ONE_SM});
    CHECK_INT(one.resident, 2);
    for (size_t i = 0; i < one.ledger.chain_count; i++)
        CHECK_INT(one.ledger.chains[i].sm, 0);
    machine_close(&m);
}

static uint64_t fingerprint(const DeviceRun *run) {
    uint64_t h =
        hash_bytes(run->counters.warp_instructions, &run->ledger.totals.started,
                   sizeof run->ledger.totals.started);
    for (size_t i = 0; i < run->ledger.chain_count; i++)
        h = hash_bytes(h, run->ledger.chains[i].blocks,
                       run->ledger.chains[i].count * sizeof(uint32_t));
    return h;
}

TEST(a_seed_determines_the_run) {
    uint64_t first = 0, others = 0;
    for (uint64_t i = 0; i < 12; i++) {
        Machine m;
        if (!machine_open(&m, "mini", 256))
            return;
        uint64_t seed = i < 2 ? 5 : i;
        DeviceRun run = run_steal(
            &m, 50,
            (DeviceSchedule){.seed = seed, .strategy = STRATEGY_RANDOM});
        uint64_t h = fingerprint(&run);
        if (i == 0)
            first = h;
        if (i == 1)
            CHECK_U64(h, first);
        others += i > 1 && h != first;
        machine_close(&m);
    }
    CHECK(others >= 9); // other seeds give other runs (one of them is 5 again)
}

TEST(counters_do_not_depend_on_what_is_checked) {
    Machine m;
    uint32_t words[2][128];
    DeviceRun runs[2];
    if (!machine_open(&m, "mini", sizeof words[0]))
        return;
    for (int i = 0; i < 2; i++) {
        DeviceLaunch launch = launch_of("rounds", 1, &m.address, 8);
        launch.block[0] = 128;
        launch.unchecked = i ? UINT64_MAX : 0;
        CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &runs[i]));
        CHECK_INT(runs[i].status, RUN_DONE);
        CHECK(m.device->ops->read(m.device, m.buffer, 0, words[i],
                                  sizeof words[i]));
    }
    const DeviceCounters *a = &runs[0].counters, *b = &runs[1].counters;
    CHECK_U64(a->cta_barriers, 8);
    CHECK_U64(a->thread_instructions, b->thread_instructions);
    CHECK_U64(a->warp_instructions, b->warp_instructions);
    CHECK(memcmp(a, b, sizeof *a) == 0);
    CHECK(memcmp(words[0], words[1], sizeof words[0]) == 0);
    machine_close(&m);
}

TEST(the_step_limit_ends_a_run) {
    Machine m;
    if (!machine_open(&m, "mini", 256))
        return;
    DeviceLaunch launch = launch_of("steal", 50, &m.address, 8);
    launch.step_limit = 100;
    DeviceRun run;
    CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(run.status, RUN_LIMIT);
    CHECK_INT(run.finding_count, 1);
    CHECK_INT(run.findings[0].rule, RULE_LIMIT);
    launch.step_limit = 0;
    CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    CHECK(run.counters.thread_instructions > 100);
    machine_close(&m);
}

TEST(calls_of_the_prologue_are_counted_for_each_started_block) {
    Machine m;
    if (!machine_open(&m, "mini", 256))
        return;
    DeviceLaunch launch = launch_of("steal", 50, &m.address, 8);
    launch.prologue = STR("helper");
    DeviceRun run;
    CHECK(m.device->ops->launch(m.device, &m.arena, &launch, &run));
    CHECK_INT(run.ledger.chain_count, 8);
    for (size_t i = 0; i < run.ledger.chain_count; i++)
        CHECK_INT(run.ledger.chains[i].prologues, 1);
    machine_close(&m);
}

TEST_MAIN(TESTCASE(models_are_found_by_name),
          TESTCASE(what_fits_depends_on_threads_and_shared_memory),
          TESTCASE(buffers_are_zeroed_and_bounded),
          TESTCASE(each_launch_starts_from_the_module_as_loaded),
          TESTCASE(a_launch_that_keeps_the_variables_says_which_have_changed),
          TESTCASE(impossible_launches_are_refused_with_a_reason),
          TESTCASE(a_kernel_is_told_the_sizes_of_its_launch),
          TESTCASE(some_clusters_of_a_launch_are_run),
          TESTCASE(watches_say_who_stored_to_a_piece),
          TESTCASE(watches_say_who_copied_to_a_piece),
          TESTCASE(watches_say_who_stored_to_an_element),
          TESTCASE(watches_say_where_a_piece_was_stored),
          TESTCASE(every_block_is_launched_or_granted_once_on_every_strategy),
          TESTCASE(ledger_says_what_became_of_an_answer),
          TESTCASE(strategies_do_what_they_are_named_for),
          TESTCASE(a_seed_determines_the_run),
          TESTCASE(counters_do_not_depend_on_what_is_checked),
          TESTCASE(the_step_limit_ends_a_run),
          TESTCASE(calls_of_the_prologue_are_counted_for_each_started_block))
