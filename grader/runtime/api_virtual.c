// SPDX-License-Identifier: Apache-2.0
// The driver's functions for virtual memory: addresses are reserved, memory is
// made, and mapped there. Memory is a file without a name, so that it can be
// mapped at two addresses, and stays what it is when it is mapped elsewhere. In
// what is reserved and not mapped, a kernel finds zeros.
#include "runtime/graph.h"

#include <sys/mman.h>
#include <unistd.h>

enum { GRANULE = 2 << 20 }; // bytes, as on a card

// CUmemAllocationProp.
typedef struct VirtualProperties {
    int type, handles, location[2];
    void *security;
    uint8_t compression, rdma;
    uint16_t usage;
    uint8_t reserved[4];
} VirtualProperties;

// CUmemAccessDesc.
typedef struct VirtualAccess {
    int location[2], flags;
} VirtualAccess;

typedef struct VirtualMemory {
    int file;
    size_t size;
    VirtualProperties properties;
} VirtualMemory;

#define RETURN(name, call)                     \
    do {                                       \
        Runtime *r = runtime_enter();          \
        return runtime_leave(r, name, (call)); \
    } while (0)

static bool is_whole(size_t size) {
    return size && size % GRANULE == 0;
}

API CudaError cuMemGetAllocationGranularity(size_t *bytes,
                                            const VirtualProperties *properties,
                                            int kind) {
    (void)properties, (void)kind;
    *bytes = GRANULE;
    return CUDA_OK;
}

API CudaError cuMemAddressReserve(void **address, size_t size, size_t align,
                                  void *wanted, uint64_t flags) {
    (void)align, (void)wanted, (void)flags;
    RETURN("cuMemAddressReserve",
           is_whole(size) ? memory_new(r, SLOT_RESERVED, size, address)
                          : CUDA_VALUE);
}

static CudaError release_addresses(Runtime *r, void *address, size_t size) {
    uint64_t offset;
    const Slot *slot = memory_slot(r, address, &offset);
    if (!slot || slot->kind != SLOT_RESERVED || offset || slot->size != size)
        return CUDA_VALUE;
    return memory_free(r, address, false);
}

API CudaError cuMemAddressFree(void *address, size_t size) {
    RETURN("cuMemAddressFree", release_addresses(r, address, size));
}

static CudaError create(Runtime *r, VirtualMemory **memory, size_t size,
                        const VirtualProperties *properties) {
    if (!is_whole(size) || !properties || properties->location[1] != 0)
        return CUDA_VALUE;
    int file = memfd_create("clclab", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size) != 0) {
        if (file >= 0)
            close(file);
        return CUDA_MEMORY;
    }
    *memory = arena_new(&r->arena, VirtualMemory, 1);
    **memory = (VirtualMemory){file, size, *properties};
    (*memory)->properties.compression = 0; // there is none
    return CUDA_OK;
}

API CudaError cuMemCreate(VirtualMemory **memory, size_t size,
                          const VirtualProperties *properties, uint64_t flags) {
    RETURN("cuMemCreate",
           flags ? CUDA_VALUE : create(r, memory, size, properties));
}

// What is mapped stays.
static CudaError release(VirtualMemory *memory) {
    if (!memory || memory->file < 0)
        return CUDA_VALUE;
    close(memory->file);
    memory->file = -1;
    return CUDA_OK;
}

API CudaError cuMemRelease(VirtualMemory *memory) {
    RETURN("cuMemRelease", release(memory));
}

API CudaError cuMemGetAllocationPropertiesFromHandle(
    VirtualProperties *properties, const VirtualMemory *memory) {
    *properties = memory->properties;
    return CUDA_OK;
}

// Where `size` bytes of reserved addresses are in this process; NULL: nowhere.
static uint8_t *place_of(Runtime *r, const void *address, size_t size) {
    uint64_t offset;
    const Slot *slot = memory_slot(r, address, &offset);
    bool fits = slot && slot->kind == SLOT_RESERVED && offset % GRANULE == 0 &&
                is_whole(size) && size <= slot->size - offset;
    return fits ? slot->bytes + offset : NULL;
}

static CudaError map(Runtime *r, const void *address, size_t size,
                     size_t offset, const VirtualMemory *memory) {
    uint8_t *place = place_of(r, address, size);
    if (!place || !memory || memory->file < 0 || offset > memory->size ||
        size > memory->size - offset)
        return CUDA_VALUE;
    void *mapped = mmap(place, size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED, memory->file, (off_t)offset);
    return mapped == MAP_FAILED ? CUDA_MEMORY : CUDA_OK;
}

API CudaError cuMemMap(void *address, size_t size, size_t offset,
                       VirtualMemory *memory, uint64_t flags) {
    RETURN("cuMemMap",
           flags ? CUDA_VALUE : map(r, address, size, offset, memory));
}

static CudaError unmap(Runtime *r, const void *address, size_t size) {
    uint8_t *place = place_of(r, address, size);
    if (!place)
        return CUDA_VALUE;
    void *zeros =
        mmap(place, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return zeros == MAP_FAILED ? CUDA_MEMORY : CUDA_OK;
}

API CudaError cuMemUnmap(void *address, size_t size) {
    RETURN("cuMemUnmap", unmap(r, address, size));
}

API CudaError cuMemSetAccess(void *address, size_t size,
                             const VirtualAccess *list, size_t count) {
    RETURN("cuMemSetAccess",
           list && count && place_of(r, address, size) ? CUDA_OK : CUDA_VALUE);
}

API CudaError cuMemGetAccess(uint64_t *flags, const int location[2],
                             void *address) {
    enum { READ_WRITE = 3 };
    (void)location, (void)address;
    *flags = READ_WRITE;
    return CUDA_OK;
}
