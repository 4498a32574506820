// SPDX-License-Identifier: Apache-2.0
// The comparison on a Device that models time: each case is launched twice, the
// second time with a kernel of higher priority that arrives half-way. The model
// gives the same figure every time, so there is no spread.
//
// A large GPU would need very many blocks before any is pending. So each
// block gets so much dynamic shared memory that at most two fit on an SM, as on
// mini.
#include "check/compare_model.h"
#include "result/wish.h"

#include <string.h>

enum {
    MOST_PER_SM = 2,
    SMEM_STEP = 16 * 1024,
    SMEM_MOST = 256 * 1024,
};
static const uint64_t STEP_LIMIT = UINT64_C(1) << 36;

// Dynamic shared memory of a block, and how many blocks then fit on an SM.
static uint32_t choose_smem(Device *device, Str kernel, uint32_t threads,
                            uint32_t *fit) {
    uint32_t smem = 0;
    *fit = device->ops->blocks_per_sm(device, kernel, threads, 0);
    for (uint32_t more = SMEM_STEP; *fit > MOST_PER_SM && more <= SMEM_MOST;
         more += SMEM_STEP) {
        uint32_t now =
            device->ops->blocks_per_sm(device, kernel, threads, more);
        if (now == 0)
            break;
        smem = more;
        *fit = now;
    }
    return smem;
}

static uint32_t blocks_per_sm(CompareSource *source, Str kernel,
                              uint32_t threads) {
    CompareModel *model = source->context;
    Diags unused = {0};
    uint32_t fit;
    Arena arena = {0};
    unused.arena = &arena;
    if (!model->device->ops->load(model->device, model->module, &unused))
        fit = 0;
    else
        choose_smem(model->device, kernel, threads, &fit);
    arena_free(&arena);
    return fit;
}

// ---- one launch ----------------------------------------------------------

static const char *status_text(RunStatus status) {
    switch (status) {
    case RUN_DONE:
        return "ended";
    case RUN_FAULT:
        return "was stopped by a fault";
    case RUN_DEADLOCK:
        return "came to a deadlock";
    case RUN_LIMIT:
        return "reached the step limit";
    case RUN_UNSUPPORTED:
        return "has an instruction that the device lacks";
    case RUN_REFUSED:
        break;
    }
    return "was refused";
}

static bool failed(const CompareCase *what, const char *how, Diags *diags) {
    diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "the launch of %.*s %s",
             STR_ARG(what->kernel), how);
    return false;
}

// data: [n], the values before the launch, which become those after it.
static bool launch(const CompareModel *model, Arena *arena,
                   const CompareCase *what, uint64_t arrival, float *data,
                   DeviceRun *run, Diags *diags) {
    Device *device = model->device;
    const DeviceOps *ops = device->ops;
    uint64_t bytes = (uint64_t)what->work.n * sizeof *data;
    CompareParams params = {.work = what->work};
    uint32_t buffer, fit;
    if (!ops->load(device, model->module, diags) ||
        !ops->alloc(device, bytes, &buffer, &params.data, diags))
        return false;
    if (!ops->write(device, buffer, 0, data, bytes) ||
        !ops->write_symbol(device, STR("clclab_secret"), &what->secret,
                           sizeof what->secret))
        return failed(what, "cannot be given its data", diags);
    DeviceLaunch request = {
        .kernel = what->kernel,
        .grid = {what->grid, 1, 1},
        .block = {what->threads, 1, 1},
        .cluster = {what->cluster, 1, 1},
        .dynamic_smem = choose_smem(device, what->kernel, what->threads, &fit),
        .args = &params,
        .arg_bytes = offsetof(CompareParams, work) + sizeof params.work,
        .step_limit = STEP_LIMIT,
        .unchecked = UINT64_MAX,
        .prologue = STR("compute_scalar"),
        .is_timed = true,
        .arrival = arrival,
        .trace = model->wish,
    };
    if (!ops->launch(device, arena, &request, run) || run->status != RUN_DONE)
        return failed(what, status_text(run->status), diags);
    return ops->read(device, buffer, 0, data, bytes) ||
           failed(what, "gave no data back", diags);
}

