// SPDX-License-Identifier: Apache-2.0
// runtime/: streams and events, values that streams write and wait for, what a
// stream calls in the program; and captures: what becomes a node, what is
// forbidden meanwhile, and how a capture ends.
#include "tests/unit/cuda_program.h"

#include <pthread.h>

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *),
                               void *data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  void (*function)(cudaStream_t, int, void *),
                                  void *data, unsigned flags);
cudaError_t cuStreamWriteValue32_v2(cudaStream_t stream, void *address,
                                    uint32_t value, unsigned flags);
cudaError_t cuStreamWriteValue64_v2(cudaStream_t stream, void *address,
                                    uint64_t value, unsigned flags);
cudaError_t cuStreamWaitValue32_v2(cudaStream_t stream, void *address,
                                   uint32_t value, unsigned flags);
cudaError_t cuStreamWaitValue64_v2(cudaStream_t stream, void *address,
                                   uint64_t value, unsigned flags);
cudaError_t cuStreamBatchMemOp_v2(cudaStream_t stream, unsigned count,
                                  const void *ops, unsigned flags);
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

// ---- streams ---------------------------------------------------------------

TEST(a_stream_knows_what_it_was_made_with) {
    cudaStream_t stream = NULL, other = a_stream(0);
    unsigned flags = 9;
    int priority = 9;
    unsigned long long id = 0, other_id = 0;
    CHECK_INT(cudaStreamCreateWithPriority(&stream, NON_BLOCKING, -3),
              cudaSuccess);
    CHECK_INT(cudaStreamGetFlags(stream, &flags), cudaSuccess);
    CHECK_INT(flags, NON_BLOCKING);
    CHECK_INT(cudaStreamGetPriority(stream, &priority), cudaSuccess);
    CHECK_INT(priority, -3);
    CHECK_INT(cudaStreamGetId(stream, &id), cudaSuccess);
    CHECK_INT(cudaStreamGetId(other, &other_id), cudaSuccess);
    CHECK(id != other_id && id != 1);
    CHECK_INT(cudaStreamGetFlags(NULL, &flags), cudaSuccess);
    CHECK_INT(flags, 0);
    CHECK_INT(cudaStreamGetPriority(NULL, &priority), cudaSuccess);
    CHECK_INT(priority, 0);
    CHECK_INT(cudaStreamGetId(NULL, &id), cudaSuccess);
    CHECK_U64(id, 1);
    CHECK_INT(cudaStreamGetFlags(stream, NULL), cudaErrorInvalidValue);
    CHECK_INT(cudaStreamGetPriority(stream, NULL), cudaErrorInvalidValue);
    CHECK_INT(cudaStreamCreate(NULL), cudaErrorInvalidValue);
}

TEST(every_stream_is_ready) {
    Program p = program_begin();
    char *memory = words();
    cudaStream_t streams[] = {a_stream(0), a_stream(NON_BLOCKING), NULL,
                              (cudaStream_t)(uintptr_t)1,
                              (cudaStream_t)(uintptr_t)2};
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        CHECK_INT(cudaMemsetAsync(memory, (int)i, 4, streams[i]), cudaSuccess);
        CHECK_INT(cudaStreamQuery(streams[i]), cudaSuccess);
        CHECK_INT(cudaStreamSynchronize(streams[i]), cudaSuccess);
        CHECK_U64(program_word(memory, 0), i * 0x01010101);
    }
    arena_free(&p.arena);
}

