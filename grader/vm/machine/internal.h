// SPDX-License-Identifier: Apache-2.0
// The structures of the virtual machine, private to this room.
//
//   Vm ── program (decoded code) ── functions ── VmInstr[]
//    ├── buffers: global memory        ├── requests: try_cancel and its answer
//    └── clusters ── CTAs ── warps ── fragments ── frames (registers)
//
// A warp's registers are warp-wide: register r is an array of 32 lanes, so one
// handler call does one instruction for all active lanes. Lanes of a warp that
// took different ways are fragments: each has a mask, a pc and a frame.
//
// The files, in an order to read them in. What they call of each other is in
// machine.h, or in a header of their own, which then says what they are about.
//
//   vm.c          the Device, its models of GPUs, a launch
//   program.c     what a kernel reaches, and where; registers.c: in frames
//   decode.c      PTX -> VmInstr; support.h: of which instructions; fold.c:
//                 what all threads share; kept.c: what was decoded before
//   exec_*.c      handlers, by family, once for each level of isa.c; hint.c
//                 and fence.c: those that change no value; numbers.c, half.h,
//                 approx.h, atomic.c, atomic_half.c: what they compute
//   run.c         one warp: fragments, frames, the interpreter loop
//   sched.c       SMs, warps, ticks; pct.c, heap.c: warps with priorities
//   explore.c     exhaustive search; dependence.c: which steps commute
//   memory.c      from an address to bytes; stack.c: local memory
//   sync.c        barriers; mbarrier.c; stale.c: waits that were over at once;
//                 aligned.c, rendezvous.c: lanes that have to be together
//   clc.c         requests, their arbiter; clc_query.c: answers, the ledger
//   copy.c        asynchronous copies are issued; async.c: they happen
//   builtins.c    printf, assert; runtime.c: malloc, free
//   order.c       what happens before what, in clocks (clock.c); order_run.c,
//                 copy_order.c: the same of CTAs, of copies
//   shadow.c      who accessed each byte last; race.c: two that are in no order
//   opaque.c      the bytes of an answer; unwritten.c: reads of nothing;
//                 flow.c: where the value of a register goes, for both
//   report.c      findings; stuck.c: deadlocks, endless runs
//   counters.c    what was executed; time.c, timing.c: modelled time
#ifndef CLCLAB_VM_MACHINE_INTERNAL_H
#define CLCLAB_VM_MACHINE_INTERNAL_H

#include "vm/vm.h"

enum {
    VM_LANES = 32,
    VM_MAX_CLUSTER = 16, // CTAs (PTX ISA: 8 portable, 16 at most)
    VM_NAMED_BARRIERS = 16,
    VM_MAX_THREADS = 1024,    // of a CTA
    VM_MAX_DEPTH = 256,       // frames of a warp's call stack
    VM_RESERVED_SMEM = 512,   // bytes, where a kernel asks for its place
    VM_MAX_FRAME = 64 << 20,  // bytes of one, for a warp
    VM_MAX_LOCAL = 512 << 10, // bytes of local memory of a thread (CUDA's)
    VM_LOCAL_GROWTH = 2,      // it is taken so many times what is needed
    VM_COPY_TIMES = 8,        // groups of copies that the time model knows
};
#define VM_FULL 0xFFFFFFFFu
#define VM_NONE UINT32_MAX

typedef struct Vm Vm;
typedef struct VmCluster VmCluster;
typedef struct VmCta VmCta;
typedef struct VmWarp VmWarp;
typedef struct VmFrame VmFrame;
typedef struct VmInstr VmInstr;
typedef struct VmFunc VmFunc;
typedef struct VmIsa VmIsa;
typedef struct VmTime VmTime;
typedef struct VmKept VmKept;
typedef struct VmExplorer VmExplorer;
typedef struct VmClock VmClock;
typedef struct VmOrder VmOrder;
typedef struct VmOpaque VmOpaque;

// ---- addresses -----------------------------------------------------------
//
//   63      40 39                                  0
//   +---------+------------------------------------+   generic and global:
//   | buffer  | offset in it                       |   buffer numbers from 1
//   +---------+------------------------------------+
//   VM_WINDOW_SHARED in the upper part: the low 32 bits are a shared address;
//   VM_WINDOW_LOCAL: the low 32 bits are a local address.
//   VM_WINDOW_CODE: a function; nothing can be read there.
//
//   31    24 23                        0
//   +-------+---------------------------+   shared: rank + 1 of a CTA of the
//   | rank+1| offset in its memory      |   cluster, or 0: the own CTA.
//   +-------+---------------------------+   Offsets start at VM_SHARED_BASE, so
//   that a null pointer is nobody's.

