// SPDX-License-Identifier: Apache-2.0
// Random programs: from a seed, a PTX kernel that gives the same on any correct
// machine. random_module() writes modules of many; read random_kernel first.
//
// A kernel fills pools of registers of each class from its inputs (launch.h),
// does some dozens of random statements - arithmetic, guards, divergent ifs,
// loops and switches, memory of all spaces, atomics with order-free results,
// calls, shuffles, votes, barriers - and stores a hash of its registers.
// Nothing undefined, nothing approximate, no bit of a NaN that the ISA leaves
// open.
//
// With `trace`, each thread also stores (statement number, value) for each
// result in its part of `out`: the first difference between two machines names
// the statement, which the text marks with a comment `// #number`.
#ifndef CLCLAB_RANDOM_GENERATE_H
#define CLCLAB_RANDOM_GENERATE_H

#include "tests/random/shapes.h"

static inline void random_block(Random *r, RandomPlace place, uint32_t count);

// ---- control flow --------------------------------------------------------

static inline RandomPlace random_inside(const RandomPlace *place) {
    RandomPlace inner = *place;
    inner.depth++;
    return inner;
}

// if / else by a predicate that differs between lanes. Where the lanes that are
// here are known, so are those of each side: by a ballot.
static inline void random_if(Random *r, const RandomPlace *place) {
    uint32_t label = r->labels++, depth = place->depth;
    RandomPlace then = random_inside(place), other;
    RandomText p = random_register(r, 'p');
    bool has_else = random_chance(r, 60);
    random_statement(r);
    then.all_lanes = then.all_warps = false;
    other = then;
    if (place->mask[0]) {
        buf_printf(r->out, "vote.sync.ballot.b32 %%yes%u, %s, %s;\n", depth,
                   p.s, place->mask);
        buf_printf(r->out, "xor.b32 %%no%u, %%yes%u, %s;\n", depth, depth,
                   place->mask);
        snprintf(then.mask, sizeof then.mask, "%%yes%u", depth);
        snprintf(other.mask, sizeof other.mask, "%%no%u", depth);
    }
    buf_printf(r->out, "@!%s bra %s%u_%u;\n", p.s, has_else ? "E" : "J",
               r->seed, label);
    random_block(r, then, 1 + random_below(r, 5));
    if (has_else) {
        buf_printf(r->out, "bra J%u_%u;\nE%u_%u:\n", r->seed, label, r->seed,
                   label);
        random_block(r, other, 1 + random_below(r, 5));
    }
    buf_printf(r->out, "J%u_%u:\n", r->seed, label);
    if (place->mask[0])
        buf_printf(r->out, "bar.warp.sync %s;\n", place->mask);
}

// A loop: as often for all threads, or by a register of each.
static inline void random_loop(Random *r, const RandomPlace *place) {
    uint32_t label = r->labels++, depth = place->depth;
    RandomPlace body = random_inside(place);
    bool even = random_chance(r, 50);
    random_statement(r);
    if (even) {
        buf_printf(r->out, "mov.u32 %%turns%u, %u;\n", depth,
                   2 + random_below(r, 3));
    } else {
        RandomText a = random_register(r, 'r');
        buf_printf(r->out, "and.b32 %%turns%u, %s, 3;\n", depth, a.s);
        body.mask[0] = 0;
        body.all_lanes = body.all_warps = false;
    }
    buf_printf(r->out, "L%u_%u:\n", r->seed, label);
    random_block(r, body, 1 + random_below(r, 5));
    buf_printf(r->out,
               "sub.s32 %%turns%u, %%turns%u, 1;\n"
               "setp.gt.s32 %%again%u, %%turns%u, 0;\n"
               "@%%again%u bra L%u_%u;\n",
               depth, depth, depth, depth, depth, r->seed, label);
    if (!even && place->mask[0])
        buf_printf(r->out, "bar.warp.sync %s;\n", place->mask);
}

