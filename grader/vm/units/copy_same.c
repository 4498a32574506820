// SPDX-License-Identifier: Apache-2.0
// Copies from one source to one destination, twice: the bytes are the same
// whichever comes last, so the two do not conflict. Libraries do this: in
// cooperative_groups::memcpy_async each thread of a small group copies it all.
//
// A table, by destination, holds the latest copy there. It forgets a copy when
// another one takes its entry; then a repetition is reported.
#include "vm/machine/lanes.h"
#include "vm/units/copy.h"

enum { ENTRIES = 1024 }; // a power of 2

typedef struct Entry {
    VmWhere to, from;
    uint32_t cta; // serial number of that of `to`: memory is used again
    uint32_t bytes, zeros;
    uint64_t data; // of st.async: a hash of the value
    uint32_t who, site;
} Entry;

struct VmCopySources {
    Entry entries[ENTRIES];
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

static bool is_same(const Entry *a, const Entry *b) {
    return a->who && is_place(&a->to, &b->to) && is_place(&a->from, &b->from) &&
           a->cta == b->cta && a->bytes == b->bytes && a->zeros == b->zeros &&
           a->data == b->data;
}

void vm_copy_same(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                  const VmWhere *to, uint32_t site, VmAsync *async) {
    if (!vm->copies.sources)
        vm->copies.sources = arena_new(&vm->run_arena, struct VmCopySources, 1);
    Entry e = entry_of(copy, piece, to);
    uint64_t key = hash_u64(e.to.offset ^ (uint64_t)e.cta << 40);
    Entry *known = &vm->copies.sources->entries[key % ENTRIES];
    if (is_same(known, &e)) {
        async->same_who = known->who;
        async->same_site = known->site;
    }
    e.who = VM_AGENT | async->agent << 5 | async->lane;
    e.site = site & SITE_LOC;
    *known = e;
}
