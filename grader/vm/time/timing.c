// SPDX-License-Identifier: Apache-2.0
// Modelled time: see timing.h for what the model is. Read timing_run (what a
// run of instructions costs) and close_segment (how busy cycles become spans).
//
// Memory does not grow with the run: a scheduler remembers the issue slots of
// the last 4096 windows, a CTA its busy intervals since it last changed blocks,
// and the number of spans is limited.
#include "vm/time/timing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    POLL_PART = 8,       // of the time that a clock has been polled
    WINDOW = 64,         // cycles in a window, each with one issue slot
    WINDOWS = 4096,      // that a scheduler remembers
    INTERVALS = 64,      // of each kind that a CTA remembers
    SPANS_MOST = 200000, // in a timeline
    EVENTS_MOST = 200000,
};

// ---- the figures ---------------------------------------------------------

_Static_assert(TIMING_VALUE_COUNT ==
                   TIMING_ISSUE_INTEGER + 2 * DEVICE_KIND_COUNT,
               "each kind has its issue and its latency");
_Static_assert((int)TIMING_CONSTANT - (int)TIMING_GLOBAL + 1 ==
                   (int)DEVICE_SPACE_COUNT,
               "the spaces stand in their order");

static const TimingModel mini = {.values = {
#define MINI(id, name, mini, b200, rtx5090, unit, what, from) mini,
                                     TIMING_VALUES(MINI)
#undef MINI
                                 }};

static const TimingModel b200 = {.values = {
#define B200(id, name, mini, b200, rtx5090, unit, what, from) b200,
                                     TIMING_VALUES(B200)
#undef B200
                                 }};

static const TimingModel rtx5090 = {.values = {
#define RTX5090(id, name, mini, b200, rtx5090, unit, what, from) rtx5090,
                                        TIMING_VALUES(RTX5090)
#undef RTX5090
                                    }};

bool timing_model_find(Str name, TimingModel *out) {
    static const struct {
        const char *name;
        const TimingModel *model;
    } models[] = {{"mini", &mini}, {"b200", &b200}, {"rtx5090", &rtx5090}};
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        if (!str_equal(name, str_from(models[i].name)))
            continue;
        *out = *models[i].model;
        return true;
    }
    return false;
}

static size_t find_value(Str name) {
    static const char *const names[] = {
#define NAME(id, name, mini, b200, rtx5090, unit, what, from) name,
        TIMING_VALUES(NAME)
#undef NAME
    };
    size_t i = 0;
    while (i < TIMING_VALUE_COUNT && !str_equal(name, str_from(names[i])))
        i++;
    return i;
}

static bool set_error(Diags *diags, Str setting, const char *why) {
    Diag *diag =
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "the time model's setting %.*s %s", STR_ARG(setting), why);
    diag->help = STR("write name=number, as in global=500; docs/time-model.md "
                     "has the names");
    return false;
}

bool timing_model_set(TimingModel *model, Str setting, Diags *diags) {
    Str number = setting, name = str_cut(&number, '=');
    uint64_t value;
    if (name.len == setting.len)
        return set_error(diags, setting, "has no =");
    size_t index = find_value(name);
    if (index == TIMING_VALUE_COUNT)
        return set_error(diags, setting, "names no figure of the model");
    if (!str_to_u64(number, &value))
        return set_error(diags, setting, "has no whole number behind its =");
    if (value > TIMING_MOST)
        return set_error(diags, setting, "is more than 1000000");
    bool divides = index == TIMING_CLOCK || index == TIMING_SCHEDULERS ||
                   index == TIMING_OVERLAP;
    if (divides && value == 0)
        return set_error(diags, setting, "is 0, which divides nothing");
    if (index == TIMING_SCHEDULERS && value > 64)
        return set_error(diags, setting, "is more than 64 schedulers");
    model->values[index] = (uint32_t)value;
    return true;
}

// ---- intervals -----------------------------------------------------------

