// SPDX-License-Identifier: Apache-2.0
// Graphs of a program that uses CUDA: what the toolkit declares for them, and
// small graphs.
#ifndef CLCLAB_CUDA_GRAPHS_H
#define CLCLAB_CUDA_GRAPHS_H

#include "tests/unit/cuda_program.h"

typedef const cudaGraphNode_t *Needs;

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   Needs needs, size_t count,
                                   const cudaKernelNodeParams *params);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   Needs needs, size_t count,
                                   const cudaMemsetParams *params);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     Needs needs, size_t count, void *to,
                                     const void *from, size_t bytes, int kind);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   Needs needs, size_t count,
                                   const cudaMemcpy3DParms *copy);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 Needs needs, size_t count,
                                 const cudaHostNodeParams *params);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       Needs needs, size_t count,
                                       cudaGraph_t child);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  Needs needs, size_t count);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node,
                                        cudaGraph_t graph, Needs needs,
                                        size_t count, cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      Needs needs, size_t count,
                                      cudaEvent_t event);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     Needs needs, size_t count,
                                     cudaMemAllocNodeParams *params);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    Needs needs, size_t count, void *memory);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             Needs needs, const void *edges, size_t count,
                             cudaGraphNodeParams *params);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphClone(cudaGraph_t *copy, cudaGraph_t graph);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node,
                                     cudaGraphNode_t original,
                                     cudaGraph_t copy);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, int *type);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                  size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, void *edges, size_t *count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t *nodes, void *edges,
                                         size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                           cudaGraphNode_t *nodes, void *edges,
                                           size_t *count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, Needs from, Needs to,
                                     const void *edges, size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, Needs from, Needs to,
                                        const void *edges, size_t count);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t instance,
                                  unsigned long long *flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t instance, cudaStream_t stream);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t instance, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t instance,
                                    cudaGraphNode_t node, unsigned on);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t instance,
                                    cudaGraphNode_t node, unsigned *on);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams *params);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         cudaKernelNodeParams *params);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t instance,
                                             cudaGraphNode_t node,
                                             const cudaKernelNodeParams *from);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int id,
                                            const void *value);
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int id,
                                            void *value);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to,
                                              cudaGraphNode_t from);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemsetParams *params);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         cudaMemsetParams *params);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t instance,
                                             cudaGraphNode_t node,
                                             const cudaMemsetParams *params);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         cudaMemcpy3DParms *copy);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to,
                                           const void *from, size_t bytes,
                                           int kind);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t instance,
                                               cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               int kind);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       cudaHostNodeParams *params);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const cudaHostNodeParams *params);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t instance,
                                           cudaGraphNode_t node,
                                           const cudaHostNodeParams *params);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                            cudaGraph_t *child);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t instance,
                                                 cudaGraphNode_t node,
                                                 cudaGraph_t child);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                             cudaEvent_t *event);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
                                             cudaEvent_t event);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t instance,
                                               cudaGraphNode_t node,
                                               cudaEvent_t event);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams *params);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *memory);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                   cudaGraphNodeParams *params);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t instance,
                                       cudaGraphNode_t node,
                                       cudaGraphNodeParams *params);
cudaError_t cudaGraphConditionalHandleCreate(unsigned long long *handle,
                                             cudaGraph_t graph, unsigned value,
                                             unsigned flags);
cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute,
                                           uint64_t *bytes);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data,
                                 void (*destroy)(void *), unsigned count,
                                 unsigned flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count);
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count);
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                      cudaUserObject_t object, unsigned count,
                                      unsigned flags);
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
                                       cudaUserObject_t object, unsigned count);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path,
                                   unsigned flags);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

static const cudaError_t BAD = cudaErrorInvalidValue;

static inline cudaGraph_t a_graph(void) {
    cudaGraph_t graph = NULL;
    CHECK_INT(cudaGraphCreate(&graph, 0), cudaSuccess);
    return graph;
}

static inline cudaGraphExec_t instance_of(cudaGraph_t graph) {
    cudaGraphExec_t instance = NULL;
    CHECK_INT(cudaGraphInstantiate(&instance, graph, 0), cudaSuccess);
    return instance;
}

static inline void launch(cudaGraphExec_t instance) {
    CHECK_INT(cudaGraphLaunch(instance, NULL), cudaSuccess);
}

static inline char *words(void) {
    static const uint32_t zeros[8];
    return program_words(zeros, 8);
}

static inline cudaMemsetParams a_fill(void *to, unsigned value) {
    return (cudaMemsetParams){
        .dst = to, .value = value, .elementSize = 4, .width = 1, .height = 1};
}

// A node that makes a word `value`, after what stands before it.
static inline cudaGraphNode_t fill(cudaGraph_t graph, cudaGraphNode_t before,
                                   void *to, unsigned value) {
    cudaGraphNode_t node = NULL;
    cudaMemsetParams params = a_fill(to, value);
    CHECK_INT(
        cudaGraphAddMemsetNode(&node, graph, &before, before != NULL, &params),
        cudaSuccess);
    return node;
}

static inline cudaGraphNode_t empty(cudaGraph_t graph, Needs needs,
                                    size_t count) {
    cudaGraphNode_t node = NULL;
    CHECK_INT(cudaGraphAddEmptyNode(&node, graph, needs, count), cudaSuccess);
    return node;
}

static inline int type_of(cudaGraphNode_t node) {
    int type = 99;
    CHECK_INT(cudaGraphNodeGetType(node, &type), cudaSuccess);
    return type;
}

static inline void add_one(void *data) {
    ++*(int *)data;
}

static inline cudaKernelNodeParams an_add(const Program *p, void **args) {
    return (cudaKernelNodeParams){.func = program_kernel(p, "add"),
                                  .gridDim = {2, 1, 1},
                                  .blockDim = {1, 1, 1},
                                  .kernelParams = args};
}

#endif
