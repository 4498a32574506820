// SPDX-License-Identifier: Apache-2.0
// clclab watch: grades a lab's file at once and each time that it is saved.
//
// Each grade is a child process that does what `clclab grade` does
// (sandbox/job.h); a save ends the one that is under way. Another child is
// behind the pages that keys ask for, a hint or a list. This process only
// waits: for keys, signals, the folder, and what the children write.
//
// There are two ways to show things. On a terminal that can place its cursor
// the screen has a head, the verdict, which can be scrolled, and the keys at
// the foot. Elsewhere the same is printed line by line.
#include "cli/watch.h"

#include "cli/grade.h"
#include "cli/options.h"
#include "cli/progress/progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct WatchArgs {
    ScheduleArgs schedule;
    bool polls;
} WatchArgs;

typedef enum PageKind { PAGE_NONE, PAGE_TEXT, PAGE_HINT, PAGE_NOTE } PageKind;

typedef struct Watcher {
    Cli *cli;
    Course course;
    Lab lab;
    WatchedFile file;
    Terminal terminal;
    int signals;         // a descriptor
    GradeEnd *end;       // of the last grade, in memory that its child shares
    GradeArgs grading;   // its own options
    char number[12];     // of the lab, in words
    Job grade;           // its text is the verdict
    Buf verdict;         // of the last grade that ended
    char at[16];         // when that began, "14:03:07"
    Job work;            // for a page
    PageKind kind;       // of what that makes
    Buf page;            // shown instead of the verdict, unless it is empty
    Buf note;            // a line above the foot, until the next key
    size_t top;          // of what is shown
    uint64_t todo, rung; // of the last hint; 0: none
    bool has_early;      // what a grade says before its report was shown
    bool is_asking;      // whether to reset the lab
    bool has_ended;
} Watcher;

static const WatchArgs *own(const Cli *cli) {
    return cli->args.own;
}

// ---- what is shown -------------------------------------------------------

static const char KEYS[] = "n  the next lab\n"
                           "h  a hint, and each time one more\n"
                           "l  the labs, with your points\n"
                           "a  check all labs\n"
                           "r  back to the starter; your file is kept\n"
                           "o  write the report to a file\n"
                           "q  quit\n"
                           "\n"
                           "up, down, space, b  scroll\n"
                           "Enter               back to the verdict\n";

static void set_note(Watcher *watch, Str text) {
    watch->note.len = 0;
    buf_str(&watch->note, str_trim(text));
}

static Str shown(const Watcher *watch) {
    return buf_view(watch->page.len ? &watch->page : &watch->verdict);
}

// What was ended has none to be told: a limit says nothing about the rest.
static bool has_points(const GradeEnd *end) {
    return end->summary.has_score && !end->is_exceeded;
}

// What is known of the last grade, before the file's name.
static void add_state(const Watcher *watch, Buf *out) {
    bool is_under_way = watch->grade.pid != 0;
    buf_printf(out, "Lab %u  ", watch->lab.number);
    if (is_under_way)
        buf_str(out, STR("is being graded"));
    else if (has_points(watch->end))
        buf_printf(out, "%.6g/%.6g  %s  %.2f s", watch->end->summary.score,
                   watch->end->summary.most, watch->at,
                   watch->grade.took / 1e3);
    else
        buf_printf(out, "not graded  %s", watch->at);
}

// With the file's path, or as much of it as the terminal has columns for.
static Str head_of(const Watcher *watch, Arena *arena) {
    Buf state = {0}, path = {0}, name = {0};
    add_state(watch, &state);
    utf8_escape(str_from(watch->file.path), &path);
    utf8_escape(str_from(watch->file.name), &name);
    const Str texts[] = {
        str_format(arena, "%.*s  %.*s", STR_ARG(buf_view(&state)),
                   STR_ARG(buf_view(&path))),
        str_format(arena, "%.*s  %.*s", STR_ARG(buf_view(&state)),
                   STR_ARG(buf_view(&name))),
        str_copy(arena, buf_view(&state)),
    };
    buf_free(&state);
    buf_free(&path);
    buf_free(&name);
    return watch->terminal.is_screen
               ? watch_pick(texts, COUNT_OF(texts), watch->terminal.columns)
               : texts[0];
}

