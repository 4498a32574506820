// SPDX-License-Identifier: Apache-2.0
// The comparison on a Device that models time: what its two launches of a case
// ask of the device, and what of their answers goes into the sample. The Device
// is a fake that adds 1 to each element.
#include "check/compare_model.h"
#include "tests/unit/test.h"

enum { ELEMENTS = 8, MOST = 8192, CLOCK_MHZ = 1000 };

typedef struct Fake {
    Device device;    // first: a Device * is a Fake *
    float data[MOST]; // of which the kernel changes ELEMENTS
    uint64_t bytes;
    DeviceLaunch launches[4];
    uint32_t launch_count;
    RunStatus status;    // of every launch
    uint32_t differs_in; // this launch gives other data; 0: the first, ...
    LedgerChain chains[2];
} Fake;

static void fake_info(Device *device, DeviceInfo *out) {
    (void)device;
    *out = (DeviceInfo){.name = STR("vm:mini"), .sm_count = 4};
}

// 16 KiB of dynamic shared memory leave room for two blocks, and none for 3.
static uint32_t fake_fit(Device *device, Str kernel, uint32_t threads,
                         uint32_t smem) {
    (void)device, (void)kernel, (void)threads;
    return smem ? 2 : 5;
}

static bool fake_load(Device *device, const PtxModule *module, Diags *diags) {
    (void)device, (void)module, (void)diags;
    return true;
}

static bool fake_alloc(Device *device, uint64_t bytes, uint32_t *index,
                       uint64_t *address, Diags *diags) {
    (void)device, (void)diags;
    *index = 0;
    *address = 0x1000;
    ((Fake *)device)->bytes = bytes;
    return bytes <= sizeof((Fake *)device)->data;
}

static bool fake_write(Device *device, uint32_t buffer, uint64_t offset,
                       const void *bytes, uint64_t count) {
    (void)buffer, (void)offset;
    memcpy(((Fake *)device)->data, bytes, count);
    return true;
}

static bool fake_read(Device *device, uint32_t buffer, uint64_t offset,
                      void *bytes, uint64_t count) {
    (void)buffer, (void)offset;
    memcpy(bytes, ((Fake *)device)->data, count);
    return true;
}

static bool fake_symbol(Device *device, Str name, const void *bytes,
                        uint64_t count) {
    (void)device, (void)bytes, (void)count;
    return str_equal(name, STR("clclab_secret"));
}

static bool fake_launch(Device *device, Arena *arena,
                        const DeviceLaunch *launch, DeviceRun *run) {
    Fake *fake = (Fake *)device;
    uint32_t number = fake->launch_count++ % COUNT_OF(fake->launches);
    fake->launches[number] = *launch;
    for (int i = 0; i < ELEMENTS; i++)
        fake->data[i] += number == fake->differs_in ? 2 : 1;
    *run = (DeviceRun){.status = fake->status,
                       .is_timed = launch->is_timed,
                       .timeline = {.clock_mhz = CLOCK_MHZ,
                                    .cycles = 7001,
                                    .arrival = launch->arrival,
                                    .first_free = launch->arrival ? 300 : 0,
                                    .all_free = launch->arrival ? 900 : 0},
                       .ledger = {.totals = {.started = 2},
                                  .chains = fake->chains,
                                  .chain_count = COUNT_OF(fake->chains)}};
    if (launch->trace)
        run->trace = arena_new(arena, RunTrace, 1);
    return true;
}

static void fake_close(Device *device) {
    (void)device;
}

static const DeviceOps FAKE_OPS = {
    .info = fake_info,
    .blocks_per_sm = fake_fit,
    .load = fake_load,
    .alloc = fake_alloc,
    .write = fake_write,
    .read = fake_read,
    .write_symbol = fake_symbol,
    .launch = fake_launch,
    .close = fake_close,
};

typedef struct Bench {
    Arena arena;
    Fake fake;
    CompareModel model;
    CompareSource source;
    float data[ELEMENTS];
    CompareSample sample;
    Diags diags;
} Bench;

static void bench_open(Bench *bench) {
    *bench = (Bench){.fake = {.device = {&FAKE_OPS},
                              .differs_in = UINT32_MAX,
                              .chains = {{.prologues = 1}, {.prologues = 3}}}};
    bench->model.device = &bench->fake.device;
    bench->source = compare_model_source(&bench->model);
    bench->diags = diags_new(&bench->arena);
}

