// SPDX-License-Identifier: Apache-2.0
// Walks over the graph of a function's code, each in time that grows with the
// code alone. Three find the branch on which it depends whether an instruction
// is reached at all:
//
//   fresh    can be reached without the instruction: a branch behind it, such
//            as that of its own loop, only decides whether it comes again
//   avoids   from there, the end can be reached without the instruction
//   the last walk goes backwards from the instruction, to the first branch that
//   is fresh and avoids it, with a successor that does not
#include "vm/decode/condition.h"

#include <string.h>

typedef struct Edge {
    uint32_t from, to;          // instructions; to: or the function's end
    uint32_t next_out, next_in; // of the same `from`, `to`: number, plus 1
} Edge;

typedef struct Graph {
    Arena arena;
    const PtxFunc *ptx;
    uint32_t end; // the node behind the last instruction
    Edge *edges;
    size_t edge_count, edge_capacity;
    uint32_t *out, *in; // by node: its last edge, plus 1; 0: none
    bool *fresh, *avoids, *seen;
    uint32_t *queue;
} Graph;

static void add_edge(Graph *g, uint32_t from, uint32_t to) {
    arena_grow(&g->arena, g->edges, g->edge_count, g->edge_capacity);
    g->edges[g->edge_count++] = (Edge){from, to, g->out[from], g->in[to]};
    g->out[from] = g->in[to] = (uint32_t)g->edge_count;
}

static void add_table(Graph *g, uint32_t from, uint32_t number) {
    const PtxTable *table = &g->ptx->tables[number - 1];
    for (size_t i = 0; i < table->count; i++)
        add_edge(g, from, g->ptx->labels[table->labels[i]].target);
}

static void add_instr(Graph *g, uint32_t from) {
    const PtxInstr *in = &g->ptx->instrs[from];
    if (in->guard || !ptx_leaves(in->op))
        add_edge(g, from, from + 1);
    switch ((PtxNext)PTX_TRAITS[in->op].next) {
    case PTX_NEXT_NEXT:
    case PTX_NEXT_WAIT:
    case PTX_NEXT_CALL:
        break;
    case PTX_NEXT_JUMP:
        add_edge(g, from, g->ptx->labels[in->operands[0].target].target);
        break;
    case PTX_NEXT_TABLE:
        if (in->branch_targets)
            add_table(g, from, in->branch_targets);
        break;
    case PTX_NEXT_RETURN:
    case PTX_NEXT_EXIT:
    case PTX_NEXT_ABORT:
        add_edge(g, from, g->end);
        break;
    }
}

static void graph_make(Graph *g, const PtxFunc *ptx) {
    size_t nodes = ptx->instr_count + 1;
    *g = (Graph){.ptx = ptx, .end = (uint32_t)ptx->instr_count};
    g->out = arena_new(&g->arena, uint32_t, nodes);
    g->in = arena_new(&g->arena, uint32_t, nodes);
    g->fresh = arena_new(&g->arena, bool, nodes);
    g->avoids = arena_new(&g->arena, bool, nodes);
    g->seen = arena_new(&g->arena, bool, nodes);
    g->queue = arena_new(&g->arena, uint32_t, nodes);
    for (uint32_t i = 0; i < g->end; i++)
        add_instr(g, i);
}

// Marks the nodes that lead to `from` (or, forwards, that it leads to), but not
// through `without`.
static void mark(Graph *g, uint32_t from, uint32_t without, bool forwards,
                 bool *marks) {
    uint32_t first = 0, end = 0;
    if (from == without)
        return;
    g->queue[end++] = from;
    marks[from] = true;
    while (first < end) {
        uint32_t node = g->queue[first++];
        for (uint32_t e = forwards ? g->out[node] : g->in[node]; e;) {
            const Edge *edge = &g->edges[e - 1];
            uint32_t other = forwards ? edge->to : edge->from;
            if (!marks[other] && other != without) {
                marks[other] = true;
                g->queue[end++] = other;
            }
            e = forwards ? edge->next_out : edge->next_in;
        }
    }
}

