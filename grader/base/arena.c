// SPDX-License-Identifier: Apache-2.0
// The arena: a list of chunks, each twice as large as the one before, up to a
// limit, and zeroed when it is allocated. Start with arena_alloc.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

struct ArenaChunk {
    ArenaChunk *older;
    size_t used, capacity; // bytes behind this header
    bool is_lent;          // it is the caller's: arena_in
    _Alignas(max_align_t) unsigned char bytes[];
};

enum {
    FIRST_CHUNK = 16 * 1024,
    LARGEST_CHUNK = 4 * 1024 * 1024,
    LINE = 64,
    SPARSE = 64 * 1024, // bytes from which memory is mapped by itself
};

static _Noreturn void out_of_memory(size_t size, size_t count) {
    fprintf(stderr,
            "clclab: out of memory (asked for %zu objects of %zu bytes)\n",
            count, size);
    exit(70);
}

void *heap_alloc(size_t size, size_t count) {
    if (size == 0 || count == 0)
        size = count = 1;
    void *memory = calloc(count, size);
    if (!memory)
        out_of_memory(size, count);
    return memory;
}

void *heap_alloc_lines(size_t bytes) {
    size_t whole = (bytes / LINE + 1) * LINE;
    void *memory = aligned_alloc(LINE, whole);
    if (!memory)
        out_of_memory(bytes, 1);
    return memset(memory, 0, whole);
}

void heap_free(void *memory) {
    free(memory);
}

void *sparse_try(size_t bytes) {
    if (bytes < SPARSE)
        return heap_alloc(1, bytes);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *sparse_alloc(size_t bytes) {
    void *memory = sparse_try(bytes);
    if (!memory)
        out_of_memory(bytes, 1);
    return memory;
}

void sparse_clear(void *memory, size_t bytes) {
    if (bytes < SPARSE || madvise(memory, bytes, MADV_DONTNEED) != 0)
        memset(memory, 0, bytes);
}

void sparse_free(void *memory, size_t bytes) {
    if (bytes < SPARSE)
        heap_free(memory);
    else if (memory)
        munmap(memory, bytes);
}

uint64_t heap_peak(void) {
    struct rusage used;
    bool is_known = getrusage(RUSAGE_SELF, &used) == 0;
    return is_known ? (uint64_t)used.ru_maxrss * 1024 : 0;
}

static ArenaChunk *chunk_new(ArenaChunk *older, size_t need) {
    size_t capacity = older ? older->capacity * 2 : FIRST_CHUNK;
    if (capacity > LARGEST_CHUNK)
        capacity = LARGEST_CHUNK;
    if (capacity < need)
        capacity = need;
    ArenaChunk *chunk = heap_alloc(1, sizeof *chunk + capacity);
    chunk->older = older;
    chunk->capacity = capacity;
    return chunk;
}

// Where the next object of this alignment can start in the chunk.
static size_t chunk_start(const ArenaChunk *chunk, size_t align) {
    uintptr_t base = (uintptr_t)chunk->bytes;
    return (size_t)(round_up(base + chunk->used, align) - base);
}

void *arena_alloc(Arena *arena, size_t size, size_t align, size_t count) {
    if (count != 0 && size > (SIZE_MAX / 2) / count)
        out_of_memory(size, count);
    size_t bytes = size * count;
    ArenaChunk *chunk = arena->chunk;
    size_t start = chunk ? chunk_start(chunk, align) : 0;
    if (!chunk || start > chunk->capacity || bytes > chunk->capacity - start) {
        chunk = arena->chunk = chunk_new(chunk, bytes + align);
        start = chunk_start(chunk, align);
    }
    chunk->used = start + bytes;
    arena->total += bytes;
    return chunk->bytes + start;
}

Arena arena_in(void *memory, size_t bytes) {
    ArenaChunk *chunk = memory;
    chunk->capacity = bytes - sizeof *chunk;
    chunk->is_lent = true;
    return (Arena){.chunk = chunk};
}

bool arena_is_in(const Arena *arena, const void *memory) {
    return arena->chunk == memory;
}

void arena_free(Arena *arena) {
    for (ArenaChunk *chunk = arena->chunk; chunk;) {
        ArenaChunk *older = chunk->older;
        if (!chunk->is_lent)
            heap_free(chunk);
        chunk = older;
    }
    *arena = (Arena){0};
}

void *arena_regrow(Arena *arena, const void *items, size_t count, size_t size,
                   size_t *capacity) {
    size_t larger = *capacity ? *capacity * 2 : 8;
    void *copy = arena_alloc(arena, size, _Alignof(max_align_t), larger);
    if (count)
        memcpy(copy, items, count * size);
    *capacity = larger;
    return copy;
}
