// SPDX-License-Identifier: Apache-2.0
// clclab verify: whether a result that was kept would be the same today. It
// compares the hashes that the result holds with those of today, then grades
// the file again as it was graded then, and compares what came out. The result
// is a file like any other: it may be damaged, or forged.
#include "cli/grade.h"
#include "cli/kept.h"
#include "cli/options.h"

#include <string.h>

enum {
    MOST_RESULT = 16 << 20, // bytes
    MOST_SHOWN = 80,        // bytes of a value
    MOST_GUARDS = 8,        // of a sandbox: a result may claim any number
};

typedef struct Verify {
    Cli *cli;
    const char *path; // of the result
    Str then, now;    // the result that was kept, that of today: valid JSON
    GradeArgs grade;  // how both were made
    Buf out;
    bool differs;
} Verify;

// ---- reading the result --------------------------------------------------

// Fills in the options of a grade from the result.
static void set_options(Verify *verify, const Kept *kept) {
    Args *args = &verify->cli->args;
    verify->then = kept->json;
    verify->grade = (GradeArgs){.schedule = {.seed = kept->seed,
                                             .schedules = kept->schedules,
                                             .no_time = true}};
    args->words[0] =
        str_format(&verify->cli->arena, "%llu", (unsigned long long)kept->lab)
            .ptr;
    args->gpu_model = kept->gpu_model;
    args->untrusted = args->untrusted || kept->untrusted;
    args->flags = kept->flags;
    args->own = &verify->grade;
    args->format = "json";
    args->device = DEVICE_VM;
}

static int read_result(Verify *verify) {
    Cli *cli = verify->cli;
    Str text, error = {0};
    Kept kept;
    switch (file_read(&cli->arena, verify->path, MOST_RESULT, &text, &error)) {
    case FILE_READ:
        error = kept_read(&cli->arena, text, &kept);
        break;
    case FILE_TOO_LARGE:
        error = STR("it is larger than 16 MiB");
        break;
    case FILE_UNREADABLE:
        break;
    }
    if (error.len)
        return output_error(cli, CLI_USAGE, "%s: %.*s", verify->path,
                            STR_ARG(error));
    set_options(verify, &kept);
    return CLI_FULL_MARKS;
}

// ---- what changed --------------------------------------------------------

// The first bytes of each, which whoever forged the result may have chosen.
static void add_both(Verify *verify, Str then, Str now, size_t most) {
    buf_str(&verify->out, STR(": "));
    utf8_escape(str_slice(then, 0, most), &verify->out);
    buf_str(&verify->out, STR(" then, "));
    utf8_escape(str_slice(now, 0, most), &verify->out);
    buf_str(&verify->out, STR(" now"));
}

// `most`: bytes of each that are shown.
static void say_both(Verify *verify, const char *name, Str then, Str now,
                     size_t most) {
    bool same = str_equal(then, now);
    buf_printf(&verify->out, "  %-12s %s", name, same ? "the same" : "changed");
    if (!same)
        add_both(verify, then.len ? then : STR("unknown"),
                 now.len ? now : STR("unknown"), most);
    buf_byte(&verify->out, '\n');
}

static void say(Verify *verify, const char *name, const char *member) {
    say_both(verify, name,
             json_find_text(&verify->cli->arena, verify->then, member),
             json_find_text(&verify->cli->arena, verify->now, member), 16);
}

static void add_guards(Verify *verify, Str result, const char *who, Buf *out) {
    Arena *arena = &verify->cli->arena;
    uint64_t count = 0;
    Str path = str_format(arena, "provenance.sandbox.%s.#", who);
    json_find_number(arena, result, path.ptr, &count);
    buf_printf(out, "%s%s", out->len ? "; " : "", who);
    for (uint64_t i = 0; i < count && i < MOST_GUARDS; i++) {
        path = str_format(arena, "provenance.sandbox.%s.%llu", who,
                          (unsigned long long)i);
        Str name = json_find_text(arena, result, path.ptr);
        buf_printf(out, "%s %.*s", i ? "," : "", STR_ARG(name));
    }
    if (count == 0)
        buf_str(out, STR(" no guards"));
}

