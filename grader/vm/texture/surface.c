// SPDX-License-Identifier: Apache-2.0
// suld, sust and sured (PTX ISA, 9.7.11). The first coordinate counts bytes
// (.b) or, for sured.p, texels. In the order of accesses these count as
// ordinary ones: two threads that are not ordered must not access the same
// bytes if one of them writes.
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/order/order.h"
#include "vm/texture/families.h"
#include "vm/texture/texture.h"
#include "vm/values/atomic.h"

// What an access outside the surface does.
typedef enum Outside { OUTSIDE_TRAPS, OUTSIDE_CLAMPS, OUTSIDE_IS_ZERO } Outside;

static VmGeometry geometry_of(const VmInstr *in) {
    return (VmGeometry)in->surface.geometry;
}

static Outside outside_of(const VmInstr *in) {
    return (Outside)in->surface.outside;
}

static uint32_t first_value(const VmInstr *in) {
    const VmGeometryTraits *traits = &vm_geometries[geometry_of(in)];
    return 1 + traits->is_layered + traits->coordinates;
}

// ---- where an access is --------------------------------------------------

typedef struct Place {
    int64_t at[VM_AXES];    // byte in the row, row, plane or layer
    uint32_t most[VM_AXES]; // bytes of a row, rows, planes
} Place;

static Place place_of(const VmWarp *w, const VmInstr *in, uint32_t lane,
                      const VmTexture *t) {
    const VmGeometryTraits *traits = &vm_geometries[geometry_of(in)];
    const VmTextureLevel *level = &t->levels[0];
    const VmRef *srcs = vm_srcs(in);
    uint32_t next = 1;
    Place p = {.most = {level->size[0] * vm_texel_bytes(t), level->size[1],
                        t->axes == 3 ? level->size[2] : t->layers}};
    if (traits->is_layered) // an unsigned number
        p.at[2] = (int64_t)vm_lane_u64(w, srcs[next++], lane);
    for (uint32_t i = 0; i < traits->coordinates; i++)
        p.at[i] = (int32_t)vm_lane_u64(w, srcs[next++], lane);
    if (in->surface.by_texels)
        p.at[0] *= vm_texel_bytes(t);
    return p;
}

static bool is_inside(const Place *p, uint32_t bytes) {
    for (uint32_t i = 0; i < VM_AXES; i++) {
        uint32_t taken = i == 0 ? bytes : 1;
        if (p->at[i] < 0 || p->at[i] + taken > p->most[i])
            return false;
    }
    return true;
}

// False: not even one access fits.
static bool clamp_place(Place *p, uint32_t bytes) {
    for (uint32_t i = 0; i < VM_AXES; i++) {
        int64_t last = (int64_t)p->most[i] - (i == 0 ? bytes : 1);
        p->at[i] = p->at[i] < 0 ? 0 : p->at[i] < last ? p->at[i] : last;
    }
    return is_inside(p, bytes);
}

static void report(VmWarp *w, const VmInstr *in, uint32_t lane, const Place *p,
                   uint32_t bytes, VmAccess access) {
    vm_faulted(w, in,
               p->most[2] > 1 ? CASE_MEM001_SURFACE_PLANE : CASE_MEM001_SURFACE,
               FACTS(FACT_LANE(w, lane), FACT(ACCESS, vm_access_word(access)),
                     FACT(BYTES, bytes), FACT(OFFSET, p->at[0]),
                     FACT(SIZE, p->most[0]), FACT(INDEX, p->at[1]),
                     FACT(COUNT, p->most[1]), FACT(NUMBER, p->at[2]),
                     FACT(LIMIT, p->most[2])));
}

// The bytes that a lane accesses. NULL: none; *next is VM_STOP after a fault.
static uint8_t *bytes_of(VmWarp *w, const VmInstr *in, uint32_t lane,
                         VmAccess access, VmNext *next) {
    const VmTexture *t =
        vm_texture_of(w, in, lane, TEXTURE_SURFACE, geometry_of(in));
    uint32_t bytes = (uint32_t)in->width * in->elements;
    *next = VM_STOP;
    if (!t)
        return NULL;
    Place p = place_of(w, in, lane, t);
    if (!is_inside(&p, bytes) && outside_of(in) == OUTSIDE_IS_ZERO) {
        *next = VM_GO;
        return NULL;
    }
    bool fits = outside_of(in) == OUTSIDE_CLAMPS ? clamp_place(&p, bytes)
                                                 : is_inside(&p, bytes);
    if (!fits) {
        report(w, in, lane, &p, bytes, access);
        return NULL;
    }
    const VmTextureLevel *level = &t->levels[0];
    uint64_t address = level->address + (uint64_t)p.at[2] * level->slice +
                       (uint64_t)p.at[1] * level->pitch + (uint64_t)p.at[0];
    uint8_t *at = vm_memory(w, in, lane, address, bytes, access);
    *next = at ? VM_GO : VM_STOP;
    return at;
}

// ---- executing -----------------------------------------------------------

static VmNext op_suld(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    EACH_LANE(l, mask) {
        const uint8_t *from = bytes_of(w, in, l, ACCESS_READ, &next);
        if (next == VM_STOP)
            return next;
        for (uint32_t e = 0; e < in->elements; e++) {
            uint64_t value = 0;
            if (from)
                memcpy(&value, from + (size_t)e * in->width, in->width);
            vm_set_lane_u64(w, vm_dsts(in)[e], l, value);
        }
    }
    VM_NEXT;
}

