// SPDX-License-Identifier: Apache-2.0
// From coordinates to texels (CUDA C++ Programming Guide, "Texture Fetching").
//
// A filter blends the texels round a place. Their weights, of 8 bits, and what
// the sum is rounded to are those of an H100 (grader/tests/exec/textures.cu).
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/texture/texture.h"
#include "vm/values/half.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS };

// ---- one texel -----------------------------------------------------------

// Where nothing can write, no check of order is needed.
static const uint8_t *unordered(const Vm *vm, uint64_t address,
                                uint32_t bytes) {
    uint64_t number = address >> VM_BUFFER_SHIFT;
    uint64_t offset = address & VM_OFFSET_MASK;
    if (number >= vm->memory.buffer_count)
        return NULL;
    const VmBuffer *buffer = &vm->memory.buffers[number];
    return bytes <= buffer->size && offset <= buffer->size - bytes
               ? buffer->bytes + offset
               : NULL;
}

static bool read_texel(const VmFetch *f, const VmTextureLevel *level,
                       const int64_t at[VM_AXES], uint32_t out[VM_CHANNELS]) {
    const VmTexture *t = f->texture;
    uint32_t bytes = vm_texel_bytes(t);
    uint64_t plane = t->axes == 3 ? (uint64_t)at[2] : f->layer;
    uint64_t address = level->address + plane * level->slice +
                       (uint64_t)at[1] * level->pitch + (uint64_t)at[0] * bytes;
    const uint8_t *from =
        t->is_written ? NULL : unordered(f->w->vm, address, bytes);
    if (!from)
        from = vm_memory(f->w, f->in, f->lane, address, bytes, ACCESS_READ);
    if (from)
        vm_texel_values(t, from, out);
    return from != NULL;
}

// ---- address modes -------------------------------------------------------

static int64_t modulo(int64_t i, int64_t n) {
    int64_t rest = i % n;
    return rest < 0 ? rest + n : rest;
}

// Wrapping and mirroring are for coordinates that are normalized; others are
// clamped instead.
static VmAddressMode mode_of(const VmFetch *f, uint32_t axis) {
    const VmSampler *s = &f->texture->sampler;
    VmAddressMode mode = s->address[axis];
    if (f->texture->is_flat)
        return ADDRESS_BORDER;
    return mode == ADDRESS_BORDER || s->is_normalized ? mode : ADDRESS_CLAMP;
}

// Takes an index outside the axis to one in it. False: it is in the border.
static bool place(VmAddressMode mode, int64_t size, int64_t *i) {
    if (*i >= 0 && *i < size)
        return true;
    switch (mode) {
    case ADDRESS_WRAP:
        *i = modulo(*i, size);
        return true;
    case ADDRESS_CLAMP:
        *i = *i < 0 ? 0 : size - 1;
        return true;
    case ADDRESS_MIRROR:
        *i = modulo(*i, 2 * size);
        *i = *i < size ? *i : 2 * size - 1 - *i;
        return true;
    case ADDRESS_BORDER:
        break;
    }
    return false;
}

static bool texel_or_border(const VmFetch *f, const VmTextureLevel *level,
                            uint32_t axes, int64_t at[VM_AXES],
                            uint32_t out[VM_CHANNELS]) {
    for (uint32_t i = 0; i < axes; i++)
        if (!place(mode_of(f, i), level->size[i], &at[i])) {
            vm_texel_border(f->texture, out);
            return true;
        }
    return read_texel(f, level, at, out);
}

// ---- coordinates ---------------------------------------------------------

// A coordinate in texels, with limits within which it can be an integer.
static double in_texels(const VmFetch *f, const VmTextureLevel *level,
                        uint32_t axis) {
    const double limit = 0x1p40;
    double x = f->at[axis];
    if (f->texture->sampler.is_normalized && !f->is_integer)
        x *= level->size[axis];
    if (!(x > -limit))
        return x < 0 ? -limit : 0; // NaN: 0
    return x < limit ? x : limit;
}

// Where a filter blends along an axis: texel `low` and the next one.
typedef struct Span {
    int64_t low;
    uint32_t weight; // of the next one, of WEIGHT_ONE
} Span;

static Span span_of(const VmFetch *f, const VmTextureLevel *level,
                    uint32_t axis) {
    double x = in_texels(f, level, axis) - 0.5;
    int64_t fixed = (int64_t)floor(x * WEIGHT_ONE + 0.5);
    return (Span){(fixed >> WEIGHT_BITS) + f->offset[axis],
                  (uint32_t)(fixed & (WEIGHT_ONE - 1))};
}

// ---- a level -------------------------------------------------------------

static bool nearest(const VmFetch *f, const VmTextureLevel *level,
                    uint32_t out[VM_CHANNELS]) {
    int64_t at[VM_AXES] = {0};
    for (uint32_t i = 0; i < f->texture->axes; i++)
        at[i] = (int64_t)floor(in_texels(f, level, i)) + f->offset[i];
    return texel_or_border(f, level, f->texture->axes, at, out);
}

