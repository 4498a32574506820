// SPDX-License-Identifier: Apache-2.0
// Graphs, and the work of their nodes. Work may be a whole graph, and a graph
// is nodes with a Work each, and which of them come before which: so both are
// here. What can be launched is a copy of a graph, whose nodes know those that
// they were copied from; it is walked through in the order of the nodes, each
// after all that it needs. Read graph_run.
#include "runtime/graphs/graph.h"
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"

#include <string.h>

// ---- copying and dropping ------------------------------------------------

static uint8_t *copy_block(Arena *arena, const Work *to, const OpLaunch *from) {
    const OpLaunch *was = &to->op.launch;
    uint8_t *block = was->block;
    bool fits = to->kind == NODE_KERNEL && was->bytes >= from->bytes;
    if (!fits || !block)
        block = arena_new(arena, uint8_t, from->bytes + 1);
    memcpy(block, from->block, from->bytes);
    return block;
}

void work_own_block(Arena *arena, Work *work) {
    const Work none = {.kind = NODE_EMPTY};
    work->op.launch.block = copy_block(arena, &none, &work->op.launch);
}

static void copy_condition(Runtime *r, Arena *arena, NodeCondition *to,
                           const NodeCondition *from) {
    *to = *from;
    to->bodies = arena_new(arena, Graph *, from->count);
    for (uint32_t i = 0; i < from->count; i++) {
        to->bodies[i] = graph_clone(r, from->bodies[i]);
        to->bodies[i]->is_owned = true;
    }
}

void work_copy(Runtime *r, Arena *arena, Work *to, const Work *from) {
    uint8_t *block = from->kind == NODE_KERNEL
                         ? copy_block(arena, to, &from->op.launch)
                         : NULL;
    *to = *from;
    switch (from->kind) {
    case NODE_KERNEL:
        to->op.launch.block = block;
        return;
    case NODE_GRAPH:
        to->child = graph_clone(r, from->child);
        to->child->is_owned = true;
        return;
    case NODE_CONDITION:
        copy_condition(r, arena, &to->condition, &from->condition);
        return;
    case NODE_ALLOC:
        memory_share_parked(r, from->op.memory);
        return;
    case NODE_COPY:
    case NODE_FILL:
    case NODE_HOST:
    case NODE_EMPTY:
    case NODE_WAIT:
    case NODE_RECORD:
    case NODE_FREE:
        return;
    }
}

void work_drop(Runtime *r, Work *work) {
    if (work->kind == NODE_GRAPH)
        graph_free(r, work->child);
    if (work->kind == NODE_ALLOC)
        memory_drop_parked(r, work->op.memory);
    if (work->kind == NODE_CONDITION)
        for (uint32_t i = 0; i < work->condition.count; i++)
            graph_free(r, work->condition.bodies[i]);
    *work = (Work){.kind = NODE_EMPTY};
}

// ---- doing it ------------------------------------------------------------

static uint32_t condition_value(Runtime *r, uint64_t handle) {
    uint64_t offset;
    uint32_t value = 0;
    const Slot *slot = memory_slot(r, (const void *)(uintptr_t)handle, &offset);
    if (slot && slot->size >= sizeof value)
        memcpy(&value, slot->bytes, sizeof value);
    return value;
}

// The graph that the number chooses; NULL: none.
static Graph *chosen(Runtime *r, const NodeCondition *condition) {
    uint32_t value = condition_value(r, condition->handle);
    uint32_t index =
        condition->kind == CONDITION_SWITCH ? value : (uint32_t)(value == 0);
    return index < condition->count ? condition->bodies[index] : NULL;
}

static CudaError run_condition(Runtime *r, const NodeCondition *condition) {
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

static CudaError run(Runtime *r, const Work *work) {
    switch (work->kind) {
    case NODE_GRAPH:
        return graph_run(r, work->child);
    case NODE_CONDITION:
        return run_condition(r, &work->condition);
    case NODE_EMPTY:
        return CUDA_OK;
    case NODE_KERNEL:
    case NODE_COPY:
    case NODE_FILL:
    case NODE_HOST:
    case NODE_WAIT:
    case NODE_RECORD:
    case NODE_ALLOC:
    case NODE_FREE:
        return op_run(r, &work->op);
    }
    return CUDA_NOT_SUPPORTED;
}

// ---- graphs --------------------------------------------------------------

Graph *graph_new(Runtime *r) {
    return arena_new(&r->arena, Graph, 1);
}

void graph_free(Runtime *r, Graph *graph) {
    for (size_t i = 0; i < graph->count; i++)
        work_drop(r, &graph->nodes[i]->work);
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
                     const Work *work) {
    for (size_t i = 0; i < count; i++)
        if (!before[i] || before[i]->graph != graph)
            return NULL;
    GraphNode *node = new_node(graph);
    node->work = *work;
    for (size_t i = 0; i < count; i++)
        if (graph_connect(before[i], node)) {
            graph->count--;
            return NULL;
        }
    return node;
}

void graph_remove(Runtime *r, GraphNode *node) {
    Graph *graph = node->graph;
    work_drop(r, &node->work);
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
    Graph *clone = graph_new(r);
    copy_conditions(clone, graph);
    for (const Holding *h = graph->holdings; h; h = h->next)
        user_objects_hold(&clone->arena, &clone->holdings, h->object, h->count);
    for (size_t i = 0; i < graph->count; i++) {
        GraphNode *node = new_node(clone);
        work_copy(r, &clone->arena, &node->work, &graph->nodes[i]->work);
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
        if (graph->nodes[i]->work.kind == NODE_ALLOC)
            memory_park(r, graph->nodes[i]->work.op.memory);
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
            error = run(r, &node->work);
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
static bool is_other(const Work *a, const Work *b) {
    switch (a->kind) {
    case NODE_COPY:
        return a->op.copy.kind != b->op.copy.kind;
    case NODE_ALLOC:
    case NODE_FREE:
        return a->op.memory != b->op.memory;
    case NODE_CONDITION:
        return true;
    case NODE_KERNEL:
    case NODE_FILL:
    case NODE_HOST:
    case NODE_GRAPH:
    case NODE_EMPTY:
    case NODE_WAIT:
    case NODE_RECORD:
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
        if (was->work.kind != (*where)->work.kind)
            return UPDATE_KIND;
        if (!has_same_needs(was, *where))
            return UPDATE_TOPOLOGY;
        if (is_other(&was->work, &(*where)->work))
            return UPDATE_PARAMETERS;
        if (was->work.kind == NODE_GRAPH) {
            GraphUpdate inner =
                compare(was->work.child, (*where)->work.child, where);
            if (inner)
                return inner;
        }
    }
    *where = NULL;
    return UPDATE_DONE;
}

static void take_work(Runtime *r, Graph *instance, const Graph *graph) {
    for (size_t i = 0; i < graph->count; i++) {
        Work *work = &instance->nodes[i]->work;
        if (work->kind == NODE_GRAPH)
            take_work(r, work->child, graph->nodes[i]->work.child);
        else if (work->kind != NODE_ALLOC)
            work_copy(r, &instance->arena, work, &graph->nodes[i]->work);
    }
}

GraphUpdate graph_update(Runtime *r, Graph *instance, const Graph *graph,
                         GraphNode **where) {
    *where = NULL;
    GraphUpdate end = compare(instance, graph, where);
    if (!end)
        take_work(r, instance, graph);
    return end;
}
