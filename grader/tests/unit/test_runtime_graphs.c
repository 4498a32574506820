// SPDX-License-Identifier: Apache-2.0
// runtime/: graphs that a program makes itself: nodes of each kind and what
// they depend on, lists of them, and what changes them.
#include "tests/unit/cuda_graphs.h"

// ---- nodes and edges -------------------------------------------------------

TEST(a_graph_is_made_and_destroyed) {
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t node = NULL;
    CHECK_INT(cudaGraphCreate(NULL, 0), BAD);
    CHECK_INT(cudaGraphCreate(&graph, 1), BAD);
    CHECK_INT(cudaGraphDestroy(graph), cudaSuccess);
    CHECK_INT(cudaGraphDestroy(graph), BAD);
    CHECK_INT(cudaGraphDestroy(NULL), BAD);
    CHECK_INT(cudaGraphAddEmptyNode(&node, graph, NULL, 0), BAD);
    CHECK_INT(cudaGraphAddEmptyNode(&node, NULL, NULL, 0), BAD);
    CHECK_INT(cudaGraphInstantiate(&graph, NULL, 0), BAD);
    CHECK_INT(cudaGraphInstantiate(NULL, a_graph(), 0), BAD);
}

TEST(nodes_and_edges_are_listed) {
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t a = empty(graph, NULL, 0), b = empty(graph, &a, 1);
    cudaGraphNode_t both[] = {a, b}, c = empty(graph, both, 2);
    cudaGraphNode_t list[4], others[4];
    size_t count = 0;
    CHECK_INT(cudaGraphGetNodes(graph, NULL, &count), cudaSuccess);
    CHECK_U64(count, 3);
    count = 2;
    CHECK_INT(cudaGraphGetNodes(graph, list, &count), cudaSuccess);
    CHECK(count == 2 && list[0] == a && list[1] == b);
    count = 4;
    list[3] = a;
    CHECK_INT(cudaGraphGetNodes(graph, list, &count), cudaSuccess);
    CHECK(count == 3 && list[2] == c && list[3] == NULL);
    count = 4;
    CHECK_INT(cudaGraphGetRootNodes(graph, list, &count), cudaSuccess);
    CHECK(count == 1 && list[0] == a && list[1] == NULL);
    count = 4;
    others[3] = a;
    CHECK_INT(cudaGraphGetEdges(graph, list, others, NULL, &count),
              cudaSuccess);
    CHECK_U64(count, 3);
    CHECK(list[0] == a && others[0] == b);
    CHECK(list[1] == a && others[1] == c);
    CHECK(list[2] == b && others[2] == c && !list[3] && !others[3]);
    count = 9;
    CHECK_INT(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count), cudaSuccess);
    CHECK_U64(count, 3);
    count = 4;
    CHECK_INT(cudaGraphNodeGetDependencies(c, list, NULL, &count), cudaSuccess);
    CHECK(count == 2 && list[0] == a && list[1] == b);
    count = 4;
    CHECK_INT(cudaGraphNodeGetDependentNodes(a, list, NULL, &count),
              cudaSuccess);
    CHECK(count == 2 && list[0] == b && list[1] == c);
    CHECK_INT(cudaGraphNodeGetDependentNodes(c, NULL, NULL, &count),
              cudaSuccess);
    CHECK_U64(count, 0);
    CHECK_INT(cudaGraphGetNodes(NULL, NULL, &count), BAD);
    CHECK_INT(cudaGraphGetEdges(NULL, NULL, NULL, NULL, &count), BAD);
    CHECK_INT(cudaGraphNodeGetDependencies(NULL, NULL, NULL, &count), BAD);
    CHECK_INT(cudaGraphNodeGetDependentNodes(NULL, NULL, NULL, &count), BAD);
}

