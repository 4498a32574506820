// SPDX-License-Identifier: Apache-2.0
// CLC008: the 16 bytes of an answer are opaque. They may be copied, packed and
// stored; code that computes with them decodes by hand what only query_cancel
// can decode (PTX ISA, "clusterlaunchcontrol.query_cancel").
//
// The first time that a load returns bytes of an answer, flow analysis finds
// the registers of its function that can come to hold such bytes. If all of
// them end in query_cancel, nothing more is done. Otherwise the instructions
// that read or write these registers are traced: op_traced runs before each of
// them, and tracks lane by lane which registers hold bytes of an answer at the
// moment. Other instructions, and kernels that use the API, run at full speed.
//
// Copies in shared memory become slots without a request; copies in local
// memory are on a list of the frame. Bytes that are passed to a call, stored to
// global memory or sent with st.async are not followed.
#include "vm/decode/doubt.h"
#include "vm/decode/flow.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/units/clc.h"

enum {
    MOST_COPIES = 64, // slots of a CTA; beyond this, copies are not added
    MOST_LOCAL = 16,  // pieces of local memory in a frame
};

enum { LOAD_UNKNOWN, LOAD_HARMLESS, LOAD_TRACED }; // VmInstr.opaque

typedef struct LocalCopy {
    uint32_t address, bytes;
    uint32_t lanes; // lanes whose piece holds bytes of an answer
} LocalCopy;

struct VmOpaque {
    uint32_t loaded_at; // the latest load
    uint32_t local_count;
    LocalCopy local[MOST_LOCAL];
    uint32_t lanes[]; // by register: lanes that hold bytes of an answer there
};

// ---- where can the bytes go? ---------------------------------------------

static bool may_be(const VmInstr *in, PtxSpace space) {
    return in->space == space || in->space == PTX_SPACE_GENERIC;
}

typedef struct Flow {
    const VmFunc *func;
    uint8_t *holds; // by register: it can come to hold bytes of an answer
    bool grew;
    bool ends_badly; // there is a use, or a copy that must be followed
    bool is_local;   // there may be a copy in local memory
} Flow;

static bool holds(const Flow *flow, VmRef ref) {
    return ref.reg != VM_NO_REG && ref.sel == 0 && flow->holds[ref.reg];
}

static bool any_holds(const Flow *flow, const VmRef *refs, uint32_t from,
                      uint32_t to) {
    bool any = false;
    for (uint32_t i = from; i < to; i++)
        any |= holds(flow, refs[i]);
    return any;
}

static void spread(Flow *flow, const VmInstr *in) {
    for (uint32_t i = 0; i < in->dst_count; i++) {
        uint32_t reg = vm_dsts(in)[i].reg;
        if (reg == VM_NO_REG || flow->holds[reg])
            continue;
        flow->holds[reg] = 1;
        flow->grew = true;
    }
}

static void visit(Flow *flow, const VmInstr *in) {
    VmEffect effect = vm_effect(in);
    uint32_t first, end;
    vm_carried(in, effect, &first, &end);
    bool carries = any_holds(flow, vm_srcs(in), first, end);
    bool uses = any_holds(flow, vm_srcs(in), 0, first) ||
                any_holds(flow, vm_srcs(in), end, in->src_count);
    if (effect == EFFECT_JOIN)
        uses |= holds(flow, in->src[0]) != holds(flow, in->src[1]);
    flow->ends_badly |= uses;
    if (effect == EFFECT_LOAD && flow->is_local && may_be(in, PTX_SPACE_LOCAL))
        spread(flow, in);
    if (!carries || effect == EFFECT_PASS)
        return;
    if (effect != EFFECT_STORE) {
        spread(flow, in);
        return;
    }
    if (may_be(in, PTX_SPACE_LOCAL) && !flow->is_local)
        flow->is_local = flow->grew = true;
    flow->ends_badly |=
        may_be(in, PTX_SPACE_LOCAL) || may_be(in, PTX_SPACE_SHARED);
}

// False: that would take too long. (If some of the registers were not known, an
// instruction that overwrites one would not be traced.)
static bool find_flow(Vm *vm, Flow *flow, const VmInstr *load) {
    const VmFunc *func = flow->func;
    spread(flow, load);
    while (flow->grew && vm->flow_visits <= VM_FLOW_VISITS) {
        flow->grew = false;
        vm->flow_visits += func->code_count;
        for (uint32_t pc = 0; pc < func->code_count; pc++)
            visit(flow, &func->code[pc]);
    }
    return !flow->grew;
}

// ---- following them ------------------------------------------------------

