// SPDX-License-Identifier: Apache-2.0
// clclab run: runs a user's own kernel, which belongs to no lab. Read
// command_run, at the end. It goes through the arguments' text, the file, the
// kernel in it, the match of the arguments with its parameters, the launch, the
// dumps and the report.
#include "cli/run.h"
#include "cli/debug/debug.h"
#include "cli/options.h"
#include "cli/source/kernels.h"
#include "device/limits.h"
#include "trials/trials.h"
#include "vm/vm.h"

// ---- modelled time -------------------------------------------------------

// An option that only says how launches are timed turns timing on as well.
static bool is_timed(const RunArgs *args) {
    return args->time_model || args->time_sets.count > 0 || args->prologue;
}

static int set_time_model(Cli *cli, Device *device) {
    const RunArgs *args = run_own(cli);
    if (!is_timed(args))
        return CLI_FULL_MARKS;
    Diags diags = diags_new(&cli->arena);
    Str *settings = arena_new(&cli->arena, Str, args->time_sets.count + 1);
    for (size_t i = 0; i < args->time_sets.count; i++)
        settings[i] = str_from(args->time_sets.items[i]);
    if (vm_time(device, settings, args->time_sets.count, &diags))
        return CLI_FULL_MARKS;
    const Diag *why = &diags.items[0];
    return output_error(cli, CLI_USAGE, "run: --time-set: %.*s; %.*s",
                        STR_ARG(why->what), STR_ARG(why->help));
}

// The function that --prologue names, by its name in PTX or its plain name.
static int find_prologue(Cli *cli, const PtxModule *module, Str *name) {
    const char *wanted = run_own(cli)->prologue;
    *name = (Str){0};
    if (!wanted)
        return CLI_FULL_MARKS;
    size_t count = 0;
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (func->is_entry || !func->has_body)
            continue;
        bool exact = str_equal(func->name, str_from(wanted));
        if (!exact &&
            !kernels_is_named(&cli->arena, func->name, str_from(wanted)))
            continue;
        *name = func->name;
        count++;
        if (exact)
            return CLI_FULL_MARKS;
    }
    if (count == 1)
        return CLI_FULL_MARKS;
    return output_error(
        cli, CLI_USAGE, "run: --prologue: %s \"%s\"%s",
        count ? "several functions are named" : "there is no function", wanted,
        count ? "; give its name as the PTX has it"
              : " that is called: one that the compiler "
                "inlined is none (__noinline__)");
}

// ---- the launch ----------------------------------------------------------

// The command again, without what names the schedule, which check/ appends.
static Str replay_command(Cli *cli, Str file) {
    Buf out = {0};
    buf_str(&out, STR("clclab run"));
    replay_file(&out, file);
    replay_options(&out, &cli->args, &RUN_COMMAND);
    Str command = str_copy(&cli->arena, buf_view(&out));
    buf_free(&out);
    return command;
}

static int check_options(Cli *cli) {
    const RunArgs *args = run_own(cli);
    const ScheduleArgs *schedule = &args->schedule;
    if (args->grid[0] == 0 || args->block[0] == 0)
        return output_error(cli, CLI_USAGE,
                            "run: --grid and --block are needed: how many "
                            "blocks, and threads in each, such as --grid 80 "
                            "--block 128");
    if (schedule->only.given && schedule->schedules > 1)
        return output_error(cli, CLI_USAGE,
                            "run: --only-schedule is one schedule: leave out "
                            "--schedules");
    if (args->exhaustive && (schedule->schedules > 1 || schedule->only.given))
        return output_error(cli, CLI_USAGE,
                            "run: --exhaustive is every schedule: leave out "
                            "--schedules and --only-schedule");
    if (cli->args.device == DEVICE_GPU &&
        (args->exhaustive || schedule->switches.given || args->grants ||
         is_timed(args)))
        return output_error(cli, CLI_USAGE,
                            "run: --exhaustive, --switches, --grants and "
                            "--time-model need --device vm: a GPU chooses its "
                            "own schedule and time");
    int code = args->debugs ? debug_check(cli) : CLI_FULL_MARKS;
    return code == CLI_FULL_MARKS ? shared_check_switches(cli, schedule) : code;
}