static VmNext op_sust(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmRef *values = vm_srcs(in) + first_value(in);
    VmNext next;
    EACH_LANE(l, mask) {
        uint8_t *to = bytes_of(w, in, l, ACCESS_WRITE, &next);
        if (next == VM_STOP)
            return next;
        for (uint32_t e = 0; to && e < in->elements; e++) {
            uint64_t value = vm_lane_u64(w, values[e], l);
            memcpy(to + (size_t)e * in->width, &value, in->width);
        }
    }
    VM_NEXT;
}

// sured.p: the type is that of the texels, if these are signed.
static PtxType type_of(VmWarp *w, const VmInstr *in, uint32_t lane) {
    if (!in->surface.by_texels)
        return (PtxType)in->type;
    const VmTexture *t =
        vm_texture_of(w, in, lane, TEXTURE_SURFACE, geometry_of(in));
    bool is_signed = t && t->texel == TEXEL_SIGNED;
    return in->width == 8 ? (is_signed ? PTX_S64 : PTX_U64)
                          : (is_signed ? PTX_S32 : PTX_U32);
}

static VmNext op_sured(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmRef value = vm_srcs(in)[first_value(in)];
    VmNext next;
    vm_order_lanes_begin(w->vm, in);
    EACH_LANE(l, mask) {
        uint8_t *at = bytes_of(w, in, l, ACCESS_ATOMIC, &next);
        uint64_t old = 0;
        if (next == VM_STOP)
            return next;
        if (!at)
            continue;
        memcpy(&old, at, in->width);
        uint64_t now = vm_atomic_value((VmAtomicOp)in->surface.operation,
                                       type_of(w, in, l), false, old,
                                       vm_lane_u64(w, value, l), 0);
        w->vm->turns.progress += memcmp(at, &now, in->width) != 0;
        memcpy(at, &now, in->width);
    }
    vm_order_lanes_end(w->vm);
    VM_NEXT;
}

// ---- decoding ------------------------------------------------------------

static Outside take_outside(VmDecoder *d) {
    vm_take(d, PTX_MOD_TRAP);
    return vm_take(d, PTX_MOD_CLAMP)  ? OUTSIDE_CLAMPS
           : vm_take(d, PTX_MOD_ZERO) ? OUTSIDE_IS_ZERO
                                      : OUTSIDE_TRAPS;
}

// The values that are loaded or stored: a vector, or one.
static uint32_t decode_values(VmDecoder *d, uint32_t index, uint32_t width,
                              VmRef refs[VM_CHANNELS]) {
    const PtxOperand *op = &d->in->operands[index];
    bool is_vector = op->kind == PTX_OPND_VECTOR;
    uint32_t count = is_vector ? op->elem_count : 1;
    if (count != ptx_vector(d->in) || count > VM_CHANNELS || width > 8 ||
        width * count > 16) {
        vm_unsupported(d, "an access of this size or form");
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const PtxOperand *value = is_vector ? &op->elems[i] : op;
        refs[i] = d->in->op == PTX_OP_SULD
                      ? vm_operand_dst(d, value, width, true)
                      : vm_operand_src(d, value, width, true);
    }
    return count;
}

static VmHandler handler_of(const PtxInstr *in) {
    return in->op == PTX_OP_SULD   ? op_suld
           : in->op == PTX_OP_SUST ? op_sust
                                   : op_sured;
}

// The operation of sured, and whether its type has it.
static uint32_t take_operation(VmDecoder *d, bool is_texels) {
    VmAtomicOp op;
    PtxType type = d->in->types[0];
    if (is_texels)
        type = type == PTX_B64 ? PTX_U64 : PTX_U32;
    if (vm_take_atomic(d, &op) && vm_atomic_exists(op, type))
        return (uint32_t)op;
    vm_unsupported(d, "this reduction");
    return 0;
}

void vm_decode_surface(VmDecoder *d) {
    bool is_load = d->in->op == PTX_OP_SULD,
         reduces = d->in->op == PTX_OP_SURED;
    uint32_t width = ptx_type_size(d->in->types[0]);
    VmRef refs[VM_CHANNELS];
    VmNamed named;
    vm_take_types(d);
    vm_take(d, PTX_MOD_V2);
    vm_take(d, PTX_MOD_V4);
    vm_take_cache_hints(d);
    if (reduces)
        vm_take_order(d, SEM_RELAXED, SCOPE_GPU);
    bool is_texels = reduces && vm_take(d, PTX_MOD_P);
    if (!is_texels && !vm_take(d, PTX_MOD_B))
        vm_unsupported(d, "a formatted store");
    VmGeometry geometry = vm_take_geometry(d);
    uint32_t count = decode_values(d, is_load ? 0 : 1, width, refs);
    if (geometry == GEOMETRY_NONE || count == 0 ||
        !vm_decode_named(d, is_load ? 1 : 0, geometry, &named))
        return;
    Outside outside = take_outside(d);
    uint32_t operation = reduces ? take_operation(d, is_texels) : 0;
    VmInstr *in = vm_emit_plain(d, handler_of(d->in));
    in->space = PTX_SPACE_GLOBAL;
    in->width = (uint8_t)width;
    in->elements = (uint8_t)count;
    in->surface.geometry = (uint8_t)geometry;
    in->surface.outside = (uint8_t)outside;
    in->surface.operation = (uint8_t)operation;
    in->surface.by_texels = is_texels;
    vm_emit_named(d, in, &named);
    for (uint32_t i = 0; i < count; i++)
        (is_load ? vm_emit_dst : vm_emit_src)(d, in, refs[i]);
}
