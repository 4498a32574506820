// SPDX-License-Identifier: Apache-2.0
// runtime/: instances of graphs and what they may become; memory and objects
// that a graph holds; conditions; the picture of a graph.
#include "tests/unit/cuda_graphs.h"

// ---- instances -------------------------------------------------------------

TEST(an_instance_is_a_copy) {
    cudaGraph_t graph = a_graph();
    char *memory = words();
    fill(graph, NULL, memory, 1);
    cudaGraphExec_t instance = instance_of(graph), other;
    unsigned long long flags = 9;
    CHECK_INT(cudaGraphDestroy(graph), cudaSuccess);
    CHECK_INT(cudaGraphUpload(instance, NULL), cudaSuccess);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 1);
    CHECK_INT(cudaGraphExecGetFlags(instance, &flags), cudaSuccess);
    CHECK_U64(flags, 0);
    CHECK_INT(cudaGraphExecDestroy(instance), cudaSuccess);
    CHECK_INT(cudaGraphExecDestroy(instance), BAD);
    CHECK_INT(cudaGraphLaunch(instance, NULL), BAD);
    CHECK_INT(cudaGraphUpload(instance, NULL), BAD);
    CHECK_INT(cudaGraphLaunch(NULL, NULL), BAD);
    CHECK_INT(cudaGraphInstantiate(&other, graph, 0), BAD);
    CHECK_INT(cudaGraphInstantiate(&other, a_graph(), 4),
              cudaErrorNotSupported); // launched from the device
    CHECK_INT(cudaGraphInstantiate(&other, a_graph(), 1), cudaSuccess);
    CHECK_INT(cudaGraphExecGetFlags(other, &flags), cudaSuccess);
    CHECK_U64(flags, 1);
}

TEST(a_clone_knows_what_it_is_of) {
    cudaGraph_t graph = a_graph(), copy = NULL;
    char *memory = words();
    cudaGraphNode_t a = fill(graph, NULL, memory, 1),
                    b = fill(graph, a, memory, 2), found = NULL, needs[1];
    size_t count = 1;
    CHECK_INT(cudaGraphClone(&copy, graph), cudaSuccess);
    CHECK_INT(cudaGraphNodeFindInClone(&found, b, copy), cudaSuccess);
    CHECK(found && found != b);
    CHECK_INT(cudaGraphNodeGetDependencies(found, needs, NULL, &count),
              cudaSuccess);
    CHECK_INT(cudaGraphNodeFindInClone(&found, a, copy), cudaSuccess);
    CHECK(count == 1 && needs[0] == found);
    CHECK_INT(cudaGraphNodeFindInClone(&found, a, a_graph()), BAD);
    CHECK_INT(cudaGraphNodeFindInClone(&found, NULL, copy), BAD);
    CHECK_INT(cudaGraphNodeFindInClone(&found, a, NULL), BAD);
    CHECK_INT(cudaGraphClone(&copy, NULL), BAD);
    cudaGraphDestroy(graph);
    CHECK_INT(cudaGraphClone(&copy, graph), BAD);
}

TEST(nodes_of_an_instance_are_turned_off) {
    cudaGraph_t graph = a_graph();
    char *memory = words();
    cudaGraphNode_t node = fill(graph, NULL, memory, 1),
                    none = empty(graph, NULL, 0);
    cudaGraphExec_t instance = instance_of(graph);
    unsigned on = 9;
    CHECK_INT(cudaGraphNodeGetEnabled(instance, node, &on), cudaSuccess);
    CHECK_INT(on, 1);
    CHECK_INT(cudaGraphNodeSetEnabled(instance, node, 0), cudaSuccess);
    CHECK_INT(cudaGraphNodeGetEnabled(instance, node, &on), cudaSuccess);
    CHECK_INT(on, 0);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 0);
    CHECK_INT(cudaGraphNodeSetEnabled(instance, node, 5), cudaSuccess);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 1);
    CHECK_INT(cudaGraphNodeSetEnabled(instance, none, 0), BAD);
    CHECK_INT(cudaGraphNodeSetEnabled(NULL, node, 0), BAD);
    CHECK_INT(cudaGraphNodeSetEnabled(instance, NULL, 0), BAD);
    CHECK_INT(cudaGraphNodeGetEnabled(NULL, node, &on), BAD);
    CHECK_INT(cudaGraphNodeGetEnabled(instance, NULL, &on), BAD);
}

