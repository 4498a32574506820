// SPDX-License-Identifier: Apache-2.0
// clclab grade: the lab, the file, the device, the report, the exit code.
#include "cli/grade.h"

#include "batch/batch.h"
#include "cli/debug/debug.h"
#include "cli/judge/bounded.h"
#include "cli/options.h"
#include "cli/progress/progress.h"
#include "cli/screen/meter.h"
#include "cli/ways.h"
#include "trials/trials.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const GradeArgs *own(const Cli *cli) {
    return cli->args.own;
}

// ---- the file and how to say it again ------------------------------------

static Str default_file(Cli *cli, const Course *course, const Lab *lab) {
    Arena *arena = &cli->arena;
    if (own(cli)->solutions)
        return str_format(arena, "%.*ssolutions/%.*s/%.*s",
                          STR_ARG(course->root), STR_ARG(lab->folder),
                          STR_ARG(lab->file));
    return str_format(arena, "%.*s/%.*s/%.*s", STR_ARG(course->labs),
                      STR_ARG(lab->folder), STR_ARG(lab->file));
}

// The command again, without the seed and the schedules, which check/ appends.
static Str replay_command(Cli *cli, const Lab *lab, Str file) {
    Buf out = {0};
    buf_printf(&out, "clclab grade %u", lab->number);
    replay_file(&out, file);
    replay_options(&out, &cli->args, &GRADE_COMMAND);
    Str command = str_copy(&cli->arena, buf_view(&out));
    buf_free(&out);
    return command;
}

// ---- the command ---------------------------------------------------------

typedef struct Devices {
    Device *model;
    Device *card;  // NULL: none
    Device *timed; // likewise, as the lab has no bars in modelled time
} Devices;

static int find_lab(Cli *cli, Course *course, Lab *lab, Str *file) {
    const Args *args = &cli->args;
    int code;
    if (own(cli)->solutions && args->word_count > 1)
        return output_error(cli, CLI_USAGE,
                            "--solutions names the file already: leave out "
                            "\"%s\"",
                            args->words[1]);
    if (!course_find(cli, course, &code))
        return code;
    code = args->word_count ? course_lab(cli, course, args->words[0], lab)
                            : progress_lab(cli, "grade", course, lab);
    if (code == CLI_FULL_MARKS)
        code = course_check_reference(cli, course, lab);
    if (code == CLI_FULL_MARKS)
        *file = args->word_count > 1 ? str_from(args->words[1])
                                     : default_file(cli, course, lab);
    return code == CLI_FULL_MARKS ? handed_in_find(cli, lab, file) : code;
}

// What is graded, and for how long.
typedef struct Judging {
    const Lab *lab;
    Build *build;
    const Devices *devices;
    double start; // clock_ms
    Provenance provenance;
    Str root; // of the course
    GradeEnd *end;
    bool has_told; // early that the plain runs pass
    bool has_told_failure;
    bool leaves_advice; // trying edits took too much
    Meter *meter;       // shows how far the schedules are; may be NULL
    Ways ways;
} Judging;

static GradeOptions options_of(Cli *cli, const Judging *judging,
                               BoundedNotes *notes) {
    const GradeArgs *args = own(cli);
    const ScheduleArgs *schedule = &args->schedule;
    return (GradeOptions){
        .seed = schedule->seed,
        .schedules = schedule->schedules,
        .is_single = schedule->only.given,
        .single = schedule->only.value,
        .is_limited = schedule->switches.given,
        .switches = schedule->switches.value,
        .has_size = args->size.given,
        .size = args->size.size,
        .replay =
            replay_command(cli, judging->lab, judging->build->submission.file),
        .is_traced = args->makes_book || shared_is_traced(cli, REPORT_GRADE),
        .has_pictures = shared_style(cli).pictures &&
                        shared_is_for_a_person(cli, REPORT_GRADE),
        .advice = !args->no_advice && !judging->leaves_advice &&
                  args->feedback != FEEDBACK_POINTS,
        .obey = (uint32_t)args->obey,
        .timed = judging->devices->timed,
        .tell = notes ? meter_tell : NULL,
        .tell_context = judging->meter,
    };
}

// What a stage is noted in, and told of.
typedef struct Entering {
    Cli *cli;
    const Judging *judging;
    BoundedNotes *notes;
} Entering;

static Cause *copy_causes(Arena *arena, const Cause *from, size_t count) {
    Cause *causes = arena_new(arena, Cause, count + 1);
    for (size_t i = 0; i < count; i++)
        causes[i] = from[i];
    return causes;
}

