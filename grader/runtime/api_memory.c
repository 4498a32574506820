// SPDX-License-Identifier: Apache-2.0
// The functions for memory: allocating, copying, filling, symbols, and what a
// pointer points to.
#include "runtime/internal.h"

#include <string.h>

enum { PITCH = 512 }; // bytes

#define RETURN(name, call)                   \
    do {                                     \
        Runtime *r = runtime_enter();        \
        return runtime_leave(r, name, call); \
    } while (0)

// ---- allocating ----------------------------------------------------------

API CudaError cudaMalloc(void **address, size_t bytes) {
    RETURN("cudaMalloc", memory_new(r, SLOT_DEVICE, bytes, address));
}

API CudaError cudaMallocManaged(void **address, size_t bytes, uint32_t flags) {
    (void)flags;
    RETURN("cudaMallocManaged", memory_new(r, SLOT_MANAGED, bytes, address));
}

API CudaError cudaMallocHost(void **address, size_t bytes) {
    RETURN("cudaMallocHost", memory_new(r, SLOT_HOST, bytes, address));
}

API CudaError cudaHostAlloc(void **address, size_t bytes, uint32_t flags) {
    (void)flags;
    RETURN("cudaHostAlloc", memory_new(r, SLOT_HOST, bytes, address));
}

API CudaError cudaMallocAsync(void **address, size_t bytes,
                              CudaStream *stream) {
    (void)stream;
    RETURN("cudaMallocAsync", memory_new(r, SLOT_DEVICE, bytes, address));
}

API CudaError cudaMallocFromPoolAsync(void **address, size_t bytes,
                                      CudaPool *pool, CudaStream *stream) {
    (void)pool, (void)stream;
    RETURN("cudaMallocFromPoolAsync",
           memory_new(r, SLOT_DEVICE, bytes, address));
}

static size_t pitch_of(size_t width) {
    return (width + PITCH - 1) / PITCH * PITCH;
}

API CudaError cudaMallocPitch(void **address, size_t *pitch, size_t width,
                              size_t height) {
    *pitch = pitch_of(width);
    RETURN("cudaMallocPitch",
           memory_new(r, SLOT_DEVICE, *pitch * height, address));
}

API CudaError cudaMalloc3D(CudaPitched *to, CudaExtent extent) {
    to->pitch = pitch_of(extent.width);
    to->width = extent.width;
    to->height = extent.height;
    RETURN("cudaMalloc3D",
           memory_new(r, SLOT_DEVICE, to->pitch * extent.height * extent.depth,
                      &to->ptr));
}

API CudaError cudaFree(void *address) {
    RETURN("cudaFree", memory_free(r, address, false));
}

API CudaError cudaFreeAsync(void *address, CudaStream *stream) {
    (void)stream;
    RETURN("cudaFreeAsync", memory_free(r, address, false));
}

API CudaError cudaFreeHost(void *address) {
    RETURN("cudaFreeHost", memory_free(r, address, true));
}

API CudaError cudaHostRegister(void *host, size_t bytes, uint32_t flags) {
    (void)flags;
    RETURN("cudaHostRegister", memory_register(r, host, bytes));
}

API CudaError cudaHostUnregister(void *host) {
    RETURN("cudaHostUnregister", memory_unregister(r, host));
}

static CudaError device_pointer(Runtime *r, void **device, void *host) {
    uint64_t offset;
    const Slot *slot = memory_slot(r, host, &offset);
    if (!slot)
        slot = memory_mapped(r, host, &offset);
    if (!slot)
        return CUDA_VALUE;
    *device = (char *)memory_address(r, slot) + offset;
    return CUDA_OK;
}

API CudaError cudaHostGetDevicePointer(void **device, void *host,
                                       uint32_t flags) {
    (void)flags;
    RETURN("cudaHostGetDevicePointer", device_pointer(r, device, host));
}

API CudaError cudaHostGetFlags(uint32_t *flags, void *host) {
    (void)host;
    *flags = 0;
    return CUDA_OK;
}

static CudaError memory_info(Runtime *r, size_t *unused, size_t *total) {
    *total = (size_t)64 << 30;
    *unused = *total - (size_t)r->used;
    return CUDA_OK;
}

API CudaError cudaMemGetInfo(size_t *unused, size_t *total) {
    RETURN("cudaMemGetInfo", memory_info(r, unused, total));
}

