// SPDX-License-Identifier: Apache-2.0
// Ops and graphs. An Op may be a whole graph, and a graph is nodes with an Op
// each, and which of them come before which: so both are here. What can be
// launched is a copy of a graph, whose nodes know those that they were copied
// from; it is walked through in the order of the nodes, each after all that it
// needs. Read op_run and graph_run.
#include "runtime/graphs/graph.h"

#include <string.h>
#include <time.h>

// ---- making ops ----------------------------------------------------------

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
    if (!error && !launch_has_args(kernel, args))
        error = CUDA_VALUE;
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
        return array_copy_3d(r, &op->copy);
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

// ---- graphs --------------------------------------------------------------

Graph *graph_new(void) {
    return heap_alloc(1, sizeof(Graph));
}

void graph_free(Runtime *r, Graph *graph) {
    for (size_t i = 0; i < graph->count; i++)
        op_drop(r, &graph->nodes[i]->op);
    user_objects_let_go(r, graph->holdings);
    Arena arena = graph->arena;
    *graph = (Graph){.is_freed = true};
    arena_free(&arena);
}

bool graph_is_there(const Graph *graph) {
    return graph && !graph->is_freed;
}

// ---- nodes ---------------------------------------------------------------

static GraphNode *new_node(Graph *graph) {
    GraphNode *node = arena_new(&graph->arena, GraphNode, 1);
    *node = (GraphNode){.graph = graph, .index = graph->count};
    arena_grow(&graph->arena, graph->nodes, graph->count, graph->capacity);
    graph->nodes[graph->count++] = node;
    return node;
}

static bool needs(const GraphNode *node, const GraphNode *other) {
    for (size_t i = 0; i < node->need_count; i++)
        if (node->needs[i] == other)
            return true;
    return false;
}

CudaError graph_connect(GraphNode *from, GraphNode *to) {
    if (!from || !to || from->graph != to->graph || from == to ||
        needs(to, from))
        return CUDA_VALUE;
    arena_grow(&to->graph->arena, to->needs, to->need_count, to->need_capacity);
    to->needs[to->need_count++] = from;
    return CUDA_OK;
}

CudaError graph_disconnect(GraphNode *from, GraphNode *to) {
    for (size_t i = 0; to && i < to->need_count; i++)
        if (to->needs[i] == from) {
            to->needs[i] = to->needs[--to->need_count];
            return CUDA_OK;
        }
    return CUDA_VALUE;
}

GraphNode *graph_add(Graph *graph, GraphNode *const *before, size_t count,
                     const Op *op) {
    for (size_t i = 0; i < count; i++)
        if (!before[i] || before[i]->graph != graph)
            return NULL;
    GraphNode *node = new_node(graph);
    node->op = *op;
    for (size_t i = 0; i < count; i++)
        if (graph_connect(before[i], node)) {
            graph->count--;
            return NULL;
        }
    return node;
}

void graph_remove(Runtime *r, GraphNode *node) {
    Graph *graph = node->graph;
    op_drop(r, &node->op);
    for (size_t i = 0; i < graph->count; i++)
        graph_disconnect(node, graph->nodes[i]);
    graph->count--;
    for (size_t i = node->index; i < graph->count; i++) {
        graph->nodes[i] = graph->nodes[i + 1];
        graph->nodes[i]->index = i;
    }
}

// ---- copies --------------------------------------------------------------

static void copy_conditions(Graph *clone, const Graph *graph) {
    for (const Condition *c = graph->conditions; c; c = c->next) {
        Condition *copy = arena_new(&clone->arena, Condition, 1);
        *copy = *c;
        copy->next = clone->conditions;
        clone->conditions = copy;
    }
}

Graph *graph_clone(Runtime *r, const Graph *graph) {
    Graph *clone = graph_new();
    copy_conditions(clone, graph);
    for (const Holding *h = graph->holdings; h; h = h->next)
        user_objects_hold(&clone->arena, &clone->holdings, h->object, h->count);
    for (size_t i = 0; i < graph->count; i++) {
        GraphNode *node = new_node(clone);
        op_copy(r, &clone->arena, &node->op, &graph->nodes[i]->op);
        node->original = graph->nodes[i];
    }
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->need_count; k++)
            graph_connect(clone->nodes[graph->nodes[i]->needs[k]->index],
                          clone->nodes[i]);
    return clone;
}