// A copy that can be put in words while the result is not finished.
static Result copy_result(Arena *arena, const Result *from) {
    Result copy = *from;
    copy.checks = arena_new(arena, CheckResult, from->check_count + 1);
    for (size_t i = 0; i < from->check_count; i++) {
        copy.checks[i] = from->checks[i];
        copy.checks[i].causes = copy_causes(arena, from->checks[i].causes,
                                            from->checks[i].cause_count);
    }
    copy.advisories =
        copy_causes(arena, from->advisories, from->advisory_count);
    return copy;
}

// One that is too long is not told early.
static void note_failure(const Entering *entering, const Result *result) {
    BoundedNotes *notes = entering->notes;
    const Submission *submission = &entering->judging->build->submission;
    Arena arena = {0};
    Buf text = {0};
    Result copy = copy_result(&arena, result);
    report_tell(&arena, &copy);
    report_text(&copy, submission->source, shared_style(entering->cli), &text);
    if (text.len <= sizeof notes->early) {
        memcpy(notes->early, text.ptr, text.len);
        atomic_thread_fence(memory_order_release);
        notes->early_bytes = text.len;
    }
    buf_free(&text);
    arena_free(&arena);
}

static void enter(void *context, GradeStage stage, const Result *result) {
    const Entering *entering = context;
    bounded_enter(entering->notes, stage, result);
    if (stage == GRADE_ADVICE && own(entering->cli)->tells_failure &&
        result->verdict == VERDICT_FAIL)
        note_failure(entering, result);
}

static void run_checks(Cli *cli, const Judging *judging, BoundedNotes *notes,
                       Result *result) {
    const Lab *lab = judging->lab;
    const Submission *submission = &judging->build->submission;
    const Devices *devices = judging->devices;
    GradeOptions options = options_of(cli, judging, notes);
    Entering entering = {cli, judging, notes};
    options.enter = enter;
    options.enter_context = &entering;
    options.helpers = shared_open_helpers(cli);
    options.crew = options.helpers ? cli->crew : NULL;
    submission_parse(cli, judging->build);
    check_grade(&cli->arena, lab, submission, devices->model, &options, result);
    if (devices->card)
        check_on_card(&cli->arena, lab, submission, devices->card, &options,
                      result);
}

// An error may not happen again next time.
static int result_code(const Result *result) {
    int code = shared_verdict_code(result->verdict);
    for (size_t i = 0; i < result->check_count && code == CLI_OURS; i++)
        if (result->checks[i].status == CHECK_ERROR)
            return shared_fault_code(result->checks[i].causes[0].code, code);
    return code;
}

static void add_report(Cli *cli, const Judging *judging, Result *result,
                       Buf *out) {
    report_tell(&cli->arena, result);
    result->version = STR(CLI_VERSION);
    result->provenance = judging->provenance;
    if (!own(cli)->schedule.no_time)
        result->elapsed_ms = clock_ms() - judging->start;
    report_limit(&cli->arena, (ReportFeedback)own(cli)->feedback, judging->root,
                 result);
    Report report = {.kind = REPORT_GRADE,
                     .grade = result,
                     .source = judging->build->submission.source};
    if (!own(cli)->makes_book || !report_book(&report, out))
        shared_add_report(cli, &report, out);
}

static Str device_name(Cli *cli, const Result *result) {
    return str_format(&cli->arena, "%.*s:%.*s", STR_ARG(result->device),
                      STR_ARG(result->gpu_model));
}

// What comes behind the report: a trace, or the report for the student, from
// which more has been taken out.
static void add_more(Cli *cli, const Judging *judging, Result *result,
                     Buf *out) {
    const GradeArgs *args = own(cli);
    if (cli->args.trace)
        report_trace_json(result->trace, device_name(cli, result), out);
    if (!args->tells_student)
        return;
    report_limit(&cli->arena, (ReportFeedback)args->student_feedback,
                 judging->root, result);
    report_text(result, judging->build->submission.source,
                (ReportStyle){.width = 80}, out);
}

static GuardsNote judge_note(bool is_confined) {
    return (GuardsNote){.has_run = true, .seccomp = is_confined};
}

// A BoundedWork.
static int judge(Cli *cli, void *context, BoundedNotes *notes, Buf *out) {
    Judging *judging = context;
    Result result;
    if (!judging->devices->card)
        judging->provenance.sandbox.judge = judge_note(notes->is_confined);
    run_checks(cli, judging, notes, &result);
    ways_run(cli, &judging->ways, &result);
    int code = result_code(&result);
    notes->summary = result_summary(&result);
    add_report(cli, judging, &result, out);
    notes->report_bytes = out->len;
    add_more(cli, judging, &result, out);
    return code;
}

