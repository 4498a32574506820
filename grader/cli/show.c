// SPDX-License-Identifier: Apache-2.0
// The commands that only show something: list, hint, version.
//
// hints.md: a heading with "(k)" after CLI_REGION starts the hints of region k,
// and "2. " at the start of a line its second rung. hint prints one rung and
// says which is next.
#include "cli/options.h"
#include "cli/progress/progress.h"

#include <string.h>

static int print(Cli *cli, Buf *text) {
    int code = output_stdout(cli, buf_view(text));
    buf_free(text);
    return code;
}

// ---- version, list -------------------------------------------------

static int version(Cli *cli) {
    return output_stdout(cli, STR("clclab " CLI_VERSION "\n"));
}

// A column for the points, once there are any.
static void add_best(Buf *out, const Progress *progress, Str folder) {
    const LabProgress *done = progress_of(progress, folder);
    Buf points = {0};
    if (progress->count == 0)
        return;
    if (done)
        next_add_points(&points, done);
    buf_printf(out, "%8.*s  ", STR_ARG(buf_view(&points)));
    buf_free(&points);
}

// Likewise for the quiz.
static void add_quiz(Cli *cli, Buf *out, const Progress *progress, Str folder) {
    Buf points = {0};
    bool has_any = false;
    for (size_t i = 0; i < progress->count; i++)
        has_any |= str_ends(progress->items[i].folder, STR("/quiz"));
    const LabProgress *done =
        progress_of(progress, progress_quiz(&cli->arena, folder));
    if (done) {
        buf_str(&points, STR("quiz "));
        next_add_points(&points, done);
    }
    if (has_any)
        buf_printf(out, "%-12.*s", STR_ARG(buf_view(&points)));
    buf_free(&points);
}

static int list(Cli *cli) {
    Course course;
    int code;
    if (!course_find(cli, &course, &code))
        return code;
    Str *folders;
    size_t count = course_list(cli, &course, &folders);
    Progress progress = progress_read(cli, &course);
    Buf text = {0};
    for (size_t i = 0; i < count; i++) {
        Lab lab;
        int fault = course_read_conf(cli, &course, folders[i], &lab);
        if (fault != CLI_FULL_MARKS) {
            code = fault;
            continue;
        }
        buf_printf(&text, "%3u  %-20.*s ", lab.number, STR_ARG(lab.folder));
        add_best(&text, &progress, lab.folder);
        add_quiz(cli, &text, &progress, lab.folder);
        utf8_escape(lab.title, &text);
        buf_byte(&text, '\n');
    }
    size_t healed = progress_cases(&progress);
    if (healed > 0)
        buf_printf(&text, "     clinic: %zu healed\n", healed);
    progress_tell(cli);
    int printed = print(cli, &text);
    return code != CLI_FULL_MARKS ? code : printed;
}

// ---- hint ----------------------------------------------------------------

// The k of a heading that starts region k; 0 if it starts none.
static uint64_t heading_todo(Str heading) {
    for (size_t i = 0; i < heading.len; i++) {
        Str rest = str_slice(heading, i, heading.len);
        if (!str_starts(rest, STR(CLI_REGION "(")))
            continue;
        rest = str_slice(rest, 5, rest.len);
        uint64_t todo;
        if (str_to_u64(str_cut(&rest, ')'), &todo))
            return todo;
    }
    return 0;
}

typedef struct HintScan {
    uint64_t todo, rung;   // the ones wanted
    uint64_t todos, rungs; // the last ones that exist; rungs: of `todo`
    Buf body;
} HintScan;

// "2. text" starts rung 2: returns its number, with the text in *line; 0 if the
// line starts none.
static uint64_t opens_rung(Str *line) {
    Str rest = *line;
    uint64_t rung;
    if (!str_to_u64(str_cut(&rest, '.'), &rung) || !str_starts(rest, STR(" ")))
        return 0;
    *line = str_slice(rest, 1, rest.len);
    return rung;
}

static void scan_hints(Str text, HintScan *scan) {
    uint64_t todo = 0, rung = 0;
    bool code = false; // inside ``` ... ```, where "#" does not start a heading
    while (text.len > 0) {
        Str line = str_cut(&text, '\n');
        code ^= str_starts(str_trim(line), STR("```"));
        if (!code && str_starts(line, STR("#"))) {
            todo = heading_todo(line);
            rung = 0;
            scan->todos = todo > scan->todos ? todo : scan->todos;
            continue;
        }
        uint64_t opens = code ? 0 : opens_rung(&line);
        rung = opens ? opens : rung;
        if (todo == scan->todo && rung > scan->rungs)
            scan->rungs = rung;
        if (todo == scan->todo && rung == scan->rung && todo > 0) {
            buf_str(&scan->body, str_starts(line, STR("   "))
                                     ? str_slice(line, 3, line.len)
                                     : line);
            buf_byte(&scan->body, '\n');
        }
    }
}

