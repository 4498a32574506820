// SPDX-License-Identifier: Apache-2.0
// The virtual machine: a device and its launch, clusters, CTAs, warps.
//
//   Vm -- program (code/instr.h) -- functions -- VmInstr[]
//    |--- memory: buffers           |--- clc: try_cancel and its answer
//    `--- clusters -- CTAs -- warps -- fragments -- frames (registers)
//
// Registers are stored for a whole warp: register r is an array of 32 lanes, so
// one handler call executes an instruction for all active lanes. When lanes of
// a warp diverge, each group of them becomes a fragment with a mask, a pc and a
// frame of its own.
//
// Each room owns the structs of state/ that have its name; they depend on
// nothing but code/. They are combined here, so that every room can use a Vm, a
// VmCta or a VmWarp. A room changes its own part directly, and the parts of
// other rooms only through their headers.
#ifndef CLCLAB_VM_MACHINE_MACHINE_H
#define CLCLAB_VM_MACHINE_MACHINE_H

#include "vm/state/engine.h"
#include "vm/state/memory.h"
#include "vm/state/model.h"
#include "vm/state/order.h"
#include "vm/state/texture.h"
#include "vm/state/time.h"
#include "vm/state/trace.h"
#include "vm/state/turns.h"
#include "vm/state/units.h"

// ---- threads -------------------------------------------------------------

// A new warp is zeroed up to `memory`. The members from there on are
// initialised separately, or reused from the previous warp in this place.
struct VmWarp {
    uint8_t *base[2]; // in the running fragment: registers, constants
    VmFragment *frag; // the running fragment
    Vm *vm;
    VmCta *cta;
    uint32_t index; // in the CTA
    uint32_t live;  // lanes that have not exited
    uint32_t all;   // lanes that exist

    uint32_t regs; // of a thread (units/registers.c); 0: as at the start
    uint32_t regs_sets, regs_loc; // setmaxnreg: how many, and the last one
    uint32_t left; // lanes that left before a barrier, and were judged there
    uint32_t fragment_count;
    uint32_t join_pc; // where the running fragment meets another fragment
    uint32_t ran;     // instructions in this slice before the present run
    uint32_t serial;  // number in the launch; see clock.h
    bool yields;      // the slice ends after this instruction
    uint8_t prologues[VM_LANES]; // by lane: active calls of the watched
                                 // function
    uint32_t cluster_arrived;    // lanes between cluster arrive and wait
    VmWarpTurns turns;
    VmWarpOrder order;
    VmWarpClc clc;
    // Kept from here on.
    VmWarpMemory memory;
    VmWarpCopies copies;
    VmClock *known[VM_LANES]; // by lane: its clock; lanes share [0] unless
                              // order.known_apart is true; the next warp finds
                              // NULL
    VmPassed passed[VM_PASSED_MOST];      // order.passed_count of them
    VmArrival arrivals[VM_ARRIVALS_MOST]; // the last of order.arrived
    VmFragment fragments[VM_LANES];       // fragment_count of them
    uint64_t cluster_phase[VM_LANES];     // for cluster_arrived: the phase they
                                          // arrived in
    // For copies.group: the lane's marks behind the commit of a group, by the
    // group's number modulo VM_COPY_TIMES.
    uint32_t group_marks[VM_COPY_TIMES][VM_LANES];
    uint32_t cluster_at[VM_LANES]; // for cluster_arrived: the logical time of a
                                   // release; 0: relaxed
};

// A new CTA is zeroed up to `warps`, in the same way.
struct VmCta {
    VmCluster *cluster;
    uint32_t linear, id[3], rank, sm;
    uint32_t threads, live_threads;
    uint32_t free_regs; // registers in its pool (units/registers.c)
    uint32_t warp_count;
    uint32_t smem_bytes;
    bool exited;
    uint32_t exit_loc;   // where the last of its threads left the kernel
    uint64_t late_until; // tick before which it does not run
    VmBarrier barriers[VM_NAMED_BARRIERS];
    VmTyped typed;
    VmCtaClc clc;
    VmCtaOrder order;
    VmCtaTime time;
    VmCtaTrace trace;
    // Kept from here on.
    VmWarp *warps;
    uint8_t *smem; // smem_bytes; its first byte has offset VM_SHARED_BASE
    VmObjects objects;
    VmCtaShadow shadow;
    VmCta *next_free;
};

