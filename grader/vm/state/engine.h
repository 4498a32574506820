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

typedef struct VmEngine {
    VmSm *sms;
    uint32_t live_clusters;
    uint32_t launches_due; // EVENT_LAUNCH events that have not happened yet
    VmCluster **residents;
    size_t resident_count, resident_capacity;
    VmCta *free_ctas;
    VmCluster *free_clusters;
    VmSeen seen;
    VmExplorer *explorer; // exhaustive search; NULL: one independent schedule
} VmEngine;

#endif