// Mostly it has the same index.
GraphNode *graph_find(const Graph *graph, const GraphNode *original) {
    size_t index = original->index;
    if (index < graph->count && graph->nodes[index]->original == original)
        return graph->nodes[index];
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->original == original)
            return graph->nodes[i];
    return NULL;
}

// ---- walking through it --------------------------------------------------

static bool is_ready(const GraphNode *node) {
    for (size_t i = 0; i < node->need_count; i++)
        if (!node->needs[i]->is_done)
            return false;
    return !node->is_done;
}

// The next node that can be done, from *at on; NULL: there is none left.
static GraphNode *next_ready(const Graph *graph, size_t *at) {
    for (size_t tried = 0; tried < graph->count; tried++) {
        GraphNode *node = graph->nodes[*at];
        *at = (*at + 1) % graph->count;
        if (is_ready(node)) {
            node->is_done = true;
            return node;
        }
    }
    return NULL;
}

static void begin_walk(Graph *graph) {
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->is_done = false;
}

bool graph_has_cycle(Graph *graph) {
    size_t at = 0, done = 0;
    begin_walk(graph);
    while (next_ready(graph, &at))
        done++;
    return done < graph->count;
}

static void set_conditions(Runtime *r, const Graph *graph) {
    for (const Condition *c = graph->conditions; c; c = c->next) {
        uint64_t offset;
        const Slot *slot =
            memory_slot(r, (const void *)(uintptr_t)c->handle, &offset);
        if (slot && c->is_set)
            memcpy(slot->bytes, &c->value, sizeof c->value);
    }
}

// What the launch before this one has not freed.
static void free_rest(Runtime *r, const Graph *graph) {
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->op.kind == OP_ALLOC)
            memory_park(r, graph->nodes[i]->op.memory);
}

CudaError graph_run(Runtime *r, Graph *graph) {
    size_t at = 0;
    GraphNode *node;
    CudaError error = CUDA_OK;
    if (graph->frees)
        free_rest(r, graph);
    set_conditions(r, graph);
    begin_walk(graph);
    while (!error && !r->fault && (node = next_ready(graph, &at)))
        if (!node->is_off)
            error = op_run(r, &node->op);
    return error;
}

// ---- updates -------------------------------------------------------------

static bool has_same_needs(const GraphNode *a, const GraphNode *b) {
    if (a->need_count != b->need_count)
        return false;
    for (size_t i = 0; i < a->need_count; i++)
        if (a->needs[i]->index != b->needs[i]->index)
            return false;
    return true;
}

// What a node may not become.
static bool is_other(const Op *a, const Op *b) {
    switch (a->kind) {
    case OP_COPY:
        return a->copy.kind != b->copy.kind;
    case OP_ALLOC:
    case OP_FREE:
        return a->memory != b->memory;
    case OP_CONDITION:
        return true;
    case OP_KERNEL:
    case OP_FILL:
    case OP_HOST:
    case OP_GRAPH:
    case OP_EMPTY:
    case OP_WAIT:
    case OP_RECORD:
        return false;
    }
    return true;
}

static GraphUpdate compare(const Graph *instance, const Graph *graph,
                           GraphNode **where) {
    if (instance->count != graph->count)
        return UPDATE_TOPOLOGY;
    for (size_t i = 0; i < graph->count; i++) {
        const GraphNode *was = instance->nodes[i];
        *where = graph->nodes[i];
        if (was->op.kind != (*where)->op.kind)
            return UPDATE_KIND;
        if (!has_same_needs(was, *where))
            return UPDATE_TOPOLOGY;
        if (is_other(&was->op, &(*where)->op))
            return UPDATE_PARAMETERS;
        if (was->op.kind == OP_GRAPH) {
            GraphUpdate inner =
                compare(was->op.child, (*where)->op.child, where);
            if (inner)
                return inner;
        }
    }
    *where = NULL;
    return UPDATE_DONE;
}

static void take_ops(Runtime *r, Graph *instance, const Graph *graph) {
    for (size_t i = 0; i < graph->count; i++) {
        Op *op = &instance->nodes[i]->op;
        if (op->kind == OP_GRAPH)
            take_ops(r, op->child, graph->nodes[i]->op.child);
        else if (op->kind != OP_ALLOC)
            op_copy(r, &instance->arena, op, &graph->nodes[i]->op);
    }
}

GraphUpdate graph_update(Runtime *r, Graph *instance, const Graph *graph,
                         GraphNode **where) {
    *where = NULL;
    GraphUpdate end = compare(instance, graph, where);
    if (!end)
        take_ops(r, instance, graph);
    return end;
}
