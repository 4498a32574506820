// SPDX-License-Identifier: Apache-2.0
// runtime/: what the device says of itself, its limits, names of errors; pools
// and virtual memory; device code that is linked while the program runs.
#include "tests/unit/cuda_program.h"

// cudaDeviceProp, as far as it is looked at.
typedef struct cudaDeviceProp {
    char name[256];
    char uuid[16], luid[8];
    unsigned luidMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount;
    char rest[1024];
} cudaDeviceProp;

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int device);
cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
cudaError_t cudaDeviceSetLimit(unsigned limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, unsigned limit);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int from,
                                      int to);
cudaError_t cudaGetDeviceProperties_v2(void *out, int device);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted);
cudaError_t cuMemGetAccess(uint64_t *flags, const int *location, void *address);
cudaError_t cuDevicePrimaryCtxGetState(int device, unsigned *flags,
                                       int *active);
cudaError_t cuCtxGetCurrent(void **context);
cudaError_t cuCtxGetDevice(int *device);
cudaError_t cuStreamGetCtx_v2(cudaStream_t stream, void **context,
                              void **green);
cudaError_t cuDeviceGetUuid_v2(char *uuid, int device);
cudaError_t cuFuncIsLoaded(int *state, const void *kernel);
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cuGetErrorName(cudaError_t error, const char **name);
cudaError_t cuDeviceGet(int *device, int ordinal);
cudaError_t cuDeviceGetName(char *name, int length, int device);
cudaError_t cuDeviceTotalMem_v2(size_t *bytes, int device);
cudaError_t cuDeviceComputeCapability(int *major, int *minor, int device);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const void *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute,
                                    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute,
                                    void *value);
cudaError_t cuMemGetAllocationGranularity(size_t *bytes, const void *properties,
                                          int kind);
cudaError_t cuMemAddressReserve(void **address, size_t size, size_t align,
                                void *wanted, uint64_t flags);
cudaError_t cuMemAddressFree(void *address, size_t size);
cudaError_t cuMemCreate(void **memory, size_t size, const void *properties,
                        uint64_t flags);
cudaError_t cuMemRelease(void *memory);
cudaError_t cuMemMap(void *address, size_t size, size_t offset, void *memory,
                     uint64_t flags);
cudaError_t cuMemUnmap(void *address, size_t size);
cudaError_t cuMemSetAccess(void *address, size_t size, const void *list,
                           size_t count);
cudaError_t cuLinkCreate_v2(unsigned count, int *options, void **values,
                            void **linked);
cudaError_t cuLinkAddData_v2(void *linked, int kind, void *data, size_t size,
                             const char *name, unsigned count, int *options,
                             void **values);
cudaError_t cuLinkComplete(void *linked, const void **image, size_t *size);
cudaError_t cuLinkDestroy(void *linked);

static const cudaError_t BAD = cudaErrorInvalidValue;

// ---- the device ------------------------------------------------------------

