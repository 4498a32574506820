// SPDX-License-Identifier: Apache-2.0
// The slice of slice.h. An instruction whose result decides something makes its
// sources decide, too; a load makes the words decide that it has read; a store
// into such a word, or an atomic, its value. Parameters and results of calls
// are places in a frame, as registers are; a call copies between two frames.
// What is neither an access nor plain arithmetic decides by itself.
#include "vm/engine/slice.h"

#include <string.h>

enum { MOST_STEPS = 2048, MOST_ACCESSES = 1 << 15, FIRST_ROOM = 256 };

// ---- tables --------------------------------------------------------------

static size_t find(const VmTable *table, uint64_t key) {
    size_t at = (size_t)hash_u64(key) & (table->room - 1);
    while (table->keys[at] && table->keys[at] != key)
        at = (at + 1) & (table->room - 1);
    return at;
}

static void grow(Arena *arena, VmTable *table) {
    VmTable old = *table;
    table->room = old.room ? 2 * old.room : FIRST_ROOM;
    table->keys = arena_new(arena, uint64_t, table->room);
    table->values = arena_new(arena, uint64_t, table->room);
    for (size_t i = 0; i < old.room; i++) {
        if (!old.keys[i])
            continue;
        size_t at = find(table, old.keys[i]);
        table->keys[at] = old.keys[i];
        table->values[at] = old.values[i];
    }
}

uint64_t *vm_table_at(Arena *arena, VmTable *table, uint64_t key) {
    if (2 * (table->count + 1) > table->room)
        grow(arena, table);
    size_t at = find(table, key);
    table->count += table->keys[at] == 0;
    table->keys[at] = key;
    return &table->values[at];
}

bool vm_table_has(const VmTable *table, uint64_t key) {
    return table->room && table->keys[find(table, key)] == key;
}

// ---- what has been seen --------------------------------------------------

static uint64_t key_of_step(const VmFunc *func, const VmInstr *in) {
    return (uint64_t)(func->ptx->id + 1u) << 32 | (uint32_t)(in - func->code);
}

static uint64_t key_of_access(uint32_t step, uint64_t word) {
    return hash_u64(word + step) | 1;
}

// Whether all that it changes is in frames, in words, in who waits, or in the
// phases of mbarriers.
static bool is_followed(const VmInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    bool reads = traits->access == PTX_ACCESS_READS;
    if (in->has_call || in->is_frame)
        return in->is_frame || in->call->callee;
    switch ((PtxObject)traits->object) {
    case PTX_OBJECT_NONE:
    case PTX_OBJECT_LANES:
    case PTX_OBJECT_CLUSTER:
        return traits->next != PTX_NEXT_CALL;
    case PTX_OBJECT_CTA:
        return traits->order == PTX_ORDER_BARRIER;
    case PTX_OBJECT_MEMORY:
        return in->space != PTX_SPACE_PARAM || reads;
    case PTX_OBJECT_MBARRIER:
        return in->op != PTX_OP_MBARRIER_INIT &&
               in->op != PTX_OP_MBARRIER_INVAL;
    case PTX_OBJECT_ANSWER:
        return reads;
    case PTX_OBJECT_BYTES:
    case PTX_OBJECT_GROUPS:
    case PTX_OBJECT_REQUEST:
    case PTX_OBJECT_STACK:
    case PTX_OBJECT_TENSOR:
    case PTX_OBJECT_TEXTURE:
        return false;
    }
    return false;
}

static bool reads_clock(const VmInstr *in) {
    for (uint32_t i = 0; in->ptx && i < in->ptx->operand_count; i++) {
        const PtxOperand *op = &in->ptx->operands[i];
        if (op->kind != PTX_OPND_SREG)
            continue;
        switch ((int)op->sreg) {
        case PTX_SREG_CLOCK:
        case PTX_SREG_CLOCK_HI:
        case PTX_SREG_CLOCK64:
        case PTX_SREG_GLOBALTIMER:
        case PTX_SREG_GLOBALTIMER_LO:
        case PTX_SREG_GLOBALTIMER_HI:
            return true;
        default:
            break;
        }
    }
    return false;
}

bool vm_slice_step(VmSlice *slice, const VmFunc *func, const VmInstr *in,
                   uint32_t *step) {
    uint64_t *known =
        vm_table_at(&slice->arena, &slice->step_of, key_of_step(func, in));
    if (*known == 0) {
        if (slice->step_count == MOST_STEPS || !is_followed(in))
            return false;
        arena_grow(&slice->arena, slice->steps, slice->step_count,
                   slice->step_capacity);
        slice->steps[slice->step_count++] = (VmSeenStep){func, in};
        slice->reads_clock |= reads_clock(in);
        *known = slice->step_count;
    }
    *step = (uint32_t)*known - 1;
    return true;
}

bool vm_slice_access(VmSlice *slice, uint32_t step, uint64_t word) {
    uint64_t *known = vm_table_at(&slice->arena, &slice->access_of,
                                  key_of_access(step, word));
    if (*known)
        return true;
    *known = 1;
    if (slice->access_count == MOST_ACCESSES)
        return false;
    arena_grow(&slice->arena, slice->accesses, slice->access_count,
               slice->access_capacity);
    slice->accesses[slice->access_count++] = (VmSeenAccess){step, word};
    return true;
}

