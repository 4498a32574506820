// SPDX-License-Identifier: Apache-2.0
// A driver without a GPU, for tests of what gpu/ does when a driver or a kernel
// misbehaves. options.h says how it is told what to do. Device memory is the
// heap's; a launch does nothing to it but what "apply" and "corrupt" say, so
// that no result of it can be taken for a kernel's.
//
// What a real driver would refuse (memory that was not allocated, no context,
// an image that is none) is refused here too. The state below is the library's,
// one for a process, as a driver's is.
#include "gpu/driver.h"
#include "tests/fakecuda/effects.h"
#include "tests/fakecuda/options.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Each function as the table of gpu/driver.h has it, or this does not compile.
#define FAKE_DECLARE(name, symbol, parameters) CUresult symbol parameters;
DRIVER_FUNCTIONS(FAKE_DECLARE)
#undef FAKE_DECLARE

typedef enum Call {
#define FAKE_CALL(name, symbol, parameters) CALL_##symbol,
    DRIVER_FUNCTIONS(FAKE_CALL)
#undef FAKE_CALL
        CALL_COUNT
} Call;

enum {
    MAX_BLOCKS = 4096,
    MAX_EVENTS = 1024,
    MAX_STREAMS = 16,
    MAX_SYMBOLS = 16,
    SYMBOL_BYTES = 256,
    SHARED_BYTES = 227 << 10, // that a block may have
    BLOCKS_OF_SM = 32,        // at most
};

typedef struct Symbol { // a variable of the module
    char name[64];
    char bytes[SYMBOL_BYTES];
} Symbol;

static struct {
    long calls[CALL_COUNT];
    bool ready, has_context, is_current, has_faulted;
    bool never_ends;   // the kernel that was launched last,
    CUstream busy;     // on this stream
    double busy_until; // clock milliseconds
    double device_ms;  // spent by kernels: the clock of events
    FakeBlock blocks[MAX_BLOCKS];
    size_t block_count;
    double events[MAX_EVENTS]; // device_ms when they were recorded
    size_t event_count;
    char streams[MAX_STREAMS]; // their addresses alone mean something
    size_t stream_count;
    Symbol symbols[MAX_SYMBOLS];
    size_t symbol_count;
    char function[64]; // the name of the one that was asked for last
} fake;

static const char *const CALL_NAMES[] = {
#define FAKE_NAME(name, symbol, parameters) #symbol,
    DRIVER_FUNCTIONS(FAKE_NAME)
#undef FAKE_NAME
};

// ---- misbehaving ---------------------------------------------------------

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void hang(void) {
    for (;;)
        pause();
}

static void append_to_log(const char *symbol) {
    char path[512], line[128];
    if (!option_text("log", path, sizeof path))
        return;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    int len = snprintf(line, sizeof line, "%s\n", symbol);
    ssize_t written = fd >= 0 ? write(fd, line, (size_t)len) : -1;
    (void)written; // a test that looks for the line will miss it
    if (fd >= 0)
        close(fd);
}

// What every call begins with: the error that it is to give.
static CUresult enter(Call call) {
    const char *symbol = CALL_NAMES[call];
    long number = ++fake.calls[call];
    append_to_log(symbol);
    if (option_is("hang", symbol))
        hang();
    if (option_is("crash", symbol)) {
        signal(SIGSEGV, SIG_DFL); // a sanitizer would make an exit code of it
        raise(SIGSEGV);
    }
    long code = option_for("exit", symbol, number);
    if (code)
        _exit((int)code);
    code = option_for("fail", symbol, number);
    return (CUresult)code;
}

// The same for calls that need an initialised driver; a fault stays.
static CUresult enter_ready(Call call) {
    CUresult result = enter(call);
    if (result == CUDA_SUCCESS && !fake.ready)
        result = CUDA_ERROR_NOT_INITIALIZED;
    if (result == CUDA_SUCCESS && fake.has_faulted)
        result = (CUresult)option_number("fault", CUDA_ERROR_UNKNOWN);
    return result;
}

static CUresult enter_context(Call call) {
    CUresult result = enter_ready(call);
    if (result == CUDA_SUCCESS && !fake.is_current)
        result = CUDA_ERROR_INVALID_CONTEXT;
    return result;
}

