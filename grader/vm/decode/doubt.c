// SPDX-License-Identifier: Apache-2.0
// Doubtful values: see doubt.h. A doubt is about one load, about the grants
// that one query_cancel decodes, or about all refused answers; it says, by
// register, which lanes hold a value that depends on it. vm_doubt_step moves
// these marks as the instruction moves the values.
//
// A frame with doubts is executed one instruction at a time (engine/run.c). It
// has none any more when no register holds such a value.
#include "vm/decode/doubt.h"

#include "vm/decode/decode.h"
#include "vm/decode/flow.h"
#include "vm/decode/marks.h"
#include "vm/decode/unset.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"

#include <string.h>

enum { FIRST_ROOM = 4 }; // doubts of a frame: at most one for each load

typedef struct Doubt {
    const VmInstr *load;    // or query; NULL: the indices of refused answers
    uint32_t request;       // granted, whose index it is; VM_NONE: none
    VmKept *kept[VM_LANES]; // by the lane that loaded
    VmMarks marks;          // .lanes NULL: this doubt is not in use
} Doubt;

struct VmDoubts {
    Doubt *items;
    uint32_t count;
};

// ---- the doubts of a frame -----------------------------------------------

static void drop_kept(Doubt *d, uint32_t lane) {
    while (d->kept[lane]) {
        VmKept *kept = d->kept[lane];
        d->kept[lane] = kept->next;
        heap_free(kept);
    }
}

static void drop(Doubt *d) {
    for (uint32_t l = 0; l < VM_LANES; l++)
        drop_kept(d, l);
    heap_free(d->marks.lanes);
    *d = (Doubt){0};
}

static uint32_t doubt_count(const VmFrame *frame) {
    return frame->doubts ? frame->doubts->count : 0;
}

void vm_doubts_free(VmFrame *frame) {
    for (uint32_t i = 0; i < doubt_count(frame); i++)
        drop(&frame->doubts->items[i]);
    if (frame->doubts)
        heap_free(frame->doubts->items);
    heap_free(frame->doubts);
    frame->doubts = NULL;
}

static void drop_unheld(VmFrame *frame) {
    bool any = false;
    for (uint32_t i = 0; i < doubt_count(frame); i++) {
        Doubt *d = &frame->doubts->items[i];
        if (d->marks.lanes && !d->marks.held)
            drop(d);
        any |= d->marks.lanes != NULL;
    }
    if (!any)
        vm_doubts_free(frame);
}

static Doubt *known_about(const VmFrame *frame, const VmInstr *load) {
    for (uint32_t i = 0; i < doubt_count(frame); i++) {
        Doubt *d = &frame->doubts->items[i];
        if (d->marks.lanes && d->load == load)
            return d;
    }
    return NULL;
}

// ---- findings ------------------------------------------------------------

// The value of lane l broke the rule when that lane loaded it; or another one,
// which a shuffle took it from.
static void make_findings(Vm *vm, Doubt *d, uint32_t lane, bool decides) {
    for (uint32_t l = 0; l < VM_LANES && !d->kept[lane]; l++)
        if (d->kept[l])
            lane = l;
    for (VmKept *kept = d->kept[lane]; kept; kept = kept->next) {
        if (kept->is_mild && !decides)
            kept->finding.level = FINDING_ADVISORY;
        if (!vm->turns.stopped)
            vm_found_kept(vm, kept);
    }
    drop_kept(d, lane);
}

// `decides`: the value, where a thread goes, or what it accesses.
static void report_load(VmWarp *w, Doubt *d, uint32_t lanes, bool decides) {
    EACH_LANE(l, lanes) {
        if (!w->vm->turns.stopped)
            make_findings(w->vm, d, l, decides);
    }
    for (uint32_t reg = 0; reg < w->frag->frame->func->reg_count; reg++)
        vm_marks_set_reg(&d->marks, reg, lanes, 0);
}

// The index of a grant is used: none of its values is looked at any more.
static void use_grant(VmWarp *w, Doubt *d) {
    w->vm->clc.requests[d->request].used = true;
    for (uint32_t reg = 0; d->marks.held; reg++)
        vm_marks_set_reg(&d->marks, reg, VM_FULL, 0);
}