TEST(edges_are_added_and_removed) {
    cudaGraph_t graph = a_graph(), other = a_graph();
    cudaGraphNode_t a = empty(graph, NULL, 0), b = empty(graph, NULL, 0),
                    c = empty(graph, NULL, 0), far = empty(other, NULL, 0);
    cudaGraphNode_t from[] = {a, b}, to[] = {b, c}, none = NULL;
    cudaGraphExec_t instance;
    size_t count = 0;
    CHECK_INT(cudaGraphAddDependencies(graph, from, to, NULL, 2), cudaSuccess);
    CHECK_INT(cudaGraphAddDependencies(graph, &a, &b, NULL, 1), BAD); // again
    CHECK_INT(cudaGraphAddDependencies(graph, &a, &a, NULL, 1), BAD);
    CHECK_INT(cudaGraphAddDependencies(graph, &a, &far, NULL, 1), BAD);
    CHECK_INT(cudaGraphAddDependencies(graph, &none, &a, NULL, 1), BAD);
    CHECK_INT(cudaGraphAddDependencies(graph, &a, &none, NULL, 1), BAD);
    CHECK_INT(cudaGraphAddDependencies(graph, &c, &a, NULL, 1), cudaSuccess);
    CHECK_INT(cudaGraphInstantiate(&instance, graph, 0), BAD); // a circle
    CHECK(instance == NULL);
    CHECK_INT(cudaGraphRemoveDependencies(graph, &c, &a, NULL, 1), cudaSuccess);
    CHECK_INT(cudaGraphRemoveDependencies(graph, &c, &a, NULL, 1), BAD);
    CHECK_INT(cudaGraphRemoveDependencies(graph, &a, &none, NULL, 1), BAD);
    CHECK_INT(cudaGraphInstantiate(&instance, graph, 0), cudaSuccess);
    CHECK_INT(cudaGraphRemoveDependencies(graph, from, to, NULL, 2),
              cudaSuccess);
    CHECK_INT(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count), cudaSuccess);
    CHECK_U64(count, 0);
    CHECK_INT(cudaGraphAddEmptyNode(&b, graph, &far, 1), BAD);
    CHECK_INT(cudaGraphAddEmptyNode(&b, graph, &none, 1), BAD);
    CHECK_INT(cudaGraphAddEmptyNode(&b, graph, NULL, 1), BAD);
    from[1] = a;
    CHECK_INT(cudaGraphAddEmptyNode(&b, graph, from, 2), BAD); // a twice
    CHECK_INT(cudaGraphGetNodes(graph, NULL, &count), cudaSuccess);
    CHECK_U64(count, 3);
}

TEST(a_node_is_destroyed_with_its_edges) {
    cudaGraph_t graph = a_graph();
    char *memory = words();
    cudaGraphNode_t a = fill(graph, NULL, memory, 1);
    cudaGraphNode_t b = fill(graph, a, memory + 4, 2);
    cudaGraphNode_t c = fill(graph, b, memory + 8, 3), list[3], found = NULL;
    size_t count = 3;
    CHECK_INT(cudaGraphDestroyNode(b), cudaSuccess);
    CHECK_INT(cudaGraphDestroyNode(NULL), BAD);
    CHECK_INT(cudaGraphGetNodes(graph, list, &count), cudaSuccess);
    CHECK(count == 2 && list[0] == a && list[1] == c);
    CHECK_INT(cudaGraphNodeGetDependencies(c, NULL, NULL, &count), cudaSuccess);
    CHECK_U64(count, 0);
    cudaGraph_t copy = NULL;
    CHECK_INT(cudaGraphClone(&copy, graph), cudaSuccess);
    CHECK_INT(cudaGraphNodeFindInClone(&found, c, copy), cudaSuccess);
    CHECK(found && found != c);
    launch(instance_of(graph));
    CHECK_U64(program_word(memory, 0), 1);
    CHECK_U64(program_word(memory, 1), 0);
    CHECK_U64(program_word(memory, 2), 3);
}