static CudaError describe(Runtime *r, CudaPointerAttributes *out,
                          void *address) {
    static const CudaMemoryType types[] = {
        [SLOT_DEVICE] = MEMORY_DEVICE,   [SLOT_HOST] = MEMORY_HOST,
        [SLOT_MANAGED] = MEMORY_MANAGED, [SLOT_MAPPED] = MEMORY_DEVICE,
        [SLOT_VARIABLE] = MEMORY_DEVICE,
    };
    uint64_t offset;
    const Slot *slot = memory_slot(r, address, &offset);
    if (!r->is_cuda12) // there the struct ends before it
        memset(out->reserved, 0, sizeof out->reserved);
    out->type = MEMORY_UNREGISTERED;
    out->device_pointer = out->host_pointer = NULL;
    if (slot) {
        out->type = types[slot->kind];
        out->device_pointer = address;
        if (slot->kind == SLOT_HOST || slot->kind == SLOT_MANAGED)
            out->host_pointer = address;
    } else if ((slot = memory_mapped(r, address, &offset))) {
        out->type = MEMORY_HOST;
        out->device_pointer = (char *)memory_address(r, slot) + offset;
        out->host_pointer = address;
    }
    out->device = slot ? 0 : -2;
    return CUDA_OK;
}

API CudaError cudaPointerGetAttributes(CudaPointerAttributes *out,
                                       void *address) {
    RETURN("cudaPointerGetAttributes", describe(r, out, address));
}

// ---- copying -------------------------------------------------------------

// What a copy that the program waits for does besides.
static CudaError waited(Runtime *r, CudaError error) {
    runtime_flush(r);
    return error;
}

API CudaError cudaMemcpy(void *to, const void *from, size_t count,
                         CudaCopy kind) {
    RETURN("cudaMemcpy", waited(r, copy_bytes(r, to, from, count, kind)));
}

API CudaError cudaMemcpyAsync(void *to, const void *from, size_t count,
                              CudaCopy kind, CudaStream *stream) {
    (void)stream;
    RETURN("cudaMemcpyAsync", copy_bytes(r, to, from, count, kind));
}

API CudaError cudaMemcpyPeer(void *to, int to_device, const void *from,
                             int from_device, size_t count) {
    (void)to_device, (void)from_device;
    RETURN("cudaMemcpyPeer",
           waited(r, copy_bytes(r, to, from, count, COPY_DEVICE_TO_DEVICE)));
}

API CudaError cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                  int from_device, size_t count,
                                  CudaStream *stream) {
    (void)to_device, (void)from_device, (void)stream;
    RETURN("cudaMemcpyPeerAsync",
           copy_bytes(r, to, from, count, COPY_DEVICE_TO_DEVICE));
}

static CudaError copy_rows(Runtime *r, void *to, size_t to_pitch,
                           const void *from, size_t from_pitch, size_t width,
                           size_t height, CudaCopy kind) {
    return copy_areas(
        r, (Area){to, to_pitch, to_pitch * height},
        (Area){(void *)(uintptr_t)from, from_pitch, from_pitch * height},
        (CudaExtent){width, height, 1}, kind);
}

API CudaError cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                           size_t from_pitch, size_t width, size_t height,
                           CudaCopy kind) {
    RETURN("cudaMemcpy2D",
           waited(r, copy_rows(r, to, to_pitch, from, from_pitch, width, height,
                               kind)));
}

API CudaError cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                size_t from_pitch, size_t width, size_t height,
                                CudaCopy kind, CudaStream *stream) {
    (void)stream;
    RETURN("cudaMemcpy2DAsync",
           copy_rows(r, to, to_pitch, from, from_pitch, width, height, kind));
}

static Area area_of(const CudaPitched *pitched, CudaExtent at) {
    size_t slice = pitched->pitch * pitched->height;
    return (Area){(char *)pitched->ptr + at.depth * slice +
                      at.height * pitched->pitch + at.width,
                  pitched->pitch, slice};
}

static CudaError copy_3d(Runtime *r, const CudaCopy3D *copy) {
    if (copy->from_array || copy->to_array)
        return CUDA_NOT_SUPPORTED;
    return copy_areas(r, area_of(&copy->to, copy->to_at),
                      area_of(&copy->from, copy->from_at), copy->extent,
                      copy->kind);
}

API CudaError cudaMemcpy3D(const CudaCopy3D *copy) {
    RETURN("cudaMemcpy3D", waited(r, copy_3d(r, copy)));
}

