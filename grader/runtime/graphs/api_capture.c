// SPDX-License-Identifier: Apache-2.0
// The functions for captures: beginning and ending one, what it has, and what
// its next node depends on.
#include "runtime/core/runtime.h"
#include "runtime/graphs/graph.h"

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
    int *own = runtime_capture_mode(), before = *own;
    if ((unsigned)*mode > CAPTURE_RELAXED)
        return CUDA_VALUE;
    *own = (int)*mode;
    *mode = (CaptureMode)before;
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
    CudaError error = stream_capture(r, stream, &capture);
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
    CudaError error = stream_capture(r, stream, &capture);
    *info->status = status_of(capture);
    if (error || !capture)
        return error;
    Tips *tips = stream_find(r, stream)->tips;
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
    CudaError error = stream_capture(r, stream, &capture);
    if (error || !capture || flags > REPLACE)
        return error ? error : CUDA_VALUE;
    Tips *tips = stream_find(r, stream)->tips;
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
