// SPDX-License-Identifier: Apache-2.0
// Walks from a load over the code of its function, back to that load. What may
// not be passed on the way is a bar: what sets the address, what others can
// notice, or one given instruction. The instructions from which the walk comes
// back are the loop; what leaves it has to depend on the load.
#include "vm/decode/spin.h"

enum {
    MOST_REGS = 64,
    MOST_WALKED = 1 << 22, // instructions that may be walked over, for a kernel
};

typedef struct Loop {
    const VmFunc *func;
    const VmInstr *look;
    const VmInstr *without; // a bar; NULL: all that others can notice is one
    bool *ahead;            // by pc: the walk comes there
    bool *back;             // and from there back to the look
    uint32_t *queue, first, end;
    uint32_t regs[MOST_REGS], reg_count; // they depend on what was seen
    bool is_long;
} Loop;

// ---- bars ----------------------------------------------------------------

static bool sets(const VmInstr *in, uint32_t reg) {
    for (uint32_t i = 0; i < in->dst_count; i++)
        if (vm_dsts(in)[i].reg == reg)
            return true;
    return false;
}

// Others can notice it, or it may wait for them.
static bool acts(const VmInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    switch ((PtxOrder)traits->order) {
    case PTX_ORDER_BARRIER:
    case PTX_ORDER_PART:
    case PTX_ORDER_MBARRIER:
    case PTX_ORDER_ASYNC:
        return true;
    case PTX_ORDER_NONE:
    case PTX_ORDER_FENCE:
    case PTX_ORDER_SUFFIX:
        break;
    }
    return traits->next == PTX_NEXT_CALL ||
           (traits->access != PTX_ACCESS_NONE && !ptx_is_load(in->op));
}

static bool is_bar(const Loop *l, const VmInstr *in) {
    VmRef address = l->look->src[0];
    return (address.sel == 0 && sets(in, address.reg)) ||
           (l->without ? in == l->without : acts(in));
}

// ---- the walk ------------------------------------------------------------

void vm_code_next(const VmFunc *func, uint32_t pc, VmNextVisit *visit,
                  void *context) {
    const VmInstr *in = &func->code[pc];
    if (in->is_branch)
        visit(context, pc, in->branch.target);
    if (in->has_table) {
        const PtxTable *table = &func->ptx->tables[in->branch.table];
        for (size_t i = 0; i < table->count; i++)
            visit(context, pc,
                  func->pc_of[func->ptx->labels[table->labels[i]].target]);
    }
    if (!ptx_leaves(in->op) || in->guard != VM_NONE)
        visit(context, pc, pc + 1);
}

static void go_ahead(void *context, uint32_t pc, uint32_t next) {
    Loop *l = context;
    (void)pc;
    if (next >= l->func->code_count || l->ahead[next])
        return;
    const VmInstr *in = &l->func->code[next];
    if (in != l->look && is_bar(l, in))
        return;
    l->ahead[next] = true;
    if (in != l->look)
        l->queue[l->end++] = next;
}

static void come_back(void *context, uint32_t pc, uint32_t next) {
    Loop *l = context;
    if (next < l->func->code_count &&
        (l->back[next] || &l->func->code[next] == l->look))
        l->back[pc] = true;
}

// Whether the walk comes back. The code of a loop is mostly in order, so that
// few rounds over it tell from where.
static bool find_loop(Loop *l) {
    uint32_t look = (uint32_t)(l->look - l->func->code);
    l->queue[l->end++] = look;
    while (l->first < l->end)
        vm_code_next(l->func, l->queue[l->first++], go_ahead, l);
    if (!l->ahead[look])
        return false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t pc = l->func->code_count; pc-- > 0;) {
            if (!l->ahead[pc] || l->back[pc])
                continue;
            vm_code_next(l->func, pc, come_back, l);
            more |= l->back[pc];
        }
    }
    return true;
}

// ---- what leaves the loop ------------------------------------------------

static bool holds(const Loop *l, uint32_t reg) {
    for (uint32_t i = 0; i < l->reg_count; i++)
        if (l->regs[i] == reg)
            return true;
    return false;
}

static bool depends(const Loop *l, const VmInstr *in) {
    for (uint32_t i = 0; i < in->src_count; i++)
        if (vm_srcs(in)[i].sel == 0 && holds(l, vm_srcs(in)[i].reg))
            return true;
    return in->guard != VM_NONE && holds(l, in->guard_reg);
}

