// SPDX-License-Identifier: Apache-2.0
// The result of clclab exec: a whole program, whose kernels ran on the virtual
// machine.
#ifndef CLCLAB_RESULT_EXEC_H
#define CLCLAB_RESULT_EXEC_H

#include "result/verdict.h"

// One mistake, or advisory, at one place of one kernel.
typedef struct ExecFinding {
    Cause cause;
    bool advisory;
    bool is_ours;      // the virtual machine lacks what the kernel needs
    Str kernel;        // its name in the PTX
    Str source;        // text of the file that it is in; may be empty
    uint64_t launch;   // the first one that showed it, from 1
    uint64_t launches; // how many did
    uint64_t
        schedule; // of that launch, the first one that did; 0: the plain one
} ExecFinding;

// A function of CUDA that returned an error, and how often it did.
typedef struct ExecCall {
    Str name;  // "cudaMalloc"
    Str error; // "cudaErrorMemoryAllocation"
    uint64_t count;
    bool is_missing; // the function is not supported
} ExecCall;

typedef struct ExecResult {
    Str program;   // as given
    Str device;    // "vm"
    Str gpu_model; // "b200"
    uint64_t seed;
    uint64_t schedules;    // that each launch was run under
    int exit_code;         // the program's; 128 + the signal that ended it
    uint32_t signal;       // 0: it was none
    uint64_t processes;    // that used the device
    uint64_t launches;     // of kernels
    uint64_t unchecked;    // those that the options left out
    uint64_t instructions; // of threads
    ExecFinding *findings; // in order of time
    size_t finding_count, finding_capacity;
    uint64_t errors, advisories; // findings
    ExecCall *calls;
    size_t call_count, call_capacity;
    Diag *messages; // about the program as a whole
    size_t message_count, message_capacity;
    bool is_incomplete; // a process ended before it could sum up
    Verdict verdict;    // VERDICT_ERROR: a kernel could not be run here
    double elapsed_ms;  // not determined by the seed
    Str version;        // of clclab
} ExecResult;

#endif
