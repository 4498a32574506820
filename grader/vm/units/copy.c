// SPDX-License-Identifier: Apache-2.0
// Instructions whose effect comes later: cp.async and its groups, bulk copies
// and reductions, st.async, red.async (PTX ISA, 9.7.9.25 and 9.7.13); and
// st.bulk. This file decodes them, checks their operands and issues the copies;
// async.c performs them. Tensor maps are not supported.
#include "vm/units/copy.h"

#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/memory/memory.h"
#include "vm/order/shadow.h"
#include "vm/time/time.h"
#include "vm/turns/turns.h"
#include "vm/units/families.h"
#include "vm/units/units.h"

enum {                  // VmInstr.copy.flags
    COPY_SOME = 1,      // cp.async: src[2] is the number of bytes to read
    COPY_IGNORE = 2,    // cp.async: src[2] is true if nothing is read
    COPY_MBARRIER = 4,  // completes on the mbarrier at src[3]
    COPY_MULTICAST = 8, // src[4]: the ranks of the receivers
    COPY_MASKED = 16,   // src[5]: which of each 16 bytes are written
    COPY_OWN_TO = 32,   // the destination is in .shared::cta
    COPY_REDUCES = 64,  // by `operation`
};

enum {             // VmInstr.group.flags
    WAIT_BULK = 1, // it is for bulk groups
    WAIT_READ = 2, // until their sources have been read
    WAIT_ALL = 4,  // also for copies in no group yet
};

static const VmRef NOTHING = {.reg = VM_NO_REG, .sel = 1};

// Operand `src` as an address: its register, if it has one, plus imm.
static uint64_t address_of(const VmWarp *w, const VmInstr *in, uint32_t lane,
                           uint32_t src, uint64_t imm) {
    const VmRef *base = &vm_srcs(in)[src];
    return imm + (base->size ? vm_lane_u64(w, *base, lane) : 0);
}

static uint64_t mbarrier_imm(const VmInstr *in) {
    return (uint64_t)(int64_t)in->copy.mbarrier_offset;
}

static bool in_own_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                          const VmWhere *place) {
    if (!place->cta || place->cta == w->cta)
        return true;
    vm_faulted(w, in, CASE_MEM001_NOT_OWN,
               FACTS(FACT_LANE(w, lane), FACT(BLOCK, place->cta->linear)));
    return false;
}

// ---- cp.async ------------------------------------------------------------

// How many bytes the lane reads. False: a fault was reported.
static bool bytes_read(VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint32_t *out) {
    *out = in->width;
    if (in->copy.flags & COPY_IGNORE && (vm_pred(w, in->src[2]) >> lane & 1))
        *out = 0;
    if (in->copy.flags & COPY_SOME)
        *out = (uint32_t)vm_lane_u64(w, in->src[2], lane);
    if (*out <= in->width)
        return true;
    vm_faulted(
        w, in, CASE_MEM001_COPY_SOURCE,
        FACTS(FACT_LANE(w, lane), FACT(BYTES, *out), FACT(LIMIT, in->width)));
    return false;
}

static VmNext op_cp_async(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmCopy *copy = vm_copy_new(w, in, COPY_BYTES, mask);
    copy->group = GROUP_ASYNC;
    VmExtent to = {in->width, in->width};
    EACH_LANE(l, mask) {
        VmPiece *piece = vm_copy_piece(copy, l);
        piece->group = w->copies.group[l];
        piece->mark = w->copies.marks[l];
        if (!bytes_read(w, in, l, &piece->bytes))
            return VM_STOP;
        piece->zeros = in->width - piece->bytes;
        VmExtent from = {piece->bytes, piece->bytes ? in->width : 1};
        if (!vm_memory_place(w, in, l, PTX_SPACE_SHARED,
                             address_of(w, in, l, 0, in->offset), to,
                             ACCESS_WRITE, &piece->to) ||
            !in_own_memory(w, in, l, &piece->to) ||
            !vm_memory_place(w, in, l, PTX_SPACE_GLOBAL,
                             address_of(w, in, l, 1, in->copy.from_offset),
                             from, ACCESS_READ, &piece->from))
            return VM_STOP;
    }
    vm_copy_issue(w, in, copy);
    VM_NEXT;
}

static void take_l2_hints(VmDecoder *d) {
    vm_take(d, PTX_MOD_L2_64B);
    vm_take(d, PTX_MOD_L2_128B);
    vm_take(d, PTX_MOD_L2_256B);
}

