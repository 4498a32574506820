// SPDX-License-Identifier: Apache-2.0
// txq and suq (PTX ISA, 9.7.10 and 9.7.11): what an object says of itself. The
// names of formats and modes are left out: their numbers are OpenCL's.
#include "vm/machine/lanes.h"
#include "vm/texture/families.h"
#include "vm/texture/texture.h"

typedef enum Query {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_LAYERS,
    QUERY_LEVELS,
    QUERY_SAMPLES,
    QUERY_NORMALIZED,
    QUERY_COUNT,
} Query;

static uint32_t size_of(const VmTexture *t, uint32_t level, uint32_t axis) {
    if (axis >= t->axes || level >= t->level_count)
        return 0;
    return t->levels[level].size[axis];
}

static uint32_t answer(const VmTexture *t, Query query, uint32_t level) {
    switch (query) {
    case QUERY_WIDTH:
    case QUERY_HEIGHT:
    case QUERY_DEPTH:
        return size_of(t, level, (uint32_t)query - QUERY_WIDTH);
    case QUERY_LAYERS:
        return t->is_layered ? t->layers / (t->is_cube ? 6 : 1) : 0;
    case QUERY_LEVELS:
        return t->level_count;
    case QUERY_NORMALIZED:
        return t->sampler.is_normalized;
    case QUERY_SAMPLES:
    case QUERY_COUNT:
        break;
    }
    return 1;
}

// src[1]: the level, for txq.level.
static VmNext op_query(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmTextureKind kind =
        in->op == PTX_OP_TXQ ? TEXTURE_FETCHED : TEXTURE_SURFACE;
    EACH_LANE(l, mask) {
        const VmTexture *t = vm_texture_of(w, in, l, kind, GEOMETRY_NONE);
        if (!t)
            return VM_STOP;
        uint64_t level = in->src_count > 1 ? vm_lane_u64(w, in->src[1], l) : 0;
        vm_set_lane_u64(
            w, in->dst[0], l,
            answer(t, (Query)in->texture_query.what, (uint32_t)level));
    }
    VM_NEXT;
}

void vm_decode_texture_query(VmDecoder *d) {
    static const PtxMod mods[QUERY_COUNT] = {PTX_MOD_WIDTH,
                                             PTX_MOD_HEIGHT,
                                             PTX_MOD_DEPTH,
                                             PTX_MOD_ARRAY_SIZE,
                                             PTX_MOD_NUM_MIPMAP_LEVELS,
                                             PTX_MOD_NUM_SAMPLES,
                                             PTX_MOD_NORMALIZED_COORDS};
    uint32_t query = 0;
    VmNamed named;
    VmRef level = {0};
    vm_take_types(d);
    while (query < QUERY_COUNT && !vm_take(d, mods[query]))
        query++;
    bool has_level = vm_take(d, PTX_MOD_LEVEL);
    if (query == QUERY_COUNT)
        vm_unsupported(d, "this query");
    if (has_level)
        level = vm_src(d, 2, 4);
    VmRef dst = vm_dst(d, 0, 4);
    if (!vm_decode_named(d, 1, GEOMETRY_NONE, &named)) {
        vm_unsupported(d, "a query of this form");
        return;
    }
    VmInstr *in = vm_emit_plain(d, op_query);
    in->texture_query.what = (uint8_t)query;
    vm_emit_named(d, in, &named);
    if (has_level)
        vm_emit_src(d, in, level);
    vm_emit_dst(d, in, dst);
}
