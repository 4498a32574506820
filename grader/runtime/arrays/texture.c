// SPDX-License-Identifier: Apache-2.0
// The objects of textures and surfaces: what the program describes becomes a
// VmTexture, which all devices see.
#include "runtime/arrays/array.h"
#include "runtime/core/memory.h"

#include <string.h>

enum {
    ALIGNMENT = 512,       // bytes, of linear memory
    PITCH_ALIGNMENT = 32,  // of its rows
    MOST_LINEAR = 1 << 28, // texels
    KEPT = 1024, // as many numbers are given out before one comes again
    VIEW_FIRST_BLOCK = 0x19, // formats from here on are compressed
};

// ---- formats -------------------------------------------------------------

static CudaError set_channels(VmTexture *t, const CudaChannels *channels) {
    CudaError error;
    uint32_t count = channels_count(channels, &error);
    int kind = channels->kind;
    if (error)
        return error;
    t->channels = (uint8_t)count;
    t->channel_bytes = (uint8_t)(channels->bits[0] / 8);
    t->texel = kind == CHANNELS_FLOAT ? TEXEL_FLOAT
               : kind == CHANNELS_SIGNED || kind >= CHANNELS_SNORM_FIRST
                   ? TEXEL_SIGNED
                   : TEXEL_UNSIGNED;
    t->sampler.reads_float |= kind >= CHANNELS_UNORM_FIRST;
    return CUDA_OK;
}

// The formats of views: 1, 2 and 4 channels of each of these.
static CudaError set_view(VmTexture *t, const CudaView *view) {
    static const struct {
        VmTexel texel;
        uint8_t bytes;
    } formats[] = {{TEXEL_UNSIGNED, 1}, {TEXEL_SIGNED, 1},
                   {TEXEL_UNSIGNED, 2}, {TEXEL_SIGNED, 2},
                   {TEXEL_UNSIGNED, 4}, {TEXEL_SIGNED, 4},
                   {TEXEL_FLOAT, 2},    {TEXEL_FLOAT, 4}};
    static const uint8_t counts[] = {1, 2, 4};
    const VmTextureLevel *level = &t->levels[0];
    uint32_t index = (uint32_t)view->format - 1;
    if (view->format == 0)
        return CUDA_OK;
    if (view->format < 0 || view->format >= VIEW_FIRST_BLOCK)
        return CUDA_NOT_SUPPORTED;
    bool is_whole =
        view->width == level->size[0] &&
        (view->height ? view->height : 1) == level->size[1] &&
        view->first_level == 0 && view->first_layer == 0 &&
        (view->last_level == 0 || view->last_level + 1 == t->level_count) &&
        (view->last_layer == 0 || view->last_layer + 1 == t->layers);
    uint8_t count = counts[index % COUNT_OF(counts)];
    uint8_t bytes = formats[index / COUNT_OF(counts)].bytes;
    if (!is_whole || count * bytes != t->channels * t->channel_bytes)
        return CUDA_NOT_SUPPORTED;
    t->channels = count;
    t->channel_bytes = bytes;
    t->texel = formats[index / COUNT_OF(counts)].texel;
    return CUDA_OK;
}

// ---- resources -----------------------------------------------------------

static uint32_t or_one(size_t value) {
    return value ? (uint32_t)value : 1;
}

static VmTextureLevel level_of(const CudaArray *array) {
    CudaExtent e = array->extent;
    bool is_flat = array->flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
    return (VmTextureLevel){.address = (uintptr_t)array->address,
                            .size = {or_one(e.width), or_one(e.height),
                                     is_flat ? 1 : or_one(e.depth)},
                            .pitch = array_pitch(array),
                            .slice = array_slice(array)};
}

static CudaError use_arrays(const Runtime *r, VmTexture *t,
                            CudaArray *const *arrays, uint32_t count) {
    const CudaArray *first = arrays[0];
    if (!array_is(r, first))
        return CUDA_HANDLE;
    t->is_layered = first->flags & ARRAY_LAYERED;
    t->is_cube = first->flags & ARRAY_CUBEMAP;
    bool has_planes = first->extent.depth && !t->is_layered && !t->is_cube;
    t->axes = has_planes ? 3 : first->extent.height ? 2 : 1;
    t->layers = has_planes ? 1 : or_one(first->extent.depth);
    t->level_count = count;
    for (uint32_t i = 0; i < count; i++)
        t->levels[i] = level_of(arrays[i]);
    return set_channels(t, &first->channels);
}

