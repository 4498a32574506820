// SPDX-License-Identifier: Apache-2.0
// What a program gives to a stream, as data: an Op is done at once, or becomes
// the node of a graph while the stream is being captured.
//
//   graph.c    doing an Op, and copying it; nodes and what they depend on; a
//              graph that can be launched is a copy of one
//   capture.c  streams that record what they are given
#ifndef CLCLAB_RUNTIME_GRAPH_H
#define CLCLAB_RUNTIME_GRAPH_H

#include "runtime/core/internal.h"

#include <time.h>

typedef struct Graph Graph;
typedef struct GraphNode GraphNode;

// ---- what is done --------------------------------------------------------

// The numbers are those of cudaGraphNodeType.
typedef enum OpKind {
    OP_KERNEL = 0,
    OP_COPY = 1,
    OP_FILL = 2,
    OP_HOST = 3,
    OP_GRAPH = 4,
    OP_EMPTY = 5,
    OP_WAIT = 6,
    OP_RECORD = 7,
    OP_ALLOC = 10,
    OP_FREE = 11,
    OP_CONDITION = 13,
} OpKind;

typedef struct OpLaunch {
    const void *host; // as the program named the kernel
    CudaKernel *kernel;
    LaunchShape shape;
    uint8_t *block; // its parameters
    size_t bytes;
} OpLaunch;

typedef struct OpHost {
    CudaHostFunction *function;
    void *data;
} OpHost;

typedef enum ConditionKind {
    CONDITION_IF,
    CONDITION_WHILE,
    CONDITION_SWITCH,
} ConditionKind;

// A number that kernels set, and graphs of which it chooses one.
typedef struct OpCondition {
    uint64_t handle; // where the number is, on the device
    ConditionKind kind;
    uint32_t count;
    Graph **bodies;
} OpCondition;

typedef struct Op {
    OpKind kind;
    union {
        OpLaunch launch;
        CudaCopy3D copy;
        Fill fill;
        OpHost host;
        Graph *child;
        CudaEvent *event;
        void *memory; // OP_ALLOC, OP_FREE
        OpCondition condition;
    };
} Op;

// `count` bytes.
Op op_copy_bytes(void *to, const void *from, size_t count, CudaCopy kind);
Op op_fill_bytes(void *to, int value, size_t count);
// Of a kernel: checks the shape, and lays out the parameters in the arena.
CudaError op_make_launch(Runtime *r, Arena *arena, const void *host,
                         const LaunchShape *shape, void **args, Op *op);
// The same in another arena. What `to` has is reused.
void op_copy(Runtime *r, Arena *arena, Op *to, const Op *from);
void op_drop(Runtime *r, Op *op);
// A host function is called without the lock.
CudaError op_run(Runtime *r, const Op *op);

// ---- graphs --------------------------------------------------------------

struct GraphNode {
    Graph *graph;
    const GraphNode *original; // what it was copied from; or NULL
    size_t index;              // in graph->nodes
    Op op;
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
    bool is_loaded;    // it can be launched: an instance
    bool is_freed;     // nothing is in it any more, but it stays, too
};

// The list, which is in the arena, holds the object, too.
void user_objects_hold(Arena *arena, Holding **list, UserObject *object,
                       uint32_t count);
// The program's functions are called without the lock.
void user_objects_let_go(Runtime *r, Holding *list);

// False: there is none, or the program has destroyed it.
bool graph_is_there(const Graph *graph);
Graph *graph_new(void);
Graph *graph_clone(Runtime *r, const Graph *graph);
void graph_free(Runtime *r, Graph *graph);
// Takes over what the op points to: it is in the graph's arena. NULL: one of
// the nodes to depend on is of another graph, or is named twice.
GraphNode *graph_add(Graph *graph, GraphNode *const *needs, size_t count,
                     const Op *op);
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

// ---- streams and captures ------------------------------------------------

// What the next node of a stream depends on, while it is captured.
typedef struct Tips {
    uint64_t capture; // its number; it may have ended since. 0: none
    GraphNode **nodes;
    size_t count, capacity;
} Tips;

typedef struct Capture {
    struct Capture *next;
    uint64_t number;
    Arena arena; // of the tips
    Graph *graph;
    CudaStream *origin;
    CaptureMode mode;
    pthread_t thread;
    bool is_invalid;
    bool is_callers; // the graph: it was there before
} Capture;

struct CudaStream {
    CudaStream *next;
    uint32_t flags;
    int priority;
    uint64_t id;
    Tips tips;
    bool is_destroyed; // it stays, so that a later use is known
};

struct CudaEvent {
    bool is_recorded;
    bool has_no_time;
    bool is_destroyed; // it stays, too
    struct timespec at;
    Tips tips; // of the stream that it was recorded in
};

// CUDA_HANDLE, and the report says why: the program uses what it has destroyed.
CudaError stream_check(Runtime *r, CudaStream *handle);
CudaError event_check(Runtime *r, const CudaEvent *event);
CudaStream *stream_new(Runtime *r, uint32_t flags, int priority);
// The stream's own record; NULL: it is the default stream.
CudaStream *stream_find(Runtime *r, CudaStream *handle);
// The capture that the stream is part of; *capture is NULL if it is none.
CudaError capture_find(Runtime *r, CudaStream *handle, Capture **capture);
CudaError capture_begin(Runtime *r, CudaStream *handle, Graph *graph,
                        GraphNode *const *needs, size_t count,
                        CaptureMode mode);
// `graph` may be NULL if the capture was begun with a graph of the caller.
CudaError capture_end(Runtime *r, CudaStream *handle, Graph **graph);
// Adds a node to the stream.
GraphNode *capture_add(Capture *capture, CudaStream *stream, const Op *op);
void capture_set_tips(Capture *capture, Tips *tips, GraphNode *const *nodes,
                      size_t count);
void capture_add_tips(Capture *capture, Tips *tips, GraphNode *const *nodes,
                      size_t count);
// The active capture that tips are of; NULL: none.
Capture *capture_of(const Runtime *r, const Tips *tips);
// What waits for a stream, or could, is not allowed while it is captured, and
// ends the capture.
CudaError capture_forbid_wait(Runtime *r, CudaStream *handle);
CudaError capture_forbid_unsafe(Runtime *r);
CudaError capture_forbid_all(Runtime *r);

// Does it, or adds it to the graph that the stream is captured into.
CudaError stream_do(Runtime *r, CudaStream *handle, const Op *op);
// Copies of bytes, one after another. The attributes that a program gives them
// are hints of where the bytes are and of when a source is read.
typedef struct CopyBatch {
    void *const *to;
    const void *const *from;
    const size_t *sizes;
    size_t count;
} CopyBatch;
CudaError stream_copy_batch(Runtime *r, CudaStream *handle,
                            const CopyBatch *batch);
CudaError stream_launch(Runtime *r, CudaStream *handle, const void *host,
                        const LaunchShape *shape, void **args);

#endif
