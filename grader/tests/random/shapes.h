// SPDX-License-Identifier: Apache-2.0
// What random programs are made of beyond straight lines: memory, atomics whose
// results do not depend on the order, calls, instructions of a warp and of a
// block. Control flow, which holds all of these, is in generate.h.
#ifndef CLCLAB_RANDOM_SHAPES_H
#define CLCLAB_RANDOM_SHAPES_H

#include "tests/random/emit.h"

// Where a statement stands, which decides what it may be.
typedef struct RandomPlace {
    char mask[16];  // the lanes that are here, as an operand; empty: unknown
    bool all_lanes; // the mask is that of a full warp
    bool all_warps; // and all warps of the block come here equally often
    uint32_t depth; // of ifs and loops around
} RandomPlace;

enum {
    RANDOM_SLOT = 16,     // bytes of shared memory of a thread
    RANDOM_STACK = 64,    // bytes of local memory
    RANDOM_COUNTERS = 12, // 64-bit words that atomics change
};

// ---- memory --------------------------------------------------------------

// Types that memory is accessed as, with the class of their register.
static const struct {
    const char *name;
    char class;
    uint8_t size;
} random_widths[] = {{"u8", 'r', 1},  {"s8", 'r', 1},  {"u16", 'h', 2},
                     {"s16", 'r', 2}, {"b32", 'r', 4}, {"f32", 'f', 4},
                     {"b64", 'l', 8}, {"f64", 'd', 8}, {"u32", 'l', 4},
                     {"s16", 'l', 2}};

// %t14 = register & (limit - size), so that an access of `size` is inside.
static inline void random_index(Random *r, uint32_t limit, uint32_t size) {
    RandomText a = random_register(r, 'r');
    buf_printf(r->out, "and.b32 %%t14, %s, %u;\n", a.s, limit - size);
}

// A load of one element or a vector of `most` bytes from [address].
static inline void random_load(Random *r, const char *space,
                               const char *address, uint32_t width,
                               uint32_t count) {
    RandomText to[4];
    char class = random_widths[width].class;
    for (uint32_t i = 0; i < count; i++)
        to[i] = random_result(r, class, to, i);
    RandomText guard = random_guard(r);
    if (count == 1) {
        buf_printf(r->out, "%sld.%s%s %s, [%s];\n", guard.s, space,
                   random_widths[width].name, to[0].s, address);
    } else {
        buf_printf(r->out, "%sld.%sv%u.%s {", guard.s, space, count,
                   random_widths[width].name);
        for (uint32_t i = 0; i < count; i++)
            buf_printf(r->out, "%s%s", i ? ", " : "", to[i].s);
        buf_printf(r->out, "}, [%s];\n", address);
    }
    for (uint32_t i = 0; i < count; i++)
        random_written(r, class, to[i].s);
}

static inline void random_store(Random *r, const char *space,
                                const char *address, uint32_t width,
                                uint32_t count) {
    char class = random_widths[width].class;
    RandomText guard = random_guard(r);
    buf_printf(r->out, "%sst.%s", guard.s, space);
    if (count > 1)
        buf_printf(r->out, "v%u.", count);
    buf_printf(r->out, "%s [%s], %s", random_widths[width].name, address,
               count > 1 ? "{" : "");
    for (uint32_t i = 0; i < count; i++) {
        RandomText a = random_register(r, class);
        buf_printf(r->out, "%s%s", i ? ", " : "", a.s);
    }
    buf_printf(r->out, "%s;\n", count > 1 ? "}" : "");
}

// Elements of a vector: 1, 2 or 4, at most `most` bytes.
static inline uint32_t random_count(Random *r, uint32_t width, uint32_t most) {
    uint32_t count = 1u << random_below(r, 3);
    while (count * random_widths[width].size > most)
        count /= 2;
    return random_chance(r, 50) ? 1 : count;
}

static inline void random_global(Random *r) {
    static const char *const ways[] = {
        "global.", "global.", "",           "global.nc.", "global.ca.",
        "const.",  "const.",  "global.cs.", "global.cg."};
    const char *way = RANDOM_PICK(r, ways);
    uint32_t width = random_below(r, COUNT_OF(random_widths));
    uint32_t count = random_count(r, width, 16);
    random_statement(r);
    random_index(r, *way == 'c' ? 512 : 8192,
                 count * random_widths[width].size);
    buf_printf(r->out, "cvt.u64.u32 %%u14, %%t14;\nadd.s64 %%u14, %%u14, %s;\n",
               *way == 'c' ? "%table" : "%in");
    random_load(r, way, "%u14", width, count);
}

static inline void random_local(Random *r) {
    uint32_t width = random_below(r, COUNT_OF(random_widths));
    uint32_t count = random_count(r, width, 16);
    bool generic = random_chance(r, 30);
    random_statement(r);
    random_index(r, RANDOM_STACK, count * random_widths[width].size);
    buf_printf(r->out, "cvt.u64.u32 %%u14, %%t14;\nadd.s64 %%u14, %%u14, %s;\n",
               generic ? "%stack_generic" : "%stack");
    if (random_chance(r, 50))
        random_store(r, generic ? "" : "local.", "%u14", width, count);
    else
        random_load(r, generic ? "" : "local.", "%u14", width, count);
}

