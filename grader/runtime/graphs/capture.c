// SPDX-License-Identifier: Apache-2.0
// Streams that are captured: what they are given becomes nodes of a graph. A
// capture begins in one stream; others join it by waiting for an event that was
// recorded in a stream of it. Read stream_do.
#include "runtime/graphs/graph.h"

#include <string.h>

enum { NON_BLOCKING = 1 };

static Capture *capture_numbered(const Runtime *r, uint64_t number) {
    Capture *capture = r->captures;
    while (capture && capture->number != number)
        capture = capture->next;
    return capture;
}

Capture *capture_of(const Runtime *r, const Tips *tips) {
    return tips->capture ? capture_numbered(r, tips->capture) : NULL;
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

CudaError event_check(Runtime *r, const CudaEvent *event) {
    if (!event)
        return CUDA_HANDLE;
    return event->is_destroyed
               ? refuse_destroyed(
                     r, "The program uses an event that it has destroyed.")
               : CUDA_OK;
}

// The default stream waits for all streams that are not non-blocking.
static CudaError forbid_default(const Runtime *r) {
    for (Capture *capture = r->captures; capture; capture = capture->next)
        if (!(capture->origin->flags & NON_BLOCKING))
            return CUDA_CAPTURE_IMPLICIT;
    return CUDA_OK;
}

CudaError capture_find(Runtime *r, CudaStream *handle, Capture **capture) {
    CudaStream *stream = stream_find(r, handle);
    CudaError error = stream_check(r, handle);
    *capture = NULL;
    if (error || !r->captures)
        return error;
    if (!stream)
        return forbid_default(r);
    *capture = capture_of(r, &stream->tips);
    return CUDA_OK;
}

// ---- tips ----------------------------------------------------------------

void capture_add_tips(Capture *capture, Tips *tips, GraphNode *const *nodes,
                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool is_there = false;
        for (size_t k = 0; k < tips->count; k++)
            is_there = is_there || tips->nodes[k] == nodes[i];
        if (is_there)
            continue;
        arena_grow(&capture->arena, tips->nodes, tips->count, tips->capacity);
        tips->nodes[tips->count++] = nodes[i];
    }
}

void capture_set_tips(Capture *capture, Tips *tips, GraphNode *const *nodes,
                      size_t count) {
    if (tips->capture != capture->number) // its array is of another arena
        *tips = (Tips){.capture = capture->number};
    tips->count = 0;
    capture_add_tips(capture, tips, nodes, count);
}

// ---- beginning and ending ------------------------------------------------

CudaError capture_begin(Runtime *r, CudaStream *handle, Graph *graph,
                        GraphNode *const *needs, size_t count,
                        CaptureMode mode) {
    CudaStream *stream = stream_find(r, handle);
    if (!stream)
        return CUDA_CAPTURE_UNSUPPORTED;
    if (capture_of(r, &stream->tips) || (unsigned)mode > CAPTURE_RELAXED)
        return CUDA_VALUE;
    Capture *capture = heap_alloc(1, sizeof *capture);
    *capture = (Capture){.next = r->captures,
                         .number = ++r->capture_count,
                         .graph = graph ? graph : graph_new(),
                         .origin = stream,
                         .mode = mode,
                         .thread = pthread_self(),
                         .is_callers = graph != NULL};
    r->captures = capture;
    capture_set_tips(capture, &stream->tips, needs, count);
    return CUDA_OK;
}

// Marks the node and all that it needs, which may be many, as done.
static void mark(GraphNode *node, GraphNode **stack) {
    size_t count = 0;
    stack[count++] = node;
    while (count) {
        GraphNode *last = stack[--count];
        if (last->is_done)
            continue;
        last->is_done = true;
        for (size_t i = 0; i < last->need_count; i++)
            if (!last->needs[i]->is_done)
                stack[count++] = last->needs[i];
    }
}

static size_t edges(const Graph *graph) {
    size_t count = 1;
    for (size_t i = 0; i < graph->count; i++)
        count += graph->nodes[i]->need_count;
    return count;
}

// What the other streams have been given comes before the origin's last.
static bool is_joined(const Runtime *r, const Capture *capture) {
    Graph *graph = capture->graph;
    Tips *tips = &capture->origin->tips;
    GraphNode **stack = heap_alloc(edges(graph), sizeof *stack);
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->is_done = false;
    for (size_t i = 0; i < tips->count; i++)
        mark(tips->nodes[i], stack);
    heap_free(stack);
    bool is_joined = true;
    for (const CudaStream *s = r->streams; s; s = s->next)
        for (size_t i = 0; i < s->tips.count; i++)
            if (s->tips.capture == capture->number &&
                !s->tips.nodes[i]->is_done)
                is_joined = false;
    return is_joined;
}

