// SPDX-License-Identifier: Apache-2.0
// Where variables are in memory that they share: a kernel's parameters in the
// parameter block, variables in shared memory, those of a function in a
// thread's local memory.
#include "ptx/ptx.h"

uint64_t ptx_place(uint64_t *end, const PtxVar *var) {
    uint64_t at = round_up(*end, var->align);
    *end = at + var->size;
    return at;
}

uint64_t ptx_param_offset(const PtxFunc *kernel, size_t index) {
    uint64_t at = 0, end = 0;
    for (size_t i = 0; i <= index; i++)
        at = ptx_place(&end, kernel->params[i]);
    return at;
}

uint64_t ptx_param_bytes(const PtxFunc *kernel) {
    uint64_t end = 0;
    for (size_t i = 0; i < kernel->param_count; i++)
        ptx_place(&end, kernel->params[i]);
    return end;
}
