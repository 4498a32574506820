// SPDX-License-Identifier: Apache-2.0
// cli/judge/bounded.c: that work's report and exit code come back, that each
// way in which it can end otherwise has its own code, and what it cannot do.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/judge/bounded.h"
#include "sandbox/sandbox.h"
#include "tests/unit/test.h"

#include "tools/hide.h"

enum { WORKERS = 3 };

typedef int Work(Cli *cli, void *context, BoundedNotes *notes, Buf *report);

// Runs the work with standard error output closed, as errors are printed there.
static int bounded(Work *work, void *context, uint64_t seconds, BoundedEnd *end,
                   Arena *arena) {
    Cli cli = {0};
    BoundedWork what = {.run = work,
                        .context = context,
                        .seconds = seconds,
                        .workers = WORKERS};
    int kept = dup(STDERR_FILENO);
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    int code = bounded_run(&cli, &what, end);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(nothing);
    *arena = cli.arena;
    return code;
}

// ---- the report ----------------------------------------------------------

static int work_reports(Cli *cli, void *context, BoundedNotes *notes,
                        Buf *report) {
    (void)cli, (void)notes;
    const size_t *bytes = context;
    for (size_t i = 0; i < *bytes; i++)
        buf_byte(report, (char)i);
    return CLI_BELOW;
}

static int work_adds_more(Cli *cli, void *context, BoundedNotes *notes,
                          Buf *report) {
    (void)cli, (void)context;
    buf_str(report, STR("report"));
    notes->report_bytes = report->len;
    buf_str(report, STR("and more"));
    return CLI_BELOW;
}

TEST(what_is_behind_the_report_comes_back_apart_from_it) {
    BoundedEnd end;
    Arena arena;
    CHECK_INT(bounded(work_adds_more, NULL, 0, &end, &arena), CLI_BELOW);
    CHECK_STR(end.report, "report");
    CHECK_STR(end.more, "and more");
    arena_free(&arena);
}

TEST(a_report_of_any_length_comes_back_with_its_code) {
    static const size_t lengths[] = {0, 1, 100, 5 * 1000 * 1000};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        BoundedEnd end;
        Arena arena;
        size_t bytes = lengths[i];
        CHECK_INT(bounded(work_reports, &bytes, 0, &end, &arena), CLI_BELOW);
        CHECK(!end.is_exceeded);
        CHECK_U64(end.report.len, bytes);
        for (size_t k = 0; k < end.report.len; k++)
            if (!CHECK_INT(end.report.ptr[k], (char)k))
                break;
        arena_free(&arena);
    }
}

// ---- limits --------------------------------------------------------------

static int work_takes_memory(Cli *cli, void *context, BoundedNotes *notes,
                             Buf *report) {
    (void)cli, (void)context, (void)report;
    const Result result = {0};
    bounded_enter(notes, GRADE_PROBES, &result);
    notes->passed[3] = true;
    size_t bytes = (size_t)4 << 30;
    char *memory = sparse_alloc(bytes);
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    return CLI_FULL_MARKS;
}

TEST(memory_is_limited_and_the_stage_is_told) {
    BoundedEnd end;
    Arena arena;
    struct rusage used;
    CHECK_INT(bounded(work_takes_memory, NULL, 0, &end, &arena), CLI_BELOW);
    CHECK(end.is_exceeded);
    CHECK_U64(end.report.len, 0);
    CHECK(end.exceeded.is_memory);
    CHECK_U64(end.exceeded.limit, 2048);
    CHECK_INT(end.exceeded.stage, GRADE_PROBES);
    CHECK(end.exceeded.passed[3] && !end.exceeded.passed[2]);
    CHECK_STR(end.exceeded.spent, "the runs of other sizes");
    getrusage(RUSAGE_CHILDREN, &used);
    CHECK(used.ru_maxrss >> 10 < 2500); // MiB
    arena_free(&arena);
}

static int work_opens_a_file(Cli *cli, void *context, BoundedNotes *notes,
                             Buf *report) {
    (void)cli, (void)context, (void)report;
    bool can = open("/dev/null", O_RDONLY) >= 0;
    return can == !notes->is_confined ? CLI_FULL_MARKS : CLI_BELOW;
}