enum { VM_BUFFER_SHIFT = 40, VM_RANK_SHIFT = 24, VM_SHARED_BASE = 1024 };
#define VM_OFFSET_MASK ((UINT64_C(1) << VM_BUFFER_SHIFT) - 1)
#define VM_WINDOW_SHARED (UINT64_C(0x7FFF01) << VM_BUFFER_SHIFT)
#define VM_WINDOW_LOCAL (UINT64_C(0x7FFF02) << VM_BUFFER_SHIFT)
#define VM_WINDOW_CODE (UINT64_C(0x7FFF03) << VM_BUFFER_SHIFT)

// ---- decoded code --------------------------------------------------------

typedef enum VmNext {
    VM_GO,     // on to the next instruction of this fragment
    VM_SWITCH, // the fragments of the warp changed: choose again
    VM_STOP,   // the run is over
} VmNext;

typedef VmNext (*VmHandler)(VmWarp *warp, const VmInstr *in, uint32_t mask);

// Where an operand's 32 lanes are: base[sel] + off of the current frame.
// A predicate is one 32-bit mask, whatever the number of lanes.
typedef struct VmRef {
    uint32_t off;
    uint32_t reg; // register number, for poison; VM_NONE: not a register
    uint8_t sel;  // 0 registers of the frame, 1 constants of the function
    uint8_t size; // bytes a lane: 2, 4, 8, 16; 0: a predicate
    bool negated; // predicate operands
} VmRef;

enum { VM_MAX_SRC = 10, VM_MAX_DST = 8 };

// Memory orders and scopes of the PTX memory model (PTX ISA, "Memory
// Consistency Model"). `volatile` is relaxed at system scope, and nothing here
// tells the system from the GPU.
typedef enum VmSem {
    SEM_WEAK,
    SEM_RELAXED,
    SEM_ACQUIRE,
    SEM_RELEASE,
    SEM_ACQ_REL, // and .sc
} VmSem;
typedef enum VmScope {
    SCOPE_CTA,
    SCOPE_CLUSTER,
    SCOPE_GPU,
    SCOPE_COUNT
} VmScope;

// Where a value of a call is: an argument or result of the caller, or a formal
// one of the callee. Lane-major, so that a whole warp is one copy.
typedef struct VmPlace {
    uint32_t off;   // base[sel] + off of the frame
    uint32_t bytes; // a lane; 0: a result that nobody wants
    uint8_t sel;    // as of VmRef
} VmPlace;

typedef struct VmCall {
    const PtxFunc *target; // NULL: what the pointer in src[0] leads to
    const VmFunc *callee;  // of target; NULL: it has no body
    VmPlace *args, *results;
    uint32_t arg_count, result_count;
} VmCall;

// One decoded instruction. What dispatch and plain handlers read comes first.
// `op` and `type` are the PTX's; what the other fields mean depends on the
// handler, which stands in the file of its family.
//
// A run is a straight line of plain instructions without guards: the handler
// of each calls the next one's through `next`, and only the last comes back to
// the loop. Branches lead to the start of a run, never into one. Where nobody
// watches, a run ends with the branch or the barrier behind it.
struct VmInstr {
    VmHandler handler;
    VmHandler next; // plain: the next of the run; vm_op_run_ends after the last
    uint32_t run;   // instructions of the run from here; 0: it is in none
    uint32_t steps; // of these, with what was folded
    uint32_t flags; // VmFlag of the family
    uint64_t imm;   // added to an address; other constants
    VmRef src[VM_MAX_SRC]; // memory: src[0] is the address, if a register
    VmRef dst[VM_MAX_DST];
    uint32_t guard;     // offset of the guard predicate; VM_NONE: unguarded
    uint32_t guard_reg; // its register number
    bool guard_negated;
    bool plain;      // the handler ends with VM_NEXT
    bool is_visible; // others can observe it, or one of the run from here
    bool splits;  // may block or branch: lanes whose guard is false part first
    bool closes;  // may end a run: it has no guard or looks at it itself
    bool aligned; // the live lanes of a warp execute it together (SYNC002)
    uint8_t src_count, dst_count;
    uint8_t space;         // memory: PtxSpace
    uint8_t vector;        // memory: elements
    uint8_t width;         // memory: bytes of an element
    uint8_t scope_cluster; // shared::cluster addresses allowed
    uint8_t type, type2;
    uint8_t sem;           // VmSem; weak where no suffix says more
    uint8_t scope;         // VmScope
    uint16_t op;           // PtxOp
    uint32_t target;       // branch: pc; sreg: PtxSreg
    uint32_t frame_stride; // parameter variables: bytes a lane
    uint32_t loc;          // index in PtxModule.locs
    uint64_t imm2;         // added to a second address
    uint32_t folded;       // instructions before it, in the text, that are
                           // computed already and count when it does
    uint32_t folded_steps; // that they would have taken
    bool is_branch;        // target is a label until the function is decoded
    uint8_t opaque;        // loads of answers: what is known (opaque.c)
    VmHandler traced;      // opaque.c stands before this handler; or NULL
    bool is_constant;      // a load whose value the launch fixes
    uint8_t looked_at, computed_with; // loads: elements (unwritten.c)
    const VmCall *call;
    const Str *note; // unsupported: why
    const PtxInstr *ptx;
};

