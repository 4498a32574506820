// SPDX-License-Identifier: Apache-2.0
// Register allocation: where a function's registers are in its frame.
//
// nvcc writes each value to a register of its own, thousands in a large kernel,
// of which few are live at a time. Registers with disjoint live ranges share a
// slot, so that a frame is as large as what is live at once, and stays in the
// cache.
//
//   blocks     basic blocks: the code between labels and jumps
//   wide       a register that is live across blocks: has a bit in the sets
//   interval   from the first to the last instruction at which a register may
//              be live, in the order of the text; holes in it are not used
//
// Lanes of a warp may be at different places, but each writes only its own part
// of a slot: so liveness for one thread is liveness for all. If the sets would
// be too large, or the iteration does not converge, every register keeps a slot
// of its own.
#include "vm/code/registers.h"

#include <string.h>

enum { SETS_MOST = 1 << 20, PASSES_MOST = 100 };
#define NOWHERE UINT32_MAX

typedef struct Block {
    uint32_t from, to; // instructions [from, to)
} Block;

typedef struct Reg {
    uint32_t first, last; // interval; first > last: not used
    uint32_t block;       // the block that uses it; NOWHERE: none yet
    uint32_t wide;        // number of its bit; NOWHERE: local to a block
    bool exposed;         // in some block it is read before it is written
    bool is_formal;       // call and ret use it, which the text does not show
} Reg;

typedef struct Liveness {
    Arena *arena;
    const PtxFunc *ptx;
    Reg *regs;
    Block *blocks;
    uint32_t *block_of; // by instruction
    size_t block_count;
    size_t words;   // of a set, which has a bit for each wide register
    uint32_t *wide; // their register numbers
    size_t wide_count;
    uint64_t *in, *reads, *kills;
    uint32_t pos; // index of the instruction being visited
} Liveness;

// ---- what an instruction reads and writes --------------------------------

typedef void (*Visit)(Liveness *live, uint32_t reg, bool kills);

static void visit_operand(Liveness *live, const PtxOperand *op, bool kills,
                          Visit visit) {
    bool is_reg = op->kind == PTX_OPND_REG ||
                  (op->kind == PTX_OPND_ADDRESS && op->base == PTX_BASE_REG);
    if (is_reg)
        visit(live, op->reg, kills && op->kind == PTX_OPND_REG && !op->select);
    bool results = kills && op->kind != PTX_OPND_ADDRESS;
    for (uint32_t i = 0; i < op->elem_count; i++)
        visit_operand(live, &op->elems[i], results, visit);
}

// Visits reads first, then what is certainly written (not under a guard).
static void visit_instr(Liveness *live, const PtxInstr *in, Visit visit) {
    uint32_t results = ptx_written_operands(in);
    if (in->guard)
        visit(live, in->guard - 1, false);
    for (uint32_t i = results; i < in->operand_count; i++)
        visit_operand(live, &in->operands[i], false, visit);
    for (uint32_t i = 0; i < results && i < in->operand_count; i++)
        visit_operand(live, &in->operands[i], !in->guard, visit);
}

// ---- blocks --------------------------------------------------------------

static void find_blocks(Liveness *live) {
    const PtxFunc *ptx = live->ptx;
    size_t count = ptx->instr_count;
    uint8_t *starts = arena_new(live->arena, uint8_t, count + 1);
    for (size_t i = 0; i < ptx->label_count; i++)
        starts[ptx->labels[i].target] = 1;
    for (size_t i = 0; i < count; i++)
        if (ptx_leaves(ptx->instrs[i].op))
            starts[i + 1] = 1;
    live->blocks = arena_new(live->arena, Block, count + 1);
    live->block_of = arena_new(live->arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || starts[i])
            live->blocks[live->block_count++].from = (uint32_t)i;
        live->blocks[live->block_count - 1].to = (uint32_t)i + 1;
        live->block_of[i] = (uint32_t)live->block_count - 1;
    }
}

// ---- which registers are wide --------------------------------------------

static void mention(Liveness *live, uint32_t number, bool kills) {
    Reg *reg = &live->regs[number];
    uint32_t block = live->block_of[live->pos];
    if (reg->block != block)
        reg->exposed |= !kills;
    reg->block = block;
    if (live->pos < reg->first)
        reg->first = live->pos;
    reg->last = live->pos;
}

