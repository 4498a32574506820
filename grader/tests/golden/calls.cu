// SPDX-License-Identifier: Apache-2.0
// What C++ makes of calls: virtual functions, tables of function pointers,
// lambdas behind pointers, recursion, structs by value, variants, the heap.
// Each test is a host and device function: what the host's compiler makes of it
// is what the device must give (README.md).
#include "golden.h"

#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <new>
#include <stdlib.h>
#include <string.h>

#define BOTH __host__ __device__
#define CALL __host__ __device__ __noinline__

// ---- virtual functions ---------------------------------------------------

struct Shape {
    BOTH virtual uint64_t area(uint64_t scale) const = 0;
    BOTH virtual uint64_t edges() const {
        return 0;
    }
    BOTH virtual ~Shape() {
    }
};
struct Square : Shape {
    uint64_t side;
    BOTH explicit Square(uint64_t s) : side(s) {
    }
    BOTH uint64_t area(uint64_t scale) const override {
        return side * side * scale;
    }
    BOTH uint64_t edges() const override {
        return 4;
    }
};
struct Circle : Shape {
    uint64_t radius;
    BOTH explicit Circle(uint64_t r) : radius(r) {
    }
    BOTH uint64_t area(uint64_t scale) const override {
        return 3 * radius * radius + scale;
    }
};

CALL uint64_t measure(const Shape *shape, uint64_t scale) {
    return shape->area(scale) * 16 + shape->edges();
}

BOTH uint64_t test_virtual(uint64_t a, uint64_t t) {
    Square square(a % 1000);
    Circle circle(a % 777);
    const Shape *shapes[2] = {&square, &circle};
    return measure(shapes[t % 2], t) + measure(shapes[(t / 3) % 2], a % 5);
}

// ---- diamond -------------------------------------------------------------

struct Base {
    uint64_t b;
    BOTH virtual uint64_t f() const {
        return b;
    }
    BOTH virtual ~Base() {
    }
};
struct Left : virtual Base {
    uint64_t l;
    BOTH uint64_t f() const override {
        return b + l;
    }
};
struct Right : virtual Base {
    uint64_t r;
    BOTH virtual uint64_t g() const {
        return b * r;
    }
};
struct Bottom : Left, Right {
    uint64_t d;
    BOTH uint64_t g() const override {
        return f() + d;
    }
};
CALL uint64_t via_right(const Right *r) {
    return r->g() * 3 + r->f();
}
CALL uint64_t via_base(const Base *b) {
    return b->f();
}
BOTH uint64_t test_diamond(uint64_t a, uint64_t t) {
    Bottom bottom;
    bottom.b = a % 100;
    bottom.l = t;
    bottom.r = 3;
    bottom.d = a % 7;
    Right right;
    right.b = t;
    right.r = a % 9;
    return via_right(t & 1 ? &bottom : &right) * 1000 +
           via_base(t & 2 ? (Base *)&right : (Base *)&bottom);
}

// ---- pointers ------------------------------------------------------------

typedef uint64_t (*Binary)(uint64_t, uint64_t);
CALL uint64_t add(uint64_t a, uint64_t b) {
    return a + b;
}
CALL uint64_t sub(uint64_t a, uint64_t b) {
    return a - b;
}
CALL uint64_t mix(uint64_t a, uint64_t b) {
    return (a ^ b) * 0x9E3779B97F4A7C15ull;
}
#ifdef __CUDA_ARCH__
__device__ Binary in_global[3] = {add, sub, mix};
__constant__ Binary in_constant[3] = {mix, add, sub};
#else
static Binary in_global[3] = {add, sub, mix};
static Binary in_constant[3] = {mix, add, sub};
#endif
BOTH uint64_t test_tables(uint64_t a, uint64_t t) {
    return in_global[t % 3](a, t) ^ in_constant[(t / 3) % 3](t, a);
}

struct Op {
    Binary f;
    uint64_t b;
};
CALL uint64_t apply(Op op, uint64_t a) {
    return op.f ? op.f(a, op.b) : a;
}
BOTH uint64_t test_struct_of_pointer(uint64_t a, uint64_t t) {
    Op op = {t % 4 == 0   ? nullptr
             : t % 4 == 1 ? add
             : t % 4 == 2 ? sub
                          : mix,
             a % 13};
    return apply(op, t);
}

