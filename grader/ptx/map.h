// SPDX-License-Identifier: Apache-2.0
// A hash table from (salt, name) to a number. The salt separates the name
// spaces that share a table. 0 means "absent"; nothing is ever removed.
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

// A Map is empty and ready when its arena is set and everything else is zero.
typedef struct Map {
    Arena *arena;
    MapSlot *slots;
    size_t count, capacity; // capacity: a power of 2, at most half full
} Map;

// The number; 0 if there is none.
uint32_t map_get(const Map *map, uint64_t salt, Str key);
// A pointer to the number, which is inserted as 0 if there was none. It is
// valid until the next call. The key's bytes must outlive the map.
uint32_t *map_at(Map *map, uint64_t salt, Str key);

#endif
