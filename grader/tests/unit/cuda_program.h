// SPDX-License-Identifier: Apache-2.0
// A program that uses CUDA, as the tests of runtime/ need one: what the headers
// of its toolkit declare (CUDA 13), under the names that it has there, so that
// no toolkit is needed; some kernels, as PTX that the program loads; and what
// the library has told of it. The library is linked into the test, and each
// test, being a process of its own, is a program of its own.
//
// Read Program and its functions, at the end; the rest is for looking up.
#ifndef CLCLAB_CUDA_PROGRAM_H
#define CLCLAB_CUDA_PROGRAM_H

#include "runtime/core/journal.h"
#include "tests/unit/test.h"

#include <fcntl.h>

// ---- types of the toolkit --------------------------------------------------

enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidFilterSetting = 26,
    cudaErrorInvalidNormSetting = 27,
    cudaErrorMissingConfiguration = 52,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorUnsupportedLimit = 215,
    cudaErrorPeerAccessUnsupported = 217,
    cudaErrorInvalidPtx = 218,
    cudaErrorFileNotFound = 301,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorSymbolNotFound = 500,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorPeerAccessNotEnabled = 705,
    cudaErrorAssert = 710,
    cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotSupported = 801,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorStreamCaptureMerge = 902,
    cudaErrorStreamCaptureUnmatched = 903,
    cudaErrorStreamCaptureUnjoined = 904,
    cudaErrorStreamCaptureIsolation = 905,
    cudaErrorStreamCaptureImplicit = 906,
    cudaErrorCapturedEvent = 907,
    cudaErrorStreamCaptureWrongThread = 908,
    cudaErrorGraphExecUpdateFailure = 910,
    cudaErrorInvalidClusterSize = 912,
};

typedef int cudaError_t; // of the driver's functions, too
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct cudaArray *cudaArray_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef struct CUgraph_st *cudaGraph_t, *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct CUmemPool_st *cudaMemPool_t;

enum {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

typedef struct cudaExtent {
    size_t width, height, depth;
} cudaExtent;
typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;

typedef struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudaPitchedPtr;

typedef struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    int kind;
} cudaMemcpy3DParms;

typedef struct cudaPointerAttributes {
    int type, device;
    void *devicePointer, *hostPointer;
    long reserved[8];
} cudaPointerAttributes;

typedef struct cudaChannelFormatDesc {
    int x, y, z, w, f;
} cudaChannelFormatDesc;

typedef struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
    int clusterDimMustBeSet, requiredCluster[3], clusterPolicy,
        nonPortableClusterSizeAllowed;
    int reserved[16];
} cudaFuncAttributes;

typedef struct cudaLaunchAttribute {
    int id;
    char pad[4];
    union {
        char pad[64];
        dim3 clusterDim;
        int cooperative;
    } val;
} cudaLaunchAttribute;
enum {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
};

typedef struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

typedef struct cudaKernelNodeParams {
    const void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
} cudaKernelNodeParams;

typedef struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
} cudaMemsetParams;

typedef struct cudaHostNodeParams {
    void (*fn)(void *data);
    void *userData;
} cudaHostNodeParams;

typedef struct cudaMemAllocNodeParams {
    int poolProps[4];
    void *security;
    size_t most;
    char rest[56];
    const void *access;
    size_t accessCount, bytesize;
    void *dptr;
} cudaMemAllocNodeParams;

typedef struct cudaConditionalNodeParams {
    unsigned long long handle;
    int type;
    unsigned size;
    cudaGraph_t *phGraph_out;
    void *context;
} cudaConditionalNodeParams;

typedef struct cudaGraphNodeParams {
    int type, reserved[3];
    union {
        int64_t words[29];
        cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            cudaMemcpy3DParms copyParams;
        } memcpy;
        cudaMemsetParams memset;
        cudaHostNodeParams host;
        cudaGraph_t graph;
        cudaEvent_t event;
        cudaMemAllocNodeParams alloc;
        void *dptr;
        cudaConditionalNodeParams conditional;
    };
    int64_t reserved2;
} cudaGraphNodeParams;
enum { // of nodes
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree,
    cudaGraphNodeTypeConditional = 13,
};

