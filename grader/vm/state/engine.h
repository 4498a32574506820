// SPDX-License-Identifier: Apache-2.0
// What engine/ keeps of a launch: the clusters that are on the SMs.
#ifndef CLCLAB_VM_STATE_ENGINE_H
#define CLCLAB_VM_STATE_ENGINE_H

#include "vm/code/instr.h"

typedef struct VmSm {
    uint32_t ctas; // resident
} VmSm;

typedef struct VmEngine {
    VmSm *sms;
    uint32_t live_clusters;
    uint32_t launches_due; // EVENT_LAUNCH under way
    VmCluster **residents;
    size_t resident_count, resident_capacity;
    VmCta *free_ctas;
    VmCluster *free_clusters;
    VmExplorer *explorer; // exhaustive search; NULL: a schedule of its own
} VmEngine;

#endif