static void visit_all(Liveness *live, Visit visit) {
    for (size_t i = 0; i < live->ptx->instr_count; i++) {
        live->pos = (uint32_t)i;
        visit_instr(live, &live->ptx->instrs[i], visit);
    }
}

static void find_wide(Liveness *live) {
    size_t regs = live->ptx->reg_count;
    live->wide = arena_new(live->arena, uint32_t, regs + 1);
    for (size_t i = 0; i < regs; i++)
        live->regs[i] = (Reg){.first = UINT32_MAX, .block = NOWHERE};
    visit_all(live, mention);
    for (size_t i = 0; i < regs; i++) {
        live->regs[i].wide = NOWHERE;
        if (!live->regs[i].exposed)
            continue;
        live->regs[i].wide = (uint32_t)live->wide_count;
        live->wide[live->wide_count++] = (uint32_t)i;
    }
    live->words = (live->wide_count + 63) / 64;
}

// ---- sets ----------------------------------------------------------------

static uint64_t *set_of(const Liveness *live, uint64_t *sets, size_t block) {
    return sets + block * live->words;
}

static bool has_bit(const uint64_t *set, uint32_t bit) {
    return (set[bit / 64] >> (bit % 64)) & 1;
}

static void note_block(Liveness *live, uint32_t number, bool kills) {
    uint32_t bit = live->regs[number].wide;
    if (bit == NOWHERE)
        return;
    size_t block = live->block_of[live->pos];
    uint64_t *killed = set_of(live, live->kills, block);
    if (kills)
        killed[bit / 64] |= UINT64_C(1) << (bit % 64);
    else if (!has_bit(killed, bit))
        set_of(live, live->reads, block)[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static void add_in(Liveness *live, size_t block, uint64_t *out) {
    if (block >= live->block_count)
        return;
    const uint64_t *in = set_of(live, live->in, block);
    for (size_t i = 0; i < live->words; i++)
        out[i] |= in[i];
}

static void add_label(Liveness *live, uint32_t label, uint64_t *out) {
    uint32_t target = live->ptx->labels[label].target;
    if (target < live->ptx->instr_count)
        add_in(live, live->block_of[target], out);
}

// The registers that are live at the end of a block, from the successors of the
// block.
static void live_out(Liveness *live, size_t block, uint64_t *out) {
    const PtxInstr *end = &live->ptx->instrs[live->blocks[block].to - 1];
    PtxNext next = (PtxNext)PTX_TRAITS[end->op].next;
    memset(out, 0, live->words * sizeof *out);
    if (next == PTX_NEXT_JUMP && end->operand_count == 1 &&
        end->operands[0].kind == PTX_OPND_LABEL)
        add_label(live, end->operands[0].target, out);
    if (next == PTX_NEXT_TABLE && end->branch_targets) {
        const PtxTable *table = &live->ptx->tables[end->branch_targets - 1];
        for (size_t i = 0; table->labels && i < table->count; i++)
            add_label(live, table->labels[i], out);
    }
    if (!ptx_leaves(end->op) || end->guard)
        add_in(live, block + 1, out);
}

static bool pass(Liveness *live, uint64_t *out) {
    bool changed = false;
    for (size_t block = live->block_count; block-- > 0;) {
        uint64_t *in = set_of(live, live->in, block);
        const uint64_t *reads = set_of(live, live->reads, block);
        const uint64_t *kills = set_of(live, live->kills, block);
        live_out(live, block, out);
        for (size_t i = 0; i < live->words; i++) {
            uint64_t now = reads[i] | (out[i] & ~kills[i]);
            changed |= now != in[i];
            in[i] = now;
        }
    }
    return changed;
}

// The register of a bit that is in `set` and not in `seen`, to which it is
// added; NULL: there is none from `*word` on.
static Reg *next_new(const Liveness *live, const uint64_t *set, uint64_t *seen,
                     size_t *word) {
    for (; *word < live->words; ++*word) {
        uint64_t fresh = set[*word] & ~seen[*word];
        if (!fresh)
            continue;
        seen[*word] |= fresh & -fresh;
        size_t bit = *word * 64 + (size_t)__builtin_ctzll(fresh);
        return &live->regs[live->wide[bit]];
    }
    return NULL;
}

// Extends the intervals of wide registers over the blocks in which they are
// live: from the first at whose start they are, to the last at whose end.
static void stretch(Liveness *live, uint64_t *out) {
    uint64_t *begun = arena_new(live->arena, uint64_t, live->words + 1);
    uint64_t *ended = arena_new(live->arena, uint64_t, live->words + 1);
    Reg *reg;
    for (size_t b = 0; b < live->block_count; b++) {
        const uint64_t *in = set_of(live, live->in, b);
        for (size_t i = 0; (reg = next_new(live, in, begun, &i));)
            if (live->blocks[b].from < reg->first)
                reg->first = live->blocks[b].from;
    }
    for (size_t b = live->block_count; b-- > 0;) {
        live_out(live, b, out);
        for (size_t i = 0; (reg = next_new(live, out, ended, &i));)
            if (live->blocks[b].to > reg->last)
                reg->last = live->blocks[b].to;
    }
}

// False: the sets are too large, or the iteration does not converge.
static bool find_intervals(Liveness *live) {
    find_blocks(live);
    find_wide(live);
    size_t all = live->block_count * live->words;
    if (all > SETS_MOST)
        return false;
    live->in = arena_new(live->arena, uint64_t, all + 1);
    live->reads = arena_new(live->arena, uint64_t, all + 1);
    live->kills = arena_new(live->arena, uint64_t, all + 1);
    uint64_t *out = arena_new(live->arena, uint64_t, live->words + 1);
    visit_all(live, note_block);
    bool changed = true;
    for (int i = 0; changed && i < PASSES_MOST; i++)
        changed = pass(live, out);
    if (!changed)
        stretch(live, out);
    return !changed;
}

// ---- slots ---------------------------------------------------------------

// Size classes: a predicate; 2, 4, 8 and 16 bytes per lane; the last class is
// for vector registers, which never share a slot.
enum { CLASSES = 6, VECTORS = 5 };

static uint32_t class_of(const PtxReg *reg) {
    uint32_t size = ptx_type_size(reg->type);
    if (reg->vector > 1)
        return VECTORS;
    if (reg->type == PTX_PRED)
        return 0;
    return size <= 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
}

static uint32_t slot_bytes(const PtxReg *reg) {
    uint32_t size = ptx_type_size(reg->type);
    if (reg->type == PTX_PRED)
        return (uint32_t)sizeof(uint32_t);
    return VM_LANES * (size < 2 ? 2 : size) * reg->vector;
}

// Slots and registers are in linked lists by number + 1; 0 ends a list.
typedef struct Slots {
    uint32_t *starts, *ends; // by instruction: registers
    uint32_t *next_start, *next_end;
    uint32_t *free_next; // free list, by register: the register whose slot is
                         // next
    uint32_t free[CLASSES];
} Slots;

static void list_intervals(const Liveness *live, Slots *slots) {
    size_t regs = live->ptx->reg_count, count = live->ptx->instr_count + 2;
    Arena *arena = live->arena;
    slots->starts = arena_new(arena, uint32_t, count);
    slots->ends = arena_new(arena, uint32_t, count);
    slots->next_start = arena_new(arena, uint32_t, regs + 1);
    slots->next_end = arena_new(arena, uint32_t, regs + 1);
    slots->free_next = arena_new(arena, uint32_t, regs + 1);
    for (size_t i = regs; i-- > 0;) {
        const Reg *reg = &live->regs[i];
        if (reg->first > reg->last || reg->is_formal)
            continue;
        slots->next_start[i] = slots->starts[reg->first];
        slots->starts[reg->first] = (uint32_t)i + 1;
        slots->next_end[i] = slots->ends[reg->last];
        slots->ends[reg->last] = (uint32_t)i + 1;
    }
}

// A frame that grows too large is refused later: see vm_program_make.
static uint32_t new_slot(VmFunc *func, const PtxReg *reg) {
    if (reg->type != PTX_PRED)
        func->frame_bytes = (uint32_t)round_up(func->frame_bytes, 64);
    uint32_t at = func->frame_bytes;
    if (at < UINT32_MAX / 2)
        func->frame_bytes += slot_bytes(reg);
    return at;
}

// Linear scan: an interval takes a slot at its start and frees it after its
// end.
static void share_slots(const Liveness *live, VmFunc *func) {
    const PtxFunc *ptx = live->ptx;
    Slots slots = {0};
    list_intervals(live, &slots);
    for (size_t at = 0; at <= ptx->instr_count; at++) {
        for (uint32_t i = slots.starts[at]; i; i = slots.next_start[i - 1]) {
            const PtxReg *reg = &ptx->regs[i - 1];
            uint32_t class = class_of(reg), from = slots.free[class];
            if (class == VECTORS)
                from = 0;
            func->reg_offsets[i - 1] =
                from ? func->reg_offsets[from - 1] : new_slot(func, reg);
            if (from)
                slots.free[class] = slots.free_next[from - 1];
        }
        for (uint32_t i = slots.ends[at]; i; i = slots.next_end[i - 1]) {
            uint32_t class = class_of(&ptx->regs[i - 1]);
            slots.free_next[i - 1] = slots.free[class];
            slots.free[class] = i;
        }
    }
}

// Formal parameters and results that are registers never share a slot.
static void find_formals(Liveness *live, PtxVar **formals, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (formals[i]->space == PTX_SPACE_REG)
            live->regs[formals[i]->reg].is_formal = true;
}

// ---- registers that may be read before they are set ------------------------

static bool is_reached(const VmFunc *func, const PtxOperand *op) {
    bool is_reg = op->kind == PTX_OPND_REG ||
                  (op->kind == PTX_OPND_ADDRESS && op->base == PTX_BASE_REG);
    bool any = is_reg && func->reached[op->reg];
    for (uint32_t i = 0; i < op->elem_count; i++)
        any |= is_reached(func, &op->elems[i]);
    return any;
}

bool vm_registers_reached(const VmFunc *func, const PtxInstr *in) {
    bool any = in->guard && func->reached && func->reached[in->guard - 1];
    for (uint32_t i = 0; i < in->operand_count && func->reached; i++)
        any |= is_reached(func, &in->operands[i]);
    return any;
}

static bool reach_results(VmFunc *func, const PtxOperand *op) {
    bool is_new = op->kind == PTX_OPND_REG && !func->reached[op->reg];
    if (is_new)
        func->reached[op->reg] = 1;
    for (uint32_t i = 0; i < op->elem_count; i++)
        is_new |= reach_results(func, &op->elems[i]);
    return is_new;
}

// Whatever is computed of one that is reached is reached.
static void find_reached(Arena *arena, const PtxFunc *ptx, VmFunc *func) {
    func->reached = arena_new(arena, uint8_t, ptx->reg_count + 1);
    for (uint32_t i = 0; i < func->unset_count; i++)
        func->reached[func->unset[i]] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < ptx->instr_count; i++) {
            const PtxInstr *in = &ptx->instrs[i];
            uint32_t results = ptx_written_operands(in);
            for (uint32_t k = 0; k < results && k < in->operand_count; k++)
                if (vm_registers_reached(func, in))
                    changed |= reach_results(func, &in->operands[k]);
        }
    }
}

