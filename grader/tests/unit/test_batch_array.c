// SPDX-License-Identifier: Apache-2.0
// The batch that waits for an array of tasks: what it takes of them, what it
// does about those that are lost, and how it goes on. Small scripts stand for
// Slurm's programs. Where a task is to grade something, the script copies what
// a batch on this machine has made in made/.
#include "tests/unit/batch_fake.h"

typedef struct Site {
    Fake fake;
    BatchRequest request;
    BatchCluster cluster;
} Site;

// Lines of a script.
#define GRADES                                 \
    "for part in records results reports; do " \
    "cp made/$part/* out/$part/; done\n"
#define ENDS(text)                               \
    "for plan in out/slurm/clclab-*/*.plan; do " \
    "printf '" text "' >\"${plan%.plan}.end\"; done\n"
#define ENDS_WELL ENDS("code 0\\nwhy \\n")
#define QUEUE(state) "echo '17|" state "|None'\n"

static void script(Site *site, const char *name, const char *text) {
    const char *path = str_format(&site->fake.arena, "bin/%s", name).ptr;
    put(path,
        str_format(&site->fake.arena, "#!/bin/sh\ncd %s\necho x >>%s.calls\n%s",
                   site->fake.room.folder, name, text));
    CHECK_INT(chmod(path, 0700), 0);
}

static size_t calls_of(Site *site, const char *name) {
    const char *path = str_format(&site->fake.arena, "%s.calls", name).ptr;
    return file_exists(path) ? get(&site->fake.arena, path).len / 2 : 0;
}

static void site_open(Site *site) {
    *site = (Site){.request = fake_request()};
    fake_open(&site->fake);
    mkdir("bin", 0700);
    put("class/ana.cu", STR("points 42.5 rules CLC006\n"));
    put("class/ben.cu", STR("points 100\n"));
    BatchRequest here = site->request;
    here.out = STR("made");
    CHECK_INT(batch_run(&site->fake.host, &here), BATCH_DONE);
    CHECK_INT(unlink("graded.txt"), 0);
    setenv("PATH",
           str_format(&site->fake.arena, "%s/bin:/usr/bin:/bin",
                      site->fake.room.folder)
               .ptr,
           1);
    site->cluster = (BatchCluster){.shards = 2};
    site->request.cluster = &site->cluster;
    script(site, "sbatch", GRADES ENDS_WELL "echo 17\n");
    script(site, "squeue", QUEUE("COMPLETED"));
    script(site, "scancel", "");
}

static int run(Site *site) {
    site->fake.said.len = site->fake.shown.len = 0;
    return batch_run(&site->fake.host, &site->request);
}

static const char ALL_GRADED[] = "ana graded 42.500 rules CLC006\n"
                                 "ben graded 100  \n";

TEST(what_the_tasks_have_graded_is_taken) {
    Site site;
    site_open(&site);
    CHECK_INT(run(&site), BATCH_DONE);
    CHECK_STR(get(&site.fake.arena, "out/grades.csv"), ALL_GRADED);
    CHECK(!file_exists("graded.txt")); // nothing is graded here
    CHECK(!file_exists("out/slurm"));
    CHECK_INT(calls_of(&site, "sbatch"), 1);
    CHECK_HOLDS(get(&site.fake.arena, "out/batch.log"),
                "job 17: 2 submissions in 2 tasks\n");
    CHECK_INT(run(&site), BATCH_DONE); // all is kept
    CHECK_INT(calls_of(&site, "sbatch"), 1);
    fake_close(&site.fake);
}

TEST(what_a_task_cannot_grade_is_taken_too) {
    Site site;
    site_open(&site);
    script(&site, "sbatch",
           "cp made/records/ana.json out/records/\n"
           "cp made/results/ana.json out/results/\n"
           "cp made/reports/ana.txt out/reports/\n" ENDS(
               "code 0\\nwhy \\n2 ben it is none\\n") "echo 17\n");
    CHECK_INT(run(&site), BATCH_BELOW);
    CHECK_STR(get(&site.fake.arena, "out/grades.csv"),
              "ana graded 42.500 rules CLC006\n"
              "ben not gradable 0 it is none \n");
    CHECK(!file_exists("out/slurm"));
    fake_close(&site.fake);
}

TEST(what_a_lost_task_had_is_submitted_again) {
    Site site;
    site_open(&site);
    script(&site, "squeue", QUEUE("NODE_FAIL"));
    script(&site, "sbatch",
           "[ -e tried ] && {\n" GRADES ENDS_WELL "}\n"
           "touch tried\necho 17\n");
    CHECK_INT(run(&site), BATCH_DONE);
    CHECK_STR(get(&site.fake.arena, "out/grades.csv"), ALL_GRADED);
    CHECK_INT(calls_of(&site, "sbatch"), 2);
    CHECK_HOLDS(get(&site.fake.arena, "out/batch.log"),
                "job 17 is over: 2 are not graded, 2 tasks lost\n");
    fake_close(&site.fake);
}

TEST(what_all_tasks_lack_ends_the_batch) {
    Site site;
    site_open(&site);
    script(
        &site, "sbatch",
        ENDS("code 69\\nwhy no toolkit\\n75 ana It was not graded.\\n") "echo "
                                                                        "17\n");
    CHECK_INT(run(&site), BATCH_MISSING);
    CHECK_STR(buf_view(&site.fake.said), "no toolkit\n");
    CHECK_INT(calls_of(&site, "sbatch"), 1);
    CHECK_STR(get(&site.fake.arena, "out/grades.csv"),
              "ana failed 0 It was not graded. \n"
              "ben failed 0 Its task was lost. \n");
    CHECK(file_exists("out/slurm"));
    fake_close(&site.fake);
}

