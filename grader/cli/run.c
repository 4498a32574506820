// SPDX-License-Identifier: Apache-2.0
// clclab run: a kernel of somebody's own, which belongs to no lab. Read
// command_run, at the end: the arguments' text, the file, the kernel in it, the
// arguments against its parameters, the launch, the dumps, the report.
#include "cli/internal.h"

#include "vm/vm.h"

#include <string.h>

// ---- which kernel --------------------------------------------------------

// lab.h has kernels of its own.
static bool is_candidate(const PtxFunc *func) {
    return func->is_entry && func->has_body &&
           !str_starts(func->name, STR("clclab_"));
}

// Whether `plain` is one of the names in a mangled name: there each stands
// behind its length (Itanium C++ ABI, 5.1.2: "_Z5scalePfi", "_ZN1a5scaleEPf").
static bool is_named(Arena *arena, Str mangled, Str plain) {
    if (!str_starts(mangled, STR("_Z")))
        return false;
    Str part = str_format(arena, "%zu%.*s", plain.len, STR_ARG(plain));
    for (size_t i = 2; i < mangled.len; i++) {
        bool digit = mangled.ptr[i - 1] >= '0' && mangled.ptr[i - 1] <= '9';
        if (!digit && str_starts(str_slice(mangled, i, mangled.len), part))
            return true;
    }
    return false;
}

typedef struct Kernels {
    const PtxFunc *only;  // the last that is in `list`
    size_t count;         // in the list
    Str list;             // "a, b"
    const char *names[8]; // the first of them
    bool mangled;         // one is a C++ name
} Kernels;

static void add_kernel(Arena *arena, Kernels *kernels, const PtxFunc *func) {
    if (kernels->count < COUNT_OF(kernels->names)) {
        kernels->names[kernels->count] = str_cstring(arena, func->name);
        kernels->list =
            str_format(arena, "%.*s%s%.*s", STR_ARG(kernels->list),
                       kernels->count ? ", " : "", STR_ARG(func->name));
    } else if (kernels->count == COUNT_OF(kernels->names)) {
        kernels->list = str_format(arena, "%.*s, ...", STR_ARG(kernels->list));
    }
    kernels->only = func;
    kernels->count++;
    kernels->mangled |= str_starts(func->name, STR("_Z"));
}

// Those that may be meant: all (name NULL), or those whose plain name it is.
static Kernels find_kernels(Arena *arena, const PtxModule *module,
                            const char *name) {
    Kernels kernels = {0};
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (is_candidate(func) &&
            (!name || is_named(arena, func->name, str_from(name))))
            add_kernel(arena, &kernels, func);
    }
    return kernels;
}

static int unknown_kernel(Cli *cli, const Kernels *all) {
    const char *name = cli->args.kernel;
    size_t count =
        all->count < COUNT_OF(all->names) ? all->count : COUNT_OF(all->names);
    const char *meant = args_suggest(name, all->names, count);
    return output_error(
        cli, CLI_USAGE,
        "run: there is no kernel \"%s\"%s%s%s; the file has %.*s%s", name,
        meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "",
        STR_ARG(all->list),
        all->mangled ? " (extern \"C\" before __global__ gives plain names)"
                     : "");
}

static int find_kernel(Cli *cli, const PtxModule *module,
                       const PtxFunc **kernel) {
    Arena *arena = &cli->arena;
    const char *name = cli->args.kernel;
    Kernels all = find_kernels(arena, module, NULL), meant = all;
    if (name) {
        *kernel = ptx_find_func(module, str_from(name));
        if (*kernel && (*kernel)->is_entry && (*kernel)->has_body)
            return CLI_FULL_MARKS;
        meant = find_kernels(arena, module, name);
    }
    *kernel = meant.only;
    if (meant.count == 1)
        return CLI_FULL_MARKS;
    if (all.count == 0)
        return output_error(cli, CLI_USAGE,
                            "run: %s has no kernel: a function declared extern "
                            "\"C\" __global__",
                            cli->args.words[0]);
    if (meant.count == 0)
        return unknown_kernel(cli, &all);
    return output_error(cli, CLI_USAGE,
                        "run: say which kernel is meant, with --kernel: %.*s",
                        STR_ARG(meant.list));
}

// ---- modelled time -------------------------------------------------------

static int set_time_model(Cli *cli, Device *device) {
    const Args *args = &cli->args;
    if (!args->time_model)
        return CLI_FULL_MARKS;
    Diags diags = diags_new(&cli->arena);
    Str *settings = arena_new(&cli->arena, Str, args->time_set_count + 1);
    for (size_t i = 0; i < args->time_set_count; i++)
        settings[i] = str_from(args->time_sets[i]);
    if (vm_time(device, settings, args->time_set_count, &diags))
        return CLI_FULL_MARKS;
    const Diag *why = &diags.items[0];
    return output_error(cli, CLI_USAGE, "run: --time-set: %.*s; %.*s",
                        STR_ARG(why->what), STR_ARG(why->help));
}