// Nodes that were added late may have to come early.
TEST(a_graph_runs_in_the_order_of_its_edges) {
    cudaGraph_t graph = a_graph();
    char *memory = words();
    cudaGraphNode_t last = fill(graph, NULL, memory, 3);
    cudaGraphNode_t middle = fill(graph, NULL, memory, 2);
    cudaGraphNode_t first = fill(graph, NULL, memory, 1);
    cudaGraphNode_t copy = NULL;
    CHECK_INT(cudaGraphAddMemcpyNode1D(&copy, graph, &middle, 1, memory + 4,
                                       memory, 4, cudaMemcpyDefault),
              cudaSuccess);
    cudaGraphAddDependencies(graph, &first, &middle, NULL, 1);
    cudaGraphAddDependencies(graph, &copy, &last, NULL, 1);
    cudaGraphExec_t instance = instance_of(graph);
    for (int i = 0; i < 2; i++) {
        launch(instance);
        CHECK_U64(program_word(memory, 0), 3);
        CHECK_U64(program_word(memory, 1), 2);
        cudaMemset(memory, 0, 8);
    }
}

TEST(an_error_ends_a_launch) {
    cudaGraph_t graph = a_graph();
    char *memory = words(), *freed = words();
    cudaGraphNode_t node = fill(graph, NULL, memory, 1);
    node = fill(graph, node, freed, 2);
    fill(graph, node, memory, 3);
    cudaFree(freed);
    CHECK_INT(cudaGraphLaunch(instance_of(graph), NULL), BAD);
    CHECK_U64(program_word(memory, 0), 1);
}

// ---- kinds of nodes --------------------------------------------------------

TEST(a_kernel_is_a_node) {
    Program p = program_begin();
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t node = NULL;
    char *memory = words();
    unsigned value = 5;
    void *args[] = {&memory, &value};
    cudaKernelNodeParams params = an_add(&p, args), got;
    CHECK_INT(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params),
              cudaSuccess);
    value = 7; // it has been read
    CHECK_INT(type_of(node), cudaGraphNodeTypeKernel);
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 5);
    CHECK_U64(program_word(memory, 1), 5);
    CHECK_U64(program_word(memory, 2), 0);
    CHECK_INT(cudaGraphKernelNodeGetParams(node, &got), cudaSuccess);
    CHECK(got.func == params.func && got.gridDim.x == 2 && got.blockDim.x == 1);
    CHECK(*(char **)got.kernelParams[0] == memory);
    CHECK_INT(*(unsigned *)got.kernelParams[1], 5);
    params.gridDim.x = 1;
    CHECK_INT(cudaGraphExecKernelNodeSetParams(instance, node, &params),
              cudaSuccess);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 12);
    CHECK_U64(program_word(memory, 1), 5);
    params.gridDim.x = 3;
    CHECK_INT(cudaGraphKernelNodeSetParams(node, &params), cudaSuccess);
    launch(instance); // is as it was
    CHECK_U64(program_word(memory, 2), 0);
    launch(instance_of(graph));
    CHECK_U64(program_word(memory, 2), 7);
    params.blockDim.x = 0;
    CHECK_INT(cudaGraphKernelNodeSetParams(node, &params),
              cudaErrorInvalidConfiguration);
    CHECK_INT(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params),
              cudaErrorInvalidConfiguration);
    CHECK_INT(cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL), BAD);
    CHECK_INT(cudaGraphAddKernelNode(&node, NULL, NULL, 0, &params), BAD);
    CHECK_INT(cudaGraphExecKernelNodeSetParams(NULL, node, &params), BAD);
    CHECK_INT(cudaGraphKernelNodeGetParams(empty(graph, NULL, 0), &got), BAD);
    CHECK_INT(cudaGraphKernelNodeSetParams(NULL, &params), BAD);
}

TEST(a_kernel_of_a_node_may_take_a_block) {
    Program p = program_begin();
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t node;
    char *memory = words();
    struct {
        char *to;
        unsigned value;
    } block = {memory, 6};
    void *extra[] = {(void *)(uintptr_t)1, &block, NULL};
    cudaKernelNodeParams params = an_add(&p, NULL);
    CHECK_INT(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), BAD);
    params.extra = extra;
    CHECK_INT(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params),
              cudaSuccess);
    launch(instance_of(graph));
    CHECK_U64(program_word(memory, 1), 6);
}