enum { // cudaGraphExecUpdateResult
    UPDATED = 0,
    TOPOLOGY = 2,
    KIND = 3,
    PARAMETERS = 5,
};

static int update(cudaGraphExec_t instance, cudaGraph_t graph,
                  cudaGraphNode_t where) {
    cudaGraphExecUpdateResultInfo info = {.result = 99};
    cudaError_t error = cudaGraphExecUpdate(instance, graph, &info);
    CHECK_INT(error, info.result ? cudaErrorGraphExecUpdateFailure : 0);
    CHECK(info.errorNode == where);
    return info.result;
}

TEST(an_instance_becomes_like_another_graph) {
    Program p = program_begin();
    char *memory = words();
    unsigned five = 5;
    int calls = 0;
    void *args[] = {&memory, &five};
    cudaGraph_t graphs[2] = {a_graph(), a_graph()};
    for (int i = 0; i < 2; i++) {
        cudaKernelNodeParams kernel = an_add(&p, args);
        cudaHostNodeParams host = {add_one, &calls};
        cudaGraphNode_t node =
            fill(graphs[i], NULL, memory + 8, 1 + (unsigned)i);
        five = 5 + (unsigned)i;
        cudaGraphAddKernelNode(&node, graphs[i], &node, 1, &kernel);
        cudaGraphAddHostNode(&node, graphs[i], &node, 1, &host);
    }
    cudaGraphExec_t instance = instance_of(graphs[0]);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 5);
    CHECK_INT(update(instance, graphs[1], NULL), UPDATED);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 11);
    CHECK_U64(program_word(memory, 2), 2);
    CHECK_INT(calls, 2);
    CHECK_INT(cudaGraphExecUpdate(NULL, graphs[0], NULL), BAD);
    CHECK_INT(cudaGraphExecUpdate(instance, NULL, NULL), BAD);
}

TEST(an_instance_keeps_its_form) {
    char *memory = words(), *other = words();
    cudaGraph_t base = a_graph(), more = a_graph(), apart = a_graph(),
                kinds = a_graph();
    cudaGraphNode_t node, first;
    node = fill(base, NULL, memory, 1);
    fill(base, node, memory, 2);
    cudaGraphExec_t instance = instance_of(base);
    node = fill(more, NULL, memory, 1);
    node = fill(more, node, memory, 2);
    fill(more, node, memory, 3);
    CHECK_INT(update(instance, more, NULL), TOPOLOGY);
    fill(apart, NULL, memory, 1);
    node = fill(apart, NULL, memory, 2);
    CHECK_INT(update(instance, apart, node), TOPOLOGY);
    first = fill(kinds, NULL, memory, 1);
    node = empty(kinds, &first, 1);
    CHECK_INT(update(instance, kinds, node), KIND);
    cudaGraph_t copies[2] = {a_graph(), a_graph()};
    for (int i = 0; i < 2; i++)
        cudaGraphAddMemcpyNode1D(&node, copies[i], NULL, 0, memory, other, 4,
                                 i ? cudaMemcpyDefault
                                   : cudaMemcpyDeviceToDevice);
    CHECK_INT(update(instance_of(copies[0]), copies[1], node), PARAMETERS);
    // Of three nodes, the last one needs another.
    cudaGraph_t needs[2] = {a_graph(), a_graph()};
    for (int i = 0; i < 2; i++) {
        cudaGraphNode_t two[] = {empty(needs[i], NULL, 0),
                                 empty(needs[i], NULL, 0)};
        node = empty(needs[i], &two[i], 1);
    }
    CHECK_INT(update(instance_of(needs[0]), needs[1], node), TOPOLOGY);
}

