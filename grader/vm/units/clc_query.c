// SPDX-License-Identifier: Apache-2.0
// Answers: query_cancel and its consequences: work is taken, or a refusal is
// observed.
#include "vm/decode/doubt.h"
#include "vm/decode/follow.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/order/order.h"
#include "vm/order/stale.h"
#include "vm/trace/trace.h"
#include "vm/units/clc.h"
#include "vm/units/families.h"

typedef enum Query {
    QUERY_IS_CANCELED,
    QUERY_X,
    QUERY_Y,
    QUERY_Z,
    QUERY_VECTOR, // .v4: {x, y, z, unused}
} Query;

// ---- query_cancel --------------------------------------------------------

// All threads of a CTA may decode an answer, but not once the CTA has received
// the next one.
static void note_again(VmWarp *w, const VmInstr *in, VmRequest *request) {
    if (request->taker == w->cta->rank && !request->again_loc &&
        request->answers_then != w->cta->clc.answers)
        request->again_loc = vm_learner_loc(w->vm, w, in->loc);
}

static void take_grant(VmWarp *w, const VmInstr *in, VmRequest *request) {
    Vm *vm = w->vm;
    VmCta *cta = w->cta;
    uint32_t bit = 1u << cta->rank;
    if (request->taken & bit) {
        note_again(w, in, request);
        return;
    }
    if (!request->taken) {
        request->decoded_loc = vm_learner_loc(vm, w, in->loc);
        request->taker = cta->rank;
        request->answers_then = cta->clc.answers;
    }
    request->taken |= bit;
    uint32_t id[3];
    vm_unlinear(request->granted, vm->shape.cluster_grid, id);
    for (int axis = 0; axis < 3; axis++)
        id[axis] = id[axis] * vm->shape.cluster_dim[axis] +
                   cta->id[axis] % vm->shape.cluster_dim[axis];
    uint32_t block = vm_linear(id, vm->shape.grid);
    vm_time_block(w, block);
    vm_trace_block(w, block);
    vm_ledger_take(w, block);
}

static void observe_refusal(VmWarp *w, const VmInstr *in, uint32_t lane) {
    VmCta *cta = w->cta;
    w->clc.saw_refusal |= 1u << lane;
    if (cta->clc.observed_refusal)
        return;
    cta->clc.refusal_loc = vm_learner_loc(w->vm, w, in->loc);
    cta->clc.observed_refusal = true;
    if (w->vm->order)
        cta->clc.refusal = vm_order_now(w, lane);
}

static void see_grant(const VmWarp *w, const VmInstr *in, VmRequest *request) {
    request->seen = in->ptx;
    request->seen_func = w->frag->frame->func;
    request->seen_loc = vm_learner_loc(w->vm, w, in->loc);
}

static void advise_refused_index(VmWarp *w, const VmInstr *in, uint32_t lane) {
    vm_found(w->vm, w, in->loc, CASE_CLC002_DECODED, FINDING_ADVISORY,
             FACTS(FACT_LANE(w, lane)));
}

// If the block has not received any answer yet, the slot was read too early.
// Later, the bytes may come from anywhere.
static VmNext no_answer(VmWarp *w, const VmInstr *in, uint32_t lane) {
    Vm *vm = w->vm;
    bool early = w->cta->clc.answers == 0;
    VmNext next = vm_faulted(
        w, in, early ? CASE_CLC007_NO_ANSWER_YET : CASE_CLC007_NO_ANSWER,
        FACTS(FACT_LANE(w, lane)));
    if (early)
        vm_stale_explain(vm, vm->findings.fault, w->serial << 5 | lane,
                         VM_NONE);
    else
        vm_fault_cure(vm, PART_HERE, 0);
    return next;
}

static void write_index(VmWarp *w, const VmInstr *in, uint32_t lane,
                        const uint32_t words[4], bool granted) {
    uint32_t index[4] = {words[0], words[1] & 0xFFFF, words[1] >> 16, 0};
    if (!granted)
        memset(index, 0xFF, sizeof index);
    if (in->query.what != QUERY_VECTOR) {
        vm_set_lane_u64(w, in->dst[0], lane, index[in->query.what - QUERY_X]);
        return;
    }
    for (uint32_t i = 0; i < in->dst_count; i++)
        vm_set_lane_u64(w, vm_dsts(in)[i], lane, index[i]);
}

// An answer as a lane has it. All lanes have the same one, as a rule, so that
// of the lane before is kept.
typedef struct Answer {
    uint32_t words[4];
    VmRequest *request; // NULL: not read, or no answer
} Answer;

