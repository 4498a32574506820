// SPDX-License-Identifier: Apache-2.0
// Hints of where managed memory should lie. All memory lies in one place here,
// so that they are kept to be told again, for an allocation as a whole.
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"

#include <string.h>

// What part of managed memory is meant; NULL: it is none.
static Slot *managed(Runtime *r, const void *address, size_t count) {
    uint64_t offset;
    Slot *slot = memory_slot(r, address, &offset);
    bool fits = slot && count && count <= slot->size - offset &&
                (slot->kind == SLOT_MANAGED || slot->kind == SLOT_VARIABLE);
    return fits ? slot : NULL;
}

// ---- places --------------------------------------------------------------

// By the number of a device.
static Home home_of_device(int device) {
    return device < 0 ? HOME_HOST : HOME_DEVICE;
}

// By a cudaMemLocation: its type, and a number in the upper half.
static Home home_of_location(uint64_t location) {
    enum { DEVICE = 1 };
    uint32_t type = (uint32_t)location;
    return type == 0 ? HOME_NONE : type == DEVICE ? HOME_DEVICE : HOME_HOST;
}

// Functions that CUDA 12 has with the number of a device.
static Home home_given(const Runtime *r, uint64_t given) {
    return r->is_cuda12 ? home_of_device((int)(uint32_t)given)
                        : home_of_location(given);
}

static int device_of(Home home) {
    enum { NOWHERE = -2, HOST = -1 };
    return home == HOME_NONE ? NOWHERE : home == HOME_HOST ? HOST : 0;
}

static int type_of(Home home) {
    enum { NOWHERE, DEVICE, HOST };
    return home == HOME_NONE ? NOWHERE : home == HOME_HOST ? HOST : DEVICE;
}

// ---- hints ---------------------------------------------------------------

static CudaError prefetch(Runtime *r, const void *address, size_t count,
                          Home home) {
    Slot *slot = managed(r, address, count);
    if (!slot || home == HOME_NONE)
        return CUDA_VALUE;
    slot->advice.prefetched = home;
    return CUDA_OK;
}

API CudaError cudaMemPrefetchAsync(const void *address, size_t count,
                                   uint64_t location, uint32_t flags,
                                   CudaStream *stream) {
    (void)flags, (void)stream;
    RETURN("cudaMemPrefetchAsync",
           prefetch(r, address, count, home_given(r, location)));
}

API CudaError cudaMemPrefetchAsync_v2(const void *address, size_t count,
                                      uint64_t location, uint32_t flags,
                                      CudaStream *stream) {
    (void)flags, (void)stream;
    RETURN("cudaMemPrefetchAsync",
           prefetch(r, address, count, home_of_location(location)));
}

API CudaError cuMemPrefetchAsync(const void *address, size_t count, int device,
                                 CudaStream *stream) {
    (void)stream;
    RETURN("cuMemPrefetchAsync",
           prefetch(r, address, count, home_of_device(device)));
}

static CudaError advise(Runtime *r, const void *address, size_t count,
                        int advice, Home home) {
    enum { MOSTLY = 1, NOT_MOSTLY, PREFER, PREFER_NONE, BY, NOT_BY };
    Slot *slot = managed(r, address, count);
    bool needs_home = advice == PREFER || advice == BY || advice == NOT_BY;
    if (!slot || (needs_home && home == HOME_NONE))
        return CUDA_VALUE;
    switch (advice) {
    case MOSTLY:
    case NOT_MOSTLY:
        slot->advice.is_read_mostly = advice == MOSTLY;
        return CUDA_OK;
    case PREFER:
    case PREFER_NONE:
        slot->advice.preferred = advice == PREFER ? home : HOME_NONE;
        return CUDA_OK;
    case BY:
    case NOT_BY:
        slot->advice.is_accessed_by[home] = advice == BY;
        return CUDA_OK;
    default:
        return CUDA_VALUE;
    }
}

API CudaError cudaMemAdvise(const void *address, size_t count, int advice,
                            uint64_t location) {
    RETURN("cudaMemAdvise",
           advise(r, address, count, advice, home_given(r, location)));
}

API CudaError cudaMemAdvise_v2(const void *address, size_t count, int advice,
                               uint64_t location) {
    RETURN("cudaMemAdvise",
           advise(r, address, count, advice, home_of_location(location)));
}

API CudaError cuMemAdvise(const void *address, size_t count, int advice,
                          int device) {
    RETURN("cuMemAdvise",
           advise(r, address, count, advice, home_of_device(device)));
}

// ---- asking for them -----------------------------------------------------

// The numbers of all devices that were named, and then no device's.
static void list_devices(const Advice *advice, int *list, size_t room) {
    size_t count = 0;
    for (Home home = HOME_HOST; home <= HOME_DEVICE; home++)
        if (advice->is_accessed_by[home] && count < room)
            list[count++] = device_of(home);
    while (count < room)
        list[count++] = device_of(HOME_NONE);
}

static CudaError range_attribute(const Slot *slot, void *out, size_t size,
                                 int attribute) {
    enum {
        MOSTLY = 1,
        PREFERRED,
        BY,
        PREFETCHED,
        PREFERRED_TYPE,
        PREFERRED_ID,
        PREFETCHED_TYPE,
        PREFETCHED_ID,
        END
    };
    const Advice *advice = &slot->advice;
    const int values[END] = {[MOSTLY] = advice->is_read_mostly,
                             [PREFERRED] = device_of(advice->preferred),
                             [PREFETCHED] = device_of(advice->prefetched),
                             [PREFERRED_TYPE] = type_of(advice->preferred),
                             [PREFETCHED_TYPE] = type_of(advice->prefetched)};
    if (!out || size < sizeof(int) || size % sizeof(int) ||
        attribute < MOSTLY || attribute >= END)
        return CUDA_VALUE;
    if (attribute == BY)
        list_devices(advice, out, size / sizeof(int));
    else
        memcpy(out, &values[attribute], sizeof(int));
    return CUDA_OK;
}

static CudaError range_attributes(Runtime *r, void **out, const size_t *sizes,
                                  const int *attributes, size_t most,
                                  const void *address, size_t count) {
    const Slot *slot = managed(r, address, count);
    CudaError error = slot && most ? CUDA_OK : CUDA_VALUE;
    for (size_t i = 0; i < most && !error; i++)
        error = range_attribute(slot, out[i], sizes[i], attributes[i]);
    return error;
}

API CudaError cudaMemRangeGetAttribute(void *out, size_t size, int attribute,
                                       const void *address, size_t count) {
    RETURN("cudaMemRangeGetAttribute",
           range_attributes(r, &out, &size, &attribute, 1, address, count));
}

API CudaError cudaMemRangeGetAttributes(void **out, size_t *sizes,
                                        int *attributes, size_t most,
                                        const void *address, size_t count) {
    RETURN("cudaMemRangeGetAttributes",
           range_attributes(r, out, sizes, attributes, most, address, count));
}