TEST(an_instance_keeps_the_form_of_what_is_in_it) {
    char *memory = words();
    cudaGraph_t outer[3], inner[3];
    cudaGraphNode_t node, child;
    for (int i = 0; i < 3; i++) {
        inner[i] = a_graph();
        outer[i] = a_graph();
        node = fill(inner[i], NULL, memory, (unsigned)i + 1);
        if (i == 2)
            fill(inner[i], node, memory, 9);
        cudaGraphAddChildGraphNode(&child, outer[i], NULL, 0, inner[i]);
    }
    cudaGraphExec_t instance = instance_of(outer[0]);
    CHECK_INT(update(instance, outer[1], NULL), UPDATED);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 2);
    CHECK_INT(update(instance, outer[2], child), TOPOLOGY);
}

// ---- memory of graphs ------------------------------------------------------

static uint64_t in_use(void) {
    uint64_t bytes = 99;
    CHECK_INT(cudaDeviceGetGraphMemAttribute(0, 0, &bytes), cudaSuccess);
    return bytes;
}

TEST(a_graph_allocates_when_it_is_launched) {
    cudaGraph_t graph = a_graph();
    cudaMemAllocNodeParams alloc = {.bytesize = 64}, got;
    cudaGraphNode_t node = NULL, taken;
    void *memory = NULL;
    CHECK_INT(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc),
              cudaSuccess);
    taken = node;
    CHECK(alloc.dptr != NULL);
    CHECK_U64(in_use(), 0);
    CHECK_INT(cudaMemset(alloc.dptr, 1, 4), BAD);
    fill(graph, node, alloc.dptr, 7);
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    CHECK_U64(in_use(), 64);
    CHECK_U64(program_word(alloc.dptr, 0), 7);
    CHECK_INT(cudaGraphLaunch(instance, NULL), BAD); // it is not freed
    CHECK_INT(cudaFree(alloc.dptr), cudaSuccess);
    CHECK_U64(in_use(), 0);
    launch(instance);
    CHECK_INT(cudaFree(alloc.dptr), cudaSuccess);
    CHECK_INT(cudaGraphMemAllocNodeGetParams(taken, &got), cudaSuccess);
    CHECK(got.dptr == alloc.dptr);
    CHECK_INT(cudaGraphMemAllocNodeGetParams(NULL, &got), BAD);
    CHECK_INT(cudaGraphAddMemFreeNode(&node, graph, &taken, 1, alloc.dptr),
              cudaSuccess);
    CHECK_INT(cudaGraphMemFreeNodeGetParams(node, &memory), cudaSuccess);
    CHECK(memory == alloc.dptr);
    CHECK_INT(cudaGraphMemFreeNodeGetParams(taken, &memory), BAD);
    alloc.bytesize = 0;
    CHECK_INT(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc), BAD);
    alloc.bytesize = ((size_t)4 << 30) + 1;
    CHECK_INT(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc),
              cudaErrorMemoryAllocation);
}

TEST(a_graph_frees_what_it_allocated) {
    cudaGraph_t graph = a_graph();
    cudaMemAllocNodeParams alloc = {.bytesize = 64};
    cudaGraphNode_t node;
    char *memory = words();
    cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc);
    node = fill(graph, node, alloc.dptr, 7);
    cudaGraphAddMemcpyNode1D(&node, graph, &node, 1, memory, alloc.dptr, 4,
                             cudaMemcpyDefault);
    cudaGraphAddMemFreeNode(&node, graph, &node, 1, alloc.dptr);
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    CHECK_U64(in_use(), 0);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 7);
    CHECK_INT(cudaFree(alloc.dptr), BAD);
}

TEST(an_instance_may_free_what_is_left_of_the_last_launch) {
    cudaGraph_t graph = a_graph();
    cudaMemAllocNodeParams alloc = {.bytesize = 64};
    cudaGraphNode_t node;
    cudaGraphExec_t instance;
    cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc);
    CHECK_INT(cudaGraphInstantiate(&instance, graph, 1), cudaSuccess);
    launch(instance);
    launch(instance);
    CHECK_U64(in_use(), 64);
    CHECK_INT(cudaGraphExecDestroy(instance), cudaSuccess);
    CHECK_INT(cudaGraphDestroy(graph), cudaSuccess);
    CHECK_INT(cudaMemset(alloc.dptr, 1, 4), cudaSuccess); // the program's now
    CHECK_INT(cudaFree(alloc.dptr), cudaSuccess);
    CHECK_INT(cudaFree(alloc.dptr), BAD);
}