static bool add_results(Loop *l, const VmInstr *in) {
    bool more = false;
    for (uint32_t i = 0; i < in->dst_count; i++) {
        uint32_t reg = vm_dsts(in)[i].reg;
        if (reg == VM_NO_REG || holds(l, reg))
            continue;
        l->is_long |= l->reg_count == MOST_REGS;
        if (l->is_long)
            return false;
        l->regs[l->reg_count++] = reg;
        more = true;
    }
    return more;
}

static bool is_copy(const VmInstr *in, const VmInstr *of) {
    return in->op == of->op && in->loc == of->loc && in->offset == of->offset &&
           in->src[0].sel == of->src[0].sel && in->src[0].off == of->src[0].off;
}

// Of a loop that was unrolled, each copy of the look counts.
static void find_dependent(Loop *l) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t pc = 0; pc < l->func->code_count; pc++) {
            const VmInstr *in = &l->func->code[pc];
            if (l->back[pc] && (is_copy(in, l->look) || depends(l, in)))
                more |= add_results(l, in);
        }
    }
}

// A way out of the loop that does not depend on what was seen ends the search.
static void leave(void *context, uint32_t pc, uint32_t next) {
    Loop *l = context;
    bool stays = next < l->func->code_count && l->back[next];
    l->is_long |= !stays && !depends(l, &l->func->code[pc]);
}

static bool leaves_by_look(Loop *l) {
    find_dependent(l);
    for (uint32_t pc = 0; pc < l->func->code_count && !l->is_long; pc++) {
        const VmInstr *in = &l->func->code[pc];
        if (!l->back[pc])
            continue;
        PtxNext next = (PtxNext)PTX_TRAITS[in->op].next;
        if (next == PTX_NEXT_RETURN || next == PTX_NEXT_EXIT)
            leave(l, pc, l->func->code_count);
        vm_code_next(l->func, pc, leave, l);
    }
    return !l->is_long;
}

// ---- entry points --------------------------------------------------------

static Loop loop_new(const VmFunc *func, const VmInstr *look,
                     const VmInstr *without) {
    size_t count = func->code_count;
    return (Loop){.func = func,
                  .look = look,
                  .without = without,
                  .ahead = heap_alloc(count, sizeof(bool)),
                  .back = heap_alloc(count, sizeof(bool)),
                  .queue = heap_alloc(count + 1, sizeof(uint32_t))};
}

static void loop_free(Loop *l) {
    heap_free(l->ahead);
    heap_free(l->back);
    heap_free(l->queue);
}

static bool has_known_address(const VmInstr *in) {
    return in->src_count && (in->src[0].sel || in->src[0].reg != VM_NO_REG);
}

static bool is_wait(const VmFunc *func, const VmInstr *look) {
    if (!has_known_address(look))
        return false;
    Loop l = loop_new(func, look, NULL);
    bool waits = find_loop(&l) && leaves_by_look(&l);
    loop_free(&l);
    return waits;
}

bool *vm_spin_loops(Arena *arena, const VmFunc *func) {
    bool *loops = arena_new(arena, bool, func->code_count + 1);
    uint64_t walked = 0;
    for (uint32_t pc = 0; pc < func->code_count && walked < MOST_WALKED; pc++) {
        const VmInstr *look = &func->code[pc];
        if ((!ptx_is_load(look->op) && !ptx_is_atomic(look->op)) ||
            look->is_frame || !has_known_address(look))
            continue;
        Loop l = loop_new(func, look, NULL);
        bool waits = find_loop(&l) && leaves_by_look(&l);
        walked += func->code_count;
        for (uint32_t i = 0; i < func->code_count && waits; i++)
            loops[i] |= l.back[i] || i == pc;
        loop_free(&l);
    }
    return loops;
}

bool vm_spin_waits(const VmFunc *func, const VmInstr *look) {
    for (uint32_t pc = 0; pc < func->code_count; pc++)
        if (is_copy(&func->code[pc], look) && is_wait(func, &func->code[pc]))
            return true;
    return false;
}

bool vm_spin_returns(const VmFunc *func, const VmInstr *load,
                     const VmInstr *wait) {
    if (!has_known_address(load))
        return true;
    Loop l = loop_new(func, load, wait);
    bool returns = find_loop(&l);
    loop_free(&l);
    return returns;
}
