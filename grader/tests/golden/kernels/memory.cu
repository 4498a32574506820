// SPDX-License-Identifier: Apache-2.0
// Global, constant, local and parameter memory: widths, vectors, alignment,
// initialised variables and addresses in them, the heap.
#include "golden.cuh"

#include <cstring>

// golden mem_widths words=8
GOLDEN(mem_widths) {
    Io io(in, out, n);
    const u8 *bytes = (const u8 *)(in + (io.i & 1023));
    u32 k = io.word(0) & 3;
    io.put(bytes[k]);
    io.put((u32)(s8)bytes[k + 1]);
    io.put(((const u16 *)bytes)[k]);
    io.put((u32)((const s16 *)bytes)[k]);
    io.put64(((const u64 *)(in + 2 * (io.i & 511)))[k]);
    io.put64((u64)((const s32 *)bytes)[k]);
}

// golden mem_vectors words=14
GOLDEN(mem_vectors) {
    Io io(in, out, n);
    u32 k = io.word(0) & 255;
    uint2 a = ((const uint2 *)in)[k];
    uint4 b = ((const uint4 *)in)[k];
    uchar4 c = ((const uchar4 *)in)[k];
    short4 d = ((const short4 *)in)[k];
    ushort2 e = ((const ushort2 *)in)[k];
    ulonglong2 f = ((const ulonglong2 *)in)[k];
    io.put(a.x ^ a.y * 3);
    io.put(b.x + b.y * 3 + b.z * 5 + b.w * 7);
    io.put(c.x + c.y * 3u + c.z * 5u + c.w * 7u);
    io.put((u32)(d.x + d.y * 3 + d.z * 5 + d.w * 7));
    io.put(e.x + e.y * 3u);
    io.put64(f.x * 3 + f.y);
    __shared__ uint4 tile[128];
    tile[threadIdx.x] = make_uint4(b.w, b.z, b.y, b.x);
    __syncthreads();
    uint4 t = tile[threadIdx.x ^ 1];
    __syncthreads();
    ((uint2 *)tile)[2 * threadIdx.x] = make_uint2(a.y, a.x); // own entry
    ((u16 *)tile)[8 * threadIdx.x + 7] = (u16)a.x;
    __syncthreads();
    uint4 s = tile[threadIdx.x ^ 2];
    io.put(t.x ^ t.y);
    io.put(t.z + t.w);
    io.put(s.x ^ s.y);
    io.put(s.z + s.w);
    u32 v[3];
    asm("ld.global.v2.u32 {%0, %1}, [%3]; ld.global.nc.u32 %2, [%3+4];"
        : "=&r"(v[0]), "=&r"(v[1]), "=r"(v[2]) : "l"(in + 2 * k));
    io.put(v[0] + v[1] * 3);
    io.put(v[2]);
    io.put(__ldg(in + k) + __ldcs(in + k + 1) + __ldcg(in + k + 2) +
           __ldca(in + k + 3) + __ldlu(in + k + 4) + __ldcv(in + k + 5));
}

struct Table {
    u8 a;
    u16 b;
    u32 c;
    u64 d;
    float e[3];
    double f;
};
__constant__ Table constant_table[3] = {
    {1, 2, 3, 4, {5.5f, -6.25f, 7}, 8.125},
    {255, 65535, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, {1e30f, 1e-40f, -0.0f}, -1e300},
    {16, 1616, 16161616, 1616161616161616, {0.1f, 0.2f, 0.3f}, 0.1}};
__constant__ u32 primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41,
    43, 47, 53};

// golden mem_constant words=9
GOLDEN(mem_constant) {
    Io io(in, out, n);
    const Table &t = constant_table[io.word(0) % 3];
    io.put(t.a + t.b);
    io.put(t.c);
    io.put64(t.d);
    io.putf(t.e[io.word(1) % 3]);
    io.putd(t.f);
    io.put(primes[io.word(2) & 15] * primes[io.i & 15]);
    const u32 *generic = primes;
    io.put(generic[(io.i * 7) & 15]);
}

