// SPDX-License-Identifier: Apache-2.0
// Prints the table of the page "one mbarrier, one slot" as JSON: the states
// that one thread can bring them to, and what each action does in each state.
// It knows no rule itself: a state is what the virtual machine has after a list
// of actions, and an action is tried by running the list with it at the end.
// The thread is a kernel that takes its actions from a buffer.
//
//   {"actions": [{"id", "code"}], "says": [...], "errors": [{"code", ...}],
//    "states": [{..., "next": [of each action: null (it makes no sense),
//               [the next state, index of says], or -1 - index of errors]}]}
//
// Read main, then explore. Two lists of actions lead to one state if they agree
// in all that Key holds. With an argument, `gen-machine PART`, it is checked
// that this is enough, wherever two lists meet: every action must do the same
// after both. PART 1 checks all (half a minute), 40 those from every 40th
// state. Exit 70 if it does not hold.
#include "ptx/ptx.h"
#include "result/trace.h"
#include "result/wish.h"
#include "vm/vm.h"
#include "words/words.h"

#include <stdio.h>
#include <stdlib.h>

// X(ID, "id", "what it is in CUDA", "its PTX"). A grant and a refusal are the
// same instruction, which lets time pass; how many requests are granted is
// decided by the size of the grid.
// clang-format off
#define ACTIONS(X)                                                             \
    X(INIT, "init", "mbarrier_init(&bar, 1)",                                  \
      "mbarrier.init.shared::cta.b64 [bar], 1;")                               \
    X(ASK, "ask", "try_cancel(&slot, &bar)",                                   \
      "clusterlaunchcontrol.try_cancel.async.shared::cta"                      \
      ".mbarrier::complete_tx::bytes.b128 [slot], [bar];")                     \
    X(ANNOUNCE, "announce", "arrive.expect_tx(&bar, 16)",                      \
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;")               \
    X(ARRIVE, "arrive", "arrive(&bar)",                                        \
      "mbarrier.arrive.shared::cta.b64 %state, [bar];")                        \
    X(EXPECT, "expect", "expect_tx(&bar, 16)",                                 \
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;")             \
    X(GRANT, "grant", "the answer comes: a grant", PASS_TIME)                  \
    X(REFUSE, "refuse", "the answer comes: a refusal", PASS_TIME)              \
    X(WAIT_0, "wait0", "wait(&bar, parity 0)",                                 \
      "mov.u32 %parity, 0; bra wait;")                                         \
    X(WAIT_1, "wait1", "wait(&bar, parity 1)",                                 \
      "mov.u32 %parity, 1; bra wait;")                                         \
    X(READ, "read", "is_canceled(slot)",                                       \
      "ld.shared.b128 %answer, [slot]; clusterlaunchcontrol"                   \
      ".query_cancel.is_canceled.pred.b128 %told, %answer;")                   \
    X(INDEX, "index", "get_first_ctaid_x(slot)",                               \
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 "         \
      "%index, %answer; st.global.u32 [%seen], %index;")                       \
    X(RELEASE, "release", "proxy fence: release",                              \
      "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;")\
    X(ACQUIRE, "acquire", "proxy fence: acquire",                              \
      "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster"      \
      ".cluster;")                                                             \
    X(LEAVE, "leave", "return", "ret;")
// Nothing but the answer can wake this wait; then it gives up.
#define PASS_TIME \
    "mbarrier.try_wait.parity.shared::cta.b64 %none, [idle], 0;"
// clang-format on

typedef enum Action {
#define ACTION_ENUM(id, name, code, ptx) ACTION_##id,
    ACTIONS(ACTION_ENUM)
#undef ACTION_ENUM
        ACTION_COUNT
} Action;

static const struct {
    const char *id, *code, *ptx;
} actions[] = {
#define ACTION_ROW(id, name, code, ptx) {name, code, ptx},
    ACTIONS(ACTION_ROW)
#undef ACTION_ROW
};

enum {
    LONGEST = 24,    // actions of a list
    MOST_BYTES = 32, // announced, or brought, that a phase may miss
    MOST_STATES = 4096,
    SEED = 2, // a schedule in which no wait gives up before the answer comes
    BAR = 16, // byte of shared memory at which the mbarrier is; the slot: 0
};

// ---- the kernel ----------------------------------------------------------

// Line 1 + action of the source is the action's.
static Str kernel_text(Arena *arena) {
    Buf out = {0};
    buf_str(
        &out,
        STR(".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"k\"\n"
            ".visible .entry k(.param .u64 list, .param .u64 seen)\n{\n"
            ".reg .pred %go, %told, %none; .reg .b32 %action, %index, "
            "%told01;\n"
            ".reg .b32 %parity; .reg .b64 %at, %seen, %state; .reg .b128 "
            "%answer;\n"
            ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar, idle;\n"
            ".loc 1 100 1 mov.u32 %action, %ctaid.x;\n"
            "setp.ne.u32 %go, %action, 0; @%go ret;\n"
            "ld.param.u64 %at, [list]; ld.param.u64 %seen, [seen];\n"
            "mbarrier.init.shared::cta.b64 [idle], 1;\nagain:\n"
            "ld.global.u32 %action, [%at]; add.s64 %at, %at, 4;\n"));
    for (int a = 0; a < ACTION_COUNT; a++)
        buf_printf(&out,
                   "setp.ne.u32 %%go, %%action, %d; @%%go bra not%d;\n"
                   ".loc 1 %d 1 %s\n.loc 1 100 1 bra done;\nnot%d:\n",
                   a, a, 1 + a, actions[a].ptx, a);
    buf_str(
        &out,
        STR("ret;\nwait:\n.loc 1 99 1 mbarrier.test_wait.parity"
            ".shared::cta.b64 %told, [bar], %parity;\n"
            ".loc 1 100 1 bra done;\ndone:\nselp.u32 %told01, 1, 0, %told;\n"
            "st.global.u32 [%seen + 4], %told01;\nbra again;\n}\n"));
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// ---- a run ---------------------------------------------------------------

typedef struct List {
    uint8_t count;
    uint8_t items[LONGEST];
} List;

// What the last wait that was over saw: a new phase, an old one, none.
enum { NOT_WAITED, WAITED, WAITED_AGAIN, WAITED_TOO_EARLY };

// What is known after a list of actions, of the mbarrier and of the slot.
typedef struct Key {
    bool is_live;
    int32_t pending, tx;
    uint8_t phase;    // 0, and then 1 or 2: odd or even
    uint8_t slot;     // 0: no request, 1: in flight, 2: answered
    uint8_t since;    // phases since the answer; 2: or more
    bool is_refusal;  // the last answer
    bool has_refused; // an answer was a refusal
    bool has_read, has_index, knows_refusal; // of the last answer; of any
    uint8_t fence;                           // 1: read, 2: released, 3: both
    bool waited;                             // for the last answer
    uint8_t last_wait;                       // NOT_WAITED, ...
    uint8_t unseen; // phases since that wait; 2: or more
} Key;

typedef struct Outcome {
    bool is_error;
    uint32_t text; // index of says, or of errors
    Key key;
} Outcome;

typedef struct ErrorText {
    Str code, what, missing, help;
} ErrorText;

typedef struct Machine {
    Device *device;
    uint32_t list_buffer, seen_buffer;
    uint64_t args[2];
    Arena arena; // of texts
    ErrorText errors[256];
    uint32_t error_count;
    uint64_t runs;
} Machine;

static const char *const says[] = {"done", "the wait is over",
                                   "not over: the thread would wait on", "yes",
                                   "no: it is a refusal"};
enum { SAYS_DONE, SAYS_OVER, SAYS_NOT_OVER, SAYS_GRANT, SAYS_REFUSAL };

static void fail(const char *why) {
    fprintf(stderr, "gen-machine: %s\n", why);
    exit(70);
}

static void open_machine(Machine *m) {
    static const VmModel model = {.name = "one",
                                  .device_name = "vm:one",
                                  .sm_count = 1,
                                  .ctas_per_sm = 1,
                                  .threads_per_sm = 1024,
                                  .smem_per_sm = 65536,
                                  .smem_per_cta = 65536};
    Diags diags = diags_new(&m->arena);
    PtxModule *module =
        ptx_parse(&m->arena, STR("k"), kernel_text(&m->arena), &diags);
    m->device = vm_open(&model);
    if (!module || diags.errors ||
        !m->device->ops->load(m->device, module, &diags) ||
        !m->device->ops->alloc(m->device, 256, &m->list_buffer, &m->args[0],
                               &diags) ||
        !m->device->ops->alloc(m->device, 256, &m->seen_buffer, &m->args[1],
                               &diags)) {
        fprintf(stderr, "line %u: %.*s\n", diags.items[0].at.line,
                STR_ARG(diags.items[0].what));
        fail("the kernel is not as it should be");
    }
}

static uint32_t grants_of(const List *list) {
    uint32_t count = 0;
    for (int i = 0; i < list->count; i++)
        count += list->items[i] == ACTION_GRANT;
    return count;
}

static Action last_of(const List *list) {
    return (Action)list->items[list->count - 1];
}

static void launch(Machine *m, Arena *arena, const List *list, DeviceRun *run) {
    uint32_t codes[LONGEST + 1];
    static const TraceWish wish = {0};
    for (int i = 0; i <= LONGEST; i++)
        codes[i] = i < list->count ? list->items[i] : ACTION_COUNT;
    m->device->ops->write(m->device, m->list_buffer, 0, codes, sizeof codes);
    DeviceLaunch request = {.kernel = STR("k"),
                            .grid = {1 + grants_of(list), 1, 1},
                            .block = {1, 1, 1},
                            .cluster = {1, 1, 1},
                            .args = m->args,
                            .arg_bytes = sizeof m->args,
                            .trace = &wish,
                            .schedule = {.seed = SEED,
                                         .strategy = STRATEGY_SLOW_ANSWER,
                                         .in_order = true}};
    if (!m->device->ops->launch(m->device, arena, &request, run) || !run->trace)
        fail("the virtual machine did not run the kernel");
    m->runs++;
}

// What is found when the kernel ends counts only if the list ends it.
static const Finding *finding_of(const List *list, const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++) {
        const Finding *f = &run->findings[i];
        bool is_at_end = f->rule == RULE_CLC004 || f->rule == RULE_CLC009;
        if (f->level == FINDING_ERROR &&
            (!is_at_end || last_of(list) == ACTION_LEAVE))
            return f;
    }
    return NULL;
}

// On the page, a wait that was not over is no poll that was given up.
static uint32_t error_of(Machine *m, const Finding *found) {
    Words words = {&words_english, DIALECT_CPP};
    Finding plain = *found;
    plain.gave_up = false;
    const Finding *finding = &plain;
    Cause cause = {.finding = finding, .at = finding->at};
    words_tell(&words, &m->arena, &cause);
    for (uint32_t i = 0; i < m->error_count; i++)
        if (str_equal(m->errors[i].what, cause.what) &&
            str_equal(m->errors[i].missing, cause.missing))
            return i;
    if (m->error_count == COUNT_OF(m->errors))
        fail("there are too many errors");
    m->errors[m->error_count] = (ErrorText){
        rule_code(finding->rule), cause.what, cause.missing, cause.help};
    return m->error_count++;
}

// ---- what a run shows ----------------------------------------------------

static void end_phase(Key *key) {
    key->pending = 1; // as it was initialised
    key->phase = key->phase == 1 ? 2 : 1;
    if (key->slot == 2 && key->since < 2)
        key->since++;
    if (key->unseen < 2)
        key->unseen++;
}

static void see_wait(Key *key) {
    key->waited |= key->slot == 2 && key->since > 0;
    if (key->phase == 0)
        key->last_wait = WAITED_TOO_EARLY;
    else if (key->last_wait && key->unseen == 0)
        key->last_wait = WAITED_AGAIN;
    else
        key->last_wait = WAITED;
    key->unseen = 0;
}

// Returns how many phases it completes. The event of the phase itself may stand
// before that of its cause.
static uint32_t see_bar(const TraceEvent *event, Key *key) {
    bool may_end =
        event->kind == DEVICE_EVENT_ARRIVE || event->kind == DEVICE_EVENT_BYTES;
    if (event->shared != BAR)
        return 0;
    if (event->kind == DEVICE_EVENT_WAIT)
        see_wait(key);
    if (!may_end && event->kind != DEVICE_EVENT_INIT &&
        event->kind != DEVICE_EVENT_EXPECT)
        return 0;
    key->is_live = true;
    key->pending = event->pending;
    key->tx = event->tx;
    if (!may_end || key->pending != 0 || key->tx != 0)
        return 0;
    end_phase(key);
    return 1;
}

static void see_slot(const TraceEvent *event, Key *key) {
    switch (event->kind) {
    case DEVICE_EVENT_REQUEST:
        key->slot = 1;
        key->since = key->fence = 0;
        key->is_refusal = key->has_read = key->has_index = key->waited = false;
        return;
    case DEVICE_EVENT_ANSWER:
        key->slot = 2;
        key->is_refusal = event->block == DEVICE_EVENT_NONE;
        key->has_refused |= key->is_refusal;
        return;
    case DEVICE_EVENT_READ:
        key->has_read = true;
        key->knows_refusal |= key->is_refusal;
        key->fence = 1;
        return;
    case DEVICE_EVENT_RELEASE:
        key->fence = key->fence == 1 ? 2 : key->fence;
        return;
    case DEVICE_EVENT_ACQUIRE:
        key->fence = key->fence == 2 ? 3 : key->fence;
        return;
    default:
        return;
    }
}

// An answer comes when it is asked for, and not by itself.
static void check_answers(const List *list, const Key *key) {
    uint8_t slot = 0;
    for (int i = 0; i < list->count; i++)
        if (list->items[i] == ACTION_ASK)
            slot = 1;
        else if (list->items[i] == ACTION_GRANT ||
                 list->items[i] == ACTION_REFUSE)
            slot = 2;
    if (slot != key->slot)
        fail("an answer did not come when it was to come");
}

static Key key_of(const List *list, const DeviceRun *run) {
    Key key = {0};
    uint32_t phases = 0, told = 0;
    for (size_t i = 0; i < run->trace->event_count; i++) {
        const TraceEvent *event = &run->trace->events[i];
        if (event->cta != 0)
            continue;
        told += event->kind == DEVICE_EVENT_PHASE && event->shared == BAR;
        phases += see_bar(event, &key);
        see_slot(event, &key);
    }
    check_answers(list, &key);
    if (phases != told)
        fail("phases complete otherwise than by their counts");
    for (int i = 0; i < list->count; i++) { // the kernel tells no event of it
        if (list->items[i] == ACTION_ASK)
            key.has_index = false;
        key.has_index |= list->items[i] == ACTION_INDEX;
    }
    return key;
}

static uint32_t says_of(Machine *m, const List *list, const Key *key) {
    uint32_t seen[2] = {0};
    Action last = last_of(list);
    m->device->ops->read(m->device, m->seen_buffer, 0, seen, sizeof seen);
    if (last == ACTION_WAIT_0 || last == ACTION_WAIT_1)
        return seen[1] ? SAYS_OVER : SAYS_NOT_OVER;
    if (last == ACTION_READ && key->slot != 0)
        return seen[1] ? SAYS_GRANT : SAYS_REFUSAL;
    return SAYS_DONE;
}

static Outcome run_list(Machine *m, const List *list) {
    Arena arena = {0};
    DeviceRun run = {0};
    launch(m, &arena, list, &run);
    const Finding *finding = finding_of(list, &run);
    Outcome outcome = {.is_error = finding != NULL};
    if (finding) {
        outcome.text = error_of(m, finding);
    } else {
        outcome.key = key_of(list, &run);
        outcome.text = says_of(m, list, &outcome.key);
    }
    arena_free(&arena);
    return outcome;
}

// ---- all states ----------------------------------------------------------

typedef struct Next {
    bool is_possible;
    Outcome outcome;
    uint32_t state;
} Next;

typedef struct State {
    List list; // the shortest that leads here
    Key key;
    Next next[ACTION_COUNT];
} State;

typedef struct Table {
    Machine machine;
    State *states; // [MOST_STATES]
    uint32_t count;
} Table;

// What makes sense: an answer to a request, no grant after a refusal, an index
// of what was read, and no more bytes than can be shown.
static bool makes_sense(const Key *key, Action action) {
    switch (action) {
    case ACTION_GRANT:
        return key->slot == 1 && !key->has_refused;
    case ACTION_REFUSE:
        return key->slot == 1;
    case ACTION_INDEX:
        return key->has_read;
    case ACTION_ANNOUNCE:
    case ACTION_EXPECT:
        return key->tx < MOST_BYTES;
    default:
        return true;
    }
}

static Next try_action(Machine *m, const List *list, const Key *key,
                       Action action) {
    Next next = {.is_possible = makes_sense(key, action)};
    if (!next.is_possible)
        return next;
    List longer = *list;
    if (longer.count == LONGEST)
        fail("a list of actions is too long");
    longer.items[longer.count++] = (uint8_t)action;
    next.outcome = run_list(m, &longer);
    return next;
}

static bool same_key(const Key *a, const Key *b) {
    return a->is_live == b->is_live && a->pending == b->pending &&
           a->tx == b->tx && a->phase == b->phase && a->slot == b->slot &&
           a->since == b->since && a->is_refusal == b->is_refusal &&
           a->has_refused == b->has_refused && a->has_read == b->has_read &&
           a->has_index == b->has_index &&
           a->knows_refusal == b->knows_refusal && a->fence == b->fence &&
           a->waited == b->waited && a->last_wait == b->last_wait &&
           a->unseen == b->unseen;
}

static bool same_outcome(const Outcome *a, const Outcome *b) {
    return a->is_error == b->is_error && a->text == b->text &&
           (a->is_error || same_key(&a->key, &b->key));
}

static void print_list(const List *list) {
    for (int i = 0; i < list->count; i++)
        fprintf(stderr, " %s", actions[list->items[i]].id);
    fprintf(stderr, "\n");
}

// Another list has led to the state: every action must do the same after it.
static void check_same(Table *t, const State *state, const List *other) {
    for (int a = 0; a < ACTION_COUNT; a++) {
        Next next = try_action(&t->machine, other, &state->key, (Action)a);
        if (next.is_possible == state->next[a].is_possible &&
            same_outcome(&next.outcome, &state->next[a].outcome))
            continue;
        print_list(&state->list);
        print_list(other);
        fprintf(stderr, "%s\n", actions[a].id);
        fail("these two lists of actions lead to states that differ");
    }
}

static uint32_t state_of(Table *t, const Key *key, const List *list) {
    for (uint32_t i = 0; i < t->count; i++)
        if (same_key(&t->states[i].key, key))
            return i;
    if (t->count == MOST_STATES)
        fail("there are too many states");
    t->states[t->count] = (State){.list = *list, .key = *key};
    return t->count++;
}

static void explore(Table *t) {
    List none = {0};
    Key empty = {0};
    state_of(t, &empty, &none);
    for (uint32_t i = 0; i < t->count; i++)
        for (int a = 0; a < ACTION_COUNT; a++) {
            State *state = &t->states[i];
            Next *next = &state->next[a];
            *next =
                try_action(&t->machine, &state->list, &state->key, (Action)a);
            if (!next->is_possible || next->outcome.is_error ||
                a == ACTION_LEAVE)
                continue;
            List longer = state->list;
            longer.items[longer.count++] = (uint8_t)a;
            next->state = state_of(t, &next->outcome.key, &longer);
        }
}

// Every way into a state, not only the shortest, out of one state of `part`.
static void check_all(Table *t, uint32_t part) {
    for (uint32_t i = 0; i < t->count; i += part)
        for (int a = 0; a < ACTION_COUNT; a++) {
            const State *state = &t->states[i];
            const Next *next = &state->next[a];
            if (!next->is_possible || next->outcome.is_error ||
                a == ACTION_LEAVE)
                continue;
            List longer = state->list;
            longer.items[longer.count++] = (uint8_t)a;
            check_same(t, &t->states[next->state], &longer);
        }
}

// ---- printing ------------------------------------------------------------

static void print_string(const char *before, Str text) {
    printf("%s\"", before);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            putchar('\\');
        putchar(text.ptr[i]);
    }
    putchar('"');
}