static VmOpaque *opaque_of(VmFrame *frame) {
    if (!frame->opaque)
        frame->opaque =
            heap_alloc(1, sizeof(VmOpaque) +
                              (frame->func->reg_count + 1u) * sizeof(uint32_t));
    return frame->opaque;
}

static uint32_t lanes_of(const VmOpaque *o, VmRef ref) {
    return ref.reg == VM_NO_REG || ref.sel ? 0 : o->lanes[ref.reg];
}

static uint32_t lanes_in(const VmOpaque *o, const VmInstr *in, uint32_t from,
                         uint32_t to) {
    uint32_t lanes = 0;
    for (uint32_t i = from; i < to; i++)
        lanes |= lanes_of(o, vm_srcs(in)[i]);
    return lanes;
}

static void lanes_set(VmOpaque *o, VmRef ref, uint32_t mask, uint32_t lanes) {
    if (ref.reg != VM_NO_REG)
        o->lanes[ref.reg] = (o->lanes[ref.reg] & ~mask) | (lanes & mask);
}

static void set_results(VmOpaque *o, const VmInstr *in, uint32_t mask,
                        uint32_t lanes) {
    for (uint32_t i = 0; i < in->dst_count; i++)
        lanes_set(o, vm_dsts(in)[i], mask, lanes);
}

static FindingCase how_used(const VmInstr *in, bool in_address) {
    if (in_address)
        return CASE_CLC008_IN_AN_ADDRESS;
    if (PTX_TRAITS[in->op].data == PTX_DATA_COMPARED)
        return CASE_CLC008_COMPARED;
    return ptx_is_atomic(in->op) ? CASE_CLC008_CHANGED : CASE_CLC008_COMPUTED;
}

static bool report(VmWarp *w, const VmInstr *in, uint32_t lane,
                   FindingCase which) {
    vm_faulted(w, in, which, FACTS(FACT_LANE(w, lane)));
    return false;
}

// ---- copies in local memory ----------------------------------------------

static bool is_local(const VmInstr *in, uint64_t address) {
    return vm_space_at((PtxSpace)in->space, address) == PTX_SPACE_LOCAL;
}

static bool overlaps(const LocalCopy *copy, uint32_t address, uint32_t bytes) {
    return address < copy->address + copy->bytes &&
           copy->address < address + bytes;
}

static void local_store(VmOpaque *o, uint32_t lane, uint32_t address,
                        uint32_t bytes, bool opaque) {
    LocalCopy *found = NULL;
    uint32_t bit = 1u << lane;
    for (uint32_t i = 0; i < o->local_count; i++) {
        LocalCopy *copy = &o->local[i];
        if (overlaps(copy, address, bytes))
            copy->lanes &= ~bit;
        if (copy->lanes == 0 ||
            (copy->address == address && copy->bytes == bytes))
            found = copy;
    }
    if (!opaque)
        return;
    if (!found && o->local_count < MOST_LOCAL)
        found = &o->local[o->local_count++];
    if (!found)
        return;
    if (found->address != address || found->bytes != bytes)
        *found = (LocalCopy){address, bytes, 0};
    found->lanes |= bit;
}

static bool local_holds(const VmOpaque *o, uint32_t lane, uint32_t address,
                        uint32_t bytes) {
    for (uint32_t i = 0; i < o->local_count; i++)
        if ((o->local[i].lanes >> lane & 1) &&
            overlaps(&o->local[i], address, bytes))
            return true;
    return false;
}

static void follow_load(VmWarp *w, VmOpaque *o, const VmInstr *in,
                        uint32_t mask) {
    set_results(o, in, mask, 0);
    EACH_LANE(l, o->local_count ? mask : 0) {
        uint64_t address = vm_lane_address(w, in, l);
        for (uint32_t e = 0; e < in->dst_count; e++)
            if (is_local(in, address) &&
                local_holds(o, l, (uint32_t)address + e * in->width, in->width))
                lanes_set(o, vm_dsts(in)[e], 1u << l, VM_FULL);
    }
}

// ---- copies in shared memory ---------------------------------------------

static void shared_copy(VmWarp *w, const VmInstr *in, uint64_t address) {
    uint32_t offset;
    bool shared = vm_space_at((PtxSpace)in->space, address) == PTX_SPACE_SHARED;
    VmCta *cta = shared ? vm_shared_owner(w, (uint32_t)address, &offset) : NULL;
    if (!cta || cta->typed.slot_count >= MOST_COPIES)
        return;
    offset -= VM_SHARED_BASE;
    VmSlot *slot = vm_clc_slot(cta, offset & ~15u);
    slot->answer |= (uint16_t)(((1u << in->width) - 1) << (offset & 15));
}

