// SPDX-License-Identifier: Apache-2.0
// Moving values: mov with its packing and unpacking forms, special registers,
// and conversions between address windows (cvta, isspacep, mapa, getctarank).
#include "vm/decode.h"
#include "vm/exec.h"

#define COPY(name, T)                                                 \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) { \
        T *d = DST(T, 0);                                             \
        const T *a = SRC(T, 0);                                       \
        LANES(d[l] = a[l]);                                           \
        VM_NEXT;                                                      \
    }
COPY(mov_16, uint16_t)
COPY(mov_32, uint32_t)
COPY(mov_64, uint64_t)

typedef struct Bits128 {
    uint64_t low, high;
} Bits128;
COPY(mov_128, Bits128)

static VmNext mov_pred(VmWarp *w, const VmInstr *in, uint32_t mask) {
    vm_set_pred(w, in->dst[0], mask, vm_pred(w, in->src[0]));
    VM_NEXT;
}

static VmHandler copy_handler(uint32_t size) {
    return size == 0    ? mov_pred
           : size == 2  ? mov_16
           : size == 4  ? mov_32
           : size == 8  ? mov_64
           : size == 16 ? mov_128
                        : NULL;
}

// d = {s0, s1, ...}: the first is the lowest part. A part may be wider than
// its share (a byte in a 16-bit register): its low bits count.
static VmNext mov_pack(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t whole = in->dst[0].size, share = whole / in->src_count;
    EACH_LANE(l, mask) {
        uint8_t *d = vm_at(w, in->dst[0]) + (size_t)l * whole;
        uint8_t parts[16];
        for (uint32_t i = 0; i < in->src_count; i++)
            memcpy(parts + (size_t)i * share,
                   vm_at(w, in->src[i]) + (size_t)l * in->src[i].size, share);
        memcpy(d, parts, whole);
    }
    VM_NEXT;
}

static VmNext mov_unpack(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t whole = in->src[0].size, share = whole / in->dst_count;
    EACH_LANE(l, mask) {
        uint8_t parts[16];
        memcpy(parts, vm_at(w, in->src[0]) + (size_t)l * whole, whole);
        for (uint32_t i = 0; i < in->dst_count; i++) {
            uint8_t *d = vm_at(w, in->dst[i]) + (size_t)l * in->dst[i].size;
            memset(d, 0, in->dst[i].size);
            memcpy(d, parts + (size_t)i * share, share);
        }
    }
    VM_NEXT;
}

static bool good_shares(const PtxOperand *vector, uint32_t whole) {
    return vector->elem_count >= 2 && vector->elem_count <= VM_MAX_SRC &&
           whole <= 16 && whole % vector->elem_count == 0;
}

static void decode_pack(VmDecoder *d, uint32_t whole) {
    const PtxOperand *vector = &d->in->operands[1];
    VmRef parts[VM_MAX_SRC];
    if (!good_shares(vector, whole)) {
        vm_unsupported(d, "this packing");
        return;
    }
    uint32_t share = whole / vector->elem_count;
    for (uint32_t i = 0; i < vector->elem_count; i++)
        parts[i] = vm_operand_src(d, &vector->elems[i], share, true);
    VmRef dst = vm_dst(d, 0, whole);
    VmInstr *in = vm_emit_plain(d, mov_pack);
    vm_emit_dst(in, dst);
    for (uint32_t i = 0; i < vector->elem_count; i++)
        vm_emit_src(in, parts[i]);
}

static void decode_unpack(VmDecoder *d, uint32_t whole) {
    const PtxOperand *vector = &d->in->operands[0];
    VmRef parts[VM_MAX_DST];
    if (!good_shares(vector, whole)) {
        vm_unsupported(d, "this unpacking");
        return;
    }
    uint32_t share = whole / vector->elem_count;
    for (uint32_t i = 0; i < vector->elem_count; i++)
        parts[i] = vm_operand_dst(d, &vector->elems[i], share, true);
    VmRef src = vm_src(d, 1, whole);
    VmInstr *in = vm_emit_plain(d, mov_unpack);
    for (uint32_t i = 0; i < vector->elem_count; i++)
        vm_emit_dst(in, parts[i]);
    vm_emit_src(in, src);
}

