// SPDX-License-Identifier: Apache-2.0
// tex and tld4 (PTX ISA, 9.7.10). A texture has the sampler that its object was
// made with; a texel that memory holds is always resident.
#include "vm/machine/lanes.h"
#include "vm/texture/families.h"
#include "vm/texture/texture.h"
#include "vm/values/half.h"

// Which level of a mipmap: the first; one that is given; or that of the
// distance between neighbouring fetches.
typedef enum Level { LEVEL_FIRST, LEVEL_GIVEN, LEVEL_GRADIENT } Level;

enum { CHANNEL_NONE = VM_CHANNELS }; // tex: all of them

// Sources: the handle, the layer, the coordinates, the level or two gradients,
// the offsets.
typedef struct How {
    VmGeometry geometry;
    Level level;
    uint32_t channel;
    bool has_offsets;
} How;

static How how_of(const VmInstr *in) {
    return (How){(VmGeometry)in->fetch.geometry, (Level)in->fetch.level,
                 in->fetch.channel, in->fetch.has_offsets};
}

// ---- executing -----------------------------------------------------------

static uint32_t bits_at(const VmFetch *f, uint32_t index) {
    return (uint32_t)vm_lane_u64(f->w, vm_srcs(f->in)[index], f->lane);
}

static double number_at(const VmFetch *f, uint32_t index) {
    return (double)vm_bits_f32(bits_at(f, index));
}

// A layer beyond the last is the last (CUDA C++ Programming Guide, "Layered
// Textures").
static uint32_t layer_of(const VmFetch *f, const VmGeometryTraits *traits) {
    uint32_t each = traits->is_cube ? 6 : 1;
    uint32_t number = bits_at(f, 1), most = f->texture->layers / each - 1;
    return (number < most ? number : most) * each;
}

// The logarithm of the larger step between neighbouring fetches, in texels.
static double level_of_gradients(const VmFetch *f, uint32_t from,
                                 uint32_t axes) {
    double most = 0;
    for (uint32_t g = 0; g < 2; g++) {
        double square = 0;
        for (uint32_t i = 0; i < axes; i++) {
            double step = number_at(f, from + g * axes + i) *
                          f->texture->levels[0].size[i];
            square += step * step;
        }
        most = square > most ? square : most;
    }
    return most > 0 ? log2(most) / 2 : -VM_TEXTURE_LEVELS;
}

static void read_sources(VmFetch *f, How how) {
    const VmGeometryTraits *traits = &vm_geometries[how.geometry];
    uint32_t next = 1;
    double at[VM_AXES];
    if (traits->is_layered) {
        f->layer = layer_of(f, traits);
        next++;
    }
    for (uint32_t i = 0; i < traits->coordinates; i++, next++)
        at[i] = f->is_integer ? (double)(int32_t)bits_at(f, next)
                              : number_at(f, next);
    if (traits->is_cube)
        vm_face(f, at);
    else
        memcpy(f->at, at, sizeof at[0] * traits->coordinates);
    if (how.level == LEVEL_GIVEN)
        f->level = number_at(f, next++);
    if (how.level == LEVEL_GRADIENT) {
        f->level = level_of_gradients(f, next, traits->axes);
        next += 2 * traits->axes;
    }
    for (uint32_t i = 0; how.has_offsets && i < traits->axes; i++)
        f->offset[i] = (int32_t)bits_at(f, next++);
}

static VmNext op_fetch(VmWarp *w, const VmInstr *in, uint32_t mask) {
    How how = how_of(in);
    const VmRef *dsts = vm_dsts(in);
    EACH_LANE(l, mask) {
        const VmTexture *t =
            vm_texture_of(w, in, l, TEXTURE_FETCHED, how.geometry);
        VmFetch f = {.w = w,
                     .in = in,
                     .lane = l,
                     .texture = t,
                     .is_integer = in->fetch.at_texels};
        uint32_t values[VM_CHANNELS];
        if (!t)
            return VM_STOP;
        read_sources(&f, how);
        bool done = how.channel == CHANNEL_NONE
                        ? vm_sample(&f, values)
                        : vm_gather(&f, how.channel, values);
        if (!done)
            return VM_STOP;
        for (uint32_t c = 0; c < VM_CHANNELS; c++)
            vm_set_lane_u64(w, dsts[c], l, values[c]);
    }
    if (in->dst_count > VM_CHANNELS)
        vm_set_pred(w, dsts[VM_CHANNELS], mask, VM_FULL);
    VM_NEXT;
}

// ---- decoding ------------------------------------------------------------

typedef struct Results {
    VmRef refs[VM_CHANNELS + 1];
    uint32_t count;
} Results;

