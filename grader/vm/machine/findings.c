// SPDX-License-Identifier: Apache-2.0
// Findings: what happened, who did it, and at which of the learner's lines.
// Deadlocks and endless runs are described in stuck.c.
#include "vm/machine/findings.h"

#include "vm/machine/lanes.h"

#include <assert.h>

enum { OUTPUT_MAX = 64 * 1024, FINDINGS_MAX = 64 };

// ---- places --------------------------------------------------------------

SrcLoc vm_src_of(const Vm *vm, uint32_t loc) {
    return loc ? ptx_src(vm->module, loc) : (SrcLoc){0};
}

bool vm_is_of_header(const Vm *vm, uint32_t loc) {
    return loc && vm->module->locs[loc].file != vm->program->kernel_file;
}

// The innermost location in the inlining chain of `loc` that is in the kernel's
// own file. 0: none.
static uint32_t own_line(const Vm *vm, uint32_t loc) {
    const PtxModule *module = vm->module;
    for (; loc; loc = module->locs[loc].inlined_at)
        if (module->locs[loc].file == vm->program->kernel_file &&
            module->locs[loc].line)
            return loc;
    return 0;
}

// The same through the frames of calls; *frame becomes the frame of that line.
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
    if (own)
        return own;
    for (frame = frame_of(w); !loc && frame && frame->site;
         frame = frame->caller)
        loc = frame->site->loc; // of a function without lines
    return loc;
}

static uint32_t outermost_line(const Vm *vm, uint32_t loc) {
    const PtxLoc *locs = vm->module->locs;
    uint32_t last = loc;
    for (; loc; loc = locs[loc].inlined_at)
        if (locs[loc].file == vm->program->kernel_file && locs[loc].line)
            last = loc;
    return last;
}

uint32_t vm_outer_loc(const Vm *vm, const VmWarp *w, uint32_t loc) {
    for (const VmFrame *f = frame_of(w); f && f->site; f = f->caller)
        loc = f->site->loc;
    return outermost_line(vm, loc);
}

// The next location outwards; *frame is the frame that `loc` is in.
static uint32_t caller_of(const Vm *vm, uint32_t loc, const VmFrame **frame) {
    uint32_t next = vm->module->locs[loc].inlined_at;
    if (next || !*frame || !(*frame)->site)
        return next;
    next = (*frame)->site->loc;
    *frame = (*frame)->caller;
    return next;
}

// Adds the lines of the callers. A line that called a library which called back
// is left out: it is where the lambda is.
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

// ---- names ---------------------------------------------------------------

// If the variable at `at` contains *offset, makes it relative to the variable's
// start.
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
    return var ? ptx_plain_name(var->name) : (Str){0};
}

VmMbarrierName vm_mbarrier_name(const Vm *vm, uint32_t offset) {
    const PtxVar *var = shared_var(vm, &offset);
    if (!var)
        return (VmMbarrierName){WORD_MBARRIER_UNKNOWN, {0}, offset, 0};
    VmMbarrierName name = {WORD_MBARRIER_INSIDE, ptx_plain_name(var->name),
                           offset, offset / 8};
    if (var->size == 8)
        name.word = WORD_MBARRIER_VARIABLE;
    else if (var->is_array && ptx_type_size(var->type) == 8)
        name.word = WORD_MBARRIER_ELEMENT;
    return name;
}

static VmMemoryName shared_name(const VmWarp *w, const VmCta *owner,
                                uint32_t offset) {
    Str name = vm_shared_name(w->vm, &offset);
    bool own = owner == w->cta;
    FactWord variable =
        own ? WORD_MEMORY_OWN_VARIABLE : WORD_MEMORY_OTHERS_VARIABLE;
    FactWord memory = own ? WORD_MEMORY_OWN_SHARED : WORD_MEMORY_OTHERS_SHARED;
    return (VmMemoryName){.word = name.len ? variable : memory,
                          .name = name,
                          .offset = offset,
                          .owner = owner->linear};
}

