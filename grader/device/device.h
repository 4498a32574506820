// SPDX-License-Identifier: Apache-2.0
// device: what check/ asks of a GPU, whoever plays it: vm/ by interpretation,
// gpu/ by the driver. Interface only, no code but the table of rules.
//
// Use: load a module; get buffers; write them and constants; launch; read the
// buffers and the DeviceRun. Every launch starts from a freshly loaded module:
// device globals have their initial values, then the writes since the last
// launch with device->ops->write_symbol are applied.
#ifndef CLCLAB_DEVICE_H
#define CLCLAB_DEVICE_H

#include "base/base.h"
#include "ptx/ptx.h"

// ---- rules ---------------------------------------------------------------

// X(ID, "code", "what the rule asks for"). docs/semantics.md explains each.
#define DEVICE_RULES(X)                                                       \
    X(CLC001, "CLC001", "no request after an observed refusal")               \
    X(CLC002, "CLC002", "no index out of a refused answer")                   \
    X(CLC003, "CLC003", "no multicast request when a CTA has exited")         \
    X(CLC004, "CLC004", "no exit with a request in flight")                   \
    X(CLC005, "CLC005", "slot and mbarrier in the CTA's own shared memory")   \
    X(CLC006, "CLC006", "slot reuse is ordered by a proxy fence")             \
    X(CLC007, "CLC007", "answer read after its phase completed")              \
    X(CLC008, "CLC008", "answer decoded by query_cancel only")                \
    X(CLC009, "CLC009", "granted work is processed")                          \
    X(CLC010, "CLC010", "one slot a request; arrivals and bytes add up")      \
    X(CLC011, "CLC011", "multicast after all CTAs initialised their barrier") \
    X(BAR001, "BAR001", "mbarrier counts stay in their range")                \
    X(BAR002, "BAR002", "mbarrier used only while it is live")                \
    X(BAR003, "BAR003", "no init over a live mbarrier")                       \
    X(BAR004, "BAR004", "init ordered before another CTA's use")              \
    X(MEM001, "MEM001", "memory accesses stay in bounds")                     \
    X(MEM002, "MEM002", "memory accesses are aligned")                        \
    X(MEM003, "MEM003", "memory is written before it is read")                \
    X(MEM004, "MEM004", "a CTA's shared memory is used while it runs")        \
    X(MEM005, "MEM005", "constants and parameters are not written")           \
    X(RACE001, "RACE001", "conflicting accesses are ordered")                 \
    X(RACE002, "RACE002", "proxies are ordered by proxy fences")              \
    X(SYNC001, "SYNC001", "every thread a barrier waits for reaches it")      \
    X(SYNC002, "SYNC002", "aligned barriers by whole warps")                  \
    X(SYNC003, "SYNC003", "cluster barrier: arrive, then wait")               \
    X(SYNC004, "SYNC004", "every lane of a membermask comes")                 \
    X(DEADLOCK, "DEADLOCK", "somebody can always go on")                      \
    X(TRAP, "TRAP", "the kernel does not trap")                               \
    X(ASSERT, "ASSERT", "assertions hold")                                    \
    X(LIMIT, "LIMIT", "the kernel ends within the step limit")                \
    X(TIMEOUT, "TIMEOUT", "the kernel ends within a GPU's deadline")          \
    X(FAULT, "FAULT", "a GPU executes the kernel without a fault")            \
    X(UNSUPPORTED, "UNSUPPORTED", "the virtual machine has the instruction")

typedef enum DeviceRule {
    DEVICE_RULE_NONE,
#define DEVICE_RULE_ENUM(id, code, asks) RULE_##id,
    DEVICE_RULES(DEVICE_RULE_ENUM)
#undef DEVICE_RULE_ENUM
        DEVICE_RULE_COUNT
} DeviceRule;

typedef enum FindingLevel { FINDING_ERROR, FINDING_ADVISORY } FindingLevel;

typedef struct RelatedPlace {
    SrcLoc at;
    Str what;      // "the request was issued here"
    SrcLoc caller; // the outermost line that led there; `at`, if none did
} RelatedPlace;

