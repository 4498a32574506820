// SPDX-License-Identifier: Apache-2.0
// The functions for memory: allocating, copying, filling, symbols, and what a
// pointer points to.
#include "runtime/core/memory.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"
#include "runtime/core/stream.h"

#include <string.h>

enum { PITCH = 512 }; // bytes

// ---- allocating ----------------------------------------------------------

// These might wait for streams.
static CudaError new_now(Runtime *r, SlotKind kind, size_t bytes,
                         void **address) {
    CudaError error = stream_forbid_unsafe(r);
    return error ? error : memory_new(r, kind, bytes, address);
}

static CudaError free_now(Runtime *r, void *address, bool is_host) {
    CudaError error = stream_forbid_unsafe(r);
    return error ? error : memory_free(r, address, is_host);
}

// A graph's memory has its address before it is launched.
static CudaError new_in_stream(Runtime *r, CudaStream *stream, size_t bytes,
                               void **address) {
    Capture *capture;
    CudaError error = stream_capture(r, stream, &capture);
    if (error || !capture)
        return error ? error : memory_new(r, SLOT_DEVICE, bytes, address);
    error = memory_new_parked(r, bytes, address);
    if (!error)
        error =
            stream_do(r, stream, &(Op){.kind = OP_ALLOC, .memory = *address});
    return error;
}

static CudaError free_in_stream(Runtime *r, CudaStream *stream, void *address) {
    return stream_do(r, stream, &(Op){.kind = OP_FREE, .memory = address});
}

API CudaError cudaMalloc(void **address, size_t bytes) {
    RETURN("cudaMalloc", new_now(r, SLOT_DEVICE, bytes, address));
}

API CudaError cudaMallocManaged(void **address, size_t bytes, uint32_t flags) {
    (void)flags;
    RETURN("cudaMallocManaged", new_now(r, SLOT_MANAGED, bytes, address));
}

API CudaError cudaMallocHost(void **address, size_t bytes) {
    RETURN("cudaMallocHost", new_now(r, SLOT_HOST, bytes, address));
}

API CudaError cudaHostAlloc(void **address, size_t bytes, uint32_t flags) {
    (void)flags;
    RETURN("cudaHostAlloc", new_now(r, SLOT_HOST, bytes, address));
}

API CudaError cudaMallocAsync(void **address, size_t bytes,
                              CudaStream *stream) {
    RETURN("cudaMallocAsync", new_in_stream(r, stream, bytes, address));
}

API CudaError cudaMallocFromPoolAsync(void **address, size_t bytes,
                                      CudaPool *pool, CudaStream *stream) {
    (void)pool;
    RETURN("cudaMallocFromPoolAsync", new_in_stream(r, stream, bytes, address));
}

static size_t pitch_of(size_t width) {
    return round_up(width, PITCH);
}

API CudaError cudaMallocPitch(void **address, size_t *pitch, size_t width,
                              size_t height) {
    if (!pitch)
        return runtime_refuse("cudaMallocPitch");
    *pitch = pitch_of(width);
    RETURN("cudaMallocPitch",
           new_now(r, SLOT_DEVICE, *pitch * height, address));
}

API CudaError cudaMalloc3D(CudaPitched *to, CudaExtent extent) {
    to->pitch = pitch_of(extent.width);
    to->width = extent.width;
    to->height = extent.height;
    RETURN("cudaMalloc3D",
           new_now(r, SLOT_DEVICE, to->pitch * extent.height * extent.depth,
                   &to->ptr));
}

API CudaError cudaFree(void *address) {
    RETURN("cudaFree", free_now(r, address, false));
}

API CudaError cudaFreeAsync(void *address, CudaStream *stream) {
    RETURN("cudaFreeAsync", free_in_stream(r, stream, address));
}