typedef struct Interval {
    uint64_t from, to; // cycles; to > from
} Interval;

typedef struct Intervals { // sorted and not adjacent
    uint32_t count;
    Interval items[INTERVALS];
} Intervals;

static void interval_remove(Intervals *set, uint32_t at, uint32_t count) {
    memmove(&set->items[at], &set->items[at + count],
            (set->count - at - count) * sizeof set->items[0]);
    set->count -= count;
}

// Joins the two intervals with the smallest gap: the gap counts as busy.
static void interval_make_room(Intervals *set) {
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i + 1 < set->count; i++) {
        uint64_t gap = set->items[i + 1].from - set->items[i].to;
        if (gap < least) {
            least = gap;
            best = i;
        }
    }
    set->items[best].to = set->items[best + 1].to;
    interval_remove(set, best + 1, 1);
}

static void interval_add(Intervals *set, uint64_t from, uint64_t to) {
    if (from >= to)
        return;
    if (set->count == INTERVALS)
        interval_make_room(set);
    uint32_t at = 0;
    while (at < set->count && set->items[at].to < from)
        at++;
    uint32_t end = at; // items [at, end) overlap or adjoin it
    while (end < set->count && set->items[end].from <= to)
        end++;
    if (end > at) {
        if (set->items[at].from < from)
            from = set->items[at].from;
        if (set->items[end - 1].to > to)
            to = set->items[end - 1].to;
        interval_remove(set, at + 1, end - at - 1);
    } else {
        memmove(&set->items[at + 1], &set->items[at],
                (set->count - at) * sizeof set->items[0]);
        set->count++;
    }
    set->items[at] = (Interval){from, to};
}

// Drops everything before `until`.
static void interval_forget(Intervals *set, uint64_t until) {
    uint32_t past = 0;
    while (past < set->count && set->items[past].to <= until)
        past++;
    interval_remove(set, 0, past);
    if (set->count && set->items[0].from < until)
        set->items[0].from = until;
}

// Whether cycle `at` is in the set. *until becomes the cycle at which that
// changes, at most `end`.
static bool interval_covers(const Intervals *set, uint64_t at, uint64_t end,
                            uint64_t *until) {
    *until = end;
    for (uint32_t i = 0; i < set->count; i++) {
        const Interval *item = &set->items[i];
        if (item->to <= at)
            continue;
        bool inside = item->from <= at;
        uint64_t change = inside ? item->to : item->from;
        if (change < end)
            *until = change;
        return inside;
    }
    return false;
}

// ---- the state -----------------------------------------------------------

typedef struct Scheduler {
    uint64_t oldest;       // number of the oldest remembered window
    uint8_t used[WINDOWS]; // issue slots used; window w is at w % WINDOWS
} Scheduler;

typedef struct Warp {
    uint64_t now;   // cycle at which it can issue next
    uint64_t since; // polls a clock since then; 0: it does not
    bool in_prologue;
} Warp;

typedef struct Place { // for a CTA on an SM
    bool taken;
    uint64_t since;      // taken: the cycle at which it was given to its CTA
    uint64_t free_at;    // cycle
    uint64_t yield;      // to the kernel of higher priority: cycles after its
                         // arrival
    uint32_t cta, block; // linear indices
    uint64_t segment;    // cycle up to which spans have been made
    Intervals prologue, work;
} Place;

struct Timing {
    Arena *arena;
    TimingModel model;
    TimingShape shape;
    uint32_t run_costs[DEVICE_KIND_COUNT]; // cycles of one instruction on its
                                           // own
    uint32_t read_costs[DEVICE_SPACE_COUNT];
    Scheduler *schedulers; // [sm][scheduler]
    Place *places;         // [sm][slot]
    Warp *warps;           // [place][warp]
    uint32_t taken;        // places
    uint64_t given;        // the last cycle at which the kernel of higher
                           // priority was given a place; 0: it has none yet
    uint64_t leaves;       // the cycle at which it leaves the device; 0: it has
                           // not been given all places yet
    DeviceTimeline line;
};

