// SPDX-License-Identifier: Apache-2.0
// The functions for graphs as a whole: what a graph consists of, instances of
// it, and launching them. Those for the kinds of nodes are in api_node.c.
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"
#include "runtime/graphs/graph.h"

#include <string.h>

// ---- a graph -------------------------------------------------------------

static CudaError create(Runtime *r, Graph **graph) {
    *graph = graph_new(r);
    return CUDA_OK;
}

API CudaError cudaGraphCreate(Graph **graph, uint32_t flags) {
    if (!graph)
        return runtime_refuse("cudaGraphCreate");
    RETURN("cudaGraphCreate", flags ? CUDA_VALUE : create(r, graph));
}

static CudaError destroy(Runtime *r, Graph *graph) {
    if (!graph_is_there(graph) || graph->is_owned)
        return CUDA_VALUE;
    graph_free(r, graph);
    return CUDA_OK;
}

API CudaError cudaGraphDestroy(Graph *graph) {
    RETURN("cudaGraphDestroy", destroy(r, graph));
}

static CudaError copy_graph(Runtime *r, Graph **copy, const Graph *graph) {
    if (!graph_is_there(graph))
        return CUDA_VALUE;
    *copy = graph_clone(r, graph);
    return CUDA_OK;
}

API CudaError cudaGraphClone(Graph **copy, Graph *graph) {
    RETURN("cudaGraphClone", copy_graph(r, copy, graph));
}

API CudaError cudaGraphNodeFindInClone(GraphNode **node, GraphNode *original,
                                       Graph *copy) {
    *node = original && copy ? graph_find(copy, original) : NULL;
    RETURN("cudaGraphNodeFindInClone", *node ? CUDA_OK : CUDA_VALUE);
}

static CudaError destroy_node(Runtime *r, GraphNode *node) {
    if (!node)
        return CUDA_VALUE;
    graph_remove(r, node);
    return CUDA_OK;
}

API CudaError cudaGraphDestroyNode(GraphNode *node) {
    RETURN("cudaGraphDestroyNode", destroy_node(r, node));
}

API CudaError cudaGraphNodeGetType(GraphNode *node, int *kind) {
    if (node)
        *kind = (int)node->work.kind;
    RETURN("cudaGraphNodeGetType", node ? CUDA_OK : CUDA_VALUE);
}

// ---- what it consists of -------------------------------------------------

// A list that a function returns: room for *most pointers, or NULL to count.
typedef struct List {
    GraphNode **nodes, **others; // others: the other ends of edges; or NULL
    size_t *most, count;
} List;

static void put(List *list, GraphNode *node, GraphNode *other) {
    if (list->nodes && list->count < *list->most) {
        list->nodes[list->count] = node;
        if (list->others)
            list->others[list->count] = other;
    }
    list->count++;
}

// What is beyond the end of a list is NULL.
static CudaError end_list(List *list) {
    for (size_t i = list->count; list->nodes && i < *list->most; i++) {
        list->nodes[i] = NULL;
        if (list->others)
            list->others[i] = NULL;
    }
    if (!list->nodes || list->count < *list->most)
        *list->most = list->count;
    return CUDA_OK;
}

static CudaError list_nodes(const Graph *graph, List list, bool is_roots) {
    if (!graph)
        return CUDA_VALUE;
    for (size_t i = 0; i < graph->count; i++)
        if (!is_roots || graph->nodes[i]->need_count == 0)
            put(&list, graph->nodes[i], NULL);
    return end_list(&list);
}

API CudaError cudaGraphGetNodes(Graph *graph, GraphNode **nodes, size_t *most) {
    List list = {.nodes = nodes, .most = most};
    RETURN("cudaGraphGetNodes", list_nodes(graph, list, false));
}

API CudaError cudaGraphGetRootNodes(Graph *graph, GraphNode **nodes,
                                    size_t *most) {
    List list = {.nodes = nodes, .most = most};
    RETURN("cudaGraphGetRootNodes", list_nodes(graph, list, true));
}

static CudaError list_edges(const Graph *graph, List list) {
    if (!graph)
        return CUDA_VALUE;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->need_count; k++)
            put(&list, graph->nodes[i]->needs[k], graph->nodes[i]);
    return end_list(&list);
}

static CudaError list_needs(const GraphNode *node, List list) {
    for (size_t i = 0; node && i < node->need_count; i++)
        put(&list, node->needs[i], NULL);
    return node ? end_list(&list) : CUDA_VALUE;
}

