// SPDX-License-Identifier: Apache-2.0
// What a stream is given: how each kind is done, and how it is copied from one
// graph to another.
#include "runtime/graph.h"

#include <string.h>
#include <time.h>

// ---- making them ---------------------------------------------------------

Op op_copy_bytes(void *to, const void *from, size_t count, CudaCopy kind) {
    return (Op){.kind = OP_COPY,
                .copy = {.from = {(void *)(uintptr_t)from, count, count, 1},
                         .to = {to, count, count, 1},
                         .extent = {count, 1, 1},
                         .kind = kind}};
}

Op op_fill_bytes(void *to, int value, size_t count) {
    return (Op){.kind = OP_FILL,
                .fill = {.to = {to, count, count},
                         .value = (uint8_t)value,
                         .element = 1,
                         .extent = {count, 1, 1}}};
}

CudaError op_make_launch(Runtime *r, Arena *arena, const void *host,
                         const LaunchShape *shape, void **args, Op *op) {
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, host, &kernel);
    if (!error)
        error = launch_check(r, kernel, shape);
    if (error)
        return error;
    uint8_t block[LAUNCH_MOST_PARAMETERS];
    size_t bytes = launch_lay_out(kernel, args, block);
    if (bytes > sizeof block)
        return CUDA_VALUE;
    Op whole = {.kind = OP_KERNEL,
                .launch = {host, kernel, *shape, block, bytes}};
    *op = (Op){0};
    op_copy(r, arena, op, &whole);
    return CUDA_OK;
}

// ---- copying and dropping ------------------------------------------------

static uint8_t *copy_block(Arena *arena, const Op *to, const OpLaunch *from) {
    uint8_t *block = to->launch.block;
    bool fits = to->kind == OP_KERNEL && to->launch.bytes >= from->bytes;
    if (!fits || !block)
        block = arena_new(arena, uint8_t, from->bytes + 1);
    memcpy(block, from->block, from->bytes);
    return block;
}

static void copy_condition(Runtime *r, Arena *arena, OpCondition *to,
                           const OpCondition *from) {
    *to = *from;
    to->bodies = arena_new(arena, Graph *, from->count);
    for (uint32_t i = 0; i < from->count; i++) {
        to->bodies[i] = graph_clone(r, from->bodies[i]);
        to->bodies[i]->is_owned = true;
    }
}

void op_copy(Runtime *r, Arena *arena, Op *to, const Op *from) {
    uint8_t *block =
        from->kind == OP_KERNEL ? copy_block(arena, to, &from->launch) : NULL;
    *to = *from;
    switch (from->kind) {
    case OP_KERNEL:
        to->launch.block = block;
        return;
    case OP_GRAPH:
        to->child = graph_clone(r, from->child);
        to->child->is_owned = true;
        return;
    case OP_CONDITION:
        copy_condition(r, arena, &to->condition, &from->condition);
        return;
    case OP_ALLOC:
        memory_share_parked(r, from->memory);
        return;
    case OP_COPY:
    case OP_FILL:
    case OP_HOST:
    case OP_EMPTY:
    case OP_WAIT:
    case OP_RECORD:
    case OP_FREE:
        return;
    }
}

void op_drop(Runtime *r, Op *op) {
    if (op->kind == OP_GRAPH)
        graph_free(r, op->child);
    if (op->kind == OP_ALLOC)
        memory_drop_parked(r, op->memory);
    if (op->kind == OP_CONDITION)
        for (uint32_t i = 0; i < op->condition.count; i++)
            graph_free(r, op->condition.bodies[i]);
    *op = (Op){.kind = OP_EMPTY};
}

// ---- doing them ----------------------------------------------------------

static CudaError call_host(Runtime *r, const OpHost *host) {
    runtime_exit(r); // it may take long, and may call CUDA
    host->function(host->data);
    runtime_enter();
    return CUDA_OK;
}

static uint32_t condition_value(Runtime *r, uint64_t handle) {
    uint64_t offset;
    uint32_t value = 0;
    const Slot *slot = memory_slot(r, (const void *)(uintptr_t)handle, &offset);
    if (slot && slot->size >= sizeof value)
        memcpy(&value, slot->bytes, sizeof value);
    return value;
}

// The graph that the number chooses; NULL: none.
static Graph *chosen(Runtime *r, const OpCondition *condition) {
    uint32_t value = condition_value(r, condition->handle);
    uint32_t index =
        condition->kind == CONDITION_SWITCH ? value : (uint32_t)(value == 0);
    return index < condition->count ? condition->bodies[index] : NULL;
}

static CudaError run_condition(Runtime *r, const OpCondition *condition) {
    CudaError error = CUDA_OK;
    Graph *body = chosen(r, condition);
    while (body && !error) {
        error = graph_run(r, body);
        body = condition->kind == CONDITION_WHILE && !r->fault
                   ? chosen(r, condition)
                   : NULL;
    }
    return error;
}

static CudaError record(CudaEvent *event) {
    event->is_recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return CUDA_OK;
}

CudaError op_run(Runtime *r, const Op *op) {
    switch (op->kind) {
    case OP_KERNEL:
        return launch_block(r, op->launch.kernel, &op->launch.shape,
                            op->launch.block, op->launch.bytes);
    case OP_COPY:
        return copy_3d(r, &op->copy);
    case OP_FILL:
        return copy_fill_elements(r, &op->fill);
    case OP_HOST:
        return call_host(r, &op->host);
    case OP_GRAPH:
        return graph_run(r, op->child);
    case OP_EMPTY:
    case OP_WAIT:
        return CUDA_OK;
    case OP_RECORD:
        return record(op->event);
    case OP_ALLOC:
        return memory_unpark(r, op->memory);
    case OP_FREE:
        return memory_free(r, op->memory, false);
    case OP_CONDITION:
        return run_condition(r, &op->condition);
    }
    return CUDA_NOT_SUPPORTED;
}
