// SPDX-License-Identifier: Apache-2.0
// A graph as a picture: the text that Graphviz's dot takes.
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"
#include "runtime/graphs/graph.h"

#include <fcntl.h>
#include <unistd.h>

static const char *kind_of(NodeKind kind) {
    switch (kind) {
    case NODE_KERNEL:
        return "kernel";
    case NODE_COPY:
        return "memcpy";
    case NODE_FILL:
        return "memset";
    case NODE_HOST:
        return "host";
    case NODE_GRAPH:
        return "graph";
    case NODE_EMPTY:
        return "empty";
    case NODE_WAIT:
        return "event wait";
    case NODE_RECORD:
        return "event record";
    case NODE_ALLOC:
        return "alloc";
    case NODE_FREE:
        return "free";
    case NODE_CONDITION:
        return "conditional";
    }
    return "";
}

static void add_node(Buf *out, const GraphNode *node) {
    buf_printf(out, "  n%zu [label=\"%zu %s", node->index, node->index,
               kind_of(node->work.kind));
    if (node->work.kind == NODE_KERNEL)
        buf_printf(out, "\\n%.*s", STR_ARG(node->work.op.launch.kernel->name));
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
