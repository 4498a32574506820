// SPDX-License-Identifier: Apache-2.0
// Loads and stores (PTX ISA, 9.7.9).
//
// The fast path is for accesses in which all active lanes access one buffer, or
// the CTA's own shared memory, aligned, in bounds, and nothing is watched
// there (place.h). resolve() recognises them, and returns a base and an offset
// for each lane. All other accesses go lane by lane through vm_memory(), which
// reports what is wrong. Parameters of calls are arrays in the frame.
#include "vm/memory/memory.h"
#include "vm/exec/families.h"
#include "vm/exec/place.h"

// ---- any access, lane by lane --------------------------------------------

static uint64_t extend(uint64_t value, uint32_t width) {
    uint32_t shift = 64 - 8u * (width < 8 ? width : 8);
    return (uint64_t)((int64_t)(value << shift) >> shift);
}

static void load_element(VmWarp *w, const VmInstr *in, uint32_t l, uint32_t e,
                         const uint8_t *from) {
    VmRef dst = vm_dsts(in)[e];
    uint8_t *to = vm_at(w, dst) + (size_t)l * dst.size;
    if (dst.size == in->width) {
        memcpy(to, from, in->width);
        return;
    }
    uint64_t value = 0;
    memcpy(&value, from, in->width);
    if (in->memory.is_signed)
        value = extend(value, in->width);
    memcpy(to, &value, dst.size);
}

// The same for several lanes that load from one place.
static void load_alike(VmWarp *w, const VmInstr *in, uint32_t mask, uint32_t e,
                       const uint8_t *from) {
    VmRef dst = vm_dsts(in)[e];
    uint32_t first = vm_first(mask);
    load_element(w, in, first, e, from);
    const uint8_t *value = vm_at(w, dst) + (size_t)first * dst.size;
    if (dst.size && dst.size <= sizeof(uint64_t)) {
        uint64_t bits = vm_lane_u64(w, dst, first);
        EACH_LANE(l, mask) {
            vm_set_lane_u64(w, dst, l, bits);
        }
    } else if (dst.size) { // "_" has none
        EACH_LANE(l, mask & (mask - 1)) {
            memcpy(vm_at(w, dst) + (size_t)l * dst.size, value, dst.size);
        }
    }
}

// True if several lanes load from one place, as is common for answers and
// flags. In local memory, each lane has a place of its own.
static bool is_one_place(const VmWarp *w, const VmInstr *in, uint32_t mask,
                         uint64_t address) {
    uint64_t apart = 0;
    if (vm_space_at((PtxSpace)in->space, address) == PTX_SPACE_LOCAL)
        return false;
    EACH_LANE(l, mask) {
        apart |= vm_lane_address(w, in, l) ^ address;
    }
    return !apart && (mask & (mask - 1));
}

static VmNext load_together(VmWarp *w, const VmInstr *in, uint32_t mask,
                            uint64_t place, uint32_t bytes) {
    const uint8_t *from = NULL;
    EACH_LANE(l, mask) {
        from = vm_memory_alike(w, in, l, place, bytes);
        if (!from)
            return VM_STOP;
    }
    for (uint32_t e = 0; e < in->elements; e++)
        load_alike(w, in, mask, e, from + (size_t)e * in->width);
    vm_memory_loaded(w, in, mask, place, bytes);
    VM_NEXT;
}

static VmNext op_ld(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bytes = (uint32_t)in->width * in->elements;
    uint64_t place = vm_lane_address(w, in, vm_first(mask));
    bool is_apart = w->vm->order && w->vm->order->keeps_old &&
                    in->sem != SEM_WEAK; // lanes may read different values
    if (!is_apart && is_one_place(w, in, mask, place))
        return load_together(w, in, mask, place, bytes);
    EACH_LANE(l, mask) {
        const uint8_t *from =
            vm_memory(w, in, l, vm_lane_address(w, in, l), bytes, ACCESS_READ);
        if (!from)
            return VM_STOP;
        for (uint32_t e = 0; e < in->elements; e++)
            load_element(w, in, l, e, from + (size_t)e * in->width);
    }
    VM_NEXT;
}