// As many threads as there are processors could take more than one does.
static int work_takes_memory_with_a_crew(Cli *cli, void *context,
                                         BoundedNotes *notes, Buf *report) {
    buf_printf(report, "%zu", crew_workers(cli->crew));
    return crew_workers(cli->crew) > 1
               ? work_takes_memory(cli, context, notes, report)
               : CLI_FULL_MARKS;
}

TEST(what_is_too_much_for_a_crew_is_done_by_one) {
    BoundedEnd end;
    Arena arena;
    CHECK_INT(bounded(work_takes_memory_with_a_crew, NULL, 0, &end, &arena),
              CLI_FULL_MARKS);
    CHECK(!end.is_exceeded);
    CHECK_STR(end.report, "1");
    arena_free(&arena);
}

TEST(work_and_its_caller_are_told_whether_it_can_only_compute) {
    BoundedEnd end;
    Arena arena;
    CHECK_INT(bounded(work_opens_a_file, NULL, 0, &end, &arena),
              CLI_FULL_MARKS);
    bool told = end.is_confined;
    arena_free(&arena);
    CHECK_INT(bounded(work_takes_memory, NULL, 0, &end, &arena), CLI_BELOW);
    CHECK_INT(end.is_confined, told);
    arena_free(&arena);
}

// As a driver does: it opens files and starts processes.
static int work_uses_a_card(Cli *cli, void *context, BoundedNotes *notes,
                            Buf *report) {
    (void)cli, (void)context, (void)report;
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    bool started = waitpid(child, &status, 0) == child && status == 7 << 8;
    bool opened = open("/dev/null", O_RDWR) >= 0;
    return started && opened && !notes->is_confined ? CLI_FULL_MARKS
                                                    : CLI_BELOW;
}

static int work_spends_in_two(Cli *cli, void *context, BoundedNotes *notes,
                              Buf *report) {
    (void)cli, (void)context, (void)report;
    const Result result = {0};
    bounded_enter(notes, GRADE_CARD, &result);
    fork();
    for (volatile unsigned i = 0;; i++)
        continue;
    return CLI_FULL_MARKS;
}

TEST(work_with_a_card_can_do_more_within_limits_of_its_own) {
    BoundedEnd end;
    Cli cli = {0};
    BoundedWork work = {.run = work_uses_a_card, .has_card = true};
    CHECK_INT(bounded_run(&cli, &work, &end), CLI_FULL_MARKS);
    CHECK(!end.is_exceeded);
    work.run = work_spends_in_two;
    work.card_seconds = work.seconds = 1;
    CHECK_INT(bounded_run(&cli, &work, &end), CLI_BELOW);
    CHECK(end.is_exceeded);
    CHECK(!end.exceeded.is_memory);
    CHECK_U64(end.exceeded.limit, 2);
    CHECK_STR(end.exceeded.spent, "the runs on the GPU 2.0 s");
    arena_free(&cli.arena);
}

static int work_leaves_a_mark(Cli *cli, void *context, BoundedNotes *notes,
                              Buf *report) {
    (void)cli, (void)notes, (void)report;
    *(volatile bool *)context = true;
    return CLI_FULL_MARKS;
}

