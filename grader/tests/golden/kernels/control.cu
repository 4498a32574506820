// SPDX-License-Identifier: Apache-2.0
// Branches, loops, switches, calls direct and indirect, recursion, virtual
// functions, exits: in warps whose lanes go different ways.
#include "golden.cuh"

// golden ctl_collatz words=2
GOLDEN(ctl_collatz) {
    Io io(in, out, n);
    u32 steps = 0, top = 0;
    for (u64 v = io.word(0) % 5000 + 1; v != 1; steps++) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        top = max(top, (u32)v);
    }
    io.put(steps);
    io.put(top);
}

// golden ctl_nested words=2
GOLDEN(ctl_nested) {
    Io io(in, out, n);
    u32 a = io.word(0), sum = 0, paths = 0;
    for (u32 i = 0; i < a % 7 + 1; i++) {
        if ((a >> i) & 1) {
            for (u32 j = i; j < a % 5 + i; j++) {
                if (j == 3)
                    continue;
                if (sum > 1000)
                    break;
                sum += i * j + 1;
            }
            paths = paths * 3 + 1;
        } else if (a & 64) {
            sum ^= a >> i;
            paths = paths * 3 + 2;
        } else {
            paths = paths * 3;
        }
    }
    io.put(sum);
    io.put(paths);
}

// golden ctl_switch words=2
GOLDEN(ctl_switch) {
    Io io(in, out, n);
    u32 a = io.word(0), v = a, w = 0;
    switch (a % 19) {
    case 0: v = v * 31 + 7; break;
    case 1: v ^= v >> 7;
    case 2: v += 99; break;
    case 3: v = __brev(v); break;
    case 4: v = v / 10; break;
    case 5: v = v % 10; break;
    case 6: v = ~v;
    case 7: v <<= 3;
    case 8: v -= 5; break;
    case 9: v = v * v; break;
    case 10: v = (u32)__popc(v); break;
    case 11: v |= 0xFF; break;
    case 12: v &= 0xFF0; break;
    default: v = 1; break;
    }
    switch (io.word(3)) {
    case 0: w = 1; break;
    case 31: w = 2; break;
    case 0x7FFFFFFF: w = 3; break;
    case 0x80000000: w = 4; break;
    case 0xFFFFFFFF: w = 5; break;
    case 100: w = 6; break;
    case 0x3F800000: w = 7; break;
    }
    io.put(v);
    io.put(w);
}

// Computed jumps by a table of labels.
// golden ctl_brx words=1
GOLDEN(ctl_brx) {
    Io io(in, out, n);
    u32 a = io.word(0), r;
    asm volatile("{\n"
        ".reg .u32 i;\n"
        "rem.u32 i, %1, 4;\n"
        "mov.u32 %0, %1;\n"
        "ts: .branchtargets L0, L1, L2, L3;\n"
        "brx.idx i, ts;\n"
        "L0: add.u32 %0, %0, 1; bra L3;\n"
        "L1: mul.lo.u32 %0, %0, 5;\n"
        "L2: xor.b32 %0, %0, 0x5A5A;\n"
        "L3: add.u32 %0, %0, 100;\n"
        "}" : "=&r"(r) : "r"(a));
    io.put(r);
}

NOINLINE u32 ackermann(u32 m, u32 k) {
    if (m == 0)
        return k + 1;
    return ackermann(m - 1, k == 0 ? 1 : ackermann(m, k - 1));
}

// golden ctl_ackermann words=1 grid=1 block=32
GOLDEN(ctl_ackermann) {
    Io io(in, out, n);
    io.put(ackermann(io.i % 3, io.word(0) % 4));
}

NOINLINE u32 is_odd(u32 v);
NOINLINE u32 is_even(u32 v) {
    return v == 0 ? 1 : is_odd(v - 1);
}
NOINLINE u32 is_odd(u32 v) {
    return v == 0 ? 0 : is_even(v - 1);
}

NOINLINE u64 fibonacci(u32 v) {
    return v < 2 ? v : fibonacci(v - 1) + fibonacci(v - 2);
}

// golden ctl_recursion words=3 block=64
GOLDEN(ctl_recursion) {
    Io io(in, out, n);
    io.put(is_even(io.word(0) % 23));
    io.put64(fibonacci(io.word(1) % 11));
}

typedef u32 (*Operation)(u32, u32);
NOINLINE u32 op_add(u32 a, u32 b) { return a + b; }
NOINLINE u32 op_mul(u32 a, u32 b) { return a * b; }
NOINLINE u32 op_mix(u32 a, u32 b) { return (a ^ b >> 3) * 2654435761u; }
NOINLINE u32 op_twice(u32 a, u32 b) { return op_add(op_mul(a, b), b); }
__device__ Operation operations[4] = {op_add, op_mul, op_mix, op_twice};

// golden ctl_function_pointers words=3
GOLDEN(ctl_function_pointers) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(1);
    io.put(operations[a & 3](a, b));
    Operation chosen = b & 1 ? op_mix : op_twice;
    io.put(chosen(b, a));
    u32 v = a;
    for (u32 k = 0; k < (a & 7) + 1; k++)
        v = operations[(v >> k) & 3](v, b + k);
    io.put(v);
}