struct VmCluster {
    Vm *vm;
    uint32_t index; // linear id of the cluster
    uint32_t cta_count;
    uint32_t live_ctas;
    VmCta *ctas[VM_MAX_CLUSTER];
    uint32_t in_flight;   // unanswered requests and unfinished copies
    uint32_t resident_at; // index in VmEngine.residents
    uint64_t exit_time;   // modelled: when the latest lane so far exited
    VmClusterBarrier barrier;
    VmClusterClc clc;
    VmClusterHeard heard;
    VmCluster *next_free;
};

// ---- the machine ---------------------------------------------------------

// Functions of higher rooms that lower rooms call.
typedef struct VmUpward {
    // Makes lanes `mask` of the running fragment exit (engine/exit.c).
    void (*lanes_exit)(VmWarp *w, uint32_t mask);
    // Checks a generic access to shared memory that may hold mbarriers or
    // answers (units/slots.c). False: a fault was reported and the run is over.
    bool (*typed_access)(VmWarp *w, const VmInstr *in, uint32_t lane,
                         VmCta *cta, uint32_t offset, uint32_t bytes,
                         VmAccess access);
} VmUpward;

typedef struct VmShape { // of a launch
    uint32_t grid[3], block[3], cluster_dim[3], cluster_grid[3];
    uint32_t cluster_size, cluster_count, threads, smem_bytes;
    bool explicit_cluster;
} VmShape;

typedef struct VmKept VmKept; // findings.h

typedef struct VmFindings { // of a launch (findings.c)
    size_t capacity;
    Finding *fault; // the fault that ended the run, if it was new
    VmKept *kept;   // takes the next finding; NULL: findings are made at once
} VmFindings;

// State of other rooms that outlives a launch.
typedef struct VmPersistent {
    VmCachedProgram *programs; // decoded programs of the module, latest first
    VmTime *time;              // NULL: no launch has been timed
    VmOrder *order;
} VmPersistent;

struct Vm {
    Device device; // must be first: a Device * is a Vm *
    const VmModel *model;
    const VmIsa *isa;
    const VmUpward *upward;
    Arena module_arena; // lives as long as the loaded module
    Arena run_arena;    // lives as long as a launch
    const PtxModule *module;
    VmMemory memory;
    const VmTextures *textures; // NULL: there are none
    VmPersistent persistent;
    Buf output;

    // The present launch.
    const DeviceLaunch *launch;
    const VmProgram *program;
    Arena *out; // the caller's: for findings and the ledger
    DeviceRun *run;
    VmShape shape;
    VmTuning tuning;
    VmTime *time;   // NULL: the launch is not timed
    VmTrace *trace; // NULL: it is not traced
    VmOrder *order; // NULL: the launch does not check the order of accesses
    const uint32_t *now; // its logical time (order/clock.h); NULL: likewise
    struct VmFatesEnded *fates_ended; // decode/fate.c; or NULL
    VmFollow *follow; // NULL: block indices are not followed (decode/follow.h)
    VmFindings findings;
    VmMemoryUse use;
    VmTurns turns;
    VmClc clc;
    VmCopyRun copies;
    VmEngine engine;
    uint64_t flow_visits; // instructions that flow analysis has examined
                          // (flow.h)
};

static inline uint32_t vm_warps_of_cta(const Vm *vm) {
    return (vm->shape.threads + VM_LANES - 1) / VM_LANES;
}

// Moving or clearing so many bytes counts as an instruction of a thread.
enum { VM_STEP_BYTES = 32 };

static inline void vm_work_bytes(Vm *vm, VmWork work, uint64_t bytes) {
    vm->turns.work[work] += (bytes + VM_STEP_BYTES - 1) / VM_STEP_BYTES;
}

// ---- geometry.c ----------------------------------------------------------

uint32_t vm_linear(const uint32_t id[3], const uint32_t dims[3]);
void vm_unlinear(uint32_t index, const uint32_t dims[3], uint32_t id[3]);
uint32_t vm_sm_fit(const Vm *vm); // CTAs of this launch on one SM

#endif
