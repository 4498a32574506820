// SPDX-License-Identifier: Apache-2.0
// clclab batch: a class, graded. batch.h says what it writes and where.
#include "cli/batch_slurm.h"
#include "cli/options.h"

#include <unistd.h>

static const BatchArgs *own(const Cli *cli) {
    return cli->args.own;
}

// ---- points that people gave ---------------------------------------------

// Before anything is graded: a slip in the table is seen at once.
static int read_points(Batch *batch) {
    enum { MOST_TABLE = 64 << 20 };
    Cli *cli = batch->cli;
    const char *path = batch->args->points;
    Str text, why = STR("it is larger than 64 MiB");
    Diags diags = diags_new(&cli->arena);
    if (!path)
        return CLI_FULL_MARKS;
    if (file_read(&cli->arena, path, MOST_TABLE, &text, &why) != FILE_READ)
        return output_error(cli, CLI_USAGE, "--points: %s: %.*s", path,
                            STR_ARG(why));
    if (batch_points(&cli->arena, str_from(path), text, batch->rows,
                     batch->roster.count, &batch->table, &diags))
        return CLI_FULL_MARKS;
    output_diags(cli, &diags, text);
    return CLI_USAGE;
}

// ---- what is alike -------------------------------------------------------

enum { MOST_KNOWN = 3 };

// What all students were given, as far as it is there.
static size_t read_known(Batch *batch, Str known[MOST_KNOWN]) {
    Arena *arena = &batch->cli->arena;
    const Course *course = &batch->course;
    const Lab *lab = &batch->lab;
    Str paths[MOST_KNOWN] = {
        str_format(arena, "%.*s/%.*s/starter/%.*s", STR_ARG(course->labs),
                   STR_ARG(lab->folder), STR_ARG(lab->file)),
        str_format(arena, "%.*ssolutions/%.*s/%.*s", STR_ARG(course->root),
                   STR_ARG(lab->folder), STR_ARG(lab->file)),
        str_format(arena, "%.*s/lab.h", STR_ARG(course->common))};
    size_t count = 0;
    Str why;
    for (size_t i = 0; i < MOST_KNOWN; i++)
        count += file_read(arena, paths[i].ptr, CLI_MAX_SOURCE, &known[count],
                           &why) == FILE_READ;
    return count;
}

static void find_alike(Batch *batch, BatchAlikes *alike) {
    Arena *arena = &batch->cli->arena;
    size_t count = batch->roster.count;
    Str *texts = arena_new(arena, Str, count + 1), known[MOST_KNOWN], why;
    if (batch->args->similarity == 0 || batch->args->is_quiz)
        return;
    for (size_t i = 0; i < count; i++) {
        const BatchRow *row = &batch->rows[i];
        const char *path = batch_path(batch, "submissions/%.*s/%.*s",
                                      STR_ARG(row->id), STR_ARG(row->file));
        if (row->status == BATCH_GRADED)
            file_read(arena, path, CLI_MAX_SOURCE, &texts[i], &why);
        arena_free(&batch->scratch);
    }
    BatchAlikeRequest request = {.texts = texts,
                                 .count = count,
                                 .known = known,
                                 .known_count = read_known(batch, known),
                                 .percent = (uint32_t)batch->args->similarity};
    batch_find_alike(arena, &request, alike);
}

// ---- the tables ----------------------------------------------------------

static int write_tables(Batch *batch, const BatchTally *tally, Str title) {
    Buf text = {0};
    Str column = batch->args->column ? str_from(batch->args->column) : title;
    report_batch_csv(tally, (ReportGradebook)batch->args->gradebook, column,
                     &text);
    int code =
        batch_write(batch, batch_path(batch, "grades.csv"), buf_view(&text));
    text.len = 0;
    report_batch_html(tally, title, &text);
    if (code == CLI_FULL_MARKS)
        code = batch_write(batch, batch_path(batch, "summary.html"),
                           buf_view(&text));
    text.len = 0;
    report_batch_text(tally, title, (ReportStyle){.width = 80}, &text);
    if (code == CLI_FULL_MARKS)
        code = batch_write(batch, batch_path(batch, "summary.txt"),
                           buf_view(&text));
    text.len = 0;
    report_batch_text(tally, title, shared_style(batch->cli), &text);
    buf_printf(&text, "\nThe points are in %s/grades.csv.\n",
               batch->cli->args.out);
    if (code == CLI_FULL_MARKS)
        code = output_stdout(batch->cli, buf_view(&text));
    buf_free(&text);
    return code;
}