API CudaError cudaFreeHost(void *address) {
    RETURN("cudaFreeHost", free_now(r, address, true));
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

// All memory of the host is mapped for the device.
static CudaError host_flags(Runtime *r, uint32_t *flags, const void *host) {
    enum { MAPPED = 2 };
    uint64_t offset;
    const Slot *slot = memory_slot(r, host, &offset);
    if (!slot)
        slot = memory_mapped(r, host, &offset);
    *flags = MAPPED;
    return slot && (slot->kind == SLOT_HOST || slot->kind == SLOT_MANAGED ||
                    slot->kind == SLOT_MAPPED)
               ? CUDA_OK
               : CUDA_VALUE;
}

API CudaError cudaHostGetFlags(uint32_t *flags, void *host) {
    RETURN("cudaHostGetFlags", host_flags(r, flags, host));
}

static CudaError memory_info(Runtime *r, size_t *unused, size_t *total) {
    const size_t all = (size_t)64 << 30;
    if (total)
        *total = all;
    if (unused)
        *unused = all - (size_t)r->used;
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
        [SLOT_VARIABLE] = MEMORY_DEVICE, [SLOT_RESERVED] = MEMORY_DEVICE,
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
    if (!out)
        return runtime_refuse("cudaPointerGetAttributes");
    RETURN("cudaPointerGetAttributes", describe(r, out, address));
}

// ---- copying -------------------------------------------------------------

static CudaError do_now(Runtime *r, Op op) {
    return stream_do_now(r, &op);
}

static CudaError do_in(Runtime *r, CudaStream *stream, Op op) {
    return stream_do(r, stream, &op);
}

API CudaError cudaMemcpy(void *to, const void *from, size_t count,
                         CudaCopy kind) {
    RETURN("cudaMemcpy", do_now(r, op_copy_bytes(to, from, count, kind)));
}

API CudaError cudaMemcpyAsync(void *to, const void *from, size_t count,
                              CudaCopy kind, CudaStream *stream) {
    RETURN("cudaMemcpyAsync",
           do_in(r, stream, op_copy_bytes(to, from, count, kind)));
}

API CudaError cudaMemcpyPeer(void *to, int to_device, const void *from,
                             int from_device, size_t count) {
    (void)to_device, (void)from_device;
    RETURN("cudaMemcpyPeer",
           do_now(r, op_copy_bytes(to, from, count, COPY_DEVICE_TO_DEVICE)));
}

API CudaError cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                  int from_device, size_t count,
                                  CudaStream *stream) {
    (void)to_device, (void)from_device;
    RETURN("cudaMemcpyPeerAsync",
           do_in(r, stream,
                 op_copy_bytes(to, from, count, COPY_DEVICE_TO_DEVICE)));
}

static Op copy_rows(void *to, size_t to_pitch, const void *from,
                    size_t from_pitch, size_t width, size_t height,
                    CudaCopy kind) {
    void *start = (void *)(uintptr_t)from;
    return (Op){.kind = OP_COPY,
                .copy = {.from = {start, from_pitch, from_pitch, height},
                         .to = {to, to_pitch, to_pitch, height},
                         .extent = {width, height, 1},
                         .kind = kind}};
}

API CudaError cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                           size_t from_pitch, size_t width, size_t height,
                           CudaCopy kind) {
    RETURN("cudaMemcpy2D", do_now(r, copy_rows(to, to_pitch, from, from_pitch,
                                               width, height, kind)));
}

API CudaError cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                size_t from_pitch, size_t width, size_t height,
                                CudaCopy kind, CudaStream *stream) {
    RETURN("cudaMemcpy2DAsync", do_in(r, stream,
                                      copy_rows(to, to_pitch, from, from_pitch,
                                                width, height, kind)));
}

API CudaError cudaMemcpy3D(const CudaCopy3D *copy) {
    if (!copy)
        return runtime_refuse("cudaMemcpy3D");
    RETURN("cudaMemcpy3D", do_now(r, (Op){.kind = OP_COPY, .copy = *copy}));
}

API CudaError cudaMemcpy3DAsync(const CudaCopy3D *copy, CudaStream *stream) {
    if (!copy)
        return runtime_refuse("cudaMemcpy3DAsync");
    RETURN("cudaMemcpy3DAsync",
           do_in(r, stream, (Op){.kind = OP_COPY, .copy = *copy}));
}

// cudaMemcpy3DPeerParms.
typedef struct PeerCopy3D {
    struct CudaArray *from_array;
    CudaExtent from_at;
    CudaPitched from;
    int from_device;
    struct CudaArray *to_array;
    CudaExtent to_at;
    CudaPitched to;
    int to_device;
    CudaExtent extent;
} PeerCopy3D;

// There is one device.
static Op copy_of_peer(const PeerCopy3D *given) {
    return (Op){.kind = OP_COPY,
                .copy = {.from_array = given->from_array,
                         .from_at = given->from_at,
                         .from = given->from,
                         .to_array = given->to_array,
                         .to_at = given->to_at,
                         .to = given->to,
                         .extent = given->extent,
                         .kind = COPY_DEVICE_TO_DEVICE}};
}

API CudaError cudaMemcpy3DPeer(const PeerCopy3D *copy) {
    if (!copy)
        return runtime_refuse("cudaMemcpy3DPeer");
    RETURN("cudaMemcpy3DPeer", do_now(r, copy_of_peer(copy)));
}

API CudaError cudaMemcpy3DPeerAsync(const PeerCopy3D *copy,
                                    CudaStream *stream) {
    if (!copy)
        return runtime_refuse("cudaMemcpy3DPeerAsync");
    RETURN("cudaMemcpy3DPeerAsync", do_in(r, stream, copy_of_peer(copy)));
}

