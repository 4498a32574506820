// SPDX-License-Identifier: Apache-2.0
// What turns/ keeps: who waits, who can run, what comes when.
#ifndef CLCLAB_VM_STATE_TURNS_H
#define CLCLAB_VM_STATE_TURNS_H

#include "vm/code/instr.h"

typedef enum VmWaitKind {
    WAIT_NONE,
    WAIT_BARRIER,  // key: number of the CTA barrier
    WAIT_CLUSTER,  // cluster barrier
    WAIT_MBARRIER, // key: offset of the mbarrier; phase: the one waited for
    WAIT_LANES,    // key: membermask
    WAIT_ALIGNED,  // the other live lanes, at an instruction with .aligned
    WAIT_COPIES,   // asynchronous copies that its lanes issued
} VmWaitKind;

typedef struct VmFragment {
    uint32_t mask;
    uint32_t pc; // next instruction; while it waits: the one that waits
    VmFrame *frame;
    VmWaitKind wait;
    uint32_t key;
    uint64_t phase; // WAIT_BARRIER: the instruction's flags; when woken: true
                    // predicates | arrived << 32
    uint64_t since; // tick at which the wait began
    uint64_t last_run;
    bool arrived;        // has been counted at the barrier that it waits for
    bool timed_out;      // a potentially blocking wait is to answer false
    bool together;       // all lanes are at the aligned instruction at pc
    uint16_t polls;      // tests in a row that answered false
    uint32_t branch_loc; // of the last branch; 0: none
} VmFragment;

typedef enum VmEventKind {
    EVENT_LAUNCH,
    EVENT_DECIDE,
    EVENT_ANSWER,
    EVENT_COPY // `request` is the number of the copy
} VmEventKind;
typedef struct VmEvent {
    uint64_t at;     // tick
    uint64_t serial; // order among events of one tick
    VmEventKind kind;
    uint32_t request;
    uint32_t enabled_by; // exploring: the step that led to it (explore.h)
} VmEvent;

// What the strategy and the seed decide about a run (engine/tuning.c).
typedef struct VmTuning {
    uint32_t sm_count;
    uint32_t quantum_min, quantum_spread; // instructions of a slice
    uint32_t answer_min, answer_spread;   // ticks to decide, and to deliver
    uint32_t launch_spread;               // ticks
    uint32_t refuse_per_256;              // chance of a refusal while pending
    uint32_t refuse_first;                // requests refused at the start
    uint32_t spurious_per_256;            // try_wait that times out
    uint32_t late_ticks;                  // for one CTA of each cluster
    bool random_order, random_elect, permute_grants, may_refuse;
    bool refuse_next;  // exploring: of the decision that is made now
    bool priorities;   // of the warps that can run, the highest does (pct.c)
    bool by_time;      // the warp that is behind in modelled time does
    bool newest_first; // the warps that became ready last run first: they are
                       // of the same CTA, and in the cache
} VmTuning;

enum { VM_PCT_CHANGES = 8 };

// Priorities (pct.c): higher runs first.
typedef struct VmPct {
    Rng rng;
    uint64_t changes[VM_PCT_CHANGES]; // steps, ascending
    uint32_t change_count, changed;   // changed: so many are behind us
    uint64_t lowest;                  // of those who gave up their turn
} VmPct;

// Of a launch.
typedef struct VmTurns {
    Rng rng;
    uint64_t elect_seed;
    uint64_t tick; // warp-instructions so far
    uint64_t thread_instructions, step_limit;
    uint64_t progress; // changes of state that others can see
    uint64_t idle_progress;
    uint32_t idle_rounds;
    bool stopped;
    VmWarp **ready;
    size_t ready_count, ready_capacity;
    size_t cursor; // in ready
    uint64_t taken;
    const VmWarp *running; // whose slice it is, or was
    uint64_t switches;     // how often that has changed
    uint64_t steps;        // visible instructions so far
    uint64_t slice_end;    // steps at which the slice ends
    VmPct pct;
    const uint32_t *search; // exhaustive search: its steps so far; or NULL
    VmEvent *events;        // heap by (at, serial)
    size_t event_count, event_capacity;
    uint64_t event_serial;
} VmTurns;

// Of a warp.
typedef struct VmWarpTurns {
    uint32_t ready_at;     // position in VmTurns.ready; VM_NONE: not in it
    uint32_t streak;       // slices in a row of the lowest-pc fragment
    uint64_t own_priority; // tuning.priorities: that it began with; unique
    uint64_t priority;     // in the heap; tuning.by_time: ~(cycle from which
                           // it can go on), as last looked at
    uint64_t busy;         // priorities: steps since it waited last
    uint32_t enabled_by;   // search: the step that made it ready
} VmWarpTurns;

#endif
