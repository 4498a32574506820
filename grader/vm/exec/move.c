// SPDX-License-Identifier: Apache-2.0
// Moves: mov with its packing and unpacking forms, special registers, and
// conversions between address windows (cvta, isspacep, mapa, getctarank).
#include "vm/exec/families.h"
#include "vm/machine/lanes.h"
#include "vm/time/time.h"

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

// d = {s0, s1, ...}: the first is the lowest part. A part may be wider than its
// share (a byte in a 16-bit register): its low bits are used.
static VmNext mov_pack(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t whole = in->dst[0].size, share = whole / in->src_count;
    EACH_LANE(l, mask) {
        uint8_t *d = vm_at(w, in->dst[0]) + (size_t)l * whole;
        uint8_t parts[16];
        for (uint32_t i = 0; i < in->src_count; i++)
            memcpy(parts + (size_t)i * share,
                   vm_at(w, vm_srcs(in)[i]) + (size_t)l * vm_srcs(in)[i].size,
                   share);
        memcpy(d, parts, whole);
    }
    VM_NEXT;
}

// Two 64-bit registers: how nvcc passes on an answer of 128 bits.
static VmNext mov_pack_128(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const uint64_t *low = SRC(uint64_t, 0), *high = SRC(uint64_t, 1);
    uint8_t *d = vm_at(w, in->dst[0]);
    EACH_LANE(l, mask) {
        uint64_t parts[2] = {low[l], high[l]};
        memcpy(d + (size_t)l * sizeof parts, parts, sizeof parts);
    }
    VM_NEXT;
}

static VmNext mov_unpack(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t whole = in->src[0].size, share = whole / in->dst_count;
    EACH_LANE(l, mask) {
        uint8_t parts[16];
        memcpy(parts, vm_at(w, in->src[0]) + (size_t)l * whole, whole);
        for (uint32_t i = 0; i < in->dst_count; i++) {
            VmRef dst = vm_dsts(in)[i];
            uint8_t *d = vm_at(w, dst) + (size_t)l * dst.size;
            memset(d, 0, dst.size);
            memcpy(d, parts + (size_t)i * share, share);
        }
    }
    VM_NEXT;
}

// {low, high} = a whole register of W, of two halves of P.
#define HALVES(bits, W, P)                                         \
    static VmNext mov_pack_##bits(VmWarp *w, const VmInstr *in,    \
                                  uint32_t mask) {                 \
        const P *low = SRC(P, 0), *high = SRC(P, 1);               \
        W *d = DST(W, 0);                                          \
        LANES(d[l] = (W)((W)high[l] << (sizeof(P) * 8) | low[l])); \
        VM_NEXT;                                                   \
    }                                                              \
    static VmNext mov_unpack_##bits(VmWarp *w, const VmInstr *in,  \
                                    uint32_t mask) {               \
        P *low = DST(P, 0), *high = DST(P, 1);                     \
        const W *a = SRC(W, 0);                                    \
        LANES(low[l] = (P)a[l]);                                   \
        LANES(high[l] = (P)(a[l] >> (sizeof(P) * 8)));             \
        VM_NEXT;                                                   \
    }
HALVES(64, uint64_t, uint32_t)
HALVES(32, uint32_t, uint16_t)

// The handler for halves that have the size of their registers; else `any`.
static VmHandler halves_handler(uint32_t whole, uint32_t count,
                                const VmRef *parts, bool packs, VmHandler any) {
    if (count != 2 || parts[0].size != whole / 2 || parts[1].size != whole / 2)
        return any;
    return whole == 8             ? packs ? mov_pack_64 : mov_unpack_64
           : whole == 4           ? packs ? mov_pack_32 : mov_unpack_32
           : whole == 16 && packs ? mov_pack_128
                                  : any;
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
    VmInstr *in = vm_emit_plain(
        d, halves_handler(whole, vector->elem_count, parts, true, mov_pack));
    vm_emit_dst(d, in, dst);
    for (uint32_t i = 0; i < vector->elem_count; i++)
        vm_emit_src(d, in, parts[i]);
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
    VmInstr *in = vm_emit_plain(
        d, halves_handler(whole, vector->elem_count, parts, false, mov_unpack));
    for (uint32_t i = 0; i < vector->elem_count; i++)
        vm_emit_dst(d, in, parts[i]);
    vm_emit_src(d, in, src);
}

