// SPDX-License-Identifier: Apache-2.0
// Variables that have no value on some path, on which nobody uses them: what
// the compiler makes registers of, and reads. Each kernel is ordinary CUDA that
// has no request in it.
#include "right.h"
#include <cuda/std/optional>

struct Maybe {
    bool has;
    unsigned value; // only where `has`
};

__device__ __noinline__ static Maybe find(const unsigned *in, unsigned what) {
    Maybe found;
    found.has = false;
    for (unsigned i = 0; i < 8 && !found.has; i++)
        if (in[i] == what) {
            found.has = true;
            found.value = 2 * i;
        }
    return found;
}

// A struct comes back from a function in part.
// run: --kernel finds --grid 1 --block 32 --arg buf:128:iota32 --arg buf:128
// gives: 1 i<8 ? 2*i : 0
extern "C" __global__ void finds(const unsigned *in, unsigned *out) {
    Maybe found = find(in, threadIdx.x);
    if (found.has)
        out[threadIdx.x] = found.value;
}

// Such structs lie in shared memory, and are copied whole.
// run: --kernel exchanges --grid 1 --block 32 --arg buf:128:iota32
//      --arg buf:128
// gives: 1 i%2 ? (i%4<2 ? i+2 : i-2) : 0
extern "C" __global__ void exchanges(const unsigned *in, unsigned *out) {
    __shared__ Maybe all[32];
    Maybe mine;
    mine.has = threadIdx.x & 1;
    if (mine.has)
        mine.value = in[threadIdx.x];
    all[threadIdx.x] = mine;
    __syncthreads();
    Maybe other = all[threadIdx.x ^ 2];
    if (other.has)
        out[threadIdx.x] = other.value;
}

// cuda::std::optional, set before a barrier and read after it.
// run: --kernel optional_sum --grid 1 --block 32 --arg buf:128:iota32
//      --arg buf:128
// gives: 1 i>9 ? 3*i : 0
extern "C" __global__ void optional_sum(const unsigned *in, unsigned *out) {
    cuda::std::optional<unsigned> value;
    if (in[threadIdx.x] > 9)
        value = 2 * in[threadIdx.x];
    __syncthreads();
    if (value)
        out[threadIdx.x] = *value + threadIdx.x;
}

// The best so far, which the first round sets.
// run: --kernel best --grid 1 --block 32 --arg buf:128:iota32 --arg buf:128
// gives: 1 31
extern "C" __global__ void best(const unsigned *in, unsigned *out) {
    unsigned most;
    bool any = false;
    for (int i = 0; i < 32; i++)
        if (!any || in[i] > most) {
            most = in[i];
            any = true;
        }
    if (any)
        out[threadIdx.x] = most;
}

// Two conditions that are the same, with a barrier between them.
// run: --kernel twice_if --grid 1 --block 32 --arg buf:128:iota32 --arg buf:128
// gives: 1 i%2*3*i
extern "C" __global__ void twice_if(const unsigned *in, unsigned *out) {
    unsigned value;
    bool odd = threadIdx.x & 1;
    if (odd)
        value = in[threadIdx.x];
    __syncthreads();
    if (odd)
        out[threadIdx.x] = value * 3;
}

// The lower half of the warp has something to add up.
// run: --kernel half_a_warp --grid 1 --block 32 --arg buf:128:iota32
//      --arg buf:4
// gives: 1 120
extern "C" __global__ void half_a_warp(const unsigned *in, unsigned *out) {
    unsigned sum;
    if (threadIdx.x < 16)
        sum = in[threadIdx.x];
    for (int step = 8; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        out[0] = sum;
}

// One lane takes a number, and the others get it by a shuffle.
// run: --kernel one_takes --grid 1 --block 64 --arg buf:4 --arg buf:256
// gives: 0 64
extern "C" __global__ void one_takes(unsigned *count, unsigned *out) {
    unsigned from;
    if (threadIdx.x % 32 == 0)
        from = atomicAdd(count, 32);
    from = __shfl_sync(0xffffffff, from, 0);
    out[from + threadIdx.x % 32] = from;
}

// A pipeline by hand: after the last round nothing has been loaded ahead.
// run: --kernel loads_one_ahead --grid 1 --block 32 --arg buf:128:iota32
//      --arg buf:128 --arg i32:32
// gives: 1 496
extern "C" __global__ void loads_one_ahead(const unsigned *in, unsigned *out,
                                           int n) {
    unsigned now, next, sum = 0;
    if (n > 0)
        now = in[0];
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            next = in[i + 1];
        sum += now;
        now = next;
    }
    out[threadIdx.x] = sum;
}

// Two variables, of which each case sets one or both.
// run: --kernel cases --grid 1 --block 32 --arg buf:128:iota32 --arg buf:128
// gives: 1 i%4==0 ? i+1 : i%4==1 ? 2*i+1 : i%4==2 ? i+3 : 0
extern "C" __global__ void cases(const unsigned *in, unsigned *out) {
    unsigned t = in[threadIdx.x], a, b;
    switch (t & 3) {
    case 0:
        a = t + 1;
        break;
    case 1:
        a = t;
        b = t + 1;
        break;
    case 2:
        b = t + 3;
        break;
    }
    if ((t & 3) <= 1)
        out[threadIdx.x] += a;
    if ((t & 3) == 1 || (t & 3) == 2)
        out[threadIdx.x] += b;
}

// A vector of which two parts have a value, stored whole.
// run: --kernel half_a_vector --grid 1 --block 1 --arg buf:16
extern "C" __global__ void half_a_vector(uint4 *out) {
    uint4 v;
    v.x = blockDim.x;
    v.y = 2;
    *out = v;
}

// Four elements a thread, in registers; behind the end there are none.
// run: --kernel four_each --grid 1 --block 32 --arg buf:400:iota32
//      --arg buf:128 --arg i32:100
// gives: 1 i<25 ? 16*i+6 : 0
extern "C" __global__ void four_each(const unsigned *in, unsigned *out, int n) {
    unsigned mine[4];
    bool is[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        is[k] = threadIdx.x * 4 + k < n;
        if (is[k])
            mine[k] = in[threadIdx.x * 4 + k];
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (is[k])
            out[threadIdx.x] += mine[k];
}
