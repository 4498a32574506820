// SPDX-License-Identifier: Apache-2.0
// clclab verify: whether a result that was kept would be the same today. It
// compares the hashes that the result holds with those of today, then grades
// the file again as it was graded then, and compares what came out. The result
// is a file like any other: it may be damaged, or forged.
#include "cli/grade.h"
#include "cli/options.h"

#include <string.h>

enum { MOST_RESULT = 16 << 20 }; // bytes

typedef struct Verify {
    Cli *cli;
    const char *path; // of the result
    Str then, now;    // the result that was kept, that of today: valid JSON
    GradeArgs grade;  // how both were made
    Buf out;
    bool differs;
} Verify;

// ---- reading the result --------------------------------------------------

static int refuse(const Verify *verify, const char *what) {
    return output_error(verify->cli, CLI_USAGE, "%s: %s", verify->path, what);
}

static Str text_of(Verify *verify, Str result, const char *member) {
    Str value, text;
    Arena *arena = &verify->cli->arena;
    if (!json_find(arena, result, member, &value) ||
        !json_string_value(arena, value, &text))
        return (Str){0};
    return text;
}

static bool number_of(Verify *verify, Str result, const char *member,
                      uint64_t *number) {
    Str value;
    return json_find(&verify->cli->arena, result, member, &value) &&
           str_to_u64(value, number);
}

static int read_result(Verify *verify) {
    Cli *cli = verify->cli;
    Str text, why;
    size_t at;
    const char *error;
    switch (file_read(&cli->arena, verify->path, MOST_RESULT, &text, &why)) {
    case FILE_READ:
        break;
    case FILE_TOO_LARGE:
        return refuse(verify, "it is larger than 16 MiB");
    case FILE_UNREADABLE:
        return output_error(cli, CLI_USAGE, "%s: %.*s", verify->path,
                            STR_ARG(why));
    }
    if (!json_check(text, &verify->then, &at, &error))
        return output_error(cli, CLI_USAGE, "%s: byte %zu: not JSON: %s",
                            verify->path, at, error);
    if (!str_equal(text_of(verify, verify->then, "schema"),
                   STR("clclab/result/v1")))
        return refuse(verify, "it is no result of clclab grade --format json");
    if (text_of(verify, verify->then, "provenance.submission_sha256").len == 0)
        return refuse(verify, "it does not say what it was made of: an older "
                              "clclab wrote it");
    return CLI_FULL_MARKS;
}

// ---- grading as then -----------------------------------------------------

static int add_flags(Verify *verify, Args *args) {
    Cli *cli = verify->cli;
    uint64_t count = 0;
    Str value, flag;
    number_of(verify, verify->then, "provenance.compile_flags.#", &count);
    if (count > CLI_MAX_FLAGS)
        return refuse(verify, "it has too many compile_flags");
    for (uint64_t i = 0; i < count; i++) {
        Str path = str_format(&cli->arena, "provenance.compile_flags.%llu",
                              (unsigned long long)i);
        if (!json_find(&cli->arena, verify->then, path.ptr, &value) ||
            !json_string_value(&cli->arena, value, &flag))
            return refuse(verify, "its compile_flags are no texts");
        args->flags.items[args->flags.count++] = str_cstring(&cli->arena, flag);
    }
    return CLI_FULL_MARKS;
}

// Fills in the options of a grade from the result.
static int set_options(Verify *verify) {
    Cli *cli = verify->cli;
    Args *args = &cli->args;
    GradeArgs *grade = &verify->grade;
    uint64_t lab;
    Str whole = {0};
    json_find(&cli->arena, verify->then, "provenance.whole", &whole);
    if (!str_equal(whole, STR("true")))
        return refuse(verify, "it is of one schedule alone, and so no grade");
    Str seed;
    if (json_find(&cli->arena, verify->then, "seed", &seed) &&
        str_equal(seed, STR("null")))
        return refuse(verify, "its seed was left out, with --feedback: verify "
                              "takes full results");
    *grade = (GradeArgs){.schedule.no_time = true};
    if (!number_of(verify, verify->then, "lab", &lab) ||
        !number_of(verify, verify->then, "seed", &grade->schedule.seed) ||
        !number_of(verify, verify->then, "schedules",
                   &grade->schedule.schedules) ||
        grade->schedule.schedules > CLI_MAX_SCHEDULES)
        return refuse(verify, "its lab, seed or schedules are no such numbers");
    args->words[0] =
        str_format(&cli->arena, "%llu", (unsigned long long)lab).ptr;
    args->gpu_model =
        str_cstring(&cli->arena, text_of(verify, verify->then, "gpu_model"));
    Str untrusted = {0};
    json_find(&cli->arena, verify->then, "provenance.sandbox.untrusted",
              &untrusted);
    args->untrusted = args->untrusted || str_equal(untrusted, STR("true"));
    args->own = grade;
    args->format = "json";
    args->device = DEVICE_VM;
    return add_flags(verify, args);
}

