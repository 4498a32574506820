// SPDX-License-Identifier: Apache-2.0
// mbarriers of the own block: order through them, and their misuse. README.md
// explains the lines above each kernel.
#include "micro.cuh"

// label: clean
// run: 1 64
MICRO exchange_by_mbarrier(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        mbarrier_init(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x];
    mbarrier_arrive(&bar);
    while (!mbarrier_done(&bar, 0))
        ;
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// label: RACE001
// also: OUTPUT MEM003
// run: 1 64
MICRO arrive_and_no_wait(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        mbarrier_init(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    mbarrier_arrive(&bar);
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // <- here
}

// A wait for the phase before the first is over at once.
// label: RACE001
// also: OUTPUT MEM003 DEADLOCK
// run: 1 64
MICRO wait_for_the_wrong_parity(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        mbarrier_init(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    mbarrier_arrive(&bar);
    if (threadIdx.x < 32)
        while (!mbarrier_done(&bar, 1))
            ;
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // <- here
}

// label: RACE001
// run: 1 64
MICRO relaxed_mbarrier(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        mbarrier_init(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    mbarrier_arrive_relaxed(&bar);
    while (!mbarrier_done_relaxed(&bar, 0))
        ;
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // <- here
}

// label: clean
// run: 1 64
MICRO relaxed_mbarrier_fences(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        mbarrier_init(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x];
    __threadfence_block();
    mbarrier_arrive_relaxed(&bar);
    while (!mbarrier_done_relaxed(&bar, 0))
        ;
    __threadfence_block();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// A buffer that producer and consumer hand to each other, full and empty.
// label: clean
// run: 1 64
MICRO full_and_empty(int *out, int *in, int n) {
    __shared__ Mbarrier full, empty;
    __shared__ int s[32];
    int t = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 32);
        mbarrier_init(&empty, 32);
    }
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if (threadIdx.x < 32) {
            while (!mbarrier_done(&empty, (i & 1) ^ 1))
                ;
            s[t] = in[t] + i;
            mbarrier_arrive(&full);
        } else {
            while (!mbarrier_done(&full, i & 1))
                ;
            out[32 * i + t] = s[31 - t];
            mbarrier_arrive(&empty);
        }
}

// The producer does not wait until the buffer is empty again.
// label: RACE001
// also: OUTPUT BAR001 DEADLOCK
// run: 1 64
MICRO full_without_empty(int *out, int *in, int n) {
    __shared__ Mbarrier full[4];
    __shared__ int s[32];
    int t = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            mbarrier_init(&full[i], 32);
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if (threadIdx.x < 32) {
            s[t] = in[t] + i; // <- here
            mbarrier_arrive(&full[i]);
        } else {
            while (!mbarrier_done(&full[i], 0))
                ;
            out[32 * i + t] = s[31 - t]; // <- here
        }
}

// label: BAR001
// run: 1 32
MICRO count_of_zero(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    if (threadIdx.x == 0)
        mbarrier_init(&bar, in[0]); // <- here
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}

// 33 arrivals make a phase, and there are 32 threads.
// label: DEADLOCK
// run: 1 32
MICRO one_arrival_is_missing(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    if (threadIdx.x == 0)
        mbarrier_init(&bar, 33);
    __syncthreads();
    mbarrier_arrive(&bar);
    while (!mbarrier_done(&bar, 0)) // <- here
        ;
    out[threadIdx.x] = in[threadIdx.x];
}

// Bytes were announced that nobody sends.
// label: DEADLOCK
// run: 1 32
MICRO bytes_that_never_come(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    if (threadIdx.x == 0) {
        mbarrier_init(&bar, 1);
        mbarrier_expect(&bar, 64);
    }
    __syncthreads();
    while (!mbarrier_done(&bar, 0)) // <- here
        ;
    out[threadIdx.x] = in[threadIdx.x];
}

// label: BAR002
// also: DEADLOCK MEM003
// run: 1 32
MICRO arrive_before_init(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    mbarrier_arrive(&bar); // <- here
    out[threadIdx.x] = in[threadIdx.x];
}

// Another warp's init is not waited for.
// label: BAR002
// also: DEADLOCK RACE001 MEM003
// run: 1 64
MICRO init_not_waited_for(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    if (threadIdx.x == 63)
        mbarrier_init(&bar, 64);
    mbarrier_arrive(&bar); // <- here
    while (!mbarrier_done(&bar, 0))
        ;
    out[threadIdx.x] = in[threadIdx.x];
}

// label: BAR002
// run: 1 32
MICRO arrive_after_inval(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    if (threadIdx.x == 0) {
        mbarrier_init(&bar, 32);
        mbarrier_inval(&bar);
    }
    __syncthreads();
    mbarrier_arrive(&bar); // <- here
    out[threadIdx.x] = in[threadIdx.x];
}

// label: BAR002
// run: 1 32
MICRO plain_store_to_mbarrier(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    if (threadIdx.x == 0) {
        mbarrier_init(&bar, 32);
        *(volatile Mbarrier *)&bar = 0; // <- here
    }
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}

// label: BAR003
// run: 1 32
MICRO init_twice(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    if (threadIdx.x == 0) {
        mbarrier_init(&bar, 32);
        mbarrier_init(&bar, 16); // <- here
    }
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}

// label: clean
// run: 1 32
MICRO inval_and_init_again(int *out, int *in, int n) {
    __shared__ Mbarrier bar;
    if (threadIdx.x == 0) {
        mbarrier_init(&bar, 32);
        mbarrier_inval(&bar);
        mbarrier_init(&bar, 16);
    }
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}
