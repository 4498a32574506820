// SPDX-License-Identifier: Apache-2.0
// clclab clinic: the cases (labs/clinic/NN-name.cu) are not changed; a learner
// mends a copy, in labs/clinic/mine unless FILE says otherwise. Case and copy
// are run as `clclab run` would, with the options in the head of the case. What
// the checker finds in the case is the diagnosis.
//
// Everything is read and compiled first; then a process with limits runs what
// came out, judges it, and writes the report.
#include "cli/judge/bounded.h"
#include "cli/options.h"
#include "cli/progress/progress.h"
#include "cli/run.h"
#include "cli/screen/meter.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_CASES = 100, MOST_WORDS = 60 };

typedef struct Clinic {
    Cli *cli;
    Course course;
    Str folder;               // "labs/clinic"
    Str *names;               // the cases' names, sorted
    size_t count;             // the number of cases
    bool made;                // this call has made a copy
    struct Patient *patients; // [patient_count]: at whom this call looks
    size_t patient_count;
    Meter *meter; // shows how many of them have been looked at; may be NULL
} Clinic;

// A launch of a case, or of a copy, before it is run.
typedef struct Launch {
    Args args; // of clclab run
    RunJudged judged;
} Launch;

typedef struct Patient {
    ClinicCase about;
    Str path;              // of the case
    Str source;            // of the copy
    Launch original, mine; // empty if result.is_new
    ClinicResult result;
} Patient;

// ---- the cases -----------------------------------------------------------

static int compare_names(const void *a, const void *b) {
    return strcmp(((const Str *)a)->ptr, ((const Str *)b)->ptr);
}

static int find_cases(Clinic *clinic) {
    Cli *cli = clinic->cli;
    int code;
    if (!course_find(cli, &clinic->course, &code))
        return code;
    clinic->folder =
        str_format(&cli->arena, "%.*s/clinic", STR_ARG(clinic->course.labs));
    clinic->names = arena_new(&cli->arena, Str, MOST_CASES);
    DIR *directory = opendir(clinic->folder.ptr);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)) &&
           clinic->count < MOST_CASES) {
        Str name = str_from(entry->d_name);
        if (course_number(name) > 0 && str_ends(name, STR(".cu")))
            clinic->names[clinic->count++] = str_copy(&cli->arena, name);
    }
    if (directory)
        closedir(directory);
    for (size_t i = 0; i < clinic->count; i++)
        clinic->names[i].ptr = str_cstring(&cli->arena, clinic->names[i]);
    qsort(clinic->names, clinic->count, sizeof *clinic->names, compare_names);
    if (clinic->count > 0)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_MISSING, "there are no cases in %.*s",
                        STR_ARG(clinic->folder));
}

static int find_case(const Clinic *clinic, Str *name) {
    Cli *cli = clinic->cli;
    const char *given = cli->args.words[0];
    uint64_t number = 0;
    bool is_number = str_to_u64(str_from(given), &number);
    for (size_t i = 0; i < clinic->count; i++) {
        *name = clinic->names[i];
        if (is_number ? course_number(*name) == number
                      : str_equal(str_slice(*name, 0, name->len - 3),
                                  str_from(given)))
            return CLI_FULL_MARKS;
    }
    return output_error(cli, CLI_USAGE,
                        "clinic: there is no case \"%s\"; they are 1 to %u",
                        given, course_number(clinic->names[clinic->count - 1]));
}

static int read_text(Cli *cli, int code, Str path, Str *text) {
    Str why;
    switch (file_read(&cli->arena, path.ptr, CLI_MAX_SOURCE, text, &why)) {
    case FILE_READ:
        return CLI_FULL_MARKS;
    case FILE_TOO_LARGE:
        return output_error(cli, code, "%.*s: it is larger than 1 MiB",
                            STR_ARG(path));
    case FILE_UNREADABLE:
        break;
    }
    return output_error(cli, code, "%.*s: %.*s", STR_ARG(path), STR_ARG(why));
}

