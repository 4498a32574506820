// SPDX-License-Identifier: Apache-2.0
// One launch: load the module, set the secret, fill the inputs, launch, read
// back. Inputs and secret depend only on the grading's seed and the size, so
// that every schedule sees the same problem.
//
// Each buffer is exactly as large as its elements, so that an index that is too
// large is out of bounds and never falls into another buffer.
#include "check/judge.h"
#include "check/scalar.h"

#include <string.h>

enum {
    SECRET_STREAM = 1,
    EARLIER_STREAM = 6, // of the secret of a launch before the one that counts
    MORE_STEPS = 8,     // times as many steps, if the first limit is reached
    TRIED_PART = 5,     // of the steps, for a kernel with an edit that is tried
    LEAST_ROUNDS = 8,   // of the prologue: enough that it cannot be guessed
};

// labs/common/lab.h: LabSecret.
typedef struct Secret {
    float seed; // in (1.25, 1.75)
    int32_t rounds;
} Secret;

// ---- causes that are not the learner's -----------------------------------

static Cause device_cause(const Grade *grade, const Diags *diags) {
    if (diags->count == 0)
        return cause_of_case(grade, NULL, (SrcLoc){0},
                             CASE_ANY_CHECK_DEVICE_SILENT, NO_FACTS);
    Cause cause = cause_from_diag(grade, &diags->items[0]);
    if (cause.help.len == 0)
        cause_set_reason(grade, REASON_DEVICE_FAILED, &cause);
    return cause;
}

static const Finding *first_error(const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].level == FINDING_ERROR)
            return &run->findings[i];
    return NULL;
}

static const Finding *find_rule(const DeviceRun *run, DeviceRule rule) {
    for (size_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].rule == rule)
            return &run->findings[i];
    return NULL;
}

static RunOutcome launch_outcome(Grade *grade, const DeviceRun *run,
                                 Cause *cause) {
    const Finding *finding;
    switch (run->status) {
    case RUN_DONE:
    case RUN_FAULT:
    case RUN_DEADLOCK:
    case RUN_LIMIT:
        return OUTCOME_RAN;
    case RUN_UNSUPPORTED:
        finding = find_rule(run, RULE_UNSUPPORTED);
        *cause = finding ? cause_from_finding(grade, finding)
                         : cause_from_diag(grade, &run->error);
        cause->code = STR("UNSUPPORTED");
        cause_set_reason(grade, REASON_GRADER_LIMIT, cause);
        return OUTCOME_OURS;
    case RUN_REFUSED:
        *cause = cause_from_diag(grade, &run->error);
        return run->error.code.len ? OUTCOME_THEIRS : OUTCOME_OURS;
    }
    return OUTCOME_OURS;
}

// ---- the module ----------------------------------------------------------

static Secret make_secret(const Grade *grade, uint64_t stream) {
    Rng rng = rng_stream(grade->options->seed, stream);
    float unit = (float)(rng_next(&rng) >> 40) / (float)(1 << 24);
    return (Secret){
        .seed = 1.26f + 0.48f * unit,
        .rounds = LEAST_ROUNDS + (int32_t)rng_below(&rng, LEAST_ROUNDS),
    };
}

// Sets the secret of the launches to come.
static bool set_secret(Grade *grade, Secret secret, Cause *cause) {
    const DeviceOps *ops = grade->device->ops;
    if (ops->write_symbol(grade->device, STR("clclab_secret"), &secret,
                          sizeof secret))
        return true;
    *cause = cause_of_case(grade, NULL, grade->kernel_at, CASE_RULES_NO_SECRET,
                           FACTS(FACT_STR(NAME, STR("clclab_secret"))));
    return false;
}

static bool load_module(Grade *grade, Cause *cause) {
    Diags diags = diags_new(grade->arena);
    const DeviceOps *ops = grade->device->ops;
    if (ops->load(grade->device, grade->submission->module, &diags))
        return set_secret(grade, make_secret(grade, SECRET_STREAM), cause);
    *cause = device_cause(grade, &diags);
    return false;
}