enum VmFlag { // of arithmetic; other families have their own
    VM_FTZ = 1,
    VM_SAT = 2,
    VM_RZ = 4,
    VM_RM = 8,
    VM_RP = 16,
    VM_ROUNDING = VM_RZ | VM_RM | VM_RP,
};

// How often a run was executed, kept at its first instruction; and how often an
// instruction was executed alone.
typedef struct VmCount {
    uint64_t run_warps, warps;
    uint64_t run_threads, threads;
} VmCount;

struct VmFunc {
    const PtxFunc *ptx;
    VmInstr *code;   // ends with an exit or ret of its own
    VmCount *counts; // by pc
    uint32_t code_count, code_capacity;
    uint8_t *consts; // constant operands, 32 lanes each
    uint32_t const_bytes, const_capacity;
    uint32_t frame_bytes;      // registers, then parameter variables
    uint32_t reg_count;        // with temporaries
    uint32_t *reg_offsets;     // of PtxFunc.regs
    uint32_t *var_offsets;     // of PtxFunc.vars: frame (param), local, shared
    VmPlace *params, *results; // formal ones, in the frame
    uint32_t local_bytes;      // of one call, a thread
    uint32_t local_align;
    uint32_t *pc_of;  // by index of PtxInstr: where its code starts
    bool is_prologue; // the watched function
    bool decoded;
};

// A kernel with all that it can reach, laid out.
typedef struct VmProgram {
    const PtxFunc *kernel;
    VmFunc *entry;
    VmFunc **funcs;           // by PtxFunc.id; NULL: not reachable
    bool *used_vars;          // by PtxVar.id: named by reachable code
    uint32_t static_smem;     // bytes, from VM_SHARED_BASE
    uint32_t reserved_smem;   // of these, the system's: the first ones
    uint32_t dynamic_align;   // of the extern shared array
    uint32_t *shared_offsets; // of module-scope vars, by PtxVar.id
    uint32_t kernel_file;     // file of the kernel's own lines
} VmProgram;

// ---- global memory -------------------------------------------------------

typedef struct VmBuffer {
    uint8_t *bytes;
    uint64_t size;
    bool read_only;
    const PtxVar *var;  // of the module; NULL: from alloc, or malloc
    uint64_t heap_size; // bytes asked of malloc; 0: not from malloc
    bool is_freed;
    uint32_t heap_loc;   // malloc: of the call; once it is freed, of free
    uint8_t *written;    // malloc: bit by byte (unwritten.c); NULL: not kept
    uint64_t unwritten;  // bytes, where that is kept
    uint32_t next_freed; // is_freed: number of the one freed after it, or 0
    uint32_t **shadow;   // by page (shadow.c); NULL: nothing is recorded
    Watch *watch;        // of this launch
} VmBuffer;

// The heap of malloc: each allocation is a buffer of its own, behind those of
// the user. Numbers of freed ones are used again, but late, so that a stale
// pointer is caught.
typedef struct VmHeap {
    uint32_t first; // buffer number; 0: no allocation in this launch
    uint64_t used;  // bytes
    uint32_t freed_first, freed_last; // buffer numbers, the oldest first
    uint32_t freed_count;
} VmHeap;

// ---- threads -------------------------------------------------------------

