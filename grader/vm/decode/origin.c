// SPDX-License-Identifier: Apache-2.0
// Follows registers backwards through the code of one function, breadth first,
// from an access to what sets them. It stops at loads, calls and decoded
// answers, whose own operands say nothing about the value. A value that was
// loaded from a shared variable is followed further: to the store of that
// variable, and from there to what is stored, through the addresses of loads.
#include "vm/decode/origin.h"

#include "vm/machine/findings.h"

#include <string.h>

// An instruction that sets a register. Those of one register are a list, the
// last in the code first.
typedef struct Definition {
    const PtxInstr *in;
    uint32_t next; // number of the next one, plus 1; 0: none
} Definition;

// The first loads from shared memory.
typedef struct Staged {
    const PtxInstr *loads[4];
    uint32_t count;
} Staged;

typedef struct Search {
    const Vm *vm;
    const VmFunc *func;
    const PtxInstr *access;
    SrcLoc own; // the learner's line of the access
    Definition *definitions;
    size_t definition_count, definition_capacity;
    uint32_t *last;  // by register: number of its last definition, plus 1
    bool *seen;      // by register
    uint32_t *queue; // registers to follow
    uint32_t first, end;
    SrcLoc lines[16];
    uint32_t line_count;
    SrcLoc decoded; // line 0: no answer's index goes into it
    const PtxVar *var;
    Staged staged;
    SrcLoc reads[VM_ORIGINS]; // loads that may be from shared memory
    uint32_t read_count;
    bool loads_global;     // a load from global memory goes into it
    const PtxInstr *cut;   // the first that keeps 8 or 16 bits of a number
    bool is_index;         // %ctaid or an answer's index goes into it
    bool through_loads;    // follow the addresses of loads as well
    bool skips_copies;     // their lines tell nothing (is_placed_freely)
    const PtxInstr *unset; // the first that may leave a register as it was
    uint32_t visits;
    bool computes; // something else than a number goes into it
    bool varies;   // it may be another one in another thread of the block
    bool loads;    // memory goes into it, whichever, or what a function returns
    SrcLoc waited; // so does the result of an operation on an mbarrier
    bool evens, odds; // so does a number that a register is set to
} Search;

static void follow_reg(Search *s, uint32_t reg) {
    if (!s->seen[reg])
        s->queue[s->end++] = reg;
    s->seen[reg] = true;
}

static void follow(Search *s, const PtxOperand *operand) {
    bool is_reg =
        operand->kind == PTX_OPND_REG ||
        (operand->kind == PTX_OPND_ADDRESS && operand->base == PTX_BASE_REG);
    if (is_reg)
        follow_reg(s, operand->reg);
    if (!is_reg && operand->symbol.var && !s->var)
        s->var = operand->symbol.var;
    s->is_index |= operand->kind == PTX_OPND_SREG &&
                   operand->sreg >= PTX_SREG_CTAID_X &&
                   operand->sreg <= PTX_SREG_CTAID_Z;
    s->varies |= operand->kind == PTX_OPND_SREG &&
                 (operand->sreg < PTX_SREG_NTID ||
                  operand->sreg > PTX_SREG_CLUSTER_NCTARANK);
    for (uint32_t i = 0; i < operand->elem_count; i++)
        follow(s, &operand->elems[i]);
}

static void add_definition(Search *s, Arena *arena, const PtxInstr *in,
                           const PtxOperand *result) {
    for (uint32_t i = 0; i < result->elem_count; i++)
        add_definition(s, arena, in, &result->elems[i]);
    if (result->kind != PTX_OPND_REG)
        return;
    arena_grow(arena, s->definitions, s->definition_count,
               s->definition_capacity);
    s->definitions[s->definition_count++] =
        (Definition){in, s->last[result->reg]};
    s->last[result->reg] = (uint32_t)s->definition_count;
}

// In one pass, so that a search takes time in proportion to the code.
static void list_definitions(Search *s, Arena *arena) {
    const PtxFunc *func = s->func->ptx;
    for (size_t i = 0; i < func->instr_count; i++) {
        const PtxInstr *in = &func->instrs[i];
        for (uint32_t k = 0;
             k < ptx_written_operands(in) && k < in->operand_count; k++)
            add_definition(s, arena, in, &in->operands[k]);
    }
}