// Who did it, as far as it is known.
enum { WHO_ANY_LANE = 32 };
typedef struct FindingWho {
    bool known;       // false: no thread in particular
    uint32_t cta;     // linear block index that the CTA was launched with
    uint32_t rank;    // of the CTA in its cluster
    uint32_t ctas;    // of a cluster
    uint32_t warp;    // in the CTA
    uint32_t warps;   // of a CTA
    uint32_t lane;    // WHO_ANY_LANE: not one alone
    uint32_t owned;   // blocks that the CTA had come to own; 0: not known
    uint32_t block;   // the last of them: its linear index
    uint32_t grid[3]; // blocks, for their names
} FindingWho;

// Where a mistake is mended: often not at the line where it showed. The parts
// of a kernel that steals; lab.conf says which of a lab's regions has which.
// X(ID, "name in lab.conf")
#define DEVICE_PARTS(X)                                                  \
    X(HERE, "here")         /* the line itself */                        \
    X(DECLARE, "declare")   /* the slot, its mbarrier, the phase */      \
    X(INIT, "init")         /* mbarrier.init, and what makes it known */ \
    X(ASK, "ask")           /* barrier, acquiring fence, request */      \
    X(ANNOUNCE, "announce") /* arrival and bytes */                      \
    X(WAIT, "wait")         /* for the answer */                         \
    X(DECODE, "decode")     /* the answer; leave, or go on */            \
    X(INDEX, "index")       /* out of it, to the work; or what work */   \
    X(RELEASE, "release")   /* the slot, to whoever asks next */         \
    X(LEAVE, "leave")       /* the end of the kernel */                  \
    X(PLAN, "plan")         /* launch_plan's number of blocks */

typedef enum DevicePart {
#define DEVICE_PART_ENUM(id, name) PART_##id,
    DEVICE_PARTS(DEVICE_PART_ENUM)
#undef DEVICE_PART_ENUM
        DEVICE_PART_COUNT
} DevicePart;

// One violation. Texts are complete, without a newline at the end. `at` is a
// place in the learner's own file where inlining allows it; `via` the library
// line that it came through (empty where it is the learner's own code).
typedef struct Finding {
    DeviceRule rule;
    FindingLevel level;
    SrcLoc at;
    SrcLoc via;
    Str what;     // what happened, with who: "thread 0 of block 3 ..."
    Str expected; // may be empty
    Str actual;   // may be empty
    Str missing;  // the order that was not there; may be empty
    Str help;     // what to try
    FindingWho who;
    RelatedPlace related[4];
    uint32_t related_count;
    // `at` is in a function that these lines of the same file called, the
    // innermost first, as far as no library stands between.
    SrcLoc callers[2];
    uint32_t caller_count;
    DevicePart cure; // where it is mended: at this place, if it is in one of
    SrcLoc cure_at;  // the learner's regions (line 0: not known), or in `cure`
    uint32_t cta;    // linear block index of the CTA concerned
    // Of an access to a buffer that two blocks disagree about (RACE001): which
    // buffer (as numbered by alloc), where in it, the other block.
    bool in_buffer;
    uint32_t buffer;
    uint64_t offset; // bytes; of an access to shared memory as well
    uint32_t bytes;  // of the access; 0: not said
    uint32_t other_cta;
    uint64_t step;        // when (warp-instructions since the launch)
    uint32_t occurrences; // same rule at the same place in this run
} Finding;

// ---- the ledger ----------------------------------------------------------

// What became of each cluster of the grid; a block without a cluster is a
// cluster of 1. Source: the device, never memory that the kernel can write.
typedef enum LedgerState {
    LEDGER_PENDING,  // neither launched nor granted when the run ended
    LEDGER_LAUNCHED, // started by the hardware's scheduler
    LEDGER_GRANTED,  // given to a request
} LedgerState;

