// SPDX-License-Identifier: Apache-2.0
// timing: modelled cycles of a launch, for teaching. Nothing here is measured;
// it affects only two ratios in a grade (check/model.c). docs/time-model.md
// explains the model.
//
// The interpreter reports what happened, in its own order: a CTA started, a
// warp executed some instructions, waited, continued. This engine computes the
// cycles at which that would have happened. It makes no choices and does not
// depend on the interpreter. Calls need not come in the order of modelled time:
// each warp has its own clock.
//
//   timing_start ─┬─ timing_cluster_start ─┬─ timing_run, timing_resume, ...
//                 │                        └─ timing_cta_exit
//                 └─ timing_finish: the DeviceTimeline
//
// The cost of a straight run of instructions for a warp:
//   - on its scheduler, the issue slots of each instruction; slots are counted
//     in windows of 64 cycles, and a warp takes the first ones that are free;
//   - for itself, for each instruction its issue time or, if that is longer,
//   its
//     share of the result's latency (latency / overlap: the overlap stands for
//     independent instructions that a warp has in flight at the same time).
#ifndef CLCLAB_VM_TIME_TIMING_H
#define CLCLAB_VM_TIME_TIMING_H

#include "base/base.h"
#include "device/device.h"
#include "result/run.h"

// ---- the figures ---------------------------------------------------------
//
// X(ID, "name", mini, b200, rtx5090, "unit", "what", "where it is from")
//
// The figures are rounded, and were quoted from memory: none has been checked
// against its source. [L24] Luo et al., "Benchmarking and Dissecting the Nvidia
// Hopper GPU Architecture via Microbenchmarking", 2024 (H800); [J25] Jarmusch
// et al., "Dissecting the NVIDIA Blackwell Architecture with Microbenchmarks",
// 2025 (RTX 5080); [P] CUDA C++ Programming Guide, throughput of arithmetic
// instructions. "mini" is invented, and easy to follow by hand.
#define TIMING_VALUES(X)                                                       \
    X(CLOCK, "clock", 1000, 1850, 2400, "MHz", "clock of an SM",               \
      "published for the RTX 5090; else assumed")                              \
    X(SCHEDULERS, "schedulers", 4, 4, 4, "", "schedulers of an SM", "[P]")     \
    X(OVERLAP, "overlap", 2, 2, 2, "", "independent instructions of a warp",   \
      "assumed")                                                               \
    X(LAUNCH, "launch", 1000, 1000, 1000, "cycles", "start of a CTA",          \
      "assumed")                                                               \
    X(REQUEST, "request", 500, 600, 800, "cycles",                             \
      "try_cancel until its answer is there", "assumed: an L2 access or two")  \
    X(BARRIER, "barrier", 20, 20, 20, "cycles",                                \
      "from the last arrival at a barrier or mbarrier of the CTA", "assumed")  \
    X(CLUSTER, "cluster", 200, 200, 200, "cycles", "the same, of a cluster",   \
      "[L24]: an access to another SM takes 180")                              \
    X(COPY, "copy", 600, 800, 1000, "cycles",                                  \
      "asynchronous copy until its bytes are there", "assumed")                \
    X(ARRIVE, "arrive", 0, 0, 0, "cycles",                                     \
      "a kernel of higher priority arrives (0: none does)", "a question")      \
    X(HOLD, "hold", 10000, 10000, 10000, "cycles",                             \
      "it stays for so long once it has every place", "a question")            \
    X(GLOBAL, "global", 400, 600, 800, "cycles",                               \
      "global memory, caches and DRAM together",                               \
      "between L2 and DRAM of [L24], [J25]")                                   \
    X(SHARED, "shared", 30, 30, 30, "cycles", "shared memory", "[L24], [J25]") \
    X(LOCAL, "local", 30, 40, 40, "cycles", "local memory, from L1",           \
      "[L24], [J25]")                                                          \
    X(CONSTANT, "constant", 8, 8, 8, "cycles", "constants and parameters",     \
      "assumed")                                                               \
    TIMING_KIND_VALUES(X)

