// SPDX-License-Identifier: Apache-2.0
// The functions for the nodes of graphs, by kind: each can be added to a graph,
// asked for its parameters, and changed, in the graph and in an instance of it.
#include "runtime/core/memory.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"
#include "runtime/graphs/node.h"

#include <string.h>

// Where a node is to be added.
typedef struct Place {
    GraphNode **node; // the result
    Graph *graph;
    GraphNode *const *needs;
    size_t count;
} Place;

static CudaError add(Runtime *r, Place at, Work work) {
    if (!graph_is_there(at.graph) || (at.count && !at.needs)) {
        work_drop(r, &work);
        return CUDA_VALUE;
    }
    *at.node = graph_add(at.graph, at.needs, at.count, &work);
    if (!*at.node)
        work_drop(r, &work);
    return *at.node ? CUDA_OK : CUDA_VALUE;
}

static CudaError add_op(Runtime *r, Place at, Op op) {
    return add(r, at, work_of(op));
}

// The node itself; or, if there is an instance, its own copy of the node.
static GraphNode *meant(const Graph *instance, GraphNode *node, NodeKind kind) {
    if (node && instance)
        node = graph_find(instance, node);
    return node && node->work.kind == kind ? node : NULL;
}

static CudaError set(Runtime *r, GraphNode *node, Op op) {
    Work work = work_of(op);
    if (!node)
        return CUDA_VALUE;
    work_copy(r, &node->graph->arena, &node->work, &work);
    return CUDA_OK;
}

// ---- kernels -------------------------------------------------------------

static CudaError make_kernel(Runtime *r, Arena *arena,
                             const CudaKernelNode *from, Work *work) {
    Op op;
    uint8_t block[LAUNCH_MOST_PARAMETERS];
    LaunchShape shape = {.grid = from->grid,
                         .block = from->block,
                         .dynamic_smem = from->dynamic_smem};
    void *unpacked[LAUNCH_MOST_ARGS], **args = from->args;
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, from->func, &kernel);
    if (!error && !args && from->extra) {
        args = unpacked;
        error = launch_unpack(kernel, from->extra, args);
    }
    if (!error)
        error = op_make_launch(r, from->func, &shape, args, block, &op);
    if (error)
        return error;
    *work = work_of(op);
    work_own_block(arena, work);
    return CUDA_OK;
}

static CudaError add_kernel(Runtime *r, Place at, const CudaKernelNode *from) {
    Work work;
    if (!graph_is_there(at.graph) || !from)
        return CUDA_VALUE;
    CudaError error = make_kernel(r, &at.graph->arena, from, &work);
    return error ? error : add(r, at, work);
}

API CudaError cudaGraphAddKernelNode(GraphNode **node, Graph *graph,
                                     GraphNode *const *needs, size_t count,
                                     const CudaKernelNode *from) {
    RETURN("cudaGraphAddKernelNode",
           add_kernel(r, (Place){node, graph, needs, count}, from));
}

static CudaError set_kernel(Runtime *r, GraphNode *node,
                            const CudaKernelNode *from) {
    Work work;
    if (!node)
        return CUDA_VALUE;
    CudaError error = make_kernel(r, &node->graph->arena, from, &work);
    if (error)
        return error;
    LaunchShape *shape = &work.op.launch.shape;
    const LaunchShape *was = &node->work.op.launch.shape;
    shape->cluster = was->cluster; // attributes stay
    shape->is_cooperative = was->is_cooperative;
    node->work = work;
    return CUDA_OK;
}

API CudaError cudaGraphKernelNodeSetParams(GraphNode *node,
                                           const CudaKernelNode *from) {
    RETURN("cudaGraphKernelNodeSetParams",
           set_kernel(r, meant(NULL, node, NODE_KERNEL), from));
}

API CudaError cudaGraphExecKernelNodeSetParams(Graph *instance, GraphNode *node,
                                               const CudaKernelNode *from) {
    RETURN("cudaGraphExecKernelNodeSetParams",
           instance ? set_kernel(r, meant(instance, node, NODE_KERNEL), from)
                    : CUDA_VALUE);
}