typedef struct LedgerEntry { // one a cluster, in order of linear id
    LedgerState state;
    bool taken;        // granted: some CTA decoded its index
    uint32_t by_cta;   // granted: linear block index of the CTA that requested
    SrcLoc at;         // granted: the request's line
    bool asked;        // granted: query_cancel saw the answer
    bool overwritten;  // a later answer came to its slot before it was taken
    bool again;        // taken again by a CTA that had got a later answer since
    SrcLoc decoded_at; // taken: where first
    SrcLoc again_at;
} LedgerEntry;

// One a started CTA, in order of start: the blocks that it came to own: its
// own, then each whose index it decoded.
typedef struct LedgerChain {
    uint32_t cta;       // linear block index it was launched with
    uint32_t sm;        // where
    uint32_t prologues; // executions of the watched function (below)
    uint32_t *blocks;   // linear block indices, in order; [0] == cta
    size_t count, capacity;
} LedgerChain;

typedef struct Ledger {
    uint64_t grid;              // blocks in the grid
    uint64_t started;           // blocks that were launched
    uint64_t granted;           // blocks given away to requests ("canceled")
    uint64_t requests;          // requests answered
    uint64_t refused;           // requests refused, in all
    uint64_t refused_pending;   // of these, while clusters were pending
    uint64_t lost;              // blocks granted and never taken
    uint32_t most_in_flight;    // requests that a CTA had not seen answered
    uint32_t shortest, longest; // chains, in blocks; of those not listed, too
    LedgerEntry *entries;       // see DeviceLaunch.ledger_most
    size_t entry_count;
    LedgerChain *chains;
    size_t chain_count, chain_capacity;
} Ledger;

// ---- watching writes -----------------------------------------------------

// Who stored to a buffer: it is cut into pieces of `piece` bytes (a block's
// elements), and for each the first writers are kept.
enum { WATCH_WRITERS = 4 };

typedef struct WatchPiece {
    uint32_t stores;       // store operations of single threads into the piece
    uint32_t writer_count; // distinct started CTAs, saturating
    uint32_t writers[WATCH_WRITERS]; // their linear block indices
    SrcLoc at;                       // of the last store
} WatchPiece;

typedef struct Watch {
    uint32_t buffer;          // as numbered by alloc
    const uint32_t *piece_of; // [bytes of the buffer / 4]: the piece of each
                              // 4 bytes; below count
    size_t count;
    WatchPiece *pieces; // [count]: filled in by the launch
} Watch;

// ---- launching -----------------------------------------------------------

typedef enum DeviceStrategy {
    STRATEGY_ROUND_ROBIN,  // the plain one: everything in turn
    STRATEGY_RANDOM,       // every choice from the seed, some refusals
    STRATEGY_ALL_STEAL,    // every request is granted while blocks are pending
    STRATEGY_NO_STEAL,     // every request is refused
    STRATEGY_REFUSE_EARLY, // the first requests are refused, blocks pending
    STRATEGY_ONE_SM,       // one SM
    STRATEGY_LATE_CTA,     // one CTA of each cluster runs far behind the others
    STRATEGY_SLOW_ANSWER,  // answers take long
    STRATEGY_PCT,          // the warp of the highest random priority runs
    STRATEGY_COUNT
} DeviceStrategy;

typedef struct DeviceSchedule {
    uint64_t seed;
    DeviceStrategy strategy;
    // STRATEGY_PCT: the depth d of the bugs that it looks for, and k: among the
    // first k steps of the run are the d - 1 at which a priority changes.
    uint32_t depth;
    uint64_t steps;
    // From then on warps take turns as in the plain schedule.
    bool is_limited;
    uint64_t switches; // is_limited: context switches until then
} DeviceSchedule;

// All schedules of a launch, one after another: each launch that names it takes
// the next. All zero: none was taken yet.
typedef struct DeviceExploration {
    bool is_naive;     // the caller's: orders that make no difference, too
    Arena arena;       // the device's; the caller frees it at the end
    void *state;       // likewise
    bool is_redundant; // the last launch was cut short: it could only have done
                       // what an earlier one did
    bool is_complete;  // none is left
    bool is_too_large; // the last launch had too many steps, or processes: it
                       // was cut short, and no other can follow
} DeviceExploration;