TEST(a_kernel_node_has_attributes) {
    Program p = program_begin();
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t node, other;
    char *memory = words();
    void *args[] = {&memory};
    cudaKernelNodeParams params = {.func = program_kernel(&p, "any"),
                                   .gridDim = {4, 1, 1},
                                   .blockDim = {1, 1, 1},
                                   .kernelParams = args};
    cudaGraphAddKernelNode(&node, graph, NULL, 0, &params);
    cudaLaunchAttribute cluster = {.val.clusterDim = {2, 1, 1}}, got;
    CHECK_INT(cudaGraphKernelNodeSetAttribute(
                  node, cudaLaunchAttributeClusterDimension, &cluster.val),
              cudaSuccess);
    launch(instance_of(graph));
    CHECK_U64(program_word(memory, 0), 2);
    memset(&got, 0x55, sizeof got);
    CHECK_INT(cudaGraphKernelNodeGetAttribute(
                  node, cudaLaunchAttributeClusterDimension, &got.val),
              cudaSuccess);
    CHECK(got.val.clusterDim.x == 2 && got.val.clusterDim.y == 1);
    CHECK_INT(cudaGraphKernelNodeGetAttribute(
                  node, cudaLaunchAttributeCooperative, &got.val),
              cudaSuccess);
    CHECK_INT(got.val.cooperative, 0);
    CHECK_INT(cudaGraphKernelNodeSetParams(node, &params), cudaSuccess);
    cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension,
                                    &got.val);
    CHECK_INT(got.val.clusterDim.x, 2); // it stays
    cudaGraphAddKernelNode(&other, graph, NULL, 0, &params);
    CHECK_INT(cudaGraphKernelNodeCopyAttributes(other, node), cudaSuccess);
    cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributeClusterDimension,
                                    &got.val);
    CHECK_INT(got.val.clusterDim.x, 2);
    CHECK_INT(cudaGraphKernelNodeCopyAttributes(other, NULL), BAD);
    CHECK_INT(cudaGraphKernelNodeCopyAttributes(NULL, node), BAD);
    CHECK_INT(cudaGraphKernelNodeSetAttribute(NULL, 4, &cluster.val), BAD);
    CHECK_INT(
        cudaGraphKernelNodeGetAttribute(empty(graph, NULL, 0), 4, &got.val),
        BAD);
}

TEST(a_fill_is_a_node) {
    cudaGraph_t graph = a_graph();
    char *memory = words();
    cudaMemsetParams rows = {.dst = memory,
                             .pitch = 8,
                             .value = 0x1234,
                             .elementSize = 2,
                             .width = 1,
                             .height = 3},
                     got;
    cudaGraphNode_t node = NULL;
    CHECK_INT(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &rows),
              cudaSuccess);
    CHECK_INT(type_of(node), cudaGraphNodeTypeMemset);
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 0x1234);
    CHECK_U64(program_word(memory, 1), 0);
    CHECK_U64(program_word(memory, 4), 0x1234);
    CHECK_INT(cudaGraphMemsetNodeGetParams(node, &got), cudaSuccess);
    CHECK(got.dst == memory && got.pitch == 8 && got.value == 0x1234 &&
          got.elementSize == 2 && got.width == 1 && got.height == 3);
    cudaMemsetParams one = a_fill(memory + 4, 9);
    CHECK_INT(cudaGraphExecMemsetNodeSetParams(instance, node, &one),
              cudaSuccess);
    launch(instance);
    CHECK_U64(program_word(memory, 1), 9);
    one.value = 8;
    CHECK_INT(cudaGraphMemsetNodeSetParams(node, &one), cudaSuccess);
    launch(instance_of(graph));
    CHECK_U64(program_word(memory, 1), 8);
    CHECK_INT(cudaGraphExecMemsetNodeSetParams(NULL, node, &one), BAD);
    CHECK_INT(cudaGraphMemsetNodeSetParams(empty(graph, NULL, 0), &one), BAD);
    CHECK_INT(cudaGraphMemsetNodeGetParams(NULL, &got), BAD);
}

