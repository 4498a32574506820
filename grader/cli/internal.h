// SPDX-License-Identifier: Apache-2.0
// What the commands share. Below them, each in a room of its own:
//
//   core/      the command line, and what is said
//   source/    from what a user names to what can be judged
//   judge/     the devices; judging in a process with limits
//   run/       the arguments of a kernel
//   screen/    a terminal: pages, keys, a meter
//   debug/     goes through the steps around a mistake
//   progress/  how far a learner has come
//
// And here:
//
//   cli.c         cli_main: the commands
//   options.h     the options that several commands have
//   usage.c       what --help prints, from a command's table of options
//   shared.c, replay.c  what grade and run share; unfinished.c: their
//                 reports if nothing was judged
//   grade.c, explain.c, quiz.c, ptx.c, show.c  the commands, each with its
//                 table of options
//   run.c         clclab run; clinic.c uses it
//   exec.c        clclab exec; program.c: runs the program; nvcc.c: builds it
//   next.c        what comes next
//   completion.c  scripts for shells
//   reset.c       the starter again
//   ways.c        three ways to do the same work, for a page of a grade
//   watch.c       grades on each save; watch.h lists its files
//   batch.c       has a class graded; batch.h lists its files
//   doctor.c, doctor_gpu.c, doctor_lines.c  clclab doctor
//   compare.c     clclab compare; compare_card.c: its figures from a GPU
//
// Every function that fails has printed why and returns the exit code.
#ifndef CLCLAB_CLI_INTERNAL_H
#define CLCLAB_CLI_INTERNAL_H

#include "base/base.h"
#include "check/check.h"
#include "check/clinic.h"
#include "check/quiz.h"
#include "cli/cli.h"
#include "cli/core/core.h"
#include "cli/judge/judge.h"
#include "cli/progress/progress.h"
#include "cli/source/source.h"

// usage.c
void usage_all(const CliCommand *const *commands, size_t count, Buf *out);
void usage_command(const CliCommand *command, Buf *out);

// replay.c: appends the options, with their values, under which the command ran
// and which are not the usual ones. `command` may be another than the one that
// runs: then the options that all commands have the fields of.
void replay_options(Buf *out, const Args *args, const CliCommand *command);
ArgsGive replay_give_size; // uint32_t[3]: X[,Y[,Z]]
ArgsGive replay_give_device;
// Whether there is a way to give the option.
bool replay_can_give(const Option *option);

// shared.c
ReportStyle shared_style(const Cli *cli);
int shared_write_report(Cli *cli, Str report);
// Appends the report in the format that was asked for, and fills in its style.
void shared_add_report(Cli *cli, Report *report, Buf *out);
int shared_report(Cli *cli, Report *report); // to --out or standard output
// Whether the format that was asked for, for reports of this kind, is meant for
// a person.
bool shared_is_for_a_person(const Cli *cli, ReportKind kind);
// Whether the run has to be recorded: for --trace, or for the format.
bool shared_is_traced(const Cli *cli, ReportKind kind);
// Writes the file of --trace, if it is given. Before anything is judged, with
// an empty text, it writes a trace of nothing.
int shared_write_trace(Cli *cli, Str text);
int shared_verdict_code(Verdict verdict);
// The exit code of a command that has written a report: `code`, or 0 if that is
// what the format's readers want.
int shared_exit_code(const Cli *cli, ReportKind kind, int code);
// The exit code for the code of a Diag about what a device lacks or how it
// failed.
int shared_fault_code(Str fault, int otherwise);
// Checks that --switches comes with the schedule that it needs.
int shared_check_switches(Cli *cli, const ScheduleArgs *schedule);

// unfinished.c: kind is REPORT_GRADE or REPORT_RUN. _end appends to *out,
// unless there is a report in it.
int unfinished_begin(Cli *cli, ReportKind kind);
void unfinished_end(Cli *cli, ReportKind kind, Buf *out);

// the commands
extern const CliCommand GRADE_COMMAND, TRACE_COMMAND, RUN_COMMAND, PTX_COMMAND,
    LIST_COMMAND, HINT_COMMAND, EXPLAIN_COMMAND, QUIZ_COMMAND, CLINIC_COMMAND,
    DOCTOR_COMMAND, COMPARE_COMMAND, VERSION_COMMAND, VERIFY_COMMAND,
    NEXT_COMMAND, COMPLETION_COMMAND, WATCH_COMMAND, RESET_COMMAND,
    BATCH_COMMAND, DEBUG_COMMAND, EXEC_COMMAND, NVCC_COMMAND;
// next.c
// clclab without a command. *found: there is a course.
int next_alone(Cli *cli, bool *found);
void next_add_points(Buf *out, const LabProgress *done); // "45/100"
// What to type for clclab, if it was called by a path such as build/clclab.
void next_add_call(const Cli *cli, Buf *out);

#endif
