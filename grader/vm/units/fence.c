// SPDX-License-Identifier: Apache-2.0
// Fences (PTX ISA, "membar / fence"). This machine executes all accesses in one
// order, so a fence changes no value: it only tells order.c what the program
// may rely on.
#include "vm/machine/lanes.h"
#include "vm/order/order.h"
#include "vm/trace/trace.h"
#include "vm/units/families.h"

static VmNext op_nothing(VmWarp *w, const VmInstr *in, uint32_t mask) {
    (void)w, (void)in, (void)mask;
    VM_NEXT;
}

static VmNext op_fence(VmWarp *w, const VmInstr *in, uint32_t mask) {
    if (w->vm->order)
        vm_order_fence(w, in, mask);
    VM_NEXT;
}

static void note_fence(const VmWarp *w, VmProxyFence kind) {
    static const DeviceEventKind events[] = {
        [FENCE_FULL] = DEVICE_EVENT_FENCE,
        [FENCE_RELEASE] = DEVICE_EVENT_RELEASE,
        [FENCE_ACQUIRE] = DEVICE_EVENT_ACQUIRE,
    };
    if (kind != FENCE_INIT)
        vm_trace_note(
            w, (DeviceEvent){.kind = events[kind], .at = DEVICE_EVENT_NONE});
}

static VmNext op_proxy_fence(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmFenceReach reach = {(PtxSpace)in->fence.space, in->fence.of_cluster};
    VmProxyFence kind = (VmProxyFence)in->fence.kind;
    if (w->vm->order)
        vm_order_proxy_fence(w, mask, kind, reach);
    if (kind == FENCE_RELEASE || kind == FENCE_ACQUIRE)
        vm_order_half(w, mask, kind, in->loc);
    if (kind == FENCE_FULL)
        vm_order_full(w, mask, reach, in->loc);
    note_fence(w, kind);
    VM_NEXT;
}

// Whether it is one of the two halves, or a fence of both directions.
static VmProxyFence direction(VmDecoder *d) {
    bool is_half = vm_take(d, PTX_MOD_ASYNC_GENERIC);
    vm_take(d, PTX_MOD_SYNC_RESTRICT_SHARED_CTA);
    vm_take(d, PTX_MOD_SYNC_RESTRICT_SHARED_CLUSTER);
    if (!is_half)
        return FENCE_FULL;
    return d->sem == SEM_RELEASE ? FENCE_RELEASE : FENCE_ACQUIRE;
}

static void decode_proxy_fence(VmDecoder *d) {
    bool is_async =
        ptx_has(d->in, PTX_MOD_ASYNC) || ptx_has(d->in, PTX_MOD_ASYNC_GENERIC);
    vm_take(d, PTX_MOD_ALIAS);
    vm_take(d, PTX_MOD_ASYNC);
    if (ptx_has(d->in, PTX_MOD_TENSORMAP_GENERIC))
        vm_unsupported(d, "tensor maps");
    PtxSpace space = vm_take_space(d);
    VmProxyFence kind = direction(d);
    VmInstr *in = vm_emit_plain(d, is_async ? op_proxy_fence : op_nothing);
    in->fence.kind = (uint8_t)kind;
    in->fence.space = (uint8_t)space;
    in->fence.of_cluster = ptx_has(d->in, PTX_MOD_SHARED_CLUSTER);
}

void vm_decode_fence(VmDecoder *d) {
    vm_take_order(d, SEM_ACQ_REL, SCOPE_GPU);
    if (vm_take(d, PTX_MOD_GL))
        d->scope = SCOPE_GPU;
    if (d->in->op == PTX_OP_FENCE_PROXY || d->in->op == PTX_OP_MEMBAR_PROXY) {
        decode_proxy_fence(d);
        return;
    }
    if (d->in->op == PTX_OP_FENCE_MBARRIER_INIT) {
        vm_emit_plain(d, op_proxy_fence)->fence.kind = FENCE_INIT;
        return;
    }
    vm_take(d, PTX_MOD_SYNC_RESTRICT_SHARED_CTA);
    vm_take(d, PTX_MOD_SYNC_RESTRICT_SHARED_CLUSTER);
    vm_emit_plain(d, op_fence);
}
