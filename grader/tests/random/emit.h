// SPDX-License-Identifier: Apache-2.0
// Registers, operands and single instructions of random programs: from a row of
// forms.h, or made up from parts (comparisons, conversions).
//
// A function has a pool of registers for each class; nothing else is written,
// but temporaries (%t.., %u.., %w.., %z..) that live within one statement.
#ifndef CLCLAB_RANDOM_EMIT_H
#define CLCLAB_RANDOM_EMIT_H

#include "base/base.h"
#include "tests/random/forms.h"
#include "tests/random/launch.h"

#include <stdio.h>
#include <string.h>

typedef enum RandomSet {
    RANDOM_CORE, // what was there first; its programs do not change
    RANDOM_ALL,  // everything
} RandomSet;

typedef struct RandomText {
    char s[48];
} RandomText;

typedef struct Random {
    Buf *out;
    RandomSet set;
    bool trace; // store each result: see generate.h
    uint32_t seed;
    uint64_t state;      // of the generator of numbers
    uint32_t statements; // so far, in this kernel
    uint32_t labels;
    uint32_t temporaries; // of the statement
    bool in_function;     // smaller pools, no trace
} Random;

// The registers of a pool: its classes share it where the letter is the same.
static const struct RandomPool {
    char class;
    char prefix;
    uint8_t bits; // 0: predicates
    uint8_t in_kernel, in_function;
    bool more; // only in the set `all`
} random_pools[] = {
    {'h', 'h', 16, 6, 4, false}, {'r', 'r', 32, 10, 4, false},
    {'l', 'l', 64, 6, 3, false}, {'f', 'f', 32, 8, 3, false},
    {'d', 'd', 64, 6, 2, false}, {'p', 'p', 0, 5, 3, false},
    {'e', 'e', 16, 5, 2, true},  {'E', 'x', 32, 4, 2, true},
    {'b', 'b', 16, 4, 2, true},  {'B', 'y', 32, 4, 2, true},
};

// ---- numbers -------------------------------------------------------------

static inline uint32_t random_below(Random *r, uint32_t bound) {
    r->state += 0x9E3779B97F4A7C15u;
    return (uint32_t)((golden_mix(r->state) >> 32) * bound >> 32);
}

static inline bool random_chance(Random *r, uint32_t percent) {
    return random_below(r, 100) < percent;
}

static inline const char *random_pick(Random *r, const char *const *from,
                                      size_t count) {
    return from[random_below(r, (uint32_t)count)];
}
#define RANDOM_PICK(r, array) random_pick((r), (array), COUNT_OF(array))

static inline uint64_t random_constant(Random *r) {
    return golden_input(random_below(r, 4000) + 5000);
}

// ---- text ----------------------------------------------------------------