static void decode_mov(VmDecoder *d) {
    PtxType type = d->in->types[0];
    uint32_t size = type == PTX_PRED ? 0 : ptx_type_size(type);
    if (d->in->operand_count == 2) {
        if (d->in->operands[1].kind == PTX_OPND_VECTOR) {
            decode_pack(d, size);
            return;
        }
        if (d->in->operands[0].kind == PTX_OPND_VECTOR) {
            decode_unpack(d, size);
            return;
        }
    }
    VmHandler handler = copy_handler(size);
    if (!handler) {
        vm_unsupported(d, "mov of this type");
        return;
    }
    VmRef src = vm_src(d, 1, size), dst = vm_dst(d, 0, size);
    VmInstr *in = vm_emit_plain(d, handler);
    vm_emit_dst(in, dst);
    vm_emit_src(in, src);
}

// ---- special registers ---------------------------------------------------

static uint64_t dim3_of(const uint32_t dims[3], uint32_t axis) {
    return dims[axis];
}

static uint64_t thread_id(const VmWarp *w, uint32_t lane, uint32_t axis) {
    const uint32_t *dim = w->vm->block;
    uint32_t t = w->index * VM_LANES + lane;
    uint32_t id[3] = {t % dim[0], t / dim[0] % dim[1], t / dim[0] / dim[1]};
    return id[axis];
}

static uint64_t cluster_axis(const VmWarp *w, uint32_t axis) {
    return w->cta->id[axis] % w->vm->cluster_dim[axis];
}

static uint64_t lane_mask(PtxSreg sreg, uint32_t lane) {
    uint32_t below = (1u << lane) - 1;
    switch ((int)sreg) {
    case PTX_SREG_LANEMASK_EQ:
        return 1u << lane;
    case PTX_SREG_LANEMASK_LT:
        return below;
    case PTX_SREG_LANEMASK_LE:
        return below | 1u << lane;
    case PTX_SREG_LANEMASK_GT:
        return ~(below | 1u << lane);
    default:
        return ~below;
    }
}

// False: a special register that this machine does not have.
static bool read_sreg(const VmWarp *w, PtxSreg sreg, uint32_t lane,
                      uint64_t *out) {
    const Vm *vm = w->vm;
    const VmCta *cta = w->cta;
    switch ((int)sreg) {
#define AXES(name, expr)                                                \
    case PTX_SREG_##name##_X:                                           \
    case PTX_SREG_##name##_Y:                                           \
    case PTX_SREG_##name##_Z: {                                         \
        uint32_t axis = (uint32_t)sreg - (uint32_t)PTX_SREG_##name##_X; \
        *out = (expr);                                                  \
        return true;                                                    \
    }
        AXES(TID, thread_id(w, lane, axis))
        AXES(NTID, dim3_of(vm->block, axis))
        AXES(CTAID, dim3_of(cta->id, axis))
        AXES(NCTAID, dim3_of(vm->grid, axis))
        AXES(CLUSTERID, cta->id[axis] / vm->cluster_dim[axis])
        AXES(NCLUSTERID, dim3_of(vm->cluster_grid, axis))
        AXES(CLUSTER_CTAID, cluster_axis(w, axis))
        AXES(CLUSTER_NCTAID, dim3_of(vm->cluster_dim, axis))
#undef AXES
#define VALUE(name, expr) \
    case PTX_SREG_##name: \
        *out = (expr);    \
        return true;
        VALUE(CLUSTER_CTARANK, cta->rank)
        VALUE(CLUSTER_NCTARANK, vm->cluster_size)
        VALUE(IS_EXPLICIT_CLUSTER, vm->explicit_cluster)
        VALUE(LANEID, lane)
        VALUE(WARPID, w->index)
        VALUE(NWARPID, cta->warp_count)
        VALUE(SMID, cta->sm)
        VALUE(NSMID, vm->tuning.sm_count)
        VALUE(GRIDID, 1)
        VALUE(CLOCK, (uint32_t)vm->tick)
        VALUE(CLOCK_HI, vm->tick >> 32)
        VALUE(CLOCK64, vm->tick)
        VALUE(GLOBALTIMER, vm->tick)
        VALUE(GLOBALTIMER_LO, (uint32_t)vm->tick)
        VALUE(GLOBALTIMER_HI, vm->tick >> 32)
        VALUE(DYNAMIC_SMEM_SIZE, vm->launch->dynamic_smem)
        VALUE(TOTAL_SMEM_SIZE, vm->smem_bytes)
#undef VALUE
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_GT:
    case PTX_SREG_LANEMASK_GE:
        *out = lane_mask(sreg, lane);
        return true;
    default:
        return false;
    }
}

