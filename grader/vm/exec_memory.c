// SPDX-License-Identifier: Apache-2.0
// Loads and stores (PTX ISA, 9.7.9).
// All go through vm_memory, lane by lane; parameters of calls are arrays in the
// frame. Left out: 256-bit vectors.
#include "vm/decode.h"
#include "vm/exec.h"
#include "vm/machine.h"

// ---- loads and stores ----------------------------------------------------

// flags of a load: the value is signed (extended by its sign)
enum { LOAD_SIGNED = 1 };

static void load_element(VmWarp *w, const VmInstr *in, uint32_t l, uint32_t e,
                         const uint8_t *from) {
    VmRef dst = in->dst[e];
    uint8_t *to = vm_at(w, dst) + (size_t)l * dst.size;
    if (dst.size == in->width) {
        memcpy(to, from, in->width);
        return;
    }
    uint64_t value = 0;
    memcpy(&value, from, in->width);
    if (in->flags & LOAD_SIGNED) {
        uint32_t shift = 64 - 8u * in->width;
        value = (uint64_t)((int64_t)(value << shift) >> shift);
    }
    memcpy(to, &value, dst.size);
}

static VmNext op_ld(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bytes = (uint32_t)in->width * in->vector;
    EACH_LANE(l, mask) {
        const uint8_t *from =
            vm_memory(w, in, l, vm_lane_address(w, in, l), bytes, ACCESS_READ);
        if (!from)
            return VM_STOP;
        for (uint32_t e = 0; e < in->vector; e++)
            load_element(w, in, l, e, from + (size_t)e * in->width);
    }
    VM_NEXT;
}

static VmNext op_st(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bytes = (uint32_t)in->width * in->vector;
    EACH_LANE(l, mask) {
        uint8_t *to =
            vm_memory(w, in, l, vm_lane_address(w, in, l), bytes, ACCESS_WRITE);
        if (!to)
            return VM_STOP;
        for (uint32_t e = 0; e < in->vector; e++) {
            VmRef src = in->src[1 + e];
            memcpy(to + (size_t)e * in->width,
                   vm_at(w, src) + (size_t)l * src.size, in->width);
        }
    }
    VM_NEXT;
}

// A whole warp that reads or writes 32 neighbouring words: the usual case, and
// worth a look before the lanes are taken one by one.
static bool is_dense(const VmWarp *w, const VmInstr *in, uint64_t *first) {
    if (in->src[0].size != 8)
        return false;
    const uint64_t *a = (const uint64_t *)(const void *)vm_at(w, in->src[0]);
    uint64_t different = 0;
    for (uint32_t l = 0; l < VM_LANES; l++)
        different |= a[l] ^ (a[0] + (uint64_t)l * 4);
    *first = a[0] + in->imm;
    return different == 0;
}

static uint8_t *dense_bytes(const VmWarp *w, uint64_t first, bool write) {
    const Vm *vm = w->vm;
    uint64_t number = first >> VM_BUFFER_SHIFT;
    uint64_t offset = first & VM_OFFSET_MASK;
    if (number == 0 || number >= vm->buffer_count || (first & 3))
        return NULL;
    const VmBuffer *buffer = &vm->buffers[number];
    if (buffer->size < 4 * VM_LANES || offset > buffer->size - 4 * VM_LANES ||
        (write && (buffer->read_only || buffer->watch)))
        return NULL;
    return buffer->bytes + offset;
}

static VmNext op_ld_dense(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint64_t first;
    const uint8_t *from = NULL;
    if (mask == VM_FULL && is_dense(w, in, &first))
        from = dense_bytes(w, first, false);
    if (!from)
        return op_ld(w, in, mask);
    memcpy(vm_at(w, in->dst[0]), from, (size_t)4 * VM_LANES);
    VM_NEXT;
}

static VmNext op_st_dense(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint64_t first;
    uint8_t *to = NULL;
    if (mask == VM_FULL && is_dense(w, in, &first))
        to = dense_bytes(w, first, true);
    if (!to)
        return op_st(w, in, mask);
    w->vm->progress++;
    memcpy(to, vm_at(w, in->src[1]), (size_t)4 * VM_LANES);
    VM_NEXT;
}