static inline RandomText random_text(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static inline RandomText random_text(const char *format, ...) {
    RandomText text;
    va_list args;
    va_start(args, format);
    vsnprintf(text.s, sizeof text.s, format, args);
    va_end(args);
    return text;
}

static inline const struct RandomPool *random_pool(char class) {
    for (size_t i = 0; i < COUNT_OF(random_pools); i++)
        if (random_pools[i].class == class)
            return &random_pools[i];
    return &random_pools[1];
}

static inline uint32_t random_pool_size(const Random *r,
                                        const struct RandomPool *pool) {
    if (pool->more && r->set == RANDOM_CORE)
        return 0;
    return r->in_function ? pool->in_function : pool->in_kernel;
}

static inline RandomText random_register(Random *r, char class) {
    const struct RandomPool *pool = random_pool(class);
    uint32_t size = random_pool_size(r, pool);
    return random_text("%%%c%u", pool->prefix, random_below(r, size));
}

// A temporary: t 32 bits, u 64, w 16, z predicate.
static inline RandomText random_temporary(Random *r, char prefix) {
    return random_text("%%%c%u", prefix, r->temporaries++ % 12);
}

// ---- operands ------------------------------------------------------------

static inline RandomText random_immediate(Random *r, char class) {
    uint64_t bits = random_constant(r);
    uint32_t low = (uint32_t)bits;
    switch (class) {
    case 'h':
        return random_text("%u", low & 0x7FFF);
    case 'l':
        return random_text("0x%llx", (unsigned long long)bits);
    case 'f': // a NaN's exponent loses a bit
        if ((low & 0x7F800000) == 0x7F800000 && (low & 0x7FFFFF))
            low ^= 0x40000000;
        return random_text("0f%08X", low);
    case 'd':
        if ((~bits >> 52 & 0x7FF) == 0 && bits << 12)
            bits ^= UINT64_C(1) << 62;
        return random_text("0d%016llX", (unsigned long long)bits);
    default:
        return random_text("%d", (int32_t)low);
    }
}

// Makes an operand that needs an instruction of its own before.
static inline RandomText random_prepared(Random *r, char class) {
    char wide = class == 'Z' || class == 'D'   ? 'u'
                : class == 'y' || class == 'g' ? 'w'
                                               : 't';
    RandomText t = random_temporary(r, wide);
    RandomText z = random_temporary(r, 'z'), a;
    switch (class) {
    case 's':
        a = random_register(r, 'r');
        buf_printf(r->out, "and.b32 %s, %s, 127;\n", t.s, a.s);
        break;
    case 'y':
        a = random_register(r, 'h');
        buf_printf(r->out, "and.b16 %s, %s, 0x7FFF;\nor.b16 %s, %s, 1;\n", t.s,
                   a.s, t.s, t.s);
        break;
    case 'z':
        a = random_register(r, 'r');
        buf_printf(r->out, "and.b32 %s, %s, 0x7FFFFFFF;\nor.b32 %s, %s, 1;\n",
                   t.s, a.s, t.s, t.s);
        break;
    case 'Z':
        a = random_register(r, 'l');
        buf_printf(r->out,
                   "and.b64 %s, %s, 0x7FFFFFFFFFFFFFFF;\nor.b64 %s, %s, 1;\n",
                   t.s, a.s, t.s, t.s);
        break;
    case 'g': {
        RandomText m = random_temporary(r, 'w');
        a = random_register(r, 'e');
        buf_printf(r->out,
                   "and.b16 %s, %s, 0x7FFF;\nsetp.gt.u16 %s, %s, 0x7C00;\n"
                   "selp.b16 %s, 0x3C00, %s, %s;\n",
                   m.s, a.s, z.s, m.s, t.s, a.s, z.s);
        break;
    }
    case 'D':
        a = random_register(r, 'd');
        buf_printf(r->out,
                   "setp.nan.f64 %s, %s, %s;\n"
                   "selp.b64 %s, 0x3FF0000000000000, %s, %s;\n",
                   z.s, a.s, a.s, t.s, a.s, z.s);
        break;
    default: // F
        a = random_register(r, 'f');
        buf_printf(r->out,
                   "setp.nan.f32 %s, %s, %s;\nselp.b32 %s, 0x3F800000, %s, "
                   "%s;\n",
                   z.s, a.s, a.s, t.s, a.s, z.s);
    }
    return t;
}

static inline RandomText random_operand(Random *r, char class) {
    switch (class) {
    case 'k':
        return random_text("%u", random_below(r, 32));
    case 'n':
        return random_text("%u", random_below(r, 256));
    case 's':
        if (random_chance(r, 30))
            return random_text("%u", random_below(r, 72));
        return random_prepared(r, class);
    case 'y':
    case 'z':
    case 'Z':
    case 'g':
    case 'F':
    case 'D':
        return random_prepared(r, class);
    case 'H':
        return random_register(r, 'h');
    case 'R':
        return random_register(r, 'r');
    case 'L':
        return random_register(r, 'l');
    case 'q': {
        RandomText p = random_register(r, 'p');
        return random_chance(r, 40) ? random_text("!%s", p.s) : p;
    }
    case 'h':
    case 'r':
    case 'l':
    case 'f':
    case 'd':
        if (random_chance(r, 12))
            return random_immediate(r, class);
        return random_register(r, class);
    default:
        return random_register(r, class);
    }
}

// ---- after a result ------------------------------------------------------

// Makes every NaN in `name` the one pattern of its class.
static inline void random_canonical(Random *r, char class, const char *name) {
    Buf *o = r->out;
    if (class == 'f' || class == 'd') {
        const char *t = class == 'f' ? "32" : "64";
        buf_printf(o, "setp.nan.f%s %%z15, %s, %s;\n", t, name, name);
        buf_printf(o, "selp.b%s %s, %s, %s, %%z15;\n", t, name,
                   class == 'f' ? "0x7FC00000" : "0x7FF8000000000000", name);
    } else if (class == 'e' || class == 'b') {
        const char *top = class == 'e' ? "0x7C00" : "0x7F80";
        buf_printf(o, "and.b16 %%w15, %s, 0x7FFF;\n", name);
        buf_printf(o, "setp.gt.u16 %%z15, %%w15, %s;\n", top);
        buf_printf(o, "selp.b16 %s, 0x7FC0, %s, %%z15;\n", name, name);
    } else if (class == 'E' || class == 'B') {
        char half = class == 'E' ? 'e' : 'b';
        buf_printf(o, "mov.b32 {%%w13, %%w14}, %s;\n", name);
        random_canonical(r, half, "%w13");
        random_canonical(r, half, "%w14");
        buf_printf(o, "mov.b32 %s, {%%w13, %%w14};\n", name);
    }
}

// The register's bits as 64, in %u15.
static inline void random_widen(Random *r, char class, const char *name) {
    Buf *o = r->out;
    switch (class) {
    case 'h':
    case 'e':
    case 'b':
        buf_printf(o, "cvt.u64.u16 %%u15, %s;\n", name);
        break;
    case 'f':
        buf_printf(o, "mov.b32 %%t15, %s;\ncvt.u64.u32 %%u15, %%t15;\n", name);
        break;
    case 'p':
        buf_printf(o, "selp.u64 %%u15, 1, 0, %s;\n", name);
        break;
    case 'l':
    case 'd':
        buf_printf(o, "mov.b64 %%u15, %s;\n", name);
        break;
    default:
        buf_printf(o, "cvt.u64.u32 %%u15, %s;\n", name);
    }
}

// The statement wrote register `name`: no NaN is left to chance, and a traced
// program stores (statement, value).
static inline void random_written(Random *r, char class, const char *name) {
    random_canonical(r, class, name);
    if (!r->trace || r->in_function)
        return;
    random_widen(r, class, name);
    buf_printf(r->out,
               "setp.lt.u64 %%z15, %%trace, %%trace_end;\n"
               "@%%z15 st.global.v2.b64 [%%trace], {%u, %%u15};\n"
               "@%%z15 add.s64 %%trace, %%trace, 16;\n",
               r->statements);
}

static inline void random_statement(Random *r) {
    r->temporaries = 0;
    r->statements++;
    if (!r->in_function)
        buf_printf(r->out, "// #%u\n", r->statements);
}

static inline RandomText random_guard(Random *r) {
    if (!random_chance(r, 15))
        return random_text("%s", "");
    RandomText p = random_register(r, 'p');
    return random_text("@%s%s ", random_chance(r, 40) ? "!" : "", p.s);
}

// ---- a row of forms.h ----------------------------------------------------

// The text with $0, $1 ... replaced; or, without a $, followed by them all.
static inline void random_fill(Random *r, const char *text,
                               const RandomText *operands, uint32_t count) {
    if (!strchr(text, '$')) {
        buf_printf(r->out, "%s", text);
        for (uint32_t i = 0; i < count; i++)
            buf_printf(r->out, "%s %s", i ? "," : "", operands[i].s);
        buf_printf(r->out, ";\n");
        return;
    }
    for (; *text; text++) {
        if (*text != '$')
            buf_byte(r->out, *text);
        else
            buf_printf(r->out, "%s", operands[*++text - '0'].s);
    }
    buf_byte(r->out, '\n');
}

// Results of one statement are different registers.
static inline RandomText
random_result(Random *r, char class, const RandomText *others, uint32_t count) {
    for (;;) {
        RandomText text = random_register(r, class);
        bool taken = false;
        for (uint32_t i = 0; i < count; i++)
            taken |= strcmp(text.s, others[i].s) == 0;
        if (!taken)
            return text;
    }
}

static inline void random_form(Random *r, const RandomForm *form) {
    RandomText operands[10];
    uint32_t count = 0, results = 0;
    bool one = !strchr(form->text, ';') ||
               strchr(form->text, ';') == strrchr(form->text, ';');
    random_statement(r);
    for (const char *c = form->classes; *c; c++) {
        if (*c == ':') {
            results = count;
            continue;
        }
        bool result = strchr(c, ':') != NULL;
        operands[count] = result ? random_result(r, *c, operands, count)
                                 : random_operand(r, *c);
        count++;
    }
    RandomText guard = random_guard(r);
    if (one)
        buf_printf(r->out, "%s", guard.s);
    random_fill(r, form->text, operands, count);
    for (uint32_t i = 0; i < results; i++)
        random_written(r, form->classes[i], operands[i].s);
}

// ---- comparisons and conversions -----------------------------------------

static inline void random_comparison(Random *r) {
    static const char *const ordered[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const other[] = {"equ", "neu", "ltu", "leu",
                                        "gtu", "geu", "num", "nan"};
    static const char *const lower[] = {"lo", "ls", "hi", "hs"};
    static const struct {
        const char *type;
        char class;
        uint8_t kind; // 0 bits, 1 signed, 2 unsigned, 3 float
    } types[] = {{"b16", 'h', 0}, {"s16", 'h', 1},     {"u16", 'h', 2},
                 {"b32", 'r', 0}, {"s32", 'r', 1},     {"u32", 'r', 2},
                 {"b64", 'l', 0}, {"s64", 'l', 1},     {"u64", 'l', 2},
                 {"f32", 'f', 3}, {"ftz.f32", 'f', 3}, {"f64", 'd', 3}};
    uint32_t t = random_below(r, COUNT_OF(types));
    uint8_t kind = types[t].kind;
    const char *how =
        kind == 0                           ? random_pick(r, ordered, 2)
        : kind == 3 && random_chance(r, 50) ? RANDOM_PICK(r, other)
        : kind == 2 && random_chance(r, 40) ? RANDOM_PICK(r, lower)
                                            : RANDOM_PICK(r, ordered);
    random_statement(r);
    RandomText a = random_register(r, types[t].class);
    RandomText b = random_operand(r, types[t].class);
    RandomText guard = random_guard(r);
    static const char *const joins[] = {"and", "or", "xor"};
    if (random_chance(r, 20)) { // set: all ones, or 0
        RandomText d = random_register(r, 'r');
        buf_printf(r->out, "%sset.%s.%s.%s %s, %s, %s;\n", guard.s, how,
                   random_chance(r, 50) ? "u32" : "s32", types[t].type, d.s,
                   a.s, b.s);
        random_written(r, 'r', d.s);
        return;
    }
    RandomText p[2], c = random_operand(r, 'q');
    p[0] = random_result(r, 'p', p, 0);
    p[1] = random_result(r, 'p', p, 1);
    bool joined = random_chance(r, 40), both = random_chance(r, 25);
    buf_printf(r->out, "%ssetp.%s%s%s.%s %s%s%s, %s, %s%s%s;\n", guard.s, how,
               joined ? "." : "", joined ? RANDOM_PICK(r, joins) : "",
               types[t].type, p[0].s, both ? "|" : "", both ? p[1].s : "", a.s,
               b.s, joined ? ", " : "", joined ? c.s : "");
    random_written(r, 'p', p[0].s);
    if (both)
        random_written(r, 'p', p[1].s);
}

// .sat is not for a conversion that loses nothing.
static inline bool random_may_saturate(const char *from, uint32_t from_size,
                                       const char *to, uint32_t to_size) {
    if (*from == 'f' || *to == 'f')
        return strcmp(from, to) != 0;
    bool signs = *from == 's' && *to == 'u';
    return strcmp(from, to) != 0 && (to_size <= from_size || signs);
}

static inline void random_conversion(Random *r) {
    static const struct {
        const char *name;
        char class; // of the register
        uint8_t size;
        bool is_float;
    } types[] = {{"u8", 'r', 1, false},  {"s8", 'r', 1, false},
                 {"u16", 'h', 2, false}, {"s16", 'h', 2, false},
                 {"u32", 'r', 4, false}, {"s32", 'r', 4, false},
                 {"u64", 'l', 8, false}, {"s64", 'l', 8, false},
                 {"f32", 'f', 4, true},  {"f64", 'd', 8, true}};
    static const char *const floats[] = {".rn", ".rz", ".rm", ".rp"};
    static const char *const wholes[] = {".rni", ".rzi", ".rmi", ".rpi"};
    uint32_t to = random_below(r, COUNT_OF(types));
    uint32_t from = random_below(r, COUNT_OF(types));
    const char *rounding = "", *ftz = "", *sat = "";
    bool narrows = types[to].size < types[from].size;
    if (types[from].is_float && !types[to].is_float)
        rounding = RANDOM_PICK(r, wholes);
    else if (types[to].is_float && (!types[from].is_float || narrows))
        rounding = RANDOM_PICK(r, floats);
    else if (types[to].is_float && to == from)
        rounding = RANDOM_PICK(r, wholes);
    if ((types[from].is_float && types[from].size == 4) ||
        (types[from].is_float && types[to].is_float && types[to].size == 4))
        ftz = random_chance(r, 30) ? ".ftz" : "";
    if (random_may_saturate(types[from].name, types[from].size, types[to].name,
                            types[to].size))
        sat = random_chance(r, 25) ? ".sat" : "";
    random_statement(r);
    char source = types[from].class;
    if (types[from].is_float && !types[to].is_float)
        source = source == 'f' ? 'F' : 'D';
    RandomText a = source == 'F' || source == 'D' ? random_prepared(r, source)
                                                  : random_register(r, source);
    RandomText d = random_register(r, types[to].class);
    RandomText guard = random_guard(r);
    buf_printf(r->out, "%scvt%s%s%s.%s.%s %s, %s;\n", guard.s, rounding, ftz,
               sat, types[to].name, types[from].name, d.s, a.s);
    random_written(r, types[to].class, d.s);
}

#endif