// mov.v4 d, a, element by element. Values go through temporaries, so that {a,
// b} = {b, a} is also correct. The components of a vector special register
// follow it in the enumeration.
static void decode_elements(VmDecoder *d, uint32_t size, uint32_t count) {
    const PtxOperand *to = &d->in->operands[0], *from = &d->in->operands[1];
    VmHandler copy = copy_handler(size);
    VmRef values[4];
    bool whole = from->kind == PTX_OPND_SREG;
    if (count > COUNT_OF(values) || to->kind != PTX_OPND_VECTOR ||
        to->elem_count != count || !copy ||
        (!whole &&
         (from->kind != PTX_OPND_VECTOR || from->elem_count != count))) {
        vm_unsupported(d, "mov of this form");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (whole) {
            values[i] = vm_decode_sreg(d, (PtxSreg)(from->sreg + 1 + i), size);
            continue;
        }
        VmRef src = vm_operand_src(d, &from->elems[i], size, false);
        values[i] = vm_temp(d, size);
        VmInstr *in = vm_emit_plain(d, copy);
        vm_emit_dst(d, in, values[i]);
        vm_emit_src(d, in, src);
    }
    for (uint32_t i = 0; i < count; i++) {
        VmRef dst = vm_operand_dst(d, &to->elems[i], size, false);
        VmInstr *in = vm_emit_plain(d, copy);
        vm_emit_dst(d, in, dst);
        vm_emit_src(d, in, values[i]);
    }
}

static void decode_mov(VmDecoder *d) {
    PtxType type = d->in->types[0];
    uint32_t size = type == PTX_PRED ? 0 : ptx_type_size(type);
    uint32_t count = ptx_vector(d->in);
    const PtxOperand *ops = d->in->operands;
    if (count > 1) {
        vm_take(d, PTX_MOD_V2);
        vm_take(d, PTX_MOD_V4);
        decode_elements(d, size, count);
        return;
    }
    if (ops[1].kind == PTX_OPND_VECTOR) {
        decode_pack(d, size);
        return;
    }
    if (ops[0].kind == PTX_OPND_VECTOR) {
        decode_unpack(d, size);
        return;
    }
    VmHandler handler = copy_handler(size);
    if (!handler) {
        vm_unsupported(d, "mov of this type");
        return;
    }
    VmRef src = vm_src(d, 1, size), dst = vm_dst(d, 0, size);
    VmInstr *in = vm_emit_plain(d, handler);
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, src);
}

// ---- special registers (PTX ISA, chapter 10) ------------------------------
//
// Clocks count ticks, which are warp-instructions of the whole machine; the
// global timer counts them as nanoseconds from a fixed date. Registers that
// describe a driver, a graph or hardware counters are 0: there are none.
// Reserved shared memory exists if a kernel asks where it is (cooperative
// groups keep barriers in it), and is not included in any size.

static const uint64_t TIMER_START = UINT64_C(1700000000) * 1000000000;
enum { SMEM_UNIT = 128 }; // allocation unit of shared memory, in bytes

static uint32_t thread_id(const VmWarp *w, uint32_t lane, uint32_t axis) {
    const uint32_t *dim = w->vm->shape.block;
    uint32_t t = w->index * VM_LANES + lane;
    uint32_t id[3] = {t % dim[0], t / dim[0] % dim[1], t / dim[0] / dim[1]};
    return id[axis];
}

// Special registers that differ by lane. False: this is not one.
static bool lane_sreg(const VmWarp *w, PtxSreg sreg, uint32_t lane,
                      uint64_t *out) {
    uint32_t bit = 1u << lane;
    switch ((int)sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
        *out = thread_id(w, lane, (uint32_t)sreg - PTX_SREG_TID_X);
        return true;
    case PTX_SREG_LANEID:
        *out = lane;
        return true;
    case PTX_SREG_LANEMASK_EQ:
        *out = bit;
        return true;
    case PTX_SREG_LANEMASK_LT:
        *out = bit - 1;
        return true;
    case PTX_SREG_LANEMASK_LE:
        *out = bit | (bit - 1);
        return true;
    case PTX_SREG_LANEMASK_GT:
        *out = ~(bit | (bit - 1));
        return true;
    case PTX_SREG_LANEMASK_GE:
        *out = ~(bit - 1);
        return true;
    default:
        return false;
    }
}