static void add_hint(Buf *out, const Lab *lab, const HintScan *scan) {
    buf_printf(out, "Lab %u, " CLI_REGION "(%llu), hint %llu of %llu\n\n",
               lab->number, (unsigned long long)scan->todo,
               (unsigned long long)scan->rung, (unsigned long long)scan->rungs);
    Str body = str_trim(buf_view(&scan->body));
    while (body.len > 0) {
        buf_str(out, STR("  "));
        utf8_escape(str_cut(&body, '\n'), out);
        buf_byte(out, '\n');
    }
    buf_byte(out, '\n');
    if (scan->rung < scan->rungs)
        buf_printf(out, "More: clclab hint %u %llu %llu\n", lab->number,
                   (unsigned long long)scan->todo,
                   (unsigned long long)scan->rung + 1);
    else if (scan->todo < scan->todos)
        buf_printf(out, "Next: clclab hint %u %llu\n", lab->number,
                   (unsigned long long)scan->todo + 1);
}

// 0 if the word is not given.
static bool hint_number(Cli *cli, size_t word, uint64_t *out) {
    *out = 0;
    if (cli->args.word_count <= word ||
        (str_to_u64(str_from(cli->args.words[word]), out) && *out > 0))
        return true;
    output_error(cli, CLI_USAGE, "\"%s\" is not a number from 1 on",
                 cli->args.words[word]);
    return false;
}

static int no_hint(Cli *cli, const Lab *lab, const HintScan *scan) {
    unsigned long long todo = scan->todo, rung = scan->rung;
    if (scan->rungs > 0)
        return output_error(
            cli, CLI_USAGE,
            "lab %u has no hint %llu for " CLI_REGION "(%llu); there "
            "are %llu",
            lab->number, rung, todo, (unsigned long long)scan->rungs);
    return output_error(cli, CLI_USAGE,
                        "lab %u has no hint %llu for " CLI_REGION
                        "(%llu); the last one is " CLI_REGION "(%llu)",
                        lab->number, rung, todo,
                        (unsigned long long)scan->todos);
}

// Without a rung it is the one behind that which was shown last, and the last
// one again and again.
static void find_hint(Cli *cli, const Course *course, const Lab *lab, Str text,
                      HintScan *scan) {
    bool goes_on = scan->rung == 0;
    uint64_t last = progress_hint(cli, course, lab->folder, &scan->todo);
    scan->todo = scan->todo ? scan->todo : 1;
    scan->rung = goes_on ? last + 1 : scan->rung;
    scan_hints(text, scan);
    if (goes_on && scan->rungs && scan->rung > scan->rungs) {
        scan->rung = scan->rungs;
        scan_hints(text, scan);
    }
}

static int show_hint(Cli *cli, const Course *course, const Lab *lab) {
    enum { MOST_HINTS = 1 << 20 };
    HintScan scan = {0};
    Buf out = {0};
    Str text, why = STR("it is larger than 1 MiB");
    const char *path = course_hints(cli, course, lab);
    if (!lab->has_hints)
        return output_error(cli, CLI_MISSING,
                            "this copy of the course has no hints");
    if (!hint_number(cli, 1, &scan.todo) || !hint_number(cli, 2, &scan.rung))
        return CLI_USAGE;
    if (file_read(&cli->arena, path, MOST_HINTS, &text, &why) != FILE_READ)
        return output_error(cli, CLI_OURS, "%s: %.*s", path, STR_ARG(why));
    find_hint(cli, course, lab, text, &scan);
    bool is_there = str_trim(buf_view(&scan.body)).len > 0;
    if (is_there)
        add_hint(&out, lab, &scan);
    buf_free(&scan.body);
    if (!is_there)
        return no_hint(cli, lab, &scan);
    progress_note_hint(cli, course, lab->folder, scan.todo, scan.rung);
    return print(cli, &out);
}

static int hint(Cli *cli) {
    Course course;
    Lab lab;
    int code;
    if (!course_find(cli, &course, &code))
        return code;
    code = course_lab(cli, &course, cli->args.words[0], &lab);
    return code == CLI_FULL_MARKS ? show_hint(cli, &course, &lab) : code;
}

// ---- the commands --------------------------------------------------------

static const Option VERSION_OPTIONS[] = {OPTIONS_OF_ALL};
static const Option COURSE_OPTIONS[] = {OPTION_ROOT, OPTION_LABS,
                                        OPTIONS_OF_ALL};

const CliCommand VERSION_COMMAND = {
    .name = "version",
    .summary = "Print the version",
    .example = "clclab version",
    .words = "",
    .options = VERSION_OPTIONS,
    .option_count = COUNT_OF(VERSION_OPTIONS),
    .run = version,
};

const CliCommand LIST_COMMAND = {
    .name = "list",
    .summary = "List the labs",
    .example = "clclab list",
    .words = "",
    .options = COURSE_OPTIONS,
    .option_count = COUNT_OF(COURSE_OPTIONS),
    .run = list,
};

const CliCommand HINT_COMMAND = {
    .name = "hint",
    .summary = "Show a hint",
    .example = "clclab hint 4 2",
    .words = "LAB [" CLI_REGION " [RUNG]]",
    .least_words = 1,
    .most_words = 3,
    .more = CLI_REGION " is the number of one in the lab's file, RUNG how "
                       "far to go: 1 a question,\n2 a concept, 3 almost the "
                       "code. Without RUNG each call goes one further, "
                       "without\n" CLI_REGION
                       " in the region that you asked for last.\n",
    .options = COURSE_OPTIONS,
    .option_count = COUNT_OF(COURSE_OPTIONS),
    .run = hint,
};