#define ENTER(how, symbol)                     \
    do {                                       \
        CUresult entered = how(CALL_##symbol); \
        if (entered != CUDA_SUCCESS)           \
            return entered;                    \
    } while (0)

static bool kernels_have_ended(void) {
    return !fake.never_ends && now_ms() >= fake.busy_until;
}

// The default stream waits for all others.
static bool stream_is_idle(CUstream stream) {
    return (stream && stream != fake.busy) || kernels_have_ended();
}

static void wait_for_kernels(void) {
    struct timespec step = {.tv_nsec = 1000000};
    while (!kernels_have_ended())
        nanosleep(&step, NULL);
}

// ---- the driver and the device -------------------------------------------

CUresult cuInit(unsigned int flags) {
    ENTER(enter, cuInit);
    if (option_number("devices", 1) < 1)
        return CUDA_ERROR_NO_DEVICE;
    fake.ready = flags == 0;
    return fake.ready ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int *version) {
    ENTER(enter, cuDriverGetVersion);
    *version = (int)option_number("driver", 13000);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
    ENTER(enter_ready, cuDeviceGetCount);
    *count = (int)option_number("devices", 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    ENTER(enter_ready, cuDeviceGet);
    if (ordinal < 0 || ordinal >= option_number("devices", 1))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int room, CUdevice device) {
    (void)device;
    ENTER(enter_ready, cuDeviceGetName);
    if (!option_text("name", name, (size_t)room))
        snprintf(name, (size_t)room, "Fake GPU");
    return CUDA_SUCCESS;
}

static int capability(int part) {
    char text[16];
    if (!option_text("cc", text, sizeof text))
        snprintf(text, sizeof text, "9.0");
    const char *dot = strchr(text, '.');
    return atoi(part == 0 || !dot ? text : dot + 1);
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
    (void)device;
    ENTER(enter_ready, cuDeviceGetAttribute);
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *value = 1000000;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = (int)option_number("sms", 132);
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
        *value = (int)option_number("watchdog", 0);
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *value = (int)option_number("mode", CU_COMPUTEMODE_DEFAULT);
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *value = 1000000;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        *value = 1024;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = capability(0);
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = capability(1);
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *value = SHARED_BYTES;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
        *value = (int)option_number("clusters", 1);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static size_t memory_bytes(void) {
    return (size_t)option_number("memory", 1024) << 20;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    (void)device;
    ENTER(enter_ready, cuDeviceTotalMem_v2);
    *bytes = memory_bytes();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    ENTER(enter_ready, cuDeviceGetUuid_v2);
    memset(uuid, 0xfa, sizeof *uuid);
    uint32_t own = (uint32_t)option_number("uuid", 0xfafafa00L + device);
    for (size_t i = 0; i < sizeof own; i++)
        uuid->bytes[15 - i] = (unsigned char)(own >> 8 * i);
    return CUDA_SUCCESS;
}

// ---- the context ---------------------------------------------------------

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    (void)device;
    ENTER(enter_ready, cuDevicePrimaryCtxRetain);
    if (option_number("mode", CU_COMPUTEMODE_DEFAULT) ==
        CU_COMPUTEMODE_PROHIBITED)
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    fake.has_context = true;
    *context = (CUcontext)&fake;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    (void)device;
    ENTER(enter, cuDevicePrimaryCtxRelease_v2);
    fake.has_context = fake.is_current = false;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    ENTER(enter_ready, cuCtxSetCurrent);
    if (context && (!fake.has_context || context != (CUcontext)&fake))
        return CUDA_ERROR_INVALID_CONTEXT;
    fake.is_current = context != NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
    ENTER(enter_context, cuCtxSynchronize);
    wait_for_kernels();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    ENTER(enter_context, cuCtxGetStreamPriorityRange);
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

// ---- modules -------------------------------------------------------------

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned int count, CUjit_option *options,
                            void **values) {
    (void)count, (void)options, (void)values;
    ENTER(enter_context, cuModuleLoadDataEx);
    if (memcmp(image, "\177ELF", 4) != 0 && !strstr(image, ".version"))
        return CUDA_ERROR_INVALID_IMAGE;
    fake.symbol_count = 0;
    *module = (CUmodule)&fake;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
    ENTER(enter_context, cuModuleGetFunction);
    if (module != (CUmodule)&fake || !*name)
        return CUDA_ERROR_NOT_FOUND;
    snprintf(fake.function, sizeof fake.function, "%s", name);
    *function = (CUfunction)&fake;
    return CUDA_SUCCESS;
}

static Symbol *find_symbol(const char *name) {
    for (size_t i = 0; i < fake.symbol_count; i++)
        if (strcmp(fake.symbols[i].name, name) == 0)
            return &fake.symbols[i];
    return NULL;
}

// Any name is a variable of 256 zeros, but the table, which has its own size.
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes,
                              CUmodule module, const char *name) {
    (void)module;
    ENTER(enter_context, cuModuleGetGlobal_v2);
    Symbol *symbol = find_symbol(name);
    if (!symbol && fake.symbol_count == MAX_SYMBOLS)
        return CUDA_ERROR_NOT_FOUND;
    if (!symbol) {
        symbol = &fake.symbols[fake.symbol_count++];
        memset(symbol, 0, sizeof *symbol);
        snprintf(symbol->name, sizeof symbol->name, "%s", name);
    }
    if (address)
        *address = (CUdeviceptr)symbol->bytes;
    if (bytes)
        *bytes = strcmp(name, "clclab_gpu") == 0 ? 64 : SYMBOL_BYTES;
    return CUDA_SUCCESS;
}

// ---- memory --------------------------------------------------------------

static bool within(const char *at, size_t bytes, const char *start,
                   size_t room) {
    return at >= start && bytes <= room && (size_t)(at - start) <= room - bytes;
}

// Whether the bytes lie in one allocation, or in one variable.
static bool is_device_memory(CUdeviceptr address, size_t bytes) {
    const char *at = (const char *)address;
    for (size_t i = 0; i < fake.block_count; i++)
        if (within(at, bytes, fake.blocks[i].at, fake.blocks[i].bytes))
            return true;
    for (size_t i = 0; i < fake.symbol_count; i++)
        if (within(at, bytes, fake.symbols[i].bytes, SYMBOL_BYTES))
            return true;
    return false;
}

static size_t bytes_in_use(void) {
    size_t sum = 0;
    for (size_t i = 0; i < fake.block_count; i++)
        sum += fake.blocks[i].bytes;
    return sum;
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
    ENTER(enter_context, cuMemGetInfo_v2);
    *total = memory_bytes();
    *available = *total - bytes_in_use();
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    ENTER(enter_context, cuMemAlloc_v2);
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > memory_bytes() - bytes_in_use() ||
        fake.block_count == MAX_BLOCKS)
        return CUDA_ERROR_OUT_OF_MEMORY;
    size_t rounded = (bytes + 255) / 256 * 256;
    FakeBlock block = {aligned_alloc(256, rounded), bytes};
    if (!block.at)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(block.at, 0xa5, bytes); // as it happens to be
    fake.blocks[fake.block_count++] = block;
    *address = (CUdeviceptr)block.at;
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    ENTER(enter_context, cuMemFree_v2);
    for (size_t i = 0; i < fake.block_count; i++) {
        if ((CUdeviceptr)fake.blocks[i].at != address)
            continue;
        free(fake.blocks[i].at);
        fake.blocks[i] = fake.blocks[--fake.block_count];
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t bytes) {
    ENTER(enter_context, cuMemsetD8_v2);
    if (!is_device_memory(address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memset((void *)address, value, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    ENTER(enter_context, cuMemcpyHtoD_v2);
    if (!is_device_memory(to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy((void *)to, from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    ENTER(enter_context, cuMemcpyDtoH_v2);
    if (!is_device_memory(from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    wait_for_kernels();
    memcpy(to, (const void *)from, bytes);
    return CUDA_SUCCESS;
}

// On a stream of its own: it waits for no kernel.
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
    (void)stream;
    ENTER(enter_context, cuMemcpyHtoDAsync_v2);
    if (!is_device_memory(to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy((void *)to, from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
    (void)stream;
    ENTER(enter_context, cuMemcpyDtoHAsync_v2);
    if (!is_device_memory(from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(to, (const void *)from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
    (void)stream;
    ENTER(enter_context, cuMemcpyDtoDAsync_v2);
    if (!is_device_memory(from, bytes) || !is_device_memory(to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memmove((void *)to, (const void *)from, bytes);
    fake.device_ms += (double)option_number("copy_ms", 0);
    return CUDA_SUCCESS;
}

// ---- streams and events --------------------------------------------------

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags,
                                    int priority) {
    (void)flags, (void)priority;
    ENTER(enter_context, cuStreamCreateWithPriority);
    if (fake.stream_count == MAX_STREAMS)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *stream = (CUstream)&fake.streams[fake.stream_count++];
    return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
    ENTER(enter_context, cuStreamQuery);
    return stream_is_idle(stream) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamSynchronize(CUstream stream) {
    (void)stream;
    ENTER(enter_context, cuStreamSynchronize);
    wait_for_kernels();
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
    (void)stream;
    ENTER(enter_context, cuStreamDestroy_v2);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned int flags) {
    (void)flags;
    ENTER(enter_context, cuEventCreate);
    if (fake.event_count == MAX_EVENTS)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *event = (CUevent)&fake.events[fake.event_count++];
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
    (void)stream;
    ENTER(enter_context, cuEventRecord);
    memcpy(event, &fake.device_ms, sizeof fake.device_ms);
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
    (void)event;
    ENTER(enter_context, cuEventQuery);
    return kernels_have_ended() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
    (void)event;
    ENTER(enter_context, cuEventSynchronize);
    wait_for_kernels();
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
    ENTER(enter_context, cuEventElapsedTime);
    double start, end;
    memcpy(&start, from, sizeof start);
    memcpy(&end, to, sizeof end);
    *milliseconds = (float)(end - start);
    return kernels_have_ended() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

// ---- launches ------------------------------------------------------------

static FakeVariable find_variable(const char *name) {
    const Symbol *symbol = find_symbol(name);
    return symbol ? (FakeVariable){symbol->bytes, SYMBOL_BYTES}
                  : (FakeVariable){0};
}

// Milliseconds of the GPU's clock.
static double launch_takes(long delay) {
    const char *at = NULL;
    uint64_t launch, ms;
    while (option_pair("takes", &at, &launch, &ms))
        if (launch == (uint64_t)fake.calls[CALL_cuLaunchKernelEx])
            return (double)ms;
    return delay ? (double)delay : 1;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
    ENTER(enter_context, cuLaunchKernelEx);
    size_t threads =
        (size_t)config->blockDimX * config->blockDimY * config->blockDimZ;
    size_t cluster = fake_blocks_of_cluster(config);
    if (!function || fake_blocks_of_grid(config) == 0 || threads == 0 ||
        threads > 1024 || cluster == 0 || fake_blocks_of_grid(config) % cluster)
        return CUDA_ERROR_INVALID_VALUE;
    long delay = option_number("delay_ms", 0);
    fake.busy = config->hStream;
    fake.busy_until = now_ms() + (double)delay;
    fake.device_ms += launch_takes(delay);
    FakeLaunch launch = {
        .config = config,
        .parameters = parameters,
        .extra = extra,
        .blocks = fake.blocks,
        .block_count = fake.block_count,
        .is_memory = is_device_memory,
        .variable = find_variable,
    };
    if (strcmp(fake.function, "clclab_prologue") == 0 &&
        fake_apply_prologue(&launch))
        return CUDA_SUCCESS;
    if (option_is("refuse", "claims") && fake_has_old_claims(&launch))
        return CUDA_ERROR_LAUNCH_FAILED;
    fake.has_faulted = option_number("fault", 0) != 0;
    fake.never_ends = option_is("hang", "query");
    fake_apply(&launch);
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    if (blocking && strcmp(blocking, "1") == 0)
        wait_for_kernels();
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                     CUfunction function,
                                                     int threads,
                                                     size_t dynamic) {
    (void)function, (void)dynamic;
    ENTER(enter_context, cuOccupancyMaxActiveBlocksPerMultiprocessor);
    long fit = threads > 0 ? 2048 / threads : 0;
    *blocks =
        (int)option_number("fits", fit < BLOCKS_OF_SM ? fit : BLOCKS_OF_SM);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                      const CUlaunchConfig *config) {
    (void)function;
    ENTER(enter_context, cuOccupancyMaxActiveClusters);
    size_t sms = (size_t)option_number("sms", 132);
    size_t fits = (size_t)option_number("fits", 2);
    *clusters = (int)(fits * sms / fake_blocks_of_cluster(config));
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
    (void)function, (void)attribute;
    ENTER(enter_context, cuFuncSetAttribute);
    return value < 0 || value > SHARED_BYTES ? CUDA_ERROR_INVALID_VALUE
                                             : CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
    (void)function;
    ENTER(enter_context, cuFuncGetAttribute);
    bool threads = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    bool registers = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS;
    *value = threads ? 1024 : registers ? 32 : 0;
    return CUDA_SUCCESS;
}

// ---- names of errors -----------------------------------------------------

static const struct {
    CUresult error;
    const char *name, *text;
} ERRORS[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE",
     "no CUDA-capable device is detected"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

CUresult cuGetErrorName(CUresult error, const char **name) {
    for (size_t i = 0; i < COUNT_OF(ERRORS); i++)
        if (ERRORS[i].error == error) {
            *name = ERRORS[i].name;
            return CUDA_SUCCESS;
        }
    *name = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    for (size_t i = 0; i < COUNT_OF(ERRORS); i++)
        if (ERRORS[i].error == error) {
            *text = ERRORS[i].text;
            return CUDA_SUCCESS;
        }
    *text = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}
