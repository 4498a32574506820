// SPDX-License-Identifier: Apache-2.0
// What turns/ stores: which fragments wait, which warps can run, and which
// events are due.
#ifndef CLCLAB_VM_STATE_TURNS_H
#define CLCLAB_VM_STATE_TURNS_H

#include "vm/code/instr.h"

typedef enum VmWaitKind {
    WAIT_NONE,
    WAIT_BARRIER,   // key: number of the CTA barrier
    WAIT_CLUSTER,   // cluster barrier
    WAIT_MBARRIER,  // key: offset of the mbarrier; phase: the phase to complete
    WAIT_LANES,     // key: membermask
    WAIT_ALIGNED,   // the other live lanes, at an .aligned instruction
    WAIT_REGISTERS, // of the CTA's pool (setmaxnreg)
    WAIT_COPIES,    // asynchronous copies that its own lanes issued
} VmWaitKind;

// What is put off: an arrival at an mbarrier (turns/hold.h), or all that comes
// behind a release (turns/stall.h).
typedef enum VmDeferral {
    DEFERRED_NOT,
    DEFERRED_STALLED,       // until its cluster comes no further
    DEFERRED_BEHIND_TURNS,  // until no other warp can run
    DEFERRED_BEHIND_EVENTS, // until, besides, no event is due
} VmDeferral;

// Until when a fragment rests (engine/spin.c).
typedef enum VmRest {
    REST_NOT,
    REST_UNTIL_PROGRESS, // others have made some, and until `rest_until`
    REST_UNTIL_TICK,     // `rest_until`: no progress wakes it
} VmRest;

// The words that the loop of a fragment reads which rests (engine/watch.c).
enum { VM_WATCH_WORDS = 8 };
typedef struct VmWatch {
    uint32_t count; // 0: not known
    uint32_t was[VM_WATCH_WORDS];
    const uint8_t *at[VM_WATCH_WORDS];
} VmWatch;

typedef struct VmFragment {
    uint32_t mask;
    uint32_t pc; // next instruction; while waiting: the one that waits
    VmFrame *frame;
    VmWaitKind wait;
    uint32_t key;
    uint64_t phase; // WAIT_BARRIER: kind of the barrier; after it was
                    // woken: true predicates | arrived << 32
    uint64_t since; // tick at which the wait began
    uint64_t last_run;
    bool arrived;        // it has been counted at the barrier it waits for
    bool timed_out;      // a potentially blocking wait must return false
    bool together;       // all lanes are at the aligned instruction at pc
    bool held;           // VmHold: it is the one that polls alone
    VmDeferral deferred; // it rests before it arrives, or behind a release
    uint64_t tested;     // VmHold: the phase whose wait has been tested, plus 1
    uint32_t tested_key; // ... and its mbarrier; valid if tested is not 0
    VmRest rest;         // its loop repeats itself, or it is to arrive later
    uint64_t progress;   // UNTIL_PROGRESS: what had been made when it began
    uint64_t rest_until; // tick until which it rests whatever others do
    uint64_t stalled_at; // DEFERRED_STALLED: tick
    uint64_t wake_at;    // tick at which it looks at a clock again
    uint64_t nap, clock; // ticks: how long it rested last, by each of these
    VmWatch watch;       // UNTIL_PROGRESS: what it is to see
    uint16_t polls;      // consecutive tests that returned false
    uint32_t branch_loc; // location of the last branch taken; 0: none
    uint32_t branch_to;  // the pc that it led to
} VmFragment;

typedef enum VmEventKind {
    EVENT_LAUNCH,
    EVENT_DECIDE,
    EVENT_ANSWER, // comes to the CTA of `rank`
    EVENT_COPY    // `request` is the number of the copy; a multicast copy comes
                  // to the CTA of `rank`
} VmEventKind;
typedef struct VmEvent {
    uint64_t at;     // tick
    uint64_t serial; // orders the events of one tick
    VmEventKind kind;
    uint32_t request, rank;
    uint32_t enabled_by; // exploring: the step that caused it (explore.h)
} VmEvent;

// Which pending cluster is next, to be launched or to be granted.
typedef enum VmQueueOrder {
    QUEUE_IN_ORDER, // the one with the lowest index
    QUEUE_REVERSED, // the one with the highest index
    QUEUE_SHUFFLED, // drawn
} VmQueueOrder;

// What the strategy and the seed determine about a run (engine/tuning.c).
typedef struct VmTuning {
    uint32_t sm_count;
    uint32_t quantum_min, quantum_spread; // instructions in a slice
    uint32_t answer_min,
        answer_spread;      // ticks until a decision, and from it to the answer
    uint32_t launch_spread; // ticks
    uint32_t refuse_per_256;   // chance of a refusal while clusters are pending
    uint32_t refuse_first;     // requests refused at the start of the run
    uint32_t spurious_per_256; // chance that try_wait times out
    uint32_t late_ticks;       // delay of one CTA in each cluster
    VmQueueOrder launches, grants;
    bool random_order, random_elect, may_refuse;
    bool refuse_next;  // exploring: refuse in the decision being made now
    bool old_values;   // reads may find what was there before (order/old.h)
    bool priorities;   // the ready warp with the highest priority runs (pct.c)
    bool patience;     // failed waits are tested (hold.c)
    bool stalls;       // who has released stalls (stall.c)
    bool by_time;      // the ready warp that is least far in modelled time runs
    bool newest_first; // the warps that became ready last run first: they
                       // belong to the same CTA, so their data is in the cache
} VmTuning;