TEST(a_copy_is_a_node) {
    cudaGraph_t graph = a_graph();
    char *memory = words();
    cudaGraphNode_t node = NULL;
    uint32_t host[] = {5, 6, 7};
    cudaMemcpy3DParms copy = {.srcPtr = {host, 12, 12, 1},
                              .dstPtr = {memory, 12, 12, 1},
                              .extent = {8, 1, 1},
                              .kind = cudaMemcpyHostToDevice},
                      got;
    CHECK_INT(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy),
              cudaSuccess);
    CHECK_INT(type_of(node), cudaGraphNodeTypeMemcpy);
    cudaGraphExec_t instance = instance_of(graph);
    host[1] = 60; // is read when it is launched
    launch(instance);
    CHECK_U64(program_word(memory, 0), 5);
    CHECK_U64(program_word(memory, 1), 60);
    CHECK_U64(program_word(memory, 2), 0);
    CHECK_INT(cudaGraphMemcpyNodeGetParams(node, &got), cudaSuccess);
    CHECK(got.srcPtr.ptr == host && got.extent.width == 8 && got.kind == 1);
    CHECK_INT(cudaGraphExecMemcpyNodeSetParams1D(instance, node, memory + 8,
                                                 host + 2, 4,
                                                 cudaMemcpyHostToDevice),
              cudaSuccess);
    launch(instance);
    CHECK_U64(program_word(memory, 2), 7);
    CHECK_INT(cudaGraphMemcpyNodeSetParams1D(node, memory + 12, host + 2, 4,
                                             cudaMemcpyHostToDevice),
              cudaSuccess);
    launch(instance_of(graph));
    CHECK_U64(program_word(memory, 3), 7);
    CHECK_INT(cudaGraphMemcpyNodeGetParams(empty(graph, NULL, 0), &got), BAD);
    CHECK_INT(
        cudaGraphExecMemcpyNodeSetParams1D(NULL, node, memory, host, 4, 1),
        BAD);
    CHECK_INT(cudaGraphMemcpyNodeSetParams1D(NULL, memory, host, 4, 1), BAD);
}

TEST(a_function_of_the_program_is_a_node) {
    cudaGraph_t graph = a_graph();
    int calls = 0, others = 0;
    cudaGraphNode_t node = NULL;
    cudaHostNodeParams params = {add_one, &calls}, got;
    CHECK_INT(cudaGraphAddHostNode(&node, graph, NULL, 0, &params),
              cudaSuccess);
    CHECK_INT(type_of(node), cudaGraphNodeTypeHost);
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    launch(instance);
    CHECK_INT(calls, 2);
    CHECK_INT(cudaGraphHostNodeGetParams(node, &got), cudaSuccess);
    CHECK(got.fn == add_one && got.userData == &calls);
    params.userData = &others;
    CHECK_INT(cudaGraphExecHostNodeSetParams(instance, node, &params),
              cudaSuccess);
    launch(instance);
    CHECK(calls == 2 && others == 1);
    CHECK_INT(cudaGraphHostNodeSetParams(node, &params), cudaSuccess);
    launch(instance_of(graph));
    CHECK(calls == 2 && others == 2);
    params.fn = NULL;
    CHECK_INT(cudaGraphAddHostNode(&node, graph, NULL, 0, &params), BAD);
    CHECK_INT(cudaGraphAddHostNode(&node, graph, NULL, 0, NULL), BAD);
    CHECK_INT(cudaGraphExecHostNodeSetParams(NULL, node, &got), BAD);
    CHECK_INT(cudaGraphHostNodeGetParams(NULL, &got), BAD);
}

