// SPDX-License-Identifier: Apache-2.0
// See follow.h. A frame has a mark for each register and lane, a CTA one for
// each word of its shared memory. The result of an instruction has the marks of
// its operands; a value that is read from memory has the mark of the word, or
// else that of the address, as from far. What goes to local memory, to a call
// or to global memory is not followed: it counts as used there, and what is
// read there is of unknown origin.
//
// Where two granted indices meet in one value, the mark is that of the later
// request, and no more is said of either block; unless one of them is from far,
// as in sums of what was read.
#include "vm/decode/follow.h"

#include "vm/decode/decode.h"
#include "vm/decode/doubt.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"

enum { FOLLOWED_MOST = 4 << 20 }; // warp-instructions of a launch

struct VmMarks {
    uint32_t *lanes;        // by register: those whose value has a mark
    VmMark (*of)[VM_LANES]; // by register and lane; valid for these
};

// ---- a launch ------------------------------------------------------------

// In the plain schedule, and in that in which most blocks are granted, as all
// others may fit on a large device at once.
static bool is_followed(const DeviceLaunch *launch) {
    DeviceStrategy strategy = launch->schedule.strategy;
    return !(launch->unchecked >> RULE_CLC009 & 1) && !launch->exploration &&
           (strategy == STRATEGY_ROUND_ROBIN || strategy == STRATEGY_ONE_SM);
}

void vm_follow_begin(Vm *vm) {
    vm->follow = NULL;
    if (!vm->program->asks || !is_followed(vm->launch))
        return;
    vm->follow = arena_new(&vm->run_arena, VmFollow, 1);
    vm->follow->left = FOLLOWED_MOST;
    vm->follow->clock = 1;
}

static bool is_over(const VmWarp *w) {
    return !w->vm->follow->left || w->cta->clc.is_judged;
}

void vm_follow_frame(const VmWarp *w, VmFrame *frame) {
    size_t count = frame->func->reg_count + 1u;
    if (is_over(w))
        return;
    VmMarks *marks = heap_alloc(1, sizeof *marks + count * sizeof(uint32_t) +
                                       count * sizeof *marks->of);
    marks->of = (VmMark(*)[VM_LANES])(void *)(marks + 1);
    marks->lanes = (uint32_t *)(marks->of + count);
    frame->marks = marks;
}

static void stop(VmFrame *frame) {
    heap_free(frame->marks);
    frame->marks = NULL;
}

static void time_passes(VmFollow *follow, uint64_t instructions) {
    follow->clock += instructions;
    follow->left -= instructions < follow->left ? instructions : follow->left;
}

// ---- marks ---------------------------------------------------------------

static bool has_register(VmRef ref) {
    return ref.reg != VM_NO_REG && ref.sel == 0;
}

static uint32_t marked(const VmMarks *m, VmRef ref) {
    return has_register(ref) ? m->lanes[ref.reg] : 0;
}

static VmMark mark_of(const VmMarks *m, VmRef ref, uint32_t lane) {
    return marked(m, ref) >> lane & 1 ? m->of[ref.reg][lane] : 0;
}

static void set_mark(VmMarks *m, VmRef ref, uint32_t lane, VmMark mark) {
    if (!has_register(ref))
        return;
    m->lanes[ref.reg] &= ~(1u << lane);
    m->lanes[ref.reg] |= (uint32_t)(mark != 0) << lane;
    m->of[ref.reg][lane] = mark;
}

static void clear_results(VmMarks *m, const VmInstr *in, uint32_t lanes) {
    for (uint32_t i = 0; i < in->dst_count; i++)
        if (has_register(vm_dsts(in)[i]))
            m->lanes[vm_dsts(in)[i].reg] &= ~lanes;
}

static bool is_granted(VmMark mark) {
    return mark >> MARK_REQUEST != 0;
}

