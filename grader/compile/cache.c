// SPDX-License-Identifier: Apache-2.0
// Results by content. An entry is one file, named by a hash of its key:
//
//   magic, key, guards, compiler, log, ptx, refusal   as fields (wire.c)
//   check                                    hash of all of the above, a number
//
// The whole key is stored and compared, so a collision of two keys' hashes
// costs time but never gives a wrong result. A damaged entry counts as absent
// and is written again. The log is kept as the compiler wrote it, so that a
// cached result repeats its warnings.
#include "compile/internal.h"

#include <fcntl.h>
#include <sys/stat.h>

#define MAGIC STR("clclab result 5")
#define SUFFIX STR(".result")

enum {
    MAX_ENTRY = 80 << 20, // bytes: a larger entry is not read
    KEEP_BYTES = 64 << 20,
    KEEP_COUNT = 1000,
};

static Str entry_path(Arena *arena, Str cache_dir, Str key) {
    uint64_t hash = hash_bytes(0, key.ptr, key.len);
    return str_format(arena, "%.*s/%016llx.result", STR_ARG(cache_dir),
                      (unsigned long long)hash);
}

static bool read_entry(Str text, Str key, CacheEntry *entry) {
    Str rest = text, magic, stored;
    uint64_t check = 0;
    if (!wire_get(&rest, &magic) || !str_equal(magic, MAGIC) ||
        !wire_get(&rest, &stored) || !str_equal(stored, key) ||
        !wire_get_guards(&rest, &entry->guards) ||
        !wire_get(&rest, &entry->compiler) || !wire_get(&rest, &entry->log) ||
        !wire_get(&rest, &entry->ptx) || !wire_get(&rest, &entry->refusal))
        return false;
    uint64_t hash = hash_bytes(1, text.ptr, text.len - rest.len);
    return wire_get_number(&rest, &check) && rest.len == 0 && check == hash;
}

bool cache_find(Arena *arena, Str cache_dir, Str key, CacheEntry *entry) {
    Str text, path = entry_path(arena, cache_dir, key);
    if (!files_are_ours(arena, path) ||
        !files_read(arena, path, MAX_ENTRY, &text) ||
        !read_entry(text, key, entry))
        return false;
    // files_prune removes the oldest files first: this makes them the least
    // recently used.
    utimensat(AT_FDCWD, str_cstring(arena, path), NULL, 0);
    return true;
}

bool cache_store(Arena *arena, Str cache_dir, Str key,
                 const CacheEntry *entry) {
    Buf buf = {0};
    wire_put(&buf, MAGIC);
    wire_put(&buf, key);
    wire_put_guards(&buf, &entry->guards);
    wire_put(&buf, entry->compiler);
    wire_put(&buf, entry->log);
    wire_put(&buf, entry->ptx);
    wire_put(&buf, entry->refusal);
    wire_put_number(&buf, hash_bytes(1, buf.ptr, buf.len));
    Str path = entry_path(arena, cache_dir, key);
    bool stored = files_write_atomic(arena, path, buf_view(&buf));
    buf_free(&buf);
    files_prune(arena, cache_dir, (Str){0}, SUFFIX, KEEP_BYTES, KEEP_COUNT);
    return stored;
}
