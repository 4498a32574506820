// SPDX-License-Identifier: Apache-2.0
// The types of NVIDIA's runtime API as a program passes them (CUDA 13), under
// names of our own: the library is built without a CUDA toolkit. Their layout
// is a part of the program's binary.
#ifndef CLCLAB_RUNTIME_CUDA_H
#define CLCLAB_RUNTIME_CUDA_H

#include "base/base.h"

// What a program sees of the library is only what this stands before.
#define API __attribute__((visibility("default")))

enum {
    CUDA_VERSION = 13000,
    CUDA_12_VERSION = 12080,
    // Of the virtual machine: its clock and its timer, in ns, count the same.
    CUDA_CLOCK_KHZ = 1000000,
};

// X(ID, value, "cudaError...", the driver's name or NULL, "what it says")
// clang-format off
#define CUDA_ERRORS(X) \
    X(OK, 0, "cudaSuccess", "CUDA_SUCCESS", "no error") \
    X(VALUE, 1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument") \
    X(MEMORY, 2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory") \
    X(INITIALIZATION, 3, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED", "initialization error") \
    X(CONFIGURATION, 9, "cudaErrorInvalidConfiguration", NULL, "invalid configuration argument") \
    X(PITCH, 12, "cudaErrorInvalidPitchValue", NULL, "invalid pitch argument") \
    X(SYMBOL, 13, "cudaErrorInvalidSymbol", NULL, "invalid device symbol") \
    X(DIRECTION, 21, "cudaErrorInvalidMemcpyDirection", NULL, "invalid copy direction for memcpy") \
    X(FILTER, 26, "cudaErrorInvalidFilterSetting", NULL, "linear filtering not supported for non-float type") \
    X(NORM, 27, "cudaErrorInvalidNormSetting", NULL, "read as normalized float not supported for 32-bit non float type") \
    X(MISSING_CONFIGURATION, 52, "cudaErrorMissingConfiguration", NULL, "__global__ function call is not configured") \
    X(FUNCTION, 98, "cudaErrorInvalidDeviceFunction", NULL, "invalid device function") \
    X(NO_DEVICE, 100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected") \
    X(DEVICE, 101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal") \
    X(IMAGE, 200, "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid") \
    X(NO_CONTEXT, 201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT", "invalid device context") \
    X(NO_IMAGE, 209, "cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device") \
    X(NO_LIMIT, 215, "cudaErrorUnsupportedLimit", "CUDA_ERROR_UNSUPPORTED_LIMIT", "limit is not supported on this architecture") \
    X(NO_PEERS, 217, "cudaErrorPeerAccessUnsupported", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices") \
    X(PTX, 218, "cudaErrorInvalidPtx", "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed") \
    X(NO_FILE, 301, "cudaErrorFileNotFound", "CUDA_ERROR_FILE_NOT_FOUND", "file not found") \
    X(HANDLE, 400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle") \
    X(NOT_FOUND, 500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found") \
    X(NOT_READY, 600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready") \
    X(ADDRESS, 700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered") \
    X(RESOURCES, 701, "cudaErrorLaunchOutOfResources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch") \
    X(TIMEOUT, 702, "cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated") \
    X(PEER_ENABLED, 704, "cudaErrorPeerAccessAlreadyEnabled", "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled") \
    X(PEER_NOT_ENABLED, 705, "cudaErrorPeerAccessNotEnabled", "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled") \
    X(ASSERT, 710, "cudaErrorAssert", "CUDA_ERROR_ASSERT", "device-side assert triggered") \
    X(REGISTERED, 712, "cudaErrorHostMemoryAlreadyRegistered", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the requested memory range is already mapped") \
    X(NOT_REGISTERED, 713, "cudaErrorHostMemoryNotRegistered", "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "pointer does not correspond to a registered memory region") \
    X(INSTRUCTION, 715, "cudaErrorIllegalInstruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered") \
    X(MISALIGNED, 716, "cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address") \
    X(LAUNCH, 719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure") \
    X(COOPERATIVE, 720, "cudaErrorCooperativeLaunchTooLarge", "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch") \
    X(NOT_SUPPORTED, 801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported") \
    X(CAPTURE_UNSUPPORTED, 900, "cudaErrorStreamCaptureUnsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing") \
    X(CAPTURE_INVALIDATED, 901, "cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture") \
    X(CAPTURE_MERGE, 902, "cudaErrorStreamCaptureMerge", "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences") \
    X(CAPTURE_UNMATCHED, 903, "cudaErrorStreamCaptureUnmatched", "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began") \
    X(CAPTURE_UNJOINED, 904, "cudaErrorStreamCaptureUnjoined", "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work") \
    X(CAPTURE_ISOLATION, 905, "cudaErrorStreamCaptureIsolation", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream") \
    X(CAPTURE_IMPLICIT, 906, "cudaErrorStreamCaptureImplicit", "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing blocking stream") \
    X(CAPTURED_EVENT, 907, "cudaErrorCapturedEvent", "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream") \
    X(CAPTURE_THREAD_ERROR, 908, "cudaErrorStreamCaptureWrongThread", "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "attempt to terminate a thread-local capture sequence from another thread") \
    X(GRAPH_UPDATE, 910, "cudaErrorGraphExecUpdateFailure", "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
    X(CLUSTER, 912, "cudaErrorInvalidClusterSize", "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration") \
    X(UNKNOWN, 999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error")
// clang-format on

typedef enum CudaError {
#define CUDA_ERROR_ENUM(id, value, name, driver, says) CUDA_##id = value,
    CUDA_ERRORS(CUDA_ERROR_ENUM)
#undef CUDA_ERROR_ENUM
} CudaError;

typedef struct CudaDim3 {
    uint32_t x, y, z;
} CudaDim3;

typedef enum CudaCopy {
    COPY_HOST_TO_HOST,
    COPY_HOST_TO_DEVICE,
    COPY_DEVICE_TO_HOST,
    COPY_DEVICE_TO_DEVICE,
    COPY_DEFAULT,
} CudaCopy;

typedef struct CudaStream CudaStream;
typedef struct CudaEvent CudaEvent;
typedef struct CudaKernel CudaKernel;
typedef struct CudaPool CudaPool;

typedef struct CudaPitched {
    void *ptr;
    size_t pitch, width, height; // bytes, bytes, rows
} CudaPitched;

typedef struct CudaExtent {
    size_t width, height, depth;
} CudaExtent;

typedef struct CudaCopy3D {
    struct CudaArray *from_array;
    CudaExtent from_at; // x, y, z
    CudaPitched from;
    struct CudaArray *to_array;
    CudaExtent to_at;
    CudaPitched to;
    CudaExtent extent;
    CudaCopy kind;
} CudaCopy3D;

typedef struct CudaFuncAttributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_ca;
    int max_dynamic_shared, carveout;
    int needs_cluster, cluster[3], cluster_policy, large_cluster;
    int reserved[16];
} CudaFuncAttributes;

typedef enum CudaMemoryType {
    MEMORY_UNREGISTERED,
    MEMORY_HOST,
    MEMORY_DEVICE,
    MEMORY_MANAGED,
} CudaMemoryType;

typedef struct CudaPointerAttributes {
    CudaMemoryType type;
    int device;
    void *device_pointer, *host_pointer;
    long reserved[8];
} CudaPointerAttributes;

typedef enum CudaLaunchAttributeId {
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_CLUSTER = 4,
    ATTRIBUTE_PREFERRED_CLUSTER = 11,
} CudaLaunchAttributeId;

typedef struct CudaLaunchAttribute {
    int id; // CudaLaunchAttributeId, or another that changes no result
    char pad[4];
    union {
        char bytes[64];
        CudaDim3 cluster;
        int cooperative;
    } value;
} CudaLaunchAttribute;

typedef struct CudaLaunchConfig {
    CudaDim3 grid, block;
    size_t dynamic_smem;
    CudaStream *stream;
    CudaLaunchAttribute *attributes;
    uint32_t attribute_count;
} CudaLaunchConfig;

// CUlaunchConfig.
typedef struct DriverConfig {
    CudaDim3 grid, block;
    uint32_t dynamic_smem;
    CudaStream *stream;
    CudaLaunchAttribute *attributes;
    uint32_t attribute_count;
} DriverConfig;

typedef void CudaHostFunction(void *data);
typedef void CudaStreamCallback(CudaStream *stream, CudaError status,
                                void *data);

typedef struct CudaPoolProperties {
    int type, handles, location[2];
    void *security;
    size_t most; // bytes; 0: no limit
    uint8_t rest[56];
} CudaPoolProperties;

// cudaDeviceProp. Fields that are not named are 0.
typedef struct CudaProperties {
    char name[256];
    char uuid[16], luid[8];
    uint32_t luid_mask;
    size_t global_bytes, shared_per_block;
    int registers_per_block, warp_size;
    size_t most_pitch;
    int threads_per_block, block_size[3], grid_size[3];
    size_t constant_bytes;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int sm_count, integrated, can_map_host_memory;
    int textures[39];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci[3], tcc, async_engines;
    int unified_addressing, bus_width, l2_bytes, persisting_l2_bytes;
    int threads_per_sm, stream_priorities, global_l1, local_l1;
    size_t shared_per_sm;
    int registers_per_sm, managed, multi_gpu, multi_gpu_group;
    int host_atomics, pageable_access, concurrent_managed, preemption;
    int registered_pointers, cooperative;
    size_t shared_per_block_optin;
    int host_page_tables, direct_managed, blocks_per_sm, window_bytes;
    size_t reserved_shared;
    int host_register, sparse_arrays, host_register_read_only;
    int timeline_semaphores, memory_pools, rdma;
    uint32_t rdma_flush;
    int rdma_order;
    uint32_t pool_handles;
    int deferred_arrays, ipc_events, cluster_launch, function_pointers;
    int numa_config, numa_id, mps, host_numa_id;
    uint32_t pci_device, pci_subsystem;
    int host_numa_ipc;
    int reserved[56];
} CudaProperties;

#endif
