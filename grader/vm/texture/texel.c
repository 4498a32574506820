// SPDX-License-Identifier: Apache-2.0
// The formats of texels (CUDA C++ Programming Guide, "Texture Fetching"; PTX
// ISA, "Channel Data Type and Channel Order Fields").
#include "vm/texture/texture.h"
#include "vm/values/half.h"

#include <math.h>
#include <string.h>

// sRGB (IEC 61966-2-1) to linear.
static float srgb_to_linear(double x) {
    return (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
}

// A number of `bits` bits as a fraction of the largest; the least signed one
// counts as -1, as its neighbour does.
static float normalized(const VmTexture *t, uint32_t raw, uint32_t bits,
                        bool is_colour) {
    if (t->texel == TEXEL_UNSIGNED) {
        double x = (double)raw / ((1u << bits) - 1);
        return t->sampler.is_srgb && is_colour && bits == 8 ? srgb_to_linear(x)
                                                            : (float)x;
    }
    double x = (double)(int32_t)raw / ((1u << (bits - 1)) - 1);
    return (float)(x < -1 ? -1 : x);
}

static uint32_t sign_extended(uint32_t raw, uint32_t bits) {
    uint32_t sign = 1u << (bits - 1);
    return (raw ^ sign) - sign;
}

static uint32_t value_of(const VmTexture *t, uint32_t raw, bool is_colour) {
    uint32_t bits = 8u * t->channel_bytes;
    if (t->texel == TEXEL_FLOAT)
        return bits == 16 ? vm_f32_bits(vm_widen_f16((uint16_t)raw)) : raw;
    if (t->texel == TEXEL_SIGNED)
        raw = sign_extended(raw, bits);
    return t->sampler.reads_float && bits < 32
               ? vm_f32_bits(normalized(t, raw, bits, is_colour))
               : raw;
}

static bool gives_float(const VmTexture *t) {
    return t->texel == TEXEL_FLOAT || t->sampler.reads_float;
}

// Channels that a texel lacks are 0, the last 1.
void vm_texel_values(const VmTexture *t, const uint8_t *bytes,
                     uint32_t out[VM_CHANNELS]) {
    for (uint32_t c = 0; c < VM_CHANNELS; c++) {
        uint32_t raw = 0;
        if (c < t->channels) {
            memcpy(&raw, bytes + (size_t)c * t->channel_bytes,
                   t->channel_bytes);
            out[c] = value_of(t, raw, c < 3);
        } else {
            out[c] = c < 3 ? 0 : gives_float(t) ? vm_f32_bits(1) : 1;
        }
    }
}

static uint32_t integer_of(float x) {
    return x >= -0x1p31f && x < 0x1p31f ? (uint32_t)(int32_t)x : 0;
}

void vm_texel_border(const VmTexture *t, uint32_t out[VM_CHANNELS]) {
    for (uint32_t c = 0; c < VM_CHANNELS; c++)
        out[c] = gives_float(t) ? vm_f32_bits(t->sampler.border[c])
                                : integer_of(t->sampler.border[c]);
}
