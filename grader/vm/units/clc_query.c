// SPDX-License-Identifier: Apache-2.0
// Answers: query_cancel, what follows from it (the ledger of taken work), and
// the indices of refused answers, which are poison until they are thrown away.
#include "vm/machine/lanes.h"
#include "vm/order/order.h"
#include "vm/time/time.h"
#include "vm/units/clc.h"

// flags of a query
typedef enum Query {
    QUERY_IS_CANCELED,
    QUERY_X,
    QUERY_Y,
    QUERY_Z,
    QUERY_VECTOR, // .v4: {x, y, z, unused}
} Query;

uint32_t vm_linear(const uint32_t id[3], const uint32_t dims[3]) {
    return id[0] + dims[0] * (id[1] + dims[1] * id[2]);
}

void vm_unlinear(uint32_t index, const uint32_t dims[3], uint32_t id[3]) {
    id[0] = index % dims[0];
    id[1] = index / dims[0] % dims[1];
    id[2] = index / dims[0] / dims[1];
}

// ---- poison --------------------------------------------------------------

static uint32_t *poison_table(VmFrame *frame) {
    if (!frame->poison)
        frame->poison =
            heap_alloc(sizeof *frame->poison, frame->func->reg_count + 1u);
    return frame->poison;
}

static uint32_t poison_of(const VmFrame *frame, VmRef ref) {
    return ref.reg == VM_NONE ? 0 : frame->poison[ref.reg];
}

static void poison_set(VmFrame *frame, VmRef ref, uint32_t mask,
                       uint32_t lanes) {
    if (ref.reg == VM_NONE)
        return;
    uint32_t *at = &frame->poison[ref.reg];
    *at = (*at & ~mask) | (lanes & mask);
}

static bool uses_values(const VmInstr *in) {
    switch ((int)in->op) {
    case PTX_OP_LD:
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED:
    case PTX_OP_ST_ASYNC:
    case PTX_OP_RED_ASYNC:
    case PTX_OP_ST_BULK:
    case PTX_OP_CP_ASYNC:
    case PTX_OP_CP_ASYNC_BULK:
    case PTX_OP_CP_ASYNC_BULK_PREFETCH:
    case PTX_OP_CP_REDUCE_ASYNC_BULK:
    case PTX_OP_BRX_IDX:
    case PTX_OP_MBARRIER_ARRIVE:
    case PTX_OP_MBARRIER_TRY_WAIT:
    case PTX_OP_MBARRIER_TEST_WAIT:
    case PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
        return true;
    default:
        return false;
    }
}

static void report_use(VmWarp *w, const VmInstr *in, uint32_t lanes,
                       const char *how) {
    Str who = vm_who_lane(w, vm_first(lanes));
    vm_fault(w, in, RULE_CLC002,
             "ask is_canceled first, and leave the loop on a refusal before "
             "the index is used",
             "%.*s uses the index of a refused answer %s", STR_ARG(who), how);
    Vm *vm = w->vm;
    vm_fault_related(vm, w->cta->refusal_loc,
                     "the refused answer was decoded here");
    vm_fault_cure(vm, PART_DECODE, w->cta->refusal_loc);
}

// A select throws poison away with the operand that it does not take.
static uint32_t selected(const VmWarp *w, const VmFrame *frame,
                         const VmInstr *in) {
    uint32_t p = vm_pred(w, in->src[2]);
    return (p & poison_of(frame, in->src[0])) |
           (~p & poison_of(frame, in->src[1])) | poison_of(frame, in->src[2]);
}

// So does an `and` with a false that is known, and an `or` with a true: what
// becomes of `granted && index < n` without a branch. Lanes that keep it.
static uint32_t undecided(const VmWarp *w, const VmFrame *frame,
                          const VmInstr *in) {
    uint32_t poisoned[2], decides[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = vm_pred(w, in->src[i]);
        poisoned[i] = poison_of(frame, in->src[i]);
        decides[i] = (in->op == PTX_OP_AND ? ~p : p) & ~poisoned[i];
    }
    return (poisoned[0] & ~decides[1]) | (poisoned[1] & ~decides[0]);
}

