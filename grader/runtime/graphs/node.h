// SPDX-License-Identifier: Apache-2.0
// What a program describes a node of a graph with, as the runtime's API has it.
#ifndef CLCLAB_RUNTIME_NODE_H
#define CLCLAB_RUNTIME_NODE_H

#include "runtime/graphs/graph.h"

typedef struct CudaKernelNode {
    const void *func;
    CudaDim3 grid, block;
    uint32_t dynamic_smem;
    void **args, **extra;
} CudaKernelNode;

typedef struct CudaFillNode {
    void *to;
    size_t pitch; // bytes
    uint32_t value, element;
    size_t width, height; // elements, rows
} CudaFillNode;

typedef struct CudaHostNode {
    CudaHostFunction *function;
    void *data;
} CudaHostNode;

typedef struct CudaAllocNode {
    CudaPoolProperties pool;
    const void *access;
    size_t access_count;
    size_t bytes;
    void *address; // the result
} CudaAllocNode;

typedef struct CudaConditionNode {
    uint64_t handle;
    int kind;
    uint32_t count;
    Graph **bodies; // the result
    void *context;
} CudaConditionNode;

typedef struct CudaNode {
    int kind;
    int reserved[3];
    union {
        int64_t words[29];
        CudaKernelNode kernel;
        struct {
            int flags, reserved[3];
            CudaCopy3D copy;
        } copy;
        CudaFillNode fill;
        CudaHostNode host;
        Graph *child;
        CudaEvent *event;
        CudaAllocNode alloc;
        void *memory;
        CudaConditionNode condition;
    };
    int64_t reserved2;
} CudaNode;

#endif
