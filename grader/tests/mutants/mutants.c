// SPDX-License-Identifier: Apache-2.0
// Tests the checker by mutation: makes small mistakes in the PTX of right
// kernels; grading must take marks off for each of them. Prints a table.
//
//   mutants [OPTION...] FILE.cu...
//     --survivors FILE  mutants that are right programs, and why
//     --sample N        every N-th mutant (by its name: the same ones always)
//     --part K          with --sample: its K-th part, of N (default: 0)
//     --only TEXT       those with TEXT in their names
//     --draw N          N mistakes, drawn by --seed S (default: 1)
//     --in-regions      those in what the learner writes
//     --jobs N          processes at a time (default: one a processor)
//     --out FILE        every mutant and what came of it
//     --schedules N     of each grading (default: 64)
//     --reports FOLDER  writes two reports of each that is caught: NAME.json
//     and,
//                       with the first edit that is told, NAME.obeyed
//     --ptx FOLDER      writes their PTX there instead of judging them
//
// FILE.cu is a submission, solutions/03-.../NAME.cu or .../lab3-NAME.cu. Fails
// where a mutant survives that is not listed, where a listed one is caught or
// not there, and where fewer than 97% are caught of those that are not listed.
#include "tests/mutants/mutants.h"
#include "cli/grade.h"
#include "compile/compile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_PERCENT = 97, MOST_KERNELS = 256 };

typedef struct Options {
    const char *survivors, *only, *out, *ptx, *reports;
    uint64_t sample, part, jobs, draw, seed, schedules;
    bool in_regions;
    const char **files;
    int file_count;
} Options;

typedef struct Totals { // of mistakes, but for safe and tripped
    size_t mutants, caught, equivalent, survivors, invalid;
    size_t safe, tripped; // changes that are none; of them below full marks
} Totals;

// ---- kernels -------------------------------------------------------------

static Str base_name(Str path) {
    while (str_find(path, '/') < path.len)
        str_cut(&path, '/');
    return str_slice(path, 0, path.len - strlen(".cu"));
}

// "3" of solutions/03-block-clc/block_clc.cu and of .../lab3-inline.cu.
static const char *lab_of(Arena *arena, Str path) {
    Str rest = path, name = base_name(path);
    str_cut(&rest, '/');
    Str lab = str_slice(name, 3, name.len);
    Str number = str_starts(path, STR("solutions/")) ? str_slice(rest, 0, 2)
                                                     : str_cut(&lab, '-');
    while (str_starts(number, STR("0")))
        number = str_slice(number, 1, number.len);
    return str_cstring(arena, number);
}

static bool read_kernel(Cli *cli, const char *file, Kernel *kernel) {
    Str path = str_from(file);
    Course course;
    int code;
    if (!course_find(cli, &course, &code) ||
        course_lab(cli, &course, lab_of(&cli->arena, path), &kernel->lab) ||
        submission_build(cli, &course, &kernel->lab, path, &kernel->build))
        return false;
    const PtxModule *module = kernel->build.submission.module;
    kernel->name = base_name(path);
    // Lines are looked up by the name of the submission's own file.
    kernel->lab.file =
        str_format(&cli->arena, "%.*s.cu", STR_ARG(kernel->name));
    PtxFunc *func = module ? ptx_find_func(module, kernel->lab.kernel) : NULL;
    if (!func) {
        fprintf(stderr, "mutants: %s: no kernel\n", file);
        return false;
    }
    kernel->funcs[kernel->func_count++] = func;
    func = ptx_find_func(module, STR("clclab_launch_plan"));
    if (func)
        kernel->funcs[kernel->func_count++] = func;
    return true;
}

// ---- the table -----------------------------------------------------------

static bool is_tripped(const Outcome *outcome) {
    return outcome->kind != OUTCOME_SURVIVED || outcome->advisory;
}

static void count(const Mutant *mutant, const Outcome *outcome,
                  const Survivor *listed, Totals *totals) {
    if (outcome->kind == OUTCOME_INVALID || outcome->kind == OUTCOME_NONE) {
        totals->invalid++;
        return;
    }
    if (mutant->safe) {
        totals->safe++;
        totals->tripped += is_tripped(outcome);
        return;
    }
    totals->mutants++;
    if (outcome->kind == OUTCOME_CAUGHT)
        totals->caught++;
    else if (listed && !listed->missed)
        totals->equivalent++;
    else
        totals->survivors++;
}

