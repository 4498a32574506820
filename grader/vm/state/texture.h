// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces as texture/ finds them: what an object says of memory,
// and of how it is read.
//
//   level 0       level 1
//   +---------+   +----+    a row is `pitch` bytes from the next; a plane of
//   | layer 0 |   |    |    3 dimensions, or a layer, is `slice` bytes from
//   +---------+   +----+    the next
//   | layer 1 |   |    |
//   +---------+   +----+
#ifndef CLCLAB_VM_STATE_TEXTURE_H
#define CLCLAB_VM_STATE_TEXTURE_H

#include "vm/code/instr.h"

enum { VM_TEXTURE_LEVELS = 16, VM_CHANNELS = 4, VM_AXES = 3 };

typedef enum VmTexel { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT } VmTexel;

// How a coordinate outside its axis is taken, numbered as CUDA does.
typedef enum VmAddressMode {
    ADDRESS_WRAP,
    ADDRESS_CLAMP,
    ADDRESS_MIRROR,
    ADDRESS_BORDER,
} VmAddressMode;

typedef enum VmTextureKind {
    TEXTURE_NONE, // no object has this handle
    TEXTURE_FETCHED,
    TEXTURE_SURFACE,
} VmTextureKind;

typedef struct VmTextureLevel {
    uint64_t address;       // global
    uint32_t size[VM_AXES]; // in texels; 1 where there is no such axis
    uint64_t pitch, slice;  // bytes
} VmTextureLevel;

// How a texture is read (PTX ISA, "Texture Sampler and Surface Types").
typedef struct VmSampler {
    VmAddressMode address[VM_AXES];
    bool is_linear;     // filtered; otherwise the nearest texel
    bool is_normalized; // coordinates are fractions of the size
    bool reads_float;   // integers become numbers up to 1
    bool is_srgb;       // of 8 bits: these are decoded
    float border[VM_CHANNELS];
    bool blends_levels;      // two levels are blended; otherwise the nearest
    float bias, least, most; // of the level
} VmSampler;

typedef struct VmTexture {
    VmTextureKind kind;
    uint8_t axes; // 1 to 3; the faces of a cube have 2
    bool is_layered, is_cube;
    bool is_flat;    // linear memory: no filter, no address modes
    bool is_written; // something in a kernel can write it: races are checked
    uint32_t layers; // 1: not layered; of a cube: 6 for each
    VmTexel texel;
    uint8_t channels, channel_bytes; // 1, 2 or 4; 1, 2 or 4
    uint32_t level_count;
    VmTextureLevel levels[VM_TEXTURE_LEVELS];
    VmSampler sampler;
} VmTexture;

// All objects, by number; the caller of vm_textures owns them.
typedef struct VmTextures {
    const VmTexture *items;
    size_t count;
} VmTextures;

// The handle of object `number`, as a kernel has it.
#define VM_TEXTURE_HANDLE(number) (VM_WINDOW_TEXTURE | (number))

#endif
