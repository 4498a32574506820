// SPDX-License-Identifier: Apache-2.0
// The driver's API, as far as it is no other name of a function of the
// runtime's (driver.functions). Handles are the runtime's own; there is one
// context. The numbers of errors are the same but for a few.
#include "runtime/core/launch.h"
#include "runtime/core/memory.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"
#include "runtime/core/stream.h"

#include <dlfcn.h>
#include <string.h>

typedef struct DriverContext DriverContext; // never looked into

static DriverContext *const THE_CONTEXT = (DriverContext *)(uintptr_t)1;

// ---- the device and its context ------------------------------------------

API CudaError cuDeviceGet(int *device, int ordinal) {
    if (!device)
        return runtime_refuse("cuDeviceGet");
    *device = 0;
    return ordinal == 0 ? CUDA_OK : CUDA_DEVICE;
}

CudaError cudaGetDeviceProperties(CudaProperties *properties, int device);

API CudaError cuDeviceGetName(char *name, int length, int device) {
    CudaProperties p;
    CudaError error = cudaGetDeviceProperties(&p, device);
    if (!error)
        str_fill(name, (size_t)length, str_from(p.name));
    return error;
}

API CudaError cuDeviceTotalMem_v2(size_t *bytes, int device) {
    CudaProperties p;
    CudaError error = cudaGetDeviceProperties(&p, device);
    if (!error)
        *bytes = p.global_bytes;
    return error;
}

API CudaError cuDeviceComputeCapability(int *major, int *minor, int device) {
    CudaProperties p;
    CudaError error = cudaGetDeviceProperties(&p, device);
    if (!error) {
        *major = p.major;
        *minor = p.minor;
    }
    return error;
}

API CudaError cuDeviceGetUuid_v2(char uuid[16], int device) {
    CudaProperties p;
    CudaError error = cudaGetDeviceProperties(&p, device);
    if (!error)
        memcpy(uuid, p.uuid, sizeof p.uuid);
    return error;
}

static CudaError give_context(DriverContext **context) {
    *context = THE_CONTEXT;
    return CUDA_OK;
}

API CudaError cuCtxCreate_v2(DriverContext **context, uint32_t flags,
                             int device) {
    if (!context)
        return runtime_refuse("cuCtxCreate");
    (void)flags, (void)device;
    return give_context(context);
}

API CudaError cuCtxCreate_v4(DriverContext **context, void *parameters,
                             uint32_t flags, int device) {
    if (!context)
        return runtime_refuse("cuCtxCreate");
    (void)parameters, (void)flags, (void)device;
    return give_context(context);
}

API CudaError cuDevicePrimaryCtxRetain(DriverContext **context, int device) {
    (void)device;
    return give_context(context);
}

CudaError cudaDeviceReset(void);

API CudaError cuDevicePrimaryCtxReset_v2(int device) {
    return device ? CUDA_DEVICE : cudaDeviceReset();
}

API CudaError cuDevicePrimaryCtxGetState(int device, uint32_t *flags,
                                         int *active) {
    (void)device;
    *flags = 0;
    *active = 1;
    return CUDA_OK;
}

API CudaError cuCtxGetCurrent(DriverContext **context) {
    return give_context(context);
}

API CudaError cuStreamGetCtx(CudaStream *stream, DriverContext **context) {
    (void)stream;
    return give_context(context);
}

API CudaError cuStreamGetCtx_v2(CudaStream *stream, DriverContext **context,
                                void **green) {
    if (green)
        *green = NULL;
    return cuStreamGetCtx(stream, context);
}

API CudaError cuCtxPopCurrent_v2(DriverContext **context) {
    return context ? give_context(context) : CUDA_OK;
}

API CudaError cuCtxGetDevice(int *device) {
    *device = 0;
    return CUDA_OK;
}

API CudaError cuCtxGetApiVersion(DriverContext *context, uint32_t *version) {
    (void)context;
    *version = CUDA_VERSION;
    return CUDA_OK;
}

API CudaError cuCtxGetFlags(uint32_t *flags) {
    *flags = 0;
    return CUDA_OK;
}

// NVIDIA's libraries ask for tables that nobody else knows, and do without.
API CudaError cudaGetExportTable(const void **table, const void *id) {
    (void)id;
    *table = NULL;
    return CUDA_NOT_FOUND;
}

// Of the table that NVIDIA's own runtime asks for.
static const uint8_t RUNTIMES_TABLE[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4,
                                           0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39,
                                           0x12, 0xfd, 0x9d, 0xf9};