TEST(there_is_one_device) {
    int value = 9;
    CHECK_INT(cudaGetDeviceCount(&value), cudaSuccess);
    CHECK_INT(value, 1);
    CHECK_INT(cudaGetDevice(&value), cudaSuccess);
    CHECK_INT(value, 0);
    CHECK_INT(cudaSetDevice(0), cudaSuccess);
    CHECK_INT(cudaSetDevice(1), cudaErrorInvalidDevice);
    CHECK_INT(cudaGetLastError(), cudaErrorInvalidDevice);
    CHECK_INT(cuDeviceGet(&value, 0), cudaSuccess);
    CHECK_INT(cuDeviceGet(&value, 1), cudaErrorInvalidDevice);
    CHECK_INT(cuDeviceGet(NULL, 0), BAD);
    CHECK_INT(cudaGetDeviceCount(NULL), BAD);
    CHECK_INT(cudaGetDevice(NULL), BAD);
    value = 9;
    CHECK_INT(cudaDeviceCanAccessPeer(&value, 0, 0), cudaSuccess);
    CHECK_INT(value, 0);
    CHECK_INT(cudaDeviceCanAccessPeer(&value, 1, 0), cudaErrorInvalidDevice);
    CHECK_INT(cudaDeviceCanAccessPeer(&value, 0, 1), cudaErrorInvalidDevice);
    CHECK_INT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    CHECK_INT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
    CHECK_INT(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    CHECK_INT(cudaDeviceDisablePeerAccess(1), cudaErrorInvalidDevice);
    char bus[16] = "";
    CHECK_INT(cudaDeviceGetPCIBusId(bus, sizeof bus, 0), cudaSuccess);
    CHECK_INT(cudaDeviceGetByPCIBusId(&value, bus), cudaSuccess);
    CHECK_INT(cudaDeviceGetByPCIBusId(&value, "0000:01:00.0"),
              cudaErrorInvalidDevice);
}

TEST(the_device_has_properties) {
    cudaDeviceProp p;
    int major = 0, minor = 9;
    size_t bytes = 0;
    char name[300] = "";
    CHECK_INT(cudaGetDeviceProperties(&p, 0), cudaSuccess);
    CHECK_STR(str_from(p.name), "CLC Labs virtual machine (b200)");
    CHECK(p.major == 10 && p.minor == 0 && p.multiProcessorCount == 148);
    CHECK_U64(p.totalGlobalMem, (size_t)64 << 30);
    CHECK_U64(p.sharedMemPerBlock, 49152);
    CHECK(p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    CHECK(p.maxThreadsDim[2] == 64 && p.maxGridSize[1] == 65535);
    CHECK_INT(cudaGetDeviceProperties(&p, 1), cudaErrorInvalidDevice);
    CHECK_INT(cudaGetDeviceProperties(NULL, 0), BAD);
    CHECK_INT(cuDeviceGetName(name, sizeof name, 0), cudaSuccess);
    CHECK_STR(str_from(name), "CLC Labs virtual machine (b200)");
    CHECK_INT(cuDeviceGetName(name, 4, 0), cudaSuccess);
    CHECK_STR(str_from(name), "CLC");
    CHECK_INT(cuDeviceGetName(name, 4, 1), cudaErrorInvalidDevice);
    CHECK_INT(cuDeviceTotalMem_v2(&bytes, 0), cudaSuccess);
    CHECK_U64(bytes, (size_t)64 << 30);
    CHECK_INT(cuDeviceTotalMem_v2(&bytes, 1), cudaErrorInvalidDevice);
    CHECK_INT(cuDeviceComputeCapability(&major, &minor, 0), cudaSuccess);
    CHECK(major == 10 && minor == 0);
    CHECK_INT(cuDeviceComputeCapability(&major, &minor, 1),
              cudaErrorInvalidDevice);
}

TEST(the_device_is_the_one_asked_for) {
    cudaDeviceProp p;
    setenv("CLCLAB_EXEC_MODEL", "rtx5090", 1);
    CHECK_INT(cudaGetDeviceProperties(&p, 0), cudaSuccess);
    CHECK_STR(str_from(p.name), "CLC Labs virtual machine (rtx5090)");
    CHECK(p.major == 12 && p.minor == 0 && p.multiProcessorCount == 170);
}

static int attribute(int which) {
    int value = -99;
    CHECK_INT(cudaDeviceGetAttribute(&value, which, 0), cudaSuccess);
    return value;
}

TEST(the_device_has_attributes) {
    int value = 9;
    CHECK_INT(attribute(1), 1024);    // threads of a block
    CHECK_INT(attribute(10), 32);     // of a warp
    CHECK_INT(attribute(16), 148);    // SMs
    CHECK_INT(attribute(75), 10);     // compute capability
    CHECK_INT(attribute(97), 232448); // shared memory, asked for
    CHECK_INT(attribute(120), 1);     // clusters
    CHECK_INT(attribute(134), -1);
    CHECK_INT(attribute(18), 0); // integrated: it is not
    CHECK_INT(attribute(255), 0);
    CHECK_INT(cudaDeviceGetAttribute(&value, 256, 0), BAD);
    CHECK_INT(cudaDeviceGetAttribute(&value, 0, 0), BAD);
    CHECK_INT(cudaDeviceGetAttribute(&value, 1, 1), cudaErrorInvalidDevice);
    CHECK_INT(value, 0);
    CHECK_INT(cudaDeviceGetAttribute(NULL, 1, 0), BAD);
    CHECK_INT(cudaDriverGetVersion(&value), cudaSuccess);
    CHECK_INT(value, 13000);
    CHECK_INT(cudaRuntimeGetVersion(&value), cudaSuccess);
    CHECK_INT(value, 13000);
    CHECK_INT(cudaDriverGetVersion(NULL), BAD);
    CHECK_INT(cudaRuntimeGetVersion(NULL), BAD);
}

TEST(limits_are_kept) {
    enum { STACK, FIFO, HEAP, LAST = 6 };
    size_t value = 0;
    CHECK_INT(cudaDeviceGetLimit(&value, STACK), cudaSuccess);
    CHECK_U64(value, 1024);
    CHECK_INT(cudaDeviceGetLimit(&value, HEAP), cudaSuccess);
    CHECK_U64(value, 8 << 20);
    CHECK_INT(cudaDeviceSetLimit(STACK, 4096), cudaSuccess);
    CHECK_INT(cudaDeviceGetLimit(&value, STACK), cudaSuccess);
    CHECK_U64(value, 4096);
    CHECK_INT(cudaDeviceSetLimit(HEAP, (size_t)4 << 30), cudaSuccess);
    CHECK_INT(cudaDeviceSetLimit(HEAP, ((size_t)4 << 30) + 1),
              cudaErrorMemoryAllocation);
    CHECK_INT(cudaDeviceSetLimit(FIFO, ((size_t)4 << 30) + 1), cudaSuccess);
    CHECK_INT(cudaDeviceSetLimit(LAST, 1), cudaSuccess);
    CHECK_INT(cudaDeviceSetLimit(LAST + 1, 1), cudaErrorUnsupportedLimit);
    CHECK_INT(cudaDeviceGetLimit(&value, LAST + 1), cudaErrorUnsupportedLimit);
    CHECK_INT(cudaDeviceGetLimit(NULL, STACK), BAD);
}

TEST(errors_have_names) {
    const char *name = "";
    CHECK_STR(str_from(cudaGetErrorName(1)), "cudaErrorInvalidValue");
    CHECK_STR(str_from(cudaGetErrorString(1)), "invalid argument");
    CHECK_STR(str_from(cudaGetErrorName(0)), "cudaSuccess");
    CHECK_STR(str_from(cudaGetErrorName(915)),
              "cudaErrorInvalidResourceConfiguration");
    CHECK_STR(str_from(cudaGetErrorName(12345)), "unrecognized error code");
    CHECK_STR(str_from(cudaGetErrorString(12345)), "unrecognized error code");
    CHECK_INT(cuGetErrorName(2, &name), cudaSuccess);
    CHECK_STR(str_from(name), "CUDA_ERROR_OUT_OF_MEMORY");
    CHECK_INT(cuGetErrorName(9, &name), BAD); // the driver has no such
    CHECK(name == NULL);
    CHECK_INT(cuGetErrorName(12345, &name), BAD);
}

TEST(the_device_is_no_peer_of_its_own) {
    int value = 9;
    CHECK_INT(cudaDeviceGetP2PAttribute(&value, 1, 0, 0),
              cudaErrorInvalidDevice);
    CHECK_INT(value, 0);
    CHECK_INT(cudaDeviceGetP2PAttribute(&value, 1, 0, 1),
              cudaErrorInvalidDevice);
    CHECK_INT(cudaDeviceGetP2PAttribute(&value, 1, 1, 0),
              cudaErrorInvalidDevice);
}

// Where fields of CUDA 12 stand (driver_types.h).
TEST(the_properties_of_cuda_12_have_another_layout) {
    struct {
        cudaDeviceProp room; // more than they take
    } twelve;
    cudaDeviceProp thirteen;
    const char *at = (const char *)&twelve;
    int clock = 0, sms = 0, major = 0, memory = 0, ratio = 0;
    memset(&twelve, 0x55, sizeof twelve);
    CHECK_INT(cudaGetDeviceProperties_v2(&twelve, 0), cudaSuccess);
    CHECK_INT(cudaGetDeviceProperties(&thirteen, 0), cudaSuccess);
    CHECK_STR(str_from(twelve.room.name), thirteen.name);
    CHECK(memcmp(twelve.room.uuid, thirteen.uuid, sizeof thirteen.uuid) == 0);
    CHECK_U64(twelve.room.totalGlobalMem, thirteen.totalGlobalMem);
    CHECK(twelve.room.maxGridSize[2] == 65535 &&
          twelve.room.maxThreadsDim[0] == 1024);
    memcpy(&clock, at + 348, 4);
    memcpy(&major, at + 360, 4);
    memcpy(&sms, at + 388, 4);
    memcpy(&memory, at + 608, 4);
    memcpy(&ratio, at + 668, 4);
    CHECK_INT(clock, 1000000);
    CHECK_INT(major, 10);
    CHECK_INT(sms, 148);
    CHECK_INT(memory, 2000000);
    CHECK_INT(ratio, 2);
    CHECK_INT((uint8_t)at[1032], 0x55); // no more than 1032 bytes
    CHECK_INT(cudaGetDeviceProperties_v2(&twelve, 1), cudaErrorInvalidDevice);
}

TEST(there_is_one_context) {
    void *first = NULL, *second = NULL, *green = &green;
    unsigned flags = 9;
    int value = 9, least = 9;
    uint64_t access = 9;
    char uuid[16] = "";
    CHECK_INT(cuCtxGetCurrent(&first), cudaSuccess);
    CHECK_INT(cuStreamGetCtx_v2(NULL, &second, &green), cudaSuccess);
    CHECK(first && first == second && !green);
    CHECK_INT(cuStreamGetCtx_v2(NULL, &second, NULL), cudaSuccess);
    CHECK_INT(cuDevicePrimaryCtxGetState(0, &flags, &value), cudaSuccess);
    CHECK(flags == 0 && value == 1);
    value = 9;
    CHECK_INT(cuCtxGetDevice(&value), cudaSuccess);
    CHECK_INT(value, 0);
    value = 9;
    flags = 9;
    CHECK_INT(cudaGetDeviceFlags(&flags), cudaSuccess);
    CHECK_INT(cudaChooseDevice(&value, NULL), cudaSuccess);
    CHECK(flags == 0 && value == 0);
    CHECK_INT(cudaDeviceGetStreamPriorityRange(&least, &value), cudaSuccess);
    CHECK(least == 0 && value == -5);
    CHECK_INT(cuMemGetAccess(&access, &value, NULL), cudaSuccess);
    CHECK_U64(access, 3);
    CHECK_INT(cuDeviceGetUuid_v2(uuid, 0), cudaSuccess);
    CHECK_STR(str_from(uuid), "clclab");
    CHECK_INT(cuDeviceGetUuid_v2(uuid, 1), cudaErrorInvalidDevice);
    CHECK_INT(cuFuncIsLoaded(&value, NULL), cudaSuccess);
    CHECK_INT(value, 1);
}

// ---- pools -----------------------------------------------------------------

TEST(pools_are_what_is_set_of_them) {
    enum { FOLLOWS = 1, INTERNAL = 3, THRESHOLD, USED_HIGH = 8 };
    cudaMemPool_t usual = NULL, pool = NULL, got = NULL;
    uint64_t wide = UINT64_C(0x1234567890), read = 0;
    int narrow = 9, pair[2] = {7, 7};
    CHECK_INT(cudaDeviceGetDefaultMemPool(&usual, 0), cudaSuccess);
    CHECK_INT(cudaDeviceGetMemPool(&got, 0), cudaSuccess);
    CHECK(usual && got == usual);
    CHECK_INT(cudaMemPoolCreate(&pool, pair), cudaSuccess);
    CHECK_INT(cudaMemPoolCreate(&pool, NULL), BAD);
    CHECK(pool && pool != usual);
    CHECK_INT(cudaDeviceSetMemPool(0, pool), cudaSuccess);
    CHECK_INT(cudaDeviceGetMemPool(&got, 0), cudaSuccess);
    CHECK(got == pool);
    CHECK_INT(cudaDeviceGetDefaultMemPool(&got, 0), cudaSuccess);
    CHECK(got == usual);
    CHECK_INT(cudaMemPoolGetAttribute(pool, FOLLOWS, &narrow), cudaSuccess);
    CHECK_INT(narrow, 1);
    narrow = 5;
    CHECK_INT(cudaMemPoolSetAttribute(pool, INTERNAL, &narrow), cudaSuccess);
    CHECK_INT(cudaMemPoolGetAttribute(pool, INTERNAL, pair), cudaSuccess);
    CHECK(pair[0] == 5 && pair[1] == 7);
    CHECK_INT(cudaMemPoolSetAttribute(pool, THRESHOLD, &wide), cudaSuccess);
    CHECK_INT(cudaMemPoolGetAttribute(pool, THRESHOLD, &read), cudaSuccess);
    CHECK_U64(read, wide);
    CHECK_INT(cudaMemPoolGetAttribute(usual, THRESHOLD, &read), cudaSuccess);
    CHECK_U64(read, 0);
    CHECK_INT(cudaMemPoolGetAttribute(pool, USED_HIGH, &read), cudaSuccess);
    CHECK_INT(cudaMemPoolGetAttribute(pool, USED_HIGH + 1, &read), BAD);
    CHECK_INT(cudaMemPoolGetAttribute(pool, 0, &read), BAD);
    CHECK_INT(cudaMemPoolGetAttribute(NULL, FOLLOWS, &read), BAD);
    CHECK_INT(cudaMemPoolSetAttribute(pool, 0, &wide), BAD);
    CHECK_INT(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
    CHECK_INT(cudaMemPoolTrimTo(NULL, 0), BAD);
    CHECK_INT(cudaMemPoolDestroy(usual), BAD);
    CHECK_INT(cudaMemPoolDestroy(NULL), BAD);
    CHECK_INT(cudaMemPoolDestroy(pool), cudaSuccess);
    CHECK_INT(cudaDeviceGetMemPool(&got, 0), cudaSuccess);
    CHECK(got == usual);
    CHECK_INT(cudaDeviceSetMemPool(0, NULL), BAD);
    CHECK_INT(cudaDeviceSetMemPool(1, pool), cudaErrorInvalidDevice);
    CHECK_INT(cudaDeviceGetMemPool(&got, 1), cudaErrorInvalidDevice);
    CHECK_INT(cudaDeviceGetDefaultMemPool(&got, 1), cudaErrorInvalidDevice);
}

// ---- virtual memory --------------------------------------------------------

enum { GRANULE = 2 << 20 };

typedef struct VirtualProperties { // CUmemAllocationProp
    int type, handles, location[2];
    void *security;
    uint8_t flags[8];
} VirtualProperties;

typedef struct VirtualAccess { // CUmemAccessDesc
    int location[2], flags;
} VirtualAccess;

static const VirtualProperties ON_DEVICE = {.type = 1, .location = {1, 0}};
static const VirtualAccess OPEN = {{1, 0}, 3}, CLOSED = {{1, 0}, 0};

static char *reserve(size_t granules) {
    void *address = NULL;
    CHECK_INT(cuMemAddressReserve(&address, granules * GRANULE, 0, NULL, 0),
              cudaSuccess);
    return address;
}

static void *create(size_t granules) {
    void *memory = NULL;
    CHECK_INT(cuMemCreate(&memory, granules * GRANULE, &ON_DEVICE, 0),
              cudaSuccess);
    return memory;
}

TEST(memory_is_mapped_where_addresses_are_reserved) {
    Program p = program_begin();
    char *address = reserve(3);
    void *memory = create(2);
    size_t bytes = 0;
    CHECK_INT(cuMemGetAllocationGranularity(&bytes, &ON_DEVICE, 0),
              cudaSuccess);
    CHECK_U64(bytes, GRANULE);
    CHECK_INT(cudaMemset(address, 1, 4), BAD);
    CHECK_INT(cuMemMap(address, GRANULE, 0, memory, 0), cudaSuccess);
    CHECK_INT(cudaMemset(address, 1, 4), BAD); // it may not be accessed
    CHECK_INT(cuMemSetAccess(address, GRANULE, &OPEN, 1), cudaSuccess);
    CHECK_INT(cudaMemset(address, 1, 4), cudaSuccess);
    CHECK_INT(cudaMemset(address + GRANULE, 1, 4), BAD);
    program_add(&p, address, 1, 1);
    CHECK_U64(program_word(address, 0), 0x01010102);
    CHECK_INT(cuMemMap(address + GRANULE, GRANULE, 0, memory, 0), cudaSuccess);
    CHECK_INT(cuMemSetAccess(address, 2 * GRANULE, &OPEN, 1), cudaSuccess);
    CHECK_U64(program_word(address + GRANULE, 0), 0x01010102); // the same
    CHECK_INT(cuMemSetAccess(address + GRANULE, GRANULE, &CLOSED, 1),
              cudaSuccess);
    CHECK_INT(cudaMemset(address + GRANULE, 1, 4), BAD);
    CHECK_INT(cuMemUnmap(address, GRANULE), cudaSuccess);
    CHECK_INT(cudaMemset(address, 1, 4), BAD);
    CHECK_INT(cuMemMap(address, GRANULE, 0, memory, 0), cudaSuccess);
    CHECK_INT(cuMemSetAccess(address, GRANULE, &OPEN, 1), cudaSuccess);
    CHECK_U64(program_word(address, 0), 0x01010102); // it stays what it was
    arena_free(&p.arena);
}

TEST(memory_is_mapped_in_whole_granules_once) {
    char *address = reserve(3), *plain = NULL;
    void *memory = create(2), *none = NULL;
    cudaMalloc((void **)&plain, 2 * GRANULE);
    CHECK_INT(cuMemMap(address, 1000, 0, memory, 0), BAD);
    CHECK_INT(cuMemMap(address + 8, GRANULE, 0, memory, 0), BAD);
    CHECK_INT(cuMemMap(address, 0, 0, memory, 0), BAD);
    CHECK_INT(cuMemMap(address, GRANULE, 0, NULL, 0), BAD);
    CHECK_INT(cuMemMap(address, GRANULE, 0, memory, 1), BAD);
    CHECK_INT(cuMemMap(plain, GRANULE, 0, memory, 0), BAD);
    CHECK_INT(cuMemMap(address, 3 * GRANULE, 0, memory, 0), BAD);
    CHECK_INT(cuMemMap(address, 2 * GRANULE, GRANULE, memory, 0), BAD);
    CHECK_INT(cuMemMap(address, GRANULE, 3 * GRANULE, memory, 0), BAD);
    CHECK_INT(cuMemMap(address + 2 * GRANULE, 2 * GRANULE, 0, memory, 0), BAD);
    CHECK_INT(cuMemMap(address, 2 * GRANULE, 0, memory, 0), cudaSuccess);
    CHECK_INT(cuMemMap(address + GRANULE, GRANULE, 0, memory, 0), BAD);
    CHECK_INT(cuMemMap(address + 2 * GRANULE, GRANULE, GRANULE, memory, 0),
              cudaSuccess);
    CHECK_INT(cuMemUnmap(address, GRANULE), BAD); // a part of what is mapped
    CHECK_INT(cuMemSetAccess(address, GRANULE, &OPEN, 1), BAD);
    CHECK_INT(cuMemSetAccess(address, 2 * GRANULE, NULL, 1), BAD);
    CHECK_INT(cuMemSetAccess(address, 2 * GRANULE, &OPEN, 0), BAD);
    CHECK_INT(cuMemAddressFree(address, 3 * GRANULE), BAD);
    CHECK_INT(cuMemUnmap(address, 3 * GRANULE), cudaSuccess);
    CHECK_INT(cuMemUnmap(address, 3 * GRANULE), BAD);
    CHECK_INT(cuMemAddressFree(address, 2 * GRANULE), BAD);
    CHECK_INT(cuMemAddressFree(address + GRANULE, 2 * GRANULE), BAD);
    CHECK_INT(cuMemAddressFree(address, 3 * GRANULE), cudaSuccess);
    CHECK_INT(cuMemAddressFree(address, 3 * GRANULE), BAD);
    CHECK_INT(cuMemRelease(memory), cudaSuccess);
    CHECK_INT(cuMemRelease(memory), BAD);
    CHECK_INT(cuMemRelease(NULL), BAD);
    CHECK_INT(cuMemMap(reserve(1), GRANULE, 0, memory, 0), BAD);
    CHECK_INT(cuMemAddressReserve((void **)&address, 1000, 0, NULL, 0), BAD);
    CHECK_INT(cuMemCreate(&none, 1000, &ON_DEVICE, 0), BAD);
    CHECK_INT(cuMemCreate(&none, GRANULE, NULL, 0), BAD);
    CHECK_INT(cuMemCreate(&none, GRANULE, &ON_DEVICE, 1), BAD);
    const VirtualProperties elsewhere = {.type = 1, .location = {1, 1}};
    CHECK_INT(cuMemCreate(&none, GRANULE, &elsewhere, 0), BAD);
}

// Kernels and copies reach to the end of what may be accessed last.
TEST(a_hole_is_within_reach) {
    char *address = reserve(3);
    void *memory = create(1);
    cuMemMap(address + 2 * GRANULE, GRANULE, 0, memory, 0);
    cuMemSetAccess(address + 2 * GRANULE, GRANULE, &OPEN, 1);
    CHECK_U64(program_word(address, 0), 0);
    CHECK_INT(cudaMemset(address + 3 * GRANULE - 4, 1, 4), cudaSuccess);
    CHECK_INT(cudaMemset(address + 3 * GRANULE - 4, 1, 5), BAD);
    CHECK_INT(cuMemUnmap(address + 2 * GRANULE, GRANULE), cudaSuccess);
    CHECK_INT(cudaMemset(address, 1, 4), BAD);
}

// ---- linking ---------------------------------------------------------------

enum { LINK_CUBIN, LINK_PTX };

TEST(parts_are_linked_while_the_program_runs) {
    Program p = program_begin();
    static char first[] = ".version 8.7\n.target sm_100a\n.address_size 64\n"
                          ".extern .func (.param .b32 r) six ();\n"
                          ".visible .entry k(.param .u64 to) {\n"
                          ".reg .u64 %l0; .reg .u32 %r0; .param .b32 r;\n"
                          "ld.param.u64 %l0, [to]; call.uni (r), six, ();\n"
                          "ld.param.b32 %r0, [r];\n"
                          "st.global.u32 [%l0], %r0; ret; }\n",
                second[] = ".version 8.7\n.target sm_100a\n.address_size 64\n"
                           ".visible .func (.param .b32 r) six () {\n"
                           "st.param.b32 [r], 6; ret; }\n";
    void *linked = NULL, *memory = NULL, *args[] = {&memory};
    const void *image = NULL;
    size_t size = 0;
    CUmodule module;
    CUfunction kernel;
    CHECK_INT(cuLinkCreate_v2(0, NULL, NULL, &linked), cudaSuccess);
    CHECK_INT(cuLinkAddData_v2(linked, LINK_PTX, first, sizeof first, "a", 0,
                               NULL, NULL),
              cudaSuccess);
    CHECK_INT(cuLinkAddData_v2(linked, LINK_PTX, second, sizeof second - 1, "b",
                               0, NULL, NULL),
              cudaSuccess);
    CHECK_INT(cuLinkAddData_v2(linked, LINK_CUBIN, second, sizeof second, "c",
                               0, NULL, NULL),
              cudaErrorNoKernelImageForDevice);
    CHECK_INT(cuLinkComplete(linked, &image, &size), cudaSuccess);
    CHECK(image && size > sizeof first + sizeof second);
    CHECK_INT(cuModuleLoadData(&module, image), cudaSuccess);
    CHECK_INT(cuLinkDestroy(linked), cudaSuccess);
    CHECK_INT(cuModuleGetFunction(&kernel, module, "k"), cudaSuccess);
    cudaMalloc(&memory, 4);
    CHECK_INT(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args,
                               0, NULL),
              cudaSuccess);
    CHECK_U64(program_word(memory, 0), 6);
    arena_free(&p.arena);
}

TEST_MAIN(TESTCASE(there_is_one_device), TESTCASE(the_device_has_properties),
          TESTCASE(the_device_is_the_one_asked_for),
          TESTCASE(the_device_has_attributes), TESTCASE(limits_are_kept),
          TESTCASE(errors_have_names),
          TESTCASE(the_device_is_no_peer_of_its_own),
          TESTCASE(the_properties_of_cuda_12_have_another_layout),
          TESTCASE(there_is_one_context),
          TESTCASE(pools_are_what_is_set_of_them),
          TESTCASE(memory_is_mapped_where_addresses_are_reserved),
          TESTCASE(memory_is_mapped_in_whole_granules_once),
          TESTCASE(a_hole_is_within_reach),
          TESTCASE(parts_are_linked_while_the_program_runs))
