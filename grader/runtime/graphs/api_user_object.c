// SPDX-License-Identifier: Apache-2.0
// Objects of the program that live as long as somebody needs them: the program
// itself, or a graph and its copies. The last one that lets go has the
// program's function called.
#include "runtime/core/runtime.h"
#include "runtime/graphs/graph.h"

struct UserObject {
    OpHost destroy;
    uint32_t count; // of those that need it
};

// Called without the lock, as it is the program's.
static void let_go(Runtime *r, UserObject *object, uint32_t count) {
    object->count -= count;
    if (object->count)
        return;
    runtime_exit(r);
    object->destroy.function(object->destroy.data);
    runtime_enter();
}

void user_objects_hold(Arena *arena, Holding **list, UserObject *object,
                       uint32_t count) {
    Holding *holding = arena_new(arena, Holding, 1);
    *holding = (Holding){*list, object, count};
    *list = holding;
    object->count += count;
}

void user_objects_let_go(Runtime *r, Holding *list) {
    for (; list; list = list->next)
        if (list->count)
            let_go(r, list->object, list->count);
}

static CudaError create(Runtime *r, UserObject **object, OpHost destroy,
                        uint32_t count) {
    if (!object || !destroy.function || !count)
        return CUDA_VALUE;
    *object = arena_new(&r->arena, UserObject, 1);
    **object = (UserObject){destroy, count};
    return CUDA_OK;
}

API CudaError cudaUserObjectCreate(UserObject **object, void *data,
                                   CudaHostFunction *destroy, uint32_t count,
                                   uint32_t flags) {
    (void)flags;
    RETURN("cudaUserObjectCreate",
           create(r, object, (OpHost){destroy, data}, count));
}

static CudaError retain(UserObject *object, uint32_t count) {
    if (!object || !count)
        return CUDA_VALUE;
    object->count += count;
    return CUDA_OK;
}

API CudaError cudaUserObjectRetain(UserObject *object, uint32_t count) {
    RETURN("cudaUserObjectRetain", retain(object, count));
}

static CudaError release(Runtime *r, UserObject *object, uint32_t count) {
    if (!object || !count || count > object->count)
        return CUDA_VALUE;
    let_go(r, object, count);
    return CUDA_OK;
}

API CudaError cudaUserObjectRelease(UserObject *object, uint32_t count) {
    RETURN("cudaUserObjectRelease", release(r, object, count));
}

static CudaError graph_retain(Graph *graph, UserObject *object, uint32_t count,
                              uint32_t flags) {
    enum { MOVE = 1 }; // the caller's own
    if (!graph || !object || !count ||
        ((flags & MOVE) && count > object->count))
        return CUDA_VALUE;
    user_objects_hold(&graph->arena, &graph->holdings, object, count);
    if (flags & MOVE)
        object->count -= count;
    return CUDA_OK;
}

API CudaError cudaGraphRetainUserObject(Graph *graph, UserObject *object,
                                        uint32_t count, uint32_t flags) {
    RETURN("cudaGraphRetainUserObject",
           graph_retain(graph, object, count, flags));
}

static CudaError graph_release(Runtime *r, Graph *graph, UserObject *object,
                               uint32_t count) {
    if (!graph || !object || !count)
        return CUDA_VALUE;
    for (Holding *h = graph->holdings; h; h = h->next)
        if (h->object == object && h->count >= count) {
            h->count -= count;
            let_go(r, object, count);
            return CUDA_OK;
        }
    return CUDA_VALUE;
}

API CudaError cudaGraphReleaseUserObject(Graph *graph, UserObject *object,
                                         uint32_t count) {
    RETURN("cudaGraphReleaseUserObject",
           graph_release(r, graph, object, count));
}
