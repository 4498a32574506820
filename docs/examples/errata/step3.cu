// SPDX-License-Identifier: Apache-2.0
// The guide's third step hands the request itself to invoke_one. libcu++'s
// request is a template, and a template's name alone is no function.
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void step3(int *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    auto warp = cg::coalesced_threads();
#ifdef MENDED // a lambda, as in the guide's whole kernels
    cg::invoke_one(
        warp, [&]() { ptx::clusterlaunchcontrol_try_cancel(&slot, &bar); });
#else
    cg::invoke_one(warp, ptx::clusterlaunchcontrol_try_cancel, &slot, &bar);
#endif
}