// Returns the exit code.
static int add_exceeded(Cli *cli, Judging *judging, BoundedEnd *end, Buf *out) {
    Result result;
    Buf more = {0};
    GradeOptions options = options_of(cli, judging, NULL);
    if (!judging->devices->card)
        judging->provenance.sandbox.judge = judge_note(end->is_confined);
    check_exceeded(&cli->arena, judging->lab, &judging->build->submission,
                   judging->devices->model, &options, &end->exceeded, &result);
    if (judging->devices->card)
        check_exceeded_on_card(
            &cli->arena, judging->lab, &judging->build->submission,
            judging->devices->card, &options, &end->exceeded, &result);
    end->summary = result_summary(&result);
    add_report(cli, judging, &result, out);
    add_more(cli, judging, &result, &more);
    end->more = str_copy(&cli->arena, buf_view(&more));
    buf_free(&more);
    return result_code(&result);
}

// Only what a learner does with the lab's own file counts as her progress.
static void note_progress(Cli *cli, const Course *course,
                          const Judging *judging, const BoundedEnd *end) {
    const GradeArgs *args = own(cli);
    Str file = judging->build->submission.file;
    bool whole = !args->schedule.only.given && !cli->args.untrusted;
    if (end->summary.has_score && !end->is_exceeded && whole &&
        !args->solutions &&
        str_equal(file, default_file(cli, course, judging->lab)))
        progress_note(cli, course, judging->lab->folder, end->summary.score,
                      end->summary.most);
}

static void tell_failure(Cli *cli, Judging *judging,
                         const BoundedNotes *notes) {
    if (judging->has_told_failure || notes->early_bytes == 0)
        return;
    atomic_thread_fence(memory_order_acquire);
    judging->has_told_failure = judging->has_told = true;
    output_stdout(cli,
                  str_format(&cli->arena, "%.*s%c", (int)notes->early_bytes,
                             notes->early, GRADE_EARLY_END));
}

// A BoundedWork.look: says once that all checks but one have passed, if the
// last one is being judged.
static void tell_early(Cli *cli, void *context, const BoundedNotes *notes) {
    Judging *judging = context;
    const Lab *lab = judging->lab;
    double points = 0, most = 0;
    size_t passed = 0;
    tell_failure(cli, judging, notes);
    if (judging->has_told || notes->stage < GRADE_PROBES)
        return;
    for (size_t i = 0; i < lab->check_count; i++) {
        passed += notes->passed[i];
        points += notes->passed[i] ? lab->checks[i].points : 0;
        most += lab->checks[i].points;
    }
    judging->has_told = true;
    if (passed + 1 == lab->check_count)
        output_stdout(
            cli, str_format(&cli->arena,
                            "So far %.6g/%.6g: the plain runs pass, "
                            "%llu schedules follow.\n%c",
                            points, most,
                            (unsigned long long)own(cli)->schedule.schedules,
                            GRADE_EARLY_END));
}

// Judges in a process with limits.
static int judge_bounded(Cli *cli, const Course *course, Judging *judging,
                         Buf *out) {
    BoundedEnd end = {0};
    BoundedWork work = {.run = judge,
                        .context = judging,
                        .look = own(cli)->tells_early ? tell_early : NULL,
                        .workers = shared_workers(own(cli)->jobs),
                        .has_card = judging->devices->card != NULL,
                        .only_confined =
                            !judging->devices->card &&
                            judging->provenance.sandbox.untrusted &&
                            !judging->provenance.sandbox.allow_weak};
    judging->meter = meter_open("schedules");
    int code = bounded_run(cli, &work, &end);
    if (end.is_exceeded && end.exceeded.stage == GRADE_ADVICE) {
        judging->leaves_advice = true;
        code = bounded_run(cli, &work, &end);
    }
    meter_close(judging->meter);
    buf_str(out, end.report);
    if (end.is_exceeded)
        code = add_exceeded(cli, judging, &end, out);
    note_progress(cli, course, judging, &end);
    *judging->end = (GradeEnd){.summary = end.summary,
                               .is_exceeded = end.is_exceeded,
                               .text = end.more};
    int written = cli->args.trace && end.more.len
                      ? shared_write_trace(cli, end.more)
                      : CLI_FULL_MARKS;
    return written == CLI_FULL_MARKS ? code : written;
}

