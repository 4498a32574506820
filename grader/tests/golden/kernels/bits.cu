// SPDX-License-Identifier: Apache-2.0
// Shifts (also by more than the width), rotations, byte permutations, bit
// fields, counting, three-input logic.
#include "golden.cuh"

// golden bits_shift32 words=9
GOLDEN(bits_shift32) {
    Io io(in, out, n);
    u32 a = io.word(0), s = io.word(1) % 70, r;
    asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(s));
    io.put(r);
    asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(s));
    io.put(r);
    asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(s));
    io.put(r);
    asm("shr.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(io.word(2)));
    io.put(r);
    io.put(a << (s & 31) ^ a >> (s & 15));
    io.put((u32)((s32)a >> (s & 31)));
    u16 h;
    asm("shl.b16 %0, %1, %2;" : "=h"(h) : "h"((u16)a), "r"(s));
    io.put(h);
    asm("shr.s16 %0, %1, %2;" : "=h"(h) : "h"((u16)a), "r"(s));
    io.put(h);
    asm("shr.u16 %0, %1, %2;" : "=h"(h) : "h"((u16)a), "r"(s));
    io.put(h);
}

// golden bits_shift64 words=10
GOLDEN(bits_shift64) {
    Io io(in, out, n);
    u64 a = io.word64(0), r;
    u32 s = io.word(1) % 140;
    asm("shl.b64 %0, %1, %2;" : "=l"(r) : "l"(a), "r"(s));
    io.put64(r);
    asm("shr.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "r"(s));
    io.put64(r);
    asm("shr.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "r"(s));
    io.put64(r);
    io.put64(a << (s & 63) | a >> (-s & 63));
    asm("shr.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "r"(io.word(4)));
    io.put64(r);
}

// golden bits_funnel words=8
GOLDEN(bits_funnel) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(4), s = io.word(1) % 70;
    io.put(__funnelshift_l(a, b, s));
    io.put(__funnelshift_lc(a, b, s));
    io.put(__funnelshift_r(a, b, s));
    io.put(__funnelshift_rc(a, b, s));
    io.put(__funnelshift_l(a, a, 7));
    io.put(__funnelshift_rc(a, b, io.word(6)));
    u64 c = io.word64(3);
    io.put64(c << 13 | c >> 51);
}

// golden bits_permute words=10
GOLDEN(bits_permute) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(4), s = io.word(8), r;
    io.put(__byte_perm(a, b, s));
    io.put(__byte_perm(a, b, 0x0123));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s));
    io.put(r);
    io.put(__byte_perm(a, 0, 0x4140));
#define MODE(mode)                                       \
    asm("prmt.b32." mode " %0, %1, %2, %3;"              \
        : "=r"(r) : "r"(a), "r"(b), "r"(s));             \
    io.put(r)
    MODE("f4e");
    MODE("b4e");
    MODE("rc8");
    MODE("ecl");
    MODE("ecr");
    MODE("rc16");
}

// golden bits_count words=12
GOLDEN(bits_count) {
    Io io(in, out, n);
    u32 a = io.word(0);
    u64 b = io.word64(1);
    io.put((u32)__popc(a));
    io.put((u32)__clz((s32)a));
    io.put((u32)__ffs((s32)a));
    io.put(__brev(a));
    io.put((u32)__popcll(b));
    io.put((u32)__clzll((s64)b));
    io.put((u32)__ffsll((s64)b));
    io.put64(__brevll(b));
    io.put((u32)(a ? 31 - __clz((s32)a) : 99));
    io.put((u32)__popc(a & (0u - a)) + (u32)__ffs((s32)(a >> (a & 31))));
    io.put((u32)__fns(a, io.word(3) & 31, (s32)(io.word(4) % 9) - 4));
}

// golden bits_find words=8
GOLDEN(bits_find) {
    Io io(in, out, n);
    u32 a = io.word(0), r;
    u64 b = io.word64(1);
#define FIND(op, type, kind, value)                         \
    asm(op "." type " %0, %1;" : "=r"(r) : kind(value));    \
    io.put(r)
    FIND("bfind", "u32", "r", a);
    FIND("bfind", "s32", "r", a);
    FIND("bfind", "u64", "l", b);
    FIND("bfind", "s64", "l", b);
    FIND("bfind.shiftamt", "u32", "r", a);
    FIND("bfind.shiftamt", "s32", "r", a);
    FIND("bfind.shiftamt", "u64", "l", b);
    FIND("bfind.shiftamt", "s64", "l", b);
}

