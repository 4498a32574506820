// SPDX-License-Identifier: Apache-2.0
// The functions for streams, events and captures. What a stream is given is
// done at once, in the order of the calls, so that a stream is always ready and
// an event is a time of the host's clock.
#include "runtime/graphs/graph.h"

#include <string.h>

CudaError cudaDeviceSynchronize(void);

// ---- streams -------------------------------------------------------------

API CudaError cudaStreamCreateWithPriority(CudaStream **stream, uint32_t flags,
                                           int priority) {
    if (!stream)
        return runtime_refuse("cudaStreamCreate");
    Runtime *r = runtime_enter();
    *stream = stream_new(r, flags, priority);
    return runtime_leave(r, "cudaStreamCreate", CUDA_OK);
}

API CudaError cudaStreamCreateWithFlags(CudaStream **stream, uint32_t flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

API CudaError cudaStreamCreate(CudaStream **stream) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

API CudaError cudaStreamDestroy(CudaStream *stream) {
    Runtime *r = runtime_enter();
    CudaStream *own = stream_find(r, stream);
    CudaError error = own ? stream_check(r, stream) : CUDA_HANDLE;
    runtime_flush(r);
    if (!error)
        own->is_destroyed = own != r->thread_stream;
    return runtime_leave(r, "cudaStreamDestroy", error);
}

static CudaError wait_for(const char *name, CudaStream *stream) {
    Runtime *r = runtime_enter();
    CudaError error = capture_forbid_wait(r, stream);
    runtime_flush(r);
    return runtime_leave(r, name, error);
}

API CudaError cudaStreamSynchronize(CudaStream *stream) {
    return wait_for("cudaStreamSynchronize", stream);
}

API CudaError cudaStreamQuery(CudaStream *stream) {
    return wait_for("cudaStreamQuery", stream);
}

API CudaError cudaStreamGetFlags(CudaStream *handle, uint32_t *flags) {
    if (!flags)
        return runtime_refuse("cudaStreamGetFlags");
    Runtime *r = runtime_enter();
    const CudaStream *stream = stream_find(r, handle);
    *flags = stream ? stream->flags : 0;
    return runtime_leave(r, "cudaStreamGetFlags", CUDA_OK);
}

API CudaError cudaStreamGetPriority(CudaStream *handle, int *priority) {
    if (!priority)
        return runtime_refuse("cudaStreamGetPriority");
    Runtime *r = runtime_enter();
    const CudaStream *stream = stream_find(r, handle);
    *priority = stream ? stream->priority : 0;
    return runtime_leave(r, "cudaStreamGetPriority", CUDA_OK);
}

API CudaError cudaStreamGetId(CudaStream *handle, unsigned long long *id) {
    Runtime *r = runtime_enter();
    const CudaStream *stream = stream_find(r, handle);
    *id = stream ? stream->id : 1;
    return runtime_leave(r, "cudaStreamGetId", CUDA_OK);
}

API CudaError cudaStreamGetDevice(CudaStream *stream, int *device) {
    (void)stream;
    *device = 0;
    return CUDA_OK;
}

API CudaError cudaStreamSetAttribute(CudaStream *stream, int attribute,
                                     const void *value) {
    (void)stream, (void)attribute, (void)value;
    return CUDA_OK;
}

API CudaError cudaStreamGetAttribute(CudaStream *stream, int attribute,
                                     void *value) {
    (void)stream, (void)attribute;
    memset(value, 0, 64);
    return CUDA_OK;
}

API CudaError cudaStreamCopyAttributes(CudaStream *to, CudaStream *from) {
    (void)to, (void)from;
    return CUDA_OK;
}

// ---- events --------------------------------------------------------------

static CudaError new_event(Runtime *r, CudaEvent **event, uint32_t flags) {
    enum { NO_TIME = 2 };
    *event = arena_new(&r->arena, CudaEvent, 1);
    (*event)->has_no_time = flags & NO_TIME;
    return CUDA_OK;
}

API CudaError cudaEventCreateWithFlags(CudaEvent **event, uint32_t flags) {
    if (!event)
        return runtime_refuse("cudaEventCreate");
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaEventCreate", new_event(r, event, flags));
}

API CudaError cudaEventCreate(CudaEvent **event) {
    return cudaEventCreateWithFlags(event, 0);
}

API CudaError cudaEventDestroy(CudaEvent *event) {
    Runtime *r = runtime_enter();
    CudaError error = event_check(r, event);
    if (!error)
        event->is_destroyed = true;
    return runtime_leave(r, "cudaEventDestroy", error);
}

// In a stream that is captured, the event stands for what the stream has been
// given; as an external one, it is recorded by a node.
static CudaError record(Runtime *r, CudaEvent *event, CudaStream *stream,
                        bool is_external) {
    Capture *capture;
    Op op = {.kind = OP_RECORD, .event = event};
    CudaError error = event_check(r, event);
    if (!error)
        error = capture_find(r, stream, &capture);
    if (error)
        return error;
    if (!capture || is_external) {
        event->tips = (Tips){0};
        return stream_do(r, stream, &op);
    }
    const Tips *tips = &stream_find(r, stream)->tips;
    capture_set_tips(capture, &event->tips, tips->nodes, tips->count);
    return CUDA_OK;
}

API CudaError cudaEventRecordWithFlags(CudaEvent *event, CudaStream *stream,
                                       uint32_t flags) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaEventRecord",
                         record(r, event, stream, flags != 0));
}

