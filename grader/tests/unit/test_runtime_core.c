// SPDX-License-Identifier: Apache-2.0
// runtime/core: what streams and copies do, and what they ask of the rooms
// above, which are played here: a Recorder and ArrayCalls that note what they
// are asked.
#include "runtime/core/copy.h"
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"
#include "runtime/core/stream.h"
#include "tests/unit/test.h"

// The Runtime comes first: what is called with it finds the rest.
typedef struct Stage {
    Runtime r;
    Capture *capture;  // that every stream is part of; or NULL
    Capture *of_event; // that every event is of
    int takes, forbids, unsafe, joins;
    OpKind taken;          // the last
    const Capture *marked; // the last event's
    int marks;
    const Capture *forbidden; // the last; NULL: all
    int frees;
} Stage;

static Stage *stage_of(const Runtime *r) {
    return (Stage *)(uintptr_t)r;
}

static void begin(Stage *s) {
    *s = (Stage){.r = {.journal = -1, .has_begun = true}};
    s->r.near = (Numbers){.next = VM_FIRST_NUMBER, .end = VM_FIRST_NUMBER + 64};
}

static void end(Stage *s) {
    memory_reset(&s->r);
    arena_free(&s->r.arena);
}

// ---- a recorder ----------------------------------------------------------

static CudaError find_capture(Runtime *r, CudaStream *handle,
                              Capture **capture) {
    (void)handle;
    *capture = stage_of(r)->capture;
    return CUDA_OK;
}

static CudaError take(Runtime *r, Capture *capture, CudaStream *handle,
                      const Op *op) {
    (void)capture, (void)handle;
    stage_of(r)->takes++;
    stage_of(r)->taken = op->kind;
    return CUDA_OK;
}

static void mark(Runtime *r, Capture *capture, CudaStream *handle,
                 CudaEvent *event) {
    (void)handle, (void)event;
    stage_of(r)->marks++;
    stage_of(r)->marked = capture;
}

static Capture *marked(const Runtime *r, const CudaEvent *event) {
    (void)event;
    return stage_of(r)->of_event;
}

static CudaError join(Runtime *r, Capture *capture, CudaStream *handle,
                      const CudaEvent *event) {
    (void)capture, (void)handle, (void)event;
    stage_of(r)->joins++;
    return CUDA_OK;
}

static CudaError forbid(Runtime *r, Capture *capture) {
    stage_of(r)->forbids++;
    stage_of(r)->forbidden = capture;
    return CUDA_CAPTURE_UNSUPPORTED;
}

static CudaError forbid_unsafe(Runtime *r) {
    stage_of(r)->unsafe++;
    return CUDA_CAPTURE_UNSUPPORTED;
}

static const Recorder recorder = {find_capture, take,   mark,         marked,
                                  join,         forbid, forbid_unsafe};

// Nobody looks into one.
static Capture *some_capture(int number) {
    return (Capture *)(uintptr_t)(number * 16);
}

static Op copy_op(int *to, const int *from) {
    return op_copy_bytes(to, from, sizeof *to, COPY_HOST_TO_HOST);
}

TEST(what_a_stream_is_given_is_done_at_once) {
    Stage s;
    int to = 0, from = 7;
    begin(&s);
    Op op = copy_op(&to, &from);
    CHECK_INT(stream_do(&s.r, NULL, &op), CUDA_OK);
    CHECK_INT(to, 7);
    end(&s);
}

TEST(in_a_stream_that_is_captured_it_is_taken_and_not_done) {
    Stage s;
    int to = 0, from = 7;
    begin(&s);
    s.r.recorder = &recorder;
    s.capture = some_capture(1);
    Op op = copy_op(&to, &from);
    CHECK_INT(stream_do(&s.r, NULL, &op), CUDA_OK);
    CHECK_INT(s.takes, 1);
    CHECK_INT(s.taken, OP_COPY);
    CHECK_INT(to, 0);
    s.capture = NULL; // another is captured
    CHECK_INT(stream_do(&s.r, NULL, &op), CUDA_OK);
    CHECK_INT(s.takes, 1);
    CHECK_INT(to, 7);
    end(&s);
}