typedef struct DeviceLaunch {
    Str kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   // all 1: none asked for (the kernel's own counts)
    uint32_t dynamic_smem; // bytes
    const void *args;      // the parameter block, laid out as the kernel's
    size_t arg_bytes;
    DeviceSchedule schedule;
    DeviceExploration *exploration; // NULL: `schedule` is the one
    uint64_t step_limit; // thread-instructions; 0: the device's default
    // Bytes for the registers, local and shared memory of the blocks that are
    // resident together, calls included; 0: the device's default.
    uint64_t memory_limit;
    // Bit 1 << DeviceRule: findings of this rule are not wanted. Faults, which
    // end a run, come all the same. UINT64_MAX: run as fast as can be.
    uint64_t unchecked;
    // The ledger lists the first so many clusters and chains; 0: all. Its
    // totals are of all clusters in any case.
    uint32_t ledger_most;
    Str prologue; // name of the function whose calls are counted
    // Model time (below), though the device was not told to for all launches;
    // a device that cannot leaves DeviceRun.is_timed false.
    bool is_timed;
    uint64_t arrival; // cycle at which a kernel of higher priority arrives; 0:
                      // none, or as the device was told
    Watch *watches;
    size_t watch_count;
} DeviceLaunch;

typedef enum RunStatus {
    RUN_DONE,        // every thread exited
    RUN_FAULT,       // stopped by a finding (the last one)
    RUN_DEADLOCK,    // nothing could go on
    RUN_LIMIT,       // step limit
    RUN_UNSUPPORTED, // an instruction that the device lacks
    RUN_REFUSED,     // the launch itself was not possible: see error
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

// X(ID, "name"): the state spaces whose traffic is counted. A generic address
// counts where it leads.
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
// A model for teaching (docs/time-model.md): what a launch might have looked
// like on a card.

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
    uint32_t sm, slot; // where: the SM, and which of its places for a CTA
    uint32_t cta;      // linear index of the block that was launched
    uint32_t block;    // linear index of the block that is being processed
} DeviceSpan;

// X(ID, "name"): what happens to mbarriers and to the slots of answers; what
// `value` of the event is.
#define DEVICE_EVENTS(X)                                                  \
    X(INIT, "init")       /* of an mbarrier: its count of arrivals */     \
    X(EXPECT, "expect")   /* bytes are announced: how many */             \
    X(ARRIVE, "arrive")   /* arrivals: how many */                        \
    X(BYTES, "bytes")     /* come in: how many */                         \
    X(PHASE, "phase")     /* completes: its parity */                     \
    X(WAIT, "wait")       /* a warp has seen a phase over: its parity */  \
    X(REQUEST, "request") /* its number */                                \
    X(ANSWER, "answer")   /* is written: the request's number */          \
    X(READ, "read")       /* of a slot by a warp: the request's number */ \
    X(FENCE, "fence")     /* between proxies, in both directions */       \
    X(RELEASE, "release") /* its half of the readers */                   \
    X(ACQUIRE, "acquire") /* its half of the one who asks */              \
    X(SYNC, "sync")       /* a warp has passed a barrier of its CTA */    \
    X(CLUSTER_SYNC, "cluster_sync") /* of its cluster */

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
    uint32_t order;  // in which the machine did it
    uint32_t cta;    // linear index of the block that was launched
    uint32_t warp;   // in the CTA; DEVICE_EVENT_NONE: the async proxy
    uint32_t at;     // byte of shared memory: the mbarrier, or the slot;
                     // DEVICE_EVENT_NONE: neither
    uint32_t value;  // see above
    uint32_t block;  // ANSWER: the first block granted, or DEVICE_EVENT_NONE
    int32_t pending; // of an mbarrier, after it: arrivals that are missing
    int32_t tx;      // and bytes
} DeviceEvent;

typedef struct DeviceSmTime {
    uint64_t issued; // issue slots used, of all schedulers of the SM
    uint64_t end;    // cycle at which its last CTA exited
    uint32_t ctas;   // started there
} DeviceSmTime;

