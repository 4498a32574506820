// SPDX-License-Identifier: Apache-2.0
// For the tests of check_launch: a Device that is a fake, whose "kernel" is
// fake_launch below, and a request for it.
#ifndef CLCLAB_LAUNCH_FAKE_H
#define CLCLAB_LAUNCH_FAKE_H

#include "check/check.h"
#include "report/report.h"
#include "result/wish.h"
#include "tests/unit/sample.h"
#include "tests/unit/test.h"

enum { MOST_BUFFERS = 4, MOST_LAUNCHES = 16 };

// What the fake's finding says, if it is of CLC004.
#define BROKE_IT                                                              \
    "Block 3 exits while the answer of its own request is on its way to its " \
    "shared memory."

typedef struct Fake {
    Device device; // first: a Device * is a Fake *
    uint8_t *bytes[MOST_BUFFERS];
    uint64_t sizes[MOST_BUFFERS];
    uint32_t count;
    uint8_t block[64]; // the parameter block of the last launch
    size_t block_bytes;
    DeviceSchedule schedules[MOST_LAUNCHES];
    uint32_t launches;
    uint64_t unchecked, step_limit;
    uint32_t traced; // launches that were to be recorded; the last:
    TraceWish wish;
    DeviceSchedule traced_schedule;
    // What the kernel does:
    int differs_in; // adds 1 to a byte of buffer 0 in this launch; -1: never
    uint64_t differs_at; // which
    int finding_in; // has a finding in this launch, and in the next; -1: never
    uint64_t finding_seed; // not 0: in each launch of this schedule instead
    uint64_t switches;     // that this takes
    DeviceRule rule;
    FindingLevel level;
    DeviceSpan span;   // of a launch, until the next one
    DeviceEvent event; // likewise
    DeviceSmTime sm;
    int ends_in; // this launch ends with `status`; -1: none
    RunStatus status;
    bool no_memory;
    // Of an exhaustive search: runs until it is complete (0: never); as bits,
    // those that are redundant, and those that are too large.
    uint32_t search_runs, redundant, too_large;
} Fake;

static inline void fake_info(Device *device, DeviceInfo *out) {
    (void)device;
    *out = (DeviceInfo){
        .name = STR("vm:mini"), .sm_count = 4, .max_threads_per_block = 1024};
}

static inline void fake_free(Fake *fake) {
    for (uint32_t i = 0; i < fake->count; i++)
        heap_free(fake->bytes[i]);
    fake->count = 0;
}

static inline bool fake_load(Device *device, const PtxModule *module,
                             Diags *diags) {
    (void)module, (void)diags;
    fake_free((Fake *)device);
    return true;
}

static inline bool fake_alloc(Device *device, uint64_t bytes, uint32_t *index,
                              uint64_t *address, Diags *diags) {
    Fake *fake = (Fake *)device;
    if (fake->no_memory || fake->count == MOST_BUFFERS) {
        diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "no memory for it");
        return false;
    }
    *index = fake->count++;
    *address = 0x1000u * (*index + 1);
    fake->bytes[*index] = heap_alloc(1, bytes);
    fake->sizes[*index] = bytes;
    return true;
}

static inline bool is_inside(const Fake *fake, uint32_t buffer, uint64_t offset,
                             uint64_t count) {
    return buffer < fake->count && offset <= fake->sizes[buffer] &&
           count <= fake->sizes[buffer] - offset;
}

static inline bool fake_write(Device *device, uint32_t buffer, uint64_t offset,
                              const void *bytes, uint64_t count) {
    Fake *fake = (Fake *)device;
    if (!is_inside(fake, buffer, offset, count))
        return false;
    memcpy(fake->bytes[buffer] + offset, bytes, count);
    return true;
}

static inline bool fake_read(Device *device, uint32_t buffer, uint64_t offset,
                             void *bytes, uint64_t count) {
    Fake *fake = (Fake *)device;
    if (!is_inside(fake, buffer, offset, count))
        return false;
    memcpy(bytes, fake->bytes[buffer] + offset, count);
    return true;
}

static inline void fake_finding(Fake *fake, Arena *arena, DeviceRun *run) {
    run->findings = arena_new(arena, Finding, 1);
    Finding *finding = &run->findings[run->finding_count++];
    *finding = sample_finding(arena, sample_case(fake->rule), 0);
    finding->level = fake->level;
    finding->at = (SrcLoc){STR("/tmp/build/k.cu"), 7, 2};
    finding->occurrences = 1;
}

static inline bool has_finding(const Fake *fake,
                               const DeviceSchedule *schedule) {
    int number = (int)fake->launches - 1;
    if (fake->finding_seed)
        return schedule->seed == fake->finding_seed &&
               (!schedule->is_limited || schedule->switches >= fake->switches);
    return fake->finding_in >= 0 &&
           (number == fake->finding_in || number == fake->finding_in + 1);
}

// As many cycles as there were launches before.
static inline void fake_timeline(Fake *fake, DeviceRun *run, uint64_t cycles) {
    fake->span = (DeviceSpan){.to = cycles, .kind = DEVICE_SPAN_WAIT};
    fake->event = (DeviceEvent){.cycle = cycles, .kind = DEVICE_EVENT_READ};
    fake->sm = (DeviceSmTime){.end = cycles};
    run->is_timed = true;
    run->timeline = (DeviceTimeline){.cycles = cycles,
                                     .sms = &fake->sm,
                                     .sm_count = 1,
                                     .spans = &fake->span,
                                     .span_count = 1,
                                     .events = &fake->event,
                                     .event_count = 1};
}

