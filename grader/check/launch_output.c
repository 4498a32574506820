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

// Two elements that are not the same: true for floats of which both are NaN,
// and for such as differ by no more than the tolerance.
static bool is_close(const LaunchArgument *argument, Str a, Str b) {
    ElementType type = argument->element;
    if (argument->output != OUTPUT_CLOSE || !element_is_float(type) ||
        a.len < element_size(type))
        return false;
    double x = element_to_double(type, element_bits(type, a.ptr));
    double y = element_to_double(type, element_bits(type, b.ptr));
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return fabs(x - y) <= argument->tolerance * fmax(fabs(x), fabs(y));
}

// [at, at + now.len) of a buffer. What *difference keeps of `now` is copied.
static void compare_chunk(Arena *arena, const LaunchArgument *argument,
                          Str first, Str now, uint64_t at,
                          LaunchDifference *difference) {
    size_t size = element_size(argument->element);
    if (memcmp(first.ptr, now.ptr, now.len) == 0)
        return;
    for (size_t i = 0; i < now.len; i += size) {
        Str was = str_slice(first, i, i + size),
            is = str_slice(now, i, i + size);
        if (str_equal(was, is) || is_close(argument, was, is) ||
            difference->words++ > 0)
            continue;
        difference->at = at + i;
        difference->first = was;
        difference->now = str_copy(arena, is);
    }
}

LaunchDifference launch_compare(Launching *l, Arena *arena, size_t index) {
    char chunk[CHUNK];
    LaunchDifference difference = {0};
    const LaunchArgument *argument = &l->request->arguments[index];
    Str first = argument->output == OUTPUT_ANY ? STR("") : l->first[index];
    for (size_t at = 0; at < first.len; at += CHUNK) {
        Str part = str_slice(first, at, at + CHUNK);
        if (launch_read(l, index, at, chunk, part.len))
            compare_chunk(arena, argument, part, (Str){chunk, part.len}, at,
                          &difference);
    }
    return difference;
}

LaunchDifference *launch_differences(Launching *l, Arena *arena,
                                     const Run *run) {
    size_t count = l->request->argument_count;
    if (!l->comparable || run->device.status != RUN_DONE)
        return NULL;
    LaunchDifference *all = arena_new(arena, LaunchDifference, count + 1);
    for (size_t i = 0; i < count; i++)
        all[i] = launch_compare(l, arena, i);
    return all;
}

static Str written_value(Arena *arena, ElementType type, uint64_t bits) {
    uint32_t unused = 64 - 8 * element_size(type);
    if (element_is_float(type))
        return str_format(arena, "%.*g", type == ELEMENT_F64 ? 17 : 9,
                          element_to_double(type, bits));
    if (element_is_signed(type))
        return str_format(arena, "%lld",
                          (long long)((int64_t)(bits << unused) >> unused));
    return str_format(arena, "%llu", (unsigned long long)bits);
}

Str launch_element(Arena *arena, ElementType type, Str bytes) {
    uint64_t bits = 0;
    uint32_t size = element_size(type);
    for (size_t i = 0; i < bytes.len; i++)
        bits |= (uint64_t)(uint8_t)bytes.ptr[i] << 8 * i;
    Str hex = str_format(arena, "0x%0*llx", (int)(2 * bytes.len),
                         (unsigned long long)bits);
    if (bytes.len < size)
        return hex;
    if (type == ELEMENT_WORD)
        return str_format(arena, "%.*s (u32 %u, f32 %.9g)", STR_ARG(hex),
                          (uint32_t)bits, element_to_double(ELEMENT_F32, bits));
    Str name = element_name(type), value = written_value(arena, type, bits);
    return str_format(arena, "%.*s (%.*s %.*s)", STR_ARG(hex), STR_ARG(name),
                      STR_ARG(value));
}