typedef struct cudaGraphExecUpdateResultInfo {
    int result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

enum {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed,
};

// ---- functions of the toolkit that many tests call -------------------------

cudaError_t cuModuleLoadData(CUmodule *module, const void *image);
cudaError_t cuModuleGetFunction(CUfunction *kernel, CUmodule module,
                                const char *name);
cudaError_t cuModuleGetGlobal_v2(void **address, size_t *bytes, CUmodule module,
                                 const char *name);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                             void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaMalloc(void **address, size_t bytes);
cudaError_t cudaFree(void *address);
cudaError_t cudaMallocHost(void **address, size_t bytes);
cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned flags);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                            cudaStream_t stream);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
                            cudaStream_t stream);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *instance, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count);

// ---- the kernels -----------------------------------------------------------

static const char PROGRAM_PTX[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".visible .global .align 4 .u32 counter = 40;\n"
    ".visible .global .align 8 .b8 table[16];\n"
    ".global .align 1 .b8 format[4] = {37, 117, 10, 0};\n" // "%u\n"
    // to[its number in the grid] += value
    ".visible .entry add(.param .u64 to, .param .u32 value) {\n"
    ".reg .u64 %l<2>; .reg .u32 %r<5>;\n"
    "ld.param.u64 %l0, [to]; ld.param.u32 %r0, [value];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %l1, %r1, 4;\n"
    "add.u64 %l0, %l0, %l1; ld.global.u32 %r4, [%l0];\n"
    "add.u32 %r4, %r4, %r0; st.global.u32 [%l0], %r4; ret; }\n"
    // counter += 1
    ".visible .entry count() { .reg .u32 %r0;\n"
    "ld.global.u32 %r0, [counter]; add.u32 %r0, %r0, 1;\n"
    "st.global.u32 [counter], %r0; ret; }\n"
    // *to = 2, if it was not 0
    ".visible .entry decides(.param .u64 to) {\n"
    ".reg .u64 %l0; .reg .u32 %r0; .reg .pred %p0; ld.param.u64 %l0, [to];\n"
    "ld.global.u32 %r0, [%l0]; setp.eq.u32 %p0, %r0, 0;\n"
    "@%p0 bra end; st.global.u32 [%l0], 2; end: ret; }\n"
    // *to = its block's number, from 1: the last block's stays
    ".visible .entry exchanges(.param .u64 to) {\n"
    ".reg .u64 %l0; .reg .u32 %r<2>; ld.param.u64 %l0, [to];\n"
    "mov.u32 %r0, %ctaid.x; add.u32 %r0, %r0, 1;\n"
    "atom.global.exch.b32 %r1, [%l0], %r0; ret; }\n"
    // prints the value
    ".visible .entry says(.param .u32 value) {\n"
    ".local .align 8 .b8 pack[8];\n"
    ".reg .u64 %l<4>; .reg .u32 %r0; .param .b64 f; .param .b64 a;\n"
    ".param .b32 r; ld.param.u32 %r0, [value]; mov.u64 %l0, pack;\n"
    "st.local.u32 [%l0], %r0; cvta.local.u64 %l1, %l0;\n"
    "mov.u64 %l2, format; cvta.global.u64 %l3, %l2;\n"
    "st.param.b64 [f], %l3; st.param.b64 [a], %l1;\n"
    "call.uni (r), vprintf, (f, a); ret; }\n"
    ".visible .entry traps() { trap; }\n"
    ".visible .entry spins() { again: bra again; }\n"
    // counts to 2^30
    ".visible .entry lasts() { .reg .u32 %r0; .reg .pred %p0;\n"
    "mov.u32 %r0, 0; again: add.u32 %r0, %r0, 1;\n"
    "st.global.u32 [counter], %r0;\n"
    "setp.lt.u32 %p0, %r0, 1073741824; @%p0 bra again; ret; }\n"
    // *to = the bytes of dynamic shared memory; has 16 KiB of its own
    ".extern .shared .align 4 .b8 dynamic[];\n"
    ".visible .entry shares(.param .u64 to) {\n"
    ".shared .align 4 .b8 room[16384];\n"
    ".reg .u64 %l0; .reg .u32 %r<2>; ld.param.u64 %l0, [to];\n"
    "mov.u32 %r0, 1; st.shared.u32 [room + 16380], %r0;\n"
    "mov.u32 %r1, %dynamic_smem_size; st.global.u32 [%l0], %r1; ret; }\n"
    // *to = the blocks of its cluster
    ".visible .entry pair(.param .u64 to)\n.reqnctapercluster 2, 1, 1\n{\n"
    ".reg .u64 %l0; .reg .u32 %r0; ld.param.u64 %l0, [to];\n"
    "mov.u32 %r0, %cluster_nctarank; st.global.u32 [%l0], %r0; ret; }\n"
    ".visible .entry any(.param .u64 to) {\n"
    ".reg .u64 %l0; .reg .u32 %r0; ld.param.u64 %l0, [to];\n"
    "mov.u32 %r0, %cluster_nctarank; st.global.u32 [%l0], %r0; ret; }\n"
    ".visible .entry few()\n.maxntid 64, 1, 1\n{ ret; }\n"
    ".visible .entry exact()\n.reqntid 32, 2, 1\n{ ret; }\n"
    // to[0..2] = its parameters, which have gaps between them
    ".visible .entry mixed(.param .u8 a, .param .u64 to,\n"
    ".param .align 16 .b8 c[20], .param .u16 d) {\n"
    ".reg .u64 %l0; .reg .u32 %r<3>; .reg .u16 %h<2>;\n"
    "ld.param.u64 %l0, [to]; ld.param.u8 %h0, [a]; cvt.u32.u16 %r0, %h0;\n"
    "ld.param.u32 %r1, [c + 16]; ld.param.u16 %h1, [d];\n"
    "cvt.u32.u16 %r2, %h1; st.global.u32 [%l0], %r0;\n"
    "st.global.u32 [%l0 + 4], %r1; st.global.u32 [%l0 + 8], %r2; ret; }\n";

// ---- the program -----------------------------------------------------------

#ifdef __SANITIZE_ADDRESS__
// A program may end without destroying what it has made.
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0";
}
#endif