TEST(what_the_program_waits_for_is_not_captured) {
    Stage s;
    int to = 0, from = 7;
    begin(&s);
    s.r.recorder = &recorder;
    s.capture = some_capture(1);
    Op op = copy_op(&to, &from);
    CHECK_INT(stream_do_now(&s.r, &op), CUDA_CAPTURE_UNSUPPORTED);
    CHECK_INT(to, 0);
    CHECK(s.forbidden == s.capture);
    CHECK_INT(stream_call(&s.r, COPY_NOW, &op), CUDA_CAPTURE_UNSUPPORTED);
    CHECK_INT(stream_call(&s.r, COPY_IN(NULL), &op), CUDA_OK);
    CHECK_INT(s.takes, 1);
    s.capture = NULL;
    CHECK_INT(stream_call(&s.r, COPY_NOW, &op), CUDA_OK);
    CHECK_INT(to, 7);
    end(&s);
}

TEST(only_while_one_is_captured_is_anything_forbidden) {
    Stage s;
    begin(&s);
    CHECK_INT(stream_forbid_all(&s.r), CUDA_OK);
    CHECK_INT(stream_forbid_unsafe(&s.r), CUDA_OK);
    CHECK_INT(stream_forbid_wait(&s.r, NULL), CUDA_OK);
    s.r.recorder = &recorder;
    s.capture = some_capture(1);
    CHECK_INT(stream_forbid_all(&s.r), CUDA_CAPTURE_UNSUPPORTED);
    CHECK(!s.forbidden);
    CHECK_INT(stream_forbid_unsafe(&s.r), CUDA_CAPTURE_UNSUPPORTED);
    CHECK_INT(s.unsafe, 1);
    CHECK_INT(stream_forbid_wait(&s.r, NULL), CUDA_CAPTURE_UNSUPPORTED);
    CHECK(s.forbidden == s.capture);
    end(&s);
}

// ---- streams and events --------------------------------------------------

TEST(a_stream_is_found_by_its_handle) {
    Stage s;
    begin(&s);
    CudaStream *own = stream_new(&s.r, 1, -2);
    CudaStream *of_thread = (CudaStream *)(uintptr_t)2;
    CHECK_INT(own->priority, -2);
    CHECK(stream_find(&s.r, own) == own);
    CHECK(!stream_find(&s.r, NULL));
    CHECK(!stream_find(&s.r, (CudaStream *)(uintptr_t)1));
    CHECK(stream_find(&s.r, of_thread) == s.r.thread_stream);
    CHECK(stream_find(&s.r, of_thread) == s.r.thread_stream);
    CHECK(s.r.thread_stream && s.r.thread_stream != own);
    CHECK_U64(s.r.stream_count, 2);
    CHECK(s.r.thread_stream->id != own->id);
    end(&s);
}

TEST(what_was_destroyed_is_refused) {
    Stage s;
    int to = 0, from = 7;
    begin(&s);
    CudaStream *stream = stream_new(&s.r, 0, 0);
    CudaEvent event = {.is_destroyed = true};
    Op op = copy_op(&to, &from);
    stream->is_destroyed = true;
    CHECK_INT(stream_do(&s.r, stream, &op), CUDA_HANDLE);
    CHECK_INT(to, 0);
    CHECK_INT(event_record(&s.r, &event, NULL, false), CUDA_HANDLE);
    CHECK_INT(event_wait(&s.r, NULL, &event, false), CUDA_HANDLE);
    CHECK_INT(event_await(&s.r, &event), CUDA_HANDLE);
    CHECK_INT(event_record(&s.r, NULL, NULL, false), CUDA_HANDLE);
    CHECK(!event.is_recorded);
    end(&s);
}

TEST(an_event_is_a_time_or_stands_for_what_a_stream_was_given) {
    Stage s;
    CudaEvent event = {0};
    begin(&s);
    CHECK_INT(event_record(&s.r, &event, NULL, false), CUDA_OK);
    CHECK(event.is_recorded);
    event.is_recorded = false;
    s.r.recorder = &recorder;
    s.capture = some_capture(1);
    CHECK_INT(event_record(&s.r, &event, NULL, false), CUDA_OK);
    CHECK(s.marked == s.capture);
    CHECK_INT(s.takes, 0);
    CHECK(!event.is_recorded);
    CHECK_INT(event_record(&s.r, &event, NULL, true), CUDA_OK); // by a node
    CHECK(!s.marked);
    CHECK_INT(s.marks, 2);
    CHECK_INT(s.taken, OP_RECORD);
    CHECK(!event.is_recorded);
    end(&s);
}

