// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces (PTX ISA, 9.7.10 and 9.7.11): what the files of this
// room share.
//
//   object.c   the operand that names an object; the object of a handle
//   texel.c    bytes of memory -> the values of a texel
//   sample.c   coordinates -> texels, filtered
//   fetch.c    tex, tld4
//   surface.c  suld, sust, sured
//   query.c    txq, suq
//
// Only objects are known, by handles of 64 bits: there are no variables of
// type .texref, .samplerref or .surfref.
#ifndef CLCLAB_VM_TEXTURE_TEXTURE_H
#define CLCLAB_VM_TEXTURE_TEXTURE_H

#include "vm/decode/decode.h"

// ---- object.c ------------------------------------------------------------

typedef enum VmGeometry {
    GEOMETRY_1D,
    GEOMETRY_2D,
    GEOMETRY_3D,
    GEOMETRY_A1D,
    GEOMETRY_A2D,
    GEOMETRY_CUBE,
    GEOMETRY_ACUBE,
    GEOMETRY_NONE,
} VmGeometry;

typedef struct VmGeometryTraits {
    PtxMod mod;
    uint32_t axes;        // of an image
    uint32_t coordinates; // after the layer's number
    bool is_layered, is_cube;
} VmGeometryTraits;

// Indexed by VmGeometry.
extern const VmGeometryTraits vm_geometries[GEOMETRY_NONE];

// Takes the suffix; unsupported, and GEOMETRY_NONE, if there is none.
VmGeometry vm_take_geometry(VmDecoder *d);

// The operand [object, {a, b, ...}].
typedef struct VmNamed {
    VmRef handle;
    VmRef at[4]; // layer, coordinates: without padding
    uint32_t count;
} VmNamed;

// False: it is unsupported. GEOMETRY_NONE: there are no coordinates.
bool vm_decode_named(VmDecoder *d, uint32_t index, VmGeometry geometry,
                     VmNamed *out);
void vm_emit_named(VmDecoder *d, VmInstr *in, const VmNamed *named);

// What the handle src[0] of a lane names, if it is of this kind, and of this
// geometry (GEOMETRY_NONE: of any). NULL: a fault was reported.
const VmTexture *vm_texture_of(VmWarp *w, const VmInstr *in, uint32_t lane,
                               VmTextureKind kind, VmGeometry geometry);

static inline uint32_t vm_texel_bytes(const VmTexture *t) {
    return (uint32_t)t->channels * t->channel_bytes;
}

// ---- texel.c -------------------------------------------------------------

// The four values of a texel, as a fetch gives them: bits of an f32, or of an
// integer.
void vm_texel_values(const VmTexture *t, const uint8_t *bytes,
                     uint32_t out[VM_CHANNELS]);
void vm_texel_border(const VmTexture *t, uint32_t out[VM_CHANNELS]);

// ---- sample.c ------------------------------------------------------------

typedef struct VmFetch {
    VmWarp *w;
    const VmInstr *in;
    uint32_t lane;
    const VmTexture *texture;
    double at[VM_AXES];
    int32_t offset[VM_AXES]; // in texels
    uint32_t layer;          // that exists
    bool is_integer;         // the coordinates are texels
    double level;
} VmFetch;

// False: a fault was reported.
bool vm_sample(const VmFetch *f, uint32_t out[VM_CHANNELS]);
// One channel of the four texels that a bilinear filter would blend, in the
// order of tld4.
bool vm_gather(const VmFetch *f, uint32_t channel, uint32_t out[VM_CHANNELS]);
// Turns a direction into a face, added to the layer, and a place on it.
void vm_face(VmFetch *f, const double direction[3]);

#endif
