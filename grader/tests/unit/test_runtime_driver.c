// SPDX-License-Identifier: Apache-2.0
// runtime/: the driver's functions that describe the same things as the
// runtime's in other structs: arrays, copies, textures, nodes of graphs. What
// they make is asked for by the runtime's functions.
#include "tests/unit/cuda_graphs.h"

typedef unsigned long long Handle;

typedef struct CUDA_ARRAY_DESCRIPTOR {
    size_t Width, Height;
    int Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

enum { IN_HOST = 1, IN_DEVICE, IN_ARRAY, IN_BOTH }; // CUmemorytype

typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost, *srcDevice;
    cudaArray_t srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost, *dstDevice;
    cudaArray_t dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost, *srcDevice;
    cudaArray_t srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost, *dstDevice;
    cudaArray_t dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_RESOURCE_DESC {
    int resType;
    union {
        cudaArray_t array;
        cudaMipmappedArray_t mipmap;
        struct {
            void *devPtr;
            int format;
            unsigned numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            int format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;
enum { OF_ARRAY, OF_MIPMAP, OF_LINEAR, OF_PITCH2D };

typedef struct CUDA_TEXTURE_DESC {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    float borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

typedef struct cudaTextureDesc {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;

cudaError_t cuArrayCreate_v2(cudaArray_t *array,
                             const CUDA_ARRAY_DESCRIPTOR *given);
cudaError_t cuArray3DCreate_v2(cudaArray_t *array,
                               const CUDA_ARRAY3D_DESCRIPTOR *given);
cudaError_t cuArrayDestroy(cudaArray_t array);
cudaError_t cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out,
                                    cudaArray_t array);
cudaError_t cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out,
                                      cudaArray_t array);
cudaError_t cuMipmappedArrayCreate(cudaMipmappedArray_t *mipmap,
                                   const CUDA_ARRAY3D_DESCRIPTOR *given,
                                   unsigned levels);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent,
                             unsigned *flags, cudaArray_t array);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array,
                                       cudaMipmappedArray_t mipmap,
                                       unsigned level);
cudaError_t cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy);
cudaError_t cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy);
cudaError_t cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, cudaStream_t stream);
cudaError_t cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy);
cudaError_t cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, cudaStream_t stream);
cudaError_t cuMemcpyHtoA_v2(cudaArray_t to, size_t at, const void *from,
                            size_t bytes);
cudaError_t cuMemcpyAtoH_v2(void *to, cudaArray_t from, size_t at,
                            size_t bytes);
cudaError_t cuMemcpyHtoAAsync_v2(cudaArray_t to, size_t at, const void *from,
                                 size_t bytes, cudaStream_t stream);
cudaError_t cuMemcpyAtoHAsync_v2(void *to, cudaArray_t from, size_t at,
                                 size_t bytes, cudaStream_t stream);
cudaError_t cuMemcpyDtoA_v2(cudaArray_t to, size_t at, const void *from,
                            size_t bytes);
cudaError_t cuMemcpyAtoD_v2(void *to, cudaArray_t from, size_t at,
                            size_t bytes);
cudaError_t cuMemcpyAtoA_v2(cudaArray_t to, size_t to_at, cudaArray_t from,
                            size_t from_at, size_t bytes);
cudaError_t cuTexObjectCreate(Handle *handle, const CUDA_RESOURCE_DESC *from,
                              const CUDA_TEXTURE_DESC *texture,
                              const void *view);
cudaError_t cuSurfObjectCreate(Handle *handle, const CUDA_RESOURCE_DESC *from);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out,
                                            Handle handle);
cudaError_t cuGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 Needs needs, size_t count,
                                 const CUDA_MEMCPY3D *copy, void *context);
cudaError_t cuGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                       const CUDA_MEMCPY3D *copy);
cudaError_t cuGraphExecMemcpyNodeSetParams(cudaGraphExec_t instance,
                                           cudaGraphNode_t node,
                                           const CUDA_MEMCPY3D *copy,
                                           void *context);
cudaError_t cuGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                              Needs needs, const void *edges, size_t count,
                              void *params);