// More steps than a right kernel usually takes, but few enough that a kernel
// that never ends is reported soon. `work`: elements and threads.
static uint64_t step_limit(const Grade *grade, uint64_t work) {
    static const uint64_t base = 20 * 1000 * 1000, each = 2000;
    uint64_t asked = grade->options->step_limit;
    uint64_t usual = base + each * work;
    if (asked)
        return asked;
    return grade->options->is_tried ? usual / TRIED_PART : usual;
}

// bytes: NULL for zeros.
static bool make_buffer(Grade *grade, const void *bytes, uint64_t count,
                        uint32_t *index, uint64_t *address, Cause *cause) {
    Diags diags = diags_new(grade->arena);
    const DeviceOps *ops = grade->device->ops;
    if (ops->alloc(grade->device, count, index, address, &diags) &&
        (count == 0 || !bytes ||
         ops->write(grade->device, *index, 0, bytes, count)))
        return true;
    *cause = device_cause(grade, &diags);
    return false;
}

static RunOutcome launch(Grade *grade, Arena *arena,
                         const DeviceLaunch *request, DeviceRun *run,
                         Cause *cause) {
    if (!grade->device->ops->launch(grade->device, arena, request, run)) {
        *cause = run->error.what.len ? cause_from_diag(grade, &run->error)
                                     : device_cause(grade, &(Diags){0});
        return OUTCOME_OURS;
    }
    return launch_outcome(grade, run, cause);
}

// ---- small kernels of lab.h ----------------------------------------------

// Runs a kernel of one thread whose last argument, at byte pointer_at of
// `args`, points to a buffer of `count` bytes. `out` has the buffer's bytes
// before the launch and then those after it.
static RunOutcome run_single(Grade *grade, Str kernel, uint8_t *args,
                             size_t pointer_at, void *out, uint64_t count,
                             DeviceRun *run, Cause *cause) {
    uint32_t buffer;
    uint64_t address;
    if (!load_module(grade, cause) ||
        !make_buffer(grade, out, count, &buffer, &address, cause))
        return OUTCOME_OURS;
    memcpy(args + pointer_at, &address, sizeof address);
    DeviceLaunch request = {
        .kernel = kernel,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .cluster = {1, 1, 1},
        .args = args,
        .arg_bytes = pointer_at + sizeof address,
        .step_limit = step_limit(grade, 1),
    };
    RunOutcome outcome = launch(grade, grade->arena, &request, run, cause);
    if (outcome == OUTCOME_RAN)
        grade->device->ops->read(grade->device, buffer, 0, out, count);
    return outcome;
}

// On a large model all blocks of a lab's sizes are resident at once, so that
// none is ever pending. Thousands of further blocks would change that but take
// long to simulate; instead each block is given so much dynamic shared memory
// that fewer of them fit. A real GPU is fast enough for larger grids.
static void choose_residency(Grade *grade) {
    enum { STEP = 16 * 1024, MOST = 256 * 1024 };
    const Lab *lab = grade->lab;
    const DeviceOps *ops = grade->device->ops;
    uint64_t blocks = shape_blocks(lab, lab->sizes[lab->size_count - 1]);
    uint32_t smem = 0;
    uint32_t fit =
        ops->blocks_per_sm(grade->device, lab->kernel, lab->threads, 0);
    grade->dynamic_smem = 0;
    grade->blocks_per_sm = fit;
    while (!grade->info.is_card && fit > 1 && smem < MOST &&
           blocks < 2 * (uint64_t)fit * grade->info.sm_count) {
        smem += STEP;
        fit =
            ops->blocks_per_sm(grade->device, lab->kernel, lab->threads, smem);
        if (fit == 0 || fit == grade->blocks_per_sm)
            continue;
        grade->dynamic_smem = smem;
        grade->blocks_per_sm = fit;
    }
}

