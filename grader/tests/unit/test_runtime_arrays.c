// SPDX-License-Identifier: Apache-2.0
// runtime/: arrays and mipmaps that a program makes, copies from and to them,
// by the runtime's functions and the driver's; objects of textures and
// surfaces, and what may be read through them.
#include "tests/unit/cuda_program.h"

typedef unsigned long long Handle; // of a texture or a surface

typedef struct cudaResourceDesc {
    int resType;
    union {
        cudaArray_t array;
        cudaMipmappedArray_t mipmap;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} cudaResourceDesc;
enum { OF_ARRAY, OF_MIPMAP, OF_LINEAR, OF_PITCH2D };

typedef struct cudaTextureDesc {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;

typedef struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
    unsigned reserved[16];
} cudaResourceViewDesc;

cudaError_t cudaMallocArray(cudaArray_t *array,
                            const cudaChannelFormatDesc *desc, size_t width,
                            size_t height, unsigned flags);
cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                              const cudaChannelFormatDesc *desc,
                              cudaExtent extent, unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent,
                             unsigned *flags, cudaArray_t array);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const cudaChannelFormatDesc *desc,
                                     cudaExtent extent, unsigned levels,
                                     unsigned flags);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array,
                                       cudaMipmappedArray_t mipmap,
                                       unsigned level);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y,
                                const void *from, size_t pitch, size_t width,
                                size_t height, int kind);
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from,
                                  size_t x, size_t y, size_t width,
                                  size_t height, int kind);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y,
                              const void *from, size_t count, int kind);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_t from, size_t x, size_t y,
                                size_t count, int kind);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                   cudaArray_t from, size_t from_x,
                                   size_t from_y, size_t count, int kind);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *copy);
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaCreateTextureObject(Handle *handle,
                                    const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture,
                                    const cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(Handle handle);
cudaError_t cudaCreateSurfaceObject(Handle *handle,
                                    const cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(Handle handle);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *out,
                                             Handle handle);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out,
                                            Handle handle);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out,
                                             Handle handle);

static const cudaError_t BAD = cudaErrorInvalidValue;
static const int TO = cudaMemcpyHostToDevice, FROM = cudaMemcpyDeviceToHost;
static const cudaChannelFormatDesc BYTES = {8, 0, 0, 0, 1},
                                   FLOATS = {32, 0, 0, 0, 2},
                                   PAIRS = {16, 16, 0, 0, 0};
enum { LAYERED = 1, SURFACE = 2, CUBE = 4, GATHER = 8 };

static cudaArray_t an_array(const cudaChannelFormatDesc *desc, size_t width,
                            size_t height) {
    cudaArray_t array = NULL;
    CHECK_INT(cudaMallocArray(&array, desc, width, height, 0), cudaSuccess);
    return array;
}

static size_t used_bytes(void) {
    size_t unused, total;
    cudaMemGetInfo(&unused, &total);
    return total - unused;
}

// ---- making ----------------------------------------------------------------