TEST(a_destroyed_stream_is_known) {
    Program p = program_begin();
    char *memory = words();
    cudaStream_t stream = a_stream(0), of_thread = (cudaStream_t)(uintptr_t)2;
    CHECK_INT(cudaStreamDestroy(stream), cudaSuccess);
    CHECK_INT(cudaMemsetAsync(memory, 1, 4, stream),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    CHECK_HOLDS(program_told(&p).messages[0].what, "a stream that it has");
    CHECK_INT(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaStreamDestroy(of_thread), cudaSuccess);
    CHECK_INT(cudaMemsetAsync(memory, 1, 4, of_thread), cudaSuccess);
}

// ---- events ----------------------------------------------------------------

TEST(events_are_times) {
    cudaEvent_t first = an_event(), second = an_event(), timeless = NULL;
    float ms = -1;
    CHECK_INT(cudaEventElapsedTime(&ms, first, second),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventRecord(first, NULL), cudaSuccess);
    CHECK_INT(cudaEventElapsedTime(&ms, first, second),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventElapsedTime(&ms, second, first),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventRecord(second, a_stream(0)), cudaSuccess);
    CHECK_INT(cudaEventElapsedTime(&ms, first, second), cudaSuccess);
    CHECK(ms >= 0 && ms < 60000);
    CHECK_INT(cudaEventElapsedTime(&ms, second, first), cudaSuccess);
    CHECK(ms <= 0);
    CHECK_INT(cudaEventElapsedTime(&ms, first, first), cudaSuccess);
    CHECK(ms == 0);
    CHECK_INT(cudaEventQuery(first), cudaSuccess);
    CHECK_INT(cudaEventSynchronize(first), cudaSuccess);
    CHECK_INT(cudaEventCreateWithFlags(&timeless, 2), cudaSuccess);
    CHECK_INT(cudaEventRecord(timeless, NULL), cudaSuccess);
    CHECK_INT(cudaEventElapsedTime(&ms, first, timeless),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventElapsedTime(&ms, timeless, first),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventElapsedTime(&ms, NULL, first),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventElapsedTime(&ms, first, NULL),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventCreate(NULL), cudaErrorInvalidValue);
}

TEST(a_destroyed_event_is_known) {
    Program p = program_begin();
    cudaEvent_t event = an_event();
    CHECK_INT(cudaStreamWaitEvent(NULL, event, 0), cudaSuccess);
    CHECK_INT(cudaEventDestroy(event), cudaSuccess);
    CHECK_INT(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventRecord(event, NULL), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaStreamWaitEvent(NULL, event, 0),
              cudaErrorInvalidResourceHandle);
    CHECK_HOLDS(program_told(&p).messages[0].what, "an event that it has");
    CHECK_INT(cudaEventDestroy(NULL), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaEventRecord(NULL, NULL), cudaErrorInvalidResourceHandle);
}

// ---- functions of the program ----------------------------------------------

typedef struct Call {
    int count, status;
    cudaStream_t stream;
    void *memory;
} Call;

// It may call CUDA itself.
static void count_call(void *data) {
    Call *call = data;
    call->count++;
    call->status = cudaMalloc(&call->memory, 16);
}

static void count_callback(cudaStream_t stream, int status, void *data) {
    Call *call = data;
    call->count++;
    call->status = status;
    call->stream = stream;
}

TEST(a_stream_calls_the_program) {
    Program p = program_begin();
    Call call = {.status = 9};
    cudaStream_t stream = a_stream(0);
    CHECK_INT(cudaLaunchHostFunc(stream, count_call, &call), cudaSuccess);
    CHECK(call.count == 1 && call.status == 0 && call.memory);
    CHECK_INT(cudaLaunchHostFunc(stream, NULL, &call), cudaErrorInvalidValue);
    CHECK_INT(cudaStreamAddCallback(stream, count_callback, &call, 0),
              cudaSuccess);
    CHECK(call.count == 2 && call.status == 0 && call.stream == stream);
    CHECK_INT(cudaStreamAddCallback(stream, count_callback, &call, 1),
              cudaErrorInvalidValue);
    CHECK_INT(program_launch(&p, "traps", 1, NULL), cudaSuccess);
    cudaDeviceSynchronize();
    cudaStreamAddCallback(stream, count_callback, &call, 0);
    CHECK(call.count == 3 && call.status == cudaErrorLaunchFailure);
}

// ---- values ----------------------------------------------------------------

// Whether a stream has waited for a value that nobody had written.
static bool is_warned(Program *p) {
    ExecResult told = program_told(p);
    for (size_t i = 0; i < told.message_count; i++)
        if (test_holds(told.messages[i].what, STR("waits for a value")))
            return true;
    return false;
}

// The same of a program that has written `is` before, and nothing else.
static bool waits_too_early(unsigned flags, uint32_t is, uint32_t wanted) {
    int status = -1;
    Program p = program_watched();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char *memory = words();
        cuStreamWriteValue32_v2(NULL, memory, is, 0);
        cuStreamWriteValue32_v2(NULL, memory + 4, 77, 0); // no part of it
        _exit(cuStreamWaitValue32_v2(NULL, memory, wanted, flags));
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    return is_warned(&p);
}

TEST(a_stream_writes_values) {
    Program p = program_begin();
    char *memory = words();
    CHECK_INT(cuStreamWriteValue32_v2(NULL, memory + 4, 0x12345678, 0),
              cudaSuccess);
    CHECK_INT(cuStreamWriteValue64_v2(NULL, memory + 8,
                                      UINT64_C(0x1111111122222222), 0),
              cudaSuccess);
    CHECK_U64(program_word(memory, 0), 0);
    CHECK_U64(program_word(memory, 1), 0x12345678);
    CHECK_U64(program_word(memory, 2), 0x22222222);
    CHECK_U64(program_word(memory, 3), 0x11111111);
    CHECK_INT(cuStreamWriteValue32_v2(NULL, NULL, 1, 0), cudaErrorInvalidValue);
    CHECK_INT(cuStreamWriteValue64_v2(NULL, memory + 12, 1, 0),
              cudaErrorInvalidValue);
    arena_free(&p.arena);
}

// Each is reached by the first value, and not by the second.
TEST(a_stream_waits_for_values) {
    enum { AT_LEAST, EQUAL, AND, NOR };
    static const struct {
        unsigned flags;
        uint32_t is, yes, no;
    } rows[] = {{AT_LEAST, 5, 5, 6},
                {AT_LEAST, 5, 4, 0x80000004},
                {AT_LEAST, 5, 0x80000006, 0x80000005},
                {AT_LEAST, 2, UINT32_MAX, 3}, // it has wrapped
                {EQUAL, 5, 5, 4},
                {AND, 5, 4, 2},
                {NOR, 0xfffffffa, 0xfffffff8, 5}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!CHECK(!waits_too_early(rows[i].flags, rows[i].is, rows[i].yes)))
            printf("# row %zu is not reached\n", i);
        if (!CHECK(waits_too_early(rows[i].flags, rows[i].is, rows[i].no)))
            printf("# row %zu is reached\n", i);
    }
}