// A file can replace lab.h's prologue in PTX alone: its asm can end a function
// and begin a comment. Then the value is another one, or there is none. If a
// card gives another value for the same PTX as the virtual machine, it is the
// machine's fault.
RunOutcome run_prepare(Grade *grade, Cause *cause) {
    DeviceRun run = {0};
    uint8_t args[sizeof(uint64_t)];
    Secret secret = make_secret(grade, SECRET_STREAM);
    float alpha = 0;
    if (!load_module(grade, cause))
        return OUTCOME_OURS;
    choose_residency(grade);
    RunOutcome outcome = run_single(grade, STR("clclab_prologue"), args, 0,
                                    &alpha, sizeof alpha, &run, cause);
    if (outcome != OUTCOME_RAN)
        return grade->info.is_card ? OUTCOME_OURS : outcome;
    grade->alpha = alpha;
    const Finding *finding = first_error(&run);
    if (!finding && alpha == scalar_after(secret.seed, secret.rounds))
        return OUTCOME_RAN;
    if (finding) {
        *cause = cause_from_finding(grade, finding);
        cause_set_reason(grade, REASON_SCALAR_CHANGED, cause);
    } else {
        *cause =
            cause_of_case(grade, NULL, grade->kernel_at, CASE_RULES_NO_SCALAR,
                          FACTS(FACT_STR(NAME, STR("compute_scalar"))));
    }
    return grade->info.is_card ? OUTCOME_OURS : OUTCOME_THEIRS;
}

RunOutcome run_plan(Grade *grade, PlanQuery query, int32_t *blocks,
                    Cause *cause) {
    DeviceRun run = {0};
    uint8_t args[sizeof query + sizeof(uint64_t)];
    memcpy(args, &query, sizeof query);
    *blocks = INT32_MIN; // this stays if launch_plan sets no number
    RunOutcome outcome =
        run_single(grade, STR("clclab_launch_plan"), args, sizeof query, blocks,
                   sizeof *blocks, &run, cause);
    const Finding *finding = first_error(&run);
    if (outcome != OUTCOME_RAN || (!finding && run.status == RUN_DONE))
        return outcome;
    *cause = finding ? cause_from_finding(grade, finding)
                     : cause_of_case(grade, NULL, grade->kernel_at,
                                     CASE_LAUNCH_PLAN_NEVER_ENDS,
                                     FACTS(FACT_STR(NAME, STR("launch_plan"))));
    return OUTCOME_THEIRS;
}

// ---- the lab's kernel ----------------------------------------------------

// The parameter block, and the buffers that it points to.
typedef struct Arguments {
    _Alignas(8) uint8_t bytes[LAB_MAX_PARAMS * sizeof(uint64_t)];
    size_t count;    // bytes
    uint32_t in;     // the buffer's index, as alloc gave it
    uint32_t starts; // likewise
} Arguments;

static void add_argument(Arguments *args, const void *value, size_t size) {
    args->count = round_up(args->count, size);
    memcpy(args->bytes + args->count, value, size);
    args->count += size;
}

static bool add_buffer(Grade *grade, Arguments *args, const void *bytes,
                       uint64_t count, uint32_t *index, Cause *cause) {
    uint64_t address;
    if (!make_buffer(grade, bytes, count, index, &address, cause))
        return false;
    add_argument(args, &address, sizeof address);
    return true;
}

static bool add_param(Grade *grade, const Run *run, LabParam param,
                      Arguments *args, uint32_t *data, Cause *cause) {
    uint64_t bytes = (uint64_t)run->n * BYTES_PER_ELEMENT;
    uint64_t rows = (uint64_t)run->size.dim[0];
    switch (param) {
    case LAB_PARAM_DATA:
    case LAB_PARAM_OUT:
        return add_buffer(grade, args, run->before, bytes, data, cause);
    case LAB_PARAM_IN:
        return add_buffer(grade, args, run->in, bytes, &args->in, cause);
    case LAB_PARAM_STARTS:
        return add_buffer(grade, args, run->starts,
                          (rows + 1) * sizeof(int32_t), &args->starts, cause);
    case LAB_PARAM_N:
        add_argument(args, &run->n, sizeof run->n);
        return true;
    case LAB_PARAM_WIDTH:
    case LAB_PARAM_ROWS:
        add_argument(args, &run->size.dim[0], sizeof(int32_t));
        return true;
    case LAB_PARAM_HEIGHT:
        add_argument(args, &run->size.dim[1], sizeof(int32_t));
        return true;
    case LAB_PARAM_DEPTH:
        add_argument(args, &run->size.dim[2], sizeof(int32_t));
        return true;
    case LAB_PARAM_COUNT:
        break;
    }
    return false;
}