static void report_value(VmWarp *w, Doubt *d, uint32_t lanes, bool decides) {
    if (d->request == VM_NONE)
        report_load(w, d, lanes, decides);
    else
        use_grant(w, d);
}

// A place for a new doubt.
static Doubt *take_place(struct VmDoubts *doubts) {
    for (uint32_t i = 0; i < doubts->count; i++)
        if (!doubts->items[i].marks.lanes)
            return &doubts->items[i];
    uint32_t count = doubts->count, room = count ? count * 2 : FIRST_ROOM;
    Doubt *more = heap_alloc(sizeof *more, room);
    if (count)
        memcpy(more, doubts->items, count * sizeof *more);
    heap_free(doubts->items);
    doubts->items = more;
    doubts->count = room;
    return &more[count];
}

// The doubt about a load, a query, or about refused answers (NULL).
static Doubt *doubt_about(VmWarp *w, const VmInstr *load) {
    VmFrame *frame = w->frag->frame;
    Doubt *d = known_about(frame, load);
    if (d)
        return d;
    if (!frame->doubts)
        frame->doubts = heap_alloc(sizeof *frame->doubts, 1);
    d = take_place(frame->doubts);
    *d = (Doubt){.load = load,
                 .request = VM_NONE,
                 .marks.lanes =
                     heap_alloc(sizeof(uint32_t), frame->func->reg_count + 1u)};
    return d;
}

// ---- loads ---------------------------------------------------------------

static VmInstr *load_itself(const VmWarp *w, const VmInstr *in) {
    return vm_instr_itself(w->frag->frame->func, w->frag, in);
}

static bool is_shuffle(const VmInstr *in) {
    return PTX_TRAITS[in->op].data == PTX_DATA_SHUFFLED;
}

bool vm_doubt_begin(VmWarp *w, const VmInstr *in) {
    VmFrame *frame = w->frag->frame;
    bool is_load = ptx_is_load(in->op) && in->dst_count == in->elements;
    if ((!is_load && !is_shuffle(in)) || frame->func->reg_count >= VM_NO_REG)
        return false;
    doubt_about(w, load_itself(w, in));
    w->vm->findings.kept = heap_alloc(sizeof(VmKept), 1);
    return true;
}

static bool is_same(const Finding *a, const Finding *b) {
    return a->rule == b->rule && a->level == b->level;
}

// False: the lane's access was found to break this rule before.
static bool keep(Doubt *d, uint32_t lane, VmKept *kept) {
    VmKept **link = &d->kept[lane];
    for (; *link; link = &(*link)->next)
        if (is_same(&(*link)->finding, &kept->finding)) {
            (*link)->finding.occurrences += !(*link)->ends_run;
            return false;
        }
    *link = kept;
    return true;
}

static void mark_results(Doubt *d, const VmInstr *in, uint32_t lane,
                         uint32_t elements) {
    for (uint32_t e = 0; e < in->dst_count; e++)
        if (elements >> e & 1)
            vm_marks_set(&d->marks, vm_dsts(in)[e], 1u << lane, VM_FULL);
}

void vm_doubt_is_mild(VmWarp *w) {
    w->vm->findings.kept->is_mild = true;
}

void vm_doubt_end(VmWarp *w, const VmInstr *in, uint32_t lane,
                  uint32_t elements) {
    VmFrame *frame = w->frag->frame;
    VmFindings *findings = &w->vm->findings;
    VmKept *kept = findings->kept;
    VmInstr *load = load_itself(w, in);
    Doubt *d = known_about(frame, load);
    findings->kept = NULL;
    findings->fault = NULL;
    bool is_new = kept->finding.rule != DEVICE_RULE_NONE;
    if (is_new)
        mark_results(d, in, lane, elements);
    if (!is_new || !keep(d, lane, kept))
        heap_free(kept);
    drop_unheld(frame);
    if (load->run > 1)
        load->next = vm_op_doubtful_rest;
}