static bool is_parameter(const PtxInstr *in) {
    return ptx_is_load(in->op) && ptx_space(in) == PTX_SPACE_PARAM &&
           in->operands[1].symbol.var && in->operands[1].symbol.var->is_formal;
}

// Whether it only converts or copies a parameter: the address of a buffer from
// generic to global, say. The compiler places that where it likes, and no line
// of the learner's decides anything there.
static bool is_converted_parameter(const Search *s, const PtxInstr *in) {
    uint32_t results = ptx_written_operands(in);
    if (in->operand_count != results + 1 ||
        in->operands[results].kind != PTX_OPND_REG)
        return false;
    uint32_t first = s->last[in->operands[results].reg];
    bool is_given = first > 0;
    for (uint32_t d = first; d && is_given; d = s->definitions[d - 1].next)
        is_given = is_parameter(s->definitions[d - 1].in);
    return is_given;
}

static SrcLoc line_of(const Search *s, const PtxInstr *in) {
    uint32_t loc = vm_learner_loc(s->vm, NULL, in->loc);
    bool is_own =
        loc && s->vm->module->locs[loc].file == s->vm->program->kernel_file;
    return is_own ? vm_src_of(s->vm, loc) : (SrcLoc){0};
}

static void add_line(Search *s, SrcLoc at) {
    bool is_known = !at.line || at.line == s->own.line ||
                    s->line_count == COUNT_OF(s->lines);
    for (uint32_t i = 0; i < s->line_count; i++)
        is_known |= s->lines[i].line == at.line;
    if (!is_known)
        s->lines[s->line_count++] = at;
}

// How many bits a mask leaves, wherever they are: 8 or 16; else 0.
static uint32_t bits_of_mask(uint64_t mask) {
    while (mask && !(mask & 1))
        mask >>= 1;
    return mask == UINT8_MAX ? 8 : mask == UINT16_MAX ? 16 : 0;
}

// The bits that the instruction leaves of a wider number: 8 or 16; 0: all, or
// others.
static uint32_t bits_left(const PtxInstr *in) {
    if (in->op == PTX_OP_AND && in->operands[2].kind == PTX_OPND_INT &&
        ptx_type_size(in->types[0]) >= 4)
        return bits_of_mask(in->operands[2].imm);
    if (in->op != PTX_OP_CVT || in->type_count != 2)
        return 0;
    size_t to = ptx_type_size(in->types[0]), from = ptx_type_size(in->types[1]);
    size_t least = to < from ? to : from;
    return least <= 2 && (to >= 4 || from >= 4) ? 8 * (uint32_t)least : 0;
}

static void note_decoded(Search *s, SrcLoc at) {
    s->is_index = true;
    if (!s->decoded.line)
        s->decoded = at;
}

static void note_load(Search *s, const PtxInstr *in) {
    PtxSpace space = ptx_space(in);
    Staged *staged = &s->staged;
    s->loads_global |= space == PTX_SPACE_GLOBAL;
    if ((space == PTX_SPACE_SHARED || space == PTX_SPACE_GENERIC) &&
        s->read_count < COUNT_OF(s->reads))
        s->reads[s->read_count++] = line_of(s, in);
    if (space == PTX_SPACE_SHARED && staged->count < COUNT_OF(staged->loads))
        staged->loads[staged->count++] = in;
}

// One of several definitions of a register that only copies another one or a
// number, such as what a variable of a loop begins with: the compiler places
// that where it likes.
static bool is_placed_freely(const Search *s, const PtxInstr *in) {
    if (in->op != PTX_OP_MOV || in->operand_count != 2 ||
        in->operands[0].kind != PTX_OPND_REG)
        return false;
    uint32_t last = s->last[in->operands[0].reg];
    return s->definitions[last - 1].next &&
           (in->operands[1].kind == PTX_OPND_REG ||
            in->operands[1].kind == PTX_OPND_INT);
}