// That runtime does not do without: all its calls fail. It is linked into the
// program, or into a library that a script has loaded.
API CudaError cuGetExportTable(const void **table, const void *id) {
    Runtime *r = runtime_enter();
    if (id && memcmp(id, RUNTIMES_TABLE, sizeof RUNTIMES_TABLE) == 0 &&
        !r->has_begun && r->totals.launches == 0)
        runtime_message(
            r, DIAG_ERROR,
            "The program, or a library of it, has CUDA's runtime linked into "
            "it, which needs a driver and a GPU.",
            "Build it with clclab nvcc, or with nvcc -cudart shared.");
    runtime_exit(r);
    return cudaGetExportTable(table, id);
}

// ---- modules -------------------------------------------------------------

static CudaError load_data(Runtime *r, Module **module, const void *image) {
    if (!module || !image)
        return CUDA_VALUE;
    *module = module_add(r, image);
    return module_load(r, *module);
}

API CudaError cuModuleLoadData(Module **module, const void *image) {
    DRIVER_RETURN("cuModuleLoadData", load_data(r, module, image));
}

// The numbers of those options (CUjit_option) that are for texts: what the
// compiler says. The size of a buffer becomes that of its text.
typedef enum JitOption {
    JIT_INFO = 3,
    JIT_INFO_SIZE,
    JIT_ERRORS,
    JIT_ERRORS_SIZE,
} JitOption;

static void **value_of(uint32_t count, const int *options, void **values,
                       JitOption option) {
    for (uint32_t i = 0; i < count && options && values; i++)
        if (options[i] == (int)option)
            return &values[i];
    return NULL;
}

static void fill_log(void **buffer, void **size, Str text) {
    size_t room = buffer && *buffer && size ? (uint32_t)(uintptr_t)*size : 0;
    if (room == 0)
        return;
    str_fill(*buffer, room, text);
    *size = (void *)(uintptr_t)(text.len < room ? text.len : room - 1);
}

static CudaError load_with_log(Runtime *r, Module **module, const void *image,
                               uint32_t count, const int *options,
                               void **values) {
    r->why = (Str){0};
    CudaError error = load_data(r, module, image);
    fill_log(value_of(count, options, values, JIT_INFO),
             value_of(count, options, values, JIT_INFO_SIZE), (Str){0});
    fill_log(value_of(count, options, values, JIT_ERRORS),
             value_of(count, options, values, JIT_ERRORS_SIZE), r->why);
    return error;
}

API CudaError cuModuleLoadDataEx(Module **module, const void *image,
                                 uint32_t count, int *options, void **values) {
    DRIVER_RETURN("cuModuleLoadDataEx",
                  load_with_log(r, module, image, count, options, values));
}

API CudaError cuModuleLoadFatBinary(Module **module, const void *image) {
    DRIVER_RETURN("cuModuleLoadFatBinary", load_data(r, module, image));
}

API CudaError cuModuleLoad(Module **module, const char *path) {
    if (!module || !path)
        return runtime_refuse("cuModuleLoad");
    DRIVER_RETURN("cuModuleLoad", module_read(r, module, path));
}

API CudaError cuLibraryLoadData(Module **module, const void *image,
                                int *options, void **values, uint32_t count,
                                int *library_options, void **library_values,
                                uint32_t library_count) {
    (void)library_options, (void)library_values, (void)library_count;
    DRIVER_RETURN("cuLibraryLoadData",
                  load_with_log(r, module, image, count, options, values));
}

static CudaError unload(Module *module) {
    module->is_dead = true;
    return CUDA_OK;
}

API CudaError cuModuleUnload(Module *module) {
    if (!module)
        return runtime_refuse("cuModuleUnload");
    DRIVER_RETURN("cuModuleUnload", unload(module));
}

API CudaError cuLibraryUnload(Module *module) {
    DRIVER_RETURN("cuLibraryUnload", unload(module));
}

static CudaError get_function(Runtime *r, CudaKernel **kernel, Module *module,
                              const char *name) {
    *kernel = module_kernel_named(r, module, str_from(name));
    return *kernel ? CUDA_OK : CUDA_NOT_FOUND;
}

API CudaError cuModuleGetFunction(CudaKernel **kernel, Module *module,
                                  const char *name) {
    if (!kernel || !module || !name)
        return runtime_refuse("cuModuleGetFunction");
    DRIVER_RETURN("cuModuleGetFunction", get_function(r, kernel, module, name));
}

API CudaError cuLibraryGetKernel(CudaKernel **kernel, Module *module,
                                 const char *name) {
    DRIVER_RETURN("cuLibraryGetKernel", get_function(r, kernel, module, name));
}

API CudaError cuKernelGetFunction(CudaKernel **function, CudaKernel *kernel) {
    *function = kernel;
    return CUDA_OK;
}

static CudaError get_global(Runtime *r, void **address, size_t *bytes,
                            const Module *module, const char *name) {
    const PtxVar *var = ptx_find_var(module->ptx, str_from(name));
    VmVariable at;
    if (!var || !vm_variable(module->device, var, &at))
        return CUDA_NOT_FOUND;
    if (address)
        *address = memory_address(r, &r->slots[at.number]);
    if (bytes)
        *bytes = (size_t)at.size;
    return CUDA_OK;
}

