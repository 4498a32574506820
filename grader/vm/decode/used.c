// SPDX-License-Identifier: Apache-2.0
// See used.h. A CTA has a row for each line, with what each thread did there on
// the first index, and for each granted request another one.
#include "vm/decode/used.h"

#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"

enum {
    AXES = 3,
    WINDOW = 16,            // grants of a CTA that are kept
    JUDGED_MOST = 16,       // of its grants
    MEMORY_MOST = 32 << 20, // bytes, of a launch
};

// The first index, at one line.
typedef struct FirstRow {
    uint32_t *times; // by thread: how often it worked there
    uint8_t *axes;   // by thread, as bits: by which it did
    uint8_t *blind;  // by thread: it came there with an unknown address
    uint8_t *moved;  // by thread: it has worked there on a granted index
    uint32_t most;   // of `times`
    uint32_t total[AXES];
} FirstRow;

// A granted one, at one line.
typedef struct GrantRow {
    uint32_t *times;
    uint32_t all, total[AXES]; // all: by one axis or another
    uint32_t loc;
} GrantRow;

typedef struct Grant {
    uint32_t request;
    bool is_mixed; // it is not known where its index went
    uint8_t *axes; // by thread, as bits: that it has used
    uint64_t last; // VmFollow.clock of the last work
    GrantRow rows[VM_WORK_LINES];
} Grant;

struct VmUsed {
    FirstRow rows[VM_WORK_LINES];
    uint64_t *left_at; // by thread: VmFollow.clock; 0: it has not
    uint32_t *left_loc;
    Grant *grants[WINDOW]; // the last ones, by `count` modulo WINDOW
    uint32_t count;        // of grants so far
    uint32_t hit;          // the one of the last look
    uint32_t judged;       // highest request of one that is no longer kept, + 1
};

void *vm_used_memory(Vm *vm, size_t bytes) {
    VmFollow *follow = vm->follow;
    follow->bytes += bytes;
    if (follow->bytes > MEMORY_MOST)
        follow->left = 0;
    return follow->left ? arena_alloc(&vm->run_arena, 1, 16, bytes) : NULL;
}

// ---- rows ----------------------------------------------------------------

// NULL: its indices are followed no more.
static VmUsed *used_by(VmCta *cta) {
    Vm *vm = cta->cluster->vm;
    if (cta->clc.used || cta->clc.is_judged)
        return cta->clc.is_judged ? NULL : cta->clc.used;
    VmUsed *used = vm_used_memory(vm, sizeof *used);
    if (!used)
        return NULL;
    used->left_at = vm_used_memory(vm, cta->threads * sizeof(uint64_t));
    used->left_loc = vm_used_memory(vm, cta->threads * sizeof(uint32_t));
    return cta->clc.used = used->left_at && used->left_loc ? used : NULL;
}

static FirstRow *first_row(VmCta *cta, uint32_t line) {
    Vm *vm = cta->cluster->vm;
    VmUsed *used = used_by(cta);
    if (!used || used->rows[line].times)
        return used ? &used->rows[line] : NULL;
    FirstRow *row = &used->rows[line];
    row->axes = vm_used_memory(vm, cta->threads);
    row->blind = vm_used_memory(vm, cta->threads);
    row->moved = vm_used_memory(vm, cta->threads);
    uint32_t *times = vm_used_memory(vm, cta->threads * sizeof *times);
    row->times = times;
    return times && row->moved ? row : NULL;
}

static void grant_clear(const VmCta *cta, Grant *g, uint32_t request) {
    uint32_t threads = cta->threads;
    for (uint32_t i = 0; i < VM_WORK_LINES; i++) {
        uint32_t *times = g->rows[i].times;
        g->rows[i] = (GrantRow){.times = times};
        if (times)
            memset(times, 0, threads * sizeof *times);
    }
    memset(g->axes, 0, threads);
    g->request = request;
    g->is_mixed = false;
    g->last = 0;
}

static void judge(VmCta *cta, const Grant *g);