// Issue slots and latency of each kind of instruction (DeviceKind), in the
// order of the kinds: ISSUE_k is followed by LATENCY_k.
#define TIMING_KIND_VALUES(X)                                                 \
    TIMING_KIND(X, INTEGER, "integer", 1, 2, 1, 4, 4, 4, "[P] of 9.0; [J25]", \
                "[J25]")                                                      \
    TIMING_KIND(X, FLOAT16, "float16", 1, 1, 1, 4, 4, 4, "[P]", "[J25]")      \
    TIMING_KIND(X, FLOAT32, "float32", 1, 1, 1, 4, 4, 4, "[P]", "[J25]")      \
    TIMING_KIND(X, FLOAT64, "float64", 4, 2, 64, 16, 8, 64, "[P]", "assumed") \
    TIMING_KIND(X, CONVERT, "convert", 2, 2, 2, 8, 8, 8, "[P]", "assumed")    \
    TIMING_KIND(X, COMPARE, "compare", 1, 2, 1, 4, 4, 4, "[P] of 9.0; [J25]", \
                "assumed")                                                    \
    TIMING_KIND(X, MOVE, "move", 1, 1, 1, 4, 4, 4, "assumed", "assumed")      \
    TIMING_KIND(X, LOAD, "load", 2, 2, 2, 0, 0, 0, "assumed", "by its space") \
    TIMING_KIND(X, STORE, "store", 2, 2, 2, 0, 0, 0, "assumed",               \
                "nobody waits")                                               \
    TIMING_KIND(X, ATOMIC, "atomic", 4, 4, 4, 0, 0, 0, "assumed",             \
                "by its space")                                               \
    TIMING_KIND(X, ASYNC, "async", 4, 4, 4, 0, 0, 0, "assumed",               \
                "nobody waits")                                               \
    TIMING_KIND(X, CONTROL, "control", 1, 1, 1, 10, 10, 10, "assumed",        \
                "assumed")                                                    \
    TIMING_KIND(X, BARRIER, "barrier", 1, 1, 1, 10, 10, 10, "assumed",        \
                "assumed")                                                    \
    TIMING_KIND(X, WARP, "warp", 2, 4, 4, 20, 24, 24, "[P]", "assumed")       \
    TIMING_KIND(X, OTHER, "other", 1, 1, 1, 4, 4, 4, "assumed", "assumed")

#define TIMING_KIND(X, ID, name, i1, i2, i3, l1, l2, l3, issue_from, from)    \
    X(ISSUE_##ID, "issue." name, i1, i2, i3, "slots", "issue of " name,       \
      issue_from)                                                             \
    X(LATENCY_##ID, "latency." name, l1, l2, l3, "cycles", "result of " name, \
      from)

typedef enum TimingValue {
#define TIMING_ENUM(id, name, mini, b200, rtx5090, unit, what, from) \
    TIMING_##id,
    TIMING_VALUES(TIMING_ENUM)
#undef TIMING_ENUM
        TIMING_VALUE_COUNT
} TimingValue;

enum { TIMING_MOST = 1000000 }; // maximum of any figure

typedef struct TimingModel {
    uint32_t values[TIMING_VALUE_COUNT];
    bool arrival_stays; // as in DeviceLaunch
} TimingModel;

// The figures of "mini", "b200" or "rtx5090". False for any other name.
bool timing_model_find(Str name, TimingModel *out);
// Changes one figure: "global=500". False, with a Diag, for an unknown name,
// for a value that is not a number, and for a number out of range (at most
// TIMING_MOST; clock, schedulers and overlap at least 1).
bool timing_model_set(TimingModel *model, Str setting, Diags *diags);

// ---- the engine ----------------------------------------------------------

// What the engine has to know about a launch.
typedef struct TimingShape {
    uint32_t sm_count;
    uint32_t ctas_per_sm; // places for CTAs on an SM
    uint32_t warps_per_cta;
} TimingShape;

