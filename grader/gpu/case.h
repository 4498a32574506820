// SPDX-License-Identifier: Apache-2.0
// One launch on the GPU in its own process: its input and its outcome. The
// child owns the CUDA context and dies with it, so that a fault, a hang or a
// corrupted context ends only this case. What both child and parent write is in
// memory that they share.
#ifndef CLCLAB_GPU_CASE_H
#define CLCLAB_GPU_CASE_H

#include "base/base.h"
#include "gpu/driver.h"
#include "gpu/gpu.h"
#include "gpu/table.h"

// X(ID, "what the child is doing"): in order.
#define CASE_STAGES(X)                                   \
    X(START, "starting")                                 \
    X(DRIVER, "starting the CUDA driver")                \
    X(CONTEXT, "making a CUDA context")                  \
    X(LOAD, "loading the kernel")                        \
    X(COPY_IN, "copying the inputs to the GPU")          \
    X(LOCK, "waiting for others that use the GPU")       \
    X(LAUNCH, "launching the kernel")                    \
    X(RUN, "waiting for the kernel")                     \
    X(COPY_OUT, "copying the results back from the GPU") \
    X(MEASURE, "measuring")                              \
    X(DONE, "done")

typedef enum CaseStage {
#define CASE_STAGE_ENUM(id, text) CASE_##id,
    CASE_STAGES(CASE_STAGE_ENUM)
#undef CASE_STAGE_ENUM
} CaseStage;

// A buffer of the kernel's, between two guards that must not be written.
typedef struct CaseBuffer {
    uint8_t *bytes; // shared: the contents before and after the launch
    uint64_t count;
} CaseBuffer;

typedef struct CaseSymbol {
    const char *name;
    const uint8_t *bytes;
    uint64_t count;
} CaseSymbol;

// The addresses in a kernel's arguments before there is any device memory: byte
// `offset` of buffer i is CASE_ADDRESS(i) + offset. The child replaces every
// aligned 8 bytes of the arguments that are such an address with the device's.
#define CASE_ADDRESS_BITS 40 // of the offset
#define CASE_ADDRESS_TAG (UINT64_C(0x7e) << 56)
#define CASE_ADDRESS(i) \
    (CASE_ADDRESS_TAG | ((uint64_t)(i) + 1) << CASE_ADDRESS_BITS)

// The table's arrays on the host, in memory that parent and child share.
typedef struct Ledgers {
    uint32_t clusters, blocks, threads; // threads of a block
    uint32_t *claims, *orders, *taken;
    GpuStart *starts;
    uint32_t *calls;
    size_t calls_bytes; // 0: not counted
    uint64_t *ends;     // [1 + GPU_TABLE_SMS]
} Ledgers;

// The outcome of the case, in shared memory.
typedef struct CaseOutcome {
    CaseStage stage;   // the last one that was begun
    CUresult error;    // CUDA_SUCCESS, or what `call` returned
    char call[48];     // "cuMemAlloc"
    char text[200];    // of the error
    bool is_late;      // the kernel did not end in time
    bool is_damaged;   // a guard was written to
    uint32_t damaged;  // is_damaged: the buffer
    int64_t damage;    // is_damaged: the byte, < 0 or not before its end
    float ms;          // the kernel's time
    uint64_t resident; // most blocks of this launch that fit on the device
    uint64_t resident_later; // when one warp of each is left
    uint64_t free_memory;    // bytes free when memory ran out
    bool has_free_memory;    // free_memory is known
    GpuControl control;      // if there is a ledger
    bool has_control;
} CaseOutcome;

// The additional measurements, in shared memory. Times are in milliseconds.
typedef struct CaseMeasure {
    uint32_t repeats; // requested runs of the kernel alone
    uint32_t visits;  // requested runs with a visitor of higher priority
                      // that arrives after half of the kernel's time
    uint32_t bytes;   // of a copy on the GPU, which is run `repeats` times
    float alone[GPU_MOST_REPEATS], copies[GPU_MOST_REPEATS];
    // How long it took until all blocks of a visitor were running: a visitor of
    // one block, and one of as many blocks as fit at once; also on an idle GPU.
    float first[GPU_MOST_VISITS], all[GPU_MOST_VISITS];
    float idle_first[GPU_MOST_VISITS], idle_all[GPU_MOST_VISITS];
} CaseMeasure;

typedef struct GpuCase {
    Str image;          // a cubin
    const char *kernel; // its name
    uint32_t grid[3], block[3];
    uint32_t cluster[3];
    uint32_t dynamic_smem; // bytes
    const uint8_t *args;
    size_t arg_bytes;
    const CaseBuffer *buffers;
    size_t buffer_count;
    const CaseSymbol *symbols;
    size_t symbol_count;
    const char *lock;  // a file: the process that locks it may run a kernel
    double lock_s;     // seconds to wait for it
    bool is_exclusive; // the GPU admits one process at a time
    uint32_t sms;      // of the GPU
    bool is_asking;    // launches nothing: only outcome->resident is wanted
    bool has_table;    // the image has a table
    bool has_claims;   // it uses the table's claims, with or without a ledger
    bool has_ledger;   // it fills in the table's ledger
    Ledgers ledgers;   // has_ledger: shared memory for it
    uint32_t refuse_first, refuse_every;
    double deadline_s;    // for the kernel alone
    double driver_s;      // for everything else that the driver does
    CaseOutcome *outcome; // shared
    CaseMeasure *measure; // shared; NULL: nothing is measured
    Str visitor;          // measure: the visitor's image
} GpuCase;

// The child's part; returns an exit code for the sandbox.
int case_run(void *gpu_case, int out);

const char *case_stage_text(CaseStage stage);

#endif