static VmNext op_st(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bytes = (uint32_t)in->width * in->elements;
    vm_order_lanes_begin(w->vm, in);
    EACH_LANE(l, mask) {
        uint8_t *to =
            vm_memory(w, in, l, vm_lane_address(w, in, l), bytes, ACCESS_WRITE);
        if (!to)
            return VM_STOP;
        for (uint32_t e = 0; e < in->elements; e++) {
            VmRef src = vm_srcs(in)[1 + e];
            if (src.size) // not "_", whose bytes stay unchanged
                memcpy(to + (size_t)e * in->width,
                       vm_at(w, src) + (size_t)l * src.size, in->width);
        }
    }
    vm_order_lanes_end(w->vm);
    VM_NEXT;
}

// ---- the fast path -------------------------------------------------------

#define FOR_LANES(body)                                         \
    do {                                                        \
        if (mask == VM_FULL)                                    \
            VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) { \
                body;                                           \
            }                                                   \
        else                                                    \
            EACH_LANE(l, mask) {                                \
                body;                                           \
            }                                                   \
    } while (0)

#define NEAR_LANES_AT(T, address, body)                     \
    do {                                                    \
        const T *to = SRC(T, 0);                            \
        VM_UNROLL for (uint32_t l = 0; l < VM_LANES; l++) { \
            void *at = (void *)(address);                   \
            body;                                           \
        }                                                   \
    } while (0)

// The address is read before the loaded value overwrites its register.
#define NEAR_LANES(body)                                                    \
    do {                                                                    \
        uintptr_t base = (uintptr_t)n.base, zero = base - n.from;           \
        uint32_t from = (uint32_t)n.from;                                   \
        if (in->src[0].size == 8)                                           \
            NEAR_LANES_AT(uint64_t, zero + to[l], body);                    \
        else                                                                \
            NEAR_LANES_AT(uint32_t, base + (uint32_t)(to[l] - from), body); \
    } while (0)

// Makes the handler from name##_any (any mask) and name##_full (all lanes, near
// each other). If the order of accesses is checked, the latter is only for rows
// of elements of at most 4 bytes.
#define WAYS(name, M)                                                      \
    static VM_APART VmNext name##_near(VmWarp *w, const VmInstr *in,       \
                                       uint32_t mask) {                    \
        return name##_full(w, in, mask, false);                            \
    }                                                                      \
    static VM_APART VmNext name##_row(VmWarp *w, const VmInstr *in,        \
                                      uint32_t mask) {                     \
        return sizeof(M) <= 4 && mask == VM_FULL                           \
                   ? name##_full(w, in, mask, true)                        \
                   : name##_any(w, in, mask);                              \
    }                                                                      \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {      \
        return mask == VM_FULL && !w->vm->order ? name##_near(w, in, mask) \
                                                : name##_row(w, in, mask); \
    }

#define LOAD(name, M, R)                                               \
    static VM_APART VmNext name##_any(VmWarp *w, const VmInstr *in,    \
                                      uint32_t mask) {                 \
        Place p;                                                       \
        if (!resolve(w, in, mask, sizeof(M), false, &p))               \
            return op_ld(w, in, mask);                                 \
        R *d = DST(R, 0);                                              \
        if (sizeof(M) == sizeof(R) && p.dense)                         \
            memcpy(d, p.base + p.off[0], sizeof(R) * VM_LANES);        \
        else                                                           \
            FOR_LANES(d[l] = (R) * (const M *)(p.base + p.off[l]));    \
        VM_NEXT;                                                       \
    }                                                                  \
    static VM_INLINE VmNext name##_full(VmWarp *w, const VmInstr *in,  \
                                        uint32_t mask, bool ordered) { \
        Near n;                                                        \
        if (!is_near(w, in, sizeof(M), false, ordered, &n))            \
            return name##_any(w, in, mask);                            \
        R *d = DST(R, 0);                                              \
        if (sizeof(M) == sizeof(R) && n.row)                           \
            LANES(d[l] = ((const R *)n.row)[l]);                       \
        else                                                           \
            NEAR_LANES(d[l] = (R) * (const M *)at);                    \
        VM_NEXT;                                                       \
    }                                                                  \
    WAYS(name, M)
