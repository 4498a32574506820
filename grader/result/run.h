// SPDX-License-Identifier: Apache-2.0
// What a device measured in one launch: what happened to each block (the
// ledger), how the launch ended, its counters, and its modelled time.
#ifndef CLCLAB_RUN_H
#define CLCLAB_RUN_H

#include "base/base.h"

typedef struct Finding Finding; // finding.h

// ---- the ledger ----------------------------------------------------------

// What happened to each cluster of the grid; without clusters, each block is a
// cluster of 1. The device keeps this itself, never in memory that the kernel
// can write.
typedef enum LedgerState {
    LEDGER_PENDING,  // neither launched nor granted when the run ended
    LEDGER_LAUNCHED, // started by the hardware's scheduler
    LEDGER_GRANTED,  // given to a request
} LedgerState;

typedef struct LedgerEntry { // one per cluster, in order of linear id
    LedgerState state;
    bool taken;        // granted: some CTA decoded its index
    uint32_t by_cta;   // granted: linear block index of the CTA that requested
    SrcLoc at;         // granted: the request's line
    SrcLoc called_at;  // the kernel's line that led there, or the same line
    bool asked;        // granted: query_cancel saw the answer
    bool overwritten;  // a later answer reached its slot before it was taken
    bool again;        // taken again by a CTA that already had a later answer
    SrcLoc decoded_at; // taken: the first place
    SrcLoc again_at;
} LedgerEntry;

// One per started CTA, in order of start: the blocks that it owned, which are
// its own and then each block whose index it decoded.
typedef struct LedgerChain {
    uint32_t cta;       // linear block index it was launched with
    uint32_t sm;        // the SM it ran on
    uint32_t prologues; // executions of DeviceLaunch.prologue by one thread:
                        // the most
    uint32_t requests;  // that it made; not known on a card
    // Most requests of it not yet seen answered; not known on a card.
    uint32_t most_in_flight;
    SrcLoc prologue_at; // the latest call of it that raised `prologues`
    // Calls of it that repeat it for the cluster: they happen after the cluster
    // has called it and has then taken another index. 0 on a card.
    uint32_t late;
    SrcLoc late_at;       // the first of them
    uint32_t late_worked; // of these calls, those of threads that had stored to
                          // a watched buffer
    SrcLoc left_at;       // where its last thread left the kernel
    // Of blocks[thinned] and those behind it: threads had left before it was
    // taken, the last of them from `thinned_at`. 0: of none. 0 on a card.
    uint32_t thinned, gone; // gone: how many threads, then
    SrcLoc thinned_at;
    bool refused;     // one of its threads has seen a refusal
    uint32_t *blocks; // linear block indices, in order; [0] == cta
    size_t count, capacity;
} LedgerChain;

typedef struct LedgerTotals {
    uint64_t grid;              // blocks in the grid
    uint64_t started;           // blocks that were launched
    uint64_t granted;           // blocks given to requests ("canceled")
    uint64_t requests;          // requests answered
    uint64_t refused;           // all requests refused
    uint64_t refused_pending;   // those refused while clusters were pending
    uint64_t lost;              // blocks granted and never taken
    uint32_t shortest, longest; // chains, in blocks
} LedgerTotals;

typedef struct Ledger {
    LedgerTotals totals;  // of all clusters and chains, listed or not
    LedgerEntry *entries; // at most DeviceLaunch.ledger_most
    size_t entry_count;
    LedgerChain *chains;
    size_t chain_count, chain_capacity;
} Ledger;

// ---- the run -------------------------------------------------------------

typedef enum RunStatus {
    RUN_DONE,        // every thread exited
    RUN_FAULT,       // stopped by a finding (the last one)
    RUN_DEADLOCK,    // no thread could go on
    RUN_LIMIT,       // reached the step limit
    RUN_UNSUPPORTED, // an instruction that the device lacks
    RUN_REFUSED,     // the launch was not possible: see `error`
} RunStatus;

// X(ID, "name"): the kinds of instructions that a run counts.
#define DEVICE_KINDS(X)                                                     \
    X(INTEGER, "integer")                                                   \
    X(FLOAT16, "float16")                                                   \
    X(FLOAT32, "float32")                                                   \
    X(FLOAT64, "float64")                                                   \
    X(CONVERT, "convert")                                                   \
    X(COMPARE, "compare")                                                   \
    X(MOVE, "move")                                                         \
    X(LOAD, "load")                                                         \
    X(STORE, "store")                                                       \
    X(ATOMIC, "atomic")                                                     \
    X(ASYNC, "async")     /* copies and requests through the async proxy */ \
    X(CONTROL, "control") /* branches, calls, exits */                      \
    X(BARRIER, "barrier") /* of a warp, a CTA, a cluster; mbarriers */      \
    X(WARP, "warp")       /* shuffles, votes, reductions */                 \
    X(OTHER, "other")