struct Node {
    const Node *next;
    u32 value;
};
__device__ Node last = {nullptr, 11};
__device__ Node middle[2] = {{&last, 22}, {&last, 33}};
__device__ Node first = {middle + 1, 44};
__device__ const Node *const nodes[4] = {&first, middle, &last, middle + 1};
__device__ u32 numbers[8] = {8, 7, 6, 5, 4, 3, 2, 1};
__device__ u32 *inside = &numbers[3];
__device__ u32 *const ends[2] = {numbers, numbers + 7};
__device__ const char *const words[4] = {"cluster", "launch", "control", ""};
__device__ u8 bytes_only[5] = {1, 2, 3, 250, 251};
__device__ double real_numbers[2] = {3.14159265358979, -2.5e-310};

// golden mem_initialised words=10
GOLDEN(mem_initialised) {
    Io io(in, out, n);
    const Node *node = nodes[io.word(0) & 3];
    u32 sum = 0;
    for (u32 k = 0; k < (io.word(1) & 7) && node; k++, node = node->next)
        sum = sum * 3 + node->value;
    io.put(sum);
    io.put(*inside + inside[(s32)(io.i % 8) - 3]);
    io.put(*ends[0] * 10 + *ends[1]);
    io.put((u32)(ends[1] - ends[0]));
    const char *word = words[io.word(2) & 3];
    u32 length = 0, letters = 0;
    for (; word[length]; length++)
        letters = letters * 31 + (u8)word[length];
    io.put(length);
    io.put(letters);
    io.put(bytes_only[io.i % 5]);
    io.put((u32)(numbers == ends[0]) + 2 * (node != nullptr));
    io.putd(real_numbers[io.i & 1] * 2);
}

// golden mem_local words=4
GOLDEN(mem_local) {
    Io io(in, out, n);
    u32 v[33];
    for (u32 k = 0; k < 33; k++)
        v[k] = io.word(k);
    for (u32 k = 0; k < 100; k++) {
        u32 a = v[k % 33] % 33, b = v[(k * 7) % 33] % 33;
        u32 t = v[a];
        v[a] = v[b] + k;
        v[b] = t;
    }
    u32 sum = 0;
    for (u32 k = 0; k < 33; k++)
        sum = sum * 5 + v[k];
    io.put(sum);
    alignas(8) u8 small[40];
    for (u32 k = 0; k < 40; k++)
        small[k] = (u8)(io.word(0) >> (k % 25));
    u16 *shorts = (u16 *)small;
    shorts[io.i % 20] ^= 0xABCD;
    *(u64 *)(small + 8 * (io.i % 5)) += 0x0102030405060708;
    for (u32 k = 0; k < 40; k++)
        sum = sum * 7 + small[(k * 3) % 40];
    io.put(sum);
    float matrix[4][5];
    for (u32 k = 0; k < 20; k++)
        matrix[k / 5][k % 5] = io.moderate(k);
    io.putf(matrix[io.word(1) & 3][io.word(2) % 5]);
    io.putf(matrix[io.i & 3][io.i % 5] + matrix[3 - (io.i & 3)][4]);
}

NOINLINE void fill(u32 *at, u32 count, u32 seed) {
    for (u32 k = 0; k < count; k++)
        at[k] = seed = seed * 1103515245 + 12345;
}
NOINLINE u32 total(const u32 *at, u32 count) {
    u32 sum = 0;
    for (u32 k = 0; k < count; k++)
        sum += at[k] ^ k;
    return sum;
}

// The same functions over local, shared and global memory: generic addresses.
// golden mem_generic words=4
GOLDEN(mem_generic) {
    Io io(in, out, n);
    __shared__ u32 tile[128 * 8];
    u32 local[8];
    fill(local, 8, io.word(0));
    fill(tile + 8 * threadIdx.x, 8, io.word(1));
    io.put(total(local, 8));
    io.put(total(tile + 8 * threadIdx.x, 8));
    const u32 *from = io.word(2) & 1 ? local : tile + 8 * threadIdx.x;
    io.put(total(from, 6));
    io.put(__isLocal(from) + 2 * __isShared(from) + 4 * __isGlobal(from) +
           8 * __isGlobal(in) + 16 * __isConstant(from));
}

