// SPDX-License-Identifier: Apache-2.0
// Findings about order: see race.h. A race does not end the run: what comes
// later is shown as well, each rule once a line.
#include "vm/order/race.h"

#include "vm/decode/flow.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/order/stale.h"

// ---- words ---------------------------------------------------------------

static Str who_thread(const Vm *vm, uint32_t who) {
    uint32_t warps = vm->order->clocks.warps_per_cta, warp = who >> 5;
    uint32_t thread = warp % warps * VM_LANES + (who & 31);
    const uint32_t *b = vm->shape.block;
    uint32_t block = vm->order->linear[warp / warps];
    if (b[1] == 1 && b[2] == 1)
        return str_format(vm->out, "thread %u of block %.*s", thread,
                          VM_BLOCK(vm, block));
    return str_format(vm->out, "thread (%u,%u,%u) of block %.*s", thread % b[0],
                      thread / b[0] % b[1], thread / b[0] / b[1],
                      VM_BLOCK(vm, block));
}

// "tile (shared, offset 124)", in the memory of `owner`.
static Str shared_text(const VmWarp *w, const VmCta *owner, uint32_t offset) {
    const Vm *vm = w->vm;
    Str name = vm_shared_name(vm, &offset);
    if (name.len && owner == w->cta)
        return str_format(vm->out, "%.*s (shared, offset %u)", STR_ARG(name),
                          offset);
    if (name.len)
        return str_format(vm->out, "%.*s of block %.*s (shared, offset %u)",
                          STR_ARG(name), VM_BLOCK(vm, owner->linear), offset);
    if (owner == w->cta)
        return str_format(vm->out, "the block's shared memory (offset %u)",
                          offset);
    return str_format(vm->out, "the shared memory of block %.*s (offset %u)",
                      VM_BLOCK(vm, owner->linear), offset);
}

static Str memory_name(const VmRace *r) {
    const Vm *vm = r->w->vm;
    if (r->cta)
        return shared_text(r->w, r->cta, (uint32_t)r->offset);
    const PtxVar *var = vm->memory.buffers[r->buffer].var;
    if (var)
        return str_format(vm->out, "variable %.*s (offset %llu)",
                          STR_ARG(vm_plain_name(var->name)),
                          (unsigned long long)r->offset);
    if (vm->memory.buffers[r->buffer].heap_size)
        return str_format(vm->out, "memory from malloc (offset %llu)",
                          (unsigned long long)r->offset);
    return str_format(vm->out, "global buffer %u (offset %llu)",
                      r->buffer - vm->memory.first_user_buffer,
                      (unsigned long long)r->offset);
}

static bool is_agent(const VmRace *r) {
    return r->who & VM_AGENT;
}

static Str earlier_who(const VmRace *r) {
    const Vm *vm = r->w->vm;
    if (!is_agent(r))
        return who_thread(vm, r->who);
    return r->site & SITE_ANSWER ? STR("the answer of a request")
                                 : STR("an asynchronous operation");
}

static uint32_t earlier_cta(const VmRace *r) {
    const Vm *vm = r->w->vm;
    if (is_agent(r))
        return VM_NONE;
    return vm->order->linear[(r->who >> 5) / vm->order->clocks.warps_per_cta];
}

// ---- values --------------------------------------------------------------

static const uint8_t *memory_of(const VmRace *r) {
    return r->cta ? r->cta->smem : r->w->vm->memory.buffers[r->buffer].bytes;
}

// A plain store writes what is there already: the earlier write's value, or
// that of the other lane of the same instruction.
static bool same_value(const VmRace *r) {
    const VmInstr *in = r->in;
    bool same_instr = r->who >> 5 == r->w->serial &&
                      (r->site & SITE_LOC) == (in->loc & SITE_LOC);
    if (!ptx_is_store(in->op))
        return false;
    for (uint32_t e = 0; e < in->vector; e++) {
        VmRef src = vm_srcs(in)[1 + e];
        if (!src.size)
            continue;
        const uint8_t *values = vm_at(r->w, src);
        const uint8_t *own = values + (size_t)r->lane * src.size;
        const uint8_t *other =
            same_instr ? values + (size_t)(r->who & 31) * src.size
                       : memory_of(r) + r->offset + (size_t)e * in->width;
        if (memcmp(own, other, in->width) != 0)
            return false;
    }
    return true;
}