static bool decides(const Graph *g, uint32_t node) {
    bool leads = false;
    for (uint32_t e = g->out[node]; e; e = g->edges[e - 1].next_out)
        leads |= !g->avoids[g->edges[e - 1].to];
    return leads && g->avoids[node] && g->fresh[node];
}

// The node that decides, the closest by the number of instructions; else the
// function's end.
static uint32_t find_deciding(Graph *g, uint32_t target) {
    uint32_t first = 0, end = 0;
    g->queue[end++] = target;
    g->seen[target] = true;
    while (first < end) {
        uint32_t node = g->queue[first++];
        if (node != target && decides(g, node))
            return node;
        for (uint32_t e = g->in[node]; e; e = g->edges[e - 1].next_in) {
            uint32_t from = g->edges[e - 1].from;
            if (!g->seen[from])
                g->queue[end++] = from;
            g->seen[from] = true;
        }
    }
    return g->end;
}

static bool is_access_at(const PtxInstr *in, uint32_t loc) {
    return in->loc == loc && (ptx_is_load(in->op) || ptx_is_store(in->op) ||
                              ptx_is_atomic(in->op));
}

// `before`: marks of what leads to the node.
static bool comes_again(const Graph *g, uint32_t node, const bool *before) {
    bool again = false;
    for (uint32_t e = g->out[node]; e; e = g->edges[e - 1].next_out)
        again |= before[g->edges[e - 1].to];
    return again;
}

static bool is_in_loop(Graph *g, uint32_t node) {
    memset(g->seen, 0, ((size_t)g->end + 1) * sizeof *g->seen);
    mark(g, node, UINT32_MAX, false, g->seen);
    return comes_again(g, node, g->seen);
}

// The first node behind the target, within its loop, with a way out of it; else
// the function's end.
static uint32_t find_exit(Graph *g, uint32_t target) {
    uint32_t first = 0, end = 0;
    mark(g, target, UINT32_MAX, false, g->avoids); // what leads to the target
    g->queue[end++] = target;
    g->seen[target] = true;
    while (first < end) {
        uint32_t node = g->queue[first++];
        bool leaves = false, stays = false;
        for (uint32_t e = g->out[node]; e; e = g->edges[e - 1].next_out) {
            uint32_t to = g->edges[e - 1].to;
            leaves |= !g->avoids[to];
            stays |= g->avoids[to];
            if (!g->seen[to] && g->avoids[to])
                g->queue[end++] = to;
            g->seen[to] = true;
        }
        if (leaves && stays)
            return node;
    }
    return g->end;
}

const PtxInstr *vm_condition_again(const VmFunc *func, const PtxInstr *in) {
    const PtxFunc *ptx = func->ptx;
    if (in < ptx->instrs || in >= ptx->instrs + ptx->instr_count)
        return NULL;
    Graph g;
    graph_make(&g, ptx);
    uint32_t node = find_exit(&g, (uint32_t)(in - ptx->instrs));
    uint32_t end = g.end;
    arena_free(&g.arena);
    return node < end ? &ptx->instrs[node] : NULL;
}

// Whether there are accesses at `loc`, none of them leads to the target or
// comes from it, and one of all these is in a loop.
static bool is_apart(Graph *g, uint32_t loc, uint32_t target) {
    bool found = false, apart = true;
    mark(g, target, UINT32_MAX, true, g->fresh);
    mark(g, target, UINT32_MAX, false, g->avoids);
    bool has_loop = comes_again(g, target, g->avoids);
    for (uint32_t i = 0; i < g->end && apart; i++) {
        if (!is_access_at(&g->ptx->instrs[i], loc))
            continue;
        found = true;
        apart = !g->fresh[i] && !g->avoids[i];
        has_loop = has_loop || (apart && is_in_loop(g, i));
    }
    return found && apart && has_loop;
}

bool vm_condition_apart(const VmFunc *func, uint32_t loc, const PtxInstr *in) {
    const PtxFunc *ptx = func->ptx;
    if (in < ptx->instrs || in >= ptx->instrs + ptx->instr_count)
        return false;
    Graph g;
    graph_make(&g, ptx);
    bool apart = is_apart(&g, loc, (uint32_t)(in - ptx->instrs));
    arena_free(&g.arena);
    return apart;
}

