// SPDX-License-Identifier: Apache-2.0
// The steps of a trace's moment: what each did, in words, and which belong to
// the finding. Used by clclab trace, clclab debug and the page in a browser.
#include "report/internal.h"

// ---- words ---------------------------------------------------------------

void trace_object_name(const TraceEvent *step, Buf *out) {
    utf8_escape(step->name, out);
    if (step->name.len && step->inside)
        buf_printf(out, "+%u", step->inside);
    else if (step->name.len == 0)
        buf_printf(out, "%u", step->shared);
}

// What an instruction that others can observe does; those that are not here
// are named. The first that fits counts.
static const struct {
    Str op, words;
} INSTRUCTIONS[] = {
    {STR("mbarrier.try_wait"), STR("waits at an mbarrier")},
    {STR("clusterlaunchcontrol.query_cancel"), STR("decodes the answer")},
    {STR("mbarrier.test_wait"), STR("looks at an mbarrier")},
    {STR("barrier.cluster.arrive"), STR("arrives at the cluster's barrier")},
    {STR("barrier.cluster.wait"), STR("waits at the cluster's barrier")},
    {STR("bar"), STR("comes to a barrier of its block")},
    {STR("ld"), STR("reads memory")},
    {STR("st"), STR("writes to memory")},
    {STR("atom"), STR("changes memory atomically")},
    {STR("red"), STR("changes memory atomically")},
    {STR("fence"), STR("fence")},
    {STR("membar"), STR("fence")},
    {STR("cp"), STR("starts a copy")},
};

static void write_instruction(Str op, Buf *out) {
    size_t i = 0;
    while (i < COUNT_OF(INSTRUCTIONS) && !str_starts(op, INSTRUCTIONS[i].op))
        i++;
    if (op.len == 0)
        buf_str(out, STR("computes"));
    else if (i < COUNT_OF(INSTRUCTIONS))
        buf_printf(out, "%.*s (%.*s)", STR_ARG(INSTRUCTIONS[i].words),
                   STR_ARG(op));
    else
        buf_str(out, op);
}

// The words before and behind the name of the object; behind it goes the value,
// if they have a place for it.
typedef struct EventWords {
    const char *before, *behind;
    bool has_object, has_value;
} EventWords;

static const EventWords EVENTS[TRACE_KINDS] = {
    [DEVICE_EVENT_INIT] = {"initialises ", " with count %u", true, true},
    [DEVICE_EVENT_EXPECT] = {"announces bytes at ", ": %u", true, true},
    [DEVICE_EVENT_ARRIVE] = {"arrives at ", "", true, false},
    [DEVICE_EVENT_BYTES] = {"bytes arrive at ", ": %u", true, true},
    [DEVICE_EVENT_PHASE] = {"the phase of ", " with parity %u is over", true,
                            true},
    [DEVICE_EVENT_WAIT] = {"sees the phase of ", " with parity %u over", true,
                           true},
    [DEVICE_EVENT_REQUEST] = {"asks for a block; the answer goes to ", "", true,
                              false},
    [DEVICE_EVENT_ANSWER] = {"the answer is written to ", "", true, false},
    [DEVICE_EVENT_READ] = {"reads the answer in ", "", true, false},
    [DEVICE_EVENT_FENCE] = {"fence between proxies", "", false, false},
    [DEVICE_EVENT_RELEASE] = {"proxy fence, the half of who has read", "",
                              false, false},
    [DEVICE_EVENT_ACQUIRE] = {"proxy fence, the half of who asks", "", false,
                              false},
    [DEVICE_EVENT_SYNC] = {"has passed a barrier of its block", "", false,
                           false},
    [DEVICE_EVENT_CLUSTER_SYNC] = {"has passed a barrier of its cluster", "",
                                   false, false},
    [TRACE_FOUND] = {"found", "", false, false},
};

static void write_value(const EventWords *words, uint32_t value, Buf *out) {
    Str rest = str_from(words->behind);
    buf_str(out, str_cut(&rest, '%'));
    if (words->has_value) {
        buf_printf(out, "%u", value);
        buf_str(out, str_slice(rest, 1, rest.len));
    }
}

void trace_step_text(const TraceEvent *step, Buf *out) {
    const EventWords *words = &EVENTS[step->kind];
    if (step->kind == TRACE_STEP) {
        write_instruction(step->op, out);
    } else {
        buf_str(out, str_from(words->before));
        if (words->has_object)
            trace_object_name(step, out);
        write_value(words, step->value, out);
    }
    if (step->kind == DEVICE_EVENT_ANSWER && step->block == DEVICE_EVENT_NONE)
        buf_str(out, STR(": a refusal"));
    else if (step->kind == DEVICE_EVENT_ANSWER)
        buf_printf(out, ": block %u", step->block);
    if (step->times > 1)
        buf_printf(out, ", %u times", step->times);
}

void trace_left_text(int32_t pending, int32_t tx, Buf *out) {
    buf_printf(out, "lacks %d arrival%s and %d byte%s", pending,
               pending == 1 ? "" : "s", tx, tx == 1 ? "" : "s");
}

void trace_state_text(const TraceEvent *step, Buf *out) {
    if (step->kind != DEVICE_EVENT_EXPECT &&
        step->kind != DEVICE_EVENT_ARRIVE && step->kind != DEVICE_EVENT_BYTES)
        return;
    buf_str(out, STR("; its phase "));
    trace_left_text(step->pending, step->tx, out);
}

// ---- the finding ---------------------------------------------------------

typedef struct Missing {
    const TraceMoment *moment;
    Str what;
} Missing;

// A ProblemTake.
static void take_missing(void *context, const Problem *problem) {
    Missing *missing = context;
    const Cause *cause = problem->cause;
    if (missing->what.len == 0 &&
        str_equal(cause->code, missing->moment->code) &&
        cause->at.line == missing->moment->at.line)
        missing->what = cause->missing;
}

Str trace_missing(const Report *report, const TraceMoment *moment) {
    Missing missing = {.moment = moment};
    problems_each(report, take_missing, &missing);
    return missing.what;
}

static bool is_other(const TraceMoment *moment, const TraceEvent *step) {
    return moment->knows_other && step->cta == moment->other_cta &&
           step->warp == moment->other_warp;
}

// The last one before the finding at one of its other places. `of_other`: of
// the thread that the finding names. `is_event`: not just an instruction.
static bool last_there(const TraceMoment *moment, bool of_other, bool is_event,
                       size_t *at) {
    for (uint32_t r = 0; r < moment->related_count; r++)
        for (size_t i = moment->found; i-- > 0;) {
            const TraceEvent *step = &moment->steps[i];
            *at = i;
            if (step->line && step->line == moment->related[r].line &&
                (step->kind != TRACE_STEP || !is_event) &&
                (is_other(moment, step) || !of_other))
                return true;
        }
    return false;
}

bool trace_origin(const TraceMoment *moment, size_t *at) {
    return last_there(moment, true, true, at) ||
           last_there(moment, true, false, at) ||
           last_there(moment, false, true, at) ||
           last_there(moment, false, false, at);
}
