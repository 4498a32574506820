// SPDX-License-Identifier: Apache-2.0
// The rules: a row for each, with all that is to be known of a rule without
// knowing how it is broken (cases.h). docs/semantics.md explains each.
#ifndef CLCLAB_RULE_H
#define CLCLAB_RULE_H

#include "base/base.h"

// X(CODE, related, retried, "what the rule asks for")
//   related  the places related to a finding: BEFORE, they happened before it;
//            BESIDE, they only belong to it, such as where other threads wait
//   retried  what a schedule has found: AGAIN, other schedules, such as those
//            in which blocks go in order, tell what it hangs on; ONCE, they do
//            not, as none runs any further
#define DEVICE_RULES(X)                                                       \
    X(CLC001, BEFORE, AGAIN, "no request after an observed refusal")          \
    X(CLC002, BEFORE, AGAIN, "no index out of a refused answer")              \
    X(CLC003, BEFORE, AGAIN, "no multicast request when a CTA has exited")    \
    X(CLC004, BEFORE, AGAIN, "no exit with a request in flight")              \
    X(CLC005, BEFORE, AGAIN,                                                  \
      "slot and mbarrier in the CTA's own shared memory")                     \
    X(CLC006, BEFORE, AGAIN, "slot reuse is ordered by a proxy fence")        \
    X(CLC007, BEFORE, AGAIN, "answer read after its phase completed")         \
    X(CLC008, BEFORE, AGAIN, "answer decoded by query_cancel only")           \
    X(CLC009, BESIDE, AGAIN, "granted work is processed")                     \
    X(CLC010, BEFORE, AGAIN, "one slot a request; arrivals and bytes add up") \
    X(CLC011, BEFORE, AGAIN,                                                  \
      "multicast after all CTAs initialised their barrier")                   \
    X(BAR001, BEFORE, AGAIN, "mbarrier counts stay in their range")           \
    X(BAR002, BEFORE, AGAIN, "mbarrier used only while it is live")           \
    X(BAR003, BEFORE, AGAIN, "no init over a live mbarrier")                  \
    X(BAR004, BEFORE, AGAIN, "init ordered before another CTA's use")         \
    X(MEM001, BEFORE, AGAIN, "memory accesses stay in bounds")                \
    X(MEM002, BEFORE, AGAIN, "memory accesses are aligned")                   \
    X(MEM003, BEFORE, AGAIN, "memory is written before it is read")           \
    X(MEM004, BEFORE, AGAIN, "a CTA's shared memory is used while it runs")   \
    X(MEM005, BEFORE, AGAIN, "constants and parameters are not written")      \
    X(RACE001, BEFORE, AGAIN, "conflicting accesses are ordered")             \
    X(RACE002, BEFORE, AGAIN, "proxies are ordered by proxy fences")          \
    X(SYNC001, BESIDE, AGAIN, "every thread a barrier waits for reaches it")  \
    X(SYNC002, BESIDE, AGAIN, "aligned barriers by whole warps")              \
    X(SYNC003, BEFORE, AGAIN, "cluster barrier: arrive, then wait")           \
    X(SYNC004, BESIDE, AGAIN, "every lane of a membermask comes")             \
    X(DEADLOCK, BESIDE, AGAIN, "somebody can always go on")                   \
    X(TRAP, BEFORE, AGAIN, "the kernel does not trap")                        \
    X(ASSERT, BEFORE, AGAIN, "assertions hold")                               \
    X(LIMIT, BESIDE, ONCE, "the kernel ends within the step limit")           \
    X(TIMEOUT, BEFORE, AGAIN, "the kernel ends within a GPU's deadline")      \
    X(FAULT, BEFORE, AGAIN, "a GPU executes the kernel without a fault")      \
    X(UNSUPPORTED, BESIDE, ONCE, "the virtual machine has the instruction")

typedef enum DeviceRule {
    DEVICE_RULE_NONE,
#define DEVICE_RULE_ENUM(id, related, retried, asks) RULE_##id,
    DEVICE_RULES(DEVICE_RULE_ENUM)
#undef DEVICE_RULE_ENUM
        DEVICE_RULE_COUNT
} DeviceRule;

// An entry in a list of rules: a device's rule, or one of check/ (OUTPUT).
typedef struct RuleLine {
    Str code; // "CLC006"
    Str asks; // "slot reuse is ordered by a proxy fence"
} RuleLine;

// Its texts are C strings, too; of no rule both are empty.
RuleLine rule_line(DeviceRule rule);
Str rule_code(DeviceRule rule);
DeviceRule rule_find(Str code); // DEVICE_RULE_NONE: no rule has it
// Whether the places related to a finding happened before it.
bool rule_tells_order(DeviceRule rule);
// Whether other schedules are tried to tell what a finding hangs on. What is
// of no rule, a difference of outputs, is.
bool rule_is_retried(DeviceRule rule);

#endif