// Memory that a kernel may also write.
static CudaError use_memory(Runtime *r, VmTexture *t, void *address,
                            const CudaChannels *channels, CudaExtent size,
                            uint64_t pitch) {
    uint64_t offset;
    CudaError error = set_channels(t, channels);
    if (error)
        return error;
    if (!memory_slot(r, address, &offset) || offset % ALIGNMENT)
        return CUDA_VALUE;
    t->axes = size.height ? 2 : 1;
    t->layers = t->level_count = 1;
    t->is_written = true;
    t->levels[0] =
        (VmTextureLevel){.address = (uintptr_t)address,
                         .size = {(uint32_t)size.width, or_one(size.height), 1},
                         .pitch = pitch};
    return CUDA_OK;
}

static CudaError use_linear(Runtime *r, VmTexture *t,
                            const CudaResource *resource) {
    const CudaChannels *channels = &resource->linear.channels;
    CudaError error;
    uint32_t count = channels_count(channels, &error);
    if (error)
        return error;
    size_t texel = count * (size_t)channels->bits[0] / 8;
    size_t width = resource->linear.bytes / texel;
    if (width == 0 || width > MOST_LINEAR)
        return CUDA_VALUE;
    t->is_flat = true;
    return use_memory(r, t, resource->linear.address, channels,
                      (CudaExtent){width, 0, 0}, 0);
}

static CudaError use_pitch2d(Runtime *r, VmTexture *t,
                             const CudaResource *resource) {
    enum { MOST_SIZE = 131072 };
    size_t width = resource->pitch2d.width, height = resource->pitch2d.height;
    size_t pitch = resource->pitch2d.pitch;
    if (width == 0 || height == 0 || width > MOST_SIZE || height > MOST_SIZE ||
        pitch % PITCH_ALIGNMENT)
        return CUDA_VALUE;
    CudaError error =
        use_memory(r, t, resource->pitch2d.address, &resource->pitch2d.channels,
                   (CudaExtent){width, height, 0}, pitch);
    if (!error && pitch < width * t->channels * t->channel_bytes)
        error = CUDA_VALUE;
    return error;
}

static CudaError use_resource(Runtime *r, VmTexture *t,
                              const CudaResource *resource) {
    switch ((CudaResourceType)resource->type) {
    case RESOURCE_ARRAY:
        return use_arrays(r, t, &resource->array, 1);
    case RESOURCE_MIPMAP:
        if (!mipmap_is(r, resource->mipmap))
            return CUDA_HANDLE;
        return use_arrays(r, t, resource->mipmap->levels,
                          resource->mipmap->count);
    case RESOURCE_LINEAR:
        return use_linear(r, t, resource);
    case RESOURCE_PITCH2D:
        return use_pitch2d(r, t, resource);
    }
    return CUDA_VALUE;
}

// ---- samplers ------------------------------------------------------------

static CudaError set_sampler(VmTexture *t, const CudaSampler *given) {
    VmSampler *s = &t->sampler;
    for (uint32_t i = 0; i < VM_AXES; i++) {
        if (given->address[i] < ADDRESS_WRAP ||
            given->address[i] > ADDRESS_BORDER)
            return CUDA_VALUE;
        s->address[i] = (VmAddressMode)given->address[i];
    }
    s->is_linear = given->filter && !t->is_flat;
    s->is_normalized = given->normalized || t->is_cube;
    s->reads_float |= given->read_mode == 1;
    s->is_srgb = given->srgb;
    memcpy(s->border, given->border, sizeof s->border);
    s->blends_levels = given->level_filter;
    s->bias = given->bias;
    s->least = given->least;
    s->most = given->most;
    bool is_float = t->texel == TEXEL_FLOAT || s->reads_float;
    if (s->reads_float && t->texel != TEXEL_FLOAT && t->channel_bytes == 4)
        return CUDA_NORM;
    if ((s->is_linear || s->blends_levels) && !is_float)
        return CUDA_FILTER;
    if (t->level_count > 1 && !s->is_normalized)
        return CUDA_VALUE;
    return t->is_cube && given->seamless && s->is_linear ? CUDA_NOT_SUPPORTED
                                                         : CUDA_OK;
}