static void set_sizes(const RunArgs *args, uint32_t grid[3], uint32_t block[3],
                      uint32_t cluster[3]) {
    for (size_t i = 0; i < 3; i++) {
        grid[i] = args->grid[i];
        block[i] = args->block[i];
        cluster[i] = args->cluster[i] ? args->cluster[i] : 1;
    }
}

static LaunchRequest make_request(Cli *cli, const Build *build,
                                  const PtxFunc *kernel) {
    const RunArgs *args = run_own(cli);
    const ScheduleArgs *schedule = &args->schedule;
    LaunchRequest request = {
        .submission = &build->submission,
        .kernel = kernel,
        .dynamic_smem = (uint32_t)args->dynamic_smem,
        .is_cooperative = args->cooperative,
        .seed = schedule->seed,
        .first = schedule->only.value,
        .schedules = args->exhaustive ? args->max_runs : schedule->schedules,
        .is_exhaustive = args->exhaustive,
        .is_limited = schedule->switches.given,
        .switches = schedule->switches.value,
        .in_order = args->grants == GRANTS_IN_ORDER,
        .step_limit = args->max_steps ? args->max_steps : UINT64_MAX,
        .is_timed = is_timed(args),
        .advice = !args->no_advice,
        .obey = (uint32_t)args->obey,
        .is_traced = run_own(cli)->debugs || shared_is_traced(cli, REPORT_RUN),
        .replay = replay_command(cli, build->submission.file),
    };
    set_sizes(args, request.grid, request.block, request.cluster);
    return request;
}

// The launch does not fit the kernel or the device: exit 2, unless the device
// lacks something or fails.
static int refused(Cli *cli, const Diag *error) {
    int code = shared_fault_code(error->code, CLI_USAGE);
    Str what = error->what; // a sentence, or a part of one
    if (str_ends(what, STR(".")))
        what.len--;
    return output_error(
        cli, code, "run: this launch is not possible: %.*s%s%.*s",
        STR_ARG(what), error->help.len ? "; " : "", STR_ARG(error->help));
}

// A launch of more than 8 blocks in a cluster fails on every card unless the
// host has allowed it (CUDA C++ Programming Guide, "Thread Block Clusters").
static int check_cluster(Cli *cli, const PtxFunc *kernel) {
    enum { PORTABLE = 8 };
    const RunArgs *args = run_own(cli);
    const PtxDim3 *own = &kernel->req_cluster;
    uint64_t size = 1;
    const uint32_t declared[3] = {own->x, own->y, own->z};
    for (size_t i = 0; i < 3; i++) {
        uint32_t blocks = own->x ? declared[i] : args->cluster[i];
        size *= blocks ? blocks : 1;
    }
    if (size <= PORTABLE || args->large_clusters)
        return CLI_FULL_MARKS;
    return output_error(
        cli, CLI_USAGE,
        "run: this launch is not possible: a cluster of %llu blocks is more "
        "than 8, the most that every card takes; with --large-clusters it is "
        "launched as where the program has set "
        "cudaFuncAttributeNonPortableClusterSizeAllowed",
        (unsigned long long)size);
}

// ---- what comes out ------------------------------------------------------

// A dump that cannot be written does not stop the others, nor the report.
static int write_dumps(Cli *cli, const RunArguments *arguments,
                       const Str *outputs) {
    int code = CLI_FULL_MARKS;
    for (size_t i = 0; i < arguments->count; i++) {
        const RunArgument *argument = &arguments->items[i];
        if (!argument->dump)
            continue;
        Str text = run_dump_text(&cli->arena, argument, outputs[i]);
        int fault = output_file(cli, "--dump", argument->dump, text);
        code = code ? code : fault;
    }
    return code;
}