// The oldest one that is kept makes place: so many later ones have been used
// that it is done with.
static Grant *grant_new(VmCta *cta, VmUsed *used, uint32_t request) {
    Vm *vm = cta->cluster->vm;
    Grant **place = &used->grants[used->count % WINDOW], *g = *place;
    if (g) {
        judge(cta, g);
        if (used->judged <= g->request)
            used->judged = g->request + 1;
        cta->clc.is_judged |= used->count - WINDOW == JUDGED_MOST;
        grant_clear(cta, g, request);
    } else {
        g = vm_used_memory(vm, sizeof *g);
        if (!g)
            return NULL;
        g->request = request;
        g->axes = vm_used_memory(vm, cta->threads);
        if (!g->axes)
            return NULL;
        *place = g;
    }
    used->hit = used->count++ % WINDOW;
    return g;
}

// NULL: it has been judged, or there is no memory left.
static Grant *grant_of(VmCta *cta, VmMark mark) {
    uint32_t request = (mark >> MARK_REQUEST) - 1;
    VmUsed *used = used_by(cta);
    if (!used || request < used->judged)
        return NULL;
    Grant *g = used->grants[used->hit];
    if (g && g->request == request)
        return g;
    for (uint32_t i = 0; i < WINDOW && used->grants[i]; i++)
        if (used->grants[i]->request == request)
            return used->grants[used->hit = i];
    return grant_new(cta, used, request);
}

static GrantRow *grant_row(VmCta *cta, Grant *g, uint32_t line) {
    GrantRow *row = &g->rows[line];
    if (!row->times)
        row->times =
            vm_used_memory(cta->cluster->vm, cta->threads * sizeof *row->times);
    return row->times ? row : NULL;
}

// ---- lines ---------------------------------------------------------------

static uint32_t find_line(VmFollow *follow, SrcLoc at) {
    if (at.line == 0) // all that has no line of its own is not one line
        return VM_NONE;
    for (uint32_t i = 0; i < follow->line_count; i++)
        if (follow->lines[i].line == at.line &&
            str_equal(follow->lines[i].file, at.file))
            return i;
    if (follow->line_count == VM_WORK_LINES)
        return VM_NONE;
    follow->lines[follow->line_count] = at;
    return follow->line_count++;
}

// The number of the learner's line. VM_NONE: it is not known, or there are too
// many.
static uint32_t line_of(const VmWarp *w, uint32_t loc) {
    const Vm *vm = w->vm;
    struct VmLineOf *known = &vm->follow->cache[loc % 256];
    if (!known->line || known->loc != loc) {
        uint32_t line =
            find_line(vm->follow, vm_src_of(vm, vm_learner_loc(vm, w, loc)));
        *known = (struct VmLineOf){loc, line + 1};
        if (line == VM_NONE)
            known->line = VM_NONE;
    }
    return known->line == VM_NONE ? VM_NONE : known->line - 1;
}

// ---- what threads do -----------------------------------------------------

static uint32_t grant_axes(VmMark mark) {
    return mark >> 3 & 7;
}

void vm_used(VmWarp *w, uint32_t lane, VmMark mark) {
    Grant *g = mark >> MARK_REQUEST ? grant_of(w->cta, mark) : NULL;
    if (g)
        g->axes[w->index * VM_LANES + lane] |= (uint8_t)grant_axes(mark);
}

static void count_axes(uint32_t *total, uint32_t axes) {
    for (uint32_t a = 0; a < AXES; a++)
        total[a] += axes >> a & 1;
}

static void work_on_first(const VmWarp *w, uint32_t lane, FirstRow *row,
                          VmMark mark) {
    uint32_t thread = w->index * VM_LANES + lane, *most = &row->most;
    row->axes[thread] |= (uint8_t)(mark & 7);
    count_axes(row->total, mark & 7);
    if (++row->times[thread] > *most)
        *most = row->times[thread];
}

