// SPDX-License-Identifier: Apache-2.0
// What a named barrier had when it was last complete, for the report of a wait
// there that nobody ends. A named barrier counts threads, whoever they are. So
// it may be complete without some that should have come, if a warp arrived
// twice, or if another group of warps uses the same number.
#include "vm/engine/engine.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"

enum { MOST_LISTED = 8 };

typedef struct WarpList {
    FactItem items[MOST_LISTED + 1];
    Fact numbers[MOST_LISTED + 1];
    size_t count;
} WarpList;

static void add_item(WarpList *list, FactWord word, Fact number) {
    list->numbers[list->count] = number;
    list->items[list->count] =
        (FactItem){word, {&list->numbers[list->count], 1}};
    list->count++;
}

// The words of the key CAME or of the key COME, in their order.
static void list_warps(WarpList *list, uint32_t warps, FactWord first) {
    uint32_t left = vm_count(warps);
    EACH_LANE(i, warps) {
        if (list->count == MOST_LISTED)
            break;
        add_item(list, list->count ? first + 1 : first, FACT(WARP, i));
        left--;
    }
    if (left)
        add_item(list, first + 2, FACT(COUNT, left));
}

// Whether fewer warps came than threads were counted.
static bool came_twice(const VmBarrierRound *round) {
    return round->arrived > vm_count(round->warps) * VM_LANES;
}

static FindingReason reason_of(const VmBarrier *b) {
    if (came_twice(&b->before))
        return REASON_ARRIVED_TWICE;
    if (b->warps & ~b->before.warps)
        return REASON_BARRIER_SHARED;
    return b->warps == b->before.warps ? REASON_NONE : REASON_BARRIER_AGAIN;
}

void vm_relate_rounds(Vm *vm, const VmBarrier *b, uint32_t id, Finding *f) {
    if (!f || !b->expected || !b->before.warps)
        return;
    WarpList came = {0}, come = {0};
    list_warps(&came, b->before.warps, WORD_CAME_FIRST);
    list_warps(&come, b->warps, WORD_COME_FIRST);
    f->reason = reason_of(b);
    vm_relate(vm, f, PLACE_BARRIER_BEFORE,
              vm_learner_loc(vm, NULL, b->before.loc),
              FACTS(FACT(NUMBER, id), FACT(ARRIVED, b->before.arrived),
                    FACT(COUNT, vm_count(b->before.warps)),
                    FACT(TIMES, vm_count(b->warps)),
                    FACT_ITEMS(CAME, came.items, came.count),
                    FACT_ITEMS(COME, come.items, come.count)));
}
