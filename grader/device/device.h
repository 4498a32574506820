// SPDX-License-Identifier: Apache-2.0
// device: the interface through which check/ uses a GPU. vm/ implements it by
// interpretation, gpu/ by the driver. Interface only, no code.
//
// To use it: load a module; allocate buffers; write to them and to constants;
// launch; read the buffers and the DeviceRun. A launch starts from a freshly
// loaded module: device globals have their initial values, then the writes made
// with device->ops->write_symbol since the load are applied. A launch that
// keeps the variables finds them as the last launch since the load left them,
// but for those that have been written since.
#ifndef CLCLAB_DEVICE_H
#define CLCLAB_DEVICE_H

#include "base/base.h"
#include "ptx/ptx.h"

// What a launch gives, and what it is told to record (run.h, wish.h of
// result/): named here, and taken in by whoever looks into them. So a new case
// of a rule compiles what speaks of cases, and no more.
typedef struct DeviceRun DeviceRun;
typedef struct TraceWish TraceWish;

// ---- watching writes -----------------------------------------------------

// Records which blocks stored to a buffer. The buffer is divided into pieces (a
// block's elements), and the first writers of each piece are kept; and of each
// element whether one cluster stored to it, or several did.
enum { WATCH_WRITERS = 16 };

typedef struct WatchPiece {
    uint32_t stores; // into elements of the piece: each thread's, each counted
    uint32_t writer_count; // distinct started CTAs; if they are more than
                           // WATCH_WRITERS, only that there are more
    uint32_t writers[WATCH_WRITERS]; // their linear block indices
    SrcLoc at;                       // of the last store
    uint64_t cycle;  // modelled, of the last store; 0 if time is not modelled
    SrcLoc called;   // the outermost of the calls that led to it, or `at`
    SrcLoc first_at; // the same of the first store
    SrcLoc first_called;
    SrcLoc index_from[2]; // lines that the first store's address comes from
    SrcLoc index_read[2]; // where it comes from shared memory, in that address
    SrcLoc value_from[2]; // and its value; line 0: not known
    SrcLoc index_cut;     // where a block's index in that address is cut
    uint32_t index_bits;  // to so many bits; 0: nowhere
    bool is_refused;      // a thread stored into it that had read a refusal:
    SrcLoc index_unset;   // then what goes into the address of its first such
                          // store, and is left out after a refusal
    SrcLoc staged_at[2];  // that value came through shared memory: where it
                          // was stored there, and where that is computed
} WatchPiece;

// Of 4 bytes of the buffer. CTAs are linear block indices + 1; 0: none.
typedef struct WatchElement {
    uint32_t first; // the first CTA that stored there
    uint32_t other; // the first of those of another cluster
} WatchElement;

// A CTA stored to an element, as in WatchElement.
typedef struct WatchTouch {
    uint32_t element, cta;
} WatchTouch;

typedef struct Watch {
    uint32_t buffer;          // its index, as alloc gave it
    const uint32_t *piece_of; // [bytes of the buffer / 4]: the piece that each
                              // 4 bytes belong to; less than count. NULL: all
                              // are one piece, of which no elements are kept
    size_t count;
    WatchPiece *pieces;     // [count]: filled in by the launch
    WatchElement *elements; // [bytes / 4], likewise; NULL: the device cannot
    WatchTouch *touches;    // [touch_most], the caller's: stores in their order
    size_t touch_count, touch_most; // without piece_of: so many are kept
} Watch;

// ---- launching -----------------------------------------------------------

typedef enum DeviceStrategy {
    STRATEGY_ROUND_ROBIN,  // the plain schedule: everything in turn
    STRATEGY_RANDOM,       // every choice comes from the seed; some refusals
    STRATEGY_ALL_STEAL,    // every request is granted while blocks are pending;
                           // clusters are launched in reverse order
    STRATEGY_NO_STEAL,     // every request is refused
    STRATEGY_REFUSE_EARLY, // the first requests are refused: blocks are pending
    STRATEGY_ONE_SM,       // one SM
    STRATEGY_LATE_CTA,     // one CTA of each cluster runs far behind the others
    STRATEGY_SLOW_ANSWER,  // answers take long
    STRATEGY_PCT,          // the warp of the highest random priority runs
    STRATEGY_PATIENCE,     // whoever polls an mbarrier does so alone, for long
    STRATEGY_STALL,        // whoever has released stops behind that
    STRATEGY_COUNT
} DeviceStrategy;

typedef struct DeviceSchedule {
    uint64_t seed;
    DeviceStrategy strategy;
    // STRATEGY_PCT: the depth d of the bugs that it looks for, and k: the d - 1
    // steps at which a priority changes are among the first k of the run.
    uint32_t depth;
    uint64_t steps;
    // STRATEGY_STALL: a number that says behind which releases.
    uint32_t site;
    // After `switches` context switches, warps take turns as in the plain
    // schedule.
    bool is_limited;
    uint64_t switches; // is_limited: the number of context switches
    bool
        in_order; // clusters are launched, and granted, in order of their index
    // The plain schedule starts a cluster when those before it have ended, or
    // come no further alone, rather than as many as the device can hold: what
    // few of them work on stays in the caches. Kernels with requests do not.
    bool one_by_one;
} DeviceSchedule;

// An exhaustive search of a launch's schedules: each launch that names it runs
// the next one. All zero: none has run yet.
typedef struct DeviceExploration {
    bool is_naive;     // set by the caller: also orders that are equivalent
    Arena arena;       // used by the device; the caller frees it at the end
    void *state;       // used by the device
    bool is_redundant; // the last launch was cut short, as the rest of it was
                       // equivalent to an earlier one
    bool is_complete;  // no schedule is left
    bool is_too_large; // the last launch had too many steps, or processes: it
                       // was cut short, and the search cannot go on
} DeviceExploration;