static int grade_on(Cli *cli, Devices *devices, GradeEnd *end, Buf *out) {
    Course course;
    Lab lab;
    Str file;
    Build build;
    Judging judging = {.lab = &lab,
                       .build = &build,
                       .devices = devices,
                       .start = clock_ms(),
                       .end = end};
    int code = find_lab(cli, &course, &lab, &file);
    if (code == CLI_FULL_MARKS && own(cli)->size.given &&
        !check_fits_size(&lab, own(cli)->size.size))
        code = output_error(cli, CLI_USAGE,
                            "grade: --size: this lab's sizes are one number");
    if (code == CLI_FULL_MARKS)
        code = submission_compile(cli, &course, &lab, file, &build);
    if (code != CLI_FULL_MARKS)
        return code;
    devices->timed = shared_open_timed(&cli->arena, &lab);
    judging.provenance = provenance_of(cli, &course, &lab, &build);
    judging.root = course.root;
    ways_open(cli, &course, &judging.ways);
    code = judge_bounded(cli, &course, &judging, out);
    ways_close(&judging.ways);
    return code;
}

// Each student has a seed of her own.
static int settle_seed(Cli *cli) {
    GradeArgs *args = cli->args.own;
    if (!args->seed_from && !args->student)
        return CLI_FULL_MARKS;
    if (!args->seed_from || !args->student)
        return output_error(cli, CLI_USAGE,
                            "grade: --seed-from and --student go together");
    if (args->schedule.seed != CLI_DEFAULT_SEED)
        return output_error(cli, CLI_USAGE,
                            "grade: --seed and --seed-from exclude each other");
    args->schedule.seed =
        batch_seed_of(&cli->arena, args->seed_from, str_from(args->student));
    return CLI_FULL_MARKS;
}

static int check_options(Cli *cli) {
    const GradeArgs *args = own(cli);
    int code = settle_seed(cli);
    if (code != CLI_FULL_MARKS)
        return code;
    if (args->obey && args->feedback == FEEDBACK_POINTS)
        return output_error(cli, CLI_USAGE,
                            "grade: --feedback points tells no edit that "
                            "--obey could make");
    if (args->size.given && !args->schedule.only.given)
        return output_error(cli, CLI_USAGE,
                            "grade: --size goes with --only-schedule");
    return shared_check_switches(cli, &args->schedule);
}

int grade_report(Cli *cli, GradeEnd *end, Buf *out) {
    Devices devices = {0};
    *end = (GradeEnd){0};
    int code = untrusted_check(cli);
    if (code == CLI_FULL_MARKS)
        code = shared_open_model(cli, &devices.model);
    if (code != CLI_FULL_MARKS)
        return code;
    code = shared_find_card(cli, &devices.card);
    if (code == CLI_FULL_MARKS)
        code = grade_on(cli, &devices, end, out);
    if (devices.card)
        devices.card->ops->close(devices.card);
    if (devices.timed)
        devices.timed->ops->close(devices.timed);
    devices.model->ops->close(devices.model);
    return code;
}

static int grade_command(Cli *cli) {
    Buf out = {0};
    GradeEnd end;
    int code = check_options(cli);
    if (code == CLI_FULL_MARKS)
        code = shared_write_trace(cli, (Str){0});
    if (code == CLI_FULL_MARKS)
        code = unfinished_begin(cli, REPORT_GRADE);
    if (code != CLI_FULL_MARKS)
        return code;
    code = grade_report(cli, &end, &out);
    unfinished_end(cli, REPORT_GRADE, &out);
    int written = out.len ? shared_write_report(cli, buf_view(&out)) : code;
    if (written == CLI_FULL_MARKS)
        code = shared_exit_code(cli, REPORT_GRADE, code);
    buf_free(&out);
    return written != CLI_FULL_MARKS ? written : code;
}

// A picture that was shown is what was asked for, whatever the score.
static int trace_command(Cli *cli) {
    if (!cli->args.format)
        cli->args.format = "trace";
    int code = grade_command(cli);
    return code == CLI_BELOW ? CLI_FULL_MARKS : code;
}

static int debug_command(Cli *cli) {
    GradeArgs *args = cli->args.own;
    GradeEnd end;
    Buf out = {0};
    args->makes_book = true;
    int code = debug_check(cli);
    if (code == CLI_FULL_MARKS)
        code = check_options(cli);
    if (code != CLI_FULL_MARKS)
        return code;
    code = grade_report(cli, &end, &out);
    code = debug_session(cli, buf_view(&out), code);
    buf_free(&out);
    return code;
}