typedef enum DeviceKind {
#define DEVICE_KIND_ENUM(id, name) DEVICE_KIND_##id,
    DEVICE_KINDS(DEVICE_KIND_ENUM)
#undef DEVICE_KIND_ENUM
        DEVICE_KIND_COUNT
} DeviceKind;

// X(ID, "name"): the state spaces whose traffic is counted. A generic access
// counts for the space that its address is in.
#define DEVICE_SPACES(X) \
    X(GLOBAL, "global")  \
    X(SHARED, "shared")  \
    X(LOCAL, "local")    \
    X(CONSTANT, "constant") /* with the kernel's parameters */

typedef enum DeviceSpace {
#define DEVICE_SPACE_ENUM(id, name) DEVICE_SPACE_##id,
    DEVICE_SPACES(DEVICE_SPACE_ENUM)
#undef DEVICE_SPACE_ENUM
        DEVICE_SPACE_COUNT
} DeviceSpace;

typedef struct DeviceCounters {
    uint64_t thread_instructions;
    uint64_t warp_instructions;
    uint64_t by_kind[DEVICE_KIND_COUNT]; // thread-instructions
    uint64_t loaded[DEVICE_SPACE_COUNT]; // bytes; atomics count as both
    uint64_t stored[DEVICE_SPACE_COUNT]; // bytes
    // Bytes that asynchronous copies read and wrote; reductions count as both.
    uint64_t copied_from[DEVICE_SPACE_COUNT], copied_to[DEVICE_SPACE_COUNT];
    uint64_t cta_barriers, cluster_barriers; // completions
    uint64_t mbarrier_phases;                // completions
} DeviceCounters;

// ---- modelled time -------------------------------------------------------
//
// A model for teaching (docs/time-model.md) of how a launch could have run on a
// card.

// X(ID, "name"): what a CTA is doing.
#define DEVICE_SPANS(X)                                   \
    X(LAUNCH, "launch")     /* it is being started */     \
    X(PROLOGUE, "prologue") /* in the watched function */ \
    X(WORK, "work")                                       \
    X(WAIT, "wait") /* none of its warps can go on */

typedef enum DeviceSpanKind {
#define DEVICE_SPAN_ENUM(id, name) DEVICE_SPAN_##id,
    DEVICE_SPANS(DEVICE_SPAN_ENUM)
#undef DEVICE_SPAN_ENUM
        DEVICE_SPAN_COUNT
} DeviceSpanKind;

typedef struct DeviceSpan { // [from, to), in cycles since the launch
    uint64_t from, to;
    DeviceSpanKind kind;
    uint32_t sm, slot; // the SM, and which of its places for a CTA
    uint32_t cta;      // linear index of the block that was launched
    uint32_t block;    // linear index of the block that is being processed
} DeviceSpan;

// X(ID, "name"): what happens to mbarriers and to answer slots. The comments
// say what the event's `value` is.
#define DEVICE_EVENTS(X)                                                  \
    X(INIT, "init")       /* of an mbarrier: its count of arrivals */     \
    X(EXPECT, "expect")   /* the bytes that are announced */              \
    X(ARRIVE, "arrive")   /* the number of arrivals */                    \
    X(BYTES, "bytes")     /* the bytes that have arrived */               \
    X(PHASE, "phase")     /* a phase completes: its parity */             \
    X(WAIT, "wait")       /* a warp sees a phase complete: its parity */  \
    X(REQUEST, "request") /* the request's number */                      \
    X(ANSWER, "answer")   /* it is written: the request's number */       \
    X(READ, "read")       /* a warp reads a slot: the request's number */ \
    X(FENCE, "fence")     /* between proxies, in both directions */       \
    X(RELEASE, "release") /* the readers' half of such a fence */         \
    X(ACQUIRE, "acquire") /* the requester's half of such a fence */      \
    X(SYNC, "sync")       /* a warp has passed a barrier of its CTA */    \
    X(CLUSTER_SYNC, "cluster_sync") /* or one of its cluster */