// ---- filling -------------------------------------------------------------

static Op fill_area(Area to, int value, CudaExtent extent) {
    return (Op){.kind = OP_FILL, .fill = {to, (uint8_t)value, 1, extent}};
}

// The stream is the last argument. A program of CUDA 12 has one more in front
// of it: where to say which copy failed.
API CudaError cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                   const size_t *sizes, size_t count,
                                   const void *attributes, const size_t *of,
                                   size_t attribute_count, void *eighth,
                                   void *ninth) {
    (void)attributes, (void)of, (void)attribute_count;
    CopyBatch batch = {to, from, sizes, count};
    Runtime *r = runtime_enter();
    CudaStream *stream = r->is_cuda12 ? ninth : eighth;
    return runtime_leave(r, "cudaMemcpyBatchAsync",
                         stream_copy_batch(r, stream, &batch));
}

API CudaError cudaMemset(void *to, int value, size_t count) {
    RETURN("cudaMemset", do_now(r, op_fill_bytes(to, value, count)));
}

API CudaError cudaMemsetAsync(void *to, int value, size_t count,
                              CudaStream *stream) {
    RETURN("cudaMemsetAsync",
           do_in(r, stream, op_fill_bytes(to, value, count)));
}

API CudaError cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                           size_t height) {
    RETURN("cudaMemset2D",
           do_now(r, fill_area((Area){to, pitch, 0}, value,
                               (CudaExtent){width, height, 1})));
}

API CudaError cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                size_t height, CudaStream *stream) {
    RETURN("cudaMemset2DAsync",
           do_in(r, stream,
                 fill_area((Area){to, pitch, 0}, value,
                           (CudaExtent){width, height, 1})));
}

static Area area_of(CudaPitched to) {
    return (Area){to.ptr, to.pitch, to.pitch * to.height};
}

API CudaError cudaMemset3D(CudaPitched to, int value, CudaExtent extent) {
    RETURN("cudaMemset3D", do_now(r, fill_area(area_of(to), value, extent)));
}

API CudaError cudaMemset3DAsync(CudaPitched to, int value, CudaExtent extent,
                                CudaStream *stream) {
    RETURN("cudaMemset3DAsync",
           do_in(r, stream, fill_area(area_of(to), value, extent)));
}

// ---- variables -----------------------------------------------------------

typedef struct SymbolCopy {
    const void *symbol;
    size_t offset;
    bool is_to; // the symbol; or from it
    void *other;
    size_t count;
} SymbolCopy;

static CudaError find_symbol_copy(Runtime *r, const SymbolCopy *copy, Op *op) {
    void *at;
    CudaError error =
        module_symbol(r, copy->symbol, copy->offset, copy->count, &at);
    if (!error)
        *op = op_copy_bytes(copy->is_to ? at : copy->other,
                            copy->is_to ? copy->other : at, copy->count,
                            COPY_DEFAULT);
    return error;
}

static CudaError symbol_now(Runtime *r, SymbolCopy copy) {
    Op op;
    CudaError error = find_symbol_copy(r, &copy, &op);
    return error ? error : do_now(r, op);
}

static CudaError symbol_in(Runtime *r, CudaStream *stream, SymbolCopy copy) {
    Op op;
    CudaError error = find_symbol_copy(r, &copy, &op);
    return error ? error : stream_do(r, stream, &op);
}

API CudaError cudaMemcpyToSymbol(const void *symbol, const void *from,
                                 size_t count, size_t offset, CudaCopy kind) {
    SymbolCopy copy = {symbol, offset, true, (void *)(uintptr_t)from, count};
    (void)kind;
    RETURN("cudaMemcpyToSymbol", symbol_now(r, copy));
}

API CudaError cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                      size_t count, size_t offset,
                                      CudaCopy kind, CudaStream *stream) {
    SymbolCopy copy = {symbol, offset, true, (void *)(uintptr_t)from, count};
    (void)kind;
    RETURN("cudaMemcpyToSymbolAsync", symbol_in(r, stream, copy));
}

API CudaError cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count,
                                   size_t offset, CudaCopy kind) {
    SymbolCopy copy = {symbol, offset, false, to, count};
    (void)kind;
    RETURN("cudaMemcpyFromSymbol", symbol_now(r, copy));
}

API CudaError cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                        size_t count, size_t offset,
                                        CudaCopy kind, CudaStream *stream) {
    SymbolCopy copy = {symbol, offset, false, to, count};
    (void)kind;
    RETURN("cudaMemcpyFromSymbolAsync", symbol_in(r, stream, copy));
}

API CudaError cudaGetSymbolAddress(void **address, const void *symbol) {
    RETURN("cudaGetSymbolAddress", module_symbol(r, symbol, 0, 0, address));
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