// How long a warp waits for a latency that overlaps with others.
static uint32_t share(const TimingModel *model, uint32_t latency) {
    uint32_t overlap = model->values[TIMING_OVERLAP];
    return (latency + overlap - 1) / overlap;
}

static uint32_t issue_of(const TimingModel *model, size_t kind) {
    return model->values[TIMING_ISSUE_INTEGER + 2 * kind];
}

Timing *timing_start(Arena *arena, const TimingModel *model,
                     TimingShape shape) {
    Timing *t = arena_new(arena, Timing, 1);
    size_t places = (size_t)shape.sm_count * shape.ctas_per_sm;
    size_t schedulers = model->values[TIMING_SCHEDULERS];
    *t = (Timing){.arena = arena, .model = *model, .shape = shape};
    t->schedulers = arena_new(arena, Scheduler, shape.sm_count * schedulers);
    t->places = arena_new(arena, Place, places);
    t->warps = arena_new(arena, Warp, places * shape.warps_per_cta);
    t->line.sms = arena_new(arena, DeviceSmTime, shape.sm_count);
    for (size_t k = 0; k < DEVICE_KIND_COUNT; k++) {
        uint32_t issue = issue_of(model, k);
        uint32_t wait =
            share(model, model->values[TIMING_LATENCY_INTEGER + 2 * k]);
        t->run_costs[k] = issue > wait ? issue : wait;
    }
    for (size_t s = 0; s < DEVICE_SPACE_COUNT; s++)
        t->read_costs[s] = share(model, model->values[TIMING_GLOBAL + s]);
    return t;
}

static Warp *warp_of(const Timing *t, uint32_t cta, uint32_t warp) {
    assert(t->places[cta].taken && warp < t->shape.warps_per_cta);
    return &t->warps[(size_t)cta * t->shape.warps_per_cta + warp];
}

// ---- spans ---------------------------------------------------------------

static void add_span(Timing *t, uint32_t cta, DeviceSpanKind kind,
                     uint64_t from, uint64_t to) {
    DeviceTimeline *line = &t->line;
    if (from == to)
        return;
    if (line->span_count == SPANS_MOST) {
        line->spans_left_out++;
        return;
    }
    arena_grow(t->arena, line->spans, line->span_count, line->span_capacity);
    line->spans[line->span_count++] =
        (DeviceSpan){.from = from,
                     .to = to,
                     .kind = kind,
                     .sm = cta / t->shape.ctas_per_sm,
                     .slot = cta % t->shape.ctas_per_sm,
                     .cta = t->places[cta].cta,
                     .block = t->places[cta].block};
}

// Makes spans of what the CTA did since the last segment, until `end`.
static void close_segment(Timing *t, uint32_t cta, uint64_t end) {
    Place *place = &t->places[cta];
    uint64_t at = place->segment, until, work_until;
    for (; at < end; at = until) {
        if (interval_covers(&place->prologue, at, end, &until)) {
            add_span(t, cta, DEVICE_SPAN_PROLOGUE, at, until);
            continue;
        }
        bool works = interval_covers(&place->work, at, until, &work_until);
        add_span(t, cta, works ? DEVICE_SPAN_WORK : DEVICE_SPAN_WAIT, at,
                 work_until);
        until = work_until;
    }
    place->segment = at;
    interval_forget(&place->prologue, at);
    interval_forget(&place->work, at);
}

// ---- CTAs ----------------------------------------------------------------

static uint32_t first_free_place(const Timing *t, uint32_t sm) {
    uint32_t first = sm * t->shape.ctas_per_sm, best = first;
    for (uint32_t i = first; i < first + t->shape.ctas_per_sm; i++) {
        const Place *place = &t->places[i];
        if (!place->taken &&
            (t->places[best].taken || place->free_at < t->places[best].free_at))
            best = i;
    }
    assert(!t->places[best].taken);
    return best;
}

