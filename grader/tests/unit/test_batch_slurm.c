// SPDX-License-Identifier: Apache-2.0
// batch/slurm.c: what sbatch and squeue print is believed only if it is exactly
// what they print; a task of an unknown state counts as one that may write.
#include "batch/batch.h"
#include "tests/unit/test.h"

TEST(number_of_a_job) {
    static const char *const wrong[] = {"",
                                        "\n",
                                        "0\n",
                                        "17 \n",
                                        "17\nwarning\n",
                                        "-17\n",
                                        "x17\n",
                                        "Submitted batch job 17\n"};
    uint64_t job = 0;
    CHECK(batch_read_job(STR("17\n"), &job));
    CHECK_INT(job, 17);
    CHECK(batch_read_job(STR("18;main\n"), &job));
    CHECK_INT(job, 18);
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        CHECK(!batch_read_job(str_from(wrong[i]), &job));
}

TEST(tasks_are_counted_by_their_states) {
    BatchQueue queue;
    CHECK(batch_read_queue(STR("17|PENDING|Resources\n"
                               "17|PENDING|launch failed requeued held\n"
                               "18|RUNNING|None\n"
                               "18|COMPLETING|None\n"
                               "18|A_NEW_STATE|a|b\n"
                               "17|COMPLETED|None\n"
                               "17|NODE_FAIL|\n"
                               "17|TIMEOUT|TimeLimit\n"
                               "17|CANCELLED|None\n"),
                           &queue));
    CHECK_INT(queue.job, 18);
    CHECK_INT(queue.waiting, 2);
    CHECK_INT(queue.held, 1);
    CHECK_INT(queue.running, 3);
    CHECK_INT(queue.ended, 3);
    CHECK_INT(queue.cancelled, 1);
    CHECK_STR(queue.reason, "launch failed requeued held");
    CHECK(batch_read_queue((Str){0}, &queue));
    CHECK_INT(queue.job, 0);
}

TEST(other_words_are_no_queue) {
    static const char *const wrong[] = {
        "\n",
        "17|RUNNING|None", // cut
        "17|running|None\n",
        "17||None\n",
        "|RUNNING|None\n",
        "0|RUNNING|None\n",
        "17_3|RUNNING|None\n",
        "17|RUNNING|None\nslurm_load_jobs error\n",
    };
    BatchQueue queue;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        CHECK(!batch_read_queue(str_from(wrong[i]), &queue));
}

TEST(options_of_an_administrator) {
    static const char *const right[] = {"--account=cs", "-pgpu", "--exclusive",
                                        "--time=60", "--gres=gpu:b200:1"};
    static const char *const wrong[] = {
        "",       "b200",        "-",         "--",     "-a0-7",
        "-Jmine", "--array=0-7", "--wrap=ls", "--wait", "--output=x"};
    for (size_t i = 0; i < COUNT_OF(right); i++)
        CHECK(batch_is_job_option(right[i]));
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        CHECK(!batch_is_job_option(wrong[i]));
}

TEST_MAIN(TESTCASE(number_of_a_job),
          TESTCASE(tasks_are_counted_by_their_states),
          TESTCASE(other_words_are_no_queue),
          TESTCASE(options_of_an_administrator))