static void print_next(const Next *next, Action action) {
    if (!next->is_possible)
        printf("null");
    else if (next->outcome.is_error)
        printf("%d", -1 - (int)next->outcome.text);
    else
        printf("[%d,%u]", action == ACTION_LEAVE ? -1 : (int)next->state,
               next->outcome.text);
}

// Whether threads may read the slot, and whether the next request may have it,
// is what reading and asking do.
static void print_state(const State *state) {
    const Key *key = &state->key;
    bool may_read = !state->next[ACTION_READ].outcome.is_error;
    printf("{\"live\": %s, \"pending\": %d, \"tx\": %d, \"parity\": %d, ",
           key->is_live ? "true" : "false", key->pending, key->tx,
           key->phase == 1);
    printf("\"slot\": \"%s\", \"answer\": \"%s\", \"next\": [",
           key->slot == 0   ? "none"
           : key->slot == 1 ? "async"
           : may_read       ? "threads"
                            : "answered",
           key->slot < 2     ? ""
           : key->is_refusal ? "refusal"
                             : "grant");
    for (int a = 0; a < ACTION_COUNT; a++) {
        printf(a ? "," : "");
        print_next(&state->next[a], (Action)a);
    }
    printf("]}");
}

static void print_table(const Table *t) {
    printf("{\"actions\": [");
    for (int a = 0; a < ACTION_COUNT; a++) {
        print_string(a ? ", {\"id\": " : "{\"id\": ", str_from(actions[a].id));
        print_string(", \"code\": ", str_from(actions[a].code));
        printf("}");
    }
    printf("],\n\"says\": [");
    for (size_t i = 0; i < COUNT_OF(says); i++)
        print_string(i ? ", " : "", str_from(says[i]));
    printf("],\n\"errors\": [\n");
    for (uint32_t i = 0; i < t->machine.error_count; i++) {
        const ErrorText *error = &t->machine.errors[i];
        print_string(i ? ",\n{\"code\": " : "{\"code\": ", error->code);
        print_string(", \"what\": ", error->what);
        print_string(", \"missing\": ", error->missing);
        print_string(", \"help\": ", error->help);
        printf("}");
    }
    printf("],\n\"states\": [\n");
    for (uint32_t i = 0; i < t->count; i++) {
        printf(i ? ",\n" : "");
        print_state(&t->states[i]);
    }
    printf("]}\n");
}

int main(int argc, char **argv) {
    uint64_t part = 0;
    if (argc > 2 || (argc == 2 && (!str_to_u64(str_from(argv[1]), &part) ||
                                   part == 0 || part > MOST_STATES))) {
        fprintf(stderr, "usage: gen-machine [PART]\n");
        return 2;
    }
    Table table = {.states = calloc(MOST_STATES, sizeof(State))};
    if (!table.states)
        return 70;
    open_machine(&table.machine);
    explore(&table);
    if (part)
        check_all(&table, (uint32_t)part);
    print_table(&table);
    fprintf(stderr, "%u states, %u errors, %llu runs\n", table.count,
            table.machine.error_count, (unsigned long long)table.machine.runs);
    table.machine.device->ops->close(table.machine.device);
    arena_free(&table.machine.arena);
    free(table.states);
    return 0;
}