// For what is done again and again: its arena has to be freed.
static Cli scratch_of(const Watcher *watch) {
    Cli scratch = *watch->cli;
    scratch.arena = (Arena){0};
    return scratch;
}

static Str describe_progress(const Watcher *watch, Arena *arena,
                             bool has_best) {
    Cli scratch = scratch_of(watch);
    Progress progress = progress_read(&scratch, &watch->course);
    const LabProgress *lab = progress_of(&progress, watch->lab.folder);
    size_t labs, full;
    full = progress_count(&scratch, &watch->course, &progress, &labs);
    Str text = str_format(arena, "%zu/%zu labs", full, labs);
    if (lab && has_best)
        text = str_format(arena, "best %.6g  %.*s", lab->best, STR_ARG(text));
    arena_free(&scratch.arena);
    return text;
}

// has_more: of what is shown, below the screen.
static Str foot_of(const Watcher *watch, Arena *arena, bool has_more) {
    static const char keys[] = "n next  h hint  l list  a all  r reset  "
                               "o report  q quit";
    const char *more = has_more ? "space more  " : "";
    Str best = describe_progress(watch, arena, true);
    Str labs = describe_progress(watch, arena, false);
    const Str texts[] = {
        str_format(arena, "%s%s  %.*s", more, keys, STR_ARG(best)),
        str_format(arena, "%s%s  %.*s", more, keys, STR_ARG(labs)),
        str_format(arena, "%s? keys  q quit  %.*s", more, STR_ARG(best)),
        str_format(arena, "%s? keys", more),
        STR("? keys  q quit"),
    };
    return watch_pick(texts, COUNT_OF(texts), watch->terminal.columns);
}

// Whole, unless the screen has too few rows for it.
static WatchLines fit_note(const Watcher *watch, Arena *arena) {
    WatchLines note =
        watch_fit(arena, buf_view(&watch->note), watch->terminal.columns);
    size_t most = watch->terminal.rows > 3 ? watch->terminal.rows - 3 : 1;
    note.count = note.count > most ? most : note.count;
    return note;
}

static void draw_screen(Watcher *watch, Arena *arena, Str head) {
    const Terminal *terminal = &watch->terminal;
    WatchPage page = {.head = head,
                      .note = fit_note(watch, arena),
                      .body = watch_fit(arena, shown(watch), terminal->columns),
                      .rows = terminal->rows,
                      .columns = terminal->columns};
    size_t room = watch_room(&page);
    size_t last = page.body.count > room ? page.body.count - room : 0;
    Buf out = {0};
    watch->top = watch->top > last ? last : watch->top;
    page.top = watch->top;
    page.foot = foot_of(watch, arena, watch->top < last);
    watch_draw(&page, &out);
    output_write(STDOUT_FILENO, buf_view(&out));
    buf_free(&out);
}

// What is new, where there is no screen: a note alone, or the verdict or a
// page, which may have one.
static void print_lines(const Watcher *watch, Arena *arena, Str head,
                        bool is_note) {
    Buf out = {0};
    Str foot = foot_of(watch, arena, false);
    if (!is_note && !watch->page.len && watch->verdict.len)
        buf_printf(&out, "\n%.*s\n\n", STR_ARG(head));
    if (!is_note)
        buf_str(&out, shown(watch));
    if (watch->note.len)
        buf_printf(&out, "%.*s\n", STR_ARG(buf_view(&watch->note)));
    if (watch->terminal.has_keys)
        buf_printf(&out, "%.*s\n", STR_ARG(foot));
    output_write(STDOUT_FILENO, buf_view(&out));
    buf_free(&out);
}