TEST(an_array_knows_what_it_is) {
    cudaChannelFormatDesc desc = {0};
    cudaExtent extent = {0};
    unsigned flags = 99;
    size_t before = used_bytes();
    cudaArray_t array = an_array(&PAIRS, 5, 3);
    CHECK_U64(used_bytes() - before, 5 * 3 * 4);
    CHECK_INT(cudaArrayGetInfo(&desc, &extent, &flags, array), cudaSuccess);
    CHECK(desc.x == 16 && desc.y == 16 && desc.z == 0 && desc.f == 0);
    CHECK(extent.width == 5 && extent.height == 3 && extent.depth == 0);
    CHECK_INT(flags, 0);
    CHECK_INT(cudaArrayGetInfo(NULL, NULL, NULL, array), cudaSuccess);
    CHECK_INT(cudaFreeArray(array), cudaSuccess);
    CHECK_U64(used_bytes(), before);
    CHECK_INT(cudaArrayGetInfo(&desc, NULL, NULL, array),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaFreeArray(NULL), cudaSuccess);
    array = an_array(&BYTES, 4, 0);
    CHECK_INT(cudaDeviceReset(), cudaSuccess);
    CHECK_INT(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

TEST(arrays_have_these_formats) {
    static const struct {
        cudaChannelFormatDesc desc;
        cudaError_t error;
    } rows[] = {
        {{8, 0, 0, 0, 0}, 0},    {{8, 8, 8, 8, 1}, 0},
        {{16, 16, 0, 0, 2}, 0},  {{32, 32, 32, 32, 2}, 0},
        {{8, 0, 0, 0, 2}, 1},                             // floats of 8 bits
        {{64, 0, 0, 0, 1}, 1},   {{32, 32, 32, 0, 2}, 1}, // three of them
        {{8, 16, 0, 0, 1}, 1},   {{8, 0, 8, 0, 1}, 1},
        {{0, 0, 0, 0, 1}, 1},    {{8, 0, 0, 0, 3}, 1}, // of no kind
        {{8, 0, 0, 0, -1}, 1},   {{8, 0, 0, 0, 4}, 801},
        {{8, 0, 0, 0, 5}, 0}, // a number up to 1
        {{16, 16, 0, 0, 16}, 0}, {{32, 0, 0, 0, 5}, 1},
        {{8, 0, 0, 0, 17}, 801}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cudaArray_t array;
        if (!CHECK_INT(cudaMallocArray(&array, &rows[i].desc, 4, 4, 0),
                       rows[i].error))
            printf("# row %zu\n", i);
    }
}

TEST(arrays_have_these_sizes) {
    static const struct {
        cudaExtent e;
        unsigned flags;
        bool is_possible;
    } rows[] = {{{131072, 0, 0}, 0, true},
                {{131073, 0, 0}, 0, false},
                {{0, 0, 0}, 0, false},
                {{1, 65536, 0}, 0, true},
                {{1, 65537, 0}, 0, false},
                {{16384, 1, 1}, 0, true},
                {{16385, 1, 1}, 0, false},
                {{1, 16384, 1}, 0, true},
                {{1, 32768, 1}, LAYERED, true},
                {{1, 16385, 1}, 0, false},
                {{1, 1, 16384}, 0, true},
                {{1, 1, 16385}, 0, false},
                {{4, 0, 4}, 0, false},
                {{4, 0, 4}, LAYERED, true},
                {{4, 4, 0}, LAYERED, false},
                {{32768, 1, 1}, LAYERED, true},
                {{32769, 1, 1}, LAYERED, false},
                {{1, 32769, 1}, LAYERED, false},
                {{1, 1, 2048}, LAYERED, true},
                {{1, 1, 2049}, LAYERED, false},
                {{4, 4, 6}, CUBE, true},
                {{4, 5, 6}, CUBE, false},
                {{4, 4, 5}, CUBE, false},
                {{4, 4, 12}, CUBE, false},
                {{4, 4, 12}, CUBE | LAYERED, true},
                {{4, 4, 13}, CUBE | LAYERED, false},
                {{4, 4, 0}, CUBE | LAYERED, false},
                {{4, 4, 2046}, CUBE | LAYERED, true},
                {{4, 4, 2052}, CUBE | LAYERED, false}};
    cudaArray_t array;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!CHECK_INT(
                cudaMalloc3DArray(&array, &BYTES, rows[i].e, rows[i].flags),
                rows[i].is_possible ? 0 : BAD))
            printf("# row %zu\n", i);
        else if (rows[i].is_possible)
            cudaFreeArray(array);
    }
    CHECK_INT(cudaMallocArray(&array, &BYTES, 4, 4, SURFACE | GATHER),
              cudaSuccess);
    CHECK_INT(cudaMallocArray(&array, &BYTES, 4, 4, 16), cudaErrorNotSupported);
}