typedef struct DeviceTimeline {
    uint64_t cycles;     // of the launch
    uint32_t places;     // for CTAs, of all SMs
    uint64_t ends;       // sum of the cycles at which they had their last exit
    uint64_t arrival;    // of a kernel of higher priority; 0: none
    uint64_t first_free; // cycles that it waited for a place,
    uint64_t all_free;   // and for all of them
    uint32_t clock_mhz;  // of the model: cycles / clock_mhz are microseconds
    uint32_t schedulers; // of an SM: cycles * schedulers issue slots there were
    DeviceSmTime *sms;
    uint32_t sm_count;
    DeviceSpan *spans; // of one place (sm, slot): in order of time
    size_t span_count, span_capacity;
    uint64_t spans_left_out; // there is a limit on them
    DeviceEvent *events;     // in order of time
    size_t event_count, event_capacity;
    uint64_t events_left_out;
} DeviceTimeline;

typedef struct DeviceRun {
    RunStatus status;
    bool allow_refusals; // the schedule could refuse while blocks were pending
    Diag error;          // RUN_REFUSED: why. A launch that gives false: why,
                         // with the code "BUSY" (try again later), "TARGET"
                         // (the GPU or its driver lacks something) or "DEVICE"
    Finding *findings;   // in order of time, one a rule and place
    size_t finding_count;
    Ledger ledger;
    uint64_t resident; // most blocks of this launch that fit on the device
    Str output;        // what printf printed (cut at 64 KiB)
    DeviceCounters counters;
    uint64_t steps;    // instructions of warps that others can observe: memory,
                       // atomics, barriers, asynchronous operations
    uint64_t switches; // context switches between warps
    uint64_t warps;    // that were started
    // The device was told to model time. On a card, which does not, the
    // timeline has the ends of its SMs alone, in nanoseconds.
    bool is_timed;
    DeviceTimeline timeline;
    double card_ms; // of the kernel, on a card; with the ledger's cost
} DeviceRun;

typedef struct DeviceInfo {
    // "vm:mini"; of a GPU also how it runs the module that is loaded.
    Str name;
    // A real GPU: no watches, counters, places in the source or requests in
    // flight are known, and a schedule is no more than its refusals.
    bool is_card;
    uint32_t sm_count;
    uint32_t max_threads_per_block;
} DeviceInfo;

typedef struct Device Device;

#define DEVICE_FIT_UNKNOWN UINT32_MAX

// All functions return false with a Diag for what is the caller's or the
// machine's fault; what the kernel does wrong is a Finding.
typedef struct DeviceOps {
    void (*info)(Device *device, DeviceInfo *out);
    // Blocks of this shape that fit on one SM at a time (0: none does;
    // DEVICE_FIT_UNKNOWN: a GPU that did not say).
    uint32_t (*blocks_per_sm)(Device *device, Str kernel,
                              uint32_t threads_per_block,
                              uint32_t dynamic_smem);
    // The module must outlive the device or the next load. Frees all buffers.
    bool (*load)(Device *device, const PtxModule *module, Diags *diags);
    // A zeroed buffer; *index numbers it from 0 since the load, *address is
    // what a kernel gets as a pointer. Aligned to 256 bytes.
    bool (*alloc)(Device *device, uint64_t bytes, uint32_t *index,
                  uint64_t *address, Diags *diags);
    bool (*write)(Device *device, uint32_t buffer, uint64_t offset,
                  const void *bytes, uint64_t count);
    bool (*read)(Device *device, uint32_t buffer, uint64_t offset, void *bytes,
                 uint64_t count);
    // Sets a __device__ or __constant__ variable for all launches to come.
    // False where there is no such symbol or it is smaller than `count`.
    bool (*write_symbol)(Device *device, Str name, const void *bytes,
                         uint64_t count);
    bool (*launch)(Device *device, Arena *arena, const DeviceLaunch *launch,
                   DeviceRun *run);
    void (*close)(Device *device);
} DeviceOps;

struct Device {
    const DeviceOps *ops;
};

#endif