// A straight run of instructions of one warp, counted in warp-instructions (an
// instruction counts once, however many of its lanes are active).
typedef struct TimingRun {
    uint32_t kinds[DEVICE_KIND_COUNT];
    // The loads and atomics among them whose results the warp waits for, by the
    // space that they accessed. Constants are included.
    uint32_t reads[DEVICE_SPACE_COUNT];
} TimingRun;

typedef struct Timing Timing;

// The result lives as long as the arena. Its memory depends on the number of
// places, not on the length of the run: about 2 KiB per place, and 4 KiB per
// scheduler.
Timing *timing_start(Arena *arena, const TimingModel *model, TimingShape shape);

// The CTAs of a cluster start together, as soon as there are free places: `sms`
// and `blocks` (linear indices) describe its `count` CTAs. Returns a number for
// each, for the calls below; numbers are reused after timing_cta_exit. Each SM
// named must have a free place.
void timing_cluster_start(Timing *t, const uint32_t *sms,
                          const uint32_t *blocks, uint32_t count,
                          uint32_t *ctas);
void timing_run(Timing *t, uint32_t cta, uint32_t warp, const TimingRun *run);
// The cycle at which the warp could issue its next instruction.
uint64_t timing_now(const Timing *t, uint32_t cta, uint32_t warp);

// The same, read by the warp. If it does nothing but poll a clock, its time
// goes on by an eighth of what it has waited, each time, so that a long wait is
// soon run.
uint64_t timing_clock(Timing *t, uint32_t cta, uint32_t warp, bool polls);

// Waiting. An event is a cycle number that the waiting side stores: it starts
// at 0, and the time of each arrival (of a warp, an answer, bytes) raises it.
void timing_arrive(const Timing *t, uint32_t cta, uint32_t warp,
                   uint64_t *event);
// The warp continues at `event` plus the latency `after`: TIMING_BARRIER for a
// barrier or mbarrier of the CTA, TIMING_CLUSTER for one of the cluster. Has no
// effect if the warp's clock is later already. To be called for waits that
// succeed at once, too.
void timing_resume(Timing *t, uint32_t cta, uint32_t warp, uint64_t event,
                   TimingValue after);
// A warp sleeps (nanosleep).
void timing_sleep(Timing *t, uint32_t cta, uint32_t warp, uint64_t nanoseconds);
// When something that the warp starts now will arrive: the answer to a request
// (TIMING_REQUEST), or the bytes of an asynchronous copy (TIMING_COPY).
uint64_t timing_done_at(const Timing *t, uint32_t cta, uint32_t warp,
                        TimingValue what);

// A kernel of higher priority arrives at cycle "arrive" and wants every place.
// Whether it waits for the one that the warp is on: then requests are refused.
bool timing_is_wanted(const Timing *t, uint32_t cta, uint32_t warp);
// Whether it has been given some place and waits for others: then no cluster is
// to be started. It stays for "hold" cycles after the last, or for good.
bool timing_withholds(const Timing *t);
// It goes before it has been given every place: if those that have some wait
// for a cluster that has not started. To be refused is still all they get.
void timing_let_go(Timing *t);

// The warp enters or leaves the watched function.
void timing_prologue(Timing *t, uint32_t cta, uint32_t warp, bool enters);
// The warp's CTA continues with another block.
void timing_block(Timing *t, uint32_t cta, uint32_t warp, uint32_t block);
// Called after the last instruction of its last warp. Its place becomes free.
void timing_cta_exit(Timing *t, uint32_t cta);

// Adds an event to the timeline; `order` is filled in here.
void timing_event(Timing *t, DeviceEvent event);

// Ends the spans of CTAs that never exited; the spans are sorted by place and
// time, the events by time. The result's memory is from `arena`.
DeviceTimeline timing_finish(Timing *t, Arena *arena);

#endif