// ---- objects of the program ------------------------------------------------

TEST(an_object_lives_as_long_as_it_is_needed) {
    int dead = 0;
    cudaUserObject_t object = NULL;
    cudaGraph_t graph = a_graph(), copy;
    CHECK_INT(cudaUserObjectCreate(&object, &dead, add_one, 2, 1), cudaSuccess);
    CHECK_INT(cudaUserObjectRetain(object, 1), cudaSuccess);
    CHECK_INT(cudaUserObjectRelease(object, 4), BAD);
    CHECK_INT(cudaUserObjectRelease(object, 2), cudaSuccess);
    CHECK_INT(dead, 0);
    CHECK_INT(cudaGraphRetainUserObject(graph, object, 1, 0), cudaSuccess);
    CHECK_INT(cudaUserObjectRelease(object, 1), cudaSuccess);
    CHECK_INT(dead, 0);
    cudaGraphClone(&copy, graph);
    cudaGraphExec_t instance = instance_of(graph);
    CHECK_INT(cudaGraphReleaseUserObject(graph, object, 2), BAD);
    CHECK_INT(cudaGraphReleaseUserObject(graph, object, 1), cudaSuccess);
    CHECK_INT(cudaGraphReleaseUserObject(graph, object, 1), BAD);
    CHECK_INT(dead, 0);
    cudaGraphDestroy(copy);
    CHECK_INT(dead, 0);
    cudaGraphExecDestroy(instance);
    CHECK_INT(dead, 1);
}

TEST(an_object_may_be_given_to_a_graph) {
    int dead = 0;
    cudaUserObject_t object = NULL;
    cudaGraph_t graph = a_graph();
    cudaUserObjectCreate(&object, &dead, add_one, 1, 1);
    CHECK_INT(cudaGraphRetainUserObject(graph, object, 2, 1), BAD);
    CHECK_INT(cudaGraphRetainUserObject(graph, object, 1, 1), cudaSuccess);
    CHECK_INT(dead, 0);
    cudaGraphDestroy(graph);
    CHECK_INT(dead, 1);
    CHECK_INT(cudaUserObjectCreate(NULL, &dead, add_one, 1, 1), BAD);
    CHECK_INT(cudaUserObjectCreate(&object, &dead, NULL, 1, 1), BAD);
    CHECK_INT(cudaUserObjectCreate(&object, &dead, add_one, 0, 1), BAD);
    CHECK_INT(cudaUserObjectRetain(NULL, 1), BAD);
    CHECK_INT(cudaUserObjectRetain(object, 0), BAD);
    CHECK_INT(cudaUserObjectRelease(NULL, 1), BAD);
    CHECK_INT(cudaUserObjectRelease(object, 0), BAD);
    CHECK_INT(cudaGraphRetainUserObject(NULL, object, 1, 0), BAD);
    CHECK_INT(cudaGraphRetainUserObject(a_graph(), NULL, 1, 0), BAD);
    CHECK_INT(cudaGraphRetainUserObject(a_graph(), object, 0, 0), BAD);
    CHECK_INT(cudaGraphReleaseUserObject(NULL, object, 1), BAD);
    CHECK_INT(cudaGraphReleaseUserObject(a_graph(), NULL, 1), BAD);
}

// ---- conditions ------------------------------------------------------------

enum { IF, WHILE, SWITCH };

typedef struct Conditional {
    cudaGraph_t graph, *bodies;
    cudaGraphNode_t node;
    unsigned long long handle;
} Conditional;

static Conditional conditional(int kind, unsigned bodies, unsigned value) {
    Conditional c = {.graph = a_graph()};
    CHECK_INT(cudaGraphConditionalHandleCreate(&c.handle, c.graph, value, 1),
              cudaSuccess);
    cudaGraphNodeParams params = {
        .type = cudaGraphNodeTypeConditional,
        .conditional = {.handle = c.handle, .type = kind, .size = bodies}};
    CHECK_INT(cudaGraphAddNode(&c.node, c.graph, NULL, NULL, 0, &params),
              cudaSuccess);
    c.bodies = params.conditional.phGraph_out;
    return c;
}