API CudaError cudaEventRecord(CudaEvent *event, CudaStream *stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}

// The stream joins the capture that the event is of.
static CudaError join(Runtime *r, Capture *capture, CudaStream *handle,
                      const Tips *tips) {
    CudaStream *stream = stream_find(r, handle);
    if (!stream)
        return CUDA_CAPTURE_IMPLICIT;
    Capture *own = capture_of(r, &stream->tips);
    if (own && own != capture)
        return CUDA_CAPTURE_MERGE;
    if (!own)
        capture_set_tips(capture, &stream->tips, NULL, 0);
    capture_add_tips(capture, &stream->tips, tips->nodes, tips->count);
    return CUDA_OK;
}

static CudaError wait_event(Runtime *r, CudaStream *stream, CudaEvent *event,
                            bool is_external) {
    Capture *capture, *of_event = event ? capture_of(r, &event->tips) : NULL;
    Op op = {.kind = OP_WAIT, .event = event};
    CudaError error = event_check(r, event);
    if (error)
        return error;
    if (of_event)
        return join(r, of_event, stream, &event->tips);
    error = capture_find(r, stream, &capture);
    if (error)
        return error;
    if (capture && !is_external)
        return CUDA_CAPTURE_ISOLATION;
    return stream_do(r, stream, &op);
}

API CudaError cudaStreamWaitEvent(CudaStream *stream, CudaEvent *event,
                                  uint32_t flags) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaStreamWaitEvent",
                         wait_event(r, stream, event, flags != 0));
}

static CudaError await_event(const char *name, const CudaEvent *event) {
    Runtime *r = runtime_enter();
    CudaError error = event_check(r, event);
    if (!error)
        error = capture_forbid_unsafe(r);
    if (event && capture_of(r, &event->tips))
        error = CUDA_CAPTURED_EVENT;
    runtime_flush(r);
    return runtime_leave(r, name, error);
}

API CudaError cudaEventSynchronize(CudaEvent *event) {
    return await_event("cudaEventSynchronize", event);
}

API CudaError cudaEventQuery(CudaEvent *event) {
    return await_event("cudaEventQuery", event);
}

static CudaError elapsed(float *ms, const CudaEvent *from,
                         const CudaEvent *to) {
    if (!from || !to || !from->is_recorded || !to->is_recorded ||
        from->has_no_time || to->has_no_time)
        return CUDA_HANDLE;
    double seconds = (double)(to->at.tv_sec - from->at.tv_sec);
    double rest = (double)(to->at.tv_nsec - from->at.tv_nsec);
    *ms = (float)(seconds * 1e3 + rest / 1e6);
    return CUDA_OK;
}

API CudaError cudaEventElapsedTime(float *ms, CudaEvent *from, CudaEvent *to) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaEventElapsedTime", elapsed(ms, from, to));
}

// ---- captures ------------------------------------------------------------

API CudaError cudaStreamBeginCapture(CudaStream *stream, CaptureMode mode) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaStreamBeginCapture",
                         capture_begin(r, stream, NULL, NULL, 0, mode));
}

API CudaError cudaStreamBeginCaptureToGraph(CudaStream *stream, Graph *graph,
                                            GraphNode **needs, const void *data,
                                            size_t count, CaptureMode mode) {
    (void)data;
    Runtime *r = runtime_enter();
    CudaError error = graph
                          ? capture_begin(r, stream, graph, needs, count, mode)
                          : CUDA_VALUE;
    return runtime_leave(r, "cudaStreamBeginCaptureToGraph", error);
}

API CudaError cudaStreamEndCapture(CudaStream *stream, Graph **graph) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaStreamEndCapture",
                         capture_end(r, stream, graph));
}