// Of a value that is made of two. `alone`: it may be either index again, as
// bits of it; else it is a truth.
static VmMark join(VmWarp *w, uint32_t lane, VmMark a, VmMark b, bool alone) {
    if (!is_granted(a) || !is_granted(b) || (a ^ b) >> MARK_REQUEST == 0)
        return a | b;
    if (alone && !((a | b) & MARK_FAR))
        vm_used_mixed(w, a, b);
    bool b_stays = (a ^ b) & MARK_FAR ? (a & MARK_FAR) != 0 : b > a;
    vm_used(w, lane, b_stays ? a : b);
    return (b_stays ? b : a) | ((a | b) & 7);
}

static VmMark far(VmMark mark) {
    return mark ? mark | MARK_FAR : 0;
}

static uint32_t marked_sources(const VmMarks *m, const VmInstr *in) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < in->src_count; i++)
        lanes |= marked(m, vm_srcs(in)[i]);
    return lanes;
}

// That of all operands from `from` on, as one value.
static VmMark mark_of_sources(VmWarp *w, const VmInstr *in, uint32_t from,
                              uint32_t lane, bool alone) {
    const VmMarks *m = w->frag->frame->marks;
    VmMark mark = 0;
    for (uint32_t i = from; i < in->src_count; i++)
        mark = join(w, lane, mark, mark_of(m, vm_srcs(in)[i], lane), alone);
    return mark;
}

static void use_sources(VmWarp *w, const VmInstr *in, uint32_t lanes) {
    EACH_LANE(l, lanes) {
        for (uint32_t i = 0; i < in->src_count; i++)
            vm_used(w, l, mark_of(w->frag->frame->marks, vm_srcs(in)[i], l));
    }
}

// ---- registers -----------------------------------------------------------

// The axis of an index of the CTA that the operand is; AXIS_NONE: it is none.
enum { AXIS_NONE = 3 };
static uint32_t axis_read(const VmInstr *in) {
    const PtxOperand *from = &in->ptx->operands[1];
    if (in->ptx->operand_count < 2 || from->kind != PTX_OPND_SREG)
        return AXIS_NONE;
    switch ((int)from->sreg) {
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CLUSTERID_X:
        return 0;
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CLUSTERID_Y:
        return 1;
    case PTX_SREG_CTAID_Z:
    case PTX_SREG_CLUSTERID_Z:
        return 2;
    default:
        return AXIS_NONE;
    }
}

static void set_results(VmMarks *m, const VmInstr *in, uint32_t lane,
                        VmMark mark) {
    for (uint32_t i = 0; i < in->dst_count; i++)
        set_mark(m, vm_dsts(in)[i], lane, mark);
}

// Of a select, the operand that is chosen counts, and the condition.
static VmMark selected(VmWarp *w, const VmInstr *in, uint32_t lane) {
    const VmMarks *m = w->frag->frame->marks;
    bool first = vm_pred(w, in->src[2]) >> lane & 1;
    return join(w, lane, mark_of(m, in->src[first ? 0 : 1], lane),
                mark_of(m, in->src[2], lane), true);
}

// The only operand that has marks, as a rule; NULL: there are several.
static const VmRef *only_marked(const VmMarks *m, const VmInstr *in,
                                uint32_t mask) {
    const VmRef *only = NULL;
    for (uint32_t i = 0; i < in->src_count; i++) {
        if (!(marked(m, vm_srcs(in)[i]) & mask))
            continue;
        if (only)
            return NULL;
        only = &vm_srcs(in)[i];
    }
    return only;
}

static void give_marks(VmMarks *m, VmRef dst, uint32_t mask, uint32_t lanes,
                       const VmMark *marks) {
    if (!has_register(dst))
        return;
    VmMark *to = m->of[dst.reg];
    uint32_t *held = &m->lanes[dst.reg];
    if ((*held & ~mask) == 0) {
        memmove(to, marks, sizeof m->of[dst.reg]);
    } else {
        EACH_LANE(l, lanes) {
            to[l] = marks[l];
        }
    }
    *held = (*held & ~mask) | lanes;
}