static inline void fake_search(const Fake *fake, uint32_t number,
                               DeviceExploration *about) {
    about->is_redundant = fake->redundant >> number & 1;
    about->is_too_large = fake->too_large >> number & 1;
    about->is_complete = number + 1 == fake->search_runs;
}

static inline bool fake_launch(Device *device, Arena *arena,
                               const DeviceLaunch *launch, DeviceRun *run) {
    Fake *fake = (Fake *)device;
    int number = (int)fake->launches;
    *run = (DeviceRun){.ledger.totals = {.grid = launch->grid[0],
                                         .started = 3,
                                         .granted = launch->grid[0] - 4,
                                         .requests = 9}};
    fake->schedules[fake->launches++ % MOST_LAUNCHES] = launch->schedule;
    fake->unchecked = launch->unchecked;
    fake->step_limit = launch->step_limit;
    fake->block_bytes = launch->arg_bytes;
    memcpy(fake->block, launch->args, launch->arg_bytes);
    if (launch->trace) {
        fake->traced++;
        fake->wish = *launch->trace;
        fake->traced_schedule = launch->schedule;
        run->trace = arena_new(arena, RunTrace, 1);
    }
    run->counters.by_kind[DEVICE_KIND_INTEGER] = 40;
    run->counters.loaded[DEVICE_SPACE_SHARED] = 16;
    run->counters.copied_to[DEVICE_SPACE_GLOBAL] = 32;
    run->output = str_format(arena, "hello %d\n", number);
    fake_timeline(fake, run, (uint64_t)number);
    if (number == fake->differs_in)
        fake->bytes[0][fake->differs_at]++;
    run->steps = 100;
    run->warps = 20;
    run->switches = 5000;
    if (launch->exploration)
        fake_search(fake, (uint32_t)number, launch->exploration);
    if (has_finding(fake, &launch->schedule))
        fake_finding(fake, arena, run);
    if (number == fake->ends_in)
        run->status = fake->status;
    if (run->status == RUN_REFUSED)
        run->error = (Diag){.what = STR("it does not fit"), .help = STR("cut")};
    return run->status != RUN_REFUSED;
}

static const DeviceOps FAKE_OPS = {
    .info = fake_info,
    .load = fake_load,
    .alloc = fake_alloc,
    .write = fake_write,
    .read = fake_read,
    .launch = fake_launch,
};

// ---- a request -----------------------------------------------------------

static const char SOURCE[] =
    "// a kernel\n"
    "__global__ void k(float *x, short s, double d);\n";

typedef struct Bench {
    Arena arena;
    Fake fake;
    PtxModule module;
    PtxFunc kernel;
    PtxVar vars[3];
    PtxVar *params[3];
    Submission submission;
    LaunchArgument arguments[3];
    LaunchRequest request;
    LaunchResult result;
    Str outputs[3];
    Diag error;
} Bench;

static inline void bench_open(Bench *b) {
    static const uint8_t half[2] = {0x34, 0x12};
    static const uint8_t real[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    *b = (Bench){0};
    b->fake = (Fake){.device = {&FAKE_OPS},
                     .differs_in = -1,
                     .differs_at = 12,
                     .finding_in = -1,
                     .ends_in = -1};
    static const uint32_t sizes[3] = {8, 2, 8};
    for (int i = 0; i < 3; i++) {
        b->vars[i] = (PtxVar){.vector = 1, .size = sizes[i], .align = sizes[i]};
        b->params[i] = &b->vars[i];
    }
    b->kernel = (PtxFunc){.name = STR("k"),
                          .is_entry = true,
                          .has_body = true,
                          .params = b->params,
                          .param_count = 3};
    b->submission = (Submission){
        .file = STR("my/k.cu"), .source = STR(SOURCE), .module = &b->module};
    b->arguments[0] = (LaunchArgument){
        .name = STR("0"), .is_buffer = true, .size = 38, .fill = FILL_IOTA};
    b->arguments[1] = (LaunchArgument){.size = 2, .bytes = half};
    b->arguments[2] = (LaunchArgument){.size = 8, .bytes = real};
    b->request = (LaunchRequest){.submission = &b->submission,
                                 .kernel = &b->kernel,
                                 .grid = {10, 1, 1},
                                 .block = {32, 1, 1},
                                 .cluster = {1, 1, 1},
                                 .arguments = b->arguments,
                                 .argument_count = 3,
                                 .seed = 7,
                                 .schedules = 1,
                                 .compare = COMPARE_DEMAND,
                                 .step_limit = 99,
                                 .replay = STR("clclab run my/k.cu")};
}

static inline bool bench_run(Bench *b) {
    bool ran = check_launch(&b->arena, &b->request, &b->fake.device, &b->result,
                            b->outputs, &b->error);
    if (ran)
        report_tell_launch(&b->arena, &b->result);
    return ran;
}

static inline void bench_close(Bench *b) {
    fake_free(&b->fake);
    arena_free(&b->arena);
}

#endif
