// SPDX-License-Identifier: Apache-2.0
// Passes the interpreter's events to the time model: see time.h. What a
// dispatch executes is summed up once, when the launch begins.
#include "vm/time/time.h"

#include "vm/code/kind.h"

// ---- what a dispatch executes --------------------------------------------

// A generic address is assumed to be in global memory; a parameter of a call is
// a register.
static void add_read(TimingRun *run, const VmInstr *in) {
    if (in->is_frame)
        return;
    switch ((PtxSpace)in->space) {
    case PTX_SPACE_SHARED:
        run->reads[DEVICE_SPACE_SHARED]++;
        break;
    case PTX_SPACE_LOCAL:
        run->reads[DEVICE_SPACE_LOCAL]++;
        break;
    case PTX_SPACE_CONST:
    case PTX_SPACE_PARAM:
        run->reads[DEVICE_SPACE_CONSTANT]++;
        break;
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_REG:
        run->reads[DEVICE_SPACE_GLOBAL]++;
        break;
    }
}

static void add_folded(TimingRun *run, const PtxInstr *ptx) {
    DeviceKind kind = vm_kind(ptx);
    run->kinds[kind]++;
    run->reads[DEVICE_SPACE_CONSTANT] += kind == DEVICE_KIND_LOAD;
}

// As for the counters, an instruction that was decoded into several counts as
// one.
static void add_instr(TimingRun *run, const VmFunc *func, uint32_t pc) {
    const VmInstr *in = &func->code[pc];
    for (uint32_t i = 1; i <= func->folded[pc]; i++)
        add_folded(run, in->ptx - i);
    if (pc + 1 < func->code_count && in[1].ptx == in->ptx)
        return;
    DeviceKind kind = vm_kind(in->ptx);
    run->kinds[kind]++;
    if (kind == DEVICE_KIND_LOAD || kind == DEVICE_KIND_ATOMIC)
        add_read(run, in);
}

static TimingRun *runs_of(Vm *vm, const VmFunc *func) {
    TimingRun *runs = arena_new(&vm->run_arena, TimingRun, func->code_count);
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        uint32_t length = func->code[pc].run ? func->code[pc].run : 1;
        for (uint32_t i = 0; i < length; i++)
            add_instr(&runs[pc], func, pc + i);
    }
    return runs;
}

// ---- a launch ------------------------------------------------------------

bool vm_time_set(Vm *vm, const Str *settings, size_t count, Diags *diags) {
    TimingModel model;
    bool known = timing_model_find(str_from(vm->model->name), &model);
    for (size_t i = 0; i < count && known; i++)
        known = timing_model_set(&model, settings[i], diags);
    if (known && !vm->persistent.time)
        vm->persistent.time = heap_alloc(sizeof *vm->persistent.time, 1);
    if (known) {
        vm->persistent.time->model = model;
        vm->persistent.time->always = true;
    }
    return known;
}

void vm_time_choose(Vm *vm) {
    Diags unused = diags_new(&vm->run_arena);
    if (vm->launch->is_timed && !vm->persistent.time) {
        vm_time_set(vm, NULL, 0, &unused);
        vm->persistent.time->always = false;
    }
    bool is_timed = vm->persistent.time && !vm->launch->is_untimed &&
                    (vm->launch->is_timed || vm->persistent.time->always);
    vm->time = is_timed ? vm->persistent.time : NULL;
}

void vm_time_begin(Vm *vm) {
    VmTime *time = vm->time;
    if (!time)
        return;
    size_t count = vm->module->func_count;
    time->runs = arena_new(&vm->run_arena, TimingRun *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (vm->program->funcs[i])
            time->runs[i] = runs_of(vm, vm->program->funcs[i]);
    TimingShape shape = {.sm_count = vm->tuning.sm_count,
                         .ctas_per_sm = vm_sm_fit(vm),
                         .warps_per_cta = vm_warps_of_cta(vm)};
    TimingModel model = time->model;
    uint64_t arrival = vm->launch->arrival;
    model.arrival_stays = vm->launch->arrival_stays;
    if (arrival)
        model.values[TIMING_ARRIVE] =
            arrival < UINT32_MAX ? (uint32_t)arrival : UINT32_MAX;
    time->timing = timing_start(&vm->run_arena, &model, shape);
}

void vm_time_end(Vm *vm) {
    if (!vm->time)
        return;
    vm->run->timeline = timing_finish(vm->time->timing, vm->out);
    vm->run->is_timed = true;
    vm->time->timing = NULL;
}

void vm_time_cluster_start(VmCluster *cluster) {
    Timing *timing = vm_timing(cluster->vm);
    uint32_t sms[VM_MAX_CLUSTER], blocks[VM_MAX_CLUSTER];
    uint32_t places[VM_MAX_CLUSTER];
    if (!timing)
        return;
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        sms[i] = cluster->ctas[i]->sm;
        blocks[i] = cluster->ctas[i]->linear;
    }
    timing_cluster_start(timing, sms, blocks, cluster->cta_count, places);
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        cluster->ctas[i]->time.place = places[i];
}

void vm_time_cta_exit(const VmCta *cta) {
    Timing *timing = vm_timing(cta->cluster->vm);
    if (timing)
        timing_cta_exit(timing, cta->time.place);
}

void vm_time_ran(const VmWarp *w, const VmFragment *f, bool whole) {
    const VmTime *time = w->vm->time;
    const VmFunc *func = f->frame->func;
    const TimingRun *run = &time->runs[func->ptx->id][f->pc];
    TimingRun one = {0};
    if (!whole) {
        add_instr(&one, func, f->pc);
        run = &one;
    }
    timing_prologue(time->timing, w->cta->time.place, w->index,
                    f->frame->in_prologue);
    timing_run(time->timing, w->cta->time.place, w->index, run);
}

