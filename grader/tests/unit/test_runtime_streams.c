// SPDX-License-Identifier: Apache-2.0
// runtime/: streams and events, values that streams write and wait for, and
// what a stream calls in the program.
#include "tests/unit/cuda_program.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
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

TEST_MAIN(TESTCASE(a_stream_knows_what_it_was_made_with),
          TESTCASE(every_stream_is_ready),
          TESTCASE(a_destroyed_stream_is_known), TESTCASE(events_are_times),
          TESTCASE(a_destroyed_event_is_known),
          TESTCASE(a_stream_calls_the_program),
          TESTCASE(a_stream_writes_values), TESTCASE(a_stream_waits_for_values),
          TESTCASE(a_stream_waits_for_wide_values),
          TESTCASE(several_values_are_written_and_waited_for))