// They are live where the function begins. Of a register that is set under a
// guard, or in pieces, that is so, too: which threads have set it shows when
// they run (doubt.c).
static void find_unset(Arena *arena, const Liveness *live, VmFunc *func) {
    func->unset = arena_new(arena, uint32_t, live->wide_count + 1);
    for (size_t i = 0; i < live->wide_count && live->block_count; i++)
        if (has_bit(set_of(live, live->in, 0), (uint32_t)i) &&
            !live->regs[live->wide[i]].is_formal)
            func->unset[func->unset_count++] = live->wide[i];
    if (func->unset_count)
        find_reached(arena, live->ptx, func);
}

void vm_registers_place(Arena *arena, VmFunc *func) {
    const PtxFunc *ptx = func->ptx;
    Arena scratch = {0};
    Liveness live = {.arena = &scratch, .ptx = ptx};
    live.regs = arena_new(&scratch, Reg, ptx->reg_count + 1);
    func->reg_offsets = arena_new(arena, uint32_t, ptx->reg_count + 1);
    func->reg_count = (uint32_t)ptx->reg_count;
    bool shared = find_intervals(&live);
    find_formals(&live, ptx->params, ptx->param_count);
    find_formals(&live, ptx->results, ptx->result_count);
    if (shared) {
        find_unset(arena, &live, func);
        share_slots(&live, func);
    }
    for (size_t i = 0; i < ptx->reg_count; i++)
        if (!shared || live.regs[i].is_formal)
            func->reg_offsets[i] = new_slot(func, &ptx->regs[i]);
    func->frame_bytes = (uint32_t)round_up(func->frame_bytes, 64);
    arena_free(&scratch);
}
