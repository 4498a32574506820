// SPDX-License-Identifier: Apache-2.0
// The driver's own forms: nodes of graphs that copy, loop and launch, and
// copies of rows of arrays. Each answer that is wrong is printed.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "is.h"

__global__ void count_down(int *left, int *rounds,
                           cudaGraphConditionalHandle handle) {
    ++*rounds;
    cudaGraphSetConditional(handle, --*left > 0);
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr to, const void *from, size_t bytes) {
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to;
    copy.WidthInBytes = bytes;
    copy.Height = copy.Depth = 1;
    return copy;
}

// A node copies 3 to `left`; then a loop counts it down.
static void loop() {
    const int three[2] = {3, 0}, five[2] = {5, 0};
    int after[2] = {-1, -1};
    CUdeviceptr left, rounds;
    CUgraph graph;
    CUgraphNode copied, looped, launched;
    CUgraphConditionalHandle handle;
    CUgraphExec instance;
    CUgraphNodeParams loop = {}, launch = {};
    CUDA_MEMCPY3D copy;
    cudaKernel_t kernel;
    cuMemAlloc(&left, 8);
    rounds = left + 4;
    copy = copy_of(left, three, 8);
    IS(cuGraphCreate(&graph, 0), 0);
    IS(cuGraphAddMemcpyNode(&copied, graph, nullptr, 0, &copy, nullptr), 0);
    IS(cuGraphConditionalHandleCreate(&handle, graph, nullptr, 1,
                                      CU_GRAPH_COND_ASSIGN_DEFAULT),
       0);
    loop.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    loop.conditional.handle = handle;
    loop.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    loop.conditional.size = 1;
    IS(cuGraphAddNode(&looped, graph, &copied, nullptr, 1, &loop), 0);
    IS(cudaGetKernel(&kernel, (const void *)count_down), 0);
    void *args[] = {&left, &rounds, &handle};
    launch.type = CU_GRAPH_NODE_TYPE_KERNEL;
    launch.kernel.kern = (CUkernel)kernel;
    launch.kernel.gridDimX = launch.kernel.gridDimY = launch.kernel.gridDimZ =
        1;
    launch.kernel.blockDimX = launch.kernel.blockDimY =
        launch.kernel.blockDimZ = 1;
    launch.kernel.kernelParams = args;
    IS(cuGraphAddNode(&launched, loop.conditional.phGraph_out[0], nullptr,
                      nullptr, 0, &launch),
       0);
    IS(cuGraphInstantiateWithFlags(&instance, graph, 0), 0);
    IS(cuGraphLaunch(instance, nullptr), 0);
    IS(cuMemcpyDtoH(after, left, 8), 0);
    IS(after[0], 0);
    IS(after[1], 3);
    copy = copy_of(left, five, 8);
    IS(cuGraphExecMemcpyNodeSetParams(instance, copied, &copy, nullptr), 0);
    IS(cuGraphLaunch(instance, nullptr), 0);
    IS(cuMemcpyDtoH(after, left, 8), 0);
    IS(after[1], 5);
}

static void rows() {
    CUDA_ARRAY_DESCRIPTOR wanted = {};
    CUarray first, second;
    CUdeviceptr device;
    int values[16], after[16] = {};
    for (int i = 0; i < 16; i++)
        values[i] = i;
    wanted.Width = 16;
    wanted.Format = CU_AD_FORMAT_SIGNED_INT32;
    wanted.NumChannels = 1;
    IS(cuArrayCreate(&first, &wanted), 0);
    IS(cuArrayCreate(&second, &wanted), 0);
    cuMemAlloc(&device, 64);
    IS(cuMemcpyHtoA(first, 0, values, 64), 0);
    IS(cuMemcpyAtoA(second, 8, first, 4, 56), 0);
    IS(cuMemcpyHtoA(second, 0, values, 8), 0);
    IS(cuMemcpyAtoD(device, second, 0, 64), 0);
    IS(cuMemcpyDtoA(first, 4, device + 4, 60), 0);
    IS(cuMemcpyAtoH(after, first, 0, 64), 0);
    IS(after[1], 1);
    IS(after[2], 1);
    IS(after[15], 14);
    IS(cuMemcpyHtoA(first, 32, values, 64), CUDA_ERROR_INVALID_VALUE);
}

__device__ int variable[2];

// The node of an instance copies to another element, and from another place.
static void symbols() {
    const int values[2] = {7, 9};
    int after[2] = {};
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t instance;
    cudaGraphCreate(&graph, 0);
    IS(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, variable,
                                      values, 4, 0, cudaMemcpyHostToDevice),
       0);
    IS(cudaGraphInstantiate(&instance, graph, 0), 0);
    IS(cudaGraphLaunch(instance, 0), 0);
    IS(cudaGraphExecMemcpyNodeSetParamsToSymbol(
           instance, node, variable, values + 1, 4, 4, cudaMemcpyHostToDevice),
       0);
    IS(cudaGraphLaunch(instance, 0), 0);
    IS(cudaMemcpyFromSymbol(after, variable, sizeof after), 0);
    IS(after[0], 7);
    IS(after[1], 9);
}

static void planes() {
    cudaPitchedPtr first, second;
    cudaExtent extent = {8, 2, 2};
    cudaMemcpy3DPeerParms copy = {};
    char value = 0;
    cudaMalloc3D(&first, extent);
    cudaMalloc3D(&second, extent);
    cudaMemset3D(first, 5, extent);
    copy.srcPtr = first;
    copy.dstPtr = second;
    copy.extent = extent;
    IS(cudaMemcpy3DPeer(&copy), 0);
    IS(cudaMemcpy(&value, (char *)second.ptr + second.pitch * 3 + 7, 1,
                  cudaMemcpyDeviceToHost),
       0);
    IS(value, 5);
}

int main() {
    cudaFree(nullptr);
    loop();
    rows();
    symbols();
    planes();
    printf("%d wrong\n", wrong);
    return 0;
}