// The kernel's own shared memory, rounded up to whole units.
static uint64_t smem_size(const Vm *vm) {
    uint32_t own = vm->shape.smem_bytes - vm->program->reserved_smem;
    return round_up(own, SMEM_UNIT);
}

// SMs have numbers with gaps, as on a card of which some are switched off: each
// one of a stretch of its own, which the schedule chooses.
enum { LEAST_SM_NUMBERS = 160 };

static uint32_t sm_numbers(const Vm *vm) {
    uint32_t sms = vm->model->sm_count, more = sms + sms / 8;
    return more < LEAST_SM_NUMBERS ? LEAST_SM_NUMBERS : more;
}

static uint32_t sm_number(const Vm *vm, uint32_t sm) {
    uint32_t numbers = sm_numbers(vm), sms = vm->model->sm_count;
    uint32_t from = sm * numbers / sms, to = (sm + 1) * numbers / sms;
    uint64_t draw = hash_u64(vm->turns.elect_seed + sm + 1);
    return from + (uint32_t)(draw % (to - from));
}

// Special registers that describe the machine and the launch.
static uint64_t launch_sreg(const VmWarp *w, PtxSreg sreg) {
    const Vm *vm = w->vm;
    switch ((int)sreg) {
    case PTX_SREG_IS_EXPLICIT_CLUSTER:
        return vm->shape.explicit_cluster;
    case PTX_SREG_CLUSTER_NCTARANK:
        return vm->shape.cluster_size;
    case PTX_SREG_NWARPID:
        return vm->model->threads_per_sm / VM_LANES;
    case PTX_SREG_NSMID:
        return sm_numbers(vm);
    case PTX_SREG_GRIDID:
        return 1;
    case PTX_SREG_ENVREG1:
        return vm->launch->grid_workspace >> 32;
    case PTX_SREG_ENVREG2:
        return (uint32_t)vm->launch->grid_workspace;
    case PTX_SREG_DYNAMIC_SMEM_SIZE:
        return vm->launch->dynamic_smem;
    case PTX_SREG_TOTAL_SMEM_SIZE:
        return smem_size(vm);
    case PTX_SREG_AGGR_SMEM_SIZE:
        return smem_size(vm) + vm->model->smem_reserved;
    case PTX_SREG_RESERVED_SMEM_OFFSET_BEGIN:
    case PTX_SREG_RESERVED_SMEM_OFFSET_0:
    case PTX_SREG_RESERVED_SMEM_OFFSET_1:
        return VM_SHARED_BASE;
    case PTX_SREG_RESERVED_SMEM_OFFSET_END:
    case PTX_SREG_RESERVED_SMEM_OFFSET_CAP:
        return VM_SHARED_BASE + vm->program->reserved_smem;
    default: // .w of a vector, %pm, %envreg, %current_graph_exec
        return 0;
    }
}

// A tick is an instruction of any warp. Where warps take turns by modelled time
// a clock shows that: else it would go slower, the fewer blocks there are.
static uint64_t cycle_of(const VmWarp *w) {
    enum { QUIET = 64 }; // ticks without progress
    return w->vm->tuning.by_time ? vm_time_clock(w, w->turns.quiet > QUIET)
                                 : w->vm->turns.tick + w->ran;
}

static uint64_t timer_of(const VmWarp *w) {
    const Vm *vm = w->vm;
    uint64_t cycle = cycle_of(w);
    return TIMER_START +
           (vm->tuning.by_time
                ? cycle * 1000 / vm->time->model.values[TIMING_CLOCK]
                : cycle);
}