static void cta_start(Timing *t, uint32_t cta, uint64_t at) {
    add_span(t, cta, DEVICE_SPAN_LAUNCH, at - t->model.values[TIMING_LAUNCH],
             at);
    t->places[cta].segment = at;
    t->line.sms[cta / t->shape.ctas_per_sm].ctas++;
    for (uint32_t w = 0; w < t->shape.warps_per_cta; w++)
        *warp_of(t, cta, w) = (Warp){.now = at};
}

// ---- the kernel of higher priority ---------------------------------------
//
// From its arrival on it waits until it has been given every place, however
// long that takes: who was there before is refused until it exits, and nobody
// starts. Then it has the device for TIMING_HOLD cycles. So this figure decides
// when the others go on, and not how long it has to wait.

bool timing_withholds(const Timing *t) {
    return t->given && !t->leaves;
}

void timing_let_go(Timing *t) {
    if (timing_withholds(t))
        t->leaves = t->given + t->model.values[TIMING_HOLD];
}

static bool was_there_before(const Timing *t, const Place *place) {
    return place->since < t->model.values[TIMING_ARRIVE];
}

// Of a place that is free since `end`.
static void give_place(Timing *t, Place *place, uint64_t end) {
    uint64_t arrive = t->model.values[TIMING_ARRIVE];
    if (was_there_before(t, place) && end >= arrive) {
        place->yield = end - arrive;
        t->given = end > t->given ? end : t->given;
    }
    if (t->taken == 0 && !t->model.arrival_stays)
        timing_let_go(t);
}

void timing_cluster_start(Timing *t, const uint32_t *sms,
                          const uint32_t *blocks, uint32_t count,
                          uint32_t *ctas) {
    uint64_t at = 0;
    timing_let_go(t); // if it has to: who starts has a place
    for (uint32_t i = 0; i < count; i++) {
        ctas[i] = first_free_place(t, sms[i]);
        Place *place = &t->places[ctas[i]];
        place->taken = true;
        place->cta = place->block = blocks[i];
        if (place->free_at > at)
            at = place->free_at;
    }
    if (at < t->leaves)
        at = t->leaves;
    t->taken += count;
    for (uint32_t i = 0; i < count; i++) {
        t->places[ctas[i]].since = at;
        cta_start(t, ctas[i], at + t->model.values[TIMING_LAUNCH]);
    }
}

void timing_prologue(Timing *t, uint32_t cta, uint32_t warp, bool enters) {
    warp_of(t, cta, warp)->in_prologue = enters;
}

void timing_block(Timing *t, uint32_t cta, uint32_t warp, uint32_t block) {
    if (t->places[cta].block == block)
        return; // another warp has reported it before
    close_segment(t, cta, warp_of(t, cta, warp)->now);
    t->places[cta].block = block;
}

void timing_cta_exit(Timing *t, uint32_t cta) {
    Place *place = &t->places[cta];
    uint64_t end = place->segment;
    for (uint32_t w = 0; w < t->shape.warps_per_cta; w++)
        if (warp_of(t, cta, w)->now > end)
            end = warp_of(t, cta, w)->now;
    close_segment(t, cta, end);
    place->taken = false;
    place->free_at = end;
    t->taken--;
    give_place(t, place, end);
    DeviceSmTime *sm = &t->line.sms[cta / t->shape.ctas_per_sm];
    if (end > sm->end)
        sm->end = end;
    if (end > t->line.cycles)
        t->line.cycles = end;
}

// ---- warps ---------------------------------------------------------------

