// SPDX-License-Identifier: Apache-2.0
// What clclab compare does first on a GPU, with the fake driver: it gives the
// kernels their data and measures a copy, and says why where it cannot.
#include "cli/compare_card.h"
#include "tests/unit/gpu_fake.h"

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"
#define SECRET ".const .align 4 .b8 clclab_secret[8];\n"
#define FIXED                                                             \
    ".visible .entry compare_fixed(.param .u64 data,\n"                   \
    "    .param .align 4 .b8 work[12]) { ret; }\n.func compute_scalar() " \
    "{ ret; }\n"

// Whether the first message, of a card that behaves so, holds `what`.
static void cannot_start(const char *ptx, const char *options,
                         const char *what) {
    SCOPED_GPU(gpu);
    gpu_open_fake(&gpu, "", &(GpuSettings){.deadline_s = 2, .is_plain = true});
    if (!CHECK(gpu.device != NULL))
        return;
    CompareCard card = {.plain = gpu.device, .module = gpu_parse(&gpu, ptx)};
    CompareSource source;
    gpu_behave(&gpu, options);
    CHECK(!compare_card_source(&card, &source, &gpu.diags));
    if (CHECK(gpu.diags.count > 0))
        CHECK_HOLDS(gpu.diags.items[0].what, what);
}

TEST(kernels_that_have_no_secret_are_told) {
    cannot_start(HEAD FIXED, "", "compare_fixed cannot be given its data");
}

TEST(a_card_without_room_for_the_copy_is_told) {
    cannot_start(HEAD SECRET FIXED, "memory=256", "out of memory");
}

TEST(a_card_that_fails_meanwhile_is_told) {
    cannot_start(HEAD SECRET FIXED, "fault=700",
                 "an access outside all memory");
}

// ---- with a ledger -------------------------------------------------------

// A card that keeps a ledger of two blocks, and can do one thing less.
typedef struct Keeper {
    Device device; // first: a Device * is a Keeper *
    bool cannot_load, cannot_write, cannot_launch, faults;
} Keeper;

static bool keeper_load(Device *device, const PtxModule *module, Diags *diags) {
    (void)module, (void)diags;
    return !((Keeper *)device)->cannot_load;
}

static bool keeper_alloc(Device *device, uint64_t bytes, uint32_t *index,
                         uint64_t *address, Diags *diags) {
    (void)device, (void)bytes, (void)diags;
    *index = 0;
    *address = 4096;
    return true;
}

static bool keeper_write(Device *device, uint32_t buffer, uint64_t offset,
                         const void *bytes, uint64_t count) {
    (void)buffer, (void)offset, (void)bytes, (void)count;
    return !((Keeper *)device)->cannot_write;
}

static bool keeper_write_symbol(Device *device, Str name, const void *bytes,
                                uint64_t count) {
    (void)device, (void)name, (void)bytes, (void)count;
    return true;
}

static bool keeper_launch(Device *device, Arena *arena,
                          const DeviceLaunch *launch, DeviceRun *run) {
    const Keeper *keeper = (const Keeper *)device;
    CHECK_STR(launch->prologue, "compute_scalar");
    CHECK_INT(launch->ledger_most, launch->grid[0]);
    run->status = keeper->faults ? RUN_FAULT : RUN_DONE;
    run->error.what = STR("It failed.");
    run->ledger.totals.started = 2;
    run->ledger.chains = arena_new(arena, LedgerChain, 3);
    run->ledger.chains[0].prologues = 1;
    run->ledger.chains[1].prologues = 4;
    run->ledger.chains[2].prologues = 100; // behind the last
    run->ledger.chain_count = 2;
    return !keeper->cannot_launch;
}

static bool fails_to_load(Device *device, const PtxModule *module,
                          Diags *diags) {
    (void)device, (void)module, (void)diags;
    return false;
}

static CompareSample counted(CompareSource *source, CompareCard *card,
                             Keeper *keeper, Diags *diags) {
    static const DeviceOps ops = {.load = keeper_load,
                                  .alloc = keeper_alloc,
                                  .write = keeper_write,
                                  .write_symbol = keeper_write_symbol,
                                  .launch = keeper_launch};
    static const DeviceOps none = {.load = fails_to_load};
    Device absent = {.ops = &none};
    CompareSample sample = {0};
    float data[32] = {0};
    const CompareCase what = {.kernel = STR("compare_fixed"),
                              .grid = 2,
                              .threads = 16,
                              .cluster = 1,
                              .work = {.n = 32, .rounds = 1}};
    keeper->device.ops = &ops;
    card->ledger = &keeper->device;
    card->plain = &absent; // so that nothing is measured
    CHECK(!source->run(source, &what, data, &sample, diags));
    return sample;
}

TEST(blocks_and_prologues_are_those_of_the_ledger) {
    static struct {
        Keeper keeper;
        const char *what; // empty: nothing is said
    } cases[] = {
        {{.cannot_load = true}, ""},
        {{.cannot_write = true}, "compare_fixed cannot be given its data"},
        {{.cannot_launch = true}, "could not be run with a ledger"},
        {{.faults = true}, "could not be run with a ledger"},
    };
    SCOPED_GPU(gpu);
    gpu_open_fake(&gpu, "", &(GpuSettings){.deadline_s = 2, .is_plain = true});
    if (!CHECK(gpu.device != NULL))
        return;
    CompareCard card = {.plain = gpu.device,
                        .module = gpu_parse(&gpu, HEAD SECRET FIXED)};
    CompareSource source;
    gpu_behave(&gpu, "memory=2048"); // for the copy that is measured
    if (!CHECK(compare_card_source(&card, &source, &gpu.diags)))
        return;
    Keeper right = {0};
    CompareSample sample = counted(&source, &card, &right, &gpu.diags);
    CHECK(sample.started.known && sample.prologues.known);
    CHECK_DOUBLE(sample.started.value, 2);
    CHECK_DOUBLE(sample.prologues.value, 5);
    CHECK_INT(gpu.diags.count, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena arena = {0};
        Diags diags = diags_new(&arena);
        sample = counted(&source, &card, &cases[i].keeper, &diags);
        CHECK(!sample.started.known && !sample.prologues.known);
        if (cases[i].what[0] && CHECK(diags.count > 0))
            CHECK_HOLDS(diags.items[0].what, cases[i].what);
        arena_free(&arena);
    }
}

TEST_MAIN(TESTCASE(kernels_that_have_no_secret_are_told),
          TESTCASE(a_card_without_room_for_the_copy_is_told),
          TESTCASE(a_card_that_fails_meanwhile_is_told),
          TESTCASE(blocks_and_prologues_are_those_of_the_ledger))
