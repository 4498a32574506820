// SPDX-License-Identifier: Apache-2.0
// The Runtime of the process, and what each function of the API does first and
// last (state.c). The struct is what all of core/ works on. What belongs to a
// room above is named in it, and declared there: that room alone looks into it.
// Where core/ needs such a room, it calls a table of functions that the room
// has put there: Recorder (stream.h), ArrayCalls (copy.h).
//
// Read the headers of core/ in this order:
//
//   cuda.h       the API's types; error.h: its errors
//   runtime.h    this one
//   modules.h    what the program registers; a Device for each module
//   memory.h     addresses of device and host
//   copy.h       copies between them (copy.c), and between arrays and memory
//                (copy_3d.c)
//   launch.h     a launch; schedules.h: the same under other schedules;
//                finding.h: what is told of it
//   stream.h     what a stream is given; events
//   journal.h    what clclab exec is told
#ifndef CLCLAB_RUNTIME_RUNTIME_H
#define CLCLAB_RUNTIME_RUNTIME_H

#include "result/exec.h"
#include "runtime/core/cuda.h"
#include "runtime/core/error.h"
#include "runtime/core/memory.h"
#include "runtime/core/options.h"
#include "vm/vm.h"

#include <pthread.h>
#include <regex.h>

// A finding of the process, to be known again.
typedef struct Seen {
    struct Seen *next;
    uint64_t key;
    uint64_t number;
    uint64_t launch; // the last that showed it
} Seen;

// cudaLimit.
enum { LIMIT_STACK = 0, LIMIT_HEAP = 2, LIMIT_COUNT = 7 };

struct Runtime {
    pthread_mutex_t lock;
    bool is_cuda12;   // the program is of CUDA 12
    bool is_ready;    // the environment has been read
    bool is_forked;   // in a child of the process that used the device
    bool has_begun;   // the journal has JOURNAL_BEGIN
    uint32_t process; // whose it is
    Str journal_path; // empty: none
    int journal;      // its descriptor; -1: it could not be opened
    uint64_t journal_device, journal_inode;
    RuntimeOptions options;
    const VmModel *model;
    regex_t *kernels; // options.kernels, compiled; NULL: all are checked
    CudaError fault;  // of a kernel: every later call returns it
    bool is_fresh;    // it is of the launch of this very call
    bool is_told;     // a call has returned it
    Arena arena;      // lives as long as the process
    struct Module *modules;
    Str why;     // the last PTX could not be compiled; empty: none, or it was
    Slot *slots; // [slot_count], by number
    size_t slot_count, slot_capacity;
    Numbers near, shared, far;  // of devices alone; of both; again of devices
    uint64_t used;              // bytes of the device
    size_t limits[LIMIT_COUNT]; // that the program has set; 0: the default
    uint8_t *workspace;    // of a cooperative launch, and its address; NULL:
    uint64_t workspace_at; // there has been none
    Buf output;            // what kernels printed, until it is written
    ExecResult totals, counted; // counted: those that the journal has
    uint64_t requests, granted; // to cancel blocks, by the plain schedule
    Seen *seen;
    uint64_t seen_count;
    CudaStream *streams, *thread_stream; // all; cudaStreamPerThread
    uint64_t stream_count;

    // Of rooms above. NULL: nobody has asked for it yet, or set it.
    const struct Recorder *recorder;      // graphs/: while a stream is captured
    struct Captures *captures;            // graphs/capture.c
    const struct ArrayCalls *array_calls; // arrays/: once there is one
    struct Arrays *arrays;                // arrays/array.h
    VmTextures textures;           // which arrays/ fills in, and devices show
    CudaPool *default_pool, *pool; // api/api_pool.c
    struct Mapping *mappings;      // cuMemMap: api/api_virtual.c
};

// Each function of the API is between these two. `name` is its own.
Runtime *runtime_enter(void);
CudaError runtime_leave(Runtime *r, const char *name, CudaError error);
// The same without an error to remember.
void runtime_exit(Runtime *r);
// All of a call that lacks an argument: CUDA_VALUE.
CudaError runtime_refuse(const char *name);
// The body of a function that does no more than `call`, which names the Runtime
// r; and of one of the driver's.
#define RETURN(name, call)                     \
    do {                                       \
        Runtime *r = runtime_enter();          \
        return runtime_leave(r, name, (call)); \
    } while (0)
#define DRIVER_RETURN(name, call)                                    \
    do {                                                             \
        Runtime *r = runtime_enter();                                \
        return runtime_driver_error(runtime_leave(r, name, (call))); \
    } while (0)
CudaError runtime_last_error(bool forget);
// A launch's shape between <<< and >>>, in this thread.
typedef struct RuntimeShape {
    CudaDim3 grid, block;
    size_t dynamic_smem;
    CudaStream *stream;
} RuntimeShape;
bool runtime_push(const RuntimeShape *shape);
bool runtime_pop(RuntimeShape *shape);
// What graphs/ keeps for this thread: its CaptureMode.
int *runtime_capture_mode(void);
// Appends the record to the journal, and empties it.
void runtime_tell(Runtime *r, Buf *record);
void runtime_message(Runtime *r, DiagLevel level, const char *what,
                     const char *help);
// Tells what the process did since the last time; it ends.
void runtime_count(Runtime *r);
void runtime_end(Runtime *r);
// The program calls a function that is missing; it gets that error.
CudaError runtime_missing(const char *name, CudaError error);
// Writes what kernels have printed, as a real device does when it is waited
// for.
void runtime_flush(Runtime *r);

#endif