LOAD(ld_u8_16, uint8_t, uint16_t)
LOAD(ld_u8_32, uint8_t, uint32_t)
LOAD(ld_u8_64, uint8_t, uint64_t)
LOAD(ld_u16_16, uint16_t, uint16_t)
LOAD(ld_u16_32, uint16_t, uint32_t)
LOAD(ld_u16_64, uint16_t, uint64_t)
LOAD(ld_u32_32, uint32_t, uint32_t)
LOAD(ld_u32_64, uint32_t, uint64_t)
LOAD(ld_u64_64, uint64_t, uint64_t)
LOAD(ld_s8_16, int8_t, uint16_t)
LOAD(ld_s8_32, int8_t, uint32_t)
LOAD(ld_s8_64, int8_t, uint64_t)
LOAD(ld_s16_32, int16_t, uint32_t)
LOAD(ld_s16_64, int16_t, uint64_t)
LOAD(ld_s32_64, int32_t, uint64_t)

#define STORE(name, M, R)                                              \
    static VM_APART VmNext name##_any(VmWarp *w, const VmInstr *in,    \
                                      uint32_t mask) {                 \
        Place p;                                                       \
        if (!resolve(w, in, mask, sizeof(M), true, &p))                \
            return op_st(w, in, mask);                                 \
        const R *a = SRC(R, 1);                                        \
        if (sizeof(M) == sizeof(R) && p.dense)                         \
            memcpy(p.base + p.off[0], a, sizeof(R) * VM_LANES);        \
        else                                                           \
            FOR_LANES(*(M *)(p.base + p.off[l]) = (M)a[l]);            \
        VM_NEXT;                                                       \
    }                                                                  \
    static VM_INLINE VmNext name##_full(VmWarp *w, const VmInstr *in,  \
                                        uint32_t mask, bool ordered) { \
        Near n;                                                        \
        if (!is_near(w, in, sizeof(M), true, ordered, &n))             \
            return name##_any(w, in, mask);                            \
        const R *a = SRC(R, 1);                                        \
        if (sizeof(M) == sizeof(R) && n.row)                           \
            LANES(((R *)n.row)[l] = a[l]);                             \
        else                                                           \
            NEAR_LANES(*(M *)at = (M)a[l]);                            \
        VM_NEXT;                                                       \
    }                                                                  \
    WAYS(name, M)
STORE(st_8_16, uint8_t, uint16_t)
STORE(st_8_32, uint8_t, uint32_t)
STORE(st_8_64, uint8_t, uint64_t)
STORE(st_16_16, uint16_t, uint16_t)
STORE(st_16_32, uint16_t, uint32_t)
STORE(st_16_64, uint16_t, uint64_t)
STORE(st_32_32, uint32_t, uint32_t)
STORE(st_32_64, uint32_t, uint64_t)
STORE(st_64_64, uint64_t, uint64_t)

// Vectors of elements M in registers R.
#define VECTOR_LOAD(name, M, R)                                              \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {        \
        Place p;                                                             \
        if (!resolve(w, in, mask, (uint32_t)sizeof(M) * in->elements, false, \
                     &p))                                                    \
            return op_ld(w, in, mask);                                       \
        for (uint32_t e = 0; e < in->elements; e++) {                        \
            R *d = (R *)(void *)vm_at(w, vm_dsts(in)[e]);                    \
            FOR_LANES(d[l] = (R)((const M *)(p.base + p.off[l]))[e]);        \
        }                                                                    \
        VM_NEXT;                                                             \
    }
