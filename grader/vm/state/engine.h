// SPDX-License-Identifier: Apache-2.0
// What engine/ stores for a launch: the clusters that are resident on the SMs.
#ifndef CLCLAB_VM_STATE_ENGINE_H
#define CLCLAB_VM_STATE_ENGINE_H

#include "vm/code/instr.h"

typedef struct VmSm {
    uint32_t ctas; // resident
} VmSm;

// The registers of a fragment, of each of its calls, as a look at its loop
// found them (engine/loop.c).
typedef struct VmSeen {
    uint8_t *registers;
    size_t capacity; // bytes
} VmSeen;

// A register as an instruction of a loop leaves it (engine/count.c).
typedef struct VmCounter {
    VmRef ref;
    uint32_t step;            // which instruction of the round
    bool counts;              // something is added to it from round to round
    uint64_t last[VM_LANES];  // its value in the latest round
    uint64_t added[VM_LANES]; // since the round before, modulo its size
    uint64_t hash;            // of a predicate, or of 16 bytes a lane
} VmCounter;

// The loop that was last seen to count.
typedef struct VmCounted {
    const VmInstr *steps[512]; // of a round, in their order
    uint32_t step_count;
    VmCounter counters[256]; // by step
    uint32_t count;
    uint64_t length; // of a round, in ticks
    uint64_t rounds; // so many to come are as these were; UINT64_MAX: all
} VmCounted;

typedef struct VmEngine {
    VmSm *sms;
    uint32_t live_clusters;
    uint32_t launches_due; // EVENT_LAUNCH events that have not happened yet
    bool is_one_by_one;    // clusters start as DeviceSchedule says
    uint32_t together;     // clusters that may be live now
    uint64_t alone_since;  // tick, at which a cluster ended or `together` grew
    VmCluster **residents;
    size_t resident_count, resident_capacity;
    VmCta *free_ctas;
    VmCluster *free_clusters;
    VmSeen seen;
    VmCounted *counted;   // NULL: no loop has been looked at for that
    uint64_t look_at;     // livelock.c: steps until the next look
    uint64_t look_blocks; // which blocks there were at the last one
    bool **spin_loops;    // run.c: by function, NULL: not known yet, and by pc
    VmExplorer *explorer; // exhaustive search; NULL: one independent schedule
} VmEngine;

#endif
