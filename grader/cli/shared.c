// SPDX-License-Identifier: Apache-2.0
// What the commands that judge - grade and run - share: the device, the clock,
// where a report goes, and what its verdict is as an exit code.
#include "cli/internal.h"
#include "vm/vm.h"

#include <time.h>

double shared_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int shared_open_device(Cli *cli, Device **device) {
    const Args *args = &cli->args;
    if (args->device == DEVICE_GPU)
        return output_error(cli, CLI_MISSING,
                            "this build cannot use a GPU yet; --device vm "
                            "takes the virtual machine");
    const VmModel *model = vm_model_find(str_from(args->gpu_model));
    if (!model)
        return output_error(cli, CLI_USAGE,
                            "--gpu-model: there is no model \"%s\"; the models "
                            "are mini, b200 and rtx5090",
                            args->gpu_model);
    *device = vm_open(model);
    return CLI_FULL_MARKS;
}

ReportStyle shared_style(const Cli *cli) {
    bool color =
        cli->args.out ? cli->args.color == COLOR_ALWAYS : cli->color_out;
    return (ReportStyle){color, cli->width};
}

int shared_write_report(Cli *cli, Str report) {
    return cli->args.out ? output_file(cli, "--out", cli->args.out, report)
                         : output_stdout(cli, report);
}

int shared_verdict_code(Verdict verdict) {
    switch (verdict) {
    case VERDICT_PASS:
        return CLI_FULL_MARKS;
    case VERDICT_FAIL:
        return CLI_BELOW;
    case VERDICT_ERROR:
        break;
    }
    return CLI_OURS;
}

int shared_check_switches(Cli *cli) {
    const Args *args = &cli->args;
    if (!args->has_switches || args->has_only_schedule)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "--switches goes with --only-schedule: it says how "
                        "much of that schedule is its own");
}
