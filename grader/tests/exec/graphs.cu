// SPDX-License-Identifier: Apache-2.0
// Graphs: captured and made by hand, launched again, changed, with memory of
// their own, and what is not allowed while a stream is captured.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *data, int value) {
    data[threadIdx.x] += value;
}

__global__ void scale(int *data, int factor) {
    data[threadIdx.x] *= factor;
}

static int *data;

static void say(const char *what, int n = 1) {
    int values[32];
    cudaDeviceSynchronize();
    cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost);
    printf("%s: %d", what, values[0]);
    for (int i = 1; i < n; i++)
        printf(" %d", values[i]);
    printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
}

static void callback(void *text) {
    printf("host: %s\n", (const char *)text);
}

// Two streams: the second joins by an event, and is joined again.
static cudaGraph_t capture(cudaStream_t one, cudaStream_t two, int value) {
    cudaGraph_t graph;
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(data, 0, 128, one);
    cudaEventRecord(fork, one);
    cudaStreamWaitEvent(two, fork);
    add<<<1, 32, 0, two>>>(data, value);
    cudaLaunchHostFunc(two, callback, (void *)"captured");
    cudaEventRecord(join, two);
    cudaStreamWaitEvent(one, join);
    scale<<<1, 32, 0, one>>>(data, 2);
    cudaStreamEndCapture(one, &graph);
    return graph;
}

static void captured(cudaStream_t one, cudaStream_t two) {
    cudaGraphExec_t exec;
    size_t nodes = 0;
    cudaGraph_t graph = capture(one, two, 5), other = capture(one, two, 7);
    cudaGraphGetNodes(graph, nullptr, &nodes);
    printf("%zu nodes\n", nodes);
    say("nothing has run");
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    cudaGraphLaunch(exec, one);
    cudaGraphLaunch(exec, one);
    say("captured");
    cudaGraphExecUpdateResultInfo info;
    printf("update %d\n", cudaGraphExecUpdate(exec, other, &info));
    cudaGraphDestroy(other);
    cudaGraphLaunch(exec, one);
    say("updated");
    cudaGraphExecDestroy(exec);
}

static void by_hand(cudaStream_t stream) {
    cudaGraph_t graph, child;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, fill, last, nested;
    int value = 3, factor = 10;
    void *adds[] = {&data, &value}, *scales[] = {&data, &factor};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(32);
    kernel.kernelParams = adds;
    cudaGraphCreate(&graph, 0);
    cudaGraphCreate(&child, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel);
    cudaMemsetParams zeros = {};
    zeros.dst = data;
    zeros.value = 0x01020304;
    zeros.elementSize = 4;
    zeros.width = 8;
    zeros.height = 1;
    cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros);
    cudaGraphAddDependencies(graph, &fill, &first, nullptr, 1);
    kernel.func = (void *)scale;
    kernel.kernelParams = scales;
    cudaGraphAddKernelNode(&nested, child, nullptr, 0, &kernel);
    cudaGraphAddChildGraphNode(&last, graph, &first, 1, child);
    printf("cycle %d\n", cudaGraphAddDependencies(graph, &last, &fill, nullptr, 1) ||
                             cudaGraphInstantiate(&exec, graph, 0));
    cudaGetLastError();
    cudaGraphRemoveDependencies(graph, &last, &fill, nullptr, 1);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaMemset(data, 0, 128);
    cudaGraphLaunch(exec, stream);
    say("by hand", 9);
    value = 4;
    kernel.func = (void *)add;
    kernel.kernelParams = adds;
    cudaGraphExecKernelNodeSetParams(exec, first, &kernel);
    cudaGraphNodeSetEnabled(exec, fill, 0);
    cudaGraphLaunch(exec, stream);
    say("changed", 9);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaGraphDestroy(child);
}

static void memory(cudaStream_t stream) {
    int *own, value = 6;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync((void **)&own, 128, stream);
    cudaMemsetAsync(own, 0, 128, stream);
    add<<<1, 32, 0, stream>>>(own, value);
    cudaMemcpyAsync(data, own, 128, cudaMemcpyDeviceToDevice, stream);
    cudaFreeAsync(own, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
    say("memory");
    printf("freed: %s\n", cudaGetErrorName(cudaMemcpy(data, own, 4, cudaMemcpyDeviceToDevice)));
    cudaGetLastError();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

__global__ void count_down(cudaGraphConditionalHandle handle, int *data) {
    data[0]--;
    cudaGraphSetConditional(handle, data[0] > 0);
}

static void conditional(cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, body;
    cudaGraphConditionalHandle handle;
    cudaGraphNodeParams params = {};
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params);
    void *args[] = {&handle, &data};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)count_down;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = args;
    cudaGraphAddKernelNode(&body, params.conditional.phGraph_out[0], nullptr, 0, &kernel);
    cudaGraphInstantiate(&exec, graph, 0);
    int start = 10;
    cudaMemcpy(data, &start, 4, cudaMemcpyHostToDevice);
    cudaGraphLaunch(exec, stream);
    say("counted down");
}

static void captured_to(cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMemset(data, 0, 4);
    cudaGraphCreate(&graph, 0);
    cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, stream>>>(data, 3);
    printf("its own graph: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, nullptr)));
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    say("to a graph");
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    printf("no graph: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, nullptr)));
    cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    cudaMemset(data, 0, 4);
}

static void refused(cudaStream_t one, cudaStream_t two) {
    cudaGraph_t graph;
    void *more;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&more, 64)));
    printf("end: %s\n", cudaGetErrorName(cudaStreamEndCapture(one, &graph)));
    cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed);
    printf("wait: %s\n", cudaGetErrorName(cudaStreamSynchronize(one)));
    cudaStreamEndCapture(one, &graph);
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event);
    add<<<1, 1, 0, two>>>(data, 1);
    printf("other stream: %s\n", cudaGetErrorName(cudaStreamEndCapture(two, &graph)));
    printf("not joined: %s\n", cudaGetErrorName(cudaStreamEndCapture(one, &graph)));
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    printf("default stream: %s\n", cudaGetErrorName(cudaMemsetAsync(data, 0, 4)));
    cudaStreamEndCapture(one, &graph);
    say("afterwards");
}

int main() {
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaMalloc((void **)&data, 128);
    captured(one, two);
    by_hand(one);
    memory(one);
    conditional(one);
    captured_to(one);
    refused(one, two);
}