typedef enum DeviceEventKind {
#define DEVICE_EVENT_ENUM(id, name) DEVICE_EVENT_##id,
    DEVICE_EVENTS(DEVICE_EVENT_ENUM)
#undef DEVICE_EVENT_ENUM
        DEVICE_EVENT_COUNT
} DeviceEventKind;

#define DEVICE_EVENT_NONE UINT32_MAX

typedef struct DeviceEvent {
    uint64_t cycle;
    DeviceEventKind kind;
    uint32_t order;  // position in the order in which the machine did them
    uint32_t cta;    // linear index of the block that was launched
    uint32_t warp;   // in the CTA; DEVICE_EVENT_NONE: the async proxy
    uint32_t at;     // byte of shared memory: the mbarrier, or the slot;
                     // DEVICE_EVENT_NONE: neither
    uint32_t value;  // depends on the event: see DEVICE_EVENTS
    uint32_t block;  // ANSWER: the first block granted, or DEVICE_EVENT_NONE
    int32_t pending; // arrivals that the mbarrier still waits for afterwards
    int32_t tx;      // bytes that it still waits for afterwards
} DeviceEvent;

typedef struct DeviceSmTime {
    uint64_t issued; // issue slots used, of all schedulers of the SM
    uint64_t end;    // cycle at which its last CTA exited
    uint32_t ctas;   // started on it
} DeviceSmTime;

typedef struct DeviceTimeline {
    uint64_t cycles;     // of the launch
    uint32_t places;     // for CTAs, of all SMs
    uint64_t ends;       // sum over the places: cycle of the last exit there
    uint64_t arrival;    // of a kernel of higher priority; 0: none
    uint64_t first_free; // cycles that it waited for one place
    uint64_t all_free;   // cycles that it waited for all places
    uint32_t clock_mhz;  // of the model: cycles / clock_mhz are microseconds
    uint32_t schedulers; // per SM, so it has cycles * schedulers issue slots
    DeviceSmTime *sms;
    uint32_t sm_count;
    DeviceSpan *spans; // in order of time for each place (sm, slot)
    size_t span_count, span_capacity;
    uint64_t spans_left_out; // those beyond the limit
    DeviceEvent *events;     // in order of time
    size_t event_count, event_capacity;
    uint64_t events_left_out;
} DeviceTimeline;

// A value in shared memory that a thread wrote and another one read, both by
// strong accesses (relaxed, volatile), with nothing that orders the two: no
// race, but the reader may find an older value, or a later one.
typedef struct LooseRead {
    SrcLoc read, written;
} LooseRead;
enum { LOOSE_READS = 4 };

typedef struct DeviceRun {
    RunStatus status;
    bool allow_refusals; // the schedule could refuse while blocks were pending
    bool out_of_order;   // a cluster was launched or granted while one with a
                         // lower index was pending
    Diag error;          // why, for RUN_REFUSED and for a launch that returned
                         // false. The latter has the code "BUSY" (try again
                         // later), "TARGET" (the GPU or its driver lacks
                         // something) or "DEVICE"
    Finding *findings;   // in order of time, one per rule and place
    size_t finding_count;
    LooseRead loose[LOOSE_READS]; // the first, one per pair of places
    uint32_t loose_count;
    SrcLoc slept; // the first nanosleep of a thread that had read a refusal,
                  // with no request under way; line 0: there was none
    Ledger ledger;
    uint64_t resident; // most blocks of this launch that fit on the device
    // Those that it can hold when threads of theirs have left: a card gives
    // their places to other blocks. 0: no more.
    uint64_t resident_later;
    // The variables of the module that a launch which keeps them found changed,
    // by the names that the source has for them.
    Str *changed;
    size_t changed_count, changed_capacity;
    Str output; // what printf printed, as far as it was kept: whole calls
    uint64_t output_lost; // bytes of the calls that were not
    DeviceCounters counters;
    uint64_t steps;    // warp instructions that others can observe: memory,
                       // atomics, barriers, asynchronous operations
    uint64_t switches; // context switches between warps
    uint64_t warps;    // warps started
    // The device was told to model time. A card does not model it: there the
    // timeline has only the end of each SM, in nanoseconds.
    bool is_timed;
    DeviceTimeline timeline;
    struct RunTrace *trace; // trace.h; NULL: none was recorded
    double card_ms; // the kernel's time on a card, with the ledger's cost
} DeviceRun;

#endif