// A jump by a table of labels.
static inline void random_switch(Random *r, const RandomPlace *place) {
    uint32_t label = r->labels++, cases = 2 + random_below(r, 3);
    RandomPlace body = random_inside(place);
    body.mask[0] = 0;
    body.all_lanes = body.all_warps = false;
    random_statement(r);
    RandomText a = random_register(r, 'r');
    buf_printf(r->out, "rem.u32 %%t14, %s, %u;\nS%u_%u: .branchtargets ", a.s,
               cases, r->seed, label);
    for (uint32_t i = 0; i < cases; i++)
        buf_printf(r->out, "%sC%u_%u_%u", i ? ", " : "", r->seed, label, i);
    buf_printf(r->out, ";\nbrx.idx %%t14, S%u_%u;\n", r->seed, label);
    for (uint32_t i = 0; i < cases; i++) {
        buf_printf(r->out, "C%u_%u_%u:\n", r->seed, label, i);
        random_block(r, body, 1 + random_below(r, 2));
        if (random_chance(r, 75)) // else into the next one
            buf_printf(r->out, "bra J%u_%u;\n", r->seed, label);
    }
    buf_printf(r->out, "J%u_%u:\n", r->seed, label);
    if (place->mask[0])
        buf_printf(r->out, "bar.warp.sync %s;\n", place->mask);
}

enum { RANDOM_DEPTH = 3 }; // of ifs, loops and switches

static inline void random_one(Random *r, const RandomPlace *place) {
    uint32_t pick = random_below(r, 100);
    bool nests = place->depth < RANDOM_DEPTH;
    if (pick < 6 && nests)
        random_if(r, place);
    else if (pick < 9 && nests)
        random_loop(r, place);
    else if (pick < 10 && nests)
        random_switch(r, place);
    else if (pick < 18 && place->mask[0])
        random_warp(r, place);
    else if (pick < 22 && place->all_warps)
        random_exchange(r);
    else if (pick < 24 && place->all_warps)
        random_barrier(r);
    else if (pick < 28)
        random_atomic(r);
    else if (pick < 31)
        random_local(r);
    else if (pick < 34)
        random_global(r);
    else if (pick < 36)
        random_call(r);
    else
        random_line(r);
}

static inline void random_block(Random *r, RandomPlace place, uint32_t count) {
    while (count--)
        random_one(r, &place);
}

// ---- a kernel ------------------------------------------------------------

static inline void random_declare(Random *r) {
    for (size_t i = 0; i < COUNT_OF(random_pools); i++) {
        const struct RandomPool *pool = &random_pools[i];
        uint32_t size = random_pool_size(r, pool);
        if (size && pool->bits)
            buf_printf(r->out, ".reg .b%u %%%c<%u>;\n", pool->bits,
                       pool->prefix, size);
        else if (size)
            buf_printf(r->out, ".reg .pred %%%c<%u>;\n", pool->prefix, size);
    }
    buf_printf(r->out,
               ".reg .b32 %%t<16>, %%sum32;\n.reg .b64 %%u<16>, %%sum;\n"
               ".reg .b16 %%w<16>;\n.reg .pred %%z<16>;\n");
}

// Register k of the pool from the 64 bits of `from`.
static inline void random_fill_register(Random *r,
                                        const struct RandomPool *pool,
                                        uint32_t k, const char *from) {
    RandomText name = random_text("%%%c%u", pool->prefix, k);
    switch (pool->bits) {
    case 0:
        buf_printf(r->out,
                   "shr.u64 %%u14, %s, %u;\nand.b64 %%u14, %%u14, 1;\n"
                   "setp.ne.u64 %s, %%u14, 0;\n",
                   from, k * 5 + 1, name.s);
        break;
    case 16:
        buf_printf(r->out, "shr.u64 %%u14, %s, %u;\ncvt.u16.u64 %s, %%u14;\n",
                   from, k % 4 * 16, name.s);
        break;
    case 32:
        buf_printf(r->out, "shr.u64 %%u14, %s, %u;\ncvt.u32.u64 %s, %%u14;\n",
                   from, k % 2 * 32, name.s);
        break;
    default:
        buf_printf(r->out, "mov.b64 %s, %s;\n", name.s, from);
    }
    random_canonical(r, pool->class, name.s);
}

// Fills all pools; `load` writes the 64 bits of input `word` to %u13.
static inline void random_fill_pools(Random *r,
                                     void (*load)(Random *r, uint32_t word)) {
    uint32_t word = 0;
    for (size_t i = 0; i < COUNT_OF(random_pools); i++) {
        const struct RandomPool *pool = &random_pools[i];
        uint32_t size = random_pool_size(r, pool);
        uint32_t share = pool->bits == 0    ? 12
                         : pool->bits == 16 ? 4
                         : pool->bits == 32 ? 2
                                            : 1;
        for (uint32_t k = 0; k < size; k++) {
            if (k % share == 0)
                load(r, word++);
            random_fill_register(r, pool, k, "%u13");
        }
    }
}