static cudaExtent level_extent(cudaMipmappedArray_t mipmap, unsigned level) {
    cudaArray_t array = NULL;
    cudaExtent extent = {0};
    CHECK_INT(cudaGetMipmappedArrayLevel(&array, mipmap, level), cudaSuccess);
    CHECK_INT(cudaArrayGetInfo(NULL, &extent, NULL, array), cudaSuccess);
    return extent;
}

TEST(a_mipmap_has_levels) {
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t array;
    size_t before = used_bytes();
    CHECK_INT(
        cudaMallocMipmappedArray(&mipmap, &BYTES, (cudaExtent){9, 4, 0}, 10, 0),
        cudaSuccess);
    CHECK_U64(used_bytes() - before, 36 + 8 + 2 + 1);
    cudaExtent e = level_extent(mipmap, 1);
    CHECK(e.width == 4 && e.height == 2 && e.depth == 0);
    e = level_extent(mipmap, 3);
    CHECK(e.width == 1 && e.height == 1);
    CHECK_INT(cudaGetMipmappedArrayLevel(&array, mipmap, 4), BAD);
    CHECK_INT(cudaGetMipmappedArrayLevel(&array, mipmap, 0), cudaSuccess);
    CHECK_INT(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaFreeMipmappedArray(mipmap), cudaSuccess);
    CHECK_U64(used_bytes(), before);
    CHECK_INT(cudaFreeMipmappedArray(mipmap), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaFreeMipmappedArray(NULL), cudaSuccess);
    CHECK_INT(cudaGetMipmappedArrayLevel(&array, mipmap, 0),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(
        cudaMallocMipmappedArray(&mipmap, &BYTES, (cudaExtent){9, 4, 0}, 0, 0),
        BAD);
    CHECK_INT(
        cudaMallocMipmappedArray(&mipmap, &BYTES, (cudaExtent){9, 0, 4}, 2, 0),
        BAD);
    CHECK_U64(used_bytes(), before);
    CHECK_INT(
        cudaMallocMipmappedArray(&mipmap, &BYTES, (cudaExtent){2, 2, 8}, 9, 0),
        cudaSuccess);
    e = level_extent(mipmap, 3);
    CHECK(e.width == 1 && e.height == 1 && e.depth == 1);
    CHECK_INT(cudaMallocMipmappedArray(&mipmap, &BYTES, (cudaExtent){4, 2, 8},
                                       9, LAYERED),
              cudaSuccess);
    e = level_extent(mipmap, 2);
    CHECK(e.width == 1 && e.height == 1 && e.depth == 8);
    CHECK_INT(cudaGetMipmappedArrayLevel(&array, mipmap, 3), BAD);
    CHECK_INT(cudaDeviceReset(), cudaSuccess);
    CHECK_U64(used_bytes(), 0);
}

// ---- copying ---------------------------------------------------------------

// An array of 4 x 3 bytes: 0, 1, 2, ...
static cudaArray_t counting(void) {
    uint8_t bytes[12];
    cudaArray_t array = an_array(&BYTES, 4, 3);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    CHECK_INT(cudaMemcpy2DToArray(array, 0, 0, bytes, 4, 4, 3, TO),
              cudaSuccess);
    return array;
}

static void check_texels(cudaArray_t array, const char *text) {
    uint8_t is[12] = {0};
    char hex[25] = "";
    CHECK_INT(cudaMemcpy2DFromArray(is, 4, array, 0, 0, 4, 3, FROM),
              cudaSuccess);
    for (size_t i = 0; i < sizeof is; i++)
        snprintf(hex + 2 * i, 3, "%02x", is[i]);
    CHECK_STR(str_from(hex), text);
}

TEST(rows_are_copied_to_an_array_and_from_it) {
    cudaArray_t array = counting();
    uint8_t bytes[8] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5};
    check_texels(array, "000102030405060708090a0b");
    CHECK_INT(cudaMemcpy2DToArray(array, 1, 1, bytes, 3, 2, 2, TO),
              cudaSuccess);
    check_texels(array, "0001020304a0a10708a3a40b");
    CHECK_INT(cudaMemcpy2DFromArray(bytes, 3, array, 2, 0, 2, 2, FROM),
              cudaSuccess);
    CHECK(bytes[0] == 2 && bytes[1] == 3 && bytes[2] == 0xa2 &&
          bytes[3] == 0xa1 && bytes[4] == 7);
    CHECK_INT(cudaMemcpy2DToArray(array, 3, 0, bytes, 2, 2, 1, TO), BAD);
    CHECK_INT(cudaMemcpy2DToArray(array, 0, 2, bytes, 2, 2, 2, TO), BAD);
    CHECK_INT(cudaMemcpy2DToArray(array, 5, 0, bytes, 2, 0, 1, TO), BAD);
    CHECK_INT(cudaMemcpy2DToArray(array, 2, 2, bytes, 2, 2, 1, TO),
              cudaSuccess);
    CHECK_INT(cudaMemcpy2DToArray(array, 0, 0, bytes, 1, 2, 2, TO),
              cudaErrorInvalidPitchValue);
    CHECK_INT(cudaMemcpy2DToArray(array, 0, 0, bytes, 4, 4, 1, FROM), BAD);
    cudaFreeArray(array);
    CHECK_INT(cudaMemcpy2DToArray(array, 0, 0, bytes, 4, 4, 1, TO),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaMemcpy2DFromArray(bytes, 4, array, 0, 0, 4, 1, FROM),
              cudaErrorInvalidResourceHandle);
}