static uint64_t warp_sreg(const VmWarp *w, PtxSreg sreg) {
    const Vm *vm = w->vm;
    const VmCta *cta = w->cta;
    switch ((int)sreg) {
#define AXES(name, expr)                                                \
    case PTX_SREG_##name##_X:                                           \
    case PTX_SREG_##name##_Y:                                           \
    case PTX_SREG_##name##_Z: {                                         \
        uint32_t axis = (uint32_t)sreg - (uint32_t)PTX_SREG_##name##_X; \
        return (expr);                                                  \
    }
        AXES(NTID, vm->shape.block[axis])
        AXES(CTAID, cta->id[axis])
        AXES(NCTAID, vm->shape.grid[axis])
        AXES(CLUSTERID, cta->id[axis] / vm->shape.cluster_dim[axis])
        AXES(NCLUSTERID, vm->shape.cluster_grid[axis])
        AXES(CLUSTER_CTAID, cta->id[axis] % vm->shape.cluster_dim[axis])
        AXES(CLUSTER_NCTAID, vm->shape.cluster_dim[axis])
#undef AXES
    case PTX_SREG_CLUSTER_CTARANK:
        return cta->rank;
    case PTX_SREG_WARPID:
        return w->index;
    case PTX_SREG_SMID:
        return sm_number(vm, cta->sm);
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK64:
        return cycle_of(w);
    case PTX_SREG_CLOCK_HI:
        return cycle_of(w) >> 32;
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO:
        return timer_of(w);
    case PTX_SREG_GLOBALTIMER_HI:
        return timer_of(w) >> 32;
    default:
        return launch_sreg(w, sreg);
    }
}

#define FILL(T)                         \
    do {                                \
        T *d = DST(T, 0), v = (T)value; \
        LANES(d[l] = v);                \
    } while (0)

// Special registers that are the same for all lanes of a warp.
static VmNext op_warp_sreg(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint64_t value = warp_sreg(w, (PtxSreg)in->sreg.number);
    switch (in->dst[0].size) {
    case 0:
        vm_set_pred(w, in->dst[0], mask, value ? VM_FULL : 0);
        break;
    case 2:
        FILL(uint16_t);
        break;
    case 4:
        FILL(uint32_t);
        break;
    default:
        FILL(uint64_t);
        break;
    }
    VM_NEXT;
}

static VmNext op_lane_sreg(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t value = 0;
        lane_sreg(w, (PtxSreg)in->sreg.number, l, &value);
        vm_set_lane_u64(w, in->dst[0], l, value);
    }
    VM_NEXT;
}

// %tid.x in a one-dimensional block.
static VmNext op_thread_sreg(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t *d = DST(uint32_t, 0), first = w->index * VM_LANES;
    LANES(d[l] = first + (uint32_t)l);
    VM_NEXT;
}

static bool is_lane_sreg(PtxSreg sreg) {
    static const VmWarp none = {.vm = NULL};
    bool is_tid = sreg >= PTX_SREG_TID_X && sreg <= PTX_SREG_TID_Z;
    uint64_t value;
    return is_tid || lane_sreg(&none, sreg, 0, &value);
}

// Clocks are read between runs, because only there is the position in the slice
// known.
static VmNext op_clock(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)mask;
    uint64_t value = warp_sreg(w, (PtxSreg)in->sreg.number);
    w->vm->turns.looked_at_clock = true;
    EACH_LANE(l, VM_FULL) {
        vm_set_lane_u64(w, in->dst[0], l, value);
    }
    return VM_GO;
}

static bool is_clock(PtxSreg sreg) {
    return sreg == PTX_SREG_CLOCK || sreg == PTX_SREG_CLOCK_HI ||
           sreg == PTX_SREG_CLOCK64 || sreg == PTX_SREG_GLOBALTIMER ||
           sreg == PTX_SREG_GLOBALTIMER_LO || sreg == PTX_SREG_GLOBALTIMER_HI;
}

// True for the sizes of the launch.
static bool is_launch_sreg(PtxSreg sreg) {
    return (sreg >= PTX_SREG_NTID_X && sreg <= PTX_SREG_NTID_Z) ||
           (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z) ||
           (sreg >= PTX_SREG_NCLUSTERID_X && sreg <= PTX_SREG_NCLUSTERID_Z) ||
           (sreg >= PTX_SREG_CLUSTER_NCTAID_X &&
            sreg <= PTX_SREG_CLUSTER_NCTAID_Z) ||
           sreg == PTX_SREG_CLUSTER_NCTARANK;
}

static bool is_grid_sreg(PtxSreg sreg) {
    return (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z) ||
           (sreg >= PTX_SREG_NCLUSTERID_X && sreg <= PTX_SREG_NCLUSTERID_Z);
}

