// SPDX-License-Identifier: Apache-2.0
// The table that rewritten PTX and the host share. Private to gpu/.
//
// The rewritten module has an additional variable, clclab_gpu: a GpuTable in
// constant memory. Before each launch the host fills it in with addresses of
// device memory that no parameter of the kernel points to. All arrays start as
// zeros. The snippets of rewrite*.c refer to the fields by name and get their
// offsets from here.
//
// A "cluster" is what a request is granted: without clusters, each block is a
// cluster of 1. In linear ids x varies fastest.
#ifndef CLCLAB_GPU_TABLE_H
#define CLCLAB_GPU_TABLE_H

#include <stdint.h>

#define GPU_TABLE_NAME "clclab_gpu"

enum { GPU_TABLE_SMS = 1024 };

// Addresses of device memory. Those marked L are used with a ledger only.
typedef struct GpuTable {
    uint64_t claims;  // uint32_t[clusters], by linear cluster id: see below
    uint64_t orders;  // L uint32_t[clusters]: 1 + the number of the grant
    uint64_t taken;   // L uint32_t[clusters]: 1 if a thread decoded its index
    uint64_t starts;  // L GpuStart[blocks], by linear block index
    uint64_t calls;   // uint32_t[blocks * threads of a block]: calls of the
                      // watched function, by linear block index, then thread;
                      // 0: they are not counted
    uint64_t control; // GpuControl, aligned to 128 bytes
    uint64_t ends;    // L uint64_t[1 + GPU_TABLE_SMS]: nanoseconds of the GPU's
                      // clock. [0]: the complement of the kernel's beginning;
    // [1 + sm]: the end of the SM's last block; 0: it had none
    uint64_t spare;
} GpuTable;

// claims[c]. Once it is not PENDING, it never changes again.
#define GPU_CLAIM_PENDING UINT32_C(0)
#define GPU_CLAIM_LAUNCHED UINT32_C(0x80000000)
// Any other value: 1 + the linear id of the cluster that requested it.

typedef struct GpuStart {
    uint32_t order; // 1 + number of blocks started before it; 0: not started
    uint32_t sm;    // %smid
} GpuStart;

// The host may write refuse_* while a kernel runs.
typedef struct GpuControl {
    // The first 128 bytes have what each emulated request needs.
    uint32_t next;         // linear cluster id to be drawn next
    uint32_t tickets;      // requests that looked at refuse_*
    uint32_t refuse_first; // this many requests are refused at the start
    uint32_t refuse_every; // 3: every third request is refused; 1: all; 0: none
    uint32_t spare[28];
    // Counters, only used with a ledger.
    uint32_t started;         // blocks
    uint32_t granted;         // clusters
    uint32_t requests;        // native and emulated
    uint32_t refused;         // emulated only
    uint32_t refused_pending; // emulated only: while there were ids to draw
    uint32_t conflicts; // a cluster granted twice, or launched and granted
    uint32_t spare_counters[26];
} GpuControl;

#endif
