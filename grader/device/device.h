// SPDX-License-Identifier: Apache-2.0
// device: what check/ asks of a GPU, whoever plays it: vm/ by interpretation,
// gpu/ by the driver. Interface only, no code.
//
// Use: load a module; get buffers; write them and constants; launch; read the
// buffers and the DeviceRun. Every launch starts from a freshly loaded module:
// device globals have their initial values, then the writes since the last
// launch with device->ops->write_symbol are applied.
#ifndef CLCLAB_DEVICE_H
#define CLCLAB_DEVICE_H

#include "base/base.h"
#include "ptx/ptx.h"
#include "result/finding.h"
#include "result/run.h"

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
