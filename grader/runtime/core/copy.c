// SPDX-License-Identifier: Apache-2.0
// Copies and fills. Everything that a program does is done at once, so that a
// copy of a stream is a copy.
#include "runtime/core/copy.h"
#include "runtime/core/memory.h"

#include <string.h>

// Where the bytes are in this process. NULL: the device has no such memory. An
// address outside of its memory is the program's.
static uint8_t *bytes_at(Runtime *r, const void *address, uint64_t count,
                         bool must_be_device) {
    uint64_t offset;
    const Slot *slot = memory_slot(r, address, &offset);
    if (!slot)
        return must_be_device || memory_was(r, address)
                   ? NULL
                   : (uint8_t *)(uintptr_t)address;
    uint64_t reach = memory_reach(slot);
    return offset <= reach && count <= reach - offset ? slot->bytes + offset
                                                      : NULL;
}

// The bytes that an area of that extent spans.
static uint64_t span_of(Area area, CudaExtent extent) {
    return (extent.depth - 1) * area.slice + (extent.height - 1) * area.pitch +
           extent.width;
}

// A row of an area: its address, and its bytes in this process.
typedef struct Row {
    const char *address;
    uint8_t *bytes;
} Row;

static Row row_of(Area area, uint8_t *bytes, size_t y, size_t z) {
    size_t at = z * area.slice + y * area.pitch;
    return (Row){(const char *)area.ptr + at, bytes + at};
}

static bool is_empty(CudaExtent extent) {
    return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

static void copy_row(Runtime *r, Row to, Row from, size_t width) {
    memmove(to.bytes, from.bytes, width);
    memory_copied(r, to.address, from.address, width);
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
    uint8_t *in = bytes_at(r, from.ptr, span_of(from, extent), from_device);
    if (!out || !in)
        return CUDA_VALUE;
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++)
            copy_row(r, row_of(to, out, y, z), row_of(from, in, y, z),
                     extent.width);
    return CUDA_OK;
}

CudaError copy_bytes(Runtime *r, void *to, const void *from, size_t count,
                     CudaCopy kind) {
    return copy_areas(r, (Area){to, count, count},
                      (Area){(void *)(uintptr_t)from, count, count},
                      (CudaExtent){count, 1, 1}, kind);
}

static void clear_row(Runtime *r, Row to, int value, size_t width) {
    memset(to.bytes, value, width);
    memory_written(r, to.address, width);
}

static CudaError copy_fill(Runtime *r, Area to, int value, CudaExtent extent) {
    if (is_empty(extent))
        return CUDA_OK;
    if (to.pitch < extent.width)
        return CUDA_PITCH;
    uint8_t *out = bytes_at(r, to.ptr, span_of(to, extent), true);
    if (!out)
        return CUDA_VALUE;
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++)
            clear_row(r, row_of(to, out, y, z), value, extent.width);
    return CUDA_OK;
}

static CudaError fill_row(Runtime *r, const Fill *fill, const uint8_t *to) {
    size_t width = fill->element, bytes = width * fill->extent.width;
    uint8_t *out = bytes_at(r, to, bytes, true);
    if (!out)
        return bytes ? CUDA_VALUE : CUDA_OK;
    for (size_t i = 0; i < bytes; i += width)
        memcpy(out + i, &fill->value, width);
    memory_written(r, to, bytes);
    return CUDA_OK;
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
