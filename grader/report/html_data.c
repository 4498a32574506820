// SPDX-License-Identifier: Apache-2.0
// The data of a page of HTML, for its script: JSON, in lists of numbers, since
// there are thousands of them. page/page.js reads it; the members of each list
// stand there under the same names. No "<" is in it, so nothing in it ends the
// element that it stands in.
#include "report/internal.h"

typedef unsigned long long Whole; // for printf

static void put_string(Str text, Buf *out) {
    Buf plain = {0};
    Json json = {.out = &plain};
    json_string(&json, text);
    for (size_t i = 0; i < plain.len; i++)
        if (plain.ptr[i] == '<')
            buf_str(out, STR("\\u003c"));
        else
            buf_byte(out, plain.ptr[i]);
    buf_free(&plain);
}

static void put_text(const char *key, Str text, Buf *out) {
    buf_printf(out, ",\"%s\":", key);
    put_string(text, out);
}

// DEVICE_EVENT_NONE as null.
static void put_or_null(uint32_t value, Buf *out) {
    if (value == DEVICE_EVENT_NONE)
        buf_str(out, STR(",null"));
    else
        buf_printf(out, ",%u", value);
}

// ---- lists ---------------------------------------------------------------

static void put_stays(const RunTrace *trace, Buf *out) {
    buf_str(out, STR(",\n\"stays\":["));
    for (size_t i = 0; i < trace->stay_count; i++) {
        const TraceStay *s = &trace->stays[i];
        buf_printf(out, "%s[%llu,%llu,%u,%u,%u,%u,%d]", i ? "," : "",
                   (Whole)s->from, (Whole)s->to, s->cta, s->block, s->sm,
                   s->place, s->is_stolen);
    }
    buf_byte(out, ']');
}

static void put_sms(const RunTrace *trace, Buf *out) {
    buf_str(out, STR(",\n\"sms\":["));
    for (uint32_t i = 0; i < trace->sm_count; i++) {
        const TraceSm *sm = &trace->sms[i];
        buf_printf(out, "%s[%llu,%llu,%llu,%llu]", i ? "," : "",
                   (Whole)sm->started, (Whole)sm->stolen,
                   (Whole)sm->started_time, (Whole)sm->stolen_time);
    }
    buf_byte(out, ']');
}

static void put_map(const TraceMap *map, Buf *out) {
    buf_printf(out, ",\n\"map\":{\"blocks\":%llu,\"each\":%u,\"knows\":%s",
               (Whole)map->blocks, map->each,
               map->knows_times ? "true" : "false");
    buf_str(out, STR(",\"bins\":["));
    for (size_t i = 0; i < map->bin_count; i++) {
        const TraceBin *bin = &map->bins[i];
        buf_printf(out, "%s[%u,%u,%u,%u,%u,%u,%u]", i ? "," : "", bin->pending,
                   bin->started, bin->stolen, bin->lost, bin->never, bin->once,
                   bin->more);
    }
    buf_str(out, STR("]}"));
}

// ---- the moment ----------------------------------------------------------

static void put_event(const TraceEvent *event, Buf *out) {
    Buf text = {0};
    buf_printf(out, "[%llu,%u,%u", (Whole)event->at, event->kind, event->cta);
    put_or_null(event->warp, out);
    buf_printf(out, ",%u", event->line);
    put_or_null(event->shared, out);
    buf_printf(out, ",%u", event->value);
    put_or_null(event->block, out);
    buf_printf(out, ",%d,%d,", event->pending, event->tx);
    trace_step_text(event, &text);
    put_string(buf_view(&text), out);
    buf_byte(out, ',');
    text.len = 0;
    if (event->shared != DEVICE_EVENT_NONE)
        trace_object_name(event, &text);
    put_string(buf_view(&text), out);
    buf_byte(out, ']');
    buf_free(&text);
}

static void put_events(const char *key, const TraceEvent *events, size_t count,
                       Buf *out) {
    buf_printf(out, ",\n\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        buf_str(out, i ? STR(",\n") : STR("\n"));
        put_event(&events[i], out);
    }
    buf_byte(out, ']');
}

static void put_moment(const Report *report, const TraceMoment *moment,
                       Buf *out) {
    size_t origin;
    buf_printf(out, ",\n\"moment\":{\"found\":%zu,\"leftOut\":%llu,\"line\":%u",
               moment->found, (Whole)moment->left_out, moment->at.line);
    put_text("code", moment->code, out);
    put_text("missing", trace_missing(report, moment), out);
    if (trace_origin(moment, &origin))
        buf_printf(out, ",\"origin\":%zu", origin);
    put_events("before", moment->before, moment->before_count, out);
    put_events("steps", moment->steps, moment->step_count, out);
    buf_byte(out, '}');
}

// ---- the whole -----------------------------------------------------------

static void put_kinds(Buf *out) {
    buf_str(out, STR(",\n\"kinds\":["));
    for (uint32_t kind = 0; kind < TRACE_KINDS; kind++)
        buf_printf(out, "%s\"%s\"", kind ? "," : "", trace_kind_name(kind));
    buf_byte(out, ']');
}

// Where its blocks ran. The object is left open.
static void put_run(const RunTrace *trace, Buf *out) {
    buf_printf(out, "{\"end\":%llu,\"timed\":%s,\"places\":%u,\"every\":%llu",
               (Whole)trace->end, trace->is_timed ? "true" : "false",
               trace->place_count, (Whole)trace->every);
    put_text("run", trace->run, out);
    put_stays(trace, out);
}

static void put_ways(const Result *result, Buf *out) {
    if (result->way_count == 0)
        return;
    for (size_t i = 0; i < result->way_count; i++) {
        buf_str(out, i ? STR(",\n") : STR(",\n\"ways\":["));
        put_run(result->ways[i].trace, out);
        buf_byte(out, '}');
    }
    buf_byte(out, ']');
}

void html_data(const Report *report, Buf *out) {
    const RunTrace *trace = report->kind == REPORT_GRADE ? report->grade->trace
                                                         : report->run->trace;
    put_run(trace, out);
    put_kinds(out);
    put_sms(trace, out);
    put_map(&trace->map, out);
    if (trace->plain) {
        buf_str(out, STR(",\n\"plain\":"));
        put_run(trace->plain, out);
        buf_byte(out, '}');
    }
    if (report->kind == REPORT_GRADE)
        put_ways(report->grade, out);
    if (trace->moment.is_there)
        put_moment(report, &trace->moment, out);
    buf_byte(out, '}');
}