static uint32_t passed_on(const VmWarp *w, const VmFrame *frame,
                          const VmInstr *in, uint32_t from) {
    if (in->op == PTX_OP_SELP)
        return selected(w, frame, in);
    if ((in->op == PTX_OP_AND || in->op == PTX_OP_OR) && in->dst[0].size == 0)
        return undecided(w, frame, in);
    return from;
}

void vm_poison_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                    uint32_t active) {
    VmFrame *frame = w->frag->frame;
    uint32_t guard =
        in->guard == VM_NONE ? 0 : frame->poison[in->guard_reg] & active;
    uint32_t from = 0;
    for (uint32_t i = 0; i < in->src_count; i++)
        from |= poison_of(frame, in->src[i]);
    from &= mask;
    if (guard && (in->splits || uses_values(in))) {
        report_use(w, in, guard, "in a condition");
        return;
    }
    if (from && uses_values(in)) {
        report_use(w, in, from,
                   poison_of(frame, in->src[0]) & mask ? "in an address"
                                                       : "as a value");
        return;
    }
    from = passed_on(w, frame, in, from);
    for (uint32_t i = 0; i < in->dst_count; i++) {
        poison_set(frame, in->dst[i], mask, from);
        poison_set(frame, in->dst[i], guard, guard);
    }
}

// ---- query_cancel --------------------------------------------------------

// Threads of a CTA may all decode an answer; but not once it has the next one.
static void note_again(VmWarp *w, const VmInstr *in, VmRequest *request) {
    if (request->taker == w->cta->rank && !request->again_loc &&
        request->answers_then != w->cta->answers)
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
        request->answers_then = cta->answers;
    }
    request->taken |= bit;
    uint32_t id[3];
    vm_unlinear(request->granted, vm->cluster_grid, id);
    for (int axis = 0; axis < 3; axis++)
        id[axis] = id[axis] * vm->cluster_dim[axis] +
                   cta->id[axis] % vm->cluster_dim[axis];
    vm_time_block(w, vm_linear(id, vm->grid));
    cta->owned++;
    if (cta->chain == VM_NONE)
        return;
    LedgerChain *chain = &vm->run->ledger.chains[cta->chain];
    arena_grow(vm->out, chain->blocks, chain->count, chain->capacity);
    chain->blocks[chain->count++] = vm_linear(id, vm->grid);
}

static void observe_refusal(VmWarp *w, const VmInstr *in, uint32_t lane) {
    VmCta *cta = w->cta;
    w->saw_refusal |= 1u << lane;
    if (cta->observed_refusal)
        return;
    cta->refusal_loc = vm_learner_loc(w->vm, w, in->loc);
    cta->observed_refusal = true;
    if (w->vm->order)
        vm_order_refusal(w, lane);
}

static void advise_refused_index(VmWarp *w, const VmInstr *in, uint32_t lane) {
    bool fresh;
    Str who = vm_who_lane(w, lane);
    Finding *finding = vm_finding(
        w->vm, w, in->loc, RULE_CLC002, FINDING_ADVISORY, &fresh,
        "%.*s decodes the index of a refused answer, and does not use it",
        STR_ARG(who));
    if (fresh)
        finding->help = STR("decode the index only after is_canceled said yes: "
                            "for a refusal it is undefined");
}

// Before the block has got any answer, the slot was read too early. Later, the
// bytes may have been taken from anywhere.
static void explain_no_answer(const VmWarp *w, uint32_t lane) {
    Finding *finding = w->vm->fault;
    if (!finding)
        return;
    if (w->cta->answers > 0) {
        vm_cure(w->vm, finding, PART_HERE, 0);
        return;
    }
    finding->help = STR(VM_HELP_WAIT);
    vm_stale_explain(w->vm, finding, w->serial << 5 | lane, VM_NONE);
}