typedef struct Judged { // what the tables are made of
    const Mutants *mutants;
    const bool *chosen;
    const Outcome *outcomes;
    Survivors *survivors;
} Judged;

// Of one operator, of one kernel; NULL: of all.
static Totals total(const Judged *judged, const Operator *change,
                    const Kernel *kernel) {
    Totals totals = {0};
    for (size_t i = 0; i < judged->mutants->count; i++) {
        const Mutant *mutant = &judged->mutants->items[i];
        if (judged->chosen[i] && (!change || mutant->change == change) &&
            (!kernel || mutant->kernel == kernel))
            count(mutant, &judged->outcomes[i],
                  survivors_find(judged->survivors, mutant->id), &totals);
    }
    return totals;
}

static void print_heading(const char *what) {
    printf("%-26s %7s %7s %11s %10s\n", what, "mutants", "caught", "equivalent",
           "survivors");
}

static void print_row(const char *name, const Totals *totals) {
    if (totals->mutants)
        printf("%-26s %7zu %7zu %11zu %10zu\n", name, totals->mutants,
               totals->caught, totals->equivalent, totals->survivors);
}

static double percent(size_t part, size_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_safe(const Judged *judged) {
    printf("%-26s %8s %10s %8s\n", "change that is right", "programs",
           "full marks", "tripped");
    for (size_t number = safe_operators(); number < operator_count();
         number++) {
        const Operator *change = operator_number(number);
        Totals row = total(judged, change, NULL);
        if (row.safe)
            printf("%-26s %8zu %10zu %8zu\n", change->name, row.safe,
                   row.safe - row.tripped, row.tripped);
    }
    printf("\n");
}

static Totals print_tables(Arena *arena, const Judged *judged) {
    Totals all = total(judged, NULL, NULL);
    print_heading("operator");
    for (size_t number = 0; number < safe_operators(); number++) {
        const Operator *change = operator_number(number);
        Totals row = total(judged, change, NULL);
        print_row(change->name, &row);
    }
    print_row("all", &all);
    printf("\n");
    print_safe(judged);
    print_heading("kernel");
    const Kernel *last = NULL;
    for (size_t i = 0; i < judged->mutants->count; i++) {
        const Kernel *kernel = judged->mutants->items[i].kernel;
        Totals row = total(judged, NULL, kernel);
        if (kernel != last)
            print_row(str_cstring(arena, kernel->name), &row);
        last = kernel;
    }
    printf("\ncaught: %.1f%% of %zu mutants, %.1f%% of the %zu that are not "
           "equivalent\n",
           percent(all.caught, all.mutants), all.mutants,
           percent(all.caught, all.mutants - all.equivalent),
           all.mutants - all.equivalent);
    if (all.invalid)
        printf("%zu more are programs that the virtual machine does not take\n",
               all.invalid);
    return all;
}

// ---- what is wrong -------------------------------------------------------

static void say(const char *what, const Mutant *mutant,
                const Outcome *outcome) {
    printf("%s: %.*s%s%s\n    %.*s\n", what, STR_ARG(mutant->id),
           outcome->code[0] ? ": " : "", outcome->code, STR_ARG(mutant->was));
}

// A fault of the checker with any compiler's PTX.
static const char *fault_of(const Mutant *mutant, const Outcome *outcome) {
    if (outcome->kind == OUTCOME_NONE)
        return "the grader died";
    if (mutant->safe && is_tripped(outcome))
        return "right, but not at full marks without a word";
    return NULL;
}

// A line that the list lacks, or has for nothing.
static const char *listing_of(const Mutant *mutant, const Outcome *outcome,
                              const Survivor *listed) {
    bool survived = outcome->kind == OUTCOME_SURVIVED;
    if (mutant->safe || survived == (listed != NULL))
        return NULL;
    return survived ? "survived"
                    : "listed as a survivor, but not at full marks";
}

// Gives their number; `strict`: those of the list count.
static size_t print_faults(const Judged *judged, bool strict) {
    size_t faults = 0;
    for (size_t i = 0; i < judged->mutants->count; i++) {
        const Mutant *mutant = &judged->mutants->items[i];
        const Outcome *outcome = &judged->outcomes[i];
        Survivor *listed = survivors_find(judged->survivors, mutant->id);
        if (listed)
            listed->seen = true;
        if (!judged->chosen[i])
            continue;
        const char *fault = fault_of(mutant, outcome);
        const char *listing = listing_of(mutant, outcome, listed);
        if (fault || listing)
            say(fault ? fault : listing, mutant, outcome);
        faults += fault || (listing && strict);
    }
    return faults;
}

static bool is_of_kernel(Str id, const Kernel *kernels, int count) {
    Str name = str_cut(&id, '/');
    for (int i = 0; i < count; i++)
        if (str_equal(kernels[i].name, name))
            return true;
    return false;
}

// Of these kernels.
static size_t print_unseen(const Survivors *survivors, const Kernel *kernels,
                           int count) {
    size_t faults = 0;
    for (size_t i = 0; i < survivors->count; i++)
        if (!survivors->items[i].seen &&
            is_of_kernel(survivors->items[i].id, kernels, count)) {
            printf("listed, but no mutant: %.*s\n",
                   STR_ARG(survivors->items[i].id));
            faults++;
        }
    return faults;
}

static bool write_all(const char *path, const Judged *judged) {
    static const char *const names[] = {"died", "caught", "survived",
                                        "invalid"};
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    for (size_t i = 0; i < judged->mutants->count; i++) {
        const Mutant *mutant = &judged->mutants->items[i];
        const Outcome *outcome = &judged->outcomes[i];
        if (judged->chosen[i])
            fprintf(file, "%-9s %-14s %6.2f s %-7s lab %u %.*s | %.*s\n",
                    names[outcome->kind], outcome->code, outcome->seconds,
                    outcome->told[0] ? outcome->told : "-",
                    mutant->kernel->lab.number, STR_ARG(mutant->id),
                    STR_ARG(mutant->was));
    }
    return fclose(file) == 0;
}

// ---- the command ---------------------------------------------------------

static bool is_chosen(const Options *options, const Mutant *mutant) {
    Str id = mutant->id;
    if (options->in_regions && !told_region(mutant))
        return false;
    if (options->sample > 1 &&
        hash_bytes(0, id.ptr, id.len) % options->sample !=
            options->part % options->sample)
        return false;
    if (!options->only)
        return true;
    for (size_t i = 0; i <= id.len; i++)
        if (str_starts(str_slice(id, i, id.len), str_from(options->only)))
            return true;
    return false;
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Leaves `draw` of the chosen mistakes: those whose names hash lowest.
static void draw_mistakes(const Options *options, Arena *arena,
                          const Mutants *mutants, bool *chosen) {
    uint64_t *keys = arena_new(arena, uint64_t, mutants->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < mutants->count; i++) {
        Str id = mutants->items[i].id;
        chosen[i] = chosen[i] && !mutants->items[i].safe;
        if (chosen[i])
            keys[count++] = hash_bytes(options->seed, id.ptr, id.len);
    }
    if (options->draw >= count)
        return;
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < mutants->count; i++) {
        Str id = mutants->items[i].id;
        chosen[i] = chosen[i] && hash_bytes(options->seed, id.ptr, id.len) <
                                     keys[options->draw];
    }
}

static int write_ptx(Arena *arena, const char *folder, const Mutants *mutants,
                     const bool *chosen) {
    for (size_t i = 0; i < mutants->count; i++) {
        if (!chosen[i])
            continue;
        const char *path = judge_file(arena, folder, &mutants->items[i], "ptx");
        Buf text = {0};
        judge_print(arena, &mutants->items[i], &text);
        FILE *file = fopen(path, "w");
        if (!file || fwrite(text.ptr, 1, text.len, file) != text.len ||
            fclose(file))
            return 1;
        buf_free(&text);
    }
    return 0;
}

// Whether the kernels were compiled by what the list was made with.
static bool is_lists_compiler(const Mutants *mutants,
                              const Survivors *survivors) {
    if (mutants->count == 0 || survivors->count == 0)
        return true;
    Str name = mutants->items[0].kernel->build.submission.compiler;
    if (str_equal(name, survivors->compiler))
        return true;
    printf("The list of survivors is of %.*s's PTX, and this is %.*s's: not "
           "compared.\n",
           STR_ARG(survivors->compiler), STR_ARG(name));
    return false;
}

static int judge_all(Cli *cli, const Options *options, const Kernel *kernels,
                     Survivors *survivors, const Mutants *mutants,
                     const bool *chosen) {
    Outcome *outcomes = arena_new(&cli->arena, Outcome, mutants->count + 1);
    const Judged judged = {mutants, chosen, outcomes, survivors};
    bool strict = is_lists_compiler(mutants, survivors);
    judge_mutants(cli, mutants, chosen, (uint32_t)options->jobs, outcomes);
    Totals all = print_tables(&cli->arena, &judged);
    size_t faults = print_faults(&judged, strict);
    if (strict)
        faults += print_unseen(survivors, kernels, options->file_count);
    if (options->out && !write_all(options->out, &judged))
        faults++;
    size_t wrong = all.mutants - all.equivalent;
    bool enough = wrong == 0 || percent(all.caught, wrong) >= LEAST_PERCENT;
    if (!enough)
        printf("fewer than %d%% are caught\n", LEAST_PERCENT);
    return faults > 0 || all.mutants + all.safe == 0 || !enough;
}

static int run(Cli *cli, const Options *options) {
    Arena *arena = &cli->arena;
    Kernel *kernels = arena_new(arena, Kernel, MOST_KERNELS);
    Mutants mutants = {0};
    Survivors survivors = {0};
    if (options->file_count > MOST_KERNELS)
        return 2;
    for (int i = 0; i < options->file_count; i++) {
        if (!read_kernel(cli, options->files[i], &kernels[i]))
            return 2;
        make_mutants(arena, &kernels[i], &mutants);
    }
    if (options->survivors &&
        !survivors_read(arena, options->survivors, &survivors))
        return 2;
    bool *chosen = arena_new(arena, bool, mutants.count + 1);
    for (size_t i = 0; i < mutants.count; i++)
        chosen[i] = is_chosen(options, &mutants.items[i]);
    if (options->draw)
        draw_mistakes(options, arena, &mutants, chosen);
    if (options->ptx)
        return write_ptx(arena, options->ptx, &mutants, chosen);
    mutants.reports = options->reports;
    GradeArgs *args = cli->args.own;
    if (options->schedules)
        args->schedule.schedules = options->schedules;
    return judge_all(cli, options, kernels, &survivors, &mutants, chosen);
}

static bool read_options(int argc, char **argv, Options *options) {
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        const struct {
            const char *name, **text;
            uint64_t *number;
        } known[] = {
            {"--survivors", &options->survivors, NULL},
            {"--only", &options->only, NULL},
            {"--out", &options->out, NULL},
            {"--ptx", &options->ptx, NULL},
            {"--reports", &options->reports, NULL},
            {"--schedules", NULL, &options->schedules},
            {"--sample", NULL, &options->sample},
            {"--part", NULL, &options->part},
            {"--draw", NULL, &options->draw},
            {"--seed", NULL, &options->seed},
            {"--jobs", NULL, &options->jobs},
        };
        bool found = false;
        for (size_t k = 0; k < COUNT_OF(known) && !found; k++) {
            found = !strcmp(word, known[k].name);
            if (found && known[k].text)
                *known[k].text = value;
            if (found && known[k].number &&
                !str_to_u64(str_from(value), known[k].number))
                return false;
        }
        if (!strcmp(word, "--in-regions")) {
            options->in_regions = true;
            continue;
        }
        if (!found && word[0] == '-')
            return false;
        if (!found)
            options->files[options->file_count++] = word;
        i += found;
    }
    return options->file_count > 0 && options->jobs > 0;
}

// The labs' defaults, as a learner has them.
static bool default_arguments(Cli *cli) {
    char *words[] = {(char *)"1"};
    Str message;
    return args_parse(&cli->arena, &GRADE_COMMAND, 1, words, &cli->args,
                      &message);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], COMPILE_CHILD_ARGUMENT) == 0)
        return compile_child_main(argc, argv);
    char path[PATH_MAX] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        path[0] = '\0';
    Cli cli = {.program = path};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    Options options = {.sample = 1,
                       .seed = 1,
                       .jobs = processors > 0 ? (uint64_t)processors : 1};
    options.files = arena_new(&cli.arena, const char *, (size_t)argc);
    if (!default_arguments(&cli) || !read_options(argc, argv, &options)) {
        fprintf(stderr,
                "usage: mutants [--survivors FILE] [--sample N] "
                "[--part K] [--only TEXT] [--draw N] [--seed S] "
                "[--in-regions] [--jobs N] [--schedules N] [--out FILE] "
                "[--reports FOLDER] [--ptx FOLDER] "
                "FILE.cu...\n");
        return 2;
    }
    int code = run(&cli, &options);
    arena_free(&cli.arena);
    return code;
}