// All threads of the block: each writes its slot, and reads another's. The
// barriers are not .aligned: behind an if, the lanes of a warp need not be
// together again on a card, and an aligned barrier (bar) then hangs.
static inline void random_exchange(Random *r) {
    Buf *o = r->out;
    uint32_t width = random_below(r, COUNT_OF(random_widths));
    uint32_t count = random_count(r, width, RANDOM_SLOT);
    random_statement(r);
    random_index(r, RANDOM_SLOT, count * random_widths[width].size);
    buf_printf(o, "add.s32 %%t14, %%t14, %%slot;\n");
    random_store(r, "shared.", "%t14", width, count);
    buf_printf(o, "barrier.sync %u;\n", random_below(r, 3));
    width = random_below(r, COUNT_OF(random_widths));
    count = random_count(r, width, RANDOM_SLOT);
    random_index(r, RANDOM_SLOT * RANDOM_BLOCK,
                 count * random_widths[width].size);
    bool generic = random_chance(r, 30);
    if (generic)
        buf_printf(o, "cvt.u64.u32 %%u14, %%t14;\n"
                      "add.s64 %%u14, %%u14, %%tile_generic;\n");
    else
        buf_printf(o, "add.s32 %%t14, %%t14, %%tile;\n");
    random_load(r, generic ? "" : "shared.", generic ? "%u14" : "%t14", width,
                count);
    buf_printf(o, "barrier.sync 0;\n");
}

// ---- atomics -------------------------------------------------------------

// One operation a word, so that the order of threads does not matter: nobody
// reads the words before all are done. Word k stands at 8 * k.
static inline void random_atomic(Random *r) {
    static const struct {
        const char *op, *type;
        char class;
    } rows[RANDOM_COUNTERS] = {
        {"add", "u32", 'r'}, {"min", "u32", 'r'}, {"max", "u32", 'r'},
        {"min", "s32", 'r'}, {"max", "s32", 'r'}, {"and", "b32", 'r'},
        {"or", "b32", 'r'},  {"xor", "b32", 'r'}, {"add", "u64", 'l'},
        {"max", "s64", 'l'}, {"min", "u64", 'l'}, {"xor", "b64", 'l'}};
    static const char *const orders[] = {"", ".relaxed.gpu", ".release.gpu",
                                         ".relaxed.sys"};
    uint32_t k = random_below(r, RANDOM_COUNTERS);
    bool shared = random_chance(r, 50), returns = random_chance(r, 40);
    random_statement(r);
    RandomText a = random_register(r, rows[k].class);
    RandomText guard = random_guard(r);
    buf_printf(r->out, "%s%s%s.%s.%s.%s ", guard.s, returns ? "atom" : "red",
               RANDOM_PICK(r, orders), shared ? "shared" : "global", rows[k].op,
               rows[k].type);
    if (returns) // the old value depends on the order: nobody looks
        buf_printf(r->out, "%s, ", rows[k].class == 'r' ? "%t13" : "%u13");
    buf_printf(r->out, "[%s+%u], %s;\n", shared ? "%counters" : "%scratch",
               8 * k, a.s);
}

// ---- instructions of a warp ----------------------------------------------

static inline void random_shuffle(Random *r, const RandomPlace *place) {
    static const char *const ways[] = {"idx", "up", "down", "bfly"};
    static const uint32_t widths[] = {0, 0, 16, 24, 28, 30};
    uint32_t way = random_below(r, 4);
    RandomText d = random_register(r, 'r'), a = random_register(r, 'r');
    RandomText b = random_operand(r, 'r'), p = random_register(r, 'p');
    if (random_chance(r, 60))
        b = random_text("%u", random_below(r, 32));
    if (!place->all_lanes) { // only from a lane that is here
        buf_printf(r->out, "bfind.u32 %%t14, %s;\n", place->mask);
        buf_printf(r->out, "shfl.sync.idx.b32 %s, %s, %%t14, 31, %s;\n", d.s,
                   a.s, place->mask);
    } else {
        uint32_t c = widths[random_below(r, COUNT_OF(widths))] << 8;
        buf_printf(r->out, "shfl.sync.%s.b32 %s|%s, %s, %s, %u, %s;\n",
                   ways[way], d.s, p.s, a.s, b.s, c | (way == 1 ? 0 : 31),
                   place->mask);
        random_written(r, 'p', p.s);
    }
    random_written(r, 'r', d.s);
}

static inline void random_vote(Random *r, const RandomPlace *place) {
    static const char *const ways[] = {"all", "any", "uni"};
    RandomText q = random_operand(r, 'q');
    if (random_chance(r, 50)) {
        RandomText d = random_register(r, 'r');
        buf_printf(r->out, "vote.sync.ballot.b32 %s, %s, %s;\n", d.s, q.s,
                   place->mask);
        random_written(r, 'r', d.s);
        return;
    }
    RandomText p = random_register(r, 'p');
    buf_printf(r->out, "vote.sync.%s.pred %s, %s, %s;\n", RANDOM_PICK(r, ways),
               p.s, q.s, place->mask);
    random_written(r, 'p', p.s);
}