struct Erased {
    uint64_t (*call)(const void *, uint64_t);
    const void *self;
    template <class F>
    BOTH static uint64_t invoke(const void *self, uint64_t x) {
        return (*(const F *)self)(x);
    }
    template <class F> BOTH Erased(const F &f) : call(&invoke<F>), self(&f) {
    }
    BOTH uint64_t operator()(uint64_t x) const {
        return call(self, x);
    }
};
CALL uint64_t twice(const Erased &f, uint64_t x) {
    return f(f(x));
}
BOTH uint64_t test_lambdas(uint64_t a, uint64_t t) {
    auto one = [a](uint64_t x) { return x * 3 + a % 17; };
    auto two = [t, a](uint64_t x) { return (x >> 1) ^ (t + a); };
    Erased first(one), second(two);
    return twice(t & 1 ? first : second, t) + first(second(a));
}

struct Member {
    uint64_t v;
    CALL uint64_t plus(uint64_t x) {
        return v + x;
    }
    CALL uint64_t times(uint64_t x) {
        return v * x;
    }
    BOTH virtual uint64_t virt(uint64_t x) {
        return v - x;
    }
};
struct Member2 : Member {
    BOTH uint64_t virt(uint64_t x) override {
        return v ^ x;
    }
};
BOTH uint64_t test_members(uint64_t a, uint64_t t) {
    uint64_t (Member::*which)(uint64_t) = t % 3 == 0   ? &Member::plus
                                          : t % 3 == 1 ? &Member::times
                                                       : &Member::virt;
    Member m;
    m.v = a;
    Member2 n;
    n.v = a + 1;
    Member *p = t & 4 ? &m : (Member *)&n;
    return (p->*which)(t);
}

// ---- recursion -----------------------------------------------------------

