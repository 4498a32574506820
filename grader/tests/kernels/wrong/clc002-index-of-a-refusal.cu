// SPDX-License-Identifier: Apache-2.0
// The index in a refused answer is undefined: it is read before, or without,
// the question whether the answer is a grant.
#include "short.h"

// Asks for the index, stores it, and then asks whether there was one.
// expect: CLC002
// run: --kernel stores_first --grid 20 --block 1 --arg buf:80
extern "C" __global__ void stores_first(unsigned *out) {
    __shared__ alignas(16) unsigned slot[4];
    __shared__ uint64_t bar;
    uint32_t slot_at = shared_address(slot), bar_at = shared_address(&bar);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar_at)
                 : "memory");
    unsigned block = blockIdx.x, parity = 0, ok;
    do {
        asm volatile(
            "fence.proxy.async.shared::cta;\n\t"
            "clusterlaunchcontrol.try_cancel.async.shared::cta"
            ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n\t"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 16;" ::"r"(
                slot_at),
            "r"(bar_at)
            : "memory");
        out[block] += 1;
        // here:
        asm volatile(
            "{ .reg .pred p; .reg .b128 q; .reg .b32 y, z, w;\n\t"
            "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%3], %4;\n\t"
            "@!p bra again;\n\t"
            "ld.shared.b128 q, [%2];\n\t"
            "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
            "{%1, y, z, w}, q;\n\t"
            "st.shared.u32 [%2], %1;\n\t"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;\n\t"
            "selp.b32 %0, 1, 0, p; }"
            : "=r"(ok), "=r"(block)
            : "r"(slot_at), "r"(bar_at), "r"(parity)
            : "memory");
        parity ^= 1;
    } while (ok);
}

// The scheduler hands the index on to the other warps without a look at the
// refusal: "they will see that it is out of range".
// expect: CLC002
// run: --kernel hands_it_on --grid 6,4 --block 64 --arg buf:96
extern "C" __global__ void hands_it_on(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ int next_x, next_y;
    unsigned parity = 0;
    int x = blockIdx.x, y = blockIdx.y;
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    while (x >= 0 && x < gridDim.x && y >= 0 && y < gridDim.y) {
        if (threadIdx.x == 63) {
            fence_async();
            announce(&bar);
            ask(&answer, &bar);
            wait_for(&bar, parity);
            next_x = first_x(answer); // <- here
            next_y = first_y(answer);
        } else if (threadIdx.x == 0) {
            out[y * gridDim.x + x] += 1;
        }
        parity ^= 1;
        __syncthreads();
        x = next_x;
        y = next_y;
        __syncthreads();
    }
}

// Both blocks of a cluster compute an address from the answer, and only then
// look whether they may use it.
// expect: CLC002
// run: --kernel address_first --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    address_first(unsigned *out) {
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
            out[block] += 1;
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        block = first_x(copy) + cluster.block_rank();
        unsigned old = ((volatile unsigned *)out)[block]; // <- here
        if (!granted(copy))
            break;
        if (old != 0 && threadIdx.x == 0)
            out[block] = 0;
        release_reads();
    }
}

// The index is decoded before the question, but nothing comes of it.
// expect: CLC002 advisory
// run: --kernel decoded_in_vain --grid 20 --block 32 --arg buf:80
extern "C" __global__ void decoded_in_vain(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            out[block] += 1;
        }
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        // here:
        asm volatile(
            "{ .reg .b128 q; .reg .b64 l, h;\n\t"
            "mov.b64 l, {%1, %2}; mov.b64 h, {%3, %4}; mov.b128 q, {l, h};\n\t"
            "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 "
            "%0, q; }"
            : "=r"(block)
            : "r"(copy.x), "r"(copy.y), "r"(copy.z), "r"(copy.w));
        if (!granted(copy))
            break;
    }
}

// expect: CLC002
// run: --kernel ends_by_index --grid 20 --block 32 --arg buf:80
extern "C" __global__ void ends_by_index(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (block < gridDim.x) { // <- here
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            out[block] += 1; // <- here
        }
        wait_for(&bar, parity);
        parity ^= 1;
        block = first_x(answer); // <- here
    }
}
