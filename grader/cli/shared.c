// SPDX-License-Identifier: Apache-2.0
// What the commands that judge, grade and run, share: where a report goes, and
// the exit code of its verdict.
#include "cli/internal.h"

ReportStyle shared_style(const Cli *cli) {
    bool color =
        cli->args.out ? cli->args.color == COLOR_ALWAYS : cli->color_out;
    return (ReportStyle){.color = color,
                         .width = cli->width,
                         .frames = cli->args.frames,
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
