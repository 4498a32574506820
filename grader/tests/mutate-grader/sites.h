// SPDX-License-Identifier: Apache-2.0
// The places of a C file at which one thing can be changed, and what each
// change makes of the file.
#ifndef CLCLAB_MUTATE_SITES_H
#define CLCLAB_MUTATE_SITES_H

#include "tests/mutate-grader/source.h"

typedef struct Site {
    const char *kind; // "compare", "permission", ...: sites.c has the table
    Str path;         // grader/vm/race.c
    uint32_t line;
    size_t from, to; // the bytes of the file that go
    Str with;        // what comes in their place
    // Its name, which stays the same when the function moves within the file or
    // the file to another sub-folder of its room.
    Str file;          // vm/race.c
    Str function;      // empty: file scope
    Str before, after; // the lines that change, blanks brought together
    uint32_t same;     // from 1, among those that are alike in all of these
    uint64_t id;       // a hash of these
} Site;

typedef struct Sites {
    Site *items;
    size_t count, capacity;
} Sites;

// Adds the sites of one file, in the order of the text.
void sites_find(Arena *arena, Str path, Str text, Sites *sites);

// The file with the change made; it has as many lines as before.
Str site_apply(Arena *arena, Str text, const Site *site);

// The room of a path, "vm" of grader/vm/order/race.c.
Str site_room(Str path);

#endif