enum { VM_PCT_CHANGES = 8 };

// Priorities (pct.c): a higher one runs first.
typedef struct VmPct {
    Rng rng;
    uint64_t changes[VM_PCT_CHANGES]; // steps of the priority changes,
                                      // ascending
    uint32_t change_count, changed; // changed: how many changes have been made
    uint64_t lowest; // lowest priority given to a warp that gave up its turn
} VmPct;

// Patience (hold.c): one warp runs alone, and nothing else happens, for as long
// as a fragment of it polls an mbarrier.
typedef struct VmHold {
    VmWarp *warp;    // that runs alone; NULL: none
    uint64_t until;  // tick at which it ends
    uint64_t began;  // tick at which it began, moved on with each leap
    uint64_t polls;  // that have failed in it
    uint64_t look;   // number of polls after which the loop is looked at
    uint64_t leaps;  // ticks that its clocks have leapt so far
    uint64_t rounds; // of a loop that counts, leapt over so far
    uint64_t leap;   // ticks of the next leap; 0: it has not been seen that the
                     // loop looks at a clock in a way that is not foreseen
    uint32_t finer;  // how near rounds are in time when it is looked at
                     // (patience.c)
    bool far;        // it leaps as far as the loop waits: that ends in no trap
    bool stands;     // clocks stand still: the loop is being looked at
    uint64_t left;   // ticks that all further holds of the run may take
    uint64_t before; // thread_instructions when it began
    uint32_t gave_up; // where a wait was given up in an earlier hold; 0: none
} VmHold;

// Stalls (stall.c).
typedef struct VmStall {
    const VmInstr **sites; // the instructions that release; NULL: none has been
                           // executed
    uint32_t count;        // of these
    uint32_t first;        // what the cluster with index 0 stalls behind
    bool latest_first;     // who has stalled last goes on first; else drawn
    bool before_answers;   // they go on though an answer or a copy is due
    Rng rng;
} VmStall;

// What takes time and is no instruction that is executed. It counts towards the
// step limit, so that a launch ends whatever it spends its time on.
typedef enum VmWork {
    WORK_COPY,  // by asynchronous copies
    WORK_CLEAR, // of registers, local and shared memory, what malloc returns
    WORK_PRINT, // reading and formatting text
    WORK_COUNT
} VmWork;

// For a launch.
typedef struct VmTurns {
    Rng rng;
    uint64_t elect_seed;
    uint64_t tick; // warp-instructions executed so far
    uint64_t thread_instructions, step_limit;
    uint64_t excused; // of these and of `work`, what does not count for the
                      // limit
    uint64_t work[WORK_COUNT]; // in thread-instructions
    uint64_t progress;         // state changes that other threads can see
    uint64_t idle_progress;
    uint64_t skips; // turns skipped since a warp has run
    uint32_t idle_rounds;
    bool stopped;
    bool looked_at_clock; // set by each read of a clock
    VmWarp **ready;
    size_t ready_count, ready_capacity;
    size_t cursor; // index into `ready`
    uint64_t taken;
    const VmWarp *running; // the warp of the present or of the latest slice
    uint64_t switches;     // how often `running` has changed
    uint64_t steps;        // visible instructions executed so far
    uint64_t slice_end;    // value of `steps` at which the slice ends
    VmPct pct;
    VmHold hold;
    VmStall stall;
    const uint32_t *search; // number of steps of the exhaustive search so far;
                            // NULL: none
    VmEvent *events;        // binary heap, ordered by (at, serial)
    size_t event_count, event_capacity;
    uint64_t event_serial;
} VmTurns;

// For a warp.
typedef struct VmWarpTurns {
    uint32_t ready_at;     // index in VmTurns.ready; VM_NONE: not in it
    uint32_t streak;       // consecutive slices of the lowest-pc fragment
    uint64_t own_priority; // tuning.priorities: its initial priority; unique
    uint64_t priority;     // key in the heap; with tuning.by_time: ~(cycle from
                           // which it can continue), as of the last look
    uint64_t busy;         // tuning.priorities: steps since its last wait
    uint32_t enabled_by;   // exploring: the step that made it ready
    uint64_t quiet;        // ticks that it has run since its last progress
    uint64_t look_after;   // of which it is looked at after so many; 0: the
                           // least number
    bool slept;            // a fragment of it rests, or has rested
    uint32_t unmet;        // where its latest poll of an mbarrier failed; 0:
                           // that wait has been over since
    uint32_t unmet_key;    // ... that mbarrier
} VmWarpTurns;

#endif