static void read_index(VmMarks *m, const VmInstr *in, uint32_t mask) {
    uint32_t axis = axis_read(in);
    EACH_LANE(l, axis == AXIS_NONE ? 0 : mask) {
        set_results(m, in, l, vm_mark_first(1u << axis));
    }
}

static void compute(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmMarks *m = w->frag->frame->marks;
    uint32_t lanes = marked_sources(m, in) & mask;
    if (!lanes) {
        clear_results(m, in, mask);
        if (in->src_count == 0)
            read_index(m, in, mask);
        return;
    }
    bool selects = PTX_TRAITS[in->op].data == PTX_DATA_SELECTED;
    const VmRef *only = selects ? NULL : only_marked(m, in, mask);
    VmMark joined[VM_LANES];
    const VmMark *marks = only ? m->of[only->reg] : joined;
    EACH_LANE(l, only ? 0 : lanes) {
        joined[l] =
            selects ? selected(w, in, l)
                    : mark_of_sources(w, in, 0, l, vm_dsts(in)[0].size != 0);
    }
    EACH_LANE(l, selects ? lanes : 0) {
        lanes &= ~((uint32_t)(joined[l] == 0) << l);
    }
    for (uint32_t i = 0; i < in->dst_count; i++)
        give_marks(m, vm_dsts(in)[i], mask, lanes, marks);
}

static void all_use(VmWarp *w, uint32_t lanes, VmMark mark) {
    EACH_LANE(l, lanes) {
        vm_used(w, l, mark);
    }
}

// Votes and the like: each lane's result depends on the others' operands, and
// is no index.
static void vote(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmMarks *m = w->frag->frame->marks;
    uint32_t lanes = marked_sources(m, in) & mask;
    EACH_LANE(l, lanes) {
        all_use(w, mask, mark_of_sources(w, in, 0, l, false));
    }
    clear_results(m, in, mask);
}

void vm_follow_shuffled(const VmWarp *w, const VmInstr *in,
                        const uint8_t *sources, uint32_t mask) {
    VmMarks *m = w->frag->frame->marks;
    VmMark from[VM_LANES];
    for (uint32_t l = 0; l < VM_LANES; l++)
        from[l] = mark_of(m, in->src[0], l);
    EACH_LANE(l, mask) {
        set_mark(m, in->dst[0], l, from[sources[l]]);
    }
}

void vm_follow_granted(VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint32_t request, uint32_t first) {
    VmMarks *m = w->frag->frame->marks;
    for (uint32_t i = 0; i < in->dst_count && first + i < AXIS_NONE; i++)
        set_mark(m, vm_dsts(in)[i], lane,
                 vm_mark_granted(request, 1u << (first + i)));
}

// ---- memory --------------------------------------------------------------

// The mark of a word of shared memory. NULL: there are none, and `make` is
// false or there is no memory left.
static VmMark *word_at(VmCta *cta, uint64_t offset, bool make) {
    if (!cta->clc.marks && make)
        cta->clc.marks = vm_used_memory(
            cta->cluster->vm, (cta->smem_bytes / 4 + 1) * sizeof(VmMark));
    return cta->clc.marks && offset < cta->smem_bytes
               ? &cta->clc.marks[offset / 4]
               : NULL;
}

void vm_follow_written(VmCta *cta, uint64_t offset, uint32_t bytes) {
    for (uint64_t at = offset & ~UINT64_C(3); at < offset + bytes; at += 4) {
        VmMark *word = word_at(cta, at, false);
        if (word)
            *word = 0;
    }
}

// Where a lane accesses shared memory. NULL: it does not.
static VmCta *shared_place(const VmWarp *w, const VmInstr *in, uint32_t lane,
                           uint64_t *offset) {
    uint64_t address = vm_lane_address(w, in, lane);
    uint32_t at;
    if (vm_space_at((PtxSpace)in->space, address) != PTX_SPACE_SHARED)
        return NULL;
    VmCta *cta = vm_shared_owner(w, (uint32_t)address, &at);
    *offset = (uint64_t)at - VM_SHARED_BASE;
    return cta;
}