// ---- what changed --------------------------------------------------------

// `most`: bytes of each that are shown.
static void say_both(Verify *verify, const char *name, Str then, Str now,
                     size_t most) {
    bool same = str_equal(then, now);
    buf_printf(&verify->out, "  %-12s %s", name, same ? "the same" : "changed");
    if (!same)
        buf_printf(
            &verify->out, ": %.*s then, %.*s now",
            STR_ARG(then.len ? str_slice(then, 0, most) : STR("unknown")),
            STR_ARG(now.len ? str_slice(now, 0, most) : STR("unknown")));
    buf_byte(&verify->out, '\n');
}

static void say(Verify *verify, const char *name, const char *member) {
    say_both(verify, name, text_of(verify, verify->then, member),
             text_of(verify, verify->now, member), 16);
}

static void add_guards(Verify *verify, Str result, const char *who, Buf *out) {
    Arena *arena = &verify->cli->arena;
    uint64_t count = 0;
    Str path = str_format(arena, "provenance.sandbox.%s.#", who);
    number_of(verify, result, path.ptr, &count);
    buf_printf(out, "%s%s", out->len ? "; " : "", who);
    for (uint64_t i = 0; i < count; i++) {
        path = str_format(arena, "provenance.sandbox.%s.%llu", who,
                          (unsigned long long)i);
        Str name = text_of(verify, result, path.ptr);
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
    buf_printf(&verify->out, "  %.*s: %.*s then, %.*s now\n", STR_ARG(name),
               STR_ARG(then), STR_ARG(now));
}

static void compare_outcome(Verify *verify) {
    Arena *arena = &verify->cli->arena;
    uint64_t count = 0;
    Str score = {0}, most = {0};
    buf_printf(&verify->out, "graded again\n");
    number_of(verify, verify->now, "checks.#", &count);
    for (uint64_t i = 0; i < count; i++) {
        Str path = str_format(arena, "checks.%llu.id", (unsigned long long)i);
        Str id = text_of(verify, verify->now, path.ptr);
        path = str_format(arena, "checks.%.*s.status", STR_ARG(id));
        compare_value(verify, id, path.ptr);
    }
    compare_value(verify, STR("score"), "score");
    json_find(arena, verify->now, "score", &score);
    json_find(arena, verify->now, "max_score", &most);
    if (!verify->differs)
        buf_printf(&verify->out, "  the same: %.*s of %.*s points\n",
                   STR_ARG(score), STR_ARG(most));
}

// ---- the command ---------------------------------------------------------

// `code`: of the grade of today.
static int compare(Verify *verify, int code) {
    static const char file[] = "provenance.submission_sha256";
    bool is_file = str_equal(text_of(verify, verify->then, file),
                             text_of(verify, verify->now, file));
    buf_printf(&verify->out, "%s, lab %s, seed %llu\n", verify->path,
               verify->cli->args.words[0],
               (unsigned long long)verify->grade.schedule.seed);
    say(verify, "file", file);
    say(verify, "lab.conf", "provenance.lab_conf_sha256");
    say(verify, "lab.h", "provenance.lab_h_sha256");
    say(verify, "reference", "provenance.reference_sha256");
    say(verify, "grader", "provenance.grader_sha256");
    say(verify, "compiler", "environment.compiler");
    say_both(verify, "sandbox", sandbox_of(verify, verify->then),
             sandbox_of(verify, verify->now), 80);
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
    size_t at;
    const char *error;
    int code = read_result(&verify);
    if (code == CLI_FULL_MARKS)
        code = set_options(&verify);
    if (code != CLI_FULL_MARKS)
        return code;
    code = grade_report(cli, &report);
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