static int conclude(Batch *batch) {
    Arena *arena = &batch->cli->arena;
    BatchTally tally;
    Str title =
        str_format(arena, "%s %u: %.*s", batch->args->is_quiz ? "Quiz" : "Lab",
                   batch->lab.number, STR_ARG(batch->lab.title));
    batch_tally(arena, batch->rows, batch->roster.count, &tally);
    tally.extras = batch->table.extras;
    tally.strangers = batch->table.strangers;
    find_alike(batch, &tally.alike);
    int code = write_tables(batch, &tally, title);
    batch_log(batch, "end: %zu graded, %zu not gradable, %zu failed",
              tally.graded, tally.ungradable, tally.failed);
    if (code == CLI_FULL_MARKS)
        code = batch_end(batch);
    if (code != CLI_FULL_MARKS)
        return code;
    if (tally.failed)
        return CLI_TRY_LATER;
    return tally.ungradable ? CLI_BELOW : CLI_FULL_MARKS;
}

// ---- the command ---------------------------------------------------------

static int grade_class(Batch *batch) {
    size_t *indices =
        arena_new(&batch->cli->arena, size_t, batch->roster.count + 1);
    size_t count = 0;
    if (batch->roster.count == 0)
        return output_error(batch->cli, CLI_USAGE,
                            "%.*s: there is no submission in it",
                            STR_ARG(batch->source));
    const bool *is_kept = batch_look(batch);
    for (size_t i = 0; i < batch->roster.count; i++)
        if (!is_kept[i] && batch_prepare(batch, i))
            indices[count++] = i;
    int code = read_points(batch);
    if (code != CLI_FULL_MARKS)
        return code;
    batch_log(batch, "begin: %zu submissions, %zu to be graded; seed %llu",
              batch->roster.count, count, (unsigned long long)batch->seed);
    bool ends = true;
    code = batch->args->engine == BATCH_SLURM
               ? batch_array_work(batch, indices, count, &ends)
               : batch_work(batch, indices, count);
    int last = ends ? conclude(batch) : CLI_FULL_MARKS;
    return code ? code : last;
}

static int check_job_options(Batch *batch) {
    const BatchArgs *args = batch->args;
    bool asks = args->shards || args->partition || args->no_wait ||
                args->sbatch_options.count;
    if (args->engine == BATCH_LOCAL && asks)
        return output_error(batch->cli, CLI_USAGE,
                            "batch: --shards, --partition, --sbatch-option and "
                            "--no-wait go with --engine slurm");
    for (size_t i = 0; i < args->sbatch_options.count; i++)
        if (!batch_is_job_option(args->sbatch_options.items[i]))
            return output_error(batch->cli, CLI_USAGE,
                                "--sbatch-option: \"%s\" is no option of "
                                "sbatch in one word, like --account=cs, or is "
                                "one that clclab sets itself",
                                args->sbatch_options.items[i]);
    return args->engine == BATCH_SLURM ? slurm_check(batch) : CLI_FULL_MARKS;
}

static int check_words(Batch *batch) {
    Cli *cli = batch->cli;
    const BatchArgs *args = batch->args;
    if (cli->args.word_count < (args->task ? 1 : 2))
        return output_error(cli, CLI_USAGE,
                            "batch: which lab, and which folder or archive of "
                            "submissions?");
    if (!cli->args.out)
        return output_error(cli, CLI_USAGE,
                            "batch: --out names the folder for what comes out");
    if (args->is_quiz &&
        (args->engine != BATCH_LOCAL || args->task || args->on_gpu))
        return output_error(cli, CLI_USAGE,
                            "batch: --quiz needs neither a cluster nor a GPU");
    if (args->seed_from && args->seed.given)
        return output_error(cli, CLI_USAGE,
                            "batch: --seed and --seed-from exclude each other");
    return check_job_options(batch);
}

static int open_folder(Batch *batch) {
    bool is_live = false;
    int code = batch_open(batch);
    if (code == CLI_FULL_MARKS)
        code = batch_array_look(batch, &is_live);
    if (code == CLI_FULL_MARKS && !is_live) // else tasks write such files now
        batch_sweep(batch);
    return code == CLI_FULL_MARKS ? batch_settle_seed(batch) : code;
}

static int batch_class(Batch *batch) {
    batch->source = str_from(batch->cli->args.words[1]);
    bool is_quiz = batch->args->is_quiz;
    int code = is_quiz ? CLI_FULL_MARKS : untrusted_check(batch->cli);
    if (code == CLI_FULL_MARKS)
        code = batch_find_lab(batch);
    if (code == CLI_FULL_MARKS)
        code = batch_check_flags(batch);
    if (code == CLI_FULL_MARKS)
        code = open_folder(batch);
    if (code == CLI_FULL_MARKS)
        code = batch_read_class(batch);
    return code == CLI_FULL_MARKS ? grade_class(batch) : code;
}

