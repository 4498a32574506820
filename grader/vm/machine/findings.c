// SPDX-License-Identifier: Apache-2.0
// Findings: what happened, who did it, at which of the learner's lines.
// Deadlocks and endless runs are described in stuck.c.
#include "vm/machine/findings.h"

#include "vm/machine/lanes.h"

enum { OUTPUT_MAX = 64 * 1024, FINDINGS_MAX = 64 };

// ---- places --------------------------------------------------------------

SrcLoc vm_src_of(const Vm *vm, uint32_t loc) {
    return loc ? ptx_src(vm->module, loc) : (SrcLoc){0};
}

// The innermost place of the inlining chain of `loc` that is in the kernel's
// own file; 0: none.
static uint32_t own_line(const Vm *vm, uint32_t loc) {
    const PtxModule *module = vm->module;
    for (; loc; loc = module->locs[loc].inlined_at)
        if (module->locs[loc].file == vm->program->kernel_file &&
            module->locs[loc].line)
            return loc;
    return 0;
}

// Likewise through the frames of calls: *frame is the one whose line it is.
static uint32_t own_line_in(const Vm *vm, uint32_t loc, const VmFrame **frame) {
    uint32_t own = own_line(vm, loc);
    while (!own && *frame && (*frame)->site) {
        own = own_line(vm, (*frame)->site->loc);
        *frame = (*frame)->caller;
    }
    return own;
}

static const VmFrame *frame_of(const VmWarp *w) {
    return w && w->frag ? w->frag->frame : NULL;
}

uint32_t vm_learner_loc(const Vm *vm, const VmWarp *w, uint32_t loc) {
    const VmFrame *frame = frame_of(w);
    uint32_t own = own_line_in(vm, loc, &frame);
    return own ? own : loc;
}

// The next place outwards; *frame is the one that `loc` is in.
static uint32_t caller_of(const Vm *vm, uint32_t loc, const VmFrame **frame) {
    uint32_t next = vm->module->locs[loc].inlined_at;
    if (next || !*frame || !(*frame)->site)
        return next;
    next = (*frame)->site->loc;
    *frame = (*frame)->caller;
    return next;
}

// A line that a library was called from, which called back, is left out: it
// stands where the lambda does.
static void note_callers(const Vm *vm, const VmWarp *w, uint32_t loc,
                         Finding *finding) {
    const VmFrame *frame = frame_of(w);
    uint32_t own = own_line_in(vm, loc, &frame);
    bool is_direct = true;
    for (uint32_t at = own ? caller_of(vm, own, &frame) : 0;
         at && finding->caller_count < COUNT_OF(finding->callers);
         at = caller_of(vm, at, &frame)) {
        bool is_own = own_line(vm, at) == at;
        if (is_own && is_direct)
            finding->callers[finding->caller_count++] = vm_src_of(vm, at);
        is_direct = is_own;
    }
}

// A text that names a lane is made for a finding: whose it is, finding_who asks
// next.
static void note_lane(const VmWarp *w, uint32_t lane) {
    Vm *vm = w->vm;
    if (vm->findings.named != w)
        vm->findings.named_lanes = 0;
    vm->findings.named = w;
    vm->findings.named_lanes |= 1u << lane;
}

Str vm_block_name(const Vm *vm, uint32_t linear) {
    const uint32_t *g = vm->shape.grid;
    if (g[1] == 1 && g[2] == 1)
        return str_format(vm->out, "%u", linear);
    return str_format(vm->out, "(%u, %u, %u)", linear % g[0],
                      linear / g[0] % g[1], linear / g[0] / g[1]);
}

Str vm_who_lane(const VmWarp *w, uint32_t lane) {
    const Vm *vm = w->vm;
    note_lane(w, lane);
    const uint32_t *b = vm->shape.block;
    uint32_t thread = w->index * VM_LANES + lane;
    if (b[1] == 1 && b[2] == 1)
        return str_format(vm->out, "thread %u of block %.*s", thread,
                          VM_BLOCK(vm, w->cta->linear));
    return str_format(vm->out, "thread (%u,%u,%u) of block %.*s", thread % b[0],
                      thread / b[0] % b[1], thread / b[0] / b[1],
                      VM_BLOCK(vm, w->cta->linear));
}

// ---- names ---------------------------------------------------------------

