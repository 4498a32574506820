// SPDX-License-Identifier: Apache-2.0
// The driver's functions for virtual memory: addresses are reserved, memory is
// made, and mapped there. Memory is a file without a name, so that it can be
// mapped at two addresses, and stays what it is when it is mapped elsewhere.
// Kernels and copies reach up to the end of the last memory that is mapped and
// may be accessed (memory_reach); in a hole before it they find zeros.
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"

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

// ---- what is mapped where ------------------------------------------------

// Memory that is mapped.
typedef struct Mapping {
    struct Mapping *next;
    uint64_t at, size; // address, bytes
    bool is_open;      // it may be accessed
} Mapping;

// A whole part of reserved addresses.
typedef struct Range {
    Slot *slot;
    uint64_t at, offset, size;
} Range;

static bool find_range(Runtime *r, const void *address, size_t size,
                       Range *range) {
    uint64_t offset;
    Slot *slot = memory_slot(r, address, &offset);
    *range = (Range){slot, (uintptr_t)address, offset, size};
    return slot && slot->kind == SLOT_RESERVED && offset % GRANULE == 0 &&
           is_whole(size) && size <= slot->size - offset;
}

static bool is_within(const Mapping *mapping, uint64_t at, uint64_t size) {
    return mapping->at >= at && mapping->at + mapping->size <= at + size;
}

// Bytes of the range that are mapped. A mapping of which a part is meant counts
// as none.
static uint64_t mapped_in(const Runtime *r, const Range *range) {
    uint64_t bytes = 0;
    for (const Mapping *m = r->mappings; m; m = m->next)
        if (is_within(m, range->at, range->size))
            bytes += m->size;
    return bytes;
}

static void update_reach(Runtime *r, const Range *range) {
    uint64_t start = range->at - range->offset, reach = 0;
    for (const Mapping *m = r->mappings; m; m = m->next)
        if (m->is_open && is_within(m, start, range->slot->size) &&
            m->at + m->size - start > reach)
            reach = m->at + m->size - start;
    memory_set_reach(r, range->slot, reach);
}

static CudaError map(Runtime *r, const void *address, size_t size,
                     size_t offset, const VirtualMemory *memory) {
    Range range;
    if (!find_range(r, address, size, &range) || !memory || memory->file < 0 ||
        offset > memory->size || size > memory->size - offset)
        return CUDA_VALUE;
    for (const Mapping *m = r->mappings; m; m = m->next)
        if (m->at < range.at + size && range.at < m->at + m->size)
            return CUDA_VALUE;
    void *mapped =
        mmap(range.slot->bytes + range.offset, size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, memory->file, (off_t)offset);
    if (mapped == MAP_FAILED)
        return CUDA_MEMORY;
    Mapping *mapping = arena_new(&r->arena, Mapping, 1);
    *mapping = (Mapping){r->mappings, range.at, size, false};
    r->mappings = mapping;
    return CUDA_OK;
}

API CudaError cuMemMap(void *address, size_t size, size_t offset,
                       VirtualMemory *memory, uint64_t flags) {
    RETURN("cuMemMap",
           flags ? CUDA_VALUE : map(r, address, size, offset, memory));
}

static CudaError unmap(Runtime *r, const void *address, size_t size) {
    Range range;
    if (!find_range(r, address, size, &range) || mapped_in(r, &range) != size)
        return CUDA_VALUE;
    for (Mapping **link = &r->mappings; *link;) {
        if (is_within(*link, range.at, size))
            *link = (*link)->next;
        else
            link = &(*link)->next;
    }
    update_reach(r, &range);
    void *zeros =
        mmap(range.slot->bytes + range.offset, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return zeros == MAP_FAILED ? CUDA_MEMORY : CUDA_OK;
}

API CudaError cuMemUnmap(void *address, size_t size) {
    RETURN("cuMemUnmap", unmap(r, address, size));
}

static CudaError set_access(Runtime *r, const void *address, size_t size,
                            const VirtualAccess *list, size_t count) {
    Range range;
    if (!list || !count || !find_range(r, address, size, &range) ||
        mapped_in(r, &range) != size)
        return CUDA_VALUE;
    for (Mapping *m = r->mappings; m; m = m->next)
        if (is_within(m, range.at, size))
            m->is_open = list[count - 1].flags != 0;
    update_reach(r, &range);
    return CUDA_OK;
}

API CudaError cuMemSetAccess(void *address, size_t size,
                             const VirtualAccess *list, size_t count) {
    RETURN("cuMemSetAccess", set_access(r, address, size, list, count));
}

static CudaError release_addresses(Runtime *r, void *address, size_t size) {
    Range range;
    if (!find_range(r, address, size, &range) || range.offset ||
        range.slot->size != size || mapped_in(r, &range))
        return CUDA_VALUE;
    return memory_free(r, address, false);
}

API CudaError cuMemAddressFree(void *address, size_t size) {
    RETURN("cuMemAddressFree", release_addresses(r, address, size));
}

API CudaError cuMemGetAccess(uint64_t *flags, const int location[2],
                             void *address) {
    enum { READ_WRITE = 3 };
    (void)location, (void)address;
    *flags = READ_WRITE;
    return CUDA_OK;
}
