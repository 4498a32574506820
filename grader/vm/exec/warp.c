// SPDX-License-Identifier: Apache-2.0
// Instructions of a whole warp: shfl, vote, match, redux, activemask, elect,
// bar.warp.sync (PTX ISA, 9.7.9 and 9.7.13). Those with a membermask wait until
// all of its lanes that have not exited have arrived: fragments that wait at
// the same instruction merge (run.c). From sm_70 on there are no forms without
// .sync.
#include "vm/decode/doubt.h"
#include "vm/decode/follow.h"
#include "vm/exec/families.h"
#include "vm/exec/gather.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/order/order.h"
#include "vm/turns/turns.h"
#include "vm/units/units.h"

// ---- shfl ----------------------------------------------------------------

typedef enum Shuffle {
    SHUFFLE_UP,
    SHUFFLE_DOWN,
    SHUFFLE_BFLY,
    SHUFFLE_IDX
} Shuffle;

// PTX ISA, "shfl": the lane that this lane reads from. False: it reads its own
// value, and its predicate is false.
static bool shuffle_source(Shuffle how, uint32_t lane, uint32_t b, uint32_t c,
                           uint32_t *source) {
    uint32_t clamp = c & 31, segment = (c >> 8) & 31;
    uint32_t max = (lane & segment) | (clamp & ~segment);
    uint32_t min = lane & segment;
    b &= 31;
    switch (how) {
    case SHUFFLE_UP:
        *source = lane - b;
        return (int32_t)(lane - b) >= (int32_t)max;
    case SHUFFLE_DOWN:
        *source = lane + b;
        return lane + b <= max;
    case SHUFFLE_BFLY:
        *source = lane ^ b;
        return (lane ^ b) <= max;
    case SHUFFLE_IDX:
        *source = min | (b & ~segment);
        return *source <= max;
    }
    return false;
}

// PTX ISA, "shfl.sync": what comes from a lane that does not execute it is
// unpredictable. Many a reduction takes it, in lanes whose sums nobody reads;
// and since an H100 brings 0 from lanes that have left, many a sum is right
// there.
static void doubt_strangers(VmWarp *w, const VmInstr *in,
                            const uint8_t *sources, uint32_t lanes) {
    EACH_LANE(l, lanes) {
        if (!vm_doubt_begin(w, in))
            return;
        vm_found(w->vm, w, in->loc, CASE_SYNC004_TAKES_NO_PART, FINDING_ERROR,
                 FACTS(FACT_LANE(w, l), FACT(LANE, sources[l])));
        vm_doubt_is_mild(w);
        vm_doubt_end(w, in, l, 1);
    }
}

// src: a, b, c, membermask; dst: d, and p if it is wanted.
static VmNext op_shfl(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!gathered(w, in, &mask, 3, &next))
        return next;
    uint32_t values[VM_LANES], inside = 0, strange = 0;
    uint8_t sources[VM_LANES];
    memcpy(values, vm_at(w, in->src[0]), sizeof values);
    EACH_LANE(l, mask) {
        uint32_t source = l;
        uint32_t b = (uint32_t)vm_lane_u64(w, in->src[1], l);
        uint32_t c = (uint32_t)vm_lane_u64(w, in->src[2], l);
        if (shuffle_source((Shuffle)in->shuffle.how, l, b, c, &source))
            inside |= 1u << l;
        else
            source = l;
        vm_set_lane_u64(w, in->dst[0], l, values[source & 31]);
        sources[l] = source & 31;
        strange |= (~mask >> (source & 31) & 1) << l;
    }
    vm_doubt_shuffled(w, in, sources, mask);
    if (vm_follows(w->frag->frame))
        vm_follow_shuffled(w, in, sources, mask);
    if (strange && vm_wants(w->vm, RULE_SYNC004))
        doubt_strangers(w, in, sources, strange);
    if (in->shuffle.has_predicate)
        vm_set_pred(w, in->dst[1], mask, inside);
    return VM_GO;
}

static void decode_shfl(VmDecoder *d) {
    Shuffle how = vm_take(d, PTX_MOD_UP)     ? SHUFFLE_UP
                  : vm_take(d, PTX_MOD_DOWN) ? SHUFFLE_DOWN
                  : vm_take(d, PTX_MOD_BFLY) ? SHUFFLE_BFLY
                                             : SHUFFLE_IDX;
    vm_take(d, PTX_MOD_IDX);
    VmRef a = vm_src(d, 1, 4), b = vm_src(d, 2, 4), c = vm_src(d, 3, 4),
          members = vm_src(d, 4, 4), to[2];
    uint32_t count = vm_results(d, 4, to);
    VmInstr *in = vm_emit(d, op_shfl);
    in->shuffle.how = (uint8_t)how;
    in->shuffle.has_predicate = count == 2;
    vm_emit_results(d, in, to, count);
    vm_emit_src(d, in, a);
    vm_emit_src(d, in, b);
    vm_emit_src(d, in, c);
    vm_emit_src(d, in, members);
}

