// SPDX-License-Identifier: Apache-2.0
// The trace of a run that a result shows: it is run again with the same
// schedule, which gives the same run, and this time it is recorded. Read
// trace_grade. What is recorded besides the device's trace: which run it is,
// the map of the block indices, the places of the finding.
#include "check/trace.h"
#include "result/finding.h"

// ---- the finding ---------------------------------------------------------

static void add_cta(TraceWish *wish, uint64_t cta) {
    if (wish->cta_count < TRACE_MOST_CTAS)
        wish->ctas[wish->cta_count++] = (uint32_t)cta;
}

// The blocks that it is about: who did it, or else whose work or whose exit it
// was.
static void add_ctas(TraceWish *wish, const Finding *finding) {
    const Fact *owner = fact_find(finding->facts, FACT_OWNER);
    const Fact *block = fact_find(finding->facts, FACT_BLOCK);
    if (finding->who.known)
        add_cta(wish, finding->who.cta);
    else if (owner)
        add_cta(wish, owner->number);
    else
        add_cta(wish, block ? block->number : finding->cta);
    if (finding->in_buffer && finding->other_cta != finding->cta)
        add_cta(wish, finding->other_cta);
}

TraceWish trace_wish(const Cause *cause) {
    TraceWish wish = {0};
    if (!cause || !cause->finding || cause->finding->rule == DEVICE_RULE_NONE)
        return wish;
    wish.rule = cause->finding->rule;
    wish.at = cause->at;
    add_ctas(&wish, cause->finding);
    for (uint32_t i = 0; i < cause->related_count; i++)
        wish.lines[wish.line_count++] = cause->related[i].at.line;
    return wish;
}

// Whether the order of what several did is what is wrong: nobody can go on,
// somebody has left, or two blocks met.
static bool is_of_time(const Cause *cause) {
    const Finding *finding = cause ? cause->finding : NULL;
    if (!finding)
        return false;
    return finding->rule == RULE_DEADLOCK || finding->rule == RULE_CLC003 ||
           finding->rule == RULE_CLC004 || finding->rule == RULE_MEM004 ||
           (finding->in_buffer && finding->other_cta != finding->cta);
}

static void describe_moment(Arena *arena, const Cause *cause,
                            const TraceWish *wish, TraceMoment *moment) {
    if (!moment->is_there) {
        *moment = (TraceMoment){0};
        return;
    }
    const Fact *other = fact_find(cause->finding->facts, FACT_OTHER);
    moment->knows_other = other != NULL;
    if (other) {
        moment->other_cta = fact_thread_block(other->number);
        moment->other_warp = fact_thread_index(other->number) / 32;
    }
    moment->code = str_copy(arena, cause->code);
    moment->is_of_time = is_of_time(cause);
    moment->at = cause->at;
    moment->cta_count = wish->cta_count;
    for (uint32_t i = 0; i < wish->cta_count; i++)
        moment->ctas[i] = wish->ctas[i];
    moment->related_count = cause->related_count;
    for (uint32_t i = 0; i < cause->related_count; i++)
        moment->related[i] = cause->related[i].at;
}

// ---- the map -------------------------------------------------------------

static void count_block(const LedgerEntry *entry, TraceBin *bin) {
    switch (entry->state) {
    case LEDGER_PENDING:
        bin->pending++;
        return;
    case LEDGER_LAUNCHED:
        bin->started++;
        return;
    case LEDGER_GRANTED:
        if (entry->taken)
            bin->stolen++;
        else
            bin->lost++;
        return;
    }
}

static void count_times(const BlockTally *tally, TraceBin *bin) {
    if (tally->size == 0 || tally->mixed)
        return;
    if (tally->times == 0)
        bin->never++;
    else if (tally->times == 1 || tally->divided)
        bin->once++;
    else
        bin->more++;
}

// The linear index of the cluster that a block belongs to.
static size_t cluster_of(const TraceGrid *grid, uint64_t block) {
    size_t index = 0, scale = 1;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t at = block % grid->grid[axis];
        block /= grid->grid[axis];
        index += (size_t)(at / grid->cluster[axis]) * scale;
        scale *= grid->grid[axis] / grid->cluster[axis];
    }
    return index;
}