TEST(a_stream_joins_the_capture_of_an_event_that_it_waits_for) {
    Stage s;
    CudaEvent event = {0};
    begin(&s);
    CHECK_INT(event_wait(&s.r, NULL, &event, false), CUDA_OK);
    s.r.recorder = &recorder;
    s.of_event = some_capture(1);
    CHECK_INT(event_wait(&s.r, NULL, &event, false), CUDA_OK);
    CHECK_INT(s.joins, 1);
    s.of_event = NULL;
    s.capture = some_capture(2);
    CHECK_INT(event_wait(&s.r, NULL, &event, false), CUDA_CAPTURE_ISOLATION);
    CHECK_INT(event_wait(&s.r, NULL, &event, true), CUDA_OK);
    CHECK_INT(s.taken, OP_WAIT);
    CHECK_INT(s.joins, 1);
    end(&s);
}

TEST(the_host_does_not_wait_for_an_event_of_a_capture) {
    Stage s;
    CudaEvent event = {0};
    begin(&s);
    CHECK_INT(event_await(&s.r, &event), CUDA_OK);
    s.r.recorder = &recorder;
    s.of_event = some_capture(1);
    CHECK_INT(event_await(&s.r, &event), CUDA_CAPTURED_EVENT);
    CHECK_INT(s.unsafe, 1);
    s.of_event = NULL;
    CHECK_INT(event_await(&s.r, &event), CUDA_CAPTURE_UNSUPPORTED);
    end(&s);
}

TEST(copies_of_a_batch_are_done_one_after_another) {
    Stage s;
    int a = 1, b = 2, c = 0;
    void *to[] = {&c, &a};
    const void *from[] = {&a, &b};
    const size_t sizes[] = {sizeof a, sizeof b};
    begin(&s);
    CHECK_INT(stream_copy_batch(&s.r, NULL, &(CopyBatch){to, from, sizes, 2}),
              CUDA_OK);
    CHECK_INT(c, 1);
    CHECK_INT(a, 2);
    CHECK_INT(stream_copy_batch(&s.r, NULL, &(CopyBatch){to, from, sizes, 0}),
              CUDA_VALUE);
    CHECK_INT(stream_copy_batch(&s.r, NULL, &(CopyBatch){to, NULL, sizes, 2}),
              CUDA_VALUE);
    end(&s);
}

// ---- arrays --------------------------------------------------------------

enum { WIDTH = 4, ROWS = 3 }; // texels of 2 bytes, without gaps

static CudaArray *the_array(void) {
    return (CudaArray *)(uintptr_t)64;
}

static bool find_array(const Runtime *r, const CudaArray *array,
                       ArrayPlace *place) {
    if (array != the_array())
        return false;
    *place = (ArrayPlace){.address = (void *)(uintptr_t)r->workspace_at,
                          .texel = 2,
                          .pitch = WIDTH * 2,
                          .slice = WIDTH * 2 * ROWS,
                          .extent = {WIDTH * 2, ROWS, 1}};
    return true;
}

static void free_arrays(Runtime *r) {
    stage_of(r)->frees++;
}

static const ArrayCalls array_calls = {find_array, free_arrays};

// Its texels are those of the memory.
static void begin_arrays(Stage *s, const void *texels) {
    begin(s);
    s->r.array_calls = &array_calls;
    s->r.workspace_at = (uintptr_t)texels;
}

