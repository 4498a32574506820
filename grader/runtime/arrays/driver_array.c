// SPDX-License-Identifier: Apache-2.0
// The driver's functions for arrays, textures and surfaces. They describe the
// same things as the runtime's do, in other structs.
#include "runtime/arrays/array.h"
#include "runtime/core/stream.h"

#include <string.h>

// ---- formats -------------------------------------------------------------

typedef struct DriverFormat {
    int format, bits;
    CudaChannelKind kind;
} DriverFormat;

static const DriverFormat formats[] = {
    {0x01, 8, CHANNELS_UNSIGNED},  {0x02, 16, CHANNELS_UNSIGNED},
    {0x03, 32, CHANNELS_UNSIGNED}, {0x08, 8, CHANNELS_SIGNED},
    {0x09, 16, CHANNELS_SIGNED},   {0x0a, 32, CHANNELS_SIGNED},
    {0x10, 16, CHANNELS_FLOAT},    {0x20, 32, CHANNELS_FLOAT},
};

static CudaError channels_of(int format, uint32_t count, CudaChannels *out) {
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        if (formats[i].format != format)
            continue;
        if (count == 0 || count > VM_CHANNELS)
            return CUDA_VALUE;
        *out = (CudaChannels){.kind = (int)formats[i].kind};
        for (uint32_t c = 0; c < count; c++)
            out->bits[c] = formats[i].bits;
        return CUDA_OK;
    }
    return CUDA_NOT_SUPPORTED;
}

static int format_of(const CudaChannels *channels, uint32_t *count) {
    *count = 0;
    while (*count < VM_CHANNELS && channels->bits[*count])
        ++*count;
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if ((int)formats[i].kind == channels->kind &&
            formats[i].bits == channels->bits[0])
            return formats[i].format;
    return 0;
}

// ---- arrays --------------------------------------------------------------

typedef struct DriverArray2D {
    size_t width, height;
    int format;
    uint32_t channels;
} DriverArray2D;

typedef struct DriverArray3D {
    size_t width, height, depth;
    int format;
    uint32_t channels, flags;
} DriverArray3D;

static CudaError create(Runtime *r, CudaArray **array,
                        const DriverArray3D *given) {
    CudaChannels channels;
    CudaError error = channels_of(given->format, given->channels, &channels);
    if (error)
        return error;
    return array_new(r, &channels,
                     (CudaExtent){given->width, given->height, given->depth},
                     given->flags, array);
}

API CudaError cuArrayCreate_v2(CudaArray **array, const DriverArray2D *given) {
    const DriverArray3D all = {.width = given->width,
                               .height = given->height,
                               .format = given->format,
                               .channels = given->channels};
    DRIVER_RETURN("cuArrayCreate", create(r, array, &all));
}

API CudaError cuArray3DCreate_v2(CudaArray **array,
                                 const DriverArray3D *given) {
    DRIVER_RETURN("cuArray3DCreate", create(r, array, given));
}

API CudaError cuArrayDestroy(CudaArray *array) {
    DRIVER_RETURN("cuArrayDestroy", array ? array_free(r, array) : CUDA_HANDLE);
}

static CudaError describe(const Runtime *r, DriverArray3D *out,
                          const CudaArray *array) {
    if (!array_is(r, array))
        return CUDA_HANDLE;
    *out = (DriverArray3D){.width = array->extent.width,
                           .height = array->extent.height,
                           .depth = array->extent.depth,
                           .flags = array->flags};
    out->format = format_of(&array->channels, &out->channels);
    return CUDA_OK;
}

API CudaError cuArray3DGetDescriptor_v2(DriverArray3D *out, CudaArray *array) {
    DRIVER_RETURN("cuArray3DGetDescriptor", describe(r, out, array));
}

API CudaError cuArrayGetDescriptor_v2(DriverArray2D *out, CudaArray *array) {
    DriverArray3D all;
    Runtime *r = runtime_enter();
    CudaError error = describe(r, &all, array);
    if (!error)
        *out = (DriverArray2D){all.width, all.height, all.format, all.channels};
    return runtime_driver_error(
        runtime_leave(r, "cuArrayGetDescriptor", error));
}

static CudaError create_mipmap(Runtime *r, CudaMipmap **mipmap,
                               const DriverArray3D *given, uint32_t levels) {
    CudaChannels channels;
    CudaError error = channels_of(given->format, given->channels, &channels);
    if (error)
        return error;
    return mipmap_new(r, &channels,
                      (CudaExtent){given->width, given->height, given->depth},
                      levels, given->flags, mipmap);
}