static void decode_cp_async(VmDecoder *d) {
    const PtxOperand *ops = d->in->operands;
    uint32_t count = d->in->operand_count, flags = 0;
    bool all = vm_take(d, PTX_MOD_CA), hint = vm_take(d, PTX_MOD_L2_CACHE_HINT);
    vm_take(d, PTX_MOD_CG);
    vm_take_space(d);
    take_l2_hints(d);
    uint64_t size = count > 2 && ops[2].kind == PTX_OPND_INT ? ops[2].imm : 0;
    uint32_t extra = count - 3 - hint;
    if ((size != 16 && !(all && (size == 4 || size == 8))) || count < 3 ||
        extra > 1) {
        vm_unsupported(d, "a copy of this form");
        return;
    }
    VmRef to, from, some = NOTHING;
    uint64_t to_imm, from_imm;
    vm_address(d, 0, &to, &to_imm);
    vm_address(d, 1, &from, &from_imm);
    if (extra) {
        bool ignore = ops[3].kind == PTX_OPND_REG &&
                      d->ptx->regs[ops[3].reg].type == PTX_PRED;
        flags = ignore ? COPY_IGNORE : COPY_SOME;
        some = vm_src(d, 3, ignore ? 0 : 4);
    }
    if (hint)
        vm_src(d, count - 1, 8);
    VmInstr *in = vm_emit_plain(d, op_cp_async);
    in->copy.flags = (uint8_t)flags;
    in->width = (uint8_t)size;
    in->offset = to_imm;
    in->copy.from_offset = from_imm;
    vm_emit_src(d, in, to);
    vm_emit_src(d, in, from);
    vm_emit_src(d, in, some);
}

static VmNext op_mbarrier_arrive(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmCopy *copy = vm_copy_new(w, in, COPY_ARRIVE, mask);
    EACH_LANE(l, mask) {
        VmCta *cta;
        VmMbarrier *bar = vm_mbarrier_operand(w, in, l, 0, in->offset, &cta);
        if (!bar)
            return VM_STOP;
        VmPiece *piece = vm_copy_piece(copy, l);
        piece->to = (VmWhere){cta, bar->offset};
        piece->mark = w->copies.marks[l]++;
        bool counts = !in->copy_arrive.noinc;
        if (counts && !vm_mbarrier_expect_arrival(bar))
            return vm_faulted(w, in, CASE_BAR001_COPY_PENDING,
                              FACTS(FACT_LANE(w, l)));
    }
    copy->at = vm_copies_done_at(w, mask);
    vm_copy_issue(w, in, copy);
    VM_NEXT;
}

static void decode_mbarrier_arrive(VmDecoder *d) {
    VmRef base;
    uint64_t imm;
    vm_take_types(d);
    PtxSpace space = vm_take_space(d);
    bool noinc = vm_take(d, PTX_MOD_NOINC);
    vm_address(d, 0, &base, &imm);
    VmInstr *in = vm_emit_plain(d, op_mbarrier_arrive);
    in->copy_arrive.noinc = noinc;
    in->space = (uint8_t)space;
    in->offset = imm;
    vm_emit_src(d, in, base);
}

// ---- groups --------------------------------------------------------------

static VmNext op_commit(VmWarp *w, const VmInstr *in, uint32_t mask) {
    bool bulk = in->group.flags & WAIT_BULK;
    uint32_t *groups = bulk ? w->copies.bulk_group : w->copies.group;
    w->copies.used = true;
    EACH_LANE(l, bulk ? 0 : mask) {
        uint32_t at = w->copies.group[l] % VM_COPY_TIMES;
        w->group_marks[at][l] = ++w->copies.marks[l];
    }
    LANES(groups[l] += 1);
    vm_time_commit(w, bulk, vm_first(mask));
    VM_NEXT;
}

// Whether a lane of the mask has to wait for the copy: it is in one of the
// lane's groups, and not in the `latest` ones.
static bool is_awaited(const VmWarp *w, const VmInstr *in, uint32_t mask,
                       const VmCopy *copy) {
    bool bulk = in->group.flags & WAIT_BULK;
    const uint32_t *committed = bulk ? w->copies.bulk_group : w->copies.group;
    if (copy->group != (bulk ? GROUP_BULK : GROUP_ASYNC) ||
        ((in->group.flags & WAIT_READ) && copy->data))
        return false;
    for (uint32_t i = 0; i < copy->piece_count; i++) {
        const VmPiece *piece = &copy->pieces[i];
        uint32_t after = committed[piece->lane] - piece->group;
        if ((mask >> piece->lane & 1) &&
            (after > in->group.latest || in->group.flags & WAIT_ALL))
            return true;
    }
    return false;
}

