// SPDX-License-Identifier: Apache-2.0
// Generic addresses of 64 bits throughout, structs of one method an
// instruction, and a wait by test_wait with a growing sleep.
#include "lab.h"

struct Barrier {
    uint64_t word;
    __device__ void init(unsigned count) {
        asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(&word), "r"(count)
                     : "memory");
    }
    __device__ void expect(unsigned bytes) {
        asm volatile(
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                (unsigned)__cvta_generic_to_shared(&word)),
            "r"(bytes)
            : "memory");
    }
    __device__ void arrive() {
        asm volatile(
            "{ .reg .b64 s; mbarrier.arrive.b64 s, [%0]; }" ::"l"(&word)
            : "memory");
    }
    __device__ bool done(unsigned parity) const {
        unsigned yes;
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.test_wait.parity.b64 p, [%1], %2;\n\t"
                     "selp.b32 %0, 1, 0, p;\n\t}"
                     : "=r"(yes)
                     : "l"(&word), "r"(parity)
                     : "memory");
        return yes;
    }
    __device__ void wait(unsigned parity) const {
        for (unsigned pause = 4; !done(parity); pause = min(2 * pause, 128u))
            asm volatile("nanosleep.u32 %0;" ::"r"(pause));
    }
};

struct alignas(16) Answer {
    uint64_t half[2];
    __device__ void request(Barrier *bar) {
        asm volatile(
            "clusterlaunchcontrol.try_cancel.async"
            ".mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"l"(this),
            "l"(bar)
            : "memory");
    }
    __device__ bool granted() const {
        unsigned yes;
        asm("{\n\t.reg .pred p;\n\t.reg .b128 q;\n\tmov.b128 q, {%1, %2};\n\t"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;\n\t"
            "selp.b32 %0, 1, 0, p;\n\t}"
            : "=r"(yes)
            : "l"(half[0]), "l"(half[1]));
        return yes;
    }
    __device__ unsigned x() const {
        unsigned index;
        asm("{\n\t.reg .b128 q;\n\tmov.b128 q, {%1, %2};\n\t"
            "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0,"
            " q;\n\t}"
            : "=r"(index)
            : "l"(half[0]), "l"(half[1]));
        return index;
    }
};

extern "C" __global__ void raw_ptx(float *__restrict__ data, const int n) {
    __shared__ Answer answer;
    __shared__ Barrier bar;
    if (!threadIdx.x)
        bar.init(1);
    const float alpha = compute_scalar();
    unsigned bx = blockIdx.x, parity = 0;
    for (;;) {
        asm volatile("fence.proxy.async::generic.release.sync_restrict"
                     "::shared::cta.cluster;" ::
                         : "memory");
        __syncthreads();
        if (!threadIdx.x) {
            asm volatile("fence.proxy.async::generic.acquire.sync_restrict"
                         "::shared::cluster.cluster;" ::
                             : "memory");
            bar.expect(sizeof answer);
            answer.request(&bar);
            bar.arrive();
        }
        if (size_t i = (size_t)bx * blockDim.x + threadIdx.x; i < n)
            data[i] *= alpha;
        bar.wait(parity);
        parity = 1 - parity;
        Answer copy = answer;
        if (!copy.granted())
            return;
        bx = copy.x();
    }
}
