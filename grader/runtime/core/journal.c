// SPDX-License-Identifier: Apache-2.0
// Writes and reads the journal. Each kind of record has a function that writes
// it and one that reads it, with the fields in the same order.
#include "runtime/core/journal.h"

#include <string.h>

// ---- writing -------------------------------------------------------------

static void put(Buf *out, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++)
        buf_byte(out, (char)(value >> 8 * i));
}

void journal_begin(Buf *out, JournalKind kind, uint32_t process) {
    put(out, 0, 4); // the length, which journal_end knows
    put(out, kind, 4);
    put(out, process, 4);
}

void journal_str(Buf *out, Str text) {
    put(out, text.len, 4);
    buf_str(out, text);
}

void journal_number(Buf *out, uint64_t number) {
    put(out, 8, 4);
    put(out, number, 8);
}

void journal_end(Buf *out) {
    size_t length = out->len - 4;
    for (size_t i = 0; i < 4; i++)
        out->ptr[i] = (char)(length >> 8 * i);
}

static void put_place(Buf *out, SrcLoc at) {
    journal_str(out, at.file);
    journal_number(out, at.line);
    journal_number(out, at.col);
}

// The texts of a cause that go through the journal, in their order.
#define CAUSE_TEXTS(cause)                                           \
    {                                                                \
        &(cause)->code, &(cause)->headline, &(cause)->what,          \
            &(cause)->expected, &(cause)->actual, &(cause)->missing, \
            &(cause)->help, &(cause)->who, &(cause)->explain,        \
            &(cause)->context                                        \
    }

static void put_cause(Buf *out, const Cause *cause) {
    const Str *const texts[] = CAUSE_TEXTS(cause);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        journal_str(out, *texts[i]);
    put_place(out, cause->at);
    put_place(out, cause->via);
    journal_number(out, cause->in_order);
    journal_number(out, cause->caller_count);
    for (uint32_t i = 0; i < cause->caller_count; i++)
        put_place(out, cause->callers[i]);
    journal_number(out, cause->related_count);
    for (uint32_t i = 0; i < cause->related_count; i++) {
        put_place(out, cause->related[i].at);
        put_place(out, cause->related[i].caller);
        journal_str(out, cause->related[i].what);
    }
}

void journal_finding(Buf *out, uint32_t process, uint64_t number,
                     const ExecFinding *finding) {
    journal_begin(out, JOURNAL_FINDING, process);
    journal_number(out, number);
    journal_number(out, finding->advisory);
    journal_number(out, finding->is_ours);
    journal_str(out, finding->kernel);
    journal_number(out, finding->launch);
    journal_number(out, finding->schedule);
    put_cause(out, &finding->cause);
    journal_end(out);
}

void journal_again(Buf *out, uint32_t process, uint64_t number) {
    journal_begin(out, JOURNAL_AGAIN, process);
    journal_number(out, number);
    journal_end(out);
}

void journal_call(Buf *out, uint32_t process, const ExecCall *call) {
    journal_begin(out, JOURNAL_CALL, process);
    journal_str(out, call->name);
    journal_str(out, call->error);
    journal_number(out, call->is_missing);
    journal_end(out);
}

void journal_message(Buf *out, uint32_t process, const Diag *message) {
    journal_begin(out, JOURNAL_MESSAGE, process);
    journal_number(out, message->level);
    journal_str(out, message->what);
    journal_str(out, message->help);
    journal_end(out);
}

void journal_counts(Buf *out, uint32_t process, const ExecResult *counts) {
    journal_begin(out, JOURNAL_COUNTS, process);
    journal_number(out, counts->launches);
    journal_number(out, counts->unchecked);
    journal_number(out, counts->instructions);
    journal_end(out);
}

// ---- reading -------------------------------------------------------------

typedef struct Reader {
    Arena *arena;
    Str rest;
    ExecResult *result;
    uint32_t process;
    struct Known *known; // findings of all processes, the latest first
    uint64_t open;       // processes that have begun and not ended
} Reader;

// Where a process's finding is in the result.
typedef struct Known {
    struct Known *next;
    uint32_t process;
    uint64_t number;
    size_t index;
} Known;

static uint64_t take(Str *rest, size_t width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width && i < rest->len; i++)
        value |= (uint64_t)(uint8_t)rest->ptr[i] << 8 * i;
    *rest = str_slice(*rest, width, rest->len);
    return value;
}

static Str take_field(Reader *r) {
    size_t length = (size_t)take(&r->rest, 4);
    Str field = str_slice(r->rest, 0, length);
    r->rest = str_slice(r->rest, length, r->rest.len);
    return field;
}

static uint64_t take_number(Reader *r) {
    Str field = take_field(r);
    return take(&field, 8);
}

static SrcLoc take_place(Reader *r) {
    SrcLoc at = {.file = take_field(r)};
    at.line = (uint32_t)take_number(r);
    at.col = (uint32_t)take_number(r);
    return at;
}