API CudaError cudaMemcpy3DAsync(const CudaCopy3D *copy, CudaStream *stream) {
    (void)stream;
    RETURN("cudaMemcpy3DAsync", copy_3d(r, copy));
}

// ---- filling -------------------------------------------------------------

static CudaError fill_bytes(Runtime *r, void *to, int value, size_t count) {
    return copy_fill(r, (Area){to, count, count}, value,
                     (CudaExtent){count, 1, 1});
}

API CudaError cudaMemset(void *to, int value, size_t count) {
    RETURN("cudaMemset", fill_bytes(r, to, value, count));
}

API CudaError cudaMemsetAsync(void *to, int value, size_t count,
                              CudaStream *stream) {
    (void)stream;
    RETURN("cudaMemsetAsync", fill_bytes(r, to, value, count));
}

API CudaError cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                           size_t height) {
    RETURN("cudaMemset2D", copy_fill(r, (Area){to, pitch, pitch * height},
                                     value, (CudaExtent){width, height, 1}));
}

API CudaError cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                size_t height, CudaStream *stream) {
    (void)stream;
    return cudaMemset2D(to, pitch, value, width, height);
}

API CudaError cudaMemset3D(CudaPitched to, int value, CudaExtent extent) {
    RETURN("cudaMemset3D",
           copy_fill(r, area_of(&to, (CudaExtent){0}), value, extent));
}

API CudaError cudaMemset3DAsync(CudaPitched to, int value, CudaExtent extent,
                                CudaStream *stream) {
    (void)stream;
    return cudaMemset3D(to, value, extent);
}

// ---- variables -----------------------------------------------------------

// The address of byte `offset` of the variable, if `count` more are there.
static CudaError symbol_at(Runtime *r, const void *symbol, size_t offset,
                           size_t count, void **address) {
    Variable *variable;
    CudaError error = module_find_variable(r, symbol, &variable);
    if (error)
        return error;
    if (offset > variable->size || count > variable->size - offset)
        return CUDA_VALUE;
    *address = (char *)memory_address(r, &r->slots[variable->number]) + offset;
    return CUDA_OK;
}

static CudaError to_symbol(Runtime *r, const void *symbol, const void *from,
                           size_t count, size_t offset) {
    void *to;
    CudaError error = symbol_at(r, symbol, offset, count, &to);
    return error ? error : copy_bytes(r, to, from, count, COPY_DEFAULT);
}

static CudaError from_symbol(Runtime *r, void *to, const void *symbol,
                             size_t count, size_t offset) {
    void *from;
    CudaError error = symbol_at(r, symbol, offset, count, &from);
    return error ? error : copy_bytes(r, to, from, count, COPY_DEFAULT);
}

API CudaError cudaMemcpyToSymbol(const void *symbol, const void *from,
                                 size_t count, size_t offset, CudaCopy kind) {
    (void)kind;
    RETURN("cudaMemcpyToSymbol",
           waited(r, to_symbol(r, symbol, from, count, offset)));
}

API CudaError cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                      size_t count, size_t offset,
                                      CudaCopy kind, CudaStream *stream) {
    (void)kind, (void)stream;
    RETURN("cudaMemcpyToSymbolAsync",
           to_symbol(r, symbol, from, count, offset));
}

API CudaError cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count,
                                   size_t offset, CudaCopy kind) {
    (void)kind;
    RETURN("cudaMemcpyFromSymbol",
           waited(r, from_symbol(r, to, symbol, count, offset)));
}

API CudaError cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                        size_t count, size_t offset,
                                        CudaCopy kind, CudaStream *stream) {
    (void)kind, (void)stream;
    RETURN("cudaMemcpyFromSymbolAsync",
           from_symbol(r, to, symbol, count, offset));
}

API CudaError cudaGetSymbolAddress(void **address, const void *symbol) {
    RETURN("cudaGetSymbolAddress", symbol_at(r, symbol, 0, 0, address));
}

static CudaError symbol_size(Runtime *r, size_t *size, const void *symbol) {
    Variable *variable;
    CudaError error = module_find_variable(r, symbol, &variable);
    if (!error)
        *size = (size_t)variable->size;
    return error;
}

API CudaError cudaGetSymbolSize(size_t *size, const void *symbol) {
    RETURN("cudaGetSymbolSize", symbol_size(r, size, symbol));
}