TEST(a_condition_chooses_a_graph) {
    static const struct {
        int kind;
        unsigned bodies, value, first, second; // which of the two words is set
    } rows[] = {{IF, 1, 1, 1, 0},    {IF, 1, 0, 0, 0},     {IF, 2, 7, 1, 0},
                {IF, 2, 0, 0, 1},    {SWITCH, 2, 0, 1, 0}, {SWITCH, 2, 1, 0, 1},
                {SWITCH, 2, 2, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *memory = words();
        Conditional c =
            conditional(rows[i].kind, rows[i].bodies, rows[i].value);
        for (unsigned k = 0; k < rows[i].bodies; k++)
            fill(c.bodies[k], NULL, memory + 4 * k, 1);
        launch(instance_of(c.graph));
        if (!CHECK_U64(program_word(memory, 0), rows[i].first) ||
            !CHECK_U64(program_word(memory, 1), rows[i].second))
            printf("# row %zu\n", i);
    }
}

// The host ends the loop here; a kernel may as well.
static void count_down(void *data) {
    struct {
        int left;
        void *handle;
    } *loop = data;
    uint32_t left = (uint32_t)--loop->left;
    CHECK_INT(cudaMemcpy(loop->handle, &left, 4, cudaMemcpyHostToDevice),
              cudaSuccess);
}

TEST(a_loop_runs_while_its_condition_holds) {
    Conditional c = conditional(WHILE, 1, 1);
    struct {
        int left;
        void *handle;
    } loop = {3, (void *)(uintptr_t)c.handle};
    cudaGraphNode_t node;
    cudaHostNodeParams params = {count_down, &loop};
    cudaGraphAddHostNode(&node, c.bodies[0], NULL, 0, &params);
    cudaGraphExec_t instance = instance_of(c.graph);
    launch(instance);
    CHECK_INT(loop.left, 0);
    loop.left = 2; // the value is set again at each launch
    launch(instance);
    CHECK_INT(loop.left, 0);
}

TEST(a_condition_is_made_of_what_it_needs) {
    unsigned long long handle = 0;
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t node;
    cudaGraphNodeParams params = {
        .type = cudaGraphNodeTypeConditional,
        .conditional = {.type = SWITCH + 1, .size = 1}};
    CHECK_INT(cudaGraphConditionalHandleCreate(&handle, NULL, 1, 0), BAD);
    CHECK_INT(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), BAD);
    params.conditional.type = IF;
    params.conditional.size = 0;
    CHECK_INT(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), BAD);
    params.conditional.size = 1;
    CHECK_INT(cudaGraphAddNode(&node, NULL, NULL, NULL, 0, &params), BAD);
    Conditional c = conditional(IF, 1, 0);
    CHECK_INT(cudaGraphDestroy(c.bodies[0]), BAD); // it is the node's
    cudaGraphExec_t instance = instance_of(c.graph);
    CHECK_INT(update(instance, c.graph, c.node), PARAMETERS);
}

// ---- parameters ------------------------------------------------------------

// A node keeps its parameters, as many as a block has room for.
TEST(a_node_keeps_so_many_parameters) {
    static const struct {
        unsigned bytes;
        cudaError_t error;
    } cases[] = {{32767, cudaSuccess},
                 {32768, cudaSuccess},
                 {32769, cudaErrorInvalidValue}};
    static uint8_t wide[40000];
    Program p = program_begin();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[256];
        Program own = p;
        void *args[] = {wide};
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_100a\n.address_size 64\n"
                 ".visible .entry add(.param .align 1 .b8 p[%u]) { ret; }\n",
                 cases[i].bytes);
        CHECK_INT(cuModuleLoadData(&own.module, text), cudaSuccess);
        cudaKernelNodeParams params = an_add(&own, args);
        cudaGraphNode_t node;
        CHECK_INT(cudaGraphAddKernelNode(&node, a_graph(), NULL, 0, &params),
                  cases[i].error);
    }
}