static bool is_global(const VmWarp *w, const VmInstr *in, uint32_t lane) {
    return vm_space_at((PtxSpace)in->space, vm_lane_address(w, in, lane)) ==
           PTX_SPACE_GLOBAL;
}

// The lanes access memory at addresses of these origins.
static void access_at(VmWarp *w, const VmInstr *in, uint32_t mask,
                      uint32_t lanes, const VmMark *marks) {
    uint32_t global = in->space == PTX_SPACE_GLOBAL ? mask : 0;
    EACH_LANE(l, in->space == PTX_SPACE_GENERIC ? mask : 0) {
        global |= (uint32_t)is_global(w, in, l) << l;
    }
    if (global)
        vm_used_at(w, global, in->loc, lanes & global ? marks : NULL);
    EACH_LANE(l, lanes & ~global) {
        vm_used(w, l, marks[l]);
    }
}

// Fills in the marks of the addresses, and returns the lanes that have one.
static uint32_t addresses_at(VmWarp *w, const VmInstr *in, uint32_t mask,
                             VmMark *marks) {
    const VmMarks *m = w->frag->frame->marks;
    uint32_t lanes = marked(m, in->src[0]) & mask;
    EACH_LANE(l, lanes ? mask : 0) {
        marks[l] = mark_of(m, in->src[0], l);
    }
    access_at(w, in, mask, lanes, marks);
    return lanes;
}

// Whether some word of the shared memory that it may access has a mark.
static bool may_find_marks(const VmWarp *w, const VmInstr *in) {
    const VmCluster *cluster = w->cta->cluster;
    bool any = false;
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        any |= cluster->ctas[i]->clc.marks != NULL;
    return any && in->space != PTX_SPACE_GLOBAL;
}

static void load(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmMarks *m = w->frag->frame->marks;
    VmMark addresses[VM_LANES] = {0};
    uint32_t lanes = addresses_at(w, in, mask, addresses);
    if (!lanes && !may_find_marks(w, in)) {
        clear_results(m, in, mask);
        return;
    }
    EACH_LANE(l, mask) {
        uint64_t offset = 0;
        VmCta *cta = shared_place(w, in, l, &offset);
        for (uint32_t e = 0; e < in->dst_count; e++) {
            const VmMark *word =
                cta ? word_at(cta, offset + e * in->width, false) : NULL;
            set_mark(m, vm_dsts(in)[e], l,
                     word && *word ? *word : far(addresses[l]));
        }
    }
}

// A part of a word has another mark than the rest: the word has none.
static void store_word(VmWarp *w, const VmInstr *in, VmMark *word,
                       VmMark value) {
    bool is_other = in->width < 4 && *word && value && *word != value;
    if (is_other)
        vm_used_mixed(w, *word, value);
    *word = is_other ? 0 : value;
}

static void store(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmMarks *m = w->frag->frame->marks;
    VmMark addresses[VM_LANES];
    addresses_at(w, in, mask, addresses);
    if (!(marked_sources(m, in) & mask) && !may_find_marks(w, in))
        return;
    EACH_LANE(l, mask) {
        uint64_t offset = 0;
        VmCta *cta = shared_place(w, in, l, &offset);
        for (uint32_t e = 0; e + 1 < in->src_count; e++) {
            VmMark value = mark_of(m, vm_srcs(in)[1 + e], l);
            if (!cta)
                vm_used(w, l, value);
            for (uint32_t b = 0; cta && b < in->width; b += 4) {
                VmMark *word =
                    word_at(cta, offset + e * in->width + b, value != 0);
                if (word)
                    store_word(w, in, word, value);
            }
        }
    }
}

static void update(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmMarks *m = w->frag->frame->marks;
    VmMark addresses[VM_LANES] = {0};
    addresses_at(w, in, mask, addresses);
    EACH_LANE(l, mask) {
        VmMark old = 0;
        VmMark value = mark_of_sources(w, in, 1, l, true);
        uint64_t offset = 0;
        VmCta *cta = shared_place(w, in, l, &offset);
        VmMark *word = cta ? word_at(cta, offset, value != 0) : NULL;
        if (word) {
            old = *word;
            *word = join(w, l, old, value, true);
        } else {
            vm_used(w, l, value);
        }
        set_results(m, in, l, old ? old : far(addresses[l]));
    }
}