static CudaError get_kernel(GraphNode *node, CudaKernelNode *to) {
    if (!node)
        return CUDA_VALUE;
    const OpLaunch *launch = &node->work.op.launch;
    const PtxFunc *func = launch->kernel->func;
    *to = (CudaKernelNode){
        .func = launch->host,
        .grid = launch->shape.grid,
        .block = launch->shape.block,
        .dynamic_smem = (uint32_t)launch->shape.dynamic_smem,
        .args = arena_new(&node->graph->arena, void *, func->param_count + 1)};
    void *extra[] = {(void *)(uintptr_t)1, launch->block, NULL};
    return launch_unpack(launch->kernel, extra, to->args);
}

API CudaError cudaGraphKernelNodeGetParams(GraphNode *node,
                                           CudaKernelNode *to) {
    RETURN("cudaGraphKernelNodeGetParams",
           get_kernel(meant(NULL, node, NODE_KERNEL), to));
}

static CudaError set_kernel_attribute(GraphNode *node, int id,
                                      const void *value) {
    CudaLaunchAttribute attribute = {.id = id};
    if (!node)
        return CUDA_VALUE;
    memcpy(&attribute.value, value, sizeof attribute.value);
    launch_take_attribute(&attribute, &node->work.op.launch.shape);
    return CUDA_OK;
}

API CudaError cudaGraphKernelNodeSetAttribute(GraphNode *node, int id,
                                              const void *value) {
    RETURN("cudaGraphKernelNodeSetAttribute",
           set_kernel_attribute(meant(NULL, node, NODE_KERNEL), id, value));
}

static CudaError get_kernel_attribute(const GraphNode *node, int id,
                                      void *value) {
    CudaLaunchAttribute attribute = {0};
    if (!node)
        return CUDA_VALUE;
    if (id == ATTRIBUTE_COOPERATIVE)
        attribute.value.cooperative = node->work.op.launch.shape.is_cooperative;
    if (id == ATTRIBUTE_CLUSTER)
        attribute.value.cluster = node->work.op.launch.shape.cluster;
    memcpy(value, &attribute.value, sizeof attribute.value);
    return CUDA_OK;
}

API CudaError cudaGraphKernelNodeGetAttribute(GraphNode *node, int id,
                                              void *value) {
    RETURN("cudaGraphKernelNodeGetAttribute",
           get_kernel_attribute(meant(NULL, node, NODE_KERNEL), id, value));
}

static CudaError copy_attributes(GraphNode *to, const GraphNode *from) {
    if (!to || !from)
        return CUDA_VALUE;
    to->work.op.launch.shape.cluster = from->work.op.launch.shape.cluster;
    to->work.op.launch.shape.is_cooperative =
        from->work.op.launch.shape.is_cooperative;
    return CUDA_OK;
}

API CudaError cudaGraphKernelNodeCopyAttributes(GraphNode *to,
                                                GraphNode *from) {
    RETURN("cudaGraphKernelNodeCopyAttributes",
           copy_attributes(meant(NULL, to, NODE_KERNEL),
                           meant(NULL, from, NODE_KERNEL)));
}

// ---- copies --------------------------------------------------------------

static Op copy_op(const CudaCopy3D *copy) {
    return (Op){.kind = OP_COPY, .copy = *copy};
}

API CudaError cudaGraphAddMemcpyNode(GraphNode **node, Graph *graph,
                                     GraphNode *const *needs, size_t count,
                                     const CudaCopy3D *copy) {
    RETURN("cudaGraphAddMemcpyNode",
           add_op(r, (Place){node, graph, needs, count}, copy_op(copy)));
}

API CudaError cudaGraphAddMemcpyNode1D(GraphNode **node, Graph *graph,
                                       GraphNode *const *needs, size_t count,
                                       void *to, const void *from, size_t bytes,
                                       CudaCopy kind) {
    RETURN("cudaGraphAddMemcpyNode1D",
           add_op(r, (Place){node, graph, needs, count},
                  op_copy_bytes(to, from, bytes, kind)));
}

static CudaError set_copy(Runtime *r, const Graph *instance, GraphNode *node,
                          Op op) {
    return set(r, meant(instance, node, NODE_COPY), op);
}