// Each corner gives a part of its weight to its neighbour along an axis. Halves
// are rounded up; along y, down for the corners that are low in x.
static void share(uint32_t weights[1 << VM_AXES], uint32_t axis,
                  uint32_t part) {
    for (uint32_t corner = 0; corner < 1u << VM_AXES; corner++) {
        if (corner >> axis & 1)
            continue;
        bool is_down = axis == 1 && !(corner & 1);
        uint32_t half = WEIGHT_ONE / 2 - is_down;
        uint32_t next = (weights[corner] * part + half) >> WEIGHT_BITS;
        weights[corner | 1u << axis] = next;
        weights[corner] -= next;
    }
}

// By corner: bit i says whether it is the next one along axis i. The weights of
// a card, an H100, are made in this order.
static void weigh(const Span spans[VM_AXES], uint32_t axes, uint32_t part,
                  uint32_t weights[1 << VM_AXES]) {
    static const uint32_t order[] = {2, 0, 1};
    memset(weights, 0, sizeof weights[0] << VM_AXES);
    weights[0] = part;
    for (size_t i = 0; i < COUNT_OF(order); i++)
        if (order[i] < axes)
            share(weights, order[i], spans[order[i]].weight);
}

// A card takes a row for a plane whose only row it fetches at y = 0, which is
// half in the border, if there is one.
static uint32_t filtered_axes(const VmTexture *t) {
    bool is_row = t->axes == 1 && !t->is_layered && !t->is_flat;
    return is_row && t->sampler.address[1] == ADDRESS_BORDER ? 2 : t->axes;
}

// Fractions of 8 and of 16 bits are blended as the integers that they are kept
// as. This is the largest; 0: they are numbers with a point.
static double whole_of(const VmTexture *t) {
    if (t->texel == TEXEL_FLOAT || t->sampler.is_srgb)
        return 0;
    double all = t->channel_bytes == 1 ? UINT8_MAX : UINT16_MAX;
    return t->texel == TEXEL_SIGNED ? floor(all / 2) : all;
}

static double blendable(const VmTexture *t, uint32_t value) {
    double whole = whole_of(t), x = vm_bits_f32(value);
    return whole > 0 ? round(x * whole) : x;
}

// To a number whose significand has so many bits less than a float's; a half is
// rounded away from zero.
static float rounded(double x, int bits) {
    int exponent;
    double fraction = frexp(x, &exponent), one = ldexp(1, FLT_MANT_DIG - bits);
    return (float)ldexp(round(fraction * one) / one, exponent);
}

// What a blend, whose weights sum up to WEIGHT_ONE, is rounded to: fractions
// to 16 bits, halves to halves.
static uint32_t result_of(const VmTexture *t, double sum) {
    double whole = whole_of(t), x = sum / WEIGHT_ONE;
    double most = t->texel == TEXEL_SIGNED ? INT16_MAX : UINT16_MAX;
    enum { HALF_LESS = 13 }; // bits
    if (whole > 0)
        return vm_f32_bits((float)(floor(x * most / whole + 0.5) / most));
    bool is_half = t->texel == TEXEL_FLOAT && t->channel_bytes == 2;
    return vm_f32_bits(rounded(x, is_half ? HALF_LESS : 0));
}

// An axis that clamps has nothing outside to blend.
static Span blended_span(const VmFetch *f, const VmTextureLevel *level,
                         uint32_t axis) {
    Span span = span_of(f, level, axis);
    int64_t last = (int64_t)level->size[axis] - 1;
    if (mode_of(f, axis) != ADDRESS_CLAMP || (span.low >= 0 && span.low < last))
        return span;
    return (Span){span.low < 0 ? 0 : last, 0};
}

// Adds `part` of WEIGHT_ONE of a level's blend.
static bool add_blend(const VmFetch *f, const VmTextureLevel *level,
                      uint32_t part, double sum[VM_CHANNELS]) {
    uint32_t axes = filtered_axes(f->texture), weights[1 << VM_AXES];
    Span spans[VM_AXES];
    for (uint32_t i = 0; i < axes; i++)
        spans[i] = blended_span(f, level, i);
    weigh(spans, axes, part, weights);
    for (uint32_t corner = 0; corner < 1u << axes; corner++) {
        uint32_t texel[VM_CHANNELS];
        int64_t at[VM_AXES] = {0};
        for (uint32_t i = 0; i < axes; i++)
            at[i] = spans[i].low + (corner >> i & 1);
        if (weights[corner] == 0)
            continue;
        if (!texel_or_border(f, level, axes, at, texel))
            return false;
        for (uint32_t c = 0; c < VM_CHANNELS; c++)
            sum[c] += weights[corner] * blendable(f->texture, texel[c]);
    }
    return true;
}

static void set_results(const VmTexture *t, const double sum[VM_CHANNELS],
                        uint32_t out[VM_CHANNELS]) {
    for (uint32_t c = 0; c < VM_CHANNELS; c++)
        out[c] = result_of(t, sum[c]);
}