// Makes room for window `window`, if necessary by forgetting the oldest ones.
static void remember_window(Scheduler *s, uint64_t window) {
    if (window < s->oldest + WINDOWS)
        return;
    uint64_t oldest = window - WINDOWS + 1;
    if (oldest - s->oldest >= WINDOWS)
        memset(s->used, 0, sizeof s->used);
    else
        for (uint64_t w = s->oldest; w < oldest; w++)
            s->used[w % WINDOWS] = 0;
    s->oldest = oldest;
}

// Takes the first `slots` free issue slots from cycle `at` on, and returns the
// cycle after the last one. In windows that were forgotten, all slots count as
// free.
static uint64_t take_slots(Scheduler *s, uint64_t at, uint64_t slots) {
    uint64_t window = at / WINDOW;
    if (window < s->oldest)
        return at + slots;
    for (; slots; window++) {
        remember_window(s, window);
        uint8_t *used = &s->used[window % WINDOWS];
        uint64_t first = window * WINDOW + *used, end = (window + 1) * WINDOW;
        uint64_t left = (uint64_t)(WINDOW - *used);
        if (first < at)
            first = at;
        if (left > end - first)
            left = end - first;
        if (left > slots)
            left = slots;
        *used = (uint8_t)(*used + left);
        slots -= left;
        if (left)
            at = first + left;
    }
    return at;
}

static Scheduler *scheduler_of(const Timing *t, uint32_t cta, uint32_t warp) {
    uint32_t schedulers = t->model.values[TIMING_SCHEDULERS];
    uint32_t sm = cta / t->shape.ctas_per_sm, slot = cta % t->shape.ctas_per_sm;
    uint32_t on_sm = slot * t->shape.warps_per_cta + warp;
    return &t->schedulers[(size_t)sm * schedulers + on_sm % schedulers];
}

void timing_run(Timing *t, uint32_t cta, uint32_t warp, const TimingRun *run) {
    Warp *w = warp_of(t, cta, warp);
    uint64_t slots = 0, alone = w->now;
    for (size_t k = 0; k < DEVICE_KIND_COUNT; k++) {
        slots += (uint64_t)run->kinds[k] * issue_of(&t->model, k);
        alone += (uint64_t)run->kinds[k] * t->run_costs[k];
    }
    for (size_t s = 0; s < DEVICE_SPACE_COUNT; s++)
        alone += (uint64_t)run->reads[s] * t->read_costs[s];
    uint64_t issued = take_slots(scheduler_of(t, cta, warp), w->now, slots);
    uint64_t end = issued > alone ? issued : alone;
    t->line.sms[cta / t->shape.ctas_per_sm].issued += slots;
    Place *place = &t->places[cta];
    uint64_t from = w->now > place->segment ? w->now : place->segment;
    interval_add(w->in_prologue ? &place->prologue : &place->work, from, end);
    w->now = end;
}

uint64_t timing_clock(Timing *t, uint32_t cta, uint32_t warp, bool polls) {
    Warp *w = warp_of(t, cta, warp);
    if (!polls || w->since == 0)
        w->since = w->now;
    w->now += (w->now - w->since) / POLL_PART;
    return w->now;
}

uint64_t timing_now(const Timing *t, uint32_t cta, uint32_t warp) {
    return warp_of(t, cta, warp)->now;
}

bool timing_is_wanted(const Timing *t, uint32_t cta, uint32_t warp) {
    return was_there_before(t, &t->places[cta]) &&
           timing_now(t, cta, warp) >= t->model.values[TIMING_ARRIVE];
}

void timing_arrive(const Timing *t, uint32_t cta, uint32_t warp,
                   uint64_t *event) {
    uint64_t now = timing_now(t, cta, warp);
    if (now > *event)
        *event = now;
}

void timing_resume(Timing *t, uint32_t cta, uint32_t warp, uint64_t event,
                   TimingValue after) {
    Warp *w = warp_of(t, cta, warp);
    event += t->model.values[after];
    if (event > w->now)
        w->now = event;
}