TEST(work_that_is_to_be_confined_is_not_done_otherwise) {
    BoundedEnd end;
    if (!hide_seccomp())
        SKIP("this kernel has no seccomp filters");
    Cli cli = {0};
    volatile bool *is_done = mmap(NULL, sizeof *is_done, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    BoundedWork work = {.run = work_leaves_a_mark,
                        .context = (void *)is_done,
                        .only_confined = true};
    CHECK_INT(bounded_run(&cli, &work, &end), CLI_MISSING);
    CHECK(!*is_done);
    work.only_confined = false;
    CHECK_INT(bounded_run(&cli, &work, &end), CLI_FULL_MARKS);
    CHECK(*is_done);
    munmap((void *)is_done, sizeof *is_done);
    arena_free(&cli.arena);
}

static int work_spins(Cli *cli, void *context, BoundedNotes *notes,
                      Buf *report) {
    (void)cli, (void)context, (void)report;
    const Result result = {0};
    notes->began -= 0.7;
    bounded_enter(notes, GRADE_SCHEDULES, &result);
    for (volatile unsigned i = 1; i; i |= 1)
        continue;
    return CLI_FULL_MARKS;
}

TEST(time_is_limited_and_what_it_went_into_is_told) {
    BoundedEnd end;
    Arena arena;
    CHECK_INT(bounded(work_spins, NULL, 1, &end, &arena), CLI_BELOW);
    CHECK(end.is_exceeded && !end.exceeded.is_memory);
    CHECK_U64(end.exceeded.limit, 1);
    CHECK_INT(end.exceeded.stage, GRADE_SCHEDULES);
    CHECK_STR(end.exceeded.spent, "reading the PTX 0.7 s, the schedules 0.3 s");
    arena_free(&arena);
}

// ---- neither the file's fault nor a limit ---------------------------------

static int work_asks_for_too_much(Cli *cli, void *context, BoundedNotes *notes,
                                  Buf *report) {
    (void)cli, (void)context, (void)notes, (void)report;
    sparse_alloc(SIZE_MAX / 2);
    return CLI_FULL_MARKS;
}

static int work_crashes(Cli *cli, void *context, BoundedNotes *notes,
                        Buf *report) {
    (void)cli, (void)context, (void)notes, (void)report;
    abort();
}

static int work_leaves(Cli *cli, void *context, BoundedNotes *notes,
                       Buf *report) {
    (void)cli, (void)notes, (void)report;
    const int *code = context;
    _exit(*code);
}

static int work_breaks_off(Cli *cli, void *context, BoundedNotes *notes,
                           Buf *report) {
    (void)cli, (void)context, (void)notes, (void)report;
    static const char begun[] = "\0\0\0\0{ \"score\": 100";
    _exit(write(STDOUT_FILENO, begun, sizeof begun) > 0 ? 3 : 4);
}

TEST(what_is_no_report_is_no_verdict) {
    BoundedEnd end;
    Arena arena;
    int codes[] = {0, 1, 3};
    int later = CLI_TRY_LATER;
#ifdef __SANITIZE_ADDRESS__
    later = CLI_OURS; // the search for leaks replaces the child's exit code
#endif
    CHECK_INT(bounded(work_asks_for_too_much, NULL, 0, &end, &arena), later);
    CHECK(!end.is_exceeded && end.report.len == 0);
    arena_free(&arena);
    CHECK_INT(bounded(work_breaks_off, NULL, 0, &end, &arena), CLI_OURS);
    CHECK(!end.is_exceeded && end.report.len == 0);
    arena_free(&arena);
    CHECK_INT(bounded(work_crashes, NULL, 0, &end, &arena), CLI_OURS);
    CHECK(!end.is_exceeded && end.report.len == 0);
    arena_free(&arena);
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        CHECK_INT(bounded(work_leaves, &codes[i], 0, &end, &arena), CLI_OURS);
        CHECK(!end.is_exceeded && end.report.len == 0);
        arena_free(&arena);
    }
}

// ---- while it works ------------------------------------------------------

typedef struct Looked {
    int calls;
    uint32_t region; // that the work had told at the last call
} Looked;

static void look(Cli *cli, void *context, const BoundedNotes *notes) {
    (void)cli;
    Looked *looked = context;
    looked->calls++;
    looked->region = notes->summary.region;
}

static int work_goes_on(Cli *cli, void *context, BoundedNotes *notes,
                        Buf *report) {
    (void)cli, (void)context, (void)report;
    double end = clock_ms() + 200;
    notes->summary.region = 7;
    while (clock_ms() < end)
        continue;
    return CLI_FULL_MARKS;
}

TEST(the_caller_sees_what_the_work_tells_while_it_goes_on) {
    Looked looked = {0};
    BoundedEnd end;
    Cli cli = {0};
    BoundedWork work = {.run = work_goes_on, .look = look, .context = &looked};
    CHECK_INT(bounded_run(&cli, &work, &end), CLI_FULL_MARKS);
    CHECK(looked.calls > 1);
    CHECK_INT(looked.region, 7);
    arena_free(&cli.arena);
}

