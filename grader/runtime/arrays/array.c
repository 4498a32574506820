// SPDX-License-Identifier: Apache-2.0
// Arrays: memory of the device that a program does not address. Its texels lie
// row by row, without gaps, which the program cannot see; it copies from and to
// them.
#include "runtime/core/internal.h"

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
    CudaArray array = {.next = r->arrays,
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
    *out = r->arrays = heap_alloc(1, sizeof array);
    **out = array;
    return CUDA_OK;
}

bool array_is(const Runtime *r, const CudaArray *array) {
    for (const CudaArray *a = r->arrays; a; a = a->next)
        if (a == array)
            return true;
    return false;
}

static void remove_array(Runtime *r, CudaArray *array) {
    CudaArray **link = &r->arrays;
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
    mipmap->next = r->mipmaps;
    *out = r->mipmaps = mipmap;
    return CUDA_OK;
}

bool mipmap_is(const Runtime *r, const CudaMipmap *mipmap) {
    for (const CudaMipmap *m = r->mipmaps; m; m = m->next)
        if (m == mipmap)
            return true;
    return false;
}

CudaError mipmap_free(Runtime *r, CudaMipmap *mipmap) {
    CudaMipmap **link = &r->mipmaps;
    if (!mipmap)
        return CUDA_OK;
    if (!mipmap_is(r, mipmap))
        return CUDA_HANDLE;
    while (*link != mipmap)
        link = &(*link)->next;
    *link = mipmap->next;
    free_levels(r, mipmap);
    return CUDA_OK;
}

void array_free_all(Runtime *r) {
    while (r->mipmaps)
        mipmap_free(r, r->mipmaps);
    while (r->arrays)
        remove_array(r, r->arrays);
}

// ---- copies --------------------------------------------------------------

static bool fits(size_t at, size_t count, size_t size) {
    return at <= size && count <= size - at;
}

static CudaError area_of(const Runtime *r, const CopyEnd *end,
                         CudaExtent extent, Area *out) {
    CudaExtent at = end->at;
    char *base = end->memory.ptr;
    out->pitch = end->memory.pitch;
    out->slice = out->pitch * end->memory.height;
    if (end->array) {
        const CudaArray *array = end->array;
        if (!array_is(r, array))
            return CUDA_HANDLE;
        if (!fits(at.width, extent.width, array_pitch(array)) ||
            !fits(at.height, extent.height, or_one(array->extent.height)) ||
            !fits(at.depth, extent.depth, or_one(array->extent.depth)))
            return CUDA_VALUE;
        base = array->address;
        out->pitch = array_pitch(array);
        out->slice = array_slice(array);
    }
    out->ptr = base + at.depth * out->slice + at.height * out->pitch + at.width;
    return CUDA_OK;
}

static CudaError copy_ends(Runtime *r, const CopyEnd *to, const CopyEnd *from,
                           CudaExtent extent, CudaCopy kind) {
    Area out, in;
    CudaError error = area_of(r, to, extent, &out);
    if (!error)
        error = area_of(r, from, extent, &in);
    return error ? error : copy_areas(r, out, in, extent, kind);
}

// Where an array takes part, widths count its texels.
CudaError array_copy_3d(Runtime *r, const CudaCopy3D *copy) {
    CopyEnd to = {copy->to_array, copy->to, copy->to_at};
    CopyEnd from = {copy->from_array, copy->from, copy->from_at};
    CudaExtent extent = copy->extent;
    if ((to.array && !array_is(r, to.array)) ||
        (from.array && !array_is(r, from.array)))
        return CUDA_HANDLE;
    if (to.array)
        to.at.width *= to.array->texel;
    if (from.array)
        from.at.width *= from.array->texel;
    if (to.array || from.array)
        extent.width *= to.array ? to.array->texel : from.array->texel;
    return copy_ends(r, &to, &from, extent, copy->kind);
}

// From bytes to texels. False: it is not a whole number of them.
static bool in_texels(size_t *width, const CudaArray *array) {
    size_t texel = array ? array->texel : 1, rest = *width % texel;
    *width /= texel;
    return rest == 0;
}

CudaError array_copy_of(const Runtime *r, const CopyEnd *to,
                        const CopyEnd *from, CudaExtent extent, CudaCopy kind,
                        CudaCopy3D *out) {
    const CudaArray *array = to->array ? to->array : from->array;
    *out = (CudaCopy3D){.from_array = from->array,
                        .from_at = from->at,
                        .from = from->memory,
                        .to_array = to->array,
                        .to_at = to->at,
                        .to = to->memory,
                        .extent = extent,
                        .kind = kind};
    if ((to->array && !array_is(r, to->array)) ||
        (from->array && !array_is(r, from->array)))
        return CUDA_HANDLE;
    bool fits = in_texels(&out->to_at.width, to->array) &&
                in_texels(&out->from_at.width, from->array) &&
                in_texels(&out->extent.width, array);
    return fits ? CUDA_OK : CUDA_VALUE;
}
