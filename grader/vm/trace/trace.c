// SPDX-License-Identifier: Apache-2.0
// Passes what happens to the time model and to the tape: see trace.h. Times on
// the tape are the machine's own steps or, in a launch whose time is modelled,
// its cycles.
#include "vm/trace/trace.h"

#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/trace/tape.h"
#include "vm/trace/values.h"

struct VmTrace {
    Tape *tape;
    const VmInstr *in;    // the last instruction of the present dispatch
    VmDone done;          // that dispatch
    TraceEvent *fresh[8]; // the steps that it is
    size_t fresh_count;
    uint32_t ran;    // instructions of the slice before it
    bool noted;      // an event has been told of it
    TraceEvent last; // of a warp
    size_t findings; // of the run, that have been looked at
};

void vm_trace_begin(Vm *vm) {
    const TraceWish *wish = vm->launch->trace;
    vm->trace = NULL;
    if (!wish)
        return;
    vm->trace = arena_new(&vm->run_arena, VmTrace, 1);
    vm->trace->tape =
        tape_start(&vm->run_arena, wish, vm->tuning.sm_count, vm_sm_fit(vm));
}

// ---- when, and at which line ---------------------------------------------

static uint64_t now_of(const VmWarp *w) {
    if (vm_timing(w->vm))
        return vm_time_now(w);
    return w->vm->turns.tick + w->vm->trace->ran;
}

// Of something asynchronous; `modelled`: its cycle.
static uint64_t later_at(const Vm *vm, uint64_t modelled) {
    return vm_timing(vm) ? modelled : vm->turns.tick;
}

// The line in the kernel's own file; 0: it is in another one.
static uint32_t line_of(const Vm *vm, const VmWarp *w, uint32_t loc) {
    uint32_t own = vm_learner_loc(vm, w, loc);
    const PtxLoc *at = &vm->module->locs[own];
    return own && at->file == vm->program->kernel_file ? at->line : 0;
}

// An event of a warp, at the present instruction.
static TraceEvent event_of(const VmWarp *w, uint32_t kind) {
    const VmInstr *in = w->vm->trace->in;
    TraceEvent event = {.at = now_of(w),
                        .kind = kind,
                        .cta = w->cta->linear,
                        .warp = w->index,
                        .shared = DEVICE_EVENT_NONE,
                        .block = DEVICE_EVENT_NONE,
                        .times = 1};
    if (in && in->ptx) {
        event.line = line_of(w->vm, w, in->loc);
        event.op = ptx_op_name(in->ptx->op);
    }
    return event;
}

// An event at that byte of shared memory, or at none.
static void put_at(const Vm *vm, uint32_t shared, TraceEvent *event) {
    event->shared = event->inside = shared;
    if (shared != DEVICE_EVENT_NONE)
        event->name = vm_shared_name(vm, &event->inside);
}

// ---- CTAs ----------------------------------------------------------------

static bool is_wished(const TraceWish *wish, const VmCluster *cluster) {
    for (uint32_t i = 0; i < wish->cta_count; i++)
        for (uint32_t k = 0; k < cluster->cta_count; k++)
            if (wish->ctas[i] == cluster->ctas[k]->linear)
                return wish->rule != DEVICE_RULE_NONE;
    return false;
}

static uint64_t begin_of(const VmCta *cta) {
    const Vm *vm = cta->cluster->vm;
    const Timing *timing = vm_timing(vm);
    return timing ? timing_now(timing, cta->time.place, 0) : vm->turns.tick;
}

void vm_trace_cluster_start(VmCluster *cluster) {
    Vm *vm = cluster->vm;
    if (!vm->trace)
        return;
    bool is_looked_at = is_wished(vm->launch->trace, cluster);
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        VmCta *cta = cluster->ctas[i];
        cta->trace.is_looked_at = is_looked_at;
        if (is_looked_at)
            cta->trace.written =
                vm_written_new(&vm->run_arena, vm_warps_of_cta(vm));
        cta->trace.place =
            tape_enter(vm->trace->tape, cta->sm, cta->linear, begin_of(cta));
    }
}

