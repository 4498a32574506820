// SPDX-License-Identifier: Apache-2.0
// The multicast request of libcu++, with nothing round it; with -DINLINE the
// same instruction in inline PTX, and with -DALONE besides that for one block.
#include <cuda/ptx>

#ifdef ALONE
#define EACH_BLOCK
#else
#define EACH_BLOCK ".multicast::cluster::all"
#endif

extern "C" __global__ void __cluster_dims__(2) ask() {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
#ifdef INLINE
    asm volatile(
        "clusterlaunchcontrol.try_cancel.async.shared::cta"
        ".mbarrier::complete_tx::bytes" EACH_BLOCK ".b128"
        " [%0], [%1];" ::"r"((unsigned)__cvta_generic_to_shared(&slot)),
        "r"((unsigned)__cvta_generic_to_shared(&bar))
        : "memory");
#else
    cuda::ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
#endif
}
