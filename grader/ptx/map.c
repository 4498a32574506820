// SPDX-License-Identifier: Apache-2.0
// Open addressing with linear probing; the table doubles when half full.
#include "ptx/map.h"

static uint64_t key_hash(uint64_t salt, Str key) {
    return hash_bytes(salt, key.ptr, key.len) | 1;
}

static MapSlot *find_slot(const Map *map, uint64_t salt, Str key,
                          uint64_t hash) {
    size_t mask = map->capacity - 1;
    size_t at = (size_t)(hash >> 1) & mask;
    for (;; at = (at + 1) & mask) {
        MapSlot *slot = &map->slots[at];
        if (slot->hash == 0)
            return slot;
        if (slot->hash == hash && slot->salt == salt &&
            str_equal(slot->key, key))
            return slot;
    }
}

static void map_double(Map *map) {
    Map larger = {.arena = map->arena, .count = map->count};
    larger.capacity = map->capacity ? map->capacity * 2 : 16;
    larger.slots = arena_new(map->arena, MapSlot, larger.capacity);
    for (size_t i = 0; i < map->capacity; i++) {
        const MapSlot *slot = &map->slots[i];
        if (slot->hash)
            *find_slot(&larger, slot->salt, slot->key, slot->hash) = *slot;
    }
    *map = larger;
}

uint32_t map_get(const Map *map, uint64_t salt, Str key) {
    if (map->count == 0)
        return 0;
    return find_slot(map, salt, key, key_hash(salt, key))->value;
}

uint32_t *map_at(Map *map, uint64_t salt, Str key) {
    if (map->count * 2 >= map->capacity)
        map_double(map);
    uint64_t hash = key_hash(salt, key);
    MapSlot *slot = find_slot(map, salt, key, hash);
    if (slot->hash == 0) {
        *slot = (MapSlot){.key = key, .hash = hash, .salt = salt};
        map->count++;
    }
    return &slot->value;
}