static VmNext op_wait(VmWarp *w, const VmInstr *in, uint32_t mask) {
    for (const VmCopy *copy = w->copies.list; copy; copy = copy->next)
        if (is_awaited(w, in, mask, copy))
            return vm_wait(w, WAIT_COPIES, 0, 0);
    vm_time_copied(w, in->group.flags & WAIT_BULK, vm_first(mask),
                   in->group.flags & WAIT_ALL ? UINT64_MAX : in->group.latest);
    if (w->vm->order)
        vm_copy_waited(
            w, mask, in->group.flags & WAIT_BULK, in->group.flags & WAIT_READ,
            in->group.flags & WAIT_ALL ? UINT64_MAX : in->group.latest);
    return VM_GO;
}

static void decode_commit(VmDecoder *d) {
    VmInstr *in = vm_emit_plain(d, op_commit);
    in->group.flags =
        d->in->op == PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP ? WAIT_BULK : 0;
}

static void decode_wait(VmDecoder *d) {
    uint32_t flags = d->in->op == PTX_OP_CP_ASYNC_WAIT_ALL ? WAIT_ALL : 0;
    if (d->in->op == PTX_OP_CP_ASYNC_BULK_WAIT_GROUP)
        flags |= WAIT_BULK;
    if (vm_take(d, PTX_MOD_READ))
        flags |= WAIT_READ;
    if (!flags || flags & WAIT_BULK)
        if (d->in->operands[0].kind != PTX_OPND_INT)
            vm_unsupported(d, "a number of groups that is not a constant");
    VmInstr *in = vm_emit(d, op_wait);
    in->group.flags = (uint8_t)flags;
    in->group.latest = d->in->operand_count ? d->in->operands[0].imm : 0;
}

// ---- bulk copies and reductions ------------------------------------------

static bool check_size(VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint64_t bytes, uint32_t unit) {
    if (bytes % unit == 0)
        return true;
    vm_faulted(w, in, CASE_MEM002_COPY_SIZE,
               FACTS(FACT_LANE(w, lane), FACT(SIZE, bytes), FACT(LIMIT, unit)));
    return false;
}

// Finds the mbarrier of a copy, in the CTA that the copy writes to.
static bool find_mbarrier(VmWarp *w, const VmInstr *in, uint32_t lane,
                          VmCopy *copy) {
    VmCta *cta;
    VmPiece *piece = &copy->pieces[0];
    const VmMbarrier *bar =
        vm_mbarrier_operand(w, in, lane, 3, mbarrier_imm(in), &cta);
    if (!bar)
        return false;
    copy->has_mbarrier = true;
    copy->mbarrier = bar->offset;
    if (piece->bytes == 0) // then only the mbarrier identifies the CTA
        piece->to.cta = cta;
    if (cta == piece->to.cta)
        return true;
    vm_faulted(w, in, CASE_MEM001_COPY_MBARRIER,
               FACTS(FACT_LANE(w, lane), FACT(BLOCK, cta->linear)));
    return false;
}

static bool check_receiver(VmWarp *w, const VmInstr *in, uint32_t lane,
                           VmCta *cta, const VmCopy *copy) {
    bool is_made = vm_mbarrier_find(cta, copy->mbarrier) != NULL;
    if (!cta->exited && is_made)
        return true;
    vm_faulted(w, in,
               cta->exited ? CASE_MEM004_RECEIVER
                           : CASE_BAR002_RECEIVER_NOT_MADE,
               FACTS(FACT_LANE(w, lane), FACT(BLOCK, cta->linear)));
    return false;
}