// What would have been launched, for the report of a file that does not build.
static void not_built(Cli *cli, const Submission *submission,
                      LaunchResult *result) {
    const RunArgs *args = run_own(cli);
    check_launch_build(&cli->arena, submission, result);
    result->kernel = str_from(cli->args.kernel ? cli->args.kernel : "");
    result->device = STR("vm");
    result->gpu_model = str_from(cli->args.gpu_model);
    result->dynamic_smem = (uint32_t)args->dynamic_smem;
    result->seed = args->schedule.seed;
    result->schedules_asked = args->schedule.schedules;
    set_sizes(args, result->grid, result->block, result->cluster);
}

// ---- the workers ---------------------------------------------------------

// As much as a judge has.
#define CREW_MEMORY ((uint64_t)2 << 30)

// With fewer addresses than a judge has, one worker may need all of them.
static void open_crew(Cli *cli) {
    const RunArgs *args = run_own(cli);
    size_t workers = shared_workers(args->jobs);
    bool is_shared = args->schedule.schedules > 2 || !args->no_advice;
    if (workers > 1 && is_shared && !args->exhaustive &&
        cli->args.device != DEVICE_GPU && !shared_is_short_of_memory())
        cli->crew = crew_new(workers);
}

static int open_helpers(Cli *cli, Device ***helpers) {
    *helpers = shared_open_helpers(cli);
    int code = *helpers ? CLI_FULL_MARKS : CLI_OURS;
    for (size_t i = 1; i < crew_workers(cli->crew) && !code; i++)
        code = set_time_model(cli, (*helpers)[i - 1]);
    return code;
}

// In the clinic there is no crew.
static int judge_launch(Cli *cli, LaunchRequest *request, Device *device,
                        RunJudged *judged) {
    Diag error = {0};
    Device **helpers;
    int code = open_helpers(cli, &helpers);
    if (code != CLI_FULL_MARKS)
        return code;
    request->crew = cli->crew;
    request->helpers = helpers;
    request->memory = CREW_MEMORY;
    request->tell = meter_tell;
    request->tell_context = judged->meter;
    bool ran = check_launch(&cli->arena, request, device, &judged->result,
                            judged->outputs, &error);
    for (size_t i = 1; i < crew_workers(cli->crew); i++)
        helpers[i - 1]->ops->close(helpers[i - 1]);
    if (ran)
        return CLI_FULL_MARKS;
    judged->result = (LaunchResult){0}; // no report
    judged->outputs = NULL;
    return refused(cli, &error);
}

// ---- the command ---------------------------------------------------------

static int launch(Cli *cli, Device *device, RunJudged *judged) {
    const RunArguments *arguments = &judged->arguments;
    Build *build = &judged->build;
    const PtxFunc *kernel;
    LaunchArgument *values;
    int code = kernels_find(cli, build, &kernel);
    if (code != CLI_FULL_MARKS)
        return code;
    LaunchRequest request = make_request(cli, build, kernel);
    code = run_read_check_list(cli, "run", run_own(cli)->check,
                               &request.unchecked, &request.compare);
    if (code == CLI_FULL_MARKS)
        code = find_prologue(cli, build->submission.module, &request.prologue);
    if (code == CLI_FULL_MARKS)
        code = run_match_arguments(cli, build->submission.module, kernel,
                                   arguments, &values);
    if (code == CLI_FULL_MARKS)
        code = check_cluster(cli, kernel);
    if (code != CLI_FULL_MARKS)
        return code;
    request.arguments = values;
    request.argument_count = arguments->count;
    if (run_own(cli)->dumps.count || judged->keeps)
        judged->outputs =
            arena_new(&cli->arena, Str, request.argument_count + 1);
    code = judge_launch(cli, &request, device, judged);
    if (code != CLI_FULL_MARKS)
        return code;
    report_tell_launch(&cli->arena, &judged->result);
    return judged->outputs ? write_dumps(cli, arguments, judged->outputs)
                           : CLI_FULL_MARKS;
}