API CudaError cuMipmappedArrayCreate(CudaMipmap **mipmap,
                                     const DriverArray3D *given,
                                     uint32_t levels) {
    DRIVER_RETURN("cuMipmappedArrayCreate",
                  create_mipmap(r, mipmap, given, levels));
}

// ---- bytes of one row of an array ----------------------------------------

// The ends that such a copy has; `at` is where it begins in the row, in bytes.
static DriverEnd in_array(CudaArray *array) {
    return (DriverEnd){.type = IN_ARRAY, .array = array};
}

static DriverEnd in_device(const void *address) {
    return (DriverEnd){.type = IN_DEVICE, .device = (void *)(uintptr_t)address};
}

static DriverEnd in_host(const void *address) {
    return (DriverEnd){.type = IN_HOST, .host = (void *)(uintptr_t)address};
}

static CudaError copy_row(Runtime *r, CopyCall call, DriverEnd to, size_t to_at,
                          DriverEnd from, size_t from_at, size_t bytes) {
    const DriverCopy3D copy = {.from_x = from_at,
                               .from = from,
                               .from_height = 1,
                               .to_x = to_at,
                               .to = to,
                               .to_height = 1,
                               .width = bytes,
                               .height = 1,
                               .depth = 1};
    return stream_copy_box(r, call, &copy);
}

API CudaError cuMemcpyHtoA_v2(CudaArray *to, size_t at, const void *from,
                              size_t bytes) {
    DRIVER_RETURN("cuMemcpyHtoA", copy_row(r, COPY_NOW, in_array(to), at,
                                           in_host(from), 0, bytes));
}

API CudaError cuMemcpyHtoAAsync_v2(CudaArray *to, size_t at, const void *from,
                                   size_t bytes, CudaStream *stream) {
    DRIVER_RETURN("cuMemcpyHtoAAsync",
                  copy_row(r, COPY_IN(stream), in_array(to), at, in_host(from),
                           0, bytes));
}

API CudaError cuMemcpyAtoH_v2(void *to, CudaArray *from, size_t at,
                              size_t bytes) {
    DRIVER_RETURN("cuMemcpyAtoH", copy_row(r, COPY_NOW, in_host(to), 0,
                                           in_array(from), at, bytes));
}

API CudaError cuMemcpyAtoHAsync_v2(void *to, CudaArray *from, size_t at,
                                   size_t bytes, CudaStream *stream) {
    DRIVER_RETURN("cuMemcpyAtoHAsync", copy_row(r, COPY_IN(stream), in_host(to),
                                                0, in_array(from), at, bytes));
}

API CudaError cuMemcpyDtoA_v2(CudaArray *to, size_t at, const void *from,
                              size_t bytes) {
    DRIVER_RETURN("cuMemcpyDtoA", copy_row(r, COPY_NOW, in_array(to), at,
                                           in_device(from), 0, bytes));
}

API CudaError cuMemcpyAtoD_v2(void *to, CudaArray *from, size_t at,
                              size_t bytes) {
    DRIVER_RETURN("cuMemcpyAtoD", copy_row(r, COPY_NOW, in_device(to), 0,
                                           in_array(from), at, bytes));
}

API CudaError cuMemcpyAtoA_v2(CudaArray *to, size_t to_at, CudaArray *from,
                              size_t from_at, size_t bytes) {
    DRIVER_RETURN("cuMemcpyAtoA", copy_row(r, COPY_NOW, in_array(to), to_at,
                                           in_array(from), from_at, bytes));
}

// ---- objects -------------------------------------------------------------

typedef struct DriverResource {
    int type; // CudaResourceType
    union {
        CudaArray *array;
        CudaMipmap *mipmap;
        struct {
            void *address;
            int format;
            uint32_t channels;
            size_t bytes;
        } linear;
        struct {
            void *address;
            int format;
            uint32_t channels;
            size_t width, height, pitch;
        } pitch2d;
        int reserved[32];
    };
    uint32_t flags;
} DriverResource;

typedef struct DriverSampler {
    int address[VM_AXES];
    int filter;
    uint32_t flags; // DriverSamplerFlag
    uint32_t anisotropy;
    int level_filter;
    float bias, least, most;
    float border[VM_CHANNELS];
    int reserved[12];
} DriverSampler;