static VmNext no_answer(VmWarp *w, const VmInstr *in, uint32_t lane) {
    VmNext next =
        vm_fault(w, in, RULE_CLC007,
                 "load the 16 bytes from the slot of a request whose "
                 "mbarrier phase is complete, and leave them as they are",
                 "%.*s queries 16 bytes that are no answer of a request",
                 STR_ARG(vm_who_lane(w, lane)));
    explain_no_answer(w, lane);
    return next;
}

static void write_index(VmWarp *w, const VmInstr *in, uint32_t lane,
                        const uint32_t words[4], bool granted) {
    uint32_t index[4] = {words[0], words[1] & 0xFFFF, words[1] >> 16, 0};
    if (!granted)
        memset(index, 0xFF, sizeof index);
    if (in->flags != QUERY_VECTOR) {
        vm_set_lane_u64(w, in->dst[0], lane, index[in->flags - QUERY_X]);
        return;
    }
    for (uint32_t i = 0; i < in->dst_count; i++)
        vm_set_lane_u64(w, in->dst[i], lane, index[i]);
}

static VmNext op_query(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t granted = 0;
    EACH_LANE(l, mask) {
        uint32_t words[4];
        memcpy(words, vm_at(w, in->src[0]) + (size_t)l * 16, 16);
        VmRequest *request = vm_clc_decode(w->vm, words);
        if (!request)
            return no_answer(w, in, l);
        bool yes = request->granted != VM_NONE;
        request->asked = true;
        granted |= (uint32_t)yes << l;
        if (!yes)
            observe_refusal(w, in, l);
        if (yes && !request->seen_loc)
            request->seen_loc = vm_learner_loc(w->vm, w, in->loc);
        if (in->flags == QUERY_IS_CANCELED)
            continue;
        write_index(w, in, l, words, yes);
        if (yes)
            take_grant(w, in, request);
        else
            advise_refused_index(w, in, l);
    }
    uint32_t refused = mask & ~granted;
    if (w->saw_refusal & mask)
        w->last_look = vm_learner_loc(w->vm, w, in->loc);
    if (in->flags == QUERY_IS_CANCELED) {
        vm_set_pred(w, in->dst[0], mask, granted);
    } else if (refused || w->frag->frame->poison) {
        poison_table(w->frag->frame);
        for (uint32_t i = 0; i < in->dst_count; i++)
            poison_set(w->frag->frame, in->dst[i], mask, refused);
    }
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
    in->flags = QUERY_VECTOR;
    for (uint32_t i = 0; i < 4; i++)
        vm_emit_dst(in, refs[i]);
    vm_emit_src(in, handle);
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
    in->flags = query;
    vm_emit_dst(in, dst);
    vm_emit_src(in, handle);
}

void vm_decode_clc(VmDecoder *d) {
    vm_take_types(d);
    if (d->in->op == PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL)
        vm_decode_try_cancel(d);
    else
        decode_query(d);
}

// ---- the ledger ----------------------------------------------------------

void vm_ledger_end_chain(const VmCta *cta) {
    Ledger *ledger = &cta->cluster->vm->run->ledger;
    if (ledger->shortest == 0 || cta->owned < ledger->shortest)
        ledger->shortest = cta->owned;
    if (cta->owned > ledger->longest)
        ledger->longest = cta->owned;
}

static bool is_listed(const Vm *vm, size_t count) {
    return vm->launch->ledger_most == 0 || count < vm->launch->ledger_most;
}

