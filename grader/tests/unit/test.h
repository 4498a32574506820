// SPDX-License-Identifier: Apache-2.0
// A tiny unit-test harness that prints TAP 14. One test_*.c is one program.
//
//   TEST(adds_numbers) { CHECK_INT(add(2, 2), 4); }
//   TEST_MAIN(TESTCASE(adds_numbers))
//
// Each test runs in a child process, so that one that crashes, exits or hangs
// (60 s) fails and the rest still run. A test that checks nothing fails too.
// `PROGRAM NAME` runs one test in this process, for a debugger.
// A program whose tests are files has one TestCase for each file, all with the
// same `run_named`, and calls test_run_all itself.
// The value of a CHECK is whether it held: `if (!CHECK(p)) return;`.
//
// The static below is the one mutable file-scope variable that the style rules
// allow: a test body has no context parameter to pass to helper functions.
#ifndef CLCLAB_TEST_H
#define CLCLAB_TEST_H

#include "base/base.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct TestCase {
    const char *name;
    void (*run)(void);
    void (*run_named)(const char *name); // used instead of run
} TestCase;

// What a test's process tells its parent, in memory that both share.
typedef struct TestState {
    unsigned checks;
    unsigned failures;
    bool finished; // the body returned, instead of exiting or crashing
    char skip[256];
} TestState;

static TestState *test_state;