static bool bench_run(Bench *bench) {
    CompareCase what = {.technique = COMPARE_CLUSTER,
                        .kernel = STR("compare_cluster"),
                        .grid = 6,
                        .threads = 64,
                        .cluster = 2,
                        .work = {.n = ELEMENTS}};
    return bench->source.run(&bench->source, &what, bench->data, &bench->sample,
                             &bench->diags);
}

static bool are(const uint32_t dim[3], uint32_t x, uint32_t y, uint32_t z) {
    return dim[0] == x && dim[1] == y && dim[2] == z;
}

TEST(a_case_is_launched_alone_and_with_an_arrival_half_way) {
    Bench bench;
    bench_open(&bench);
    CHECK(bench_run(&bench));
    CHECK_INT(bench.fake.launch_count, 2);
    CHECK_U64(bench.fake.launches[0].arrival, 0);
    CHECK_U64(bench.fake.launches[1].arrival, 3500);
    for (int i = 0; i < 2; i++) {
        const DeviceLaunch *launch = &bench.fake.launches[i];
        CHECK_STR(launch->kernel, "compare_cluster");
        CHECK(are(launch->grid, 6, 1, 1));
        CHECK(are(launch->block, 64, 1, 1));
        CHECK(are(launch->cluster, 2, 1, 1));
        CHECK_INT(launch->dynamic_smem, 16 * 1024);
        CHECK(launch->is_timed);
    }
    CHECK_DOUBLE((double)bench.data[ELEMENTS - 1], 1); // launched once
    arena_free(&bench.arena);
}

TEST(figures_are_of_the_launch_that_they_are_about) {
    Bench bench;
    bench_open(&bench);
    CHECK(bench_run(&bench));
    CHECK_DOUBLE(bench.sample.time.value, 7.001);
    CHECK_DOUBLE(bench.sample.started.value, 2);
    CHECK_DOUBLE(bench.sample.prologues.value, 4);
    CHECK_DOUBLE(bench.sample.first_free.value, 0.3);
    CHECK_DOUBLE(bench.sample.all_free.value, 0.9);
    arena_free(&bench.arena);
}

TEST(a_case_that_does_not_end_or_gives_other_data_is_an_error) {
    for (int other_data = 0; other_data <= 1; other_data++) {
        Bench bench;
        bench_open(&bench);
        if (other_data)
            bench.fake.differs_in = 1;
        else
            bench.fake.status = RUN_DEADLOCK;
        CHECK(!bench_run(&bench));
        CHECK_INT(bench.fake.launch_count, other_data + 1);
        CHECK_INT(bench.diags.errors, 1);
        arena_free(&bench.arena);
    }
}

TEST(as_many_blocks_fit_as_in_a_launch) {
    Bench bench;
    bench_open(&bench);
    CHECK_INT(bench.source.info.sms, 4);
    CHECK_INT(bench.source.blocks_per_sm(&bench.source, STR("k"), 64), 2);
    arena_free(&bench.arena);
}

TEST(three_ways_are_recorded_at_the_same_work) {
    static const char *const names[] = {"fixed work", "grid stride", "CLC"};
    Bench bench;
    bench_open(&bench);
    TraceWay ways[TRACE_WAYS];
    if (!CHECK_INT(compare_model_ways(&bench.model, &bench.arena, ways),
                   TRACE_WAYS))
        return;
    for (size_t i = 0; i < TRACE_WAYS; i++) {
        const DeviceLaunch *launch = &bench.fake.launches[i];
        CHECK_STR(ways[i].name, names[i]);
        CHECK(ways[i].trace != NULL);
        CHECK(launch->trace != NULL && launch->is_timed);
        CHECK_U64(launch->arrival, 0);
        CHECK_INT(launch->grid[0], i == 1 ? 8 : 96); // of 8 places
        CHECK_INT(launch->block[0], 64);
    }
    CHECK_U64(bench.fake.bytes, 96 * 64 * sizeof(float));
    CHECK(!bench.model.wish);
    bench.fake.status = RUN_DEADLOCK;
    CHECK_INT(compare_model_ways(&bench.model, &bench.arena, ways), 0);
    arena_free(&bench.arena);
}

TEST_MAIN(TESTCASE(a_case_is_launched_alone_and_with_an_arrival_half_way),
          TESTCASE(figures_are_of_the_launch_that_they_are_about),
          TESTCASE(a_case_that_does_not_end_or_gives_other_data_is_an_error),
          TESTCASE(as_many_blocks_fit_as_in_a_launch),
          TESTCASE(three_ways_are_recorded_at_the_same_work))
