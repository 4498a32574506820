// SPDX-License-Identifier: Apache-2.0
// The functions for arrays: making them, copying from and to them.
#include "runtime/internal.h"

#define RETURN(name, call)                   \
    do {                                     \
        Runtime *r = runtime_enter();        \
        return runtime_leave(r, name, call); \
    } while (0)

// ---- making --------------------------------------------------------------

API CudaChannels cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (CudaChannels){{x, y, z, w}, kind};
}

API CudaError cudaMallocArray(CudaArray **array, const CudaChannels *channels,
                              size_t width, size_t height, uint32_t flags) {
    RETURN(
        "cudaMallocArray",
        array_new(r, channels, (CudaExtent){width, height, 0}, flags, array));
}

API CudaError cudaMalloc3DArray(CudaArray **array, const CudaChannels *channels,
                                CudaExtent extent, uint32_t flags) {
    RETURN("cudaMalloc3DArray", array_new(r, channels, extent, flags, array));
}

API CudaError cudaFreeArray(CudaArray *array) {
    RETURN("cudaFreeArray", array_free(r, array));
}

API CudaError cudaMallocMipmappedArray(CudaMipmap **mipmap,
                                       const CudaChannels *channels,
                                       CudaExtent extent, uint32_t levels,
                                       uint32_t flags) {
    RETURN("cudaMallocMipmappedArray",
           mipmap_new(r, channels, extent, levels, flags, mipmap));
}

API CudaError cudaFreeMipmappedArray(CudaMipmap *mipmap) {
    RETURN("cudaFreeMipmappedArray", mipmap_free(r, mipmap));
}

static CudaError level_of(const Runtime *r, CudaArray **array,
                          const CudaMipmap *mipmap, uint32_t level) {
    if (!mipmap_is(r, mipmap))
        return CUDA_HANDLE;
    if (level >= mipmap->count)
        return CUDA_VALUE;
    *array = mipmap->levels[level];
    return CUDA_OK;
}

API CudaError cudaGetMipmappedArrayLevel(CudaArray **array, CudaMipmap *mipmap,
                                         uint32_t level) {
    RETURN("cudaGetMipmappedArrayLevel", level_of(r, array, mipmap, level));
}

static CudaError describe(const Runtime *r, CudaChannels *channels,
                          CudaExtent *extent, uint32_t *flags,
                          const CudaArray *array) {
    if (!array_is(r, array))
        return CUDA_HANDLE;
    if (channels)
        *channels = array->channels;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return CUDA_OK;
}

API CudaError cudaArrayGetInfo(CudaChannels *channels, CudaExtent *extent,
                               uint32_t *flags, CudaArray *array) {
    RETURN("cudaArrayGetInfo", describe(r, channels, extent, flags, array));
}

API CudaError cudaGetChannelDesc(CudaChannels *channels,
                                 const CudaArray *array) {
    RETURN("cudaGetChannelDesc", describe(r, channels, NULL, NULL, array));
}

// ---- copying -------------------------------------------------------------

static CudaError waited(Runtime *r, CudaError error) {
    runtime_flush(r);
    return error;
}

static CopyEnd in_array(const CudaArray *array, size_t x, size_t y) {
    return (CopyEnd){.array = (CudaArray *)(uintptr_t)array, .at = {x, y, 0}};
}

static CopyEnd in_memory(const void *memory, size_t pitch, size_t height) {
    return (CopyEnd){.memory = {.ptr = (void *)(uintptr_t)memory,
                                .pitch = pitch,
                                .height = height}};
}

static CudaError to_array(Runtime *r, CudaArray *to, size_t x, size_t y,
                          const void *from, size_t pitch, size_t width,
                          size_t height, CudaCopy kind) {
    CopyEnd out = in_array(to, x, y), in = in_memory(from, pitch, height);
    return array_copy(r, &out, &in, (CudaExtent){width, height, 1}, kind);
}

static CudaError from_array(Runtime *r, void *to, size_t pitch,
                            const CudaArray *from, size_t x, size_t y,
                            size_t width, size_t height, CudaCopy kind) {
    CopyEnd out = in_memory(to, pitch, height), in = in_array(from, x, y);
    return array_copy(r, &out, &in, (CudaExtent){width, height, 1}, kind);
}

API CudaError cudaMemcpy2DToArray(CudaArray *to, size_t x, size_t y,
                                  const void *from, size_t pitch, size_t width,
                                  size_t height, CudaCopy kind) {
    RETURN("cudaMemcpy2DToArray",
           waited(r, to_array(r, to, x, y, from, pitch, width, height, kind)));
}

API CudaError cudaMemcpy2DToArrayAsync(CudaArray *to, size_t x, size_t y,
                                       const void *from, size_t pitch,
                                       size_t width, size_t height,
                                       CudaCopy kind, CudaStream *stream) {
    (void)stream;
    RETURN("cudaMemcpy2DToArrayAsync",
           to_array(r, to, x, y, from, pitch, width, height, kind));
}

