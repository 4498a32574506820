// SPDX-License-Identifier: Apache-2.0
// The part of decoding that all families share: operands, constants, suffixes
// and emitting instructions. Read decode.h first.
#include "vm/decode/address.h"
#include "vm/decode/decode.h"
#include "vm/decode/isa.h"

#include <string.h>

// ---- suffixes ------------------------------------------------------------

bool vm_take(VmDecoder *d, PtxMod mod) {
    bool found = false;
    for (uint32_t i = 0; i < d->in->mod_count; i++) {
        if (d->in->mods[i] == mod) {
            d->taken |= 1u << i;
            found = true;
        }
    }
    return found;
}

void vm_take_types(VmDecoder *d) {
    for (uint32_t i = 0; i < d->in->mod_count; i++)
        if ((int)d->in->mods[i] < (int)PTX_TYPE_COUNT)
            d->taken |= 1u << i;
}

static void take_all(VmDecoder *d, const PtxMod *mods, size_t count) {
    for (size_t i = 0; i < count; i++)
        vm_take(d, mods[i]);
}

void vm_take_cache_hints(VmDecoder *d) {
    static const PtxMod hints[] = {
        PTX_MOD_WEAK,
        PTX_MOD_CA,
        PTX_MOD_CG,
        PTX_MOD_CS,
        PTX_MOD_CV,
        PTX_MOD_LU,
        PTX_MOD_WB,
        PTX_MOD_WT,
        PTX_MOD_NC,
        PTX_MOD_L1_EVICT_FIRST,
        PTX_MOD_L1_EVICT_LAST,
        PTX_MOD_L1_EVICT_NORMAL,
        PTX_MOD_L1_EVICT_UNCHANGED,
        PTX_MOD_L1_NO_ALLOCATE,
        PTX_MOD_L2_EVICT_FIRST,
        PTX_MOD_L2_EVICT_LAST,
        PTX_MOD_L2_EVICT_NORMAL,
        PTX_MOD_L2_64B,
        PTX_MOD_L2_128B,
        PTX_MOD_L2_256B,
    };
    take_all(d, hints, COUNT_OF(hints));
}

PtxSpace vm_take_space(VmDecoder *d) {
    static const PtxMod spaces[] = {
        PTX_MOD_GLOBAL,     PTX_MOD_CONST,          PTX_MOD_SHARED,
        PTX_MOD_SHARED_CTA, PTX_MOD_SHARED_CLUSTER, PTX_MOD_LOCAL,
        PTX_MOD_PARAM,      PTX_MOD_PARAM_ENTRY,    PTX_MOD_PARAM_FUNC,
    };
    take_all(d, spaces, COUNT_OF(spaces));
    return ptx_space(d->in);
}

// Every access is performed immediately and in one order, which is the
// strongest order there is. Only the check of the order of accesses (order.c)
// uses what the program asks for.
void vm_take_order(VmDecoder *d, VmSem sem, VmScope scope) {
    static const struct {
        PtxMod mod;
        VmSem sem;
    } orders[] = {
        {PTX_MOD_RELAXED, SEM_RELAXED}, {PTX_MOD_ACQUIRE, SEM_ACQUIRE},
        {PTX_MOD_RELEASE, SEM_RELEASE}, {PTX_MOD_ACQ_REL, SEM_ACQ_REL},
        {PTX_MOD_SC, SEM_ACQ_REL},      {PTX_MOD_VOLATILE, SEM_RELAXED},
    };
    static const struct {
        PtxMod mod;
        VmScope scope;
    } scopes[] = {{PTX_MOD_CTA, SCOPE_CTA},
                  {PTX_MOD_CLUSTER, SCOPE_CLUSTER},
                  {PTX_MOD_GPU, SCOPE_GPU},
                  {PTX_MOD_SYS, SCOPE_GPU}};
    d->sem = sem;
    d->scope = scope;
    for (size_t i = 0; i < COUNT_OF(orders); i++)
        if (vm_take(d, orders[i].mod))
            d->sem = orders[i].sem;
    for (size_t i = 0; i < COUNT_OF(scopes); i++)
        if (vm_take(d, scopes[i].mod))
            d->scope = scopes[i].scope;
}