// ---- which rule, and what to try -----------------------------------------

typedef struct Verdict {
    DeviceRule rule;
    FindingLevel level;
    const char *how; // between the two accesses
    const char *help;
    DevicePart cure;
} Verdict;

static bool is_advisory(const VmRace *r) {
    const Vm *vm = r->w->vm;
    return vm_clock_knows(&vm->order->clocks, vm_known(r->w, r->lane),
                          VIEW_ADVISORY, r->who, r->time);
}

// By barriers and the like, whatever the proxies.
static bool is_ordered(const VmRace *r) {
    const Vm *vm = r->w->vm;
    return r->who == vm_who(r->w, r->lane) ||
           vm_clock_knows(&vm->order->clocks, vm_known(r->w, r->lane),
                          VIEW_GENERIC, r->who, r->time);
}

// What the reader did until then has been released to the async proxy, and the
// thread that asks knows it.
static bool is_released(const VmRace *r) {
    const Vm *vm = r->w->vm;
    if (r->who == vm_who(r->w, r->lane))
        return vm_order_carried(r->w, VIEW_HALF, r->lane) > r->time;
    return vm_clock_knows(&vm->order->clocks, vm_known(r->w, r->lane),
                          VIEW_HALF, r->who, r->time);
}

// The thread that asks comes after some threads of the reader's block: others
// have spoken for the reader, and not met it before.
static bool is_past_others(const VmRace *r) {
    const VmClocks *clocks = &r->w->vm->order->clocks;
    uint32_t warps = clocks->warps_per_cta;
    uint32_t first = (r->who >> 5) / warps * warps;
    for (uint32_t serial = first; serial < first + warps; serial++)
        if (serial != r->w->serial &&
            vm_clock_known_lanes(clocks, vm_known(r->w, r->lane), VIEW_GENERIC,
                                 serial << 5, VM_FULL, r->time))
            return true;
    return false;
}

static Verdict verdict_of_unordered_request(const VmRace *r) {
    static const char *const how = "nothing orders the read before the request";
    if (is_past_others(r))
        return (Verdict){RULE_CLC006, FINDING_ERROR, how,
                         "every thread that reads has to arrive itself, or to "
                         "meet the one that arrives for it: __syncwarp() "
                         "between the reads of a warp and its lane's arrival",
                         PART_RELEASE};
    return (Verdict){RULE_CLC006, FINDING_ERROR, how,
                     "put a barrier (in a block __syncthreads(), in a cluster "
                     "cluster_group::sync()) between the reads of an answer "
                     "and the next request: behind the releasing half of the "
                     "proxy fence, and in front of the acquiring half",
                     PART_ASK};
}

static Verdict verdict_of_request(const VmRace *r) {
    static const char *const how =
        "no proxy fence orders the read before the next answer";
    if (r->wrote)
        return (Verdict){RULE_RACE002, FINDING_ERROR,
                         "no fence between the proxies orders the write before "
                         "the answer",
                         "leave the slot to the async proxy, or put "
                         "fence.proxy.async between the write and the request",
                         PART_HERE};
    if (!is_ordered(r))
        return verdict_of_unordered_request(r);
    if (is_advisory(r))
        return (Verdict){
            RULE_CLC006, FINDING_ADVISORY,
            "only a full proxy fence on the asking side orders the read, which "
            "is in another CTA",
            "each reader runs "
            "fence.proxy.async::generic.release.sync_restrict::shared::cta."
            "cluster after its reads; then comes a barrier; then the thread "
            "that asks runs the acquiring half",
            PART_RELEASE};
    if (is_released(r))
        return (Verdict){
            RULE_CLC006, FINDING_ERROR, how,
            "the read is released; the thread that asks has to acquire it, "
            "behind the barrier and before the request: "
            "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster."
            "cluster",
            PART_ASK};
    return (Verdict){
        RULE_CLC006, FINDING_ERROR, how,
        "each reader runs "
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster "
        "after its reads and before the barrier; behind the barrier, the "
        "thread that asks runs the acquiring half",
        PART_RELEASE};
}