uint64_t run_traced_steps(uint64_t limit) {
    static const uint64_t most = 50 * 1000 * 1000;
    return limit < most ? limit : most;
}

static DeviceLaunch kernel_launch(const Grade *grade, Run *run,
                                  const Arguments *args) {
    const Lab *lab = grade->lab;
    uint64_t threads = (uint64_t)run->grid * lab->threads;
    uint64_t work = run->far ? run->far->work : (uint64_t)run->n + threads;
    DeviceLaunch launch = {
        .kernel = lab->kernel,
        .block = {lab->block[0], lab->block[1], lab->block[2]},
        .cluster = {lab->cluster, 1, 1},
        .dynamic_smem = grade->dynamic_smem,
        .args = args->bytes,
        .arg_bytes = args->count,
        .schedule = run->schedule,
        .step_limit =
            step_limit(grade, work) * (run->has_more_steps ? MORE_STEPS : 1),
        .prologue = STR("compute_scalar"),
        .unchecked = run->is_timed || run->is_unchecked ? UINT64_MAX : 0,
        .is_timed = run->is_timed,
        .trace = run->wish,
        .arrival = run->arrival,
        .arrival_stays = run->arrival_stays,
        .stale_is_error = true,
        .watches = &run->watch,
        .watch_count = 1,
    };
    if (run->far) {
        launch.only = run->far->clusters;
        launch.only_count = run->far->cluster_count;
        launch.ledger_most = 1;
    }
    if (run->wish)
        launch.step_limit = run_traced_steps(launch.step_limit);
    shape_launch(lab, run, launch.grid);
    return launch;
}

// Whether the kernel changed this input.
static bool is_changed(Grade *grade, Arena *arena, uint32_t buffer,
                       const void *was, uint64_t bytes) {
    uint8_t *now = arena_new(arena, uint8_t, (size_t)bytes + 1);
    return was && bytes &&
           grade->device->ops->read(grade->device, buffer, 0, now, bytes) &&
           memcmp(now, was, bytes) != 0;
}

static void read_back(Grade *grade, Arena *arena, const Arguments *args,
                      float *data, Run *run) {
    if (run->far) {
        far_read(grade, run);
        return;
    }
    uint64_t bytes = (uint64_t)run->n * BYTES_PER_ELEMENT;
    uint64_t starts = ((uint64_t)run->size.dim[0] + 1) * sizeof(int32_t);
    if (bytes)
        grade->device->ops->read(grade->device, run->watch.buffer, 0, data,
                                 bytes);
    if (is_changed(grade, arena, args->in, run->in, bytes))
        run->changed = STR("in");
    if (is_changed(grade, arena, args->starts, run->starts, starts))
        run->changed = STR("starts");
}

// Launches the kernel with new buffers in the loaded module, and reads back.
static RunOutcome launch_once(Grade *grade, Arena *arena, bool keeps_variables,
                              float *data, Run *run, Cause *cause) {
    const Lab *lab = grade->lab;
    Arguments args = {0};
    for (size_t i = 0; i < lab->param_count; i++)
        if (!add_param(grade, run, lab->params[i], &args, &run->watch.buffer,
                       cause))
            return OUTCOME_OURS;
    if (run->far)
        far_fill(grade, run, run->watch.buffer, args.in);
    run->watch.piece_of = run->owner;
    run->watch.count = run->far ? 1 : run->blocks;
    DeviceLaunch request = kernel_launch(grade, run, &args);
    request.keeps_variables = keeps_variables;
    RunOutcome outcome = launch(grade, arena, &request, &run->device, cause);
    if (outcome == OUTCOME_RAN)
        read_back(grade, arena, &args, data, run);
    return outcome;
}

// The same floats, the last first.
static const float *turned(Arena *arena, const float *from, int32_t count) {
    float *to = arena_new(arena, float, (size_t)count + 1);
    for (int32_t i = 0; i < count; i++)
        to[i] = from[count - 1 - i];
    return from ? to : NULL;
}