static bool sets(const PtxInstr *in, uint32_t reg) {
    for (uint32_t i = 0; i < ptx_written_operands(in); i++)
        if (in->operands[i].kind == PTX_OPND_REG && in->operands[i].reg == reg)
            return true;
    return false;
}

static bool is_target(const PtxFunc *func, const PtxInstr *in) {
    for (size_t i = 0; i < func->label_count; i++)
        if (func->labels[i].target == (size_t)(in - func->instrs))
            return true;
    return false;
}

// Whether an instruction with a guard leaves its register as it was, and what
// runs in front of it, from the last label on, has not set it either.
static bool may_leave_unset(const PtxFunc *func, const PtxInstr *in) {
    enum { MOST = 32 }; // instructions in front of it
    if (!in->guard || !ptx_written_operands(in) ||
        in->operands[0].kind != PTX_OPND_REG)
        return false;
    uint32_t reg = in->operands[0].reg;
    const PtxInstr *at = in;
    for (int i = 0; i < MOST && at > func->instrs && !is_target(func, at); i++)
        if (sets(--at, reg) && !at->guard)
            return false;
    return true;
}

// Whether it is executed only if an answer says so.
static bool is_by_answer(const Search *s, const PtxInstr *in) {
    for (uint32_t d = in->guard ? s->last[in->guard - 1] : 0; d;
         d = s->definitions[d - 1].next)
        if (PTX_TRAITS[s->definitions[d - 1].in->op].object ==
            PTX_OBJECT_ANSWER)
            return true;
    return false;
}

static bool sets_number(const PtxInstr *in) {
    return in->op == PTX_OP_MOV && !in->guard && in->operand_count == 2 &&
           in->operands[1].kind == PTX_OPND_INT;
}

// Whether its result may depend on the thread otherwise than by its operands.
// Where a register is set at several places, the way there may depend on it.
static bool may_vary(const Search *s, const PtxInstr *in) {
    if (is_parameter(in))
        return false;
    return in->guard || PTX_TRAITS[in->op].result != PTX_RESULT_PURE ||
           PTX_TRAITS[in->op].object == PTX_OBJECT_ANSWER ||
           in->operands[0].kind != PTX_OPND_REG ||
           s->definitions[s->last[in->operands[0].reg] - 1].next;
}

static void visit(Search *s, const PtxInstr *in) {
    s->visits++;
    s->varies |= may_vary(s, in);
    s->computes |= !sets_number(in);
    s->evens |= sets_number(in) && !(in->operands[1].imm & 1);
    s->odds |= sets_number(in) && (in->operands[1].imm & 1);
    if (!s->unset && is_by_answer(s, in) && may_leave_unset(s->func->ptx, in))
        s->unset = in;
    SrcLoc at = line_of(s, in);
    if (is_parameter(in) || is_converted_parameter(s, in))
        return;
    if (!s->skips_copies || !is_placed_freely(s, in))
        add_line(s, at);
    if (PTX_TRAITS[in->op].object == PTX_OBJECT_ANSWER) {
        note_decoded(s, at);
        return;
    }
    bool is_load = ptx_is_load(in->op);
    s->loads |= is_load || ptx_is_atomic(in->op) ||
                PTX_TRAITS[in->op].next == PTX_NEXT_CALL;
    if (PTX_TRAITS[in->op].object == PTX_OBJECT_MBARRIER && !s->waited.line)
        s->waited = at;
    if (is_load)
        note_load(s, in);
    if ((is_load && !s->through_loads) ||
        PTX_TRAITS[in->op].next == PTX_NEXT_CALL)
        return;
    if (!s->cut && bits_left(in))
        s->cut = in;
    for (uint32_t i = ptx_written_operands(in); i < in->operand_count; i++)
        follow(s, &in->operands[i]);
}

// What sets the register, from the access upwards and then from the end, as in
// the round of a loop before.
static void visit_definitions(Search *s, uint32_t reg) {
    for (int above = 1; above >= 0; above--)
        for (uint32_t d = s->last[reg]; d; d = s->definitions[d - 1].next)
            if ((s->definitions[d - 1].in < s->access) == above)
                visit(s, s->definitions[d - 1].in);
}