// golden bits_fields words=12
GOLDEN(bits_fields) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(4), p = io.word(1) % 80,
        c = io.word(2) % 80, r;
    u64 d = io.word64(3), e = io.word64(6), q;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(p), "r"(c));
    io.put(r);
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(p), "r"(c));
    io.put(r);
    asm("bfe.u64 %0, %1, %2, %3;" : "=l"(q) : "l"(d), "r"(p), "r"(c));
    io.put64(q);
    asm("bfe.s64 %0, %1, %2, %3;" : "=l"(q) : "l"(d), "r"(p), "r"(c));
    io.put64(q);
    asm("bfi.b32 %0, %1, %2, %3, %4;"
        : "=r"(r) : "r"(a), "r"(b), "r"(p), "r"(c));
    io.put(r);
    asm("bfi.b64 %0, %1, %2, %3, %4;"
        : "=l"(q) : "l"(d), "l"(e), "r"(p), "r"(c));
    io.put64(q);
    struct Fields {
        u32 a : 5, b : 11, c : 1, d : 15;
    } f;
    f.a = a;
    f.b = b;
    f.c = p;
    f.d = c * 401;
    io.put(f.a * 3 + f.b * 5 + f.c * 7 + f.d);
    io.put((u32)((s32)(a << 7) >> 20));
    io.put((a >> 9) & 0x3FF);
}

// golden bits_masks words=6
GOLDEN(bits_masks) {
    Io io(in, out, n);
    u32 a = io.word(0), p = io.word(1) % 80, c = io.word(2) % 80, r;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(p), "r"(c));
    io.put(r);
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(p), "r"(c));
    io.put(r);
    asm("szext.clamp.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(c));
    io.put(r);
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(c));
    io.put(r);
    asm("szext.wrap.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(c));
    io.put(r);
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(c));
    io.put(r);
}

template <int TABLE> INLINE u32 lop3(u32 a, u32 b, u32 c) {
    u32 r;
    asm("lop3.b32 %0, %1, %2, %3, %4;"
        : "=r"(r) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
    return r;
}

// golden bits_logic words=12
GOLDEN(bits_logic) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(4), c = io.word(8);
    io.put(lop3<0x80>(a, b, c) ^ lop3<0x96>(a, b, c));
    io.put(lop3<0xE8>(a, b, c));
    io.put(lop3<0xCA>(a, b, c));
    io.put(lop3<0x1D>(a, b, c));
    io.put(lop3<0x2B>(a, b, c) + lop3<0xFF>(a, b, c) + lop3<0>(a, b, c));
    io.put((a & b) ^ (~c | (b & 0xF0F0F0F0)));
    io.put64((io.word64(1) & ~io.word64(2)) ^ (io.word64(3) | 0xFF00FF));
    io.put(!a + 2 * !b);
    u32 r;
    asm("cnot.b32 %0, %1;" : "=r"(r) : "r"(a));
    io.put(r);
    asm("{.reg .pred p, q; setp.ne.u32 p, %1, 0; setp.lt.xor.s32 q, %2, 5, p;"
        "and.pred p, p, q; or.pred q, q, p; not.pred p, p; xor.pred p, p, q;"
        "selp.u32 %0, 17, 4, p;}" : "=r"(r) : "r"(a), "r"(b));
    io.put(r);
    asm("{.reg .pred p, q; setp.gt.and.u32 p|q, %1, %2, 1;"
        "selp.b32 %0, 3, 5, p; @q add.u32 %0, %0, 100;}"
        : "=&r"(r) : "r"(a), "r"(b));
    io.put(r);
}

// Morton codes, Gray codes, parity, reversals by hand.
// golden bits_tricks words=8
GOLDEN(bits_tricks) {
    Io io(in, out, n);
    u32 a = io.word(0);
    u64 x = a & 0xFFFF;
    x = (x | x << 16) & 0x0000FFFF0000FFFF;
    x = (x | x << 8) & 0x00FF00FF00FF00FF;
    x = (x | x << 4) & 0x0F0F0F0F0F0F0F0F;
    x = (x | x << 2) & 0x3333333333333333;
    x = (x | x << 1) & 0x5555555555555555;
    io.put64(x);
    u32 gray = a ^ a >> 1, back = gray;
    for (int s = 16; s; s /= 2)
        back ^= back >> s;
    io.put(gray);
    io.put(back);
    u32 r = a;
    for (int k = 0; k < 5; k++) {
        u32 mask = 0xFFFFFFFFu / ((1u << (1 << k)) + 1);
        r = (r >> (1 << k) & mask) | (r & mask) << (1 << k);
    }
    io.put(r == __brev(a) ? r : 0);
    io.put((u32)__popc(a) & 1);
    u32 bytes = 0;
    for (int k = 0; k < 4; k++)
        bytes = bytes << 8 | ((a >> (8 * k)) & 0xFF);
    io.put(bytes);
    io.put((a & 0x7F7F7F7F) + 0x01010101);
}

// golden simd_in_word words=16
GOLDEN(simd_in_word) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(4), c = io.word(8);
    io.put(__vadd4(a, b));
    io.put(__vsub2(a, b));
    io.put(__vaddss2(a, b));
    io.put(__vaddus4(a, b));
    io.put(__vabsdiffu4(a, b));
    io.put(__vavgu2(a, b));
    io.put(__vmaxs4(a, b));
    io.put(__vminu2(a, b));
    io.put(__vcmpgts2(a, b));
    io.put(__vcmpeq4(a, b));
    io.put(__vsads4(a, b));
    io.put(__vneg2(a));
    io.put(__vabsss4(a));
    io.put((u32)__vimax3_s32((s32)a, (s32)b, (s32)c));
    io.put(__vimin3_u32(a, b, c));
    io.put((u32)__viaddmax_s32((s32)a, (s32)b, (s32)c));
}
