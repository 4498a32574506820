// SPDX-License-Identifier: Apache-2.0
// Work in a child: what it wrote, how it ended, and that nothing is left of it.
#include "sandbox/job.h"
#include "sandbox/paths.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int says_and_exits(void *context) {
    file_put(STDOUT_FILENO, STR("out\n"));
    file_put(STDERR_FILENO, STR("err\n"));
    return *(int *)context;
}

static int crashes(void *context) {
    (void)context;
    signal(SIGUSR1, SIG_DFL);
    raise(SIGUSR1);
    return 0;
}

static int starts_another(void *context) {
    (void)context;
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    dprintf(STDOUT_FILENO, "%d\n", pid);
    while (pause() != 0)
        continue;
    return 0;
}

static void wait_for(Job *job) {
    int status;
    pid_t pid = waitpid(job->pid, &status, 0);
    CHECK(!job_take(job, pid + 1, status));
    CHECK(job_take(job, pid, status) && !job_take(job, pid, status));
}

TEST(work_says_how_it_ended) {
    Job job = {0};
    int code = 7;
    CHECK(job_start(says_and_exits, &code, &job));
    wait_for(&job);
    CHECK_STR(buf_view(&job.text), "out\nerr\n");
    CHECK_INT(job_code(&job), 7);
    CHECK(job.took >= 0);
    CHECK(job_start(crashes, NULL, &job));
    wait_for(&job);
    CHECK_INT(job_code(&job), -1);
    CHECK_STR(buf_view(&job.text), "");
    job_free(&job);
}

TEST(work_that_is_ended_leaves_nothing) {
    Job job = {0};
    uint64_t other = 0;
    jobs_adopt();
    CHECK(job_start(starts_another, NULL, &job));
    while (job.text.len == 0 || job.text.ptr[job.text.len - 1] != '\n') {
        struct pollfd polled = {job.pipe, POLLIN, 0};
        poll(&polled, 1, 10000);
        job_read(&job);
    }
    CHECK(str_to_u64(str_trim(buf_view(&job.text)), &other) && other > 1);
    CHECK_INT(kill((pid_t)other, 0), 0);
    job_end(&job);
    jobs_wait();
    CHECK(kill((pid_t)other, 0) != 0 && errno == ESRCH);
    job_free(&job);
}

TEST_MAIN(TESTCASE(work_says_how_it_ended),
          TESTCASE(work_that_is_ended_leaves_nothing))