static bool find_receivers(VmWarp *w, const VmInstr *in, uint32_t lane,
                           VmCopy *copy) {
    const VmCluster *cluster = w->cta->cluster;
    uint32_t ranks = (uint32_t)vm_lane_u64(w, vm_srcs(in)[4], lane) & 0xFFFF;
    copy->is_multicast = true;
    copy->receivers = (uint16_t)ranks;
    if (ranks >> cluster->cta_count) {
        vm_faulted(w, in, CASE_MEM001_COPY_RANKS,
                   FACTS(FACT_LANE(w, lane), FACT(RANKS, ranks),
                         FACT(CTAS, cluster->cta_count)));
        return false;
    }
    for (uint32_t rank = 0; rank < cluster->cta_count; rank++)
        if ((ranks >> rank & 1) &&
            !check_receiver(w, in, lane, cluster->ctas[rank], copy))
            return false;
    return true;
}

// What the mask leaves out at either end is neither read nor written, and may
// lie outside of memory: the copy is of the bytes between. Returns how many
// there are in front of them; the mask then counts from the first that is left.
static uint32_t trim(VmCopy *copy, VmPiece *piece, uint16_t mask) {
    uint32_t front = 0, back = 0;
    if (mask == 0)
        piece->bytes = 0;
    if (piece->bytes == 0)
        return 0;
    while (!(mask >> front & 1))
        front++;
    while (!(mask >> (15 - back) & 1))
        back++;
    piece->bytes -= front + back;
    copy->byte_mask =
        (uint16_t)(mask >> front | (uint32_t)mask << (16 - front));
    return front;
}

// Operand `operand` of a bulk copy, whose bytes begin `front` bytes behind it.
// A copy of nothing may begin anywhere: CUB issues some (cub/block/
// block_load_to_shared.cuh), and an H100 takes them.
static bool find_place(VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint32_t operand, uint32_t front, uint32_t bytes,
                       VmWhere *out) {
    uint64_t address = address_of(w, in, lane, operand,
                                  operand ? in->copy.from_offset : in->offset);
    PtxSpace space = (PtxSpace)(operand ? in->copy.from_space : in->space);
    VmAccess access = operand ? ACCESS_READ : ACCESS_WRITE;
    VmExtent operand_alone = {0, bytes ? 16 : 1}, copied = {bytes, 1};
    return vm_memory_place(w, in, lane, space, address, operand_alone, access,
                           out) &&
           vm_memory_place(w, in, lane, space, address + front, copied, access,
                           out);
}

static bool issue_bulk(VmWarp *w, const VmInstr *in, uint32_t lane) {
    uint32_t bytes = (uint32_t)vm_lane_u64(w, in->src[2], lane), front = 0;
    VmCopy *copy = vm_copy_new(
        w, in, in->copy.flags & COPY_REDUCES ? COPY_REDUCE : COPY_BYTES,
        1u << lane);
    VmPiece *piece = vm_copy_piece(copy, lane);
    piece->bytes = bytes;
    piece->group = w->copies.bulk_group[lane];
    copy->op = (VmAtomicOp)in->copy.operation;
    copy->type = (PtxType)in->type;
    if (!check_size(w, in, lane, bytes, 16))
        return false;
    if (in->copy.flags & COPY_MASKED)
        front =
            trim(copy, piece, (uint16_t)vm_lane_u64(w, vm_srcs(in)[5], lane));
    bytes = piece->bytes;
    if (!find_place(w, in, lane, 0, front, bytes, &piece->to) ||
        !find_place(w, in, lane, 1, front, bytes, &piece->from) ||
        !in_own_memory(w, in, lane, &piece->from) ||
        (in->copy.flags & COPY_OWN_TO &&
         !in_own_memory(w, in, lane, &piece->to)))
        return false;
    if (in->copy.flags & COPY_MBARRIER) {
        if (!find_mbarrier(w, in, lane, copy) ||
            (in->copy.flags & COPY_MULTICAST &&
             !find_receivers(w, in, lane, copy)))
            return false;
    } else {
        copy->group = GROUP_BULK;
    }
    if (bytes)
        vm_copy_issue(w, in, copy);
    else
        vm_copy_drop(w->vm, copy);
    return true;
}

static VmNext op_bulk(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        if (!issue_bulk(w, in, l))
            return VM_STOP;
    }
    VM_NEXT;
}

// The two state spaces named by a copy, the destination's first.
static void copy_spaces(const VmDecoder *d, PtxMod out[2]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->in->mod_count && count < 2; i++) {
        PtxMod mod = d->in->mods[i];
        if (mod == PTX_MOD_GLOBAL || mod == PTX_MOD_SHARED_CTA ||
            mod == PTX_MOD_SHARED_CLUSTER)
            out[count++] = mod;
    }
}