// The function that --prologue names, as PTX has it or by its plain name.
static int find_prologue(Cli *cli, const PtxModule *module, Str *name) {
    const char *wanted = cli->args.prologue;
    *name = (Str){0};
    if (!wanted)
        return CLI_FULL_MARKS;
    size_t count = 0;
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (func->is_entry || !func->has_body)
            continue;
        bool exact = str_equal(func->name, str_from(wanted));
        if (!exact && !is_named(&cli->arena, func->name, str_from(wanted)))
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

static void add_size(Buf *out, const char *option, const uint32_t size[3]) {
    if (size[0] == 0)
        return;
    buf_printf(out, " %s %u", option, size[0]);
    if (size[1] > 1 || size[2] > 1)
        buf_printf(out, ",%u", size[1]);
    if (size[2] > 1)
        buf_printf(out, ",%u", size[2]);
}

// The command again, but for what does not change what is found, and for what
// names the schedule, which check/ appends.
static Str replay_command(Cli *cli, Str file) {
    const Args *args = &cli->args;
    Buf out = {0};
    buf_str(&out, STR("clclab run"));
    replay_file(&out, file);
    replay_option(&out, "--kernel", args->kernel);
    add_size(&out, "--grid", args->grid);
    add_size(&out, "--block", args->block);
    add_size(&out, "--cluster", args->cluster);
    if (args->dynamic_smem)
        buf_printf(&out, " --dynamic-smem %llu",
                   (unsigned long long)args->dynamic_smem);
    for (size_t i = 0; i < args->argument_count; i++)
        replay_option(&out, "--arg", args->arguments[i]);
    replay_option(&out, "--check", args->check);
    if (args->max_steps != CLI_DEFAULT_STEPS)
        buf_printf(&out, " --max-steps %llu",
                   (unsigned long long)args->max_steps);
    replay_build_options(&out, args);
    Str command = str_copy(&cli->arena, buf_view(&out));
    buf_free(&out);
    return command;
}

static int check_options(Cli *cli) {
    const Args *args = &cli->args;
    if (args->grid[0] == 0 || args->block[0] == 0)
        return output_error(cli, CLI_USAGE,
                            "run: --grid and --block are needed: how many "
                            "blocks, and threads in each, such as --grid 80 "
                            "--block 128");
    if (args->has_only_schedule && args->schedules > 1)
        return output_error(cli, CLI_USAGE,
                            "run: --only-schedule is one schedule: leave out "
                            "--schedules");
    if (args->exhaustive && (args->schedules > 1 || args->has_only_schedule))
        return output_error(cli, CLI_USAGE,
                            "run: --exhaustive is every schedule: leave out "
                            "--schedules and --only-schedule");
    if (args->device == DEVICE_GPU &&
        (args->exhaustive || args->has_switches || args->time_model))
        return output_error(cli, CLI_USAGE,
                            "run: --exhaustive, --switches and --time-model "
                            "need --device vm: a GPU chooses its own schedule "
                            "and time");
    return shared_check_switches(cli);
}

static void set_sizes(const Args *args, uint32_t grid[3], uint32_t block[3],
                      uint32_t cluster[3]) {
    for (size_t i = 0; i < 3; i++) {
        grid[i] = args->grid[i];
        block[i] = args->block[i];
        cluster[i] = args->cluster[i] ? args->cluster[i] : 1;
    }
}

static LaunchRequest make_request(Cli *cli, const Build *build,
                                  const PtxFunc *kernel) {
    const Args *args = &cli->args;
    LaunchRequest request = {
        .submission = &build->submission,
        .kernel = kernel,
        .dynamic_smem = (uint32_t)args->dynamic_smem,
        .argument_count = args->argument_count,
        .seed = args->seed,
        .first = args->only_schedule,
        .schedules = args->exhaustive ? args->max_runs : args->schedules,
        .is_exhaustive = args->exhaustive,
        .is_limited = args->has_switches,
        .switches = args->switches,
        .step_limit = args->max_steps ? args->max_steps : UINT64_MAX,
        .replay = replay_command(cli, build->submission.file),
    };
    set_sizes(args, request.grid, request.block, request.cluster);
    return request;
}

// The launch does not go with the kernel or the device: exit 2, unless it is
// the device that lacks something, or fails.
static int refused(Cli *cli, const Diag *error) {
    int code = shared_fault_code(error->code, CLI_USAGE);
    Str what = error->what; // a sentence, or a part of one
    if (str_ends(what, STR(".")))
        what.len--;
    return output_error(
        cli, code, "run: this launch is not possible: %.*s%s%.*s",
        STR_ARG(what), error->help.len ? "; " : "", STR_ARG(error->help));
}

// ---- what comes out ------------------------------------------------------

// A dump that cannot be written does not keep the others, or the report, from
// being.
static int write_dumps(Cli *cli, const RunArgument *arguments,
                       const Str *outputs) {
    int code = CLI_FULL_MARKS;
    for (size_t i = 0; i < cli->args.argument_count; i++) {
        if (!arguments[i].dump)
            continue;
        int fault = output_file(cli, "--dump", arguments[i].dump, outputs[i]);
        code = code ? code : fault;
    }
    return code;
}

static int write_report(Cli *cli, const LaunchResult *result, Str source) {
    Buf out = {0};
    switch (cli->args.format) {
    case FORMAT_TEXT:
        report_run_text(result, source, shared_style(cli), &out);
        break;
    case FORMAT_JSON:
        report_run_json(result, &out);
        break;
    }
    int code = shared_write_report(cli, buf_view(&out));
    buf_free(&out);
    return code;
}

// What would have been launched, for the report of a file that does not build.
static void not_built(Cli *cli, const Submission *submission,
                      LaunchResult *result) {
    const Args *args = &cli->args;
    check_launch_build(&cli->arena, submission, result);
    result->kernel = str_from(args->kernel ? args->kernel : "");
    result->device = STR("vm");
    result->gpu_model = str_from(args->gpu_model);
    result->dynamic_smem = (uint32_t)args->dynamic_smem;
    result->seed = args->seed;
    result->schedules_asked = args->schedules;
    set_sizes(args, result->grid, result->block, result->cluster);
}

// ---- the command ---------------------------------------------------------

static int launch(Cli *cli, const RunArgument *arguments, Device *device,
                  RunJudged *judged) {
    const Build *build = &judged->build;
    LaunchResult *result = &judged->result;
    const PtxFunc *kernel;
    LaunchArgument *values;
    Diag error = {0};
    int code = find_kernel(cli, build->submission.module, &kernel);
    if (code != CLI_FULL_MARKS)
        return code;
    LaunchRequest request = make_request(cli, build, kernel);
    code = run_read_checks(cli, &request.unchecked, &request.compare);
    if (code == CLI_FULL_MARKS)
        code = find_prologue(cli, build->submission.module, &request.prologue);
    if (code == CLI_FULL_MARKS)
        code = run_match_arguments(cli, kernel, arguments, &values);
    if (code != CLI_FULL_MARKS)
        return code;
    request.arguments = values;
    Str *outputs = cli->args.dump_count || judged->keeps
                       ? arena_new(&cli->arena, Str, request.argument_count + 1)
                       : NULL;
    if (!check_launch(&cli->arena, &request, device, result, outputs, &error)) {
        *result = (LaunchResult){0}; // no report
        return refused(cli, &error);
    }
    judged->outputs = outputs;
    return outputs ? write_dumps(cli, arguments, outputs) : CLI_FULL_MARKS;
}

int run_judge(Cli *cli, Device *device, RunJudged *judged) {
    Course course;
    RunArgument *arguments;
    int code = run_read_arguments(cli, &arguments);
    if (code == CLI_FULL_MARKS)
        course_find_any(cli, &course, &code);
    if (code == CLI_FULL_MARKS)
        code = submission_build_own(cli, &course, str_from(cli->args.words[0]),
                                    &judged->build);
    if (code != CLI_FULL_MARKS)
        return code;
    const Submission *submission = &judged->build.submission;
    if (submission->module && submission->reject.what.len == 0)
        return launch(cli, arguments, device, judged);
    not_built(cli, submission, &judged->result);
    return CLI_FULL_MARKS;
}

static int run(Cli *cli, Device *device) {
    double start = shared_now_ms();
    RunJudged judged = {0};
    LaunchResult *result = &judged.result;
    int code = run_judge(cli, device, &judged);
    if (result->file.len == 0)
        return code;
    result->version = STR(CLI_VERSION);
    if (!cli->args.no_time)
        result->elapsed_ms = shared_now_ms() - start;
    int written = write_report(cli, result, judged.build.submission.source);
    code = code ? code : written;
    return code ? code : shared_verdict_code(result->verdict);
}

int command_run(Cli *cli) {
    Device *device;
    int code = check_options(cli);
    if (code == CLI_FULL_MARKS)
        code = cli->args.device == DEVICE_GPU
                   ? shared_open_card(cli, false, &device)
                   : shared_open_model(cli, &device);
    if (code != CLI_FULL_MARKS)
        return code;
    code = set_time_model(cli, device);
    if (code == CLI_FULL_MARKS)
        code = run(cli, device);
    device->ops->close(device);
    return code;
}
