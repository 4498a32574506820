// SPDX-License-Identifier: Apache-2.0
// The child of clclab batch that grades one submission: a grade for each seed,
// the report for the student, and, last, the record. The files of a submission
// are replaced one by one; its record fits to them only when all are there.
#include "cli/batch.h"
#include "cli/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Graded { // with one seed
    Str result, report; // JSON, text
    double score, most;
    Str check, code; // of the first failure
} Graded;

// ---- a grade -------------------------------------------------------------

// The first check that failed. (What could not be judged is no result.)
static void find_cause(Arena *arena, Graded *graded) {
    uint64_t count = 0;
    json_find_number(arena, graded->result, "checks.#", &count);
    for (uint64_t i = 0; i < count; i++) {
        const char *status =
            str_format(arena, "checks.%llu.status", (unsigned long long)i).ptr;
        if (!str_equal(json_find_text(arena, graded->result, status),
                       STR("fail")))
            continue;
        graded->check = json_find_text(
            arena, graded->result,
            str_format(arena, "checks.%llu.id", (unsigned long long)i).ptr);
        graded->code = json_find_text(
            arena, graded->result,
            str_format(arena, "checks.%llu.cause.code", (unsigned long long)i)
                .ptr);
        return;
    }
}

static bool read_points(Arena *arena, Graded *graded) {
    Str score, most;
    if (!json_find(arena, graded->result, "score", &score) ||
        !json_find(arena, graded->result, "max_score", &most))
        return false;
    graded->score = strtod(str_cstring(arena, score), NULL);
    graded->most = strtod(str_cstring(arena, most), NULL);
    return graded->most > 0;
}

static int grade_with(Batch *batch, uint64_t seed, Graded *graded) {
    Cli *cli = batch->cli;
    GradeArgs grade = {
        .schedule = {.seed = seed,
                     .schedules = batch->args->schedule.schedules,
                     .no_time = true},
        .jobs = 1, // the processors have other submissions
        .tells_student = true,
        .student_feedback = batch->args->feedback};
    GradeEnd end;
    Buf out = {0};
    cli->args.own = &grade;
    int code = grade_report(cli, &end, &out);
    *graded = (Graded){.result = str_copy(&cli->arena, buf_view(&out)),
                       .report = end.text};
    buf_free(&out);
    if (code != CLI_FULL_MARKS && code != CLI_BELOW)
        return code;
    if (!read_points(&cli->arena, graded))
        return output_error(cli, CLI_OURS, "the grade has no points");
    find_cause(&cli->arena, graded);
    return code;
}

static int grade_quiz(Batch *batch, Graded *graded) {
    QuizGrade grade;
    int code = quiz_grade_file(batch->cli, &grade);
    if (code == CLI_FULL_MARKS)
        *graded = (Graded){.result = grade.json,
                           .report = grade.text,
                           .score = grade.points,
                           .most = grade.most,
                           .check = grade.first_wrong};
    return code;
}

// ---- all seeds -----------------------------------------------------------

// The grade with the fewest points: it is the one that the student is shown.
static size_t worst_of(const Graded *graded, size_t count) {
    size_t worst = 0;
    for (size_t k = 1; k < count; k++)
        if (graded[k].score < graded[worst].score)
            worst = k;
    return worst;
}

static void add_points(const Batch *batch, const Graded *graded,
                       BatchRow *row) {
    const Graded *worst = &graded[worst_of(graded, row->seed_count)];
    double sum = 0;
    for (size_t k = 0; k < row->seed_count; k++)
        sum += graded[k].score;
    row->status = BATCH_GRADED;
    row->why = (Str){0};
    row->score =
        batch->lab.seeds_mean ? sum / (double)row->seed_count : worst->score;
    row->most = worst->most;
    row->check = worst->check;
    row->code = worst->code;
}

static int write_files(Batch *batch, const Graded *graded, BatchRow *row) {
    Arena *arena = &batch->cli->arena;
    Str report = graded[worst_of(graded, row->seed_count)].report;
    int code = CLI_FULL_MARKS;
    for (size_t k = 0; k < row->seed_count && code == CLI_FULL_MARKS; k++) {
        const char *path =
            k ? batch_path(batch, "results-%zu/%.*s.json", k + 1,
                           STR_ARG(row->id))
              : batch_path(batch, "results/%.*s.json", STR_ARG(row->id));
        row->results[k] = hash_sha256(arena, graded[k].result);
        code = batch_write(batch, path, graded[k].result);
    }
    row->report = hash_sha256(arena, report);
    if (code == CLI_FULL_MARKS)
        code = batch_write(
            batch, batch_path(batch, "reports/%.*s.txt", STR_ARG(row->id)),
            report);
    return code;
}

static int write_record(Batch *batch, const BatchRow *row) {
    Buf out = {0};
    report_batch_record(row, &out);
    int code = batch_write(
        batch, batch_path(batch, "records/%.*s.json", STR_ARG(row->id)),
        buf_view(&out));
    buf_free(&out);
    return code;
}

// The file is graded from its folder, under the name that the student gave it:
// reports name it so.
static int enter_folder(Batch *batch, const BatchRow *row) {
    const char *folder =
        batch_path(batch, "submissions/%.*s", STR_ARG(row->id));
    Cli *cli = batch->cli;
    if (chdir(folder) != 0)
        return output_error(cli, CLI_OURS, "%s: %s", folder, strerror(errno));
    cli->args.words[0] = batch->lab.folder.ptr;
    cli->args.words[1] = str_cstring(&cli->arena, row->file);
    cli->args.word_count = 2;
    cli->args.format = "json";
    cli->args.out = NULL;
    return CLI_FULL_MARKS;
}

int batch_grade(Batch *batch, size_t i) {
    BatchRow *row = &batch->rows[i];
    Graded graded[BATCH_MOST_SEEDS];
    double start = shared_now_ms();
    int code = enter_folder(batch, row);
    if (code != CLI_FULL_MARKS)
        return code;
    for (size_t k = 0; k < row->seed_count; k++) {
        code = batch->args->is_quiz
                   ? grade_quiz(batch, &graded[k])
                   : grade_with(batch, row->seeds[k], &graded[k]);
        if (code != CLI_FULL_MARKS && code != CLI_BELOW)
            return code;
    }
    row->seconds = (shared_now_ms() - start) / 1000;
    add_points(batch, graded, row);
    code = write_files(batch, graded, row);
    return code == CLI_FULL_MARKS ? write_record(batch, row) : code;
}