// ---- what it cannot do ---------------------------------------------------

static bool is_denied(long result) {
    return result == -1 && errno == EPERM;
}

static int work_tries(Cli *cli, void *context, BoundedNotes *notes,
                      Buf *report) {
    (void)cli, (void)context, (void)notes;
    char byte = 0;
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *data = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool denied[] = {
        is_denied(open("/etc/passwd", O_RDONLY)),
        is_denied(open("/tmp/x", O_CREAT | O_WRONLY, 0600)),
        is_denied(fork()),
        is_denied(socket(AF_UNIX, SOCK_STREAM, 0)),
        is_denied(kill(getppid(), 0)),
        is_denied(read(0, &byte, 1)),
        is_denied(write(0, &byte, 1)),
        is_denied(write(3, &byte, 1)),
        is_denied(execl("/bin/true", "true", (char *)NULL)),
        code == MAP_FAILED,
        data != MAP_FAILED && is_denied(mprotect(data, 4096, PROT_EXEC)),
        write(1, "", 0) == 0,
    };
    for (size_t i = 0; i < COUNT_OF(denied); i++)
        buf_byte(report, denied[i] ? 'd' : '-');
    return CLI_FULL_MARKS;
}

static void *nothing(void *context) {
    return context;
}

// What each thread of the crew is denied, a letter each.
static void try_in_crew(void *context, size_t worker) {
    char *denied = context;
    pthread_t thread;
    bool is_all = is_denied(open("/etc/passwd", O_RDONLY)) &&
                  is_denied(fork()) && is_denied(kill(getppid(), 0)) &&
                  pthread_create(&thread, NULL, nothing, NULL) != 0;
    denied[worker] = is_all ? 'd' : '-';
}

static int work_tries_in_crew(Cli *cli, void *context, BoundedNotes *notes,
                              Buf *report) {
    (void)context, (void)notes;
    char denied[WORKERS + 1] = {0};
    if (crew_workers(cli->crew) == WORKERS)
        crew_run(cli->crew, try_in_crew, denied);
    buf_str(report, str_from(denied));
    return CLI_FULL_MARKS;
}

static int body_asks(void *context, int out) {
    (void)context, (void)out;
    return sandbox_only_compute();
}

TEST(the_work_can_use_memory_and_nothing_else) {
    BoundedEnd end;
    Arena arena = {0};
    SandboxJob job = {.body = body_asks};
    SandboxResult ran;
    Diags diags = diags_new(&arena);
    CHECK(sandbox_run(&arena, &job, &ran, &diags));
    arena_free(&arena);
    if (ran.code == 0)
        SKIP("this kernel or build has no filter of system calls");
    CHECK_INT(bounded(work_tries, NULL, 0, &end, &arena), CLI_FULL_MARKS);
    CHECK_STR(end.report, "dddddddddddd");
    arena_free(&arena);
    CHECK_INT(bounded(work_tries_in_crew, NULL, 0, &end, &arena),
              CLI_FULL_MARKS);
    CHECK_STR(end.report, "ddd");
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(a_report_of_any_length_comes_back_with_its_code),
          TESTCASE(what_is_behind_the_report_comes_back_apart_from_it),
          TESTCASE(memory_is_limited_and_the_stage_is_told),
          TESTCASE(what_is_too_much_for_a_crew_is_done_by_one),
          TESTCASE(work_and_its_caller_are_told_whether_it_can_only_compute),
          TESTCASE(work_with_a_card_can_do_more_within_limits_of_its_own),
          TESTCASE(work_that_is_to_be_confined_is_not_done_otherwise),
          TESTCASE(time_is_limited_and_what_it_went_into_is_told),
          TESTCASE(what_is_no_report_is_no_verdict),
          TESTCASE(the_caller_sees_what_the_work_tells_while_it_goes_on),
          TESTCASE(the_work_can_use_memory_and_nothing_else))