TEST(a_copy_counts_texels_where_an_array_takes_part) {
    Stage s;
    uint16_t texels[ROWS][WIDTH] = {
        {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    uint16_t out[4] = {0};
    begin_arrays(&s, texels);
    CudaCopy3D copy = {.from_array = the_array(),
                       .from_at = {1, 1, 0},
                       .to = {out, 4, 4, 2},
                       .extent = {2, 2, 1},
                       .kind = COPY_DEFAULT};
    CHECK_INT(copy_3d(&s.r, &copy), CUDA_OK);
    CHECK_INT(out[0], 6);
    CHECK_INT(out[1], 7);
    CHECK_INT(out[2], 10);
    CHECK_INT(out[3], 11);
    out[0] = 66;
    copy = (CudaCopy3D){.from = {out, 4, 4, 2},
                        .to_array = the_array(),
                        .to_at = {3, 0, 0},
                        .extent = {1, 1, 1},
                        .kind = COPY_DEFAULT};
    CHECK_INT(copy_3d(&s.r, &copy), CUDA_OK);
    CHECK_INT(texels[0][3], 66);
    CHECK_INT(texels[1][3], 8);
    end(&s);
}

TEST(a_copy_stays_within_the_array) {
    Stage s;
    uint16_t texels[ROWS][WIDTH] = {{0}}, out[16] = {0};
    begin_arrays(&s, texels);
    CudaCopy3D copy = {.from_array = the_array(),
                       .to = {out, 8, 8, 3},
                       .extent = {WIDTH, ROWS, 1},
                       .kind = COPY_DEFAULT};
    CHECK_INT(copy_3d(&s.r, &copy), CUDA_OK);
    copy.from_at = (CudaExtent){1, 0, 0};
    CHECK_INT(copy_3d(&s.r, &copy), CUDA_VALUE);
    copy.from_at = (CudaExtent){0, 1, 0};
    CHECK_INT(copy_3d(&s.r, &copy), CUDA_VALUE);
    copy.from_at = (CudaExtent){0, 0, 1};
    CHECK_INT(copy_3d(&s.r, &copy), CUDA_VALUE);
    copy.from_at = (CudaExtent){0, 0, 0};
    copy.from_array = (CudaArray *)(uintptr_t)128; // none
    CHECK_INT(copy_3d(&s.r, &copy), CUDA_HANDLE);
    s.r.array_calls = NULL; // nobody has made one
    copy.from_array = the_array();
    CHECK_INT(copy_3d(&s.r, &copy), CUDA_HANDLE);
    end(&s);
}

TEST(a_copy_in_bytes_must_be_whole_texels) {
    Stage s;
    CudaCopy3D copy;
    CopyEnd array = {.array = the_array(), .at = {2, 1, 0}};
    CopyEnd memory = {.memory = {.pitch = 8}, .at = {3, 0, 0}};
    CudaExtent bytes = {4, 1, 1};
    begin_arrays(&s, NULL);
    CHECK_INT(copy_between(&s.r, &array, &memory, bytes, COPY_DEFAULT, &copy),
              CUDA_OK);
    CHECK_U64(copy.to_at.width, 1);
    CHECK_U64(copy.from_at.width, 3); // of memory: bytes
    CHECK_U64(copy.extent.width, 2);
    CHECK_INT(copy_between(&s.r, &memory, &array, bytes, COPY_DEFAULT, &copy),
              CUDA_OK);
    CHECK_U64(copy.from_at.width, 1);
    CHECK_U64(copy.extent.width, 2);
    bytes.width = 3;
    CHECK_INT(copy_between(&s.r, &array, &memory, bytes, COPY_DEFAULT, &copy),
              CUDA_VALUE);
    bytes.width = 4;
    array.at.width = 1;
    CHECK_INT(copy_between(&s.r, &array, &memory, bytes, COPY_DEFAULT, &copy),
              CUDA_VALUE);
    array.array = (CudaArray *)(uintptr_t)128;
    CHECK_INT(copy_between(&s.r, &array, &memory, bytes, COPY_DEFAULT, &copy),
              CUDA_HANDLE);
    end(&s);
}

static CudaCopy kind_between(int from, int to) {
    Stage s;
    char bytes[2];
    CudaCopy3D out = {.kind = (CudaCopy)-1};
    DriverCopy3D copy = {.from = {from, bytes, bytes, the_array()},
                         .to = {to, bytes, bytes, the_array()},
                         .width = 2,
                         .height = 1,
                         .depth = 1};
    begin_arrays(&s, bytes);
    CHECK_INT(copy_of_driver(&s.r, &copy, &out), CUDA_OK);
    end(&s);
    return out.kind;
    end(&s);
}

TEST(the_ends_of_a_drivers_copy_say_where_it_goes) {
    CHECK_INT(kind_between(IN_HOST, IN_HOST), COPY_HOST_TO_HOST);
    CHECK_INT(kind_between(IN_HOST, IN_DEVICE), COPY_HOST_TO_DEVICE);
    CHECK_INT(kind_between(IN_HOST, IN_ARRAY), COPY_HOST_TO_DEVICE);
    CHECK_INT(kind_between(IN_DEVICE, IN_HOST), COPY_DEVICE_TO_HOST);
    CHECK_INT(kind_between(IN_ARRAY, IN_DEVICE), COPY_DEVICE_TO_DEVICE);
    CHECK_INT(kind_between(IN_BOTH, IN_HOST), COPY_DEFAULT);
    CHECK_INT(kind_between(IN_HOST, IN_BOTH), COPY_DEFAULT);
}

TEST(a_drivers_copy_without_a_pitch_has_no_gaps) {
    Stage s;
    char host[4], device[4];
    CudaCopy3D out;
    DriverCopy3D copy = {.from = {.type = IN_HOST, .host = host},
                         .from_x = 5,
                         .to = {.type = IN_DEVICE, .device = device},
                         .to_pitch = 32,
                         .to_height = 2,
                         .width = 4,
                         .height = 1,
                         .depth = 1};
    begin_arrays(&s, NULL);
    CHECK_INT(copy_of_driver(&s.r, &copy, &out), CUDA_OK);
    CHECK(out.from.ptr == host);
    CHECK(out.to.ptr == device);
    CHECK_U64(out.from.pitch, 4);
    CHECK_U64(out.to.pitch, 32);
    CHECK_U64(out.to.height, 2);
    CHECK_U64(out.from_at.width, 5);
    CHECK_U64(out.extent.width, 4);
    copy.to = (DriverEnd){.type = IN_ARRAY};
    CHECK_INT(copy_of_driver(&s.r, &copy, &out), CUDA_HANDLE);
    copy.to.type = 9;
    CHECK_INT(copy_of_driver(&s.r, &copy, &out), CUDA_VALUE);
    CHECK_INT(copy_of_driver(&s.r, NULL, &out), CUDA_VALUE);
    end(&s);
}

TEST(a_reset_frees_arrays_as_well_as_memory) {
    Stage s;
    void *address = NULL;
    uint64_t offset;
    begin_arrays(&s, NULL);
    CHECK_INT(memory_new(&s.r, SLOT_DEVICE, 16, &address), CUDA_OK);
    CHECK(memory_slot(&s.r, address, &offset) != NULL);
    memory_reset(&s.r);
    CHECK_INT(s.frees, 1);
    CHECK(!memory_slot(&s.r, address, &offset));
    end(&s);
}

TEST_MAIN(TESTCASE(what_a_stream_is_given_is_done_at_once),
          TESTCASE(in_a_stream_that_is_captured_it_is_taken_and_not_done),
          TESTCASE(what_the_program_waits_for_is_not_captured),
          TESTCASE(only_while_one_is_captured_is_anything_forbidden),
          TESTCASE(a_stream_is_found_by_its_handle),
          TESTCASE(what_was_destroyed_is_refused),
          TESTCASE(an_event_is_a_time_or_stands_for_what_a_stream_was_given),
          TESTCASE(a_stream_joins_the_capture_of_an_event_that_it_waits_for),
          TESTCASE(the_host_does_not_wait_for_an_event_of_a_capture),
          TESTCASE(copies_of_a_batch_are_done_one_after_another),
          TESTCASE(a_copy_counts_texels_where_an_array_takes_part),
          TESTCASE(a_copy_stays_within_the_array),
          TESTCASE(a_copy_in_bytes_must_be_whole_texels),
          TESTCASE(the_ends_of_a_drivers_copy_say_where_it_goes),
          TESTCASE(a_drivers_copy_without_a_pitch_has_no_gaps),
          TESTCASE(a_reset_frees_arrays_as_well_as_memory))
