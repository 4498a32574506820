// SPDX-License-Identifier: Apache-2.0
// What a schedule of clclab run leaves in the buffers, and where that differs
// from what the first one left.
#include "check/launch.h"

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

// With what the first schedule left.
static MemoryDifference compare(Launching *l, Arena *arena, size_t index) {
    char chunk[CHUNK];
    MemoryDifference difference = {0};
    const LaunchArgument *argument = &l->request->arguments[index];
    const MemoryForm form = {.element = argument->element,
                             .is_close = argument->output == OUTPUT_CLOSE,
                             .tolerance = argument->tolerance};
    Str first = argument->output == OUTPUT_ANY ? STR("") : l->first[index];
    for (size_t at = 0; at < first.len; at += CHUNK) {
        Str part = str_slice(first, at, at + CHUNK);
        if (launch_read(l, index, at, chunk, part.len))
            memory_compare(arena, &form, part, (Str){chunk, part.len}, at,
                           &difference);
    }
    return difference;
}

MemoryDifference *launch_differences(Launching *l, Arena *arena,
                                     const Run *run) {
    size_t count = l->request->argument_count;
    if (!l->comparable || run->device.status != RUN_DONE)
        return NULL;
    MemoryDifference *all = arena_new(arena, MemoryDifference, count + 1);
    for (size_t i = 0; i < count; i++)
        all[i] = compare(l, arena, i);
    return all;
}