// Copies, textures and whatever else has addresses or coordinates.
static void access_otherwise(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmMarks *m = w->frag->frame->marks;
    uint32_t object = PTX_TRAITS[in->op].object;
    bool is_work =
        object != PTX_OBJECT_MBARRIER && object != PTX_OBJECT_REQUEST;
    VmMark marks[VM_LANES];
    EACH_LANE(l, mask) {
        marks[l] = mark_of_sources(w, in, 0, l, false);
        if (!is_work)
            vm_used(w, l, marks[l]);
        set_results(m, in, l, far(marks[l]));
    }
    if (is_work)
        vm_used_at(w, mask, in->loc, marks);
}

// ---- instructions --------------------------------------------------------

static void use_guard(VmWarp *w, const VmInstr *in, uint32_t active) {
    const VmMarks *m = w->frag->frame->marks;
    if (in->guard == VM_NONE || in->guard_reg == VM_NO_REG)
        return;
    EACH_LANE(l, m->lanes[in->guard_reg] & active) {
        vm_used(w, l, m->of[in->guard_reg][l]);
    }
}

static bool is_plain_access(const VmInstr *in) {
    return in->width && in->src_count && !in->is_frame &&
           PTX_TRAITS[in->op].object == PTX_OBJECT_MEMORY;
}

static void access_memory(VmWarp *w, const VmInstr *in, uint32_t mask) {
    if (!is_plain_access(in))
        access_otherwise(w, in, mask);
    else if (ptx_is_load(in->op))
        load(w, in, mask);
    else if (ptx_is_store(in->op))
        store(w, in, mask);
    else
        update(w, in, mask);
}

static void follow(VmWarp *w, const VmInstr *in, uint32_t mask,
                   uint32_t active) {
    VmMarks *m = w->frag->frame->marks;
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    use_guard(w, in, active);
    if (in->is_frame || (ptx_is_load(in->op) && in->is_constant)) {
        use_sources(w, in, marked_sources(m, in) & mask);
        clear_results(m, in, mask);
    } else if (traits->data == PTX_DATA_SHUFFLED) {
        return; // vm_follow_shuffled
    } else if (traits->access != PTX_ACCESS_NONE) {
        access_memory(w, in, mask);
    } else if (traits->object == PTX_OBJECT_LANES) {
        vote(w, in, mask);
    } else if (traits->object == PTX_OBJECT_NONE && in->dst_count) {
        compute(w, in, mask);
    } else {
        use_sources(w, in, marked_sources(m, in) & mask);
        clear_results(m, in, mask);
    }
}

void vm_follow_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                    uint32_t active) {
    VmFollow *have = w->vm->follow;
    if (is_over(w)) {
        stop(w->frag->frame);
        return;
    }
    time_passes(have, 1);
    follow(w, in, mask, active);
}

// As vm_op_doubtful_rest: meanwhile the fragment's pc says where it is.
VmNext vm_follow_run(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmFragment *f = w->frag;
    const VmInstr *code = f->frame->func->code;
    uint32_t end = f->pc;
    VmNext next = VM_GO;
    for (uint32_t left = in->run; left && next == VM_GO; left--, in++) {
        VmInstr alone = *in;
        alone.next = vm_op_run_ends;
        f->pc = left > 1 ? (uint32_t)(in - code) + 1 : end;
        uint32_t now = vm_guarded(w, in, mask);
        if (vm_follows(f->frame))
            vm_follow_step(w, in, now, mask);
        bool goes_on = !f->frame->doubts || vm_doubt_step(w, in, now, mask);
        next = goes_on ? alone.handler(w, &alone, mask) : VM_STOP;
    }
    return next;
}

void vm_follow_cta_exited(VmCta *cta) {
    if (cta->cluster->vm->follow->left)
        vm_used_judge(cta);
}