Str vm_plain_name(Str mangled) {
    for (size_t i = mangled.len; i-- > 0;) {
        char c = mangled.ptr[i];
        if (c < '0' || c > '9')
            continue;
        size_t start = i;
        while (start && mangled.ptr[start - 1] >= '0' &&
               mangled.ptr[start - 1] <= '9')
            start--;
        uint64_t len = 0;
        if (str_to_u64(str_slice(mangled, start, i + 1), &len) &&
            i + 1 + len == mangled.len && len)
            return str_slice(mangled, i + 1, mangled.len);
    }
    return mangled;
}

// Makes *offset one from the start of the variable, which is at `at`.
static bool is_within(const PtxVar *var, uint32_t at, uint32_t *offset) {
    if (var->space != PTX_SPACE_SHARED || *offset < at ||
        *offset - at >= var->size)
        return false;
    *offset -= at;
    return true;
}

static const PtxVar *shared_var(const Vm *vm, uint32_t *offset) {
    const VmFunc *entry = vm->program->entry;
    for (size_t i = 0; i < entry->ptx->var_count; i++)
        if (is_within(entry->ptx->vars[i], entry->var_offsets[i], offset))
            return entry->ptx->vars[i];
    for (size_t i = 0; i < vm->module->var_count; i++)
        if (is_within(vm->module->vars[i], vm->program->shared_offsets[i],
                      offset))
            return vm->module->vars[i];
    return NULL;
}

Str vm_shared_name(const Vm *vm, uint32_t *offset) {
    const PtxVar *var = shared_var(vm, offset);
    return var ? vm_plain_name(var->name) : (Str){0};
}

Str vm_mbarrier_name(const Vm *vm, uint32_t offset) {
    const PtxVar *var = shared_var(vm, &offset);
    if (!var)
        return str_format(vm->out, "of its block (offset %u)", offset);
    Str name = vm_plain_name(var->name);
    if (var->size == 8)
        return name;
    if (var->is_array && ptx_type_size(var->type) == 8)
        return str_format(vm->out, "%.*s[%u]", STR_ARG(name), offset / 8);
    return str_format(vm->out, "%.*s (offset %u)", STR_ARG(name), offset);
}

// ---- findings ------------------------------------------------------------

static bool same_place(SrcLoc a, SrcLoc b) {
    return a.line == b.line && str_equal(a.file, b.file);
}

static Finding *find_same(Vm *vm, DeviceRule rule, FindingLevel level,
                          SrcLoc at) {
    for (size_t i = 0; i < vm->run->finding_count; i++) {
        Finding *f = &vm->run->findings[i];
        if (f->rule == rule && f->level == level && same_place(f->at, at))
            return f;
    }
    return NULL;
}

static FindingWho finding_who(Vm *vm, const VmWarp *w) {
    uint32_t lanes = vm->findings.named == w ? vm->findings.named_lanes : 0;
    vm->findings.named = NULL;
    if (!w)
        return (FindingWho){0};
    const VmCta *cta = w->cta;
    FindingWho who = {.known = true,
                      .cta = cta->linear,
                      .rank = cta->rank,
                      .ctas = cta->cluster->cta_count,
                      .warp = w->index,
                      .warps = cta->warp_count,
                      .lane = WHO_ANY_LANE};
    memcpy(who.grid, vm->shape.grid, sizeof who.grid);
    if (lanes && !(lanes & (lanes - 1)))
        who.lane = vm_first(lanes);
    if (cta->clc.chain == VM_NONE)
        return who;
    const LedgerChain *chain = &vm->run->ledger.chains[cta->clc.chain];
    who.owned = cta->clc.owned;
    who.block = chain->blocks[chain->count - 1];
    return who;
}

static Finding *finding_new(Vm *vm) {
    DeviceRun *run = vm->run;
    arena_grow(vm->out, run->findings, run->finding_count,
               vm->findings.capacity);
    return &run->findings[run->finding_count++];
}

// One more of what is known at the place; NULL: nothing is, and there is room.
static Finding *again(Vm *vm, DeviceRule rule, FindingLevel level, SrcLoc at) {
    Finding *finding = find_same(vm, rule, level, at);
    if (!finding && vm->run->finding_count >= FINDINGS_MAX)
        finding = &vm->run->findings[FINDINGS_MAX - 1];
    if (finding)
        finding->occurrences++;
    return finding;
}