TEST(a_stream_waits_for_wide_values) {
    Program p = program_begin();
    char *memory = words();
    cuStreamWriteValue64_v2(NULL, memory, UINT64_C(5) << 40, 0);
    CHECK_INT(cuStreamWaitValue64_v2(NULL, memory, UINT64_C(5) << 40, 1),
              cudaSuccess);
    CHECK_INT(cuStreamWaitValue64_v2(NULL, memory, 4, 0), cudaSuccess);
    CHECK(!is_warned(&p));
    CHECK_INT(cuStreamWaitValue64_v2(NULL, memory, (UINT64_C(5) << 40) + 1, 0),
              cudaSuccess);
    CHECK(is_warned(&p));
    CHECK_INT(cuStreamWaitValue64_v2(NULL, memory + 12, 4, 0),
              cudaErrorInvalidValue);
}

typedef union MemoryOp { // CUstreamBatchMemOpParams
    int operation;
    struct {
        int operation;
        void *address;
        uint64_t value;
        unsigned flags;
    } value;
    uint64_t pad[6];
} MemoryOp;
enum { WAIT_32 = 1, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER };

TEST(several_values_are_written_and_waited_for) {
    Program p = program_begin();
    char *memory = words();
    MemoryOp ops[] = {
        {.value = {WRITE_32, memory, UINT64_C(0x700000005), 0}},
        {.value = {WAIT_32, memory, UINT64_C(0x900000005), 1}},
        {.operation = FLUSH},
        {.operation = BARRIER},
        {.value = {WRITE_64, memory + 8, UINT64_C(0x700000005), 0}},
        {.value = {WAIT_64, memory + 8, UINT64_C(0x700000005), 1}}};
    CHECK_INT(cuStreamBatchMemOp_v2(NULL, 6, ops, 0), cudaSuccess);
    CHECK(!is_warned(&p));
    CHECK_U64(program_word(memory, 0), 5);
    CHECK_U64(program_word(memory, 1), 0);
    CHECK_U64(program_word(memory, 3), 7);
    ops[2].operation = 0;
    CHECK_INT(cuStreamBatchMemOp_v2(NULL, 6, ops, 0), cudaErrorInvalidValue);
    ops[2].operation = BARRIER + 1;
    CHECK_INT(cuStreamBatchMemOp_v2(NULL, 6, ops, 0), cudaErrorInvalidValue);
    CHECK_INT(cuStreamBatchMemOp_v2(NULL, 2, ops, 0), cudaSuccess);
    CHECK_INT(cuStreamBatchMemOp_v2(NULL, 0, ops, 0), cudaErrorInvalidValue);
    CHECK_INT(cuStreamBatchMemOp_v2(NULL, 2, NULL, 0), cudaErrorInvalidValue);
    static MemoryOp many[257];
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i].operation = FLUSH;
    CHECK_INT(cuStreamBatchMemOp_v2(NULL, 256, many, 0), cudaSuccess);
    CHECK_INT(cuStreamBatchMemOp_v2(NULL, 257, many, 0), cudaErrorInvalidValue);
}

// ---- captures --------------------------------------------------------------

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
    CHECK_INT(cudaStreamAddCallback(stream, count_callback, NULL, 0),
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

TEST_MAIN(TESTCASE(a_stream_knows_what_it_was_made_with),
          TESTCASE(every_stream_is_ready),
          TESTCASE(a_destroyed_stream_is_known), TESTCASE(events_are_times),
          TESTCASE(a_destroyed_event_is_known),
          TESTCASE(a_stream_calls_the_program),
          TESTCASE(a_stream_writes_values), TESTCASE(a_stream_waits_for_values),
          TESTCASE(a_stream_waits_for_wide_values),
          TESTCASE(several_values_are_written_and_waited_for),
          TESTCASE(a_capture_records_instead_of_doing),
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