VECTOR_LOAD(ldv_u8_16, uint8_t, uint16_t)
VECTOR_LOAD(ldv_s8_16, int8_t, uint16_t)
VECTOR_LOAD(ldv_16, uint16_t, uint16_t)
VECTOR_LOAD(ldv_32, uint32_t, uint32_t)
VECTOR_LOAD(ldv_64, uint64_t, uint64_t)

#define VECTOR_STORE(name, M, R)                                            \
    static VmNext name(VmWarp *w, const VmInstr *in, uint32_t mask) {       \
        Place p;                                                            \
        if (!resolve(w, in, mask, (uint32_t)sizeof(M) * in->elements, true, \
                     &p))                                                   \
            return op_st(w, in, mask);                                      \
        for (uint32_t e = 0; e < in->elements; e++) {                       \
            const R *a =                                                    \
                (const R *)(const void *)vm_at(w, vm_srcs(in)[1 + e]);      \
            FOR_LANES(((M *)(p.base + p.off[l]))[e] = (M)a[l]);             \
        }                                                                   \
        VM_NEXT;                                                            \
    }
VECTOR_STORE(stv_8_16, uint8_t, uint16_t)
VECTOR_STORE(stv_16, uint16_t, uint16_t)
VECTOR_STORE(stv_32, uint32_t, uint32_t)
VECTOR_STORE(stv_64, uint64_t, uint64_t)

// ---- parameters ----------------------------------------------------------

// The kernel's parameters are constants in a launch: src[e] has element e.
static VmNext op_ld_constant(VmWarp *w, const VmInstr *in, uint32_t mask) {
    for (uint32_t e = 0; e < in->elements; e++) {
        VmRef dst = vm_dsts(in)[e];
        uint32_t size = dst.size;
        uint8_t *d = vm_at(w, dst);
        const uint8_t *a = vm_at(w, vm_srcs(in)[e]);
        if (mask == VM_FULL) {
            memcpy(d, a, (size_t)size * VM_LANES);
            continue;
        }
        EACH_LANE(l, mask) {
            memcpy(d + (size_t)l * size, a + (size_t)l * size, size);
        }
    }
    VM_NEXT;
}

// Parameters of functions: `offset` is within the variable. Bounds are checked
// in decoding.
static VmNext op_ld_frame(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const uint8_t *var = w->base[0] + in->memory.variable;
    EACH_LANE(l, mask) {
        const uint8_t *from = var + (size_t)l * in->memory.stride + in->offset;
        for (uint32_t e = 0; e < in->elements; e++)
            load_element(w, in, l, e, from + (size_t)e * in->width);
    }
    VM_NEXT;
}

static VmNext op_st_frame(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint8_t *var = w->base[0] + in->memory.variable;
    EACH_LANE(l, mask) {
        uint8_t *to = var + (size_t)l * in->memory.stride + in->offset;
        for (uint32_t e = 0; e < in->elements; e++) {
            VmRef src = vm_srcs(in)[1 + e];
            memcpy(to + (size_t)e * in->width,
                   vm_at(w, src) + (size_t)l * src.size, in->width);
        }
    }
    VM_NEXT;
}

// ---- decoding ------------------------------------------------------------

// The place of a parameter variable in the frame. False: it is not a variable
// of a call.
static bool frame_var(const VmDecoder *d, const PtxOperand *op, uint32_t *at,
                      uint64_t *size) {
    if (op->kind != PTX_OPND_ADDRESS || op->base != PTX_BASE_SYMBOL ||
        op->symbol.kind != PTX_SYM_VAR)
        return false;
    const PtxVar *var = op->symbol.var;
    *size = var->size;
    for (size_t i = 0; i < d->ptx->var_count; i++)
        if (d->ptx->vars[i] == var && var->space == PTX_SPACE_PARAM) {
            *at = d->func->var_offsets[i];
            return true;
        }
    if (d->ptx->is_entry)
        return false;
    for (size_t i = 0; i < d->ptx->param_count; i++)
        if (d->ptx->params[i] == var) {
            *at = d->func->params[i].off;
            return true;
        }
    if (d->ptx->result_count == 0 || d->ptx->results[0] != var)
        return false;
    *at = d->func->results[0].off;
    return true;
}