static void does_nothing(void *data) {
    (void)data;
}

// ---- a picture -------------------------------------------------------------

TEST(a_graph_is_drawn) {
    Program p = program_begin();
    cudaGraph_t graph = a_graph();
    char path[64], text[512] = "", *memory = words();
    int file = memfd_create("dot", 0);
    unsigned five = 5;
    void *args[] = {&memory, &five};
    cudaKernelNodeParams params = an_add(&p, args);
    cudaGraphNode_t node = fill(graph, NULL, memory, 1);
    cudaGraphAddKernelNode(&node, graph, &node, 1, &params);
    empty(graph, &node, 1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    CHECK_INT(cudaGraphDebugDotPrint(graph, path, 0), cudaSuccess);
    CHECK(pread(file, text, sizeof text - 1, 0) > 0);
    CHECK_STR(str_from(text), "digraph {\n"
                              "  n0 [label=\"0 memset\"];\n"
                              "  n1 [label=\"1 kernel\\nadd\"];\n"
                              "  n0 -> n1;\n"
                              "  n2 [label=\"2 empty\"];\n"
                              "  n1 -> n2;\n"
                              "}\n");
    CHECK_INT(cudaGraphDebugDotPrint(NULL, path, 0), BAD);
    CHECK_INT(cudaGraphDebugDotPrint(graph, NULL, 0), BAD);
    CHECK_INT(cudaGraphDebugDotPrint(graph, "/nowhere/at/all", 0), BAD);
}

// Each kind of node has a word of its own.
TEST(a_picture_names_the_kinds_of_nodes) {
    static const char *const kinds[] = {"0 event record", "1 event wait",
                                        "2 memcpy", "3 host", "4 graph"};
    Program p = program_begin();
    cudaGraph_t graph = a_graph(), child = a_graph();
    char path[64], text[512] = "", *memory = words();
    int file = memfd_create("dot", 0);
    cudaEvent_t event;
    cudaGraphNode_t node;
    CHECK_INT(cudaEventCreate(&event), cudaSuccess);
    CHECK_INT(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, event),
              cudaSuccess);
    CHECK_INT(cudaGraphAddEventWaitNode(&node, graph, NULL, 0, event),
              cudaSuccess);
    CHECK_INT(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, memory,
                                       memory + 4, 4, 3),
              cudaSuccess);
    cudaHostNodeParams host = {.fn = does_nothing};
    CHECK_INT(cudaGraphAddHostNode(&node, graph, NULL, 0, &host), cudaSuccess);
    empty(child, NULL, 0);
    CHECK_INT(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child),
              cudaSuccess);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    CHECK_INT(cudaGraphDebugDotPrint(graph, path, 0), cudaSuccess);
    CHECK(pread(file, text, sizeof text - 1, 0) > 0);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        CHECK_HOLDS(str_from(text), kinds[i]);
    CHECK(p.module != NULL);
}

TEST_MAIN(TESTCASE(an_instance_is_a_copy),
          TESTCASE(a_clone_knows_what_it_is_of),
          TESTCASE(nodes_of_an_instance_are_turned_off),
          TESTCASE(an_instance_becomes_like_another_graph),
          TESTCASE(an_instance_keeps_its_form),
          TESTCASE(an_instance_keeps_the_form_of_what_is_in_it),
          TESTCASE(a_graph_allocates_when_it_is_launched),
          TESTCASE(a_graph_frees_what_it_allocated),
          TESTCASE(an_instance_may_free_what_is_left_of_the_last_launch),
          TESTCASE(an_object_lives_as_long_as_it_is_needed),
          TESTCASE(an_object_may_be_given_to_a_graph),
          TESTCASE(a_condition_chooses_a_graph),
          TESTCASE(a_loop_runs_while_its_condition_holds),
          TESTCASE(a_condition_is_made_of_what_it_needs),
          TESTCASE(a_graph_is_drawn),
          TESTCASE(a_picture_names_the_kinds_of_nodes),
          TESTCASE(a_node_keeps_so_many_parameters))
