// SPDX-License-Identifier: Apache-2.0
// The arguments and the result of a call, for functions that the system
// supplies.
#include "vm/units/units.h"

#include <string.h>

uint64_t vm_argument(const VmWarp *w, const VmInstr *in, uint32_t index,
                     uint32_t lane) {
    if (index >= in->call->arg_count)
        return 0;
    const VmPlace *arg = &in->call->args[index];
    uint64_t value = 0;
    memcpy(&value, w->base[arg->sel] + arg->off + (size_t)lane * arg->bytes,
           arg->bytes < 8 ? arg->bytes : 8);
    return value;
}

void vm_give_result(const VmWarp *w, const VmInstr *in, uint32_t lane,
                    uint64_t value) {
    if (in->call->result_count == 0)
        return;
    const VmPlace *to = &in->call->results[0];
    memcpy(w->base[0] + to->off + (size_t)lane * to->bytes, &value,
           to->bytes < 8 ? to->bytes : 8);
}