cudaError_t cuGraphExecNodeSetParams(cudaGraphExec_t instance,
                                     cudaGraphNode_t node, const void *params);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node,
                                           cudaGraph_t graph, Needs needs,
                                           size_t count, const void *symbol,
                                           const void *from, size_t bytes,
                                           size_t offset, int kind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node,
                                             cudaGraph_t graph, Needs needs,
                                             size_t count, void *to,
                                             const void *symbol, size_t bytes,
                                             size_t offset, int kind);
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                 const void *symbol,
                                                 const void *from, size_t bytes,
                                                 size_t offset, int kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t instance, cudaGraphNode_t node, const void *symbol,
    const void *from, size_t bytes, size_t offset, int kind);
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
                                                   void *to, const void *symbol,
                                                   size_t bytes, size_t offset,
                                                   int kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t instance, cudaGraphNode_t node, void *to,
    const void *symbol, size_t bytes, size_t offset, int kind);
void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaRegisterVar(void **handle, const void *host, char *device,
                       const char *name, int ext, size_t size, int constant,
                       int global);

enum {
    UINT8 = 1,
    UINT16,
    UINT32,
    INT8 = 8,
    INT16,
    INT32,
    HALF = 16,
    FLOAT = 32
};

// ---- arrays ----------------------------------------------------------------

TEST(the_driver_makes_arrays_of_each_format) {
    static const struct {
        int format, bits, kind;
    } rows[] = {{UINT8, 8, 1}, {UINT16, 16, 1}, {UINT32, 32, 1},
                {INT8, 8, 0},  {INT16, 16, 0},  {INT32, 32, 0},
                {HALF, 16, 2}, {FLOAT, 32, 2}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cudaArray_t array = NULL;
        cudaChannelFormatDesc desc;
        cudaExtent extent;
        CUDA_ARRAY_DESCRIPTOR given = {5, 3, rows[i].format, 2}, got = {0};
        CHECK_INT(cuArrayCreate_v2(&array, &given), cudaSuccess);
        CHECK_INT(cudaArrayGetInfo(&desc, &extent, NULL, array), cudaSuccess);
        CHECK(desc.x == rows[i].bits && desc.y == rows[i].bits && desc.z == 0);
        CHECK_INT(desc.f, rows[i].kind);
        CHECK(extent.width == 5 && extent.height == 3 && extent.depth == 0);
        CHECK_INT(cuArrayGetDescriptor_v2(&got, array), cudaSuccess);
        CHECK(got.Width == 5 && got.Height == 3 && got.NumChannels == 2);
        CHECK_INT(got.Format, rows[i].format);
    }
}

TEST(the_driver_makes_arrays_of_planes) {
    cudaArray_t array = NULL;
    unsigned flags = 0;
    CUDA_ARRAY3D_DESCRIPTOR given = {4, 4, 6, FLOAT, 4, 1}, got = {0};
    CUDA_ARRAY_DESCRIPTOR flat;
    CHECK_INT(cuArray3DCreate_v2(&array, &given), cudaSuccess);
    CHECK_INT(cudaArrayGetInfo(NULL, NULL, &flags, array), cudaSuccess);
    CHECK_INT(flags, 1);
    CHECK_INT(cuArray3DGetDescriptor_v2(&got, array), cudaSuccess);
    CHECK(got.Depth == 6 && got.NumChannels == 4 && got.Flags == 1 &&
          got.Format == FLOAT);
    CHECK_INT(cuArrayDestroy(array), cudaSuccess);
    CHECK_INT(cuArrayDestroy(array), cudaErrorInvalidResourceHandle);
    CHECK_INT(cuArrayDestroy(NULL), cudaErrorInvalidResourceHandle);
    CHECK_INT(cuArray3DGetDescriptor_v2(&got, array),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cuArrayGetDescriptor_v2(&flat, array),
              cudaErrorInvalidResourceHandle);
    given.NumChannels = 0;
    CHECK_INT(cuArray3DCreate_v2(&array, &given), BAD);
    given.NumChannels = 5;
    CHECK_INT(cuArray3DCreate_v2(&array, &given), BAD);
    given.NumChannels = 3;
    CHECK_INT(cuArray3DCreate_v2(&array, &given), BAD);
    given.NumChannels = 1;
    given.Format = 4;
    CHECK_INT(cuArray3DCreate_v2(&array, &given), cudaErrorNotSupported);
    cudaMipmappedArray_t mipmap;
    CHECK_INT(cuMipmappedArrayCreate(&mipmap, &given, 2),
              cudaErrorNotSupported);
    given.Format = UINT8;
    CHECK_INT(cuMipmappedArrayCreate(&mipmap, &given, 2), cudaSuccess);
    CHECK_INT(cudaGetMipmappedArrayLevel(&array, mipmap, 1), cudaSuccess);
    CHECK_INT(cudaGetMipmappedArrayLevel(&array, mipmap, 2), BAD);
}