int run_build(Cli *cli, RunJudged *judged) {
    Course course;
    int code = run_read_arguments(cli, &run_own(cli)->arguments,
                                  &run_own(cli)->dumps, &judged->arguments);
    if (code == CLI_FULL_MARKS)
        course_find_any(cli, &course, &code);
    if (code == CLI_FULL_MARKS)
        code = submission_compile_own(
            cli, &course, str_from(cli->args.words[0]), &judged->build);
    return code;
}

int run_judge(Cli *cli, Device *device, RunJudged *judged) {
    const Submission *submission = &judged->build.submission;
    submission_parse_own(cli, &judged->build);
    if (submission->module && submission->reject.what.len == 0)
        return launch(cli, device, judged);
    not_built(cli, submission, &judged->result);
    return CLI_FULL_MARKS;
}

static int write_trace(Cli *cli, const LaunchResult *result) {
    Buf text = {0};
    if (!cli->args.trace)
        return CLI_FULL_MARKS;
    Str device = str_format(&cli->arena, "%.*s:%.*s", STR_ARG(result->device),
                            STR_ARG(result->gpu_model));
    report_trace_json(result->trace, device, &text);
    int code = shared_write_trace(cli, buf_view(&text));
    buf_free(&text);
    return code;
}

static int run(Cli *cli, Device *device, Buf *out) {
    double start = clock_ms();
    RunJudged judged = {0};
    LaunchResult *result = &judged.result;
    int code = run_build(cli, &judged);
    if (code == CLI_FULL_MARKS) {
        judged.meter = meter_open("schedules");
        open_crew(cli);
        code = run_judge(cli, device, &judged);
        meter_close(judged.meter);
    }
    if (result->file.len == 0)
        return code;
    result->version = STR(CLI_VERSION);
    if (!run_own(cli)->schedule.no_time)
        result->elapsed_ms = clock_ms() - start;
    Report report = {.kind = REPORT_RUN,
                     .run = result,
                     .source = judged.build.submission.source};
    if (!run_own(cli)->debugs || !report_book(&report, out))
        shared_add_report(cli, &report, out);
    int written = write_trace(cli, result);
    code = code ? code : written;
    return code ? code : shared_verdict_code(result->verdict);
}

static int run_on_device(Cli *cli, Buf *out) {
    Device *device;
    int code = cli->args.device == DEVICE_GPU
                   ? shared_open_card(cli, false, &device)
                   : shared_open_model(cli, &device);
    if (code != CLI_FULL_MARKS)
        return code;
    code = set_time_model(cli, device);
    if (code == CLI_FULL_MARKS)
        code = run(cli, device, out);
    device->ops->close(device);
    return code;
}

static int run_command(Cli *cli) {
    int code = check_options(cli);
    if (code == CLI_FULL_MARKS)
        code = shared_write_trace(cli, (Str){0});
    if (code == CLI_FULL_MARKS)
        code = unfinished_begin(cli, REPORT_RUN);
    if (code != CLI_FULL_MARKS)
        return code;
    Buf out = {0};
    code = run_on_device(cli, &out);
    if (run_own(cli)->debugs) {
        code = debug_session(cli, buf_view(&out), code);
        buf_free(&out);
        return code;
    }
    unfinished_end(cli, REPORT_RUN, &out);
    int written = out.len ? shared_write_report(cli, buf_view(&out)) : code;
    buf_free(&out);
    return code ? code : written;
}

// ---- options -------------------------------------------------------------