// %sum: a hash of every register.
static inline void random_sum(Random *r) {
    buf_printf(r->out, "mov.u64 %%sum, %u;\n", r->seed);
    for (size_t i = 0; i < COUNT_OF(random_pools); i++) {
        const struct RandomPool *pool = &random_pools[i];
        uint32_t size = random_pool_size(r, pool);
        for (uint32_t k = 0; k < size; k++) {
            RandomText name = random_text("%%%c%u", pool->prefix, k);
            random_widen(r, pool->class, name.s);
            buf_printf(r->out,
                       "mad.lo.u64 %%sum, %%sum, 0x9E3779B97F4A7C15, %%u15;\n");
        }
    }
}

static inline void random_load_input(Random *r, uint32_t word) {
    buf_printf(r->out, "ld.global.u64 %%u13, [%%mine+%u];\n",
               word % RANDOM_WORDS * RANDOM_THREADS * 8);
    if (word >= RANDOM_WORDS) // more registers than inputs: mix
        buf_printf(r->out, "mul.lo.u64 %%u13, %%u13, %u;\n", 2 * word + 1);
}

static inline void random_load_parameter(Random *r, uint32_t word) {
    buf_printf(r->out,
               "mad.lo.u64 %%u13, %%argument, %u, %%u12;\n"
               "xor.b64 %%u12, %%u12, %%u13;\n",
               2 * word + 1);
}

// f0: straight lines. f1(n, x): the same around a call of itself, n times.
static inline void random_function(Random *r, uint32_t which) {
    Buf *o = r->out;
    r->in_function = true;
    buf_printf(o,
               ".func (.param .b64 back) f%u_%u(.param .b32 a0, .param .b64 "
               "a1)\n{\n",
               r->seed, which);
    random_declare(r);
    buf_printf(o, ".reg .b64 %%argument, %%deeper;\n.reg .b32 %%left;\n"
                  ".reg .pred %%last;\n"
                  "ld.param.b32 %%left, [a0];\nld.param.b64 %%argument, [a1];\n"
                  "cvt.u64.u32 %%u12, %%left;\n");
    random_fill_pools(r, random_load_parameter);
    for (uint32_t i = 2 + random_below(r, 6); i; i--)
        random_line(r);
    random_sum(r);
    if (which == 1)
        buf_printf(o,
                   "setp.eq.u32 %%last, %%left, 0;\n@%%last bra DONE;\n"
                   "sub.u32 %%left, %%left, 1;\n"
                   "{\n.param .b32 b0;\n.param .b64 b1;\n.param .b64 got;\n"
                   "st.param.b32 [b0], %%left;\nst.param.b64 [b1], %%sum;\n"
                   "call (got), f%u_1, (b0, b1);\n"
                   "ld.param.b64 %%deeper, [got];\n}\n"
                   "xor.b64 %%sum, %%sum, %%deeper;\nDONE:\n",
                   r->seed);
    buf_printf(o, "st.param.b64 [back], %%sum;\nret;\n}\n");
    r->in_function = false;
}