// ---- copies ----------------------------------------------------------------

// An array of 4 x 3 bytes: 0, 1, 2, ...
static cudaArray_t counting(void) {
    cudaArray_t array = NULL;
    uint8_t bytes[12];
    CUDA_ARRAY_DESCRIPTOR given = {4, 3, UINT8, 1};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    CUDA_MEMCPY2D copy = {.srcMemoryType = IN_HOST,
                          .srcHost = bytes,
                          .dstMemoryType = IN_ARRAY,
                          .WidthInBytes = 4,
                          .Height = 3};
    CHECK_INT(cuArrayCreate_v2(&array, &given), cudaSuccess);
    copy.dstArray = array;
    CHECK_INT(cuMemcpy2D_v2(&copy), cudaSuccess);
    return array;
}

static void check_texels(cudaArray_t array, const char *text) {
    uint8_t is[12] = {0};
    char hex[25] = "";
    CUDA_MEMCPY2D copy = {.srcMemoryType = IN_ARRAY,
                          .srcArray = array,
                          .dstMemoryType = IN_HOST,
                          .dstHost = is,
                          .dstPitch = 4,
                          .WidthInBytes = 4,
                          .Height = 3};
    CHECK_INT(cuMemcpy2DUnaligned_v2(&copy), cudaSuccess);
    for (size_t i = 0; i < sizeof is; i++)
        snprintf(hex + 2 * i, 3, "%02x", is[i]);
    CHECK_STR(str_from(hex), text);
}

TEST(the_driver_copies_rows_between_places) {
    cudaArray_t array = counting();
    uint8_t host[6] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5};
    char *device = words();
    CUDA_MEMCPY2D copy = {.srcMemoryType = IN_HOST,
                          .srcHost = host,
                          .srcXInBytes = 1,
                          .srcPitch = 3,
                          .dstMemoryType = IN_ARRAY,
                          .dstArray = array,
                          .dstXInBytes = 2,
                          .dstY = 1,
                          .WidthInBytes = 2,
                          .Height = 2};
    CHECK_INT(cuMemcpy2D_v2(&copy), cudaSuccess);
    check_texels(array, "000102030405a1a20809a4a5");
    copy = (CUDA_MEMCPY2D){.srcMemoryType = IN_ARRAY,
                           .srcArray = array,
                           .srcXInBytes = 1,
                           .srcY = 1,
                           .dstMemoryType = IN_DEVICE,
                           .dstDevice = device,
                           .dstPitch = 8,
                           .dstXInBytes = 4,
                           .WidthInBytes = 3,
                           .Height = 2};
    CHECK_INT(cuMemcpy2DAsync_v2(&copy, NULL), cudaSuccess);
    CHECK_U64(program_word(device, 1), 0xa2a105);
    CHECK_U64(program_word(device, 3), 0xa5a409);
    copy.srcMemoryType = IN_HOST;
    copy.srcHost = device; // it is none of the host's
    copy.srcPitch = 4;
    copy.dstDevice = host;
    CHECK_INT(cuMemcpy2D_v2(&copy), BAD);
    copy = (CUDA_MEMCPY2D){.srcMemoryType = IN_BOTH,
                           .srcDevice = device,
                           .dstMemoryType = IN_BOTH,
                           .dstDevice = host,
                           .srcXInBytes = 4,
                           .WidthInBytes = 2,
                           .Height = 1};
    CHECK_INT(cuMemcpy2D_v2(&copy), cudaSuccess);
    CHECK(host[0] == 5 && host[1] == 0xa1 && host[2] == 0xa2);
    copy.srcMemoryType = 5;
    CHECK_INT(cuMemcpy2D_v2(&copy), BAD);
    copy.srcMemoryType = IN_ARRAY;
    CHECK_INT(cuMemcpy2D_v2(&copy), cudaErrorInvalidResourceHandle);
    copy.srcMemoryType = IN_HOST; // to the device, says the address
    copy.srcHost = host;
    copy.dstMemoryType = IN_DEVICE;
    CHECK_INT(cuMemcpy2D_v2(&copy), BAD);
    copy.dstMemoryType = IN_HOST;
    copy.dstHost = host + 3;
    copy.srcXInBytes = 0;
    CHECK_INT(cuMemcpy2D_v2(&copy), cudaSuccess);
    CHECK(host[3] == 5 && host[4] == 0xa1);
}

