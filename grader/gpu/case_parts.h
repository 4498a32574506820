// SPDX-License-Identifier: Apache-2.0
// The state of the child, and what case.c and case_measure.c both do with it.
// A function that returns false has recorded the error in the outcome.
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
    CUstream stream, side; // the kernel's; one of higher priority
    CUdeviceptr *buffers;  // [buffer_count]: where the first guards begin
    GpuTable table;        // device addresses
    CUevent from, to;      // before and after the last launch
} Case;

// case_launch.c

bool case_check(Case *c, CUresult error, const char *call);
// CALL(c, cuMemAlloc, (&address, bytes)): false, with the error recorded.
#define CALL(c, name, args) case_check((c), (c)->driver.name args, #name)

double case_now(void); // seconds
bool case_allocate(Case *c, size_t bytes, CUdeviceptr *address);
// Resets the table to its state before a launch, for the next of several
// launches without a ledger.
bool case_reset_table(Case *c);
// Launches between the two events, without waiting.
bool case_launch(Case *c);
// Waits until the stream is done; false, with is_late set, if the deadline
// passed.
bool case_wait(Case *c, CUstream stream);

// case_measure.c: fills in what->measure.
bool case_measure(Case *c);

#endif