TraceMap trace_map(Arena *arena, const Ledger *ledger, const TraceGrid *grid) {
    uint64_t blocks = ledger->totals.grid;
    uint64_t each = (blocks + TRACE_MOST_BINS - 1) / TRACE_MOST_BINS;
    TraceMap map = {.blocks = blocks,
                    .each = each ? (uint32_t)each : 1,
                    .knows_times = grid->tally != NULL};
    map.bin_count = (size_t)((blocks + map.each - 1) / map.each);
    map.bins = arena_new(arena, TraceBin, map.bin_count + 1);
    for (uint64_t b = 0; b < blocks; b++) {
        TraceBin *bin = &map.bins[b / map.each];
        size_t cluster = cluster_of(grid, b);
        if (cluster < ledger->entry_count)
            count_block(&ledger->entries[cluster], bin);
        if (grid->tally && b < grid->tally_count)
            count_times(&grid->tally[b], bin);
    }
    return map;
}

// ---- of a run ------------------------------------------------------------

const RunTrace *trace_of(Arena *arena, const DeviceRun *run,
                         const TraceGrid *grid, const Cause *cause,
                         const TraceWish *wish) {
    RunTrace *trace = run->trace;
    if (!trace)
        return NULL;
    trace->map = trace_map(arena, &run->ledger, grid);
    describe_moment(arena, cause, wish, &trace->moment);
    trace_name_params(arena, grid->source, &trace->moment);
    return trace;
}

// The first failure that names a rule. NULL: none does.
static const Cause *first_cause(const Result *result) {
    for (size_t i = 0; i < result->check_count; i++) {
        const CheckResult *check = &result->checks[i];
        for (size_t k = 0; k < check->cause_count; k++)
            if (check->status == CHECK_FAIL && check->causes[k].finding &&
                check->causes[k].finding->rule != DEVICE_RULE_NONE)
                return &check->causes[k];
    }
    return NULL;
}

// Runs it once more, recorded. NULL: it could not be run.
static RunTrace *record(Grade *grade, Run run, const Cause *cause,
                        TraceWish wish) {
    Cause unused = {0};
    run.wish = &wish;
    if (run_kernel(grade, grade->arena, run.size, run.grid, &run, &unused) !=
        OUTCOME_RAN)
        return NULL;
    TraceGrid grid = {.cluster = {grade->lab->cluster, 1, 1},
                      .tally = run.tally,
                      .tally_count = run.blocks,
                      .source = grade->submission->source};
    shape_launch(grade->lab, &run, grid.grid);
    trace_of(grade->arena, &run.device, &grid, cause, &wish);
    return run.device.trace;
}

static RunTrace *record_plain(Grade *grade, Run run) {
    run.plain = true;
    run.number = 0;
    run.schedule = (DeviceSchedule){0};
    RunTrace *plain = record(grade, run, NULL, (TraceWish){0});
    if (plain)
        plain->run = str_format(grade->arena, "%.*s, plain schedule",
                                STR_ARG(grade->result->ledger.size));
    return plain;
}

void trace_grade(Grade *grade) {
    Result *result = grade->result;
    const Cause *cause = first_cause(result);
    bool has_picture = grade->options->has_pictures && is_of_time(cause);
    if ((!grade->options->is_traced && !has_picture) || grade->info.is_card ||
        !result->has_ledger)
        return;
    RunTrace *plain = grade->options->is_traced && !grade->shown_run.plain
                          ? record_plain(grade, grade->shown_run)
                          : NULL;
    RunTrace *trace = record(grade, grade->shown_run, cause, trace_wish(cause));
    result->trace = trace;
    if (!trace)
        return;
    trace->plain = plain;
    trace->run =
        str_format(grade->arena, "%.*s, %.*s", STR_ARG(result->ledger.size),
                   STR_ARG(result->ledger.schedule));
}