TEST(bytes_run_on_from_row_to_row) {
    cudaArray_t array = counting(), other = counting();
    uint8_t bytes[8] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5};
    CHECK_INT(cudaMemcpyToArray(array, 2, 0, bytes, 4, TO), cudaSuccess);
    check_texels(array, "0001a0a1a2a3060708090a0b");
    CHECK_INT(cudaMemcpyFromArray(bytes, array, 3, 1, 5, FROM), cudaSuccess);
    CHECK(bytes[0] == 7 && bytes[4] == 0x0b && bytes[5] == 0xa5);
    CHECK_INT(cudaMemcpyFromArray(bytes, array, 3, 1, 6, FROM), BAD);
    CHECK_INT(cudaMemcpyToArray(array, 0, 3, bytes, 1, TO), BAD);
    CHECK_INT(cudaMemcpyToArray(array, 0, 3, bytes, 0, TO), cudaSuccess);
    CHECK_INT(cudaMemcpyToArray(array, 0, 4, bytes, 0, TO), BAD);
    CHECK_INT(cudaMemcpyToArray(array, 13, 0, bytes, 0, TO), BAD);
    CHECK_INT(cudaMemcpyToArray(array, 12, 0, bytes, 0, TO), cudaSuccess);
    CHECK_INT(cudaMemcpyArrayToArray(other, 0, 1, array, 2, 0, 3,
                                     cudaMemcpyDeviceToDevice),
              cudaSuccess);
    check_texels(other, "00010203a0a1a20708090a0b");
    cudaFreeArray(array);
    CHECK_INT(cudaMemcpyToArray(array, 0, 0, bytes, 1, TO),
              cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaMemcpyArrayToArray(other, 0, 1, array, 2, 0, 3, 3),
              cudaErrorInvalidResourceHandle);
}