static void work_on_grant(VmWarp *w, uint32_t lane, uint32_t line, uint32_t loc,
                          VmMark mark) {
    uint32_t thread = w->index * VM_LANES + lane;
    Grant *g = grant_of(w->cta, mark);
    GrantRow *row = g ? grant_row(w->cta, g, line) : NULL;
    if (!row)
        return;
    w->cta->clc.used->rows[line].moved[thread] = 1;
    g->axes[thread] |= (uint8_t)grant_axes(mark);
    g->last = w->vm->follow->clock;
    row->loc = loc;
    row->all++;
    count_axes(row->total, grant_axes(mark));
    uint32_t *most = &w->vm->follow->most[line];
    if (++row->times[thread] > *most)
        *most = row->times[thread];
}

static void come_blind(const VmWarp *w, uint32_t lanes, FirstRow *row) {
    EACH_LANE(l, row ? lanes : 0) {
        row->blind[w->index * VM_LANES + l] = 1;
    }
}

void vm_used_at(VmWarp *w, uint32_t lanes, uint32_t loc, const VmMark *marks) {
    uint32_t line = used_by(w->cta) ? line_of(w, loc) : VM_NONE, blind = 0;
    FirstRow *row = line == VM_NONE ? NULL : first_row(w->cta, line);
    if (!marks) {
        come_blind(w, lanes, row);
        return;
    }
    EACH_LANE(l, lanes) {
        if (!row)
            vm_used(w, l, marks[l]);
        else if (marks[l] >> MARK_REQUEST)
            work_on_grant(w, l, line, loc, marks[l]);
        else if (marks[l])
            work_on_first(w, l, row, marks[l]);
        else
            blind |= 1u << l;
    }
    come_blind(w, blind, row);
}

void vm_used_mixed(const VmWarp *w, VmMark a, VmMark b) {
    Grant *first = grant_of(w->cta, a), *second = grant_of(w->cta, b);
    if (first)
        first->is_mixed = true;
    if (second)
        second->is_mixed = true;
}

void vm_used_left(VmWarp *w, uint32_t lanes) {
    VmUsed *used = w->cta->clc.used;
    if (!used)
        return;
    EACH_LANE(l, lanes) {
        uint32_t thread = w->index * VM_LANES + l;
        used->left_at[thread] = w->vm->follow->clock;
        used->left_loc[thread] = w->cta->exit_loc;
    }
}

// ---- the end of a CTA ----------------------------------------------------

// The coordinate that a request of its cluster was granted for this CTA.
static uint32_t granted_at(const VmCta *cta, uint32_t request, uint32_t axis) {
    const Vm *vm = cta->cluster->vm;
    uint32_t id[3], dim = vm->shape.cluster_dim[axis];
    vm_unlinear(vm->clc.requests[request].granted, vm->shape.cluster_grid, id);
    return id[axis] * dim + cta->id[axis] % dim;
}

static uint32_t granted_block(const VmCta *cta, uint32_t request) {
    uint32_t id[3];
    for (uint32_t axis = 0; axis < AXES; axis++)
        id[axis] = granted_at(cta, request, axis);
    return vm_linear(id, cta->cluster->vm->shape.grid);
}

// How often a thread works there on the first index that goes on to others.
static uint32_t usual_times(const VmCta *cta, const FirstRow *first) {
    uint32_t usual = 0;
    for (uint32_t t = 0; t < cta->threads; t++)
        if (first->moved[t] && first->times[t] > usual)
            usual = first->times[t];
    return usual;
}

// It works on the first index again and again, and has never gone on: what it
// has used of a granted one was no more than whether there is one.
static bool stays(const FirstRow *first, uint32_t thread, uint32_t usual) {
    return !first->moved[thread] && usual > 0 &&
           first->times[thread] >= 2 * usual;
}

// A thread that has used the granted index and does not work there may have
// been turned away by one axis, before it came to the others.
static bool is_missing(const FirstRow *first, const Grant *g,
                       const GrantRow *row, uint32_t thread, uint32_t axis,
                       uint32_t usual) {
    if (!(first->axes[thread] >> axis & 1) || first->blind[thread])
        return false;
    return stays(first, thread, usual) ||
           (!(g->axes[thread] >> axis & 1) &&
            (g->axes[thread] == 0 || row->times[thread] > 0));
}

