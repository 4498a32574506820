// SPDX-License-Identifier: Apache-2.0
// A graph as a picture: the text that Graphviz's dot takes.
#include "runtime/graphs/graph.h"

#include <fcntl.h>
#include <unistd.h>

static const char *kind_of(OpKind kind) {
    switch (kind) {
    case OP_KERNEL:
        return "kernel";
    case OP_COPY:
        return "memcpy";
    case OP_FILL:
        return "memset";
    case OP_HOST:
        return "host";
    case OP_GRAPH:
        return "graph";
    case OP_EMPTY:
        return "empty";
    case OP_WAIT:
        return "event wait";
    case OP_RECORD:
        return "event record";
    case OP_ALLOC:
        return "alloc";
    case OP_FREE:
        return "free";
    case OP_CONDITION:
        return "conditional";
    }
    return "";
}

static void add_node(Buf *out, const GraphNode *node) {
    buf_printf(out, "  n%zu [label=\"%zu %s", node->index, node->index,
               kind_of(node->op.kind));
    if (node->op.kind == OP_KERNEL)
        buf_printf(out, "\\n%.*s", STR_ARG(node->op.launch.kernel->name));
    buf_printf(out, "\"];\n");
    for (size_t i = 0; i < node->need_count; i++)
        buf_printf(out, "  n%zu -> n%zu;\n", node->needs[i]->index,
                   node->index);
}

static bool write_all(const char *path, const Buf *text) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool fits =
        file >= 0 && write(file, text->ptr, text->len) == (ssize_t)text->len;
    if (file >= 0)
        close(file);
    return fits;
}

static CudaError print(const Graph *graph, const char *path) {
    Buf out = {0};
    if (!graph || !path)
        return CUDA_VALUE;
    buf_printf(&out, "digraph {\n");
    for (size_t i = 0; i < graph->count; i++)
        add_node(&out, graph->nodes[i]);
    buf_printf(&out, "}\n");
    bool is_written = write_all(path, &out);
    buf_free(&out);
    return is_written ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaGraphDebugDotPrint(Graph *graph, const char *path,
                                     uint32_t flags) {
    (void)flags;
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaGraphDebugDotPrint", print(graph, path));
}