typedef struct DeviceLaunch {
    Str kernel;
    uint32_t grid[3], block[3];
    // The launch has these clusters left, by linear index, in the order in
    // which they are launched and granted; the others are taken to have run
    // before. NULL: all. A card knows no such launch.
    const uint32_t *only;
    size_t only_count;
    uint32_t cluster[3];   // all 1: not given (the kernel's own size applies)
    uint32_t dynamic_smem; // bytes
    const void *args;      // the parameter block, laid out as the kernel's
    size_t arg_bytes;
    DeviceSchedule schedule;
    DeviceExploration *exploration; // NULL: run `schedule`
    uint64_t step_limit; // thread-instructions; 0: the device's default
    // Bytes for the registers, local and shared memory of the blocks that are
    // resident together, calls included; 0: the device's default.
    uint64_t memory_limit;
    // Bit 1 << DeviceRule: findings of this rule are not wanted. Faults, which
    // end a run, are reported all the same. UINT64_MAX: as fast as possible.
    uint64_t unchecked;
    // Computing with what nobody has written is an error (MEM003) in memory
    // that outlives a launch, too. False: an advisory, unless it decides where
    // a thread goes, or what it accesses.
    bool unwritten_is_error;
    // A read behind a flag, by relaxed accesses, that finds an older value, as
    // the memory model allows, is an error (RACE001) where that decides where a
    // thread goes, or what it accesses. False: an advisory. Where a schedule
    // has such reads, they find older values in both cases.
    bool stale_is_error;
    // Of the heap of malloc; 0: 8 MiB, the default of a GPU.
    uint64_t heap_bytes;
    // Of each thread's stack, in a program that calls itself; 0: the default.
    uint64_t stack_bytes;
    // The most clusters, and chains, that the ledger lists; 0: all. Its totals
    // always include all clusters.
    uint32_t ledger_most;
    Str prologue; // name of the function whose calls are counted
    // Model time for this launch, even if the device was not told to for all
    // launches. A device that cannot model time leaves DeviceRun.is_timed
    // false.
    bool is_timed;
    bool is_untimed; // do not, even if the device was told to for all launches
    // Record what happens; NULL: do not. A device that cannot leaves
    // DeviceRun.trace NULL.
    const TraceWish *trace;
    uint64_t arrival; // cycle at which a kernel of higher priority arrives; 0:
                      // none, unless the device was told of one
    bool arrival_stays; // for good: the run ends when it has every place, and
                        // what has not started by then never does
    // Not the first launch since the load: variables keep their values. A card
    // does not do this: there each launch is a process of its own.
    bool keeps_variables;
    // Where a grid whose blocks all run together synchronises: 8 zeroed bytes
    // that %envreg1 and %envreg2 name. 0: it cannot.
    uint64_t grid_workspace;
    uint64_t records_most; // bytes that the order of accesses is kept in; 0: as
                           // the device likes
    size_t output_most; // bytes that are kept of what printf prints; 0: 64 KiB
    Watch *watches;
    size_t watch_count;
} DeviceLaunch;

typedef struct DeviceInfo {
    // "vm:mini"; for a GPU, this also says how it runs the loaded module.
    Str name;
    // A real GPU: it knows no watches, counters, places in the source or
    // requests in flight, and of a schedule it applies only the refusals.
    bool is_card;
    uint32_t sm_count;
    uint32_t max_threads_per_block;
} DeviceInfo;

typedef struct Device Device;

#define DEVICE_FIT_UNKNOWN UINT32_MAX

// Functions return false, with a Diag, for a fault of the caller or of the
// machine. A kernel's mistake is a Finding, in the run.
typedef struct DeviceOps {
    void (*info)(Device *device, DeviceInfo *out);
    // How many blocks of this shape fit on one SM at a time (0: none does;
    // DEVICE_FIT_UNKNOWN: the GPU did not say).
    uint32_t (*blocks_per_sm)(Device *device, Str kernel,
                              uint32_t threads_per_block,
                              uint32_t dynamic_smem);
    // Frees all buffers. The module must live until the next load or the end of
    // the device.
    bool (*load)(Device *device, const PtxModule *module, Diags *diags);
    // A zeroed buffer, aligned to 256 bytes. *index counts the buffers from 0
    // since the load; *address is the pointer that a kernel gets.
    bool (*alloc)(Device *device, uint64_t bytes, uint32_t *index,
                  uint64_t *address, Diags *diags);
    bool (*write)(Device *device, uint32_t buffer, uint64_t offset,
                  const void *bytes, uint64_t count);
    bool (*read)(Device *device, uint32_t buffer, uint64_t offset, void *bytes,
                 uint64_t count);
    // Sets a __device__ or __constant__ variable for all later launches. False
    // if there is no such symbol, or if it is smaller than `count` bytes.
    bool (*write_symbol)(Device *device, Str name, const void *bytes,
                         uint64_t count);
    // The address of the function of the module that has this name, or the
    // one that a variable of this name holds before a launch. False: there is
    // none. NULL: the device cannot tell.
    bool (*function)(Device *device, Str name, uint64_t *address);
    // The buffer counts as not written: reading it is MEM003. NULL: the device
    // cannot tell.
    void (*forget)(Device *device, uint32_t buffer);
    bool (*launch)(Device *device, Arena *arena, const DeviceLaunch *launch,
                   DeviceRun *run);
    void (*close)(Device *device);
} DeviceOps;

struct Device {
    const DeviceOps *ops;
};

#endif
