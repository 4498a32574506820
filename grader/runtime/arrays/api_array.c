// SPDX-License-Identifier: Apache-2.0
// The functions for arrays: making them, copying from and to them.
#include "runtime/arrays/array.h"
#include "runtime/core/stream.h"

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

static CudaError copy_rows(Runtime *r, CopyCall call, CopyEnd to, CopyEnd from,
                           size_t width, size_t height, CudaCopy kind) {
    return stream_copy(r, call, &to, &from, (CudaExtent){width, height, 1},
                       kind);
}

static CopyEnd in_array(const CudaArray *array, size_t x, size_t y) {
    return (CopyEnd){.array = (CudaArray *)(uintptr_t)array, .at = {x, y, 0}};
}

static CopyEnd in_memory(const void *memory, size_t pitch, size_t height) {
    return (CopyEnd){.memory = {.ptr = (void *)(uintptr_t)memory,
                                .pitch = pitch,
                                .height = height}};
}

API CudaError cudaMemcpy2DToArray(CudaArray *to, size_t x, size_t y,
                                  const void *from, size_t pitch, size_t width,
                                  size_t height, CudaCopy kind) {
    RETURN("cudaMemcpy2DToArray",
           copy_rows(r, COPY_NOW, in_array(to, x, y),
                     in_memory(from, pitch, height), width, height, kind));
}

API CudaError cudaMemcpy2DToArrayAsync(CudaArray *to, size_t x, size_t y,
                                       const void *from, size_t pitch,
                                       size_t width, size_t height,
                                       CudaCopy kind, CudaStream *stream) {
    RETURN("cudaMemcpy2DToArrayAsync",
           copy_rows(r, COPY_IN(stream), in_array(to, x, y),
                     in_memory(from, pitch, height), width, height, kind));
}

API CudaError cudaMemcpy2DFromArray(void *to, size_t pitch,
                                    const CudaArray *from, size_t x, size_t y,
                                    size_t width, size_t height,
                                    CudaCopy kind) {
    RETURN("cudaMemcpy2DFromArray",
           copy_rows(r, COPY_NOW, in_memory(to, pitch, height),
                     in_array(from, x, y), width, height, kind));
}

API CudaError cudaMemcpy2DFromArrayAsync(void *to, size_t pitch,
                                         const CudaArray *from, size_t x,
                                         size_t y, size_t width, size_t height,
                                         CudaCopy kind, CudaStream *stream) {
    RETURN("cudaMemcpy2DFromArrayAsync",
           copy_rows(r, COPY_IN(stream), in_memory(to, pitch, height),
                     in_array(from, x, y), width, height, kind));
}

API CudaError cudaMemcpy2DArrayToArray(CudaArray *to, size_t to_x, size_t to_y,
                                       const CudaArray *from, size_t from_x,
                                       size_t from_y, size_t width,
                                       size_t height, CudaCopy kind) {
    RETURN("cudaMemcpy2DArrayToArray",
           copy_rows(r, COPY_NOW, in_array(to, to_x, to_y),
                     in_array(from, from_x, from_y), width, height, kind));
}

// ---- copying from row to row ---------------------------------------------

// `count` bytes from a place on.
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

static CudaError copy_linear(Runtime *r, CopyCall call, void *to,
                             const void *from, size_t count, CudaCopy kind) {
    Op op = op_copy_bytes(to, from, count, kind);
    return stream_call(r, call, &op);
}

static CudaError linear_to(Runtime *r, CopyCall call, CudaArray *to, size_t x,
                           size_t y, const void *from, size_t count,
                           CudaCopy kind) {
    void *address;
    CudaError error = linear_in(r, to, x, y, count, &address);
    return error ? error : copy_linear(r, call, address, from, count, kind);
}

static CudaError linear_from(Runtime *r, CopyCall call, void *to,
                             const CudaArray *from, size_t x, size_t y,
                             size_t count, CudaCopy kind) {
    void *address;
    CudaError error = linear_in(r, from, x, y, count, &address);
    return error ? error : copy_linear(r, call, to, address, count, kind);
}

API CudaError cudaMemcpyToArray(CudaArray *to, size_t x, size_t y,
                                const void *from, size_t count, CudaCopy kind) {
    RETURN("cudaMemcpyToArray",
           linear_to(r, COPY_NOW, to, x, y, from, count, kind));
}

API CudaError cudaMemcpyToArrayAsync(CudaArray *to, size_t x, size_t y,
                                     const void *from, size_t count,
                                     CudaCopy kind, CudaStream *stream) {
    RETURN("cudaMemcpyToArrayAsync",
           linear_to(r, COPY_IN(stream), to, x, y, from, count, kind));
}

API CudaError cudaMemcpyFromArray(void *to, const CudaArray *from, size_t x,
                                  size_t y, size_t count, CudaCopy kind) {
    RETURN("cudaMemcpyFromArray",
           linear_from(r, COPY_NOW, to, from, x, y, count, kind));
}

API CudaError cudaMemcpyFromArrayAsync(void *to, const CudaArray *from,
                                       size_t x, size_t y, size_t count,
                                       CudaCopy kind, CudaStream *stream) {
    RETURN("cudaMemcpyFromArrayAsync",
           linear_from(r, COPY_IN(stream), to, from, x, y, count, kind));
}

static CudaError linear_between(Runtime *r, CudaArray *to, size_t to_x,
                                size_t to_y, const CudaArray *from,
                                size_t from_x, size_t from_y, size_t count,
                                CudaCopy kind) {
    void *address;
    CudaError error = linear_in(r, from, from_x, from_y, count, &address);
    return error ? error
                 : linear_to(r, COPY_NOW, to, to_x, to_y, address, count, kind);
}

API CudaError cudaMemcpyArrayToArray(CudaArray *to, size_t to_x, size_t to_y,
                                     const CudaArray *from, size_t from_x,
                                     size_t from_y, size_t count,
                                     CudaCopy kind) {
    RETURN(
        "cudaMemcpyArrayToArray",
        linear_between(r, to, to_x, to_y, from, from_x, from_y, count, kind));
}