struct VmFrame {
    uint8_t *regs; // func->frame_bytes
    const VmFunc *func;
    VmFrame *caller;     // or next free frame
    const VmInstr *site; // the call
    uint32_t return_pc;
    uint32_t lanes; // still in this frame
    uint32_t depth;
    uint32_t local_base; // of this call's local memory
    uint32_t *tops;      // alloca: by lane, the end of it; or NULL
    uint32_t *poison;    // by register: lanes with a refused index; or NULL
    VmOpaque *opaque;    // where bytes of answers are (opaque.c); or NULL
    uint32_t capacity;   // bytes at regs
    bool in_prologue;    // of the watched function, or called from there
};

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

// The last phase of an mbarrier that lanes of a warp have waited for (stale.c).
typedef struct VmPassed {
    uint32_t offset; // of the mbarrier, in the CTA's own shared memory
    uint32_t lanes;  // that have seen it over
    uint32_t stale;  // of these: that had seen it over before
    uint32_t loc;    // of their wait
    uint64_t phase;  // of the mbarrier then: those before it are over
} VmPassed;

struct VmWarp {
    uint8_t *base[2]; // of the running fragment: registers, constants
    VmFragment *frag; // the running one
    Vm *vm;
    VmCta *cta;
    uint32_t index; // in the CTA
    uint32_t live;  // lanes that have not exited
    uint32_t all;   // lanes that exist
    uint32_t fragment_count;
    uint32_t join_pc;      // where the running fragment meets another one
    uint32_t ready_at;     // position in vm->ready; VM_NONE: not in it
    uint32_t ran;          // instructions of this slice, before the present run
    uint32_t streak;       // slices in a row of the lowest-pc fragment
    uint64_t own_priority; // tuning.priorities: that it began with; unique
    uint64_t priority;     // in the heap; tuning.by_time: ~(cycle from which
                           // it can go on), as last looked at
    uint64_t busy;         // priorities: steps since it waited last
    uint32_t enabled_by;   // exploring: the step that made it ready (explore.h)
    VmFrame *free_frames;
    uint8_t *local;          // [lane][local_capacity]
    uint32_t local_capacity; // bytes a lane
    uint32_t *written; // by byte: lanes that wrote it (unwritten.c); or NULL
    uint32_t cluster_arrived;    // lanes between arrive and wait
    uint8_t prologues[VM_LANES]; // calls of the watched function
    bool yields;                 // the slice ends here
    uint32_t serial;             // of the launch; see clock.h
    VmClock *known[VM_LANES];    // by lane what it knows; all as [0],
    bool known_apart;            // unless they differ
    uint32_t cta_before;     // all lanes know of all threads of the CTA what
                             // they did before this time of order
    struct VmFences *fences; // order.c; NULL: it has executed none
    uint32_t agents;         // copy_order.c; 0: it has none
    uint32_t saw_refusal;    // lanes that have looked at a refusal
    uint32_t last_look;      // where one of them looked at an answer last
    // Modelled: when the copies of a group are done, and all before them; by
    // VmCopyGroup - 1 and the group's number modulo VM_COPY_TIMES.
    uint64_t copies_time[2][VM_COPY_TIMES];
    struct VmCopy *copies;         // under way, issued by its lanes (copy.h)
    uint32_t copy_count;           // of them
    uint32_t copy_group[VM_LANES]; // cp.async groups that a lane has committed
    uint32_t bulk_group[VM_LANES]; // bulk groups that a lane has committed
    uint32_t passed_count;         // of passed
    // From here on a new warp finds what an older one left.
    VmPassed passed[8];
    VmFragment fragments[VM_LANES];   // fragment_count of them
    uint64_t cluster_phase[VM_LANES]; // of cluster_arrived: phase at the arrive
    uint32_t cluster_at[VM_LANES];    // likewise: the time of order; 0: relaxed
};

typedef struct VmBarrier { // bar.sync, bar.arrive, bar.red
    uint32_t arrived;      // threads
    uint32_t expected;     // threads; 0: all that live
    uint32_t pop;          // bar.red: threads whose predicate is true
    uint64_t time;         // modelled: of the last arrival
    VmClock *clock;        // what those who arrived knew
    bool in_parts;         // not all of the CTA: it has their own entries
} VmBarrier;