const PtxInstr *vm_condition_access(const VmFunc *func, uint32_t loc) {
    const PtxFunc *ptx = func->ptx;
    for (size_t i = 0; i < ptx->instr_count; i++)
        if (is_access_at(&ptx->instrs[i], loc))
            return &ptx->instrs[i];
    return NULL;
}

const PtxInstr *vm_condition_first(const VmFunc *func, const PtxInstr *in) {
    const PtxFunc *ptx = func->ptx;
    if (in < ptx->instrs || in >= ptx->instrs + ptx->instr_count)
        return NULL;
    const PtxInstr *first = ptx->instrs;
    while (first->op != in->op || first->loc != in->loc)
        first++;
    return first;
}

// Whether a thread at the node can come to `to` by one jump or more.
static bool leads_to(Graph *g, uint32_t node, uint32_t to) {
    memset(g->seen, 0, ((size_t)g->end + 1) * sizeof *g->seen);
    mark(g, to, UINT32_MAX, false, g->seen);
    return comes_again(g, node, g->seen);
}

bool vm_condition_share_loop(const VmFunc *func, const PtxInstr *a,
                             const PtxInstr *b) {
    const PtxFunc *ptx = func->ptx;
    const PtxInstr *end = ptx->instrs + ptx->instr_count;
    if (a < ptx->instrs || a >= end || b < ptx->instrs || b >= end)
        return false;
    uint32_t from = (uint32_t)(a - ptx->instrs),
             to = (uint32_t)(b - ptx->instrs);
    Graph g;
    graph_make(&g, ptx);
    bool shares = leads_to(&g, from, to) && leads_to(&g, to, from);
    arena_free(&g.arena);
    return shares;
}

static bool acts(const PtxInstr *in) {
    PtxSpace space = ptx_space(in);
    return PTX_TRAITS[in->op].next == PTX_NEXT_CALL ||
           (PTX_TRAITS[in->op].access != PTX_ACCESS_NONE &&
            space != PTX_SPACE_PARAM && space != PTX_SPACE_CONST &&
            space != PTX_SPACE_LOCAL);
}

// The node that decides about the target; else the function's end.
static uint32_t deciding(Graph *g, uint32_t target) {
    mark(g, 0, target, true, g->fresh);
    mark(g, g->end, target, false, g->avoids);
    return find_deciding(g, target);
}

// Whether the node leads to one that acts, by ways round the target alone.
static bool is_busy(Graph *g, uint32_t node, uint32_t target) {
    bool busy = false;
    memset(g->seen, 0, ((size_t)g->end + 1) * sizeof *g->seen);
    for (uint32_t e = g->out[node]; e; e = g->edges[e - 1].next_out)
        if (g->avoids[g->edges[e - 1].to])
            mark(g, g->edges[e - 1].to, target, true, g->seen);
    for (uint32_t i = 0; i < g->end; i++)
        busy |= g->seen[i] && g->avoids[i] && acts(&g->ptx->instrs[i]);
    return busy;
}

bool vm_condition_is_busy(const VmFunc *func, const PtxInstr *in) {
    const PtxFunc *ptx = func->ptx;
    if (in < ptx->instrs || in >= ptx->instrs + ptx->instr_count)
        return false;
    Graph g;
    graph_make(&g, ptx);
    uint32_t target = (uint32_t)(in - ptx->instrs), node = deciding(&g, target);
    bool busy = node < g.end && is_busy(&g, node, target);
    arena_free(&g.arena);
    return busy;
}

const PtxInstr *vm_condition_of(const VmFunc *func, const PtxInstr *in) {
    const PtxFunc *ptx = func->ptx;
    if (in < ptx->instrs || in >= ptx->instrs + ptx->instr_count)
        return NULL;
    Graph g;
    graph_make(&g, ptx);
    uint32_t node = deciding(&g, (uint32_t)(in - ptx->instrs));
    const PtxInstr *branch = node < g.end ? &ptx->instrs[node] : NULL;
    arena_free(&g.arena);
    return branch;
}

uint32_t vm_condition_loc(const VmFunc *func, const PtxInstr *in) {
    const PtxInstr *branch = vm_condition_of(func, in);
    return branch ? branch->loc : 0;
}