// "X[,Y[,Z]]", each from 1 to its limit; a missing one is 1.
static bool size3(ArgsParse *parse, const char *value, const uint32_t most[3],
                  uint32_t out[3]) {
    Str rest = str_from(value);
    bool more = true;
    for (int i = 0; i < 3; i++) {
        out[i] = 1;
        if (!more)
            continue;
        size_t whole = rest.len;
        Str part = str_cut(&rest, ',');
        uint64_t size;
        more = part.len < whole;
        if (!str_to_u64(part, &size) || size < 1 || size > most[i])
            return args_mistake(parse,
                                "\"%.*s\" is not a whole number from 1 to %u",
                                STR_ARG(part), most[i]);
        out[i] = (uint32_t)size;
    }
    if (more)
        args_mistake(parse, "there are three dimensions: X,Y,Z");
    return !more;
}

// The same, with a product of at most option->most; `what` names it in
// messages.
static bool size3_within(ArgsParse *parse, const Option *option,
                         const char *value, const uint32_t most[3],
                         const char *what, uint32_t out[3]) {
    if (!size3(parse, value, most, out))
        return false;
    uint32_t size = out[0] * out[1] * out[2];
    if (size <= option->most)
        return true;
    return args_mistake(parse, "%u %s, but at most %u", size, what,
                        (uint32_t)option->most);
}

static bool take_grid(ArgsParse *parse, const Option *option, const char *value,
                      void *field) {
    static const uint32_t most[3] = DEVICE_MOST_GRID;
    (void)option;
    return size3(parse, value, most, field);
}

static bool take_block(ArgsParse *parse, const Option *option,
                       const char *value, void *field) {
    static const uint32_t most[3] = DEVICE_MOST_BLOCK;
    return size3_within(parse, option, value, most, "threads in a block",
                        field);
}

static bool take_cluster(ArgsParse *parse, const Option *option,
                         const char *value, void *field) {
    static const uint32_t most[3] = {DEVICE_MOST_CLUSTER, DEVICE_MOST_CLUSTER,
                                     DEVICE_MOST_CLUSTER};
    return size3_within(parse, option, value, most, "blocks in a cluster",
                        field);
}

static const RunArgs DEFAULTS = {
    .schedule = {.seed = CLI_DEFAULT_SEED, .schedules = 1},
    .max_runs = CLI_DEFAULT_RUNS,
    .max_steps = CLI_DEFAULT_STEPS,
};

