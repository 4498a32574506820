// SPDX-License-Identifier: Apache-2.0
// What a program gives to a stream, as data: an Op is done at once, so that a
// stream is always ready and an event is a time of the host's clock. Only while
// a stream is captured is it taken by graphs/, which sets a Recorder for that.
#ifndef CLCLAB_RUNTIME_STREAM_H
#define CLCLAB_RUNTIME_STREAM_H

#include "runtime/core/copy.h"
#include "runtime/core/launch.h"

#include <time.h>

typedef struct Runtime Runtime;

// ---- what is done --------------------------------------------------------

// The numbers are those of cudaGraphNodeType.
typedef enum OpKind {
    OP_KERNEL = 0,
    OP_COPY = 1,
    OP_FILL = 2,
    OP_HOST = 3,
    OP_WAIT = 6,
    OP_RECORD = 7,
    OP_ALLOC = 10,
    OP_FREE = 11,
} OpKind;

typedef struct OpLaunch {
    const void *host; // as the program named the kernel
    CudaKernel *kernel;
    LaunchShape shape;
    uint8_t *block; // its parameters
    size_t bytes;
} OpLaunch;

typedef struct OpHost {
    CudaHostFunction *function;
    void *data;
} OpHost;

typedef struct Op {
    OpKind kind;
    union {
        OpLaunch launch;
        CudaCopy3D copy;
        Fill fill;
        OpHost host;
        CudaEvent *event;
        void *memory; // OP_ALLOC, OP_FREE: parked (memory.h)
    };
} Op;

// `count` bytes.
Op op_copy_bytes(void *to, const void *from, size_t count, CudaCopy kind);
Op op_fill_bytes(void *to, int value, size_t count);
// Of a kernel: checks the shape, and lays out the parameters in `block`, of
// LAUNCH_MOST_PARAMETERS bytes, which the op points to.
CudaError op_make_launch(Runtime *r, const void *host, const LaunchShape *shape,
                         void **args, uint8_t *block, Op *op);
// A host function is called without the lock.
CudaError op_run(Runtime *r, const Op *op);

// ---- streams and events --------------------------------------------------

struct CudaStream {
    CudaStream *next;
    uint32_t flags;
    int priority;
    uint64_t id;
    struct Tips *tips; // of graphs/; NULL: it has never been captured
    bool is_destroyed; // it stays, so that a later use is known
};

struct CudaEvent {
    bool is_recorded;
    bool has_no_time;
    bool is_destroyed; // it stays, too
    struct timespec at;
    struct Tips *tips; // of the stream that it was recorded in
};

CudaStream *stream_new(Runtime *r, uint32_t flags, int priority);
// The stream's own record; NULL: it is the default stream.
CudaStream *stream_find(Runtime *r, CudaStream *handle);
// CUDA_HANDLE, and the report says why: the program uses what it has destroyed.
CudaError stream_check(Runtime *r, CudaStream *handle);
CudaError event_check(Runtime *r, const CudaEvent *event);
// In a stream that is captured, an event stands for what the stream has been
// given; as an external one, it is recorded, or waited for, by a node.
CudaError event_record(Runtime *r, CudaEvent *event, CudaStream *handle,
                       bool is_external);
CudaError event_wait(Runtime *r, CudaStream *handle, CudaEvent *event,
                     bool is_external);
// The host waits for it.
CudaError event_await(Runtime *r, const CudaEvent *event);

// Does it, or lets it be recorded.
CudaError stream_do(Runtime *r, CudaStream *handle, const Op *op);
CudaError stream_launch(Runtime *r, CudaStream *handle, const void *host,
                        const LaunchShape *shape, void **args);
// What the program waits for: in the default stream.
CudaError stream_do_now(Runtime *r, const Op *op);
// How a program copies: it waits, or it gives the copy to a stream.
typedef struct CopyCall {
    bool waits;
    CudaStream *stream;
} CopyCall;
#define COPY_NOW ((CopyCall){.waits = true})
#define COPY_IN(s) ((CopyCall){.stream = (s)})
CudaError stream_call(Runtime *r, CopyCall call, const Op *op);
CudaError stream_copy(Runtime *r, CopyCall call, const CopyEnd *to,
                      const CopyEnd *from, CudaExtent extent, CudaCopy kind);
CudaError stream_copy_box(Runtime *r, CopyCall call, const DriverCopy3D *copy);
// Copies of bytes, one after another. The attributes that a program gives them
// are hints of where the bytes are and of when a source is read.
typedef struct CopyBatch {
    void *const *to;
    const void *const *from;
    const size_t *sizes;
    size_t count;
} CopyBatch;
CudaError stream_copy_batch(Runtime *r, CudaStream *handle,
                            const CopyBatch *batch);

// ---- captures ------------------------------------------------------------

typedef struct Capture Capture;

// What graphs/ does while streams are captured: it sets Runtime.recorder when
// the first capture begins, and clears it when the last has ended.
typedef struct Recorder {
    // The capture that a stream is part of; *capture is NULL if it is none.
    CudaError (*find)(Runtime *r, CudaStream *handle, Capture **capture);
    // The stream is given that.
    CudaError (*take)(Runtime *r, Capture *capture, CudaStream *handle,
                      const Op *op);
    // An event stands for what the stream has been given; without a capture,
    // for nothing.
    void (*mark)(Runtime *r, Capture *capture, CudaStream *handle,
                 CudaEvent *event);
    // The capture that an event was marked in; NULL: none that goes on.
    Capture *(*marked)(const Runtime *r, const CudaEvent *event);
    // The stream goes on after the event, and joins the capture.
    CudaError (*join)(Runtime *r, Capture *capture, CudaStream *handle,
                      const CudaEvent *event);
    // What waits for a stream of it is not allowed, and ends the capture; NULL:
    // all captures.
    CudaError (*forbid)(Runtime *r, Capture *capture);
    // The same of what might wait: it depends on the modes.
    CudaError (*forbid_unsafe)(Runtime *r);
} Recorder;

// *capture is NULL: the stream is not captured.
CudaError stream_capture(Runtime *r, CudaStream *handle, Capture **capture);
// Of calls that wait for the stream, that could wait, that wait for all.
CudaError stream_forbid_wait(Runtime *r, CudaStream *handle);
CudaError stream_forbid_unsafe(Runtime *r);
CudaError stream_forbid_all(Runtime *r);

#endif