typedef struct Program {
    Arena arena;
    int journal; // what the library tells
    CUmodule module;
} Program;

// Variables of its environment that are to say something to the library must be
// set before.
static inline Program program_watched(void) {
    Program p = {.journal = memfd_create("journal", 0)};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", p.journal);
    setenv(JOURNAL_VARIABLE, path, 1);
    return p;
}

static inline void program_load(Program *p) {
    CHECK_INT(cuModuleLoadData(&p->module, PROGRAM_PTX), cudaSuccess);
}

static inline Program program_begin(void) {
    Program p = program_watched();
    program_load(&p);
    return p;
}

static inline CUfunction program_kernel(const Program *p, const char *name) {
    CUfunction kernel = NULL;
    CHECK_INT(cuModuleGetFunction(&kernel, p->module, name), cudaSuccess);
    return kernel;
}

// `threads` of one block.
static inline cudaError_t program_launch(const Program *p, const char *name,
                                         unsigned threads, void **args) {
    return cudaLaunchKernel(program_kernel(p, name), (dim3){1, 1, 1},
                            (dim3){threads, 1, 1}, args, 0, NULL);
}

// to[i] += value, for the first `count`; what may go wrong is checked.
static inline void program_add(const Program *p, void *to, unsigned count,
                               unsigned value) {
    void *args[] = {&to, &value};
    CHECK_INT(program_launch(p, "add", count, args), cudaSuccess);
}

// Memory of the device with these words.
static inline void *program_words(const uint32_t *words, size_t count) {
    void *memory = NULL;
    CHECK_INT(cudaMalloc(&memory, count * sizeof *words), cudaSuccess);
    CHECK_INT(cudaMemcpy(memory, words, count * sizeof *words,
                         cudaMemcpyHostToDevice),
              cudaSuccess);
    return memory;
}

static inline uint32_t program_word(const void *memory, size_t index) {
    uint32_t word = 0xdead;
    CHECK_INT(cudaMemcpy(&word, (const char *)memory + index * sizeof word,
                         sizeof word, cudaMemcpyDeviceToHost),
              cudaSuccess);
    return word;
}

// What the library has told up to now.
static inline ExecResult program_told(Program *p) {
    ExecResult result = {0};
    off_t size = lseek(p->journal, 0, SEEK_END);
    char *text = arena_new(&p->arena, char, (size_t)size + 1);
    CHECK_INT(pread(p->journal, text, (size_t)size, 0), size);
    journal_read(&p->arena, (Str){text, (size_t)size}, &result);
    return result;
}

#endif