static uint32_t elements(const VmDecoder *d, uint32_t index,
                         const PtxOperand **first) {
    const PtxOperand *op = &d->in->operands[index];
    *first = op->kind == PTX_OPND_VECTOR ? op->elems : op;
    return op->kind == PTX_OPND_VECTOR ? op->elem_count : 1;
}

// By bytes in memory and bytes in the register, as powers of 2.
static VmHandler load_handler(uint32_t width, uint32_t reg, bool is_signed) {
    static const VmHandler plain[4][4] = {
        {NULL, ld_u8_16, ld_u8_32, ld_u8_64},
        {NULL, ld_u16_16, ld_u16_32, ld_u16_64},
        {NULL, NULL, ld_u32_32, ld_u32_64},
        {NULL, NULL, NULL, ld_u64_64},
    };
    static const VmHandler extending[4][4] = {
        {NULL, ld_s8_16, ld_s8_32, ld_s8_64},
        {NULL, ld_u16_16, ld_s16_32, ld_s16_64},
        {NULL, NULL, ld_u32_32, ld_s32_64},
        {NULL, NULL, NULL, ld_u64_64},
    };
    return (is_signed ? extending : plain)[width][reg];
}

static VmHandler store_handler(uint32_t width, uint32_t reg) {
    static const VmHandler handlers[4][4] = {
        {NULL, st_8_16, st_8_32, st_8_64},
        {NULL, st_16_16, st_16_32, st_16_64},
        {NULL, NULL, st_32_32, st_32_64},
        {NULL, NULL, NULL, st_64_64},
    };
    return handlers[width][reg];
}

static VmHandler vector_handler(const VmInstr *in, uint32_t reg, bool load) {
    if (in->width == 1 && reg == 2)
        return !load ? stv_8_16 : in->memory.is_signed ? ldv_s8_16 : ldv_u8_16;
    if (in->width != reg)
        return NULL;
    return reg == 2   ? load ? ldv_16 : stv_16
           : reg == 4 ? load ? ldv_32 : stv_32
           : reg == 8 ? load ? ldv_64 : stv_64
                      : NULL;
}

// The fast path's handler for this form. NULL: there is none.
static VmHandler fast_handler(const VmInstr *in, bool load) {
    const VmRef *values = load ? vm_dsts(in) : vm_srcs(in) + 1;
    uint32_t width = vm_first(in->width), reg = vm_first(values[0].size | 16u);
    if (width > 3 || reg > 3)
        return NULL;
    if (in->elements == 1)
        return load ? load_handler(width, reg, in->memory.is_signed)
                    : store_handler(width, reg);
    for (uint32_t e = 0; e < in->elements; e++)
        if (values[e].size != values[0].size)
            return NULL;
    return vector_handler(in, values[0].size, load);
}

static VmHandler memory_handler(const VmInstr *in, bool load, bool frame) {
    if (frame)
        return load ? op_ld_frame : op_st_frame;
    VmHandler fast = fast_handler(in, load);
    return fast ? fast : load ? op_ld : op_st;
}

static void take_suffixes(VmDecoder *d) {
    vm_take_types(d);
    vm_take_space(d);
    vm_take(d, PTX_MOD_V2);
    vm_take(d, PTX_MOD_V4);
    vm_take(d, PTX_MOD_V8);
    vm_take_cache_hints(d);
    vm_take_order(d, SEM_WEAK, SCOPE_GPU);
    if (vm_take(d, PTX_MOD_MMIO) && d->sem == SEM_WEAK)
        d->sem = SEM_RELAXED;
}

// The operand of .L2::cache_hint is not used, but must be present.
static bool has_size_and_form(VmDecoder *d, uint32_t width, uint32_t count) {
    bool hint = vm_take(d, PTX_MOD_L2_CACHE_HINT);
    if (hint)
        vm_src(d, 2, 8);
    return width > 0 && width <= 16 && count == ptx_vector(d->in) &&
           count <= 8 && width * count <= 32 &&
           d->in->operand_count == (hint ? 3 : 2);
}

