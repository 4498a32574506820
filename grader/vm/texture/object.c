// SPDX-License-Identifier: Apache-2.0
// Which object an instruction names, and at which coordinates.
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/texture/texture.h"

const VmGeometryTraits vm_geometries[GEOMETRY_NONE] = {
    [GEOMETRY_1D] = {PTX_MOD_1D, 1, 1, false, false},
    [GEOMETRY_2D] = {PTX_MOD_2D, 2, 2, false, false},
    [GEOMETRY_3D] = {PTX_MOD_3D, 3, 3, false, false},
    [GEOMETRY_A1D] = {PTX_MOD_A1D, 1, 1, true, false},
    [GEOMETRY_A2D] = {PTX_MOD_A2D, 2, 2, true, false},
    [GEOMETRY_CUBE] = {PTX_MOD_CUBE, 2, 3, false, true},
    [GEOMETRY_ACUBE] = {PTX_MOD_ACUBE, 2, 3, true, true},
};

// ---- decoding ------------------------------------------------------------

VmGeometry vm_take_geometry(VmDecoder *d) {
    for (VmGeometry g = GEOMETRY_1D; g < GEOMETRY_NONE; g++)
        if (vm_take(d, vm_geometries[g].mod))
            return g;
    vm_unsupported(d, "a texture or surface of this geometry");
    return GEOMETRY_NONE;
}

static bool decode_handle(VmDecoder *d, const PtxOperand *op, VmRef *out) {
    if (op->kind != PTX_OPND_ADDRESS || op->base == PTX_BASE_SYMBOL) {
        vm_unsupported(d, "a texture or surface that is a variable; CUDA "
                          "has objects, in 64-bit registers");
        return false;
    }
    const PtxOperand reg = {.kind = PTX_OPND_REG, .reg = op->reg};
    if (op->base == PTX_BASE_NONE || op->imm)
        vm_unsupported(d, "a handle of this form");
    else
        *out = vm_operand_src(d, &reg, 8, false);
    return op->base == PTX_BASE_REG && !op->imm;
}

bool vm_decode_named(VmDecoder *d, uint32_t index, VmGeometry geometry,
                     VmNamed *out) {
    const PtxOperand *op = &d->in->operands[index];
    *out = (VmNamed){0};
    if (!decode_handle(d, op, &out->handle))
        return false;
    if (geometry == GEOMETRY_NONE)
        return op->elem_count == 0;
    const VmGeometryTraits *traits = &vm_geometries[geometry];
    const PtxOperand *at = op->elems;
    bool is_vector = op->elem_count == 1 && at->kind == PTX_OPND_VECTOR;
    uint32_t there = is_vector ? at->elem_count : op->elem_count;
    out->count = traits->coordinates + traits->is_layered;
    if (op->elem_count != 1 || there < out->count) {
        vm_unsupported(d, op->elem_count == 2 ? "a sampler of its own"
                                              : "coordinates of this form");
        return false;
    }
    for (uint32_t i = 0; i < out->count; i++)
        out->at[i] =
            vm_operand_src(d, is_vector ? &at->elems[i] : at, 4, false);
    return true;
}

void vm_emit_named(VmDecoder *d, VmInstr *in, const VmNamed *named) {
    vm_emit_src(d, in, named->handle);
    for (uint32_t i = 0; i < named->count; i++)
        vm_emit_src(d, in, named->at[i]);
}

// ---- the object of a handle ----------------------------------------------

// A surface may name the faces of cubes as layers; and what has one row, or no
// row at all, has one or two axes as one likes.
static bool has_geometry(const VmTexture *t, VmGeometry geometry) {
    if (geometry == GEOMETRY_NONE)
        return true;
    const VmGeometryTraits *traits = &vm_geometries[geometry];
    if (t->kind == TEXTURE_SURFACE && t->is_cube)
        return geometry == GEOMETRY_A2D;
    bool is_row = t->levels[0].size[1] == 1;
    bool fits = t->axes == traits->axes ||
                (is_row && t->axes <= 2 && traits->axes <= 2);
    return fits && t->is_layered == traits->is_layered &&
           t->is_cube == traits->is_cube;
}

const VmTexture *vm_texture_of(VmWarp *w, const VmInstr *in, uint32_t lane,
                               VmTextureKind kind, VmGeometry geometry) {
    const VmTextures *table = w->vm->textures;
    uint64_t handle = vm_lane_u64(w, vm_srcs(in)[0], lane);
    uint64_t number = handle & VM_OFFSET_MASK;
    bool is_there = table && (handle & ~VM_OFFSET_MASK) == VM_WINDOW_TEXTURE &&
                    number < table->count && table->items[number].kind == kind;
    if (!is_there) {
        vm_faulted(w, in,
                   kind == TEXTURE_FETCHED ? CASE_MEM001_NO_TEXTURE
                                           : CASE_MEM001_NO_SURFACE,
                   FACTS(FACT_LANE(w, lane), FACT(ADDRESS, handle)));
        return NULL;
    }
    const VmTexture *t = &table->items[number];
    if (has_geometry(t, geometry))
        return t;
    Str name =
        str_format(w->vm->out, "%.*s.%.*s", STR_ARG(ptx_op_name((PtxOp)in->op)),
                   STR_ARG(ptx_mod_name(vm_geometries[geometry].mod)));
    vm_faulted(w, in, CASE_MEM001_OTHER_GEOMETRY,
               FACTS(FACT_LANE(w, lane), FACT_STR(TEXT, name)));
    return NULL;
}
