// SPDX-License-Identifier: Apache-2.0
// Runs one suite up to the first failed test: see suite.h. A mutant of sandbox/
// may kill process 1 or remove the wrong folder, so the suite has its own PID
// namespace and can write to only one folder.
#include "tests/mutate-grader/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// After a failed test comes the reason; what has not arrived by then is not
// read.
enum { AFTERWORD_MS = 500, NOT_STARTED = 127 };

typedef struct Suite {
    const SuiteLimits *limits;
    SuiteOutcome *outcome;
    pid_t process; // PID 1 of the namespace, or the group's leader
    int output;    // what the suite prints
    FILE *log;
    bool *alone; // shared with the suite's processes
    double ends; // by now()
    char line[1024];
    size_t length; // of the line so far
} Suite;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

const char *suite_end_name(SuiteEnd end) {
    static const char *const names[] = {"passed", "failed", "crashed", "hung"};
    return names[end];
}

static bool starts(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

// ---- the suite's side ----------------------------------------------------

static bool set_read_only(const char *path, unsigned flags, bool read_only) {
    struct { // struct mount_attr, which older headers lack
        uint64_t set, clear, propagation, user_namespace;
    } attributes = {0};
    *(read_only ? &attributes.set : &attributes.clear) = MS_RDONLY;
    return syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attributes,
                   sizeof attributes) == 0;
}

static bool make_folders(const char *path) {
    char name[PATH_MAX];
    for (size_t i = 1; i < sizeof name; i++) {
        if (path[i] && path[i] != '/')
            continue;
        snprintf(name, sizeof name, "%.*s", (int)i, path);
        if (mkdir(name, 0755) != 0 && errno != EEXIST)
            return false;
        if (!path[i])
            return true;
    }
    return false;
}

// An empty /tmp, for tmpfile. The tree that is tested may be in the old one: it
// is put where it was.
static bool empty_tmp(void) {
    char tree[PATH_MAX], link[64];
    int open_tree = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(link, sizeof link, "/proc/self/fd/%d", open_tree);
    if (open_tree < 0 || !getcwd(tree, sizeof tree) ||
        mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777") != 0)
        return false;
    bool inside = starts(tree, "/tmp/");
    bool there =
        !inside || (make_folders(tree) &&
                    mount(link, tree, NULL, MS_BIND | MS_REC, NULL) == 0);
    close(open_tree);
    return there && chdir(tree) == 0;
}

static bool hide_files(const char *writable) {
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(writable, writable, NULL, MS_BIND, NULL) == 0 &&
           set_read_only("/", AT_RECURSIVE, true) &&
           set_read_only(writable, 0, false) && empty_tmp();
}

// A mutant may take all memory: it is what the system then ends first.
static void go_first(void) {
    FILE *file = fopen("/proc/self/oom_score_adj", "w");
    if (!file)
        return;
    fputs("1000", file);
    fclose(file);
}

static void run_command(const Suite *suite, int output, char *const *command) {
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    if (suite->limits->bytes)
        limit.rlim_cur = suite->limits->bytes;
    setrlimit(RLIMIT_AS, &limit);
    go_first();
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    close(nothing);
    close(output);
    execvp(command[0], command);
    _exit(NOT_STARTED);
}

// PID 1 takes what others leave behind, and ends as the command does: what is
// still running then ends with it.
static void be_first(const Suite *suite, int output, char *const *command) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (*suite->alone)
        *suite->alone = hide_files(suite->limits->writable) &&
                        mount("proc", "/proc", "proc", 0, NULL) == 0;
    pid_t child = fork();
    if (child == 0)
        run_command(suite, output, command);
    close(output);
    int status = 0;
    for (pid_t ended = 0; ended != child;) {
        ended = wait(&status);
        if (ended < 0 && errno != EINTR)
            _exit(NOT_STARTED);
    }
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

// The caller's own view of processes and files stays what it is.
static pid_t fork_alone(bool *alone) {
    pid_t process = (pid_t)syscall(
        SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
    if (process == 0)
        *alone = true;
    return process >= 0 ? process : fork();
}

// ---- what it prints ------------------------------------------------------

// Lines of TAP; of those behind the first failed test, why it failed.
static void read_line(Suite *suite) {
    SuiteOutcome *outcome = suite->outcome;
    const char *line = suite->line;
    if (starts(line, "not ok ") && outcome->end == SUITE_PASSED) {
        outcome->end = SUITE_FAILED;
        snprintf(outcome->test, sizeof outcome->test, "%s",
                 line + strlen("not ok "));
    } else if (outcome->end == SUITE_FAILED &&
               starts(line, "# died of signal 14 ")) { // the test's own alarm
        outcome->end = SUITE_HUNG;
    } else if (outcome->end == SUITE_FAILED &&
               starts(line, "# died of signal ")) {
        outcome->end = SUITE_CRASHED;
    }
}

static void read_bytes(Suite *suite, const char *bytes, size_t count) {
    fwrite(bytes, 1, count, suite->log);
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (suite->length < sizeof suite->line - 1)
                suite->line[suite->length++] = bytes[i];
            continue;
        }
        suite->line[suite->length] = '\0';
        read_line(suite);
        suite->length = 0;
    }
}