API CudaError cudaGraphMemcpyNodeSetParams(GraphNode *node,
                                           const CudaCopy3D *copy) {
    RETURN("cudaGraphMemcpyNodeSetParams",
           set_copy(r, NULL, node, copy_op(copy)));
}

API CudaError cudaGraphMemcpyNodeSetParams1D(GraphNode *node, void *to,
                                             const void *from, size_t bytes,
                                             CudaCopy kind) {
    RETURN("cudaGraphMemcpyNodeSetParams1D",
           set_copy(r, NULL, node, op_copy_bytes(to, from, bytes, kind)));
}

API CudaError cudaGraphExecMemcpyNodeSetParams(Graph *instance, GraphNode *node,
                                               const CudaCopy3D *copy) {
    RETURN("cudaGraphExecMemcpyNodeSetParams",
           instance ? set_copy(r, instance, node, copy_op(copy)) : CUDA_VALUE);
}

API CudaError cudaGraphExecMemcpyNodeSetParams1D(Graph *instance,
                                                 GraphNode *node, void *to,
                                                 const void *from, size_t bytes,
                                                 CudaCopy kind) {
    RETURN("cudaGraphExecMemcpyNodeSetParams1D",
           instance ? set_copy(r, instance, node,
                               op_copy_bytes(to, from, bytes, kind))
                    : CUDA_VALUE);
}

static CudaError get_copy(const GraphNode *node, CudaCopy3D *copy) {
    if (node)
        *copy = node->work.op.copy;
    return node ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaGraphMemcpyNodeGetParams(GraphNode *node, CudaCopy3D *copy) {
    RETURN("cudaGraphMemcpyNodeGetParams",
           get_copy(meant(NULL, node, NODE_COPY), copy));
}

// A copy to a variable, or from one, whose place is found now.
typedef struct SymbolNode {
    const void *symbol;
    size_t bytes, offset;
    bool is_to;
    void *other;
} SymbolNode;

static CudaError symbol_op(Runtime *r, SymbolNode from, Op *op) {
    void *at;
    CudaError error =
        module_symbol(r, from.symbol, from.offset, from.bytes, &at);
    if (!error)
        *op = op_copy_bytes(from.is_to ? at : from.other,
                            from.is_to ? from.other : at, from.bytes,
                            COPY_DEFAULT);
    return error;
}

static CudaError add_symbol(Runtime *r, Place at, SymbolNode from) {
    Op op;
    CudaError error = symbol_op(r, from, &op);
    return error ? error : add_op(r, at, op);
}

API CudaError cudaGraphAddMemcpyNodeToSymbol(GraphNode **node, Graph *graph,
                                             GraphNode *const *needs,
                                             size_t count, const void *symbol,
                                             const void *from, size_t bytes,
                                             size_t offset, CudaCopy kind) {
    (void)kind;
    RETURN("cudaGraphAddMemcpyNodeToSymbol",
           add_symbol(r, (Place){node, graph, needs, count},
                      (SymbolNode){symbol, bytes, offset, true,
                                   (void *)(uintptr_t)from}));
}

API CudaError cudaGraphAddMemcpyNodeFromSymbol(GraphNode **node, Graph *graph,
                                               GraphNode *const *needs,
                                               size_t count, void *to,
                                               const void *symbol, size_t bytes,
                                               size_t offset, CudaCopy kind) {
    (void)kind;
    RETURN("cudaGraphAddMemcpyNodeFromSymbol",
           add_symbol(r, (Place){node, graph, needs, count},
                      (SymbolNode){symbol, bytes, offset, false, to}));
}

static CudaError set_symbol(Runtime *r, const Graph *instance, GraphNode *node,
                            SymbolNode from) {
    Op op;
    CudaError error = symbol_op(r, from, &op);
    return error ? error : set_copy(r, instance, node, op);
}

static SymbolNode to_symbol(const void *symbol, const void *from, size_t bytes,
                            size_t offset) {
    return (SymbolNode){symbol, bytes, offset, true, (void *)(uintptr_t)from};
}

API CudaError cudaGraphMemcpyNodeSetParamsToSymbol(GraphNode *node,
                                                   const void *symbol,
                                                   const void *from,
                                                   size_t bytes, size_t offset,
                                                   CudaCopy kind) {
    (void)kind;
    RETURN("cudaGraphMemcpyNodeSetParamsToSymbol",
           set_symbol(r, NULL, node, to_symbol(symbol, from, bytes, offset)));
}

API CudaError cudaGraphExecMemcpyNodeSetParamsToSymbol(
    Graph *instance, GraphNode *node, const void *symbol, const void *from,
    size_t bytes, size_t offset, CudaCopy kind) {
    (void)kind;
    RETURN("cudaGraphExecMemcpyNodeSetParamsToSymbol",
           instance ? set_symbol(r, instance, node,
                                 to_symbol(symbol, from, bytes, offset))
                    : CUDA_VALUE);
}

API CudaError cudaGraphMemcpyNodeSetParamsFromSymbol(GraphNode *node, void *to,
                                                     const void *symbol,
                                                     size_t bytes,
                                                     size_t offset,
                                                     CudaCopy kind) {
    (void)kind;
    RETURN("cudaGraphMemcpyNodeSetParamsFromSymbol",
           set_symbol(r, NULL, node,
                      (SymbolNode){symbol, bytes, offset, false, to}));
}

API CudaError cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    Graph *instance, GraphNode *node, void *to, const void *symbol,
    size_t bytes, size_t offset, CudaCopy kind) {
    (void)kind;
    RETURN("cudaGraphExecMemcpyNodeSetParamsFromSymbol",
           instance ? set_symbol(r, instance, node,
                                 (SymbolNode){symbol, bytes, offset, false, to})
                    : CUDA_VALUE);
}

