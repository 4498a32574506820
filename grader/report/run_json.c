// SPDX-License-Identifier: Apache-2.0
// LaunchResult -> JSON, schema "clclab/run/v1": docs/clclab.1.md describes its
// members. Read report_run_json, at the end.
#include "report/internal.h"

static Str verdict_name(Verdict verdict) {
    switch (verdict) {
    case VERDICT_PASS:
        return STR("clean");
    case VERDICT_FAIL:
        return STR("findings");
    case VERDICT_ERROR:
        break;
    }
    return STR("error");
}

static void write_size(Json *json, Str key, const uint32_t size[3]) {
    json_key(json, key);
    buf_printf(json->out, "[%u, %u, %u]", size[0], size[1], size[2]);
}

static void write_outputs(Json *json, LaunchOutputs outputs) {
    switch (outputs) {
    case OUTPUTS_SAME:
        json_text(json, STR("outputs"), STR("same"));
        return;
    case OUTPUTS_DIFFER:
        json_text(json, STR("outputs"), STR("differ"));
        return;
    case OUTPUTS_NOT_COMPARED:
        break;
    }
    json_null(json, STR("outputs"));
}

static void write_schedule(Json *json, const LaunchSchedule *schedule,
                           bool is_timed) {
    json_open(json, '{');
    json_number(json, STR("number"), schedule->number);
    json_text(json, STR("strategy"), schedule->strategy);
    json_text(json, STR("status"), str_from(run_status_name(schedule->status)));
    json_number(json, STR("errors"), schedule->errors);
    json_number(json, STR("advisories"), schedule->advisories);
    json_number(json, STR("started"), schedule->started);
    json_number(json, STR("canceled"), schedule->canceled);
    json_number(json, STR("refused"), schedule->refused);
    json_number(json, STR("thread_instructions"),
                schedule->thread_instructions);
    if (is_timed)
        json_number(json, STR("cycles"), schedule->cycles);
    else
        json_null(json, STR("cycles"));
    write_outputs(json, schedule->outputs);
    if (schedule->pct.depth) {
        json_key(json, STR("pct"));
        json_pct(json, &schedule->pct);
    } else {
        json_null(json, STR("pct"));
    }
    json_close(json, '}');
}

static void write_schedules(Json *json, const LaunchResult *result) {
    json_open_member(json, STR("schedules"), '[');
    for (size_t i = 0; i < result->schedule_count; i++) {
        json_item(json);
        write_schedule(json, &result->schedules[i], result->is_timed);
    }
    json_close(json, ']');
}

static Str search_end(SearchEnd end) {
    switch (end) {
    case SEARCH_COMPLETE:
        return STR("complete");
    case SEARCH_CUT:
        return STR("cut");
    case SEARCH_STOPPED:
        return STR("stopped");
    case SEARCH_TOO_LARGE:
        return STR("too-large");
    case SEARCH_NONE:
        break;
    }
    return (Str){0};
}

static void write_search(Json *json, const LaunchResult *result) {
    if (result->search == SEARCH_NONE) {
        json_null(json, STR("exhaustive"));
        return;
    }
    json_open_member(json, STR("exhaustive"), '{');
    json_text(json, STR("end"), search_end(result->search));
    json_number(json, STR("schedules"), result->schedule_count);
    json_number(json, STR("redundant"), result->search_redundant);
    json_close(json, '}');
}