static VmNext op_sreg(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)mask;
    EACH_LANE(l, VM_FULL) {
        uint64_t value = 0;
        if (!read_sreg(w, (PtxSreg)in->target, l, &value))
            return vm_op_unsupported(w, in, mask);
        vm_set_lane_u64(w, in->dst[0], l, value);
    }
    VM_NEXT;
}

VmRef vm_decode_sreg(VmDecoder *d, PtxSreg sreg, uint32_t size) {
    VmRef temp = vm_temp(d, size);
    if (size == 0 || size == 16) {
        vm_unsupported(d, "a special register of this size");
        return temp;
    }
    VmInstr *in = vm_emit_plain(d, op_sreg);
    in->guard = VM_NONE;
    in->target = (uint32_t)sreg;
    vm_emit_dst(in, temp);
    return temp;
}

// ---- address windows -----------------------------------------------------

// imm is the address in its frame's local memory; the value is the local
// address (the thread's own).
VmNext vm_op_local_address(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint64_t address = in->imm + w->frag->frame->local_base;
    EACH_LANE(l, mask) {
        vm_set_lane_u64(w, in->dst[0], l, address);
    }
    VM_NEXT;
}

static VmNext cvta_add(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t a = vm_lane_u64(w, in->src[0], l);
        vm_set_lane_u64(w, in->dst[0], l, (uint32_t)a | in->imm);
    }
    VM_NEXT;
}

static VmNext cvta_cut(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t a = vm_lane_u64(w, in->src[0], l);
        vm_set_lane_u64(w, in->dst[0], l, (uint32_t)a);
    }
    VM_NEXT;
}

static uint64_t window_of(PtxSpace space) {
    return space == PTX_SPACE_SHARED  ? VM_WINDOW_SHARED
           : space == PTX_SPACE_LOCAL ? VM_WINDOW_LOCAL
                                      : 0;
}

// The size of a generic address; 32 bits have no room for the windows.
static void check_generic(VmDecoder *d, uint32_t size) {
    if (size != 8)
        vm_unsupported(d, "a generic address of 32 bits");
}

// Global, constant and parameter addresses are generic addresses already.
static void decode_cvta(VmDecoder *d) {
    PtxSpace space = vm_take_space(d);
    uint64_t window = window_of(space);
    bool to = vm_take(d, PTX_MOD_TO);
    check_generic(d, ptx_type_size(d->in->types[0]));
    VmRef src = vm_src(d, 1, 8), dst = vm_dst(d, 0, 8);
    VmInstr *in = vm_emit_plain(d, !window ? mov_64 : to ? cvta_cut : cvta_add);
    in->imm = window;
    vm_emit_dst(in, dst);
    vm_emit_src(in, src);
}

// The window that a generic address is in. Kernel parameters are in two, their
// own and the global one (PTX ISA, "isspacep").
static PtxSpace window_at(const Vm *vm, uint64_t address) {
    uint64_t window = address & ~VM_OFFSET_MASK;
    uint64_t number = address >> VM_BUFFER_SHIFT;
    if (window == VM_WINDOW_SHARED)
        return PTX_SPACE_SHARED;
    if (window == VM_WINDOW_LOCAL)
        return PTX_SPACE_LOCAL;
    if (number && number == vm->param_buffer)
        return PTX_SPACE_PARAM;
    const PtxVar *var =
        number < vm->buffer_count ? vm->buffers[number].var : NULL;
    return var && var->space == PTX_SPACE_CONST ? PTX_SPACE_CONST
                                                : PTX_SPACE_GLOBAL;
}

