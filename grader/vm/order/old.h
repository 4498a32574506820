// SPDX-License-Identifier: Apache-2.0
// Older values of memory that strong accesses share: see old.c.
#ifndef CLCLAB_VM_ORDER_OLD_H
#define CLCLAB_VM_ORDER_OLD_H

#include "vm/order/order.h"

// A strong store or atomic of the lane is about to overwrite the bytes at `at`.
void vm_old_store(VmWarp *w, uint32_t lane, uint64_t place, const uint8_t *at,
                  uint32_t bytes);
// The lane has read the place, by a strong load.
void vm_old_seen(const VmWarp *w, uint32_t lane, uint64_t place);
// What was there before the last store, which `who` made at `time` (clock.h),
// if that is another value, and if the memory model lets the lane read it: the
// store does not happen before what the lane does now, and no read of it that
// does, or that the lane has made, has seen the store. NULL: it must read what
// is there (`now`), or that is not known.
const uint8_t *vm_old_value(const VmWarp *w, uint32_t lane, uint64_t place,
                            uint32_t who, uint32_t time, const uint8_t *now,
                            uint32_t bytes);
void vm_old_end(VmOrder *o); // forgets all

#endif