TEST(a_graph_is_a_node_of_another) {
    cudaGraph_t inner = a_graph(), outer = a_graph(), got = NULL,
                other = a_graph();
    char *memory = words();
    cudaGraphNode_t node = NULL, found = NULL, of_inner;
    of_inner = fill(inner, NULL, memory, 1);
    CHECK_INT(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, inner),
              cudaSuccess);
    CHECK_INT(type_of(node), cudaGraphNodeTypeGraph);
    fill(inner, of_inner, memory + 4, 2); // the outer one has a copy
    cudaGraphExec_t instance = instance_of(outer);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 1);
    CHECK_U64(program_word(memory, 1), 0);
    CHECK_INT(cudaGraphChildGraphNodeGetGraph(node, &got), cudaSuccess);
    CHECK(got != inner);
    CHECK_INT(cudaGraphNodeFindInClone(&found, of_inner, got), cudaSuccess);
    CHECK_INT(cudaGraphDestroy(got), BAD); // it is the node's
    CHECK_INT(cudaGraphExecChildGraphNodeSetParams(instance, node, inner),
              cudaErrorGraphExecUpdateFailure);
    fill(other, NULL, memory, 7);
    CHECK_INT(cudaGraphExecChildGraphNodeSetParams(instance, node, other),
              cudaSuccess);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 7);
    CHECK_INT(cudaGraphExecChildGraphNodeSetParams(NULL, node, other), BAD);
    CHECK_INT(cudaGraphExecChildGraphNodeSetParams(instance, node, NULL), BAD);
    CHECK_INT(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, NULL), BAD);
    CHECK_INT(cudaGraphChildGraphNodeGetGraph(NULL, &got), BAD);
}

TEST(events_are_nodes) {
    cudaGraph_t graph = a_graph();
    cudaGraphNode_t record = NULL, wait = NULL;
    cudaEvent_t event, other, got = NULL;
    float ms = -1;
    cudaEventCreate(&event);
    cudaEventCreate(&other);
    CHECK_INT(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, event),
              cudaSuccess);
    CHECK_INT(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event),
              cudaSuccess);
    CHECK_INT(type_of(record), cudaGraphNodeTypeEventRecord);
    CHECK_INT(type_of(wait), cudaGraphNodeTypeWaitEvent);
    CHECK_INT(cudaEventElapsedTime(&ms, event, event),
              cudaErrorInvalidResourceHandle);
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    CHECK_INT(cudaEventElapsedTime(&ms, event, event), cudaSuccess);
    CHECK_INT(cudaGraphEventRecordNodeGetEvent(record, &got), cudaSuccess);
    CHECK(got == event);
    CHECK_INT(cudaGraphEventRecordNodeSetEvent(record, other), cudaSuccess);
    CHECK_INT(cudaGraphEventRecordNodeGetEvent(record, &got), cudaSuccess);
    CHECK(got == other);
    CHECK_INT(cudaGraphEventRecordNodeGetEvent(wait, &got), BAD);
    CHECK_INT(cudaGraphEventRecordNodeSetEvent(record, NULL), BAD);
    CHECK_INT(cudaGraphEventRecordNodeSetEvent(wait, other), BAD);
    CHECK_INT(cudaGraphExecEventWaitNodeSetEvent(instance, wait, other),
              cudaSuccess);
    CHECK_INT(cudaGraphExecEventWaitNodeSetEvent(NULL, wait, other), BAD);
    CHECK_INT(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, NULL), BAD);
    CHECK_INT(cudaGraphAddEventWaitNode(&wait, graph, NULL, 0, NULL), BAD);
}

// ---- nodes of any kind -----------------------------------------------------