// Where a rule is most often kept. A finding that knows better says so.
static DevicePart usual_cure(DeviceRule rule) {
    switch ((int)rule) {
    case RULE_BAR002:
    case RULE_BAR004:
        return PART_INIT;
    case RULE_CLC004:
    case RULE_CLC007:
        return PART_WAIT;
    case RULE_CLC001:
    case RULE_CLC002:
    case RULE_CLC003:
    case RULE_CLC009:
        return PART_DECODE;
    case RULE_MEM004:
        return PART_LEAVE;
    default:
        return PART_HERE;
    }
}

static Finding *vadd(Vm *vm, const VmWarp *w, uint32_t loc, DeviceRule rule,
                     FindingLevel level, bool *fresh, const char *format,
                     va_list args) {
    FindingWho who = finding_who(vm, w);
    uint32_t own = vm_learner_loc(vm, w, loc);
    SrcLoc at = vm_src_of(vm, own);
    Finding *finding = again(vm, rule, level, at);
    *fresh = !finding;
    if (finding)
        return finding;
    finding = finding_new(vm);
    *finding = (Finding){.rule = rule,
                         .level = level,
                         .at = at,
                         .what = str_vformat(vm->out, format, args),
                         .who = who,
                         .cure = usual_cure(rule),
                         .cta = w ? w->cta->linear : 0,
                         .step = vm->turns.tick,
                         .occurrences = 1};
    SrcLoc exact = vm_src_of(vm, loc);
    if (!same_place(exact, at))
        finding->via = exact;
    note_callers(vm, w, loc, finding);
    return finding;
}

Finding *vm_found_again(Vm *vm, const VmWarp *w, uint32_t loc, DeviceRule rule,
                        FindingLevel level) {
    DeviceRun *run = vm->run;
    Finding *same =
        find_same(vm, rule, level, vm_src_of(vm, vm_learner_loc(vm, w, loc)));
    if (!same && run->finding_count == FINDINGS_MAX)
        same = &run->findings[FINDINGS_MAX - 1];
    if (same)
        same->occurrences++;
    return same;
}

Finding *vm_finding(Vm *vm, const VmWarp *w, uint32_t loc, DeviceRule rule,
                    FindingLevel level, bool *fresh, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Finding *finding = vadd(vm, w, loc, rule, level, fresh, format, args);
    va_end(args);
    return finding;
}

VmNext vm_fault(VmWarp *w, const VmInstr *in, DeviceRule rule, const char *help,
                const char *format, ...) {
    bool fresh;
    va_list args;
    va_start(args, format);
    Finding *finding =
        vadd(w->vm, w, in->loc, rule, FINDING_ERROR, &fresh, format, args);
    va_end(args);
    if (fresh)
        finding->help = str_from(help);
    w->vm->findings.fault = fresh ? finding : NULL;
    vm_stop(w->vm, RUN_FAULT);
    return VM_STOP;
}

static uint32_t outermost_line(const Vm *vm, uint32_t loc) {
    const PtxLoc *locs = vm->module->locs;
    uint32_t last = loc;
    for (; loc; loc = locs[loc].inlined_at)
        if (locs[loc].file == vm->program->kernel_file && locs[loc].line)
            last = loc;
    return last;
}

void vm_related(Vm *vm, Finding *finding, uint32_t loc, const char *what, ...) {
    if (!loc || finding->related_count == COUNT_OF(finding->related))
        return;
    va_list args;
    va_start(args, what);
    finding->related[finding->related_count++] =
        (RelatedPlace){vm_src_of(vm, loc), str_vformat(vm->out, what, args),
                       vm_src_of(vm, outermost_line(vm, loc))};
    va_end(args);
}

void vm_fault_related(Vm *vm, uint32_t loc, const char *what) {
    if (vm->findings.fault)
        vm_related(vm, vm->findings.fault, loc, "%s", what);
}

void vm_cure(const Vm *vm, Finding *finding, DevicePart part, uint32_t loc) {
    finding->cure = part;
    finding->cure_at = vm_src_of(vm, loc);
}

void vm_fault_cure(const Vm *vm, DevicePart part, uint32_t loc) {
    if (vm->findings.fault)
        vm_cure(vm, vm->findings.fault, part, loc);
}

void vm_stop(Vm *vm, RunStatus status) {
    vm->turns.stopped = true;
    vm->run->status = status;
}

void vm_print(Vm *vm, Str text) {
    size_t room = OUTPUT_MAX - vm->output.len;
    buf_str(&vm->output, str_slice(text, 0, room));
}