// An mbarrier object (PTX ISA, "mbarrier"): its memory is typed while live.
typedef struct VmMbarrier {
    uint32_t offset; // in shared memory
    bool live;
    int32_t pending;  // arrivals still to come in this phase
    int32_t expected; // arrivals of each phase
    int64_t tx;       // bytes still to come; may be negative in between
    uint64_t phase;   // phases completed; its parity is the current phase's
    uint32_t init_loc;
    uint32_t in_flight; // requests whose answer will be counted here
    uint64_t unseen;    // first phase with an answer that no wait has covered,
                        // plus 1; 0: there is none
    uint64_t time;      // modelled: of the last arrival in this phase
    uint64_t done[2];   // modelled: of the completed phases, by parity
    VmClock *clock;     // what the arrivals in this phase released
    VmClock *over;      // the same of the phases completed
    uint32_t agent;     // that performs what completes here (clock.h)
    uint32_t init_who;  // who ran mbarrier.init, and when (clock.h)
    uint32_t init_time;
    bool takes_bytes; // or did: of copies, or of answers
    bool has_agent;   // something asynchronous completed here in this phase
} VmMbarrier;

// Shared memory that an answer is written to, or was copied to.
typedef enum VmSlotState {
    SLOT_IN_FLIGHT,
    SLOT_ANSWERED,
    SLOT_OBSERVED
} VmSlotState;
typedef struct VmSlot {
    uint32_t offset;   // in shared memory
    uint32_t request;  // the latest one
    uint32_t mbarrier; // offset
    VmSlotState state;
    uint16_t answer; // by bit: bytes of an answer, as they came
    uint64_t phase;  // ANSWERED: of the mbarrier, in which the bytes came
} VmSlot;

struct VmCta {
    VmCluster *cluster;
    uint32_t linear, id[3], rank, sm;
    uint32_t threads, live_threads;
    uint32_t warp_count;
    VmWarp *warps;
    uint8_t *smem; // smem_bytes; offset VM_SHARED_BASE is its first byte
    uint32_t smem_bytes;
    VmBarrier barriers[VM_NAMED_BARRIERS];
    VmMbarrier *mbarriers;
    uint32_t mbarrier_count, mbarrier_capacity;
    VmSlot *slots;
    uint32_t slot_count, slot_capacity;
    uint16_t *mbarrier_at; // by offset / 8: place among mbarriers, if its
                           // offset is this one; NULL: there is none
    uint16_t *slot_at;     // likewise of slots, by offset / 16
    uint32_t typed_from, typed_to; // bounds of the mbarriers and slots
    uint32_t chain;                // index in the ledger; VM_NONE: not listed
    uint32_t refusal_loc;          // where a refusal was observed, first
    uint32_t refusal_who;          // by whom, and when (clock.h)
    uint32_t refusal_time;
    bool observed_refusal;
    bool exited;
    uint32_t exit_loc;    // where its threads left the kernel, the last ones
    uint64_t late_until;  // tick before which it is held back
    uint32_t place;       // in the time model
    uint32_t owned;       // blocks: its own, and those whose index it decoded
    uint64_t exit_time;   // modelled: when the last lane so far exited
    uint32_t serial;      // of the launch; see clock.h
    uint32_t start;       // time of order at which it started
    uint32_t first_agent; // those before it were others'
    uint32_t *cells;      // shadow of its shared memory (shadow.c)
    uint32_t cell_count;
    struct VmReads *reads; // that are not in the cells yet (cell.h); or NULL
    uint32_t answers;      // that came to it
    VmCta *next_free;
};

struct VmCluster {
    Vm *vm;
    uint32_t index; // linear id of the cluster
    uint32_t cta_count;
    uint32_t live_ctas;
    VmCta *ctas[VM_MAX_CLUSTER];
    uint64_t phase;       // of the cluster barrier: completions
    uint32_t arrived;     // live threads
    uint32_t in_flight;   // requests without their answer, copies under way
    uint32_t resident_at; // position in vm->residents
    uint64_t time, done; // modelled: of arrivals at the barrier; its last phase
    uint64_t exit_time;  // modelled: when the last lane so far exited
    VmClock *clock;      // what those who arrived knew
    VmClock *over;       // the same of the last phase, complete
    bool is_relaxed;     // an arrival of this phase was
    VmCluster *next_free;
};

// ---- CLC -----------------------------------------------------------------