TEST(a_node_of_any_kind_is_added_and_changed) {
    Program p = program_begin();
    cudaGraph_t graph = a_graph(), child = a_graph();
    char *memory = words();
    unsigned five = 5;
    int calls = 0;
    void *args[] = {&memory, &five};
    cudaEvent_t event;
    cudaGraphNode_t nodes[8] = {NULL};
    cudaEventCreate(&event);
    fill(child, NULL, memory + 16, 4);
    cudaGraphNodeParams kinds[8] = {
        {.type = cudaGraphNodeTypeKernel, .kernel = an_add(&p, args)},
        {.type = cudaGraphNodeTypeMemcpy,
         .memcpy.copyParams = {.srcPtr = {&five, 4, 4, 1},
                               .dstPtr = {memory + 8, 4, 4, 1},
                               .extent = {4, 1, 1},
                               .kind = cudaMemcpyHostToDevice}},
        {.type = cudaGraphNodeTypeMemset, .memset = a_fill(memory + 12, 3)},
        {.type = cudaGraphNodeTypeHost, .host = {add_one, &calls}},
        {.type = cudaGraphNodeTypeGraph, .graph = child},
        {.type = cudaGraphNodeTypeEmpty},
        {.type = cudaGraphNodeTypeWaitEvent, .event = event},
        {.type = cudaGraphNodeTypeEventRecord, .event = event}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        CHECK_INT(
            cudaGraphAddNode(&nodes[i], graph, nodes, NULL, i > 0, &kinds[i]),
            cudaSuccess);
        CHECK_INT(type_of(nodes[i]), kinds[i].type);
    }
    cudaGraphExec_t instance = instance_of(graph);
    launch(instance);
    CHECK_U64(program_word(memory, 0), 5);
    CHECK_U64(program_word(memory, 2), 5);
    CHECK_U64(program_word(memory, 3), 3);
    CHECK_U64(program_word(memory, 4), 4);
    CHECK_INT(calls, 1);
    kinds[0].kernel.gridDim.x = 1;
    kinds[1].memcpy.copyParams.dstPtr.ptr = memory + 20;
    kinds[2].memset.value = 33;
    kinds[3].host.userData = &five;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        bool can = i < 4 || i > 5;
        CHECK_INT(cudaGraphExecNodeSetParams(instance, nodes[i], &kinds[i]),
                  can ? cudaSuccess : cudaErrorNotSupported);
        CHECK_INT(cudaGraphNodeSetParams(nodes[i], &kinds[i]),
                  can ? cudaSuccess : cudaErrorNotSupported);
    }
    launch(instance);
    CHECK_U64(program_word(memory, 0), 10);
    CHECK_U64(program_word(memory, 1), 5);
    CHECK_U64(program_word(memory, 5), 5);
    CHECK_U64(program_word(memory, 3), 33);
    CHECK_INT(calls, 1);
    CHECK_INT(five, 6);
    CHECK_INT(cudaGraphNodeSetParams(nodes[0], &kinds[2]), BAD);
    CHECK_INT(cudaGraphExecNodeSetParams(NULL, nodes[0], &kinds[0]), BAD);
    kinds[0].type = 8; // a semaphore
    CHECK_INT(cudaGraphAddNode(&nodes[0], graph, NULL, NULL, 0, &kinds[0]),
              cudaErrorNotSupported);
    CHECK_INT(cudaGraphNodeGetType(NULL, &calls), BAD);
}

TEST_MAIN(TESTCASE(a_graph_is_made_and_destroyed),
          TESTCASE(nodes_and_edges_are_listed),
          TESTCASE(edges_are_added_and_removed),
          TESTCASE(a_node_is_destroyed_with_its_edges),
          TESTCASE(a_graph_runs_in_the_order_of_its_edges),
          TESTCASE(an_error_ends_a_launch), TESTCASE(a_kernel_is_a_node),
          TESTCASE(a_kernel_of_a_node_may_take_a_block),
          TESTCASE(a_kernel_node_has_attributes), TESTCASE(a_fill_is_a_node),
          TESTCASE(a_copy_is_a_node),
          TESTCASE(a_function_of_the_program_is_a_node),
          TESTCASE(a_graph_is_a_node_of_another), TESTCASE(events_are_nodes),
          TESTCASE(a_node_of_any_kind_is_added_and_changed))