static void write_findings(Json *json, const LaunchResult *result) {
    json_open_member(json, STR("findings"), '[');
    for (size_t i = 0; i < result->finding_count; i++) {
        const LaunchFinding *finding = &result->findings[i];
        json_item(json);
        json_open(json, '{');
        json_text(json, STR("level"),
                  finding->advisory ? STR("advisory") : STR("error"));
        if (finding->schedules > 0)
            json_number(json, STR("schedule"), finding->schedule);
        else // it did not build
            json_null(json, STR("schedule"));
        json_number(json, STR("schedules"), finding->schedules);
        json_cause_members(json, &finding->cause);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_ledger(Json *json, const LaunchResult *result) {
    const LedgerTotals *totals = &result->ledger.totals;
    if (!result->has_ledger) {
        json_null(json, STR("ledger"));
        return;
    }
    json_open_member(json, STR("ledger"), '{');
    json_number(json, STR("requests"), totals->requests);
    json_number(json, STR("refused_pending"), totals->refused_pending);
    json_number(json, STR("pending"),
                totals->grid - totals->started - totals->granted);
    json_number(json, STR("least_blocks"), totals->shortest);
    json_number(json, STR("most_blocks"), totals->longest);
    json_ledger_members(json, &result->ledger);
    json_close(json, '}');
}

static void write_counts(Json *json, Str key, Counts counts) {
    json_open_member(json, key, '{');
    for (size_t i = 0; i < counts.count; i++)
        if (counts.values[i] > 0)
            json_number(json, str_from(counts.names[i]), counts.values[i]);
    json_close(json, '}');
}

static void write_counters(Json *json, const LaunchResult *result) {
    const DeviceCounters *counters = &result->counters;
    if (result->schedule_count == 0) {
        json_null(json, STR("counters"));
        return;
    }
    json_open_member(json, STR("counters"), '{');
    json_number(json, STR("thread_instructions"),
                counters->thread_instructions);
    json_number(json, STR("warp_instructions"), counters->warp_instructions);
    write_counts(json, STR("by_kind"), counts_by_kind(counters->by_kind));
    write_counts(json, STR("bytes_loaded"), counts_by_space(counters->loaded));
    write_counts(json, STR("bytes_stored"), counts_by_space(counters->stored));
    write_counts(json, STR("bytes_copied_from"),
                 counts_by_space(counters->copied_from));
    write_counts(json, STR("bytes_copied_to"),
                 counts_by_space(counters->copied_to));
    json_number(json, STR("cta_barriers"), counters->cta_barriers);
    json_number(json, STR("cluster_barriers"), counters->cluster_barriers);
    json_number(json, STR("mbarrier_phases"), counters->mbarrier_phases);
    json_number(json, STR("steals"), result->ledger.totals.granted);
    json_close(json, '}');
}

// A span is one line: there may be very many.
static void write_spans(Json *json, const DeviceTimeline *time) {
    json_open_member(json, STR("spans"), '[');
    for (size_t i = 0; i < time->span_count; i++) {
        const DeviceSpan *span = &time->spans[i];
        json_item(json);
        buf_printf(json->out,
                   "{\"kind\": \"%s\", \"sm\": %u, \"slot\": %u, "
                   "\"from\": %llu, \"to\": %llu, \"cta\": %u, "
                   "\"block\": %u}",
                   time_span_name(span->kind), span->sm, span->slot,
                   (unsigned long long)span->from, (unsigned long long)span->to,
                   span->cta, span->block);
    }
    json_close(json, ']');
}

static void write_arrival(Json *json, const DeviceTimeline *time) {
    if (time->arrival == 0) {
        json_null(json, STR("arrival"));
        return;
    }
    json_open_member(json, STR("arrival"), '{');
    json_number(json, STR("cycle"), time->arrival);
    json_number(json, STR("first_free"), time->first_free);
    json_number(json, STR("all_free"), time->all_free);
    json_close(json, '}');
}

static void write_or_null(Json *json, const char *name, uint32_t value) {
    if (value == DEVICE_EVENT_NONE)
        buf_printf(json->out, ", \"%s\": null", name);
    else
        buf_printf(json->out, ", \"%s\": %u", name, value);
}

static const char *event_name(DeviceEventKind kind) {
    static const char *const names[] = {
#define EVENT_NAME(id, name) [DEVICE_EVENT_##id] = name,
        DEVICE_EVENTS(EVENT_NAME)
#undef EVENT_NAME
    };
    return names[kind];
}

static void write_events(Json *json, const DeviceTimeline *time) {
    json_open_member(json, STR("events"), '[');
    for (size_t i = 0; i < time->event_count; i++) {
        const DeviceEvent *event = &time->events[i];
        json_item(json);
        buf_printf(json->out, "{\"at\": %llu, \"kind\": \"%s\", \"cta\": %u",
                   (unsigned long long)event->cycle, event_name(event->kind),
                   event->cta);
        write_or_null(json, "warp", event->warp);
        write_or_null(json, "shared", event->at);
        write_or_null(json, "block", event->block);
        buf_printf(json->out, ", \"value\": %u, \"pending\": %d, \"tx\": %d}",
                   event->value, event->pending, event->tx);
    }
    json_close(json, ']');
    json_number(json, STR("events_left_out"), time->events_left_out);
}

static void write_time(Json *json, const LaunchResult *result) {
    const DeviceTimeline *time = &result->time;
    if (!result->is_timed) {
        json_null(json, STR("time_model"));
        return;
    }
    json_open_member(json, STR("time_model"), '{');
    json_number(json, STR("cycles"), time->cycles);
    json_number(json, STR("clock_mhz"), time->clock_mhz);
    json_number(json, STR("schedulers"), time->schedulers);
    json_number(json, STR("places"), time->places);
    json_number(json, STR("ends"), time->ends);
    write_arrival(json, time);
    json_open_member(json, STR("sms"), '[');
    for (uint32_t i = 0; i < time->sm_count; i++) {
        const DeviceSmTime *sm = &time->sms[i];
        json_item(json);
        buf_printf(json->out, "{\"issued\": %llu, \"end\": %llu, \"ctas\": %u}",
                   (unsigned long long)sm->issued, (unsigned long long)sm->end,
                   sm->ctas);
    }
    json_close(json, ']');
    write_spans(json, time);
    json_number(json, STR("spans_left_out"), time->spans_left_out);
    write_events(json, time);
    json_close(json, '}');
}

void report_run_json(const LaunchResult *result, Buf *out) {
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/run/v1"));
    json_text(json, STR("file"), result->file);
    json_text_or_null(json, STR("kernel"), result->kernel);
    json_text(json, STR("device"), result->device);
    json_text(json, STR("gpu_model"), result->gpu_model);
    write_size(json, STR("grid"), result->grid);
    write_size(json, STR("block"), result->block);
    write_size(json, STR("cluster"), result->cluster);
    json_number(json, STR("dynamic_smem"), result->dynamic_smem);
    json_number(json, STR("seed"), result->seed);
    json_obeyed(json, &result->obeyed);
    json_text(json, STR("verdict"), verdict_name(result->verdict));
    json_number(json, STR("errors"), result->errors);
    json_number(json, STR("advisories"), result->advisories);
    json_decimal(json, STR("elapsed_ms"), result->elapsed_ms);
    json_decimal(json, STR("gpu_us"), result->gpu_us);
    write_findings(json, result);
    json_number(json, STR("schedules_asked"), result->schedules_asked);
    write_schedules(json, result);
    json_pct_list(json, result->pct);
    write_search(json, result);
    write_ledger(json, result);
    write_counters(json, result);
    write_time(json, result);
    json_environment(json, result->version, result->compiler);
    json_text(json, STR("output"), result->output);
    if (result->output_lost)
        json_number(json, STR("output_lost"), result->output_lost);
    json_messages(json, result->messages, result->message_count);
    json_close(json, '}');
    buf_byte(out, '\n');
}