bool vm_slice_knows(const VmSlice *slice, const VmFunc *func,
                    const VmInstr *in) {
    return vm_table_has(&slice->step_of, key_of_step(func, in));
}

bool vm_slice_knows_access(const VmSlice *slice, const VmFunc *func,
                           const VmInstr *in, uint64_t word) {
    size_t at = find(&slice->step_of, key_of_step(func, in));
    uint32_t step = (uint32_t)slice->step_of.values[at] - 1;
    return vm_table_has(&slice->access_of, key_of_access(step, word));
}

// ---- what decides --------------------------------------------------------

// Registers may share the bytes of a frame; variables have their own.
uint64_t vm_slice_key(const VmFunc *func, VmRef ref) {
    uint64_t number = ref.reg == VM_NO_REG ? ref.off : UINT64_MAX - ref.reg;
    return hash_u64(hash_u64(func->ptx->id) ^ number) | 1;
}

// True: that is new.
static bool decide(VmSlice *slice, uint64_t key) {
    uint64_t *known = vm_table_at(&slice->arena, &slice->decides, key);
    bool is_new = *known == 0;
    *known = 1;
    return is_new;
}

static bool decide_ref(VmSlice *slice, const VmFunc *func, VmRef ref) {
    return ref.sel == 0 && decide(slice, vm_slice_key(func, ref));
}

static bool decide_registers(VmSlice *slice, const VmSeenStep *s, uint32_t from,
                             uint32_t to) {
    bool more = false;
    for (uint32_t i = from; i < to && i < s->in->src_count; i++)
        more |= decide_ref(slice, s->func, vm_srcs(s->in)[i]);
    return more;
}

static bool has_result(const VmSlice *slice, const VmSeenStep *s) {
    for (uint32_t i = 0; i < s->in->dst_count; i++)
        if (vm_slice_has(slice, s->func, vm_dsts(s->in)[i]))
            return true;
    return false;
}

// The registers that an instruction needs in any case.
static void begin(VmSlice *slice, const VmSeenStep *s) {
    const VmInstr *in = s->in;
    if (in->guard != VM_NONE)
        decide_ref(slice, s->func, vm_ref(in->guard, in->guard_reg, 0));
    if (in->is_frame || in->has_call)
        return;
    if (vm_slice_is_memory(in))
        decide_registers(slice, s, 0, 1);
    else if (!in->plain)
        decide_registers(slice, s, 0, VM_MAX_SRC);
}

static bool follow_frame(VmSlice *slice, const VmSeenStep *s) {
    VmRef var = vm_slice_variable(s->in);
    if (ptx_is_load(s->in->op))
        return has_result(slice, s) && decide_ref(slice, s->func, var);
    return vm_slice_has(slice, s->func, var) &&
           decide_registers(slice, s, 1, VM_MAX_SRC);
}

static bool follow_call(VmSlice *slice, const VmSeenStep *s) {
    const VmCall *call = s->in->call;
    const VmFunc *callee = call->callee;
    bool more = false;
    for (uint32_t i = 0; i < call->arg_count; i++)
        if (vm_slice_has(slice, callee, vm_slice_ref(&callee->params[i])))
            more |= decide_ref(slice, s->func, vm_slice_ref(&call->args[i]));
    for (uint32_t i = 0; i < call->result_count; i++)
        if (vm_slice_has(slice, s->func, vm_slice_ref(&call->results[i])))
            more |=
                decide_ref(slice, callee, vm_slice_ref(&callee->results[i]));
    return more;
}

static bool follow_results(VmSlice *slice) {
    bool more = false;
    for (size_t i = 0; i < slice->step_count; i++) {
        const VmSeenStep *s = &slice->steps[i];
        if (s->in->is_frame)
            more |= follow_frame(slice, s);
        else if (s->in->has_call)
            more |= follow_call(slice, s);
        else if (!ptx_is_load(s->in->op) && has_result(slice, s))
            more |= decide_registers(slice, s, 0, VM_MAX_SRC);
    }
    return more;
}

static bool follow_words(VmSlice *slice) {
    bool more = false;
    for (size_t i = 0; i < slice->access_count; i++) {
        const VmSeenAccess *access = &slice->accesses[i];
        const VmSeenStep *s = &slice->steps[access->step];
        bool reads = !ptx_is_store(s->in->op);
        if (reads && has_result(slice, s))
            more |= decide(slice, access->word);
        if (!ptx_is_load(s->in->op) && vm_slice_has_word(slice, access->word))
            more |= decide_registers(slice, s, 0, VM_MAX_SRC);
    }
    return more;
}

void vm_slice_close(VmSlice *slice) {
    bool more = true;
    for (size_t i = 0; i < slice->step_count; i++)
        begin(slice, &slice->steps[i]);
    while (more) {
        more = follow_results(slice);
        more |= follow_words(slice);
    }
}

bool vm_slice_has(const VmSlice *slice, const VmFunc *func, VmRef ref) {
    return vm_table_has(&slice->decides, vm_slice_key(func, ref));
}

bool vm_slice_has_word(const VmSlice *slice, uint64_t word) {
    return vm_table_has(&slice->decides, word);
}