// A launch with another secret and other data, of which nothing is judged but
// what it leaves in the module's variables: whoever takes that for its own is
// wrong in the launch behind it. The run is then as it was, but for what the
// device says.
static RunOutcome launch_before(Grade *grade, Arena *arena, Run *run,
                                Cause *cause) {
    const float *in = run->in, *before = run->before;
    float *unused = arena_new(arena, float, (size_t)run->n + 1);
    if (!set_secret(grade, make_secret(grade, EARLIER_STREAM), cause))
        return OUTCOME_OURS;
    run->in = in ? turned(arena, in, run->n) : NULL;
    run->before = turned(arena, before, run->n);
    RunOutcome outcome = launch_once(grade, arena, false, unused, run, cause);
    run->in = in;
    run->before = before;
    if (outcome == OUTCOME_RAN &&
        !set_secret(grade, make_secret(grade, SECRET_STREAM), cause))
        return OUTCOME_OURS;
    return outcome;
}

static RunOutcome launch_kernel(Grade *grade, Arena *arena, float *data,
                                Run *run, Cause *cause) {
    RunOutcome outcome = OUTCOME_RAN;
    if (!load_module(grade, cause))
        return OUTCOME_OURS;
    if (run->is_relaunch)
        outcome = launch_before(grade, arena, run, cause);
    if (outcome == OUTCOME_RAN)
        outcome = launch_once(grade, arena, run->is_relaunch, data, run, cause);
    return outcome;
}

static bool is_wrong_anyway(const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].level == FINDING_ERROR &&
            run->findings[i].rule != RULE_LIMIT)
            return true;
    return false;
}

// A kernel whose threads spin, and count while they do, may be right and take
// many steps: before it is judged for that alone, it gets more. In modelled
// time, where a spin is slow to run, it gets more if it has needed that before:
// what waits for ever only there would take half a minute to say so. An edit
// that is tried is not worth the time.
static bool deserves_more(const Grade *grade, const Run *run,
                          RunOutcome outcome) {
    return outcome == OUTCOME_RAN && run->grid > 0 &&
           run->device.status == RUN_LIMIT && !grade->options->step_limit &&
           !grade->options->is_tried && (grade->spins || !run->is_timed) &&
           !is_wrong_anyway(&run->device);
}

static void make_problem(const Grade *grade, Arena *arena, Run *run) {
    shape_make(grade, arena, run);
    double *expected = arena_new(arena, double, (size_t)run->n + 1);
    LabProblem problem = shape_problem(grade, run, run->before);
    grade->lab->reference(&problem, expected);
    run->expected = expected;
}

static void take_problem(Run *run) {
    const Run *from = run->alike;
    run->blocks = from->blocks;
    run->n = from->n;
    run->starts = from->starts;
    run->owner = from->owner;
    run->before = from->before;
    run->in = from->in;
    run->expected = from->expected;
}

// Of a large grid a few blocks.
static RunOutcome run_far(Grade *grade, Arena *arena, Run *run, Cause *cause) {
    far_make(grade, arena, run);
    RunOutcome outcome = launch_kernel(grade, arena, NULL, run, cause);
    if (outcome != OUTCOME_RAN)
        cause_in_run(grade, run, cause);
    return outcome;
}

RunOutcome run_kernel(Grade *grade, Arena *arena, LabSize size, uint32_t grid,
                      Run *run, Cause *cause) {
    run->size = size;
    run->grid = grid;
    if (run->far)
        return run_far(grade, arena, run, cause);
    if (run->alike)
        take_problem(run);
    else
        make_problem(grade, arena, run);
    float *data = arena_new(arena, float, (size_t)run->n + 1);
    memcpy(data, run->before, (size_t)run->n * BYTES_PER_ELEMENT);
    run->after = data;
    RunOutcome outcome =
        grid ? launch_kernel(grade, arena, data, run, cause) : OUTCOME_RAN;
    if (deserves_more(grade, run, outcome)) {
        run->has_more_steps = true;
        memcpy(data, run->before, (size_t)run->n * BYTES_PER_ELEMENT);
        outcome = launch_kernel(grade, arena, data, run, cause);
        grade->spins |= run->device.status == RUN_DONE;
    }
    if (outcome == OUTCOME_RAN)
        tally_run(grade, arena, run);
    else
        cause_in_run(grade, run, cause);
    return outcome;
}