static const Option OPTIONS[] = {
    OPTION_KERNEL,
    {"--grid", "X[,Y[,Z]]", "blocks in the grid", take_grid, OWN(RunArgs, grid),
     .give = replay_give_size},
    {"--block", "X[,Y[,Z]]", "threads in a block", take_block,
     OWN(RunArgs, block), .most = DEVICE_MOST_THREADS,
     .give = replay_give_size},
    {"--cluster", "X[,Y[,Z]]",
     "blocks in a cluster (default: the kernel's own)", take_cluster,
     OWN(RunArgs, cluster), .most = DEVICE_MOST_CLUSTER,
     .give = replay_give_size},
    {"--large-clusters", NULL, "clusters may have more than 8 blocks",
     args_take_flag, OWN(RunArgs, large_clusters)},
    {"--cooperative", NULL, "all blocks run together: grid.sync()",
     args_take_flag, OWN(RunArgs, cooperative)},
    {"--dynamic-smem", "BYTES", "dynamic shared memory of a block",
     args_take_number, OWN(RunArgs, dynamic_smem), .most = UINT32_MAX},
    {"--arg", "SPEC", "the kernel's next argument: see above", args_take_list,
     OWN(RunArgs, arguments), .repeats = true, .most = CLI_MAX_ARGUMENTS},
    {"--dump", "K=PATH[:TYPE]", "write the buffer of --arg K, counted from 0",
     args_take_list, OWN(RunArgs, dumps), .repeats = true,
     .most = CLI_MAX_ARGUMENTS, .is_not_replayed = true},
    {"--check", "all|none|LIST", "the rules to check (default: all)",
     args_take_text, OWN(RunArgs, check)},
    {"--grants", "in-order|any",
     "launch and grant blocks by their index (default: any)", args_take_choice,
     OWN(RunArgs, grants), .names = CHOICES("any", "in-order")},
    {"--max-steps", "N", "steps of a schedule (default: 2^36; 0: no limit)",
     args_take_number, OWN(RunArgs, max_steps), .most = UINT64_MAX},
    {"--time-model", NULL, "print modelled time: docs/time-model.md",
     args_take_flag, OWN(RunArgs, time_model), .is_not_replayed = true},
    OPTION_TIME_SET(RunArgs, time_sets),
    {"--prologue", "NAME", "a function, as prologue in modelled time",
     args_take_name, OWN(RunArgs, prologue), .is_not_replayed = true},
    OPTION_DEVICE,
    OPTION_DEADLINE,
    OPTION_EMULATION,
    OPTION_MODEL,
    OPTION_SEED(RunArgs, schedule, "seed of the schedules (default: 1)"),
    OPTION_SCHEDULES(RunArgs, schedule,
                     "how many, the plain one first (default: 1)"),
    OPTION_ONLY(RunArgs, schedule),
    OPTION_SWITCHES(RunArgs, schedule),
    {"--exhaustive", NULL, "every schedule of a tiny launch, one SM",
     args_take_flag, OWN(RunArgs, exhaustive), .is_not_replayed = true},
    {"--max-runs", "N", "runs of --exhaustive at most (default: 10000)",
     args_take_number, OWN(RunArgs, max_runs), .most = CLI_MAX_RUNS,
     .not_zero = "at least one run", .is_not_replayed = true},
    OPTION_FORMAT("of the report (default: text)"),
    OPTION_OUT,
    OPTION_FRAMES,
    OPTION_TRACE,
    OPTIONS_OF_ADVICE(RunArgs),
    {"--debug", NULL, "go through the steps around the first mistake",
     args_take_flag, OWN(RunArgs, debugs), .is_not_replayed = true},
    OPTION_JOBS(RunArgs, jobs, "schedules at a time"),
    OPTION_NO_TIME(RunArgs, schedule),
    OPTIONS_OF_BUILD,
    OPTION_ARCH,
    OPTION_COMPILER,
    OPTION_FLAG,
    OPTION_ROOT,
    OPTIONS_OF_ALL,
};

const CliCommand RUN_COMMAND = {
    .name = "run",
    .summary = "Run and check a kernel of your own",
    .example = "clclab run mine.cu --grid 80 --block 128 --arg buf:4096",
    .words = "FILE",
    .least_words = 1,
    .most_words = 1,
    .more =
        "FILE is CUDA C++ (.cu), compiled for compute_100a, by nvcc where it "
        "has code for the host; or PTX (.ptx); or a program, a library, an "
        "object file, a .fatbin or .cubin with PTX in it. --grid and "
        "--block are\nneeded, and an --arg for each parameter of the "
        "kernel. SPEC is\n"
        "  i32:V u32:V i64:V u64:V f32:V f64:V   a number; also i8 to u16, "
        "f16, bf16\n"
        "  buf:BYTES[:zero|:random:SEED|:iota32|:file=PATH]   a buffer, by "
        "its address;\n"
        "    :same, :any or :close=1e-5 behind BYTES says whether it may "
        "depend on the\n    schedule; else an advisory tells. Also :poison "
        "(not written yet), :iota:f32,\n"
        "    :random:1:f16; a .npy file says its size and type\n"
        "  struct:{i32:1,buf:64}  [f32:1,2,3]    a structure, an array; "
        "buf:[f32:1,2]\n"
        "  bytes:HEX  fn:NAME                    byte by byte; a function's "
        "address\n"
        "  @FILE.json                            what that file lists\n"
        "LIST names rules: codes (CLC007), groups (CLC, BAR, MEM, RACE, "
        "SYNC), and OUTPUT:\nbuffers that depend on the schedule are an "
        "error, then. Steps are thread-instructions.\nExit status: 0 clean, "
        "1 errors found, 70 the virtual machine lacks something.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_RUN,
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = run_command,
};
