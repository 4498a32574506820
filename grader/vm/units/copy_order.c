// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations in the happens-before order (shadow.c): what each
// must be ordered after when it is issued, and who learns that it is complete.
//
// Agents perform them (clock.h). An operation that completes on an mbarrier is
// performed by the mbarrier's agent, whose times are phases. The groups of a
// warp have three agents: for cp.async, and for the reads and the writes of
// bulk groups; their times are numbers of groups. Those of cp.async also count
// arrivals: an mbarrier tells of the copies in front of its arrival alone, and
// not of later ones of the same group. Bulk operations go through
// the async proxy; cp.async, st.async and red.async do not.
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/shadow.h"
#include "vm/units/copy.h"

enum { AGENT_ASYNC, AGENT_BULK_READ, AGENT_BULK_WRITE, AGENTS };

static uint32_t agent_of(VmWarp *w, uint32_t which) {
    if (!w->order.agents) // numbers start at 1: 0 means none
        w->order.agents = vm_order_agents(w->vm, AGENTS) + 1;
    return w->order.agents - 1 + which;
}

// ---- issue ---------------------------------------------------------------

static VmAsync describe(VmWarp *w, const VmInstr *in, const VmCopy *copy,
                        const VmPiece *piece, VmCta *to, bool write) {
    VmAsync a = {.is_proxy = PTX_TRAITS[in->op].proxy == PTX_PROXY_ASYNC,
                 .is_atomic = copy->kind == COPY_REDUCE};
    if (copy->has_mbarrier) {
        a.agent = vm_mbarrier_find(to, copy->mbarrier)->clocks.agent;
        a.time = VM_AGENT_LATER;
        return a;
    }
    a.lane = piece->lane;
    a.time = copy->group == GROUP_ASYNC ? piece->mark : piece->group;
    a.agent = agent_of(w, copy->group == GROUP_ASYNC ? AGENT_ASYNC
                          : write                    ? AGENT_BULK_WRITE
                                                     : AGENT_BULK_READ);
    return a;
}

// How many bytes from `from` on the copy's mask names, or does not name, in a
// row.
static uint32_t run_of(const VmCopy *copy, uint32_t from, uint32_t bytes,
                       bool named) {
    uint32_t end = copy->byte_mask == UINT16_MAX && named ? bytes : from;
    while (end < bytes && (copy->byte_mask >> (end & 15) & 1) == named)
        end++;
    return end - from;
}

// What a mask leaves out is neither read nor written.
static void issue(VmWarp *w, const VmInstr *in, const VmCopy *copy,
                  uint32_t lane, const VmWhere *where, uint32_t bytes,
                  bool write, const VmAsync *async) {
    for (uint32_t at = 0; at < bytes;) {
        VmWhere part = {where->cta, where->offset + at};
        uint32_t count = run_of(copy, at, bytes, true);
        if (count)
            vm_shadow_issue(w, in, lane, &part, count, write, async);
        at += count;
        at += run_of(copy, at, bytes, false);
    }
}

static void issue_write(VmWarp *w, const VmInstr *in, const VmCopy *copy,
                        const VmPiece *piece, const VmWhere *to) {
    VmAsync a = describe(w, in, copy, piece, to->cta, true);
    vm_copy_same(w->vm, copy, piece, to, in->loc, &a);
    issue(w, in, copy, piece->lane, to, piece->bytes + piece->zeros, true, &a);
}

void vm_copy_order(VmWarp *w, const VmInstr *in, const VmCopy *copy) {
    if (copy->kind == COPY_ARRIVE || (!copy->has_mbarrier && !copy->group))
        return;
    for (uint32_t i = 0; i < copy->piece_count; i++) {
        const VmPiece *piece = &copy->pieces[i];
        const VmCluster *cluster = w->cta->cluster;
        VmAsync reads = describe(w, in, copy, piece, piece->to.cta, false);
        if (!copy->data)
            issue(w, in, copy, piece->lane, &piece->from, piece->bytes, false,
                  &reads);
        if (!copy->is_multicast)
            issue_write(w, in, copy, piece, &piece->to);
        for (uint32_t r = 0; copy->is_multicast && r < cluster->cta_count; r++)
            if (copy->receivers >> r & 1)
                issue_write(w, in, copy, piece,
                            &(VmWhere){cluster->ctas[r], piece->to.offset});
    }
}

// ---- completion ----------------------------------------------------------

void vm_copy_completes(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                       const VmWhere *to, VmMbarrier *bar) {
    uint32_t phase = (uint32_t)bar->state.phase;
    bar->async.has_come = true;
    vm_shadow_complete(vm, to, piece->bytes + piece->zeros, true,
                       bar->clocks.agent, phase);
    if (copy->has_source && piece->bytes)
        vm_shadow_complete(vm, &piece->from, piece->bytes, false,
                           bar->clocks.agent, phase);
}

// Lanes learn that the groups of agent `which` with numbers below `times`, by
// lane, are complete.
static void learn_groups(VmWarp *w, uint32_t lanes, uint32_t which,
                         const uint32_t *times) {
    VmClocks *clocks = &w->vm->order->clocks;
    EACH_LANE(l, lanes) {
        VmKnown done = {
            vm_known_key(VIEW_GENERIC, KNOWN_AGENT, agent_of(w, which)),
            1u << l, times[l]};
        VmClock *clock = vm_clock_with(clocks, NULL, &done, 1);
        vm_order_learn(w, 1u << l, clock);
        vm_clock_drop(clocks, clock);
    }
}

static uint32_t groups_over(uint32_t committed, uint64_t pending) {
    return pending < committed ? committed - (uint32_t)pending : 0;
}

static uint32_t bulk_time(const VmWarp *w, uint32_t lane, uint64_t pending) {
    uint32_t committed = w->copies.bulk_group[lane];
    return pending == UINT64_MAX ? committed + 1
                                 : groups_over(committed, pending);
}

// Of a group that was committed long ago no more is known than that each of the
// groups behind it has a mark: it may have all other marks, and so it counts as
// having them.
static uint32_t async_time(const VmWarp *w, uint32_t lane, uint64_t pending) {
    uint32_t over = groups_over(w->copies.group[lane], pending);
    uint32_t marks = w->copies.marks[lane];
    if (pending == UINT64_MAX)
        return marks + 1;
    if (over == 0)
        return 0;
    return pending >= VM_COPY_TIMES
               ? (pending < marks ? marks - (uint32_t)pending : marks + 1)
               : w->group_marks[(over - 1) % VM_COPY_TIMES][lane];
}

void vm_copy_waited(VmWarp *w, uint32_t lanes, bool bulk, bool reads_only,
                    uint64_t pending) {
    uint32_t times[VM_LANES];
    if (!w->order.agents)
        return;
    EACH_LANE(l, lanes) {
        times[l] = bulk ? bulk_time(w, l, pending) : async_time(w, l, pending);
    }
    learn_groups(w, lanes, bulk ? AGENT_BULK_READ : AGENT_ASYNC, times);
    if (bulk && !reads_only)
        learn_groups(w, lanes, AGENT_BULK_WRITE, times);
}

void vm_copy_arrives(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                     VmMbarrier *bar) {
    VmKnown done = {vm_known_key(VIEW_GENERIC, KNOWN_AGENT,
                                 agent_of(copy->warp, AGENT_ASYNC)),
                    1u << piece->lane, piece->mark + 1};
    vm_order_mbarrier_passes(vm, bar, done);
}
