// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of every width: wraparound, high and wide products,
// division, 128 bits, carries, saturation, dot products.
#include "golden.cuh"

template <typename T> INLINE void arithmetic(Io &io, T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    io.put64((u64)(U)((U)a + (U)b));
    io.put64((u64)(U)((U)a - (U)b));
    io.put64((u64)(U)((u64)a * (u64)b));
    T least = (T)((T)1 << (8 * sizeof(T) - 1));
    T d = b == 0 || (b == (T)-1 && a == least) ? (T)3 : b;
    io.put64((u64)(a / d));
    io.put64((u64)(a % d));
    io.put64((u64)(a < b ? a : b) ^ (u64)(a > b ? a : b) << 1);
    io.put64((u64)(U)-(U)a ^ (u64)(U)~(U)b << 3);
}

// golden int_s8 words=14
GOLDEN(int_s8) {
    Io io(in, out, n);
    arithmetic<s8>(io, (s8)io.word(0), (s8)io.word(1));
}

// golden int_u8 words=14
GOLDEN(int_u8) {
    Io io(in, out, n);
    arithmetic<u8>(io, (u8)io.word(0), (u8)io.word(1));
}

// golden int_s16 words=14
GOLDEN(int_s16) {
    Io io(in, out, n);
    arithmetic<s16>(io, (s16)io.word(0), (s16)io.word(1));
}

// golden int_u16 words=14
GOLDEN(int_u16) {
    Io io(in, out, n);
    arithmetic<u16>(io, (u16)io.word(0), (u16)io.word(1));
}

// golden int_s32 words=14
GOLDEN(int_s32) {
    Io io(in, out, n);
    arithmetic<s32>(io, (s32)io.word(0), (s32)io.word(1));
}

// golden int_u32 words=14
GOLDEN(int_u32) {
    Io io(in, out, n);
    arithmetic<u32>(io, io.word(0), io.word(1));
}

// golden int_s64 words=14
GOLDEN(int_s64) {
    Io io(in, out, n);
    arithmetic<s64>(io, (s64)io.word64(0), (s64)io.word64(1));
}

// golden int_u64 words=14
GOLDEN(int_u64) {
    Io io(in, out, n);
    arithmetic<u64>(io, io.word64(0), io.word64(1));
}

// golden int_div64_by_small words=8
GOLDEN(int_div64_by_small) {
    Io io(in, out, n);
    u64 a = io.word64(0);
    io.put64(a / 10);
    io.put64(a % 1000000007);
    io.put64((u64)((s64)a / -7));
    io.put64(a / (io.word(2) | 1));
}

// golden int_high words=10
GOLDEN(int_high) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(1);
    u64 c = io.word64(2), d = io.word64(3);
    io.put((u32)__mulhi((s32)a, (s32)b));
    io.put(__umulhi(a, b));
    io.put64((u64)__mul64hi((s64)c, (s64)d));
    io.put64(__umul64hi(c, d));
    io.put64((u64)a * b + c);
    io.put64((u64)((s64)(s32)a * (s32)b - (s64)d));
}

// golden int_24 words=4
GOLDEN(int_24) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(1), c = io.word(2);
    io.put((u32)__mul24((s32)a, (s32)b));
    io.put(__umul24(a, b));
    io.put((u32)__mul24((s32)b, (s32)c) + a);
    io.put(__umul24(b, c) + a);
}

// golden int_averages words=8
GOLDEN(int_averages) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(1), c = io.word(2);
    io.put((u32)__hadd((s32)a, (s32)b));
    io.put((u32)__rhadd((s32)a, (s32)b));
    io.put(__uhadd(a, b));
    io.put(__urhadd(a, b));
    io.put(__sad((s32)a, (s32)b, c));
    io.put(__usad(a, b, c));
    io.put((u32)abs((s32)a));
    io.put((u32)llabs((s64)io.word64(3)));
}

// golden int_128 words=24
GOLDEN(int_128) {
    Io io(in, out, n);
    unsigned __int128 a = (unsigned __int128)io.word64(0) << 64 | io.word64(1);
    unsigned __int128 b = (unsigned __int128)io.word64(2) << 64 | io.word64(3);
    u32 s = io.word(9) & 127;
    unsigned __int128 r[6] = {a + b, a - b, a * b, a << s, b >> s,
        (unsigned __int128)((__int128)a >> s)};
    for (int k = 0; k < 6; k++) {
        io.put64((u64)r[k]);
        io.put64((u64)(r[k] >> 64));
    }
}