void vm_clc_cta_started(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    Ledger *ledger = &vm->run->ledger;
    ledger->started++;
    cta->owned = 1;
    cta->chain = VM_NONE;
    if (!is_listed(vm, ledger->chain_count))
        return;
    arena_grow(vm->out, ledger->chains, ledger->chain_count,
               ledger->chain_capacity);
    cta->chain = (uint32_t)ledger->chain_count++;
    LedgerChain *chain = &ledger->chains[cta->chain];
    *chain = (LedgerChain){.cta = cta->linear, .sm = cta->sm};
    chain->blocks = arena_new(vm->out, uint32_t, 1);
    chain->blocks[0] = cta->linear;
    chain->count = chain->capacity = 1;
}

// The next request of the same CTA into the same slot; NULL: there is none.
static const VmRequest *next_in_slot(const Vm *vm, const VmRequest *request) {
    for (const VmRequest *next = request + 1;
         next < vm->requests + vm->request_count; next++)
        if (next->cta == request->cta && next->slot == request->slot)
            return next;
    return NULL;
}

// How far the answer of a lost block came.
static void explain_lost(Vm *vm, const VmRequest *request, Finding *finding) {
    finding->expected = STR("is_canceled, then get_first_ctaid, of every "
                            "answer");
    if (request->seen_loc) {
        finding->actual = STR("is_canceled said yes, and get_first_ctaid was "
                              "not asked (or nobody uses its result, and the "
                              "compiler left it out)");
        vm_related(vm, finding, request->seen_loc, "the grant was seen here");
        return;
    }
    const VmRequest *next = next_in_slot(vm, request);
    finding->actual = STR("nobody asked is_canceled: the answer was not "
                          "looked at");
    if (next)
        vm_related(vm, finding, next->loc,
                   "the next request into this slot was issued here");
}

static void report_lost(Vm *vm, const VmRequest *request) {
    uint32_t id[3], shown[3];
    vm_unlinear(request->granted, vm->cluster_grid, id);
    for (int axis = 0; axis < 3; axis++)
        shown[axis] = id[axis] * vm->cluster_dim[axis];
    bool fresh;
    Finding *finding = vm_finding(
        vm, NULL, request->loc, RULE_CLC009, FINDING_ERROR, &fresh,
        "block %.*s was granted to the request of thread %u of block %.*s, and "
        "nobody decoded its index: its work is lost",
        VM_BLOCK(vm, vm_linear(shown, vm->grid)), request->thread,
        VM_BLOCK(vm, request->cta));
    if (!fresh)
        return;
    finding->help =
        STR("look at every answer: when is_canceled is true, process "
            "get_first_ctaid before the block exits or asks again");
    explain_lost(vm, request, finding);
}

static void finish_granted(Vm *vm, uint32_t cluster, LedgerEntry *entry) {
    const VmRequest *request = &vm->requests[vm->cluster_requests[cluster]];
    if (entry) {
        entry->taken = request->taken != 0;
        entry->by_cta = request->cta;
        entry->at = vm_src_of(vm, request->loc);
        entry->asked = request->asked;
        entry->overwritten = request->overwritten_loc != 0;
        entry->again = request->again_loc != 0;
        entry->decoded_at = vm_src_of(vm, request->decoded_loc);
        entry->again_at = vm_src_of(vm, request->again_loc);
    }
    if (request->taken)
        return;
    vm->run->ledger.lost += vm->cluster_size;
    if (vm->run->status == RUN_DONE)
        report_lost(vm, request);
}

void vm_clc_finish(Vm *vm) {
    Ledger *ledger = &vm->run->ledger;
    size_t listed = vm->launch->ledger_most;
    if (listed == 0 || listed > vm->cluster_count)
        listed = vm->cluster_count;
    ledger->entry_count = listed;
    ledger->entries = arena_new(vm->out, LedgerEntry, listed);
    for (uint32_t i = 0; i < vm->cluster_count; i++) {
        LedgerState state = (LedgerState)vm->cluster_states[i];
        LedgerEntry *entry = i < listed ? &ledger->entries[i] : NULL;
        if (entry)
            entry->state = state;
        if (state == LEDGER_GRANTED)
            finish_granted(vm, i, entry);
    }
}
