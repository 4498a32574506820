// SPDX-License-Identifier: Apache-2.0
// Graphs of what a program wants done, and captures, which make such graphs of
// what streams are given. core/ knows neither: captures are the Recorder that
// it calls (core/stream.h).
//
//   graph.c     a node's work; nodes and what they depend on; a graph that can
//   be
//               launched is a copy of one
//   capture.c   streams that record what they are given
//   node.h      what a program describes a node with
#ifndef CLCLAB_RUNTIME_GRAPH_H
#define CLCLAB_RUNTIME_GRAPH_H

#include "runtime/core/stream.h"

#include <pthread.h>

typedef struct Graph Graph;
typedef struct GraphNode GraphNode;

// ---- the work of a node --------------------------------------------------

// What a stream can be given, and what only graphs have. The numbers are those
// of cudaGraphNodeType.
typedef enum NodeKind {
    NODE_KERNEL = OP_KERNEL,
    NODE_COPY = OP_COPY,
    NODE_FILL = OP_FILL,
    NODE_HOST = OP_HOST,
    NODE_GRAPH = 4,
    NODE_EMPTY = 5,
    NODE_WAIT = OP_WAIT,
    NODE_RECORD = OP_RECORD,
    NODE_ALLOC = OP_ALLOC,
    NODE_FREE = OP_FREE,
    NODE_CONDITION = 13,
} NodeKind;

typedef enum ConditionKind {
    CONDITION_IF,
    CONDITION_WHILE,
    CONDITION_SWITCH,
} ConditionKind;

// A number that kernels set, and graphs of which it chooses one.
typedef struct NodeCondition {
    uint64_t handle; // where the number is, on the device
    ConditionKind kind;
    uint32_t count;
    Graph **bodies;
} NodeCondition;

typedef struct Work {
    NodeKind kind;
    union {
        Op op; // of the same kind
        Graph *child;
        NodeCondition condition;
    };
} Work;

static inline Work work_of(Op op) {
    return (Work){.kind = (NodeKind)op.kind, .op = op};
}
// Of a launch: its parameters come to lie in the arena.
void work_own_block(Arena *arena, Work *work);
// The same in another arena. What `to` has is reused.
void work_copy(Runtime *r, Arena *arena, Work *to, const Work *from);
void work_drop(Runtime *r, Work *work);

// ---- graphs --------------------------------------------------------------

struct GraphNode {
    Graph *graph;
    const GraphNode *original; // what it was copied from; or NULL
    size_t index;              // in graph->nodes
    Work work;
    GraphNode **needs; // those before it
    size_t need_count, need_capacity;
    bool is_off;  // it does nothing
    bool is_done; // by the one who walks through the graph
};

typedef struct Condition {
    struct Condition *next;
    uint64_t handle;
    uint32_t value; // at the start of a launch
    bool is_set;    // to `value` then
} Condition;

// api_user_object.c
typedef struct UserObject UserObject;
typedef struct Holding {
    struct Holding *next;
    UserObject *object;
    uint32_t count; // how often
} Holding;

struct Graph {
    Arena arena;
    GraphNode **nodes;
    size_t count, capacity;
    Condition *conditions;
    Holding *holdings; // what it needs of the program's objects
    bool is_owned;     // by a node
    bool frees;        // what a launch has left allocated, before the next one
    bool is_freed;     // nothing is in it any more
};

// The list, which is in the arena, holds the object, too.
void user_objects_hold(Arena *arena, Holding **list, UserObject *object,
                       uint32_t count);
// The program's functions are called without the lock.
void user_objects_let_go(Runtime *r, Holding *list);

// False: there is none, or the program has destroyed it.
bool graph_is_there(const Graph *graph);
// It stays as long as the process, so that a later use is known.
Graph *graph_new(Runtime *r);
Graph *graph_clone(Runtime *r, const Graph *graph);
void graph_free(Runtime *r, Graph *graph);
// Takes over what the work points to: it is in the graph's arena. NULL: one of
// the nodes to depend on is of another graph, or is named twice.
GraphNode *graph_add(Graph *graph, GraphNode *const *needs, size_t count,
                     const Work *work);
CudaError graph_connect(GraphNode *from, GraphNode *to);
CudaError graph_disconnect(GraphNode *from, GraphNode *to);
void graph_remove(Runtime *r, GraphNode *node);
// The copy of the node in the graph; NULL: there is none.
GraphNode *graph_find(const Graph *graph, const GraphNode *original);
bool graph_has_cycle(Graph *graph);
CudaError graph_run(Runtime *r, Graph *graph);
// Why an instance cannot become like the graph; the numbers are those of
// cudaGraphExecUpdateResult.
typedef enum GraphUpdate {
    UPDATE_DONE = 0,
    UPDATE_TOPOLOGY = 2,
    UPDATE_KIND = 3,
    UPDATE_PARAMETERS = 5,
} GraphUpdate;
GraphUpdate graph_update(Runtime *r, Graph *instance, const Graph *graph,
                         GraphNode **where);

// ---- captures ------------------------------------------------------------

// Of captures and of threads. The numbers are those of cudaStreamCaptureMode.
typedef enum CaptureMode {
    CAPTURE_GLOBAL,
    CAPTURE_THREAD,
    CAPTURE_RELAXED,
} CaptureMode;

// What the next node of a stream depends on, while it is captured.
typedef struct Tips {
    uint64_t capture; // its number; it may have ended since. 0: none
    GraphNode **nodes;
    size_t count, capacity;
} Tips;

struct Capture {
    Capture *next;
    uint64_t number;
    Arena arena; // of the tips
    Graph *graph;
    CudaStream *origin;
    CaptureMode mode;
    pthread_t thread;
    bool is_invalid;
    bool is_callers; // the graph: it was there before
};

CudaError capture_begin(Runtime *r, CudaStream *handle, Graph *graph,
                        GraphNode *const *needs, size_t count,
                        CaptureMode mode);
// `graph` may be NULL if the capture was begun with a graph of the caller.
CudaError capture_end(Runtime *r, CudaStream *handle, Graph **graph);
// The stream is given that: it becomes a node.
CudaError capture_take(Runtime *r, Capture *capture, CudaStream *handle,
                       const Work *work);
void capture_set_tips(Capture *capture, Tips *tips, GraphNode *const *nodes,
                      size_t count);
void capture_add_tips(Capture *capture, Tips *tips, GraphNode *const *nodes,
                      size_t count);

#endif
