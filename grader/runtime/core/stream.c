// SPDX-License-Identifier: Apache-2.0
// Ops, and the streams that they are given to: read op_run and stream_do. What
// graphs/ does while a stream is captured, it does through the Recorder.
#include "runtime/core/stream.h"
#include "runtime/core/memory.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"

// ---- making ops ----------------------------------------------------------

Op op_copy_bytes(void *to, const void *from, size_t count, CudaCopy kind) {
    return (Op){.kind = OP_COPY,
                .copy = {.from = {(void *)(uintptr_t)from, count, count, 1},
                         .to = {to, count, count, 1},
                         .extent = {count, 1, 1},
                         .kind = kind}};
}

Op op_fill_bytes(void *to, int value, size_t count) {
    return (Op){.kind = OP_FILL,
                .fill = {.to = {to, count, count},
                         .value = (uint8_t)value,
                         .element = 1,
                         .extent = {count, 1, 1}}};
}

CudaError op_make_launch(Runtime *r, const void *host, const LaunchShape *shape,
                         void **args, uint8_t *block, Op *op) {
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, host, &kernel);
    if (!error)
        error = launch_check(r, kernel, shape);
    if (!error && !launch_has_args(kernel, args))
        error = CUDA_VALUE;
    if (error)
        return error;
    size_t bytes = launch_lay_out(kernel, args, block);
    if (bytes > LAUNCH_MOST_PARAMETERS)
        return CUDA_VALUE;
    *op =
        (Op){.kind = OP_KERNEL, .launch = {host, kernel, *shape, block, bytes}};
    return CUDA_OK;
}

// ---- doing them ----------------------------------------------------------

static CudaError call_host(Runtime *r, const OpHost *host) {
    runtime_exit(r); // it may take long, and may call CUDA
    host->function(host->data);
    runtime_enter();
    return CUDA_OK;
}

static CudaError record_time(CudaEvent *event) {
    event->is_recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return CUDA_OK;
}

CudaError op_run(Runtime *r, const Op *op) {
    switch (op->kind) {
    case OP_KERNEL:
        return launch_block(r, op->launch.kernel, &op->launch.shape,
                            op->launch.block, op->launch.bytes);
    case OP_COPY:
        return copy_3d(r, &op->copy);
    case OP_FILL:
        return copy_fill_elements(r, &op->fill);
    case OP_HOST:
        return call_host(r, &op->host);
    case OP_WAIT:
        return CUDA_OK;
    case OP_RECORD:
        return record_time(op->event);
    case OP_ALLOC:
        return memory_unpark(r, op->memory);
    case OP_FREE:
        return memory_free(r, op->memory, false);
    }
    return CUDA_NOT_SUPPORTED;
}

// ---- streams -------------------------------------------------------------

CudaStream *stream_new(Runtime *r, uint32_t flags, int priority) {
    CudaStream *stream = arena_new(&r->arena, CudaStream, 1);
    *stream = (CudaStream){.next = r->streams,
                           .flags = flags,
                           .priority = priority,
                           .id = ++r->stream_count + 1};
    r->streams = stream;
    return stream;
}

CudaStream *stream_find(Runtime *r, CudaStream *handle) {
    enum { LEGACY = 1, OF_THREAD = 2 };
    if ((uintptr_t)handle <= LEGACY)
        return NULL;
    if ((uintptr_t)handle != OF_THREAD)
        return handle;
    if (!r->thread_stream)
        r->thread_stream = stream_new(r, 0, 0);
    return r->thread_stream;
}

static CudaError refuse_destroyed(Runtime *r, const char *what) {
    runtime_message(r, DIAG_WARNING, what,
                    "On a card the program may end there by SIGSEGV. Destroy "
                    "it after its last use.");
    return CUDA_HANDLE;
}

CudaError stream_check(Runtime *r, CudaStream *handle) {
    const CudaStream *stream = stream_find(r, handle);
    return stream && stream->is_destroyed
               ? refuse_destroyed(
                     r, "The program uses a stream that it has destroyed.")
               : CUDA_OK;
}

CudaError stream_capture(Runtime *r, CudaStream *handle, Capture **capture) {
    CudaError error = stream_check(r, handle);
    *capture = NULL;
    return error || !r->recorder ? error
                                 : r->recorder->find(r, handle, capture);
}

// ---- what is not allowed while one is captured ---------------------------

CudaError stream_forbid_wait(Runtime *r, CudaStream *handle) {
    Capture *capture;
    CudaError error = stream_capture(r, handle, &capture);
    return capture ? r->recorder->forbid(r, capture) : error;
}

CudaError stream_forbid_unsafe(Runtime *r) {
    return r->recorder ? r->recorder->forbid_unsafe(r) : CUDA_OK;
}

