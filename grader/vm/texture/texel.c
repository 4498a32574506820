// SPDX-License-Identifier: Apache-2.0
// The formats of texels (CUDA C++ Programming Guide, "Texture Fetching"; PTX
// ISA, "Channel Data Type and Channel Order Fields").
#include "vm/texture/texture.h"
#include "vm/values/half.h"

#include <math.h>
#include <string.h>

// From sRGB codes to light, in 16384ths: what an H100 gives. A card's table is
// coarser than the formula (IEC 61966-2-1), by up to one part in a hundred.
static const uint16_t SRGB[256] = {
    0,     5,     10,    15,    20,    25,    30,    35,    40,    45,    50,
    55,    60,    66,    72,    78,    85,    92,    99,    107,   115,   123,
    131,   140,   150,   159,   169,   180,   190,   201,   213,   224,   236,
    250,   262,   276,   290,   304,   318,   332,   348,   364,   380,   396,
    412,   430,   448,   466,   484,   504,   524,   544,   564,   584,   604,
    624,   648,   672,   692,   716,   740,   764,   788,   816,   840,   864,
    896,   920,   944,   976,   1000,  1032,  1064,  1088,  1120,  1152,  1184,
    1216,  1248,  1280,  1312,  1352,  1384,  1416,  1456,  1488,  1528,  1560,
    1600,  1640,  1672,  1712,  1752,  1792,  1832,  1872,  1920,  1952,  2000,
    2048,  2080,  2128,  2176,  2224,  2272,  2320,  2368,  2416,  2464,  2512,
    2560,  2608,  2656,  2704,  2752,  2816,  2864,  2912,  2976,  3024,  3072,
    3136,  3184,  3248,  3296,  3360,  3424,  3472,  3536,  3600,  3664,  3712,
    3776,  3840,  3904,  3968,  4032,  4096,  4160,  4224,  4288,  4352,  4416,
    4512,  4576,  4640,  4704,  4768,  4864,  4928,  4992,  5056,  5152,  5216,
    5280,  5376,  5440,  5536,  5600,  5696,  5760,  5824,  5920,  6016,  6080,
    6176,  6240,  6336,  6400,  6496,  6592,  6688,  6752,  6848,  6944,  7008,
    7104,  7200,  7296,  7392,  7488,  7584,  7680,  7744,  7872,  7936,  8064,
    8128,  8256,  8320,  8448,  8512,  8640,  8768,  8832,  8960,  9024,  9152,
    9280,  9344,  9472,  9600,  9664,  9792,  9920,  9984,  10112, 10240, 10304,
    10432, 10560, 10688, 10816, 10880, 11008, 11136, 11264, 11392, 11456, 11584,
    11712, 11840, 11968, 12096, 12224, 12352, 12480, 12608, 12736, 12864, 12992,
    13120, 13248, 13376, 13504, 13632, 13760, 13888, 14016, 14144, 14272, 14400,
    14528, 14656, 14848, 14976, 15104, 15232, 15360, 15488, 15616, 15744, 16000,
    16128, 16256, 16384,
};
#define SRGB_ONE 16384.0f

static bool is_srgb(const VmTexture *t, bool is_colour) {
    return t->sampler.is_srgb && is_colour && t->channel_bytes == 1 &&
           t->texel == TEXEL_UNSIGNED;
}

// A number of `bits` bits as a fraction of the largest; the least signed one
// counts as -1, as its neighbour does.
static float normalized(const VmTexture *t, uint32_t raw, uint32_t bits,
                        bool is_colour) {
    if (is_srgb(t, is_colour))
        return (float)SRGB[raw] / SRGB_ONE;
    if (t->texel == TEXEL_UNSIGNED)
        return (float)((double)raw / ((1u << bits) - 1));
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

// Channels that a texel lacks are 0, the fourth as well.
void vm_texel_values(const VmTexture *t, const uint8_t *bytes,
                     uint32_t out[VM_CHANNELS]) {
    for (uint32_t c = 0; c < VM_CHANNELS; c++) {
        uint32_t raw = 0;
        if (c < t->channels)
            memcpy(&raw, bytes + (size_t)c * t->channel_bytes,
                   t->channel_bytes);
        out[c] = c < t->channels ? value_of(t, raw, c < 3) : 0;
    }
}

// ---- the border ----------------------------------------------------------

static uint32_t rounded(double x, double least, double one) {
    x = x > least ? x : least; // NaN: least
    return (uint32_t)(int32_t)ceil((x < 1 ? x : 1) * one - 0.5);
}

// A card keeps the border as a texel: as near as the format comes to it (of two
// the lower one), of integers the lowest bits of the float.
static uint32_t raw_border(const VmTexture *t, float x, bool is_colour) {
    uint32_t bits = 8u * t->channel_bytes, all = UINT32_MAX >> (32 - bits);
    if (t->texel == TEXEL_FLOAT)
        return bits == 16 ? vm_narrow_f16(x) : vm_f32_bits(x);
    if (!t->sampler.reads_float || bits == 32)
        return vm_f32_bits(x) & all;
    if (t->texel == TEXEL_SIGNED)
        return rounded(x, -1, all >> 1) & all;
    if (is_srgb(t, is_colour))
        x = (float)(x <= 0.0031308f ? x * 12.92
                                    : 1.055 * pow(x, 1 / 2.4) - 0.055);
    return rounded(x, 0, all);
}

void vm_texel_border(const VmTexture *t, uint32_t out[VM_CHANNELS]) {
    for (uint32_t c = 0; c < VM_CHANNELS; c++)
        out[c] =
            c < t->channels
                ? value_of(t, raw_border(t, t->sampler.border[c], c < 3), c < 3)
                : 0;
}
