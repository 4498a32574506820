// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver API that is used. A child process loads it from
// libcuda: it is not needed to build, and the parent never calls it. Types and
// numbers are those of NVIDIA's cuda.h, which is not included because a machine
// may have a driver but no toolkit.
#ifndef CLCLAB_GPU_DRIVER_H
#define CLCLAB_GPU_DRIVER_H

#include "base/base.h"

// ---- types ---------------------------------------------------------------

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef uint64_t CUdeviceptr; // of the device's memory

typedef struct CUuuid {
    unsigned char bytes[16];
} CUuuid;

// The driver may return any other number too: driver_error gives its name.
typedef enum CUresult {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_SYSTEM_NOT_READY = 802,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
    CUDA_ERROR_UNKNOWN = 999,
} CUresult;

typedef enum CUdevice_attribute {
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, // kHz
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,            // a CUcomputemode
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,       // kHz
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37, // bits
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97, // bytes
    CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
} CUdevice_attribute;

typedef enum CUcomputemode {
    CU_COMPUTEMODE_DEFAULT = 0,
    CU_COMPUTEMODE_PROHIBITED = 2,
    CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3,
} CUcomputemode;

typedef enum CUfunction_attribute {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1, // static
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,  // of a thread
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,          // of a thread
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
} CUfunction_attribute;

typedef enum CUjit_option {
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
} CUjit_option;

enum { CU_STREAM_NON_BLOCKING = 1 };

typedef enum CUlaunchAttributeID {
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
    CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
} CUlaunchAttributeID;

typedef union CUlaunchAttributeValue {
    char pad[64];
    struct {
        unsigned int x, y, z; // in blocks
    } clusterDim;
    int priority;
} CUlaunchAttributeValue;

typedef struct CUlaunchAttribute {
    CUlaunchAttributeID id;
    char pad[8 - sizeof(CUlaunchAttributeID)];
    CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
    unsigned int gridDimX, gridDimY, gridDimZ;    // in blocks
    unsigned int blockDimX, blockDimY, blockDimZ; // in threads
    unsigned int sharedMemBytes;                  // dynamic
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned int numAttrs;
} CUlaunchConfig;

// ---- functions -----------------------------------------------------------

// X(name, symbol, parameters): the function that cuda.h calls `name` is
// exported as `symbol`.
#define DRIVER_FUNCTIONS(X)                                                  \
    X(cuInit, cuInit, (unsigned int flags))                                  \
    X(cuDriverGetVersion, cuDriverGetVersion, (int *version))                \
    X(cuDeviceGetCount, cuDeviceGetCount, (int *count))                      \
    X(cuDeviceGet, cuDeviceGet, (CUdevice * device, int ordinal))            \
    X(cuDeviceGetName, cuDeviceGetName,                                      \
      (char *name, int room, CUdevice device))                               \
    X(cuDeviceGetAttribute, cuDeviceGetAttribute,                            \
      (int *value, CUdevice_attribute attribute, CUdevice device))           \
    X(cuDeviceTotalMem, cuDeviceTotalMem_v2,                                 \
      (size_t * bytes, CUdevice device))                                     \
    X(cuDeviceGetUuid, cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device)) \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                    \
      (CUcontext * context, CUdevice device))                                \
    X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2,               \
      (CUdevice device))                                                     \
    X(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                 \
    X(cuCtxSynchronize, cuCtxSynchronize, (void))                            \
    X(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange,              \
      (int *least, int *greatest))                                           \
    X(cuModuleLoadDataEx, cuModuleLoadDataEx,                                \
      (CUmodule * module, const void *image, unsigned int count,             \
       CUjit_option *options, void **values))                                \
    X(cuModuleGetFunction, cuModuleGetFunction,                              \
      (CUfunction * function, CUmodule module, const char *name))            \
    X(cuModuleGetGlobal, cuModuleGetGlobal_v2,                               \
      (CUdeviceptr * address, size_t * bytes, CUmodule module,               \
       const char *name))                                                    \
    X(cuMemGetInfo, cuMemGetInfo_v2, (size_t * available, size_t * total))   \
    X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))      \
    X(cuMemFree, cuMemFree_v2, (CUdeviceptr address))                        \
    X(cuMemsetD8, cuMemsetD8_v2,                                             \
      (CUdeviceptr address, unsigned char value, size_t bytes))              \
    X(cuMemcpyHtoD, cuMemcpyHtoD_v2,                                         \
      (CUdeviceptr to, const void *from, size_t bytes))                      \
    X(cuMemcpyDtoH, cuMemcpyDtoH_v2,                                         \
      (void *to, CUdeviceptr from, size_t bytes))                            \
    X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                               \
      (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))     \
    X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                               \
      (void *to, CUdeviceptr from, size_t bytes, CUstream stream))           \
    X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                               \
      (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))     \
    X(cuStreamCreateWithPriority, cuStreamCreateWithPriority,                \
      (CUstream * stream, unsigned int flags, int priority))                 \
    X(cuStreamQuery, cuStreamQuery, (CUstream stream))                       \
    X(cuStreamSynchronize, cuStreamSynchronize, (CUstream stream))           \
    X(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream))                \
    X(cuEventCreate, cuEventCreate, (CUevent * event, unsigned int flags))   \
    X(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream))        \
    X(cuEventQuery, cuEventQuery, (CUevent event))                           \
    X(cuEventSynchronize, cuEventSynchronize, (CUevent event))               \
    X(cuEventElapsedTime, cuEventElapsedTime,                                \
      (float *milliseconds, CUevent from, CUevent to))                       \
    X(cuLaunchKernelEx, cuLaunchKernelEx,                                    \
      (const CUlaunchConfig *config, CUfunction function, void **parameters, \
       void **extra))                                                        \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                           \
      cuOccupancyMaxActiveBlocksPerMultiprocessor,                           \
      (int *blocks, CUfunction function, int threads, size_t dynamic))       \
    X(cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters,            \
      (int *clusters, CUfunction function, const CUlaunchConfig *config))    \
    X(cuFuncSetAttribute, cuFuncSetAttribute,                                \
      (CUfunction function, CUfunction_attribute attribute, int value))      \
    X(cuFuncGetAttribute, cuFuncGetAttribute,                                \
      (int *value, CUfunction_attribute attribute, CUfunction function))     \
    X(cuGetErrorName, cuGetErrorName, (CUresult error, const char **name))   \
    X(cuGetErrorString, cuGetErrorString, (CUresult error, const char **text))

typedef struct Driver {
#define DRIVER_FIELD(name, symbol, parameters) CUresult(*name) parameters;
    DRIVER_FUNCTIONS(DRIVER_FIELD)
#undef DRIVER_FIELD
} Driver;

// The library to load: CLCLAB_LIBCUDA, or the driver's usual name.
const char *driver_library(void);

typedef enum DriverLoad {
    DRIVER_LOADED,
    DRIVER_MISSING, // there is no such library
    DRIVER_TOO_OLD, // it lacks a function of the table
} DriverLoad;

// Loads the library for the rest of the process's life, without calling it.
// Every result but DRIVER_LOADED comes with a Diag.
DriverLoad driver_load(Driver *driver, Diags *diags);

// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"
Str driver_error(Arena *arena, const Driver *driver, CUresult error);

#endif