// golden int_128_division words=16
GOLDEN(int_128_division) {
    Io io(in, out, n);
    unsigned __int128 a = (unsigned __int128)io.word64(0) << 64 | io.word64(1);
    unsigned __int128 b = (unsigned __int128)(io.word64(2) >> (io.i % 60));
    b = (b << (io.i % 50)) | 1;
    __int128 c = (__int128)a, d = (__int128)(s64)io.word64(4) | 1;
    unsigned __int128 r[4] = {a / b, a % b, (unsigned __int128)(c / d),
        (unsigned __int128)(c % d)};
    for (int k = 0; k < 4; k++) {
        io.put64((u64)r[k]);
        io.put64((u64)(r[k] >> 64));
    }
}

// golden int_carry words=12
GOLDEN(int_carry) {
    Io io(in, out, n);
    u32 a[4], b[4], r[4];
    for (int k = 0; k < 4; k++)
        a[k] = io.word(k), b[k] = io.word(k + 4);
    asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9;"
        "addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),
        "r"(b[2]), "r"(b[3]));
    for (int k = 0; k < 4; k++)
        io.put(r[k]);
    asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9;"
        "subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, %11;"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),
        "r"(b[2]), "r"(b[3]));
    for (int k = 0; k < 4; k++)
        io.put(r[k]);
    asm("mad.lo.cc.u32 %0, %4, %5, %6; madc.hi.cc.u32 %1, %4, %5, %7;"
        "madc.lo.cc.u32 %2, %5, %6, %8; madc.hi.u32 %3, %5, %6, %9;"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int k = 0; k < 4; k++)
        io.put(r[k]);
}

// golden int_carry64 words=8
GOLDEN(int_carry64) {
    Io io(in, out, n);
    u64 a = io.word64(0), b = io.word64(1), c = io.word64(2), d = io.word64(3);
    u64 low, high, low2, high2;
    asm("add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;"
        : "=&l"(low), "=l"(high) : "l"(a), "l"(b), "l"(c), "l"(d));
    asm("sub.cc.u64 %0, %2, %4; subc.u64 %1, %3, %5;"
        : "=&l"(low2), "=l"(high2) : "l"(a), "l"(b), "l"(c), "l"(d));
    io.put64(low);
    io.put64(high);
    io.put64(low2);
    io.put64(high2);
}

// golden int_saturated words=4
GOLDEN(int_saturated) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(1), c = io.word(2), r;
    asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    io.put(r);
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    io.put(r);
    asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(a));
    io.put(r);
}

// golden int_dot_products words=10
GOLDEN(int_dot_products) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(4), c = io.word(2), r;
    io.put((u32)__dp4a((s32)a, (s32)b, (s32)c));
    io.put(__dp4a(a, b, c));
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
    io.put((u32)__dp2a_lo((s32)a, (s32)b, (s32)c));
    io.put((u32)__dp2a_hi((s32)a, (s32)b, (s32)c));
    io.put(__dp2a_lo(a, b, c));
    io.put(__dp2a_hi(a, b, c));
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
    asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
}

// golden int_compare words=6
GOLDEN(int_compare) {
    Io io(in, out, n);
    u32 bits = 0;
    for (int k = 0; k < 10; k++) {
        u32 a = io.word(k), b = k & 1 ? io.word(k + 1) : a + (u32)(k % 3) - 1;
        bits = bits * 2 + (a < b);
        bits = bits * 2 + ((s32)a <= (s32)b);
        bits = bits * 2 + ((s16)a > (s16)b);
    }
    io.put(bits);
    u64 wide = 0;
    for (int k = 0; k < 8; k++) {
        u64 a = io.word64(k), b = k & 1 ? io.word64(k + 1) : a;
        wide = wide * 4 + (a >= b) + 2 * ((s64)a < (s64)b);
        wide = wide * 4 + ((u16)a == (u16)b) + 2 * ((u8)a != (u8)b);
    }
    io.put64(wide);
    s32 sum = 0;
    for (int k = 0; k < 6; k++)
        sum += max(min((s32)io.word(k), 100), -100);
    io.put((u32)sum);
    io.put64(max(min(io.word64(7), io.word64(8)), (u64)io.word(3)));
}