static bool decode_reduction(VmDecoder *d, VmAtomicOp *op) {
    vm_take_types(d);
    vm_take(d, PTX_MOD_NOFTZ);
    PtxType type = d->in->types[0];
    if (vm_take_atomic(d, op) && *op != ATOMIC_CAS && *op != ATOMIC_EXCH &&
        ptx_type_size(type) <= 8 && vm_atomic_exists(*op, type))
        return true;
    vm_unsupported(d, "this reduction for this type");
    return false;
}

static uint32_t bulk_flags(VmDecoder *d, const PtxMod spaces[2]) {
    uint32_t flags = spaces[0] == PTX_MOD_SHARED_CTA ? COPY_OWN_TO : 0;
    if (vm_take(d, PTX_MOD_MBARRIER_COMPLETE_TX_BYTES))
        flags |= COPY_MBARRIER;
    else if (!vm_take(d, PTX_MOD_BULK_GROUP))
        vm_unsupported(d, "a copy without a way of completion");
    if (vm_take(d, PTX_MOD_MULTICAST_CLUSTER))
        flags |= COPY_MULTICAST;
    if (vm_take(d, PTX_MOD_CP_MASK))
        flags |= COPY_MASKED;
    bool to_global = spaces[0] == PTX_MOD_GLOBAL;
    if (to_global == ((flags & COPY_MBARRIER) != 0) ||
        (to_global && spaces[1] != PTX_MOD_SHARED_CTA) ||
        (flags & COPY_OWN_TO && spaces[1] != PTX_MOD_GLOBAL) ||
        (flags & COPY_MULTICAST && spaces[0] != PTX_MOD_SHARED_CLUSTER))
        vm_unsupported(d, "a copy between these state spaces");
    return flags;
}

static PtxSpace space_of_mod(PtxMod mod) {
    return mod == PTX_MOD_GLOBAL ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
}

// A 16-bit mask: a register of that size, or a constant.
static VmRef mask_operand(VmDecoder *d, uint32_t index) {
    return vm_src(d, index, 2);
}

static void set_mbarrier_imm(VmDecoder *d, VmInstr *in, uint64_t imm) {
    in->copy.mbarrier_offset = (int32_t)(uint32_t)imm;
    if (mbarrier_imm(in) != imm)
        vm_unsupported(d, "an address so far from its register");
}

static void decode_bulk(VmDecoder *d) {
    PtxMod spaces[2] = {PTX_MOD_NONE, PTX_MOD_NONE};
    bool reduces = d->in->op == PTX_OP_CP_REDUCE_ASYNC_BULK;
    VmAtomicOp op = ATOMIC_ADD;
    copy_spaces(d, spaces);
    vm_take_space(d);
    if (reduces && !decode_reduction(d, &op))
        return;
    uint32_t flags = bulk_flags(d, spaces) | (reduces ? COPY_REDUCES : 0);
    VmRef to, from, size, bar = NOTHING, ranks = NOTHING, bytes = NOTHING;
    uint64_t to_imm, from_imm, bar_imm = 0;
    uint32_t next = 3;
    vm_address(d, 0, &to, &to_imm);
    vm_address(d, 1, &from, &from_imm);
    size = vm_src(d, 2, 4);
    if (flags & COPY_MBARRIER)
        vm_address(d, next++, &bar, &bar_imm);
    if (flags & COPY_MULTICAST)
        ranks = mask_operand(d, next++);
    if (vm_take(d, PTX_MOD_L2_CACHE_HINT))
        vm_src(d, next++, 8);
    if (flags & COPY_MASKED)
        bytes = mask_operand(d, next++);
    if (next != d->in->operand_count)
        vm_unsupported(d, "this number of operands");
    VmInstr *in = vm_emit_plain(d, op_bulk);
    in->copy.flags = (uint8_t)flags;
    in->space = (uint8_t)space_of_mod(spaces[0]);
    in->copy.from_space = (uint8_t)space_of_mod(spaces[1]);
    in->scope_cluster = spaces[0] == PTX_MOD_SHARED_CLUSTER;
    in->copy.operation = (uint8_t)op;
    in->offset = to_imm;
    in->copy.from_offset = from_imm;
    set_mbarrier_imm(d, in, bar_imm);
    const VmRef refs[] = {to, from, size, bar, ranks, bytes};
    for (size_t i = 0; i < COUNT_OF(refs); i++)
        vm_emit_src(d, in, refs[i]);
}

