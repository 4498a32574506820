// SPDX-License-Identifier: Apache-2.0
// Notes what a grade is made of: hashes of the file and of what it is judged
// by. clclab verify compares them with those of today.
#include "cli/grade.h"

// The hash of a file of the course; empty if it cannot be read.
static Str hash_file(Cli *cli, Str path) {
    Str text = {0}, why;
    if (file_read(&cli->arena, path.ptr, CLI_MAX_SOURCE, &text, &why))
        return (Str){0};
    return hash_sha256(&cli->arena, text);
}

static const Str *list_flags(Cli *cli) {
    const CliValues *flags = &cli->args.flags;
    Str *list = arena_new(&cli->arena, Str, flags->count + 1);
    for (size_t i = 0; i < flags->count; i++)
        list[i] = str_from(flags->items[i]);
    return list;
}

Provenance provenance_of(Cli *cli, const Course *course, const Lab *lab,
                         const Build *build) {
    Arena *arena = &cli->arena;
    const GradeArgs *args = cli->args.own;
    const LabEntry *entry = course_find_entry(lab->folder);
    return (Provenance){
        .submission = hash_sha256(arena, build->submission.source),
        .lab = hash_file(cli, str_format(arena, "%.*s/%.*s/lab.conf",
                                         STR_ARG(course->labs),
                                         STR_ARG(lab->folder))),
        .header = hash_file(
            cli, str_format(arena, "%.*s/lab.h", STR_ARG(course->common))),
        .reference = str_from(entry->reference_sha256),
        .grader = str_from(grader_sha256),
        .course = course->given ? course->labs : STR(""),
        .is_seed_given = args->schedule.seed != CLI_DEFAULT_SEED,
        .is_whole = !args->schedule.only.given,
        .flags = list_flags(cli),
        .flag_count = cli->args.flags.count,
        .sandbox = {.compiler = build->guards,
                    .untrusted = cli->args.untrusted,
                    .allow_weak = cli->args.allow_weak},
    };
}
