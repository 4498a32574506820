// SPDX-License-Identifier: Apache-2.0
// clclab compare: the kernels of grader/compare on the device that was asked
// for, and what they took as text, CSV, a chart or JSON. The only place that
// knows which source of figures a device has.
#include "check/compare_model.h"
#include "cli/compare_card.h"
#include "cli/internal.h"
#include "vm/vm.h"

// The other kernel stays until it has had every place: a model that let the
// rest of the grid go on before would cut its wait short.
#define STAYS "hold=1000000"

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

static int write_chart(Cli *cli, const Comparison *comparison) {
    Buf out = {0};
    report_compare_svg(comparison, &out);
    int code = output_file(cli, "--chart", cli->args.chart, buf_view(&out));
    buf_free(&out);
    return code;
}

// What was measured is said even where the chart cannot be written.
static int write_report(Cli *cli, const Comparison *comparison) {
    Buf out = {0};
    switch (cli->args.compare_format) {
    case COMPARE_AS_TEXT:
        report_compare_text(comparison, shared_style(cli), &out);
        break;
    case COMPARE_AS_JSON:
        report_compare_json(comparison, &out);
        break;
    case COMPARE_AS_CSV:
        report_compare_csv(comparison, &out);
        break;
    case COMPARE_AS_SVG:
        report_compare_svg(comparison, &out);
        break;
    }
    int code = shared_write_report(cli, buf_view(&out));
    buf_free(&out);
    if (!cli->args.chart)
        return code;
    int chart_code = write_chart(cli, comparison);
    return code == CLI_FULL_MARKS ? chart_code : code;
}

// The first that is known tells whose fault it is.
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
    CompareSizes sizes = compare_sizes(source, cli->args.elements);
    if (compare_run(source, &sizes, &comparison, &diags))
        return write_report(cli, &comparison);
    return failed(cli, &diags);
}

// ---- the virtual machine -------------------------------------------------

static int set_time(Cli *cli, Device *device) {
    const Args *args = &cli->args;
    Diags diags = diags_new(&cli->arena);
    Str *settings = arena_new(&cli->arena, Str, args->time_set_count + 1);
    settings[0] = STR(STAYS);
    for (size_t i = 0; i < args->time_set_count; i++)
        settings[i + 1] = str_from(args->time_sets[i]);
    if (vm_time(device, settings, args->time_set_count + 1, &diags))
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
        CompareModel model = {device, build.submission.module};
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

int command_compare(Cli *cli) {
    if (cli->args.device != DEVICE_GPU)
        return compare_model(cli);
    if (cli->args.time_set_count > 0)
        return output_error(cli, CLI_USAGE,
                            "compare: --time-set is for the model: leave out "
                            "--device gpu");
    return compare_card(cli);
}