static int batch_command(Cli *cli) {
    Batch *batch = arena_new(&cli->arena, Batch, 1);
    *batch =
        (Batch){.cli = cli, .args = own(cli), .lock = -1, .log = "batch.log"};
    int code = check_words(batch);
    if (code != CLI_FULL_MARKS)
        return code;
    cli->args.untrusted = true;
    cli->args.device = batch->args->on_gpu ? DEVICE_GPU : DEVICE_VM;
    code = batch->args->task ? batch_task(batch) : batch_class(batch);
    if (batch->lock >= 0)
        close(batch->lock);
    arena_free(&batch->scratch);
    for (size_t i = 0; i < batch->looker_count; i++)
        arena_free(&batch->looked[i]);
    return code;
}

static const BatchArgs DEFAULTS = {
    .schedule = {.schedules = CLI_DEFAULT_SCHEDULES},
    .similarity = 80,
    .feedback = FEEDBACK_STUDENT};

static const Option OPTIONS[] = {
    {"--out", "FOLDER", "for all that comes out of it", args_take_path,
     SHARED(out)},
    {"--quiz", NULL, "grade answers to the lab's quiz: .txt files",
     args_take_flag, OWN(BatchArgs, is_quiz)},
    {"--jobs", "N", "at a time (default: one for each processor)",
     args_take_number, OWN(BatchArgs, jobs), .most = 256,
     .not_zero = "one job at least"},
    {"--seed", "N", "of all (default: drawn once, and kept in batch.json)",
     args_take_optional, OWN(BatchArgs, seed), .most = UINT64_MAX},
    {"--seed-from", "NAME", "each student has a seed made of NAME and the id",
     args_take_text, OWN(BatchArgs, seed_from)},
    OPTION_SCHEDULES(BatchArgs, schedule, "how many schedules (default: 64)"),
    {"--names", "WAY",
     "auto (the default), plain, canvas, moodle or gradescope",
     args_take_choice, OWN(BatchArgs, names),
     .names = CHOICES("auto", "plain", "canvas", "moodle", "gradescope")},
    {"--gradebook", "own|canvas|moodle", "the columns of grades.csv",
     args_take_choice, OWN(BatchArgs, gradebook),
     .names = CHOICES("own", "canvas", "moodle")},
    {"--column", "NAME", "the assignment's name in that table", args_take_text,
     OWN(BatchArgs, column)},
    {"--points", "FILE", "a table of points that you gave, to be added",
     args_take_text, OWN(BatchArgs, points)},
    {"--similarity", "PERCENT",
     "lists pairs that are so much alike (default: 80; 0: none)",
     args_take_number, OWN(BatchArgs, similarity), .most = 100},
    {"--feedback", "full|points|student",
     "what reports/ shows (default: student)", args_take_choice,
     OWN(BatchArgs, feedback), .names = CHOICES("full", "points", "student")},
    {"--engine", "local|slurm", "on this machine, or as an array of jobs",
     args_take_choice, OWN(BatchArgs, engine),
     .names = CHOICES("local", "slurm")},
    {"--shards", "N", "slurm: so many tasks (default: by the class)",
     args_take_number, OWN(BatchArgs, shards), .most = 1000,
     .not_zero = "one task at least"},
    {"--partition", "NAME", "slurm: where they run", args_take_name,
     OWN(BatchArgs, partition)},
    {"--sbatch-option", "OPTION", "passed on to sbatch; may be repeated",
     args_take_list, OWN(BatchArgs, sbatch_options), .repeats = true,
     .most = 64},
    {"--no-wait", NULL, "slurm: submit, or say how far it is, and end",
     args_take_flag, OWN(BatchArgs, no_wait)},
    {"--task", "ARRAY", "what each of these tasks runs", args_take_name,
     OWN(BatchArgs, task)},
    {"--device", "vm|gpu", "gpu: on a GPU as well; your own class only",
     args_take_choice, OWN(BatchArgs, on_gpu), .names = CHOICES("vm", "gpu")},
    OPTION_MODEL,
    {"--allow-weak-sandbox", NULL, "grade even where the sandbox has gaps",
     args_take_flag, SHARED(allow_weak)},
    OPTION_COMPILER,
    OPTION_FLAG,
    OPTION_ROOT,
    OPTION_LABS,
    OPTIONS_OF_ALL,
};

const CliCommand BATCH_COMMAND = {
    .name = "batch",
    .summary = "Grade a class, from a folder or an archive",
    .example = "clclab batch 4 submissions --out grades",
    .words = "LAB DIR",
    .most_words = 2,
    .more = "DIR is a folder of files or of folders, a tarball or a zip, or "
            "what Canvas, Moodle or\nGradescope export. The same command goes "
            "on where an earlier one was ended, and grades\nwhat has changed. "
            "Exit status: 0 all are graded, 1 some cannot be, 75 some failed:\n"
            "try again. What has no points is no zero.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = batch_command,
};
