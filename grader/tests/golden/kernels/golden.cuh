// SPDX-License-Identifier: Apache-2.0
// What the golden kernels share: inputs as every type, outputs as words. NaNs
// are stored as one pattern, for the ISA leaves their payload open in places;
// put() stores the bits as they are.
#pragma once

#include <cstdint>

#define GOLDEN(name) \
    extern "C" __global__ void name(const unsigned *in, unsigned *out, int n)
#define INLINE __device__ __forceinline__
#define NOINLINE __device__ __noinline__

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

struct Io {
    const u32 *in;
    u32 *out;
    u32 n, i;

    INLINE Io(const u32 *in, u32 *out, int n)
        : in(in), out(out), n((u32)n), i(blockIdx.x * blockDim.x + threadIdx.x) {
        this->out += i;
    }

    // Word k of this thread: neighbours in k differ in kind.
    INLINE u32 word(u32 k) const { return in[(i * 5 + k * 1031) & 4095]; }
    INLINE u64 word64(u32 k) const {
        return (u64)word(2 * k + 1) << 32 | word(2 * k + 64);
    }
    // Any bits, among them NaN, infinities, denormals.
    INLINE float f32(u32 k) const { return __uint_as_float(word(k)); }
    // 2^-8 .. 2^8, either sign.
    INLINE float moderate(u32 k) const {
        u32 w = word(k) * 2654435761u ^ word(k + 7);
        return __uint_as_float((w & 0x807FFFFF) | (119 + (w >> 23) % 17) << 23);
    }
    // [0, 1)
    INLINE float unit(u32 k) const {
        return (float)((word(k) * 2654435761u ^ word(k + 3)) >> 8) * 0x1p-24f;
    }
    INLINE double f64(u32 k) const {
        const u64 special[8] = {0, 1ull << 63, 0x7FF0000000000000, 1,
            0xFFF0000000000000, 0x7FF8000000000000, 0x3FF0000000000000,
            0x800FFFFFFFFFFFFF};
        u64 w = word64(k);
        if (w % 7 == 0)
            w = special[(w >> 13) & 7];
        else if (w % 7 < 4)
            w = (w & 0x800FFFFFFFFFFFFF) | (983 + (w >> 52) % 80) << 52;
        return __longlong_as_double((long long)w);
    }
    INLINE double moderate64(u32 k) const {
        u64 w = word64(k) * 0x9E3779B97F4A7C15u ^ word(k + 7);
        return __longlong_as_double((long long)(
            (w & 0x800FFFFFFFFFFFFF) | (1015 + (w >> 52) % 17) << 52));
    }
    INLINE double unit64(u32 k) const {
        return (double)((word64(k) * 0x9E3779B97F4A7C15u) >> 11) * 0x1p-53;
    }

    INLINE void put(u32 value) {
        *out = value;
        out += n;
    }
    INLINE void put64(u64 value) {
        put((u32)value);
        put((u32)(value >> 32));
    }
    INLINE void putf(float value) {
        put(value != value ? 0x7FC00000u : __float_as_uint(value));
    }
    INLINE void putd(double value) {
        put64(value != value ? 0x7FF8000000000000u
                             : (u64)__double_as_longlong(value));
    }
};