void timing_sleep(Timing *t, uint32_t cta, uint32_t warp,
                  uint64_t nanoseconds) {
    static const uint64_t most = UINT64_C(1) << 32; // more than PTX can express
    if (nanoseconds > most)
        nanoseconds = most;
    warp_of(t, cta, warp)->now +=
        nanoseconds * t->model.values[TIMING_CLOCK] / 1000;
}

uint64_t timing_done_at(const Timing *t, uint32_t cta, uint32_t warp,
                        TimingValue what) {
    return timing_now(t, cta, warp) + t->model.values[what];
}

// ---- events --------------------------------------------------------------

void timing_event(Timing *t, DeviceEvent event) {
    DeviceTimeline *line = &t->line;
    if (line->event_count == EVENTS_MOST) {
        line->events_left_out++;
        return;
    }
    arena_grow(t->arena, line->events, line->event_count, line->event_capacity);
    event.order = (uint32_t)line->event_count;
    line->events[line->event_count++] = event;
}

// ---- the end -------------------------------------------------------------

static int compare_u64(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int compare_spans(const void *left, const void *right) {
    const DeviceSpan *a = left, *b = right;
    if (a->sm != b->sm)
        return compare_u64(a->sm, b->sm);
    if (a->slot != b->slot)
        return compare_u64(a->slot, b->slot);
    return compare_u64(a->from, b->from);
}

// Finds when the other kernel had its first place, and when it had all of them.
static void find_yields(const Timing *t, DeviceTimeline *out) {
    uint32_t places = t->shape.sm_count * t->shape.ctas_per_sm;
    out->arrival = t->model.values[TIMING_ARRIVE];
    out->first_free = out->arrival && places ? UINT64_MAX : 0;
    for (uint32_t i = 0; out->arrival && i < places; i++) {
        uint64_t yield = t->places[i].yield;
        if (yield < out->first_free)
            out->first_free = yield;
        if (yield > out->all_free)
            out->all_free = yield;
    }
}

static void find_ends(const Timing *t, DeviceTimeline *out) {
    out->places = t->shape.sm_count * t->shape.ctas_per_sm;
    for (uint32_t i = 0; i < out->places; i++)
        out->ends += t->places[i].free_at;
}

static int compare_events(const void *left, const void *right) {
    const DeviceEvent *a = left, *b = right;
    if (a->cycle != b->cycle)
        return compare_u64(a->cycle, b->cycle);
    return compare_u64(a->order, b->order);
}

static void finish_events(DeviceTimeline *out, Arena *arena) {
    size_t count = out->event_count;
    const DeviceEvent *from = out->events;
    out->events = arena_new(arena, DeviceEvent, count + 1);
    out->event_capacity = count + 1;
    if (count == 0)
        return;
    memcpy(out->events, from, count * sizeof *from);
    qsort(out->events, count, sizeof *out->events, compare_events);
}

DeviceTimeline timing_finish(Timing *t, Arena *arena) {
    uint32_t places = t->shape.sm_count * t->shape.ctas_per_sm;
    for (uint32_t i = 0; i < places; i++)
        if (t->places[i].taken)
            timing_cta_exit(t, i);
    DeviceTimeline out = t->line;
    find_yields(t, &out);
    find_ends(t, &out);
    if (out.span_count)
        qsort(out.spans, out.span_count, sizeof *out.spans, compare_spans);
    out.clock_mhz = t->model.values[TIMING_CLOCK];
    out.schedulers = t->model.values[TIMING_SCHEDULERS];
    out.sm_count = t->shape.sm_count;
    out.sms = arena_new(arena, DeviceSmTime, out.sm_count);
    memcpy(out.sms, t->line.sms, out.sm_count * sizeof *out.sms);
    out.spans = arena_new(arena, DeviceSpan, out.span_count);
    out.span_capacity = out.span_count;
    if (out.span_count)
        memcpy(out.spans, t->line.spans, out.span_count * sizeof *out.spans);
    finish_events(&out, arena);
    return out;
}