void vm_unsupported(VmDecoder *d, const char *why, ...) {
    if (d->problem.len)
        return;
    va_list args;
    va_start(args, why);
    d->problem = str_vformat(&d->vm->run_arena, why, args);
    va_end(args);
}

// ---- constants and temporaries -------------------------------------------

enum { CONSTS_FIRST = 64 }; // initial size of the table: a power of 2

static void fill_const(uint8_t *at, uint32_t size, const VmConst *value) {
    for (uint32_t l = 0; l < VM_LANES; l++) {
        uint64_t both[2] = {value->low, value->high};
        memcpy(at + (size_t)l * size, both, size);
    }
}

static uint32_t const_bytes(uint32_t size) {
    return size ? size * VM_LANES : 64;
}

// The table entry of a constant, or the free entry where it belongs.
static uint32_t *const_slot(const VmDecoder *d, const VmConst *value) {
    uint64_t hash = hash_u64(value->low ^ hash_u64(value->high + value->size));
    for (uint64_t at = hash;; at++) {
        uint32_t *slot = &d->const_table[at & (d->const_table_size - 1)];
        if (*slot == 0)
            return slot;
        const VmConst *c = &d->consts[*slot - 1];
        if (c->size == value->size && c->low == value->low &&
            c->high == value->high)
            return slot;
    }
}

// The table holds indices of constants, plus 1, and is at most half full.
static void grow_const_table(VmDecoder *d) {
    if (d->const_count * 2 < d->const_table_size)
        return;
    d->const_table_size =
        d->const_table_size ? d->const_table_size * 2 : CONSTS_FIRST;
    d->const_table =
        arena_new(&d->vm->run_arena, uint32_t, d->const_table_size);
    for (uint32_t i = 0; i < d->const_count; i++)
        *const_slot(d, &d->consts[i]) = i + 1;
}

static uint32_t store_const(VmDecoder *d, const VmConst *value) {
    VmFunc *func = d->func;
    uint32_t at = func->const_bytes, need = const_bytes(value->size);
    if (at + need > func->const_capacity) {
        uint32_t capacity = (func->const_capacity + need) * 2;
        uint8_t *larger = arena_alloc(&d->vm->run_arena, 1, 64, capacity);
        if (at)
            memcpy(larger, func->consts, at);
        func->consts = larger;
        func->const_capacity = capacity;
    }
    if (value->size)
        fill_const(func->consts + at, value->size, value);
    else
        memcpy(func->consts + at, &value->low, sizeof(uint32_t));
    func->const_bytes += need;
    return at;
}

VmRef vm_const(VmDecoder *d, uint32_t size, uint64_t low, uint64_t high) {
    VmConst value = {.low = low, .high = high, .size = size};
    grow_const_table(d);
    uint32_t *slot = const_slot(d, &value);
    if (*slot == 0) {
        value.off = store_const(d, &value);
        arena_grow(&d->vm->run_arena, d->consts, d->const_count,
                   d->const_capacity);
        d->consts[d->const_count++] = value;
        *slot = (uint32_t)d->const_count;
    }
    return (VmRef){.off = d->consts[*slot - 1].off,
                   .reg = VM_NO_REG,
                   .sel = 1,
                   .size = size & 31};
}

VmRef vm_const_row(VmDecoder *d, uint32_t size, uint64_t low, uint64_t high) {
    VmConst value = {.low = low, .high = high, .size = size};
    return (VmRef){.off = store_const(d, &value),
                   .reg = VM_NO_REG,
                   .sel = 1,
                   .size = size & 31};
}

