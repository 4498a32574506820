// SPDX-License-Identifier: Apache-2.0
// clclab batch: a class, graded by the engine of batch/batch.h.
#include "cli/batch.h"
#include "cli/options.h"

enum { MOST_JOBS = 256 };

_Static_assert(BATCH_BELOW == (int)CLI_BELOW && BATCH_USAGE == (int)CLI_USAGE &&
                   BATCH_MISSING == (int)CLI_MISSING &&
                   BATCH_OURS == (int)CLI_OURS &&
                   BATCH_TRY_LATER == (int)CLI_TRY_LATER,
               "what the engine returns is the exit code");

static const BatchArgs *own(const Cli *cli) {
    return cli->args.own;
}

// ---- what they ask for ---------------------------------------------------

static int check_slurm(Cli *cli) {
    const char *lack = batch_lacks_slurm(&cli->arena);
    if (!lack)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_MISSING,
                        "--engine slurm: there is no %s on PATH: give the "
                        "command where jobs are submitted (a login node; "
                        "perhaps after \"module load slurm\"), or leave "
                        "--engine out, which grades on this machine",
                        lack);
}

static int check_job_options(Cli *cli) {
    const BatchArgs *args = own(cli);
    bool asks = args->shards || args->partition || args->no_wait ||
                args->sbatch_options.count;
    if (args->engine == BATCH_LOCAL && asks)
        return output_error(cli, CLI_USAGE,
                            "batch: --shards, --partition, --sbatch-option and "
                            "--no-wait go with --engine slurm");
    for (size_t i = 0; i < args->sbatch_options.count; i++)
        if (!batch_is_job_option(args->sbatch_options.items[i]))
            return output_error(cli, CLI_USAGE,
                                "--sbatch-option: \"%s\" is no option of "
                                "sbatch in one word, like --account=cs, or is "
                                "one that clclab sets itself",
                                args->sbatch_options.items[i]);
    return args->engine == BATCH_SLURM ? check_slurm(cli) : CLI_FULL_MARKS;
}

static int check_words(Cli *cli) {
    const BatchArgs *args = own(cli);
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
    return check_job_options(cli);
}

static size_t jobs_of(const BatchArgs *args) {
    if (args->jobs)
        return args->jobs;
    return args->on_gpu ? 1 : shared_processors(MOST_JOBS); // it is one card
}

static BatchRequest request_of(const Cli *cli) {
    const BatchArgs *args = own(cli);
    return (BatchRequest){.out = str_from(cli->args.out),
                          .source = str_from(cli->args.words[1]),
                          .names = (BatchNames)args->names,
                          .has_seed = args->seed.given,
                          .seed = args->seed.value,
                          .seed_from = args->seed_from,
                          .points = args->points,
                          .similarity =
                              args->is_quiz ? 0 : (uint32_t)args->similarity,
                          .jobs = jobs_of(args),
                          .processors = shared_processors(MOST_JOBS)};
}

static BatchCluster cluster_of(const BatchArgs *args) {
    return (BatchCluster){.shards = args->shards,
                          .partition = args->partition,
                          .options = args->sbatch_options.items,
                          .option_count = args->sbatch_options.count,
                          .cpus = args->jobs > 1 ? args->jobs : 0,
                          .has_gpu = args->on_gpu,
                          .no_wait = args->no_wait};
}

// ---- the command ---------------------------------------------------------

static int grade_class(Class *class, const BatchHost *host,
                       BatchRequest *request) {
    BatchCluster cluster = cluster_of(class->args);
    int code =
        class->args->is_quiz ? CLI_FULL_MARKS : untrusted_check(class->cli);
    if (code == (int)CLI_FULL_MARKS)
        code = class_find_lab(class, request);
    if (code == (int)CLI_FULL_MARKS)
        code = class_check_flags(class);
    if (code != CLI_FULL_MARKS)
        return code;
    if (request->similarity)
        class_read_known(class, request);
    if (class->args->engine == BATCH_SLURM)
        request->cluster = &cluster;
    return batch_run(host, request);
}

static int batch_command(Cli *cli) {
    Class *class = arena_new(&cli->arena, Class, 1);
    *class = (Class){.cli = cli, .args = own(cli)};
    BatchHost host = class_host(class);
    int code = check_words(cli);
    if (code != CLI_FULL_MARKS)
        return code;
    cli->args.untrusted = true;
    cli->args.device = class->args->on_gpu ? DEVICE_GPU : DEVICE_VM;
    BatchRequest request = request_of(cli);
    return class->args->task
               ? batch_run_task(&host, &request, class->args->task)
               : grade_class(class, &host, &request);
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
     args_take_number, OWN(BatchArgs, jobs), .most = MOST_JOBS,
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