// Takes the line that is closest above the access, or else the last one in the
// file. Line 0: there is none left.
static SrcLoc take_closest(Search *s) {
    uint32_t best = s->line_count;
    for (uint32_t i = 0; i < s->line_count; i++) {
        bool is_above = s->lines[i].line < s->own.line,
             is_best_above =
                 best < s->line_count && s->lines[best].line < s->own.line;
        if (best == s->line_count || (is_above && !is_best_above) ||
            (is_above == is_best_above &&
             s->lines[i].line > s->lines[best].line))
            best = i;
    }
    if (best == s->line_count)
        return (SrcLoc){0};
    SrcLoc at = s->lines[best];
    s->lines[best] = s->lines[--s->line_count];
    return at;
}

static VmOrigin found(Search *s) {
    VmOrigin origin = {.at = {take_closest(s)}, .var = s->var};
    bool is_decode = s->decoded.line && s->decoded.line != origin.at[0].line;
    origin.at[1] = is_decode ? s->decoded : take_closest(s);
    return origin;
}

// False: `access` is not of this function. The caller frees the arena.
static bool search_begin(Search *s, Arena *arena) {
    const PtxFunc *ptx = s->func->ptx;
    if (s->access < ptx->instrs || s->access >= ptx->instrs + ptx->instr_count)
        return false;
    s->seen = arena_new(arena, bool, ptx->reg_count + 1);
    s->queue = arena_new(arena, uint32_t, ptx->reg_count + 1);
    s->last = arena_new(arena, uint32_t, ptx->reg_count + 1);
    list_definitions(s, arena);
    return true;
}

static void search_on(Search *s) {
    while (s->first < s->end)
        visit_definitions(s, s->queue[s->first++]);
}

// Searches from an operand of `access`.
static bool search(Search *s, Arena *arena, uint32_t operand) {
    if (operand >= s->access->operand_count || !search_begin(s, arena))
        return false;
    follow(s, &s->access->operands[operand]);
    search_on(s);
    return true;
}

// Whether the number that is cut has a block's index in it.
static bool cuts_index(const Search *s) {
    Arena arena = {0};
    Search cut = {.vm = s->vm, .func = s->func, .access = s->cut};
    bool found = search(&cut, &arena, 1) && cut.is_index;
    arena_free(&arena);
    return found;
}

static VmOrigin origin_of(const Vm *vm, const VmFunc *func,
                          const PtxInstr *access, SrcLoc own, uint32_t operand,
                          Staged *staged) {
    Arena arena = {0};
    Search s = {.vm = vm, .func = func, .access = access, .own = own};
    VmOrigin origin = {0};
    if (search(&s, &arena, operand)) {
        origin = found(&s);
        origin.varies = s.varies;
        *staged = s.staged;
        memcpy(origin.read, s.reads, sizeof origin.read);
        origin.unset = s.unset ? line_of(&s, s.unset) : (SrcLoc){0};
        if (s.cut && cuts_index(&s)) {
            origin.cut = line_of(&s, s.cut);
            origin.cut_bits = bits_left(s.cut);
        }
    }
    arena_free(&arena);
    return origin;
}

static uint32_t address_operand(const PtxInstr *access) {
    uint32_t operand = 0;
    while (operand < access->operand_count &&
           access->operands[operand].kind != PTX_OPND_ADDRESS)
        operand++;
    return operand;
}

VmOrigin vm_origin_of_address(const Vm *vm, const VmFunc *func,
                              const PtxInstr *access, SrcLoc own) {
    Staged staged;
    return origin_of(vm, func, access, own, address_operand(access), &staged);
}

// ---- values that were stored to shared memory in between ------------------

static const PtxVar *shared_var(const Vm *vm, const VmFunc *func,
                                const PtxInstr *access) {
    return vm_origin_of_address(vm, func, access, (SrcLoc){0}).var;
}

