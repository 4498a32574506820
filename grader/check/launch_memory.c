// SPDX-License-Identifier: Apache-2.0
// What a launch of clclab run is given: its buffers, filled anew before each
// schedule, and the parameter block. Read launch_load, at the end.
#include "check/launch.h"

#include <string.h>

enum { ADDRESS = 8, WORKSPACE = 8, POISON = 0xCD };

// ---- what buffers start with ---------------------------------------------

void launch_fill(const LaunchArgument *argument, uint64_t offset, uint8_t *out,
                 size_t count) {
    switch (argument->fill) {
    case FILL_ZERO:
        memset(out, 0, count);
        return;
    case FILL_POISON:
        memset(out, POISON, count);
        return;
    case FILL_BYTES:
        memcpy(out, argument->bytes + offset, count);
        return;
    case FILL_RANDOM:
    case FILL_IOTA:
        break;
    }
    ElementType type = argument->element;
    size_t size = element_size(type);
    for (size_t i = 0; i < count; i += size) {
        uint64_t index = (offset + i) / size;
        uint64_t bits = argument->fill == FILL_RANDOM
                            ? element_drawn(type, argument->seed, index)
                            : element_counted(type, index);
        element_put(out + i, count - i < size ? count - i : size, bits);
    }
}

// ---- refusals ------------------------------------------------------------

static bool fail(Launching *l, const Diags *diags, const char *what) {
    if (diags->count > 0)
        *l->error = diags->items[0];
    else
        *l->error = (Diag){.what = str_from(what)};
    return false;
}

static bool fail_alone(Launching *l, const char *what, const char *help) {
    *l->error = (Diag){.what = str_from(what), .help = str_from(help)};
    return false;
}

// What a card cannot be given.
static bool suits_device(Launching *l) {
    const LaunchRequest *request = l->request;
    DeviceInfo info;
    l->grade.device->ops->info(l->grade.device, &info);
    if (!info.is_card)
        return true;
    if (request->is_cooperative)
        return fail_alone(l, "a GPU gets no cooperative launches from here",
                          "leave out --device gpu, or --cooperative");
    for (size_t i = 0; i < request->argument_count; i++) {
        const LaunchArgument *argument = &request->arguments[i];
        if (argument->is_buffer && argument->part_count)
            return fail_alone(l, "a GPU gets no buffers with addresses in them",
                              "leave out --device gpu");
        if (argument->is_buffer && argument->fill == FILL_POISON)
            return fail_alone(l, "a GPU does not tell what was written",
                              "leave out --device gpu, or poison");
    }
    return true;
}

// ---- buffers and addresses -----------------------------------------------

static bool fill_buffer(Launching *l, const LaunchArgument *argument,
                        uint32_t buffer) {
    uint8_t chunk[CHUNK];
    Device *device = l->grade.device;
    for (uint64_t at = 0; at < argument->size; at += CHUNK) {
        uint64_t rest = argument->size - at;
        size_t count = rest < CHUNK ? (size_t)rest : CHUNK;
        launch_fill(argument, at, chunk, count);
        if (!device->ops->write(device, buffer, at, chunk, count))
            return fail(l, &(Diags){0}, "the device does not take a buffer");
    }
    if (argument->fill == FILL_POISON)
        device->ops->forget(device, buffer);
    return true;
}

static bool make_buffer(Launching *l, size_t index) {
    const LaunchArgument *argument = &l->request->arguments[index];
    Device *device = l->grade.device;
    Diags diags = diags_new(l->grade.arena);
    if (!device->ops->alloc(device, argument->size, &l->buffers[index],
                            &l->addresses[index], &diags))
        return fail(l, &diags, "the device has no memory for a buffer");
    return argument->fill == FILL_ZERO ||
           fill_buffer(l, argument, l->buffers[index]);
}

static bool address_of(Launching *l, const LaunchPart *part,
                       uint64_t *address) {
    Device *device = l->grade.device;
    *address = part->function.len ? 0 : l->addresses[part->argument];
    return part->function.len == 0 ||
           (device->ops->function &&
            device->ops->function(device, part->function, address)) ||
           fail_alone(l, "the device does not tell where a function is",
                      "leave out --device gpu");
}

// The addresses in argument `index`: in the parameter block, or in its buffer.
static bool put_addresses(Launching *l, size_t index, uint8_t *block) {
    const LaunchArgument *argument = &l->request->arguments[index];
    Device *device = l->grade.device;
    for (size_t i = 0; i < argument->part_count; i++) {
        const LaunchPart *part = &argument->parts[i];
        uint64_t address;
        if (!address_of(l, part, &address))
            return false;
        if (argument->is_buffer)
            device->ops->write(device, l->buffers[index], part->at, &address,
                               ADDRESS);
        else
            memcpy(block + l->offsets[index] + part->at, &address, ADDRESS);
    }
    return true;
}

// A cooperative grid synchronises in 8 bytes that its driver gives it: their
// own size, and zeros.
static bool make_workspace(Launching *l) {
    Device *device = l->grade.device;
    Diags diags = diags_new(l->grade.arena);
    uint8_t bytes[WORKSPACE] = {WORKSPACE};
    uint32_t buffer;
    if (!l->request->is_cooperative)
        return true;
    if (!device->ops->alloc(device, WORKSPACE, &buffer, &l->workspace, &diags))
        return fail(l, &diags, "the device has no memory for a buffer");
    return device->ops->write(device, buffer, 0, bytes, WORKSPACE);
}

// ---- the parameter block -------------------------------------------------

void launch_place_params(Launching *l) {
    const PtxFunc *kernel = l->request->kernel;
    l->arg_bytes = 0;
    for (size_t i = 0; i < kernel->param_count; i++)
        l->offsets[i] = ptx_place(&l->arg_bytes, kernel->params[i]);
}

bool launch_load(Launching *l, uint8_t *block) {
    const LaunchRequest *request = l->request;
    Device *device = l->grade.device;
    Diags diags = diags_new(l->grade.arena);
    if (!suits_device(l))
        return false;
    if (!device->ops->load(device, request->submission->module, &diags))
        return fail(l, &diags, "the device does not take the module");
    for (size_t i = 0; i < request->argument_count; i++)
        if (request->arguments[i].is_buffer && !make_buffer(l, i))
            return false;
    for (size_t i = 0; i < request->kernel->param_count; i++) {
        const LaunchArgument *argument = &request->arguments[i];
        if (argument->is_buffer)
            memcpy(block + l->offsets[i], &l->addresses[i], ADDRESS);
        else
            memcpy(block + l->offsets[i], argument->bytes, argument->size);
    }
    for (size_t i = 0; i < request->argument_count; i++)
        if (!put_addresses(l, i, block))
            return false;
    return make_workspace(l);
}