void vm_trace_cta_exit(const VmCta *cta) {
    const Vm *vm = cta->cluster->vm;
    if (!vm->trace)
        return;
    uint64_t at = vm->turns.tick + vm->trace->ran;
    tape_leave(vm->trace->tape, cta->trace.place,
               vm_timing(vm) ? cta->time.exit : at);
}

void vm_trace_block(const VmWarp *w, uint32_t block) {
    if (w->vm->trace)
        tape_block(w->vm->trace->tape, w->cta->trace.place, block, now_of(w));
}

// ---- steps ---------------------------------------------------------------

// `w`: who has done it; NULL: no warp.
static void put_step(const Vm *vm, const VmWarp *w, const TraceEvent *step) {
    VmTrace *trace = vm->trace;
    TraceEvent *kept = tape_step(trace->tape, step);
    if (w && kept && trace->fresh_count < COUNT_OF(trace->fresh))
        trace->fresh[trace->fresh_count++] = kept;
}

// A frame that was left may belong to nobody.
static bool has_left(const VmInstr *in) {
    return !in->ptx || in->ptx->op == PTX_OP_RET || in->ptx->op == PTX_OP_EXIT;
}

// Gives the steps of the dispatch what the registers hold after it.
static void put_values(const VmWarp *w) {
    VmTrace *trace = w->vm->trace;
    TraceValue values[TRACE_MOST_VALUES];
    size_t count = 0;
    if (trace->fresh_count)
        count = vm_written_values(w->cta->trace.written, w, trace->done.frame,
                                  values);
    for (size_t i = 0; i < count; i++)
        values[i].line = line_of(w->vm, w, values[i].line);
    for (size_t i = 0; i < trace->fresh_count; i++)
        tape_values(trace->tape, trace->fresh[i], values, count);
}

// ---- instructions --------------------------------------------------------

static TraceEvent found_event(const Vm *vm, const Finding *finding) {
    const FindingWho *who = &finding->who;
    return (TraceEvent){.at = vm->turns.tick + vm->trace->ran,
                        .kind = TRACE_FOUND,
                        .cta =
                            who->known ? who->cta : vm->launch->trace->ctas[0],
                        .warp = who->known ? who->warp : DEVICE_EVENT_NONE,
                        .line = finding->at.line,
                        .shared = DEVICE_EVENT_NONE,
                        .block = DEVICE_EVENT_NONE,
                        .times = 1};
}

static bool is_the_one(const TraceWish *wish, const Finding *finding) {
    return finding->rule == wish->rule && finding->level == FINDING_ERROR &&
           finding->at.line == wish->at.line && finding->at.col == wish->at.col;
}

// A finding that was kept back is put among those before it, so all are looked
// at again when there is another one.
static void look_for_finding(const Vm *vm) {
    VmTrace *trace = vm->trace;
    const TraceWish *wish = vm->launch->trace;
    if (trace->findings == vm->run->finding_count ||
        wish->rule == DEVICE_RULE_NONE || tape_has_found(trace->tape))
        return;
    trace->findings = vm->run->finding_count;
    for (size_t i = 0; i < trace->findings; i++) {
        const Finding *finding = &vm->run->findings[i];
        if (!is_the_one(wish, finding))
            continue;
        TraceEvent found = found_event(vm, finding);
        tape_found(trace->tape, &found);
    }
}

void vm_trace_begins(const VmWarp *w, const VmInstr *in, uint32_t ran) {
    VmTrace *trace = w->vm->trace;
    trace->in = in;
    trace->ran = ran;
    trace->noted = false;
    trace->fresh_count = 0;
    const VmFragment *f = w->frag;
    const VmInstr *first = &f->frame->func->code[f->pc];
    trace->done = (VmDone){.frame = f->frame,
                           .first = first,
                           .last = in,
                           .lanes = vm_guarded(w, first, f->mask)};
}

static bool leads_there(const TraceWish *wish, uint32_t line) {
    for (uint32_t i = 0; i < wish->line_count; i++)
        if (line && wish->lines[i] == line)
            return true;
    return false;
}

static void end_step(const VmWarp *w, bool is_step) {
    TraceEvent step = event_of(w, TRACE_STEP);
    if (!is_step)
        step.op = (Str){0};
    if (is_step || leads_there(w->vm->launch->trace, step.line))
        put_step(w->vm, w, &step);
}