TEST(tasks_that_grade_nothing_are_not_submitted_again) {
    Site site;
    site_open(&site);
    script(&site, "sbatch", ENDS("code 75\\nwhy no room\\n") "echo 17\n");
    CHECK_INT(run(&site), BATCH_TRY_LATER);
    CHECK_INT(calls_of(&site, "sbatch"), 1);
    fake_close(&site.fake);
}

TEST(three_arrays_that_are_lost_are_enough) {
    Site site;
    site_open(&site);
    script(&site, "sbatch", "echo 17\n");
    script(&site, "squeue", QUEUE("NODE_FAIL"));
    CHECK_INT(run(&site), BATCH_TRY_LATER);
    CHECK_INT(calls_of(&site, "sbatch"), 3);
    CHECK_STR(get(&site.fake.arena, "out/grades.csv"),
              "ana failed 0 Its task was lost. \n"
              "ben failed 0 Its task was lost. \n");
    fake_close(&site.fake);
}

// Slurm has run a task twice, say: all is graded, and one is still at work.
TEST(who_is_at_work_when_all_is_graded_is_ended) {
    Site site;
    site_open(&site);
    script(&site, "sbatch", GRADES "echo 17\n");
    script(&site, "squeue",
           "[ -e gone ] && echo '17|CANCELLED|None' || "
           "echo '17|RUNNING|None'\n");
    script(&site, "scancel", "touch gone\n");
    CHECK_INT(run(&site), BATCH_DONE);
    CHECK_INT(calls_of(&site, "scancel"), 1);
    CHECK_STR(get(&site.fake.arena, "out/grades.csv"), ALL_GRADED);
    CHECK(!file_exists("out/slurm"));
    fake_close(&site.fake);
}

TEST(a_job_that_is_cancelled_ends_the_batch) {
    Site site;
    site_open(&site);
    script(&site, "sbatch", "echo 17\n");
    script(&site, "squeue", QUEUE("CANCELLED"));
    CHECK_INT(run(&site), BATCH_TRY_LATER);
    CHECK_HOLDS(buf_view(&site.fake.said), "Slurm's job 17 was cancelled");
    fake_close(&site.fake);
}

TEST(who_does_not_wait_goes_on_later) {
    Site site;
    site_open(&site);
    script(&site, "sbatch", "echo 17\n");
    site.cluster.no_wait = true;
    CHECK_INT(run(&site), BATCH_TRY_LATER);
    CHECK_STR(buf_view(&site.fake.shown),
              "0 of 2 are graded; job 17: 0 tasks at work, 2 waiting.\n"
              "The same command, without --no-wait, waits for the rest.\n");
    CHECK(!file_exists("out/grades.csv"));

    // It is asked whether tasks are at work, whether they have all, and then
    // again and again, until all have ended.
    script(&site, "squeue",
           "[ $(wc -l <squeue.calls) -ge 4 ] && {\n" GRADES ENDS_WELL
           "}\n[ $(wc -l <squeue.calls) -ge 6 ] && exit\n" QUEUE("RUNNING"));
    site.cluster.no_wait = false;
    CHECK_INT(run(&site), BATCH_DONE);
    CHECK(calls_of(&site, "squeue") >= 6);
    CHECK_INT(calls_of(&site, "sbatch"), 1);
    CHECK_STR(get(&site.fake.arena, "out/grades.csv"), ALL_GRADED);
    fake_close(&site.fake);
}

// Its tasks would grade what has changed since.
TEST(an_array_that_has_not_all_is_ended) {
    Site site;
    site_open(&site);
    script(&site, "sbatch", "echo 17\n");
    site.cluster.no_wait = true;
    CHECK_INT(run(&site), BATCH_TRY_LATER);
    put("class/carl.cu", STR("points 7\n"));
    script(&site, "squeue",
           "[ -e gone ] && echo '17|CANCELLED|None' || "
           "echo '17|RUNNING|None'\n");
    script(&site, "scancel", "touch gone\n");
    CHECK_INT(run(&site), BATCH_TRY_LATER);
    CHECK_INT(calls_of(&site, "scancel"), 1);
    CHECK_INT(calls_of(&site, "sbatch"), 2);
    CHECK_HOLDS(get(&site.fake.arena, "out/batch.log"),
                "job 17 is cancelled\n");
    CHECK_HOLDS(buf_view(&site.fake.shown), "0 of 3 are graded");
    fake_close(&site.fake);
}

TEST(a_job_that_is_not_taken) {
    Site site;
    site_open(&site);
    script(&site, "sbatch", "echo 'no such partition' >&2\nexit 1\n");
    CHECK_INT(run(&site), BATCH_TRY_LATER);
    CHECK_HOLDS(buf_view(&site.fake.said), "no such partition");
    CHECK(!file_exists("out/grades.csv"));
    fake_close(&site.fake);
}

TEST_MAIN(TESTCASE(what_the_tasks_have_graded_is_taken),
          TESTCASE(what_a_task_cannot_grade_is_taken_too),
          TESTCASE(what_a_lost_task_had_is_submitted_again),
          TESTCASE(what_all_tasks_lack_ends_the_batch),
          TESTCASE(tasks_that_grade_nothing_are_not_submitted_again),
          TESTCASE(three_arrays_that_are_lost_are_enough),
          TESTCASE(who_is_at_work_when_all_is_graded_is_ended),
          TESTCASE(a_job_that_is_cancelled_ends_the_batch),
          TESTCASE(who_does_not_wait_goes_on_later),
          TESTCASE(an_array_that_has_not_all_is_ended),
          TESTCASE(a_job_that_is_not_taken))
