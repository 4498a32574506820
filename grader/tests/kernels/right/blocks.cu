// SPDX-License-Identifier: Apache-2.0
// Threads of one block and their shared memory: barriers, warps, bytes. Each
// kernel is ordinary CUDA that has no request in it.
#include "right.h"
#include <cuda/atomic>

__device__ static inline unsigned sum_of_warp(unsigned value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

// Shuffles in each warp, then one warp adds up what they left in shared memory.
// run: --kernel sum_by_shuffles --grid 4 --block 256 --arg buf:4096:iota32
//      --arg buf:16
// gives: 1 65536*i+32640
extern "C" __global__ void sum_by_shuffles(const unsigned *in, unsigned *out) {
    __shared__ unsigned partial[8];
    unsigned sum = sum_of_warp(in[blockIdx.x * 256 + threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = sum_of_warp(threadIdx.x < 8 ? partial[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

// A tree in shared memory: barriers while it is wide, __syncwarp below 32.
// run: --kernel sum_by_tree --grid 4 --block 256 --arg buf:4096:iota32
//      --arg buf:16
// gives: 1 65536*i+32640
extern "C" __global__ void sum_by_tree(const unsigned *in, unsigned *out) {
    __shared__ unsigned tree[256];
    unsigned t = threadIdx.x;
    tree[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned half = 128; half >= 32; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t >= 32)
        return;
    for (unsigned half = 16; half > 0; half /= 2) {
        unsigned other = tree[t + half];
        __syncwarp();
        tree[t] += other;
        __syncwarp();
    }
    if (t == 0)
        out[blockIdx.x] = tree[0];
}

// A scan between two buffers: one barrier a step.
// run: --kernel scan_in_steps --grid 2 --block 128 --arg buf:1024
// gives: 0 i%128+1
extern "C" __global__ void scan_in_steps(unsigned *out) {
    __shared__ unsigned buffer[2][128];
    unsigned t = threadIdx.x, now = 0;
    buffer[now][t] = 1;
    for (unsigned step = 1; step < 128; step *= 2) {
        __syncthreads();
        unsigned value = buffer[now][t];
        if (t >= step)
            value += buffer[now][t - step];
        now ^= 1;
        buffer[now][t] = value;
    }
    out[blockIdx.x * 128 + t] = buffer[now][t];
}

// Warps keep to their own part: __syncwarp is all that they need.
// run: --kernel warps_on_their_own --grid 2 --block 96 --arg buf:768:iota32
// gives: 0 int(i/32)*32+31-i%32
extern "C" __global__ void warps_on_their_own(unsigned *data) {
    __shared__ unsigned part[3][32];
    unsigned *mine = part[threadIdx.x / 32], lane = threadIdx.x % 32;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    mine[lane] = data[i];
    __syncwarp();
    data[i] = mine[31 - lane];
}

// A tile with a padded row: written along one axis, read along the other.
// run: --kernel transposes --grid 2,2 --block 32,8 --arg buf:16384:iota32
//      --arg buf:16384
// gives: 1 (i%64)*64+int(i/64)
extern "C" __global__ void transposes(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    unsigned x = blockIdx.x * 32, y = blockIdx.y * 32;
    for (unsigned r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = in[(y + r) * 64 + x + threadIdx.x];
    __syncthreads();
    for (unsigned r = threadIdx.y; r < 32; r += 8)
        out[(x + r) * 64 + y + threadIdx.x] = tile[threadIdx.x][r];
}

// Two tiles in turn, one barrier a turn: the next tile is written while slow
// threads still read the present one.
// run: --kernel two_tiles --grid 2 --block 64 --arg buf:4096:iota32
//      --arg buf:512
// gives: 1 int(i/64)*4096+1792+8*(i%64)+8-(i%64==63)*512
extern "C" __global__ void two_tiles(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[2][64];
    unsigned t = threadIdx.x, sum = 0;
    const unsigned *mine = in + blockIdx.x * 512;
    for (unsigned turn = 0; turn < 8; turn++) {
        tile[turn % 2][t] = mine[turn * 64 + t];
        __syncthreads();
        sum += tile[turn % 2][(t + 1) % 64];
    }
    out[blockIdx.x * 64 + t] = sum;
}

// Tiles of two matrices, two barriers a turn.
// run: --kernel multiplies --grid 2,2 --block 8,8 --arg buf:1024:iota32
//      --arg buf:1024
// gives: 1 int(i/16)*256+120
extern "C" __global__ void multiplies(const unsigned *a, unsigned *c) {
    __shared__ unsigned left[8][8], right[8][8];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x, sum = 0;
    for (unsigned k = 0; k < 16; k += 8) {
        left[y][x] = a[row * 16 + k + x];
        right[y][x] = 1;
        __syncthreads();
        for (unsigned j = 0; j < 8; j++)
            sum += left[y][j] * right[j][x];
        __syncthreads();
    }
    c[row * 16 + column] = sum;
}

// Neighbours write bytes and half-words of the same word: no conflict.
// run: --kernel bytes_and_halves --grid 2 --block 64 --arg buf:128
//      --arg buf:256
// gives: 0 (4*(i%16))*16843009+50462976
// gives: 1 (2*(i%32))*65537+65536
extern "C" __global__ void bytes_and_halves(unsigned *bytes, short *halves) {
    __shared__ alignas(4) unsigned char small[64];
    small[threadIdx.x] = threadIdx.x;
    halves[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __syncthreads();
    const unsigned *words = reinterpret_cast<const unsigned *>(small);
    if (threadIdx.x < 16)
        bytes[blockIdx.x * 16 + threadIdx.x] = words[threadIdx.x];
}

// The same bytes serve as words, then as doubles, then as structures.
// run: --kernel reused_as_other_types --grid 2 --block 32 --arg buf:256
// gives: 0 62-2*(i%32)
extern "C" __global__ void reused_as_other_types(unsigned *out) {
    struct Pair {
        short key;
        int value;
    };
    __shared__ alignas(16) char memory[256];
    unsigned t = threadIdx.x;
    unsigned *words = reinterpret_cast<unsigned *>(memory);
    words[t] = t;
    words[t + 32] = t + 32;
    __syncthreads();
    double value = words[63 - t] - (double)words[0];
    __syncthreads();
    reinterpret_cast<double *>(memory)[t] = value;
    __syncthreads();
    value = reinterpret_cast<double *>(memory)[31 - t];
    __syncthreads();
    Pair *pairs = reinterpret_cast<Pair *>(memory);
    pairs[t] = {(short)t, (int)value - 32};
    __syncthreads();
    Pair other = pairs[31 - t];
    out[blockIdx.x * 32 + t] = other.value + other.key;
}

// Dynamic shared memory, cut into parts of several types.
// run: --kernel carved --grid 3 --block 32 --dynamic-smem 448 --arg buf:384
//      --arg i32:32
// gives: 0 3*(31-i%32)
extern "C" __global__ void carved(unsigned *out, int n) {
    extern __shared__ __align__(16) char memory[];
    double *wide = reinterpret_cast<double *>(memory);
    float *narrow = reinterpret_cast<float *>(wide + n);
    short *small = reinterpret_cast<short *>(narrow + n);
    unsigned t = threadIdx.x;
    wide[t] = t;
    narrow[t] = t;
    small[t] = t;
    __syncthreads();
    unsigned r = 31 - t;
    out[blockIdx.x * n + t] = (unsigned)(wide[r] + narrow[r] + small[r]);
}

// One warp produces, one consumes: pairs of named barriers for two buffers.
__device__ static inline void wait_at(unsigned barrier) {
    asm volatile("barrier.sync %0, 64;" ::"r"(barrier) : "memory");
}

__device__ static inline void arrive_at(unsigned barrier) {
    asm volatile("barrier.arrive %0, 64;" ::"r"(barrier) : "memory");
}

// run: --kernel produces_and_consumes --grid 2 --block 64
//      --arg buf:2048:iota32
// gives: 0 i+100
extern "C" __global__ void produces_and_consumes(unsigned *data) {
    enum { FULL = 1, EMPTY = 3, TURNS = 8 };
    __shared__ unsigned buffer[2][32];
    unsigned lane = threadIdx.x % 32;
    unsigned *mine = data + blockIdx.x * 256 + lane;
    if (threadIdx.x < 32) {
        for (unsigned turn = 0; turn < TURNS; turn++) {
            unsigned b = turn % 2;
            if (turn >= 2)
                wait_at(EMPTY + b);
            buffer[b][31 - lane] = mine[turn * 32];
            arrive_at(FULL + b);
        }
    } else {
        for (unsigned turn = 0; turn < TURNS; turn++) {
            unsigned b = turn % 2;
            wait_at(FULL + b);
            mine[turn * 32] = buffer[b][31 - lane] + 100;
            if (turn + 2 < TURNS)
                arrive_at(EMPTY + b);
        }
    }
}

// Two halves of a block, a named barrier each: they never meet.
// run: --kernel halves_with_barriers --grid 2 --block 128 --arg buf:1024
// gives: 0 63-i%64
extern "C" __global__ void halves_with_barriers(unsigned *out) {
    __shared__ unsigned part[2][64];
    unsigned half = threadIdx.x / 64, t = threadIdx.x % 64;
    for (unsigned turn = 0; turn < 1 + half; turn++) {
        part[half][t] = t;
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        out[blockIdx.x * 128 + threadIdx.x] = part[half][63 - t];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    }
}

// A sorting network in shared memory: strides of a warp need __syncwarp alone.
// run: --kernel sorts --grid 2 --block 64 --arg buf:512
// gives: 0 i%64
extern "C" __global__ void sorts(unsigned *out) {
    __shared__ unsigned key[64];
    unsigned t = threadIdx.x;
    key[t] = t * 37 % 64;
    __syncthreads();
    for (unsigned size = 2; size <= 64; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            unsigned other = t ^ stride;
            if (other > t) {
                unsigned a = key[t], b = key[other];
                if ((a > b) == ((t & size) == 0)) {
                    key[t] = b;
                    key[other] = a;
                }
            }
            if (stride > 16)
                __syncthreads();
            else
                __syncwarp();
            if (stride == 1)
                __syncthreads();
        }
    out[blockIdx.x * 64 + t] = key[t];
}

// A histogram with atomics in shared memory, added to the grid's at the end.
// run: --kernel histogram --grid 4 --block 64 --arg buf:4096:iota32
//      --arg buf:64
// gives: 1 64
extern "C" __global__ void histogram(const unsigned *in, unsigned *out) {
    __shared__ unsigned bin[16];
    if (threadIdx.x < 16)
        bin[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * 64 + threadIdx.x; i < 1024; i += 256)
        atomicAdd(&bin[in[i] * 7 % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&out[threadIdx.x], bin[threadIdx.x]);
}

// A flag in shared memory, volatile, with fences of the block on both sides.
// run: --kernel volatile_flag --grid 4 --block 64 --arg buf:1024
// gives: 0 i%32+5
extern "C" __global__ void volatile_flag(unsigned *out) {
    __shared__ unsigned message[32];
    __shared__ volatile unsigned flag[32];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
        flag[lane] = 0;
    __syncthreads();
    if (threadIdx.x >= 32) {
        message[lane] = lane + 5;
        __threadfence_block();
        flag[lane] = 1;
    } else {
        while (flag[lane] == 0) {
        }
        __threadfence_block();
    }
    out[blockIdx.x * 64 + threadIdx.x] = message[lane];
}

// The same with release and acquire at the scope of the block.
// run: --kernel release_and_acquire --grid 4 --block 64 --arg buf:1024
// gives: 0 i%32+5
extern "C" __global__ void release_and_acquire(unsigned *out) {
    __shared__ unsigned message[32], flag[32];
    unsigned lane = threadIdx.x % 32;
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> mine(flag[lane]);
    if (threadIdx.x < 32)
        mine.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x >= 32) {
        message[lane] = lane + 5;
        mine.store(1, cuda::memory_order_release);
    } else {
        while (mine.load(cuda::memory_order_acquire) == 0) {
        }
    }
    out[blockIdx.x * 64 + threadIdx.x] = message[lane];
}

// Even and odd lanes go different ways and exchange through shared memory:
// each way has the mask of its lanes, both meet at the full one.
// run: --kernel two_ways --grid 4 --block 32 --arg buf:512
// gives: 0 i%2?i%32-1+((i%32+30)%32):i%32+1+((i%32+2)%32)
extern "C" __global__ void two_ways(unsigned *out) {
    __shared__ unsigned left[32], right[32];
    unsigned t = threadIdx.x, sum;
    right[t] = t;
    __syncwarp();
    if (t % 2 == 0) {
        left[t] = t;
        __syncwarp(0x55555555);
        sum = left[(t + 2) % 32] + right[t + 1];
    } else {
        left[t] = t;
        __syncwarp(0xaaaaaaaa);
        sum = left[(t + 30) % 32] + right[t - 1];
    }
    __syncwarp();
    out[blockIdx.x * 32 + t] = sum;
}

// Some threads are done early; the barriers go on without them.
// run: --kernel leaves_in_the_loop --grid 2 --block 128 --arg buf:1024
// gives: 0 int((i%128)/32)+1
extern "C" __global__ void leaves_in_the_loop(unsigned *out) {
    __shared__ unsigned turns;
    if (threadIdx.x == 127)
        turns = 0;
    __syncthreads();
    for (;;) {
        if (threadIdx.x == 127)
            turns++;
        __syncthreads();
        unsigned now = turns;
        __syncthreads();
        if (now > threadIdx.x / 32) {
            out[blockIdx.x * 128 + threadIdx.x] = now;
            return;
        }
    }
}

// A queue in shared memory: places are taken with an atomic.
// run: --kernel queue_of_a_block --grid 3 --block 64 --arg buf:12
// gives: 0 693
extern "C" __global__ void queue_of_a_block(unsigned *out) {
    __shared__ unsigned count, item[64];
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x % 3 == 0)
        item[atomicAdd(&count, 1)] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < count)
        atomicAdd(&out[blockIdx.x], item[threadIdx.x]);
}

// Structures with padding, unions and arrays in local memory.
// run: --kernel in_local_memory --grid 2 --block 32 --arg buf:256 --arg i32:3
// gives: 0 (i%32)*2+6
struct Padded {
    char tag;
    int value;
    short last;
};

extern "C" __global__ void in_local_memory(unsigned *out, int n) {
    union {
        float real;
        unsigned bits;
    } both;
    Padded array[8];
    for (int k = 0; k < 8; k++)
        array[k] = {(char)k, (int)threadIdx.x, (short)(k * 2)};
    Padded copy = array[(threadIdx.x + n) % 8], other[4];
    for (int k = 0; k < 4; k++)
        other[k] = array[2 * k + n % 2 - 1];
    both.bits = 0x40400000; // 3.0f
    out[blockIdx.x * 32 + threadIdx.x] =
        copy.value + other[(copy.tag + n) % 4].value + n + (int)both.real;
}

// The same structures in shared memory, copied as a whole: nobody ever writes
// the padding.
// run: --kernel padded_in_shared --grid 2 --block 32 --arg buf:256
// gives: 0 3*(31-i%32)
extern "C" __global__ void padded_in_shared(unsigned *out) {
    __shared__ Padded all[32], copies[32];
    unsigned t = threadIdx.x;
    all[t].tag = t;
    all[t].value = t;
    all[t].last = t;
    __syncthreads();
    copies[t] = all[31 - t];
    __syncthreads();
    memcpy(&all[t], &copies[t], sizeof all[t]);
    out[blockIdx.x * 32 + t] = all[t].tag + all[t].value + all[t].last;
}

// Bit-fields: the compiler reads a word that nobody has written, to put bits
// into it.
// run: --kernel bit_fields --grid 2 --block 32 --arg buf:256
// gives: 0 (31-i%32)+7
extern "C" __global__ void bit_fields(unsigned *out) {
    __shared__ struct { unsigned low : 5, middle : 3, high : 7; } all[32];
    unsigned t = threadIdx.x;
    all[t].low = t;
    all[t].middle = 7;
    __syncwarp();
    out[blockIdx.x * 32 + t] = all[31 - t].low + all[31 - t].middle;
}

// Lanes of one warp wait for each other in turn: release and acquire.
// run: --kernel lane_after_lane --grid 2 --block 32 --arg buf:256
// gives: 0 (i%32)*(i%32+1)/2
extern "C" __global__ void lane_after_lane(unsigned *out) {
    __shared__ unsigned sum, turn;
    unsigned t = threadIdx.x;
    if (t == 31)
        sum = turn = 0;
    __syncwarp();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> now(turn);
    while (now.load(cuda::memory_order_acquire) != t) {
    }
    sum += t;
    out[blockIdx.x * 32 + t] = sum;
    now.store(t + 1, cuda::memory_order_release);
}

// What the warp's own instructions compute, and what one lane prints of it.
// run: --kernel reduces_and_prints --grid 2 --block 64 --arg buf:512
// gives: 0 496+31
extern "C" __global__ void reduces_and_prints(unsigned *out) {
    unsigned lane = threadIdx.x % 32;
    unsigned sum = __reduce_add_sync(0xffffffff, lane);
    unsigned most = __reduce_max_sync(0xffffffff, lane);
    out[blockIdx.x * 64 + threadIdx.x] = sum + most;
    if (threadIdx.x == 33 && blockIdx.x == 1)
        printf("%d %s %f %c %lld\n", lane, "lane", 0.5, 'x', (long long)sum);
}

// A local array of which only some elements are written, and only those read,
// by a function that is not inlined.
__device__ __noinline__ unsigned sum_of(const unsigned *values, unsigned first,
                                        unsigned step) {
    unsigned sum = 0;
    for (unsigned k = first; k < 16; k += step)
        sum += values[k];
    return sum;
}

// run: --kernel every_second_element --grid 2 --block 32 --arg buf:256
//      --arg i32:2
// gives: 0 64+8*(i%32)-8*(i%2)
extern "C" __global__ void every_second_element(unsigned *out, int step) {
    unsigned values[16];
    for (unsigned k = threadIdx.x % 2; k < 16; k += step)
        values[k] = k + threadIdx.x;
    out[blockIdx.x * 32 + threadIdx.x] =
        sum_of(values, threadIdx.x % 2, step) + 8 - 16 * (threadIdx.x % 2);
}