void vm_trace_ended(const VmWarp *w, VmNext next, bool is_step) {
    VmTrace *trace = w->vm->trace;
    bool is_looked_at = w->cta->trace.is_looked_at;
    if (!trace->noted && is_looked_at)
        end_step(w, is_step);
    if (is_looked_at && next != VM_STOP && !has_left(trace->in)) {
        trace->done.is_whole = next == VM_GO;
        vm_written_note(w->cta->trace.written, w, &trace->done);
        put_values(w);
    }
    look_for_finding(w->vm);
}

// ---- events --------------------------------------------------------------

static void tell(const VmWarp *w, const VmCta *cta, const TraceEvent *event) {
    VmTrace *trace = cta->cluster->vm->trace;
    trace->noted = true;
    if (!cta->exited)
        tape_event(trace->tape, cta->trace.place, *event);
    if (cta->trace.is_looked_at)
        put_step(cta->cluster->vm, w && w->cta == cta ? w : NULL, event);
}

// Another lane has told the same.
static bool is_told(const TraceEvent *last, const TraceEvent *event) {
    return last->times && last->at == event->at && last->kind == event->kind &&
           last->cta == event->cta && last->warp == event->warp &&
           last->shared == event->shared;
}

void vm_trace_tell(const VmWarp *w, DeviceEvent event) {
    vm_time_note(w, event);
    if (!w->vm->trace)
        return;
    TraceEvent told = event_of(w, event.kind);
    put_at(w->vm, event.at, &told);
    told.value = event.value;
    if (is_told(&w->vm->trace->last, &told))
        return;
    w->vm->trace->last = told;
    tell(w, w->cta, &told);
}

void vm_trace_note_bar(const VmWarp *w, const VmCta *cta, const VmMbarrier *bar,
                       DeviceEventKind kind, uint32_t value) {
    const Vm *vm = cta->cluster->vm;
    vm_time_note_bar(w, cta, bar, kind, value);
    if (!vm->trace)
        return;
    TraceEvent told = {.at = later_at(vm, bar->time.last),
                       .kind = kind,
                       .warp = DEVICE_EVENT_NONE,
                       .block = DEVICE_EVENT_NONE,
                       .times = 1};
    if (w)
        told = event_of(w, kind);
    if (w && w->cta != cta)
        told.warp = DEVICE_EVENT_NONE;
    told.cta = cta->linear;
    put_at(vm, bar->offset, &told);
    told.value = value;
    told.pending = bar->state.pending;
    told.tx = (int32_t)bar->state.tx;
    tell(w, cta, &told);
}

void vm_trace_note_answer(const VmCta *cta, uint32_t number) {
    const Vm *vm = cta->cluster->vm;
    const VmRequest *request = &vm->clc.requests[number];
    uint32_t block = vm_time_note_answer(cta, number);
    if (!vm->trace)
        return;
    TraceEvent told = {.at = later_at(vm, request->time),
                       .kind = DEVICE_EVENT_ANSWER,
                       .cta = cta->linear,
                       .warp = DEVICE_EVENT_NONE,
                       .value = number,
                       .block = block,
                       .times = 1};
    put_at(vm, request->slot, &told);
    tell(NULL, cta, &told);
}

// ---- the end -------------------------------------------------------------

// What only the end of the launch shows, such as lost work, is found now.
void vm_trace_end(Vm *vm) {
    VmTrace *trace = vm->trace;
    if (!trace)
        return;
    look_for_finding(vm);
    uint64_t end =
        vm->run->is_timed ? vm->run->timeline.cycles : vm->turns.tick;
    RunTrace *made = tape_finish(trace->tape, vm->out, end);
    made->is_timed = vm->run->is_timed;
    made->clock_mhz = vm->run->timeline.clock_mhz;
    made->is_cut = vm->run->status == RUN_LIMIT;
    made->totals = vm->run->ledger.totals;
    made->warps = vm_warps_of_cta(vm);
    made->ctas = vm->shape.cluster_size;
    vm_written_params(vm, &made->moment);
    vm->run->trace = made;
    vm->trace = NULL;
}
