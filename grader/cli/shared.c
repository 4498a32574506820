// SPDX-License-Identifier: Apache-2.0
// What the commands that judge, grade and run, share: the device, the clock,
// where a report goes, and the exit code of its verdict.
#include "cli/internal.h"
#include "gpu/gpu.h"
#include "vm/vm.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double shared_now_ms(void) {
    return clock_ms();
}

size_t shared_processors(size_t most) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    size_t processors = count > 0 ? (size_t)count : 1;
    return processors < most ? processors : most;
}

size_t shared_workers(uint64_t jobs) {
    return jobs ? (size_t)jobs : shared_processors(CLI_MAX_WORKERS);
}

bool shared_is_short_of_memory(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 &&
           limit.rlim_cur != RLIM_INFINITY &&
           limit.rlim_cur < CLI_ADDRESS_SPACE;
}

int shared_open_model(Cli *cli, Device **device) {
    const Args *args = &cli->args;
    const VmModel *model = vm_model_find(str_from(args->gpu_model));
    if (!model)
        return output_error(cli, CLI_USAGE,
                            "--gpu-model: there is no model \"%s\"; the models "
                            "are mini, b200 and rtx5090",
                            args->gpu_model);
    *device = vm_open(model);
    if (*device)
        return CLI_FULL_MARKS;
    return output_error(
        cli, CLI_MISSING,
        "this clclab was built for a newer processor; build it on this machine "
        "with make, or on the other one with make ISAS=all");
}

Device **shared_open_helpers(Cli *cli) {
    size_t count = crew_workers(cli->crew) - 1;
    Device **helpers = arena_new(&cli->arena, Device *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (shared_open_model(cli, &helpers[i]) != CLI_FULL_MARKS)
            return NULL;
    return helpers;
}

Device *shared_open_timed(Arena *arena, const Lab *lab) {
    Diags unused = diags_new(arena);
    Str slow = STR("global=4000"); // cycles, ten times the usual
    if (lab->balance == 0 && lab->yield == 0)
        return NULL;
    Device *device = vm_open(vm_model_find(STR("mini")));
    if (device)
        vm_time(device, &slow, 1, &unused);
    return device;
}

int shared_open_card(Cli *cli, bool is_plain, Device **card) {
    Diags diags = diags_new(&cli->arena);
    GpuSettings settings = {.prologue = STR("compute_scalar"),
                            .is_plain = is_plain,
                            .keeps_index =
                                cli->args.emulation == EMULATION_CLAIMED,
                            .deadline_s = (double)cli->args.deadline};
    *card = gpu_open(&settings, &diags);
    if (*card)
        return CLI_FULL_MARKS;
    output_diags(cli, &diags, (Str){0});
    return output_error(cli, CLI_MISSING,
                        "no GPU can be used; --device vm does without one");
}

// A GPU that was not asked for is used only if it has Cluster Launch Control in
// hardware.
static bool has_native_card(Cli *cli) {
    Arena *arena = &cli->arena;
    Str key = card_key(arena, STR("/proc/driver/nvidia"));
    if (card_is_remembered(arena, key))
        return false;
    GpuProbe probe = gpu_probe(arena);
    bool is_native = probe.state == GPU_READY && gpu_kind(&probe) == GPU_NATIVE;
    if (probe.state == GPU_READY && !is_native)
        card_remember(arena, key);
    return is_native;
}

int shared_find_card(Cli *cli, Device **card) {
    *card = NULL;
    if (cli->args.device == DEVICE_VM ||
        (cli->args.device == DEVICE_AUTO && !has_native_card(cli)))
        return CLI_FULL_MARKS;
    return shared_open_card(cli, false, card);
}

ReportStyle shared_style(const Cli *cli) {
    bool color =
        cli->args.out ? cli->args.color == COLOR_ALWAYS : cli->color_out;
    return (ReportStyle){.color = color,
                         .width = cli->width,
                         .pictures = cli->has_screen && !cli->args.out};
}

int shared_write_report(Cli *cli, Str report) {
    return cli->args.out ? output_file(cli, "--out", cli->args.out, report)
                         : output_stdout(cli, report);
}

static const ReportFormat *format_of(const Cli *cli, ReportKind kind) {
    return report_format(kind, cli->args.format);
}

bool shared_is_for_a_person(const Cli *cli, ReportKind kind) {
    return format_of(cli, kind)->reader == READER_PERSON;
}

void shared_add_report(Cli *cli, Report *report, Buf *out) {
    report->style = shared_style(cli);
    format_of(cli, report->kind)->write(report, out);
}

int shared_report(Cli *cli, Report *report) {
    Buf out = {0};
    shared_add_report(cli, report, &out);
    int code = shared_write_report(cli, buf_view(&out));
    buf_free(&out);
    return code;
}

int shared_exit_code(const Cli *cli, ReportKind kind, int code) {
    return format_of(cli, kind)->reader == READER_PLATFORM ? CLI_FULL_MARKS
                                                           : code;
}

bool shared_is_traced(const Cli *cli, ReportKind kind) {
    return cli->args.trace || format_of(cli, kind)->kinds & REPORT_TRACED;
}

int shared_write_trace(Cli *cli, Str text) {
    Buf none = {0};
    if (!cli->args.trace)
        return CLI_FULL_MARKS;
    if (text.len == 0)
        report_trace_json(NULL, (Str){0}, &none);
    int code = output_file(cli, "--trace", cli->args.trace,
                           text.len ? text : buf_view(&none));
    buf_free(&none);
    return code;
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

int shared_fault_code(Str fault, int otherwise) {
    static const struct {
        const char *fault;
        int code;
    } faults[] = {{"UNSUPPORTED", CLI_OURS},
                  {"DEVICE", CLI_OURS},
                  {"TARGET", CLI_MISSING},
                  {"BUSY", CLI_TRY_LATER}};
    for (size_t i = 0; i < COUNT_OF(faults); i++)
        if (str_equal(fault, str_from(faults[i].fault)))
            return faults[i].code;
    return otherwise;
}

int shared_check_switches(Cli *cli, const ScheduleArgs *schedule) {
    if (!schedule->switches.given || schedule->only.given)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "--switches goes with --only-schedule: it says how "
                        "much of that schedule is its own");
}