static inline void random_match(Random *r, const RandomPlace *place) {
    bool wide = random_chance(r, 40), all = random_chance(r, 40);
    RandomText d = random_register(r, 'r'), p = random_register(r, 'p');
    RandomText a = random_register(r, wide ? 'l' : 'r');
    const char *value = wide ? "%u14" : "%t14";
    buf_printf(r->out, "and.b%s %s, %s, %u;\n", wide ? "64" : "32", value, a.s,
               random_below(r, 8)); // few bits, so that some agree
    if (all) {
        buf_printf(r->out, "match.all.sync.b%s %s|%s, %s, %s;\n",
                   wide ? "64" : "32", d.s, p.s, value, place->mask);
        random_written(r, 'p', p.s);
    } else {
        buf_printf(r->out, "match.any.sync.b%s %s, %s, %s;\n",
                   wide ? "64" : "32", d.s, value, place->mask);
    }
    random_written(r, 'r', d.s);
}

static inline void random_redux(Random *r, const RandomPlace *place) {
    static const char *const ways[] = {"add.u32", "add.s32", "min.u32",
                                       "min.s32", "max.u32", "max.s32",
                                       "and.b32", "or.b32",  "xor.b32"};
    RandomText d = random_register(r, 'r'), a = random_register(r, 'r');
    buf_printf(r->out, "redux.sync.%s %s, %s, %s;\n", RANDOM_PICK(r, ways), d.s,
               a.s, place->mask);
    random_written(r, 'r', d.s);
}

static inline void random_warp(Random *r, const RandomPlace *place) {
    random_statement(r);
    switch (random_below(r, 5)) {
    case 0:
    case 1:
        random_shuffle(r, place);
        break;
    case 2:
        random_vote(r, place);
        break;
    case 3:
        random_match(r, place);
        break;
    default:
        random_redux(r, place);
        break;
    }
}

// A barrier that counts: all threads of the block.
static inline void random_barrier(Random *r) {
    random_statement(r);
    RandomText q = random_operand(r, 'q'), p = random_register(r, 'p');
    RandomText d = random_register(r, 'r');
    switch (random_below(r, 3)) {
    case 0:
        buf_printf(r->out, "barrier.red.popc.u32 %s, %u, %s;\n", d.s,
                   random_below(r, 16), q.s);
        random_written(r, 'r', d.s);
        break;
    case 1: {
        // One draw a statement: C leaves the order of arguments open.
        uint32_t id = random_below(r, 16);
        const char *op = random_chance(r, 50) ? "and" : "or";
        buf_printf(r->out, "barrier.red.%s.pred %s, %u, %s;\n", op, p.s, id,
                   q.s);
        random_written(r, 'p', p.s);
        break;
    }
    default:
        buf_printf(r->out, "barrier.sync %u, %u;\n", random_below(r, 16),
                   RANDOM_BLOCK);
        break;
    }
}

// ---- straight lines ------------------------------------------------------

static inline void random_line(Random *r) {
    if (r->set == RANDOM_ALL && random_chance(r, 50))
        random_form(
            r,
            &random_more_forms[random_below(r, COUNT_OF(random_more_forms))]);
    else if (random_chance(r, 12))
        random_comparison(r);
    else if (random_chance(r, 14))
        random_conversion(r);
    else
        random_form(
            r,
            &random_core_forms[random_below(r, COUNT_OF(random_core_forms))]);
}

// ---- calls ---------------------------------------------------------------

enum { RANDOM_FUNCTIONS = 2 }; // of a kernel; the second one is recursive

static inline void random_call(Random *r) {
    random_statement(r);
    RandomText d = random_register(r, 'l'), a = random_register(r, 'r');
    RandomText b = random_register(r, 'l');
    uint32_t which = random_below(r, RANDOM_FUNCTIONS);
    Buf *o = r->out;
    buf_printf(o, "{\n.param .b32 a0;\n.param .b64 a1;\n.param .b64 back;\n");
    if (which == 1)
        buf_printf(o, "and.b32 %%t14, %s, 3;\n", a.s);
    buf_printf(o, "st.param.b32 [a0], %s;\nst.param.b64 [a1], %s;\n",
               which == 1 ? "%t14" : a.s, b.s);
    if (r->set == RANDOM_ALL && random_chance(r, 50)) {
        buf_printf(o,
                   "mov.u64 %%u14, f%u_%u;\n"
                   "call (back), %%u14, (a0, a1), shape%u;\n",
                   r->seed, which, r->seed);
    } else {
        buf_printf(o, "call (back), f%u_%u, (a0, a1);\n", r->seed, which);
    }
    buf_printf(o, "ld.param.b64 %s, [back];\n}\n", d.s);
    random_written(r, 'l', d.s);
}

#endif