VmRef vm_temp(VmDecoder *d, uint32_t size) {
    VmFunc *func = d->func;
    VmRef ref = vm_ref(func->frame_bytes, func->reg_count++, size);
    func->frame_bytes += const_bytes(size);
    return ref;
}

// ---- operands ------------------------------------------------------------

static VmRef reg_ref(const VmDecoder *d, uint32_t reg) {
    PtxType type = d->ptx->regs[reg].type;
    uint32_t size = type == PTX_PRED ? 0 : ptx_type_size(type);
    if (size == 1)
        size = 2;
    return vm_ref(d->func->reg_offsets[reg], reg, size);
}

// A register as an operand: a constant if its value is fixed for the launch.
static VmRef value_ref(const VmDecoder *d, uint32_t reg) {
    VmRef known = d->fold.known[reg];
    return known.size ? known : reg_ref(d, reg);
}

// A register as an operand: the whole register, or a component of a vector
// register.
static VmRef operand_ref(VmDecoder *d, const PtxOperand *op) {
    VmRef ref = value_ref(d, op->reg);
    bool is_vector = d->ptx->regs[op->reg].vector > 1;
    uint32_t part = (uint32_t)op->select - PTX_MOD_X;
    if (is_vector && part <= PTX_MOD_A - PTX_MOD_X &&
        part % 4 < d->ptx->regs[op->reg].vector)
        ref.off += part % 4 * ref.size * VM_LANES;
    else if (is_vector || op->select)
        vm_unsupported(d, "a part of a register as an operand");
    return ref;
}

static VmRef no_ref(uint32_t size) {
    return (VmRef){.reg = VM_NO_REG, .size = size & 31, .sel = 1};
}

static uint64_t f64_to_f32_bits(uint64_t bits) {
    double wide;
    memcpy(&wide, &bits, sizeof wide);
    float narrow = (float)wide;
    uint32_t out;
    memcpy(&out, &narrow, sizeof out);
    return out;
}

// The value of a variable's or function's address.
static bool symbol_address(VmDecoder *d, const PtxSymbol *symbol, uint64_t *out,
                           bool *is_local) {
    *is_local = false;
    *out = 0;
    if (symbol->kind == PTX_SYM_FUNC) {
        *out = vm_func_address(symbol->func);
        return true;
    }
    const PtxVar *var = symbol->var;
    switch (var->space) {
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        if (!var->func)
            return vm_module_address(d->vm, var, out);
        break;
    case PTX_SPACE_SHARED:
        *out = vm_shared_address(d->program, d->func, var);
        return true;
    case PTX_SPACE_LOCAL:
        *is_local = true;
        *out = var->func ? d->func->var_offsets[var->id] : 0;
        return true;
    case PTX_SPACE_PARAM:
        if (d->ptx->is_entry && vm_entry_param(d->vm, d->ptx, var, out))
            return true;
        break;
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_REG:
        break;
    }
    vm_unsupported(d, "the address of %.*s", STR_ARG(var->name));
    return false;
}

static VmRef symbol_ref(VmDecoder *d, const PtxOperand *op, uint32_t size) {
    uint64_t address;
    bool is_local;
    if (!symbol_address(d, &op->symbol, &address, &is_local))
        return no_ref(size);
    address += op->imm;
    if (!is_local)
        return vm_const(d, size, address, 0);
    VmRef temp = vm_temp(d, size);
    VmInstr *in = vm_emit_plain(d, d->vm->isa->local_address);
    in->guard = VM_NONE;
    in->local.at = address;
    vm_emit_dst(d, in, temp);
    return temp;
}

// Whether a value of `width` bytes may be extended to a register of `size`
// bytes. (Not to one of 128 bits: no compiler does that.)
static bool is_wider(uint32_t size, uint32_t width) {
    return width && size >= width && size <= 8;
}