static Verdict verdict_of_async(const VmRace *r) {
    if (!r->async->is_proxy || is_agent(r))
        return (Verdict){RULE_RACE002, FINDING_ERROR, "nothing orders the two",
                         "wait for the first (its mbarrier or its group, or a "
                         "barrier) before the operation is issued",
                         PART_HERE};
    return (Verdict){
        RULE_RACE002, FINDING_ERROR,
        "no fence between the proxies orders the two",
        "after the access, in the thread that made it: fence.proxy.async; then "
        "a barrier; then the thread that issues the operation",
        PART_HERE};
}

static Verdict verdict_of_agent(const VmRace *r) {
    if ((r->site & SITE_ANSWER) && !r->write)
        return (Verdict){RULE_CLC007, FINDING_ERROR,
                         "the reader has not seen its mbarrier phase complete",
                         VM_HELP_WAIT, PART_WAIT};
    return (Verdict){RULE_RACE002, FINDING_ERROR,
                     "this thread has not seen it complete",
                     "wait for its mbarrier, or for its group and then at a "
                     "barrier, before its memory is used",
                     PART_HERE};
}

static const char SYNC_WARP[] =
    "lanes of a warp do not run in step: __syncwarp() between the two";
static const char SYNC_BLOCK[] =
    "put a barrier (__syncthreads()) between the two";

static Verdict verdict_of_threads(const VmRace *r) {
    const Vm *vm = r->w->vm;
    uint32_t warps = vm->order->clocks.warps_per_cta;
    bool same_warp = r->who >> 5 == r->w->serial;
    bool same_cta = (r->who >> 5) / warps == r->w->cta->order.serial;
    bool both_strong = (r->site & SITE_STRONG) && r->in->sem != SEM_WEAK;
    bool sizes =
        both_strong && !vm_site_fits(r->site, vm_site_size(r->in, r->bytes));
    const char *help =
        sizes         ? "use one size for all atomic accesses to a place"
        : both_strong ? "give both operations a scope that includes the other "
                        "thread (.cluster within a cluster, else .gpu)"
        : same_warp   ? SYNC_WARP
        : same_cta    ? SYNC_BLOCK
        : r->cta      ? "put a barrier of the cluster (cluster_group::sync()) "
                        "between the two"
                 : "give each block elements of its own, make both accesses "
                   "atomic, or order them by a release and an acquire at gpu "
                   "scope";
    FindingLevel level = r->wrote && r->write && same_value(r)
                             ? FINDING_ADVISORY
                             : FINDING_ERROR;
    return (Verdict){RULE_RACE001, level,
                     sizes ? "being of different sizes they are not atomic to "
                             "each other"
                     : both_strong ? "their scopes do not include each other"
                     : level == FINDING_ADVISORY
                         ? "nothing orders the two (both write the same value)"
                         : "nothing orders the two",
                     help, PART_HERE};
}

static Verdict verdict_of(const VmRace *r) {
    if (r->async && r->async->is_answer && !is_agent(r))
        return verdict_of_request(r);
    if (r->async)
        return verdict_of_async(r);
    return is_agent(r) ? verdict_of_agent(r) : verdict_of_threads(r);
}

// ---- reports -------------------------------------------------------------

static const char *later_verb(const VmRace *r) {
    if (r->async && r->async->is_answer)
        return "requests a cancellation whose answer will overwrite";
    if (r->async)
        return r->write ? "issues an asynchronous operation that will write"
                        : "issues an asynchronous operation that will read";
    return r->write ? "writes" : "reads";
}

// Empty: the rule's own words will do.
static Str missing_order(const VmRace *r, const Verdict *v) {
    if (v->rule != RULE_CLC006)
        return (Str){0};
    if (!is_ordered(r))
        return STR("a barrier between the read and this request, and a fence "
                   "between the proxies");
    return v->cure == PART_ASK
               ? STR("the acquiring half of a proxy fence, in the thread that "
                     "asks")
               : STR("the releasing half of a proxy fence behind the read, in "
                     "the thread that read");
}

// Whoever read an answer too early may have waited for the wrong phase.
static void explain_wait(const VmRace *r, Finding *finding) {
    const VmSlot *slot =
        r->cta ? vm_clc_slot_at(r->cta, (uint32_t)r->offset & ~15u) : NULL;
    if (slot && finding->rule == RULE_CLC007)
        vm_stale_explain(r->w->vm, finding, vm_who(r->w, r->lane),
                         slot->mbarrier);
    if (slot && finding->rule == RULE_CLC006 && !is_ordered(r))
        vm_stale_explain(r->w->vm, finding, r->who, slot->mbarrier);
}