void vm_doubt_also(const VmWarp *w, const VmInstr *in, uint32_t lane,
                   uint32_t elements) {
    Doubt *d = known_about(w->frag->frame, load_itself(w, in));
    if (d && d->kept[lane])
        mark_results(d, in, lane, elements);
}

void vm_doubt_refused(VmWarp *w, const VmInstr *in, uint32_t refused) {
    Doubt *d = doubt_about(w, NULL);
    for (uint32_t i = 0; i < in->dst_count; i++)
        vm_marks_set(&d->marks, vm_dsts(in)[i], refused, VM_FULL);
}

// ---- grants --------------------------------------------------------------

// Whether the index that a query decodes is read (VmInstr.query.fate).
typedef enum Fate {
    FATE_UNKNOWN,
    FATE_READ,    // on every way
    FATE_DROPPED, // not on some way
} Fate;

// Marks the results of a query, for the lanes that have just executed it. Other
// lanes may still hold the index of an earlier grant, which then counts as
// used.
static void mark_grant(VmWarp *w, Doubt *d, const VmInstr *in, uint32_t granted,
                       uint32_t request) {
    for (uint32_t i = 0; i < in->dst_count; i++)
        vm_marks_set(&d->marks, vm_dsts(in)[i], granted, 0);
    if (d->request != VM_NONE && d->request != request && d->marks.held)
        use_grant(w, d);
    d->request = request;
    for (uint32_t i = 0; i < in->dst_count; i++)
        vm_marks_set(&d->marks, vm_dsts(in)[i], granted, VM_FULL);
}

void vm_doubt_granted(VmWarp *w, const VmInstr *in, uint32_t granted,
                      uint32_t request) {
    VmFrame *frame = w->frag->frame;
    VmRequest *taken = &w->vm->clc.requests[request];
    const VmFunc *func = frame->func;
    VmInstr *query = vm_instr_itself(func, w->frag, in);
    if (taken->used)
        return;
    if (query->query.fate == FATE_UNKNOWN)
        query->query.fate =
            vm_flow_may_drop(w->vm, func, query) ? FATE_DROPPED : FATE_READ;
    taken->used = query->query.fate == FATE_READ;
    if (!taken->used)
        mark_grant(w, doubt_about(w, query), in, granted, request);
}

// ---- uses ----------------------------------------------------------------

static void report_refused(VmWarp *w, const VmInstr *in, uint32_t lanes,
                           FactWord use) {
    vm_faulted(w, in, CASE_CLC002_USED,
               FACTS(FACT_LANE(w, vm_first(lanes)), FACT(USE, use)));
    Vm *vm = w->vm;
    vm_fault_at(vm, PLACE_REFUSAL_DECODED, w->cta->clc.refusal_loc);
    if (w->clc.was_told & lanes)
        vm_fault_reason(vm, REASON_ASKED_ALREADY);
    vm_fault_cure(vm, PART_DECODE, w->cta->clc.refusal_loc);
}

static void report(VmWarp *w, const VmInstr *in, Doubt *d, uint32_t lanes,
                   FactWord use) {
    if (d->load)
        report_value(w, d, lanes, use != WORD_USE_AS_A_VALUE);
    else
        report_refused(w, in, lanes, use);
}

// True for a memory access or an indexed branch: the effect of a wrong value is
// visible. (A value that only takes part in a computation is not used yet.) For
// loads also where the value goes out of sight: into a call, a query, or an
// instruction without a result.
static bool uses_values(const VmInstr *in, const Doubt *d) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    return traits->access != PTX_ACCESS_NONE ||
           traits->next == PTX_NEXT_TABLE ||
           (d->load && (traits->data == PTX_DATA_PASSED || in->dst_count == 0));
}

// Registers that are arguments or results of a call are not among the sources
// of the call or of the return. The lanes that hold a doubtful value in one:
static uint32_t lanes_of_results(const Doubt *d, const VmFunc *func) {
    uint32_t lanes = 0;
    for (size_t i = 0; i < func->ptx->result_count; i++)
        if (func->ptx->results[i]->space == PTX_SPACE_REG)
            lanes |= d->marks.lanes[func->ptx->results[i]->reg];
    return lanes;
}