#define TEST(name) static void test_##name(void)
#define TESTCASE(test) \
    { .name = #test, .run = test_##test }
#define TEST_MAIN(...)                                  \
    int main(int argc, char **argv) {                   \
        static const TestCase cases[] = {__VA_ARGS__};  \
        return test_run_all(cases, COUNT_OF(cases),     \
                            argc > 1 ? argv[1] : NULL); \
    }

#define CHECK(condition) test_check((condition), __FILE__, __LINE__, #condition)
// Compared as int64_t.
#define CHECK_INT(actual, expected)                                            \
    test_check_int((int64_t)(actual), (int64_t)(expected), __FILE__, __LINE__, \
                   #actual)
#define CHECK_U64(actual, expected)                                    \
    test_check_u64((uint64_t)(actual), (uint64_t)(expected), __FILE__, \
                   __LINE__, #actual)
// Equal, or within a relative 1e-12; NaN equals nothing.
#define CHECK_DOUBLE(actual, expected)                                \
    test_check_double((double)(actual), (double)(expected), __FILE__, \
                      __LINE__, #actual)
// Compares a Str with a C string.
#define CHECK_STR(actual, expected) \
    test_check_str((actual), str_from(expected), __FILE__, __LINE__, #actual)
// The first checks that a Str contains a C string; the second, that it does
// not.
#define CHECK_HOLDS(actual, part) \
    test_check_holds((actual), str_from(part), __FILE__, __LINE__, #actual)
#define CHECK_LACKS(actual, part) \
    test_check_lacks((actual), str_from(part), __FILE__, __LINE__, #actual)
// Ends the test, but not from a helper function, and says why.
#define SKIP(reason)       \
    do {                   \
        test_skip(reason); \
        return;            \
    } while (0)

static inline bool test_count(bool ok, const char *file, int line) {
    test_state->checks++;
    if (!ok) {
        test_state->failures++;
        printf("# %s:%d: check failed\n", file, line);
    }
    return ok;
}

static inline bool test_check(bool ok, const char *file, int line,
                              const char *expression) {
    if (!test_count(ok, file, line))
        printf("#   false: %s\n", expression);
    return ok;
}

static inline bool test_check_int(int64_t actual, int64_t expected,
                                  const char *file, int line,
                                  const char *expression) {
    if (test_count(actual == expected, file, line))
        return true;
    printf("#   %s\n#   is       %" PRId64 "\n#   expected %" PRId64 "\n",
           expression, actual, expected);
    return false;
}

static inline bool test_check_u64(uint64_t actual, uint64_t expected,
                                  const char *file, int line,
                                  const char *expression) {
    if (test_count(actual == expected, file, line))
        return true;
    printf("#   %s\n#   is       %#" PRIx64 "\n#   expected %#" PRIx64 "\n",
           expression, actual, expected);
    return false;
}

// |x|. The functions of math.h are not taken in: their header is longer than
// most tests.
static inline double test_size(double x) {
    return x < 0 ? -x : x;
}

static inline bool test_check_double(double actual, double expected,
                                     const char *file, int line,
                                     const char *expression) {
    double a = test_size(actual), e = test_size(expected);
    double slack = 1e-12 * (a > e ? a : e);
    bool same = actual == expected ||
                (slack <= DBL_MAX && test_size(actual - expected) <= slack);
    if (test_count(same, file, line))
        return true;
    printf("#   %s\n#   is       %.17g\n#   expected %.17g\n", expression,
           actual, expected);
    return false;
}

// Prints newlines and control bytes as escapes, because TAP is a format of
// lines.
static inline void test_print_str(const char *label, Str s) {
    printf("#   %s \"", label);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char byte = (unsigned char)s.ptr[i];
        if (byte == '\n')
            printf("\\n");
        else if (byte < 32 || byte == 127)
            printf("\\x%02x", byte);
        else
            putchar(byte);
    }
    printf("\"\n");
}

static inline bool test_check_str(Str actual, Str expected, const char *file,
                                  int line, const char *expression) {
    if (test_count(str_equal(actual, expected), file, line))
        return true;
    printf("#   %s\n", expression);
    test_print_str("is      ", actual);
    test_print_str("expected", expected);
    return false;
}

static inline bool test_holds(Str text, Str part) {
    return part.len == 0 ||
           (text.len >= part.len &&
            memmem(text.ptr, text.len, part.ptr, part.len) != NULL);
}

static inline bool test_check_holds(Str actual, Str part, const char *file,
                                    int line, const char *expression) {
    if (test_count(test_holds(actual, part), file, line))
        return true;
    printf("#   %s\n", expression);
    test_print_str("is         ", actual);
    test_print_str("should hold", part);
    return false;
}

static inline bool test_check_lacks(Str actual, Str part, const char *file,
                                    int line, const char *expression) {
    if (test_count(!test_holds(actual, part), file, line))
        return true;
    printf("#   %s\n", expression);
    test_print_str("is             ", actual);
    test_print_str("should not hold", part);
    return false;
}

// A whole file, followed by a NUL; empty if it cannot be read.
static inline Str test_file(Arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return (Str){0};
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = arena_new(arena, char, size + 1);
    size_t count = fread(text, 1, size, file);
    fclose(file);
    return (Str){text, count};
}

static inline void test_skip(const char *reason) {
    snprintf(test_state->skip, sizeof test_state->skip, "%s", reason);
}

static inline void test_run_body(const TestCase *test) {
    if (test->run_named)
        test->run_named(test->name);
    else
        test->run();
    test_state->finished = true;
    fflush(stdout);
}

// A test that hangs ends then, by the clock. Sanitized, and on a machine that
// is busy with other work, a right one has taken more than a minute.
#ifdef __SANITIZE_ADDRESS__
enum { TEST_SECONDS = 300 };
#else
enum { TEST_SECONDS = 120 };
#endif

// Runs a test in a child that writes to `log`, waits for it, and returns its
// wait status.
static inline int test_run_child(const TestCase *test, FILE *log) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(log), STDOUT_FILENO);
        dup2(fileno(log), STDERR_FILENO);
        alarm(TEST_SECONDS);
        test_run_body(test);
        exit(0); // not _exit: a sanitizer reports leaks here
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return status;
}

// Prints what a test wrote, as TAP comments after its result.
static inline void test_print_log(FILE *log) {
    char line[1024];
    bool at_start = true;
    rewind(log);
    while (fgets(line, sizeof line, log)) {
        printf("%s%s", at_start && line[0] != '#' ? "# " : "", line);
        at_start = strchr(line, '\n') != NULL;
    }
    if (!at_start)
        putchar('\n');
}

static inline void test_print_result(unsigned number, const TestCase *test,
                                     bool ok) {
    if (ok && test_state->skip[0])
        printf("ok %u - %s # SKIP %s\n", number, test->name, test_state->skip);
    else
        printf("%s %u - %s\n", ok ? "ok" : "not ok", number, test->name);
}

// Whether a test passed, by its wait status and by test_state.
static inline bool test_passed(int status) {
    return status == 0 && test_state->finished && test_state->failures == 0 &&
           (test_state->checks != 0 || test_state->skip[0] != '\0');
}

// Prints why a test failed, if the reason is not a failed check.
static inline void test_print_reason(int status) {
    if (WIFSIGNALED(status))
        printf("# died of signal %d (%s)\n", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    else if (status != 0)
        printf("# its process exited with %d\n", WEXITSTATUS(status));
    else if (!test_state->finished)
        printf("# its process exited inside the test\n");
    else if (test_state->checks == 0)
        printf("# it checked nothing\n");
}

// Runs one test and prints its result. Returns whether it passed.
static inline bool test_run_one(unsigned number, const TestCase *test) {
    FILE *log = tmpfile();
    if (!log) {
        printf("not ok %u - %s\n# no temporary file\n", number, test->name);
        return false;
    }
    memset(test_state, 0, sizeof *test_state);
    int status = test_run_child(test, log);
    bool ok = test_passed(status);
    test_print_result(number, test, ok);
    test_print_log(log);
    if (!ok)
        test_print_reason(status);
    fclose(log);
    return ok;
}

static inline int test_run_named(const TestCase *cases, size_t count,
                                 const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, cases[i].name) != 0)
            continue;
        test_run_body(&cases[i]);
        test_print_result((unsigned)i + 1, &cases[i], test_passed(0));
        return !test_passed(0);
    }
    printf("no such test: %s\n", name);
    return 1;
}

static inline int test_run_all(const TestCase *cases, size_t count,
                               const char *only) {
    setvbuf(stdout, NULL, _IOLBF, 0); // so that a crash loses no line
    test_state = mmap(NULL, sizeof *test_state, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (test_state == MAP_FAILED) {
        printf("Bail out! no shared memory\n");
        return 1;
    }
    if (only)
        return test_run_named(cases, count, only);
    unsigned failed = 0;
    printf("TAP version 14\n1..%zu\n", count);
    for (size_t i = 0; i < count; i++)
        failed += !test_run_one((unsigned)i + 1, &cases[i]);
    return failed != 0;
}

#endif