VmRef vm_operand_src(VmDecoder *d, const PtxOperand *op, uint32_t size,
                     bool any_size) {
    VmRef ref;
    switch (op->kind) {
    case PTX_OPND_REG:
        ref = operand_ref(d, op);
        if (ref.size != size && !(any_size && is_wider(ref.size, size)))
            vm_unsupported(d,
                           "an operand (%.*s) of another size than the "
                           "instruction's type",
                           STR_ARG(d->ptx->regs[op->reg].name));
        ref.negated = op->negated;
        if (op->negated && size)
            vm_unsupported(d, "a negated operand");
        return ref;
    case PTX_OPND_SREG:
        return d->vm->isa->decode_sreg(d, op->sreg, size);
    case PTX_OPND_INT:
        return size ? vm_const(d, size, op->imm, op->imm >> 63 ? UINT64_MAX : 0)
                    : vm_const(d, 0, op->imm ? VM_FULL : 0, 0);
    case PTX_OPND_F32:
        return vm_const(d, size, op->imm, 0);
    case PTX_OPND_F64:
        return vm_const(d, size, size == 4 ? f64_to_f32_bits(op->imm) : op->imm,
                        0);
    case PTX_OPND_SYMBOL:
        return symbol_ref(d, op, size);
    case PTX_OPND_ADDRESS:
    case PTX_OPND_VECTOR:
    case PTX_OPND_PAIR:
    case PTX_OPND_SINK:
    case PTX_OPND_LABEL:
    case PTX_OPND_LIST:
        break;
    }
    vm_unsupported(d, "an operand of this form");
    return no_ref(size);
}

static const PtxOperand *operand(VmDecoder *d, uint32_t index) {
    static const PtxOperand none = {.kind = PTX_OPND_SINK};
    if (index < d->in->operand_count)
        return &d->in->operands[index];
    vm_unsupported(d, "this number of operands");
    return &none;
}

VmRef vm_src(VmDecoder *d, uint32_t index, uint32_t size) {
    return vm_operand_src(d, operand(d, index), size, false);
}

VmRef vm_src_any(VmDecoder *d, uint32_t index, uint32_t size) {
    return vm_operand_src(d, operand(d, index), size, true);
}

VmRef vm_operand_dst(VmDecoder *d, const PtxOperand *op, uint32_t size,
                     bool any_size) {
    if (op->kind == PTX_OPND_SINK)
        return (VmRef){.off = d->sink, .reg = VM_NO_REG, .size = size & 31};
    if (op->kind != PTX_OPND_REG) {
        vm_unsupported(d, "a result of this form");
        return no_ref(size);
    }
    VmRef ref = operand_ref(d, op);
    if (ref.size != size && !(any_size && is_wider(ref.size, size)))
        vm_unsupported(d,
                       "a result (%.*s) of another size than the "
                       "instruction's type",
                       STR_ARG(d->ptx->regs[op->reg].name));
    return ref;
}

VmRef vm_dst(VmDecoder *d, uint32_t index, uint32_t size) {
    return vm_operand_dst(d, operand(d, index), size, false);
}

uint32_t vm_results(VmDecoder *d, uint32_t size, VmRef refs[2]) {
    const PtxOperand *op = operand(d, 0);
    bool pair = op->kind == PTX_OPND_PAIR;
    refs[0] = vm_operand_dst(d, pair ? &op->elems[0] : op, size, false);
    if (pair)
        refs[1] = vm_operand_dst(d, &op->elems[1], 0, false);
    return pair ? 2 : 1;
}

