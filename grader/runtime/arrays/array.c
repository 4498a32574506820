// SPDX-License-Identifier: Apache-2.0
// Arrays: memory of the device that a program does not address. Its texels lie
// row by row, without gaps, which the program cannot see; it copies from and to
// them.
#include "runtime/arrays/array.h"
#include "runtime/core/memory.h"

#include <string.h>

enum {
    MOST_WIDTH = 131072,
    MOST_HEIGHT = 65536,
    MOST_3D = 16384,
    MOST_LAYERED = 32768,
    MOST_LAYERS = 2048,
    FACES = 6,
};

// ---- formats -------------------------------------------------------------

static bool is_width(int bits, int kind) {
    return bits == 32 ? kind <= CHANNELS_FLOAT
                      : bits == 16 || (bits == 8 && kind != CHANNELS_FLOAT);
}

uint32_t channels_count(const CudaChannels *channels, CudaError *error) {
    uint32_t count = 0;
    int kind = channels->kind;
    *error = CUDA_VALUE;
    if (kind > CHANNELS_NONE &&
        (kind < CHANNELS_UNORM_FIRST || kind >= CHANNELS_NORM_END))
        *error = CUDA_NOT_SUPPORTED;
    else if (kind < 0 || kind == CHANNELS_NONE)
        return 0;
    if (*error == CUDA_NOT_SUPPORTED)
        return 0;
    while (count < VM_CHANNELS && channels->bits[count])
        count++;
    for (uint32_t i = 0; i < VM_CHANNELS; i++)
        if (channels->bits[i] != (i < count ? channels->bits[0] : 0))
            return 0;
    if (count == 0 || count == 3 || !is_width(channels->bits[0], kind))
        return 0;
    *error = CUDA_OK;
    return count;
}

// ---- shapes --------------------------------------------------------------

static size_t or_one(size_t value) {
    return value ? value : 1;
}

uint64_t array_pitch(const CudaArray *array) {
    return array->extent.width * array->texel;
}

uint64_t array_slice(const CudaArray *array) {
    return array_pitch(array) * or_one(array->extent.height);
}

static bool is_cube(CudaExtent e, bool is_layered) {
    return e.width == e.height && e.width <= MOST_LAYERED &&
           (is_layered
                ? e.depth && e.depth % FACES == 0 && e.depth <= MOST_LAYERS
                : e.depth == FACES);
}

// CUDA C++ Programming Guide, "Compute Capabilities".
static bool is_possible(CudaExtent e, uint32_t flags) {
    if (e.width == 0)
        return false;
    if (flags & ARRAY_CUBEMAP)
        return is_cube(e, flags & ARRAY_LAYERED);
    if (flags & ARRAY_LAYERED)
        return e.depth && e.width <= MOST_LAYERED && e.height <= MOST_LAYERED &&
               e.depth <= MOST_LAYERS;
    if (e.depth)
        return e.height && e.width <= MOST_3D && e.height <= MOST_3D &&
               e.depth <= MOST_3D;
    return e.width <= MOST_WIDTH && e.height <= MOST_HEIGHT;
}

// ---- arrays --------------------------------------------------------------

CudaError array_new(Runtime *r, const CudaChannels *channels, CudaExtent extent,
                    uint32_t flags, CudaArray **out) {
    Arrays *all = arrays_of(r);
    const uint32_t known =
        ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER;
    CudaError error;
    uint32_t count = channels_count(channels, &error);
    if (error)
        return error;
    if (flags & ~known)
        return CUDA_NOT_SUPPORTED;
    if (!is_possible(extent, flags))
        return CUDA_VALUE;
    CudaArray array = {.next = all->arrays,
                       .channels = *channels,
                       .extent = extent,
                       .flags = flags,
                       .texel = count * (uint32_t)channels->bits[0] / 8};
    error =
        memory_new(r, SLOT_DEVICE, array_slice(&array) * or_one(extent.depth),
                   &array.address);
    if (error)
        return error;
    // Filters read texels beside those that they are asked for.
    memory_written(r, array.address,
                   array_slice(&array) * or_one(extent.depth));
    *out = all->arrays = heap_alloc(1, sizeof array);
    **out = array;
    return CUDA_OK;
}