API CudaError cudaThreadExchangeStreamCaptureMode(CaptureMode *mode) {
    CaptureMode *own = runtime_capture_mode(), before = *own;
    if ((unsigned)*mode > CAPTURE_RELAXED)
        return CUDA_VALUE;
    *own = *mode;
    *mode = before;
    return CUDA_OK;
}

// 0: none; 1: active; 2: an error has ended it.
static int status_of(const Capture *capture) {
    return capture ? 1 + capture->is_invalid : 0;
}

API CudaError cudaStreamIsCapturing(CudaStream *stream, int *status) {
    if (!status)
        return runtime_refuse("cudaStreamIsCapturing");
    Capture *capture;
    Runtime *r = runtime_enter();
    CudaError error = capture_find(r, stream, &capture);
    *status = status_of(capture);
    return runtime_leave(r, "cudaStreamIsCapturing", error);
}

typedef struct CaptureInfo {
    int *status;
    unsigned long long *id;
    Graph **graph;
    GraphNode ***tips;
    const void **edges;
    size_t *count;
} CaptureInfo;

static CudaError capture_info(Runtime *r, CudaStream *stream,
                              const CaptureInfo *info) {
    Capture *capture;
    CudaError error = capture_find(r, stream, &capture);
    *info->status = status_of(capture);
    if (error || !capture)
        return error;
    Tips *tips = &stream_find(r, stream)->tips;
    if (info->id)
        *info->id = capture->number;
    if (info->graph)
        *info->graph = capture->graph;
    if (info->tips)
        *info->tips = tips->nodes;
    if (info->edges)
        *info->edges = NULL; // edges carry no data here
    if (info->count)
        *info->count = tips->count;
    return CUDA_OK;
}

static CudaError get_capture_info(CudaStream *stream, CaptureInfo info) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaStreamGetCaptureInfo",
                         capture_info(r, stream, &info));
}

API CudaError cudaStreamGetCaptureInfo_v3(CudaStream *stream, int *status,
                                          unsigned long long *id, Graph **graph,
                                          GraphNode ***tips, const void **edges,
                                          size_t *count) {
    return get_capture_info(
        stream, (CaptureInfo){status, id, graph, tips, edges, count});
}

API CudaError cudaStreamGetCaptureInfo_v2(CudaStream *stream, int *status,
                                          unsigned long long *id, Graph **graph,
                                          GraphNode ***tips, size_t *count) {
    return get_capture_info(
        stream, (CaptureInfo){status, id, graph, tips, NULL, count});
}

// The name is that of the first form in CUDA 12, and of the third in CUDA 13.
API CudaError cudaStreamGetCaptureInfo(CudaStream *stream, int *status,
                                       unsigned long long *id, Graph **graph,
                                       GraphNode ***tips, const void **edges,
                                       size_t *count) {
    Runtime *r = runtime_enter();
    bool is_first = r->is_cuda12;
    runtime_exit(r);
    return get_capture_info(
        stream, is_first
                    ? (CaptureInfo){.status = status, .id = id}
                    : (CaptureInfo){status, id, graph, tips, edges, count});
}

static CudaError update_tips(Runtime *r, CudaStream *stream,
                             GraphNode *const *nodes, size_t count,
                             uint32_t flags) {
    enum { REPLACE = 1 };
    Capture *capture;
    CudaError error = capture_find(r, stream, &capture);
    if (error || !capture || flags > REPLACE)
        return error ? error : CUDA_VALUE;
    Tips *tips = &stream_find(r, stream)->tips;
    if (flags == REPLACE)
        capture_set_tips(capture, tips, nodes, count);
    else
        capture_add_tips(capture, tips, nodes, count);
    return CUDA_OK;
}

static CudaError set_tips(CudaStream *stream, GraphNode **nodes, size_t count,
                          uint32_t flags) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaStreamUpdateCaptureDependencies",
                         update_tips(r, stream, nodes, count, flags));
}

API CudaError cudaStreamUpdateCaptureDependencies_v2(CudaStream *stream,
                                                     GraphNode **nodes,
                                                     const void *edges,
                                                     size_t count,
                                                     uint32_t flags) {
    (void)edges;
    return set_tips(stream, nodes, count, flags);
}

// In CUDA 12 without the edges.
API CudaError cudaStreamUpdateCaptureDependencies(CudaStream *stream,
                                                  GraphNode **nodes,
                                                  const void *edges,
                                                  size_t count,
                                                  uint32_t flags) {
    Runtime *r = runtime_enter();
    bool has_edges = !r->is_cuda12;
    runtime_exit(r);
    return has_edges ? set_tips(stream, nodes, count, flags)
                     : set_tips(stream, nodes, (size_t)(uintptr_t)edges,
                                (uint32_t)count);
}