static uint32_t take_count(Reader *r, size_t most) {
    uint64_t count = take_number(r);
    return (uint32_t)(count < most ? count : most);
}

static void take_cause(Reader *r, Cause *cause) {
    Str *const texts[] = CAUSE_TEXTS(cause);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = take_field(r);
    cause->at = take_place(r);
    cause->via = take_place(r);
    cause->in_order = take_number(r) != 0;
    cause->caller_count = take_count(r, COUNT_OF(cause->callers));
    for (uint32_t i = 0; i < cause->caller_count; i++)
        cause->callers[i] = take_place(r);
    cause->related_count = take_count(r, COUNT_OF(cause->related));
    for (uint32_t i = 0; i < cause->related_count; i++) {
        cause->related[i].at = take_place(r);
        cause->related[i].caller = take_place(r);
        cause->related[i].what = take_field(r);
    }
}

static bool is_same(const ExecFinding *a, const ExecFinding *b) {
    return a->advisory == b->advisory &&
           str_equal(a->cause.code, b->cause.code) &&
           str_equal(a->kernel, b->kernel) &&
           str_equal(a->cause.at.file, b->cause.at.file) &&
           a->cause.at.line == b->cause.at.line &&
           a->cause.at.col == b->cause.at.col;
}

// Another process may have found the same.
static size_t add_finding(Reader *r, const ExecFinding *finding) {
    ExecResult *result = r->result;
    for (size_t i = 0; i < result->finding_count; i++)
        if (is_same(&result->findings[i], finding)) {
            result->findings[i].launches++;
            return i;
        }
    arena_grow(r->arena, result->findings, result->finding_count,
               result->finding_capacity);
    result->findings[result->finding_count] = *finding;
    if (finding->advisory)
        result->advisories++;
    else
        result->errors += !finding->is_ours;
    return result->finding_count++;
}

static void read_finding(Reader *r) {
    Known *known = arena_new(r->arena, Known, 1);
    ExecFinding finding = {.launches = 1};
    *known = (Known){r->known, r->process, take_number(r), 0};
    finding.advisory = take_number(r) != 0;
    finding.is_ours = take_number(r) != 0;
    finding.kernel = take_field(r);
    finding.launch = take_number(r);
    finding.schedule = take_number(r);
    take_cause(r, &finding.cause);
    known->index = add_finding(r, &finding);
    r->known = known;
}

static void read_again(Reader *r) {
    uint64_t number = take_number(r);
    for (const Known *k = r->known; k; k = k->next)
        if (k->process == r->process && k->number == number) {
            r->result->findings[k->index].launches++;
            return;
        }
}

static void read_call(Reader *r) {
    ExecResult *result = r->result;
    ExecCall call = {.name = take_field(r), .error = take_field(r), .count = 1};
    call.is_missing = take_number(r) != 0;
    for (size_t i = 0; i < result->call_count; i++)
        if (str_equal(result->calls[i].name, call.name) &&
            str_equal(result->calls[i].error, call.error)) {
            result->calls[i].count++;
            return;
        }
    arena_grow(r->arena, result->calls, result->call_count,
               result->call_capacity);
    result->calls[result->call_count++] = call;
}

static void read_message(Reader *r) {
    ExecResult *result = r->result;
    Diag message = {.level = (DiagLevel)take_number(r)};
    message.what = take_field(r);
    message.help = take_field(r);
    for (size_t i = 0; i < result->message_count; i++)
        if (str_equal(result->messages[i].what, message.what))
            return;
    arena_grow(r->arena, result->messages, result->message_count,
               result->message_capacity);
    result->messages[result->message_count++] = message;
}

static void read_counts(Reader *r) {
    r->result->launches += take_number(r);
    r->result->unchecked += take_number(r);
    r->result->instructions += take_number(r);
}

static void read_record(Reader *r, JournalKind kind) {
    switch (kind) {
    case JOURNAL_BEGIN:
        r->result->processes++;
        r->open++;
        return;
    case JOURNAL_FINDING:
        read_finding(r);
        return;
    case JOURNAL_AGAIN:
        read_again(r);
        return;
    case JOURNAL_CALL:
        read_call(r);
        return;
    case JOURNAL_MESSAGE:
        read_message(r);
        return;
    case JOURNAL_COUNTS:
        read_counts(r);
        return;
    case JOURNAL_END:
        r->open -= r->open > 0;
        return;
    }
}

void journal_read(Arena *arena, Str journal, ExecResult *result) {
    Reader r = {.arena = arena, .result = result};
    while (journal.len >= 12) {
        size_t length = (size_t)take(&journal, 4);
        if (length > journal.len) { // the process was ended meanwhile
            r.open++;
            break;
        }
        r.rest = str_slice(journal, 0, length);
        journal = str_slice(journal, length, journal.len);
        JournalKind kind = (JournalKind)take(&r.rest, 4);
        r.process = (uint32_t)take(&r.rest, 4);
        read_record(&r, kind);
    }
    result->is_incomplete = r.open > 0;
}