typedef enum DriverSamplerFlag {
    SAMPLER_READS_INTEGERS = 1,
    SAMPLER_NORMALIZED = 2,
    SAMPLER_SRGB = 16,
    SAMPLER_NO_TRILINEAR_OPTIMIZATION = 32,
    SAMPLER_SEAMLESS = 64,
} DriverSamplerFlag;

static CudaError resource_of(const DriverResource *given, CudaResource *out) {
    CudaResource *to = out;
    *to = (CudaResource){.type = given->type, .flags = given->flags};
    switch ((CudaResourceType)given->type) {
    case RESOURCE_ARRAY:
        to->array = given->array;
        return CUDA_OK;
    case RESOURCE_MIPMAP:
        to->mipmap = given->mipmap;
        return CUDA_OK;
    case RESOURCE_LINEAR:
        to->linear.address = given->linear.address;
        to->linear.bytes = given->linear.bytes;
        return channels_of(given->linear.format, given->linear.channels,
                           &to->linear.channels);
    case RESOURCE_PITCH2D:
        to->pitch2d.address = given->pitch2d.address;
        to->pitch2d.width = given->pitch2d.width;
        to->pitch2d.height = given->pitch2d.height;
        to->pitch2d.pitch = given->pitch2d.pitch;
        return channels_of(given->pitch2d.format, given->pitch2d.channels,
                           &to->pitch2d.channels);
    }
    return CUDA_VALUE;
}

static CudaError read_channels(const Runtime *r, const CudaResource *resource,
                               CudaChannels *out) {
    switch ((CudaResourceType)resource->type) {
    case RESOURCE_ARRAY:
        if (!array_is(r, resource->array))
            return CUDA_HANDLE;
        *out = resource->array->channels;
        break;
    case RESOURCE_MIPMAP:
        if (!mipmap_is(r, resource->mipmap))
            return CUDA_HANDLE;
        *out = resource->mipmap->levels[0]->channels;
        break;
    case RESOURCE_LINEAR:
        *out = resource->linear.channels;
        break;
    case RESOURCE_PITCH2D:
        *out = resource->pitch2d.channels;
        break;
    }
    return CUDA_OK;
}

// Integers of 8 and 16 bits are read as numbers up to 1, unless the flag says
// otherwise; those of 32 bits never are.
static CudaSampler sampler_of(const DriverSampler *given,
                              const CudaChannels *channels) {
    bool is_small = channels->kind != CHANNELS_FLOAT && channels->bits[0] < 32;
    CudaSampler s = {.filter = given->filter,
                     .read_mode =
                         is_small && !(given->flags & SAMPLER_READS_INTEGERS),
                     .srgb = !!(given->flags & SAMPLER_SRGB),
                     .normalized = !!(given->flags & SAMPLER_NORMALIZED),
                     .anisotropy = given->anisotropy,
                     .level_filter = given->level_filter,
                     .bias = given->bias,
                     .least = given->least,
                     .most = given->most,
                     .no_trilinear_optimization =
                         !!(given->flags & SAMPLER_NO_TRILINEAR_OPTIMIZATION),
                     .seamless = !!(given->flags & SAMPLER_SEAMLESS)};
    memcpy(s.address, given->address, sizeof s.address);
    memcpy(s.border, given->border, sizeof s.border);
    return s;
}

static CudaError create_texture(Runtime *r, uint64_t *handle,
                                const DriverResource *resource,
                                const DriverSampler *sampler,
                                const CudaView *view) {
    CudaResource from;
    CudaChannels channels = {0};
    CudaError error = resource_of(resource, &from);
    if (!error)
        error = read_channels(r, &from, &channels);
    if (error)
        return error;
    CudaSampler how = sampler_of(sampler, &channels);
    return texture_new(r, &from, &how, view, handle);
}

API CudaError cuTexObjectCreate(uint64_t *handle,
                                const DriverResource *resource,
                                const DriverSampler *sampler,
                                const CudaView *view) {
    DRIVER_RETURN("cuTexObjectCreate",
                  create_texture(r, handle, resource, sampler, view));
}

static CudaError create_surface(Runtime *r, uint64_t *handle,
                                const DriverResource *resource) {
    CudaResource from;
    CudaError error = resource_of(resource, &from);
    return error ? error : surface_new(r, &from, handle);
}

API CudaError cuSurfObjectCreate(uint64_t *handle,
                                 const DriverResource *resource) {
    DRIVER_RETURN("cuSurfObjectCreate", create_surface(r, handle, resource));
}
