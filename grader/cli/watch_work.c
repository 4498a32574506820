// SPDX-License-Identifier: Apache-2.0
// The children of clclab watch: one that grades, and one behind a page. What
// they are given, and what becomes of their output.
#include "cli/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

// ---- grading -------------------------------------------------------------

static int grade_work(Cli *cli, void *context) {
    Buf out = {0};
    ((GradeArgs *)cli->args.own)->tells_early = true;
    int code = grade_report(cli, context, &out);
    output_stdout(cli, buf_view(&out));
    return code;
}

// The arguments of a command about the lab, with those of watch.
Args watch_args(Watcher *watch) {
    Args args = watch->cli->args;
    watch->grading.schedule =
        ((const WatchArgs *)watch->cli->args.own)->schedule;
    watch->grading.tells_failure = watch->terminal.is_screen;
    args.words[0] = watch->number;
    args.word_count = 1;
    args.own = &watch->grading;
    return args;
}

// Called in the child; returns the exit code.
typedef int WatchWork(Cli *cli, void *context);

typedef struct Child {
    Cli *cli;
    WatchWork *work;
    void *context;
} Child;

// A JobWork.
static int be_child(void *context) {
    const Child *child = context;
    return child->work(child->cli, child->context);
}

// The page is as wide as the terminal, as far as a report can be.
static void start(Watcher *watch, Args args, WatchWork *work, void *context,
                  Job *job) {
    enum { LEAST = 40, MOST = 100 };
    Cli *cli = watch->cli;
    Child child = {cli, work, context};
    Args before = cli->args;
    uint32_t columns = watch->terminal.columns;
    cli->args = args;
    cli->width = columns < LEAST ? LEAST : columns > MOST ? MOST : columns;
    if (!job_start(be_child, &child, job))
        watch_set_note(watch,
                       str_format(&cli->arena, "no process can be started: %s",
                                  strerror(errno)));
    cli->args = before;
}

void watch_begin_grade(Watcher *watch) {
    time_t now = time(NULL);
    struct tm local;
    strftime(watch->at, sizeof watch->at, "%H:%M:%S",
             localtime_r(&now, &local));
    *watch->end = (GradeEnd){0};
    watch->early = 0;
    start(watch, watch_args(watch), grade_work, watch->end, &watch->grade);
    if (!watch->work.pid)
        watch->page.len = 0;
    watch_show(watch, NEWS_NONE);
}

// The lab behind this one; empty: it is the last.
Str watch_find_next(const Watcher *watch, Arena *arena) {
    Cli scratch = watch_scratch(watch);
    Str *folders, next = {0};
    size_t count = course_list(&scratch, &watch->course, &folders);
    for (size_t i = 0; i + 1 < count; i++)
        if (str_equal(folders[i], watch->lab.folder))
            next = str_copy(arena, folders[i + 1]);
    arena_free(&scratch.arena);
    return next;
}

// What there is to do after full marks.
static void add_more(const Watcher *watch, Buf *out) {
    const Lab *lab = &watch->lab;
    Arena arena = {0};
    Str next = watch_find_next(watch, &arena);
    Str solution = str_format(&arena, "%.*ssolutions/%.*s/%.*s",
                              STR_ARG(watch->course.root), STR_ARG(lab->folder),
                              STR_ARG(lab->file));
    buf_str(out, STR("\nFull marks. What comes now:\n"));
    buf_printf(out, "  another seed  clclab grade %u --seed 7\n", lab->number);
    buf_printf(out, "  the quiz      clclab quiz %u\n", lab->number);
    if (file_exists(solution.ptr)) {
        buf_str(out, STR("  why it is so  "));
        utf8_escape(solution, out);
        buf_byte(out, '\n');
    }
    if (next.len)
        buf_printf(out, "  the next lab  n (lab %u)\n", course_number(next));
    next_add_call(watch->cli, out);
    arena_free(&arena);
}

// The last that a grade has said before its report; empty: nothing. *report:
// the rest.
static Str early_of(const Watcher *watch, Str *report) {
    Str early = {0};
    *report = buf_view(&watch->grade.text);
    while (report->len && memchr(report->ptr, GRADE_EARLY_END, report->len))
        early = str_cut(report, GRADE_EARLY_END);
    return early;
}

// Until the report is there. Where there is no screen the line is printed
// alone.
void watch_show_early(Watcher *watch) {
    Str report, early = early_of(watch, &report);
    size_t shown = watch->grade.text.len - report.len;
    if (!watch->grade.pid || watch->early == shown || !early.len)
        return;
    watch->early = shown;
    if (!watch->terminal.is_screen) {
        output_write(STDOUT_FILENO, early);
        return;
    }
    watch->verdict.len = watch->top = 0;
    buf_str(&watch->verdict, early);
    watch_show(watch, NEWS_NONE);
}