// Two lanes of a warp raced first, and now others do.
static void widen_help(Finding *known, const Verdict *v) {
    if (known->help.ptr == SYNC_WARP && v->help != SYNC_WARP)
        known->help = str_from(v->help);
}

void vm_race_report(const VmRace *r) {
    Vm *vm = r->w->vm;
    Verdict v = verdict_of(r);
    if (vm->launch->unchecked >> v.rule & 1)
        return;
    Finding *known = vm_found_again(vm, r->w, r->in->loc, v.rule, v.level);
    if (known) {
        widen_help(known, &v);
        return;
    }
    bool fresh;
    Str later = vm_who_lane(r->w, r->lane), earlier = earlier_who(r);
    const char *verb = is_agent(r) ? (r->wrote ? "writes" : "reads")
                                   : (r->wrote ? "has written" : "has read");
    Finding *finding =
        vm_finding(vm, r->w, r->in->loc, v.rule, v.level, &fresh,
                   "%.*s %s %u bytes of %.*s that %.*s %s, and %s",
                   STR_ARG(later), later_verb(r), r->bytes,
                   STR_ARG(memory_name(r)), STR_ARG(earlier), verb, v.how);
    if (!fresh)
        return;
    finding->help = str_from(v.help);
    vm_cure(vm, finding, v.cure, 0);
    finding->missing = missing_order(r, &v);
    vm_related(vm, finding, vm_learner_loc(vm, NULL, r->site & SITE_LOC),
               "the earlier access: %.*s %s here", STR_ARG(earlier),
               is_agent(r) ? "was issued"
               : r->wrote  ? "wrote"
                           : "read");
    explain_wait(r, finding);
    finding->in_buffer =
        !r->cta && r->buffer >= vm->memory.first_user_buffer && !is_agent(r);
    finding->buffer = r->buffer - vm->memory.first_user_buffer;
    finding->offset = r->offset;
    finding->bytes = r->bytes;
    finding->other_cta = earlier_cta(r);
}

// ---- memory that nobody has written --------------------------------------

static bool overlaps_slot(const Finding *f, uint32_t slot) {
    return f->offset < slot + 16u && f->offset + f->bytes > slot;
}

static bool is_slot(const VmOrder *o, const Finding *f) {
    for (uint32_t i = 0; i < o->slot_count; i++)
        if (overlaps_slot(f, o->slots[i]))
            return true;
    return false;
}

static bool is_bitwise(PtxData data) {
    return data == PTX_DATA_ANDED || data == PTX_DATA_ORED ||
           data == PTX_DATA_MERGED;
}

static bool reads_any(const VmInstr *in, const uint32_t *regs, uint32_t count) {
    for (uint32_t k = 0; k < in->src_count; k++)
        for (uint32_t i = 0; i < count; i++)
            if (vm_srcs(in)[k].reg == regs[i])
                return true;
    return false;
}

// Compilers write a bit-field so: the word is loaded, other bits than the
// field's are kept, and it is stored to where it came from. The first field of
// a word that is written reads what nobody has written, and that is no mistake.
static bool writes_bits(const VmInstr *load) {
    enum { MOST = 8 };
    uint32_t regs[MOST] = {load->dst[0].reg}, count = 1;
    bool keeps_some = false;
    if (!ptx_is_load(load->op) || load->dst_count != 1)
        return false;
    for (const VmInstr *in = load + 1; in->plain && count < MOST; in++) {
        if (!reads_any(in, regs, count))
            continue;
        if (ptx_is_store(in->op))
            return keeps_some && in->imm == load->imm &&
                   in->src[0].reg == load->src[0].reg;
        PtxData data = (PtxData)PTX_TRAITS[in->op].data;
        if (!is_bitwise(data))
            return false;
        keeps_some |= data != PTX_DATA_ORED;
        regs[count++] = in->dst[0].reg;
    }
    return false;
}