// "_" in the vector of a store.
static bool is_gap(const PtxOperand *elems, uint32_t index, uint32_t count) {
    return count > 1 && elems[index].kind == PTX_OPND_SINK;
}

// What an access names: a parameter variable of a call, or an address.
typedef struct Where {
    bool frame;
    VmRef base;
    uint64_t offset, var_size;
    uint32_t at;
} Where;

static Where decode_place(VmDecoder *d, uint32_t index, uint32_t bytes) {
    Where to = {.base = {.reg = VM_NO_REG}};
    const PtxOperand *op = &d->in->operands[index];
    to.frame = frame_var(d, op, &to.at, &to.var_size);
    if (to.frame) {
        to.offset = op->imm;
        if (to.offset > to.var_size || bytes > to.var_size - to.offset)
            vm_unsupported(d, "an access outside its parameter");
    } else {
        vm_address(d, index, &to.base, &to.offset);
    }
    return to;
}

// A load of kernel parameters, within bounds, becomes a copy of constants.
static void make_constant(VmDecoder *d, VmInstr *in) {
    const VmBuffer *params = &d->vm->memory.buffers[d->vm->memory.param_buffer];
    uint32_t bytes = (uint32_t)in->width * in->elements;
    uint64_t offset = in->offset & VM_OFFSET_MASK;
    if (in->offset >> VM_BUFFER_SHIFT != d->vm->memory.param_buffer ||
        bytes > params->size || offset > params->size - bytes || offset % bytes)
        return;
    in->src_count = 0;
    for (uint32_t e = 0; e < in->elements; e++) {
        uint64_t value[2] = {0, 0};
        memcpy(value, params->bytes + offset + (size_t)e * in->width,
               in->width);
        if (in->memory.is_signed)
            value[0] = extend(value[0], in->width);
        VmLoose loose = {.at = (uint32_t)(offset + (uint64_t)e * in->width),
                         .width = in->width,
                         .is_signed = in->memory.is_signed};
        vm_emit_src(d, in,
                    vm_loose_value(d, vm_dsts(in)[e].size, value, loose));
    }
    in->handler = op_ld_constant;
    in->is_constant = true;
}

void vm_decode_memory(VmDecoder *d) {
    take_suffixes(d);
    bool load = d->in->op != PTX_OP_ST;
    uint32_t value = load ? 0 : 1, width = ptx_type_size(d->in->types[0]);
    const PtxOperand *first;
    uint32_t count = elements(d, value, &first);
    if (!has_size_and_form(d, width, count)) {
        vm_unsupported(d, "an access of this size or form");
        return;
    }
    Where place = decode_place(d, load ? 1 : 0, width * count);
    bool absolute = place.base.size == 0;
    if (absolute && !place.frame)
        place.base = vm_const(d, 8, 0, 0);
    VmRef refs[8];
    for (uint32_t i = 0; i < count; i++)
        refs[i] = load ? vm_operand_dst(d, &first[i], width, true)
                  : is_gap(first, i, count)
                      ? (VmRef){.reg = VM_NO_REG}
                      : vm_operand_src(d, &first[i], width, true);
    VmInstr *in = vm_emit_plain(d, op_ld);
    in->width = (uint8_t)width;
    in->elements = (uint8_t)count;
    in->space = (uint8_t)ptx_space(d->in);
    in->memory.is_signed = ptx_type_is_signed(d->in->types[0]);
    in->offset = place.offset;
    in->memory.variable = place.at;
    in->is_frame = place.frame;
    if (place.frame)
        in->memory.stride = (uint32_t)place.var_size;
    vm_emit_src(d, in, place.base);
    for (uint32_t i = 0; i < count; i++)
        (load ? vm_emit_dst : vm_emit_src)(d, in, refs[i]);
    in->handler = memory_handler(in, load, place.frame);
    if (load && absolute && in->space == PTX_SPACE_PARAM && !place.frame)
        make_constant(d, in);
}
