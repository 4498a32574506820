// SPDX-License-Identifier: Apache-2.0
// The state of the child, and what case.c and case_measure.c both do with it.
// Functions that give false have noted the error in the outcome.
#ifndef CLCLAB_GPU_CASE_PARTS_H
#define CLCLAB_GPU_CASE_PARTS_H

#include "gpu/case.h"

enum { GUARD_BYTES = 4096 }; // before and after each buffer

typedef struct Case {
    const GpuCase *what;
    CaseOutcome *outcome;
    Driver driver;
    Arena arena;
    int lock; // below 0: none
    CUdevice device;
    CUmodule module;
    CUfunction function;
    CUstream stream, side; // of the kernel; of higher priority
    CUdeviceptr *buffers;  // [buffer_count]: where the guards begin
    GpuTable table;        // device addresses
    CUevent from, to;      // round the last launch
} Case;

// case_launch.c

bool case_check(Case *c, CUresult error, const char *call);
// CALL(c, cuMemAlloc, (&address, bytes)): false, with the error noted.
#define CALL(c, name, args) case_check((c), (c)->driver.name args, #name)

double case_now(void); // seconds
bool case_allocate(Case *c, size_t bytes, CUdeviceptr *address);
// The table as before a launch; without a ledger, for one launch after another.
bool case_reset_table(Case *c);
// Launches between the two events, and does not wait.
bool case_launch(Case *c);
// Waits until the stream is done; false, is_late: the deadline passed.
bool case_wait(Case *c, CUstream stream);

// case_measure.c: fills in what->measure.
bool case_measure(Case *c);

#endif
