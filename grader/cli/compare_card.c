// SPDX-License-Identifier: Apache-2.0
// A CompareSource (check/compare.h) that is a real GPU. Each case runs in two
// ways: once with a ledger, to see what was started and where, and many times
// unchanged, for the times. The data come from the unchanged runs.
#include "cli/compare_card.h"
#include "check/compare_model.h"
#include "words/words.h"

#include <string.h>

enum {
    REPEATS = 31,
    VISITS = 15,
    COPY_BYTES = 1 << 29,
};

static CompareFigure known(double value) {
    return (CompareFigure){true, value};
}

// A quantile of values in ascending order.
static CompareFigure quantile(const double *values, uint32_t count,
                              uint32_t quarters) {
    return count ? known(values[(count - 1) * quarters / 4])
                 : (CompareFigure){0};
}

static bool failed(const CompareCase *what, Diags *diags, const char *how) {
    diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "%.*s %s", STR_ARG(what->kernel),
             how);
    return false;
}

// ---- a launch ------------------------------------------------------------

static DeviceLaunch make_launch(const CompareCase *what,
                                const CompareParams *params) {
    return (DeviceLaunch){
        .kernel = what->kernel,
        .grid = {what->grid, 1, 1},
        .block = {what->threads, 1, 1},
        .cluster = {what->cluster, 1, 1},
        .args = params,
        .arg_bytes = offsetof(CompareParams, work) + sizeof params->work,
        .prologue = STR("compute_scalar"),
        .ledger_most = what->grid,
    };
}

// Loads the kernels and sets up their data.
static bool prepare(const CompareCard *card, Device *device,
                    const CompareCase *what, const float *data,
                    CompareParams *params, Diags *diags) {
    const DeviceOps *ops = device->ops;
    uint64_t bytes = (uint64_t)what->work.n * sizeof *data;
    uint32_t buffer;
    *params = (CompareParams){.work = what->work};
    if (!ops->load(device, card->module, diags) ||
        !ops->alloc(device, bytes, &buffer, &params->data, diags))
        return false;
    return (ops->write(device, buffer, 0, data, bytes) &&
            ops->write_symbol(device, STR("clclab_secret"), &what->secret,
                              sizeof what->secret)) ||
           failed(what, diags, "cannot be given its data");
}

// ---- with a ledger -------------------------------------------------------

// Reports what the card found, or why there was no run.
static void add_fault(DiagLevel level, const Finding *fault, Diags *diags) {
    static const Words words = {&words_english, DIALECT_CPP};
    Str what = words_part(&words, diags->arena, fault, WORDS_WHAT);
    diag_add(diags, level, (SrcLoc){0}, "%.*s", STR_ARG(what))->help =
        words_part(&words, diags->arena, fault, WORDS_HELP);
}

static void add_reason(const DeviceRun *run, Diags *diags) {
    if (run->finding_count > 0) {
        add_fault(DIAG_NOTE, &run->findings[0], diags);
        return;
    }
    Diag *note = diag_add(diags, DIAG_NOTE, (SrcLoc){0}, "%.*s",
                          STR_ARG(run->error.what));
    note->code = run->error.code;
    note->help = str_copy(diags->arena, run->error.help);
}

static bool count(const CompareCard *card, const CompareCase *what,
                  const float *data, CompareSample *sample, Diags *diags) {
    Arena scratch = {0};
    DeviceRun run = {0};
    CompareParams params;
    bool ran = prepare(card, card->ledger, what, data, &params, diags);
    DeviceLaunch launch = make_launch(what, &params);
    uint64_t prologues = 0;
    if (ran &&
        (!card->ledger->ops->launch(card->ledger, &scratch, &launch, &run) ||
         run.status != RUN_DONE)) {
        ran = failed(what, diags, "could not be run with a ledger");
        add_reason(&run, diags);
    }
    for (size_t i = 0; i < run.ledger.chain_count; i++)
        prologues += run.ledger.chains[i].prologues;
    if (ran) {
        sample->started = known((double)run.ledger.totals.started);
        sample->prologues = known((double)prologues);
        sample->imbalance = compare_imbalance(&run.timeline);
    }
    arena_free(&scratch);
    return ran;
}