// Widths of such a copy count texels, here of 4 bytes.
TEST(planes_are_copied_by_texels) {
    cudaArray_t array = NULL, other = NULL;
    uint32_t texels[12], out[4] = {0};
    for (uint32_t i = 0; i < COUNT_OF(texels); i++)
        texels[i] = i;
    CHECK_INT(cudaMalloc3DArray(&array, &FLOATS, (cudaExtent){3, 2, 2}, 0),
              cudaSuccess);
    CHECK_INT(cudaMalloc3DArray(&other, &FLOATS, (cudaExtent){2, 2, 2}, 0),
              cudaSuccess);
    cudaMemcpy3DParms copy = {.srcPtr = {texels, 12, 3, 2},
                              .dstArray = array,
                              .extent = {3, 2, 2},
                              .kind = TO};
    CHECK_INT(cudaMemcpy3D(&copy), cudaSuccess);
    copy = (cudaMemcpy3DParms){.srcArray = array,
                               .srcPos = {1, 1, 0},
                               .dstArray = other,
                               .dstPos = {0, 0, 0},
                               .extent = {2, 1, 2},
                               .kind = cudaMemcpyDeviceToDevice};
    CHECK_INT(cudaMemcpy3D(&copy), cudaSuccess);
    copy = (cudaMemcpy3DParms){.srcArray = other,
                               .srcPos = {1, 0, 0},
                               .dstPtr = {out, 4, 1, 1},
                               .extent = {1, 1, 2},
                               .kind = FROM};
    CHECK_INT(cudaMemcpy3D(&copy), cudaSuccess);
    CHECK_INT(out[0], 5);
    CHECK_INT(out[1], 11);
    copy.srcPos.x = 2;
    CHECK_INT(cudaMemcpy3D(&copy), BAD);
    copy.srcPos = (cudaPos){1, 2, 0};
    CHECK_INT(cudaMemcpy3D(&copy), BAD);
    copy.srcPos = (cudaPos){1, 1, 1};
    CHECK_INT(cudaMemcpy3D(&copy), BAD);
    copy.extent.depth = 1;
    CHECK_INT(cudaMemcpy3D(&copy), cudaSuccess);
    cudaFreeArray(other);
    CHECK_INT(cudaMemcpy3D(&copy), cudaErrorInvalidResourceHandle);
}

TEST(a_row_of_wide_texels_is_whole_texels) {
    cudaArray_t array = an_array(&FLOATS, 4, 2);
    uint32_t words[4] = {1, 2, 3, 4}, out[4] = {0};
    CHECK_INT(cudaMemcpy2DToArray(array, 4, 0, words, 8, 8, 2, TO),
              cudaSuccess);
    CHECK_INT(cudaMemcpy2DFromArray(out, 16, array, 0, 1, 16, 1, FROM),
              cudaSuccess);
    CHECK(out[0] == 0 && out[1] == 3 && out[2] == 4);
    CHECK_INT(cudaMemcpy2DToArray(array, 2, 0, words, 8, 8, 1, TO), BAD);
    CHECK_INT(cudaMemcpy2DToArray(array, 0, 0, words, 8, 6, 1, TO), BAD);
    CHECK_INT(cudaMemcpy2DFromArray(out, 16, array, 3, 0, 4, 1, FROM), BAD);
}

// ---- textures --------------------------------------------------------------

static cudaResourceDesc of_array(cudaArray_t array) {
    return (cudaResourceDesc){.resType = OF_ARRAY, .res.array = array};
}

static cudaResourceDesc of_linear(void *memory, cudaChannelFormatDesc desc,
                                  size_t bytes) {
    return (cudaResourceDesc){.resType = OF_LINEAR,
                              .res.linear = {memory, desc, bytes}};
}

static cudaError_t texture(const cudaResourceDesc *resource,
                           const cudaTextureDesc *desc) {
    Handle handle = 0;
    cudaError_t error = cudaCreateTextureObject(&handle, resource, desc, NULL);
    CHECK((handle != 0) == (error == cudaSuccess));
    return error;
}