typedef enum News { NEWS_NONE, NEWS_NOTE, NEWS_TEXT } News;

static void show(Watcher *watch, News news) {
    Arena arena = {0};
    Str head = head_of(watch, &arena);
    if (watch->terminal.is_screen)
        draw_screen(watch, &arena, head);
    else if (news != NEWS_NONE)
        print_lines(watch, &arena, head, news == NEWS_NOTE);
    if (!watch->terminal.is_screen)
        watch->note.len = 0;
    arena_free(&arena);
}

static void show_note(Watcher *watch, Str text) {
    set_note(watch, text);
    show(watch, NEWS_NOTE);
}

static void show_page(Watcher *watch, Str text) {
    watch->page.len = 0;
    watch->top = 0;
    buf_str(&watch->page, text);
    show(watch, NEWS_TEXT);
}

// ---- grading -------------------------------------------------------------

static int grade_work(Cli *cli, void *context) {
    Buf out = {0};
    ((GradeArgs *)cli->args.own)->tells_early = true;
    int code = grade_report(cli, context, &out);
    output_stdout(cli, buf_view(&out));
    return code;
}

// The arguments of a command about the lab, with those of watch.
static Args args_of(Watcher *watch) {
    Args args = watch->cli->args;
    watch->grading.schedule = own(watch->cli)->schedule;
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
        set_note(watch, str_format(&cli->arena, "no process can be started: %s",
                                   strerror(errno)));
    cli->args = before;
}

static void begin_grade(Watcher *watch) {
    time_t now = time(NULL);
    struct tm local;
    strftime(watch->at, sizeof watch->at, "%H:%M:%S",
             localtime_r(&now, &local));
    *watch->end = (GradeEnd){0};
    watch->has_early = false;
    start(watch, args_of(watch), grade_work, watch->end, &watch->grade);
    if (!watch->work.pid)
        watch->page.len = 0;
    show(watch, NEWS_NONE);
}

