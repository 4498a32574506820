// SPDX-License-Identifier: Apache-2.0
// Atomics whose results do not depend on the order of threads: sums, extremes,
// bits; what a single thread gets back; each thread alone in its word.
#include "golden.cuh"

// golden atm_shared_32 words=12
GOLDEN(atm_shared_32) {
    Io io(in, out, n);
    __shared__ u32 w[12];
    if (threadIdx.x < 12)
        w[threadIdx.x] = threadIdx.x == 3 || threadIdx.x == 4 ? 0x7FFFFFFF : 0;
    __syncthreads();
    u32 a = io.word(0);
    atomicAdd(&w[0], a);
    atomicSub(&w[1], a);
    atomicMax(&w[2], a);
    atomicMin(&w[3], a);
    atomicMin((int *)&w[4], (int)a);
    atomicMax((int *)&w[5], (int)a);
    atomicAnd(&w[6], 0);
    atomicOr(&w[7], a & 0x0F0F0F0F);
    atomicXor(&w[8], a);
    atomicInc(&w[9], 50);
    atomicDec(&w[10], 77);
    atomicCAS(&w[11], 0, 1234);
    __syncthreads();
    for (u32 k = 0; k < 12; k++)
        io.put(w[(k + threadIdx.x) % 12]);
}

// golden atm_shared_64 words=16
GOLDEN(atm_shared_64) {
    Io io(in, out, n);
    __shared__ unsigned long long w[8];
    if (threadIdx.x < 8)
        w[threadIdx.x] = threadIdx.x == 2 ? 1ull << 62 : 0;
    __syncthreads();
    unsigned long long a = io.word64(0);
    atomicAdd(&w[0], a);
    atomicMax(&w[1], a);
    atomicMin(&w[2], a);
    atomicMax((long long *)&w[3], (long long)a);
    atomicMin((long long *)&w[4], (long long)a);
    atomicOr(&w[5], a);
    atomicXor(&w[6], a);
    atomicCAS(&w[7], 0, 99);
    __syncthreads();
    for (u32 k = 0; k < 8; k++)
        io.put64(w[k]);
}

__device__ u32 global_words[4][16];
__device__ u32 finished[4];

// The last block to finish is not known, but each block knows its own words.
// golden atm_global words=10
GOLDEN(atm_global) {
    Io io(in, out, n);
    u32 *w = global_words[blockIdx.x];
    u32 a = io.word(0);
    atomicAdd(&w[0], a);
    atomicMax(&w[1], a);
    atomicMin((int *)&w[2], (int)a);
    atomicOr(&w[3], a);
    atomicXor(&w[4], a);
    atomicInc(&w[5], 1000);
    atomicAdd(&w[6], 1);
    atomicExch(&w[7], 5);
    atomicAdd_block(&w[8], a);
    atomicMax_system(&w[9], a);
    __threadfence();
    __syncthreads();
    for (u32 k = 0; k < 10; k++)
        io.put(w[k]);
}

__device__ u32 own_words[512];
__device__ unsigned long long own_wide[512];

// golden atm_returns words=16
GOLDEN(atm_returns) {
    Io io(in, out, n);
    u32 *p = &own_words[io.i], a = io.word(0), b = io.word(1);
    *p = a;
    io.put(atomicAdd(p, b));
    io.put(atomicSub(p, 3));
    io.put(atomicExch(p, b));
    io.put(atomicMin(p, a));
    io.put((u32)atomicMax((int *)p, (int)b));
    io.put(atomicInc(p, b));
    io.put(atomicDec(p, a));
    io.put(atomicCAS(p, *p, a + 1));
    io.put(atomicCAS(p, b, 77));
    io.put(atomicAnd(p, b));
    io.put(atomicOr(p, 0x11));
    io.put(atomicXor(p, a));
    io.put(*p);
    unsigned long long *q = &own_wide[io.i];
    *q = io.word64(0);
    u64 old = atomicAdd(q, io.word64(1));
    old ^= atomicCAS(q, *q, io.word64(2)) * 3;
    old ^= atomicExch(q, io.word64(3)) * 5;
    old += *q;
    io.put64(old);
    io.put((u32)atomicMax(q, io.word64(4)));
}

// golden atm_inc_dec words=8
GOLDEN(atm_inc_dec) {
    Io io(in, out, n);
    u32 *p = &own_words[io.i];
    *p = io.word(0);
    for (u32 k = 1; k < 5; k++)
        io.put(atomicInc(p, io.word(k)));
    for (u32 k = 5; k < 9; k++)
        io.put(atomicDec(p, io.word(k)));
}

// Sums of small integers as floats are exact in any order.
// golden atm_float_sums words=6
GOLDEN(atm_float_sums) {
    Io io(in, out, n);
    __shared__ float f;
    __shared__ double d;
    if (threadIdx.x == 0)
        f = 0, d = 0;
    __syncthreads();
    int a = (int)(io.word(0) % 1000) - 500;
    atomicAdd(&f, (float)a);
    atomicAdd(&d, (double)a * 0x1p-20);
    float *p = (float *)&own_words[io.i];
    *p = io.moderate(1);
    io.putf(atomicAdd(p, io.moderate(2)));
    io.putf(*p);
    __syncthreads();
    io.putf(f);
    io.putd(d);
    io.putf(atomicExch(p, 2.5f));
}

// A lock of each block, and a counter under it.
__device__ int locks[4];
__device__ u32 guarded[4];
// golden atm_lock words=1 block=64
GOLDEN(atm_lock) {
    Io io(in, out, n);
    for (bool done = false; !done;) {
        if (atomicCAS(&locks[blockIdx.x], 0, 1) == 0) {
            __threadfence();
            *(volatile u32 *)&guarded[blockIdx.x] += io.word(0);
            __threadfence();
            atomicExch(&locks[blockIdx.x], 0);
            done = true;
        }
    }
    __syncthreads();
    io.put(*(volatile u32 *)&guarded[blockIdx.x]);
}