static inline void random_prologue(Random *r) {
    Buf *o = r->out;
    buf_printf(o,
               ".visible .entry r%u(.param .u64 in, .param .u64 out, "
               ".param .u64 scratch)\n{\n",
               r->seed);
    random_declare(r);
    buf_printf(
        o,
        ".reg .b64 %%in, %%out, %%scratch, %%mine, %%table, %%stack;\n"
        ".reg .b64 %%stack_generic, %%tile_generic, %%trace, %%trace_end;\n"
        ".reg .b32 %%slot, %%tile, %%counters, %%id;\n"
        ".reg .b32 %%yes<4>, %%no<4>, %%turns<4>;\n.reg .pred %%again<4>;\n"
        ".shared .align 16 .b8 tile%u[%u];\n"
        ".shared .align 16 .b8 counters%u[%u];\n"
        ".local .align 16 .b8 stack%u[%u];\n",
        r->seed, RANDOM_SLOT * RANDOM_BLOCK, r->seed, RANDOM_COUNTERS * 8,
        r->seed, RANDOM_STACK);
    if (r->set == RANDOM_ALL)
        buf_printf(o,
                   "shape%u: .callprototype (.param .b64 _) _ (.param .b32 "
                   "_, .param .b64 _);\n",
                   r->seed);
    buf_printf(
        o,
        "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n"
        "ld.param.u64 %%scratch, [scratch];\n"
        "cvta.to.global.u64 %%in, %%in;\ncvta.to.global.u64 %%out, %%out;\n"
        "cvta.to.global.u64 %%scratch, %%scratch;\nmov.u64 %%table, words;\n"
        "mov.u32 %%t0, %%tid.x;\nmov.u32 %%t1, %%ctaid.x;\n"
        "mad.lo.u32 %%id, %%t1, %u, %%t0;\n"
        "mad.wide.u32 %%mine, %%id, 8, %%in;\n"
        "mov.u32 %%tile, tile%u;\nmad.lo.u32 %%slot, %%t0, %u, %%tile;\n"
        "cvt.u64.u32 %%tile_generic, %%tile;\n"
        "cvta.shared.u64 %%tile_generic, %%tile_generic;\n"
        "mov.u32 %%counters, counters%u;\nmov.u64 %%stack, stack%u;\n"
        "cvta.local.u64 %%stack_generic, %%stack;\n",
        RANDOM_BLOCK, r->seed, RANDOM_SLOT, r->seed, r->seed);
    if (r->trace)
        buf_printf(o,
                   "mad.wide.u32 %%trace, %%id, %u, %%out;\n"
                   "add.s64 %%trace, %%trace, %u;\n"
                   "add.s64 %%trace_end, %%trace, %u;\n",
                   RANDOM_TRACE_BYTES, RANDOM_THREADS * 8, RANDOM_TRACE_BYTES);
    // Memory starts from known bytes: threads of the first warp do the
    // counters.
    for (uint32_t at = 0; at < RANDOM_STACK; at += 8)
        buf_printf(o, "st.local.u64 [stack%u+%u], %u;\n", r->seed, at,
                   at * 40503 + 77);
    buf_printf(o,
               "st.shared.v2.u64 [%%slot], {0, 81985529216486895};\n"
               "setp.lt.u32 %%z0, %%t0, %u;\nmad.lo.u32 %%t2, %%t0, 8, "
               "%%counters;\nmul.wide.u32 %%u0, %%t0, 0x9E3779B9;\n"
               "@%%z0 st.shared.u64 [%%t2], %%u0;\nbar.sync 0;\n",
               RANDOM_COUNTERS);
}

static inline void random_epilogue(Random *r) {
    Buf *o = r->out;
    random_sum(r);
    buf_printf(o,
               "bar.sync 0;\nrem.u32 %%t0, %%id, %u;\n"
               "mad.lo.u32 %%t1, %%t0, 8, %%counters;\n"
               "ld.shared.u64 %%u0, [%%t1];\n"
               "ld.shared.u64 %%u1, [%%slot];\n"
               "ld.shared.u64 %%u2, [%%slot+8];\n",
               RANDOM_COUNTERS);
    for (uint32_t k = 0; k < 3; k++)
        buf_printf(o, "mad.lo.u64 %%sum, %%sum, 0x9E3779B97F4A7C15, %%u%u;\n",
                   k);
    buf_printf(o, "mad.wide.u32 %%out, %%id, 8, %%out;\n"
                  "st.global.u64 [%%out], %%sum;\nret;\n}\n");
}

static inline void random_kernel(Buf *out, RandomSet set, bool trace,
                                 uint32_t seed) {
    Random r = {.out = out, .set = set, .trace = trace, .seed = seed};
    r.state = golden_mix(seed) ^ (uint64_t)set << 32;
    for (uint32_t i = 0; i < RANDOM_FUNCTIONS; i++)
        random_function(&r, i);
    r.statements = 0;
    random_prologue(&r);
    random_fill_pools(&r, random_load_input);
    RandomPlace place = {
        .mask = "0xffffffff", .all_lanes = true, .all_warps = true};
    random_block(&r, place, 20 + random_below(&r, 40));
    random_epilogue(&r);
}

// A module of the kernels r<first> .. r<first + count - 1>.
static inline void random_module(Buf *out, RandomSet set, bool trace,
                                 uint32_t first, uint32_t count) {
    buf_printf(out, ".version 8.0\n.target sm_90\n.address_size 64\n"
                    ".const .align 16 .b64 words[64] = {");
    for (uint32_t i = 0; i < 64; i++)
        buf_printf(out, "%s0x%llx", i ? ", " : "",
                   (unsigned long long)golden_input(i + 300));
    buf_printf(out, "};\n");
    for (uint32_t i = 0; i < count; i++)
        random_kernel(out, set, trace, first + i);
}

#endif