void watch_end_grade(Watcher *watch) {
    int code = job_code(&watch->grade);
    Str report;
    early_of(watch, &report);
    watch->verdict.len = 0;
    buf_str(&watch->verdict, report);
    if (code < 0)
        buf_printf(&watch->verdict,
                   "This grade was ended by signal %d (%s). The next save "
                   "starts another one.\n",
                   WTERMSIG(watch->grade.status),
                   strsignal(WTERMSIG(watch->grade.status)));
    if (code == CLI_FULL_MARKS)
        add_more(watch, &watch->verdict);
    if (watch->end->summary.region && watch->end->summary.region != watch->todo)
        watch->todo = watch->rung = 0;
    watch->top = 0;
    watch_show(watch, NEWS_TEXT);
}

// ---- other work ----------------------------------------------------------

static int command_work(Cli *cli, void *context) {
    const CliCommand *command = context;
    return command->run(cli);
}

// Grades each lab, a line each.
static int all_work(Cli *cli, void *context) {
    const Watcher *watch = context;
    Str *folders;
    size_t count = course_list(cli, &watch->course, &folders);
    output_stdout(cli, STR("All labs\n\n"));
    for (size_t i = 0; i < count; i++) {
        Buf out = {0};
        GradeEnd end;
        cli->args.words[0] = str_cstring(&cli->arena, folders[i]);
        grade_report(cli, &end, &out);
        Str line =
            watch_has_points(&end)
                ? str_format(&cli->arena, "%3u  %-20.*s %5.6g/%.6g\n",
                             course_number(folders[i]), STR_ARG(folders[i]),
                             end.summary.score, end.summary.most)
                : str_format(&cli->arena, "%3u  %-20.*s not graded\n",
                             course_number(folders[i]), STR_ARG(folders[i]));
        output_stdout(cli, line);
        buf_free(&out);
    }
    return CLI_FULL_MARKS;
}

// Writes what grade prints, as a page where there are pages.
static int report_work(Cli *cli, void *context) {
    const Watcher *watch = context;
    bool is_page = report_format(REPORT_GRADE, "html") != NULL;
    Str folder =
        str_format(&cli->arena, "%.*sbuild", STR_ARG(watch->course.root));
    Str path = str_format(&cli->arena, "%.*s/report-%u.%s", STR_ARG(folder),
                          watch->lab.number, is_page ? "html" : "txt");
    mkdir(folder.ptr, 0777);
    cli->args.out = path.ptr;
    cli->args.format = is_page ? "html" : "text";
    cli->width = 80;
    int code = GRADE_COMMAND.run(cli);
    if (code == CLI_FULL_MARKS || code == CLI_BELOW)
        output_stdout(cli, str_format(&cli->arena, "The report is in %.*s\n",
                                      STR_ARG(path)));
    return code;
}

void watch_start_command(Watcher *watch, const CliCommand *command, Args args,
                         PageKind kind) {
    watch->kind = kind;
    start(watch, args, command_work, (void *)(uintptr_t)command, &watch->work);
}

// Of the region that the last grade named, or of the one before.
void watch_start_hint(Watcher *watch) {
    Args args = watch_args(watch);
    Arena *arena = &watch->cli->arena;
    if (watch->todo == 0)
        watch->todo =
            watch->end->summary.region ? watch->end->summary.region : 1;
    args.words[1] = str_format(arena, "%u", (uint32_t)watch->todo).ptr;
    args.words[2] = str_format(arena, "%u", (uint32_t)watch->rung).ptr;
    args.word_count = 3;
    watch_start_command(watch, &HINT_COMMAND, args, PAGE_HINT);
}

// There is no such rung: on to the next region, or back to the first.
static bool hint_was_last(Watcher *watch) {
    bool is_first = watch->rung == 1;
    if (watch->kind != PAGE_HINT || job_code(&watch->work) == CLI_FULL_MARKS ||
        (is_first && watch->todo == 1))
        return false;
    watch->todo = is_first ? 1 : watch->todo + 1;
    watch->rung = 1;
    watch_start_hint(watch);
    return true;
}

void watch_end_work(Watcher *watch) {
    Str text = buf_view(&watch->work.text);
    if (hint_was_last(watch))
        return;
    if (watch->kind != PAGE_NOTE) {
        watch_show_page(watch, text);
        return;
    }
    watch_show_note(watch, text);
}

void watch_start_all(Watcher *watch) {
    watch->kind = PAGE_TEXT;
    start(watch, watch_args(watch), all_work, watch, &watch->work);
}

void watch_start_report(Watcher *watch) {
    watch->kind = PAGE_NOTE;
    start(watch, watch_args(watch), report_work, watch, &watch->work);
}
