// SPDX-License-Identifier: Apache-2.0
// Flow analysis: where the value of a register can go, as the code of its
// function shows.
#include "vm/decode/flow.h"

#include "vm/machine/lanes.h"
#include "vm/machine/machine.h"

// ---- what an instruction does with values --------------------------------

static bool is_integer(const VmInstr *in) {
    for (uint32_t i = 0; i < in->ptx->type_count; i++) {
        PtxType type = in->ptx->types[i];
        if (type < PTX_B8 || type > PTX_S64)
            return false;
    }
    return true;
}

// A load or store in a form without an address accesses a parameter of a call,
// which is a register.
static bool is_access(const VmInstr *in) {
    return in->width && in->src_count;
}

// nvcc packs bytes with shl and or, or with mul.wide.u16 by 256.
VmEffect vm_effect(const VmInstr *in) {
    switch ((PtxData)PTX_TRAITS[in->op].data) {
    case PTX_DATA_NONE:
    case PTX_DATA_USED:
    case PTX_DATA_COMPARED:
        return EFFECT_USE;
    case PTX_DATA_MOVED:
    case PTX_DATA_MERGED:
    case PTX_DATA_ANDED:
    case PTX_DATA_ORED:
        return EFFECT_COPY;
    case PTX_DATA_ADDED:
        return EFFECT_JOIN;
    case PTX_DATA_CONVERTED:
        return is_integer(in) ? EFFECT_COPY : EFFECT_USE;
    case PTX_DATA_MULTIPLIED:
        return in->ptx->types[0] == PTX_U16 && in->dst[0].size == 4
                   ? EFFECT_COPY
                   : EFFECT_USE;
    case PTX_DATA_SELECTED:
        return EFFECT_SELECT;
    case PTX_DATA_SHUFFLED:
        return EFFECT_SHUFFLE;
    case PTX_DATA_LOADED:
        return is_access(in) ? EFFECT_LOAD : EFFECT_COPY;
    case PTX_DATA_STORED:
        return is_access(in) ? EFFECT_STORE : EFFECT_COPY;
    case PTX_DATA_PASSED:
        return EFFECT_PASS;
    }
    return EFFECT_USE;
}

void vm_carried(const VmInstr *in, VmEffect effect, uint32_t *first,
                uint32_t *end) {
    *first = effect == EFFECT_STORE ? 1 : 0;
    *end = in->src_count;
    if (effect == EFFECT_USE || effect == EFFECT_LOAD)
        *end = 0;
    else if (effect == EFFECT_SELECT)
        *end = 2;
    else if (effect == EFFECT_SHUFFLE)
        *end = 1;
}

// ---- one value through a function ----------------------------------------

enum { MOST_REGS = 64, MOST_STEPS = 1 << 14, MOST_CALLS = 3 };

// A worklist of pairs (register, pc) where the register can hold the value.
// Registers get small numbers in the order in which they are found.
typedef struct Walk {
    const VmFunc *func;
    uint64_t *seen;    // by pc: registers, as bits
    uint64_t *waiting; // those of `seen` that have not been processed
    uint32_t *work;    // the worklist: pcs that have such registers
    uint32_t work_count;
    uint32_t regs[MOST_REGS], reg_count;
    bool is_used, is_long;
    // The value ends in shuffles, and storing it is a use.
    bool to_shuffles, is_shuffled;
    Vm *vm;         // to_shuffles: and
    uint32_t calls; // how many functions further it may be passed
} Walk;

static bool is_passed_to_shuffles(Vm *vm, const VmFunc *func,
                                  const VmInstr *store, uint32_t calls);

static uint64_t reg_bit(Walk *walk, uint32_t reg) {
    for (uint32_t i = 0; i < walk->reg_count; i++)
        if (walk->regs[i] == reg)
            return UINT64_C(1) << i;
    if (walk->reg_count == MOST_REGS) {
        walk->is_long = true;
        return 0;
    }
    walk->regs[walk->reg_count] = reg;
    return UINT64_C(1) << walk->reg_count++;
}

