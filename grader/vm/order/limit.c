// SPDX-License-Identifier: Apache-2.0
// A limit of what is recorded for the order of accesses was reached: said once.
#include "vm/machine/findings.h"
#include "vm/order/order.h"

void vm_order_incomplete(Vm *vm, const char *what) {
    VmOrder *o = vm->order;
    if (o->is_incomplete)
        return;
    o->is_incomplete = true;
    bool fresh;
    uint32_t loc = vm->program->entry->code[0].loc;
    Finding *finding =
        vm_finding(vm, NULL, loc, RULE_LIMIT, FINDING_ERROR, &fresh,
                   "the order of the kernel's accesses was not checked to the "
                   "end: %s",
                   what);
    if (fresh)
        finding->help = STR("launch fewer blocks or give it a smaller problem; "
                            "rules about order (RACE, CLC006, CLC007, MEM003) "
                            "say nothing about the rest of this run");
}
