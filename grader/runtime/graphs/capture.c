// SPDX-License-Identifier: Apache-2.0
// Streams that are captured: what they are given becomes nodes of a graph. A
// capture begins in one stream; others join it by waiting for an event that was
// recorded in a stream of it. Read capture_begin, and the Recorder at the end,
// which core/ calls until the last capture has ended.
#include "runtime/core/runtime.h"
#include "runtime/graphs/graph.h"

#include <string.h>

enum { NON_BLOCKING = 1 };

typedef struct Captures {
    Capture *first; // that have begun and not ended
    uint64_t count; // that have begun
} Captures;

static Capture *first_of(const Runtime *r) {
    return r->captures ? r->captures->first : NULL;
}

// The active capture that tips are of; NULL: none.
static Capture *capture_of(const Runtime *r, const Tips *tips) {
    Capture *capture = tips ? first_of(r) : NULL;
    while (capture && capture->number != tips->capture)
        capture = capture->next;
    return capture;
}

// The default stream waits for all streams that are not non-blocking.
static CudaError forbid_default(const Runtime *r) {
    for (Capture *capture = first_of(r); capture; capture = capture->next)
        if (!(capture->origin->flags & NON_BLOCKING))
            return CUDA_CAPTURE_IMPLICIT;
    return CUDA_OK;
}