// ---- vote, match, redux --------------------------------------------------

typedef enum Vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT } Vote;

static VmNext op_vote(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!gathered(w, in, &mask, 1, &next))
        return next;
    uint32_t yes = vm_pred(w, in->src[0]) & mask;
    if (in->vote.kind == VOTE_BALLOT) {
        EACH_LANE(l, mask) {
            vm_set_lane_u64(w, in->dst[0], l, yes);
        }
        return VM_GO;
    }
    bool result = in->vote.kind == VOTE_ALL   ? yes == mask
                  : in->vote.kind == VOTE_ANY ? yes != 0
                                              : yes == mask || yes == 0;
    vm_set_pred(w, in->dst[0], mask, result ? VM_FULL : 0);
    return VM_GO;
}

static VmNext op_match(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!gathered(w, in, &mask, 1, &next))
        return next;
    uint32_t agree = 0;
    EACH_LANE(l, mask) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < VM_LANES; k++)
            if ((mask >> k & 1) &&
                vm_lane_u64(w, in->src[0], k) == vm_lane_u64(w, in->src[0], l))
                same |= 1u << k;
        agree |= (uint32_t)(same == mask) << l;
        bool all = in->match.is_all;
        vm_set_lane_u64(w, in->dst[0], l, all && same != mask ? 0 : same);
    }
    if (in->dst_count > 1)
        vm_set_pred(w, in->dst[1], mask, agree);
    return VM_GO;
}

static uint32_t reduce(uint32_t op, bool is_signed, uint32_t a, uint32_t b) {
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (op) {
    case PTX_MOD_ADD:
        return a + b;
    case PTX_MOD_MIN:
        return less ? a : b;
    case PTX_MOD_MAX:
        return less ? b : a;
    case PTX_MOD_AND:
        return a & b;
    case PTX_MOD_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static VmNext op_redux(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!gathered(w, in, &mask, 1, &next))
        return next;
    const uint32_t *a = SRC(uint32_t, 0);
    uint32_t total = a[vm_first(mask)];
    EACH_LANE(l, mask & (mask - 1)) {
        total = reduce(in->redux.operation, in->type == PTX_S32, total, a[l]);
    }
    EACH_LANE(l, mask) {
        vm_set_lane_u64(w, in->dst[0], l, total);
    }
    return VM_GO;
}

enum { REDUX_ABS = 1, REDUX_NAN = 2 }; // VmInstr.redux.how

// PTX ISA, "redux": NaNs count only with .NaN or if there is nothing else; +0
// is greater than -0.
static uint32_t reduce_f32(const VmInstr *in, uint32_t a, uint32_t b) {
    bool a_nan = (a << 1) > 0xFF000000u, b_nan = (b << 1) > 0xFF000000u;
    if (a_nan || b_nan)
        return (in->redux.how & REDUX_NAN) || (a_nan && b_nan) ? 0x7FFFFFFFu
               : a_nan                                         ? b
                                                               : a;
    // Taken as sign-and-magnitude integers, numbers have the order of floats.
    int32_t x = (int32_t)(a >> 31 ? a ^ 0x7FFFFFFFu : a);
    int32_t y = (int32_t)(b >> 31 ? b ^ 0x7FFFFFFFu : b);
    return (x < y) == (in->redux.operation == PTX_MOD_MIN) ? a : b;
}

static VmNext op_redux_f32(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!gathered(w, in, &mask, 1, &next))
        return next;
    const uint32_t *a = SRC(uint32_t, 0);
    uint32_t keep = in->redux.how & REDUX_ABS ? 0x7FFFFFFFu : UINT32_MAX;
    uint32_t total = a[vm_first(mask)] & keep;
    EACH_LANE(l, mask) { // includes the first one, which may be a NaN
        total = reduce_f32(in, total, a[l] & keep);
    }
    EACH_LANE(l, mask) {
        vm_set_lane_u64(w, in->dst[0], l, total);
    }
    return VM_GO;
}

static void decode_vote(VmDecoder *d) {
    Vote kind = vm_take(d, PTX_MOD_ALL)   ? VOTE_ALL
                : vm_take(d, PTX_MOD_ANY) ? VOTE_ANY
                : vm_take(d, PTX_MOD_UNI) ? VOTE_UNI
                                          : VOTE_BALLOT;
    vm_take(d, PTX_MOD_BALLOT);
    VmRef p = vm_src(d, 1, 0), members = vm_src(d, 2, 4);
    VmRef dst = vm_dst(d, 0, kind == VOTE_BALLOT ? 4 : 0);
    VmInstr *in = vm_emit(d, op_vote);
    in->vote.kind = (uint8_t)kind;
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, p);
    vm_emit_src(d, in, members);
}