// The kernel's parameters: the same bytes for every lane, at imm.
static VmNext op_ld_entry(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmBuffer *params = &w->vm->buffers[w->vm->param_buffer];
    uint64_t offset = in->imm & VM_OFFSET_MASK;
    uint32_t bytes = (uint32_t)in->width * in->vector;
    if (bytes > params->size || offset > params->size - bytes)
        return op_ld(w, in, mask);
    EACH_LANE(l, mask) {
        for (uint32_t e = 0; e < in->vector; e++)
            load_element(w, in, l, e,
                         params->bytes + offset + (size_t)e * in->width);
    }
    VM_NEXT;
}

// Parameters of functions: `target` is the variable in the frame, imm the
// offset in it, frame_stride its bytes a lane; bounds are checked in decoding.
static VmNext op_ld_frame(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const uint8_t *var = w->base[0] + in->target;
    EACH_LANE(l, mask) {
        const uint8_t *from = var + (size_t)l * in->frame_stride + in->imm;
        for (uint32_t e = 0; e < in->vector; e++)
            load_element(w, in, l, e, from + (size_t)e * in->width);
    }
    VM_NEXT;
}

static VmNext op_st_frame(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint8_t *var = w->base[0] + in->target;
    EACH_LANE(l, mask) {
        uint8_t *to = var + (size_t)l * in->frame_stride + in->imm;
        for (uint32_t e = 0; e < in->vector; e++) {
            VmRef src = in->src[1 + e];
            memcpy(to + (size_t)e * in->width,
                   vm_at(w, src) + (size_t)l * src.size, in->width);
        }
    }
    VM_NEXT;
}

// ---- decoding loads and stores -------------------------------------------

// Where a parameter variable is in the frame; false: not a variable of a call.
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

static VmHandler memory_handler(const VmInstr *in, bool load, bool entry,
                                bool frame) {
    if (frame)
        return load ? op_ld_frame : op_st_frame;
    if (entry && in->src[0].size == 0)
        return op_ld_entry;
    bool word = in->width == 4 && in->vector == 1 &&
                in->space == PTX_SPACE_GLOBAL &&
                (load ? in->dst[0].size : in->src[1].size) == 4;
    if (word)
        return load ? op_ld_dense : op_st_dense;
    return load ? op_ld : op_st;
}

void vm_decode_memory(VmDecoder *d) {
    vm_take_types(d);
    vm_take_space(d);
    vm_take(d, PTX_MOD_V2);
    vm_take(d, PTX_MOD_V4);
    vm_take_cache_hints(d);
    vm_take_order(d);
    bool load = d->in->op != PTX_OP_ST;
    uint32_t value = load ? 0 : 1, place = load ? 1 : 0;
    uint32_t width = ptx_type_size(d->in->types[0]);
    const PtxOperand *first;
    uint32_t count = elements(d, value, &first);
    if (count != ptx_vector(d->in) || count > 4 || width > 16 ||
        width * count > 16 || d->in->operand_count != 2 || width == 0) {
        vm_unsupported(d, "an access of this size or form");
        return;
    }
    VmRef refs[4], base = {.reg = VM_NONE};
    uint64_t imm = 0, var_size = 0;
    uint32_t at = 0;
    bool frame = frame_var(d, &d->in->operands[place], &at, &var_size);
    if (frame) {
        imm = d->in->operands[place].imm;
        if (imm > var_size || width * count > var_size - imm)
            vm_unsupported(d, "an access outside its parameter");
    } else {
        vm_address(d, place, &base, &imm);
    }
    for (uint32_t i = 0; i < count; i++)
        refs[i] = load ? vm_operand_dst(d, &first[i], width, true)
                       : vm_operand_src(d, &first[i], width, true);
    VmInstr *in = vm_emit_plain(d, op_ld);
    in->width = (uint8_t)width;
    in->vector = (uint8_t)count;
    in->space = (uint8_t)ptx_space(d->in);
    in->flags = ptx_type_is_signed(d->in->types[0]) ? LOAD_SIGNED : 0;
    in->imm = imm;
    in->target = at;
    in->frame_stride = (uint32_t)var_size;
    vm_emit_src(in, base);
    for (uint32_t i = 0; i < count; i++) {
        if (load)
            vm_emit_dst(in, refs[i]);
        else
            vm_emit_src(in, refs[i]);
    }
    in->handler = memory_handler(in, load, in->space == PTX_SPACE_PARAM, frame);
}
