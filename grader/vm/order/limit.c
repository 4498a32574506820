// SPDX-License-Identifier: Apache-2.0
// Reports, once, that a limit on what is recorded for the order of accesses was
// reached.
#include "vm/machine/findings.h"
#include "vm/order/order.h"

void vm_order_incomplete(Vm *vm, FactWord records) {
    VmOrder *o = vm->order;
    if (o->is_incomplete)
        return;
    o->is_incomplete = true;
    uint32_t loc = vm->program->entry->code[0].loc;
    vm_found(vm, NULL, loc, CASE_LIMIT_ORDER, FINDING_ERROR,
             FACTS(FACT(RECORDS, records)));
}
