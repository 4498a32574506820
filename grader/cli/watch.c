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
#include "cli/options.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const WatchArgs *own(const Cli *cli) {
    return cli->args.own;
}

// ---- keys ----------------------------------------------------------------

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

static void take_lab(Watcher *watch) {
    Arena *arena = &watch->cli->arena;
    Str path = str_format(arena, "%.*s/%.*s/%.*s", STR_ARG(watch->course.labs),
                          STR_ARG(watch->lab.folder), STR_ARG(watch->lab.file));
    snprintf(watch->number, sizeof watch->number, "%u", watch->lab.number);
    watched_open(arena, path, own(watch->cli)->polls, &watch->file);
    if (watch->file.error)
        watch_set_note(
            watch, str_format(arena,
                              "The folder cannot be watched (%s): the file is "
                              "looked at ten times a second.",
                              strerror(watch->file.error)));
}

static void go_to_next(Watcher *watch) {
    Arena *arena = &watch->cli->arena;
    Str next = watch_find_next(watch, arena);
    if (next.len == 0) {
        watch_show_note(watch, STR("This is the last lab."));
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
    watch_begin_grade(watch);
}

static void scroll(Watcher *watch, ScreenKey key) {
    size_t page = watch->terminal.rows > 3 ? watch->terminal.rows - 3 : 1;
    size_t lines = key == KEY_UP || key == KEY_DOWN ? 1 : page;
    if (key == KEY_DOWN || key == KEY_PAGE_DOWN)
        watch->top += lines;
    else
        watch->top -= watch->top < lines ? watch->top : lines;
    watch_show(watch, NEWS_NONE);
}

static void go_back(Watcher *watch) {
    job_end(&watch->work);
    watch->page.len = 0;
    watch->top = 0;
    watch_show(watch, NEWS_TEXT);
}

static void ask(Watcher *watch) {
    watch->is_asking = true;
    watch_show_note(watch,
                    STR("Back to the starter? Your file is kept beside it. "
                        "(y/n)"));
}

static void take_answer(Watcher *watch, char letter) {
    watch->is_asking = false;
    if (letter == 'y') {
        watch_start_command(watch, &RESET_COMMAND, watch_args(watch),
                            PAGE_NOTE);
        return;
    }
    watch_show_note(watch, STR("Nothing was changed."));
}

static void take_letter(Watcher *watch, char letter) {
    switch (letter) {
    case 'n':
        go_to_next(watch);
        break;
    case 'h':
        watch->rung++;
        watch_start_hint(watch);
        break;
    case 'l':
        watch_start_command(watch, &LIST_COMMAND, watch_args(watch), PAGE_TEXT);
        break;
    case 'a':
        watch_start_all(watch);
        break;
    case 'r':
        ask(watch);
        break;
    case 'o':
        watch_start_report(watch);
        break;
    case '?':
        watch_show_page(watch, STR(KEYS));
        break;
    case 'q':
        watch->has_ended = true;
        break;
    default:
        break;
    }
}

static void take_key(Watcher *watch, ScreenKey key) {
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
        take_key(watch, screen_key(&typed));
}

static void take_children(Watcher *watch) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (job_take(&watch->grade, pid, status))
            watch_end_grade(watch);
        else if (job_take(&watch->work, pid, status))
            watch_end_work(watch);
}

static void take_output(Watcher *watch) {
    size_t before = watch->work.text.len;
    job_read(&watch->grade);
    watch_show_early(watch);
    job_read(&watch->work);
    bool is_more = watch->work.pid && watch->work.text.len > before;
    if (is_more && watch->kind == PAGE_TEXT && watch->terminal.is_screen)
        watch_show_page(watch, buf_view(&watch->work.text));
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
        watch_show(watch, NEWS_NONE);
        break;
    case SIGWINCH:
        terminal_measure(&watch->terminal);
        watch_show(watch, NEWS_NONE);
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
        watch_begin_grade(watch);
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
    Str done = watch_progress(watch, &arena, true);
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
        watch_set_note(&watch,
                       STR("Standard input is no terminal: there are no "
                           "keys. Each save is graded until this is ended."));
    take_lab(&watch);
    terminal_enter(&watch.terminal);
    watch_show(&watch, watch.note.len > 0 ? NEWS_NOTE : NEWS_NONE);
    watch_begin_grade(&watch);
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
