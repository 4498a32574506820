// SPDX-License-Identifier: Apache-2.0
// Of a phase that some arrivals never come to: the warps that do not arrive,
// where all the others of their blocks have, and the branch that leads them
// round the arrival. A count that is too large looks alike where few have
// arrived; so most have to, and what is missing has to be one of each of the
// warps that are.
#include "vm/decode/condition.h"
#include "vm/engine/engine.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"

typedef struct Absent {
    const VmWarp *first;
    int32_t absent, arrived; // warps
} Absent;

static void count_cta(const VmCta *cta, const VmMbarrier *bar, Absent *all) {
    Absent own = {0};
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        const VmWarp *w = &cta->warps[k];
        bool has_arrived = vm_mbarrier_has_arrived(bar, w->serial);
        own.arrived += has_arrived;
        own.absent += !has_arrived && w->live;
        if (!has_arrived && w->live && !own.first)
            own.first = w;
    }
    if (!own.arrived) // it is for the warps of other blocks
        return;
    all->arrived += own.arrived;
    all->absent += own.absent;
    all->first = all->first ? all->first : own.first;
}

static const PtxInstr *arrival_at(const VmFunc *func, uint32_t loc) {
    for (size_t i = 0; i < func->ptx->instr_count; i++)
        if (func->ptx->instrs[i].op == PTX_OP_MBARRIER_ARRIVE &&
            func->ptx->instrs[i].loc == loc)
            return &func->ptx->instrs[i];
    return NULL;
}

VmAbsence vm_absent_arrival(const VmFunc *func, const VmCluster *cluster,
                            const VmMbarrier *bar) {
    int32_t came = bar->state.expected - bar->state.pending;
    Absent all = {0};
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        count_cta(cluster->ctas[i], bar, &all);
    const PtxInstr *arrival = arrival_at(func, bar->report.arrive_loc);
    if (!arrival || !all.first || came <= bar->state.pending ||
        all.arrived != came || all.absent != bar->state.pending)
        return (VmAbsence){0};
    uint32_t loc =
        arrival->guard ? arrival->loc : vm_condition_loc(func, arrival);
    uint32_t thread = all.first->index * VM_LANES + vm_first(all.first->live);
    return (VmAbsence){loc, fact_thread(all.first->cta->linear, thread)};
}
