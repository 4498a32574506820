// SPDX-License-Identifier: Apache-2.0
// The known name that is nearest to one that is not known, for messages.
#include "base/base.h"

enum { LONGEST_NAME = 64, FARTHEST = 2 };

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

// Levenshtein distance; both names have at most LONGEST_NAME bytes.
static size_t edit_distance(Str a, Str b) {
    size_t row[LONGEST_NAME + 1];
    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t above = row[j];
            size_t changed = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);
            row[j] = smaller(changed, smaller(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[b.len];
}

Nearest nearest_start(Str wanted) {
    size_t limit = wanted.len < 4 ? 1 : FARTHEST;
    return (Nearest){.wanted = wanted, .distance = limit + 1};
}

void nearest_try(Nearest *nearest, Str name) {
    if (nearest->wanted.len > LONGEST_NAME || name.len > LONGEST_NAME)
        return;
    size_t distance = edit_distance(nearest->wanted, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = name;
    }
}