void vm_address(VmDecoder *d, uint32_t index, VmRef *base, uint64_t *imm) {
    const PtxOperand *op = operand(d, index);
    *base = no_ref(0);
    *imm = op->imm;
    if (op->kind != PTX_OPND_ADDRESS || op->elem_count) {
        vm_unsupported(d, "an address of this form");
        return;
    }
    if (op->base == PTX_BASE_REG) {
        *base = value_ref(d, op->reg);
        if (base->size != 4 && base->size != 8)
            vm_unsupported(d, "an address of this size");
    } else if (op->base == PTX_BASE_SYMBOL) {
        uint64_t address;
        bool is_local;
        if (!symbol_address(d, &op->symbol, &address, &is_local))
            return;
        *imm += address;
        if (is_local) {
            *base = vm_temp(d, 8);
            VmInstr *in = vm_emit_plain(d, d->vm->isa->local_address);
            in->guard = VM_NONE;
            vm_emit_dst(d, in, *base);
        }
    }
}

// ---- emitting ------------------------------------------------------------

// True if the instruction may wait, or if lanes may diverge at it.
static bool parts_lanes(const PtxInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    return traits->next != PTX_NEXT_NEXT || traits->object == PTX_OBJECT_CTA ||
           traits->object == PTX_OBJECT_CLUSTER;
}

VmInstr *vm_emit(VmDecoder *d, VmHandler handler) {
    VmFunc *func = d->func;
    if (func->code_count == func->code_capacity) {
        size_t capacity = func->code_capacity, same = capacity;
        func->folded =
            arena_regrow(&d->vm->run_arena, func->folded, func->code_count,
                         sizeof *func->folded, &same);
        func->code =
            arena_regrow(&d->vm->run_arena, func->code, func->code_count,
                         sizeof *func->code, &capacity);
        func->code_capacity = (uint32_t)capacity;
    }
    func->folded[func->code_count] = 0;
    VmInstr *in = &func->code[func->code_count++];
    *in = (VmInstr){.handler = handler,
                    .guard = VM_NONE,
                    .loc = d->loc,
                    .splits = parts_lanes(d->in),
                    .op = (uint16_t)d->in->op,
                    .type = (uint8_t)d->in->types[0],
                    .sem = (uint32_t)d->sem & 7,
                    .scope = (uint32_t)d->scope & 3,
                    .ptx = d->in};
    if (d->in->guard) {
        VmRef guard = reg_ref(d, d->in->guard - 1);
        in->guard = guard.off;
        in->guard_reg = guard.reg;
        in->guard_negated = d->in->guard_negated;
    }
    return in;
}

VmInstr *vm_emit_plain(VmDecoder *d, VmHandler handler) {
    VmInstr *in = vm_emit(d, handler);
    in->plain = true;
    in->splits = false;
    return in;
}

// From now on all operands are stored at `more`.
static void widen(VmDecoder *d, VmInstr *in) {
    if (in->is_wide)
        return;
    VmRef *more = arena_new(&d->vm->run_arena, VmRef, VM_MAX_DST + VM_MAX_SRC);
    memcpy(more, in->dst, sizeof in->dst);
    memcpy(more + VM_MAX_DST, in->src, sizeof in->src);
    in->more = more;
    in->is_wide = true;
}

void vm_emit_dst(VmDecoder *d, VmInstr *in, VmRef ref) {
    uint32_t i = in->dst_count++;
    if (i >= COUNT_OF(in->dst))
        widen(d, in);
    if (in->is_wide)
        in->more[i] = ref;
    if (i < COUNT_OF(in->dst))
        in->dst[i] = ref;
}

void vm_emit_results(VmDecoder *d, VmInstr *in, const VmRef *refs,
                     uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        vm_emit_dst(d, in, refs[i]);
}

void vm_emit_src(VmDecoder *d, VmInstr *in, VmRef ref) {
    uint32_t i = in->src_count++;
    if (i >= COUNT_OF(in->src))
        widen(d, in);
    if (in->is_wide)
        in->more[VM_MAX_DST + i] = ref;
    if (i < (in->is_wide ? COUNT_OF(in->first) : COUNT_OF(in->src)))
        in->src[i] = ref;
}

// ---- the end of a run ----------------------------------------------------

VmNext vm_op_run_ends(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)w;
    (void)in;
    (void)mask;
    return VM_GO;
}
