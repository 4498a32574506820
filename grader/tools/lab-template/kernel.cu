// SPDX-License-Identifier: Apache-2.0
// Lab @NUMBER@: @TITLE@.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

extern "C" __global__ void @KERNEL@(float *data, int n) {
    // The prologue: the same for all threads, and costly.
    float alpha = compute_scalar();

    // BEGIN TODO(1): multiply the element of this thread by alpha, and add 1.
@BODY@
    // END TODO(1)
}