static void remove_capture(Runtime *r, Capture *capture) {
    Capture **link = &r->captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    Arena arena = capture->arena;
    heap_free(capture);
    arena_free(&arena);
}

CudaError capture_end(Runtime *r, CudaStream *handle, Graph **graph) {
    CudaStream *stream = stream_find(r, handle);
    Capture *capture = stream ? capture_of(r, &stream->tips) : NULL;
    Graph *captured = NULL;
    if (graph)
        *graph = NULL;
    if (!capture || (!graph && !capture->is_callers))
        return CUDA_VALUE;
    if (capture->origin != stream)
        return CUDA_CAPTURE_UNMATCHED;
    if (capture->mode != CAPTURE_RELAXED &&
        !pthread_equal(capture->thread, pthread_self()))
        return CUDA_CAPTURE_THREAD_ERROR;
    CudaError error = CUDA_OK;
    if (capture->is_invalid)
        error = CUDA_CAPTURE_INVALIDATED;
    else if (!is_joined(r, capture))
        error = CUDA_CAPTURE_UNJOINED;
    if (!error)
        captured = capture->graph;
    else if (!capture->is_callers)
        graph_free(r, capture->graph);
    if (graph)
        *graph = captured;
    remove_capture(r, capture);
    return error;
}

// ---- what is not allowed meanwhile ---------------------------------------

static CudaError invalidate(Capture *capture) {
    capture->is_invalid = true;
    return CUDA_CAPTURE_UNSUPPORTED;
}

CudaError capture_forbid_wait(Runtime *r, CudaStream *handle) {
    Capture *capture;
    CudaError error = capture_find(r, handle, &capture);
    return capture ? invalidate(capture) : error;
}

CudaError capture_forbid_all(Runtime *r) {
    CudaError error = CUDA_OK;
    for (Capture *c = r->captures; c; c = c->next)
        error = invalidate(c);
    return error;
}

// A call that might wait for streams: what is allowed depends on the capture's
// mode and on this thread's.
CudaError capture_forbid_unsafe(Runtime *r) {
    CaptureMode own = *runtime_capture_mode();
    for (Capture *c = r->captures; c; c = c->next) {
        bool is_mine = pthread_equal(c->thread, pthread_self());
        bool is_watched =
            c->mode == CAPTURE_GLOBAL || (c->mode == CAPTURE_THREAD && is_mine);
        if (is_watched && own != CAPTURE_RELAXED &&
            (own == CAPTURE_GLOBAL || is_mine))
            return invalidate(c);
    }
    return CUDA_OK;
}

// ---- what a stream is given ----------------------------------------------

GraphNode *capture_add(Capture *capture, CudaStream *stream, const Op *op) {
    GraphNode *node =
        graph_add(capture->graph, stream->tips.nodes, stream->tips.count, op);
    if (node)
        capture_set_tips(capture, &stream->tips, &node, 1);
    return node;
}

static CudaError take(Runtime *r, Capture *capture, CudaStream *handle,
                      const Op *op) {
    if (capture->is_invalid)
        return CUDA_CAPTURE_INVALIDATED;
    return capture_add(capture, stream_find(r, handle), op) ? CUDA_OK
                                                            : CUDA_VALUE;
}

CudaError stream_do(Runtime *r, CudaStream *handle, const Op *op) {
    Capture *capture;
    CudaError error = capture_find(r, handle, &capture);
    if (error)
        return error;
    return capture ? take(r, capture, handle, op) : op_run(r, op);
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

CudaError stream_launch(Runtime *r, CudaStream *handle, const void *host,
                        const LaunchShape *shape, void **args) {
    Op op;
    Capture *capture;
    CudaKernel *kernel;
    CudaError error = capture_find(r, handle, &capture);
    if (!error && capture) {
        error =
            op_make_launch(r, &capture->graph->arena, host, shape, args, &op);
        return error ? error : take(r, capture, handle, &op);
    }
    if (!error)
        error = module_find_kernel(r, host, &kernel);
    return error ? error : launch_kernel(r, kernel, shape, args);
}