// Counts the threads that are missing, and those that have used the granted
// index, and says how.
static uint32_t look_at_threads(const VmCta *cta, const FirstRow *first,
                                const Grant *g, const GrantRow *row,
                                VmPart *part) {
    const VmUsed *used = cta->clc.used;
    uint32_t axis = part->axis, users = 0, users_of_axis = 0;
    uint32_t usual = usual_times(cta, first);
    bool none_at_all = true;
    part->have_left = true;
    for (uint32_t t = 0; t < cta->threads; t++) {
        part->of += first->axes[t] >> axis & 1;
        bool is_new = !stays(first, t, usual);
        users += is_new && g->axes[t] != 0;
        users_of_axis += is_new && (g->axes[t] >> axis & 1);
        if (!is_missing(first, g, row, t, axis, usual))
            continue;
        part->missing++;
        none_at_all &= g->axes[t] == 0 || !is_new;
        part->have_left &= used->left_at[t] != 0 && used->left_at[t] < g->last;
        part->left_loc = used->left_loc[t];
    }
    if (none_at_all)
        part->axis = VM_NONE;
    part->have_left &= none_at_all;
    return none_at_all ? users : users_of_axis;
}

// The last block of an axis may have less to do, for fewer threads.
static bool is_at_an_end(const VmCta *cta, uint32_t request) {
    const VmShape *shape = &cta->cluster->vm->shape;
    bool is_last = false;
    for (uint32_t axis = 0; axis < AXES; axis++)
        is_last |= shape->cluster_grid[axis] > 1 &&
                   granted_at(cta, request, axis) == shape->grid[axis] - 1;
    return is_last;
}

static bool judge_line(const VmCta *cta, const FirstRow *first, const Grant *g,
                       uint32_t line, uint32_t axis, VmPart *part) {
    const GrantRow *row = &g->rows[line];
    if (!first->times || row->all == 0 ||
        row->total[axis] >= first->total[axis] ||
        cta->cluster->vm->follow->most[line] > first->most ||
        granted_at(cta, g->request, axis) == cta->id[axis])
        return false;
    *part = (VmPart){.request = g->request,
                     .block = granted_block(cta, g->request),
                     .cta = cta->linear,
                     .axis = axis,
                     .work_loc = row->loc};
    uint32_t users = look_at_threads(cta, first, g, row, part);
    return part->missing > 0 && users < part->of &&
           (part->axis != VM_NONE || !is_at_an_end(cta, g->request));
}

// At the first line, by the first axis, at which it was done in part.
static bool judge_grant(const VmCta *cta, const Grant *g, VmPart *part) {
    const Vm *vm = cta->cluster->vm;
    if (g->is_mixed || vm->clc.requests[g->request].granted == VM_NONE)
        return false;
    for (uint32_t line = 0; line < VM_WORK_LINES; line++)
        for (uint32_t axis = 0; axis < AXES; axis++)
            if (vm->shape.cluster_grid[axis] > 1 &&
                judge_line(cta, &cta->clc.used->rows[line], g, line, axis,
                           part))
                return true;
    return false;
}

// One is enough to be told of a CTA.
static void judge(VmCta *cta, const Grant *g) {
    Vm *vm = cta->cluster->vm;
    VmFollow *follow = vm->follow;
    VmPart part;
    if (cta->clc.is_judged || !judge_grant(cta, g, &part))
        return;
    arena_grow(&vm->run_arena, follow->parts, follow->part_count,
               follow->part_capacity);
    follow->parts[follow->part_count++] = part;
    cta->clc.is_judged = true;
}

void vm_used_judge(VmCta *cta) {
    const VmUsed *used = cta->clc.used;
    for (uint32_t i = 0; used && i < WINDOW; i++) {
        const Grant *g = used->grants[(used->count + i) % WINDOW];
        if (g)
            judge(cta, g);
    }
}
