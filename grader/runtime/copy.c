// SPDX-License-Identifier: Apache-2.0
// Copies and fills. Everything that a program does is done at once, so that a
// copy of a stream is a copy.
#include "runtime/internal.h"

#include <string.h>

// Where the bytes are in this process. NULL: the device has no such memory. An
// address outside of its memory is the program's.
static uint8_t *bytes_at(Runtime *r, const void *address, uint64_t count,
                         bool must_be_device) {
    uint64_t offset;
    const Slot *slot = memory_slot(r, address, &offset);
    if (!slot)
        return must_be_device ? NULL : (uint8_t *)(uintptr_t)address;
    return count <= slot->size - offset ? slot->bytes + offset : NULL;
}

// The bytes that an area of that extent spans.
static uint64_t span_of(Area area, CudaExtent extent) {
    return (extent.depth - 1) * area.slice + (extent.height - 1) * area.pitch +
           extent.width;
}

static bool is_empty(CudaExtent extent) {
    return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

CudaError copy_areas(Runtime *r, Area to, Area from, CudaExtent extent,
                     CudaCopy kind) {
    bool to_device =
        kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE;
    bool from_device =
        kind == COPY_DEVICE_TO_HOST || kind == COPY_DEVICE_TO_DEVICE;
    if ((unsigned)kind > COPY_DEFAULT)
        return CUDA_DIRECTION;
    if (is_empty(extent))
        return CUDA_OK;
    if (to.pitch < extent.width || from.pitch < extent.width)
        return CUDA_PITCH;
    uint8_t *out = bytes_at(r, to.ptr, span_of(to, extent), to_device);
    const uint8_t *in =
        bytes_at(r, from.ptr, span_of(from, extent), from_device);
    if (!out || !in)
        return CUDA_VALUE;
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++)
            memmove(out + z * to.slice + y * to.pitch,
                    in + z * from.slice + y * from.pitch, extent.width);
    return CUDA_OK;
}

CudaError copy_bytes(Runtime *r, void *to, const void *from, size_t count,
                     CudaCopy kind) {
    return copy_areas(r, (Area){to, count, count},
                      (Area){(void *)(uintptr_t)from, count, count},
                      (CudaExtent){count, 1, 1}, kind);
}

CudaError copy_fill(Runtime *r, Area to, int value, CudaExtent extent) {
    if (is_empty(extent))
        return CUDA_OK;
    if (to.pitch < extent.width)
        return CUDA_PITCH;
    uint8_t *out = bytes_at(r, to.ptr, span_of(to, extent), true);
    if (!out)
        return CUDA_VALUE;
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++)
            memset(out + z * to.slice + y * to.pitch, value, extent.width);
    return CUDA_OK;
}

// A row of elements is as many rows of a byte each, once for each of their
// bytes.
static CudaError fill_row(Runtime *r, const Fill *fill, uint8_t *to) {
    CudaError error = CUDA_OK;
    size_t width = fill->element, count = fill->extent.width;
    for (size_t i = 0; i < width && !error; i++)
        error = copy_fill(r, (Area){to + i, width, width * count},
                          (int)(fill->value >> 8 * i & 0xff),
                          (CudaExtent){1, count, 1});
    return error;
}

CudaError copy_fill_elements(Runtime *r, const Fill *fill) {
    CudaError error = CUDA_OK;
    const Area *to = &fill->to;
    CudaExtent extent = fill->extent;
    if (fill->element == 1)
        return copy_fill(r, *to, (int)fill->value, extent);
    if (fill->element != 2 && fill->element != 4)
        return CUDA_VALUE;
    if (extent.height > 1 && to->pitch < extent.width * fill->element)
        return CUDA_PITCH;
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height && !error; y++)
            error = fill_row(
                r, fill, (uint8_t *)to->ptr + z * to->slice + y * to->pitch);
    return error;
}