bool array_is(const Runtime *r, const CudaArray *array) {
    const CudaArray *a = r->arrays ? r->arrays->arrays : NULL;
    while (a && a != array)
        a = a->next;
    return a != NULL;
}

static void remove_array(Runtime *r, CudaArray *array) {
    CudaArray **link = &r->arrays->arrays;
    while (*link != array)
        link = &(*link)->next;
    *link = array->next;
    memory_free(r, array->address, false);
    heap_free(array);
}

CudaError array_free(Runtime *r, CudaArray *array) {
    if (!array)
        return CUDA_OK;
    if (!array_is(r, array) || array->is_level)
        return CUDA_HANDLE;
    remove_array(r, array);
    return CUDA_OK;
}

// ---- mipmaps -------------------------------------------------------------

static size_t half(size_t size) {
    return size > 1 ? size / 2 : size;
}

static uint32_t levels_of(CudaExtent e, uint32_t flags) {
    size_t most = e.width > e.height ? e.width : e.height;
    uint32_t count = 1;
    if (!(flags & (ARRAY_LAYERED | ARRAY_CUBEMAP)) && e.depth > most)
        most = e.depth;
    for (; most > 1; most /= 2)
        count++;
    return count < VM_TEXTURE_LEVELS ? count : VM_TEXTURE_LEVELS;
}

static void free_levels(Runtime *r, CudaMipmap *mipmap) {
    for (uint32_t i = 0; i < mipmap->count; i++)
        remove_array(r, mipmap->levels[i]);
    heap_free(mipmap);
}

CudaError mipmap_new(Runtime *r, const CudaChannels *channels,
                     CudaExtent extent, uint32_t levels, uint32_t flags,
                     CudaMipmap **out) {
    uint32_t most = levels_of(extent, flags);
    CudaError error = levels ? CUDA_OK : CUDA_VALUE;
    CudaMipmap *mipmap = heap_alloc(1, sizeof *mipmap);
    for (uint32_t i = 0; i < levels && i < most && !error; i++) {
        error = array_new(r, channels, extent, flags, &mipmap->levels[i]);
        if (error)
            break;
        mipmap->levels[i]->is_level = true;
        mipmap->count++;
        extent.width = half(extent.width);
        extent.height = half(extent.height);
        if (!(flags & (ARRAY_LAYERED | ARRAY_CUBEMAP)))
            extent.depth = half(extent.depth);
    }
    if (error) {
        free_levels(r, mipmap);
        return error;
    }
    mipmap->next = r->arrays->mipmaps;
    *out = r->arrays->mipmaps = mipmap;
    return CUDA_OK;
}

bool mipmap_is(const Runtime *r, const CudaMipmap *mipmap) {
    const CudaMipmap *m = r->arrays ? r->arrays->mipmaps : NULL;
    while (m && m != mipmap)
        m = m->next;
    return m != NULL;
}

CudaError mipmap_free(Runtime *r, CudaMipmap *mipmap) {
    if (!mipmap)
        return CUDA_OK;
    if (!mipmap_is(r, mipmap))
        return CUDA_HANDLE;
    CudaMipmap **link = &r->arrays->mipmaps;
    while (*link != mipmap)
        link = &(*link)->next;
    *link = mipmap->next;
    free_levels(r, mipmap);
    return CUDA_OK;
}

// ---- for core/ -----------------------------------------------------------

static bool find(const Runtime *r, const CudaArray *array, ArrayPlace *place) {
    if (!array_is(r, array))
        return false;
    *place = (ArrayPlace){.address = array->address,
                          .texel = array->texel,
                          .pitch = array_pitch(array),
                          .slice = array_slice(array),
                          .extent = {array_pitch(array),
                                     or_one(array->extent.height),
                                     or_one(array->extent.depth)}};
    return true;
}

static void free_all(Runtime *r) {
    while (r->arrays->mipmaps)
        mipmap_free(r, r->arrays->mipmaps);
    while (r->arrays->arrays)
        remove_array(r, r->arrays->arrays);
}

Arrays *arrays_of(Runtime *r) {
    static const ArrayCalls calls = {find, free_all};
    if (!r->arrays)
        r->arrays = arena_new(&r->arena, Arrays, 1);
    r->array_calls = &calls;
    return r->arrays;
}