TEST(the_driver_copies_planes) {
    char *a = words(), *b = words();
    const uint32_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    cudaMemcpy(a, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    // Of 2 planes of 2 rows of 2 words, the second words of the second rows.
    CUDA_MEMCPY3D copy = {.srcXInBytes = 4,
                          .srcY = 1,
                          .srcMemoryType = IN_DEVICE,
                          .srcDevice = a,
                          .srcPitch = 8,
                          .srcHeight = 2,
                          .dstZ = 1,
                          .dstMemoryType = IN_DEVICE,
                          .dstDevice = b,
                          .dstPitch = 4,
                          .dstHeight = 2,
                          .WidthInBytes = 4,
                          .Height = 1,
                          .Depth = 2};
    CHECK_INT(cuMemcpy3D_v2(&copy), cudaSuccess);
    CHECK_U64(program_word(b, 0), 0);
    CHECK_U64(program_word(b, 2), 3);
    CHECK_U64(program_word(b, 4), 7);
    copy.dstZ = 0;
    copy.dstY = 1;
    CHECK_INT(cuMemcpy3DAsync_v2(&copy, NULL), cudaSuccess);
    CHECK_U64(program_word(b, 1), 3);
    CHECK_U64(program_word(b, 3), 7);
    copy.Depth = 5;
    CHECK_INT(cuMemcpy3D_v2(&copy), BAD);
}

TEST(the_driver_copies_bytes_of_a_row) {
    cudaArray_t array = counting(), other = counting();
    uint8_t host[4] = {0xa0, 0xa1, 0xa2, 0xa3};
    char *device = words();
    CHECK_INT(cuMemcpyHtoA_v2(array, 1, host, 2), cudaSuccess);
    check_texels(array, "00a0a1030405060708090a0b");
    CHECK_INT(cuMemcpyAtoH_v2(host + 1, array, 2, 2), cudaSuccess);
    CHECK(host[1] == 0xa1 && host[2] == 3 && host[3] == 0xa3);
    CHECK_INT(cuMemcpyHtoAAsync_v2(array, 0, host + 3, 1, NULL), cudaSuccess);
    CHECK_INT(cuMemcpyAtoHAsync_v2(host, array, 0, 1, NULL), cudaSuccess);
    CHECK_INT(host[0], 0xa3);
    CHECK_INT(cuMemcpyAtoD_v2(device + 4, array, 1, 3), cudaSuccess);
    CHECK_U64(program_word(device, 1), 0x03a1a0);
    CHECK_INT(cuMemcpyDtoA_v2(array, 3, device + 4, 1), cudaSuccess);
    CHECK_INT(cuMemcpyAtoA_v2(other, 1, array, 2, 2), cudaSuccess);
    check_texels(other, "00a1a0030405060708090a0b");
    CHECK_INT(cuMemcpyAtoA_v2(other, 3, array, 2, 2), BAD);
    CHECK_INT(cuMemcpyHtoA_v2(array, 3, host, 2), BAD);
    CHECK_INT(cuMemcpyDtoA_v2(array, 0, host, 2), BAD); // none of the device's
    CHECK_INT(cuMemcpyAtoD_v2(host, array, 0, 2), BAD);
    CHECK_INT(cuMemcpyAtoH_v2(device, array, 0, 2), cudaSuccess);
}

// ---- objects ---------------------------------------------------------------

static cudaTextureDesc sampler_of(const CUDA_RESOURCE_DESC *resource,
                                  CUDA_TEXTURE_DESC given) {
    Handle handle = 0;
    cudaTextureDesc got = {.readMode = 99};
    CHECK_INT(cuTexObjectCreate(&handle, resource, &given, NULL), cudaSuccess);
    CHECK_INT(cudaGetTextureObjectTextureDesc(&got, handle), cudaSuccess);
    return got;
}

TEST(the_driver_describes_a_sampler_by_flags) {
    enum {
        INTEGERS = 1,
        NORMALIZED = 2,
        SRGB = 16,
        NO_TRILINEAR = 32,
        SEAMLESS = 64
    };
    char *memory;
    cudaMalloc((void **)&memory, 512);
    const CUDA_RESOURCE_DESC of_bytes = {.resType = OF_LINEAR,
                                         .res.linear = {memory, UINT8, 1, 64}},
                             of_words = {.resType = OF_LINEAR,
                                         .res.linear = {memory, UINT32, 1, 64}},
                             of_floats = {.resType = OF_LINEAR,
                                          .res.linear = {memory, FLOAT, 1, 64}};
    cudaTextureDesc d = sampler_of(
        &of_floats, (CUDA_TEXTURE_DESC){.addressMode = {0, 1, 3},
                                        .filterMode = 1,
                                        .maxAnisotropy = 4,
                                        .mipmapFilterMode = 1,
                                        .mipmapLevelBias = 0.5f,
                                        .minMipmapLevelClamp = 1,
                                        .maxMipmapLevelClamp = 2,
                                        .borderColor = {1, 2, 3, 4}});
    CHECK(d.addressMode[0] == 0 && d.addressMode[1] == 1 &&
          d.addressMode[2] == 3);
    CHECK(d.filterMode == 1 && d.maxAnisotropy == 4 && d.mipmapFilterMode == 1);
    CHECK(d.mipmapLevelBias == 0.5f && d.minMipmapLevelClamp == 1 &&
          d.maxMipmapLevelClamp == 2 && d.borderColor[3] == 4);
    CHECK(!d.readMode && !d.sRGB && !d.normalizedCoords &&
          !d.disableTrilinearOptimization && !d.seamlessCubemap);
    const CUDA_TEXTURE_DESC plain = {.addressMode = {1, 1, 1}};
    CHECK_INT(sampler_of(&of_bytes, plain).readMode, 1);
    CHECK_INT(sampler_of(&of_words, plain).readMode, 0);
    CUDA_TEXTURE_DESC flagged = plain;
    flagged.flags = INTEGERS;
    CHECK_INT(sampler_of(&of_bytes, flagged).readMode, 0);
    flagged.flags = NORMALIZED;
    d = sampler_of(&of_floats, flagged);
    CHECK(d.normalizedCoords == 1 && !d.sRGB && !d.seamlessCubemap);
    flagged.flags = SRGB;
    d = sampler_of(&of_floats, flagged);
    CHECK(d.sRGB == 1 && !d.normalizedCoords);
    flagged.flags = NO_TRILINEAR;
    d = sampler_of(&of_floats, flagged);
    CHECK(d.disableTrilinearOptimization == 1 && !d.seamlessCubemap);
    flagged.flags = SEAMLESS;
    d = sampler_of(&of_floats, flagged);
    CHECK(d.seamlessCubemap == 1 && !d.disableTrilinearOptimization);
}

TEST(the_driver_makes_objects_of_each_resource) {
    char *memory;
    Handle handle;
    cudaArray_t array = NULL;
    cudaMipmappedArray_t mipmap;
    CUDA_ARRAY3D_DESCRIPTOR given = {4, 4, 0, FLOAT, 1, 2}; // for surfaces
    const CUDA_TEXTURE_DESC plain = {.addressMode = {1, 1, 1}, .flags = 2};
    cudaMalloc((void **)&memory, 4096);
    cuArray3DCreate_v2(&array, &given);
    cuMipmappedArrayCreate(&mipmap, &given, 2);
    CUDA_RESOURCE_DESC r = {.resType = OF_ARRAY, .res.array = array};
    CHECK_INT(cuTexObjectCreate(&handle, &r, &plain, NULL), cudaSuccess);
    CHECK_INT(cuSurfObjectCreate(&handle, &r), cudaSuccess);
    r = (CUDA_RESOURCE_DESC){.resType = OF_MIPMAP, .res.mipmap = mipmap};
    CHECK_INT(cuTexObjectCreate(&handle, &r, &plain, NULL), cudaSuccess);
    CHECK_INT(cuSurfObjectCreate(&handle, &r), BAD);
    r = (CUDA_RESOURCE_DESC){.resType = OF_PITCH2D,
                             .res.pitch2D = {memory, FLOAT, 1, 8, 4, 32}};
    CHECK_INT(cuTexObjectCreate(&handle, &r, &plain, NULL), cudaSuccess);
    r.res.pitch2D.width = 9;
    CHECK_INT(cuTexObjectCreate(&handle, &r, &plain, NULL), BAD);
    r.res.pitch2D.format = 4;
    CHECK_INT(cuTexObjectCreate(&handle, &r, &plain, NULL),
              cudaErrorNotSupported);
    r = (CUDA_RESOURCE_DESC){.resType = 4};
    CHECK_INT(cuTexObjectCreate(&handle, &r, &plain, NULL), BAD);
    r = (CUDA_RESOURCE_DESC){.resType = OF_ARRAY};
    CHECK_INT(cuTexObjectCreate(&handle, &r, &plain, NULL),
              cudaErrorInvalidResourceHandle);
    r.resType = OF_MIPMAP;
    CHECK_INT(cuTexObjectCreate(&handle, &r, &plain, NULL),
              cudaErrorInvalidResourceHandle);
}

// ---- nodes -----------------------------------------------------------------

TEST(the_driver_adds_copies_to_graphs) {
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t node = NULL;
    char *memory = words();
    const uint32_t numbers[2] = {5, 6};
    CUDA_MEMCPY3D copy = {.srcMemoryType = IN_HOST,
                          .srcHost = numbers,
                          .dstMemoryType = IN_DEVICE,
                          .dstDevice = memory,
                          .WidthInBytes = 4,
                          .Height = 1,
                          .Depth = 1};
    CHECK_INT(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, NULL),
              cudaSuccess);
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 5);
    copy.dstXInBytes = 4;
    CHECK_INT(cuGraphExecMemcpyNodeSetParams(instance, node, &copy, NULL),
              cudaSuccess);
    launch(instance);
    CHECK_U64(program_word(memory, 1), 5);
    copy.dstXInBytes = 8;
    CHECK_INT(cuGraphMemcpyNodeSetParams(node, &copy), cudaSuccess);
    launch(instance_of(graph));
    CHECK_U64(program_word(memory, 2), 5);
    CHECK_INT(cuGraphAddMemcpyNode(&node, graph, NULL, 0, NULL, NULL), BAD);
    CHECK_INT(cuGraphMemcpyNodeSetParams(node, NULL), BAD);
    CHECK_INT(cuGraphExecMemcpyNodeSetParams(instance, node, NULL, NULL), BAD);
    copy.srcMemoryType = 7;
    CHECK_INT(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, NULL), BAD);
}

