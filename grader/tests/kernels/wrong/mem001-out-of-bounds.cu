// SPDX-License-Identifier: Apache-2.0
// Accesses beyond an object, to nothing, or to what was freed.
#include "short.h"

// `<=` in the guard.
// expect: MEM001
// run: --kernel one_too_many --grid 5 --block 32 --arg buf:512 --arg i32:128
extern "C" __global__ void one_too_many(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        data[i] *= 2; // <- here
}

// The stolen index counts clusters; multiplied by the cluster's size it is
// beyond the grid.
// expect: MEM001
// run: --kernel scaled_twice --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    scaled_twice(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    while (true) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            acquire_reads();
            ask_for_all(&answer, &bar);
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1; // <- here
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy) * 2 + cluster.block_rank();
        release_reads();
    }
}

// More dynamic shared memory is used than the launch gave.
// expect: MEM001
// run: --kernel tile_too_large --grid 4 --block 64 --dynamic-smem 128
extern "C" __global__ void tile_too_large() {
    extern __shared__ float tile[];
    ((volatile float *)tile)[threadIdx.x * 1024] = 1; // <- here
}

// A local array is indexed by data.
// expect: MEM001
// run: --kernel local_histogram --grid 1 --block 32 --arg buf:128:random:7
extern "C" __global__ void local_histogram(unsigned *data) {
    unsigned counts[16] = {};
    counts[data[threadIdx.x] % 32]++; // <- here
    for (int i = 0; i < 16; i++)
        data[threadIdx.x] += counts[i] << i;
}

// An optional pointer is not there.
// expect: MEM001
// run: --kernel no_pointer --grid 4 --block 32 --arg buf:512 --arg u64:0
extern "C" __global__ void no_pointer(float *data, float *bias) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] += bias[0]; // <- here
}

// Device memory is used after it was freed.
// expect: MEM001
// run: --kernel used_after_free --grid 2 --block 1 --arg buf:8
extern "C" __global__ void used_after_free(unsigned *out) {
    unsigned *mine = (unsigned *)malloc(64);
    mine[3] = 5;
    free(mine);
    out[blockIdx.x] = ((volatile unsigned *)mine)[3]; // <- here
}

// The bulk copy takes a whole tile where the last one is shorter.
// expect: MEM001
// run: --kernel last_tile_is_short --grid 2 --block 32 --arg buf:384
extern "C" __global__ void last_tile_is_short(const float *data) {
    __shared__ alignas(16) float tile[64];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        fence_async();
        announce(&bar, sizeof tile);
        // here:
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile,
                           data + blockIdx.x * 64, sizeof tile, &bar);
    }
    __syncthreads();
    wait_for(&bar, 0);
}