// ---- from a run to a sample ----------------------------------------------

static CompareFigure known(double value) {
    return (CompareFigure){true, value};
}

static CompareFigure microseconds(const DeviceTimeline *line, uint64_t cycles) {
    return line->clock_mhz ? known((double)cycles / line->clock_mhz)
                           : (CompareFigure){0};
}

CompareFigure compare_imbalance(const DeviceTimeline *line) {
    uint64_t last = 0, sum = 0;
    for (uint32_t i = 0; i < line->sm_count; i++) {
        uint64_t end = line->sms[i].end;
        last = end > last ? end : last;
        sum += end;
    }
    return sum ? known((double)last * line->sm_count / (double)sum)
               : (CompareFigure){0};
}

static void take_alone(const DeviceRun *run, CompareSample *sample) {
    uint64_t prologues = 0;
    for (size_t i = 0; i < run->ledger.chain_count; i++)
        prologues += run->ledger.chains[i].prologues;
    sample->started = known((double)run->ledger.totals.started);
    sample->prologues = known((double)prologues);
    if (!run->is_timed)
        return;
    sample->time = microseconds(&run->timeline, run->timeline.cycles);
    sample->imbalance = compare_imbalance(&run->timeline);
}

static bool run_case(CompareSource *source, const CompareCase *what,
                     float *data, CompareSample *sample, Diags *diags) {
    const CompareModel *model = source->context;
    Arena scratch = {0};
    DeviceRun alone = {0}, shared = {0};
    size_t bytes = (size_t)what->work.n * sizeof *data;
    float *again = heap_alloc(sizeof *data, (size_t)what->work.n);
    memcpy(again, data, bytes);
    bool ran = launch(model, &scratch, what, 0, data, &alone, diags);
    if (ran)
        take_alone(&alone, sample);
    uint64_t half = alone.timeline.cycles / 2;
    if (ran && alone.is_timed && half > 0) {
        ran = launch(model, &scratch, what, half, again, &shared, diags);
        sample->first_free =
            microseconds(&shared.timeline, shared.timeline.first_free);
        sample->all_free =
            microseconds(&shared.timeline, shared.timeline.all_free);
        if (ran && memcmp(again, data, bytes) != 0)
            ran = failed(what, "gives other data when another kernel arrives",
                         diags);
    }
    heap_free(again);
    arena_free(&scratch);
    return ran;
}

CompareSource compare_model_source(CompareModel *model) {
    DeviceInfo info;
    model->device->ops->info(model->device, &info);
    return (CompareSource){
        .info = {.kind = COMPARE_MODELLED,
                 .device = info.name,
                 .how = STR("Modelled, not measured: no card takes this time "
                            "(docs/time-model.md)."),
                 .sms = info.sm_count},
        .context = model,
        .blocks_per_sm = blocks_per_sm,
        .run = run_case,
    };
}

// ---- pictures ------------------------------------------------------------

size_t compare_model_ways(CompareModel *model, Arena *arena,
                          TraceWay ways[TRACE_WAYS]) {
    const TraceWish none = {0};
    CompareModel recorded = *model;
    CompareSource source = compare_model_source(&recorded);
    CompareCase cases[TRACE_WAYS];
    Diags unused = diags_new(arena);
    recorded.wish = &none;
    if (!compare_small(&source, cases, &unused))
        return 0;
    float *data = arena_new(arena, float, (size_t)cases[0].work.n);
    for (size_t i = 0; i < TRACE_WAYS; i++) {
        DeviceRun run = {0};
        if (!launch(&recorded, arena, &cases[i], 0, data, &run, &unused) ||
            !run.trace)
            return 0;
        ways[i] = (TraceWay){compare_name(cases[i].technique), run.trace};
    }
    return TRACE_WAYS;
}