static void decode_match(VmDecoder *d) {
    bool all = vm_take(d, PTX_MOD_ALL);
    vm_take(d, PTX_MOD_ANY);
    uint32_t size = ptx_type_size(d->in->types[0]);
    VmRef a = vm_src(d, 1, size), members = vm_src(d, 2, 4), to[2];
    uint32_t count = vm_results(d, 4, to);
    VmInstr *in = vm_emit(d, op_match);
    in->match.is_all = all;
    vm_emit_results(d, in, to, count);
    vm_emit_src(d, in, a);
    vm_emit_src(d, in, members);
}

static void decode_redux(VmDecoder *d) {
    static const PtxMod ops[] = {PTX_MOD_ADD, PTX_MOD_MIN, PTX_MOD_MAX,
                                 PTX_MOD_AND, PTX_MOD_OR,  PTX_MOD_XOR};
    PtxMod op = PTX_MOD_NONE;
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        if (vm_take(d, ops[i]))
            op = ops[i];
    bool of_floats = d->in->types[0] == PTX_F32, orders = false;
    uint32_t how = 0;
    if (of_floats) {
        orders = op == PTX_MOD_MIN || op == PTX_MOD_MAX;
        how |= vm_take(d, PTX_MOD_ABS) ? REDUX_ABS : 0;
        how |= vm_take(d, PTX_MOD_CANONICAL_NAN) ? REDUX_NAN : 0;
    }
    if (op == PTX_MOD_NONE || of_floats != orders)
        vm_unsupported(d, "this reduction");
    VmRef a = vm_src(d, 1, 4), members = vm_src(d, 2, 4), dst = vm_dst(d, 0, 4);
    VmInstr *in = vm_emit(d, of_floats ? op_redux_f32 : op_redux);
    in->redux.operation = (uint16_t)op;
    in->redux.how = (uint8_t)how;
    vm_emit_dst(d, in, dst);
    vm_emit_src(d, in, a);
    vm_emit_src(d, in, members);
}

// ---- activemask, elect, bar.warp.sync ------------------------------------

static VmNext op_activemask(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        vm_set_lane_u64(w, in->dst[0], l, mask);
    }
    return VM_GO;
}

// Any lane of the mask may be elected, but always the same one for the same
// mask in a run: the schedule chooses it.
static uint32_t elected(const Vm *vm, uint32_t members) {
    uint64_t nth = 0;
    if (vm->tuning.random_elect)
        nth = hash_u64(vm->turns.elect_seed ^ members) % vm_count(members);
    for (; nth; nth--)
        members &= members - 1;
    return vm_first(members);
}

static VmNext op_elect(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!gathered(w, in, &mask, 0, &next))
        return next;
    uint32_t leader = elected(w->vm, mask);
    EACH_LANE(l, mask) {
        vm_set_lane_u64(w, in->dst[0], l, leader);
    }
    vm_set_pred(w, in->dst[1], mask, 1u << leader);
    return VM_GO;
}

static VmNext op_warp_sync(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!gathered(w, in, &mask, 0, &next))
        return next;
    if (w->vm->order)
        vm_order_warp_sync(w, mask);
    return VM_GO;
}

static void decode_simple(VmDecoder *d) {
    if (d->in->op == PTX_OP_ACTIVEMASK) {
        VmRef dst = vm_dst(d, 0, 4);
        vm_emit_dst(d, vm_emit(d, op_activemask), dst);
        return;
    }
    bool elect = d->in->op == PTX_OP_ELECT;
    VmRef members = vm_src(d, elect ? 1 : 0, 4), to[2]; // a lane, a predicate
    uint32_t count = elect ? vm_results(d, 4, to) : 0;
    if (elect && count != 2) {
        vm_unsupported(d, "a result of this form");
        return;
    }
    VmInstr *in = vm_emit(d, elect ? op_elect : op_warp_sync);
    vm_emit_results(d, in, to, count);
    vm_emit_src(d, in, members);
}

void vm_decode_warp(VmDecoder *d) {
    vm_take_types(d);
    bool sync = vm_take(d, PTX_MOD_SYNC);
    PtxOp op = d->in->op;
    if (!sync && op != PTX_OP_ACTIVEMASK && op != PTX_OP_BAR_WARP_SYNC)
        vm_unsupported(d, "this instruction without .sync");
    else if (op == PTX_OP_SHFL)
        decode_shfl(d);
    else if (op == PTX_OP_VOTE)
        decode_vote(d);
    else if (op == PTX_OP_MATCH)
        decode_match(d);
    else if (op == PTX_OP_REDUX)
        decode_redux(d);
    else
        decode_simple(d);
}
