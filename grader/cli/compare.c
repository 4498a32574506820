// SPDX-License-Identifier: Apache-2.0
// clclab compare: runs the kernels of grader/compare on the device that was
// asked for, and shows their costs as text, CSV, a chart or JSON. This is the
// only place that knows where a device's figures come from.
#include "check/compare_model.h"
#include "cli/compare_card.h"
#include "cli/options.h"
#include "cli/screen/meter.h"
#include "vm/vm.h"

typedef struct CompareArgs {
    CliValues time_sets;
    const char *chart; // NULL: not given
    uint64_t elements; // 0: not given
} CompareArgs;

static const CompareArgs *own(const Cli *cli) {
    return cli->args.own;
}

// ---- the kernels ---------------------------------------------------------

static int build_kernels(Cli *cli, Build *build) {
    Course course;
    int code;
    if (!course_find(cli, &course, &code))
        return code;
    Str path = str_format(&cli->arena, "%.*sgrader/compare/compare.cu",
                          STR_ARG(course.root));
    if (!file_exists(str_cstring(&cli->arena, path)))
        return output_error(cli, CLI_MISSING,
                            "%.*s is not there: its kernels are as solutions "
                            "are, so a handout does not have them",
                            STR_ARG(path));
    code = submission_build_own(cli, &course, path, build);
    if (code != CLI_FULL_MARKS || build->submission.module)
        return code;
    Diags diags = diags_new(&cli->arena);
    diags.items = build->submission.messages;
    diags.count = build->submission.message_count;
    output_diags(cli, &diags, build->submission.source);
    return output_error(cli, CLI_OURS, "%.*s does not build", STR_ARG(path));
}

// ---- the report ----------------------------------------------------------

static int write_chart(Cli *cli, const Report *report) {
    Buf out = {0};
    report_format(report->kind, "svg")->write(report, &out);
    int code = output_file(cli, "--chart", own(cli)->chart, buf_view(&out));
    buf_free(&out);
    return code;
}

// The report is written even if the chart cannot be.
static int write_report(Cli *cli, const Comparison *comparison) {
    Report report = {.kind = REPORT_COMPARE, .compare = comparison};
    int code = shared_report(cli, &report);
    if (!own(cli)->chart)
        return code;
    int chart_code = write_chart(cli, &report);
    return code == CLI_FULL_MARKS ? chart_code : code;
}

// The first error with a known code decides whose fault it is.
static int failed(Cli *cli, const Diags *diags) {
    int code = CLI_OURS;
    output_diags(cli, diags, (Str){0});
    for (size_t i = 0; i < diags->count && code == CLI_OURS; i++)
        code = shared_fault_code(diags->items[i].code, code);
    return code;
}

static int compare(Cli *cli, CompareSource *source) {
    Diags diags = diags_new(&cli->arena);
    Comparison comparison;
    CompareSizes sizes = compare_sizes(source, (int32_t)own(cli)->elements);
    Meter *meter = meter_open("groups of work");
    source->tell = meter_tell;
    source->tell_context = meter;
    bool ran = compare_run(source, &sizes, &comparison, &diags);
    meter_close(meter);
    return ran ? write_report(cli, &comparison) : failed(cli, &diags);
}

// ---- the virtual machine -------------------------------------------------

static int set_time(Cli *cli, Device *device) {
    const CliValues *sets = &own(cli)->time_sets;
    Diags diags = diags_new(&cli->arena);
    Str *settings = arena_new(&cli->arena, Str, sets->count + 1);
    for (size_t i = 0; i < sets->count; i++)
        settings[i] = str_from(sets->items[i]);
    if (vm_time(device, settings, sets->count, &diags))
        return CLI_FULL_MARKS;
    const Diag *why = &diags.items[0];
    return output_error(cli, CLI_USAGE, "compare: --time-set: %.*s; %.*s",
                        STR_ARG(why->what), STR_ARG(why->help));
}

static int compare_model(Cli *cli) {
    Device *device;
    Build build;
    int code = shared_open_model(cli, &device);
    if (code != CLI_FULL_MARKS)
        return code;
    code = set_time(cli, device);
    if (code == CLI_FULL_MARKS)
        code = build_kernels(cli, &build);
    if (code == CLI_FULL_MARKS) {
        CompareModel model = {.device = device,
                              .module = build.submission.module};
        CompareSource source = compare_model_source(&model);
        code = compare(cli, &source);
    }
    device->ops->close(device);
    return code;
}

// ---- a GPU ---------------------------------------------------------------

static int compare_card(Cli *cli) {
    CompareCard card = {0};
    CompareSource source;
    Build build;
    Diags diags = diags_new(&cli->arena);
    int code = build_kernels(cli, &build);
    if (code == CLI_FULL_MARKS)
        code = shared_open_card(cli, true, &card.plain);
    if (code == CLI_FULL_MARKS)
        code = shared_open_card(cli, false, &card.ledger);
    if (code == CLI_FULL_MARKS) {
        card.module = build.submission.module;
        code = compare_card_source(&card, &source, &diags)
                   ? compare(cli, &source)
                   : failed(cli, &diags);
    }
    if (card.plain)
        card.plain->ops->close(card.plain);
    if (card.ledger)
        card.ledger->ops->close(card.ledger);
    return code;
}

static int compare_command(Cli *cli) {
    if (cli->args.device != DEVICE_GPU)
        return compare_model(cli);
    if (own(cli)->time_sets.count > 0)
        return output_error(cli, CLI_USAGE,
                            "compare: --time-set is for the model: leave out "
                            "--device gpu");
    return compare_card(cli);
}

// ---- options -------------------------------------------------------------

static const CompareArgs DEFAULTS = {0};

static const Option OPTIONS[] = {
    OPTION_EMULATION,
    OPTION_DEADLINE,
    OPTION_TIME_SET(CompareArgs, time_sets),
    OPTION_DEVICE,
    OPTION_MODEL,
    {"--size", "N",
     "elements (default: 25 blocks of them a place; on a GPU 2^27)",
     args_take_number, OWN(CompareArgs, elements), .most = LAB_MAX_SIZE,
     .not_zero = "at least one element"},
    OPTION_FORMAT("of the comparison"),
    OPTION_OUT,
    {"--chart", "PATH", "the same as a chart (SVG), there", args_take_path,
     OWN(CompareArgs, chart)},
    OPTION_COMPILER,
    OPTION_FLAG,
    OPTION_ROOT,
    OPTIONS_OF_ALL,
};

const CliCommand COMPARE_COMMAND = {
    .name = "compare",
    .summary = "Compare four techniques, in figures",
    .example = "clclab compare --chart compare.svg",
    .words = "",
    .more = "Fixed work, grid stride, CLC and cluster CLC do the same work: "
            "even and uneven, with\na light and a heavy prologue, alone and "
            "with a kernel of higher priority that arrives\nhalf-way. On the "
            "virtual machine time is modelled: no card takes it. "
            "docs/compare.md\nsays how to read the table.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_COMPARE,
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = compare_command,
};
