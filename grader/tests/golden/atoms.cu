// SPDX-License-Identifier: Apache-2.0
// Atomics of floating point: NaN, subnormal numbers, zeros of both signs, ties.
// Source of atoms.ptx (README.md here). Each thread has cells of its own, so that
// no order matters: what was there goes to the lower half of a word, what is
// there afterwards to the upper half. Kernel `spaces`: which spaces isspacep
// says that a generic address is in.
#include <cstdint>

__device__ uint32_t cells[64][4];
__constant__ uint32_t constants[64] = {1, 2, 3};

// Bits with an exponent of zero, of all ones, near that of 1, or as they are.
__device__ uint32_t f32_of(uint64_t x) {
    uint32_t bits = (uint32_t)x;
    switch (x >> 40 & 7) {
    case 0: return bits & 0x807FFFFF;
    case 1: return bits & 0x80000003;
    case 2: return bits | 0x7F800000;
    case 3: return bits & 0xFF800000;
    case 4: return bits & 0x80000000;
    case 5: return bits & 0x81FFFFFF;
    default: return bits & 0x80FFFFFF | 0x3F000000;
    }
}

// Two f16, or two bf16: `all` is the exponent's bits, `one` near that of 1.
__device__ uint32_t half_of(uint32_t bits, uint32_t kind, uint32_t all,
                            uint32_t one) {
    switch (kind & 7) {
    case 0: return bits & ~all & 0xFFFF;
    case 1: return bits & 0x8003;
    case 2: return bits & 0xFFFF | all;
    case 3: return bits & (0x8000 | all);
    case 4: return bits & 0x8000;
    default: return bits & ~all & 0xFFFF | one;
    }
}
__device__ uint32_t halves_of(uint64_t x, uint32_t all, uint32_t one) {
    return half_of((uint32_t)x, (uint32_t)(x >> 40), all, one) |
           half_of((uint32_t)(x >> 16), (uint32_t)(x >> 44), all, one) << 16;
}

// The instruction on a 32-bit cell at `address` that holds `a` and is given b.
#define WORD(instruction, constraint, address, cell, a, b)                    \
    do {                                                                      \
        uint32_t old_;                                                        \
        *(volatile uint32_t *)&(cell) = (a);                                  \
        asm volatile(instruction " %0, [%1], %2;"                             \
                     : "=r"(old_) : constraint(address), "r"(b) : "memory");  \
        put(old_, *(volatile uint32_t *)&(cell));                             \
    } while (0)
#define HALF(instruction, cell, a, b)                                         \
    do {                                                                      \
        uint16_t old_;                                                        \
        *(volatile uint32_t *)&(cell) = (a);                                  \
        asm volatile(instruction " %0, [%1], %2;"                             \
                     : "=h"(old_) : "l"(&(cell)), "h"((uint16_t)(b))          \
                     : "memory");                                             \
        put(old_, *(volatile uint32_t *)&(cell));                             \
    } while (0)
#define RED(instruction, constraint, address, cell, a, b)                     \
    do {                                                                      \
        *(volatile uint32_t *)&(cell) = (a);                                  \
        asm volatile(instruction " [%0], %1;"                                 \
                     : : constraint(address), "r"(b) : "memory");             \
        put(0, *(volatile uint32_t *)&(cell));                                \
    } while (0)
#define PAIR(instruction, cells, a, b)                                        \
    do {                                                                      \
        uint32_t old0_, old1_;                                                \
        volatile uint32_t *cells_ = (cells);                                  \
        cells_[0] = (a), cells_[1] = (b);                                     \
        asm volatile(instruction " {%0, %1}, [%2], {%3, %4};"                 \
                     : "=r"(old0_), "=r"(old1_)                               \
                     : "l"(cells), "r"(b), "r"(a) : "memory");                \
        put(old0_, cells_[0]), put(old1_, cells_[1]);                         \
    } while (0)