// ---- cp.async.bulk.prefetch ----------------------------------------------

enum { UNIT = 16 }; // bytes: addresses and sizes are multiples of it

static VmNext op_bulk_prefetch(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint32_t bytes = (uint32_t)vm_lane_u64(w, in->src[1], l);
        uint64_t address = vm_lane_address(w, in, l);
        VmExtent extent = {bytes, UNIT};
        VmWhere place;
        if (!check_size(w, in, l, bytes, UNIT))
            return VM_STOP;
        // CUB rounds up (cub/detail/prefetch.cuh).
        if (!vm_memory_ends_in(w->vm, address, extent) &&
            !vm_memory_place(w, in, l, PTX_SPACE_GLOBAL, address, extent,
                             ACCESS_READ, &place))
            return VM_STOP;
    }
    VM_NEXT;
}

static void decode_bulk_prefetch(VmDecoder *d) {
    VmRef base, size;
    uint64_t imm;
    vm_take(d, PTX_MOD_L2);
    vm_take_space(d);
    vm_address(d, 0, &base, &imm);
    size = vm_src(d, 1, 4);
    if (vm_take(d, PTX_MOD_L2_CACHE_HINT))
        vm_src(d, 2, 8);
    VmInstr *in = vm_emit_plain(d, op_bulk_prefetch);
    in->offset = imm;
    vm_emit_src(d, in, base);
    vm_emit_src(d, in, size);
}

// ---- st.async, red.async -------------------------------------------------

// src[0]: the address; src[3]: the mbarrier; src[4 + e]: the values.
static VmNext op_store_async(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t bytes = (uint32_t)in->width * in->elements;
    VmExtent extent = {bytes, bytes};
    EACH_LANE(l, mask) {
        bool reduces = in->copy.flags & COPY_REDUCES;
        VmCopy *copy =
            vm_copy_new(w, in, reduces ? COPY_REDUCE : COPY_BYTES, 1u << l);
        VmPiece *piece = vm_copy_piece(copy, l);
        piece->bytes = bytes;
        copy->op = (VmAtomicOp)in->copy.operation;
        copy->type = (PtxType)in->type;
        if (!vm_memory_place(w, in, l, (PtxSpace)in->space,
                             vm_lane_address(w, in, l), extent, ACCESS_WRITE,
                             &piece->to) ||
            (in->copy.flags & COPY_OWN_TO &&
             !in_own_memory(w, in, l, &piece->to)) ||
            (in->copy.flags & COPY_MBARRIER && !find_mbarrier(w, in, l, copy)))
            return VM_STOP;
        uint8_t *data = vm_copy_data(w->vm, copy, bytes);
        for (uint32_t e = 0; e < in->elements; e++)
            memcpy(data + (size_t)e * in->width,
                   vm_at(w, vm_srcs(in)[4 + e]) + (size_t)l * in->width,
                   in->width);
        vm_copy_issue(w, in, copy);
    }
    VM_NEXT;
}

// Operand 1: one value, or a vector. False: it does not have this length.
static bool store_values(VmDecoder *d, uint32_t count, uint32_t width,
                         VmRef *out) {
    const PtxOperand *op = &d->in->operands[1];
    bool is_vector = op->kind == PTX_OPND_VECTOR;
    if (count > 4 || width == 0 || width * count > 16 ||
        (is_vector ? op->elem_count : 1) != count)
        return false;
    for (uint32_t e = 0; e < count; e++)
        out[e] =
            vm_operand_src(d, is_vector ? &op->elems[e] : op, width, false);
    return true;
}

