// SPDX-License-Identifier: Apache-2.0
// The driver's functions that ask what is at an address.
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"

#include <string.h>

CudaError cudaMallocPitch(void **address, size_t *pitch, size_t width,
                          size_t height);

API CudaError cuMemAllocPitch_v2(void **address, size_t *pitch, size_t width,
                                 size_t height, uint32_t element) {
    if (element != 4 && element != 8 && element != 16)
        return CUDA_VALUE;
    return cudaMallocPitch(address, pitch, width, height);
}

static CudaError address_range(Runtime *r, void **start, size_t *size,
                               const void *address) {
    uint64_t offset;
    const Slot *slot = memory_slot(r, address, &offset);
    if (!slot)
        return CUDA_NOT_FOUND;
    if (start)
        *start = memory_address(r, slot);
    if (size)
        *size = (size_t)slot->size;
    return CUDA_OK;
}

API CudaError cuMemGetAddressRange_v2(void **start, size_t *size,
                                      const void *address) {
    DRIVER_RETURN("cuMemGetAddressRange",
                  address_range(r, start, size, address));
}

// ---- attributes of an address --------------------------------------------

// CUpointer_attribute.
typedef enum PointerAttribute {
    POINTER_CONTEXT = 1,
    POINTER_TYPE,
    POINTER_DEVICE,
    POINTER_HOST,
    POINTER_SYNC = 6,
    POINTER_ID,
    POINTER_IS_MANAGED,
    POINTER_ORDINAL,
    POINTER_START = 11,
    POINTER_SIZE,
    POINTER_MAPPED,
    POINTER_HANDLES,
    POINTER_ACCESS = 16,
    POINTER_POOL,
} PointerAttribute;

// What is at an address; `slot` is NULL: nothing.
typedef struct Pointed {
    const Slot *slot;
    uintptr_t start, device, host; // host 0: the program has no address of it
} Pointed;

static Pointed look_up(Runtime *r, const void *address) {
    uint64_t offset;
    Pointed p = {.slot = memory_slot(r, address, &offset)};
    if (!p.slot) {
        p.slot = memory_mapped(r, address, &offset);
        p.host = (uintptr_t)address;
    } else if (p.slot->kind == SLOT_HOST || p.slot->kind == SLOT_MANAGED) {
        p.host = (uintptr_t)address;
    }
    if (!p.slot)
        return (Pointed){0};
    p.start = (uintptr_t)memory_address(r, p.slot);
    p.device = p.start + offset;
    return p;
}

static CudaError put(void *out, uint64_t value, size_t size) {
    memcpy(out, &value, size);
    return CUDA_OK;
}

static CudaError pointer_attribute(const Pointed *p, void *out, int attribute) {
    enum { CONTEXT = 1, HOST = 1, DEVICE, READ_WRITE = 3 };
    const Slot *slot = p->slot;
    bool is_host = slot->kind == SLOT_HOST || slot->kind == SLOT_MAPPED;
    switch ((PointerAttribute)attribute) {
    case POINTER_CONTEXT:
        return put(out, CONTEXT, sizeof(void *));
    case POINTER_TYPE:
        return put(out, is_host ? HOST : DEVICE, sizeof(int));
    case POINTER_DEVICE:
        return put(out, p->device, sizeof(void *));
    case POINTER_HOST:
        return p->host ? put(out, p->host, sizeof(void *)) : CUDA_VALUE;
    case POINTER_SYNC:
    case POINTER_HANDLES:
        return put(out, 0, sizeof(int));
    case POINTER_ID:
        return put(out, p->start / VM_STRIDE, sizeof(uint64_t));
    case POINTER_IS_MANAGED:
        return put(out, slot->kind == SLOT_MANAGED, 1);
    case POINTER_ORDINAL:
        return put(out, 0, sizeof(int));
    case POINTER_START:
        return put(out, p->start, sizeof(void *));
    case POINTER_SIZE:
        return put(out, slot->size, sizeof(size_t));
    case POINTER_MAPPED:
        return put(out, 1, 1);
    case POINTER_ACCESS:
        return put(out, READ_WRITE, sizeof(int));
    case POINTER_POOL:
        return put(out, 0, sizeof(void *));
    }
    return CUDA_NOT_SUPPORTED;
}

static CudaError get_attribute(Runtime *r, void *out, int attribute,
                               const void *address) {
    Pointed p = look_up(r, address);
    return p.slot ? pointer_attribute(&p, out, attribute) : CUDA_VALUE;
}

API CudaError cuPointerGetAttribute(void *out, int attribute,
                                    const void *address) {
    DRIVER_RETURN("cuPointerGetAttribute",
                  get_attribute(r, out, attribute, address));
}

static size_t size_of(int attribute) {
    switch ((PointerAttribute)attribute) {
    case POINTER_IS_MANAGED:
    case POINTER_MAPPED:
        return 1;
    case POINTER_TYPE:
    case POINTER_SYNC:
    case POINTER_ORDINAL:
    case POINTER_HANDLES:
    case POINTER_ACCESS:
        return sizeof(int);
    case POINTER_CONTEXT:
    case POINTER_DEVICE:
    case POINTER_HOST:
    case POINTER_ID:
    case POINTER_START:
    case POINTER_SIZE:
    case POINTER_POOL:
        return sizeof(uint64_t);
    }
    return 0;
}

// What an address does not have is 0, and no error.
static CudaError get_attributes(Runtime *r, uint32_t count,
                                const int *attributes, void **out,
                                const void *address) {
    Pointed p = look_up(r, address);
    for (uint32_t i = 0; i < count; i++)
        if (!p.slot || pointer_attribute(&p, out[i], attributes[i]))
            memset(out[i], 0, size_of(attributes[i]));
    return count ? CUDA_OK : CUDA_VALUE;
}

API CudaError cuPointerGetAttributes(uint32_t count, int *attributes,
                                     void **out, const void *address) {
    DRIVER_RETURN("cuPointerGetAttributes",
                  get_attributes(r, count, attributes, out, address));
}

API CudaError cuPointerSetAttribute(const void *value, int attribute,
                                    const void *address) {
    uint64_t offset;
    (void)value;
    DRIVER_RETURN("cuPointerSetAttribute",
                  attribute == POINTER_SYNC && memory_slot(r, address, &offset)
                      ? CUDA_OK
                      : CUDA_VALUE);
}