// The instruction's own handler, which op_traced stands in for.
static VmHandler traced_handler(const VmWarp *w, const VmInstr *in) {
    const VmFunc *func = w->frag->frame->func;
    return func->traced[vm_instr_itself(func, w->frag, in) - func->code];
}

// Tracks the bytes of a store, which are in memory once it is executed.
static VmNext store(VmWarp *w, VmOpaque *o, const VmInstr *in, uint32_t mask) {
    VmInstr alone = *in;
    alone.next = vm_op_run_ends;
    VmNext next = traced_handler(w, in)(w, &alone, mask);
    if (next != VM_GO)
        return next;
    EACH_LANE(l, mask) {
        uint64_t address = vm_lane_address(w, in, l);
        for (uint32_t e = 0; e < in->elements; e++) {
            bool opaque = lanes_of(o, vm_srcs(in)[1 + e]) >> l & 1;
            uint64_t at = address + (uint64_t)e * in->width;
            if (is_local(in, at))
                local_store(o, l, (uint32_t)at, in->width, opaque);
            else if (opaque)
                shared_copy(w, in, at);
        }
    }
    return in->next(w, in + 1, mask);
}

// ---- tracing -------------------------------------------------------------

static uint32_t selected(const VmWarp *w, const VmOpaque *o,
                         const VmInstr *in) {
    uint32_t p = vm_pred(w, in->src[2]);
    return (p & lanes_of(o, in->src[0])) | (~p & lanes_of(o, in->src[1]));
}

// The results of a call that are in registers are not results of the
// instruction.
static void forget_results(VmOpaque *o, const VmFunc *func, const VmInstr *in,
                           uint32_t mask) {
    o->local_count = 0; // the callee may overwrite it
    for (uint32_t i = 0; in->has_call && i < in->call->result_count; i++)
        for (size_t reg = 0; reg < func->ptx->reg_count; reg++)
            if (func->reg_offsets[reg] == in->call->results[i].off)
                o->lanes[reg] &= ~mask;
}

// False: a use was reported.
static bool follow(VmWarp *w, VmOpaque *o, const VmInstr *in, uint32_t mask) {
    VmEffect effect = vm_effect(in);
    uint32_t first, end;
    vm_carried(in, effect, &first, &end);
    uint32_t lanes = lanes_in(o, in, first, end) & mask;
    uint32_t used =
        (lanes_in(o, in, 0, first) | lanes_in(o, in, end, in->src_count)) &
        mask;
    if (effect == EFFECT_JOIN)
        used |= (lanes_of(o, in->src[0]) ^ lanes_of(o, in->src[1])) & mask;
    if (used) {
        bool memory = effect == EFFECT_LOAD || effect == EFFECT_STORE;
        report(w, in, vm_first(used), how_used(in, memory));
        vm_fault_at(w->vm, PLACE_ANSWER_LOADED, o->loaded_at);
        vm_fault_cure(w->vm, PART_HERE, o->loaded_at);
        return false;
    }
    switch (effect) {
    case EFFECT_LOAD:
        follow_load(w, o, in, mask);
        return true;
    case EFFECT_SHUFFLE:
        lanes = lanes ? mask : 0;
        break;
    case EFFECT_SELECT:
        lanes = selected(w, o, in);
        break;
    case EFFECT_PASS:
        if (in->has_call)
            forget_results(o, w->frag->frame->func, in, mask);
        lanes = 0;
        break;
    case EFFECT_USE:
    case EFFECT_JOIN:
    case EFFECT_COPY:
    case EFFECT_STORE:
        break;
    }
    set_results(o, in, mask, lanes);
    return true;
}

static VmNext op_traced(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmOpaque *o = w->frag->frame->opaque;
    if (!o)
        return traced_handler(w, in)(w, in, mask);
    if (!follow(w, o, in, mask))
        return VM_STOP;
    return vm_effect(in) == EFFECT_STORE ? store(w, o, in, mask)
                                         : traced_handler(w, in)(w, in, mask);
}

static void trace(const VmFunc *func, uint32_t pc) {
    VmInstr *in = &func->code[pc];
    if (func->traced[pc])
        return;
    func->traced[pc] = in->handler;
    in->handler = op_traced;
    if (pc && func->code[pc - 1].run > 1 &&
        func->code[pc - 1].next != vm_op_doubtful_rest)
        func->code[pc - 1].next = op_traced;
}