extern "C" __global__ void atoms(const uint64_t *in, uint64_t *out) {
    __shared__ uint32_t tile[64];
    uint32_t t = threadIdx.x;
    auto put = [&](uint32_t low, uint32_t high) {
        *(out + t) = (uint64_t)high << 32 | low;
        out += blockDim.x;
    };
    uint32_t *cell = cells[t];
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(&tile[t]);
    uint32_t a = f32_of(in[t]), b = f32_of(in[t + 64]);
    WORD("atom.global.add.f32", "l", cell, *cell, a, b);
    WORD("atom.add.f32", "l", cell, *cell, a, b);
    WORD("atom.shared.add.f32", "r", shared, tile[t], a, b);
    WORD("atom.add.f32", "l", &tile[t], tile[t], a, b);
    RED("red.global.add.f32", "l", cell, *cell, a, b);
    RED("red.add.f32", "l", cell, *cell, a, b);
    RED("red.shared.add.f32", "r", shared, tile[t], a, b);
    RED("red.add.f32", "l", &tile[t], tile[t], a, b);
    PAIR("atom.global.add.v2.f32", cell, a, b);
    uint32_t x = halves_of(in[t], 0x7C00, 0x3C00);
    uint32_t y = halves_of(in[t + 64], 0x7C00, 0x3C00);
    WORD("atom.global.add.noftz.f16x2", "l", cell, *cell, x, y);
    WORD("atom.shared.add.noftz.f16x2", "r", shared, tile[t], x, y);
    WORD("atom.add.noftz.f16x2", "l", &tile[t], tile[t], x, y);
    RED("red.global.add.noftz.f16x2", "l", cell, *cell, x, y);
    RED("red.shared.add.noftz.f16x2", "r", shared, tile[t], x, y);
    HALF("atom.global.add.noftz.f16", *cell, x, y);
    HALF("atom.add.noftz.f16", tile[t], x, y);
    PAIR("atom.global.add.noftz.v2.f16x2", cell, x, y);
    PAIR("atom.global.min.noftz.v2.f16x2", cell, x, y);
    PAIR("atom.global.max.noftz.v2.f16x2", cell, x, y);
    x = halves_of(in[t], 0x7F80, 0x3F80);
    y = halves_of(in[t + 64], 0x7F80, 0x3F80);
    WORD("atom.global.add.noftz.bf16x2", "l", cell, *cell, x, y);
    WORD("atom.shared.add.noftz.bf16x2", "r", shared, tile[t], x, y);
    WORD("atom.add.noftz.bf16x2", "l", &tile[t], tile[t], x, y);
    RED("red.global.add.noftz.bf16x2", "l", cell, *cell, x, y);
    RED("red.shared.add.noftz.bf16x2", "r", shared, tile[t], x, y);
    HALF("atom.global.add.noftz.bf16", *cell, x, y);
    HALF("atom.add.noftz.bf16", tile[t], x, y);
    PAIR("atom.global.add.noftz.v2.bf16x2", cell, x, y);
    PAIR("atom.global.min.noftz.v2.bf16x2", cell, x, y);
    PAIR("atom.global.max.noftz.v2.bf16x2", cell, x, y);
}

// A bit a space: const, global, local, shared::cta, shared::cluster, param.
__device__ uint32_t spaces_of(uint64_t address) {
    uint32_t found = 0, is;
#define SPACE(name, bit)                                                      \
    asm volatile("{ .reg .pred p; isspacep." name " p, %1;"                   \
                 " selp.u32 %0, " bit ", 0, p; }" : "=r"(is) : "l"(address)); \
    found |= is
    SPACE("const", "1");
    SPACE("global", "2");
    SPACE("local", "4");
    SPACE("shared::cta", "8");
    SPACE("shared::cluster", "16");
    SPACE("param", "32");
    return found;
}

extern "C" __global__ void spaces(const __grid_constant__ uint64_t *const in,
                                  uint64_t *out) {
    __shared__ uint32_t tile[64];
    volatile uint32_t local[4];
    uint64_t address, param;
    local[threadIdx.x & 3] = tile[threadIdx.x] = 0;
    asm("{ .reg .u64 a; mov.u64 a, constants; cvta.const.u64 %0, a; }"
        : "=l"(address) : "l"(constants));
    asm("{ .reg .u64 a; mov.u64 a, spaces_param_0; cvta.param.u64 %0, a; }"
        : "=l"(param));
    const uint64_t all[] = {address, (uint64_t)cells, (uint64_t)local,
                            (uint64_t)tile, param, (uint64_t)in};
    for (int i = 0; i < 6; i++)
        out[i * blockDim.x + threadIdx.x] = spaces_of(all[i]);
}