CudaError stream_forbid_all(Runtime *r) {
    return r->recorder ? r->recorder->forbid(r, NULL) : CUDA_OK;
}

// ---- what a stream is given ----------------------------------------------

CudaError stream_do(Runtime *r, CudaStream *handle, const Op *op) {
    Capture *capture;
    CudaError error = stream_capture(r, handle, &capture);
    if (error)
        return error;
    return capture ? r->recorder->take(r, capture, handle, op) : op_run(r, op);
}

static CudaError record_launch(Runtime *r, Capture *capture, CudaStream *handle,
                               const void *host, const LaunchShape *shape,
                               void **args) {
    Op op;
    uint8_t block[LAUNCH_MOST_PARAMETERS];
    CudaError error = op_make_launch(r, host, shape, args, block, &op);
    return error ? error : r->recorder->take(r, capture, handle, &op);
}

CudaError stream_launch(Runtime *r, CudaStream *handle, const void *host,
                        const LaunchShape *shape, void **args) {
    Capture *capture;
    CudaKernel *kernel;
    CudaError error = stream_capture(r, handle, &capture);
    if (!error && capture)
        return record_launch(r, capture, handle, host, shape, args);
    if (!error)
        error = module_find_kernel(r, host, &kernel);
    return error ? error : launch_kernel(r, kernel, shape, args);
}

CudaError stream_do_now(Runtime *r, const Op *op) {
    CudaError error = stream_forbid_wait(r, NULL);
    if (!error)
        error = op_run(r, op);
    runtime_flush(r);
    return error;
}

CudaError stream_call(Runtime *r, CopyCall call, const Op *op) {
    return call.waits ? stream_do_now(r, op) : stream_do(r, call.stream, op);
}

CudaError stream_copy(Runtime *r, CopyCall call, const CopyEnd *to,
                      const CopyEnd *from, CudaExtent extent, CudaCopy kind) {
    Op op = {.kind = OP_COPY};
    CudaError error = copy_between(r, to, from, extent, kind, &op.copy);
    return error ? error : stream_call(r, call, &op);
}

CudaError stream_copy_box(Runtime *r, CopyCall call, const DriverCopy3D *copy) {
    Op op = {.kind = OP_COPY};
    CudaError error = copy_of_driver(r, copy, &op.copy);
    return error ? error : stream_call(r, call, &op);
}

CudaError stream_copy_batch(Runtime *r, CudaStream *handle,
                            const CopyBatch *batch) {
    CudaError error = batch->to && batch->from && batch->sizes && batch->count
                          ? CUDA_OK
                          : CUDA_VALUE;
    for (size_t i = 0; i < batch->count && !error; i++) {
        Op op = op_copy_bytes(batch->to[i], batch->from[i], batch->sizes[i],
                              COPY_DEFAULT);
        error = stream_do(r, handle, &op);
    }
    return error;
}

// ---- events --------------------------------------------------------------

CudaError event_check(Runtime *r, const CudaEvent *event) {
    if (!event)
        return CUDA_HANDLE;
    return event->is_destroyed
               ? refuse_destroyed(
                     r, "The program uses an event that it has destroyed.")
               : CUDA_OK;
}

// The capture that the event is of; NULL: none, or none that goes on.
static Capture *marked(const Runtime *r, const CudaEvent *event) {
    return event && r->recorder ? r->recorder->marked(r, event) : NULL;
}

CudaError event_record(Runtime *r, CudaEvent *event, CudaStream *handle,
                       bool is_external) {
    Capture *capture;
    Op op = {.kind = OP_RECORD, .event = event};
    CudaError error = event_check(r, event);
    if (!error)
        error = stream_capture(r, handle, &capture);
    if (error)
        return error;
    bool is_marked = capture && !is_external;
    if (r->recorder)
        r->recorder->mark(r, is_marked ? capture : NULL, handle, event);
    return is_marked ? CUDA_OK : stream_do(r, handle, &op);
}

CudaError event_wait(Runtime *r, CudaStream *handle, CudaEvent *event,
                     bool is_external) {
    Capture *capture, *of_event = marked(r, event);
    Op op = {.kind = OP_WAIT, .event = event};
    CudaError error = event_check(r, event);
    if (error)
        return error;
    if (of_event)
        return r->recorder->join(r, of_event, handle, event);
    error = stream_capture(r, handle, &capture);
    if (error)
        return error;
    if (capture && !is_external)
        return CUDA_CAPTURE_ISOLATION;
    return stream_do(r, handle, &op);
}

CudaError event_await(Runtime *r, const CudaEvent *event) {
    CudaError error = event_check(r, event);
    if (!error)
        error = stream_forbid_unsafe(r);
    if (marked(r, event))
        error = CUDA_CAPTURED_EVENT;
    runtime_flush(r);
    return error;
}