static void reach(Walk *walk, uint32_t pc, uint64_t regs) {
    if (pc >= walk->func->code_count)
        return;
    uint64_t fresh = regs & ~walk->seen[pc];
    if (!fresh)
        return;
    if (!walk->waiting[pc])
        walk->work[walk->work_count++] = pc;
    walk->seen[pc] |= fresh;
    walk->waiting[pc] |= fresh;
}

static uint64_t sources(Walk *walk, const VmInstr *in, uint32_t from,
                        uint32_t to, uint64_t held) {
    uint64_t regs = 0;
    for (uint32_t i = from; i < to; i++)
        if (vm_srcs(in)[i].reg != VM_NO_REG && vm_srcs(in)[i].sel == 0)
            regs |= reg_bit(walk, vm_srcs(in)[i].reg) & held;
    return regs;
}

// The instruction takes the value out of the function's registers.
static void take_out(Walk *walk, const VmInstr *in, VmEffect effect) {
    if (effect == EFFECT_SHUFFLE ||
        (effect == EFFECT_STORE &&
         is_passed_to_shuffles(walk->vm, walk->func, in, walk->calls)))
        walk->is_shuffled = true;
    else
        walk->is_used = true;
}

static bool takes_out(const Walk *walk, VmEffect effect) {
    return effect == EFFECT_PASS || effect == EFFECT_STORE ||
           (effect == EFFECT_SHUFFLE && walk->to_shuffles);
}

// The registers that hold the value after the instruction.
static uint64_t held_after(Walk *walk, const VmInstr *in, uint64_t held) {
    VmEffect effect = vm_effect(in);
    uint32_t first, end;
    vm_carried(in, effect, &first, &end);
    uint64_t carried = sources(walk, in, first, end, held);
    if (sources(walk, in, 0, first, held) ||
        sources(walk, in, end, in->src_count, held) ||
        (effect == EFFECT_JOIN && carried))
        walk->is_used = true;
    bool copies = carried && !takes_out(walk, effect);
    if (walk->to_shuffles && carried && !copies)
        take_out(walk, in, effect);
    for (uint32_t i = 0; i < in->dst_count; i++) {
        if (vm_dsts(in)[i].reg == VM_NO_REG)
            continue;
        uint64_t bit = reg_bit(walk, vm_dsts(in)[i].reg);
        if (copies)
            held |= bit;
        else if (in->guard == VM_NONE)
            held &= ~bit;
    }
    return held;
}

static void go_to_table(Walk *walk, const VmInstr *in, uint64_t held) {
    const VmFunc *func = walk->func;
    const PtxTable *table = &func->ptx->tables[in->branch.table];
    for (size_t i = 0; i < table->count; i++)
        reach(walk, func->pc_of[func->ptx->labels[table->labels[i]].target],
              held);
}

static void go_on(Walk *walk, uint32_t pc, uint64_t held) {
    const VmInstr *in = &walk->func->code[pc];
    if (in->is_branch)
        reach(walk, in->branch.target, held);
    else if (in->has_table)
        go_to_table(walk, in, held);
    if (!ptx_leaves(in->op) || in->guard != VM_NONE)
        reach(walk, pc + 1, held);
}

static void walk_all(Walk *walk) {
    uint32_t steps = 0;
    while (walk->work_count && !walk->is_used && !walk->is_long) {
        uint32_t pc = walk->work[--walk->work_count];
        uint64_t held = walk->waiting[pc];
        walk->waiting[pc] = 0;
        held = held_after(walk, &walk->func->code[pc], held);
        if (held)
            go_on(walk, pc, held);
        walk->is_long |= ++steps > MOST_STEPS;
    }
}