static CudaError list_dependents(GraphNode *node, List list) {
    if (!node)
        return CUDA_VALUE;
    const Graph *graph = node->graph;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->need_count; k++)
            if (graph->nodes[i]->needs[k] == node)
                put(&list, graph->nodes[i], NULL);
    return end_list(&list);
}

// CUDA 12 has these without the data of the edges, which stands before the
// count here, and with it under the name _v2.
static size_t *count_of(const Runtime *r, void *edges, size_t *count) {
    return r->is_cuda12 ? edges : count;
}

API CudaError cudaGraphGetEdges(Graph *graph, GraphNode **from, GraphNode **to,
                                void *edges, size_t *most) {
    RETURN("cudaGraphGetEdges",
           list_edges(graph, (List){from, to, count_of(r, edges, most), 0}));
}

API CudaError cudaGraphGetEdges_v2(Graph *graph, GraphNode **from,
                                   GraphNode **to, void *edges, size_t *most) {
    (void)edges;
    RETURN("cudaGraphGetEdges", list_edges(graph, (List){from, to, most, 0}));
}

API CudaError cudaGraphNodeGetDependencies(GraphNode *node, GraphNode **nodes,
                                           void *edges, size_t *most) {
    RETURN("cudaGraphNodeGetDependencies",
           list_needs(node, (List){nodes, NULL, count_of(r, edges, most), 0}));
}

API CudaError cudaGraphNodeGetDependencies_v2(GraphNode *node,
                                              GraphNode **nodes, void *edges,
                                              size_t *most) {
    (void)edges;
    RETURN("cudaGraphNodeGetDependencies",
           list_needs(node, (List){nodes, NULL, most, 0}));
}

API CudaError cudaGraphNodeGetDependentNodes(GraphNode *node, GraphNode **nodes,
                                             void *edges, size_t *most) {
    RETURN("cudaGraphNodeGetDependentNodes",
           list_dependents(node,
                           (List){nodes, NULL, count_of(r, edges, most), 0}));
}

API CudaError cudaGraphNodeGetDependentNodes_v2(GraphNode *node,
                                                GraphNode **nodes, void *edges,
                                                size_t *most) {
    (void)edges;
    RETURN("cudaGraphNodeGetDependentNodes",
           list_dependents(node, (List){nodes, NULL, most, 0}));
}

static CudaError connect(GraphNode **from, GraphNode **to, size_t count) {
    CudaError error = CUDA_OK;
    for (size_t i = 0; i < count && !error; i++)
        error = graph_connect(from[i], to[i]);
    return error;
}

static CudaError disconnect(GraphNode **from, GraphNode **to, size_t count) {
    CudaError error = CUDA_OK;
    for (size_t i = 0; i < count && !error; i++)
        error = graph_disconnect(from[i], to[i]);
    return error;
}

static size_t number_of(const Runtime *r, const void *edges, size_t count) {
    return r->is_cuda12 ? (size_t)(uintptr_t)edges : count;
}

API CudaError cudaGraphAddDependencies(Graph *graph, GraphNode **from,
                                       GraphNode **to, const void *edges,
                                       size_t count) {
    (void)graph;
    RETURN("cudaGraphAddDependencies",
           connect(from, to, number_of(r, edges, count)));
}

API CudaError cudaGraphAddDependencies_v2(Graph *graph, GraphNode **from,
                                          GraphNode **to, const void *edges,
                                          size_t count) {
    (void)graph, (void)edges;
    RETURN("cudaGraphAddDependencies", connect(from, to, count));
}

API CudaError cudaGraphRemoveDependencies(Graph *graph, GraphNode **from,
                                          GraphNode **to, const void *edges,
                                          size_t count) {
    (void)graph;
    RETURN("cudaGraphRemoveDependencies",
           disconnect(from, to, number_of(r, edges, count)));
}

API CudaError cudaGraphRemoveDependencies_v2(Graph *graph, GraphNode **from,
                                             GraphNode **to, const void *edges,
                                             size_t count) {
    (void)graph, (void)edges;
    RETURN("cudaGraphRemoveDependencies", disconnect(from, to, count));
}

// ---- instances -----------------------------------------------------------

typedef struct Instantiation {
    uint64_t flags;
    CudaStream *stream;
    GraphNode *where;
    int result;
} Instantiation;

static CudaError instantiate(Runtime *r, Graph **instance, Graph *graph,
                             uint64_t flags) {
    enum { FREE = 1, FROM_DEVICE = 4 };
    *instance = NULL;
    if (flags & FROM_DEVICE)
        return CUDA_NOT_SUPPORTED;
    if (!graph_is_there(graph) || graph_has_cycle(graph))
        return CUDA_VALUE;
    *instance = graph_clone(r, graph);
    (*instance)->frees = flags & FREE;
    return CUDA_OK;
}