static bool blended(const VmFetch *f, const VmTextureLevel *level,
                    uint32_t out[VM_CHANNELS]) {
    double sum[VM_CHANNELS] = {0};
    bool is_read = add_blend(f, level, WEIGHT_ONE, sum);
    set_results(f->texture, sum, out);
    return is_read;
}

static bool sample_level(const VmFetch *f, uint32_t number,
                         uint32_t out[VM_CHANNELS]) {
    const VmTextureLevel *level = &f->texture->levels[number];
    bool is_linear = f->texture->sampler.is_linear && !f->is_integer;
    return (is_linear ? blended : nearest)(f, level, out);
}

// ---- levels --------------------------------------------------------------

// Adds `part` of WEIGHT_ONE of a level.
static bool add_level(const VmFetch *f, uint32_t number, uint32_t part,
                      double sum[VM_CHANNELS]) {
    const VmTextureLevel *level = &f->texture->levels[number];
    uint32_t texel[VM_CHANNELS];
    if (f->texture->sampler.is_linear && !f->is_integer)
        return add_blend(f, level, part, sum);
    if (!nearest(f, level, texel))
        return false;
    for (uint32_t c = 0; c < VM_CHANNELS; c++)
        sum[c] += part * blendable(f->texture, texel[c]);
    return true;
}

static double clamped(double x, double least, double most) {
    return x > most ? most : x > least ? x : least;
}

bool vm_sample(const VmFetch *f, uint32_t out[VM_CHANNELS]) {
    const VmTexture *t = f->texture;
    const VmSampler *s = &t->sampler;
    if (t->level_count == 1)
        return sample_level(f, 0, out);
    double bias = floor((double)s->bias * WEIGHT_ONE + 0.5) / WEIGHT_ONE;
    double level = clamped(f->level + bias, s->least, s->most);
    level = clamped(level, 0, t->level_count - 1);
    if (!s->blends_levels)
        return sample_level(f, (uint32_t)floor(level + 0.5), out);
    uint32_t fixed = (uint32_t)(level * WEIGHT_ONE); // as an H100 does
    uint32_t low = fixed >> WEIGHT_BITS, part = fixed & (WEIGHT_ONE - 1);
    if (part == 0)
        return sample_level(f, low, out);
    double sum[VM_CHANNELS] = {0};
    bool is_read = add_level(f, low, WEIGHT_ONE - part, sum) &&
                   add_level(f, low + 1, part, sum);
    set_results(t, sum, out);
    return is_read;
}

// A gather goes through the filter, and has its precision.
static uint32_t gathered(const VmTexture *t, uint32_t value) {
    return t->sampler.reads_float
               ? result_of(t, blendable(t, value) * WEIGHT_ONE)
               : value;
}

// PTX ISA, "tld4": counter-clockwise from the lower left.
bool vm_gather(const VmFetch *f, uint32_t channel, uint32_t out[VM_CHANNELS]) {
    static const int64_t corners[VM_CHANNELS][2] = {
        {0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const VmTextureLevel *level = &f->texture->levels[0];
    Span x = span_of(f, level, 0), y = span_of(f, level, 1);
    for (uint32_t i = 0; i < VM_CHANNELS; i++) {
        int64_t at[VM_AXES] = {x.low + corners[i][0], y.low + corners[i][1]};
        uint32_t texel[VM_CHANNELS];
        if (!texel_or_border(f, level, f->texture->axes, at, texel))
            return false;
        out[i] = gathered(f->texture, texel[channel]);
    }
    return true;
}

// ---- cubes ---------------------------------------------------------------

// Of an axis; NaN has none.
static double length(double x) {
    return fmax(fabs(x), 0);
}

// Where a direction is on a face, along one axis; NaN counts as 1.
static double on_face(double x, double major) {
    double at = (x / major + 1) / 2;
    return at == at ? at : 1;
}

// CUDA C++ Programming Guide, "Cubemap Textures". That the direction is first
// divided by its longest axis shows where it is zero, infinite or NaN.
void vm_face(VmFetch *f, const double direction[3]) {
    double most = fmax(fmax(length(direction[0]), length(direction[1])),
                       length(direction[2]));
    double x = direction[0] / most, y = direction[1] / most;
    double z = direction[2] / most, major, s, t;
    uint32_t face;
    if (length(x) > length(y) && length(x) > length(z)) {
        face = x < 0 ? 1 : 0;
        major = fabs(x);
        s = x < 0 ? z : -z;
        t = -y;
    } else if (length(y) > length(z)) {
        face = y < 0 ? 3 : 2;
        major = fabs(y);
        s = x;
        t = y < 0 ? -z : z;
    } else {
        face = z < 0 ? 5 : 4;
        major = fabs(z);
        s = z < 0 ? -x : x;
        t = -y;
    }
    f->layer += face;
    f->at[0] = on_face(s, major);
    f->at[1] = on_face(t, major);
}