API CudaError cudaMemcpy2DFromArray(void *to, size_t pitch,
                                    const CudaArray *from, size_t x, size_t y,
                                    size_t width, size_t height,
                                    CudaCopy kind) {
    RETURN(
        "cudaMemcpy2DFromArray",
        waited(r, from_array(r, to, pitch, from, x, y, width, height, kind)));
}

API CudaError cudaMemcpy2DFromArrayAsync(void *to, size_t pitch,
                                         const CudaArray *from, size_t x,
                                         size_t y, size_t width, size_t height,
                                         CudaCopy kind, CudaStream *stream) {
    (void)stream;
    RETURN("cudaMemcpy2DFromArrayAsync",
           from_array(r, to, pitch, from, x, y, width, height, kind));
}

static CudaError between(Runtime *r, const CopyEnd *to, const CopyEnd *from,
                         size_t width, size_t height, CudaCopy kind) {
    return array_copy(r, to, from, (CudaExtent){width, height, 1}, kind);
}

API CudaError cudaMemcpy2DArrayToArray(CudaArray *to, size_t to_x, size_t to_y,
                                       const CudaArray *from, size_t from_x,
                                       size_t from_y, size_t width,
                                       size_t height, CudaCopy kind) {
    CopyEnd out = in_array(to, to_x, to_y), in = in_array(from, from_x, from_y);
    RETURN("cudaMemcpy2DArrayToArray",
           waited(r, between(r, &out, &in, width, height, kind)));
}

// `count` bytes from a place on, from row to row.
static CudaError linear_in(const Runtime *r, const CudaArray *array, size_t x,
                           size_t y, size_t count, void **address) {
    if (!array_is(r, array))
        return CUDA_HANDLE;
    uint64_t pitch = array_pitch(array), all = array_slice(array);
    if (x > all || y > all / pitch || y * pitch + x > all ||
        count > all - y * pitch - x)
        return CUDA_VALUE;
    *address = (char *)array->address + y * pitch + x;
    return CUDA_OK;
}

static CudaError linear_to(Runtime *r, CudaArray *to, size_t x, size_t y,
                           const void *from, size_t count, CudaCopy kind) {
    void *address;
    CudaError error = linear_in(r, to, x, y, count, &address);
    return error ? error : copy_bytes(r, address, from, count, kind);
}

static CudaError linear_from(Runtime *r, void *to, const CudaArray *from,
                             size_t x, size_t y, size_t count, CudaCopy kind) {
    void *address;
    CudaError error = linear_in(r, from, x, y, count, &address);
    return error ? error : copy_bytes(r, to, address, count, kind);
}

API CudaError cudaMemcpyToArray(CudaArray *to, size_t x, size_t y,
                                const void *from, size_t count, CudaCopy kind) {
    RETURN("cudaMemcpyToArray",
           waited(r, linear_to(r, to, x, y, from, count, kind)));
}

API CudaError cudaMemcpyToArrayAsync(CudaArray *to, size_t x, size_t y,
                                     const void *from, size_t count,
                                     CudaCopy kind, CudaStream *stream) {
    (void)stream;
    RETURN("cudaMemcpyToArrayAsync", linear_to(r, to, x, y, from, count, kind));
}

API CudaError cudaMemcpyFromArray(void *to, const CudaArray *from, size_t x,
                                  size_t y, size_t count, CudaCopy kind) {
    RETURN("cudaMemcpyFromArray",
           waited(r, linear_from(r, to, from, x, y, count, kind)));
}

API CudaError cudaMemcpyFromArrayAsync(void *to, const CudaArray *from,
                                       size_t x, size_t y, size_t count,
                                       CudaCopy kind, CudaStream *stream) {
    (void)stream;
    RETURN("cudaMemcpyFromArrayAsync",
           linear_from(r, to, from, x, y, count, kind));
}

static CudaError linear_between(Runtime *r, CudaArray *to, size_t to_x,
                                size_t to_y, const CudaArray *from,
                                size_t from_x, size_t from_y, size_t count,
                                CudaCopy kind) {
    void *address;
    CudaError error = linear_in(r, from, from_x, from_y, count, &address);
    return error ? error : linear_to(r, to, to_x, to_y, address, count, kind);
}

API CudaError cudaMemcpyArrayToArray(CudaArray *to, size_t to_x, size_t to_y,
                                     const CudaArray *from, size_t from_x,
                                     size_t from_y, size_t count,
                                     CudaCopy kind) {
    RETURN("cudaMemcpyArrayToArray",
           waited(r, linear_between(r, to, to_x, to_y, from, from_x, from_y,
                                    count, kind)));
}
