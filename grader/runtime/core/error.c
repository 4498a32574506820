// SPDX-License-Identifier: Apache-2.0
// The errors' names, of the runtime and of the driver, and what they say: first
// those that this library returns (cuda.h), then all others, which programs may
// ask for too.
#include "runtime/core/error.h"

// clang-format off
static const ErrorText ERRORS[] = {
#define ERROR_ROW(id, value, name, driver, says) {value, name, driver, says},
    CUDA_ERRORS(ERROR_ROW)
#undef ERROR_ROW
    {4, "cudaErrorCudartUnloading", "CUDA_ERROR_DEINITIALIZED", "CUDA runtime unloading"},
    {5, "cudaErrorProfilerDisabled", "CUDA_ERROR_PROFILER_DISABLED", "profiler disabled"},
    {6, "cudaErrorProfilerNotInitialized", "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "profiler not initialized"},
    {7, "cudaErrorProfilerAlreadyStarted", "CUDA_ERROR_PROFILER_ALREADY_STARTED", "profiler already started"},
    {8, "cudaErrorProfilerAlreadyStopped", "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "profiler already stopped"},
    {16, "cudaErrorInvalidHostPointer", NULL, "invalid host pointer"},
    {17, "cudaErrorInvalidDevicePointer", NULL, "invalid device pointer"},
    {18, "cudaErrorInvalidTexture", NULL, "invalid texture"},
    {19, "cudaErrorInvalidTextureBinding", NULL, "invalid texture binding"},
    {20, "cudaErrorInvalidChannelDescriptor", NULL, "invalid channel descriptor"},
    {22, "cudaErrorAddressOfConstant", NULL, "address of constant"},
    {23, "cudaErrorTextureFetchFailed", NULL, "texture fetch failed"},
    {24, "cudaErrorTextureNotBound", NULL, "texture not bound"},
    {25, "cudaErrorSynchronizationError", NULL, "synchronization error"},
    {28, "cudaErrorMixedDeviceExecution", NULL, "mixed device execution"},
    {31, "cudaErrorNotYetImplemented", NULL, "not yet implemented"},
    {32, "cudaErrorMemoryValueTooLarge", NULL, "memory value too large"},
    {34, "cudaErrorStubLibrary", "CUDA_ERROR_STUB_LIBRARY", "stub library"},
    {35, "cudaErrorInsufficientDriver", NULL, "insufficient driver"},
    {36, "cudaErrorCallRequiresNewerDriver", "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "call requires newer driver"},
    {37, "cudaErrorInvalidSurface", NULL, "invalid surface"},
    {43, "cudaErrorDuplicateVariableName", NULL, "duplicate variable name"},
    {44, "cudaErrorDuplicateTextureName", NULL, "duplicate texture name"},
    {45, "cudaErrorDuplicateSurfaceName", NULL, "duplicate surface name"},
    {46, "cudaErrorDevicesUnavailable", "CUDA_ERROR_DEVICE_UNAVAILABLE", "devices unavailable"},
    {49, "cudaErrorIncompatibleDriverContext", NULL, "incompatible driver context"},
    {53, "cudaErrorPriorLaunchFailure", NULL, "prior launch failure"},
    {65, "cudaErrorLaunchMaxDepthExceeded", NULL, "launch max depth exceeded"},
    {66, "cudaErrorLaunchFileScopedTex", NULL, "launch file scoped texture"},
    {67, "cudaErrorLaunchFileScopedSurf", NULL, "launch file scoped surface"},
    {68, "cudaErrorSyncDepthExceeded", NULL, "sync depth exceeded"},
    {69, "cudaErrorLaunchPendingCountExceeded", NULL, "launch pending count exceeded"},
    {102, "cudaErrorDeviceNotLicensed", "CUDA_ERROR_DEVICE_NOT_LICENSED", "device not licensed"},
    {103, "cudaErrorSoftwareValidityNotEstablished", NULL, "software validity not established"},
    {127, "cudaErrorStartupFailure", NULL, "startup failure"},
    {205, "cudaErrorMapBufferObjectFailed", "CUDA_ERROR_MAP_FAILED", "map buffer object failed"},
    {206, "cudaErrorUnmapBufferObjectFailed", "CUDA_ERROR_UNMAP_FAILED", "unmap buffer object failed"},
    {207, "cudaErrorArrayIsMapped", "CUDA_ERROR_ARRAY_IS_MAPPED", "array is mapped"},
    {208, "cudaErrorAlreadyMapped", "CUDA_ERROR_ALREADY_MAPPED", "already mapped"},
    {210, "cudaErrorAlreadyAcquired", "CUDA_ERROR_ALREADY_ACQUIRED", "already acquired"},
    {211, "cudaErrorNotMapped", "CUDA_ERROR_NOT_MAPPED", "not mapped"},
    {212, "cudaErrorNotMappedAsArray", "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "not mapped as array"},
    {213, "cudaErrorNotMappedAsPointer", "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "not mapped as pointer"},
    {214, "cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error"},
    {216, "cudaErrorDeviceAlreadyInUse", "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "device already in use"},
    {219, "cudaErrorInvalidGraphicsContext", "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "invalid graphics context"},
    {220, "cudaErrorNvlinkUncorrectable", "CUDA_ERROR_NVLINK_UNCORRECTABLE", "uncorrectable NVLink error"},
    {221, "cudaErrorJitCompilerNotFound", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "JIT compiler not found"},
    {222, "cudaErrorUnsupportedPtxVersion", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "unsupported PTX version"},
    {223, "cudaErrorJitCompilationDisabled", "CUDA_ERROR_JIT_COMPILATION_DISABLED", "JIT compilation disabled"},
    {224, "cudaErrorUnsupportedExecAffinity", "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "unsupported execution affinity"},
    {225, "cudaErrorUnsupportedDevSideSync", "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "unsupported device-side synchronization"},
    {226, "cudaErrorContained", "CUDA_ERROR_CONTAINED", "a fault that was contained"},
    {300, "cudaErrorInvalidSource", "CUDA_ERROR_INVALID_SOURCE", "invalid source"},
    {302, "cudaErrorSharedObjectSymbolNotFound", "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "shared object symbol not found"},
    {303, "cudaErrorSharedObjectInitFailed", "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "shared object init failed"},
    {304, "cudaErrorOperatingSystem", "CUDA_ERROR_OPERATING_SYSTEM", "operating system call failed"},
    {401, "cudaErrorIllegalState", "CUDA_ERROR_ILLEGAL_STATE", "illegal state"},
    {402, "cudaErrorLossyQuery", "CUDA_ERROR_LOSSY_QUERY", "lossy query"},
    {703, "cudaErrorLaunchIncompatibleTexturing", "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "launch incompatible texturing"},
    {708, "cudaErrorSetOnActiveProcess", "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "set on active process"},
    {709, "cudaErrorContextIsDestroyed", "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {711, "cudaErrorTooManyPeers", "CUDA_ERROR_TOO_MANY_PEERS", "too many peers"},
    {714, "cudaErrorHardwareStackError", "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    {717, "cudaErrorInvalidAddressSpace", "CUDA_ERROR_INVALID_ADDRESS_SPACE", "invalid address space"},
    {718, "cudaErrorInvalidPc", "CUDA_ERROR_INVALID_PC", "invalid program counter"},
    {721, "cudaErrorTensorMemoryLeak", "CUDA_ERROR_TENSOR_MEMORY_LEAK", "tensor memory leak"},
    {800, "cudaErrorNotPermitted", "CUDA_ERROR_NOT_PERMITTED", "not permitted"},
    {802, "cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY", "system not ready"},
    {803, "cudaErrorSystemDriverMismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system driver mismatch"},
    {804, "cudaErrorCompatNotSupportedOnDevice", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "compatibility mode not supported on device"},
    {805, "cudaErrorMpsConnectionFailed", "CUDA_ERROR_MPS_CONNECTION_FAILED", "MPS connection failed"},
    {806, "cudaErrorMpsRpcFailure", "CUDA_ERROR_MPS_RPC_FAILURE", "MPS RPC failure"},
    {807, "cudaErrorMpsServerNotReady", "CUDA_ERROR_MPS_SERVER_NOT_READY", "MPS server not ready"},
    {808, "cudaErrorMpsMaxClientsReached", "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "MPS max clients reached"},
    {809, "cudaErrorMpsMaxConnectionsReached", "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "MPS max connections reached"},
    {810, "cudaErrorMpsClientTerminated", "CUDA_ERROR_MPS_CLIENT_TERMINATED", "MPS client terminated"},
    {811, "cudaErrorCdpNotSupported", "CUDA_ERROR_CDP_NOT_SUPPORTED", "CDP not supported"},
    {812, "cudaErrorCdpVersionMismatch", "CUDA_ERROR_CDP_VERSION_MISMATCH", "CDP version mismatch"},
    {909, "cudaErrorTimeout", "CUDA_ERROR_TIMEOUT", "timeout"},
    {911, "cudaErrorExternalDevice", "CUDA_ERROR_EXTERNAL_DEVICE", "error of an external device"},
    {913, "cudaErrorFunctionNotLoaded", "CUDA_ERROR_FUNCTION_NOT_LOADED", "function not loaded"},
    {914, "cudaErrorInvalidResourceType", "CUDA_ERROR_INVALID_RESOURCE_TYPE", "invalid resource type"},
    {915, "cudaErrorInvalidResourceConfiguration", "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "invalid resource configuration"},
};
// clang-format on

const ErrorText *runtime_error_text(CudaError error) {
    for (size_t i = 0; i < COUNT_OF(ERRORS); i++)
        if (ERRORS[i].value == (uint32_t)error)
            return &ERRORS[i];
    return NULL;
}

const char *runtime_error_name(CudaError error) {
    const ErrorText *text = runtime_error_text(error);
    return text ? text->name : "unrecognized error code";
}

// Some errors of the runtime's the driver has not.
CudaError runtime_driver_error(CudaError error) {
    switch (error) {
    case CUDA_CONFIGURATION:
    case CUDA_PITCH:
    case CUDA_SYMBOL:
    case CUDA_DIRECTION:
    case CUDA_FILTER:
    case CUDA_NORM:
    case CUDA_FUNCTION:
        return CUDA_VALUE;
    default:
        return error;
    }
}