static uint32_t lanes_of_arguments(const Doubt *d, const VmInstr *in) {
    uint32_t lanes = 0;
    const PtxOperand *args = &in->ptx->operands[2];
    for (uint32_t i = 0; i < args->elem_count; i++)
        if (args->elems[i].kind == PTX_OPND_REG)
            lanes |= d->marks.lanes[args->elems[i].reg];
    return lanes;
}

static uint32_t lanes_passed(const Doubt *d, const VmFunc *func,
                             const VmInstr *in) {
    PtxNext next = (PtxNext)PTX_TRAITS[in->op].next;
    if (next == PTX_NEXT_RETURN)
        return lanes_of_results(d, func);
    return next == PTX_NEXT_CALL ? lanes_of_arguments(d, in) : 0;
}

static void forget_results_of_call(Doubt *d, const VmInstr *in, uint32_t mask) {
    const PtxOperand *results = &in->ptx->operands[0];
    for (uint32_t i = 0; i < results->elem_count; i++)
        if (results->elems[i].kind == PTX_OPND_REG)
            vm_marks_set_reg(&d->marks, results->elems[i].reg, mask, 0);
}

// ---- where values go -----------------------------------------------------

static uint32_t passed_on(const VmWarp *w, const Doubt *d, const VmInstr *in,
                          uint32_t mask, uint32_t from) {
    PtxData data = (PtxData)PTX_TRAITS[in->op].data;
    if (data == PTX_DATA_SELECTED)
        return vm_marks_selected(w, &d->marks, in);
    if (data == PTX_DATA_ANDED || data == PTX_DATA_ORED)
        return from ? vm_marks_undecided(w, &d->marks, in) : 0;
    // A vote, for one: all lanes get a result that depends on each of them.
    if (d->load && PTX_TRAITS[in->op].object == PTX_OBJECT_LANES)
        return from ? mask : 0;
    return from;
}

// Without optimisation, all values go through local memory and through calls:
// there the trace of what a shuffle has brought is lost.
static bool goes_out_of_sight(const VmWarp *w, const VmInstr *in,
                              const Doubt *d, uint32_t lanes) {
    if (!d->load || !is_shuffle(d->load))
        return false;
    if (PTX_TRAITS[in->op].access == PTX_ACCESS_NONE)
        return PTX_TRAITS[in->op].next != PTX_NEXT_TABLE;
    if (in->is_frame || in->space == PTX_SPACE_LOCAL)
        return true;
    if (in->space != PTX_SPACE_GENERIC || !lanes)
        return false;
    uint64_t address =
        vm_lane_u64(w, in->src[0], vm_first(lanes)) + (uint64_t)in->offset;
    return vm_space_at(PTX_SPACE_GENERIC, address) == PTX_SPACE_LOCAL;
}

// Without optimisation, __shfl_sync is a function. Its lanes that nobody reads
// may have anything.
static bool goes_to_shuffle(VmWarp *w, const VmInstr *in, const Doubt *d) {
    const VmFunc *func = w->frag->frame->func;
    return d->load && in->is_frame && ptx_is_store(in->op) &&
           vm_flow_is_shuffled(w->vm, func, vm_instr_itself(func, w->frag, in));
}

static bool is_of_local(const Doubt *d, uint32_t lane) {
    const VmKept *kept = d->kept[lane];
    return kept && kept->finding.which == CASE_MEM003_LOCAL;
}

static bool goes_to_shared(const VmWarp *w, const VmInstr *in, uint32_t lane) {
    uint64_t address = vm_lane_address(w, in, lane);
    return vm_space_at((PtxSpace)in->space, address) == PTX_SPACE_SHARED;
}

// Libraries copy whole arrays of a thread to shared memory, also what the
// thread has not set: the select in CUB does with items behind the last one,
// and nobody looks at them. With optimisation they are in registers.
static uint32_t copied_by_library(const VmWarp *w, const VmInstr *in,
                                  const Doubt *d, uint32_t lanes) {
    uint32_t copied = 0;
    if (d->request != VM_NONE || !ptx_is_store(in->op) || in->is_frame ||
        !vm_is_of_header(w->vm, in->loc))
        return 0;
    EACH_LANE(l, lanes & ~vm_marks_of(&d->marks, in->src[0])) {
        copied |= (uint32_t)(is_of_local(d, l) && goes_to_shared(w, in, l))
                  << l;
    }
    return copied;
}

