// SPDX-License-Identifier: Apache-2.0
// Root before symptom. Findings are listed as they happened, and a wait that
// never ends is found last, when nothing can run any more. But where a barrier
// is missed by threads that it is for, what lies behind it is not ordered by it
// in front of them either: that nothing orders two accesses is then the
// symptom, however early it was seen. Such a root is moved in front of the
// first finding that it explains; all others keep their places, and what it
// explains is told to follow from it.
#include "vm/machine/findings.h"

static bool is_missed_barrier(const Finding *f) {
    return f->reason == REASON_PASSED_BY || f->which == CASE_SYNC001_BARRIER ||
           f->which == CASE_SYNC001_CLUSTER;
}

// Whether it says that nothing orders two accesses, or an init and a use.
static bool is_unordered(const Finding *f) {
    switch ((int)f->rule) {
    case RULE_RACE001:
    case RULE_RACE002:
    case RULE_BAR004:
    case RULE_CLC006:
    case RULE_CLC011:
        return true;
    default:
        return f->which == CASE_BAR002_UNORDERED ||
               f->which == CASE_CLC005_MBARRIER_UNORDERED ||
               f->which == CASE_CLC007_NOT_SEEN;
    }
}

static bool explains(const Finding *root, const Finding *symptom) {
    return is_missed_barrier(root) && is_unordered(symptom);
}

static void lead(DeviceRun *run, size_t root) {
    Finding moved = run->findings[root];
    size_t to = 0;
    while (to < root && !(run->findings[to].level == FINDING_ERROR &&
                          explains(&moved, &run->findings[to])))
        to++;
    for (size_t i = root; i > to; i--)
        run->findings[i] = run->findings[i - 1];
    run->findings[to] = moved;
    for (size_t i = to + 1; i <= root; i++)
        if (!run->findings[i].reason && explains(&moved, &run->findings[i]))
            run->findings[i].reason = REASON_FOLLOWS;
}

void vm_lead_roots(DeviceRun *run) {
    for (size_t i = 1; i < run->finding_count; i++)
        if (run->findings[i].level == FINDING_ERROR)
            lead(run, i);
}
