// SPDX-License-Identifier: Apache-2.0
// A trace as Chrome's JSON, which Perfetto opens (the "Trace Event Format"): a
// process for the GPU, a thread for each place of an SM, a complete event (X)
// for each stay of a CTA at a block index, an asynchronous pair (b, e) from
// each request to its answer, an instant (i) for everything else. A step of the
// machine is shown as a microsecond; modelled cycles are microseconds of the
// model. One event is one line.
#include "report/internal.h"

static const char *const KINDS[TRACE_KINDS] = {
#define KIND_NAME(id, name) [DEVICE_EVENT_##id] = name,
    DEVICE_EVENTS(KIND_NAME)
#undef KIND_NAME
        [TRACE_STEP] = "step",
    [TRACE_FOUND] = "found",
};

const char *trace_kind_name(uint32_t kind) {
    return KINDS[kind];
}

const TraceStay *trace_find_stay(const RunTrace *trace, uint64_t number) {
    size_t from = 0, to = trace->stay_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (trace->stays[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    bool is_there =
        from < trace->stay_count && trace->stays[from].number == number;
    return is_there ? &trace->stays[from] : NULL;
}

// ---- events --------------------------------------------------------------

typedef struct TraceWriter {
    const RunTrace *trace;
    Buf *out;
    bool filled;
} TraceWriter;

static void begin(TraceWriter *w) {
    buf_str(w->out, w->filled ? STR(",\n") : STR("\n"));
    w->filled = true;
}

static void write_time(TraceWriter *w, const char *key, uint64_t at) {
    char text[DECIMAL_TEXT];
    double mhz = w->trace->is_timed ? w->trace->clock_mhz : 1;
    buf_printf(w->out, ",\"%s\":", key);
    buf_str(w->out, decimal_text(text, (double)at / mhz));
}

static uint32_t thread_of(const RunTrace *trace, uint32_t sm, uint32_t place) {
    return sm * trace->place_count + place;
}

static void write_names(TraceWriter *w, Str device) {
    begin(w);
    Json json = {.out = w->out};
    buf_str(w->out, STR("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,"
                        "\"tid\":0,\"args\":{\"name\":"));
    json_string(&json, device);
    buf_str(w->out, STR("}}"));
    for (uint32_t i = 0; i < w->trace->sm_count * w->trace->place_count; i++) {
        begin(w);
        buf_printf(w->out,
                   "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,"
                   "\"tid\":%u,\"args\":{\"name\":\"SM %u, place %u\"}}",
                   i, i / w->trace->place_count, i % w->trace->place_count);
        begin(w);
        buf_printf(w->out,
                   "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,"
                   "\"tid\":%u,\"args\":{\"sort_index\":%u}}",
                   i, i);
    }
}

static void write_stay(TraceWriter *w, const TraceStay *stay) {
    begin(w);
    buf_printf(w->out, "{\"name\":\"block %u\",\"cat\":\"%s\",\"ph\":\"X\"",
               stay->block, stay->is_stolen ? "stolen" : "started");
    write_time(w, "ts", stay->from);
    write_time(w, "dur", stay->to - stay->from);
    buf_printf(w->out,
               ",\"pid\":0,\"tid\":%u,\"args\":{\"block\":%u,\"cta\":%u,"
               "\"sm\":%u}}",
               thread_of(w->trace, stay->sm, stay->place), stay->block,
               stay->cta, stay->sm);
}

static void write_or_null(Buf *out, const char *key, uint32_t value) {
    if (value == DEVICE_EVENT_NONE)
        buf_printf(out, ",\"%s\":null", key);
    else
        buf_printf(out, ",\"%s\":%u", key, value);
}

static void write_details(TraceWriter *w, const TraceEvent *event) {
    buf_printf(w->out, ",\"args\":{\"cta\":%u", event->cta);
    write_or_null(w->out, "warp", event->warp);
    if (event->line)
        buf_printf(w->out, ",\"line\":%u", event->line);
    if (event->shared != DEVICE_EVENT_NONE)
        buf_printf(w->out, ",\"shared\":%u", event->shared);
    if (event->kind == DEVICE_EVENT_ANSWER)
        write_or_null(w->out, "block", event->block);
    buf_printf(w->out, ",\"value\":%u,\"pending\":%d,\"tx\":%d}}", event->value,
               event->pending, event->tx);
}

// Requests are known by their numbers, so both ends of one find each other.
static void write_phase(TraceWriter *w, const TraceEvent *event) {
    if (event->kind == DEVICE_EVENT_REQUEST)
        buf_printf(w->out,
                   "{\"name\":\"request\",\"cat\":\"request\",\"ph\":\"b\","
                   "\"id\":%u",
                   event->value);
    else if (event->kind == DEVICE_EVENT_ANSWER)
        buf_printf(w->out,
                   "{\"name\":\"request\",\"cat\":\"request\",\"ph\":\"e\","
                   "\"id\":%u",
                   event->value);
    else
        buf_printf(w->out, "{\"name\":\"%s\",\"ph\":\"i\",\"s\":\"t\"",
                   KINDS[event->kind]);
}

static void write_event(TraceWriter *w, const TraceEvent *event) {
    const TraceStay *stay = trace_find_stay(w->trace, event->stay);
    if (!stay)
        return;
    begin(w);
    write_phase(w, event);
    write_time(w, "ts", event->at);
    buf_printf(w->out, ",\"pid\":0,\"tid\":%u",
               thread_of(w->trace, stay->sm, stay->place));
    write_details(w, event);
}

// ---- the whole -----------------------------------------------------------

static void write_about(const RunTrace *trace, Buf *out) {
    Json json = {.out = out};
    buf_str(out, STR("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{"
                     "\"schema\":\"clclab/trace/v1\",\"run\":"));
    json_string(&json, trace ? trace->run : STR(""));
    buf_printf(out, ",\"clock\":\"%s\"",
               trace && trace->is_timed ? "modelled" : "steps");
    if (trace)
        buf_printf(out,
                   ",\"is_cut\":%s,\"one_stay_of\":%llu,\"stays\":%llu,"
                   "\"events\":%llu,\"started\":%llu,\"stolen\":%llu,"
                   "\"lost\":%llu",
                   trace->is_cut ? "true" : "false",
                   (unsigned long long)trace->every,
                   (unsigned long long)trace->stay_total,
                   (unsigned long long)trace->event_total,
                   (unsigned long long)trace->totals.started,
                   (unsigned long long)trace->totals.granted,
                   (unsigned long long)trace->totals.lost);
    buf_str(out, STR("}}\n"));
}

void report_trace_json(const RunTrace *trace, Str device, Buf *out) {
    TraceWriter writer = {.trace = trace, .out = out};
    buf_str(out, STR("{\"traceEvents\":["));
    if (trace)
        write_names(&writer, device);
    for (size_t i = 0; trace && i < trace->stay_count; i++)
        write_stay(&writer, &trace->stays[i]);
    for (size_t i = 0; trace && i < trace->event_count; i++)
        write_event(&writer, &trace->events[i]);
    write_about(trace, out);
}