static int wait_ms(const Suite *suite) {
    double left = (suite->ends - now()) * 1000;
    if (suite->outcome->end != SUITE_PASSED && left > AFTERWORD_MS)
        return AFTERWORD_MS;
    return left > 0 ? (int)left + 1 : 0;
}

// Until it ends, has failed, or its time is over.
static void read_output(Suite *suite) {
    struct pollfd wait = {.fd = suite->output, .events = POLLIN};
    for (;;) {
        char bytes[4096];
        int ready = poll(&wait, 1, wait_ms(suite));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            break;
        ssize_t count = read(suite->output, bytes, sizeof bytes);
        if (count <= 0)
            return;
        read_bytes(suite, bytes, (size_t)count);
    }
    if (suite->outcome->end == SUITE_PASSED)
        suite->outcome->end = SUITE_HUNG;
}

static void end_suite(Suite *suite) {
    int status = 0;
    // What closed its output may still run.
    while (suite->outcome->end == SUITE_PASSED && now() < suite->ends) {
        if (waitpid(suite->process, &status, WNOHANG) == suite->process) {
            int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
            if (code)
                suite->outcome->end =
                    code >= 128 ? SUITE_CRASHED : SUITE_FAILED;
            kill(-suite->process, SIGKILL);
            return;
        }
        usleep(1000);
    }
    if (suite->outcome->end == SUITE_PASSED)
        suite->outcome->end = SUITE_HUNG;
    kill(suite->process, SIGKILL);
    kill(-suite->process, SIGKILL);
    waitpid(suite->process, &status, 0);
}

static void run_suite(Suite *suite, char *const *command) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    suite->process = fork_alone(suite->alone);
    if (suite->process == 0)
        be_first(suite, ends[1], command);
    close(ends[1]);
    suite->output = ends[0];
    if (suite->process > 0) {
        suite->outcome->end = SUITE_PASSED;
        read_output(suite);
        end_suite(suite);
    }
    close(ends[0]);
}

SuiteOutcome suite_run(const SuiteLimits *limits, char *const *command) {
    SuiteOutcome outcome = {.end = SUITE_CRASHED};
    Suite suite = {.limits = limits, .outcome = &outcome};
    double start = now();
    suite.ends = start + limits->seconds;
    suite.log = fopen(limits->log, "w");
    suite.alone = mmap(NULL, sizeof *suite.alone, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!suite.log || suite.alone == MAP_FAILED)
        return outcome;
    run_suite(&suite, command);
    outcome.alone = *suite.alone;
    outcome.seconds = now() - start;
    munmap(suite.alone, sizeof *suite.alone);
    fclose(suite.log);
    return outcome;
}