VmRef vm_decode_sreg(VmDecoder *d, PtxSreg sreg, uint32_t size) {
    VmWarp none = {.vm = d->vm};
    if (is_launch_sreg(sreg) && size && size < 16) {
        uint64_t value[2] = {warp_sreg(&none, sreg), 0};
        d->fold.skipped++;
        return is_grid_sreg(sreg)
                   ? vm_loose_value(d, size, value, (VmLoose){.at = sreg})
                   : vm_const(d, size, value[0], 0);
    }
    VmRef temp = vm_temp(d, size);
    bool flat = d->vm->shape.block[1] == 1 && d->vm->shape.block[2] == 1;
    if (size == 16)
        vm_unsupported(d, "a special register of this size");
    VmHandler handler = op_warp_sreg;
    if (sreg == PTX_SREG_TID_X && flat && size == 4)
        handler = op_thread_sreg;
    else if (size && is_lane_sreg(sreg))
        handler = op_lane_sreg;
    VmInstr *in = is_clock(sreg) && size ? vm_emit(d, op_clock)
                                         : vm_emit_plain(d, handler);
    in->guard = VM_NONE;
    in->sreg.number = (uint32_t)sreg;
    vm_emit_dst(d, in, temp);
    return temp;
}

// ---- address windows -----------------------------------------------------

// The value is the thread's local address.
VmNext vm_op_local_address(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint64_t address = in->local.at + w->frag->frame->local_base;
    EACH_LANE(l, mask) {
        vm_set_lane_u64(w, in->dst[0], l, address);
    }
    VM_NEXT;
}

static VmNext cvta_add(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t a = vm_lane_u64(w, in->src[0], l);
        vm_set_lane_u64(w, in->dst[0], l, (uint32_t)a | in->window.bits);
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

// Checks the size of a generic address: 32 bits have no room for the windows.
static void check_generic(VmDecoder *d, uint32_t size) {
    if (size != 8)
        vm_unsupported(d, "a generic address of 32 bits");
}

// Addresses of global, constant and parameter memory already are generic
// addresses.
static void decode_cvta(VmDecoder *d) {
    PtxSpace space = vm_take_space(d);
    uint64_t window = window_of(space);
    bool to = vm_take(d, PTX_MOD_TO);
    check_generic(d, ptx_type_size(d->in->types[0]));
    VmRef src = vm_src(d, 1, 8), dst = vm_dst(d, 0, 8);
    VmInstr *in = vm_emit_plain(d, !window ? mov_64 : to ? cvta_cut : cvta_add);
    in->window.bits = window;
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, src);
}

// The window that a generic address is in. Kernel parameters are in two
// windows, their own and the global one (PTX ISA, "isspacep").
static PtxSpace window_at(const Vm *vm, uint64_t address) {
    PtxSpace space = vm_space_at(PTX_SPACE_GENERIC, address);
    uint64_t number = address >> VM_BUFFER_SHIFT;
    if (space != PTX_SPACE_GLOBAL)
        return space;
    if (number && number == vm->memory.param_buffer)
        return PTX_SPACE_PARAM;
    const PtxVar *var = number < vm->memory.buffer_count
                            ? vm->memory.buffers[number].var
                            : NULL;
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
        bool yes =
            at == in->space_test.space ||
            (at == PTX_SPACE_PARAM && in->space_test.space == PTX_SPACE_GLOBAL);
        if (at == PTX_SPACE_SHARED && !in->space_test.of_cluster)
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
    in->space_test.space = (uint8_t)space;
    in->space_test.of_cluster = ptx_has(d->in, PTX_MOD_SHARED_CLUSTER);
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, src);
}

// mapa: the address that corresponds to a in the shared memory of the CTA of
// rank b (PTX ISA, "mapa").
static VmNext op_mapa(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t a = vm_lane_u64(w, in->src[0], l);
        uint32_t rank = (uint32_t)vm_lane_u64(w, in->src[1], l);
        uint32_t offset = (uint32_t)a & ((1u << VM_RANK_SHIFT) - 1);
        uint32_t shared = ((rank & 0x7F) + 1) << VM_RANK_SHIFT | offset;
        vm_set_lane_u64(w, in->dst[0], l, in->window.bits | shared);
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
    in->window.bits = shared ? 0 : VM_WINDOW_SHARED;
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, address);
    if (is_mapa)
        vm_emit_src(d, in, rank);
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
