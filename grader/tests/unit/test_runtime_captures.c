// SPDX-License-Identifier: Apache-2.0
// runtime/graphs: captures of streams: what becomes a node, what is forbidden
// meanwhile, and how a capture ends.
#include "tests/unit/cuda_program.h"

#include <pthread.h>

cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  void (*function)(cudaStream_t, int, void *),
                                  void *data, unsigned flags);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, int *status,
                                        unsigned long long *id,
                                        cudaGraph_t *graph,
                                        cudaGraphNode_t **nodes,
                                        const void **edges, size_t *count);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
                                                   cudaGraphNode_t *nodes,
                                                   const void *edges,
                                                   size_t count,
                                                   unsigned flags);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream,
                                          cudaGraph_t graph,
                                          const cudaGraphNode_t *nodes,
                                          const void *edges, size_t count,
                                          int mode);
cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t *nodes, void *edges,
                                         size_t *count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, int *type);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *needs, size_t count);
cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *address, cudaStream_t stream);
cudaError_t cudaDeviceReset(void);

enum { NON_BLOCKING = 1 };

static cudaStream_t a_stream(unsigned flags) {
    cudaStream_t stream = NULL;
    CHECK_INT(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
    CHECK((uintptr_t)stream > 2);
    return stream;
}

static cudaEvent_t an_event(void) {
    cudaEvent_t event = NULL;
    CHECK_INT(cudaEventCreate(&event), cudaSuccess);
    return event;
}

// Memory of the device: 4 words of 0.
static char *words(void) {
    static const uint32_t zeros[4];
    return program_words(zeros, 4);
}

// ---- beginning, joining, ending ---------------------------------------------

static int status(cudaStream_t stream) {
    int is = 9;
    CHECK_INT(cudaStreamIsCapturing(stream, &is), cudaSuccess);
    return is;
}

static cudaStream_t capturing(int mode) {
    cudaStream_t stream = a_stream(0);
    CHECK_INT(status(stream), 0);
    CHECK_INT(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    CHECK_INT(status(stream), 1);
    return stream;
}

static size_t node_count(cudaGraph_t graph) {
    size_t count = 0;
    CHECK_INT(cudaGraphGetNodes(graph, NULL, &count), cudaSuccess);
    return count;
}

// The nodes that the graph's node depends on.
static size_t need_count(cudaGraph_t graph, size_t index) {
    cudaGraphNode_t nodes[16];
    size_t count = COUNT_OF(nodes), needs = 0;
    CHECK_INT(cudaGraphGetNodes(graph, nodes, &count), cudaSuccess);
    CHECK(index < count);
    CHECK_INT(cudaGraphNodeGetDependencies(nodes[index], NULL, NULL, &needs),
              cudaSuccess);
    return needs;
}

TEST(a_capture_records_instead_of_doing) {
    Program p = program_begin();
    char *memory = words();
    cudaGraph_t graph = NULL;
    cudaGraphExec_t instance = NULL;
    cudaStream_t stream = capturing(0);
    unsigned five = 5;
    void *args[] = {&memory, &five};
    CHECK_INT(cudaMemsetAsync(memory, 1, 4, stream), cudaSuccess);
    CHECK_INT(cudaLaunchKernel(program_kernel(&p, "add"), (dim3){1, 1, 1},
                               (dim3){1, 1, 1}, args, 0, stream),
              cudaSuccess);
    five = 9; // it has been read
    CHECK_INT(cudaMemcpyAsync(memory + 4, memory, 4, cudaMemcpyDefault, stream),
              cudaSuccess);
    CHECK_INT(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    CHECK_INT(status(stream), 0);
    CHECK_U64(program_word(memory, 0), 0);
    CHECK_U64(node_count(graph), 3);
    CHECK_U64(need_count(graph, 0), 0);
    CHECK_U64(need_count(graph, 2), 1);
    CHECK_INT(cudaGraphInstantiate(&instance, graph, 0), cudaSuccess);
    CHECK_INT(cudaGraphLaunch(instance, NULL), cudaSuccess);
    CHECK_U64(program_word(memory, 1), 0x01010106);
    arena_free(&p.arena);
}

TEST(a_wrong_launch_is_not_captured) {
    Program p = program_begin();
    cudaStream_t stream = capturing(0);
    cudaGraph_t graph;
    dim3 one = {1, 1, 1};
    CHECK_INT(
        cudaLaunchKernel(program_kernel(&p, "add"), one, one, NULL, 0, stream),
        cudaErrorInvalidValue);
    CHECK_INT(cudaLaunchKernel(program_kernel(&p, "count"), one,
                               (dim3){1025, 1, 1}, NULL, 0, stream),
              cudaErrorInvalidConfiguration);
    CHECK_INT(cudaLaunchKernel(program_kernel(&p, "count"), one, one, NULL, 0,
                               stream),
              cudaSuccess);
    CHECK_INT(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    CHECK_U64(node_count(graph), 1);
}

TEST(a_capture_begins_in_a_stream_of_ones_own) {
    cudaStream_t stream = a_stream(0);
    CHECK_INT(cudaStreamBeginCapture(NULL, 0),
              cudaErrorStreamCaptureUnsupported);
    CHECK_INT(cudaStreamBeginCapture((cudaStream_t)(uintptr_t)1, 0),
              cudaErrorStreamCaptureUnsupported);
    CHECK_INT(cudaStreamBeginCapture(stream, 3), cudaErrorInvalidValue);
    CHECK_INT(cudaStreamBeginCapture(stream, 2), cudaSuccess);
    CHECK_INT(cudaStreamBeginCapture(stream, 2), cudaErrorInvalidValue);
    CHECK_INT(cudaStreamIsCapturing(stream, NULL), cudaErrorInvalidValue);
    CHECK_INT(cudaStreamBeginCaptureToGraph(stream, NULL, NULL, NULL, 0, 0),
              cudaErrorInvalidValue);
}

TEST(only_what_is_captured_is_ended) {
    cudaGraph_t graph = (cudaGraph_t)(uintptr_t)1;
    cudaStream_t stream = capturing(2), other = a_stream(0);
    CHECK_INT(cudaStreamEndCapture(other, &graph), cudaErrorInvalidValue);
    CHECK(graph == NULL);
    CHECK_INT(cudaStreamEndCapture(NULL, &graph), cudaErrorInvalidValue);
    CHECK_INT(cudaStreamEndCapture(stream, NULL), cudaErrorInvalidValue);
    CHECK_INT(status(stream), 1);
    CHECK_INT(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    CHECK(graph != NULL && node_count(graph) == 0);
    CHECK_INT(cudaStreamEndCapture(stream, &graph), cudaErrorInvalidValue);
}

// Waiting for an event of a capture makes a stream a part of it.
TEST(streams_join_a_capture_by_events) {
    char *memory = words();
    cudaStream_t first = capturing(2), second = a_stream(0);
    cudaEvent_t fork = an_event(), join = an_event();
    cudaGraph_t graph = NULL;
    cudaMemsetAsync(memory, 1, 4, first);
    CHECK_INT(cudaEventRecord(fork, first), cudaSuccess);
    CHECK_INT(cudaStreamWaitEvent(second, fork, 0), cudaSuccess);
    CHECK_INT(status(second), 1);
    cudaMemsetAsync(memory + 4, 2, 4, second);
    cudaMemsetAsync(memory + 8, 3, 4, first);
    CHECK_INT(cudaEventQuery(fork), cudaErrorCapturedEvent);
    CHECK_INT(cudaEventRecord(join, second), cudaSuccess);
    CHECK_INT(cudaStreamWaitEvent(first, join, 0), cudaSuccess);
    CHECK_INT(cudaStreamWaitEvent(first, join, 0), cudaSuccess); // no second
    cudaMemsetAsync(memory + 12, 4, 4, first);
    CHECK_INT(cudaStreamEndCapture(second, &graph),
              cudaErrorStreamCaptureUnmatched);
    CHECK_INT(cudaStreamEndCapture(first, &graph), cudaSuccess);
    CHECK_INT(status(second), 0);
    CHECK_U64(node_count(graph), 4);
    CHECK_U64(need_count(graph, 1), 1);
    CHECK_U64(need_count(graph, 2), 1);
    CHECK_U64(need_count(graph, 3), 2);
    CHECK_INT(cudaEventQuery(fork), cudaSuccess);
    CHECK_U64(program_word(memory, 3), 0);
}

TEST(a_capture_whose_streams_are_not_joined_fails) {
    char *memory = words();
    cudaStream_t first = capturing(2), second = a_stream(0);
    cudaEvent_t fork = an_event();
    cudaGraph_t graph = (cudaGraph_t)(uintptr_t)1;
    cudaEventRecord(fork, first);
    cudaStreamWaitEvent(second, fork, 0);
    cudaMemsetAsync(memory, 2, 4, second);
    CHECK_INT(cudaStreamEndCapture(first, &graph),
              cudaErrorStreamCaptureUnjoined);
    CHECK(graph == NULL);
    CHECK_INT(status(second), 0);
    CHECK_INT(cudaMemsetAsync(memory, 2, 4, second), cudaSuccess);
    CHECK_U64(program_word(memory, 0), 0x02020202);
}

TEST(two_captures_stay_apart) {
    cudaStream_t first = capturing(2), second = capturing(2), plain;
    cudaEvent_t event = an_event(), outside = an_event();
    cudaEventRecord(event, first);
    CHECK_INT(cudaStreamWaitEvent(second, event, 0),
              cudaErrorStreamCaptureMerge);
    plain = a_stream(NON_BLOCKING);
    CHECK_INT(cudaEventRecord(outside, plain), cudaSuccess);
    CHECK_INT(cudaStreamWaitEvent(first, outside, 0),
              cudaErrorStreamCaptureIsolation);
    CHECK_INT(cudaStreamWaitEvent(first, outside, 1), cudaSuccess); // external
    CHECK_INT(cudaStreamWaitEvent(NULL, event, 0),
              cudaErrorStreamCaptureImplicit);
}

TEST(the_default_stream_waits_for_blocking_streams) {
    char *memory = words();
    cudaStream_t blocking = capturing(2), free_one = a_stream(NON_BLOCKING);
    cudaGraph_t graph;
    CHECK_INT(cudaMemsetAsync(memory, 1, 4, NULL),
              cudaErrorStreamCaptureImplicit);
    CHECK_INT(cudaStreamEndCapture(blocking, &graph), cudaSuccess);
    CHECK_INT(cudaStreamBeginCapture(free_one, 2), cudaSuccess);
    CHECK_INT(cudaMemsetAsync(memory, 1, 4, NULL), cudaSuccess);
    CHECK_INT(cudaMemset(memory, 1, 4), cudaSuccess);
    CHECK_INT(cudaStreamEndCapture(free_one, &graph), cudaSuccess);
}

// What waits ends a capture, which is known until it is ended.
static void never_called(cudaStream_t stream, int is, void *data) {
    (void)stream, (void)is, (void)data;
    CHECK(false);
}

TEST(to_wait_for_a_captured_stream_ends_its_capture) {
    char *memory = words();
    cudaStream_t stream = capturing(2);
    cudaGraph_t graph = (cudaGraph_t)(uintptr_t)1;
    CHECK_INT(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    CHECK_INT(status(stream), 2);
    CHECK_INT(cudaMemsetAsync(memory, 1, 4, stream),
              cudaErrorStreamCaptureInvalidated);
    CHECK_INT(cudaStreamEndCapture(stream, &graph),
              cudaErrorStreamCaptureInvalidated);
    CHECK(graph == NULL);
    CHECK_INT(status(stream), 0);
    stream = capturing(2);
    CHECK_INT(cudaStreamQuery(stream), cudaErrorStreamCaptureUnsupported);
    cudaStreamEndCapture(stream, &graph);
    stream = capturing(2);
    CHECK_INT(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    CHECK_INT(status(stream), 2);
    cudaStreamEndCapture(stream, &graph);
    stream = capturing(2);
    CHECK_INT(cudaDeviceReset(), cudaErrorStreamCaptureUnsupported);
    cudaStreamEndCapture(stream, &graph);
    stream = capturing(2);
    CHECK_INT(cudaStreamAddCallback(stream, never_called, NULL, 0),
              cudaErrorStreamCaptureUnsupported);
}

// ---- modes and threads -----------------------------------------------------

// What another thread gets from a call that might wait, and what becomes of the
// capture.
typedef struct Elsewhere {
    cudaStream_t stream;
    int mode; // of the thread; -1: as it is
    cudaError_t allocation, end;
} Elsewhere;

static void *allocate_elsewhere(void *data) {
    Elsewhere *e = data;
    void *memory;
    if (e->mode >= 0)
        CHECK_INT(cudaThreadExchangeStreamCaptureMode(&e->mode), cudaSuccess);
    e->allocation = cudaMalloc(&memory, 4);
    return NULL;
}

static void *end_elsewhere(void *data) {
    Elsewhere *e = data;
    cudaGraph_t graph;
    e->end = cudaStreamEndCapture(e->stream, &graph);
    return NULL;
}

static void run_elsewhere(void *(*work)(void *), Elsewhere *e) {
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, work, e), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
}

TEST(what_is_forbidden_depends_on_modes) {
    enum { GLOBAL, THREAD, RELAXED };
    static const struct {
        int capture, thread; // modes
        bool elsewhere, forbidden;
    } rows[] = {
        {GLOBAL, GLOBAL, false, true},   {GLOBAL, THREAD, false, true},
        {GLOBAL, RELAXED, false, false}, {THREAD, GLOBAL, false, true},
        {THREAD, THREAD, false, true},   {THREAD, RELAXED, false, false},
        {RELAXED, GLOBAL, false, false}, {RELAXED, THREAD, false, false},
        {GLOBAL, GLOBAL, true, true},    {GLOBAL, THREAD, true, false},
        {GLOBAL, RELAXED, true, false},  {THREAD, GLOBAL, true, false},
        {RELAXED, GLOBAL, true, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cudaGraph_t graph;
        Elsewhere e = {.stream = capturing(rows[i].capture),
                       .mode = rows[i].thread};
        if (rows[i].elsewhere) {
            run_elsewhere(allocate_elsewhere, &e);
        } else {
            allocate_elsewhere(&e); // which takes the mode in exchange
            cudaThreadExchangeStreamCaptureMode(&e.mode);
        }
        bool is = e.allocation == cudaErrorStreamCaptureUnsupported;
        if (!CHECK_INT(is, rows[i].forbidden) ||
            !CHECK_INT(cudaStreamEndCapture(e.stream, &graph),
                       rows[i].forbidden ? cudaErrorStreamCaptureInvalidated
                                         : cudaSuccess))
            printf("# row %zu\n", i);
    }
}

TEST(a_mode_is_exchanged) {
    int mode = 2;
    CHECK_INT(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    CHECK_INT(mode, 0);
    mode = 1;
    CHECK_INT(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    CHECK_INT(mode, 2);
    mode = 3;
    CHECK_INT(cudaThreadExchangeStreamCaptureMode(&mode),
              cudaErrorInvalidValue);
}

TEST(a_capture_is_ended_by_its_thread) {
    cudaGraph_t graph;
    Elsewhere e = {.stream = capturing(0)};
    run_elsewhere(end_elsewhere, &e);
    CHECK_INT(e.end, cudaErrorStreamCaptureWrongThread);
    CHECK_INT(cudaStreamEndCapture(e.stream, &graph), cudaSuccess);
    e.stream = capturing(1);
    run_elsewhere(end_elsewhere, &e);
    CHECK_INT(e.end, cudaErrorStreamCaptureWrongThread);
    CHECK_INT(cudaStreamEndCapture(e.stream, &graph), cudaSuccess);
    e.stream = capturing(2);
    run_elsewhere(end_elsewhere, &e);
    CHECK_INT(e.end, cudaSuccess);
}

// ---- looking into a capture ------------------------------------------------

TEST(a_capture_tells_what_comes_next_after) {
    char *memory = words();
    int is = 9;
    unsigned long long id = 0, other_id = 0;
    cudaGraph_t graph = NULL, ended = NULL;
    cudaGraphNode_t *nodes = NULL, node = NULL;
    const void *edges = &id;
    size_t count = 9;
    cudaStream_t stream = capturing(2), other = capturing(2);
    cudaMemsetAsync(memory, 1, 4, stream);
    CHECK_INT(cudaStreamGetCaptureInfo_v3(stream, &is, &id, &graph, &nodes,
                                          &edges, &count),
              cudaSuccess);
    CHECK(is == 1 && id && graph && nodes && !edges && count == 1);
    CHECK_INT(cudaStreamGetCaptureInfo_v3(other, &is, &other_id, NULL, NULL,
                                          NULL, NULL),
              cudaSuccess);
    CHECK(other_id != id);
    CHECK_INT(cudaGraphAddEmptyNode(&node, graph, nodes, 1), cudaSuccess);
    CHECK_INT(cudaStreamUpdateCaptureDependencies_v2(stream, &node, NULL, 1, 0),
              cudaSuccess);
    cudaStreamGetCaptureInfo_v3(stream, &is, NULL, NULL, NULL, NULL, &count);
    CHECK_U64(count, 2);
    CHECK_INT(cudaStreamUpdateCaptureDependencies_v2(stream, &node, NULL, 1, 1),
              cudaSuccess);
    cudaStreamGetCaptureInfo_v3(stream, &is, NULL, NULL, NULL, NULL, &count);
    CHECK_U64(count, 1);
    CHECK_INT(cudaStreamUpdateCaptureDependencies_v2(stream, &node, NULL, 1, 2),
              cudaErrorInvalidValue);
    CHECK_INT(
        cudaStreamUpdateCaptureDependencies_v2(a_stream(0), &node, NULL, 1, 0),
        cudaErrorInvalidValue);
    cudaMemsetAsync(memory, 2, 4, stream);
    CHECK_INT(cudaStreamEndCapture(stream, &ended), cudaSuccess);
    CHECK(ended == graph);
    CHECK_U64(node_count(graph), 3);
    CHECK_U64(need_count(graph, 2), 1);
    is = 9;
    count = 7;
    CHECK_INT(cudaStreamGetCaptureInfo_v3(stream, &is, &id, &graph, &nodes,
                                          &edges, &count),
              cudaSuccess);
    CHECK(is == 0 && count == 7);
}

TEST(a_capture_may_go_on_in_a_graph) {
    char *memory = words();
    cudaGraph_t graph = NULL;
    cudaGraphNode_t node;
    cudaStream_t stream = a_stream(0);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddEmptyNode(&node, graph, NULL, 0);
    CHECK_INT(cudaStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, 2),
              cudaSuccess);
    cudaMemsetAsync(memory, 1, 4, stream);
    CHECK_INT(cudaStreamEndCapture(stream, NULL), cudaSuccess);
    CHECK_U64(node_count(graph), 2);
    CHECK_U64(need_count(graph, 1), 1);
    cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, 2);
    cudaMemsetAsync(memory, 1, 4, stream);
    cudaStreamSynchronize(stream);
    CHECK_INT(cudaStreamEndCapture(stream, NULL),
              cudaErrorStreamCaptureInvalidated);
    CHECK_U64(node_count(graph), 3); // it is the caller's, and stays
    CHECK_U64(need_count(graph, 2), 0);
}

TEST(memory_of_a_capture_has_its_address_and_is_not_there) {
    char *memory = NULL;
    int type = 99;
    cudaGraph_t graph;
    cudaGraphNode_t nodes[3];
    size_t count = 3;
    cudaStream_t stream = capturing(2);
    CHECK_INT(cudaMallocAsync((void **)&memory, 16, stream), cudaSuccess);
    CHECK(memory != NULL);
    CHECK_INT(cudaMemset(memory, 1, 4), cudaErrorStreamCaptureImplicit);
    CHECK_INT(cudaMemsetAsync(memory, 1, 4, stream), cudaSuccess);
    CHECK_INT(cudaFreeAsync(memory, stream), cudaSuccess);
    CHECK_INT(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    CHECK_INT(cudaMemset(memory, 1, 4), cudaErrorInvalidValue);
    cudaGraphGetNodes(graph, nodes, &count);
    CHECK_INT(cudaGraphNodeGetType(nodes[0], &type), cudaSuccess);
    CHECK_INT(type, cudaGraphNodeTypeMemAlloc);
    CHECK_INT(cudaGraphNodeGetType(nodes[2], &type), cudaSuccess);
    CHECK_INT(type, cudaGraphNodeTypeMemFree);
}

TEST_MAIN(TESTCASE(a_capture_records_instead_of_doing),
          TESTCASE(a_wrong_launch_is_not_captured),
          TESTCASE(a_capture_begins_in_a_stream_of_ones_own),
          TESTCASE(only_what_is_captured_is_ended),
          TESTCASE(streams_join_a_capture_by_events),
          TESTCASE(a_capture_whose_streams_are_not_joined_fails),
          TESTCASE(two_captures_stay_apart),
          TESTCASE(the_default_stream_waits_for_blocking_streams),
          TESTCASE(to_wait_for_a_captured_stream_ends_its_capture),
          TESTCASE(what_is_forbidden_depends_on_modes),
          TESTCASE(a_mode_is_exchanged),
          TESTCASE(a_capture_is_ended_by_its_thread),
          TESTCASE(a_capture_tells_what_comes_next_after),
          TESTCASE(a_capture_may_go_on_in_a_graph),
          TESTCASE(memory_of_a_capture_has_its_address_and_is_not_there))