TEST(the_driver_adds_nodes_of_any_kind) {
    Program p = program_begin();
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t node = NULL;
    char *memory = words();
    unsigned five = 5;
    void *args[] = {&memory, &five};
    cudaGraphNodeParams params = {.type = cudaGraphNodeTypeKernel,
                                  .kernel = an_add(&p, args)};
    struct {
        cudaGraphNodeParams params;
    } kernel = {params};
    // A kernel may stand behind the function's place, which is empty then.
    const void *func = params.kernel.func;
    kernel.params.kernel.func = NULL;
    memcpy((char *)&kernel.params.kernel + sizeof kernel.params.kernel, &func,
           sizeof func);
    CHECK_INT(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &kernel),
              cudaSuccess);
    CHECK_INT(type_of(node), cudaGraphNodeTypeKernel);
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    CHECK_U64(program_word(memory, 1), 5);
    params.kernel.gridDim.x = 1;
    CHECK_INT(cuGraphExecNodeSetParams(instance, node, &params), cudaSuccess);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 10);
    CHECK_U64(program_word(memory, 1), 5);
    params = (cudaGraphNodeParams){.type = cudaGraphNodeTypeMemAlloc,
                                   .alloc.bytesize = 16};
    CHECK_INT(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params),
              cudaSuccess);
    CHECK(params.alloc.dptr != NULL);
    params.alloc.bytesize = 0;
    CHECK_INT(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params), BAD);
    params = (cudaGraphNodeParams){
        .type = cudaGraphNodeTypeConditional,
        .conditional = {.handle = (uintptr_t)memory, .size = 2}};
    CHECK_INT(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params),
              cudaSuccess);
    CHECK(params.conditional.phGraph_out &&
          params.conditional.phGraph_out[1] != NULL);
}

