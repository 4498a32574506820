// SPDX-License-Identifier: Apache-2.0
// The functions that the engine of a batch calls: read class_host, at the end.
#include "cli/batch.h"
#include "cli/grade.h"
#include "cli/quiz.h"

#include <unistd.h>

// ---- one grade -----------------------------------------------------------

static int grade_lab(const Class *class, uint64_t seed, BatchGrade *made) {
    Cli *cli = class->cli;
    GradeArgs grade = {
        .schedule = {.seed = seed,
                     .schedules = class->args->schedule.schedules,
                     .no_time = true},
        .jobs = 1, // the processors have other submissions
        .tells_student = true,
        .student_feedback = class->args->feedback};
    GradeEnd end;
    Buf out = {0};
    cli->args.own = &grade;
    int code = grade_report(cli, &end, &out);
    *made = (BatchGrade){.summary = end.summary,
                         .result = str_copy(&cli->arena, buf_view(&out)),
                         .report = end.text};
    buf_free(&out);
    return code;
}

static int grade_quiz(const Class *class, BatchGrade *made) {
    QuizGrade grade;
    int code = quiz_grade_file(class->cli, &grade);
    if (code != CLI_FULL_MARKS)
        return code;
    *made = (BatchGrade){.summary = {.has_score = true,
                                     .score = grade.points,
                                     .most = grade.most},
                         .result = grade.json,
                         .report = grade.text};
    str_fill(made->summary.check, sizeof made->summary.check,
             grade.first_wrong);
    return CLI_FULL_MARKS;
}

static int grade(void *context, Str file, uint64_t seed, BatchGrade *made) {
    const Class *class = context;
    Cli *cli = class->cli;
    cli->never_waits = true; // the first that needs the full headers makes them
    cli->args.words[0] = class->lab.folder.ptr;
    cli->args.words[1] = str_cstring(&cli->arena, file);
    cli->args.word_count = 2;
    cli->args.format = "json";
    cli->args.out = NULL;
    return class->args->is_quiz ? grade_quiz(class, made)
                                : grade_lab(class, seed, made);
}

// ---- the tables ----------------------------------------------------------

static void tables(void *context, const BatchTally *tally,
                   BatchTables *tables) {
    const Class *class = context;
    const BatchArgs *args = class->args;
    Str title = str_format(&class->cli->arena, "%s %u: %.*s",
                           args->is_quiz ? "Quiz" : "Lab", class->lab.number,
                           STR_ARG(class->lab.title));
    report_batch_csv(tally, (ReportGradebook)args->gradebook,
                     args->column ? str_from(args->column) : title,
                     &tables->csv);
    report_batch_html(tally, title, &tables->html);
    report_batch_text(tally, title, (ReportStyle){.width = 80}, &tables->text);
    report_batch_text(tally, title, shared_style(class->cli), &tables->shown);
    buf_printf(&tables->shown, "\nThe points are in %s/grades.csv.\n",
               class->cli->args.out);
}

// ---- a task of a cluster -------------------------------------------------

// What a grade depends on; seeds are in the plan.
static void add_grade_options(const Class *class, Arena *arena,
                              BatchWords *words) {
    static const char *const feedback[] = {[FEEDBACK_FULL] = "full",
                                           [FEEDBACK_POINTS] = "points",
                                           [FEEDBACK_STUDENT] = "student"};
    const Args *args = &class->cli->args;
    const BatchArgs *own = class->args;
    Str schedules =
        str_format(arena, "%llu", (unsigned long long)own->schedule.schedules);
    batch_add_word(arena, words, "--schedules");
    batch_add_word(arena, words, schedules.ptr);
    batch_add_word(arena, words, "--feedback");
    batch_add_word(arena, words, feedback[own->feedback]);
    batch_add_word(arena, words, "--gpu-model");
    batch_add_word(arena, words, args->gpu_model);
    if (args->compiler != COMPILER_ANY) {
        batch_add_word(arena, words, "--compiler");
        batch_add_word(arena, words,
                       args->compiler == COMPILER_NVCC ? "nvcc" : "nvrtc");
    }
    for (size_t i = 0; i < args->flags.count; i++) {
        batch_add_word(arena, words, "--compile-flag");
        batch_add_word(arena, words, args->flags.items[i]);
    }
    if (own->on_gpu) {
        batch_add_word(arena, words, "--device");
        batch_add_word(arena, words, "gpu");
    }
    if (args->allow_weak)
        batch_add_word(arena, words, "--allow-weak-sandbox");
}