static VmNext op_isspacep(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t r = 0;
    EACH_LANE(l, mask) {
        uint64_t a = vm_lane_u64(w, in->src[0], l);
        PtxSpace at = window_at(w->vm, a);
        uint32_t rank = (uint32_t)a >> VM_RANK_SHIFT;
        bool own = rank == 0 || rank == w->cta->rank + 1;
        bool yes = at == in->space ||
                   (at == PTX_SPACE_PARAM && in->space == PTX_SPACE_GLOBAL);
        if (at == PTX_SPACE_SHARED && !in->scope_cluster)
            yes = yes && own;
        r |= (uint32_t)yes << l;
    }
    vm_set_pred(w, in->dst[0], mask, r);
    VM_NEXT;
}

static uint32_t operand_size(const VmDecoder *d, uint32_t index) {
    const PtxOperand *op = &d->in->operands[index];
    return op->kind == PTX_OPND_REG ? ptx_type_size(d->ptx->regs[op->reg].type)
                                    : 8;
}

static void decode_isspacep(VmDecoder *d) {
    PtxSpace space = vm_take_space(d);
    check_generic(d, operand_size(d, 1));
    VmRef src = vm_src(d, 1, 8), dst = vm_dst(d, 0, 0);
    VmInstr *in = vm_emit_plain(d, op_isspacep);
    in->space = (uint8_t)space;
    in->scope_cluster = ptx_has(d->in, PTX_MOD_SHARED_CLUSTER);
    vm_emit_dst(in, dst);
    vm_emit_src(in, src);
}

// mapa: the address, in the shared memory of the CTA of rank b, that
// corresponds to a (PTX ISA, "mapa").
static VmNext op_mapa(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t a = vm_lane_u64(w, in->src[0], l);
        uint32_t rank = (uint32_t)vm_lane_u64(w, in->src[1], l);
        uint32_t offset = (uint32_t)a & ((1u << VM_RANK_SHIFT) - 1);
        uint32_t shared = ((rank & 0x7F) + 1) << VM_RANK_SHIFT | offset;
        vm_set_lane_u64(w, in->dst[0], l, in->imm | shared);
    }
    VM_NEXT;
}

static VmNext op_getctarank(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint32_t a = (uint32_t)vm_lane_u64(w, in->src[0], l);
        uint32_t tag = a >> VM_RANK_SHIFT;
        vm_set_lane_u64(w, in->dst[0], l, tag ? tag - 1 : w->cta->rank);
    }
    VM_NEXT;
}

static void decode_rank(VmDecoder *d) {
    bool shared = vm_take_space(d) == PTX_SPACE_SHARED;
    bool is_mapa = d->in->op == PTX_OP_MAPA;
    uint32_t size = ptx_type_size(d->in->types[0]);
    if (!shared)
        check_generic(d, size);
    VmRef address = vm_src(d, 1, size), rank = {0};
    if (is_mapa)
        rank = vm_src(d, 2, 4);
    VmRef dst = vm_dst(d, 0, is_mapa ? size : 4);
    VmInstr *in = vm_emit_plain(d, is_mapa ? op_mapa : op_getctarank);
    in->imm = shared ? 0 : VM_WINDOW_SHARED;
    vm_emit_dst(in, dst);
    vm_emit_src(in, address);
    if (is_mapa)
        vm_emit_src(in, rank);
}

void vm_decode_move(VmDecoder *d) {
    vm_take_types(d);
    switch ((int)d->in->op) {
    case PTX_OP_MOV:
        decode_mov(d);
        break;
    case PTX_OP_CVTA:
        decode_cvta(d);
        break;
    case PTX_OP_ISSPACEP:
        decode_isspacep(d);
        break;
    default:
        decode_rank(d);
        break;
    }
}