// Extremes of floats through their bits, by compare-and-swap.
// golden atm_cas_loop words=3
GOLDEN(atm_cas_loop) {
    Io io(in, out, n);
    __shared__ u32 most;
    __shared__ unsigned long long product;
    __shared__ unsigned short small[2];
    if (threadIdx.x == 0)
        most = 0, product = 1, small[0] = small[1] = 0;
    __syncthreads();
    float a = io.moderate(0);
    u32 old = most, assumed;
    do {
        assumed = old;
        float m = fmaxf(__uint_as_float(assumed), a);
        old = atomicCAS(&most, assumed, __float_as_uint(m));
    } while (old != assumed);
    unsigned long long wide = product, before;
    do {
        before = wide;
        wide = atomicCAS(&product, before, before * (io.word(1) | 1));
    } while (wide != before);
    atomicCAS(&small[1], (unsigned short)0, (unsigned short)4321);
    __syncthreads();
    io.put(most);
    io.put((u32)(product >> 32));
    io.put(small[0] + small[1]);
}

// golden atm_reductions words=8
GOLDEN(atm_reductions) {
    Io io(in, out, n);
    __shared__ u32 w[8];
    if (threadIdx.x < 8)
        w[threadIdx.x] = 0;
    __syncthreads();
    u32 at = (u32)__cvta_generic_to_shared(w), a = io.word(0);
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(a) : "memory");
    asm volatile("red.shared.max.s32 [%0+4], %1;" ::"r"(at), "r"(a) : "memory");
    asm volatile("red.shared.or.b32 [%0+8], %1;" ::"r"(at), "r"(a) : "memory");
    asm volatile("red.shared.inc.u32 [%0+12], %1;" ::"r"(at), "r"(60) : "memory");
    asm volatile("red.relaxed.cta.shared.xor.b32 [%0+16], %1;" ::"r"(at), "r"(a) : "memory");
    asm volatile("red.release.gpu.shared.add.u32 [%0+20], %1;" ::"r"(at), "r"(a) : "memory");
    asm volatile("red.shared::cta.min.u32 [%0+24], %1;" ::"r"(at), "r"(a) : "memory");
    __syncthreads();
    for (u32 k = 0; k < 8; k++)
        io.put(w[k]);
}

// Shared words, orders and scopes that ask for return values, one at a time.
// golden atm_orders words=6
GOLDEN(atm_orders) {
    Io io(in, out, n);
    u32 *p = &own_words[io.i], r;
    *p = io.word(0);
    asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], %2;"
        : "=r"(r) : "l"(p), "r"(io.word(1)) : "memory");
    io.put(r);
    asm volatile("atom.acq_rel.sys.exch.b32 %0, [%1], %2;"
        : "=r"(r) : "l"(p), "r"(io.word(2)) : "memory");
    io.put(r);
    asm volatile("atom.release.cta.cas.b32 %0, [%1], %2, %3;"
        : "=r"(r) : "l"(p), "r"(io.word(2)), "r"(9) : "memory");
    io.put(r);
    asm volatile("atom.relaxed.cluster.global.min.s32 %0, [%1], %2;"
        : "=r"(r) : "l"(p), "r"(io.word(3)) : "memory");
    io.put(r);
    asm volatile("atom.global.and.b32 %0, [%1], %2;"
        : "=r"(r) : "l"(p), "r"(io.word(4)) : "memory");
    io.put(r);
    io.put(*p);
}

// golden atm_128 words=12 block=64
GOLDEN(atm_128) {
    Io io(in, out, n);
    __shared__ ulonglong2 wide[64];
    ulonglong2 *p = &wide[threadIdx.x];
    *p = make_ulonglong2(io.word64(0), io.word64(1));
    u64 a, b, at = __cvta_generic_to_shared(p);
    asm volatile("{.reg .b128 o, v; mov.b128 v, {%3, %4};"
        "atom.shared.exch.b128 o, [%2], v; mov.b128 {%0, %1}, o;}"
        : "=l"(a), "=l"(b) : "l"(at), "l"(io.word64(2)), "l"(io.word64(3)) : "memory");
    io.put64(a);
    io.put64(b);
    asm volatile("{.reg .b128 o, c, v; mov.b128 c, {%3, %4};"
        "mov.b128 v, {%5, %6}; atom.shared.cas.b128 o, [%2], c, v;"
        "mov.b128 {%0, %1}, o;}"
        : "=l"(a), "=l"(b)
        : "l"(at), "l"(io.word64(2)), "l"(io.word64(3)), "l"(5ull), "l"(6ull) : "memory");
    io.put64(a);
    io.put64(b);
    io.put64(p->x);
    io.put64(p->y);
}

// Addition of vectors of floats, exact: small integers, alone in its words.
__device__ float4 vectors[128];
// golden atm_vectors words=8 grid=1
GOLDEN(atm_vectors) {
    Io io(in, out, n);
    float4 *p = &vectors[io.i];
    *p = make_float4(1, 2, 3, 4);
    __threadfence();
    float4 a = make_float4(io.moderate(0), io.moderate(1), 5, io.moderate(3));
    float4 old = atomicAdd(p, a);
    io.putf(old.x + old.w);
    io.putf(old.y + old.z);
    float2 pair = atomicAdd((float2 *)p, make_float2(a.y, a.x));
    io.putf(pair.x);
    io.putf(pair.y);
    __threadfence();
    io.putf(p->x);
    io.putf(p->y);
    io.putf(p->z);
    io.putf(p->w);
}