// ---- the table -----------------------------------------------------------

static size_t free_number(Runtime *r) {
    TextureObjects *o = &arrays_of(r)->objects;
    for (size_t i = 1; i <= o->count && o->count >= KEPT; i++) {
        size_t number = (o->latest + i) % o->count;
        if (o->items[number].kind == TEXTURE_NONE)
            return number;
    }
    size_t given_count = o->count;
    arena_grow(&r->arena, o->items, o->count, o->item_capacity);
    arena_grow(&r->arena, o->given, given_count, o->given_capacity);
    return o->count++;
}

static bool same_memory(const VmTexture *a, const VmTexture *b) {
    for (uint32_t i = 0; i < a->level_count; i++)
        for (uint32_t k = 0; k < b->level_count; k++)
            if (a->levels[i].address == b->levels[k].address)
                return true;
    return false;
}

// A texture whose array a surface can write is one whose order is checked.
static void note_writers(TextureObjects *o, size_t number) {
    VmTexture *t = &o->items[number];
    for (size_t i = 0; i < o->count; i++) {
        VmTexture *other = &o->items[i];
        if (other->kind == TEXTURE_NONE || other->kind == t->kind ||
            !same_memory(t, other))
            continue;
        t->is_written = other->is_written = true;
    }
}

static void add_object(Runtime *r, const VmTexture *t,
                       const TextureObject *given, uint64_t *handle) {
    TextureObjects *o = &arrays_of(r)->objects;
    size_t number = free_number(r);
    o->items[number] = *t;
    o->given[number] = *given;
    o->latest = number;
    r->textures = (VmTextures){o->items, o->count};
    note_writers(o, number);
    *handle = VM_TEXTURE_HANDLE(number);
}

CudaError texture_new(Runtime *r, const CudaResource *resource,
                      const CudaSampler *sampler, const CudaView *view,
                      uint64_t *handle) {
    VmTexture t = {.kind = TEXTURE_FETCHED};
    TextureObject given = {*resource, *sampler, view ? *view : (CudaView){0}};
    CudaError error = use_resource(r, &t, resource);
    if (!error && view)
        error = set_view(&t, view);
    if (!error)
        error = set_sampler(&t, sampler);
    if (!error)
        add_object(r, &t, &given, handle);
    return error;
}

CudaError surface_new(Runtime *r, const CudaResource *resource,
                      uint64_t *handle) {
    VmTexture t = {.kind = TEXTURE_SURFACE, .is_written = true};
    TextureObject given = {.resource = *resource};
    if (resource->type != RESOURCE_ARRAY)
        return CUDA_VALUE;
    CudaError error = use_resource(r, &t, resource);
    if (!error && !(resource->array->flags & ARRAY_SURFACE))
        error = CUDA_VALUE;
    if (!error)
        add_object(r, &t, &given, handle);
    return error;
}

static TextureObject *find_object(const Runtime *r, uint64_t handle,
                                  VmTextureKind kind, size_t *number) {
    const TextureObjects *o = r->arrays ? &r->arrays->objects : NULL;
    *number = (size_t)(handle & VM_OFFSET_MASK);
    bool is_there = o && (handle & ~VM_OFFSET_MASK) == VM_WINDOW_TEXTURE &&
                    *number < o->count && o->items[*number].kind == kind;
    return is_there ? &o->given[*number] : NULL;
}

CudaError texture_free(Runtime *r, uint64_t handle, VmTextureKind kind) {
    size_t number;
    if (handle == 0)
        return CUDA_OK;
    if (!find_object(r, handle, kind, &number))
        return CUDA_VALUE;
    r->arrays->objects.items[number].kind = TEXTURE_NONE;
    return CUDA_OK;
}

const TextureObject *texture_given(const Runtime *r, uint64_t handle,
                                   VmTextureKind kind) {
    size_t number;
    return find_object(r, handle, kind, &number);
}