API CudaError cuModuleGetGlobal_v2(void **address, size_t *bytes,
                                   Module *module, const char *name) {
    if (!module || !name)
        return runtime_refuse("cuModuleGetGlobal");
    DRIVER_RETURN("cuModuleGetGlobal",
                  get_global(r, address, bytes, module, name));
}

// ---- launches ------------------------------------------------------------

static CudaError launch(Runtime *r, CudaStream *stream, CudaKernel *kernel,
                        const LaunchShape *shape, void **args, void **extra) {
    void *unpacked[LAUNCH_MOST_ARGS];
    CudaError error = module_find_kernel(r, kernel, &kernel);
    if (!error && !args && extra) {
        args = unpacked;
        error = launch_unpack(kernel, extra, args);
    }
    return error ? error : stream_launch(r, stream, kernel, shape, args);
}

API CudaError cuLaunchKernel(CudaKernel *kernel, uint32_t grid_x,
                             uint32_t grid_y, uint32_t grid_z, uint32_t block_x,
                             uint32_t block_y, uint32_t block_z,
                             uint32_t dynamic_smem, CudaStream *stream,
                             void **args, void **extra) {
    LaunchShape shape = {.grid = {grid_x, grid_y, grid_z},
                         .block = {block_x, block_y, block_z},
                         .dynamic_smem = dynamic_smem};
    DRIVER_RETURN("cuLaunchKernel",
                  launch(r, stream, kernel, &shape, args, extra));
}

API CudaError cuLaunchCooperativeKernel(CudaKernel *kernel, uint32_t grid_x,
                                        uint32_t grid_y, uint32_t grid_z,
                                        uint32_t block_x, uint32_t block_y,
                                        uint32_t block_z, uint32_t dynamic_smem,
                                        CudaStream *stream, void **args) {
    LaunchShape shape = {.grid = {grid_x, grid_y, grid_z},
                         .block = {block_x, block_y, block_z},
                         .dynamic_smem = dynamic_smem,
                         .is_cooperative = true};
    DRIVER_RETURN("cuLaunchCooperativeKernel",
                  launch(r, stream, kernel, &shape, args, NULL));
}

API CudaError cuLaunchKernelEx(const DriverConfig *config, CudaKernel *kernel,
                               void **args, void **extra) {
    LaunchShape shape = {.grid = config->grid,
                         .block = config->block,
                         .dynamic_smem = config->dynamic_smem};
    for (uint32_t i = 0; i < config->attribute_count; i++)
        launch_take_attribute(&config->attributes[i], &shape);
    DRIVER_RETURN("cuLaunchKernelEx",
                  launch(r, config->stream, kernel, &shape, args, extra));
}

// ---- memory --------------------------------------------------------------

static CudaError do_now(Runtime *r, Op op) {
    return stream_do_now(r, &op);
}

static CudaError do_in(Runtime *r, CudaStream *stream, Op op) {
    return stream_do(r, stream, &op);
}

#define COPY(name, kind)                                                       \
    API CudaError name(void *to, const void *from, size_t count);              \
    CudaError name(void *to, const void *from, size_t count) {                 \
        DRIVER_RETURN(#name, do_now(r, op_copy_bytes(to, from, count, kind))); \
    }
#define COPY_ASYNC(name, kind)                                                 \
    API CudaError name(void *to, const void *from, size_t count,               \
                       CudaStream *stream);                                    \
    CudaError name(void *to, const void *from, size_t count,                   \
                   CudaStream *stream) {                                       \
        DRIVER_RETURN(#name,                                                   \
                      do_in(r, stream, op_copy_bytes(to, from, count, kind))); \
    }

COPY(cuMemcpy, COPY_DEFAULT)
COPY(cuMemcpyHtoD_v2, COPY_HOST_TO_DEVICE)
COPY(cuMemcpyDtoH_v2, COPY_DEVICE_TO_HOST)
COPY(cuMemcpyDtoD_v2, COPY_DEVICE_TO_DEVICE)
COPY_ASYNC(cuMemcpyAsync, COPY_DEFAULT)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, COPY_HOST_TO_DEVICE)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, COPY_DEVICE_TO_HOST)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, COPY_DEVICE_TO_DEVICE)

API CudaError cuMemcpyBatchAsync_v2(void *const *to, const void *const *from,
                                    const size_t *sizes, size_t count,
                                    const void *attributes, const size_t *of,
                                    size_t attribute_count,
                                    CudaStream *stream) {
    (void)attributes, (void)of, (void)attribute_count;
    CopyBatch batch = {to, from, sizes, count};
    DRIVER_RETURN("cuMemcpyBatchAsync", stream_copy_batch(r, stream, &batch));
}

