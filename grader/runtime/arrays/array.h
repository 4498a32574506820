// SPDX-License-Identifier: Apache-2.0
// Arrays, and the objects that read them: the API's types as a program passes
// them, under names of our own, and what array.c and texture.c offer. Others
// know an array by what core/ asks for (ArrayCalls).
#ifndef CLCLAB_RUNTIME_ARRAY_H
#define CLCLAB_RUNTIME_ARRAY_H

#include "runtime/core/copy.h"
#include "runtime/core/runtime.h"
#include "vm/vm.h"

// ---- arrays --------------------------------------------------------------

// Others are planar or compressed.
typedef enum CudaChannelKind {
    CHANNELS_SIGNED,
    CHANNELS_UNSIGNED,
    CHANNELS_FLOAT,
    CHANNELS_NONE,
    CHANNELS_UNORM_FIRST = 5, // of 8 and 16 bits; 1, 2 and 4 of each
    CHANNELS_SNORM_FIRST = 11,
    CHANNELS_NORM_END = 17,
} CudaChannelKind;

typedef struct CudaChannels {
    int bits[VM_CHANNELS]; // 0: there is no such channel
    int kind;              // CudaChannelKind
} CudaChannels;

enum {
    ARRAY_LAYERED = 1,
    ARRAY_SURFACE = 2,
    ARRAY_CUBEMAP = 4,
    ARRAY_GATHER = 8,
};

struct CudaArray {
    CudaArray *next;
    void *address; // of the device
    CudaChannels channels;
    CudaExtent extent; // as the program gave it: 0 where it has no such axis
    uint32_t flags;
    uint32_t texel; // bytes
    bool is_level;  // of a mipmap
};

typedef struct CudaMipmap CudaMipmap;
struct CudaMipmap {
    CudaMipmap *next;
    CudaArray *levels[VM_TEXTURE_LEVELS];
    uint32_t count;
};

CudaError array_new(Runtime *r, const CudaChannels *channels, CudaExtent extent,
                    uint32_t flags, CudaArray **out);
CudaError array_free(Runtime *r, CudaArray *array);
// Whether the program's handle is one of an array.
bool array_is(const Runtime *r, const CudaArray *array);
CudaError mipmap_new(Runtime *r, const CudaChannels *channels,
                     CudaExtent extent, uint32_t levels, uint32_t flags,
                     CudaMipmap **out);
CudaError mipmap_free(Runtime *r, CudaMipmap *mipmap);
bool mipmap_is(const Runtime *r, const CudaMipmap *mipmap);

uint64_t array_pitch(const CudaArray *array); // bytes from a row to the next
uint64_t array_slice(const CudaArray *array); // from a plane to the next
// How many channels; 0: these are none that an array can have here. `error`
// says why.
uint32_t channels_count(const CudaChannels *channels, CudaError *error);

// ---- objects -------------------------------------------------------------

typedef enum CudaResourceType {
    RESOURCE_ARRAY,
    RESOURCE_MIPMAP,
    RESOURCE_LINEAR,
    RESOURCE_PITCH2D,
} CudaResourceType;

typedef struct CudaResource {
    int type; // CudaResourceType
    union {
        CudaArray *array;
        CudaMipmap *mipmap;
        struct {
            void *address;
            CudaChannels channels;
            size_t bytes;
        } linear;
        struct {
            void *address;
            CudaChannels channels;
            size_t width, height, pitch; // texels, rows, bytes
        } pitch2d;
        int reserved[32];
    };
    uint32_t flags;
} CudaResource;

typedef struct CudaSampler {
    int address[VM_AXES]; // VmAddressMode
    int filter;           // 1: linear
    int read_mode;        // 1: numbers up to 1
    int srgb;
    float border[VM_CHANNELS];
    int normalized;
    uint32_t anisotropy;
    int level_filter;
    float bias, least, most;
    int no_trilinear_optimization;
    int seamless;
} CudaSampler;

typedef struct CudaView {
    int format;
    size_t width, height, depth;
    uint32_t first_level, last_level, first_layer, last_layer;
    uint32_t reserved[16];
} CudaView;

// What the program gave; VmTexture is made of it.
typedef struct TextureObject {
    CudaResource resource;
    CudaSampler sampler;
    CudaView view;
} TextureObject;

// By the numbers of the handles.
typedef struct TextureObjects {
    VmTexture *items;
    TextureObject *given;
    size_t count, item_capacity, given_capacity;
    size_t latest;
} TextureObjects;

// All of them: what the room keeps of a program.
typedef struct Arrays {
    CudaArray *arrays;
    CudaMipmap *mipmaps;
    TextureObjects objects;
} Arrays;
Arrays *arrays_of(Runtime *r);

CudaError texture_new(Runtime *r, const CudaResource *resource,
                      const CudaSampler *sampler, const CudaView *view,
                      uint64_t *handle);
CudaError surface_new(Runtime *r, const CudaResource *resource,
                      uint64_t *handle);
CudaError texture_free(Runtime *r, uint64_t handle, VmTextureKind kind);
// NULL: there is no such object.
const TextureObject *texture_given(const Runtime *r, uint64_t handle,
                                   VmTextureKind kind);

#endif
