// SPDX-License-Identifier: Apache-2.0
// Reports, once, that a limit on what is recorded for the order of accesses was
// reached. That is no mistake of the kernel: an advisory.
#include "vm/machine/findings.h"
#include "vm/order/order.h"

void vm_order_incomplete(Vm *vm, FactWord records) {
    VmOrder *o = vm->order;
    if (o->is_incomplete)
        return;
    o->is_incomplete = true;
    uint32_t loc = vm->program->entry->code[0].loc;
    vm_found(vm, NULL, loc, CASE_LIMIT_ORDER, FINDING_ADVISORY,
             FACTS(FACT(RECORDS, records)));
}

void vm_order_lost(Vm *vm, FactWord records) {
    vm_order_incomplete(vm, records);
    vm->order->is_lost = true;
}