static void command(void *context, Str out, Str array, Arena *arena,
                    BatchWords *words) {
    const Class *class = context;
    const Args *args = &class->cli->args;
    uint64_t jobs = class->args->jobs ? class->args->jobs : 1;
    batch_add_word(arena, words, class->cli->program);
    batch_add_word(arena, words, "batch");
    batch_add_word(arena, words, str_cstring(arena, class->lab.folder));
    batch_add_word(arena, words, "--out");
    batch_add_word(arena, words, str_cstring(arena, out));
    batch_add_word(arena, words, "--task");
    batch_add_word(arena, words, str_cstring(arena, array));
    batch_add_word(arena, words, "--jobs");
    batch_add_word(arena, words,
                   str_format(arena, "%llu", (unsigned long long)jobs).ptr);
    add_grade_options(class, arena, words);
    if (args->root) {
        batch_add_word(arena, words, "--root");
        batch_add_word(arena, words, args->root);
    }
    if (args->labs) {
        batch_add_word(arena, words, "--labs");
        batch_add_word(arena, words, args->labs);
    }
}

static int prepare(void *context, BatchRequest *request, Str *why) {
    Class *class = context;
    int code = untrusted_check(class->cli);
    if (code == CLI_FULL_MARKS)
        code = class_find_lab(class, request);
    *why = class->cli->said;
    return code;
}

// ---- what is said --------------------------------------------------------

static void say(void *context, Str what) {
    const Class *class = context;
    output_error(class->cli, CLI_OURS, "%.*s", STR_ARG(what));
}

static void explain(void *context, const Diags *diags, Str source) {
    const Class *class = context;
    output_diags(class->cli, diags, source);
}

static int print(void *context, Str text) {
    const Class *class = context;
    return output_stdout(class->cli, text);
}

static void add_left(const BatchProgress *progress, Buf *line) {
    size_t left_over = progress->count - progress->done;
    double spent = clock_ms() - progress->start;
    double left = spent / (double)progress->done * (double)left_over / 1000;
    if (progress->done < 5 || left_over == 0)
        return;
    if (left >= 90)
        buf_printf(line, ", about %.0f min left", left / 60);
    else
        buf_printf(line, ", about %.0f s left", left);
}

// A line that is replaced on a terminal; elsewhere a line each half minute.
static void tell(void *context, const BatchProgress *progress, Str more,
                 bool is_last) {
    enum { TERMINAL_MS = 200, ELSEWHERE_MS = 30000 };
    Class *class = context;
    bool terminal = isatty(STDERR_FILENO);
    double now = clock_ms();
    double told = class->told < progress->start ? progress->start : class->told;
    Buf line = {0};
    if (now - told < (terminal ? TERMINAL_MS : ELSEWHERE_MS) && !is_last)
        return;
    if (is_last && !terminal)
        return;
    class->told = now;
    buf_printf(&line, "%s%zu of %zu graded",
               terminal ? "\r" : "batch: ", progress->done, progress->count);
    add_left(progress, &line);
    buf_str(&line, more);
    buf_str(&line, terminal ? STR("   ") : STR("\n"));
    if (is_last)
        buf_byte(&line, '\n');
    output_write(STDERR_FILENO, buf_view(&line));
    buf_free(&line);
}

BatchHost class_host(Class *class) {
    return (BatchHost){.context = class,
                       .grade = grade,
                       .tables = tables,
                       .command = command,
                       .prepare = prepare,
                       .say = say,
                       .explain = explain,
                       .print = print,
                       .progress = tell};
}
