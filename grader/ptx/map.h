// SPDX-License-Identifier: Apache-2.0
// A hash table from (salt, name) to a number. The salt keeps apart the name
// spaces that share a table. 0 stands for "absent"; nothing is ever removed.
// Private to ptx/.
#ifndef CLCLAB_PTX_MAP_H
#define CLCLAB_PTX_MAP_H

#include "base/base.h"

typedef struct MapSlot {
    Str key;
    uint64_t hash; // of salt and key; never 0 in a used slot
    uint64_t salt;
    uint32_t value;
} MapSlot;

// A Map with its arena set and all else zero is empty and ready.
typedef struct Map {
    Arena *arena;
    MapSlot *slots;
    size_t count, capacity; // capacity: a power of 2, at most half full
} Map;

// 0 where there is none.
uint32_t map_get(const Map *map, uint64_t salt, Str key);
// The value's place, made (as 0) where there was none; valid until the next
// call. The key's bytes must outlive the map.
uint32_t *map_at(Map *map, uint64_t salt, Str key);

#endif
