// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes, and which of them come before which. What can be launched is a
// copy of a graph, whose nodes know those that they were copied from; it is
// walked through in the order of the nodes, each after all that it needs.
#include "runtime/graph.h"

#include <string.h>

Graph *graph_new(void) {
    return heap_alloc(1, sizeof(Graph));
}

void graph_free(Runtime *r, Graph *graph) {
    for (size_t i = 0; i < graph->count; i++)
        op_drop(r, &graph->nodes[i]->op);
    Arena arena = graph->arena;
    heap_free(graph);
    arena_free(&arena);
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
