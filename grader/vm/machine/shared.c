// SPDX-License-Identifier: Apache-2.0
// Addresses of shared memory: which CTA they belong to, and the offset in it.
#include "vm/machine/shared.h"

#include "vm/machine/lanes.h"

VmCta *vm_shared_owner(const VmWarp *w, uint32_t address, uint32_t *offset) {
    uint32_t tag = address >> VM_RANK_SHIFT;
    *offset = address & ((1u << VM_RANK_SHIFT) - 1);
    if (tag == 0)
        return w->cta;
    return tag <= w->cta->cluster->cta_count ? w->cta->cluster->ctas[tag - 1]
                                             : NULL;
}

bool vm_shared_operand(const VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint32_t src, uint64_t imm, VmCta **owner,
                       uint32_t *offset) {
    uint64_t address = imm;
    VmRef base = vm_srcs(in)[src];
    if (base.size)
        address += vm_lane_u64(w, base, lane);
    if (in->space == PTX_SPACE_GENERIC &&
        vm_space_at(PTX_SPACE_GENERIC, address) != PTX_SPACE_SHARED)
        return false;
    *owner = vm_shared_owner(w, (uint32_t)address, offset);
    if (!*owner || *offset < VM_SHARED_BASE)
        return false;
    *offset -= VM_SHARED_BASE;
    return *offset < (*owner)->smem_bytes;
}

bool vm_shared_is_gap(const VmCta *cta, uint32_t offset, uint32_t bytes) {
    return vm_gaps_touch(&cta->cluster->vm->program->shared_gaps, offset,
                         bytes);
}