// Follows element `element` of a load. False: it cannot be.
static bool follow(Vm *vm, Walk *walk, const VmInstr *load, uint32_t element) {
    const VmFunc *func = walk->func;
    uint64_t count = func->code_count;
    if (vm->flow_visits > VM_FLOW_VISITS || element >= load->dst_count ||
        vm_dsts(load)[element].reg == VM_NO_REG)
        return false;
    vm->flow_visits += count;
    walk->seen = heap_alloc(count, sizeof(uint64_t));
    walk->waiting = heap_alloc(count, sizeof(uint64_t));
    walk->work = heap_alloc(count, sizeof(uint32_t));
    uint64_t bit = reg_bit(walk, vm_dsts(load)[element].reg);
    go_on(walk, (uint32_t)(load - func->code), bit);
    walk_all(walk);
    heap_free(walk->seen);
    heap_free(walk->waiting);
    heap_free(walk->work);
    return true;
}

bool vm_flow_is_used(Vm *vm, const VmFunc *func, const VmInstr *load,
                     uint32_t element) {
    Walk walk = {.func = func};
    return follow(vm, &walk, load, element) && walk.is_used;
}

// ---- an argument ---------------------------------------------------------

// The call that the argument is stored for: nothing but other arguments stands
// between the two.
static const VmCall *call_behind(const VmFunc *func, const VmInstr *store) {
    const VmInstr *end = func->code + func->code_count;
    for (const VmInstr *in = store + 1; in < end; in++) {
        if (PTX_TRAITS[in->op].next == PTX_NEXT_CALL)
            return in->has_call ? in->call : NULL;
        if (!ptx_is_store(in->op) || !in->is_frame)
            return NULL;
    }
    return NULL;
}

// The parameter that it becomes; NULL: none, or it is a part of one.
static const VmPlace *parameter_of(const VmCall *call, const VmInstr *store) {
    if (!call || !call->callee || !store->is_frame || store->offset)
        return NULL;
    for (uint32_t i = 0; i < call->arg_count; i++)
        if (call->args[i].off == store->memory.variable)
            return &call->callee->params[i];
    return NULL;
}

static bool is_passed_to_shuffles(Vm *vm, const VmFunc *func,
                                  const VmInstr *store, uint32_t calls) {
    const VmCall *call = call_behind(func, store);
    const VmPlace *param = parameter_of(call, store);
    bool is_shuffled = false;
    for (uint32_t pc = 0; param && calls && pc < call->callee->code_count;
         pc++) {
        const VmInstr *load = &call->callee->code[pc];
        if (!ptx_is_load(load->op) || !load->is_frame ||
            load->memory.variable != param->off)
            continue;
        Walk walk = {.func = call->callee,
                     .to_shuffles = true,
                     .vm = vm,
                     .calls = calls - 1};
        if (!follow(vm, &walk, load, 0) || walk.is_used || walk.is_long)
            return false;
        is_shuffled |= walk.is_shuffled;
    }
    return is_shuffled;
}

bool vm_flow_is_shuffled(Vm *vm, const VmFunc *func, const VmInstr *store) {
    return is_passed_to_shuffles(vm, func, store, MOST_CALLS);
}

// ---- a value that is not used -------------------------------------------

// Registers that hold results of an instruction, or of moves of these. Where
// the moves stand is not looked at.
typedef struct Results {
    uint32_t regs[MOST_REGS], count;
    bool is_long;
} Results;

static bool holds(const Results *r, VmRef ref) {
    for (uint32_t i = 0; i < r->count; i++)
        if (ref.reg != VM_NO_REG && ref.sel == 0 && r->regs[i] == ref.reg)
            return true;
    return false;
}

static bool add_results(Results *r, const VmInstr *in) {
    bool more = false;
    for (uint32_t i = 0; i < in->dst_count; i++) {
        if (holds(r, vm_dsts(in)[i]))
            continue;
        r->is_long |= r->count == MOST_REGS || vm_dsts(in)[i].reg == VM_NO_REG;
        if (r->is_long)
            return false;
        r->regs[r->count++] = vm_dsts(in)[i].reg;
        more = true;
    }
    return more;
}