// ---- as it is ------------------------------------------------------------

static bool take_times(const CompareCard *card, Arena *scratch,
                       const DeviceLaunch *launch, const GpuMeasure *wanted,
                       GpuTimes *times, Diags *diags) {
    bool told = gpu_measure(card->plain, scratch, launch, wanted, times, diags);
    if (!told && times->fault)
        add_fault(DIAG_ERROR, times->fault, diags);
    return told;
}

static bool measure(const CompareCard *card, const CompareCase *what,
                    float *data, CompareSample *sample, Diags *diags) {
    static const GpuMeasure wanted = {.repeats = REPEATS, .visits = VISITS};
    Arena scratch = {0};
    GpuTimes times;
    CompareParams params;
    bool ran = prepare(card, card->plain, what, data, &params, diags);
    DeviceLaunch launch = make_launch(what, &params);
    ran = ran && take_times(card, &scratch, &launch, &wanted, &times, diags);
    if (ran) {
        sample->time = quantile(times.alone, REPEATS, 2);
        sample->q1 = quantile(times.alone, REPEATS, 1);
        sample->q3 = quantile(times.alone, REPEATS, 3);
        sample->first_free = quantile(times.first, VISITS, 2);
        sample->all_free = quantile(times.all, VISITS, 2);
        ran = card->plain->ops->read(card->plain, 0, 0, data,
                                     (uint64_t)what->work.n * sizeof *data);
    }
    arena_free(&scratch);
    return ran;
}

static bool run_case(CompareSource *source, const CompareCase *what,
                     float *data, CompareSample *sample, Diags *diags) {
    const CompareCard *card = source->context;
    return count(card, what, data, sample, diags) &&
           measure(card, what, data, sample, diags);
}

// ---- the card ------------------------------------------------------------

static uint32_t blocks_per_sm(CompareSource *source, Str kernel,
                              uint32_t threads) {
    const CompareCard *card = source->context;
    Arena arena = {0};
    Diags unused = diags_new(&arena);
    uint32_t fit =
        card->plain->ops->load(card->plain, card->module, &unused)
            ? card->plain->ops->blocks_per_sm(card->plain, kernel, threads, 0)
            : 0;
    arena_free(&arena);
    return fit;
}

// Measures a copy on the card: bytes read and written per second, in GB/s.
static bool time_copy(const CompareCard *card, CompareFigure *speed,
                      Diags *diags) {
    static const GpuMeasure wanted = {.repeats = REPEATS,
                                      .copy_bytes = COPY_BYTES};
    const CompareCase small = {.kernel = STR("compare_fixed"),
                               .grid = 1,
                               .threads = 32,
                               .cluster = 1,
                               .secret = {1.5f, 1},
                               .work = {.n = 32, .rounds = 1}};
    const float data[32] = {0};
    Arena scratch = {0};
    GpuTimes times;
    CompareParams params;
    bool ran = prepare(card, card->plain, &small, data, &params, diags);
    DeviceLaunch launch = make_launch(&small, &params);
    ran = ran && take_times(card, &scratch, &launch, &wanted, &times, diags);
    if (ran)
        *speed = known(2e-3 * COPY_BYTES / times.copies[REPEATS / 2]);
    arena_free(&scratch);
    return ran;
}

bool compare_card_source(CompareCard *card, CompareSource *source,
                         Diags *diags) {
    CompareFigure copy;
    DeviceInfo info;
    if (!time_copy(card, &copy, diags))
        return false;
    card->plain->ops->info(card->plain, &info);
    str_cut(&info.name, ':');
    *source = (CompareSource){
        .info = {.kind = COMPARE_MEASURED,
                 .device = info.name,
                 .how = STR("Measured: the median of 31 launches, of 15 with "
                            "another kernel."),
                 .sms = info.sm_count,
                 .copy = copy},
        .context = card,
        .blocks_per_sm = blocks_per_sm,
        .run = run_case,
    };
    return true;
}