// A copy cannot be compared with a case that was itself changed.
static int check_untouched(Cli *cli, Str path, const ClinicCase *about) {
    if (about->diagnosis.len == 0)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "%.*s:%u: this is the case as it came in: leave it as "
                        "it is (git checkout brings it back), and write in the "
                        "copy in mine/",
                        STR_ARG(path), about->diagnosis_at.line);
}

static int read_case(Clinic *clinic, Str path, Str *text, ClinicCase *about) {
    Cli *cli = clinic->cli;
    Diags diags = diags_new(&cli->arena);
    int code = read_text(cli, CLI_OURS, path, text);
    if (code != CLI_FULL_MARKS)
        return code;
    if (clinic_parse(&cli->arena, path, *text, about, &diags))
        return check_untouched(cli, path, about);
    output_diags(cli, &diags, *text);
    return CLI_OURS;
}

// ---- launches ------------------------------------------------------------

// The options in the head of a case, as run's arguments, with those that the
// clinic itself was given.
static int launch_arguments(Cli *cli, const ClinicCase *about, Str path,
                            Args *args) {
    char *argv[MOST_WORDS];
    int argc = 0;
    for (Str rest = about->launch; rest.len > 0;) {
        Str word = str_cut(&rest, ' ');
        if (word.len > 0 && argc < MOST_WORDS - 2)
            argv[argc++] = str_cstring(&cli->arena, word);
    }
    argv[argc++] = str_cstring(&cli->arena, STR("--"));
    argv[argc++] = str_cstring(&cli->arena, path);
    Str message;
    if (!args_parse(&cli->arena, &RUN_COMMAND, argc, argv, args, &message))
        return output_error(cli, CLI_OURS, "case %u: %.*s", about->number,
                            STR_ARG(message));
    const ScheduleArgs *schedule = cli->args.own;
    RunArgs *run = args->own;
    run->schedule.seed = schedule->seed;
    run->schedule.schedules = schedule->schedules;
    run->no_advice = true; // the learner is to find it
    args->compiler = cli->args.compiler;
    args->root = cli->args.root;
    args->flags = cli->args.flags;
    return CLI_FULL_MARKS;
}

static int prepare(Cli *cli, const ClinicCase *about, Str path,
                   Launch *launch) {
    Args own = cli->args;
    launch->judged = (RunJudged){.keeps = true};
    int code = launch_arguments(cli, about, path, &launch->args);
    if (code != CLI_FULL_MARKS)
        return code;
    cli->args = launch->args;
    code = run_build(cli, &launch->judged);
    cli->args = own;
    return code;
}

static int launch(Cli *cli, Str path, Launch *launch, ClinicRun *run) {
    Device *device;
    Args own = cli->args;
    RunJudged *judged = &launch->judged;
    int code = shared_open_model(cli, &device);
    if (code != CLI_FULL_MARKS)
        return code;
    cli->args = launch->args;
    code = run_judge(cli, device, judged);
    device->ops->close(device);
    *run = (ClinicRun){.launch = &judged->result,
                       .outputs = judged->outputs,
                       .output_count = judged->arguments.count,
                       .ptx = judged->build.ptx};
    cli->args = own;
    if (code == CLI_FULL_MARKS && judged->result.verdict == VERDICT_ERROR)
        return output_error(cli, CLI_OURS,
                            "%.*s: the virtual machine lacks something that "
                            "it needs; clclab run says what",
                            STR_ARG(path));
    return code;
}

static int judge(Cli *cli, Patient *patient) {
    ClinicRun original_run, my_run;
    int code = launch(cli, patient->path, &patient->original, &original_run);
    if (code == CLI_FULL_MARKS)
        code = launch(cli, patient->result.file, &patient->mine, &my_run);
    if (code != CLI_FULL_MARKS)
        return code;
    if (!clinic_judge(&patient->about, &original_run, &my_run,
                      &patient->result))
        return output_error(cli, CLI_OURS,
                            "%.*s: nothing is wrong with this case, or it does "
                            "not build",
                            STR_ARG(patient->path));
    return CLI_FULL_MARKS;
}

// ---- the learner's copy --------------------------------------------------