static bool read_answer(const VmWarp *w, const VmInstr *in, uint32_t lane,
                        Answer *answer) {
    const uint8_t *at = vm_at(w, in->src[0]) + (size_t)lane * 16;
    if (answer->request && memcmp(answer->words, at, 16) == 0)
        return true;
    memcpy(answer->words, at, 16);
    answer->request = vm_clc_decode(w->vm, answer->words);
    return answer->request != NULL;
}

// The lanes have decoded the index of `request`; NULL: of several, which then
// all count as used.
static void note_indices(VmWarp *w, const VmInstr *in, uint32_t granted,
                         const VmRequest *request) {
    Answer answer = {.request = NULL};
    if (request) {
        vm_doubt_granted(w, in, granted,
                         (uint32_t)(request - w->vm->clc.requests));
        return;
    }
    EACH_LANE(l, granted) {
        read_answer(w, in, l, &answer);
        answer.request->used = true;
    }
}

static void follow_index(VmWarp *w, const VmInstr *in, uint32_t lane,
                         const VmRequest *request) {
    uint32_t axis = in->query.what == QUERY_VECTOR
                        ? 0u
                        : in->query.what - (uint32_t)QUERY_X;
    if (vm_follows(w->frag->frame))
        vm_follow_granted(w, in, lane,
                          (uint32_t)(request - w->vm->clc.requests), axis);
}

static VmNext op_query(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t granted = 0;
    const VmRequest *only = NULL; // the request that all of these have
    bool several = false;
    Answer answer = {.request = NULL};
    EACH_LANE(l, mask) {
        if (!read_answer(w, in, l, &answer))
            return no_answer(w, in, l);
        VmRequest *request = answer.request;
        bool yes = request->granted != VM_NONE;
        request->asked = true;
        granted |= (uint32_t)yes << l;
        if (!yes)
            observe_refusal(w, in, l);
        if (yes && !request->seen)
            see_grant(w, in, request);
        if (in->query.what == QUERY_IS_CANCELED)
            continue;
        write_index(w, in, l, answer.words, yes);
        if (!yes) {
            advise_refused_index(w, in, l);
            continue;
        }
        vm_ledger_go_on(w, l);
        take_grant(w, in, request);
        follow_index(w, in, l, request);
        several |= only && only != request;
        only = request;
    }
    uint32_t refused = mask & ~granted;
    if (w->clc.saw_refusal & mask)
        w->clc.last_look = vm_learner_loc(w->vm, w, in->loc);
    if (in->query.what == QUERY_IS_CANCELED) {
        w->clc.was_told |= refused;
        vm_set_pred(w, in->dst[0], mask, granted);
        return VM_GO;
    }
    if (refused)
        vm_doubt_refused(w, in, refused);
    if (only)
        note_indices(w, in, granted, several ? NULL : only);
    return VM_GO;
}

static void decode_vector_index(VmDecoder *d, VmRef handle) {
    const PtxOperand *vector = &d->in->operands[0];
    vm_take(d, PTX_MOD_V4);
    if (vector->kind != PTX_OPND_VECTOR || vector->elem_count != 4) {
        vm_unsupported(d, "a result of this form");
        return;
    }
    VmRef refs[4];
    for (uint32_t i = 0; i < 4; i++)
        refs[i] = vm_operand_dst(d, &vector->elems[i], 4, false);
    VmInstr *in = vm_emit(d, op_query);
    in->query.what = QUERY_VECTOR;
    for (uint32_t i = 0; i < 4; i++)
        vm_emit_dst(d, in, refs[i]);
    vm_emit_src(d, in, handle);
}

static void decode_query(VmDecoder *d) {
    VmRef handle = vm_src(d, 1, 16);
    if (vm_take(d, PTX_MOD_GET_FIRST_CTAID)) {
        decode_vector_index(d, handle);
        return;
    }
    Query query = vm_take(d, PTX_MOD_IS_CANCELED)         ? QUERY_IS_CANCELED
                  : vm_take(d, PTX_MOD_GET_FIRST_CTAID_Y) ? QUERY_Y
                  : vm_take(d, PTX_MOD_GET_FIRST_CTAID_Z) ? QUERY_Z
                                                          : QUERY_X;
    vm_take(d, PTX_MOD_GET_FIRST_CTAID_X);
    VmRef dst = vm_dst(d, 0, query == QUERY_IS_CANCELED ? 0 : 4);
    VmInstr *in = vm_emit(d, op_query);
    in->query.what = (uint8_t)query;
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, handle);
}

void vm_decode_clc(VmDecoder *d) {
    vm_take_types(d);
    if (d->in->op != PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL) {
        decode_query(d);
        return;
    }
    d->program->asks = true;
    vm_decode_try_cancel(d);
}