// The store to the variable that is closest above the load, or else the last
// one of the function; NULL: there is none, or there are too many stores.
static const PtxInstr *store_before(const Vm *vm, const VmFunc *func,
                                    const PtxInstr *load) {
    enum {
        MOST = 16,
        LONGEST = 8192
    }; // of a longer function it takes too long
    const PtxVar *var = shared_var(vm, func, load);
    const PtxInstr *above = NULL, *last = NULL;
    uint32_t tried = 0;
    size_t count = func->ptx->instr_count;
    for (size_t i = 0; var && count <= LONGEST && i < count && tried < MOST;
         i++) {
        const PtxInstr *in = &func->ptx->instrs[i];
        if (!ptx_is_store(in->op) || ptx_space(in) != PTX_SPACE_SHARED)
            continue;
        tried++;
        if (shared_var(vm, func, in) != var)
            continue;
        last = in;
        above = in < load ? in : above;
    }
    return above ? above : last;
}

// Returns false if nothing from global memory was stored there.
static bool add_staged(const Vm *vm, const VmFunc *func, const PtxInstr *load,
                       VmOrigin *origin) {
    const PtxInstr *store = store_before(vm, func, load);
    if (!store)
        return false;
    Arena arena = {0};
    Search s = {.vm = vm, .func = func, .access = store, .through_loads = true};
    s.own = line_of(&s, store);
    origin->stored_at = s.own;
    if (search(&s, &arena, 1))
        origin->stored_from = take_closest(&s);
    arena_free(&arena);
    return s.loads_global;
}

// Of several shared variables, the one with data from global memory tells most.
VmOrigin vm_origin_of_value(const Vm *vm, const VmFunc *func,
                            const PtxInstr *store, SrcLoc own) {
    Staged staged = {0};
    VmOrigin origin = origin_of(vm, func, store, own, 1, &staged);
    for (uint32_t i = 0; i < staged.count; i++)
        if (add_staged(vm, func, staged.loads[i], &origin))
            break;
    return origin;
}

VmOrigin vm_origin_of_operand(const Vm *vm, const VmFunc *func,
                              const PtxInstr *in, SrcLoc own,
                              uint32_t operand) {
    Arena arena = {0};
    Search s = {
        .vm = vm, .func = func, .access = in, .own = own, .skips_copies = true};
    VmOrigin origin = {0};
    if (search(&s, &arena, operand)) {
        bool is_number = in->operands[operand].kind == PTX_OPND_INT;
        origin = found(&s);
        origin.is_fixed = is_number || (s.visits == 1 && !s.computes);
        origin.begins_even = s.evens && !s.odds && !s.loads && !is_number;
    }
    arena_free(&arena);
    return origin;
}

VmOrigin vm_origin_of_guard(const Vm *vm, const VmFunc *func,
                            const PtxInstr *branch, SrcLoc own) {
    Arena arena = {0};
    Search s = {.vm = vm, .func = func, .access = branch, .own = own};
    VmOrigin origin = {0};
    if (branch->guard && search_begin(&s, &arena)) {
        follow_reg(&s, branch->guard - 1);
        search_on(&s);
        origin = found(&s);
        origin.loads = s.loads;
        origin.waited = s.waited;
    }
    arena_free(&arena);
    return origin;
}

const PtxInstr *vm_origin_unset(const Vm *vm, const VmFunc *func,
                                const PtxInstr *branch) {
    Arena arena = {0};
    Search s = {.vm = vm, .func = func, .access = branch};
    if (branch->guard && search_begin(&s, &arena)) {
        follow_reg(&s, branch->guard - 1);
        search_on(&s);
    }
    arena_free(&arena);
    return s.unset;
}

void vm_origin_blame_unset(const VmWarp *w, uint32_t lane,
                           const VmOrigin *address, Finding *finding) {
    bool was_refused = w->clc.saw_refusal >> lane & 1;
    if (!finding || !was_refused || !address->unset.line)
        return;
    if (!finding->reason)
        finding->reason = REASON_LEFT_UNSET;
    vm_relate_line(w->vm, finding, PLACE_LEFT_UNSET, address->unset, NO_FACTS);
}
