// SPDX-License-Identifier: Apache-2.0
// Values that are loaded and not used. The compiler loads first and selects
// afterwards, or loads ahead of a branch: most of these kernels say `if` in the
// source, and read in any case in the PTX. What nobody uses is never wrong.
#include "right.h"

// The number of the next block is in memory only where there is one.
// run: --kernel number_if_granted --grid 40 --block 64
//      --arg buf:10240:iota32
// gives: 0 2*i+1
extern "C" __global__ void number_if_granted(unsigned *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ int more, next;
    int block = blockIdx.x;
    unsigned phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (bool go = true; go; phase ^= 1) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, block);
        if (threadIdx.x == 0) {
            wait_for(&bar, phase);
            more = granted(answer);
            if (more)
                next = first_x(answer);
        }
        __syncthreads();
        go = more;
        if (go)
            block = next;
        __syncthreads();
    }
}

// Only odd blocks write the second number.
// run: --kernel added_where_set --grid 8 --block 64 --arg buf:2048:iota32
// gives: 0 i+(int(i/64)%2==1?int(i/64)+4:0)
extern "C" __global__ void added_where_set(unsigned *data) {
    __shared__ unsigned is_set, number;
    if (threadIdx.x == 0) {
        is_set = blockIdx.x & 1;
        if (blockIdx.x & 1)
            number = blockIdx.x + 4;
    }
    __syncthreads();
    unsigned more = 0;
    if (is_set)
        more = number;
    data[blockIdx.x * blockDim.x + threadIdx.x] += more;
}

// A structure of which the second member counts only with the first.
struct Maybe {
    int is_there;
    unsigned value;
};

// run: --kernel optional_value --grid 8 --block 64 --arg buf:2048:iota32
// gives: 0 i+(int(i/64)%2==1?int(i/64):1000)
extern "C" __global__ void optional_value(unsigned *data) {
    __shared__ Maybe maybe;
    if (threadIdx.x == 0) {
        maybe.is_there = blockIdx.x & 1;
        if (maybe.is_there)
            maybe.value = blockIdx.x;
    }
    __syncthreads();
    data[blockIdx.x * blockDim.x + threadIdx.x] +=
        maybe.is_there ? maybe.value : 1000;
}

