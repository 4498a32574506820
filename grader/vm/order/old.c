// SPDX-License-Identifier: Apache-2.0
// Older values. In this machine each access is performed at once, in one order.
// The memory model allows more: a read that no order places behind a store may
// still find what was there before (PTX ISA, "Causality", "Coherence"). So of
// each word that strong stores write the value before the last one is kept,
// with who has read the last one since: who has, or is ordered behind such a
// reader, never finds an older value again.
//
// This file says what may be read. Who is to read it is decided elsewhere: so
// far a thread that reads data behind a flag, once (shadow.c). Of a word that
// has no room nothing is kept, and it is read as it is.
#include "vm/order/old.h"

#include <string.h>

enum {
    FIRST_ROOM = 64,
    WORDS_MOST = 1 << 14, // that are kept
    READERS = 32,         // warps that have read a store
    BYTES = 16,           // of a word, at most
};

typedef struct Reader {
    uint32_t who, lanes, time; // lane 0; when it read first
} Reader;

typedef struct Word {
    uint64_t place;               // 0: a free entry
    uint32_t who, time;           // of the last store
    uint32_t bytes, reader_count; // readers: READERS + 1: too many
    uint8_t before[BYTES];
    Reader readers[READERS];
} Word;

struct VmOld {
    Word *words; // a hash table
    size_t count, room;
};

static Word *entry_at(const struct VmOld *old, uint64_t place) {
    size_t i = hash_u64(place) & (old->room - 1);
    while (old->words[i].place && old->words[i].place != place)
        i = (i + 1) & (old->room - 1);
    return &old->words[i];
}

static Word *find(const Vm *vm, uint64_t place) {
    const struct VmOld *old = vm->order->old;
    Word *word = old ? entry_at(old, place) : NULL;
    return word && word->place ? word : NULL;
}

static void grow(struct VmOld *old) {
    struct VmOld before = *old;
    old->room = before.room ? before.room * 2 : FIRST_ROOM;
    old->words = heap_alloc(sizeof *old->words, old->room);
    for (size_t i = 0; i < before.room; i++)
        if (before.words[i].place)
            *entry_at(old, before.words[i].place) = before.words[i];
    heap_free(before.words);
}

// NULL: there is no room for another one.
static Word *make(Vm *vm, uint64_t place) {
    VmOrder *o = vm->order;
    if (!o->old)
        o->old = heap_alloc(sizeof *o->old, 1);
    if (o->old->count * 2 >= o->old->room)
        grow(o->old);
    Word *word = entry_at(o->old, place);
    if (word->place)
        return word;
    if (o->old->count == WORDS_MOST)
        return NULL;
    o->old->count++;
    word->place = place;
    return word;
}

void vm_old_store(VmWarp *w, uint32_t lane, uint64_t place, const uint8_t *at,
                  uint32_t bytes) {
    Word *word = bytes <= BYTES ? make(w->vm, place) : NULL;
    if (!word)
        return;
    word->who = vm_who(w, lane);
    word->time = w->vm->order->time;
    word->bytes = bytes;
    word->reader_count = 0;
    memcpy(word->before, at, bytes);
}

void vm_old_seen(const VmWarp *w, uint32_t lane, uint64_t place) {
    Word *word = find(w->vm, place);
    uint32_t who = vm_who(w, 0);
    for (uint32_t i = 0; word && i < word->reader_count && i < READERS; i++)
        if (word->readers[i].who == who) {
            word->readers[i].lanes |= 1u << lane;
            return;
        }
    if (!word || word->reader_count > READERS)
        return;
    if (word->reader_count < READERS)
        word->readers[word->reader_count] =
            (Reader){who, 1u << lane, w->vm->order->time};
    word->reader_count++;
}

// The lane is one of these readers, or what one of them did happens before what
// it does now.
static bool is_behind(const VmWarp *w, uint32_t lane, const Reader *reader) {
    if (reader->who == vm_who(w, 0) && (reader->lanes >> lane & 1))
        return true;
    for (uint32_t l = 0; l < VM_LANES; l++)
        if ((reader->lanes >> l & 1) &&
            vm_order_follows(w, lane,
                             (VmMoment){reader->who | l, reader->time, true}))
            return true;
    return false;
}

const uint8_t *vm_old_value(const VmWarp *w, uint32_t lane, uint64_t place,
                            uint32_t who, uint32_t time, const uint8_t *now,
                            uint32_t bytes) {
    const Word *word = find(w->vm, place);
    if (!word || word->who != who || word->time != time ||
        word->bytes != bytes || word->reader_count > READERS ||
        memcmp(word->before, now, bytes) == 0)
        return NULL;
    for (uint32_t i = 0; i < word->reader_count; i++)
        if (is_behind(w, lane, &word->readers[i]))
            return NULL;
    return word->before;
}

void vm_old_end(VmOrder *o) {
    if (o->old)
        heap_free(o->old->words);
    heap_free(o->old);
    o->old = NULL;
}
