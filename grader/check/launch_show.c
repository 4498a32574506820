// SPDX-License-Identifier: Apache-2.0
// What a run leaves in a LaunchResult, beside findings: a line for each
// schedule; of the first, what became of the blocks, what was counted, and
// modelled time. Copies from device/ to result/launch.h, mostly.
#include "check/launch.h"

// ---- a line a schedule ---------------------------------------------------

static Str status_name(RunStatus status) {
    switch (status) {
    case RUN_DONE:
        return STR("done");
    case RUN_FAULT:
        return STR("fault");
    case RUN_DEADLOCK:
        return STR("deadlock");
    case RUN_LIMIT:
        return STR("limit");
    case RUN_UNSUPPORTED:
    case RUN_REFUSED:
        break;
    }
    return STR("unsupported");
}

LaunchSchedule *launch_show_schedule(Launching *l, const Run *run) {
    const Ledger *ledger = &run->device.ledger;
    LaunchSchedule *schedule =
        &l->result->schedules[l->result->schedule_count++];
    *schedule = (LaunchSchedule){
        .number = run->number,
        .strategy = run->explored ? STR("exhaustive")
                    : run->plain
                        ? STR("plain")
                        : schedule_name(l->grade.arena, &run->schedule),
        .status = status_name(run->device.status),
        .started = ledger->started,
        .canceled = ledger->granted,
        .refused = ledger->refused,
        .thread_instructions = run->device.counters.thread_instructions,
        .cycles = run->device.is_timed ? run->device.timeline.cycles : 0,
        .pct = schedule_bound(&run->schedule, &run->device),
    };
    schedule_add_bound(l->result->pct, &schedule->pct);
    return schedule;
}

static void show_ledger(Launching *l, const Run *run) {
    const Ledger *ledger = &run->device.ledger;
    LaunchLedger *shown = &l->result->ledger;
    l->result->has_ledger = ledger->requests > 0;
    *shown = (LaunchLedger){
        .summary = ledger_summary(&l->grade, run),
        .pending = ledger->grid - ledger->started - ledger->granted,
        .requests = ledger->requests,
        .refused_pending = ledger->refused_pending,
        .least = ledger->shortest,
        .most = ledger->longest,
    };
}

static LaunchCount *count_list(Arena *arena, const uint64_t *values,
                               const char *const *names, size_t count,
                               size_t *used) {
    LaunchCount *list = arena_new(arena, LaunchCount, count);
    *used = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] > 0)
            list[(*used)++] = (LaunchCount){str_from(names[i]), values[i]};
    return list;
}

static void show_counters(Launching *l, const Run *run) {
#define COUNTER_NAME(id, name) name,
    static const char *const kinds[] = {DEVICE_KINDS(COUNTER_NAME)};
    static const char *const spaces[] = {DEVICE_SPACES(COUNTER_NAME)};
#undef COUNTER_NAME
    Arena *arena = l->grade.arena;
    const DeviceCounters *from = &run->device.counters;
    LaunchCounters *to = &l->result->counters;
    *to = (LaunchCounters){
        .thread_instructions = from->thread_instructions,
        .warp_instructions = from->warp_instructions,
        .cta_barriers = from->cta_barriers,
        .cluster_barriers = from->cluster_barriers,
        .mbarrier_phases = from->mbarrier_phases,
        .steals = run->device.ledger.granted,
    };
    to->kinds = count_list(arena, from->by_kind, kinds, DEVICE_KIND_COUNT,
                           &to->kind_count);
    to->loaded = count_list(arena, from->loaded, spaces, DEVICE_SPACE_COUNT,
                            &to->loaded_count);
    to->stored = count_list(arena, from->stored, spaces, DEVICE_SPACE_COUNT,
                            &to->stored_count);
    to->copied_from = count_list(arena, from->copied_from, spaces,
                                 DEVICE_SPACE_COUNT, &to->copied_from_count);
    to->copied_to = count_list(arena, from->copied_to, spaces,
                               DEVICE_SPACE_COUNT, &to->copied_to_count);
}

static LaunchSpanKind span_kind(DeviceSpanKind kind) {
    switch (kind) {
    case DEVICE_SPAN_LAUNCH:
        return LAUNCH_SPAN_LAUNCH;
    case DEVICE_SPAN_PROLOGUE:
        return LAUNCH_SPAN_PROLOGUE;
    case DEVICE_SPAN_WAIT:
        return LAUNCH_SPAN_WAIT;
    case DEVICE_SPAN_WORK:
    case DEVICE_SPAN_COUNT:
        break;
    }
    return LAUNCH_SPAN_WORK;
}

static void show_events(Arena *arena, const DeviceTimeline *from,
                        LaunchTime *to) {
    static const char *const names[] = {
#define EVENT_NAME(id, name) [DEVICE_EVENT_##id] = name,
        DEVICE_EVENTS(EVENT_NAME)
#undef EVENT_NAME
    };
    to->events = arena_new(arena, LaunchEvent, from->event_count);
    to->event_count = from->event_count;
    to->events_left_out = from->events_left_out;
    for (size_t i = 0; i < from->event_count; i++) {
        const DeviceEvent *event = &from->events[i];
        to->events[i] = (LaunchEvent){.cycle = event->cycle,
                                      .kind = names[event->kind],
                                      .cta = event->cta,
                                      .warp = event->warp,
                                      .at = event->at,
                                      .value = event->value,
                                      .block = event->block,
                                      .pending = event->pending,
                                      .tx = event->tx};
    }
}

static void show_time(Launching *l, const Run *run) {
    Arena *arena = l->grade.arena;
    const DeviceTimeline *from = &run->device.timeline;
    LaunchTime *to = &l->result->time;
    l->result->is_timed = run->device.is_timed;
    if (!run->device.is_timed)
        return;
    *to = (LaunchTime){.cycles = from->cycles,
                       .places = from->places,
                       .ends = from->ends,
                       .arrival = from->arrival,
                       .first_free = from->first_free,
                       .all_free = from->all_free,
                       .clock_mhz = from->clock_mhz,
                       .schedulers = from->schedulers,
                       .sms = arena_new(arena, LaunchSm, from->sm_count),
                       .sm_count = from->sm_count,
                       .spans = arena_new(arena, LaunchSpan, from->span_count),
                       .span_count = from->span_count,
                       .spans_left_out = from->spans_left_out};
    for (uint32_t i = 0; i < from->sm_count; i++) {
        const DeviceSmTime *sm = &from->sms[i];
        to->sms[i] = (LaunchSm){sm->issued, sm->end, sm->ctas};
    }
    for (size_t i = 0; i < from->span_count; i++) {
        const DeviceSpan *span = &from->spans[i];
        to->spans[i] = (LaunchSpan){.from = span->from,
                                    .to = span->to,
                                    .kind = span_kind(span->kind),
                                    .sm = span->sm,
                                    .slot = span->slot,
                                    .cta = span->cta,
                                    .block = span->block};
    }
    show_events(arena, from, to);
}

void launch_show(Launching *l, const Run *run) {
    show_ledger(l, run);
    show_counters(l, run);
    l->result->gpu_us = run->device.card_ms * 1e3;
    show_time(l, run);
}