static void step(VmWarp *w, const VmInstr *in, Doubt *d, uint32_t mask,
                 uint32_t active) {
    bool uses = uses_values(in, d);
    bool shuffles = is_shuffle(in);
    uint32_t guard =
        in->guard == VM_NONE ? 0 : d->marks.lanes[in->guard_reg] & active;
    uint32_t from = d->load ? lanes_passed(d, w->frag->frame->func, in) : 0;
    for (uint32_t i = shuffles; i < in->src_count; i++)
        from |= vm_marks_of(&d->marks, vm_srcs(in)[i]);
    from &= mask;
    from &= ~copied_by_library(w, in, d, from);
    if (guard && (in->splits || uses)) {
        report(w, in, d, guard, WORD_USE_IN_A_CONDITION);
        guard = 0;
    }
    if (from && uses && !goes_to_shuffle(w, in, d) &&
        !goes_out_of_sight(w, in, d, from))
        report(w, in, d, from,
               vm_marks_of(&d->marks, in->src[0]) & mask
                   ? WORD_USE_IN_AN_ADDRESS
                   : WORD_USE_AS_A_VALUE);
    if (PTX_TRAITS[in->op].next == PTX_NEXT_CALL)
        forget_results_of_call(d, in, mask);
    from = uses ? 0 : passed_on(w, d, in, mask, from);
    for (uint32_t i = shuffles; i < in->dst_count; i++) {
        vm_marks_set(&d->marks, vm_dsts(in)[i], mask, from);
        vm_marks_set(&d->marks, vm_dsts(in)[i], guard, guard);
    }
}

bool vm_doubt_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                   uint32_t active) {
    VmFrame *frame = w->frag->frame;
    bool goes_on = true;
    if (frame->unset && in->unset)
        goes_on = vm_unset_step(w, in, mask, active);
    if (!frame->doubts)
        return goes_on;
    for (uint32_t i = 0; i < doubt_count(frame); i++) {
        Doubt *d = &frame->doubts->items[i];
        if (d->marks.lanes)
            step(w, in, d, mask, active);
        goes_on &= !d->marks.lanes || !d->load || !w->vm->turns.stopped;
    }
    drop_unheld(frame);
    return goes_on;
}

void vm_doubt_shuffled(const VmWarp *w, const VmInstr *in,
                       const uint8_t *sources, uint32_t mask) {
    VmFrame *frame = w->frag->frame;
    vm_unset_shuffled(w, in, sources, mask);
    for (uint32_t i = 0; i < doubt_count(frame); i++) {
        Doubt *d = &frame->doubts->items[i];
        uint32_t from = d->marks.lanes ? vm_marks_of(&d->marks, in->src[0]) : 0,
                 to = 0;
        EACH_LANE(l, mask) {
            to |= (from >> sources[l] & 1) << l;
        }
        if (d->marks.lanes)
            vm_marks_set(&d->marks, in->dst[0], mask, to);
    }
}

// ---- the rest of a run ---------------------------------------------------

// Executes what follows a load that was once found to break a rule, one
// instruction at a time as long as a value is doubtful. The fragment's pc,
// which is already that of the end of the run, says meanwhile where it is.
VmNext vm_op_doubtful_rest(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmFragment *f = w->frag;
    const VmFunc *func = f->frame->func;
    VmNext next = VM_GO;
    for (uint32_t left = in->run; left && next == VM_GO; left--, in++) {
        if (!f->frame->doubts && !(f->frame->unset && in->unset))
            return in->handler(w, in, mask);
        uint32_t end = f->pc;
        f->pc = (uint32_t)(in - func->code) + 1;
        VmInstr alone = *in;
        alone.next = vm_op_run_ends;
        next = vm_doubt_step(w, in, vm_guarded(w, in, mask), mask)
                   ? alone.handler(w, &alone, mask)
                   : VM_STOP;
        if (left > 1)
            f->pc = end;
    }
    return next;
}