static bool writes_by_call(const Flow *flow, const VmInstr *in) {
    const VmFunc *func = flow->func;
    if (!in->has_call)
        return false;
    for (uint32_t i = 0; i < in->call->result_count; i++)
        for (size_t reg = 0; reg < func->ptx->reg_count; reg++)
            if (flow->holds[reg] &&
                func->reg_offsets[reg] == in->call->results[i].off)
                return true;
    return false;
}

static void trace_all(Vm *vm, const Flow *flow) {
    const VmFunc *func = flow->func;
    vm->flow_visits += func->code_count;
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        const VmInstr *in = &func->code[pc];
        bool memory = ptx_is_load(in->op) || ptx_is_store(in->op);
        bool local = flow->is_local &&
                     ((memory && may_be(in, PTX_SPACE_LOCAL)) || in->has_call);
        if (local || any_holds(flow, vm_srcs(in), 0, in->src_count) ||
            any_holds(flow, vm_dsts(in), 0, in->dst_count) ||
            writes_by_call(flow, in))
            trace(func, pc);
    }
}

// ---- loads ---------------------------------------------------------------

static uint8_t look_through(Vm *vm, const VmFunc *func, const VmInstr *load) {
    if (vm->flow_visits > VM_FLOW_VISITS)
        return LOAD_HARMLESS;
    Flow flow = {.func = func, .holds = heap_alloc(1, func->reg_count + 1u)};
    bool is_traced = find_flow(vm, &flow, load) && flow.ends_badly;
    if (is_traced)
        trace_all(vm, &flow);
    heap_free(flow.holds);
    return is_traced ? LOAD_TRACED : LOAD_HARMLESS;
}

// Lane `lane` loads; `bytes` says which bytes of its access belong to an
// answer.
static void loaded(VmWarp *w, const VmInstr *in, uint32_t lane,
                   uint32_t bytes) {
    VmFrame *frame = w->frag->frame;
    const VmFunc *func = frame->func;
    VmInstr *load = vm_instr_itself(func, w->frag, in);
    if (load->opaque == LOAD_UNKNOWN)
        load->opaque = 3u & look_through(w->vm, func, load);
    if (load->opaque == LOAD_HARMLESS)
        return;
    VmOpaque *o = opaque_of(frame);
    o->loaded_at = vm_learner_loc(w->vm, w, in->loc);
    for (uint32_t e = 0; e < in->elements; e++) {
        uint64_t element = ((UINT64_C(1) << in->width) - 1) << e * in->width;
        if (bytes & element)
            lanes_set(o, vm_dsts(in)[e], 1u << lane, VM_FULL);
    }
}

// The bytes of `slot` that [offset, offset + bytes) covers, as bits.
static uint32_t covered(const VmSlot *slot, uint64_t offset, uint32_t bytes) {
    uint64_t from = offset > slot->offset ? offset - slot->offset : 0;
    uint64_t end = offset + bytes;
    uint64_t to = end > slot->offset ? end - slot->offset : 0;
    if (to > 16)
        to = 16;
    return from < to ? (1u << to) - (1u << from) : 0;
}

void vm_opaque_written(VmCta *cta, uint64_t offset, uint32_t bytes) {
    uint64_t end = offset + bytes;
    if (end > cta->typed.to)
        end = cta->typed.to;
    for (uint64_t at = offset & ~UINT64_C(15); at < end; at += 16) {
        VmSlot *slot = vm_clc_slot_at(cta, (uint32_t)at);
        if (slot)
            slot->answer &= (uint16_t)~covered(slot, offset, bytes);
    }
}

bool vm_opaque_touch(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                     uint32_t offset, uint32_t bytes, VmAccess access) {
    if (w->vm->launch->unchecked >> RULE_CLC008 & 1)
        return true;
    if (access == ACCESS_WRITE) {
        vm_opaque_written(cta, offset, bytes);
        return true;
    }
    uint64_t touched = 0; // by byte of the access, as bits
    for (uint32_t at = offset & ~15u; at < offset + bytes; at += 16) {
        const VmSlot *slot = vm_clc_slot_at(cta, at);
        uint64_t bits = slot ? slot->answer & covered(slot, offset, bytes) : 0;
        if (bits == 0)
            continue;
        touched |= slot->offset >= offset ? bits << (slot->offset - offset)
                                          : bits >> (offset - slot->offset);
    }
    if (touched && access == ACCESS_ATOMIC)
        return report(w, in, lane, how_used(in, false));
    if (touched && ptx_is_load(in->op))
        loaded(w, in, lane, (uint32_t)touched);
    return true;
}