// Rows of `count` values of `width` bytes.
static Op fill_rows(void *to, size_t pitch, uint32_t value, size_t width,
                    size_t count, size_t rows) {
    return (Op){.kind = OP_FILL,
                .fill = {{to, pitch, pitch * rows},
                         value,
                         (uint32_t)width,
                         {count, rows, 1}}};
}

static Op fill(void *to, uint32_t value, size_t width, size_t count) {
    return fill_rows(to, width * count, value, width, count, 1);
}

#define FILL(name, type)                                                       \
    API CudaError name(void *to, type value, size_t count);                    \
    CudaError name(void *to, type value, size_t count) {                       \
        DRIVER_RETURN(#name, do_now(r, fill(to, value, sizeof(type), count))); \
    }
#define FILL_ASYNC(name, type)                                                 \
    API CudaError name(void *to, type value, size_t count,                     \
                       CudaStream *stream);                                    \
    CudaError name(void *to, type value, size_t count, CudaStream *stream) {   \
        DRIVER_RETURN(#name,                                                   \
                      do_in(r, stream, fill(to, value, sizeof(type), count))); \
    }

#define FILL_ROWS(name, type)                                                  \
    API CudaError name(void *to, size_t pitch, type value, size_t width,       \
                       size_t rows);                                           \
    CudaError name(void *to, size_t pitch, type value, size_t width,           \
                   size_t rows) {                                              \
        DRIVER_RETURN(#name, do_now(r, fill_rows(to, pitch, value,             \
                                                 sizeof(type), width, rows))); \
    }
#define FILL_ROWS_ASYNC(name, type)                                          \
    API CudaError name(void *to, size_t pitch, type value, size_t width,     \
                       size_t rows, CudaStream *stream);                     \
    CudaError name(void *to, size_t pitch, type value, size_t width,         \
                   size_t rows, CudaStream *stream) {                        \
        DRIVER_RETURN(#name, do_in(r, stream,                                \
                                   fill_rows(to, pitch, value, sizeof(type), \
                                             width, rows)));                 \
    }

FILL_ROWS(cuMemsetD2D8_v2, uint8_t)
FILL_ROWS(cuMemsetD2D16_v2, uint16_t)
FILL_ROWS(cuMemsetD2D32_v2, uint32_t)
FILL_ROWS_ASYNC(cuMemsetD2D8Async, uint8_t)
FILL_ROWS_ASYNC(cuMemsetD2D16Async, uint16_t)
FILL_ROWS_ASYNC(cuMemsetD2D32Async, uint32_t)
FILL(cuMemsetD8_v2, uint8_t)
FILL(cuMemsetD16_v2, uint16_t)
FILL(cuMemsetD32_v2, uint32_t)
FILL_ASYNC(cuMemsetD8Async, uint8_t)
FILL_ASYNC(cuMemsetD16Async, uint16_t)
FILL_ASYNC(cuMemsetD32Async, uint32_t)

// ---- functions by name ---------------------------------------------------

// The newest form of the function that there is, as cuda.h chooses it.
static void *find_function(const char *name, int version) {
    static const char *const forms[] = {"_v4", "_v3", "_v2", ""};
    Dl_info self;
    Arena scratch = {0};
    void *found = NULL;
    if (!dladdr((void *)(uintptr_t)&find_function, &self))
        return NULL;
    void *library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    for (size_t i = version < CUDA_VERSION; i < COUNT_OF(forms) && !found; i++)
        found =
            dlsym(library, str_format(&scratch, "%s%s", name, forms[i]).ptr);
    dlclose(library);
    arena_free(&scratch);
    return found;
}

API CudaError cuGetProcAddress_v2(const char *name, void **function,
                                  int version, uint64_t flags, int *status) {
    enum { FOUND, NOT_FOUND };
    (void)flags;
    *function = find_function(name, version);
    if (status)
        *status = *function ? FOUND : NOT_FOUND;
    return *function ? CUDA_OK : CUDA_NOT_FOUND;
}

API CudaError cuGetProcAddress(const char *name, void **function, int version,
                               uint64_t flags) {
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

API CudaError cudaGetDriverEntryPointByVersion(const char *name,
                                               void **function,
                                               uint32_t version, uint64_t flags,
                                               int *status) {
    enum { FOUND, NOT_FOUND };
    (void)flags;
    *function = find_function(name, (int)version);
    if (status)
        *status = *function ? FOUND : NOT_FOUND;
    return CUDA_OK;
}

API CudaError cudaGetDriverEntryPoint(const char *name, void **function,
                                      uint64_t flags, int *status) {
    return cudaGetDriverEntryPointByVersion(name, function, CUDA_VERSION, flags,
                                            status);
}