// ---- fills ---------------------------------------------------------------

static Op fill_op(const CudaFillNode *from) {
    size_t row = from->width * from->element;
    size_t pitch = from->height > 1 ? from->pitch : row;
    return (Op){.kind = OP_FILL,
                .fill = {.to = {from->to, pitch, pitch * from->height},
                         .value = from->value,
                         .element = from->element,
                         .extent = {from->width, from->height, 1}}};
}

API CudaError cudaGraphAddMemsetNode(GraphNode **node, Graph *graph,
                                     GraphNode *const *needs, size_t count,
                                     const CudaFillNode *from) {
    RETURN("cudaGraphAddMemsetNode",
           add_op(r, (Place){node, graph, needs, count}, fill_op(from)));
}

static CudaError set_fill(Runtime *r, const Graph *instance, GraphNode *node,
                          const CudaFillNode *from) {
    return set(r, meant(instance, node, NODE_FILL), fill_op(from));
}

API CudaError cudaGraphMemsetNodeSetParams(GraphNode *node,
                                           const CudaFillNode *from) {
    RETURN("cudaGraphMemsetNodeSetParams", set_fill(r, NULL, node, from));
}

API CudaError cudaGraphExecMemsetNodeSetParams(Graph *instance, GraphNode *node,
                                               const CudaFillNode *from) {
    RETURN("cudaGraphExecMemsetNodeSetParams",
           instance ? set_fill(r, instance, node, from) : CUDA_VALUE);
}

static CudaError get_fill(const GraphNode *node, CudaFillNode *to) {
    if (!node)
        return CUDA_VALUE;
    const Fill *fill = &node->work.op.fill;
    *to =
        (CudaFillNode){fill->to.ptr,  fill->to.pitch,     fill->value,
                       fill->element, fill->extent.width, fill->extent.height};
    return CUDA_OK;
}

API CudaError cudaGraphMemsetNodeGetParams(GraphNode *node, CudaFillNode *to) {
    RETURN("cudaGraphMemsetNodeGetParams",
           get_fill(meant(NULL, node, NODE_FILL), to));
}

// ---- functions of the host -----------------------------------------------

static Op host_op(const CudaHostNode *from) {
    return (Op){.kind = OP_HOST, .host = {from->function, from->data}};
}

