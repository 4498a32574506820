// SPDX-License-Identifier: Apache-2.0
// The other file of linked.cu; each has a function `own`.
__device__ int factor = 10;

static __device__ int own(int x) {
    return 2 * x;
}

__device__ int twice(int x) {
    return own(x);
}