API CudaError cudaGraphInstantiateWithFlags(Graph **instance, Graph *graph,
                                            unsigned long long flags) {
    if (!instance)
        return runtime_refuse("cudaGraphInstantiate");
    RETURN("cudaGraphInstantiate", instantiate(r, instance, graph, flags));
}

// In CUDA 11 the third was where to write an error.
API CudaError cudaGraphInstantiate(Graph **instance, Graph *graph,
                                   unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(instance, graph, flags);
}

API CudaError cudaGraphInstantiateWithParams(Graph **instance, Graph *graph,
                                             Instantiation *how) {
    enum { STRUCTURE = 2 };
    CudaError error =
        cudaGraphInstantiateWithFlags(instance, graph, how->flags);
    how->where = NULL;
    how->result = error ? STRUCTURE : 0;
    return error;
}

API CudaError cudaGraphExecGetFlags(Graph *instance,
                                    unsigned long long *flags) {
    *flags = instance->frees;
    return CUDA_OK;
}

API CudaError cudaGraphExecDestroy(Graph *instance) {
    RETURN("cudaGraphExecDestroy", destroy(r, instance));
}

API CudaError cudaGraphUpload(Graph *instance, CudaStream *stream) {
    (void)stream;
    RETURN("cudaGraphUpload", graph_is_there(instance) ? CUDA_OK : CUDA_VALUE);
}

// In a stream that is captured, it becomes a part of that graph.
static CudaError launch(Runtime *r, Graph *instance, CudaStream *stream) {
    Capture *capture;
    CudaError error = graph_is_there(instance)
                          ? stream_capture(r, stream, &capture)
                          : CUDA_VALUE;
    if (error || !capture)
        return error ? error : graph_run(r, instance);
    Work work = {.kind = NODE_GRAPH, .child = graph_clone(r, instance)};
    work.child->is_owned = true;
    return capture_take(r, capture, stream, &work);
}

API CudaError cudaGraphLaunch(Graph *instance, CudaStream *stream) {
    RETURN("cudaGraphLaunch", launch(r, instance, stream));
}

typedef struct UpdateResult {
    int result;
    GraphNode *where, *from;
} UpdateResult;

static CudaError update(Runtime *r, Graph *instance, const Graph *graph,
                        UpdateResult *result) {
    if (!graph_is_there(instance) || !graph_is_there(graph))
        return CUDA_VALUE;
    *result = (UpdateResult){0};
    result->result = (int)graph_update(r, instance, graph, &result->where);
    return result->result ? CUDA_GRAPH_UPDATE : CUDA_OK;
}

API CudaError cudaGraphExecUpdate(Graph *instance, Graph *graph,
                                  UpdateResult *result) {
    RETURN("cudaGraphExecUpdate", update(r, instance, graph, result));
}

static CudaError set_enabled(const Graph *instance, const GraphNode *node,
                             bool is_on) {
    GraphNode *own = instance && node ? graph_find(instance, node) : NULL;
    bool can =
        own && (own->work.kind == NODE_KERNEL || own->work.kind == NODE_FILL ||
                own->work.kind == NODE_COPY);
    if (can)
        own->is_off = !is_on;
    return can ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaGraphNodeSetEnabled(Graph *instance, GraphNode *node,
                                      uint32_t is_on) {
    RETURN("cudaGraphNodeSetEnabled", set_enabled(instance, node, is_on != 0));
}

static CudaError get_enabled(const Graph *instance, const GraphNode *node,
                             uint32_t *is_on) {
    const GraphNode *own = instance && node ? graph_find(instance, node) : NULL;
    if (own)
        *is_on = !own->is_off;
    return own ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaGraphNodeGetEnabled(Graph *instance, GraphNode *node,
                                      uint32_t *is_on) {
    RETURN("cudaGraphNodeGetEnabled", get_enabled(instance, node, is_on));
}

// ---- memory of graphs ----------------------------------------------------

// Bytes that nodes have allocated, and that are not parked.
static uint64_t bytes_of_graphs(const Runtime *r) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->slot_count; i++)
        if (r->slots[i].graphs && r->slots[i].kind == SLOT_DEVICE)
            bytes += r->slots[i].size;
    return bytes;
}

API CudaError cudaDeviceGetGraphMemAttribute(int device, int attribute,
                                             uint64_t *bytes) {
    (void)device, (void)attribute;
    Runtime *r = runtime_enter();
    *bytes = bytes_of_graphs(r);
    return runtime_leave(r, "cudaDeviceGetGraphMemAttribute", CUDA_OK);
}
