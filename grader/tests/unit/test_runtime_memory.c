// SPDX-License-Identifier: Apache-2.0
// runtime/: memory that a program allocates, of each kind: where it is, what an
// address says of itself, what freeing refuses; hints, pools, virtual memory.
#include "tests/unit/cuda_program.h"

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width,
                            size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr *to, cudaExtent extent);
cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *address, cudaStream_t stream);
cudaError_t cudaFreeHost(void *address);
cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags);
cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *host);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out,
                                     const void *address);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaMemAdvise(const void *address, size_t count, int advice,
                          uint64_t location);
cudaError_t cudaMemPrefetchAsync(const void *address, size_t count,
                                 uint64_t location, unsigned flags,
                                 cudaStream_t stream);
cudaError_t cudaMemRangeGetAttribute(void *out, size_t size, int attribute,
                                     const void *address, size_t count);
cudaError_t cudaMemRangeGetAttributes(void **out, size_t *sizes,
                                      int *attributes, size_t most,
                                      const void *address, size_t count);
cudaError_t cuMemAllocPitch_v2(void **address, size_t *pitch, size_t width,
                               size_t height, unsigned element);
cudaError_t cuMemGetAddressRange_v2(void **start, size_t *size,
                                    const void *address);
cudaError_t cuPointerGetAttribute(void *out, int attribute,
                                  const void *address);
cudaError_t cuPointerGetAttributes(unsigned count, int *attributes, void **out,
                                   const void *address);
cudaError_t cuPointerSetAttribute(const void *value, int attribute,
                                  const void *address);

static const size_t GIB = (size_t)1 << 30;

static size_t free_bytes(void) {
    size_t unused = 0, total = 0;
    CHECK_INT(cudaMemGetInfo(&unused, &total), cudaSuccess);
    CHECK_U64(total, 64 * GIB);
    return unused;
}

static cudaPointerAttributes about(const void *address) {
    cudaPointerAttributes a;
    memset(&a, 0x55, sizeof a);
    CHECK_INT(cudaPointerGetAttributes(&a, address), cudaSuccess);
    CHECK_INT(a.reserved[0], 0);
    CHECK_INT(a.reserved[7], 0);
    return a;
}

enum { UNREGISTERED, HOST, DEVICE, MANAGED }; // cudaMemoryType

// ---- allocating and freeing ------------------------------------------------

TEST(memory_is_taken_and_given_back) {
    Program p = program_begin();
    void *first = NULL, *second = NULL;
    size_t before = free_bytes();
    CHECK_INT(cudaMalloc(&first, 1000), cudaSuccess);
    CHECK_U64(free_bytes(), before - 1000);
    CHECK_INT(cudaMalloc(&second, 24), cudaSuccess);
    CHECK_U64(free_bytes(), before - 1024);
    CHECK(first && second && first != second);
    CHECK_INT(cudaFree(first), cudaSuccess);
    CHECK_INT(cudaFree(second), cudaSuccess);
    CHECK_U64(free_bytes(), before);
    CHECK_INT(cudaMemGetInfo(NULL, NULL), cudaSuccess);
    CHECK_INT(program_told(&p).call_count, 0);
}

