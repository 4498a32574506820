// SPDX-License-Identifier: Apache-2.0
// Copies that run beside the threads: cp.async and bulk copies, what must be
// waited for before and after. README.md explains the lines above each kernel.
#include "micro.cuh"

// label: clean
// run: 1 64
MICRO copy_and_wait(int *out, int *in, int n) {
    __shared__ int s[64];
    copy_4(&s[threadIdx.x], &in[threadIdx.x]);
    copy_commit();
    copy_wait<0>();
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// label: RACE001 RACE002 MEM003
// also: OUTPUT
// run: 1 64
MICRO copy_no_wait(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    copy_4(&s[threadIdx.x], &in[threadIdx.x]); // <- here
    copy_commit();
    out[threadIdx.x] = s[threadIdx.x]; // <- here
    copy_wait<0>();
}

// The own copies are waited for, the others' are read.
// label: RACE001 RACE002
// also: OUTPUT MEM003
// run: 1 64
MICRO copy_wait_no_barrier(int *out, int *in, int n) {
    __shared__ int s[64];
    copy_4(&s[threadIdx.x], &in[threadIdx.x]); // <- here
    copy_commit();
    copy_wait<0>(); // <- here
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // <- here
}

// Two groups, and the last one is not waited for.
// label: RACE001 RACE002
// also: OUTPUT MEM003
// run: 1 64
MICRO copy_wait_for_one_of_two(int *out, int *in, int n) {
    __shared__ int s[128];
    copy_4(&s[threadIdx.x], &in[threadIdx.x]);
    copy_commit();
    copy_4(&s[threadIdx.x + 64], &in[threadIdx.x + 64]); // <- here
    copy_commit();
    copy_wait<1>();
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
    out[threadIdx.x + 64] = s[(threadIdx.x ^ 32) + 64]; // <- here
    copy_wait<0>();
}

// label: clean
// run: 1 64
MICRO copy_two_in_turn(int *out, int *in, int n) {
    __shared__ int s[128];
    copy_4(&s[threadIdx.x], &in[threadIdx.x]);
    copy_commit();
    copy_4(&s[threadIdx.x + 64], &in[threadIdx.x + 64]);
    copy_commit();
    copy_wait<1>();
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
    copy_wait<0>();
    __syncthreads();
    out[threadIdx.x + 64] = s[(threadIdx.x ^ 32) + 64];
}

// The destination is written while the copy may be under way.
// label: RACE001 RACE002
// also: OUTPUT
// run: 1 64
MICRO copy_over_a_store(int *out, int *in, int n) {
    __shared__ int s[64];
    copy_4(&s[threadIdx.x], &in[threadIdx.x]); // <- here
    copy_commit();
    s[threadIdx.x] = 5; // <- here
    copy_wait<0>();
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// label: MEM001
// run: 1 64
MICRO copy_past_the_end(int *out, int *in, int n) {
    __shared__ int s[64];
    copy_4(&s[threadIdx.x], &in[n - 63 + threadIdx.x]); // <- here
    copy_commit();
    copy_wait<0>();
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// ---- bulk copies ------------------------------------------------------------------

// label: clean
// run: 1 64
MICRO bulk_load_and_wait(int *out, int *in, int n) {
    __shared__ alignas(16) int s[64];
    __shared__ Mbarrier bar;
    if (threadIdx.x == 0) {
        mbarrier_init(&bar, 1);
        mbarrier_expect(&bar, 256);
        bulk_load(s, in, 256, &bar);
    }
    __syncthreads();
    while (!mbarrier_done(&bar, 0))
        ;
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// label: RACE002
// also: OUTPUT MEM003 MEM004 RACE001
// run: 1 64
MICRO bulk_load_no_wait(int *out, int *in, int n) {
    __shared__ alignas(16) int s[64];
    __shared__ Mbarrier bar;
    s[threadIdx.x] = 0; // <- here
    if (threadIdx.x == 0)
        mbarrier_init(&bar, 1);
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expect(&bar, 256);
        bulk_load(s, in, 256, &bar); // <- here
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // <- here
    while (!mbarrier_done(&bar, 0))
        ;
}

// The mbarrier hears of 128 bytes, then of 128 more.
// label: RACE002
// also: OUTPUT MEM003 MEM004 RACE001
// run: 1 64
MICRO bulk_load_wait_for_half(int *out, int *in, int n) {
    __shared__ alignas(16) int s[64];
    __shared__ Mbarrier first, second;
    s[threadIdx.x] = 0; // <- here
    if (threadIdx.x == 0) {
        mbarrier_init(&first, 1);
        mbarrier_init(&second, 1);
    }
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expect(&first, 128);
        bulk_load(s, in, 128, &first);
        mbarrier_expect(&second, 128);
        bulk_load(s + 32, in + 32, 128, &second); // <- here
    }
    __syncthreads();
    while (!mbarrier_done(&first, 0))
        ;
    out[threadIdx.x] = s[threadIdx.x]; // <- here
    while (!mbarrier_done(&second, 0))
        ;
}

// What threads wrote is stored by a bulk copy, no proxy fence between.
// label: RACE002
// also: OUTPUT
// run: 1 64
MICRO bulk_store_no_fence(int *out, int *in, int n) {
    __shared__ alignas(16) int s[64];
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, s, 256); // <- here
        bulk_commit();
        bulk_wait();
    }
}

// label: clean
// run: 1 64
MICRO bulk_store_fence(int *out, int *in, int n) {
    __shared__ alignas(16) int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, s, 256);
        bulk_commit();
        bulk_wait();
    }
}

// The buffer is written again while the copy may still read it.
// label: RACE002
// also: OUTPUT
// run: 1 64
MICRO bulk_store_buffer_reused(int *out, int *in, int n) {
    __shared__ alignas(16) int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, s, 256); // <- here
        bulk_commit();
    }
    __syncthreads();
    s[threadIdx.x] = 5; // <- here
    if (threadIdx.x == 0)
        bulk_wait();
    out[64 + threadIdx.x] = ((volatile int *)s)[threadIdx.x];
}

// label: clean
// run: 1 64
MICRO bulk_store_buffer_waited_for(int *out, int *in, int n) {
    __shared__ alignas(16) int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, s, 256);
        bulk_commit();
        bulk_wait_read();
    }
    __syncthreads();
    s[threadIdx.x] = 5;
    out[64 + threadIdx.x] = ((volatile int *)s)[threadIdx.x];
}