CALL uint64_t fib(uint64_t n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
CALL uint64_t odd(uint64_t n);
CALL uint64_t even(uint64_t n) {
    return n == 0 ? 1 : odd(n - 1);
}
CALL uint64_t odd(uint64_t n) {
    return n == 0 ? 0 : even(n - 1);
}
CALL uint64_t ackermann(uint64_t m, uint64_t n) {
    return m == 0   ? n + 1
           : n == 0 ? ackermann(m - 1, 1)
                    : ackermann(m - 1, ackermann(m, n - 1));
}
struct Walker {
    uint64_t (*step)(const Walker &, uint64_t);
};
CALL uint64_t walk_down(const Walker &w, uint64_t n) {
    return n == 0 ? 7 : 1 + 2 * w.step(w, n - 1);
}
CALL uint64_t walk_half(const Walker &w, uint64_t n) {
    return n == 0 ? 9 : 3 + w.step(w, n / 2);
}
BOTH uint64_t test_recursion(uint64_t a, uint64_t t) {
    Walker w = {t & 1 ? walk_down : walk_half};
    return fib(t % 9) * 100 + even(a % 31) * 10 +
           ackermann(t % 3, a % 4) * 1000 + w.step(w, t % 20) * 100000;
}

// ---- structs by value ----------------------------------------------------

struct B3 {
    uint8_t c[3];
};
struct B17 {
    uint8_t c[17];
};
struct alignas(32) V {
    float x[8];
};
struct Mixed {
    uint8_t a;
    uint64_t b;
    uint16_t c;
    double d;
    uint8_t e;
};
CALL B3 three(B3 a, B17 b, V v, Mixed m, uint8_t n) {
    B3 r = a;
    r.c[0] += b.c[16] + (uint8_t)v.x[7] + m.a;
    r.c[1] ^= (uint8_t)m.c + n;
    r.c[2] += (uint8_t)(int)m.d + m.e;
    return r;
}
CALL V scaled(V v, float by) {
    for (float &x : v.x)
        x *= by;
    return v;
}
CALL Mixed mixed(Mixed m, B17 b) {
    m.b += b.c[3];
    m.d *= 2;
    m.e = b.c[0];
    return m;
}
BOTH uint64_t test_structs(uint64_t a, uint64_t t) {
    B3 x = {{(uint8_t)a, (uint8_t)(a >> 8), (uint8_t)t}};
    B17 y;
    for (int i = 0; i < 17; i++)
        y.c[i] = (uint8_t)(a >> (i % 8 * 8)) + i;
    V v;
    for (int i = 0; i < 8; i++)
        v.x[i] = (float)(t + i);
    Mixed m = {(uint8_t)t, a, (uint16_t)(a >> 3), (double)(t * 3),
               (uint8_t)(a >> 9)};
    v = scaled(v, 2);
    m = mixed(m, y);
    B3 r = three(x, y, v, m, (uint8_t)t);
    return r.c[0] | r.c[1] << 8 | r.c[2] << 16 | (m.b & 0xFFFF) << 24 |
           (uint64_t)v.x[3] << 40;
}
CALL uint64_t many(uint8_t a, int16_t b, uint32_t c, uint64_t d, float e,
                   double f, int8_t g, uint64_t h, uint64_t i, uint32_t j, B3 k,
                   uint64_t l, bool m, char n, int64_t o, uint16_t p, float q,
                   uint64_t r) {
    const uint64_t all[18] = {a,
                              (uint64_t)b,
                              c,
                              d,
                              (uint64_t)(e * 11),
                              (uint64_t)(f * 13),
                              (uint64_t)g,
                              h,
                              i,
                              j,
                              k.c[1],
                              l,
                              m,
                              (uint64_t)n,
                              (uint64_t)o,
                              p,
                              (uint64_t)(q * 59),
                              r};
    uint64_t s = 0;
    for (uint64_t x : all)
        s = (s ^ x) * 0x9E3779B97F4A7C15ull;
    return s;
}
BOTH uint64_t test_many(uint64_t a, uint64_t t) {
    B3 k = {{1, (uint8_t)a, 3}};
    return many((uint8_t)a, (int16_t)(a >> 8), (uint32_t)(a >> 16), a,
                (float)(t + 1), (double)(a % 1000), (int8_t)(a >> 4), t, a >> 5,
                (uint32_t)t, k, a * 3, t & 1, (char)(a & 0x3F), -(int64_t)t,
                (uint16_t)(a >> 20), (float)(t * 2), a ^ t);
}

// ---- bit-fields, switch ----------------------------------------

struct Bits {
    uint32_t a : 3;
    int32_t b : 7;
    uint64_t c : 41;
    uint32_t d : 1;
    int64_t e : 12;
};
CALL Bits rotate(Bits x) {
    Bits y = x;
    y.a = x.b;
    y.b = (int32_t)x.c;
    y.c = x.c * 5 + x.a;
    y.d = !x.d;
    y.e = x.e - 1;
    return y;
}
BOTH uint64_t test_bits(uint64_t a, uint64_t t) {
    Bits x;
    x.a = (uint32_t)a;
    x.b = (int32_t)(a >> 7);
    x.c = a >> 11;
    x.d = t & 1;
    x.e = (int64_t)(a >> 20);
    x = rotate(rotate(x));
    return x.a + ((uint64_t)(x.b & 127) << 3) + ((uint64_t)x.c << 10) +
           ((uint64_t)x.d << 51) + ((uint64_t)(x.e & 0xFFF) << 52);
}
CALL uint64_t choose(uint64_t k, uint64_t a) {
    switch (k) {
    case 0:
        return a + 11;
    case 1:
        return a * 3;
    case 2:
        return a ^ 0x55;
    case 3:
        return ~a;
    case 4:
        return a >> 3;
    case 5:
        return a << 5;
    case 6:
        return a / 7;
    case 7:
        return a % 1001;
    case 8:
        return a - 99;
    case 9:
        return a | 0x1234;
    case 20:
        return 1;
    case 21:
        return 2;
    case 22:
        return 3;
    default:
        return 42;
    }
}
BOTH uint64_t test_switch(uint64_t a, uint64_t t) {
    return choose(t % 24, a) + choose(a % 11, t);
}

// ---- the library ---------------------------------------------------------

struct Small {
    uint8_t v;
};
typedef cuda::std::variant<uint64_t, float, Small, V> Value;
struct Visitor {
    BOTH uint64_t operator()(uint64_t x) const {
        return x * 2;
    }
    BOTH uint64_t operator()(float x) const {
        return (uint64_t)(x * 8);
    }
    BOTH uint64_t operator()(Small x) const {
        return x.v + 5u;
    }
    BOTH uint64_t operator()(const V &x) const {
        return (uint64_t)x.x[2];
    }
};
CALL uint64_t visited(const Value &v) {
    return cuda::std::visit(Visitor{}, v);
}
BOTH uint64_t test_variant(uint64_t a, uint64_t t) {
    Value v = a;
    if (t % 4 == 1)
        v = (float)t;
    if (t % 4 == 2)
        v = Small{(uint8_t)a};
    if (t % 4 == 3) {
        V x;
        for (int i = 0; i < 8; i++)
            x.x[i] = (float)(t * i);
        v = x;
    }
    return visited(v) * 8 + v.index();
}
CALL cuda::std::optional<uint64_t> maybe(uint64_t a) {
    if (a % 3 == 0)
        return cuda::std::nullopt;
    return a / 3;
}
CALL cuda::std::tuple<uint8_t, uint64_t, float> triple(uint64_t a) {
    return {(uint8_t)a, a * 7, (float)(a % 100)};
}
BOTH uint64_t test_optional(uint64_t a, uint64_t t) {
    auto x = triple(a + t);
    return maybe(t).value_or(a) + cuda::std::get<0>(x) + cuda::std::get<1>(x) +
           (uint64_t)cuda::std::get<2>(x);
}

// ---- memory --------------------------------------------------------------

struct Node {
    Node *next;
    uint64_t v;
    BOTH Node(Node *n, uint64_t x) : next(n), v(x) {
    }
    BOTH ~Node() {
        v = 0;
    }
};
CALL uint64_t sum(const Node *n) {
    return n ? n->v + 3 * sum(n->next) : 1;
}
BOTH uint64_t test_heap(uint64_t a, uint64_t t) {
    Node *list = nullptr;
    for (uint64_t i = 0; i < t % 7; i++)
        list = new Node(list, a + i);
    uint64_t s = sum(list);
    while (list) {
        Node *next = list->next;
        delete list;
        list = next;
    }
    Shape *shape = t & 1 ? (Shape *)new Square(t) : (Shape *)new Circle(t);
    s += measure(shape, a % 3);
    delete shape;
    uint32_t *array = (uint32_t *)malloc((t + 1) * 4);
    for (uint64_t i = 0; i <= t; i++)
        array[i] = (uint32_t)(i * a);
    s ^= array[t / 2];
    free(array);
    uint64_t *many = new uint64_t[t + 2]();
    many[t] = a;
    s += many[t] + many[t + 1];
    delete[] many;
    return s;
}
BOTH uint64_t test_placement(uint64_t a, uint64_t t) {
    alignas(16) unsigned char place[64];
    Shape *shape = t % 3 ? (Shape *)new (place) Square(a % 50)
                         : (Shape *)new (place) Circle(t);
    uint64_t area = measure(shape, 2);
    shape->~Shape();
    return area;
}
CALL uint64_t stack_sum(const uint32_t *v, uint64_t n) {
    uint64_t s = 0;
    for (uint64_t i = 0; i < n; i++)
        s = s * 31 + v[i];
    return s;
}
BOTH uint64_t test_alloca(uint64_t a, uint64_t t) {
    uint64_t s = 0;
    for (uint64_t k = 0; k < 3; k++) {
        uint32_t *v = (uint32_t *)__builtin_alloca((t + k + 1) * 4);
        for (uint64_t i = 0; i <= t + k; i++)
            v[i] = (uint32_t)(a >> (i % 32));
        s += stack_sum(v, t + k + 1);
    }
    return s;
}
BOTH uint64_t test_copies(uint64_t a, uint64_t t) {
    uint8_t from[100], to[100];
    for (int i = 0; i < 100; i++)
        from[i] = (uint8_t)(a >> (i % 57));
    memset(to, (int)t, 100);
    memcpy(to + t % 50, from + 3, t % 47);
    struct Block {
        uint8_t c[60];
    } block;
    memcpy(&block, to + 2, 60);
    memcpy(to + 5, &block, 60);
    return to[t % 100] + 256ull * to[64] + 65536ull * (to[0] > from[0]);
}

// ---- the kernel ----------------------------------------------------------

typedef uint64_t (*Test)(uint64_t, uint64_t);
enum { TESTS = 17 };
BOTH void run_all(const uint64_t *in, uint64_t *out, uint64_t t) {
    const Test tests[TESTS] = {
        test_virtual,  test_diamond, test_tables,    test_struct_of_pointer,
        test_lambdas,  test_members, test_recursion, test_structs,
        test_many,     test_bits,    test_switch,    test_variant,
        test_optional, test_heap,    test_placement, test_alloca,
        test_copies,
    };
    for (int i = 0; i < TESTS; i++)
        out[i * GOLDEN_THREADS + t] =
            tests[i](in[(i * 7 + t * 3) % GOLDEN_INPUTS], t);
}

extern "C" __global__ void calls(const uint64_t *in, uint64_t *out) {
    run_all(in, out, threadIdx.x);
}

#ifdef CALLS_ON_HOST
#include <stdio.h>
int main() {
    static uint64_t in[GOLDEN_INPUTS], out[TESTS * GOLDEN_THREADS];
    for (uint32_t i = 0; i < GOLDEN_INPUTS; i++)
        in[i] = golden_input(i);
    for (uint64_t t = 0; t < GOLDEN_THREADS; t++)
        run_all(in, out, t);
    return fwrite(out, sizeof out, 1, stdout) != 1;
}
#endif
