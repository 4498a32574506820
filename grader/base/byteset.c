// SPDX-License-Identifier: Apache-2.0
// A set of the bytes of a memory that may be large: which of them have been
// written. It is stored by pages. Of most pages all bytes are in it, or none,
// and these take no bits. Start with change.
#include "base/base.h"

#include <string.h>

enum {
    PAGE = 1 << 16, // bytes of the memory
    BITS = 64,      // of a word
};

struct BytePage {
    uint64_t *bits; // one for each byte; NULL: `count` is 0, or all
    uint32_t count; // bytes that are in the set
};

static uint64_t page_count(const ByteSet *set) {
    return (set->size + PAGE - 1) / PAGE;
}

static uint32_t page_size(const ByteSet *set, uint64_t page) {
    uint64_t rest = set->size - page * PAGE;
    return rest < PAGE ? (uint32_t)rest : PAGE;
}

static size_t words_of(uint32_t bytes) {
    return (bytes + BITS - 1) / BITS;
}

// The bits of word `word` that belong to [from, to), which reaches into it.
static uint64_t mask_of(uint32_t word, uint32_t from, uint32_t to) {
    uint32_t begin = word * BITS;
    uint32_t first = from > begin ? from - begin : 0;
    uint32_t end = to - begin < BITS ? to - begin : BITS;
    return (~UINT64_C(0) >> (BITS - (end - first))) << first;
}

// ---- making and copying --------------------------------------------------

ByteSet *byteset_new(uint64_t size) {
    ByteSet *set = heap_alloc(1, sizeof *set);
    set->size = size;
    set->pages = heap_alloc(sizeof *set->pages, (size_t)page_count(set));
    return set;
}

static void close_pages(ByteSet *set) {
    for (uint64_t i = 0; i < page_count(set); i++)
        heap_free(set->pages[i].bits);
}

void byteset_free(ByteSet *set) {
    if (!set)
        return;
    close_pages(set);
    heap_free(set->pages);
    heap_free(set);
}

void byteset_assign(ByteSet *to, const ByteSet *from) {
    close_pages(to);
    to->count = from->count;
    for (uint64_t i = 0; i < page_count(to); i++) {
        size_t words = words_of(page_size(to, i));
        to->pages[i] = from->pages[i];
        if (!from->pages[i].bits)
            continue;
        to->pages[i].bits = heap_alloc(words, sizeof(uint64_t));
        memcpy(to->pages[i].bits, from->pages[i].bits,
               words * sizeof(uint64_t));
    }
}

ByteSet *byteset_clone(const ByteSet *set) {
    ByteSet *clone = byteset_new(set->size);
    byteset_assign(clone, set);
    return clone;
}

// ---- changing ------------------------------------------------------------

// Gives the page bits, for what it has.
static void open_page(BytePage *page, uint32_t size) {
    size_t words = words_of(size);
    page->bits = heap_alloc(words, sizeof(uint64_t));
    if (page->count)
        memset(page->bits, 0xff, words * sizeof(uint64_t));
}

// Puts [from, to) into the page, or takes it out.
static void change_bits(BytePage *page, uint32_t from, uint32_t to, bool in) {
    for (uint32_t w = from / BITS; w * BITS < to; w++) {
        uint64_t mask = mask_of(w, from, to), was = page->bits[w];
        page->bits[w] = in ? was | mask : was & ~mask;
        uint32_t moved = (uint32_t)__builtin_popcountll(page->bits[w] ^ was);
        page->count = in ? page->count + moved : page->count - moved;
    }
}

static void change_page(ByteSet *set, uint64_t number, uint32_t from,
                        uint32_t to, bool in) {
    BytePage *page = &set->pages[number];
    uint32_t size = page_size(set, number), was = page->count;
    if (was == (in ? size : 0))
        return;
    if (to - from == size) {
        page->count = in ? size : 0;
    } else {
        if (!page->bits)
            open_page(page, size);
        change_bits(page, from, to, in);
    }
    if (page->count == 0 || page->count == size) {
        heap_free(page->bits);
        page->bits = NULL;
    }
    set->count += page->count;
    set->count -= was;
}

static void change(ByteSet *set, uint64_t from, uint64_t count, bool in) {
    uint64_t end = from + count;
    for (uint64_t at = from; at < end;) {
        uint64_t next = (at / PAGE + 1) * PAGE, to = next < end ? next : end;
        uint64_t start = at / PAGE * PAGE;
        change_page(set, at / PAGE, (uint32_t)(at - start),
                    (uint32_t)(to - start), in);
        at = to;
    }
}

void byteset_add(ByteSet *set, uint64_t from, uint64_t count) {
    change(set, from, count, true);
}

void byteset_remove(ByteSet *set, uint64_t from, uint64_t count) {
    change(set, from, count, false);
}

// ---- asking --------------------------------------------------------------

// How many bytes from `at` on are like it, up to the end of its word or page;
// *in: whether they are in the set.
static uint64_t run_at(const ByteSet *set, uint64_t at, bool *in) {
    const BytePage *page = &set->pages[at / PAGE];
    uint32_t offset = (uint32_t)(at % PAGE), bit = offset % BITS;
    if (!page->bits) {
        *in = page->count > 0;
        return page_size(set, at / PAGE) - offset;
    }
    uint64_t word = page->bits[offset / BITS] >> bit;
    *in = word & 1;
    uint64_t others = *in ? ~word : word;
    uint64_t run = others ? (uint64_t)__builtin_ctzll(others) : BITS;
    return run < BITS - bit ? run : BITS - bit;
}

bool byteset_has_any(const ByteSet *set, uint64_t from, uint64_t count) {
    bool in = false;
    for (uint64_t at = from; at < from + count && !in;)
        at += run_at(set, at, &in);
    return in;
}

bool byteset_has_all(const ByteSet *set, uint64_t from, uint64_t count) {
    bool in = true;
    for (uint64_t at = from; at < from + count && in;)
        at += run_at(set, at, &in);
    return in;
}

void byteset_copy(ByteSet *to, uint64_t at, const ByteSet *from,
                  uint64_t from_at, uint64_t count) {
    ByteSet *before = from == to ? byteset_clone(from) : NULL;
    for (uint64_t done = 0; done < count;) {
        bool in;
        uint64_t run = run_at(before ? before : from, from_at + done, &in);
        run = run < count - done ? run : count - done;
        change(to, at + done, run, in);
        done += run;
    }
    byteset_free(before);
}