// ---- options -------------------------------------------------------------

static bool take_size(ArgsParse *parse, const Option *option, const char *value,
                      void *field) {
    (void)option;
    GradeSize *size = field;
    size->given = check_parse_size(str_from(value), &size->size);
    const int32_t *dim = size->size.dim;
    if (!size->given)
        return args_mistake(parse, "a size as in lab.conf: 1000, or 40x20x3");
    if (dim[0] == 0 || dim[1] == 0 || dim[2] == 0)
        return args_mistake(parse, "at least one element");
    return true;
}

static const GradeArgs DEFAULTS = {
    .schedule = {.seed = CLI_DEFAULT_SEED, .schedules = CLI_DEFAULT_SCHEDULES}};

static const Option OPTIONS[] = {
    OPTION_DEVICE,
    OPTION_DEADLINE,
    OPTION_EMULATION,
    OPTION_MODEL,
    OPTION_SEED(GradeArgs, schedule,
                "secret inputs and schedules (default: 1)"),
    {"--seed-from", "NAME", "a seed made of NAME and --student", args_take_text,
     OWN(GradeArgs, seed_from), .is_not_replayed = true},
    {"--student", "ID", "whose file it is, with --seed-from", args_take_text,
     OWN(GradeArgs, student), .is_not_replayed = true},
    OPTION_SCHEDULES(GradeArgs, schedule, "how many schedules (default: 64)"),
    OPTION_ONLY(GradeArgs, schedule),
    OPTION_SWITCHES(GradeArgs, schedule),
    {"--size", "N", "elements, with --only-schedule", take_size,
     OWN(GradeArgs, size), .is_not_replayed = true},
    OPTION_FORMAT("of the report (default: text)"),
    OPTION_OUT,
    OPTION_FRAMES,
    OPTION_TRACE,
    OPTION_JOBS(GradeArgs, jobs, "runs at a time"),
    {"--solutions", NULL, "grade the lab's solution", args_take_flag,
     OWN(GradeArgs, solutions), .is_not_replayed = true},
    {"--feedback", "full|points|student", "what the report shows",
     args_take_choice, OWN(GradeArgs, feedback),
     .names = CHOICES("full", "points", "student"), .is_not_replayed = true},
    OPTIONS_OF_ADVICE(GradeArgs),
    OPTION_NO_TIME(GradeArgs, schedule),
    {"--follow", NULL, "FILE may be a symbolic link", args_take_flag,
     SHARED(follow)},
    OPTIONS_OF_STRANGERS,
    OPTION_COMPILER,
    OPTION_FLAG,
    OPTION_ROOT,
    OPTION_LABS,
    OPTIONS_OF_ALL,
};

const CliCommand GRADE_COMMAND = {
    .name = "grade",
    .summary = "Grade a file",
    .example = "clclab grade 4 mine.cu --seed 7",
    .words = "[LAB [FILE]]",
    .most_words = 2,
    .more =
        "LAB is a number (4) or a folder's name; without it, the lab that "
        "you are at.\nWithout FILE the lab's own file is graded; if it is a "
        "folder, the source in it.\nThe "
        "virtual machine judges it; "
        "--device auto runs it on a Blackwell GPU as well, where\nthere is "
        "one, gpu on whichever GPU can (docs/gpu.md).\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_GRADE,
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = grade_command,
};

const CliCommand TRACE_COMMAND = {
    .name = "trace",
    .summary = "Show what a run of a lab's kernel did, in time",
    .example = "clclab trace 4",
    .words = "[LAB [FILE]]",
    .most_words = 2,
    .more =
        "Grades the file, and shows the run that the report is about: which "
        "blocks were started\nand which were stolen, on which SM, and the "
        "steps before the first mistake.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_GRADE,
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = trace_command,
};

const CliCommand DEBUG_COMMAND = {
    .name = "debug",
    .summary = "Go through the steps around the first mistake",
    .example = "clclab debug 4 --seed 7",
    .words = "[LAB [FILE]]",
    .most_words = 2,
    .more =
        "Grades the file, runs the run with the first mistake once more, and "
        "goes through its\nsteps as commands say, from the keyboard or a pipe: "
        "s forward, b back, w one warp, bar,\nslot, list, where, q quit; h "
        "lists them all. A replay command of a report gives the same\nrun, "
        "with debug in place of grade.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_GRADE,
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = debug_command,
};
