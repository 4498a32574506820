// SPDX-License-Identifier: Apache-2.0
// The moment of a finding as a book for clclab debug, which turns its pages: a
// page for each step. A book is text, since it is made in a process that can
// write and nothing else. A line begins with a word that says what it is, and
// no text of a student is more than the rest of its line (utf8_escape):
//
//   book RUN                   the first line
//   code CODE, missing TEXT    of the finding; its order that is missing
//   before N                   so many earlier steps are left out
//   found STEP, origin STEP    counted from 0; origin: where it began, if known
//   source TEXT                a line of the file, in order
//   param NAME VALUE           of the kernel
//   step BLOCK WARP LINE TEXT  WARP "-": of the async proxy; LINE 0: none
//   bar TEXT, slot TEXT        what each of them is after this step; "*" before
//                              the text: since this step
//   reg LINE NAME VALUES       a register that the step's warp has written, the
//                              latest is the last; LINE: where that was done.
//                              VALUES: "3 7 29 -" is 7 in the first three lanes
//                              and nothing in the other 29
//
// Read report_book, at the end.
#include "report/internal.h"

enum { MOST_OBJECTS = 256 };

// ---- mbarriers and slots -------------------------------------------------

// What the steps so far have shown of an object.
typedef struct Object {
    const TraceEvent *last, *init, *seen; // NULL: not yet; seen: a wait
    bool is_slot, is_now;
    bool knows_parity, knows_left;
    uint32_t parity;
    int32_t pending, tx;
} Object;

typedef struct Objects {
    Object items[MOST_OBJECTS];
    size_t count;
} Objects;

static bool is_of_slot(uint32_t kind) {
    return kind == DEVICE_EVENT_REQUEST || kind == DEVICE_EVENT_ANSWER ||
           kind == DEVICE_EVENT_READ;
}

static bool is_of_object(const TraceEvent *step) {
    return step->kind < DEVICE_EVENT_COUNT && step->shared != DEVICE_EVENT_NONE;
}

// A phase that completes leaves the arrivals of the next one, which init says.
static void change_bar(Object *bar, const TraceEvent *step) {
    bar->seen = NULL;
    switch (step->kind) {
    case DEVICE_EVENT_PHASE:
        bar->parity = 1 - step->value;
        bar->knows_parity = true;
        bar->knows_left = bar->init != NULL;
        bar->pending = bar->init ? (int32_t)bar->init->value : 0;
        bar->tx = 0;
        return;
    case DEVICE_EVENT_WAIT:
        bar->seen = step;
        return;
    case DEVICE_EVENT_INIT:
        bar->init = step;
        bar->parity = 0;
        bar->knows_parity = true;
        break;
    default:
        break;
    }
    bar->knows_left = true;
    bar->pending = step->pending;
    bar->tx = step->tx;
}

static Object *find_object(Objects *all, const TraceEvent *step) {
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].last->cta == step->cta &&
            all->items[i].last->shared == step->shared)
            return &all->items[i];
    if (all->count == MOST_OBJECTS)
        return NULL;
    all->items[all->count] = (Object){.is_slot = is_of_slot(step->kind)};
    return &all->items[all->count++];
}

static void play(Objects *all, const TraceEvent *step) {
    for (size_t i = 0; i < all->count; i++)
        all->items[i].is_now = false;
    Object *object = is_of_object(step) ? find_object(all, step) : NULL;
    if (!object)
        return;
    object->last = step;
    object->is_now = true;
    if (!object->is_slot)
        change_bar(object, step);
}

static void write_slot(const Object *slot, Buf *out) {
    const TraceEvent *last = slot->last;
    if (last->kind == DEVICE_EVENT_REQUEST)
        buf_printf(out, "an answer is on its way, by the async proxy");
    else if (last->kind == DEVICE_EVENT_READ)
        buf_printf(out, "warp %u has read it, by the generic proxy",
                   last->warp);
    else if (last->block == DEVICE_EVENT_NONE)
        buf_str(out, STR("holds a refusal, written by the async proxy"));
    else
        buf_printf(out, "holds block %u, written by the async proxy",
                   last->block);
}

static void write_bar(const Object *bar, Buf *out) {
    if (bar->knows_parity)
        buf_printf(out, "the phase of parity %u", bar->parity);
    else
        buf_str(out, STR("a phase of unknown parity"));
    buf_str(out, bar->knows_left ? STR(" ") : STR(" is under way"));
    if (bar->knows_left)
        trace_left_text(bar->pending, bar->tx, out);
    if (bar->seen)
        buf_printf(out, "; warp %u saw the phase of parity %u complete",
                   bar->seen->warp, bar->seen->value);
}

static void write_objects(const Objects *all, Buf *out) {
    for (size_t i = 0; i < all->count; i++) {
        const Object *object = &all->items[i];
        buf_printf(out, "%s %sblock %u, ", object->is_slot ? "slot" : "bar",
                   object->is_now ? "*" : "", object->last->cta);
        trace_object_name(object->last, out);
        buf_str(out, STR(": "));
        if (object->is_slot)
            write_slot(object, out);
        else
            write_bar(object, out);
        buf_byte(out, '\n');
    }
}

// ---- the pages -----------------------------------------------------------

static void write_line(const char *word, Str text, Buf *out) {
    buf_printf(out, "%s ", word);
    utf8_escape(text, out);
    buf_byte(out, '\n');
}

static void write_step(const TraceMoment *moment, size_t index, Buf *out) {
    const TraceEvent *step = &moment->steps[index];
    buf_printf(out, "step %u ", step->cta);
    if (step->warp == DEVICE_EVENT_NONE)
        buf_str(out, STR("- "));
    else
        buf_printf(out, "%u ", step->warp);
    buf_printf(out, "%u ", step->line);
    if (index == moment->found)
        buf_printf(out, "%.*s is found", STR_ARG(moment->code));
    else
        trace_step_text(step, out);
    buf_byte(out, '\n');
}

static void write_head(const Report *report, const RunTrace *trace, Buf *out) {
    const TraceMoment *moment = &trace->moment;
    size_t origin;
    write_line("book", trace->run, out);
    write_line("code", moment->code, out);
    write_line("missing", trace_missing(report, moment), out);
    buf_printf(out, "before %llu\nfound %zu\n",
               (unsigned long long)moment->left_out, moment->found);
    if (trace_origin(moment, &origin))
        buf_printf(out, "origin %zu\n", origin);
    book_params(moment, out);
    for (Str rest = report->source; rest.len;) {
        buf_str(out, STR("source "));
        excerpt_line(str_cut(&rest, '\n'), out);
        buf_byte(out, '\n');
    }
}

bool report_book(const Report *report, Buf *out) {
    const RunTrace *trace = report->kind == REPORT_GRADE ? report->grade->trace
                                                         : report->run->trace;
    if (!trace || !trace->moment.is_there)
        return false;
    const TraceMoment *moment = &trace->moment;
    Objects *objects = heap_alloc(sizeof *objects, 1);
    objects->count = 0;
    write_head(report, trace, out);
    for (size_t i = 0; i < moment->before_count; i++)
        play(objects, &moment->before[i]);
    for (size_t i = 0; i < moment->step_count; i++) {
        play(objects, &moment->steps[i]);
        write_step(moment, i, out);
        write_objects(objects, out);
        book_values(&moment->steps[i], out);
    }
    heap_free(objects);
    return true;
}
