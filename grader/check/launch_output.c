// SPDX-License-Identifier: Apache-2.0
// What a schedule of clclab run leaves in the buffers, and where that differs
// from what the first one left.
#include "check/launch.h"

#include <math.h>
#include <string.h>

bool launch_read(Launching *l, size_t index, uint64_t at, void *out,
                 uint64_t count) {
    Device *device = l->grade.device;
    return device->ops->read(device, l->buffers[index], at, out, count);
}

void launch_keep_outputs(Launching *l) {
    for (size_t i = 0; l->first && i < l->request->argument_count; i++) {
        const LaunchArgument *argument = &l->request->arguments[i];
        if (!argument->is_buffer)
            continue;
        char *bytes =
            arena_new(l->grade.arena, char, (size_t)argument->size + 1);
        if (argument->size == 0 || launch_read(l, i, 0, bytes, argument->size))
            l->first[i] = (Str){bytes, (size_t)argument->size};
    }
}

static float float_of(Str word) {
    float value;
    memcpy(&value, word.ptr, sizeof value);
    return value;
}

// Two words that are not the same: true for floats of which both are NaN, and
// for such as differ by no more than the tolerance.
static bool is_close(const LaunchArgument *argument, Str a, Str b) {
    if (argument->output != OUTPUT_CLOSE || a.len < WORD)
        return false;
    double x = (double)float_of(a), y = (double)float_of(b);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return fabs(x - y) <= argument->tolerance * fmax(fabs(x), fabs(y));
}

static void compare_chunk(Launching *l, size_t index, Str first, Str now,
                          uint64_t at, LaunchDifference *difference) {
    if (memcmp(first.ptr, now.ptr, now.len) == 0)
        return;
    for (size_t i = 0; i < now.len; i += WORD) {
        Str was = str_slice(first, i, i + WORD),
            is = str_slice(now, i, i + WORD);
        if (str_equal(was, is) ||
            is_close(&l->request->arguments[index], was, is) ||
            difference->words++ > 0)
            continue;
        difference->at = at + i;
        difference->first = was;
        difference->now = str_copy(l->grade.arena, is);
    }
}

LaunchDifference launch_compare(Launching *l, size_t index) {
    char chunk[CHUNK];
    LaunchDifference difference = {0};
    Str first = l->request->arguments[index].output == OUTPUT_ANY
                    ? STR("")
                    : l->first[index];
    for (size_t at = 0; at < first.len; at += CHUNK) {
        Str part = str_slice(first, at, at + CHUNK);
        if (launch_read(l, index, at, chunk, part.len))
            compare_chunk(l, index, part, (Str){chunk, part.len}, at,
                          &difference);
    }
    return difference;
}

Str launch_word(Arena *arena, Str bytes) {
    uint32_t word = 0;
    float value;
    for (size_t i = 0; i < bytes.len; i++)
        word |= (uint32_t)(uint8_t)bytes.ptr[i] << 8 * i;
    if (bytes.len < WORD)
        return str_format(arena, "0x%0*x", (int)(2 * bytes.len), word);
    memcpy(&value, &word, sizeof value);
    return str_format(arena, "0x%08x (u32 %u, f32 %.9g)", word, word,
                      (double)value);
}