static bool goes_to_global(const VmInstr *load, uint32_t element) {
    const VmInstr *in = load + 1;
    uint32_t reg = vm_dsts(load)[element].reg;
    while (in->plain && !reads_any(in, &reg, 1))
        in++;
    return in->plain && ptx_is_store(in->op) && in->space == PTX_SPACE_GLOBAL;
}

// Padding is copied with what is beside it, to another structure in shared or
// local memory, and a vector is loaded where some of it is needed: nothing else
// is done with elements that have bytes that nobody has written.
static bool is_padding(const VmWarp *w, const VmInstr *load, uint32_t part) {
    const VmFunc *func = w->frag->frame->func;
    EACH_LANE(e, part) {
        if (e >= load->dst_count || goes_to_global(load, e) ||
            vm_flow_is_used(w->vm, func, load, e))
            return false;
    }
    return part != 0;
}

// Libraries read ahead of what they use: CUB's merges look at a key behind the
// last one, and throw it away.
static bool is_of_header(const Vm *vm, uint32_t loc) {
    return loc && vm->module->locs[loc].file != vm->program->kernel_file;
}

static void describe_uninitialised(Finding *f) {
    bool is_answer = f->rule == RULE_CLC007;
    f->cure = is_answer ? PART_WAIT : PART_HERE;
    f->actual = is_answer ? STR("the slot of an answer, before any answer came")
                          : (Str){0};
    f->help = is_answer
                  ? STR(VM_HELP_WAIT)
                  : STR("shared memory starts with any bytes: write each "
                        "element before it is read, with a barrier between the "
                        "two");
}

void vm_race_uninitialised(VmWarp *w, const VmInstr *in, uint32_t lane,
                           const VmCta *owner, uint32_t offset, uint32_t bytes,
                           uint32_t part) {
    Vm *vm = w->vm;
    Finding place = {.offset = offset, .bytes = bytes};
    DeviceRule rule = is_slot(vm->order, &place) ? RULE_CLC007 : RULE_MEM003;
    if (vm->launch->unchecked >> rule & 1 ||
        vm_found_again(vm, w, in->loc, rule, FINDING_ERROR))
        return;
    const VmInstr *load = vm_instr_itself(w->frag->frame->func, w->frag, in);
    if (rule == RULE_MEM003 &&
        (writes_bits(load) || is_padding(w, load, part) ||
         is_of_header(vm, in->loc)))
        return;
    bool fresh;
    Finding *finding =
        vm_finding(vm, w, in->loc, rule, FINDING_ERROR, &fresh,
                   "%.*s reads %u bytes of %.*s that nobody has written",
                   STR_ARG(vm_who_lane(w, lane)), bytes,
                   STR_ARG(shared_text(w, owner, offset)));
    if (!fresh)
        return;
    finding->offset = offset;
    finding->bytes = bytes;
    describe_uninitialised(finding);
}

void vm_race_slot(Vm *vm, uint32_t offset) {
    VmOrder *o = vm->order;
    for (uint32_t i = 0; i < o->slot_count; i++)
        if (o->slots[i] == offset)
            return;
    if (o->slot_count < COUNT_OF(o->slots))
        o->slots[o->slot_count++] = offset;
    for (size_t i = 0; i < vm->run->finding_count; i++) {
        Finding *f = &vm->run->findings[i];
        if (f->rule != RULE_MEM003 || !f->bytes || !overlaps_slot(f, offset))
            continue;
        f->rule = RULE_CLC007;
        describe_uninitialised(f);
    }
}

static bool is_same_line(SrcLoc a, SrcLoc b) {
    return a.line == b.line && str_equal(a.file, b.file);
}

// An answer that was read too early was not there, and so nobody had written
// it.
static bool is_told(const DeviceRun *run, const Finding *f) {
    for (size_t i = 0; f->rule == RULE_MEM003 && i < run->finding_count; i++)
        if (run->findings[i].rule == RULE_CLC007 &&
            is_same_line(run->findings[i].at, f->at))
            return true;
    return false;
}

void vm_race_finish(Vm *vm) {
    DeviceRun *run = vm->run;
    size_t kept = 0;
    for (size_t i = 0; i < run->finding_count; i++)
        if (!is_told(run, &run->findings[i])) {
            Finding f = run->findings[i];
            run->findings[kept++] = f;
        }
    run->finding_count = kept;
}