TEST(no_bytes_are_no_memory) {
    void *address = &address;
    CHECK_INT(cudaMalloc(&address, 0), cudaSuccess);
    CHECK(address == NULL);
    CHECK_INT(cudaFree(NULL), cudaSuccess);
    CHECK_INT(cudaFreeHost(NULL), cudaSuccess);
    CHECK_INT(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
}

TEST(there_is_an_end_of_memory) {
    Program p = program_begin();
    void *address = &address, *all[16];
    CHECK_INT(cudaMalloc(&address, 4 * GIB + 1), cudaErrorMemoryAllocation);
    CHECK(address == NULL);
    CHECK_HOLDS(program_told(&p).messages[0].what, "4 GiB at a time");
    for (size_t i = 0; i < COUNT_OF(all); i++)
        CHECK_INT(cudaMalloc(&all[i], 4 * GIB), cudaSuccess);
    CHECK_U64(free_bytes(), 0);
    CHECK_INT(cudaMalloc(&address, 1), cudaErrorMemoryAllocation);
    CHECK_INT(cudaFree(all[7]), cudaSuccess);
    CHECK_INT(cudaMalloc(&address, 4 * GIB), cudaSuccess);
    ExecResult told = program_told(&p);
    CHECK_STR(told.calls[0].name, "cudaMalloc");
    CHECK_STR(told.calls[0].error, "cudaErrorMemoryAllocation");
    CHECK_U64(told.calls[0].count, 2);
}

TEST(only_what_was_allocated_is_freed) {
    void *device, *host, *managed;
    int local;
    cudaMalloc(&device, 16);
    cudaMallocHost(&host, 16);
    cudaMallocManaged(&managed, 16, 1);
    CHECK_INT(cudaFree((char *)device + 4), cudaErrorInvalidValue);
    CHECK_INT(cudaFree(&local), cudaErrorInvalidValue);
    CHECK_INT(cudaFree(host), cudaErrorInvalidValue);
    CHECK_INT(cudaFreeHost(device), cudaErrorInvalidValue);
    CHECK_INT(cudaFreeHost(managed), cudaErrorInvalidValue);
    CHECK_INT(cudaFreeHost((char *)host + 1), cudaErrorInvalidValue);
    CHECK_INT(cudaFree(managed), cudaSuccess);
    CHECK_INT(cudaFreeHost(host), cudaSuccess);
    CHECK_INT(cudaFree(device), cudaSuccess);
    CHECK_INT(cudaFree(device), cudaErrorInvalidValue); // again
}

TEST(what_was_freed_is_not_there) {
    Program p = program_begin();
    uint32_t word = 7;
    void *memory = program_words(&word, 1);
    cudaFree(memory);
    CHECK_INT(cudaMemcpy(&word, memory, 4, cudaMemcpyDefault),
              cudaErrorInvalidValue);
    unsigned one = 1;
    void *args[] = {&memory, &one};
    CHECK_INT(program_launch(&p, "add", 1, args), cudaSuccess);
    CHECK_INT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    ExecResult told = program_told(&p);
    CHECK_U64(told.finding_count, 1);
    CHECK_STR(told.findings[0].cause.code, "MEM001");
    CHECK_HOLDS(told.findings[0].cause.what, "freed");
}

// What is freed is not given out again at once, so that late uses are seen.
TEST(addresses_come_again_only_after_many_others) {
    enum { KEPT = 1024 };
    void *first, *other = NULL;
    cudaMalloc(&first, 16);
    cudaFree(first);
    for (int i = 0; i < KEPT; i++) {
        cudaMalloc(&other, 16);
        if (!CHECK(other != first))
            return;
        cudaFree(other);
    }
    cudaMalloc(&other, 16);
    CHECK(other == first);
    cudaMalloc(&other, 16);
    CHECK(other != first);
}

TEST(memory_begins_as_zeros_when_it_comes_again) {
    enum { KEPT = 1024 };
    Program p = program_begin();
    const uint32_t words[] = {1, 2, 3};
    void *first = program_words(words, 3), *other = NULL;
    cudaFree(first);
    for (int i = 0; i < KEPT && other != first; i++) {
        cudaMalloc(&other, 12);
        cudaFree(other);
    }
    cudaMalloc(&other, 12);
    CHECK_U64(program_word(other, 2), 0);
    arena_free(&p.arena);
}

TEST(rows_are_padded) {
    void *rows;
    size_t pitch = 0, before = free_bytes();
    CHECK_INT(cudaMallocPitch(&rows, &pitch, 513, 3), cudaSuccess);
    CHECK_U64(pitch, 1024);
    CHECK_U64(free_bytes(), before - 3 * 1024);
    CHECK_INT(cudaMallocPitch(&rows, &pitch, 512, 1), cudaSuccess);
    CHECK_U64(pitch, 512);
    CHECK_INT(cudaMallocPitch(&rows, NULL, 512, 1), cudaErrorInvalidValue);
    cudaPitchedPtr planes = {0};
    before = free_bytes();
    CHECK_INT(cudaMalloc3D(&planes, (cudaExtent){20, 5, 7}), cudaSuccess);
    CHECK_U64(planes.pitch, 512);
    CHECK_U64(planes.xsize, 20);
    CHECK_U64(planes.ysize, 5);
    CHECK(planes.ptr != NULL);
    CHECK_U64(free_bytes(), before - 512 * 5 * 7);
    CHECK_INT(cuMemAllocPitch_v2(&rows, &pitch, 10, 2, 4), cudaSuccess);
    CHECK_INT(cuMemAllocPitch_v2(&rows, &pitch, 10, 2, 8), cudaSuccess);
    CHECK_INT(cuMemAllocPitch_v2(&rows, &pitch, 10, 2, 16), cudaSuccess);
    CHECK_INT(cuMemAllocPitch_v2(&rows, &pitch, 10, 2, 5),
              cudaErrorInvalidValue);
}

TEST(memory_of_a_stream_is_there_at_once) {
    Program p = program_begin();
    void *memory;
    CHECK_INT(cudaMallocAsync(&memory, 8, NULL), cudaSuccess);
    CHECK_INT(cudaMemset(memory, 1, 8), cudaSuccess);
    CHECK_U64(program_word(memory, 1), 0x01010101);
    CHECK_INT(cudaFreeAsync(memory, NULL), cudaSuccess);
    CHECK_INT(cudaFreeAsync(memory, NULL), cudaErrorInvalidValue);
    arena_free(&p.arena);
}

TEST(a_reset_frees_all_and_gives_variables_their_values) {
    Program p = program_begin();
    size_t before = free_bytes(), bytes = 0;
    void *device, *host, *counter;
    cudaMalloc(&device, 100);
    cudaMallocHost(&host, 100);
    cuModuleGetGlobal_v2(&counter, &bytes, p.module, "counter");
    CHECK_U64(bytes, 4);
    CHECK_INT(program_launch(&p, "count", 1, NULL), cudaSuccess);
    CHECK_U64(program_word(counter, 0), 41);
    CHECK_INT(cudaDeviceReset(), cudaSuccess);
    CHECK_U64(free_bytes(), before);
    CHECK_INT(cudaFree(device), cudaErrorInvalidValue);
    CHECK_INT(program_launch(&p, "count", 1, NULL), cudaSuccess);
    CHECK_U64(program_word(counter, 0), 41);
    arena_free(&p.arena);
}

// ---- the program's own -----------------------------------------------------

TEST(memory_of_the_host_is_the_programs_and_the_devices) {
    Program p = program_begin();
    uint32_t *host, *managed;
    unsigned flags = 0;
    void *device = NULL;
    CHECK_INT(cudaHostAlloc((void **)&host, 8, 4), cudaSuccess);
    CHECK_INT(cudaMallocManaged((void **)&managed, 8, 1), cudaSuccess);
    host[1] = 5;
    managed[0] = 6;
    program_add(&p, host, 2, 10);
    program_add(&p, managed, 1, 10);
    CHECK_U64(host[0], 10);
    CHECK_U64(host[1], 15);
    CHECK_U64(managed[0], 16);
    CHECK_INT(cudaHostGetDevicePointer(&device, host + 1, 0), cudaSuccess);
    CHECK(device == host + 1);
    CHECK_INT(cudaHostGetFlags(&flags, host), cudaSuccess);
    CHECK_U64(flags, 2);
    CHECK_INT(cudaHostGetFlags(&flags, managed), cudaSuccess);
    cudaMalloc(&device, 8);
    CHECK_INT(cudaHostGetFlags(&flags, device), cudaErrorInvalidValue);
    CHECK_INT(cudaHostGetFlags(&flags, &flags), cudaErrorInvalidValue);
    arena_free(&p.arena);
}

TEST(what_is_registered_has_another_address_on_the_device) {
    Program p = program_begin();
    uint32_t words[4] = {1, 2, 3, 4};
    size_t before = free_bytes();
    void *device = NULL;
    unsigned flags = 0;
    CHECK_INT(cudaHostGetDevicePointer(&device, words, 0),
              cudaErrorInvalidValue);
    CHECK_INT(cudaHostRegister(words, sizeof words, 0), cudaSuccess);
    CHECK_U64(free_bytes(), before); // it is no memory of the device
    CHECK_INT(cudaHostRegister(words, 4, 0),
              cudaErrorHostMemoryAlreadyRegistered);
    CHECK_INT(cudaHostRegister(words + 3, 4, 0),
              cudaErrorHostMemoryAlreadyRegistered);
    CHECK_INT(cudaHostGetDevicePointer(&device, words + 1, 0), cudaSuccess);
    CHECK(device != words + 1);
    program_add(&p, device, 3, 10);
    CHECK_U64(words[0], 1);
    CHECK_U64(words[1], 12);
    CHECK_U64(words[3], 14);
    CHECK_INT(cudaHostGetFlags(&flags, words + 2), cudaSuccess);
    CHECK_INT(cudaHostUnregister(words + 1), cudaErrorHostMemoryNotRegistered);
    CHECK_INT(cudaHostUnregister(words), cudaSuccess);
    CHECK_INT(cudaHostUnregister(words), cudaErrorHostMemoryNotRegistered);
    CHECK_U64(free_bytes(), before);
    CHECK_INT(cudaHostRegister(NULL, 4, 0), cudaErrorInvalidValue);
    CHECK_INT(cudaHostRegister(words, 0, 0), cudaErrorInvalidValue);
    CHECK_INT(cudaHostRegister(words, 4 * GIB + 1, 0), cudaErrorInvalidValue);
    arena_free(&p.arena);
}

// ---- what an address says of itself ----------------------------------------

TEST(an_address_says_what_it_is) {
    char *device, *host, *managed, local[8];
    cudaMalloc((void **)&device, 8);
    cudaMallocHost((void **)&host, 8);
    cudaMallocManaged((void **)&managed, 8, 1);
    cudaHostRegister(local, sizeof local, 0);
    cudaPointerAttributes a = about(device + 3);
    CHECK_INT(a.type, DEVICE);
    CHECK(a.devicePointer == device + 3 && !a.hostPointer && a.device == 0);
    a = about(host + 8); // the end is its own
    CHECK_INT(a.type, HOST);
    CHECK(a.devicePointer == host + 8 && a.hostPointer == host + 8);
    a = about(managed + 1);
    CHECK_INT(a.type, MANAGED);
    CHECK(a.devicePointer == managed + 1 && a.hostPointer == managed + 1);
    a = about(local + 2);
    CHECK_INT(a.type, HOST);
    CHECK(a.hostPointer == local + 2 && a.devicePointer &&
          a.devicePointer != local + 2 && a.device == 0);
    CHECK_INT(about(a.devicePointer).type, DEVICE);
    a = about(&a);
    CHECK_INT(a.type, UNREGISTERED);
    CHECK(!a.devicePointer && !a.hostPointer);
    CHECK_INT(a.device, -2);
    CHECK_INT(about(device + 9).type, UNREGISTERED);
    CHECK_INT(cudaPointerGetAttributes(NULL, host), cudaErrorInvalidValue);
}

TEST(the_range_of_an_address_is_found) {
    char *memory;
    void *start = NULL;
    size_t size = 0;
    cudaMalloc((void **)&memory, 100);
    CHECK_INT(cuMemGetAddressRange_v2(&start, &size, memory + 60), cudaSuccess);
    CHECK(start == memory);
    CHECK_U64(size, 100);
    CHECK_INT(cuMemGetAddressRange_v2(NULL, NULL, memory), cudaSuccess);
    CHECK_INT(cuMemGetAddressRange_v2(&start, &size, memory + 101),
              cudaErrorSymbolNotFound);
    CHECK_INT(cuMemGetAddressRange_v2(&start, &size, &size),
              cudaErrorSymbolNotFound);
}

enum { // CUpointer_attribute
    OF_CONTEXT = 1,
    OF_TYPE,
    OF_DEVICE,
    OF_HOST,
    OF_SYNC = 6,
    OF_ID,
    OF_MANAGED,
    OF_ORDINAL,
    OF_START = 11,
    OF_SIZE,
    OF_MAPPED,
    OF_HANDLES,
    OF_ACCESS = 16,
    OF_POOL,
};

static uint64_t attribute(int which, const void *address) {
    uint64_t value = 0;
    CHECK_INT(cuPointerGetAttribute(&value, which, address), cudaSuccess);
    return value;
}

TEST(the_driver_tells_attributes_of_an_address) {
    char *device, *host, *managed;
    uint64_t value = UINT64_MAX;
    cudaMalloc((void **)&device, 24);
    cudaMallocHost((void **)&host, 24);
    cudaMallocManaged((void **)&managed, 24, 1);
    CHECK_U64(attribute(OF_CONTEXT, device), 1);
    CHECK_U64(attribute(OF_TYPE, device), 2);
    CHECK_U64(attribute(OF_TYPE, host), 1);
    CHECK_U64(attribute(OF_TYPE, managed), 2);
    CHECK_U64(attribute(OF_DEVICE, device + 5), (uintptr_t)device + 5);
    CHECK_U64(attribute(OF_HOST, host + 5), (uintptr_t)host + 5);
    CHECK_U64(attribute(OF_HOST, managed), (uintptr_t)managed);
    CHECK_INT(cuPointerGetAttribute(&value, OF_HOST, device),
              cudaErrorInvalidValue);
    CHECK_U64(attribute(OF_SYNC, device), 0);
    CHECK_U64(attribute(OF_MANAGED, managed), 1);
    CHECK_U64(attribute(OF_MANAGED, device), 0);
    CHECK_U64(attribute(OF_ORDINAL, device), 0);
    CHECK_U64(attribute(OF_START, device + 7), (uintptr_t)device);
    CHECK_U64(attribute(OF_SIZE, device), 24);
    CHECK_U64(attribute(OF_MAPPED, device), 1);
    CHECK_U64(attribute(OF_HANDLES, device), 0);
    CHECK_U64(attribute(OF_ACCESS, device), 3);
    CHECK_U64(attribute(OF_POOL, device), 0);
    CHECK(attribute(OF_ID, device) != attribute(OF_ID, host));
    CHECK_U64(attribute(OF_ID, device), attribute(OF_ID, device + 3));
    CHECK_INT(cuPointerGetAttribute(&value, 5, device), cudaErrorNotSupported);
    CHECK_INT(cuPointerGetAttribute(&value, OF_TYPE, &value),
              cudaErrorInvalidValue);
}

// A value is as wide as its type; what lies behind it stays.
TEST(the_driver_writes_no_more_than_an_attribute) {
    char *host, local[16];
    cudaMallocHost((void **)&host, 24);
    memset(local, 0x77, sizeof local);
    CHECK_INT(cuPointerGetAttribute(local, OF_MANAGED, host), cudaSuccess);
    CHECK_INT(local[1], 0x77);
    CHECK_INT(cuPointerGetAttribute(local, OF_TYPE, host), cudaSuccess);
    CHECK_INT(local[4], 0x77);
    CHECK_INT(cuPointerGetAttribute(local, OF_START, host), cudaSuccess);
    CHECK_INT(local[8], 0x77);
}

TEST(several_attributes_are_told_at_a_time) {
    char *host, local[4];
    cudaMallocHost((void **)&host, 24);
    uint64_t size = 7, device = 7, type = UINT64_MAX;
    int which[] = {OF_SIZE, OF_TYPE, OF_DEVICE};
    void *out[] = {&size, &type, &device};
    CHECK_INT(cuPointerGetAttributes(3, which, out, host + 2), cudaSuccess);
    CHECK_U64(size, 24);
    CHECK_U64(type, UINT64_C(0xffffffff00000001));
    CHECK_U64(device, (uintptr_t)host + 2);
    CHECK_INT(cuPointerGetAttributes(3, which, out, local), cudaSuccess);
    CHECK_U64(size, 0);
    CHECK_U64(type, UINT64_C(0xffffffff00000000));
    CHECK_U64(device, 0);
    CHECK_INT(cuPointerGetAttributes(0, which, out, host),
              cudaErrorInvalidValue);
    CHECK_INT(cuPointerSetAttribute(&type, OF_SYNC, host), cudaSuccess);
    CHECK_INT(cuPointerSetAttribute(&type, OF_TYPE, host),
              cudaErrorInvalidValue);
    CHECK_INT(cuPointerSetAttribute(&type, OF_SYNC, local),
              cudaErrorInvalidValue);
}

// ---- hints for managed memory ----------------------------------------------

enum { MOSTLY = 1, NOT_MOSTLY, PREFER, PREFER_NONE, BY, NOT_BY };
enum {
    RANGE_MOSTLY = 1,
    RANGE_PREFERRED,
    RANGE_BY,
    RANGE_PREFETCHED,
    RANGE_PREFERRED_TYPE,
    RANGE_PREFERRED_ID,
    RANGE_PREFETCHED_TYPE,
    RANGE_PREFETCHED_ID,
};
static const uint64_t NOWHERE = 0, ON_DEVICE = 1, ON_HOST = 2; // locations

static int range(int which, const void *address) {
    int value = 77;
    CHECK_INT(cudaMemRangeGetAttribute(&value, sizeof value, which, address, 8),
              cudaSuccess);
    return value;
}

TEST(hints_are_told_again) {
    char *m;
    cudaMallocManaged((void **)&m, 64, 1);
    CHECK_INT(range(RANGE_MOSTLY, m), 0);
    CHECK_INT(range(RANGE_PREFERRED, m), -2);
    CHECK_INT(range(RANGE_PREFETCHED, m), -2);
    CHECK_INT(cudaMemAdvise(m, 64, MOSTLY, NOWHERE), cudaSuccess);
    CHECK_INT(range(RANGE_MOSTLY, m + 8), 1);
    CHECK_INT(cudaMemAdvise(m, 64, NOT_MOSTLY, NOWHERE), cudaSuccess);
    CHECK_INT(range(RANGE_MOSTLY, m), 0);
    CHECK_INT(cudaMemAdvise(m, 64, PREFER, ON_DEVICE), cudaSuccess);
    CHECK_INT(range(RANGE_PREFERRED, m), 0);
    CHECK_INT(range(RANGE_PREFERRED_TYPE, m), 1);
    CHECK_INT(range(RANGE_PREFERRED_ID, m), 0);
    CHECK_INT(cudaMemAdvise(m, 64, PREFER, ON_HOST), cudaSuccess);
    CHECK_INT(range(RANGE_PREFERRED, m), -1);
    CHECK_INT(range(RANGE_PREFERRED_TYPE, m), 2);
    CHECK_INT(cudaMemAdvise(m, 64, PREFER_NONE, NOWHERE), cudaSuccess);
    CHECK_INT(range(RANGE_PREFERRED, m), -2);
    CHECK_INT(cudaMemPrefetchAsync(m, 64, ON_DEVICE, 0, NULL), cudaSuccess);
    CHECK_INT(range(RANGE_PREFETCHED, m), 0);
    CHECK_INT(range(RANGE_PREFETCHED_TYPE, m), 1);
    CHECK_INT(cudaMemPrefetchAsync(m, 64, NOWHERE, 0, NULL),
              cudaErrorInvalidValue);
}

TEST(who_accesses_memory_is_a_list) {
    char *m;
    int list[3] = {7, 7, 7};
    cudaMallocManaged((void **)&m, 64, 1);
    CHECK_INT(cudaMemAdvise(m, 64, BY, ON_DEVICE), cudaSuccess);
    CHECK_INT(cudaMemAdvise(m, 64, BY, ON_HOST), cudaSuccess);
    CHECK_INT(cudaMemRangeGetAttribute(list, sizeof list, RANGE_BY, m, 8),
              cudaSuccess);
    CHECK(list[0] == -1 && list[1] == 0 && list[2] == -2);
    CHECK_INT(cudaMemAdvise(m, 64, NOT_BY, ON_HOST), cudaSuccess);
    list[1] = 7;
    CHECK_INT(cudaMemRangeGetAttribute(list, sizeof list[0], RANGE_BY, m, 8),
              cudaSuccess);
    CHECK(list[0] == 0 && list[1] == 7);
}

TEST(hints_are_for_managed_memory) {
    char *m, *device;
    int value = 0, other = 0;
    cudaMallocManaged((void **)&m, 64, 1);
    cudaMalloc((void **)&device, 64);
    CHECK_INT(cudaMemAdvise(device, 64, MOSTLY, NOWHERE),
              cudaErrorInvalidValue);
    CHECK_INT(cudaMemAdvise(m, 65, MOSTLY, NOWHERE), cudaErrorInvalidValue);
    CHECK_INT(cudaMemAdvise(m + 1, 64, MOSTLY, NOWHERE), cudaErrorInvalidValue);
    CHECK_INT(cudaMemAdvise(m, 0, MOSTLY, NOWHERE), cudaErrorInvalidValue);
    CHECK_INT(cudaMemAdvise(m, 64, PREFER, NOWHERE), cudaErrorInvalidValue);
    CHECK_INT(cudaMemAdvise(m, 64, BY, NOWHERE), cudaErrorInvalidValue);
    CHECK_INT(cudaMemAdvise(m, 64, NOT_BY, NOWHERE), cudaErrorInvalidValue);
    CHECK_INT(cudaMemAdvise(m, 64, 7, ON_HOST), cudaErrorInvalidValue);
    CHECK_INT(
        cudaMemRangeGetAttribute(&value, 4, RANGE_PREFETCHED_ID + 1, m, 8),
        cudaErrorInvalidValue);
    CHECK_INT(cudaMemRangeGetAttribute(&value, 4, 0, m, 8),
              cudaErrorInvalidValue);
    CHECK_INT(cudaMemRangeGetAttribute(&value, 3, RANGE_MOSTLY, m, 8),
              cudaErrorInvalidValue);
    CHECK_INT(cudaMemRangeGetAttribute(&value, 6, RANGE_MOSTLY, m, 8),
              cudaErrorInvalidValue);
    CHECK_INT(cudaMemRangeGetAttribute(NULL, 4, RANGE_MOSTLY, m, 8),
              cudaErrorInvalidValue);
    cudaMemAdvise(m, 64, MOSTLY, NOWHERE);
    int which[] = {RANGE_MOSTLY, RANGE_PREFERRED};
    size_t sizes[] = {4, 4};
    void *out[] = {&value, &other};
    CHECK_INT(cudaMemRangeGetAttributes(out, sizes, which, 2, m, 64),
              cudaSuccess);
    CHECK(value == 1 && other == -2);
    CHECK_INT(cudaMemRangeGetAttributes(out, sizes, which, 0, m, 64),
              cudaErrorInvalidValue);
    CHECK_INT(cudaMemRangeGetAttributes(out, sizes, which, 2, device, 64),
              cudaErrorInvalidValue);
}

TEST_MAIN(TESTCASE(memory_is_taken_and_given_back),
          TESTCASE(no_bytes_are_no_memory), TESTCASE(there_is_an_end_of_memory),
          TESTCASE(only_what_was_allocated_is_freed),
          TESTCASE(what_was_freed_is_not_there),
          TESTCASE(addresses_come_again_only_after_many_others),
          TESTCASE(memory_begins_as_zeros_when_it_comes_again),
          TESTCASE(rows_are_padded),
          TESTCASE(memory_of_a_stream_is_there_at_once),
          TESTCASE(a_reset_frees_all_and_gives_variables_their_values),
          TESTCASE(memory_of_the_host_is_the_programs_and_the_devices),
          TESTCASE(what_is_registered_has_another_address_on_the_device),
          TESTCASE(an_address_says_what_it_is),
          TESTCASE(the_range_of_an_address_is_found),
          TESTCASE(the_driver_tells_attributes_of_an_address),
          TESTCASE(the_driver_writes_no_more_than_an_attribute),
          TESTCASE(several_attributes_are_told_at_a_time),
          TESTCASE(hints_are_told_again),
          TESTCASE(who_accesses_memory_is_a_list),
          TESTCASE(hints_are_for_managed_memory))
