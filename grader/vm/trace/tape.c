// SPDX-License-Identifier: Apache-2.0
// Records a trace within limits: see tape.h. Read thin (what is dropped when a
// list is full), then tape_step (the ring of steps around a finding).
#include "vm/trace/tape.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct Place {
    bool taken;
    uint32_t cta, block, sm;
    uint64_t stay; // its number
    uint64_t from;
    bool is_stolen;
} Place;

// Steps in a ring: the oldest is at `first`.
typedef struct Ring {
    TraceEvent steps[TRACE_BEFORE + TRACE_AFTER + 1];
    TraceValue *values[TRACE_BEFORE + TRACE_AFTER + 1]; // of each; or NULL
    size_t first, count;
    uint64_t dropped;
    TraceEvent objects[TRACE_OBJECTS]; // the last dropped event of each
    size_t object_count;
    size_t found; // index from the oldest, if has_found
    bool has_found;
    uint32_t after; // steps since the finding
} Ring;

struct Tape {
    Arena *arena;
    size_t most_stays, most_events;
    uint32_t sm_count, places;
    Place *place; // [sm_count * places]
    TraceSm *sms;
    uint64_t every, stay_total, event_total;
    TraceStay *stays; // sorted by number
    size_t stay_count;
    TraceEvent *events;
    size_t event_count;
    Ring ring;
};

Tape *tape_start(Arena *arena, const TraceWish *wish, uint32_t sm_count,
                 uint32_t places) {
    Tape *t = arena_new(arena, Tape, 1);
    t->arena = arena;
    t->most_stays = wish->most_stays ? wish->most_stays : TAPE_STAYS;
    t->most_events = wish->most_events ? wish->most_events : TAPE_EVENTS;
    t->sm_count = sm_count;
    t->places = places;
    t->every = 1;
    t->place = arena_new(arena, Place, (size_t)sm_count * places);
    t->sms = arena_new(arena, TraceSm, sm_count);
    t->stays = arena_new(arena, TraceStay, t->most_stays);
    t->events = arena_new(arena, TraceEvent, t->most_events);
    return t;
}

// ---- thinning ------------------------------------------------------------

// One of every `every` stays that follow each other: of each pair one, of each
// pair of those one, and so on. Which one a hash says, as places that begin
// their stays in turns would otherwise have all of theirs listed or none.
static bool is_listed(const Tape *t, uint64_t stay) {
    for (uint64_t of = 1; of < t->every; of *= 2) {
        uint64_t pair = stay / 2;
        bool takes_second = pair * UINT64_C(0x9e3779b97f4a7c15) >> 63;
        if (stay % 2 != takes_second)
            return false;
        stay = pair;
    }
    return true;
}

// From now on half as many stays are listed.
static void thin(Tape *t) {
    size_t stays = 0, events = 0;
    t->every *= 2;
    for (size_t i = 0; i < t->stay_count; i++)
        if (is_listed(t, t->stays[i].number))
            t->stays[stays++] = t->stays[i];
    for (size_t i = 0; i < t->event_count; i++)
        if (is_listed(t, t->events[i].stay))
            t->events[events++] = t->events[i];
    t->stay_count = stays;
    t->event_count = events;
}

