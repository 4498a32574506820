// SPDX-License-Identifier: Apache-2.0
// The shape of a launch: indices of blocks, and how many of them an SM holds.
#include "vm/machine/machine.h"

uint32_t vm_linear(const uint32_t id[3], const uint32_t dims[3]) {
    return id[0] + dims[0] * (id[1] + dims[1] * id[2]);
}

void vm_unlinear(uint32_t index, const uint32_t dims[3], uint32_t id[3]) {
    id[0] = index % dims[0];
    id[1] = index / dims[0] % dims[1];
    id[2] = index / dims[0] / dims[1];
}

uint32_t vm_sm_fit(const Vm *vm) {
    const VmModel *m = vm->model;
    uint32_t threads = vm_warps_of_cta(vm) * VM_LANES;
    uint32_t smem = vm->shape.smem_bytes + m->smem_reserved;
    if (vm->shape.smem_bytes > m->smem_per_cta || threads > m->threads_per_sm)
        return 0;
    uint32_t fit = m->ctas_per_sm;
    if (fit > m->threads_per_sm / threads)
        fit = m->threads_per_sm / threads;
    return smem && fit > m->smem_per_sm / smem ? m->smem_per_sm / smem : fit;
}