// ---- waiting -------------------------------------------------------------

void vm_time_mbarrier_arrive(const VmWarp *w, const VmCta *cta,
                             VmMbarrier *bar) {
    if (cta == w->cta)
        vm_time_arrive(w, &bar->time.last);
    else
        vm_time_raise(&bar->time.last, vm_time_done_at(w, TIMING_CLUSTER));
}

uint64_t vm_time_done_at(const VmWarp *w, TimingValue what) {
    const Timing *timing = vm_timing(w->vm);
    return timing ? timing_done_at(timing, w->cta->time.place, w->index, what)
                  : 0;
}

void vm_time_sleep(const VmWarp *w, uint64_t nanoseconds) {
    Timing *timing = vm_timing(w->vm);
    if (timing)
        timing_sleep(timing, w->cta->time.place, w->index, nanoseconds);
}

void vm_time_exit(const VmWarp *w) {
    vm_time_arrive(w, &w->cta->time.exit);
    vm_time_arrive(w, &w->cta->cluster->exit_time);
}

// ---- groups of copies ----------------------------------------------------

static uint64_t *group_time(VmWarp *w, bool bulk, uint32_t group) {
    return &w->copies.time[bulk][group % VM_COPY_TIMES];
}

void vm_time_copy(VmWarp *w, bool bulk, uint32_t group, uint64_t done) {
    vm_time_raise(group_time(w, bulk, group), done);
}

// A group is done no earlier than the group before it.
void vm_time_commit(VmWarp *w, bool bulk, uint32_t lane) {
    uint32_t next = bulk ? w->copies.bulk_group[lane] : w->copies.group[lane];
    vm_time_raise(group_time(w, bulk, next), *group_time(w, bulk, next - 1));
}

void vm_time_copied(const VmWarp *w, bool bulk, uint32_t lane, uint64_t but) {
    uint32_t next = bulk ? w->copies.bulk_group[lane] : w->copies.group[lane];
    uint64_t back = but + 1;
    if (back > next || back >= VM_COPY_TIMES)
        return;
    uint32_t group = next - (uint32_t)back;
    vm_time_resume(w, w->copies.time[bulk][group % VM_COPY_TIMES],
                   TIMING_BARRIER);
}

// ---- what the CTA is doing -----------------------------------------------

void vm_time_block(const VmWarp *w, uint32_t block) {
    Timing *timing = vm_timing(w->vm);
    if (timing)
        timing_block(timing, w->cta->time.place, w->index, block);
}

// ---- events --------------------------------------------------------------

static bool is_noted(const VmWarp *w, const DeviceEvent *event) {
    const DeviceEvent *last = &w->vm->time->last;
    return last->cycle == event->cycle && last->kind == event->kind &&
           last->cta == event->cta && last->warp == event->warp &&
           last->at == event->at;
}

void vm_time_note(const VmWarp *w, DeviceEvent event) {
    Timing *timing = vm_timing(w->vm);
    if (!timing)
        return;
    event.cycle = timing_now(timing, w->cta->time.place, w->index);
    event.cta = w->cta->linear;
    event.warp = w->index;
    event.block = DEVICE_EVENT_NONE;
    if (is_noted(w, &event))
        return;
    w->vm->time->last = event;
    timing_event(timing, event);
}

void vm_time_note_bar(const VmWarp *w, const VmCta *cta, const VmMbarrier *bar,
                      DeviceEventKind kind, uint32_t value) {
    Timing *timing = vm_timing(cta->cluster->vm);
    if (!timing)
        return;
    bool ours = w && w->cta == cta;
    uint64_t cycle = bar->time.last;
    if (w) // another CTA of the cluster sees it later: as an arrival
        cycle = ours ? timing_now(timing, w->cta->time.place, w->index)
                     : vm_time_done_at(w, TIMING_CLUSTER);
    timing_event(timing,
                 (DeviceEvent){.cycle = cycle,
                               .kind = kind,
                               .cta = cta->linear,
                               .warp = ours ? w->index : DEVICE_EVENT_NONE,
                               .at = bar->offset,
                               .value = value,
                               .block = DEVICE_EVENT_NONE,
                               .pending = bar->state.pending,
                               .tx = (int32_t)bar->state.tx});
}

static uint32_t first_granted(const Vm *vm, const VmRequest *request) {
    uint32_t id[3];
    if (request->granted == VM_NONE)
        return DEVICE_EVENT_NONE;
    vm_unlinear(request->granted, vm->shape.cluster_grid, id);
    for (int axis = 0; axis < 3; axis++)
        id[axis] *= vm->shape.cluster_dim[axis];
    return vm_linear(id, vm->shape.grid);
}

uint32_t vm_time_note_answer(const VmCta *cta, uint32_t number) {
    const Vm *vm = cta->cluster->vm;
    Timing *timing = vm_timing(vm);
    const VmRequest *request = &vm->clc.requests[number];
    uint32_t block = first_granted(vm, request);
    if (!timing)
        return block;
    timing_event(timing, (DeviceEvent){.cycle = request->time,
                                       .kind = DEVICE_EVENT_ANSWER,
                                       .cta = cta->linear,
                                       .warp = DEVICE_EVENT_NONE,
                                       .at = request->slot,
                                       .value = number,
                                       .block = block});
    return block;
}