API CudaError cudaGraphAddHostNode(GraphNode **node, Graph *graph,
                                   GraphNode *const *needs, size_t count,
                                   const CudaHostNode *from) {
    RETURN("cudaGraphAddHostNode",
           from && from->function
               ? add_op(r, (Place){node, graph, needs, count}, host_op(from))
               : CUDA_VALUE);
}

static CudaError set_host(Runtime *r, const Graph *instance, GraphNode *node,
                          const CudaHostNode *from) {
    return set(r, meant(instance, node, NODE_HOST), host_op(from));
}

API CudaError cudaGraphHostNodeSetParams(GraphNode *node,
                                         const CudaHostNode *from) {
    RETURN("cudaGraphHostNodeSetParams", set_host(r, NULL, node, from));
}

API CudaError cudaGraphExecHostNodeSetParams(Graph *instance, GraphNode *node,
                                             const CudaHostNode *from) {
    RETURN("cudaGraphExecHostNodeSetParams",
           instance ? set_host(r, instance, node, from) : CUDA_VALUE);
}

static CudaError get_host(const GraphNode *node, CudaHostNode *to) {
    if (node)
        *to = (CudaHostNode){node->work.op.host.function,
                             node->work.op.host.data};
    return node ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaGraphHostNodeGetParams(GraphNode *node, CudaHostNode *to) {
    RETURN("cudaGraphHostNodeGetParams",
           get_host(meant(NULL, node, NODE_HOST), to));
}

// ---- graphs in graphs, and what does nothing -----------------------------

static CudaError add_child(Runtime *r, Place at, const Graph *child) {
    if (!child)
        return CUDA_VALUE;
    Work work = {.kind = NODE_GRAPH, .child = graph_clone(r, child)};
    work.child->is_owned = true;
    return add(r, at, work);
}

API CudaError cudaGraphAddChildGraphNode(GraphNode **node, Graph *graph,
                                         GraphNode *const *needs, size_t count,
                                         Graph *child) {
    RETURN("cudaGraphAddChildGraphNode",
           add_child(r, (Place){node, graph, needs, count}, child));
}

static CudaError get_child(const GraphNode *node, Graph **child) {
    if (node)
        *child = node->work.child;
    return node ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaGraphChildGraphNodeGetGraph(GraphNode *node, Graph **child) {
    RETURN("cudaGraphChildGraphNodeGetGraph",
           get_child(meant(NULL, node, NODE_GRAPH), child));
}

static CudaError set_child(Runtime *r, const GraphNode *node,
                           const Graph *child) {
    GraphNode *where;
    if (!node || !child)
        return CUDA_VALUE;
    return graph_update(r, node->work.child, child, &where) ? CUDA_GRAPH_UPDATE
                                                            : CUDA_OK;
}

API CudaError cudaGraphExecChildGraphNodeSetParams(Graph *instance,
                                                   GraphNode *node,
                                                   Graph *child) {
    RETURN("cudaGraphExecChildGraphNodeSetParams",
           instance ? set_child(r, meant(instance, node, NODE_GRAPH), child)
                    : CUDA_VALUE);
}

API CudaError cudaGraphAddEmptyNode(GraphNode **node, Graph *graph,
                                    GraphNode *const *needs, size_t count) {
    RETURN("cudaGraphAddEmptyNode", add(r, (Place){node, graph, needs, count},
                                        (Work){.kind = NODE_EMPTY}));
}

// ---- events --------------------------------------------------------------

static CudaError add_event(Runtime *r, Place at, OpKind kind,
                           CudaEvent *event) {
    return event ? add_op(r, at, (Op){.kind = kind, .event = event})
                 : CUDA_VALUE;
}

API CudaError cudaGraphAddEventRecordNode(GraphNode **node, Graph *graph,
                                          GraphNode *const *needs, size_t count,
                                          CudaEvent *event) {
    RETURN("cudaGraphAddEventRecordNode",
           add_event(r, (Place){node, graph, needs, count}, OP_RECORD, event));
}

API CudaError cudaGraphAddEventWaitNode(GraphNode **node, Graph *graph,
                                        GraphNode *const *needs, size_t count,
                                        CudaEvent *event) {
    RETURN("cudaGraphAddEventWaitNode",
           add_event(r, (Place){node, graph, needs, count}, OP_WAIT, event));
}

static CudaError get_event(const GraphNode *node, CudaEvent **event) {
    if (node)
        *event = node->work.op.event;
    return node ? CUDA_OK : CUDA_VALUE;
}

static CudaError set_event(GraphNode *node, CudaEvent *event) {
    if (!node || !event)
        return CUDA_VALUE;
    node->work.op.event = event;
    return CUDA_OK;
}

#define EVENT_NODE(name, kind)                                          \
    API CudaError cudaGraph##name##NodeGetEvent(GraphNode *node,        \
                                                CudaEvent **event) {    \
        RETURN("cudaGraph" #name "NodeGetEvent",                        \
               get_event(meant(NULL, node, kind), event));              \
    }                                                                   \
    API CudaError cudaGraph##name##NodeSetEvent(GraphNode *node,        \
                                                CudaEvent *event) {     \
        RETURN("cudaGraph" #name "NodeSetEvent",                        \
               set_event(meant(NULL, node, kind), event));              \
    }                                                                   \
    API CudaError cudaGraphExec##name##NodeSetEvent(                    \
        Graph *instance, GraphNode *node, CudaEvent *event) {           \
        RETURN("cudaGraphExec" #name "NodeSetEvent",                    \
               instance ? set_event(meant(instance, node, kind), event) \
                        : CUDA_VALUE);                                  \
    }

