// SPDX-License-Identifier: Apache-2.0
// The driver's functions for nodes of graphs that are not the runtime's by
// another name: a copy has another form, and so has a condition.
#include "runtime/core/runtime.h"
#include "runtime/graphs/node.h"

// ---- copies --------------------------------------------------------------

CudaError cudaGraphAddMemcpyNode(GraphNode **node, Graph *graph,
                                 GraphNode *const *needs, size_t count,
                                 const CudaCopy3D *copy);
CudaError cudaGraphMemcpyNodeSetParams(GraphNode *node, const CudaCopy3D *copy);
CudaError cudaGraphExecMemcpyNodeSetParams(Graph *instance, GraphNode *node,
                                           const CudaCopy3D *copy);

static CudaError runtimes(const char *name, const DriverCopy3D *copy,
                          CudaCopy3D *out) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, name, copy_of_driver(r, copy, out));
}

API CudaError cuGraphAddMemcpyNode(GraphNode **node, Graph *graph,
                                   GraphNode *const *needs, size_t count,
                                   const DriverCopy3D *copy, void *context) {
    CudaCopy3D same;
    CudaError error = runtimes("cuGraphAddMemcpyNode", copy, &same);
    (void)context;
    return error ? error
                 : cudaGraphAddMemcpyNode(node, graph, needs, count, &same);
}

API CudaError cuGraphMemcpyNodeSetParams(GraphNode *node,
                                         const DriverCopy3D *copy) {
    CudaCopy3D same;
    CudaError error = runtimes("cuGraphMemcpyNodeSetParams", copy, &same);
    return error ? error : cudaGraphMemcpyNodeSetParams(node, &same);
}

API CudaError cuGraphExecMemcpyNodeSetParams(Graph *instance, GraphNode *node,
                                             const DriverCopy3D *copy,
                                             void *context) {
    CudaCopy3D same;
    CudaError error = runtimes("cuGraphExecMemcpyNodeSetParams", copy, &same);
    (void)context;
    return error ? error
                 : cudaGraphExecMemcpyNodeSetParams(instance, node, &same);
}

// ---- any kind ------------------------------------------------------------

CudaError cudaGraphAddNode_v2(GraphNode **node, Graph *graph,
                              GraphNode *const *needs, const void *edges,
                              size_t count, CudaNode *from);
CudaError cudaGraphNodeSetParams(GraphNode *node, CudaNode *from);
CudaError cudaGraphExecNodeSetParams(Graph *instance, GraphNode *node,
                                     CudaNode *from);

// CUgraphNodeParams, where it is another than the runtime's.
typedef union DriverNode {
    CudaNode node;
    struct {
        int kind, reserved[3];
        int flags, reserved2;
        void *context;
        DriverCopy3D copy;
    } copy;
    struct {
        int kind, reserved[3];
        CudaKernelNode launch;
        const void *kernel; // if `launch` has none
    } kernel;
} DriverNode;

static CudaError node_of(const char *name, const DriverNode *from,
                         CudaNode *out) {
    *out = from->node;
    if (from->node.kind == NODE_KERNEL && !out->kernel.func)
        out->kernel.func = from->kernel.kernel;
    return from->node.kind == NODE_COPY
               ? runtimes(name, &from->copy.copy, &out->copy.copy)
               : CUDA_OK;
}

API CudaError cuGraphAddNode_v2(GraphNode **node, Graph *graph,
                                GraphNode *const *needs, const void *edges,
                                size_t count, DriverNode *from) {
    CudaNode same;
    CudaError error = node_of("cuGraphAddNode", from, &same);
    if (!error)
        error = cudaGraphAddNode_v2(node, graph, needs, edges, count, &same);
    if (!error && same.kind == NODE_ALLOC)
        from->node.alloc.address = same.alloc.address;
    if (!error && same.kind == NODE_CONDITION)
        from->node.condition.bodies = same.condition.bodies;
    return runtime_driver_error(error);
}

API CudaError cuGraphAddNode(GraphNode **node, Graph *graph,
                             GraphNode *const *needs, size_t count,
                             DriverNode *from) {
    return cuGraphAddNode_v2(node, graph, needs, NULL, count, from);
}

API CudaError cuGraphNodeSetParams(GraphNode *node, const DriverNode *from) {
    CudaNode same;
    CudaError error = node_of("cuGraphNodeSetParams", from, &same);
    return error ? error : cudaGraphNodeSetParams(node, &same);
}

API CudaError cuGraphExecNodeSetParams(Graph *instance, GraphNode *node,
                                       const DriverNode *from) {
    CudaNode same;
    CudaError error = node_of("cuGraphExecNodeSetParams", from, &same);
    return error ? error : cudaGraphExecNodeSetParams(instance, node, &same);
}

// ---- conditions ----------------------------------------------------------

CudaError cudaGraphConditionalHandleCreate(unsigned long long *handle,
                                           Graph *graph, uint32_t value,
                                           uint32_t flags);

API CudaError cuGraphConditionalHandleCreate(unsigned long long *handle,
                                             Graph *graph, void *context,
                                             uint32_t value, uint32_t flags) {
    (void)context;
    return cudaGraphConditionalHandleCreate(handle, graph, value, flags);
}