typedef struct VmRequest {
    VmCluster *cluster;      // of the requester; valid until answered
    uint32_t cta;            // linear id of the requester
    uint32_t thread;         // of the CTA
    uint32_t rank;           // of the requester
    uint32_t slot, mbarrier; // offsets
    uint32_t loc;            // of the learner's line
    bool multicast, forced_refusal;
    uint32_t granted; // cluster granted; VM_NONE: refused
    uint32_t taken;   // ranks that decoded the index
    // For the ledger: how it went with the answer.
    uint32_t decoded_loc;     // where the index was first decoded
    uint32_t again_loc;       // and again, when later answers had come
    uint32_t overwritten_loc; // of the request that took over its slot unread
    uint32_t taker;           // rank that took it first
    uint32_t answers_then;    // that this CTA had got by then
    bool asked;               // query_cancel saw the answer
    uint64_t time;            // modelled: when the answer is there
    uint32_t seen_loc; // where is_canceled first said yes; 0: nobody asked
} VmRequest;

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

typedef struct VmSm {
    uint32_t ctas; // resident
} VmSm;

// ---- the machine ---------------------------------------------------------

// What the strategy and the seed decide about a run (sched.c).
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

struct Vm {
    Device device; // first: a Device * is a Vm *
    const VmModel *model;
    const VmIsa *isa;
    VmTime *time;      // NULL: the launch is not timed
    VmTime *time_kept; // from one launch to the next; NULL: none was
    VmOrder *order;    // NULL: this launch does not check the order of accesses
    VmOrder *order_kept; // from one launch to the next
    Arena module_arena;  // lives as long as the loaded module
    Arena run_arena;     // lives as long as a launch
    const PtxModule *module;
    VmKept *kept;      // decoded programs of the module, the latest first
    VmBuffer *buffers; // [0] unused
    size_t buffer_count, buffer_capacity;
    uint32_t first_user_buffer; // those before it are the module's variables
    uint32_t *module_buffers;   // by PtxVar.id
    uint32_t param_buffer;      // the launch's parameter block
    VmHeap heap;                // malloc
    struct VmSymbolWrite *writes;

    // The launch.
    const DeviceLaunch *launch;
    const VmProgram *program;
    Arena *out; // of the caller: findings, ledger
    DeviceRun *run;
    uint32_t grid[3], block[3], cluster_dim[3], cluster_grid[3];
    uint32_t cluster_size, cluster_count, threads, smem_bytes;
    bool explicit_cluster;
    VmTuning tuning;
    Rng order_rng, clc_rng;
    uint64_t elect_seed;
    VmSm *sms;
    uint64_t tick; // warp-instructions so far
    uint64_t thread_instructions, step_limit;
    // Bytes read and written through generic addresses, and by st.bulk.
    uint64_t generic[2][DEVICE_SPACE_COUNT];
    uint64_t memory_left; // bytes that calls may still take
    uint64_t progress;    // changes of state that others can see
    uint64_t idle_progress;
    uint32_t idle_rounds;
    bool stopped;
    VmWarp **ready;
    size_t ready_count, ready_capacity;
    size_t cursor; // in ready
    uint64_t turns;
    const VmWarp *running; // whose slice it is, or was
    uint64_t switches;     // how often that has changed
    uint64_t steps;        // visible instructions so far
    uint64_t slice_end;    // steps at which the slice ends
    VmPct pct;
    VmExplorer *explorer; // exhaustive search; NULL: a schedule of its own
    VmEvent *events;      // heap by (at, serial)
    size_t event_count, event_capacity;
    uint64_t event_serial;
    uint8_t *cluster_states;    // LedgerState of each
    uint32_t *cluster_requests; // granted: the request
    uint32_t next_pending, pending_count, live_clusters;
    uint32_t launches_due;   // EVENT_LAUNCH under way
    struct VmCopies *copies; // asynchronous copies (copy.h); NULL: none yet
    uint32_t copies_in_flight;
    uint64_t async_bytes; // moved by them: 32 count as a thread-instruction
    uint64_t flow_visits; // instructions that were looked through (flow.h)
    VmRequest *requests;
    size_t request_count, request_capacity;
    VmCluster **residents;
    size_t resident_count, resident_capacity;
    VmCta *free_ctas;
    VmCluster *free_clusters;
    size_t finding_capacity;
    Finding *fault;       // that ended the run, if it was new
    const VmWarp *named;  // whose lanes vm_who_lane was last asked for,
    uint32_t named_lanes; // since its last finding
    Buf output;
};

#endif