TEST(an_object_tells_what_it_was_made_of) {
    Handle first = 0, second = 0, surface = 0;
    cudaArray_t array = NULL;
    cudaMallocArray(&array, &FLOATS, 4, 4, SURFACE);
    cudaResourceDesc resource = of_array(array), got;
    cudaTextureDesc desc = {.addressMode = {0, 1, 2}, .filterMode = 1}, asked;
    CHECK_INT(cudaCreateTextureObject(&first, &resource, &desc, NULL),
              cudaSuccess);
    desc.filterMode = 0;
    CHECK_INT(cudaCreateTextureObject(&second, &resource, &desc, NULL),
              cudaSuccess);
    CHECK(first && second && first != second);
    CHECK_INT(cudaGetTextureObjectTextureDesc(&asked, first), cudaSuccess);
    CHECK(asked.addressMode[2] == 2 && asked.filterMode == 1);
    CHECK_INT(cudaGetTextureObjectResourceDesc(&got, second), cudaSuccess);
    CHECK(got.resType == OF_ARRAY && got.res.array == array);
    CHECK_INT(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
    CHECK_INT(cudaGetSurfaceObjectResourceDesc(&got, surface), cudaSuccess);
    CHECK_INT(cudaGetSurfaceObjectResourceDesc(&got, first), BAD);
    CHECK_INT(cudaGetTextureObjectTextureDesc(&asked, surface), BAD);
    CHECK_INT(cudaGetTextureObjectTextureDesc(&asked, 12345), BAD);
    CHECK_INT(cudaDestroyTextureObject(surface), BAD);
    CHECK_INT(cudaDestroySurfaceObject(surface), cudaSuccess);
    CHECK_INT(cudaDestroySurfaceObject(surface), BAD);
    CHECK_INT(cudaDestroyTextureObject(first), cudaSuccess);
    CHECK_INT(cudaDestroyTextureObject(first), BAD);
    CHECK_INT(cudaGetTextureObjectTextureDesc(&asked, first), BAD);
    CHECK_INT(cudaGetTextureObjectTextureDesc(&asked, second), cudaSuccess);
    CHECK_INT(cudaDestroyTextureObject(0), cudaSuccess);
}

TEST(a_texture_is_of_something) {
    cudaArray_t array = an_array(&FLOATS, 4, 4);
    cudaResourceDesc resource = of_array(array);
    const cudaTextureDesc plain = {.addressMode = {1, 1, 1}};
    Handle handle;
    CHECK_INT(texture(&resource, &plain), cudaSuccess);
    CHECK_INT(cudaCreateSurfaceObject(&handle, &resource), BAD); // not for it
    cudaFreeArray(array);
    CHECK_INT(texture(&resource, &plain), cudaErrorInvalidResourceHandle);
    resource.resType = 4;
    CHECK_INT(texture(&resource, &plain), BAD);
    resource = (cudaResourceDesc){.resType = OF_MIPMAP};
    CHECK_INT(texture(&resource, &plain), cudaErrorInvalidResourceHandle);
    CHECK_INT(cudaCreateSurfaceObject(&handle, &resource), BAD);
}

TEST(a_texture_of_memory_is_aligned_and_not_too_long) {
    char *memory;
    const cudaTextureDesc plain = {.addressMode = {1, 1, 1}};
    cudaMalloc((void **)&memory, 4096);
    cudaResourceDesc r = of_linear(memory, FLOATS, 4);
    CHECK_INT(texture(&r, &plain), cudaSuccess);
    r.res.linear.sizeInBytes = 3;
    CHECK_INT(texture(&r, &plain), BAD);
    r.res.linear.sizeInBytes = (size_t)4 << 28;
    CHECK_INT(texture(&r, &plain), cudaSuccess);
    r.res.linear.sizeInBytes += 4;
    CHECK_INT(texture(&r, &plain), BAD);
    r = of_linear(memory + 512, FLOATS, 64);
    CHECK_INT(texture(&r, &plain), cudaSuccess);
    r.res.linear.devPtr = memory + 256;
    CHECK_INT(texture(&r, &plain), BAD);
    r.res.linear.devPtr = &r;
    CHECK_INT(texture(&r, &plain), BAD);
    r = of_linear(memory, (cudaChannelFormatDesc){8, 0, 0, 0, 2}, 64);
    CHECK_INT(texture(&r, &plain), BAD);
}

TEST(a_texture_of_rows_has_a_pitch) {
    char *memory;
    const cudaTextureDesc plain = {.addressMode = {1, 1, 1}};
    cudaMalloc((void **)&memory, 4096);
    const cudaResourceDesc good = {.resType = OF_PITCH2D,
                                   .res.pitch2D = {memory, FLOATS, 8, 4, 32}};
    cudaResourceDesc r = good;
    CHECK_INT(texture(&r, &plain), cudaSuccess);
    r.res.pitch2D.width = 9; // longer than the pitch
    CHECK_INT(texture(&r, &plain), BAD);
    r.res.pitch2D.pitchInBytes = 64;
    CHECK_INT(texture(&r, &plain), cudaSuccess);
    r.res.pitch2D.pitchInBytes = 48;
    CHECK_INT(texture(&r, &plain), BAD);
    r = good;
    r.res.pitch2D.width = 0;
    CHECK_INT(texture(&r, &plain), BAD);
    r = good;
    r.res.pitch2D.height = 0;
    CHECK_INT(texture(&r, &plain), BAD);
    r.res.pitch2D.height = 131072;
    CHECK_INT(texture(&r, &plain), cudaSuccess);
    r.res.pitch2D.height = 131073;
    CHECK_INT(texture(&r, &plain), BAD);
}

TEST(a_texture_is_read_as_its_format_allows) {
    cudaArray_t bytes = an_array(&BYTES, 4, 4),
                floats = an_array(&FLOATS, 4, 4);
    const cudaChannelFormatDesc wide = {32, 0, 0, 0, 1};
    cudaArray_t words = an_array(&wide, 4, 4);
    cudaResourceDesc of_bytes = of_array(bytes), of_floats = of_array(floats),
                     of_words = of_array(words);
    cudaTextureDesc d = {.addressMode = {1, 1, 1}, .filterMode = 1};
    CHECK_INT(texture(&of_bytes, &d), cudaErrorInvalidFilterSetting);
    CHECK_INT(texture(&of_floats, &d), cudaSuccess);
    d.readMode = 1; // numbers up to 1
    CHECK_INT(texture(&of_bytes, &d), cudaSuccess);
    CHECK_INT(texture(&of_floats, &d), cudaSuccess);
    CHECK_INT(texture(&of_words, &d), cudaErrorInvalidNormSetting);
    d = (cudaTextureDesc){.addressMode = {1, 1, 4}};
    CHECK_INT(texture(&of_floats, &d), BAD);
    d.addressMode[2] = -1;
    CHECK_INT(texture(&of_floats, &d), BAD);
    d.addressMode[2] = 3;
    CHECK_INT(texture(&of_floats, &d), cudaSuccess);
    d.mipmapFilterMode = 1;
    CHECK_INT(texture(&of_bytes, &d), cudaErrorInvalidFilterSetting);
    char *memory;
    cudaMalloc((void **)&memory, 512);
    cudaResourceDesc flat = of_linear(memory, BYTES, 16);
    d = (cudaTextureDesc){.addressMode = {1, 1, 1}, .filterMode = 1};
    CHECK_INT(texture(&flat, &d), cudaSuccess); // no filter there
}

TEST(a_texture_with_levels_is_read_by_normalized_coordinates) {
    cudaMipmappedArray_t mipmap;
    cudaMallocMipmappedArray(&mipmap, &FLOATS, (cudaExtent){4, 4, 0}, 3, 0);
    cudaResourceDesc r = {.resType = OF_MIPMAP, .res.mipmap = mipmap};
    cudaTextureDesc d = {.addressMode = {1, 1, 1}};
    CHECK_INT(texture(&r, &d), BAD);
    d.normalizedCoords = 1;
    CHECK_INT(texture(&r, &d), cudaSuccess);
    cudaFreeMipmappedArray(mipmap);
    CHECK_INT(texture(&r, &d), cudaErrorInvalidResourceHandle);
}

TEST(a_seamless_cube_is_not_filtered) {
    cudaArray_t cube;
    cudaMalloc3DArray(&cube, &FLOATS, (cudaExtent){4, 4, 6}, CUBE);
    cudaResourceDesc r = of_array(cube);
    cudaTextureDesc d = {.addressMode = {1, 1, 1}, .seamlessCubemap = 1};
    CHECK_INT(texture(&r, &d), cudaSuccess);
    d.filterMode = 1;
    CHECK_INT(texture(&r, &d), cudaErrorNotSupported);
    d.seamlessCubemap = 0;
    CHECK_INT(texture(&r, &d), cudaSuccess);
}

TEST(a_view_is_of_the_whole_in_another_format) {
    enum { BYTES_4 = 3, WORD = 13, HALVES_2 = 20, FLOAT = 22, BLOCKS = 25 };
    Handle handle;
    cudaArray_t array = an_array(&FLOATS, 4, 2);
    cudaResourceDesc r = of_array(array);
    const cudaTextureDesc d = {.addressMode = {1, 1, 1}};
    static const struct {
        cudaResourceViewDesc view;
        cudaError_t error;
    } rows[] = {{{.format = 0}, 0},
                {{FLOAT, 4, 2, 0, 0, 0, 0, 0, {0}}, 0},
                {{WORD, 4, 2, 0, 0, 0, 0, 0, {0}}, 0},
                {{BYTES_4, 4, 2, 0, 0, 0, 0, 0, {0}}, 0},
                {{HALVES_2, 4, 2, 0, 0, 0, 0, 0, {0}}, 0},
                {{HALVES_2 + 1, 4, 2, 0, 0, 0, 0, 0, {0}}, 801}, // too wide
                {{WORD, 3, 2, 0, 0, 0, 0, 0, {0}}, 801},
                {{WORD, 4, 1, 0, 0, 0, 0, 0, {0}}, 801},
                {{WORD, 4, 2, 0, 1, 0, 0, 0, {0}}, 801},
                {{WORD, 4, 2, 0, 0, 1, 0, 0, {0}}, 801},
                {{WORD, 4, 2, 0, 0, 0, 1, 0, {0}}, 801},
                {{WORD, 4, 2, 0, 0, 0, 0, 1, {0}}, 801},
                {{BLOCKS, 4, 2, 0, 0, 0, 0, 0, {0}}, 801},
                {{-1, 4, 2, 0, 0, 0, 0, 0, {0}}, 801}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!CHECK_INT(cudaCreateTextureObject(&handle, &r, &d, &rows[i].view),
                       rows[i].error))
            printf("# row %zu\n", i);
}

TEST_MAIN(TESTCASE(an_array_knows_what_it_is),
          TESTCASE(arrays_have_these_formats),
          TESTCASE(arrays_have_these_sizes), TESTCASE(a_mipmap_has_levels),
          TESTCASE(rows_are_copied_to_an_array_and_from_it),
          TESTCASE(bytes_run_on_from_row_to_row),
          TESTCASE(planes_are_copied_by_texels),
          TESTCASE(a_row_of_wide_texels_is_whole_texels),
          TESTCASE(an_object_tells_what_it_was_made_of),
          TESTCASE(a_texture_is_of_something),
          TESTCASE(a_texture_of_memory_is_aligned_and_not_too_long),
          TESTCASE(a_texture_of_rows_has_a_pitch),
          TESTCASE(a_texture_is_read_as_its_format_allows),
          TESTCASE(a_texture_with_levels_is_read_by_normalized_coordinates),
          TESTCASE(a_seamless_cube_is_not_filtered),
          TESTCASE(a_view_is_of_the_whole_in_another_format))