// The lab behind this one; empty: it is the last.
static Str find_next(const Watcher *watch, Arena *arena) {
    Cli scratch = scratch_of(watch);
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
    Str next = find_next(watch, &arena);
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

// What a grade has said before its report; empty: nothing. *report: the rest.
static Str early_of(const Watcher *watch, Str *report) {
    Str text = buf_view(&watch->grade.text);
    *report = text;
    if (!text.len || !memchr(text.ptr, GRADE_EARLY_END, text.len))
        return (Str){0};
    return str_cut(report, GRADE_EARLY_END);
}

// Until the report is there. Where there is no screen the line is printed
// alone.
static void show_early(Watcher *watch) {
    Str report, early = early_of(watch, &report);
    if (!watch->grade.pid || watch->has_early || !early.len)
        return;
    watch->has_early = true;
    if (!watch->terminal.is_screen) {
        output_write(STDOUT_FILENO, early);
        return;
    }
    watch->verdict.len = watch->top = 0;
    buf_str(&watch->verdict, early);
    show(watch, NEWS_NONE);
}

static void end_grade(Watcher *watch) {
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
    show(watch, NEWS_TEXT);
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
            has_points(&end)
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

static void start_command(Watcher *watch, const CliCommand *command, Args args,
                          PageKind kind) {
    watch->kind = kind;
    start(watch, args, command_work, (void *)(uintptr_t)command, &watch->work);
}

// Of the region that the last grade named, or of the one before.
static void start_hint(Watcher *watch) {
    Args args = args_of(watch);
    Arena *arena = &watch->cli->arena;
    if (watch->todo == 0)
        watch->todo =
            watch->end->summary.region ? watch->end->summary.region : 1;
    args.words[1] = str_format(arena, "%u", (uint32_t)watch->todo).ptr;
    args.words[2] = str_format(arena, "%u", (uint32_t)watch->rung).ptr;
    args.word_count = 3;
    start_command(watch, &HINT_COMMAND, args, PAGE_HINT);
}

// There is no such rung: on to the next region, or back to the first.
static bool hint_was_last(Watcher *watch) {
    bool is_first = watch->rung == 1;
    if (watch->kind != PAGE_HINT || job_code(&watch->work) == CLI_FULL_MARKS ||
        (is_first && watch->todo == 1))
        return false;
    watch->todo = is_first ? 1 : watch->todo + 1;
    watch->rung = 1;
    start_hint(watch);
    return true;
}

static void end_work(Watcher *watch) {
    Str text = buf_view(&watch->work.text);
    if (hint_was_last(watch))
        return;
    if (watch->kind != PAGE_NOTE) {
        show_page(watch, text);
        return;
    }
    show_note(watch, text);
}

// ---- keys ----------------------------------------------------------------

static void take_lab(Watcher *watch) {
    Arena *arena = &watch->cli->arena;
    Str path = str_format(arena, "%.*s/%.*s/%.*s", STR_ARG(watch->course.labs),
                          STR_ARG(watch->lab.folder), STR_ARG(watch->lab.file));
    snprintf(watch->number, sizeof watch->number, "%u", watch->lab.number);
    watched_open(arena, path, own(watch->cli)->polls, &watch->file);
    if (watch->file.error)
        set_note(watch,
                 str_format(arena,
                            "The folder cannot be watched (%s): the file is "
                            "looked at ten times a second.",
                            strerror(watch->file.error)));
}

static void go_to_next(Watcher *watch) {
    Arena *arena = &watch->cli->arena;
    Str next = find_next(watch, arena);
    if (next.len == 0) {
        show_note(watch, STR("This is the last lab."));
        return;
    }
    job_end(&watch->grade);
    watched_close(&watch->file);
    if (course_read_conf(watch->cli, &watch->course, next, &watch->lab)) {
        watch->has_ended = true; // it has said why
        return;
    }
    watch->verdict.len = watch->page.len = 0;
    watch->todo = watch->rung = 0;
    take_lab(watch);
    begin_grade(watch);
}

static void scroll(Watcher *watch, WatchKey key) {
    size_t page = watch->terminal.rows > 3 ? watch->terminal.rows - 3 : 1;
    size_t lines = key == KEY_UP || key == KEY_DOWN ? 1 : page;
    if (key == KEY_DOWN || key == KEY_PAGE_DOWN)
        watch->top += lines;
    else
        watch->top -= watch->top < lines ? watch->top : lines;
    show(watch, NEWS_NONE);
}

static void go_back(Watcher *watch) {
    job_end(&watch->work);
    watch->page.len = 0;
    watch->top = 0;
    show(watch, NEWS_TEXT);
}

static void ask(Watcher *watch) {
    watch->is_asking = true;
    show_note(watch, STR("Back to the starter? Your file is kept beside it. "
                         "(y/n)"));
}

static void take_answer(Watcher *watch, char letter) {
    watch->is_asking = false;
    if (letter == 'y') {
        start_command(watch, &RESET_COMMAND, args_of(watch), PAGE_NOTE);
        return;
    }
    show_note(watch, STR("Nothing was changed."));
}

static void take_letter(Watcher *watch, char letter) {
    switch (letter) {
    case 'n':
        go_to_next(watch);
        break;
    case 'h':
        watch->rung++;
        start_hint(watch);
        break;
    case 'l':
        start_command(watch, &LIST_COMMAND, args_of(watch), PAGE_TEXT);
        break;
    case 'a':
        watch->kind = PAGE_TEXT;
        start(watch, args_of(watch), all_work, watch, &watch->work);
        break;
    case 'r':
        ask(watch);
        break;
    case 'o':
        watch->kind = PAGE_NOTE;
        start(watch, args_of(watch), report_work, watch, &watch->work);
        break;
    case '?':
        show_page(watch, STR(KEYS));
        break;
    case 'q':
        watch->has_ended = true;
        break;
    default:
        break;
    }
}

static void take_key(Watcher *watch, WatchKey key) {
    switch (key) {
    case KEY_NONE:
        break;
    case KEY_UP:
    case KEY_DOWN:
    case KEY_PAGE_UP:
    case KEY_PAGE_DOWN:
        scroll(watch, key);
        break;
    case KEY_BACK:
        go_back(watch);
        break;
    default:
        watch->note.len = 0;
        if (watch->is_asking)
            take_answer(watch, (char)key);
        else
            take_letter(watch, (char)key);
        break;
    }
}

// ---- what happens --------------------------------------------------------

// At its end the terminal has been closed.
static void take_keys(Watcher *watch) {
    char bytes[256];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
        watch->has_ended = true;
    if (n <= 0)
        return;
    Str typed = {bytes, (size_t)n};
    while (typed.len > 0 && !watch->has_ended)
        take_key(watch, watch_key(&typed));
}

static void take_children(Watcher *watch) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (job_take(&watch->grade, pid, status))
            end_grade(watch);
        else if (job_take(&watch->work, pid, status))
            end_work(watch);
}

static void take_output(Watcher *watch) {
    size_t before = watch->work.text.len;
    job_read(&watch->grade);
    show_early(watch);
    job_read(&watch->work);
    bool is_more = watch->work.pid && watch->work.text.len > before;
    if (is_more && watch->kind == PAGE_TEXT && watch->terminal.is_screen)
        show_page(watch, buf_view(&watch->work.text));
}

// The shell has the terminal as it was, until it lets us go on. Who leads a
// session has no shell.
static void be_stopped(Watcher *watch) {
    if (getsid(0) == getpid())
        return;
    terminal_leave(&watch->terminal);
    raise(SIGSTOP);
}

static void take_signal(Watcher *watch, uint32_t number) {
    switch (number) {
    case SIGCHLD:
        take_children(watch);
        break;
    case SIGTSTP:
        be_stopped(watch);
        break;
    case SIGCONT:
        terminal_enter(&watch->terminal);
        show(watch, NEWS_NONE);
        break;
    case SIGWINCH:
        terminal_measure(&watch->terminal);
        show(watch, NEWS_NONE);
        break;
    default:
        watch->has_ended = true;
        break;
    }
}

static void take_signals(Watcher *watch) {
    struct signalfd_siginfo got;
    while (read(watch->signals, &got, sizeof got) == (ssize_t)sizeof got)
        take_signal(watch, got.ssi_signo);
}

static void wait_for_news(Watcher *watch) {
    enum { SIGNALS, TYPED, FOLDER, GRADE, WORK, OUTPUT, COUNT };
    double wait = watched_wait(&watch->file, clock_ms());
    struct pollfd polled[COUNT] = {
        [SIGNALS] = {watch->signals, POLLIN, 0},
        [TYPED] = {watch->terminal.has_keys ? STDIN_FILENO : -1, POLLIN, 0},
        [FOLDER] = {watch->file.inotify, POLLIN, 0},
        [GRADE] = {watch->grade.pid ? watch->grade.pipe : -1, POLLIN, 0},
        [WORK] = {watch->work.pid ? watch->work.pipe : -1, POLLIN, 0},
        [OUTPUT] = {STDOUT_FILENO, 0, 0}}; // only whether somebody reads
    if (poll(polled, COUNT, (int)wait + 1) < 0)
        return;
    if (polled[OUTPUT].revents & (POLLERR | POLLHUP))
        watch->has_ended = true;
    if (polled[GRADE].revents || polled[WORK].revents)
        take_output(watch);
    if (polled[SIGNALS].revents)
        take_signals(watch);
    if (polled[TYPED].revents)
        take_keys(watch);
    if (!watch->has_ended && watched_look(&watch->file, clock_ms()))
        begin_grade(watch);
}

// ---- the command ---------------------------------------------------------

static int find_lab(Watcher *watch) {
    Cli *cli = watch->cli;
    int code;
    if (!course_find(cli, &watch->course, &code))
        return code;
    return cli->args.word_count
               ? course_lab(cli, &watch->course, cli->args.words[0],
                            &watch->lab)
               : progress_lab(cli, "watch", &watch->course, &watch->lab);
}

static int take_all_signals(Watcher *watch) {
    static const int taken[] = {SIGINT,  SIGTERM, SIGHUP,  SIGCHLD,
                                SIGTSTP, SIGCONT, SIGWINCH};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < COUNT_OF(taken); i++)
        sigaddset(&set, taken[i]);
    signal(SIGCHLD, SIG_DFL); // ignored, children would leave no status
    sigprocmask(SIG_BLOCK, &set, NULL);
    watch->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    watch->end = mmap(NULL, sizeof *watch->end, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (watch->signals >= 0 && watch->end != MAP_FAILED)
        return CLI_FULL_MARKS;
    return output_error(watch->cli, CLI_TRY_LATER, "watch: %s",
                        strerror(errno));
}

static void say_goodbye(const Watcher *watch) {
    Arena arena = {0};
    Str done = describe_progress(watch, &arena, true);
    Str line =
        str_format(&arena, "Lab %u  %.*s\n", watch->lab.number, STR_ARG(done));
    output_write(STDOUT_FILENO, line);
    arena_free(&arena);
}

static void close_all(Watcher *watch) {
    terminal_leave(&watch->terminal);
    job_free(&watch->grade);
    job_free(&watch->work);
    jobs_wait();
    say_goodbye(watch);
    watched_close(&watch->file);
    close(watch->signals);
    munmap(watch->end, sizeof *watch->end);
    buf_free(&watch->verdict);
    buf_free(&watch->page);
    buf_free(&watch->note);
}

static int watch_command(Cli *cli) {
    Watcher watch = {.cli = cli};
    int code = find_lab(&watch);
    if (code == CLI_FULL_MARKS)
        code = take_all_signals(&watch);
    if (code != CLI_FULL_MARKS)
        return code;
    jobs_adopt();
    terminal_open(&watch.terminal);
    if (!watch.terminal.has_keys)
        set_note(&watch, STR("Standard input is no terminal: there are no "
                             "keys. Each save is graded until this is ended."));
    take_lab(&watch);
    terminal_enter(&watch.terminal);
    show(&watch, watch.note.len > 0 ? NEWS_NOTE : NEWS_NONE);
    begin_grade(&watch);
    while (!watch.has_ended)
        wait_for_news(&watch);
    close_all(&watch);
    return CLI_FULL_MARKS;
}

static const WatchArgs DEFAULTS = {
    .schedule = {.seed = CLI_DEFAULT_SEED, .schedules = CLI_DEFAULT_SCHEDULES}};

static const Option OPTIONS[] = {
    {"--poll", NULL, "look at the file ten times a second", args_take_flag,
     OWN(WatchArgs, polls)},
    OPTION_EMULATION,
    OPTION_DEADLINE,
    OPTION_DEVICE,
    OPTION_MODEL,
    OPTION_SEED(WatchArgs, schedule,
                "secret inputs and schedules (default: 1)"),
    OPTION_SCHEDULES(WatchArgs, schedule, "how many schedules (default: 64)"),
    OPTION_COMPILER,
    OPTION_FLAG,
    OPTION_ROOT,
    OPTION_LABS,
    OPTIONS_OF_ALL,
};

const CliCommand WATCH_COMMAND = {
    .name = "watch",
    .summary = "Grade a lab each time that it is saved",
    .example = "clclab watch 4",
    .words = "[LAB]",
    .most_words = 1,
    .more =
        "Without LAB it is the lab that you are at. Keys, without Enter: n "
        "next lab, h hint,\nl list, a all labs, r reset, o report to a file, q "
        "quit, ? help. --poll is for file systems\nthat do not tell of "
        "changes.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = watch_command,
};