EVENT_NODE(EventRecord, NODE_RECORD)
EVENT_NODE(EventWait, NODE_WAIT)

// ---- memory --------------------------------------------------------------

static CudaError add_alloc(Runtime *r, Place at, CudaAllocNode *from) {
    CudaError error = memory_new_parked(r, from->bytes, &from->address);
    if (error)
        return error;
    return add_op(r, at, (Op){.kind = OP_ALLOC, .memory = from->address});
}

API CudaError cudaGraphAddMemAllocNode(GraphNode **node, Graph *graph,
                                       GraphNode *const *needs, size_t count,
                                       CudaAllocNode *from) {
    RETURN("cudaGraphAddMemAllocNode",
           add_alloc(r, (Place){node, graph, needs, count}, from));
}

API CudaError cudaGraphAddMemFreeNode(GraphNode **node, Graph *graph,
                                      GraphNode *const *needs, size_t count,
                                      void *memory) {
    RETURN("cudaGraphAddMemFreeNode",
           add_op(r, (Place){node, graph, needs, count},
                  (Op){.kind = OP_FREE, .memory = memory}));
}

static CudaError get_memory(const GraphNode *node, void **memory) {
    if (node)
        *memory = node->work.op.memory;
    return node ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaGraphMemFreeNodeGetParams(GraphNode *node, void *memory) {
    RETURN("cudaGraphMemFreeNodeGetParams",
           get_memory(meant(NULL, node, NODE_FREE), memory));
}

API CudaError cudaGraphMemAllocNodeGetParams(GraphNode *node,
                                             CudaAllocNode *to) {
    *to = (CudaAllocNode){0};
    RETURN("cudaGraphMemAllocNodeGetParams",
           get_memory(meant(NULL, node, NODE_ALLOC), &to->address));
}

// ---- conditions ----------------------------------------------------------

static CudaError new_condition(Runtime *r, Graph *graph, uint32_t value,
                               bool is_set, uint64_t *handle) {
    enum { BYTES = 4 };
    void *address;
    CudaError error =
        graph ? memory_new(r, SLOT_DEVICE, BYTES, &address) : CUDA_VALUE;
    if (error)
        return error;
    memory_written(r, address, BYTES);
    Condition *condition = arena_new(&graph->arena, Condition, 1);
    *condition =
        (Condition){graph->conditions, (uintptr_t)address, value, is_set};
    graph->conditions = condition;
    *handle = condition->handle;
    return CUDA_OK;
}

API CudaError cudaGraphConditionalHandleCreate(unsigned long long *handle,
                                               Graph *graph, uint32_t value,
                                               uint32_t flags) {
    uint64_t made = 0;
    Runtime *r = runtime_enter();
    CudaError error = new_condition(r, graph, value, flags != 0, &made);
    *handle = made;
    return runtime_leave(r, "cudaGraphConditionalHandleCreate", error);
}

static CudaError add_condition(Runtime *r, Place at, CudaConditionNode *from) {
    Work work = {.kind = NODE_CONDITION,
                 .condition = {from->handle, (ConditionKind)from->kind,
                               from->count, NULL}};
    if (!at.graph || !from->count || (unsigned)from->kind > CONDITION_SWITCH)
        return CUDA_VALUE;
    work.condition.bodies = arena_new(&at.graph->arena, Graph *, from->count);
    for (uint32_t i = 0; i < from->count; i++) {
        work.condition.bodies[i] = graph_new(r);
        work.condition.bodies[i]->is_owned = true;
    }
    from->bodies = work.condition.bodies;
    return add(r, at, work);
}

// ---- any kind ------------------------------------------------------------

static CudaError add_any(Runtime *r, Place at, CudaNode *from) {
    switch (from->kind) {
    case NODE_KERNEL:
        return add_kernel(r, at, &from->kernel);
    case NODE_COPY:
        return add_op(r, at, copy_op(&from->copy.copy));
    case NODE_FILL:
        return add_op(r, at, fill_op(&from->fill));
    case NODE_HOST:
        return add_op(r, at, host_op(&from->host));
    case NODE_GRAPH:
        return add_child(r, at, from->child);
    case NODE_EMPTY:
        return add(r, at, (Work){.kind = NODE_EMPTY});
    case NODE_WAIT:
    case NODE_RECORD:
        return add_event(r, at, (OpKind)from->kind, from->event);
    case NODE_ALLOC:
        return add_alloc(r, at, &from->alloc);
    case NODE_FREE:
        return add_op(r, at, (Op){.kind = OP_FREE, .memory = from->memory});
    case NODE_CONDITION:
        return add_condition(r, at, &from->condition);
    default:
        return CUDA_NOT_SUPPORTED;
    }
}

// CUDA 12 has it without the data of the edges, and with it as _v2.
API CudaError cudaGraphAddNode(GraphNode **node, Graph *graph,
                               GraphNode *const *needs, const void *edges,
                               size_t count, CudaNode *from) {
    Runtime *r = runtime_enter();
    Place at = {node, graph, needs, count};
    if (r->is_cuda12) {
        at.count = (size_t)(uintptr_t)edges;
        from = (CudaNode *)(uintptr_t)count;
    }
    return runtime_leave(r, "cudaGraphAddNode", add_any(r, at, from));
}

API CudaError cudaGraphAddNode_v2(GraphNode **node, Graph *graph,
                                  GraphNode *const *needs, const void *edges,
                                  size_t count, CudaNode *from) {
    (void)edges;
    RETURN("cudaGraphAddNode",
           add_any(r, (Place){node, graph, needs, count}, from));
}

static CudaError set_any(Runtime *r, const Graph *instance, GraphNode *node,
                         CudaNode *from) {
    node = meant(instance, node, (NodeKind)from->kind);
    switch (from->kind) {
    case NODE_KERNEL:
        return set_kernel(r, node, &from->kernel);
    case NODE_COPY:
        return set_copy(r, NULL, node, copy_op(&from->copy.copy));
    case NODE_FILL:
        return set_fill(r, NULL, node, &from->fill);
    case NODE_HOST:
        return set_host(r, NULL, node, &from->host);
    case NODE_WAIT:
    case NODE_RECORD:
        return set_event(node, from->event);
    default:
        return CUDA_NOT_SUPPORTED;
    }
}

API CudaError cudaGraphNodeSetParams(GraphNode *node, CudaNode *from) {
    RETURN("cudaGraphNodeSetParams", set_any(r, NULL, node, from));
}

API CudaError cudaGraphExecNodeSetParams(Graph *instance, GraphNode *node,
                                         CudaNode *from) {
    RETURN("cudaGraphExecNodeSetParams",
           instance ? set_any(r, instance, node, from) : CUDA_VALUE);
}