static TraceStay *find_stay(const Tape *t, uint64_t number) {
    size_t from = 0, to = t->stay_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (t->stays[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    bool found = from < t->stay_count && t->stays[from].number == number;
    return found ? &t->stays[from] : NULL;
}

// ---- stays ---------------------------------------------------------------

static void begin_stay(Tape *t, uint32_t index, uint64_t at, bool is_stolen) {
    Place *place = &t->place[index];
    TraceSm *sm = &t->sms[place->sm];
    place->stay = t->stay_total++;
    place->from = at;
    place->is_stolen = is_stolen;
    if (is_stolen)
        sm->stolen++;
    else
        sm->started++;
    while (is_listed(t, place->stay) && t->stay_count == t->most_stays)
        thin(t);
    if (is_listed(t, place->stay))
        t->stays[t->stay_count++] = (TraceStay){.from = at,
                                                .to = at,
                                                .number = place->stay,
                                                .cta = place->cta,
                                                .block = place->block,
                                                .sm = place->sm,
                                                .place = index % t->places,
                                                .is_stolen = is_stolen};
}

static void end_stay(Tape *t, const Place *place, uint64_t at) {
    TraceStay *stay = find_stay(t, place->stay);
    TraceSm *sm = &t->sms[place->sm];
    uint64_t took = at > place->from ? at - place->from : 0;
    if (place->is_stolen)
        sm->stolen_time += took;
    else
        sm->started_time += took;
    if (stay)
        stay->to = place->from + took;
}

uint32_t tape_enter(Tape *t, uint32_t sm, uint32_t cta, uint64_t at) {
    uint32_t index = sm * t->places;
    while (t->place[index].taken)
        index++;
    assert(index < (sm + 1) * t->places);
    t->place[index] =
        (Place){.taken = true, .cta = cta, .block = cta, .sm = sm};
    begin_stay(t, index, at, false);
    return index;
}

void tape_block(Tape *t, uint32_t place, uint32_t block, uint64_t at) {
    Place *p = &t->place[place];
    if (p->block == block)
        return;
    end_stay(t, p, at);
    p->block = block;
    begin_stay(t, place, at, true);
}

void tape_leave(Tape *t, uint32_t place, uint64_t at) {
    end_stay(t, &t->place[place], at);
    t->place[place].taken = false;
}

// A single stay with more events than all have room for ends the list.
void tape_event(Tape *t, uint32_t place, TraceEvent event) {
    event.stay = t->place[place].stay;
    t->event_total++;
    while (is_listed(t, event.stay) && t->event_count == t->most_events &&
           t->stay_count > 1)
        thin(t);
    if (is_listed(t, event.stay) && t->event_count < t->most_events)
        t->events[t->event_count++] = event;
}

// ---- the moment ----------------------------------------------------------

static TraceEvent *step_at(Ring *r, size_t index) {
    return &r->steps[(r->first + index) % COUNT_OF(r->steps)];
}

static bool is_object(const TraceEvent *event) {
    return event->kind < DEVICE_EVENT_COUNT &&
           event->shared != DEVICE_EVENT_NONE;
}

// What a picture has to know of an object when it begins with a later step.
static void remember(Ring *r, const TraceEvent *event) {
    size_t i = 0;
    while (i < r->object_count && (r->objects[i].cta != event->cta ||
                                   r->objects[i].shared != event->shared))
        i++;
    if (i == COUNT_OF(r->objects))
        return;
    r->object_count += i == r->object_count;
    r->objects[i] = *event;
    r->objects[i].values = NULL;
    r->objects[i].value_count = 0;
}

static bool is_again(const TraceEvent *a, const TraceEvent *b) {
    return a->kind == TRACE_STEP && b->kind == TRACE_STEP && a->cta == b->cta &&
           a->warp == b->warp && a->line == b->line && str_equal(a->op, b->op);
}

static TraceEvent *add_step(Ring *r, const TraceEvent *step) {
    size_t most = r->has_found ? COUNT_OF(r->steps) : TRACE_BEFORE;
    if (r->count == most) {
        const TraceEvent *oldest = step_at(r, 0);
        if (is_object(oldest))
            remember(r, oldest);
        r->first = (r->first + 1) % COUNT_OF(r->steps);
        r->count--;
        r->dropped++;
    }
    TraceEvent *kept = step_at(r, r->count++);
    *kept = *step;
    return kept;
}

// The same step of the same warp, if nothing has happened since but steps: a
// loop that waits is told once, however often it goes round.
static TraceEvent *again(Ring *r, const TraceEvent *step) {
    enum { BACK = 48, LOOP = 8 };
    uint32_t own = 0;
    for (size_t i = 0; i < r->count && i < BACK && own < LOOP; i++) {
        TraceEvent *known = step_at(r, r->count - 1 - i);
        if (is_again(known, step))
            return known;
        if (known->kind != TRACE_STEP)
            return NULL;
        own += known->cta == step->cta && known->warp == step->warp;
    }
    return NULL;
}

TraceEvent *tape_step(Tape *t, const TraceEvent *step) {
    Ring *r = &t->ring;
    if (r->has_found && r->after == TRACE_AFTER)
        return NULL;
    TraceEvent *known = again(r, step);
    if (known) {
        known->times++;
        return known;
    }
    r->after += r->has_found;
    return add_step(r, step);
}

// Each place of the ring has room for values as soon as it needs it.
void tape_values(Tape *t, TraceEvent *step, const TraceValue *values,
                 size_t count) {
    TraceValue **room = &t->ring.values[step - t->ring.steps];
    if (!*room && count)
        *room = arena_new(t->arena, TraceValue, TRACE_MOST_VALUES);
    if (count)
        memcpy(*room, values, count * sizeof *values);
    step->values = *room;
    step->value_count = count;
}

bool tape_has_found(const Tape *t) {
    return t->ring.has_found;
}

void tape_found(Tape *t, const TraceEvent *found) {
    Ring *r = &t->ring;
    if (r->has_found)
        return;
    r->has_found = true;
    r->found = r->count;
    add_step(r, found);
}

static TraceMoment moment_of(Ring *r, Arena *arena) {
    TraceMoment moment = {.is_there = r->has_found,
                          .found = r->found,
                          .left_out = r->dropped,
                          .step_count = r->count,
                          .before_count = r->object_count};
    moment.steps = arena_new(arena, TraceEvent, r->count + 1);
    for (size_t i = 0; i < r->count; i++) {
        TraceEvent *step = &moment.steps[i];
        *step = *step_at(r, i);
        TraceValue *values = arena_new(arena, TraceValue, step->value_count);
        if (step->value_count)
            memcpy(values, step->values, step->value_count * sizeof *values);
        step->values = values;
    }
    moment.before = arena_new(arena, TraceEvent, r->object_count + 1);
    memcpy(moment.before, r->objects, r->object_count * sizeof *moment.before);
    return moment;
}

// ---- the end -------------------------------------------------------------

static int compare_events(const void *left, const void *right) {
    const TraceEvent *const *a = left, *const *b = right;
    if ((*a)->at != (*b)->at)
        return (*a)->at < (*b)->at ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

// In order of time, and those of one time in the order in which they came.
static TraceEvent *sorted(const Tape *t, Arena *arena) {
    size_t count = t->event_count;
    TraceEvent *events = arena_new(arena, TraceEvent, count + 1);
    const TraceEvent **order =
        arena_new(t->arena, const TraceEvent *, count + 1);
    for (size_t i = 0; i < count; i++)
        order[i] = &t->events[i];
    qsort(order, count, sizeof *order, compare_events);
    for (size_t i = 0; i < count; i++)
        events[i] = *order[i];
    return events;
}

RunTrace *tape_finish(Tape *t, Arena *arena, uint64_t end) {
    for (size_t i = 0; i < (size_t)t->sm_count * t->places; i++)
        if (t->place[i].taken)
            tape_leave(t, (uint32_t)i, end);
    RunTrace *trace = arena_new(arena, RunTrace, 1);
    *trace = (RunTrace){.end = end,
                        .place_count = t->places,
                        .every = t->every,
                        .stay_total = t->stay_total,
                        .event_total = t->event_total,
                        .stay_count = t->stay_count,
                        .event_count = t->event_count,
                        .sm_count = t->sm_count};
    trace->stays = arena_new(arena, TraceStay, t->stay_count + 1);
    memcpy(trace->stays, t->stays, t->stay_count * sizeof *t->stays);
    trace->events = sorted(t, arena);
    trace->sms = arena_new(arena, TraceSm, t->sm_count);
    memcpy(trace->sms, t->sms, t->sm_count * sizeof *t->sms);
    trace->moment = moment_of(&t->ring, arena);
    return trace;
}