// A sum of as many parts as there are: all four are loaded.
// run: --kernel parts_that_count --grid 8 --block 64 --arg buf:2048:iota32
// gives: 0 i+int((int(i/64)%4)*(int(i/64)%4+1)/2)
extern "C" __global__ void parts_that_count(unsigned *data) {
    __shared__ unsigned parts[4], count;
    unsigned mine = blockIdx.x % 4;
    if (threadIdx.x == 0)
        count = mine;
    if (threadIdx.x < mine)
        parts[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
        if (i < count)
            sum += parts[i];
    data[blockIdx.x * blockDim.x + threadIdx.x] += sum;
}

// One thread gives, one polls. What it polls counts once the flag is seen, and
// is loaded in each round.
// run: --kernel takes_when_full --grid 4 --block 64 --arg buf:32
// gives: 0 i<4?i+7:0
extern "C" __global__ void takes_when_full(unsigned *data) {
    __shared__ unsigned item, full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> flag(full);
    if (threadIdx.x == 32) {
        item = blockIdx.x + 7;
        flag.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
        unsigned seen;
        do {
            seen = flag.load(cuda::memory_order_acquire);
            data[blockIdx.x] = seen ? item : 0;
        } while (!seen);
    }
}

// Each warp may have left a result; the others' places hold anything.
// run: --kernel results_of_some_warps --grid 8 --block 128 --arg buf:32
// gives: 0 (i%4>=0?10:0)+(i%4>=1?20:0)+(i%4>=2?30:0)+(i%4>=3?40:0)
extern "C" __global__ void results_of_some_warps(unsigned *data) {
    __shared__ unsigned results[4], ready;
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (warp <= blockIdx.x % 4 && threadIdx.x % 32 == 0) {
        results[warp] = 10 * (warp + 1);
        atomicOr(&ready, 1u << warp);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned mask = ready, sum = mask & 1 ? results[0] : 0;
        sum += mask & 2 ? results[1] : 0;
        sum += mask & 4 ? results[2] : 0;
        sum += mask & 8 ? results[3] : 0;
        data[blockIdx.x] = sum;
    }
}

// The larger of two, where there are two.
// run: --kernel larger_of_two --grid 8 --block 32 --arg buf:1024:iota32
// gives: 0 i+(int(i/32)%2==1?int(i/32)+9:3)
extern "C" __global__ void larger_of_two(unsigned *data) {
    __shared__ unsigned first, second, both;
    if (threadIdx.x == 0) {
        both = blockIdx.x & 1;
        first = 3;
        if (blockIdx.x & 1)
            second = blockIdx.x + 9;
    }
    __syncthreads();
    unsigned value = first;
    if (both && second > value)
        value = second;
    data[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

// An element of an array of a thread, where so many were written.
// run: --kernel of_its_own_array --grid 2 --block 64 --arg buf:512 --arg i32:3
// gives: 0 i%64%4>2?2+i%64:9
// run: --kernel of_its_own_array --grid 2 --block 64 --arg buf:512 --arg i32:2
// gives: 0 9
extern "C" __global__ void of_its_own_array(unsigned *data, int most) {
    unsigned own[4];
    int count = threadIdx.x % 4;
    for (int i = 0; i < 4; i++)
        if (i < count)
            own[(i + most) % 4] = i + threadIdx.x;
    unsigned value = 9;
    if (count > 2 && most == 3)
        value = own[1];
    data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Each lane loads its element, lane 0's alone is written and broadcast.
// run: --kernel broadcast_of_one --grid 4 --block 32 --arg buf:512
// gives: 0 int(i/32)+5
extern "C" __global__ void broadcast_of_one(unsigned *data) {
    __shared__ unsigned slots[32];
    if (threadIdx.x == 0)
        slots[0] = blockIdx.x + 5;
    __syncwarp();
    unsigned mine = slots[threadIdx.x];
    data[blockIdx.x * 32 + threadIdx.x] = __shfl_sync(~0u, mine, 0);
}

// A pair is loaded as a whole; the second half was never written.
// run: --kernel half_of_a_pair --grid 4 --block 32 --arg buf:512
// gives: 0 int(i/32)+5
extern "C" __global__ void half_of_a_pair(unsigned *data) {
    __shared__ uint2 pair;
    __shared__ unsigned has_both;
    if (threadIdx.x == 0) {
        has_both = gridDim.x > 100;
        pair.x = blockIdx.x + 5;
        if (gridDim.x > 100)
            pair.y = 1;
    }
    __syncwarp();
    uint2 both = pair;
    data[blockIdx.x * 32 + threadIdx.x] = has_both ? both.y : both.x;
}

// `!done && index < limit` without a branch between the two.
// run: --kernel limit_unless_done --grid 4 --block 32 --arg buf:512
// gives: 0 int(i/32)%2==0&&i%32<10?1:0
extern "C" __global__ void limit_unless_done(unsigned *data) {
    __shared__ int done;
    __shared__ unsigned limit;
    if (threadIdx.x == 0) {
        done = blockIdx.x & 1;
        if (!done)
            limit = 10 + gridDim.x - 4;
    }
    __syncthreads();
    int is_in = !done & (threadIdx.x < limit);
    data[blockIdx.x * 32 + threadIdx.x] = is_in ? 1 : 0;
}

// Memory from malloc: only the first of two words is set in even blocks.
__device__ __noinline__ static void fill(unsigned *words, unsigned block) {
    words[0] = block & 1;
    if (block & 1)
        words[1] = block + 1;
}

// run: --kernel of_the_heap --grid 4 --block 32 --arg buf:16
// gives: 0 i%2==1?i+1:50
extern "C" __global__ void of_the_heap(unsigned *data) {
    unsigned *words = threadIdx.x == 0 ? (unsigned *)malloc(8) : nullptr;
    if (!words)
        return;
    fill(words, blockIdx.x);
    unsigned is_odd = words[0], second = words[1];
    data[blockIdx.x] = is_odd ? second : 50;
    free(words);
}

// Another warp writes the value meanwhile; who has not been told keeps his own.
// run: --kernel keeps_its_own --grid 4 --block 64 --arg buf:16 --arg i32:0
// gives: 0 i+1
extern "C" __global__ void keeps_its_own(unsigned *data, int told) {
    __shared__ unsigned value;
    if (threadIdx.x == 32)
        value = blockIdx.x + 77;
    if (threadIdx.x == 0) {
        unsigned own = blockIdx.x + 1, other = value;
        data[blockIdx.x] = told ? other : own;
    }
}

// The same, where the value is written later by a thread that nothing orders.
// run: --kernel drops_it_first --grid 4 --block 64 --arg buf:16 --arg i32:0
// gives: 0 i+1
extern "C" __global__ void drops_it_first(unsigned *data, int told) {
    __shared__ unsigned values[2];
    if (threadIdx.x < 2)
        values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned own = values[0], other = values[1];
        data[blockIdx.x] = blockIdx.x + 1 + (told ? other : own);
    }
    if (threadIdx.x == 32) {
        __nanosleep(2000);
        values[1] = 5;
    }
}
