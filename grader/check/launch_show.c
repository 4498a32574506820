// SPDX-License-Identifier: Apache-2.0
// What a run adds to a LaunchResult apart from findings: a line for each
// schedule and, for the first, the fate of the blocks, the counters and the
// modelled time; and the trace of the run that is recorded.
#include "check/launch.h"

#include <string.h>

LaunchSchedule *launch_show_schedule(Launching *l, const Run *run) {
    const LedgerTotals *blocks = &run->device.ledger.totals;
    LaunchSchedule *schedule =
        &l->result->schedules[l->result->schedule_count++];
    *schedule = (LaunchSchedule){
        .number = run->number,
        .strategy = run->explored ? STR("exhaustive")
                    : run->plain
                        ? STR("plain")
                        : trial_strategy_name(l->grade.arena, &run->schedule),
        .status = run->device.status,
        .started = blocks->started,
        .canceled = blocks->granted,
        .refused = blocks->refused,
        .thread_instructions = run->device.counters.thread_instructions,
        .cycles = run->device.is_timed ? run->device.timeline.cycles : 0,
        .pct = trial_bound(&run->schedule, &run->device),
    };
    trial_add_bound(l->result->pct, &schedule->pct);
    return schedule;
}

static void *kept(Arena *arena, const void *items, size_t size, size_t count) {
    void *copy = arena_alloc(arena, size, _Alignof(max_align_t), count);
    if (count > 0)
        memcpy(copy, items, size * count);
    return copy;
}

// A copy, because a run's own lists are freed before its result is shown.
static DeviceTimeline kept_timeline(Arena *arena, const DeviceTimeline *from) {
    DeviceTimeline copy = *from;
    copy.sms = kept(arena, from->sms, sizeof *from->sms, from->sm_count);
    copy.spans =
        kept(arena, from->spans, sizeof *from->spans, from->span_count);
    copy.events =
        kept(arena, from->events, sizeof *from->events, from->event_count);
    copy.span_capacity = from->span_count;
    copy.event_capacity = from->event_count;
    return copy;
}

void launch_show(Launching *l, const Run *run) {
    LaunchResult *result = l->result;
    const DeviceRun *device = &run->device;
    result->has_ledger = device->ledger.totals.requests > 0;
    result->ledger = ledger_summary(&l->grade, run);
    result->counters = device->counters;
    result->gpu_us = device->card_ms * 1e3;
    result->is_timed = device->is_timed;
    if (device->is_timed)
        result->time = kept_timeline(l->grade.arena, &device->timeline);
}

// The grid in blocks: that of a kernel which declares .blocksareclusters counts
// clusters.
static TraceGrid grid_of(const LaunchResult *result, uint64_t blocks) {
    TraceGrid grid = {0};
    uint64_t counted = 1;
    for (size_t i = 0; i < 3; i++) {
        grid.grid[i] = result->grid[i];
        grid.cluster[i] = result->cluster[i] ? result->cluster[i] : 1;
        counted *= grid.grid[i];
    }
    for (size_t i = 0; counted != blocks && i < 3; i++)
        grid.grid[i] *= grid.cluster[i];
    return grid;
}

const RunTrace *launch_trace(Launching *l, const Cause *cause, const Run *run) {
    TraceWish wish = trace_wish(cause);
    TraceGrid grid = grid_of(l->result, run->device.ledger.totals.grid);
    grid.source = l->grade.submission->source;
    if (run->device.trace)
        run->device.trace->run = cause_run_name(l->grade.arena, run);
    return trace_of(l->grade.arena, &run->device, &grid, cause, &wish);
}
