// SPDX-License-Identifier: Apache-2.0
// Whether a thread can come to the end of a kernel at all, read off its PTX: a
// loop that nothing leaves, as when a refusal is not acted on. Whatever such a
// kernel fails by, this is its cause. A jump through a table may lead anywhere.
#include "check/internal.h"

static bool ends_in_callee(const PtxModule *module) {
    for (size_t f = 0; f < module->func_count; f++)
        for (size_t i = 0; i < module->funcs[f]->instr_count; i++) {
            uint8_t next = PTX_TRAITS[module->funcs[f]->instrs[i].op].next;
            if (!module->funcs[f]->is_entry && next == PTX_NEXT_EXIT)
                return true;
        }
    return false;
}

typedef struct Ways {
    const PtxFunc *func;
    bool *seen;      // by instruction
    uint32_t *queue; // instructions to go on from
    size_t first, end;
} Ways;

// Returns true if that is the end of the code.
static bool go_to(Ways *ways, size_t to) {
    if (to >= ways->func->instr_count)
        return true;
    if (!ways->seen[to])
        ways->queue[ways->end++] = (uint32_t)to;
    ways->seen[to] = true;
    return false;
}

// Goes on behind instruction i; true: a thread may end there.
static bool go_on(Ways *ways, size_t i) {
    const PtxFunc *func = ways->func;
    const PtxInstr *in = &func->instrs[i];
    bool is_jump = PTX_TRAITS[in->op].next == PTX_NEXT_JUMP;
    bool ends = is_jump
                    ? go_to(ways, func->labels[in->operands[0].target].target)
                    : ptx_leaves(in->op);
    if (in->guard || !ptx_leaves(in->op))
        ends |= go_to(ways, i + 1);
    return ends;
}

bool way_out_is_missing(const Grade *grade) {
    Arena arena = {0};
    const PtxFunc *func = grade->entry;
    Ways ways = {.func = func};
    bool ends =
        func->instr_count == 0 || ends_in_callee(grade->submission->module);
    ways.seen = arena_new(&arena, bool, func->instr_count + 1);
    ways.queue = arena_new(&arena, uint32_t, func->instr_count + 1);
    ends |= go_to(&ways, 0);
    while (!ends && ways.first < ways.end)
        ends = go_on(&ways, ways.queue[ways.first++]);
    arena_free(&arena);
    return !ends;
}