static int make_copy(Clinic *clinic, Str path, Str text) {
    Str folder =
        str_format(&clinic->cli->arena, "%.*s/mine", STR_ARG(clinic->folder));
    if (mkdir(folder.ptr, 0777) != 0 && errno != EEXIST)
        return output_error(clinic->cli, CLI_USAGE,
                            "clinic: cannot make the folder %.*s: %s",
                            STR_ARG(folder), strerror(errno));
    clinic->made = true;
    return output_file(clinic->cli, "clinic", path.ptr, text);
}

static Str copy_path(const Clinic *clinic, Str name) {
    const Args *args = &clinic->cli->args;
    if (args->word_count > 1)
        return str_from(args->words[1]);
    return str_format(&clinic->cli->arena, "%.*s/mine/%.*s",
                      STR_ARG(clinic->folder), STR_ARG(name));
}

// `makes`: a missing copy is created.
static int look_at(Clinic *clinic, Str name, bool makes, Patient *patient) {
    Cli *cli = clinic->cli;
    ClinicCase *about = &patient->about;
    Str text, mine = copy_path(clinic, name);
    patient->path = str_format(&cli->arena, "%.*s/%.*s",
                               STR_ARG(clinic->folder), STR_ARG(name));
    int code = read_case(clinic, patient->path, &text, about);
    if (code != CLI_FULL_MARKS)
        return code;
    ClinicResult *result = &patient->result;
    *result = (ClinicResult){.number = about->number,
                             .title = about->title,
                             .story = about->story,
                             .is_new = true};
    if (cli->args.word_count < 2 && !file_exists(mine.ptr))
        return makes ? make_copy(clinic, mine, text) : CLI_FULL_MARKS;
    code = read_text(cli, CLI_USAGE, mine, &patient->source);
    if (code != CLI_FULL_MARKS)
        return code;
    result->is_new = false;
    result->file = mine;
    result->given =
        clinic_diagnosis(&cli->arena, mine, patient->source, &result->at);
    code = prepare(cli, about, patient->path, &patient->original);
    return code ? code : prepare(cli, about, mine, &patient->mine);
}

// ---- the reports ---------------------------------------------------------

static void add_how_to_go_on(const Clinic *clinic, Str name, uint32_t number,
                             Buf *out) {
    buf_str(out, STR("\nA copy to mend, and to write the diagnosis in:\n  "));
    utf8_escape(copy_path(clinic, name), out);
    buf_printf(out, "\nHow is it? clclab clinic %u\n", number);
}

// Of all cases, or of the one that was asked for.
static void add_report(const Clinic *clinic, ClinicResult *results, Buf *out) {
    bool one = clinic->cli->args.word_count > 0;
    Report report = {.kind = one ? REPORT_CASE : REPORT_CASES,
                     .cases = {results, clinic->patient_count}};
    if (one)
        report.source = clinic->patients[0].source;
    shared_add_report(clinic->cli, &report, out);
}

// A BoundedWork.
static int judge_all(Cli *cli, void *context, BoundedNotes *notes, Buf *out) {
    Clinic *clinic = context;
    bool healed = true;
    ClinicResult *results =
        arena_new(&cli->arena, ClinicResult, clinic->patient_count);
    for (size_t i = 0; i < clinic->patient_count; i++) {
        Patient *patient = &clinic->patients[i];
        int code =
            patient->result.is_new ? CLI_FULL_MARKS : judge(cli, patient);
        if (code != CLI_FULL_MARKS)
            return code;
        results[i] = patient->result;
        healed &= results[i].healed;
        if (i < COUNT_OF(notes->passed))
            notes->passed[i] = results[i].healed;
        meter_tell(clinic->meter, i + 1, clinic->patient_count);
    }
    add_report(clinic, results, out);
    return healed ? CLI_FULL_MARKS : CLI_BELOW;
}

static int exceeded(Cli *cli, const GradeExceeded *what) {
    return output_error(cli, CLI_BELOW,
                        "clinic: the launches took more than %llu %s, and were "
                        "ended; clclab explain LIMIT",
                        (unsigned long long)what->limit,
                        what->is_memory ? "MiB of memory"
                                        : "s of processor time");
}