struct Shape {
    float size;
    __device__ Shape(float size) : size(size) {}
    __device__ virtual float area() const = 0;
    __device__ virtual u32 corners() const { return 4; }
};
struct Square : Shape {
    __device__ Square(float s) : Shape(s) {}
    __device__ float area() const override { return size * size; }
};
struct Triangle : Shape {
    float height;
    __device__ Triangle(float s, float h) : Shape(s), height(h) {}
    __device__ float area() const override { return size * height * 0.5f; }
    __device__ u32 corners() const override { return 3; }
};
struct Strange : Square {
    __device__ Strange(float s) : Square(s) {}
    __device__ float area() const override { return Square::area() + 1; }
    __device__ u32 corners() const override { return 99; }
};

NOINLINE float measure(const Shape &shape, u32 &corners) {
    corners += shape.corners();
    return shape.area();
}

// golden ctl_virtual words=2
GOLDEN(ctl_virtual) {
    Io io(in, out, n);
    float s = io.moderate(0);
    Square square(s);
    Triangle triangle(s, io.moderate(1));
    Strange strange(s);
    const Shape *shapes[3] = {&square, &triangle, &strange};
    u32 corners = 0;
    float sum = 0;
    for (u32 k = 0; k < 4; k++)
        sum += measure(*shapes[(io.word(k) >> 3) % 3], corners);
    io.putf(sum);
    io.put(corners);
}

struct Pair {
    u64 a;
    u32 b;
    u16 c;
    u8 d[5];
};
NOINLINE Pair swap_parts(Pair p, u32 k) {
    Pair r = {(u64)p.b << 32 | p.c, (u32)(p.a >> 16), (u16)(p.a + k), {}};
    for (u32 i = 0; i < 5; i++)
        r.d[i] = p.d[(i + k) % 5];
    return r;
}

// golden ctl_struct_by_value words=6
GOLDEN(ctl_struct_by_value) {
    Io io(in, out, n);
    Pair p = {io.word64(0), io.word(2), (u16)io.word(3), {}};
    for (u32 i = 0; i < 5; i++)
        p.d[i] = (u8)(io.word(4) >> i);
    for (u32 k = 0; k < (io.i & 3) + 1; k++)
        p = swap_parts(p, k);
    io.put64(p.a);
    io.put(p.b);
    io.put(p.c);
    io.put(p.d[0] | p.d[1] << 8 | p.d[2] << 16 | p.d[3] << 24);
    io.put(p.d[4]);
}

NOINLINE double many_arguments(u8 a, s16 b, u32 c, s64 d, float e, double f,
    bool g, const u32 *h, u32 i, u32 j) {
    return a + b + (double)c + (double)(d >> 20) + e + f + (g ? 0.5 : 0) + *h +
           i * 2.0 + j;
}

// golden ctl_arguments words=2
GOLDEN(ctl_arguments) {
    Io io(in, out, n);
    u32 local = io.word(9);
    io.putd(many_arguments((u8)io.word(0), (s16)io.word(1), io.word(2),
        (s64)io.word64(3), io.moderate(4), io.moderate64(5), io.word(6) & 1,
        &local, io.word(7), io.i));
}

// Lanes leave early, some within a loop, some before a barrier of the rest.
// golden ctl_early_exit words=2
GOLDEN(ctl_early_exit) {
    Io io(in, out, n);
    if (io.word(0) % 5 == 0)
        return;
    u32 sum = 0;
    for (u32 k = 0; k < 20; k++) {
        sum += io.word(k) & 0xFFF;
        if (sum > 20000) {
            io.put(k);
            return;
        }
    }
    io.put(sum);
    io.put(7);
}

// golden ctl_goto words=1
GOLDEN(ctl_goto) {
    Io io(in, out, n);
    u32 a = io.word(0), k = 0;
again:
    a = a * 1664525 + 1013904223;
    if (k++ > 30)
        goto done;
    if (a & 0x10000)
        goto again;
    a ^= k << 24;
    if ((a >> 5) & 1)
        goto done;
    a += 77;
    goto again;
done:
    io.put(a + k);
}

template <u32 N> struct Power {
    static INLINE u32 of(u32 x) { return x * Power<N - 1>::of(x); }
};
template <> struct Power<0> {
    static INLINE u32 of(u32) { return 1; }
};

// golden ctl_lambda words=4
GOLDEN(ctl_lambda) {
    Io io(in, out, n);
    u32 a = io.word(0), calls = 0;
    auto twist = [&](u32 x, auto &&self) -> u32 {
        calls++;
        return x < 10 ? x : self(x / 3 - 1, self) + (x & 3);
    };
    io.put(twist(a, twist));
    io.put(calls);
    io.put(Power<11>::of(a));
    auto select = [=](bool up) { return up ? a + 1 : a - 1; };
    io.put(select(a & 2) * select(!(a & 4)));
}

// Predicated instructions, with and without an else.
// golden ctl_predicates words=2
GOLDEN(ctl_predicates) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(1), r;
    asm("{.reg .pred p, q; setp.gt.s32 p, %1, %2; setp.ne.u32 q, %2, 0;"
        "mov.u32 %0, 7; @p mov.u32 %0, %1; @!p add.u32 %0, %0, %2;"
        "@q rem.u32 %0, %0, %2; @!q xor.b32 %0, %0, 3;}"
        : "=&r"(r) : "r"(a), "r"(b));
    io.put(r);
    asm("{.reg .f32 f; mov.b32 f, %1; slct.u32.f32 %0, %1, %2, f;}"
        : "=r"(r) : "r"(a & 0xFF7FFFFF), "r"(b));
    io.put(r);
}