static void decode_store_async(VmDecoder *d) {
    VmAtomicOp op = ATOMIC_ADD;
    bool reduces = d->in->op == PTX_OP_RED_ASYNC;
    uint32_t count = ptx_vector(d->in), flags = reduces ? COPY_REDUCES : 0;
    uint32_t width = ptx_type_size(d->in->types[0]);
    PtxSpace space = vm_take_space(d);
    vm_take_types(d);
    vm_take_order(d, SEM_WEAK, SCOPE_CLUSTER);
    vm_take(d, PTX_MOD_WEAK);
    vm_take(d, PTX_MOD_MMIO);
    vm_take(d, PTX_MOD_V2);
    vm_take(d, PTX_MOD_V4);
    VmRef values[4] = {NOTHING}, to, bar = NOTHING;
    uint64_t to_imm, bar_imm = 0;
    if ((reduces && !decode_reduction(d, &op)) ||
        !store_values(d, count, width, values)) {
        vm_unsupported(d, "a store of this size or form");
        return;
    }
    vm_address(d, 0, &to, &to_imm);
    if (vm_take(d, PTX_MOD_MBARRIER_COMPLETE_TX_BYTES)) {
        flags |= COPY_MBARRIER;
        vm_address(d, 2, &bar, &bar_imm);
    } else if (space == PTX_SPACE_SHARED || d->in->operand_count != 2) {
        vm_unsupported(d, "a store of this form");
    }
    if (ptx_has(d->in, PTX_MOD_SHARED_CTA))
        flags |= COPY_OWN_TO;
    VmInstr *in = vm_emit_plain(d, op_store_async);
    in->copy.flags = (uint8_t)flags;
    in->space = (uint8_t)space;
    in->scope_cluster = true;
    in->width = (uint8_t)width;
    in->elements = (uint8_t)count;
    in->copy.operation = (uint8_t)op;
    in->offset = to_imm;
    set_mbarrier_imm(d, in, bar_imm);
    const VmRef refs[] = {to, NOTHING, NOTHING, bar};
    for (size_t i = 0; i < COUNT_OF(refs); i++)
        vm_emit_src(d, in, refs[i]);
    for (uint32_t e = 0; e < count; e++)
        vm_emit_src(d, in, values[e]);
}

// ---- st.bulk -------------------------------------------------------------

// Performed at once: it is an ordinary, weak store of zeros.
static VmNext op_st_bulk(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        uint64_t bytes = vm_lane_u64(w, in->src[1], l);
        uint32_t known = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
        VmExtent extent = {known, 8};
        VmWhere place;
        if (!check_size(w, in, l, bytes, 8) ||
            !vm_memory_place(w, in, l, (PtxSpace)in->space,
                             vm_lane_address(w, in, l), extent, ACCESS_WRITE,
                             &place) ||
            !in_own_memory(w, in, l, &place))
            return VM_STOP;
        if (known && !place.cta)
            return vm_faulted(w, in, CASE_MEM001_ST_BULK,
                              FACTS(FACT_LANE(w, l)));
        if (known && w->vm->order)
            vm_shadow_lane(w, in, l, &place, known, ACCESS_WRITE);
        if (known)
            memset(place.cta->smem + place.offset, 0, known);
        w->vm->turns.work[WORK_CLEAR] += known / 4; // each word is checked
        w->vm->use.generic[1][DEVICE_SPACE_SHARED] += known;
    }
    VM_NEXT;
}

static void decode_st_bulk(VmDecoder *d) {
    VmRef base, size;
    uint64_t imm;
    vm_take(d, PTX_MOD_WEAK);
    PtxSpace space = vm_take_space(d);
    vm_address(d, 0, &base, &imm);
    size = vm_src(d, 1, 8);
    const PtxOperand *value = &d->in->operands[2];
    if (value->kind != PTX_OPND_INT || value->imm)
        vm_unsupported(d, "a value other than 0");
    VmInstr *in = vm_emit_plain(d, op_st_bulk);
    in->space = (uint8_t)space;
    in->offset = imm;
    vm_emit_src(d, in, base);
    vm_emit_src(d, in, size);
}

void vm_decode_copy(VmDecoder *d) {
    switch ((int)d->in->op) {
    case PTX_OP_CP_ASYNC:
        decode_cp_async(d);
        break;
    case PTX_OP_CP_ASYNC_MBARRIER_ARRIVE:
        decode_mbarrier_arrive(d);
        break;
    case PTX_OP_CP_ASYNC_COMMIT_GROUP:
    case PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP:
        decode_commit(d);
        break;
    case PTX_OP_CP_ASYNC_WAIT_GROUP:
    case PTX_OP_CP_ASYNC_WAIT_ALL:
    case PTX_OP_CP_ASYNC_BULK_WAIT_GROUP:
        decode_wait(d);
        break;
    case PTX_OP_CP_ASYNC_BULK_PREFETCH:
        decode_bulk_prefetch(d);
        break;
    case PTX_OP_ST_ASYNC:
    case PTX_OP_RED_ASYNC:
        decode_store_async(d);
        break;
    case PTX_OP_ST_BULK:
        decode_st_bulk(d);
        break;
    default:
        decode_bulk(d);
        break;
    }
}