// The learner's own copies that were looked at.
static void note_cases(const Clinic *clinic, const BoundedEnd *end) {
    Cli *cli = clinic->cli;
    for (size_t i = 0; i < clinic->patient_count; i++) {
        const Patient *patient = &clinic->patients[i];
        const char *slash = strrchr(patient->path.ptr, '/');
        if (cli->args.word_count < 2 && !patient->result.is_new &&
            i < COUNT_OF(end->passed))
            progress_note(cli, &clinic->course,
                          progress_case(&cli->arena, str_from(slash + 1)),
                          end->passed[i], 1);
    }
}

// `name`: of the only case.
static int report(Clinic *clinic, Str name) {
    Cli *cli = clinic->cli;
    BoundedEnd end;
    BoundedWork work = {.run = judge_all,
                        .context = clinic,
                        .seconds = BOUNDED_SECONDS * clinic->patient_count};
    Buf out = {0};
    clinic->meter = meter_open("cases");
    int code = bounded_run(cli, &work, &end);
    meter_close(clinic->meter);
    if (end.is_exceeded)
        return exceeded(cli, &end.exceeded);
    if (end.report.len == 0)
        return code;
    buf_str(&out, end.report);
    if (code == CLI_FULL_MARKS || code == CLI_BELOW)
        note_cases(clinic, &end);
    if (clinic->made)
        add_how_to_go_on(clinic, name, clinic->patients[0].about.number, &out);
    int written = shared_write_report(cli, buf_view(&out));
    buf_free(&out);
    return written != CLI_FULL_MARKS ? written : code;
}

static int all_cases(Clinic *clinic) {
    clinic->patient_count = clinic->count;
    clinic->patients = arena_new(&clinic->cli->arena, Patient, clinic->count);
    for (size_t i = 0; i < clinic->count; i++) {
        int code =
            look_at(clinic, clinic->names[i], false, &clinic->patients[i]);
        if (code != CLI_FULL_MARKS)
            return code;
    }
    return report(clinic, (Str){0});
}

static int one_case(Clinic *clinic) {
    Cli *cli = clinic->cli;
    Str name;
    bool makes = shared_is_for_a_person(cli, REPORT_CASE);
    clinic->patient_count = 1;
    clinic->patients = arena_new(&cli->arena, Patient, 1);
    int code = find_case(clinic, &name);
    if (code == CLI_FULL_MARKS)
        code = look_at(clinic, name, makes, clinic->patients);
    return code != CLI_FULL_MARKS ? code : report(clinic, name);
}

static int clinic_command(Cli *cli) {
    Clinic clinic = {.cli = cli};
    int code = find_cases(&clinic);
    if (code != CLI_FULL_MARKS)
        return code;
    return cli->args.word_count > 0 ? one_case(&clinic) : all_cases(&clinic);
}

static const ScheduleArgs DEFAULTS = {.seed = CLI_DEFAULT_SEED,
                                      .schedules = CLI_DEFAULT_SCHEDULES};

static const Option OPTIONS[] = {
    {"--schedules", "N", "how many schedules (default: 64)", args_take_number,
     OWN(ScheduleArgs, schedules), .most = CLI_MAX_SCHEDULES,
     .not_zero = "at least one schedule is judged"},
    {"--seed", "N", "seed of the schedules (default: 1)", args_take_number,
     OWN(ScheduleArgs, seed), .most = UINT64_MAX},
    OPTION_FORMAT("of the report (default: text)"),
    OPTION_OUT,
    OPTION_COMPILER,
    OPTION_FLAG,
    OPTION_ROOT,
    OPTION_LABS,
    OPTIONS_OF_ALL,
};

const CliCommand CLINIC_COMMAND = {
    .name = "clinic",
    .summary = "Look after kernels with a bug",
    .example = "clclab clinic 3",
    .words = "[CASE [FILE]]",
    .most_words = 2,
    .more = "CASE is a number. The first call tells what the patient says, and "
            "makes a copy to\nmend in labs/clinic/mine; later ones say how it "
            "is. FILE is another copy. Without\nCASE all copies are looked at. "
            "Exit status: 0 all that was asked for is healed.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_CASE,
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = clinic_command,
};