// golden mem_copies words=2
GOLDEN(mem_copies) {
    Io io(in, out, n);
    u8 a[64], b[64];
    memset(a, (int)io.word(0), sizeof a);
    memcpy(b, in + 16 * (io.i & 63), sizeof b);
    memcpy(a + (io.word(1) & 15), b + (io.word(2) & 15), io.word(3) & 31);
    u32 x = 0, y = 0;
    for (u32 k = 0; k < 64; k++)
        x = x * 31 + a[k], y = y * 33 + b[k];
    io.put(x);
    io.put(y);
}

// golden mem_heap words=3 grid=2 block=64
GOLDEN(mem_heap) {
    Io io(in, out, n);
    u32 count = io.word(0) % 20 + 1;
    u32 *a = (u32 *)malloc(count * 4);
    u64 *b = new u64[3];
    if (!a || !b) {
        io.put(0xBAD);
        return;
    }
    fill(a, count, io.word(1));
    b[0] = io.word64(2);
    b[1] = b[0] * 3;
    b[2] = b[0] ^ b[1];
    io.put(total(a, count));
    io.put64(b[io.i % 3]);
    free(a);
    delete[] b;
}

struct List {
    List *next;
    u32 value;
};
// golden mem_heap_list words=2 grid=2 block=32
GOLDEN(mem_heap_list) {
    Io io(in, out, n);
    List *head = nullptr;
    for (u32 k = 0; k < io.word(0) % 6 + 2; k++) {
        List *item = (List *)malloc(sizeof(List));
        item->value = io.word(k);
        item->next = head;
        head = item;
    }
    u32 sum = 0, length = 0;
    while (head) {
        List *next = head->next;
        sum = sum * 17 + head->value;
        length++;
        free(head);
        head = next;
    }
    io.put(sum);
    io.put(length);
}

__device__ u32 counters[2][512];
// Through global memory, to oneself and after a barrier to a neighbour.
// golden mem_global words=3
GOLDEN(mem_global) {
    Io io(in, out, n);
    counters[0][io.i] = io.word(0);
    counters[1][io.i ^ 1] = io.word(1);
    __syncthreads();
    io.put(counters[0][io.i ^ 64] + counters[1][io.i]);
    volatile u32 *v = &counters[0][io.i ^ 64];
    *v = *v + 1;
    __syncthreads();
    io.put(counters[0][io.i]);
    *(u16 *)&counters[1][io.i] = (u16)io.word(2);
    *((u8 *)&counters[1][io.i] + 3) = (u8)io.word(3);
    io.put(counters[1][io.i]);
}

// Loads and stores of every order and scope, alone in memory of one's own.
// golden mem_orders words=7
GOLDEN(mem_orders) {
    Io io(in, out, n);
    u32 r, *p = &counters[0][io.i];
    u64 *q = (u64 *)&counters[1][io.i & ~1u], s;
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(io.word(0)) : "memory");
    asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
    io.put(r);
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(p), "r"(io.word(1)) : "memory");
    asm volatile("ld.relaxed.cluster.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
    io.put(r);
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(io.word(2)) : "memory");
    asm volatile("fence.acq_rel.gpu; fence.sc.sys; membar.cta; membar.gl;" ::: "memory");
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
    io.put(r);
    asm volatile("st.global.wt.u32 [%0], %1;" ::"l"(p), "r"(io.word(3)) : "memory");
    asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
    io.put(r);
    if (io.i & 1)
        return;
    asm volatile("st.weak.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(q),
        "r"(io.word(4)), "r"(io.word(5)) : "memory");
    asm volatile("ld.global.L1::evict_last.L2::128B.u64 %0, [%1];"
        : "=l"(s) : "l"(q) : "memory");
    io.put64(s);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(q) : "memory");
    io.put(1);
}

struct Big {
    u32 words[12];
    u64 wide;
    u8 tail[3];
};
NOINLINE u32 digest(Big big, u32 k) {
    return big.words[k % 12] + (u32)(big.wide >> (k % 33)) + big.tail[k % 3];
}
// golden mem_parameters words=2
GOLDEN(mem_parameters) {
    Io io(in, out, n);
    Big big;
    for (u32 k = 0; k < 12; k++)
        big.words[k] = io.word(k);
    big.wide = io.word64(5);
    for (u32 k = 0; k < 3; k++)
        big.tail[k] = (u8)io.word(k + 20);
    io.put(digest(big, io.word(0)));
    big.words[io.i % 12] = 5;
    io.put(digest(big, io.i));
}