static CudaError find(Runtime *r, CudaStream *handle, Capture **capture) {
    CudaStream *stream = stream_find(r, handle);
    if (!stream)
        return forbid_default(r);
    *capture = capture_of(r, stream->tips);
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

static Tips *tips_of(Runtime *r, Tips **tips) {
    if (!*tips)
        *tips = arena_new(&r->arena, Tips, 1);
    return *tips;
}

void capture_set_tips(Capture *capture, Tips *tips, GraphNode *const *nodes,
                      size_t count) {
    if (tips->capture != capture->number) // its array is of another arena
        *tips = (Tips){.capture = capture->number};
    tips->count = 0;
    capture_add_tips(capture, tips, nodes, count);
}

// ---- what streams and events are given -----------------------------------

static CudaError add(Capture *capture, const CudaStream *stream,
                     const Work *work) {
    GraphNode *node = graph_add(capture->graph, stream->tips->nodes,
                                stream->tips->count, work);
    if (!node)
        return CUDA_VALUE;
    capture_set_tips(capture, stream->tips, &node, 1);
    return CUDA_OK;
}

CudaError capture_take(Runtime *r, Capture *capture, CudaStream *handle,
                       const Work *work) {
    return capture->is_invalid ? CUDA_CAPTURE_INVALIDATED
                               : add(capture, stream_find(r, handle), work);
}

// The parameters of a launch are the caller's.
static CudaError take(Runtime *r, Capture *capture, CudaStream *handle,
                      const Op *op) {
    Work work = work_of(*op);
    if (op->kind == OP_KERNEL)
        work_own_block(&capture->graph->arena, &work);
    return capture_take(r, capture, handle, &work);
}

static void mark(Runtime *r, Capture *capture, CudaStream *handle,
                 CudaEvent *event) {
    if (capture) {
        const Tips *tips = stream_find(r, handle)->tips;
        capture_set_tips(capture, tips_of(r, &event->tips), tips->nodes,
                         tips->count);
    } else if (event->tips) {
        *event->tips = (Tips){0};
    }
}

static Capture *marked(const Runtime *r, const CudaEvent *event) {
    return capture_of(r, event->tips);
}

static CudaError join(Runtime *r, Capture *capture, CudaStream *handle,
                      const CudaEvent *event) {
    CudaStream *stream = stream_find(r, handle);
    if (!stream)
        return CUDA_CAPTURE_IMPLICIT;
    Capture *own = capture_of(r, stream->tips);
    if (own && own != capture)
        return CUDA_CAPTURE_MERGE;
    Tips *tips = tips_of(r, &stream->tips);
    if (!own)
        capture_set_tips(capture, tips, NULL, 0);
    capture_add_tips(capture, tips, event->tips->nodes, event->tips->count);
    return CUDA_OK;
}

// ---- what is not allowed meanwhile ---------------------------------------

static CudaError forbid(Runtime *r, Capture *capture) {
    if (capture)
        capture->is_invalid = true;
    for (Capture *c = first_of(r); c && !capture; c = c->next)
        c->is_invalid = true;
    return CUDA_CAPTURE_UNSUPPORTED;
}

// A call that might wait for streams: what is allowed depends on the capture's
// mode and on this thread's.
static CudaError forbid_unsafe(Runtime *r) {
    CaptureMode own = (CaptureMode)*runtime_capture_mode();
    for (Capture *c = first_of(r); c; c = c->next) {
        bool is_mine = pthread_equal(c->thread, pthread_self());
        bool is_watched =
            c->mode == CAPTURE_GLOBAL || (c->mode == CAPTURE_THREAD && is_mine);
        if (is_watched && own != CAPTURE_RELAXED &&
            (own == CAPTURE_GLOBAL || is_mine))
            return forbid(r, c);
    }
    return CUDA_OK;
}

// ---- beginning and ending ------------------------------------------------

CudaError capture_begin(Runtime *r, CudaStream *handle, Graph *graph,
                        GraphNode *const *needs, size_t count,
                        CaptureMode mode) {
    static const Recorder recorder = {find, take,   mark,         marked,
                                      join, forbid, forbid_unsafe};
    CudaStream *stream = stream_find(r, handle);
    if (!stream)
        return CUDA_CAPTURE_UNSUPPORTED;
    if (capture_of(r, stream->tips) || (unsigned)mode > CAPTURE_RELAXED)
        return CUDA_VALUE;
    if (!r->captures)
        r->captures = arena_new(&r->arena, Captures, 1);
    Capture *capture = heap_alloc(1, sizeof *capture);
    *capture = (Capture){.next = r->captures->first,
                         .number = ++r->captures->count,
                         .graph = graph ? graph : graph_new(r),
                         .origin = stream,
                         .mode = mode,
                         .thread = pthread_self(),
                         .is_callers = graph != NULL};
    r->captures->first = capture;
    r->recorder = &recorder;
    capture_set_tips(capture, tips_of(r, &stream->tips), needs, count);
    return CUDA_OK;
}

// Marks the node and all that it needs, which may be many, as done.
static void mark_done(GraphNode *node, GraphNode **stack) {
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

static bool is_of(const Tips *tips, const Capture *capture) {
    return tips && tips->capture == capture->number;
}

// What the other streams have been given comes before the origin's last.
static bool is_joined(const Runtime *r, const Capture *capture) {
    Graph *graph = capture->graph;
    const Tips *tips = capture->origin->tips;
    GraphNode **stack = heap_alloc(edges(graph), sizeof *stack);
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->is_done = false;
    for (size_t i = 0; i < tips->count; i++)
        mark_done(tips->nodes[i], stack);
    heap_free(stack);
    bool is_joined = true;
    for (const CudaStream *s = r->streams; s; s = s->next)
        for (size_t i = 0; is_of(s->tips, capture) && i < s->tips->count; i++)
            if (!s->tips->nodes[i]->is_done)
                is_joined = false;
    return is_joined;
}

static void remove_capture(Runtime *r, Capture *capture) {
    Capture **link = &r->captures->first;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    if (!r->captures->first)
        r->recorder = NULL;
    Arena arena = capture->arena;
    heap_free(capture);
    arena_free(&arena);
}

CudaError capture_end(Runtime *r, CudaStream *handle, Graph **graph) {
    CudaStream *stream = stream_find(r, handle);
    Capture *capture = stream ? capture_of(r, stream->tips) : NULL;
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