VmMemoryName vm_memory_name(const VmWarp *w, const VmCta *owner,
                            uint32_t buffer, uint64_t offset) {
    const VmMemory *memory = &w->vm->memory;
    if (owner)
        return shared_name(w, owner, (uint32_t)offset);
    const PtxVar *var = memory->buffers[buffer].var;
    bool heap = memory->buffers[buffer].heap_size > 0;
    return (VmMemoryName){.word = var    ? WORD_MEMORY_GLOBAL_VARIABLE
                                  : heap ? WORD_MEMORY_HEAP
                                         : WORD_MEMORY_GLOBAL,
                          .name = var ? ptx_plain_name(var->name) : (Str){0},
                          .offset = offset,
                          .number = buffer - memory->first_user_buffer};
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

static Finding *finding_new(Vm *vm) {
    DeviceRun *run = vm->run;
    arena_grow(vm->out, run->findings, run->finding_count,
               vm->findings.capacity);
    return &run->findings[run->finding_count++];
}

// Where there is no room for another one, it counts as the last. But no error
// is lost behind advisories: it takes the place of one. NULL: there is room.
static Finding *last_of_many(Vm *vm, FindingLevel level) {
    DeviceRun *run = vm->run;
    if (run->finding_count < FINDINGS_MAX)
        return NULL;
    Finding *last = &run->findings[FINDINGS_MAX - 1];
    if (level != FINDING_ERROR || last->level == FINDING_ERROR)
        return last;
    run->finding_count--;
    return NULL;
}

// Counts another occurrence at the same place. NULL: it is the first one, and
// there is room for it.
static Finding *again(Vm *vm, DeviceRule rule, FindingLevel level, SrcLoc at) {
    Finding *finding = find_same(vm, rule, level, at);
    if (!finding)
        finding = last_of_many(vm, level);
    if (finding)
        finding->occurrences++;
    return finding;
}

// Where a violation of the rule is usually fixed; others where they are
// (PART_HERE). A finding that knows better says so.
static const DevicePart default_cure[DEVICE_RULE_COUNT] = {
    [RULE_BAR002] = PART_INIT,   [RULE_BAR004] = PART_INIT,
    [RULE_CLC004] = PART_WAIT,   [RULE_CLC007] = PART_WAIT,
    [RULE_CLC001] = PART_DECODE, [RULE_CLC002] = PART_DECODE,
    [RULE_CLC003] = PART_DECODE, [RULE_CLC009] = PART_DECODE,
    [RULE_MEM004] = PART_LEAVE,
};
_Static_assert(PART_HERE == 0, "what is not listed is mended where it is");

Finding *vm_found_again(Vm *vm, const VmWarp *w, uint32_t loc, DeviceRule rule,
                        FindingLevel level) {
    Finding *same =
        find_same(vm, rule, level, vm_src_of(vm, vm_learner_loc(vm, w, loc)));
    if (!same)
        same = last_of_many(vm, level);
    if (same)
        same->occurrences++;
    return same;
}

uint64_t vm_thread(const VmWarp *w, uint32_t lane) {
    return fact_thread(w->cta->linear, w->index * VM_LANES + lane);
}

// The lane that the facts name, if it is in this warp.
static uint32_t lane_named(const VmWarp *w, Facts facts) {
    const Fact *fact = fact_find(facts, FACT_THREAD);
    if (!fact || fact_thread_block(fact->number) != w->cta->linear)
        return WHO_ANY_LANE;
    return fact_thread_index(fact->number) % VM_LANES;
}

static FindingWho who_of(const VmWarp *w, Facts facts) {
    if (!w)
        return (FindingWho){0};
    const VmCta *cta = w->cta;
    FindingWho who = {.known = true,
                      .cta = cta->linear,
                      .rank = cta->rank,
                      .ctas = cta->cluster->cta_count,
                      .warp = w->index,
                      .warps = cta->warp_count,
                      .lane = lane_named(w, facts)};
    if (cta->clc.chain == VM_NONE)
        return who;
    const LedgerChain *chain = &w->vm->run->ledger.chains[cta->clc.chain];
    who.owned = cta->clc.owned;
    who.block = chain->blocks[chain->count - 1];
    return who;
}

void vm_relate(Vm *vm, Finding *finding, FindingPlace place, uint32_t loc,
               Facts facts) {
    assert(facts_are(facts, finding_place_carries(place)));
    if (!finding || !loc ||
        finding->related_count == COUNT_OF(finding->related))
        return;
    finding->related[finding->related_count++] = (RelatedPlace){
        .at = vm_src_of(vm, loc),
        .place = place,
        .facts = facts.count ? facts_copy(vm->out, facts) : NO_FACTS,
        .caller = vm_src_of(vm, outermost_line(vm, loc))};
}

void vm_relate_first(Vm *vm, Finding *finding, FindingPlace place, uint32_t loc,
                     Facts facts) {
    uint32_t count = finding ? finding->related_count : 0;
    vm_relate(vm, finding, place, loc, facts);
    if (!finding || finding->related_count == count)
        return;
    RelatedPlace first = finding->related[count];
    memmove(finding->related + 1, finding->related, count * sizeof first);
    finding->related[0] = first;
}

// Where a wait was given up before what warp `w` does now (turns/hold.h): by
// this warp, by the one that runs alone, or by one before. 0: nowhere. In other
// schedules only an answer that is read too early tells that it was.
static uint32_t given_up(const Vm *vm, const VmWarp *w, DeviceRule rule) {
    const VmHold *hold = &vm->turns.hold;
    if (!vm->tuning.patience && rule != RULE_CLC007)
        return 0;
    if (w && w->turns.unmet)
        return w->turns.unmet;
    return hold->warp ? hold->warp->turns.unmet : hold->gave_up;
}

// The facts of the next finding, copied to where it is made or kept back.
static Facts copy_facts(Vm *vm, Facts facts) {
    VmKept *kept = vm->findings.kept;
    if (!kept)
        return facts_copy(vm->out, facts);
    assert(facts.count <= COUNT_OF(kept->facts));
    for (size_t i = 0; i < facts.count; i++)
        kept->facts[i] = facts.items[i];
    return (Facts){kept->facts, facts.count};
}

static Finding *next_finding(Vm *vm) {
    return vm->findings.kept ? &vm->findings.kept->finding : finding_new(vm);
}

Finding *vm_found(Vm *vm, const VmWarp *w, uint32_t loc, FindingCase which,
                  FindingLevel level, Facts facts) {
    assert(facts_are(facts, finding_case_carries(which)));
    DeviceRule rule = finding_rule(which);
    SrcLoc at = vm_src_of(vm, vm_learner_loc(vm, w, loc));
    // One that is kept back counts when it is made.
    if (!vm->findings.kept && again(vm, rule, level, at))
        return NULL;
    Finding *finding = next_finding(vm);
    *finding = (Finding){.rule = rule,
                         .which = which,
                         .level = level,
                         .facts = copy_facts(vm, facts),
                         .at = at,
                         .who = who_of(w, facts),
                         .cure = default_cure[rule],
                         .cta = w ? w->cta->linear : 0,
                         .step = vm->turns.tick,
                         .occurrences = 1};
    memcpy(finding->grid, vm->shape.grid, sizeof finding->grid);
    memcpy(finding->block, vm->shape.block, sizeof finding->block);
    SrcLoc exact = vm_src_of(vm, loc);
    if (!same_place(exact, at))
        finding->via = exact;
    note_callers(vm, w, loc, finding);
    uint32_t wait = level == FINDING_ERROR ? given_up(vm, w, rule) : 0;
    finding->gave_up = wait != 0;
    vm_relate(vm, finding, PLACE_GIVEN_UP, vm_learner_loc(vm, NULL, wait),
              NO_FACTS);
    return finding;
}

VmNext vm_faulted(VmWarp *w, const VmInstr *in, FindingCase which,
                  Facts facts) {
    w->vm->findings.fault =
        vm_found(w->vm, w, in->loc, which, FINDING_ERROR, facts);
    if (w->vm->findings.kept)
        w->vm->findings.kept->ends_run = true;
    else
        vm_stop(w->vm, RUN_FAULT);
    return VM_STOP;
}

void vm_found_wider(Finding *known, FindingCase which) {
    if (known->which == CASE_RACE001_IN_WARP)
        known->which = which;
}

// Findings are listed in the order in which they happened.
static void insert(Vm *vm, const Finding *f) {
    Finding *at = finding_new(vm);
    for (; at > vm->run->findings && at[-1].step > f->step; at--)
        *at = at[-1];
    *at = *finding_copy(vm->out, f);
}

// The one that happened first is told.
static void add_to(Vm *vm, Finding *same, const Finding *f) {
    uint32_t occurrences = same->occurrences + f->occurrences - 1;
    FindingCase wider = same->step > f->step ? same->which : f->which;
    if (same->step > f->step && same->rule == f->rule)
        *same = *finding_copy(vm->out, f);
    same->occurrences = occurrences;
    vm_found_wider(same, wider);
}

void vm_found_kept(Vm *vm, const VmKept *kept) {
    const Finding *f = &kept->finding;
    Finding *same = again(vm, f->rule, f->level, f->at);
    if (same)
        add_to(vm, same, f);
    else
        insert(vm, f);
    if (kept->ends_run)
        vm_stop(vm, RUN_FAULT);
}

static void relate(Vm *vm, Finding *finding, const RelatedPlace *place) {
    assert(facts_are(place->facts, finding_place_carries(place->place)));
    if (!finding || !place->at.line ||
        finding->related_count == COUNT_OF(finding->related))
        return;
    RelatedPlace *added = &finding->related[finding->related_count++];
    *added = *place;
    added->facts =
        place->facts.count ? facts_copy(vm->out, place->facts) : NO_FACTS;
}

void vm_relate_line(Vm *vm, Finding *finding, FindingPlace place, SrcLoc at,
                    Facts facts) {
    relate(vm, finding,
           &(RelatedPlace){
               .at = at, .place = place, .facts = facts, .caller = at});
}

void vm_note_call(const Vm *vm, Finding *finding, uint32_t loc) {
    SrcLoc at = vm_src_of(vm, loc);
    if (finding && finding->caller_count == 0 && at.line &&
        at.line != finding->at.line)
        finding->callers[finding->caller_count++] = at;
}

void vm_fault_at(Vm *vm, FindingPlace place, uint32_t loc) {
    vm_relate(vm, vm->findings.fault, place, loc, NO_FACTS);
}

void vm_fault_reason(const Vm *vm, FindingReason reason) {
    if (vm->findings.fault)
        vm->findings.fault->reason = reason;
}

void vm_cure(const Vm *vm, Finding *finding, DevicePart part, uint32_t loc) {
    if (!finding)
        return;
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

// A call whose text does not fit is lost as a whole, with all that follow; of
// one that is too long by itself the beginning is kept.
void vm_print(Vm *vm, Str text) {
    size_t most =
        vm->launch->output_most ? vm->launch->output_most : OUTPUT_MAX;
    size_t room = vm->run->output_lost ? 0 : most - vm->output.len;
    size_t kept = text.len <= room ? text.len : vm->output.len ? 0 : room;
    buf_str(&vm->output, str_slice(text, 0, kept));
    vm->run->output_lost += text.len - kept;
}