static bool reads(const Results *r, const VmInstr *in) {
    for (uint32_t i = 0; i < in->src_count; i++)
        if (holds(r, vm_srcs(in)[i]))
            return true;
    return in->guard != VM_NONE &&
           holds(r, vm_ref(in->guard, in->guard_reg, 0));
}

static bool is_move(const VmInstr *in) {
    return PTX_TRAITS[in->op].data == PTX_DATA_MOVED && in->guard == VM_NONE;
}

// Its results depend on its operands alone, and are in this thread's registers.
static bool is_computation(const VmInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    return in->plain && in->guard == VM_NONE && in->dst_count &&
           traits->access == PTX_ACCESS_NONE &&
           traits->object == PTX_OBJECT_NONE;
}

// Which instructions only hand a value on.
typedef bool HandsOn(const VmInstr *in);

static Results results_of(const VmFunc *func, const VmInstr *in,
                          HandsOn *hands_on) {
    Results r = {.count = 0};
    for (bool more = add_results(&r, in); more;) {
        more = false;
        for (uint32_t pc = 0; pc < func->code_count; pc++)
            if (hands_on(&func->code[pc]) && reads(&r, &func->code[pc]))
                more |= add_results(&r, &func->code[pc]);
    }
    return r;
}

// Walks on from `in` until the results are read; see flow.h.
static bool is_dropped(Walk *walk, const Results *r, const VmInstr *in,
                       HandsOn *hands_on) {
    const VmFunc *func = walk->func;
    go_on(walk, (uint32_t)(in - func->code), 1);
    while (walk->work_count) {
        uint32_t pc = walk->work[--walk->work_count];
        const VmInstr *at = &func->code[pc];
        walk->waiting[pc] = 0;
        PtxNext next = (PtxNext)PTX_TRAITS[at->op].next;
        if (at == in || next == PTX_NEXT_RETURN || next == PTX_NEXT_EXIT)
            return true;
        if (hands_on(at) || !reads(r, at))
            go_on(walk, pc, 1);
    }
    return false;
}

static bool may_drop(Vm *vm, const VmFunc *func, const VmInstr *in,
                     HandsOn *hands_on) {
    if (vm->flow_visits > VM_FLOW_VISITS)
        return false;
    Results r = results_of(func, in, hands_on);
    uint64_t count = func->code_count;
    vm->flow_visits += count * (1 + r.count);
    if (r.is_long)
        return false;
    Walk walk = {.func = func,
                 .seen = heap_alloc(count, sizeof(uint64_t)),
                 .waiting = heap_alloc(count, sizeof(uint64_t)),
                 .work = heap_alloc(count, sizeof(uint32_t))};
    bool dropped = is_dropped(&walk, &r, in, hands_on);
    heap_free(walk.seen);
    heap_free(walk.waiting);
    heap_free(walk.work);
    return dropped;
}

bool vm_flow_may_drop(Vm *vm, const VmFunc *func, const VmInstr *in) {
    return may_drop(vm, func, in, is_move);
}

bool vm_flow_may_be_idle(Vm *vm, const VmFunc *func, const VmInstr *load) {
    Results r = results_of(func, load, is_computation);
    bool is_used = false;
    for (uint32_t pc = 0; pc < func->code_count && !is_used; pc++)
        is_used =
            !is_computation(&func->code[pc]) && reads(&r, &func->code[pc]);
    return is_used && may_drop(vm, func, load, is_computation);
}

VmInstr *vm_instr_itself(const VmFunc *func, const VmFragment *f,
                         const VmInstr *in) {
    uintptr_t at = (uintptr_t)in, from = (uintptr_t)func->code;
    if (at >= from && at < from + func->code_count * sizeof *in)
        return &func->code[(at - from) / sizeof *in];
    return &func->code[f->pc - 1];
}
