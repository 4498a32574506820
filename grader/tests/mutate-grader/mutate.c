// SPDX-License-Identifier: Apache-2.0
// The parts of `make mutate-grader` that look at C; grader/tools/mutate-grader
// copies trees, builds, and calls them.
//
//   mutate-grader list FILE...
//     every site: id, kind, file:line, function, the lines before and after
//   mutate-grader draw N SEED RESULTS unit|all FILE...
//     the mutants that are still to be tried, by the unit tests or by all
//     suites: id, room, file, line
//   mutate-grader patch ID FILE
//     changes the file
//   mutate-grader table N SEED RESULTS SURVIVORS FILE...
//     their results; exit 0 all is well, 1 it is not, 75 not all were tried
//   mutate-grader run SECONDS MEGABYTES WRITABLE LOG COMMAND...
//     runs a suite; prints how it ended, seconds, "alone" or "together", the
//     test that failed, with tabs between
//
// FILE is the path of a .c file of the grader, from the repository's root.
#include "tests/mutate-grader/suite.h"
#include "tests/mutate-grader/table.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_USAGE = 2, EXIT_OPEN = 75 };

static int usage(void) {
    fprintf(stderr,
            "usage: mutate-grader list FILE...\n"
            "       mutate-grader draw N SEED RESULTS unit|all FILE...\n"
            "       mutate-grader patch ID FILE\n"
            "       mutate-grader table N SEED RESULTS SURVIVORS "
            "FILE...\n"
            "       mutate-grader run SECONDS MEGABYTES WRITABLE LOG "
            "COMMAND...\n");
    return EXIT_USAGE;
}

static bool read_file(Arena *arena, const char *path, Str *text) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "mutate-grader: %s cannot be read\n", path);
        return false;
    }
    Buf bytes = {0};
    char block[4096];
    for (size_t count; (count = fread(block, 1, sizeof block, file)) > 0;)
        buf_bytes(&bytes, block, count);
    fclose(file);
    *text = str_copy(arena, buf_view(&bytes));
    buf_free(&bytes);
    return true;
}

static bool read_sites(Arena *arena, char **files, Sites *sites) {
    for (; *files; files++) {
        Str text;
        if (!read_file(arena, *files, &text))
            return false;
        sites_find(arena, str_from(*files), text, sites);
    }
    return true;
}

static int list(Arena *arena, char **files) {
    Sites sites = {0};
    if (!read_sites(arena, files, &sites))
        return EXIT_USAGE;
    for (size_t i = 0; i < sites.count; i++) {
        const Site *site = &sites.items[i];
        printf("%016llx\t%s\t%.*s:%u\t%.*s\t%.*s\t%.*s\n",
               (unsigned long long)site->id, site->kind, STR_ARG(site->path),
               site->line, STR_ARG(site->function), STR_ARG(site->before),
               STR_ARG(site->after));
    }
    return 0;
}

typedef struct Drawing {
    Sites sites;
    Results results;
    Plan plan;
} Drawing;

// words: N, SEED, RESULTS; a RESULTS that is not there is empty.
static bool read_drawing(Arena *arena, char **words, char **files,
                         Drawing *drawing) {
    uint64_t count, seed;
    Str text = {0};
    if (!str_to_u64(str_from(words[0]), &count) ||
        !str_to_u64(str_from(words[1]), &seed) ||
        !read_file(arena, words[2], &text) ||
        !read_sites(arena, files, &drawing->sites))
        return false;
    results_read(arena, text, &drawing->results);
    drawing->plan =
        plan_draw(arena, &drawing->sites, &drawing->results, count, seed);
    return true;
}

static int draw(Arena *arena, char **words) {
    Drawing drawing = {0};
    bool all = strcmp(words[3], "all") == 0;
    if (!read_drawing(arena, words, words + 4, &drawing))
        return EXIT_USAGE;
    for (size_t i = 0; i < drawing.plan.count; i++) {
        const Site *site = drawing.plan.items[i];
        Verdict verdict = results_find(&drawing.results, site->id).verdict;
        if (verdict == VERDICT_NONE || (all && verdict == VERDICT_PAST_UNIT))
            printf("%016llx\t%.*s\t%.*s\t%u\n", (unsigned long long)site->id,
                   STR_ARG(site_room(site->path)), STR_ARG(site->path),
                   site->line);
    }
    return 0;
}

static int table(Arena *arena, char **words) {
    static const int codes[] = {
        [TABLE_GOOD] = 0, [TABLE_WRONG] = 1, [TABLE_OPEN] = EXIT_OPEN};
    Drawing drawing = {0};
    KnownList known = {0};
    Str text;
    uint32_t wrong;
    if (!read_file(arena, words[3], &text) ||
        !read_drawing(arena, words, words + 4, &drawing))
        return EXIT_USAGE;
    if (!known_read(arena, text, &known, &wrong)) {
        fprintf(stderr, "%s:%u: not in the form that its top describes\n",
                words[3], wrong);
        return EXIT_USAGE;
    }
    Buf out = {0};
    TableEnd end = table_print(&out, &drawing.sites, &drawing.plan,
                               &drawing.results, &known);
    fwrite(out.ptr, 1, out.len, stdout);
    buf_free(&out);
    return codes[end];
}

static bool write_file(const char *path, Str text) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool whole = fwrite(text.ptr, 1, text.len, file) == text.len;
    return fclose(file) == 0 && whole;
}

static int patch(Arena *arena, char **words) {
    Sites sites = {0};
    Str text;
    uint64_t id;
    if (!str_to_u64(str_format(arena, "0x%s", words[0]), &id) ||
        !read_file(arena, words[1], &text))
        return EXIT_USAGE;
    sites_find(arena, str_from(words[1]), text, &sites);
    for (size_t i = 0; i < sites.count; i++)
        if (sites.items[i].id == id)
            return !write_file(words[1],
                               site_apply(arena, text, &sites.items[i]));
    fprintf(stderr, "mutate-grader: no site %s in %s\n", words[0], words[1]);
    return 1;
}

static int run(char **words) {
    uint64_t seconds, megabytes;
    if (!str_to_u64(str_from(words[0]), &seconds) ||
        !str_to_u64(str_from(words[1]), &megabytes))
        return EXIT_USAGE;
    const SuiteLimits limits = {.seconds = (double)seconds,
                                .bytes = megabytes << 20,
                                .writable = words[2],
                                .log = words[3]};
    SuiteOutcome outcome = suite_run(&limits, words + 4);
    printf("%s\t%.2f\t%s\t%s\n", suite_end_name(outcome.end), outcome.seconds,
           outcome.alone ? "alone" : "together", outcome.test);
    return 0;
}

static int call(Arena *arena, int count, char **words) {
    if (count > 1 && strcmp(words[0], "list") == 0)
        return list(arena, words + 1);
    if (count > 5 && strcmp(words[0], "draw") == 0)
        return draw(arena, words + 1);
    if (count == 3 && strcmp(words[0], "patch") == 0)
        return patch(arena, words + 1);
    if (count > 5 && strcmp(words[0], "table") == 0)
        return table(arena, words + 1);
    if (count > 5 && strcmp(words[0], "run") == 0)
        return run(words + 1);
    return usage();
}

int main(int argc, char **argv) {
    Arena arena = {0};
    int code = call(&arena, argc - 1, argv + 1);
    arena_free(&arena);
    return code;
}
