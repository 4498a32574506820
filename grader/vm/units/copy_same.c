// SPDX-License-Identifier: Apache-2.0
// Copies from one source to one destination, twice: the bytes are the same
// whichever comes last, so the two do not conflict. Libraries do this: in
// cooperative_groups::memcpy_async each thread of a small group copies it all.
//
// A table, by destination, holds the latest copy there. It grows. Copies to
// blocks that have ended make room first; if there are still too many, all are
// forgotten, and from then on a copy that is not in the table may have repeated
// another one: of such two nothing is said (VmAsync.same_unknown).
#include "vm/machine/lanes.h"
#include "vm/units/copy.h"

#include <string.h>

enum { FIRST_ROOM = 256, ENTRIES_MOST = 1 << 18 }; // room: a power of 2

typedef struct Entry {
    VmWhere to, from;
    uint32_t cta; // serial number of that of `to`: memory is used again
    uint32_t bytes, zeros;
    uint64_t data;      // of st.async: a hash of the value
    uint32_t who, site; // who: 0: the entry is free
} Entry;

struct VmCopySources {
    Entry *entries;
    Entry *spare; // as many, to clear the table out; NULL: none yet
    size_t count, room;
    bool has_forgotten; // a copy that may still be in memory
};

static bool is_place(const VmWhere *a, const VmWhere *b) {
    return a->cta == b->cta && a->offset == b->offset;
}

static Entry entry_of(const VmCopy *copy, const VmPiece *piece,
                      const VmWhere *to) {
    Entry e = {.to = *to,
               .from = piece->from,
               .cta = to->cta ? to->cta->order.serial : 0,
               .bytes = piece->bytes,
               .zeros = piece->zeros};
    if (copy->data)
        e.data = hash_bytes(1, copy->data, piece->bytes);
    return e;
}

static bool is_to_same(const Entry *a, const Entry *b) {
    return is_place(&a->to, &b->to) && a->cta == b->cta;
}

static bool is_same(const Entry *a, const Entry *b) {
    return a->who && is_place(&a->from, &b->from) && a->bytes == b->bytes &&
           a->zeros == b->zeros && a->data == b->data;
}

// ---- the table -----------------------------------------------------------

static size_t entries_most(const Vm *vm) {
    uint64_t bytes = vm->launch->records_most;
    return bytes && bytes / sizeof(Entry) < ENTRIES_MOST
               ? (size_t)(bytes / sizeof(Entry))
               : ENTRIES_MOST;
}

// The entry of this destination, or a free one.
static Entry *entry_at(const struct VmCopySources *s, const Entry *e) {
    uint64_t key = hash_u64(e->to.offset ^ (uint64_t)e->cta << 40);
    size_t i = key & (s->room - 1);
    while (s->entries[i].who && !is_to_same(&s->entries[i], e))
        i = (i + 1) & (s->room - 1);
    return &s->entries[i];
}

// Another CTA may be there now, which has another number.
static bool has_ended(const Entry *e) {
    return e->to.cta && e->to.cta->order.serial != e->cta;
}

static size_t count_live(const struct VmCopySources *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->room; i++)
        count += s->entries[i].who && !has_ended(&s->entries[i]);
    return count;
}

static void move_entries(Vm *vm, struct VmCopySources *s, size_t room) {
    struct VmCopySources old = *s;
    bool has_spare = s->spare && room == s->room;
    s->entries = has_spare ? s->spare : arena_new(&vm->run_arena, Entry, room);
    s->spare = room == old.room ? old.entries : NULL;
    if (has_spare)
        memset(s->entries, 0, room * sizeof *s->entries);
    s->room = room;
    s->count = 0;
    for (size_t i = 0; i < old.room; i++)
        if (old.entries[i].who && !has_ended(&old.entries[i])) {
            *entry_at(s, &old.entries[i]) = old.entries[i];
            s->count++;
        }
}

static void forget_all(struct VmCopySources *s) {
    for (size_t i = 0; i < s->room; i++)
        s->entries[i].who = 0;
    s->count = 0;
    s->has_forgotten = true;
}

// Half of the table is to be free.
static void make_room(Vm *vm, struct VmCopySources *s) {
    if (s->count * 2 < s->room)
        return;
    size_t live = count_live(s), room = s->room ? s->room : FIRST_ROOM;
    if (live >= entries_most(vm)) {
        forget_all(s);
        return;
    }
    while (room < live * 4)
        room *= 2;
    move_entries(vm, s, room);
}

void vm_copy_same(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                  const VmWhere *to, uint32_t site, VmAsync *async) {
    if (!vm->copies.sources)
        vm->copies.sources = arena_new(&vm->run_arena, struct VmCopySources, 1);
    struct VmCopySources *s = vm->copies.sources;
    Entry e = entry_of(copy, piece, to);
    make_room(vm, s);
    Entry *known = entry_at(s, &e);
    if (is_same(known, &e)) {
        async->same_who = known->who;
        async->same_site = known->site;
    }
    async->same_unknown = !known->who && s->has_forgotten;
    s->count += !known->who;
    e.who = VM_AGENT | async->agent << 5 | async->lane;
    e.site = site & SITE_LOC;
    *known = e;
}