// ---- copies of variables, as nodes -----------------------------------------

static const char SHADOW, OTHER;

static uint32_t table_word(CUmodule module, size_t index) {
    void *address = NULL;
    CHECK_INT(cuModuleGetGlobal_v2(&address, NULL, module, "table"),
              cudaSuccess);
    return program_word(address, index);
}

TEST(variables_are_copied_by_nodes) {
    struct {
        int magic, version;
        const void *image, *parts;
    } wrapper = {0x466243b1, 1, PROGRAM_PTX, NULL};
    CUmodule module = (CUmodule)__cudaRegisterFatBinary(&wrapper);
    __cudaRegisterVar((void **)module, &SHADOW, NULL, "table", 0, 16, 0, 0);
    cudaGraph_t graph = a_graph(), back = a_graph();
    cudaGraphNode_t to = NULL, from = NULL;
    uint32_t numbers[2] = {5, 6}, out[2] = {0};
    CHECK_INT(cudaGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, &SHADOW,
                                             numbers, 4, 8, 1),
              cudaSuccess);
    CHECK_INT(cudaGraphAddMemcpyNodeFromSymbol(&from, back, NULL, 0, out,
                                               &SHADOW, 4, 8, 2),
              cudaSuccess);
    cudaGraphExec_t store = instance_of(graph), load = instance_of(back);
    launch(store);
    launch(load);
    CHECK_U64(table_word(module, 2), 5);
    CHECK_INT(out[0], 5);
    CHECK_INT(cudaGraphExecMemcpyNodeSetParamsToSymbol(store, to, &SHADOW,
                                                       numbers + 1, 4, 4, 1),
              cudaSuccess);
    CHECK_INT(cudaGraphExecMemcpyNodeSetParamsFromSymbol(load, from, out + 1,
                                                         &SHADOW, 4, 4, 2),
              cudaSuccess);
    launch(store);
    launch(load);
    CHECK_U64(table_word(module, 1), 6);
    CHECK_INT(out[1], 6);
    CHECK_INT(
        cudaGraphMemcpyNodeSetParamsToSymbol(to, &SHADOW, numbers, 8, 0, 1),
        cudaSuccess);
    CHECK_INT(
        cudaGraphMemcpyNodeSetParamsFromSymbol(from, out, &SHADOW, 8, 0, 2),
        cudaSuccess);
    numbers[1] = 9;
    launch(instance_of(graph));
    launch(instance_of(back));
    CHECK(out[0] == 5 && out[1] == 9);
    CHECK_INT(cudaGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, &OTHER,
                                             numbers, 4, 0, 1),
              cudaErrorInvalidSymbol);
    CHECK_INT(cudaGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, &SHADOW,
                                             numbers, 4, 13, 1),
              BAD);
    CHECK_INT(cudaGraphExecMemcpyNodeSetParamsToSymbol(NULL, to, &SHADOW,
                                                       numbers, 4, 0, 1),
              BAD);
    CHECK_INT(cudaGraphExecMemcpyNodeSetParamsFromSymbol(NULL, from, out,
                                                         &SHADOW, 4, 0, 2),
              BAD);
    CHECK_INT(
        cudaGraphMemcpyNodeSetParamsToSymbol(to, &OTHER, numbers, 8, 0, 1),
        cudaErrorInvalidSymbol);
    CHECK_INT(
        cudaGraphMemcpyNodeSetParamsFromSymbol(from, out, &SHADOW, 17, 0, 2),
        BAD);
}

TEST_MAIN(TESTCASE(the_driver_makes_arrays_of_each_format),
          TESTCASE(the_driver_makes_arrays_of_planes),
          TESTCASE(the_driver_copies_rows_between_places),
          TESTCASE(the_driver_copies_planes),
          TESTCASE(the_driver_copies_bytes_of_a_row),
          TESTCASE(the_driver_describes_a_sampler_by_flags),
          TESTCASE(the_driver_makes_objects_of_each_resource),
          TESTCASE(the_driver_adds_copies_to_graphs),
          TESTCASE(the_driver_adds_nodes_of_any_kind),
          TESTCASE(variables_are_copied_by_nodes))