// {a, b, c, d}, or that and |p.
static bool decode_results(VmDecoder *d, Results *out) {
    const PtxOperand *op = &d->in->operands[0];
    bool pair = op->kind == PTX_OPND_PAIR;
    const PtxOperand *vector = pair ? &op->elems[0] : op;
    if (vector->kind != PTX_OPND_VECTOR || vector->elem_count != VM_CHANNELS ||
        ptx_vector(d->in) != VM_CHANNELS) {
        vm_unsupported(d, "a fetch of this form");
        return false;
    }
    vm_take(d, PTX_MOD_V4);
    for (uint32_t i = 0; i < VM_CHANNELS; i++)
        out->refs[i] = vm_operand_dst(d, &vector->elems[i], 4, false);
    out->count = VM_CHANNELS;
    if (pair)
        out->refs[out->count++] = vm_operand_dst(d, &op->elems[1], 0, false);
    return true;
}

static uint32_t take_channel(VmDecoder *d) {
    static const PtxMod mods[] = {PTX_MOD_R, PTX_MOD_G, PTX_MOD_B, PTX_MOD_A};
    for (uint32_t c = 0; d->in->op == PTX_OP_TLD4 && c < COUNT_OF(mods); c++)
        if (vm_take(d, mods[c]))
            return c;
    return CHANNEL_NONE;
}

static Level take_level(VmDecoder *d) {
    vm_take(d, PTX_MOD_BASE);
    return vm_take(d, PTX_MOD_LEVEL)  ? LEVEL_GIVEN
           : vm_take(d, PTX_MOD_GRAD) ? LEVEL_GRADIENT
                                      : LEVEL_FIRST;
}

// The first `count` elements of a vector, or a scalar.
static void decode_elements(VmDecoder *d, uint32_t index, uint32_t count,
                            VmRef *out) {
    const PtxOperand *op = &d->in->operands[index];
    bool is_vector = op->kind == PTX_OPND_VECTOR;
    if (index >= d->in->operand_count ||
        (is_vector ? op->elem_count : 1) < count) {
        vm_unsupported(d, "operands of this form");
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = vm_operand_src(d, is_vector ? &op->elems[i] : op, 4, false);
}

static bool is_number_or_integer(const VmDecoder *d) {
    PtxType to = d->in->types[0], at = d->in->types[1];
    return (to == PTX_F32 || to == PTX_S32 || to == PTX_U32) &&
           (at == PTX_F32 || at == PTX_S32) && d->in->type_count == 2;
}

// What follows the operand in brackets.
static uint32_t decode_rest(VmDecoder *d, How *how, VmRef *out) {
    const VmGeometryTraits *traits = &vm_geometries[how->geometry];
    uint32_t count = 0, index = 2;
    if (how->level == LEVEL_GIVEN) {
        decode_elements(d, index++, 1, out);
        count = 1;
    }
    if (how->level == LEVEL_GRADIENT) {
        decode_elements(d, index++, traits->axes, out);
        decode_elements(d, index++, traits->axes, out + traits->axes);
        count = 2 * traits->axes;
    }
    if (index < d->in->operand_count &&
        d->in->operands[index].kind == PTX_OPND_VECTOR) {
        how->has_offsets = true;
        decode_elements(d, index++, traits->axes, out + count);
        count += traits->axes;
    }
    if (index < d->in->operand_count)
        vm_unsupported(d, "a comparison of depths");
    return count;
}

void vm_decode_fetch(VmDecoder *d) {
    How how = {.level = take_level(d), .channel = take_channel(d)};
    VmNamed named;
    Results results;
    VmRef rest[9];
    vm_take_types(d);
    how.geometry = vm_take_geometry(d);
    if (how.geometry == GEOMETRY_NONE || !is_number_or_integer(d)) {
        vm_unsupported(d, "a fetch of this form");
        return;
    }
    bool is_cube = vm_geometries[how.geometry].is_cube;
    if ((is_cube && how.level == LEVEL_GRADIENT) ||
        (d->in->op == PTX_OP_TLD4 && vm_geometries[how.geometry].axes != 2))
        vm_unsupported(d, "a fetch of this form");
    if (!decode_results(d, &results) ||
        !vm_decode_named(d, 1, how.geometry, &named))
        return;
    uint32_t count = decode_rest(d, &how, rest);
    VmInstr *in = vm_emit_plain(d, op_fetch);
    in->space = PTX_SPACE_GLOBAL;
    in->fetch.geometry = (uint8_t)how.geometry;
    in->fetch.level = (uint8_t)how.level;
    in->fetch.channel = (uint8_t)how.channel;
    in->fetch.has_offsets = how.has_offsets;
    in->fetch.at_texels = d->in->types[1] == PTX_S32;
    vm_emit_named(d, in, &named);
    for (uint32_t i = 0; i < count; i++)
        vm_emit_src(d, in, rest[i]);
    vm_emit_results(d, in, results.refs, results.count);
}
