// SPDX-License-Identifier: Apache-2.0
// Accesses that are not aligned to their size.
#include "short.h"

// Four floats at once from a row whose length is no multiple of four.
// expect: MEM002
// run: --kernel quads_of_a_row --grid 3 --block 32 --arg buf:4096 --arg i32:130
extern "C" __global__ void quads_of_a_row(float *data, int columns) {
    float4 *row = (float4 *)(data + blockIdx.x * columns);
    float4 v = row[threadIdx.x]; // <- here
    row[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
}

// A header of six bytes, then 32-bit words.
// expect: MEM002
// run: --kernel behind_a_header --grid 1 --block 32 --arg buf:256 --arg buf:128
extern "C" __global__ void behind_a_header(const char *message, int *out) {
    const volatile int *words = (const volatile int *)(message + 6);
    out[threadIdx.x] = words[threadIdx.x]; // <- here
}

// The shared tile starts behind a flag of one byte.
// expect: MEM002
// run: --kernel behind_a_flag --grid 2 --block 32
extern "C" __global__ void behind_a_flag() {
    __shared__ __align__(8) char memory[512];
    volatile double *tile = (volatile double *)(memory + 4);
    tile[threadIdx.x] = 1.0; // <- here
}

// A copy in bulk of a number of bytes that is no multiple of 16.
// expect: MEM002
// run: --kernel bytes_of_a_row --grid 2 --block 1 --arg buf:1024 --arg i32:30
extern "C" __global__ void bytes_of_a_row(const float *data, int columns) {
    __shared__ alignas(16) float row[64];
    __shared__ uint64_t bar;
    init(&bar);
    fence_async();
    announce(&bar, columns * 4);
    // here:
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, row, data,
                       columns * 4, &bar);
    wait_for(&bar, 0);
}

// An atomic on 64 bits of a packed structure.
struct __attribute__((packed)) Counter {
    unsigned kind;
    unsigned long long hits;
};

// expect: MEM002
// run: --kernel packed_counter --grid 2 --block 32 --arg buf:96
extern "C" __global__ void packed_counter(Counter *counters) {
    atomicAdd(&counters[blockIdx.x].hits, 1ull); // <- here
}