// "compiler landlock 7, seccomp; judge seccomp"; empty: not known.
static Str sandbox_of(Verify *verify, Str result) {
    Buf out = {0};
    Str object;
    Arena *arena = &verify->cli->arena;
    if (!json_find(arena, result, "provenance.sandbox", &object))
        return (Str){0};
    add_guards(verify, result, "compiler", &out);
    add_guards(verify, result, "judge", &out);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// Compares one value of both results, as JSON.
static void compare_value(Verify *verify, Str name, const char *member) {
    Arena *arena = &verify->cli->arena;
    Str then = STR("none"), now = STR("none");
    json_find(arena, verify->then, member, &then);
    json_find(arena, verify->now, member, &now);
    if (str_equal(then, now))
        return;
    verify->differs = true;
    buf_printf(&verify->out, "  %.*s", STR_ARG(name));
    add_both(verify, then, now, MOST_SHOWN);
    buf_byte(&verify->out, '\n');
}

static void compare_outcome(Verify *verify) {
    Arena *arena = &verify->cli->arena;
    uint64_t count = 0;
    Str score = {0}, most = {0};
    buf_printf(&verify->out, "graded again\n");
    json_find_number(arena, verify->now, "checks.#", &count);
    for (uint64_t i = 0; i < count; i++) {
        Str path = str_format(arena, "checks.%llu.id", (unsigned long long)i);
        Str id = json_find_text(arena, verify->now, path.ptr);
        path = str_format(arena, "checks.%.*s.status", STR_ARG(id));
        compare_value(verify, id, path.ptr);
    }
    compare_value(verify, STR("score"), "score");
    json_find(arena, verify->now, "score", &score);
    json_find(arena, verify->now, "max_score", &most);
    if (!verify->differs && str_equal(score, STR("null")))
        buf_printf(&verify->out, "  the same: no score\n");
    else if (!verify->differs)
        buf_printf(&verify->out, "  the same: %.*s of %.*s points\n",
                   STR_ARG(score), STR_ARG(most));
}

// ---- the command ---------------------------------------------------------

// `code`: of the grade of today.
static int compare(Verify *verify, int code) {
    static const char file[] = "provenance.submission_sha256";
    bool is_file =
        str_equal(json_find_text(&verify->cli->arena, verify->then, file),
                  json_find_text(&verify->cli->arena, verify->now, file));
    utf8_escape(str_from(verify->path), &verify->out);
    buf_printf(&verify->out, ", lab %s, seed %llu\n",
               verify->cli->args.words[0],
               (unsigned long long)verify->grade.schedule.seed);
    say(verify, "file", file);
    say(verify, "lab.conf", "provenance.lab_conf_sha256");
    say(verify, "lab.h", "provenance.lab_h_sha256");
    say(verify, "reference", "provenance.reference_sha256");
    say(verify, "grader", "provenance.grader_sha256");
    say(verify, "compiler", "environment.compiler");
    say_both(verify, "sandbox", sandbox_of(verify, verify->then),
             sandbox_of(verify, verify->now), MOST_SHOWN);
    if (is_file)
        compare_outcome(verify);
    else
        buf_printf(&verify->out, "This is not the file that was graded.\n");
    int written = output_stdout(verify->cli, buf_view(&verify->out));
    if (written != CLI_FULL_MARKS)
        return written;
    if (is_file && code != CLI_FULL_MARKS && code != CLI_BELOW)
        return code; // it may go well next time
    return is_file && !verify->differs ? CLI_FULL_MARKS : CLI_BELOW;
}

static int verify_command(Cli *cli) {
    Verify verify = {.cli = cli, .path = cli->args.words[0]};
    Buf report = {0};
    GradeEnd end;
    size_t at;
    const char *error;
    int code = read_result(&verify);
    if (code != CLI_FULL_MARKS)
        return code;
    code = grade_report(cli, &end, &report);
    if (json_check(buf_view(&report), &verify.now, &at, &error))
        code = compare(&verify, code);
    buf_free(&report);
    buf_free(&verify.out);
    return code;
}

static const Option OPTIONS[] = {OPTIONS_OF_STRANGERS, OPTION_COMPILER,
                                 OPTION_ROOT, OPTION_LABS, OPTIONS_OF_ALL};

const CliCommand VERIFY_COMMAND = {
    .name = "verify",
    .summary = "Tell whether a kept result would be the same",
    .example = "clclab verify report.json mine.cu",
    .words = "RESULT FILE",
    .least_words = 2,
    .most_words = 2,
    .more = "RESULT is a report of clclab grade --format json, FILE the "
            "submission. It says what has\nchanged since (the file, the lab, "
            "the grader, the compiler), grades the file again with the\n"
            "same seed, and exits with 0 if each check and the score are the "
            "same, else with 1.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_GRADE,
    .run = verify_command,
};
