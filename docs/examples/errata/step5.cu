// SPDX-License-Identifier: Apache-2.0
// The guide's fifth step calls get_first_ctaid without its type. The type is
// only in the result, so the compiler cannot tell it from the argument.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern "C" __global__ void step5(int *out, uint4 answer) {
#ifdef MENDED
    *out =
        ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
#else
    *out = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x(answer);
#endif
}
